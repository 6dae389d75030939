/*
 * notes.h - lines that are printed once: a hash table of texts, and a bound on how many come of one place.
 *
 * Used by intake.c, which looks at the same files every second, names by the ten thousand among them.
 */
#ifndef GRADE_NOTES_H
#define GRADE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NOTES_OF_A_PLACE = 20 };

struct note {
    char *text;    /* or NULL: the row is free */
    unsigned told; /* of a place: lines of it that are in the table */
};

struct notes {
    struct note *rows;     /* [size], a power of two */
    size_t size, count;
    uint64_t probes;       /* rows that were looked at, in all: what the time is proportional to */
};

enum notes_answer {
    NOTES_NEW,   /* print it */
    NOTES_KNOWN, /* it was printed, or memory is out */
    NOTES_LAST,  /* print it, and that more of this place are not listed */
    NOTES_MANY,  /* this place has had its lines */
};

/* What is to be done with a line of a place, such as a folder. */
enum notes_answer notes_add(struct notes *notes, const char *place, const char *line);
void notes_release(struct notes *notes);

#endif
