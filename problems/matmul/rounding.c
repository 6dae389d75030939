/*
 * rounding.c - what sums in float32 of given products may err by: see rounding.h.
 *
 * Of a matrix whose elements are all alike every element of C comes here, so what settles most of them comes first: the
 * products alone, then their biases, then all partial sums.
 */
#include "rounding.h"

#include <math.h>

/* An element's products, and what is known of them. */
struct terms {
    const double *products; /* [k] */
    size_t k, count;        /* count: of those that are not 0 */
    double sum, magnitude;  /* of the products, and of their absolute values */
    double squares;         /* of the squares */
    double least, most;     /* of the products */
};

static struct terms terms_of(const float *a, const float *b, size_t step, size_t k, double *products)
{
    struct terms t = { .products = products, .k = k, .least = INFINITY, .most = -INFINITY };

    for (size_t l = 0; l < k; l++) {
        const double p = (double)a[l] * (double)b[l * step];

        products[l] = p;
        t.count += p != 0;
        t.sum += p;
        t.magnitude += fabs(p);
        t.squares += p * p;
        t.least = p < t.least ? p : t.least;
        t.most = p > t.most ? p : t.most;
    }
    return t;
}

/* The largest sum of a stretch of numbers, by absolute value: the range of the sums of the first ones. */
struct walk {
    double sum, least, most;
};

static void walk_on(struct walk *walk, double step)
{
    walk->sum += step;
    walk->least = walk->sum < walk->least ? walk->sum : walk->least;
    walk->most = walk->sum > walk->most ? walk->sum : walk->most;
}

static double walk_range(const struct walk *walk) { return walk->most - walk->least; }

/* P: of all stretches, and of those of every 2nd, 4th ... 256th product. */
static double largest_partial_sum(const struct terms *t)
{
    double largest = 0;

    for (size_t lanes = 1; lanes <= 256 && lanes <= t->k; lanes *= 2)
        for (size_t lane = 0; lane < lanes; lane++) {
            struct walk walk = { 0 };

            for (size_t l = lane; l < t->k; l += lanes)
                walk_on(&walk, t->products[l]);
            largest = walk_range(&walk) > largest ? walk_range(&walk) : largest;
        }
    return largest;
}

/* The share of one unit in R. */
static double bias(const struct terms *t, double unit)
{
    /* Adding and taking away this rounds a number below 2^51 units to a multiple of the unit, a tie to the even one. */
    const double rounder = 0x1.8p52 * unit, tie = 0.499 * unit;
    struct walk fused = { 0 }, rounded = { 0 };
    double ties = 0; /* near the middle of two multiples: the sum before says which way they go, all the same perhaps */

    if (t->least == t->most) { /* all alike */
        const double p = t->least, q = (double)(float)p, r = fabs((p + rounder) - rounder - p);

        return (double)t->k * fmax(r, fabs((q + rounder) - rounder - p));
    }
    for (size_t l = 0; l < t->k; l++) {
        const double p = t->products[l], q = (double)(float)p, r = (p + rounder) - rounder - p;

        if (fabs(r) > tie) {
            ties += unit / 2;
        } else {
            walk_on(&fused, r);
            walk_on(&rounded, (q + rounder) - rounder - p);
        }
    }
    return ties + fmax(walk_range(&fused), walk_range(&rounded));
}

/* Whether the error is explained by partial sums up to `largest`. */
static bool explained(const struct terms *t, double error, double largest)
{
    enum { ABOVE = 1, BELOW = 3 }; /* powers of 2 around that of the largest sum */
    const double rest = (2 * sqrt((double)t->count) + 8) * 0x1p-24 * largest + (double)t->count * 0x1p-149;
    const int e = ilogb(largest);
    double biases = 0;

    for (int power = e + ABOVE; power >= e - BELOW && fabs(error) > rest + biases; power--)
        biases += bias(t, ldexp(1, power - 23 < -149 ? -149 : power - 23));
    return fabs(error) <= rest + biases;
}

bool matmul_rounding_explains(double error, const float *a, const float *b, size_t step, size_t k, double *products)
{
    const struct terms t = terms_of(a, b, step, k, products);
    const double likely = fmax(fabs(t.sum), sqrt(t.squares));

    if (!(fabs(error) <= 1.01 * (double)t.count * 0x1p-24 * t.magnitude + (double)t.count * 0x1p-149))
        return false;
    return t.count == 0 || explained(&t, error, likely) || explained(&t, error, fmax(likely, largest_partial_sum(&t)));
}
