/*
 * ptx_names.c - the meanings of names: symbols, scopes, registers; and the lists that grow.
 *
 * The parser looks up a symbol once per token. The symbol holds a list of its meanings in nested scopes, the innermost
 * first. So finding a meaning takes no search. Closing a scope removes its meanings.
 */
#include "ptx_parse.h"

#include <stdio.h>
#include <string.h>

#include "contrib/cudasim/base/hash.h"

void *ptx_allocate(struct ptx_parser *parser, struct arena *arena, size_t size)
{
    void *bytes = arena_alloc(arena, size);

    if (!bytes)
        ptx_lex_fail(&parser->lexer, parser->lexer.token.line, "out of memory");
    return bytes;
}

void *ptx_keep(struct ptx_parser *parser, const void *items, size_t count, size_t size)
{
    void *copy = count > 0 ? ptx_allocate(parser, parser->kept, count * size) : NULL;

    return copy ? memcpy(copy, items, count * size) : NULL;
}

void *ptx_grow(struct ptx_parser *parser, void *items, size_t *capacity, size_t count, size_t size)
{
    size_t room = *capacity ? *capacity : 16;
    void *copy;

    if (count <= *capacity)
        return items;
    while (room < count)
        room *= 2;
    if (room > SIZE_MAX / 2 / size)
        room = SIZE_MAX / size; /* the allocation refuses it */
    copy = ptx_allocate(parser, &parser->scratch, room * size);
    if (!copy)
        return NULL;
    if (*capacity)
        memcpy(copy, items, *capacity * size);
    *capacity = room;
    return copy;
}

/* The slot that holds the symbol, or the free one where it belongs. */
static struct ptx_symbol **slot_of(struct ptx_parser *parser, const char *text, size_t length, uint64_t hash)
{
    size_t mask = parser->symbol_slots - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct ptx_symbol *symbol = parser->symbols[i];

        if (!symbol ||
            (symbol->hash == hash && symbol->length == length && memcmp(symbol->text, text, length) == 0))
            return &parser->symbols[i];
    }
}

static bool grow_symbols(struct ptx_parser *parser)
{
    struct ptx_symbol **old = parser->symbols;
    size_t slots = parser->symbol_slots, room = slots ? slots * 2 : 256;
    struct ptx_symbol **table = ptx_allocate(parser, &parser->scratch, room * sizeof *table);

    if (!table)
        return false;
    memset(table, 0, room * sizeof *table);
    parser->symbols = table;
    parser->symbol_slots = room;
    for (size_t i = 0; i < slots; i++)
        if (old[i])
            *slot_of(parser, old[i]->text, old[i]->length, old[i]->hash) = old[i];
    return true;
}

struct ptx_symbol *ptx_intern(struct ptx_parser *parser, const char *text, size_t length)
{
    uint64_t hash = hash_bytes(text, length);
    struct ptx_symbol **slot, *symbol;
    char *copy;

