/*
 * runtime_end.c - the end: writes the reports that the environment asks for, and releases all that the runtime holds.
 *
 * The end is this library's destructor. It runs after the program's own exit handlers and destructors, so memory that
 * they free is no leak. Nothing else in this folder calls a function of this file.
 */
#include "runtime.h"
#include "error_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moves.h"
#include "shield.h"
#include "contrib/cudasim/report/explain.h"
#include "contrib/cudasim/report/speed.h"

/* Whether the caller has said that work which nothing waited for does not run: a judge does not wait for it either. */
static bool leaves_the_rest(void)
{
    const char *text = getenv("CUDASIM_REST");

    return text && strcmp(text, "0") == 0;
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
    FILE *out = path && *path ? explain_open(path) : stderr;

    if (!out) {
        runtime_complain("cannot write the report to '%s': %s", path, strerror(errno));
        return;
    }
    explain_text(runtime->sim, out);
    if (out != stderr && fclose(out) != 0)
        runtime_complain("cannot write the report to '%s': %s", path, strerror(errno));
}

/* Writes the reports that the environment asks for. */
static void report(struct runtime *runtime)
{
    const char *json = getenv("CUDASIM_JSON"), *html = getenv("CUDASIM_HTML");

    /* After a fault no program can free anything. */
    if (runtime->sticky == cudaSuccess)
        allocation_check_leaks(runtime);
    if (runtime->sticky == cudaSuccess && sim_options(runtime->sim)->check_leaks)
        left_check(runtime);
    unchecked_report(runtime);
    if (asked("CUDASIM_EXPLAIN"))
        report_text(runtime);
    if (asked("CUDASIM_SPEED"))
        speed_text(runtime->sim, stderr);
    if (json && *json)
        explain_json(runtime->sim, json);
    if (html && *html)
        explain_html(runtime->sim, html);
}

/*
 * Work that nothing waited for. Its kernels run, so that their faults are found. What they print is dropped; a device
 * may lose it. What the work would write into the program's own memory, or call there, is left out: destructors have
 * run.
 */
static void run_the_rest(struct runtime *runtime)
{
    struct call call = { .runtime = runtime, .thread = runtime_thread(runtime), .locked = true };

    order_at_end(runtime);
    runtime->ending = true;
    if (call.thread && runtime->sticky == cudaSuccess) {
        if (runtime->sim)
            sim_silence(runtime->sim);
        queue_run_all(&call);
    }
}

__attribute__((destructor)) static void end(void)
{
    struct runtime *runtime = runtime_get();
    struct timespec until;

    if (!runtime || runtime->forked) /* the report is the parent's */
        return;
    /*
     * Not a plain lock: exit() may have been called while another thread's kernel runs, or by a kernel's printf. The
     * runner holds the lock only for moments if there is nothing to run.
     */
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    if (pthread_mutex_timedlock(&runtime->lock, &until) != 0) {
        runtime_complain("the program ended while a kernel was running: no report");
        return;
    }
    if (runtime->busy) { /* the kernel waits, with the lock open */
        runtime_complain("the program ended while a kernel was running: no report");
        runtime_unlock(runtime);
        return;
    }
    shield_lower(runtime);
    if (!leaves_the_rest())
        run_the_rest(runtime);
    __atomic_store_n(&runtime->ended, true, __ATOMIC_RELEASE);
    if (runtime->sim) {
        report(runtime);
        moves_free(runtime);
        rows_close(runtime);
        module_release_all(runtime);
        sim_destroy(runtime->sim);
        runtime->sim = NULL;
    } else {
        module_release_all(runtime);
    }
    queue_release(runtime);
    ipc_release(runtime);
    watch_free(runtime->watch);
    shield_free(runtime);
    traffic_free(runtime->traffic);
    runtime->watch = NULL;
    runtime->traffic = NULL;
    handle_release_all(runtime);
    map_release(&runtime->functions);
    map_release(&runtime->variables);
    map_release(&runtime->pooled);
    map_release(&runtime->objects);
    map_release(&runtime->told);
    log_release(runtime);
    runtime_unlock(runtime);
    /* The record itself and the threads' remain: late calls of other threads must find `ended`. */
}
