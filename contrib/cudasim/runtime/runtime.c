/*
 * runtime.c - the one runtime of the process: made by the first call, reported on and taken down when the process ends;
 * and the frame in which every call runs.
 *
 * The library's constructors are the programs' own (they register their kernels before main), so nothing is made before
 * it is asked for. The end is this library's destructor: it runs after the program's own exit handlers and destructors,
 * so that what those free is no leak.
 */
#include "runtime.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/report/explain.h"
#include "contrib/cudasim/features/feature.h"
#include "contrib/cudasim/report/speed.h"

#define BLOCKS_TRIED 64 /* of a launch with another block size */

/* The process-wide facade that CUDA's API needs: its calls have no context. Written once, by create(). */
static struct runtime *the_runtime;

void runtime_complain(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "cudasim: %s\n", line);
}

/* ------------------------------------------------------------------ beginning and end */

/* A thread ends; a capture of its default stream ends with it. */
static void end_thread(void *data)
{
    struct thread_state *thread = data;
    struct runtime *runtime = runtime_get();

    if (runtime && thread->stream.capture) {
        runtime_lock(runtime);
        capture_forget(runtime, &thread->stream);
        runtime_unlock(runtime);
    }
    free(thread);
}

static void create(void)
{
    struct runtime *runtime = calloc(1, sizeof *runtime);

    if (!runtime)
        return;
    if (pthread_key_create(&runtime->thread_key, end_thread) != 0) {
        free(runtime);
        return;
    }
    pthread_mutex_init(&runtime->lock, NULL);
    runtime->legacy = (struct CUstream_st){ .id = 1, .legacy = true, .builtin = true };
    runtime->pool = (struct CUmemPoolHandle_st){ .builtin = true, .reuse = { 1, 1, 1 } };
    runtime->current_pool = &runtime->pool;
    runtime->next_id = 3;
    if (!map_put(&runtime->handles, &runtime->pool, (void *)(uintptr_t)HANDLE_POOL)) {
        free(runtime);
        return;
    }
    the_runtime = runtime;
}

struct runtime *runtime_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, create);
    return the_runtime && !__atomic_load_n(&the_runtime->ended, __ATOMIC_ACQUIRE) ? the_runtime : NULL;
}

struct thread_state *runtime_thread(struct runtime *runtime)
{
    struct thread_state *thread = pthread_getspecific(runtime->thread_key);

