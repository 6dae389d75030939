/*
 * program_row.c - the parts of an opcode, the row of the table that they name, and the instructions which one row says
 * in full: operands go where its letters tell. The video instructions, which alone name parts of registers, are such.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "contrib/cudasim/base/video.h"

/* ---- opcodes ---- */

void split_opcode(struct builder *b)
{
    struct opcode *o = &b->opcode;
    char *at = o->text;

    if (strlen(b->statement->opcode) >= sizeof o->text)
        build_fail(b, "opcode too long");
    strcpy(o->text, b->statement->opcode);
    o->count = 0;
    o->token[o->count++] = at;
    for (; *at; at++)
        if (*at == '.' && o->count < TOKENS) {
            *at = '\0';
            o->token[o->count++] = at + 1;
        }
}

bool has_token(const struct builder *b, const char *token)
{
    for (unsigned n = 1; n < b->opcode.count; n++)
        if (strcmp(b->opcode.token[n], token) == 0)
            return true;
    return false;
}

enum ptx_type type_token(const struct builder *b, unsigned nth)
{
    for (unsigned n = 1; n < b->opcode.count; n++) {
        enum ptx_type type = ptx_type_named(b->opcode.token[n]);

        if (type != PTX_NONE && nth-- == 0)
            return type;
    }
    return PTX_NONE;
}

uint32_t rounding_mxcsr(const struct builder *b)
{
    uint32_t word = MXCSR_DEFAULT;

    if (!b->statement)
        return word;
    for (unsigned n = 1; n < b->opcode.count; n++) {
        const char *t = b->opcode.token[n];

        if (!strcmp(t, "rm") || !strcmp(t, "rmi"))
            word |= 0x2000;
        else if (!strcmp(t, "rp") || !strcmp(t, "rpi"))
            word |= 0x4000;
        else if (!strcmp(t, "rz") || !strcmp(t, "rzi"))
            word |= 0x6000;
        else if (!strcmp(t, "ftz"))
            word |= 0x8040;
    }
    return word;
}

static bool is_rounding(const char *t)
{
    return !strcmp(t, "rn") || !strcmp(t, "rz") || !strcmp(t, "rm") || !strcmp(t, "rp");
}

/*
 * The row of the opcode and `suffix`: its full name, or that without the modifiers that the row allows. Tried from most
 * to least written.
 */
