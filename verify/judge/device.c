/*
 * device.c - what a submission runs on; see device.h.
 */
#include "device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolkit.h"
#include "verify/gpu/properties.h"

/*
 * The folder of the CUDA runtime library: the simulator's, beside the nvcc of the build, the usual one, or "" for the
 * loader's own.
 */
static void find_cuda(struct device *device, const char *library)
{
    static const char *const folders[] = { TOOLKIT_CUDA_FOLDER, "/usr/local/cuda/lib64" };
    char path[PATH_MAX];

    if (device->kind == DEVICE_SIM) {
        snprintf(device->cuda_folder, sizeof device->cuda_folder, "%s", device->simulator.folder);
        return;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], library);
        if (access(path, R_OK) == 0 && realpath(folders[i], device->cuda_folder))
            return;
    }
    device->cuda_folder[0] = '\0';
}

/* The device nodes that go into the box: one that is missing would be blamed on the submission otherwise. */
static bool check_nodes(int minor, struct error *error)
{
    const char *fixed[] = { "/dev/nvidiactl", "/dev/nvidia-uvm" };
    char node[32];

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        if (access(fixed[i], R_OK | W_OK) != 0)
            return error_system(error, "cannot use '%s' (nvidia-modprobe -u -c 0 makes it)", fixed[i]);
    snprintf(node, sizeof node, "/dev/nvidia%d", minor);
    return access(node, R_OK | W_OK) == 0 || error_system(error, "cannot use '%s'", node);
}

/* `before` stands before the processor's model. */
static void cpu_name(const char *before, char *name, size_t size)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");

    snprintf(name, size, "%sCPU", before);
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s%s", before, strchr(line, ':') + 2);
            break;
        }
    if (file)
        fclose(file);
}

