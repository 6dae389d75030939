/*
 * feature_code.c - reads a kernel's PTX: the distances of its dependences, its loops, and the values that end them.
 *
 * A loop is a strongly connected part of the graph of basic blocks. Without its entry blocks, the rest of it holds the
 * inner loops. A value depends on all that its operands depend on, over all definitions of a register, until nothing
 * changes. A register that is defined on both sides of a branch, or on one side only, also depends on the branch's
 * condition. Each space of memory that the threads share counts as one value. Functions that are called are read too,
 * and share one value for all arguments and results.
 *
 * If in doubt, the answer is "depends".
 */
#include "feature_code.h"

#include <stdlib.h>
#include <string.h>

#include "feature_graph.h"

#define NEST_LIMIT 100 /* loops around each other: deeper ones are not looked for */
#define NONE SIZE_MAX

/* ------------------------------------------------------------------ dependence degree */

struct search {
    const struct graph *g;
    const struct uses *reads, *writes;
    unsigned *seen;    /* [blocks] the search that came by last */
    size_t *stack;     /* [blocks] */
    unsigned serial;
    size_t from;       /* the statement that wrote */
    size_t found;      /* the first statement that reads it, NONE */
};

static bool in_list(const struct uses *u, size_t reg, size_t statement)
{
    size_t low = u->first[reg], high = u->first[reg + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (u->list[middle] == statement)
            return true;
        if (u->list[middle] < statement)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Walks on from statement `at` to the end of its block. False: the register is written anew on the way. */
static bool walk_block(struct search *x, size_t reg, size_t at)
{
    const struct ptx_function *f = x->g->f;
    size_t end = x->g->blocks[x->g->of[at]].end;

    for (; at < end; at++) {
        if (at > x->from && at < x->found && in_list(x->reads, reg, at))
            x->found = at;
        if (f->statements[at].guard < 0 && in_list(x->writes, reg, at))
            return false;
    }
    return true;
}

/* The first statement behind x->from that may read what it wrote to a register with several definitions. */
static void search_paths(struct search *x, size_t reg)
{
    const struct graph *g = x->g;
    size_t count = 0, own = g->of[x->from];
    bool on = x->from + 1 >= g->blocks[own].end || walk_block(x, reg, x->from + 1);

    x->serial++;
    for (size_t n = 0; on && n < g->blocks[own].next_count; n++) {
        size_t to = g->blocks[own].next[n];

        if (to < g->count && x->seen[to] != x->serial) {
            x->seen[to] = x->serial;
            x->stack[count++] = to;
        }
    }
    while (count > 0) {
        const struct block *b = &g->blocks[x->stack[--count]];

        if (!walk_block(x, reg, b->first))
            continue;
        for (size_t n = 0; n < b->next_count; n++)
            if (b->next[n] < g->count && x->seen[b->next[n]] != x->serial) {
                x->seen[b->next[n]] = x->serial;
                x->stack[count++] = b->next[n];
            }
    }
}

/* Looks for the first later reader of one register that x->from wrote. */
static void search_register(size_t reg, void *context)
{
    struct search *x = context;
    const struct uses *reads = x->reads;

    if (x->writes->first[reg + 1] - x->writes->first[reg] > 1) {
        search_paths(x, reg);
        return;
    }
    for (size_t n = reads->first[reg]; n < reads->first[reg + 1]; n++)
        if (reads->list[n] > x->from) {
            x->found = reads->list[n] < x->found ? reads->list[n] : x->found;
            return;
        }
}

static bool is_listed(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && !feature_returns(s);
}

size_t features_dependence(const struct ptx_function *f, unsigned *distance)
{
    struct graph g;
    struct uses reads = {0}, writes = {0};
    size_t *number = calloc(f->statement_count + 1, sizeof *number), count = 0;
    struct search x = {.g = &g, .reads = &reads, .writes = &writes};
    bool good = graph_make(&g, f);

    x.seen = calloc(g.count + 1, sizeof *x.seen);
    x.stack = calloc(g.count + 1, sizeof *x.stack);
    good = good && number && x.seen && x.stack && uses_make(&reads, f, feature_visit_read) &&
           uses_make(&writes, f, feature_visit_written);
    for (size_t n = 0; good && n < f->statement_count; n++)
        number[n] = is_listed(&f->statements[n]) ? count++ : count;
    for (size_t n = 0; good && distance && n < f->statement_count; n++) {
        if (!is_listed(&f->statements[n]))
            continue;
        x.from = n;
        x.found = NONE;
        feature_visit_written(f, &f->statements[n], search_register, &x);
        distance[number[n]] =
            x.found == NONE || !is_listed(&f->statements[x.found]) ? 0 : (unsigned)(number[x.found] - number[n]);
    }
    graph_release(&g);
    uses_release(&reads);
    uses_release(&writes);
    free(number);
    free(x.seen);
    free(x.stack);
    return good ? count : SIZE_MAX;
}

/* ------------------------------------------------------------------ what values depend on */

struct part {
    const struct ptx_function *f;
    struct graph g;
    struct uses writes;
    uint8_t *registers;   /* [register_count + 1] enum depends */
    bool *side;           /* [blocks] scratch: executed only on one side of a branch */
    size_t depth;         /* of its own loops with a number of rounds that is no constant */
    bool read;            /* the code above is filled */
};

struct reader {
    const struct ptx_module *module;
    struct features_code *code;
    struct part *parts;   /* [function_count], those that are reached */
    size_t loop_capacity;
    unsigned shared, local, arguments; /* enum depends: what was ever stored there */
    bool changed;
    bool failed;          /* no memory */
};

static void note(struct reader *r, uint8_t *place, unsigned depends)
{
    if ((*place | depends) != *place) {
        *place |= (uint8_t)depends;
        r->changed = true;
    }
}

static void note_memory(struct reader *r, unsigned *place, unsigned depends)
{
    if ((*place | depends) != *place) {
        *place |= depends;
        r->changed = true;
    }
}

static unsigned operand_depends(const struct part *p, const struct ptx_operand *x)
{
    unsigned depends = 0;

    if (x->kind == PTX_OPERAND_REGISTER && x->reg >= 0)
        depends |= p->registers[x->reg];
    if (x->kind == PTX_OPERAND_SPECIAL)
        depends |= strncmp(x->name, "%clock", 6) == 0 || strncmp(x->name, "%globaltimer", 12) == 0 ? DEPENDS_CLOCK
                                                                                               : DEPENDS_SIZE;
    for (size_t n = 0; n < x->count; n++)
        depends |= operand_depends(p, &x->elements[n]);
    return depends;
}

static unsigned sources_depend(const struct part *p, const struct ptx_statement *s)
{
    unsigned depends = 0;

    for (size_t n = 0; n < s->count; n++)
        if (!feature_writes(s, n) || feature_accumulates(s))
            depends |= operand_depends(p, &s->operands[n]);
    if (feature_reads_carry(s->opcode))
        depends |= p->registers[p->f->register_count];
    return depends;
}

static bool has_space(const char *opcode, const char *space)
{
    size_t length = strlen(space);

    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, space, length) == 0 && (at[length + 1] == '.' || at[length + 1] == ':' || !at[length + 1]))
            return true;
    return false;
}

