/*
 * device_malloc.cu - memory taken from the heap inside of kernels: malloc and free, new and delete, memory that lives
 * from one kernel to the next, lists and trees, and malloc returning null when the heap is full.
 */
#include "check.h"

__global__ void fill_and_free(int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int length = i % 20 + 1;
    int *values = (int *)malloc(length * sizeof(int));

    if (!values) {
        sums[i] = -1;
        return;
    }
    for (int k = 0; k < length; k++)
        values[k] = i + k;
    __syncthreads();
    int sum = 0;

    for (int k = 0; k < length; k++)
        sum += values[k];
    sums[i] = (size_t)values % 16 == 0 ? sum : -2;
    free(values);
    free(nullptr);
}

/* Types that need more than malloc() gives; and the call that new makes for them. */
struct alignas(128) line {
    int words[32];
};

__global__ void aligned(int *misplaced)
{
    int i = threadIdx.x;
    line *one = new line, *more = new line[i % 3 + 1];
    void *raw = __nv_aligned_device_malloc(i + 1, 256);

    one->words[i] = more[i % 3].words[31] = i;
    misplaced[i] = (size_t)one % 128 || (size_t)more % 128 || (size_t)raw % 256 || !raw;
    delete one;
    delete[] more;
    free(raw);
}

/* --- memory that outlives the kernel --- */

__device__ double *kept[64];

__global__ void keep(void)
{
    int i = threadIdx.x;

    kept[i] = new double[i + 1];
    for (int k = 0; k <= i; k++)
        kept[i][k] = i * 0.5 + k;
}

__global__ void use_kept(double *sums)
{
    int owner = 63 - threadIdx.x; /* another thread than the one which allocated it */
    double sum = 0;

    for (int k = 0; k <= owner; k++)
        sum += kept[owner][k];
    sums[owner] = sum;
    delete[] kept[owner];
}

/* --- one allocation per block --- */

__global__ void shared_allocation(int *out)
{
    __shared__ int *buffer;

    if (threadIdx.x == 0)
        buffer = (int *)malloc(blockDim.x * sizeof(int));
    __syncthreads();
    buffer[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        free(buffer);
}

/* --- a list that all threads push to, and one tree per thread --- */

struct node {
    int value;
    node *next, *left, *right;
    __device__ node(int value) : value(value), next(nullptr), left(nullptr), right(nullptr) {}
};

__device__ node *list;

__global__ void push_all(void)
{
    node *mine = new node(blockIdx.x * blockDim.x + threadIdx.x);
    node *head = list;

    for (;;) {
        mine->next = head;
        __threadfence();
        unsigned long long seen =
            atomicCAS((unsigned long long *)&list, (unsigned long long)head, (unsigned long long)mine);

        if (seen == (unsigned long long)head)
            break;
        head = (node *)seen;
    }
}

__global__ void sum_list(int *out)
{
    int count = 0, sum = 0;

    for (node *at = list; at;) {
        node *next = at->next;

        count++;
        sum += at->value;
        delete at;
        at = next;
    }
    out[0] = count;
    out[1] = sum;
}

__global__ void sorted_by_tree(int *out, int length)
{
    node *root = nullptr;
    node *stack[40];
    unsigned x = threadIdx.x * 2654435761u + 1;
    int depth = 0, count = 0;

    for (int i = 0; i < length; i++) {
        node **at = &root;

        x = x * 1664525u + 1013904223u;
        int value = x >> 20;

        while (*at)
            at = value < (*at)->value ? &(*at)->left : &(*at)->right;
        *at = new node(value);
    }
    for (node *at = root; at || depth;) {
        for (; at; at = at->left)
            stack[depth++] = at;
        at = stack[--depth];
        out[threadIdx.x * length + count++] = at->value;
        node *right = at->right;

        delete at;
        at = right;
    }
}

/* --- a full heap --- */

__global__ void exhaust(int *out)
{
    void *blocks[64];
    int count = 0;

    while (count < 64 && (blocks[count] = malloc(1 << 20)))
        count++;
    out[0] = count;
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    void *again = malloc(1 << 20);

    out[1] = again != nullptr;
    free(again);
}

int main(void)
{
    size_t heap = 0;

    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    CUDA_CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    EXPECT(heap >= 8 << 20);

    std::vector<int> want(300);
    int *out = device_zeros<int>(3000);

    for (int i = 0; i < 300; i++)
        for (int k = 0; k < i % 20 + 1; k++)
            want[i] += i + k;
    for (int round = 0; round < 3; round++) {
        fill_and_free<<<3, 100>>>(out);
        CHECK_KERNEL();
        expect_device("malloc", want, out);
    }
    aligned<<<1, 32>>>(out);
    CHECK_KERNEL();
    expect_device("misplaced", std::vector<int>(32), out);

    std::vector<double> want_sums(64);
    double *sums = device_zeros<double>(64);

    for (int i = 0; i < 64; i++)
        for (int k = 0; k <= i; k++)
            want_sums[i] += i * 0.5 + k;
    keep<<<1, 64>>>();
    CHECK_KERNEL();
    use_kept<<<1, 64>>>(sums);
    CHECK_KERNEL();
    expect_device("kept", want_sums, sums);
    device_free(sums);

    for (int i = 0; i < 300; i++)
        want[i] = i / 100 * 1000 + 99 - i % 100;
    shared_allocation<<<3, 100>>>(out);
    CHECK_KERNEL();
    expect_device("shared allocation", want, out);

    push_all<<<5, 40>>>();
    CHECK_KERNEL();
    sum_list<<<1, 1>>>(out);
    CHECK_KERNEL();
    expect_device("list", std::vector<int>{200, 199 * 200 / 2}, out);

    sorted_by_tree<<<1, 32>>>(out, 30);
    CHECK_KERNEL();
    std::vector<int> rows = host_copy(out, 960);

    for (int i = 0; i < 960; i++) {
        EXPECT(rows[i] >= 0 && rows[i] < 4096);
        EXPECT(i % 30 == 0 || rows[i - 1] <= rows[i]);
    }
    exhaust<<<1, 1>>>(out);
    CHECK_KERNEL();
    std::vector<int> counts = host_copy(out, 2);

    EXPECT(counts[0] >= 1 && counts[0] < 64); /* 64 MiB are not there */
    EXPECT(counts[1] == 1);
    device_free(out);
    return passed();
}
