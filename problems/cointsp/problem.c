/*
 * problem.c - the problem cointsp: COIN, a generator of tours that learns from good and from bad ones, on the
 * travelling salesman problem; prescribed to the bit, or open: any tour that is short enough.
 *
 * Linked into the host. The layout of inputs and outputs is in input.h, the algorithm in coin.h.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "coin.h"
#include "include/cointsp_bits.h"
#include "input.h"
#include "instances.h"
#include "opt.h"
#include "parts.h"
#include "tsplib.h"
#include "verify/base/parallel.h"

/* An input for `count` instances, which take `size` bytes together. */
static bool input_alloc(struct blob *input, uint32_t count, size_t size, uint32_t salt, struct error *error)
{
    if (!blob_alloc(input, COINTSP_ALIGNMENT + size, error))
        return false;
    *header_of(input) = (struct cointsp_input){ count, salt };
    return true;
}

/* ------------------------------------------------------------------ generator */

enum { STREAM_NUMBERS = 1, STREAM_DISTANCES, STREAM_SHAPES };

/* k and the cap in thousandths, as in a case's line. */
struct parameters {
    uint64_t percent, k, cap;
};

static bool check_cap(uint32_t n, uint64_t cap, struct error *error)
{
    return cap * (n - 1) >= COINTSP_THOUSANDTHS ||
           error_usage(error, "a cap of %ju thousandths is below 1 / (n - 1), where the generator of %u cities starts",
                       (uintmax_t)cap, n);
}

/*
 * Whether a draw of the first generation falls on a boundary, and the float32 nearest to it below. All cells are alike
 * there, h, so that the thresholds do not depend on the walk: t = m h, the sum of the first m cities, for which `at
 * least t` and `above t` differ, and which float32 rounds down into the city before.
 */
static bool draws_a_boundary(const struct cointsp_case *c)
{
    const uint32_t h = COINTSP_ONE / (c->n - 1);
    uint32_t words[4];

    for (uint32_t p = 0; p < c->population; p++)
        for (uint32_t s = 1; s < c->n - 1; s++) {
            uint32_t t;

            if (s == 1 || s % 4 == 0)
                cointsp_random_block(c->key, 0, p, s / 4, words);
            t = cointsp_scale(words[s % 4], h * (c->n - s));
            if (t > 0 && t % h == 0 && (double)(float)t < (double)t)
                return true;
        }
    return false;
}

/* Keys that several processors look at. */
enum { KEYS_AT_A_TIME = 32 };

struct keys {
    struct cointsp_case cases[KEYS_AT_A_TIME]; /* which differ in their keys */
    bool found[KEYS_AT_A_TIME];
};

static void look_at_key(void *context, size_t i)
{
    struct keys *keys = context;

    keys->found[i] = draws_a_boundary(&keys->cases[i]);
}

/*
 * The key of a case: the first that draws a boundary, of those that one processor can look at in some 2 s, or the last
 * of them.
 */
static void draw_key(struct cointsp_case *c, struct random_stream *numbers)
{
    const uint32_t quick = 96; /* cities: a boundary in 2 * 2^30 / 95 draws, on average */
    const uint64_t most = (uint64_t)1 << 29; /* draws */
    const uint64_t each = (uint64_t)c->population * c->n;
    struct keys keys;
    size_t count = 0;

    for (uint64_t draws = 0; draws < most; draws += count * each) {
        for (count = 0; count < KEYS_AT_A_TIME && draws + count * each < most; count++) {
            c->key[0] = random_u32(numbers);
            c->key[1] = random_u32(numbers);
            if (c->n < quick)
                return;
            keys.cases[count] = *c;
        }
        parallel_run(count, look_at_key, &keys);
        for (size_t i = 0; i < count; i++)
            if (keys.found[i]) {
                *c = keys.cases[i];
                return;
            }
    }
}

/* KIND N of the words from `from` on. */
static bool take_kind(const struct arguments *arguments, size_t from, enum cointsp_kind *kind, uint64_t *n,
                      struct error *error)
{
    *kind = cointsp_kind_find(arguments->words[from]);
    if (*kind == COINTSP_KINDS)
        return error_usage(error, "unknown kind of instance '%s': use " COINTSP_KIND_NAMES, arguments->words[from]);
    return parse_number(arguments->words[from + 1], "N", COINTSP_CITIES_MIN, COINTSP_CITIES_MAX, n, error);
}

