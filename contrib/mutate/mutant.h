/*
 * mutant.h - mutants of source files: where a text is replaced by another one, and the name by which a list knows it.
 *
 * operators.c finds them, main_mutate.c draws some and writes them. Nothing here knows a syntax tree.
 */
#ifndef MUTATE_MUTANT_H
#define MUTATE_MUTANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A source file in memory. */
struct source {
    const char *path;
    const char *name; /* what the lists call it */
    char *text;       /* [size], and a zero byte */
    size_t size;      /* bytes */
};

/* Bytes from `start` up to `end` of a source. */
struct range {
    size_t start, end;
};

/*
 * One mutant. Its key is file, function, operator, `before`, `after` and `twin`: no line number, so that it stands when
 * other lines of the file change.
 */
struct mutant {
    const struct source *source;
    struct range range;   /* what is replaced */
    char *replacement;    /* by this */
    const char *operator; /* compare, arithmetic, logical, constant, narrow, remove, barrier, swap or bound */
    char *function;       /* where it stands, or "-" outside of all functions */
    char *before, *after; /* the code around it, on one line each */
    unsigned twin;        /* 1, or which of those whose key is else the same, in the file's order */
};

struct mutants {
    struct mutant *items; /* [count], in the order of their files and places once sorted */
    size_t count, room;
};

/* Reads a file; `name` is kept. Ends the program with code 2 where it cannot. */
void source_read(struct source *source, const char *path, const char *name);

/* A range as one line: comments and line ends become single spaces. The caller frees it. */
char *source_line(const struct source *source, struct range range);

/*
 * Adds one: `range`, which stands within `context`, becomes `replacement`. The texts are copied. What changes nothing,
 * and a second one that makes the same file, is left out by mutants_sort().
 */
void mutants_add(struct mutants *mutants, const struct source *source, const char *operator, const char *function,
                 struct range context, struct range range, const char *replacement);

/* Sorts those from `first` on, all of one file, by place; drops repetitions and numbers twins. */
void mutants_sort(struct mutants *mutants, size_t first);

/*
 * Draws `count` of them, or all if there are no more: they are cut into `count` blocks of neighbours, and one is drawn
 * of each, so that no part of the source is left out. A tenth at most is of the operator barrier. Fills drawn[], which
 * has a place for each; returns how many.
 */
size_t mutants_draw(const struct mutants *mutants, size_t count, uint64_t seed, const struct mutant **drawn);

/* The key in three lines: "FILE FUNCTION OPERATOR", "- BEFORE", "+ AFTER". */
void mutant_print_key(const struct mutant *mutant, FILE *file);

/* The whole file as the mutant has it, with as many lines as before. */
void mutant_print_source(const struct mutant *mutant, FILE *file);

void mutants_free(struct mutants *mutants);

/* Memory, or the program ends with code 3. */
void *must(void *memory);

#endif
