/*
 * evolve_kernel.h - the reference's inner loops, compiled once for each instruction set (evolve_*.c define EVOLVE).
 *
 * LANES individuals go side by side: every loop over `l` has no branch and touches neighbouring elements (or gathers),
 * so that the compiler makes vector instructions of it. The population is a structure of arrays, x[D][stride], twice:
 * trials are written into the other one, and columns that lose are copied over. The lanes beyond NP repeat the last
 * individual; nobody reads what they write.
 */
#include "evolve.h"

#include <float.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "evolve_layout.h"
#include "include/diffevo.h"
#include "input.h"

#if FLT_EVAL_METHOD != 0
#error "float expressions must be evaluated in float"
#endif

/* Before a loop over lanes: its turns do not need each other. */
#define LANE_LOOP _Pragma("omp simd")

#define INLINE static inline __attribute__((always_inline))

struct evolution;

/* Writes the values of the columns x[0 ... D)[0 ... LANES). */
typedef void evaluator(const struct evolution *e, const float *x, float value[LANES]);

struct evolution {
    const struct diffevo_problem *p;
    evaluator *evaluate;         /* of the problem's function */
    const float *shift;          /* [p->shifts][D] */
    const float *rotation;       /* [D][D], or NULL */
    float *x, *next;             /* [D][stride]: this generation and what becomes the next one */
    float *value;                /* [stride]: of the individuals in x */
    size_t stride;               /* NP, rounded up to LANES */
    float factor[DIFFEVO_DIMENSION_MAX]; /* of Griewank's function */
};

/*
 * Both halves of the products of LANES words by one. Compilers make slow 64-bit products of the plain loop; the
 * instruction that is meant multiplies every other word, so the words between them take their turn shifted.
 */
#if defined(__AVX512F__)
INLINE void multiply_lanes(__m512i words, uint32_t factor, __m512i *high, __m512i *low)
{
    const __m512i f = _mm512_set1_epi64(factor);
    const __m512i even = _mm512_mul_epu32(words, f), odd = _mm512_mul_epu32(_mm512_srli_epi64(words, 32), f);

    *high = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
    *low = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}
#else
INLINE void multiply_lanes(const uint32_t words[LANES], uint32_t factor, uint32_t high[LANES], uint32_t low[LANES])
{
#if defined(__AVX2__)
    for (int l = 0; l < LANES; l += 8) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(words + l)), f = _mm256_set1_epi64x(factor);
        __m256i even = _mm256_mul_epu32(a, f), odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), f);

        _mm256_storeu_si256((__m256i *)(high + l), _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
        _mm256_storeu_si256((__m256i *)(low + l), _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa));
    }
#else
    for (int l = 0; l < LANES; l++) {
        uint64_t product = (uint64_t)words[l] * factor;

        high[l] = (uint32_t)(product >> 32);
        low[l] = (uint32_t)product;
    }
#endif
}
#endif

/* Philox for LANES individuals from `first` on, which differ in the second word of the counter: words[k][l]. */
INLINE void philox_lanes(const struct evolution *e, uint32_t c0, size_t first, uint32_t generation, uint32_t purpose,
                         uint32_t words[4][LANES])
{
    uint32_t key0 = e->p->seed[0], key1 = e->p->seed[1];

    LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        uint32_t i = (uint32_t)first + (uint32_t)l;

        words[0][l] = c0;
        words[1][l] = i < e->p->population ? i : e->p->population - 1;
        words[2][l] = generation;
        words[3][l] = purpose;
    }
#if defined(__AVX512F__)
    /* In registers, as each round waits for the one before: compilers keep the arrays below in memory. */
    __m512i w0 = _mm512_loadu_si512(words[0]), w1 = _mm512_loadu_si512(words[1]);
    __m512i w2 = _mm512_loadu_si512(words[2]), w3 = _mm512_loadu_si512(words[3]);

    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        __m512i high0, low0, high2, low2;

        multiply_lanes(w0, PHILOX_MULTIPLIER_0, &high0, &low0);
        multiply_lanes(w2, PHILOX_MULTIPLIER_2, &high2, &low2);
        w0 = _mm512_xor_si512(_mm512_xor_si512(high2, w1), _mm512_set1_epi32((int)key0));
        w2 = _mm512_xor_si512(_mm512_xor_si512(high0, w3), _mm512_set1_epi32((int)key1));
        w1 = low2;
        w3 = low0;
        key0 += PHILOX_WEYL_0;
        key1 += PHILOX_WEYL_1;
    }
    _mm512_storeu_si512(words[0], w0);
    _mm512_storeu_si512(words[1], w1);
    _mm512_storeu_si512(words[2], w2);
    _mm512_storeu_si512(words[3], w3);
