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

#include "admission.h"
#include "contrib/grade/store/judgement.h"
#include "litter.h"
#include "verify/base/clock.h"
#include "verify/base/digest.h"
#include "verify/base/name.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { MAX_DEPTH = 8, WHY = 300, SCANNED_SECONDS = 10 };

/* What is found of one submission before anything is copied. */
struct survey {
    size_t files;           /* and folders */
    size_t contents;        /* files alone */
    uint64_t bytes, newest; /* ns since 1970: the newest change of any inode */
    double submitted;       /* the newest time of modification, seconds */
    double arrived;         /* when it counts as handed in (admission.h), seconds since 1970 */
    const char *over_limit; /* the limit of the team that refuses it; or NULL */
    char refused[300];      /* why it cannot be judged: the submitter's fault; or "" */
    char unread[300];       /* why it is not taken: nobody's fault, or the organiser's; or "" */
};

/* A line on standard error, once, and not too many of one folder. `team` NULL: of all of them. */
static void tell(struct intake *intake, const char *team, const char *problem, const char *name, const char *why)
{
    char place[1024], line[2048];
    enum notes_answer answer;

    snprintf(place, sizeof place, "submissions%s%.200s%s%.200s", team ? "/" : "", team ? team : "", problem ? "/" : "",
             problem ? problem : "");
    snprintf(line, sizeof line, "%s%s%.200s: %.300s", place, name ? "/" : "", name ? name : "", why);
    text_defuse(line, sizeof line);
    text_defuse(place, sizeof place);
    if (!name) /* of the folder itself, which what is in it may not push out */
        strcat(place, ":");
    answer = notes_add(&intake->notes, place, line);
    if (answer == NOTES_NEW || answer == NOTES_LAST)
        fprintf(stderr, "grader: %s\n", line);
    if (answer == NOTES_LAST)
        fprintf(stderr, "grader: %s: more lines like these are not listed\n", place);
}

void intake_release(struct intake *intake) { notes_release(&intake->notes); }

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
            refuse(survey, name, "is not a file or a folder");
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
        refuse(survey, name, depth == MAX_DEPTH ? "is nested too deeply" : "is not a file or a folder");
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
            refuse(survey, entry->d_name, "is not a name of letters, digits and _ . + -");
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
           : ends_with(name, ".cc") ? "device_user.cc"
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
    const double now = intake->now > 0 ? intake->now : clock_wall();
    char target[PATH_MAX];
    int64_t id, refused = 0, known;
    bool ok, moved = false;

    if (!store_number(store, error, &known,
                      "SELECT id FROM submissions WHERE team = ? AND problem = ? AND path = ? AND sha256 = ?", "ssss",
                      team, problem, name, digest))
        return false;
    if (known) { /* the same content with another time */
        intake->last = known;
        return store_run(store, error, "UPDATE submissions SET stamp = ? WHERE id = ?", "si", stamp, known);
    }
    if (!store_begin(store, error))
        return false;
    ok = store_run(store, error,
                   "INSERT INTO submissions (team, problem, path, sha256, stamp, submitted, found, arrived, over_limit,"
                   " wanted, extra) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   "sssssdddsss", team, problem, name, digest, stamp, survey->submitted, now, survey->arrived,
                   survey->over_limit, intake->wanted, intake->extra ? intake->extra : "") &&
         store_number(store, error, &id,
                      "SELECT id FROM submissions WHERE team = ? AND problem = ? AND path = ? AND sha256 = ?"
                      " AND NOT EXISTS (SELECT 1 FROM judgements WHERE submission = submissions.id)",
                      "ssss", team, problem, name, digest);
    if (ok && id > 0) {
        ok = store_run(store, error, "INSERT INTO judgements (submission, created) VALUES (?, ?)", "id", id, now);
        if (survey->refused[0]) {
            refused = sqlite3_last_insert_rowid(store->db);
            ok = ok && judgement_end(store, refused, "CE", survey->refused, survey->refused, error);
        }
        snprintf(target, sizeof target, "%s/grading/sources/%jd", intake->folder, (intmax_t)id);
        if (ok && access(target, F_OK) == 0) /* guard.c put aside what could have been there */
            ok = error_toolkit(error, "'%s' exists and is not replaced", target);
        moved = ok && rename(incoming, target) == 0;
        ok = ok && ((moved && sync_folder(intake->folder)) || error_system(error, "cannot rename '%s'", incoming));
        intake->taken += ok;
    }
    ok = store_end(store, ok, error);
    if (!ok && moved) /* while it lies there nobody else's can */
        tree_remove(target);
    intake->last = ok ? id : 0;
    if (ok && refused > 0 && intake->refused)
        intake->refused(intake->context, refused);
    return ok;
}

