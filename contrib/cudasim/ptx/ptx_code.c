/*
 * ptx_code.c - parses the body of a PTX function: scopes, labels, instructions and their operands.
 *
 * ptx_parse.c calls it. It knows only the grammar of instructions. Only calls have a grammar of their own.
 */
#include "ptx_parse.h"

#include <string.h>

/* What an operand stands in. */
enum place { STATEMENT, VECTOR, LIST, BRACKETS };

/* ---- operands ---- */

static bool push(struct ptx_parser *parser, struct ptx_draft draft)
{
    struct ptx_draft *drafts =
        ptx_grow(parser, parser->drafts, &parser->draft_capacity, parser->draft_count + 1, sizeof *drafts);

    if (!drafts)
        return false;
    parser->drafts = drafts;
    drafts[parser->draft_count++] = draft;
    return true;
}

/* Moves the drafts from `first` on to their place in the module. NULL when there are none or memory ran out. */
static struct ptx_operand *settle_drafts(struct ptx_parser *parser, size_t first)
{
    size_t count = parser->draft_count - first;
    struct ptx_operand *operands;

    if (count == 0)
        return NULL;
    operands = ptx_allocate(parser, parser->kept, count * sizeof *operands);
    for (size_t i = 0; operands && i < count; i++) {
        const struct ptx_draft *draft = &parser->drafts[first + i];

        operands[i] = draft->operand;
        if (draft->symbol && !ptx_note_use(parser, draft, &operands[i]))
            return NULL;
    }
    parser->draft_count = first;
    return operands;
}

static bool operand(struct ptx_parser *parser, enum place inside);

/* %r1.b0, %r2.h10: the bytes or halves of a register, one to four of them, that video instructions take. */
static bool part(struct ptx_parser *parser, const char **text)
{
    const struct ptx_token *token = &parser->lexer.token;
    const struct ptx_symbol *symbol;
    bool ok = token->length >= 3 && token->length <= 6 && (token->text[1] == 'b' || token->text[1] == 'h');

    for (size_t n = 2; ok && n < token->length; n++)
        ok = token->text[n] >= '0' && token->text[n] <= '7';
    if (!ok)
        return ptx_fail(parser, "a register has no such part");
    symbol = ptx_intern(parser, token->text + 1, token->length - 1);
    if (!symbol)
        return false;
    *text = symbol->text;
    ptx_lex_next(&parser->lexer);
    return true;
}

/* The meaning of a register's name: the register, a part of it, or a vector's elements. */
static bool register_operand(struct ptx_parser *parser, const struct ptx_binding *binding, struct ptx_operand *result)
{
    static const char components[] = "xyzw", colours[] = "rgba";
    const struct ptx_token *token = &parser->lexer.token;
    const char *found = NULL;
    unsigned element;

    *result = (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .reg = (int)binding->index, .second = PTX_NO_REGISTER};
    if (token->kind == PTX_TOKEN_DIRECTIVE && token->length == 2 && binding->width) {
        found = strchr(components, token->text[1]);
        element = found ? (unsigned)(found - components) : 0;
        if (!found && (found = strchr(colours, token->text[1])))
            element = (unsigned)(found - colours);
        if (!found || element >= binding->width)
            return ptx_fail(parser, "the vector has no such element");
        result->reg += (int)element;
        ptx_lex_next(&parser->lexer);
        return true;
    }
    if (token->kind == PTX_TOKEN_DIRECTIVE)
        return part(parser, &result->part);
    if (!binding->width)
        return true;
    result->kind = PTX_OPERAND_VECTOR;
    result->reg = 0;
    result->count = binding->width;
    result->elements = ptx_allocate(parser, parser->kept, result->count * sizeof *result->elements);
    for (unsigned i = 0; result->elements && i < binding->width; i++)
        result->elements[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_REGISTER, .reg = (int)(binding->index + i), .second = PTX_NO_REGISTER};
    return result->elements != NULL;
}

