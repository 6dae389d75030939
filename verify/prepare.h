/*
 * prepare.h - inputs and answers of a case's calls, several of them made at a time.
 *
 * Each call that ranks has an input of its own, whose answer may take a processor seconds. All processors that the host
 * may use make them before a call is released; while one is under way, none does.
 */
#ifndef VERIFY_PREPARE_H
#define VERIFY_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arguments.h"
#include "blob.h"
#include "error.h"
#include "random.h"

struct problem;

enum { PREPARE_MOST = 32 };

/* What one call needs. */
struct prepared {
    struct blob input, answer;
    bool ok; /* else the error is why not */
    struct error error;
};

/* The first five are the caller's, the others start as zero. */
struct prepare {
    const struct problem *problem;
    const struct arguments *arguments; /* of the case */
    uint64_t seed;                     /* of generated inputs */
    const struct random_key *secret;   /* what checks by samples draw them from */
    size_t first, count;               /* the repetitions that are made and not yet given out */
    struct prepared calls[PREPARE_MOST];
};

/*
 * Input and answer of call `repetition`, the caller's to release; what *input and *answer held before is released. The
 * first call is made alone. Of later ones up to `wanted`, of which this is the first, are made at once: one a
 * processor, and as many as a quarter of the free memory holds if they are as large as the one before. Repetitions
 * must be asked for in their order.
 */
bool prepare_call(struct prepare *prepare, size_t repetition, size_t wanted, struct blob *input, struct blob *answer,
                  struct error *error);

/* Releases what was made and not given out. */
void prepare_release(struct prepare *prepare);

#endif
