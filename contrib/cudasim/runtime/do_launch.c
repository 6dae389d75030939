/*
 * do_launch.c - launches a kernel: it checks the launch, packs the arguments, and runs the kernel.
 */
#include "runtime.h"
#include "device_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "by_host.h"
#include "host_place.h"

enum {
    ATTRIBUTE_LAST = cudaLaunchAttributeNvlinkUtilCentricScheduling,
    BLOCK_Z = 64,               /* threads */
    GRID_Y = 65535,             /* blocks, and so in z */
    CLUSTER_PORTABLE = 8,       /* blocks: of a cluster, without asking for more */
    CLUSTER_NON_PORTABLE = 16,  /* blocks */
    REGISTER_UNIT = 8,          /* registers of a thread are allotted in eights */
    PARTITIONS = 4,             /* of a multiprocessor; each warp has its registers in one */
    WARP = 32,                  /* threads */
};

/* cuLaunchKernel's names in `extra`, which graphs of kernels may use. */
#define EXTRA_END ((void *)0)
#define EXTRA_BUFFER ((void *)1)
#define EXTRA_SIZE ((void *)2)

/* ------------------------------------------------------------------ checks */

unsigned launch_threads(const struct sim_limits *limits, const struct sim_kernel_facts *facts)
{
    unsigned registers = (facts->registers + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    unsigned threads = limits->threads_per_block;

    if (facts->max_threads && facts->max_threads < threads)
        threads = facts->max_threads;
    if (registers) {
        unsigned warps = limits->registers_per_sm / PARTITIONS / (registers * WARP) * PARTITIONS;

        threads = warps * WARP < threads ? warps * WARP : threads;
    }
    return threads;
}

unsigned launch_largest_cluster(const struct sim_limits *limits, const struct entry *entry)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    unsigned most = entry->non_portable_cluster ? CLUSTER_NON_PORTABLE : CLUSTER_PORTABLE;

    if (facts->largest_cluster && facts->largest_cluster < most)
        most = facts->largest_cluster;
    return most < limits->cluster_size ? most : limits->cluster_size;
}

static unsigned product(const unsigned size[3])
{
    return size[0] * size[1] * size[2];
}

static bool shape_fits(const struct sim_limits *limits, const unsigned grid[3], const unsigned block[3])
{
    uint64_t threads = (uint64_t)block[0] * block[1];

    if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2])
        return false;
    if (grid[0] > INT32_MAX || grid[1] > GRID_Y || grid[2] > GRID_Y)
        return false;
    return block[0] <= limits->threads_per_block && block[1] <= limits->threads_per_block && block[2] <= BLOCK_Z &&
           threads * block[2] <= limits->threads_per_block;
}

static cudaError_t check_block(const struct sim_limits *limits, const struct kernel_work *work,
                               const struct sim_kernel_facts *facts)
{
    unsigned threads = product(work->block);

    for (int i = 0; i < 3; i++)
        if (facts->required_threads[0] && facts->required_threads[i] != work->block[i])
            return cudaErrorInvalidValue;
    if (facts->max_threads && threads > facts->max_threads)
        return cudaErrorInvalidValue;
    return threads > launch_threads(limits, facts) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

static cudaError_t check_cluster(const struct sim_limits *limits, const struct entry *entry,
                                 const struct kernel_work *work)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    uint64_t blocks = (uint64_t)work->cluster[0] * work->cluster[1] * work->cluster[2];

    if (blocks < 1 || blocks > launch_largest_cluster(limits, entry))
        return cudaErrorInvalidClusterSize;
    for (int i = 0; i < 3; i++) {
        if (work->grid[i] % work->cluster[i] != 0)
            return cudaErrorInvalidClusterSize;
        if (facts->required_cluster[0] && facts->required_cluster[i] != work->cluster[i])
            return cudaErrorInvalidClusterSize;
    }
    return cudaSuccess;
}

/* Blocks of the launch that are on the device together. */
static uint64_t blocks_at_once(const struct sim *sim, const struct kernel_work *work)
{
    enum sim_limiter limiter;
    uint64_t most = sim_occupancy(sim, work->entry->kernel, product(work->block), work->dynamic_shared, &limiter);

    return most * sim_limits(sim)->multiprocessors;
}

