// flags: -lcuda -lnvrtc -lnvJitLink
/*
 * jit_link.cu - nvJitLink: PTX of two texts, code of link time optimisation beside PTX, PTX as the result, and errors.
 * The driver's linker: objects and archives.
 */
#include <cuda.h>
#include <nvJitLink.h>
#include <nvrtc.h>

#include <cstring>
#include <string>

#include "../check.h"

#define CU(call) EXPECT((call) == CUDA_SUCCESS)
#define LINK(call) EXPECT((call) == NVJITLINK_SUCCESS)

static const char kernel_source[] = "extern __device__ int twist(int); extern __device__ int offset;\n"
                                    "extern \"C\" __global__ void spread(int *p) { p[threadIdx.x] = twist(threadIdx.x)"
                                    " + offset; }\n";
static const char function_source[] = "__device__ int offset = 100; __device__ int twist(int x) { return x * x; }\n";

/* PTX, or code for the linker's optimiser. */
static std::string compile(const char *source, bool optimised)
{
    const char *options[] = { "--gpu-architecture=compute_90", "-rdc=true", "-dlto" };
    nvrtcProgram program;
    std::string code;
    size_t size = 0;

    EXPECT(nvrtcCreateProgram(&program, source, "text.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    EXPECT(nvrtcCompileProgram(program, optimised ? 3 : 2, options) == NVRTC_SUCCESS);
    EXPECT((optimised ? nvrtcGetLTOIRSize(program, &size) : nvrtcGetPTXSize(program, &size)) == NVRTC_SUCCESS);
    code.resize(size);
    EXPECT((optimised ? nvrtcGetLTOIR(program, &code[0]) : nvrtcGetPTX(program, &code[0])) == NVRTC_SUCCESS);
    nvrtcDestroyProgram(&program);
    return code;
}

static void add(nvJitLinkHandle link, const std::string &code, bool optimised)
{
    LINK(nvJitLinkAddData(link, optimised ? NVJITLINK_INPUT_LTOIR : NVJITLINK_INPUT_PTX, code.data(), code.size(),
                          "text"));
}

/* Loads the image, runs its kernel, and compares. */
static void run(const void *image)
{
    CUmodule module;
    CUfunction kernel;
    int *d = device_zeros<int>(32);
    void *arguments[] = { &d };
    std::vector<int> got;

    CU(cuModuleLoadData(&module, image));
    CU(cuModuleGetFunction(&kernel, module, "spread"));
    CU(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    got = host_copy(d, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(got[i] == i * i + 100);
    CU(cuModuleUnload(module));
    CUDA_CHECK(cudaFree(d));
}

static void test_link(bool kernel_optimised, bool function_optimised)
{
    const char *options[] = { "-arch=sm_90", "-lto" };
    nvJitLinkHandle link;
    std::vector<char> image;
    size_t size = 0;

    LINK(nvJitLinkCreate(&link, kernel_optimised || function_optimised ? 2 : 1, options));
    add(link, compile(kernel_source, kernel_optimised), kernel_optimised);
    add(link, compile(function_source, function_optimised), function_optimised);
    LINK(nvJitLinkComplete(link));
    LINK(nvJitLinkGetLinkedCubinSize(link, &size));
    image.resize(size);
    LINK(nvJitLinkGetLinkedCubin(link, image.data()));
    LINK(nvJitLinkDestroy(&link));
    run(image.data());
}

static void test_ptx()
{
    const char *options[] = { "-arch=sm_90", "-lto", "-ptx" };
    nvJitLinkHandle link;
    std::string text;
    size_t size = 0;

    LINK(nvJitLinkCreate(&link, 3, options));
    add(link, compile(kernel_source, true), true);
    add(link, compile(function_source, true), true);
    LINK(nvJitLinkComplete(link));
    LINK(nvJitLinkGetLinkedPtxSize(link, &size));
    text.resize(size + 1);
    LINK(nvJitLinkGetLinkedPtx(link, &text[0]));
    LINK(nvJitLinkDestroy(&link));
    EXPECT(text.find(".entry spread") != std::string::npos);
    run(text.c_str());
}

static void test_errors()
{
    const char *options[] = { "-arch=sm_90", "-O3" };
    nvJitLinkHandle link;
    std::string log;
    size_t size = 0;

    EXPECT(nvJitLinkCreate(&link, 1, options + 1) == NVJITLINK_ERROR_MISSING_ARCH);
    LINK(nvJitLinkCreate(&link, 1, options));
    add(link, compile(kernel_source, false), false);
    EXPECT(nvJitLinkComplete(link) != NVJITLINK_SUCCESS);
    LINK(nvJitLinkGetErrorLogSize(link, &size));
    log.resize(size);
    LINK(nvJitLinkGetErrorLog(link, &log[0]));
    EXPECT(log.find("twist") != std::string::npos);
    LINK(nvJitLinkDestroy(&link));
}

extern "C" __global__ void own(int *p) { p[threadIdx.x] = threadIdx.x * threadIdx.x + 100; }

/* Objects and archives: this program is one, and has the PTX of own(). */
static void test_objects()
{
    CUlinkState state;
    CUmodule module;
    CUfunction kernel;
    char library[] = "!<arch>";
    void *image, *arguments[1];
    int *d = device_zeros<int>(32);

    arguments[0] = &d;
    CU(cuLinkCreate(0, nullptr, nullptr, &state));
    CU(cuLinkAddFile(state, CU_JIT_INPUT_OBJECT, "/proc/self/exe", 0, nullptr, nullptr));
    CU(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, library, sizeof library, "libcudadevrt.a", 0, nullptr, nullptr));
    EXPECT(cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, library, sizeof library, "other.a", 0, nullptr, nullptr) ==
           CUDA_ERROR_NO_BINARY_FOR_GPU);
    CU(cuLinkComplete(state, &image, nullptr));
    CU(cuModuleLoadData(&module, image));
    CU(cuModuleGetFunction(&kernel, module, "own"));
    CU(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    EXPECT(host_copy(d, 32)[31] == 31 * 31 + 100);
    CU(cuModuleUnload(module));
    CU(cuLinkDestroy(state));
    CUDA_CHECK(cudaFree(d));
}

int main()
{
    CUDA_CHECK(cudaFree(nullptr));
    test_link(false, false);
    test_link(true, true);
    test_link(true, false);
    test_ptx();
    test_errors();
    test_objects();
    return passed();
}
