/*
 * rows_kernel.h - the inner loops, written once over a vector type.
 *
 * Included by rows_{portable,avx2,avx512}.c, each of which first defines LANES and ENGINE.
 */
#include <string.h>

#include "rows_engine.h"

typedef double vec __attribute__((vector_size(LANES * sizeof(double))));
typedef long long whole __attribute__((vector_size(LANES * sizeof(double))));
typedef float narrow __attribute__((vector_size(LANES * sizeof(float))));
typedef uint32_t words __attribute__((vector_size(LANES * sizeof(uint32_t))));
typedef uint16_t halves __attribute__((vector_size(LANES * sizeof(uint16_t))));

enum { ROWS = ATTENTION_TOGETHER };

/* LANES numbers of bfloat16. */
static inline vec load(const uint16_t *from)
{
    halves bits;

    memcpy(&bits, from, sizeof bits);
    return __builtin_convertvector((narrow)(__builtin_convertvector(bits, words) << 16), vec);
}

static inline vec load_doubles(const double *from)
{
    vec x;

    memcpy(&x, from, sizeof x);
    return x;
}

static void make_scores(const double *q, const uint16_t *k, size_t keys, size_t dim, double *scores)
{
    for (size_t j = 0; j < keys; j++) {
        vec sums[ROWS] = { 0 };

        for (size_t c = 0; c < dim; c += LANES) {
            const vec x = load(k + j * dim + c);

            for (int r = 0; r < ROWS; r++)
                sums[r] += x * load_doubles(q + (size_t)r * dim + c);
        }
        for (int r = 0; r < ROWS; r++) {
            double score = 0;

            for (int lane = 0; lane < LANES; lane++)
                score += sums[r][lane];
            scores[j * ROWS + (size_t)r] = score;
        }
    }
}

static void make_sums(const double *weights, const uint16_t *v, size_t keys, size_t dim,
                      struct attention_truth *truths)
{
    for (size_t c = 0; c < dim; c += LANES) {
        vec sums[ROWS] = { 0 }, squares[ROWS] = { 0 }, absolutes[ROWS] = { 0 };

        for (size_t j = 0; j < keys; j++) {
            const vec x = load(v + j * dim + c), absolute = (vec)((whole)x & 0x7fffffffffffffff);

            for (int r = 0; r < ROWS; r++) {
                const vec term = x * weights[j * ROWS + (size_t)r];

                sums[r] += term;
                squares[r] += term * term;
                absolutes[r] += absolute * weights[j * ROWS + (size_t)r];
            }
        }
        for (size_t r = 0; r < ROWS; r++)
            for (size_t lane = 0; lane < LANES; lane++)
                truths[r * dim + c + lane] = (struct attention_truth){
                    .sum = sums[r][lane], .squares = squares[r][lane], .absolute = absolutes[r][lane]
                };
    }
}

const struct attention_engine ENGINE = { .scores = make_scores, .sums = make_sums };
