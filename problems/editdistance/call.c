/*
 * call.c - calls a participant's device_user() for the problem editdistance. Linked into the runner.
 */
#include "verify/wire/call.h"

#include <string.h>

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), const struct user_call *call)
{
    unsigned int (*device_user_of_submission)(char *, int, char *, int) =
        (unsigned int (*)(char *, int, char *, int))function;
    const struct editdistance_input *header = call->input;
    char *str1 = (char *)call->input + STRINGS_OFFSET, *str2 = (char *)call->input + STRING2_OFFSET(header->length1);
    unsigned int distance;

    distance = device_user_of_submission(str1, (int)header->length1, str2, (int)header->length2);
    memcpy(call->output, &distance, call->output_size < sizeof distance ? call->output_size : sizeof distance);
}
