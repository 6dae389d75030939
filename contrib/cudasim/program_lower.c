/*
 * program_lower.c - gives each statement its instructions: by the rows of the table where one row says it all; moves,
 * branches, calls and comparisons here; memory, conversions and synchronisation in program_memory.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "special.h"
#include "video.h"

void build_fail(struct builder *b, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    b->error->line = b->statement ? b->statement->line : 0;
    vsnprintf(b->error->message, sizeof b->error->message, format, arguments);
    va_end(arguments);
    longjmp(b->fail, 1);
}

#define GROW(array, count, capacity)                                                                                   \
    do {                                                                                                               \
        if ((count) == (capacity)) {                                                                                   \
            (capacity) = (capacity) ? (capacity) * 2 : 256;                                                            \
            (array) = realloc((array), (capacity) * sizeof *(array));                                                  \
            if (!(array))                                                                                              \
                build_fail(b, "out of memory");                                                                        \
        }                                                                                                              \
    } while (0)

/* ---- operands ---- */

static struct ins_facts *facts_now(struct builder *b)
{
    return &b->facts[b->code_count - 1];
}

/* Definitions must be named before uses: the list of an instruction is its definitions, then its uses. */
void define_vreg(struct builder *b, slot s)
{
    struct ins_facts *f = facts_now(b);

    if (s & 1)
        return;
    GROW(b->vregs, b->vreg_list_count, b->vreg_list_capacity);
    if (f->uses) { /* a late definition: the uses move up */
        memmove(b->vregs + f->first_def + f->defs + 1, b->vregs + f->first_def + f->defs, f->uses * sizeof *b->vregs);
    }
    b->vregs[f->first_def + f->defs++] = s >> 1;
    b->vreg_list_count++;
}

void use_vreg(struct builder *b, slot s)
{
    struct ins_facts *f = facts_now(b);

    if (s & 1)
        return;
    GROW(b->vregs, b->vreg_list_count, b->vreg_list_capacity);
    b->vregs[f->first_def + f->defs + f->uses++] = s >> 1;
    b->vreg_list_count++;
}

struct ins *emit_row(struct builder *b, const struct row *row)
{
    struct ins *i;
    struct ins_facts *f;
    const struct ptx_statement *s = b->statement;
    const struct ptx_location *place = s ? ptx_place(b->ptx, s) : NULL;
    size_t facts_capacity = b->code_capacity;

    GROW(b->code, b->code_count, b->code_capacity);
    if (facts_capacity != b->code_capacity) {
        b->facts = realloc(b->facts, b->code_capacity * sizeof *b->facts);
        if (!b->facts)
            build_fail(b, "out of memory");
    }
    i = &b->code[b->code_count];
    f = &b->facts[b->code_count++];
    memset(i, 0, sizeof *i);
    memset(f, 0, sizeof *f);
    i->run = i->body = row->run;
    i->class = row->class;
    i->flops = row->flops;
    i->d = i->a = i->b = i->c = i->e = i->f = i->guard = 1; /* constant zero */
    i->mxcsr = rounding_mxcsr(b);
    if (s) {
        i->line = s->line;
        if (place) {
            i->source_line = place->line;
            i->source_file = place->file;
        }
        i->toolkit = s->source_line && ptx_is_toolkit_file(b->ptx, s->source_file);
    }
    f->first_def = (uint32_t)b->vreg_list_count;
    f->falls = true;
    return i;
}

struct ins *emit(struct builder *b, const char *row_name)
{
    const struct row *row = row_find(b->rows, row_name);

    if (!row)
        build_fail(b, "unsupported instruction '%s' (%s)", b->statement ? b->statement->opcode : "?", row_name);
    return emit_row(b, row);
}

uint32_t temporary(struct builder *b, unsigned bytes)
{
    GROW(b->vreg_size, b->vreg_count, b->vreg_capacity);
    b->vreg_size[b->vreg_count] = (uint8_t)bytes;
    return (uint32_t)b->vreg_count++;
}

static unsigned register_bytes(enum ptx_type type)
{
    unsigned size = ptx_type_size(type);

    return type == PTX_PRED ? 4 : size < 2 ? 2 : size;
}

unsigned operand_bytes(struct builder *b, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return register_bytes(b->ptx_function->registers[operand->reg].type);
    return 0;
}

static unsigned letter_bytes(char letter)
{
    switch (letter) {
    case 'h': return 2;
    case 'q': return 8;
    case 'o': return 16;
    default: return 4;
    }
}