/* The second of %p1|%p2. */
static bool second_register(struct ptx_parser *parser, int *second)
{
    unsigned line = parser->lexer.token.line;
    struct ptx_symbol *symbol = ptx_expect_name(parser, "a register");
    const struct ptx_binding *binding = symbol ? ptx_resolve(parser, symbol) : NULL;

    if (parser->lexer.failed || strcmp(symbol->text, "_") == 0)
        return !parser->lexer.failed;
    if (!binding || binding->kind != PTX_BIND_REGISTER || binding->width)
        return ptx_lex_fail(&parser->lexer, line, "'%.80s' is not a register", symbol->text);
    *second = (int)binding->index;
    return true;
}

/* %tid.x: the name of a special register. */
static bool special(struct ptx_parser *parser, const struct ptx_symbol *symbol, unsigned line, const char **name)
{
    const struct ptx_token *token = &parser->lexer.token;
    char text[64];

    if (symbol->length > sizeof text - 3 || !ptx_is_special(symbol->text))
        return ptx_lex_fail(&parser->lexer, line, "the register '%.80s' is not declared", symbol->text);
    *name = symbol->text;
    if (token->kind == PTX_TOKEN_DIRECTIVE && token->length == 2 && strchr("xyzw", token->text[1])) {
        memcpy(text, symbol->text, symbol->length);
        memcpy(text + symbol->length, token->text, 2);
        symbol = ptx_intern(parser, text, symbol->length + 2);
        if (!symbol)
            return false;
        *name = symbol->text;
        ptx_lex_next(&parser->lexer);
    }
    return true;
}

/* Reads an operand that begins with a name. */
static bool named(struct ptx_parser *parser, bool negated)
{
    struct ptx_draft draft = {.operand = {.second = PTX_NO_REGISTER, .negated = negated},
                              .line = parser->lexer.token.line};
    struct ptx_symbol *symbol = ptx_expect_name(parser, "a name");
    const struct ptx_binding *binding;

    if (!symbol)
        return false;
    if (strcmp(symbol->text, "_") == 0) {
        draft.operand.kind = PTX_OPERAND_SINK;
    } else {
        binding = ptx_resolve(parser, symbol);
        if (parser->lexer.failed)
            return false;
        if (binding && binding->kind == PTX_BIND_REGISTER) {
            if (!register_operand(parser, binding, &draft.operand))
                return false;
            draft.operand.negated = negated;
        } else if (!binding && symbol->text[0] == '%') {
            draft.operand.kind = PTX_OPERAND_SPECIAL;
            if (!special(parser, symbol, draft.line, &draft.operand.name))
                return false;
        } else {
            draft.operand.kind = PTX_OPERAND_NAME;
            draft.operand.name = binding ? binding->name : symbol->text;
            draft.symbol = symbol;
            draft.depth = binding ? (int)binding->depth : PTX_NO_SCOPE;
        }
    }
    if (negated && draft.operand.kind != PTX_OPERAND_REGISTER)
        return ptx_lex_fail(&parser->lexer, draft.line, "only registers and numbers take a sign");
    if ((draft.operand.kind == PTX_OPERAND_REGISTER || draft.operand.kind == PTX_OPERAND_SINK) &&
        ptx_accept(parser, '|') && !second_register(parser, &draft.operand.second))
        return false;
    if (ptx_is_mark(parser, '['))
        return ptx_fail(parser, "name[index] is not supported: write [name+offset]");
    return push(parser, draft);
}

static bool constant_operand(struct ptx_parser *parser, struct ptx_constant constant)
{
    struct ptx_draft draft = {.operand = {.kind = constant.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INTEGER,
                                          .second = PTX_NO_REGISTER,
                                          .value = constant.value,
                                          .single = constant.single}};

    return push(parser, draft);
}

/* -%r1, !%p1, or a constant that begins with a sign. */
static bool signed_operand(struct ptx_parser *parser)
{
    bool plus = ptx_is_mark(parser, '+'), inverted = ptx_is_mark(parser, '~');
    struct ptx_lexer before = parser->lexer;
    struct ptx_constant constant;

    ptx_lex_next(&parser->lexer);
    if (!plus && !inverted && parser->lexer.token.kind == PTX_TOKEN_NAME &&
        !ptx_is_name(parser, "WARP_SZ"))
        return named(parser, true);
    if (parser->lexer.failed)
        return false;
    parser->lexer = before;
    return ptx_constant(parser, &constant) && constant_operand(parser, constant);
}

