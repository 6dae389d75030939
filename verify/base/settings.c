/*
 * settings.c - YAML events into a flat list.
 */
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 8, MAX_ITEMS = 4096 };

/* An open map or sequence. */
struct level {
    char key[256];     /* of the node itself */
    bool sequence;     /* else a map */
    size_t index;      /* of the next element of a sequence */
    bool expect_value; /* in a map: the key has been read into `pending` */
    char pending[128]; /* that key */
};

struct reader {
    struct settings *settings;
    const char *const *known;
    struct error *error;
    struct level levels[MAX_DEPTH];
    int depth; /* open levels */
};

static bool refuse(struct reader *reader, const yaml_event_t *event, const char *what)
{
    return error_usage(reader->error, "%s:%zu: %s", reader->settings->path, event->start_mark.line + 1, what);
}

static bool key_is_known(const char *const *known, const char *key)
{
    for (; *known; known++) {
        size_t length = strlen(*known);

        if (length > 2 && strcmp(*known + length - 2, ".*") == 0) {
            if (strncmp(key, *known, length - 1) == 0)
                return true;
        } else if (strcmp(key, *known) == 0) {
            return true;
        }
    }
    return false;
}

/* The full key of the node that starts now. False with an error when it is too long. */
static bool node_key(struct reader *reader, const yaml_event_t *event, char *key, size_t size)
{
    struct level *level = reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;
    const char *dot = level && level->key[0] ? "." : "";
    int length;

    if (!level)
        length = snprintf(key, size, "%s", "");
    else if (level->sequence)
        length = snprintf(key, size, "%s%s%zu", level->key, dot, level->index++);
    else
        length = snprintf(key, size, "%s%s%s", level->key, dot, level->pending);
    if (level)
        level->expect_value = false;
    return (length >= 0 && (size_t)length < size) || refuse(reader, event, "the key is too long");
}

static bool open_level(struct reader *reader, const yaml_event_t *event, bool sequence)
{
    struct level *level;
    char key[sizeof level->key];

    if (reader->depth == MAX_DEPTH)
        return refuse(reader, event, "nested too deeply");
    if (!node_key(reader, event, key, sizeof key))
        return false;
    level = &reader->levels[reader->depth++];
    *level = (struct level){ .sequence = sequence };
    memcpy(level->key, key, sizeof key);
    return true;
}

static bool add(struct reader *reader, const yaml_event_t *event)
{
    struct settings *settings = reader->settings;
    char key[sizeof reader->levels[0].key], what[320];
    struct setting *item;

    if (!node_key(reader, event, key, sizeof key))
        return false;
    if (!key_is_known(reader->known, key)) {
        snprintf(what, sizeof what, "unknown key '%s'", key);
        return refuse(reader, event, what);
    }
    if (settings_string(settings, key)) {
        snprintf(what, sizeof what, "key '%s' is given twice", key);
        return refuse(reader, event, what);
    }
    if (settings->count == MAX_ITEMS)
        return refuse(reader, event, "too many keys");
    item = &settings->items[settings->count];
    item->key = strdup(key);
    item->value = strdup((const char *)event->data.scalar.value);
    item->line = (int)event->start_mark.line + 1;
    settings->count++;
    return (item->key && item->value) || error_toolkit(reader->error, "out of memory");
}

static bool take_scalar(struct reader *reader, const yaml_event_t *event)
{
    struct level *level = reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;

    if (!level)
        return refuse(reader, event, "a map of keys is expected");
    if (level->sequence || level->expect_value)
        return add(reader, event);
    level->expect_value = true;
    if (event->data.scalar.length >= sizeof level->pending)
        return refuse(reader, event, "the key is too long");
    snprintf(level->pending, sizeof level->pending, "%s", (const char *)event->data.scalar.value);
    return true;
}

static bool take(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT: return take_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT: return open_level(reader, event, true);
    case YAML_MAPPING_START_EVENT: return open_level(reader, event, false);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: reader->depth--; return true;
    case YAML_ALIAS_EVENT: return refuse(reader, event, "aliases are not supported");
    default: return true;
    }
}

static bool read_events(struct reader *reader, FILE *file)
{
    yaml_parser_t parser;
    bool ok = true, end = false;

    if (!yaml_parser_initialize(&parser))
        return error_toolkit(reader->error, "out of memory");
    yaml_parser_set_input_file(&parser, file);
    while (ok && !end) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event)) {
            ok = error_usage(reader->error, "%s:%zu: %s", reader->settings->path, parser.problem_mark.line + 1,
                             parser.problem ? parser.problem : "not YAML");
            break;
        }
        end = event.type == YAML_STREAM_END_EVENT;
        ok = take(reader, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}

bool settings_load(struct settings *settings, const char *path, const char *const *known, struct error *error)
{
    struct reader reader = { .settings = settings, .known = known, .error = error };
    FILE *file = fopen(path, "re");
    bool ok;

    *settings = (struct settings){ 0 };
    if (!file)
        return error_usage(error, "cannot open '%s': %s", path, strerror(errno));
    settings->path = strdup(path);
    settings->items = calloc(MAX_ITEMS, sizeof *settings->items);
    ok = (settings->path && settings->items) || error_toolkit(error, "out of memory");
    ok = ok && read_events(&reader, file);
    fclose(file);
    if (!ok)
        settings_release(settings);
    return ok;
}

void settings_release(struct settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i].key);
        free(settings->items[i].value);
    }
    free(settings->items);
    free(settings->path);
    *settings = (struct settings){ 0 };
}

const char *settings_string(const struct settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].key, key) == 0)
            return settings->items[i].value;
    return NULL;
}

bool settings_number(const struct settings *settings, const char *key, double *number, struct error *error)
{
    const char *text = settings_string(settings, key);
    char *end;
    double value;

    if (!text)
        return true;
    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !isfinite(value) || !(value > 0))
        return error_usage(error, "%s: '%s: %s' is not a number above 0", settings->path, key, text);
    *number = value;
    return true;
}
