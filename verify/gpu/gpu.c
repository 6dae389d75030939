/*
 * gpu.c - the handful of NVML calls that the host makes, the lock on a GPU, and the mark of one that is unfit.
 *
 * NVML's header comes with the CUDA Toolkit only, so the prototypes stand here, as its documentation gives
 * them ("NVML API Reference Guide", chapters Initialization, System queries and Device queries).
 */
#include "gpu.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "verify/base/clock.h"
#include "verify/base/lockfile.h"

/* How long the host waits for the lock on a GPU before it prints a note. */
static const double silent_seconds = 0.5;

enum { NVML_SUCCESS = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0 };

typedef struct nvml_device *nvml_device;

struct nvml_memory {
    unsigned long long total, free, used; /* bytes */
};

struct nvml_process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

/* NVML, loaded once and kept: the calls that must be there, and those that need not. */
static struct nvml {
    void *library;
    int (*init)(void);
    int (*driver_version)(char *version, unsigned size);
    int (*device_count)(unsigned *count);
    int (*device_by_index)(unsigned index, nvml_device *device);
    int (*device_by_uuid)(const char *uuid, nvml_device *device);
    int (*device_name)(nvml_device device, char *name, unsigned size);
    int (*device_uuid)(nvml_device device, char *uuid, unsigned size);
    int (*device_minor)(nvml_device device, unsigned *minor);
    int (*clock)(nvml_device device, int type, unsigned *megahertz);
    int (*temperature)(nvml_device device, int sensor, unsigned *degrees);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
    int (*reasons)(nvml_device device, unsigned long long *reasons);
    int (*processes)(nvml_device device, unsigned *count, struct nvml_process *processes);
    int (*link_generation)(nvml_device device, unsigned *generation);
    int (*link_width)(nvml_device device, unsigned *width);
} nvml;

static bool nvml_load(void)
{
    const struct {
        const char *name;
        size_t place; /* of the member in struct nvml */
        bool must;
    } symbols[] = {
        { "nvmlInit_v2", offsetof(struct nvml, init), true },
        { "nvmlSystemGetDriverVersion", offsetof(struct nvml, driver_version), true },
        { "nvmlDeviceGetCount_v2", offsetof(struct nvml, device_count), true },
        { "nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, device_by_index), true },
        { "nvmlDeviceGetHandleByUUID", offsetof(struct nvml, device_by_uuid), true },
        { "nvmlDeviceGetName", offsetof(struct nvml, device_name), true },
        { "nvmlDeviceGetUUID", offsetof(struct nvml, device_uuid), true },
        { "nvmlDeviceGetMinorNumber", offsetof(struct nvml, device_minor), true },
        { "nvmlDeviceGetClockInfo", offsetof(struct nvml, clock), false },
        { "nvmlDeviceGetTemperature", offsetof(struct nvml, temperature), false },
        { "nvmlDeviceGetMemoryInfo", offsetof(struct nvml, memory), false },
        { "nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, reasons), false },
        { "nvmlDeviceGetCurrentClocksEventReasons", offsetof(struct nvml, reasons), false }, /* its newer name */
        { "nvmlDeviceGetComputeRunningProcesses_v3", offsetof(struct nvml, processes), false },
        { "nvmlDeviceGetMaxPcieLinkGeneration", offsetof(struct nvml, link_generation), false },
        { "nvmlDeviceGetMaxPcieLinkWidth", offsetof(struct nvml, link_width), false },
    };

    nvml.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml.library)
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(nvml.library, symbols[i].name);

        if (symbol)
            memcpy((char *)&nvml + symbols[i].place, &symbol, sizeof symbol);
        else if (symbols[i].must)
            return false;
    }
    return true;
}

/* Whether NVML is there; it stays loaded. */
static bool nvml_ready(const char **why)
{
    static const char *reason;
    static bool tried;

    if (!tried) {
        tried = true;
        if (access("/dev/nvidiactl", R_OK | W_OK) != 0)
            reason = "there is no /dev/nvidiactl";
        else if (!nvml_load())
            reason = "NVIDIA's management library libnvidia-ml.so.1 is missing or too old";
        else if (nvml.init() != NVML_SUCCESS)
            reason = "the NVIDIA driver reports no GPU";
    }
    *why = reason;
    return reason == NULL;
}

/* What one lane of PCI Express carries at most, bytes a second, by generation (PCI-SIG, less the line code). */
static double link_speed(unsigned generation, unsigned width)
{
    static const double lane[] = { 0, 0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9 };

    return generation < sizeof lane / sizeof lane[0] ? lane[generation] * width : 0;
}

