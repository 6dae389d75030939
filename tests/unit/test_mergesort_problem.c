/*
 * test_mergesort_problem.c - the problem mergesort: its kinds of cases, payloads, fingerprints and checker, on small
 * inputs of all sizes.
 */
#include <stdlib.h>
#include <string.h>

#include "problems/mergesort/cases.h"
#include "problems/mergesort/fingerprint.h"
#include "problems/mergesort/input.h"
#include "problems/mergesort/payload.h"
#include "problems/outputs.h"
#include "problems/problem.h"
#include "unit.h"

static const char *const kinds[] = { "random", "sorted",  "reversed", "equal",     "few",
                                     "sawtooth", "nearly", "extremes", "organpipe", "interleaved" };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const struct random_key key = { .seed = 5, .case_seed = 6 }, secret = { .seed = 99 };
static const struct random_key other_secret = { .seed = 98 };

static bool same(const struct blob *a, const struct blob *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* ------------------------------------------------------------------ arithmetic */

static void test_multiply(void)
{
    static const uint64_t edges[] = { 0, 1, 2, 3, FINGERPRINT_PRIME - 1, FINGERPRINT_PRIME - 2, UINT64_C(1) << 60,
                                      UINT64_C(0x155555555555555) };
    struct random_stream stream = random_stream(&key, 77);
    size_t count = sizeof edges / sizeof edges[0];

    for (int i = 0; i < 5000; i++) {
        uint64_t a = ((uint64_t)random_u32(&stream) << 32 | random_u32(&stream)) % FINGERPRINT_PRIME;
        uint64_t b = ((uint64_t)random_u32(&stream) << 32 | random_u32(&stream)) % FINGERPRINT_PRIME;

        a = i % 3 == 0 ? edges[(size_t)i % count] : a;
        b = i % 5 == 0 ? edges[(size_t)i / 5 % count] : b;
        CHECK(fingerprint_multiply(a, b) == (unsigned __int128)a * b % FINGERPRINT_PRIME, "%ju * %ju", (uintmax_t)a,
              (uintmax_t)b);
    }
}

static void test_payloads(void)
{
    const uint32_t round_keys[4] = { 0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210 };
    struct random_stream stream = random_stream(&key, 78);
    int descents = 0;

    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t x = random_u32(&stream);

        CHECK(mergesort_index(mergesort_payload(x, round_keys), round_keys) == x, "index %u", x);
        CHECK(mergesort_payload(mergesort_index(x, round_keys), round_keys) == x, "payload %u", x);
        descents += mergesort_payload(i, round_keys) > mergesort_payload(i + 1, round_keys);
    }
    CHECK(descents > 2000 && descents < 3000, "%d of 5000 payloads are above the next", descents);
}

/* ------------------------------------------------------------------ kinds of cases */

static bool ascends(const int32_t *keys, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (keys[i] >= keys[i + 1])
            return false;
    return true;
}

/* Whether in every merge of a bottom-up merge sort the elements of the two runs alternate, while both have some. */
static bool interleaves(int32_t *keys, int32_t *merged, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t left = 0; left < count; left += 2 * run) {
            size_t right = left + run < count ? left + run : count;
            size_t end = left + 2 * run < count ? left + 2 * run : count, i = left, j = right, turns = 0;
            int last = -1;

            for (size_t place = left; place < end; place++) {
                int side = i < right && (j >= end || keys[i] <= keys[j]) ? 0 : 1;

                turns += side != last;
                last = side;
                merged[place] = side == 0 ? keys[i++] : keys[j++];
            }
            if (end - left == 2 * run && turns != 2 * run)
                return false;
        }
        memcpy(keys, merged, count * sizeof *keys);
    }
    return true;
}

