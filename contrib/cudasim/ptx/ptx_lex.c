/*
 * ptx_lex.c - cuts PTX text into tokens. The parser calls it. It knows neither names nor statements.
 */
#include "ptx_lex.h"

#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a byte may be in a token. */
enum { LETTER = 1, DIGIT = 2, SPACE = 4, SIGN = 8 };

static const unsigned char classes[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE, ['\f'] = SPACE, ['\v'] = SPACE,
    ['_'] = LETTER, ['$'] = LETTER, ['%'] = SIGN,
    ['0'] = DIGIT, ['1'] = DIGIT, ['2'] = DIGIT, ['3'] = DIGIT, ['4'] = DIGIT,
    ['5'] = DIGIT, ['6'] = DIGIT, ['7'] = DIGIT, ['8'] = DIGIT, ['9'] = DIGIT,
    ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER, ['f'] = LETTER, ['g'] = LETTER,
    ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER, ['k'] = LETTER, ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER,
    ['o'] = LETTER, ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER, ['u'] = LETTER,
    ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER, ['y'] = LETTER, ['z'] = LETTER,
    ['A'] = LETTER, ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER, ['E'] = LETTER, ['F'] = LETTER, ['G'] = LETTER,
    ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER, ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER,
    ['O'] = LETTER, ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER, ['U'] = LETTER,
    ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER, ['Z'] = LETTER,
};

static bool is(char c, unsigned what)
{
    return (classes[(unsigned char)c] & what) != 0;
}

bool ptx_lex_fail(struct ptx_lexer *lexer, unsigned line, const char *format, ...)
{
    va_list arguments;

    if (!lexer->failed) {
        lexer->failed = true;
        lexer->error->line = line;
        va_start(arguments, format);
        vsnprintf(lexer->error->message, sizeof lexer->error->message, format, arguments);
        va_end(arguments);
    }
    lexer->at = lexer->end;
    lexer->token.kind = PTX_TOKEN_END;
    lexer->token.mark = 0;
    return false;
}

bool ptx_lex_expected(struct ptx_lexer *lexer, const char *what)
{
    const struct ptx_token *token = &lexer->token;
    char found[48];
    size_t length = token->length < sizeof found - 1 ? token->length : sizeof found - 1;

    if (lexer->failed)
        return false;
    if (token->kind == PTX_TOKEN_END)
        return ptx_lex_fail(lexer, token->line, "expected %s, found the end of the text", what);
    /* Strings may hold anything; a message is to stay one line of plain text. */
    for (size_t i = 0; i < length; i++)
        found[i] = token->text[i] >= ' ' && token->text[i] <= '~' ? token->text[i] : '?';
    found[length] = '\0';
    return ptx_lex_fail(lexer, token->line, "expected %s, found '%s'", what, found);
}

/* Skips white space, comments and line directives. */
static bool skip(struct ptx_lexer *lexer)
{
    const char *at = lexer->at;

    for (;;) {
        if (is(*at, SPACE)) {
            at++;
        } else if (*at == '\n') {
            at++;
            lexer->line++;
        } else if (*at == '#' || (*at == '/' && at[1] == '/')) {
            const char *newline = memchr(at, '\n', (size_t)(lexer->end - at));

            at = newline ? newline : lexer->end;
        } else if (*at == '/' && at[1] == '*') {
            unsigned start = lexer->line;

            for (at += 2; at < lexer->end && !(*at == '*' && at[1] == '/'); at++)
                lexer->line += *at == '\n';
            if (at >= lexer->end)
                return ptx_lex_fail(lexer, start, "the comment never ends");
            at += 2;
        } else {
            lexer->at = at;
            return true;
        }
    }
}

/* The number a digit of base 16 stands for, or 99. */
static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 99;
}

/* Numbers are the same in every locale; strtod() alone would follow the program's. */
static bool decimal_float(struct ptx_lexer *lexer, const char *start)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number;
    char *end;

    if (!plain)
        return ptx_lex_fail(lexer, lexer->line, "out of memory");
    number = strtod_l(start, &end, plain);
    freelocale(plain);
    lexer->at = end;
    lexer->token.kind = PTX_TOKEN_FLOAT;
    memcpy(&lexer->token.value, &number, sizeof number);
    return true;
}

static bool bad_number(struct ptx_lexer *lexer, const char *start)
{
    int length = 0;

    while (length < 40 && (is(start[length], LETTER | DIGIT) || start[length] == '.'))
        length++;
    return ptx_lex_fail(lexer, lexer->line, "bad number '%.*s'", length, start);
}

/* 0f and 0d with all of their digits. */
static bool exact_float(struct ptx_lexer *lexer, bool single)
{
    const char *start = lexer->at;
    int digits = single ? 8 : 16;
    uint64_t value = 0;

    for (int i = 0; i < digits; i++) {
        if (digit_value(start[2 + i]) > 15)
            return bad_number(lexer, start);
        value = value << 4 | digit_value(start[2 + i]);
    }
    lexer->at = start + 2 + digits;
    lexer->token.kind = PTX_TOKEN_FLOAT;
    lexer->token.value = value;
    lexer->token.single = single;
    return true;
}

