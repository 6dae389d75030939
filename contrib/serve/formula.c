/*
 * formula.c - TeX to MathML, by recursive descent: a row has items, an item is an atom with scripts.
 */
#include "formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* WIDE: bytes of TeX from which on a formula may be wider than a phone. A browser breaks no line in it: it scrolls. */
enum { DEPTH = 32, NAME = 32, TEXT = 256, WIDE = 50 };

enum kind {
    KIND_PLAIN,    /* an identifier, a number or an operator */
    KIND_FUNCTION, /* a name before its argument */
    KIND_LIMITS,   /* its scripts stand below and above it where a formula has its own line */
};

struct tex {
    struct page *page;   /* what is put */
    const char *at, *end; /* the rest of the formula */
    int depth;
};

static const struct symbol {
    const char *name, *element, *text;
    enum kind kind;
} symbols[] = {
    { "alpha", "mi", "α", KIND_PLAIN },     { "beta", "mi", "β", KIND_PLAIN },     { "gamma", "mi", "γ", KIND_PLAIN },
    { "delta", "mi", "δ", KIND_PLAIN },     { "epsilon", "mi", "ε", KIND_PLAIN },  { "lambda", "mi", "λ", KIND_PLAIN },
    { "mu", "mi", "μ", KIND_PLAIN },        { "pi", "mi", "π", KIND_PLAIN },       { "rho", "mi", "ρ", KIND_PLAIN },
    { "sigma", "mi", "σ", KIND_PLAIN },     { "tau", "mi", "τ", KIND_PLAIN },      { "theta", "mi", "θ", KIND_PLAIN },
    { "phi", "mi", "φ", KIND_PLAIN },       { "omega", "mi", "ω", KIND_PLAIN },    { "infty", "mi", "∞", KIND_PLAIN },
    { "dots", "mi", "…", KIND_PLAIN },      { "ldots", "mi", "…", KIND_PLAIN },    { "cdots", "mi", "⋯", KIND_PLAIN },
    { "cdot", "mo", "⋅", KIND_PLAIN },      { "times", "mo", "×", KIND_PLAIN },    { "pm", "mo", "±", KIND_PLAIN },
    { "le", "mo", "≤", KIND_PLAIN },        { "leq", "mo", "≤", KIND_PLAIN },      { "ge", "mo", "≥", KIND_PLAIN },
    { "geq", "mo", "≥", KIND_PLAIN },       { "ne", "mo", "≠", KIND_PLAIN },       { "neq", "mo", "≠", KIND_PLAIN },
    { "approx", "mo", "≈", KIND_PLAIN },    { "in", "mo", "∈", KIND_PLAIN },       { "to", "mo", "→", KIND_PLAIN },
    { "rightarrow", "mo", "→", KIND_PLAIN }, { "leftarrow", "mo", "←", KIND_PLAIN },
    { "sum", "mo", "∑", KIND_LIMITS },      { "prod", "mo", "∏", KIND_LIMITS },
    { "min", "mi", "min", KIND_FUNCTION },  { "max", "mi", "max", KIND_FUNCTION },
    { "log", "mi", "log", KIND_FUNCTION },
    { "ln", "mi", "ln", KIND_FUNCTION },    { "exp", "mi", "exp", KIND_FUNCTION },
    { "sin", "mi", "sin", KIND_FUNCTION },
    { "cos", "mi", "cos", KIND_FUNCTION },
};

static const struct space { const char *name, *width; } spaces[] = {
    { ",", "0.167em" }, { "!", "-0.167em" }, { ":", "0.222em" }, { ";", "0.278em" },
    { " ", "0.25em" },  { "quad", "1em" },   { "qquad", "2em" },
};

/* Parentheses of a fixed size. */
static const struct fence { const char *name, *text; } fences[] = {
    { "lfloor", "⌊" }, { "rfloor", "⌋" }, { "lceil", "⌈" }, { "rceil", "⌉" }, { "{", "{" }, { "}", "}" },
    { "langle", "⟨" }, { "rangle", "⟩" }, { "|", "‖" },
};