    if (thread)
        return thread;
    thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->stream = (struct CUstream_st){ .id = 2, .builtin = true };
    if (pthread_setspecific(runtime->thread_key, thread) != 0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void runtime_lock(struct runtime *runtime)
{
    pthread_mutex_lock(&runtime->lock);
}

void runtime_unlock(struct runtime *runtime)
{
    pthread_mutex_unlock(&runtime->lock);
}

/*
 * The file that the variable names, with its header. A line is written when its launch is over, so that none is lost.
 */
static bool open_rows(const char *name, uint64_t sample, struct features **features, FILE **out)
{
    const char *path = getenv(name);

    *features = features_create(sample);
    *out = *features ? fopen(path, "we") : NULL;
    if (!*out) {
        runtime_complain("cannot write %s '%s': %s", name, path, *features ? strerror(errno) : "out of memory");
        features_free(*features);
        *features = NULL;
        return false;
    }
    setvbuf(*out, NULL, _IOLBF, BUFSIZ);
    features_write_header(*out);
    return true;
}

static void close_rows(const char *name, struct features **features, FILE **out)
{
    bool bad = *out && ferror(*out);

    if (*out && (fclose(*out) != 0 || bad))
        runtime_complain("cannot write %s '%s': the file is not complete", name, getenv(name));
    features_free(*features);
    *features = NULL;
    *out = NULL;
}

static void close_features(struct runtime *runtime)
{
    close_rows("CUDASIM_FEATURES", &runtime->features, &runtime->features_out);
    close_rows("CUDASIM_FEATURES_TUNE", &runtime->tries, &runtime->tries_out);
}

/*
 * CUDASIM_FEATURES: a line a launch; CUDASIM_FEATURES_TUNE: a kernel's first launch, and others of other block sizes.
 */
static bool open_features(struct runtime *runtime, uint64_t sample)
{
    const char *tries = getenv("CUDASIM_FEATURES_TUNE");

    if (open_rows("CUDASIM_FEATURES", sample, &runtime->features, &runtime->features_out) &&
        (!tries || !*tries ||
         open_rows("CUDASIM_FEATURES_TUNE", sample ? sample : BLOCKS_TRIED, &runtime->tries, &runtime->tries_out)))
        return true;
    close_features(runtime);
    return false;
}

static bool create_device(struct runtime *runtime)
{
    struct sim_limits limits;
    struct sim_options options;
    const char *json = getenv("CUDASIM_JSON");
    char message[512] = "";

    if (!sim_limits_from_environment(&limits, message, sizeof message) ||
        !sim_options_from_environment(&options, message, sizeof message)) {
        runtime_complain("%s", message);
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    options.explain = options.explain || (json && *json);
    runtime->sim = sim_create(&limits, &options);
    if (!runtime->sim) {
        runtime_complain("cannot create the virtual device: out of memory or address space");
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    if (options.features && !open_features(runtime, options.sample)) {
        sim_destroy(runtime->sim);
        runtime->sim = NULL;
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    return true;
}

bool runtime_needs_device(struct runtime *runtime, cudaError_t *error)
{
    if (runtime->sim)
        return true;
    if (runtime->device_error == cudaSuccess && create_device(runtime))
        return true;
    *error = runtime->device_error;
    return false;
}

static bool asked(const char *name)
{
    const char *text = getenv(name);

    return text && *text && strcmp(text, "0") != 0;
}

/* The report goes to CUDASIM_EXPLAIN_FILE, or to standard error. */
static void report_text(struct runtime *runtime)
{
    const char *path = getenv("CUDASIM_EXPLAIN_FILE");
    FILE *out = path && *path ? fopen(path, "we") : stderr;

    if (!out) {
        runtime_complain("cannot write the report to '%s': %s", path, strerror(errno));
        return;
    }
    explain_text(runtime->sim, out);
    if (out != stderr && fclose(out) != 0)
        runtime_complain("cannot write the report to '%s': %s", path, strerror(errno));
}

/* What the environment asked to be told at the end. */
static void report(struct runtime *runtime)
{
    const char *json = getenv("CUDASIM_JSON");

    /* After a fault no program can free anything. */
    if (sim_options(runtime->sim)->check_leaks && runtime->sticky == cudaSuccess)
        allocation_check_leaks(runtime);
    if (asked("CUDASIM_EXPLAIN"))
        report_text(runtime);
    if (asked("CUDASIM_SPEED"))
        speed_text(runtime->sim, stderr);
    if (json && *json)
        explain_json(runtime->sim, json);
}

__attribute__((destructor)) static void end(void)
{
    struct runtime *runtime = runtime_get();

    if (!runtime)
        return;
    /* Not a plain lock: exit() may have been called while another thread's kernel runs, or by a kernel's printf. */
    if (pthread_mutex_trylock(&runtime->lock) != 0) {
        runtime_complain("the program ended while a kernel was running: no report");
        return;
    }
    __atomic_store_n(&runtime->ended, true, __ATOMIC_RELEASE);
    if (runtime->sim) {
        report(runtime);
        close_features(runtime);
        module_release_all(runtime);
        sim_destroy(runtime->sim);
        runtime->sim = NULL;
    } else {
        module_release_all(runtime);
    }
    handle_release_all(runtime);
    map_release(&runtime->functions);
    map_release(&runtime->variables);
    map_release(&runtime->pooled);
    map_release(&runtime->told);
    runtime_unlock(runtime);
    /* The record itself and the threads' remain: late calls of other threads must find `ended`. */
}

/* ------------------------------------------------------------------ the frame of a call */

bool call_begin(struct call *call, enum call_need need)
{
    *call = (struct call){ .runtime = runtime_get(), .error = cudaErrorCudartUnloading };
    if (!call->runtime)
        return false;
    call->error = cudaErrorMemoryAllocation;
    call->thread = runtime_thread(call->runtime);
    if (!call->thread)
        return false;
    call->error = cudaErrorNotPermitted;
    if (call->thread->in_callback)
        return false;
    runtime_lock(call->runtime);
    call->locked = true;
    call->error = cudaErrorCudartUnloading;
    if (call->runtime->ended)
        return false;
    call->error = cudaSuccess;
    if (need == CALL_ANY)
        return true;
    call->error = call->runtime->sticky;
    if (call->error != cudaSuccess || !runtime_needs_device(call->runtime, &call->error))
        return false;
    return need != CALL_UNSAFE || capture_permits_unsafe(call);
}

cudaError_t call_end(struct call *call)
{
    if (call->locked)
        runtime_unlock(call->runtime);
    if (call->error != cudaSuccess && call->thread)
        call->thread->last = call->error;
    return call->error;
}

void call_host(struct call *call, void (*function)(void *), void *data)
{
    cudaError_t last = call->thread->last;

    /* A real one has a thread for these, so what goes wrong in them is not the caller's last error. */
    call->thread->in_callback = true;
    call->thread->last = cudaSuccess;
    runtime_unlock(call->runtime);
    function(data);
    runtime_lock(call->runtime);
    call->thread->last = last;
    call->thread->in_callback = false;
}

cudaError_t runtime_unsupported(struct call *call, const char *what)
{
    if (!map_get(&call->runtime->told, what)) {
        map_put(&call->runtime->told, what, call->runtime);
        runtime_complain("%s is not supported", what);
    }
    return cudaErrorNotSupported;
}
