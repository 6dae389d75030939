/*
 * runtime_launch.c - kernels and host functions are launched: the configurations that <<<>>> pushes, the checks that a
 * launch must pass, and the packing of its arguments.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/features/feature.h"

enum {
    BLOCK_Z = 64,               /* threads */
    GRID_Y = 65535,             /* blocks, and so in z */
    CLUSTER_PORTABLE = 8,       /* blocks */
    CLUSTER_NON_PORTABLE = 16,
};

/* cuLaunchKernel's names in `extra`, which graphs of kernels may use. */
#define EXTRA_END ((void *)0)
#define EXTRA_BUFFER ((void *)1)
#define EXTRA_SIZE ((void *)2)

/* ------------------------------------------------------------------ checks */

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
    return threads > function_threads(limits, facts) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

static cudaError_t check_cluster(const struct sim_limits *limits, const struct entry *entry,
                                 const struct kernel_work *work)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    uint64_t blocks = (uint64_t)work->cluster[0] * work->cluster[1] * work->cluster[2];
    unsigned most = entry->non_portable_cluster ? CLUSTER_NON_PORTABLE : CLUSTER_PORTABLE;

    if (most > limits->cluster_size)
        most = limits->cluster_size;
    if (blocks < 1 || blocks > most)
        return cudaErrorInvalidClusterSize;
    for (int i = 0; i < 3; i++) {
        if (work->grid[i] % work->cluster[i] != 0)
            return cudaErrorInvalidClusterSize;
        if (facts->required_cluster[0] && facts->required_cluster[i] != work->cluster[i])
            return cudaErrorInvalidClusterSize;
    }
    return cudaSuccess;
}

/* All blocks of a cooperative launch must be on the device together. */
static cudaError_t check_cooperative(const struct sim *sim, const struct kernel_work *work)
{
    enum sim_limiter limiter;
    uint64_t most = sim_occupancy(sim, work->entry->kernel, product(work->block), work->dynamic_shared, &limiter);
    uint64_t blocks = (uint64_t)work->grid[0] * work->grid[1] * work->grid[2];

    return blocks <= most * sim_limits(sim)->multiprocessors ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
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
        return cudaErrorInvalidValue;
    error = check_block(limits, work, facts);
    if (error == cudaSuccess)
        error = check_cluster(limits, work->entry, work);
    if (error == cudaSuccess && work->cooperative)
        error = check_cooperative(runtime->sim, work);
    return error;
}

