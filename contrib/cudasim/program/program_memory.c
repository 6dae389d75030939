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

enum address_kind { ADDRESS_MEMORY, ADDRESS_ENTRY_PARAMETER, ADDRESS_FRAME_PARAMETER };

struct address {
    enum address_kind kind;
    slot base; /* 1: none */
    bool wide; /* of `base` */
    int64_t offset;
    const struct ptx_operand *named; /* `base`, or the variable, as it was written */
};

static struct address lower_address(struct builder *b, const struct ptx_operand *x)
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

static void set_address(struct builder *b, struct ins *i, struct address a)
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

static enum ptx_space space_token(const struct builder *b)
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

static unsigned vector_token(const struct builder *b)
{
    return has_token(b, "v8") ? 8 : has_token(b, "v4") ? 4 : has_token(b, "v2") ? 2 : 1;
}

/* ---- loads and stores ---- */

static void lower_access(struct builder *b, bool load)
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
static bool atomic_token(const struct builder *b, enum atomic_op *op)
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
    if (type == PTX_F32 || type == PTX_F64)
        i->flops = 1;
}

/*
 * atom{.sem}{.scope}{.space}.op{.noftz}{.vec}.type d, [a], b{, c}; red is the same without d. Each element of a vector
 * is atomic alone.
 */
static void lower_atomic(struct builder *b, bool reduction)
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
                    !reduction && s->operands[0].kind != PTX_OPERAND_SINK);
}

/* cp.async.ca|cg.shared.global [dst], [src], cp-size{, src-size | ignore-src}{, cache-policy}: done at once. */
static void lower_async_copy(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct address to, from;
    struct ins *i;
    int64_t *second = build_alloc(b, sizeof *second);
    slot source_size = 1;
    bool sized = s->count > 3 && !(has_token(b, "L2::cache_hint") && s->count == 4);

    if (s->count < 3 || s->operands[2].kind != PTX_OPERAND_INTEGER)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    if (sized) {
        if (s->operands[3].kind == PTX_OPERAND_REGISTER &&
            b->ptx_function->registers[s->operands[3].reg].type == PTX_PRED)
            build_fail(b, "'%s' with ignore-src is not supported", s->opcode);
        source_size = use_operand(b, &s->operands[3], 'w');
    }
    to = lower_address(b, &s->operands[0]);
    from = lower_address(b, &s->operands[1]);
    i = emit(b, "@cp.async");
    set_address(b, i, to);
    i->b = from.base;
    use_vreg(b, from.base);
    if (from.base != 1 && !from.wide)
        build_fail(b, "'%s' needs a 64-bit source address", s->opcode);
    *second = from.offset;
    i->extra = second;
    i->size = (uint8_t)s->operands[2].value;
    i->c = source_size;
    i->op = sized;
    i->mode = from.base != 1;
    i->copies = true;
    use_vreg(b, source_size);
    i->space = PTX_SHARED;
    i->event = ++b->program->event_count;
}

/*
 * cp.async.bulk.to.from.completion [to], [from], size{, [mbarrier]}, and cp.reduce.async.bulk with an operation and a
 * type: done at once.
 */
static void lower_bulk(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool reduces = !strcmp(b->opcode.token[1], "reduce"), has_barrier = has_token(b, "mbarrier::complete_tx::bytes");
    struct bulk *bulk = build_alloc(b, sizeof *bulk);
    struct address to, from, barrier = {ADDRESS_MEMORY, 1, false, 0, NULL};
    enum ptx_space spaces[2] = {PTX_SPACE_NONE, PTX_SPACE_NONE};
    unsigned space_count = 0;
    enum atomic_op op = ATOMIC_ADD;
    slot size;
    struct ins *i;

    if (has_token(b, "multicast::cluster") || s->count < (has_barrier ? 4u : 3u))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    for (unsigned n = 1; n < b->opcode.count; n++) {
        const char *t = b->opcode.token[n];

        if (space_count < 2 && (!strcmp(t, "global") || !strncmp(t, "shared", 6)))
            spaces[space_count++] = t[0] == 'g' ? PTX_GLOBAL : PTX_SHARED;
    }
    if (space_count != 2)
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (reduces && (!atomic_token(b, &op) || op == ATOMIC_EXCH || op == ATOMIC_CAS ||
                    ptx_type_size(type_token(b, 0)) < 2))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    size = use_operand(b, &s->operands[2], 'w');
    to = lower_address(b, &s->operands[0]);
    from = lower_address(b, &s->operands[1]);
    if (has_barrier)
        barrier = lower_address(b, &s->operands[3]);
    *bulk = (struct bulk){from.offset, barrier.offset, (uint8_t)spaces[1], from.wide, barrier.wide,
                          from.base != 1, has_barrier, barrier.base != 1};
    i = emit(b, "@bulk");
    i->extra = bulk;
    i->b = from.base;
    i->c = size;
    i->e = barrier.base;
    i->op = reduces ? (uint8_t)(op + 1) : 0;
    i->mode = reduces ? (uint8_t)type_token(b, 0) : 0;
    i->size = reduces ? (uint8_t)ptx_type_size(type_token(b, 0)) : 16;
    i->copies = !reduces;
    i->space = (uint8_t)spaces[0];
    i->class = spaces[0] == PTX_SHARED ? CLASS_GLOBAL_LOAD : CLASS_GLOBAL_STORE;
    i->event = ++b->program->event_count;
    set_address(b, i, to);
    use_vreg(b, from.base);
    use_vreg(b, size);
    use_vreg(b, barrier.base);
}