/* The operand in brackets, or NULL. */
static const struct ptx_operand *address_of(const struct ptx_statement *s)
{
    for (size_t n = 0; n < s->count; n++)
        if (s->operands[n].kind == PTX_OPERAND_ADDRESS)
            return &s->operands[n];
    return NULL;
}

static bool is_own_parameter(const struct ptx_function *f, const struct ptx_operand *address)
{
    const struct ptx_operand *base = address->count > 0 ? &address->elements[0] : NULL;

    for (size_t n = 0; f->entry && base && base->kind == PTX_OPERAND_NAME && n < f->parameter_count; n++)
        if (strcmp(f->parameters[n].name, base->name) == 0)
            return true;
    return f->entry && base && base->kind != PTX_OPERAND_NAME;
}

/* What a load, or an atomic with a result, may give. */
static unsigned loaded(const struct reader *r, const struct part *p, const struct ptx_statement *s,
                       const struct ptx_operand *address)
{
    const char *op = s->opcode;
    bool changing = feature_has(op, "volatile") || feature_has(op, "relaxed") || feature_has(op, "acquire") ||
                    feature_has(op, "acq_rel") || feature_has(op, "mmio") || feature_has(op, "cv") ||
                    feature_is(op, "atom");

    if (feature_is(op, "mbarrier"))
        return DEPENDS_SIZE;
    if (has_space(op, "param"))
        return is_own_parameter(p->f, address) ? DEPENDS_SIZE : r->arguments;
    if (has_space(op, "const"))
        return DEPENDS_SIZE;
    if (has_space(op, "shared") || feature_is(op, "ldmatrix"))
        return r->shared;
    if (has_space(op, "local"))
        return r->local;
    return DEPENDS_DATA | (changing ? DEPENDS_CHANGING : 0);
}

