/*
 * contest.c - the keys of contest.yaml, each checked where it stands.
 */
#include "contest.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "groups.h"
#include "verify/base/name.h"
#include "verify/base/root.h"

const char *const scoring_names[] = { "pass-fail", "fastest", "relative", "groups", NULL };
const char *const team_keys[] = { "name", "members.*", "affiliation", "country", "group", NULL };

static const char *const known[] = {
    "name",
    "start",
    "end",
    "freeze",
    "thaw",
    "final",
    "problems.*",
    "groups.*",
    "awards.gold",
    "awards.silver",
    "awards.bronze",
    "scoring.type",
    "scoring.penalty",
    "scoring.full_at",
    "scoring.zero_at",
    "scoring.correct",
    "scoring.rank_cpu",
    "scoring.device",
    "seal",
    "practice",
    "show_code",
    "explain",
    "key",
    "require_box",
    "limits.files",
    "limits.megabytes",
    "limits.attempts",
    "limits.batch",
    "limits.entries",
    "limits.queued",
    "limits.per_hour",
    "limits.total",
    NULL,
};

static const char *const medal_keys[CONTEST_MEDALS] = { "awards.gold", "awards.silver", "awards.bronze" };

static bool bad(const struct contest *contest, const struct setting *item, const char *why, struct error *error)
{
    return settings_refuse(&contest->settings, item, why, error);
}

/* Seconds of "", "Z", "+09" or "+09:00": what UTC is behind. False for anything else. */
static bool take_zone(const char *text, double *seconds)
{
    static const char shape[] = "+dd:dd";
    const size_t length = strlen(text);
    int hours, minutes;

    *seconds = 0;
    if (length == 0 || strcmp(text, "Z") == 0)
        return true;
    for (size_t i = 0; i < length; i++)
        if (i >= sizeof shape - 1 || !(shape[i] == 'd'   ? isdigit((unsigned char)text[i]) != 0
                                       : shape[i] == '+' ? strchr("+-", text[i]) != NULL
                                                         : text[i] == shape[i]))
            return false;
    if (length != 3 && length != 6)
        return false;
    hours = 10 * (text[1] - '0') + text[2] - '0';
    minutes = length == 6 ? 10 * (text[4] - '0') + text[5] - '0' : 0;
    *seconds = (text[0] == '+' ? 60 : -60) * (60 * hours + minutes);
    return hours < 15 && minutes < 60;
}

/* A day that the calendar has, from 1970 on: timegm() takes any, and makes 3 March of 31 February. */
static bool is_date(const struct tm *given, time_t seconds)
{
    struct tm parts;

    return seconds > 0 && gmtime_r(&seconds, &parts) && parts.tm_mon == given->tm_mon &&
           parts.tm_mday == given->tm_mday && parts.tm_hour == given->tm_hour && parts.tm_min == given->tm_min &&
           parts.tm_sec == given->tm_sec;
}

bool contest_time(const char *text, double *seconds)
{
    static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                           "%Y-%m-%d %H:%M" };

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        struct tm parts = { 0 }, given;
        const char *rest = strptime(text, formats[i], &parts);
        time_t utc;
        double zone;

        if (!rest || !take_zone(rest, &zone))
            continue;
        given = parts;
        utc = timegm(&parts);
        *seconds = (double)utc - zone;
        return is_date(&given, utc) && *seconds > 0;
    }
    return false;
}

static bool take_number(const struct contest *contest, const struct setting *item, double least, double most,
                        double *number, struct error *error)
{
    return settings_decimal(&contest->settings, item, least, most, number, error);
}

static bool take_whole(const struct contest *contest, const struct setting *item, int64_t least, int64_t most,
                       double *number, struct error *error)
{
    int64_t whole = 0;
    const bool ok = settings_integer(&contest->settings, item, least, most, &whole, error);

    *number = (double)whole;
    return ok;
}

static bool take_choice(const struct contest *contest, const struct setting *item, const char *const *names,
                        int *choice, struct error *error)
{
    return settings_choice(&contest->settings, item, names, choice, error);
}

