/*
 * watch.c - notes what the host reads and writes while work is pending. It protects page-locked and managed memory that
 * the work may touch, until the work runs. It notes the first access of the host to each page of that memory.
 *
 * The pages of a copy are known. Pages that it writes are closed; pages that it reads are closed for writing. The pages
 * of a kernel are those of every region that a parameter points into, and of its module's managed variables. All pages
 * are opened again before anything runs. order.c compares the notes with what the work touched. An access goes on after
 * its note, so the host's results do not change. A system call that gets a closed page fails with EFAULT; host_io.c
 * touches the pages before.
 *
 * The handler of SIGSEGV takes no lock. It passes other signals to the handler that was there before.
 *
 * order.c calls it. It does not know what orders work.
 */
#include "runtime.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "host_place.h"
#include "moves.h"

enum {
    PAGE = 4096,       /* bytes */
    RANGES_MOST = 256, /* closed at once; memory beyond is not watched */
    NOTES_MOST = 1024, /* kept until no work is pending */
};

struct range {
    uint64_t low, high; /* addresses of pages */
};

/* Written by the handler as well: fields of it are accessed atomically. */
struct watch {
    struct memory *memory;             /* the device's */
    const uint64_t *last_task;         /* the runtime's count of submissions */
    struct range ranges[RANGES_MOST];  /* closed now, or opened by the handler since */
    size_t count;
    struct host_note notes[NOTES_MOST];
    uint64_t stacks[NOTES_MOST][HOST_STACK_WORDS];
    size_t note_count;                 /* handed out; may be above NOTES_MOST */
    struct sigaction before;           /* whose SIGSEGV was before ours */
};

/* The handler of a signal has no context: the process has one runtime, and that has one of these. */
static struct watch *the_watch;

/* ------------------------------------------------------------------ the handler */

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &the_watch->before;

    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else /* the access is repeated, and ends the program */
        sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

/* Registered memory lies outside of the device's range, and is known by its pages alone. */
static bool is_watched(const struct watch *watch, uint64_t address)
{
    const struct region *region;

    for (size_t n = 0; n < RANGES_MOST; n++)
        if (address - __atomic_load_n(&watch->ranges[n].low, __ATOMIC_RELAXED) <
            __atomic_load_n(&watch->ranges[n].high, __ATOMIC_RELAXED) -
                __atomic_load_n(&watch->ranges[n].low, __ATOMIC_RELAXED))
            return true;
    /* Another thread may have opened it, and forgotten the range, just now. */
    if (address - memory_origin(watch->memory) >= memory_range(watch->memory))
        return false;
    region = memory_find(watch->memory, address, NULL);
    return region && !region->freed &&
           (region->kind == REGION_HOST || region->kind == REGION_MANAGED || region->managed);
}

static void take_note(struct watch *watch, uint64_t address, const ucontext_t *context)
{
    size_t n = __atomic_fetch_add(&watch->note_count, 1, __ATOMIC_RELAXED);

    if (n >= NOTES_MOST)
        return;
    watch->notes[n].address = address;
    watch->notes[n].thread = pthread_self();
    watch->notes[n].code = host_code(context);
    watch->notes[n].writes = (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    watch->notes[n].newest = __atomic_load_n(watch->last_task, __ATOMIC_RELAXED);
    host_stack(context, watch->stacks[n]);
    __atomic_store_n(&watch->notes[n].complete, true, __ATOMIC_RELEASE);
}

static void handle(int number, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr, page = address & ~(uint64_t)(PAGE - 1);

    if (info->si_code != SEGV_ACCERR || !is_watched(the_watch, address)) {
        pass_on(number, info, context);
        return;
    }
    take_note(the_watch, address, context);
    if (mprotect((void *)(uintptr_t)page, PAGE, PROT_READ | PROT_WRITE) == 0)
        return;
    for (size_t n = 0; n < RANGES_MOST; n++) /* as many pieces as the system keeps: one piece again */
        if (address - the_watch->ranges[n].low < the_watch->ranges[n].high - the_watch->ranges[n].low)
            mprotect((void *)(uintptr_t)the_watch->ranges[n].low,
                     the_watch->ranges[n].high - the_watch->ranges[n].low, PROT_READ | PROT_WRITE);
}

struct watch *watch_create(struct memory *memory, const uint64_t *last_task)
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
    struct watch *watch = calloc(1, sizeof *watch);

    if (!watch)
        return NULL;
    watch->memory = memory;
    watch->last_task = last_task;
    the_watch = watch;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &watch->before) == 0)
        return watch;
    the_watch = NULL;
    free(watch);
    return NULL;
}

/* The handler stays with its record where the program has put one before it. */
void watch_free(struct watch *watch)
{
    struct sigaction now;

    if (!watch || sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_sigaction != handle)
        return;
    sigaction(SIGSEGV, &watch->before, NULL);
    the_watch = NULL;
    free(watch);
}

/* ------------------------------------------------------------------ closing and opening */

static bool is_ours(void)
{
    struct sigaction now;

    return sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle;
}

