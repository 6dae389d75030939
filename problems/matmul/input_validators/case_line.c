/*
 * case_line.c - input validator: whether standard input is a valid case of the problem matmul.
 *
 * One line: KIND M N K [seed=S]. The host checks the same again in problem.c; the limits of both are those
 * of input.h. Exit code 42 for valid, 43 for not.
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
    static const char grammar[] = "^(uniform|positive|wide|cancel|integers|permutation|tiny|special|mixed) "
                                  "([1-9][0-9]{0,4}) ([1-9][0-9]{0,4}) ([1-9][0-9]{0,4})( seed=([0-9]{1,10}))?\n$";
    enum { KIND = 1, SIDES = 2, SEED = 6, GROUPS };
    unsigned long long side[3], products, elements;
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
    for (int s = 0; s < 3; s++) {
        side[s] = strtoull(text + part[SIDES + s].rm_so, NULL, 10);
        if (side[s] > MATMUL_SIDE_MAX)
            return invalid("a side is too long");
    }
    elements = side[0] * side[2] + side[2] * side[1] + side[0] * side[1]; /* M K + K N + M N */
    products = side[0] * side[1] * side[2];
    if (elements > MATMUL_ELEMENTS_MAX)
        return invalid("the matrices have too many elements");
    if (strncmp(text, "special ", 8) == 0 &&
        (products > MATMUL_LARGE_PRODUCTS || side[0] * side[1] > MATMUL_LARGE_ELEMENTS))
        return invalid("a case of the kind special is too large");
    if (part[SEED].rm_so >= 0 && strtoull(text + part[SEED].rm_so, NULL, 10) > UINT32_MAX)
        return invalid("the seed is above 2^32 - 1");
    regfree(&regex);
    return VALID;
}
