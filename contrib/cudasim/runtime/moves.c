/*
 * moves.c - notes which pages of managed memory the host touches while launches are described (rows.c): a launch waits
 * for them again.
 *
 * At the end of a call, the pages that the GPU has are closed. The host's first access to one opens it and makes it the
 * host's. Everything is open again before work runs. The runtime's own accesses open everything and move nothing. A
 * system call that gets a closed page fails with EFAULT: host_io.c touches the pages before.
 *
 * shield.c calls it: the same calls begin and end both. It is off where the host is checked, which has other pages
 * closed. Prefetches and memsets of managed memory move pages as well (runtime_range.c, do_copy.c).
 */
#include "moves.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "host_place.h"
#include "runtime.h"
#include "contrib/cudasim/features/feature.h"

enum {
    PAGE = 4096,       /* bytes */
    RANGES_MOST = 256, /* closed at once; memory behind them is not looked at */
};

struct range {
    uint64_t low, high; /* addresses of pages */
};

/* The handler reads it without the lock. */
struct moves {
    struct runtime *runtime;
    struct range ranges[RANGES_MOST]; /* [count] closed since the last call, or opened by the handler */
    size_t count;
    uint64_t origin;         /* the device's first address */
    const void *own;         /* where this library is loaded */
    struct sigaction before; /* whose SIGSEGV was before ours */
};

/* The handler of a signal has no context: the process has one runtime, and that has one of these. */
static struct moves *the_moves;

static const struct range *range_of(const struct moves *m, uint64_t address)
{
    for (size_t n = 0; n < __atomic_load_n(&m->count, __ATOMIC_ACQUIRE); n++)
        if (address >= m->ranges[n].low && address < m->ranges[n].high)
            return &m->ranges[n];
    return NULL;
}

static void open_range(uint64_t low, uint64_t high)
{
    mprotect((void *)(uintptr_t)low, high - low, PROT_READ | PROT_WRITE);
}

static bool is_own(const struct moves *m, const ucontext_t *context)
{
    Dl_info info;

    return runtime_is_held(m->runtime) ||
           (dladdr((const void *)(uintptr_t)host_code(context), &info) && info.dli_fbase == m->own);
}

static void handle(int number, siginfo_t *info, void *context)
{
    struct moves *m = the_moves;
    uint64_t address = (uintptr_t)info->si_addr, low, high;
    const struct range *range = m && info->si_code == SEGV_ACCERR ? range_of(m, address) : NULL;

    if (range && is_own(m, context)) {
        open_range(range->low, range->high);
        return;
    }
    if (range) {
        features_page_of(m->runtime->features, address - m->origin, &low, &high);
        features_move(m->runtime->features, m->runtime->sim, address - m->origin, address - m->origin + 1, false);
        low = (m->origin + low) & ~(uint64_t)(PAGE - 1);
        high = (m->origin + high + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        open_range(low < range->low ? range->low : low, high > range->high ? range->high : high);
        return;
    }
    if (m && (m->before.sa_flags & SA_SIGINFO)) {
        m->before.sa_sigaction(number, info, context);
    } else if (m && m->before.sa_handler != SIG_DFL && m->before.sa_handler != SIG_IGN) {
        m->before.sa_handler(number);
    } else { /* the access is repeated, and ends the program */
        sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
    }
}

void moves_create(struct runtime *runtime)
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
    struct moves *m = calloc(1, sizeof *m);
    Dl_info own;

    if (!m)
        return;
    m->runtime = runtime;
    m->origin = memory_origin(sim_memory(runtime->sim));
    if (dladdr((const void *)handle, &own)) /* POSIX has it for functions, too */
        m->own = own.dli_fbase;
    the_moves = m;
    sigemptyset(&action.sa_mask);
    if (m->own && sigaction(SIGSEGV, &action, &m->before) == 0) {
        runtime->moves = m;
        return;
    }
    the_moves = NULL;
    free(m);
}

void moves_free(struct runtime *runtime)
{
    struct sigaction now;

    moves_open(runtime);
    if (!runtime->moves || sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_sigaction != handle)
        return; /* the handler stays with its record where the program has put one before it */
    sigaction(SIGSEGV, &runtime->moves->before, NULL);
    the_moves = NULL;
    free(runtime->moves);
    runtime->moves = NULL;
}

static void close_region(const struct region *region, void *context)
{
    struct moves *m = context;
    uint64_t low = region->base - m->origin, high = low + region->size, end;

    if (region->freed || (region->kind != REGION_MANAGED && !region->managed))
        return;
    while (m->count < RANGES_MOST && features_next_page(m->runtime->features, &low, &end, high)) {
        struct range *range = &m->ranges[m->count];

        range->low = (m->origin + low) & ~(uint64_t)(PAGE - 1);
        range->high = (m->origin + end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
        __atomic_store_n(&m->count, m->count + 1, __ATOMIC_RELEASE);
        mprotect((void *)(uintptr_t)range->low, range->high - range->low, PROT_NONE);
        low = end;
    }
}

/* If the program has set a handler of its own since, it would get the signals. */
void moves_close(struct runtime *runtime, unsigned running)
{
    struct moves *m = runtime->moves;
    struct sigaction now;

    if (!m || runtime->running != running || !features_any_page(runtime->features))
        return;
    moves_open(runtime);
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == handle)
        memory_visit(sim_memory(runtime->sim), close_region, m);
}

void moves_open(struct runtime *runtime)
{
    struct moves *m = runtime->moves;
    size_t count = m ? m->count : 0;

    for (size_t n = 0; n < count; n++)
        open_range(m->ranges[n].low, m->ranges[n].high);
    if (m)
        __atomic_store_n(&m->count, 0, __ATOMIC_RELEASE);
}

void moves_touch(const void *memory, size_t bytes)
{
    const uint64_t low = (uintptr_t)memory, high = low + bytes;

    for (size_t n = 0; the_moves && n < the_moves->count; n++) {
        const struct range *range = &the_moves->ranges[n];

        for (uint64_t at = low > range->low ? low : range->low; at < high && at < range->high;
             at = (at / PAGE + 1) * PAGE)
            (void)*(const volatile char *)(uintptr_t)at;
    }
}

void moves_place(struct runtime *runtime, uint64_t address, uint64_t bytes)
{
    uint64_t origin = runtime->sim ? memory_origin(sim_memory(runtime->sim)) : 0;

    if (runtime->features && address >= origin)
        features_place(runtime->features, address - origin, address - origin + bytes);
}

void moves_clear(struct runtime *runtime, uint64_t address)
{
    uint64_t origin = runtime->sim ? memory_origin(sim_memory(runtime->sim)) : 0;

    if (runtime->features && address >= origin)
        features_clear(runtime->features, address - origin);
}

void moves_note(struct runtime *runtime, uint64_t address, uint64_t bytes, bool to_device)
{
    uint64_t origin = runtime->sim ? memory_origin(sim_memory(runtime->sim)) : 0;

    if (runtime->features && address >= origin)
        features_move(runtime->features, runtime->sim, address - origin, address - origin + bytes, to_device);
}
