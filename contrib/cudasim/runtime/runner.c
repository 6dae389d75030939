/*
 * runner.c - runs work that nothing asks for: beside a kernel that waits, and while the host makes no calls.
 *
 * A kernel may wait for the host, or for a copy in another stream. When all its blocks wait, the runner runs copies
 * that are ready, and opens the lock for a moment so that other threads can make calls. The host may wait for a kernel
 * by reading memory that both share. So a thread runs pending work if the host has made no call for a while. That time
 * is longer than any program takes from a launch to the read that should have waited.
 *
 * queue.c and do_launch.c call it. It does not know what orders work.
 */
#include "runtime.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "contrib/cudasim/base/clock.h"

#define MILLISECOND 1000000L /* nanoseconds */
#define TICK (100 * MILLISECOND)
#define QUIET (500 * MILLISECOND)          /* time without a call, */
#define QUIET_WORK (200 * MILLISECOND)     /* if the process had this much processor time in it; */
#define QUIET_ASLEEP (2000 * MILLISECOND)  /* else this time: the program sleeps between its looks */
#define PATIENCE_FOR_THREADS 5.0            /* seconds: other threads may still do what a kernel waits for */
#define PATIENCE_WITHOUT 2.0                /* seconds: no thread is left that could */
#define ENDLESS 1e9                         /* seconds */
#define LOOKS 256                           /* questions between two looks at the threads that there are */

/* ------------------------------------------------------------------ beside a kernel that waits */

static unsigned count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    unsigned count = 0;

    while (folder && (entry = readdir(folder)))
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

/* Whether a thread of the program is left that does not wait for this kernel itself. It looks only now and then. */
static bool others_may_act(struct runtime *runtime, bool on_runner)
{
    unsigned ours = sim_threads(runtime->sim) + (runtime->runner ? 1 : 0) + (on_runner ? 0 : 1);

    if (runtime->looks++ % LOOKS == 0)
        runtime->threads = count_threads();
    return runtime->threads > ours + runtime->waiting;
}

bool runner_meanwhile(void *context, double *patience)
{
    struct call *call = context;
    struct runtime *runtime = call->runtime;
    bool acted = queue_run_beside(call);

    *patience = PATIENCE_WITHOUT;
    if (!others_may_act(runtime, call->on_runner)) {
        sched_yield();
        return acted;
    }
    *patience = call->on_runner && !runtime->waiting ? ENDLESS : PATIENCE_FOR_THREADS;
    runtime_unlock(runtime);
    nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    runtime_lock(runtime);
    return acted;
}

/* ------------------------------------------------------------------ while the host makes no calls */

static int64_t processor_time(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *run(void *data)
{
    struct runtime *runtime = data;
    struct call call = { .runtime = runtime, .thread = runtime_thread(runtime), .locked = true, .on_runner = true };
    int64_t since = 0, worked = 0;
    uint64_t calls = 0;

    runtime_lock(runtime);
    while (call.thread && !runtime->ended) {
        int64_t now = sim_clock_ns();

        if (calls != runtime->calls || !runtime->pending) {
            calls = runtime->calls;
            since = now;
            worked = processor_time();
        } else if (now - since > QUIET_ASLEEP || (now - since > QUIET && processor_time() - worked > QUIET_WORK)) {
            queue_run_all(&call);
        }
        runtime_unlock(runtime);
        nanosleep(&(struct timespec){ .tv_nsec = TICK }, NULL);
        runtime_lock(runtime);
    }
    runtime_unlock(runtime);
    return NULL;
}

void runner_start(struct runtime *runtime)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;

    if (runtime->runner || !runtime->host_memory || runtime->ending || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* host functions run there as well */
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    runtime->runner = pthread_create(&thread, &attributes, run, runtime) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}
