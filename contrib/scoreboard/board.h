/*
 * board.h - what a scoreboard shows, read out of a contest's database; and what it hides.
 *
 * The only place that decides what the freeze hides: what is hidden is never read, so that no page can tell it.
 */
#ifndef SCOREBOARD_BOARD_H
#define SCOREBOARD_BOARD_H

#include <jansson.h>

#include "contrib/grade/awards.h"
#include "contrib/grade/store/judgement.h"
#include "words.h"

enum {
    BOARD_SAMPLES = 64, /* of a submission's only ranked case that charts show, at most */
    BOARD_INTERVAL = 6, /* calls from which on there is a 95 % interval (verify/base/stats.h); below, the ends of all */
};

/* One submission. */
struct entry {
    int64_t id, judgement;       /* judgement: 0 where nothing of it may be shown */
    size_t problem;              /* index in the contest */
    char *team, *path;           /* folder's name; file's name */
    const char *name;            /* of the team */
    double submitted;            /* seconds since 1970 */
    bool counts;                 /* within the contest's times */
    bool hidden;                 /* submitted after the freeze, and not thawed: only the fields above are filled */
    char *verdict, *message;     /* NULL while it is being judged; NULL or "" */
    bool review;
    char *language, *kind, *device, *driver; /* or NULL */
    /* Of an accepted one, summed over its ranked cases, seconds; 0 for none. Filled by detail_load(). */
    double median, low, high, baseline, floor;
    double samples[BOARD_SAMPLES]; /* [sample_count]: of every call, where there is one ranked case */
    size_t sample_count;
};

/* One case in one step. */
struct run {
    enum step step;
    char *name, *verdict, *message;
    double median, low, high; /* seconds; median 0: no call returned */
    double *samples;          /* [sample_count] seconds, in order */
    size_t sample_count;
    const json_t *record;     /* the case in the record of the last step, or NULL */
};

/* What a submission's page has beside its entry. */
struct detail {
    struct run *runs; /* [count], samples first, then secret, baseline, ranked */
    size_t count;
    json_t *record;   /* of the last step that ran: the host's JSON; or NULL */
};

struct board {
    const struct contest *contest;
    struct store *store;
    struct standings standings;
    double now;                /* seconds since 1970 */
    size_t problems;           /* of the contest that are shown: all, or none before its start */
    double freeze;             /* the results of what was submitted from then on are hidden; 0: none are */
    char *titles[CONTEST_PROBLEMS][LANGUAGES]; /* of the problems, or NULL */
    struct standings_first firsts[CONTEST_PROBLEMS]; /* who solved each first, of what is shown */
    struct awards awards;      /* none before the end, and none while anything is hidden */
    struct entry *entries;     /* [count] by id */
    size_t count;
};

/*
 * Reads all but the details. `folder` is the contest's, `root` the toolkit's, where the problems' titles are. To be
 * called within a read transaction of the store, which lasts for as long as the board is used. What the freeze hides is
 * shown with `final`, or once the contest's thaw has come at `now`. Before the contest's start there are neither
 * problems nor entries. To be released also where it fails.
 */
bool board_load(struct board *board, const struct contest *contest, struct store *store, const char *folder,
                const char *root, bool final, double now, struct error *error);
void board_release(struct board *board);

/* The details of one submission: none of a hidden one, or one that is not judged. Fills the entry's times. */
bool detail_load(struct detail *detail, const struct board *board, struct entry *entry, struct error *error);
void detail_release(struct detail *detail);

/* Whether its time is in the standings and charts. */
bool entry_ranks(const struct entry *entry);

#endif
