/*
 * resident.c - device memory for a call: this process's own, or slots that the warden made.
 */
#include "resident.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verify/base/blob.h"
#include "verify/base/clock.h"
#include "verify/wire/channel.h"
#include "verify/wire/resident.h"

/*
 * So often the runner starts a kernel of its own before it waits for a call: else the driver's code is in no cache of
 * its processor. Medians of a launch beside an H100: 15 us without, 6.8 after one, 5.3 after 16; more do not help.
 */
enum { WARM_LAUNCHES = 16 };

enum { TO_DEVICE = 1, TO_HOST = 2 }; /* enum cudaMemcpyKind */

struct size3 { unsigned x, y, z; }; /* dim3 */

/* Of the CUDA runtime; all NULL where there is none. */
static struct {
    int (*allocate)(void **, size_t);
    int (*release)(void *);
    int (*copy)(void *, const void *, size_t, int);
    int (*make_stream)(void **);
    int (*drop_stream)(void *);
    int (*synchronize)(void);
    const char *(*error_string)(int);
    int (*load)(void **, const void *, void *, void **, unsigned, void *, void **, unsigned);
    int (*find_kernel)(void **, void *, const char *);
    int (*launch)(const void *, struct size3, struct size3, void **, size_t, void *);
    int (*last_error)(void);
    void *stream;
    void *nothing; /* an empty kernel of the runner's own; or NULL */
} cuda;

/* Of the driver, whose header is not needed for so little; NULL where there is none. */
typedef unsigned long long device_pointer, memory_handle;

struct access {
    int location_type, location; /* CUmemLocation: CU_MEM_LOCATION_TYPE_DEVICE, the one device */
    int flags;                   /* CU_MEM_ACCESS_FLAGS_PROT_READWRITE */
};

static struct {
    int (*import)(memory_handle *, void *, int);
    int (*reserve)(device_pointer *, size_t, size_t, device_pointer, unsigned long long);
    int (*map)(device_pointer, size_t, size_t, memory_handle, unsigned long long);
    int (*allow)(device_pointer, size_t, const struct access *, size_t);
    int (*unmap)(device_pointer, size_t);
    int (*unreserve)(device_pointer, size_t);
    int (*release)(memory_handle);
} driver;

/* What the host gave; no page before resident_map_page(), no memory before resident_map_slots(). */
static struct {
    volatile struct resident_page *page;
    device_pointer memory;
    memory_handle handle;
    size_t size, offset; /* bytes: of all, and of the output in it */
    uint64_t last;       /* the nonce of the last call */
} slots;

/* Memory of the GPU that is this process's own. */
static struct { void *memory; size_t size; } own_input, own_output;

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);

    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointer */
}

static void load_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

    if (!library)
        return;
    find(library, "cuMemImportFromShareableHandle", &driver.import);
    find(library, "cuMemAddressReserve", &driver.reserve);
    find(library, "cuMemMap", &driver.map);
    find(library, "cuMemSetAccess", &driver.allow);
    find(library, "cuMemUnmap", &driver.unmap);
    find(library, "cuMemAddressFree", &driver.unreserve);
    find(library, "cuMemRelease", &driver.release);
}

const char *resident_begin(void *runtime)
{
    if (!runtime)
        return NULL;
    load_driver();
    find(runtime, "cudaMalloc", &cuda.allocate);
    find(runtime, "cudaFree", &cuda.release);
    find(runtime, "cudaMemcpy", &cuda.copy);
    find(runtime, "cudaStreamCreate", &cuda.make_stream);
    find(runtime, "cudaStreamDestroy", &cuda.drop_stream);
    find(runtime, "cudaDeviceSynchronize", &cuda.synchronize);
    find(runtime, "cudaGetErrorString", &cuda.error_string);
    find(runtime, "cudaLibraryLoadData", &cuda.load);
    find(runtime, "cudaLibraryGetKernel", &cuda.find_kernel);
    find(runtime, "cudaLaunchKernel", &cuda.launch);
    find(runtime, "cudaGetLastError", &cuda.last_error);
    if (!cuda.allocate || !cuda.release || !cuda.copy || !cuda.make_stream || !cuda.synchronize || !cuda.error_string)
        return "it is not the CUDA runtime library";
    return NULL;
}

/* At the end of the process: the simulator calls memory that nobody gave back a leak, and tells the participant. */
__attribute__((destructor)) static void give_back(void)
{
    if (own_input.memory)
        cuda.release(own_input.memory);
    if (own_output.memory)
        cuda.release(own_output.memory);
    if (cuda.stream && cuda.drop_stream)
        cuda.drop_stream(cuda.stream);
}

static bool works(int status, const char *what)
{
    if (status != 0)
        fprintf(stderr, "runner: %s: %s\n", what, cuda.error_string(status));
    return status == 0;
}

static bool make_room(void **memory, size_t *room, size_t size)
{
    if (*room >= size && *memory)
        return true;
    if (*memory)
        cuda.release(*memory);
    *memory = NULL;
    *room = size;
    return works(cuda.allocate(memory, size > 0 ? size : 1), "memory for the problem's data on the GPU");
}

bool resident_carry_in(const void *output, size_t output_size, size_t input_size)
{
    if (!cuda.copy)
        return true;
    return (cuda.stream || works(cuda.make_stream(&cuda.stream), "a stream")) &&
           make_room(&own_input.memory, &own_input.size, input_size) &&
           make_room(&own_output.memory, &own_output.size, output_size) &&
           works(cuda.copy(own_output.memory, output, output_size, TO_DEVICE), "a copy to the GPU");
}

