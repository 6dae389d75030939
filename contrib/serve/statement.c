/*
 * statement.c - a problem's statement, which is Markdown, as HTML: by GitHub's fork of the CommonMark reference
 * implementation, for its tables. HTML in a statement is left out.
 */
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "server.h"
#include "verify/base/blob.h"

enum { MOST = 1 << 20 };

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

bool statement_put(struct page *page, const char *root, const char *problem)
{
    static const char *const languages[LANGUAGES] = { "en", "ja" };
    struct blob blob = { 0 };
    struct error error;
    char path[PATH_MAX], *html;

    snprintf(path, sizeof path, "%.2000s/problems/%.200s/statement/problem.%s.md", root, problem,
             languages[page->language]);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%.2000s/problems/%.200s/statement/problem.en.md", root, problem);
    if (!blob_read_file(&blob, path, MOST, &error))
        return false;
    html = to_html((const char *)blob.data, blob.size);
    blob_release(&blob);
    if (html)
        page_put(page, "<div class=\"statement\">\n%s</div>\n", html);
    free(html);
    return html != NULL;
}
