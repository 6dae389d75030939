/*
 * setup.h - the settings of every session of a judging: the submission, its runner, its box and its limits.
 *
 *   submission_choose()   the shared object, what it is written in, and the runner for it
 *   walls_reach()         the box that this machine can give, of those that the options allow
 *   setup_session()       all of that and the problem's limits as the config of a session
 */
#ifndef VERIFY_SETUP_H
#define VERIFY_SETUP_H

#include <limits.h>
#include <stdbool.h>

#include "device.h"
#include "options.h"
#include "session.h"
#include "verify/base/error.h"
#include "verify/box/cgroup.h"
#include "verify/box/processor.h"
#include "verify/cases/package.h"
#include "verify/inspect/findings.h"

/* The shared object that is judged. */
struct submission {
    struct findings file;  /* what the object is, and the rule that it breaks */
    const char *language;  /* "CUDA", "OpenCL" or "C" */
    char path[PATH_MAX];   /* of the shared object */
    char runner[PATH_MAX]; /* the problem's runner */
    char empty[PATH_MAX];  /* the submission that does nothing, for the same language */
};

/*
 * The one that the options name, or the problem's default below `build`, read with the league's rules. Refuses an
 * object that cannot be judged.
 */
bool submission_choose(struct submission *submission, const struct options *options, const char *build,
                       const char *problem, unsigned rules, struct error *error);

/*
 * True, with words for it, if the file needs the library of another language than its sources have. Box, filter and
 * device depend on the language, so the file itself must not decide it.
 */
bool submission_pretends(const struct submission *submission, const struct options *options, char *words, size_t size);

/* The box as far as it was reached. */
struct walls {
    enum box_level level;
    bool other_user;            /* with BOX_LANDLOCK: the runner is another user than the host */
    bool no_proc;               /* the box has no /proc */
    char landlock[PATH_MAX];    /* the program that makes BOX_LANDLOCK */
    char words[256];            /* what lacks points to, where it is composed */
    const char *lacks;          /* why there is no more, or NULL */
    struct cgroup_place cgroup; /* where the sessions' cgroups are made, with BOX_CGROUP */
};

/* A weaker box than the options require is the toolkit's error. `submission` may be NULL if nothing will run. */
bool walls_reach(struct walls *walls, const struct options *options, const char *build,
                 const struct submission *submission, struct error *error);

/* What a session's config follows from; all of it must outlive the config. */
struct setup {
    const struct options *options;
    const struct package *package;
    const struct submission *submission;
    const struct device *device;
    const struct walls *walls;
    const struct processors *processors; /* claimed */
};

/* Without a warden: who claims the GPU adds it. */
struct session_config setup_session(const struct setup *setup);

#endif
