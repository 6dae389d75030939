/*
 * call.c - calls a participant's device_user() for the problem scan. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    void (*device_user_of_submission)(const void *, const uint8_t *, void *, size_t, int, device_stream) =
        (void (*)(const void *, const uint8_t *, void *, size_t, int, device_stream))function;
    const struct scan_input *header = call->header;
    const unsigned char *data = call->input;

    device_user_of_submission(data + SCAN_HEADER,
                              header->segmented ? data + scan_starts_offset(header->count, header->type) : NULL,
                              call->output, header->count, (int)header->type, (device_stream)call->stream);
}
