/*
 * root.h - finds the toolkit's folder.
 */
#ifndef VERIFY_ROOT_H
#define VERIFY_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * Writes the folder of the running program to build[size], and the toolkit's, the nearest above it that has
 * problems/problem.h, to root[size].
 */
bool root_find(char *build, char *root, size_t size, struct error *error);

#endif
