/*
 * test_cudasim_fatbin.c - fatbins and cubins as nvcc 13 writes them, whole and broken.
 *
 * The samples are the fuzzer's corpus; an argument names another folder. They were made of these two kernels, with
 * `nvcc -fatbin`, --compress-mode as the name tells and -gencode as the table below; only many_zstd has `stack`:
 *
 *     __global__ void __launch_bounds__(128) tile(float *a)
 *     {
 *         __shared__ float s[256];
 *         s[threadIdx.x] = a[threadIdx.x];
 *         __syncthreads();
 *         a[threadIdx.x] = s[255 - threadIdx.x];
 *     }
 *     __global__ void stack(int *a, int k)
 *     {
 *         int t[100];
 *         for (int i = 0; i < 100; i++)
 *             t[i] = a[i] * k;
 *         a[0] = t[a[1]] + t[k];
 *     }
 *
 * What is expected of the kernels is what `ptxas -v` reported when the samples were made.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "contrib/cudasim/container/fatbin.h"
#include "unit.h"

enum { SAMPLE_MOST = 16384, ERROR_MOST = 240 };

static const char *folder = "tests/fuzz/corpus/fatbin";

/* A copy of the sample at the end of a block of memory, so that the sanitizer sees what reads behind it. */
static unsigned char *load(const char *name, size_t *size)
{
    static unsigned char bytes[SAMPLE_MOST];
    unsigned char *copy = NULL;
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    *size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    CHECK(*size > 0 && *size < sizeof bytes, "cannot read '%s': run this in the toolkit's folder", path);
    if (file)
        fclose(file);
    if (*size > 0)
        copy = malloc(*size);
    if (copy)
        memcpy(copy, bytes, *size);
    return copy;
}

struct expected_entry {
    const char *sample;
    size_t index;
    size_t count; /* of entries */
    enum fatbin_kind kind;
    unsigned arch;
    bool compressed;
};

static void test_entries(void)
{
    static const struct expected_entry expected[] = {
        { "ptx_plain", 0, 1, FATBIN_PTX, 90, false }, { "ptx_zstd", 0, 1, FATBIN_PTX, 90, true },
        { "ptx_lz4", 0, 1, FATBIN_PTX, 90, true },    { "elf_plain", 0, 1, FATBIN_ELF, 90, false },
        { "debug", 0, 1, FATBIN_PTX, 90, true },      { "two", 0, 1, FATBIN_PTX, 90, true },
        { "many_zstd", 0, 4, FATBIN_ELF, 80, true },  { "many_zstd", 1, 4, FATBIN_ELF, 75, true },
        { "many_zstd", 2, 4, FATBIN_ELF, 90, true },  { "many_zstd", 3, 4, FATBIN_PTX, 90, true },
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct expected_entry *want = &expected[i];
        const struct fatbin_entry *entry;
        char error[ERROR_MOST] = "";
        struct fatbin fatbin;
        size_t size;
        unsigned char *data = load(want->sample, &size);

        if (!data)
            continue;
        CHECK(fatbin_open(&fatbin, data, size, error, sizeof error), "%s: %s", want->sample, error);
        CHECK(fatbin.count == want->count, "%s: %zu entries", want->sample, fatbin.count);
        if (want->index < fatbin.count) {
            entry = &fatbin.entries[want->index];
            CHECK(entry->kind == want->kind && entry->arch == want->arch && !entry->owned == !want->compressed,
                  "%s: kind %d, sm_%u", want->sample, entry->kind, entry->arch);
            if (entry->kind == FATBIN_PTX) {
                CHECK(memmem(entry->data, entry->size, ".visible .entry _Z4tilePf", 25), "%s: no kernel", want->sample);
                CHECK(entry->size > 0 && entry->data[entry->size - 1] == '\n', "%s: not its end", want->sample);
            }
        }
        fatbin_release(&fatbin);
        CHECK(fatbin_open(&fatbin, data, SIZE_MAX, error, sizeof error), "%s, trusted: %s", want->sample, error);
        fatbin_release(&fatbin);
        free(data);
    }
}

