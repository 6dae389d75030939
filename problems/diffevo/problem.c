/*
 * problem.c - the problem diffevo: many optimisations by differential evolution at once.
 *
 * Linked into the host. Inputs are made in cases.c and laid out in input.h; the prescribed algorithm is carried out in
 * evolve.h and, plainly, plain.h; vectors of the open mode are judged by exact.h.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cases.h"
#include "evolve.h"
#include "exact.h"
#include "input.h"
#include "parts.h"
#include "plain.h"
#include "verify/base/parallel.h"

static size_t output_size(const struct blob *input) { return output_bytes(header_of(input)); }

static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    (void)answer;
    if (argc != 1)
        return error_usage(error, "FILE is needed, not %d arguments", argc);
    return diffevo_load(argv[0], input, error);
}

/* ------------------------------------------------------------------ answers */

/* In the prescribed mode the output itself. In the open mode nothing is known beforehand: the number of targets. */
static bool answer_alloc(const struct blob *input, struct blob *answer, struct error *error)
{
    if (!blob_alloc(answer, is_open(input) ? sizeof(uint64_t) : output_size(input), error))
        return false;
    if (is_open(input))
        *(uint64_t *)answer->data = header_of(input)->count;
    return true;
}

/* The problems of an input, which several processors solve. */
struct solving {
    const struct blob *input, *answer;
    enum diffevo_isa isa;
    atomic_bool failed; /* for want of memory */
};

static void solve(void *context, size_t k)
{
    struct solving *s = context;
    const struct diffevo_problem *p = &problems_of(s->input)[k];

    if (!diffevo_evolve(s->isa, p, data_of(s->input), &results_of(s->answer)[k], x_of(s->input, s->answer) + p->x))
        atomic_store(&s->failed, true);
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    struct solving solving = { .input = input, .answer = answer, .isa = diffevo_isa_best() };

    (void)secret;
    if (!answer_alloc(input, answer, error))
        return false;
    if (!is_open(input))
        parallel_run(header_of(input)->count, solve, &solving);
    return !atomic_load(&solving.failed) || error_toolkit(error, "out of memory for the reference answer");
}

static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    const struct diffevo_problem *p = problems_of(input);

    (void)secret;
    if (!answer_alloc(input, answer, error))
        return false;
    for (uint32_t k = 0; !is_open(input) && k < header_of(input)->count; k++)
        if (!diffevo_plain(&p[k], data_of(input), &results_of(answer)[k], x_of(input, answer) + p[k].x))
            return error_toolkit(error, "out of memory for the reference answer");
    return true;
}

/* The numbers are in the input, and before that in an array which grows to twice their size; the rest is less. */
static size_t footprint(const struct blob *input)
{
    return 4 * (input ? input->size + output_size(input) : DIFFEVO_DATA_MAX * sizeof(float));
}

/* The most evaluations that the prescribed algorithm makes. */
static double evaluations(const struct diffevo_problem *p) { return (double)p->population * (p->generations + 1.0); }

/* A coordinate costs about 40 operations, an entry of the rotation 2. */
static double plain_cost(const struct blob *input)
{
    const struct diffevo_problem *p = problems_of(input);
    double cost = 0;

    for (uint32_t k = 0; k < header_of(input)->count; k++)
        cost += evaluations(&p[k]) * p[k].dimension *
                (40 + (p[k].rotation == DIFFEVO_NO_ROTATION ? 0.0 : 2.0 * p[k].dimension)) * p[k].shifts;
    return cost;
}

/*
 * Instructions on 32 bits, a fused multiply-add being one. Prescribed: as many generations as the answer tells.
 *
 *   every trial              the block of random numbers that chooses its parents, without which it is not known: ten
 *                            rounds of two wide products and two three-way exclusive ors; and for the one coordinate
 *                            that always changes a difference and a multiply-add: 42
 *   every initial coordinate a quarter of a block, and the multiply-add; a difference and a multiply-add of its
 *                            function; in a rotated one D multiply-adds more: 13 + D
 *   every coordinate and value of the last population: the three exclusive ors and two products of its checksum: 5
 *
 * The rest depends on the crossover and on values: a sum may be broken off where it is worse, or go on where a trial
 * differs. Open: anything may be known of the functions, so one instruction a coordinate that is written. Shifts and
 * rotations may be shared by problems, and are not counted as bytes.
 */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    const struct diffevo_problem *p = problems_of(input);

    work->bytes = (double)header_of(input)->count * sizeof *p + (double)output_size(input);
    for (uint32_t k = 0; k < header_of(input)->count; k++) {
        double np = p[k].population, d = p[k].dimension;

        if (is_open(input))
            work->operations += d;
        else
            work->operations += np * results_of(answer)[k].generations * 42 + np * (d + 1) * 5 +
                                np * d * (13 + (p[k].rotation == DIFFEVO_NO_ROTATION ? 0 : d));
    }
}

/* ------------------------------------------------------------------ checking */

/* The words that a detail begins with. */
static int describe_problem(const struct blob *input, uint32_t k, char *text, size_t size)
{
    const struct diffevo_problem *p = &problems_of(input)[k];

    return snprintf(text, size, "gave problem %u (%s, D = %u, NP = %u)", k, diffevo_function_names[p->function],
                    p->dimension, p->population);
}

static bool same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

