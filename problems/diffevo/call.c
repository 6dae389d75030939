/*
 * call.c - calls a participant's device_user() for the problem diffevo. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user_of_submission)(int, const struct diffevo_problem *, int, const float *, struct diffevo_result *,
                                      float *) =
        (void (*)(int, const struct diffevo_problem *, int, const float *, struct diffevo_result *, float *))function;
    const struct diffevo_input *header = call->input;
    char *bytes = call->input;

    device_user_of_submission((int)header->mode, (const struct diffevo_problem *)(bytes + PROBLEMS_OFFSET),
                              (int)header->count, (const float *)(bytes + input_data_offset(header->count)),
                              header->mode == DIFFEVO_OPEN ? NULL : call->output,
                              (float *)((char *)call->output + output_x_offset(header)));
}
