/*
 * runner.c - the process that user code lives in: runner FILTER SUBMISSION.so [RUNTIME]
 *
 * Started by the host, in the box, with the channel as descriptor 3. It initialises CUDA or OpenCL where the submission
 * uses it (RUNTIME is its library), forbids itself the system calls of FILTER (filter.h), loads the submission, calls
 * its device_user_setup() if it has one, and then, a message at a time, maps an input and calls device_user(). It holds
 * one input and one output and knows neither answers, nor limits, nor verdicts.
 *
 * Outside of the box the same program is the guard of that process: runner guard COMMAND... (guard.h).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "verify/wire/call.h"
#include "verify/wire/channel.h"
#include "verify/base/clock.h"
#include "verify/wire/filter.h"
#include "verify/wire/guard.h"
#include "verify/base/limits.h"
#include "device_code.h"
#include "executable.h"
#include "opencl_runner.h"
#include "refusal.h"
#include "resident.h"
#include "verify/base/shared_map.h"
#include "verify/wire/resident.h"

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

/* What the runner itself calls of the CUDA runtime, which it loads by name; all NULL where there is none. */
static struct {
    void *library;
    int (*free)(void *);
    const char *(*error_string)(int);
    int (*last_error)(void);
    int (*allocate)(void **, size_t);
    int (*set)(void *, int, size_t);
    int (*synchronize)(void);
    int (*reset_cache)(void);
    int (*page_lock)(void *, size_t, unsigned);
    int (*page_unlock)(void *);
    void *word; /* four bytes on the device; or NULL */
} cuda;

static void load_cuda(const char *name, const char *submission)
{
    void *library = dlopen(name, RTLD_NOW);

    if (!library)
        fail(CHANNEL_FAILED_DEVICE, "", dlerror());
    device_code_expect(library, submission);
    cuda.free = (int (*)(void *))find(library, "cudaFree");
    cuda.error_string = (const char *(*)(int))find(library, "cudaGetErrorString");
    cuda.last_error = (int (*)(void))find(library, "cudaGetLastError");
    cuda.allocate = (int (*)(void **, size_t))find(library, "cudaMalloc");
    cuda.set = (int (*)(void *, int, size_t))find(library, "cudaMemset");
    cuda.synchronize = (int (*)(void))find(library, "cudaDeviceSynchronize");
    cuda.reset_cache = (int (*)(void))find(library, "cudaCtxResetPersistingL2Cache");
    cuda.page_lock = (int (*)(void *, size_t, unsigned))find(library, "cudaHostRegister");
    cuda.page_unlock = (int (*)(void *))find(library, "cudaHostUnregister");
    if (!cuda.free || !cuda.error_string || !cuda.last_error || !cuda.allocate || !cuda.set || !cuda.synchronize ||
        !cuda.reset_cache || !cuda.page_lock || !cuda.page_unlock)
        fail(CHANNEL_FAILED_DEVICE, name, "it is not the CUDA runtime library");
    cuda.library = library;
}

/* Makes the CUDA context, and loads the modules registered by now (CUDA_MODULE_LOADING=EAGER). */
static void initialise_cuda(enum channel_kind blame)
{
    int status = cuda.free(NULL);

    if (status != 0)
        fail(blame, "cudaFree", cuda.error_string(status));
}

/* So that copies run at the speed of the link. Where it fails they are slower, not wrong. */
static void page_lock(void *place, size_t size)
{
    if (cuda.page_lock && cuda.page_lock(place, size, 0) != 0)
        cuda.last_error();
}

/*
 * Finishes what a call left and lets go of the cache; on a GPU that another process has used since, makes this
 * process's context the present one again, which takes 130 µs.
 */
static void wake_cuda(bool used_by_other)
{
    if (!cuda.free)
        return;
    if (cuda.reset_cache() != 0) /* GPUs before compute capability 8.0 have none to let go */
        cuda.last_error();
    if (used_by_other && (cuda.word || cuda.allocate(&cuda.word, 4) == 0))
        cuda.set(cuda.word, 0, 4);
    cuda.synchronize();
}

/*
 * There is no room for what the host hands over, because the submission took the address space, or made all mappings
 * that a process may have: as if its own allocation had been refused. A failure of loading it would be out of place.
 */
