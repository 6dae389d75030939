/*
 * feature_stall.c - what operations of machine code for sm_90 cost, and the path of a warp that is alone: it issues
 * in order, and waits as the instructions themselves say (machine_lines.h).
 *
 * Blocks are walked in their order. A loop is walked twice: its second round is taken for all but the first. A block
 * that only some rounds execute counts as often as they do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_sass.h"
#include "contrib/cudasim/container/machine_lines.h"

enum { BARRIERS = 6 };
enum { BASE_LD = 0x180, BASE_LDG, BASE_LDC, BASE_LDL, BASE_LDS, BASE_ST, BASE_STG, BASE_STL, BASE_STS, BASE_SHFL,
       BASE_ATOM, BASE_ATOMS = 0x18C, BASE_ATOMS_SWAP, BASE_RED, BASE_SYNCS = 0x1A7, BASE_ATOMG, BASE_ATOMG_SWAP,
       BASE_LDGSTS = 0x1AE, BASE_LDGDEPBAR, BASE_LDSM = 0x03B, BASE_MUFU = 0x108, BASE_DEPBAR = 0x11A };

bool operation_is_access(unsigned base)
{
    return (base >= BASE_LD && base <= 0x1AF && base != BASE_LDC) || base == BASE_LDSM;
}

/* ---- the pipes ---- */

/* Of a multiprocessor's pipe for arithmetic. */
struct use {
    int pipe;      /* enum pipe, or PIPES: none of them */
    double clocks;
};

/* By the microbenchmarks (group pipes): lanes of each pipe. */
static struct use use_of(unsigned base)
{
    if (base == 0x020 || base == 0x021 || base == 0x023)
        return (struct use){PIPE_FMA, 0.25};              /* FMUL, FADD, FFMA */
    if (base >= 0x024 && base <= 0x027)
        return (struct use){PIPE_FMA, 0.5};               /* IMAD, IMAD.WIDE, IDP, IMAD.HI */
    if (base >= 0x030 && base <= 0x032)
        return (struct use){PIPE_FMA, 0.36};              /* HADD2, HFMA2, HMUL2 */
    if (base >= 0x028 && base <= 0x02B)
        return (struct use){PIPE_FP64, 0.5};              /* DMUL, DADD, DSETP, DFMA */
    if (base == BASE_MUFU || base == 0x100 || base == 0x101 || base == 0x109 || (base >= 0x104 && base <= 0x106))
        return (struct use){PIPE_XU, 2.2};                /* FLO, BREV, POPC, F2F, F2I, I2F */
    if (base >= 0x110 && base <= 0x113)
        return (struct use){PIPE_XU, 2.3};                /* the same of 64 bits */
    if (base < 0x020 || (base >= 0x040 && base < 0x080) || base == 0x003 || base == 0x1C2)
        return (struct use){PIPE_ALU, 0.5};               /* IADD3, LEA, LOP3, SHF, ISETP, FSETP, SEL, MOV, ... */
    return (struct use){PIPES, 0};                        /* uniform, jumps, accesses, tensor cores */
}

void sass_costs(const struct sass *x, struct cost *sum, struct cost *once)
{
    for (size_t n = 0; n < x->count; n++)
        for (size_t b = 0; b < x->functions[n].block_count; b++) {
            const struct code_block *k = &x->functions[n].blocks[b];

            if (k->count <= 0)
                continue;
            once->slots += k->end - k->first;
            sum->slots += k->count * (k->end - k->first);
            for (size_t i = k->first; i < k->end; i++) {
                struct use use = use_of(operation_base(machine_operation(&x->code[n].code[i])));

                if (use.pipe != PIPES)
                    sum->busy[use.pipe] += k->count * use.clocks;
                /* An access that no lane carries out takes its turn in the pipe. The others are counted elsewhere. */
                sum->busy[PIPE_LSU] += k->count * (1 - x->functions[n].likely[i]);
            }
        }
}

void sass_accesses(const struct sass *x, double *accesses)
{
    for (size_t n = 0; n < x->count; n++)
        for (size_t b = 0; b < x->functions[n].block_count; b++) {
            const struct code_block *k = &x->functions[n].blocks[b];

            for (size_t i = k->first; i < k->end; i++) {
                const struct machine_ins *m = &x->code[n].code[i];

                if (operation_is_access(operation_base(machine_operation(m))) && m->line < x->lines)
                    accesses[m->line] += k->count * x->functions[n].likely[i];
            }
        }
}

/* ---- the path ---- */

/* Clocks of each wait that count as one: feature_walk.c has the same. */
static const double typical[WAITS] = {[WAIT_LOAD] = 300, [WAIT_SHARED] = 29,  [WAIT_ATOMIC] = 600,
                                      [WAIT_CONSTANT] = 26, [WAIT_BARRIER] = 20, [WAIT_FENCE] = 600,
                                      [WAIT_HIT] = 42};