/* [map, {coordinates}]: the coordinates into `list`; returns the map's address. */
static struct address take_map(struct builder *b, const struct ptx_operand *x, slot *list, unsigned rank)
{
    struct ptx_operand map = *x;

    if (x->kind != PTX_OPERAND_ADDRESS || x->count != 2 || x->elements[1].kind != PTX_OPERAND_VECTOR ||
        x->elements[1].count < rank)
        build_fail(b, "'%s' needs a tensor map and %u coordinates in brackets", b->statement->opcode, rank);
    for (unsigned n = 0; n < rank; n++)
        list[n] = use_operand(b, &x->elements[1].elements[n], 'w');
    map.count = 1;
    return lower_address(b, &map);
}

/* A mask of blocks or an offset of im2col: 16 bits, in a register of 32. */
static slot take_short(struct builder *b, const struct ptx_operand *x)
{
    unsigned bytes = operand_bytes(b, x);

    if (!bytes)
        return use_operand(b, x, 'w');
    return resize(b, use_operand(b, x, letter_of(bytes)), bytes, 4, false);
}

/*
 * cp.async.bulk.tensor.rank.shared.global{.mode}.mbarrier… [to], [map, {coordinates}], [mbarrier]{, {offsets}}{, mask}
 * cp.async.bulk.tensor.rank.global.shared{.mode}.bulk_group [map, {coordinates}], [from], and cp.reduce likewise
 */
static void lower_tensor(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct tensor_copy *x = build_alloc(b, sizeof *x);
    slot *list = slot_list(b, TENSOR_OPERANDS);
    struct address map, place, barrier = {ADDRESS_MEMORY, 1, false, 0, NULL};
    bool reduces = !strcmp(b->opcode.token[1], "reduce");
    enum atomic_op op = ATOMIC_ADD;
    size_t next = 3;
    struct ins *i;

    for (unsigned n = 1; n < b->opcode.count; n++) {
        const char *t = b->opcode.token[n];

        if (t[0] >= '1' && t[0] <= '5' && !strcmp(t + 1, "d"))
            x->rank = (uint8_t)(t[0] - '0');
    }
    x->loads = has_token(b, "mbarrier::complete_tx::bytes");
    x->im2col = has_token(b, "im2col") || has_token(b, "im2col_no_offs");
    x->multicast = has_token(b, "multicast::cluster");
    if (!x->rank || (!x->loads && !has_token(b, "bulk_group")) || s->count < (x->loads ? 3u : 2u) ||
        has_token(b, "tile::gather4") || has_token(b, "tile::scatter4") || has_token(b, "im2col::w") ||
        has_token(b, "im2col::w::128") || (reduces && (!atomic_token(b, &op) || op >= ATOMIC_EXCH)))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    map = take_map(b, &s->operands[x->loads ? 1 : 0], list, x->rank);
    place = lower_address(b, &s->operands[x->loads ? 0 : 1]);
    if (x->loads)
        barrier = lower_address(b, &s->operands[2]);
    if (x->loads && has_token(b, "im2col")) {
        if (s->count < 4 || s->operands[3].kind != PTX_OPERAND_VECTOR || s->operands[3].count + 2 != x->rank)
            build_fail(b, "'%s' needs offsets", s->opcode);
        for (size_t n = 0; n < s->operands[3].count; n++)
            list[TENSOR_OFFSETS + n] = take_short(b, &s->operands[3].elements[n]);
        next = 4;
    }
    if (x->multicast) {
        if (s->count <= next)
            build_fail(b, "'%s' needs a mask of blocks", s->opcode);
        list[TENSOR_MASK] = take_short(b, &s->operands[next]);
    }
    x->list = list;
    x->addresses = (struct bulk){map.offset, barrier.offset, PTX_SPACE_NONE, map.wide, barrier.wide, map.base != 1,
                                 x->loads, barrier.base != 1};
    i = emit(b, "@tensor");
    i->extra = x;
    i->b = map.base;
    i->e = barrier.base;
    i->op = reduces ? (uint8_t)(op + 1) : 0;
    i->copies = x->loads;
    i->space = x->loads ? PTX_SHARED : PTX_GLOBAL;
    i->class = x->loads ? CLASS_GLOBAL_LOAD : CLASS_GLOBAL_STORE;
    i->event = ++b->program->event_count;
    set_address(b, i, place);
    use_vreg(b, map.base);
    use_vreg(b, barrier.base);
    for (unsigned n = 0; n < TENSOR_OPERANDS; n++)
        use_vreg(b, list[n]);
}

