/*
 * feature_sass.c - finds blocks and loops of machine code, and matches the loops with those of the PTX.
 *
 * A loop of machine code ends in a jump back, whose line is in a loop of the PTX: they are the same loop. It has
 * several rounds of that in one if most of its operations are there several times.
 */
#include "feature_sass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_graph.h"
#include "feature_ptxas.h"
#include "contrib/cudasim/container/machine_lines.h"
#include "contrib/cudasim/machine/ins.h"

unsigned sass_base(const struct machine_function *m, size_t n)
{
    return operation_base(machine_operation(&m->code[n]));
}

/* ---- loops of the PTX ---- */

/* The first instruction, or the last one, of a block of the graph: its line; 0: it has none. */
static uint32_t line_in(const struct graph *g, size_t block, bool last)
{
    const struct block *b = &g->blocks[block];
    uint32_t line = 0;

    for (size_t n = b->first; n < b->end; n++)
        if (g->f->statements[n].kind == PTX_INSTRUCTION && (last || !line))
            line = g->f->statements[n].line;
    return line;
}

static bool make_flow(const struct graph *g, struct flow *flow)
{
    uint32_t used = 0;

    *flow = (struct flow){.count = g->count, .to = calloc(g->edge_count + 1, sizeof *flow->to),
                          .first_to = calloc(g->count + 1, sizeof *flow->first_to)};
    for (size_t b = 0; flow->to && flow->first_to && b < g->count; b++) {
        for (size_t k = 0; k < g->blocks[b].next_count; k++)
            if (g->blocks[b].next[k] < g->count)
                flow->to[used++] = (uint32_t)g->blocks[b].next[k];
        flow->first_to[b + 1] = used;
    }
    return flow->to && flow->first_to && flow_complete(flow);
}

/* What leads into the loop from outside. */
static void find_sources(const struct graph *g, const struct flow *flow, const struct turn *t, struct text_loop *loop)
{
    size_t count = 0;

    for (uint32_t k = flow->first_from[t->head]; k < flow->first_from[t->head + 1]; k++)
        if (!t->has[flow->from[k]] && count < sizeof loop->from / sizeof *loop->from)
            loop->from[count++] = line_in(g, flow->from[k], true);
}

static bool add_loops(struct sass *x, const struct graph *g, const struct flow *flow)
{
    struct turn *turns = NULL;
    struct text_loop *more;
    size_t count = 0, base = x->loop_count;
    int *of = NULL;
    bool good = turns_find(flow, &turns, &count, &of);

    if (good && (more = realloc(x->loops, (base + count + 1) * sizeof *more))) {
        x->loops = more;
        for (size_t t = 0; t < count; t++) {
            struct text_loop *loop = &x->loops[x->loop_count++];

            *loop = (struct text_loop){.first = line_in(g, turns[t].head, false),
                                       .outer = turns[t].outer == NO_LOOP ? NO_LOOP : turns[t].outer + (int)base};
            find_sources(g, flow, &turns[t], loop);
        }
        for (size_t n = 0; n < g->f->statement_count; n++)
            if (g->f->statements[n].kind == PTX_INSTRUCTION && of[g->of[n]] != NO_LOOP)
                x->loop_of[g->f->statements[n].line] = of[g->of[n]] + (int)base;
    } else {
        good = false;
    }
    turns_free(turns, count);
    free(of);
    return good;
}

static bool read_loops(struct sass *x, const struct ptx_function *f)
{
    struct graph g;
    struct flow flow = {0};
    bool good;

    for (size_t n = 0; n < f->statement_count; n++)
        if (f->statements[n].kind == PTX_INSTRUCTION &&
            (feature_is(f->statements[n].opcode, "call") || feature_is(f->statements[n].opcode, "bra")))
            x->jumps[f->statements[n].line] = true;
    if (!graph_make(&g, f))
        return false;
    good = make_flow(&g, &flow) && add_loops(x, &g, &flow);
    flow_release(&flow);
    graph_release(&g);
    return good;
}

bool sass_is_inside(const struct sass *x, int loop, int of)
{
    while (loop != NO_LOOP && loop != of)
        loop = x->loops[loop].outer;
    return loop == of;
}

