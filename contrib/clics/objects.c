/*
 * objects.c - the endpoints one by one.
 *
 * What the database does not have is not made up: what a run took is its median, and left out where nothing returned;
 * the moment of a run is the end of its step, for single cases have none.
 */
#include "objects.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "contrib/grade/devices.h"
#include "contrib/grade/groups.h"
#include "contrib/grade/standings.h"
#include "contrib/grade/store/judgement.h"
#include "prizes.h"
#include "toolkit.h"
#include "verify/base/digest.h"
#include "verify/base/text.h"
#include "verify/cases/league.h"
#include "verify/cases/package.h"
#include "verify/judge/verdict.h"
#include "words.h"

/* The steps that say whether an answer is right. */
#define ON_CASES "IN (" SQL(NAME_SAMPLES) ", " SQL(NAME_SECRET) ")"

enum { CASES = 1024 };

/* A problem's package, and its cases in the order that gives runs their ordinals. */
struct source {
    struct package package;
    const char *cases[CASES]; /* [count], names; the package's */
    size_t count;
};

struct reader {
    const struct view *view;
    struct error *error;
    struct source *sources;           /* [contest->problem_count] */
    json_t *out;                      /* the result */
    json_t *submissions, *judgements; /* by ID, as text: what runs and judgements may refer to */
    double last;                      /* the moment of the last thing shown */
};

static bool out_of_memory(const struct reader *reader) { return error_toolkit(reader->error, "out of memory"); }

static double start_of(const struct reader *reader) { return reader->view->contest->start; }

/* Sets KEY to a moment, and CONTEST_KEY to the same since the start, unless it is NULL. */
static void set_time(const struct reader *reader, json_t *object, const char *key, const char *contest_key, double when)
{
    char text[CLICS_TIME];

    clics_time(when, text);
    json_object_set_new(object, key, json_string(text));
    if (!contest_key)
        return;
    clics_reltime(when - start_of(reader), text);
    json_object_set_new(object, contest_key, json_string(text));
}

static void set_moment(const struct reader *reader, json_t *state, const char *key, double when, bool come)
{
    if (come && when > 0 && reader->view->now >= when)
        set_time(reader, state, key, NULL, when);
    else
        json_object_set_new(state, key, json_null());
}

/* Whole milliseconds, as a number of seconds that prints as such. */
static json_t *milliseconds(double seconds) { return clics_number(round(seconds * 1000) / 1000); }

/* Every text that goes out is shown, as on a terminal or a page: names are what teams chose. */
static void make_harmless(json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;

    if (json_is_string(value) && !text_is_harmless(json_string_value(value))) {
        char *shown = text_shown(json_string_value(value), false);

        json_string_set(value, shown ? shown : "");
        free(shown);
    }
    json_object_foreach(value, key, member)
        make_harmless(member);
    json_array_foreach(value, i, member)
        make_harmless(member);
}

static bool add(const struct reader *reader, const char *endpoint, json_t *object)
{
    make_harmless(object);
    return json_array_append_new(json_object_get(reader->out, endpoint), object) == 0 || out_of_memory(reader);
}

/* ------------------------------------------------------------------ what is configured */

static bool read_contest(const struct reader *reader)
{
    const struct contest *contest = reader->view->contest;
    json_t *object = json_pack("{s:s, s:s}", "id", reader->view->id, "name", contest->name);
    char text[CLICS_TIME];

    if (!object)
        return error_usage(reader->error, "contest.yaml: 'name' is not UTF-8");
    set_time(reader, object, "start_time", NULL, contest->start);
    clics_reltime(contest->end - contest->start, text);
    json_object_set_new(object, "duration", json_string(text));
    if (contest->freeze > 0) {
        clics_reltime(contest->end - contest->freeze, text);
        json_object_set_new(object, "scoreboard_freeze_duration", json_string(text));
        if (contest->thaw > 0)
            set_time(reader, object, "scoreboard_thaw_time", NULL, contest->thaw);
    }
    json_object_set_new(object, "scoreboard_type", json_string(board_has_scores(contest) ? "score" : "pass-fail"));
    if (!board_has_scores(contest))
        json_object_set_new(object, "penalty_time", json_integer(llround(contest->penalty)));
    return json_object_set_new(reader->out, "contest", object) == 0 || out_of_memory(reader);
}

