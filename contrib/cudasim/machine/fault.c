/*
 * fault.c - records errors and warnings of kernels, one record per place. It prints each new record on standard error.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "inside.h"

const char *sim_fault_name(enum sim_fault_kind kind)
{
    static const char *const names[] = {
        [FAULT_NONE] = "none",
        [FAULT_OUT_OF_BOUNDS] = "out-of-bounds",
        [FAULT_ILLEGAL_ADDRESS] = "illegal-address",
        [FAULT_MISALIGNED] = "misaligned",
        [FAULT_USE_AFTER_FREE] = "use-after-free",
        [FAULT_UNINITIALISED] = "uninitialised",
        [FAULT_UNDEFINED_REGISTER] = "undefined-register",
        [FAULT_SHARED_RACE] = "shared-race",
        [FAULT_GLOBAL_RACE] = "global-race",
        [FAULT_STREAM_RACE] = "stream-race",
        [FAULT_HOST_RACE] = "host-race",
        [FAULT_DIVERGENT_BARRIER] = "divergent-barrier",
        [FAULT_MISMATCHED_BARRIER] = "mismatched-barrier",
        [FAULT_DEADLOCK] = "deadlock",
        [FAULT_LEAK] = "leak",
        [FAULT_STACK_OVERFLOW] = "stack-overflow",
        [FAULT_TRAP] = "trap",
        [FAULT_ASSERT] = "assert",
        [FAULT_WRITE_TO_READ_ONLY] = "write-to-read-only",
        [FAULT_INVALID_CALL] = "invalid-call",
        [FAULT_REFUSED] = "refused",
        [FAULT_MEMBER_MASK] = "member-mask",
        [FAULT_INACTIVE_LANE] = "inactive-lane",
        [FAULT_INVALID_FREE] = "invalid-free",
        [FAULT_HOST_ACCESS] = "host-access",
        [FAULT_UNCHECKED] = "unchecked-error",
        [FAULT_UNUSED] = "unused-memory",
    };

    return names[kind];
}

/* ---- names ---- */

/* Where the parameter list of a demangled name begins: the parenthesis that the last one closes. */
static size_t parameters_at(const char *name)
{
    size_t length = strlen(name), at = length;
    int depth = 0;

    if (!length || name[length - 1] != ')')
        return length;
    while (at-- > 0) {
        depth += name[at] == ')';
        depth -= name[at] == '(';
        if (depth == 0)
            return at;
    }
    return length;
}

/* A template's name starts with its return type: the name begins after the last space outside of brackets. */
static size_t name_at(const char *name, size_t length)
{
    size_t at = 0;
    int depth = 0;

    for (size_t n = 0; n < length; n++) {
        depth += name[n] == '<' || name[n] == '(' || name[n] == '{';
        depth -= name[n] == '>' || name[n] == ')' || name[n] == '}';
        if (name[n] == ' ' && depth == 0)
            at = n + 1;
    }
    return at;
}

char *demangle(const char *name)
{
    typedef char *demangler(const char *, char *, size_t *, int *);
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle"); /* CUDA programs carry the C++ library, this one does not */
    void *library = symbol ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    demangler *function;
    char *full = NULL, *text;
    size_t from, length;
    int status = -1;

    if (library)
        symbol = dlsym(library, "__cxa_demangle");
    if (strncmp(name, "_Z", 2) != 0)
        symbol = NULL; /* else "f" would become the type float */
    memcpy(&function, &symbol, sizeof function);
    if (function)
        full = function(name, NULL, NULL, &status);
    if (!full)
        return strdup(name);
    length = parameters_at(full);
    from = name_at(full, length);
    text = strndup(full + from, length - from);
    free(full);
    return text;
}

/* ---- recording ---- */

/* Appends the same line to the file that CUDASIM_LOG names, because a test may lose standard error. */
static void log_line(const char *text)
{
    const char *path = getenv("CUDASIM_LOG");
    FILE *log = path && *path ? fopen(path, "ae") : NULL;

    if (log) {
        fprintf(log, "%s\n", text);
        fclose(log);
    }
}

