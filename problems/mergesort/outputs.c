/*
 * outputs.c - an LSD radix sort that makes right outputs, and the ways in which wrong ones can differ from them, for
 * the tests of check(). It is not linked into the host.
 */
#include "problems/outputs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* An output, which may be changed. */
struct sorted {
    int32_t *keys;           /* [count] */
    uint32_t *payloads;      /* [count], or NULL */
    unsigned char *returned; /* [4]: CALL_RETURNED */
    size_t count;
};

/* ------------------------------------------------------------------ right */

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, PASSES = 32 / DIGIT_BITS };

static unsigned digit_of(int32_t key, int pass)
{
    return (((uint32_t)key ^ 0x80000000u) >> (pass * DIGIT_BITS)) % DIGITS;
}

static void radix_pass(int pass, size_t count, const int32_t *keys, const uint32_t *payloads, int32_t *to_keys,
                       uint32_t *to_payloads)
{
    size_t place[DIGITS] = { 0 }, sum = 0;

    for (size_t i = 0; i < count; i++)
        place[digit_of(keys[i], pass)]++;
    for (int d = 0; d < DIGITS; d++) {
        size_t here = place[d];

        place[d] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) {
        size_t to = place[digit_of(keys[i], pass)]++;

        to_keys[to] = keys[i];
        if (payloads)
            to_payloads[to] = payloads[i];
    }
}

/* Sorts a list, stable, into keys[count] and payloads[count] (NULL as in the list). False when memory is exhausted. */
static bool sort(const struct mergesort_list *list, int32_t *keys, uint32_t *payloads)
{
    int32_t *other_keys = malloc(list->count * sizeof *keys + 1);
    uint32_t *other_payloads = malloc(list->count * sizeof *payloads + 1);
    bool ok = other_keys && other_payloads;

    if (ok) { /* an even number of passes: the last one ends in keys and payloads */
        radix_pass(0, list->count, list->keys, list->payloads, other_keys, other_payloads);
        radix_pass(1, list->count, other_keys, payloads ? other_payloads : NULL, keys, payloads);
        radix_pass(2, list->count, keys, payloads, other_keys, other_payloads);
        radix_pass(3, list->count, other_keys, payloads ? other_payloads : NULL, keys, payloads);
    }
    free(other_keys);
    free(other_payloads);
    return ok;
}

/* ------------------------------------------------------------------ wrong */

/*
 * Each way is a function that returns whether it is possible for an output; it changes the output only when it is, and
 * `apply` is set.
 */
typedef bool way_function(struct sorted s, bool apply);

/* The i, next to the middle from above or else from below, where keys i and i + 1 differ (are equal); or `count`. */
static size_t neighbours(struct sorted s, bool differ)
{
    size_t middle = s.count / 2;

    for (size_t i = middle; i + 1 < s.count; i++)
        if ((s.keys[i] != s.keys[i + 1]) == differ)
            return i;
    for (size_t i = middle; i-- > 0;)
        if (i + 1 < s.count && (s.keys[i] != s.keys[i + 1]) == differ)
            return i;
    return s.count;
}

static void swap_keys(struct sorted s, size_t i, size_t j)
{
    int32_t key = s.keys[i];

    s.keys[i] = s.keys[j];
    s.keys[j] = key;
}

static void swap_payloads(struct sorted s, size_t i, size_t j)
{
    uint32_t payload = s.payloads[i];

    s.payloads[i] = s.payloads[j];
    s.payloads[j] = payload;
}

/* Two different neighbours in the wrong order, with their payloads. */
static bool swapped(struct sorted s, bool apply)
{
    size_t i = neighbours(s, true);

    if (i == s.count)
        return false;
    if (apply) {
        swap_keys(s, i, i + 1);
        if (s.payloads)
            swap_payloads(s, i, i + 1);
    }
    return true;
}

/* A key once too often, its neighbour missing: the order is right. */
static bool duplicated(struct sorted s, bool apply)
{
    size_t i = neighbours(s, true);

    if (i == s.count)
        return false;
    if (apply)
        s.keys[i] = s.keys[i + 1];
    return true;
}

