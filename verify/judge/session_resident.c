/*
 * session_resident.c - the host's side of a resident call.
 */
#include "session_resident.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "session_memory.h"
#include "session_place.h"
#include "session_wait.h"
#include "verify/base/blob.h"
#include "verify/base/clock.h"
#include "verify/base/parallel.h"
#include "verify/base/shared_map.h"
#include "verify/wire/resident.h"

/* How long the runner may take, off the clock, to map slots and to wake up; and an input, to be brought to its slot. */
static const double prepare_seconds = 3.0;

/* How long it waits before user code is loaded for the GPU to be nobody else's: ending a context takes 0.1 s. */
static const double quiet_seconds = 2.0;

/*
 * Once in so many times a trap comes next, and not the call. The warden watches whether a kernel starts, for longer
 * than a time slice of the GPU, so that a kernel which waits for its turn gets it.
 */
enum { TRAP_ONE_IN = 2, TRAP_MICROSECONDS = 4000 };

/*
 * From the runner's word that it is awake until an input comes, off the clock: at least the first, and up to the second
 * more by chance. In a trap the warden asks for its watch at once. It gets the GPU in 0.2 ms, or from a kernel that was
 * faster after that one's time slice, 2.4 ms at most. So it watches when an input comes. A kernel that is there then
 * stops the watch sooner or later. As the same time passes before a call, nothing tells the two apart.
 */
enum { PAUSE_LEAST_MICROSECONDS = 3000, PAUSE_MORE_MICROSECONDS = 500 };

/*
 * The warden's last look at an output begins after "done". It takes 7 us. What it takes beyond this counts as the
 * call's, as a submission that keeps the copy engines busy could finish its output meanwhile.
 */
static const double look_seconds = 20e-6;

/*
 * How long the host looks at the page without sleeping. After that it waits for the runner's message, which comes some
 * microseconds later.
 */
static const int64_t look_ns = 20000000;

bool session_has_slots(const struct session_config *config)
{
    return config->resident && config->page_lock && config->gpu && config->warden;
}

struct facts session_give_page(struct session *session, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_SETUP, .size = session->output_size,
                                       .mapped = RESIDENT_PAGE, .resident = RESIDENT_SLOTS };
    struct warden *warden = session->config->warden;
    int fd = session_shared_memory("page", RESIDENT_PAGE);
    void *page = fd < 0 ? MAP_FAILED : mmap(NULL, RESIDENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return session_lost(session, facts, "memfd_create");
    }
    session->resident.page = page;
    session->resident.warden = warden;
    if (!warden_wait_ready(warden) || !warden_page(warden, fd))
        facts = session_lost_warden(session, facts);
    else if (session_deliver(session, &message, fd, &facts))
        facts = session_wait_for(session, CHANNEL_MAPPED, deadline, &message, facts);
    close(fd);
    return facts;
}

/*
 * No user code has run yet: what takes the GPU from a watch is a process of the judging before, which ends. Begins when
 * two watches in a row have seen nothing, or when it has waited long enough.
 */
struct facts session_await_quiet(struct session *session, struct facts facts)
{
    struct warden *warden = session->config->warden;
    const int64_t begin = clock_ns();
    double gap = 0;

    if (!warden_wait_ready(warden))
        return session_lost_warden(session, facts);
    for (int quiet = 0; quiet < 2 && clock_seconds(begin, clock_ns()) < quiet_seconds;) {
        if (!warden_watch_alone(warden))
            return session_lost_warden(session, facts);
        usleep(TRAP_MICROSECONDS);
        if (!warden_unwatch(warden, &gap))
            return session_lost_warden(session, facts);
        quiet = gap > WARDEN_IDLE_SECONDS ? 0 : quiet + 1;
    }
    return facts;
}

static void release_staging(struct session *session)
{
    if (session->resident.staging)
        munmap(session->resident.staging, session->resident.staging_size);
    session->resident.staging = NULL;
}

/* Slots for so many bytes of inputs and outputs, and memory in which host and warden pass them. */
static struct facts make_slots(struct session *session, size_t input_size, size_t output_size, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_SLOTS,
                                       .size = resident_output_offset(input_size) };
    const int64_t deadline = clock_ns() + (int64_t)(prepare_seconds * 1e9);
    const size_t size = WARDEN_STAGING + resident_output_offset(input_size) + output_size;
    struct warden *warden = session->resident.warden;
    int staging, slots = -1;
    size_t slots_size = 0;

    release_staging(session);
    session->resident.staging_size = map_size(size);
    staging = session_shared_memory("staging", session->resident.staging_size);
    session->resident.staging = staging < 0 ? NULL : session_map_new(staging, session->resident.staging_size);
    if (!session->resident.staging) {
        if (staging >= 0)
            close(staging);
        return session_lost(session, facts, "memory for inputs and outputs");
    }
    session->resident.input_size = input_size;
    session->resident.output_size = output_size;
    if (!warden_slots(warden, staging, input_size, output_size, &slots, &slots_size)) {
        facts = session_lost_warden(session, facts);
    } else {
        message.mapped = slots_size;
        if (session->device_memory_before > 0)
            session->device_memory_before += slots_size;
        if (session_deliver(session, &message, slots, &facts))
            facts = session_wait_for(session, CHANNEL_PLACED, deadline, &message, facts);
        /* Earlier slots are gone from here on. */
        if (session->device_memory_before > 0)
            session->device_memory_before -= session->resident.slots_size;
        session->resident.slots_size = slots_size;
    }
    close(staging);
    if (slots >= 0)
        close(slots);
    return facts;
}

