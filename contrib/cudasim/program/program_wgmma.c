/*
 * program_wgmma.c - wgmma: products of a warpgroup. A product is over as soon as it is issued: only the check for races
 * needs its groups.
 */
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/element.h"

struct kind {
    const char *name;
    enum element element;
    unsigned k; /* of one instruction */
};

static const struct kind kinds[] = {{"f16", E_F16, 16},   {"bf16", E_BF16, 16}, {"tf32", E_TF32, 8},
                                    {"e4m3", E_E4M3, 32}, {"e5m2", E_E5M2, 32}, {"s8", E_S8, 32},
                                    {"u8", E_U8, 32},     {"b1", E_B1, 256}};

/* The kind that token `n` names. */
static const struct kind *kind_at(struct builder *b, unsigned n)
{
    for (size_t m = 0; n < b->opcode.count && m < sizeof kinds / sizeof *kinds; m++)
        if (!strcmp(b->opcode.token[n], kinds[m].name))
            return &kinds[m];
    build_fail(b, "unsupported instruction '%s'", b->statement->opcode);
}

/* Whether D, A and B may be of these types together. */
static bool types_fit(enum element d, enum element a, enum element b)
{
    bool tiny_a = a == E_E4M3 || a == E_E5M2, tiny_b = b == E_E4M3 || b == E_E5M2;
    bool whole_a = a == E_S8 || a == E_U8, whole_b = b == E_S8 || b == E_U8;

    if (d == E_S32)
        return (whole_a && whole_b) || (a == E_B1 && b == E_B1);
    if (tiny_a || tiny_b)
        return tiny_a && tiny_b;
    return a == b && !whole_a && a != E_B1 && (d == E_F32 || a == E_F16);
}

/* wgmma.mma_async{.sp}.sync.aligned.shape{.satfinite}.d.a.b: fills in the form. */
static void read_form(struct builder *b, struct wgmma *x)
{
    const char *shape, *d;
    const struct kind *ka, *kb;
    unsigned at = 4;
    char *end;

    x->sparse = has_token(b, "sp");
    at += x->sparse;
    shape = at < b->opcode.count ? b->opcode.token[at++] : "";
    if (strncmp(shape, "m64n", 4))
        build_fail(b, "unsupported instruction '%s'", b->statement->opcode);
    x->n = (uint16_t)strtoul(shape + 4, &end, 10);
    x->k = *end == 'k' ? (uint16_t)strtoul(end + 1, NULL, 10) : 0;
    x->satfinite = has_token(b, "satfinite");
    if (at < b->opcode.count && !strcmp(b->opcode.token[at], "satfinite"))
        at++;
    d = at < b->opcode.count ? b->opcode.token[at] : "";
    x->d = !strcmp(d, "f32") ? E_F32 : !strcmp(d, "f16") ? E_F16 : !strcmp(d, "s32") ? E_S32 : E_B1;
    ka = kind_at(b, at + 1);
    kb = kind_at(b, at + 2);
    x->a = (uint8_t)ka->element;
    x->b = (uint8_t)kb->element;
    if (x->d == E_B1 || !types_fit(x->d, x->a, x->b) || x->k != ka->k << x->sparse ||
        (x->sparse && x->a == E_B1) || x->n < 8 || x->n > 256 || x->n % 8)
        build_fail(b, "unsupported instruction '%s'", b->statement->opcode);
    x->count = (uint8_t)(x->n / (x->d == E_F16 ? 4 : 2));
}

/* The last operands: signs of A and B, then which of the two are transposed. */
static void read_scales(struct builder *b, struct wgmma *x, size_t at)
{
    const struct ptx_statement *s = b->statement;
    bool halves = x->a == E_F16 || x->a == E_BF16;
    size_t wanted = x->d == E_S32 ? 0 : 2 + (halves ? 1 + !x->a_in_registers : 0);
    int64_t value[4] = {1, 1, 0, 0};

    if (s->count != at + wanted)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    for (size_t n = 0; n < wanted; n++) {
        if (s->operands[at + n].kind != PTX_OPERAND_INTEGER)
            build_fail(b, "'%s' needs an immediate", s->opcode);
        value[n] = (int64_t)s->operands[at + n].value;
    }
    x->negate_a = value[0] < 0;
    x->negate_b = value[1] < 0;
    x->transpose_a = !x->a_in_registers && value[2];
    x->transpose_b = x->a_in_registers ? value[2] != 0 : value[3] != 0;
}

static void lower_product(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct wgmma *x = build_alloc(b, sizeof *x);
    slot *list, a = 1, descriptor, metadata = 1, scale;
    size_t at;
    struct ins *i;

    read_form(b, x);
    if (s->count < 4 || s->operands[0].kind != PTX_OPERAND_VECTOR || s->operands[0].count != x->count)
        build_fail(b, "unsupported form of '%s'", s->opcode);
    x->a_in_registers = s->operands[1].kind == PTX_OPERAND_VECTOR;
    if (x->a_in_registers && s->operands[1].count != 4)
        build_fail(b, "'%s' needs four registers of A", s->opcode);
    at = x->sparse ? 5 : 3;
    if (x->sparse && (s->count < 6 || s->operands[4].kind != PTX_OPERAND_INTEGER || s->operands[4].value > 3))
        build_fail(b, "'%s' needs a selector of 0 to 3", s->opcode);
    read_scales(b, x, at + 1);
    list = slot_list(b, x->count + 4u);
    for (unsigned n = 0; n < x->count; n++)
        list[n] = define_operand(b, &s->operands[0].elements[n], 'w');
    for (unsigned n = 0; x->a_in_registers && n < 4; n++)
        list[x->count + n] = use_operand(b, &s->operands[1].elements[n], 'w');
    if (!x->a_in_registers)
        a = use_operand(b, &s->operands[1], 'q');
    descriptor = use_operand(b, &s->operands[2], 'q');
    if (x->sparse) {
        metadata = use_operand(b, &s->operands[3], 'w');
        x->selector = (uint8_t)s->operands[4].value;
    }
    scale = predicate_operand(b, &s->operands[at]);
    x->list = list;
    i = emit(b, x->d == E_S32 ? "@wgmma.integer" : "@wgmma.float");
    i->a = a;
    i->b = descriptor;
    i->c = scale;
    i->f = metadata;
    i->extra = x;
    i->flops = x->d == E_S32 ? 0 : (uint16_t)(2u * 16 * x->n * x->k / 32) >> x->sparse;
    for (unsigned n = 0; n < x->count; n++)
        define_vreg(b, list[n]);
    for (unsigned n = 0; n < x->count + (x->a_in_registers ? 4u : 0); n++)
        use_vreg(b, list[n]);
    use_vreg(b, a);
    use_vreg(b, descriptor);
    use_vreg(b, metadata);
    use_vreg(b, scale);
}

bool lower_wgmma(struct builder *b)
{
    const char *what = b->opcode.count > 1 ? b->opcode.token[1] : "";

    if (strcmp(b->opcode.token[0], "wgmma"))
        return false;
    if (!strcmp(what, "fence"))
        emit(b, "@nop");
    else if (!strcmp(what, "commit_group"))
        emit(b, "@wgmma.commit");
    else if (!strcmp(what, "wait_group"))
        emit(b, "@wgmma.wait")->imm = b->statement->count ? (int64_t)b->statement->operands[0].value : 0;
    else
        lower_product(b);
    return true;
}
