/*
 * call.c - calls a participant's device_user() for the problem editdistance. Linked into the runner.
 */
#include "verify/wire/call.h"

#include <string.h>

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    unsigned int (*device_user_of_submission)(char *, int, char *, int) =
        (unsigned int (*)(char *, int, char *, int))function;
    const struct editdistance_input *header = input;
    char *str1 = (char *)input + STRINGS_OFFSET, *str2 = str1 + header->length1;
    unsigned int distance;

    (void)input_size;
    distance = device_user_of_submission(str1, (int)header->length1, str2, (int)header->length2);
    memcpy(output, &distance, output_size < sizeof distance ? output_size : sizeof distance);
}
