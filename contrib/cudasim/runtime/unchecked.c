/*
 * unchecked.c - finds calls of the program that failed and whose result the program ignored.
 *
 * A call counts as checked if the code behind it reads the result, if its thread asks for the last error later, or if a
 * thread asks for the name or the text of its code. Unchecked calls are reported at the end of the program. Errors that
 * were reported when they happened are left out.
 */
#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_place.h"
#include "result_use.h"
#include "contrib/cudasim/container/symbol.h"

/* Whether the program may ignore the call's error: later calls return it too, or the runtime has reported it. */
static bool is_expected(const struct call *call)
{
    const struct runtime *runtime = call->runtime;

    return call->error == runtime->sticky || call->error == runtime->device_error ||
           call->error == cudaErrorCudartUnloading || runtime->told_of_call;
}

const char *unchecked_called(void)
{
    void *frames[HOST_FRAMES];
    const char *name;

    host_frames(frames, &name);
    return name;
}

/* Which of the frames drops the result, or -1. Functions that return it hand it on to the next one. */
static int dropped_at(void *const *frames, int count)
{
    enum result_use use = RESULT_RETURNED;
    int at = -1;

    while (++at < count && (use = result_use(frames[at])) == RESULT_RETURNED)
        ;
    return use == RESULT_UNUSED ? at : -1;
}

void unchecked_note(struct call *call)
{
    struct runtime *runtime = call->runtime;
    struct unchecked *list = runtime->unchecked;
    void *frames[HOST_FRAMES] = { 0 };
    const char *name;
    int count, at;

    if (is_expected(call))
        return;
    count = host_frames(frames, &name);
    at = dropped_at(frames, count);
    if (at < 0 || !name || (call->error == cudaErrorNotReady && strncmp(name, "cudaEventElapsedTime", 20) != 0))
        return; /* who asks whether work is over may ignore that it is not; times that are not there, nobody may */
    for (size_t n = 0; n < runtime->unchecked_count; n++)
        if (list[n].from == frames[at] && list[n].error == call->error && list[n].thread == call->thread) {
            list[n].count++;
            return;
        }
    if (runtime->unchecked_count < UNCHECKED_MOST)
        list[runtime->unchecked_count++] = (struct unchecked){
            .call = name, .from = frames[at], .inner = { frames[0], frames[1] }, .inner_count = at < 2 ? at : 2,
            .error = call->error, .thread = call->thread, .count = 1
        };
}

void unchecked_looked(struct runtime *runtime, const struct thread_state *thread, cudaError_t error)
{
    size_t kept = 0;

    for (size_t n = 0; n < runtime->unchecked_count; n++)
        if (thread ? runtime->unchecked[n].thread != thread : runtime->unchecked[n].error != error)
            runtime->unchecked[kept++] = runtime->unchecked[n];
    runtime->unchecked_count = kept;
}

/* ------------------------------------------------------------------ the end */

/* The name of the function that holds the address, as its symbol has it, or the file that it is in; and its line. */
static void name_of(const void *address, char *text, size_t size, char *line, size_t line_size)
{
    Dl_info info;
    const char *path;
    uint64_t place;

    snprintf(text, size, "%p", address);
    line[0] = '\0';
    if (!dladdr(address, &info) || !info.dli_fname)
        return;
    path = info.dli_fname[0] == '/' ? info.dli_fname : "/proc/self/exe";
    host_line(path, (uintptr_t)info.dli_fbase, (uintptr_t)address, line, line_size);
    if (!symbol_at(path, (uintptr_t)info.dli_fbase, (uintptr_t)address, text, size, &place))
        snprintf(text, size, "%s", info.dli_fname);
}

void unchecked_report(struct runtime *runtime)
{
    for (size_t n = 0; sim_options(runtime->sim)->check_calls && n < runtime->unchecked_count; n++) {
        const struct unchecked *u = &runtime->unchecked[n];
        struct sim_fault fault = { .kind = FAULT_UNCHECKED, .count = u->count };
        char symbol[sizeof fault.text / 2], line[128], inner[160] = "";
        char *name;

        name_of((const char *)u->from - 1, symbol, sizeof symbol, line, sizeof line);
        name = strncmp(symbol, "_Z", 2) == 0 ? demangle(symbol) : NULL;
        /* Through functions that return it, or that return nothing. */
        host_frames_place(u->inner, u->inner_count, "called", inner, sizeof inner);
        snprintf(fault.text, sizeof fault.text, "%s(), called by %s%s, returned %s (%s), and nothing looked at it%s",
                 u->call, name ? name : symbol, line, error_name(u->error), error_text(u->error), inner);
        free(name);
        sim_report_fault(runtime->sim, &fault);
    }
    runtime->unchecked_count = 0;
}