/* Closes the pages of [low, high); those at the ends whole, unless the memory is the program's own. */
static void close_pages(struct watch *watch, uint64_t low, uint64_t high, bool own, bool reads)
{
    uint64_t from = (own ? low + PAGE - 1 : low) & ~(uint64_t)(PAGE - 1);
    uint64_t to = (own ? high : high + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    struct range *range = &watch->ranges[watch->count];

    if (from >= to || watch->count == RANGES_MOST || (watch->count == 0 && !is_ours()))
        return;
    for (size_t n = 0; n < watch->count; n++)
        if (!reads && watch->ranges[n].low == from && watch->ranges[n].high == to)
            return; /* closed as well as this would, or better */
    __atomic_store_n(&range->low, from, __ATOMIC_RELAXED);
    __atomic_store_n(&range->high, to, __ATOMIC_RELAXED);
    if (mprotect((void *)(uintptr_t)from, to - from, reads ? PROT_NONE : PROT_READ) == 0)
        watch->count++;
}

static bool is_hosts(struct runtime *runtime, const struct region *region)
{
    return region && !region->freed &&
           (region->kind == REGION_HOST || region->kind == REGION_REGISTERED || region->kind == REGION_MANAGED ||
            (region->kind == REGION_GLOBAL && module_is_managed(runtime, region->base)));
}

static void close_bytes(struct runtime *runtime, uint64_t low, uint64_t high, bool reads)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), low, NULL);

    if (is_hosts(runtime, region))
        close_pages(runtime->watch, low, high, region->kind == REGION_REGISTERED, reads);
}

static void close_region(struct runtime *runtime, uint64_t address)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), address, NULL);

    if (region)
        close_bytes(runtime, region->base, region->base + region->size, true);
}

static void close_kernel(struct runtime *runtime, const struct kernel_work *kernel)
{
    for (unsigned at = 0; at + sizeof(uint64_t) <= kernel->parameter_bytes; at += sizeof(uint64_t)) {
        uint64_t word;

        memcpy(&word, kernel->parameters + at, sizeof word);
        if (word)
            close_region(runtime, word);
    }
    for (const struct variable *variable = kernel->entry->binary->variables; variable; variable = variable->next)
        if (variable->managed && *variable->managed)
            close_region(runtime, (uintptr_t)*variable->managed);
}

void watch_work(struct runtime *runtime, const struct work *work)
{
    struct traffic_span bounds[2];
    unsigned count;

    switch (work->kind) {
    case WORK_KERNEL:
        close_kernel(runtime, &work->kernel);
        break;
    case WORK_COPY:
    case WORK_SET:
        count = work_bounds(work, bounds);
        for (unsigned n = 0; n < count; n++)
            close_bytes(runtime, bounds[n].low, bounds[n].high, bounds[n].kinds == TRAFFIC_WRITE);
        break;
    case WORK_EXEC:
        for (size_t n = 0; n < work->exec->count; n++) {
            const struct exec_step *step = &work->exec->steps[n];

            for (unsigned body = 0; step->bodies && body < step->work.condition.count; body++)
                watch_work(runtime, &(struct work){ .kind = WORK_EXEC, .exec = step->bodies[body] });
            if (step->child)
                watch_work(runtime, &(struct work){ .kind = WORK_EXEC, .exec = step->child });
            else if (!step->disabled)
                watch_work(runtime, &step->work);
        }
        break;
    default:
        break;
    }
}

void watch_open(struct watch *watch)
{
    for (size_t n = 0; n < watch->count; n++)
        mprotect((void *)(uintptr_t)watch->ranges[n].low, watch->ranges[n].high - watch->ranges[n].low,
                 PROT_READ | PROT_WRITE);
    for (size_t n = 0; n < watch->count; n++)
        __atomic_store_n(&watch->ranges[n].high, 0, __ATOMIC_RELAXED),
            __atomic_store_n(&watch->ranges[n].low, 0, __ATOMIC_RELAXED);
    watch->count = 0;
}

/* Only closed pages are touched: the address may be wrong, and the system says so. */
void watch_touch(const void *memory, size_t bytes, bool writes)
{
    const uint64_t low = (uintptr_t)memory, high = low + bytes;

    moves_touch(memory, bytes);
    for (size_t n = 0; the_watch && n < the_watch->count; n++) {
        const uint64_t from = __atomic_load_n(&the_watch->ranges[n].low, __ATOMIC_RELAXED);
        const uint64_t to = __atomic_load_n(&the_watch->ranges[n].high, __ATOMIC_RELAXED);

        for (uint64_t at = low > from ? low : from; at < high && at < to; at = (at / PAGE + 1) * PAGE) {
            volatile char *byte = (volatile char *)(uintptr_t)at;
            const char is = *byte;

            if (writes)
                *byte = is;
        }
    }
}

/* ------------------------------------------------------------------ notes */

const struct host_note *watch_note(const struct watch *watch, size_t n)
{
    if (n >= NOTES_MOST || n >= __atomic_load_n(&watch->note_count, __ATOMIC_RELAXED) ||
        !__atomic_load_n(&watch->notes[n].complete, __ATOMIC_ACQUIRE))
        return NULL;
    return &watch->notes[n];
}

size_t watch_noted(const struct watch *watch)
{
    size_t n = __atomic_load_n(&watch->note_count, __ATOMIC_RELAXED);

    return n < NOTES_MOST ? n : NOTES_MOST;
}

size_t watch_take_notes(struct watch *watch, size_t from, struct traffic_span *spans)
{
    size_t count = 0;

    for (size_t n = from; watch_note(watch, n); n++) {
        uint64_t address = watch->notes[n].address;

        if (!pthread_equal(watch->notes[n].thread, pthread_self()))
            continue; /* another thread of the host, at the same time */
        spans[count++] = (struct traffic_span){ address, address + 1,
                                                watch->notes[n].writes ? TRAFFIC_WRITE : TRAFFIC_READ };
        watch->notes[n].newest = 0; /* no longer the host's beside any task */
    }
    return count;
}

void watch_forget_notes(struct watch *watch)
{
    memset(watch->notes, 0, sizeof watch->notes);
    __atomic_store_n(&watch->note_count, 0, __ATOMIC_RELAXED);
}

void watch_place(const struct watch *watch, const struct host_note *note, char *text, size_t size)
{
    host_place(note->code, watch->stacks[note - watch->notes], text, size);
}
