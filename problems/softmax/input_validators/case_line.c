/*
 * case_line.c - input validator: whether standard input is a valid case of the problem softmax.
 *
 * One line: KIND ROWS COLUMNS TYPE [seed=S]. The host checks the same again in problem.c; the limits of both are those
 * of device_user.h. Exit code 42 for valid, 43 for not.
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
    static const char grammar[] = "^(normal|uniform|wide|shifted|deep|peak|masked|mixed) ([1-9][0-9]{0,4}) "
                                  "([1-9][0-9]{0,5}) (float32|bfloat16)( seed=([0-9]{1,10}))?\n$";
    enum { ROWS = 2, COLUMNS = 3, SEED = 6, GROUPS };
    unsigned long long rows, columns;
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
    rows = strtoull(text + part[ROWS].rm_so, NULL, 10);
    columns = strtoull(text + part[COLUMNS].rm_so, NULL, 10);
    if (rows > SOFTMAX_ROWS_MAX)
        return invalid("there are too many rows");
    if (columns < SOFTMAX_COLUMNS_MIN || columns > SOFTMAX_COLUMNS_MAX)
        return invalid("the rows are too short or too long");
    if (rows * columns > SOFTMAX_ELEMENTS_MAX)
        return invalid("the matrix has too many elements");
    if (part[SEED].rm_so >= 0 && strtoull(text + part[SEED].rm_so, NULL, 10) > UINT32_MAX)
        return invalid("the seed is above 2^32 - 1");
    return VALID;
}
