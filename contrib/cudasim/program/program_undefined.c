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
 *   loads, shuffles, votes      give defined values. A shuffle often takes the one lane's value that is set
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

#include "builder.h"
#include "contrib/cudasim/base/operation.h"

#define SPREAD_MOST 3 /* sources of @spread */

/* The second list of a function's statements, as it is written. Registers count as in `x`; behind them the carry. */
struct tracker {
    struct builder *b;
    const struct ptx_function *x;     /* as it was parsed, and built first */
    bool *undefined;                  /* [register_count + 1] may be undefined: it has a shadow */
    bool *defined;                    /* [register_count + 1] some statement sets it */
    int *shadow;                      /* [register_count + 1] number of its shadow, else PTX_NO_REGISTER */
    uint32_t *defs, *uses;            /* registers of the statement looked at */
    size_t def_count, use_count;
    const struct ptx_statement *at;   /* the statement looked at; NULL: before the first */
    bool guarded;                     /* whether new statements get its guard */
    bool checks;                      /* some use is checked */
    struct ptx_register *registers;   /* [register_count] those of `x`, shadows, temporary ones */
    size_t register_count, register_capacity;
    struct ptx_statement *statements; /* [statement_count] */
    bool *added;                      /* [statement_count] not one of the function's own */
    size_t statement_count, statement_capacity;
};

/* ---- which registers may be undefined ---- */

/* The number of a register among those that are tracked, or -1 for a temporary one of the builder. */
static int64_t tracked(const struct tracker *t, uint32_t vreg)
{
    if (vreg < t->x->register_count)
        return vreg;
    return t->b->carry && vreg == t->b->carry - 1 ? (int64_t)t->x->register_count : -1;
}

/* The type of its shadow: the bits of the register, or PTX_NONE if it can have none. */
static enum ptx_type shadow_type(const struct tracker *t, uint32_t reg)
{
    enum ptx_type type = reg < t->x->register_count ? t->x->registers[reg].type : PTX_PRED;
    unsigned size = ptx_type_size(type);

    if (type == PTX_PRED)
        return PTX_PRED;
    return size > 8 ? PTX_NONE : size == 8 ? PTX_B64 : size == 4 ? PTX_B32 : PTX_B16;
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

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
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
        enum ptx_type type = shadow_type(t, r);
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
                if (!t->undefined[t->defs[d]] && shadow_type(t, t->defs[d]) != PTX_NONE)
                    t->undefined[t->defs[d]] = changed = true;
        }
    }
}

/* ---- writing statements ---- */

/* Room for one more in items[count]. */
static void *grown(struct builder *b, void *items, size_t count, size_t *capacity, size_t size)
{
    void *more;

    if (count < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 256;
    more = build_scratch(b, *capacity, size);
    if (count)
        memcpy(more, items, count * size);
    return more;
}

static int new_register(struct tracker *t, enum ptx_type type)
{
    t->registers = grown(t->b, t->registers, t->register_count, &t->register_capacity, sizeof *t->registers);
    t->registers[t->register_count] = (struct ptx_register){"a shadow", type};
    return (int)t->register_count++;
}

static void append(struct tracker *t, const struct ptx_statement *s, bool added)
{
    size_t capacity = t->statement_capacity;

    t->statements = grown(t->b, t->statements, t->statement_count, &t->statement_capacity, sizeof *t->statements);
    t->added = grown(t->b, t->added, t->statement_count, &capacity, sizeof *t->added);
    t->statements[t->statement_count] = *s;
    t->added[t->statement_count++] = added;
}

/* A new statement at the place of t->at. */
static void put(struct tracker *t, const char *opcode, size_t count, const struct ptx_operand *operands)
{
    struct ptx_statement s = {.kind = PTX_INSTRUCTION};
    struct ptx_operand *own = build_scratch(t->b, count, sizeof *own);

    if (t->at)
        s = *t->at;
    if (!t->at || !t->guarded)
        s.guard = PTX_NO_REGISTER;
    s.opcode = opcode;
    s.operands = memcpy(own, operands, count * sizeof *own);
    s.count = count;
    append(t, &s, true);
}

static struct ptx_operand of_register(int reg)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = reg, .second = PTX_NO_REGISTER};
}

