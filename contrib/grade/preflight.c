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

/* The line of a key; 0 for none. */
static int line_of_key(const struct contest *contest, const char *key)
{
    for (size_t i = 0; i < contest->settings.count; i++)
        if (strcmp(contest->settings.items[i].key, key) == 0)
            return contest->settings.items[i].line;
    return 0;
}

/* The line of "problems.INDEX.NAME", or of the problem's first key where a default is meant. */
static int line_of(const struct contest *contest, size_t index, const char *name)
{
    char key[64], first[64];
    int line;

    snprintf(key, sizeof key, "problems.%zu.%s", index, name);
    snprintf(first, sizeof first, "problems.%zu.", index);
    line = line_of_key(contest, key);
    for (size_t i = 0; line == 0 && i < contest->settings.count; i++)
        if (strncmp(contest->settings.items[i].key, first, strlen(first)) == 0)
            line = contest->settings.items[i].line;
    return line;
}

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
                                               line_of(contest, index, key), problem->problem,
                                               one ? "case" : "group of cases", name);
}

static bool data_is_there(const struct contest *contest, size_t index, const char *root, struct error *error)
{
    const struct contest_problem *problem = &contest->problems[index];
    char key[64];

    if (!cases_are_there(contest, index, "samples", problem->samples, root, false, error) ||
        !cases_are_there(contest, index, "secret", problem->secret, root, false, error) ||
        !cases_are_there(contest, index, problem->ranked_case ? "ranked_case" : "ranked", problem->ranked, root,
                         problem->ranked_case, error))
        return false;
    for (size_t i = 0; i < problem->group_count; i++) {
        snprintf(key, sizeof key, "groups.%zu.name", i);
        if (!cases_are_there(contest, index, key, problem->groups[i].name, root, false, error))
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
        return error_toolkit(error, "there is no '%s': run make", host);
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
           error_usage(error, "%s:%d: %.300s", contest->settings.path, line_of(contest, index, "league"), line);
}

static bool team_is_read(const char *path, struct error *error)
{
    struct settings settings;
    const char *name;
    bool ok;

    if (!settings_load(&settings, path, team_keys, error))
        return false;
    name = settings_string(&settings, "name");
    ok = !name || name[0] || error_usage(error, "%s: 'name' is empty", path);
    for (size_t i = 0; ok && i < settings.count; i++)
        ok = settings.items[i].value[0] == '\0' || name_is(settings.items[i].value, NAME_TEXT) ||
             settings_refuse(&settings, &settings.items[i], "has a character that cannot be seen or steers text",
                             error);
    settings_release(&settings);
    return ok;
}

/* Every team's file, so that a broken one shows before the standings are wanted. */
static bool teams_are_read(const char *folder, struct error *error)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    bool ok = true;
    int count;

    snprintf(path, sizeof path, "%.2000s/teams", folder);
    count = scandir(path, &entries, NULL, alphasort);
    if (count < 0 && errno != ENOENT)
        return error_usage(error, "cannot list '%s': %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');

        snprintf(path, sizeof path, "%.2000s/teams/%s", folder, name);
        if (ok && name[0] != '.' && end && strcmp(end, ".yaml") == 0)
            ok = team_is_read(path, error);
        else if (ok && name[0] != '.' && end && (strcasecmp(end, ".yml") == 0 || strcasecmp(end, ".yaml") == 0))
            ok = error_usage(error, "%s: a team's file ends in '.yaml': rename it, or the team is not listed", path);
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

    return end && (strcmp(end, ".c") == 0 || strcmp(end, ".cu") == 0);
}

/* A .c or .cu file, or a folder with some. */
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
                       line_of_key(contest, key), key, name, path, strerror(errno));
}

static bool is_sample(const char *name)
{
    return strcmp(name, "sample") == 0 || strncmp(name, "sample/", 7) == 0;
}

/*
 * Without a seal every judging of a secret case has inputs that anybody can make: one submission that loses on purpose
 * tells the next one what they are.
 */
static bool is_sealed_or_practice(const struct contest *contest, struct error *error)
{
    if (contest->seal && contest->practice)
        return error_usage(error, "%s:%d: 'practice: yes' is for a contest without a seal: remove one of the two",
                           contest->settings.path, line_of_key(contest, "practice"));
    for (size_t i = 0; i < contest->problem_count && !contest->seal && !contest->practice; i++) {
        const struct contest_problem *problem = &contest->problems[i];

        if (!is_sample(problem->secret) || !is_sample(problem->ranked))
            return error_usage(error, "%s: problem %s has secret cases ('%s'), and there is no seal: make one (make "
                                      "seal) and name it with 'seal:', or say 'practice: yes' where nothing depends on"
                                      " the results", contest->settings.path, problem->id,
                               is_sample(problem->secret) ? problem->ranked : problem->secret);
    }
    return true;
}

bool preflight(const struct contest *contest, const char *folder, const char *root, const char *build,
               struct error *error)
{
    char path[PATH_MAX], names[400];

    if (!own_file_is_there(contest, "seal", contest->seal, folder, error) ||
        !own_file_is_there(contest, "key", contest->key, folder, error))
        return false;
    for (size_t i = 0; i < contest->problem_count; i++) {
        const struct contest_problem *problem = &contest->problems[i];

        snprintf(path, sizeof path, "%.2000s/problems/%s/problem.c", root, problem->problem);
        problem_names(root, names, sizeof names);
        if (!is_there(path, false))
            return error_usage(error, "%s:%d: there is no problem '%s'; there are:%s", contest->settings.path,
                               line_of(contest, i, "problem"), problem->problem, names);
        snprintf(path, sizeof path, "%.2000s/%s", root, problem->baseline ? problem->baseline : "");
        if (problem->baseline && !baseline_is_there(path))
            return error_usage(error, "%s:%d: there is no baseline '%s' in the toolkit: a .c or .cu file, or a folder"
                                      " of them", contest->settings.path, line_of(contest, i, "baseline"),
                               problem->baseline);
        if (!data_is_there(contest, i, root, error) || !host_agrees(contest, i, folder, root, build, error))
            return false;
    }
    return is_sealed_or_practice(contest, error) && teams_are_read(folder, error) &&
           submissions_are_there(folder, error);
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
    why = strstr(line, "the box reached here is");
    return error_usage(error, "%s: submissions are run in the box '%s' or none (require_box), and this machine has less"
                              " (%.250s): grade as root or in a unit of your own, systemd-run --user --scope, or write"
                              " 'require_box: namespaces' to do without the kernel's limits",
                       contest->settings.path, contest->require_box, why ? why : line);
}
