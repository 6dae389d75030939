/*
 * runtime_function.c - the calls about kernels: the resources that they need, their attributes, and occupancy.
 */
#include "runtime.h"

#include <string.h>

enum {
    CAPABILITY = 90,      /* in attributes: major * 10 + minor */
    DYNAMIC_UNIT = 128,   /* bytes in which shared memory is allotted */
    CARVEOUT_MOST = 100,  /* percent */
};

static void describe(const struct runtime *runtime, const struct entry *entry, const struct sim_kernel *kernel,
                     struct cudaFuncAttributes *attributes)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(kernel);

    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = facts->static_shared;
    attributes->constSizeBytes = facts->constant;
    attributes->localSizeBytes = facts->local;
    attributes->maxThreadsPerBlock = (int)launch_threads(sim_limits(runtime->sim), facts);
    attributes->numRegs = (int)facts->registers;
    attributes->ptxVersion = (int)entry->binary->ptx_arch;
    attributes->binaryVersion = CAPABILITY;
    attributes->maxDynamicSharedSizeBytes = (int)facts->max_dynamic_shared;
    attributes->preferredShmemCarveout = entry->carveout;
    attributes->clusterDimMustBeSet = facts->required_cluster[0] != 0;
    attributes->requiredClusterWidth = (int)facts->required_cluster[0];
    attributes->requiredClusterHeight = (int)facts->required_cluster[1];
    attributes->requiredClusterDepth = (int)facts->required_cluster[2];
    if (entry->cluster[0]) {
        attributes->requiredClusterWidth = entry->cluster[0];
        attributes->requiredClusterHeight = entry->cluster[1];
        attributes->requiredClusterDepth = entry->cluster[2];
    }
    attributes->nonPortableClusterSizeAllowed = entry->non_portable_cluster;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = attributes ? module_entry(call.runtime, function, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            describe(call.runtime, entry, entry->kernel, attributes);
    }
    return call_end(&call);
}

static cudaError_t set_dynamic_shared(const struct runtime *runtime, struct entry *entry, int value)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    unsigned most = sim_limits(runtime->sim)->shared_per_block_optin;

    if (value < 0 || facts->static_shared > most || (unsigned)value > most - facts->static_shared)
        return cudaErrorInvalidValue;
    sim_kernel_set_max_dynamic_shared(entry->kernel, (unsigned)value);
    return cudaSuccess;
}

static cudaError_t set_attribute(const struct runtime *runtime, struct entry *entry, enum cudaFuncAttribute attribute,
                                 int value)
{
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared(runtime, entry, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < cudaSharedmemCarveoutDefault || value > CARVEOUT_MOST)
            return cudaErrorInvalidValue;
        entry->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0)
            return cudaErrorInvalidValue;
        entry->cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = value;
        return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        entry->non_portable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return value < cudaClusterSchedulingPolicyDefault || value > cudaClusterSchedulingPolicyLoadBalancing
                   ? cudaErrorInvalidValue
                   : cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = module_entry(call.runtime, function, &entry);
        if (call.error == cudaSuccess)
            call.error = set_attribute(call.runtime, entry, attribute, value);
    }
    return call_end(&call);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = device == 0 ? module_entry(call.runtime, kernel, &entry) : cudaErrorInvalidDevice;
        if (call.error == cudaSuccess)
            call.error = set_attribute(call.runtime, entry, attribute, value);
    }
    return call_end(&call);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = module_entry(call.runtime, function, &entry);
        if (call.error == cudaSuccess && (unsigned)config > (unsigned)cudaFuncCachePreferEqual)
            call.error = cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            entry->cache = config;
    }
    return call_end(&call);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE))
        call.error = (unsigned)config <= (unsigned)cudaSharedMemBankSizeEightByte
                         ? module_entry(call.runtime, function, &entry)
                         : cudaErrorInvalidValue;
    return call_end(&call);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = name ? module_entry(call.runtime, function, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            *name = entry->name;
    }
    return call_end(&call);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size)
{
    struct call call;
    struct entry *entry;
    unsigned at, bytes;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = offset ? module_entry(call.runtime, function, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess && (index >= sim_kernel_facts(entry->kernel)->parameter_count ||
                                          !sim_kernel_parameter(entry->kernel, (unsigned)index, &at, &bytes)))
            call.error = cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            *offset = at;
            if (size)
                *size = bytes;
        }
    }
    return call_end(&call);
}

