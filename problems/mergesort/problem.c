/*
 * problem.c - the problem mergesort: signed 32-bit keys, alone or with payloads, sorted and stable.
 *
 * Linked into the host. The layout of inputs and outputs is in input.h, the kinds of cases in cases.c, what payloads
 * are in payload.h, how a sorted list is recognised without sorting in fingerprint.h, right and wrong outputs for
 * the tests in outputs.c.
 *
 * check() accepts an output when its elements ascend (and for pairs all differ) and have the input's fingerprint. An
 * element of a pair is the key and then the index that the payload came from, so ascending elements mean ascending
 * keys, and among equal keys the order of the input. The order is seen exactly. Another multiset of n elements gets
 * through with a probability of at most ((n - 1) / (2^61 - 1))^2, below 2^-66, over the secret points: fingerprint.h.
 */
#include "problems/problem.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "fingerprint.h"
#include "input.h"
#include "parts.h"
#include "payload.h"
#include "verify/base/parallel.h"

/* What the host knows about the right output. */
struct answer {
    uint64_t points[POINTS];   /* where the fingerprints were taken: the secret ones, then the public one */
    uint64_t products[POINTS]; /* the fingerprints of the input */
    int32_t least, greatest;   /* keys; 0 and 0 if there are none */
};

/* The public point: any number would do. It is 2^61 divided by the golden ratio. */
static const uint64_t public_point = UINT64_C(0x13c6ef372fe94f82);

enum { STREAM_ROUND_KEYS = 1, STREAM_KEYS, STREAM_POINTS };

static struct mergesort_list list_of_output(const struct blob *input, const struct blob *output)
{
    struct mergesort_list list = list_of_input(input);

    list.keys = (const int32_t *)output->data;
    if (list.payloads)
        list.payloads = (const uint32_t *)(output->data + mergesort_paged(list.count));
    return list;
}

/* ------------------------------------------------------------------ inputs */

static bool input_alloc(struct blob *input, size_t count, bool pairs, struct error *error)
{
    if (!blob_alloc(input, mergesort_input_size(count, pairs), error))
        return false;
    *(struct mergesort_input *)input->data = (struct mergesort_input){ .count = (uint32_t)count, .pairs = pairs };
    return true;
}

/* Elements that a thread takes at a time: some milliseconds. */
enum { PIECE = 1 << 20 };

struct payloads {
    uint32_t *payloads;
    const uint32_t *round_keys;
};

static void make_payloads(void *context, size_t first, size_t end)
{
    const struct payloads *p = context;

    for (size_t i = first; i < end; i++)
        p->payloads[i] = mergesort_payload((uint32_t)i, p->round_keys);
}

/* KIND N [payload=1] [distinct=D] [period=P] [swaps=W] [seed=S] */
static bool generate(const struct arguments *arguments, const struct random_key *key, struct blob *input,
                     struct error *error)
{
    static const char *const known[] = { "payload", "distinct", "period", "swaps", NULL };
    struct random_stream round_keys = random_stream(key, STREAM_ROUND_KEYS), keys = random_stream(key, STREAM_KEYS);
    uint64_t count, payload, distinct, period, swaps;
    struct mergesort_input *header;
    struct mergesort_case c;

    if (!arguments_check(arguments, known, error))
        return false;
    if (arguments->word_count != 2)
        return error_usage(error, "a case needs KIND N, not %zu words", arguments->word_count);
    if (!parse_number(arguments->words[1], "N", 0, MERGESORT_COUNT_MAX, &count, error) ||
        !arguments_number(arguments, "payload", 0, 0, 1, &payload, error) ||
        !arguments_number(arguments, "distinct", 16, 1, MERGESORT_DISTINCT_MAX, &distinct, error) ||
        !arguments_number(arguments, "period", 1000, 1, MERGESORT_COUNT_MAX, &period, error) ||
        !arguments_number(arguments, "swaps", 16, 0, MERGESORT_COUNT_MAX, &swaps, error) ||
        !input_alloc(input, count, payload, error))
        return false;
    header = (struct mergesort_input *)input->data;
    for (int r = 0; r < 4; r++)
        header->round_keys[r] = random_u32(&round_keys);
    c = (struct mergesort_case){ .kind = arguments->words[0], .count = count, .distinct = (uint32_t)distinct,
                                 .period = (uint32_t)period, .swaps = (uint32_t)swaps };
    if (!mergesort_make_keys(&c, &keys, (int32_t *)(input->data + KEYS_OFFSET)))
        return error_usage(error, "unknown kind of case '%s': use " MERGESORT_KINDS, c.kind);
    if (payload) {
        struct payloads payloads = { .payloads = (uint32_t *)(input->data + KEYS_OFFSET + mergesort_paged(count)),
                                     .round_keys = header->round_keys };

        parallel_pieces(count, PIECE, make_payloads, &payloads);
    }
    return true;
}

