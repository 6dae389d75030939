/*
 * program_memory.c - instructions that touch memory.
 *
 * Each lower_*() returns false for an instruction that it does not handle.
 */
#include <stdio.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/operation.h"

/* ---- addresses ---- */

struct address lower_address(struct builder *b, const struct ptx_operand *x)
{
    struct address a = {ADDRESS_MEMORY, 1, false, 0, NULL};
    const struct ptx_operand *base;
    const struct name_entry *entry;

    if (x->kind != PTX_OPERAND_ADDRESS || x->count != 1)
        build_fail(b, "'%s' needs an address of the form [base + offset]", b->statement->opcode);
    base = &x->elements[0];
    a.named = base;
    a.offset = x->offset;
    switch (base->kind) {
    case PTX_OPERAND_REGISTER:
        a.base = (slot)base->reg << 1;
        a.wide = operand_bytes(b, base) == 8;
        break;
    case PTX_OPERAND_INTEGER:
        a.offset += (int64_t)base->value;
        break;
    case PTX_OPERAND_NAME:
        a.offset += base->offset;
        entry = local_name(b, base->name);
        if (entry && entry->kind == NAME_ENTRY_PARAMETER) {
            a.kind = ADDRESS_ENTRY_PARAMETER;
            a.offset += entry->value;
        } else if (entry && entry->kind == NAME_FORMAL) {
            a.kind = ADDRESS_FRAME_PARAMETER;
            a.offset += b->function->formal_offset[entry->value];
        } else if (entry && local_is(b, entry, PTX_PARAM)) {
            a.kind = ADDRESS_FRAME_PARAMETER;
            a.offset += b->local_offset[entry->value];
        } else if (entry && local_is(b, entry, PTX_SHARED)) {
            a.offset += b->local_offset[entry->value];
        } else if (entry && entry->kind == NAME_LOCAL) {
            slot t = (slot)temporary(b, 8) << 1;
            struct ins *i = emit(b, "@address.local");

            i->class = CLASS_COUNT;
            i->d = t;
            i->width = 8;
            i->imm = b->local_offset[entry->value];
            define_vreg(b, t);
            a.base = t;
            a.wide = true;
        } else {
            const struct global_name *g = global_name(b, base->name);

            if (!g || g->is_function)
                build_fail(b, "unknown variable '%s'", base->name);
            a.offset += (int64_t)place_used(b, g)->address;
        }
        break;
    default:
        build_fail(b, "'%s' needs an address of the form [base + offset]", b->statement->opcode);
    }
    return a;
}

void set_address(struct builder *b, struct ins *i, struct address a)
{
    i->a = a.base;
    i->imm = a.offset;
    if (a.base != 1)
        i->flags |= INS_ADDRESS_BASE;
    if (a.wide)
        i->flags |= INS_ADDRESS_64;
    use_vreg(b, a.base);
}

/* The same for an access that touches nothing else: it must stay in the variable that it was meant for. */
static void set_only_address(struct builder *b, struct ins *i, struct address a)
{
    set_address(b, i, a);
    if (i->space == PTX_SHARED || i->space == PTX_LOCAL || i->space == PTX_SPACE_NONE)
        set_bounds_of(b, i, a.named);
}

enum ptx_space space_token(const struct builder *b)
{
    for (unsigned n = 1; n < b->opcode.count; n++) {
        const char *t = b->opcode.token[n];

        if (!strcmp(t, "global"))
            return PTX_GLOBAL;
        if (!strncmp(t, "shared", 6))
            return PTX_SHARED;
        if (!strcmp(t, "local"))
            return PTX_LOCAL;
        if (!strncmp(t, "const", 5))
            return PTX_CONST;
        if (!strncmp(t, "param", 5))
            return PTX_PARAM;
    }
    return PTX_SPACE_NONE;
}

