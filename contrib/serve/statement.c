/*
 * statement.c - a problem's statement, which is Markdown, as HTML: by GitHub's fork of the CommonMark reference
 * implementation, for its tables. HTML in a statement is left out.
 */
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formula.h"
#include "server.h"
#include "verify/base/blob.h"

enum { MOST = 1 << 20, FORMULA = 2000, FORMULAS = 1000 }; /* bytes of a statement, of a formula; formulas */

/* ------------------------------------------------------------------ Markdown */

static char *to_html(const char *text, size_t size)
{
    cmark_parser *parser;
    cmark_node *document;
    cmark_syntax_extension *table;
    char *html = NULL;

    cmark_gfm_core_extensions_ensure_registered();
    parser = cmark_parser_new(CMARK_OPT_DEFAULT);
    table = cmark_find_syntax_extension("table");
    if (table)
        cmark_parser_attach_syntax_extension(parser, table);
    cmark_parser_feed(parser, text, size);
    document = cmark_parser_finish(parser);
    if (document)
        html = cmark_render_html(document, CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser));
    cmark_node_free(document);
    cmark_parser_free(parser);
    return html;
}

/* ------------------------------------------------------------------ formulas */

/*
 * Markdown would take the underscores and backslashes of TeX for its own. So each formula is taken out before, and a
 * mark stands in its place: its number between two characters of Unicode's private use area.
 */
#define MARK "\xee\x80\x80"
#define MARK_END "\xee\x80\x81"

struct formulas {
    struct formula { const char *tex; size_t size; bool block; } all[FORMULAS]; /* of the statement's text */
    size_t count;
};

/* Bytes of a code span or a fenced block that begins at `at` with backticks; of the backticks alone if none ends it. */
static size_t code_size(const char *at, const char *end)
{
    size_t ticks = 0, run;
    const char *to;

    while (at + ticks < end && at[ticks] == '`')
        ticks++;
    for (to = at + ticks; to < end; to += run ? run : 1) {
        for (run = 0; to + run < end && to[run] == '`'; run++)
            ;
        if (run == ticks)
            return (size_t)(to + run - at);
        if (ticks < 3 && *to == '\n' && to + 1 < end && to[1] == '\n')
            break;
    }
    return ticks;
}

/*
 * The formula that begins with the dollar sign at `at`; its size with its signs, 0 if there is none. As in Pandoc, no
 * space stands within beside a sign, and no digit after the last one: so "$5 and $6" is none.
 */
static size_t formula_at(const char *at, const char *end, struct formula *formula)
{
    const size_t signs = end - at > 1 && at[1] == '$' ? 2 : 1;
    const char *from = at + signs, *to;

    if (from >= end || *from == ' ' || *from == '\n' || *from == '$')
        return 0;
    for (to = from; to < end && to - from < FORMULA && *to != '`'; to++) {
        if (*to == '\\') {
            to++;
        } else if (*to == '\n' && to + 1 < end && to[1] == '\n') {
            return 0;
        } else if (*to == '$') {
            const char *after = to + signs;

            if (to[-1] == ' ' || after > end || (signs == 2 && to[1] != '$') ||
                (after < end && *after >= '0' && *after <= '9'))
                return 0;
            *formula = (struct formula){ from, (size_t)(to - from), signs == 2 };
            return (size_t)(after - at);
        }
    }
    return 0;
}

/* The text with a mark for each formula. A text that has such marks itself stays as it is. */
static void take_formulas(struct page *text, const char *at, size_t size, struct formulas *formulas)
{
    const char *const end = at + size;
    const bool marked = memmem(at, size, MARK, strlen(MARK)) != NULL;

    for (size_t taken; at < end; at += taken) {
        if (*at == '`') {
            taken = code_size(at, end);
        } else if (*at == '\\' && at + 1 < end) {
            taken = 2;
        } else if (*at == '$' && !marked && formulas->count < FORMULAS &&
                   (taken = formula_at(at, end, &formulas->all[formulas->count])) > 0) {
            page_put(text, MARK "%zu" MARK_END, formulas->count++);
            continue;
        } else {
            for (taken = 1; at + taken < end && !strchr("`\\$", at[taken]); taken++)
                ;
        }
        page_put(text, "%.*s", (int)taken, at);
    }
}

/* The HTML with its formulas. Within a tag, as in the title of a link, stays the number alone. */
static void put_html(struct page *page, const char *html, const struct formulas *formulas)
{
    const char *mark, *from;
    bool in_tag = false;

    while (formulas->count > 0 && (mark = strstr(html, MARK))) {
        const size_t number = strtoul(mark + strlen(MARK), NULL, 10);

        for (from = html; from < mark; from++)
            in_tag = *from == '<' || (in_tag && *from != '>');
        page_put(page, "%.*s", (int)(mark - html), html);
        if (number < formulas->count && !in_tag)
            formula_put(page, formulas->all[number].tex, formulas->all[number].size, formulas->all[number].block);
        html = strstr(mark, MARK_END);
        if (!html)
            return;
        html += strlen(MARK_END);
    }
    page_put(page, "%s", html);
}

/* A wide block of code scrolls: by keyboard too. */
static void put_scrolling(struct page *page, const char *html, const struct formulas *formulas)
{
    const char *pre;
    char *part;

    while ((pre = strstr(html, "<pre"))) {
        part = strndup(html, (size_t)(pre - html));
        page->failed = page->failed || !part;
        if (part)
            put_html(page, part, formulas);
        free(part);
        page_put(page, "<pre tabindex=\"0\"");
        html = pre + strlen("<pre");
    }
    put_html(page, html, formulas);
}

bool statement_put(struct page *page, const char *root, const char *problem)
{
    static const char *const languages[LANGUAGES] = { "en", "ja" };
    struct formulas *formulas = calloc(1, sizeof *formulas);
    struct page text = { 0 };
    struct blob blob = { 0 };
    struct error error;
    char path[PATH_MAX], *html = NULL;
    bool ok;

    snprintf(path, sizeof path, "%.2000s/problems/%.200s/statement/problem.%s.md", root, problem,
             languages[page->language]);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%.2000s/problems/%.200s/statement/problem.en.md", root, problem);
    if (formulas && blob_read_file(&blob, path, MOST, &error)) {
        take_formulas(&text, (const char *)blob.data, blob.size, formulas);
        html = text.failed || !text.data ? NULL : to_html(text.data, text.size);
    }
    if (html) {
        page_put(page, "<div class=\"statement\">\n");
        put_scrolling(page, html, formulas);
        page_put(page, "</div>\n");
    }
    ok = html != NULL;
    page_release(&text);
    blob_release(&blob);
    free(formulas);
    free(html);
    return ok;
}