/* FILE: raw little-endian keys, which are sorted alone. */
static bool load(int argc, char *const *argv, struct blob *input, struct blob *answer, struct error *error)
{
    struct blob file = { 0 };
    bool ok = false;

    (void)answer;
    if (argc != 1)
        return error_usage(error, "FILE is needed, not %d arguments", argc);
    if (!blob_read_file(&file, argv[0], (size_t)MERGESORT_COUNT_MAX * 4, error))
        return false;
    if (file.size == 0 || file.size % 4 != 0)
        error_usage(error, "file '%.280s' has %zu bytes: a multiple of 4, and more than 0, is needed", argv[0],
                    file.size);
    else if (input_alloc(input, file.size / 4, false, error)) {
        memcpy(input->data + KEYS_OFFSET, file.data, file.size);
        ok = true;
    }
    blob_release(&file);
    return ok;
}

/* ------------------------------------------------------------------ answers */

/* An answer without its products. */
static bool start_answer(const struct random_key *secret, struct blob *answer, struct error *error)
{
    struct random_stream stream = random_stream(secret, STREAM_POINTS);
    struct answer *start;

    if (!blob_alloc(answer, sizeof *start, error))
        return false;
    start = (struct answer *)answer->data;
    for (int p = 0; p < SECRET_POINTS; p++)
        do { /* 61 bits, and once in 2^61 times again */
            uint64_t high = random_u32(&stream);

            start->points[p] = (high << 32 | random_u32(&stream)) & FINGERPRINT_PRIME;
        } while (start->points[p] == FINGERPRINT_PRIME);
    start->points[SECRET_POINTS] = public_point;
    return true;
}

struct extremes {
    const int32_t *keys;
    pthread_mutex_t lock; /* of what follows */
    int32_t least, greatest;
};

static void find_extremes(void *context, size_t first, size_t end)
{
    struct extremes *extremes = context;
    int32_t least = INT32_MAX, greatest = INT32_MIN;

    for (size_t i = first; i < end; i++) {
        least = extremes->keys[i] < least ? extremes->keys[i] : least;
        greatest = extremes->keys[i] > greatest ? extremes->keys[i] : greatest;
    }
    pthread_mutex_lock(&extremes->lock);
    extremes->least = least < extremes->least ? least : extremes->least;
    extremes->greatest = greatest > extremes->greatest ? greatest : extremes->greatest;
    pthread_mutex_unlock(&extremes->lock);
}

static bool reference(const struct blob *input, const struct random_key *secret, struct blob *answer,
                      struct error *error)
{
    struct mergesort_list list = list_of_input(input);
    struct extremes extremes = { .keys = list.keys, .lock = PTHREAD_MUTEX_INITIALIZER, .least = INT32_MAX,
                                 .greatest = INT32_MIN };
    struct answer *a;

    if (!start_answer(secret, answer, error))
        return false;
    a = (struct answer *)answer->data;
    mergesort_scan(&list, a->points, POINTS, a->products);
    parallel_pieces(list.count, PIECE, find_extremes, &extremes);
    if (list.count > 0)
        a->least = extremes.least, a->greatest = extremes.greatest;
    return true;
}

struct indexed {
    int32_t key;
    uint32_t index;
};

static int by_key_and_index(const void *left, const void *right)
{
    const struct indexed *a = left, *b = right;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->index > b->index) - (a->index < b->index);
}

/* Really sorts, with qsort(), and multiplies with the remainder's operator: other products would mean another order. */
static bool reference_plain(const struct blob *input, const struct random_key *secret, struct blob *answer,
                            struct error *error)
{
    struct mergesort_list list = list_of_input(input);
    struct indexed *sorted = malloc(list.count * sizeof *sorted + 1);
    struct answer *a;

    if (!sorted || !start_answer(secret, answer, error)) {
        free(sorted);
        return error_toolkit(error, "out of memory for the reference answer");
    }
    for (size_t i = 0; i < list.count; i++)
        sorted[i] = (struct indexed){ list.keys[i], (uint32_t)i };
    qsort(sorted, list.count, sizeof *sorted, by_key_and_index);
    a = (struct answer *)answer->data;
    if (list.count > 0)
        a->least = sorted[0].key, a->greatest = sorted[list.count - 1].key;
    for (int p = 0; p < POINTS; p++) {
        a->products[p] = 1;
        for (size_t i = 0; i < list.count; i++) {
            uint64_t key = (uint64_t)((int64_t)sorted[i].key - INT32_MIN);
            uint64_t element = list.payloads ? key * MERGESORT_COUNT_MAX + sorted[i].index : key;
            unsigned __int128 factor = (unsigned __int128)a->points[p] + FINGERPRINT_PRIME - element;

            a->products[p] = (uint64_t)(factor * a->products[p] % FINGERPRINT_PRIME);
        }
    }
    free(sorted);
    return true;
}

