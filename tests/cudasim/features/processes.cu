// flags: -lcuda
/*
 * processes.cu - memory, events and pools of one process that another one uses. The child is made before CUDA begins.
 */
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "../check.h"

static const int COUNT = 5000, FEW = 7;

struct Handles {
    cudaIpcMemHandle_t many, few;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData block;
};

static __global__ void add(int *values, int n, int value)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        values[i] += value;
}

/* Sends the handles and the file of the pool; receives them. */
static bool pass(int socket, Handles *handles, int *file, bool sends)
{
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof *file)] = {};
    iovec part = { handles, sizeof *handles };
    msghdr message = {};
    cmsghdr *header = (cmsghdr *)control;

    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control, message.msg_controllen = sizeof control;
    if (!sends && recvmsg(socket, &message, MSG_WAITALL) != sizeof *handles)
        return false;
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof *file);
    memcpy(sends ? (char *)CMSG_DATA(header) : (char *)file, sends ? (char *)file : (char *)CMSG_DATA(header),
           sizeof *file);
    return !sends || sendmsg(socket, &message, 0) == sizeof *handles;
}

static int child(int socket)
{
    Handles handles;
    cudaMemPool_t pool;
    cudaStream_t stream;
    cudaEvent_t event;
    int *many, *again, *few, *block, file;

    EXPECT(pass(socket, &handles, &file, false));
    CUDA_CHECK(cudaIpcOpenMemHandle((void **)&many, handles.many, cudaIpcMemLazyEnablePeerAccess));
    CUDA_CHECK(cudaIpcOpenMemHandle((void **)&again, handles.many, cudaIpcMemLazyEnablePeerAccess));
    CUDA_CHECK(cudaIpcOpenMemHandle((void **)&few, handles.few, cudaIpcMemLazyEnablePeerAccess));
    CUDA_CHECK(cudaIpcOpenEventHandle(&event, handles.event));
    EXPECT(many == again);
    CUDA_CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file,
                                                    cudaMemHandleTypePosixFileDescriptor, 0));
    CUDA_CHECK(cudaMemPoolImportPointer((void **)&block, pool, &handles.block));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaStreamWaitEvent(stream, event, 0)); /* the parent's kernel, which nothing else waits for */
    add<<<1, 256, 0, stream>>>(many, COUNT, 10);
    add<<<1, 32, 0, stream>>>(few, FEW, 5);
    add<<<1, 32, 0, stream>>>(block, FEW, 6);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(event, stream));
    EXPECT(write(socket, "x", 1) == 1);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaIpcCloseMemHandle(many));
    CUDA_CHECK(cudaIpcCloseMemHandle(again));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaIpcCloseMemHandle(many));
    CUDA_CHECK(cudaIpcCloseMemHandle(few));
    CUDA_CHECK(cudaFree(block));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamDestroy(stream));
    return 0;
}

static void parent(int socket)
{
    cudaMemPoolProps properties = {};
    Handles handles;
    cudaMemPool_t pool;
    CUmemoryPool found;
    cudaStream_t stream;
    cudaEvent_t event;
    int *many = device_zeros<int>(COUNT), *few = device_zeros<int>(FEW), *block, file;
    void *none;
    char answer;

    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    CUDA_CHECK(cudaMallocFromPoolAsync((void **)&block, FEW * sizeof *block, pool, stream));
    EXPECT(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)block) == CUDA_SUCCESS);
    EXPECT(found == pool);
    EXPECT(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)few) == CUDA_SUCCESS);
    EXPECT(found == nullptr);
    CUDA_CHECK(cudaMemsetAsync(block, 0, FEW * sizeof *block, stream));
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    EXPECT(cuGetProcAddress("cuGreenCtxCreate", &none, 12040, 0, nullptr) == CUDA_SUCCESS);
    CUDA_CHECK(cudaIpcGetMemHandle(&handles.many, many));
    CUDA_CHECK(cudaIpcGetMemHandle(&handles.few, few));
    CUDA_CHECK(cudaIpcGetEventHandle(&handles.event, event));
    CUDA_CHECK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CUDA_CHECK(cudaMemPoolExportPointer(&handles.block, block));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handles.few, block));
    EXPECT_ERROR(cudaErrorDeviceUninitialized,
                 cudaIpcOpenMemHandle(&none, handles.many, cudaIpcMemLazyEnablePeerAccess));
    add<<<1, 256, 0, stream>>>(many, COUNT, 1);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(event, stream));
    EXPECT(pass(socket, &handles, &file, true));
    EXPECT(read(socket, &answer, 1) == 1);
    CUDA_CHECK(cudaEventSynchronize(event)); /* the child's record */
    for (int value : host_copy(many, COUNT))
        EXPECT(value == 11);
    EXPECT(host_copy(few, FEW)[FEW - 1] == 5);
    EXPECT(host_copy(block, FEW)[FEW - 1] == 6);
    CUDA_CHECK(cudaFreeAsync(block, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(many));
    CUDA_CHECK(cudaFree(few));
    close(file);
}

int main()
{
    int sockets[2], status = 1;
    pid_t process;

    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    process = fork();
    if (process == 0)
        return child(sockets[1]);
    parent(sockets[0]);
    EXPECT(waitpid(process, &status, 0) == process && status == 0);
    return passed();
}