    if (parser->symbol_count >= parser->symbol_slots / 2 && !grow_symbols(parser))
        return NULL;
    slot = slot_of(parser, text, length, hash);
    if (*slot)
        return *slot;
    symbol = ptx_allocate(parser, &parser->scratch, sizeof *symbol);
    copy = ptx_allocate(parser, parser->kept, length + 1);
    if (!symbol || !copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *symbol = (struct ptx_symbol){.text = copy, .length = length, .hash = hash};
    parser->symbol_count++;
    return *slot = symbol;
}

bool ptx_scope_open(struct ptx_parser *parser)
{
    if (parser->depth == PTX_SCOPES_MAX)
        return ptx_lex_fail(&parser->lexer, parser->lexer.token.line, "more than %d nested scopes", PTX_SCOPES_MAX);
    parser->scopes[parser->depth + 1] = (struct ptx_scope){
        .pending = parser->pending_count,
        .range_depth = parser->scopes[parser->depth].range_depth,
    };
    parser->depth++;
    return true;
}

/* Settles the scope's uses of names: its labels claim theirs, the others wait for the scope around it. */
static void settle(struct ptx_parser *parser, const struct ptx_scope *scope)
{
    int depth = (int)parser->depth;
    size_t kept = scope->pending;

    for (size_t i = scope->pending; i < parser->pending_count; i++) {
        struct ptx_pending *use = &parser->pending[i];
        const struct ptx_binding *binding = use->symbol->binding;

        if (use->depth == depth)
            continue;
        if (binding && (int)binding->depth == depth && binding->kind == PTX_BIND_LABEL) {
            use->operand->name = binding->name;
            continue;
        }
        if (depth == 1 && use->depth == PTX_NO_SCOPE) {
            ptx_lex_fail(&parser->lexer, use->line, "'%.80s' is not declared", use->symbol->text);
            return;
        }
        parser->pending[kept++] = *use;
    }
    parser->pending_count = depth == 1 ? scope->pending : kept;
}

void ptx_scope_close(struct ptx_parser *parser)
{
    struct ptx_scope *scope = &parser->scopes[parser->depth];

    settle(parser, scope);
    for (struct ptx_binding *binding = scope->bindings; binding; binding = binding->next) {
        if (binding->kind == PTX_BIND_RANGE)
            binding->symbol->ranges = binding->outer;
        else
            binding->symbol->binding = binding->outer;
    }
    scope->bindings = NULL;
    parser->depth--;
}

/* The name of a declaration in the innermost scope; those of inner scopes need not be the only one of their name. */
static const char *unique_name(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    size_t room = symbol->length + 24;
    char *name;

    if (parser->depth < 2)
        return symbol->text;
    name = ptx_allocate(parser, parser->kept, room);
    if (name)
        snprintf(name, room, "%s.%llu", symbol->text, (unsigned long long)++parser->serial);
    return name;
}

static struct ptx_binding *bind_at(struct ptx_parser *parser, struct ptx_symbol *symbol, enum ptx_binding_kind kind,
                                   unsigned depth, unsigned line)
{
    struct ptx_binding **top = kind == PTX_BIND_RANGE ? &symbol->ranges : &symbol->binding;
    struct ptx_scope *scope = &parser->scopes[depth];
    struct ptx_binding *binding;

    if (*top && (*top)->depth == depth) {
        ptx_lex_fail(&parser->lexer, line, "'%.80s' is declared twice", symbol->text);
        return NULL;
    }
    binding = ptx_allocate(parser, &parser->scratch, sizeof *binding);
    if (!binding)
        return NULL;
    *binding = (struct ptx_binding){
        .kind = kind, .depth = depth, .symbol = symbol, .outer = *top, .next = scope->bindings, .name = symbol->text};
    *top = binding;
    scope->bindings = binding;
    return binding;
}

struct ptx_binding *ptx_bind(struct ptx_parser *parser, struct ptx_symbol *symbol, enum ptx_binding_kind kind,
                             unsigned line)
{
    struct ptx_binding *binding = bind_at(parser, symbol, kind, parser->depth, line);

    if (binding && (kind == PTX_BIND_VARIABLE || kind == PTX_BIND_LABEL)) {
        binding->name = unique_name(parser, symbol);
        if (!binding->name)
            return NULL;
    }
    return binding;
}

/* Gives a register its index, at its first use; a vector's elements follow each other. */
static bool add_registers(struct ptx_parser *parser, struct ptx_binding *binding)
{
    const struct ptx_symbol *symbol = binding->symbol;
    size_t count = binding->width ? binding->width : 1;
    struct ptx_register *registers = ptx_grow(parser, parser->registers, &parser->register_capacity,
                                              parser->register_count + count, sizeof *registers);

    if (!registers)
        return false;
    parser->registers = registers;
    binding->index = parser->register_count;
    for (unsigned i = 0; i < count; i++) {
        const char *name = symbol->text;

        if (binding->width) {
            char *element = ptx_allocate(parser, parser->kept, symbol->length + 3);

            if (!element)
                return false;
            memcpy(element, symbol->text, symbol->length);
            element[symbol->length] = '.';
            element[symbol->length + 1] = "xyzw"[i];
            element[symbol->length + 2] = '\0';
            name = element;
        }
        registers[parser->register_count++] = (struct ptx_register){.name = name, .type = binding->type};
    }
    return true;
}

bool ptx_declare_register(struct ptx_parser *parser, struct ptx_symbol *symbol, enum ptx_type type, unsigned width,
                          bool range, uint64_t count, unsigned line)
{
    struct ptx_binding *binding = ptx_bind(parser, symbol, range ? PTX_BIND_RANGE : PTX_BIND_REGISTER, line);

    if (!binding)
        return false;
    binding->type = type;
    binding->width = width;
    binding->count = count;
    binding->index = PTX_NO_INDEX;
    if (range)
        parser->scopes[parser->depth].range_depth = parser->depth;
    return true;
}

/* The innermost range that has a register of this name, or NULL: `%r12` may be of %r<…> or of %r1<…>. */
static const struct ptx_binding *find_range(struct ptx_parser *parser, const struct ptx_symbol *symbol)
{
    const struct ptx_binding *best = NULL;
    uint64_t number = 0, unit = 1;

    for (size_t length = symbol->length; length > 1 && unit <= 1000000000; length--, unit *= 10) {
        char digit = symbol->text[length - 1];
        const struct ptx_symbol *stem;

        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * unit;
        /* %r012 is no register of %r<…>. */
        if (digit == '0' && unit > 1)
            continue;
        stem = *slot_of(parser, symbol->text, length - 1, hash_bytes(symbol->text, length - 1));
        for (const struct ptx_binding *range = stem ? stem->ranges : NULL; range; range = range->outer)
            if (number < range->count) {
                if (!best || range->depth > best->depth)
                    best = range;
                break;
            }
    }
    return best;
}

struct ptx_binding *ptx_resolve(struct ptx_parser *parser, struct ptx_symbol *symbol)
{
    struct ptx_binding *binding = symbol->binding;
    const struct ptx_binding *range = NULL;

