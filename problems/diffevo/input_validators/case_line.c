/*
 * case_line.c - input validator: whether standard input is a valid case of the problem diffevo.
 *
 * One line: KIND COUNT [d=D] [np=NP] [g=G] [f=F] [cr=CR] [target=T] [rotated=0|1] [mode=open] [seed=S], options in this
 * order. The host checks the same again in cases.c; the limits of both are those of input.h. Exit code 42 for valid,
 * 43 for not.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../input.h"

enum { VALID = 42, INVALID = 43 };

/* The groups of the grammar below that hold something. */
enum { KIND = 1, COUNT = 2, D = 4, NP = 6, G = 8, F = 10, CR = 12, TARGET = 14, ROTATED = 18, SEED = 21, GROUPS };

static int invalid(const char *why)
{
    fprintf(stderr, "case_line: %s\n", why);
    return INVALID;
}

static int is_there(const regmatch_t *part) { return part->rm_so >= 0; }

static double number_of(const char *text, const regmatch_t *part, double fallback)
{
    return is_there(part) ? strtod(text + part->rm_so, NULL) : fallback;
}

static int within(double number, double low, double high) { return number >= low && number <= high; }

int main(void)
{
    static const char grammar[] =
        "^(sphere|rosenbrock|rastrigin|ackley|griewank|schwefel|mixed) ([1-9][0-9]{0,4})"
        "( d=([1-9][0-9]{0,2}))?( np=([1-9][0-9]{0,3}))?( g=(0|[1-9][0-9]{0,5}))?"
        "( f=([012]|[01]\\.[0-9]{1,6}))?( cr=([01]|0\\.[0-9]{1,6}))?( target=([0-9]+(\\.[0-9]+)?(e-?[0-9]{1,2})?))?"
        "( rotated=([01]))?( mode=open)?( seed=([0-9]{1,10}))?\n$";
    regmatch_t part[GROUPS];
    char text[1024];
    size_t size = fread(text, 1, sizeof text - 1, stdin);
    double d, least, numbers;
    regex_t regex;

    text[size] = '\0';
    if (!feof(stdin) || strlen(text) != size)
        return invalid("the input is too long, or holds a zero byte");
    if (regcomp(&regex, grammar, REG_EXTENDED) != 0)
        return 1;
    if (regexec(&regex, text, GROUPS, part, 0) != 0)
        return invalid("the line does not follow the grammar");
    d = number_of(text, &part[D], 30);
    if (!within(number_of(text, &part[COUNT], 0), 1, DIFFEVO_COUNT_MAX))
        return invalid("COUNT is out of its limits");
    if (!within(d, DIFFEVO_DIMENSION_MIN, DIFFEVO_DIMENSION_MAX))
        return invalid("d is out of its limits");
    least = DIFFEVO_POPULATION_MIN * d;
    if (!within(number_of(text, &part[NP], least), least, DIFFEVO_POPULATION_MAX * d))
        return invalid("np is out of its limits");
    if (!within(number_of(text, &part[G], 0), 0, DIFFEVO_GENERATIONS_MAX))
        return invalid("g is too large");
    if (!within(number_of(text, &part[F], 0.5), DIFFEVO_WEIGHT_MIN, DIFFEVO_WEIGHT_MAX))
        return invalid("f is out of its limits");
    if (!within(number_of(text, &part[TARGET], 1), DIFFEVO_TARGET_MIN, DIFFEVO_TARGET_MAX))
        return invalid("target is out of its limits");
    if (text[part[KIND].rm_so] == 'm' &&
        (is_there(&part[NP]) || is_there(&part[F]) || is_there(&part[CR]) || is_there(&part[TARGET])))
        return invalid("np, f, cr and target are drawn in a mixed case");
    numbers = number_of(text, &part[COUNT], 0) * d * (number_of(text, &part[ROTATED], 0) > 0 ? 1 + d : 1);
    /* How many a mixed case has, only the host knows. */
    if (numbers > DIFFEVO_DATA_MAX && text[part[KIND].rm_so] != 'm')
        return invalid("the shifts and rotations have too many numbers");
    if (number_of(text, &part[SEED], 0) > UINT32_MAX)
        return invalid("the seed is above 2^32 - 1");
    regfree(&regex);
    return VALID;
}
