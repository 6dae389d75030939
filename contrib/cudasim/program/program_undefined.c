/*
 * program_undefined.c - finds uses of registers that no instruction has set on the way to them.
 *
 * nvcc gives a variable without an initial value a register that is live at the function's start. Few functions have
 * one. Such a function is built a second time, from a list of statements that this file writes. Each register whose
 * value may come from an unset one has a second register of the same width, its shadow. A bit of the shadow is one
 * where the bit of the register is undefined. Statements beside the function's own keep the shadows up to date:
 *
 *   moves, shifts, selections   the same statement on the shadows
 *   and, or                     a bit is defined if a defined operand decides it
 *   loads, shuffles, votes      give defined values. A shuffle often takes the one lane's value that is set. Some loads
 *                               from shared memory give undefined ones: program_shade.c
 *   wgmma                       likewise: its first step overwrites accumulators that were never set
 *   mma                         each element of the sum comes from the element of the accumulator
 *   all others                  one undefined bit of an operand makes the whole result undefined
 *
 * "@undefined" statements report branches, addresses and stored values that depend on undefined bits. A stored value is
 * reported if all its bits are undefined, for structures are copied with members that nobody set. nvcc makes registers
 * that are never set where their value does not matter. They count only in code compiled with -G, and as the sum that a
 * product of matrices continues: its value always matters.
 */
#include <stdio.h>
#include <string.h>

#include "tracker.h"
#include "contrib/cudasim/base/operation.h"

#define SPREAD_MOST 3 /* sources of @spread */

/* ---- which registers may be undefined ---- */

/* The number of a register among those that are tracked, or -1 for a temporary one of the builder. */
static int64_t tracked(const struct tracker *t, uint32_t vreg)
{
    if (vreg < t->x->register_count)
        return vreg;
    return t->b->carry && vreg == t->b->carry - 1 ? (int64_t)t->x->register_count : -1;
}

/* Fills t->defs and t->uses with what the first build found in statement `n`. */
static void look_at(struct tracker *t, size_t n)
{
    const struct builder *b = t->b;

    t->def_count = t->use_count = 0;
    for (uint32_t m = b->statement_first[n]; m < b->statement_first[n + 1]; m++) {
        const struct ins_facts *f = &b->facts[m];

        for (uint32_t v = 0; v < f->defs + f->uses; v++) {
            int64_t reg = tracked(t, b->vregs[f->first_def + v]);

            if (reg >= 0 && v < f->defs)
                t->defs[t->def_count++] = (uint32_t)reg;
            else if (reg >= 0)
                t->uses[t->use_count++] = (uint32_t)reg;
        }
    }
}

/* Whether the results of the statement are defined, whatever its operands are. */
static bool gives_defined(const struct ptx_statement *s)
{
    static const char *const list[] = {"ld.", "ldu.", "atom.", "tex.", "tld4.", "txq.", "suld.", "suq.", "ldmatrix.",
                                       "shfl.", "vote.", "match.", "redux.", "elect.", "activemask", "bar.", "barrier.",
                                       "mbarrier.", "movmatrix.", "wmma.load.", "wgmma.", "isspacep.", "call"};

    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (starts(s->opcode, list[n]))
            return true;
    return false;
}

/* Marks the accumulators of an mma as registers that some statement sets, or should. */
static void expect_sum(struct tracker *t, const struct ptx_statement *s)
{
    const struct ptx_operand *c = &s->operands[3];
    bool vector;

    if (s->kind != PTX_INSTRUCTION || (!starts(s->opcode, "mma.") && !starts(s->opcode, "wmma.mma.")) || s->count < 4)
        return;
    vector = c->kind == PTX_OPERAND_VECTOR;
    for (size_t n = 0; n < (vector ? c->count : 1); n++) {
        const struct ptx_operand *x = vector ? &c->elements[n] : c;

        if (x->kind == PTX_OPERAND_REGISTER && x->reg >= 0)
            t->defined[x->reg] = true;
    }
}

