/*
 * contest.h - contest.yaml as a struct.
 *
 * Read by every command of `grade`. It knows nothing of submissions, of the database or of how a problem is judged: a
 * problem is a name here, and its cases are groups' names.
 */
#ifndef GRADE_CONTEST_H
#define GRADE_CONTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "faults.h"
#include "score.h"
#include "verify/base/error.h"
#include "verify/base/settings.h"

enum { CONTEST_PROBLEMS = 64, CONTEST_GROUPS = 16, CONTEST_TEAM_GROUPS = 32, CONTEST_MEDALS = 3 };

enum scoring { SCORING_PASS_FAIL, SCORING_FASTEST, SCORING_RELATIVE, SCORING_GROUPS, SCORINGS };

struct contest_group {
    const char *name;             /* "secret/large": the folder of the cases */
    enum aggregation aggregation;
    double max_score;             /* above 0 */
    bool require_sample;          /* require_pass: worth 0 unless all samples passed */
    unsigned require;             /* and all cases of those groups before it, bit i for groups[i]; each is pass-fail */
    char *owned;                  /* the name, where it is not as contest.yaml has it */
};

struct contest_problem {
    const char *id;         /* the folder's name below submissions/TEAM, and the label: "A" */
    const char *problem;    /* the toolkit's problem */
    const char *league;     /* or NULL for its first */
    const char *samples;    /* group of cases to try first: "sample" */
    const char *secret;     /* group of cases that count: "secret" */
    const char *ranked;     /* group, or one case where `ranked_case`, that times are taken of; NULL: none are */
    bool ranked_case;       /* `ranked` names a case */
    double repeat;          /* calls a ranked case, odd */
    const char *baseline;   /* path in the toolkit's folder: a submission to measure beside; NULL: the problem's */
    double time_limit, memory; /* seconds a call, MiB; 0 for the problem's own */
    double points;          /* the most that the problem is worth: 100 */
    const char *color, *rgb; /* of its balloon: in words, and as "#RRGGBB"; or NULL */
    struct contest_group groups[CONTEST_GROUPS]; /* [group_count] */
    size_t group_count;
    enum aggregation aggregation; /* how the problem's score comes of its groups' */
    double max_score;             /* pass-fail: what it is worth if all pass; 0 for `points` */
    bool require_sample;          /* worth 0 unless all samples passed */
    char *owned[3];               /* samples, secret and ranked, where they are not as contest.yaml has them */
};

/* Teams that are compared among themselves as well, such as those of a year. */
struct contest_group_of_teams {
    const char *id, *name; /* as teams' files have it; for people */
};

struct contest {
    struct settings settings;  /* owns all strings */
    const char *name;
    double start, end, freeze; /* seconds since 1970, UTC; 0 where they are not set */
    double thaw, final;        /* when the freeze ends; from when on nothing changes. After `end`; 0 where not set */
    struct contest_problem problems[CONTEST_PROBLEMS]; /* [problem_count], in the file's order */
    size_t problem_count;
    enum scoring scoring;
    double penalty;            /* minutes for each rejected attempt before the accepted one */
    double full_at, zero_at;   /* relative: the speedups that give all points, and no more than `correct` */
    double correct;            /* relative: percent of the points for a right answer of any speed */
    bool rank_cpu;             /* times of C on a CPU rank, too */
    const char *device;        /* the GPU or CPU model whose times rank, or NULL for the one with most of them */
    const char *seal, *key;    /* paths below the contest's folder, or NULL */
    bool practice;             /* nothing depends on it: inputs of secret cases need no seal */
    bool show_code;            /* a server shows everybody what was handed in, once the contest is final, or over */
    bool explain;              /* where the simulator runs submissions, teams see what it says of a sample; yes */
    const char *require_box;   /* the least box that anything is run in, as main_host takes it: cgroup unless set */
    struct contest_group_of_teams team_groups[CONTEST_TEAM_GROUPS]; /* [team_group_count] */
    size_t team_group_count;
    double medals[CONTEST_MEDALS]; /* how many of gold, silver, bronze */
    double files, megabytes;   /* the most that one submission may have */
    double attempts;           /* how often a step is tried that the machine failed */
    double entries;            /* of a team's folder that are looked at */
    double queued, per_hour, total; /* submissions of a team (admission.h); 0 for no limit */
    double batch;              /* items of a program that may wait for their verdicts */
};

/*
 * Reads FOLDER/contest.yaml, and with scoring `groups` the problems' own test groups (groups.h). A bad line is named.
 */
bool contest_load(struct contest *contest, const char *folder, struct error *error);

/*
 * The same, and goes on after a fault. True where there were faults too: then names may be missing, and the contest is
 * for more checks alone.
 */
bool contest_check(struct contest *contest, const char *folder, struct faults *faults, struct error *error);
void contest_release(struct contest *contest);

/* Whether nothing is hidden at that moment: there is no freeze, or `thaw` has come. */
bool contest_thawed(const struct contest *contest, double now);

/* The problem of that id, or NULL. */
const struct contest_problem *contest_problem(const struct contest *contest, const char *id);

/* The line of a key, and of "problems.INDEX.NAME" or the problem's first where a default is meant; 0 for none. */
int contest_line(const struct contest *contest, const char *key);
int contest_problem_line(const struct contest *contest, size_t index, const char *name);

/* "2026-05-01T09:00:00Z", "2026-05-01 09:00", which is UTC too, or "...+09:00" as seconds since 1970. */
bool contest_time(const char *text, double *seconds);

/* The keys of teams/TEAM.yaml, as settings_load() takes them. */
extern const char *const team_keys[];

extern const char *const scoring_names[SCORINGS + 1];

#endif