/* Of PTX for compute_90 and for compute_90a the second is taken, in any order; nothing above the device's. */
static void test_best(void)
{
    struct fatbin_entry entries[] = {
        { .kind = FATBIN_PTX, .arch = 100 },
        { .kind = FATBIN_PTX, .arch = 90, .specific = true },
        { .kind = FATBIN_PTX, .arch = 90 },
        { .kind = FATBIN_ELF, .arch = 90, .specific = true },
    };
    struct fatbin fatbin = { .entries = entries, .count = sizeof entries / sizeof *entries };
    char error[ERROR_MOST] = "";
    size_t size;
    unsigned char *data = load("ptx_plain", &size);

    CHECK(fatbin_best(&fatbin, FATBIN_PTX, 90) == &entries[1], "not the specific one");
    entries[0] = entries[2];
    entries[2].specific = true;
    entries[1].specific = false;
    CHECK(fatbin_best(&fatbin, FATBIN_PTX, 90) == &entries[2], "not the specific one at the end");
    CHECK(!fatbin_best(&fatbin, FATBIN_PTX, 80) && fatbin_best(&fatbin, FATBIN_ELF, 90) == &entries[3], "found");
    if (!data)
        return;
    data[16 + 40 + 2] |= 0x10; /* the flags of the first entry */
    CHECK(fatbin_open(&fatbin, data, size, error, sizeof error) && fatbin.entries[0].specific, "%s", error);
    fatbin_release(&fatbin);
    free(data);
}

/* The same PTX comes out of every way to compress it. */
static void test_same_text(void)
{
    static const char *const names[] = { "ptx_plain", "ptx_zstd", "ptx_lz4" };
    char *text = NULL, error[ERROR_MOST];
    size_t text_size = 0, size;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsigned char *data = load(names[i], &size);
        struct fatbin fatbin;

        if (!data || !fatbin_open(&fatbin, data, size, error, sizeof error)) {
            CHECK(false, "%s", names[i]);
        } else if (!text) {
            text_size = fatbin.entries[0].size;
            text = malloc(text_size);
            memcpy(text, fatbin.entries[0].data, text_size);
            fatbin_release(&fatbin);
        } else {
            CHECK(fatbin.entries[0].size == text_size && memcmp(fatbin.entries[0].data, text, text_size) == 0,
                  "%s differs from plain", names[i]);
            fatbin_release(&fatbin);
        }
        free(data);
    }
    free(text);
}

static void test_containers(void)
{
    size_t size, first;
    unsigned char *data = load("two", &size);
    struct fatbin fatbin;
    char error[ERROR_MOST] = "";

    if (!data)
        return;
    first = fatbin_size(data, size);
    CHECK(first > 16 && first < size && first % 8 == 0, "%zu of %zu bytes", first, size);
    CHECK(fatbin_open(&fatbin, data + first, size - first, error, sizeof error), "the second: %s", error);
    fatbin_release(&fatbin);
    CHECK(fatbin_size(data + first, size - first) == size - first, "the second's size");
    CHECK(fatbin_size(data, first) == first && fatbin_size(data, first - 1) == 0, "the limit counts");
    CHECK(fatbin_size(data + 8, size - 8) == 0, "no magic");
    CHECK(fatbin_size(data, 0) == 0 && fatbin_size(data, 15) == 0, "no header");
    free(data);
}

struct expected_kernel {
    const char *sample;
    size_t entry; /* its index, or SIZE_MAX if the sample is a cubin */
    const char *name;
    unsigned registers, shared, local, max_threads;
};

static void check_kernel(const struct expected_kernel *want, const void *elf, size_t size, size_t expected_count)
{
    struct cubin_kernel *kernels;
    size_t count = cubin_kernels(elf, size, &kernels), found = 0;

    CHECK(count == expected_count, "%s: %zu kernels", want->sample, count);
    for (size_t i = 0; i < count; i++) {
        const struct cubin_kernel *kernel = &kernels[i];

        if (strcmp(kernel->name, want->name) != 0)
            continue;
        found++;
        CHECK(kernel->registers == want->registers, "%s: %u registers", kernel->name, kernel->registers);
        CHECK(kernel->shared == want->shared, "%s: %u bytes shared", kernel->name, kernel->shared);
        CHECK(kernel->local == want->local, "%s: %u bytes local", kernel->name, kernel->local);
        CHECK(kernel->max_threads == want->max_threads, "%s: %u threads", kernel->name, kernel->max_threads);
    }
    CHECK(found == 1, "%s: %s %zu times", want->sample, want->name, found);
    cubin_free(kernels, count);
}

