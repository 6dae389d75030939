/*
 * feature_sass.h - a kernel's machine code as blocks and loops, how often each was executed, and what that costs.
 *
 * The simulator executes PTX. ptxas says of which line of it each machine instruction was made (feature_ptxas.h). So
 * how often a block of machine code was executed follows from the lines of its accesses and jumps, which ptxas neither
 * moves out of loops nor makes up.
 */
#ifndef CUDASIM_FEATURE_SASS_H
#define CUDASIM_FEATURE_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feature_cost.h"
#include "feature_turns.h"

struct machine_function;

/* A loop of the PTX. Lines are of its text. */
struct text_loop {
    uint32_t first;            /* its first instruction */
    int outer;                 /* the loop around it, or NO_LOOP */
    uint32_t from[6];          /* lines of instructions that lead into it from outside; 0: no more */
    double rounds, entries;    /* of warps */
    double left;               /* the share of its rounds that no loop of the machine code has */
};

/* A loop of machine code. */
struct code_turn {
    const struct turn *shape;
    int text;                  /* the loop of the PTX that it is made of, or NO_LOOP */
    unsigned rounds;           /* of that loop that became one */
    double count, entries;     /* rounds of its own, and how often it is entered, by warps */
};

struct code_block {
    uint32_t first, end;       /* code[first .. end) */
    int turn;                  /* the innermost loop, or NO_LOOP */
    bool follows;              /* it is only reached from the block before it */
    bool apart;                /* only warps whose lanes are not together execute it: none is taken to */
    uint32_t called;           /* where the function begins that the code calls and that it is part of; 0: none */
    double count;              /* warps that executed it */
};

struct code_function {
    struct code_block *blocks; /* [block_count] */
    size_t block_count;
    uint32_t *block_of;        /* [code] */
    struct flow flow;          /* of the blocks */
    struct turn *shapes;       /* [turn_count] outer ones first */
    struct code_turn *turns;   /* [turn_count] */
    size_t turn_count;
    int *turn_of;              /* [code] innermost loop of each instruction */
    uint32_t *copies;          /* [code] how often its operation is there for its line, in the same loop */
    float *likely;             /* [code] how likely a guarded access is carried out where its block is executed */
    bool kernel;
};

struct sass {
    struct machine_function *code;   /* [count] */
    struct code_function *functions; /* [count] the same ones as blocks */
    size_t count;
    struct text_loop *loops;         /* [loop_count] by function, outer ones before their inner ones */
    size_t loop_count;
    int *loop_of;                    /* [lines] the innermost loop of each line of the PTX */
    bool *jumps;                     /* [lines] whether a jump stands there */
    size_t lines;
};

/* NULL: there is no ptxas, it does not compile the text, or there is no memory. `text` is the PTX of `program`. */
struct sass *sass_create(const struct program *program, const char *text, size_t size, const char *kernel);
void sass_free(struct sass *sass);

/* The operation of code[n], without the forms of its operands: operation_base(). */
unsigned sass_base(const struct machine_function *function, size_t n);

/* Whether ptxas does not move code[n] to where it is executed more or less often: an access, a jump, a call. */
bool sass_stays(const struct sass *sass, const struct machine_function *function, size_t n);

/* Whether code[n] calls code that stands behind the function's own, at code[*to]. */
bool sass_calls(const struct machine_function *function, size_t n, size_t *to);

/* Whether a loop of the PTX is the loop `of`, or in it. */
bool sass_is_inside(const struct sass *sass, int loop, int of);

/* Finds how often each block was executed. executed[sass->lines]: warps, by the lines of the PTX. */
void sass_count(struct sass *sass, const double *executed, double warps);

/* Adds issue slots, and the clocks of the pipes for arithmetic; to `once` each executed instruction's slot once. */
void sass_costs(const struct sass *sass, struct cost *sum, struct cost *once);

/* Adds to accesses[sass->lines] how often accesses of each line were carried out. */
void sass_accesses(const struct sass *sass, double *accesses);

/* The loads of a line, of warps whose path is known. */
struct sass_loads {
    double count;              /* from global memory */
    double found, coming;      /* of these, that L1 had all of; that this warp itself asked for just before */
    bool walked;               /* one of these warps executed the line */
};

/* Adds the path of the mean warp. loads[sass->lines], by the lines of the PTX. */
void sass_walk(const struct sass *sass, const struct sass_loads *loads, double warps, struct walk *sum);

/* What an operation is: its number without the bits for the forms of its operands. */
static inline unsigned operation_base(unsigned operation) { return operation & 0x1FF; }

enum { BASE_BRA = 0x147, BASE_BRX = 0x149, BASE_JMP = 0x14A, BASE_JMX = 0x14C, BASE_RET = 0x150, BASE_EXIT = 0x14D,
       BASE_CALL = 0x143, BASE_CALL_RELATIVE = 0x144, BASE_BSSY = 0x145, BASE_BAR = 0x11D, BASE_NOP = 0x118 };

/* Whether it loads, stores, changes or moves data between lanes; constants do not count. */
bool operation_is_access(unsigned base);

#endif
