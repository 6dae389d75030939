/*
 * call.c - calls a participant's device_user() for the problem skeleton. Linked into the runner.
 */
#include "verify/wire/call.h"

#include <string.h>

#include "include/device_user.h"
#include "input.h"

void call_device_user(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    int (*device_user_of_submission)(const int *, int) = (int (*)(const int *, int))function;
    const struct skeleton_input *header = input;
    const int *values = (const int *)((char *)input + VALUES_OFFSET);
    int largest = device_user_of_submission(values, (int)header->count);

    (void)input_size;
    memcpy(output, &largest, output_size < sizeof largest ? output_size : sizeof largest);
}
