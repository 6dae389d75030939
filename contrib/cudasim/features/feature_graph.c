/*
 * feature_graph.c - basic blocks of a PTX function, their successors, and their connected parts.
 */
#include "feature_graph.h"

#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* ------------------------------------------------------------------ what an instruction reads and writes */

bool feature_is(const char *opcode, const char *base)
{
    size_t length = strlen(base);

    return strncmp(opcode, base, length) == 0 && (opcode[length] == '.' || opcode[length] == '\0');
}

/* Whether `token` stands among the opcode's modifiers, whole. */
bool feature_has(const char *opcode, const char *token)
{
    size_t length = strlen(token);

    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.'))
        if (strncmp(at + 1, token, length) == 0 && (at[length + 1] == '.' || at[length + 1] == '\0'))
            return true;
    return false;
}

bool feature_returns(const struct ptx_statement *s)
{
    return s->kind == PTX_INSTRUCTION && (feature_is(s->opcode, "ret") || feature_is(s->opcode, "exit"));
}

/* Of the instructions whose first operand is a register, these read it. */
static bool reads_first(const char *opcode)
{
    if (feature_is(opcode, "bar") || feature_is(opcode, "barrier"))
        return !feature_has(opcode, "red");
    return feature_is(opcode, "brx") || feature_is(opcode, "call") || feature_is(opcode, "stackrestore") ||
           feature_is(opcode, "nanosleep");
}

/* Whether operand number `index` of the instruction is written. */
bool feature_writes(const struct ptx_statement *s, size_t index)
{
    enum ptx_operand_kind kind = s->operands[index].kind;

    if (index > 0)
        return false;
    if (feature_is(s->opcode, "call"))
        return kind == PTX_OPERAND_LIST;
    return (kind == PTX_OPERAND_REGISTER || kind == PTX_OPERAND_VECTOR || kind == PTX_OPERAND_SINK) &&
           !reads_first(s->opcode);
}

/* Accumulators that stand in the place of the result only: read as well. */
bool feature_accumulates(const struct ptx_statement *s)
{
    return feature_is(s->opcode, "wgmma");
}

/* The condition code is a register behind the function's own. */
static bool writes_carry(const char *opcode)
{
    return feature_has(opcode, "cc");
}

bool feature_reads_carry(const char *opcode)
{
    return feature_is(opcode, "addc") || feature_is(opcode, "subc") || feature_is(opcode, "madc");
}

static void visit_operand(const struct ptx_operand *x, visit_register *visit, void *context)
{
    if (x->reg >= 0 && x->kind == PTX_OPERAND_REGISTER)
        visit((size_t)x->reg, context);
    if (x->second >= 0)
        visit((size_t)x->second, context);
    for (size_t n = 0; n < x->count; n++)
        visit_operand(&x->elements[n], visit, context);
}

void feature_visit_written(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit,
                          void *context)
{
    if (s->kind != PTX_INSTRUCTION)
        return;
    if (s->count > 0 && feature_writes(s, 0))
        visit_operand(&s->operands[0], visit, context);
    if (writes_carry(s->opcode))
        visit(f->register_count, context);
}

void feature_visit_read(const struct ptx_function *f, const struct ptx_statement *s, visit_register *visit,
                        void *context)
{
    if (s->kind != PTX_INSTRUCTION)
        return;
    if (s->guard >= 0)
        visit((size_t)s->guard, context);
    for (size_t n = 0; n < s->count; n++)
        if (!feature_writes(s, n) || feature_accumulates(s))
            visit_operand(&s->operands[n], visit, context);
    if (feature_reads_carry(s->opcode))
        visit(f->register_count, context);
}


static void count_register(size_t reg, void *context)
{
    ((struct uses *)context)->first[reg + 1]++;
}

static void list_register(size_t reg, void *context)
{
    struct uses *u = context;

    u->list[u->fill[reg]++] = u->statement;
}

void uses_release(struct uses *u)
{
    free(u->first);
    free(u->fill);
    free(u->list);
}

bool uses_make(struct uses *u, const struct ptx_function *f, visit_all *visit)
{
    size_t registers = f->register_count + 1;

    *u = (struct uses){.first = calloc(registers + 1, sizeof *u->first), .fill = calloc(registers, sizeof *u->fill)};
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
/* ------------------------------------------------------------------ basic blocks */

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
    return s->kind == PTX_INSTRUCTION && (feature_is(s->opcode, "bra") || feature_is(s->opcode, "brx") ||
                                          feature_returns(s) || feature_is(s->opcode, "trap"));
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

    if (s->kind != PTX_INSTRUCTION || !feature_is(s->opcode, "brx") || s->count < 2 || !s->operands[1].name)
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
        if (feature_is(s->opcode, "bra")) {
            add_edge(g, b, s->count > 0 ? block_named(g, s->operands[0].name) : g->count);
        } else if (feature_is(s->opcode, "brx")) {
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

void graph_release(struct graph *g)
{
    free(g->blocks);
    free(g->of);
    free(g->labels);
    free(g->edges);
    free(g->from);
    free(g->first_from);
}

/* False without memory. */
bool graph_make(struct graph *g, const struct ptx_function *f)
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

/* ------------------------------------------------------------------ what comes after a block */

/* Immediate post-dominators (Cooper, Harvey and Kennedy, 2001), over the reversed graph. */
bool graph_find_after(struct graph *g)
{
    size_t nodes = g->count + 1, end = g->count, count = 0, top = 0;
    size_t *order = calloc(nodes, sizeof *order), *position = calloc(nodes, sizeof *position);
    size_t *stack = calloc(nodes, sizeof *stack), *next = calloc(nodes, sizeof *next),
           *after = calloc(nodes, sizeof *after);
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

/* ------------------------------------------------------------------ connected parts */

/* Tarjan, 1972, without recursion. */
bool parts_make(struct parts *x)
{
    const struct graph *g = x->g;
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

void parts_release(struct parts *x)
{
    free(x->index);
    free(x->on_stack);
}
