/*
 * notes.c - the table: open addressing, at most half full.
 */
#include "notes.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. Who chooses names can make them collide, but not print more of them than a place may. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

/* The row of a text, or the free one where it belongs. */
static struct note *find(struct notes *notes, const char *text)
{
    for (size_t i = hash_of(text);; i++) {
        struct note *row = &notes->rows[i & (notes->size - 1)];

        notes->probes++;
        if (!row->text || strcmp(row->text, text) == 0)
            return row;
    }
}

static bool grow(struct notes *notes)
{
    struct notes larger = { .size = notes->size ? 2 * notes->size : 64, .count = notes->count,
                            .probes = notes->probes };

    larger.rows = calloc(larger.size, sizeof *larger.rows);
    if (!larger.rows)
        return false;
    for (size_t i = 0; i < notes->size; i++)
        if (notes->rows[i].text)
            *find(&larger, notes->rows[i].text) = notes->rows[i];
    free(notes->rows);
    *notes = larger;
    return true;
}

/* The row of a text, which is put in where it is not there; NULL when memory is out. */
static struct note *enter(struct notes *notes, const char *text, bool *there)
{
    struct note *row;

    if (2 * (notes->count + 1) > notes->size && !grow(notes))
        return NULL;
    row = find(notes, text);
    *there = row->text != NULL;
    if (!*there) {
        row->text = strdup(text);
        notes->count += row->text != NULL;
    }
    return row->text ? row : NULL;
}

enum notes_answer notes_add(struct notes *notes, const char *place, const char *line)
{
    bool there;
    struct note *row = enter(notes, place, &there);

    if (!row)
        return NOTES_KNOWN;
    if (row->told >= NOTES_OF_A_PLACE) {
        row = find(notes, line);
        return row->text ? NOTES_KNOWN : NOTES_MANY;
    }
    if (!enter(notes, line, &there) || there)
        return NOTES_KNOWN;
    row = find(notes, place); /* the table may have grown */
    return ++row->told == NOTES_OF_A_PLACE ? NOTES_LAST : NOTES_NEW;
}

void notes_release(struct notes *notes)
{
    for (size_t i = 0; i < notes->size; i++)
        free(notes->rows[i].text);
    free(notes->rows);
    *notes = (struct notes){ 0 };
}
