/*
 * text.h - text from outside the toolkit: its characters, and which of them may not reach a terminal or a page.
 */
#ifndef VERIFY_TEXT_H
#define VERIFY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_BROKEN UINT32_MAX

/*
 * The character at the start of `size` (> 0) bytes of UTF-8, and its length in bytes in *length; TEXT_BROKEN and 1 for
 * a byte that begins none. For text that a zero byte ends, SIZE_MAX may be given.
 */
uint32_t text_character(const char *text, size_t size, size_t *length);

/*
 * True if the character may affect a terminal, a page or the text around it, or is invisible: the control characters C0
 * (line ends too), DEL and C1, line and paragraph separators, characters that change the direction of writing or have
 * no width, noncharacters, and broken bytes. The toolkit never shows them in text from outside.
 */
bool text_steers(uint32_t character);

/*
 * Whether no character of the text steers. Joiners (U+200C, U+200D) between, and selectors (U+FE0E, U+FE0F) behind
 * letters of scripts that need them, or emoji, are part of the writing.
 */
bool text_is_harmless(const char *text);

/*
 * How the character at `text` is shown: as it is, or where it steers by its number, "<U+202E>"; a broken byte as
 * "<x9B>". Returns the piece's length; *length as text_character() has it. *before is the character before it, 0 for
 * none, and becomes this one. All that shows text from outside ends here.
 */
enum { TEXT_PIECE = 16 };
size_t text_piece(char piece[TEXT_PIECE], const char *text, size_t size, uint32_t *before, size_t *length);

/* Text as one line, in to[size], cut where there is no room: line ends and tabs are spaces, what steers is a number. */
void text_show(char *to, size_t size, const char *from);

/* The same in place: `string` has room for `size` bytes. */
void text_defuse(char *string, size_t size);

/* The same as a new string, of several `lines` or as one line. The caller's to free(); NULL when memory is out. */
char *text_shown(const char *from, bool lines);

/*
 * Returns the line, `length` bytes, of the compilers' and linkers' output that describes the error best, or NULL. It
 * prefers a linker's own message to its caller's, and an error to a word that looks like one. Submissions control most
 * of this output.
 */
const char *text_compile_error(const char *log, size_t *length);

#endif