static bool put_row(struct tex *tex);
static bool put_atom(struct tex *tex, enum kind *kind);

static void skip_spaces(struct tex *tex)
{
    while (tex->at < tex->end && isspace((unsigned char)*tex->at))
        tex->at++;
}

/* The command at a backslash: letters, or one other character. False at the end, or where the name is too long. */
static bool read_command(struct tex *tex, char name[NAME])
{
    const char *from = tex->at + 1, *to = from;

    while (to < tex->end && isalpha((unsigned char)*to))
        to++;
    if (to == from && to < tex->end)
        to++;
    if (to == from || (size_t)(to - from) >= NAME)
        return false;
    memcpy(name, from, (size_t)(to - from));
    name[to - from] = '\0';
    tex->at = to;
    return true;
}

/* Whether the command that comes next has this name. It is not taken. */
static bool is_next(const struct tex *tex, const char *name)
{
    struct tex ahead = *tex;
    char found[NAME];

    return ahead.at < ahead.end && *ahead.at == '\\' && read_command(&ahead, found) && strcmp(found, name) == 0;
}

/* What stands in braces, unchanged, for \text and \mathrm. */
static bool read_text(struct tex *tex, char text[TEXT])
{
    const char *close;

    skip_spaces(tex);
    if (tex->at == tex->end || *tex->at != '{' || !(close = memchr(tex->at, '}', (size_t)(tex->end - tex->at))) ||
        (size_t)(close - tex->at) > TEXT || memchr(tex->at, '\\', (size_t)(close - tex->at)))
        return false;
    memcpy(text, tex->at + 1, (size_t)(close - tex->at - 1));
    text[close - tex->at - 1] = '\0';
    tex->at = close + 1;
    return true;
}

/* An argument: a row in braces, one digit, or one atom. It is one element. */
static bool put_argument(struct tex *tex)
{
    enum kind kind;

    skip_spaces(tex);
    if (tex->at == tex->end)
        return false;
    if (isdigit((unsigned char)*tex->at)) {
        page_put(tex->page, "<mn>%c</mn>", *tex->at++);
        return true;
    }
    return put_atom(tex, &kind);
}

/* A row in braces; the brace is next. */
static bool put_group(struct tex *tex)
{
    tex->at++;
    page_put(tex->page, "<mrow>");
    if (!put_row(tex) || tex->at == tex->end || *tex->at != '}')
        return false;
    tex->at++;
    page_put(tex->page, "</mrow>");
    return true;
}

static bool put_fraction(struct tex *tex)
{
    page_put(tex->page, "<mfrac>");
    if (!put_argument(tex) || !put_argument(tex))
        return false;
    page_put(tex->page, "</mfrac>");
    return true;
}

/* Not <msqrt>: where no font for mathematics is installed, Chromium shows that without its sign. */
static bool put_root(struct tex *tex)
{
    page_put(tex->page, "<mrow><mo>√</mo><mrow class=\"root\">");
    if (!put_argument(tex))
        return false;
    page_put(tex->page, "</mrow></mrow>");
    return true;
}

/* The parenthesis after \left, \right or \Big; a period is none. `more`: attributes. */
static bool put_fence(struct tex *tex, const char *more)
{
    char name[NAME] = "", text[2] = "";

    skip_spaces(tex);
    if (tex->at == tex->end)
        return false;
    if (*tex->at == '\\') {
        if (!read_command(tex, name))
            return false;
        for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++)
            if (strcmp(fences[i].name, name) == 0) {
                page_put(tex->page, "<mo%s>%s</mo>", more, fences[i].text);
                return true;
            }
        return false;
    }
    text[0] = *tex->at++;
    if (!strchr("()[]|/.", text[0]))
        return false;
    if (text[0] != '.')
        page_put(tex->page, "<mo%s>%s</mo>", more, text);
    return true;
}

