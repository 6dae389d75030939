/*
 * cases.c - makes the inputs of the problem diffevo. See cases.h.
 *
 *   KIND COUNT [d=D] [np=NP] [g=G] [f=F] [cr=CR] [target=T] [rotated=0|1] [mode=open] [seed=S]
 *
 * KIND is a function's name: COUNT problems of that shape, which differ in seed, shift and rotation. Or it is `mixed`:
 * then D is drawn from 2 to d, G from 0 to g, and all else from all there is; half of the problems have a target, and
 * half a rotation if that is asked for. One target in eight is a value that the best individual has on the way: there
 * `less` and `at most` differ. Small problems end on plateaus of equal values.
 *
 * Open problems have two shifts, which may be out of the bounds, so that the input does not tell where the optimum is,
 * nor what value it has. The target is what the prescribed algorithm finds from seeds that are not told. Of two spheres
 * the optimum is the middle of both shifts, and near it for Griewank's function, whose cosines are small beside its
 * parabola: `mixed` has neither in open problems. Of the others, problems are drawn again whose target the middle or a
 * shift itself reaches: open_is_given_away().
 */
#include "cases.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "evolve.h"
#include "exact.h"
#include "verify/base/parallel.h"

const char *const diffevo_function_names[DIFFEVO_FUNCTIONS] = {
    "sphere", "rosenbrock", "rastrigin", "ackley", "griewank", "schwefel",
};

enum { STREAM_PROBLEMS = 1, STREAM_SHIFTS, STREAM_ROTATIONS, STREAM_TARGETS, STREAM_DIMENSIONS };

/* Runs that set an open target; times that an open problem is drawn at most. */
enum { TARGET_RUNS = 5, OPEN_DRAWS = 20 };

/* What is usual for a function. */
static const struct {
    float bound;        /* coordinates are from -bound to bound */
    double level;       /* about the value of a random vector, a dimension */
    double crossover;   /* CR that suits it when it is not rotated */
} usual[DIFFEVO_FUNCTIONS] = {
    [DIFFEVO_SPHERE] = { 100, 5000, 0.9 },    [DIFFEVO_ROSENBROCK] = { 30, 2e7, 0.9 },
    [DIFFEVO_RASTRIGIN] = { 5.12f, 30, 0.1 }, [DIFFEVO_ACKLEY] = { 32, 0.7, 0.9 },
    [DIFFEVO_GRIEWANK] = { 600, 30, 0.3 },    [DIFFEVO_SCHWEFEL] = { 500, 600, 0.1 },
};

/* An input in the making. */
struct builder {
    struct diffevo_input header;
    struct diffevo_problem *problems; /* [header.count] */
    float *data;                      /* [header.data_count] */
    size_t data_room;                 /* floats that fit in data */
};

/* What a line asks for. */
struct wish {
    int function;         /* DIFFEVO_FUNCTIONS for mixed */
    uint64_t count, dimension, population, generations, rotated;
    double weight, crossover, target; /* crossover below 0: the usual; target NAN: none */
    uint32_t mode;
};

static void builder_release(struct builder *builder)
{
    free(builder->problems);
    free(builder->data);
}

/* ------------------------------------------------------------------ a line */

static bool real_option(const struct arguments *arguments, const char *key, double fallback, double low, double high,
                        double *number, struct error *error)
{
    const char *text = arguments_option(arguments, key, NULL);
    char *end;

    *number = fallback;
    if (!text)
        return true;
    if (strspn(text, "0123456789.e-") == strlen(text)) {
        *number = strtod(text, &end);
        if (end != text && *end == '\0' && *number >= low && *number <= high)
            return true;
    }
    return error_usage(error, "%s=%s: a number from %g to %g is needed", key, text, low, high);
}

