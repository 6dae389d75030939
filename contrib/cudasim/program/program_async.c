/*
 * program_async.c - instructions that the hardware completes later, and that are complete here when they are issued:
 * asynchronous copies, stores and reductions, alone, in bulk or by tensor maps. Also what changes a tensor map, and
 * accesses to multicast memory.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/operation.h"

/* ---- cp.async ---- */

/* The bytes to be read, of `bytes`, where `x` says that the source is to be ignored: 0 or all. */
static slot size_unless(struct builder *b, const struct ptx_operand *x, uint64_t bytes)
{
    slot ignored = predicate_operand(b, x), size = (slot)temporary(b, 4) << 1;
    struct ins *i = emit(b, "selp.b32");

    i->class = CLASS_COUNT;
    i->d = size;
    i->a = constant(b, 0, 0, 4);
    i->b = constant(b, bytes, 0, 4);
    i->c = ignored;
    define_vreg(b, size);
    use_vreg(b, ignored);
    return size;
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
        bool ignores = s->operands[3].kind == PTX_OPERAND_REGISTER &&
                       b->ptx_function->registers[s->operands[3].reg].type == PTX_PRED;

        source_size = ignores ? size_unless(b, &s->operands[3], s->operands[2].value)
                              : use_operand(b, &s->operands[3], 'w');
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

/* ---- bulk copies ---- */

/* A mask of blocks or an offset of im2col: 16 bits, in a register of 32. */
static slot take_short(struct builder *b, const struct ptx_operand *x)
{
    unsigned bytes = operand_bytes(b, x);

    if (!bytes)
        return use_operand(b, x, 'w');
    return resize(b, use_operand(b, x, letter_of(bytes)), bytes, 4, false);
}

/*
 * cp.async.bulk.to.from.completion [to], [from], size{, [mbarrier]}, and cp.reduce.async.bulk with an operation and a
 * type: done at once.
 */
static void lower_bulk(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool reduces = !strcmp(b->opcode.token[1], "reduce"), has_barrier = has_token(b, "mbarrier::complete_tx::bytes");
    bool multicast = has_token(b, "multicast::cluster");
    struct bulk *bulk = build_alloc(b, sizeof *bulk);
    struct address to, from, barrier = {ADDRESS_MEMORY, 1, false, 0, NULL};
    enum ptx_space spaces[2] = {PTX_SPACE_NONE, PTX_SPACE_NONE};
    unsigned space_count = 0;
    enum atomic_op op = ATOMIC_ADD;
    slot size, mask = 1;
    struct ins *i;

    if (s->count < (has_barrier ? 4u : 3u) + multicast)
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
    if (multicast)
        mask = take_short(b, &s->operands[4]);
    if (has_barrier)
        barrier = lower_address(b, &s->operands[3]);
    *bulk = (struct bulk){from.offset, barrier.offset, (uint8_t)spaces[1], from.wide, barrier.wide,
                          from.base != 1, has_barrier, barrier.base != 1, multicast};
    i = emit(b, "@bulk");
    i->extra = bulk;
    i->b = from.base;
    i->c = size;
    i->e = barrier.base;
    i->f = mask;
    i->op = reduces ? (uint8_t)(op + 1) : 0;
    i->mode = reduces ? (uint8_t)type_token(b, 0) : 0;
    i->size = reduces ? (uint8_t)ptx_type_size(type_token(b, 0)) : 16;
    i->copies = !reduces;
    i->bulk = true;
    i->space = (uint8_t)spaces[0];
    i->class = spaces[0] == PTX_SHARED ? CLASS_GLOBAL_LOAD : CLASS_GLOBAL_STORE;
    i->event = ++b->program->event_count;
    set_address(b, i, to);
    use_vreg(b, from.base);
    use_vreg(b, size);
    use_vreg(b, mask);
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
                                 x->loads, barrier.base != 1, false};
    i = emit(b, "@tensor");
    i->extra = x;
    i->b = map.base;
    i->e = barrier.base;
    i->op = reduces ? (uint8_t)(op + 1) : 0;
    i->copies = x->loads;
    i->bulk = true;
    i->space = x->loads ? PTX_SHARED : PTX_GLOBAL;
    i->class = x->loads ? CLASS_GLOBAL_LOAD : CLASS_GLOBAL_STORE;
    i->event = ++b->program->event_count;
    set_address(b, i, place);
    use_vreg(b, map.base);
    use_vreg(b, barrier.base);
    for (unsigned n = 0; n < TENSOR_OPERANDS; n++)
        use_vreg(b, list[n]);
}