static bool integer(struct ptx_lexer *lexer, unsigned base, unsigned prefix)
{
    const char *start = lexer->at, *at = start + prefix;
    uint64_t value = 0;

    for (; digit_value(*at) < base; at++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(*at), &value))
            return ptx_lex_fail(lexer, lexer->line, "the number exceeds 64 bits");
    if (at == start + prefix)
        return bad_number(lexer, start);
    lexer->token.kind = PTX_TOKEN_INTEGER;
    lexer->token.value = value;
    lexer->token.is_unsigned = *at == 'U' || value > INT64_MAX;
    lexer->at = at + (*at == 'U');
    return true;
}

static bool number(struct ptx_lexer *lexer)
{
    const char *start = lexer->at, *at = start;
    bool ok;

    if (*start == '0' && (start[1] == 'f' || start[1] == 'F'))
        ok = exact_float(lexer, true);
    else if (*start == '0' && (start[1] == 'd' || start[1] == 'D'))
        ok = exact_float(lexer, false);
    else if (*start == '0' && (start[1] == 'x' || start[1] == 'X'))
        ok = integer(lexer, 16, 2);
    else if (*start == '0' && (start[1] == 'b' || start[1] == 'B'))
        ok = integer(lexer, 2, 2);
    else {
        while (is(*at, DIGIT))
            at++;
        if ((*at == '.' && !is(at[1], LETTER)) || *at == 'e' || *at == 'E')
            ok = decimal_float(lexer, start);
        else
            ok = integer(lexer, *start == '0' ? 8 : 10, 0);
    }
    if (ok && is(*lexer->at, LETTER | DIGIT))
        return bad_number(lexer, start);
    return ok;
}

/* .global, .1d, .shared::cta: two colons belong to the name where a letter or digit follows. */
static bool directive(struct ptx_lexer *lexer)
{
    const char *at = lexer->at + 1;

    if (!is(*at, LETTER | DIGIT))
        return ptx_lex_fail(lexer, lexer->line, "a '.' without a name");
    for (;;) {
        if (is(*at, LETTER | DIGIT))
            at++;
        else if (*at == ':' && at[1] == ':' && is(at[2], LETTER | DIGIT))
            at += 2;
        else
            break;
    }
    lexer->at = at;
    lexer->token.kind = PTX_TOKEN_DIRECTIVE;
    return true;
}

static bool string(struct ptx_lexer *lexer)
{
    const char *at = lexer->at + 1;

    while (at < lexer->end && *at != '"' && *at != '\n')
        at += *at == '\\' && at + 1 < lexer->end && at[1] != '\n' ? 2 : 1;
    if (at >= lexer->end || *at != '"')
        return ptx_lex_fail(lexer, lexer->line, "the string never ends");
    lexer->token.kind = PTX_TOKEN_STRING;
    lexer->token.text = lexer->at + 1;
    lexer->token.length = (size_t)(at - lexer->at - 1);
    lexer->at = at + 1;
    return true;
}

static bool mark(struct ptx_lexer *lexer)
{
    static const struct {
        char text[3];
        int mark;
    } pairs[] = {
        {"<<", PTX_MARK_SHIFT_LEFT}, {">>", PTX_MARK_SHIFT_RIGHT},   {"<=", PTX_MARK_LESS_EQUAL},
        {"==", PTX_MARK_EQUAL},      {">=", PTX_MARK_GREATER_EQUAL}, {"!=", PTX_MARK_NOT_EQUAL},
        {"&&", PTX_MARK_AND},        {"||", PTX_MARK_OR},
    };
    char c = *lexer->at;

    lexer->token.kind = PTX_TOKEN_MARK;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (c == pairs[i].text[0] && lexer->at[1] == pairs[i].text[1]) {
            lexer->token.mark = pairs[i].mark;
            lexer->at += 2;
            return true;
        }
    if (c == '\0' || !strchr(";,:(){}[]<>+-*/%!~&|^=?@", c)) {
        if (c > ' ' && c <= '~')
            return ptx_lex_fail(lexer, lexer->line, "unexpected character '%c'", c);
        return ptx_lex_fail(lexer, lexer->line, "unexpected byte 0x%02X", (unsigned char)c);
    }
    lexer->token.mark = c;
    lexer->at++;
    return true;
}

void ptx_lex_next(struct ptx_lexer *lexer)
{
    struct ptx_token *token = &lexer->token;
    bool ok;

    if (!skip(lexer))
        return;
    *token = (struct ptx_token){.text = lexer->at, .line = lexer->line};
    if (lexer->at >= lexer->end)
        return;
    if (is(*lexer->at, LETTER) || (is(*lexer->at, SIGN) && is(lexer->at[1], LETTER | DIGIT))) {
        const char *at = lexer->at + 1;

        while (is(*at, LETTER | DIGIT))
            at++;
        lexer->at = at;
        token->kind = PTX_TOKEN_NAME;
        ok = true;
    } else if (is(*lexer->at, DIGIT)) {
        ok = number(lexer);
    } else if (*lexer->at == '.') {
        ok = directive(lexer);
    } else if (*lexer->at == '"') {
        string(lexer);
        return;
    } else {
        ok = mark(lexer);
    }
    if (ok)
        token->length = (size_t)(lexer->at - token->text);
}

void ptx_lex_start(struct ptx_lexer *lexer, const char *text, size_t size, struct ptx_error *error)
{
    *lexer = (struct ptx_lexer){.at = text, .end = text + size, .line = 1, .error = error};
    lexer->token.line = 1;
    ptx_lex_next(lexer);
}
