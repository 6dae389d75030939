/*
 * test_diffevo_arithmetic.c - the arithmetic of diffevo.h: how near it is to the C library, how it chooses, what it
 * sums.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "problems/diffevo/include/diffevo.h"
#include "tests/unit/unit.h"
#include "verify/base/random.h"

enum { STEPS = 200000 };

static float got_sinpi(float a) { return de_sinpi(a); }
static float got_sin(float a) { return de_sin(a); }
static float got_cos(float a) { return de_cospi_of_product(a, 0.318309873f); }
static float got_expm1(float a) { return de_expm1(a); }
static double right_sinpi(double a) { return sin(M_PI * a); }
static double right_cos(double a) { return cos(M_PI * 0.318309873f * a); }

/* The largest error over [low, high] in units of 2^-23, of 1 or (relative) of the right value. */
static double worst(float (*got)(float), double (*right)(double), double low, double high, bool relative)
{
    double most = 0;

    for (int k = 0; k <= STEPS; k++) {
        float a = (float)(low + (high - low) * k / STEPS);
        double value = right(a), error = fabs(got(a) - value) * 0x1p23;

        if (relative && value != 0)
            error /= fabs(value);
        most = error > most ? error : most;
    }
    return most;
}

static void check_functions(void)
{
    double error;

    error = worst(got_sinpi, right_sinpi, -0.5, 0.5, true);
    CHECK(error < 2, "sinpi near 0: %g ulp", error);
    error = worst(got_sinpi, right_sinpi, -1000, 1000, false);
    CHECK(error < 2, "sinpi: %g", error);
    error = worst(got_sin, sin, 0, 22.5, false);
    CHECK(error < 2, "sin: %g", error);
    error = worst(got_cos, right_cos, -400, 400, false);
    CHECK(error < 2, "cos: %g", error);
    error = worst(got_expm1, expm1, -80, 0, true);
    CHECK(error < 2, "expm1: %g ulp", error);
    error = worst(got_expm1, expm1, -0.4, 0, true);
    CHECK(error < 2, "expm1 near 0: %g ulp", error);
    CHECK(de_expm1(-1e30f) == -1.0f, "expm1 far out: %g", de_expm1(-1e30f));
    CHECK(de_bits(de_expm1(0.0f)) == 0, "expm1(0): %g", de_expm1(0.0f));
    CHECK(de_bits(de_sinpi(3.0f)) << 1 == 0, "sinpi(3): %g", de_sinpi(3.0f));
}

static void check_philox(void)
{
    for (uint32_t k = 0; k < 1000; k++) {
        uint32_t key[2] = { k * 2654435761u, ~k }, counter[4] = { k, k * k, 3, k % 3 }, block[4];
        struct de_words words = de_philox(key[0], key[1], counter[0], counter[1], counter[2], counter[3]);

        philox4x32(counter, key, block);
        CHECK(memcmp(block, words.w, sizeof block) == 0, "block %u differs from the toolkit's", k);
    }
}

/* Every triple of four to six individuals is chosen, each about as often, and never one that may not be. */
static void check_choices(void)
{
    enum { DRAWS = 120000 };

    for (uint32_t population = 4; population <= 6; population++) {
        for (uint32_t i = 0; i < population; i++) {
            static int seen[6][6][6];
            int allowed = (int)((population - 1) * (population - 2) * (population - 3)), kinds = 0;

            memset(seen, 0, sizeof seen);
            for (uint32_t k = 0; k < DRAWS; k++) {
                struct de_choice c = de_choose(de_philox(1, 2, k, i, 0, population), i, population, 7);
                int ok = c.r1 < population && c.r2 < population && c.r3 < population && c.r1 != c.r2 && c.r1 != c.r3 &&
                         c.r2 != c.r3 && c.r1 != i && c.r2 != i && c.r3 != i && c.j < 7;

                if (!ok) {
                    CHECK(ok, "%u of %u: %u %u %u, coordinate %u", i, population, c.r1, c.r2, c.r3, c.j);
                    return;
                }
                seen[c.r1][c.r2][c.r3]++;
            }
            for (int *count = &seen[0][0][0]; count < &seen[0][0][0] + 216; count++) {
                kinds += *count > 0;
                CHECK(*count == 0 || fabs(*count - (double)DRAWS / allowed) < 6 * sqrt((double)DRAWS / allowed),
                      "%u of %u: a triple %d times of %d / %d", i, population, *count, DRAWS, allowed);
            }
            CHECK(kinds == allowed, "%u of %u: %d triples, not %d", i, population, kinds, allowed);
        }
    }
}

static void check_steps(void)
{
    struct de_words words = { { 0x00020001, 0x00040003, 0x00060005, 0x00080007 } };

    for (uint32_t j = 0; j < 24; j++)
        CHECK(de_crossover_bits(words, j) == j % 8 + 1, "bits of coordinate %u: %u", j, de_crossover_bits(words, j));
    CHECK(de_initial(0, -3, 5) == -3, "the least random number is the lower bound");
    CHECK(de_initial(0xffffffffu, -3, 5) <= 5 && de_initial(0xffffffffu, -3, 5) > 4.99f, "the largest is within them");
    CHECK(de_mutant(1, 3, 1, 0.5f, -10, 10) == 2, "x1 + F (x2 - x3)");
    CHECK(de_mutant(9, 9, -9, 1, -10, 10) == 10 && de_mutant(-9, -9, 9, 1, -10, 10) == -10, "moved to the bounds");
    CHECK(de_below(0xffffffffu, 7) == 6 && de_below(0, 7) == 0, "below 7");
}

int main(void)
{
    check_functions();
    check_philox();
    check_choices();
    check_steps();
    return unit_end();
}
