/*
 * limits.h - how often somebody may do something: by token buckets, in memory of a fixed size. By any thread.
 */
#ifndef SERVE_LIMITS_H
#define SERVE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

enum limit_kind {
    LIMIT_TOKENS,  /* wrong tokens of an address */
    LIMIT_UPLOADS, /* submissions, questions and logins of an account */
    LIMIT_READS,   /* requests of an address */
    LIMIT_KINDS
};

struct limits;

struct limits *limits_new(void);
void limits_free(struct limits *limits);

/*
 * Whether `name` may do that once more now. What was allowed and not used adds up to a burst, and no further. Where so
 * many names ask that there is no room for all, the one that has asked least lately is forgotten.
 */
bool limits_allow(struct limits *limits, enum limit_kind kind, const char *name);


#endif