static void print(const struct sim_fault *f)
{
    char place[sizeof f->file + 32], text[1200];
    int size;

    if (f->file[0])
        snprintf(place, sizeof place, ", %s:%u", f->file, f->line);
    else if (f->line)
        snprintf(place, sizeof place, ", PTX line %u", f->line);
    else
        place[0] = '\0';
    size = snprintf(text, sizeof text, "cudasim: %s: %s%s%s%s", f->error ? "error" : "warning", sim_fault_name(f->kind),
                    f->kernel[0] ? ": " : "", f->kernel, place);
    if (place[0] && size < (int)sizeof text)
        size += snprintf(text + size, sizeof text - (size_t)size, ", block (%u,%u,%u), thread (%u,%u,%u)", f->block[0],
                         f->block[1], f->block[2], f->thread[0], f->thread[1], f->thread[2]);
    if (size < (int)sizeof text)
        snprintf(text + size, sizeof text - (size_t)size, ": %s", f->text);
    fprintf(stderr, "%s\n", text); /* one call, so that lines of several threads do not mix */
    log_line(text);
}

static bool same_place(const struct sim_fault *a, const struct sim_fault *b)
{
    /* Each instance of a template is a kernel. All of them share one warning per source line. */
    bool same_kernel = (!a->error && a->file[0]) || !strcmp(a->kernel, b->kernel);

    return a->kind == b->kind && a->error == b->error && a->line == b->line && !strcmp(a->file, b->file) &&
           same_kernel && (a->line || !strcmp(a->text, b->text));
}

static size_t known_slot(const struct ins *at, enum sim_fault_kind kind)
{
    return ((uintptr_t)at / sizeof *at + (uintptr_t)kind * 37) % KNOWN_WARNINGS;
}

/* Remembers that a warning at `at` is the fault of that index. The caller has the lock. */
static void know(struct sim *sim, const struct ins *at, const struct sim_fault *fault, size_t index)
{
    size_t entry = known_slot(at, fault->kind);

    if (!at || fault->error)
        return;
    sim->known_warnings[entry].at = at;
    sim->known_warnings[entry].kind = fault->kind;
    sim->known_warnings[entry].index = (uint32_t)index;
}

void fault_add(struct sim *sim, const struct sim_fault *fault, const struct ins *at)
{
    size_t n;

    pthread_mutex_lock(&sim->fault_lock);
    for (n = 0; n < sim->fault_count; n++)
        if ((at && sim->fault_at[n] == at && sim->faults[n].kind == fault->kind &&
             sim->faults[n].error == fault->error) ||
            same_place(&sim->faults[n], fault)) {
            sim->faults[n].count += fault->count;
            know(sim, at, fault, n);
            goto out;
        }
    know(sim, at, fault, n);
    if (sim->fault_count == FAULT_PLACES)
        goto out;
    sim->faults[sim->fault_count] = *fault;
    sim->fault_at[sim->fault_count++] = at;
    print(fault);
    if (sim->fault_count == FAULT_PLACES)
        fprintf(stderr, "cudasim: %d places with faults: no more will be reported\n", FAULT_PLACES);
out:
    pthread_mutex_unlock(&sim->fault_lock);
}

void sim_report_fault(struct sim *sim, const struct sim_fault *fault)
{
    fault_add(sim, fault, NULL);
}

size_t sim_faults(struct sim *sim, const struct sim_fault **faults)
{
    *faults = sim->faults;
    return sim->fault_count;
}

#define HOISTED 16 /* instructions */

/*
 * nvcc moves loads out of loops, and then gives them line 0. The next instruction that has a line is of the loop, or of
 * what comes behind.
 */
static const struct ins *with_line(const struct warp *w, const struct ins *ins)
{
    const struct program *p = w->block->launch->program;
    const struct ins *end = p->code + (w->frame ? w->frame->function->last : p->code_count);

    for (const struct ins *i = ins; i < end && i < ins + HOISTED; i++)
        if (i->source_line)
            return i;
    return ins;
}

const struct ins *fault_led_here(const struct warp *w, const struct ins *ins)
{
    const struct function *f = w->frame->function;
    const struct ins *code = w->block->launch->program->code, *first = code + f->first, *end = code + f->last;
    const struct ins *start = ins;

    while (start > first && !start[-1].source_line && ins - start < HOISTED)
        start--;
    for (const struct ins *i = first; i < end && !ins->source_line; i++) {
        const struct ins *to = i->extra;

        if (to && to >= start - 1 && to <= ins && i->source_line) /* the label may have the line of what is before it */
            return i;
    }
    return ins;
}

