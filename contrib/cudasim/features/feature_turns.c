/*
 * feature_turns.c - finds the natural loops of a graph: the dominators of its blocks (Cooper, Harvey and Kennedy,
 * 2001), and what lies between a block and one that jumps back to it.
 */
#include "feature_turns.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT32_MAX

/* Lists the blocks that lead to each block. */
static bool find_from(struct flow *f)
{
    uint32_t edges = f->first_to[f->count];

    f->first_from = calloc(f->count + 2, sizeof *f->first_from);
    f->from = calloc(edges + 1, sizeof *f->from);
    if (!f->first_from || !f->from)
        return false;
    for (uint32_t e = 0; e < edges; e++)
        f->first_from[f->to[e] + 1]++;
    for (size_t b = 0; b < f->count; b++)
        f->first_from[b + 1] += f->first_from[b];
    /* Each start moves on as its list is filled, and is the next one's in the end. */
    for (size_t b = 0; b < f->count; b++)
        for (uint32_t e = f->first_to[b]; e < f->first_to[b + 1]; e++)
            f->from[f->first_from[f->to[e]]++] = (uint32_t)b;
    memmove(f->first_from + 1, f->first_from, (f->count + 1) * sizeof *f->first_from);
    f->first_from[0] = 0;
    return true;
}

struct search {
    struct flow *f;
    uint32_t *stack, *done; /* [blocks] whose turn it is; how many of their ways on were taken */
    bool *seen;
    size_t placed;          /* in f->order, from its end on */
};

/* Puts what `start` leads to before everything that was placed. */
static void search_from(struct search *s, size_t start)
{
    size_t depth = 0;

    s->stack[depth++] = (uint32_t)start;
    s->seen[start] = true;
    while (depth) {
        uint32_t b = s->stack[depth - 1], way = s->f->first_to[b] + s->done[b];

        if (way == s->f->first_to[b + 1]) {
            s->f->order[--s->placed] = b;
            depth--;
            continue;
        }
        s->done[b]++;
        if (!s->seen[s->f->to[way]]) {
            s->seen[s->f->to[way]] = true;
            s->stack[depth++] = s->f->to[way];
        }
    }
}

static bool find_order(struct flow *f)
{
    struct search s = {f, calloc(f->count + 1, sizeof *s.stack), calloc(f->count + 1, sizeof *s.done),
                       calloc(f->count + 1, sizeof *s.seen), f->count};
    bool good = s.stack && s.done && s.seen && (f->order = calloc(f->count + 1, sizeof *f->order));

    /* What is searched last comes first. */
    for (size_t b = f->count; good && b-- > 1;)
        if (f->first_from[b] == f->first_from[b + 1])
            search_from(&s, b);
    if (good && f->count && !s.seen[0])
        search_from(&s, 0);
    for (size_t b = f->count; good && b-- > 0;) /* loops that nothing leads to */
        if (!s.seen[b])
            search_from(&s, b);
    free(s.stack);
    free(s.done);
    free(s.seen);
    return good;
}

bool flow_complete(struct flow *f)
{
    return find_from(f) && find_order(f);
}

void flow_release(struct flow *f)
{
    free(f->to);
    free(f->first_to);
    free(f->from);
    free(f->first_from);
    free(f->order);
    *f = (struct flow){0};
}

/* ---- dominators ---- */

struct above {
    uint32_t *of;    /* [blocks] the immediate dominator: what each is only reached through; NOWHERE: none */
    uint32_t *place; /* [blocks] in the order */
    bool *known;
};

static uint32_t common(const struct above *x, uint32_t a, uint32_t b)
{
    while (a != b && a != NOWHERE && b != NOWHERE) {
        while (a != NOWHERE && x->place[a] > x->place[b])
            a = x->of[a];
        while (a != NOWHERE && b != NOWHERE && x->place[b] > x->place[a])
            b = x->of[b];
    }
    return a == b ? a : NOWHERE;
}