/* What a scan knows of the team whose folder it reads. */
struct place {
    struct intake *intake;
    struct store *store;
    const char *team, *problem;
    bool fresh;                /* it has just been written: its times do not tell it from one a moment before */
    bool listed;               /* teams are listed in teams/ */
    double since;              /* the last look that did not see what is new now, seconds since 1970; 0 for none */
    struct candidate *candidates; /* [count] of the team's, where it has limits: they are taken in order of time */
    size_t count;
    int64_t waiting;           /* that are not taken for now, for the queue has no room */
};

struct candidate {
    char *problem, *name;
    double submitted;
};

/* The copy of a submission in grading/incoming, of which the digest is taken. *gone: it changed meanwhile. */
static bool copy_in(const struct intake *intake, int folder, const char *name, const char *as, const char *stamp,
                    struct survey *survey, char incoming[PATH_MAX], char digest[DIGEST_HEX], bool *gone,
                    struct error *error)
{
    struct survey copied = { 0 };
    char path[PATH_MAX];
    int to;
    bool ok;

    snprintf(incoming, PATH_MAX, "%.3000s/grading/%.64s", intake->folder,
             intake->incoming ? intake->incoming : "incoming");
    tree_remove(incoming);
    to = mkdir(incoming, 0755) == 0 ? open(incoming, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (to < 0)
        return error_system(error, "cannot make '%s'", incoming);
    ok = take_tree(folder, name, to, as, 0, intake->contest, &copied, error) &&
         (fsync(to) == 0 || error_system(error, "cannot write '%s'", incoming));
    close(to);
    *gone = copied.unread[0] || (copied.contents == 0 && !copied.refused[0]);
    if (!ok || *gone)
        return ok;
    memcpy(survey->refused, copied.refused, sizeof survey->refused);
    snprintf(path, sizeof path, "%.*s/%s", (int)sizeof path - 64, incoming, as);
    if (!copied.refused[0])
        return digest_source(path, digest, error);
    digest_bytes(stamp, strlen(stamp), digest); /* nothing of it is kept; the same content is not refused twice */
    tree_remove(incoming);
    return mkdir(incoming, 0755) == 0 || error_system(error, "cannot make '%s'", incoming);
}

/* What is over a limit is refused with the reason, and nothing of it is kept. Content that is known is not counted. */
static bool keep_to_limits(struct place *place, const char *name, const char *stamp, struct survey *survey,
                           const char *incoming, char digest[DIGEST_HEX], struct error *error)
{
    char why[ADMISSION_WHY];
    int64_t known;

    survey->arrived = place->intake->now > 0 ? place->intake->now
                                             : admission_time(survey->submitted, place->since, clock_wall());
    if (!store_number(place->store, error, &known,
                      "SELECT 1 FROM submissions WHERE team = ? AND problem = ? AND path = ? AND sha256 = ?", "ssss",
                      place->team, place->problem, name, digest))
        return false;
    if (known || place->intake->wanted) /* limits are of teams */
        return true;
    if (!admission_refuses(place->intake->contest, place->store, place->team, survey->arrived, &survey->over_limit, why,
                           error))
        return false;
    if (!survey->over_limit)
        return true;
    snprintf(survey->refused, sizeof survey->refused, "%s", why);
    digest_bytes(stamp, strlen(stamp), digest);
    tree_remove(incoming);
    return mkdir(incoming, 0755) == 0 || error_system(error, "cannot make '%s'", incoming);
}

/* A candidate that is kept for the end of its team's folder. */
static bool note_candidate(struct place *place, const char *name, double submitted, struct error *error)
{
    struct candidate *grown = reallocarray(place->candidates, place->count + 1, sizeof *grown);

    if (grown) {
        place->candidates = grown;
        grown[place->count] = (struct candidate){ strdup(place->problem), strdup(name), submitted };
        if (grown[place->count].problem && grown[place->count].name)
            return ++place->count > 0;
        free(grown[place->count].problem);
        free(grown[place->count].name);
    }
    return error_toolkit(error, "out of memory");
}

/* Whether it is not taken now; it is counted then. */
static bool is_to_wait(struct place *place, bool *waits, struct error *error)
{
    enum admission admission;

    if (!admission_of(place->intake->contest, place->store, place->team, clock_wall(), &admission, error))
        return false;
    *waits = admission != ADMISSION_NOW;
    place->waiting += admission == ADMISSION_QUEUED;
    if (admission == ADMISSION_FLOOD)
        tell(place->intake, place->team, NULL, NULL,
             "left out for now: more than 100 submissions over the team's limits within an hour");
    return true;
}

static bool take_submission(struct place *place, int folder, const char *name, bool later, struct error *error)
{
    struct intake *intake = place->intake;
    struct survey survey = { 0 };
    char stamp[96], incoming[PATH_MAX], digest[DIGEST_HEX];
    const char *as, *team = place->team, *problem = place->problem;
    struct stat status;
    int64_t known;
    bool gone = false, waits;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return true; /* it is gone again */
    if (!name_is(name, NAME_TEXT))
        return tell(intake, team, problem, name, "left out: its name is not readable text"), true;
    as = copy_name(name, S_ISDIR(status.st_mode));
    if (!as)
        return tell(intake, team, problem, name, "left out: it is not a .cu, .c or .cc file, folder or archive"), true;
    note_time(&survey, &status); /* of a link too, which is not opened */
    if (!take_tree(folder, name, -1, NULL, 0, intake->contest, &survey, error))
        return false;
    if (survey.unread[0])
        return tell(intake, team, problem, name, survey.unread), true;
    if (intake->settle > 0 && clock_wall() - 1e-9 * (double)survey.newest < intake->settle)
        return true; /* it may still be on its way: the next scan takes it */
    if (survey.contents == 0 && !survey.refused[0])
        return tell(intake, team, problem, name, "left out for now: the folder has no files"), true;
    if (intake->now > 0)
        survey.submitted = intake->now;
    snprintf(stamp, sizeof stamp, "%ju %ju %zu", (uintmax_t)survey.newest, (uintmax_t)survey.bytes, survey.files);
    if (!store_number(place->store, error, &known,
                      "SELECT 1 FROM submissions WHERE team = ? AND problem = ? AND path = ? AND stamp = ?", "ssss",
                      team, problem, name, stamp))
        return false;
    if (known && !place->fresh)
        return true;
    if (later)
        return note_candidate(place, name, survey.submitted, error);
    if (!intake->wanted && !is_to_wait(place, &waits, error))
        return false;
    if (!intake->wanted && waits)
        return true;
    if (!copy_in(intake, folder, name, as, stamp, &survey, incoming, digest, &gone, error))
        return false;
    return gone || /* it changes while it is copied: the next scan takes it */
           (keep_to_limits(place, name, stamp, &survey, incoming, digest, error) &&
            insert(intake, place->store, team, problem, name, digest, stamp, &survey, incoming, error));
}

bool intake_take(struct intake *intake, struct store *store, const char *team, const char *problem, int folder,
                 const char *name, enum intake_answer *answer, struct error *error)
{
    struct place place = { .intake = intake, .store = store, .team = team, .problem = problem, .since = clock_wall(),
                           .fresh = true };
    struct stat status;
    bool waits;

    intake->last = 0;
    *answer = INTAKE_NO_SOURCE;
    if (!name_is(name, NAME_TEXT) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !copy_name(name, S_ISDIR(status.st_mode)))
        return true;
    *answer = INTAKE_FULL;
    if (!intake->wanted && (!is_to_wait(&place, &waits, error) || waits))
        return !error->text[0];
    if (!take_submission(&place, folder, name, false, error))
        return false;
    *answer = intake->last > 0 ? INTAKE_TAKEN : INTAKE_GONE;
    return true;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The first `most` names of a folder, sorted, without those that begin with a dot; *more: there are others. */
static bool list_names(DIR *folder, size_t most, char ***names, size_t *count, bool *more, struct error *error)
{
    struct dirent *entry;
    size_t room = 0;

    *names = NULL;
    *count = 0;
    *more = false;
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        *more = *count == most;
        if (*more)
            break;
        if (*count == room) {
            char **grown = reallocarray(*names, room = room ? 2 * room : 64, sizeof *grown);

            if (!grown)
                return error_toolkit(error, "out of memory");
            *names = grown;
        }
        if (!((*names)[*count] = strdup(entry->d_name)))
            return error_toolkit(error, "out of memory");
        ++*count;
    }
    if (*count > 0)
        qsort(*names, *count, sizeof **names, by_text);
    return true;
}

/*
 * The entries of a folder in order of their names, at most `most`; `flags` O_NOFOLLOW for one that is not the
 * organiser's. False for failures of this machine; a folder that cannot be listed, or not all of it, has a *why.
 */
static bool each_entry(int parent, const char *name, int flags, size_t most, char why[WHY],
                       bool (*take)(void *context, int folder, const char *entry, struct error *error), void *context,
                       struct error *error)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    char **names = NULL;
    size_t count = 0;
    bool ok = true, more = false;

