/*
 * row_index.c - finds the row of an instruction by its name. sim.c makes the index. program/ uses it.
 *
 * A program uses some 30 of the 300 opcodes. So the index first notes where the rows of each opcode are. It hashes the
 * names of an opcode when that is first asked for.
 */
#include "row_index.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/hash.h"

#define BUCKETS 512 /* of opcodes, a power of two */
#define NEAR 1024   /* places for the names of one opcode, a power of two: so few pages are touched */

/* Rows side by side whose names begin with one opcode. */
struct row_run {
    const char *opcode;      /* [length] */
    const struct row *rows; /* [count] */
    uint32_t count;
    uint32_t length; /* bytes */
    uint32_t next;   /* run of the bucket, plus 1; 0: none */
    bool hashed;
};

/* A name of a row. */
struct row_entry {
    const struct row *row; /* NULL: a free place */
    uint32_t tag;          /* of the name's hash */
    uint16_t at, length;   /* of the name in the row's names, bytes */
};

/* Names of rows. */
struct row_index {
    uint32_t buckets[BUCKETS]; /* first run with an opcode of this hash, plus 1; 0: none */
    struct row_run *runs;      /* [run_count] */
    size_t run_count, run_capacity;
    struct row_entry *entries; /* [mask + 1], a power of two, hashed by name */
    size_t mask;
};

/* Bytes of the opcode that a name begins with. */
static size_t opcode_length(const char *name)
{
    size_t length = 0;

    while (name[length] && name[length] != '.' && name[length] != ' ')
        length++;
    return length;
}

/* Notes that `row` has a name with the opcode at `opcode`. False: out of memory. */
static bool note_row(struct row_index *index, const struct row *row, const char *opcode, size_t length)
{
    struct row_run *last = index->run_count ? &index->runs[index->run_count - 1] : NULL;
    uint32_t *bucket;

    if (last && last->rows + last->count >= row && last->rows <= row && last->length == length &&
        memcmp(last->opcode, opcode, length) == 0) {
        last->count = (uint32_t)(row - last->rows) + 1;
        return true;
    }
    if (index->run_count == index->run_capacity) {
        size_t capacity = 2 * index->run_capacity + 512;
        struct row_run *more = realloc(index->runs, capacity * sizeof *more);

        if (!more)
            return false;
        index->runs = more;
        index->run_capacity = capacity;
    }
    bucket = &index->buckets[hash_bytes(opcode, length) % BUCKETS];
    index->runs[index->run_count++] = (struct row_run){opcode, row, 1, (uint32_t)length, *bucket, false};
    *bucket = (uint32_t)index->run_count;
    return true;
}

/* Notes the row's opcodes: more than one if its names differ in them. Adds its names to `count`. */
static bool note_names(struct row_index *index, const struct row *row, size_t *count)
{
    const char *opcode = NULL;
    size_t length = 0;

    for (const char *p = row->names + strspn(row->names, " "); *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        if (!opcode || strncmp(p, opcode, length) != 0 || opcode_length(p) != length) {
            opcode = p;
            length = opcode_length(p);
            if (!note_row(index, row, opcode, length))
                return false;
        }
        ++*count;
    }
    return true;
}

struct row_index *row_index_create(const struct table *table)
{
    struct row_index *index = calloc(1, sizeof *index);
    size_t count = 0, places;
    bool good = index != NULL;

    for (const struct row *const *list = table->rows; good && *list; list++)
        for (const struct row *r = *list; good && r->names; r++)
            good = note_names(index, r, &count);
    places = hash_places(count);
    if (good) {
        index->entries = calloc(places, sizeof *index->entries);
        index->mask = places - 1;
    }
    if (!good || !index->entries) {
        row_index_free(index);
        return NULL;
    }
    return index;
}

void row_index_free(struct row_index *index)
{
    if (!index)
        return;
    free(index->runs);
    free(index->entries);
    free(index);
}

/* Where the search for a name begins. */
static size_t place(uint64_t opcode_hash, uint64_t name_hash)
{
    return (opcode_hash >> 16) * NEAR + name_hash % NEAR;
}

/* Hashes the names of the run's rows that begin with its opcode. */
static void hash_names(struct row_index *index, const struct row_run *run)
{
    uint64_t opcode = hash_bytes(run->opcode, run->length);

    for (const struct row *row = run->rows; row < run->rows + run->count; row++)
        for (const char *p = row->names + strspn(row->names, " "); *p; p += strspn(p, " ")) {
            size_t length = strcspn(p, " ");
            uint64_t hash = hash_bytes(p, length);
            size_t at = place(opcode, hash);

            if (opcode_length(p) == run->length && memcmp(p, run->opcode, run->length) == 0) {
                while (index->entries[at & index->mask].row)
                    at++;
                index->entries[at & index->mask] =
                    (struct row_entry){row, (uint32_t)(hash >> 32), (uint16_t)(p - row->names), (uint16_t)length};
            }
            p += length;
        }
}

const struct row *row_find(struct row_index *index, const char *name)
{
    size_t length = strlen(name), opcode = opcode_length(name);
    uint64_t opcode_hash = hash_bytes(name, opcode), hash = hash_bytes(name, length);

    for (uint32_t n = index->buckets[opcode_hash % BUCKETS]; n; n = index->runs[n - 1].next) {
        struct row_run *run = &index->runs[n - 1];

        if (run->length != opcode || memcmp(run->opcode, name, opcode) != 0)
            continue;
        if (run->hashed)
            break; /* and so are the opcode's others */
        hash_names(index, run);
        run->hashed = true;
    }
    for (size_t at = place(opcode_hash, hash); index->entries[at & index->mask].row; at++) {
        const struct row_entry *e = &index->entries[at & index->mask];

        if (e->tag == (uint32_t)(hash >> 32) && e->length == length && memcmp(e->row->names + e->at, name, length) == 0)
            return e->row;
    }
    return NULL;
}
