/*
 * program_texture.c - tex, tld4, txq, suld, sust, sured and suq: their forms, and their operands in the order of enum
 * texture_operand. It refuses multisampling, comparisons with a depth, and texture references.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/operation.h"
#include "contrib/cudasim/machine/texture.h"

/* The shape that the opcode names, for ins->op. */
static uint8_t shape_token(struct builder *b)
{
    static const struct {
        const char *token;
        uint8_t op;
    } shapes[] = {{"1d", TEXTURE_1D},
                  {"2d", TEXTURE_2D},
                  {"3d", TEXTURE_3D},
                  {"cube", TEXTURE_CUBE},
                  {"a1d", TEXTURE_1D | TEXTURE_IS_LAYERED},
                  {"a2d", TEXTURE_2D | TEXTURE_IS_LAYERED},
                  {"acube", TEXTURE_CUBE | TEXTURE_IS_LAYERED}};

    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        if (has_token(b, shapes[n].token))
            return shapes[n].op;
    build_fail(b, "unsupported instruction '%s'", b->statement->opcode);
}

/* An operand in the list: sources are noted as used when the instruction is there. */
static void take(struct builder *b, slot *list, unsigned at, const struct ptx_operand *x)
{
    list[at] = use_operand(b, x, 'w');
}

/* A vector's elements, or a scalar as one: at most `most`. */
static void take_vector(struct builder *b, slot *list, unsigned at, const struct ptx_operand *x, size_t most)
{
    if (x->kind != PTX_OPERAND_VECTOR) {
        take(b, list, at, x);
        return;
    }
    for (size_t n = 0; n < x->count && n < most; n++)
        take(b, list, at + (unsigned)n, &x->elements[n]);
}

/* [object, coordinates]: returns the object's slot. */
static slot take_place(struct builder *b, slot *list, const struct ptx_operand *x, uint8_t op)
{
    unsigned shape = op & TEXTURE_SHAPE_BITS;
    size_t wanted = shape == TEXTURE_1D ? 1 : shape == TEXTURE_2D ? 2 : 3;
    const struct ptx_operand *c;

    if (x->kind != PTX_OPERAND_ADDRESS || x->count != 2 || x->offset)
        build_fail(b, "'%s' needs one object and its coordinates in brackets", b->statement->opcode);
    if (x->elements[0].kind != PTX_OPERAND_REGISTER)
        build_fail(b, "'%s' names a texture or surface reference, which CUDA 12 took away: only objects are supported",
                   b->statement->opcode);
    c = &x->elements[1];
    if (op & TEXTURE_IS_LAYERED) {
        if (c->kind != PTX_OPERAND_VECTOR || c->count < wanted + 1)
            build_fail(b, "'%s' needs a layer and %zu coordinates", b->statement->opcode, wanted);
        take(b, list, OPERAND_LAYER, &c->elements[0]);
        for (size_t n = 0; n < wanted; n++)
            take(b, list, OPERAND_X + (unsigned)n, &c->elements[n + 1]);
    } else {
        if ((c->kind == PTX_OPERAND_VECTOR ? c->count : 1) < wanted)
            build_fail(b, "'%s' needs %zu coordinates", b->statement->opcode, wanted);
        take_vector(b, list, OPERAND_X, c, wanted);
    }
    return use_operand(b, &x->elements[0], 'q');
}

static void use_list(struct builder *b, const slot *list, unsigned from, unsigned to)
{
    for (unsigned n = from; n < to; n++)
        use_vreg(b, list[n]);
}

/* The results: `count` registers, the rest thrown away; and the predicate that says whether the texel is resident. */
static void take_results(struct builder *b, slot *list, const struct ptx_operand *x, unsigned count)
{
    if (x->kind != PTX_OPERAND_VECTOR || x->count != count)
        build_fail(b, "'%s' needs a vector of %u results", b->statement->opcode, count);
    for (unsigned n = 0; n < 4; n++)
        list[OPERAND_DATA + n] =
            n < count ? define_operand(b, &x->elements[n], 'w') : (slot)temporary(b, 4) << 1;
    if (x->second != PTX_NO_REGISTER)
        list[OPERAND_RESIDENT] = (slot)x->second << 1;
}

/* A bit for each of four results that another statement names. With -G all are copied. */
static uint8_t used_results(const struct builder *b, const struct ptx_operand *x)
{
    unsigned used = 0;

    for (unsigned n = 0; n < x->count && n < 4 && !b->program->debug; n++)
        if (x->elements[n].kind == PTX_OPERAND_REGISTER && b->mentions[x->elements[n].reg] > 1)
            used |= 1u << n;
    return (uint8_t)used;
}

