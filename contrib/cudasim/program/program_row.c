/*
 * program_row.c - finds the row of the table that an opcode names. It builds the instructions that one row describes in
 * full: the row's letters say where operands go. The video instructions are such. They alone name parts of registers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/video.h"

/* ---- names of rows ---- */

/* The modifiers that a row may allow. An opcode's other words are in the names of rows. */
enum { DROP_ROUNDING = 1, DROP_FTZ = 2, DROP_SAT = 4 };

static unsigned drops(const char *token)
{
    return is_rounding(token) ? DROP_ROUNDING : !strcmp(token, "ftz") ? DROP_FTZ : !strcmp(token, "sat") ? DROP_SAT : 0;
}

/* Copies the text with its end. Returns its length. */
static size_t put(char *to, const char *text)
{
    size_t length = strlen(text);

    memcpy(to, text, length + 1);
    return length;
}

/*
 * The row of the opcode and `suffix`: its full name, or that without the modifiers that the row allows. Tried from most
 * to least written.
 */
const struct row *find_row(struct builder *b, const char *suffix, uint8_t *saturate)
{
    static const uint8_t allowed[] = {[DROP_ROUNDING] = ALLOW_ROUNDING, [DROP_FTZ] = ALLOW_FTZ, [DROP_SAT] = ALLOW_SAT};
    unsigned modifiers = 0; /* that the opcode has */

    *saturate = 0;
    for (unsigned n = 1; n < b->opcode.count; n++)
        modifiers |= drops(b->opcode.token[n]);
    for (unsigned drop = 0; drop < 8; drop++) {
        char name[sizeof b->opcode.text + 8];
        size_t length = 0;
        const struct row *row;
        uint8_t dropped = 0;

        if (drop & ~modifiers)
            continue;
        for (unsigned n = 0; n < b->opcode.count; n++) {
            const char *t = b->opcode.token[n];
            unsigned kind = n ? drops(t) & drop : 0;

            if (kind) {
                dropped |= allowed[kind];
                continue;
            }
            if (n)
                name[length++] = '.';
            length += put(name + length, t);
        }
        put(name + length, suffix);
        row = row_find(b->rows, name);
        if (row && (row->allows & dropped) == dropped) {
            *saturate = dropped & ALLOW_SAT ? INS_SATURATE : 0;
            return row;
        }
    }
    return NULL;
}

/* ---- video instructions: they alone have parts of registers and negated operands ---- */

static bool is_video(const struct builder *b)
{
    return b->opcode.token[0][0] == 'v' && strcmp(b->opcode.token[0], "vote");
}

static void refuse_parts_of(struct builder *b, const struct ptx_operand *operands, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (operands[n].part)
            build_fail(b, "'%s' takes no part of a register (.%s)", b->statement->opcode, operands[n].part);
        refuse_parts_of(b, operands[n].elements, operands[n].count);
    }
}

void refuse_parts(struct builder *b)
{
    if (!is_video(b))
        refuse_parts_of(b, b->statement->operands, b->statement->count);
}

/*
 * Whether an instruction of `lanes` lanes, 1 for a scalar one, may name this part of its destination or of a or b:
 * one; a mask of lanes; or for each lane one of the two registers'.
 */
static bool part_fits(const char *part, unsigned lanes, bool destination)
{
    bool halves = part[0] == 'h';
    unsigned limit = halves ? 2 : 4, count = (unsigned)strlen(part) - 1;

    if (lanes > 1 && halves != (lanes == 2))
        return false;
    if (lanes > 1 && !destination)
        limit *= 2;
    if (destination ? count > lanes : count != lanes)
        return false;
    for (unsigned n = 1; n <= count; n++)
        if (part[n] >= (char)('0' + limit) || (destination && n > 1 && part[n] >= part[n - 1]))
            return false;
    return true;
}

/* Parts and signs of the operands, for ins->imm: see video.h. `merges`: a scalar one puts its result into a part. */
static int64_t video_operands(struct builder *b, bool merges)
{
    enum { NOT_ALLOWED = -1 };
    static const struct {
        int part, negate; /* bits of ins->imm, or NOT_ALLOWED */
    } places[] = {{VIDEO_D, NOT_ALLOWED},
                  {VIDEO_A, VIDEO_NEGATE_A},
                  {VIDEO_B, VIDEO_NEGATE_B},
                  {NOT_ALLOWED, VIDEO_NEGATE_C}};
    const struct ptx_statement *s = b->statement;
    const char *base = b->opcode.token[0];
    unsigned lanes = strchr(base, '2') ? 2 : strchr(base, '4') ? 4 : 1;
    bool signs = !strcmp(base, "vmad") && !has_token(b, "po");
    uint64_t imm = 0;

    for (size_t n = 0; n < s->count && n < sizeof places / sizeof *places; n++) {
        const struct ptx_operand *x = &s->operands[n];

        if (x->part) {
            if (places[n].part == NOT_ALLOWED || (n == 0 && lanes == 1 && !merges) ||
                !part_fits(x->part, lanes, n == 0))
                build_fail(b, "operand %zu of '%s' cannot be a part .%s", n, s->opcode, x->part);
            imm |= (uint64_t)video_selector(x->part) << places[n].part;
        }
        if (x->negated) {
            if (!signs || places[n].negate == NOT_ALLOWED)
                build_fail(b, "operand %zu of '%s' cannot be negated", n, s->opcode);
            imm |= 1ull << places[n].negate;
        }
    }
    return (int64_t)imm;
}

