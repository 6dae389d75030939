/*
 * result.c - one submission with all that its owner may see, as JSON for programs.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/grade/store/judgement.h"
#include "contrib/grade/store/queue.h"
#include "server.h"
#include "verify/base/clock.h"

static json_t *text_or_null(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? json_string(text) : json_null();
}

/* Of a submission that did not compile no device is known: the database has an empty name. */
static json_t *device_or_null(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text && text[0] ? json_string(text) : json_null();
}

static json_t *number_or_null(double number) { return number > 0 ? json_real(number) : json_null(); }

static void read_queue(struct server *server, struct result_queue *queue, struct error *error)
{
    sqlite3_stmt *statement = queue_open(&server->accounts, QUEUE_BUILD, clock_wall(), error);

    while (store_step(&server->accounts, statement, error) == STORE_ROW) {
        if (queue->count == queue->room) {
            const size_t room = queue->room ? 2 * queue->room : 256;
            int64_t *grown = reallocarray(queue->judgements, room, sizeof *grown);

            if (!grown)
                break;
            queue->judgements = grown;
            queue->room = room;
        }
        queue->judgements[queue->count++] = sqlite3_column_int64(statement, QUEUE_JUDGEMENT);
    }
    sqlite3_finalize(statement);
    queue->read = true;
}

size_t result_place_in_queue(struct server *server, struct result_queue *queue, int64_t judgement,
                             struct error *error)
{
    if (!queue->read)
        read_queue(server, queue, error);
    for (size_t i = 0; i < queue->count; i++)
        if (queue->judgements[i] == judgement)
            return i + 1;
    return 0;
}

void result_queue_release(struct result_queue *queue)
{
    free(queue->judgements);
    *queue = (struct result_queue){ 0 };
}

/*
 * The cases of a judgement; times in seconds, null where there is none. *ranked and *baseline: the sums of the medians
 * of those that are timed, 0 where there are none.
 */
static json_t *cases_of(struct server *server, int64_t judgement, double *ranked, double *baseline,
                        struct error *error)
{
    sqlite3_stmt *statement = store_prepare(
        &server->look, error,
        "SELECT step, name, verdict, message, median, low, high FROM runs WHERE judgement = ? ORDER BY id", "i",
        judgement);
    json_t *cases = json_array();

    *ranked = *baseline = 0;
    while (store_step(&server->look, statement, error) == STORE_ROW) {
        static const char *const times[] = { "seconds", "low", "high" };
        const char *step = (const char *)sqlite3_column_text(statement, 0);
        json_t *one = json_pack("{s:s, s:o, s:o, s:o}", "step", step, "case", text_or_null(statement, 1), "verdict",
                                text_or_null(statement, 2), "message", text_or_null(statement, 3));

        for (int i = 0; one && i < 3; i++)
            json_object_set_new(one, times[i],
                                sqlite3_column_type(statement, 4 + i) == SQLITE_NULL
                                    ? json_null()
                                    : json_real(sqlite3_column_double(statement, 4 + i)));
        if (strcmp(step, NAME_RANKED) == 0)
            *ranked += sqlite3_column_double(statement, 4);
        else if (strcmp(step, NAME_BASELINE) == 0)
            *baseline += sqlite3_column_double(statement, 4);
        json_array_append_new(cases, one);
    }
    sqlite3_finalize(statement);
    return cases;
}

/* What was wanted beside verdict and times; of a team's the explanation. */
static void set_extras(struct server *server, json_t *object, sqlite3_stmt *row, bool timed, bool whole,
                       struct error *error)
{
    const char *extra = (const char *)sqlite3_column_text(row, 9);
    const char *wanted = (const char *)sqlite3_column_text(row, 10);
    const bool program = wanted != NULL;
    const struct extras of = { .judgement = sqlite3_column_int64(row, 5),
                               .verdict = (const char *)sqlite3_column_text(row, 3),
                               .kind = (const char *)sqlite3_column_text(row, 7),
                               .explains = program || server->contest->explain };

    if (wanted && strcmp(wanted, "times") == 0)
        json_object_set_new(object, "times", extras_times(&of, timed, server->contest->rank_cpu));
    if (!program || strstr(extra, NAME_EXPLANATION))
        json_object_set_new(object, "explanation", extras_explanation(server, &of, whole, error));
    if (strstr(extra, NAME_COUNTERS))
        json_object_set_new(object, "counters", extras_counters(server, &of, whole, error));
}

json_t *result_json(struct server *server, int64_t id, bool whole, struct result_queue *queue, struct error *error)
{
    sqlite3_stmt *row = store_prepare(
        &server->look, error,
        "SELECT s.problem, s.path, j.state, j.verdict, j.message, j.id, s.submitted, m.kind, m.name,"
        " s.extra, s.wanted FROM"
        " main.submissions s JOIN judgements j ON j.submission = s.id AND j.valid = 1 LEFT JOIN machines m ON"
        " m.id = j.machine WHERE s.id = ?", "i", id);
    json_t *object = NULL;

    if (store_step(&server->look, row, error) == STORE_ROW) {
        const int64_t judgement = sqlite3_column_int64(row, 5);
        const char *state = (const char *)sqlite3_column_text(row, 2);
        double ranked, baseline;
        json_t *cases = cases_of(server, judgement, &ranked, &baseline, error);
        char number[24];

        snprintf(number, sizeof number, "%jd", (intmax_t)id);
        object = json_pack("{s:s, s:o, s:o, s:f, s:s, s:o, s:o, s:o, s:o, s:o}", "id", number, "problem",
                           text_or_null(row, 0), "file", text_or_null(row, 1), "submitted",
                           sqlite3_column_double(row, 6), "state", state, "verdict", text_or_null(row, 3), "message",
                           text_or_null(row, 4), "device_kind", device_or_null(row, 7), "device",
                           device_or_null(row, 8), "cases", cases);
        if (object) {
            set_extras(server, object, row, ranked > 0, whole, error);
            json_object_set_new(object, "seconds", number_or_null(ranked));
            json_object_set_new(object, "baseline_seconds", number_or_null(baseline));
            json_object_set_new(object, "speedup", number_or_null(ranked > 0 ? baseline / ranked : 0));
            if (strcmp(state, NAME_NEW) == 0)
                json_object_set_new(object, "place_in_queue",
                                    json_integer((json_int_t)result_place_in_queue(server, queue, judgement, error)));
        }
    }
    sqlite3_finalize(row);
    return object;
}
