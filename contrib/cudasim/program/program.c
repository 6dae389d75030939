/*
 * program.c - builds a program: it gives variables their addresses, functions their instructions, kernels their facts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/hash.h"

/* The names of the function's statements, and which of them branches name. */
static void note_labels(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;

    for (size_t n = 0; n < x->statement_count; n++)
        if (x->statements[n].name && x->statements[n].kind != PTX_INSTRUCTION)
            add_local(b, x->statements[n].name, (uint32_t)n, NAME_STATEMENT);
}

static void note_branches(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;

    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_statement *s = &x->statements[n];

        if (s->kind != PTX_BRANCH_TARGETS && (s->kind != PTX_INSTRUCTION || strncmp(s->opcode, "bra", 3)))
            continue;
        for (size_t o = 0; o < s->count; o++) {
            const struct name_entry *e =
                s->operands[o].kind == PTX_OPERAND_NAME ? local_name(b, s->operands[o].name) : NULL;

            if (e && e->kind == NAME_STATEMENT)
                b->label_used[e->value] = true;
        }
    }
}

/* Targets become indices of instructions, until the code stops moving: see finish_code(). */
static void resolve_targets(struct builder *b)
{
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

/* Starts the code of function `index` anew. `x` is its tree, or that with the statements of program_undefined.c. */
static void begin_function(struct builder *b, size_t index, const struct ptx_function *x)
{
    struct function *f = &b->program->functions[index];
    size_t names = hash_places(x->statement_count + x->local_count + x->parameter_count + x->result_count);

    b->function = f;
    b->ptx_function = x;
    b->statement = NULL;
    b->carry = 0;
    b->vreg_count = 0;
    b->vreg_list_count = b->target_count = b->list_count = 0;
    b->labels = build_scratch(b, names, sizeof *b->labels);
    b->label_mask = names - 1;
    b->label_at = build_scratch(b, 2 * x->statement_count, sizeof *b->label_at);
    b->label_used = build_scratch(b, x->statement_count, sizeof *b->label_used);
    b->statement_first = build_scratch(b, x->statement_count + 1, sizeof *b->statement_first);
    for (size_t n = 0; n < x->register_count; n++) {
        unsigned size = x->registers[n].type == PTX_PRED ? 4 : ptx_type_size(x->registers[n].type);

        temporary(b, size < 2 ? 2 : size);
    }
    note_labels(b);
    if (x->entry)
        place_shared(b, index);
    lay_out_locals(b);
    note_branches(b);
    find_bases(b);
    find_stores(b);
    count_mentions(b);
}

/* What only keeps track of undefined bits counts as no instruction. */
static void mark_added(struct builder *b, size_t from)
{
    for (size_t n = from; n < b->code_count; n++) {
        b->code[n].class = CLASS_COUNT;
        b->facts[n].added = true;
    }
}

/* The marks of program_select.c depend on distances in the code. They are those of the plain code. */
static void copy_marks(struct builder *b)
{
    const struct ins *from = b->plain;

    for (size_t n = b->first; n < b->code_count; n++)
        if (!b->facts[n].added) {
            b->code[n].selected = from->selected;
            b->code[n].needed = from->needed;
            b->code[n].polls = from->polls;
            b->code[n].guesses = from->guesses;
            b->code[n].writes_back = from->writes_back;
            b->code[n].sums = from->sums;
            b->code[n].repeats = from->repeats;
            b->code[n].doubtful = from->doubtful;
            from++;
        }
}

/* Builds function `index` from `x`. With b->added it is the second time. */
static void build_code(struct builder *b, size_t index, const struct ptx_function *x)
{
    begin_function(b, index, x);
    for (size_t n = 0; n < x->statement_count; n++) {
        b->statement_first[n] = (uint32_t)b->code_count;
        lower_statement(b, n);
        if (b->added && b->added[n])
            mark_added(b, b->statement_first[n]);
    }
    b->statement_first[x->statement_count] = (uint32_t)b->code_count;
    /* Running off the end returns. */
    b->statement = NULL;
    b->opcode.count = 0;
    emit(b, x->entry ? "@exit" : "@ret")->class = CLASS_COUNT;
    b->facts[b->code_count - 1].falls = false;
    b->function->first = b->first;
    b->function->last = (uint32_t)b->code_count;
    if (b->added) {
        copy_marks(b);
    } else {
        mark_selected(b);
        mark_polls(b);
        mark_guesses(b);
        mark_repeats(b);
    }
    allocate_registers(b);
    resolve_targets(b);
}

/* Builds the function anew if it may use registers that were never set, so that it reports such uses. */
static void build_tracked(struct builder *b, size_t index, uint32_t events)
{
    bool *added = NULL;
    const struct ptx_function *x = track_undefined(b, &added);
    size_t count = b->code_count - b->first;
    struct ins *plain;

    if (!x)
        return;
    plain = build_scratch(b, count, sizeof *plain);
    memcpy(plain, b->code + b->first, count * sizeof *plain);
    b->plain = plain;
    b->added = added;
    b->code_count = b->first;
    b->program->event_count = events;
    build_code(b, index, x);
}

static void build_function(struct builder *b, size_t index, bool tracked)
{
    struct function *f = &b->program->functions[index];
    uint32_t events = b->program->event_count;

    b->first = (uint32_t)b->code_count;
    b->added = NULL;
    build_code(b, index, f->ptx);
    f->plain_bytes = f->register_bytes;
    if (tracked)
        build_tracked(b, index, events);
    b->added = NULL;
    build_scratch_end(b);
}

/* Replaces the code of a refused function. A call of it through a pointer ends there. */
static void emit_refusal(struct builder *b)
{
    b->code_count = b->first;
    b->statement = NULL;
    b->opcode.count = 0;
    b->vreg_count = 0;
    b->vreg_list_count = b->target_count = b->list_count = 0;
    emit(b, "@trap");
    emit(b, "@exit")->class = CLASS_COUNT;
    b->facts[b->code_count - 1].falls = false;
    b->function->first = b->first;
    b->function->last = (uint32_t)b->code_count;
    allocate_registers(b);
}

/* Builds function `index`. False, with a message in *b->error: it has what is not supported. */
static bool try_function(struct builder *b, size_t index, bool tracked)
{
    jmp_buf here, *outer = b->fail;

    b->fail = &here;
    if (setjmp(here) == 0) {
        build_function(b, index, tracked);
        b->fail = outer;
        return true;
    }
    b->fail = outer;
    if (b->exhausted)
        longjmp(*outer, 1);
    b->code_count = b->first;
    return false;
}

/* Refuses only the function with the unsupported feature. The others run. */
static void build_or_refuse(struct builder *b, size_t index)
{
    struct function *f = &b->program->functions[index];

    /* Without the check of undefined registers where the table has no row for it. */
    if ((b->tracks && try_function(b, index, true)) || try_function(b, index, false))
        return;
    f->refusal_line = b->error->line;
    f->refusal = strcpy(build_alloc(b, strlen(b->error->message) + 1), b->error->message);
    emit_refusal(b);
    build_scratch_end(b);
}

/* Refuses the callers of a refused function, for the same reason. */
static void spread_refusals(struct program *p, const struct ins *code)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t f = 0; f < p->function_count; f++)
            for (uint32_t n = p->functions[f].first; n < p->functions[f].last && !p->functions[f].refusal; n++) {
                const struct call_site *site = code[n].is_call ? code[n].extra : NULL;
                const struct function *callee = site && site->function >= 0 ? &p->functions[site->function] : NULL;

                if (callee && callee->refusal) {
                    p->functions[f].refusal = callee->refusal;
                    p->functions[f].refusal_line = callee->refusal_line;
                    changed = true;
                }
            }
    }
}

