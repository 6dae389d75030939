/*
 * test_prepare.c - inputs and answers made several at a time: each call gets its own, in order.
 */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "problems/problem.h"
#include "unit.h"
#include "verify/prepare.h"

enum { CALLS = 50, BAD = 1000 };

static atomic_int working, most_working, made;
static size_t input_bytes = 64;
static uint32_t fails_at = BAD;

/* The repetition's number in every word. */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    int now = ++working;

    (void)arguments;
    if (now > most_working)
        most_working = now;
    made++;
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL); /* so that the others get to it */
    working--;
    if (key->repetition == fails_at)
        return error_toolkit(error, "repetition %u cannot be made", key->repetition);
    if (!blob_alloc(input, input_bytes, error))
        return false;
    ((uint32_t *)input->data)[0] = key->repetition;
    ((uint32_t *)input->data)[1] = key->case_seed;
    return true;
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    if (!blob_alloc(answer, 8, error))
        return false;
    *(uint64_t *)answer->data = *(const uint32_t *)input->data * secret->seed;
    return true;
}

static const struct problem problem = { .name = "test", .generate = generate, .reference = reference };
static const struct random_key secret = { .seed = 1000003 };

static struct prepare start(struct arguments *arguments)
{
    struct error error;

    CHECK(arguments_parse(arguments, "random seed=7", &error), "%s", error.text);
    most_working = made = 0;
    return (struct prepare){ .problem = &problem, .arguments = arguments, .seed = 5, .secret = &secret };
}

static int processors(void)
{
    cpu_set_t set;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "no affinity");
    return CPU_COUNT(&set);
}

static void test_order(size_t wanted)
{
    struct arguments arguments;
    struct prepare prepare = start(&arguments);
    struct blob input = { 0 }, answer = { 0 };
    struct error error;

    for (uint32_t i = 0; i < CALLS; i++) {
        CHECK(prepare_call(&prepare, i, wanted, &input, &answer, &error), "%s", error.text);
        CHECK(input.size == input_bytes &&
              ((uint32_t *)input.data)[0] == i && ((uint32_t *)input.data)[1] == 7,
              "call %u", i);
        CHECK(answer.size == 8 && *(uint64_t *)answer.data == i * secret.seed, "call %u", i);
        CHECK(working == 0, "call %u: %d are still made", i, working); /* nothing is made while a call is under way */
        if (i == 0)
            CHECK(made == 1, "%d", made);
    }
    CHECK(made >= CALLS && made < CALLS + PREPARE_MOST, "%d", made);
    CHECK(wanted > 1 || most_working == 1, "%d", most_working);
    CHECK(most_working <= processors(), "%d at once", most_working);
    if (wanted > 1 && processors() > 1)
        CHECK(most_working > 1, "one at a time on %d processors", processors());
    prepare_release(&prepare);
    blob_release(&input);
    blob_release(&answer);
}

/* What cannot be made is told when its turn comes, and not before. */
static void test_failure(void)
{
    struct arguments arguments;
    struct prepare prepare = start(&arguments);
    struct blob input = { 0 }, answer = { 0 };
    struct error error = { 0 };

    fails_at = 3;
    for (uint32_t i = 0; i < 3; i++)
        CHECK(prepare_call(&prepare, i, 10, &input, &answer, &error), "%s", error.text);
    CHECK(!prepare_call(&prepare, 3, 10, &input, &answer, &error), "made");
    CHECK(error.code == EXIT_TOOLKIT && strcmp(error.text, "repetition 3 cannot be made") == 0, "%s", error.text);
    fails_at = BAD;
    prepare_release(&prepare);
    blob_release(&input);
    blob_release(&answer);
}

/* Of what would fill a quarter of the free memory one is made at a time. */
static void test_memory(void)
{
    struct arguments arguments;
    struct prepare prepare = start(&arguments);
    struct blob input = { 0 }, answer = { 0 };
    struct error error;

    CHECK(prepare_call(&prepare, 0, 10, &input, &answer, &error), "%s", error.text);
    blob_release(&input);
    input.size = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE); /* as if it had been */
    CHECK(prepare_call(&prepare, 1, 10, &input, &answer, &error), "%s", error.text);
    CHECK(made == 2 && prepare.count == 1, "%d made, %zu at once", made, prepare.count);
    prepare_release(&prepare);
    blob_release(&input);
    blob_release(&answer);
}

int main(void)
{
    test_order(1);
    test_order(11);
    test_order(CALLS);
    test_failure();
    test_memory();
    return unit_end();
}
