/*
 * suite.h - what the files of cases here share: the list of cases, checked calls and small kernels.
 *
 * A case is a function without arguments. A right case calls expect() on its results.
 */
#ifndef STREAMS_SUITE_H
#define STREAMS_SUITE_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define COUNT 1000 /* ints of most buffers: no multiple of a page, nor of a block */
#define BYTES (COUNT * sizeof(int))
#define BLOCKS ((COUNT + 127) / 128)
#define CHECK(call) suite_check(call, #call, __LINE__)

static int suite_failed;

static inline void suite_check(cudaError_t code, const char *what, int line)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(code));
    exit(1);
}

#define EXPECT(good)                                                                                                   \
    do {                                                                                                               \
        if (!(good)) {                                                                                                 \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #good);                                           \
            suite_failed = 1;                                                                                          \
        }                                                                                                              \
    } while (0)

/* Whether all COUNT ints are `value`. */
static inline bool all_are(const int *values, int value)
{
    for (int i = 0; i < COUNT; i++)
        if (values[i] != value)
            return false;
    return true;
}

static __global__ void fill(int *values, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] = value;
}

static __global__ void add(int *values, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        values[i] += by;
}

/* out = in + by */
static __global__ void add_to(int *out, const int *in, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + by;
}

template <typename T> static T *device_new(size_t count)
{
    T *pointer;

    CHECK(cudaMalloc(&pointer, count * sizeof *pointer));
    return pointer;
}

template <typename T> static T *locked_new(size_t count)
{
    T *pointer;

    CHECK(cudaMallocHost(&pointer, count * sizeof *pointer));
    memset(pointer, 0, count * sizeof *pointer);
    return pointer;
}

template <typename T> static T *managed_new(size_t count)
{
    T *pointer;

    CHECK(cudaMallocManaged(&pointer, count * sizeof *pointer));
    memset(pointer, 0, count * sizeof *pointer);
    return pointer;
}

/* Two streams that nothing orders but the case itself. */
struct streams {
    cudaStream_t a, b;

    explicit streams(unsigned flags = cudaStreamNonBlocking)
    {
        CHECK(cudaStreamCreateWithFlags(&a, flags));
        CHECK(cudaStreamCreateWithFlags(&b, flags));
    }
    ~streams()
    {
        CHECK(cudaStreamDestroy(a));
        CHECK(cudaStreamDestroy(b));
    }
};

/* Launches one block of 128 threads that may begin before the kernel ahead of it is over. */
template <typename... P, typename... A> static void programmatic(cudaStream_t stream, void (*kernel)(P...), A... given)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t how = {};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = dim3(1);
    how.blockDim = dim3(128);
    how.stream = stream;
    how.attrs = &attribute;
    how.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&how, kernel, given...));
}

struct suite_case {
    const char *name;
    void (*run)(void);
};

#define CASE(name) { #name, name }

static inline int suite_main(const struct suite_case *cases, size_t count, int argc, char **argv)
{
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0, known = argc < 2 || list;

    for (size_t n = 0; n < count; n++) {
        if (list) {
            printf("%s\n", cases[n].name);
        } else if (argc < 2 || strcmp(argv[1], cases[n].name) == 0) {
            cases[n].run();
            known = true;
        }
    }
    if (!known) {
        fprintf(stderr, "no case '%s'\n", argv[1]);
        return 2;
    }
    if (!list)
        printf("%s\n", suite_failed ? "FAILED" : "PASSED");
    return suite_failed;
}

#endif
