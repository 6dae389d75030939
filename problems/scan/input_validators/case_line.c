/*
 * case_line.c - input validator: whether standard input is a valid case of the problem scan.
 *
 * One line: KIND TYPE N [mean=L] [seed=S]. The host checks the same again in problem.c; the limits of both are those of
 * include/device_user.h. Exit code 42 for valid, 43 for not.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/device_user.h"

enum { VALID = 42, INVALID = 43 };

static int invalid(const char *why)
{
    fprintf(stderr, "case_line: %s\n", why);
    return INVALID;
}

int main(void)
{
    static const char grammar[] =
        "^(random|positive|negative|wide|cancel|sparse|step) (uint32|uint64|float32) ([1-9][0-9]{0,8})"
        "( mean=([1-9][0-9]{0,8}))?( seed=([0-9]{1,10}))?\n$";
    enum { COUNT = 3, MEAN = 5, SEED = 7, GROUPS };
    static const struct {
        int group;
        unsigned long long limit;
        const char *why;
    } limits[] = {
        { COUNT, SCAN_COUNT_MAX, "N is too large" },
        { MEAN, SCAN_COUNT_MAX, "mean is too large" },
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
