/*
 * host_place.c - names the place in the program from which the host accessed memory, or called. It does not know why
 * the place is reported.
 */
#include "host_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

#include "contrib/cudasim/sim.h"
#include "contrib/cudasim/container/symbol.h"

enum { PAGE = 4096 }; /* bytes */

uint64_t host_code(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

void host_stack(const void *context, uint64_t words[HOST_STACK_WORDS])
{
    const uint64_t *stack = (const uint64_t *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];

    /* Up to the end of the page: what lies behind it may not be the stack's. */
    for (unsigned i = 0; i < HOST_STACK_WORDS; i++)
        words[i] = ((uintptr_t)stack ^ (uintptr_t)(stack + i)) < PAGE ? stack[i] : 0;
}

static bool is_programs_code(uint64_t address, const Dl_info *program, Dl_info *info)
{
    return address > PAGE && dladdr((const void *)(uintptr_t)address, info) && info->dli_fbase == program->dli_fbase;
}

/*
 * In a library (memcpy) the place is where the program called it from: the first word of the stack that points into
 * the program's code.
 */
void host_place(uint64_t code, const uint64_t stack[HOST_STACK_WORDS], char *text, size_t size)
{
    const void *start = (const void *)(uintptr_t)getauxval(AT_ENTRY);
    Dl_info program = { 0 }, info = { 0 };
    char name[512], line[300], *readable;
    uint64_t loaded;

    if (start && dladdr(start, &program) && !is_programs_code(code, &program, &info))
        for (unsigned n = 0; n < HOST_STACK_WORDS; n++)
            if (is_programs_code(stack[n], &program, &info)) {
                code = stack[n] - 1; /* the call itself */
                break;
            }
    snprintf(text, size, "the host");
    if (!dladdr((const void *)(uintptr_t)code, &info) || !info.dli_fname)
        return;
    loaded = code;
    if (!symbol_at(info.dli_fname, (uintptr_t)info.dli_fbase, code, name, sizeof name, &code))
        snprintf(name, sizeof name, "%s", "a function without a name");
    readable = demangle(name);
    symbol_line(info.dli_fname, (uintptr_t)info.dli_fbase, loaded, line, sizeof line);
    snprintf(text, size, "the host in %s%s (%s+0x%llx)", readable ? readable : name, line,
             strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname,
             (unsigned long long)code);
    free(readable);
}

void host_line(const char *path, uint64_t base, uint64_t address, char *line, size_t size)
{
    char call[300];

    symbol_line(path, base, address, line, size);
    if (!strstr(line, " cuda_runtime"))
        return;
    symbol_call_line(path, base, address, call, sizeof call);
    if (*call)
        snprintf(line, size, "%s", call);
}

void host_call_place(const void *code, const void *outer, char *text, size_t size)
{
    Dl_info own = { 0 }, info = { 0 };
    char line[300];

    text[0] = '\0';
    if (!code || !dladdr((const void *)(uintptr_t)host_call_place, &own) || !dladdr(code, &info) || !info.dli_fname ||
        info.dli_fbase == own.dli_fbase)
        return;
    host_line(info.dli_fname, (uintptr_t)info.dli_fbase, (uintptr_t)code - 1, line, sizeof line);
    if (*line && !strstr(line, " cuda_runtime"))
        snprintf(text, size, " (called%s)", line);
    else if (*line && outer)
        host_call_place(outer, NULL, text, size);
}

int host_frames(void *frames[HOST_FRAMES], const char **name)
{
    void *all[HOST_FRAMES];
    int count = backtrace(all, HOST_FRAMES), first = 0;
    Dl_info own, info;

    *name = NULL;
    if (!dladdr((const void *)host_frames, &own)) /* POSIX has it for functions, too */
        return 0;
    while (first < count && dladdr(all[first], &info) && info.dli_fbase == own.dli_fbase) {
        *name = info.dli_sname;
        first++;
    }
    memcpy(frames, all + first, (size_t)(count - first) * sizeof *frames);
    return count - first;
}

/* Whether the code is in a function that nvcc made for a launch. */
static bool is_stub(const void *code)
{
    uint64_t address = (uintptr_t)code - 1, place;
    Dl_info info;
    char name[512];

    return dladdr(code, &info) && info.dli_fname &&
           symbol_at(info.dli_fname, (uintptr_t)info.dli_fbase, address, name, sizeof name, &place) &&
           strstr(name, "__device_stub__");
}

void host_frames_place(void *const *frames, int count, const char *word, char *text, size_t size)
{
    static const char called[] = " (called";
    Dl_info first, info;
    char line[300] = "";

    text[0] = '\0';
    for (int at = 0; at < count && frames[at] && !*line; at++) {
        /* If a submission has no lines, its place is not where the runner calls it. */
        if (!dladdr(frames[at], at == 0 ? &first : &info) || (at > 0 && info.dli_fbase != first.dli_fbase))
            break;
        host_call_place(frames[at], NULL, line, sizeof line);
    }
    if (*line)
        snprintf(text, size, " (%s%s", word, line + sizeof called - 1);
}

/* The place of a call with these frames, as host_frames_place() writes it. */
static void call_place(void *const *frames, int count, char *text, size_t size)
{
    int at = 0;

    for (int n = 0; n + 2 <= count; n++)
        if (is_stub(frames[n]))
            at = n + 2; /* the kernel's function calls it */
    host_frames_place(frames + at, count - at, "called", text, size);
}

/* Reading a program's line table takes milliseconds, and a program may make the same wrong call in a loop. */
static struct {
    void *frames[HOST_FRAMES];
    char text[300];
} known_places[64];
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

void host_add_place(char *text, size_t size)
{
    void *frames[HOST_FRAMES] = { 0 };
    const char *name;
    int count = host_frames(frames, &name);
    size_t length = strlen(text), slot;
    uint64_t hash = 0;

    for (int n = 0; n < count; n++)
        hash = (hash ^ (uintptr_t)frames[n]) * 0x9e3779b97f4a7c15u;
    slot = (size_t)(hash >> 58);
    pthread_mutex_lock(&known_lock);
    if (count > 0 && memcmp(known_places[slot].frames, frames, sizeof frames) != 0) {
        memcpy(known_places[slot].frames, frames, sizeof frames);
        call_place(frames, count, known_places[slot].text, sizeof known_places[slot].text);
    }
    if (count > 0)
        snprintf(text + length, size - length, "%s", known_places[slot].text);
    pthread_mutex_unlock(&known_lock);
}
