/*
 * reason.c - the words of reasons: the list of reason.h, as a table.
 */
#include "reason.h"

static const char *const words[REASON_KINDS] = {
#define REASON(name, text) [name] = text,
    REASONS(REASON)
#undef REASON
};

const char *reason_words(enum reason reason) { return words[reason]; }
