/*
 * formula.h - the formulas of a statement, which are TeX, as MathML, which browsers show without a script.
 *
 * It knows what statements use: scripts, fractions, roots, sums, parentheses that grow, spaces, and names of symbols.
 */
#ifndef SERVE_FORMULA_H
#define SERVE_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "contrib/scoreboard/page.h"

/*
 * Puts the formula of `size` bytes, without its dollar signs; block: on a line of its own. If it has something that is
 * unknown here, it puts the TeX as text, so that a reader loses nothing, and returns false.
 */
bool formula_put(struct page *page, const char *tex, size_t size, bool block);

#endif