/*
 * tex{.base,.level,.grad}.shape.v4.type.ctype d{|p}, [t, coordinates]{, lod or dx, dy}{, offsets}
 * tld4.channel.2d.v4.type.f32 d{|p}, [t, coordinates]{, offsets}
 */
static void lower_tex(struct builder *b, bool gathers)
{
    const struct ptx_statement *s = b->statement;
    slot *list = slot_list(b, TEXTURE_OPERANDS), object;
    bool level = has_token(b, "level"), gradients = has_token(b, "grad"), halves = has_token(b, "f16x2");
    bool integers = b->opcode.count && !strcmp(b->opcode.token[b->opcode.count - 1], "s32");
    size_t next = 2;
    uint8_t op = shape_token(b), channel = 0;
    struct ins *i;

    if (has_token(b, "f16"))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    if (s->count < 2u + level + 2u * gradients)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    object = take_place(b, list, &s->operands[1], op);
    if (level)
        take(b, list, OPERAND_LEVEL, &s->operands[next++]);
    if (gradients) {
        take_vector(b, list, OPERAND_DX, &s->operands[next++], 3);
        take_vector(b, list, OPERAND_DY, &s->operands[next++], 3);
    }
    if (next < s->count && s->operands[next].kind == PTX_OPERAND_VECTOR)
        take_vector(b, list, OPERAND_OFFSET, &s->operands[next++], 3);
    if (next < s->count)
        build_fail(b, "'%s' with a comparison of depths is not supported", s->opcode);
    if (gathers)
        channel = has_token(b, "r") ? 1 : has_token(b, "g") ? 2 : has_token(b, "b") ? 3 : 4;
    take_results(b, list, &s->operands[0], halves ? 2 : 4);
    i = emit(b, "@tex");
    i->cached = true;
    i->a = object;
    i->op = op;
    i->mode = (uint8_t)((integers ? TEXTURE_INTEGERS : 0) | (gradients ? TEXTURE_GRADIENTS : 0) |
                        channel << TEXTURE_GATHER_SHIFT);
    i->width = halves ? 2 : 4;
    i->results = gathers || halves ? 0 : used_results(b, &s->operands[0]) & 15;
    i->extra = list;
    i->event = ++b->program->event_count;
    for (unsigned n = 0; n < 4; n++)
        define_vreg(b, list[OPERAND_DATA + n]);
    define_vreg(b, list[OPERAND_RESIDENT]);
    use_vreg(b, object);
    use_list(b, list, OPERAND_LAYER, OPERAND_RESIDENT);
}

/* txq{.level}.query.b32 d, [t]{, lod}; suq.query.b32 d, [s] */
static void lower_query(struct builder *b, bool surface)
{
    static const char *const names[] = {
        [QUERY_WIDTH] = "width", [QUERY_HEIGHT] = "height", [QUERY_DEPTH] = "depth",
        [QUERY_ARRAY_SIZE] = "array_size", [QUERY_LEVELS] = "num_mipmap_levels", [QUERY_SAMPLES] = "num_samples",
        [QUERY_CHANNEL_TYPE] = "channel_data_type", [QUERY_CHANNEL_ORDER] = "channel_order",
        [QUERY_NORMALISED] = "normalized_coords"};
    const struct ptx_statement *s = b->statement;
    slot *list = slot_list(b, TEXTURE_OPERANDS), object, d;
    const struct ptx_operand *x;
    struct ins *i;
    int what = -1;

    for (int n = 0; n < (int)(sizeof names / sizeof *names); n++)
        if (has_token(b, names[n]))
            what = n;
    if (what < 0 || s->count < 2u + has_token(b, "level"))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    x = &s->operands[1];
    if (x->kind != PTX_OPERAND_ADDRESS || x->count != 1 || x->elements[0].kind != PTX_OPERAND_REGISTER)
        build_fail(b, "'%s' needs an object in brackets", s->opcode);
    object = use_operand(b, &x->elements[0], 'q');
    if (has_token(b, "level"))
        take(b, list, OPERAND_LEVEL, &s->operands[2]);
    d = define_operand(b, &s->operands[0], 'w');
    i = emit(b, "@txq");
    i->a = object;
    i->d = d;
    i->op = TEXTURE_ANY_SHAPE;
    i->mode = surface ? TEXTURE_IS_SURFACE : 0;
    i->imm = what;
    i->extra = list;
    define_vreg(b, d);
    use_vreg(b, object);
    use_vreg(b, list[OPERAND_LEVEL]);
}

