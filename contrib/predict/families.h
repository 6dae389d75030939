/* families.h - which public programs are one program: with other options, another type, or copied by another suite. */
#ifndef PREDICT_FAMILIES_H
#define PREDICT_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

/*
 * family[row]: the number of the row's family, from 0 in the order of first rows; name[row] is PROGRAM:KERNEL. Returns
 * how many families there are; 0 on error or without rows.
 *
 * Names say it: `altis-bfs` and `altis-bfs-uvm` are a family, since one is the other and more words. A first word may
 * be the suite's: so `rodinia-bfs` is of it too. Capitals do not matter. A family that is too large costs the model
 * rows; one that is too small would let it know a program that it is judged on.
 */
size_t families_find(const char *const *name, size_t rows, int *family, struct error *error);

#endif