static void find_above(const struct flow *f, struct above *x)
{
    for (uint32_t n = 0; n < f->count; n++) {
        x->of[n] = NOWHERE;
        x->place[f->order[n]] = n;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < f->count; n++) {
            uint32_t b = f->order[n];

            if (!x->known[b])
                x->known[b] = changed = true; /* a beginning */
            for (uint32_t e = f->first_to[b]; e < f->first_to[b + 1]; e++) {
                uint32_t to = f->to[e], was = x->of[to];

                x->of[to] = !x->known[to] ? b : x->place[to] <= x->place[b] ? was : common(x, was, b);
                changed |= !x->known[to] || x->of[to] != was;
                x->known[to] = true;
            }
        }
    }
}

static bool is_above(const struct above *x, uint32_t a, uint32_t b)
{
    while (b != NOWHERE && b != a)
        b = x->of[b];
    return b == a;
}

/* ---- loops ---- */

/* Adds to the loop what leads to block `from` without its head. */
static void add_body(const struct flow *f, struct turn *t, uint32_t *stack, uint32_t from)
{
    size_t depth = 0;

    stack[depth++] = from;
    while (depth) {
        uint32_t b = stack[--depth];

        if (t->has[b])
            continue;
        t->has[b] = true;
        t->size++;
        for (uint32_t k = f->first_from[b]; k < f->first_from[b + 1]; k++)
            stack[depth++] = f->from[k];
    }
}

static bool add_turn(const struct flow *f, struct turn *turns, size_t *count, uint32_t *stack, uint32_t head,
                     uint32_t from)
{
    size_t t = 0;

    while (t < *count && turns[t].head != head)
        t++;
    if (t == *count) {
        turns[t] = (struct turn){.head = head, .outer = NO_LOOP, .size = 1, .has = calloc(f->count, sizeof(bool))};
        if (!turns[t].has)
            return false;
        ++*count;
        turns[t].has[head] = true;
    }
    turns[t].tail = from > turns[t].tail ? from : turns[t].tail;
    add_body(f, &turns[t], stack, from);
    return true;
}

static int larger_first(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return x->size != y->size ? (x->size < y->size ? 1 : -1) : (x->head > y->head) - (x->head < y->head);
}

bool turns_find(const struct flow *f, struct turn **turns, size_t *count, int **of)
{
    struct above x = {malloc((f->count + 1) * sizeof *x.of), malloc((f->count + 1) * sizeof *x.place),
                      calloc(f->count + 1, sizeof *x.known)};
    uint32_t *stack = calloc(f->first_to[f->count] + f->count + 2, sizeof *stack);
    bool good = x.of && x.place && x.known && stack;

    *count = 0;
    *turns = calloc(f->count + 1, sizeof **turns);
    *of = malloc((f->count + 1) * sizeof **of);
    good = good && *turns && *of;
    if (good)
        find_above(f, &x);
    for (uint32_t b = 0; good && b < f->count; b++) {
        (*of)[b] = NO_LOOP;
        for (uint32_t e = f->first_to[b]; good && e < f->first_to[b + 1]; e++)
            if (is_above(&x, f->to[e], b))
                good = add_turn(f, *turns, count, stack, f->to[e], b);
    }
    if (good)
        qsort(*turns, *count, sizeof **turns, larger_first);
    for (size_t t = 0; good && t < *count; t++) {
        (*turns)[t].outer = (*of)[(*turns)[t].head];
        for (size_t b = 0; b < f->count; b++)
            if ((*turns)[t].has[b])
                (*of)[b] = (int)t;
    }
    free(x.of);
    free(x.place);
    free(x.known);
    free(stack);
    return good;
}

void turns_free(struct turn *turns, size_t count)
{
    for (size_t t = 0; turns && t < count; t++)
        free(turns[t].has);
    free(turns);
}
