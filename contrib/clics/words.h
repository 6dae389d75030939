/*
 * words.h - the types of the CLICS Contest API 2023-06 that JSON has not: TIME, RELTIME, ID.
 *
 * https://ccs-specs.icpc.io/2023-06/contest_api#json-property-types
 */
#ifndef CLICS_WORDS_H
#define CLICS_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CLICS_TIME = 32, CLICS_ID = 37 };

/* Seconds since 1970 as "2026-05-01T09:00:00.000Z": always with milliseconds and in UTC, so that texts sort as moments
 * do. */
void clics_time(double seconds, char text[CLICS_TIME]);

/* Seconds as "1:22:05.034", "-0:00:01.500". */
void clics_reltime(double seconds, char text[CLICS_TIME]);

/* A number that is written without a point where it is whole. A new reference. */
json_t *clics_number(double value);

/* Whether a text is an ID: 1 to 36 of [a-zA-Z0-9_.-], no dash or dot first, no dot last. */
bool clics_is_id(const char *text);

/*
 * The ID of what is called `name`: the name itself where it is one, else `prefix`, a dash and 16 digits of the name's
 * SHA-256. A name that looks like such a digest is digested too, so that two names never share an ID by design.
 */
void clics_id(const char *prefix, const char *name, char id[CLICS_ID]);

/* The object of an array that has this `id`; NULL if there is none. */
json_t *clics_find(const json_t *array, const char *id);

#endif
