/*
 * feed.c - replay, difference, append.
 */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/base/blob.h"

enum { FEED_BYTES = 1 << 30, FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(15) };

/* In the order of references: a type refers to those before it alone. */
static const char *const configured[] = { "judgement-types", "languages", "problems",       "groups",
                                          "organizations",   "teams",     "clarifications", "awards" };
static const char *const live[] = { "submissions", "judgements", "runs" };

enum { CONFIGURED = sizeof configured / sizeof configured[0], LIVE = sizeof live / sizeof live[0] };

static bool is_single(const char *type) { return strcmp(type, "contest") == 0 || strcmp(type, "state") == 0; }

static bool is_type(const char *type)
{
    for (size_t i = 0; i < CONFIGURED; i++)
        if (strcmp(type, configured[i]) == 0)
            return true;
    for (size_t i = 0; i < LIVE; i++)
        if (strcmp(type, live[i]) == 0)
            return true;
    return is_single(type);
}

/* ------------------------------------------------------------------ replay */

/* The objects of a type, made empty where there are none yet. */
static json_t *of_type(json_t *state, const char *type)
{
    json_t *all = json_object_get(state, type);

    if (!all) {
        all = json_object();
        json_object_set_new(state, type, all);
    }
    return all;
}

static void apply(json_t *state, const char *type, const char *id, json_t *data)
{
    if (is_single(type))
        json_object_set(state, type, data);
    else if (json_is_null(data))
        json_object_del(of_type(state, type), id);
    else
        json_object_set(of_type(state, type), id, data);
}

/* One line of the log. False where it is no notification as this program writes them. */
static bool replay(struct feed *feed, const char *line, size_t length)
{
    json_t *event = json_loadb(line, length, 0, NULL), *data = json_object_get(event, "data");
    const char *type = json_string_value(json_object_get(event, "type")),
               *id = json_string_value(json_object_get(event, "id")),
               *token = json_string_value(json_object_get(event, "token"));
    char wanted[64];
    bool ok;

    snprintf(wanted, sizeof wanted, "%s-%zu", feed->prefix, feed->count + 1);
    ok = type && token && data && is_type(type) && (id != NULL) == !is_single(type) && strcmp(token, wanted) == 0;
    if (ok)
        apply(feed->state, type, id, data);
    feed->count += ok;
    json_decref(event);
    return ok;
}

bool feed_load(struct feed *feed, const char *path, const char *prefix, struct error *error)
{
    struct blob blob = { 0 };
    const char *at, *end, *newline;
    bool ok = true;

    *feed = (struct feed){ .state = json_object(), .path = path };
    snprintf(feed->prefix, sizeof feed->prefix, "%s", prefix);
    if (!feed->state)
        return error_toolkit(error, "out of memory");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (!blob_read_file(&blob, path, FEED_BYTES, error))
        return false;
    for (at = (const char *)blob.data, end = at + blob.size; ok && at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        ok = newline && replay(feed, at, (size_t)(newline - at));
        if (!ok)
            error_usage(
                error,
                "%s: line %zu is not a notification of this contest and view; clients have seen the file, so it is "
                "not mended: move it away to begin a new feed",
                path, feed->count + 1);
    }
    if (ok && blob.size > 0 && !(feed->text = malloc(blob.size)))
        ok = error_toolkit(error, "out of memory for '%s'", path);
    if (feed->text) {
        memcpy(feed->text, blob.data, blob.size);
        feed->size = feed->capacity = blob.size;
    }
    blob_release(&blob);
    return ok;
}

void feed_release(struct feed *feed)
{
    json_decref(feed->state);
    free(feed->text);
    *feed = (struct feed){ 0 };
}

/* ------------------------------------------------------------------ differences */

/* The order of events of one moment. */
enum kind {
    KIND_TIMELESS, /* in the order of its endpoint, whatever the moment */
    KIND_STATE,
    KIND_SUBMISSION,
    KIND_BEGINNING, /* of a judgement */
    KIND_RUN,
    KIND_END, /* of a judgement */
};

struct event {
    const char *type;
    char id[40], when[40]; /* "" of contest and state; the moment, for those in order of time */
    enum kind kind;
    size_t number;         /* and of those of one kind */
    json_t *data;          /* its own reference; null for a deletion */
};

struct events {
    struct event *items; /* [count] */
    size_t count, capacity;
    bool failed; /* memory was short */
};

static void push(struct events *events, const char *type, const char *id, const char *when, enum kind kind,
                 json_t *data)
{
    if (events->count == events->capacity) {
        const size_t capacity = events->capacity ? 2 * events->capacity : 256;
        struct event *grown = reallocarray(events->items, capacity, sizeof *grown);

        if (!grown) {
            events->failed = true;
            return;
        }
        events->items = grown, events->capacity = capacity;
    }
    events->items[events->count] =
        (struct event){ .type = type, .kind = kind, .number = events->count, .data = json_incref(data) };
    snprintf(events->items[events->count].id, sizeof events->items[0].id, "%s", id ? id : "");
    snprintf(events->items[events->count].when, sizeof events->items[0].when, "%s", when ? when : "");
    events->count++;
}

