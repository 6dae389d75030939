/*
 * What the parts of the independent expectations share: the name of a form taken apart. Private to expected*.c.
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include "forms.h"

enum { OP_WORDS = 20 };

struct op {
    const struct form *form;
    char text[128];                 /* the name, cut into the words below */
    const char *word[OP_WORDS];     /* opcode and modifiers, without dots */
    unsigned words;
    const char *tag;                /* after '@', or "" */
    const char *type[OP_WORDS];     /* those words which are types */
    unsigned types;
};

/* One tuple: a[nin] operands, d[nout] results. Returns whether there is an expectation. */
typedef int (*expect_fn)(const struct op *op, const u64 *a, u64 *d);
/* All tuples of a form, with columns as in struct form. Returns whether there are expectations (known[] is then 1s). */
typedef int (*expect_all_fn)(const struct op *op, const u64 *in, u64 *out, unsigned char *known);

struct expectation {
    const char *name;   /* opcode */
    expect_fn fn;       /* by tuple, or NULL */
    expect_all_fn all;  /* by warp, or NULL */
};

extern const struct expectation expect_integer[], expect_float[], expect_warp[];

int op_has(const struct op *op, const char *word);
/* The last type of the name, or "" */
const char *op_type(const struct op *op);

int same(const char *a, const char *b);
int type_is_float(const char *type);
int type_is_signed(const char *type);
unsigned type_bits(const char *type);       /* of the value: 8 for u8 */
unsigned type_lanes(const char *type);      /* 2 for the x2 types */
u64 mask_bits(unsigned bits);

/* Value of an integer type, sign- or zero-extended. */
__int128 int_value(const char *type, u64 bits);
/* +, - and * and comparisons on one element of type `type`; d of the same type. Used by atomics and reductions too. */
u64 element_op(const char *name, const char *type, u64 a, u64 b);
/* Rounds x to the float type under rounding "rn", "rz", "rm", "rp" or "rna"; NaN gives the canonical one. */
u64 float_round(const char *type, const char *rounding, double x);
double float_value(const char *type, u64 bits);
int compare_holds(const char *comparison, const char *type, u64 a, u64 b, int ftz);

#endif
