/*
 * program.c - builds a program: variables get their addresses, functions their instructions, kernels their facts.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "contrib/cudasim/base/memory.h"
#include "contrib/cudasim/base/round.h"
#include "contrib/cudasim/sim.h"

/* ---- memory that lives as long as the program ---- */

struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t data[];
};

static void *arena_alloc(void **arena, size_t size)
{
    struct chunk *c = *arena;

    size = (size + 15) & ~(size_t)15;
    if (!c || c->used + size > c->size) {
        size_t capacity = size > 65536 ? size : 65536;

        c = calloc(1, sizeof *c + capacity);
        if (!c)
            return NULL;
        c->size = capacity;
        c->next = *arena;
        *arena = c;
    }
    c->used += size;
    return (char *)c->data + c->used - size;
}

void *build_alloc(struct builder *b, size_t size)
{
    void *p = arena_alloc(&b->program->arena, size);

    if (!p)
        build_fail(b, "out of memory");
    return p;
}

/* ---- hashing ---- */

static size_t hash_bytes(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t h = 1469598103934665603u;

    while (size--)
        h = (h ^ *p++) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static size_t table_size(size_t count)
{
    size_t size = 16;

    while (size < 2 * count + 2)
        size *= 2;
    return size;
}

void row_index_build(struct row_index *index, const struct table *table)
{
    size_t count = 0, size;

    for (const struct row *const *list = table->rows; *list; list++)
        for (const struct row *r = *list; r->names; r++)
            for (const char *p = r->names; *p; p++)
                count += p == r->names || p[-1] == ' ';
    size = table_size(count);
    index->entries = calloc(size, sizeof *index->entries);
    index->mask = size - 1;
    if (!index->entries)
        return;
    for (const struct row *const *list = table->rows; *list; list++)
        for (const struct row *r = *list; r->names; r++)
            for (const char *p = r->names; *p;) {
                size_t length = strcspn(p, " "), at = hash_bytes(p, length);

                while (index->entries[at & index->mask].name)
                    at++;
                index->entries[at & index->mask] = (struct row_entry){p, (uint32_t)length, r};
                p += length;
                p += strspn(p, " ");
            }
}

void row_index_release(struct row_index *index)
{
    free(index->entries);
    index->entries = NULL;
}

const struct row *row_find(const struct row_index *index, const char *name)
{
    size_t length = strlen(name), at = hash_bytes(name, length);

    for (; index->entries[at & index->mask].name; at++) {
        const struct row_entry *e = &index->entries[at & index->mask];

        if (e->length == length && memcmp(e->name, name, length) == 0)
            return e->row;
    }
    return NULL;
}

/* ---- constants ---- */

struct pool_entry {
    uint64_t low, high;
    uint32_t bytes;
    slot slot; /* 0: free */
};

slot constant(struct builder *b, uint64_t low, uint64_t high, unsigned bytes)
{
    struct pool_entry key = {low, high, bytes, 0}, *e;
    size_t at, need = bytes <= 4 ? 128 : bytes * 32;

    if (bytes == 4)
        key.low &= 0xFFFFFFFFu;
    if (bytes == 2)
        key.low &= 0xFFFFu;
    if (bytes < 16)
        key.high = 0;
    if (2 * (b->pool_index_count + 1) > b->pool_index_mask) {
        size_t size = b->pool_index_mask ? 2 * (b->pool_index_mask + 1) : 256;
        struct pool_entry *old = b->pool_index;
        size_t old_size = b->pool_index_mask ? b->pool_index_mask + 1 : 0;

        b->pool_index = calloc(size, sizeof *b->pool_index);
        if (!b->pool_index)
            build_fail(b, "out of memory");
        b->pool_index_mask = size - 1;
        for (size_t n = 0; n < old_size; n++)
            if (old[n].slot) {
                at = hash_bytes(&old[n], 20);
                while (b->pool_index[at & b->pool_index_mask].slot)
                    at++;
                b->pool_index[at & b->pool_index_mask] = old[n];
            }
        free(old);
    }
    at = hash_bytes(&key, 20);
    for (;; at++) {
        e = &b->pool_index[at & b->pool_index_mask];
        if (!e->slot)
            break;
        if (e->low == key.low && e->high == key.high && e->bytes == bytes)
            return e->slot;
    }
    if (b->pool_size + need > b->pool_capacity) {
        size_t capacity = b->pool_capacity ? 2 * b->pool_capacity : 65536;
        void *pool = NULL;

        while (capacity < b->pool_size + need)
            capacity *= 2;
        if (posix_memalign(&pool, 128, capacity))
            build_fail(b, "out of memory");
        memset(pool, 0, capacity);
        if (b->pool)
            memcpy(pool, b->pool, b->pool_size);
        free(b->pool);
        b->pool = pool;
        b->pool_capacity = capacity;
    }
    for (int l = 0; l < LANES; l++) {
        char *p = b->pool + b->pool_size + (size_t)l * bytes;

        memcpy(p, &key.low, bytes > 8 ? 8 : bytes);
        if (bytes > 8)
            memcpy(p + 8, &key.high, 8);
    }
    key.slot = (slot)b->pool_size | 1;
    *e = key;
    b->pool_index_count++;
    b->pool_size += need;
    return key.slot;
}

/* ---- names ---- */

const struct global_name *global_name(struct builder *b, const char *name)
{
    for (size_t at = hash_bytes(name, strlen(name)); b->names[at & b->name_mask].name; at++)
        if (strcmp(b->names[at & b->name_mask].name, name) == 0)
            return &b->names[at & b->name_mask];
    return NULL;
}

static void add_global(struct builder *b, const char *name, uint32_t index, bool is_function)
{
    size_t at = hash_bytes(name, strlen(name));

    while (b->names[at & b->name_mask].name)
        at++;
    b->names[at & b->name_mask] = (struct global_name){name, index, is_function};
}

const struct name_entry *local_name(struct builder *b, const char *name)
{
    for (size_t at = hash_bytes(name, strlen(name)); b->labels[at & b->label_mask].name; at++)
        if (strcmp(b->labels[at & b->label_mask].name, name) == 0)
            return &b->labels[at & b->label_mask];
    return NULL;
}

static void add_local(struct builder *b, const char *name, uint32_t value, uint8_t kind)
{
    size_t at = hash_bytes(name, strlen(name));

    while (b->labels[at & b->label_mask].name)
        at++;
    b->labels[at & b->label_mask] = (struct name_entry){name, value, kind};
}

/* ---- variables ---- */

/* The shared variables which functions declare inside: places behind those of the module. */
static void list_places(struct builder *b)
{
    struct program *p = b->program;
    size_t count = b->ptx->variable_count;

    for (size_t f = 0; f < p->function_count; f++)
        for (size_t n = 0; n < p->functions[f].ptx->local_count; n++)
            count += p->functions[f].ptx->locals[n].space == PTX_SHARED;
    p->places = calloc(count + 1, sizeof *p->places);
    if (!p->places)
        build_fail(b, "out of memory");
    for (p->place_count = 0; p->place_count < b->ptx->variable_count; p->place_count++)
        p->places[p->place_count].variable = &b->ptx->variables[p->place_count];
    for (size_t f = 0; f < p->function_count; f++) {
        const struct ptx_function *x = p->functions[f].ptx;

        p->functions[f].first_place = p->place_count;
        for (size_t n = 0; n < x->local_count; n++)
            if (x->locals[n].space == PTX_SHARED)
                p->places[p->place_count++].variable = &x->locals[n];
    }
}

/* Global and constant variables; shared ones are laid out when it is known who uses them. */
static void place_variables(struct builder *b)
{
    struct program *p = b->program;

    for (size_t n = 0; n < b->ptx->variable_count; n++) {
        const struct ptx_variable *v = &b->ptx->variables[n];
        struct place *place = &p->places[n];

        add_global(b, v->name, (uint32_t)n, false);
        b->statement = NULL;
        if (v->space == PTX_SHARED)
            continue;
        if (v->external && v->space != PTX_SHARED) {
            b->error->line = v->line;
            snprintf(b->error->message, sizeof b->error->message,
                     "variable '%s' is defined in another module: separate compilation is not supported", v->name);
            longjmp(b->fail, 1);
        }
        place->region = memory_allocate(sim_memory(p->sim), v->size ? v->size : 1, v->align, REGION_GLOBAL);
        if (!place->region)
            build_fail(b, "out of device memory for variable '%s'", v->name);
        place->region->name = v->name;
        place->region->read_only = v->space == PTX_CONST;
        place->address = place->region->base;
        memset((void *)(uintptr_t)place->address, 0, v->size);
        if (v->initial)
            memcpy((void *)(uintptr_t)place->address, v->initial, v->initial_size);
        memory_note_written(sim_memory(p->sim), place->address, v->size ? v->size : 1);
    }
}

static void relocate_variables(struct builder *b)
{
    for (size_t n = 0; n < b->ptx->variable_count; n++) {
        const struct ptx_variable *v = b->program->places[n].variable;

        for (size_t k = 0; k < v->relocation_count; k++) {
            const struct ptx_relocation *r = &v->relocations[k];
            const struct global_name *g = global_name(b, r->symbol);
            uint64_t value;

            if (!g)
                build_fail(b, "the initialiser of '%s' names '%s', which is unknown", v->name, r->symbol);
            value = g->is_function ? WINDOW(WINDOW_FUNCTION) | (g->index + 1) : b->program->places[g->index].address;
            if (!g->is_function && b->program->places[g->index].variable->space == PTX_SHARED && r->generic)
                value |= WINDOW(WINDOW_SHARED);
            value += (uint64_t)r->addend;
            value >>= r->shift;
            memcpy((char *)(uintptr_t)b->program->places[n].address + r->offset, &value, r->size);
        }
    }
}

/* ---- who calls whom, and who uses which shared variable ---- */

static void note_names(struct builder *b, const struct ptx_operand *x, uint64_t *shared, uint64_t *called,
                       bool *pointer)
{
    if (x->kind == PTX_OPERAND_NAME && x->name) {
        const struct global_name *g = global_name(b, x->name);

        if (g && g->is_function)
            called[g->index / 64] |= 1ull << (g->index % 64);
        else if (g && b->program->places[g->index].variable->space == PTX_SHARED)
            shared[g->index / 64] |= 1ull << (g->index % 64);
    }
    for (size_t n = 0; n < x->count; n++)
        note_names(b, &x->elements[n], shared, called, pointer);
}

/* Follows calls: who may reach whom, and hence which shared variables each function may touch. */
static void follow_calls(struct builder *b)
{
    struct program *p = b->program;
    size_t functions = p->function_count, variables = p->place_count;
    size_t fwords = (functions + 63) / 64, vwords = (variables + 63) / 64;
    uint64_t *reach = calloc(functions * fwords + 1, 8), *uses = calloc(functions * vwords + 1, 8);
    uint64_t *taken = calloc(fwords + 1, 8);
    bool changed = true;

    if (!reach || !uses || !taken)
        build_fail(b, "out of memory");
    for (size_t f = 0; f < functions; f++) {
        const struct ptx_function *x = p->functions[f].ptx;
        bool pointer = false;

        for (size_t n = 0, at = p->functions[f].first_place; n < x->local_count; n++)
            if (x->locals[n].space == PTX_SHARED) {
                uses[f * vwords + at / 64] |= 1ull << (at % 64);
                at++;
            }
        for (size_t s = 0; s < x->statement_count; s++)
            for (size_t o = 0; o < x->statements[s].count; o++)
                note_names(b, &x->statements[s].operands[o], uses + f * vwords, reach + f * fwords, &pointer);
        for (size_t s = 0; s < x->statement_count; s++)
            if (x->statements[s].kind == PTX_INSTRUCTION && !strncmp(x->statements[s].opcode, "call", 4))
                for (size_t o = 0; o < x->statements[s].count && o < 2; o++)
                    if (x->statements[s].operands[o].kind == PTX_OPERAND_REGISTER)
                        pointer = true;
        if (pointer) /* it may call whatever has its address in a table */
            p->functions[f].recursive = true;
    }
    /* Functions whose address stands in a variable can be called by whoever calls through pointers. */
    for (size_t v = 0; v < variables; v++)
        for (size_t k = 0; k < p->places[v].variable->relocation_count; k++) {
            const struct global_name *g = global_name(b, p->places[v].variable->relocations[k].symbol);

            if (g && g->is_function)
                taken[g->index / 64] |= 1ull << (g->index % 64);
        }
    for (size_t f = 0; f < functions; f++)
        if (p->functions[f].recursive)
            for (size_t n = 0; n < fwords; n++)
                reach[f * fwords + n] |= taken[n];
    while (changed) {
        changed = false;
        for (size_t f = 0; f < functions; f++)
            for (size_t g = 0; g < functions; g++)
                if (reach[f * fwords + g / 64] >> (g % 64) & 1) {
                    for (size_t n = 0; n < fwords; n++) {
                        uint64_t add = reach[g * fwords + n] & ~reach[f * fwords + n];

                        changed |= add != 0;
                        reach[f * fwords + n] |= add;
                    }
                    for (size_t n = 0; n < vwords; n++) {
                        uint64_t add = uses[g * vwords + n] & ~uses[f * vwords + n];

                        changed |= add != 0;
                        uses[f * vwords + n] |= add;
                    }
                }
    }
    for (size_t f = 0; f < functions; f++) {
        if (reach[f * fwords + f / 64] >> (f % 64) & 1)
            p->functions[f].recursive = true;
        for (size_t g = 0; g < functions; g++)
            if (reach[f * fwords + g / 64] >> (g % 64) & 1 && reach[g * fwords + g / 64] >> (g % 64) & 1)
                p->functions[f].recursive = true;
    }
    for (size_t f = 0; f < functions; f++) {
        p->functions[f].shared_uses = build_alloc(b, vwords * 8 + 8);
        memcpy(p->functions[f].shared_uses, uses + f * vwords, vwords * 8);
    }
    free(reach);
    free(uses);
    free(taken);
}

static bool uses_shared(const struct function *f, size_t place)
{
    return f->shared_uses[place / 64] >> (place % 64) & 1;
}

/*
 * Offsets of the shared variables that entry `index` may touch, for its code and its size: variables that it has to
 * itself are placed anew for each entry; those that called functions touch have one offset, above everything that any
 * entry which reaches them has of that kind. The ones without a bound (extern __shared__) come last and overlap.
 */
static void place_shared(struct builder *b, size_t index)
{
    struct program *p = b->program;
    struct function *f = &p->functions[index];
    uint64_t top = b->shared_by_functions, end;

    for (size_t v = 0; v < p->place_count; v++) {
        const struct ptx_variable *x = p->places[v].variable;

        if (x->space == PTX_SHARED && uses_shared(f, v) && !b->shared_fixed[v] && !x->unbounded && x->size) {
            p->places[v].address = round_up(top, x->align);
            top = p->places[v].address + x->size;
        }
    }
    end = top;
    for (size_t v = 0; v < p->place_count; v++) {
        const struct ptx_variable *x = p->places[v].variable;

        if (x->space == PTX_SHARED && uses_shared(f, v) && (x->unbounded || !x->size)) {
            if (!b->shared_fixed[v])
                p->places[v].address = round_up(top, x->align);
            end = p->places[v].address > end ? p->places[v].address : end;
        }
    }
    f->shared_bytes = end;
}

/* Variables that some .func touches lie at the bottom, at the same place for all entries. */
static void fix_shared(struct builder *b)
{
    struct program *p = b->program;
    bool unbounded = false;

    b->shared_fixed = build_alloc(b, p->place_count + 1);
    for (size_t f = 0; f < p->function_count; f++)
        for (size_t v = 0; v < p->place_count && !p->functions[f].ptx->entry; v++)
            b->shared_fixed[v] |= p->places[v].variable->space == PTX_SHARED && uses_shared(&p->functions[f], v);
    for (size_t v = 0; v < p->place_count; v++) {
        const struct ptx_variable *x = p->places[v].variable;

        if (b->shared_fixed[v] && (x->unbounded || !x->size)) {
            unbounded = true;
        } else if (b->shared_fixed[v]) {
            p->places[v].address = round_up(b->shared_by_functions, x->align);
            b->shared_by_functions = p->places[v].address + x->size;
        }
    }
    if (!unbounded)
        return;
    /* Dynamic memory that a .func knows: above what any entry has of its own. */
    for (size_t f = 0; f < p->function_count; f++)
        if (p->functions[f].ptx->entry) {
            place_shared(b, f);
            if (p->functions[f].shared_bytes > b->shared_top)
                b->shared_top = p->functions[f].shared_bytes;
        }
    for (size_t v = 0; v < p->place_count; v++)
        if (b->shared_fixed[v] && (p->places[v].variable->unbounded || !p->places[v].variable->size))
            p->places[v].address = round_up(b->shared_top, p->places[v].variable->align);
}

/* ---- functions ---- */

static void lay_out_locals(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;
    struct function *f = b->function;
    uint64_t local = 0, param = 0;
    size_t place = f->first_place;

    b->local_offset = build_alloc(b, (x->local_count + 1) * sizeof *b->local_offset);
    f->formal_count = (uint32_t)(x->result_count + x->parameter_count);
    f->formal_offset = build_alloc(b, (f->formal_count + 1) * sizeof *f->formal_offset);
    f->formal_size = build_alloc(b, (f->formal_count + 1) * sizeof *f->formal_size);
    if (x->entry) {
        uint64_t at = 0;

        for (size_t n = 0; n < x->parameter_count; n++) {
            at = round_up(at, x->parameters[n].align);
            f->formal_offset[n] = (uint32_t)at;
            f->formal_size[n] = (uint32_t)x->parameters[n].size;
            add_local(b, x->parameters[n].name, (uint32_t)at, 3);
            at += x->parameters[n].size;
        }
        f->entry_bytes = (uint32_t)at;
    } else {
        for (uint32_t n = 0; n < f->formal_count; n++) {
            const struct ptx_variable *v = n < x->result_count ? &x->results[n] : &x->parameters[n - x->result_count];

            if (v->space == PTX_REG)
                build_fail(b, "function '%s': parameters in registers are not supported", x->name);
            param = round_up(param, v->align > 8 ? v->align : 8);
            f->formal_offset[n] = (uint32_t)param;
            f->formal_size[n] = (uint32_t)v->size;
            add_local(b, v->name, n, 4);
            param += v->size;
        }
    }
    for (size_t n = 0; n < x->local_count; n++) {
        const struct ptx_variable *v = &x->locals[n];

        add_local(b, v->name, (uint32_t)n, 2);
        if (v->space == PTX_PARAM) {
            param = round_up(param, v->align > 8 ? v->align : 8);
            b->local_offset[n] = (uint32_t)param;
            param += v->size;
        } else if (v->space == PTX_LOCAL) {
            local = round_up(local, v->align > 8 ? v->align : 8);
            b->local_offset[n] = (uint32_t)local;
            local += v->size;
        } else if (v->space == PTX_SHARED) {
            b->local_offset[n] = (uint32_t)b->program->places[place++].address;
        }
    }
    f->local_bytes = (uint32_t)round_up(local, 16);
    f->param_bytes = (uint32_t)round_up(param, 16);
}

/* Whether instruction `n` is a selp that has register `v` as one of its values. */
static bool selects(const struct builder *b, size_t n, uint32_t v)
{
    step *const run = b->code[n].body;

    return (run == row_find(b->rows, "selp.b16")->run || run == row_find(b->rows, "selp.b32")->run ||
            run == row_find(b->rows, "selp.b64")->run) && v != b->code[n].c >> 1;
}

#define FOLLOWED 64 /* instructions */

/*
 * Whether what instruction `n` puts into register `v` goes to selp alone, as far as that is seen without a condition.
 */
static bool only_selected(const struct builder *b, size_t n, uint32_t v)
{
    bool seen = false;

    n++;
    for (int steps = 0; steps < FOLLOWED && n < b->code_count; steps++) {
        const struct ins_facts *f = &b->facts[n];

        for (uint32_t u = 0; u < f->uses; u++)
            if (b->vregs[f->first_def + f->defs + u] == v) {
                if (!selects(b, n, v))
                    return false;
                seen = true;
            }
        for (uint32_t d = 0; d < f->defs && !f->partial; d++)
            if (b->vregs[f->first_def + d] == v)
                return seen;
        if (!f->falls && !f->targets)
            return seen;
        if (f->targets > 1 || (f->targets && f->falls))
            return false;
        n = f->targets ? b->label_at[b->targets[f->first_target]] : n + 1;
    }
    return false;
}

/*
 * nvcc loads ahead of a condition where the address is valid, and throws the value away with selp. Such loads are
 * marked: what they read unwritten, or while others write, need not be wrong.
 */
static void mark_selected(struct builder *b)
{
    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins *i = &b->code[n];
        const struct ins_facts *f = &b->facts[n];

        i->selected = f->defs > 0 && (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD);
        for (uint32_t u = 0; u < f->defs; u++)
            i->selected = i->selected && only_selected(b, n, b->vregs[f->first_def + u]);
    }
}

