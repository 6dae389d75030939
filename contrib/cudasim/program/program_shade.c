/*
 * program_shade.c - shared memory in the check of undefined registers: program_undefined.c.
 *
 * Values without meaning may pass through shared memory without harm. A tile that is not full is stored in full, and
 * loaded in full; only its valid part goes on. A merge loads one element past its end, and ignores it. So the tracker
 * lets undefined bits go to shared memory and come back. Two kinds of loads give undefined bits:
 *
 *   SHADE_MAP     all loads of a kernel that stores undefined registers there. Beside shared memory lies a map of the
 *                 same size: "@shade.store" writes the shadows of stored values to it, "@shade.load" reads them
 *   SHADE_DOUBT   loads whose value is only selected by selp, or compared where another condition may overrule the
 *                 comparison. Bits that nothing wrote are undefined. Such a load is not reported itself
 */
#include "tracker.h"

bool shade_is_shared(const struct ptx_statement *s, const char *base)
{
    return s->kind == PTX_INSTRUCTION && starts(s->opcode, base) && strstr(s->opcode, ".shared") &&
           !strstr(s->opcode, "::cluster") && s->count >= 2 && !strstr(s->opcode, "128");
}

/* ---- whether the map can be kept ---- */

#define CALLS 8 /* inside of calls that are followed */

/* Whether the statement writes to shared memory in a way that is not followed, or may do so in a function. */
static bool is_strange(const struct ptx_statement *s, bool inside)
{
    static const char *const list[] = {"stmatrix", "wmma.store", "cp.async.bulk", "cp.reduce", "st.async", "red.async",
                                       "mapa", "multimem"};

    if (inside && (starts(s->opcode, "st.") || starts(s->opcode, "atom") || starts(s->opcode, "red.") ||
                   starts(s->opcode, "cp.async")))
        return !strstr(s->opcode, ".param") && !strstr(s->opcode, ".local") && !strstr(s->opcode, ".global");
    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (starts(s->opcode, list[n]))
            return true;
    return false;
}

/* Whether function `x`, or one that it calls, writes to shared memory where the map cannot follow. */
static bool strays(struct builder *b, const struct ptx_function *x, unsigned depth)
{
    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_statement *s = &x->statements[n];
        bool named = false;

        if (s->kind != PTX_INSTRUCTION)
            continue;
        if (is_strange(s, depth > 0))
            return true;
        for (size_t o = 0; starts(s->opcode, "call") && o < s->count; o++) {
            const struct global_name *g =
                s->operands[o].kind == PTX_OPERAND_NAME ? global_name(b, s->operands[o].name) : NULL;

            named |= s->operands[o].kind == PTX_OPERAND_NAME;
            if (g && g->is_function && (depth == CALLS || strays(b, &b->ptx->functions[g->index], depth + 1)))
                return true;
        }
        if (starts(s->opcode, "call") && !named)
            return true;
    }
    return false;
}

bool shade_may_map(struct builder *b, const struct ptx_function *x) { return x->entry && !strays(b, x, 0); }

/* ---- loads whose value may not matter ---- */

/* Which statements use a register: list[first[r] .. first[r + 1]). */
struct search {
    const struct builder *b;
    const struct ptx_function *x;
    uint32_t *first, *list;
    uint32_t *defs; /* how many instructions set it */
};

/* Counts `defs`, and the uses of each register in first[r + 1]. If `list` is there, fills it. */
static void note_uses(struct search *s)
{
    const struct builder *b = s->b;

    for (uint32_t n = 0; n < s->x->statement_count; n++)
        for (uint32_t m = b->statement_first[n]; m < b->statement_first[n + 1]; m++) {
            const struct ins_facts *f = &b->facts[m];

            for (uint32_t v = 0; v < f->defs + f->uses; v++) {
                uint32_t reg = b->vregs[f->first_def + v];

                if (reg >= s->x->register_count)
                    continue;
                if (v < f->defs)
                    s->defs[reg] += !s->list;
                else if (s->list)
                    s->list[s->first[reg]++] = n;
                else
                    s->first[reg + 1]++;
            }
        }
}

static void find_uses(struct builder *b, struct search *s)
{
    uint32_t *ends = build_scratch(b, s->x->register_count + 2, sizeof *ends);

    s->first = ends;
    s->defs = build_scratch(b, s->x->register_count + 1, sizeof *s->defs);
    note_uses(s);
    for (size_t r = 0; r < s->x->register_count; r++)
        ends[r + 1] += ends[r];
    s->list = build_scratch(b, ends[s->x->register_count] + 1, sizeof *s->list);
    note_uses(s);
    memmove(ends + 1, ends, s->x->register_count * sizeof *ends); /* filling moved each start to the next one */
    ends[0] = 0;
}

