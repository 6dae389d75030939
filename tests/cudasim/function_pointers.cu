/*
 * function_pointers.cu - indirect calls: tables of device functions, pointers fetched by the CPU and passed back,
 * virtual functions of objects made on the device, different targets in the threads of a warp, and a switch that
 * becomes a branch through a table.
 */
#include "check.h"

typedef int (*operation)(int, int);

__device__ int add(int a, int b)
{
    return a + b;
}

__device__ int subtract(int a, int b)
{
    return a - b;
}

__device__ int multiply(int a, int b)
{
    return a * b;
}

__device__ __noinline__ int power(int a, int b)
{
    int result = 1;

    for (int i = 0; i < (b & 7); i++)
        result *= a;
    return result;
}

/* Calls warp functions: only the threads that called it take part. */
__device__ int count_callers(int a, int b)
{
    return a / 32 == b / 32 ? __popc(__activemask()) > 0 : 0;
}

__device__ operation table[] = {add, subtract, multiply, power, count_callers};
__constant__ operation constant_table[] = {subtract, power};
__device__ operation chosen = multiply;

static int on_host(int which, int a, int b)
{
    unsigned result = 1;

    if (which == 0)
        return a + b;
    if (which == 1)
        return a - b;
    if (which == 2)
        return (int)((unsigned)a * (unsigned)b);
    if (which == 4)
        return 1;
    for (int i = 0; i < (b & 7); i++)
        result *= (unsigned)a;
    return (int)result;
}

/* out: 3 numbers a thread */
__global__ void by_table(int *out, operation given)
{
    int i = threadIdx.x;

    out[i * 3] = table[i % 5](i, i % 5 == 4 ? i : i % 9);
    out[i * 3 + 1] = constant_table[i / 16 % 2](i, 3);
    out[i * 3 + 2] = given(i, 11);
}

static void test_tables(void)
{
    std::vector<int> want;
    int *out = device_zeros<int>(70 * 3);
    operation given;

    CUDA_CHECK(cudaMemcpyFromSymbol(&given, chosen, sizeof given));
    for (int i = 0; i < 70; i++) {
        want.push_back(on_host(i % 5, i, i % 9));
        want.push_back(i / 16 % 2 ? on_host(3, i, 3) : i - 3);
        want.push_back(i * 11);
    }
    by_table<<<1, 70>>>(out, given);
    CHECK_KERNEL();
    expect_device("tables", want, out);
    device_free(out);
}

/* --- virtual functions --- */

class shape {
public:
    __device__ shape(int id) : id(id) {}
    __device__ virtual ~shape() { atomicAdd(destroyed, 1); }
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const { return 0; }

    int id;
    int *destroyed;
};

class square : public shape {
public:
    __device__ square(int id, int side) : shape(id), side(side) {}
    __device__ int area() const override { return side * side; }
    __device__ int corners() const override { return 4; }

private:
    int side;
};

class rectangle : public square {
public:
    __device__ rectangle(int id, int width, int height) : square(id, width), width(width), height(height) {}
    __device__ int area() const override { return width * height; }

private:
    int width, height;
};

class disc : public shape {
public:
    __device__ disc(int id, int radius) : shape(id), radius(radius) {}
    __device__ int area() const override { return 3 * radius * radius; }

private:
    int radius;
};

__global__ void make_shapes(shape **shapes, int *destroyed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    if (i % 3 == 0)
        shapes[i] = new square(i, i + 1);
    else if (i % 3 == 1)
        shapes[i] = new rectangle(i, i, 2);
    else
        shapes[i] = new disc(i, i);
    shapes[i]->destroyed = destroyed;
}

__global__ void use_shapes(shape **shapes, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = shapes[i]->area() * 10 + shapes[i]->corners();
}

__global__ void delete_shapes(shape **shapes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        delete shapes[i];
}

static void test_virtual(void)
{
    enum { N = 100 };
    shape **shapes = device_zeros<shape *>(N);
    int *out = device_zeros<int>(N);
    int *destroyed = device_zeros<int>(1);
    std::vector<int> want(N);

    for (int i = 0; i < N; i++)
        want[i] = i % 3 == 0 ? (i + 1) * (i + 1) * 10 + 4 : i % 3 == 1 ? i * 20 + 4 : 30 * i * i;
    make_shapes<<<2, 64>>>(shapes, destroyed, N);
    CHECK_KERNEL();
    use_shapes<<<4, 32>>>(shapes, out, N);
    CHECK_KERNEL();
    expect_device("virtual", want, out);
    delete_shapes<<<2, 64>>>(shapes, N);
    CHECK_KERNEL();
    expect_device("destructors", std::vector<int>{N}, destroyed);
    device_free(shapes);
    device_free(out);
    device_free(destroyed);
}