/* cp.async.wait_group n, cp.async.wait_all, cp.async.bulk.wait_group{.read} n */
static void lower_wait(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool all = has_token(b, "wait_all"), bulk = has_token(b, "bulk");
    struct ins *i;

    if (!all && (s->count != 1 || s->operands[0].kind != PTX_OPERAND_INTEGER))
        build_fail(b, "unsupported form of '%s'", s->opcode);
    i = emit(b, bulk ? "@bulk.wait" : "@cp.wait");
    i->imm = all ? -1 : (int64_t)s->operands[0].value;
    i->reads = bulk && has_token(b, "read");
}

static void lower_bulk_commit(struct builder *b)
{
    emit(b, "@bulk.commit");
}

/* ---- stores and reductions that complete on an mbarrier ---- */

/* st.async… [to], value, [mbarrier] and red.async.op… likewise: the value may be a vector. */
static void lower_async_store(struct builder *b, bool reduces)
{
    const struct ptx_statement *s = b->statement;
    struct async_store *x = build_alloc(b, sizeof *x);
    enum ptx_type type = type_token(b, 0);
    unsigned size = ptx_type_size(type), count = vector_token(b);
    const struct ptx_operand *value = s->count == 3 ? &s->operands[1] : NULL;
    enum atomic_op op = ATOMIC_ADD;
    struct address to, barrier;
    slot *list = slot_list(b, count);
    struct ins *i;

    if (!value || (size != 4 && size != 8) || !has_token(b, "mbarrier::complete_tx::bytes") ||
        (reduces && (!atomic_token(b, &op) || op >= ATOMIC_EXCH)))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (count > 1 && (value->kind != PTX_OPERAND_VECTOR || value->count != count))
        build_fail(b, "'%s' needs a vector of %u", s->opcode, count);
    for (unsigned n = 0; n < count; n++)
        list[n] = use_operand(b, count > 1 ? &value->elements[n] : value, letter_of(size));
    to = lower_address(b, &s->operands[0]);
    barrier = lower_address(b, &s->operands[2]);
    x->list = list;
    x->barrier = (struct bulk){.barrier_offset = barrier.offset, .barrier_wide = barrier.wide, .has_barrier = true,
                               .has_barrier_base = barrier.base != 1};
    i = emit(b, "@st.async");
    i->extra = x;
    i->e = barrier.base;
    i->op = reduces ? (uint8_t)(op + 1) : 0;
    i->mode = (uint8_t)type;
    i->size = (uint8_t)size;
    i->count = (uint8_t)count;
    i->copies = !reduces;
    i->space = PTX_SHARED;
    set_address(b, i, to);
    use_vreg(b, barrier.base);
    for (unsigned n = 0; n < count; n++)
        use_vreg(b, list[n]);
}

/* ---- tensor maps ---- */

