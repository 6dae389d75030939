/*
 * words.c - the table of words.h.
 */
#include "words.h"

#define WORD_ROW(name, english, japanese) { english, japanese },
const char *const words[WORD_COUNT][LANGUAGES] = { WORDS(WORD_ROW) };
