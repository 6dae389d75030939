/*
 * warden.c - the host's side: starts the warden and asks it.
 */
#include "warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/base/clock.h"
#include "verify/base/lockfile.h"

/* How long it may take to start, and how long an operation may take beyond the time it is given. */
static const double start_seconds = 30.0, operation_seconds = 10.0;

/* How long the driver may take to clear up after one that was killed. */
enum { ending_milliseconds = 5000 };

enum { GIVEN = WARDEN_LOCK_FD - WARDEN_FD + 1 };

/* `given`: what it has as WARDEN_FD and the next ones, or -1. One that has the GPU's lock may outlive its parent. */
static void become_warden(const char *program, const char *gpu_uuid, const int given[GIVEN])
{
    char device[160];
    char *argv[] = { (char *)program, NULL };
    /* Two hardware queues do, for kernels and for copies, and its context is made in half the time. */
    char *envp[] = { device, "CUDA_DEVICE_MAX_CONNECTIONS=2", NULL };
    sigset_t none;
    int null = open("/dev/null", O_RDWR), kept[GIVEN];

    if (given[WARDEN_LOCK_FD - WARDEN_FD] < 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(device, sizeof device, "CUDA_VISIBLE_DEVICES=%s", gpu_uuid);
    for (int i = 0; i < GIVEN; i++)
        kept[i] = fcntl(given[i], F_DUPFD, 16);
    dup2(null, 0);
    dup2(null, 1);
    dup2(null, 2);
    for (int i = 0; i < GIVEN; i++) {
        close(WARDEN_FD + i);
        dup2(kept[i], WARDEN_FD + i);
    }
    syscall(SYS_close_range, WARDEN_FD + GIVEN, ~0u, 0);
    execve(program, argv, envp);
    _exit(127);
}

/* `lock`: the GPU's, or -1; it is closed. */
static bool start(struct warden *warden, const char *program, const char *gpu_uuid, int lock, struct error *error)
{
    int ends[2] = { -1, -1 }, contexts = -1;
    bool ok = false;

    *warden = (struct warden){ .channel = -1 };
    if (access(program, X_OK) != 0) {
        error_toolkit(error, "cannot start '%s': %s; run 'make'", program, strerror(errno));
        goto out;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        error_system(error, "cannot make a channel");
        goto out;
    }
    contexts = lockfile_open(LOCKFILE_CONTEXTS);
    fflush(NULL);
    warden->pid = fork();
    if (warden->pid == 0)
        become_warden(program, gpu_uuid, (const int[GIVEN]){ ends[1], contexts, lock });
    if (warden->pid < 0) {
        warden->pid = 0;
        error_system(error, "cannot start '%s'", program);
        goto out;
    }
    warden->channel = ends[0];
    ends[0] = -1;
    ok = true;
out:
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (contexts >= 0)
        close(contexts);
    if (lock >= 0)
        close(lock);
    return ok;
}

bool warden_start(struct warden *warden, const char *program, const char *gpu_uuid, struct error *error)
{
    return start(warden, program, gpu_uuid, -1, error);
}

bool warden_start_lent(struct warden *warden, const char *program, const char *gpu_uuid, struct error *error)
{
    char path[LOCKFILE_GPU_PATH];
    int lock;

    lockfile_gpu(gpu_uuid, "lock", path);
    lock = lockfile_open(path);
    *warden = (struct warden){ .channel = -1 };
    return lock >= 0 ? start(warden, program, gpu_uuid, lock, error)
                     : error_system(error, "cannot open the lock '%s'", path);
}

void warden_give_up(struct warden *warden)
{
    if (warden->pid > 0) {
        shutdown(warden->channel, SHUT_RDWR); /* other processes may have copies of this end */
        close(warden->channel);
    }
    *warden = (struct warden){ .channel = -1 };
}

bool warden_lives(const struct warden *warden)
{
    struct pollfd end = { .fd = warden->channel };

    return warden->pid > 0 && poll(&end, 1, 0) == 0;
}

/* Kills one that is somebody else's child, and waits until it is gone. */
static void end_lent(const struct warden *warden)
{
    struct pollfd ended = { .fd = warden->handle, .events = POLLIN };

    syscall(SYS_pidfd_send_signal, warden->handle, SIGKILL, NULL, 0);
    poll(&ended, 1, ending_milliseconds);
}

void warden_stop(struct warden *warden)
{
    if (warden->pid > 0 && warden->lent && warden->why[0])
        end_lent(warden);
    if (warden->pid > 0 && warden->lent)
        close(warden->handle);
    if (warden->pid > 0 && !warden->lent) {
        kill(warden->pid, SIGKILL);
        waitpid(warden->pid, NULL, 0);
    }
    if (warden->pid > 0)
        close(warden->channel);
    *warden = (struct warden){ .channel = -1 };
}

static bool receive(struct warden *warden, enum warden_operation expected, double seconds, struct warden_message *reply)
{
    const int64_t deadline = clock_ns() + (int64_t)(seconds * 1e9);
    struct pollfd fd = { .fd = warden->channel, .events = POLLIN };
    ssize_t got = 0;

    /* Most answers come at once, and waking up takes as long as they do. */
    while ((got = recv(warden->channel, reply, sizeof *reply, MSG_DONTWAIT)) < 0 && errno == EAGAIN &&
           clock_ns() < deadline)
        if (clock_ns() > deadline - (int64_t)(seconds * 1e9) + 1000000)
            poll(&fd, 1, 100);
    if (got != (ssize_t)sizeof *reply || reply->operation != (uint32_t)expected) {
        snprintf(warden->why, sizeof warden->why, "the warden of the GPU %s",
                 got < 0 && errno == EAGAIN ? "does not answer" : "has ended");
        return false;
    }
    reply->text[sizeof reply->text - 1] = '\0';
    if (!reply->ok)
        snprintf(warden->why, sizeof warden->why, "%s", reply->text);
    return reply->ok;
}

bool warden_wait_ready(struct warden *warden)
{
    struct warden_message reply;

    if (!warden->ready)
        warden->ready = receive(warden, WARDEN_READY, start_seconds, &reply);
    return warden->ready;
}

/* Sends a message, with a descriptor unless fd is -1. */
static bool tell(struct warden *warden, const struct warden_message *message, int fd)
{
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { 0 };
    struct iovec part = { (void *)message, sizeof *message };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
    struct cmsghdr *c;

    if (!warden_wait_ready(warden))
        return false;
    if (fd >= 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = sizeof control.bytes;
        c = CMSG_FIRSTHDR(&header);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    if (sendmsg(warden->channel, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *message)
        return true;
    snprintf(warden->why, sizeof warden->why, "the warden of the GPU has ended");
    return false;
}

static bool ask(struct warden *warden, enum warden_operation operation, double seconds, struct warden_message *reply)
{
    const struct warden_message message = { .operation = operation, .seconds = seconds };

    return tell(warden, &message, -1) && receive(warden, operation, seconds + operation_seconds, reply);
}

bool warden_idle(struct warden *warden, double seconds)
{
    struct warden_message reply;

    return ask(warden, WARDEN_IDLE, seconds, &reply);
}

bool warden_flush(struct warden *warden, double *megahertz)
{
    struct warden_message reply;
    bool ok = ask(warden, WARDEN_FLUSH, 0, &reply);

    *megahertz = ok ? reply.megahertz : 0;
    return ok;
}

bool warden_clock(struct warden *warden, double *megahertz)
{
    struct warden_message reply;
    bool ok = ask(warden, WARDEN_CLOCK, 0, &reply);

    *megahertz = ok ? reply.megahertz : 0;
    return ok;
}

bool warden_watch(struct warden *warden)
{
    struct warden_message reply;

    return ask(warden, WARDEN_WATCH, 0, &reply);
}

bool warden_watch_alone(struct warden *warden)
{
    struct warden_message reply;

    return ask(warden, WARDEN_WATCH_ALONE, 0, &reply);
}

bool warden_unwatch(struct warden *warden, double *gap)
{
    struct warden_message reply;
    bool ok = ask(warden, WARDEN_UNWATCH, 0, &reply);

    *gap = ok ? reply.seconds : 0;
    return ok;
}

bool warden_health(struct warden *warden)
{
    struct warden_message reply;

    return ask(warden, WARDEN_HEALTH, 0, &reply);
}

bool warden_page(struct warden *warden, int page)
{
    const struct warden_message message = { .operation = WARDEN_PAGE };
    struct warden_message reply;

    return tell(warden, &message, page) && receive(warden, WARDEN_PAGE, operation_seconds, &reply);
}

bool warden_slots(struct warden *warden, int staging, size_t input_size, size_t output_size, int *slots, size_t *size)
{
    const struct warden_message message = { .operation = WARDEN_SLOTS, .input_size = input_size,
                                            .output_size = output_size };
    union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct warden_message reply = { 0 };
    struct iovec part = { &reply, sizeof reply };
    struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes };
    struct pollfd fd = { .fd = warden->channel, .events = POLLIN };
    const struct cmsghdr *c;

    *slots = -1;
    if (!tell(warden, &message, staging))
        return false;
    if (poll(&fd, 1, (int)(operation_seconds * 1e3)) != 1 ||
        recvmsg(warden->channel, &header, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof reply) {
        snprintf(warden->why, sizeof warden->why, "the warden of the GPU does not answer");
        return false;
    }
    c = CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(slots, CMSG_DATA(c), sizeof *slots);
    *size = reply.input_size;
    reply.text[sizeof reply.text - 1] = '\0';
    if (!reply.ok || *slots < 0)
        snprintf(warden->why, sizeof warden->why, "%s", reply.text);
    return reply.ok && *slots >= 0;
}

bool warden_poison(struct warden *warden, uint64_t key, size_t output_size)
{
    const struct warden_message message = { .operation = WARDEN_POISON, .nonce = key, .output_size = output_size };
    struct warden_message reply;

    return tell(warden, &message, -1) && receive(warden, WARDEN_POISON, operation_seconds, &reply);
}

bool warden_decoy(struct warden *warden, size_t input_size)
{
    const struct warden_message message = { .operation = WARDEN_DECOY, .input_size = input_size };
    struct warden_message reply;

    return tell(warden, &message, -1) && receive(warden, WARDEN_DECOY, operation_seconds, &reply);
}

bool warden_call_begin(struct warden *warden, uint64_t nonce, size_t input_size, size_t output_size, double seconds)
{
    const struct warden_message message = { .operation = WARDEN_CALL, .nonce = nonce, .input_size = input_size,
                                            .output_size = output_size, .seconds = seconds };

    return tell(warden, &message, -1);
}

bool warden_call_end(struct warden *warden, double seconds, int64_t *start, double *look)
{
    struct warden_message reply;
    bool ok = receive(warden, WARDEN_CALL, seconds + operation_seconds, &reply);

    *start = ok ? reply.start : 0;
    *look = ok ? reply.seconds : 0;
    return ok;
}

bool warden_take(struct warden *warden, size_t output_size, int64_t *whole, bool *late)
{
    const struct warden_message message = { .operation = WARDEN_TAKE, .output_size = output_size };
    struct warden_message reply;
    bool ok = tell(warden, &message, -1) && receive(warden, WARDEN_TAKE, operation_seconds, &reply);

    *whole = ok ? reply.start : 0;
    *late = ok && reply.late;
    return ok;
}

bool warden_forget(struct warden *warden)
{
    struct warden_message reply;

    return ask(warden, WARDEN_FORGET, 0, &reply);
}

bool warden_borrow(struct warden *warden, int channel, const char *gpu_uuid)
{
    struct warden_message message = { .operation = WARDEN_NAME }, reply = { WARDEN_READY };
    bool ok;

    *warden = (struct warden){ .channel = channel, .lent = true, .ready = true };
    fcntl(channel, F_SETFD, FD_CLOEXEC);
    ok = send(channel, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message;
    /* Where this is the first host that has it, its own first word comes before. */
    if (ok && !(ok = receive(warden, WARDEN_NAME, start_seconds, &reply)) && reply.operation == WARDEN_READY)
        ok = reply.ok && receive(warden, WARDEN_NAME, start_seconds, &reply);
    if (ok)
        warden->why[0] = '\0'; /* its first word was no failure */
    ok = ok && strcmp(reply.text, gpu_uuid) == 0 && reply.process > 0;
    if (ok && (warden->handle = (int)syscall(SYS_pidfd_open, (pid_t)reply.process, 0)) >= 0) {
        /* That it answers now shows that the number was still its own. */
        if (warden_health(warden)) {
            warden->pid = reply.process;
            return true;
        }
        if (!strstr(warden->why, "has ended"))
            end_lent(warden);
        close(warden->handle);
    }
    shutdown(channel, SHUT_RDWR);
    close(channel);
    warden->pid = 0;
    warden->channel = -1;
    return false;
}
