/*
 * call.c - calls a participant's device_user() for the problem cointsp, once an instance. Linked into the runner.
 */
#include "verify/wire/call.h"

#include "include/device_user.h"
#include "input.h"

typedef void (*device_user_function)(const struct cointsp_case *, const int32_t *, struct cointsp_generation *,
                                     int32_t *);

void call_device_user(void (*function)(void), const struct user_call *call)
{
    const struct cointsp_input *header = call->input;
    unsigned char *place = (unsigned char *)call->input + COINTSP_ALIGNMENT, *result = call->output;

    for (uint32_t i = 0; i < header->count; i++) {
        struct cointsp_case c = *(const struct cointsp_case *)place; /* as it was, should the call overwrite it */

        ((device_user_function)function)((const struct cointsp_case *)place,
                                         (const int32_t *)(place + COINTSP_ALIGNMENT),
                                         (struct cointsp_generation *)result,
                                         (int32_t *)(result + c.generations * sizeof(struct cointsp_generation)));
        place += cointsp_instance_size(&c);
        result += cointsp_result_size(&c);
    }
}
