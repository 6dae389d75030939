/*
 * feature_count.c - finds how often each block of machine code was executed.
 *
 * A loop of machine code that has several rounds of a loop of the PTX in one takes as many rounds fewer. What is left
 * of the rounds, ptxas has in another loop or in copies outside. The lines of accesses and jumps say how often a block
 * was executed; where it has none, its other lines do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_sass.h"
#include "contrib/cudasim/container/machine_lines.h"

/* ---- loops ---- */

static double entries_of(struct sass *x, const double *executed, double warps, int loop);

/* How often an instruction leads to `loop`: from within a loop before it, as often as that is entered. */
static double leads_in(struct sass *x, const double *executed, double warps, uint32_t line, int loop)
{
    int own = x->loop_of[line], outside = NO_LOOP;

    while (own != NO_LOOP && !sass_is_inside(x, loop, own)) {
        outside = own;
        own = x->loops[own].outer;
    }
    return outside == NO_LOOP ? executed[line] : entries_of(x, executed, warps, outside);
}

static double entries_of(struct sass *x, const double *executed, double warps, int loop)
{
    struct text_loop *l = &x->loops[loop];

    if (l->entries >= 0)
        return l->entries;
    l->entries = 0; /* loops that lead to each other */
    for (size_t k = 0; k < sizeof l->from / sizeof *l->from && l->from[k]; k++)
        l->entries += leads_in(x, executed, warps, l->from[k], loop);
    if (l->entries <= 0)
        l->entries = warps;
    l->entries = fmin(l->entries, l->rounds);
    return l->entries;
}

static void count_loops(struct sass *x, const double *executed, double warps)
{
    for (size_t n = 0; n < x->loop_count; n++) {
        x->loops[n].rounds = executed[x->loops[n].first];
        x->loops[n].entries = -1;
        x->loops[n].left = 1;
    }
    for (size_t n = 0; n < x->loop_count; n++)
        entries_of(x, executed, warps, (int)n);
}

/* Rounds that a loop which takes `rounds` at once has of a loop of `length` on average. */
static double taken(double length, unsigned rounds)
{
    if (rounds <= 1)
        return length;
    if (fabs(length - round(length)) < 1e-6)
        return floor(length / rounds + 1e-9);
    return fmax((length - (rounds - 1) / 2.0) / rounds, 0);
}

/* The loops of machine code that one loop of the PTX became: those of most rounds first, then those for the rest. */
static void share_rounds(struct sass *x, struct code_function *f, int loop)
{
    struct text_loop *l = &x->loops[loop];
    double length = l->entries > 0 ? l->rounds / l->entries : 0, left = length;
    unsigned last = UINT32_MAX;

    for (;;) {
        unsigned most = 0, same = 0;
        double turns;

        for (size_t t = 0; t < f->turn_count; t++)
            if (f->turns[t].text == loop && f->turns[t].rounds < last && f->turns[t].rounds >= most) {
                same = f->turns[t].rounds == most ? same + 1 : 1;
                most = f->turns[t].rounds;
            }
        if (!same)
            break;
        turns = taken(left, most);
        for (size_t t = 0; t < f->turn_count; t++)
            if (f->turns[t].text == loop && f->turns[t].rounds == most) {
                f->turns[t].count = l->entries * turns / same;
                f->turns[t].entries = l->entries * fmin(turns, 1) / same;
            }
        left = fmax(left - turns * most, 0);
        last = most;
    }
    l->left = length > 0 ? left / length : 0;
}

/* ---- blocks ---- */

/* How often the instruction was executed, as far as its line says so; below 0: it does not. */
static double count_at(const struct sass *x, const struct code_function *f, const struct machine_function *m, size_t n,
                       const double *executed, double warps)
{
    uint32_t line = m->code[n].line;
    int turn = f->turn_of[n], loop = line < x->lines ? x->loop_of[line] : NO_LOOP;
    double count, most = turn == NO_LOOP ? warps : f->turns[turn].count;

    if (!line || line >= x->lines)
        return -1;
    count = executed[line] / f->copies[n];
    if (turn != NO_LOOP && f->turns[turn].text != NO_LOOP) {
        const struct text_loop *l = &x->loops[f->turns[turn].text];

        if (!sass_is_inside(x, loop, f->turns[turn].text))
            return -1;
        count *= l->rounds > 0 ? f->turns[turn].count * f->turns[turn].rounds / l->rounds : 0;
    } else if (turn == NO_LOOP) {
        for (; loop != NO_LOOP; loop = x->loops[loop].outer)
            count *= x->loops[loop].left;
    }
    return turn != NO_LOOP && f->turns[turn].text == NO_LOOP ? count : fmin(count, most);
}

/* Of a loop that the PTX does not have: it is taken to be executed as often as its lines. */
static void count_own_turns(const struct sass *x, struct code_function *f, const struct machine_function *m,
                            const double *executed)
{
    for (size_t t = 0; t < f->turn_count; t++) {
        struct code_turn *turn = &f->turns[t];

        if (turn->text != NO_LOOP)
            continue;
        turn->count = turn->entries = 0;
        for (size_t n = 0; n < f->blocks[f->block_count - 1].end; n++)
            if (turn->shape->has[f->block_of[n]] && m->code[n].line < x->lines && sass_stays(x, m, n) &&
                executed[m->code[n].line] > turn->count)
                turn->count = executed[m->code[n].line];
        turn->entries = turn->count;
    }
}

