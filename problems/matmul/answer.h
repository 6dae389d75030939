/*
 * answer.h - what reference() prepares for check(): the whole product in float64, or, where that would take too long,
 * samples and hashes of it.
 *
 * A large output is checked in O(M N):
 *
 * 1. MATMUL_SAMPLES of its elements, drawn from the secret, by the rule of precision.h: the four corners, some on each
 *    edge, the rest anywhere. An output with a fraction f of wrong elements passes with probability (1 - f)^15360 at
 *    most.
 *
 * 2. The method of Freivalds ("Probabilistic machines can use less running time", IFIP 1977), for numbers with errors.
 *    The columns are cut into groups of up to 256, and x_j are random, independent, uniform in [-1, 1]. For each row i
 *    and group g
 *
 *        D = sum over j in g of (C_ij - C*_ij) x_j = sum C_ij x_j - (A (B x))_i
 *
 *    costs O(1) an element. Let tau = MATMUL_C sqrt(K) 2^-24 and
 *
 *        t = MATMUL_DEVIATIONS (tau sum over k of |a_ik| beta_kg + sqrt(256) K 2^-149),
 *        beta_kg = sqrt(sum over j in g of b_kj^2).
 *
 *    By Minkowski's inequality t / MATMUL_DEVIATIONS is at least sqrt(sum of the squares of the elements' tolerances),
 *    T. If |D| > t, all elements of the row and group are computed in float64 and judged by the rule. So an output that
 *    obeys the rule is never rejected. How often that work is in vain: the moment generating function of x_j is
 *    sinh(l) / l <= exp(l^2 / 6), so for errors within the tolerances, independent of x as they must be, Hoeffding's
 *    argument ("Probability inequalities for sums of bounded random variables", JASA 58, 1963) gives
 *
 *        P(|D| > s T) <= 2 exp(-3 s^2 / 2) = 8e-11 for s = MATMUL_DEVIATIONS = 4.
 *
 *    How much goes unseen: let element j of the group err by e. D = e x_j + r with r independent of x_j, so |D| <= t
 *    only if x_j lies in an interval of length 2 t / |e|, of probability t / |e| at most. With the two independent
 *    vectors that are used: (t / e)^2. In a group of elements with like tolerances t is 64 of these; an element whose
 *    own is far smaller than its neighbours' is guarded by the samples alone. Float64's own rounding errors are below
 *    2^-19 of t: (K + 512) 2^-53 sqrt(256) sum of |a_ik| beta_kg at most.
 *
 * Large inputs have no infinities and no NaNs; an element of C that is not finite makes D not finite, and no such D is
 * <= t.
 */
#ifndef MATMUL_ANSWER_H
#define MATMUL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "matrix.h"
#include "verify/base/blob.h"
#include "verify/base/error.h"
#include "verify/base/random.h"
#include "verify/judge/verdict.h"

enum {
    MATMUL_SAMPLES = 16384,
    MATMUL_EDGE_SAMPLES = 255, /* of these, on each of the four edges */
    MATMUL_GROUP = 256,        /* columns */
    MATMUL_VECTORS = 2,
    MATMUL_DEVIATIONS = 4
};

/* Whether the case is above MATMUL_LARGE_PRODUCTS or MATMUL_LARGE_ELEMENTS. */
bool matmul_is_large(const struct matmul_pair *pair);

/*
 * The answer: the product where `large` is false, samples and hashes drawn from `secret` where it is true. `plain`: by
 * the plain products. False when memory is exhausted.
 */
bool matmul_answer(const struct matmul_pair *pair, bool large, bool plain, const struct random_key *secret,
                   struct blob *answer, struct error *error);

/* Bytes of that answer, and of what computing it needs beside. */
size_t matmul_answer_footprint(const struct matmul_pair *pair);

/* Judges C[m][n]; on CHECK_WRONG *finding says which element is wrong. */
enum check_result matmul_judge(const struct matmul_pair *pair, const struct blob *answer, const float *c,
                               struct finding *finding);

/* The word that stands in the .ans file: it does not depend on the secret. */
void matmul_answer_word(const struct blob *answer, char *text, size_t size);

#endif