#else
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint32_t high0[LANES], low0[LANES], high2[LANES], low2[LANES];

        multiply_lanes(words[0], PHILOX_MULTIPLIER_0, high0, low0);
        multiply_lanes(words[2], PHILOX_MULTIPLIER_2, high2, low2);
        LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            words[0][l] = high2[l] ^ words[1][l] ^ key0;
            words[1][l] = low2[l];
            words[2][l] = high0[l] ^ words[3][l] ^ key1;
            words[3][l] = low0[l];
        }
        key0 += PHILOX_WEYL_0;
        key1 += PHILOX_WEYL_1;
    }
#endif
}

struct lane_sums {
    float a[LANES], b[LANES], last[LANES];
};

INLINE void sum_add(int function, struct lane_sums *sums, uint32_t j, const float z[LANES], float factor)
{
    LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        struct de_sum s = { sums->a[l], sums->b[l], sums->last[l] };

        s = de_sum_add(function, s, j, z[l], factor);
        sums->a[l] = s.a;
        sums->b[l] = s.b;
        sums->last[l] = s.last;
    }
}

/* Rows of the rotation that are done together, so that a sum need not wait for its own last term. */
enum { ROWS = 4 };

/* Rows `first` and the next of the rotation times y; beyond D the last one is done again. */
INLINE void rotate_rows(const struct evolution *e, uint32_t first, const float y[][LANES], float z[ROWS][LANES])
{
    uint32_t dimension = e->p->dimension;
    const float *rows[ROWS];

    for (uint32_t k = 0; k < ROWS; k++)
        rows[k] = e->rotation + (size_t)(first + k < dimension ? first + k : dimension - 1) * dimension;
    for (int l = 0; l < LANES; l++)
        z[0][l] = z[1][l] = z[2][l] = z[3][l] = 0;
    for (uint32_t j = 0; j < dimension; j++) {
        LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            z[0][l] = de_rotate(z[0][l], rows[0][j], y[j][l]);
            z[1][l] = de_rotate(z[1][l], rows[1][j], y[j][l]);
            z[2][l] = de_rotate(z[2][l], rows[2][j], y[j][l]);
            z[3][l] = de_rotate(z[3][l], rows[3][j], y[j][l]);
        }
    }
}

/* The values of the columns x[0 ... D)[0 ... LANES), with one shift[D]. */
INLINE void evaluate_shifted(int function, const struct evolution *e, const float *shift, const float *x,
                             float value[LANES])
{
    uint32_t dimension = e->p->dimension;
    struct lane_sums sums = { .a = { 0 } };
    float y[DIFFEVO_DIMENSION_MAX][LANES], z[ROWS][LANES];

    for (uint32_t j = 0; j < dimension; j++) {
        LANE_LOOP
        for (int l = 0; l < LANES; l++)
            y[j][l] = de_sub(x[j * e->stride + (size_t)l], shift[j]);
        if (!e->rotation)
            sum_add(function, &sums, j, y[j], e->factor[j]);
    }
    for (uint32_t first = 0; e->rotation && first < dimension; first += ROWS) {
        rotate_rows(e, first, (const float(*)[LANES])y, z);
        for (uint32_t row = first; row < dimension && row < first + ROWS; row++)
            sum_add(function, &sums, row, z[row - first], e->factor[row]);
    }
    LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        struct de_sum s = { sums.a[l], sums.b[l], sums.last[l] };

        value[l] = de_sum_end(function, s, dimension);
    }
}

INLINE void evaluate_all(int function, const struct evolution *e, const float *x, float value[LANES])
{
    evaluate_shifted(function, e, e->shift, x, value);
    for (uint32_t s = 1; s < e->p->shifts; s++) {
        float more[LANES];

        evaluate_shifted(function, e, e->shift + s * e->p->dimension, x, more);
        LANE_LOOP
        for (int l = 0; l < LANES; l++)
            value[l] = de_add(value[l], more[l]);
    }
}

/* A version for each function, in which it is a constant. */
#define EVALUATOR(name, function)                                                        \
    static void name(const struct evolution *e, const float *x, float value[LANES])      \
    {                                                                                     \
        evaluate_all(function, e, x, value);                                              \
    }

EVALUATOR(sphere, DIFFEVO_SPHERE)
EVALUATOR(rosenbrock, DIFFEVO_ROSENBROCK)
EVALUATOR(rastrigin, DIFFEVO_RASTRIGIN)
EVALUATOR(ackley, DIFFEVO_ACKLEY)
EVALUATOR(griewank, DIFFEVO_GRIEWANK)
EVALUATOR(schwefel, DIFFEVO_SCHWEFEL)

static evaluator *const evaluators[DIFFEVO_FUNCTIONS] = {
    [DIFFEVO_SPHERE] = sphere, [DIFFEVO_ROSENBROCK] = rosenbrock, [DIFFEVO_RASTRIGIN] = rastrigin,
    [DIFFEVO_ACKLEY] = ackley, [DIFFEVO_GRIEWANK] = griewank,     [DIFFEVO_SCHWEFEL] = schwefel,
};

