/*
 * operators.h - every mutant of a source file that its syntax tree allows.
 */
#ifndef MUTATE_OPERATORS_H
#define MUTATE_OPERATORS_H

#include "mutant.h"

/*
 * Adds all mutants of a source, sorted. `arguments`, `count` of them, are what the compiler is given. Returns false if
 * libclang reads nothing of it; errors in what it reads lose the mutants of that expression alone.
 */
bool operators_find(struct mutants *mutants, const struct source *source, const char *const *arguments, int count);

#endif