static enum check_result check_prescribed(const struct blob *input, const struct blob *answer,
                                          const struct blob *output, struct finding *finding)
{
    const struct diffevo_problem *p = problems_of(input);
    char name[96];

    if (memcmp(answer->data, output->data, answer->size) == 0)
        return CHECK_RIGHT;
    for (uint32_t k = 0; k < header_of(input)->count; k++) {
        struct diffevo_result right = results_of(answer)[k], given = results_of(output)[k];
        const float *right_x = x_of(input, answer) + p[k].x, *given_x = x_of(input, output) + p[k].x;

        describe_problem(input, k, name, sizeof name);
        if (given.generations != right.generations)
            return found_wrong(finding, REASON_VALUE, "%s %u generations where %u are right", name, given.generations,
                               right.generations);
        if (!same_float(given.best, right.best) || given.index != right.index)
            return found_wrong(finding, REASON_VALUE,
                               "%s the best value %.9g, individual %u, where %.9g, individual %u, is right", name,
                               given.best, given.index, right.best, right.index);
        if (given.evaluations != right.evaluations)
            return found_wrong(finding, REASON_VALUE, "%s %u evaluations where %u are right", name, given.evaluations,
                               right.evaluations);
        if (given.checksum != right.checksum)
            return found_wrong(finding, REASON_VALUE, "%s the checksum %016" PRIx64 " where %016" PRIx64 " is right",
                               name, given.checksum, right.checksum);
        for (uint32_t j = 0; j < p[k].dimension; j++)
            if (!same_float(given_x[j], right_x[j]))
                return found_wrong(finding, REASON_VALUE, "%s best_x[%u] = %.9g where %.9g is right", name, j,
                                   given_x[j], right_x[j]);
    }
    return found_wrong(finding, REASON_VALUE, "the output differs from the right one");
}

/* Whether a vector is within the bounds, and the function at most the target there: CHECK_RIGHT, or what is wrong. */
static enum check_result check_vector(const struct blob *input, uint32_t k, const float *x, struct finding *finding)
{
    const struct diffevo_problem *p = &problems_of(input)[k];
    char name[96];
    double value;

    describe_problem(input, k, name, sizeof name);
    for (uint32_t j = 0; j < p->dimension; j++) {
        if (!(x[j] >= p->low && x[j] <= p->high))
            return found_wrong(finding, REASON_BOUNDS, "%s x[%u] = %.9g, which is not from %.9g to %.9g", name, j, x[j],
                               p->low, p->high);
    }
    value = diffevo_exact_value(p, data_of(input), x);
    if (value <= p->target)
        return CHECK_RIGHT;
    return found_wrong(finding, REASON_TARGET, "%s a vector of value %.9g, above its target %.9g", name, value,
                       p->target);
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    enum check_result result = CHECK_RIGHT;

    if (output->size != output_size(input)) {
        snprintf(finding->detail, sizeof finding->detail, "answered %zu bytes where %zu are right", output->size,
                 output_size(input));
        return CHECK_FAILED;
    }
    if (!is_open(input))
        return check_prescribed(input, answer, output, finding);
    for (uint32_t k = 0; k < header_of(input)->count && result == CHECK_RIGHT; k++)
        result = check_vector(input, k, x_of(input, output) + problems_of(input)[k].x, finding);
    return result;
}

/* ------------------------------------------------------------------ words */

static size_t reached_targets(const struct blob *input, const struct blob *output)
{
    struct finding ignored;
    size_t reached = 0;

    for (uint32_t k = 0; k < header_of(input)->count; k++)
        reached += check_vector(input, k, x_of(input, output) + problems_of(input)[k].x, &ignored) == CHECK_RIGHT;
    return reached;
}

/* One number of all bytes: FNV-1a, 64 bits (Fowler, Noll and Vo). */
static uint64_t digest(const struct blob *blob)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    for (size_t i = 0; i < blob->size; i++)
        hash = (hash ^ blob->data[i]) * 0x100000001b3ull;
    return hash;
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    if (is_open(input))
        snprintf(text, size, "%u/%u", header_of(input)->count, header_of(input)->count);
    else
        snprintf(text, size, "%016" PRIx64, digest(answer));
}

static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    if (is_open(input))
        snprintf(text, size, "%zu/%u", reached_targets(input, output), header_of(input)->count);
    else
        snprintf(text, size, "%016" PRIx64, digest(output));
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    const struct diffevo_problem *p = problems_of(input);
    uint32_t count = header_of(input)->count, low = DIFFEVO_DIMENSION_MAX, high = 0;
    double all = 0;
    char text[64];

    for (uint32_t k = 0; k < count; k++) {
        low = p[k].dimension < low ? p[k].dimension : low;
        high = p[k].dimension > high ? p[k].dimension : high;
        all += is_open(input) ? 0 : results_of(answer)[k].evaluations;
    }
    show_answer(input, answer, text, sizeof text);
    fprintf(file, "answer = %s\nproblems = %u\n", text, count);
    fprintf(file, low == high ? "dimension = %u\n" : "dimension = %u to %u\n", low, high);
    if (is_open(input))
        fprintf(file, "first target = %.9g\n", p->target);
    else
        fprintf(file, "evaluations = %.0f\nfirst best = %.9g\n", all, results_of(answer)->best);
}

const struct problem problem_diffevo = {
    .name = "diffevo",
    .alias = NULL,
    .input_usage = "FILE",
    .generate = diffevo_generate,
    .load = load,
    .reference = reference,
    .reference_plain = reference_plain,
    .plain_cost = plain_cost,
    .output_size = output_size,
    .footprint = footprint,
    .work = work,
    .check = check,
    .describe = describe,
    .show_answer = show_answer,
    .show_output = show_output,
};