/* All blocks of a cooperative launch must be there together. */
static cudaError_t check_cooperative(const struct sim *sim, const struct kernel_work *work)
{
    uint64_t blocks = (uint64_t)work->grid[0] * work->grid[1] * work->grid[2];

    return blocks <= blocks_at_once(sim, work) ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

static cudaError_t check(struct runtime *runtime, const struct kernel_work *work, size_t dynamic_shared)
{
    const struct sim_limits *limits = sim_limits(runtime->sim);
    const struct sim_kernel_facts *facts = sim_kernel_facts(work->entry->kernel);
    cudaError_t error;

    /* Before CUDA 13 the code of the first was cudaErrorInvalidConfiguration. */
    if (!shape_fits(limits, work->grid, work->block))
        return cudaErrorInvalidValue;
    if (dynamic_shared > facts->max_dynamic_shared ||
        dynamic_shared + facts->static_shared > limits->shared_per_block_optin)
        return work->cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue; /* as an H200 */
    error = check_block(limits, work, facts);
    if (error == cudaSuccess)
        error = check_cluster(limits, work->entry, work);
    if (error == cudaSuccess && work->cooperative)
        error = check_cooperative(runtime->sim, work);
    return error;
}

/* Appends the line of the host's code that launches the kernel. */
static void add_place(struct runtime *runtime, struct sim_fault *fault)
{
    const struct thread_state *thread = runtime_thread(runtime);
    const size_t used = strlen(fault->text);

    if (thread && thread->launched_from)
        host_call_place(thread->launched_from, NULL, fault->text + used, sizeof fault->text - used);
    else
        host_add_place(fault->text, sizeof fault->text);
}

/* What the launch does not keep to, beside the kernel's threads and bytes. */
static void say_limit(struct runtime *runtime, const struct kernel_work *work, size_t dynamic_shared, cudaError_t error,
                      char *text, size_t room)
{
    const struct sim_limits *limits = sim_limits(runtime->sim);
    const struct sim_kernel_facts *facts = sim_kernel_facts(work->entry->kernel);
    const unsigned *cluster = work->cluster;

    if (dynamic_shared > facts->max_dynamic_shared &&
        dynamic_shared + facts->static_shared <= limits->shared_per_block_optin)
        snprintf(text, room, "; cudaFuncSetAttribute() with cudaFuncAttributeMaxDynamicSharedMemorySize raises "
                 "the latter to up to %u", limits->shared_per_block_optin - facts->static_shared);
    if (work->grid[1] > GRID_Y || work->grid[2] > GRID_Y)
        snprintf(text, room, "; a grid has at most %d blocks in y and in z", GRID_Y);
    if (work->block[2] > BLOCK_Z)
        snprintf(text, room, "; a block has at most %d threads in z", BLOCK_Z);
    for (int side = 0; side < 3; side++)
        if (work->grid[side] == 0 || work->block[side] == 0)
            snprintf(text, room, "; no side of a grid or block may be 0");
    if (error == cudaErrorInvalidClusterSize)
        snprintf(text, room, "; clusters of %u x %u x %u blocks: they have at most %u blocks and divide the grid",
                 cluster[0], cluster[1], cluster[2],
                 launch_largest_cluster(sim_limits(runtime->sim), work->entry));
    if (error == cudaErrorCooperativeLaunchTooLarge)
        snprintf(text, room, "; a cooperative launch needs all its blocks on the device at once, and %" PRIu64 " fit",
                 blocks_at_once(runtime->sim, work));
}

/* Reports why a kernel does not run. A program that ignores the error would go on with memory that it never wrote. */
static void tell_refused(struct runtime *runtime, const struct kernel_work *work, size_t dynamic_shared,
                         cudaError_t error)
{
    const struct sim_limits *limits = sim_limits(runtime->sim);
    const struct sim_kernel_facts *facts = sim_kernel_facts(work->entry->kernel);
    struct sim_fault fault = { .kind = FAULT_REFUSED, .count = 1 };
    char most[160] = "";

    runtime->told_of_call = true;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", sim_kernel_title(work->entry->kernel));
    say_limit(runtime, work, dynamic_shared, error, most, sizeof most);
    snprintf(fault.text, sizeof fault.text,
             "the launch returned %s and the kernel did not run: a grid of %u x %u x %u blocks of %u x %u x %u threads"
             " with %zu bytes of dynamic shared memory; it takes at most %u threads a block and %u bytes%s",
             error_name(error), work->grid[0], work->grid[1], work->grid[2], work->block[0], work->block[1],
             work->block[2], dynamic_shared, launch_threads(limits, facts), facts->max_dynamic_shared, most);
    add_place(runtime, &fault);
    sim_report_fault(runtime->sim, &fault);
}

/*
 * Refuses a kernel that a driver could not compile, or one with an unsupported feature, even if the program ignores the
 * error. ptxas has seen the size of shared memory only if the program has machine code.
 */
static cudaError_t check_supported(struct runtime *runtime, const struct entry *entry)
{
    const unsigned most = sim_limits(runtime->sim)->shared_per_block;
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    struct sim_fault fault = { .kind = FAULT_REFUSED, .count = 1 };
    unsigned line;
    const char *why = sim_kernel_refusal(entry->kernel, &line);

    if (!why && facts->static_shared <= most)
        return cudaSuccess;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", sim_kernel_title(entry->kernel));
    if (why)
        snprintf(fault.text, sizeof fault.text, "the launch returned %s and the kernel did not run: %s: PTX line %u: "
                 "%s", error_name(cudaErrorInvalidPtx), entry->binary->name, line, why);
    else
        snprintf(fault.text, sizeof fault.text, "the launch returned %s and the kernel did not run: its __shared__ "
                 "arrays take %u bytes, and ptxas accepts %u: use dynamic shared memory, extern __shared__",
                 error_name(cudaErrorInvalidPtx), facts->static_shared, most);
    runtime->told_of_call = true;
    add_place(runtime, &fault);
    sim_report_fault(runtime->sim, &fault);
    return cudaErrorInvalidPtx;
}

cudaError_t launch_outside_graphs(struct runtime *runtime, const struct kernel_work *work)
{
    struct sim_fault fault = { .kind = FAULT_REFUSED, .count = 1 };

    if (!sim_kernel_facts(work->entry->kernel)->launches_graphs)
        return cudaSuccess;
    runtime->told_of_call = true;
    snprintf(fault.kernel, sizeof fault.kernel, "%s", sim_kernel_title(work->entry->kernel));
    snprintf(fault.text, sizeof fault.text, "the launch returned %s and the kernel did not run: it launches graphs, "
             "which only kernels in graphs can", error_name(cudaErrorNotSupported));
    host_add_place(fault.text, sizeof fault.text);
    sim_report_fault(runtime->sim, &fault);
    return cudaErrorNotSupported;
}

/* ------------------------------------------------------------------ preparation */

/* The cluster that the kernel was compiled for or set to, unless the launch names one. */
static void default_cluster(const struct entry *entry, struct kernel_work *work)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);

    for (int i = 0; i < 3; i++) {
        work->cluster[i] = facts->required_cluster[i] ? facts->required_cluster[i] : 1;
        if (entry->cluster[0] > 0)
            work->cluster[i] = entry->cluster[i] > 0 ? (unsigned)entry->cluster[i] : 1;
    }
}