static void test_kinds(void)
{
    static int32_t keys[1000], spare[1000];
    struct mergesort_case c = { .distinct = 3, .period = 7, .swaps = 2 };

    for (c.count = 1; c.count <= 1000; c.count += 1 + c.count / 20) {
        struct random_stream stream = random_stream(&key, 79);
        size_t n = c.count, distinct = 0, extreme = 0;

        c.kind = "sorted";
        CHECK(mergesort_make_keys(&c, &stream, keys) && ascends(keys, n), "%zu sorted", n);
        c.kind = "reversed";
        mergesort_make_keys(&c, &stream, keys);
        for (size_t i = 0; i + 1 < n; i++)
            CHECK(keys[i] > keys[i + 1], "reversed %zu of %zu", i, n);
        c.kind = "equal";
        mergesort_make_keys(&c, &stream, keys);
        for (size_t i = 0; i + 1 < n; i++)
            CHECK(keys[i] == keys[0], "equal %zu of %zu", i, n);
        c.kind = "few";
        mergesort_make_keys(&c, &stream, keys);
        for (size_t i = 0; i < n; i++) {
            size_t j = 0;

            while (keys[j] != keys[i])
                j++;
            distinct += j == i;
        }
        CHECK(distinct <= 3 && (n < 50 || distinct == 3), "%zu distinct of %zu", distinct, n);
        c.kind = "sawtooth";
        mergesort_make_keys(&c, &stream, keys);
        CHECK(ascends(keys, n < 7 ? n : 7), "the first tooth of %zu", n);
        for (size_t i = 7; i < n; i++)
            CHECK(keys[i] == keys[i - 7], "sawtooth %zu of %zu", i, n);
        c.kind = "organpipe";
        mergesort_make_keys(&c, &stream, keys);
        CHECK(ascends(keys, (n + 1) / 2), "the rising side of %zu", n);
        for (size_t i = (n + 1) / 2; i + 1 < n; i++)
            CHECK(keys[i] > keys[i + 1], "the falling side of %zu", n);
        c.kind = "extremes";
        mergesort_make_keys(&c, &stream, keys);
        for (size_t i = 0; i < n; i++)
            extreme += keys[i] <= INT32_MIN + 1 || keys[i] >= INT32_MAX - 1;
        CHECK(n < 100 || (extreme > n / 4 && extreme < n - n / 4), "%zu extremes of %zu", extreme, n);
        c.kind = "interleaved";
        mergesort_make_keys(&c, &stream, keys);
        CHECK(interleaves(keys, spare, n) && ascends(keys, n), "%zu interleaved", n);
    }
    c.kind = "shuffled";
    CHECK(!mergesort_make_keys(&c, NULL, keys), "there is no such kind");
}

/* ------------------------------------------------------------------ the checker */

static bool is_right(const struct problem *problem, const struct blob *input, const struct blob *answer,
                     const struct blob *output, char message[256])
{
    struct finding finding = { 0 };
    const enum check_result result = problem->check(input, answer, output, &finding);

    memcpy(message, finding.detail, sizeof finding.detail);
    return result == CHECK_RIGHT;
}

/* Every bit-change of a word of the arrays, and every exchange of two words that differ, makes a right output wrong. */
static void test_changes(const struct problem *problem, const struct blob *input, const struct blob *answer,
                         struct blob *output, size_t count, const char *name)
{
    char message[256];
    uint32_t *arrays[2] = { (uint32_t *)output->data, (uint32_t *)(output->data + mergesort_paged(count)) };
    int array_count = ((const struct mergesort_input *)input->data)->pairs ? 2 : 1;

    for (int a = 0; a < array_count; a++)
        for (size_t i = 0; i < count; i++) {
            uint32_t *word = &arrays[a][i], *next = &arrays[a][(i + 1) % count], before = *word;

            for (int bit = 0; bit < 32; bit += 1 + bit / 3) {
                *word ^= 1u << bit;
                CHECK(!is_right(problem, input, answer, output, message), "%s: word %zu bit %d", name, i, bit);
                *word = before;
            }
            if (*next == before)
                continue;
            *word = *next;
            CHECK(!is_right(problem, input, answer, output, message), "%s: word %zu as the next", name, i);
            *next = before;
            CHECK(!is_right(problem, input, answer, output, message), "%s: words %zu and next exchanged", name, i);
            *next = *word;
            *word = before;
        }
    CHECK(is_right(problem, input, answer, output, message), "%s: as it was: %s", name, message);
}