static struct ptx_operand of_number(uint64_t value)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .value = value, .second = PTX_NO_REGISTER};
}

static const char *type_suffix(enum ptx_type type)
{
    return type == PTX_PRED ? "pred" : type == PTX_B64 ? "b64" : type == PTX_B32 ? "b32" : "b16";
}

/* "and" and PTX_B32: "and.b32". */
static void put_typed(struct tracker *t, const char *base, enum ptx_type type, size_t count,
                      const struct ptx_operand *operands)
{
    const char *suffix = type_suffix(type);
    size_t size = strlen(base) + strlen(suffix) + 2;
    char *opcode = build_scratch(t->b, size, 1);

    snprintf(opcode, size, "%s.%s", base, suffix);
    put(t, opcode, count, operands);
}

/* Computes `base` of a and b into a new register of the type. */
static struct ptx_operand combined(struct tracker *t, const char *base, enum ptx_type type, struct ptx_operand a,
                                   struct ptx_operand b)
{
    bool compares = starts(base, "setp");
    struct ptx_operand d = of_register(new_register(t, compares ? PTX_PRED : type));

    put_typed(t, base, type, 3, (struct ptx_operand[]){d, a, b});
    return d;
}

static void set_shadow(struct tracker *t, uint32_t reg, struct ptx_operand value)
{
    put_typed(t, "mov", shadow_type(t, reg), 2, (struct ptx_operand[]){of_register(t->shadow[reg]), value});
}

/* The shadow's bits become all ones where predicate `p` holds. Elsewhere they become `others`. */
static void set_where(struct tracker *t, uint32_t reg, struct ptx_operand p, struct ptx_operand others)
{
    struct ptx_operand shadow = of_register(t->shadow[reg]);

    if (shadow_type(t, reg) == PTX_PRED)
        put_typed(t, "or", PTX_PRED, 3, (struct ptx_operand[]){shadow, p, others});
    else
        put_typed(t, "selp", shadow_type(t, reg), 4, (struct ptx_operand[]){shadow, of_number(~0ull), others, p});
}

/* ---- how undefined bits pass through a statement ---- */

static bool is_undefined(const struct tracker *t, const struct ptx_operand *x)
{
    if (x->kind == PTX_OPERAND_REGISTER)
        return t->undefined[x->reg];
    for (size_t n = 0; x->kind == PTX_OPERAND_VECTOR && n < x->count; n++)
        if (is_undefined(t, &x->elements[n]))
            return true;
    return false;
}

/* The operand's shadow: zero for a defined one, nothing for a defined destination. */
static struct ptx_operand shadow_of(struct tracker *t, const struct ptx_operand *x, bool destination)
{
    struct ptx_operand vector = *x;

    if (x->kind == PTX_OPERAND_VECTOR) {
        vector.elements = build_scratch(t->b, x->count, sizeof *vector.elements);
        for (size_t n = 0; n < x->count; n++)
            vector.elements[n] = shadow_of(t, &x->elements[n], destination);
        return vector;
    }
    if (is_undefined(t, x))
        return of_register(t->shadow[x->reg]);
    return destination ? (struct ptx_operand){.kind = PTX_OPERAND_SINK, .second = PTX_NO_REGISTER} : of_number(0);
}