/* ------------------------------------------------------------------ questions of kernels */

static const struct entry *entry_of(const struct runtime *runtime, const struct sim_kernel *kernel)
{
    for (const struct binary *binary = runtime->binaries; kernel && binary; binary = binary->next)
        for (const struct entry *entry = binary->entries; binary->module && entry; entry = entry->next)
            if (sim_kernel(binary->module, entry->name) == kernel)
                return entry;
    return NULL;
}

enum { DEVICE_RUNTIME_VERSION = 6000 }; /* what cudaRuntimeGetVersion() says in a kernel on an H200, with CUDA 13.0 */

/* The other answers are those of the host's calls. A kernel runs, so nothing that they depend on changes now. */
uint32_t answer_kernel(void *context, const struct sim_question *question, void *answer, unsigned *bytes)
{
    const struct runtime *runtime = context;
    const struct entry *entry = entry_of(runtime, question->kernel);
    enum sim_limiter limiter;
    size_t limit = 0;
    int number = 0;
    uint32_t error = cudaSuccess;

    switch (question->query) {
    case QUERY_FUNCTION:
        if (!entry)
            return cudaErrorInvalidDeviceFunction;
        _Static_assert(sizeof(struct cudaFuncAttributes) <= ANSWER_MOST, "an answer has room for it");
        describe(runtime, entry, question->kernel, answer);
        *bytes = sizeof(struct cudaFuncAttributes);
        return cudaSuccess;
    case QUERY_LIMIT:
        error = limit_get(runtime, (enum cudaLimit)question->what, &limit);
        memcpy(answer, &limit, *bytes = sizeof limit);
        return error;
    case QUERY_OCCUPANCY:
        if (!question->kernel || question->what <= 0)
            return question->kernel ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction;
        if (question->dynamic_shared <= UINT32_MAX)
            number = (int)sim_occupancy(runtime->sim, question->kernel, (unsigned)question->what,
                                        (unsigned)question->dynamic_shared, &limiter);
        break;
    case QUERY_ATTRIBUTE:
        if (!attribute_get(sim_limits(runtime->sim), (enum cudaDeviceAttr)question->what, &number))
            error = cudaErrorInvalidValue;
        break;
    case QUERY_CACHE_CONFIG:
        number = (int)runtime->cache;
        break;
    case QUERY_SHARED_CONFIG:
        number = cudaSharedMemBankSizeFourByte;
        break;
    case QUERY_VERSION:
        number = DEVICE_RUNTIME_VERSION;
        break;
    }
    memcpy(answer, &number, *bytes = sizeof number);
    return error;
}

/* ------------------------------------------------------------------ occupancy */

/*
 * Bytes of shared memory that a multiprocessor has for blocks of `block_bytes` where the program asks for a carveout or
 * for more L1: the least of the sizes that the hardware has, which are those of the programming guide. Without such a
 * wish it is all of it.
 */
static unsigned shared_carved(const struct sim_limits *limits, const struct entry *entry, unsigned block_bytes)
{
    static const unsigned sizes[] = { 8, 16, 32, 64, 100, 132, 164, 196, 228 }; /* KB */
    unsigned most = limits->shared_per_sm, wanted = most;

    if (entry->carveout >= 0)
        wanted = (unsigned)((uint64_t)most * (unsigned)entry->carveout / 100);
    else if (entry->cache == cudaFuncCachePreferL1)
        wanted = 0;
    if (wanted < block_bytes)
        wanted = block_bytes;
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        if (sizes[n] * 1024 >= wanted && sizes[n] * 1024 < most)
            return sizes[n] * 1024;
    return most;
}