#define UNKNOWN_CLOCKS 20.0 /* of operations of variable length: special registers, special functions */
#define JUMP_CLOCKS 6.0     /* until the instruction at a jump's target issues: as feature_walk.c has it */

struct barrier {
    double near, far; /* when it is released if L1 has all data; if it lacks some */
    double found;     /* how likely L1 has all */
    int kind;         /* enum wait */
};

struct clock {
    double now;
    double there;       /* when what the last load asked for is there that L1 did not have */
    double free[PIPES]; /* when a pipe of half the lanes takes the next instruction */
    struct barrier barriers[BARRIERS];
};

struct walking {
    const struct sass *sass;
    const struct machine_function *m;
    const struct code_function *f;
    const struct sass_loads *loads;
    struct sass_loads all; /* of all lines */
    struct walk *sum;
};

static int kind_of(unsigned base)
{
    switch (base) {
    case BASE_LD: case BASE_LDG: case BASE_LDGSTS: case BASE_LDGDEPBAR: return WAIT_LOAD;
    case BASE_LDL: return WAIT_HIT;
    case BASE_LDS: case BASE_LDSM: case BASE_ATOMS: case BASE_ATOMS_SWAP: case BASE_SYNCS: return WAIT_SHARED;
    case BASE_LDC: return WAIT_CONSTANT;
    case BASE_ATOM: case BASE_ATOMG: case BASE_ATOMG_SWAP: return WAIT_ATOMIC;
    default: return WAIT_NONE;
    }
}

/* Waits for a barrier: what is likely, of both cases. */
static void wait_for(struct walking *w, struct clock *c, struct barrier *b, double weight)
{
    double near = fmax(b->near - c->now, 0), far = fmax(b->far - c->now, 0);
    double all = b->found * near + (1 - b->found) * far;

    if (b->kind == WAIT_LOAD) {
        w->sum->waits[WAIT_HIT] += weight * b->found * near / typical[WAIT_HIT];
        w->sum->waits[WAIT_LOAD] += weight * (1 - b->found) * far / typical[WAIT_LOAD];
    } else if (b->kind != WAIT_NONE) {
        w->sum->waits[b->kind] += weight * all / typical[b->kind];
    } else {
        w->sum->clocks += weight * all;
    }
    c->now += all;
    *b = (struct barrier){.found = 1, .kind = WAIT_NONE};
}

/* What is known of the loads of an instruction; NULL: it is a generic one that is not from global memory. */
static const struct sass_loads *loads_of(const struct walking *w, const struct machine_ins *i)
{
    const struct sass_loads *x = i->line < w->sass->lines ? &w->loads[i->line] : &w->all;

    return x->count > 0 ? x : x->walked ? NULL : &w->all;
}

/*
 * When a load's data is there, for the warp's barrier. What this warp has asked for just before comes with that.
 */
static void release_load(struct walking *w, struct clock *c, const struct machine_ins *i, struct barrier *b,
                         double likely)
{
    const struct sass_loads *x = loads_of(w, i);
    double near = c->now + likely * typical[WAIT_HIT], far = c->now + likely * typical[WAIT_LOAD];
    double found = x && x->count > 0 ? (x->found + x->coming) / x->count : 0;

    if (!x) {
        b->kind = b->kind == WAIT_NONE ? WAIT_SHARED : b->kind;
        b->near = fmax(b->near, c->now + likely * typical[WAIT_SHARED]);
        b->far = fmax(b->far, c->now + likely * typical[WAIT_SHARED]);
        return;
    }
    if (x->coming > x->found)
        near = fmax(near, c->there);
    b->kind = WAIT_LOAD;
    b->near = fmax(b->near, near);
    b->far = fmax(b->far, far);
    b->found *= found;
    if (found < 0.5)
        c->there = far;
}

/* `likely`: that the instruction's guard holds. Where it does not, the barrier is released at once. */
static void release(struct walking *w, struct clock *c, const struct machine_ins *i, unsigned number, bool result,
                    double likely)
{
    unsigned base = operation_base(machine_operation(i));
    struct barrier *b = &c->barriers[number];
    int kind = result ? kind_of(base) : WAIT_NONE;
    double clocks = likely * (kind == WAIT_NONE ? UNKNOWN_CLOCKS : typical[kind]);

    if (kind == WAIT_LOAD && base != BASE_LDGDEPBAR) {
        release_load(w, c, i, b, likely);
        return;
    }
    if (b->kind == WAIT_NONE)
        b->kind = kind;
    b->found *= kind == WAIT_LOAD ? 0 : 1;
    b->near = fmax(b->near, c->now + clocks);
    b->far = fmax(b->far, c->now + clocks);
}

