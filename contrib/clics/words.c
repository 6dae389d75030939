/*
 * words.c - moments, durations and identifiers as texts.
 */
#include "words.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "verify/base/digest.h"

/*
 * Rounded down, so that nothing crosses the start, the freeze or the end by it; but for what a double of such a moment
 * may lack (0.24 us).
 */
static int64_t milliseconds_of(double seconds) { return (int64_t)floor(seconds * 1000 + 0.0005); }

void clics_time(double seconds, char text[CLICS_TIME])
{
    const int64_t milliseconds = milliseconds_of(seconds);
    int64_t part = milliseconds % 1000;
    time_t whole;
    struct tm parts;
    char day[24];

    part = part < 0 ? part + 1000 : part;
    whole = (time_t)((milliseconds - part) / 1000);
    gmtime_r(&whole, &parts);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, CLICS_TIME, "%s.%03dZ", day, (int)part);
}

void clics_reltime(double seconds, char text[CLICS_TIME])
{
    const int64_t all = milliseconds_of(seconds), size = all < 0 ? -all : all;

    snprintf(text, CLICS_TIME, "%s%jd:%02d:%02d.%03d", all < 0 ? "-" : "", (intmax_t)(size / 3600000),
             (int)(size / 60000 % 60), (int)(size / 1000 % 60), (int)(size % 1000));
}

json_t *clics_number(double value)
{
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

bool clics_is_id(const char *text)
{
    const size_t length = strlen(text);

    return length > 0 && length < CLICS_ID && text[0] != '-' && text[0] != '.' && text[length - 1] != '.' &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length;
}

void clics_id(const char *prefix, const char *name, char id[CLICS_ID])
{
    const size_t length = strlen(prefix);
    const bool looks_digested = strncmp(name, prefix, length) == 0 && name[length] == '-' &&
                                strspn(name + length + 1, "0123456789abcdef") == 16 && name[length + 17] == '\0';
    char hex[DIGEST_HEX];

    if (clics_is_id(name) && !looks_digested) {
        snprintf(id, CLICS_ID, "%s", name);
        return;
    }
    digest_bytes(name, strlen(name), hex);
    snprintf(id, CLICS_ID, "%s-%.16s", prefix, hex);
}

json_t *clics_find(const json_t *array, const char *id)
{
    json_t *object;
    size_t i;

    json_array_foreach(array, i, object) {
        const char *own = json_string_value(json_object_get(object, "id"));

        if (own && strcmp(own, id) == 0)
            return object;
    }
    return NULL;
}
