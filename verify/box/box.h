/*
 * box.h - the box that user code runs in: how to start a program so that it sees little and leaves nothing.
 *
 * BOX_NAMESPACES is bubblewrap: separate namespaces for users, processes, mounts, network, IPC, host name and cgroups;
 * no capabilities; a read-only file system of /usr and the two files it runs; no device node except the chosen GPU's.
 * When the host dies or kills it, every process in it ends (guard.h). BOX_CGROUP is the same in its own cgroup, which
 * limits all its memory and threads (cgroup.h; the session puts it there). BOX_LANDLOCK is for containers that forbid
 * namespaces: only the files that it needs, no capability, no signal to others, and another user if the host is root
 * (landlock.h); but it sees that other processes and files exist. BOX_NONE is a plain child process: it isolates
 * nothing.
 */
#ifndef VERIFY_BOX_H
#define VERIFY_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/wire/filter.h"

/* The one folder of a box that PoCL may write, in memory; nobody else has one. */
#define BOX_WRITABLE "/tmp"

/* From least to most; each has what the one before it has. */
enum box_level { BOX_NONE, BOX_LANDLOCK, BOX_NAMESPACES, BOX_CGROUP, BOX_LEVELS };

/* "none", "landlock", "namespaces", "cgroup". */
const char *box_level_name(enum box_level level);

/* What a level is made of, NULL-terminated: "rlimits", "landlock", "user", "namespaces", "seccomp", "cgroup". */
const char *const *box_layers(enum box_level level, bool other_user);

/*
 * Tries which box works on this machine: BOX_NAMESPACES if bubblewrap works, else BOX_LANDLOCK if the program
 * `landlock` works, else BOX_NONE. *no_proc: the box has no /proc, as a container may forbid to mount it. *why says
 * what is missing for BOX_NAMESPACES, or is NULL. (cgroup_find() finds BOX_CGROUP.)
 */
enum box_level box_probe(const char *landlock, bool *no_proc, const char **why);

/* BOX_LANDLOCK if that works, else BOX_NONE. */
enum box_level box_probe_landlock(const char *landlock, const char **why);

struct box {
    enum box_level level;
    enum filter_level filter; /* of system calls; FILTER_NONE without a box */
    const char *landlock;     /* host path of the program that makes BOX_LANDLOCK */
    bool other_user;          /* with that: the runner becomes another user */
    bool no_proc;             /* with namespaces: no /proc can be mounted in the box */
    const char *runner;       /* host path of the program */
    const char *submission;   /* host path of the shared object it loads */
    const char *runtime;      /* soname of the CUDA runtime or the OpenCL loader, to be initialised; or NULL */
    const char *library_path; /* folder where that is, or NULL */
    const char *opencl;       /* folder with the .icd file of the one OpenCL driver; or NULL */
    const char *opencl_driver; /* the driver's soname */
    bool library_alone;       /* of that folder the box has this one library only */
    const char *const *variables; /* more of the environment, as NAME=VALUE, NULL-terminated; or NULL */
    int gpu_minor;            /* N of the one /dev/nvidiaN inside, or -1 for none */
    const char *gpu_uuid;     /* its UUID; NULL for none */
    bool one_queue;           /* the submission has one stream: its context needs one hardware queue */
};

enum { BOX_MAX_ARGUMENTS = 96, BOX_MAX_VARIABLES = 16, BOX_TEXT = 8192 };

/* A command ready for execve(): the runner as guard, and what it starts. */
struct box_command {
    char *argv[BOX_MAX_ARGUMENTS]; /* NULL-terminated */
    char *envp[BOX_MAX_VARIABLES]; /* NULL-terminated: all that the program finds in its environment */
    size_t arguments, variables;   /* how many of each are set */
    char text[BOX_TEXT];           /* where composed strings are kept */
    size_t used;                   /* of text */
};

/* Composes the command. It points into *box and itself, so both must stay in place. */
void box_compose(const struct box *box, struct box_command *command);

#endif
