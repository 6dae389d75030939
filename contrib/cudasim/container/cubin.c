/*
 * cubin.c - what a cubin says of its kernels' resources.
 *
 * A kernel is a function symbol marked as an entry. What it needs is in these sections, whose sh_info is the index of
 * the kernel's .text section, or which name the kernel's symbol:
 *
 *     .text.KERNEL        registers in the top byte of sh_info, up to sm_89
 *     .nv.shared.KERNEL   its size; from sm_90 on it starts with what the system reserves, which a symbol tells
 *     .nv.local.KERNEL    its size
 *     .nv.info            attributes of all kernels by symbol: registers, frame, stack with calls
 *     .nv.info.KERNEL     attributes of one: bounds of the block's size
 *
 * An attribute is a byte for its form, a byte for its name and a u16: the value, or in form 4 the bytes that follow.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf_image.h"
#include "fatbin.h"

enum {
    SYMBOL_ENTRY = 0x10, /* in st_other: called by the host */
    FORM_BYTES = 4,
    ATTRIBUTE_MAX_THREADS = 0x05, /* u32 x, y, z: __launch_bounds__ */
    ATTRIBUTE_REQNTID = 0x10,     /* u32 x, y, z: the only size allowed */
    ATTRIBUTE_FRAME_SIZE = 0x11,  /* u32 symbol, u32 bytes */
    ATTRIBUTE_MIN_STACK = 0x12,   /* u32 symbol, u32 bytes: frame, and those of called functions */
    ATTRIBUTE_REGCOUNT = 0x2F,    /* u32 symbol, u32 registers */
    RESERVED_SHARED = 1024        /* bytes a block that sm_90 reserves */
};

struct cubin {
    struct elf_image image;
    size_t symbol_count;
    uint32_t *of_section;       /* [section_count] 1 + kernel by index of its .text section, else 0 */
    uint32_t *of_symbol;        /* [symbol_count] 1 + kernel, else 0 */
    struct cubin_kernel *kernels;
    size_t count;
    bool reserved; /* shared memory starts with what the system reserves */
};

static bool starts_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

static unsigned narrow(uint64_t value)
{
    return value < UINT_MAX ? (unsigned)value : UINT_MAX;
}

/* Notes a kernel for each entry among the symbols. */
static bool read_symbols(struct cubin *cubin, const Elf64_Shdr *header)
{
    const unsigned char *data = elf_image_data(&cubin->image, header);
    size_t count = data ? header->sh_size / sizeof(Elf64_Sym) : 0;

    if (cubin->of_symbol || count == 0 || count > INT_MAX)
        return !cubin->of_symbol;
    cubin->of_symbol = calloc(count, sizeof *cubin->of_symbol);
    cubin->kernels = calloc(count, sizeof *cubin->kernels);
    if (!cubin->of_symbol || !cubin->kernels)
        return false;
    cubin->symbol_count = count;
    for (size_t i = 1; i < count; i++) {
        Elf64_Sym symbol;
        const char *name;

        memcpy(&symbol, data + i * sizeof symbol, sizeof symbol);
        name = elf_image_text(&cubin->image, header->sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        cubin->reserved = cubin->reserved || strcmp(name, ".nv.reservedSmem.offset0") == 0;
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & SYMBOL_ENTRY) ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= cubin->image.section_count ||
            cubin->of_section[symbol.st_shndx])
            continue;
        cubin->kernels[cubin->count].name = strdup(name);
        if (!cubin->kernels[cubin->count].name)
            return false;
        cubin->count++;
        cubin->of_symbol[i] = cubin->of_section[symbol.st_shndx] = (uint32_t)cubin->count;
    }
    return true;
}

static struct cubin_kernel *kernel_of_symbol(const struct cubin *cubin, uint32_t symbol)
{
    uint32_t number = symbol < cubin->symbol_count ? cubin->of_symbol[symbol] : 0;

    return number ? &cubin->kernels[number - 1] : NULL;
}

static struct cubin_kernel *kernel_of_section(const struct cubin *cubin, size_t section)
{
    uint32_t number = section < cubin->image.section_count ? cubin->of_section[section] : 0;

    return number ? &cubin->kernels[number - 1] : NULL;
}

/* A bound of the block's size; the smallest counts. */
static void bound_threads(struct cubin_kernel *kernel, const uint32_t size[3])
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(threads, (uint64_t)size[i], &threads))
            return;
    if (threads && (!kernel->max_threads || threads < kernel->max_threads))
        kernel->max_threads = narrow(threads);
}

