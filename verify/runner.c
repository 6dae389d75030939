/*
 * runner.c - the process that user code lives in: runner SUBMISSION.so [CUDA_LIBRARY]
 *
 * Started by the host, in the box, with the channel as descriptor 3. It initialises CUDA where the submission
 * uses it, loads the submission, and then, a message at a time, maps an input and calls device_user(). It
 * holds one input and one output and knows neither answers, nor limits, nor verdicts.
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
#include "session.h"

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
    for (char *c = message.text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
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
        fail(CHANNEL_FAILED_CUDA, "the CUDA runtime library", "cudaFree is missing");
    status = cuda_free(NULL);
    if (status != 0)
        fail(blame, "cudaFree", cuda_error(status));
}

static void *map(int fd, uint64_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);

    if (memory == MAP_FAILED)
        fail(CHANNEL_FAILED_LOAD, "mmap", "out of memory");
    close(fd);
    return memory;
}

static void serve(function *device_user)
{
    struct channel_message message;
    void *output = NULL;
    size_t output_size = 0;
    int fd;

    while (channel_receive(CHANNEL_FD, &message, &fd) > 0) {
        struct channel_message reply = { 0 };
        void *input;

        reply.stamps[STAMP_RECEIVED] = clock_ns();
        switch (message.kind) {
        case CHANNEL_SETUP:
            output_size = message.size;
            output = map(fd, output_size);
            say(&reply, CHANNEL_MAPPED);
            break;
        case CHANNEL_RUN:
            input = map(fd, message.size);
            reply.stamps[STAMP_MAPPED] = clock_ns();
            call_device_user(device_user, input, message.size, output, output_size);
            reply.stamps[STAMP_RETURNED] = clock_ns();
            say(&reply, CHANNEL_DONE);
            /* Off the clock. */
            fflush(NULL);
            munmap(input, message.size);
            break;
        default: /* CHANNEL_QUIT */
            return;
        }
    }
}

int main(int argc, char **argv)
{
    struct channel_message message = { 0 };
    function *device_user;
    void *submission, *cuda = NULL;

    if (argc != 2 && argc != 3) {
        fputs("runner: started by main_host only\n", stderr);
        return RUNNER_FAILED;
    }
    if (argc == 3) {
        cuda = dlopen(argv[2], RTLD_NOW);
        if (!cuda)
            fail(CHANNEL_FAILED_CUDA, "", dlerror());
        initialise_cuda(cuda, CHANNEL_FAILED_CUDA);
    }
    submission = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!submission)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    device_user = find(submission, "device_user");
    if (!device_user)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    if (cuda)
        initialise_cuda(cuda, CHANNEL_FAILED_LOAD);
    say(&message, CHANNEL_READY);
    serve(device_user);
    fflush(NULL);
    _exit(0);
}
