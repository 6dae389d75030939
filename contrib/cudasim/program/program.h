/*
 * program.h - turns a parsed module into executable instructions. sim.c calls it.
 */
#ifndef CUDASIM_PROGRAM_H
#define CUDASIM_PROGRAM_H

#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/machine/ins.h"
#include "contrib/cudasim/table/row_index.h"

/* How a program is built. */
enum build_flag {
    BUILD_DEBUG = 1,    /* the module was compiled with -G */
    BUILD_UNDEFINED = 2 /* kernels report uses of registers that were never set */
};

/*
 * Gives the module's variables their places in `memory` and its functions their instructions, by the table's `rows`.
 * `flags` are of enum build_flag. The program owns `ptx` from then on. NULL with a message in *error, and `ptx` left to
 * the caller: the module uses what is not supported, or memory ran out.
 */
struct program *program_build(struct memory *memory, struct ptx_module *ptx, struct row_index *rows,
                              unsigned flags, struct ptx_error *error);

/* Frees the program, its module and the memory of its variables. NULL is allowed. */
void program_free(struct program *program);

/* The variable of that name, or NULL. */
const struct place *program_place(const struct program *program, const char *name);

#endif