#define DEPTH_MOST 64 /* calls inside of calls whose stacks are added up */

/* Stack of local memory that a call of `index` may need, into *bytes. False: no bound is known. */
enum stack { STACK_NOT_SEEN, STACK_KNOWN, STACK_UNKNOWN };

/* seen[function_count] is enum stack: functions that many call are looked at once. */
static bool stack_need(struct program *p, size_t index, unsigned depth, char *seen, uint64_t *bytes)
{
    struct function *f = &p->functions[index];
    uint64_t most = 0;

    *bytes = f->stack_bytes;
    if (seen[index] != STACK_NOT_SEEN)
        return seen[index] == STACK_KNOWN;
    seen[index] = STACK_UNKNOWN;
    if (f->recursive || depth > DEPTH_MOST)
        return false;
    for (uint32_t n = f->first; n < f->last; n++) {
        const struct call_site *site;
        uint64_t need;

        if (p->code[n].grows_stack)
            return false;
        if (!p->code[n].is_call)
            continue;
        site = p->code[n].extra;
        if (site->function == CALL_BUILTIN)
            continue;
        if (site->function == CALL_POINTER || !stack_need(p, (size_t)site->function, depth + 1, seen, &need))
            return false;
        most = need > most ? need : most;
    }
    seen[index] = STACK_KNOWN;
    *bytes = f->stack_bytes = most + f->local_bytes;
    return true;
}

