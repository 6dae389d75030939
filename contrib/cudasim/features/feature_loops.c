/*
 * feature_loops.c - what ptxas made of a kernel's innermost loops: how many rounds became one, how many instructions
 * are left, and which loads of shared memory it put together.
 *
 * ptxas makes one round of four of many loops, also of those that nvcc has unrolled before. All loads of such a round
 * are on their way together. And it loads up to four neighbouring words of shared memory at once. The PTX says none of
 * this, but the machine code does: where a loop of one straight run has n loads, an unrolled one has 4 n. Loops of both
 * are matched by their loads and stores, those with most of them first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_graph.h"
#include "feature_step.h"
#include "contrib/cudasim/container/fatbin.h"
#include "contrib/cudasim/machine/ins.h"

#define NOWHERE UINT32_MAX

/* ---- the loops of the PTX ---- */

/* A function's statements, and where in the program they are. */
struct text {
    const struct ptx_function *f;
    uint32_t *step;               /* [statement_count] NOWHERE: of no instruction */
    size_t *labels;               /* [label_count] statements */
    size_t label_count;
};

static bool read_text(struct text *t, const struct program *program, const struct function *kernel)
{
    const struct ptx_function *f = kernel->ptx;
    uint32_t at = kernel->first;

    *t = (struct text){.f = f, .step = calloc(f->statement_count + 1, sizeof *t->step),
                       .labels = calloc(f->statement_count + 1, sizeof *t->labels)};
    for (size_t n = 0; t->step && t->labels && n < f->statement_count; n++) {
        const struct ptx_statement *s = &f->statements[n];

        t->step[n] = NOWHERE;
        if (s->kind == PTX_LABEL)
            t->labels[t->label_count++] = n;
        if (s->kind != PTX_INSTRUCTION)
            continue;
        while (at < kernel->last && program->code[at].line < s->line)
            at++;
        if (at < kernel->last && program->code[at].line == s->line)
            t->step[n] = at;
    }
    return t->step && t->labels;
}

static void free_text(struct text *t)
{
    free(t->step);
    free(t->labels);
}

/* The label that the jump leads to, a statement; SIZE_MAX: it is no such jump. */
static size_t target_of(const struct text *t, const struct ptx_statement *s)
{
    if (s->kind != PTX_INSTRUCTION || !feature_is(s->opcode, "bra") || s->count != 1 || !s->operands[0].name)
        return SIZE_MAX;
    for (size_t n = 0; n < t->label_count; n++)
        if (!strcmp(t->f->statements[t->labels[n]].name, s->operands[0].name))
            return t->labels[n];
    return SIZE_MAX;
}

static bool push_loop(struct costs *c, const struct code_loop *loop)
{
    struct code_loop *more = realloc(c->loops, (c->loop_count + 1) * sizeof *more);

    if (!more)
        return false;
    c->loops = more;
    c->loops[c->loop_count++] = *loop;
    return true;
}

/* Jumps back over a stretch in which no other jump leads back. */
static bool read_loops(struct costs *c, const struct text *t)
{
    size_t inner = 0; /* the last jump back so far led from this statement */

    for (size_t last = 0; last < t->f->statement_count; last++) {
        size_t first = target_of(t, &t->f->statements[last]);
        struct code_loop loop = {.first = first, .last = last, .rounds = 1, .straight = true};

        if (first == SIZE_MAX || first > last)
            continue;
        for (size_t n = first + 1; n < last; n++) {
            const struct ptx_statement *s = &t->f->statements[n];

            if (s->kind == PTX_LABEL || (s->kind == PTX_INSTRUCTION &&
                                         (feature_is(s->opcode, "bra") || feature_is(s->opcode, "brx"))))
                loop.straight = false;
        }
        if ((inner < first || inner == 0) && !push_loop(c, &loop))
            return false;
        inner = last;
    }
    return true;
}

/* ---- matching ---- */

static const struct cost_step *step_of(const struct costs *c, const struct text *t, size_t n)
{
    return t->step[n] != NOWHERE && c->steps[t->step[n]].known ? &c->steps[t->step[n]] : NULL;
}

static struct cubin_loop accesses(const struct costs *c, const struct text *t, const struct code_loop *loop)
{
    struct cubin_loop sum = {0};