/* With __block_size__ a launch gives the number of clusters. What it says about blocks does not count. */
static void count_clusters(const struct entry *entry, struct kernel_work *work)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);

    for (int i = 0; i < 3 && facts->counts_clusters; i++) {
        uint64_t blocks = (uint64_t)work->grid[i] * facts->required_cluster[i];

        work->grid[i] = blocks > UINT32_MAX ? UINT32_MAX : (unsigned)blocks; /* which no grid may have */
        work->block[i] = facts->required_threads[i];
    }
}

/* Attributes that change the speed or the order of launches have no effect here. False: there is no such attribute. */
static bool apply_attributes(const cudaLaunchAttribute *attributes, unsigned count, struct kernel_work *work)
{
    for (unsigned i = 0; i < count; i++) {
        const cudaLaunchAttributeValue *value = &attributes[i].val;

        if (attributes[i].id == cudaLaunchAttributeClusterDimension) {
            work->cluster[0] = value->clusterDim.x;
            work->cluster[1] = value->clusterDim.y;
            work->cluster[2] = value->clusterDim.z;
        } else if (attributes[i].id == cudaLaunchAttributeCooperative) {
            work->cooperative = value->cooperative != 0;
        } else if (attributes[i].id == cudaLaunchAttributePriority) {
            work->priority = priority_within(value->priority);
            work->priority_given = true;
        } else if (attributes[i].id == cudaLaunchAttributeProgrammaticStreamSerialization) {
            work->programmatic = value->programmaticStreamSerializationAllowed != 0;
        } else if ((unsigned)attributes[i].id > (unsigned)ATTRIBUTE_LAST) {
            return false;
        }
    }
    return true;
}

