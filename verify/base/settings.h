/*
 * settings.h - a YAML file as a flat list of keys: "limits.time_limit" → "10".
 *
 * Read by libyaml. Keys of nested maps are joined by dots, elements of a sequence numbered from 0. Anchors,
 * tags and several documents are refused: no format this toolkit reads has them.
 */
#ifndef VERIFY_SETTINGS_H
#define VERIFY_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

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

/* The value of a key, or NULL. */
const char *settings_string(const struct settings *settings, const char *key);

/* A number above 0 in *number, left as it is where the key is missing. */
bool settings_number(const struct settings *settings, const char *key, double *number, struct error *error);

#endif
