/*
 * feature_code.c - reads a kernel's PTX: the distances of its dependences, its loops, and on what their ends depend.
 *
 * Loops are the strongly connected parts of the graph of basic blocks; without the blocks by which one is entered, what
 * is left of it has the loops inside. A value depends on what its operands depend on, over all definitions of a
 * register, until nothing changes. A register that is defined on both sides of a branch, or on one side only, depends on
 * the branch's condition as well. Memory that the threads share is one value for each of its spaces. Functions that are
 * called are read along, and share one value for all arguments and results.
 *
 * All this errs on the side of "depends".
 */
#include "feature_code.h"

#include <stdlib.h>
#include <string.h>

#define NEST_LIMIT 100 /* loops around each other: deeper ones are not looked for */
#define NONE SIZE_MAX

/* ------------------------------------------------------------------ what an instruction reads and writes */

static bool is_base(const char *opcode, const char *base)
{
    size_t length = strlen(base);

    return strncmp(opcode, base, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

/* Whether `token` stands among the opcode's modifiers, whole. */
static bool has_token(const char *opcode, const char *token)
{
    size_t length = strlen(token);

    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, token, length) == 0 && (at[length + 1] == '.' || at[length + 1] == '\0'))
            return true;
    return false;
}

static bool is_return(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && (is_base(s->opcode, "ret") || is_base(s->opcode, "exit"));
}

/* Of the instructions whose first operand is a register, these read it. */
static bool reads_first(const char *opcode)
{
    if (is_base(opcode, "bar") || is_base(opcode, "barrier"))
        return !has_token(opcode, "red");
    return is_base(opcode, "brx") || is_base(opcode, "call") || is_base(opcode, "stackrestore") ||
           is_base(opcode, "nanosleep");
}

/* Whether operand number `index` of the instruction is written. */
static bool is_written(const struct ptx_statement *s, size_t index)
{
    enum ptx_operand_kind kind = s->operands[index].kind;

    if (index > 0)
        return false;
    if (is_base(s->opcode, "call"))
        return kind == PTX_OPERAND_LIST;
    return (kind == PTX_OPERAND_REGISTER || kind == PTX_OPERAND_VECTOR) && !reads_first(s->opcode);
}

/* Accumulators that stand in the place of the result only: read as well. */
static bool accumulates(const struct ptx_statement *s)
{
    return is_base(s->opcode, "wgmma");
}

/* The condition code is a register behind the function's own. */
static bool writes_carry(const char *opcode)
{
    return has_token(opcode, "cc");
}

static bool reads_carry(const char *opcode)
{
    return is_base(opcode, "addc") || is_base(opcode, "subc") || is_base(opcode, "madc");
}

typedef void visit_register(size_t reg, void *context);

static void visit_operand(const struct ptx_operand *x, visit_register *visit, void *context)
{
    if (x->reg >= 0 && x->kind == PTX_OPERAND_REGISTER)
        visit((size_t)x->reg, context);
    if (x->second >= 0 && x->kind == PTX_OPERAND_REGISTER)
        visit((size_t)x->second, context);
    for (size_t n = 0; n < x->count; n++)
        visit_operand(&x->elements[n], visit, context);
}

static void visit_written(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit,
                          void *context)
{
    if (s->kind != PTX_INSTRUCTION)
        return;
    if (s->count > 0 && is_written(s, 0))
        visit_operand(&s->operands[0], visit, context);
    if (writes_carry(s->opcode))
        visit(f->register_count, context);
}

static void visit_read(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit, void *context)
{
    if (s->kind != PTX_INSTRUCTION)
        return;
    if (s->guard >= 0)
        visit((size_t)s->guard, context);
    for (size_t n = 0; n < s->count; n++)
        if (!is_written(s, n) || accumulates(s))
            visit_operand(&s->operands[n], visit, context);
    if (reads_carry(s->opcode))
        visit(f->register_count, context);
}

/* ------------------------------------------------------------------ basic blocks */

struct block {
    size_t first, end;    /* statements [first, end) */
    size_t *next;         /* [next_count] blocks; the number of blocks stands for the function's end */
    size_t next_count;
    const struct ptx_statement *branch; /* the conditional branch that ends it, or NULL */
    size_t after;         /* its immediate post-dominator */
    bool told;            /* what depends on its branch's condition was noted, for `told_depends` */
    unsigned told_depends;
};