static bool read_state(const struct reader *reader)
{
    const struct contest *contest = reader->view->contest;
    json_t *state = json_object();
    const bool ended = contest->end > 0 && reader->view->now >= contest->end;
    const double last = contest->freeze > 0 ? fmax(contest->thaw, contest->final) : contest->final;

    set_moment(reader, state, "started", contest->start, true);
    if (contest->freeze > 0)
        set_moment(reader, state, "frozen", contest->freeze, true);
    set_moment(reader, state, "ended", contest->end, true);
    if (contest->freeze > 0)
        set_moment(reader, state, "thawed", contest->thaw, ended);
    set_moment(reader, state, "finalized", contest->final, ended);
    /* "after": it is to be later than both. */
    set_moment(reader, state, "end_of_updates", last + 0.001,
               contest->final > 0 && (contest->freeze <= 0 || contest->thaw > 0));
    return json_object_set_new(reader->out, "state", state) == 0 || out_of_memory(reader);
}

/* The verdicts that a judgement can have; NO is none, it says that nothing was run. */
static const enum verdict verdicts[] = { VERDICT_AC,  VERDICT_CE, VERDICT_JE,  VERDICT_MLE, VERDICT_OLE,
                                         VERDICT_RTE, VERDICT_SV, VERDICT_TLE, VERDICT_WA };

static const char *type_of(const char *verdict) { return strcmp(verdict, "NO") == 0 ? "JE" : verdict; }

static bool read_judgement_types(const struct reader *reader)
{
    for (size_t i = 0; i < sizeof verdicts / sizeof verdicts[0]; i++) {
        const enum verdict verdict = verdicts[i];
        json_t *object = json_pack("{s:s, s:s, s:b}", "id", verdict_id(verdict), "name", verdict_words(verdict),
                                   "solved", verdict == VERDICT_AC);

        if (!board_has_scores(reader->view->contest))
            json_object_set_new(object, "penalty",
                                json_boolean(verdict != VERDICT_AC && verdict != VERDICT_CE && verdict != VERDICT_JE));
        if (!add(reader, "judgement-types", object))
            return false;
    }
    return true;
}

static bool read_languages(const struct reader *reader)
{
    /* `unknown` is no language: what could not be unpacked is in none that is known. */
    static const char *const languages[][4] = {
        { "c", "C or C++", "c", "cc" },
        { "cuda", "CUDA C/C++", "cu" },
        { "opencl", "OpenCL with C", "c", "cl" },
        { "unknown", "not recognised" },
    };

    for (size_t i = 0; i < sizeof languages / sizeof languages[0]; i++) {
        json_t *extensions = json_array();

        for (size_t k = 2; k < 4 && languages[i][k]; k++)
            json_array_append_new(extensions, json_string(languages[i][k]));
        if (!add(reader, "languages",
                 json_pack("{s:s, s:s, s:b, s:o}", "id", languages[i][0], "name", languages[i][1],
                           "entry_point_required", 0, "extensions", extensions)))
            return false;
    }
    return true;
}

/* The most that a problem is expected to give. */
static double max_score(const struct reader *reader, const struct contest_problem *problem)
{
    if (reader->view->contest->scoring == SCORING_FASTEST)
        return (double)json_array_size(json_object_get(reader->out, "teams"));
    return reader->view->contest->scoring == SCORING_GROUPS ? groups_full_score(problem) : problem->points;
}