/* tensormap.replace.tile.field{.space}.b1024.type [map], {number,} value */
static void lower_map_field(struct builder *b)
{
    static const char *const names[] = {
        [FIELD_ADDRESS] = "global_address", [FIELD_RANK] = "rank",
        [FIELD_BOX] = "box_dim",            [FIELD_SIZE] = "global_dim",
        [FIELD_STRIDE] = "global_stride",   [FIELD_ELEMENT_STRIDE] = "element_stride",
        [FIELD_TYPE] = "elemtype",          [FIELD_INTERLEAVE] = "interleave_layout",
        [FIELD_SWIZZLE] = "swizzle_mode",   [FIELD_FILL] = "fill_mode"};
    const struct ptx_statement *s = b->statement;
    const char *field = b->opcode.count > 3 ? b->opcode.token[3] : "";
    size_t op = 0, numbered;
    bool wide = has_token(b, "b64");
    struct address map;
    slot value;
    struct ins *i;

    while (op < sizeof names / sizeof *names && strcmp(names[op], field))
        op++;
    numbered = op == FIELD_BOX || op == FIELD_SIZE || op == FIELD_STRIDE || op == FIELD_ELEMENT_STRIDE;
    if (op == sizeof names / sizeof *names || !has_token(b, "tile") || s->count != 2 + numbered ||
        (numbered && s->operands[1].kind != PTX_OPERAND_INTEGER) ||
        (numbered && s->operands[1].value > (op == FIELD_STRIDE ? 3 : 4)))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    value = use_operand(b, &s->operands[1 + numbered], wide ? 'q' : 'w');
    map = lower_address(b, &s->operands[0]);
    i = emit(b, "@tensormap.replace");
    i->op = (uint8_t)op;
    i->mode = numbered ? (uint8_t)s->operands[1].value : 0;
    i->width = wide ? 8 : 4;
    i->b = value;
    i->space = (uint8_t)space_token(b);
    set_address(b, i, map);
    use_vreg(b, value);
}

/* tensormap.cp_fenceproxy.global.shared::cta… [to], [from], 128: a copy by the warp, and a fence. */
static void lower_map_copy(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct bulk *x = build_alloc(b, sizeof *x);
    struct address to, from;
    struct ins *i;

    if (s->count != 3 || s->operands[2].kind != PTX_OPERAND_INTEGER || s->operands[2].value != 128)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    to = lower_address(b, &s->operands[0]);
    from = lower_address(b, &s->operands[1]);
    *x = (struct bulk){.from_offset = from.offset, .from_space = PTX_SHARED, .from_wide = from.wide,
                       .has_from_base = from.base != 1};
    i = emit(b, "@tensormap.copy");
    i->extra = x;
    i->b = from.base;
    i->size = 16;
    i->space = PTX_GLOBAL;
    set_address(b, i, to);
    use_vreg(b, from.base);
    i = emit(b, "@fence");
    i->class = CLASS_COUNT;
    i->flags = INS_RELEASE;
    i->scope = scope_token(b);
}

/* ---- multicast memory ---- */

/*
 * An address of multicast memory stands for the same place on each device of a team. There is one device here: the
 * accesses are plain loads and stores, and atomics.
 */
static void lower_multicast(struct builder *b)
{
    const char *what = b->opcode.count > 1 ? b->opcode.token[1] : "";

    if (!strcmp(what, "ld_reduce"))
        lower_access(b, true);
    else if (!strcmp(what, "st"))
        lower_access(b, false);
    else if (!strcmp(what, "red"))
        lower_atomic(b, true);
    else
        build_fail(b, "unsupported instruction '%s'", b->statement->opcode);
}

bool lower_async(struct builder *b)
{
    static const struct {
        const char *prefix;
        void (*lower)(struct builder *b);
    } list[] = {{"cp.async.bulk.tensor.", lower_tensor},
                {"cp.reduce.async.bulk.tensor.", lower_tensor},
                {"cp.async.bulk.commit_group", lower_bulk_commit},
                {"cp.async.bulk.wait_group", lower_wait},
                {"cp.async.bulk.prefetch", NULL},
                {"cp.async.bulk.", lower_bulk},
                {"cp.reduce.async.bulk.", lower_bulk},
                {"cp.async.wait_", lower_wait},
                {"cp.async.c", lower_async_copy},
                {"tensormap.replace.", lower_map_field},
                {"tensormap.cp_fenceproxy.", lower_map_copy},
                {"multimem.", lower_multicast}};
    const char *opcode = b->statement->opcode;

    if (!strncmp(opcode, "st.async.", 9) || !strncmp(opcode, "red.async.", 10)) {
        lower_async_store(b, opcode[0] == 'r');
        return true;
    }
    if (!strncmp(opcode, "cp.async.commit_group", 21)) {
        emit(b, "@cp.commit");
        return true;
    }
    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (!strncmp(opcode, list[n].prefix, strlen(list[n].prefix))) {
            if (list[n].lower)
                list[n].lower(b);
            else
                emit(b, "@nop");
            return true;
        }
    return false;
}
