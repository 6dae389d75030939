/*
 * ptx_parse.c - parses a PTX module: its functions, and the directives that only modules hold. The entry of the parser
 * (see ptx.h).
 */
#include "ptx_parse.h"

#include <stdlib.h>
#include <string.h>

/* ---- directives of the module ---- */

/* .alias f, g; */
static bool alias(struct ptx_parser *parser)
{
    struct ptx_alias entry = {.line = parser->lexer.token.line}, *aliases;

    entry.alias = ptx_expect_name(parser, "a function's name");
    if (!entry.alias || !ptx_expect(parser, ','))
        return false;
    entry.target = ptx_expect_name(parser, "a function's name");
    if (!entry.target || !ptx_expect(parser, ';'))
        return false;
    aliases = ptx_grow(parser, parser->aliases, &parser->alias_capacity, parser->alias_count + 1, sizeof *aliases);
    if (!aliases)
        return false;
    parser->aliases = aliases;
    aliases[parser->alias_count++] = entry;
    return true;
}

/* ---- functions ---- */

/* The function's place in the module; a declaration's where there was one. NULL if it is defined twice. */
static struct ptx_function *function_slot(struct ptx_parser *parser, struct ptx_symbol *symbol, unsigned line)
{
    struct ptx_binding *binding = symbol->binding;
    struct ptx_function *functions;

    if (binding && binding->depth == 0 && binding->kind == PTX_BIND_FUNCTION)
        return &parser->functions[binding->index];
    binding = ptx_bind(parser, symbol, PTX_BIND_FUNCTION, line);
    if (!binding)
        return NULL;
    functions =
        ptx_grow(parser, parser->functions, &parser->function_capacity, parser->function_count + 1, sizeof *functions);
    if (!functions)
        return NULL;
    parser->functions = functions;
    binding->index = parser->function_count++;
    functions[binding->index] = (struct ptx_function){.name = symbol->text, .line = line};
    return &functions[binding->index];
}

/* The body, with the function's scope already open. */
static bool define(struct ptx_parser *parser, struct ptx_function *function)
{
    parser->local_count = parser->statement_count = 0;
    parser->source_file = parser->source_line = parser->location = 0;
    if (!ptx_body(parser))
        return false;
    function->defined = true;
    function->locals = ptx_keep(parser, parser->locals, parser->local_count, sizeof *parser->locals);
    function->local_count = parser->local_count;
    function->registers = ptx_keep(parser, parser->registers, parser->register_count, sizeof *parser->registers);
    function->register_count = parser->register_count;
    function->statements = ptx_keep(parser, parser->statements, parser->statement_count, sizeof *parser->statements);
    function->statement_count = parser->statement_count;
    return !parser->lexer.failed;
}

static bool function(struct ptx_parser *parser, bool entry, enum ptx_linkage linkage)
{
    struct ptx_function function = {.entry = entry, .linkage = linkage}, *slot;
    struct ptx_symbol *symbol;
    bool managed;

    parser->register_count = 0;
    while (ptx_accept_directive(parser, ".attribute"))
        if (!ptx_attribute(parser, &managed))
            return false;
    if (!ptx_scope_open(parser))
        return false;
    if (ptx_is_mark(parser, '(') && !ptx_parameters(parser, true, &function.results, &function.result_count))
        return false;
    function.line = parser->lexer.token.line;
    symbol = ptx_expect_name(parser, "a function's name");
    if (!symbol)
        return false;
    function.name = symbol->text;
    if (ptx_is_mark(parser, '(') && !ptx_parameters(parser, true, &function.parameters, &function.parameter_count))
        return false;
    if (!ptx_function_directives(parser, &function))
        return false;
    /* The name belongs to the module, not to the scope that its parameters opened; recursion needs it in the body. */
    parser->depth--;
    slot = function_slot(parser, symbol, function.line);
    parser->depth++;
    if (!slot)
        return false;
    if (ptx_is_mark(parser, '{')) {
        if (slot->defined)
            return ptx_lex_fail(&parser->lexer, function.line, "the function '%.80s' is defined twice", symbol->text);
        if (!define(parser, &function))
            return false;
        *slot = function;
        return true;
    }
    ptx_scope_close(parser);
    if (!slot->defined)
        *slot = function;
    return ptx_expect(parser, ';');
}

/* ---- the module ---- */

static bool version(struct ptx_parser *parser, struct ptx_module *module)
{
    const struct ptx_token token = parser->lexer.token;
    char *end;

    if (!ptx_accept_directive(parser, ".version"))
        return ptx_lex_fail(&parser->lexer, token.line, "a PTX module begins with .version");
    if (parser->lexer.token.kind != PTX_TOKEN_FLOAT || parser->lexer.token.single)
        return ptx_lex_expected(&parser->lexer, "a version such as 9.0");
    module->version_major = (unsigned)strtoul(parser->lexer.token.text, &end, 10);
    module->version_minor = *end == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    ptx_lex_next(&parser->lexer);
    return !parser->lexer.failed;
}

