/*
 * news.c - looks at the database's own number of changes, and at the clock: a contest starts and thaws without one.
 */
#include "news.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/clics/objects.h"
#include "contrib/clics/words.h"
#include "verify/base/clock.h"

/* At least so long from one to the next, seconds: a change may come with each case that is judged. */
static const double news_pause = 0.25;

struct news {
    const struct contest *contest;
    const char *folder, *root, *id;
    struct store stores[NEWS_VIEWS];
    struct feed feeds[NEWS_VIEWS];
    char paths[NEWS_VIEWS][PATH_MAX];
    size_t shown[NEWS_VIEWS]; /* bytes of the feeds that are on the disk: readers get no more */
    bool feeds_open;
    int64_t seen;         /* the database's number at the last look; -1 before */
    int64_t last;         /* when that was, clock_ns() */
    int phase;            /* of the contest, then */
    double latest;        /* the latest moment seen: a clock that is set back opens nothing again */
    pthread_mutex_t lock; /* of what follows, and of the feeds' texts */
    json_t *objects[NEWS_VIEWS];
    uint64_t numbers[NEWS_VIEWS];
    bool frozen;
};

static const char *const names[NEWS_VIEWS] = { "public", "jury", "teams" };

struct news *news_open(const struct contest *contest, const char *folder, const char *root, const char *id,
                       struct error *error)
{
    struct news *news = calloc(1, sizeof *news);
    char path[PATH_MAX];
    bool ok = news != NULL || error_toolkit(error, "out of memory");

    if (!ok)
        return NULL;
    *news = (struct news){ .contest = contest, .folder = folder, .root = root, .id = id, .seen = -1 };
    pthread_mutex_init(&news->lock, NULL);
    store_path(folder, path);
    for (int i = 0; ok && i < NEWS_VIEWS; i++) {
        snprintf(news->paths[i], sizeof news->paths[i], "%.3000s/grading/feed-%s.ndjson", folder, names[i]);
        ok = store_open(&news->stores[i], path, i == NEWS_JURY ? STORE_READ_SECRET : STORE_READ, error);
    }
    if (ok)
        return news;
    news_close(news);
    return NULL;
}

void news_close(struct news *news)
{
    for (int i = 0; i < NEWS_VIEWS; i++) {
        if (news->stores[i].db)
            store_close(&news->stores[i]);
        if (news->feeds_open)
            feed_release(&news->feeds[i]);
        json_decref(news->objects[i]);
    }
    pthread_mutex_destroy(&news->lock);
    free(news);
}

/* Cuts off a line that a power failure left incomplete. No client has seen it. */
static bool cut_broken_line(const char *path, struct error *error)
{
    struct stat status;
    off_t end;
    char byte = '\n';
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool ok;

    if (fd < 0)
        return access(path, F_OK) != 0 || error_system(error, "cannot open '%s'", path);
    ok = fstat(fd, &status) == 0;
    for (end = ok ? status.st_size : 0; ok && end > 0 && pread(fd, &byte, 1, end - 1) == 1 && byte != '\n'; end--)
        ;
    ok = ok && (end == status.st_size || ftruncate(fd, end) == 0);
    close(fd);
    return ok || error_system(error, "cannot repair the end of '%s'", path);
}

static bool open_feeds(struct news *news, struct error *error)
{
    bool ok = true;

    for (int i = 0; ok && i < NEWS_VIEWS; i++) {
        sqlite3_stmt *statement = store_prepare(&news->stores[i], error, "SELECT token FROM contest", "");
        char prefix[32] = "";

        if (store_step(&news->stores[i], statement, error) == STORE_ROW)
            snprintf(prefix, sizeof prefix, "%c%.12s", "pft"[i],
                     (const char *)sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
        ok = (prefix[0] || error_toolkit(error, "%s: it contains no contest", news->stores[i].path)) &&
             cut_broken_line(news->paths[i], error) && feed_load(&news->feeds[i], news->paths[i], prefix, error);
        news->shown[i] = news->feeds[i].size;
    }
    news->feeds_open = ok;
    return ok;
}

/* At its place: what failed half-way before is written over. A file that was cut or lost is written anew. */
static bool write_on(const char *path, const char *text, size_t from, size_t to, struct error *error)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat file;
    bool ok = fd >= 0 && fstat(fd, &file) == 0;

    if (ok && (size_t)file.st_size < from)
        from = 0;
    while (ok && from < to) {
        const ssize_t done = pwrite(fd, text + from, to - from, (off_t)from);

        ok = done > 0;
        from += ok ? (size_t)done : 0;
    }
    ok = ok && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok || error_system(error, "cannot write '%s'", path);
}