static uint16_t order_flags(const struct builder *b)
{
    uint16_t flags = 0;

    if (has_token(b, "volatile") || has_token(b, "relaxed") || has_token(b, "mmio") || has_token(b, "cv") ||
        has_token(b, "cg"))
        flags |= INS_SPINS;
    if (has_token(b, "acquire"))
        flags |= INS_SPINS | INS_RELEASE;
    if (has_token(b, "release") || has_token(b, "acq_rel") || has_token(b, "volatile"))
        flags |= INS_RELEASE;
    return flags;
}

static uint8_t memory_order(const struct builder *b)
{
    uint8_t order = 0;

    if (has_token(b, "volatile") || has_token(b, "cv"))
        order |= ORDER_VOLATILE;
    if (has_token(b, "relaxed") || has_token(b, "mmio"))
        order |= ORDER_RELAXED;
    if (has_token(b, "acquire") || has_token(b, "acq_rel"))
        order |= ORDER_RELAXED | ORDER_ACQUIRE;
    if (has_token(b, "release") || has_token(b, "acq_rel"))
        order |= ORDER_RELAXED | ORDER_RELEASE;
    return order;
}

uint8_t scope_token(const struct builder *b)
{
    return has_token(b, "cta") ? SCOPE_BLOCK : has_token(b, "cluster") ? SCOPE_CLUSTER : SCOPE_DEVICE;
}

unsigned vector_token(const struct builder *b)
{
    return has_token(b, "v8") ? 8 : has_token(b, "v4") ? 4 : has_token(b, "v2") ? 2 : 1;
}

/* ---- loads and stores ---- */

void lower_access(struct builder *b, bool load)
{
    const struct ptx_statement *s = b->statement;
    enum ptx_space space = space_token(b);
    enum ptx_type type = type_token(b, 0);
    unsigned size = ptx_type_size(type), count = vector_token(b), width = 0, address_index = load ? 1 : 0;
    const struct ptx_operand *data;
    struct address a;
    slot slots[8], *list;
    char name[48];
    struct ins *i;

    if (s->count < 2 || size == 0)
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    data = &s->operands[load ? 0 : 1];
    if (count > 1 && (data->kind != PTX_OPERAND_VECTOR || data->count != count))
        build_fail(b, "'%s' needs a vector of %u", s->opcode, count);
    if (!strcmp(b->opcode.token[0], "ldu"))
        space = space == PTX_SPACE_NONE ? PTX_SPACE_NONE : PTX_GLOBAL;
    for (unsigned n = 0; n < count; n++) {
        const struct ptx_operand *x = count > 1 ? &data->elements[n] : data;

        if (operand_bytes(b, x) > width)
            width = operand_bytes(b, x);
    }
    if (width < size)
        width = size < 2 ? 2 : size;
    for (unsigned n = 0; n < count; n++) {
        const struct ptx_operand *x = count > 1 ? &data->elements[n] : data;
        char letter = letter_of(width);

        if (load && x->kind == PTX_OPERAND_SINK)
            slots[n] = (slot)temporary(b, width) << 1;
        else
            slots[n] = load ? define_operand(b, x, letter) : use_operand(b, x, letter);
    }
    a = lower_address(b, &s->operands[address_index]);
    if (a.kind == ADDRESS_ENTRY_PARAMETER && !load)
        build_fail(b, "store to a kernel's parameter");
    if (a.kind != ADDRESS_MEMORY && space != PTX_PARAM)
        build_fail(b, "'%s' cannot address a parameter", s->opcode);
    snprintf(name, sizeof name, "@%s%s.%c%u.%u", load ? "ld" : "st",
             a.kind == ADDRESS_ENTRY_PARAMETER   ? ".param"
             : a.kind == ADDRESS_FRAME_PARAMETER ? ".frame"
             : space == PTX_SHARED && !a.wide    ? ".shared"
                                                 : "",
             load && is_signed(type) && width > size ? 's' : 'u', size * 8, width * 8);
    list = slot_list(b, count);
    memcpy(list, slots, count * sizeof *list);
    i = emit(b, name);
    i->size = (uint8_t)size;
    i->width = (uint8_t)width;
    i->count = (uint8_t)count;
    i->space = (uint8_t)space;
    i->extra = list;
    i->flags = order_flags(b);
    i->order = memory_order(b);
    i->system = has_token(b, "sys");
    i->cached = has_token(b, "nc");
    i->scope = scope_token(b);
    i->stores = !load;
    i->mode = has_token(b, "cg"); /* past the first cache: mostly for speed, at times to see what others write */
    if (load)
        for (unsigned n = 0; n < count; n++)
            define_vreg(b, slots[n]);
    set_only_address(b, i, a);
    if (!load)
        for (unsigned n = 0; n < count; n++)
            use_vreg(b, slots[n]);
    if (a.kind == ADDRESS_MEMORY)
        i->event = ++b->program->event_count;
    i->class = space == PTX_PARAM || space == PTX_CONST ? CLASS_PARAMETER
               : space == PTX_SHARED                    ? (load ? CLASS_SHARED_LOAD : CLASS_SHARED_STORE)
                                                        : (load ? CLASS_GLOBAL_LOAD : CLASS_GLOBAL_STORE);
}