/* Names that become words of commands and parts of paths: [A-Za-z0-9] first, then those and _ . - and, in paths, /. */
static bool take_name(const struct contest *contest, const struct setting *item, bool path, const char **name,
                      struct error *error)
{
    *name = item->value;
    return name_is(item->value, path ? NAME_WORDS : NAME_WORD) ||
           bad(contest, item, path ? "is not a path of letters, digits and _ . - /"
                                   : "is not a name of letters, digits and _ . -", error);
}

/* A text that is shown as it is. */
static bool take_text(const struct contest *contest, const struct setting *item, struct error *error)
{
    if (strlen(item->value) > 200)
        return bad(contest, item, "is longer than 200 bytes", error);
    return name_is(item->value, NAME_TEXT) ||
           bad(contest, item, "has an invisible or control character", error);
}

/* Whether two names are of one group: either may be without its folder. */
static bool same_group(const char *a, const char *b)
{
    const size_t length = strlen(a), other = strlen(b), less = length < other ? length : other;
    const char *longer = length < other ? b : a;
    const size_t more = strlen(longer);

    return strcmp(a + length - less, b + other - less) == 0 && (more == less || longer[more - less - 1] == '/');
}

/* A group before this one in the list, whose cases must all have passed; or the samples. */
static bool take_requirement(const struct contest *contest, const struct contest_problem *problem,
                             struct contest_group *group, const struct setting *item, struct error *error)
{
    if (strcmp(item->value, "sample") == 0)
        return group->require_sample = true;
    for (size_t i = 0; &problem->groups[i] < group; i++) {
        if (!problem->groups[i].name || !same_group(problem->groups[i].name, item->value))
            continue;
        if (problem->groups[i].aggregation != AGGREGATION_PASS_FAIL)
            return bad(contest, item, "is a group that is not pass-fail", error);
        group->require |= 1u << i;
        return true;
    }
    return bad(contest, item, "must be sample or a group before this one", error);
}

static bool take_group(struct contest *contest, struct contest_problem *problem, const struct setting *item,
                       const char *key, struct error *error)
{
    struct contest_group *group;
    unsigned index;
    int used = 0, choice;

    if (sscanf(key, "groups.%u.%n", &index, &used) != 1 || used == 0 || index > problem->group_count)
        return bad(contest, item, "is not a list of groups: - name: ...", error);
    if (index >= CONTEST_GROUPS)
        return bad(contest, item, "is more groups than allowed", error);
    group = &problem->groups[index];
    if (index == problem->group_count) {
        *group = (struct contest_group){ .aggregation = AGGREGATION_PASS_FAIL };
        problem->group_count++;
    }
    key += used;
    if (strcmp(key, "name") == 0)
        return take_name(contest, item, true, &group->name, error);
    if (strcmp(key, "max_score") == 0)
        return take_number(contest, item, 0.001, 1e6, &group->max_score, error);
    if (strcmp(key, "score_aggregation") == 0) {
        if (!take_choice(contest, item, aggregation_names, &choice, error))
            return false;
        group->aggregation = (enum aggregation)choice;
        return true;
    }
    if (strcmp(key, "require_pass") == 0 || strncmp(key, "require_pass.", 13) == 0)
        return take_requirement(contest, problem, group, item, error);
    return bad(contest, item,
               "is an unknown key of a group; the keys are name, max_score, score_aggregation, require_pass", error);
}

/* A colour as HTML has it. In YAML it stands in quotes: # begins a comment. */
static bool take_rgb(const struct contest *contest, const struct setting *item, const char **rgb, struct error *error)
{
    if (item->value[0] != '#' || strlen(item->value) != 7 ||
        strspn(item->value + 1, "0123456789abcdefABCDEF") != 6)
        return bad(contest, item, "is not a colour such as \"#ff8000\"", error);
    *rgb = item->value;
    return true;
}

