/*
 * program_flow.c - instructions that change the control flow: branches, calls, returns, traps.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/machine/builtin.h"

static void add_target(struct builder *b, const struct ins *ins, const char *label)
{
    const struct name_entry *entry = local_name(b, label);

    if (!entry || entry->kind != NAME_STATEMENT || b->ptx_function->statements[entry->value].kind != PTX_LABEL)
        build_fail(b, "unknown label '%s'", label);
    branch_to(b, ins, entry->value);
}

void lower_branch(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct ins *i;

    if (s->count != 1 || s->operands[0].kind != PTX_OPERAND_NAME)
        build_fail(b, "'bra' needs a label");
    i = emit(b, s->guard != PTX_NO_REGISTER ? "@bra.if" : "@bra");
    if (s->guard != PTX_NO_REGISTER) {
        i->a = (slot)s->guard << 1;
        i->flags = s->guard_negated ? INS_NEGATE : 0;
        use_vreg(b, i->a);
        i->event = ++b->program->event_count;
    } else {
        b->facts[b->code_count - 1].falls = false;
    }
    add_target(b, i, s->operands[0].name);
}

/* brx.idx index, table: a list of instructions, resolved when the function is complete. */
static void lower_indexed_branch(struct builder *b)
{
    const struct ptx_statement *s = b->statement, *table;
    const struct name_entry *entry;
    struct ins *i;
    slot index;
    const struct ins **list;

    if (s->count != 2 || s->operands[1].kind != PTX_OPERAND_NAME)
        build_fail(b, "'brx.idx' needs an index and a table");
    entry = local_name(b, s->operands[1].name);
    if (!entry || entry->kind != NAME_STATEMENT || b->ptx_function->statements[entry->value].kind != PTX_BRANCH_TARGETS)
        build_fail(b, "unknown table '%s'", s->operands[1].name);
    table = &b->ptx_function->statements[entry->value];
    index = use_operand(b, &s->operands[0], 'w');
    i = emit(b, "@brx");
    i->a = index;
    use_vreg(b, index);
    i->imm = (int64_t)table->count;
    list = build_alloc(b, (table->count + 1) * sizeof *list);
    i->extra = list;
    i->event = ++b->program->event_count;
    b->facts[b->code_count - 1].falls = false;
    for (size_t n = 0; n < table->count; n++)
        add_target(b, &b->code[b->code_count - 1], table->operands[n].name);
}

/* The parameter area of the function being built: where local variable `name` (.param) lies. */
static uint32_t param_place(struct builder *b, const char *name, uint32_t *size)
{
    const struct name_entry *entry = local_name(b, name);

    if (!entry || !local_is(b, entry, PTX_PARAM))
        build_fail(b, "'%s' is not a .param variable; calls with registers are not supported", name);
    *size = (uint32_t)b->ptx_function->locals[entry->value].size;
    return b->local_offset[entry->value];
}

static void lower_call(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const struct ptx_operand *results = NULL, *arguments = NULL, *callee = NULL;
    struct call_site *site = build_alloc(b, sizeof *site);
    const struct global_name *global;
    size_t n = 0;
    struct ins *i;

    if (n < s->count && s->operands[n].kind == PTX_OPERAND_LIST)
        results = &s->operands[n++];
    if (n < s->count)
        callee = &s->operands[n++];
    if (n < s->count && s->operands[n].kind == PTX_OPERAND_LIST)
        arguments = &s->operands[n++];
    if (!callee)
        build_fail(b, "'call' without a function");
    site->result_count = results ? (uint32_t)results->count : 0;
    site->count = site->result_count + (arguments ? (uint32_t)arguments->count : 0);
    site->offset = build_alloc(b, (site->count + 1) * sizeof *site->offset);
    site->size = build_alloc(b, (site->count + 1) * sizeof *site->size);
    for (uint32_t k = 0; k < site->count; k++) {
        const struct ptx_operand *x =
            k < site->result_count ? &results->elements[k] : &arguments->elements[k - site->result_count];

        if (x->kind != PTX_OPERAND_NAME)
            build_fail(b, "calls with registers or immediates as arguments are not supported");
        site->offset[k] = param_place(b, x->name, &site->size[k]);
    }
    if (callee->kind == PTX_OPERAND_NAME) {
        enum builtin builtin = builtin_find(callee->name);

        global = global_name(b, callee->name);
        if (builtin != BUILTIN_NONE) {
            site->function = CALL_BUILTIN;
            site->builtin = (uint32_t)builtin;
        } else if (!global || !global->is_function) {
            build_fail(b, "call of '%s', which is not in the module", callee->name);
        } else if (!b->ptx->functions[global->index].defined) {
            build_fail(b, "call of '%s', which no module that was linked defines", callee->name);
        } else {
            site->function = (int32_t)global->index;
        }
        i = emit(b, site->function == CALL_BUILTIN ? "@builtin" : "@call");
        i->is_call = true;
        i->extra = site;
    } else {
        slot pointer = use_operand(b, callee, 'q');

        site->function = CALL_POINTER;
        i = emit(b, "@call.pointer");
        i->is_call = true;
        i->extra = site;
        i->a = pointer;
        use_vreg(b, pointer);
    }
}

bool lower_flow(struct builder *b)
{
    const char *base = b->opcode.token[0];

    if (!strcmp(base, "brx")) {
        lower_indexed_branch(b);
    } else if (!strcmp(base, "call")) {
        lower_call(b);
    } else if (!strcmp(base, "ret") || !strcmp(base, "exit")) {
        bool ends = !strcmp(base, "exit") || b->ptx_function->entry;

        emit(b, ends ? "@exit" : "@ret")->ends = ends;
        b->facts[b->code_count - 1].falls = false;
    } else if (!strcmp(base, "trap") || !strcmp(base, "brkpt")) {
        emit(b, "@trap");
    } else if (!strcmp(base, "@undefined")) { /* no statement of PTX: program_undefined.c */
        slot undefined = use_operand(b, &b->statement->operands[0], 'p');
        struct ins *i = emit(b, "@undefined");

        i->a = undefined;
        i->op = (uint8_t)b->statement->operands[1].value;
        i->mode = (uint8_t)b->statement->operands[2].value; /* 1: from shared memory as well */
        i->toolkit = i->toolkit && !ptx_is_intrinsic_file(b->ptx, b->statement->source_file) &&
                     !ptx_is_matrix_file(b->ptx, b->statement->source_file);
        use_vreg(b, undefined);
    } else {
        return false;
    }
    return true;
}
