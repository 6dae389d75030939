/* split.c - the splits of split.h, by Philox and the shuffle of Fisher and Yates. */
#include "split.h"

#include <stdlib.h>

#include "verify/base/random.h"

static bool allocate(struct split *split, size_t rows, struct error *error)
{
    *split = (struct split){.train = malloc((rows + 1) * sizeof(size_t)), .test = malloc((rows + 1) * sizeof(size_t))};
    if (split->train && split->test)
        return true;
    split_release(split);
    return error_toolkit(error, "no memory for a split of %zu rows", rows);
}

/* rank[row]: the place of a row in a random order. */
static size_t *shuffled(size_t rows, uint64_t seed)
{
    struct random_key key = {.seed = seed};
    struct random_stream stream = random_stream(&key, 0);
    size_t *rank = malloc((rows + 1) * sizeof *rank);

    for (size_t i = 0; rank && i < rows; i++)
        rank[i] = i;
    for (size_t i = rows; rank && i > 1; i--) {
        size_t other = random_below(&stream, (uint32_t)i), keep = rank[i - 1];

        rank[i - 1] = rank[other];
        rank[other] = keep;
    }
    return rank;
}

static void deal(struct split *split, size_t row, bool tested)
{
    if (tested)
        split->test[split->test_count++] = row;
    else
        split->train[split->train_count++] = row;
}

bool split_random(struct split *split, size_t rows, uint64_t seed, struct error *error)
{
    size_t *rank = shuffled(rows, seed);

    if (!rank || !allocate(split, rows, error)) {
        free(rank);
        return error_toolkit(error, "no memory for a split of %zu rows", rows);
    }
    for (size_t i = 0; i < rows; i++)
        deal(split, i, rank[i] < (rows + 2) / 5);
    free(rank);
    return true;
}

bool split_fold(struct split *split, size_t rows, int folds, int fold, uint64_t seed, struct error *error)
{
    size_t *rank = shuffled(rows, seed);

    if (!rank || !allocate(split, rows, error)) {
        free(rank);
        return error_toolkit(error, "no memory for a split of %zu rows", rows);
    }
    for (size_t i = 0; i < rows; i++)
        deal(split, i, rank[i] % (size_t)folds == (size_t)fold);
    free(rank);
    return true;
}

bool split_group(struct split *split, const int *group, size_t rows, int left_out, struct error *error)
{
    if (!allocate(split, rows, error))
        return false;
    for (size_t i = 0; i < rows; i++)
        deal(split, i, group[i] == left_out);
    return true;
}

void split_release(struct split *split)
{
    free(split->train);
    free(split->test);
    *split = (struct split){.train_count = 0};
}
