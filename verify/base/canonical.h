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
 *
 * What reads a record or a result reads it by canonical_read(), whose object is that of the canonical text: two files
 * with the same text are the same object, so nothing that a reader can see lies outside what is signed.
 */
#ifndef VERIFY_CANONICAL_H
#define VERIFY_CANONICAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * The object that `size` bytes of JSON hold; the caller's to json_decref(). A number is an integer where its canonical
 * text has digits alone, and else a real. NULL with an error, which says where, for what is no JSON object, and for all
 * that programs read in several ways: keys given twice, zero bytes in texts, broken UTF-8, halves of surrogate pairs,
 * numbers that 64 bits or a double do not hold, more behind the end.
 */
json_t *canonical_read(const char *bytes, size_t size, struct error *error);

/* The same of a file, up to 1 GiB. */
json_t *canonical_read_file(const char *path, struct error *error);

/* The text of an object, without its own key `without`. The caller's to free(); NULL when memory is out. */
char *canonical_text(const json_t *object, const char *without);

#endif