static uint64_t float_value(const struct ptx_operand *operand, unsigned bytes)
{
    double value;
    float single;
    uint32_t bits;

    if (operand->single)
        return operand->value;
    if (bytes == 8)
        return operand->value;
    memcpy(&value, &operand->value, sizeof value);
    single = (float)value;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

bool local_is(struct builder *b, const struct name_entry *entry, enum ptx_space space)
{
    return entry->kind == 2 && b->ptx_function->locals[entry->value].space == space;
}

/* The value of a name: an address that is known now. */
static uint64_t name_value(struct builder *b, const struct ptx_operand *operand)
{
    const struct global_name *global = global_name(b, operand->name);
    const struct name_entry *local = local_name(b, operand->name);
    const struct place *place;

    if (local && local_is(b, local, PTX_SHARED))
        return b->local_offset[local->value] + (uint64_t)operand->offset;
    if (!global)
        build_fail(b, "unknown name '%s'", operand->name);
    if (global->is_function)
        return WINDOW(WINDOW_FUNCTION) | (global->index + 1);
    place = &b->program->places[global->index];
    return place->address + (uint64_t)operand->offset;
}

/* A special register's value in a register of `bytes` a lane. */
static slot use_special(struct builder *b, const struct ptx_operand *operand, unsigned bytes)
{
    unsigned own;
    int special = special_named(operand->name, &own);
    struct ins *i;
    slot s;

    if (!own)
        build_fail(b, "unsupported special register '%s'", operand->name);
    i = emit(b, "@special");
    i->class = CLASS_COUNT; /* a step of an instruction that counts itself */
    i->op = (uint8_t)special;
    s = (slot)temporary(b, own) << 1;
    i->d = s;
    define_vreg(b, s);
    return resize(b, s, own, bytes, false);
}

slot use_operand(struct builder *b, const struct ptx_operand *operand, char letter)
{
    unsigned bytes = letter_bytes(letter);
    slot s;

    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        if (operand_bytes(b, operand) < bytes && letter != 'b')
            build_fail(b, "register '%s' is too narrow for '%s'", b->ptx_function->registers[operand->reg].name,
                       b->statement->opcode);
        s = (slot)operand->reg << 1;
        return s;
    case PTX_OPERAND_INTEGER:
        if (letter == 'p')
            return constant(b, operand->value ? ~0ull : 0, 0, 4);
        return constant(b, operand->value, (int64_t)operand->value < 0 ? ~0ull : 0, bytes);
    case PTX_OPERAND_FLOAT:
        return constant(b, float_value(operand, bytes), 0, bytes);
    case PTX_OPERAND_NAME:
        return constant(b, name_value(b, operand), 0, bytes);
    case PTX_OPERAND_SPECIAL:
        return use_special(b, operand, bytes);
    default:
        build_fail(b, "an operand of '%s' is not supported", b->statement->opcode);
    }
}

slot define_operand(struct builder *b, const struct ptx_operand *operand, char letter)
{
    if (operand->kind == PTX_OPERAND_SINK)
        return (slot)temporary(b, letter_bytes(letter)) << 1;
    if (operand->kind != PTX_OPERAND_REGISTER)
        build_fail(b, "the destination of '%s' is not a register", b->statement->opcode);
    if (operand_bytes(b, operand) < letter_bytes(letter) && letter != 'b')
        build_fail(b, "register '%s' is too narrow for '%s'", b->ptx_function->registers[operand->reg].name,
                   b->statement->opcode);
    return (slot)operand->reg << 1;
}

slot *slot_list(struct builder *b, uint32_t count)
{
    slot *slots = build_alloc(b, (count + 1) * sizeof *slots);

    GROW(b->lists, b->list_count, b->list_capacity);
    b->lists[b->list_count].slots = slots;
    b->lists[b->list_count++].count = count;
    for (uint32_t n = 0; n < count; n++)
        slots[n] = 1;
    return slots;
}

