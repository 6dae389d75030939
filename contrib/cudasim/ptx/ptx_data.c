/*
 * ptx_data.c - types and variables of PTX: declarations, their sizes, and their initialisers.
 *
 * ptx_parse.c and ptx_code.c call it. It knows no statements.
 */
#include "ptx_parse.h"

#include <stdio.h>
#include <string.h>

/* Bytes that a variable may have. */
#define SIZE_LIMIT ((uint64_t)1 << 30)

static const struct {
    const char *name;
    enum ptx_type type;
    unsigned size;
} types[] = {
    {"b8", PTX_B8, 1},       {"b16", PTX_B16, 2},       {"b32", PTX_B32, 4},   {"b64", PTX_B64, 8},
    {"b128", PTX_B128, 16},  {"u8", PTX_U8, 1},         {"u16", PTX_U16, 2},   {"u32", PTX_U32, 4},
    {"u64", PTX_U64, 8},     {"s8", PTX_S8, 1},         {"s16", PTX_S16, 2},   {"s32", PTX_S32, 4},
    {"s64", PTX_S64, 8},     {"f16", PTX_F16, 2},       {"f16x2", PTX_F16X2, 4}, {"bf16", PTX_BF16, 2},
    {"bf16x2", PTX_BF16X2, 4}, {"tf32", PTX_TF32, 4},   {"f32", PTX_F32, 4},   {"f64", PTX_F64, 8},
    {"u16x2", PTX_U16X2, 4}, {"s16x2", PTX_S16X2, 4},   {"pred", PTX_PRED, 1},
};

unsigned ptx_type_size(enum ptx_type type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return types[i].size;
    return 0;
}

enum ptx_type ptx_type_named(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].name[0] == name[0] && strcmp(types[i].name, name) == 0)
            return types[i].type;
    return PTX_NONE;
}

/* ---- initialisers ---- */

/* An array being filled. */
struct filler {
    const struct ptx_variable *variable;
    unsigned unit;                            /* bytes of one value */
    uint64_t strides[PTX_DIMENSIONS_MAX + 1]; /* bytes from one element to the next, by level of braces */
    unsigned levels;                          /* of braces that the type has */
    const char *start;                        /* of the initialiser's text */
    uint64_t end;                             /* bytes used so far */
};

/* The bytes of one value at `at`, or NULL. What lies between it and those before it becomes zero. */
static unsigned char *value_bytes(struct ptx_parser *parser, const struct filler *filler, uint64_t at)
{
    size_t need = (size_t)at + filler->unit;
    unsigned char *bytes;

    /* Memory is to follow the text's size, whatever gaps nested braces leave. */
    if (need > 4096 + 64 * (size_t)(parser->lexer.at - filler->start)) {
        ptx_fail(parser, "the initialiser leaves too large a gap");
        return NULL;
    }
    bytes = ptx_grow(parser, parser->bytes, &parser->byte_capacity, need, 1);
    if (!bytes)
        return NULL;
    parser->bytes = bytes;
    if (need > parser->byte_count) {
        memset(bytes + parser->byte_count, 0, need - parser->byte_count);
        parser->byte_count = need;
    }
    return bytes + at;
}

/* name, name+4, generic(name)+4. */
static bool relocation(struct ptx_parser *parser, uint64_t at, unsigned size, unsigned shift)
{
    struct ptx_relocation entry = {.offset = (size_t)at, .size = size, .shift = shift};
    unsigned line = parser->lexer.token.line;
    struct ptx_symbol *symbol = ptx_expect_name(parser, "a name");
    struct ptx_relocation *relocations;
    struct ptx_reference *references;

    if (symbol && strcmp(symbol->text, "generic") == 0 && ptx_accept(parser, '(')) {
        entry.generic = true;
        symbol = ptx_expect_name(parser, "a name");
        /* generic(a+4) and generic(a)+4 mean the same. */
        if (!symbol || !ptx_offset(parser, &entry.addend) || !ptx_expect(parser, ')'))
            return false;
    }
    if (!symbol || !ptx_offset(parser, &entry.addend))
        return false;
    entry.symbol = symbol->text;
    relocations = ptx_grow(parser, parser->relocations, &parser->relocation_capacity, parser->relocation_count + 1,
                           sizeof *relocations);
    references = ptx_grow(parser, parser->references, &parser->reference_capacity, parser->reference_count + 1,
                          sizeof *references);
    if (!relocations || !references)
        return false;
    parser->relocations = relocations;
    parser->references = references;
    relocations[parser->relocation_count++] = entry;
    references[parser->reference_count++] = (struct ptx_reference){symbol, line};
    return true;
}

