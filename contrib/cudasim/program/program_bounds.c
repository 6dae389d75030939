/*
 * program_bounds.c - finds the variable of shared or local memory that an access is meant for: the variable from which
 * its address was computed.
 *
 * It follows an address from the name of a variable through moves and sums to the register of an access. An address
 * belongs to no variable if it comes from two variables, or from one and another value that may be an address as well.
 *
 * nvcc puts all local variables of a function into one, __local_depot0. It computes the address of each that is not
 * read and written by fixed addresses alone: "add.u64 %rd1, %SPL, 32". So a local variable ends, at the latest, where
 * the next one begins whose address is computed in the function. What is before it in the depot and has no such address
 * only makes it seem longer.
 */
#include <stdlib.h>
#include <string.h>

#include "builder.h"

/* What is known of a register: numbers of places, plus 1, or one of these. */
#define UNSET 0u            /* nothing was seen yet */
#define MIXED_BASES UINT32_MAX
#define NO_BASE (UINT32_MAX - 1)
#define DEPOT (UINT32_MAX - 2) /* the start of all local variables */
#define LOCAL_BASE 0x80000000u /* a local variable: this bit, and its offset in the depot */
#define LOCAL_MOST 0x40000000u /* the greatest depot that is looked at, in bytes */

static bool is_local(uint32_t base)
{
    return base >= LOCAL_BASE && base < LOCAL_BASE + LOCAL_MOST;
}

/* The variable that holds all local ones of a function, or NULL. */
static const struct ptx_variable *depot_named(struct builder *b, const char *name)
{
    const struct name_entry *local = strncmp(name, "__local_depot", 13) ? NULL : local_name(b, name);
    const struct ptx_variable *v = local && local->kind == NAME_LOCAL ? &b->ptx_function->locals[local->value] : NULL;

    return v && v->space == PTX_LOCAL && v->size < LOCAL_MOST ? v : NULL;
}

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

        return place ? place : depot_named(b, x->name) ? DEPOT : NO_BASE;
    }
    if (x->kind == PTX_OPERAND_VECTOR)
        for (size_t n = 0; n < x->count; n++)
            base = joined(base, base_of(b, bases, &x->elements[n]));
    return base;
}

static bool starts(const char *text, const char *word)
{
    return text[0] == word[0] && strncmp(text, word, strlen(word)) == 0;
}

/* The local variable whose address the instruction computes of the depot's, or UNSET. */
static uint32_t local_start(struct builder *b, const uint32_t *bases, const struct ptx_statement *s)
{
    if (!starts(s->opcode, "add.") || s->count != 3 || s->operands[2].kind != PTX_OPERAND_INTEGER ||
        base_of(b, bases, &s->operands[1]) != DEPOT)
        return UNSET;
    return s->operands[2].value < LOCAL_MOST ? LOCAL_BASE | (uint32_t)s->operands[2].value : MIXED_BASES;
}

/* The variable from which the instruction's results come. */
static uint32_t result_of(struct builder *b, const uint32_t *bases, const struct ptx_statement *s)
{
    static const char *const carries[] = {"mov", "add", "sub", "cvta", "cvt", "and", "or.", "mad", "shl", "selp",
                                          "min", "max", "lea", "bfi", "vadd"};
    uint32_t base = local_start(b, bases, s);
    bool known = false;

    if (base != UNSET)
        return base;
    base = NO_BASE;
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

static int by_value(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* The offsets of local variables, in order, and behind them the depot's size. */
static void list_local_starts(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;
    size_t count = 0;

    b->local_starts = build_scratch(b, x->statement_count + 1, sizeof *b->local_starts);
    b->depot = PTX_NO_REGISTER;
    for (size_t n = 0; n < x->local_count; n++)
        if (depot_named(b, x->locals[n].name)) {
            b->depot = (int)n;
            b->local_starts[count++] = (uint32_t)x->locals[n].size;
        }
    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_statement *s = &x->statements[n];
        uint32_t start = s->kind == PTX_INSTRUCTION ? local_start(b, b->bases, s) : UNSET;

        if (is_local(start))
            b->local_starts[count++] = start - LOCAL_BASE;
    }
    qsort(b->local_starts, count, sizeof *b->local_starts, by_value);
    b->local_start_count = count;
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
    list_local_starts(b);
}

/* The bounds of the local variable at `offset` of the depot: up to the next one. */
static void set_local_bounds(struct builder *b, struct ins *i, uint32_t offset)
{
    uint32_t at = b->depot == PTX_NO_REGISTER ? 0 : b->local_offset[b->depot];

    for (size_t n = 0; n < b->local_start_count; n++)
        if (b->local_starts[n] > offset) {
            i->bound_local = true;
            i->bound_low = at + offset;
            i->bound_high = at + b->local_starts[n];
            return;
        }
}

void set_bounds_of(struct builder *b, struct ins *i, const struct ptx_operand *base)
{
    uint32_t place = base_of(b, b->bases, base);
    const struct place *p;
    uint64_t low;

    if (is_local(place) && i->space != PTX_SHARED)
        set_local_bounds(b, i, place - LOCAL_BASE);
    if (place == UNSET || place >= LOCAL_BASE || i->space == PTX_LOCAL)
        return;
    p = &b->program->places[place - 1];
    low = p->address;
    i->bound_place = place;
    i->bound_low = (uint32_t)low;
    i->bound_high = p->variable->unbounded || !p->variable->size ? UINT32_MAX : (uint32_t)(low + p->variable->size);
}