static void test_case(const struct problem *problem, const char *line)
{
    struct blob input = { 0 }, answer = { 0 }, plain = { 0 }, other = { 0 }, output = { 0 }, right = { 0 };
    char message[256], shown[64], shown_plain[64], shown_other[64], shown_output[64];
    struct arguments arguments;
    struct error error = { 0 };
    size_t way = 0, count;

    CHECK(arguments_parse(&arguments, line, &error) && problem->generate(&arguments, &key, &input, &error) &&
              problem->reference(&input, &secret, &answer, &error) &&
              problem->reference_plain(&input, &secret, &plain, &error) &&
              problem->reference(&input, &other_secret, &other, &error) &&
              blob_alloc(&output, problem->output_size(&input), &error) && blob_alloc(&right, output.size, &error) &&
              outputs_find("mergesort")->solve(&input, &answer, &right, &error),
          "%s: %s", line, error.text);
    count = ((const struct mergesort_input *)input.data)->count;
    CHECK(same(&answer, &plain), "%s: the references differ", line);
    CHECK(!same(&answer, &other), "%s: the answer does not depend on the secret", line);
    problem->show_answer(&input, &answer, shown, sizeof shown);
    problem->show_answer(&input, &plain, shown_plain, sizeof shown_plain);
    problem->show_answer(&input, &other, shown_other, sizeof shown_other);
    problem->show_output(&input, &right, shown_output, sizeof shown_output);
    CHECK(strcmp(shown, shown_plain) == 0 && strcmp(shown, shown_other) == 0 && strcmp(shown, shown_output) == 0,
          "%s: %s, %s, %s, %s", line, shown, shown_plain, shown_other, shown_output);
    CHECK(is_right(problem, &input, &answer, &right, message), "%s: %s", line, message);
    for (;; way++) {
        memcpy(output.data, right.data, right.size);
        if (!outputs_find("mergesort")->spoil(&input, &answer, &output, way))
            break;
        CHECK(!same(&output, &right), "%s: way %zu changes nothing", line, way);
        CHECK(!is_right(problem, &input, &answer, &output, message), "%s: way %zu", line, way);
    }
    CHECK(same(&output, &right), "%s: no way, and yet a change", line);
    CHECK(way >= 1 && (count == 0 || way >= 4), "%s: %zu ways", line, way);
    if (count > 0 && count < 40)
        test_changes(problem, &input, &answer, &right, count, line);
    memset(output.data, 0xff, output.size); /* an output may have any bytes */
    CHECK(!is_right(problem, &input, &answer, &output, message), "%s: all ones", line);
    blob_release(&input);
    blob_release(&answer);
    blob_release(&plain);
    blob_release(&other);
    blob_release(&output);
    blob_release(&right);
}

/* The text of explain(), and its place. */
static void test_messages(const struct problem *problem)
{
    struct blob input = { 0 }, answer = { 0 }, output = { 0 };
    struct arguments arguments;
    struct error error;
    char message[256];
    int32_t *keys;
    uint32_t *payloads, payload;
    /* Positions around the blocks in which a list is read: the first, the last and the first of one. */
    static const size_t places[] = { 0, 1, 1022, 1023, 1024, 2046, 2047, 2048, 2998 };

    CHECK(arguments_parse(&arguments, "equal 3000 payload=1", &error) &&
              problem->generate(&arguments, &key, &input, &error) &&
              problem->reference(&input, &secret, &answer, &error) &&
              blob_alloc(&output, problem->output_size(&input), &error) &&
              outputs_find("mergesort")->solve(&input, &answer, &output, &error),
          "%s", error.text);
    keys = (int32_t *)output.data;
    payloads = (uint32_t *)(output.data + mergesort_paged(3000));
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
        size_t i = places[p];
        char expected[64];

        keys[i]++;
        CHECK(!is_right(problem, &input, &answer, &output, message), "place %zu", i);
        snprintf(expected, sizeof expected, "wrote sorted_keys[%zu] = ", i);
        CHECK(strncmp(message, expected, strlen(expected)) == 0, "'%s'", message);
        keys[i]--;
        payload = payloads[i];
        payloads[i] = payloads[i + 1];
        CHECK(!is_right(problem, &input, &answer, &output, message), "place %zu", i);
        snprintf(expected, sizeof expected, "twice, as sorted_payloads[%zu] and the next", i);
        CHECK(strstr(message, expected) != NULL, "'%s'", message);
        payloads[i + 1] = payload;
        CHECK(!is_right(problem, &input, &answer, &output, message), "place %zu", i);
        CHECK(strncmp(message, "did not keep the order of equal keys", 36) == 0, "'%s'", message);
        payloads[i + 1] = payloads[i];
        payloads[i] = mergesort_payload(3000, ((struct mergesort_input *)input.data)->round_keys);
        CHECK(!is_right(problem, &input, &answer, &output, message), "place %zu", i);
        snprintf(expected, sizeof expected, "wrote sorted_payloads[%zu] = %u, which is no", i, payloads[i]);
        CHECK(strncmp(message, expected, strlen(expected)) == 0, "'%s'", message);
        payloads[i] = payload;
        CHECK(is_right(problem, &input, &answer, &output, message), "'%s'", message);
    }
    keys[2999]++;
    CHECK(!is_right(problem, &input, &answer, &output, message), "the last key");
    CHECK(strcmp(message, "wrote pairs in ascending order that are not those of the input") == 0, "'%s'", message);
    blob_release(&input);
    blob_release(&answer);
    blob_release(&output);
}

