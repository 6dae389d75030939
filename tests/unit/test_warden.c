/*
 * test_warden.c - stopping a process, the spared child, and the warden: test_warden [WARDEN]
 *
 * With the warden's program, its functions for any device are tested too.
 */
#include "verify/gpu/warden.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/base/clock.h"
#include "verify/base/lockfile.h"
#include "verify/wire/reap.h"
#include "verify/box/stop.h"

enum { THREADS = 4 };

static atomic_ulong *counts;

static void *count(void *place)
{
    for (;;)
        atomic_fetch_add((atomic_ulong *)place, 1);
    return NULL;
}

static unsigned long total(void)
{
    unsigned long sum = 0;

    for (int i = 0; i < THREADS; i++)
        sum += atomic_load(&counts[i]);
    return sum;
}

static void test_stop(void)
{
    pid_t child;

    counts = mmap(NULL, THREADS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    child = fork();
    if (child == 0) {
        pthread_t thread;

        for (int i = 1; i < THREADS; i++)
            pthread_create(&thread, NULL, count, &counts[i]);
        count(&counts[0]);
    }
    while (total() == 0)
        usleep(1000);
    for (int round = 0; round < 20; round++) {
        unsigned long before, after;

        CHECK(stop_process(child, 5), "round %d", round);
        before = total();
        usleep(5000);
        after = total();
        CHECK(before == after, "round %d: it counted %lu times while it was stopped", round, after - before);
        stop_continue(child);
        for (int i = 0; i < 2000 && total() == after; i++)
            usleep(1000);
        CHECK(total() > after, "round %d: it does not go on", round);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(!stop_process(child, 1), "a process that is gone was stopped");
    CHECK(!stop_process(0, 1), "no process at all was stopped");
}

static void test_spare(void)
{
    pid_t spared = fork(), child;
    int status = 0;

    if (spared == 0)
        for (;;)
            pause();
    child = fork();
    if (child == 0) {
        if (fork() == 0) /* an orphan soon */
            for (;;)
                pause();
        for (;;)
            pause();
    }
    usleep(20000);
    reap_spare(spared);
    CHECK(reap_all(child, &status, 5), "something lives on");
    CHECK(WIFSIGNALED(status), "the child's status is %d", status);
    CHECK(kill(spared, 0) == 0 && waitpid(spared, NULL, WNOHANG) == 0, "the spared child is gone");
    reap_unspare(spared);
    CHECK(reap_all(spared, &status, 5), "the spared child lives on");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

/* Several are spared, and one of them exits while another child is reaped. */
static void test_spare_several(void)
{
    pid_t waiting = fork(), ending = waiting == 0 ? 0 : fork();
    int status = 0;

    if (waiting == 0)
        for (;;)
            pause();
    if (ending == 0)
        _exit(7);
    reap_spare(waiting);
    reap_spare(ending);
    usleep(20000);
    CHECK(reap_all(0, &status, 5), "something lives on");
    CHECK(reap_has_ended(ending, &status) && WIFEXITED(status) && WEXITSTATUS(status) == 7, "its status is %d", status);
    CHECK(!reap_has_ended(waiting, &status) && kill(waiting, 0) == 0, "the other spared child is gone");
    status = 0;
    CHECK(reap_all(ending, &status, 5) && WEXITSTATUS(status) == 7, "what ended keeps its status: %d", status);
    CHECK(!reap_has_ended(ending, &status), "it is still spared");
    CHECK(reap_all(waiting, &status, 5) && WIFSIGNALED(status), "the last one's status is %d", status);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

static void test_no_warden(void)
{
    struct warden warden;
    struct error error = { 0 };
    double megahertz;

    CHECK(!warden_start(&warden, "/nonexistent/gpu_warden", "GPU-0", &error), "it was started");
    CHECK(strstr(error.text, "run 'make'"), "%s", error.text);
    warden_stop(&warden);
    CHECK(warden_start(&warden, "/bin/true", "GPU-0", &error), "%s", error.text);
    CHECK(!warden_flush(&warden, &megahertz), "a program that is no warden answered");
    CHECK(strstr(warden.why, "has ended"), "%s", warden.why);
    warden_stop(&warden);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

static void test_warden(const char *program)
{
    struct warden warden;
    struct error error = { 0 };
    double megahertz = 0;
    int64_t start;

    CHECK(warden_start(&warden, program, "0", &error), "%s", error.text);
    CHECK(warden_wait_ready(&warden), "%s", warden.why);
    for (int round = 0; round < 3; round++) {
        CHECK(warden_health(&warden), "%s", warden.why);
        CHECK(warden_idle(&warden, 10), "%s", warden.why);
        CHECK(warden_flush(&warden, &megahertz), "%s", warden.why);
        CHECK(megahertz > 1, "the clock runs at %g MHz", megahertz);
        CHECK(warden_clock(&warden, &megahertz) && megahertz > 1, "%s: %g MHz", warden.why, megahertz);
    }
    start = clock_ns();
    kill(warden.pid, SIGKILL);
    CHECK(!warden_health(&warden) && strstr(warden.why, "has ended"), "%s", warden.why);
    CHECK(clock_seconds(start, clock_ns()) < 5, "it took %g s to see that", clock_seconds(start, clock_ns()));
    warden_stop(&warden);
    warden_stop(&warden);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

/* The UUID that the simulator gives its GPU: the sixteen characters of "cudasim device 0". */
#define SIMULATED "GPU-63756461-7369-6d20-6465-766963652030"

/* Whether somebody else takes that file's lock soon. */
static bool is_taken(int fd)
{
    for (int i = 0; i < 5000; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) != 0)
            return true;
        flock(fd, LOCK_UN);
        usleep(1000);
    }
    return false;
}

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 5000; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            return true;
        usleep(1000);
    }
    return false;
}

/* One owner, two hosts after each other; then a GPU that is not the owner's, and a host that found fault. */
static void test_borrowing(const char *program)
{
    char gpu[32]; /* a name that no other test has */
    struct warden owned, warden;
    const struct warden_message question = { .operation = WARDEN_HEALTH };
    struct error error = { 0 };
    char lock[LOCKFILE_GPU_PATH];
    double megahertz = 0;
    pid_t pid;
    int fd, contexts;

    snprintf(gpu, sizeof gpu, "test-%d", (int)getpid());
    CHECK(!warden_lives(&(struct warden){ .channel = -1 }), "none lives");
    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(warden_lives(&owned), "it does not live");
    for (int host = 0; host < 2; host++) {
        CHECK(warden_borrow(&warden, dup(owned.channel), SIMULATED), "host %d", host);
        CHECK(warden.pid == owned.pid, "host %d: its number is %d", host, (int)warden.pid);
        CHECK(warden_idle(&warden, 10) && warden_flush(&warden, &megahertz), "host %d: %s", host, warden.why);
        warden_stop(&warden);
        CHECK(warden.pid == 0 && kill(owned.pid, 0) == 0 && waitpid(owned.pid, NULL, WNOHANG) == 0,
              "host %d ended it", host);
    }
    CHECK(!warden_borrow(&warden, dup(owned.channel), "GPU-1"), "it looks after any GPU");
    CHECK(warden.why[0] == '\0', "no fault of the GPU's: %s", warden.why);
    CHECK(is_gone(owned.pid), "nobody told it to end");
    CHECK(!warden_lives(&owned), "it lives");
    CHECK(!warden_borrow(&warden, dup(owned.channel), SIMULATED), "one that has ended answers");
    warden_give_up(&owned);

    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(warden_borrow(&warden, dup(owned.channel), SIMULATED), "it is not lent");
    snprintf(warden.why, sizeof warden.why, "something is wrong");
    warden_stop(&warden);
    CHECK(kill(owned.pid, 0) != 0 || is_gone(owned.pid), "it was not ended");
    warden_give_up(&owned);

    /* If the GPU is free it makes its context unasked, holds the lock meanwhile, and releases it. */
    lockfile_gpu(gpu, "lock", lock);
    fd = lockfile_open(lock);
    contexts = lockfile_open(LOCKFILE_CONTEXTS);
    CHECK(contexts >= 0 && flock(contexts, LOCK_SH) == 0, "%s cannot be locked", LOCKFILE_CONTEXTS);
    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(is_taken(fd), "it makes its context without the lock");
    CHECK(poll(&(struct pollfd){ .fd = owned.channel, .events = POLLIN }, 1, 0) == 0, "it is ready already");
    flock(contexts, LOCK_UN);
    close(contexts);
    CHECK(poll(&(struct pollfd){ .fd = owned.channel, .events = POLLIN }, 1, 20000) == 1, "it is never ready");
    CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0, "it keeps the lock");
    CHECK(warden_borrow(&warden, dup(owned.channel), SIMULATED), "it is not lent");
    warden_stop(&warden);
    pid = owned.pid;
    warden_give_up(&owned);
    flock(fd, LOCK_UN);
    CHECK(is_gone(pid), "it does not end");

    /* If the GPU is in use it waits for a request; a warden without any request ends at once. */
    CHECK(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0, "%s is taken", lock);
    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(poll(&(struct pollfd){ .fd = owned.channel, .events = POLLIN }, 1, 2000) == 0,
          "it uses a GPU that is somebody else's");
    pid = owned.pid;
    warden_give_up(&owned);
    CHECK(owned.pid == 0 && is_gone(pid), "it waits for a GPU that it never used");
    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(warden_borrow(&warden, dup(owned.channel), SIMULATED), "it is not lent");
    warden_stop(&warden);
    pid = owned.pid;
    warden_give_up(&owned);
    usleep(300000);
    CHECK(waitpid(pid, NULL, WNOHANG) == 0, "it ends while somebody else has the GPU");
    flock(fd, LOCK_UN);
    CHECK(is_gone(pid), "it does not end when nobody has the GPU");

    /* The same if the host was ended in the middle of a request. */
    CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0, "%s is taken", lock);
    CHECK(warden_start_lent(&owned, program, gpu, &error), "%s", error.text);
    CHECK(send(owned.channel, &question, sizeof question, 0) > 0, "it cannot be asked");
    pid = owned.pid;
    usleep(20000);
    warden_give_up(&owned);
    usleep(500000);
    CHECK(waitpid(pid, NULL, WNOHANG) == 0, "it ends while somebody else has the GPU");
    flock(fd, LOCK_UN);
    CHECK(is_gone(pid), "it does not end when nobody has the GPU");
    close(fd);
    unlink(lock);
    CHECK(!warden_borrow(&warden, open("/dev/null", O_RDWR), SIMULATED), "a device answers");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

/* A warden waits until no other GPU is watched before it makes its context; a watch holds the lock too. */
static void test_contexts(const char *program)
{
    const struct warden_message watch = { .operation = WARDEN_WATCH_ALONE };
    const int fd = lockfile_open(LOCKFILE_CONTEXTS);
    struct warden warden;
    struct error error = { 0 };
    struct pollfd answer;
    int64_t start = clock_ns();
    double usual;

    CHECK(warden_start(&warden, program, "0", &error) && warden_wait_ready(&warden), "%s%s", error.text, warden.why);
    usual = clock_seconds(start, clock_ns());
    warden_stop(&warden);
    CHECK(fd >= 0 && flock(fd, LOCK_SH) == 0, "%s cannot be locked", LOCKFILE_CONTEXTS);
    CHECK(warden_start(&warden, program, "0", &error), "%s", error.text);
    answer = (struct pollfd){ .fd = warden.channel, .events = POLLIN };
    CHECK(poll(&answer, 1, 1000 + (int)(4000 * usual)) == 0, "it made its context beside a watch");
    flock(fd, LOCK_UN);
    CHECK(warden_wait_ready(&warden), "%s", warden.why);
    start = clock_ns();
    CHECK(flock(fd, LOCK_EX) == 0 && clock_seconds(start, clock_ns()) < 4, "it keeps the lock");
    flock(fd, LOCK_UN);

    /* The simulator starts the watch and never ends it: no other process gets the lock before. */
    CHECK(send(warden.channel, &watch, sizeof watch, 0) > 0, "it cannot be asked");
    CHECK(is_taken(fd), "a watch has no lock");
    warden_stop(&warden);
    start = clock_ns();
    CHECK(flock(fd, LOCK_EX) == 0 && clock_seconds(start, clock_ns()) < 4, "a watch that has ended has the lock");
    close(fd);
}

int main(int argc, char **argv)
{
    reap_adopt();
    test_stop();
    test_spare();
    test_spare_several();
    test_no_warden();
    if (argc == 2) {
        test_warden(argv[1]);
        test_borrowing(argv[1]);
        test_contexts(argv[1]);
    }
    return unit_end();
}