/* The same with the payload. */
static bool duplicated_pair(struct sorted s, bool apply)
{
    if (!s.payloads || s.count < 2)
        return false;
    if (apply) {
        s.keys[0] = s.keys[1];
        s.payloads[0] = s.payloads[1];
    }
    return true;
}

/* One key larger by one: without payloads, and often with them, the order stays right. */
static bool larger(struct sorted s, bool apply)
{
    size_t i = neighbours(s, true);

    if (i == s.count && s.count > 0 && s.keys[s.count - 1] < INT32_MAX)
        i = s.count - 1;
    if (i == s.count)
        return false;
    if (apply)
        s.keys[i]++;
    return true;
}

/* The last key as large as can be. */
static bool last_is_largest(struct sorted s, bool apply)
{
    if (s.count == 0 || s.keys[s.count - 1] == INT32_MAX)
        return false;
    if (apply)
        s.keys[s.count - 1] = INT32_MAX;
    return true;
}

/* The first key as small as can be. */
static bool first_is_least(struct sorted s, bool apply)
{
    if (s.count == 0 || s.keys[0] == INT32_MIN)
        return false;
    if (apply)
        s.keys[0] = INT32_MIN;
    return true;
}

/* One key larger and the next but one smaller by one: the order and the sum are right. */
static bool same_sum(struct sorted s, bool apply)
{
    for (size_t i = 0; i + 1 < s.count; i++)
        if ((int64_t)s.keys[i + 1] - s.keys[i] >= 3) {
            if (apply) {
                s.keys[i]++;
                s.keys[i + 1]--;
            }
            return true;
        }
    return false;
}

/* A bit changed in two keys each: the exclusive or of all keys is right, the order may be. */
static bool same_xor(struct sorted s, bool apply)
{
    size_t i = s.count / 2;

    if (s.count < 2 || (s.keys[i] ^ 1) == s.keys[i - 1])
        return false;
    if (apply) {
        s.keys[i] ^= 1;
        s.keys[i - 1] ^= 1;
    }
    return true;
}

/* Everything one place further down, the last element twice. */
static bool shifted(struct sorted s, bool apply)
{
    if (s.count < 2 || s.keys[0] == s.keys[s.count - 1])
        return false;
    if (apply) {
        memmove(s.keys, s.keys + 1, (s.count - 1) * sizeof *s.keys);
        if (s.payloads)
            memmove(s.payloads, s.payloads + 1, (s.count - 1) * sizeof *s.payloads);
    }
    return true;
}

/* The last element missing: arbitrary bytes in its place. */
static bool last_missing(struct sorted s, bool apply)
{
    if (s.count == 0)
        return false;
    if (apply) {
        s.keys[s.count - 1] ^= 0x5a5a5a5a;
        if (s.payloads)
            s.payloads[s.count - 1] ^= 0xa5a5a5a5;
    }
    return true;
}

static bool zeros(struct sorted s, bool apply)
{
    if (s.count == 0 || (s.keys[0] == 0 && s.keys[s.count - 1] == 0 && (!s.payloads || s.count == 1)))
        return false;
    if (apply) {
        memset(s.keys, 0, s.count * sizeof *s.keys);
        if (s.payloads)
            memset(s.payloads, 0, s.count * sizeof *s.payloads);
    }
    return true;
}

/* In descending order. */
static bool descending(struct sorted s, bool apply)
{
    if (s.count < 2 || s.keys[0] == s.keys[s.count - 1])
        return false;
    for (size_t i = 0, j = s.count - 1; apply && i < j; i++, j--) {
        swap_keys(s, i, j);
        if (s.payloads)
            swap_payloads(s, i, j);
    }
    return true;
}

/* Keys alone, in the order of unsigned numbers. */
static bool as_unsigned(struct sorted s, bool apply)
{
    int32_t *turned;
    size_t negative = 0;

    if (s.payloads || s.count == 0 || s.keys[0] >= 0 || s.keys[s.count - 1] < 0)
        return false;
    if (!apply)
        return true;
    turned = malloc(s.count * sizeof *turned);
    if (!turned)
        return false;
    while (s.keys[negative] < 0)
        negative++;
    memcpy(turned, s.keys + negative, (s.count - negative) * sizeof *turned);
    memcpy(turned + s.count - negative, s.keys, negative * sizeof *turned);
    memcpy(s.keys, turned, s.count * sizeof *turned);
    free(turned);
    return true;
}

