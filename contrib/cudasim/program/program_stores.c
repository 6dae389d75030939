/*
 * program_stores.c - finds the parameters of a kernel through which it stores: where its atomics and stores may go is
 * known when it is launched. machine/race_launch.c uses this: what a launch only reads has no race.
 *
 * It follows values of 64 bits from the parameters to the addresses of stores, with no regard to the order of
 * statements. A value that was loaded from memory, or packed from halves, may be any address. Functions that are called
 * take their addresses from elsewhere: a store there may go anywhere.
 */
#include <string.h>

#include "builder.h"

/* What a register of 64 bits may come from: bits of parameters by their index in store_roots.offsets, or these. */
#define VARIABLE (1ull << 61)   /* a variable of the module */
#define NOT_GLOBAL (1ull << 62) /* a variable of shared or local memory */
#define UNKNOWN (1ull << 63)
#define PARAMETERS (VARIABLE - 1)

_Static_assert(STORE_PARAMETERS <= 61, "a bit for each parameter");

static bool starts(const char *text, const char *word)
{
    return text[0] == word[0] && strncmp(text, word, strlen(word)) == 0;
}

/* The bit of the kernel's parameter at `offset`. */
static uint64_t parameter_bit(struct store_roots *roots, uint32_t offset)
{
    uint32_t n = 0;

    while (n < roots->parameter_count && roots->offsets[n] != offset)
        n++;
    if (n == STORE_PARAMETERS)
        return UNKNOWN;
    if (n == roots->parameter_count)
        roots->offsets[roots->parameter_count++] = offset;
    return 1ull << n;
}

/* What a name's address is. */
static uint64_t name_source(struct builder *b, const char *name)
{
    const struct name_entry *local = local_name(b, name);
    const struct global_name *global = local ? NULL : global_name(b, name);

    if (global)
        return global->is_function                                                              ? 0
               : b->program->places[global->index].variable->space == PTX_SHARED ? NOT_GLOBAL
                                                                                                : VARIABLE;
    if (!local || local->kind == NAME_STATEMENT)
        return 0;
    if (local->kind != NAME_LOCAL || local_is(b, local, PTX_PARAM))
        return UNKNOWN;
    return NOT_GLOBAL;
}

static uint64_t source_of(struct builder *b, const uint64_t *sources, const struct ptx_operand *x)
{
    uint64_t all = 0;

    if (x->kind == PTX_OPERAND_REGISTER)
        return sources[x->reg];
    if (x->kind == PTX_OPERAND_NAME && x->name)
        return name_source(b, x->name);
    for (size_t n = 0; n < x->count; n++)
        all |= source_of(b, sources, &x->elements[n]);
    return all;
}

static bool add_source(struct builder *b, uint64_t *sources, const struct ptx_operand *x, uint64_t source)
{
    uint64_t before;

    if (x->kind != PTX_OPERAND_REGISTER || operand_bytes(b, x) < 8)
        return false;
    before = sources[x->reg];
    sources[x->reg] |= source;
    return sources[x->reg] != before;
}

/* A load of a parameter from a fixed offset, which goes into *offset. */
static bool loads_parameter(struct builder *b, const struct ptx_statement *s, uint32_t *offset)
{
    const struct ptx_operand *x = &s->operands[1], *base;
    const struct name_entry *entry;

    if (!starts(s->opcode, "ld.param") || x->kind != PTX_OPERAND_ADDRESS || x->count != 1)
        return false;
    base = &x->elements[0];
    entry = base->kind == PTX_OPERAND_NAME ? local_name(b, base->name) : NULL;
    if (!entry || entry->kind != NAME_ENTRY_PARAMETER)
        return false;
    *offset = (uint32_t)(entry->value + (uint64_t)base->offset + (uint64_t)x->offset);
    return true;
}

