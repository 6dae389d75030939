/*
 * clinic_host.cu - defects in programs of the host, drawn by lot from a table of mechanisms. Each case is wrong; with
 * -DRIGHT it is right.
 *
 * The marks are those of kernels.cu.
 */
#include <cub/device/device_reduce.cuh>

#include "suite.h"

__global__ void fill(int *data, int value)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void twice(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = 2 * in[i]; // HERE swapped_by_default
}

// Takes a while and adds one.
__global__ void slow_add(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    __nanosleep(1000);
    data[i] += 1; // HERE other_stream_awaited freed_on_other_stream
}

// The host awaits another stream than the one that uses its managed memory.
// expect: host-race|host-access
static void other_stream_awaited(void)
{
    stream s, t;
    int *data;

    CHECK(cudaMallocManaged(&data, 1024, cudaMemAttachHost));
    memset(data, 0, 1024);
    CHECK(cudaStreamAttachMemAsync(s, data, 0, cudaMemAttachSingle));
    CHECK(cudaStreamSynchronize(s));
    slow_add<<<1, 256, 0, s>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(right ? s : t));
    int first = *(volatile int *)data; // HERE other_stream_awaited
    EXPECT(first == 1 || !right);
    FINISH();
    CHECK(cudaFree(data));
}

// Destination and source are exchanged. cudaMemcpyDefault accepts both.
// expect: uninitialised
static void swapped_by_default(void)
{
    int *h = static_cast<int *>(calloc(256, sizeof(int))), *in;
    device<int> out(256);

    CHECK(cudaMalloc(&in, 1024));
    if (right)
        CHECK(cudaMemcpy(in, h, 1024, cudaMemcpyDefault));
    else
        CHECK(cudaMemcpy(h, in, 1024, cudaMemcpyDefault)); // HERE swapped_by_default
    twice<<<1, 256>>>(in, out);
    FINISH();
    CHECK(cudaFree(in));
    free(h);
}

// A function of one stream prepares what another stream copies.
static void CUDART_CB prepare(void *data)
{
    for (int k = 0; k < 256; k++)
        static_cast<int *>(data)[k] = k; // HERE prepared_in_other_stream
}

// expect: host-race|stream-race
static void prepared_in_other_stream(void)
{
    stream s, t;
    event ready;
    device<int> data(256);
    int *h;

    CHECK(cudaMallocHost(&h, 1024));
    memset(h, 0, 1024);
    CHECK(cudaLaunchHostFunc(s, prepare, h)); // HERE prepared_in_other_stream
    if (right) {
        CHECK(cudaEventRecord(ready, s));
        CHECK(cudaStreamWaitEvent(t, ready, 0));
    }
    CHECK(cudaMemcpyAsync(data, h, 1024, cudaMemcpyHostToDevice, t)); // HERE prepared_in_other_stream
    FINISH();
    CHECK(cudaFreeHost(h));
}

// A texture reads memory that is freed.
__global__ void look_up(cudaTextureObject_t table, const int *places, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(table, places[threadIdx.x]); // HERE table_freed
}

// expect: use-after-free|illegal-address
static void table_freed(void)
{
    device<int> places(64);
    device<float> out(64);
    float *table;
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};

    CHECK(cudaMalloc(&table, 1024));
    CHECK(cudaMemset(table, 0, 1024));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = table;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 1024;
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    if (!right)
        CHECK(cudaFree(table)); // HERE table_freed
    look_up<<<1, 64>>>(texture, places, out);
    FINISH();
    CHECK(cudaDestroyTextureObject(texture));
    if (right)
        CHECK(cudaFree(table));
}

// One image is read through a texture and written through a surface, by one kernel.
__global__ void spread(cudaTextureObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    float sum = tex2D<float>(from, x - 1, y) + tex2D<float>(from, x + 1, y); // HERE image_read_and_written

    surf2Dwrite(sum / 2, to, x * 4, y); // HERE image_read_and_written
}

// The array of an image of zeros.
static cudaArray_t image(int width, int height)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float *zeros = static_cast<float *>(calloc(width * height, sizeof(float)));
    cudaArray_t array;

    CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, zeros, width * 4, width * 4, height, cudaMemcpyHostToDevice));
    free(zeros);
    return array;
}

