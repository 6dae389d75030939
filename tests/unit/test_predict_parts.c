/* test_predict_parts.c - splits, normalisation, influence, scores, occupancy: the base of the methods. */
#include <math.h>
#include <string.h>

#include "contrib/predict/rows/mrmr.h"
#include "contrib/predict/rows/normalise.h"
#include "contrib/predict/rows/parts.h"
#include "contrib/predict/score.h"
#include "contrib/predict/rows/split.h"
#include "contrib/predict/rows/terms.h"
#include "unit.h"
#include "verify/base/random.h"

static void test_splits(void)
{
    struct split a, b, other;
    struct error error;
    int seen[103] = {0}, groups[103];
    bool same = true;

    CHECK(split_random(&a, 103, 5, &error) && split_random(&b, 103, 5, &error) &&
          split_random(&other, 103, 6, &error), "made");
    CHECK(a.test_count == 21 && a.train_count == 82, "%zu + %zu rows", a.train_count, a.test_count);
    CHECK(memcmp(a.test, b.test, a.test_count * sizeof *a.test) == 0, "the same seed gives the same rows");
    CHECK(memcmp(a.test, other.test, a.test_count * sizeof *a.test) != 0, "another seed gives others");
    for (size_t i = 0; i < a.test_count; i++)
        for (size_t j = 0; j < a.train_count; j++)
            same = same && a.test[i] != a.train[j];
    CHECK(same, "no row is learned on and tested on");
    /* A seed must always draw the same numbers: the tables depend on them. */
    CHECK(a.test[0] == 1 && a.test[1] == 2 && a.test[2] == 5, "first tested: %zu %zu %zu", a.test[0],
          a.test[1], a.test[2]);
    split_release(&a);
    split_release(&b);
    split_release(&other);
    for (int fold = 0; fold < 10; fold++) {
        CHECK(split_fold(&a, 103, 10, fold, 5, &error), "made");
        CHECK(a.test_count == 10 || a.test_count == 11, "fold of %zu rows", a.test_count);
        for (size_t i = 0; i < a.test_count; i++)
            seen[a.test[i]]++;
        split_release(&a);
    }
    for (int i = 0; i < 103; i++)
        CHECK(seen[i] == 1, "row %d is in %d folds", i, seen[i]);
    for (int i = 0; i < 103; i++)
        groups[i] = i % 4;
    CHECK(split_group(&a, groups, 103, 3, &error) && a.test_count == 25 && a.train_count == 78, "%zu rows",
          a.test_count);
    CHECK(a.test[0] == 3 && a.test[24] == 99, "the group's rows");
    split_release(&a);
}

static void test_normalisation(void)
{
    struct random_stream stream = random_stream(&(struct random_key){.seed = 1}, 0);
    double x[50 * 4], scaled[4], back[4];
    struct normaliser n;

    for (int i = 0; i < 200; i++)
        x[i] = i % 4 == 3 ? 7.5 : ((double)random_u32(&stream) - 2e9) * (i % 4 + 1);
    normaliser_fit(&n, x, 50, 4);
    for (int i = 0; i < 50; i++) {
        normalise(&n, x + 4 * i, scaled);
        denormalise(&n, scaled, back);
        for (int j = 0; j < 4; j++) {
            CHECK(scaled[j] >= 0 && scaled[j] <= 1, "row %d, input %d: %g", i, j, scaled[j]);
            CHECK(fabs(back[j] - x[4 * i + j]) <= 1e-6, "row %d, input %d: %g and %g", i, j, back[j], x[4 * i + j]);
        }
        CHECK(scaled[3] == 0, "a constant input says nothing");
    }
}