static bool take_problem(struct contest *contest, const struct setting *item, struct error *error)
{
    struct contest_problem *problem;
    const char *key = item->key;
    unsigned index;
    int used = 0;

    if (sscanf(key, "problems.%u.%n", &index, &used) != 1 || used == 0 || index > contest->problem_count)
        return bad(contest, item, "is not a list of problems: - id: ...", error);
    if (index >= CONTEST_PROBLEMS)
        return bad(contest, item, "is more problems than allowed", error);
    problem = &contest->problems[index];
    if (index == contest->problem_count) {
        *problem = (struct contest_problem){ .samples = "sample", .secret = "secret", .repeat = 11, .points = 100 };
        contest->problem_count++;
    }
    key += used;
    if (strcmp(key, "id") == 0) {
        if (!take_name(contest, item, false, &problem->id, error))
            return false;
        for (const struct contest_problem *other = contest->problems; other < problem; other++)
            if (other->id && strcasecmp(other->id, problem->id) == 0)
                return bad(contest, item, "occurs twice (some file systems ignore case)", error);
        return true;
    }
    if (strcmp(key, "problem") == 0)
        return take_name(contest, item, false, &problem->problem, error);
    if (strcmp(key, "color") == 0)
        return problem->color = item->value, take_text(contest, item, error);
    if (strcmp(key, "rgb") == 0)
        return take_rgb(contest, item, &problem->rgb, error);
    if (strcmp(key, "league") == 0)
        return take_name(contest, item, false, &problem->league, error);
    if (strcmp(key, "samples") == 0)
        return take_name(contest, item, true, &problem->samples, error);
    if (strcmp(key, "secret") == 0)
        return take_name(contest, item, true, &problem->secret, error);
    if ((strcmp(key, "ranked") == 0 || strcmp(key, "ranked_case") == 0) && problem->ranked)
        return bad(contest, item, "excludes the other one: give a group or a case", error);
    if (strcmp(key, "ranked") == 0)
        return take_name(contest, item, true, &problem->ranked, error);
    if (strcmp(key, "ranked_case") == 0) {
        problem->ranked_case = true;
        return take_name(contest, item, true, &problem->ranked, error);
    }
    if (strcmp(key, "repeat") == 0) {
        if (!take_whole(contest, item, 1, 9999, &problem->repeat, error))
            return false;
        return fmod(problem->repeat, 2) == 1 ||
               bad(contest, item, "is not an odd number: the median must be one of the times", error);
    }
    if (strcmp(key, "time_limit") == 0)
        return take_number(contest, item, 0.001, 3600, &problem->time_limit, error);
    if (strcmp(key, "memory") == 0)
        return take_whole(contest, item, 16, 1048576, &problem->memory, error);
    if (strcmp(key, "baseline") == 0)
        return take_name(contest, item, true, &problem->baseline, error);
    if (strcmp(key, "points") == 0)
        return take_number(contest, item, 0.001, 1e6, &problem->points, error);
    if (strcmp(key, "score_aggregation") == 0) {
        if (!take_choice(contest, item, aggregation_names, &used, error))
            return false;
        problem->aggregation = (enum aggregation)used;
        return true;
    }
    if (strncmp(key, "groups.", 7) == 0)
        return take_group(contest, problem, item, key, error);
    return bad(contest, item,
               "is an unknown key of a problem: there are id, problem, league, samples, secret, ranked, ranked_case, "
               "repeat, baseline, time_limit, memory, points, groups, score_aggregation, color, rgb",
               error);
}

/* groups: a list of - id: ... and name: ... */
static bool take_team_group(struct contest *contest, const struct setting *item, struct error *error)
{
    struct contest_group_of_teams *group;
    unsigned index;
    int used = 0;

    if (sscanf(item->key, "groups.%u.%n", &index, &used) != 1 || used == 0 || index > contest->team_group_count)
        return bad(contest, item, "is not a list of groups: - id: ...", error);
    if (index >= CONTEST_TEAM_GROUPS)
        return bad(contest, item, "is more groups than allowed", error);
    group = &contest->team_groups[index];
    contest->team_group_count = index + 1;
    if (strcmp(item->key + used, "name") == 0)
        return group->name = item->value, take_text(contest, item, error);
    if (strcmp(item->key + used, "id") != 0)
        return bad(contest, item, "is an unknown key of a group of teams; the keys are id, name", error);
    if (!take_name(contest, item, false, &group->id, error))
        return false;
    if (strlen(group->id) > 20)
        return bad(contest, item, "is longer than 20 characters", error);
    for (const struct contest_group_of_teams *other = contest->team_groups; other < group; other++)
        if (other->id && strcmp(other->id, group->id) == 0)
            return bad(contest, item, "occurs twice", error);
    return true;
}

