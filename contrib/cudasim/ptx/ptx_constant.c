/*
 * ptx_constant.c - constant expressions of PTX: numbers, operators, offsets in addresses.
 *
 * The parser calls it wherever the grammar has a number. It knows one name: WARP_SZ.
 */
#include "ptx_parse.h"

#include <string.h>

static bool nest(struct ptx_parser *parser)
{
    if (parser->nesting == PTX_NESTING_MAX)
        return ptx_lex_fail(&parser->lexer, parser->lexer.token.line, "more than %d levels of nesting",
                            PTX_NESTING_MAX);
    parser->nesting++;
    return true;
}

/* (…), a cast's included. */
static bool parenthesised(struct ptx_parser *parser, struct ptx_constant *constant);

static bool negate(struct ptx_parser *parser, int mark, struct ptx_constant *constant)
{
    if (constant->is_float) {
        if (mark == '!' || mark == '~')
            return ptx_fail(parser, "an operator that takes integers only");
        if (mark == '-')
            constant->value ^= (uint64_t)1 << (constant->single ? 31 : 63);
        return true;
    }
    if (mark == '-')
        constant->value = -constant->value;
    else if (mark == '~')
        constant->value = ~constant->value;
    else if (mark == '!')
        *constant = (struct ptx_constant){.value = constant->value == 0};
    return true;
}

/* A number, or what one sign or a pair of parentheses makes of an expression. */
static bool unary(struct ptx_parser *parser, struct ptx_constant *constant)
{
    const struct ptx_token *token = &parser->lexer.token;
    bool ok;

    if (token->kind == PTX_TOKEN_INTEGER || token->kind == PTX_TOKEN_FLOAT) {
        *constant = (struct ptx_constant){.value = token->value, .is_unsigned = token->is_unsigned,
                                          .is_float = token->kind == PTX_TOKEN_FLOAT, .single = token->single};
        ptx_lex_next(&parser->lexer);
        return true;
    }
    if (ptx_is_name(parser, "WARP_SZ")) {
        *constant = (struct ptx_constant){.value = 32};
        ptx_lex_next(&parser->lexer);
        return true;
    }
    if (token->kind == PTX_TOKEN_MARK && strchr("+-!~(", token->mark) && token->mark < 256) {
        int mark = token->mark;

        if (!nest(parser))
            return false;
        ptx_lex_next(&parser->lexer);
        ok = mark == '(' ? parenthesised(parser, constant)
                         : unary(parser, constant) && negate(parser, mark, constant);
        parser->nesting--;
        return ok;
    }
    return ptx_lex_expected(&parser->lexer, "a constant");
}

static bool parenthesised(struct ptx_parser *parser, struct ptx_constant *constant)
{
    bool is_signed = ptx_is_directive(parser, ".s64");

    if (is_signed || ptx_is_directive(parser, ".u64")) {
        ptx_lex_next(&parser->lexer);
        if (!ptx_expect(parser, ')') || !unary(parser, constant))
            return false;
        if (constant->is_float)
            return ptx_fail(parser, "an operator that takes integers only");
        constant->is_unsigned = !is_signed;
        return true;
    }
    return ptx_constant(parser, constant) && ptx_expect(parser, ')');
}

/* How tightly an operator binds; 0 for everything else. */
static unsigned precedence(int mark)
{
    switch (mark) {
    case PTX_MARK_OR: return 1;
    case PTX_MARK_AND: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case PTX_MARK_EQUAL: case PTX_MARK_NOT_EQUAL: return 6;
    case '<': case '>': case PTX_MARK_LESS_EQUAL: case PTX_MARK_GREATER_EQUAL: return 7;
    case PTX_MARK_SHIFT_LEFT: case PTX_MARK_SHIFT_RIGHT: return 8;
    case '+': case '-': return 9;
    case '*': case '/': case '%': return 10;
    default: return 0;
    }
}

/* Whether the operator yields a truth value, and which. */
static bool compare(int mark, uint64_t a, uint64_t b, bool is_unsigned, uint64_t *truth)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;

    switch (mark) {
    case PTX_MARK_OR: *truth = a || b; return true;
    case PTX_MARK_AND: *truth = a && b; return true;
    case PTX_MARK_EQUAL: *truth = a == b; return true;
    case PTX_MARK_NOT_EQUAL: *truth = a != b; return true;
    case '<': *truth = less; return true;
    case '>': *truth = !less && a != b; return true;
    case PTX_MARK_LESS_EQUAL: *truth = less || a == b; return true;
    case PTX_MARK_GREATER_EQUAL: *truth = !less; return true;
    default: return false;
    }
}

static uint64_t divide(bool remainder, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == UINT64_MAX) /* -1: the one quotient that may not fit */
        return remainder ? 0 : -a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t by, bool is_unsigned)
{
    uint64_t sign = is_unsigned || (int64_t)a >= 0 ? 0 : UINT64_MAX;

    if (by > 63)
        return sign;
    return by == 0 ? a : a >> by | sign << (64 - by);
}

