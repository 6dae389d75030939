/*
 * test_prepare.c - inputs and answers made several at a time: each call gets its own, in order.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "problems/problem.h"
#include "unit.h"
#include "problems/prepare.h"
#include "verify/base/parallel.h"
#include "verify/result/seeds.h"

enum { CALLS = 50, CASES = 70, BAD = 1000 };

static atomic_int working, most_working, generating, most_generating, made;
static size_t output_bytes = 64;
static uint32_t fails_at = BAD, fails_in = BAD;
static atomic_int failures_left;
static long generator_ns, reference_ns; /* what both take */

static void meet(atomic_int *now, atomic_int *most, long ns)
{
    int here = ++*now;

    if (here > *most)
        *most = here;
    nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL); /* so that the others get to it */
    --*now;
}

/* The case's and the repetition's number. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    (void)arguments;
    made++;
    meet(&generating, &most_generating, generator_ns);
    if (key->repetition == fails_at || key->case_seed == fails_in || (key->case_seed == 2 && failures_left-- > 0))
        return error_toolkit(error, "repetition %u of case %u cannot be made", key->repetition, key->case_seed);
    if (!blob_alloc(input, 64, error))
        return false;
    ((uint32_t *)input->data)[0] = key->repetition;
    ((uint32_t *)input->data)[1] = key->case_seed;
    return true;
}

static size_t output_size(const struct blob *input)
{
    (void)input;
    return output_bytes;
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    const uint32_t *words = (const uint32_t *)input->data;

    meet(&working, &most_working, reference_ns);
    if (!blob_alloc(answer, 8, error))
        return false;
    *(uint64_t *)answer->data = (words[0] + 1000 * words[1]) * secret->seed;
    return true;
}

static size_t footprint(const struct blob *input)
{
    (void)input;
    return output_bytes;
}

static struct problem problem = {
    .name = "test", .generate = generate, .output_size = output_size, .reference = reference
};
static const struct random_key secret = { .seed = 1000003 };
static const struct seeds seeds = { .seed = 5 };
static struct arguments cases[CASES];
static const char *names[CASES];
static struct prepare prepare;
static struct blob input, answer;
static struct error error;

static void start(bool sure)
{
    char line[64];

    for (uint32_t i = 0; i < CASES; i++) {
        names[i] = "case";
        snprintf(line, sizeof line, "random seed=%u", i);
        CHECK(arguments_parse(&cases[i], line, &error), "%s", error.text);
    }
    most_working = most_generating = made = 0;
    generator_ns = reference_ns = 100000;
    prepare = (struct prepare){
        .problem = &problem, .seeds = &seeds, .secret = &secret, .cases = cases, .names = names, .case_count = CASES,
        .sure = sure
    };
}

static void end(void)
{
    prepare_release(&prepare);
    blob_release(&input);
    blob_release(&answer);
}

static int processors(void)
{
    cpu_set_t set;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "no affinity");
    return CPU_COUNT(&set);
}

/* How many of `wanted` are made in parallel if all are sure to be requested. */
static int batch(size_t wanted)
{
    const size_t most = processors() * 2 < PREPARE_MOST ? (size_t)processors() * 2 : PREPARE_MOST;

    return (int)(wanted < most ? wanted : most);
}

static void ask(uint32_t number, uint32_t repetition, size_t wanted)
{
    const uint32_t *words;

    CHECK(prepare_call(&prepare, number, repetition, wanted, &input, &answer, &error), "%s", error.text);
    words = (const uint32_t *)input.data;
    CHECK(input.size == 64 && words[0] == repetition && words[1] == number, "case %u, call %u: got case %u, call %u",
          number, repetition, words[1], words[0]);
    CHECK(answer.size == 8 && *(uint64_t *)answer.data == (repetition + 1000 * number) * secret.seed,
          "case %u, call %u", number, repetition);
    /* Nothing is made while a call is under way, unless that is wanted. */
    CHECK(prepare.ahead || (working == 0 && generating == 0), "case %u, call %u: %d are still made", number, repetition,
          working);
}

