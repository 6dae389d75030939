/*
 * runtime_log.c - the log of calls that failed: cudaLogs*. call_end() adds to it; the driver's cuLogs* call the
 * functions here. The program reads it, or registers functions that get each message.
 *
 * The log keeps the last LOG_MESSAGES messages. An iterator is the number of a message, counted from 0.
 */
#include "error_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOG_MESSAGES = 128, LOG_BYTES = 200 /* of a message */ };

/* A registered function; behind cudaLogsCallbackHandle. */
struct CUlogsCallbackEntry_st {
    struct CUlogsCallbackEntry_st *next;
    cudaLogsCallback_t function;
    void *data;
};

struct error_log {
    char text[LOG_MESSAGES][LOG_BYTES]; /* message n is at n % LOG_MESSAGES */
    unsigned count;                     /* of all messages ever */
    struct CUlogsCallbackEntry_st *callbacks;
};

/* The log, made at its first use; NULL: no memory. */
static struct error_log *log_of(struct runtime *runtime)
{
    if (!runtime->log)
        runtime->log = calloc(1, sizeof *runtime->log);
    return runtime->log;
}

void log_release(struct runtime *runtime)
{
    struct CUlogsCallbackEntry_st *entry;

    while (runtime->log && (entry = runtime->log->callbacks) != NULL) {
        runtime->log->callbacks = entry->next;
        free(entry);
    }
    free(runtime->log);
    runtime->log = NULL;
}

/* ------------------------------------------------------------------ writing */

/* Writes the message where the environment's CUDA_LOG_FILE asks for it: stdout, stderr, or the name of a file. */
static void copy_to_file(const char *text)
{
    const char *path = getenv("CUDA_LOG_FILE");
    FILE *file;

    if (!path || !*path)
        return;
    file = !strcmp(path, "stdout") ? stdout : !strcmp(path, "stderr") ? stderr : fopen(path, "ae");
    if (!file)
        return;
    fprintf(file, "%s\n", text);
    if (file != stdout && file != stderr)
        fclose(file);
}

bool log_add(struct runtime *runtime, const char *call, cudaError_t error, struct log_note *note)
{
    struct error_log *log = log_of(runtime);
    struct timespec now;
    struct tm parts;
    char *text;

    if (!log)
        return false;
    text = log->text[log->count++ % LOG_MESSAGES];
    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &parts);
    snprintf(text, LOG_BYTES, "[%02d:%02d:%02d.%03ld][%ld][CUDA][E] %s%sreturned %s (%s)", parts.tm_hour, parts.tm_min,
             parts.tm_sec, now.tv_nsec / 1000000, (long)getpid(), call ? call : "", call ? "() " : "a call ",
             error_name(error), error_text(error));
    copy_to_file(text);
    note->count = 0;
    snprintf(note->text, sizeof note->text, "%s", text);
    for (const struct CUlogsCallbackEntry_st *entry = log->callbacks; entry && note->count < LOG_CALLBACKS;
         entry = entry->next) {
        note->functions[note->count] = entry->function;
        note->data[note->count++] = entry->data;
    }
    return note->count > 0;
}

void log_tell(struct thread_state *thread, struct log_note *note)
{
    cudaError_t last = thread->last;

    if (thread->in_log)
        return;
    thread->in_log = true;
    for (unsigned n = 0; n < note->count; n++)
        note->functions[n](note->data[n], cudaLogLevelError, note->text, strlen(note->text));
    thread->in_log = false;
    thread->last = last;
}

/* ------------------------------------------------------------------ the calls */

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function, void *data, cudaLogsCallbackHandle *handle)
{
    struct CUlogsCallbackEntry_st *entry;
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        entry = function && log_of(call.runtime) ? calloc(1, sizeof *entry) : NULL;
        if (!entry) {
            call.error = function ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
        } else {
            *entry = (struct CUlogsCallbackEntry_st){ call.runtime->log->callbacks, function, data };
            call.runtime->log->callbacks = entry;
            if (handle)
                *handle = entry;
        }
    }
    return call_end(&call);
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle)
{
    struct CUlogsCallbackEntry_st **at;
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        at = call.runtime->log ? &call.runtime->log->callbacks : NULL;
        while (at && *at && *at != handle)
            at = &(*at)->next;
        if (!at || !*at) {
            call.error = cudaErrorInvalidValue;
        } else {
            *at = handle->next;
            free(handle);
        }
    }
    return call_end(&call);
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned flags)
{
    struct call call;

    (void)flags; /* an H200 takes any */
    if (call_begin(&call, CALL_ANY)) {
        if (!iterator)
            call.error = cudaErrorInvalidValue;
        else
            *iterator = call.runtime->log ? call.runtime->log->count : 0;
    }
    return call_end(&call);
}

/* The first message from `*iterator` on that is still there. `*lost`: some before it are not. */
static unsigned first_of(const struct error_log *log, const cudaLogIterator *iterator, bool *lost)
{
    unsigned oldest = log && log->count > LOG_MESSAGES ? log->count - LOG_MESSAGES : 0, from = iterator ? *iterator : 0;

    *lost = from < oldest;
    return *lost ? oldest : from;
}

static const char truncated[] = "[CUDA] earlier messages are lost";

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        const struct error_log *log = call.runtime->log;
        unsigned count = log ? log->count : 0;
        FILE *file = path && !flags ? fopen(path, "we") : NULL;
        bool lost;

        if (!file) {
            call.error = cudaErrorInvalidValue;
        } else {
            unsigned n = first_of(log, iterator, &lost);

            if (lost)
                fprintf(file, "%s\n", truncated);
            for (; n < count; n++)
                fprintf(file, "%s\n", log->text[n % LOG_MESSAGES]);
            if (fclose(file) != 0)
                call.error = cudaErrorInvalidValue;
            if (iterator)
                *iterator = count;
        }
    }
    return call_end(&call);
}

/* The newest messages that fit, each on a line, and a NUL. Returns the bytes without it. */
static size_t fill(const struct error_log *log, unsigned from, bool lost, char *buffer, size_t size)
{
    unsigned count = log ? log->count : 0, n = count;
    size_t used = 0, room = size - 1;

    while (n > from && strlen(log->text[(n - 1) % LOG_MESSAGES]) + 1 <= room)
        room -= strlen(log->text[--n % LOG_MESSAGES]) + 1;
    if (n > from) { /* the line that says so needs room as well */
        while (n < count && room < sizeof truncated)
            room += strlen(log->text[n++ % LOG_MESSAGES]) + 1;
        lost = true;
    }
    if (lost && room >= sizeof truncated)
        used = (size_t)sprintf(buffer, "%s\n", truncated);
    for (; n < count; n++)
        used += (size_t)sprintf(buffer + used, "%s\n", log->text[n % LOG_MESSAGES]);
    buffer[used] = '\0';
    return used;
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_ANY)) {
        const struct error_log *log = call.runtime->log;
        bool lost;

        if (!buffer || !size || !*size || flags) {
            call.error = cudaErrorInvalidValue;
        } else {
            unsigned from = first_of(log, iterator, &lost);

            *size = fill(log, from, lost, buffer, *size);
            if (iterator)
                *iterator = log ? log->count : 0;
        }
    }
    return call_end(&call);
}
