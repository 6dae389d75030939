/*
 * program_compute.c - computations that need more than one row: moves of vectors and addresses, conversions,
 * comparisons, sums with a carry.
 */
#include <stdio.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/operation.h"
#include "contrib/cudasim/base/special.h"

/* ---- moves ---- */

/* mov.b64 d, {a, b} packs the elements of a vector into a register; mov.b64 {a, b}, d takes them apart. */
static void lower_move_vector(struct builder *b, enum ptx_type type)
{
    const struct ptx_statement *s = b->statement;
    const struct ptx_operand *to = &s->operands[0], *from = &s->operands[1];
    bool pack = from->kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *vector = pack ? from : to;
    unsigned bytes = ptx_type_size(type), element = vector->count ? bytes / (unsigned)vector->count : 0;
    slot *list, whole, slots[16];
    struct ins *i;

    if (element == 0 || vector->count > 16 || from->kind == to->kind)
        build_fail(b, "'%s' with such a vector is not supported", s->opcode);
    for (size_t n = 0; n < vector->count; n++) {
        const struct ptx_operand *x = &vector->elements[n];
        char letter = letter_of(element);

        slots[n] = pack ? use_operand(b, x, letter) : define_operand(b, x, letter);
    }
    whole = pack ? define_operand(b, to, letter_of(bytes)) : use_operand(b, from, letter_of(bytes));
    list = slot_list(b, (uint32_t)vector->count);
    memcpy(list, slots, vector->count * sizeof *list);
    i = emit(b, pack ? "@pack" : "@unpack");
    i->extra = list;
    i->count = (uint8_t)vector->count;
    i->size = (uint8_t)element; /* bytes an element; 1 travels in 16-bit lanes */
    i->width = (uint8_t)bytes;
    if (pack) {
        i->d = whole;
        define_vreg(b, whole);
        for (size_t n = 0; n < vector->count; n++)
            use_vreg(b, slots[n]);
    } else {
        i->a = whole;
        for (size_t n = 0; n < vector->count; n++)
            define_vreg(b, slots[n]);
        use_vreg(b, whole);
    }
}

/* The row that copies a register of `bytes` a lane. */
static const char *plain_move(unsigned bytes)
{
    return bytes == 8 ? "mov.b64" : bytes == 4 ? "mov.b32" : "mov.b16";
}

static void lower_move_special(struct builder *b, enum ptx_type type)
{
    const struct ptx_operand *to = &b->statement->operands[0], *from = &b->statement->operands[1];
    unsigned bytes, want = operand_bytes(b, to);
    int special = special_named(from->name, &bytes);
    slot d = define_operand(b, to, type == PTX_PRED ? 'p' : 'h'), t = d, r;
    struct ins *i;

    if (!bytes)
        build_fail(b, "unsupported special register '%s'", from->name);
    i = emit(b, "@special");
    if (want != bytes)
        t = (slot)temporary(b, bytes) << 1;
    i->op = (uint8_t)special;
    i->reserved = !strncmp(from->name, "%reserved_smem", 14);
    i->grid = !strcmp(from->name, "%envreg2");
    i->times = !strncmp(from->name, "%clock", 6) || !strncmp(from->name, "%globaltimer", 12);
    i->d = t;
    define_vreg(b, t);
    if (want == bytes)
        return;
    r = resize(b, t, bytes, want, false);
    i = emit(b, plain_move(want));
    i->class = CLASS_COUNT;
    i->d = d;
    i->a = r;
    define_vreg(b, d);
    use_vreg(b, r);
}

static void lower_move(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const struct ptx_operand *to = &s->operands[0], *from = &s->operands[1];
    enum ptx_type type = type_token(b, 0);

    if (s->count != 2)
        build_fail(b, "'mov' needs two operands");
    if (from->kind == PTX_OPERAND_VECTOR || to->kind == PTX_OPERAND_VECTOR) {
        lower_move_vector(b, type);
    } else if (from->kind == PTX_OPERAND_SPECIAL) {
        lower_move_special(b, type);
    } else if (names_own_memory(b, from)) {
        slot d = define_operand(b, to, type == PTX_U64 || type == PTX_B64 || type == PTX_S64 ? 'q' : 'w');

        emit_own_address(b, from, d, operand_bytes(b, to) == 8 ? 8 : 4);
    } else {
        if (type == PTX_F16X2 || type == PTX_BF16X2)
            b->opcode.token[1] = "b32";
        if (!lower_by_row(b))
            build_fail(b, "unsupported instruction '%s'", s->opcode);
    }
}

/* ---- conversions ---- */

static const char *const type_names[] = {
    [PTX_B8] = "u8",   [PTX_B16] = "u16", [PTX_B32] = "u32", [PTX_B64] = "u64", [PTX_U8] = "u8",   [PTX_U16] = "u16",
    [PTX_U32] = "u32", [PTX_U64] = "u64", [PTX_S8] = "s8",   [PTX_S16] = "s16", [PTX_S32] = "s32", [PTX_S64] = "s64",
    [PTX_F32] = "f32", [PTX_F64] = "f64", [PTX_F16] = "f16", [PTX_BF16] = "bf16"};

