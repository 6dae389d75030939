/*
 * layout.h - what all pages have in common: head and policy, navigation, footer; tables; badges of verdicts.
 */
#ifndef SCOREBOARD_LAYOUT_H
#define SCOREBOARD_LAYOUT_H

#include "board.h"
#include "page.h"

/* Where a page stands: the folder below the language's, "" or "problem/", and its file's name without ".html". */
struct place {
    const char *folder, *file;
};

/* The SHA-256 of a text, or of the style sheet, in base64, as a policy has it; size at least 64. */
void layout_digest(const char *text, char *digest, size_t size);
void layout_style_digest(char *digest, size_t size);

/*
 * A page's parts in order: layout_begin(), its title by page_*(), layout_main(), the contents of <main>, layout_end().
 * The policy allows nothing but the style sheet in the page itself, known by its digest: no script, no request.
 */
void layout_begin(struct page *page, enum language language, const struct place *place, const char *digest);
void layout_main(struct page *page, const struct board *board, const struct place *place);
void layout_end(struct page *page, const struct board *board);

/*
 * What stands between the two is replaced when something has changed, in a page that a server sends: `id` is unique in
 * the page.
 */
void layout_live(struct page *page, const char *id);
void layout_live_end(struct page *page);

/*
 * A table that scrolls within its own frame where it is too wide, by keys too: `id` is the caption's, unique in a page.
 * layout_table_head() writes the head's cells, words up to WORD_COUNT; those in `numbers`, a bit each, are numbers.
 */
void layout_table_begin(struct page *page, const char *id, const char *classes);
void layout_table_caption_end(struct page *page);
void layout_table_head(struct page *page, unsigned numbers, const enum word *head);
void layout_table_end(struct page *page);

/* A head's cell, or a cell with a quotient of two positive numbers, where its column is wanted. */
void layout_head(struct page *page, bool wanted, bool number, enum word name);
void layout_ratio(struct page *page, bool wanted, const char *format, double over, double under);

/* A verdict as a badge, "AC accepted": `brief` leaves the words to screen readers. NULL: being judged, or hidden. */
void layout_verdict(struct page *page, const char *verdict, bool hidden, bool brief);

/* What a problem is called: its id, and its title where there is one. */
void layout_problem(struct page *page, const struct board *board, size_t problem);

#endif