/* The runner finishes what it has on the GPU, has it to itself again, and looks at the page. */
static struct facts wake(struct session *session, const struct session_inputs *inputs, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_WAKE, .size = 1,
                                       .mapped = inputs->size };

    session->resident.page->returned = 0;
    session->resident.page->granted = inputs->calls > 1 ? 1 : 1 | RESIDENT_FINAL;
    if (session_deliver(session, &message, -1, &facts))
        facts = session_wait_for(session, CHANNEL_AWAKE, clock_ns() + (int64_t)(prepare_seconds * 1e9), &message,
                                 facts);
    return facts;
}

/* Bytes of all inputs, and of all outputs, as they lie in the slots. */
static size_t inputs_span(const struct session_inputs *inputs) { return blob_span(inputs->size, inputs->calls); }

static size_t outputs_span(const struct session *session, const struct session_inputs *inputs)
{
    return blob_span(session->output_size, inputs->calls);
}

/* Has the inputs ready for the warden to bring, in slots that they fit into, and their headers on the page. */
static struct facts stage(struct session *session, const struct session_inputs *inputs, struct facts facts)
{
    const size_t head = inputs->size < RESIDENT_HEADER ? inputs->size : RESIDENT_HEADER;
    const size_t input_size = inputs_span(inputs), output_size = outputs_span(session, inputs);
    const unsigned char *data = inputs->data;

    if (!session->resident.staging || session->resident.input_size < input_size ||
        session->resident.output_size < output_size)
        facts = make_slots(session, input_size, output_size, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    parallel_copy(session->resident.staging + WARDEN_STAGING, data, input_size);
    for (size_t i = 0; i < inputs->calls; i++, data += blob_pitch(inputs->size)) {
        memset((void *)resident_header(session->resident.page, i), 0, RESIDENT_HEADER);
        memcpy((void *)resident_header(session->resident.page, i), data, head);
    }
    return facts;
}

/* When the next input is to come, clock_ns(). */
static int64_t draw_moment(void)
{
    uint32_t drawn = 0;

    if (getrandom(&drawn, sizeof drawn, 0) < 0)
        drawn = (uint32_t)clock_ns();
    return clock_ns() + 1000 * (PAUSE_LEAST_MICROSECONDS + (int64_t)(drawn % PAUSE_MORE_MICROSECONDS));
}

static void wait_until(int64_t moment)
{
    const int64_t left = moment - clock_ns();

    if (left > 0)
        usleep((useconds_t)(left / 1000));
}

bool session_draws_trap(const struct session *session)
{
    unsigned char drawn = 0;

    return session->resident.warden && (getrandom(&drawn, sizeof drawn, 0) != 1 || drawn % TRAP_ONE_IN == 0);
}

/*
 * Off the clock: an idle GPU, an empty cache, a poisoned output and a runner that is awake. The same before a trap and
 * before a call, as each of these can be noticed.
 */
static struct facts prepare(struct session *session, const struct session_inputs *inputs, double *megahertz,
                            struct facts facts)
{
    struct warden *warden = session->resident.warden;

    facts = stage(session, inputs, facts);
    if (getrandom(&session->poison, sizeof session->poison, 0) != (ssize_t)sizeof session->poison)
        return session_lost(session, facts, "getrandom");
    if (facts.outcome == OUTCOME_DONE)
        facts = session_settle(session, facts, megahertz);
    if (facts.outcome == OUTCOME_DONE && !warden_poison(warden, session->poison, outputs_span(session, inputs)))
        facts = session_lost_warden(session, facts);
    if (facts.outcome == OUTCOME_DONE)
        facts = wake(session, inputs, facts);
    return facts;
}

/* The outputs' slot as it is now, in the staging memory. */
static struct blob staged_output(const struct session *session, size_t size)
{
    return (struct blob){ .data = session->resident.staging + WARDEN_STAGING +
                                  resident_output_offset(session->resident.input_size),
                          .size = size };
}

/* Copies do not show in a watch. What they brought to the output before there was a call does. */
static struct facts look_for_early_output(struct session *session, size_t size, struct facts facts)
{
    const struct blob output = staged_output(session, size);
    int64_t whole;
    bool late;

