/*
 * test_work.c - the least work that each problem claims, on inputs where it can be counted by hand, and the least time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/diffevo/include/device_user.h"
#include "problems/matmul/matrix.h"
#include "problems/problem.h"
#include "unit.h"
#include "verify/cases/floor.h"

static const struct random_key key = { .seed = 3, .case_seed = 4 };

static bool generate(const char *name, const char *line, struct blob *input)
{
    const struct problem *problem = problem_find(name);
    struct arguments arguments;
    struct error error;
    bool ok = problem && arguments_parse(&arguments, line, &error) &&
              problem->generate(&arguments, &key, input, &error);

    CHECK(ok, "%s %s: %s", name, line, error.text);
    return ok;
}

/* The work of a case, and its answer in *answer. */
static struct work work_of(const char *name, const char *line, struct blob *answer)
{
    struct blob input = { 0 };
    struct work work = { 0 };
    struct error error;

    if (generate(name, line, &input) && problem_find(name)->reference(&input, &key, answer, &error))
        problem_find(name)->work(&input, answer, &work);
    blob_release(&input);
    return work;
}

static void check_work(const char *name, const char *line, double bytes, double operations)
{
    struct blob answer = { 0 };
    struct work work = work_of(name, line, &answer);

    CHECK(work.bytes == bytes, "%s %s: %.0f bytes, not %.0f", name, line, work.bytes, bytes);
    CHECK(work.operations == operations, "%s %s: %.0f operations, not %.0f", name, line, work.operations, operations);
    blob_release(&answer);
}

static void test_editdistance(void)
{
    static const char word[] = "abcdefgh";
    const struct problem *problem = problem_find("editdistance");
    struct blob answer = { 0 }, input = { 0 };
    struct work work = work_of("editdistance", "random 1024 512 alphabet=bytes seed=1", &answer);
    uint32_t d = *(uint32_t *)answer.data;

    CHECK(d > 512 && d < 1024, "%u", d);
    CHECK(work.bytes == 1024 + 512 + 4, "%g", work.bytes);
    CHECK(work.operations > 0 && work.operations <= 4.0 * 1024 * 512, "%g", work.operations);
    CHECK(work.operations <= 4.0 * ((double)d * d - 512.0 * 512), "%g of %u", work.operations, d);
    blob_release(&answer);
    /* Where nearly every character is common and the distance is large, the table it is. */
    work = work_of("editdistance", "random 4096 4096 alphabet=printable", &answer);
    CHECK(work.operations > 0.9 * 4 * 4096 * 4096 && work.operations <= 4.0 * 4096 * 4096, "%g", work.operations);
    blob_release(&answer);
    /* Cases that one pass decides cost the reading: equal, no character in common, similar. */
    check_work("editdistance", "equal 256 256", 516, 0);
    check_work("editdistance", "disjoint 256 384", 644, 0);
    check_work("editdistance", "single 128 1024", 1156, 0);
    check_work("editdistance", "mutated 4096 4096 period=50", 8196, 0);

    /* One string of period 8, the other of 128 characters in which 64 are of that word: 4 * 8 * 64, or by diagonals. */
    if (generate("editdistance", "random 128 128", &input) && blob_alloc(&answer, 4, &(struct error){ 0 })) {
        for (size_t i = 0; i < 128; i++) {
            input.data[128 + i] = (unsigned char)word[i % 8];
            input.data[256 + i] = i < 64 ? (unsigned char)word[i * i / 8 % 8] : '.';
        }
        input.data[256 + 127] = ':'; /* no border, so no period */
        *(uint32_t *)answer.data = 100;
        work = (struct work){ 0 };
        problem->work(&input, &answer, &work);
        CHECK(work.operations == 4 * 8 * 64, "%g", work.operations);
        *(uint32_t *)answer.data = 32; /* a quarter: 4 * 32^2 */
        input.data[128] = '!';         /* now without a period: 127 characters, and 64, in common */
        work = (struct work){ 0 };
        problem->work(&input, &answer, &work);
        CHECK(work.operations == 4 * 32 * 32, "%g", work.operations);
        *(uint32_t *)answer.data = 31;
        work = (struct work){ 0 };
        problem->work(&input, &answer, &work);
        CHECK(work.operations == 0, "%g", work.operations);
    }
    blob_release(&input);
    blob_release(&answer);
}

