/*
 * program_lower.c - gives each statement its instructions. It finds the file that knows the statement, refuses
 * unsupported statements, and adds guards.
 */
#include <string.h>

#include "builder.h"

/* Opcodes that need what is out of scope; named when the module is loaded. */
static void refuse(struct builder *b)
{
    static const struct {
        const char *prefix, *what;
    } list[] = {
        {"tcgen05", "tensor memory is not supported"},
    };
    const char *opcode = b->statement->opcode;

    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (!strncmp(opcode, list[n].prefix, strlen(list[n].prefix)))
            build_fail(b, "'%s': %s", opcode, list[n].what);
}

/* Wraps the instructions emitted from `from` on in the statement's guard. */
static void guard(struct builder *b, size_t from)
{
    const struct ptx_statement *s = b->statement;
    const struct row *row = row_find(b->rows, "@guarded");

    for (size_t n = from; n < b->code_count; n++) {
        struct ins_facts *f = &b->facts[n];

        b->code[n].run = row->run;
        b->code[n].guard = (slot)s->guard << 1;
        b->code[n].guard_negated = s->guard_negated;
        f->partial = true;
        insert_use(b, n, (uint32_t)s->guard);
    }
}

/*
 * Instructions that end a straight line, or wait for other lanes, cannot run under a mask that is put back afterwards:
 * their guard becomes a branch around them.
 */
static bool guard_by_branch(const char *base)
{
    static const char *const list[] = {
        "call", "ret", "exit", "brx", "trap", "brkpt", "bar", "barrier", "shfl", "vote", "match", "redux", "elect",
        "mma", "wgmma", "ldmatrix", "stmatrix", "movmatrix", "wmma", "mbarrier", "nanosleep", "activemask"};

    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (!strcmp(base, list[n]))
            return true;
    return false;
}

void lower_statement(struct builder *b, size_t index)
{
    const struct ptx_statement *s = &b->ptx_function->statements[index];
    size_t from = b->code_count;
    const char *base;
    bool around = false;

    b->statement = s;
    if (s->kind == PTX_LABEL) {
        b->opcode.count = 0;
        if (b->label_used[index]) {
            struct ins *i = emit(b, "@join");

            i->class = CLASS_COUNT; /* counts as nothing */
        }
        b->label_at[index] = (uint32_t)(b->label_used[index] ? b->code_count - 1 : b->code_count);
        return;
    }
    if (s->kind != PTX_INSTRUCTION)
        return;
    split_opcode(b);
    base = b->opcode.token[0];
    refuse_parts(b);
    if (!strcmp(base, "bra")) {
        lower_branch(b);
        return; /* its guard is its condition */
    }
    refuse(b);
    if (s->guard != PTX_NO_REGISTER && guard_by_branch(base)) {
        struct ins *i = emit(b, "@bra.if");

        i->class = CLASS_COUNT;
        i->a = (slot)s->guard << 1;
        i->flags = s->guard_negated ? 0 : INS_NEGATE;
        use_vreg(b, i->a);
        branch_to(b, i, (uint32_t)(b->ptx_function->statement_count + index));
        around = true;
    }
    if (!lower_flow(b) && !lower_compute(b) && !lower_async(b) && !lower_memory(b) && !lower_synchronise(b) &&
        !lower_texture(b) && !lower_wgmma(b) && !lower_shade(b) && !lower_by_row(b))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (around) {
        struct ins *i = emit(b, "@join");

        i->class = CLASS_COUNT;
        b->label_at[b->ptx_function->statement_count + index] = (uint32_t)b->code_count - 1;
    } else if (s->guard != PTX_NO_REGISTER) {
        guard(b, from);
    }
}