/* The value that an instruction leaves in memory and that its own threads read again. */
static void stored(struct reader *r, const struct ptx_statement *s, unsigned depends)
{
    const char *op = s->opcode;

    if (has_space(op, "param")) {
        note_memory(r, &r->arguments, depends);
    } else if (has_space(op, "shared")) {
        note_memory(r, &r->shared, feature_is(op, "cp") ? depends | DEPENDS_DATA : depends);
    } else if (has_space(op, "local")) {
        note_memory(r, &r->local, depends);
    } else if (!has_space(op, "global")) { /* a generic address */
        note_memory(r, &r->shared, depends);
        note_memory(r, &r->local, depends);
    }
}

struct definition {
    struct reader *r;
    struct part *p;
    unsigned depends, guard;
};

static void define(size_t reg, void *context)
{
    struct definition *d = context;
    bool single = d->p->writes.first[reg + 1] - d->p->writes.first[reg] == 1;

    /* Where a guard holds back the only definition, nothing else can be there. */
    note(d->r, &d->p->registers[reg], d->depends | (single ? 0 : d->guard));
}

static void step(struct reader *r, struct part *p, const struct ptx_statement *s)
{
    const struct ptx_operand *address;
    struct definition d = {.r = r, .p = p};
    bool results;

    if (s->kind != PTX_INSTRUCTION)
        return;
    address = address_of(s);
    results = s->count > 0 && feature_writes(s, 0);
    d.guard = s->guard >= 0 ? p->registers[s->guard] : 0;
    d.depends = sources_depend(p, s);
    if (feature_is(s->opcode, "call")) {
        note_memory(r, &r->arguments, d.depends | DEPENDS_SIZE);
        d.depends = r->arguments;
    } else if (address) {
        unsigned value = d.depends | d.guard;

        if (results)
            d.depends |= loaded(r, p, s, address);
        if (!results || feature_is(s->opcode, "atom"))
            stored(r, s, value);
    }
    feature_visit_written(p->f, s, define, &d);
}

/* ------------------------------------------------------------------ what depends on branches */

static unsigned condition_depends(const struct part *p, const struct ptx_statement *branch)
{
    unsigned depends = branch->guard >= 0 ? p->registers[branch->guard] : 0;

    if (feature_is(branch->opcode, "brx") && branch->count > 0)
        depends |= operand_depends(p, &branch->operands[0]);
    return depends;
}

/* Registers with some definitions on this side of the branch and some elsewhere get a value that tells the side. */
static void note_side(struct reader *r, struct part *p, unsigned depends)
{
    for (size_t reg = 0; reg <= p->f->register_count; reg++) {
        const struct uses *u = &p->writes;
        size_t count = u->first[reg + 1] - u->first[reg], on_side = 0;

        if (count < 2 || (p->registers[reg] | depends) == p->registers[reg])
            continue;
        for (size_t n = u->first[reg]; n < u->first[reg + 1]; n++)
            on_side += p->side[p->g.of[u->list[n]]];
        if (on_side > 0 && on_side < count)
            note(r, &p->registers[reg], depends);
    }
}

static void branches(struct reader *r, struct part *p)
{
    for (size_t n = 0; n < p->g.count; n++) {
        struct block *b = &p->g.blocks[n];
        unsigned depends = b->branch ? condition_depends(p, b->branch) : 0;

        if (!depends || (b->told && b->told_depends == depends))
            continue;
        b->told = true;
        b->told_depends = depends;
        for (size_t k = 0; k < b->next_count; k++) {
            size_t at = b->next[k];

            memset(p->side, 0, p->g.count * sizeof *p->side);
            for (size_t steps = 0; at != b->after && at < p->g.count && steps <= p->g.count; steps++) {
                p->side[at] = true;
                at = p->g.blocks[at].after;
            }
            note_side(r, p, depends);
        }
    }
}

/* ------------------------------------------------------------------ loops */

static bool add_loop(struct reader *r, struct features_loop loop)
{
    struct features_code *code = r->code;

    if (code->loop_count == r->loop_capacity) {
        size_t capacity = r->loop_capacity ? 2 * r->loop_capacity : 16;
        struct features_loop *loops = realloc(code->loops, capacity * sizeof *loops);

        if (!loops)
            return false;
        code->loops = loops;
        r->loop_capacity = capacity;
    }
    code->loops[code->loop_count++] = loop;
    return true;
}