const struct row *find_row(struct builder *b, const char *suffix, uint8_t *saturate)
{
    *saturate = 0;
    for (int drop = 0; drop < 8; drop++) {
        char name[sizeof b->opcode.text + 8];
        size_t length = 0;
        const struct row *row;
        uint8_t dropped = 0;

        for (unsigned n = 0; n < b->opcode.count; n++) {
            const char *t = b->opcode.token[n];

            if (n && (drop & 1) && is_rounding(t)) {
                dropped |= ALLOW_ROUNDING;
                continue;
            }
            if (n && (drop & 2) && !strcmp(t, "ftz")) {
                dropped |= ALLOW_FTZ;
                continue;
            }
            if (n && (drop & 4) && !strcmp(t, "sat")) {
                dropped |= ALLOW_SAT;
                continue;
            }
            length += (size_t)snprintf(name + length, sizeof name - length, "%s%s", n ? "." : "", t);
        }
        snprintf(name + length, sizeof name - length, "%s", suffix);
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
    static const struct {
        int part, negate; /* bits of ins->imm, -1: not allowed */
    } places[] = {{VIDEO_D, -1}, {VIDEO_A, VIDEO_NEGATE_A}, {VIDEO_B, VIDEO_NEGATE_B}, {-1, VIDEO_NEGATE_C}};
    const struct ptx_statement *s = b->statement;
    const char *base = b->opcode.token[0];
    unsigned lanes = strchr(base, '2') ? 2 : strchr(base, '4') ? 4 : 1;
    bool signs = !strcmp(base, "vmad") && !has_token(b, "po");
    uint64_t imm = 0;

    for (size_t n = 0; n < s->count && n < sizeof places / sizeof *places; n++) {
        const struct ptx_operand *x = &s->operands[n];

        if (x->part) {
            if (places[n].part < 0 || (n == 0 && lanes == 1 && !merges) || !part_fits(x->part, lanes, n == 0))
                build_fail(b, "operand %zu of '%s' cannot be a part .%s", n, s->opcode, x->part);
            imm |= (uint64_t)video_selector(x->part) << places[n].part;
        }
        if (x->negated) {
            if (!signs || places[n].negate < 0)
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

/* A vector, or what counts as one of one element: W4 or Q2 in the row. Returns what stands behind it there. */
static const char *row_vector(struct builder *b, const char *row, const struct ptx_operand *x, bool destination,
                              slot *slots, unsigned *slot_count)
{
    const struct ptx_operand *elements = x->kind == PTX_OPERAND_VECTOR ? x->elements : x;
    size_t count = x->kind == PTX_OPERAND_VECTOR ? x->count : 1;
    char letter = *row == 'Q' ? 'q' : 'w', *end;

    if (count != strtoul(row + 1, &end, 10))
        build_fail(b, "a vector of '%s' has %lu elements, not %zu", b->statement->opcode, strtoul(row + 1, NULL, 10),
                   count);
    for (size_t n = 0; n < count; n++)
        slots[(*slot_count)++] =
            destination ? define_operand(b, &elements[n], letter) : use_operand(b, &elements[n], letter);
    return end;
}

/* An instruction which a row describes in full. */
bool lower_by_row(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    uint8_t saturate;
    const struct row *row = find_row(b, "", &saturate), *merging = NULL;
    slot *fields[4], *list = NULL, d = 1, e = 1;
    slot sources[8], vectors[96];
    unsigned count = 0, source_count = 0, vector_count = 0, defined_vectors = 0;
    int64_t imm = 0;
    bool memory = false;
    struct ins *i;
    slot address = 1;
    uint16_t flags;

    if (!row)
        return false;
    if (is_video(b)) {
        if (s->count == 4 && row_operands(row) == 3 && (merging = find_row(b, "@4", &saturate)))
            row = merging;
        imm = video_operands(b, merging);
    }
    if (row_operands(row) != s->count)
        build_fail(b, "'%s' has %zu operands, not %zu", s->opcode, row_operands(row), s->count);
    flags = saturate;
    /* Sources first: they may need instructions of their own. */
    for (const char *o = row->operands; *o; o++, count++) {
        const struct ptx_operand *x = &s->operands[count];

        if (*o == 'W' || *o == 'Q') {
            o = row_vector(b, o, x, count == 0, vectors, &vector_count) - 1;
            if (count == 0)
                defined_vectors = vector_count;
        } else if (*o == 'm') {
            const struct ptx_operand *base;

            if (x->kind != PTX_OPERAND_ADDRESS)
                build_fail(b, "'%s' needs an address", s->opcode);
            base = &x->elements[0];
            memory = true;
            imm = x->offset;
            if (base->kind == PTX_OPERAND_REGISTER) {
                address = (slot)base->reg << 1;
                flags |= INS_ADDRESS_BASE | (operand_bytes(b, base) == 8 ? INS_ADDRESS_64 : 0);
            } else {
                imm += (int64_t)(base->kind == PTX_OPERAND_NAME ? name_value(b, base) : base->value);
            }
        } else if (*o == 'i') {
            if (x->kind != PTX_OPERAND_INTEGER)
                build_fail(b, "'%s' needs an immediate", s->opcode);
            imm = (int64_t)x->value;
        } else if (count == 0 && *o != '.') {
            continue; /* the destination */
        } else {
            slot source = use_operand(b, x, *o);

            if (x->negated && *o == 'p') {
                struct ins *n = emit(b, "not.pred");
                slot t = (slot)temporary(b, 4) << 1;

                n->class = CLASS_COUNT;
                n->d = t;
                n->a = source;
                define_vreg(b, t);
                use_vreg(b, source);
                source = t;
            } else if (x->negated && !is_video(b)) {
                build_fail(b, "operand %u of '%s' cannot be negated", count, s->opcode);
            }
            sources[source_count++] = source;
        }
    }
    if (row->operands[0] == 'P') {
        d = define_operand(b, &s->operands[0], 'p');
        e = d;
        second_register(&s->operands[0], &e);
    } else if (strchr("bhwqop", row->operands[0])) {
        d = define_operand(b, &s->operands[0], row->operands[0]);
    }
    i = emit_row(b, row);
    i->d = d;
    if (row->operands[0] == 'P')
        i->e = e;
    i->imm = imm;
    i->flags = flags;
    fields[0] = memory ? &i->b : &i->a;
    fields[1] = memory ? &i->c : &i->b;
    fields[2] = memory ? &i->f : &i->c;
    fields[3] = memory ? &i->e : &i->f;
    if (source_count > 4)
        build_fail(b, "too many operands in '%s'", s->opcode);
    for (unsigned n = 0; n < source_count; n++)
        *fields[n] = sources[n];
    if (memory) {
        i->a = address;
        i->space = has_token(b, "shared") || has_token(b, "shared::cta") ? PTX_SHARED
                   : has_token(b, "global")                              ? PTX_GLOBAL
                                                                         : PTX_SPACE_NONE;
        i->event = ++b->program->event_count;
    }
    define_vreg(b, d);
    if (row->operands[0] == 'P' && e != d)
        define_vreg(b, e);
    if (vector_count) {
        list = slot_list(b, vector_count);
        i = &b->code[b->code_count - 1];
        memcpy(list, vectors, vector_count * sizeof *list);
        i->extra = list;
        i->count = (uint8_t)vector_count;
        for (unsigned n = 0; n < defined_vectors; n++)
            define_vreg(b, vectors[n]);
        for (unsigned n = defined_vectors; n < vector_count; n++)
            use_vreg(b, vectors[n]);
    }
    if (memory)
        use_vreg(b, address);
    for (unsigned n = 0; n < source_count; n++)
        use_vreg(b, sources[n]);
    return true;
}
