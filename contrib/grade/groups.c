/*
 * groups.c - test_group.yaml, its rules, and what a contest takes of it.
 */
#include "groups.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "score.h"
#include "verify/base/number.h"

static const char *const known[] = {
    "max_score",
    "score_aggregation",
    "static_validation_score",
    "require_pass",
    "require_pass.*",
    "args",
    "args.*",
    "input_validator_args",
    "input_validator_args.*",
    "static_validator_args",
    "static_validator_args.*",
    "output_validator_args",
    "output_validator_args.*",
    "input_visualizer_args",
    "input_visualizer_args.*",
    "output_visualizer_args",
    "output_visualizer_args.*",
    "full_feedback",
    NULL,
};

static bool bad(const struct settings *settings, const struct setting *item, const char *why, struct error *error)
{
    return settings_refuse(settings, item, why, error);
}

static bool is_number(const char *text, double *number)
{
    int64_t whole;

    if (!number_integer(text, 0, 999999999, &whole))
        return false;
    *number = (double)whole;
    return true;
}

static bool take(struct test_groups *groups, struct test_group *group, const struct settings *settings,
                 const struct setting *item, struct error *error)
{
    const char *key = item->key;
    double number;

    if (strcmp(key, "max_score") == 0) {
        groups->scoring = true;
        if (strcmp(item->value, "unbounded") == 0)
            group->max_score = INFINITY;
        else if (!is_number(item->value, &group->max_score))
            return bad(settings, item, "must be a whole number, 0 or above, or unbounded", error);
    } else if (strcmp(key, "score_aggregation") == 0) {
        int i = 0;

        groups->scoring = true;
        while (aggregation_names[i] && strcmp(aggregation_names[i], item->value) != 0)
            i++;
        if (!aggregation_names[i])
            return bad(settings, item, "must be one of: sum, min, pass-fail", error);
        group->aggregation = (enum aggregation)i;
    } else if (strcmp(key, "static_validation_score") == 0) {
        group->static_validation = true;
        if (strcmp(item->value, "pass-fail") != 0 && !is_number(item->value, &number))
            return bad(settings, item, "must be a whole number or pass-fail", error);
    } else if (strcmp(key, "require_pass") == 0 || strncmp(key, "require_pass.", 13) == 0) {
        groups->scoring = true;
        if (group->require_count == TEST_GROUPS)
            return bad(settings, item, "is one too many", error);
        if (!(group->require[group->require_count] = strdup(item->value)))
            return error_toolkit(error, "out of memory");
        group->require_count++;
    } else if (strcmp(key, "full_feedback") == 0) {
        if (strcmp(item->value, "true") != 0 && strcmp(item->value, "false") != 0)
            return bad(settings, item, "must be true or false", error);
    }
    return true;
}

/* DATA/NAME/test_group.yaml, where there is one. */
static bool read_file(struct test_groups *groups, struct test_group *group, const char *data, struct error *error)
{
    struct settings settings;
    char path[PATH_MAX];
    bool ok = true;

    snprintf(path, sizeof path, "%.2000s/%.1000s/test_group.yaml", data, group->name);
    if (access(path, F_OK) != 0)
        return true;
    if (!settings_load(&settings, path, known, error))
        return false;
    for (size_t i = 0; ok && i < settings.count; i++)
        ok = take(groups, group, &settings, &settings.items[i], error);
    settings_release(&settings);
    return ok;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);

    return length > tail && strcmp(text + length - tail, end) == 0;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Cases in a folder and below it; *folders counts the folders in it that are no part of a case. */
static size_t count_cases(const char *path, size_t *folders, int depth)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_visible, alphasort);
    size_t cases = 0, ignored;
    char below[PATH_MAX];

    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;

        snprintf(below, sizeof below, "%.3000s/%.255s", path, name);
        if (!is_folder(below)) {
            cases += ends_with(name, ".in");
        } else if (!ends_with(name, ".files")) {
            *folders += 1;
            cases += depth > 0 ? count_cases(below, &ignored, depth - 1) : 0;
        }
        free(entries[i]);
    }
    free(entries);
    return cases;
}

/* ------------------------------------------------------------------ rules */

static const struct test_group *find(const struct test_groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->groups[i].name, name) == 0)
            return &groups->groups[i];
    return NULL;
}

static bool check_requirements(const struct test_groups *groups, const struct test_group *group, struct error *error)
{
    for (size_t i = 0; i < group->require_count; i++) {
        const char *name = group->require[i];
        const struct test_group *other = find(groups, name);

        if (strcmp(name, "sample") == 0)
            continue;
        if (group == &groups->secret)
            return error_usage(
                error, "secret/test_group.yaml: require_pass: secret may require sample alone, not '%.80s'", name);
        if (!other || strcmp(name, group->name) >= 0)
            return error_usage(error, "%s/test_group.yaml: require_pass: '%.80s' is not a group before this one",
                               group->name, name);
        if (other->aggregation != AGGREGATION_PASS_FAIL)
            return error_usage(error, "%s/test_group.yaml: require_pass: '%.80s' is not pass-fail", group->name, name);
    }
    return true;
}

