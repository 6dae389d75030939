/*
 * canonical.h - JSON as the one text that depends on its content alone: what a record's signature is over.
 *
 * No library's own, so that the text stays the same whatever version writes it:
 *
 *   - no spaces or newlines; an object's keys sorted by their bytes
 *   - strings in UTF-8, with \" \\ \b \f \n \r \t and, for the other characters below U+0020, \u00XX in capital
 *     digits; nothing else is escaped
 *   - whole numbers as decimal digits; numbers that have . or e in the file as printf's %.17g prints the double, so
 *     20.0 as 20, whatever a tool in between made of it
 */
#ifndef VERIFY_CANONICAL_H
#define VERIFY_CANONICAL_H

#include <jansson.h>

/* The text of an object, without its own key `without`. The caller's to free(); NULL when memory is out. */
char *canonical_text(const json_t *object, const char *without);

#endif
