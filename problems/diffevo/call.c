/*
 * call.c - calls a participant's device_user() for the problem diffevo. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "input.h"

void call_device_user(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    void (*device_user_of_submission)(int, const struct diffevo_problem *, int, const float *, struct diffevo_result *,
                                      float *) =
        (void (*)(int, const struct diffevo_problem *, int, const float *, struct diffevo_result *, float *))function;
    const struct diffevo_input *header = input;
    char *bytes = input;

    (void)input_size;
    (void)output_size;
    device_user_of_submission((int)header->mode, (const struct diffevo_problem *)(bytes + PROBLEMS_OFFSET),
                              (int)header->count, (const float *)(bytes + input_data_offset(header->count)),
                              header->mode == DIFFEVO_OPEN ? NULL : output,
                              (float *)((char *)output + output_x_offset(header)));
}