/* Whether code was made of the function. */
static bool is_there(const struct sass *x, const struct ptx_function *f)
{
    uint32_t first = f->statement_count ? f->statements[0].line : 1;
    uint32_t last = f->statement_count ? f->statements[f->statement_count - 1].line : 0;

    for (size_t m = 0; m < x->count; m++)
        for (size_t n = 0; n < x->code[m].count; n++)
            if (x->code[m].code[n].line >= first && x->code[m].code[n].line <= last)
                return true;
    return false;
}

static bool read_text(struct sass *x, const struct program *program)
{
    for (size_t f = 0; f < program->function_count; f++)
        for (size_t n = 0; n < program->functions[f].ptx->statement_count; n++)
            if (program->functions[f].ptx->statements[n].line >= x->lines)
                x->lines = program->functions[f].ptx->statements[n].line + 1;
    x->loop_of = malloc((x->lines + 1) * sizeof *x->loop_of);
    x->jumps = calloc(x->lines + 1, sizeof *x->jumps);
    if (!x->loop_of || !x->jumps)
        return false;
    for (size_t n = 0; n < x->lines; n++)
        x->loop_of[n] = NO_LOOP;
    for (size_t f = 0; f < program->function_count; f++)
        if (program->functions[f].ptx->defined && is_there(x, program->functions[f].ptx) &&
            !read_loops(x, program->functions[f].ptx))
            return false;
    return true;
}

/* ---- blocks and loops of machine code ---- */

static bool jumps_to(const struct machine_function *m, size_t n, size_t *to)
{
    unsigned base = sass_base(m, n);
    int64_t target = (int64_t)n + 1 + machine_distance(&m->code[n]);

    if ((base != BASE_BRA && base != BASE_BSSY && base != BASE_CALL_RELATIVE) || target < 0 ||
        (uint64_t)target >= m->count)
        return false;
    *to = (size_t)target;
    return true;
}

static bool ends_block(const struct machine_function *m, size_t n)
{
    unsigned base = sass_base(m, n);

    return base == BASE_BRA || base == BASE_BRX || base == BASE_JMP || base == BASE_JMX || base == BASE_RET ||
           base == BASE_EXIT || base == BASE_CALL || base == BASE_CALL_RELATIVE;
}

/* What follows the code to fill its memory: a jump to itself, and nothing. */
static size_t length_of(const struct machine_function *m)
{
    size_t n = m->count, to;

    while (n && sass_base(m, n - 1) == BASE_NOP)
        n--;
    return n && sass_base(m, n - 1) == BASE_BRA && jumps_to(m, n - 1, &to) && to == n - 1 ? n - 1 : n;
}

/* Where blocks begin, and which are reached by jumps. */
static bool find_blocks(const struct machine_function *m, size_t length, struct code_function *f)
{
    bool *starts = calloc(length + 1, sizeof *starts), *reached = calloc(length + 1, sizeof *reached);
    size_t to;

    f->blocks = calloc(length + 1, sizeof *f->blocks);
    f->block_of = calloc(length + 1, sizeof *f->block_of);
    for (size_t n = 0; starts && reached && n < length; n++) {
        if (jumps_to(m, n, &to) && to < length)
            starts[to] = reached[to] = true;
        if (ends_block(m, n))
            starts[n + 1] = true;
    }
    for (size_t n = 0; starts && reached && f->blocks && f->block_of && n < length; n++) {
        if (n == 0 || starts[n])
            f->blocks[f->block_count++] = (struct code_block){.first = (uint32_t)n, .turn = NO_LOOP,
                                                              .follows = n > 0 && !reached[n]};
        f->blocks[f->block_count - 1].end = (uint32_t)n + 1;
        f->block_of[n] = (uint32_t)f->block_count - 1;
    }
    free(starts);
    free(reached);
    return f->blocks && f->block_of && starts && reached;
}

/* ---- the graph of the blocks ---- */

bool sass_calls(const struct machine_function *m, size_t n, size_t *to)
{
    return sass_base(m, n) == BASE_CALL_RELATIVE && jumps_to(m, n, to) && *to > 0;
}