static bool put_left_right(struct tex *tex)
{
    char name[NAME];

    page_put(tex->page, "<mrow>");
    if (!put_fence(tex, " stretchy=\"true\" form=\"prefix\"") || !put_row(tex) || !is_next(tex, "right") ||
        !read_command(tex, name) || !put_fence(tex, " stretchy=\"true\" form=\"postfix\""))
        return false;
    page_put(tex->page, "</mrow>");
    return true;
}

/* A symbol, a space or a parenthesis of that name. */
static bool put_symbol(struct tex *tex, const char *name, enum kind *kind)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(symbols[i].name, name) == 0) {
            *kind = symbols[i].kind;
            page_put(tex->page, "<%s>%s</%s>", symbols[i].element, symbols[i].text, symbols[i].element);
            return true;
        }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (strcmp(spaces[i].name, name) == 0) {
            page_put(tex->page, "<mspace width=\"%s\"></mspace>", spaces[i].width);
            return true;
        }
    for (size_t i = 0; i < sizeof fences / sizeof fences[0]; i++)
        if (strcmp(fences[i].name, name) == 0) {
            page_put(tex->page, "<mo stretchy=\"false\">%s</mo>", fences[i].text);
            return true;
        }
    return false;
}

static bool put_command(struct tex *tex, enum kind *kind)
{
    char name[NAME], text[TEXT];

    if (!read_command(tex, name))
        return false;
    if (strcmp(name, "frac") == 0)
        return put_fraction(tex);
    if (strcmp(name, "sqrt") == 0)
        return put_root(tex);
    if (strcmp(name, "left") == 0)
        return put_left_right(tex);
    if (strncmp(name, "Big", 3) == 0 || strncmp(name, "big", 3) == 0)
        return put_fence(tex, name[0] == 'B' ? " minsize=\"1.8em\" maxsize=\"1.8em\" stretchy=\"true\""
                                             : " minsize=\"1.2em\" maxsize=\"1.2em\" stretchy=\"true\"");
    if (strcmp(name, "mathrm") == 0 || strcmp(name, "text") == 0) {
        const bool is_name = name[0] == 'm';

        if (!read_text(tex, text))
            return false;
        page_put(tex->page, is_name ? "<mi mathvariant=\"normal\">" : "<mtext>");
        page_text(tex->page, text, TEXT);
        page_put(tex->page, is_name ? "</mi>" : "</mtext>");
        return true;
    }
    return put_symbol(tex, name, kind);
}

/* Digits, with a fraction: a period at the end of a sentence is no part of it. */
static void put_number(struct tex *tex)
{
    const char *from = tex->at;

    while (tex->at < tex->end && (isdigit((unsigned char)*tex->at) ||
                                  (*tex->at == '.' && tex->at + 1 < tex->end && isdigit((unsigned char)tex->at[1]))))
        tex->at++;
    page_put(tex->page, "<mn>%.*s</mn>", (int)(tex->at - from), from);
}

static bool put_character(struct tex *tex)
{
    const char text[2] = { *tex->at++, '\0' };

    if (isalpha((unsigned char)text[0])) {
        page_put(tex->page, "<mi>%s</mi>", text);
    } else if (text[0] == '-') {
        page_put(tex->page, "<mo>−</mo>");
    } else if (text[0] == '*') {
        page_put(tex->page, "<mo>∗</mo>");
    } else if (text[0] == '.') {
        page_put(tex->page, "<mtext>.</mtext>");
    } else if (strchr("()[]|", text[0])) {
        page_put(tex->page, "<mo stretchy=\"false\"%s>%s</mo>", text[0] == '|' ? " lspace=\"0\" rspace=\"0\"" : "",
                 text);
    } else if (strchr("+=<>/,:;!", text[0])) {
        page_put(tex->page, "<mo>");
        page_text(tex->page, text, 1);
        page_put(tex->page, "</mo>");
    } else {
        return false;
    }
    return true;
}

static bool put_atom(struct tex *tex, enum kind *kind)
{
    bool ok;

    *kind = KIND_PLAIN;
    if (tex->at == tex->end || ++tex->depth > DEPTH)
        return false;
    if (*tex->at == '{') {
        ok = put_group(tex);
    } else if (*tex->at == '\\') {
        ok = put_command(tex, kind);
    } else if (isdigit((unsigned char)*tex->at)) {
        put_number(tex);
        ok = true;
    } else {
        ok = put_character(tex);
    }
    tex->depth--;
    return ok;
}

