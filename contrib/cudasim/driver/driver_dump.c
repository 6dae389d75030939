/*
 * driver_dump.c - the settings of core dumps, cuCoredump*. They are kept, per context and for the process, and have no
 * effect: a faulting kernel is reported on standard error, and no file is written. A context has the process's settings
 * of the time when it was made, as on an H200.
 */
#include "driver.h"

#include <string.h>

enum { DUMP_TEXT = 1024 }; /* bytes of a name, the NUL among them */

struct dump_settings {
    bool flag[CU_COREDUMP_MAX]; /* [setting], where it is a bool */
    char text[CU_COREDUMP_MAX][DUMP_TEXT]; /* [setting], where it is a name */
    int generation;             /* CU_COREDUMP_GENERATION_FLAGS */
};

/* Bytes of the value; 0: there is no such setting. */
static size_t size_of(CUcoredumpSettings setting)
{
    switch ((int)setting) {
    case CU_COREDUMP_ENABLE_ON_EXCEPTION:
    case CU_COREDUMP_TRIGGER_HOST:
    case CU_COREDUMP_LIGHTWEIGHT:
    case CU_COREDUMP_ENABLE_USER_TRIGGER:
        return sizeof(bool);
    case CU_COREDUMP_FILE:
    case CU_COREDUMP_PIPE:
        return DUMP_TEXT;
    case CU_COREDUMP_GENERATION_FLAGS:
        return sizeof(int);
    default:
        return 0;
    }
}

static void *value_of(struct dump_settings *settings, CUcoredumpSettings setting)
{
    if (setting == CU_COREDUMP_GENERATION_FLAGS)
        return &settings->generation;
    return setting == CU_COREDUMP_FILE || setting == CU_COREDUMP_PIPE ? (void *)settings->text[setting]
                                                                      : &settings->flag[setting];
}

/* The process's settings, made when they are first asked for; NULL: no memory. */
static struct dump_settings *settings_of_process(struct runtime *runtime)
{
    if (!runtime->dump && (runtime->dump = handle_create(runtime, sizeof *runtime->dump, HANDLE_RECORD)) != NULL)
        runtime->dump->flag[CU_COREDUMP_TRIGGER_HOST] = true;
    return runtime->dump;
}

struct dump_settings *driver_dump_settings(struct runtime *runtime, struct CUctx_st *context)
{
    const struct dump_settings *process = settings_of_process(runtime);

    if (process && !context->dump &&
        (context->dump = handle_create(runtime, sizeof *context->dump, HANDLE_RECORD)) != NULL)
        *context->dump = *process;
    return context->dump;
}

static CUresult get(CUcoredumpSettings setting, void *value, size_t *size, bool of_context)
{
    const size_t bytes = size_of(setting);
    struct driver_call call;
    struct dump_settings *settings;

    if (!driver_begin(&call, of_context ? DRIVER_CONTEXT : DRIVER_READY))
        return call.result;
    if (!size || !bytes || (value && *size < (bytes == DUMP_TEXT ? 1 : bytes)))
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    settings = of_context ? driver_current(call.thread)->dump : NULL;
    if (!settings)
        settings = settings_of_process(call.runtime);
    if (settings && value) {
        const size_t room = *size < bytes ? *size : bytes;

        memcpy(value, value_of(settings, setting), room);
        if (bytes == DUMP_TEXT)
            ((char *)value)[room - 1] = '\0';
    }
    *size = bytes;
    runtime_unlock(call.runtime);
    return settings ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult set(CUcoredumpSettings setting, const void *value, const size_t *size, bool of_context)
{
    const size_t bytes = size_of(setting);
    struct driver_call call;
    struct dump_settings *settings;

    if (!driver_begin(&call, of_context ? DRIVER_CONTEXT : DRIVER_READY))
        return call.result;
    if (!value || !size || !bytes || (bytes == DUMP_TEXT ? *size >= bytes : *size < bytes))
        return CUDA_ERROR_INVALID_VALUE;
    runtime_lock(call.runtime);
    settings = of_context ? driver_dump_settings(call.runtime, driver_current(call.thread))
                          : settings_of_process(call.runtime);
    if (settings) {
        if (bytes == DUMP_TEXT)
            memset(value_of(settings, setting), 0, bytes);
        memcpy(value_of(settings, setting), value, *size < bytes ? *size : bytes);
    }
    runtime_unlock(call.runtime);
    return settings ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuCoredumpGetAttribute(CUcoredumpSettings setting, void *value, size_t *size)
{
    return get(setting, value, size, true);
}

CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings setting, void *value, size_t *size)
{
    return get(setting, value, size, false);
}

CUresult cuCoredumpSetAttribute(CUcoredumpSettings setting, void *value, size_t *size)
{
    return set(setting, value, size, true);
}

CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings setting, void *value, size_t *size)
{
    return set(setting, value, size, false);
}