    why[0] = '\0';
    if (!folder)
        snprintf(why, WHY, "left out for now: the folder cannot be listed: %s", strerror(errno));
    else
        ok = list_names(folder, most, &names, &count, &more, error);
    if (more)
        snprintf(why, WHY, "it has more than %zu entries: the others are left out (limits.entries); remove some", most);
    for (size_t i = 0; i < count; i++) {
        ok = ok && take(context, fd, names[i], error);
        free(names[i]);
    }
    free(names);
    if (folder)
        closedir(folder);
    else if (fd >= 0)
        close(fd);
    return ok;
}

static bool take_entry(void *context, int folder, const char *name, struct error *error)
{
    struct place *place = context;

    return take_submission(place, folder, name, admission_is_limited(place->intake->contest), error);
}

static bool take_problem(void *context, int folder, const char *name, struct error *error)
{
    struct place *place = context;
    const struct intake *intake = place->intake;
    struct stat status;
    char why[WHY];
    bool ok;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode) ||
        !contest_problem(intake->contest, name))
        return tell(place->intake, place->team, NULL, name,
                    "left out: it is not a folder of one of the contest's problems"),
               true;
    place->problem = name;
    ok = each_entry(folder, name, O_NOFOLLOW, (size_t)intake->contest->entries, why, take_entry, place, error);
    if (why[0])
        tell(place->intake, place->team, name, NULL, why);
    return ok;
}