/* A copy of `s` with lanes of another width, or `s` itself. */
slot resize(struct builder *b, slot s, unsigned from, unsigned to, bool is_signed)
{
    static const char *const names[4][4][2] = {
        /* to 1, 2, 4, 8 from 1, 2, 4, 8: without and with sign; 8 bits travel in 16-bit lanes */
        {{"cvt.u16.u16", "cvt.u16.u16"}, {"@ext8.u.2", "@ext8.s.2"}, {"@ext8.u.4", "@ext8.s.4"}, {"@ext8.u.8", "@ext8.s.8"}},
        {{"cvt.u16.u16", "cvt.u16.u16"}, {"cvt.u16.u16", "cvt.u16.u16"}, {"cvt.u16.u32", "cvt.u16.u32"},
         {"cvt.u16.u64", "cvt.u16.u64"}},
        {{"cvt.u32.u16", "cvt.s32.s16"}, {"cvt.u32.u16", "cvt.s32.s16"}, {"cvt.u32.u32", "cvt.u32.u32"},
         {"cvt.u32.u64", "cvt.u32.u64"}},
        {{"cvt.u64.u16", "cvt.s64.s16"}, {"cvt.u64.u16", "cvt.s64.s16"}, {"cvt.u64.u32", "cvt.s64.s32"},
         {"cvt.u64.u64", "cvt.u64.u64"}},
    };
    int t = to == 1 ? 0 : to == 2 ? 1 : to == 4 ? 2 : 3, f = from == 1 ? 0 : from == 2 ? 1 : from == 4 ? 2 : 3;
    slot d;
    struct ins *i;

    if (from == to && to != 1)
        return s;
    i = emit(b, names[t][f][is_signed]);
    i->class = CLASS_COUNT; /* a step of an instruction that counts itself */
    d = (slot)temporary(b, to == 1 ? (from == 8 ? 8 : from == 4 ? 4 : 2) : to) << 1;
    i->d = d;
    i->a = s;
    define_vreg(b, d);
    use_vreg(b, s);
    return d;
}

/* ---- opcodes ---- */

static void split_opcode(struct builder *b)
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
    uint32_t word = 0x1F80;

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
static const struct row *find_row(struct builder *b, const char *suffix, uint8_t *saturate)
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

static void refuse_parts(struct builder *b, const struct ptx_operand *operands, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (operands[n].part)
            build_fail(b, "'%s' takes no part of a register (.%s)", b->statement->opcode, operands[n].part);
        refuse_parts(b, operands[n].elements, operands[n].count);
    }
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
static bool lower_by_row(struct builder *b)
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
        e = s->operands[0].kind == PTX_OPERAND_REGISTER && s->operands[0].second >= 0 ? (slot)s->operands[0].second << 1 : d;
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

/* ---- control ---- */

void add_target(struct builder *b, struct ins *ins, const char *label)
{
    const struct name_entry *entry = local_name(b, label);
    struct ins_facts *f = &b->facts[ins - b->code];

    if (!entry || entry->kind != 1 || b->ptx_function->statements[entry->value].kind != PTX_LABEL)
        build_fail(b, "unknown label '%s'", label);
    GROW(b->targets, b->target_count, b->target_capacity);
    if (!f->targets)
        f->first_target = (uint32_t)b->target_count;
    f->targets++;
    b->targets[b->target_count++] = entry->value;
}

static void lower_branch(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    struct ins *i;

    if (s->count != 1 || s->operands[0].kind != PTX_OPERAND_NAME)
        build_fail(b, "'bra' needs a label");
    i = emit(b, s->guard >= 0 ? "@bra.if" : "@bra");
    if (s->guard >= 0) {
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
    if (!entry || entry->kind != 1 || b->ptx_function->statements[entry->value].kind != PTX_BRANCH_TARGETS)
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

    if (!entry || entry->kind != 2 || b->ptx_function->locals[entry->value].space != PTX_PARAM)
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
        int builtin = builtin_find(callee->name);

        global = global_name(b, callee->name);
        if (builtin >= 0) {
            site->function = -2;
            site->builtin = (uint32_t)builtin;
        } else if (!global || !global->is_function) {
            build_fail(b, "call of '%s', which is not in the module (the device runtime is not supported)",
                       callee->name);
        } else if (!b->ptx->functions[global->index].defined) {
            build_fail(b, "call of '%s', which has no body here (separate compilation and the device runtime are not "
                          "supported)",
                       callee->name);
        } else {
            site->function = (int32_t)global->index;
        }
        i = emit(b, site->function == -2 ? "@builtin" : "@call");
        i->is_call = true;
        i->extra = site;
    } else {
        slot pointer = use_operand(b, callee, 'q');

        site->function = -1;
        i = emit(b, "@call.pointer");
        i->is_call = true;
        i->extra = site;
        i->a = pointer;
        use_vreg(b, pointer);
    }
}

/* ---- moves ---- */

