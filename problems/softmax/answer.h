/*
 * answer.h - what reference() prepares for check(): of each row the largest element, and the sum in float64. Every
 * element of an output is judged by these and the rule of precision.h, whatever the size.
 */
#ifndef SOFTMAX_ANSWER_H
#define SOFTMAX_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "matrix.h"
#include "verify/base/blob.h"
#include "verify/base/error.h"
#include "verify/judge/verdict.h"

/* Of one row. */
struct softmax_row {
    double largest; /* m: minus infinity where all elements are */
    double sum;     /* S: of exp(x - m); 0 where all elements are minus infinity */
};

/*
 * The answer, [rows] of softmax_row. Terms are added in 8 sums, term j in sum j mod 8, and these in their order.
 * `plain`: in the plainest way, one thread and one element after the other. False when memory is exhausted.
 */
bool softmax_answer(const struct softmax_matrix *matrix, bool plain, struct blob *answer, struct error *error);

/* Judges an output, [rows][columns] of the matrix's type; on CHECK_WRONG *finding says which element is wrong. */
enum check_result softmax_judge(const struct softmax_matrix *matrix, const struct blob *answer,
                                const unsigned char *output, struct finding *finding);

/* The bias of precision.h, rule (2), for a row that has a finite element. */
double softmax_bias(const struct softmax_matrix *matrix, size_t row, const struct softmax_row *about);

/* The word that stands in the .ans file. */
void softmax_answer_word(const struct blob *answer, char *text, size_t size);

#endif