/* cp.async.wait_group n, cp.async.wait_all */
static void lower_wait(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool all = has_token(b, "wait_all");
    struct ins *i;

    if (!all && (s->count != 1 || s->operands[0].kind != PTX_OPERAND_INTEGER))
        build_fail(b, "unsupported form of '%s'", s->opcode);
    i = emit(b, "@cp.wait");
    i->imm = all ? -1 : (int64_t)s->operands[0].value;
}

/* cvta{.to}.space.u64 d, a: windows are added or taken away; global and constant addresses are generic as they are. */
static void lower_cvta(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    enum ptx_space space = space_token(b);
    bool to = has_token(b, "to");
    uint64_t window = space == PTX_SHARED ? WINDOW(WINDOW_SHARED) : space == PTX_LOCAL ? WINDOW(WINDOW_LOCAL) : 0;
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
    i = emit(b, window == 0 ? "mov.b64" : to ? "and.b64" : "or.b64");
    i->d = d;
    i->a = source;
    if (window)
        i->b = constant(b, to ? WINDOW(1) - 1 : window, 0, 8);
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
                        (has_token(b, "noComplete") ? MBARRIER_NO_COMPLETE : 0));
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
    } else if (!strncmp(opcode, "cp.async.bulk.commit_group", 26) || !strncmp(opcode, "cp.async.bulk.wait_group", 24) ||
               !strncmp(opcode, "cp.async.bulk.prefetch", 22))
        emit(b, "@nop");
    else if (!strncmp(opcode, "cp.async.bulk.tensor.", 21) || !strncmp(opcode, "cp.reduce.async.bulk.tensor.", 28))
        lower_tensor(b);
    else if (!strncmp(opcode, "cp.async.bulk.", 14) || !strncmp(opcode, "cp.reduce.async.bulk.", 21))
        lower_bulk(b);
    else if (!strncmp(opcode, "cp.async.commit_group", 21))
        emit(b, "@cp.commit");
    else if (!strncmp(opcode, "cp.async.wait_", 14))
        lower_wait(b);
    else if (!strncmp(opcode, "cp.async.c", 10))
        lower_async_copy(b);
    else if (!strcmp(base, "mbarrier"))
        lower_mbarrier(b);
    else if (!strcmp(base, "alloca") || !strcmp(base, "stacksave") || !strcmp(base, "stackrestore"))
        lower_stack(b);
    else if (!strcmp(base, "prefetch") || !strcmp(base, "prefetchu") || !strcmp(base, "discard") ||
             !strcmp(base, "applypriority") || !strcmp(base, "griddepcontrol") || !strcmp(base, "setmaxnreg") ||
             !strcmp(base, "pmevent"))
        emit(b, "@nop");
    else if (!strcmp(base, "createpolicy")) {
        slot d = define_operand(b, &b->statement->operands[0], 'q');
        struct ins *i = emit(b, "mov.b64");

        i->d = d;
        define_vreg(b, d);
    } else
        return false;
    return true;
}
