/*
 * program_emit.c - writes instructions: their rows, the registers that they define and use, temporaries, and the
 * operands of a statement as slots. It knows only the instructions that change the width of a value.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/special.h"

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
    b->vregs = build_grow(b, b->vregs, b->vreg_list_count, &b->vreg_list_capacity, sizeof *b->vregs);
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
    b->vregs = build_grow(b, b->vregs, b->vreg_list_count, &b->vreg_list_capacity, sizeof *b->vregs);
    b->vregs[f->first_def + f->defs + f->uses++] = s >> 1;
    b->vreg_list_count++;
}

void insert_use(struct builder *b, size_t n, uint32_t vreg)
{
    struct ins_facts *f = &b->facts[n];
    uint32_t *at;

    b->vregs = build_grow(b, b->vregs, b->vreg_list_count, &b->vreg_list_capacity, sizeof *b->vregs);
    at = b->vregs + f->first_def + f->defs + f->uses;
    memmove(at + 1, at, (size_t)(b->vregs + b->vreg_list_count - at) * sizeof *at);
    *at = vreg;
    f->uses++;
    b->vreg_list_count++;
    for (size_t m = n + 1; m < b->code_count; m++)
        b->facts[m].first_def++;
}

void branch_to(struct builder *b, const struct ins *ins, uint32_t statement)
{
    struct ins_facts *f = &b->facts[ins - b->code];

    b->targets = build_grow(b, b->targets, b->target_count, &b->target_capacity, sizeof *b->targets);
    if (!f->targets)
        f->first_target = (uint32_t)b->target_count;
    f->targets++;
    b->targets[b->target_count++] = statement;
}

struct ins *emit_row(struct builder *b, const struct row *row)
{
    struct ins *i;
    struct ins_facts *f;
    const struct ptx_statement *s = b->statement;
    const struct ptx_location *place = s ? ptx_place(b->ptx, s) : NULL;

    b->code = build_grow(b, b->code, b->code_count, &b->code_capacity, sizeof *b->code);
    b->facts = build_grow(b, b->facts, b->code_count, &b->facts_capacity, sizeof *b->facts);
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
        i->toolkit = ptx_is_toolkit_code(b->ptx, s);
        i->algorithm = ptx_is_algorithm(b->ptx, s);
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
    b->vreg_size = build_grow(b, b->vreg_size, b->vreg_count, &b->vreg_capacity, sizeof *b->vreg_size);
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

/* Where a variable lies, which must be one of the modules that were linked. */
const struct place *place_used(struct builder *b, const struct global_name *global)
{
    const struct place *place = &b->program->places[global->index];

    if (place->variable->external && place->variable->space != PTX_SHARED)
        build_fail(b, "variable '%s' is defined in another module", place->variable->name);
    return place;
}

uint64_t name_value(struct builder *b, const struct ptx_operand *operand)
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
    place = place_used(b, global);
    return place->address + (uint64_t)operand->offset;
}

bool names_own_memory(struct builder *b, const struct ptx_operand *operand)
{
    const struct name_entry *entry = operand->kind == PTX_OPERAND_NAME ? local_name(b, operand->name) : NULL;

    return entry && entry->kind != NAME_STATEMENT && !local_is(b, entry, PTX_SHARED);
}

void emit_own_address(struct builder *b, const struct ptx_operand *operand, slot d, unsigned bytes)
{
    const struct name_entry *entry = local_name(b, operand->name);
    bool parameter = entry->kind == NAME_ENTRY_PARAMETER;
    struct ins *i =
        emit(b, local_is(b, entry, PTX_LOCAL) ? "@address.local" : parameter ? "@address.param" : "@address.formal");

    i->d = d;
    i->width = (uint8_t)bytes;
    i->imm = operand->offset + (parameter                   ? entry->value
                                : entry->kind == NAME_LOCAL ? b->local_offset[entry->value]
                                                            : b->function->formal_offset[entry->value]);
    define_vreg(b, d);
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

char letter_of(unsigned bytes)
{
    return bytes == 16 ? 'o' : bytes == 8 ? 'q' : bytes == 4 ? 'w' : 'h';
}

slot predicate_operand(struct builder *b, const struct ptx_operand *x)
{
    slot p = use_operand(b, x, 'p'), t;
    struct ins *i;

    if (!x->negated)
        return p;
    i = emit(b, "not.pred");
    i->class = CLASS_COUNT; /* a step of an instruction that counts itself */
    t = (slot)temporary(b, 4) << 1;
    i->d = t;
    i->a = p;
    define_vreg(b, t);
    use_vreg(b, p);
    return t;
}

bool second_register(const struct ptx_operand *operand, slot *s)
{
    if ((operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_SINK) ||
        operand->second == PTX_NO_REGISTER)
        return false;
    *s = (slot)operand->second << 1;
    return true;
}

slot *slot_list(struct builder *b, uint32_t count)
{
    slot *slots = build_alloc(b, (count + 1) * sizeof *slots);

    b->lists = build_grow(b, b->lists, b->list_count, &b->list_capacity, sizeof *b->lists);
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
        {{"cvt.u16.u16", "cvt.u16.u16"}, {"@ext8.u.2", "@ext8.s.2"}, {"@ext8.u.4", "@ext8.s.4"},
         {"@ext8.u.8", "@ext8.s.8"}},
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