    if (parser->scopes[parser->depth].range_depth > (binding ? binding->depth : 0))
        range = find_range(parser, symbol);
    if (range && (!binding || binding->depth < range->depth)) {
        binding = bind_at(parser, symbol, PTX_BIND_REGISTER, range->depth, parser->lexer.token.line);
        if (!binding)
            return NULL;
        binding->type = range->type;
        binding->width = range->width;
        binding->index = PTX_NO_INDEX;
    }
    if (binding && binding->kind == PTX_BIND_REGISTER && binding->index == PTX_NO_INDEX &&
        !add_registers(parser, binding))
        return NULL;
    return binding;
}

bool ptx_note_use(struct ptx_parser *parser, const struct ptx_draft *draft, struct ptx_operand *operand)
{
    struct ptx_pending *pending;

    if (draft->depth == (int)parser->depth)
        return true;
    pending = ptx_grow(parser, parser->pending, &parser->pending_capacity, parser->pending_count + 1, sizeof *pending);
    if (!pending)
        return false;
    parser->pending = pending;
    pending[parser->pending_count++] = (struct ptx_pending){
        .operand = operand, .symbol = draft->symbol, .depth = draft->depth, .line = draft->line};
    return true;
}

bool ptx_is_special(const char *name)
{
    static const char *const specials[] = {
        "%tid",           "%ntid",           "%laneid",          "%warpid",
        "%nwarpid",       "%ctaid",          "%nctaid",          "%smid",
        "%nsmid",         "%gridid",         "%clusterid",       "%nclusterid",
        "%cluster_ctaid", "%cluster_nctaid", "%cluster_ctarank", "%cluster_nctarank",
        "%clock",         "%clock_hi",       "%clock64",         "%globaltimer",
        "%lanemask_eq",   "%lanemask_le",    "%lanemask_lt",     "%lanemask_ge",
        "%lanemask_gt",   "%globaltimer_lo", "%globaltimer_hi",  "%is_explicit_cluster",
        "%aggr_smem_size", "%total_smem_size", "%dynamic_smem_size", "%current_graph_exec",
        "%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap",
    };
    static const char *const numbered[] = {"%envreg", "%pm", "%reserved_smem_offset_"};

    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(name, specials[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        size_t length = strlen(numbered[i]);

        if (strncmp(name, numbered[i], length) == 0 && name[length] >= '0' && name[length] <= '9')
            return true;
    }
    return false;
}

bool ptx_fail(struct ptx_parser *parser, const char *message)
{
    return ptx_lex_fail(&parser->lexer, parser->lexer.token.line, "%s", message);
}

bool ptx_is_mark(const struct ptx_parser *parser, int mark)
{
    return parser->lexer.token.mark == mark;
}

static bool token_is(const struct ptx_parser *parser, enum ptx_token_kind kind, const char *text)
{
    const struct ptx_token *token = &parser->lexer.token;

    return token->kind == kind && strlen(text) == token->length && memcmp(token->text, text, token->length) == 0;
}

bool ptx_is_name(const struct ptx_parser *parser, const char *text)
{
    return token_is(parser, PTX_TOKEN_NAME, text);
}

bool ptx_is_directive(const struct ptx_parser *parser, const char *text)
{
    return token_is(parser, PTX_TOKEN_DIRECTIVE, text);
}

bool ptx_accept(struct ptx_parser *parser, int mark)
{
    if (!ptx_is_mark(parser, mark))
        return false;
    ptx_lex_next(&parser->lexer);
    return true;
}

bool ptx_accept_directive(struct ptx_parser *parser, const char *text)
{
    if (!ptx_is_directive(parser, text))
        return false;
    ptx_lex_next(&parser->lexer);
    return true;
}

bool ptx_expect(struct ptx_parser *parser, int mark)
{
    char what[] = {'\'', (char)mark, '\'', '\0'};

    return ptx_accept(parser, mark) || ptx_lex_expected(&parser->lexer, what);
}

struct ptx_symbol *ptx_expect_name(struct ptx_parser *parser, const char *what)
{
    const struct ptx_token token = parser->lexer.token;

    if (token.kind != PTX_TOKEN_NAME) {
        ptx_lex_expected(&parser->lexer, what);
        return NULL;
    }
    ptx_lex_next(&parser->lexer);
    /* The next token may be a broken one: the name is read all the same. */
    return ptx_intern(parser, token.text, token.length);
}
