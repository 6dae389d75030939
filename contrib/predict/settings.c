/* settings.c - the command that says what the simulator's device is to have of the GPU that is predicted for. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "request.h"

/* NAME=VALUE in the simulator's names: CUDASIM_MULTIPROCESSORS, CUDASIM_THREADS_PER_SM and the like. */
static void print_setting(const char *field, double value)
{
    size_t length = strlen(field);
    bool per_sm = length > 7 && strcmp(field + length - 7, "_per_sm") == 0;

    if (strcmp(field, "sms") == 0)
        field = "multiprocessors";
    else if (!per_sm)
        return;
    fputs("CUDASIM_", stdout);
    for (const char *at = field; *at; at++)
        putchar(toupper((unsigned char)*at));
    printf("=%.15g\n", value);
}

bool command_settings(const struct request *r, struct error *error)
{
    struct model model;
    const struct gpu *gpu;
    char name[sizeof model.gpu.alias];

    if (!model_read(&model, r->file[0], error))
        return false;
    snprintf(name, sizeof name, "%s", model.gpu.alias);
    model_release(&model);
    if (!r->gpu && !*name)
        return error_usage(error, "the model '%s' was trained on several GPUs: name one with --gpu", r->file[0]);
    gpu = gpus_find(&r->known, r->gpu ? r->gpu : name);
    if (!gpu)
        return error_usage(error, "gpu '%s' is not in %s", r->gpu ? r->gpu : name, r->gpus);
#define X(field) print_setting(#field, gpu->field);
    GPU_FIELDS(X)
#undef X
    return true;
}
