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
 *    costs O(1) an element. By rule (1) of precision.h an element may err by rho (Q_ij + |C_ij| / 2) + K 2^-149, where
 *    rho = (4 sqrt(K) + 8) 2^-24 and Q_ij^2 is the sum of the squares of its products. Let
 *
 *        t = MATMUL_DEVIATIONS (rho sqrt(2 (sum over k of a_ik^2 beta_kg + sum over j in g of C_ij^2 / 4))
 *                               + sqrt(256) K 2^-149),   beta_kg = sum over j in g of b_kj^2.
 *
 *    t / MATMUL_DEVIATIONS is at least sqrt(sum of the squares of the elements' tolerances), T, but for what C_ij and
 *    the truth differ by, times rho. If |D| > t, all elements of the row and group are computed in float64 and judged
 *    by the rules. So an output that obeys them is never rejected. How often that work is in vain: the moment
 *    generating function of x_j is sinh(l) / l <= exp(l^2 / 6), so for errors within the tolerances of rule (1),
 *    independent of x as they must be, Hoeffding's argument ("Probability inequalities for sums of bounded random
 *    variables", JASA 58, 1963) gives
 *
 *        P(|D| > s T) <= 2 exp(-3 s^2 / 2) = 8e-11 for s = MATMUL_DEVIATIONS = 4.
 *
 *    How much goes unseen: let element j of the group err by e. D = e x_j + r with r independent of x_j, so |D| <= t
 *    only if x_j lies in an interval of length 2 t / |e|, of probability t / |e| at most. With the two independent
 *    vectors that are used: (t / e)^2. In a group of elements with like tolerances t is 64 to 90 of these; an element
 *    whose own is far smaller than its neighbours' is guarded by the samples alone. Float64's own rounding errors are
 *    below 2^-13 of t: (K + 512) 2^-53 sqrt(256 K) sqrt(sum of a_ik^2 beta_kg) at most.
 *
 * Rows of A and columns of B with an infinity or NaN, of which a large input has few, take no part in that: all their
 * elements are judged by the rules. Elsewhere an element of C that is not finite makes D not finite, and no such D is
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