/*
 * The instruction whose line a message names: this one, or the call that led to it from the program's own code. With -G
 * functions of the toolkit are not inlined, and some have no lines.
 */
static const struct ins *place_of(const struct warp *w, const struct ins *ins)
{
    const struct ptx_module *ptx = w->block->launch->program->ptx;
    const struct ins *place = ins = with_line(w, ins);

    for (const struct frame *f = w->frame; f; f = f->parent) {
        if (place->source_line && !ptx_is_toolkit_file(ptx, place->source_file))
            return place;
        if (f->parent && f->ret)
            place = f->ret - 1;
    }
    return ins;
}

bool fault_known(struct warp *w, const struct ins *ins, enum sim_fault_kind kind)
{
    struct sim *sim = w->worker->sim;
    const struct ins *at = place_of(w, ins);
    size_t entry = known_slot(at, kind);
    bool known;

    pthread_mutex_lock(&sim->fault_lock);
    known = sim->known_warnings[entry].at == at && sim->known_warnings[entry].kind == kind;
    if (known && sim->known_warnings[entry].index < sim->fault_count)
        sim->faults[sim->known_warnings[entry].index].count++;
    pthread_mutex_unlock(&sim->fault_lock);
    return known;
}

void fault_fill(struct sim_fault *f, const struct warp *w, const struct ins *ins, unsigned lane,
                enum sim_fault_kind kind, uint64_t address)
{
    const struct launch *launch = w->block->launch;
    const char *path;
    unsigned thread = w->index * LANES + lane;

    ins = place_of(w, ins);
    path = ptx_file_path(launch->program->ptx, ins->source_file);
    memset(f, 0, sizeof *f);
    f->kind = kind;
    snprintf(f->kernel, sizeof f->kernel, "%s", launch->kernel->demangled);
    if (ins->source_line && path)
        snprintf(f->file, sizeof f->file, "%s", path);
    f->line = f->file[0] ? ins->source_line : ins->line;
    memcpy(f->block, w->block->id, sizeof f->block);
    f->thread[0] = thread % launch->ntid[0];
    f->thread[1] = thread / launch->ntid[0] % launch->ntid[1];
    f->thread[2] = thread / launch->ntid[0] / launch->ntid[1];
    f->address = address;
    f->count = 1;
}

const struct ins *fault_at(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind,
                           uint64_t address, const char *format, ...)
{
    struct launch *launch = w->block->launch;
    va_list arguments;
    struct sim_fault fault;

    fault_fill(&fault, w, ins, lane, kind, address);
    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&launch->lock);
    w->worker->went_on = w->worker->may_go_on && kind == FAULT_OUT_OF_BOUNDS;
    fault.error = !(w->worker->went_on && w->worker->go_on);
    if (launch->fault.kind == FAULT_NONE || w->worker->went_on) /* of several workers the first one counts */
        fault_add(launch->sim, &fault, place_of(w, ins));
    if (launch->fault.kind == FAULT_NONE && fault.error)
        launch->fault = fault;
    if (!w->worker->went_on) {
        if (w->block->number < __atomic_load_n(&launch->fault_block, __ATOMIC_RELAXED))
            __atomic_store_n(&launch->fault_block, w->block->number, __ATOMIC_RELAXED);
        atomic_store(&launch->stop, true);
    }
    pthread_mutex_unlock(&launch->lock);
    return NULL;
}

void fault_warn(struct warp *w, const struct ins *ins, unsigned lane, enum sim_fault_kind kind, uint64_t address,
                const char *format, ...)
{
    struct sim_fault fault;
    va_list arguments;

    /* In many places CCCL's algorithms read bytes that they never wrote, and do not use them. */
    if (kind == FAULT_UNINITIALISED ? ins->algorithm : kind == FAULT_UNDEFINED_REGISTER && ins->toolkit)
        return;
    if (fault_known(w, ins, kind))
        return;
    fault_fill(&fault, w, ins, lane, kind, address);
    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    fault_add(w->worker->sim, &fault, place_of(w, ins));
}
