/*
 * words.h - everything that the scoreboard says, in each of its languages. A "%s" stands for what page_say() is given.
 *
 * Messages of the host and the compiler are in English everywhere, and marked as such.
 */
#ifndef SCOREBOARD_WORDS_H
#define SCOREBOARD_WORDS_H

enum language { ENGLISH, JAPANESE, LANGUAGES };

#define X(name, english, japanese) WORD_##name,
enum word {
#include "words.def"
    WORD_COUNT
};
#undef X

extern const char *const words[WORD_COUNT][LANGUAGES];

#endif
