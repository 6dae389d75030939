/*
 * test_ready.c - runners that are started before they are needed: test_ready FOLDER
 *
 * The program is its own runner. Each reads one byte of the pipe FOLDER/gate before it is there: 'i' lets it in, 'x'
 * ends it. So the test decides which runners are there, and no check depends on a time.
 */
#include "verify/judge/ready.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "stand_in_runner.h"
#include "unit.h"
#include "verify/wire/reap.h"

static int gate;
static struct ready ready;
static struct session_config config, other;
static const struct session_config *const only[] = { &config };

/* ------------------------------------------------------------------ the runner */

static void pass_gate(const char *folder)
{
    char path[PATH_MAX], byte = 'x';
    int fd;

    snprintf(path, sizeof path, "%s/started", folder);
    fd = open(path, O_WRONLY | O_APPEND);
    if (fd < 0 || write(fd, "+", 1) != 1)
        _exit(1);
    close(fd);
    snprintf(path, sizeof path, "%s/gate", folder);
    fd = open(path, O_RDONLY);
    if (fd < 0 || read(fd, &byte, 1) != 1 || byte != 'i')
        _exit(1);
    close(fd);
}

static void leave(const char *folder) { (void)folder; }

/* ------------------------------------------------------------------ the test */

static void let(const char *bytes) { CHECK(write(gate, bytes, strlen(bytes)) == (ssize_t)strlen(bytes), "the gate"); }

/* How many runners have ever started, once that is `expected` or a minute has passed. */
static long started(const char *folder, long expected)
{
    char path[PATH_MAX];
    struct stat status = { 0 };

    snprintf(path, sizeof path, "%s/started", folder);
    for (int i = 0; i < 6000 && stat(path, &status) == 0 && status.st_size < expected; i++)
        usleep(10000);
    return (long)status.st_size;
}

static bool nobody_is_left(void) { return waitpid(-1, NULL, WNOHANG) < 0; }

/* Opens and closes a session as a case does; how its start ended. */
static enum outcome serve(struct session *session)
{
    const struct facts facts = session_open(session, &config, 4096);

    CHECK(session_close(session), "what it started is gone");
    free(session);
    return facts.outcome;
}

static void hasten(bool wanted) { ready_hasten(&ready, &config, 0, wanted); }

/* One is let in, and serves; the others are still on their way. */
static void test_one_for_one(const char *folder)
{
    struct session *session;
    pid_t last = 0;

    ready_start(&ready, only, 1, 2);
    CHECK(ready.count == 2, "%zu wait", ready.count);
    ready_start(&ready, only, 1, 20);
    ready_start(&ready, only, 1, 20);
    CHECK(ready.count == READY_MAKING, "%zu are on their way", ready.count);
    CHECK(started(folder, READY_MAKING) == READY_MAKING, "one process for each");
    for (int i = 0; i < 4; i++) {
        let("i");
        session = ready_take(&ready, &config);
        CHECK(ready.count == READY_MAKING - 1 && ready.beside, "%zu wait", ready.count);
        CHECK(session->pid != last, "a process serves one case");
        last = session->pid;
        CHECK(serve(session) == OUTCOME_DONE, "a runner that is there");
        ready_start(&ready, only, 1, 20);
        CHECK(ready.count == READY_MAKING && started(folder, READY_MAKING + i + 1) == READY_MAKING + i + 1,
              "one for one");
    }
    let("x");
    session = ready_take(&ready, &config);
    CHECK(serve(session) == OUTCOME_LOST, "a runner that ended is the toolkit's fault");
}

static void test_bound(void)
{
    struct session *session;

    for (size_t i = 0; i < READY_MOST; i++) {
        let(i == 0 ? "ii" : "i");
        ready_await(&ready);
        ready_start(&ready, only, 1, ready.count + 1);
    }
    CHECK(ready.count == READY_MOST, "%zu wait", ready.count);
    ready_start(&ready, only, 1, 20);
    CHECK(ready.count == READY_MOST, "%zu wait", ready.count);
    session = ready_take(&ready, &config);
    CHECK(!ready.beside && ready.count == READY_MOST - 1, "all are there: %zu wait", ready.count);
    CHECK(serve(session) == OUTCOME_DONE, "it serves");
    session = ready_take(&ready, &other);
    CHECK(session && !session->started && ready.count == 0, "none of another config");
    free(session);
    CHECK(nobody_is_left(), "what had waited has ended");
}