static void test_kernels(void)
{
    static const struct expected_kernel expected[] = {
        { "many_zstd", 0, "_Z4tilePf", 10, 1024, 0, 128 },  { "many_zstd", 1, "_Z4tilePf", 10, 1024, 0, 128 },
        { "many_zstd", 2, "_Z4tilePf", 10, 1024, 0, 128 },  { "many_zstd", 0, "_Z5stackPii", 32, 0, 400, 0 },
        { "many_zstd", 1, "_Z5stackPii", 61, 0, 0, 0 },     { "many_zstd", 2, "_Z5stackPii", 32, 0, 400, 0 },
        { "elf_plain", 0, "_Z4tilePf", 10, 1024, 0, 128 },  { "cubin", SIZE_MAX, "_Z4tilePf", 10, 1024, 0, 128 },
    };
    char error[ERROR_MOST];

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const struct expected_kernel *want = &expected[i];
        size_t size;
        unsigned char *data = load(want->sample, &size);
        struct fatbin fatbin;

        if (data && want->entry == SIZE_MAX) {
            check_kernel(want, data, size, 1);
        } else if (data && fatbin_open(&fatbin, data, size, error, sizeof error)) {
            CHECK(want->entry < fatbin.count, "%s: %zu entries", want->sample, fatbin.count);
            if (want->entry < fatbin.count)
                check_kernel(want, fatbin.entries[want->entry].data, fatbin.entries[want->entry].size,
                             fatbin.count > 1 ? 2 : 1);
            fatbin_release(&fatbin);
        }
        free(data);
    }
}

/* The sample with `width` bytes of `value` at `offset`, or NULL; the message in error[ERROR_MOST] if it is refused. */
static bool open_changed(const char *name, size_t offset, uint64_t value, size_t width, char *error)
{
    size_t size;
    unsigned char *data = load(name, &size);
    struct fatbin fatbin;
    bool ok;

    error[0] = '\0';
    if (!data)
        return false;
    memcpy(data + offset, &value, width);
    ok = fatbin_open(&fatbin, data, size, error, ERROR_MOST);
    if (ok)
        fatbin_release(&fatbin);
    free(data);
    return ok;
}

static void test_refusals(void)
{
    enum { ENTRY = 16 };
    static const struct {
        const char *sample;
        size_t offset;
        uint64_t value;
        size_t width;
        const char *words;
    } wrong[] = {
        { "ptx_zstd", 0, 0xBA55ED51, 4, "not a fatbin" },
        { "ptx_zstd", 4, 2, 2, "version 2" },
        { "ptx_zstd", 6, 15, 2, "longer than" },
        { "ptx_zstd", 8, 1 << 20, 8, "longer than" },
        { "ptx_zstd", 8, UINT64_MAX, 8, "longer than" },
        { "ptx_zstd", 8, 63, 8, "ends within an entry" },
        { "ptx_zstd", ENTRY + 4, 63, 4, "header of 63 bytes" },
        { "ptx_zstd", ENTRY + 4, UINT32_MAX, 4, "longer than" },
        { "ptx_zstd", ENTRY + 8, UINT64_MAX, 8, "longer than" },
        { "ptx_zstd", ENTRY + 8, 8, 8, "says it has" },
        { "ptx_zstd", ENTRY + 16, UINT32_MAX, 4, "says it has" },
        { "ptx_zstd", ENTRY + 16, 100, 4, "zstd is broken" },
        { "ptx_zstd", ENTRY + 40, 0x11, 8, "unknown way (flags 0x11)" },
        { "ptx_zstd", ENTRY + 40, 0xA011, 8, "unknown way (flags 0xa011)" },
        { "ptx_zstd", ENTRY + 56, UINT64_MAX, 8, "more than 1024 MiB" },
        { "ptx_zstd", ENTRY + 56, 0, 8, "or an entry none" },
        { "ptx_zstd", ENTRY + 56, 1 << 30, 8, "too many" },
        { "ptx_zstd", ENTRY + 56, 664, 8, "not a zstd frame of 664 bytes" },
        { "ptx_zstd", ENTRY + 80 + 20, 0, 8, "zstd is broken" },
        { "ptx_lz4", ENTRY + 40, 0x8011, 8, "not a zstd frame" },
        { "ptx_lz4", ENTRY + 56, 1 << 20, 8, "too many" },
        { "ptx_lz4", ENTRY + 56, 4096, 8, "LZ4 is broken" },
        { "ptx_lz4", ENTRY + 80 + 2, 9, 2, "LZ4 is broken" },
        { "ptx_lz4", ENTRY + 80 + 2, 0, 2, "LZ4 is broken" },
    };
    char error[ERROR_MOST];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!open_changed(wrong[i].sample, wrong[i].offset, wrong[i].value, wrong[i].width, error),
              "%zu: %s with %#jx at %zu is accepted", i, wrong[i].sample, (uintmax_t)wrong[i].value, wrong[i].offset);
        CHECK(strstr(error, wrong[i].words) && !strchr(error, '\n'), "%zu: '%s' has no '%s'", i, error, wrong[i].words);
    }
    CHECK(open_changed("ptx_zstd", ENTRY, 8, 2, error), "an entry of another kind is left out: %s", error);
    CHECK(open_changed("lto", 0, 0xBA55ED50, 4, error), "code for the linker is left out: %s", error);
}

