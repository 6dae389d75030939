/*
 * tracker.h - a function's second list of statements, which keeps track of undefined bits, as it is written.
 *
 * program_undefined.c writes the list, program_uses.c the checks in it, both by program_tracker.c.
 */
#ifndef TRACKER_H
#define TRACKER_H

#include <string.h>

#include "builder.h"

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
    uint8_t *loads;                   /* [statement_count of x] enum shade */
    bool from_shared;                 /* some load is tracked; */
    bool shades;                      /* all of them are, and stores: there is a map of shared memory */
    struct ptx_register *registers;   /* [register_count] those of `x`, shadows, temporary ones */
    size_t register_count, register_capacity;
    struct ptx_statement *statements; /* [statement_count] */
    bool *added;                      /* [statement_count] not one of the function's own */
    size_t statement_count, statement_capacity;
};

static inline bool starts(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static inline struct ptx_operand of_register(int reg)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = reg, .second = PTX_NO_REGISTER};
}

static inline struct ptx_operand of_number(uint64_t value)
{
    return (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .value = value, .second = PTX_NO_REGISTER};
}

/* The type of the register's shadow: its bits, or PTX_NONE if it can have none. */
enum ptx_type tracker_type(const struct tracker *t, uint32_t reg);

/* Whether the register, or an element of the vector, may be undefined. */
bool tracker_is_undefined(const struct tracker *t, const struct ptx_operand *x);

/* The operand's shadow: zero for a defined one, nothing for a defined destination. */
struct ptx_operand tracker_shadow(struct tracker *t, const struct ptx_operand *x, bool destination);

/* A new statement at the place of t->at. */
void tracker_put(struct tracker *t, const char *opcode, size_t count, const struct ptx_operand *operands);

/* Computes `base` of a and b into a new register of the type. */
struct ptx_operand tracker_combined(struct tracker *t, const char *base, enum ptx_type type, struct ptx_operand a,
                                    struct ptx_operand b);
void tracker_set(struct tracker *t, uint32_t reg, struct ptx_operand value); /* the register's shadow */

/* "and" and PTX_B32: "and.b32". */
void tracker_put_typed(struct tracker *t, const char *base, enum ptx_type type, size_t count,
                       const struct ptx_operand *operands);
const char *tracker_suffix(enum ptx_type type);              /* "b32" */
int tracker_register(struct tracker *t, enum ptx_type type); /* a new one */
void tracker_append(struct tracker *t, const struct ptx_statement *s, bool added);

/* Writes the checks of t->at: program_uses.c. */
void tracker_check(struct tracker *t);

#endif
