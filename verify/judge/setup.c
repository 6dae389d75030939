/*
 * setup.c - from options, package, submission and device to the config of a session.
 */
#include "setup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inspection.h"
#include "verify/base/limits.h"
#include "verify/box/landlock.h"

bool submission_choose(struct submission *submission, const struct options *options, const char *build,
                       const char *problem, unsigned rules, struct error *error)
{
    const struct findings *file = &submission->file;
    const char *path = options->submission;
    char standard[PATH_MAX];

    if (!path) {
        snprintf(standard, sizeof standard, "%s/submissions/%s.so", build, problem);
        path = standard;
    }
    if (!realpath(path, submission->path))
        return error_usage(error, "cannot open the submission '%s': %s; build it with 'make submission PROBLEM=... "
                           "SUBMISSION=...'", path,
                           strerror(errno));
    if (!inspection_run(path, build, rules, options, &submission->file, error))
        return false;
    if (!file->is_shared_object)
        return error_usage(error, "'%s' is not a shared object; build the submission with 'make submission'", path);
    if (!file->has_device_user)
        return error_usage(error, "'%s' does not export device_user: define it as device_user.h declares it", path);
    snprintf(submission->runner, sizeof submission->runner, "%s/runners/%s", build, problem);
    if (access(submission->runner, X_OK) != 0)
        return error_toolkit(error, "cannot start '%s': %s; run 'make'", submission->runner, strerror(errno));
    /* C may name OpenCL's loader, and gets nothing for it: neither a driver, nor processors, nor its filter. */
    if (!file->starts_kernels)
        submission->file.opencl_library[0] = '\0';
    if (file->cuda_library[0] && file->opencl_library[0])
        return error_usage(error, "'%s' uses CUDA and OpenCL: use one of them", path);
    submission->language = file->cuda_library[0] ? "CUDA" : file->opencl_library[0] ? "OpenCL" : "C";
    snprintf(submission->empty, sizeof submission->empty, "%s/%s.so", build,
             file->cuda_library[0] ? "empty_gpu" : "empty");
    return true;
}

bool submission_pretends(const struct submission *submission, const struct options *options, char *words, size_t size)
{
    if (!options->language || strcmp(submission->language, "C") == 0 ||
        strcmp(submission->language, options->language) == 0)
        return false;
    snprintf(words, size, "is built from %s but needs the library of %s: use only the library of the sources' "
             "language", options->language, submission->language);
    return true;
}

static enum box_level wanted_level(enum box_choice choice)
{
    static const enum box_level levels[] = {
        [BOX_CHOICE_AUTO] = BOX_NONE, [BOX_CHOICE_CGROUP] = BOX_CGROUP, [BOX_CHOICE_NAMESPACES] = BOX_NAMESPACES,
        [BOX_CHOICE_LANDLOCK] = BOX_LANDLOCK, [BOX_CHOICE_NONE] = BOX_NONE,
    };

    return levels[choice];
}

/* The level that is there, at most the one that was asked for; why it is no more. */
static void reach(struct walls *walls, enum box_choice choice, const char *landlock)
{
    walls->lacks = "--box none";
    walls->level = BOX_NONE;
    if (choice == BOX_CHOICE_LANDLOCK)
        walls->level = box_probe_landlock(landlock, &walls->lacks);
    else if (choice != BOX_CHOICE_NONE)
        walls->level = box_probe(landlock, &walls->no_proc, &walls->lacks);
    if (walls->level == BOX_LANDLOCK && choice == BOX_CHOICE_LANDLOCK)
        walls->lacks = "--box landlock";
    else if (walls->level == BOX_NAMESPACES && choice == BOX_CHOICE_NAMESPACES)
        walls->lacks = "--box namespaces";
    else if (walls->level == BOX_NAMESPACES && cgroup_find(&walls->cgroup, &walls->lacks))
        walls->level = BOX_CGROUP;
    if (walls->no_proc) {
        snprintf(walls->words, sizeof walls->words, "%s%s/proc is masked here, so the box has no /proc",
                 walls->lacks ? walls->lacks : "", walls->lacks ? "; " : "");
        walls->lacks = walls->words;
    }
}

