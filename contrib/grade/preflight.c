/*
 * preflight.c - files that are to be there, and the host asked about what it alone knows: leagues, seals, keys.
 */
#include "preflight.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/name.h"

static bool is_there(const char *path, bool folder)
{
    struct stat status;

    return stat(path, &status) == 0 && (folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode));
}

/* All problems of the toolkit in one line. */
static void problem_names(const char *root, char *names, size_t size)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    int count;

    names[0] = '\0';
    snprintf(path, sizeof path, "%.2000s/problems", root);
    count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%.2000s/problems/%s/problem.c", root, entries[i]->d_name);
        if (is_there(path, false))
            snprintf(names + strlen(names), size - strlen(names), " %.60s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* A group of cases is a folder below data/, or data/ itself; a case is a file there. */
static bool cases_are_there(const struct contest *contest, size_t index, const char *key, const char *name,
                            const char *root, bool one, struct error *error)
{
    const struct contest_problem *problem = &contest->problems[index];
    char path[PATH_MAX];

    if (!one && (strcmp(name, "all") == 0 || (strcmp(name, "ranked") == 0 && strcmp(key, "ranked") == 0)))
        return true;
    snprintf(path, sizeof path, "%.2000s/problems/%s/data/%s%s", root, problem->problem, name, one ? ".in" : "");
    return is_there(path, !one) || error_usage(error, "%s:%d: the problem '%s' has no %s '%s'", contest->settings.path,
                                               contest_problem_line(contest, index, key), problem->problem,
                                               one ? "case" : "group of cases", name);
}

static bool data_is_there(const struct contest *contest, size_t index, const char *root, struct faults *faults,
                          struct error *error)
{
    const struct contest_problem *problem = &contest->problems[index];
    char key[64];

    if ((!cases_are_there(contest, index, "samples", problem->samples, root, false, error) &&
         !faults_note(faults, error)) ||
        (!cases_are_there(contest, index, "secret", problem->secret, root, false, error) &&
         !faults_note(faults, error)))
        return false;
    /* Without a line of its own it is what `secret` names, which was looked at. */
    if ((problem->ranked_case || strcmp(problem->ranked, problem->secret) != 0) &&
        !cases_are_there(contest, index, problem->ranked_case ? "ranked_case" : "ranked", problem->ranked, root,
                         problem->ranked_case, error) && !faults_note(faults, error))
        return false;
    for (size_t i = 0; i < problem->group_count; i++) {
        snprintf(key, sizeof key, "groups.%zu.name", i);
        if (problem->groups[i].name &&
            !cases_are_there(contest, index, key, problem->groups[i].name, root, false, error) &&
            !faults_note(faults, error))
            return false;
    }
    return true;
}

/* Runs a command and gives the last line that it printed. Whether it ended with exit code `wanted`. */
static bool ends_with_code(const char *const *arguments, int wanted, char *line, size_t size)
{
    char buffer[4096];
    size_t used = 0;
    ssize_t got;
    int ends[2], status = -1;
    pid_t pid;

    line[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], 1) == 1 && dup2(ends[1], 2) == 2)
            execv(arguments[0], (char *const *)arguments);
        _exit(127);
    }
    close(ends[1]);
    while (pid > 0 &&
           ((got = read(ends[0], buffer + used, sizeof buffer - 1 - used)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0 && (used += (size_t)got) == sizeof buffer - 1) /* only its end is wanted */
            memmove(buffer, buffer + sizeof buffer / 2, used -= sizeof buffer / 2);
    close(ends[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    while (used > 0 && buffer[used - 1] == '\n')
        used--;
    buffer[used] = '\0';
    snprintf(line, size, "%.399s", strrchr(buffer, '\n') ? strrchr(buffer, '\n') + 1 : buffer);
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == wanted;
}

/*
 * The host reads the problem, the league, the seal and the key before it looks at a submission. It is given one that
 * did not compile, so that its only answer where all of these are in order is CE, exit code 1.
 */
static bool host_agrees(const struct contest *contest, size_t index, const char *folder, const char *root,
                        const char *build, struct error *error)
{
    const struct contest_problem *problem = &contest->problems[index];
    char host[PATH_MAX], text[PATH_MAX], seal[PATH_MAX], key[PATH_MAX], line[400], json[] = "/tmp/preflight-XXXXXX";
    const char *arguments[16];
    size_t n = 0;
    int file = -1;
    bool agrees;

    snprintf(host, sizeof host, "%.3000s/main_host", build);
    snprintf(text, sizeof text, "%.3000s/VERSION", root);
    arguments[n++] = host;
    arguments[n++] = problem->problem;
    arguments[n++] = "--compile-error", arguments[n++] = text;
    if (problem->league)
        arguments[n++] = "--league", arguments[n++] = problem->league;
    if (contest->seal) {
        snprintf(seal, sizeof seal, "%.3000s/%s", folder, contest->seal);
        arguments[n++] = "--seal", arguments[n++] = seal;
        arguments[n++] = "--judgement", arguments[n++] = "1";
    }
    if (!is_there(host, false))
        return error_toolkit(error, "'%s' is missing: run make", host);
    if (contest->key) { /* a key is for a result */
        if ((file = mkstemp(json)) < 0)
            return error_system(error, "cannot write to /tmp");
        close(file);
        snprintf(key, sizeof key, "%.3000s/%s", folder, contest->key);
        arguments[n++] = "--key", arguments[n++] = key;
        arguments[n++] = "--json", arguments[n++] = json;
    }
    arguments[n] = NULL;
    agrees = ends_with_code(arguments, EXIT_REJECTED, line, sizeof line);
    if (file >= 0)
        unlink(json);
    return agrees ||
           error_usage(error, "%s:%d: %.300s", contest->settings.path,
                       contest_problem_line(contest, index, "league"), line);
}

static bool note(void *faults, struct error *error) { return faults_note(faults, error); }

/* Whether the contest has the group that a team's file names. */
static bool has_group(const struct contest *contest, const char *id)
{
    for (size_t i = 0; i < contest->team_group_count; i++)
        if (contest->team_groups[i].id && strcmp(contest->team_groups[i].id, id) == 0)
            return true;
    return false;
}

static bool team_is_read(const struct contest *contest, const char *path, struct faults *faults, struct error *error)
{
    struct settings settings;
    const struct setting *name, *group;
    bool ok;

    if (!settings_load_past(&settings, path, team_keys, note, faults, error))
        return faults_note(faults, error);
    name = settings_item(&settings, "name");
    group = settings_item(&settings, "group");
    ok = !name || name->value[0] || error_usage(error, "%s:%d: 'name' is empty", path, name->line) ||
         faults_note(faults, error);
    if (ok && group && !has_group(contest, group->value))
        ok = settings_refuse(&settings, group, "is not a group of contest.yaml", error) || faults_note(faults, error);
    for (size_t i = 0; ok && i < settings.count; i++)
        ok = settings.items[i].value[0] == '\0' || name_is(settings.items[i].value, NAME_TEXT) ||
             settings_refuse(&settings, &settings.items[i], "has an invisible or control character",
                             error) ||
             faults_note(faults, error);
    settings_release(&settings);
    return ok;
}

/* Every team's file, so that a broken one shows before the standings are wanted. */
static bool teams_are_read(const struct contest *contest, const char *folder, struct faults *faults,
                           struct error *error)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    bool ok = true;
    int count;

    snprintf(path, sizeof path, "%.2000s/teams", folder);
    count = scandir(path, &entries, NULL, alphasort);
    if (count < 0 && errno != ENOENT)
        return error_usage(error, "cannot list '%s': %s", path, strerror(errno)) || faults_note(faults, error);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');

        snprintf(path, sizeof path, "%.2000s/teams/%s", folder, name);
        if (ok && name[0] != '.' && end && strcmp(end, ".yaml") == 0)
            ok = team_is_read(contest, path, faults, error);
        else if (ok && name[0] != '.' && end && (strcasecmp(end, ".yml") == 0 || strcasecmp(end, ".yaml") == 0))
            ok = error_usage(error, "%s: a team's file ends in '.yaml': rename it, or the team is not listed", path) ||
                 faults_note(faults, error);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

static bool submissions_are_there(const char *folder, struct error *error)
{
    char path[PATH_MAX];
    DIR *entries;

    snprintf(path, sizeof path, "%.2000s/submissions", folder);
    entries = opendir(path);
    if (!entries)
        return error_usage(error, "cannot list '%s': %s: that folder is for the teams' files,"
                                  " submissions/TEAM/PROBLEM/...", path, strerror(errno));
    closedir(entries);
    return true;
}

static int is_source(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && (strcmp(end, ".c") == 0 || strcmp(end, ".cc") == 0 || strcmp(end, ".cu") == 0);
}

/* A .cu, .c or .cc file, or a folder with some. */
static bool baseline_is_there(const char *path)
{
    struct dirent **entries = NULL;
    struct dirent own;
    int count;

    snprintf(own.d_name, sizeof own.d_name, "%s", strrchr(path, '/') + 1);
    if (is_there(path, false))
        return is_source(&own) && access(path, R_OK) == 0;
    count = scandir(path, &entries, is_source, alphasort);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return count > 0;
}

/* A file of the contest's own that `key` names. */
static bool own_file_is_there(const struct contest *contest, const char *key, const char *name, const char *folder,
                              struct error *error)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%.3000s/%s", folder, name ? name : "");
    return !name || access(path, R_OK) == 0 ||
           error_usage(error, "%s:%d: '%s: %s': cannot read '%s': %s", contest->settings.path,
                       contest_line(contest, key), key, name, path, strerror(errno));
}

static bool is_sample(const char *name)
{
    return strcmp(name, "sample") == 0 || strncmp(name, "sample/", 7) == 0;
}

/*
 * Without a seal every judging of a secret case has inputs that anybody can make: one submission that loses on purpose
 * tells the next one what they are.
 */
static bool is_sealed_or_practice(const struct contest *contest, struct faults *faults, struct error *error)
{
    if (contest->seal && contest->practice)
        return error_usage(error, "%s:%d: 'practice: yes' is for a contest without a seal: remove one of the two",
                           contest->settings.path, contest_line(contest, "practice")) ||
               faults_note(faults, error);
    for (size_t i = 0; i < contest->problem_count && !contest->seal && !contest->practice; i++) {
        const struct contest_problem *problem = &contest->problems[i];

        if (problem->id && (!is_sample(problem->secret) || !is_sample(problem->ranked)))
            return error_usage(error, "%s:%d: problem %s has secret cases ('%s'), and there is no seal: make one "
                                      "(make seal) and name it with 'seal:', or say 'practice: yes' where nothing "
                                      "depends on the results", contest->settings.path,
                               contest_problem_line(contest, i, "secret"),
                               problem->id,
                               is_sample(problem->secret) ? problem->ranked : problem->secret) ||
                   faults_note(faults, error);
    }
    return true;
}

/* A problem, its cases and baseline, and what the host alone knows of it. */
static bool problem_is_there(const struct contest *contest, size_t index, const char *folder, const char *root,
                             const char *build, struct faults *faults, struct error *error)
{
    const struct contest_problem *problem = &contest->problems[index];
    const size_t before = faults ? faults->count : 0;
    char path[PATH_MAX], names[400];

    if (!problem->problem || !problem->id)
        return true; /* which is a fault already */
    snprintf(path, sizeof path, "%.2000s/problems/%s/problem.c", root, problem->problem);
    problem_names(root, names, sizeof names);
    if (!is_there(path, false))
        return error_usage(error, "%s:%d: there is no problem '%s'; there are:%s", contest->settings.path,
                           contest_problem_line(contest, index, "problem"), problem->problem, names) ||
               faults_note(faults, error);
    snprintf(path, sizeof path, "%.2000s/%s", root, problem->baseline ? problem->baseline : "");
    if (problem->baseline && !baseline_is_there(path) &&
        !(error_usage(error, "%s:%d: there is no baseline '%s' in the toolkit: a .cu, .c or .cc file, or a folder of "
                      "them", contest->settings.path, contest_problem_line(contest, index, "baseline"),
                      problem->baseline) ||
          faults_note(faults, error)))
        return false;
    if (!data_is_there(contest, index, root, faults, error))
        return false;
    if (!build || (faults && faults->count > before))
        return true; /* the host would say the same in other words */
    return host_agrees(contest, index, folder, root, build, error) || faults_note(faults, error);
}

bool preflight(const struct contest *contest, const char *folder, const char *root, const char *build,
               struct faults *faults, struct error *error)
{
    const bool seal = own_file_is_there(contest, "seal", contest->seal, folder, error);
    bool key;

    if (!seal && !faults_note(faults, error))
        return false;
    key = own_file_is_there(contest, "key", contest->key, folder, error);
    if (!key && !faults_note(faults, error))
        return false;
    /* The host reads seal and key for each problem: it is asked where they are there. */
    for (size_t i = 0; i < contest->problem_count; i++)
        if (!problem_is_there(contest, i, folder, root, seal && key ? build : NULL, faults, error))
            return false;
    return is_sealed_or_practice(contest, faults, error) && teams_are_read(contest, folder, faults, error) &&
           (submissions_are_there(folder, error) || faults_note(faults, error));
}

bool preflight_box(const struct contest *contest, const char *root, const char *build, struct error *error)
{
    char host[PATH_MAX], text[PATH_MAX], line[400];
    const char *arguments[] = { host, contest->problems[0].problem, "--compile-error", text, "--require-box",
                                contest->require_box, NULL }, *why;

    snprintf(host, sizeof host, "%.3000s/main_host", build);
    snprintf(text, sizeof text, "%.3000s/VERSION", root);
    if (ends_with_code(arguments, EXIT_REJECTED, line, sizeof line))
        return true;
    why = strstr(line, "the strongest box here is");
    return error_usage(error, "%s: submissions are run in the box '%s' or none (require_box), and this machine has less"
                              " (%.250s): grade as root or in a unit of your own, systemd-run --user --scope, or write"
                              " 'require_box: namespaces' to do without the kernel's limits",
                       contest->settings.path, contest->require_box, why ? why : line);
}

/* ------------------------------------------------------------------ strays */

static void tell_stray(const char *path, const char *why)
{
    struct error error;

    error_usage(&error, "%.300s: %s; nothing in it is graded", path, why); /* makes the name harmless */
    fprintf(stderr, "grader: %s\n", error.text);
}

static int is_entry(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* One team's folder: each entry is a problem's. */
static void team_strays(const struct contest *contest, const char *folder, const char *team)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], shown[PATH_MAX], why[400] = "contest.yaml has no problem of that id; there are:";
    int count;

    for (size_t i = 0; i < contest->problem_count; i++)
        snprintf(why + strlen(why), sizeof why - strlen(why), " %.60s",
                 contest->problems[i].id ? contest->problems[i].id : "");
    snprintf(path, sizeof path, "%.2000s/submissions/%.255s", folder, team);
    count = scandir(path, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;

        snprintf(path, sizeof path, "%.2000s/submissions/%.255s/%.255s", folder, team, name);
        snprintf(shown, sizeof shown, "submissions/%.255s/%.255s", team, name);
        if (!contest_problem(contest, name))
            tell_stray(shown, why);
        else if (!is_there(path, true))
            tell_stray(shown, "it is a file: a submission is an entry of a folder of that name");
        free(entries[i]);
    }
    free(entries);
}

/* Whether any team is listed; reports strays in teams/. */
static bool listed_teams(const char *folder)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], shown[PATH_MAX];
    bool listed = false;
    int count;

    snprintf(path, sizeof path, "%.2000s/teams", folder);
    count = scandir(path, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        const char *end = strrchr(entries[i]->d_name, '.');

        snprintf(shown, sizeof shown, "teams/%.255s", entries[i]->d_name);
        if (end && strcasecmp(end, ".yaml") == 0)
            listed = true;
        else if (!end || strcasecmp(end, ".yml") != 0)
            tell_stray(shown, "a team is a file TEAM.yaml");
        free(entries[i]);
    }
    free(entries);
    return listed;
}

void preflight_strays(const struct contest *contest, const char *folder)
{
    const bool listed = listed_teams(folder);
    struct dirent **entries = NULL;
    char path[PATH_MAX], shown[PATH_MAX];
    int count;

    snprintf(path, sizeof path, "%.2000s/submissions", folder);
    count = scandir(path, &entries, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;

        snprintf(path, sizeof path, "%.2000s/submissions/%.255s", folder, name);
        snprintf(shown, sizeof shown, "submissions/%.255s", name);
        if (!is_there(path, true)) {
            tell_stray(shown, "it is a file: a team is a folder");
        } else {
            snprintf(path, sizeof path, "%.2000s/teams/%.255s.yaml", folder, name);
            if (listed && access(path, F_OK) != 0)
                tell_stray(shown, "there is no such team in teams/");
            else
                team_strays(contest, folder, name);
        }
        free(entries[i]);
    }
    free(entries);
}
