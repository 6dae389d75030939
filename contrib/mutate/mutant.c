/*
 * mutant.c - keeps, draws and writes mutants: mutant.h.
 */
#include "mutant.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/error.h"
#include "verify/base/random.h"

enum {
    CONTEXT_MOST = 120, /* characters of a key's text */
    CONTEXT_NEAR = 40,  /* of a longer one, those shown on each side of the change */
};

void *must(void *memory)
{
    if (memory)
        return memory;
    fprintf(stderr, "mutants: out of memory\n");
    exit(EXIT_TOOLKIT);
}

void source_read(struct source *source, const char *path, const char *name)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;

    *source = (struct source){ .path = path, .name = name, .text = must(malloc(room)) };
    while (file && !ferror(file) && !feof(file)) {
        source->size += fread(source->text + source->size, 1, room - source->size - 1, file);
        if (source->size + 1 == room)
            source->text = must(realloc(source->text, room *= 2));
    }
    if (!file || ferror(file)) {
        fprintf(stderr, "mutants: cannot read '%s': %s\n", path, strerror(errno));
        exit(EXIT_USAGE);
    }
    fclose(file);
    source->text[source->size] = '\0';
}

/* The end of what is no code at `at`: white space or a comment; `at` itself if there is none. */
static size_t blank_end(const char *text, size_t at, size_t end)
{
    size_t start;

    do {
        start = at;
        while (at < end && (isspace((unsigned char)text[at]) || (text[at] == '\\' && text[at + 1] == '\n')))
            at++;
        if (at + 1 < end && text[at] == '/' && text[at + 1] == '/')
            while (at < end && text[at] != '\n')
                at++;
        if (at + 1 < end && text[at] == '/' && text[at + 1] == '*') {
            for (at += 2; at < end && !(text[at - 1] == '*' && text[at] == '/'); at++)
                ;
            at += at < end;
        }
    } while (at != start);
    return at;
}

/* Of a long text what is near the change. */
static struct range near(struct range context, struct range range)
{
    if (context.end - context.start <= CONTEXT_MOST || range.end - range.start > CONTEXT_MOST)
        return context;
    if (range.start - context.start > CONTEXT_NEAR)
        context.start = range.start - CONTEXT_NEAR;
    if (context.end - range.end > CONTEXT_NEAR)
        context.end = range.end + CONTEXT_NEAR;
    return context;
}

/* Appends text[0..size) to `line` as one line; returns the new length. */
static size_t append_line(char *line, size_t length, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t end = blank_end(text, at, size);

        if (end > at) {
            if (length > 0 && line[length - 1] != ' ')
                line[length++] = ' ';
            at = end;
        } else {
            line[length++] = text[at++];
        }
    }
    line[length] = '\0';
    return length;
}

static void cut(char *line)
{
    size_t length = strlen(line);

    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    if (length > CONTEXT_MOST)
        strcpy(line + CONTEXT_MOST, "...");
}

char *source_line(const struct source *source, struct range range)
{
    char *line = must(malloc(range.end - range.start + 4));

    append_line(line, 0, source->text + range.start, range.end - range.start);
    return line;
}

void mutants_add(struct mutants *mutants, const struct source *source, const char *operator, const char *function,
                 struct range context, struct range range, const char *replacement)
{
    struct mutant *mutant;
    size_t length, room;

    context = near(context, range);
    room = context.end - context.start + strlen(replacement) + 8;
    if (mutants->count == mutants->room) {
        mutants->room = mutants->room ? 2 * mutants->room : 256;
        mutants->items = must(realloc(mutants->items, mutants->room * sizeof *mutants->items));
    }
    mutant = &mutants->items[mutants->count++];
    *mutant = (struct mutant){ source, range, must(strdup(replacement)), operator, must(strdup(function)),
                               source_line(source, context), must(malloc(room)), 1 };
    length = append_line(mutant->after, 0, source->text + context.start, range.start - context.start);
    length = append_line(mutant->after, length, replacement, strlen(replacement));
    append_line(mutant->after, length, source->text + range.end, context.end - range.end);
    cut(mutant->before);
    cut(mutant->after);
}

