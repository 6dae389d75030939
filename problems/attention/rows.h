/*
 * rows.h - rows of the attention in float64: the truth that outputs are judged by.
 *
 * A row is one query of one head. Its scores are sums of products of two bfloat16, 16 bits each: in generated cases
 * they are exact in float64, whatever the order of the sum. The weights are exp() of the C library. What they are
 * summed up with is added in ascending order of keys, unfused: so all versions give the same bits on one machine.
 *
 * The inner loops are compiled for AVX-512, AVX2 and plain float64, and chosen at run time.
 */
#ifndef ATTENTION_ROWS_H
#define ATTENTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heads.h"
#include "precision.h"

enum attention_isa { ATTENTION_PORTABLE, ATTENTION_AVX2, ATTENTION_AVX512, ATTENTION_ISAS };

bool attention_isa_supported(enum attention_isa isa);
enum attention_isa attention_isa_best(void);

/* One query. */
struct attention_row {
    uint32_t head, i;
};

/* truths[count][dim] of these rows. False when memory is exhausted. */
bool attention_rows(enum attention_isa isa, const struct attention_heads *h, const struct attention_row *rows,
                    size_t count, struct attention_truth *truths);

/* The same by the definition, a row and an element at a time. */
bool attention_rows_plain(const struct attention_heads *h, const struct attention_row *rows, size_t count,
                          struct attention_truth *truths);

#endif
