/*
 * call.c - calls a participant's device_user() for the problem mergesort. Linked into the runner.
 */
#include "verify/wire/call.h"

#include <string.h>

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user_of_submission)(const int32_t *, const uint32_t *, int32_t *, uint32_t *, size_t) =
        (void (*)(const int32_t *, const uint32_t *, int32_t *, uint32_t *, size_t))function;
    struct mergesort_input *header = call->input;
    const uint32_t returned = CALL_RETURNED;
    size_t count = header->count, second = mergesort_paged(count);
    char *in = (char *)call->input + KEYS_OFFSET, *out = call->output;
    int pairs = header->pairs != 0;

    memset(header, 0, sizeof *header); /* the submission must not see what a payload is made of */
    device_user_of_submission((const int32_t *)in, pairs ? (const uint32_t *)(in + second) : NULL, (int32_t *)out,
                              pairs ? (uint32_t *)(out + second) : NULL, count);
    if (call->output_size >= sizeof returned)
        memcpy(out + call->output_size - sizeof returned, &returned, sizeof returned);
}
