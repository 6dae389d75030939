/*
 * test_resident.c - resident calls and traps: test_resident RUNNER DRIVER.so KIND SUBMISSION.so
 *
 * The host's and the runner's own code, on memory of the CPU: DRIVER.so (tests/fixtures/series) is the CUDA that the
 * runner finds, a thread here is the warden (stand_in.h). SUBMISSION.so is tests/fixtures/resident/call.c of that KIND.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stand_in.h"
#include "unit.h"
#include "verify/base/blob.h"
#include "verify/box/processor.h"
#include "verify/judge/session.h"
#include "verify/wire/reap.h"

enum { ROWS = 4, COLUMNS = 16, HEADER = 256, ELEMENTS = ROWS * COLUMNS, INPUT = HEADER + 4 * ELEMENTS };

static struct session session;
static struct blob output;
static struct session_times times;

/* An input of softmax whose elements are `first`, `first` + 1 and so on. */
static unsigned char *input_of(float first)
{
    static _Alignas(4096) unsigned char data[INPUT];
    const uint32_t sizes[4] = { ROWS, COLUMNS, 0, 0 };

    memcpy(data, sizes, sizeof sizes);
    for (int e = 0; e < ELEMENTS; e++) {
        const float value = first + (float)e;

        memcpy(data + HEADER + 4 * e, &value, sizeof value);
    }
    return data;
}

static struct facts trap(float first)
{
    const struct session_inputs decoy = { .data = input_of(first), .size = INPUT, .calls = 1 };

    stand_in.logged = 0;
    return session_trap(&session, &decoy);
}

static struct facts call(float first)
{
    const struct blob input = { .data = input_of(first), .size = INPUT };

    stand_in.logged = 0;
    return session_call(&session, &input, &output, &times);
}

static bool is_answer(const unsigned char *data, float first)
{
    bool right = true;

    for (int e = 0; e < ELEMENTS; e++) {
        float value;

        memcpy(&value, data + 4 * e, sizeof value);
        right = right && value == first + (float)e + 1;
    }
    return right;
}

static bool says(const struct facts *facts, enum outcome outcome, const char *words)
{
    return facts->outcome == outcome && strstr(facts->detail, words) != NULL;
}

/* Operation i of the last trap or call, without what makes slots and without the watch of a trap. */
static uint32_t operation(size_t i)
{
    for (size_t k = 0; k < stand_in.logged; k++)
        if (stand_in.log[k] != WARDEN_SLOTS && stand_in.log[k] != WARDEN_WATCH_ALONE && i-- == 0)
            return stand_in.log[k];
    return WARDEN_READY;
}

/* The steps before an input are the same for both. */
static void test_same_steps(void)
{
    static const uint32_t steps[] = { WARDEN_IDLE, WARDEN_FLUSH, WARDEN_POISON };
    struct facts facts;

    for (int round = 0; round < 6; round++) {
        const float first = 1000 * (float)(round + 1);
        const bool is_trap = round % 2 == 0;

        facts = is_trap ? trap(first) : call(first);
        CHECK(facts.outcome == OUTCOME_DONE, "round %d: %s", round, facts.detail);
        for (size_t i = 0; i < 3; i++)
            CHECK(operation(i) == steps[i], "round %d: step %zu is %u", round, i, operation(i));
        CHECK(operation(3) == (is_trap ? WARDEN_DECOY : WARDEN_CALL), "round %d: %u", round, operation(3));
        CHECK(stand_in.arrived - stand_in.poisoned >= 3000000, "round %d: the input came after %lld ns", round,
              (long long)(stand_in.arrived - stand_in.poisoned));
        CHECK(memcmp(stand_in.slots, input_of(first), INPUT) == 0, "round %d: the input's slot", round);
        CHECK(memcmp((const void *)stand_in.page->header, input_of(first), HEADER) == 0, "round %d: header", round);
        CHECK(is_trap || (is_answer(output.data, first) && !facts.late), "round %d: the output", round);
        CHECK(is_trap == !is_answer(stand_in.slots + stand_in.offset, first), "round %d: the output's slot", round);
    }
}

/* A last look that takes long counts, beyond what looks take; one that does not, not. */
static void test_slow_look(void)
{
    struct facts facts;

    stand_in.look = 3.0;
    facts = call(1);
    CHECK(facts.outcome == OUTCOME_TIMEOUT && facts.seconds >= 2.99 && facts.seconds < 30, "%g s", facts.seconds);
    stand_in.look = 19e-6;
    facts = call(2);
    CHECK(facts.outcome == OUTCOME_DONE && times.total < 2.99, "%g s", times.total);
    stand_in.look = 0;
}