/* How often the function that begins at code[first] is called. */
static double called(const struct code_function *f, const struct machine_function *m, size_t first)
{
    double count = 0;
    size_t to;

    for (size_t b = 0; b < f->block_count; b++)
        if (sass_calls(m, f->blocks[b].end - 1, &to) && to == first)
            count += f->blocks[b].count;
    return count;
}

static void count_block(const struct sass *x, const struct code_function *f, const struct machine_function *m,
                        struct code_block *k, const double *executed, double most)
{
    double anchored = -1, other = -1, before = k > f->blocks ? k[-1].count : most;
    size_t to;

    for (size_t n = k->first; n < k->end; n++) {
        double count = count_at(x, f, m, n, executed, most);

        /* A guarded access is carried out less often than its block. */
        if (count >= 0 && sass_stays(x, m, n) && (machine_always(&m->code[n]) || sass_base(m, n) == BASE_BRA))
            anchored = fmax(anchored, count);
        else
            other = fmax(other, count);
    }
    k->count = anchored >= 0 ? anchored : other >= 0 ? other : before;
    /* The slow path of a division is rarely taken. */
    if (anchored < 0 && sass_calls(m, k->end - 1, &to))
        k->count = 0;
    if (k->turn != NO_LOOP && &f->blocks[f->shapes[k->turn].head] == k && f->turns[k->turn].text != NO_LOOP)
        k->count = f->turns[k->turn].count;
    if (anchored < 0 && k->follows && k->turn == k[-1].turn && k->called == k[-1].called)
        k->count = fmin(k->count, before);
    k->count = fmin(k->count, most);
    for (size_t n = k->first; n < k->end; n++) {
        double count = machine_always(&m->code[n]) || !sass_stays(x, m, n) ? -1 : count_at(x, f, m, n, executed, most);

        f->likely[n] = count < 0 || k->count <= 0 ? 1 : (float)fmin(count / k->count, 1);
    }
}

/*
 * What lines do not say: a loop is entered from the block ahead of it, and left to the one behind. ptxas puts parts of
 * the first and the last round there.
 */
static void count_around(const struct code_function *f, const struct code_turn *t)
{
    size_t ahead = SIZE_MAX, behind = SIZE_MAX;
    bool one_ahead = true, one_behind = true;

    for (uint32_t k = f->flow.first_from[t->shape->head]; k < f->flow.first_from[t->shape->head + 1]; k++)
        if (!t->shape->has[f->flow.from[k]]) {
            one_ahead = ahead == SIZE_MAX;
            ahead = f->flow.from[k];
        }
    for (size_t b = 0; b < f->block_count; b++) {
        for (uint32_t e = f->flow.first_to[b]; t->shape->has[b] && e < f->flow.first_to[b + 1]; e++)
            if (!t->shape->has[f->flow.to[e]] && f->flow.to[e] != behind) {
                one_behind = behind == SIZE_MAX;
                behind = f->flow.to[e];
            }
    }
    if (ahead != SIZE_MAX && one_ahead)
        f->blocks[ahead].count = fmax(f->blocks[ahead].count, t->entries);
    if (behind != SIZE_MAX && one_behind)
        f->blocks[behind].count = fmax(f->blocks[behind].count, t->entries);
}

/* A block is executed as often as one that only it leads to. */
static void count_ahead(const struct code_function *f)
{
    for (size_t n = f->block_count; n-- > 0;) {
        const struct code_block *b = &f->blocks[f->flow.order[n]];
        uint32_t first = f->flow.first_from[f->flow.order[n]];
        struct code_block *from = &f->blocks[f->flow.from[first]];

        if (f->flow.first_from[f->flow.order[n] + 1] == first + 1 && from->turn == b->turn)
            from->count = fmax(from->count, b->count);
    }
}

static void count_blocks(const struct sass *x, struct code_function *f, const struct machine_function *m,
                         const double *executed, double warps)
{
    for (size_t b = 0; b < f->block_count; b++) {
        struct code_block *k = &f->blocks[b];
        double most = k->called ? called(f, m, k->called) : warps;

        if (!k->apart)
            count_block(x, f, m, k, executed, k->turn == NO_LOOP ? most : INFINITY);
        if (b == 0 && f->kernel)
            k->count = warps;
    }
}

void sass_count(struct sass *x, const double *executed, double warps)
{
    count_loops(x, executed, warps);
    for (size_t n = 0; n < x->count; n++) {
        struct code_function *f = &x->functions[n];

        for (int loop = 0; loop < (int)x->loop_count; loop++)
            share_rounds(x, f, loop);
        count_own_turns(x, f, &x->code[n], executed);
        /* Inner functions call others, which may stand before them. */
        for (int pass = 0; pass < 2; pass++)
            count_blocks(x, f, &x->code[n], executed, f->kernel ? warps : INFINITY);
        for (size_t t = f->turn_count; t-- > 0;)
            count_around(f, &f->turns[t]);
        count_ahead(f);
    }
}
