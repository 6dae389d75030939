/*
 * case_line.c - input validator: whether standard input is a valid case of the problem attention.
 *
 * One line: KIND HEADS LENGTH DIM [causal=0|1] [seed=S]. The host checks the same again in problem.c; the limits of
 * both are those of include/device_user.h. Exit code 42 for valid, 43 for not.
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
    static const char grammar[] = "^(normal|peaked|flat|positive|wide|drift|sink|mixed|low) ([1-9][0-9]{0,4}) "
                                  "([1-9][0-9]{0,4}) (64|128)( causal=[01])?( seed=([0-9]{1,10}))?\n$";
    enum { HEADS = 2, LENGTH, DIM, SEED = 7, GROUPS };
    unsigned long long heads, length, dim;
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
    heads = strtoull(text + part[HEADS].rm_so, NULL, 10);
    length = strtoull(text + part[LENGTH].rm_so, NULL, 10);
    dim = strtoull(text + part[DIM].rm_so, NULL, 10);
    if (heads > ATTENTION_HEADS_MAX)
        return invalid("there are too many heads");
    if (length < ATTENTION_LENGTH_MIN || length > ATTENTION_LENGTH_MAX)
        return invalid("the length is out of its limits");
    if (heads * length * dim > ATTENTION_ELEMENTS_MAX)
        return invalid("the arrays have too many elements");
    if (part[SEED].rm_so >= 0 && strtoull(text + part[SEED].rm_so, NULL, 10) > UINT32_MAX)
        return invalid("the seed is above 2^32 - 1");
    regfree(&regex);
    return VALID;
}
