/*
 * number.c - the grammar of numbers.
 */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789";

/* Behind the whole number that `text` begins with; NULL where it begins with none. */
static const char *skip_integer(const char *text)
{
    const size_t length = strspn(text += *text == '-', digits);

    return length == 0 || (length > 1 && text[0] == '0') ? NULL : text + length;
}

/* Behind the digits, of which there is at least one; or NULL. */
static const char *skip_digits(const char *text)
{
    const size_t length = strspn(text, digits);

    return length == 0 ? NULL : text + length;
}

bool number_integer(const char *text, int64_t least, int64_t most, int64_t *number)
{
    const char *end = skip_integer(text);
    int64_t value;

    errno = 0;
    if (!end || *end != '\0' || strcmp(text, "-0") == 0)
        return false;
    value = strtoimax(text, NULL, 10);
    if (errno != 0 || value < least || value > most)
        return false;
    *number = value;
    return true;
}

bool number_decimal(const char *text, double least, double most, double *number)
{
    const char *end = skip_integer(text);
    double value;

    if (end && *end == '.')
        end = skip_digits(end + 1);
    if (end && (*end == 'e' || *end == 'E'))
        end = skip_digits(end + 1 + (end[1] == '-' || end[1] == '+'));
    if (!end || *end != '\0')
        return false;
    value = strtod(text, NULL);
    if (!isfinite(value) || !(value >= least) || !(value <= most) || (value == 0 && text[0] == '-'))
        return false;
    *number = value;
    return true;
}