static int by_place(const void *left, const void *right)
{
    const struct mutant *a = left, *b = right;

    if (a->range.start != b->range.start)
        return a->range.start < b->range.start ? -1 : 1;
    if (a->range.end != b->range.end)
        return a->range.end < b->range.end ? -1 : 1;
    return strcmp(a->replacement, b->replacement);
}

static void mutant_free(struct mutant *mutant)
{
    free(mutant->replacement);
    free(mutant->function);
    free(mutant->before);
    free(mutant->after);
}

/* Whether it makes the same file as the one before, or the original. */
static bool repeats(const struct mutant *mutant, const struct mutant *before)
{
    size_t size = mutant->range.end - mutant->range.start;

    return (before && by_place(mutant, before) == 0) ||
           (strlen(mutant->replacement) == size &&
            memcmp(mutant->source->text + mutant->range.start, mutant->replacement, size) == 0);
}

static bool same_key(const struct mutant *a, const struct mutant *b)
{
    return strcmp(a->operator, b->operator) == 0 && strcmp(a->function, b->function) == 0 &&
           strcmp(a->before, b->before) == 0 && strcmp(a->after, b->after) == 0;
}

void mutants_sort(struct mutants *mutants, size_t first)
{
    struct mutant *items = mutants->items + first;
    size_t count = mutants->count - first, kept = 0;

    if (count == 0)
        return;
    qsort(items, count, sizeof *items, by_place);
    for (size_t i = 0; i < count; i++)
        if (repeats(&items[i], kept ? &items[kept - 1] : NULL))
            mutant_free(&items[i]);
        else
            items[kept++] = items[i];
    mutants->count = first + kept;
    for (size_t i = 0; i < kept; i++)
        for (size_t j = i; j-- > 0;)
            if (same_key(&items[i], &items[j])) {
                items[i].twin = items[j].twin + 1;
                break;
            }
}

/* One of each of `count` blocks of neighbours of all[0..total). */
static size_t draw_blocks(const struct mutant **all, size_t total, size_t count, struct random_stream *stream,
                          const struct mutant **drawn)
{
    if (count > total)
        count = total;
    for (size_t i = 0; i < count; i++) {
        size_t start = total * i / count, end = total * (i + 1) / count;

        drawn[i] = all[start + random_below(stream, (uint32_t)(end - start))];
    }
    return count;
}

size_t mutants_draw(const struct mutants *mutants, size_t count, uint64_t seed, const struct mutant **drawn)
{
    struct random_key key = { .seed = seed };
    struct random_stream stream = random_stream(&key, 0);
    const struct mutant **some = must(malloc((mutants->count + 1) * sizeof *some));
    size_t found = 0, taken;

    for (size_t i = 0; i < mutants->count; i++)
        if (strcmp(mutants->items[i].operator, "barrier") == 0)
            some[found++] = &mutants->items[i];
    taken = draw_blocks(some, found, (count + 9) / 10, &stream, drawn);
    found = 0;
    for (size_t i = 0; i < mutants->count; i++)
        if (strcmp(mutants->items[i].operator, "barrier") != 0)
            some[found++] = &mutants->items[i];
    taken += draw_blocks(some, found, count - taken, &stream, drawn + taken);
    free(some);
    return taken;
}

void mutant_print_key(const struct mutant *mutant, FILE *file)
{
    fprintf(file, "%s %s %s", mutant->source->name, mutant->function, mutant->operator);
    if (mutant->twin > 1)
        fprintf(file, "#%u", mutant->twin);
    fprintf(file, "\n- %s\n+ %s\n", mutant->before, mutant->after);
}

void mutant_print_source(const struct mutant *mutant, FILE *file)
{
    const struct source *source = mutant->source;

    fwrite(source->text, 1, mutant->range.start, file);
    fputs(mutant->replacement, file);
    /* As many lines as before: __LINE__ below stays as it was. */
    for (size_t i = mutant->range.start; i < mutant->range.end; i++)
        if (source->text[i] == '\n')
            fputc('\n', file);
    for (const char *c = mutant->replacement; *c; c++)
        if (*c == '\n')
            abort();
    fwrite(source->text + mutant->range.end, 1, source->size - mutant->range.end, file);
}

void mutants_free(struct mutants *mutants)
{
    for (size_t i = 0; i < mutants->count; i++)
        mutant_free(&mutants->items[i]);
    free(mutants->items);
    *mutants = (struct mutants){ 0 };
}