static int by_time(const void *a, const void *b)
{
    const struct event *one = a, *other = b;
    const int order = strcmp(one->when, other->when);

    if (order != 0)
        return order;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static const char *later(const char *a, const char *b) { return strcmp(a, b) > 0 ? a : b; }

/* ID → object, of an endpoint's array. */
static json_t *by_id(const json_t *array)
{
    json_t *all = json_object(), *object;
    size_t i;

    json_array_foreach(array, i, object)
        json_object_set(all, text_of(object, "id"), object);
    return all;
}

/* New and changed objects of a type, in the endpoint's order. */
static void find_changes(struct events *events, json_t *old, const json_t *new, const char *type)
{
    const json_t *array = json_object_get(new, type), *known = of_type(old, type);
    json_t *object;
    size_t i;

    json_array_foreach(array, i, object) {
        const char *id = text_of(object, "id");

        if (!json_equal(object, json_object_get(known, id)))
            push(events, type, id, NULL, KIND_TIMELESS, object);
    }
}

static void find_deletions(struct events *events, json_t *old, const json_t *new, const char *type)
{
    json_t *known = of_type(old, type), *now = by_id(json_object_get(new, type)), *object;
    const char *id;

    json_object_foreach(known, id, object)
        if (!json_object_get(now, id))
            push(events, type, id, NULL, KIND_TIMELESS, json_null());
    json_decref(now);
}

/* A judgement as it was when it began. */
static json_t *begun(const json_t *judgement)
{
    json_t *object = json_object();
    static const char *const kept[] = { "id", "submission_id", "start_time", "start_contest_time" }, *const open[] = {
        "judgement_type_id", "end_time", "end_contest_time"
    };

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        json_object_set(object, kept[i], json_object_get(judgement, kept[i]));
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
        json_object_set_new(object, open[i], json_null());
    return object;
}

/* The state's own steps, each at its moment, from what the log says to what is now. */
static void find_states(struct events *events, json_t *old, const json_t *new)
{
    static const char *const steps[] = { "started", "frozen", "ended", "thawed", "finalized" };
    const json_t *state = json_object_get(new, "state"), *before = json_object_get(old, "state");
    json_t *now = json_object(), *value;
    const char *key;

    json_object_foreach((json_t *)state, key, value)
        json_object_set_new(now, key, json_null());
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        value = json_object_get(state, steps[i]);
        if (!json_is_string(value))
            continue;
        json_object_set(now, steps[i], value);
        if (!json_equal(value, json_object_get(before, steps[i]))) {
            json_t *copy = json_copy(now);

            push(events, "state", NULL, json_string_value(value), KIND_STATE, copy);
            json_decref(copy);
        }
    }
    json_decref(now);
}

/*
 * Submissions, judgements and runs as they came about. A clock may have been set back between two of them, so each is
 * put no earlier than what it refers to.
 */
static void find_live(struct events *events, json_t *old, const json_t *new)
{
    const json_t *known = of_type(old, "judgements");
    json_t *submissions = by_id(json_object_get(new, "submissions")), *starts = json_object(), *ends = json_object();
    json_t *object;
    size_t i, first = events->count;

    find_changes(events, old, new, "submissions");
    for (i = first; i < events->count; i++) {
        snprintf(events->items[i].when, sizeof events->items[i].when, "%s", text_of(events->items[i].data, "time"));
        events->items[i].kind = KIND_SUBMISSION;
    }
    json_array_foreach(json_object_get(new, "judgements"), i, object)
        json_object_set_new(
            starts, text_of(object, "id"),
            json_string(later(text_of(json_object_get(submissions, text_of(object, "submission_id")), "time"),
                              text_of(object, "start_time"))));
    json_array_foreach(json_object_get(new, "runs"), i, object) {
        const char *judgement = text_of(object, "judgement_id"),
                   *when = later(text_of(starts, judgement), text_of(object, "time"));

        json_object_set_new(ends, judgement, json_string(later(text_of(ends, judgement), when)));
        if (!json_equal(object, json_object_get(of_type(old, "runs"), text_of(object, "id"))))
            push(events, "runs", text_of(object, "id"), when, KIND_RUN, object);
    }
    json_array_foreach(json_object_get(new, "judgements"), i, object) {
        const char *id = text_of(object, "id"), *start = text_of(starts, id);
        const bool done = json_is_string(json_object_get(object, "judgement_type_id"));

        if (json_equal(object, json_object_get(known, id)))
            continue;
        if (!json_object_get(known, id)) {
            json_t *beginning = begun(object);

            push(events, "judgements", id, start, KIND_BEGINNING, beginning);
            json_decref(beginning);
        }
        if (done)
            push(events, "judgements", id, later(later(start, text_of(ends, id)), text_of(object, "end_time")),
                 KIND_END, object);
    }
    find_states(events, old, new);
    if (events->count > first)
        qsort(events->items + first, events->count - first, sizeof *events->items, by_time);
    json_decref(submissions);
    json_decref(starts);
    json_decref(ends);
}