/* Blocks on a multiprocessor, by all limits, as an H200 answers. */
static int occupancy(const struct runtime *runtime, const struct entry *entry, unsigned threads, size_t dynamic_shared)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    const struct sim_limits *limits = sim_limits(runtime->sim);
    enum sim_limiter limiter;
    unsigned blocks, bytes;

    if (dynamic_shared > facts->max_dynamic_shared)
        return 0;
    blocks = sim_occupancy(runtime->sim, entry->kernel, threads, (unsigned)dynamic_shared, &limiter);
    bytes = (facts->static_shared + (unsigned)dynamic_shared + limits->shared_reserved + DYNAMIC_UNIT - 1) /
            DYNAMIC_UNIT * DYNAMIC_UNIT;
    if (bytes && shared_carved(limits, entry, bytes) / bytes < blocks)
        blocks = shared_carved(limits, entry, bytes) / bytes;
    return (int)blocks;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t dynamic_shared, unsigned flags)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = blocks && threads > 0 && flags <= cudaOccupancyDisableCachingOverride
                         ? module_entry(call.runtime, function, &entry)
                         : cudaErrorInvalidValue;
        if (call.error == cudaSuccess)
            *blocks = occupancy(call.runtime, entry, (unsigned)threads, dynamic_shared);
    }
    return call_end(&call);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared,
                                                                  cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads)
{
    struct call call;
    struct entry *entry;
    enum sim_limiter limiter;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = bytes && blocks > 0 && threads > 0 ? module_entry(call.runtime, function, &entry)
                                                         : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            const struct sim_limits *limits = sim_limits(call.runtime->sim);
            const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
            /* An H200 does not count what it reserves for each block. */
            unsigned fixed = facts->static_shared;
            unsigned share = limits->shared_per_sm / (unsigned)blocks / DYNAMIC_UNIT * DYNAMIC_UNIT;

            if (share < fixed || sim_occupancy(call.runtime->sim, entry->kernel, (unsigned)threads, 0, &limiter) <
                                     (unsigned)blocks)
                call.error = cudaErrorInvalidValue;
            else
                *bytes = share - fixed < facts->max_dynamic_shared ? share - fixed : facts->max_dynamic_shared;
        }
    }
    return call_end(&call);
}

/* Blocks of the launch that fit on the device together, and blocks a cluster. */
static uint64_t resident_blocks(const struct runtime *runtime, const struct entry *entry,
                                const cudaLaunchConfig_t *config, unsigned *cluster)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(entry->kernel);
    enum sim_limiter limiter;
    unsigned threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;

    *cluster = 1;
    if (facts->required_cluster[0])
        *cluster = facts->required_cluster[0] * facts->required_cluster[1] * facts->required_cluster[2];
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            *cluster = config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                       config->attrs[i].val.clusterDim.z;
    return (uint64_t)sim_occupancy(runtime->sim, entry->kernel, threads, (unsigned)config->dynamicSmemBytes, &limiter) *
           sim_limits(runtime->sim)->multiprocessors;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = clusters && config ? module_entry(call.runtime, function, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            unsigned cluster;
            uint64_t blocks = resident_blocks(call.runtime, entry, config, &cluster);

            if (cluster == 0 || cluster > sim_limits(call.runtime->sim)->cluster_size)
                call.error = cudaErrorInvalidClusterSize;
            else
                *clusters = (int)(blocks / cluster);
        }
    }
    return call_end(&call);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config)
{
    struct call call;
    struct entry *entry;

    if (call_begin(&call, CALL_DEVICE)) {
        call.error = size && config ? module_entry(call.runtime, function, &entry) : cudaErrorInvalidValue;
        if (call.error == cudaSuccess) {
            unsigned cluster, most = launch_largest_cluster(sim_limits(call.runtime->sim), entry);
            uint64_t blocks = resident_blocks(call.runtime, entry, config, &cluster);

            for (*size = 1; (unsigned)*size * 2 <= most && (uint64_t)*size * 2 <= blocks; *size *= 2)
                ;
        }
    }
    return call_end(&call);
}