/* One attribute of `size` bytes; `own` is the kernel whose section this is, NULL in .nv.info. */
static void apply_attribute(const struct cubin *cubin, struct cubin_kernel *own, unsigned attribute,
                            const unsigned char *value, size_t size)
{
    uint32_t words[3] = { 0 };
    struct cubin_kernel *kernel;

    memcpy(words, value, size < sizeof words ? size : sizeof words);
    if (own) {
        if ((attribute == ATTRIBUTE_MAX_THREADS || attribute == ATTRIBUTE_REQNTID) && size >= sizeof words)
            bound_threads(own, words);
        return;
    }
    kernel = size >= 8 ? kernel_of_symbol(cubin, words[0]) : NULL;
    if (!kernel)
        return;
    if (attribute == ATTRIBUTE_REGCOUNT)
        kernel->registers = words[1];
    else if ((attribute == ATTRIBUTE_FRAME_SIZE || attribute == ATTRIBUTE_MIN_STACK) && words[1] != UINT32_MAX &&
             words[1] > kernel->local)
        kernel->local = words[1];
}

static void read_attributes(const struct cubin *cubin, const Elf64_Shdr *header, struct cubin_kernel *own)
{
    const unsigned char *bytes = elf_image_data(&cubin->image, header);
    size_t left = bytes ? header->sh_size : 0;

    while (left >= 4) {
        unsigned form = bytes[0], attribute = bytes[1];
        size_t size = form == FORM_BYTES ? bytes[2] | (size_t)bytes[3] << 8 : 0;

        bytes += 4;
        left -= 4;
        if (size > left)
            return;
        if (size)
            apply_attribute(cubin, own, attribute, bytes, size);
        bytes += size;
        left -= size;
    }
}

static void read_section(const struct cubin *cubin, size_t section, const Elf64_Shdr *header, const char *name)
{
    struct cubin_kernel *kernel = kernel_of_section(cubin, header->sh_info);

    if (starts_with(name, ".nv.info.") && kernel)
        read_attributes(cubin, header, kernel);
    else if (starts_with(name, ".nv.info") && name[8] == '\0')
        read_attributes(cubin, header, NULL);
    else if (starts_with(name, ".nv.shared.") && kernel)
        kernel->shared = narrow(cubin->reserved && header->sh_size >= RESERVED_SHARED ?
                                header->sh_size - RESERVED_SHARED : header->sh_size);
    else if (starts_with(name, ".text.") && (kernel = kernel_of_section(cubin, section)))
        kernel->registers = kernel->registers ? kernel->registers : (unsigned)(header->sh_info >> 24);
}

/* .nv.local.KERNEL comes on top of the stack, so it is added when that is known. */
static void add_local(const struct cubin *cubin, const Elf64_Shdr *header, const char *name)
{
    struct cubin_kernel *kernel = kernel_of_section(cubin, header->sh_info);

    if (kernel && starts_with(name, ".nv.local."))
        kernel->local = narrow(kernel->local + header->sh_size);
}

enum pass { PASS_SYMBOLS, PASS_SECTIONS, PASS_LOCAL, PASSES };

static bool read_pass(struct cubin *cubin, enum pass pass)
{
    for (size_t section = 1; section < cubin->image.section_count; section++) {
        Elf64_Shdr header;
        const char *name;

        if (!elf_image_section(&cubin->image, section, &header))
            return false;
        name = elf_image_text(&cubin->image, cubin->image.names, header.sh_name);
        if (!name)
            continue;
        if (pass == PASS_SYMBOLS && header.sh_type == SHT_SYMTAB && !read_symbols(cubin, &header))
            return false;
        if (pass == PASS_SECTIONS)
            read_section(cubin, section, &header, name);
        else if (pass == PASS_LOCAL)
            add_local(cubin, &header, name);
    }
    return true;
}

size_t cubin_kernels(const void *elf, size_t size, struct cubin_kernel **kernels)
{
    struct cubin cubin = {0};
    bool ok = false;

    *kernels = NULL;
    if (!elf_image_open(&cubin.image, elf, size) || cubin.image.header.e_machine != EM_CUDA)
        return 0;
    cubin.of_section = calloc(cubin.image.section_count, sizeof *cubin.of_section);
    if (!cubin.of_section)
        goto out;
    ok = true;
    for (enum pass pass = PASS_SYMBOLS; ok && pass < PASSES; pass++)
        ok = read_pass(&cubin, pass);
out:
    free(cubin.of_section);
    free(cubin.of_symbol);
    if (!ok || cubin.count == 0) {
        cubin_free(cubin.kernels, cubin.count);
        return 0;
    }
    *kernels = cubin.kernels;
    return cubin.count;
}

void cubin_free(struct cubin_kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(kernels[i].name);
    free(kernels);
}
