/*
 * driver_dump.c - the settings of core dumps, cuCoredump*. They are kept, per context and for the process, and have no
 * effect: a faulting kernel is reported on standard error, and no file is written.
 */
#include "driver.h"

#include <string.h>

enum { DUMP_TEXT = 1024 }; /* bytes of a name, the NUL among them */

struct dump_settings {
    bool set[CU_COREDUMP_MAX];  /* [setting]: by the program; else the default or the process's holds */
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

/* The settings at `place`, made when they are first asked for; NULL: no memory. */
static struct dump_settings *settings_at(struct runtime *runtime, struct dump_settings **place)
{
    if (!*place && (*place = handle_create(runtime, sizeof **place, HANDLE_RECORD)) != NULL)
        (*place)->flag[CU_COREDUMP_TRIGGER_HOST] = true;
    return *place;
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
    if (!settings || !settings->set[setting])
        settings = settings_at(call.runtime, &call.runtime->dump);
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
    settings = settings_at(call.runtime, of_context ? &driver_current(call.thread)->dump : &call.runtime->dump);
    if (settings) {
        settings->set[setting] = true;
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
