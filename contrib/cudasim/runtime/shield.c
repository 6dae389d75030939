/*
 * shield.c - reports code of the host that reads or writes the device's memory. On a GPU such an access ends the
 * program with SIGSEGV; it ends the same way here, after a line that says why.
 *
 * At the end of a call, all pages of the device's range are closed, except for those of memory that the host may use:
 * page-locked and managed allocations, and __managed__ variables, with the gaps behind them. Everything else is open
 * again before work runs. Each piece between two allocations of the host costs a system call, whose time grows with the
 * memory in use. That would be too much for programs that wait many thousand times. So they pay from an account, which
 * begins with 64 times 64 MiB. A change of the memory, or work that ran, earns 256 KiB.
 *
 * The runtime's own accesses while the memory is closed open it again. A page that the device and the host share is
 * open, and so is all memory while a task runs that is no host function. A system call that gets closed memory fails
 * with EFAULT, as on a GPU.
 *
 * runtime.c calls shield_raise() and shield_raise_for_function(). Whoever runs work or gives memory to the host calls
 * shield_lower(). This file does not know tasks, streams or modules. It must set its handler before watch.c sets
 * another, whose pages are not closed here.
 */
#include "shield.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "host_place.h"
#include "moves.h"
#include "runtime.h"

enum {
    PAGE = 4096,          /* bytes */
    LARGE_PAGE = 2 << 20, /* bytes; the end is a multiple of it, or a large page would be split */
    PIECES_MOST = 64,     /* of closed memory; what is behind them stays open */
    UNIT = 18,            /* bits: the account counts units of 256 KiB */
    COST_LEAST = 256,     /* units: what it costs to close memory, however small, or without contents so far */
    ACCOUNT = 64 * COST_LEAST /* units: at the beginning */
};

struct piece {
    uint64_t low, high; /* addresses of pages */
};

struct shield {
    struct runtime *runtime;
    struct piece pieces[PIECES_MOST]; /* [count], closed if `raised`; the handler reads them without the lock */
    size_t count;
    bool raised;
    uint64_t top;      /* address behind the last allocation that there ever was */
    uint64_t changes;  /* memory_changes() when it was raised */
    bool worked;       /* work ran since */
    uint64_t account;  /* units of memory that may be closed */
    void (*handler)(int, siginfo_t *, void *); /* of SIGSEGV, known to be this library's */
    const void *own;   /* where this library is loaded */
    struct sigaction before; /* whose SIGSEGV was before ours */
};

/* The handler of a signal has no context: the process has one runtime, and that has one of these. */
static struct shield *the_shield;

/* ------------------------------------------------------------------ the handler */

static bool covers(const struct shield *shield, uint64_t address)
{
    for (size_t n = 0; n < __atomic_load_n(&shield->count, __ATOMIC_ACQUIRE); n++)
        if (address >= __atomic_load_n(&shield->pieces[n].low, __ATOMIC_RELAXED) &&
            address < __atomic_load_n(&shield->pieces[n].high, __ATOMIC_RELAXED))
            return true;
    return false;
}

static bool is_in_library(const struct shield *shield, const void *code)
{
    Dl_info info;

    return dladdr(code, &info) && info.dli_fbase == shield->own;
}

static struct sim_fault describe(struct shield *shield, uint64_t address, const ucontext_t *context)
{
    struct sim_fault fault = { .kind = FAULT_HOST_ACCESS, .error = true, .address = address, .count = 1 };
    const struct region *below, *region = memory_find(sim_memory(shield->runtime->sim), address, &below);
    uint64_t stack[HOST_STACK_WORDS];
    char where[96] = "", by[120];

