// flags: -lcuda
/*
 * link_logs.cu - what the driver's linker writes to the program's logs. Also what the driver answers about many
 * attributes of an address at once, and the timer.
 */
#include <chrono>

#include <cuda.h>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)
#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* A link with logs that have garbage in them before. */
struct link {
    char said[500], wrong[500];
    CUjit_option options[5];
    void *values[5];
    CUlinkState state;

    link()
        : options{CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME},
          values{said, (void *)sizeof said, wrong, (void *)sizeof wrong, nullptr}
    {
        memset(said, 'x', sizeof said - 1);
        memset(wrong, 'x', sizeof wrong - 1);
        said[sizeof said - 1] = wrong[sizeof wrong - 1] = '\0';
        CU(cuLinkCreate(5, options, values, &state));
    }
    ~link() { CU(cuLinkDestroy(state)); }
    CUresult add(const char *text)
    {
        return cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)text, strlen(text) + 1, "text.ptx", 0, nullptr, nullptr);
    }
};

static const char caller[] = HEAD ".extern .func (.param .b32 r) helper();\n"
                                  ".visible .entry go(.param .u64 p) {\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n"
                                  "{ .param .b32 r; call (r), helper; ld.param.b32 %r1, [r]; }\n"
                                  "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
                                  "st.global.u32 [%rd2], %r1;\nret;\n}\n";
static const char helper[] = HEAD ".visible .func (.param .b32 r) helper() { .reg .b32 %a; mov.u32 %a, 77; "
                                  "st.param.b32 [r], %a; ret; }\n";

static void right_link(void)
{
    struct link both;
    int *d = device_zeros<int>(1);
    void *image, *arguments[] = {&d};
    size_t size;
    CUmodule module;
    CUfunction go;

    CU(both.add(caller));
    CU(both.add(helper));
    CU(cuLinkComplete(both.state, &image, &size));
    EXPECT(strlen(both.said) < 400 && both.wrong[0] == '\0' && both.values[3] == nullptr);
    CU(cuModuleLoadData(&module, image));
    CU(cuModuleGetFunction(&go, module, "go"));
    CU(cuLaunchKernel(go, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CU(cuCtxSynchronize());
    expect_device("linked", std::vector<int>{77}, d);
    CU(cuModuleUnload(module));
    device_free(d);
}

static void wrong_links(void)
{
    void *image;
    size_t size;
    {
        struct link alone;

        CU(alone.add(caller));
        EXPECT(cuLinkComplete(alone.state, &image, &size) == CUDA_ERROR_INVALID_SOURCE); /* as on an H200 */
        EXPECT(strstr(alone.wrong, "helper") && !strchr(alone.wrong, 'x'));
        EXPECT((size_t)alone.values[3] > 0 && (size_t)alone.values[3] < sizeof alone.wrong);
    }
    struct link broken;

    EXPECT(broken.add(HEAD ".visible .entry go() { add.u32 %r1, %r2; ret; }\n") == CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(broken.wrong, "line 4"));
}

/* Of an address that CUDA does not know every answer is zero, and the call succeeds. */
static void attributes_of_anything(void)
{
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                   CU_POINTER_ATTRIBUTE_CONTEXT};
    unsigned type = 9, managed = 9;
    size_t size = 9;
    CUdeviceptr at = 9;
    CUcontext context = (CUcontext)9;
    void *values[] = {&type, &managed, &size, &at, &context};
    int local, *d = device_zeros<int>(25);

    CU(cuPointerGetAttributes(5, asked, values, (CUdeviceptr)&local));
    EXPECT(type == 0 && managed == 0 && size == 0 && at == 0 && context == nullptr);
    EXPECT(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)&local) ==
           CUDA_ERROR_INVALID_VALUE);
    CU(cuPointerGetAttributes(5, asked, values, (CUdeviceptr)(d + 3)));
    EXPECT(type == CU_MEMORYTYPE_DEVICE && managed == 0 && size == 100 && at == (CUdeviceptr)(d + 3) && context);
    device_free(d);
}

static __global__ void look_at_timer(unsigned long long *out)
{
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*out));
}

/* The timer counts from 1970, as the system's clock does. An hour is enough for any difference between the two. */
static void timer(void)
{
    unsigned long long *d = device_zeros<unsigned long long>(1);
    double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();

    look_at_timer<<<1, 1>>>(d);
    CHECK_KERNEL();
    EXPECT(fabs(host_copy(d, 1)[0] * 1e-9 - now) < 3600);
    device_free(d);
}

int main(void)
{
    CUDA_CHECK(cudaFree(nullptr));
    right_link();
    wrong_links();
    attributes_of_anything();
    timer();
    return passed();
}
