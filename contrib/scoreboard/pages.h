/*
 * pages.h - the three kinds of pages. Each fills an empty page in one language.
 */
#ifndef SCOREBOARD_PAGES_H
#define SCOREBOARD_PAGES_H

#include "layout.h"

/* index.html: the standings. */
void page_index(struct page *page, enum language language, const struct board *board, const char *digest);

/* problem/ID.html. The entries' times are to be filled (detail_load()). False without memory. */
bool page_problem(struct page *page, enum language language, const struct board *board, size_t problem,
                  const char *digest);

/* The part of a problem's page that counts and sums up; nothing where nothing counts. False without memory. */
bool page_statistics(struct page *page, const struct board *board, size_t problem);

/* submission/N.html */
void page_submission(struct page *page, enum language language, const struct board *board, const struct entry *entry,
                     const struct detail *detail, const char *digest);

/* The same up to the end of what is live: layout_live_end() and layout_end() are still to come. */
void page_submission_begin(struct page *page, enum language language, const struct board *board,
                           const struct entry *entry, const struct detail *detail, const char *digest);

#endif
