/*
 * compare.h - the format's default output validator: is a text the right answer, word by word.
 *
 * https://www.kattis.com/problem-package-format/spec/2025-09.html#default-output-validator-specification
 */
#ifndef ADAPTED_COMPARE_H
#define ADAPTED_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* What its arguments say. All zero: words as they are, in capitals or not, with any space between them. */
struct adapted_rules {
    bool case_sensitive, space_sensitive;
    bool floats;               /* words that are numbers may differ by one of the two, below 0 where not given */
    double absolute, relative;
};

/* Reads arguments. False at one that there is not: *unknown. */
bool adapted_rules_read(struct adapted_rules *rules, size_t count, const char *const *arguments, const char **unknown);

/* Whether the output is right; else words[size] say where it is not. */
bool adapted_compare(const struct adapted_rules *rules, const char *answer, size_t answer_size, const char *output,
                     size_t output_size, char *words, size_t size);

/* A text as one word of up to 63 characters: as it stands if it is one of up to 39, else its size and a sum over it. */
void adapted_word(const char *from, size_t bytes, char *text, size_t size);

#endif