static bool is_loop(const struct graph *g, const size_t *members, size_t count)
{
    if (count > 1)
        return true;
    for (size_t n = 0; n < g->blocks[members[0]].next_count; n++)
        if (g->blocks[members[0]].next[n] == members[0])
            return true;
    return false;
}

static unsigned bits_of(unsigned depends)
{
    return (unsigned)__builtin_popcount(depends);
}

/* The branches by which control leaves the blocks marked `mine`. */
static void look_at_exits(const struct part *p, const size_t *members, size_t count, const unsigned *mark,
                          unsigned mine, struct features_loop *loop)
{
    unsigned most = 0;

    for (size_t n = 0; n < count; n++) {
        const struct block *b = &p->g.blocks[members[n]];
        bool leaves = false;
        unsigned depends;

        for (size_t k = 0; k < b->next_count; k++)
            leaves |= b->next[k] >= p->g.count || mark[b->next[k]] != mine;
        if (!leaves || !b->branch)
            continue;
        depends = condition_depends(p, b->branch);
        loop->depends |= depends;
        if (!loop->exit || bits_of(depends & ~(unsigned)DEPENDS_SIZE) > most) {
            loop->exit = b->branch;
            loop->line = b->branch->line;
            most = bits_of(depends & ~(unsigned)DEPENDS_SIZE);
        }
    }
    if (!loop->exit)
        loop->line = p->f->statements[p->g.blocks[members[0]].first].line;
}

/* Takes the blocks by which the part is entered out of it; if it is the first block of all, that one. */
static void take_entries(const struct part *p, const size_t *members, size_t count, unsigned *mark, unsigned mine,
                         unsigned gone)
{
    size_t lowest = members[0], taken = 0;

    for (size_t n = 0; n < count; n++) {
        const struct graph *g = &p->g;
        bool entered = false;

        lowest = members[n] < lowest ? members[n] : lowest;
        for (size_t k = g->first_from[members[n]]; k < g->first_from[members[n] + 1]; k++)
            entered |= mark[g->from[k]] != mine && mark[g->from[k]] != gone;
        if (entered) {
            mark[members[n]] = gone;
            taken++;
        }
    }
    if (!taken)
        mark[lowest] = gone;
}

/* Loops among the blocks marked `within`, inside of `depth` others, `sized` of which have rounds without a constant. */
static bool find_loops(struct reader *r, struct part *p, unsigned *mark, unsigned *serial, unsigned within,
                       unsigned depth, size_t sized)
{
    struct parts x = {.g = &p->g, .mark = mark, .within = within};
    bool good = parts_make(&x);

    for (size_t n = 0, first = 0; good && n < x.count; first = x.ends[n++]) {
        const size_t *members = x.members + first;
        size_t count = x.ends[n] - first, inner;
        struct features_loop loop = {.depth = depth + 1};
        unsigned mine = *serial + 1, gone = *serial + 2;

        if (!is_loop(&p->g, members, count))
            continue;
        *serial += 2;
        for (size_t k = 0; k < count; k++)
            mark[members[k]] = mine;
        look_at_exits(p, members, count, mark, mine, &loop);
        inner = sized + (loop.depends != 0 || !loop.exit);
        p->depth = inner > p->depth ? inner : p->depth;
        r->code->regular = r->code->regular && !(loop.depends & DEPENDS_DATA);
        r->code->waits = r->code->waits || loop.depends & DEPENDS_CHANGING;
        r->code->clocked = r->code->clocked || loop.depends & DEPENDS_CLOCK;
        good = add_loop(r, loop);
        take_entries(p, members, count, mark, mine, gone);
        if (good && depth < NEST_LIMIT)
            good = find_loops(r, p, mark, serial, mine, depth + 1, inner);
    }
    parts_release(&x);
    return good;
}

/* ------------------------------------------------------------------ functions that are called */

static void reach(struct reader *r, size_t index);

/* The functions that a call names. If the call goes through a pointer, every function. */
static void reach_called(struct reader *r, const struct ptx_statement *s)
{
    bool named = false;

    if (s->kind != PTX_INSTRUCTION || !feature_is(s->opcode, "call"))
        return;
    for (size_t n = 0; n < s->count; n++)
        for (size_t f = 0; s->operands[n].kind == PTX_OPERAND_NAME && f < r->module->function_count; f++)
            if (strcmp(r->module->functions[f].name, s->operands[n].name) == 0) {
                named = true;
                reach(r, f);
            }
    for (size_t f = 0; !named && f < r->module->function_count; f++)
        if (!r->module->functions[f].entry)
            reach(r, f);
}