/* 0xFF00(name): one byte of an address. */
static bool masked(struct ptx_parser *parser, uint64_t at, uint64_t mask)
{
    unsigned shift = 0;
    bool ok;

    while (shift < 64 && mask != (uint64_t)0xFF << shift)
        shift += 8;
    if (shift == 64)
        return ptx_fail(parser, "a mask that is not one byte of an address");
    ok = ptx_expect(parser, '(') && relocation(parser, at, 1, shift);
    return ok && ptx_expect(parser, ')');
}

/* The bits of a constant as a value of the variable's type, which has `unit` bytes. */
static bool convert(struct ptx_parser *parser, const struct filler *filler, struct ptx_constant constant,
                    uint64_t *bits)
{
    enum ptx_type type = filler->variable->type;
    double number;
    float narrow;
    uint32_t half;

    *bits = constant.value;
    if (!constant.is_float && type != PTX_F32 && type != PTX_F64)
        return true;
    if (constant.is_float && filler->unit != 4 && filler->unit != 8)
        return ptx_fail(parser, "a floating-point constant does not fit the type");
    /* Bit for bit, whatever NaN it is; and so does ptxas with 0f in eight bytes. */
    if (constant.is_float && (constant.single || filler->unit == 8))
        return true;
    if (constant.is_float)
        number = ptx_double(&constant);
    else
        number = constant.is_unsigned ? (double)constant.value : (double)(int64_t)constant.value;
    if (filler->unit == 4) {
        narrow = (float)number;
        memcpy(&half, &narrow, sizeof half);
        *bits = half;
    } else {
        memcpy(bits, &number, sizeof number);
    }
    return true;
}

/* One value, of `unit` bytes, at `at`. */
static bool value(struct ptx_parser *parser, struct filler *filler, uint64_t at)
{
    struct ptx_constant constant;
    unsigned char *bytes;
    uint64_t bits;

    if (at + filler->unit > filler->end)
        return ptx_fail(parser, "more initial values than the variable holds");
    bytes = value_bytes(parser, filler, at);
    if (!bytes)
        return false;
    if (parser->lexer.token.kind == PTX_TOKEN_NAME && !ptx_is_name(parser, "WARP_SZ")) {
        if (filler->unit < 4 || filler->unit > 8 || filler->variable->type == PTX_F32 ||
            filler->variable->type == PTX_F64)
            return ptx_fail(parser, "an address does not fit the type");
        return relocation(parser, at, filler->unit, 0);
    }
    if (!ptx_constant(parser, &constant))
        return false;
    if (ptx_is_mark(parser, '(') && !constant.is_float)
        return masked(parser, at, constant.value);
    if (!convert(parser, filler, constant, &bits))
        return false;
    memcpy(bytes, &bits, filler->unit < sizeof bits ? filler->unit : sizeof bits);
    return true;
}

/* {…} with the values of [start, end), `level` braces deep. *at: behind the last one. */
static bool braces(struct ptx_parser *parser, struct filler *filler, unsigned level, uint64_t start, uint64_t end,
                   uint64_t *at)
{
    uint64_t outer_end = filler->end, inside;

    *at = start;
    if (!ptx_expect(parser, '{'))
        return false;
    filler->end = end;
    while (!ptx_is_mark(parser, '}') && parser->lexer.token.kind != PTX_TOKEN_END) {
        if (ptx_is_mark(parser, '{')) {
            uint64_t stride;

            if (level + 1 >= filler->levels)
                return ptx_fail(parser, "more braces than the type has dimensions");
            stride = filler->strides[level];
            *at = start + (*at - start + stride - 1) / stride * stride;
            if (*at + stride > end)
                return ptx_fail(parser, "more initial values than the variable holds");
            if (!braces(parser, filler, level + 1, *at, *at + stride, &inside))
                return false;
            *at += stride;
        } else {
            if (!value(parser, filler, *at))
                return false;
            *at += filler->unit;
        }
        if (!ptx_accept(parser, ','))
            break;
    }
    filler->end = outer_end;
    return ptx_expect(parser, '}');
}

