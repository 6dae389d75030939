/*
 * runtime.c - the one runtime of the process, and the frame in which every call runs. The first call makes the runtime.
 *
 * The library's constructors are the programs' own: they register their kernels before main. So nothing is made before
 * a call needs it. runtime_end.c releases it.
 */
#include "runtime.h"
#include "error_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "host_place.h"
#include "moves.h"
#include "old_stack.h"
#include "order.h"
#include "shield.h"

/* The process-wide facade that CUDA's API needs: its calls have no context. Written once, by create(). */
static struct runtime *the_runtime;

/* ------------------------------------------------------------------ beginning */

/* A thread ends. A capture of its default stream ends with it, but the stream's work goes on. */
static void end_thread(void *data)
{
    struct thread_state *thread = data;
    struct runtime *runtime = runtime_get();

    if (runtime && (thread->stream.capture || thread->stream.queue || thread->stack_high)) {
        runtime_lock(runtime);
        old_stack_ended(runtime, thread);
        if (thread->stream.capture) /* another thread may have ended it just now */
            thread->stream.capture->forget(runtime, &thread->stream);
        if (thread->stream.queue)
            thread->stream.drop(runtime, &thread->stream);
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
    pthread_cond_init(&runtime->changed, NULL);
    pthread_cond_init(&runtime->query.asked, NULL);
    runtime->tasks_end = &runtime->tasks;
    runtime->legacy = (struct CUstream_st){ .id = 1, .legacy = true, .builtin = true };
    runtime->pool = (struct CUmemPoolHandle_st){ .builtin = true, .reuse = { 1, 1, 1 } };
    runtime->current_pool = &runtime->pool;
    runtime->next_id = 3;
    runtime->primary.id = 1;
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

static void take(struct runtime *runtime)
{
    runtime->holder = pthread_self();
    __atomic_store_n(&runtime->held, true, __ATOMIC_RELEASE);
}

void runtime_lock(struct runtime *runtime)
{
    pthread_mutex_lock(&runtime->lock);
    take(runtime);
}

void runtime_wait(struct runtime *runtime)
{
    pthread_cond_wait(&runtime->changed, &runtime->lock);
    take(runtime);
}

bool runtime_wait_for(struct runtime *runtime, pthread_cond_t *condition, long ns)
{
    struct timespec end;
    int result;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += ns;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    result = pthread_cond_timedwait(condition, &runtime->lock, &end);
    take(runtime);
    return result == 0;
}

bool runtime_is_held(struct runtime *runtime)
{
    return __atomic_load_n(&runtime->held, __ATOMIC_ACQUIRE) && pthread_equal(runtime->holder, pthread_self());
}

void runtime_unlock(struct runtime *runtime)
{
    __atomic_store_n(&runtime->held, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&runtime->lock);
}

static bool create_device(struct runtime *runtime)
{
    struct sim_limits limits;
    struct sim_options options;
    const char *json = getenv("CUDASIM_JSON"), *html = getenv("CUDASIM_HTML");
    char message[512] = "";

    if (!sim_limits_from_environment(&limits, message, sizeof message) ||
        !sim_options_from_environment(&options, message, sizeof message)) {
        runtime_complain("%s", message);
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    options.explain = options.explain || (json && *json) || (html && *html);
    runtime->sim = sim_create(&limits, &options, message, sizeof message);
    if (!runtime->sim) {
        runtime_complain("%s", message);
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    sim_set_answers(runtime->sim, answer_kernel, runtime);
    runtime->random = options.seed;
    if (options.check_host)
        shield_create(runtime); /* without it there is no check, and all else works */
    if (options.features && !rows_open(runtime, options.sample)) {
        shield_free(runtime);
        sim_destroy(runtime->sim);
        runtime->sim = NULL;
        runtime->device_error = cudaErrorInitializationError;
        return false;
    }
    if (runtime->features && !options.check_host)
        moves_create(runtime);
    return true;
}

/* The threads that the lock, the workers and the shield belong to are the parent's. */
static void note_fork(void)
{
    the_runtime->forked = true;
    pthread_mutex_init(&the_runtime->lock, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

bool runtime_needs_device(struct runtime *runtime, cudaError_t *error)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT; /* a device is created again after each reset */

    if (runtime->sim)
        return true;
    if (runtime->device_error == cudaSuccess && create_device(runtime)) {
        pthread_once(&watched, watch_forks);
        return true;
    }
    *error = runtime->device_error;
    return false;
}

/* ------------------------------------------------------------------ the frame of a call */

/* Whether this capture forbids this thread a call like cudaMalloc, which might synchronise. */
static bool forbids_unsafe(const struct graph_capture *capture, const struct thread_state *thread)
{
    if (thread->capture_mode == cudaStreamCaptureModeRelaxed || capture->mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == thread)
        return true;
    return thread->capture_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
}

bool call_permits_unsafe(struct call *call)
{
    for (struct graph_capture *capture = call->runtime->captures; capture; capture = capture->next) {
        if (forbids_unsafe(capture, call->thread)) {
            capture->invalid = true;
            call->error = cudaErrorStreamCaptureUnsupported;
        }
    }
    return call->error == cudaSuccess;
}

void call_use_primary(struct call *call)
{
    struct CUctx_st *primary = &call->runtime->primary;

    call->runtime->driver_ready = true;
    if (call->thread->context_count == 0)
        call->thread->contexts[call->thread->context_count++] = primary;
    if (call->thread->contexts[call->thread->context_count - 1] == primary)
        primary->active = primary->used = true;
}

struct CUctx_st *context_owner(struct runtime *runtime)
{
    const struct thread_state *thread = runtime_thread(runtime);
    struct CUctx_st *context = thread && thread->context_count ? thread->contexts[thread->context_count - 1] : NULL;

    return context && context != &runtime->primary && !context->green ? context : NULL;
}

/* A host function calls the runtime. */
static void tell_of_callback(struct runtime *runtime)
{
    const char *name = unchecked_called();
    char text[400] = "is called by a function that the runtime itself calls: such a function must not call the runtime";

    if (!name)
        return;
    runtime_lock(runtime);
    if (runtime->sim && sim_options(runtime->sim)->check_calls && order_is_new(runtime, name, "in a host function")) {
        host_add_place(text, sizeof text);
        order_report(runtime, FAULT_REFUSED, name, 0, text);
    }
    runtime_unlock(runtime);
}

/*
 * The code behind the call of the caller, if the caller keeps a frame: templates of the toolkit's headers that pass a
 * call on are functions of their own in code that is not optimised. Else this may be any word of the stack, or NULL.
 */
static const void *code_behind_caller(const void *const *frame)
{
    const uintptr_t at = (uintptr_t)frame, outer = (uintptr_t)frame[0];
    enum { NEAR = 4096 }; /* bytes: such functions have small frames */

    return outer > at && outer - at < NEAR && outer % sizeof(void *) == 0 ? ((const void *const *)outer)[1] : NULL;
}

bool call_begin_from(struct call *call, enum call_need need, const void *from, const void *frame)
{
    *call = (struct call){ .runtime = runtime_get(), .error = cudaErrorCudartUnloading, .from = from,
                           .outer = code_behind_caller(frame), .frame = (uintptr_t)frame };
    if (!call->runtime)
        return false;
    call->error = cudaErrorMemoryAllocation;
    call->thread = runtime_thread(call->runtime);
    if (!call->thread)
        return false;
    call->error = cudaErrorNotPermitted;
    if (call->thread->in_callback) {
        if (need != CALL_ANY && need != CALL_DRIVER)
            tell_of_callback(call->runtime);
        return false;
    }
    runtime_lock(call->runtime);
    call->locked = true;
    call->runtime->calls++;
    if (call->runtime->locals)
        old_stack_called(call);
    call->runtime->told_of_call = false;
    call->error = cudaErrorCudartUnloading;
    if (call->runtime->ended)
        return false;
    call->error = cudaSuccess;
    if (need == CALL_DRIVER)
        call->runtime->driver_ready = true;
    if (need == CALL_ANY || need == CALL_DRIVER)
        return true;
    call->error = call->runtime->forked ? cudaErrorInitializationError : call->runtime->sticky;
    if (call->runtime->forked && !map_get(&call->runtime->told, &call->runtime->forked)) {
        map_put(&call->runtime->told, &call->runtime->forked, call->runtime);
        runtime_complain("this process was forked after the first use of CUDA: its calls return "
                         "cudaErrorInitializationError");
    }
    if (call->error != cudaSuccess || !runtime_needs_device(call->runtime, &call->error))
        return false;
    call_use_primary(call);
    return need != CALL_UNSAFE || call_permits_unsafe(call);
}

cudaError_t call_end(struct call *call)
{
    struct log_note note = { .count = 0 };

    if (call->locked && call->error != cudaSuccess)
        unchecked_note(call);
    if (call->locked && call->error != cudaSuccess && call->error != cudaErrorNotReady)
        log_add(call->runtime, unchecked_called(), call->error, &note);
    if (call->locked)
        shield_raise(call->runtime);
    if (call->locked)
        runtime_unlock(call->runtime);
    if (call->error != cudaSuccess && call->thread)
        call->thread->last = call->error;
    if (note.count)
        log_tell(call->thread, &note);
    return call->error;
}

void call_host(struct call *call, void (*function)(void *), void *data)
{
    cudaError_t last = call->thread->last;

    /* The real runtime calls these on its own thread. So their errors are not the caller's last error. */
    call->thread->in_callback = true;
    call->thread->last = cudaSuccess;
    shield_raise_for_function(call->runtime);
    runtime_unlock(call->runtime);
    function(data);
    runtime_lock(call->runtime);
    shield_lower(call->runtime);
    call->thread->last = last;
    call->thread->in_callback = false;
}