/* Marks the registers that are live at the function's start. False: there are none. */
static bool find_unset(struct tracker *t)
{
    bool any = false;

    for (size_t n = 0; n < t->x->statement_count; n++) {
        expect_sum(t, &t->x->statements[n]);
        look_at(t, n);
        for (size_t d = 0; d < t->def_count; d++)
            t->defined[t->defs[d]] = true;
    }
    for (uint32_t r = 0; r < t->x->register_count; r++) {
        enum ptx_type type = tracker_type(t, r);
        /* An empty class is passed to a function as a byte that is never set. */
        bool counts = t->defined[r] || (t->b->program->debug && type != PTX_B16);

        t->undefined[r] = t->b->live_at_entry[r / 64] >> (r % 64) & 1 && type != PTX_NONE && counts;
        any |= t->undefined[r];
    }
    return any;
}

/* Marks all registers whose values may come from marked ones. */
static void spread(struct tracker *t)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t n = 0; n < t->x->statement_count; n++) {
            bool from = false;

            if (t->x->statements[n].kind != PTX_INSTRUCTION || gives_defined(&t->x->statements[n]))
                continue;
            look_at(t, n);
            for (size_t u = 0; u < t->use_count; u++)
                from |= t->undefined[t->uses[u]];
            for (size_t d = 0; from && d < t->def_count; d++)
                if (!t->undefined[t->defs[d]] && tracker_type(t, t->defs[d]) != PTX_NONE)
                    t->undefined[t->defs[d]] = changed = true;
        }
    }
}

/* ---- loads from shared memory ---- */

/* Marks the results of the loads that are tracked. */
static void mark_loads(struct tracker *t)
{
    for (size_t n = 0; n < t->x->statement_count; n++) {
        look_at(t, n);
        for (size_t d = 0; t->loads[n] && d < t->def_count; d++)
            if (tracker_type(t, t->defs[d]) != PTX_NONE)
                t->undefined[t->defs[d]] = true;
    }
}

/* Whether an undefined register is stored to shared memory, whose undefined bytes can be kept track of. */
static bool shades_memory(const struct tracker *t)
{
    for (size_t n = 0; n < t->x->statement_count; n++) {
        const struct ptx_statement *s = &t->x->statements[n];

        if (shade_is_shared(s, "st.") && tracker_is_undefined(t, &s->operands[1]))
            return shade_may_map(t->b, t->x);
    }
    return false;
}

/* All registers that may be undefined. False: there are none. */
static bool find_undefined(struct tracker *t)
{
    bool unset = find_unset(t);

    t->from_shared = shade_find_doubts(t->b, t->x, t->loads);
    if (!unset && !t->from_shared)
        return false;
    mark_loads(t);
    spread(t);
    t->shades = shades_memory(t);
    if (!t->shades)
        return true;
    t->from_shared = true;
    for (size_t n = 0; n < t->x->statement_count; n++)
        if (!t->loads[n] && shade_is_shared(&t->x->statements[n], "ld."))
            t->loads[n] = SHADE_MAP;
    mark_loads(t);
    spread(t);
    return true;
}

/* ---- how undefined bits pass through a statement ---- */

/* The shadow's bits become all ones where predicate `p` holds. Elsewhere they become `others`. */
static void set_where(struct tracker *t, uint32_t reg, struct ptx_operand p, struct ptx_operand others)
{
    struct ptx_operand shadow = of_register(t->shadow[reg]);

    if (tracker_type(t, reg) == PTX_PRED)
        tracker_put_typed(t, "or", PTX_PRED, 3, (struct ptx_operand[]){shadow, p, others});
    else
        tracker_put_typed(t, "selp", tracker_type(t, reg), 4,
                          (struct ptx_operand[]){shadow, of_number(~0ull), others, p});
}

/* A predicate: an operand of the statement is undefined. False: none of them has a shadow. */
static bool some_operand(struct tracker *t, struct ptx_operand *p)
{
    bool halves = strstr(t->at->opcode, "x2"), any = false; /* of which one may be unused */

    for (size_t u = 0; u < t->use_count; u++) {
        uint32_t reg = t->uses[u];
        enum ptx_type type = tracker_type(t, reg);
        struct ptx_operand q;

        if (!t->undefined[reg])
            continue;
        q = of_register(t->shadow[reg]);
        if (type != PTX_PRED)
            q = tracker_combined(t, halves ? "setp.eq" : "setp.ne", type, q, of_number(halves ? ~0ull : 0));
        *p = any ? tracker_combined(t, "or", PTX_PRED, *p, q) : q;
        any = true;
    }
    return any;
}