static void test_influence(void)
{
    enum { ROWS = 1000 };
    static double x[ROWS * 4], y[ROWS];
    struct random_stream stream = random_stream(&(struct random_key){.seed = 2}, 0);
    struct influence ranking[4];
    struct error error;

    for (int i = 0; i < ROWS; i++) {
        double a = random_u32(&stream) / 4294967296.0, b = random_u32(&stream) / 4294967296.0;

        x[4 * i] = random_u32(&stream) / 4294967296.0; /* no influence */
        x[4 * i + 1] = a;                              /* the strongest */
        x[4 * i + 2] = a + 1e-3 * b;                   /* as relevant, but the same again */
        x[4 * i + 3] = b;                              /* weak, and new */
        y[i] = 5 * a + 2 * b;
    }
    CHECK(mrmr_rank(x, y, ROWS, 4, ranking, &error), "ranked");
    CHECK(ranking[0].input == 1 || ranking[0].input == 2, "first is %zu", ranking[0].input);
    CHECK(ranking[1].input == 3, "second is %zu: new beats repeated", ranking[1].input);
    CHECK(ranking[0].relevance > 2 * ranking[1].relevance && ranking[1].relevance > 0.05, "%g bits, %g bits",
          ranking[0].relevance, ranking[1].relevance);
}

static void test_scores(void)
{
    double measured[] = {1, 2, 4, 8}, predicted[] = {1.1, 2, 3, 8}, values[] = {5, 1, 4, 2, 3, 9, 8, 7, 6};
    struct score s = score_of(predicted, measured, 4);

    CHECK(fabs(s.max - 0.25) < 1e-12 && fabs(s.mean - 0.0875) < 1e-12, "max %g, mean %g", s.max, s.mean);
    CHECK(fabs(s.bias + 0.0375) < 1e-12, "bias %g", s.bias);
    CHECK(fabs(s.log_max - log(4.0 / 3)) < 1e-12, "log ratio %g", s.log_max);
    CHECK(fabs(s.range_max - 1.0 / 7) < 1e-12, "of the range %g", s.range_max);
    CHECK(fabs(s.range_square - (0.01 + 1) / 49 / 4) < 1e-12, "square %g", s.range_square);
    /* Of 9 values the 9th covers 90 % of 10: the finite-sample correction. */
    CHECK(conformal_quantile(values, 9, 0.9) == 9, "%g", conformal_quantile(values, 9, 0.9));
    CHECK(conformal_quantile(values, 9, 0.5) == 5, "%g", conformal_quantile(values, 9, 0.5));
    CHECK(quantile(values, 9, 0.5) == 5, "%g", quantile(values, 9, 0.5));
}

/* Against the occupancy that CUDA's rules give, worked out by hand. */
static void test_occupancy(void)
{
    struct gpu gpu = {"h100", "H100", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472, 2.2};
    struct sample s = {.line = 1};
    double *v = s.value, us[TERMS];
    struct occupancy o;

    v[COLUMN_N_T] = 256, v[COLUMN_N_B] = 1320, v[COLUMN_REGISTERS] = 32;
    o = terms_occupancy(&s, &gpu);
    CHECK(o.blocks_per_sm == 8 && strcmp(o.limit, "threads") == 0, "%g by %s", o.blocks_per_sm, o.limit);
    CHECK(fabs(o.waves - 1.25) < 1e-12 && o.full_waves == 2 && o.warps_per_sm == 64, "%g waves, %g warps", o.waves,
          o.warps_per_sm);
    v[COLUMN_REGISTERS] = 64; /* 2048 a warp, 32 warps */
    o = terms_occupancy(&s, &gpu);
    CHECK(o.blocks_per_sm == 4 && strcmp(o.limit, "registers") == 0, "%g by %s", o.blocks_per_sm, o.limit);
    v[COLUMN_SHARED_WORDS] = 16384; /* 64 KiB + 1 KiB, of 228 KiB */
    o = terms_occupancy(&s, &gpu);
    CHECK(o.blocks_per_sm == 3 && strcmp(o.limit, "shared memory") == 0, "%g by %s", o.blocks_per_sm, o.limit);
    v[COLUMN_N_T] = 32, v[COLUMN_SHARED_WORDS] = 0, v[COLUMN_REGISTERS] = 20, v[COLUMN_N_B] = 66;
    o = terms_occupancy(&s, &gpu);
    CHECK(o.blocks_per_sm == 32 && strcmp(o.limit, "blocks") == 0 && o.busy == 0.5, "%g by %s, %g",
          o.blocks_per_sm, o.limit, o.busy);
    v[COLUMN_WARP_INSTRUCTIONS] = 1e6, v[COLUMN_L] = 10;
    terms_compute(&s, &gpu, us);
    CHECK(fabs(us[TERM_TOTAL] - 1e6 / 528 / 1980) < 1e-9 && fabs(us[TERM_ISSUE] - 8 * us[TERM_TOTAL]) < 1e-9,
          "one scheduler of half of the SMs has a warp: %g and %g", us[TERM_ISSUE], us[TERM_TOTAL]);
    v[COLUMN_N_T] = 256, v[COLUMN_N_B] = 133, v[COLUMN_FOOTPRINT] = 0.7 * 52428800;
    terms_compute(&s, &gpu, us);
    CHECK(fabs(us[TERM_ISSUE] - 4 * 528 / (133 * 8.0) * us[TERM_TOTAL]) < 1e-9, "one SM has two blocks: %g and %g",
          us[TERM_ISSUE], us[TERM_TOTAL]);
    CHECK(fabs(us[TERM_DRAM] / us[TERM_FOOTPRINT] - 0.5) < 1e-9, "half from memory: %g of %g", us[TERM_DRAM],
          us[TERM_FOOTPRINT]);
}