/* Operands up to `close`, whose opening mark is current, as one operand. */
static bool group(struct ptx_parser *parser, enum ptx_operand_kind kind, int close)
{
    size_t first = parser->draft_count;
    struct ptx_draft draft = {.operand = {.kind = kind, .second = PTX_NO_REGISTER}};

    ptx_lex_next(&parser->lexer);
    if (!ptx_is_mark(parser, close)) {
        do {
            if (!operand(parser, kind == PTX_OPERAND_LIST ? LIST : VECTOR))
                return false;
        } while (ptx_accept(parser, ','));
    } else if (kind == PTX_OPERAND_VECTOR) {
        return ptx_fail(parser, "a vector without elements");
    }
    if (!ptx_expect(parser, close))
        return false;
    draft.operand.count = parser->draft_count - first;
    draft.operand.elements = settle_drafts(parser, first);
    if (kind == PTX_OPERAND_VECTOR && ptx_accept(parser, '|') && !second_register(parser, &draft.operand.second))
        return false;
    return !parser->lexer.failed && push(parser, draft);
}

/* [base+offset, {…}] */
static bool address(struct ptx_parser *parser)
{
    size_t first = parser->draft_count;
    struct ptx_draft draft = {.operand = {.kind = PTX_OPERAND_ADDRESS, .second = PTX_NO_REGISTER}};
    enum ptx_operand_kind base;

    ptx_lex_next(&parser->lexer);
    if (ptx_is_mark(parser, '{') || !operand(parser, BRACKETS))
        return ptx_lex_expected(&parser->lexer, "an address");
    base = parser->drafts[first].operand.kind;
    if ((base != PTX_OPERAND_REGISTER && base != PTX_OPERAND_NAME && base != PTX_OPERAND_INTEGER) ||
        parser->drafts[first].operand.negated || parser->drafts[first].operand.second != PTX_NO_REGISTER)
        return ptx_fail(parser, "an address begins with a register, a name or a number");
    if (!ptx_offset(parser, &draft.operand.offset))
        return false;
    while (ptx_accept(parser, ','))
        if (!operand(parser, BRACKETS))
            return false;
    if (!ptx_expect(parser, ']'))
        return false;
    draft.operand.count = parser->draft_count - first;
    draft.operand.elements = settle_drafts(parser, first);
    return !parser->lexer.failed && push(parser, draft);
}

/* Reads one operand into the drafts. Recursion: lists hold addresses, those hold vectors: three levels. */
static bool operand(struct ptx_parser *parser, enum place inside)
{
    struct ptx_constant constant;

    switch (parser->lexer.token.mark) {
    case '{':
        if (inside == VECTOR)
            return ptx_fail(parser, "a vector inside of a vector");
        return group(parser, PTX_OPERAND_VECTOR, '}');
    case '[':
        if (inside == VECTOR || inside == BRACKETS)
            return ptx_fail(parser, "an address inside of a vector or an address");
        return address(parser);
    case '-': case '!': case '+': case '~':
        return signed_operand(parser);
    default:
        break;
    }
    if (parser->lexer.token.kind == PTX_TOKEN_NAME &&
        !ptx_is_name(parser, "WARP_SZ")) {
        if (!named(parser, false))
            return false;
        /* sym+8; inside of brackets the offset is the address's. */
        if (inside != BRACKETS && parser->drafts[parser->draft_count - 1].operand.kind == PTX_OPERAND_NAME) {
            int64_t offset = 0;

            if (!ptx_offset(parser, &offset))
                return false;
            parser->drafts[parser->draft_count - 1].operand.offset = offset;
        }
        return true;
    }
    if (parser->lexer.token.kind != PTX_TOKEN_INTEGER && parser->lexer.token.kind != PTX_TOKEN_FLOAT &&
        parser->lexer.token.kind != PTX_TOKEN_NAME && !ptx_is_mark(parser, '('))
        return ptx_lex_expected(&parser->lexer, "an operand");
    return ptx_constant(parser, &constant) && constant_operand(parser, constant);
}