static void build_function(struct builder *b, size_t index)
{
    struct function *f = &b->program->functions[index];
    const struct ptx_function *x = f->ptx;
    size_t names = table_size(x->statement_count + x->local_count + x->parameter_count + x->result_count);

    b->function = f;
    b->ptx_function = x;
    b->statement = NULL;
    b->first = (uint32_t)b->code_count;
    b->carry = 0;
    b->vreg_count = 0;
    b->vreg_list_count = b->target_count = b->list_count = 0;
    free(b->labels);
    free(b->label_at);
    free(b->label_used);
    b->labels = calloc(names, sizeof *b->labels);
    b->label_mask = names - 1;
    b->label_at = calloc(2 * x->statement_count + 1, sizeof *b->label_at);
    b->label_used = calloc(x->statement_count + 1, sizeof *b->label_used);
    if (!b->labels || !b->label_at || !b->label_used)
        build_fail(b, "out of memory");
    for (size_t n = 0; n < x->register_count; n++) {
        unsigned size = x->registers[n].type == PTX_PRED ? 4 : ptx_type_size(x->registers[n].type);

        temporary(b, size < 2 ? 2 : size);
    }
    for (size_t n = 0; n < x->statement_count; n++)
        if (x->statements[n].name && x->statements[n].kind != PTX_INSTRUCTION)
            add_local(b, x->statements[n].name, (uint32_t)n, 1);
    if (x->entry)
        place_shared(b, index);
    lay_out_locals(b);
    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_statement *s = &x->statements[n];

        if (s->kind == PTX_BRANCH_TARGETS || (s->kind == PTX_INSTRUCTION && !strncmp(s->opcode, "bra", 3)))
            for (size_t o = 0; o < s->count; o++) {
                const struct name_entry *e =
                    s->operands[o].kind == PTX_OPERAND_NAME ? local_name(b, s->operands[o].name) : NULL;

                if (e && e->kind == 1)
                    b->label_used[e->value] = true;
            }
    }
    for (size_t n = 0; n < x->statement_count; n++)
        lower_statement(b, n);
    /* Running off the end returns. */
    b->statement = NULL;
    b->opcode.count = 0;
    emit(b, x->entry ? "@exit" : "@ret")->class = CLASS_COUNT;
    b->facts[b->code_count - 1].falls = false;
    f->first = b->first;
    f->last = (uint32_t)b->code_count;
    mark_selected(b);
    allocate_registers(b);
    /* Targets are indices of instructions until the code stops moving. */
    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins_facts *facts = &b->facts[n];

        if (!facts->targets)
            continue;
        if (b->code[n].extra) {
            uintptr_t *list = (uintptr_t *)(uintptr_t)b->code[n].extra;

            for (uint32_t t = 0; t < facts->targets; t++)
                list[t] = b->label_at[b->targets[facts->first_target + t]];
        } else {
            b->code[n].imm = b->label_at[b->targets[facts->first_target]];
        }
    }
}

