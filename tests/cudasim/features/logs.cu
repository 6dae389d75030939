// flags: -lcuda
/*
 * logs.cu - the log of calls that failed: functions that get it, files, memory. On purpose some calls fail here.
 */
#include <cuda.h>

#include "../check.h"

static int seen, inner;

static void note(void *data, cudaLogLevel level, char *message, size_t length)
{
    seen += level == cudaLogLevelError && strlen(message) == length && strstr(message, "cudaErrorInvalidValue") &&
            data == &seen;
    /* The log is not locked here: a call may be made, and if it fails it does not come back here. */
    inner += cudaMalloc(nullptr, 1) == cudaErrorInvalidValue;
}

int main()
{
    cudaLogsCallbackHandle handle;
    cudaLogIterator before, at;
    char text[2048];
    size_t size = sizeof text;
    FILE *file;

    CUDA_CHECK(cudaLogsRegisterCallback(note, &seen, &handle));
    CUDA_CHECK(cudaLogsCurrent(&before, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 4));
    EXPECT(seen == 1 && inner == 1);
    CUDA_CHECK(cudaLogsUnregisterCallback(handle));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
    EXPECT(seen == 1);
    at = before;
    CUDA_CHECK(cudaLogsDumpToMemory(&at, text, &size, 0));
    EXPECT(at == before + 3 && size == strlen(text));
    EXPECT(strstr(text, "cudaMemset") && strstr(text, "cudaMalloc") && strstr(text, "cudaLogsUnregisterCallback"));
    size = sizeof text;
    EXPECT(cuLogsDumpToMemory(&at, text, &size, 0) == CUDA_SUCCESS && size == 0);
    CUDA_CHECK(cudaLogsDumpToFile(nullptr, "log.txt", 0));
    file = fopen("log.txt", "r");
    EXPECT(file && fgets(text, sizeof text, file) && strstr(text, "[CUDA][E]"));
    fclose(file);
    remove("log.txt");
    EXPECT_ERROR(cudaErrorInvalidValue, cudaLogsCurrent(nullptr, 0));
    return passed();
}
