/*
 * fuzz_fatbin.c - the readers of fatbins and cubins on broken input, for libFuzzer: make fuzz-fatbin.
 *
 * The corpus is nvcc's output for two small kernels: PTX and cubins, plain and compressed in each way, relocatable,
 * for the linker, with debug options, two containers in a row, and a cubin alone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/container/fatbin.h"
#include "contrib/cudasim/container/machine_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte that was handed out, so that the sanitizer sees those that are not ours. */
static void read_all(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)*(const volatile char *)(bytes + i);
}

static void read_cubin(const void *elf, size_t size)
{
    struct machine_function *functions;
    struct cubin_kernel *kernels;
    size_t count = cubin_kernels(elf, size, &kernels), code;

    for (size_t i = 0; i < count; i++)
        if (kernels[i].name[0] == '\0')
            abort();
    if (!count != !kernels)
        abort();
    cubin_free(kernels, count);
    if (machine_functions(elf, size, &functions, &code))
        machine_functions_free(functions, code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fatbin fatbin;
    char error[240] = "";

    if (size >= 4 && memcmp(data, "\177ELF", 4) == 0) {
        read_cubin(data, size);
        return 0;
    }
    if (!fatbin_open(&fatbin, data, size, error, sizeof error)) {
        if (error[0] == '\0' || fatbin.entries || fatbin.count)
            abort();
        return 0;
    }
    if (fatbin_size(data, size) > size || fatbin_size(data, size) == 0)
        abort();
    for (size_t i = 0; i < fatbin.count; i++) {
        read_all(fatbin.entries[i].data, fatbin.entries[i].size);
        if (fatbin.entries[i].kind == FATBIN_ELF)
            read_cubin(fatbin.entries[i].data, fatbin.entries[i].size);
    }
    fatbin_release(&fatbin);
    return 0;
}