/* A warp that takes half of each of two lines costs memory more; sectors asked for again and again less. */
static void test_lines_of_memory(void)
{
    struct gpu gpu = {"h100", "H100", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472, 2.2};
    struct sample s = {.line = 1};
    double *v = s.value, whole[PARTS_ALL], half[PARTS_ALL], once[PARTS_ALL], again[PARTS_ALL];

    v[COLUMN_N_T] = 256, v[COLUMN_N_B] = 131072, v[COLUMN_W] = 8, v[COLUMN_REGISTERS] = 16, v[COLUMN_ISSUE] = 1e7;
    v[COLUMN_FOOTPRINT] = 1 << 30, v[COLUMN_LOAD_SECTORS] = 1 << 25, v[COLUMN_LOAD_REQUESTS] = 1 << 23;
    v[COLUMN_LOAD_LINES] = 1 << 23;
    parts_compute(&s, &gpu, whole);
    v[COLUMN_LOAD_LINES] = 1 << 24;
    parts_compute(&s, &gpu, half);
    CHECK(fabs(half[PART_DRAM] / whole[PART_DRAM] - 1.8) < 1e-9, "half lines %g, whole lines %g", half[PART_DRAM],
          whole[PART_DRAM]);
    v[COLUMN_LOAD_LINES] = v[COLUMN_LOAD_SECTORS], v[COLUMN_LOAD_REQUESTS] = 1 << 20;
    v[COLUMN_LOAD_FRESH] = v[COLUMN_LOAD_SECTORS];
    parts_compute(&s, &gpu, once);
    v[COLUMN_LOAD_LINES] *= 16, v[COLUMN_LOAD_SECTORS] *= 16, v[COLUMN_LOAD_REQUESTS] *= 16, v[COLUMN_LOAD_FRESH] *= 16;
    parts_compute(&s, &gpu, again);
    CHECK(fabs(again[PART_DRAM] / once[PART_DRAM] - 8) < 1e-9, "16 times as often %g, once %g", again[PART_DRAM],
          once[PART_DRAM]);
}

