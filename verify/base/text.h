/*
 * text.h - text from outside the toolkit: its characters, and what of them may not reach a terminal.
 */
#ifndef VERIFY_TEXT_H
#define VERIFY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_BROKEN UINT32_MAX

/*
 * The character at the start of `size` (> 0) bytes of UTF-8, and its length in bytes in *length; TEXT_BROKEN and 1 for
 * a byte that begins none. Text that a zero byte ends may be said to be SIZE_MAX bytes long.
 */
uint32_t text_character(const char *text, size_t size, size_t *length);

/*
 * Whether a terminal may obey the character: the control characters C0 (line ends too), DEL and C1, and broken bytes.
 */
bool text_steers(uint32_t character);

/*
 * The line, `length` bytes, of what compilers and linkers printed that says best what is wrong, or NULL: a linker's own
 * words rather than its caller's, an error rather than a word that looks like one. Submissions write most of it.
 */
const char *text_compile_error(const char *log, size_t *length);

/* Makes one line of a string that steers nothing: line ends and tabs become spaces, what steers becomes '?'. */
void text_defuse(char *string);

#endif
