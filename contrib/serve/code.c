/*
 * code.c - what was handed in, as text in a page: after the contest, where contest.yaml says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "verify/base/blob.h"

enum { FILES = 32, FILE_BYTES = 1 << 20, SHOWN = 200000 /* characters of a file */ };

struct code {
    struct page *page;
    size_t count; /* of files so far */
};

bool code_may_be_shown(const struct board *board, const struct entry *entry)
{
    const struct contest *contest = board->contest;
    const double from = contest->final > 0 ? contest->final : contest->end;

    return contest->show_code && from > 0 && board->now >= from && entry->counts && !entry->hidden;
}

/* A page has no tabs: each is four spaces here. NULL for what is no text, or without memory. */
static char *text_of(const struct blob *blob)
{
    const char *bytes = (const char *)blob->data;
    char *text, *end;

    if ((blob->size > 0 && memchr(bytes, '\0', blob->size)) || !(text = malloc(4 * blob->size + 1)))
        return NULL;
    end = text;
    for (size_t i = 0; i < blob->size; i++)
        if (bytes[i] == '\t')
            memcpy(end, "    ", 4), end += 4;
        else
            *end++ = bytes[i];
    *end = '\0';
    return text;
}

/* One file, in a frame that scrolls and has the file's name. */
static bool put_file(void *context, const char *path, const char *name, struct error *error)
{
    struct code *code = context;
    struct page *page = code->page;
    struct blob blob = { 0 };
    char *text;

    if (code->count == FILES)
        return true;
    page_put(page, "<h3 id=\"code-%zu\">", ++code->count);
    page_name(page, name);
    page_put(page, "</h3>\n");
    text = blob_read_file(&blob, path, FILE_BYTES, error) ? text_of(&blob) : NULL;
    blob_release(&blob);
    if (text) {
        page_put(page, "<div class=\"scroll code\" role=\"region\" aria-labelledby=\"code-%zu\" tabindex=\"0\"><pre>",
                 code->count);
        page_lines(page, text, SHOWN);
        page_put(page, "</pre></div>\n");
    } else {
        page_put(page, "<p>%s</p>\n", page_word(page, WORD_NO_TEXT));
    }
    free(text);
    return true; /* an unreadable file is no text either */
}

void code_put(struct page *page, const char *folder, int64_t id)
{
    struct code code = { .page = page };
    struct error ignored; /* a submission that was refused for its size has no copy */

    page_put(page, "<h2>%s</h2>\n", page_word(page, WORD_CODE));
    if (!source_walk(folder, id, put_file, &code, &ignored) || code.count == 0)
        page_put(page, "<p>%s</p>\n", page_word(page, WORD_NO_CODE));
}