static bool parse_wish(const struct arguments *arguments, struct wish *wish, struct error *error)
{
    static const char *const known[] = { "d", "np", "g", "f", "cr", "target", "rotated", "mode", NULL };
    const char *mode = arguments_option(arguments, "mode", "prescribed");
    uint64_t d;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 2)
        return error_usage(error, "a case needs KIND COUNT, not %zu words", arguments->word_count);
    for (wish->function = 0; wish->function < DIFFEVO_FUNCTIONS; wish->function++)
        if (strcmp(arguments->words[0], diffevo_function_names[wish->function]) == 0)
            break;
    if (wish->function == DIFFEVO_FUNCTIONS && strcmp(arguments->words[0], "mixed") != 0)
        return error_usage(error, "unknown kind of case '%s': use sphere, rosenbrock, rastrigin, ackley, griewank, "
                                  "schwefel or mixed",
                           arguments->words[0]);
    if (strcmp(mode, "open") != 0 && strcmp(mode, "prescribed") != 0)
        return error_usage(error, "unknown mode '%s': use open or prescribed", mode);
    wish->mode = strcmp(mode, "open") == 0 ? DIFFEVO_OPEN : DIFFEVO_PRESCRIBED;
    if (!parse_number(arguments->words[1], "COUNT", 1, DIFFEVO_COUNT_MAX, &wish->count, error) ||
        !arguments_number(arguments, "d", 30, DIFFEVO_DIMENSION_MIN, DIFFEVO_DIMENSION_MAX, &d, error) ||
        !arguments_number(arguments, "np", DIFFEVO_POPULATION_MIN * d, DIFFEVO_POPULATION_MIN * d,
                          DIFFEVO_POPULATION_MAX * d, &wish->population, error) ||
        !arguments_number(arguments, "g", 100, 0, DIFFEVO_GENERATIONS_MAX, &wish->generations, error) ||
        !arguments_number(arguments, "rotated", 0, 0, 1, &wish->rotated, error) ||
        !real_option(arguments, "f", 0.5, DIFFEVO_WEIGHT_MIN, DIFFEVO_WEIGHT_MAX, &wish->weight, error) ||
        !real_option(arguments, "cr", -1, 0, 1, &wish->crossover, error) ||
        !real_option(arguments, "target", NAN, DIFFEVO_TARGET_MIN, DIFFEVO_TARGET_MAX, &wish->target, error))
        return false;
    wish->dimension = d;
    if (wish->function == DIFFEVO_FUNCTIONS && (arguments_option(arguments, "np", NULL) ||
                                                arguments_option(arguments, "f", NULL) ||
                                                arguments_option(arguments, "cr", NULL) ||
                                                arguments_option(arguments, "target", NULL)))
        return error_usage(error, "np, f, cr and target are drawn in a mixed case, and cannot be given");
    if (wish->mode == DIFFEVO_OPEN && !isnan(wish->target))
        return error_usage(error, "targets are found, and cannot be given, in the mode open");
    return true;
}

/* ------------------------------------------------------------------ problems */

/* In [0, 1), in 2^-32 steps. */
static double uniform(struct random_stream *stream) { return random_u32(stream) / 4294967296.0; }

/* Whether a formula of its two shifts gives an open problem's optimum, or a point as good. */
static bool has_open_formula(uint32_t function) { return function == DIFFEVO_SPHERE || function == DIFFEVO_GRIEWANK; }

/* Fills in all but seed, x and data. */
static void make_shape(const struct wish *wish, struct random_stream *dimensions, struct random_stream *stream,
                       struct diffevo_problem *p, bool *rotated)
{
    bool open = wish->mode == DIFFEVO_OPEN;
    double target = wish->target;

    *rotated = wish->rotated != 0;
    p->function = (uint32_t)wish->function;
    p->dimension = (uint32_t)wish->dimension;
    p->population = (uint32_t)wish->population;
    p->generations = (uint32_t)wish->generations;
    p->weight = (float)wish->weight;
    if (wish->function == DIFFEVO_FUNCTIONS) {
        do
            p->function = random_below(stream, DIFFEVO_FUNCTIONS);
        while (open && has_open_formula(p->function));
        *rotated = *rotated && random_below(stream, 2) == 0;
        p->dimension = 2 + random_below(dimensions, (uint32_t)wish->dimension - 1);
        p->population = (open ? 10 : 5) * p->dimension + (open ? 0 : random_below(stream, 5 * p->dimension + 1));
        if (!open) {
            p->generations = random_below(stream, (uint32_t)wish->generations + 1);
            p->weight = (float)(8 + random_below(stream, 57)) / 64.0f;
        }
    }
    p->crossover = (uint32_t)((wish->crossover < 0 ? usual[p->function].crossover : wish->crossover) *
                              DIFFEVO_CROSSOVER_ONE);
    p->high = usual[p->function].bound;
    p->low = -p->high;
    if (wish->function == DIFFEVO_FUNCTIONS && !open) {
        uint32_t end = random_below(stream, 16); /* 0 and 1: CR is 0 or 1 */

        p->crossover = end < 2 ? end * DIFFEVO_CROSSOVER_ONE : random_below(stream, DIFFEVO_CROSSOVER_ONE + 1);
        p->low *= (float)(8 + random_below(stream, 9)) / 16.0f;
        p->high *= (float)(8 + random_below(stream, 9)) / 16.0f;
        if (random_below(stream, 2) == 0)
            target = ldexp(usual[p->function].level * p->dimension, -(int)random_below(stream, 12));
    }
    p->target = isnan(target) ? -FLT_MAX : (float)target;
}

