/*
 * session_memory.h - memory that host and runner share, and the poison in an output that is not written yet.
 *
 * Used by the other files of a session only.
 */
#ifndef VERIFY_SESSION_MEMORY_H
#define VERIFY_SESSION_MEMORY_H

#include "session.h"
#include "verify/base/poison.h"

/* The descriptor of an anonymous file of `size` bytes, which nobody can change; -1 with errno. */
int session_shared_memory(const char *name, size_t size);

/*
 * The same with a copy of the input, of *size bytes as mapped. In huge pages: small ones are mapped one by one, in the
 * runner and on the clock.
 */
int session_input_memory(const struct blob *input, size_t *size);

/*
 * Maps all `size` bytes of such a file that nobody has used yet, all zero; NULL with errno. In huge pages where the
 * kernel has them (Linux 6.1, whatever the machine's setting for them), and all pages are there.
 */
void *session_map_new(int fd, size_t size);

/* Fills the output with other bytes than before. False when there is no chance to draw from. */
bool session_poison(struct session *session);

/* Whether what was filled so still holds that from its byte `first` on, a multiple of 8. */
bool session_is_poison(const struct session *session, const struct blob *output, size_t first);

#endif
