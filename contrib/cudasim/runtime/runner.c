/*
 * runner.c - runs work that nothing asks for: beside a kernel that waits, and while the host makes no calls.
 *
 * A kernel may wait for the host, or for a copy in another stream. When all its blocks wait, the runner runs copies
 * that are ready, and opens the lock for a moment so that other threads can make calls. The host may wait for a kernel
 * by reading memory that both share. It may also sleep until a host function or another thread wakes it. So a thread
 * runs pending work if the host has made no call for a while. If all threads of the host sleep, that is a short time: a
 * device would have done the work by then. Else the time is longer than any program takes from a launch to the read
 * that should have waited. A query asks this thread to run at once what may wait for the host.
 *
 * queue.c and do_launch.c call it. It does not know what orders work.
 */
#include "runtime.h"

#include "host_place.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/cudasim/base/clock.h"

#define MILLISECOND 1000000L /* nanoseconds */
#define TICK_LEAST (3 * MILLISECOND)       /* between two looks at a host that has just made a call; then it doubles */
#define TICK_MOST (24 * MILLISECOND)
#define TICK_IDLE (10 * MILLISECOND)       /* while no work is pending */
#define ASLEEP_LOOKS 2                     /* that find the whole host asleep, one after the other, */
#define ASLEEP_PART 8                      /* and it ran for less than this part of the time between them */
#define QUIET (500 * MILLISECOND)          /* time without a call, */
#define QUIET_WORK (200 * MILLISECOND)     /* if the process had this much processor time in it; */
#define QUIET_LONG (2000 * MILLISECOND)    /* else this time: some threads sleep between their looks */
#define PATIENCE_FOR_THREADS 5.0            /* seconds: other threads may still do what a kernel waits for */
#define PATIENCE_WITHOUT 2.0                /* seconds: no thread is left that could */
#define ENDLESS 1e9                         /* seconds */
#define POLLING (200 * MILLISECOND)         /* time since a query in which the host may still poll */
#define STARVED 40000                       /* times of 50 µs that all work waits for a word, and nobody may write it */
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

bool runner_starves(struct call *call)
{
    struct runtime *runtime = call->runtime;
    struct sim_fault fault = { .kind = FAULT_DEADLOCK, .error = true, .count = 1 };

    if (others_may_act(runtime, call->on_runner) || runtime->ipc)
        runtime->query.starved = 0;
    else
        runtime->query.starved++;
    if (runtime->query.starved < STARVED)
        return false;
    snprintf(fault.kernel, sizeof fault.kernel, "cuStreamWaitValue");
    snprintf(fault.text, sizeof fault.text,
             "a stream waits for a word that no other work, and no other thread, writes");
    host_add_place(fault.text, sizeof fault.text);
    sim_report_fault(runtime->sim, &fault);
    runtime->sticky = cudaErrorLaunchTimeout;
    return true;
}

/* Lets another thread run a host function beside the kernel: the two may wait for each other. False: there is none. */
static bool leave_function(struct call *call)
{
    struct runtime *runtime = call->runtime;

    if (!queue_has_host_beside(runtime))
        return false;
    if (call->on_runner)
        return runtime->waiting; /* a thread that waits for work runs it */
    runner_start(runtime);
    runtime->query.wanted = true;
    pthread_cond_signal(&runtime->query.asked);
    return runtime->runner;
}

bool runner_meanwhile(void *context, double *patience)
{
    struct call *call = context;
    struct runtime *runtime = call->runtime;
    bool left = leave_function(call), acted = queue_run_beside(call, !left), polled;

    *patience = PATIENCE_WITHOUT;
    if (!left && !others_may_act(runtime, call->on_runner)) {
        sched_yield();
        return acted;
    }
    polled = runtime->query.last && sim_clock_ns() - runtime->query.last < POLLING;
    if (!polled || runtime->waiting)
        *patience = call->on_runner && !runtime->waiting ? ENDLESS : PATIENCE_FOR_THREADS;
    runtime->query.idle++;
    pthread_cond_broadcast(&runtime->changed);
    runtime_unlock(runtime);
    nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
    runtime_lock(runtime);
    return acted;
}

/* ------------------------------------------------------------------ while the host makes no calls */

static int64_t processor_time(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the runner saw of the host at its last look. */
struct look {
    uint64_t calls;          /* of the runtime's functions so far */
    int64_t at, worked;      /* ns: the clock, and the processor time of all other threads */
    int64_t since, had;      /* ns: the same when the host made its last call */
    long tick;               /* ns until the next look */
    unsigned asleep;         /* looks in a row at which the whole host slept */
};

/* Whether a thread of this process other than the caller runs, or waits for a processor or a disk. */
static bool any_runs(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    pid_t own = gettid();
    bool runs = !folder;

    while (folder && !runs && (entry = readdir(folder))) {
        char path[64], text[64], state = 'S';
        FILE *file;

        if (entry->d_name[0] == '.' || atoi(entry->d_name) == own)
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", entry->d_name);
        file = fopen(path, "re");
        if (!file)
            continue; /* it has ended */
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        if (!strrchr(text, ')') || sscanf(strrchr(text, ')') + 1, " %c", &state) != 1 || state != 'S')
            runs = true;
    }
    if (folder)
        closedir(folder);
    return runs;
}

/* Looks at the host. Returns whether pending work should run. */
static bool look_at_host(const struct runtime *runtime, struct look *look)
{
    int64_t now = sim_clock_ns();
    int64_t worked = processor_time(CLOCK_PROCESS_CPUTIME_ID) - processor_time(CLOCK_THREAD_CPUTIME_ID);
    bool called = look->calls != runtime->calls || !runtime->pending;

    if (called || (worked - look->worked) * ASLEEP_PART > now - look->at || any_runs())
        look->asleep = 0;
    else
        look->asleep++;
    look->calls = runtime->calls;
    look->at = now;
    look->worked = worked;
    look->tick = 2 * look->tick < TICK_MOST ? 2 * look->tick : TICK_MOST;
    if (called) {
        look->since = now;
        look->had = worked;
        look->tick = runtime->pending ? TICK_LEAST : TICK_IDLE;
    }
    return look->asleep >= ASLEEP_LOOKS || now - look->since > QUIET_LONG ||
           (now - look->since > QUIET && worked - look->had > QUIET_WORK);
}

static void *run(void *data)
{
    struct runtime *runtime = data;
    struct call call = { .runtime = runtime, .thread = runtime_thread(runtime), .locked = true, .on_runner = true };
    struct look look = { 0 };

    runtime_lock(runtime);
    while (call.thread && !runtime->ended) {
        if (runtime->query.wanted || look_at_host(runtime, &look)) {
            runtime->query.wanted = false;
            queue_run_all(&call);
        }
        if (!runtime->query.wanted)
            runtime_wait_for(runtime, &runtime->query.asked, look.tick);
    }
    runtime_unlock(runtime);
    return NULL;
}

void runner_start(struct runtime *runtime)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;

    if (runtime->runner || runtime->ending || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* host functions run there as well */
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    runtime->runner = pthread_create(&thread, &attributes, run, runtime) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}
