/*
 * call.c - calls a participant's device_user() for the problem attention. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

typedef void attention_function(const uint16_t *, const uint16_t *, const uint16_t *, uint16_t *, int, int, int, int,
                                device_stream);

void call_device_user(void (*function)(void), const struct user_call *call)
{
    attention_function *device_user_of_submission = (attention_function *)function;
    const struct attention_input *header = call->header;
    const uint64_t pitch = attention_pitch(header->heads, header->length, header->dim);
    const char *data = (const char *)call->input + ATTENTION_HEADER;

    device_user_of_submission((const uint16_t *)data, (const uint16_t *)(data + pitch),
                              (const uint16_t *)(data + 2 * pitch), call->output, (int)header->heads,
                              (int)header->length, (int)header->dim, (int)header->causal, call->stream);
}