/* --- switch --- */

__host__ __device__ static inline unsigned dispatch(unsigned code, unsigned x)
{
    switch (code) {
    case 0:
        return x + 17;
    case 1:
        return x * x;
    case 2:
        return x ^ 0x5a5a;
    case 3:
        return x / 7;
    case 4:
        return x << 3;
    case 5:
        return ~x;
    case 6:
        return x % 10;
    case 7:
        return x * 3 + 1;
    case 9:
        return x >> 2;
    case 10:
        return x - 100;
    case 11:
        return x | 0xf0;
    default:
        return 0xdead;
    }
}

/* A machine whose instructions are read from memory: every thread has its own program. */
__global__ void interpret(const unsigned char *codes, unsigned *out, int length)
{
    int i = threadIdx.x;
    unsigned x = i;

    for (int at = 0; at < length; at++) {
        switch (codes[i * length + at]) {
        case 0:
            x += 17;
            break;
        case 1:
            x *= x + 1;
            break;
        case 2:
            x ^= 0x5a5a;
            /* fall through */
        case 3:
            x /= 7;
            break;
        case 4:
            x = x << 3 | x >> 29;
            break;
        case 5:
            x = ~x;
            break;
        case 6:
            for (int k = 0; k < (x & 3); k++)
                x += k * 1234567;
            break;
        case 7:
            x = dispatch(x % 13, x);
            break;
        default:
            at = length;
            break;
        }
    }
    out[i] = x;
}

static unsigned interpret_on_host(const unsigned char *codes, unsigned x, int length)
{
    for (int at = 0; at < length; at++) {
        unsigned code = codes[at];

        if (code == 0)
            x += 17;
        else if (code == 1)
            x *= x + 1;
        else if (code == 2)
            x = (x ^ 0x5a5a) / 7;
        else if (code == 3)
            x /= 7;
        else if (code == 4)
            x = x << 3 | x >> 29;
        else if (code == 5)
            x = ~x;
        else if (code == 6)
            for (unsigned k = 0; k < (x & 3); k++)
                x += k * 1234567;
        else if (code == 7)
            x = dispatch(x % 13, x);
        else
            break;
    }
    return x;
}

/* The same by brx.idx, in case the compiler chose otherwise. */
__global__ void branch_by_index(const unsigned *codes, int *out)
{
    int result;

    asm volatile("{\n"
                 "  targets: .branchtargets first, second, third, fourth;\n"
                 "  brx.idx %1, targets;\n"
                 "first:\n"
                 "  mov.s32 %0, 100;\n"
                 "  bra.uni done;\n"
                 "second:\n"
                 "  mov.s32 %0, 200;\n"
                 "  bra.uni done;\n"
                 "third:\n"
                 "  mov.s32 %0, 300;\n"
                 "fourth:\n"
                 "  mov.s32 %0, 400;\n"
                 "done:\n"
                 "}"
                 : "=r"(result)
                 : "r"(codes[threadIdx.x]));
    out[threadIdx.x] = result;
}

static void test_switch(void)
{
    enum { THREADS = 64, LENGTH = 40 };
    struct rng rng = {9};
    std::vector<unsigned char> codes(THREADS * LENGTH);
    std::vector<unsigned> want(THREADS), index(THREADS);
    std::vector<int> want_index(THREADS);

    for (unsigned char &code : codes)
        code = rng_below(&rng, 100) < 2 ? 8 : rng_below(&rng, 8);
    for (int i = 0; i < THREADS; i++) {
        want[i] = interpret_on_host(&codes[i * LENGTH], i, LENGTH);
        index[i] = rng_below(&rng, 4);
        want_index[i] = index[i] < 2 ? 100 * (index[i] + 1) : 400;
    }
    unsigned char *device_codes = device_copy(codes);
    unsigned *out = device_zeros<unsigned>(THREADS);
    unsigned *device_index = device_copy(index);
    int *out_index = device_zeros<int>(THREADS);

    interpret<<<1, THREADS>>>(device_codes, out, LENGTH);
    CHECK_KERNEL();
    expect_device("switch", want, out);
    branch_by_index<<<1, THREADS>>>(device_index, out_index);
    CHECK_KERNEL();
    expect_device("brx.idx", want_index, out_index);
    device_free(device_codes);
    device_free(out);
    device_free(device_index);
    device_free(out_index);
}

int main(void)
{
    test_tables();
    test_virtual();
    test_switch();
    return passed();
}