/* The shadows of the operands, each once, if they are SPREAD_MOST of one type at most: how many, else 0. */
static size_t alike_operands(struct tracker *t, struct ptx_operand *shadows, enum ptx_type *type)
{
    uint32_t found[SPREAD_MOST];
    size_t count = 0;

    for (size_t u = 0; u < t->use_count; u++) {
        uint32_t reg = t->uses[u];
        bool known = !t->undefined[reg];

        for (size_t n = 0; n < count; n++)
            known |= found[n] == reg;
        if (known)
            continue;
        if (count == SPREAD_MOST || (count && tracker_type(t, reg) != *type))
            return 0;
        *type = tracker_type(t, reg);
        found[count] = reg;
        shadows[count++] = of_register(t->shadow[reg]);
    }
    return count;
}

/*
 * The common case in one statement: one result, and few operands of one width. One such statement stands beside most
 * of the statements that are tracked, so its cost shows. False: it is another case.
 */
static bool track_alike(struct tracker *t)
{
    enum ptx_type from = PTX_NONE, to = t->def_count ? tracker_type(t, t->defs[0]) : PTX_NONE;
    struct ptx_operand operands[1 + SPREAD_MOST];
    char base[16];
    size_t count = alike_operands(t, operands + 1, &from);

    if (t->def_count != 1 || !count || from == PTX_B16 || to == PTX_B16 || strstr(t->at->opcode, "x2"))
        return false;
    operands[0] = of_register(t->shadow[t->defs[0]]);
    while (count < SPREAD_MOST)
        operands[++count] = of_number(0);
    snprintf(base, sizeof base, "@spread.%s", tracker_suffix(to));
    tracker_put_typed(t, base, from, 1 + SPREAD_MOST, operands);
    return true;
}

/* All results are undefined if an operand is. */
static void track_any(struct tracker *t)
{
    struct ptx_operand p;
    bool any;

    if (track_alike(t))
        return;
    any = some_operand(t, &p);

    for (size_t d = 0; d < t->def_count; d++)
        if (t->undefined[t->defs[d]] && any)
            set_where(t, t->defs[d], p, of_number(0));
        else if (t->undefined[t->defs[d]])
            tracker_set(t, t->defs[d], of_number(0));
}

static void track_defined(struct tracker *t)
{
    for (size_t d = 0; d < t->def_count; d++)
        if (t->undefined[t->defs[d]])
            tracker_set(t, t->defs[d], of_number(0));
}

/* A load from shared memory: the shadows come from the map, or are what nothing wrote. */
static void track_load(struct tracker *t, uint8_t shade)
{
    const struct ptx_statement *s = t->at;

    tracker_put(t, "@shade.load", 4, (struct ptx_operand[]){tracker_shadow(t, &s->operands[0], true), s->operands[1],
                                                    of_number(ptx_type_size(type_token(t->b, 0))),
                                                    of_number(shade == SHADE_DOUBT)});
}

/* and, or: d = a op b. Undefined are bits that both operands leave open, or one, where the other does not decide. */
static bool track_logic(struct tracker *t, bool is_or)
{
    const struct ptx_statement *s = t->at;
    struct ptx_operand open[2], d;
    enum ptx_type type;

    if (s->count != 3 || !tracker_is_undefined(t, &s->operands[0]))
        return false;
    type = tracker_type(t, (uint32_t)s->operands[0].reg);
    d = of_register(t->shadow[s->operands[0].reg]);
    for (int n = 0; n < 2; n++) { /* where operand n leaves the result to the other one */
        open[n] = s->operands[n + 1];
        if (is_or) {
            open[n] = of_register(tracker_register(t, type));
            tracker_put_typed(t, "not", type, 2, (struct ptx_operand[]){open[n], s->operands[n + 1]});
        }
        if (tracker_is_undefined(t, &s->operands[n + 1]))
            open[n] = tracker_combined(t, "or", type, open[n], tracker_shadow(t, &s->operands[n + 1], false));
    }
    for (int n = 0; n < 2; n++)
        open[n] = tracker_combined(t, "and", type, open[n], tracker_shadow(t, &s->operands[2 - n], false));
    tracker_put_typed(t, "or", type, 3, (struct ptx_operand[]){d, open[0], open[1]});
    return true;
}