// expect: global-race|shared-race|stream-race
static void image_read_and_written(void)
{
    cudaArray_t a = image(32, 4), b = image(32, 4);
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    if (right)
        resource.res.array.array = b;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    spread<<<1, dim3(32, 4)>>>(texture, surface);
    FINISH();
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
}

// A function object has a reference to a variable of the host.
struct times_reference {
    const float &factor;
    __device__ float operator()(float v) const { return v * factor; } // HERE reference_to_host
};

struct times_value {
    float factor;
    __device__ float operator()(float v) const { return v * factor; }
};

template <typename F> __global__ void apply(F f, float *data)
{
    data[threadIdx.x] = f(data[threadIdx.x]);
}

// expect: host-access|illegal-address|out-of-bounds
static void reference_to_host(void)
{
    device<float> data(64);
    float factor = 3;

    if (right)
        apply<<<1, 64>>>(times_value{factor}, data);
    else
        apply<<<1, 64>>>(times_reference{factor}, data);
    FINISH();
}

// A surface counts columns in bytes.
__global__ void draw(cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;

    surf2Dwrite(1.0f * x, to, right ? x * 4 : x, y); // HERE columns_in_elements
}

// expect: misaligned|out-of-bounds|trap|illegal-address
static void columns_in_elements(void)
{
    cudaArray_t a = image(32, 4);
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    draw<<<1, dim3(32, 4)>>>(surface);
    FINISH();
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(a));
}

// The symbol is a pointer. The copy is of the pointer and what follows it, not of the list.
__device__ int *list_of_device;

// expect: unchecked-error|refused|out-of-bounds
static void list_behind_symbol(void)
{
    device<int> list(64);
    int h[64], *at = list;

    CHECK(cudaMemcpyToSymbol(list_of_device, &at, sizeof(at)));
    if (right) {
        CHECK(cudaMemcpyFromSymbol(&at, list_of_device, sizeof(at)));
        CHECK(cudaMemcpy(h, at, sizeof(h), cudaMemcpyDeviceToHost));
    } else {
        cudaMemcpyFromSymbol(h, list_of_device, sizeof(h)); // HERE list_behind_symbol
    }
}

// A class that frees its memory goes to a kernel by value. The copy frees it after the launch.
struct buffer {
    int *at;
    bool owns;

    explicit buffer(size_t count) : at(device_copy<int>(nullptr, count)), owns(true) {}
    buffer(const buffer &other) : at(other.at), owns(!right) {}
    ~buffer()
    {
        if (owns)
            cudaFree(at); // HERE freed_by_copy
    }
};

__global__ void set_buffer(buffer data, int value)
{
    data.at[threadIdx.x] = value; // HERE freed_by_copy
}

// expect: use-after-free|invalid-free|unchecked-error
static void freed_by_copy(void)
{
    buffer data(64);

    set_buffer<<<1, 64>>>(data, 1);
    set_buffer<<<1, 64>>>(data, 2);
    FINISH();
}

// A launch without its stream, while a stream that waits for the default stream is captured.
// expect: unchecked-error|refused|invalid-call
static void captured_beside(void)
{
    device<int> data(256);
    stream s(cudaStreamDefault);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;

    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fill<<<1, 256, 0, s>>>(data, 1);
    slow_add<<<1, 256, 0, right ? s.at : nullptr>>>(data); // HERE captured_beside
    cudaStreamEndCapture(s, &graph);                       // HERE captured_beside
    if (graph) {
        CHECK(cudaGraphInstantiate(&run, graph, 0));
        CHECK(cudaGraphLaunch(run, s));
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaGraphExecDestroy(run));
        CHECK(cudaGraphDestroy(graph));
    }
    cudaDeviceSynchronize();
}