static bool read_problem(const struct reader *reader, size_t index)
{
    const struct contest_problem *problem = &reader->view->contest->problems[index];
    const struct source *source = &reader->sources[index];
    const char *name = settings_string(&source->package.problem, "name.en"), *uuid;
    const double limit = problem->time_limit > 0 ? problem->time_limit : source->package.gpu_time_limit;
    char id[CLICS_ID];
    json_t *object;

    name = name ? name : settings_string(&source->package.problem, "name");
    uuid = settings_string(&source->package.problem, "uuid");
    clics_id("p", problem->id, id);
    object = json_pack("{s:s, s:s, s:s, s:I, s:o, s:I}", "id", id, "label", problem->id, "name",
                       name ? name : problem->id, "ordinal", (json_int_t)index + 1, "time_limit",
                       milliseconds(limit), "test_data_count", (json_int_t)source->count);
    if (uuid)
        json_object_set_new(object, "uuid", json_string(uuid));
    if (problem->rgb)
        json_object_set_new(object, "rgb", json_string(problem->rgb));
    if (problem->color)
        json_object_set_new(object, "color", json_string(problem->color));
    if (board_has_scores(reader->view->contest))
        json_object_set_new(object, "max_score", clics_number(max_score(reader, problem)));
    return add(reader, "problems", object);
}

