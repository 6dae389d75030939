/*
 * call.c - calls a participant's device_user() for the problem softmax. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user_of_submission)(const void *, void *, int, int, int, device_stream) =
        (void (*)(const void *, void *, int, int, int, device_stream))function;
    const struct softmax_input *header = call->header;

    device_user_of_submission((const char *)call->input + SOFTMAX_ELEMENTS_OFFSET, call->output, (int)header->rows,
                              (int)header->columns, (int)header->type, call->stream);
}
