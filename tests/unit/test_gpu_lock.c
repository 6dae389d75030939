/*
 * test_gpu_lock.c - the lock that keeps a GPU to one judging at a time, between processes. It is a file named after the
 * GPU's UUID, so it can be tested with names that no GPU has.
 */
#include "verify/gpu/gpu.h"
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct gpu named(const char *suffix)
{
    struct gpu gpu = { 0 };

    snprintf(gpu.uuid, sizeof gpu.uuid, "GPU-test-%ld-%s", (long)getpid(), suffix);
    return gpu;
}

/* A process that claims the GPU, says so, and lives until it is killed. */
static pid_t claimer(const struct gpu *gpu, int *says)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0 || (pid = fork()) < 0)
        return -1;
    if (pid == 0) {
        struct error error;
        bool ok;

        close(ends[0]);
        ok = freopen("/dev/null", "w", stderr) && gpu_claim(gpu, &error);
        if (write(ends[1], ok ? "y" : "n", 1) == 1)
            pause();
        _exit(0);
    }
    close(ends[1]);
    *says = ends[0];
    return pid;
}

/* A claimer's answer within the milliseconds: 'y', 'n', or 0 for nothing. */
static char heard(int says, int milliseconds)
{
    struct pollfd ready = { .fd = says, .events = POLLIN };
    char word = 0;

    return poll(&ready, 1, milliseconds) == 1 && read(says, &word, 1) == 1 ? word : 0;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void remove_lock(const struct gpu *gpu)
{
    char path[160];

    snprintf(path, sizeof path, "/tmp/gpu-contest-toolkit-%s-lock", gpu->uuid);
    unlink(path);
}

int main(void)
{
    const struct gpu one = named("one"), other = named("other");
    int first_says = -1, second_says = -1, other_says = -1;
    pid_t first = claimer(&one, &first_says), second, third;
    char why[160];

    CHECK(first > 0 && heard(first_says, 10000) == 'y', "a free GPU is claimed");
    second = claimer(&one, &second_says);
    third = claimer(&other, &other_says);
    CHECK(heard(other_says, 10000) == 'y', "another GPU is claimed meanwhile");
    CHECK(heard(second_says, 300) == 0, "a GPU that is claimed is waited for");
    end(first);
    CHECK(heard(second_says, 10000) == 'y', "and is had when its judging was killed");
    end(second);
    end(third);
    CHECK(!gpu_unfit(&one, why, sizeof why), "a GPU without a mark is not unfit");
    gpu_mark(&one, "its kernel was wrong");
    CHECK(gpu_unfit(&one, why, sizeof why) && strcmp(why, "its kernel was wrong") == 0,
          "a marked one is, with the reason");
    CHECK(!gpu_unfit(&other, why, sizeof why), "the mark is one GPU's");
    gpu_mark(&one, NULL);
    CHECK(!gpu_unfit(&one, why, sizeof why), "until the mark is taken away");
    remove_lock(&one);
    remove_lock(&other);
    return unit_end();
}
