/*
 * number.h - numbers as text, read in one strict way for all settings, options and lists.
 *
 * A whole number is 0, or digits of which the first is not 0, with - before it if it is negative. A decimal may have a
 * fraction and an exponent behind that: 0.5, 1.8e12. Nothing else is a number: no +, no spaces, no leading zeros, no
 * 0x10, no 1_000, no inf or nan.
 */
#ifndef VERIFY_NUMBER_H
#define VERIFY_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Whether all of `text` is a number from `least` to `most`, which is put into *number then; else *number stays. */
bool number_integer(const char *text, int64_t least, int64_t most, int64_t *number);
bool number_decimal(const char *text, double least, double most, double *number);

#endif