/* prescribed KIND N P G [c=PERCENT] [k=THOUSANDTHS] [cap=THOUSANDTHS] */
static bool generate_prescribed(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                                struct error *error)
{
    static const char *const known[] = { "c", "k", "cap", NULL };
    struct random_stream numbers = random_stream(key, STREAM_NUMBERS), distances = random_stream(key, STREAM_DISTANCES);
    struct cointsp_case c = { .mode = COINTSP_PRESCRIBED };
    uint64_t n, population, generations;
    struct parameters parameters;
    enum cointsp_kind kind;
    struct instance i;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 5)
        return error_usage(error, "a prescribed case needs KIND N P G, not %zu words", arguments->word_count - 1);
    if (!take_kind(arguments, 1, &kind, &n, error) ||
        !parse_number(arguments->words[3], "P", COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX, &population, error) ||
        !parse_number(arguments->words[4], "G", 1, COINTSP_GENERATIONS_MAX, &generations, error) ||
        !arguments_number(arguments, "c", COINTSP_PERCENT_DEFAULT, 1, COINTSP_PERCENT_MAX, &parameters.percent,
                          error) ||
        !arguments_number(arguments, "k", COINTSP_K_DEFAULT, 1, COINTSP_THOUSANDTHS, &parameters.k, error) ||
        !arguments_number(arguments, "cap", COINTSP_CAP_DEFAULT, 1, COINTSP_THOUSANDTHS, &parameters.cap, error) ||
        !check_cap((uint32_t)n, parameters.cap, error))
        return false;
    c.n = (uint32_t)n;
    c.population = (uint32_t)population;
    c.generations = (uint32_t)generations;
    cointsp_parameters(&c, (uint32_t)parameters.percent, (uint32_t)parameters.k, (uint32_t)parameters.cap);
    if (!input_alloc(input, 1, cointsp_instance_size(&c), random_u32(&numbers), error))
        return false;
    draw_key(&c, &numbers);
    i = first_of(input);
    *i.c = c;
    cointsp_make(kind, c.n, &distances, i.distance);
    return true;
}

/* open KIND N [target=PERCENT]: the target is that much above the length of cointsp_opt()'s tour. */
static bool generate_open(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                          struct error *error)
{
    static const char *const known[] = { "target", NULL };
    struct random_stream numbers = random_stream(key, STREAM_NUMBERS), distances = random_stream(key, STREAM_DISTANCES);
    struct cointsp_case c = { .mode = COINTSP_OPEN };
    int32_t tour[COINTSP_CITIES_MAX];
    enum cointsp_kind kind;
    uint64_t n, percent;
    int64_t length;
    struct instance i;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 3)
        return error_usage(error, "an open case needs KIND N, not %zu words", arguments->word_count - 1);
    if (!take_kind(arguments, 1, &kind, &n, error) ||
        !arguments_number(arguments, "target", 5, 0, COINTSP_TARGET_MAX, &percent, error))
        return false;
    c.n = (uint32_t)n;
    if (!input_alloc(input, 1, cointsp_instance_size(&c), random_u32(&numbers), error))
        return false;
    c.key[0] = random_u32(&numbers);
    c.key[1] = random_u32(&numbers);
    i = first_of(input);
    cointsp_make(kind, c.n, &distances, i.distance);
    if (!cointsp_opt(c.n, i.distance, tour, &length))
        return error_toolkit(error, "out of memory for the open league's target");
    c.target = (int32_t)(length * (int64_t)(100 + percent) / 100 < INT32_MAX ? length * (int64_t)(100 + percent) / 100
                                                                            : INT32_MAX);
    *i.c = c;
    return true;
}

/*
 * A small instance of a batch: all of it random, k evenly over its magnitudes. The size of the output depends on
 * `shapes` only; `numbers` gives the rest.
 */