static bool is_integer(enum ptx_type type)
{
    return (type >= PTX_U8 && type <= PTX_S64) || (type >= PTX_B8 && type <= PTX_B64);
}

static bool lower_convert(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    enum ptx_type to = type_token(b, 0), from = type_token(b, 1);
    unsigned to_size = ptx_type_size(to), from_size = ptx_type_size(from), have, want, result;
    bool rounds = has_token(b, "rni") || has_token(b, "rzi") || has_token(b, "rmi") || has_token(b, "rpi");
    bool saturate = has_token(b, "sat");
    slot a, d, r;
    char name[64];
    const struct row *row;
    struct ins *i;

    if (to == PTX_NONE || from == PTX_NONE || !type_names[to] || !type_names[from] || has_token(b, "relu") ||
        has_token(b, "satfinite") || s->count != 2)
        return false; /* packed and narrow floats: by their rows */
    have = operand_bytes(b, &s->operands[1]);
    want = operand_bytes(b, &s->operands[0]);
    if (!want)
        build_fail(b, "the destination of 'cvt' is not a register");
    a = use_operand(b, &s->operands[1], letter_of(from_size));
    if (!have) { /* an immediate */
        have = from_size < 2 ? 2 : from_size;
    }
    if (s->operands[1].negated)
        build_fail(b, "a negated operand of 'cvt' is not supported");
    /* The source as exactly its type: 8 bits extended to 16, wider registers cut. */
    if (from_size == 1) {
        a = resize(b, a, have, 1, is_signed(from));
        a = resize(b, a, have, 2, false);
        from = is_signed(from) ? PTX_S16 : PTX_U16;
    } else if (have != from_size) {
        a = resize(b, a, have, from_size, false);
    }
    result = to_size < 2 ? 2 : to_size;
    if (is_integer(to) && is_integer(from) && !saturate && to_size == 1) {
        /* Cut to 8 bits, then extended to the register. */
        result = ptx_type_size(from);
        r = resize(b, a, result, 1, is_signed(to));
        row = row_find(b->rows, plain_move(want));
    } else {
        /* Rounding to an integer stays in the name only where the result is a float. */
        snprintf(name, sizeof name, "cvt%s.%s.%s",
                 is_integer(to) && is_integer(from) && saturate ? ".sat"
                 : rounds && !is_integer(to)                    ? ".rint"
                                                                : "",
                 type_names[to], type_names[from]);
        row = row_find(b->rows, name);
        if (!row)
            return false;
        r = a;
        if (result != want) {
            i = emit_row(b, row);
            r = (slot)temporary(b, result) << 1;
            i->d = r;
            i->a = a;
            i->flags = saturate ? INS_SATURATE : 0;
            define_vreg(b, r);
            use_vreg(b, a);
        }
    }
    d = define_operand(b, &s->operands[0], 'b');
    if (result != want) {
        r = resize(b, r, result, want, is_signed(to));
        row = row_find(b->rows, plain_move(want));
    }
    i = emit_row(b, row);
    if (result != want && to_size > 1)
        i->class = CLASS_COUNT; /* a second step of one instruction */
    i->d = d;
    i->a = r;
    i->flags = saturate ? INS_SATURATE : 0;
    define_vreg(b, d);
    use_vreg(b, r);
    return true;
}

/* ---- comparisons ---- */