/* Two payloads of equal keys in the wrong order: the pairs are all there, the sort was not stable. */
static bool unstable(struct sorted s, bool apply)
{
    size_t i = neighbours(s, false);

    if (!s.payloads || i == s.count)
        return false;
    if (apply)
        swap_payloads(s, i, i + 1);
    return true;
}

/* The same with the first and the last payload of all equal keys around it. */
static bool unstable_far(struct sorted s, bool apply)
{
    size_t first = neighbours(s, false), last;

    if (!s.payloads || first == s.count)
        return false;
    last = first + 1;
    while (first > 0 && s.keys[first - 1] == s.keys[last])
        first--;
    while (last + 1 < s.count && s.keys[last + 1] == s.keys[last])
        last++;
    if (apply)
        swap_payloads(s, first, last);
    return true;
}

/* Two payloads of different keys exchanged: keys and payloads are all there, but not the pairs. */
static bool payloads_crossed(struct sorted s, bool apply)
{
    size_t i = neighbours(s, true);

    if (!s.payloads || i == s.count)
        return false;
    if (apply)
        swap_payloads(s, i, i + 1);
    return true;
}

/* A payload twice, its neighbour's missing. */
static bool payload_twice(struct sorted s, bool apply)
{
    if (!s.payloads || s.count < 2)
        return false;
    if (apply)
        s.payloads[s.count / 2] = s.payloads[s.count / 2 - 1];
    return true;
}

/* A payload with its highest bit changed, most likely one that the input does not have. */
static bool payload_changed(struct sorted s, bool apply)
{
    if (!s.payloads || s.count == 0)
        return false;
    if (apply)
        s.payloads[s.count - 1] ^= 0x80000000u;
    return true;
}

/* The payloads in ascending order themselves, right only by chance (which two payloads give). */
static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}
static bool payloads_sorted(struct sorted s, bool apply)
{
    size_t i = 1;

    if (!s.payloads)
        return false;
    while (i < s.count && s.payloads[i - 1] < s.payloads[i])
        i++;
    if (i >= s.count)
        return false;
    if (apply)
        qsort(s.payloads, s.count, sizeof *s.payloads, ascending);
    return true;
}

/* device_user() did not return, or wrote behind its array. */
static bool not_returned(struct sorted s, bool apply)
{
    if (apply)
        s.returned[0] ^= 1;
    return true;
}

/* In the `way`-th of the ways that are possible for this output. */
static bool spoil_sorted(struct sorted sorted, size_t way)
{
    static way_function *const ways[] = {
        swapped,      duplicated,   larger,     same_sum,        same_xor,         unstable,      unstable_far,
        shifted,      last_missing, descending, as_unsigned,     payloads_crossed, payload_twice, payload_changed,
        last_is_largest, first_is_least, zeros, duplicated_pair, payloads_sorted,  not_returned,
    };

    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        if (ways[w](sorted, false) && way-- == 0)
            return ways[w](sorted, true);
    return false;
}

/* ------------------------------------------------------------------ of blobs */

static bool solve(const struct blob *input, const struct blob *answer, struct blob *output, struct error *error)
{
    struct mergesort_list list = list_of_input(input);
    const uint32_t returned = CALL_RETURNED;

    (void)answer;
    memcpy(output->data + output->size - sizeof returned, &returned, sizeof returned);
    return sort(&list, (int32_t *)output->data,
                          list.payloads ? (uint32_t *)(output->data + mergesort_paged(list.count)) : NULL) ||
           error_toolkit(error, "out of memory for a sorted output");
}

static bool spoil(const struct blob *input, const struct blob *answer, struct blob *output, size_t way)
{
    struct mergesort_list list = list_of_input(input);
    struct sorted sorted = {
        .keys = (int32_t *)output->data,
        .payloads = list.payloads ? (uint32_t *)(output->data + mergesort_paged(list.count)) : NULL,
        .returned = output->data + output->size - sizeof(uint32_t),
        .count = list.count,
    };

    (void)answer;
    return spoil_sorted(sorted, way);
}