static void make_initial(struct evolution *e)
{
    uint32_t words[4][LANES];

    for (size_t first = 0; first < e->stride; first += LANES) {
        for (uint32_t j = 0; j < e->p->dimension; j++) {
            if (j % 4 == 0)
                philox_lanes(e, j / 4, first, 0, DE_INITIAL, words);
            LANE_LOOP
            for (int l = 0; l < LANES; l++)
                e->x[j * e->stride + first + (size_t)l] = de_initial(words[j % 4][l], e->p->low, e->p->high);
        }
        e->evaluate(e, e->x + first, e->value + first);
    }
}

static void make_trials(const struct evolution *e, size_t first, uint32_t generation)
{
    const struct diffevo_problem *p = e->p;
    uint32_t words[4][LANES], r1[LANES], r2[LANES], r3[LANES], always[LANES];

    philox_lanes(e, 0, first, generation, DE_CHOICE, words);
    LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        uint32_t i = (uint32_t)first + (uint32_t)l;
        struct de_words w = { { words[0][l], words[1][l], words[2][l], words[3][l] } };
        struct de_choice c = de_choose(w, i < p->population ? i : p->population - 1, p->population, p->dimension);

        r1[l] = c.r1;
        r2[l] = c.r2;
        r3[l] = c.r3;
        always[l] = c.j;
    }
    for (uint32_t j = 0; j < p->dimension; j++) {
        const float *x = e->x + j * e->stride;
        float *next = e->next + j * e->stride + first;
        const uint32_t *word = words[j % 8 / 2], half = j % 2 * 16;

        if (j % 8 == 0)
            philox_lanes(e, j / 8, first, generation, DE_CROSSOVER, words);
        LANE_LOOP
        for (int l = 0; l < LANES; l++) {
            float x1 = x[(int32_t)r1[l]], x2 = x[(int32_t)r2[l]], x3 = x[(int32_t)r3[l]];
            float mutant = de_mutant(x1, x2, x3, p->weight, p->low, p->high);
            uint32_t bits = word[l] >> half & 0xffff;

            next[l] = (bits < p->crossover) | (j == always[l]) ? mutant : x[first + (size_t)l];
        }
    }
}

static void select_better(struct evolution *e, size_t first)
{
    float value[LANES], *old_value = e->value + first;
    uint32_t wins[LANES];

    e->evaluate(e, e->next + first, value);
    LANE_LOOP
    for (int l = 0; l < LANES; l++) {
        wins[l] = value[l] <= old_value[l];
        old_value[l] = wins[l] ? value[l] : old_value[l];
    }
    for (uint32_t j = 0; j < e->p->dimension; j++) {
        const float *x = e->x + j * e->stride + first;
        float *next = e->next + j * e->stride + first;

        LANE_LOOP
        for (int l = 0; l < LANES; l++)
            next[l] = wins[l] ? next[l] : x[l];
    }
}

static bool target_is_reached(const struct evolution *e)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < e->p->population; i++)
        reached |= e->value[i] <= e->p->target;
    return reached != 0;
}

/* Returns how many generations were made. */
static uint32_t evolve(struct evolution *e)
{
    uint32_t generation = 0;

    make_initial(e);
    while (generation < e->p->generations && !target_is_reached(e)) {
        float *spare = e->x;

        generation++;
        for (size_t first = 0; first < e->stride; first += LANES) {
            make_trials(e, first, generation);
            select_better(e, first);
        }
        e->x = e->next;
        e->next = spare;
    }
    return generation;
}

static void finish(const struct evolution *e, uint32_t generations, struct diffevo_result *result, float *best_x)
{
    const struct diffevo_problem *p = e->p;
    uint64_t checksum = 0;
    uint32_t best = 0;

    for (uint32_t i = 0; i < p->population; i++) {
        best = e->value[i] < e->value[best] ? i : best;
        checksum += de_checksum(i, p->dimension, p->dimension, e->value[i]);
        for (uint32_t j = 0; j < p->dimension; j++)
            checksum += de_checksum(i, j, p->dimension, e->x[j * e->stride + i]);
    }
    for (uint32_t j = 0; j < p->dimension; j++)
        best_x[j] = e->x[j * e->stride + best];
    *result = (struct diffevo_result){
        .checksum = checksum,
        .best = e->value[best],
        .index = best,
        .generations = generations,
        .evaluations = p->population * (generations + 1),
    };
}

void EVOLVE(const struct diffevo_problem *p, const float *data, void *memory, struct diffevo_result *result,
            float *best_x)
{
    size_t stride = evolve_stride(p);
    struct evolution e = {
        .p = p,
        .evaluate = evaluators[p->function],
        .shift = data + p->shift,
        .rotation = p->rotation == DIFFEVO_NO_ROTATION ? NULL : data + p->rotation,
        .x = memory,
        .next = (float *)memory + p->dimension * stride,
        .value = (float *)memory + 2 * p->dimension * stride,
        .stride = stride,
    };

    for (uint32_t j = 0; j < p->dimension; j++)
        e.factor[j] = de_griewank_factor(j);
    finish(&e, evolve(&e), result, best_x);
}