static bool is_comparison(const char *t)
{
    static const char *const all[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                      "hs",  "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (!strcmp(t, all[n]))
            return true;
    return false;
}

/* setp.cmp[.bool][.ftz].type p[|q], a, b[, c]; set.cmp[.bool][.ftz].dtype.stype d, a, b[, c] */
static bool lower_compare(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    bool set = !strcmp(b->opcode.token[0], "set");
    enum ptx_type result = set ? type_token(b, 0) : PTX_PRED, type = type_token(b, set ? 1 : 0);
    const char *comparison = b->opcode.count > 1 ? b->opcode.token[1] : "";
    enum combine combine = has_token(b, "and")   ? COMBINE_AND
                           : has_token(b, "or")  ? COMBINE_OR
                           : has_token(b, "xor") ? COMBINE_XOR
                                                 : COMBINE_NONE;
    char name[64], letter;
    const char *type_name = NULL;
    const struct row *row;
    slot a, bb, c = 1, d, e;
    struct ins *i;

    for (unsigned n = 1; n < b->opcode.count; n++)
        if (ptx_type_named(b->opcode.token[n]) == type)
            type_name = b->opcode.token[n];
    if (!is_comparison(comparison) || !type_name)
        return false;
    if (type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2)
        if (find_row(b, "", &(uint8_t){0}) || type == PTX_F16X2 || type == PTX_BF16X2)
            return lower_by_row(b);
    snprintf(name, sizeof name, "setp.%s.%s", comparison, type_name);
    row = row_find(b->rows, name);
    if (!row || s->count != (combine ? 4u : 3u))
        return false;
    letter = row->operands[1];
    a = use_operand(b, &s->operands[1], letter);
    bb = use_operand(b, &s->operands[2], letter);
    if (combine)
        c = use_operand(b, &s->operands[3], 'p');
    if (set) {
        d = e = (slot)temporary(b, 4) << 1;
    } else {
        d = define_operand(b, &s->operands[0], 'p');
        e = d;
        second_register(&s->operands[0], &e);
    }
    i = emit_row(b, row);
    i->d = d;
    i->e = e;
    i->a = a;
    i->b = bb;
    i->c = c;
    i->op = (uint8_t)combine;
    i->flags = combine && s->operands[3].negated ? INS_NEGATE : 0;
    define_vreg(b, d);
    if (e != d)
        define_vreg(b, e);
    use_vreg(b, a);
    use_vreg(b, bb);
    use_vreg(b, c);
    if (set) {
        /* All ones or zero already; 1.0 for a floating-point result. */
        unsigned bytes = ptx_type_size(result);
        slot r = define_operand(b, &s->operands[0], bytes == 2 ? 'h' : 'w'), one, zero;
        uint64_t yes;

        yes = result == PTX_F32 ? 0x3F800000u : result == PTX_F16 ? 0x3C00 : result == PTX_BF16 ? 0x3F80 : ~0ull;
        one = constant(b, yes, 0, bytes);
        zero = constant(b, 0, 0, bytes);
        i = emit(b, bytes == 2 ? "selp.b16" : "selp.b32");
        i->d = r;
        i->a = one;
        i->b = zero;
        i->c = d;
        define_vreg(b, r);
        use_vreg(b, d);
    }
    return true;
}

/* add.cc and its like: the condition code is a register of its own. */
static bool lower_carry(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const char *base = b->opcode.token[0];
    bool in = !strcmp(base, "addc") || !strcmp(base, "subc") || !strcmp(base, "madc"), out = has_token(b, "cc");
    bool mad = !strncmp(base, "mad", 3);
    enum ptx_type type = type_token(b, 0);
    unsigned bytes = ptx_type_size(type);
    char name[64], letter = bytes == 8 ? 'q' : 'w';
    slot sources[3], d, cc;
    struct ins *i;
    unsigned count = mad ? 3 : 2;

    if (!in && !out)
        return false;
    if (mad)
        snprintf(name, sizeof name, "@carry.mad.%s.%s", has_token(b, "hi") ? "hi" : "lo",
                 type == PTX_U32 ? "u32" : type == PTX_S32 ? "s32" : type == PTX_U64 ? "u64" : "s64");
    else
        snprintf(name, sizeof name, "@carry.%.3s.%u", base, bytes * 8);
    if (s->count != count + 1)
        build_fail(b, "'%s' needs %u operands", s->opcode, count + 1);
    if (!b->carry)
        b->carry = temporary(b, 4) + 1;
    cc = (slot)(b->carry - 1) << 1;
    for (unsigned n = 0; n < count; n++)
        sources[n] = use_operand(b, &s->operands[n + 1], letter);
    d = define_operand(b, &s->operands[0], letter);
    i = emit(b, name);
    i->d = d;
    i->a = sources[0];
    i->b = sources[1];
    if (mad)
        i->c = sources[2];
    i->e = cc;
    i->op = (uint8_t)((in ? CARRY_IN : 0) | (out ? CARRY_OUT : 0));
    define_vreg(b, d);
    if (out)
        define_vreg(b, cc);
    for (unsigned n = 0; n < count; n++)
        use_vreg(b, sources[n]);
    if (in)
        use_vreg(b, cc);
    return true;
}

/* lop3.or.b32 d|p, a, b, c, lut, q */
static bool lower_lop3_bool(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    slot v[4], d, e;
    struct ins *i;

    if (s->count != 6)
        return false;
    for (int n = 0; n < 3; n++)
        v[n] = use_operand(b, &s->operands[n + 1], 'w');
    v[3] = use_operand(b, &s->operands[5], 'p');
    d = define_operand(b, &s->operands[0], 'w');
    if (!second_register(&s->operands[0], &e))
        e = (slot)temporary(b, 4) << 1;
    i = emit(b, "@lop3.bool");
    i->d = d;
    i->e = e;
    i->a = v[0];
    i->b = v[1];
    i->c = v[2];
    i->f = v[3];
    i->imm = (int64_t)s->operands[4].value;
    i->op = has_token(b, "or") ? LOP3_OR : LOP3_AND;
    i->flags = s->operands[5].negated ? INS_NEGATE : 0;
    define_vreg(b, d);
    define_vreg(b, e);
    for (int n = 0; n < 4; n++)
        use_vreg(b, v[n]);
    return true;
}

bool lower_compute(struct builder *b)
{
    const char *base = b->opcode.token[0];

    if (!strcmp(base, "mov")) {
        lower_move(b);
        return true;
    }
    return ((!strcmp(base, "setp") || !strcmp(base, "set")) && lower_compare(b)) ||
           (!strcmp(base, "lop3") && b->statement->count == 6 && lower_lop3_bool(b)) ||
           (!strcmp(base, "cvt") && lower_convert(b)) || lower_carry(b);
}