/* What follows the =. Gives an array without a bound its size. */
static bool initialiser(struct ptx_parser *parser, struct ptx_variable *variable, const uint64_t *dimensions,
                        unsigned levels)
{
    struct filler filler = {.variable = variable, .unit = ptx_type_size(variable->type), .levels = levels,
                            .start = parser->lexer.token.text,
                            .end = variable->unbounded ? SIZE_LIMIT : variable->size};
    uint64_t stride = filler.unit, at;

    for (unsigned i = levels; i-- > 0; stride *= dimensions[i])
        filler.strides[i] = stride;
    parser->byte_count = parser->relocation_count = 0;
    if (levels > 0 || ptx_is_mark(parser, '{')) {
        if (!braces(parser, &filler, 0, 0, filler.end, &at))
            return false;
    } else if (!value(parser, &filler, 0)) {
        return false;
    }
    if (variable->unbounded) {
        variable->size = (size_t)((at + filler.strides[0] - 1) / filler.strides[0] * filler.strides[0]);
        variable->unbounded = false;
    }
    variable->initial = ptx_keep(parser, parser->bytes, parser->byte_count, 1);
    variable->initial_size = parser->byte_count;
    variable->relocations =
        ptx_keep(parser, parser->relocations, parser->relocation_count, sizeof *parser->relocations);
    variable->relocation_count = parser->relocation_count;
    return true;
}

/* ---- declarations ---- */

enum ptx_space ptx_current_space(const struct ptx_parser *parser)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{".reg", PTX_REG},     {".const", PTX_CONST}, {".global", PTX_GLOBAL},
                  {".local", PTX_LOCAL}, {".param", PTX_PARAM}, {".shared", PTX_SHARED}};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_is_directive(parser, spaces[i].name))
            return spaces[i].space;
    return PTX_SPACE_NONE;
}

bool ptx_attribute(struct ptx_parser *parser, bool *managed)
{
    unsigned depth = 0;

    if (!ptx_is_mark(parser, '('))
        return ptx_lex_expected(&parser->lexer, "'('");
    while (parser->lexer.token.kind != PTX_TOKEN_END) {
        if (ptx_is_directive(parser, ".managed"))
            *managed = true;
        depth += ptx_is_mark(parser, '(');
        depth -= ptx_is_mark(parser, ')');
        ptx_lex_next(&parser->lexer);
        if (depth == 0)
            return true;
    }
    return ptx_lex_expected(&parser->lexer, "')'");
}

static bool alignment(struct ptx_parser *parser, unsigned *align)
{
    unsigned line = parser->lexer.token.line;
    uint64_t number;

    if (!ptx_count(parser, "an alignment", 1 << 20, &number))
        return false;
    if (number == 0 || (number & (number - 1)) != 0)
        return ptx_lex_fail(&parser->lexer, line, "the alignment %llu is not a power of two",
                            (unsigned long long)number);
    *align = (unsigned)number;
    return true;
}

static bool is_texture(const struct ptx_parser *parser)
{
    return ptx_is_directive(parser, ".texref") || ptx_is_directive(parser, ".samplerref") ||
           ptx_is_directive(parser, ".surfref") || ptx_is_directive(parser, ".tex");
}

/* .ptr .global .align 8, behind a parameter's type: what it points to is of no use here. */
static bool pointee(struct ptx_parser *parser)
{
    unsigned align;

    if (ptx_current_space(parser) != PTX_SPACE_NONE)
        ptx_lex_next(&parser->lexer);
    return !ptx_accept_directive(parser, ".align") || alignment(parser, &align);
}