/* ------------------------------------------------------------------ append */

static bool write_event(struct feed *feed, const struct event *event, struct error *error)
{
    char token[64], *line;
    size_t length;
    json_t *object;

    snprintf(token, sizeof token, "%s-%zu", feed->prefix, feed->count + 1);
    object = json_pack("{s:s, s:s?, s:O, s:s}", "type", event->type, "id", event->id[0] ? event->id : NULL, "data",
                       event->data, "token", token);
    line = object ? json_dumps(object, FLAGS) : NULL;
    json_decref(object);
    if (!line)
        return error_toolkit(error, "out of memory");
    length = strlen(line);
    if (feed->size + length + 1 > feed->capacity) {
        const size_t capacity = 2 * (feed->size + length + 1);
        char *grown = realloc(feed->text, capacity);

        if (!grown) {
            free(line);
            return error_toolkit(error, "out of memory");
        }
        feed->text = grown, feed->capacity = capacity;
    }
    memcpy(feed->text + feed->size, line, length);
    feed->text[feed->size + length] = '\n';
    feed->size += length + 1;
    feed->count++;
    free(line);
    apply(feed->state, event->type, event->id, event->data);
    return true;
}

static void find_events(struct events *events, json_t *old, const json_t *new)
{
    json_t *contest = json_object_get(new, "contest");

    if (!json_equal(contest, json_object_get(old, "contest")))
        push(events, "contest", NULL, NULL, KIND_TIMELESS, contest);
    for (size_t i = 0; i < CONFIGURED; i++)
        find_changes(events, old, new, configured[i]);
    /* What no longer counts goes before what does instead, so that no submission has two judgements at a time. */
    find_deletions(events, old, new, "runs");
    find_deletions(events, old, new, "judgements");
    find_live(events, old, new);
    find_deletions(events, old, new, "submissions");
    for (size_t i = CONFIGURED; i-- > 0;)
        find_deletions(events, old, new, configured[i]);
}

bool feed_append(struct feed *feed, const json_t *objects, struct error *error)
{
    /* As a reader of the file will see it: numbers with the digits that are written. */
    char *text = json_dumps(objects, FLAGS);
    json_t *new = text ? json_loads(text, 0, NULL) : NULL;
    const bool over = json_is_string(json_object_get(json_object_get(feed->state, "state"), "end_of_updates"));
    struct events events = { 0 };
    bool ok = new != NULL || error_toolkit(error, "out of memory");

    free(text);
    if (ok) {
        find_events(&events, feed->state, new);
        ok = !events.failed || error_toolkit(error, "out of memory");
    }
    if (ok && over &&
        (events.count > 0 || !json_equal(json_object_get(new, "state"), json_object_get(feed->state, "state"))))
        ok = error_usage(
            error,
            "%s: the feed has told that there are no more updates, and something has changed since; move it "
            "away to begin a new feed",
            feed->path);
    for (size_t i = 0; ok && i < events.count; i++)
        ok = write_event(feed, &events.items[i], error);
    /* The state once more where its steps did not come to it: end_of_updates is the last of all, or a time was moved.
     */
    if (ok && !json_equal(json_object_get(new, "state"), json_object_get(feed->state, "state"))) {
        const struct event last = { .type = "state", .data = json_object_get(new, "state") };

        ok = write_event(feed, &last, error);
    }
    for (size_t i = 0; i < events.count; i++)
        json_decref(events.items[i].data);
    free(events.items);
    json_decref(new);
    return ok;
}

int64_t feed_after(const struct feed *feed, const char *token)
{
    const size_t length = strlen(feed->prefix);
    const size_t number = strlen(token) > length + 1 ? strtoul(token + length + 1, NULL, 10) : 0;
    const char *at = feed->text;
    char again[64];

    snprintf(again, sizeof again, "%s-%zu", feed->prefix, number);
    if (number == 0 || number > feed->count || strcmp(again, token) != 0)
        return -1;
    for (size_t i = 0; i < number; i++)
        at = (const char *)memchr(at, '\n', (size_t)(feed->text + feed->size - at)) + 1;
    return at - feed->text;
}

bool feed_print_since(const struct feed *feed, const char *token, FILE *out, struct error *error)
{
    const int64_t after = feed_after(feed, token);

    if (after < 0)
        return error_usage(error, "there is no token '%.60s' in '%s'", token, feed->path);
    return fwrite(feed->text + after, 1, feed->size - (size_t)after, out) == feed->size - (size_t)after ||
           error_system(error, "cannot write");
}
