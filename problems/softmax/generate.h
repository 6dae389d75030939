/*
 * generate.h - the kinds of rows.
 */
#ifndef SOFTMAX_GENERATE_H
#define SOFTMAX_GENERATE_H

#include "matrix.h"
#include "verify/base/random.h"

/*
 *   normal   bell-shaped around 0, with a standard deviation of 3 and at most 10.4 in absolute value: like logits
 *   uniform  uniform in [-1, 1]: all terms count
 *   wide     uniform in [-10000, 10000]: few terms count, and exp() of differences overflows where they are positive
 *   shifted  normal, plus a number of the row from -9900 to 9900: all of exp(x) overflows, or all vanishes
 *   deep     uniform in [-100, 0], and one element 0: results down to the subnormal numbers
 *   peak     normal, but one element of the row is from 20 to 9000 above
 *   masked   normal, plus a number of the row as in shifted, with minus infinity in one of these ways: all up to some
 *            element, all from some element on, about every second, all but one, all in strips of 16 to 1024; in one
 *            of 16 rows all
 *   mixed    each row of a random one of these kinds
 */
#define SOFTMAX_KINDS "normal, uniform, wide, shifted, deep, peak, masked or mixed"

enum softmax_kind {
    SOFTMAX_NORMAL, SOFTMAX_UNIFORM, SOFTMAX_WIDE, SOFTMAX_SHIFTED, SOFTMAX_DEEP, SOFTMAX_PEAK, SOFTMAX_MASKED,
    SOFTMAX_MIXED, SOFTMAX_KIND_COUNT
};

/* The name, and the kind of that name or SOFTMAX_KIND_COUNT. */
const char *softmax_kind_name(enum softmax_kind kind);
enum softmax_kind softmax_kind_find(const char *name);

/* Fills the matrix. */
void softmax_fill(enum softmax_kind kind, const struct softmax_matrix *matrix, const struct random_key *key);

#endif
