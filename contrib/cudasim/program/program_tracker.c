/*
 * program_tracker.c - the second list of a function's statements: adds statements to it, and shadows of registers.
 *
 * program_undefined.c and program_uses.c say which ones.
 */
#include <stdio.h>

#include "tracker.h"

/* The type of its shadow: the bits of the register, or PTX_NONE if it can have none. */
enum ptx_type tracker_type(const struct tracker *t, uint32_t reg)
{
    enum ptx_type type = reg < t->x->register_count ? t->x->registers[reg].type : PTX_PRED;
    unsigned size = ptx_type_size(type);

    if (type == PTX_PRED)
        return PTX_PRED;
    return size > 8 ? PTX_NONE : size == 8 ? PTX_B64 : size == 4 ? PTX_B32 : PTX_B16;
}

bool tracker_is_undefined(const struct tracker *t, const struct ptx_operand *x)
{
    if (x->kind == PTX_OPERAND_REGISTER)
        return t->undefined[x->reg];
    for (size_t n = 0; x->kind == PTX_OPERAND_VECTOR && n < x->count; n++)
        if (tracker_is_undefined(t, &x->elements[n]))
            return true;
    return false;
}

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

int tracker_register(struct tracker *t, enum ptx_type type)
{
    t->registers = grown(t->b, t->registers, t->register_count, &t->register_capacity, sizeof *t->registers);
    t->registers[t->register_count] = (struct ptx_register){"a shadow", type};
    return (int)t->register_count++;
}

void tracker_append(struct tracker *t, const struct ptx_statement *s, bool added)
{
    size_t capacity = t->statement_capacity;

    t->statements = grown(t->b, t->statements, t->statement_count, &t->statement_capacity, sizeof *t->statements);
    t->added = grown(t->b, t->added, t->statement_count, &capacity, sizeof *t->added);
    t->statements[t->statement_count] = *s;
    t->added[t->statement_count++] = added;
}

/* A new statement at the place of t->at. */
void tracker_put(struct tracker *t, const char *opcode, size_t count, const struct ptx_operand *operands)
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
    tracker_append(t, &s, true);
}

const char *tracker_suffix(enum ptx_type type)
{
    return type == PTX_PRED ? "pred" : type == PTX_B64 ? "b64" : type == PTX_B32 ? "b32" : "b16";
}

/* "and" and PTX_B32: "and.b32". */
void tracker_put_typed(struct tracker *t, const char *base, enum ptx_type type, size_t count,
                      const struct ptx_operand *operands)
{
    const char *suffix = tracker_suffix(type);
    size_t size = strlen(base) + strlen(suffix) + 2;
    char *opcode = build_scratch(t->b, size, 1);

    snprintf(opcode, size, "%s.%s", base, suffix);
    tracker_put(t, opcode, count, operands);
}

/* Computes `base` of a and b into a new register of the type. */
struct ptx_operand tracker_combined(struct tracker *t, const char *base, enum ptx_type type, struct ptx_operand a,
                                   struct ptx_operand b)
{
    bool compares = starts(base, "setp");
    struct ptx_operand d = of_register(tracker_register(t, compares ? PTX_PRED : type));

    tracker_put_typed(t, base, type, 3, (struct ptx_operand[]){d, a, b});
    return d;
}

void tracker_set(struct tracker *t, uint32_t reg, struct ptx_operand value)
{
    tracker_put_typed(t, "mov", tracker_type(t, reg), 2, (struct ptx_operand[]){of_register(t->shadow[reg]), value});
}

/* The operand's shadow: zero for a defined one, nothing for a defined destination. */
struct ptx_operand tracker_shadow(struct tracker *t, const struct ptx_operand *x, bool destination)
{
    struct ptx_operand vector = *x;

    if (x->kind == PTX_OPERAND_VECTOR) {
        vector.elements = build_scratch(t->b, x->count, sizeof *vector.elements);
        for (size_t n = 0; n < x->count; n++)
            vector.elements[n] = tracker_shadow(t, &x->elements[n], destination);
        return vector;
    }
    if (tracker_is_undefined(t, x))
        return of_register(t->shadow[x->reg]);
    return destination ? (struct ptx_operand){.kind = PTX_OPERAND_SINK, .second = PTX_NO_REGISTER} : of_number(0);
}