static bool check_group(const struct test_groups *groups, const struct test_group *group, struct error *error)
{
    const struct test_group *secret = &groups->secret;

    if (group->cases == 0 && !group->static_validation)
        return error_usage(error, "%s: the group has no case", group->name);
    if (!groups->scoring)
        return true;
    if (secret->aggregation == AGGREGATION_PASS_FAIL && group->aggregation != AGGREGATION_PASS_FAIL)
        return error_usage(
            error, "%s/test_group.yaml: score_aggregation: as secret is pass-fail, so must be its groups", group->name);
    /* Where secret is pass-fail its groups' own scores are not asked for. */
    if (isinf(group->max_score) && !isinf(secret->max_score) && secret->aggregation != AGGREGATION_PASS_FAIL)
        return error_usage(error, "%s/test_group.yaml: max_score: it is needed, as that of secret is bounded (%g)",
                           group->name, secret->max_score);
    if (isinf(group->max_score) && group->aggregation == AGGREGATION_PASS_FAIL &&
        secret->aggregation != AGGREGATION_PASS_FAIL)
        return error_usage(error, "%s/test_group.yaml: max_score: a pass-fail group needs one", group->name);
    return check_requirements(groups, group, error);
}

static bool check(const struct test_groups *groups, struct error *error)
{
    const struct test_group *secret = &groups->secret;

    if (isinf(secret->max_score) && secret->aggregation == AGGREGATION_PASS_FAIL)
        return error_usage(error, "secret/test_group.yaml: max_score: what is pass-fail cannot be unbounded");
    if (!check_requirements(groups, secret, error))
        return false;
    for (size_t i = 0; i < groups->count; i++)
        if (!check_group(groups, &groups->groups[i], error))
            return false;
    return true;
}

static bool add(struct test_groups *groups, const char *data, const char *name, struct error *error)
{
    struct test_group *group = &groups->groups[groups->count];
    char path[PATH_MAX];
    size_t folders = 0;

    if (groups->count == TEST_GROUPS)
        return error_usage(error, "%s/secret: it has more than %d groups", data, TEST_GROUPS);
    *group = (struct test_group){ .aggregation = AGGREGATION_PASS_FAIL, .max_score = INFINITY };
    if (asprintf(&group->name, "secret/%s", name) < 0) {
        group->name = NULL;
        return error_toolkit(error, "out of memory");
    }
    groups->count++;
    snprintf(path, sizeof path, "%.2000s/%.1000s", data, group->name);
    group->cases = count_cases(path, &folders, 8);
    return read_file(groups, group, data, error);
}

bool test_groups_read(struct test_groups *groups, const char *data, struct error *error)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], below[PATH_MAX];
    int count;
    bool ok;

    *groups = (struct test_groups){ .secret = { .aggregation = AGGREGATION_SUM, .max_score = 100 } };
    snprintf(path, sizeof path, "%.3000s/secret", data);
    groups->secret.name = strdup("secret");
    ok = groups->secret.name != NULL || error_toolkit(error, "out of memory");
    count = ok ? scandir(path, &entries, is_visible, alphasort) : 0;
    if (count < 0)
        ok = error_usage(error, "cannot list '%s': %s", path, strerror(errno));
    ok = ok && read_file(groups, &groups->secret, data, error);
    for (int i = 0; i < count; i++) {
        snprintf(below, sizeof below, "%.3000s/%.255s", path, entries[i]->d_name);
        if (is_folder(below) && !ends_with(entries[i]->d_name, ".files"))
            ok = ok && add(groups, data, entries[i]->d_name, error);
        else
            groups->secret.cases += ends_with(entries[i]->d_name, ".in");
        free(entries[i]);
    }
    free(entries);
    if (ok && check(groups, error))
        return true;
    test_groups_release(groups);
    return false;
}

static void release(struct test_group *group)
{
    for (size_t i = 0; i < group->require_count; i++)
        free(group->require[i]);
    free(group->name);
}

void test_groups_release(struct test_groups *groups)
{
    release(&groups->secret);
    for (size_t i = 0; i < groups->count; i++)
        release(&groups->groups[i]);
    *groups = (struct test_groups){ 0 };
}

/* ------------------------------------------------------------------ for a contest */

static bool take_group(struct contest_problem *problem, const struct test_groups *groups,
                       const struct test_group *group, struct error *error)
{
    struct contest_group *taken = &problem->groups[problem->group_count++];

    *taken = (struct contest_group){ .aggregation = group->aggregation, .max_score = group->max_score };
    taken->name = taken->owned = strdup(group->name);
    if (!taken->owned)
        return error_toolkit(error, "out of memory");
    if (group->static_validation)
        return error_usage(
            error, "problem %s: %s has a static validator, and the toolkit has none: name the groups in contest.yaml",
            problem->problem, group->name);
    if (isinf(group->max_score) && groups->secret.aggregation != AGGREGATION_PASS_FAIL)
        return error_usage(error,
                           "problem %s: %s has no bound of its score, and the toolkit's checkers give none: name the "
                           "groups in contest.yaml",
                           problem->problem, group->name);
    if (isinf(taken->max_score))
        taken->max_score = 0;
    for (size_t i = 0; i < group->require_count; i++) {
        taken->require_sample |= strcmp(group->require[i], "sample") == 0;
        for (size_t k = 0; k + 1 < problem->group_count; k++)
            if (strcmp(problem->groups[k].name, group->require[i]) == 0)
                taken->require |= 1u << k;
    }
    return true;
}