/* Work that failed beside the start of others is excused once, and only what this can cause. */
static void test_excuses(void)
{
    static const enum outcome others[] = { OUTCOME_DONE, OUTCOME_DIED, OUTCOME_FORGED, OUTCOME_MEMORY, OUTCOME_LOST };
    const struct facts timeout = { .outcome = OUTCOME_TIMEOUT }, left = { .outcome = OUTCOME_LEFT_WORK };

    ready = (struct ready){ .hastens = true };
    CHECK(!ready_excuses(&ready, &timeout) && ready.hastens, "nobody was beside");
    ready.beside = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        CHECK(!ready_excuses(&ready, &(struct facts){ .outcome = others[i] }) && ready.hastens, "%d", others[i]);
    CHECK(ready_excuses(&ready, &left) && !ready.hastens, "work that it left");
    hasten(true);
    CHECK(!ready.hastens, "it is calm from here on");
    ready = (struct ready){ .hastens = true, .beside = true };
    CHECK(ready_excuses(&ready, &timeout) && !ready.hastens, "its time");
    ready = (struct ready){ 0 };
}

/* Where somebody watches or measures the GPU, nothing starts beside calls. */
static void test_when(void)
{
    struct session_config changed = config;

    hasten(false);
    CHECK(!ready.hastens, "times count");
    changed.resident = true;
    ready_hasten(&ready, &changed, 0, true);
    CHECK(!ready.hastens, "a resident problem");
    changed = config;
    changed.device_memory_limit = 1;
    ready_hasten(&ready, &changed, 0, true);
    CHECK(!ready.hastens, "a limit of GPU memory");
    changed = config;
    changed.page_lock = false;
    ready_hasten(&ready, &changed, 0, true);
    CHECK(!ready.hastens, "no CUDA");
    ready_hasten(&ready, &config, (1 << 20) - 1, true);
    CHECK(ready.hastens, "otherwise");
    ready_hasten(&ready, &config, 1 << 20, true);
    CHECK(!ready.hastens, "a large input");
    hasten(true);
    CHECK(ready.hastens, "after a large input");
}

static void test_batch(const char *folder)
{
    const struct session_config *const both[] = { &other, &config };
    const long before = started(folder, 0);
    struct session *session;

    ready_start(&ready, both, 2, 6);
    CHECK(ready.count == 6 && started(folder, before + 6) == before + 6, "%zu wait", ready.count);
    ready_start(&ready, both, 2, 6);
    CHECK(ready.count == 6, "no second batch while some wait");
    let("iiiiii");
    session = ready_take(&ready, &other);
    CHECK(session->config == &other && !ready.beside, "the first one, when all are there");
    CHECK(serve(session) == OUTCOME_DONE, "it serves");
    session = ready_take(&ready, &config);
    CHECK(session->config == &config && ready.count == 4, "the next one: %zu wait", ready.count);
    CHECK(serve(session) == OUTCOME_DONE, "it serves");
    hasten(true);
    ready_start(&ready, only, 1, 20);
    ready_end(&ready);
    CHECK(ready.count == 0 && nobody_is_left(), "the end of all");
}

int main(int argc, char **argv)
{
    char program[PATH_MAX], path[PATH_MAX];
    int code;

    if (stand_in_serves(argc, argv, pass_gate, leave, &code))
        return code;
    if (argc != 2 || !realpath("/proc/self/exe", program))
        return 2;
    reap_adopt();
    snprintf(path, sizeof path, "%s/started", argv[1]);
    close(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    snprintf(path, sizeof path, "%s/gate", argv[1]);
    CHECK(mkfifo(path, 0600) == 0, "%s", path);
    gate = open(path, O_RDWR | O_CLOEXEC);
    config = other = stand_in_config(program, argv[1]);
    test_when();
    test_one_for_one(argv[1]);
    test_bound();
    test_excuses();
    test_batch(argv[1]);
    return unit_end();
}