    for (size_t n = loop->first; n <= loop->last; n++) {
        const struct cost_step *s = step_of(c, t, n);

        sum.instructions += s != NULL;
        sum.loads += s && s->access == ACCESS_LOAD;
        sum.stores += s && s->access == ACCESS_STORE;
        sum.shared_loads += s && s->access == ACCESS_SHARED_LOAD;
    }
    return sum;
}

/* ptxas may load up to four words of shared memory at once, but not of global memory. */
static bool fits(const struct cubin_loop *ptx, const struct cubin_loop *machine, unsigned rounds)
{
    unsigned shared = rounds * ptx->shared_loads;

    return machine->loads == rounds * ptx->loads && machine->stores == rounds * ptx->stores &&
           machine->shared_loads <= shared &&
           (ptx->loads || rounds == 1 ? 4 * machine->shared_loads >= shared : machine->shared_loads == shared);
}

static const struct cubin_loop *match(const struct cubin_loop *ptx, struct code_loop *loop,
                                      const struct cubin_loop *machine, bool *taken, size_t count)
{
    static const unsigned tried[] = {8, 4, 2, 1};

    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
        for (size_t n = 0; n < count && (loop->straight || tried[k] == 1); n++)
            if (!taken[n] && fits(ptx, &machine[n], tried[k]) &&
                (tried[k] == 1 || tried[k] * ptx->instructions <= MOST_POSITIONS)) {
                taken[n] = true;
                loop->rounds = tried[k];
                return &machine[n];
            }
    return NULL;
}

/* ---- what the machine code says of a loop ---- */

/* The machine code has fewer instructions than the PTX says, or more: the loop's steps cost what it has. */
static void scale(struct costs *c, const struct text *t, const struct code_loop *loop,
                  const struct cubin_loop *machine)
{
    double slots = 0, factor;

    for (size_t n = loop->first; n <= loop->last; n++)
        slots += step_of(c, t, n) ? step_of(c, t, n)->slots : 0;
    if (slots <= 0 || !loop->straight)
        return;
    factor = fmin(fmax(machine->instructions / (slots * loop->rounds), 0.5), 2);
    for (size_t n = loop->first; n <= loop->last; n++) {
        struct cost_step *s = step_of(c, t, n) ? &c->steps[t->step[n]] : NULL;

        if (s)
            s->slots *= factor;
        if (s && (s->pipe == PIPE_ALU || s->pipe == PIPE_FMA))
            s->busy *= factor;
    }
}

/* A load of one word of shared memory. */
struct word_load {
    size_t statement;
    const struct ptx_operand *base; /* of its address */
    int64_t offset;
    unsigned words;                 /* of its group; 0: it is in none */
};

enum { MOST_LOADS = 256 };

static bool is_word_load(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && feature_is(s->opcode, "ld") && feature_has(s->opcode, "shared") &&
           !feature_has(s->opcode, "volatile") && s->count == 2 && s->operands[0].kind == PTX_OPERAND_REGISTER &&
           s->operands[1].kind == PTX_OPERAND_ADDRESS && s->operands[1].count == 1 &&
           (feature_has(s->opcode, "f32") || feature_has(s->opcode, "u32") || feature_has(s->opcode, "s32") ||
            feature_has(s->opcode, "b32"));
}

static bool same_base(const struct ptx_operand *a, const struct ptx_operand *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == PTX_OPERAND_REGISTER ? a->reg == b->reg
                                           : a->kind == PTX_OPERAND_NAME && !strcmp(a->name, b->name);
}

/* Marks the loads of `words` neighbours at a multiple of their size; returns how many such groups there are. */
static unsigned group(struct word_load *list, size_t count, unsigned words)
{
    unsigned groups = 0;

    for (size_t n = 0; n < count; n++) {
        size_t of[4] = {n};
        unsigned found = 1;

        if (list[n].words || (uint64_t)list[n].offset % (4 * words))
            continue;
        for (unsigned k = 1; k < words; k++)
            for (size_t m = 0; m < count && found == k; m++)
                if (!list[m].words && same_base(list[m].base, list[n].base) &&
                    list[m].offset == list[n].offset + 4 * k)
                    of[found++] = m;
        for (unsigned k = 0; found == words && k < words; k++)
            list[of[k]].words = words;
        groups += found == words;
    }
    return groups;
}

static bool writes_register(const struct ptx_statement *s, const struct word_load *list, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (s->count && s->operands[0].kind == PTX_OPERAND_REGISTER && list[n].base->kind == PTX_OPERAND_REGISTER &&
            s->operands[0].reg == list[n].base->reg)
            return true;
    return false;
}

