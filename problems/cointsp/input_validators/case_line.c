/*
 * case_line.c - input validator: whether standard input is a valid case of the problem cointsp. One line:
 *
 *   prescribed KIND N P G [c=PERCENT] [k=THOUSANDTHS] [cap=THOUSANDTHS] [seed=S]
 *   open KIND N [target=PERCENT] [seed=S]
 *   batch COUNT [seed=S]
 *
 * The host checks the same again in problem.c; the limits of both are those of input.h. Exit code 42 for valid, 43 for
 * not.
 */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../input.h"

enum { VALID = 42, INVALID = 43, PARTS = 14 };

/* Whole numbers without leading zeros. */
#define NUMBER "(0|[1-9][0-9]{0,9})"
#define KIND "(uniform|clustered|grid|weights|far)"
#define SEED "( seed=" NUMBER ")?\n$"

/* A grammar, and the limits of its numbers: `part` is where a number stands among the parentheses. */
struct form {
    const char *grammar;
    struct {
        int part;
        unsigned long long low, high;
        const char *name;
    } numbers[8];
};

static const struct form forms[] = {
    { "^prescribed " KIND " " NUMBER " " NUMBER " " NUMBER "( c=" NUMBER ")?( k=" NUMBER ")?( cap=" NUMBER ")?" SEED,
      { { 2, COINTSP_CITIES_MIN, COINTSP_CITIES_MAX, "N" },
        { 3, COINTSP_POPULATION_MIN, COINTSP_POPULATION_MAX, "P" },
        { 4, 1, COINTSP_GENERATIONS_MAX, "G" },
        { 6, 1, COINTSP_PERCENT_MAX, "c" },
        { 8, 1, COINTSP_THOUSANDTHS, "k" },
        { 10, 1, COINTSP_THOUSANDTHS, "cap" },
        { 12, 0, UINT32_MAX, "seed" } } },
    { "^open " KIND " " NUMBER "( target=" NUMBER ")?" SEED,
      { { 2, COINTSP_CITIES_MIN, COINTSP_CITIES_MAX, "N" },
        { 4, 0, COINTSP_TARGET_MAX, "target" },
        { 6, 0, UINT32_MAX, "seed" } } },
    { "^batch " NUMBER SEED, { { 1, 1, COINTSP_BATCH_MAX, "COUNT" }, { 3, 0, UINT32_MAX, "seed" } } },
};

static int invalid(const char *why)
{
    fprintf(stderr, "case_line: %s\n", why);
    return INVALID;
}

/* The number of that part, or `missing` where the part is. */
static unsigned long long number_of(const char *text, const regmatch_t *part, unsigned long long missing)
{
    return part->rm_so < 0 ? missing : strtoull(text + part->rm_so, NULL, 10);
}

static int check_numbers(const struct form *form, const char *text, const regmatch_t *parts)
{
    unsigned long long cap;

    for (int k = 0; form->numbers[k].name; k++) {
        unsigned long long number = number_of(text, &parts[form->numbers[k].part], form->numbers[k].low);

        if (number < form->numbers[k].low || number > form->numbers[k].high) {
            fprintf(stderr, "case_line: %s is %llu: it must be %llu to %llu\n", form->numbers[k].name, number,
                    form->numbers[k].low, form->numbers[k].high);
            return INVALID;
        }
    }
    /* The generator starts at 1 / (n - 1), and may not be above the cap. */
    cap = number_of(text, &parts[10], COINTSP_THOUSANDTHS);
    if (form == &forms[0] && cap * (number_of(text, &parts[2], COINTSP_CITIES_MIN) - 1) < COINTSP_THOUSANDTHS)
        return invalid("the cap is below 1 / (N - 1)");
    return VALID;
}

int main(void)
{
    char text[1024];
    size_t size = fread(text, 1, sizeof text - 1, stdin);

    text[size] = '\0';
    if (!feof(stdin) || strlen(text) != size)
        return invalid("the input is too long, or holds a zero byte");
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        regmatch_t parts[PARTS];
        regex_t regex;
        int found;

        if (regcomp(&regex, forms[f].grammar, REG_EXTENDED) != 0)
            return 1;
        found = regexec(&regex, text, PARTS, parts, 0) == 0;
        regfree(&regex);
        if (found)
            return check_numbers(&forms[f], text, parts);
    }
    return invalid("the line does not follow the grammar");
}
