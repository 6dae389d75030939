/*
 * test_series.c - calls in flight together: test_series [RUNNER DRIVER.so SUBMISSION.so]
 *
 * Without arguments, how inputs and outputs lie. With them a submission in C to softmax is judged by series, by the
 * host's and the runner's own code: DRIVER.so (tests/fixtures/series) is the CUDA that the runner finds, and a thread
 * here is the warden (stand_in.h). Prints the verdict, its message and the throughput's calls and series.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "problems/problem.h"
#include "problems/series.h"
#include "stand_in.h"
#include "unit.h"
#include "verify/base/clock.h"
#include "verify/box/processor.h"
#include "verify/result/seeds.h"
#include "verify/wire/reap.h"
#include "verify/wire/resident.h"

/* ------------------------------------------------------------------ the layout */

static void test_layout(void)
{
    static struct resident_page page;

    for (size_t size = 1; size < 20000; size += 7) {
        const size_t pitch = blob_pitch(size);

        CHECK(pitch >= size && pitch < size + BLOB_ALIGNMENT && pitch % BLOB_ALIGNMENT == 0, "%zu: %zu", size, pitch);
        CHECK(blob_span(size, 1) == size, "%zu alone", size);
        CHECK(blob_span(size, 16) == 15 * pitch + size, "16 of %zu", size);
    }
    CHECK(sizeof page <= RESIDENT_PAGE, "%zu", sizeof page);
    CHECK(offsetof(struct resident_page, run) % 128 == 0 && offsetof(struct resident_page, done) % 128 == 0, "lines");
    for (size_t i = 1; i < RESIDENT_CALLS; i++)
        CHECK(resident_header(&page, i) + RESIDENT_HEADER <= (unsigned char *)&page + sizeof page &&
                  (i == 1 || resident_header(&page, i) - resident_header(&page, i - 1) == RESIDENT_HEADER),
              "header %zu", i);
}

static void test_calls(void)
{
    CHECK(series_calls(0, 100, 100) == 0, "none are asked for");
    CHECK(series_calls(16, 100, 100) == 16, "as many as are asked for");
    CHECK(series_calls(64, 1 << 20, 1 << 20) == 64, "64 small ones");
    CHECK(series_calls(16, 16 << 20, 16 << 20) == 8, "256 MiB");
    CHECK(series_calls(16, 64 << 20, 64 << 20) == 2, "two large ones");
    CHECK(series_calls(16, 64 << 20, (64 << 20) + 1) == 0, "two that are too large");
}

/* ------------------------------------------------------------------ a judging */

static const struct random_key secret = { .seed = 1 };
static const struct seeds seeds = { .seed = 7 };
static const char *const names[] = { "small" };
static struct arguments arguments;
static struct session session;

/* One call as any other, then the series. */
static void judge(const struct session_config *config, const struct problem *problem)
{
    struct prepare prepare = { .problem = problem, .seeds = &seeds, .secret = &secret, .cases = &arguments,
                               .names = names, .case_count = 1, .sure = true };
    struct case_result result = { .name = names[0] };
    struct blob input = { 0 }, answer = { 0 }, output = { 0 };
    struct session_times times;
    struct series_case series;
    struct error error = { 0 };
    struct facts facts;
    size_t decoys = 0;

    CHECK(prepare_call(&prepare, 0, 0, 1, &input, &answer, &error), "%s", error.text);
    facts = session_open(&session, config, problem->output_size(&input));
    CHECK(facts.outcome == OUTCOME_DONE, "open: %s", facts.detail);
    if (facts.outcome == OUTCOME_DONE)
        facts = session_call(&session, &input, &output, &times);
    CHECK(facts.outcome == OUTCOME_DONE, "a call: %s", facts.detail);
    series = (struct series_case){ .prepare = &prepare, .decoys = &decoys, .input_size = input.size,
                                   .calls = series_calls(16, input.size, output.size) };
    if (facts.outcome == OUTCOME_DONE)
        CHECK(series_judge(&series, &session, &result, &facts, &error), "%s", error.text);
    /* As it was before: a call alone. */
    if (facts.outcome == OUTCOME_DONE)
        facts = session_call(&session, &input, &output, &times);
    CHECK(session_close(&session), "what it started is gone");
    printf("%s, %zu calls, %zu series, %s%s%s\n", verdict_id(result.verdict), result.throughput.calls,
           result.throughput.series, result.throughput.seconds.median > 0 ? "timed" : "not timed",
           result.message[0] ? ": " : "", result.message);
    blob_release(&input);
    blob_release(&answer);
    blob_release(&output);
    prepare_release(&prepare);
}

static void test_judging(char **argv)
{
    const struct problem *problem = problem_find("softmax");
    struct warden host = { .pid = getpid(), .ready = true };
    struct gpu gpu = { 0 };
    struct session_config config = {
        .box = { .level = BOX_NONE, .filter = FILTER_NONE, .runner = argv[1], .submission = argv[3],
                 .runtime = argv[2], .gpu_minor = -1 },
        .start_limit = 10, .call_limit = 2, .end_limit = 10, .output_limit = 1 << 20, .processor = PROCESSOR_ANY,
        .page_lock = true, .resident = true, .stops = true, .gpu = &gpu, .warden = &host,
    };
    struct error error = { 0 };
    pthread_t thread;
    int ends[2];

    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "a channel");
    host.channel = ends[0];
    stand_in.channel = ends[1];
    CHECK(arguments_parse(&arguments, "normal 4 16 float32 seed=1", &error), "%s", error.text);
    pthread_create(&thread, NULL, stand_in_serve, NULL);
    reap_adopt();
    judge(&config, problem);
    close(ends[0]);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        test_judging(argv);
        return unit_failures != 0;
    }
    test_layout();
    test_calls();
    return unit_end();
}