/* What is changed in place moves twice, and what is stored again once; words that are loaded together are one pass. */
static void test_places(void)
{
    struct gpu gpu = {"h100", "H100", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472, 2.2};
    struct sample s = {.line = 1};
    double *v = s.value, us[PARTS_ALL], other[PARTS_ALL];

    v[COLUMN_N_T] = 256, v[COLUMN_N_B] = 131072, v[COLUMN_W] = 8, v[COLUMN_REGISTERS] = 16, v[COLUMN_ISSUE] = 1e7;
    v[COLUMN_FOOTPRINT] = 1 << 30, v[COLUMN_LOAD_SECTORS] = v[COLUMN_LOAD_FRESH] = 1 << 25;
    v[COLUMN_STORE_SECTORS] = v[COLUMN_STORE_FRESH] = 1 << 25;
    v[COLUMN_LOAD_REQUESTS] = v[COLUMN_STORE_REQUESTS] = v[COLUMN_LOAD_LINES] = v[COLUMN_STORE_LINES] = 1 << 23;
    parts_compute(&s, &gpu, us);
    v[COLUMN_IN_PLACE] = 1 << 25;
    parts_compute(&s, &gpu, other);
    CHECK(fabs(other[PART_DRAM] / us[PART_DRAM] - 2) < 1e-9, "in place %g, elsewhere %g", other[PART_DRAM],
          us[PART_DRAM]);
    v[COLUMN_IN_PLACE] = NAN;
    parts_compute(&s, &gpu, other);
    CHECK(fabs(other[PART_DRAM] / us[PART_DRAM] - 1.5) < 1e-9, "not known %g", other[PART_DRAM]);
    v[COLUMN_IN_PLACE] = NAN, v[COLUMN_STORE_FRESH] = 0;
    parts_compute(&s, &gpu, other);
    CHECK(fabs(other[PART_DRAM] / us[PART_DRAM] - 1) < 1e-9, "stored again %g", other[PART_DRAM]);
    v[COLUMN_SHARED_PASSES] = 1e9;
    parts_compute(&s, &gpu, us);
    v[COLUMN_SHARED_MERGED] = 0.75e9;
    parts_compute(&s, &gpu, other);
    CHECK(fabs(other[PART_SHARED] / us[PART_SHARED] - 0.25) < 0.01, "together %g, each alone %g", other[PART_SHARED],
          us[PART_SHARED]);
}

/* What leaves the multiprocessor: each constant's own case of the microbenchmarks, as ncu times it. */
static void test_system(void)
{
    struct gpu gpu = {"h100", "H100", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472, 2.2};
    struct sample s = {.line = 1};
    double *v = s.value, us[PARTS_ALL], less;

    v[COLUMN_N_T] = 1, v[COLUMN_N_B] = 1, v[COLUMN_W] = 1, v[COLUMN_REGISTERS] = 16, v[COLUMN_ISSUE] = 100;
    v[COLUMN_PRINTS] = v[COLUMN_PRINT_LANES] = 32;
    parts_compute(&s, &gpu, us);
    CHECK(us[PARTS_LAUNCH] * 1980 == 2.2 || us[PARTS_LAUNCH] == 2.2, "a launch: %g", us[PARTS_LAUNCH]);
    CHECK(fabs(us[PART_PRINT] / 718 - 1) < 0.1, "32 calls of a thread: %g us", us[PART_PRINT]);
    v[COLUMN_N_T] = 1024, v[COLUMN_W] = 32, v[COLUMN_PRINT_LANES] = 1024;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_PRINT] / 337 - 1) < 0.1, "a call of 1024 threads: %g us", us[PART_PRINT]);
    v[COLUMN_PRINTS] = v[COLUMN_PRINT_LANES] = 0, v[COLUMN_N_T] = v[COLUMN_W] = 1;
    v[COLUMN_HEAP] = 1024, v[COLUMN_HEAP_LIVE] = 512;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_HEAP] / 19000 - 1) < 0.1, "1024 pieces that live: %g us", us[PART_HEAP]);
    v[COLUMN_HEAP] = 0, v[COLUMN_CHILDREN] = 256;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_CHILDREN] / 1749 - 1) < 0.1, "256 launches of a thread: %g us", us[PART_CHILDREN]);
    v[COLUMN_N_B] = v[COLUMN_CHILDREN] = 1024;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_CHILDREN] / 645 - 1) < 0.1, "a launch of each of 1024 blocks: %g us", us[PART_CHILDREN]);
    v[COLUMN_CHILDREN] = 510, v[COLUMN_CHILD_NESTED] = 508, v[COLUMN_N_B] = 1;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_CHILDREN] / 4456 - 1) < 0.15, "a tree of 8 levels: %g us", us[PART_CHILDREN]);
    v[COLUMN_CHILDREN] = v[COLUMN_CHILD_NESTED] = 0;
    v[COLUMN_MANAGED_FIRST] = 3 * 65536, v[COLUMN_MANAGED_AREAS] = 3;
    parts_compute(&s, &gpu, us);
    less = us[PART_BUS];
    v[COLUMN_MANAGED_FIRST] = 65536, v[COLUMN_MANAGED_AREAS] = 1;
    parts_compute(&s, &gpu, us);
    CHECK(us[PART_BUS] > 100 && us[PART_BUS] < 180 && less > us[PART_BUS] + 50, "areas: 1 %g us, 3 %g us", us[PART_BUS],
          less);
    v[COLUMN_MANAGED_AREAS] = v[COLUMN_MANAGED_FIRST] = 0, v[COLUMN_LOCAL_LINES] = v[COLUMN_LOCAL_STORES] = 1e6;
    parts_compute(&s, &gpu, us);
    less = us[PART_L2];
    v[COLUMN_LOCAL_STORES] = 0;
    parts_compute(&s, &gpu, us);
    CHECK(less > 32 && us[PART_L2] == 0, "local memory that is written %g us, that is read %g us", less, us[PART_L2]);
}

