// flags: -lcuda
/*
 * answers.cu - what the runtime and the driver answer to wrong, odd and usual arguments, one call per line.
 *
 *     answers         all lines of both lists, each in a process of its own: JOBS at a time (default: 2)
 *     answers LIST    the lines of one list: first, second, third
 *     answers LIST N  line N of it
 *
 * A line prints its call and the answer. It knows nothing of the simulator: docs/results/answers-h200.txt is what an
 * H200 answered, and compare.sh runs it here.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void k(int *p)
{
    if (p)
        *p = 1;
}

__global__ void __launch_bounds__(128) few(int *p)
{
    if (p)
        *p = 1;
}

__global__ void heap(int *out)
{
    int *p = (int *)malloc(16);

    *p = 3;
    *out = *p;
    free(p);
}

__device__ int var[4];
__constant__ int con[4];
__device__ __managed__ int man[4];

#define PTX ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 vis; "
static const char small_ptx[] = PTX ".global .u32 hid; .visible .entry f(.param .u32 a) { ret; }\n";
static const char ptx[] = PTX ".visible .entry f(.param .u32 a) { ret; } .visible .entry h() { ret; }";

static void CUDART_CB hf(void *) {}
static void CUDART_CB cb(cudaStream_t, cudaError_t, void *) {}

/* What the lines use: memory of each kind (4096 bytes), arrays of shorts, a graph with one kernel. */
struct things {
    int *d, *h, *m;         /* of the device, page-locked, managed */
    char *pg;               /* pageable, 8192 bytes */
    void *p2;               /* 10 rows of 100 bytes, `pitch` apart */
    size_t pitch;
    cudaStream_t s;
    cudaEvent_t e, e2, en;  /* en has no times */
    cudaArray_t a1, a2, a3; /* of 16, 16 x 8 and 16 x 8 x 4 shorts */
    cudaMemPool_t pool;     /* the default one */
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphExec_t x;
    int stack[64];
    CUcontext c;
    CUmodule mod;
};

static void make(things &t)
{
    cudaChannelFormatDesc shorts = cudaCreateChannelDesc<short>();
    static int *argument;
    static void *arguments[] = {&argument};
    cudaKernelNodeParams kernel = {};

    cudaMalloc(&t.d, 4096);
    cudaHostAlloc(&t.h, 4096, cudaHostAllocMapped);
    cudaMallocManaged(&t.m, 4096);
    t.pg = (char *)malloc(8192);
    cudaMallocPitch(&t.p2, &t.pitch, 100, 10);
    cudaStreamCreate(&t.s);
    cudaEventCreate(&t.e);
    cudaEventCreate(&t.e2);
    cudaEventCreateWithFlags(&t.en, cudaEventDisableTiming);
    cudaMallocArray(&t.a1, &shorts, 16, 0);
    cudaMallocArray(&t.a2, &shorts, 16, 8);
    cudaMalloc3DArray(&t.a3, &shorts, make_cudaExtent(16, 8, 4));
    cudaDeviceGetDefaultMemPool(&t.pool, 0);
    cudaGraphCreate(&t.g, 0);
    argument = t.d;
    kernel.func = (void *)k;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&t.n, t.g, nullptr, 0, &kernel);
    cudaGraphInstantiate(&t.x, t.g, 0);
    cuCtxGetCurrent(&t.c);
    cudaDeviceSynchronize();
    cudaGetLastError();
}

static int line, only = -1; /* lines so far, and which one to run; -1: none, they are counted */
static const char *note;    /* of the next line: how its arguments differ from those of the line before */

static void say(const char *call, const char *answer)
{
    printf("%s%s%s%s -> %s\n", call, note ? " [" : "", note ? note : "", note ? "]" : "", answer);
}

static void end()
{
    fflush(stdout);
    _exit(0);
}

static const char *name_of(CUresult result)
{
    const char *name = "?";

    cuGetErrorName(result, &name);
    return name;
}

#define NOTE(text) note = (text)

/* A call of the runtime. What comes to light later is printed, too. */
#define A(...) \
    do { \
        if (only == line++) { \
            cudaError_t now = (__VA_ARGS__), later; \
            say(#__VA_ARGS__, cudaGetErrorName(now)); \
            later = cudaDeviceSynchronize(); \
            if (later != now && later) \
                printf("   then %s\n", cudaGetErrorName(later)); \
            end(); \
        } \
        note = nullptr; \
    } while (0)

/* A call of the driver. */
#define D(...) \
    do { \
        if (only == line++) { \
            say(#__VA_ARGS__, name_of(__VA_ARGS__)); \
            end(); \
        } \
        note = nullptr; \
    } while (0)

/* A call and the value that it gives: `first` comes before. */
#define V(first, call, value) \
    do { \
        if (only == line++) { \
            first; \
            int code = (int)(call); \
            printf("%s -> %d, %s = %lld\n", #call, code, #value, (long long)(value)); \
            end(); \
        } \
    } while (0)

static void first(things &t)
{
#include "first.inc"
}

static void second(things &t)
{
#include "second.inc"
}

static void third(things &t)
{
#include "third.inc"
}

struct list {
    const char *name;
    void (*lines)(things &);
};

static const list lists[] = {{"first", first}, {"second", second}, {"third", third}};

static int count(const list &list, things &none)
{
    line = 0;
    only = -1;
    list.lines(none);
    return line;
}

/* Runs line `n` in a fresh process, because a call may end it. What it said goes to `out`. */
static void run(const char *self, const char *name, int n, FILE *out)
{
    char command[600], text[600];
    FILE *process;
    int status;

    snprintf(command, sizeof command, "exec timeout -s KILL 60 '%s' %s %d 2> /dev/null", self, name, n);
    process = popen(command, "r");
    if (!process)
        return;
    while (fgets(text, sizeof text, process))
        fputs(text, out);
    status = pclose(process);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fprintf(out, "   it ended the process\n");
}

/* A share of the lines: every jobs-th one, to a file that the parent puts together. */
static void share(const char *self, const list &list, int lines, int job, int jobs, FILE **files)
{
    for (int n = job; n < lines; n += jobs)
        run(self, list.name, n, files[n]);
}

int main(int count_of_arguments, char **arguments)
{
    static things t;
    const char *jobs_asked = getenv("JOBS");
    int jobs = jobs_asked && atoi(jobs_asked) > 0 ? atoi(jobs_asked) : 2;
    char text[600];

    if (count_of_arguments == 3) {
        for (const list &list : lists)
            if (!strcmp(list.name, arguments[1])) {
                only = atoi(arguments[2]);
                make(t);
                list.lines(t);
            }
        return 2;
    }
    for (const list &list : lists) {
        if (count_of_arguments == 2 && strcmp(list.name, arguments[1]))
            continue;
        int lines = count(list, t);
        FILE **files = (FILE **)calloc(lines, sizeof *files);

        for (int n = 0; n < lines; n++)
            files[n] = tmpfile();
        for (int job = 0; job < jobs; job++)
            if (!fork()) {
                share(arguments[0], list, lines, job, jobs, files);
                for (int n = job; n < lines; n += jobs)
                    fflush(files[n]);
                _exit(0);
            }
        while (wait(nullptr) > 0)
            ;
        for (int n = 0; n < lines; n++) {
            printf("%s %d: ", list.name, n);
            rewind(files[n]);
            while (fgets(text, sizeof text, files[n]))
                fputs(text, stdout);
            fclose(files[n]);
        }
        free(files);
    }
    return 0;
}