/* ---- rows ---- */

/* Operands that the row describes: its letters. */
static size_t row_operands(const struct row *row)
{
    size_t count = 0;

    for (const char *o = row->operands; *o; o++)
        count += *o < '0' || *o > '9';
    return count;
}

/* What an instruction's operands have become, before the instruction is written. */
struct operands {
    slot d, e;               /* destination, and the second one of p|q or d again */
    slot address;            /* base of the address; 1: none */
    bool has_address;
    int64_t imm;             /* offset of the address, or an immediate */
    uint16_t flags;          /* enum ins_flag */
    slot sources[8];         /* [source_count] */
    unsigned source_count;
    slot vectors[96];        /* [vector_count] elements of all vectors, those of the destination first */
    unsigned vector_count, defined_vectors;
};

/* A vector, or what counts as one of one element: W4 or Q2 in the row. Returns what stands behind it there. */
static const char *take_vector(struct builder *b, const char *row, const struct ptx_operand *x, bool destination,
                               struct operands *to)
{
    const struct ptx_operand *elements = x->kind == PTX_OPERAND_VECTOR ? x->elements : x;
    size_t count = x->kind == PTX_OPERAND_VECTOR ? x->count : 1;
    char letter = *row == 'Q' ? 'q' : 'w', *end;

    if (count != strtoul(row + 1, &end, 10))
        build_fail(b, "a vector of '%s' has %lu elements, not %zu", b->statement->opcode, strtoul(row + 1, NULL, 10),
                   count);
    for (size_t n = 0; n < count; n++)
        to->vectors[to->vector_count++] =
            destination ? define_operand(b, &elements[n], letter) : use_operand(b, &elements[n], letter);
    if (destination)
        to->defined_vectors = to->vector_count;
    return end;
}

static void take_address(struct builder *b, const struct ptx_operand *x, struct operands *to)
{
    const struct ptx_operand *base;

    if (x->kind != PTX_OPERAND_ADDRESS)
        build_fail(b, "'%s' needs an address", b->statement->opcode);
    base = &x->elements[0];
    to->has_address = true;
    to->imm = x->offset;
    if (base->kind == PTX_OPERAND_REGISTER) {
        to->address = (slot)base->reg << 1;
        to->flags |= INS_ADDRESS_BASE | (operand_bytes(b, base) == 8 ? INS_ADDRESS_64 : 0);
    } else {
        to->imm += (int64_t)(base->kind == PTX_OPERAND_NAME ? name_value(b, base) : base->value);
    }
}

/* All operands but the destination: they may need instructions of their own. */
static void take_sources(struct builder *b, const struct row *row, struct operands *to)
{
    const struct ptx_statement *s = b->statement;
    unsigned count = 0;

    for (const char *o = row->operands; *o; o++, count++) {
        const struct ptx_operand *x = &s->operands[count];

        if (*o == 'W' || *o == 'Q') {
            o = take_vector(b, o, x, count == 0, to) - 1;
        } else if (*o == 'm') {
            take_address(b, x, to);
        } else if (*o == 'i') {
            if (x->kind != PTX_OPERAND_INTEGER)
                build_fail(b, "'%s' needs an immediate", s->opcode);
            to->imm = (int64_t)x->value;
        } else if (count == 0 && *o != '.') {
            continue; /* the destination */
        } else {
            if (x->negated && *o != 'p' && !is_video(b)) {
                use_operand(b, x, *o); /* what is wrong with the operand itself comes first */
                build_fail(b, "operand %u of '%s' cannot be negated", count, s->opcode);
            }
            to->sources[to->source_count++] = *o == 'p' ? predicate_operand(b, x) : use_operand(b, x, *o);
        }
    }
}