static void reach(struct reader *r, size_t index)
{
    struct part *p = &r->parts[index];
    const struct ptx_function *f = &r->module->functions[index];

    if (p->read || !f->defined || r->failed)
        return;
    p->read = true;
    p->f = f;
    p->registers = calloc(f->register_count + 1, sizeof *p->registers);
    if (!graph_make(&p->g, f) || !p->registers || !uses_make(&p->writes, f, feature_visit_written) ||
        !graph_find_after(&p->g)) {
        r->failed = true;
        return;
    }
    p->side = calloc(p->g.count + 1, sizeof *p->side);
    r->failed = r->failed || !p->side;
    for (size_t n = 0; n < f->statement_count; n++)
        reach_called(r, &f->statements[n]);
}

/* ------------------------------------------------------------------ all */

static void settle(struct reader *r)
{
    do {
        r->changed = false;
        for (size_t n = 0; n < r->module->function_count; n++) {
            struct part *p = &r->parts[n];

            if (!p->read)
                continue;
            for (size_t k = 0; k < p->f->statement_count; k++)
                step(r, p, &p->f->statements[k]);
            branches(r, p);
        }
    } while (r->changed);
}

static bool read_loops(struct reader *r)
{
    for (size_t n = 0; n < r->module->function_count; n++) {
        struct part *p = &r->parts[n];
        unsigned *mark, serial = 0;
        bool good;

        if (!p->read)
            continue;
        mark = calloc(p->g.count + 1, sizeof *mark);
        good = mark && find_loops(r, p, mark, &serial, 0, 0, 0);
        free(mark);
        if (!good)
            return false;
        r->code->complexity = (unsigned)p->depth > r->code->complexity ? (unsigned)p->depth : r->code->complexity;
    }
    return true;
}

/* What of the kernel's work depends on data, so that its counts are those of this data. */
static void read_control(const struct part *p, struct features_code *code)
{
    for (size_t n = 0; n < p->f->statement_count; n++) {
        const struct ptx_statement *s = &p->f->statements[n];
        const struct ptx_operand *address = s->kind == PTX_INSTRUCTION ? address_of(s) : NULL;

        if (s->kind == PTX_INSTRUCTION && condition_depends(p, s) & DEPENDS_DATA)
            code->data_branches = true;
        if (address && operand_depends(p, address) & DEPENDS_DATA)
            code->data_addresses = true;
    }
}

static bool read_degree(const struct ptx_function *kernel, struct features_code *code)
{
    unsigned *distance = calloc(kernel->statement_count + 1, sizeof *distance);
    double sum = 0;

    code->instructions = distance ? features_dependence(kernel, distance) : SIZE_MAX;
    for (size_t n = 0; code->instructions != SIZE_MAX && n < code->instructions; n++)
        sum += distance[n] ? 1.0 / distance[n] : 0;
    free(distance);
    code->dpc = code->instructions > 0 ? sum / (double)code->instructions : 0;
    return code->instructions != SIZE_MAX;
}

bool features_code_read(const struct ptx_module *module, const struct ptx_function *kernel, struct features_code *code)
{
    struct reader r = {.module = module, .code = code};
    bool good;

    *code = (struct features_code){.regular = true};
    r.parts = calloc(module->function_count + 1, sizeof *r.parts);
    good = r.parts && read_degree(kernel, code);
    if (good) {
        reach(&r, (size_t)(kernel - module->functions));
        good = !r.failed;
    }
    if (good) {
        settle(&r);
        good = read_loops(&r);
    }
    for (size_t n = 0; good && n < module->function_count; n++)
        if (r.parts[n].read)
            read_control(&r.parts[n], code);
    for (size_t n = 0; r.parts && n < module->function_count; n++) {
        if (!r.parts[n].read)
            continue;
        graph_release(&r.parts[n].g);
        uses_release(&r.parts[n].writes);
        free(r.parts[n].registers);
        free(r.parts[n].side);
    }
    free(r.parts);
    if (!good)
        features_code_release(code);
    return good;
}

void features_code_release(struct features_code *code)
{
    free(code->loops);
    *code = (struct features_code){.regular = true};
}
