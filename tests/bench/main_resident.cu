/*
 * main_resident.cu - what CUPTI says of a submission to softmax: bench_resident REPEATS ROWS COLUMNS NAME=FILE.so...
 *
 * After device_user_setup(), if it has one, calls each FILE.so's device_user() REPEATS times on a matrix of float32, as
 * the judge does: before every call another process empties the L2 cache by kernels of its own, this one's context
 * comes back, and a copy engine brings the input.
 * Prints one line per call: NAME, "cupti" and the nanoseconds from its first kernel's start to its last one's end; and,
 * of as many calls more without CUPTI, NAME, "host" and the nanoseconds from the call to the end of the wait for it.
 */
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#include "verify/base/clock.h"

enum { FAILED = 3, NAMES = 64, KERNELS_MOST = 1 << 16, BUFFER = 8 << 20, ALIGN = 8, FLUSHED = 128 << 20, WARM = 5 };

typedef void submission(const void *, void *, int, int, int, cudaStream_t);

struct kernel { uint64_t start, end; };

static struct kernel kernels[KERNELS_MOST];
static size_t kernel_count;
static int to_other[2], from_other[2];

static void die(const char *what)
{
    fprintf(stderr, "bench_resident: %s: %s\n", what, cudaGetErrorString(cudaPeekAtLastError()));
    exit(FAILED);
}

/* The other process: empties the cache on request. */
static void flush_for_ever(void)
{
    static char *flushed;
    char byte;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (cudaMalloc((void **)&flushed, FLUSHED) != cudaSuccess)
        _exit(FAILED);
    while (read(to_other[0], &byte, 1) == 1)
        if (cudaMemset(flushed, 0x5a, FLUSHED) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
            write(from_other[1], &byte, 1) != 1)
            _exit(FAILED);
    _exit(0);
}

static void flush(void)
{
    char byte = 1;

    if (write(to_other[1], &byte, 1) != 1 || read(from_other[0], &byte, 1) != 1)
        die("the other process has ended");
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = BUFFER;
    *records = 0;
    *buffer = (uint8_t *)aligned_alloc(ALIGN, BUFFER);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;

    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && kernel_count < KERNELS_MOST) {
            const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *)record;

            kernels[kernel_count++] = { kernel->start, kernel->end };
        }
    free(buffer);
    (void)context;
    (void)stream;
    (void)size;
}

static int by_start(const void *a, const void *b)
{
    const struct kernel *x = (const struct kernel *)a, *y = (const struct kernel *)b;

    return (x->start > y->start) - (x->start < y->start);
}

/* The matrix, and where it goes. */
static struct {
    int rows, columns;
    size_t size; /* bytes */
    float *host, *input, *output;
    int *word;
    cudaStream_t stream, copies;
} matrix;

static void make_matrix(int rows, int columns)
{
    const size_t count = (size_t)rows * columns;

    matrix.rows = rows;
    matrix.columns = columns;
    matrix.size = count * sizeof(float);
    if (cudaHostAlloc((void **)&matrix.host, matrix.size, cudaHostAllocDefault) != cudaSuccess ||
        cudaMalloc((void **)&matrix.input, matrix.size) != cudaSuccess ||
        cudaMalloc((void **)&matrix.output, matrix.size) != cudaSuccess ||
        cudaMalloc((void **)&matrix.word, sizeof *matrix.word) != cudaSuccess ||
        cudaStreamCreate(&matrix.stream) != cudaSuccess ||
        cudaStreamCreateWithFlags(&matrix.copies, cudaStreamNonBlocking) != cudaSuccess)
        die("memory");
    for (size_t i = 0; i < count; i++)
        matrix.host[i] = (float)(i * 2654435761u % 4096) / 1024 - 2;
}

/* Nanoseconds of the CPU's clock. */
static int64_t call(submission *device_user)
{
    int64_t start, end;

    flush();
    if (cudaMemset(matrix.word, 0, sizeof *matrix.word) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess ||
        cudaMemcpyAsync(matrix.input, matrix.host, matrix.size, cudaMemcpyHostToDevice, matrix.copies) != cudaSuccess ||
        cudaStreamSynchronize(matrix.copies) != cudaSuccess)
        die("before a call");
    start = clock_ns();
    device_user(matrix.input, matrix.output, matrix.rows, matrix.columns, 0, matrix.stream);
    if (cudaDeviceSynchronize() != cudaSuccess)
        die("a call");
    end = clock_ns();
    return end - start;
}

static void measure_host(const char *name, submission *device_user, int repeats)
{
    for (int i = -WARM; i < repeats; i++) {
        const int64_t taken = call(device_user);

        if (i >= 0)
            printf("%s\thost\t%lld\n", name, (long long)taken);
    }
}

static void measure_kernels(const char *name, submission *device_user, int repeats)
{
    const size_t calls = (size_t)repeats + WARM;
    size_t each;

    kernel_count = 0;
    for (size_t i = 0; i < calls; i++)
        call(device_user);
    if (cuptiActivityFlushAll(1) != CUPTI_SUCCESS)
        die("cuptiActivityFlushAll");
    each = kernel_count / calls;
    if (each == 0 || kernel_count % calls != 0)
        die("CUPTI has not seen as many kernels in every call");
    qsort(kernels, kernel_count, sizeof *kernels, by_start);
    for (size_t i = WARM; i < calls; i++) {
        uint64_t end = 0;

        for (size_t k = i * each; k < (i + 1) * each; k++)
            end = kernels[k].end > end ? kernels[k].end : end;
        printf("%s\tcupti\t%llu\n", name, (unsigned long long)(end - kernels[i * each].start));
    }
}

int main(int argc, char **argv)
{
    submission *functions[NAMES];
    const int repeats = argc > 4 ? atoi(argv[1]) : 0;

    if (argc <= 4 || argc - 4 > NAMES || repeats < 1 || atoi(argv[2]) < 1 || atoi(argv[3]) < 1) {
        fprintf(stderr, "usage: bench_resident REPEATS ROWS COLUMNS NAME=FILE.so..., up to %d of them\n", NAMES);
        return 2;
    }
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* as the box sets them */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
    if (pipe2(to_other, O_CLOEXEC) != 0 || pipe2(from_other, O_CLOEXEC) != 0)
        die("pipe2");
    switch (fork()) {
    case -1: die("fork"); break;
    case 0: flush_for_ever(); break;
    default: break;
    }
    make_matrix(atoi(argv[2]), atoi(argv[3]));
    for (int i = 4; i < argc; i++) {
        char *file = strchr(argv[i], '=');
        void *library = file ? dlopen(file + 1, RTLD_NOW | RTLD_LOCAL) : NULL, *symbol;

        symbol = library ? dlsym(library, "device_user") : NULL;
        if (!symbol)
            die(argv[i]);
        *file = '\0';
        memcpy(&functions[i - 4], &symbol, sizeof symbol);
        symbol = dlsym(library, "device_user_setup");
        if (symbol) {
            void (*setup)(void);

            memcpy(&setup, &symbol, sizeof symbol);
            setup();
        }
        measure_host(argv[i], functions[i - 4], repeats);
    }
    if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS)
        die("CUPTI cannot be used");
    for (int i = 4; i < argc; i++)
        measure_kernels(argv[i], functions[i - 4], repeats);
    return 0;
}
