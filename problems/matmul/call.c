/*
 * call.c - calls a participant's device_user() for the problem matmul. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user_of_submission)(const float *, const float *, float *, int, int, int) =
        (void (*)(const float *, const float *, float *, int, int, int))function;
    const struct matmul_input *header = call->input;
    const float *a = (const float *)((char *)call->input + MATMUL_A_OFFSET);
    const float *b = (const float *)((char *)call->input + matmul_b_offset(header->m, header->k));

    device_user_of_submission(a, b, call->output, (int)header->m, (int)header->n, (int)header->k);
}
