/*
 * warden_main.cu - the warden: trusted code with a context on the GPU, started by the host (warden.h).
 *
 * It answers one operation at a time on the channel and ends with it. No user code is in its process, and nothing that
 * the submission has reaches it.
 *
 * With the file whose lock claims the GPU (WARDEN_LOCK_FD) it is there for several hosts, one after the other. Who asks
 * it has claimed the GPU; before the first question, and when nobody is left to ask, nobody may have done that for it.
 * So it begins with the lock in its hands, or with the first question, and ends with the lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" {
#include "verify/base/clock.h"
#include "warden.h"
}
#include "warden_slots.h"

/* After this long without an order to stop, the watch ends and has failed. Nanoseconds. */
static const unsigned long long longest_watch = 60ull * 1000 * 1000 * 1000;

/* Seconds after which one that is lent ends that hangs in CUDA: nobody may be left who would kill it. */
enum { patience = 90 };

/*
 * Seconds that a warden waits for others: that none watches, to make its context, and that none makes one, to watch. A
 * watch takes a fraction of a second, and a context on a GPU whose driver sleeps some. Then it goes on, as somebody
 * hangs; but a gap in such a watch is held against nobody.
 */
static const double context_patience = 20, watch_patience = 5;

/* Times over the size of the L2 cache that are written to empty it. */
enum { flush_times = 2 };

/* Two warps. */
enum { watch_threads = 64 };

/* What watch() shares with the CPU, in page-locked memory; each word in a line of its own. */
struct watch {
    volatile int stop;
    char pad1[124];
    volatile int started;
    char pad2[124];
    unsigned long long gap, length; /* nanoseconds */
};

static __device__ unsigned long long global_time(void)
{
    unsigned long long now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __global__ void nothing(void) {}

/*
 * The first warp looks at the clock until it gets the order to stop, and keeps the longest time between two looks. It
 * touches nothing beyond its multiprocessor: a read of the CPU's memory takes as long as the bus has other things to
 * do, and would be taken for another context's turn. The second warp asks the CPU. Another context's turn stops both.
 */
static __global__ void watch(struct watch *shared)
{
    __shared__ volatile int stop;
    unsigned long long first, last, gap = 0;

    if (threadIdx.x == 0)
        stop = 0;
    first = last = global_time();
    __syncthreads();
    if (threadIdx.x == watch_threads / 2) {
        shared->started = 1;
        __threadfence_system();
        while (!stop)
            if (shared->stop)
                stop = 1;
    } else if (threadIdx.x == 0) {
        while (!stop) {
            unsigned long long now = global_time();

            gap = now - last > gap ? now - last : gap;
            last = now;
            if (last - first >= longest_watch)
                stop = 1;
        }
        shared->gap = gap;
        shared->length = last - first;
        __threadfence_system();
    }
}

/* Clocks and nanoseconds of the same while. */
static __global__ void count_clocks(unsigned long long nanoseconds, unsigned long long *clocks,
                                    unsigned long long *time)
{
    unsigned long long first = global_time(), now = first;
    long long start = clock64();

    while (now - first < nanoseconds)
        now = global_time();
    *clocks = (unsigned long long)(clock64() - start);
    *time = now - first;
}

/* The UUID as nvidia-smi writes it, of the one GPU that this process sees. */
static cudaError_t name(char *text, size_t size)
{
    static const char dashes[] = { 4, 6, 8, 10 };
    struct cudaDeviceProp properties;
    cudaError_t status = cudaGetDeviceProperties(&properties, 0);
    size_t length = (size_t)snprintf(text, size, "GPU-");

    for (size_t i = 0; status == cudaSuccess && i < sizeof properties.uuid.bytes; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%02x",
                                   memchr(dashes, (int)i, sizeof dashes) ? "-" : "",
                                   (unsigned char)properties.uuid.bytes[i]);
    return status;
}

/* Integers, products and sums of floats: the same on CPU and GPU, as each operation is prescribed. */
static __host__ __device__ uint32_t work(uint32_t x)
{
    float f = (float)(x & 0xffff);

    for (int i = 0; i < 64; i++) {
        x = x * 1664525u + 1013904223u;
        f = fmaf(f, 0.5f, (float)(x >> 16));
    }
    return x ^ (uint32_t)f;
}

enum { health_threads = 256, health_blocks = 1024 };

/* Every thread hands its number to its neighbour through shared memory; blocks add up what they get. */
static __global__ void health(unsigned long long *sum)
{
    __shared__ uint32_t words[health_threads];

    words[threadIdx.x] = work(blockIdx.x * health_threads + threadIdx.x);
    __syncthreads();
    atomicAdd(sum, (unsigned long long)words[(threadIdx.x + 1) % health_threads]);
}

static struct watch *shared;
static unsigned long long *device_words; /* [2] */
static char *flushed;
static size_t flush_size;

/* LOCKFILE_CONTEXTS, or -1; whether this process is to watch alone, and whether nothing speaks against it. */
static int contexts = -1;
static bool alone, locked;

/* LOCK_EX to make a context, LOCK_SH to watch. A machine where that file cannot be opened does without. */
static void lock_contexts(int how, double patience)
{
    const int64_t start = clock_ns();

    locked = contexts < 0 || flock(contexts, how | LOCK_NB) == 0;
    while (!locked && clock_seconds(start, clock_ns()) < patience) {
        usleep(1000);
        locked = flock(contexts, how | LOCK_NB) == 0;
    }
}

static void unlock_contexts(void)
{
    if (locked && contexts >= 0)
        flock(contexts, LOCK_UN);
    alone = locked = false;
}

static double seconds_of_probe(void)
{
    const int64_t start = clock_ns();

    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1e9;
    return clock_seconds(start, clock_ns());
}

static cudaError_t initialise(void)
{
    cudaError_t status;
    int device = 0, cache = 0;

    if ((status = cudaGetDevice(&device)) != cudaSuccess ||
        (status = cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device)) != cudaSuccess ||
        (status = cudaHostAlloc((void **)&shared, sizeof *shared, cudaHostAllocMapped)) != cudaSuccess ||
        (status = cudaMalloc((void **)&device_words, 2 * sizeof *device_words)) != cudaSuccess)
        return status;
    flush_size = cache > 0 ? (size_t)cache * flush_times : (size_t)64 << 20;
    if ((status = cudaMalloc((void **)&flushed, flush_size)) != cudaSuccess)
        return status;
    /* The first launch of a kernel loads it: that is not to happen later. */
    shared->stop = 1;
    watch<<<1, watch_threads>>>(shared);
    nothing<<<1, 1>>>();
    count_clocks<<<1, 1>>>(1000, device_words, device_words + 1);
    health<<<1, health_threads>>>(device_words);
    return cudaDeviceSynchronize();
}

