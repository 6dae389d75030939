/*
 * canonical.h - JSON as a text that depends only on its content. A record's signature signs this text.
 *
 * It is not the format of a library, so that the text is the same for every version of the library:
 *
 *   - no spaces or newlines; an object's keys sorted by their bytes
 *   - strings in UTF-8, with \" \\ \b \f \n \r \t and, for the other characters below U+0020, \u00XX in capital
 *     digits; nothing else is escaped
 *   - whole numbers as decimal digits; numbers that have . or e in the file as printf's %.17g prints the double, so
 *     20.0 as 20, whatever a tool in between made of it
 *
 * All readers of a record or a result use canonical_read(), whose object is that of the canonical text. Two files with
 * the same text are the same object, so a reader can see nothing that is not signed.
 */
#ifndef VERIFY_CANONICAL_H
#define VERIFY_CANONICAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/*
 * Returns the object in `size` bytes of JSON; the caller calls json_decref(). A number is an integer if its canonical
 * text has only digits, else a real. Returns NULL, with an error that names the place, for anything that is not a JSON
 * object, and for all that programs read in several ways: keys given twice, zero bytes in texts, broken UTF-8, halves
 * of surrogate pairs, numbers that do not fit 64 bits or a double, and text after the end.
 */
json_t *canonical_read(const char *bytes, size_t size, struct error *error);

/* The same of a file, up to 1 GiB. */
json_t *canonical_read_file(const char *path, struct error *error);

/* The text of an object, without its own key `without`. The caller's to free(); NULL when memory is out. */
char *canonical_text(const json_t *object, const char *without);

#endif
