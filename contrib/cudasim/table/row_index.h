/*
 * row_index.h - finds the row of an instruction by its name. Each device makes one index. The program builder reads it.
 */
#ifndef CUDASIM_ROW_INDEX_H
#define CUDASIM_ROW_INDEX_H

#include "contrib/cudasim/machine/ins.h"

struct row_index;

/* All names of the table, to be freed; NULL: out of memory. */
struct row_index *row_index_create(const struct table *table);
void row_index_free(struct row_index *index);

/* The row that has the name, without the modifiers that it allows; NULL: none. Only one thread at a time may ask. */
const struct row *row_find(struct row_index *index, const char *name);

#endif