static void step_on(struct walking *w, struct clock *c, size_t n, double weight)
{
    const struct machine_ins *i = &w->m->code[n];
    unsigned base = operation_base(machine_operation(i)), stall = machine_stall(i);
    struct use use = use_of(base);
    double before;

    for (unsigned b = 0; b < BARRIERS; b++)
        if (machine_waits_for(i) >> b & 1)
            wait_for(w, c, &c->barriers[b], weight);
    if (base == BASE_DEPBAR && !(i->low >> 38 & 0x3F) && (i->low >> 44 & 7) < BARRIERS) /* until none is left */
        wait_for(w, c, &c->barriers[i->low >> 44 & 7], weight);
    before = c->now;
    if (use.pipe != PIPES) {
        c->now = fmax(c->now, c->free[use.pipe]);
        c->free[use.pipe] = c->now + 4 * use.clocks;
    }
    if (machine_result_barrier(i) < BARRIERS)
        release(w, c, i, machine_result_barrier(i), true, w->f->likely[n]);
    if (machine_read_barrier(i) < BARRIERS)
        release(w, c, i, machine_read_barrier(i), false, w->f->likely[n]);
    c->now += stall > 1 ? stall : 1;
    w->sum->clocks += weight * (c->now - before);
    if (base == BASE_BAR) {
        w->sum->waits[WAIT_BARRIER] += weight;
        c->now += typical[WAIT_BARRIER];
    }
    w->sum->instructions += weight;
}

/* A block, and the jump at its end if it leads on. */
static void walk_block(struct walking *w, struct clock *c, size_t b, double weight)
{
    const struct code_function *f = w->f;
    const struct code_block *k = &f->blocks[b];
    const struct machine_ins *last = &w->m->code[k->end - 1];
    double jump = fmax(JUMP_CLOCKS - machine_stall(last), 0), on = 0;

    for (size_t n = k->first; n < k->end; n++)
        step_on(w, c, n, weight);
    if (operation_base(machine_operation(last)) != BASE_BRA)
        return;
    if (!machine_always(last) && b + 1 < f->block_count)
        on = fmin(f->blocks[b + 1].count / k->count, 1);
    c->now += jump * (1 - on);
    w->sum->clocks += weight * jump * (1 - on);
}

/* A block or loop that is executed less often than this, by its surroundings, does not delay what comes next. */
#define RARE 0.5

static int below(const struct code_function *f, int inner, int turn)
{
    while (inner != NO_LOOP && f->shapes[inner].outer != turn)
        inner = f->shapes[inner].outer;
    return inner;
}

/* The blocks of a loop, from place `start` of their order on; `count`: how often it is executed. */
static void walk_loop(struct walking *w, struct clock *c, size_t start, int turn, double count, double weight)
{
    const struct code_function *f = w->f;
    uint32_t called = f->blocks[f->flow.order[start]].called;

    for (size_t n = start; n < f->block_count && count > 0; n++) {
        size_t b = f->flow.order[n];
        const struct code_block *k = &f->blocks[b];
        struct clock kept = *c;
        double share = fmin(k->count / count, 1);

        if (k->called != called || (turn != NO_LOOP && !f->shapes[turn].has[b]))
            continue;
        if (k->turn != turn) {
            int inner = below(f, k->turn, turn);
            const struct code_turn *t = &f->turns[inner];

            if (inner == NO_LOOP || t->shape->head != b) /* the loop was walked as a whole */
                continue;
            share = fmin(t->entries / count, 1);
            if (share > 0)
                walk_loop(w, c, n, inner, t->count, weight * share);
            if (t->count > t->entries && share > 0)
                walk_loop(w, c, n, inner, t->count, weight * share * (t->count / t->entries - 1));
        } else if (share > 0) {
            walk_block(w, c, b, weight * share);
        }
        if (share < RARE)
            *c = kept;
    }
}

void sass_walk(const struct sass *x, const struct sass_loads *loads, double warps, struct walk *sum)
{
    struct sass_loads all = {0};

    for (size_t n = 0; n < x->lines; n++) {
        all.count += loads[n].count;
        all.found += loads[n].found;
        all.coming += loads[n].coming;
    }
    for (size_t n = 0; n < x->count; n++) {
        const struct code_function *f = &x->functions[n];
        struct walking w = {x, &x->code[n], f, loads, all, sum};

        for (size_t k = 0; k < f->block_count; k++) {
            const struct code_block *first = &f->blocks[f->flow.order[k]];
            struct clock c = {0};

            /* The function's first block, and those of functions that it calls. */
            if (first->count <= 0 || (f->flow.order[k] != 0 && first->first != first->called))
                continue;
            for (unsigned b = 0; b < BARRIERS; b++)
                c.barriers[b] = (struct barrier){.found = 1, .kind = WAIT_NONE};
            walk_loop(&w, &c, k, NO_LOOP, first->count, first->count / warps);
        }
    }
}