static int by_time(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int problems = strcmp(x->problem, y->problem);

    return x->submitted < y->submitted ? -1 : x->submitted > y->submitted ? 1 : problems ? problems
                                                                              : strcmp(x->name, y->name);
}

/* Takes what was found of a team that has limits, the oldest first. */
static bool take_candidates(struct place *place, int folder, struct error *error)
{
    const int team = openat(folder, place->team, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = true;

    if (place->count > 0)
        qsort(place->candidates, place->count, sizeof *place->candidates, by_time);
    for (size_t i = 0; i < place->count; i++) {
        struct candidate *candidate = &place->candidates[i];
        const int fd = openat(team, candidate->problem, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        place->problem = candidate->problem;
        if (ok && fd >= 0)
            ok = take_submission(place, fd, candidate->name, false, error);
        if (fd >= 0)
            close(fd);
        free(candidate->problem);
        free(candidate->name);
    }
    free(place->candidates);
    place->candidates = NULL;
    place->count = 0;
    if (team >= 0)
        close(team);
    return ok;
}

/* What waits stands in the table `waiting`, and once on standard error. */
static bool note_waiting(struct place *place, struct error *error)
{
    int64_t before;
    char why[WHY];

    place->intake->waiting += (size_t)place->waiting;
    if (!store_number(place->store, error, &before, "SELECT files FROM waiting WHERE team = ?", "s", place->team))
        return false;
    if (place->waiting == before)
        return true;
    if (place->waiting == 0)
        return store_run(place->store, error, "DELETE FROM waiting WHERE team = ?", "s", place->team);
    snprintf(why, sizeof why, "submissions wait where they are: the team has %.0f in the queue (limits.queued)",
             place->intake->contest->queued);
    tell(place->intake, place->team, NULL, NULL, why);
    return store_run(place->store, error,
                     "INSERT INTO waiting (team, files, since) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET files ="
                     " excluded.files", "sid", place->team, place->waiting, place->since);
}

static bool take_team(void *context, int folder, const char *name, struct error *error)
{
    const struct place *all = context;
    struct place place = *all;
    char path[PATH_MAX], why[WHY];
    struct stat status;
    int64_t since;
    bool ok;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(status.st_mode) ||
        !name_is(name, NAME_TEXT))
        return tell(place.intake, name, NULL, NULL, "left out: it is not a team's folder with a readable name"), true;
    snprintf(path, sizeof path, "%s/teams/%s.yaml", place.intake->folder, name);
    if (place.listed && access(path, F_OK) != 0)
        return tell(place.intake, name, NULL, NULL, "left out: there is no such team in teams/"), true;
    place.team = name;
    /* What has waited since before the last look was seen then. */
    ok = store_number(place.store, error, &since,
                      "SELECT cast(coalesce((SELECT since FROM waiting WHERE team = ?), -1) AS INTEGER)", "s", name);
    place.since = since >= 0 ? (double)since : place.since;
    ok = ok && each_entry(folder, name, O_NOFOLLOW, (size_t)place.intake->contest->entries, why, take_problem, &place,
                          error);
    if (ok && why[0])
        tell(place.intake, name, NULL, NULL, why);
    return take_candidates(&place, folder, error) && ok && note_waiting(&place, error);
}

static bool count_one(void *context, int folder, const char *name, struct error *error)
{
    (void)folder, (void)error;
    *(bool *)context |= ends_with(name, ".yaml");
    return true;
}

bool intake_scan(struct intake *intake, struct store *store, struct error *error)
{
    const double now = clock_wall();
    struct place place = { .intake = intake, .store = store };
    char path[PATH_MAX], why[WHY];
    int64_t since;
    bool ok;

    intake->waiting = 0;
    snprintf(path, sizeof path, "%s/teams", intake->folder);
    if (!store_number(store, error, &since, "SELECT cast(coalesce(scanned, 0) AS INTEGER) FROM contest", "") ||
        !each_entry(AT_FDCWD, path, 0, SIZE_MAX, why, count_one, &place.listed, error))
        return false;
    if (why[0] && access(path, F_OK) == 0) /* nobody knows who is listed there */
        return tell(intake, NULL, NULL, NULL, "left out for now: teams/ cannot be listed"), true;
    place.since = (double)since;
    snprintf(path, sizeof path, "%s/submissions", intake->folder);
    ok = each_entry(AT_FDCWD, path, 0, SIZE_MAX, why, take_team, &place, error);
    if (why[0])
        tell(intake, NULL, NULL, NULL, why);
    /* Not at each look: every commit waits for the disk. */
    if (ok && admission_is_limited(intake->contest) && now - place.since >= SCANNED_SECONDS)
        ok = store_run(store, error, "UPDATE contest SET scanned = ?", "d", now);
    return ok;
}