static void lower_move(struct builder *b)
{
    const struct ptx_statement *s = b->statement;
    const struct ptx_operand *to = &s->operands[0], *from = &s->operands[1];
    enum ptx_type type = type_token(b, 0);
    struct ins *i;
    const struct name_entry *entry;

    if (s->count != 2)
        build_fail(b, "'mov' needs two operands");
    if (from->kind == PTX_OPERAND_VECTOR || to->kind == PTX_OPERAND_VECTOR) {
        const struct ptx_operand *vector = from->kind == PTX_OPERAND_VECTOR ? from : to;
        bool pack = vector == from;
        unsigned bytes = ptx_type_size(type), element = vector->count ? bytes / (unsigned)vector->count : 0;
        slot *list, whole, slots[16];

        if (element == 0 || vector->count > 16 || (from->kind == to->kind))
            build_fail(b, "'%s' with such a vector is not supported", s->opcode);
        for (size_t n = 0; n < vector->count; n++) {
            const struct ptx_operand *x = &vector->elements[n];
            char letter = element == 8 ? 'q' : element == 4 ? 'w' : 'h';

            slots[n] = pack ? use_operand(b, x, letter) : define_operand(b, x, letter);
        }
        whole = pack ? define_operand(b, to, bytes == 16 ? 'o' : bytes == 8 ? 'q' : bytes == 4 ? 'w' : 'h')
                     : use_operand(b, from, bytes == 16 ? 'o' : bytes == 8 ? 'q' : bytes == 4 ? 'w' : 'h');
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
        return;
    }
    if (from->kind == PTX_OPERAND_SPECIAL) {
        unsigned bytes, want = operand_bytes(b, to);
        int special = special_named(from->name, &bytes);
        slot d = define_operand(b, to, type == PTX_PRED ? 'p' : 'h'), t = d;

        if (!bytes)
            build_fail(b, "unsupported special register '%s'", from->name);
        i = emit(b, "@special");
        if (want != bytes)
            t = (slot)temporary(b, bytes) << 1;
        i->op = (uint8_t)special;
        i->reserved = !strncmp(from->name, "%reserved_smem", 14);
        i->d = t;
        define_vreg(b, t);
        if (want != bytes) {
            slot r = resize(b, t, bytes, want, false);

            i = emit(b, want == 8 ? "mov.b64" : want == 4 ? "mov.b32" : "mov.b16");
            i->class = CLASS_COUNT;
            i->d = d;
            i->a = r;
            define_vreg(b, d);
            use_vreg(b, r);
        }
        return;
    }
    if (from->kind == PTX_OPERAND_NAME && (entry = local_name(b, from->name)) && entry->kind != 1 &&
        !local_is(b, entry, PTX_SHARED)) {
        /* The address of a local variable or of a parameter, known only when it runs. */
        slot d = define_operand(b, to, type == PTX_U64 || type == PTX_B64 || type == PTX_S64 ? 'q' : 'w');
        bool wide = operand_bytes(b, to) == 8;

        i = emit(b, local_is(b, entry, PTX_LOCAL) ? "@address.local"
                    : entry->kind == 3            ? "@address.param"
                                                  : "@address.formal");
        i->d = d;
        i->width = wide ? 8 : 4;
        i->imm = from->offset + (entry->kind == 2   ? b->local_offset[entry->value]
                                 : entry->kind == 3 ? (int64_t)entry->value
                                                    : (int64_t)b->function->formal_offset[entry->value]);
        define_vreg(b, d);
        return;
    }
    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        b->opcode.token[1] = "b32";
    }
    if (!lower_by_row(b))
        build_fail(b, "unsupported instruction '%s'", s->opcode);
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
    int combine = has_token(b, "and") ? 1 : has_token(b, "or") ? 2 : has_token(b, "xor") ? 3 : 0;
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
        e = s->operands[0].kind == PTX_OPERAND_REGISTER && s->operands[0].second >= 0 ? (slot)s->operands[0].second << 1 : d;
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

        one = constant(b, result == PTX_F32 ? 0x3F800000u : result == PTX_F16 ? 0x3C00 : result == PTX_BF16 ? 0x3F80 : ~0ull,
                       0, bytes);
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
    i->op = (uint8_t)((in ? 1 : 0) | (out ? 2 : 0));
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
    e = s->operands[0].kind == PTX_OPERAND_REGISTER && s->operands[0].second >= 0 ? (slot)s->operands[0].second << 1
                                                                                  : (slot)temporary(b, 4) << 1;
    i = emit(b, "@lop3.bool");
    i->d = d;
    i->e = e;
    i->a = v[0];
    i->b = v[1];
    i->c = v[2];
    i->f = v[3];
    i->imm = (int64_t)s->operands[4].value;
    i->op = has_token(b, "or") ? 1 : 2;
    i->flags = s->operands[5].negated ? INS_NEGATE : 0;
    define_vreg(b, d);
    define_vreg(b, e);
    for (int n = 0; n < 4; n++)
        use_vreg(b, v[n]);
    return true;
}