/* Where block b leads to by its last instruction alone: two places at most. */
static size_t plain_ways(const struct machine_function *m, const struct code_function *f, size_t b, size_t next[2])
{
    size_t last = f->blocks[b].end - 1, count = 0, to;
    unsigned base = sass_base(m, last);
    bool stops = machine_always(&m->code[last]) &&
                 (base == BASE_BRA || base == BASE_EXIT || base == BASE_RET || base == BASE_BRX || base == BASE_JMP);

    if (!stops && b + 1 < f->block_count)
        next[count++] = b + 1;
    if (base == BASE_BRA && !machine_of_divergence(&m->code[last]) && jumps_to(m, last, &to) &&
        to < f->blocks[f->block_count - 1].end)
        next[count++] = f->block_of[to];
    return count;
}

/*
 * Marks blocks that another one leads to, calls, or jumps to for warps whose lanes are not together. What is left is
 * where a table of jumps leads to.
 */
static void find_known(const struct machine_function *m, const struct code_function *f, bool *known)
{
    size_t next[2], to;

    for (size_t b = 0; b < f->block_count; b++) {
        size_t last = f->blocks[b].end - 1;

        for (size_t k = plain_ways(m, f, b, next); k > 0; k--)
            known[next[k - 1]] = true;
        if ((sass_calls(m, last, &to) || (machine_of_divergence(&m->code[last]) && jumps_to(m, last, &to))) &&
            to < f->blocks[f->block_count - 1].end)
            known[f->block_of[to]] = true;
    }
}

static bool is_table(const struct machine_function *m, const struct code_function *f, size_t b)
{
    unsigned base = sass_base(m, f->blocks[b].end - 1);

    return base == BASE_BRX || base == BASE_JMX;
}

/* Lists where each block leads to. A table of jumps leads to what nothing else does, up to the next table. */
static bool find_to(const struct machine_function *m, struct code_function *f)
{
    bool *known = calloc(f->block_count + 1, sizeof *known);
    uint32_t used = 0;

    f->flow.count = f->block_count;
    f->flow.first_to = calloc(f->block_count + 1, sizeof *f->flow.first_to);
    f->flow.to = calloc(3 * f->block_count + 1, sizeof *f->flow.to);
    if (known && f->flow.first_to && f->flow.to)
        find_known(m, f, known);
    for (size_t b = 0; known && f->flow.first_to && f->flow.to && b < f->block_count; b++) {
        size_t next[2], ways = plain_ways(m, f, b, next);

        for (size_t k = 0; k < ways; k++)
            f->flow.to[used++] = (uint32_t)next[k];
        for (size_t k = b + 1; is_table(m, f, b) && k < f->block_count; k++) {
            if (!known[k])
                f->flow.to[used++] = (uint32_t)k;
            if (is_table(m, f, k))
                break;
        }
        f->flow.first_to[b + 1] = used;
    }
    free(known);
    return known && f->flow.first_to && f->flow.to;
}

/* Marks what follows block `start`, and what it calls. */
static void reach(const struct machine_function *m, struct code_function *f, uint32_t *stack, uint32_t start)
{
    size_t depth = 0, to;

    f->blocks[start].apart = false;
    stack[depth++] = start;
    while (depth) {
        uint32_t b = stack[--depth];

        if (sass_calls(m, f->blocks[b].end - 1, &to) && to < f->blocks[f->block_count - 1].end &&
            f->blocks[f->block_of[to]].apart) {
            f->blocks[f->block_of[to]].apart = false;
            stack[depth++] = f->block_of[to];
        }
        for (uint32_t e = f->flow.first_to[b]; e < f->flow.first_to[b + 1]; e++)
            if (f->blocks[f->flow.to[e]].apart) {
                f->blocks[f->flow.to[e]].apart = false;
                stack[depth++] = f->flow.to[e];
            }
    }
}

/*
 * Sets `apart` of the blocks that are only executed by warps whose lanes are not together where a shuffle or a vote of
 * the whole warp stands: a copy for them, which a jump of its own leads to. They lead nowhere from here on.
 */
