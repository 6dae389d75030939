/*
 * feature_ptxas.h - a kernel's machine code as ptxas makes it, each instruction with the line of the PTX that it came
 * from.
 */
#ifndef CUDASIM_FEATURE_PTXAS_H
#define CUDASIM_FEATURE_PTXAS_H

#include <stdbool.h>
#include <stddef.h>

struct machine_function;
struct program;

/*
 * The kernel and the functions that it calls, to be freed with machine_functions_free(). `text`: the PTX of `program`.
 * False: there is no ptxas ($PATH, /usr/local/cuda/bin), or it does not compile the text.
 */
bool ptxas_functions(const char *text, size_t size, const struct program *program, const char *kernel,
                     struct machine_function **functions, size_t *count);

#endif