/* A list of several parts: the same as one that is gone through in one go, and the first fault found wherever it is. */
static void test_parts(void)
{
    enum { PART = 1 << 18, COUNT = 3 * PART + 5 };
    static const size_t places[] = { 0, PART - 2, PART - 1, PART, 2 * PART - 1, 2 * PART + 77, COUNT - 2 };
    int32_t *keys = malloc(COUNT * sizeof *keys);
    uint32_t *payloads = malloc(COUNT * sizeof *payloads);
    const uint32_t round_keys[4] = { 1, 2, 3, 4 };
    struct mergesort_list list = { .keys = keys, .round_keys = round_keys, .count = COUNT };
    const uint64_t point = 12345678901234567u;
    uint64_t product, expected = 1;

    for (size_t i = 0; i < COUNT; i++) {
        keys[i] = (int32_t)(3 * i) - 1000000;
        payloads[i] = mergesort_payload((uint32_t)i, round_keys);
        expected = fingerprint_multiply(expected, point - mergesort_element(keys[i]));
    }
    CHECK(mergesort_scan(&list, &point, 1, &product) == COUNT, "it ascends");
    CHECK(product == expected, "%jx, not %jx", (uintmax_t)product, (uintmax_t)expected);
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        const size_t at = places[k];
        const int32_t right = keys[at];
        const uint32_t payload = payloads[at];
        size_t found;

        keys[at] = keys[at + 1] + 1;
        list.payloads = NULL;
        found = mergesort_scan(&list, &point, 1, &product);
        CHECK(found == at, "key %zu is above the next: found at %zu", at, found);
        keys[at] = keys[at + 1];
        CHECK(mergesort_scan(&list, &point, 1, &product) == COUNT, "equal keys at %zu", at);
        list.payloads = payloads;
        payloads[at] = payloads[at + 1];
        found = mergesort_scan(&list, &point, 1, &product);
        CHECK(found == at, "pair %zu is the next one again: found at %zu", at, found);
        keys[at] = right;
        payloads[at] = mergesort_payload(COUNT, round_keys);
        found = mergesort_scan(&list, &point, 1, &product);
        CHECK(found == at, "payload %zu is none: found at %zu", at, found);
        payloads[at] = payload;
    }
    free(keys);
    free(payloads);
}

int main(void)
{
    const struct problem *problem = problem_find("mergesort");
    char line[128];

    test_multiply();
    test_payloads();
    test_kinds();
    test_parts();
    for (int k = 0; k < KINDS; k++)
        for (size_t n = 0; n < 5000; n += n < 36 ? 1 : n * 3 / 4)
            for (int payload = 0; payload <= 1; payload++) {
                snprintf(line, sizeof line, "%s %zu payload=%d distinct=2 period=5 swaps=3", kinds[k], n, payload);
                test_case(problem, line);
            }
    test_messages(problem);
    return unit_end();
}