/* Opcodes that need what is out of scope; named when the module is loaded. */
static void refuse(struct builder *b)
{
    static const struct {
        const char *prefix, *what;
    } list[] = {
        {"tex", "textures are not supported"},
        {"tld4", "textures are not supported"},
        {"suld", "surfaces are not supported"},
        {"sust", "surfaces are not supported"},
        {"sured", "surfaces are not supported"},
        {"txq", "textures are not supported"},
        {"suq", "surfaces are not supported"},
        {"wgmma", "wgmma (warpgroup matrix products) is not supported"},
        {"cp.async.bulk.tensor", "tensor maps (TMA) are not supported"},
        {"cp.async.bulk.prefetch.tensor", "tensor maps (TMA) are not supported"},
        {"cp.reduce.async.bulk.tensor", "tensor maps (TMA) are not supported"},
        {"tensormap", "tensor maps (TMA) are not supported"},
        {"multimem", "multicast memory is not supported"},
        {"st.async", "stores that complete on an mbarrier are not supported"},
        {"red.async", "reductions that complete on an mbarrier are not supported"},
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
        GROW(b->vregs, b->vreg_list_count, b->vreg_list_capacity);
        /* The guard is one more use: lists of later instructions move up by one. */
        memmove(b->vregs + f->first_def + f->defs + f->uses + 1, b->vregs + f->first_def + f->defs + f->uses,
                (b->vreg_list_count - f->first_def - f->defs - f->uses) * sizeof *b->vregs);
        b->vregs[f->first_def + f->defs + f->uses++] = (uint32_t)s->guard;
        b->vreg_list_count++;
        for (size_t m = n + 1; m < b->code_count; m++)
            b->facts[m].first_def++;
    }
}

/*
 * Instructions that end a straight line, or wait for other lanes, cannot run under a mask that is put back afterwards:
 * their guard becomes a branch around them.
 */
static bool guard_by_branch(const char *base)
{
    static const char *const list[] = {"call", "ret",   "exit",  "brx",        "trap",  "bar",      "barrier", "shfl",
                                       "vote", "match", "redux", "elect",      "mma",   "ldmatrix", "stmatrix", "movmatrix",
                                       "wmma", "brkpt", "nanosleep", "mbarrier", "activemask"};

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
    if (!is_video(b))
        refuse_parts(b, s->operands, s->count);
    if (!strcmp(base, "bra")) {
        lower_branch(b);
        return; /* its guard is its condition */
    }
    refuse(b);
    if (s->guard >= 0 && guard_by_branch(base)) {
        struct ins *i = emit(b, "@bra.if");
        struct ins_facts *f = &b->facts[b->code_count - 1];

        i->class = CLASS_COUNT;
        i->a = (slot)s->guard << 1;
        i->flags = s->guard_negated ? 0 : INS_NEGATE;
        use_vreg(b, i->a);
        GROW(b->targets, b->target_count, b->target_capacity);
        f->first_target = (uint32_t)b->target_count;
        f->targets = 1;
        b->targets[b->target_count++] = (uint32_t)(b->ptx_function->statement_count + index);
        around = true;
    }
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
    } else if (!strcmp(base, "mov")) {
        lower_move(b);
    } else if (((!strcmp(base, "setp") || !strcmp(base, "set")) && lower_compare(b)) ||
               (!strcmp(base, "lop3") && s->count == 6 && lower_lop3_bool(b)) || lower_carry(b) || lower_memory(b) ||
               (!strcmp(base, "cvt") && lower_convert(b)) || lower_synchronise(b) || lower_by_row(b)) {
        ;
    } else {
        build_fail(b, "unsupported instruction '%s'", s->opcode);
    }
    if (around) {
        struct ins *i = emit(b, "@join");

        i->class = CLASS_COUNT;
        b->label_at[b->ptx_function->statement_count + index] = (uint32_t)b->code_count - 1;
    } else if (s->guard >= 0) {
        guard(b, from);
    }
}