/* .target sm_90, debug */
static bool target(struct ptx_parser *parser, struct ptx_module *module)
{
    do {
        struct ptx_symbol *name = ptx_expect_name(parser, "a target such as sm_90");

        if (!name)
            return false;
        if (!module->target)
            module->target = name->text;
    } while (ptx_accept(parser, ','));
    return !parser->lexer.failed;
}

static bool address_size(struct ptx_parser *parser, struct ptx_module *module)
{
    unsigned line = parser->lexer.token.line;
    uint64_t bits;

    if (!ptx_count(parser, "the size of addresses", 64, &bits))
        return false;
    if (bits != 64)
        return ptx_lex_fail(&parser->lexer, line, "only addresses of 64 bits are supported");
    module->address_size = (unsigned)bits;
    return true;
}

/* A function or a variable of the module, from its linkage on. */
static bool linked(struct ptx_parser *parser)
{
    enum ptx_linkage linkage = ptx_linking(parser);

    if (ptx_accept_directive(parser, ".entry"))
        return function(parser, true, linkage);
    if (ptx_accept_directive(parser, ".func"))
        return function(parser, false, linkage);
    if (ptx_current_space(parser) != PTX_SPACE_NONE)
        return ptx_declaration(parser, linkage);
    if (ptx_is_directive(parser, ".tex"))
        return ptx_fail(parser, "textures, surfaces and samplers are not supported");
    return ptx_lex_expected(&parser->lexer, "a declaration");
}

static bool module_directive(struct ptx_parser *parser, struct ptx_module *module)
{
    if (ptx_common_directive(parser))
        return !parser->lexer.failed;
    if (ptx_accept_directive(parser, ".target"))
        return target(parser, module);
    if (ptx_accept_directive(parser, ".address_size"))
        return address_size(parser, module);
    if (ptx_accept_directive(parser, ".alias"))
        return alias(parser);
    return linked(parser);
}

/* An alias is a function that shares the other one's parts. */
static bool settle_alias(struct ptx_parser *parser, const struct ptx_alias *alias)
{
    const struct ptx_binding *from = alias->target->binding;
    struct ptx_function *slot;

    if (!from || from->kind != PTX_BIND_FUNCTION || !parser->functions[from->index].defined)
        return ptx_lex_fail(&parser->lexer, alias->line, "the function '%.80s' is not defined", alias->target->text);
    slot = function_slot(parser, alias->alias, alias->line);
    if (!slot)
        return false;
    if (slot->defined)
        return ptx_lex_fail(&parser->lexer, alias->line, "the function '%.80s' is defined twice", alias->alias->text);
    *slot = parser->functions[from->index];
    slot->name = alias->alias->text;
    slot->alias = true;
    return true;
}

static bool finish(struct ptx_parser *parser, struct ptx_module *module)
{
    for (size_t i = 0; i < parser->alias_count; i++)
        if (!settle_alias(parser, &parser->aliases[i]))
            return false;
    for (size_t i = 0; i < parser->reference_count; i++)
        if (!parser->references[i].symbol->binding)
            return ptx_lex_fail(&parser->lexer, parser->references[i].line, "'%.80s' is not declared",
                                parser->references[i].symbol->text);
    if (!module->target)
        return ptx_fail(parser, "the module has no .target");
    module->variables = ptx_keep(parser, parser->variables, parser->variable_count, sizeof *parser->variables);
    module->variable_count = parser->variable_count;
    module->functions = ptx_keep(parser, parser->functions, parser->function_count, sizeof *parser->functions);
    module->function_count = parser->function_count;
    module->files = ptx_keep(parser, parser->files, parser->file_count, sizeof *parser->files);
    module->file_count = parser->file_count;
    module->locations = ptx_keep(parser, parser->locations, parser->location_count, sizeof *parser->locations);
    module->location_count = parser->location_count;
    return !parser->lexer.failed;
}

static bool parse(struct ptx_parser *parser, struct ptx_module *module)
{
    if (parser->lexer.failed || !version(parser, module))
        return false;
    while (parser->lexer.token.kind != PTX_TOKEN_END) {
        if (ptx_accept(parser, ';'))
            continue;
        if (parser->lexer.token.kind != PTX_TOKEN_DIRECTIVE)
            return ptx_lex_expected(&parser->lexer, "a directive");
        if (!module_directive(parser, module))
            return false;
    }
    return !parser->lexer.failed && finish(parser, module);
}

struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error)
{
    struct arena *arena = calloc(1, sizeof *arena);
    struct ptx_parser *parser = calloc(1, sizeof *parser);
    struct ptx_module *module = NULL;
    char *copy;
    bool ok = false;

    *error = (struct ptx_error){.line = 1, .message = "out of memory"};
    if (!arena || !parser)
        goto out;
    parser->kept = arena;
    parser->lexer.error = error;
    if (size > 0 && text[size - 1] == '\0')
        size--;
    /* A NUL behind the text spares the lexer a bound at every byte. */
    copy = ptx_allocate(parser, &parser->scratch, size + 1);
    module = ptx_allocate(parser, arena, sizeof *module);
    if (!copy || !module)
        goto out;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *module = (struct ptx_module){.address_size = 64, .arena = arena};
    ptx_lex_start(&parser->lexer, copy, size, error);
    ok = parse(parser, module);
out:
    if (parser)
        arena_release(&parser->scratch);
    free(parser);
    if (ok) {
        *error = (struct ptx_error){0};
        return module;
    }
    if (arena)
        arena_release(arena);
    free(arena);
    return NULL;
}

void ptx_free(struct ptx_module *module)
{
    struct arena *arena = module ? module->arena : NULL;

    if (!arena)
        return;
    for (size_t i = 0; i < module->part_count; i++)
        ptx_free(module->parts[i]);
    arena_release(arena);
    free(arena);
}

/* ---- what the module says of places ---- */

bool ptx_is_toolkit_file(const struct ptx_module *module, unsigned number)
{
    for (size_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == number)
            return module->files[i].toolkit;
    return false;
}

/* Whether the name of a file of the toolkit begins so. */
static bool begins(const struct ptx_module *module, unsigned number, const char *start)
{
    const char *path = ptx_is_toolkit_file(module, number) ? ptx_file_path(module, number) : NULL,
               *slash = path ? strrchr(path, '/') : NULL;

    return slash && !strncmp(slash + 1, start, strlen(start));
}

bool ptx_is_intrinsic_file(const struct ptx_module *module, unsigned number)
{
    static const char *const names[] = {"sm_", "device_", "cuda_fp", "cuda_bf"};

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (begins(module, number, names[n]))
            return true;
    return false;
}

bool ptx_is_matrix_file(const struct ptx_module *module, unsigned number)
{
    return begins(module, number, "mma.");
}

/* Whether the file wraps instructions in functions. What these read, their caller reads. */
static bool is_wrapper(const struct ptx_module *module, unsigned number)
{
    const char *path = ptx_file_path(module, number);

    return ptx_is_intrinsic_file(module, number) || ptx_is_matrix_file(module, number) ||
           begins(module, number, "cuda_pipeline") || begins(module, number, "texture_") ||
           begins(module, number, "surface_") ||
           (path && ptx_is_toolkit_file(module, number) && strstr(path, "/__ptx/"));
}

typedef bool file_question(const struct ptx_module *module, unsigned number);

static bool is_no_wrapper(const struct ptx_module *module, unsigned number)
{
    return ptx_is_toolkit_file(module, number) && !is_wrapper(module, number);
}

/* Whether the file has algorithms of CCCL: CUB, Thrust, and libcu++ but for what wraps an instruction there. */
static bool is_algorithm(const struct ptx_module *module, unsigned number)
{
    static const char *const folders[] = {"/include/cub/", "/include/thrust/", "/include/cuda/", "/cccl/cub/",
                                          "/cccl/thrust/", "/cccl/cuda/"};
    const char *path = ptx_is_toolkit_file(module, number) ? ptx_file_path(module, number) : NULL;

    for (size_t i = 0; path && i < sizeof folders / sizeof *folders; i++)
        if (strstr(path, folders[i]))
            return !strstr(path, "/__ptx/") && !strstr(path, "/__atomic/");
    return false;
}

/* Whether `x` is in such a file of the toolkit, or was inlined into one by way of other files of the toolkit alone. */
static bool is_inlined_into(const struct ptx_module *module, const struct ptx_location *x, file_question *such)
{
    while (ptx_is_toolkit_file(module, x->file) && !such(module, x->file) && x->parent &&
           x->parent - 1 < (size_t)(x - module->locations))
        x = &module->locations[x->parent - 1];
    return such(module, x->file);
}

bool ptx_is_toolkit_code(const struct ptx_module *module, const struct ptx_statement *statement)
{
    return statement->location ? is_inlined_into(module, &module->locations[statement->location - 1], is_no_wrapper)
                               : statement->source_line && ptx_is_toolkit_file(module, statement->source_file);
}

bool ptx_is_algorithm(const struct ptx_module *module, const struct ptx_statement *statement)
{
    return statement->location ? is_inlined_into(module, &module->locations[statement->location - 1], is_algorithm)
                               : statement->source_line && is_algorithm(module, statement->source_file);
}

const struct ptx_location *ptx_place(const struct ptx_module *module, const struct ptx_statement *statement)
{
    const struct ptx_location *own = statement->location ? &module->locations[statement->location - 1] : NULL, *x = own;

    while (x) {
        if (!ptx_is_toolkit_file(module, x->file))
            return x;
        /* Parents were noted before: this ends. */
        x = x->parent && x->parent - 1 < (size_t)(x - module->locations) ? &module->locations[x->parent - 1] : NULL;
    }
    return own;
}

const char *ptx_file_path(const struct ptx_module *module, unsigned number)
{
    for (size_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == number)
            return module->files[i].path;
    return NULL;
}
