/*
 * program_uses.c - writes the checks of uses of undefined bits, for program_undefined.c.
 *
 * "@undefined" statements report branches, addresses and stored values that depend on undefined bits. A stored value is
 * reported if all its bits are undefined, for structures are copied with members that nobody set. In a kernel with a
 * map of shared memory, a store there is no use: its shadows go to the map.
 */
#include "tracker.h"

#include "contrib/cudasim/base/operation.h"

static void report_where(struct tracker *t, struct ptx_operand p, enum undefined_use use)
{
    tracker_put(t, "@undefined", 3, (struct ptx_operand[]){p, of_number(use), of_number(t->from_shared)});
    t->checks = true;
}

/* Reports the use of register operand `x` if a bit of it is undefined. It then counts as defined. */
static void check_any(struct tracker *t, const struct ptx_operand *x, enum undefined_use use)
{
    enum ptx_type type;
    struct ptx_operand p;

    if (x->kind != PTX_OPERAND_REGISTER || !tracker_is_undefined(t, x))
        return;
    type = tracker_type(t, (uint32_t)x->reg);
    p = of_register(t->shadow[x->reg]);
    report_where(t, type == PTX_PRED ? p : tracker_combined(t, "setp.ne", type, p, of_number(0)), use);
    tracker_set(t, (uint32_t)x->reg, of_number(0));
}

/* Reports a stored value of `bytes`, or a vector of such, if all bits of it are undefined. */
static void check_all(struct tracker *t, const struct ptx_operand *x, unsigned bytes, enum undefined_use use)
{
    bool vector = x->kind == PTX_OPERAND_VECTOR;
    size_t count = vector ? x->count : 1;
    struct ptx_operand all = {0};

    for (size_t n = 0; n < count; n++)
        if (!tracker_is_undefined(t, vector ? &x->elements[n] : x))
            return;
    for (size_t n = 0; n < count; n++) {
        int reg = vector ? x->elements[n].reg : x->reg;
        enum ptx_type type = tracker_type(t, (uint32_t)reg);
        struct ptx_operand mask = of_number(bytes < 8 ? (1ull << 8 * bytes) - 1 : ~0ull);
        struct ptx_operand p = of_register(t->shadow[reg]);

        if (type == PTX_PRED)
            return;
        p = tracker_combined(t, "setp.eq", type, tracker_combined(t, "and", type, p, mask), mask);
        all = n ? tracker_combined(t, "and", PTX_PRED, all, p) : p;
    }
    report_where(t, all, use);
    for (size_t n = 0; n < count; n++)
        tracker_set(t, (uint32_t)(vector ? x->elements[n].reg : x->reg), of_number(0));
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
                !tracker_is_undefined(t, &s->operands[1]))
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

/* Writes to the map what a statement stores to shared memory. False: the statement is no store to it. */
static bool shade_store(struct tracker *t)
{
    const struct ptx_statement *s = t->at;
    unsigned bytes = ptx_type_size(type_token(t->b, 0));
    struct ptx_operand defined = of_number(0);

    if (shade_is_shared(s, "st.")) {
        struct ptx_operand shadow = tracker_shadow(t, &s->operands[1], false);

        tracker_put(t, "@shade.store", 3, (struct ptx_operand[]){shadow, s->operands[0], of_number(bytes)});
        return true;
    }
    if (starts(s->opcode, "cp.async") && s->count > 2 && s->operands[2].kind == PTX_OPERAND_INTEGER)
        for (unsigned n = 0; n < s->operands[2].value; n += 4) {
            struct ptx_operand at = s->operands[0];

            at.offset += n;
            tracker_put(t, "@shade.store", 3, (struct ptx_operand[]){defined, at, of_number(4)});
        }
    for (size_t n = 0; n < s->count && n < 2 && (starts(s->opcode, "st") || starts(s->opcode, "atom") ||
                                                 starts(s->opcode, "red.")); n++)
        if (s->operands[n].kind == PTX_OPERAND_ADDRESS && !strstr(s->opcode, ".global") && bytes && bytes <= 8 &&
            !strstr(s->opcode, ".param") && !strstr(s->opcode, ".local"))
            tracker_put(t, "@shade.store", 3, (struct ptx_operand[]){defined, s->operands[n], of_number(bytes)});
    return false;
}

/* Writes the checks of the statement. */
void tracker_check(struct tracker *t)
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
    if (!t->shades || !shade_store(t))
        check_values(t);
    t->guarded = false;
}