static void no_memory(size_t size)
{
    refusal_tell(size);
    _exit(RUNNER_FAILED);
}

/* What the runner keeps between messages. */
struct service {
    function *device_user;
    enum resident_mode resident;
    void *output;       /* mapped for the runner's life */
    size_t output_size; /* bytes */
    void *next;         /* address space for the next input; NULL before WAKE */
    size_t reserved;    /* bytes of it */
    void *place;        /* memory of large inputs, page-locked; or NULL */
    size_t place_size;  /* bytes of it */
};

static void take_output(struct service *service, const struct channel_message *message, int fd)
{
    struct channel_message reply = { 0 };

    service->output_size = message->size;
    service->resident = (enum resident_mode)message->resident;
    if (service->resident == RESIDENT_SLOTS) {
        const char *why = resident_map_page(fd);

        if (why)
            fail(CHANNEL_FAILED_LOAD, "", why);
        say(&reply, CHANNEL_MAPPED);
        return;
    }
    service->output = map_shared(fd, message->mapped);
    if (!service->output)
        no_memory(message->mapped);
    close(fd);
    if (message->size >= PAGE_LOCK_FROM)
        page_lock(service->output, message->mapped);
    say(&reply, CHANNEL_MAPPED);
}

static void take_place(struct service *service, const struct channel_message *message, int fd)
{
    struct channel_message reply = { .nonce = message->nonce };

    if (service->place) {
        cuda.page_unlock(service->place);
        munmap(service->place, service->place_size);
    }
    service->place = map_shared(fd, message->mapped);
    service->place_size = message->mapped;
    if (!service->place)
        fail(CHANNEL_FAILED_LOAD, "mmap", "out of memory");
    close(fd);
    page_lock(service->place, service->place_size);
    say(&reply, CHANNEL_PLACED);
}

static void take_slots(const struct channel_message *message, int fd)
{
    struct channel_message reply = { .nonce = message->nonce };
    const char *why = resident_map_slots(fd, message->mapped, message->size);

    if (why)
        fail(CHANNEL_FAILED_LOAD, "", why);
    say(&reply, CHANNEL_PLACED);
}

/*
 * The same as wake() and call() where the data are in slots: waits for the word in the page, without sleeping, or for
 * the host's next message.
 */
static void wake_and_call(struct service *service, const struct channel_message *message)
{
    struct channel_message reply = { .nonce = message->nonce };
    const size_t input_size = message->mapped;
    uint64_t nonce = 0;

    wake_cuda(message->size == 1);
    resident_warm();
    say(&reply, CHANNEL_AWAKE);
    for (unsigned i = 1; (nonce = resident_asked()) == 0; i++)
        if (i % (1u << 20) == 0 && channel_spin(CHANNEL_FD, 0))
            return;
    reply = (struct channel_message){ .nonce = nonce };
    resident_slots_call(service->device_user, nonce, input_size, service->output_size, &reply.stamps[STAMP_MAPPED]);
    reply.stamps[STAMP_RECEIVED] = reply.stamps[STAMP_MAPPED];
    say(&reply, CHANNEL_DONE);
    fflush(NULL);
}

/* Off the clock: all that the next call needs and that tells nothing of its input. */
static void wake(struct service *service, const struct channel_message *message)
{
    struct channel_message reply = { .nonce = message->nonce };

    service->next = NULL;
    service->reserved = message->mapped;
    if (message->mapped > 0 && !(service->next = map_reserve(message->mapped)))
        no_memory(message->mapped);
    /* The host has filled the output by now. The input is no larger than what is reserved for it. */
    if (service->resident == RESIDENT_COPIED && !resident_carry_in(service->output, service->output_size,
                                                service->reserved > 0 ? service->reserved : service->place_size))
        _exit(RUNNER_FAILED);
    wake_cuda(message->size == 1);
    say(&reply, CHANNEL_AWAKE);
    channel_spin(CHANNEL_FD, CHANNEL_SPIN_NS);
}

