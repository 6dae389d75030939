/*
 * row_index.c - finds the row of an instruction by its name. sim.c makes the index. program/ uses it.
 */
#include "row_index.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/hash.h"

/* A name of a row. */
struct row_entry {
    const char *name; /* [length], ended by a space or NUL; NULL: a free place */
    uint32_t length;  /* bytes */
    const struct row *row;
};

/* Names of rows, hashed. */
struct row_index {
    size_t mask;                /* places less 1 */
    struct row_entry entries[]; /* [mask + 1], a power of two */
};

struct row_index *row_index_create(const struct table *table)
{
    struct row_index *index;
    size_t count = 0, places;

    for (const struct row *const *list = table->rows; *list; list++)
        for (const struct row *r = *list; r->names; r++)
            for (const char *p = r->names; *p; p++)
                count += p == r->names || p[-1] == ' ';
    places = hash_places(count);
    index = calloc(1, sizeof *index + places * sizeof *index->entries);
    if (!index)
        return NULL;
    index->mask = places - 1;
    for (const struct row *const *list = table->rows; *list; list++)
        for (const struct row *r = *list; r->names; r++)
            for (const char *p = r->names; *p;) {
                size_t length = strcspn(p, " "), at = hash_bytes(p, length);

                while (index->entries[at & index->mask].name)
                    at++;
                index->entries[at & index->mask] = (struct row_entry){p, (uint32_t)length, r};
                p += length;
                p += strspn(p, " ");
            }
    return index;
}

void row_index_free(struct row_index *index)
{
    free(index);
}

const struct row *row_find(const struct row_index *index, const char *name)
{
    size_t length = strlen(name), at = hash_bytes(name, length);

    for (; index->entries[at & index->mask].name; at++) {
        const struct row_entry *e = &index->entries[at & index->mask];

        if (e->length == length && memcmp(e->name, name, length) == 0)
            return e->row;
    }
    return NULL;
}