/* Appends `count` floats to the data; NULL, with an error, when there are too many. */
static float *append(struct builder *builder, size_t count, struct error *error)
{
    size_t used = builder->header.data_count, room = builder->data_room;

    if (used + count > DIFFEVO_DATA_MAX) {
        error_usage(error, "the shifts and rotations have more than 2^24 numbers: take fewer problems, or a smaller d");
        return NULL;
    }
    if (used + count > room) {
        float *data;

        while (room < used + count)
            room = room ? 2 * room : 4096;
        data = realloc(builder->data, room * sizeof *data);
        if (!data) {
            error_toolkit(error, "out of memory for an input");
            return NULL;
        }
        builder->data = data;
        builder->data_room = room;
    }
    builder->header.data_count += (uint32_t)count;
    return builder->data + used;
}

/* A random rotation: rows of about normal numbers, each made perpendicular to those before (Gram and Schmidt). */
static void make_rotation(struct random_stream *stream, uint32_t dimension, float *rotation)
{
    static const double flat = 1e-6; /* a row of which less is left is drawn again */
    double rows[DIFFEVO_DIMENSION_MAX][DIFFEVO_DIMENSION_MAX];

    for (uint32_t i = 0; i < dimension;) {
        double norm = 0;

        for (uint32_t j = 0; j < dimension; j++)
            rows[i][j] = uniform(stream) + uniform(stream) + uniform(stream) + uniform(stream) - 2;
        for (uint32_t k = 0; k < i; k++) {
            double dot = 0;

            for (uint32_t j = 0; j < dimension; j++)
                dot += rows[i][j] * rows[k][j];
            for (uint32_t j = 0; j < dimension; j++)
                rows[i][j] -= dot * rows[k][j];
        }
        for (uint32_t j = 0; j < dimension; j++)
            norm += rows[i][j] * rows[i][j];
        if (norm < flat)
            continue;
        norm = sqrt(norm);
        for (uint32_t j = 0; j < dimension; j++) {
            rows[i][j] /= norm;
            rotation[(size_t)i * dimension + j] = (float)rows[i][j];
        }
        i++;
    }
}

/* The runs that set one target, on several processors. */
struct target_runs {
    const float *data;
    struct diffevo_problem problems[TARGET_RUNS]; /* one problem from several seeds */
    bool ok[TARGET_RUNS]; /* else memory is exhausted */
    _Atomic float worst;  /* the largest value that a run has ended with; at least 0 */
};

/* A run's best value never rises, so once it is at most the worst of the others the rest of the run changes nothing. */
static void run_for_target(void *context, size_t i)
{
    struct target_runs *runs = context;
    struct diffevo_problem *p = &runs->problems[i];
    float worst = runs->worst, x[DIFFEVO_DIMENSION_MAX];
    struct diffevo_result result;

    p->target = fmaxf(p->target, worst);
    runs->ok[i] = diffevo_evolve(diffevo_isa_best(), p, runs->data, &result, x);
    while (runs->ok[i] && result.best > worst && !atomic_compare_exchange_weak(&runs->worst, &worst, result.best))
        ;
}

/*
 * Sets an open problem's target by runs from other seeds. The worst of them counts: of a function with many valleys one
 * run may find a value that others hardly find. Whatever the function, all of m more runs are worse than it with a
 * chance of at most 1 / C(m + TARGET_RUNS, m); that is 1 in 53130 for m = 20.
 */