bool walls_reach(struct walls *walls, const struct options *options, const char *build,
                 const struct submission *submission, struct error *error)
{
    const enum box_choice choice = options->box;
    const enum box_level wanted = wanted_level(choice),
                         required = wanted > options->require_box ? wanted : options->require_box;

    snprintf(walls->landlock, sizeof walls->landlock, "%s/landlock", build);
    reach(walls, choice, walls->landlock);
    if (walls->level == BOX_LANDLOCK && submission)
        walls->other_user = landlock_user_reads((const char *[]){ submission->runner, submission->path, NULL });
    if (walls->level < required)
        return error_toolkit(error, "--%s %s: the strongest box here is '%s': %s",
                             required == wanted ? "box" : "require-box", box_level_name(required),
                             box_level_name(walls->level), walls->lacks);
    if (walls->level == BOX_NONE && choice != BOX_CHOICE_NONE)
        return error_toolkit(error, "there is no box to run the submission in: %s, and the kernel has no Landlock or "
                             "forbids it: install bubblewrap and allow user namespaces, or use --box none to run code "
                             "that you trust", walls->lacks);
    return true;
}

/* Seconds that a call may take on the chosen device. */
static double time_limit(const struct setup *setup)
{
    if (setup->options->time_limit > 0)
        return setup->options->time_limit;
    if (setup->device->kind == DEVICE_SIM)
        return setup->package->sim_time_limit;
    return setup->device->kind == DEVICE_GPU ? setup->package->gpu_time_limit : setup->package->cpu_time_limit;
}

struct session_config setup_session(const struct setup *setup)
{
    const struct options *options = setup->options;
    const struct package *package = setup->package;
    const struct findings *file = &setup->submission->file;
    const struct device *device = setup->device;
    const bool cuda = file->cuda_library[0] != '\0', opencl = file->opencl_library[0] != '\0';
    const bool on_gpu = device->kind == DEVICE_GPU, simulated = device->kind == DEVICE_SIM;
    const size_t memory = options->memory_limit ? options->memory_limit : package->memory_limit;
    const size_t beside = limit_memory_runner + (cuda || opencl ? limit_memory_driver : 0);

    return (struct session_config){
        .box = { .level = setup->walls->level,
                 .landlock = setup->walls->landlock,
                 .other_user = setup->walls->other_user,
                 .no_proc = setup->walls->no_proc,
                 .filter = on_gpu                        ? FILTER_DRIVER
                           : device->kind == DEVICE_POCL ? FILTER_POCL
                                                         : FILTER_PLAIN,
                 .runner = setup->submission->runner,
                 .submission = setup->submission->path,
                 .runtime = cuda ? file->cuda_library : opencl ? file->opencl_library : NULL,
                 .opencl = opencl ? device->opencl_folder : NULL,
                 .opencl_driver = device->opencl_driver,
                 .library_path = cuda && device->cuda_folder[0] ? device->cuda_folder : NULL,
                 .library_alone = simulated,
                 .variables = simulated ? device->simulator.variables : NULL,
                 .gpu_minor = on_gpu ? device->gpu.minor : -1,
                 .gpu_uuid = on_gpu ? device->gpu.uuid : NULL,
                 .one_queue = cuda && !file->many_streams },
        .start_limit = limit_start,
        .call_limit = time_limit(setup),
        .end_limit = limit_end,
        .cgroup = &setup->walls->cgroup,
        .memory_limit = memory,
        .image = file->image,
        .memory_beside = beside + device->simulator.memory_in_use,
        .data_limit = memory + beside + device->simulator.host_memory + limit_data_slack,
        .address_limit = cuda || opencl ? 0 : memory + limit_address_slack,
        .output_limit = package->output_limit,
        .processor = setup->processors->runner,
        .spin = setup->processors->others > 0,
        .exit_handlers = simulated,
        .reports = simulated && options->explain,
        .gpu = on_gpu ? &device->gpu : NULL,
        .device_memory_limit = !on_gpu                      ? 0
                               : options->device_memory_limit ? options->device_memory_limit
                                                              : package->device_memory_limit,
        .page_lock = cuda,
        .resident = package->resident,
        .warm = package->warm,
        .stops = !opencl || on_gpu,
    };
}
