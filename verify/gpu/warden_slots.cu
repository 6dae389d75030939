/*
 * warden_slots.cu - slots, staging memory and the release of resident calls.
 *
 * While a call runs the warden looks at the output again and again: a small one whole, of a larger one lines that were
 * drawn by chance. So it knows without the runner when the output had come to what it is at the end.
 */
#include "warden_slots.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "verify/base/clock.h"
#include "verify/base/poison.h"
#include "verify/wire/resident.h"
}

/* An output of up to this size is looked at whole, bytes; of a larger one LINES lines of LINE bytes. */
enum { LOOK = 16384, LINES = 128, LINE = 64 };

/* The functions of the driver that the runtime has none for. */
static struct {
    decltype(&cuMemCreate) create;
    decltype(&cuMemRelease) release;
    decltype(&cuMemExportToShareableHandle) export_handle;
    decltype(&cuMemAddressReserve) reserve;
    decltype(&cuMemAddressFree) unreserve;
    decltype(&cuMemMap) map;
    decltype(&cuMemUnmap) unmap;
    decltype(&cuMemSetAccess) allow;
    decltype(&cuMemGetAllocationGranularity) granularity;
} driver;

static struct {
    volatile struct resident_page *page;
    unsigned char *staging; /* mapped and page-locked; or NULL */
    size_t staging_size;
    unsigned char *slots; /* device memory; or NULL */
    size_t slots_size;
    size_t offset; /* of the output in the slots */
    CUmemGenericAllocationHandle handle;
    cudaStream_t stream;    /* of the copy engines */
    unsigned char *look;    /* [LOOK], page-locked: what the last look saw */
    size_t first_line, line_pitch; /* bytes: where the lines lie in the output; pitch 0: it is looked at whole */
    size_t look_size;
    uint64_t seen;          /* digest of the last look */
    int64_t since;          /* when the first look ended that saw the same */
} state;

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load_driver(void)
{
    void *library = driver.create ? NULL : dlopen("libcuda.so.1", RTLD_NOW);

    return driver.create ||
           (library && find(library, "cuMemRelease", &driver.release) &&
            find(library, "cuMemExportToShareableHandle", &driver.export_handle) &&
            find(library, "cuMemAddressReserve", &driver.reserve) &&
            find(library, "cuMemAddressFree", &driver.unreserve) && find(library, "cuMemMap", &driver.map) &&
            find(library, "cuMemUnmap", &driver.unmap) && find(library, "cuMemSetAccess", &driver.allow) &&
            find(library, "cuMemGetAllocationGranularity", &driver.granularity) &&
            find(library, "cuMemCreate", &driver.create));
}

static void say(struct warden_message *reply, bool ok, const char *what)
{
    const cudaError_t status = cudaGetLastError();

    reply->ok = ok;
    if (!ok)
        snprintf(reply->text, sizeof reply->text, "%s: %s", what,
                 status == cudaSuccess ? "the driver refuses it" : cudaGetErrorString(status));
}

void slots_page(int page, struct warden_message *reply)
{
    void *memory = page < 0 ? MAP_FAILED : mmap(NULL, RESIDENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);

    if (page >= 0)
        close(page);
    if (state.page)
        munmap((void *)state.page, RESIDENT_PAGE);
    state.page = memory == MAP_FAILED ? NULL : (volatile struct resident_page *)memory;
    say(reply, state.page != NULL, "the page of resident calls");
}

static void let_go(void)
{
    cudaDeviceSynchronize();
    if (state.slots) {
        driver.unmap((CUdeviceptr)state.slots, state.slots_size);
        driver.unreserve((CUdeviceptr)state.slots, state.slots_size);
        driver.release(state.handle);
    }
    if (state.staging) {
        cudaHostUnregister(state.staging);
        munmap(state.staging, state.staging_size);
    }
    state.slots = state.staging = NULL;
    cudaGetLastError();
}