static struct cointsp_case small_case(struct random_stream *shapes, struct random_stream *numbers)
{
    struct cointsp_case c = { .mode = COINTSP_PRESCRIBED };
    uint32_t percent, k, least, cap;

    c.n = 3 + random_below(shapes, 22);
    c.population = 8 + random_below(numbers, 57);
    c.generations = 1 + random_below(shapes, 8);
    percent = 1 + random_below(numbers, 50);
    k = 1 + random_below(numbers, 1u << random_below(numbers, 10));
    least = (1000 + c.n - 2) / (c.n - 1);
    cap = least + random_below(numbers, 1001 - least);
    c.key[0] = random_u32(numbers);
    c.key[1] = random_u32(numbers);
    cointsp_parameters(&c, percent, k, cap);
    return c;
}

/*
 * batch COUNT: small instances of all kinds but far ones. The calls of a case have outputs of one size: shapes are the
 * case's own.
 */
static bool generate_batch(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                           struct error *error)
{
    static const char *const known[] = { NULL };
    struct random_stream numbers = random_stream(key, STREAM_NUMBERS), distances = random_stream(key, STREAM_DISTANCES);
    const struct random_key case_key = { .case_seed = key->case_seed };
    struct random_stream shapes = random_stream(&case_key, STREAM_SHAPES);
    struct random_stream numbers_again = numbers, shapes_again = shapes;
    uint64_t count;
    size_t size = 0;
    struct instance i;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 2)
        return error_usage(error, "a batch needs COUNT, not %zu words", arguments->word_count - 1);
    if (!parse_number(arguments->words[1], "COUNT", 1, COINTSP_BATCH_MAX, &count, error))
        return false;
    for (uint64_t k = 0; k < count; k++) {
        struct cointsp_case c = small_case(&shapes, &numbers);

        size += cointsp_instance_size(&c);
    }
    if (!input_alloc(input, (uint32_t)count, size, random_u32(&numbers), error))
        return false;
    i = first_of(input);
    do {
        *i.c = small_case(&shapes_again, &numbers_again);
        cointsp_make((enum cointsp_kind)random_below(&distances, COINTSP_FAR), i.c->n, &distances, i.distance);
    } while (advance(input, &i));
    return true;
}

static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    const char *what = arguments->word_count > 0 ? arguments->words[0] : "";

    if (strcmp(what, "prescribed") == 0)
        return generate_prescribed(arguments, key, input, error);
    if (strcmp(what, "open") == 0)
        return generate_open(arguments, key, input, error);
    if (strcmp(what, "batch") == 0)
        return generate_batch(arguments, key, input, error);
    return error_usage(error, "unknown case '%s': use prescribed, open or batch", what);
}

/* ------------------------------------------------------------------ files */

/* FILE.tsp [P G C K SEED CAP], each with a default. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    static const struct {
        const char *name;
        uint64_t low, high;
    } known[] = {
        { "P", COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX }, { "G", 1, COINTSP_GENERATIONS_MAX },
        { "C", 1, COINTSP_PERCENT_MAX }, { "K", 1, COINTSP_THOUSANDTHS }, { "SEED", 0, UINT32_MAX },
        { "CAP", 1, COINTSP_THOUSANDTHS },
    };
    uint64_t numbers[] = { 500, 200, COINTSP_PERCENT_DEFAULT, COINTSP_K_DEFAULT, 1, COINTSP_CAP_DEFAULT };
    struct cointsp_case c = { .mode = COINTSP_PRESCRIBED };
    struct cointsp_tsplib instance = { 0 };
    struct blob file = { 0 };
    bool ok = false;

    (void)answer;
    if (argc < 1 || argc > 7)
        return error_usage(error, "FILE.tsp [P G C K SEED CAP] is needed, not %d arguments", argc);
    for (int a = 1; a < argc; a++)
        if (!parse_number(argv[a], known[a - 1].name, known[a - 1].low, known[a - 1].high, &numbers[a - 1], error))
            return false;
    if (!blob_read_file(&file, argv[0], 1 << 26, error) ||
        !cointsp_tsplib_parse(argv[0], (const char *)file.data, file.size, &instance, error) ||
        !check_cap(instance.n, numbers[5], error))
        goto out;
    c.n = instance.n;
    c.population = (uint32_t)numbers[0];
    c.generations = (uint32_t)numbers[1];
    c.key[0] = (uint32_t)numbers[4];
    cointsp_parameters(&c, (uint32_t)numbers[2], (uint32_t)numbers[3], (uint32_t)numbers[5]);
    if (!input_alloc(input, 1, cointsp_instance_size(&c), 0, error))
        goto out;
    *first_of(input).c = c;
    memcpy(first_of(input).distance, instance.distance, (size_t)c.n * c.n * sizeof *instance.distance);
    ok = true;
out:
    blob_release(&file);
    cointsp_tsplib_release(&instance);
    return ok;
}

/* ------------------------------------------------------------------ answers */

