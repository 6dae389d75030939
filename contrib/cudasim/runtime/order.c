/*
 * order.c - the checks of streams. Two pieces of work collide if they touch the same bytes, one of them writes, and
 * nothing orders them. The host collides with pending work if it reads what the work writes, or writes what it reads.
 *
 * The bytes of copies and fills are known. The bytes of kernels are noted while they run (machine/traffic.h), but only
 * if there is other work, or a note of the host, that nothing orders with the kernel. A finished piece keeps its bytes
 * as long as there is work to compare it with. So a program with one stream pays nothing.
 *
 * For a kernel that collides with earlier work, the warning names its source line; for a copy it names the call.
 * Atomics and volatile accesses on both sides are no race. Host and kernel may exchange data through such words. If
 * they share one, their other accesses are not reported.
 *
 * queue.c calls it. It does not know how work runs.
 */
#include "order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_place.h"

enum { KEPT_MOST = 64 }; /* pieces that ran early, to be compared with what is still to come */

static bool is_on(const struct runtime *runtime)
{
    return runtime->sim && sim_options(runtime->sim)->check_streams;
}

/* ------------------------------------------------------------------ words */

static struct order_words stream_words(const struct task *task)
{
    struct order_words w;
    char from[128] = "";

    host_call_place(task->from, task->outer, from, sizeof from);
    if (task->stream_id <= 2)
        snprintf(w.text, sizeof w.text, "%s%s",
                 task->stream_id == 1 ? "the legacy stream" : "a thread's default stream", from);
    else
        snprintf(w.text, sizeof w.text, "stream %" PRIu64 "%s", task->stream_id, from);
    return w;
}

const char *order_name(const struct work *work)
{
    return work->kind == WORK_KERNEL ? sim_kernel_title(work->kernel.entry->kernel) : work->call;
}

static const char *task_name(const struct task *task)
{
    return order_name(&task->work);
}

struct order_words order_place(struct runtime *runtime, uint64_t address)
{
    const struct region *region = memory_find(sim_memory(runtime->sim), address, NULL);
    struct order_words w;

    if (region)
        snprintf(w.text, sizeof w.text, "0x%" PRIx64 ", %" PRIu64 " bytes into an allocation of %" PRIu64 " bytes",
                 address, address - region->base, region->size);
    else
        snprintf(w.text, sizeof w.text, "0x%" PRIx64, address);
    return w;
}

const char *order_verb(const struct work *work, unsigned kinds)
{
    if (work->kind == WORK_FREE)
        return "freed";
    if (work->kind == WORK_TAKE)
        return "allocated";
    return kinds & (TRAFFIC_WRITE | TRAFFIC_STRONG_WRITE) ? "wrote" : "read";
}

bool order_is_new(struct runtime *runtime, const char *a, const char *b)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *p = a; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    hash *= 31;
    for (const char *p = b; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    for (unsigned n = 0; n < runtime->said_count; n++)
        if (runtime->said[n] == hash)
            return false;
    if (runtime->said_count == sizeof runtime->said / sizeof runtime->said[0])
        return false;
    runtime->said[runtime->said_count++] = hash;
    return true;
}

void order_report(struct runtime *runtime, enum sim_fault_kind kind, const char *name, uint64_t address,
                   const char *text)
{
    struct sim_fault fault = { .kind = kind, .address = address, .count = 1 };

    snprintf(fault.kernel, sizeof fault.kernel, "%s", name);
    snprintf(fault.text, sizeof fault.text, "%s", text);
    sim_report_fault(runtime->sim, &fault);
}

/* ------------------------------------------------------------------ which tasks and notes count */

static bool is_ordered(const struct task *a, const struct task *b)
{
    return task_before(a, b) && b->alongside != a->id && b->beyond != a->id;
}

/* Whether the host made the note while the task was pending. */
static bool is_during(const struct host_note *note, const struct task *task)
{
    return note->newest >= task->id;
}

static bool collides_with_host(unsigned kinds, const struct host_note *note)
{
    return traffic_collides(kinds, note->writes ? TRAFFIC_WRITE : TRAFFIC_READ);
}

static bool has_rival(const struct runtime *runtime, const struct task *task)
{
    if (runtime->queue_count <= 1 && !task->alongside && !task->followed)
        return false;
    for (const struct task *other = runtime->tasks; other; other = other->next)
        if (other != task && (other->state != TASK_OVER || other->spans) && !is_ordered(other, task) &&
            !is_ordered(task, other))
            return true;
    return false;
}

static bool has_note(const struct runtime *runtime, const struct task *task)
{
    const struct host_note *note;

    for (size_t n = 0; runtime->watch && (note = watch_note(runtime->watch, n)); n++)
        if (is_during(note, task))
            return true;
    return false;
}

