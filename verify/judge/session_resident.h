/*
 * session_resident.h - calls of problems whose data are resident on the GPU. Used by session.c only.
 *
 * The warden (verify/gpu/warden_slots.h) owns the memory, brings what is in it, releases a call and clocks it. This is
 * what the host does around that. docs/ARCHITECTURE.md has the order, docs/SECURITY.md why it is so.
 */
#ifndef VERIFY_SESSION_RESIDENT_H
#define VERIFY_SESSION_RESIDENT_H

#include "session.h"

/* Whether calls of this session have slots: the problem asks for it, the submission is CUDA, and there is a warden. */
bool session_has_slots(const struct session_config *config);

/* Before user code is loaded: waits until nobody else has the GPU. */
struct facts session_await_quiet(struct session *session, struct facts facts);

/* Instead of the output's memory: gives runner and warden the page. */
struct facts session_give_page(struct session *session, int64_t deadline, struct facts facts);

/* session_call() with slots. */
struct facts session_resident_call(struct session *session, const struct blob *input, struct blob *output,
                                   struct session_times *times);

/* Lets go of all of it. The runner has ended. */
void session_resident_close(struct session *session);

#endif
