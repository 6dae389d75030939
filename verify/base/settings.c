/*
 * settings.c - YAML events into a flat list.
 */
#include "settings.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "number.h"
#include "text.h"

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
    bool begun; /* the document */
    int skipped; /* open levels below a key that is left out */
    bool (*stray)(void *context, struct error *error); /* or NULL */
    void *context;
};

static bool refuse(struct reader *reader, const yaml_event_t *event, const char *what)
{
    return error_usage(reader->error, "%s:%zu: %s", reader->settings->path, event->start_mark.line + 1, what);
}

/* The same for one key, which may be left out. */
static bool refuse_key(struct reader *reader, const yaml_event_t *event, const char *what)
{
    return refuse(reader, event, what) || (reader->stray && reader->stray(reader->context, reader->error));
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

/* Whether a list or a map may stand at `key`: some known key lies below it. */
static bool key_is_parent(const char *const *known, const char *key)
{
    const size_t length = strlen(key);

    for (; *known; known++) {
        const size_t all = strlen(*known);

        if (length == 0 || (strncmp(key, *known, length) == 0 && (*known)[length] == '.'))
            return true;
        if (all > 2 && strcmp(*known + all - 2, ".*") == 0 && strncmp(key, *known, all - 1) == 0)
            return true;
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
    char key[sizeof level->key], what[320];

    if (reader->depth == MAX_DEPTH)
        return refuse(reader, event, "nested too deeply");
    level = reader->depth > 0 ? &reader->levels[reader->depth - 1] : NULL;
    if (level && !level->sequence && !level->expect_value)
        return refuse(reader, event, "a list or a map cannot be a key");
    if (!level && sequence)
        return refuse(reader, event, "a map of keys is expected");
    if (!node_key(reader, event, key, sizeof key))
        return false;
    if (!key_is_parent(reader->known, key)) {
        snprintf(what, sizeof what, key_is_known(reader->known, key) ? "'%s' must have one value" : "unknown key '%s'",
                 key);
        reader->skipped = 1;
        return refuse_key(reader, event, what);
    }
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
        return refuse_key(reader, event, what);
    }
    if (settings_string(settings, key)) {
        snprintf(what, sizeof what, "key '%s' is given twice", key);
        return refuse_key(reader, event, what);
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
    if (strlen((const char *)event->data.scalar.value) != event->data.scalar.length)
        return refuse(reader, event, "a zero byte (\\0) in the text");
    if (level->sequence || level->expect_value)
        return add(reader, event);
    level->expect_value = true;
    if (event->data.scalar.length >= sizeof level->pending)
        return refuse(reader, event, "the key is too long");
    snprintf(level->pending, sizeof level->pending, "%s", (const char *)event->data.scalar.value);
    return true;
}

/* An anchor or a tag of a node, or NULL. The tag "!" is what libyaml makes of no tag at all, for some nodes. */
static const char *decoration(const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;

    if (event->type == YAML_SCALAR_EVENT)
        anchor = event->data.scalar.anchor, tag = event->data.scalar.tag;
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        anchor = event->data.sequence_start.anchor, tag = event->data.sequence_start.tag;
    else if (event->type == YAML_MAPPING_START_EVENT)
        anchor = event->data.mapping_start.anchor, tag = event->data.mapping_start.tag;
    return anchor ? "anchors (&) are not supported" : tag ? "tags (!) are not supported" : NULL;
}

/* An event below a key that is left out. */
static bool skip(struct reader *reader, const yaml_event_t *event)
{
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT)
        reader->skipped++;
    else if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT)
        reader->skipped--;
    return true;
}

static bool take(struct reader *reader, const yaml_event_t *event)
{
    if (reader->skipped > 0)
        return skip(reader, event);
    if (decoration(event))
        return refuse(reader, event, decoration(event));
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (reader->begun)
            return refuse(reader, event, "a second document (---) is not supported");
        return reader->begun = true;
    case YAML_SCALAR_EVENT: return take_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT: return open_level(reader, event, true);
    case YAML_MAPPING_START_EVENT: return open_level(reader, event, false);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: reader->depth--; return true;
    case YAML_ALIAS_EVENT: return refuse(reader, event, "aliases are not supported");
    default: return true;
    }
}