/* Stack of local memory that a call of `index` may need, -1 when no bound is known. */
static int64_t stack_need(struct program *p, size_t index, unsigned depth)
{
    struct function *f = &p->functions[index];
    int64_t most = 0;

    if (f->recursive || depth > 64)
        return -1;
    for (uint32_t n = f->first; n < f->last; n++) {
        const struct call_site *site;
        int64_t need;

        if (p->code[n].grows_stack)
            return -1;
        if (!p->code[n].is_call)
            continue;
        site = p->code[n].extra;
        if (site->function == -2)
            continue;
        need = site->function < 0 ? -1 : stack_need(p, (size_t)site->function, depth + 1);
        if (need < 0)
            return -1;
        most = need > most ? need : most;
    }
    return most + f->local_bytes;
}

static void finish_code(struct builder *b)
{
    struct program *p = b->program;

    p->code = b->code;
    p->code_count = (uint32_t)b->code_count;
    p->pool = b->pool;
    p->pool_size = b->pool_size;
    b->code = NULL;
    b->pool = NULL;
    for (size_t n = 0; n < p->code_count; n++) {
        struct ins *i = &p->code[n];

        if (b->facts[n].targets) {
            if (i->extra) {
                const struct ins **list = (const struct ins **)(uintptr_t)i->extra;

                for (int64_t t = 0; t < i->imm; t++)
                    list[t] = p->code + (uintptr_t)list[t];
            } else {
                i->extra = p->code + i->imm;
                i->imm = 0;
            }
        }
    }
    for (size_t f = 0; f < p->function_count; f++)
        if (p->functions[f].ptx->defined) {
            int64_t need;

            p->functions[f].entry = p->code + p->functions[f].first;
            need = stack_need(p, f, 0);
            p->functions[f].recursive = need < 0;
            p->functions[f].stack_bytes = need < 0 ? 0 : (uint64_t)need;
        }
}