/* Follows a statement's results. Whether something was new. */
static bool follow(struct builder *b, uint64_t *sources, struct store_roots *roots, const struct ptx_statement *s)
{
    const struct ptx_operand *d = &s->operands[0];
    size_t results = d->kind == PTX_OPERAND_VECTOR ? d->count : 1;
    bool loads = starts(s->opcode, "ld") || starts(s->opcode, "atom"), changed = false;
    uint32_t offset = 0;
    bool parameter = loads_parameter(b, s, &offset);
    uint64_t all = 0;

    if (loads || s->operands[1].kind == PTX_OPERAND_VECTOR)
        all = UNKNOWN;
    for (size_t n = 1; n < s->count && !loads; n++)
        all |= source_of(b, sources, &s->operands[n]);
    for (size_t n = 0; n < results; n++) {
        const struct ptx_operand *x = d->kind == PTX_OPERAND_VECTOR ? &d->elements[n] : d;

        if (x->kind == PTX_OPERAND_REGISTER && operand_bytes(b, x) >= 8)
            changed |= add_source(b, sources, x,
                                  parameter ? parameter_bit(roots, offset + (uint32_t)n * operand_bytes(b, x)) : all);
    }
    return changed;
}

/* Whether the statement writes to no memory but shared and local. */
static bool stores_nothing(const char *opcode)
{
    static const char *const reads[] = {"ld", "prefetch", "applypriority", "tex", "tld4", "su", "isspacep", "wmma.load",
                                        "cp.async.ca", "cp.async.cg", "cp.async.bulk.prefetch", "call"};

    for (size_t n = 0; n < sizeof reads / sizeof *reads; n++)
        if (starts(opcode, reads[n]))
            return true;
    if (starts(opcode, "cp."))
        return !strstr(opcode, ".global.shared");
    return (strstr(opcode, ".shared") && !strstr(opcode, ".global")) || strstr(opcode, ".local") ||
           strstr(opcode, ".param");
}

static void add_set(struct store_roots *roots, uint64_t set)
{
    for (uint32_t n = 0; n < roots->set_count; n++)
        if (roots->sets[n] == set)
            return;
    if (roots->set_count == STORE_SETS)
        roots->anywhere = true;
    else
        roots->sets[roots->set_count++] = set;
}

static void note_store(struct builder *b, const uint64_t *sources, struct store_roots *roots,
                       const struct ptx_operand *x)
{
    uint64_t source = source_of(b, sources, &x->elements[0]);

    if (!source || source & UNKNOWN)
        roots->anywhere = true;
    if (source & VARIABLE)
        roots->variables = true;
    if (source & PARAMETERS)
        add_set(roots, source & PARAMETERS);
}

static void count_mention(struct builder *b, const struct ptx_operand *x)
{
    if (x->kind == PTX_OPERAND_REGISTER && b->mentions[x->reg] < 2)
        b->mentions[x->reg]++;
    for (size_t n = 0; n < x->count; n++)
        count_mention(b, &x->elements[n]);
}

void count_mentions(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;

    b->mentions = build_scratch(b, x->register_count + 1, sizeof *b->mentions);
    for (size_t n = 0; n < x->statement_count; n++)
        for (size_t k = 0; k < x->statements[n].count; k++)
            count_mention(b, &x->statements[n].operands[k]);
}

void find_stores(struct builder *b)
{
    const struct ptx_function *x = b->ptx_function;
    uint64_t *sources = build_scratch(b, x->register_count + 1, sizeof *sources);
    struct store_roots *roots = build_alloc(b, sizeof *roots);
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t n = 0; n < x->statement_count; n++) {
            const struct ptx_statement *s = &x->statements[n];

            if (s->kind == PTX_INSTRUCTION && s->count > 1)
                changed |= follow(b, sources, roots, s);
        }
    }
    for (size_t n = 0; n < x->statement_count; n++) {
        const struct ptx_statement *s = &x->statements[n];

        if (s->kind != PTX_INSTRUCTION || stores_nothing(s->opcode))
            continue;
        if (starts(s->opcode, "cp."))
            roots->anywhere = true;
        for (size_t k = 0; k < s->count; k++)
            if (s->operands[k].kind == PTX_OPERAND_ADDRESS && s->operands[k].count)
                note_store(b, sources, roots, &s->operands[k]);
    }
    b->function->stores = roots;
}
