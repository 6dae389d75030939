/*
 * test_warden.c - stopping a process, the spared child, and the warden: test_warden [WARDEN FOLDER]
 *
 * With the warden's program and the folder of its CUDA runtime, what it can do on any device is tried too.
 */
#include "verify/warden.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/clock.h"
#include "verify/reap.h"
#include "verify/stop.h"

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
    reap_spare(0);
    CHECK(reap_all(spared, &status, 5), "the spared child lives on");
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

static void test_no_warden(void)
{
    struct warden warden;
    struct error error = { 0 };
    double megahertz;

    CHECK(!warden_start(&warden, "/nonexistent/gpu_warden", "", "GPU-0", &error), "it was started");
    CHECK(strstr(error.text, "run 'make'"), "%s", error.text);
    warden_stop(&warden);
    CHECK(warden_start(&warden, "/bin/true", "", "GPU-0", &error), "%s", error.text);
    CHECK(!warden_flush(&warden, &megahertz), "a program that is no warden answered");
    CHECK(strstr(warden.why, "has ended"), "%s", warden.why);
    warden_stop(&warden);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

static void test_warden(const char *program, const char *folder)
{
    struct warden warden;
    struct error error = { 0 };
    double megahertz = 0;
    int64_t start;

    CHECK(warden_start(&warden, program, folder, "0", &error), "%s", error.text);
    CHECK(warden_wait_ready(&warden), "%s", warden.why);
    for (int round = 0; round < 3; round++) {
        CHECK(warden_health(&warden), "%s", warden.why);
        CHECK(warden_idle(&warden, 10), "%s", warden.why);
        CHECK(warden_flush(&warden, &megahertz), "%s", warden.why);
        CHECK(megahertz > 1, "the clock runs at %g MHz", megahertz);
    }
    start = clock_ns();
    kill(warden.pid, SIGKILL);
    CHECK(!warden_health(&warden) && strstr(warden.why, "has ended"), "%s", warden.why);
    CHECK(clock_seconds(start, clock_ns()) < 5, "it took %g s to see that", clock_seconds(start, clock_ns()));
    warden_stop(&warden);
    warden_stop(&warden);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0, "a child is left");
}

int main(int argc, char **argv)
{
    reap_adopt();
    test_stop();
    test_spare();
    test_no_warden();
    if (argc == 3)
        test_warden(argv[1], argv[2]);
    return unit_end();
}
