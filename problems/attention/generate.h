/*
 * generate.h - the kinds of cases.
 */
#ifndef ATTENTION_GENERATE_H
#define ATTENTION_GENERATE_H

#include "heads.h"
#include "verify/base/random.h"

/*
 *   normal    Q, K, V nearly normal, mean 0, deviation 1: scores have deviation 1
 *   peaked    Q times 32: scores have deviation 32, up to 150; one or two keys decide, and exp() overflows where the
 *             maximum is not subtracted
 *   flat      Q times 2^-10: all weights are nearly alike
 *   positive  V uniform in [0, 1): what is lost or kept too coarsely adds up
 *   wide      each column of V has its own power of two, from 2^-20 to 2^20
 *   drift     scores rise from the first key to the last, by 22 (d = 128) or 32; in every second head they fall
 *   sink      the first key has a score of 10 (d = 128) or 14 more than others
 *   mixed     each head is one of these, but in flat heads Q is times 1/4 only, scores drift by 6, and the sink's is 10
 *             more: what is seen of such heads without all their scores saves no work
 *   low       all scores are far below 0, those of the second half of the keys near -79 (d = 128) or -112, of the first
 *             half near twice that: the score 0 of a key that does not exist outweighs all, and so does the first key
 *             behind the mask in the middle
 */
#define ATTENTION_KINDS "normal, peaked, flat, positive, wide, drift, sink, mixed or low"

enum attention_kind {
    ATTENTION_NORMAL, ATTENTION_PEAKED, ATTENTION_FLAT, ATTENTION_POSITIVE, ATTENTION_WIDE, ATTENTION_DRIFT,
    ATTENTION_SINK, ATTENTION_MIXED, /* one of those before */
    ATTENTION_LOW, ATTENTION_KIND_COUNT
};

/* The name, and the kind of that name or ATTENTION_KIND_COUNT. */
const char *attention_kind_name(enum attention_kind kind);
enum attention_kind attention_kind_find(const char *name);

/* Fills Q, K and V. */
void attention_fill(enum attention_kind kind, const struct attention_heads *h, const struct random_key *key);

#endif