static void test_matmul(void)
{
    struct blob input = { 0 };
    struct work work = { 0 };
    struct matmul_pair pair;

    check_work("matmul", "positive 20 30 40", 4 * (20 * 40 + 40 * 30 + 20 * 30), 2.0 * 20 * 30 * 40);
    if (!generate("matmul", "positive 2 4 3", &input))
        return;
    pair = matmul_pair_of(&input);
    pair.a[0] = 0;             /* row 0, column 0: one element of that column is left */
    pair.b[1 * 4 + 2] = -0.0f; /* row 1: three are left */
    problem_find("matmul")->work(&input, NULL, &work);
    CHECK(work.operations == 2 * (1 * 4 + 2 * 3 + 2 * 4), "%g", work.operations);
    blob_release(&input);
    /* A permutation is one product an element of C. */
    check_work("matmul", "permutation 64 64 64", 4 * 3 * 64 * 64, 2.0 * 64 * 64);
}

static void test_others(void)
{
    struct blob answer = { 0 };
    struct work work;

    check_work("mergesort", "random 1000", 8000, 1000);
    check_work("mergesort", "random 1000 payload=1", 16000, 1000);
    check_work("mergesort", "random 0", 0, 0);

    /* n = 10, P = 6, G = 4: 24 tours of 10 steps; a record of 24 bytes a generation; 45 distances. */
    check_work("cointsp", "prescribed uniform 10 6 4", 40 + 4 * 24 + 40 + 45 * 4, 2 * 240 + 10 * 9 * 6);
    check_work("cointsp", "open uniform 10", 40 + 40 + 40, 10);
    /* Few tours do not see all of many distances: 2 tours of 100 steps. */
    check_work("cointsp", "prescribed uniform 100 2 1", 40 + 24 + 400 + 200 * 4, 2 * 200 + 10 * 99 * 2);

    /* The generations are in the answer. */
    work = work_of("diffevo", "sphere 1", &answer);
    if (answer.size > sizeof(struct diffevo_result)) {
        const struct diffevo_result *r = (const struct diffevo_result *)answer.data;
        size_t d = (answer.size - sizeof *r) / sizeof(float);
        double np = (double)r->evaluations / (r->generations + 1.0);

        CHECK(r->generations > 0, "no generation");
        CHECK(work.bytes == sizeof(struct diffevo_problem) + (double)answer.size, "%g", work.bytes);
        CHECK(work.operations == np * r->generations * 42 + np * ((double)d + 1) * 5 + np * (double)d * 13, "%g",
              work.operations);
    } else {
        CHECK(false, "no answer of diffevo");
    }
    blob_release(&answer);
}

static void test_floor(void)
{
    struct work work = { .bytes = 1e9, .operations = 1e12 };

    CHECK(floor_seconds(&work, &(struct peak){ 1e11, 1e15 }) == 0.01, "moving takes longer");
    CHECK(floor_seconds(&work, &(struct peak){ 1e12, 1e14 }) == 0.01, "computing takes longer");
    CHECK(floor_seconds(&work, &(struct peak){ 0, 1e15 }) == 0.001, "no link is told");
    CHECK(floor_seconds(&work, &(struct peak){ 0, 0 }) == 0, "nothing is told");
    CHECK(floor_seconds(&(struct work){ 0 }, &(struct peak){ 1, 1 }) == 0, "nothing is needed");
}

int main(void)
{
    test_editdistance();
    test_matmul();
    test_others();
    test_floor();
    return unit_end();
}