/* Which of the contest's moments have come, a bit for each; two of them. */
enum { PHASE_FROZEN = 1 << 1, PHASE_THAWED = 1 << 3 };

static int phase_of(const struct contest *contest, double now)
{
    const double moments[] = { contest->start, contest->freeze, contest->end, contest->thaw, contest->final };
    int phase = 0;

    for (int i = 0; i < 5; i++)
        phase |= (moments[i] > 0 && now >= moments[i]) << i;
    return phase;
}

static json_t *read_objects(struct news *news, enum news_view view, double now, struct error *error)
{
    const struct view look = { .contest = news->contest, .store = &news->stores[view], .folder = news->folder,
                               .root = news->root, .id = news->id, .public_view = view == NEWS_PUBLIC, .now = now,
                               .serves_files = true };

    return objects_read(&look, error);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

bool news_is_for(const json_t *clarification, const char *team)
{
    const char *from = text_of(clarification, "from_team_id"), *to = text_of(clarification, "to_team_id");

    return (!from[0] && !to[0]) || strcmp(from, team) == 0 || strcmp(to, team) == 0;
}

/*
 * A private clarification as its team has it: a problem that is not shown yet, and a reply to what another team asked
 * are left out, for nothing may refer to what the team does not have.
 */
static json_t *private_one(json_t *one, const json_t *all, const json_t *objects)
{
    const char *from = text_of(one, "from_team_id"), *team = from[0] ? from : text_of(one, "to_team_id");
    const json_t *asked = clics_find(all, text_of(one, "reply_to_id"));
    json_t *copy = json_copy(one);

    if (!asked || !news_is_for(asked, team))
        json_object_set_new(copy, "reply_to_id", json_null());
    if (!clics_find(json_object_get(objects, "problems"), text_of(one, "problem_id")))
        json_object_set_new(copy, "problem_id", json_null());
    return copy;
}

/* What everybody may see, with every team's clarifications in place of those to all, in order of their numbers. */
static json_t *objects_of_teams(json_t *open, const json_t *jury)
{
    const json_t *all = json_object_get(jury, "clarifications");
    json_t *objects = json_copy(open), *list = json_array(), *one;
    size_t i;

    json_array_foreach(all, i, one) {
        json_t *shown = clics_find(json_object_get(open, "clarifications"), text_of(one, "id"));

        if (shown)
            json_array_append(list, shown);
        else if (text_of(one, "from_team_id")[0] || text_of(one, "to_team_id")[0])
            json_array_append_new(list, private_one(one, all, objects));
    }
    json_object_set_new(objects, "clarifications", list);
    return objects;
}

/*
 * Puts what has changed into the feed of a view, and on the disk. It owns the reference to the objects from then on.
 * `tells`: its readers hear of a change that is not in their feed, too.
 */
static bool publish(struct news *news, enum news_view view, json_t *objects, bool tells, struct error *error)
{
    struct feed *feed = &news->feeds[view];
    json_t *old = objects;
    bool ok;

    pthread_mutex_lock(&news->lock);
    ok = feed_append(feed, objects, error);
    pthread_mutex_unlock(&news->lock);
    ok = ok && write_on(news->paths[view], feed->text, news->shown[view], feed->size, error);
    pthread_mutex_lock(&news->lock);
    if (ok) {
        if (tells || news->shown[view] != feed->size)
            __atomic_fetch_add(&news->numbers[view], 1, __ATOMIC_RELAXED);
        news->shown[view] = feed->size;
        old = news->objects[view];
        news->objects[view] = objects;
    }
    json_decref(old);
    pthread_mutex_unlock(&news->lock);
    return ok;
}

/* All views. What is to all was read before the rest, which may be a moment newer. */
static bool publish_all(struct news *news, double now, bool tells, struct error *error)
{
    json_t *objects[NEWS_VIEWS] = { read_objects(news, NEWS_PUBLIC, now, error) };
    bool ok = objects[NEWS_PUBLIC] != NULL;

    if (ok)
        objects[NEWS_JURY] = read_objects(news, NEWS_JURY, now, error);
    ok = ok && objects[NEWS_JURY];
    if (ok)
        objects[NEWS_TEAMS] = objects_of_teams(objects[NEWS_PUBLIC], objects[NEWS_JURY]);
    for (int i = 0; i < NEWS_VIEWS; i++)
        if (ok)
            ok = publish(news, (enum news_view)i, objects[i], tells || i == NEWS_JURY, error);
        else
            json_decref(objects[i]);
    return ok;
}

bool news_look(struct news *news, bool *changed, struct error *error)
{
    const double now = fmax(clock_wall(), news->latest);
    const int phase = phase_of(news->contest, now);
    const bool frozen = (phase & PHASE_FROZEN) && !(phase & PHASE_THAWED);
    int64_t number;

    news->latest = now;
    *changed = false;
    if (news->seen >= 0 && clock_seconds(news->last, clock_ns()) < news_pause)
        return true;
    if (!store_number(&news->stores[0], error, &number, "PRAGMA data_version", ""))
        return false;
    if (number == news->seen && phase == news->phase)
        return true;
    if (!news->feeds_open && !open_feeds(news, error))
        return false;
    __atomic_store_n(&news->frozen, frozen, __ATOMIC_RELAXED);
    if (!publish_all(news, now, !frozen || phase != news->phase, error))
        return false;
    news->seen = number;
    news->phase = phase;
    news->last = clock_ns();
    *changed = true;
    return true;
}

uint64_t news_number(const struct news *news, enum news_view view)
{
    return __atomic_load_n(&news->numbers[view], __ATOMIC_RELAXED);
}

bool news_is_frozen(const struct news *news) { return __atomic_load_n(&news->frozen, __ATOMIC_RELAXED); }

json_t *news_objects(struct news *news, enum news_view view)
{
    json_t *objects;

    pthread_mutex_lock(&news->lock);
    objects = json_incref(news->objects[view]);
    pthread_mutex_unlock(&news->lock);
    return objects;
}

void news_release(struct news *news, json_t *objects)
{
    pthread_mutex_lock(&news->lock);
    json_decref(objects);
    pthread_mutex_unlock(&news->lock);
}

/* Whether the line, of the feed for teams, is a clarification that is not for that team. */
static bool is_hidden(const char *line, size_t length, const char *team)
{
    static const char start[] = "{\"type\":\"clarifications\"";
    json_t *event, *data;
    bool hidden;

    if (length < sizeof start || memcmp(line, start, sizeof start - 1) != 0)
        return false;
    event = json_loadb(line, length, 0, NULL);
    data = json_object_get(event, "data");
    hidden = !json_is_object(data) || !news_is_for(data, team);
    json_decref(event);
    return hidden;
}

/* As many bytes as there is room for, from *place on, line by line. */
static ptrdiff_t read_lines(const char *text, size_t shown, const char *team, int64_t *place, char *buffer, size_t size)
{
    size_t used = 0, at = (size_t)*place;

    while (used < size && at < shown) {
        const char *line = text + at, *end = memchr(line, '\n', shown - at);
        const size_t length = end ? (size_t)(end + 1 - line) : shown - at;
        const size_t part = length < size - used ? length : size - used;

        if ((at == 0 || text[at - 1] == '\n') && is_hidden(line, length, team)) {
            at += length;
            continue;
        }
        memcpy(buffer + used, line, part);
        used += part;
        at += part;
    }
    *place = (int64_t)at;
    return (ptrdiff_t)used;
}

ptrdiff_t news_read(struct news *news, enum news_view view, const char *team, int64_t *place, char *buffer,
                    size_t size)
{
    const struct feed *feed = &news->feeds[view];
    ptrdiff_t got = 0;
    size_t shown;

    pthread_mutex_lock(&news->lock);
    shown = news->shown[view];
    if ((size_t)*place < shown && view == NEWS_TEAMS) {
        got = read_lines(feed->text, shown, team, place, buffer, size);
    } else if ((size_t)*place < shown) {
        got = (ptrdiff_t)(shown - (size_t)*place < size ? shown - (size_t)*place : size);
        memcpy(buffer, feed->text + *place, (size_t)got);
        *place += got;
    }
    if (got == 0 && json_is_string(json_object_get(json_object_get(feed->state, "state"), "end_of_updates")))
        got = -1;
    pthread_mutex_unlock(&news->lock);
    return got;
}

int64_t news_after(struct news *news, enum news_view view, const char *token)
{
    int64_t place;

    pthread_mutex_lock(&news->lock);
    place = news->feeds_open ? feed_after(&news->feeds[view], token) : -1;
    pthread_mutex_unlock(&news->lock);
    return place;
}