bool gpu_choose(struct gpu *gpu, const char *selector, const char **why)
{
    unsigned count = 0, minor = 0, index = 0, generation = 0, width = 0;
    nvml_device device;

    if (!nvml_ready(why))
        return false;
    *why = "the NVIDIA driver reports no GPU";
    if (nvml.device_count(&count) != NVML_SUCCESS || count == 0)
        return false;
    if (selector && isdigit((unsigned char)selector[0])) {
        char *end;

        index = (unsigned)strtoul(selector, &end, 10);
        *why = "there is no GPU with that number: see --devices";
        if (*end != '\0' || index >= count)
            return false;
    }
    if (selector && !isdigit((unsigned char)selector[0])) {
        *why = "there is no GPU with that UUID: see --devices";
        if (nvml.device_by_uuid(selector, &device) != NVML_SUCCESS)
            return false;
    } else if (nvml.device_by_index(index, &device) != NVML_SUCCESS) {
        return false;
    }
    *why = "the NVIDIA driver does not describe its GPU";
    if (nvml.device_name(device, gpu->name, sizeof gpu->name) != NVML_SUCCESS ||
        nvml.device_uuid(device, gpu->uuid, sizeof gpu->uuid) != NVML_SUCCESS ||
        nvml.device_minor(device, &minor) != NVML_SUCCESS ||
        nvml.driver_version(gpu->driver, sizeof gpu->driver) != NVML_SUCCESS)
        return false;
    gpu->minor = (int)minor;
    gpu->link = nvml.link_generation && nvml.link_width && nvml.link_generation(device, &generation) == NVML_SUCCESS &&
                        nvml.link_width(device, &width) == NVML_SUCCESS
                    ? link_speed(generation, width)
                    : 0;
    *why = NULL;
    return true;
}

bool gpu_read(const struct gpu *gpu, struct gpu_state *state)
{
    struct nvml_process processes[GPU_PROCESSES_KEPT];
    unsigned count = GPU_PROCESSES_KEPT;
    struct nvml_memory memory = { 0 };
    unsigned long long reasons = 0;
    nvml_device device;
    const char *why;

    *state = (struct gpu_state){ 0 };
    if (!nvml_ready(&why) || nvml.device_by_uuid(gpu->uuid, &device) != NVML_SUCCESS)
        return false;
    if (nvml.clock) {
        nvml.clock(device, NVML_CLOCK_SM, &state->sm_megahertz);
        nvml.clock(device, NVML_CLOCK_MEM, &state->memory_megahertz);
    }
    if (nvml.temperature)
        nvml.temperature(device, NVML_TEMPERATURE_GPU, &state->temperature);
    if (nvml.reasons && nvml.reasons(device, &reasons) == NVML_SUCCESS)
        state->reasons = reasons;
    if (nvml.memory && nvml.memory(device, &memory) == NVML_SUCCESS)
        state->memory_used = memory.used;
    if (nvml.processes) {
        int status = nvml.processes(device, &count, processes);

        if (status == NVML_SUCCESS || status == NVML_ERROR_INSUFFICIENT_SIZE)
            state->processes = count;
        for (unsigned i = 0; status == NVML_SUCCESS && i < count; i++)
            state->pids[i] = processes[i].pid;
    }
    return true;
}

bool gpu_nvml(const struct gpu *gpu, void **library, void **device, const char **why)
{
    nvml_device handle;

    if (!nvml_ready(why))
        return false;
    *why = "the NVIDIA driver does not find its GPU again";
    if (nvml.device_by_uuid(gpu->uuid, &handle) != NVML_SUCCESS)
        return false;
    *library = nvml.library;
    *device = handle;
    return true;
}

size_t gpu_memory_used(const struct gpu *gpu)
{
    static nvml_device device;
    static const struct gpu *of;
    struct nvml_memory memory = { 0 };
    const char *why;

    if (!nvml_ready(&why) || !nvml.memory)
        return 0;
    if (of != gpu && nvml.device_by_uuid(gpu->uuid, &device) != NVML_SUCCESS)
        return 0;
    of = gpu;
    return nvml.memory(device, &memory) == NVML_SUCCESS ? memory.used : 0;
}

void gpu_reason_words(uint64_t reasons, char *text, size_t size)
{
    static const struct {
        uint64_t bit;
        const char *words;
    } names[] = {
        { 0x4, "power cap" },
        { 0x8, "hardware slowdown" },
        { 0x20, "software thermal slowdown" },
        { 0x40, "hardware thermal slowdown" },
        { 0x80, "power brake" },
    };
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0] && used < size; i++)
        if (reasons & names[i].bit)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i].words);
}

bool gpu_claim(const struct gpu *gpu, struct error *error)
{
    char path[LOCKFILE_GPU_PATH];
    int fd;

    lockfile_gpu(gpu->uuid, "lock", path);
    fd = lockfile_open(path);
    if (fd < 0)
        return error_system(error, "cannot open the lock '%s'", path);
    /* A warden that makes its context has it for a moment. */
    for (int64_t start = clock_ns(); clock_seconds(start, clock_ns()) < silent_seconds; usleep(2000))
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
    fprintf(stderr, "main_host: waiting for the GPU %s: another judging uses it\n", gpu->uuid);
    while (flock(fd, LOCK_EX) != 0)
        if (errno != EINTR)
            return error_system(error, "cannot lock '%s'", path);
    return true;
}

bool gpu_unfit(const struct gpu *gpu, char *why, size_t size)
{
    char path[LOCKFILE_GPU_PATH];
    FILE *file;

    lockfile_gpu(gpu->uuid, "unfit", path);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (!fgets(why, (int)size, file))
        why[0] = '\0';
    why[strcspn(why, "\n")] = '\0';
    fclose(file);
    return true;
}

void gpu_mark(const struct gpu *gpu, const char *why)
{
    char path[LOCKFILE_GPU_PATH];
    int fd;

    lockfile_gpu(gpu->uuid, "unfit", path);
    if (!why) {
        unlink(path);
        return;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd >= 0) {
        dprintf(fd, "%s\n", why);
        close(fd);
    }
}