static bool take(struct contest *contest, const struct setting *item, struct error *error)
{
    static const char *const boxes[] = { "none", "landlock", "namespaces", "cgroup", NULL };
    const char *key = item->key;
    double *time = strcmp(key, "start") == 0    ? &contest->start
                   : strcmp(key, "end") == 0    ? &contest->end
                   : strcmp(key, "freeze") == 0 ? &contest->freeze
                   : strcmp(key, "thaw") == 0   ? &contest->thaw
                   : strcmp(key, "final") == 0  ? &contest->final
                                                : NULL;
    int choice;

    if (time)
        return contest_time(item->value, time) ||
               bad(contest, item, "is not a time such as 2026-05-01T09:00:00Z", error);
    if (strncmp(key, "problems", 8) == 0)
        return take_problem(contest, item, error);
    if (strcmp(key, "name") == 0) {
        contest->name = item->value;
        return (item->value[0] || bad(contest, item, "is empty", error)) && take_text(contest, item, error);
    }
    if (strcmp(key, "scoring.type") == 0) {
        if (!take_choice(contest, item, scoring_names, &choice, error))
            return false;
        contest->scoring = (enum scoring)choice;
        return true;
    }
    if (strcmp(key, "scoring.penalty") == 0)
        return take_number(contest, item, 0, 1e6, &contest->penalty, error);
    if (strcmp(key, "scoring.full_at") == 0)
        return take_number(contest, item, 1e-3, 1e6, &contest->full_at, error);
    if (strcmp(key, "scoring.zero_at") == 0)
        return take_number(contest, item, 1e-3, 1e6, &contest->zero_at, error);
    if (strcmp(key, "scoring.correct") == 0)
        return take_number(contest, item, 0, 100, &contest->correct, error);
    if (strcmp(key, "scoring.rank_cpu") == 0)
        return settings_boolean(&contest->settings, item, &contest->rank_cpu, error);
    if (strcmp(key, "scoring.device") == 0) {
        contest->device = item->value;
        return take_text(contest, item, error);
    }
    if (strcmp(key, "seal") == 0)
        return take_name(contest, item, true, &contest->seal, error);
    if (strcmp(key, "practice") == 0)
        return settings_boolean(&contest->settings, item, &contest->practice, error);
    if (strcmp(key, "show_code") == 0)
        return settings_boolean(&contest->settings, item, &contest->show_code, error);
    if (strncmp(key, "groups.", 7) == 0)
        return take_team_group(contest, item, error);
    for (int i = 0; i < CONTEST_MEDALS; i++)
        if (strcmp(key, medal_keys[i]) == 0)
            return take_whole(contest, item, 0, 1000, &contest->medals[i], error);
    if (strcmp(key, "explain") == 0)
        return settings_boolean(&contest->settings, item, &contest->explain, error);
    if (strcmp(key, "key") == 0)
        return take_name(contest, item, true, &contest->key, error);
    if (strcmp(key, "require_box") == 0) {
        contest->require_box = item->value;
        return take_choice(contest, item, boxes, &choice, error);
    }
    if (strcmp(key, "limits.files") == 0)
        return take_whole(contest, item, 1, 4096, &contest->files, error);
    if (strcmp(key, "limits.megabytes") == 0)
        return take_number(contest, item, 0.001, 256, &contest->megabytes, error);
    if (strcmp(key, "limits.entries") == 0)
        return take_whole(contest, item, 1, 100000, &contest->entries, error);
    if (strcmp(key, "limits.batch") == 0)
        return take_whole(contest, item, 1, 100000, &contest->batch, error);
    if (strcmp(key, "limits.queued") == 0)
        return take_whole(contest, item, 0, 100000, &contest->queued, error);
    if (strcmp(key, "limits.per_hour") == 0)
        return take_whole(contest, item, 0, 100000, &contest->per_hour, error);
    if (strcmp(key, "limits.total") == 0)
        return take_whole(contest, item, 0, 1000000, &contest->total, error);
    return take_whole(contest, item, 1, 10, &contest->attempts, error);
}