/* What stands between a state space and a name: .align 8 .v2 .f32 */
static bool shape(struct ptx_parser *parser, struct ptx_variable *variable, unsigned *width)
{
    *width = 0;
    while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token token = parser->lexer.token;
        char name[16];

        if (is_texture(parser))
            return ptx_fail(parser, "textures, surfaces and samplers are not supported");
        ptx_lex_next(&parser->lexer);
        snprintf(name, sizeof name, "%.*s", (int)(token.length < 15 ? token.length : 15), token.text);
        if (strcmp(name, ".align") == 0) {
            if (!alignment(parser, &variable->align))
                return false;
        } else if (strcmp(name, ".attribute") == 0) {
            if (!ptx_attribute(parser, &variable->managed))
                return false;
        } else if (strcmp(name, ".ptr") == 0 && variable->type != PTX_NONE) {
            if (!pointee(parser))
                return false;
        } else if (strcmp(name, ".v2") == 0 || strcmp(name, ".v4") == 0) {
            *width = (unsigned)(name[2] - '0');
        } else if (variable->type == PTX_NONE && ptx_type_named(name + 1) != PTX_NONE) {
            variable->type = ptx_type_named(name + 1);
        } else {
            return ptx_lex_fail(&parser->lexer, token.line, "'%s' is not a type of a variable", name);
        }
    }
    if (variable->type == PTX_NONE)
        return ptx_lex_expected(&parser->lexer, "a type");
    if (variable->type == PTX_PRED && variable->space != PTX_REG)
        return ptx_fail(parser, "only registers may be of type .pred");
    return true;
}

/* [2][3], and a vector's width as the last dimension: sets the size. */
static bool dimensions(struct ptx_parser *parser, struct ptx_variable *variable, unsigned width, uint64_t *list,
                       unsigned *levels)
{
    uint64_t size = ptx_type_size(variable->type);
    unsigned unit = (unsigned)size * (width ? width : 1);

    *levels = 0;
    while (ptx_accept(parser, '[')) {
        if (*levels == PTX_DIMENSIONS_MAX - 1)
            return ptx_fail(parser, "an array of too many dimensions");
        if (*levels == 0 && ptx_accept(parser, ']')) {
            variable->unbounded = true;
            list[(*levels)++] = 1;
            continue;
        }
        if (!ptx_count(parser, "an array's length", SIZE_LIMIT, &list[*levels]) || !ptx_expect(parser, ']'))
            return false;
        if (list[(*levels)++] == 0)
            return ptx_lex_fail(&parser->lexer, variable->line, "'%.80s' has no elements", variable->name);
    }
    if (width)
        list[(*levels)++] = width;
    for (unsigned i = 0; i < *levels; i++) {
        size *= list[i];
        if (size > SIZE_LIMIT)
            return ptx_lex_fail(&parser->lexer, variable->line, "'%.80s' is larger than 1 GiB", variable->name);
    }
    variable->size = variable->unbounded ? 0 : (size_t)size;
    if (variable->align < unit)
        variable->align = unit;
    return true;
}

/* A variable of the module: an .extern one gives way to its definition. */
static bool add_to_module(struct ptx_parser *parser, struct ptx_symbol *symbol, struct ptx_variable *variable)
{
    struct ptx_binding *binding = symbol->binding;
    struct ptx_variable *variables;

    if (binding && binding->depth == parser->depth && binding->kind == PTX_BIND_VARIABLE && parser->depth == 0) {
        struct ptx_variable *known = &parser->variables[binding->index];

        if (known->external && (!variable->external || known->size == 0)) {
            *known = *variable;
            return true;
        }
        if (variable->external)
            return true;
    }
    binding = ptx_bind(parser, symbol, PTX_BIND_VARIABLE, variable->line);
    if (!binding)
        return false;
    if (parser->depth > 0) {
        /* Its name must be the only one among all functions. */
        size_t room = symbol->length + 24;
        char *name = ptx_allocate(parser, parser->kept, room);

        if (!name)
            return false;
        snprintf(name, room, "%s.%llu", symbol->text, (unsigned long long)++parser->serial);
        binding->name = variable->name = name;
    }
    variables = ptx_grow(parser, parser->variables, &parser->variable_capacity, parser->variable_count + 1,
                         sizeof *variables);
    if (!variables)
        return false;
    parser->variables = variables;
    binding->index = parser->variable_count;
    variables[parser->variable_count++] = *variable;
    return true;
}

static bool add_to_function(struct ptx_parser *parser, struct ptx_symbol *symbol, struct ptx_variable *variable)
{
    struct ptx_binding *binding = ptx_bind(parser, symbol, PTX_BIND_VARIABLE, variable->line);
    struct ptx_variable *locals;

    if (!binding)
        return false;
    locals = ptx_grow(parser, parser->locals, &parser->local_capacity, parser->local_count + 1, sizeof *locals);
    if (!locals)
        return false;
    parser->locals = locals;
    variable->name = binding->name;
    locals[parser->local_count++] = *variable;
    return true;
}