/* A predicate: an operand of the statement is undefined. False: none of them has a shadow. */
static bool some_operand(struct tracker *t, struct ptx_operand *p)
{
    bool halves = strstr(t->at->opcode, "x2"), any = false; /* of which one may be unused */

    for (size_t u = 0; u < t->use_count; u++) {
        uint32_t reg = t->uses[u];
        enum ptx_type type = shadow_type(t, reg);
        struct ptx_operand q;

        if (!t->undefined[reg])
            continue;
        q = of_register(t->shadow[reg]);
        if (type != PTX_PRED)
            q = combined(t, halves ? "setp.eq" : "setp.ne", type, q, of_number(halves ? ~0ull : 0));
        *p = any ? combined(t, "or", PTX_PRED, *p, q) : q;
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
        if (count == SPREAD_MOST || (count && shadow_type(t, reg) != *type))
            return 0;
        *type = shadow_type(t, reg);
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
    enum ptx_type from = PTX_NONE, to = t->def_count ? shadow_type(t, t->defs[0]) : PTX_NONE;
    struct ptx_operand operands[1 + SPREAD_MOST];
    char base[16];
    size_t count = alike_operands(t, operands + 1, &from);

    if (t->def_count != 1 || !count || from == PTX_B16 || to == PTX_B16 || strstr(t->at->opcode, "x2"))
        return false;
    operands[0] = of_register(t->shadow[t->defs[0]]);
    while (count < SPREAD_MOST)
        operands[++count] = of_number(0);
    snprintf(base, sizeof base, "@spread.%s", type_suffix(to));
    put_typed(t, base, from, 1 + SPREAD_MOST, operands);
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
            set_shadow(t, t->defs[d], of_number(0));
}

static void track_defined(struct tracker *t)
{
    for (size_t d = 0; d < t->def_count; d++)
        if (t->undefined[t->defs[d]])
            set_shadow(t, t->defs[d], of_number(0));
}

/* and, or: d = a op b. Undefined are bits that both operands leave open, or one, where the other does not decide. */
static bool track_logic(struct tracker *t, bool is_or)
{
    const struct ptx_statement *s = t->at;
    struct ptx_operand open[2], d;
    enum ptx_type type;

    if (s->count != 3 || !is_undefined(t, &s->operands[0]))
        return false;
    type = shadow_type(t, (uint32_t)s->operands[0].reg);
    d = of_register(t->shadow[s->operands[0].reg]);
    for (int n = 0; n < 2; n++) { /* where operand n leaves the result to the other one */
        open[n] = s->operands[n + 1];
        if (is_or) {
            open[n] = of_register(new_register(t, type));
            put_typed(t, "not", type, 2, (struct ptx_operand[]){open[n], s->operands[n + 1]});
        }
        if (is_undefined(t, &s->operands[n + 1]))
            open[n] = combined(t, "or", type, open[n], shadow_of(t, &s->operands[n + 1], false));
    }
    for (int n = 0; n < 2; n++)
        open[n] = combined(t, "and", type, open[n], shadow_of(t, &s->operands[2 - n], false));
    put_typed(t, "or", type, 3, (struct ptx_operand[]){d, open[0], open[1]});
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
        if (n > data && is_undefined(t, &s->operands[n]))
            return false;
        operands[n] = n > data ? s->operands[n] : shadow_of(t, &s->operands[n], n == 0);
    }
    put(t, opcode, s->count, operands);
    return true;
}

