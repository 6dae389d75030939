/*
 * words.c - words.def as a table.
 */
#include "words.h"

#define X(name, english, japanese) { english, japanese },
const char *const words[WORD_COUNT][LANGUAGES] = {
#include "words.def"
};
#undef X