static bool find_apart(const struct machine_function *m, struct code_function *f)
{
    uint32_t *stack = calloc(f->block_count + 1, sizeof *stack), used = 0;

    for (size_t b = 0; b < f->block_count; b++)
        f->blocks[b].apart = true;
    if (stack)
        reach(m, f, stack, 0);
    for (size_t b = 0; stack && b < f->block_count; b++) {
        uint32_t first = f->flow.first_to[b], end = f->flow.first_to[b + 1];

        f->flow.first_to[b] = used;
        for (uint32_t e = first; e < end && !f->blocks[b].apart; e++)
            f->flow.to[used++] = f->flow.to[e];
    }
    f->flow.first_to[f->block_count] = used;
    free(stack);
    return stack;
}

static bool find_turns(size_t length, struct code_function *f)
{
    int *of = NULL;
    bool good = turns_find(&f->flow, &f->shapes, &f->turn_count, &of);

    f->turns = calloc(f->turn_count + 1, sizeof *f->turns);
    f->turn_of = malloc((length + 1) * sizeof *f->turn_of);
    good = good && f->turns && f->turn_of;
    for (size_t b = 0; good && b < f->block_count; b++)
        f->blocks[b].turn = of[b];
    for (size_t n = 0; good && n < length; n++)
        f->turn_of[n] = of[f->block_of[n]];
    for (size_t t = 0; good && t < f->turn_count; t++)
        f->turns[t] = (struct code_turn){.shape = &f->shapes[t], .text = NO_LOOP, .rounds = 1};
    free(of);
    return good;
}

/* ---- matching ---- */

struct copy {
    uint32_t line, operation, at;
    int turn;
};

static int by_place(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    return (x->turn > y->turn) - (x->turn < y->turn);
}

static bool find_copies(const struct machine_function *m, size_t length, struct code_function *f)
{
    struct copy *places = malloc((length + 1) * sizeof *places);
    size_t count = 0;

    f->copies = calloc(length + 1, sizeof *f->copies);
    for (size_t n = 0; places && f->copies && n < length; n++) {
        f->copies[n] = 1;
        if (!f->blocks[f->block_of[n]].apart)
            places[count++] = (struct copy){m->code[n].line, sass_base(m, n), (uint32_t)n, f->turn_of[n]};
    }
    if (count)
        qsort(places, count, sizeof *places, by_place);
    for (size_t n = 0, end; places && f->copies && n < count; n = end) {
        for (end = n; end < count && !by_place(&places[n], &places[end]); end++)
            ;
        for (size_t k = n; k < end; k++)
            f->copies[places[k].at] = (uint32_t)(end - n);
    }
    free(places);
    return places && f->copies;
}

bool sass_stays(const struct sass *x, const struct machine_function *m, size_t n)
{
    unsigned base = sass_base(m, n);
    uint32_t line = m->code[n].line;

    if (base == BASE_BRA || base == BASE_CALL || base == BASE_CALL_RELATIVE)
        return line < x->lines && x->jumps[line];
    return base == BASE_BAR || operation_is_access(base);
}

/*
 * The loop of the PTX that a loop of machine code is made of: of the line of its jump back, or one around it, so that
 * the accesses of the one are in the other.
 */
static int text_of(const struct sass *x, const struct machine_function *m, const struct code_function *f, int turn)
{
    uint32_t line = m->code[f->blocks[f->shapes[turn].tail].end - 1].line;
    int loop = line < x->lines ? x->loop_of[line] : NO_LOOP;

    for (; loop != NO_LOOP; loop = x->loops[loop].outer) {
        size_t inside = 0, outside = 0;

        for (size_t n = 0; n < f->blocks[f->block_count - 1].end; n++)
            if (f->turn_of[n] == turn && sass_stays(x, m, n) && m->code[n].line < x->lines) {
                if (sass_is_inside(x, x->loop_of[m->code[n].line], loop))
                    inside++;
                else
                    outside++;
            }
        if (outside * 8 <= inside)
            break;
    }
    return loop;
}

