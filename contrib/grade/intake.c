/*
 * intake.c - the scan, the limits on what is copied, and the copy.
 */
#include "intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judgement.h"
#include "litter.h"
#include "verify/base/clock.h"
#include "verify/base/digest.h"
#include "verify/base/name.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { MAX_DEPTH = 8, WHY = 300 };

/* What is found of one submission before anything is copied. */
struct survey {
    size_t files;           /* and folders */
    size_t contents;        /* files alone */
    uint64_t bytes, newest; /* ns since 1970: the newest change of any inode */
    double submitted;       /* the newest time of modification, seconds */
    char refused[300];      /* why it cannot be judged: the submitter's fault; or "" */
    char unread[300];       /* why it is not taken: nobody's fault, or the organiser's; or "" */
};

/* A line on standard error, once. `team` NULL: of all of them. */
static void tell(struct intake *intake, const char *team, const char *problem, const char *name, const char *why)
{
    char line[1024], **grown;

    snprintf(line, sizeof line, "submissions%s%.200s%s%.200s%s%.200s: %.300s", team ? "/" : "", team ? team : "",
             problem ? "/" : "", problem ? problem : "", name ? "/" : "", name ? name : "", why);
    text_defuse(line, sizeof line);
    for (size_t i = 0; i < intake->told_count; i++)
        if (strcmp(intake->told[i], line) == 0)
            return;
    fprintf(stderr, "grader: %s\n", line);
    grown = realloc(intake->told, (intake->told_count + 1) * sizeof *grown);
    if (!grown)
        return;
    intake->told = grown;
    intake->told[intake->told_count] = strdup(line);
    intake->told_count += intake->told[intake->told_count] != NULL;
}

void intake_release(struct intake *intake)
{
    for (size_t i = 0; i < intake->told_count; i++)
        free(intake->told[i]);
    free(intake->told);
    intake->told = NULL;
    intake->told_count = 0;
}

/* ------------------------------------------------------------------ survey and copy */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);

    return length > wanted && strcasecmp(name + length - wanted, end) == 0;
}

