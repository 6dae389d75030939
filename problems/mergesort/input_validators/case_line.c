/*
 * case_line.c - input validator: whether standard input is a valid case of the problem mergesort.
 *
 * One line: KIND N [payload=1] [distinct=D] [period=P] [swaps=W] [seed=S]. The host checks the same again in
 * problem.c; the limits of both are those of input.h. Exit code 42 for valid, 43 for not.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../input.h"

enum { VALID = 42, INVALID = 43 };

static int invalid(const char *why)
{
    fprintf(stderr, "case_line: %s\n", why);
    return INVALID;
}

int main(void)
{
    static const char grammar[] =
        "^(random|sorted|reversed|equal|few|sawtooth|nearly|extremes|organpipe|interleaved|mixed) (0|[1-9][0-9]{0,8})"
        "( payload=[01])?( distinct=([1-9][0-9]{0,4}))?( period=([1-9][0-9]{0,8}))?( swaps=(0|[1-9][0-9]{0,8}))?"
        "( seed=([0-9]{1,10}))?\n$";
    enum { COUNT = 2, DISTINCT = 5, PERIOD = 7, SWAPS = 9, SEED = 11, GROUPS };
    static const struct {
        int group;
        unsigned long long limit;
        const char *why;
    } limits[] = {
        { COUNT, MERGESORT_COUNT_MAX, "N is too large" },
        { DISTINCT, MERGESORT_DISTINCT_MAX, "distinct is too large" },
        { PERIOD, MERGESORT_COUNT_MAX, "period is too large" },
        { SWAPS, MERGESORT_COUNT_MAX, "swaps is too large" },
        { SEED, UINT32_MAX, "the seed is above 2^32 - 1" },
    };
    regmatch_t part[GROUPS];
    char text[1024];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    regex_t regex;

    text[size] = '\0';
    if (!feof(stdin) || strlen(text) != size)
        return invalid("the input is too long, or holds a zero byte");
    if (regcomp(&regex, grammar, REG_EXTENDED) != 0)
        return 1;
    if (regexec(&regex, text, GROUPS, part, 0) != 0)
        return invalid("the line does not follow the grammar");
    regfree(&regex);
    for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
        regoff_t start = part[limits[l].group].rm_so;

        if (start >= 0 && strtoull(text + start, NULL, 10) > limits[l].limit)
            return invalid(limits[l].why);
    }
    return VALID;
}
