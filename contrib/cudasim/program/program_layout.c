/*
 * program_layout.c - places variables. Global and constant ones get addresses in the device's memory. Shared ones get
 * offsets that depend on which functions may touch them. Locals and parameters get offsets in a frame.
 */
#include <stdio.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/round.h"

/* ---- variables ---- */

/* The shared variables which functions declare inside: places behind those of the module. */
void list_places(struct builder *b)
{
    struct program *p = b->program;
    size_t count = b->ptx->variable_count;

    for (size_t f = 0; f < p->function_count; f++)
        for (size_t n = 0; n < p->functions[f].ptx->local_count; n++)
            count += p->functions[f].ptx->locals[n].space == PTX_SHARED;
    p->places = build_alloc(b, (count + 1) * sizeof *p->places);
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
void place_variables(struct builder *b)
{
    struct program *p = b->program;

    for (size_t n = 0; n < b->ptx->variable_count; n++) {
        const struct ptx_variable *v = &b->ptx->variables[n];
        struct place *place = &p->places[n];

        add_global(b, v->name, (uint32_t)n, false);
        b->statement = NULL;
        if (v->space == PTX_SHARED)
            continue;
        if (v->external) /* of no module that was linked: refused where it is used */
            continue;
        place->region = memory_allocate(b->memory, v->size ? v->size : 1, v->align, REGION_GLOBAL);
        if (!place->region)
            build_fail(b, "out of device memory for variable '%s'", v->name);
        place->region->name = v->name;
        place->region->read_only = v->space == PTX_CONST;
        place->region->managed = v->managed;
        place->address = place->region->base;
        memset((void *)(uintptr_t)place->address, 0, v->size);
        if (v->initial)
            memcpy((void *)(uintptr_t)place->address, v->initial, v->initial_size);
        /* PTX gives a constant without a value 0. The host writes it before it is of use: memory_note_written(). */
        if (v->space == PTX_CONST && !v->initial && !v->relocation_count)
            memory_unwrite(b->memory, place->address);
        else
            memory_note_written(b->memory, place->address, v->size ? v->size : 1);
    }
}

void relocate_variables(struct builder *b)
{
    for (size_t n = 0; n < b->ptx->variable_count; n++) {
        const struct ptx_variable *v = b->program->places[n].variable;

        if (!b->program->places[n].region)
            continue;
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

        if (g && g->is_function) {
            if (!b->ptx->functions[g->index].entry) /* kernels are launched, not called */
                called[g->index / 64] |= 1ull << (g->index % 64);
        } else if (g && b->program->places[g->index].variable->space == PTX_SHARED)
            shared[g->index / 64] |= 1ull << (g->index % 64);
    }
    for (size_t n = 0; n < x->count; n++)
        note_names(b, &x->elements[n], shared, called, pointer);
}

/* Follows calls: who may reach whom, and hence which shared variables each function may touch. */
void follow_calls(struct builder *b)
{
    struct program *p = b->program;
    size_t functions = p->function_count, variables = p->place_count;
    size_t fwords = (functions + 63) / 64, vwords = (variables + 63) / 64;
    uint64_t *reach = build_scratch(b, functions * fwords, 8), *uses = build_scratch(b, functions * vwords, 8);
    uint64_t *taken = build_scratch(b, fwords, 8);
    bool changed = true;

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
        p->functions[f].cyclic = reach[f * fwords + f / 64] >> (f % 64) & 1;
        for (size_t g = 0; g < functions; g++)
            if (reach[f * fwords + g / 64] >> (g % 64) & 1 && reach[g * fwords + g / 64] >> (g % 64) & 1)
                p->functions[f].cyclic = true;
        p->functions[f].recursive |= p->functions[f].cyclic;
    }
    for (size_t f = 0; f < functions; f++) {
        p->functions[f].shared_uses = build_alloc(b, vwords * 8 + 8);
        memcpy(p->functions[f].shared_uses, uses + f * vwords, vwords * 8);
    }
    build_scratch_end(b);
}

static bool uses_shared(const struct function *f, size_t place)
{
    return f->shared_uses[place / 64] >> (place % 64) & 1;
}

/*
 * Offsets of the shared variables that entry `index` may touch, for its code and its size. Variables that no .func
 * touches are placed anew for each entry. A variable that a .func touches has one offset for all entries: fix_shared().
 * The variables without a bound (extern __shared__) come last and overlap. If a .func touches one, it lies above all
 * that any entry has of its own.
 */
void place_shared(struct builder *b, size_t index)
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
void fix_shared(struct builder *b)
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

void lay_out_locals(struct builder *b)
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
            add_local(b, x->parameters[n].name, (uint32_t)at, NAME_ENTRY_PARAMETER);
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
            add_local(b, v->name, n, NAME_FORMAL);
            param += v->size;
        }
    }
    for (size_t n = 0; n < x->local_count; n++) {
        const struct ptx_variable *v = &x->locals[n];

        add_local(b, v->name, (uint32_t)n, NAME_LOCAL);
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
