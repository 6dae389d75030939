/*
 * runner.c - the process that user code lives in: runner FILTER SUBMISSION.so [RUNTIME]
 *
 * Started by the host, in the box, with the channel as descriptor 3. It initialises CUDA or OpenCL where the submission
 * uses it (RUNTIME is its library), forbids itself the system calls of FILTER (filter.h), loads the submission, calls its
 * device_user_setup() if it has one, and then, a message at a time, maps an input and calls device_user(). It holds one
 * input and one output and knows neither answers, nor limits, nor verdicts.
 *
 * Outside of the box the same program is the guard of that process: runner guard COMMAND... (guard.h).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "call.h"
#include "channel.h"
#include "clock.h"
#include "filter.h"
#include "guard.h"
#include "opencl_runner.h"
#include "session.h"
#include "shared_map.h"

typedef void function(void);

static void say(struct channel_message *message, enum channel_kind kind)
{
    message->magic = CHANNEL_MAGIC;
    message->kind = kind;
    if (!channel_send(CHANNEL_FD, message, -1))
        _exit(RUNNER_LOST_CHANNEL);
}

/* Tells the host why there will be no run, and ends. */
static void fail(enum channel_kind kind, const char *what, const char *why)
{
    struct channel_message message = { 0 };

    snprintf(message.text, sizeof message.text, "%s%s%s", what, *what ? ": " : "", why ? why : "unknown reason");
    say(&message, kind);
    _exit(RUNNER_FAILED);
}

static function *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    function *result;

    memcpy(&result, &symbol, sizeof result); /* ISO C has no cast from object to function pointer */
    return result;
}

/* Makes the CUDA context, and loads the modules registered by now (CUDA_MODULE_LOADING=EAGER). */
static void initialise_cuda(void *library, enum channel_kind blame)
{
    int (*cuda_free)(void *) = (int (*)(void *))find(library, "cudaFree");
    const char *(*cuda_error)(int) = (const char *(*)(int))find(library, "cudaGetErrorString");
    int status;

    if (!cuda_free || !cuda_error)
        fail(CHANNEL_FAILED_DEVICE, "the CUDA runtime library", "cudaFree is missing");
    status = cuda_free(NULL);
    if (status != 0)
        fail(blame, "cudaFree", cuda_error(status));
}

static void no_memory(void) { fail(CHANNEL_FAILED_LOAD, "mmap", "out of memory"); }

/* What the runner keeps between messages. */
struct service {
    function *device_user;
    void *output;       /* mapped for the runner's life */
    size_t output_size; /* bytes */
    void *place;        /* address space for the next input; NULL before WAKE */
    size_t reserved;    /* bytes of it */
};

static void take_output(struct service *service, const struct channel_message *message, int fd)
{
    struct channel_message reply = { 0 };

    service->output = map_shared(fd, message->mapped);
    service->output_size = message->size;
    if (!service->output)
        no_memory();
    close(fd);
    say(&reply, CHANNEL_MAPPED);
}

/* Off the clock: all that the next call needs and that tells nothing of its input. */
static void wake(struct service *service, const struct channel_message *message)
{
    struct channel_message reply = { .nonce = message->nonce };

    service->place = map_reserve(message->mapped);
    service->reserved = message->mapped;
    if (!service->place)
        no_memory();
    say(&reply, CHANNEL_AWAKE);
    channel_spin(CHANNEL_FD, CHANNEL_SPIN_NS);
}

static void call(struct service *service, const struct channel_message *message, int fd)
{
    struct channel_message reply = { .nonce = message->nonce, .stamps[STAMP_RECEIVED] = clock_ns() };

    if (!service->place || service->reserved != message->mapped || !map_at(service->place, fd, message->mapped))
        no_memory();
    close(fd);
    reply.stamps[STAMP_MAPPED] = clock_ns();
    call_device_user(service->device_user, service->place, message->size, service->output, service->output_size);
    reply.stamps[STAMP_RETURNED] = clock_ns();
    say(&reply, CHANNEL_DONE);
    /* Off the clock. */
    fflush(NULL);
    munmap(service->place, service->reserved);
    service->place = NULL;
}

/* True when the host asked for an end by exit(). */
static bool serve(function *device_user)
{
    struct service service = { .device_user = device_user };
    struct channel_message message;
    int fd;

    while (channel_receive(CHANNEL_FD, &message, &fd) > 0) {
        switch (message.kind) {
        case CHANNEL_SETUP: take_output(&service, &message, fd); break;
        case CHANNEL_WAKE: wake(&service, &message); break;
        case CHANNEL_RUN: call(&service, &message, fd); break;
        default: return message.size == 1; /* CHANNEL_QUIT */
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    struct channel_message message = { 0 };
    function *device_user;
    void *submission, *cuda = NULL;
    enum filter_level level;
    const char *why;
    function *setup;

    if (argc > 2 && strcmp(argv[1], GUARD_ARGUMENT) == 0)
        return guard(argv + 2);
    if ((argc != 3 && argc != 4) || !filter_find(argv[1], &level)) {
        fputs("runner: started by main_host only\n", stderr);
        return RUNNER_FAILED;
    }
    if (argc == 4 && strncmp(argv[3], "libOpenCL", 9) == 0) {
        why = opencl_initialise(argv[3]);
        if (why)
            fail(CHANNEL_FAILED_DEVICE, "OpenCL", why);
    } else if (argc == 4) {
        cuda = dlopen(argv[3], RTLD_NOW);
        if (!cuda)
            fail(CHANNEL_FAILED_DEVICE, "", dlerror());
        initialise_cuda(cuda, CHANNEL_FAILED_DEVICE);
    }
    why = filter_install(level);
    if (why)
        fail(CHANNEL_FAILED_DEVICE, "the filter of system calls", why);
    say(&message, CHANNEL_LOADING);
    submission = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!submission)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    device_user = find(submission, "device_user");
    if (!device_user)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    if (cuda)
        initialise_cuda(cuda, CHANNEL_FAILED_LOAD);
    setup = find(submission, "device_user_setup");
    if (setup)
        setup();
    say(&message, CHANNEL_READY);
    if (serve(device_user))
        return 0; /* the simulator reports in its destructor */
    fflush(NULL);
    _exit(0);
}