void resident_end(void)
{
    if (own_input.memory)
        cuda.release(own_input.memory);
    if (own_output.memory)
        cuda.release(own_output.memory);
    own_input.memory = own_output.memory = NULL;
}

bool resident_carried(void (*function)(void), void *input, size_t input_size, void *output, size_t output_size)
{
    unsigned char header[RESIDENT_HEADER] = { 0 };
    struct user_call call = { .header = header, .input = input, .input_size = input_size, .output = output,
                              .output_size = output_size };

    memcpy(header, input, input_size < sizeof header ? input_size : sizeof header);
    if (!cuda.copy) {
        call_device_user(function, &call);
        return true;
    }
    call.input = own_input.memory;
    call.output = own_output.memory;
    call.stream = cuda.stream;
    if (!works(cuda.copy(own_input.memory, input, input_size, TO_DEVICE), "a copy to the GPU"))
        return false;
    call_device_user(function, &call);
    return works(cuda.synchronize(), "what device_user() started") &&
           works(cuda.copy(output, own_output.memory, output_size, TO_HOST), "a copy from the GPU");
}

const char *resident_map_page(int fd)
{
    void *page = mmap(NULL, RESIDENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    close(fd);
    if (page == MAP_FAILED)
        return "the page of calls cannot be mapped";
    slots.page = page;
    return NULL;
}

static void unmap_slots(void)
{
    if (slots.memory) {
        driver.unmap(slots.memory, slots.size);
        driver.unreserve(slots.memory, slots.size);
        driver.release(slots.handle);
    }
    slots.memory = 0;
}

/* Where it fails calls take longer, and their times differ more. */
static void load_nothing(void)
{
    static const char code[] = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    void *library = NULL;

    if (cuda.nothing || !cuda.load || !cuda.find_kernel || !cuda.launch || !cuda.last_error)
        return;
    if (cuda.load(&library, code, NULL, NULL, 0, NULL, NULL, 0) != 0 ||
        cuda.find_kernel(&cuda.nothing, library, "nothing") != 0) {
        cuda.nothing = NULL;
        cuda.last_error();
    }
}

void resident_warm(void)
{
    const struct size3 one = { 1, 1, 1 };

    for (int i = 0; i < WARM_LAUNCHES && cuda.nothing; i++) {
        cuda.launch(cuda.nothing, one, one, NULL, 0, cuda.stream);
        cuda.synchronize();
    }
}

const char *resident_map_slots(int fd, size_t size, size_t offset)
{
    const struct access access = { .location_type = 1, .location = 0, .flags = 3 };
    const int posix_descriptor = 1; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
    const char *why = NULL;

    if (!driver.import || !driver.reserve || !driver.map || !driver.allow || !driver.unmap || !driver.unreserve ||
        !driver.release)
        return "the driver cannot map memory of another process";
    unmap_slots();
    if (driver.import(&slots.handle, (void *)(intptr_t)fd, posix_descriptor) != 0)
        why = "the driver does not import the slots";
    close(fd);
    if (!why && (driver.reserve(&slots.memory, size, 0, 0, 0) != 0 ||
                 driver.map(slots.memory, size, 0, slots.handle, 0) != 0 ||
                 driver.allow(slots.memory, size, &access, 1) != 0))
        why = "the driver does not map the slots";
    slots.size = size;
    slots.offset = offset;
    if (!why && !cuda.stream && !works(cuda.make_stream(&cuda.stream), "a stream"))
        why = "there is no stream";
    if (!why)
        load_nothing();
    return why;
}

uint64_t resident_asked(void) { return slots.page->run != slots.last ? slots.page->run : 0; }

/*
 * Whether the host grants another call, now that so many have returned. A call that is no series' has the word from
 * the start that none follows.
 */
static bool is_granted(size_t returned)
{
    uint64_t granted = slots.page->granted;

    if ((granted & RESIDENT_FINAL) == 0)
        slots.page->returned = returned;
    while ((granted & RESIDENT_FINAL) == 0 && granted <= returned)
        granted = slots.page->granted;
    return (granted & ~RESIDENT_FINAL) > returned && returned < RESIDENT_CALLS;
}

/* Starts the i-th call in flight, or the only one. */
static void start_call(void (*function)(void), size_t i, size_t input_size, size_t output_size)
{
    const struct user_call call = {
        .header = (const void *)resident_header(slots.page, i),
        .input = (void *)(uintptr_t)(slots.memory + i * blob_pitch(input_size)),
        .input_size = input_size,
        .output = (void *)(uintptr_t)(slots.memory + slots.offset + i * blob_pitch(output_size)),
        .output_size = output_size,
        .stream = cuda.stream,
    };

    call_device_user(function, &call);
}

void resident_slots_call(void (*function)(void), uint64_t nonce, size_t input_size, size_t output_size,
                         int64_t stamps[2])
{
    size_t calls = 0;
    int status;

    slots.last = nonce;
    stamps[0] = clock_ns();
    do
        start_call(function, calls++, input_size, output_size);
    while (is_granted(calls));
    status = cuda.synchronize();
    stamps[1] = clock_ns();
    if (!works(status, "what device_user() started"))
        _exit(RUNNER_WORK_FAILED);
    slots.page->done = nonce;
}
