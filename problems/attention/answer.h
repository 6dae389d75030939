/*
 * answer.h - what reference() prepares for check(): all rows of O in float64, or, where that would take too long, some.
 *
 * A large output (ATTENTION_LARGE_PRODUCTS) is checked in two ways.
 *
 * 1. Rows drawn from the secret, all their elements by the rule of precision.h: as many as 2^31 products make, 1024 to
 *    8192, or all. Of these one in 16 is among the first 16 rows of a head, where a causal mask that is off shows most,
 *    one in 16 is among the last 128, one in 16 is just before or behind a multiple of 64, the rest is anywhere. An
 *    output with a fraction f of wrong rows passes with a probability of (1 - f)^(13/16 count) at most: f = 1 % of 1024
 *    with 2e-4.
 *
 * 2. All elements. O* is a mean of a column of V, so it lies between the column's least and largest number; a right
 *    element is outside by no more than 0.05 of the largest absolute value, as (1) of precision.h allows at most
 *    (6.25 2^-8 + 2^-7) of it. What is not finite is outside.
 */
#ifndef ATTENTION_ANSWER_H
#define ATTENTION_ANSWER_H

#include "heads.h"
#include "verify/base/error.h"
#include "verify/base/random.h"
#include "verify/judge/verdict.h"

/* Whether not all of a case is judged. */
bool attention_is_large(const struct attention_heads *h);

/* How many rows of a case are judged. */
size_t attention_row_count(const struct attention_heads *h);

/* The answer, its rows drawn from `secret` where the case is large. `plain`: by the plain method. */
bool attention_answer(const struct attention_heads *h, bool plain, const struct random_key *secret,
                      struct blob *answer, struct error *error);

/* Bytes of that answer. */
size_t attention_answer_size(const struct attention_heads *h);

/* Judges o[heads][length][dim]; on CHECK_WRONG *finding says which element is wrong. */
enum check_result attention_judge(const struct attention_heads *h, const struct blob *answer, const uint16_t *o,
                                  struct finding *finding);

/* The word that stands in the .ans file: it does not depend on the secret. */
void attention_answer_word(const struct blob *answer, char *text, size_t size);

#endif