/* The calls of two cases; `wanted` as the host counts: the remaining ones, or one too few if one is made again. */
static void test_calls(bool sure, size_t calls)
{
    start(sure);
    generator_ns = 5000000;
    for (uint32_t number = 0; number < 2; number++)
        for (uint32_t i = 0; i < calls; i++) {
            const int before = made;

            ask(number, i, calls - i);
            if (i == 0 && calls > 1)
                CHECK(made - before == (sure ? batch(calls) : 1), "%d made for the first of %zu", made - before, calls);
        }
    CHECK(made == 2 * (int)calls || calls == 1, "%d made of %zu", made, 2 * calls);
    CHECK(most_generating <= processors(), "%d at once", most_generating);
    if (calls > 10 && processors() > 1)
        CHECK(most_generating > 1, "one at a time on %d processors", processors());
    end();
}

/* Of cases with one call each the next ones are made too: four times as many each time, so that few are in vain. */
static void test_cases(void)
{
    start(false);
    reference_ns = 5000000;
    for (uint32_t number = 0; number < CASES; number++) {
        ask(number, 0, 1);
        CHECK(made <= 4 * (int)number + 1, "%d made for %u", made, number + 1);
    }
    CHECK(made == CASES, "%d", made);
    CHECK(most_generating == 1, "%d generators at once, of inputs of any size", most_generating);
    if (processors() > 1)
        CHECK(most_working > 1, "one at a time on %d processors", processors());
    end();
}

/* If the cost of inputs is known, those of different cases are generated in parallel, and all those of one case. */
static void test_footprint(void)
{
    problem.footprint = footprint;
    start(false);
    generator_ns = 5000000;
    for (uint32_t number = 0; number < CASES; number++)
        ask(number, 0, 1);
    CHECK(made == CASES, "%d", made);
    CHECK(most_generating <= processors(), "%d at once", most_generating);
    if (processors() > 1)
        CHECK(most_generating > 1, "one at a time on %d processors", processors());
    end();
    start(true);
    generator_ns = 5000000;
    for (uint32_t i = 0; i < 2; i++)
        ask(0, i, 2 - i);
    CHECK(most_generating == 2 || processors() == 1, "the second waited for the first");
    end();
    problem.footprint = NULL;
}

