/*
 * feature_code.h - properties of a kernel's PTX before it runs: how its instructions depend on each other, its loops,
 * and on what they depend. It knows the grammar of PTX and which operand is written. It does not know the machine.
 */
#ifndef CUDASIM_FEATURE_CODE_H
#define CUDASIM_FEATURE_CODE_H

#include "contrib/cudasim/ptx/ptx.h"

/* What a value may depend on, besides constants of the code. A set of bits. */
enum depends {
    DEPENDS_SIZE = 1,     /* parameters, constant memory, the launch's configuration, the thread's place in it */
    DEPENDS_DATA = 2,     /* what was read from global memory */
    DEPENDS_CHANGING = 4, /* what other blocks may change meanwhile: volatile, relaxed, acquire loads, atomics */
    DEPENDS_CLOCK = 8     /* a clock or a timer */
};

struct costs;
struct sass;

struct features_loop {
    unsigned line;        /* of the PTX text: the branch that ends it; of several, the one that depends on most */
    const struct ptx_statement *exit; /* that branch; NULL: none, a loop without end */
    unsigned depends;     /* enum depends: of the branches that end it */
    unsigned depth;       /* from 1: of loops around each other, itself among them */
};

struct features_code {
    size_t instructions;  /* of the listing: all but returns */
    double dpc;           /* data dependence degree, 0 to 1; see features_dependence() */
    unsigned complexity;  /* the deepest nest of loops whose number of rounds is not a constant of the code */
    bool regular;         /* no loop depends on data */
    bool waits;           /* a loop depends on what other blocks may change */
    bool clocked;         /* a loop ends by a clock */
    bool data_branches;   /* a branch, or the guard of another instruction, depends on data */
    bool data_addresses;  /* an address depends on data */
    bool told, told_irregular; /* for the caller: it has printed this before */
    bool tuned;           /* for the caller: it has tried other block sizes */
    bool launched;        /* for the caller: a launch of it was described before */
    struct costs *costs;  /* for the caller: of the kernel's program */
    struct sass *sass;    /* for the caller: of its machine code; NULL: none, or it was not looked for yet */
    bool looked;          /* for the caller: it was */
    struct features_loop *loops; /* [loop_count] of the kernel and of what it calls, in no order */
    size_t loop_count;
};

/* Fills *code. False without memory. To be released with features_code_release(). */
bool features_code_read(const struct ptx_module *module, const struct ptx_function *kernel, struct features_code *code);
void features_code_release(struct features_code *code);

/*
 * distance[i]: for instruction i of the function's listing, U[i] - i, where U[i] is the first later instruction that
 * reads what i wrote; 0 where none does. Labels and returns are not part of the listing. Returns the number of
 * instructions; `distance` has room for function->statement_count, or is NULL. SIZE_MAX without memory. The degree is
 * the mean of 1 / distance, with 0 for 0.
 */
size_t features_dependence(const struct ptx_function *function, unsigned *distance);

#endif