static void idle(const struct warden_message *message, struct warden_message *reply)
{
    const int64_t start = clock_ns();

    for (;;) {
        seconds_of_probe(); /* may wait for the other context's slice to end, and for the switch to this one */
        if (seconds_of_probe() < WARDEN_IDLE_SECONDS && seconds_of_probe() < WARDEN_IDLE_SECONDS)
            break;
        if (clock_seconds(start, clock_ns()) > message->seconds) {
            snprintf(reply->text, sizeof reply->text, "the GPU is busy");
            return;
        }
    }
    reply->seconds = clock_seconds(start, clock_ns());
    reply->ok = 1;
}

static void flush(bool empties, struct warden_message *reply)
{
    unsigned long long words[2] = { 0, 1 };

    count_clocks<<<1, 1>>>(50000, device_words, device_words + 1);
    if (cudaMemcpy(words, device_words, sizeof words, cudaMemcpyDeviceToHost) != cudaSuccess)
        return;
    reply->megahertz = (double)words[0] * 1e3 / (double)(words[1] ? words[1] : 1);
    reply->ok = 1;
    if (!empties)
        return;
    cudaCtxResetPersistingL2Cache(); /* GPUs before compute capability 8.0 have none: no matter */
    cudaGetLastError();
    reply->ok = cudaMemsetAsync(flushed, 0x5a, flush_size) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

static void start_watch(bool as_alone, struct warden_message *reply)
{
    int64_t start;

    unlock_contexts(); /* of a watch that was never ended */
    alone = as_alone;
    if (alone)
        lock_contexts(LOCK_SH, watch_patience);
    start = clock_ns();
    shared->stop = 0;
    shared->started = 0;
    watch<<<1, watch_threads>>>(shared);
    while (!shared->started && clock_seconds(start, clock_ns()) < 1.0)
        ;
    reply->ok = shared->started && cudaPeekAtLastError() == cudaSuccess;
    reply->seconds = clock_seconds(start, clock_ns());
    if (!reply->ok)
        unlock_contexts();
}

static void end_watch(struct warden_message *reply)
{
    shared->stop = 1;
    __sync_synchronize();
    reply->ok = cudaDeviceSynchronize() == cudaSuccess && shared->length < longest_watch;
    reply->seconds = (double)shared->gap * 1e-9;
    if (alone && !locked && reply->seconds > WARDEN_IDLE_SECONDS) {
        reply->ok = 0;
        snprintf(reply->text, sizeof reply->text,
                 "the GPU stood still, and another one's first context may have done it");
    }
    unlock_contexts();
}

/* What health() is to add up: some 60 ms of a processor, the first time. */
static unsigned long long healthy_sum(void)
{
    static unsigned long long sum;

    for (uint32_t i = 0; i < (uint32_t)health_threads * health_blocks && (i > 0 || sum == 0); i++)
        sum += work(i);
    return sum;
}

static void check_health(struct warden_message *reply)
{
    const unsigned long long right = healthy_sum();
    unsigned long long sum = 0;

    if (cudaMemset(device_words, 0, sizeof *device_words) == cudaSuccess) {
        health<<<health_blocks, health_threads>>>(device_words);
        if (cudaMemcpy(&sum, device_words, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess)
            return;
    }
    reply->ok = sum == right;
    if (!reply->ok)
        snprintf(reply->text, sizeof reply->text, "the GPU computed %llu where %llu is right", sum, right);
}

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/*
 * The next message, with the descriptor that came along in *fd, or -1. Spins for a while first: the host asks in quick
 * succession, and the clock may be running.
 */
static bool receive(struct warden_message *message, int *fd)
{
    const int64_t start = clock_ns();
    union control control;
    struct iovec part = { message, sizeof *message };
    struct msghdr header = {};
    const struct cmsghdr *c;
    ssize_t got;

    *fd = -1;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
    while ((got = recvmsg(WARDEN_FD, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 &&
           clock_seconds(start, clock_ns()) < 300e-6)
        sched_yield();
    if (got < 0)
        got = recvmsg(WARDEN_FD, &header, MSG_CMSG_CLOEXEC);
    c = got < 0 ? NULL : CMSG_FIRSTHDR(&header);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return got == (ssize_t)sizeof *message;
}

/* Sends the reply, with a descriptor unless fd is -1, which it closes. */
static bool say(struct warden_message *reply, cudaError_t status, int fd)
{
    union control control = {};
    struct iovec part = { reply, sizeof *reply };
    struct msghdr header = {};
    bool ok;

    if (!reply->ok && !reply->text[0])
        snprintf(reply->text, sizeof reply->text, "CUDA: %s", cudaGetErrorString(status));
    header.msg_iov = &part;
    header.msg_iovlen = 1;
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
    ok = sendmsg(WARDEN_FD, &header, MSG_NOSIGNAL) == (ssize_t)sizeof *reply;
    if (fd >= 0)
        close(fd);
    return ok;
}

/*
 * The beginning of one that is lent: returns when it may use the GPU, which it has claimed or the host that asks has.
 * False where the channel ends before.
 */
static bool begin_lent(void)
{
    char byte;

    healthy_sum(); /* the first host asks for that */
    return flock(WARDEN_LOCK_FD, LOCK_EX | LOCK_NB) == 0 || recv(WARDEN_FD, &byte, 1, MSG_PEEK) > 0;
}

/*
 * The end of one that is lent: stops the watch that a host may have left, waits until the GPU is nobody else's, and
 * clears up while it has the lock. The kernel would let go of that first.
 */
static void end_lent(void)
{
    if (shared)
        shared->stop = 1;
    __sync_synchronize();
    unlock_contexts(); /* others are not to wait for whoever has the GPU now */
    while (flock(WARDEN_LOCK_FD, LOCK_EX) != 0 && errno == EINTR)
        ;
    alarm(patience);
    cudaDeviceReset();
}

int main(void)
{
    struct warden_message message, reply = { WARDEN_READY };
    const bool lent = fcntl(WARDEN_LOCK_FD, F_GETFD) >= 0; /* before anything else is opened */
    cudaError_t status;
    int given, taken = -1;
    bool ok;

    if (fcntl(WARDEN_CONTEXTS_FD, F_GETFD) >= 0)
        contexts = WARDEN_CONTEXTS_FD;
    if (lent && !begin_lent())
        return 0;
    if (lent)
        alarm(patience);
    lock_contexts(LOCK_EX, context_patience);
    status = initialise();
    unlock_contexts();
    if (lent)
        flock(WARDEN_LOCK_FD, LOCK_UN);
    alarm(0);
    reply.ok = status == cudaSuccess;
    ok = say(&reply, status, -1) && status == cudaSuccess;
    while (ok && receive(&message, &given)) {
        if (lent)
            alarm((unsigned)message.seconds + patience);
        reply = (struct warden_message){ message.operation };
        taken = -1;
        switch ((enum warden_operation)message.operation) {
        case WARDEN_IDLE: idle(&message, &reply); break;
        case WARDEN_FLUSH: flush(true, &reply); break;
        case WARDEN_CLOCK: flush(false, &reply); break;
        case WARDEN_WATCH: start_watch(false, &reply); break;
        case WARDEN_WATCH_ALONE: start_watch(true, &reply); break;
        case WARDEN_UNWATCH: end_watch(&reply); break;
        case WARDEN_HEALTH: check_health(&reply); break;
        case WARDEN_PAGE: slots_page(given, &reply); break;
        case WARDEN_SLOTS: slots_make(&message, given, &taken, &reply); break;
        case WARDEN_POISON: slots_poison(&message, &reply); break;
        case WARDEN_DECOY: slots_decoy(&message, &reply); break;
        case WARDEN_CALL: slots_call(&message, &reply); break;
        case WARDEN_TAKE: slots_take(&message, &reply); break;
        case WARDEN_FORGET: slots_forget(&reply); break;
        case WARDEN_NAME:
            unlock_contexts(); /* the host before may have ended in the middle of a watch */
            reply.process = (int32_t)getpid();
            reply.ok = name(reply.text, sizeof reply.text) == cudaSuccess;
            break;
        case WARDEN_READY: reply.ok = 1; break;
        }
        alarm(0);
        ok = say(&reply, cudaGetLastError(), taken);
    }
    if (lent)
        end_lent();
    _exit(0);
}
