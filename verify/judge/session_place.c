/*
 * session_place.c - the GPU between calls, and what is too large to be copied on the clock.
 */
#include "session_place.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "session_memory.h"
#include "session_wait.h"
#include "verify/base/clock.h"
#include "verify/base/parallel.h"
#include "verify/base/shared_map.h"
#include "verify/box/stop.h"

/*
 * How long stopping the runner's threads may take: tens of microseconds, unless one is in the middle of a system call.
 */
static const double stop_seconds = 2.0;

/* How long work that a call left on the GPU may go on before the next call. */
static const double settle_seconds = 2.0;

/* Lines of a large output that are looked at before the clock stops, and bytes of each. */
enum { SAMPLES = 1024, SAMPLE = 64 };

struct facts session_lost_warden(struct session *session, struct facts facts)
{
    snprintf(session->detail, sizeof session->detail, "%s", session->config->warden->why);
    facts.outcome = OUTCOME_LOST;
    facts.detail = session->detail;
    return facts;
}

struct facts session_left_work(struct facts facts, const char *words)
{
    facts.outcome = OUTCOME_LEFT_WORK;
    facts.detail = words;
    return facts;
}

struct facts session_settle(struct session *session, struct facts facts, double *megahertz)
{
    struct warden *warden = session->config->warden;

    *megahertz = 0;
    if (!warden)
        return facts;
    if (!warden_wait_ready(warden))
        return session_lost_warden(session, facts);
    if (!warden_idle(warden, settle_seconds))
        return session_left_work(facts, "left work running on the GPU when it returned");
    return (session->config->warm ? warden_clock(warden, megahertz) : warden_flush(warden, megahertz))
               ? facts
               : session_lost_warden(session, facts);
}

struct facts session_make_place(struct session *session, size_t mapped, int64_t deadline, struct facts facts)
{
    struct channel_message message = { .magic = CHANNEL_MAGIC, .kind = CHANNEL_PLACE, .mapped = mapped };
    int fd;

    if (session->place && session->place_size >= mapped)
        return facts;
    if (session->place)
        munmap(session->place, session->place_size);
    fd = session_shared_memory("input", mapped);
    session->place = fd < 0 ? NULL : session_map_new(fd, mapped);
    session->place_size = mapped;
    if (!session->place) {
        facts = session_lost(session, facts, "cannot make memory for the input");
    } else {
        if (session_deliver(session, &message, fd, &facts))
            facts = session_wait_for(session, CHANNEL_PLACED, deadline, &message, facts);
    }
    if (fd >= 0)
        close(fd);
    return facts;
}

/* Stops the runner. If it has ended since its last message, reports that as session_wait_for() does. */
static struct facts stop_runner(struct session *session, struct facts facts)
{
    if (stop_process(session->runner, stop_seconds))
        return facts;
    facts.outcome = OUTCOME_DIED;
    session_take_status(session, clock_ns() + (int64_t)(ending_seconds * 1e9), &facts);
    return facts;
}

/*
 * A kernel or copy could still wait on the GPU for a word of that memory to change. So a decoy is written
 * first, the input with its parts in another order: what it sets off is a kernel, and seen, or a copy of the decoy.
 */
struct facts session_fill_place(struct session *session, const struct blob *input, struct facts facts)
{
    enum { HEAD = 4096 };
    struct warden *warden = session->config->warden;
    const size_t body = input->size - HEAD;
    uint32_t turn = 0;
    double gap = 0;
    size_t cut;

    facts = stop_runner(session, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    if (warden && !warden_watch_alone(warden))
        return session_lost_warden(session, facts);
    if (getrandom(&turn, sizeof turn, 0) < 0)
        turn = 0x9e3779b9;
    cut = (1 + (size_t)((double)turn / 4294967296.0 * (double)(body / SAMPLE - 1))) * SAMPLE;
    memcpy(session->place, input->data, HEAD);
    parallel_copy(session->place + HEAD, input->data + HEAD + cut, body - cut);
    parallel_copy(session->place + HEAD + body - cut, input->data + HEAD, cut);
    parallel_copy(session->place, input->data, input->size);
    memset(session->place + input->size, 0, session->place_size - input->size);
    if (warden && !warden_unwatch(warden, &gap))
        return session_lost_warden(session, facts);
    if (gap > WARDEN_IDLE_SECONDS)
        return session_left_work(facts, "left work on the GPU, which ran before the next input was released");
    return facts;
}

/* Where line `i` of those that are looked at starts in a large output, bytes. */
static size_t line_at(const struct session *session, uint64_t key, size_t i)
{
    return poison_word(key, i) % (session->output_size / SAMPLE) * SAMPLE;
}

static void take_samples(const struct session *session, uint64_t key, unsigned char samples[SAMPLES][SAMPLE])
{
    for (size_t i = 0; i < SAMPLES; i++)
        memcpy(samples[i], session->output + line_at(session, key, i), SAMPLE);
}

struct facts session_take_output(struct session *session, struct blob *output, int64_t deadline, int64_t *end,
                                struct facts facts)
{
    static unsigned char samples[SAMPLES][SAMPLE], again[SAMPLES][SAMPLE];
    struct warden *warden = session->config->warden;
    uint64_t key;

    if (session->output_size < PAGE_LOCK_FROM || !session->config->stops) {
        memcpy(output->data, session->output, session->output_size);
        *end = clock_ns();
        return facts;
    }
    *end = clock_ns();
    facts = stop_runner(session, facts);
    if (facts.outcome != OUTCOME_DONE)
        return facts;
    if (warden && !warden_idle(warden, clock_seconds(*end, deadline) > 0 ? clock_seconds(*end, deadline) : 0))
        facts = session_left_work(facts, "left work running on the GPU when it returned");
    if (getrandom(&key, sizeof key, 0) < 0)
        key = (uint64_t)*end;
    take_samples(session, key, samples);
    *end = clock_ns();
    parallel_copy(output->data, session->output, session->output_size);
    take_samples(session, key, again);
    facts.late = memcmp(samples, again, sizeof samples) != 0;
    for (size_t i = 0; i < SAMPLES && !facts.late; i++)
        facts.late = memcmp(samples[i], output->data + line_at(session, key, i), SAMPLE) != 0;
    stop_continue(session->runner);
    return facts;
}
