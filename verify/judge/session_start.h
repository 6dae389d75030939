/*
 * session_start.h - starts a runner's process. Used by session.c only.
 */
#ifndef VERIFY_SESSION_START_H
#define VERIFY_SESSION_START_H

#include "session.h"

/* Bytes that may be in use, for the cgroup or for the host that looks; 0 for no limit. */
size_t session_most_memory(const struct session_config *config);

/*
 * Starts the process in its box and cgroup. Fills in pid, pidfd, channel, printed_fd, cgroup and reports of a session
 * that has its config and no descriptor yet. False with errno.
 */
bool session_spawn(struct session *session);

#endif
