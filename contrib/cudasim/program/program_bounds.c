/*
 * program_bounds.c - finds the variable of shared memory that an access is meant for: the variable from which its
 * address was computed.
 *
 * It follows an address from the name of a variable through moves and sums to the register of an access. An address
 * belongs to no variable if it comes from two variables, or from one and another value that may be an address as well.
 */
#include <string.h>

#include "builder.h"

/* What is known of a register: numbers of places, plus 1, or one of these. */
#define UNSET 0u            /* nothing was seen yet */
#define MIXED_BASES UINT32_MAX
#define NO_BASE (UINT32_MAX - 1)

uint32_t shared_place(struct builder *b, const char *name)
{
    const struct name_entry *local = local_name(b, name);
    const struct global_name *global = local ? NULL : global_name(b, name);
    const struct ptx_function *x = b->ptx_function;
    size_t place = b->function->first_place;

    if (global)
        return !global->is_function && b->program->places[global->index].variable->space == PTX_SHARED
                   ? global->index + 1 : 0;
    if (!local || local->kind != NAME_LOCAL || x->locals[local->value].space != PTX_SHARED)
        return 0;
    for (size_t n = 0; n < local->value; n++)
        place += x->locals[n].space == PTX_SHARED;
    return (uint32_t)place + 1;
}

/* Combines two sources of one value. An address and a number give an address. */
static uint32_t joined(uint32_t a, uint32_t b)
{
    if (a == UNSET || a == NO_BASE)
        return b == UNSET ? a : b;
    if (b == UNSET || b == NO_BASE || a == b)
        return a;
    return MIXED_BASES;
}

/* Combines two values that one register may have. Both must come from the same variable. */
static uint32_t met(uint32_t a, uint32_t b)
{
    return a == UNSET ? b : b == UNSET || a == b ? a : MIXED_BASES;
}

static uint32_t base_of(struct builder *b, const uint32_t *bases, const struct ptx_operand *x)
{
    uint32_t base = NO_BASE;

    if (x->kind == PTX_OPERAND_REGISTER)
        return bases[x->reg];
    if (x->kind == PTX_OPERAND_NAME && x->name) {
        uint32_t place = shared_place(b, x->name);

        return place ? place : NO_BASE;
    }
    if (x->kind == PTX_OPERAND_VECTOR)
        for (size_t n = 0; n < x->count; n++)
            base = joined(base, base_of(b, bases, &x->elements[n]));
    return base;
}

static bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The variable from which the instruction's results come. */
static uint32_t result_of(struct builder *b, const uint32_t *bases, const struct ptx_statement *s)
{
    static const char *const carries[] = {"mov", "add", "sub", "cvta", "cvt", "and", "or.", "mad", "shl", "selp",
                                          "min", "max", "lea", "bfi", "vadd"};
    uint32_t base = NO_BASE;
    bool known = false;

    for (size_t n = 0; n < sizeof carries / sizeof *carries; n++)
        known |= starts(s->opcode, carries[n]);
    for (size_t n = 1; n < s->count; n++) {
        uint32_t source = base_of(b, bases, &s->operands[n]);

        if (source != UNSET && source != NO_BASE && (!known || (n > 1 && starts(s->opcode, "sub"))))
            source = s->operands[n].kind == PTX_OPERAND_ADDRESS ? NO_BASE : MIXED_BASES;
        base = joined(base, source);
    }
    for (size_t n = 1; known && n < s->count; n++) /* as long as one source is open, so is the result */
        if (s->operands[n].kind == PTX_OPERAND_REGISTER && bases[s->operands[n].reg] == UNSET && base == NO_BASE)
            return UNSET;
    return base;
}

static bool set_base(uint32_t *bases, const struct ptx_operand *x, uint32_t base)
{
    bool changed = false;

    if (x->kind == PTX_OPERAND_REGISTER) {
        uint32_t both = met(bases[x->reg], base);

        changed = both != bases[x->reg];
        bases[x->reg] = both;
    }
    for (size_t n = 0; x->kind == PTX_OPERAND_VECTOR && n < x->count; n++)
        changed |= set_base(bases, &x->elements[n], base);
    return changed;
}

void find_bases(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;
    bool changed = true;

    b->bases = build_scratch(b, x->register_count + 1, sizeof *b->bases);
    while (changed) {
        changed = false;
        for (size_t n = 0; n < x->statement_count; n++) {
            const struct ptx_statement *s = &x->statements[n];

            if (s->kind == PTX_INSTRUCTION && s->count > 1)
                changed |= set_base(b->bases, &s->operands[0], result_of(b, b->bases, s));
        }
    }
}

void set_bounds_of(struct builder *b, struct ins *i, const struct ptx_operand *base)
{
    uint32_t place = base_of(b, b->bases, base);
    const struct place *p;
    uint64_t low;

    if (place == UNSET || place == NO_BASE || place == MIXED_BASES)
        return;
    p = &b->program->places[place - 1];
    low = p->address;
    i->bound_place = place;
    i->bound_low = (uint32_t)low;
    i->bound_high = p->variable->unbounded || !p->variable->size ? UINT32_MAX : (uint32_t)(low + p->variable->size);
}