/* What to do about a line that is no YAML: libyaml's words name what it looked for, and not the writer's mistake. */
static const char *advice(const char *problem)
{
    static const struct {
        const char *problem, *advice;
    } known[] = {
        { "tab character", "; indent with spaces, not with tabs" },
        { "cannot start any token", "; indent with spaces, not with tabs; put text that begins with a sign in quotes" },
        { "mapping values are not allowed", "; put text with a colon in quotes, or correct the indentation" },
        { "expected ':'", "; a key needs a colon and a space after it" },
        { "expected key", "; the keys of one list entry or group begin in the same column" },
        { "unexpected end of stream", "; a quote or a bracket is not closed" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(problem, known[i].problem))
            return known[i].advice;
    return "";
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
            const char *problem = parser.problem ? parser.problem : "not YAML";

            ok = error_usage(reader->error, "%s:%zu: %s%s", reader->settings->path, parser.problem_mark.line + 1,
                             problem, advice(problem));
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
    return settings_load_past(settings, path, known, NULL, NULL, error);
}

bool settings_load_past(struct settings *settings, const char *path, const char *const *known,
                        bool (*stray)(void *context, struct error *error), void *context, struct error *error)
{
    struct reader reader = { .settings = settings, .known = known, .error = error, .stray = stray,
                             .context = context };
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

static bool replace_shown(char **text)
{
    char *shown = text_shown(*text, false);

    free(*text);
    *text = shown;
    return shown != NULL;
}

bool settings_show(struct settings *settings, struct error *error)
{
    bool ok = true;

    for (size_t i = 0; ok && i < settings->count; i++)
        ok = replace_shown(&settings->items[i].key) && replace_shown(&settings->items[i].value);
    if (!ok) {
        settings_release(settings);
        return error_toolkit(error, "out of memory");
    }
    return true;
}

const struct setting *settings_item(const struct settings *settings, const char *key)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].key, key) == 0)
            return &settings->items[i];
    return NULL;
}

const char *settings_string(const struct settings *settings, const char *key)
{
    const struct setting *item = settings_item(settings, key);

    return item ? item->value : NULL;
}

/* ------------------------------------------------------------------ values */

bool settings_refuse(const struct settings *settings, const struct setting *item, const char *why, struct error *error)
{
    return error_usage(error, "%s:%d: '%s: %.80s' %s", settings->path, item->line, item->key, item->value, why);
}

bool settings_integer(const struct settings *settings, const struct setting *item, int64_t least, int64_t most,
                      int64_t *number, struct error *error)
{
    char why[128];

    if (number_integer(item->value, least, most, number))
        return true;
    snprintf(why, sizeof why, "is not a whole number from %" PRId64 " to %" PRId64, least, most);
    return settings_refuse(settings, item, why, error);
}

bool settings_decimal(const struct settings *settings, const struct setting *item, double least, double most,
                      double *number, struct error *error)
{
    char why[128];

    if (number_decimal(item->value, least, most, number))
        return true;
    snprintf(why, sizeof why, "is not a number from %g to %g", least, most);
    return settings_refuse(settings, item, why, error);
}

bool settings_choice(const struct settings *settings, const struct setting *item, const char *const *names,
                     int *choice, struct error *error)
{
    char why[256] = "must be one of:";

    for (*choice = 0; names[*choice]; ++*choice) {
        const size_t used = strlen(why);

        if (strcmp(item->value, names[*choice]) == 0)
            return true;
        snprintf(why + used, sizeof why - used, " %s", names[*choice]);
    }
    return settings_refuse(settings, item, why, error);
}

bool settings_boolean(const struct settings *settings, const struct setting *item, bool *value, struct error *error)
{
    static const char *const names[] = { "no", "yes", "false", "true", NULL };
    int choice;

    if (!settings_choice(settings, item, names, &choice, error))
        return false;
    *value = choice % 2 == 1;
    return true;
}

bool settings_number(const struct settings *settings, const char *key, double *number, struct error *error)
{
    const struct setting *item = settings_item(settings, key);

    return !item || number_decimal(item->value, DBL_MIN, DBL_MAX, number) ||
           settings_refuse(settings, item, "is not a number above 0", error);
}