    if (region)
        snprintf(where, sizeof where, ", %" PRIu64 " bytes into %s of %" PRIu64 " bytes%s", address - region->base,
                 region->name ? "a variable" : "an allocation", region->size, region->freed ? " that was freed" : "");
    else if (below)
        snprintf(where, sizeof where, ", %" PRIu64 " bytes after an allocation of %" PRIu64 " bytes",
                 address - below->base - below->size, below->size);
    host_stack(context, stack);
    host_place(host_code(context), stack, by, sizeof by);
    snprintf(fault.text, sizeof fault.text,
             "%s at 0x%" PRIx64 "%s, by %s: the host has no access to the device's memory; use cudaMemcpy()",
             context->uc_mcontext.gregs[REG_ERR] & 2 ? "write" : "read", address, where, by);
    return fault;
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction *before = &the_shield->before;

    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    } else { /* even if another thread has opened the memory by now: the signal waits until this handler returns */
        sigaction(SIGSEGV, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
        raise(SIGSEGV);
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    uint64_t address = (uintptr_t)info->si_addr;

    if (info->si_code == SEGV_ACCERR && covers(the_shield, address)) {
        struct sim_fault fault;

        if (runtime_is_held(the_shield->runtime) ||
            is_in_library(the_shield, (const void *)(uintptr_t)host_code(context))) {
            shield_lower(the_shield->runtime);
            return;
        }
        fault = describe(the_shield, address, context);
        sim_report_fault(the_shield->runtime->sim, &fault);
    }
    pass_on(number, info, context);
}

bool shield_create(struct runtime *runtime)
{
    struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
    struct shield *shield = calloc(1, sizeof *shield);
    Dl_info own;

    if (!shield)
        return false;
    shield->runtime = runtime;
    shield->account = ACCOUNT;
    if (dladdr((const void *)handle, &own)) /* POSIX has it for functions, too */
        shield->own = own.dli_fbase;
    the_shield = shield;
    sigemptyset(&action.sa_mask);
    if (shield->own && sigaction(SIGSEGV, &action, &shield->before) == 0) {
        runtime->shield = shield;
        return true;
    }
    the_shield = NULL;
    free(shield);
    return false;
}

/* The handler stays with its record where the program has put one before it. */
void shield_free(struct runtime *runtime)
{
    struct sigaction now;

    if (runtime->shield)
        __atomic_store_n(&runtime->shield->count, 0, __ATOMIC_RELEASE); /* no memory is ours any more */
    if (!runtime->shield || sigaction(SIGSEGV, NULL, &now) != 0 || now.sa_sigaction != handle)
        return;
    sigaction(SIGSEGV, &runtime->shield->before, NULL);
    the_shield = NULL;
    free(runtime->shield);
    runtime->shield = NULL;
}

/* ------------------------------------------------------------------ closing and opening */

/* If the program has set a handler of its own since, it would get the signals of the runtime's accesses. */
static bool is_answered(struct shield *shield)
{
    struct sigaction now;

    if (sigaction(SIGSEGV, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO))
        return false;
    if (now.sa_sigaction != shield->handler && !is_in_library(shield, (const void *)now.sa_sigaction))
        return false;
    shield->handler = now.sa_sigaction; /* to look a handler up takes longer than all the rest */
    return true;
}

/* A walk over the regions, in the order of their addresses. */
struct walk {
    struct shield *shield;
    uint64_t origin, range; /* of the device's addresses: where they begin, bytes */
    uint64_t low;           /* what lies below is done */
};

static void add_piece(struct shield *shield, uint64_t low, uint64_t high)
{
    struct piece *piece = &shield->pieces[shield->count];

    if (low >= high || shield->count == PIECES_MOST)
        return;
    __atomic_store_n(&piece->low, low, __ATOMIC_RELAXED);
    __atomic_store_n(&piece->high, high, __ATOMIC_RELAXED);
    __atomic_store_n(&shield->count, shield->count + 1, __ATOMIC_RELEASE);
}

static void visit(const struct region *region, void *context)
{
    struct walk *walk = context;
    uint64_t end = region->base + region->span;

    if (region->base - walk->origin >= walk->range)
        return;
    if (end > walk->shield->top)
        walk->shield->top = end;
    if (region->kind != REGION_HOST && region->kind != REGION_MANAGED && !region->managed)
        return;
    add_piece(walk->shield, walk->low, region->base & ~(uint64_t)(PAGE - 1));
    walk->low = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void find_pieces(struct shield *shield, struct memory *memory)
{
    struct walk walk = { shield, memory_origin(memory), memory_range(memory), memory_origin(memory) };
    uint64_t end = walk.origin + walk.range, high;

    __atomic_store_n(&shield->count, 0, __ATOMIC_RELEASE);
    memory_visit(memory, visit, &walk);
    high = (shield->top + LARGE_PAGE - 1) & ~(uint64_t)(LARGE_PAGE - 1);
    add_piece(shield, walk.low, high < end ? high : end);
}

/* Whether the account has enough. What was only allocated since has no pages yet, and costs little. */
static bool pay(struct shield *shield, const struct memory *memory)
{
    uint64_t cost = COST_LEAST;

    if (shield->worked && shield->top > memory_origin(memory) + (cost << UNIT))
        cost = (shield->top - memory_origin(memory)) >> UNIT;
    if (++shield->account < cost)
        return false;
    shield->account -= cost;
    return true;
}

/* `running`: the tasks that may run meanwhile. */
static void raise_beside(struct runtime *runtime, unsigned running)
{
    struct shield *shield = runtime->shield;
    struct memory *memory = shield ? sim_memory(runtime->sim) : NULL;

    if (!shield || runtime->running != running || (shield->raised && shield->changes == memory_changes(memory)))
        return;
    if (!pay(shield, memory))
        return;
    shield_lower(runtime);
    if (!is_answered(shield))
        return;
    find_pieces(shield, memory);
    shield->changes = memory_changes(memory);
    shield->worked = false;
    shield->raised = true;
    for (size_t n = 0; n < shield->count; n++)
        mprotect((void *)(uintptr_t)shield->pieces[n].low, shield->pieces[n].high - shield->pieces[n].low, PROT_NONE);
}

void shield_raise(struct runtime *runtime)
{
    raise_beside(runtime, 0);
    moves_close(runtime, 0);
}

void shield_raise_for_function(struct runtime *runtime)
{
    raise_beside(runtime, 1);
    moves_close(runtime, 1);
}

void shield_lower(struct runtime *runtime)
{
    struct shield *shield = runtime->shield;

    moves_open(runtime);
    if (!shield)
        return;
    shield->worked |= runtime->running > 0;
    if (!shield->raised)
        return;
    for (size_t n = 0; n < shield->count; n++)
        mprotect((void *)(uintptr_t)shield->pieces[n].low, shield->pieces[n].high - shield->pieces[n].low,
                 PROT_READ | PROT_WRITE);
    shield->raised = false;
}
