/*
 * session_memory.h - memory that host and runner both see, and the poison in an output that nobody has written yet.
 *
 * Used by the other files of a session only.
 */
#ifndef VERIFY_SESSION_MEMORY_H
#define VERIFY_SESSION_MEMORY_H

#include "session.h"

/* The descriptor of an anonymous file of `size` bytes, which nobody can change; -1 with errno. */
int session_shared_memory(const char *name, size_t size);

/*
 * The same with a copy of the input, of *size bytes as mapped. In huge pages: small ones are mapped one by one, in the
 * runner and on the clock.
 */
int session_input_memory(const struct blob *input, size_t *size);

/*
 * Word `index` of what an output holds before a call: bytes that no answer has by chance. Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators" (OOPSLA 2014), the finaliser of SplitMix64.
 */
static inline uint64_t session_poison_word(uint64_t key, size_t index)
{
    uint64_t z = key + (index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Fills the output with other bytes than before. False when there is no chance to draw from. */
bool session_poison(struct session *session);

/* Whether an output is what session_poison() wrote. */
bool session_is_poison(const struct session *session, const struct blob *output);

#endif