/* The operands up to the semicolon, as the statement's. */
static bool operands(struct ptx_parser *parser, struct ptx_statement *statement, bool call)
{
    parser->draft_count = 0;
    if (!ptx_is_mark(parser, ';')) {
        do {
            /* Elsewhere parentheses belong to constants. */
            if (call && ptx_is_mark(parser, '(') ? !group(parser, PTX_OPERAND_LIST, ')') : !operand(parser, STATEMENT))
                return false;
        } while (ptx_accept(parser, ','));
    }
    if (!ptx_is_mark(parser, ';'))
        return ptx_lex_expected(&parser->lexer, "',' or ';'");
    statement->count = parser->draft_count;
    statement->operands = settle_drafts(parser, 0);
    if (parser->lexer.failed)
        return false;
    ptx_lex_next(&parser->lexer);
    return !parser->lexer.failed;
}

/* ---- statements ---- */

static bool add_statement(struct ptx_parser *parser, const struct ptx_statement *statement)
{
    struct ptx_statement *statements = ptx_grow(parser, parser->statements, &parser->statement_capacity,
                                                parser->statement_count + 1, sizeof *statements);

    if (!statements)
        return false;
    parser->statements = statements;
    statements[parser->statement_count++] = *statement;
    return true;
}

/*
 * The modifiers that follow an opcode's first word, token `first`, as one string. Nearly always they follow without a
 * gap. White space between them is left out.
 */
static const char *opcode(struct ptx_parser *parser, struct ptx_token first)
{
    const char *end = first.text + first.length;
    struct ptx_symbol *symbol;
    char joined[256];
    size_t length;

    while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE && parser->lexer.token.text == end) {
        end += parser->lexer.token.length;
        ptx_lex_next(&parser->lexer);
    }
    length = (size_t)(end - first.text);
    if (parser->lexer.token.kind != PTX_TOKEN_DIRECTIVE) {
        symbol = ptx_intern(parser, first.text, length);
        return symbol ? symbol->text : NULL;
    }
    if (length <= sizeof joined)
        memcpy(joined, first.text, length);
    while (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE && length + parser->lexer.token.length <= sizeof joined) {
        memcpy(joined + length, parser->lexer.token.text, parser->lexer.token.length);
        length += parser->lexer.token.length;
        ptx_lex_next(&parser->lexer);
    }
    if (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE) {
        ptx_fail(parser, "an opcode that is too long");
        return NULL;
    }
    symbol = ptx_intern(parser, joined, length);
    return symbol ? symbol->text : NULL;
}

static bool instruction(struct ptx_parser *parser, struct ptx_statement *statement, struct ptx_token first)
{
    statement->kind = PTX_INSTRUCTION;
    statement->opcode = opcode(parser, first);
    if (!statement->opcode || first.text[0] == '%' || first.text[0] == '$' || first.text[0] == '_')
        return ptx_lex_fail(&parser->lexer, first.line, "expected an instruction, found '%.*s'",
                            (int)(first.length < 80 ? first.length : 80), first.text);
    return operands(parser, statement, first.length == 4 && memcmp(first.text, "call", 4) == 0) &&
           add_statement(parser, statement);
}

/* name: .callprototype (results) _ (parameters) directives ; */
static bool prototype(struct ptx_parser *parser, struct ptx_statement *statement)
{
    struct ptx_function function = {.name = "_", .line = statement->line};

    statement->kind = PTX_CALL_PROTOTYPE;
    if (ptx_is_mark(parser, '(') && !ptx_parameters(parser, false, &function.results, &function.result_count))
        return false;
    if (!ptx_expect_name(parser, "'_'"))
        return false;
    if (ptx_is_mark(parser, '(') && !ptx_parameters(parser, false, &function.parameters, &function.parameter_count))
        return false;
    if (!ptx_function_directives(parser, &function) || !ptx_expect(parser, ';'))
        return false;
    statement->prototype = ptx_keep(parser, &function, 1, sizeof function);
    return statement->prototype && add_statement(parser, statement);
}

