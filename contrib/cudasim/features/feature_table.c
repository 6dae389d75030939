/* feature_table.c - the rows of feature.h as text: names of columns, values, lines of the CSV. */
#include "feature.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *feature_column(enum feature feature)
{
    static const char *const names[] = {
#define FEATURE_NAME(id, name) name,
        FEATURES(FEATURE_NAME)
#undef FEATURE_NAME
    };

    return names[feature];
}

struct feature_text feature_text(double value)
{
    struct feature_text x = {""};

    if (isnan(value))
        return x;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(x.text, sizeof x.text, "%.*g", digits, value);
        if (strtod(x.text, NULL) == value)
            break;
    }
    return x;
}

void features_write_header(FILE *out)
{
    fputs("kernel", out);
    for (int f = 0; f < FEATURE_COUNT; f++)
        fprintf(out, ",%s", feature_column((enum feature)f));
    fputc('\n', out);
}

void features_write_row(FILE *out, const struct features_row *row)
{
    fputs(row->kernel.text, out);
    for (int f = 0; f < FEATURE_COUNT; f++)
        fprintf(out, ",%s", feature_text(row->value[f]).text);
    fputc('\n', out);
}