static void finish_code(struct builder *b)
{
    struct program *p = b->program;
    char *seen;

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
    seen = build_scratch(b, p->function_count, 1);
    for (size_t f = 0; f < p->function_count; f++)
        if (p->functions[f].ptx->defined) {
            uint64_t need;

            p->functions[f].entry = p->code + p->functions[f].first;
            p->functions[f].recursive = !stack_need(p, f, 0, seen, &need);
        }
    build_scratch_end(b);
}

/* All steps; build_fail() leaves it. */
static void build(struct builder *b)
{
    struct program *p = b->program;
    const struct ptx_module *ptx = b->ptx;
    size_t names = hash_places(ptx->variable_count + ptx->function_count);

    b->names = build_alloc(b, names * sizeof *b->names);
    b->name_mask = names - 1;
    p->function_count = ptx->function_count;
    p->functions = build_alloc(b, (p->function_count + 1) * sizeof *p->functions);
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
            build_or_refuse(b, f);
    spread_refusals(p, b->code);
    finish_code(b);
}

struct program *program_build(struct memory *memory, struct ptx_module *ptx, struct row_index *rows,
                              unsigned flags, struct ptx_error *error)
{
    struct builder *b = calloc(1, sizeof *b);
    struct program *volatile p = calloc(1, sizeof *p);
    jmp_buf fail;

    error->line = 0;
    snprintf(error->message, sizeof error->message, "out of memory");
    if (!b || !p) {
        free(b);
        free(p);
        return NULL;
    }
    b->program = p;
    b->memory = memory;
    b->rows = rows;
    b->ptx = ptx;
    b->error = error;
    p->memory = memory;
    p->ptx = ptx;
    p->debug = flags & BUILD_DEBUG;
    b->tracks = flags & BUILD_UNDEFINED;
    b->fail = &fail;
    if (setjmp(fail)) {
        p->ptx = NULL; /* stays the caller's */
        program_free(p);
        p = NULL;
    } else {
        build(b);
    }
    free(b->code);
    free(b->facts);
    free(b->vregs);
    free(b->targets);
    free(b->vreg_size);
    free(b->lists);
    free(b->pool);
    free(b->pool_index);
    arena_release(&b->scratch);
    free(b);
    return p;
}

void program_free(struct program *p)
{
    if (!p)
        return;
    for (size_t n = 0; n < p->place_count; n++)
        if (p->places[n].region)
            memory_release(p->memory, p->places[n].region->base);
    free(p->code);
    free(p->pool);
    arena_release(&p->arena);
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