/* Says why a kernel does not run: a program that does not ask for the error would go on with what it never wrote. */
static void tell_refused(struct runtime *runtime, const struct kernel_work *work, size_t dynamic_shared,
                         cudaError_t error)
{
    const struct sim_limits *limits = sim_limits(runtime->sim);
    const struct sim_kernel_facts *facts = sim_kernel_facts(work->entry->kernel);
    struct sim_fault fault = { .kind = FAULT_REFUSED, .count = 1 };

    snprintf(fault.kernel, sizeof fault.kernel, "%s", sim_kernel_title(work->entry->kernel));
    snprintf(fault.text, sizeof fault.text,
             "the launch returned %s and the kernel did not run: a grid of %u x %u x %u blocks of %u x %u x %u threads"
             " with %zu bytes of dynamic shared memory; it takes at most %u threads a block and %u bytes, and no 0",
             cudaGetErrorName(error), work->grid[0], work->grid[1], work->grid[2], work->block[0], work->block[1],
             work->block[2], dynamic_shared, function_threads(limits, facts), facts->max_dynamic_shared);
    sim_report_fault(runtime->sim, &fault);
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

/* Those that say how fast, or in which order, a launch may run need nothing here. */
static void apply_attributes(const cudaLaunchAttribute *attributes, unsigned count, struct kernel_work *work)
{
    for (unsigned i = 0; i < count; i++) {
        const cudaLaunchAttributeValue *value = &attributes[i].val;

        if (attributes[i].id == cudaLaunchAttributeClusterDimension) {
            work->cluster[0] = value->clusterDim.x;
            work->cluster[1] = value->clusterDim.y;
            work->cluster[2] = value->clusterDim.z;
        } else if (attributes[i].id == cudaLaunchAttributeCooperative) {
            work->cooperative = value->cooperative != 0;
        }
    }
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
    if (!arguments && (!buffer || buffer_size > facts->parameter_bytes))
        return cudaErrorInvalidValue;
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
    if (error != cudaSuccess)
        return error;
    default_cluster(work->entry, work);
    apply_attributes(attributes, attribute_count, work);
    error = check(runtime, work, configuration->dynamic_shared);
    if (error != cudaSuccess)
        tell_refused(runtime, work, configuration->dynamic_shared, error);
    return error == cudaSuccess ? pack(work, arguments, extra) : error;
}

/*
 * Other block sizes of a kernel's first launch, before it runs. Not where blocks wait for each other, which other
 * blocks may do for ever, and not where its own counts hold for this launch alone.
 */
static size_t try_blocks(struct runtime *runtime, const struct sim_launch *launch, const struct features_code *code,
                         struct features_row *tries)
{
    size_t count = 0;

    if (code->regular && !code->waits && !launch->cooperative &&
        !features_tune(runtime->tries, runtime->sim, launch, tries, &count))
        runtime_complain("%s: its block size is not tuned: there is more than 1 GiB of memory to keep",
                         sim_kernel_title(launch->kernel));
    return count;
}

/* A launch that faulted has no line. */
static bool run_with_features(struct runtime *runtime, const struct sim_launch *launch, struct sim_fault *fault)
{
    struct features_code *code = (struct features_code *)(uintptr_t)features_of_kernel(launch->kernel);
    bool tuned = runtime->tries && code && !code->tuned;
    struct features_row row, tries[FEATURES_TRIES];
    size_t count = tuned ? try_blocks(runtime, launch, code, tries) : 0;

    if (tuned)
        code->tuned = true;
    if (!features_run(runtime->features, runtime->sim, launch, &row, fault))
        return false;
    features_write_row(runtime->features_out, &row);
    if (tuned)
        features_write_row(runtime->tries_out, &row);
    for (size_t n = 0; n < count; n++)
        features_write_row(runtime->tries_out, &tries[n]);
    return true;
}

/* A fault is not the launch's: the calls after it return it. */
cudaError_t launch_run(struct runtime *runtime, const struct kernel_work *work, cudaStream_t stream)
{
    struct entry *entry = NULL;
    cudaError_t error = module_entry(runtime, work->entry, &entry); /* a graph's may have been unloaded by a reset */
    struct sim_launch launch = { .dynamic_shared = work->dynamic_shared,
                                 .cooperative = work->cooperative,
                                 .parameters = work->parameters,
                                 .stream = (uint64_t)(uintptr_t)stream };
    struct sim_fault fault = { 0 };

    if (error != cudaSuccess)
        return error;
    launch.kernel = entry->kernel;
    for (int i = 0; i < 3; i++) {
        launch.grid[i] = work->grid[i];
        launch.block[i] = work->block[i];
        launch.cluster[i] = work->cluster[i];
    }
    if (!(runtime->features ? run_with_features(runtime, &launch, &fault) : sim_run(runtime->sim, &launch, &fault)))
        runtime->sticky = error_of_fault(fault.kind);
    return cudaSuccess;
}

/* ------------------------------------------------------------------ calls */

static cudaError_t launch(struct call *call, const char *name, const void *function,
                          const struct configuration *configuration, void **arguments,
                          const cudaLaunchAttribute *attributes, unsigned attribute_count, bool cooperative)
{
    struct work work = { .kind = WORK_KERNEL, .call = name };
    cudaError_t error = launch_prepare(call->runtime, function, configuration, arguments, NULL, attributes,
                                       attribute_count, cooperative, &work.kernel);

    if (error == cudaSuccess)
        error = work_submit(call, &work, configuration->stream);
    work_release(&work);
    return error;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                             cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = launch(&call, __func__, function, &configuration, arguments, NULL, 0, false);
    return call_end(&call);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t dynamic_shared, cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = launch(&call, __func__, function, &configuration, arguments, NULL, 0, true);
    return call_end(&call);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        if (!config || (config->numAttrs && !config->attrs)) {
            call.error = cudaErrorInvalidValue;
        } else {
            struct configuration configuration = { config->gridDim, config->blockDim, config->dynamicSmemBytes,
                                                   config->stream };

            call.error = launch(&call, __func__, function, &configuration, arguments, config->attrs, config->numAttrs,
                                false);
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ <<<>>>, called by what nvcc generates */

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               cudaStream_t stream);

/* Anything but 0 makes the program skip the launch; its arguments are evaluated in between, and may launch as well. */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared, struct CUstream_st *stream)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;

    if (!thread)
        return (unsigned)cudaErrorCudartUnloading;
    if (thread->depth == CALL_DEPTH) {
        thread->last = cudaErrorMemoryAllocation;
        return (unsigned)thread->last;
    }
    thread->configurations[thread->depth++] = (struct configuration){ grid, block, dynamic_shared, stream };
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_shared, void *stream)
{
    struct runtime *runtime = runtime_get();
    struct thread_state *thread = runtime ? runtime_thread(runtime) : NULL;
    const struct configuration *top;

    if (!thread)
        return cudaErrorCudartUnloading;
    if (thread->depth == 0)
        return thread->last = cudaErrorMissingConfiguration;
    top = &thread->configurations[--thread->depth];
    *grid = top->grid;
    *block = top->block;
    *dynamic_shared = top->dynamic_shared;
    *(cudaStream_t *)stream = top->stream;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t dynamic_shared,
                               cudaStream_t stream)
{
    struct configuration configuration = { grid, block, dynamic_shared, stream };
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = launch(&call, "<<<>>>", kernel, &configuration, arguments, NULL, 0, false);
    return call_end(&call);
}

/* ------------------------------------------------------------------ host functions */

static cudaError_t submit_host(struct call *call, cudaStream_t stream, const struct host_work *host, const char *name)
{
    struct work work = { .kind = WORK_HOST, .call = name, .host = *host };

    return host->function || host->callback ? work_submit(call, &work, stream) : cudaErrorInvalidValue;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE))
        call.error = submit_host(&call, stream, &(struct host_work){ .function = function, .data = data }, __func__);
    return call_end(&call);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags)
{
    struct call call;

    if (call_begin(&call, CALL_DEVICE)) {
        struct host_work host = { .callback = callback, .data = data };

        call.error = flags ? cudaErrorInvalidValue : submit_host(&call, stream, &host, __func__);
    }
    return call_end(&call);
}