/* The faults that end a session, each in its own session. */
static void test_left_work(int kind)
{
    struct facts facts;

    switch (kind) {
    case 0: /* another context's kernel ran: once that may have been somebody else's end */
        stand_in.gap = 1e-3;
        facts = trap(1);
        CHECK(facts.outcome == OUTCOME_DONE, "one gap: %s", facts.detail);
        facts = trap(2);
        CHECK(says(&facts, OUTCOME_LEFT_WORK, "left work on the GPU, which ran before its input"), "%s", facts.detail);
        break;
    case 1: /* the GPU is not idle after a call */
        stand_in.fails = WARDEN_IDLE;
        stand_in.after = 1;
        facts = call(1);
        CHECK(says(&facts, OUTCOME_LEFT_WORK, "left work running on the GPU when it returned"), "%s", facts.detail);
        break;
    case 2: /* no slots */
        stand_in.fails = WARDEN_SLOTS;
        stand_in.after = 0;
        facts = trap(1);
        CHECK(facts.outcome == OUTCOME_LOST, "outcome %d", (int)facts.outcome);
        break;
    default: break;
    }
    stand_in.gap = 0;
    stand_in.fails = WARDEN_READY;
}

/* On a busy machine its thread may come too late, for a trap or two. */
static void test_early(void)
{
    struct facts facts = call(1);

    CHECK(facts.outcome == OUTCOME_DONE && is_answer(output.data, 1), "a call: %s", facts.detail);
    for (int i = 1; i < 500 && facts.outcome == OUTCOME_DONE; i++)
        facts = trap(500 * (float)i);
    CHECK(says(&facts, OUTCOME_LEFT_WORK, "wrote to its output before its input was released"), "%s", facts.detail);
}

/* On a busy machine the warden may look too late, at a call or two. */
static void test_forged(void)
{
    struct facts facts = { .outcome = OUTCOME_DONE };

    for (int i = 0; i < 500 && facts.outcome == OUTCOME_DONE && !facts.late; i++) {
        facts = call((float)i);
        CHECK(facts.outcome == OUTCOME_DONE && is_answer(output.data, (float)i), "call %d: %s", i, facts.detail);
    }
    CHECK(facts.late, "what was written after the word was not seen");
}

static void in_session(const struct session_config *config, void (*test)(void))
{
    const struct facts facts = session_open(&session, config, 4 * ELEMENTS);

    CHECK(facts.outcome == OUTCOME_DONE, "open: %s", facts.detail);
    if (facts.outcome == OUTCOME_DONE)
        test();
    CHECK(session_close(&session), "what it started is gone");
    blob_release(&output);
}

static void left_work_by_kernel(void) { test_left_work(0); }
static void left_work_after_call(void) { test_left_work(1); }
static void no_slots(void) { test_left_work(2); }

int main(int argc, char **argv)
{
    struct warden warden = { .pid = getpid(), .ready = true };
    struct gpu gpu = { 0 };
    struct session_config config = {
        .box = { .level = BOX_NONE, .filter = FILTER_NONE, .runner = argv[1], .submission = argv[4],
                 .runtime = argv[2], .gpu_minor = -1 },
        .start_limit = 10, .call_limit = 2, .end_limit = 10, .output_limit = 1 << 20, .processor = PROCESSOR_ANY,
        .page_lock = true, .resident = true, .stops = true, .gpu = &gpu, .warden = &warden,
    };
    pthread_t thread;
    int ends[2];

    if (argc != 5)
        return 2;
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "a channel");
    warden.channel = ends[0];
    stand_in.channel = ends[1];
    stand_in.fails = WARDEN_READY;
    pthread_create(&thread, NULL, stand_in_serve, NULL);
    reap_adopt();
    if (strcmp(argv[3], "EARLY") == 0) {
        in_session(&config, test_early);
    } else if (strcmp(argv[3], "FORGED") == 0) {
        in_session(&config, test_forged);
    } else {
        in_session(&config, test_same_steps);
        in_session(&config, left_work_by_kernel);
        in_session(&config, left_work_after_call);
        in_session(&config, no_slots);
        in_session(&config, test_slow_look);
    }
    close(ends[0]);
    pthread_join(thread, NULL);
    return unit_end();
}