double groups_full_score(const struct contest_problem *problem)
{
    double scores[CONTEST_GROUPS];

    for (size_t i = 0; i < problem->group_count; i++)
        scores[i] = problem->groups[i].max_score;
    return score_groups(problem->aggregation, problem->max_score > 0 ? problem->max_score : problem->points, scores,
                        problem->group_count, true);
}

static bool fill(struct contest_problem *problem, const char *root, struct error *error)
{
    struct test_groups groups;
    char path[PATH_MAX];
    const bool all = strcmp(problem->secret, "secret") == 0;
    bool ok = true;

    snprintf(path, sizeof path, "%.2000s/problems/%.200s/data", root, problem->problem);
    if (access(path, F_OK) != 0)
        return true;
    if (!test_groups_read(&groups, path, error))
        return false;
    if (!groups.scoring) {
        problem->groups[problem->group_count++] = (struct contest_group){ .name = problem->secret,
                                                                          .aggregation = AGGREGATION_SUM,
                                                                          .max_score = problem->points };
    } else if (groups.count == 0) {
        ok = take_group(problem, &groups, &groups.secret, error);
    } else {
        problem->aggregation = all ? groups.secret.aggregation : AGGREGATION_SUM;
        problem->max_score = isinf(groups.secret.max_score) ? 0 : groups.secret.max_score;
        for (size_t i = 0; i < groups.secret.require_count; i++)
            problem->require_sample = true;
        if (all && groups.count > CONTEST_GROUPS)
            ok = error_usage(error, "problem %s: its package has %zu test groups, and a contest takes %d",
                             problem->problem, groups.count, CONTEST_GROUPS);
        for (size_t i = 0; ok && i < groups.count; i++)
            if (all || strcmp(groups.groups[i].name, problem->secret) == 0)
                ok = take_group(problem, &groups, &groups.groups[i], error);
        if (ok && problem->group_count == 0)
            ok =
                error_usage(error, "problem %s: its package has no test group '%s'", problem->problem, problem->secret);
        if (ok && groups_full_score(problem) > groups.secret.max_score)
            ok = error_usage(
                error,
                "problem %s: its groups give %g points and its secret/test_group.yaml allows %g (100 unless "
                "it says more)",
                problem->problem, groups_full_score(problem), groups.secret.max_score);
    }
    test_groups_release(&groups);
    return ok;
}

bool groups_fill(struct contest *contest, const char *root, struct faults *faults, struct error *error)
{
    for (size_t i = 0; contest->scoring == SCORING_GROUPS && i < contest->problem_count; i++)
        if (contest->problems[i].problem && contest->problems[i].group_count == 0 &&
            !fill(&contest->problems[i], root, error) && !faults_note(faults, error))
            return false;
    return true;
}

/* The whole name of a group in *whole, to be freed, where `name` leaves its folder out; else NULL. */
static bool whole_name(const char *data, const char *name, char **whole, struct error *error)
{
    static const char *const folders[] = { "secret", "sample" };
    char path[PATH_MAX];
    size_t found = 0, where = 0;

    *whole = NULL;
    snprintf(path, sizeof path, "%.2000s/%.1000s", data, name);
    if (is_folder(path) || strcmp(name, "all") == 0 || strcmp(name, "ranked") == 0)
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%.2000s/%s/%.1000s", data, folders[i], name);
        if (is_folder(path))
            found++, where = i;
    }
    return found != 1 || asprintf(whole, "%s/%s", folders[where], name) >= 0 || error_toolkit(error, "out of memory");
}

static bool name_whole(const char *data, const char **name, char **owned, struct error *error)
{
    if (!*name || !whole_name(data, *name, owned, error))
        return !*name;
    *name = *owned ? *owned : *name;
    return true;
}

bool groups_name(struct contest *contest, const char *root, struct error *error)
{
    bool ok = true;

    for (size_t i = 0; ok && i < contest->problem_count; i++) {
        struct contest_problem *problem = &contest->problems[i];
        char data[PATH_MAX];

        if (!problem->problem)
            continue;
        snprintf(data, sizeof data, "%.2000s/problems/%.200s/data", root, problem->problem);
        ok = name_whole(data, &problem->samples, &problem->owned[0], error) &&
             name_whole(data, &problem->secret, &problem->owned[1], error) &&
             (problem->ranked_case || name_whole(data, &problem->ranked, &problem->owned[2], error));
        for (size_t k = 0; ok && k < problem->group_count; k++)
            ok = name_whole(data, &problem->groups[k].name, &problem->groups[k].owned, error);
    }
    return ok;
}