/* The same statement on the shadows of its first `data` sources. The others choose bits, and must be defined. */
static bool track_same(struct tracker *t, size_t data, const char *opcode)
{
    const struct ptx_statement *s = t->at;
    struct ptx_operand operands[8];

    if (s->count < data + 1 || s->count > sizeof operands / sizeof *operands)
        return false;
    for (size_t n = 0; n < s->count; n++) {
        if (n > data && tracker_is_undefined(t, &s->operands[n]))
            return false;
        operands[n] = n > data ? s->operands[n] : tracker_shadow(t, &s->operands[n], n == 0);
    }
    tracker_put(t, opcode, s->count, operands);
    return true;
}

/* selp d, a, b, p */
static bool track_selection(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    struct ptx_operand operands[4];
    uint32_t d;

    if (s->count != 4 || !tracker_is_undefined(t, &s->operands[0]))
        return false;
    for (size_t n = 0; n < 4; n++)
        operands[n] = n < 3 ? tracker_shadow(t, &s->operands[n], n == 0) : s->operands[n];
    d = (uint32_t)s->operands[0].reg;
    tracker_put_typed(t, "selp", tracker_type(t, d), 4, operands);
    if (tracker_is_undefined(t, &s->operands[3]))
        set_where(t, d, tracker_shadow(t, &s->operands[3], false), operands[0]);
    return true;
}

/* mma d, a, b, c: of vectors or of one register each. */
static bool track_product(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    const struct ptx_operand *d = &s->operands[0], *c = &s->operands[3];
    bool vector = s->count > 3 && d->kind == PTX_OPERAND_VECTOR;

    if (s->count < 4 || (vector && (c->kind != PTX_OPERAND_VECTOR || c->count != d->count)))
        return false;
    for (size_t n = 0; n < (vector ? d->count : 1); n++) {
        const struct ptx_operand *to = vector ? &d->elements[n] : d, *from = vector ? &c->elements[n] : c;

        if (tracker_is_undefined(t, to))
            tracker_set(t, (uint32_t)to->reg, tracker_shadow(t, from, false));
    }
    return true;
}

/* cvt between integers without saturation. */
static bool cuts_or_extends(const struct builder *b)
{
    enum ptx_type to = type_token(b, 0), from = type_token(b, 1);

    return to >= PTX_U8 && to <= PTX_S64 && from >= PTX_U8 && from <= PTX_S64 && !has_token(b, "sat") &&
           !has_token(b, "pack");
}

/* Statements whose undefined bits are known one by one. */
static bool track_bits(struct tracker *t)
{
    static const struct {
        const char *base;
        size_t data; /* sources with data */
    } same[] = {{"mov", 1}, {"not", 1}, {"shl", 1}, {"shr", 1}, {"bfe", 1}, {"bfi", 2}, {"prmt", 2}, {"shf", 2},
                {"cvt", 1}};
    const char *base = t->b->opcode.token[0];

    if (!strcmp(base, "and") || !strcmp(base, "or"))
        return track_logic(t, base[0] == 'o');
    if (!strcmp(base, "selp"))
        return track_selection(t);
    if (!strcmp(base, "mma") || !strcmp(base, "wmma"))
        return track_product(t);
    if (!strcmp(base, "cvt") && !cuts_or_extends(t->b))
        return false;
    for (size_t n = 0; n < sizeof same / sizeof *same; n++)
        if (!strcmp(base, same[n].base)) {
            bool inverts = !strcmp(base, "not"); /* keeps the bits that are undefined */

            if (inverts && tracker_is_undefined(t, &t->at->operands[0]))
                tracker_set(t, (uint32_t)t->at->operands[0].reg, tracker_shadow(t, &t->at->operands[1], false));
            return inverts || track_same(t, same[n].data, t->at->opcode);
        }
    return false;
}