/* A label, whose colon is current, and the table that it may name. */
static bool label(struct ptx_parser *parser, struct ptx_statement *statement, struct ptx_token token)
{
    struct ptx_symbol *symbol = ptx_intern(parser, token.text, token.length);
    struct ptx_binding *binding = symbol ? ptx_bind(parser, symbol, PTX_BIND_LABEL, token.line) : NULL;

    if (!binding)
        return false;
    statement->kind = PTX_LABEL;
    statement->name = binding->name;
    ptx_lex_next(&parser->lexer);
    if (ptx_accept_directive(parser, ".callprototype"))
        return prototype(parser, statement);
    if (ptx_accept_directive(parser, ".branchtargets"))
        statement->kind = PTX_BRANCH_TARGETS;
    else if (ptx_accept_directive(parser, ".calltargets"))
        statement->kind = PTX_CALL_TARGETS;
    if (statement->kind != PTX_LABEL && !operands(parser, statement, false))
        return false;
    return add_statement(parser, statement);
}

/* @%p or @!%p */
static bool guard(struct ptx_parser *parser, struct ptx_statement *statement)
{
    unsigned line = parser->lexer.token.line;
    const struct ptx_binding *binding;
    struct ptx_symbol *symbol;

    ptx_lex_next(&parser->lexer);
    statement->guard_negated = ptx_accept(parser, '!');
    symbol = ptx_expect_name(parser, "a predicate");
    binding = symbol ? ptx_resolve(parser, symbol) : NULL;
    if (parser->lexer.failed)
        return false;
    if (!binding || binding->kind != PTX_BIND_REGISTER || binding->type != PTX_PRED || binding->width)
        return ptx_lex_fail(&parser->lexer, line, "'%.80s' is not a predicate", symbol->text);
    statement->guard = (int)binding->index;
    return true;
}

static bool statement(struct ptx_parser *parser)
{
    struct ptx_statement statement = {.guard = PTX_NO_REGISTER};
    struct ptx_token token;

    statement.line = parser->lexer.token.line;
    statement.source_file = parser->source_file;
    statement.source_line = parser->source_line;
    statement.location = parser->location;
    if (ptx_is_mark(parser, '@') && !guard(parser, &statement))
        return false;
    token = parser->lexer.token;
    if (token.kind != PTX_TOKEN_NAME)
        return ptx_lex_expected(&parser->lexer, "a statement");
    ptx_lex_next(&parser->lexer);
    if (ptx_is_mark(parser, ':') && statement.guard == PTX_NO_REGISTER)
        return label(parser, &statement, token);
    return instruction(parser, &statement, token);
}

static bool body_directive(struct ptx_parser *parser)
{
    enum ptx_linkage linkage;

    if (ptx_common_directive(parser))
        return !parser->lexer.failed;
    if (ptx_accept_directive(parser, ".loc"))
        return ptx_location_directive(parser);
    linkage = ptx_linking(parser);
    if (ptx_current_space(parser) != PTX_SPACE_NONE)
        return ptx_declaration(parser, linkage);
    return ptx_lex_expected(&parser->lexer, "a statement");
}

bool ptx_body(struct ptx_parser *parser)
{
    unsigned outside = parser->depth - 1; /* the function's own scope is open: its parameters are in it */

    if (!ptx_expect(parser, '{'))
        return false;
    for (;;) {
        if (parser->lexer.token.kind == PTX_TOKEN_END)
            return ptx_lex_expected(&parser->lexer, "'}'");
        if (ptx_is_mark(parser, '{')) {
            if (!ptx_scope_open(parser))
                return false;
            ptx_lex_next(&parser->lexer);
        } else if (ptx_is_mark(parser, '}')) {
            ptx_scope_close(parser);
            if (parser->lexer.failed)
                return false;
            ptx_lex_next(&parser->lexer);
            if (parser->depth == outside)
                return !parser->lexer.failed;
        } else if (ptx_is_mark(parser, ';')) {
            ptx_lex_next(&parser->lexer);
        } else if (parser->lexer.token.kind == PTX_TOKEN_DIRECTIVE ? !body_directive(parser) : !statement(parser)) {
            return false;
        }
    }
}