#define FOLLOWED 4 /* moves and comparisons, one behind the other */

/* Whether nothing uses register `reg` but what another operand may overrule. */
static bool is_spared(const struct search *s, int reg, unsigned depth)
{
    if (reg < 0 || depth == 0)
        return reg < 0;
    for (uint32_t u = s->first[reg]; u < s->first[reg + 1]; u++) {
        const struct ptx_statement *x = &s->x->statements[s->list[u]];

        if (x->kind != PTX_INSTRUCTION || x->guard == reg)
            return false;
        if (starts(x->opcode, "selp.") && x->count == 4 && x->operands[3].kind == PTX_OPERAND_REGISTER &&
            x->operands[3].reg == reg && s->defs[reg] < 2)
            return false; /* a condition, with no other value behind another branch */
        if (starts(x->opcode, "selp.") || !strcmp(x->opcode, "and.pred") || !strcmp(x->opcode, "or.pred"))
            continue;
        if (starts(x->opcode, "setp.") && x->count > 3)
            continue;
        if (!starts(x->opcode, "setp.") && !starts(x->opcode, "mov.") && strcmp(x->opcode, "not.pred"))
            return false;
        if (x->operands[0].kind != PTX_OPERAND_REGISTER || !is_spared(s, x->operands[0].reg, depth - 1) ||
            !is_spared(s, x->operands[0].second, depth - 1))
            return false;
    }
    return true;
}

/* Whether statement `n` loads from shared memory, and its first build did not find that selp alone uses the value. */
static bool is_asked(const struct builder *b, const struct ptx_function *x, size_t n)
{
    const struct ptx_statement *s = &x->statements[n];

    if (!shade_is_shared(s, "ld.") || strstr(s->opcode, ".volatile"))
        return false;
    for (uint32_t m = b->statement_first[n]; m < b->statement_first[n + 1]; m++)
        if (b->code[m].selected)
            return false;
    return true;
}

bool shade_find_doubts(struct builder *b, const struct ptx_function *x, uint8_t *loads)
{
    struct search s = {b, x, NULL, NULL, NULL};
    bool any = false;

    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_operand *d = x->statements[n].operands;
        bool spared = is_asked(b, x, n), vector = spared && d->kind == PTX_OPERAND_VECTOR;

        if (spared && !s.first)
            find_uses(b, &s);
        for (size_t e = 0; spared && e < (vector ? d->count : 1); e++) {
            const struct ptx_operand *to = vector ? &d->elements[e] : d;

            spared = to->kind != PTX_OPERAND_REGISTER || is_spared(&s, to->reg, FOLLOWED);
        }
        if (spared)
            loads[n] = SHADE_DOUBT;
        any |= spared;
    }
    return any;
}

/* ---- the instructions ---- */

/* @shade.load d, [a], bytes of an element, doubt; @shade.store s, [a], bytes. d and s are shadows, one or a vector. */
bool lower_shade(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const struct ptx_operand *data = s->operands;
    bool load = !strcmp(s->opcode, "@shade.load"), vector;
    unsigned count, width = 2;
    struct address a;
    slot *list;
    struct ins *i;

    if (!starts(s->opcode, "@shade."))
        return false;
    vector = data->kind == PTX_OPERAND_VECTOR;
    count = vector ? (unsigned)data->count : 1;
    list = slot_list(b, count);
    for (unsigned n = 0; n < count; n++) {
        unsigned bytes = operand_bytes(b, vector ? &data->elements[n] : data);

        width = bytes > width ? bytes : width;
    }
    if (width < s->operands[2].value)
        width = (unsigned)s->operands[2].value;
    for (unsigned n = 0; n < count; n++) {
        const struct ptx_operand *x = vector ? &data->elements[n] : data;

        if (load && x->kind == PTX_OPERAND_SINK)
            list[n] = (slot)temporary(b, width) << 1;
        else
            list[n] = load ? define_operand(b, x, letter_of(width)) : use_operand(b, x, letter_of(width));
    }
    a = lower_address(b, &s->operands[1]);
    i = emit(b, s->opcode);
    i->size = (uint8_t)s->operands[2].value;
    i->width = (uint8_t)width;
    i->count = (uint8_t)count;
    i->extra = list;
    i->op = s->count > 3 ? (uint8_t)s->operands[3].value : 0;
    for (unsigned n = 0; load && n < count; n++)
        define_vreg(b, list[n]);
    set_address(b, i, a);
    for (unsigned n = 0; !load && n < count; n++)
        use_vreg(b, list[n]);
    return true;
}