/* The operation that the opcode names. False: none. */
bool atomic_token(const struct builder *b, enum atomic_op *op)
{
    static const char *const names[] = {
        [ATOMIC_ADD] = "add", [ATOMIC_MIN] = "min", [ATOMIC_MAX] = "max", [ATOMIC_AND] = "and",   [ATOMIC_OR] = "or",
        [ATOMIC_XOR] = "xor", [ATOMIC_INC] = "inc", [ATOMIC_DEC] = "dec", [ATOMIC_EXCH] = "exch", [ATOMIC_CAS] = "cas"};

    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (has_token(b, names[n])) {
            *op = (enum atomic_op)n;
            return true;
        }
    return false;
}

/* Floating-point operations of an atomic of this type. */
static uint16_t additions(enum ptx_type type)
{
    if (type == PTX_F16X2 || type == PTX_BF16X2)
        return 2;
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

/* One element of an atomic: `at` bytes behind the address. */
static void emit_atomic(struct builder *b, enum atomic_op op, enum ptx_type type, struct address a, int64_t at, slot d,
                        slot v, slot c, bool used)
{
    unsigned size = ptx_type_size(type);
    char name[32];
    struct ins *i;

    snprintf(name, sizeof name, "@atom.%u", size * 8);
    i = emit(b, name);
    i->d = d;
    i->b = v;
    i->c = c;
    i->op = (uint8_t)op;
    i->op_is_atomic = true;
    i->mode = (uint8_t)type;
    i->size = (uint8_t)size;
    i->width = (uint8_t)size;
    i->count = 1;
    i->space = (uint8_t)space_token(b);
    i->flags = order_flags(b) & ~INS_SPINS;
    i->order = memory_order(b);
    i->system = has_token(b, "sys");
    i->scope = scope_token(b);
    if (used)
        i->flags |= INS_SPINS; /* a result is used: it may be what a loop waits for */
    define_vreg(b, d);
    a.offset += at;
    set_only_address(b, i, a);
    use_vreg(b, v);
    use_vreg(b, c);
    i->event = ++b->program->event_count;
    i->class = at                       ? CLASS_COUNT
               : i->space == PTX_SHARED ? CLASS_SHARED_STORE
                                        : CLASS_GLOBAL_STORE;
    i->flops = additions(type);
}

/* Whether the result may be looked at: nvcc writes atom with a register that nothing else names, where red would do. */
static bool result_used(const struct builder *b, const struct ptx_operand *x)
{
    bool used = x->kind != PTX_OPERAND_SINK && (x->kind != PTX_OPERAND_REGISTER || b->mentions[x->reg] > 1);

    if (x->kind != PTX_OPERAND_VECTOR)
        return used;
    used = false;
    for (size_t n = 0; n < x->count; n++)
        used |= result_used(b, &x->elements[n]);
    return used;
}

/*
 * atom{.sem}{.scope}{.space}.op{.noftz}{.vec}.type d, [a], b{, c}; red is the same without d. Each element of a vector
 * is atomic alone.
 */
void lower_atomic(struct builder *b, bool reduction)
{
    const struct ptx_statement *s = b->statement;
    enum ptx_type type = type_token(b, 0);
    unsigned size = ptx_type_size(type), at = reduction ? 0 : 1, vec = vector_token(b);
    enum atomic_op op;
    char letter = letter_of(size);
    struct address a;
    slot d[8], v[8], c = 1;

    if (!atomic_token(b, &op) || size < 2 || s->count < at + (op == ATOMIC_CAS ? 3u : 2u))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (vec > 1 && (s->operands[at + 1].kind != PTX_OPERAND_VECTOR || s->operands[at + 1].count != vec ||
                    (!reduction && s->operands[0].kind == PTX_OPERAND_VECTOR && s->operands[0].count != vec)))
        build_fail(b, "'%s' needs vectors of %u", s->opcode, vec);
    for (unsigned n = 0; n < vec; n++)
        v[n] = use_operand(b, vec > 1 ? &s->operands[at + 1].elements[n] : &s->operands[at + 1], letter);
    if (op == ATOMIC_CAS)
        c = use_operand(b, &s->operands[at + 2], letter);
    a = lower_address(b, &s->operands[at]);
    for (unsigned n = 0; n < vec; n++)
        d[n] = reduction ? 1
                         : define_operand(b, s->operands[0].kind == PTX_OPERAND_VECTOR ? &s->operands[0].elements[n]
                                                                                       : &s->operands[0], letter);
    /* The address may be in a register that an element's result goes to: the last element is safe alone. */
    if (vec > 1 && a.base != 1) {
        slot copy = (slot)temporary(b, a.wide ? 8 : 4) << 1;
        struct ins *i = emit(b, a.wide ? "mov.b64" : "mov.b32");

        i->class = CLASS_COUNT;
        i->d = copy;
        i->a = a.base;
        define_vreg(b, copy);
        use_vreg(b, a.base);
        a.base = copy;
    }
    for (unsigned n = 0; n < vec; n++)
        emit_atomic(b, op, type, a, (int64_t)n * size, d[n], v[n], c,
                    !reduction && result_used(b, &s->operands[0]));
}

/* cvta{.to}.space.u64 d, a: windows are added or taken away; global and constant addresses are generic as they are. */
static void lower_cvta(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    enum ptx_space space = space_token(b);
    bool to = has_token(b, "to");
    const struct ptx_operand *x = &s->operands[1];
    slot source, d;
    struct ins *i;

    if (s->count != 2)
        build_fail(b, "'cvta' needs two operands");
    if (names_own_memory(b, x)) {
        source = (slot)temporary(b, 8) << 1;
        emit_own_address(b, x, source, 8);
    } else {
        source = use_operand(b, x, 'q');
    }
    d = define_operand(b, &s->operands[0], 'q');
    i = emit(b, space == PTX_SHARED ? "@cvta_shared" : space == PTX_LOCAL ? "@cvta_local" : "mov.b64");
    i->op = (space == PTX_SHARED || space == PTX_LOCAL) && to;
    i->d = d;
    i->a = source;
    define_vreg(b, d);
    use_vreg(b, source);
}

static void lower_isspacep(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    slot a = use_operand(b, &s->operands[1], 'q'), d = define_operand(b, &s->operands[0], 'p');
    struct ins *i = emit(b, "@isspacep");

    i->d = d;
    i->a = a;
    i->space = (uint8_t)space_token(b);
    i->op = has_token(b, "shared::cluster");
    define_vreg(b, d);
    use_vreg(b, a);
}

/* mapa{.shared::cluster}.u64 d, a, rank: the address of `a` in another block of the cluster; getctarank the inverse. */
static void lower_cluster_address(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool map = !strcmp(b->opcode.token[0], "mapa");
    bool wide = map ? type_token(b, 0) == PTX_U64 : operand_bytes(b, &s->operands[1]) == 8;
    slot a, rank = 1, d;
    struct ins *i;

    if (s->count != (map ? 3u : 2u))
        build_fail(b, "unsupported form of '%s'", s->opcode);
    a = use_operand(b, &s->operands[1], wide ? 'q' : 'w');
    if (map)
        rank = use_operand(b, &s->operands[2], 'w');
    d = define_operand(b, &s->operands[0], map && wide ? 'q' : 'w');
    i = emit(b, map ? "@mapa" : "@getctarank");
    i->d = d;
    i->a = a;
    i->b = rank;
    i->width = wide ? 8 : 4;
    define_vreg(b, d);
    use_vreg(b, a);
    use_vreg(b, rank);
}

/* mbarrier.*: operands as they come, the form in op. */
static void lower_mbarrier(struct builder *b)
{
    static const struct {
        const char *name;
        enum mbarrier_op op;
    } ops[] = {{"init", MBARRIER_INIT},
               {"inval", MBARRIER_INVAL},
               {"expect_tx", MBARRIER_EXPECT_TX},
               {"complete_tx", MBARRIER_COMPLETE_TX},
               {"arrive_drop", MBARRIER_ARRIVE_DROP},
               {"arrive", MBARRIER_ARRIVE},
               {"test_wait", MBARRIER_TEST_WAIT},
               {"try_wait", MBARRIER_TRY_WAIT},
               {"pending_count", MBARRIER_PENDING_COUNT}};
    const struct ptx_statement *s = b->statement;
    const char *what = b->opcode.count > 1 ? b->opcode.token[1] : "";
    enum mbarrier_op op = MBARRIER_NONE;
    size_t at = 0;
    slot d = 1, v = 1;
    struct address a;
    struct ins *i;
    bool result;

    for (size_t n = 0; n < sizeof ops / sizeof *ops && !op; n++)
        if (!strcmp(what, ops[n].name))
            op = ops[n].op;
    if (!op)
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (op == MBARRIER_PENDING_COUNT) {
        slot state = use_operand(b, &s->operands[1], 'q');

        d = define_operand(b, &s->operands[0], 'w');
        i = emit(b, "@mbarrier.pending");
        i->d = d;
        i->a = state;
        define_vreg(b, d);
        use_vreg(b, state);
        return;
    }
    result = op >= MBARRIER_ARRIVE && s->count && s->operands[0].kind != PTX_OPERAND_ADDRESS;
    at = result ? 1 : 0;
    if (s->count <= at)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    if (s->count > at + 1)
        v = use_operand(b, &s->operands[at + 1],
                        (op == MBARRIER_TEST_WAIT || op == MBARRIER_TRY_WAIT) && !has_token(b, "parity") ? 'q' : 'w');
    a = lower_address(b, &s->operands[at]);
    if (result)
        d = define_operand(b, &s->operands[0], op >= MBARRIER_TEST_WAIT ? 'p' : 'q');
    i = emit(b, "@mbarrier");
    i->d = d;
    i->b = v;
    i->op = (uint8_t)op;
    i->mode = (uint8_t)((has_token(b, "parity") ? MBARRIER_PARITY : 0) |
                        (s->count > at + 1 ? MBARRIER_HAS_OPERAND : 0) |
                        (has_token(b, "expect_tx") ? MBARRIER_ALSO_EXPECTS : 0) | (result ? MBARRIER_HAS_RESULT : 0) |
                        (has_token(b, "noComplete") ? MBARRIER_NO_COMPLETE : 0) |
                        (has_token(b, "relaxed") ? MBARRIER_RELAXED : 0));
    i->size = 8;
    i->space = (uint8_t)space_token(b);
    i->flags = INS_SPINS | INS_RELEASE;
    define_vreg(b, d);
    set_address(b, i, a);
    use_vreg(b, v);
}

/* alloca.type d, size{, align}; stacksave.type d; stackrestore.type a */
static void lower_stack(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool allocates = !strcmp(b->opcode.token[0], "alloca"), restores = !strcmp(b->opcode.token[0], "stackrestore");
    char letter = ptx_type_size(type_token(b, 0)) == 8 ? 'q' : 'w';
    slot a = 1, d = 1;
    struct ins *i;

    if (s->count < (allocates ? 2u : 1u) || (allocates && s->count > 2 && s->operands[2].kind != PTX_OPERAND_INTEGER))
        build_fail(b, "unsupported form of '%s'", s->opcode);
    if (allocates || restores)
        a = use_operand(b, &s->operands[restores ? 0 : 1], letter);
    if (!restores)
        d = define_operand(b, &s->operands[0], letter);
    i = emit(b, allocates ? "@alloca" : restores ? "@stack.restore" : "@stack.save");
    i->d = d;
    i->a = a;
    i->width = letter == 'q' ? 8 : 4;
    i->imm = allocates && s->count > 2 ? (int64_t)s->operands[2].value : 16;
    i->grows_stack = allocates;
    define_vreg(b, d);
    use_vreg(b, a);
}

bool lower_memory(struct builder *b)
{
    const char *base = b->opcode.token[0], *opcode = b->statement->opcode;

    if (!strcmp(base, "ld") || !strcmp(base, "ldu"))
        lower_access(b, true);
    else if (!strcmp(base, "st"))
        lower_access(b, false);
    else if (!strcmp(base, "atom"))
        lower_atomic(b, false);
    else if (!strcmp(base, "red"))
        lower_atomic(b, true);
    else if (!strcmp(base, "cvta"))
        lower_cvta(b);
    else if (!strcmp(base, "isspacep"))
        lower_isspacep(b);
    else if (!strcmp(base, "mapa") || !strcmp(base, "getctarank"))
        lower_cluster_address(b);
    else if (!strncmp(opcode, "cp.async.mbarrier.arrive", 24)) {
        struct address a = lower_address(b, &b->statement->operands[0]);
        struct ins *i = emit(b, "@mbarrier");

        /* Copies are done when they are issued: with .noinc it is an arrival, without it adds and takes away one. */
        i->scope = SCOPE_BLOCK;
        i->op = has_token(b, "noinc") ? MBARRIER_ARRIVE : MBARRIER_COPIES_ARRIVE;
        i->size = 8;
        i->space = (uint8_t)space_token(b);
        set_address(b, i, a);
    } else if (!strcmp(base, "mbarrier"))
        lower_mbarrier(b);
    else if (!strcmp(base, "alloca") || !strcmp(base, "stacksave") || !strcmp(base, "stackrestore"))
        lower_stack(b);
    else if (!strcmp(base, "prefetch") || !strcmp(base, "prefetchu") || !strcmp(base, "discard") ||
             !strcmp(base, "applypriority") || !strcmp(base, "setmaxnreg") || !strcmp(base, "pmevent"))
        emit(b, "@nop");
    else if (!strcmp(base, "griddepcontrol")) {
        struct ins *i = emit(b, "@nop");

        i->awaits = has_token(b, "wait");
        i->lets_begin = !i->awaits;
    } else if (!strcmp(base, "createpolicy")) {
        slot d = define_operand(b, &b->statement->operands[0], 'q');
        struct ins *i = emit(b, "mov.b64");

        i->d = d;
        define_vreg(b, d);
    } else
        return false;
    return true;
}
