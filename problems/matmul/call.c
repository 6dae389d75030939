/*
 * call.c - calls a participant's device_user() for the problem matmul. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    void (*device_user_of_submission)(const float *, const float *, float *, int, int, int) =
        (void (*)(const float *, const float *, float *, int, int, int))function;
    const struct matmul_input *header = input;
    const float *a = (const float *)((char *)input + MATMUL_A_OFFSET);
    const float *b = (const float *)((char *)input + matmul_b_offset(header->m, header->k));

    (void)input_size;
    (void)output_size; /* M * N floats, which the submission writes in place */
    device_user_of_submission(a, b, output, (int)header->m, (int)header->n, (int)header->k);
}