    if (!warden_take(session->resident.warden, output.size, &whole, &late))
        return session_lost_warden(session, facts);
    return session_is_poison(session, &output, 0)
               ? facts
               : session_left_work(facts, "wrote to its output before its input was released");
}

/*
 * What a watch says. 2 of 31 submissions had a gap that was not theirs, before their first call, with several
 * judgings started at once. So one gap is forgiven in a session, and not the second.
 */
static struct facts take_gap(struct session *session, double gap, struct facts facts)
{
    session->resident.gaps += gap > WARDEN_IDLE_SECONDS;
    return session->resident.gaps > 1
               ? session_left_work(facts, "left work on the GPU, which ran before its input was released")
               : facts;
}

/* What was prepared to start when an input comes, or at some time before the clock does, starts now, and shows. */
struct facts session_trap(struct session *session, const struct session_inputs *decoy)
{
    struct facts facts = { .called = true, .limit = session->config->call_limit,
                           .output_limit = session->config->output_limit, .detail = "" };
    struct warden *warden = session->resident.warden;
    double gap = 0, megahertz = 0;
    int64_t moment;

    session->idle = false;
    facts = prepare(session, decoy, &megahertz, facts);
    if (facts.outcome != OUTCOME_DONE)
        return session_observed(session, facts);
    moment = draw_moment();
    if (!warden_watch_alone(warden))
        return session_observed(session, session_lost_warden(session, facts));
    wait_until(moment);
    if (!warden_decoy(warden, inputs_span(decoy)))
        return session_observed(session, session_lost_warden(session, facts));
    usleep(TRAP_MICROSECONDS);
    if (!warden_unwatch(warden, &gap))
        facts = session_lost_warden(session, facts);
    else
        facts = take_gap(session, gap, facts);
    if (facts.outcome == OUTCOME_DONE)
        facts = look_for_early_output(session, outputs_span(session, decoy), facts);
    session->idle = facts.outcome == OUTCOME_DONE;
    return session_observed(session, facts);
}

/* The input comes at a moment that nobody knows. */
static struct facts wait_for_moment(struct session *session, bool audit, struct facts facts)
{
    const int64_t moment = draw_moment();

    if (audit && !warden_watch(session->resident.warden))
        return session_lost_warden(session, facts);
    wait_until(moment);
    return facts;
}

/*
 * Lets the runner make another call of a series, up to `made`, or tells it that there is none, once it has returned
 * from all that were *granted.
 */
static void grant(volatile struct resident_page *page, size_t made, uint64_t *granted)
{
    if (page->returned < *granted)
        return;
    page->granted = *granted < made ? *granted + 1 : made | RESIDENT_FINAL;
    *granted = *granted < made ? *granted + 1 : UINT64_MAX;
}

/* When the page said that the call is done, clock_ns(); 0 where it has not in a while. */
static int64_t look_at_page(const struct session *session, const struct session_inputs *inputs)
{
    volatile struct resident_page *page = session->resident.page;
    const int64_t begin = clock_ns(), longest = look_ns * (int64_t)inputs->made;
    uint64_t granted = inputs->calls > 1 ? 1 : UINT64_MAX;
    int64_t now;
    bool done;

    do {
        grant(page, inputs->made, &granted);
        done = page->done == session->nonce;
        now = clock_ns();
    } while (!done && now - begin < longest);
    if (granted != UINT64_MAX)
        page->granted = inputs->made | RESIDENT_FINAL;
    return done ? now : 0;
}

/* From the input to "done": *start, by the warden, and *end, clock_ns(). */
static struct facts call_on_the_clock(struct session *session, const struct session_inputs *inputs, bool audit,
                                      int64_t *start, int64_t *end, struct facts facts)
{
    volatile struct warden_staging *staging = (volatile struct warden_staging *)session->resident.staging;
    struct warden *warden = session->resident.warden;
    const double longest = facts.limit + prepare_seconds;
    struct channel_message message;
    double gap = 0, look = 0;

    if (getrandom(&session->nonce, sizeof session->nonce, 0) < 0)
        session->nonce++;
    session->nonce |= 1; /* 0 asks for nothing */
    staging->stop = 0;
    *start = *end = 0;
    if (!warden_call_begin(warden, session->nonce, inputs_span(inputs), outputs_span(session, inputs), longest))
        return session_lost_warden(session, facts);
    *end = look_at_page(session, inputs);
    facts = session_wait_for(session, CHANNEL_DONE, clock_ns() + (int64_t)(longest * 1e9), &message, facts);
    if (*end == 0 && session->resident.page->done == session->nonce)
        *end = clock_ns();
    if (facts.outcome != OUTCOME_DONE || *end == 0)
        staging->stop = 1;
    if (!warden_call_end(warden, longest, start, &look) && facts.outcome == OUTCOME_DONE)
        facts = session_lost_warden(session, facts);
    if (*end > 0 && look > look_seconds)
        *end += (int64_t)((look - look_seconds) * 1e9);
    if (audit && warden_unwatch(warden, &gap))
        session->used_gpu = gap > WARDEN_IDLE_SECONDS;
    if (facts.outcome == OUTCOME_DONE && *end == 0) /* it sent the message, and not the word */
        facts.outcome = OUTCOME_FORGED;
    return facts;
}

/* The output as it is when nothing runs any more. */
static struct facts take_output(struct session *session, struct blob *output, int64_t *whole, struct facts facts)
{
    struct warden *warden = session->resident.warden;
    const struct blob taken = staged_output(session, output->size);