struct program *program_build(struct sim *sim, struct ptx_module *ptx, const struct row_index *rows,
                              struct ptx_error *error)
{
    struct builder *b = calloc(1, sizeof *b);
    struct program *volatile p = calloc(1, sizeof *p);
    size_t names;

    error->line = 0;
    snprintf(error->message, sizeof error->message, "out of memory");
    if (!b || !p) {
        free(b);
        free(p);
        return NULL;
    }
    b->program = p;
    b->rows = rows;
    b->ptx = ptx;
    b->error = error;
    p->sim = sim;
    p->ptx = ptx;
    if (setjmp(b->fail)) {
        p->ptx = NULL; /* stays the caller's */
        program_free(p);
        p = NULL;
        goto out;
    }
    names = table_size(ptx->variable_count + ptx->function_count);
    b->names = calloc(names, sizeof *b->names);
    b->name_mask = names - 1;
    p->function_count = ptx->function_count;
    p->functions = calloc(p->function_count + 1, sizeof *p->functions);
    if (!b->names || !p->functions)
        build_fail(b, "out of memory");
    constant(b, 0, 0, 16); /* slot 1: zero of any width */
    for (size_t f = 0; f < p->function_count; f++) {
        p->functions[f].ptx = &ptx->functions[f];
        add_global(b, ptx->functions[f].name, (uint32_t)f, true);
    }
    list_places(b);
    place_variables(b);
    follow_calls(b);
    fix_shared(b);
    relocate_variables(b);
    for (size_t f = 0; f < p->function_count; f++)
        if (ptx->functions[f].defined)
            build_function(b, f);
    finish_code(b);
out:
    free(b->code);
    free(b->facts);
    free(b->vregs);
    free(b->targets);
    free(b->vreg_size);
    free(b->label_at);
    free(b->label_used);
    free(b->labels);
    free(b->lists);
    free(b->pool);
    free(b->pool_index);
    free(b->names);
    free(b);
    return p;
}

void program_free(struct program *p)
{
    if (!p)
        return;
    for (size_t n = 0; n < p->place_count; n++)
        if (p->places[n].region)
            memory_release(sim_memory(p->sim), p->places[n].region->base);
    free(p->code);
    free(p->pool);
    free(p->places);
    free(p->functions);
    while (p->arena) {
        struct chunk *next = ((struct chunk *)p->arena)->next;

        free(p->arena);
        p->arena = next;
    }
    ptx_free(p->ptx);
    free(p);
}

const struct place *program_place(const struct program *p, const char *name)
{
    for (size_t n = 0; n < p->place_count; n++)
        if (strcmp(p->places[n].variable->name, name) == 0)
            return &p->places[n];
    return NULL;
}