/* Whether NVIDIA's OpenCL is installed: a GPU alone is not enough. */
static bool has_nvidia_opencl(void)
{
    void *library = dlopen("libnvidia-opencl.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (library)
        dlclose(library);
    return library != NULL;
}

/* The folder that names the OpenCL driver of the chosen device, and the driver. */
static bool find_opencl(struct device *device, const char *build, struct error *error)
{
    char path[PATH_MAX];
    FILE *file;
    bool ok;

    snprintf(device->opencl_folder, sizeof device->opencl_folder, "%s/opencl/%s", build,
             device->kind == DEVICE_GPU ? "gpu" : "cpu");
    if (snprintf(path, sizeof path, "%s/driver.icd", device->opencl_folder) >= (int)sizeof path)
        return error_toolkit(error, "the path '%s' is too long", device->opencl_folder);
    file = fopen(path, "re");
    ok = file && fscanf(file, "%63s", device->opencl_driver) == 1;
    if (file)
        fclose(file);
    return ok || error_toolkit(error, "cannot read '%s': run 'make'", path);
}

bool device_choose(struct device *device, const struct options *options, const struct findings *submission,
                   const char *language, const char *build, struct error *error)
{
    bool cuda = submission->cuda_library[0] != '\0', opencl = submission->opencl_library[0] != '\0';
    const char *why = NULL;

    if (options->device == DEVICE_CPU && cuda)
        return error_usage(error, "--device cpu: the submission is CUDA and needs a GPU or the simulator");
    if (options->device == DEVICE_SIM && !cuda)
        return error_usage(error, "--device sim: the submission is %s: the simulator runs CUDA", language);
    device->kind = options->device;
    if (options->device == DEVICE_AUTO)
        device->kind = cuda || opencl ? DEVICE_GPU : DEVICE_CPU;
    if (device->kind == DEVICE_GPU && !gpu_choose(&device->gpu, options->gpu, &why)) {
        if (options->device == DEVICE_GPU || options->gpu)
            return error_usage(error, "%s, but this machine has no usable NVIDIA GPU: %s",
                               cuda ? "the submission is CUDA" : "--device gpu was given", why);
        device->kind = opencl ? DEVICE_POCL : DEVICE_SIM;
        device->no_gpu = why;
    } else if (device->kind == DEVICE_GPU && opencl && !has_nvidia_opencl()) {
        if (options->device == DEVICE_GPU)
            return error_usage(error, "the submission is OpenCL, but libnvidia-opencl.so.1 is not installed");
        device->kind = DEVICE_POCL;
        device->no_gpu = "libnvidia-opencl.so.1 is not installed";
    }
    if (device->kind == DEVICE_CPU && opencl)
        device->kind = DEVICE_POCL;
    if (device->kind != DEVICE_SIM && (options->explain || options->checks || options->sim_seeded ||
                                       options->sim_workers))
        return error_usage(error, "--explain, --checks, --sim-seed and --sim-workers need the simulator%s",
                           cuda ? ": add --device sim" : ", but the submission is not CUDA");
    /* A judge that has built it offers its GPU to whatever may use one. */
    if (options->gpu && device->kind != DEVICE_GPU && !options->language)
        return error_usage(error, "--gpu %s: the submission is %s and does not run on a GPU", options->gpu, language);
    if (options->ranked && device->kind == DEVICE_SIM)
        return error_usage(error, "--ranked: there is no GPU (%s), and the simulator's times do not rank",
                           device->no_gpu ? device->no_gpu : "--device sim");
    switch (device->kind) {
    case DEVICE_GPU:
        if (!check_nodes(device->gpu.minor, error))
            return false;
        snprintf(device->name, sizeof device->name, "%s", device->gpu.name);
        break;
    case DEVICE_SIM:
        if (!simulator_find(&device->simulator, build, submission->cuda_library, error))
            return false;
        simulator_configure(&device->simulator, options);
        snprintf(device->name, sizeof device->name, "%s", simulator_name);
        break;
    default:
        cpu_name(device->kind == DEVICE_POCL ? "PoCL on " : "", device->name, sizeof device->name);
    }
    if (cuda)
        find_cuda(device, submission->cuda_library);
    return !opencl || find_opencl(device, build, error);
}

const char *device_kind_name(enum device_choice kind)
{
    return kind == DEVICE_GPU ? "gpu" : kind == DEVICE_SIM ? "sim" : kind == DEVICE_POCL ? "pocl" : "cpu";
}

/* A value of /proc/cpuinfo's first processor; "" where it has none. */
static void processor_value(const char *key, char *value, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char *line = NULL, *colon;
    size_t room = 0;

    value[0] = '\0';
    while (file && value[0] == '\0' && getline(&line, &room, file) > 0)
        if (strncmp(line, key, strlen(key)) == 0 && (colon = strstr(line, ": ")))
            snprintf(value, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    free(line);
    if (file)
        fclose(file);
}

static void print_kibibytes(const char *name, int key)
{
    const long bytes = sysconf(key);

    if (bytes > 0)
        printf("  %-24s %ld KiB\n", name, bytes / 1024);
}

/* What the CPU is, in lines as those of a GPU. */
static void print_processor(void)
{
    char name[96], flags[8192];

    processor_value("model name", name, sizeof name);
    processor_value("flags", flags, sizeof flags);
    if (name[0])
        printf("  %-24s %s\n", "model", name);
    printf("  %-24s %ld\n", "processors", sysconf(_SC_NPROCESSORS_ONLN));
    print_kibibytes("level 1 data cache", _SC_LEVEL1_DCACHE_SIZE);
    print_kibibytes("level 2 cache", _SC_LEVEL2_CACHE_SIZE);
    print_kibibytes("level 3 cache", _SC_LEVEL3_CACHE_SIZE);
    printf("  %-24s %lld MiB\n", "memory", (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 20);
    if (flags[0])
        printf("  %-24s%s%s%s\n", "vector instructions", strstr(flags, " avx2") ? " AVX2" : "",
               strstr(flags, " avx512f") ? " AVX-512" : "", strstr(flags, " amx_tile") ? " AMX" : "");
}

void device_list(const char *build, const struct error *no_build)
{
    struct error error;
    struct simulator simulator;
    struct gpu gpu;
    char number[16];
    const char *why;

    for (int i = 0;; i++) {
        snprintf(number, sizeof number, "%d", i);
        if (!gpu_choose(&gpu, number, &why))
            break;
        printf("gpu\t%s\t%s\tdriver %s\n", gpu.name, gpu.uuid, gpu.driver);
        gpu_print_properties(stdout, &gpu);
    }
    if (!gpu_choose(&gpu, NULL, &why))
        fprintf(stderr, "no GPU: %s\n", why);
    if (no_build)
        fprintf(stderr, "no simulator: %s\n", no_build->text);
    else if (simulator_find(&simulator, build, NULL, &error))
        printf("sim\t%s\n", simulator_name);
    else
        fprintf(stderr, "no simulator: %s\n", error.text);
    puts("cpu");
    print_processor();
}
