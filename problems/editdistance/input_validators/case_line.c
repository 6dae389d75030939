/*
 * case_line.c - input validator: whether standard input is a valid case of the problem editdistance.
 *
 * One line: KIND LENGTH1 LENGTH2 [alphabet=NAME] [period=P] [seed=S]. The host checks the same again in
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

static int length_is_valid(unsigned long length)
{
    return length > 0 && length <= EDITDISTANCE_LENGTH_MAX && length % EDITDISTANCE_LENGTH_UNIT == 0;
}

int main(void)
{
    static const char grammar[] =
        "^(random|equal|close|shifted|disjoint|single|repetitive|mutated|moved) ([1-9][0-9]{2,6}) ([1-9][0-9]{2,6})"
        "( alphabet=(printable|lower|upper|digits|alnum|dna|binary|bytes))?"
        "( period=([1-9][0-9]{0,2}))?( seed=([0-9]{1,10}))?\n$";
    enum { LENGTH1 = 2, LENGTH2 = 3, PERIOD = 7, SEED = 9, GROUPS };
    regmatch_t part[GROUPS];
    char text[1024];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    unsigned long length1, length2;
    regex_t regex;

    text[size] = '\0';
    if (!feof(stdin) || strlen(text) != size)
        return invalid("the input is too long, or holds a zero byte");
    if (regcomp(&regex, grammar, REG_EXTENDED) != 0)
        return 1;
    if (regexec(&regex, text, GROUPS, part, 0) != 0)
        return invalid("the line does not follow the grammar");
    length1 = strtoul(text + part[LENGTH1].rm_so, NULL, 10);
    length2 = strtoul(text + part[LENGTH2].rm_so, NULL, 10);
    if (!length_is_valid(length1) || !length_is_valid(length2))
        return invalid("a length is 0, too large or no multiple of the unit");
    if ((unsigned long long)length1 * length2 > EDITDISTANCE_CELLS_MAX)
        return invalid("the lengths' product is too large");
    if (part[PERIOD].rm_so >= 0 && strtoul(text + part[PERIOD].rm_so, NULL, 10) > EDITDISTANCE_PERIOD_MAX)
        return invalid("the period is too large");
    if (part[SEED].rm_so >= 0 && strtoull(text + part[SEED].rm_so, NULL, 10) > UINT32_MAX)
        return invalid("the seed is above 2^32 - 1");
    regfree(&regex);
    return VALID;
}