static size_t output_size(const struct blob *input)
{
    struct instance i = first_of(input);

    while (advance(input, &i))
        ;
    return i.result + cointsp_result_size(i.c);
}

/*
 * Instructions on 32 bits. Prescribed: every step of every tour finds a city and adds a distance; a random number is
 * needed only where a row leaves a choice, which is so at all steps but the last of the first generation: a quarter of
 * a block, which is ten rounds of two wide products and two three-way exclusive ors. Open: any tour will do that is
 * short enough. Of the distances those count that a step uses, at most those of the upper half: the matrix is
 * symmetric.
 */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    struct instance i = first_of(input);

    (void)answer;
    do {
        double n = i.c->n, tours = (double)i.c->population * i.c->generations;

        work->bytes += sizeof *i.c + i.c->generations * sizeof(struct cointsp_generation) + n * sizeof(int32_t) +
                       fmin(n * (n - 1) / 2, is_open(input) ? n : n * tours) * sizeof(int32_t);
        work->operations += is_open(input) ? n : 2 * n * tours + 10 * (n - 1) * i.c->population;
    } while (advance(input, &i));
}

typedef bool method(const struct cointsp_case *c, const int32_t *distance, struct cointsp_generation *generations,
                    int32_t *tour);

/* Prescribed: the output. Open: nothing is known but the target, which the input holds; a byte, as no blob is empty. */
static bool run(const struct blob *input, struct blob *answer, method *coin, struct error *error)
{
    struct instance i = first_of(input);

    if (!blob_alloc(answer, is_open(input) ? 1 : output_size(input), error))
        return false;
    if (is_open(input))
        return true;
    do {
        if (!coin(i.c, i.distance, generations_of(answer, &i), tour_of(answer, &i)))
            return error_toolkit(error, "out of memory for the reference answer");
    } while (advance(input, &i));
    return true;
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    (void)secret;
    return run(input, answer, cointsp_coin, error);
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    (void)secret;
    return run(input, answer, cointsp_coin_plain, error);
}

static double plain_cost(const struct blob *input)
{
    struct instance i = first_of(input);
    double cost = 0;

    do {
        double n = i.c->n, population = i.c->population;

        cost += i.c->generations * (population * (n * n + 20 * n + population) + 20 * n * n) + n * n;
    } while (advance(input, &i));
    return cost;
}

/* ------------------------------------------------------------------ checking */

/* The first thing in which one instance's result differs from the right one, in words; "" where nothing does. */
static void find_difference(const struct instance *i, const struct blob *answer, const struct blob *output, char *text,
                            size_t size)
{
    const struct cointsp_generation *right = generations_of(answer, i), *got = generations_of(output, i);
    uint32_t generations = i->c->generations;

    text[0] = '\0';
    for (uint32_t g = 0; g < generations; g++) {
        if (got[g].length != right[g].length)
            snprintf(text, size, "answered %" PRId64 " for the best length after generation %u of %u, where %" PRId64
                     " is right", got[g].length, g + 1, generations, right[g].length);
        else if (got[g].tour != right[g].tour)
            snprintf(text, size, "has another best tour after generation %u of %u, of the right length", g + 1,
                     generations);
        else if (got[g].generator != right[g].generator)
            snprintf(text, size, "has another generator H after generation %u of %u; its best tour is right", g + 1,
                     generations);
        else
            continue;
        return;
    }
    if (memcmp(tour_of(answer, i), tour_of(output, i), i->c->n * sizeof(int32_t)) != 0)
        snprintf(text, size, "gave another tour than the one whose checksum is right");
}