/* log2(count) comparisons a key, a few operations each, and POINTS 128-bit remainders. */
static double plain_cost(const struct blob *input)
{
    uint32_t count = header_of(input)->count;
    int bits = 0;

    while (count >> bits)
        bits++;
    return count * (5.0 * bits + 20 * POINTS);
}

static size_t output_size(const struct blob *input)
{
    return mergesort_output_size(header_of(input)->count, header_of(input)->pairs != 0);
}

static size_t footprint(const struct blob *input)
{
    return (input ? input->size : mergesort_input_size(MERGESORT_COUNT_MAX, 1)) + sizeof(struct answer);
}

/*
 * Every key and payload comes and goes. Of operations no more is claimed than one look at every key: lists that are
 * sorted already need no more, and methods that look at digits compare nothing.
 */
static void work(const struct blob *input, const struct blob *answer, struct work *work)
{
    double count = header_of(input)->count;

    (void)answer;
    work->bytes = 2 * count * sizeof(int32_t) * (header_of(input)->pairs ? 2 : 1);
    work->operations = count;
}

/* ------------------------------------------------------------------ judging */

/* Why element i of an output does not go before the next one. */
static enum check_result explain(const struct mergesort_list *list, size_t i, struct finding *finding)
{
    uint32_t index = list->payloads ? mergesort_index(list->payloads[i], list->round_keys) : 0;

    if (index >= list->count)
        return found_wrong(finding, REASON_ELEMENTS,
                           "wrote sorted_payloads[%zu] = %" PRIu32 ", which is not a payload of the input", i,
                           list->payloads[i]);
    if (list->keys[i] > list->keys[i + 1])
        return found_wrong(finding, REASON_ORDER,
                           "wrote sorted_keys[%zu] = %" PRId32 " above sorted_keys[%zu] = %" PRId32, i, list->keys[i],
                           i + 1, list->keys[i + 1]);
    if (list->payloads[i] == list->payloads[i + 1])
        return found_wrong(finding, REASON_ELEMENTS,
                           "wrote the payload %" PRIu32 " twice, as sorted_payloads[%zu] and the next",
                           list->payloads[i], i);
    return found_wrong(finding, REASON_STABILITY,
                       "did not keep the order of equal keys: sorted_payloads[%zu] and [%zu], of key %" PRId32, i,
                       i + 1, list->keys[i]);
}

static enum check_result check(const struct blob *input, const struct blob *answer, const struct blob *output,
                               struct finding *finding)
{
    struct mergesort_list list = list_of_output(input, output);
    const struct answer *right = (const struct answer *)answer->data;
    uint64_t products[POINTS];
    uint32_t returned;
    size_t wrong;

    memcpy(&returned, output->data + output->size - sizeof returned, sizeof returned);
    wrong = mergesort_scan(&list, right->points, SECRET_POINTS, products);
    if (wrong < list.count)
        return explain(&list, wrong, finding);
    if (memcmp(products, right->products, SECRET_POINTS * sizeof products[0]) != 0)
        return found_wrong(finding, REASON_ELEMENTS, "wrote %s in ascending order that are not those of the input",
                           list.payloads ? "pairs" : "keys");
    if (returned != CALL_RETURNED)
        return found_wrong(finding, REASON_SPILL, "overwrote what is behind the arrays");
    return CHECK_RIGHT;
}

/* ------------------------------------------------------------------ showing */

/* Up to 62 characters, as count, ends and a fingerprint that anybody can compute. */
static void show(size_t count, int32_t first, int32_t last, uint64_t product, char *text, size_t size)
{
    if (count == 0)
        snprintf(text, size, "n=0");
    else
        snprintf(text, size, "n=%zu,keys=%" PRId32 "..%" PRId32 ",hash=%016" PRIx64, count, first, last, product);
}

static void show_answer(const struct blob *input, const struct blob *answer, char *text, size_t size)
{
    const struct answer *a = (const struct answer *)answer->data;

    show(header_of(input)->count, a->least, a->greatest, a->products[SECRET_POINTS], text, size);
}

static void show_output(const struct blob *input, const struct blob *output, char *text, size_t size)
{
    struct mergesort_list list = list_of_output(input, output);
    uint64_t product;

    mergesort_scan(&list, &public_point, 1, &product);
    show(list.count, list.count > 0 ? list.keys[0] : 0, list.count > 0 ? list.keys[list.count - 1] : 0, product, text,
         size);
}

static void describe(FILE *file, const struct blob *input, const struct blob *answer)
{
    char text[64];

    show_answer(input, answer, text, sizeof text);
    fprintf(file, "answer = %s\ncount = %" PRIu32 "%s\n", text, header_of(input)->count,
            header_of(input)->pairs ? " keys with payloads" : " keys");
}

const struct problem problem_mergesort = {
    .name = "mergesort",
    .alias = NULL,
    .input_usage = "FILE",
    .generate = generate,
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