    if (!warden_idle(warden, prepare_seconds))
        return session_left_work(facts, "left work running on the GPU when it returned");
    if (!warden_take(warden, output->size, whole, &facts.late))
        return session_lost_warden(session, facts);
    parallel_copy(output->data, taken.data, taken.size);
    return facts;
}

/*
 * The same once more on the same input, which nobody looks at: for the GPU's counters. The host releases it itself.
 */
static struct facts call_again(struct session *session, const struct session_inputs *inputs,
                               struct session_times *times, struct facts facts)
{
    struct channel_message message;
    int64_t start;

    facts = wake(session, inputs, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    if (getrandom(&session->nonce, sizeof session->nonce, 0) < 0)
        session->nonce++;
    session->nonce |= 1;
    start = clock_ns();
    session->resident.page->run = session->nonce;
    facts = session_wait_for(session, CHANNEL_DONE, start + (int64_t)(facts.limit * 1e9), &message, facts);
    facts.seconds = clock_seconds(start, clock_ns());
    *times = (struct session_times){ .total = facts.seconds };
    return facts;
}

/* Whether an output of a call that was not made is no more as it was. */
static bool is_ahead(const struct session *session, const struct session_inputs *inputs, const struct blob *outputs)
{
    const size_t first = inputs->made * blob_pitch(session->output_size);

    return inputs->made < inputs->calls && !session_is_poison(session, outputs, first);
}

struct facts session_series(struct session *session, const struct session_inputs *inputs, struct blob *output,
                            struct session_times *times)
{
    struct facts facts = { .called = true, .limit = session->config->call_limit * (double)inputs->made,
                           .output_limit = session->config->output_limit, .detail = "" };
    const size_t output_size = outputs_span(session, inputs);
    const bool audit = session->audit;
    int64_t start = 0, end = 0, whole = 0;
    double megahertz = 0;
    struct error error;

    session->idle = false;
    if (!session->config->warden && session->resident.staging) {
        facts = session_observed(session, call_again(session, inputs, times, facts));
        session->idle = facts.outcome == OUTCOME_DONE;
        return facts;
    }
    if (output->size != output_size && !blob_alloc(output, output_size, &error))
        return session_lost(session, facts, "memory for the output");
    if (audit) /* two contexts share the GPU then */
        facts.limit *= 3;
    facts = prepare(session, inputs, &megahertz, facts);
    if (facts.outcome == OUTCOME_DONE)
        facts = wait_for_moment(session, audit, facts);
    if (facts.outcome == OUTCOME_DONE)
        facts = call_on_the_clock(session, inputs, audit, &start, &end, facts);
    if (start > 0 && facts.outcome == OUTCOME_DONE) {
        facts.seconds = clock_seconds(start, end);
        facts = take_output(session, output, &whole, facts);
    }
    if (facts.outcome == OUTCOME_DONE) {
        session->idle = true;
        if (facts.seconds > facts.limit)
            facts.outcome = OUTCOME_TIMEOUT;
        facts.unwritten = session_is_poison(session, output, 0);
        facts.ahead = is_ahead(session, inputs, output);
        *times = (struct session_times){ .total = facts.seconds, .call = facts.seconds, .megahertz = megahertz,
                                         .done = clock_seconds(end, whole) };
        if (session->config->device_memory_limit > 0)
            session_look_at_memory(session);
    }
    return session_observed(session, facts);
}

struct facts session_resident_call(struct session *session, const struct blob *input, struct blob *output,
                                   struct session_times *times)
{
    const struct session_inputs one = { .data = input->data, .size = input->size, .calls = 1, .made = 1 };

    return session_series(session, &one, output, times);
}

void session_resident_close(struct session *session)
{
    struct warden *warden = session->resident.warden;

    if (warden && warden->pid > 0)
        warden_forget(warden);
    release_staging(session);
    if (session->resident.page)
        munmap((void *)session->resident.page, RESIDENT_PAGE);
    session->resident.page = NULL;
    session->resident.warden = NULL;
}