/* The number of copies that most operations of a loop's lines have, of those that are counted. */
static unsigned most_often(const unsigned *often, size_t size)
{
    size_t best = 1;

    /* An operation with k copies was counted k times. */
    for (size_t k = 2; k < size; k++)
        if (often[k] / k > often[best] / best)
            best = k;
    return (unsigned)best;
}

/*
 * How many rounds of its loop are one: as many barriers are there. Without one, most accesses or most other operations
 * are there so often: one load may be that of several rounds, and some sums are made once for all.
 */
static unsigned rounds_of(const struct sass *x, const struct machine_function *m, const struct code_function *f,
                          int turn)
{
    enum { MOST = 64 };
    unsigned accesses[MOST + 1] = {0}, others[MOST + 1] = {0}, barriers = 0, a, b;

    for (size_t n = 0; n < f->blocks[f->block_count - 1].end; n++) {
        uint32_t line = m->code[n].line;
        unsigned copies = f->copies[n] < MOST ? f->copies[n] : MOST;

        if (f->turn_of[n] != turn || line >= x->lines || x->loop_of[line] != f->turns[turn].text)
            continue;
        if (sass_base(m, n) == BASE_BAR)
            barriers = copies;
        else if (operation_is_access(sass_base(m, n)))
            accesses[copies]++;
        else
            others[copies]++;
    }
    a = most_often(accesses, MOST + 1);
    b = most_often(others, MOST + 1);
    return barriers ? barriers : a > b ? a : b;
}

/* Sets k->called of all blocks: where the inner function begins that they belong to, or 0. */
static void find_called(struct code_function *f, const struct machine_function *m)
{
    uint32_t first = 0;
    size_t to;

    for (size_t b = 0; b < f->block_count; b++)
        if (sass_calls(m, f->blocks[b].end - 1, &to) && to < f->blocks[f->block_count - 1].end)
            f->blocks[f->block_of[to]].called = (uint32_t)to;
    for (size_t b = 0; b < f->block_count; b++)
        f->blocks[b].called = first = f->blocks[b].called ? f->blocks[b].called : first;
}

static bool read_function(struct sass *x, size_t number, const char *kernel)
{
    const struct machine_function *m = &x->code[number];
    struct code_function *f = &x->functions[number];
    size_t length = length_of(m);

    f->kernel = !strcmp(m->name, kernel);
    f->likely = calloc(length + 1, sizeof *f->likely);
    if (!f->likely)
        return false;
    if (!length)
        return true;
    if (!find_blocks(m, length, f) || !find_to(m, f) || !find_apart(m, f) || !flow_complete(&f->flow) ||
        !find_turns(length, f) || !find_copies(m, length, f))
        return false;
    find_called(f, m);
    for (size_t t = 0; t < f->turn_count; t++) {
        f->turns[t].text = text_of(x, m, f, (int)t);
        f->turns[t].rounds = f->turns[t].text == NO_LOOP ? 1 : rounds_of(x, m, f, (int)t);
    }
    return true;
}

struct sass *sass_create(const struct program *program, const char *text, size_t size, const char *kernel)
{
    struct sass *x = calloc(1, sizeof *x);
    bool good = x && ptxas_functions(text, size, program, kernel, &x->code, &x->count);

    if (good)
        good = (x->functions = calloc(x->count + 1, sizeof *x->functions)) && read_text(x, program);
    for (size_t f = 0; good && f < x->count; f++)
        good = read_function(x, f, kernel);
    if (good)
        return x;
    sass_free(x);
    return NULL;
}

void sass_free(struct sass *x)
{
    if (!x)
        return;
    for (size_t f = 0; x->functions && f < x->count; f++) {
        turns_free(x->functions[f].shapes, x->functions[f].turn_count);
        flow_release(&x->functions[f].flow);
        free(x->functions[f].blocks);
        free(x->functions[f].block_of);
        free(x->functions[f].likely);
        free(x->functions[f].turns);
        free(x->functions[f].turn_of);
        free(x->functions[f].copies);
    }
    if (x->code)
        machine_functions_free(x->code, x->count);
    free(x->functions);
    free(x->loops);
    free(x->loop_of);
    free(x->jumps);
    free(x);
}