static void try_cubin(const void *elf, size_t size)
{
    struct cubin_kernel *kernels;
    size_t count = cubin_kernels(elf, size, &kernels);

    cubin_free(kernels, count);
}

/* No prefix of a sample is accepted, and no changed byte makes the readers read or write out of bounds. */
static void test_broken(void)
{
    static const char *const names[] = {
        "ptx_plain", "ptx_zstd", "ptx_lz4", "elf_plain", "many_zstd", "debug", "cubin",
    };
    char error[ERROR_MOST];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size, accepted = 0;
        unsigned char *data = load(names[i], &size);
        struct fatbin fatbin;

        if (!data)
            continue;
        for (size_t length = 0; length < size; length++) {
            unsigned char *cut = malloc(length + !length);

            memcpy(cut, data, length);
            if (fatbin_open(&fatbin, cut, length, error, sizeof error)) {
                accepted++;
                fatbin_release(&fatbin);
            }
            try_cubin(cut, length);
            free(cut);
        }
        CHECK(accepted == 0, "%s: %zu prefixes are accepted", names[i], accepted);
        for (size_t at = 0; at < size; at++) {
            unsigned char old = data[at];

            data[at] ^= (unsigned char)(1U << at % 8);
            if (fatbin_open(&fatbin, data, size, error, sizeof error)) {
                for (size_t j = 0; j < fatbin.count; j++)
                    try_cubin(fatbin.entries[j].data, fatbin.entries[j].size);
                fatbin_release(&fatbin);
            }
            try_cubin(data, size);
            data[at] = old;
        }
        free(data);
    }
}

/* In a program, fatbins are in a read-only segment. */
static void test_read_only(void)
{
    static const struct expected_kernel want = { "cubin, read-only", 0, "_Z4tilePf", 10, 1024, 0, 128 };
    size_t size;
    unsigned char *data = load("cubin", &size);
    void *pages = mmap(NULL, SAMPLE_MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(pages != MAP_FAILED, "mmap");
    if (data && pages != MAP_FAILED) {
        memcpy(pages, data, size);
        mprotect(pages, SAMPLE_MOST, PROT_READ);
        check_kernel(&want, pages, size, 1);
        munmap(pages, SAMPLE_MOST);
    }
    free(data);
}

static void test_no_cubin(void)
{
    static const char host[64] = { 0x7F, 'E', 'L', 'F', 2, 1, 1 };
    struct cubin_kernel *kernels = (struct cubin_kernel *)1;

    CHECK(cubin_kernels("", 0, &kernels) == 0 && !kernels, "nothing");
    CHECK(cubin_kernels(host, sizeof host, &kernels) == 0 && !kernels, "an ELF file of no GPU");
    cubin_free(NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        folder = argv[1];
    test_entries();
    test_best();
    test_same_text();
    test_containers();
    test_kernels();
    test_refusals();
    test_broken();
    test_read_only();
    test_no_cubin();
    return unit_end();
}
