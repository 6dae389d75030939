/*
 * test_editdistance_cases.c - the kind `moved` of editdistance: bands about the diagonal that are too narrow lose.
 */
#include <stdlib.h>
#include <string.h>

#include "problems/editdistance/input.h"
#include "problems/problem.h"
#include "unit.h"

static uint32_t least(uint32_t x, uint32_t y) { return x < y ? x : y; }

/* The distance by the cells within `half` of the diagonal from corner to corner; columns >= rows. */
static uint32_t banded(const unsigned char *down, size_t rows, const unsigned char *across, size_t columns, size_t half)
{
    const uint32_t far = 1u << 30;
    uint32_t *row = malloc((columns + 1) * sizeof *row), answer;

    CHECK(row, "out of memory");
    for (size_t j = 0; j <= columns; j++)
        row[j] = j <= half ? (uint32_t)j : far;
    for (size_t i = 1; i <= rows; i++) {
        const size_t centre = i * columns / rows, first = centre > half ? centre - half : 1;
        const size_t last = centre + half < columns ? centre + half : columns;
        uint32_t diagonal = row[first - 1];

        row[first - 1] = first == 1 ? (uint32_t)i : far;
        for (size_t j = first; j <= last; j++) {
            const uint32_t above = row[j], kept = diagonal + (down[i - 1] != across[j - 1]);

            diagonal = above;
            row[j] = least(kept, least(above, row[j - 1]) + 1);
        }
    }
    answer = row[columns];
    free(row);
    return answer;
}

/* How many of `seeds` inputs a band of `share` of the longer string's length answers wrongly. */
static int lost(const char *line, double share, int seeds)
{
    const struct problem *problem = problem_find("editdistance");
    int wrong = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        struct random_key key = { .seed = (uint64_t)seed };
        struct blob input = { 0 }, answer = { 0 };
        struct arguments arguments;
        struct error error = { .text = "" };
        uint32_t length[2], right;
        unsigned char *string[2];
        int longer;

        CHECK(arguments_parse(&arguments, line, &error) && problem->generate(&arguments, &key, &input, &error) &&
                  problem->reference(&input, &key, &answer, &error),
              "%s: %s", line, error.text);
        memcpy(length, input.data, sizeof length);
        string[0] = input.data + STRINGS_OFFSET;
        string[1] = string[0] + length[0];
        longer = length[1] >= length[0];
        memcpy(&right, answer.data, sizeof right);
        wrong += banded(string[!longer], length[!longer], string[longer], length[longer],
                        (size_t)(share * length[longer])) != right;
        CHECK(banded(string[!longer], length[!longer], string[longer], length[longer], length[longer]) == right,
              "%s: the whole table is wrong", line);
        blob_release(&input);
        blob_release(&answer);
    }
    return wrong;
}

int main(void)
{
    static const struct {
        const char *line;
        double share; /* of the longer string: what is surely too narrow */
        int least;    /* of 20 inputs */
    } bands[] = {
        { "moved 2048 2048", 0.27, 20 },
        { "moved 2048 2048", 0.34, 7 }, /* at random: some blocks are moved less far */
        { "moved 1024 1024 alphabet=bytes", 0.24, 20 },
        { "moved 1024 1024 alphabet=lower", 0.2, 20 },
        { "moved 2048 2048 alphabet=dna", 0.11, 19 },
        { "moved 4096 4096 alphabet=binary", 0.05, 17 },
        { "moved 128 128", 0.22, 18 },
        { "moved 4096 1024", 0.05, 19 },
        { "moved 1024 4096", 0.05, 19 },
        { "moved 2048 1024 alphabet=dna", 0.05, 12 },
    };

    for (size_t b = 0; b < sizeof bands / sizeof bands[0]; b++) {
        int wrong = lost(bands[b].line, bands[b].share, 20);

        printf("%s: a band of %.2f answers %d of 20 wrongly\n", bands[b].line, bands[b].share, wrong);
        CHECK(wrong >= bands[b].least, "%s: a band of %.2f answers only %d of 20 wrongly", bands[b].line,
              bands[b].share, wrong);
    }
    return unit_end();
}