/* Waits until `count` calls are made, for a second at most; how many are. */
static int await_made(int count)
{
    for (int i = 0; i < 1000 && (made < count || working > 0); i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    return made;
}

/* The next cases are made beside the calls of these, in order and each once; what nobody asks for any more ends. */
static void test_ahead(void)
{
    const bool several = parallel_take(1) == 1; /* else nobody is there to work beside */

    if (several)
        parallel_give(1);
    start(false);
    prepare.ahead = true;
    ask(0, 0, 1);
    if (several)
        CHECK(await_made(2) > 1, "nothing was made beside the first call");
    for (uint32_t number = 1; number < CASES; number++)
        ask(number, 0, 1);
    CHECK(made == CASES && !prepare_works(&prepare), "%d", made);
    end();
    start(true);
    ask(0, 0, 4);
    CHECK(prepare_small(&prepare, 65) == (size_t)batch(4) - 1 && prepare_small(&prepare, 64) == 0, "%zu of 64 bytes",
          prepare_small(&prepare, 65));
    end();
    /* From here on nothing is made beside a call. */
    start(false);
    prepare.ahead = true;
    for (uint32_t number = 0; number < CASES; number++) {
        ask(number, 0, 1);
        if (number == 5)
            prepare_calm(&prepare);
        CHECK(number < 5 || (!prepare_works(&prepare) && working == 0), "something is made beside %u", number);
    }
    CHECK(made == CASES, "%d", made);
    end();
    /* Neither the rest of this batch nor the next one is wanted: little more is made, and what was is released. */
    start(false);
    prepare.ahead = true;
    for (uint32_t number = 0; number < 6; number++)
        ask(number, 0, 1);
    reference_ns = 20000000;
    ask(60, 0, 1);
    CHECK(made <= 6 + batch(PREPARE_MOST) + batch(PREPARE_MOST) + 2, "%d", made);
    end();
    CHECK(working == 0 && generating == 0, "%d are still made", working);
    /* What failed beside others is tried again alone. */
    start(false);
    prepare.ahead = true;
    failures_left = 1;
    for (uint32_t number = 0; number < 6; number++)
        ask(number, 0, 1);
    CHECK(failures_left < 1, "nothing failed");
    end();
}

/* The rest of a case that ended early is dropped. */
static void test_early(void)
{
    start(true);
    ask(0, 0, 12);
    ask(0, 1, 11);
    ask(1, 0, 12);
    CHECK(made == 2 * batch(12), "%d", made);
    ask(3, 0, 1);
    end();
}

/* An input that fails to be made is reported when its turn comes, and not before. */
static void test_failure(void)
{
    start(true);
    fails_at = 3;
    for (uint32_t i = 0; i < 3; i++)
        ask(0, i, 10 - i);
    CHECK(!prepare_call(&prepare, 0, 3, 7, &input, &answer, &error), "made");
    CHECK(error.code == EXIT_TOOLKIT && strcmp(error.text, "repetition 3 of case 0 cannot be made") == 0, "%s",
          error.text);
    fails_at = BAD;
    end();
    start(false);
    fails_in = 4;
    for (uint32_t i = 0; i < 4; i++)
        ask(i, 0, 1);
    CHECK(!prepare_call(&prepare, 4, 0, 1, &input, &answer, &error), "made");
    CHECK(strcmp(error.text, "repetition 0 of case 4 cannot be made") == 0, "%s", error.text);
    fails_in = BAD;
    ask(5, 0, 1);
    end();
    /* What failed beside others, as memory may run out, is tried again alone; what failed alone is not. */
    start(false);
    failures_left = 1;
    for (uint32_t i = 0; i < 6; i++)
        ask(i, 0, 1);
    CHECK(failures_left < 1, "nothing failed");
    end();
    start(false);
    failures_left = 2;
    for (uint32_t i = 0; i < 2; i++)
        ask(i, 0, 1);
    CHECK(!prepare_call(&prepare, 2, 0, 1, &input, &answer, &error), "failed twice, and was made");
    failures_left = 0;
    end();
}

/* Of what would fill a quarter of the free memory one is made at a time; of what takes less, as many as fit. */
static void test_memory(void)
{
    problem.footprint = footprint;
    output_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4 / 3;
    start(true);
    ask(0, 0, 12);
    CHECK(made > 0 && made <= 3, "%d made of what fits three times at most", made);
    end();
    problem.footprint = NULL;
    output_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    start(true);
    for (uint32_t i = 0; i < 3; i++) {
        ask(0, i, 12 - i);
        CHECK(made == (int)i + 1, "%d made for %u", made, i + 1);
    }
    end();
    start(false);
    for (uint32_t i = 0; i < 6; i++) {
        ask(i, 0, 1);
        CHECK(made == (int)i + 1, "%d made for %u", made, i + 1);
    }
    end();
    problem.footprint = footprint;
    start(false);
    for (uint32_t i = 0; i < 6; i++)
        ask(i, 0, 1);
    CHECK(made == 6 && most_generating == 1, "%d made, %d at once", made, most_generating);
    end();
    problem.footprint = NULL;
    output_bytes = 64;
}

int main(void)
{
    test_calls(false, 1);
    test_calls(false, 11);
    test_calls(true, 12);
    test_calls(true, CALLS);
    test_cases();
    test_footprint();
    test_ahead();
    test_early();
    test_failure();
    test_memory();
    return unit_end();
}