static enum check_result check_prescribed(const struct blob *input, const struct blob *answer,
                                          const struct blob *output, struct finding *finding)
{
    struct instance i = first_of(input);
    char what[160];

    do {
        find_difference(&i, answer, output, what, sizeof what);
        if (what[0] == '\0')
            continue;
        if (header_of(input)->count > 1)
            return found_wrong(finding, REASON_VALUE, "%s, in instance %u of %u", what, i.index + 1,
                               header_of(input)->count);
        return found_wrong(finding, REASON_VALUE, "%s", what);
    } while (advance(input, &i));
    return CHECK_RIGHT;
}

/* The closed length of any bytes taken as a tour; -1, with the reason in words, where they are none. */
static int64_t tour_length(const struct instance *i, const int32_t *tour, char *why, size_t size)
{
    bool seen[COINTSP_CITIES_MAX] = { false };

    for (uint32_t s = 0; s < i->c->n; s++) {
        int32_t city = tour[s];

        if (city < 0 || (uint32_t)city >= i->c->n)
            snprintf(why, size, "visits in tour[%u] %d, which is not a city", s, city);
        else if (seen[city])
            snprintf(why, size, "visits in tour[%u] city %d for the second time", s, city);
        else {
            seen[city] = true;
            continue;
        }
        return -1;
    }
    return cointsp_length(i->c->n, i->distance, tour);
}

static enum check_result check_open(const struct blob *input, const struct blob *output, struct finding *finding)
{
    struct instance i = first_of(input);
    char why[64];
    int64_t length = tour_length(&i, tour_of(output, &i), why, sizeof why);

    if (length < 0)
        return found_wrong(finding, REASON_INVALID, "%s", why);
    if (length > i.c->target)
        return found_wrong(finding, REASON_TARGET, "found a tour of length %" PRId64 ", where %d is the target", length,
                           i.c->target);
    return CHECK_RIGHT;
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    return is_open(input) ? check_open(input, output, finding) : check_prescribed(input, answer, output, finding);
}

/* ------------------------------------------------------------------ words */

/* LENGTH and the last generation's checksums; of a batch the sums over all instances. */
static void show_prescribed(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    uint64_t length = 0, generator = 0, tour = 0;
    struct instance i = first_of(input);

    do {
        const struct cointsp_generation *last = &generations_of(output, &i)[i.c->generations - 1];

        length += (uint64_t)last->length;
        generator += last->generator;
        tour += last->tour;
    } while (advance(input, &i));
    snprintf(text, size, "%" PRIu64 " %016" PRIx64 " %016" PRIx64, length, generator, tour);
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    if (is_open(input))
        snprintf(text, size, "at most %d", first_of(input).c->target);
    else
        show_prescribed(input, answer, text, size);
}

static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    struct instance i = first_of(input);
    char why[64];
    int64_t length;

    if (!is_open(input)) {
        show_prescribed(input, output, text, size);
        return;
    }
    length = tour_length(&i, tour_of(output, &i), why, sizeof why);
    if (length < 0)
        snprintf(text, size, "no tour");
    else
        snprintf(text, size, "%" PRId64, length);
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    const struct cointsp_case *c = first_of(input).c;
    char text[64];

    show_answer(input, answer, text, sizeof text);
    fprintf(file, "answer = %s\n", text);
    if (header_of(input)->count > 1)
        fprintf(file, "instances = %u\n", header_of(input)->count);
    else if (is_open(input))
        fprintf(file, "cities = %u\n", c->n);
    else
        fprintf(file, "cities = %u\npopulation = %u\ngenerations = %u\nselected = %u\n", c->n, c->population,
                c->generations, c->selected);
}

const struct problem problem_cointsp = {
    .name = "cointsp",
    .alias = NULL,
    .input_usage = "FILE.tsp [P G C K SEED CAP]",
    .generate = generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference_plain,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .work = work,
    .check = check,
    .describe = describe,
    .show_answer = show_answer,
    .show_output = show_output,
};
