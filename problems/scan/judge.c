/*
 * judge.c - adds up each chunk from what goes into it, and compares every sum.
 *
 * Float32 is added up in float64: in a chunk of 2^16 numbers that errs by 2^-37 R at most, where precision.h allows
 * 2^-21 R and more.
 */
#include "judge.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>

#include "precision.h"
#include "verify/base/parallel.h"

struct judging {
    const struct scan_list *list;
    const struct scan_answer *answer;
    const void *sums;
    pthread_mutex_t lock; /* of what follows */
    size_t first;         /* the first wrong place; count while there is none */
    uint64_t right;       /* integers: what is right there */
    double real, allowed; /* float32: what is right there, and how far off it may be */
};

static void found_at(struct judging *j, size_t at, uint64_t right, double real, double allowed)
{
    pthread_mutex_lock(&j->lock);
    if (at < j->first) {
        j->first = at;
        j->right = right;
        j->real = real;
        j->allowed = allowed;
    }
    pthread_mutex_unlock(&j->lock);
}

static void judge_floats(struct judging *j, const struct scan_carry *carry, size_t first, size_t end)
{
    const float *values = j->list->values, *sums = j->sums;
    double sum = carry->real, largest = carry->largest;
    size_t count = carry->count;

    for (size_t i = first; i < end; i++) {
        double off;

        if (scan_begins(j->list, i))
            sum = 0, largest = 0, count = 0;
        sum += (double)values[i];
        largest = fabs(sum) > largest ? fabs(sum) : largest;
        count++;
        off = fabs((double)sums[i] - sum);
        if (off <= 8 * 0x1p-24 * largest) /* and so within the rule */
            continue;
        if (!(off <= scan_roundings((double)count) * largest)) {
            found_at(j, i, 0, sum, scan_roundings((double)count) * largest);
            return;
        }
    }
}

static void judge_uint32(struct judging *j, const struct scan_carry *carry, size_t first, size_t end)
{
    const uint32_t *values = j->list->values, *sums = j->sums;
    uint32_t sum = (uint32_t)carry->sum;

    for (size_t i = first; i < end; i++) {
        sum = values[i] + (scan_begins(j->list, i) ? 0 : sum);
        if (sums[i] != sum) {
            found_at(j, i, sum, 0, 0);
            return;
        }
    }
}

static void judge_uint64(struct judging *j, const struct scan_carry *carry, size_t first, size_t end)
{
    const uint64_t *values = j->list->values, *sums = j->sums;
    uint64_t sum = carry->sum;

    for (size_t i = first; i < end; i++) {
        sum = values[i] + (scan_begins(j->list, i) ? 0 : sum);
        if (sums[i] != sum) {
            found_at(j, i, sum, 0, 0);
            return;
        }
    }
}

static void judge_chunk(void *context, size_t c)
{
    struct judging *j = context;
    const size_t first = c * SCAN_CHUNK, next = first + SCAN_CHUNK;
    const size_t end = next < j->list->count ? next : j->list->count;
    const struct scan_carry *carry = &j->answer->carries[c];

    switch (j->list->type) {
    case SCAN_UINT32: judge_uint32(j, carry, first, end); break;
    case SCAN_UINT64: judge_uint64(j, carry, first, end); break;
    default: judge_floats(j, carry, first, end); break;
    }
}

enum check_result scan_judge(const struct scan_list *list, const struct scan_answer *answer, const void *sums,
                             struct finding *finding)
{
    struct judging j = { .list = list, .answer = answer, .sums = sums, .lock = PTHREAD_MUTEX_INITIALIZER,
                         .first = list->count };
    float wrote;

    parallel_run(scan_chunks(list->count), judge_chunk, &j);
    if (j.first == list->count)
        return CHECK_RIGHT;
    if (list->type != SCAN_FLOAT32)
        return found_wrong(finding, REASON_VALUE, "wrote sums[%zu] = %" PRIu64 " where %" PRIu64 " is right", j.first,
                           list->type == SCAN_UINT32 ? ((const uint32_t *)sums)[j.first]
                                                     : ((const uint64_t *)sums)[j.first],
                           j.right);
    wrote = ((const float *)sums)[j.first];
    if (!isfinite(wrote))
        return found_wrong(finding, REASON_NAN, "wrote sums[%zu] = %g where %.9g is right", j.first, (double)wrote,
                           j.real);
    return found_wrong(finding, REASON_VALUE, "wrote sums[%zu] = %.9g where %.9g is right, give or take %.3g", j.first,
                       (double)wrote, j.real, j.allowed);
}
