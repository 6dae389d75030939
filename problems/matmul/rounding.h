/*
 * rounding.h - how far a sum of given products may be off when it is made in float32, where the products are alike or
 * lie in an unlucky order: rule (2) of precision.h. Called for the few elements that break rule (1).
 */
#ifndef MATMUL_ROUNDING_H
#define MATMUL_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether `error`, that of an element, is what sums in float32 of these products may have: a[k], and b[k] whose
 * elements lie `step` apart, all finite. `products` has room for k numbers.
 *
 * Let P be the largest partial sum that common orders meet, 2^e <= P < 2^(e+1). A partial sum between 2^d and 2^(d+1)
 * is a multiple of the unit 2^(d-23). When p is added to it, it errs by r(p), p rounded to such a multiple less p. Of
 * products that are alike the r(p) are alike, and add up to a bias: R is the sum of the biases for d = e + 1 down to
 * e - 3; below, little is left of it. The rest of the roundings vary, as in rule (1). So it is true if
 *
 *   |error| <= (2 sqrt(n) + 8) u P + R + n 2^-149   and   |error| <= 1.01 n u S + n 2^-149,
 *
 * n products other than 0, S the sum of their absolute values. P is the largest of |sum|, sqrt(sum of p^2), and the
 * sums of any stretch of products, or of every 2nd, 4th ... 256th of one: ascending and descending order, blocks, and
 * vectors of sums. A bias is the largest sum of r(p) of any stretch, of the products or of the products rounded to
 * float32, where those near the middle of two multiples count as if all were rounded the same way. The second
 * condition is the worst that any order can do (Higham, 3.1).
 */
bool matmul_rounding_explains(double error, const float *a, const float *b, size_t step, size_t k, double *products);

#endif