static bool is_archive(const char *name)
{
    static const char *const ends[] = { ".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".tar.zst" };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static void refuse(struct survey *survey, const char *name, const char *why)
{
    if (survey->refused[0])
        return;
    snprintf(survey->refused, sizeof survey->refused, "'%.150s' %s", name, why);
    text_defuse(survey->refused, sizeof survey->refused);
}

static void note_time(struct survey *survey, const struct stat *status)
{
    double modified = (double)status->st_mtim.tv_sec + 1e-9 * (double)status->st_mtim.tv_nsec;
    uint64_t changed = (uint64_t)status->st_ctim.tv_sec * 1000000000U + (uint64_t)status->st_ctim.tv_nsec;

    if (changed > survey->newest)
        survey->newest = changed;
    if (modified > survey->submitted)
        survey->submitted = modified;
}

/* The content of an open file into a new one, `as`; `name` is what its submitter calls it. */
static bool copy_bytes(int from, const char *name, int folder, const char *as, const struct contest *contest,
                       struct survey *survey, struct error *error)
{
    const uint64_t most = (uint64_t)(contest->megabytes * 1048576);
    char buffer[65536];
    int to = openat(folder, as, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    ssize_t got = 0, put;
    bool ok = to >= 0;

    while (ok && (got = read(from, buffer, sizeof buffer)) > 0) {
        survey->bytes += (uint64_t)got;
        if (survey->bytes > most) {
            refuse(survey, name, "makes the submission larger than the contest allows");
            break;
        }
        for (ssize_t done = 0; ok && done < got; done += put)
            ok = (put = write(to, buffer + done, (size_t)(got - done))) >= 0;
    }
    ok = (ok && got >= 0 && fsync(to) == 0) || error_system(error, "cannot copy a submission's file '%.100s'", name);
    if (to >= 0)
        close(to);
    return ok;
}

/*
 * Surveys what `name` in `from` is and, where `to` is no negative number, copies it there as `as`. False for the
 * machine's failures; what is the submitter's fault is in survey->refused.
 */
static bool take_tree(int from, const char *name, int to, const char *as, int depth, const struct contest *contest,
                      struct survey *survey, struct error *error)
{
    struct stat status;
    int fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), inner = -1;
    struct dirent *entry;
    DIR *folder = NULL;
    bool ok = true;

    if (fd < 0 || fstat(fd, &status) != 0) {
        if (errno == ELOOP)
            refuse(survey, name, "is a symbolic link");
        else if (errno == ENXIO)
            refuse(survey, name, "is neither file nor folder");
        else
            snprintf(survey->unread, sizeof survey->unread, "left out for now: '%.100s' cannot be read: %s", name,
                     strerror(errno));
        goto out;
    }
    note_time(survey, &status);
    if (++survey->files > (size_t)contest->files) {
        refuse(survey, name, "is one file more than the contest allows");
        goto out;
    }
    if (S_ISREG(status.st_mode)) {
        survey->contents++;
        if (to >= 0)
            ok = copy_bytes(fd, name, to, as, contest, survey, error);
        else
            survey->bytes += (uint64_t)status.st_size;
        goto out;
    }
    if (!S_ISDIR(status.st_mode) || depth == MAX_DEPTH) {
        refuse(survey, name, depth == MAX_DEPTH ? "is nested too deeply" : "is neither file nor folder");
        goto out;
    }
    if (to >= 0 &&
        (mkdirat(to, as, 0755) != 0 || (inner = openat(to, as, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)) {
        ok = error_system(error, "cannot make the folder '%.100s'", as);
        goto out;
    }
    folder = fdopendir(fd);
    if (!folder) {
        ok = error_system(error, "cannot read a submission's folder");
        goto out;
    }
    while (ok && !survey->refused[0] && !survey->unread[0] && (entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || is_litter(entry->d_name))
            continue;
        if (!name_is(entry->d_name, NAME_FILE))
            refuse(survey, entry->d_name, "is no name of letters, digits and _ . + -");
        else
            ok = take_tree(dirfd(folder), entry->d_name, inner, entry->d_name, depth + 1, contest, survey, error);
    }
out:
    if (inner >= 0 && ok && fsync(inner) != 0)
        ok = error_system(error, "cannot write the folder '%.100s'", as);
    if (inner >= 0)
        close(inner);
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return ok;
}

/* What the copy is called; NULL where it is no source at all. */
static const char *copy_name(const char *name, bool folder)
{
    return folder                   ? "folder"
           : is_archive(name)       ? "archive"
           : ends_with(name, ".cu") ? "device_user.cu"
           : ends_with(name, ".c")  ? "device_user.c"
                                    : NULL;
}

/* ------------------------------------------------------------------ into the database */

/* The copy is on the disk, name and all, before the database says that it is there. */
static bool sync_folder(const char *contest)
{
    char path[PATH_MAX];
    int fd;
    bool ok;

    snprintf(path, sizeof path, "%s/grading/sources", contest);
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool insert(struct intake *intake, struct store *store, const char *team, const char *problem, const char *name,
                   const char *digest, const char *stamp, const struct survey *survey, const char *incoming,
                   struct error *error)
{
    char target[PATH_MAX];
    int64_t id, refused = 0;
    bool ok;

    if (!store_begin(store, error))
        return false;
    ok = store_run(store, error,
                   "INSERT INTO submissions (team, problem, path, sha256, stamp, submitted, found)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET stamp = excluded.stamp",
                   "sssssdd", team, problem, name, digest, stamp, survey->submitted, clock_wall()) &&
         store_number(store, error, &id,
                      "SELECT id FROM submissions WHERE team = ? AND problem = ? AND path = ? AND sha256 = ?"
                      " AND NOT EXISTS (SELECT 1 FROM judgements WHERE submission = submissions.id)",
                      "ssss", team, problem, name, digest);
    if (ok && id > 0) {
        ok = store_run(store, error, "INSERT INTO judgements (submission, created) VALUES (?, ?)", "id", id,
                       clock_wall());
        if (survey->refused[0]) {
            refused = sqlite3_last_insert_rowid(store->db);
            ok = ok && judgement_end(store, refused, "CE", survey->refused, survey->refused, error);
        }
        snprintf(target, sizeof target, "%s/grading/sources/%jd", intake->folder, (intmax_t)id);
        tree_remove(target); /* of a transaction that was lost with the power after its rename */
        ok = ok && ((rename(incoming, target) == 0 && sync_folder(intake->folder)) ||
                    error_system(error, "cannot rename '%s'", incoming));
        intake->taken += ok;
    }
    ok = store_end(store, ok, error);
    if (ok && refused > 0 && intake->refused)
        intake->refused(intake->context, refused);
    return ok;
}

static bool take_submission(struct intake *intake, struct store *store, int folder, const char *team,
                            const char *problem, const char *name, struct error *error)
{
    struct survey survey = { 0 }, copied = { 0 };
    char stamp[96], incoming[PATH_MAX], path[PATH_MAX], digest[DIGEST_HEX];
    struct stat status;
    const char *as;
    int64_t known;
    int to;
    bool ok;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return true; /* it is gone again */
    if (!name_is(name, NAME_TEXT))
        return tell(intake, team, problem, name, "left out: its name is not readable text"), true;
    as = copy_name(name, S_ISDIR(status.st_mode));
    if (!as)
        return tell(intake, team, problem, name, "left out: it is no .cu or .c file, folder or archive"), true;
    note_time(&survey, &status); /* of a link too, which is not opened */
    if (!take_tree(folder, name, -1, NULL, 0, intake->contest, &survey, error))
        return false;
    if (survey.unread[0])
        return tell(intake, team, problem, name, survey.unread), true;
    if (intake->settle > 0 && clock_wall() - 1e-9 * (double)survey.newest < intake->settle)
        return true; /* it may still be on its way: the next scan takes it */
    if (survey.contents == 0 && !survey.refused[0])
        return tell(intake, team, problem, name, "left out for now: the folder has no files"), true;
    snprintf(stamp, sizeof stamp, "%ju %ju %zu", (uintmax_t)survey.newest, (uintmax_t)survey.bytes, survey.files);
    if (!store_number(store, error, &known,
                      "SELECT 1 FROM submissions WHERE team = ? AND problem = ? AND path = ? AND stamp = ?", "ssss",
                      team, problem, name, stamp))
        return false;
    if (known)
        return true;
    snprintf(incoming, sizeof incoming, "%s/grading/incoming", intake->folder);
    tree_remove(incoming);
    to = mkdir(incoming, 0755) == 0 ? open(incoming, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (to < 0)
        return error_system(error, "cannot make '%s'", incoming);
    ok = take_tree(folder, name, to, as, 0, intake->contest, &copied, error) &&
         (fsync(to) == 0 || error_system(error, "cannot write '%s'", incoming));
    close(to);
    if (!ok)
        return false;
    if (copied.unread[0] || (copied.contents == 0 && !copied.refused[0]))
        return true; /* it changes while it is copied: the next scan takes it */
    memcpy(survey.refused, copied.refused, sizeof survey.refused);
    snprintf(path, sizeof path, "%.*s/%s", (int)sizeof path - 64, incoming, as);
    if (copied.refused[0]) /* nothing of it is kept; the same content is not refused twice */
        digest_bytes(stamp, strlen(stamp), digest), tree_remove(incoming), ok = mkdir(incoming, 0755) == 0;
    else
        ok = digest_source(path, digest, error);
    return ok && insert(intake, store, team, problem, name, digest, stamp, &survey, incoming, error);
}

/*
 * Every entry of a folder in order of their names; `flags` O_NOFOLLOW for one that is not the organiser's. False for
 * failures of this machine; a folder that cannot be listed has a *why.
 */
static bool each_entry(int parent, const char *name, int flags, char why[WHY],
                       bool (*take)(void *context, int folder, const char *entry, struct error *error), void *context,
                       struct error *error)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    struct dirent **entries = NULL;
    int count = fd < 0 ? -1 : scandirat(fd, ".", &entries, NULL, alphasort);
    bool ok = true;

    why[0] = '\0';
    if (count < 0)
        snprintf(why, WHY, "left out for now: the folder cannot be listed: %s", strerror(errno));
    for (int i = 0; i < count; i++) {
        if (ok && entries[i]->d_name[0] != '.')
            ok = take(context, fd, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    if (fd >= 0)
        close(fd);
    return ok;
}

struct place {
    struct intake *intake;
    struct store *store;
    const char *team, *problem;
    bool listed; /* teams are listed in teams/ */
};

static bool take_entry(void *context, int folder, const char *name, struct error *error)
{
    struct place *place = context;

    return take_submission(place->intake, place->store, folder, place->team, place->problem, name, error);
}

static bool take_problem(void *context, int folder, const char *name, struct error *error)
{
    struct place *place = context;
    struct stat status;
    char why[WHY];
    bool ok;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode) ||
        !contest_problem(place->intake->contest, name))
        return tell(place->intake, place->team, name, NULL,
                    "left out: it is no folder of one of the contest's problems"),
               true;
    place->problem = name;
    ok = each_entry(folder, name, O_NOFOLLOW, why, take_entry, place, error);
    if (why[0])
        tell(place->intake, place->team, name, NULL, why);
    return ok;
}

static bool take_team(void *context, int folder, const char *name, struct error *error)
{
    struct place *place = context;
    char path[PATH_MAX], why[WHY];
    struct stat status;
    bool ok;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode) ||
        !name_is(name, NAME_TEXT))
        return tell(place->intake, name, NULL, NULL, "left out: it is no team's folder with a readable name"), true;
    snprintf(path, sizeof path, "%s/teams/%s.yaml", place->intake->folder, name);
    if (place->listed && access(path, F_OK) != 0)
        return tell(place->intake, name, NULL, NULL, "left out: there is no such team in teams/"), true;
    place->team = name;
    ok = each_entry(folder, name, O_NOFOLLOW, why, take_problem, place, error);
    if (why[0])
        tell(place->intake, name, NULL, NULL, why);
    return ok;
}

static bool count_one(void *context, int folder, const char *name, struct error *error)
{
    (void)folder, (void)error;
    *(bool *)context |= ends_with(name, ".yaml");
    return true;
}

bool intake_scan(struct intake *intake, struct store *store, struct error *error)
{
    struct place place = { .intake = intake, .store = store };
    char path[PATH_MAX], why[WHY];
    bool ok;

    snprintf(path, sizeof path, "%s/teams", intake->folder);
    if (!each_entry(AT_FDCWD, path, 0, why, count_one, &place.listed, error))
        return false;
    if (why[0] && access(path, F_OK) == 0) /* nobody knows who is listed there */
        return tell(intake, NULL, NULL, NULL, "left out for now: teams/ cannot be listed"), true;
    snprintf(path, sizeof path, "%s/submissions", intake->folder);
    ok = each_entry(AT_FDCWD, path, 0, why, take_team, &place, error);
    if (why[0])
        tell(intake, NULL, NULL, NULL, why);
    return ok;
}
