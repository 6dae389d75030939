/*
 * page.h - one HTML page as a growing text, and the only ways to put something into it.
 *
 * What the scoreboard itself says goes through page_put(); whatever came from a submission, a team or a file through
 * page_text(), which nothing can get out of: not out of text, not out of a quoted attribute, not out of SVG.
 */
#ifndef SCOREBOARD_PAGE_H
#define SCOREBOARD_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "words.h"

/* What a page that a server sends has beside: a script, its digest for the policy, and whether it is a team's own. */
struct page_server {
    const char *script, *digest;
    bool own;
};

struct page {
    char *data;       /* [size], not ended by a zero */
    size_t size, room;
    bool failed;      /* there was no memory: nothing of it is to be used */
    enum language language;
    const char *up;   /* from this page to the language's first page: "" or "../" */
    const char *back; /* from this page to the site's folder: "", "../" or "../../" */
    const struct page_server *server; /* of one that a server sends; NULL for a file */
};

/* The language's words, in which a "%s" may stand. */
const char *page_word(const struct page *page, enum word word);

/* A word in which "%s" stands for a value that is the scoreboard's own, or a number. */
void page_say(struct page *page, enum word word, const char *value);
void page_count(struct page *page, enum word word, size_t number);

/* Markup and words of the scoreboard's own. Never given a text that is not. */
void page_put(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Any bytes as text. & < > " ' become references; bytes that are no UTF-8, control characters (C1's too), marks and
 * overrides of direction, line separators, tags and noncharacters become a visible sign. At most `limit` characters,
 * and no more than eight combining marks in a row; what is left out is an ellipsis.
 */
void page_text(struct page *page, const char *text, size_t limit);

/* The same with its ends of lines, for <pre>. */
void page_lines(struct page *page, const char *text, size_t limit);

/* The same in a <bdi>, which keeps its direction of writing to itself: for names. */
void page_name(struct page *page, const char *name);

/* "1.234 ms", with four digits; a dash where `seconds` is NAN, for no time. */
void page_seconds(struct page *page, double seconds);

/* A moment in seconds since 1970 as <time>, in UTC: "2026-05-01 09:00:00". */
void page_moment(struct page *page, double moment);

void page_release(struct page *page);

enum { PAGE_NAME = 80, PAGE_MESSAGE = 2000 }; /* limits for page_text(), characters */

#endif
