/*
 * prepare.h - makes inputs and answers of the next calls, several at a time.
 *
 * Each ranked call has its own input, and an answer may take a processor seconds. All processors of the host make them
 * before a call is released, and none works while a call runs. Only where times do not count (`ahead`), the next batch
 * is made beside the calls of this one.
 */
#ifndef VERIFY_PREPARE_H
#define VERIFY_PREPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/cases/arguments.h"
#include "verify/base/blob.h"
#include "verify/base/error.h"
#include "verify/base/random.h"

struct problem;
struct processors;
struct seeds;

enum { PREPARE_MOST = 32 };

/* What one call needs. */
struct prepared {
    size_t number;       /* of the case */
    uint32_t repetition; /* of the call in it */
    struct blob input, answer;
    bool ok; /* else the error is why not */
    struct error error;
};

struct coming;

/* The first nine are the caller's, the others start as zero. */
struct prepare {
    const struct problem *problem;
    const struct seeds *seeds;       /* of generated inputs */
    const struct random_key *secret; /* what checks by samples draw them from */
    const struct arguments *cases;   /* [case_count], in the order that they are asked for */
    const char *const *names;        /* [case_count] of those cases, which a seal's seeds depend on */
    size_t case_count;
    const struct processors *processors; /* the host's; NULL: all, and nobody is made way for */
    bool sure; /* nearly all calls will be asked for; else each may be the last: first one is made, then 4, 16, 32 */
    bool ahead; /* every case has one call, and its time does not count: the batches are 1, 16, 32 */
    size_t batch, next, count;
    bool beside;           /* they were made beside calls of others */
    struct coming *coming; /* the batch after this one, or NULL */
    struct prepared calls[PREPARE_MOST]; /* [count], of which those from `next` on are not yet given out */
};

/*
 * Input and answer of call `repetition` of case `number`, the caller's to release; what *input and *answer held before
 * is released. `wanted` is how many calls of the case are asked for from this one on. Calls are made ahead in that
 * order, of the next cases too where each has one; those that are never asked for are dropped. A batch is two for each
 * processor at most, and what takes a quarter of the free memory. Nobody knows how large an input will be: each is
 * taken for the largest of the problem until it is generated. Where the largest is not known, or too large for a batch
 * of one case, the first input of that case is generated alone, and those of several cases one after the other.
 */
bool prepare_call(struct prepare *prepare, size_t number, size_t repetition, size_t wanted, struct blob *input,
                  struct blob *answer, struct error *error);

/*
 * Inputs of case `number` that no call gets: the same arguments, with seeds of their own for `count` repetitions from
 * `first` on, below 2^31. A trap shows them to the submission (verify/judge/session.h). Several are made at a time.
 * They go to inputs[count], the caller's to release, which hold nothing before, nor after a failure.
 */
bool prepare_decoys(const struct prepare *prepare, size_t number, size_t first, size_t count, struct blob *inputs,
                    struct error *error);

/*
 * Input and answer of one call out of the order, so that what is made ahead stays. Both are the caller's to release,
 * and hold nothing before.
 */
bool prepare_alone(const struct prepare *prepare, size_t number, size_t repetition, struct blob *input,
                   struct blob *answer, struct error *error);

/* Whether inputs and answers are made at this moment: beside the next call. */
bool prepare_works(const struct prepare *prepare);

/* How many of the next calls are made and have an input of less than `bytes`, up to the first that has not. */
size_t prepare_small(const struct prepare *prepare, size_t bytes);

/* Waits until nothing is made ahead. Nothing is made beside a call from here on. */
void prepare_calm(struct prepare *prepare);

/* Releases the inputs and answers that were made but not given out. */
void prepare_release(struct prepare *prepare);

#endif