static void call(struct service *service, const struct channel_message *message, int fd)
{
    struct channel_message reply = { .nonce = message->nonce, .stamps[STAMP_RECEIVED] = clock_ns() };

    void *input = message->mapped > 0 ? service->next : service->place;

    if (!input || service->reserved != message->mapped || (message->mapped > 0 && !map_at(input, fd, message->mapped)))
        no_memory(message->mapped);
    if (fd >= 0)
        close(fd);
    reply.stamps[STAMP_MAPPED] = clock_ns();
    if (service->resident == RESIDENT_COPIED) {
        if (!resident_carried(service->device_user, input, message->size, service->output, service->output_size))
            exit(RUNNER_WORK_FAILED); /* not _exit(): the simulator reports in its destructor */
    } else {
        call_device_user(service->device_user,
                         &(struct user_call){ .header = input, .input = input, .input_size = message->size,
                                              .output = service->output, .output_size = service->output_size });
    }
    reply.stamps[STAMP_RETURNED] = clock_ns();
    say(&reply, CHANNEL_DONE);
    /* Off the clock. */
    fflush(NULL);
    if (message->mapped > 0)
        munmap(input, service->reserved);
    service->next = NULL;
}

/* True when the host asked for an end by exit(). */
static bool serve(function *device_user)
{
    struct service service = { .device_user = device_user };
    struct channel_message message;
    int fd;

    while (channel_receive(CHANNEL_FD, &message, &fd) == CHANNEL_MESSAGE) {
        switch (message.kind) {
        case CHANNEL_SETUP: take_output(&service, &message, fd); break;
        case CHANNEL_PLACE: take_place(&service, &message, fd); break;
        case CHANNEL_SLOTS: take_slots(&message, fd); break;
        case CHANNEL_WAKE:
            if (service.resident == RESIDENT_SLOTS)
                wake_and_call(&service, &message);
            else
                wake(&service, &message);
            break;
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
    void *submission;
    enum filter_level level;
    bool loads_later; /* what can be executed: filter.h */
    const char *why;
    function *setup;

    if (argc > 2 && strcmp(argv[1], GUARD_ARGUMENT) == 0)
        return guard(argv + 2);
    if ((argc != 3 && argc != 4) || !filter_find(argv[1], &level)) {
        fputs("runner: started by main_host only\n", stderr);
        return RUNNER_FAILED;
    }
    loads_later = argc == 4 && strncmp(argv[3], "libOpenCL", 9) == 0;
    if (loads_later) {
        why = opencl_initialise(argv[3]);
        if (why)
            fail(CHANNEL_FAILED_DEVICE, "OpenCL", why);
    } else if (argc == 4) {
        load_cuda(argv[3], argv[2]);
        initialise_cuda(CHANNEL_FAILED_DEVICE);
        why = resident_begin(cuda.library);
        if (why)
            fail(CHANNEL_FAILED_DEVICE, argv[3], why);
    }
    executable_load_ahead(cuda.free && level == FILTER_DRIVER);
    why = filter_install(level, loads_later);
    if (why)
        fail(CHANNEL_FAILED_DEVICE, "the filter of system calls", why);
    if (level != FILTER_NONE && !loads_later && !executable_begin())
        fail(CHANNEL_FAILED_DEVICE, "descriptors", "too many are open before the submission is loaded");
    if (level != FILTER_NONE) /* in the box this counts what is in it, and no more */
        setrlimit(RLIMIT_NPROC, &(struct rlimit){ limit_tasks, limit_tasks });
    say(&message, CHANNEL_LOADING);
    if (channel_receive(CHANNEL_FD, &message, NULL) != CHANNEL_MESSAGE || message.kind != CHANNEL_LOAD)
        _exit(RUNNER_LOST_CHANNEL);
    message = (struct channel_message){ 0 };
    refusal_arm();
    submission = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (!submission)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    if (level != FILTER_NONE && !loads_later)
        executable_end();
    device_user = find(submission, "device_user");
    if (!device_user)
        fail(CHANNEL_FAILED_LOAD, "", dlerror());
    if (cuda.free)
        initialise_cuda(CHANNEL_FAILED_LOAD);
    setup = find(submission, "device_user_setup");
    if (setup)
        setup();
    say(&message, CHANNEL_READY);
    if (serve(device_user)) { /* the simulator reports in its destructor */
        resident_end();
        return 0;
    }
    fflush(NULL);
    _exit(0);
}