double ptx_double(const struct ptx_constant *constant)
{
    uint32_t half = (uint32_t)constant->value;
    double number;
    float narrow;

    memcpy(&number, &constant->value, sizeof number);
    memcpy(&narrow, &half, sizeof narrow);
    return constant->single ? (double)narrow : number;
}

static bool apply_double(struct ptx_parser *parser, int mark, struct ptx_constant *left,
                         const struct ptx_constant *right)
{
    double a = ptx_double(left), b = ptx_double(right);

    switch (mark) {
    case '+': a += b; break;
    case '-': a -= b; break;
    case '*': a *= b; break;
    case '/':
        if (b == 0)
            return ptx_fail(parser, "a constant is divided by zero");
        a /= b;
        break;
    default: return ptx_fail(parser, "an operator that takes integers only");
    }
    *left = (struct ptx_constant){.is_float = true};
    memcpy(&left->value, &a, sizeof a);
    return true;
}

static bool apply(struct ptx_parser *parser, int mark, struct ptx_constant *left, const struct ptx_constant *right)
{
    uint64_t a = left->value, b = right->value, value = 0;
    bool is_unsigned = left->is_unsigned || right->is_unsigned;

    if (left->is_float && right->is_float)
        return apply_double(parser, mark, left, right);
    if (left->is_float || right->is_float)
        return ptx_fail(parser, "an integer and a floating-point number in one expression");
    if (compare(mark, a, b, is_unsigned, &value)) {
        *left = (struct ptx_constant){.value = value};
        return true;
    }
    if (mark == PTX_MARK_SHIFT_LEFT || mark == PTX_MARK_SHIFT_RIGHT)
        is_unsigned = left->is_unsigned;
    switch (mark) {
    case PTX_MARK_SHIFT_LEFT: value = b > 63 ? 0 : a << b; break;
    case PTX_MARK_SHIFT_RIGHT: value = shift_right(a, b, is_unsigned); break;
    case '|': value = a | b; break;
    case '^': value = a ^ b; break;
    case '&': value = a & b; break;
    case '+': value = a + b; break;
    case '-': value = a - b; break;
    case '*': value = a * b; break;
    default:
        if (b == 0)
            return ptx_fail(parser, "a constant is divided by zero");
        value = divide(mark == '%', a, b, is_unsigned);
    }
    *left = (struct ptx_constant){.value = value, .is_unsigned = is_unsigned};
    return true;
}

/* Applies the operators that bind at least as tightly as `least` to *left. Recursion: once a level of precedence. */
static bool binary(struct ptx_parser *parser, struct ptx_constant *left, unsigned least)
{
    for (;;) {
        int mark = parser->lexer.token.mark;
        unsigned level = precedence(mark);
        struct ptx_constant right;

        if (level == 0 || level < least)
            return true;
        ptx_lex_next(&parser->lexer);
        if (!unary(parser, &right) || !binary(parser, &right, level + 1) || !apply(parser, mark, left, &right))
            return false;
    }
}

bool ptx_constant_rest(struct ptx_parser *parser, struct ptx_constant *constant)
{
    struct ptx_constant yes, no;
    bool ok;

    if (!binary(parser, constant, 1))
        return false;
    if (!ptx_is_mark(parser, '?'))
        return true;
    if (constant->is_float)
        return ptx_fail(parser, "an operator that takes integers only");
    if (!nest(parser))
        return false;
    ptx_lex_next(&parser->lexer);
    ok = ptx_constant(parser, &yes) && ptx_expect(parser, ':') && ptx_constant(parser, &no);
    parser->nesting--;
    if (ok)
        *constant = constant->value ? yes : no;
    return ok;
}

bool ptx_constant(struct ptx_parser *parser, struct ptx_constant *constant)
{
    return unary(parser, constant) && ptx_constant_rest(parser, constant);
}

bool ptx_offset(struct ptx_parser *parser, int64_t *offset)
{
    uint64_t sum = (uint64_t)*offset;

    while (ptx_is_mark(parser, '+') || ptx_is_mark(parser, '-')) {
        bool minus = ptx_is_mark(parser, '-');
        struct ptx_constant term;

        ptx_lex_next(&parser->lexer);
        if (!unary(parser, &term) || !binary(parser, &term, precedence('*')))
            return false;
        if (term.is_float)
            return ptx_fail(parser, "an operator that takes integers only");
        sum = minus ? sum - term.value : sum + term.value;
    }
    *offset = (int64_t)sum;
    return true;
}

bool ptx_count(struct ptx_parser *parser, const char *what, uint64_t high, uint64_t *count)
{
    unsigned line = parser->lexer.token.line;
    struct ptx_constant constant;

    *count = 0;
    if (!ptx_constant(parser, &constant))
        return false;
    if (constant.is_float || constant.value > high)
        return ptx_lex_fail(&parser->lexer, line, "%s is not a whole number from 0 to %llu", what,
                            (unsigned long long)high);
    *count = constant.value;
    return true;
}
