/*
 * settings.h - a YAML file as a flat list of keys: "limits.time_limit" → "10".
 *
 * libyaml reads it. Keys of nested maps are joined by dots; elements of a sequence are numbered from 0. It refuses,
 * with file and line, all that could be read in two ways: anchors, tags, several documents, keys given twice, unknown
 * keys (also with an empty map or list), and zero bytes, which would end a text early.
 */
#ifndef VERIFY_SETTINGS_H
#define VERIFY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct setting {
    char *key;   /* "limits.time_limit" */
    char *value; /* the scalar's text */
    int line;    /* where it stands, from 1 */
};

struct settings {
    char *path;            /* the file's, for messages */
    struct setting *items; /* [count], in the file's order */
    size_t count;
};

/* Reads a file whose every key must match one of `known` (NULL-terminated; a trailing ".*" allows all below). */
bool settings_load(struct settings *settings, const char *path, const char *const *known, struct error *error);
void settings_release(struct settings *settings);

/*
 * The same, but it reports every stray key: `stray` gets the error of each key that is unknown or given twice, and
 * returns whether to continue without that key and everything below it.
 */
bool settings_load_past(struct settings *settings, const char *path, const char *const *known,
                        bool (*stray)(void *context, struct error *error), void *context, struct error *error);

/* The value of a key, or NULL. */
const char *settings_string(const struct settings *settings, const char *key);

/* Turns every key and value into one line that is safe to print (text.h). */
bool settings_show(struct settings *settings, struct error *error);

/* The setting of a key, or NULL. */
const struct setting *settings_item(const struct settings *settings, const char *key);

/* The one error of a value that is wrong: file, line, key, value and `why`. Returns false. */
bool settings_refuse(const struct settings *settings, const struct setting *item, const char *why,
                     struct error *error);

/* A value as a number (number.h), one of `names` (NULL-terminated), or a boolean: yes, no, true, false. */
bool settings_integer(const struct settings *settings, const struct setting *item, int64_t least, int64_t most,
                      int64_t *number, struct error *error);
bool settings_decimal(const struct settings *settings, const struct setting *item, double least, double most,
                      double *number, struct error *error);
bool settings_choice(const struct settings *settings, const struct setting *item, const char *const *names,
                     int *choice, struct error *error);
bool settings_boolean(const struct settings *settings, const struct setting *item, bool *value, struct error *error);

/* A number above 0 in *number, left as it is where the key is missing. */
bool settings_number(const struct settings *settings, const char *key, double *number, struct error *error);

#endif