static bool map_staging(int fd)
{
    struct stat status;
    void *memory;

    if (fd < 0 || fstat(fd, &status) != 0)
        return false;
    state.staging_size = (size_t)status.st_size;
    memory = mmap(NULL, state.staging_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return false;
    state.staging = (unsigned char *)memory;
    return cudaHostRegister(memory, state.staging_size, cudaHostRegisterDefault) == cudaSuccess;
}

/* Device memory that can be given to another process by a descriptor, without what it held before. */
static bool make_slots(size_t size, int *exported)
{
    CUmemAllocationProp properties;
    CUmemAccessDesc access;
    size_t part = 0;
    CUdeviceptr at = 0;
    int device = 0;

    memset(&properties, 0, sizeof properties);
    memset(&access, 0, sizeof access);
    cudaGetDevice(&device);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = access.location.id = device;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (driver.granularity(&part, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS || part == 0)
        return false;
    size = (size + part - 1) / part * part;
    if (driver.create(&state.handle, size, &properties, 0) != CUDA_SUCCESS)
        return false;
    if (driver.reserve(&at, size, 0, 0, 0) != CUDA_SUCCESS ||
        driver.map(at, size, 0, state.handle, 0) != CUDA_SUCCESS ||
        driver.allow(at, size, &access, 1) != CUDA_SUCCESS ||
        driver.export_handle(exported, state.handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) != CUDA_SUCCESS ||
        cudaMemset((void *)at, 0, size) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
        driver.release(state.handle);
        return false;
    }
    state.slots = (unsigned char *)at;
    state.slots_size = size;
    return true;
}

void slots_make(const struct warden_message *message, int staging, int *exported, struct warden_message *reply)
{
    const size_t offset = resident_output_offset(message->input_size);
    bool ok;

    let_go();
    *exported = -1;
    state.line_pitch = state.look_size = 0; /* TAKE may come before the first CALL */
    ok = map_staging(staging);
    if (staging >= 0)
        close(staging);
    if (ok && state.staging_size < WARDEN_STAGING + offset + message->output_size)
        ok = false;
    if (!ok) {
        say(reply, false, "memory for inputs and outputs");
        return;
    }
    ok = (state.stream || cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking) == cudaSuccess) &&
         (state.look || cudaHostAlloc((void **)&state.look, LOOK, cudaHostAllocDefault) == cudaSuccess) &&
         load_driver() && make_slots(offset + message->output_size, exported);
    state.offset = offset;
    reply->input_size = state.slots_size;
    say(reply, ok, "device memory for inputs and outputs");
}

static __global__ void write_poison(uint64_t key, uint64_t *words, size_t count, size_t rest)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i == 0 && rest > 0) {
        const uint64_t last = poison_word(key, count);

        for (size_t k = 0; k < rest; k++)
            ((unsigned char *)(words + count))[k] = (unsigned char)(last >> 8 * k);
    }
    for (; i < count; i += step)
        words[i] = poison_word(key, i);
}

/* Whether what a message speaks of lies in the slots. */
static bool fits(const struct warden_message *message)
{
    return state.slots && state.page && message->input_size <= state.offset &&
           message->output_size <= state.slots_size - state.offset;
}

void slots_poison(const struct warden_message *message, struct warden_message *reply)
{
    if (fits(message))
        write_poison<<<1024, 256>>>(message->nonce, (uint64_t *)(state.slots + state.offset), message->output_size / 8,
                                    message->output_size % 8);
    say(reply, fits(message) && cudaDeviceSynchronize() == cudaSuccess, "an output slot");
}

/* Brings the staged input, of so many bytes, to its slot. */
static bool bring(size_t size)
{
    if (size < RESIDENT_LEAST)
        size = RESIDENT_LEAST;
    return cudaMemcpyAsync(state.slots, state.staging + WARDEN_STAGING, size, cudaMemcpyHostToDevice, state.stream) ==
               cudaSuccess &&
           cudaStreamSynchronize(state.stream) == cudaSuccess;
}

void slots_decoy(const struct warden_message *message, struct warden_message *reply)
{
    say(reply, fits(message) && bring(message->input_size), "a decoy");
}