/* Writes what keeps the shadows of the statement's results up to date. */
static void track(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    bool needed = false;

    for (size_t d = 0; d < t->def_count; d++)
        needed |= t->undefined[t->defs[d]];
    if (!needed)
        return;
    t->guarded = true;
    if (s >= t->x->statements && t->loads[s - t->x->statements])
        track_load(t, t->loads[s - t->x->statements]);
    else if (gives_defined(s))
        track_defined(t);
    else if (!track_bits(t))
        track_any(t);
    t->guarded = false;
    if (s->guard == PTX_NO_REGISTER || !t->undefined[s->guard])
        return;
    /* Under an undefined guard the result is undefined, whether it was set or not. */
    for (size_t d = 0; d < t->def_count; d++)
        if (t->undefined[t->defs[d]])
            set_where(t, t->defs[d], of_register(t->shadow[s->guard]), of_register(t->shadow[t->defs[d]]));
}

/* ---- the second list ---- */

static void write_statements(struct tracker *t)
{
    struct builder *b = t->b;

    for (size_t r = 0; r <= t->x->register_count; r++) {
        t->shadow[r] = t->undefined[r] ? tracker_register(t, tracker_type(t, (uint32_t)r)) : PTX_NO_REGISTER;
        if (t->undefined[r]) {
            bool live = r < t->x->register_count && b->live_at_entry[r / 64] >> (r % 64) & 1;

            tracker_set(t, (uint32_t)r, of_number(live ? ~0ull : 0));
        }
    }
    for (size_t n = 0; n < t->x->statement_count; n++) {
        t->at = &t->x->statements[n];
        if (t->at->kind == PTX_INSTRUCTION) {
            b->statement = t->at;
            split_opcode(b);
            look_at(t, n);
            tracker_check(t);
            track(t);
        }
        tracker_append(t, t->at, false);
    }
    b->statement = NULL;
}

const struct ptx_function *track_undefined(struct builder *b, bool **added)
{
    const struct ptx_function *x = b->ptx_function;
    struct tracker t = {.b = b, .x = x};
    struct ptx_function *copy;
    size_t most = 1;

    for (size_t n = 0; n < x->statement_count; n++) {
        size_t count = 0;

        for (uint32_t m = b->statement_first[n]; m < b->statement_first[n + 1]; m++)
            count += b->facts[m].defs + b->facts[m].uses;
        most = count > most ? count : most;
    }
    t.defs = build_scratch(b, most, sizeof *t.defs);
    t.uses = build_scratch(b, most, sizeof *t.uses);
    t.undefined = build_scratch(b, x->register_count + 1, sizeof *t.undefined);
    t.defined = build_scratch(b, x->register_count + 1, sizeof *t.defined);
    t.shadow = build_scratch(b, x->register_count + 1, sizeof *t.shadow);
    t.loads = build_scratch(b, x->statement_count + 1, sizeof *t.loads);
    if (!find_undefined(&t))
        return NULL;
    t.registers = build_scratch(b, 2 * x->register_count + 2, sizeof *t.registers);
    t.register_capacity = 2 * x->register_count + 2;
    if (x->register_count)
        memcpy(t.registers, x->registers, x->register_count * sizeof *t.registers);
    t.register_count = x->register_count;
    write_statements(&t);
    if (!t.checks)
        return NULL;
    copy = build_scratch(b, 1, sizeof *copy);
    *copy = *x;
    copy->registers = t.registers;
    copy->register_count = t.register_count;
    copy->statements = t.statements;
    copy->statement_count = t.statement_count;
    for (size_t n = 0; n < x->statement_count; n++)
        for (uint32_t m = b->statement_first[n]; t.loads[n] == SHADE_DOUBT && m < b->statement_first[n + 1]; m++)
            b->code[m].doubtful = true;
    *added = t.added;
    return copy;
}