/* There is one right list. What lies between and behind the arrays, to the end of a page, may hold anything. */
static bool also_right(const struct blob *input, const struct blob *answer, const struct blob *right,
                       const struct blob *output)
{
    const struct mergesort_list list = list_of_input(input);
    const size_t bytes = list.count * sizeof(int32_t), second = mergesort_paged(list.count);
    const size_t returned = output->size - sizeof(uint32_t);

    (void)answer;
    return memcmp(output->data, right->data, bytes) == 0 &&
           (!list.payloads || memcmp(output->data + second, right->data + second, bytes) == 0) &&
           memcmp(output->data + returned, right->data + returned, sizeof(uint32_t)) == 0;
}

/* ------------------------------------------------------------------ other methods */

struct indexed {
    int32_t key;
    uint32_t index;
};

static int by_key_and_index(const void *left, const void *right)
{
    const struct indexed *a = left, *b = right;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->index > b->index) - (a->index < b->index);
}

/* Binary insertion: each element behind all that are not greater. */
static void by_insertion(struct indexed *elements, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct indexed element = elements[i];
        size_t low = 0, high = i;

        while (low < high) {
            const size_t middle = (low + high) / 2;

            if (elements[middle].key <= element.key)
                low = middle + 1;
            else
                high = middle;
        }
        memmove(elements + low + 1, elements + low, (i - low) * sizeof *elements);
        elements[low] = element;
    }
}

/* Runs of 1, 2, 4 ... merged; spare[count]. */
static void by_merging(struct indexed *elements, size_t count, struct indexed *spare)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t left = 0; left < count; left += 2 * run) {
            const size_t right = left + run < count ? left + run : count;
            const size_t end = left + 2 * run < count ? left + 2 * run : count;
            size_t i = left, j = right;

            for (size_t to = left; to < end; to++) {
                const bool first = i < right && (j >= end || elements[i].key <= elements[j].key);

                spare[to] = first ? elements[i++] : elements[j++];
            }
        }
        memcpy(elements, spare, count * sizeof *elements);
    }
}

static enum check_result honest(const struct blob *input, const struct blob *answer, struct blob *output, size_t way,
                                struct random_stream *stream)
{
    const struct mergesort_list list = list_of_input(input);
    const uint32_t returned = CALL_RETURNED;
    struct indexed *elements, *spare;
    struct error ignored;

    (void)stream;
    if (way == 3)
        return solve(input, answer, output, &ignored) ? CHECK_RIGHT : CHECK_FAILED;
    if (way > 3)
        return CHECK_NONE;
    elements = malloc((2 * list.count + 1) * sizeof *elements);
    if (!elements)
        return CHECK_FAILED;
    spare = elements + list.count;
    for (size_t i = 0; i < list.count; i++)
        elements[i] = (struct indexed){ list.keys[i], (uint32_t)i };
    if (way == 0)
        qsort(elements, list.count, sizeof *elements, by_key_and_index);
    else if (way == 1)
        by_insertion(elements, list.count);
    else
        by_merging(elements, list.count, spare);
    for (size_t i = 0; i < list.count; i++) {
        memcpy(output->data + i * sizeof(int32_t), &elements[i].key, sizeof(int32_t));
        if (list.payloads)
            memcpy(output->data + mergesort_paged(list.count) + i * sizeof(uint32_t),
                   &list.payloads[elements[i].index], sizeof(uint32_t));
    }
    memcpy(output->data + output->size - sizeof returned, &returned, sizeof returned);
    free(elements);
    return CHECK_RIGHT;
}

static void any_line(struct random_stream *stream, char *text, size_t size)
{
    static const char *const kinds[] = { "random", "sorted", "reversed", "equal", "few", "sawtooth", "nearly",
                                         "extremes", "organpipe", "interleaved", "mixed" };
    const char *kind = kinds[random_below(stream, 11)];
    const uint32_t scale = random_below(stream, 14), count = random_below(stream, 1u << scale);

    snprintf(text, size, "%s %u payload=%u distinct=%u period=%u swaps=%u seed=%u", kind, count,
             random_below(stream, 2), 1 + random_below(stream, 50), 1 + random_below(stream, 500),
             random_below(stream, 100), random_u32(stream));
}

const struct outputs outputs_mergesort = { .solve = solve, .spoil = spoil, .also_right = also_right,
                                           .any_line = any_line, .honest = honest };
