/*
 * call.c - calls a participant's device_user() for the problem skeleton. Linked into the runner.
 */
#include "verify/wire/call.h"

#include <string.h>

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    int (*device_user_of_submission)(const int *, int) = (int (*)(const int *, int))function;
    const struct skeleton_input *header = call->input;
    const int *values = (const int *)((char *)call->input + VALUES_OFFSET);
    int largest = device_user_of_submission(values, (int)header->count);

    memcpy(call->output, &largest, call->output_size < sizeof largest ? call->output_size : sizeof largest);
}