/* The packages, and which cases submissions are run on: samples and secret ones, each once, in the package's order. */
static bool read_sources(struct reader *reader)
{
    const struct contest *contest = reader->view->contest;

    for (size_t i = 0; i < contest->problem_count; i++) {
        const struct contest_problem *problem = &contest->problems[i];
        struct source *source = &reader->sources[i];
        struct league league;

        if (!package_load(&source->package, reader->view->root, problem->problem, reader->error) ||
            !league_choose(&league, &source->package, problem->league, reader->error))
            return false;
        for (size_t k = 0; k < source->package.case_count; k++) {
            const struct package_case *one = &source->package.cases[k];

            if (league_has_case(&league, one) &&
                (package_case_in_group(one, problem->samples) || package_case_in_group(one, problem->secret)) &&
                source->count < CASES)
                source->cases[source->count++] = one->name;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ teams */

/* The team's affiliation as an organization, of which there is one for each name. */
static bool add_organization(const struct reader *reader, json_t *team, const char *name, const char *country)
{
    json_t *object;
    char hex[DIGEST_HEX], id[CLICS_ID];

    digest_bytes(name, strlen(name), hex);
    snprintf(id, sizeof id, "o-%.16s", hex);
    json_object_set_new(team, "organization_id", json_string(id));
    object = clics_find(json_object_get(reader->out, "organizations"), id);
    if (!object) {
        object = json_pack("{s:s, s:s}", "id", id, "name", name);
        if (!add(reader, "organizations", object))
            return false;
    }
    /* The API has codes of ISO 3166-1 alone. */
    if (country && strlen(country) == 3 && strspn(country, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3 &&
        !json_object_get(object, "country"))
        json_object_set_new(object, "country", json_string(country));
    return true;
}

static bool read_groups(const struct reader *reader)
{
    const struct contest *contest = reader->view->contest;

    for (size_t i = 0; i < contest->team_group_count; i++) {
        const struct contest_group_of_teams *group = &contest->team_groups[i];
        char id[CLICS_ID];

        clics_id("g", group->id, id);
        if (!add(reader, "groups", json_pack("{s:s, s:s}", "id", id, "name", group->name ? group->name : group->id)))
            return false;
    }
    return true;
}

/* The team's group, where the contest has it. */
static void set_group(const struct reader *reader, json_t *team, const char *group)
{
    char id[CLICS_ID];

    if (!group)
        return;
    clics_id("g", group, id);
    if (clics_find(json_object_get(reader->out, "groups"), id))
        json_object_set_new(team, "group_ids", json_pack("[s]", id));
}

/* `hidden`: it has submissions, and is listed no more: it has no place on the scoreboard. */
static bool add_team(const struct reader *reader, const char *folder_name, bool hidden)
{
    struct settings settings = { 0 };
    char path[PATH_MAX], id[CLICS_ID];
    const char *name = NULL, *affiliation;
    json_t *team;
    bool ok;

    clics_id("t", folder_name, id);
    if (clics_find(json_object_get(reader->out, "teams"), id))
        return true;
    snprintf(path, sizeof path, "%.2000s/teams/%s.yaml", reader->view->folder, folder_name);
    if (access(path, F_OK) == 0 && !settings_load(&settings, path, team_keys, reader->error))
        return false;
    name = settings_string(&settings, "name");
    affiliation = settings_string(&settings, "affiliation");
    team = json_pack("{s:s, s:s, s:s}", "id", id, "name", name ? name : folder_name, "label", folder_name);
    if (hidden)
        json_object_set_new(team, "hidden", json_true());
    set_group(reader, team, settings_string(&settings, "group"));
    ok = add(reader, "teams", team) &&
         (!affiliation || add_organization(reader, team, affiliation, settings_string(&settings, "country")));
    settings_release(&settings);
    return ok;
}

static int is_team_file(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return entry->d_name[0] != '.' && length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static bool read_teams(const struct reader *reader)
{
    sqlite3_stmt *statement =
        store_prepare(reader->view->store, reader->error, "SELECT DISTINCT team FROM submissions ORDER BY team", "");
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    bool ok = statement != NULL;
    enum store_row row = STORE_FAILED;
    int count;

    snprintf(path, sizeof path, "%.2000s/teams", reader->view->folder);
    count = scandir(path, &entries, is_team_file, alphasort); /* there may be no such folder */
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - 5] = '\0';
        ok = ok && add_team(reader, entries[i]->d_name, false);
        free(entries[i]);
    }
    free(entries);
    while (ok && (row = store_step(reader->view->store, statement, reader->error)) == STORE_ROW)
        ok = add_team(reader, (const char *)sqlite3_column_text(statement, 0), count > 0);
    sqlite3_finalize(statement);
    return ok && row == STORE_END;
}

/* ------------------------------------------------------------------ submissions */

static const char *language_id(const char *language)
{
    return strcmp(language, "CUDA") == 0 ? "cuda" : strcmp(language, "OpenCL") == 0 ? "opencl" : "c";
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* What a submission is in: as the build found it; before that by its name; NULL where only the build will tell. */
static const char *language_of(const char *built, const char *path, bool done)
{
    if (built)
        return language_id(built);
    if (ends_with(path, ".cu"))
        return "cuda";
    if (ends_with(path, ".c") || ends_with(path, ".cc"))
        return "c";
    return done ? "unknown" : NULL;
}

/* Calls `read` with each row of a statement. */
static bool read_rows(struct reader *reader, bool (*read)(struct reader *reader, sqlite3_stmt *row), const char *sql)
{
    sqlite3_stmt *statement = store_prepare(reader->view->store, reader->error, sql, "");
    enum store_row row;

    while ((row = store_step(reader->view->store, statement, reader->error)) == STORE_ROW)
        if (!read(reader, statement))
            break;
    sqlite3_finalize(statement);
    return row == STORE_END;
}

static bool read_submission(struct reader *reader, sqlite3_stmt *row)
{
    const struct contest *contest = reader->view->contest;
    const char *team = (const char *)sqlite3_column_text(row, 1), *problem = (const char *)sqlite3_column_text(row, 2);
    const char *language = language_of((const char *)sqlite3_column_text(row, 5),
                                       (const char *)sqlite3_column_text(row, 3), sqlite3_column_int(row, 6) != 0);
    const double submitted = sqlite3_column_double(row, 4);
    char id[24], team_id[CLICS_ID], problem_id[CLICS_ID], href[128], path[PATH_MAX];
    json_t *object;

    if (!contest_problem(contest, problem) || submitted < contest->start || submitted >= contest->end || !language ||
        reader->view->now < contest->start)
        return true;
    snprintf(id, sizeof id, "%jd", (intmax_t)sqlite3_column_int64(row, 0));
    clics_id("t", team, team_id);
    clics_id("p", problem, problem_id);
    object = json_pack("{s:s, s:s, s:s, s:s, s:n, s:[]}", "id", id, "language_id", language, "problem_id", problem_id,
                       "team_id", team_id, "entry_point", "files");
    if (!object)
        return out_of_memory(reader);
    snprintf(path, sizeof path, "%.2000s/grading/sources/%s", reader->view->folder, id);
    if (reader->view->serves_files && !reader->view->public_view && access(path, F_OK) == 0) {
        snprintf(href, sizeof href, "contests/%s/submissions/%s/files", reader->view->id, id);
        json_array_append_new(json_object_get(object, "files"),
                              json_pack("{s:s, s:s, s:s}", "href", href, "filename", "files.zip", "mime",
                                        "application/zip"));
    }
    set_time(reader, object, "time", "contest_time", submitted);
    reader->last = fmax(reader->last, submitted);
    /* Whether its verdict may be shown. */
    json_object_set_new(reader->submissions, id,
                        json_boolean(!reader->view->public_view || contest_thawed(contest, reader->view->now) ||
                                     submitted < contest->freeze));
    return add(reader, "submissions", object);
}

static bool read_submissions(struct reader *reader)
{
    return read_rows(
        reader, read_submission,
        "SELECT s.id, s.team, s.problem, s.path, s.submitted, max(j.language), max(j.state = " SQL(NAME_DONE) ")"
        " FROM submissions s LEFT JOIN judgements j ON j.submission = s.id GROUP BY s.id ORDER BY s.id");
}

/* ------------------------------------------------------------------ judgements and runs */

/*
 * The API's score of a judgement. `fastest` ranks by time alone, which says nothing of one judgement: its score is
 * calls a second, so that more is better there as well.
 */
static bool read_score(const struct reader *reader, sqlite3_stmt *row, json_t *object)
{
    const struct contest *contest = reader->view->contest;
    const char *verdict = (const char *)sqlite3_column_text(row, 3);
    struct standings_worth worth;

    if (!standings_worth(contest, reader->view->store,
                         contest_problem(contest, (const char *)sqlite3_column_text(row, 2)),
                         sqlite3_column_int64(row, 0), strcmp(verdict, "AC") == 0, sqlite3_column_int(row, 4) != 0,
                         &worth, reader->error))
        return false;
    if (contest->scoring == SCORING_FASTEST)
        worth.score = worth.timing.median > 0 ? 1 / worth.timing.median : 0;
    json_object_set_new(object, "score", clics_number(worth.score));
    return true;
}

static bool read_judgement(struct reader *reader, sqlite3_stmt *row)
{
    const char *verdict = (const char *)sqlite3_column_text(row, 3);
    char id[24], submission[24];
    json_t *object;

    snprintf(id, sizeof id, "%jd", (intmax_t)sqlite3_column_int64(row, 0));
    snprintf(submission, sizeof submission, "%jd", (intmax_t)sqlite3_column_int64(row, 1));
    if (!json_is_true(json_object_get(reader->submissions, submission)))
        return true;
    object = json_pack("{s:s, s:s, s:s?}", "id", id, "submission_id", submission, "judgement_type_id",
                       verdict ? type_of(verdict) : NULL);
    if (!object)
        return out_of_memory(reader);
    set_time(reader, object, "start_time", "start_contest_time", sqlite3_column_double(row, 5));
    reader->last = fmax(reader->last, sqlite3_column_double(row, 5));
    if (verdict) {
        set_time(reader, object, "end_time", "end_contest_time", sqlite3_column_double(row, 6));
        reader->last = fmax(reader->last, sqlite3_column_double(row, 6));
        if (sqlite3_column_type(row, 7) != SQLITE_NULL)
            json_object_set_new(object, "max_run_time", milliseconds(sqlite3_column_double(row, 7)));
        if (board_has_scores(reader->view->contest) && !read_score(reader, row, object)) {
            json_decref(object);
            return false;
        }
    } else {
        json_object_set_new(object, "end_time", json_null());
        json_object_set_new(object, "end_contest_time", json_null());
    }
    json_object_set_new(reader->judgements, id, json_true());
    return add(reader, "judgements", object);
}

/* Those that count, once they have begun. One that never ran, as the submission was refused, began when it came. */
static bool read_judgements(struct reader *reader)
{
    return read_rows(
        reader, read_judgement,
        "SELECT j.id, j.submission, s.problem, j.verdict, j.review, coalesce((SELECT min(started) FROM steps WHERE"
        " judgement = j.id), j.created) AS began, max(j.ended, coalesce((SELECT min(started) FROM steps WHERE"
        " judgement = j.id), j.created)), (SELECT max(median) FROM runs WHERE judgement = j.id AND step " ON_CASES ")"
        " FROM judgements j JOIN submissions s ON s.id = j.submission WHERE j.valid = 1 AND"
        " (j.state = " SQL(NAME_DONE) " OR EXISTS (SELECT 1 FROM steps WHERE judgement = j.id)) ORDER BY j.id");
}

/* The place of a case among those of the problem, from 1; 0 where the package has it no more. */
static size_t ordinal_of(const struct reader *reader, const char *problem, const char *name)
{
    const struct contest_problem *found = contest_problem(reader->view->contest, problem);
    const struct source *source = found ? &reader->sources[found - reader->view->contest->problems] : NULL;

    for (size_t i = 0; source && i < source->count; i++)
        if (strcmp(source->cases[i], name) == 0)
            return i + 1;
    return 0;
}

static bool read_run(struct reader *reader, sqlite3_stmt *row)
{
    const size_t ordinal =
        ordinal_of(reader, (const char *)sqlite3_column_text(row, 2), (const char *)sqlite3_column_text(row, 3));
    const double when = sqlite3_column_double(row, 6);
    char id[24], judgement[24];
    json_t *object;

    snprintf(id, sizeof id, "%jd", (intmax_t)sqlite3_column_int64(row, 0));
    snprintf(judgement, sizeof judgement, "%jd", (intmax_t)sqlite3_column_int64(row, 1));
    if (ordinal == 0 || !json_object_get(reader->judgements, judgement))
        return true;
    object = json_pack("{s:s, s:s, s:I, s:s}", "id", id, "judgement_id", judgement, "ordinal", (json_int_t)ordinal,
                       "judgement_type_id", type_of((const char *)sqlite3_column_text(row, 4)));
    if (!object)
        return out_of_memory(reader);
    set_time(reader, object, "time", "contest_time", when);
    reader->last = fmax(reader->last, when);
    if (sqlite3_column_type(row, 5) != SQLITE_NULL)
        json_object_set_new(object, "run_time", milliseconds(sqlite3_column_double(row, 5)));
    return add(reader, "runs", object);
}

/* A case that is among the samples and the secret ones was run twice: the later run counts. Timing is no judging. */
static bool read_runs(struct reader *reader)
{
    return read_rows(
        reader, read_run,
        "SELECT r.id, r.judgement, s.problem, r.name, r.verdict, r.median, coalesce((SELECT ended FROM steps WHERE"
        " judgement = r.judgement AND step = r.step), j.ended, j.created) FROM runs r JOIN judgements j ON"
        " j.id = r.judgement AND j.valid = 1 JOIN submissions s ON s.id = j.submission WHERE r.step " ON_CASES
        " AND NOT EXISTS (SELECT 1 FROM runs o WHERE o.judgement = r.judgement AND o.name = r.name AND"
        " o.step = " SQL(NAME_SECRET) " AND r.step = " SQL(NAME_SAMPLES) ") ORDER BY r.id");
}

/* ------------------------------------------------------------------ clarifications and awards */

static void set_id(json_t *object, const char *key, const char *prefix, const char *name)
{
    char id[CLICS_ID];

    clics_id(prefix, name ? name : "", id);
    json_object_set_new(object, key, name ? json_string(id) : json_null());
}

static bool read_clarification(struct reader *reader, sqlite3_stmt *row)
{
    const char *reply = (const char *)sqlite3_column_text(row, 3);
    const double made = sqlite3_column_double(row, 6);
    json_t *object = json_pack("{s:s, s:s}", "id", (const char *)sqlite3_column_text(row, 0), "text",
                               (const char *)sqlite3_column_text(row, 5));

    if (!object)
        return out_of_memory(reader);
    set_id(object, "from_team_id", "t", (const char *)sqlite3_column_text(row, 1));
    set_id(object, "to_team_id", "t", (const char *)sqlite3_column_text(row, 2));
    json_object_set_new(object, "reply_to_id", reply ? json_string(reply) : json_null());
    set_id(object, "problem_id", "p", (const char *)sqlite3_column_text(row, 4));
    set_time(reader, object, "time", "contest_time", made);
    return add(reader, "clarifications", object);
}

/* A reply to a question that this view does not have is one to nothing. */
static bool read_clarifications(struct reader *reader)
{
    return read_rows(reader, read_clarification,
                     "SELECT c.id, c.from_team, c.to_team, (SELECT id FROM clarifications WHERE id = c.reply_to),"
                     " c.problem, c.text, c.made FROM clarifications c ORDER BY c.id");
}

static bool read_awards(struct reader *reader)
{
    json_t *awards = prizes_read(reader->view, reader->error), *award;
    bool ok = awards != NULL;
    size_t i;

    json_array_foreach(awards, i, award)
        ok = ok && add(reader, "awards", json_incref(award));
    json_decref(awards);
    return ok;
}

/* ------------------------------------------------------------------ about the rest */

static bool read_board(struct reader *reader)
{
    const struct contest *contest = reader->view->contest;
    const bool frozen = reader->view->public_view && !contest_thawed(contest, reader->view->now);
    json_t *board =
        board_read(reader->view, frozen, json_object_get(reader->out, "state"), reader->last, reader->error);
    json_t *row;
    size_t i;

    if (!board)
        return false;
    if (json_array_size(json_object_get(reader->out, "problems")) == 0)
        json_array_foreach(json_object_get(board, "rows"), i, row)
            json_array_clear(json_object_get(row, "problems"));
    return json_object_set_new(reader->out, "scoreboard", board) == 0 || out_of_memory(reader);
}

/* What the objects have in this contest, whether or not one is there that has it now. */
static bool read_access(const struct reader *reader)
{
    static const char *const always[][12] = {
        { "contest", "id", "name", "start_time", "duration", "scoreboard_type" },
        { "state", "started", "ended", "finalized", "end_of_updates" },
        { "judgement-types", "id", "name", "solved" },
        { "languages", "id", "name", "entry_point_required", "extensions" },
        { "problems", "id", "uuid", "label", "name", "ordinal", "rgb", "color", "time_limit",
          "test_data_count" },
        { "organizations", "id", "name", "country" },
        { "teams", "id", "name", "label", "organization_id", "group_ids", "hidden" },
        { "submissions", "id", "language_id", "problem_id", "team_id", "time", "contest_time", "entry_point",
          "files" },
        { "clarifications", "id", "from_team_id", "to_team_id", "reply_to_id", "problem_id", "text", "time",
          "contest_time" },
        { "awards", "id", "citation", "team_ids" },
        { "groups", "id", "name" },
        { "judgements", "id", "submission_id", "judgement_type_id", "start_time", "start_contest_time", "end_time",
          "end_contest_time", "max_run_time" },
        { "runs", "id", "judgement_id", "ordinal", "judgement_type_id", "time", "contest_time", "run_time" },
    };
    /* Those of one scoring, 's' or 'p', or of contests with a freeze, 'f', or, 't', with a thaw that is known too. */
    static const struct {
        char when;
        const char *type, *property;
    } sometimes[] = {
        { 'f', "contest", "scoreboard_freeze_duration" },
        { 't', "contest", "scoreboard_thaw_time" },
        { 'p', "contest", "penalty_time" },
        { 'f', "state", "frozen" },
        { 'f', "state", "thawed" },
        { 'p', "judgement-types", "penalty" },
        { 's', "problems", "max_score" },
        { 's', "judgements", "score" },
    };
    const struct contest *contest = reader->view->contest;
    json_t *endpoints = json_array(), *properties;

    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        properties = json_array();
        for (size_t k = 1; k < 12 && always[i][k]; k++)
            json_array_append_new(properties, json_string(always[i][k]));
        for (size_t k = 0; k < sizeof sometimes / sizeof sometimes[0]; k++)
            if (strcmp(sometimes[k].type, always[i][0]) == 0 && (sometimes[k].when == 's'   ? board_has_scores(contest)
                                                                 : sometimes[k].when == 'p' ? !board_has_scores(contest)
                                                                 : sometimes[k].when == 't' ? contest->thaw > 0
                                                                                            : contest->freeze > 0))
                json_array_append_new(properties, json_string(sometimes[k].property));
        json_array_append_new(endpoints, json_pack("{s:s, s:o}", "type", always[i][0], "properties", properties));
    }
    return json_object_set_new(reader->out, "access",
                               json_pack("{s:[], s:o}", "capabilities", "endpoints", endpoints)) == 0 ||
           out_of_memory(reader);
}

/* Persons and accounts are those of other programs: the contest's accounts are for its server alone. */
const char *const objects_lists[] = { "judgement-types", "languages",   "problems",   "groups", "organizations",
                                      "teams",           "persons",     "submissions", "judgements", "runs",
                                      "clarifications",  "awards",      "accounts",   NULL };

static bool read_all(struct reader *reader)
{
    const struct contest *contest = reader->view->contest;

    for (size_t i = 0; objects_lists[i]; i++)
        json_object_set_new(reader->out, objects_lists[i], json_array());
    json_object_set_new(reader->out, "api",
                        json_pack("{s:s, s:s, s:{s:s, s:s}}", "version", "2023-06", "version_url",
                                  "https://ccs-specs.icpc.io/2023-06/contest_api", "provider", "name",
                                  "GPU contest toolkit", "version", TOOLKIT_VERSION));
    reader->last = contest->start;
    if (!read_access(reader) || !read_contest(reader) || !read_state(reader) || !read_judgement_types(reader) ||
        !read_languages(reader) || !read_sources(reader) || !read_groups(reader) || !read_teams(reader))
        return false;
    for (size_t i = 0; i < contest->problem_count; i++)
        if ((!reader->view->public_view || reader->view->now >= contest->start) && !read_problem(reader, i))
            return false;
    return read_submissions(reader) && read_judgements(reader) && read_runs(reader) && read_clarifications(reader) &&
           read_awards(reader) && read_board(reader);
}

json_t *objects_read(const struct view *view, struct error *error)
{
    const struct contest *contest = view->contest;
    struct reader reader = { .view = view, .error = error };
    bool ok;

    if (contest->start <= 0 || contest->end <= 0) {
        error_usage(error,
                    "%s: the Contest API needs the contest's 'start' and 'end'",
                    contest->settings.path);
        return NULL;
    }
    if (!board_has_scores(contest) && contest->penalty != floor(contest->penalty)) {
        error_usage(error, "%s: scoring.penalty is %g: the Contest API needs whole minutes",
                    contest->settings.path, contest->penalty);
        return NULL;
    }
    reader.sources = calloc(contest->problem_count, sizeof *reader.sources);
    reader.out = json_object(), reader.submissions = json_object(), reader.judgements = json_object();
    if (!reader.sources || !reader.out || !reader.submissions || !reader.judgements) {
        error_toolkit(error, "out of memory");
        ok = false;
    } else if ((ok = store_run(view->store, error, "BEGIN", ""))) { /* one state of the database for all that is read */
        /* Before any statement is open, which making its tables would end. */
        ok = devices_choose(contest, view->store, error) && read_all(&reader);
        sqlite3_exec(view->store->db, "COMMIT", NULL, NULL, NULL);
    }
    for (size_t i = 0; reader.sources && i < contest->problem_count; i++)
        package_release(&reader.sources[i].package);
    free(reader.sources);
    json_decref(reader.submissions);
    json_decref(reader.judgements);
    if (ok)
        return reader.out;
    json_decref(reader.out);
    return NULL;
}