/* selp d, a, b, p */
static bool track_selection(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    struct ptx_operand operands[4];
    uint32_t d;

    if (s->count != 4 || !is_undefined(t, &s->operands[0]))
        return false;
    for (size_t n = 0; n < 4; n++)
        operands[n] = n < 3 ? shadow_of(t, &s->operands[n], n == 0) : s->operands[n];
    d = (uint32_t)s->operands[0].reg;
    put_typed(t, "selp", shadow_type(t, d), 4, operands);
    if (is_undefined(t, &s->operands[3]))
        set_where(t, d, shadow_of(t, &s->operands[3], false), operands[0]);
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

        if (is_undefined(t, to))
            set_shadow(t, (uint32_t)to->reg, shadow_of(t, from, false));
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

            if (inverts && is_undefined(t, &t->at->operands[0]))
                set_shadow(t, (uint32_t)t->at->operands[0].reg, shadow_of(t, &t->at->operands[1], false));
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
    if (gives_defined(s))
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

/* ---- uses that matter ---- */

static void report_where(struct tracker *t, struct ptx_operand p, enum undefined_use use)
{
    put(t, "@undefined", 2, (struct ptx_operand[]){p, of_number(use)});
    t->checks = true;
}

/* Reports the use of register operand `x` if a bit of it is undefined. It then counts as defined. */
static void check_any(struct tracker *t, const struct ptx_operand *x, enum undefined_use use)
{
    enum ptx_type type;
    struct ptx_operand p;

    if (x->kind != PTX_OPERAND_REGISTER || !is_undefined(t, x))
        return;
    type = shadow_type(t, (uint32_t)x->reg);
    p = of_register(t->shadow[x->reg]);
    report_where(t, type == PTX_PRED ? p : combined(t, "setp.ne", type, p, of_number(0)), use);
    set_shadow(t, (uint32_t)x->reg, of_number(0));
}

/* Reports a stored value of `bytes`, or a vector of such, if all bits of it are undefined. */
static void check_all(struct tracker *t, const struct ptx_operand *x, unsigned bytes, enum undefined_use use)
{
    bool vector = x->kind == PTX_OPERAND_VECTOR;
    size_t count = vector ? x->count : 1;
    struct ptx_operand all = {0};

    for (size_t n = 0; n < count; n++)
        if (!is_undefined(t, vector ? &x->elements[n] : x))
            return;
    for (size_t n = 0; n < count; n++) {
        int reg = vector ? x->elements[n].reg : x->reg;
        enum ptx_type type = shadow_type(t, (uint32_t)reg);
        struct ptx_operand mask = of_number(bytes < 8 ? (1ull << 8 * bytes) - 1 : ~0ull);
        struct ptx_operand p = of_register(t->shadow[reg]);

        if (type == PTX_PRED)
            return;
        p = combined(t, "setp.eq", type, combined(t, "and", type, p, mask), mask);
        all = n ? combined(t, "and", PTX_PRED, all, p) : p;
    }
    report_where(t, all, use);
    for (size_t n = 0; n < count; n++)
        set_shadow(t, (uint32_t)(vector ? x->elements[n].reg : x->reg), of_number(0));
}

/* Whether both statements are made from the same place of the source. */
static bool same_place(const struct tracker *t, const struct ptx_statement *a, const struct ptx_statement *b)
{
    const struct ptx_location *places = t->b->ptx->locations, *x = a->location ? &places[a->location - 1] : NULL,
                              *y = b->location ? &places[b->location - 1] : NULL;

    return x && y ? x->file == y->file && x->line == y->line && x->column == y->column : x == y;
}

/* A store of one value, to an address in a register. */
static bool is_plain_store(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && starts(s->opcode, "st.") && s->count == 2 &&
           s->operands[0].kind == PTX_OPERAND_ADDRESS && s->operands[0].elements[0].kind == PTX_OPERAND_REGISTER;
}

/*
 * Whether t->at stores a member of a structure that is copied: a store beside it, of the same place in the source and
 * to the same base address, stores a value that is always defined.
 */
static bool copies_structure(const struct tracker *t)
{
    for (int way = -1; is_plain_store(t->at) && way <= 1; way += 2)
        for (const struct ptx_statement *s = t->at + way;
             s >= t->x->statements && s < t->x->statements + t->x->statement_count; s += way) {
            if (s->kind != PTX_INSTRUCTION || starts(s->opcode, "bra") || !same_place(t, s, t->at))
                break;
            if (is_plain_store(s) && s->operands[0].elements[0].reg == t->at->operands[0].elements[0].reg &&
                !is_undefined(t, &s->operands[1]))
                return true;
        }
    return false;
}

#define CALLS 8 /* inside of calls that are followed */

/* Whether function `name`, or one that it calls, has lanes exchange values: some of these may be undefined. */
static bool exchanges(struct builder *b, const char *name, unsigned depth)
{
    const struct global_name *g = global_name(b, name);
    const struct ptx_function *f = g && g->is_function ? &b->ptx->functions[g->index] : NULL;

    for (size_t n = 0; f && n < f->statement_count; n++) {
        const struct ptx_statement *s = &f->statements[n];

        if (s->kind != PTX_INSTRUCTION)
            continue;
        if (starts(s->opcode, "shfl.") || starts(s->opcode, "vote.") || starts(s->opcode, "match.") ||
            starts(s->opcode, "redux."))
            return true;
        for (size_t o = 0; starts(s->opcode, "call") && o < s->count; o++)
            if (s->operands[o].kind == PTX_OPERAND_NAME &&
                (depth == CALLS || exchanges(b, s->operands[o].name, depth + 1)))
                return true;
    }
    return false;
}

/* Whether a function that exchanges values takes parameter `name`, by the next call behind t->at that has it. */
static bool goes_to_lanes(const struct tracker *t, const char *name)
{
    for (const struct ptx_statement *s = t->at; s < t->x->statements + t->x->statement_count; s++) {
        const char *callee = NULL;

        if (s->kind != PTX_INSTRUCTION || !starts(s->opcode, "call"))
            continue;
        for (size_t o = 0; o < s->count; o++) {
            const struct ptx_operand *x = &s->operands[o];

            if (x->kind == PTX_OPERAND_NAME && !callee)
                callee = x->name;
            for (size_t n = 0; callee && x->kind == PTX_OPERAND_LIST && n < x->count; n++)
                if (x->elements[n].kind == PTX_OPERAND_NAME && !strcmp(x->elements[n].name, name))
                    return exchanges(t->b, callee, 0);
        }
    }
    return true;
}

/*
 * Whether address operand `x` names a parameter, or a result, that is one number which the thread itself uses. Parts of
 * structures may be undefined, and values that only some lanes of a warp have.
 */
static bool is_number_parameter(const struct tracker *t, const struct ptx_operand *x)
{
    const struct ptx_function *f = t->x;
    const char *name = x->elements[0].kind == PTX_OPERAND_NAME ? x->elements[0].name : "";
    const struct name_entry *e = local_name(t->b, name);
    const struct ptx_variable *v = NULL;

    if (e && e->kind == NAME_LOCAL)
        v = goes_to_lanes(t, name) ? NULL : &f->locals[e->value];
    else if (e && e->kind == NAME_FORMAL && e->value < f->result_count)
        v = &f->results[e->value];
    return v && v->size >= 4 && v->size == ptx_type_size(v->type);
}

/* st, atom, red and stores of matrices: the values that go to memory. */
static void check_values(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    const char *base = t->b->opcode.token[0];
    unsigned bytes = ptx_type_size(type_token(t->b, 0));
    bool parameter = false;

    if ((strcmp(base, "st") && strcmp(base, "atom") && strcmp(base, "red") && strcmp(base, "stmatrix") &&
         !starts(s->opcode, "wmma.store")) || copies_structure(t))
        return;
    for (size_t n = 0; n < s->count; n++)
        if (s->operands[n].kind == PTX_OPERAND_ADDRESS) {
            parameter = starts(s->opcode, "st.param");
            if (parameter && !is_number_parameter(t, &s->operands[n]))
                return;
            for (size_t v = n + 1; v < s->count; v++)
                check_all(t, &s->operands[v], bytes, parameter ? UNDEFINED_PARAMETER : UNDEFINED_VALUE);
            return;
        }
}

/* Writes the checks of the statement. */
static void check(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    const char *base = t->b->opcode.token[0];

    if (!strcmp(base, "bra")) {
        struct ptx_operand guard = of_register(s->guard);

        if (s->guard != PTX_NO_REGISTER)
            check_any(t, &guard, UNDEFINED_CONDITION);
        return;
    }
    t->guarded = true;
    if (!strcmp(base, "brx"))
        check_any(t, &s->operands[0], UNDEFINED_CONDITION);
    for (size_t n = 0; !strcmp(base, "call") && n < s->count; n++)
        check_any(t, &s->operands[n], UNDEFINED_TARGET);
    for (size_t n = 0; n < s->count && !strstr(s->opcode, "prefetch") && strcmp(base, "discard"); n++)
        if (s->operands[n].kind == PTX_OPERAND_ADDRESS)
            check_any(t, &s->operands[n].elements[0], UNDEFINED_ADDRESS);
    check_values(t);
    t->guarded = false;
}

/* ---- the second list ---- */

static void write_statements(struct tracker *t)
{
    struct builder *b = t->b;

    for (size_t r = 0; r <= t->x->register_count; r++) {
        t->shadow[r] = t->undefined[r] ? new_register(t, shadow_type(t, (uint32_t)r)) : PTX_NO_REGISTER;
        if (t->undefined[r]) {
            bool live = r < t->x->register_count && b->live_at_entry[r / 64] >> (r % 64) & 1;

            set_shadow(t, (uint32_t)r, of_number(live ? ~0ull : 0));
        }
    }
    for (size_t n = 0; n < t->x->statement_count; n++) {
        t->at = &t->x->statements[n];
        if (t->at->kind == PTX_INSTRUCTION) {
            b->statement = t->at;
            split_opcode(b);
            look_at(t, n);
            check(t);
            track(t);
        }
        append(t, t->at, false);
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
    if (!find_unset(&t))
        return NULL;
    spread(&t);
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
    *added = t.added;
    return copy;
}
