// flags: -lcuda
/*
 * queries.cu - cudaStreamQuery and cudaEventQuery while a kernel, a host function or a word waits for the thread that
 * asks; while a kernel runs for a while; and while nothing does. A kernel and a host function that wait for each other.
 */
#include <cuda.h>

#include <atomic>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)

static std::atomic<int> gate;

static __global__ void wait_for(const volatile int *flag, int *out)
{
    while (!*flag)
        ;
    *out = 1;
}

static __global__ void take_time(long long cycles)
{
    long long begin = clock64();

    while (clock64() - begin < cycles)
        ;
}

/* Answers each number of `asked`. */
static __global__ void answer(const volatile int *asked, volatile int *answered, int count)
{
    for (int i = 1; i <= count; i++) {
        while (*asked < i)
            ;
        *answered = i;
        __threadfence_system();
    }
}

static __global__ void add(int *sum)
{
    ++*sum;
}

static void hold(void *)
{
    while (!gate)
        ;
}

static void ask(void *data)
{
    volatile int *words = (volatile int *)data;

    for (int i = 1; i <= 20; i++) {
        words[0] = i;
        while (words[1] < i)
            ;
    }
}

/* The work is not over, and the query says so as often as it is asked. */
static void expect_pending(cudaStream_t stream)
{
    for (int i = 0; i < 3; i++)
        EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
}

static void test_kernel(cudaStream_t stream, volatile int *flag, int *out)
{
    cudaEvent_t event;
    int asked = 0;

    CUDA_CHECK(cudaEventCreate(&event));
    wait_for<<<1, 1, 0, stream>>>(flag, out);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(event, stream));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        if (++asked == 5)
            *flag = 1;
    (void)cudaGetLastError();
    EXPECT(asked >= 5);
    CUDA_CHECK(cudaStreamQuery(stream));
    CUDA_CHECK(cudaEventDestroy(event));
}

static void test_function(cudaStream_t stream, cudaStream_t other, int *sum)
{
    CUDA_CHECK(cudaLaunchHostFunc(stream, hold, nullptr));
    add<<<1, 1, 0, stream>>>(sum);
    CUDA_CHECK_LAUNCH();
    expect_pending(stream);
    CUDA_CHECK(cudaStreamQuery(other));
    gate = 1;
    CUDA_CHECK(cudaStreamSynchronize(stream));
}

static void test_word(cudaStream_t stream, cudaStream_t other, volatile int *word, int *sum)
{
    CUdeviceptr address = (CUdeviceptr)word;

    CU(cuStreamWaitValue32(stream, address, 7, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 1, 0, stream>>>(sum);
    CUDA_CHECK_LAUNCH();
    expect_pending(stream);
    *word = 7;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CU(cuStreamWaitValue32(stream, address, 9, CU_STREAM_WAIT_VALUE_EQ));
    CU(cuStreamWriteValue32(other, address, 9, 0)); /* nothing waits for this stream */
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    (void)cudaGetLastError();
}

/* A kernel that runs for a while is not over just behind its launch. */
static void test_time(cudaStream_t stream)
{
    take_time<<<1, 1, 0, stream>>>(50000000);
    CUDA_CHECK_LAUNCH();
    EXPECT_ERROR(cudaErrorNotReady, cudaStreamQuery(stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        ;
    (void)cudaGetLastError();
    CUDA_CHECK(cudaStreamQuery(stream));
}

/* The host waits for the kernel's stream, and the function is in the other one. */
static void test_beside(cudaStream_t stream, cudaStream_t other, int *words)
{
    answer<<<1, 1, 0, stream>>>(words, words + 1, 20);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaLaunchHostFunc(other, ask, words));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamSynchronize(other));
    EXPECT(words[1] == 20);
}

static void test_graph(cudaStream_t stream, int *sum)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 20; i++) {
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            ;
    }
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

int main(void)
{
    cudaStream_t stream, other;
    int *flags, *out = device_zeros<int>(2);
    std::vector<int> got;

    CUDA_CHECK(cudaHostAlloc((void **)&flags, 4 * sizeof *flags, cudaHostAllocMapped));
    memset(flags, 0, 4 * sizeof *flags);
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    add<<<1, 1, 0, stream>>>(out + 1); /* a first launch waits for all streams: it loads the code */
    take_time<<<1, 1, 0, stream>>>(1);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    test_kernel(stream, flags, out);
    test_function(stream, other, out + 1);
    test_word(stream, other, flags + 1, out + 1);
    test_time(stream);
    test_beside(stream, other, flags + 2);
    test_graph(stream, out + 1);
    got = host_copy(out, 2);
    EXPECT(got[0] == 1 && got[1] == 23);
    CUDA_CHECK(cudaFreeHost(flags));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaStreamDestroy(other));
    device_free(out);
    return passed();
}
