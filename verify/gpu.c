/*
 * gpu.c - the handful of NVML calls that the host makes.
 *
 * NVML's header comes with the CUDA Toolkit only, so the prototypes stand here, as its documentation gives
 * them ("NVML API Reference Guide", chapters Initialization, System queries and Device queries).
 */
#include "gpu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NVML_SUCCESS = 0 };

typedef struct nvml_device *nvml_device;

struct nvml {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*driver_version)(char *version, unsigned size);
    int (*device_count)(unsigned *count);
    int (*device_by_index)(unsigned index, nvml_device *device);
    int (*device_name)(nvml_device device, char *name, unsigned size);
    int (*device_uuid)(nvml_device device, char *uuid, unsigned size);
    int (*device_minor)(nvml_device device, unsigned *minor);
};

static bool nvml_load(struct nvml *nvml)
{
    const struct {
        const char *name;
        size_t place; /* of the member in struct nvml */
    } symbols[] = {
        { "nvmlInit_v2", offsetof(struct nvml, init) },
        { "nvmlShutdown", offsetof(struct nvml, shutdown) },
        { "nvmlSystemGetDriverVersion", offsetof(struct nvml, driver_version) },
        { "nvmlDeviceGetCount_v2", offsetof(struct nvml, device_count) },
        { "nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, device_by_index) },
        { "nvmlDeviceGetName", offsetof(struct nvml, device_name) },
        { "nvmlDeviceGetUUID", offsetof(struct nvml, device_uuid) },
        { "nvmlDeviceGetMinorNumber", offsetof(struct nvml, device_minor) },
    };

    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        return false;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(nvml->library, symbols[i].name);

        if (!symbol)
            return false;
        memcpy((char *)nvml + symbols[i].place, &symbol, sizeof symbol);
    }
    return true;
}

static bool nvml_describe(const struct nvml *nvml, struct gpu *gpu)
{
    nvml_device device;
    unsigned count = 0, minor = 0;

    if (nvml->device_count(&count) != NVML_SUCCESS || count == 0 ||
        nvml->device_by_index(0, &device) != NVML_SUCCESS ||
        nvml->device_name(device, gpu->name, sizeof gpu->name) != NVML_SUCCESS ||
        nvml->device_uuid(device, gpu->uuid, sizeof gpu->uuid) != NVML_SUCCESS ||
        nvml->device_minor(device, &minor) != NVML_SUCCESS ||
        nvml->driver_version(gpu->driver, sizeof gpu->driver) != NVML_SUCCESS)
        return false;
    gpu->minor = (int)minor;
    return true;
}

bool gpu_first(struct gpu *gpu, const char **why)
{
    struct nvml nvml = { 0 };
    bool ok = false;

    *why = "there is no /dev/nvidiactl";
    if (access("/dev/nvidiactl", R_OK | W_OK) != 0)
        return false;
    *why = "NVIDIA's management library libnvidia-ml.so.1 is missing or too old";
    if (!nvml_load(&nvml))
        goto out;
    *why = "the NVIDIA driver reports no GPU";
    if (nvml.init() != NVML_SUCCESS)
        goto out;
    ok = nvml_describe(&nvml, gpu);
    nvml.shutdown();
out:
    if (nvml.library)
        dlclose(nvml.library);
    if (ok)
        *why = NULL;
    return ok;
}