static bool register_name(struct ptx_parser *parser, struct ptx_symbol *symbol, const struct ptx_variable *variable,
                          unsigned width)
{
    uint64_t count = 0;
    bool range = ptx_accept(parser, '<');

    if (range) {
        const struct ptx_token *token = &parser->lexer.token;

        /* A plain number: in an expression the > would be an operator. */
        if (token->kind != PTX_TOKEN_INTEGER)
            return ptx_lex_expected(&parser->lexer, "a number of registers");
        count = token->value;
        ptx_lex_next(&parser->lexer);
        if (!ptx_expect(parser, '>'))
            return false;
    }
    return ptx_declare_register(parser, symbol, variable->type, width, range, count, variable->line);
}

/* One name of a declaration, with its array bounds and its initial value. */
static bool declarator(struct ptx_parser *parser, struct ptx_variable variable, unsigned width)
{
    uint64_t list[PTX_DIMENSIONS_MAX];
    unsigned line = parser->lexer.token.line, levels;
    struct ptx_symbol *symbol = ptx_expect_name(parser, "a variable's name");

    if (!symbol)
        return false;
    variable.name = symbol->text;
    variable.line = line;
    if (variable.space == PTX_REG)
        return register_name(parser, symbol, &variable, width);
    if (!dimensions(parser, &variable, width, list, &levels))
        return false;
    if (ptx_is_mark(parser, '=')) {
        if (variable.external || (variable.space != PTX_GLOBAL && variable.space != PTX_CONST))
            return ptx_lex_fail(&parser->lexer, line, "'%.80s' cannot have an initial value", variable.name);
        ptx_lex_next(&parser->lexer);
        if (!initialiser(parser, &variable, list, levels))
            return false;
    }
    if (parser->depth == 0 || variable.space == PTX_GLOBAL || variable.space == PTX_CONST)
        return add_to_module(parser, symbol, &variable);
    return add_to_function(parser, symbol, &variable);
}

bool ptx_declaration(struct ptx_parser *parser, enum ptx_linkage linkage)
{
    struct ptx_variable variable = {.space = ptx_current_space(parser), .external = linkage == PTX_EXTERN,
                                    .linkage = linkage, .reg = PTX_NO_REGISTER};
    unsigned width;

    if (parser->depth == 0 && (variable.space == PTX_REG || variable.space == PTX_PARAM))
        return ptx_fail(parser, "registers and parameters belong to functions");
    ptx_lex_next(&parser->lexer);
    if (!shape(parser, &variable, &width))
        return false;
    do {
        if (!declarator(parser, variable, width))
            return false;
    } while (ptx_accept(parser, ','));
    return ptx_expect(parser, ';');
}

bool ptx_parameter(struct ptx_parser *parser, bool bind, struct ptx_variable *variable)
{
    uint64_t list[PTX_DIMENSIONS_MAX];
    const struct ptx_binding *binding;
    unsigned width, levels;
    struct ptx_symbol *symbol;

    *variable = (struct ptx_variable){.space = ptx_current_space(parser), .reg = PTX_NO_REGISTER};
    if (variable->space != PTX_REG && variable->space != PTX_PARAM)
        return is_texture(parser) ? ptx_fail(parser, "textures, surfaces and samplers are not supported")
                                  : ptx_lex_expected(&parser->lexer, "'.param' or '.reg'");
    ptx_lex_next(&parser->lexer);
    if (!shape(parser, variable, &width))
        return false;
    variable->line = parser->lexer.token.line;
    symbol = ptx_expect_name(parser, "a parameter's name");
    if (!symbol)
        return false;
    variable->name = symbol->text;
    if (!dimensions(parser, variable, width, list, &levels))
        return false;
    if (!bind || strcmp(symbol->text, "_") == 0)
        return true;
    if (variable->space == PTX_PARAM)
        return ptx_bind(parser, symbol, PTX_BIND_VARIABLE, variable->line) != NULL;
    if (!ptx_declare_register(parser, symbol, variable->type, width, false, 0, variable->line))
        return false;
    binding = ptx_resolve(parser, symbol);
    variable->reg = binding ? (int)binding->index : PTX_NO_REGISTER;
    return binding != NULL;
}
