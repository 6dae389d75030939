/*
 * ptx_lex.h - splits PTX text into tokens, one at a time.
 *
 * The first error is kept. After it every token is PTX_TOKEN_END, so a parser's loops end without further checks.
 */
#ifndef CUDASIM_PTX_LEX_H
#define CUDASIM_PTX_LEX_H

#include "ptx.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,      /* ld, %r1, $L__BB0_1, _ */
    PTX_TOKEN_DIRECTIVE, /* .global, .v2, .shared::cta: with the dot */
    PTX_TOKEN_INTEGER,   /* 42, 0xFFU, 017, 0b101 */
    PTX_TOKEN_FLOAT,     /* 0f3F800000, 0d3FF0000000000000, 1.5e3 */
    PTX_TOKEN_STRING,    /* "…", its quotes not in `text` */
    PTX_TOKEN_MARK       /* punctuation: `mark` */
};

/* Marks of two characters; those of one are the character itself. */
enum {
    PTX_MARK_SHIFT_LEFT = 256,
    PTX_MARK_SHIFT_RIGHT,
    PTX_MARK_LESS_EQUAL,
    PTX_MARK_GREATER_EQUAL,
    PTX_MARK_EQUAL,
    PTX_MARK_NOT_EQUAL,
    PTX_MARK_AND,
    PTX_MARK_OR
};

struct ptx_token {
    enum ptx_token_kind kind;
    int mark;         /* of PTX_TOKEN_MARK, else 0 */
    const char *text; /* [length], inside of the lexer's text */
    size_t length;    /* bytes */
    unsigned line;    /* from 1 */
    uint64_t value;   /* of an integer; bits of a float: 32 when `single`, else those of a double */
    bool single;      /* a float written 0f */
    bool is_unsigned; /* an integer that ends in U or exceeds the signed 64 bits */
};

struct ptx_lexer {
    const char *at;          /* the first byte not read */
    const char *end;         /* of the text; *end is NUL */
    unsigned line;           /* of `at` */
    struct ptx_token token;  /* the current one */
    bool failed;             /* *error is filled in */
    struct ptx_error *error; /* the caller's */
};

/* Starts at text[size], which must be NUL and stay alive; the first token is current afterwards. */
void ptx_lex_start(struct ptx_lexer *lexer, const char *text, size_t size, struct ptx_error *error);

/* Makes the next token the current one. */
void ptx_lex_next(struct ptx_lexer *lexer);

/* Notes an error (the first counts) and ends the text. Returns false. */
bool ptx_lex_fail(struct ptx_lexer *lexer, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for "expected WHAT, found TOKEN" at the current token. */
bool ptx_lex_expected(struct ptx_lexer *lexer, const char *what);

#endif