static uint8_t surface_mode(const struct builder *b)
{
    return (uint8_t)((has_token(b, "clamp") ? SURFACE_CLAMP : 0) | (has_token(b, "zero") ? SURFACE_ZERO : 0));
}

/* Bytes of a lane of the widest register among the elements, at least 2. */
static unsigned data_width(struct builder *b, const struct ptx_operand *x, unsigned count, unsigned size)
{
    unsigned width = size < 2 ? 2 : size;

    for (unsigned n = 0; n < count; n++) {
        unsigned own = operand_bytes(b, x->kind == PTX_OPERAND_VECTOR ? &x->elements[n] : x);

        width = own > width ? own : width;
    }
    return width;
}

/*
 * suld.b.shape{.cop}{.vec}.type.mode d, [s, coordinates]; sust.b and sust.p likewise with the values last;
 * sured.b.op.shape.type.mode [s, coordinates], value; sured.p likewise, with the signs of the surface's format
 */
static void lower_surface(struct builder *b, const char *base)
{
    const struct ptx_statement *s = b->statement;
    bool loads = !strcmp(base, "suld"), reduces = !strcmp(base, "sured"), formatted = has_token(b, "p");
    enum ptx_type type = type_token(b, 0);
    unsigned count = has_token(b, "v4") ? 4 : has_token(b, "v2") ? 2 : 1, size = ptx_type_size(type), width;
    slot *list = slot_list(b, TEXTURE_OPERANDS), object;
    const struct ptx_operand *data;
    uint8_t op = shape_token(b);
    enum atomic_op reduction = ATOMIC_ADD;
    struct ins *i;

    if (s->count != 2 || !size || (formatted && loads) || (reduces && (size < 4 || count > 1)))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    data = &s->operands[loads ? 0 : 1];
    if ((data->kind == PTX_OPERAND_VECTOR ? data->count : 1) != count)
        build_fail(b, "'%s' needs a vector of %u", s->opcode, count);
    width = data_width(b, data, count, size);
    for (unsigned n = 0; n < count; n++) {
        const struct ptx_operand *x = data->kind == PTX_OPERAND_VECTOR ? &data->elements[n] : data;

        list[n] = loads ? define_operand(b, x, letter_of(width)) : use_operand(b, x, letter_of(width));
    }
    object = take_place(b, list, &s->operands[loads ? 1 : 0], op);
    if (reduces)
        reduction = has_token(b, "min") ? ATOMIC_MIN : has_token(b, "max") ? ATOMIC_MAX
                    : has_token(b, "and") ? ATOMIC_AND : has_token(b, "or") ? ATOMIC_OR
                    : has_token(b, "xor") ? ATOMIC_XOR : ATOMIC_ADD;
    i = emit(b, loads ? "@suld" : reduces ? "@sured" : "@sust");
    i->a = object;
    i->op = op;
    i->mode = (uint8_t)(surface_mode(b) | (formatted ? SURFACE_FORMATTED : 0));
    i->size = (uint8_t)size;
    i->width = (uint8_t)width;
    i->count = reduces ? (uint8_t)type : (uint8_t)count;
    i->scope = reduces ? (uint8_t)reduction : 0;
    i->paints = !loads;
    i->stores = !loads && !reduces && !formatted;
    i->imm = formatted && !reduces ? 0 : size * count;
    i->extra = list;
    i->event = ++b->program->event_count;
    for (unsigned n = 0; loads && n < count; n++)
        define_vreg(b, list[n]);
    use_vreg(b, object);
    use_list(b, list, loads ? OPERAND_LAYER : 0, OPERAND_LEVEL);
}

bool lower_texture(struct builder *b)
{
    const char *base = b->opcode.token[0];

    if (!strcmp(base, "tex") || !strcmp(base, "tld4"))
        lower_tex(b, !strcmp(base, "tld4"));
    else if (!strcmp(base, "txq") || !strcmp(base, "suq"))
        lower_query(b, !strcmp(base, "suq"));
    else if (!strcmp(base, "suld") || !strcmp(base, "sust") || !strcmp(base, "sured"))
        lower_surface(b, base);
    else
        return false;
    return true;
}