// Memory of a pool that was destroyed before.
// expect: unchecked-error|refused|use-after-free|invalid-call
static void pool_is_gone(void)
{
    stream s;
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    void *data = nullptr;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    if (!right)
        CHECK(cudaMemPoolDestroy(pool));
    cudaMallocFromPoolAsync(&data, 1024, pool, s); // HERE pool_is_gone
    if (data) {
        fill<<<1, 256, 0, s>>>(static_cast<int *>(data), 1);
        CHECK(cudaFreeAsync(data, s));
    }
    CHECK(cudaStreamSynchronize(s));
    if (right)
        CHECK(cudaMemPoolDestroy(pool));
}

// One stream frees what another stream still uses.
// expect: use-after-free|stream-race
static void freed_on_other_stream(void)
{
    stream s, t;
    event made, used;
    int *data;

    CHECK(cudaMallocAsync(&data, 1024, s));
    CHECK(cudaMemsetAsync(data, 0, 1024, s));
    CHECK(cudaEventRecord(made, s));
    CHECK(cudaStreamWaitEvent(t, made, 0));
    slow_add<<<1, 256, 0, t>>>(data);
    CHECK(cudaGetLastError());
    if (right) {
        CHECK(cudaEventRecord(used, t));
        CHECK(cudaStreamWaitEvent(s, used, 0));
    }
    CHECK(cudaFreeAsync(data, s)); // HERE freed_on_other_stream
    FINISH();
}

// The pitch is in bytes. The kernel takes it for elements.
__global__ void clear_rows(float *data, size_t pitch, int width, int height)
{
    size_t stride = right ? pitch / sizeof(float) : pitch;

    for (int y = 0; y < height; y++)
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            data[y * stride + x] = 0; // HERE pitch_in_elements
}

// expect: out-of-bounds|illegal-address
static void pitch_in_elements(void)
{
    float *data;
    size_t pitch;

    CHECK(cudaMallocPitch(&data, &pitch, 100 * sizeof(float), 40));
    clear_rows<<<1, 64>>>(data, pitch, 100, 40);
    FINISH();
    CHECK(cudaFree(data));
}

// More shared memory is allowed for one instance of a template. Another one is launched.
template <typename T> __global__ void reverse(T *data)
{
    extern __shared__ char memory[];
    T *copy = reinterpret_cast<T *>(memory);
    int n = 12000;

    for (int k = threadIdx.x; k < n; k += blockDim.x)
        copy[k] = data[k];
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        data[k] = copy[n - 1 - k];
}

// expect: unchecked-error|refused
static void other_instance_allowed(void)
{
    device<double> data(12000);
    int size = 12000 * sizeof(double);

    if (right)
        CHECK(cudaFuncSetAttribute(reverse<double>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    else
        CHECK(cudaFuncSetAttribute(reverse<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    reverse<double><<<1, 256, size>>>(data); // HERE other_instance_allowed
    CHECK(cudaDeviceSynchronize());
}

// The size of the temporary memory is asked for again, but the memory is that of the smaller input.
// expect: out-of-bounds|illegal-address
static void memory_of_smaller(void)
{
    int n = 1 << 17;
    device<int> in(n), out(1);
    size_t size = 0;
    void *memory;

    CHECK(cub::DeviceReduce::Sum(nullptr, size, in.at, out.at, right ? n : 1000));
    CHECK(cudaMalloc(&memory, size));
    CHECK(cub::DeviceReduce::Sum(nullptr, size, in.at, out.at, n));
    CHECK(cub::DeviceReduce::Sum(memory, size, in.at, out.at, n));
    FINISH();
    CHECK(cudaFree(memory));
}

static const suite_case cases[] = {
    {"other_stream_awaited", other_stream_awaited},
    {"swapped_by_default", swapped_by_default},
    {"prepared_in_other_stream", prepared_in_other_stream},
    {"table_freed", table_freed},
    {"image_read_and_written", image_read_and_written},
    {"reference_to_host", reference_to_host},
    {"columns_in_elements", columns_in_elements},
    {"list_behind_symbol", list_behind_symbol},
    {"freed_by_copy", freed_by_copy},
    {"captured_beside", captured_beside},
    {"pool_is_gone", pool_is_gone},
    {"freed_on_other_stream", freed_on_other_stream},
    {"pitch_in_elements", pitch_in_elements},
    {"other_instance_allowed", other_instance_allowed},
    {"memory_of_smaller", memory_of_smaller},
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, cases);
}