static bool is_within(const char *name, const char *folder)
{
    const size_t length = strlen(folder);

    return strncmp(name, folder, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

int contest_line(const struct contest *contest, const char *key)
{
    const struct setting *item = settings_item(&contest->settings, key);

    return item ? item->line : 0;
}

int contest_problem_line(const struct contest *contest, size_t index, const char *name)
{
    char key[64], first[64];
    int line;

    snprintf(key, sizeof key, "problems.%zu.%s", index, name);
    snprintf(first, sizeof first, "problems.%zu.", index);
    line = contest_line(contest, key);
    for (size_t i = 0; line == 0 && i < contest->settings.count; i++)
        if (strncmp(contest->settings.items[i].key, first, strlen(first)) == 0)
            line = contest->settings.items[i].line;
    return line;
}

static int group_line(const struct contest *contest, const struct contest_problem *problem, size_t group)
{
    char name[32];

    snprintf(name, sizeof name, "groups.%zu.name", group);
    return contest_problem_line(contest, (size_t)(problem - contest->problems), name);
}

/* One group among those of its problem: every case is run, and counts in one group. */
static bool group_fits(const struct contest *contest, const struct contest_problem *problem, size_t index,
                       struct error *error)
{
    const struct contest_group *group = &problem->groups[index];
    const char *path = contest->settings.path;
    const int line = group_line(contest, problem, index);

    if (!group->name)
        return error_usage(error, "%s:%d: group number %zu of problem %s has no 'name'", path, line, index + 1,
                           problem->id);
    if (!is_within(group->name, problem->secret))
        return error_usage(error, "%s:%d: problem %s: the group '%s' is not below '%s', whose cases are run", path,
                           line, problem->id, group->name, problem->secret);
    for (size_t k = 0; k < index; k++) {
        const char *other = problem->groups[k].name;

        if (other && (is_within(group->name, other) || is_within(other, group->name)))
            return error_usage(error, "%s:%d: problem %s: the groups '%s' and '%s' have cases in common", path, line,
                               problem->id, other, group->name);
    }
    return true;
}

static bool problem_fits(const struct contest *contest, const struct contest_problem *problem, struct faults *faults,
                         struct error *error)
{
    const size_t index = (size_t)(problem - contest->problems);
    const char *path = contest->settings.path;
    const int line = contest_problem_line(contest, index, "secret");

    if (!problem->id || !problem->problem)
        return error_usage(error, "%s:%d: problem number %zu has no '%s'", path, line, index + 1,
                           problem->id ? "problem" : "id") || faults_note(faults, error);
    if (contest->scoring == SCORING_GROUPS && strcmp(problem->secret, "all") == 0)
        return error_usage(error, "%s:%d: problem %s: groups are folders below 'secret', and 'secret: all' has none",
                           path, line, problem->id) || faults_note(faults, error);
    for (size_t i = 0; i < problem->group_count; i++)
        if (!group_fits(contest, problem, i, error) && !faults_note(faults, error))
            return false;
    return true;
}

/* What is wrong with the moments: `key` is the one to look at. NULL where nothing is. */
static const char *times_fault(const struct contest *contest, const char **key)
{
    const double end = contest->end;

    if (contest->start > 0 && end > 0 && end <= contest->start)
        return *key = "end", "the contest ends before it starts";
    if (contest->freeze > 0 && (contest->freeze <= contest->start || (end > 0 && contest->freeze >= end)))
        return *key = "freeze", "'freeze' is not between 'start' and 'end'";
    if ((contest->thaw > 0 || contest->final > 0) && end <= 0)
        return *key = contest->thaw > 0 ? "thaw" : "final", "'thaw' and 'final' need an 'end'";
    if (contest->show_code && end <= 0)
        return *key = "show_code", "'show_code' needs an 'end'";
    if (contest->thaw > 0 && (contest->freeze <= 0 || contest->thaw <= end))
        return *key = "thaw", "'thaw' must be after 'end', and needs a 'freeze'";
    if (contest->final > 0 && contest->final <= end)
        return *key = "final", "'final' must be after 'end'";
    return NULL;
}

/* What no single line tells. */
static bool fits(const struct contest *contest, struct faults *faults, struct error *error)
{
    const char *path = contest->settings.path, *key = NULL, *why;

    if (!contest->name && !contest_line(contest, "name") &&
        !(error_usage(error, "%s: the key 'name' is missing", path) || faults_note(faults, error)))
        return false;
    if (contest->problem_count == 0 &&
        !(error_usage(error, "%s: it names no problem: add problems: - id: A", path) || faults_note(faults, error)))
        return false;
    for (size_t i = 0; i < contest->problem_count; i++)
        if (!problem_fits(contest, &contest->problems[i], faults, error))
            return false;
    for (size_t i = 0; i < contest->team_group_count; i++)
        if (!contest->team_groups[i].id &&
            !(error_usage(error, "%s: group of teams number %zu has no 'id'", path, i + 1) ||
              faults_note(faults, error)))
            return false;
    why = times_fault(contest, &key);
    if (why && !(error_usage(error, "%s:%d: %s", path, contest_line(contest, key), why) || faults_note(faults, error)))
        return false;
    if (contest->full_at > contest->zero_at)
        return true;
    key = contest_line(contest, "scoring.full_at") ? "scoring.full_at" : "scoring.zero_at";
    return error_usage(error, "%s:%d: scoring.full_at (%g) must be above scoring.zero_at (%g)", path,
                       contest_line(contest, key), contest->full_at, contest->zero_at) || faults_note(faults, error);
}

/* What contest.yaml leaves open. */
static void add_defaults(struct contest *contest)
{
    for (size_t i = 0; i < contest->problem_count; i++) {
        struct contest_problem *problem = &contest->problems[i];

        for (size_t k = 0; k < problem->group_count; k++)
            if (problem->groups[k].max_score <= 0)
                problem->groups[k].max_score = problem->points;
        if (!problem->ranked) /* times are wanted wherever they make the score */
            problem->ranked = strcmp(problem->secret, "secret") == 0 ? "ranked" : problem->secret;
    }
}

static bool note(void *faults, struct error *error) { return faults_note(faults, error); }

static bool load(struct contest *contest, const char *folder, struct faults *faults, struct error *error)
{
    char path[PATH_MAX], build[PATH_MAX], root[PATH_MAX];
    bool ok = true;

    *contest = (struct contest){
        .require_box = "cgroup",
        .penalty = 20, .full_at = 4, .zero_at = 1, .correct = 50, .files = 64, .megabytes = 4, .attempts = 3,
        .explain = true, .entries = 1000, .batch = 1000,
    };
    if (snprintf(path, sizeof path, "%s/contest.yaml", folder) >= (int)sizeof path)
        return error_usage(error, "the path '%.100s...' is too long", folder);
    if (!settings_load_past(&contest->settings, path, known, note, faults, error))
        return false;
    for (size_t i = 0; ok && i < contest->settings.count; i++)
        ok = take(contest, &contest->settings.items[i], error) || faults_note(faults, error);
    ok = ok && root_find(build, root, sizeof root, error) && groups_name(contest, root, error) &&
         fits(contest, faults, error);
    if (ok)
        add_defaults(contest);
    ok = ok && groups_fill(contest, root, faults, error);
    if (!ok)
        contest_release(contest);
    return ok;
}

bool contest_load(struct contest *contest, const char *folder, struct error *error)
{
    return load(contest, folder, NULL, error);
}

bool contest_check(struct contest *contest, const char *folder, struct faults *faults, struct error *error)
{
    return load(contest, folder, faults, error);
}

void contest_release(struct contest *contest)
{
    for (size_t i = 0; i < contest->problem_count; i++) {
        for (size_t k = 0; k < contest->problems[i].group_count; k++)
            free(contest->problems[i].groups[k].owned);
        for (size_t k = 0; k < sizeof contest->problems[i].owned / sizeof contest->problems[i].owned[0]; k++)
            free(contest->problems[i].owned[k]);
    }
    settings_release(&contest->settings);
    *contest = (struct contest){ 0 };
}

bool contest_thawed(const struct contest *contest, double now)
{
    return contest->freeze <= 0 || (contest->thaw > 0 && now >= contest->thaw);
}

const struct contest_problem *contest_problem(const struct contest *contest, const char *id)
{
    for (size_t i = 0; i < contest->problem_count; i++)
        if (contest->problems[i].id && strcmp(contest->problems[i].id, id) == 0)
            return &contest->problems[i];
    return NULL;
}