/* The loads from statement `from` on that ptxas could put together: up to a store, a barrier, a jump, a new base. */
static size_t read_stretch(const struct text *t, size_t from, size_t to, struct word_load *list, size_t *count)
{
    size_t n = from;

    for (*count = 0; n <= to && *count < MOST_LOADS; n++) {
        const struct ptx_statement *s = &t->f->statements[n];

        if (s->kind == PTX_LABEL || (s->kind == PTX_INSTRUCTION &&
                                     (feature_is(s->opcode, "bra") || feature_is(s->opcode, "bar") ||
                                      feature_is(s->opcode, "barrier") || feature_is(s->opcode, "atom") ||
                                      (feature_is(s->opcode, "st") && feature_has(s->opcode, "shared")))))
            return n + 1;
        if (is_word_load(s))
            list[(*count)++] = (struct word_load){n, &s->operands[1].elements[0],
                                                  s->operands[1].offset + s->operands[1].elements[0].offset, 0};
        else if (s->kind == PTX_INSTRUCTION && writes_register(s, list, *count))
            return n + 1;
    }
    return n;
}

/*
 * Shares the passes that are saved among the loads that could be put together. Whether they were depends on what ptxas
 * knows of their addresses: the number of loads in the machine code tells.
 */
static bool merge(struct costs *c, const struct text *t, const struct code_loop *loop, const struct cubin_loop *ptx,
                  const struct cubin_loop *machine)
{
    struct word_load *list = calloc(MOST_LOADS, sizeof *list);
    double fewer = ptx->shared_loads - (double)machine->shared_loads / loop->rounds, could = 0;

    for (int marking = 0; list && marking < 2 && fewer > 0; marking++)
        for (size_t n = loop->first, count; n <= loop->last;) {
            double saved;

            n = read_stretch(t, n, loop->last, list, &count);
            saved = 3.0 * group(list, count, 4) + group(list, count, 2);
            could += marking ? 0 : saved;
            for (size_t k = 0; marking && k < count; k++)
                if (list[k].words && t->step[list[k].statement] != NOWHERE)
                    c->steps[t->step[list[k].statement]].merged = (1 - 1.0 / list[k].words) * fmin(fewer / could, 1);
        }
    free(list);
    return list != NULL;
}

/* ---- all of them ---- */

static bool use_match(struct costs *c, const struct text *t, struct code_loop *loop, const struct cubin_loop *machine,
                      bool *taken, size_t count)
{
    struct cubin_loop ptx = accesses(c, t, loop);
    const struct cubin_loop *found;

    if (ptx.loads + ptx.stores + ptx.shared_loads == 0 || !(found = match(&ptx, loop, machine, taken, count)))
        return true;
    scale(c, t, loop, found);
    return merge(c, t, loop, &ptx, found);
}

/* The loop with most accesses that is not done; NULL: all are. */
static struct code_loop *largest(struct costs *c, const struct text *t)
{
    struct code_loop *best = NULL;
    unsigned most = 0;

    for (size_t n = 0; n < c->loop_count; n++) {
        struct cubin_loop sum = accesses(c, t, &c->loops[n]);

        if (!c->loops[n].done && (!best || sum.loads + sum.stores > most)) {
            best = &c->loops[n];
            most = sum.loads + sum.stores;
        }
    }
    return best;
}

bool costs_find_loops(struct costs *c, const struct program *program, const struct function *kernel,
                      const struct cubin_loop *machine, size_t count)
{
    bool *taken = calloc(count + 1, sizeof *taken), good;
    struct text t;
    struct code_loop *loop;

    good = read_text(&t, program, kernel) && taken && read_loops(c, &t);
    while (good && (loop = largest(c, &t))) {
        loop->done = true;
        good = use_match(c, &t, loop, machine, taken, count);
    }
    for (size_t n = 0; good && n < c->loop_count; n++) {
        loop = &c->loops[n];
        while (loop->first < loop->last && t.step[loop->first] == NOWHERE)
            loop->first++;
        loop->first = t.step[loop->first];
        loop->last = t.step[loop->last];
    }
    free_text(&t);
    free(taken);
    return good;
}

unsigned costs_unrolled(const struct costs *c, uint32_t from, uint32_t to)
{
    for (size_t n = 0; n < c->loop_count; n++)
        if (c->loops[n].first >= from && c->loops[n].last < to)
            return c->loops[n].rounds;
    return 1;
}
