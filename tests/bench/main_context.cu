/*
 * main_context.cu - what a process costs that does nothing on the GPU: bench_context [COUNT]
 *
 * COUNT times (15): a process makes a CUDA context, runs an empty kernel and waits until it must end. Prints the
 * least and the median of the seconds that its start took and its end, of one process's end with the next one's
 * start begun at the same moment, and of several processes' starts and ends at the same moment. Another process holds a
 * context on the GPU all the while, as the warden does.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/clock.h"

enum { COUNT_MOST = 1000, SEVERAL = 8, READY = 1, FAILED = 3 };

struct user {
    pid_t pid;
    int tell, told; /* pipes to it and from it */
};

__global__ void nothing(void) {}

static void die(const char *what)
{
    fprintf(stderr, "bench_context: %s\n", what);
    exit(FAILED);
}

/* In a new process: uses the GPU, reports it, and ends on request. */
static int use(int told, int tell)
{
    char byte = READY;

    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess || write(tell, &byte, 1) != 1)
        return FAILED;
    if (read(told, &byte, 1) < 0)
        return FAILED;
    fflush(NULL);
    _exit(0); /* as the runner ends */
}

static struct user start(const char *program)
{
    struct user user;
    int in[2], out[2];
    char told[16], tell[16];

    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        die("cannot make a pipe");
    snprintf(told, sizeof told, "%d", in[0]);
    snprintf(tell, sizeof tell, "%d", out[1]);
    user.pid = fork();
    if (user.pid == 0) {
        fcntl(in[0], F_SETFD, 0);
        fcntl(out[1], F_SETFD, 0);
        execl(program, program, told, tell, (char *)NULL);
        _exit(FAILED);
    }
    if (user.pid < 0)
        die("cannot start a process");
    close(in[0]);
    close(out[1]);
    user.tell = in[1];
    user.told = out[0];
    return user;
}

static void await(const struct user *user)
{
    char byte = 0;

    if (read(user->told, &byte, 1) != 1 || byte != READY)
        die("a process cannot use the GPU");
}

static void tell_to_end(const struct user *user)
{
    if (write(user->tell, "", 1) != 1)
        die("a process has ended too soon");
}

static void await_end(const struct user *user)
{
    if (waitpid(user->pid, NULL, 0) != user->pid)
        die("cannot wait for a process");
    close(user->tell);
    close(user->told);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_row(const char *name, double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, ascending);
    printf("%-66s %7.3f %7.3f\n", name, seconds[0], seconds[(count - 1) / 2]);
}

/* Several at the same moment. */
static void use_several(const char *program, double *start_seconds, double *end_seconds)
{
    struct user users[SEVERAL];
    int64_t before = clock_ns();

    for (int i = 0; i < SEVERAL; i++)
        users[i] = start(program);
    for (int i = 0; i < SEVERAL; i++)
        await(&users[i]);
    *start_seconds = clock_seconds(before, clock_ns());
    before = clock_ns();
    for (int i = 0; i < SEVERAL; i++)
        tell_to_end(&users[i]);
    for (int i = 0; i < SEVERAL; i++)
        await_end(&users[i]);
    *end_seconds = clock_seconds(before, clock_ns());
}

int main(int argc, char **argv)
{
    static double starts[COUNT_MOST], ends[COUNT_MOST], both[COUNT_MOST], many[COUNT_MOST], many_ends[COUNT_MOST];
    const int count = argc == 2 ? atoi(argv[1]) : 15;
    struct user keeper, user, next;
    int64_t before;

    if (argc == 3)
        return use(atoi(argv[1]), atoi(argv[2]));
    if (argc > 3 || count < 1 || count > COUNT_MOST) {
        fprintf(stderr, "usage: bench_context [COUNT], 1 to %d\n", COUNT_MOST);
        return 2;
    }
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* as the box sets them */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
    keeper = start(argv[0]);
    await(&keeper);
    for (int i = 0; i < count; i++) {
        before = clock_ns();
        user = start(argv[0]);
        await(&user);
        starts[i] = clock_seconds(before, clock_ns());
        before = clock_ns();
        tell_to_end(&user);
        await_end(&user);
        ends[i] = clock_seconds(before, clock_ns());
        user = start(argv[0]);
        await(&user);
        before = clock_ns();
        tell_to_end(&user);
        next = start(argv[0]);
        await_end(&user);
        await(&next);
        both[i] = clock_seconds(before, clock_ns());
        tell_to_end(&next);
        await_end(&next);
        use_several(argv[0], &many[i], &many_ends[i]);
    }
    tell_to_end(&keeper);
    await_end(&keeper);
    print_row("a process with a CUDA context, which does nothing: its start", starts, count);
    print_row("  its end", ends, count);
    print_row("  its end and the next one's start, at the same time", both, count);
    print_row("eight of them at the same time: their start", many, count);
    print_row("  their end", many_ends, count);
    return 0;
}