struct label {
    const char *name;
    size_t block;
};

struct graph {
    const struct ptx_function *f;
    struct block *blocks;
    size_t count;
    size_t *of;           /* [statement_count] the block of each statement */
    struct label *labels; /* sorted by name */
    size_t label_count;
    size_t *edges;        /* all blocks' next[] */
    size_t edge_count;
    size_t *from;         /* [edge_count] the block that each edge comes from, sorted by where it goes */
    size_t *first_from;   /* [count + 2] into `from`, by block */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static size_t block_named(const struct graph *g, const char *name)
{
    struct label key = {name, 0}, *found;

    if (!name || g->label_count == 0)
        return g->count;
    found = bsearch(&key, g->labels, g->label_count, sizeof key, by_name);
    return found ? found->block : g->count;
}

static bool ends_block(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && (is_base(s->opcode, "bra") || is_base(s->opcode, "brx") || is_return(s) ||
                                          is_base(s->opcode, "trap"));
}

static const struct ptx_statement *table_named(const struct ptx_function *f, const char *name)
{
    for (size_t n = 0; n < f->statement_count; n++)
        if (f->statements[n].kind == PTX_BRANCH_TARGETS && strcmp(f->statements[n].name, name) == 0)
            return &f->statements[n];
    return NULL;
}

/* Most successors that the statement gives its block, the next one in the text among them. */
static size_t fan(const struct ptx_function *f, const struct ptx_statement *s)
{
    const struct ptx_statement *table;

    if (s->kind != PTX_INSTRUCTION || !is_base(s->opcode, "brx") || s->count < 2 || !s->operands[1].name)
        return 2;
    table = table_named(f, s->operands[1].name);
    return 2 + (table ? table->count : 0);
}

static void add_edge(struct graph *g, struct block *b, size_t to)
{
    for (size_t n = 0; n < b->next_count; n++)
        if (b->next[n] == to)
            return;
    b->next[b->next_count++] = to;
    g->edge_count++;
}

static void connect(struct graph *g, size_t index)
{
    struct block *b = &g->blocks[index];
    const struct ptx_statement *s = &g->f->statements[b->end - 1];
    bool falls = true;

    if (ends_block(s)) {
        falls = s->guard >= 0;
        if (falls)
            b->branch = s;
        if (is_base(s->opcode, "bra")) {
            add_edge(g, b, s->count > 0 ? block_named(g, s->operands[0].name) : g->count);
        } else if (is_base(s->opcode, "brx")) {
            const struct ptx_statement *table =
                s->count > 1 && s->operands[1].name ? table_named(g->f, s->operands[1].name) : NULL;

            b->branch = s;
            for (size_t n = 0; table && n < table->count; n++)
                add_edge(g, b, block_named(g, table->operands[n].name));
        } else {
            add_edge(g, b, g->count);
        }
    }
    if (falls)
        add_edge(g, b, index + 1 < g->count ? index + 1 : g->count);
}

static bool list_sources(struct graph *g)
{
    size_t *fill = calloc(g->count + 2, sizeof *fill);

    g->from = calloc(g->edge_count + 1, sizeof *g->from);
    g->first_from = calloc(g->count + 2, sizeof *g->first_from);
    if (!fill || !g->from || !g->first_from) {
        free(fill);
        return false;
    }
    for (size_t n = 0; n < g->count; n++)
        for (size_t k = 0; k < g->blocks[n].next_count; k++)
            g->first_from[g->blocks[n].next[k] + 1]++;
    for (size_t n = 0; n <= g->count; n++)
        g->first_from[n + 1] += n + 1 <= g->count + 1 ? g->first_from[n] : 0;
    memcpy(fill, g->first_from, (g->count + 1) * sizeof *fill);
    for (size_t n = 0; n < g->count; n++)
        for (size_t k = 0; k < g->blocks[n].next_count; k++)
            g->from[fill[g->blocks[n].next[k]]++] = n;
    free(fill);
    return true;
}

static void graph_release(struct graph *g)
{
    free(g->blocks);
    free(g->of);
    free(g->labels);
    free(g->edges);
    free(g->from);
    free(g->first_from);
}

/* False without memory. */
static bool graph_make(struct graph *g, const struct ptx_function *f)
{
    size_t room = 0, at = 0;

    *g = (struct graph){.f = f};
    g->of = calloc(f->statement_count + 1, sizeof *g->of);
    g->blocks = calloc(f->statement_count + 1, sizeof *g->blocks);
    g->labels = calloc(f->statement_count + 1, sizeof *g->labels);
    if (!g->of || !g->blocks || !g->labels)
        return false;
    for (size_t n = 0; n < f->statement_count; n++) {
        const struct ptx_statement *s = &f->statements[n];

        if (n == 0 || s->kind == PTX_LABEL || ends_block(s - 1))
            g->blocks[g->count++].first = n;
        g->of[n] = g->count - 1;
        g->blocks[g->count - 1].end = n + 1;
        if (s->kind == PTX_LABEL)
            g->labels[g->label_count++] = (struct label){s->name, g->count - 1};
        if (s->kind == PTX_LABEL || ends_block(s) || n + 1 == f->statement_count)
            room += fan(f, s);
        room += 2;
    }
    if (g->label_count)
        qsort(g->labels, g->label_count, sizeof *g->labels, by_name);
    g->edges = calloc(room + 1, sizeof *g->edges);
    if (!g->edges)
        return false;
    for (size_t n = 0; n < g->count; n++) {
        g->blocks[n].next = g->edges + at;
        connect(g, n);
        at += g->blocks[n].next_count;
    }
    return list_sources(g);
}

/* ------------------------------------------------------------------ dependence degree */

/* Lists of the statements that read, and that write, each register. */
struct uses {
    const struct ptx_function *f;
    size_t *first;     /* [register_count + 2] into `list` */
    size_t *fill;
    size_t *list;      /* statements, ascending for each register */
    size_t statement;
};

static void count_register(size_t reg, void *context)
{
    ((struct uses *)context)->first[reg + 1]++;
}

static void list_register(size_t reg, void *context)
{
    struct uses *u = context;

    u->list[u->fill[reg]++] = u->statement;
}

static void uses_release(struct uses *u)
{
    free(u->first);
    free(u->fill);
    free(u->list);
}

typedef void visit_all(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit, void *context);

static bool uses_make(struct uses *u, const struct ptx_function *f, visit_all *visit)
{
    size_t registers = f->register_count + 1;

    *u = (struct uses){.f = f, .first = calloc(registers + 1, sizeof *u->first), .fill = calloc(registers, sizeof *u->fill)};
    if (!u->first || !u->fill)
        return false;
    for (size_t n = 0; n < f->statement_count; n++)
        visit(f, &f->statements[n], count_register, u);
    for (size_t n = 0; n < registers; n++) {
        u->first[n + 1] += u->first[n];
        u->fill[n] = u->first[n];
    }
    u->list = calloc(u->first[registers] + 1, sizeof *u->list);
    if (!u->list)
        return false;
    for (u->statement = 0; u->statement < f->statement_count; u->statement++)
        visit(f, &f->statements[u->statement], list_register, u);
    return true;
}

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
    return s->kind == PTX_INSTRUCTION && !is_return(s);
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
    good = good && number && x.seen && x.stack && uses_make(&reads, f, visit_read) && uses_make(&writes, f, visit_written);
    for (size_t n = 0; good && n < f->statement_count; n++)
        number[n] = is_listed(&f->statements[n]) ? count++ : count;
    for (size_t n = 0; good && distance && n < f->statement_count; n++) {
        if (!is_listed(&f->statements[n]))
            continue;
        x.from = n;
        x.found = NONE;
        visit_written(f, &f->statements[n], search_register, &x);
        distance[number[n]] = x.found == NONE || !is_listed(&f->statements[x.found]) ? 0 : (unsigned)(number[x.found] - number[n]);
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
        depends |= DEPENDS_SIZE;
    for (size_t n = 0; n < x->count; n++)
        depends |= operand_depends(p, &x->elements[n]);
    return depends;
}

static unsigned sources_depend(const struct part *p, const struct ptx_statement *s)
{
    unsigned depends = 0;

    for (size_t n = 0; n < s->count; n++)
        if (!is_written(s, n) || accumulates(s))
            depends |= operand_depends(p, &s->operands[n]);
    if (reads_carry(s->opcode))
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
    bool changing = has_token(op, "volatile") || has_token(op, "relaxed") || has_token(op, "acquire") ||
                    has_token(op, "acq_rel") || has_token(op, "mmio") || has_token(op, "cv") || is_base(op, "atom");

    if (is_base(op, "mbarrier"))
        return DEPENDS_SIZE;
    if (has_space(op, "param"))
        return is_own_parameter(p->f, address) ? DEPENDS_SIZE : r->arguments;
    if (has_space(op, "const"))
        return DEPENDS_SIZE;
    if (has_space(op, "shared") || is_base(op, "ldmatrix"))
        return r->shared;
    if (has_space(op, "local"))
        return r->local;
    return DEPENDS_DATA | (changing ? DEPENDS_CHANGING : 0);
}

/* What an instruction leaves in memory that its own threads read again. */
static void stored(struct reader *r, const struct ptx_statement *s, unsigned depends)
{
    const char *op = s->opcode;

    if (has_space(op, "param")) {
        note_memory(r, &r->arguments, depends);
    } else if (has_space(op, "shared")) {
        note_memory(r, &r->shared, is_base(op, "cp") ? depends | DEPENDS_DATA : depends);
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
    results = s->count > 0 && is_written(s, 0);
    d.guard = s->guard >= 0 ? p->registers[s->guard] : 0;
    d.depends = sources_depend(p, s);
    if (is_base(s->opcode, "call")) {
        note_memory(r, &r->arguments, d.depends | DEPENDS_SIZE);
        d.depends = r->arguments;
    } else if (address) {
        unsigned value = d.depends | d.guard;

        if (results)
            d.depends |= loaded(r, p, s, address);
        if (!results || is_base(s->opcode, "atom"))
            stored(r, s, value);
    }
    visit_written(p->f, s, define, &d);
}

/* ------------------------------------------------------------------ what depends on branches */

/* Immediate post-dominators (Cooper, Harvey and Kennedy, 2001), over the reversed graph. */
static bool find_postdominators(struct graph *g)
{
    size_t nodes = g->count + 1, end = g->count, count = 0, top = 0;
    size_t *order = calloc(nodes, sizeof *order), *position = calloc(nodes, sizeof *position);
    size_t *stack = calloc(nodes, sizeof *stack), *next = calloc(nodes, sizeof *next), *after = calloc(nodes, sizeof *after);
    bool *seen = calloc(nodes, sizeof *seen), *tied = calloc(nodes, sizeof *tied);
    bool good = order && position && stack && next && after && seen && tied, changed = true;

    /* Postorder from the end; blocks that never reach it are tied to it, one after the other. */
    for (size_t start = end, n = 0; good; n++) {
        if (!seen[start]) {
            seen[start] = true;
            stack[top++] = start;
            tied[start] = start != end;
        }
        while (top > 0) {
            size_t at = stack[top - 1], from = g->first_from[at] + next[at];

            if (from < g->first_from[at + 1]) {
                next[at]++;
                if (!seen[g->from[from]]) {
                    seen[g->from[from]] = true;
                    stack[top++] = g->from[from];
                }
            } else {
                position[at] = count;
                order[count++] = at;
                top--;
            }
        }
        if (n >= g->count)
            break;
        start = g->count - 1 - n;
    }
    for (size_t n = 0; good && n < nodes; n++)
        after[n] = NONE;
    if (good) {
        position[end] = nodes; /* the root */
        after[end] = end;
    }
    while (good && changed) {
        changed = false;
        for (size_t n = count; n-- > 0;) {
            size_t at = order[n], best = NONE;

            if (at == end)
                continue;
            if (tied[at])
                best = end;
            for (size_t k = 0; k < g->blocks[at].next_count; k++) {
                size_t a = g->blocks[at].next[k], b = best;

                if (after[a] == NONE)
                    continue;
                while (b != NONE && a != b) {
                    while (position[a] < position[b])
                        a = after[a];
                    while (position[b] < position[a])
                        b = after[b];
                }
                best = a;
            }
            if (best != after[at]) {
                after[at] = best;
                changed = true;
            }
        }
    }
    for (size_t n = 0; good && n < g->count; n++)
        g->blocks[n].after = after[n] == NONE ? end : after[n];
    free(order);
    free(position);
    free(stack);
    free(next);
    free(after);
    free(seen);
    free(tied);
    return good;
}

static unsigned condition_depends(const struct part *p, const struct ptx_statement *branch)
{
    unsigned depends = branch->guard >= 0 ? p->registers[branch->guard] : 0;

    if (is_base(branch->opcode, "brx") && branch->count > 0)
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

/* Strongly connected parts (Tarjan, 1972, without recursion) of the blocks whose mark is `within`. */
struct parts {
    const struct part *p;
    const unsigned *mark;
    unsigned within;
    size_t *index, *low, *stack, *path, *next; /* [blocks] */
    bool *on_stack;
    size_t *members, *ends; /* blocks of the parts one after the other, and where each part ends */
    size_t count;
};

static bool parts_make(struct parts *x)
{
    const struct graph *g = &x->p->g;
    size_t serial = 1, stacked = 0, deep, listed = 0;

    x->index = calloc(7 * g->count + 1, sizeof *x->index);
    x->on_stack = calloc(g->count + 1, sizeof *x->on_stack);
    if (!x->index || !x->on_stack)
        return false;
    x->low = x->index + g->count;
    x->stack = x->low + g->count;
    x->path = x->stack + g->count;
    x->next = x->path + g->count;
    x->members = x->next + g->count;
    x->ends = x->members + g->count;
    for (size_t root = 0; root < g->count; root++) {
        if (x->mark[root] != x->within || x->index[root])
            continue;
        deep = 0;
        x->path[deep++] = root;
        while (deep > 0) {
            size_t at = x->path[deep - 1];

            if (!x->index[at]) {
                x->index[at] = x->low[at] = serial++;
                x->stack[stacked++] = at;
                x->on_stack[at] = true;
            }
            if (x->next[at] < g->blocks[at].next_count) {
                size_t to = g->blocks[at].next[x->next[at]++];

                if (to >= g->count || x->mark[to] != x->within)
                    continue;
                if (!x->index[to])
                    x->path[deep++] = to;
                else if (x->on_stack[to] && x->index[to] < x->low[at])
                    x->low[at] = x->index[to];
                continue;
            }
            deep--;
            if (deep > 0 && x->low[at] < x->low[x->path[deep - 1]])
                x->low[x->path[deep - 1]] = x->low[at];
            if (x->low[at] != x->index[at])
                continue;
            for (size_t member = NONE; member != at;) {
                member = x->stack[--stacked];
                x->on_stack[member] = false;
                x->members[listed++] = member;
            }
            x->ends[x->count++] = listed;
        }
    }
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
static void look_at_exits(const struct part *p, const size_t *members, size_t count, const unsigned *mark, unsigned mine,
                          struct features_loop *loop)
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
static bool find_loops(struct reader *r, struct part *p, unsigned *mark, unsigned *serial, unsigned within, unsigned depth,
                       size_t sized)
{
    struct parts x = {.p = p, .mark = mark, .within = within};
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
        good = add_loop(r, loop);
        take_entries(p, members, count, mark, mine, gone);
        if (good && depth < NEST_LIMIT)
            good = find_loops(r, p, mark, serial, mine, depth + 1, inner);
    }
    free(x.index);
    free(x.on_stack);
    return good;
}

/* ------------------------------------------------------------------ functions that are called */

static void reach(struct reader *r, size_t index);

/* Whatever is named in a call, and every function where a call goes through a pointer. */
static void reach_called(struct reader *r, const struct ptx_statement *s)
{
    bool named = false;

    if (s->kind != PTX_INSTRUCTION || !is_base(s->opcode, "call"))
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
    if (!graph_make(&p->g, f) || !p->registers || !uses_make(&p->writes, f, visit_written) || !find_postdominators(&p->g)) {
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