static bool find_target(struct diffevo_problem *problem, const float *data, struct random_stream *stream,
                        struct error *error)
{
    struct target_runs runs = { .data = data };

    for (int run = 0; run < TARGET_RUNS; run++) {
        runs.problems[run] = *problem;
        runs.problems[run].seed[0] = random_u32(stream);
        runs.problems[run].seed[1] = random_u32(stream);
    }
    parallel_run(TARGET_RUNS, run_for_target, &runs);
    for (int run = 0; run < TARGET_RUNS; run++)
        if (!runs.ok[run])
            return error_toolkit(error, "out of memory for an input");
    problem->target = 1.001f * runs.worst;
    return true;
}

/* Whether an open problem's target is reached without a search: by the shifts' middle or by either shift. */
static bool open_is_given_away(const struct diffevo_problem *p, const float *data)
{
    const float *first = data + p->shift, *second = first + p->dimension;
    float x[DIFFEVO_DIMENSION_MAX];

    for (int part = 0; part <= 2; part++) {
        for (uint32_t j = 0; j < p->dimension; j++)
            x[j] = fminf(fmaxf(first[j] + (float)part * 0.5f * (second[j] - first[j]), p->low), p->high);
        if (diffevo_exact_value(p, data, x) <= p->target)
            return true;
    }
    return false;
}

/* Sets a mixed problem's target, once in eight times, to a value that it reaches exactly. */
static bool meet_target(struct diffevo_problem *problem, const float *data, struct random_stream *stream,
                        struct error *error)
{
    struct diffevo_problem p = *problem;
    struct diffevo_result result;
    float x[DIFFEVO_DIMENSION_MAX];

    if (problem->target == -FLT_MAX || random_below(stream, 8) != 0)
        return true;
    p.generations = random_below(stream, p.generations + 1);
    p.target = -FLT_MAX;
    if (!diffevo_evolve(diffevo_isa_best(), &p, data, &result, x))
        return error_toolkit(error, "out of memory for an input");
    problem->target = result.best;
    return true;
}

static void draw_shifts(const struct diffevo_problem *p, struct random_stream *stream, float *shifts)
{
    const double edge = p->shifts == 2 ? -0.25 : 0.1; /* where they begin and end: of the bounds' distance, inwards */

    for (uint32_t j = 0; j < p->shifts * p->dimension; j++)
        shifts[j] = (float)(p->low + (edge + (1 - 2 * edge) * uniform(stream)) * ((double)p->high - p->low));
}

/* Appends a line's problems. */
static bool builder_add(struct builder *builder, const struct wish *wish, const struct random_key *key,
                        struct error *error)
{
    struct random_stream shapes = random_stream(key, STREAM_PROBLEMS), shifts = random_stream(key, STREAM_SHIFTS);
    struct random_stream rotations = random_stream(key, STREAM_ROTATIONS), targets = random_stream(key, STREAM_TARGETS);
    /*
     * What output sizes and the work depend on is the case's alone: the calls of a case have outputs of one size, and
     * times are compared over inputs that take alike. Of seed 0 `alike` and `shapes` are the same stream.
     */
    struct random_key case_key = { .case_seed = key->case_seed };
    struct random_stream dimensions = random_stream(&case_key, STREAM_DIMENSIONS);
    struct random_stream alike = random_stream(&case_key, STREAM_PROBLEMS);
    bool open = wish->mode == DIFFEVO_OPEN;
    size_t count = builder->header.count + wish->count;
    struct diffevo_problem *p;