static cudaError_t pack(struct kernel_work *work, void **arguments, void **extra)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(work->entry->kernel);
    const void *buffer = NULL;
    size_t buffer_size = 0;

    work->parameter_bytes = facts->parameter_bytes;
    if (facts->parameter_bytes == 0)
        return cudaSuccess;
    for (; !arguments && extra && *extra != EXTRA_END; extra += 2) {
        if (extra[0] == EXTRA_BUFFER)
            buffer = extra[1];
        else if (extra[0] == EXTRA_SIZE)
            buffer_size = *(const size_t *)extra[1];
    }
    if (!arguments && !buffer)
        return cudaErrorInvalidValue;
    if (!arguments && buffer_size > facts->parameter_bytes)
        return cudaErrorLaunchOutOfResources; /* as on an H200; what a shorter buffer lacks is zero */
    work->parameters = calloc(1, facts->parameter_bytes);
    if (!work->parameters)
        return cudaErrorMemoryAllocation;
    if (!arguments) {
        memcpy(work->parameters, buffer, buffer_size);
        return cudaSuccess;
    }
    for (unsigned i = 0; i < facts->parameter_count; i++) {
        unsigned offset, size;

        if (sim_kernel_parameter(work->entry->kernel, i, &offset, &size) && size > 0)
            memcpy(work->parameters + offset, arguments[i], size);
    }
    return cudaSuccess;
}

cudaError_t launch_prepare(struct runtime *runtime, const void *function, const struct configuration *configuration,
                           void **arguments, void **extra, const cudaLaunchAttribute *attributes,
                           unsigned attribute_count, bool cooperative, struct kernel_work *work)
{
    const dim3 *grid = &configuration->grid, *block = &configuration->block;
    cudaError_t error;

    *work = (struct kernel_work){ .grid = { grid->x, grid->y, grid->z },
                                  .block = { block->x, block->y, block->z },
                                  .dynamic_shared = (unsigned)configuration->dynamic_shared,
                                  .cooperative = cooperative };
    error = module_entry(runtime, function, &work->entry);
    if (error == cudaSuccess)
        error = check_supported(runtime, work->entry);
    if (error != cudaSuccess)
        return error;
    count_clusters(work->entry, work);
    default_cluster(work->entry, work);
    if (!apply_attributes(attributes, attribute_count, work))
        return cudaErrorInvalidValue;
    error = check(runtime, work, configuration->dynamic_shared);
    if (error != cudaSuccess)
        tell_refused(runtime, work, configuration->dynamic_shared, error);
    return error == cudaSuccess ? pack(work, arguments, extra) : error;
}

/* ------------------------------------------------------------------ the run */

static cudaError_t error_of_fault(enum sim_fault_kind kind)
{
    switch (kind) {
    case FAULT_OUT_OF_BOUNDS:
    case FAULT_ILLEGAL_ADDRESS:
    case FAULT_USE_AFTER_FREE:
    case FAULT_WRITE_TO_READ_ONLY:
    case FAULT_STACK_OVERFLOW: /* the stack's guard is an address like any other */
        return cudaErrorIllegalAddress;
    case FAULT_MISALIGNED:
        return cudaErrorMisalignedAddress;
    case FAULT_INVALID_CALL:
        return cudaErrorInvalidPc;
    case FAULT_ASSERT:
        return cudaErrorAssert;
    case FAULT_DEADLOCK: /* a device would hang until its watchdog, if it has one, ends the kernel */
    case FAULT_DIVERGENT_BARRIER:
    case FAULT_MISMATCHED_BARRIER:
        return cudaErrorLaunchTimeout;
    default:
        return cudaErrorLaunchFailure;
    }
}

/* The launch does not return a fault. The calls after it do. */
cudaError_t launch_run(struct call *call, const struct kernel_work *work, cudaStream_t stream)
{
    struct runtime *runtime = call->runtime;
    struct entry *entry = NULL;
    cudaError_t error = module_entry(runtime, work->entry, &entry); /* a graph's may have been unloaded by a reset */
    struct sim_launch launch = { .dynamic_shared = work->dynamic_shared,
                                 .cooperative = work->cooperative,
                                 .parameters = work->parameters,
                                 .traffic = order_traffic(runtime),
                                 .meanwhile = runner_meanwhile,
                                 .context = call,
                                 .stream = (uint64_t)(uintptr_t)stream };
    struct sim_fault fault = { 0 };

    if (error != cudaSuccess)
        return error;
    launch.kernel = entry->kernel;
    device_graph_current(runtime, &launch);
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = work->grid[i];
        launch.block[i] = work->block[i];
        launch.cluster[i] = work->cluster[i];
    }
    runtime->recent[runtime->recent_count++ % RECENT_LAUNCHES] = (struct recent_launch){
        (uint64_t)work->block[0] * work->block[1] * work->block[2],
        (uint64_t)work->block[0] * work->block[1] * work->block[2] * work->grid[0] * work->grid[1] * work->grid[2],
        {(uint64_t)work->block[0] * work->grid[0], (uint64_t)work->block[1] * work->grid[1]}};
    if (!(runtime->features ? rows_run(runtime, &launch, &fault) : sim_run(runtime->sim, &launch, &fault)))
        runtime->sticky = error_of_fault(fault.kind);
    return cudaSuccess;
}
