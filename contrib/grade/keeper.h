/*
 * keeper.h - a command that never outlives the grader.
 *
 * Between the grader and each command stands a keeper, a process of this program: orphans of the command become its
 * children, and it ends them all when the command ends, when its time is over, or when the grader is gone, killed or
 * not.
 */
#ifndef GRADE_KEEPER_H
#define GRADE_KEEPER_H

#include <sys/types.h>

#include "verify/base/error.h"

/* The number that command.channel has in the command. */
enum { KEEPER_CHANNEL = 3 };

enum { KEEPER_CANNOT_START = 126, KEEPER_TIMEOUT = 124, KEEPER_KILLED = 125 };

struct command {
    const char *const *arguments; /* NULL-terminated, the first one the program's path */
    const char *folder;           /* to run in */
    const char *log;              /* file for what it prints, made anew */
    double seconds;               /* the most it may take */
    int leave;                    /* processors left to hosts: those that they choose first, where others remain */
    int channel;                  /* a descriptor that it gets as KEEPER_CHANNEL; 0 for none */
};

/* Once, before the first command. */
bool keeper_begin(struct error *error);

/*
 * Starts a command; -1 with an error. The keeper is a child of the caller, and its exit code is the command's, or one
 * of the above; KEEPER_KILLED for one that a signal ended. SIGTERM to the keeper ends the command.
 */
pid_t keeper_start(const struct command *command, struct error *error);

#endif