/* Puts `text` before what the page has from `start` on. */
static void insert(struct page *page, size_t start, const char *text)
{
    const size_t length = strlen(text), rest = page->size - start;

    page_put(page, "%s", text);
    if (page->failed)
        return;
    memmove(page->data + start + length, page->data + start, rest);
    memcpy(page->data + start, text, length);
}

/* One script into a page of its own; false where there is one already. */
static bool read_script(struct tex *tex, struct page *script)
{
    struct page *page = tex->page;
    bool ok;

    if (script->size > 0)
        return false;
    tex->at++;
    tex->page = script;
    ok = put_argument(tex);
    tex->page = page;
    return ok && !script->failed;
}

/* The scripts of the atom that the page has from `start` on. */
static bool put_scripts(struct tex *tex, size_t start, enum kind kind)
{
    static const char *const tags[][4] = { { NULL, "msub", "msup", "msubsup" },
                                           { NULL, "munder", "mover", "munderover" } };
    struct page below = { 0 }, above = { 0 };
    bool ok = true;

    while (skip_spaces(tex), ok && tex->at < tex->end && (*tex->at == '_' || *tex->at == '^'))
        ok = read_script(tex, *tex->at == '_' ? &below : &above);
    if (ok && (below.size > 0 || above.size > 0)) {
        const char *tag = tags[kind == KIND_LIMITS][(below.size > 0) + 2 * (above.size > 0)];

        insert(tex->page, start, ">");
        insert(tex->page, start, tag);
        insert(tex->page, start, "<");
        page_put(tex->page, "%.*s%.*s</%s>", (int)below.size, below.size ? below.data : "", (int)above.size,
                 above.size ? above.data : "", tag);
    }
    page_release(&below);
    page_release(&above);
    if (ok && kind == KIND_FUNCTION && tex->at < tex->end && *tex->at != '(')
        page_put(tex->page, "<mspace width=\"0.167em\"></mspace>");
    return ok;
}

/* Items up to the end, a brace or \right. \textstyle holds to the end of its row. */
static bool put_row(struct tex *tex)
{
    bool small = false;
    char name[NAME];
    enum kind kind;

    while (skip_spaces(tex), tex->at < tex->end && *tex->at != '}' && !is_next(tex, "right")) {
        const size_t start = tex->page->size;

        if (is_next(tex, "textstyle") && read_command(tex, name)) {
            page_put(tex->page, "%s<mstyle displaystyle=\"false\">", small ? "</mstyle>" : "");
            small = true;
        } else if (!put_atom(tex, &kind) || !put_scripts(tex, start, kind)) {
            return false;
        }
    }
    if (small)
        page_put(tex->page, "</mstyle>");
    return true;
}

/* The TeX itself, with its dollar signs. */
static void put_verbatim(struct page *page, const char *tex, size_t size, bool block)
{
    char *text = strndup(tex, size);

    page->failed = page->failed || !text;
    if (text) {
        page_put(page, "%s", block ? "$$" : "$");
        page_text(page, text, size);
        page_put(page, "%s", block ? "$$" : "$");
    }
    free(text);
}

bool formula_put(struct page *page, const char *tex, size_t size, bool block)
{
    struct tex parser = { .page = page, .at = tex, .end = tex + size };
    const size_t start = page->size;
    const bool wide = size > WIDE;

    if (block || wide)
        page_put(page, "<span class=\"formula%s\" tabindex=\"0\">", block ? "" : " within");
    page_put(page, block ? "<math display=\"block\"><mrow>" : "<math><mrow>");
    if (put_row(&parser) && parser.at == parser.end) {
        page_put(page, block || wide ? "</mrow></math></span>" : "</mrow></math>");
        return true;
    }
    if (!page->failed)
        page->size = start;
    put_verbatim(page, tex, size, block);
    return false;
}