static void take_destination(struct builder *b, const struct row *row, struct operands *to)
{
    const struct ptx_operand *x = &b->statement->operands[0];

    to->d = to->e = 1;
    if (row->operands[0] == 'P') {
        to->d = define_operand(b, x, 'p');
        to->e = to->d;
        second_register(x, &to->e);
    } else if (strchr("bhwqop", row->operands[0])) {
        to->d = define_operand(b, x, row->operands[0]);
    }
}

/* Puts the operands into the instruction emitted last. */
static void put_operands(struct builder *b, struct ins *i, const struct operands *from)
{
    slot *fields[4] = {&i->a, &i->b, &i->c, &i->f};

    i->imm = from->imm;
    i->flags = from->flags;
    if (from->has_address) {
        fields[0] = &i->b;
        fields[1] = &i->c;
        fields[2] = &i->f;
        fields[3] = &i->e;
        i->a = from->address;
        i->space = has_token(b, "shared") || has_token(b, "shared::cta") ? PTX_SHARED
                   : has_token(b, "global")                              ? PTX_GLOBAL
                                                                         : PTX_SPACE_NONE;
        i->event = ++b->program->event_count;
    }
    if (from->source_count > 4)
        build_fail(b, "too many operands in '%s'", b->statement->opcode);
    for (unsigned n = 0; n < from->source_count; n++)
        *fields[n] = from->sources[n];
    if (from->vector_count) {
        slot *list = slot_list(b, from->vector_count);

        memcpy(list, from->vectors, from->vector_count * sizeof *list);
        i->extra = list;
        i->count = (uint8_t)from->vector_count;
    }
}

/*
 * wmma.load and wmma.store without a stride: rows or columns lie one behind the other. Returns the leading dimension of
 * the matrix that the opcode names, in elements; 0: it is no such instruction.
 */
static unsigned packed_stride(struct builder *b)
{
    const struct opcode *o = &b->opcode;
    unsigned m = 0, n = 0, k = 0;
    bool row = has_token(b, "row"), store = o->count > 1 && !strcmp(o->token[1], "store");

    if (strcmp(o->token[0], "wmma") || o->count < 3 || (!store && strcmp(o->token[1], "load")))
        return 0;
    for (unsigned t = 2; t < o->count; t++)
        if (sscanf(o->token[t], "m%un%uk%u", &m, &n, &k) == 3)
            break;
    switch (o->token[2][0]) {
    case 'a': return row ? k : m;
    case 'b': return row ? n : k;
    default: return row ? n : m;
    }
}

/* The row's instruction without its last operand, which is a number that is known. */
static bool lower_with_number(struct builder *b, const struct row *row, uint64_t number)
{
    const struct ptx_statement *short_one = b->statement;
    struct ptx_statement whole = *short_one;
    struct ptx_operand *operands = build_scratch(b, short_one->count + 1, sizeof *operands);
    bool found;

    if (row_operands(row) != short_one->count + 1)
        return false;
    memcpy(operands, short_one->operands, short_one->count * sizeof *operands);
    operands[short_one->count] = (struct ptx_operand){.kind = PTX_OPERAND_INTEGER, .value = number,
                                                      .reg = PTX_NO_REGISTER,
                                                      .second = PTX_NO_REGISTER};
    whole.operands = operands;
    whole.count++;
    b->statement = &whole;
    found = lower_by_row(b);
    b->statement = short_one;
    return found;
}

bool lower_by_row(struct builder *b)
{

    const struct ptx_statement *s = b->statement;
    struct operands operands = {.address = 1};
    const struct row *row, *merging = NULL;
    uint8_t saturate;
    struct ins *i;

    row = find_row(b, "", &saturate);
    if (!row)
        return false;
    if (is_video(b)) {
        if (s->count == 4 && row_operands(row) == 3 && (merging = find_row(b, "@4", &saturate)))
            row = merging;
        operands.imm = video_operands(b, merging);
    }
    if (packed_stride(b) && lower_with_number(b, row, packed_stride(b)))
        return true;
    if (row_operands(row) != s->count)
        build_fail(b, "'%s' has %zu operands, not %zu", s->opcode, row_operands(row), s->count);
    operands.flags = saturate;
    take_sources(b, row, &operands);
    take_destination(b, row, &operands);
    i = emit_row(b, row);
    i->d = operands.d;
    if (row->operands[0] == 'P')
        i->e = operands.e;
    put_operands(b, i, &operands);
    define_vreg(b, operands.d);
    if (operands.e != operands.d)
        define_vreg(b, operands.e);
    for (unsigned n = 0; n < operands.vector_count; n++)
        if (n < operands.defined_vectors)
            define_vreg(b, operands.vectors[n]);
        else
            use_vreg(b, operands.vectors[n]);
    use_vreg(b, operands.address);
    for (unsigned n = 0; n < operands.source_count; n++)
        use_vreg(b, operands.sources[n]);
    return true;
}