/* FNV-1a over words (Fowler, Noll and Vo), enough to tell two looks apart. */
static uint64_t digest(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0xcbf29ce484222325u, word;

    for (; size >= 8; bytes += 8, size -= 8) {
        memcpy(&word, bytes, 8);
        value = (value ^ word) * 0x100000001b3u;
        value ^= value >> 29;
    }
    word = 0;
    memcpy(&word, bytes, size);
    return (value ^ word) * 0x100000001b3u;
}

/* Chooses what is looked at in this call. */
static void choose_lines(size_t output_size)
{
    uint32_t turn = 0;

    state.line_pitch = output_size <= LOOK ? 0 : (output_size - LINE) / LINES / LINE * LINE;
    state.look_size = state.line_pitch ? (size_t)LINES * LINE : output_size;
    if (getrandom(&turn, sizeof turn, 0) < 0)
        turn = (uint32_t)clock_ns();
    state.first_line = state.line_pitch > LINE ? turn % (state.line_pitch / LINE) * LINE : 0;
}

static bool start_look(void)
{
    const unsigned char *output = state.slots + state.offset;

    if (state.line_pitch == 0)
        return cudaMemcpyAsync(state.look, output, state.look_size, cudaMemcpyDeviceToHost, state.stream) ==
               cudaSuccess;
    return cudaMemcpy2DAsync(state.look, LINE, output + state.first_line, state.line_pitch, LINE, LINES,
                             cudaMemcpyDeviceToHost, state.stream) == cudaSuccess;
}

/* A look from its start to its end. */
static bool look(void)
{
    cudaError_t status = cudaErrorNotReady;
    uint64_t now;
    int64_t end;

    if (!start_look())
        return false;
    while (status == cudaErrorNotReady)
        status = cudaStreamQuery(state.stream);
    end = clock_ns();
    now = digest(state.look, state.look_size);
    if (now != state.seen) {
        state.seen = now;
        state.since = end;
    }
    return status == cudaSuccess;
}

void slots_call(const struct warden_message *message, struct warden_message *reply)
{
    const volatile struct warden_staging *staging = (const volatile struct warden_staging *)state.staging;
    bool ok = fits(message), last = false;
    int64_t begun = 0;

    state.seen = 0;
    choose_lines(ok ? message->output_size : 0);
    if (!ok || !bring(message->input_size)) {
        say(reply, false, "an input slot");
        return;
    }
    reply->start = clock_ns();
    state.page->run = message->nonce;
    while (ok && !last) {
        /* The last look begins after "done". */
        last = state.page->done == message->nonce || staging->stop ||
               clock_seconds(reply->start, clock_ns()) > message->seconds;
        begun = clock_ns();
        ok = look();
    }
    reply->seconds = clock_seconds(begun, clock_ns());
    say(reply, ok, "a look at the output");
}

void slots_take(const struct warden_message *message, struct warden_message *reply)
{
    unsigned char *to = state.staging + WARDEN_STAGING + state.offset;
    unsigned char lines[LOOK];
    bool ok = fits(message) && cudaMemcpyAsync(to, state.slots + state.offset, message->output_size,
                                               cudaMemcpyDeviceToHost, state.stream) == cudaSuccess &&
              cudaStreamSynchronize(state.stream) == cudaSuccess;

    if (ok && state.line_pitch == 0)
        memcpy(lines, to, state.look_size);
    for (size_t i = 0; ok && state.line_pitch > 0 && i < LINES; i++)
        memcpy(lines + i * LINE, to + state.first_line + i * state.line_pitch, LINE);
    reply->late = ok && digest(lines, state.look_size) != state.seen;
    reply->start = state.since;
    say(reply, ok, "an output slot");
}

void slots_forget(struct warden_message *reply)
{
    let_go();
    if (state.page)
        munmap((void *)state.page, RESIDENT_PAGE);
    state.page = NULL;
    reply->ok = 1;
}
