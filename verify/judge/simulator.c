/*
 * simulator.c - finds cudasim and composes its environment.
 */
#include "simulator.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verify/wire/channel.h"

const char simulator_name[] = "cudasim (simulated, compute capability 9.0)";

static const uint64_t gib = UINT64_C(1) << 30;

/* The name of the library in a folder, whatever its version; "" if there is none. */
static void find_library(const char *folder, char *name, size_t size)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;

    *name = '\0';
    while (entries && !*name && (entry = readdir(entries)))
        if (strncmp(entry->d_name, "libcudart.so.", 13) == 0)
            snprintf(name, size, "%s", entry->d_name);
    if (entries)
        closedir(entries);
}

bool simulator_find(struct simulator *simulator, const char *build, const char *cuda_library, struct error *error)
{
    char there[256];

    *simulator = (struct simulator){ 0 };
    snprintf(simulator->folder, sizeof simulator->folder, "%s/cudasim", build);
    find_library(simulator->folder, there, sizeof there);
    if (!there[0])
        return error_usage(error, "the simulator is not built: there is no library in '%s': run 'make cudasim'",
                           simulator->folder);
    if (cuda_library && strcmp(there, cuda_library) != 0)
        return error_usage(error, "the submission needs %s, and the simulator is %s: build both with the same CUDA "
                                  "Toolkit", cuda_library, there);
    return true;
}

static void set(struct simulator *simulator, size_t *count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void set(struct simulator *simulator, size_t *count, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(simulator->text[*count], SIMULATOR_TEXT, format, arguments);
    va_end(arguments);
    simulator->variables[*count] = simulator->text[*count];
    simulator->variables[++*count] = NULL;
}

void simulator_configure(struct simulator *simulator, const struct options *options)
{
    const uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE) / gib * gib;
    size_t count = 0;

    /* As much as the virtual device's own default, and no more than half of the machine's: whole GiB. */
    simulator->device_memory = half < gib ? gib : half < 16 * gib ? half : 16 * gib;
    /* Addresses are not used again at once, and something is noted of each byte: memory.c of cudasim. */
    simulator->host_memory = (size_t)(4 * simulator->device_memory + 16 * gib);
    simulator->memory_in_use = (size_t)(simulator->device_memory + simulator->device_memory / 4 + gib);
    set(simulator, &count, "CUDASIM_MEMORY=%" PRIu64, simulator->device_memory);
    set(simulator, &count, "CUDASIM_CHECK=%s", options->checks ? options->checks : "all");
    if (options->sim_seeded)
        set(simulator, &count, "CUDASIM_SEED=%" PRIu64, options->sim_seed);
    if (options->sim_workers > 0)
        set(simulator, &count, "CUDASIM_WORKERS=%" PRIu64, options->sim_workers);
    if (!options->explain) /* its kernels may be endless, and no verdict depends on them */
        set(simulator, &count, "CUDASIM_REST=0");
    if (options->explain) {
        set(simulator, &count, "CUDASIM_EXPLAIN=1");
        set(simulator, &count, "CUDASIM_EXPLAIN_FILE=/proc/self/fd/%d", CHANNEL_REPORT_TEXT_FD);
        set(simulator, &count, "CUDASIM_JSON=/proc/self/fd/%d", CHANNEL_REPORT_JSON_FD);
    }
}
