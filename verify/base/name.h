/*
 * name.h - which names from outside are allowed. This is the only place that defines it.
 *
 * Names of files become words of commands, rules of make and parts of paths. Names of teams and of their submissions
 * are only shown and stored. No kind may have a line end, a control character or bytes that are not UTF-8.
 */
#ifndef VERIFY_NAME_H
#define VERIFY_NAME_H

#include <stdbool.h>

enum name_kind {
    NAME_FILE,  /* a file of a submission: letters, digits and _ . + -, not - first, and not "." or ".." */
    NAME_PATH,  /* such files' names with one / between, none of them "." or ".." */
    NAME_WORD,  /* a name in settings: letters, digits and _ . -, a letter or digit first, at most 128 bytes, no ".." */
    NAME_WORDS, /* the same, with / too: a group of cases, a path below a folder */
    NAME_TEXT,  /* a team, a file that is handed in, a title: any text that text.h calls harmless */
};

bool name_is(const char *name, enum name_kind kind);

#endif