/* Whether a copy or a fill may be the signal that the other work waits for by strong accesses. */
static bool may_signal(const struct work *moves, const struct work *other, unsigned others)
{
    const struct entry *entry = other->kind == WORK_KERNEL ? other->kernel.entry : NULL;

    if ((moves->kind != WORK_COPY && moves->kind != WORK_SET) || others & (TRAFFIC_READ | TRAFFIC_WRITE))
        return false;
    return !entry || !entry->kernel || sim_kernel_facts(entry->kernel)->waits;
}

bool order_collide(const struct work *a, unsigned kinds, const struct work *b, unsigned others)
{
    return traffic_collides(kinds, others) && !may_signal(a, b, others) && !may_signal(b, a, kinds);
}

/* Whether the other piece is over and unordered with the task. */
static bool is_rival(const struct task *other, const struct task *task)
{
    return other != task && other->state == TASK_OVER && other->spans && !is_ordered(other, task) &&
           !is_ordered(task, other);
}

static struct order_touched touched_by(const struct task *task)
{
    return (struct order_touched){ &task->work, task->spans, task->span_count };
}

const struct traffic_span *order_find(const struct order_touched *touched, uint64_t address)
{
    size_t low = 0, high = touched->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (touched->spans[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < touched->count && touched->spans[low].low <= address ? &touched->spans[low] : NULL;
}

/* ------------------------------------------------------------------ kernels */

static bool awaits_ahead(const struct task *task)
{
    return sim_kernel_facts(task->work.kernel.entry->kernel)->awaits_ahead;
}

/* Reports a race with work that ran before it. */
static bool tell_of_task(struct runtime *runtime, uint64_t address, unsigned kinds, char *text, size_t size)
{
    const struct task *self = runtime->noting;

    for (const struct task *other = runtime->tasks; other; other = other->next) {
        const struct order_touched touched = touched_by(other);
        const struct traffic_span *span = is_rival(other, self) ? order_find(&touched, address) : NULL;

        if (!span || (self->alongside == other->id && kinds & TRAFFIC_AWAITED) ||
            !order_collide(&self->work, kinds & ~TRAFFIC_TOLD, &other->work, span->kinds))
            continue;
        snprintf(text, size, "%s %s, in %s; %s in %s %s it, and nothing orders the two: %s",
                 kinds & (TRAFFIC_WRITE | TRAFFIC_STRONG_WRITE) ? "write at" : "read at",
                 order_place(runtime, address).text, stream_words(self).text, task_name(other),
                 stream_words(other).text, order_verb(&other->work, span->kinds),
                 self->beyond == other->id      ? "the kernel between them has no cudaGridDependencySynchronize()"
                 : self->alongside != other->id ? "no event, no wait"
                 : awaits_ahead(self)         ? "a programmatic launch, before cudaGridDependencySynchronize()"
                                              : "a programmatic launch, and no cudaGridDependencySynchronize()");
        return true;
    }
    return false;
}

static bool tell_of_host(struct runtime *runtime, uint64_t address, unsigned kinds, char *text, size_t size)
{
    const struct task *self = runtime->noting;
    const struct host_note *note;
    struct order_words place;

    for (size_t n = 0; runtime->watch && (note = watch_note(runtime->watch, n)); n++) {
        if (!is_during(note, self) || (note->address ^ address) >= HOST_UNIT)
            continue;
        /* Only the host's first access to a page is known. So the word that both share may be another one. */
        if (kinds & (TRAFFIC_STRONG_READ | TRAFFIC_STRONG_WRITE) && !(kinds & TRAFFIC_OF_DEVICE))
            runtime->handshake = true;
        if (kinds & TRAFFIC_UNFENCED && !note->writes && (note->address ^ address) < sizeof(uint64_t)) {
            watch_place(runtime->watch, note, place.text, sizeof place.text);
            snprintf(text, size,
                     "write at %s, which %s reads while the kernel runs; what the block stored for the host before may "
                     "come there later: no __threadfence_system() in between",
                     order_place(runtime, address).text, place.text);
            return true;
        }
        if (runtime->handshake || note->address != address || !collides_with_host(kinds, note))
            continue;
        watch_place(runtime->watch, note, place.text, sizeof place.text);
        snprintf(text, size, "%s %s; %s %s it while the kernel was pending in %s: it did not wait",
                 kinds & TRAFFIC_WRITE ? "write at" : "read at", order_place(runtime, address).text, place.text,
                 note->writes ? "wrote" : "read", stream_words(self).text);
        return true;
    }
    return false;
}

static enum sim_fault_kind tell(void *context, uint64_t address, unsigned kinds, char *text, size_t size)
{
    struct runtime *runtime = context;

    if (tell_of_host(runtime, address, kinds, text, size))
        return runtime->collided = true, FAULT_HOST_RACE;
    if (tell_of_task(runtime, address, kinds, text, size))
        return runtime->collided = true, FAULT_STREAM_RACE;
    if (nodes_tell(runtime, address, kinds, text, size))
        return FAULT_STREAM_RACE;
    return FAULT_NONE;
}

/* Enters into the map the bytes that others touched. */
void order_note_others(struct runtime *runtime)
{
    const struct task *task = runtime->noting;
    const struct host_note *note;
    bool only_ahead = task->alongside && !runtime->graph_run;

    for (const struct task *other = runtime->tasks; other; other = other->next) {
        if (!is_rival(other, task))
            continue;
        only_ahead &= other->id == task->alongside;
        for (size_t n = 0; n < other->span_count; n++)
            traffic_note_other(runtime->traffic, other->spans[n].low, other->spans[n].high, other->spans[n].kinds);
    }
    for (size_t n = 0; runtime->watch && (note = watch_note(runtime->watch, n)); n++)
        if (is_during(note, task)) {
            uint64_t page = note->address - note->address % HOST_UNIT;

            only_ahead = false;
            traffic_note_other(runtime->traffic, page, page + HOST_UNIT, TRAFFIC_STRONG_READ);
            traffic_note_other(runtime->traffic, note->address, note->address + 1,
                               note->writes ? TRAFFIC_WRITE : TRAFFIC_READ);
        }
    nodes_note_others(runtime);
    traffic_only_ahead(runtime->traffic, only_ahead);
}

static bool need_traffic(struct runtime *runtime)
{
    if (!runtime->traffic && !runtime->traffic_refused)
        runtime->traffic = traffic_create(sim_memory(runtime->sim), tell, runtime);
    runtime->traffic_refused = !runtime->traffic;
    return runtime->traffic;
}

/* ------------------------------------------------------------------ copies, fills, memory */

bool order_first_collision(const struct order_touched *a, const struct order_touched *b, uint64_t *address,
                           unsigned *kinds, unsigned *others)
{
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        const struct traffic_span *x = &a->spans[i], *y = &b->spans[j];

        if (x->low < y->high && y->low < x->high && order_collide(a->work, x->kinds, b->work, y->kinds)) {
            *address = x->low > y->low ? x->low : y->low;
            *kinds = x->kinds;
            *others = y->kinds;
            return true;
        }
        if (x->high <= y->high)
            i++;
        else
            j++;
    }
    return false;
}

static void compare_tasks(struct runtime *runtime, const struct task *task)
{
    const struct order_touched own = touched_by(task);
    unsigned kinds, others;
    char text[700];
    uint64_t address;

    for (const struct task *other = runtime->tasks; other; other = other->next) {
        const struct order_touched theirs = touched_by(other);

        if (!is_rival(other, task) || !order_first_collision(&own, &theirs, &address, &kinds, &others) ||
            !order_is_new(runtime, task_name(task), task_name(other)))
            continue;
        snprintf(text, sizeof text,
                 "in %s, %s memory at %s; %s in %s %s it, and nothing orders the two: no event, no wait",
                 stream_words(task).text, order_verb(&task->work, kinds), order_place(runtime, address).text,
                 task_name(other), stream_words(other).text, order_verb(&other->work, others));
        order_report(runtime, FAULT_STREAM_RACE, task_name(task), address, text);
    }
}

static void compare_notes(struct runtime *runtime, const struct task *task)
{
    const struct order_touched own = touched_by(task);
    const struct host_note *note;
    struct order_words place;
    char text[700];

    for (size_t n = 0; runtime->watch && (note = watch_note(runtime->watch, n)); n++) {
        const struct traffic_span *span = is_during(note, task) ? order_find(&own, note->address) : NULL;

        if (!span || !collides_with_host(span->kinds, note))
            continue;
        watch_place(runtime->watch, note, place.text, sizeof place.text);
        if (!order_is_new(runtime, task_name(task), place.text))
            continue;
        snprintf(text, sizeof text,
                 "in %s, %s memory at %s; %s %s it before, while this was pending: it did not wait",
                 stream_words(task).text, order_verb(&task->work, span->kinds),
                 order_place(runtime, note->address).text, place.text, note->writes ? "wrote" : "read");
        order_report(runtime, FAULT_HOST_RACE, task_name(task), note->address, text);
    }
}

static int by_address(const void *left, const void *right)
{
    const struct traffic_span *a = left, *b = right;

    return (a->low > b->low) - (a->low < b->low);
}

bool order_take_spans(const struct work *work, struct traffic_span **spans, size_t *count)
{
    *spans = NULL;
    *count = 0;
    if (work->kind == WORK_FREE || work->kind == WORK_TAKE) {
        *spans = malloc(sizeof **spans);
        if (!*spans)
            return false;
        **spans = (struct traffic_span){ work->memory.address, work->memory.address + work->memory.size,
                                         TRAFFIC_WRITE };
        *count = 1;
    } else if (work->kind == WORK_COPY || work->kind == WORK_SET) {
        if (work_spans(work, spans, count) && *count)
            qsort(*spans, *count, sizeof **spans, by_address);
    }
    return *count > 0;
}

/* ------------------------------------------------------------------ host functions */

/* Closes what unordered work touches or will touch, so that watch.c notes the function's accesses to it. */
static void watch_function(struct runtime *runtime, const struct task *task)
{
    runtime->noted_before = watch_noted(runtime->watch);
    for (const struct task *other = runtime->tasks; other; other = other->next)
        if (other != task && (other->state != TASK_OVER || other->spans) && !is_ordered(other, task) &&
            !is_ordered(task, other))
            watch_work(runtime, &other->work);
}

static void take_function(struct runtime *runtime, struct task *task)
{
    size_t most = watch_noted(runtime->watch) - runtime->noted_before;

    watch_open(runtime->watch);
    if (!most || !(task->spans = malloc(most * sizeof *task->spans)))
        return;
    task->span_count = watch_take_notes(runtime->watch, runtime->noted_before, task->spans);
    qsort(task->spans, task->span_count, sizeof *task->spans, by_address);
}

/* ------------------------------------------------------------------ what queue.c calls */

void order_submitted(struct runtime *runtime, const struct task *task)
{
    if (!is_on(runtime))
        return;
    if (!runtime->watch)
        runtime->watch = watch_create(sim_memory(runtime->sim), &runtime->last_task);
    if (runtime->watch)
        watch_work(runtime, &task->work);
}

void order_begin(struct runtime *runtime, struct task *task, bool early)
{
    bool kernel = task->work.kind == WORK_KERNEL || task->work.kind == WORK_EXEC;

    if (runtime->watch)
        watch_open(runtime->watch);
    if (!is_on(runtime) || runtime->noting ||
        !(has_rival(runtime, task) || has_note(runtime, task) || (early && runtime->queue_count > 1) ||
          (task->work.kind == WORK_EXEC && task->work.exec->unordered)))
        return;
    if (kernel && !need_traffic(runtime))
        return;
    runtime->noting = task;
    runtime->handshake = runtime->collided = false;
    if (kernel)
        order_note_others(runtime);
    else if (task->work.kind == WORK_HOST && runtime->watch)
        watch_function(runtime, task);
}

struct traffic *order_traffic(struct runtime *runtime)
{
    return runtime->noting && !runtime->word_waits ? runtime->traffic : NULL;
}

void order_end(struct runtime *runtime, struct task *task)
{
    if (runtime->noting != task)
        return;
    if (task->work.kind == WORK_KERNEL || task->work.kind == WORK_EXEC)
        traffic_take(runtime->traffic, &task->spans, &task->span_count);
    else if (task->work.kind == WORK_HOST && runtime->watch)
        take_function(runtime, task);
    else
        order_take_spans(&task->work, &task->spans, &task->span_count);
    if (task->work.kind != WORK_KERNEL && !runtime->collided) { /* kernels report at their own lines */
        compare_tasks(runtime, task);
        compare_notes(runtime, task);
    }
    runtime->noting = NULL;
}

bool order_needs(const struct runtime *runtime, const struct task *task)
{
    unsigned later = 0;

    if (!task->spans)
        return false;
    for (const struct task *other = task->next; other; other = other->next) {
        if (other->state != TASK_OVER && !is_ordered(task, other))
            return true;
        later++;
    }
    for (const struct task *other = runtime->tasks; other != task; other = other->next)
        if (other->state != TASK_OVER && !is_ordered(other, task))
            return true;
    return !task->waited && runtime->queue_count > 1 && later < KEPT_MOST;
}

void order_release(struct task *task)
{
    free(task->spans);
    task->spans = NULL;
}

void order_waited(struct runtime *runtime)
{
    if (!runtime->watch)
        return;
    if (!runtime->pending) {
        watch_forget_notes(runtime->watch);
        return;
    }
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if (task->state == TASK_PENDING)
            watch_work(runtime, &task->work);
}

void order_at_end(struct runtime *runtime)
{
    if (!is_on(runtime))
        return;
    for (const struct task *task = runtime->tasks; task; task = task->next)
        if (task->state == TASK_PENDING && task->work.kind == WORK_KERNEL &&
            order_is_new(runtime, task_name(task), "end"))
            order_report(runtime, FAULT_HOST_RACE, task_name(task), 0,
                   "the program ended, and nothing had waited for this kernel: on a device its results, and what it "
                   "prints, may be lost");
}
