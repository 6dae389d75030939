/*
 * test_series.c - calls in flight together: test_series [RUNNER DRIVER.so SUBMISSION.so]
 *
 * Without arguments, how inputs and outputs lie. With them a submission in C to softmax is judged by series, by the
 * host's and the runner's own code: DRIVER.so (tests/fixtures/series) is the CUDA that the runner finds, and a thread
 * here is the warden. Prints the verdict, its message and the throughput's calls and series.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "problems/problem.h"
#include "problems/series.h"
#include "unit.h"
#include "verify/base/clock.h"
#include "verify/base/poison.h"
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

/* ------------------------------------------------------------------ the warden */

static struct {
    int channel;
    volatile struct resident_page *page;
    unsigned char *staging, *slots;
    size_t staging_size, slots_size, offset;
} warden;

static bool receive(struct warden_message *message, int *fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec part = { message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes };
    const struct cmsghdr *c;

    *fd = -1;
    if (recvmsg(warden.channel, &header, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *message)
        return false;
    c = CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return true;
}

static void reply(const struct warden_message *message, int fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { (void *)message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

    if (fd >= 0) {
        struct cmsghdr *c;

        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    CHECK(sendmsg(warden.channel, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *message, "an answer of the warden");
}

static unsigned char *map(int fd, size_t size)
{
    unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    CHECK(memory != MAP_FAILED, "%zu bytes", size);
    return memory;
}

/* New slots; their descriptor. */
static int make_slots(const struct warden_message *message, int staging)
{
    int fd = memfd_create("slots", MFD_CLOEXEC);

    if (warden.slots) {
        munmap(warden.slots, warden.slots_size);
        munmap(warden.staging, warden.staging_size);
    }
    warden.offset = resident_output_offset(message->input_size);
    warden.slots_size = warden.offset + message->output_size;
    warden.staging_size = WARDEN_STAGING + warden.slots_size;
    CHECK(ftruncate(fd, (off_t)warden.slots_size) == 0, "slots");
    warden.slots = map(fd, warden.slots_size);
    warden.staging = map(staging, warden.staging_size);
    return fd;
}

static void poison(uint64_t key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        warden.slots[warden.offset + i] = (unsigned char)(poison_word(key, i / 8) >> 8 * (i % 8));
}

static void wait_for_done(const struct warden_message *message)
{
    const volatile struct warden_staging *staging = (const volatile struct warden_staging *)warden.staging;

    warden.page->run = message->nonce;
    while (warden.page->done != message->nonce && !staging->stop)
        usleep(50);
}

static void *serve(void *nothing)
{
    struct warden_message message, answer;
    int given, slots;

    while (receive(&message, &given)) {
        answer = (struct warden_message){ .operation = message.operation, .ok = 1, .megahertz = 1000 };
        slots = -1;
        switch ((enum warden_operation)message.operation) {
        case WARDEN_PAGE: warden.page = (volatile struct resident_page *)map(given, RESIDENT_PAGE); break;
        case WARDEN_SLOTS:
            slots = make_slots(&message, given);
            answer.input_size = warden.slots_size;
            break;
        case WARDEN_POISON: poison(message.nonce, message.output_size); break;
        case WARDEN_DECOY:
        case WARDEN_CALL:
            memcpy(warden.slots, warden.staging + WARDEN_STAGING, message.input_size);
            answer.start = clock_ns();
            if (message.operation == WARDEN_CALL)
                wait_for_done(&message);
            break;
        case WARDEN_TAKE:
            memcpy(warden.staging + WARDEN_STAGING + warden.offset, warden.slots + warden.offset, message.output_size);
            answer.start = clock_ns();
            break;
        default: break;
        }
        if (given >= 0)
            close(given);
        reply(&answer, slots);
        if (slots >= 0)
            close(slots);
    }
    return nothing;
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
    warden.channel = ends[1];
    CHECK(arguments_parse(&arguments, "normal 4 16 float32 seed=1", &error), "%s", error.text);
    pthread_create(&thread, NULL, serve, NULL);
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