/* Loops whose rounds depend on data: swaps at one word, blocks that share work, the warp with most loads. */
static void test_irregular(void)
{
    struct gpu gpu = {"h100", "H100", 132, 1980, 3352, 52428800, 128, 64, 16, 2048, 32, 65536, 233472, 2.2};
    struct sample s = {.line = 1};
    double *v = s.value, us[PARTS_ALL], mean;

    v[COLUMN_N_T] = 128, v[COLUMN_N_B] = 4, v[COLUMN_W] = 4, v[COLUMN_REGISTERS] = 16, v[COLUMN_ISSUE] = 100;
    v[COLUMN_SWAPS] = 1280; /* of 4 warps that take turns: 512 have a lane that succeeds */
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_HOT] - 512 * 530 / 1980.0) < 1e-9, "512 swaps one after another: %g us", us[PART_HOT]);
    v[COLUMN_REGULAR] = 1;
    parts_compute(&s, &gpu, us);
    CHECK(us[PART_HOT] == 0, "swaps that are not repeated: %g us", us[PART_HOT]);
    v[COLUMN_CHAIN] = 1980, v[COLUMN_LONGEST] = 1, v[COLUMN_BLOCK_MOST] = 4, v[COLUMN_WAIT_ATOMIC] = 1;
    v[COLUMN_ATOMIC_WORDS] = 1e6;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_CHAIN] - 4) < 1e-9, "the block with most: %g us", us[PART_CHAIN]);
    v[COLUMN_REGULAR] = 0;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_CHAIN] - 1) < 1e-9, "blocks that fetch their work: %g us", us[PART_CHAIN]);
    CHECK(us[PART_HOT] == 0, "swaps all over a table: %g us", us[PART_HOT]);
    v[COLUMN_BLOCK_MOST] = 1, v[COLUMN_WAIT_ATOMIC] = 0, v[COLUMN_WAIT_LOAD] = 1;
    v[COLUMN_LOADS_LONGEST] = v[COLUMN_LOADS_MOST] = 1;
    parts_compute(&s, &gpu, us);
    mean = us[PART_WAIT_LOAD];
    v[COLUMN_LOADS_MOST] = 20;
    parts_compute(&s, &gpu, us);
    CHECK(fabs(us[PART_WAIT_LOAD] / mean - 20) < 1e-9, "one warp that loads: %g us for %g", us[PART_WAIT_LOAD], mean);
}

int main(void)
{
    test_splits();
    test_normalisation();
    test_influence();
    test_scores();
    test_occupancy();
    test_lines_of_memory();
    test_places();
    test_system();
    test_irregular();
    return unit_end();
}