    if (count > DIFFEVO_COUNT_MAX)
        return error_usage(error, "%zu problems: at most %d are allowed", count, DIFFEVO_COUNT_MAX);
    if (builder->header.count > 0 && builder->header.mode != wish->mode)
        return error_usage(error, "all problems must have the same mode");
    p = realloc(builder->problems, count * sizeof *p);
    if (!p)
        return error_toolkit(error, "out of memory for an input");
    builder->problems = p;
    builder->header.mode = wish->mode;
    for (; builder->header.count < count; builder->header.count++) {
        struct random_stream same = dimensions;
        bool rotated;
        float *numbers;

        p = &builder->problems[builder->header.count];
        make_shape(wish, &same, &shapes, p, &rotated); /* drawn, and replaced: the seeds stand behind it */
        make_shape(wish, &dimensions, &alike, p, &rotated);
        p->seed[0] = random_u32(&shapes);
        p->seed[1] = random_u32(&shapes);
        random_u32(&alike);
        random_u32(&alike);
        p->x = builder->header.x_count;
        builder->header.x_count += p->dimension;
        p->shift = builder->header.data_count;
        p->shifts = open ? 2 : 1;
        numbers = append(builder, p->shifts * p->dimension, error);
        if (!numbers)
            return false;
        draw_shifts(p, &shifts, numbers);
        p->rotation = rotated ? builder->header.data_count : DIFFEVO_NO_ROTATION;
        if (rotated) {
            numbers = append(builder, (size_t)p->dimension * p->dimension, error);
            if (!numbers)
                return false;
            make_rotation(&rotations, p->dimension, numbers);
        }
        if (wish->function == DIFFEVO_FUNCTIONS && !open && !meet_target(p, builder->data, &targets, error))
            return false;
        for (int draw = 1; open; draw++) {
            if (!find_target(p, builder->data, &targets, error))
                return false;
            if (draw == OPEN_DRAWS || has_open_formula(p->function) || !open_is_given_away(p, builder->data))
                break;
            draw_shifts(p, &shifts, builder->data + p->shift);
        }
    }
    return true;
}

static bool builder_finish(const struct builder *builder, struct blob *input, struct error *error)
{
    const struct diffevo_input *header = &builder->header;
    size_t data_offset = input_data_offset(header->count);

    if (!blob_alloc(input, data_offset + header->data_count * sizeof(float), error))
        return false;
    memcpy(input->data, header, sizeof *header);
    memcpy(input->data + PROBLEMS_OFFSET, builder->problems, header->count * sizeof(struct diffevo_problem));
    memcpy(input->data + data_offset, builder->data, header->data_count * sizeof(float));
    return true;
}

bool diffevo_generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                      struct error *error)
{
    struct builder builder = { .problems = NULL };
    struct wish wish;
    bool ok = parse_wish(arguments, &wish, error) && builder_add(&builder, &wish, key, error) &&
              builder_finish(&builder, input, error);

    builder_release(&builder);
    return ok;
}

/* ------------------------------------------------------------------ files */

static bool add_line(struct builder *builder, const char *line, struct error *error)
{
    struct arguments arguments;
    struct random_key key = { .seed = 0 };
    struct wish wish;
    uint64_t seed;

    if (!arguments_parse(&arguments, line, error) ||
        !arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, error) || !parse_wish(&arguments, &wish, error))
        return false;
    key.case_seed = (uint32_t)seed;
    return builder_add(builder, &wish, &key, error);
}

bool diffevo_load(const char *path, struct blob *input, struct error *error)
{
    struct blob text = { 0 };
    struct builder builder = { .problems = NULL };
    struct error reason;
    size_t start = 0, number = 0;
    bool ok = false;

    if (!blob_read_file(&text, path, 1 << 24, error))
        return false;
    while (start < text.size) {
        const char *line = (const char *)text.data + start;
        const char *end = memchr(line, '\n', text.size - start);
        size_t length = end ? (size_t)(end - line) : text.size - start;
        char copy[ARGUMENTS_TEXT];

        start += length + 1;
        number++;
        if (length >= sizeof copy || memchr(line, '\0', length)) {
            error_usage(error, "file '%.200s', line %zu: too long, or with a zero byte", path, number);
            goto out;
        }
        memcpy(copy, line, length);
        copy[length] = '\0';
        if (!add_line(&builder, copy, &reason)) {
            if (reason.code == EXIT_USAGE)
                error_usage(error, "file '%.150s', line %zu: %.300s", path, number, reason.text);
            else
                *error = reason;
            goto out;
        }
    }
    ok = builder.header.count > 0 ? builder_finish(&builder, input, error)
                                  : error_usage(error, "file '%s' has no line", path);
out:
    builder_release(&builder);
    blob_release(&text);
    return ok;
}
