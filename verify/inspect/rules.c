/*
 * rules.c - reads the code that nvcc embedded: containers of machine code (cubins) and PTX in .nv_fatbin.
 *
 * A container (verify/base/containers.h) has entries, one after the other, as nvcc 12 and 13 write them (numbers
 * little-endian):
 *
 *     entry       +0 u16 kind: 1 PTX, 2 cubin   +4 u32 bytes of this header   +8 u64 bytes of payload   +40 u64 flags
 *
 * An unreadable file is refused: it comes from a compiler, but from the participant's source.
 */
#include "rules.h"

#include <ctype.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imports.h"
#include "startup.h"
#include "verify/base/containers.h"

enum { ENTRY_HEADER = 64, INSTRUCTION = 16 }; /* bytes */
enum { KIND_PTX = 1, KIND_CUBIN = 2, FLAGS_COMPRESSED = 0xA000 };
/*
 * 64 bits (0x1), Linux (0x10), for debugging (0x2), for one processor alone (0x100000) or its family (0x200000), with
 * Mercury code beside it (0x1000000): what nvcc 13 writes where it does not compress. Others have no known meaning.
 */
enum { FLAGS_PLAIN = 0x1300013 };

/* What is being looked at. */
struct reader {
    char *broken; /* [size] */
    size_t size;
    bool half;    /* HFMA2.MMA was seen */
    bool volta;   /* the machine code is for Volta or Turing */
};

/* Always false, so that the search ends. */
static bool __attribute__((format(printf, 2, 3))) broken(struct reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->broken, reader->size, format, arguments);
    va_end(arguments);
    return false;
}

static uint64_t number(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes); /* little-endian, as every machine with CUDA is */
    return value;
}

/* ------------------------------------------------------------------ tensor cores */

/* The families of PTX instructions: an opcode up to its first dot. */
static const char *const tensor_ptx[] = { "mma", "wmma", "wgmma", "tcgen05" };

/*
 * The low nine bits of an instruction of compute capability 7.0 and later, as ptxas 13 writes it. UTCMMA stands for all
 * kinds of tcgen05.mma.
 */
static const struct {
    uint16_t opcode;
    const char *name;
} tensor_sass[] = {
    { 0x037, "IMMA" }, { 0x03a, "BMMA" }, { 0x03c, "HMMA" }, { 0x03d, "BMMA" }, { 0x03f, "DMMA" }, { 0x07a, "QMMA" },
    { 0x07f, "OMMA" }, { 0x1ea, "UTCMMA" }, { 0x1f0, "HGMMA" }, { 0x1f1, "IGMMA" }, { 0x1f2, "BGMMA" },
    { 0x1f3, "QGMMA" },
};

/* HMMA as Volta has it and Turing takes it, by the same bits; Hopper adds integers by them. */
enum { VOLTA_SASS = 0x036, VOLTA_FIRST = 70, VOLTA_LAST = 75 /* compute capabilities */ };

/* HFMA2.MMA, by the same bits: half precision on the tensor cores' pipe, which no league forbids. */
enum { HALF_SASS = 0x035 };

static bool is_word(unsigned char c) { return isalnum(c) || c == '_' || c == '$' || c == '%' || c == '.'; }

/* The place of the first character from i on that is neither space nor in a comment; the size for none. */
static size_t pass_over(const char *text, size_t size, size_t i)
{
    for (; i < size; i++) {
        const char *rest = text + i, *end;
        const size_t left = size - i;

        if (left >= 2 && (memcmp(rest, "//", 2) == 0 || memcmp(rest, "/*", 2) == 0)) {
            end = rest[1] == '/' ? memchr(rest, '\n', left) : memmem(rest + 2, left - 2, "*/", 2);
            i = end ? (size_t)(end - text) + (rest[1] == '*') : size;
        } else if (!isspace((unsigned char)*rest)) {
            return i;
        }
    }
    return size;
}

/*
 * Whether the text has only bytes that compilers write, but for zeros behind its end: *size becomes that without them.
 * ptxas takes the byte 26 for space; here nobody need know what it makes of others.
 */
static bool has_plain_bytes(struct reader *reader, const char *text, size_t *size)
{
    while (*size > 0 && text[*size - 1] == '\0')
        --*size;
    for (size_t i = 0; i < *size; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return broken(reader, "its PTX cannot be read: it has the control character %d", text[i]);
    return true;
}

/*
 * The end of the string at i, or 0. No compiler writes one with a backslash, which ptxas reads in one way in a line
 * directive and in another way elsewhere, or one that goes on in the next line.
 */
static size_t string_end(const char *text, size_t size, size_t i)
{
    const char *end = memchr(text + i + 1, '"', size - i - 1);
    const size_t length = end ? (size_t)(end - text) - i : 0;

    return end && !memchr(text + i, '\\', length) && !memchr(text + i, '\n', length) ? i + length : 0;
}

/*
 * Whether what begins with a digit is a number: hexadecimal, float32 and float64 by their bits, an unsigned one, a size
 * as 128B. To ptxas an opcode may follow a number without space, as in a line directive. No compiler writes that.
 */
static bool is_number(const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && (isxdigit((unsigned char)word[i]) || strchr("xXU.", word[i])))
        i++;
    return i == length;
}

/*
 * Comments and strings (names of files) are passed over. Between an opcode and its dot there may be space and comments,
 * for ptxas; a name without a dot behind it is no opcode.
 */
static bool check_ptx(struct reader *reader, const char *text, size_t size)
{
    if (!has_plain_bytes(reader, text, &size))
        return false;
    for (size_t i = pass_over(text, size, 0); i < size; i = pass_over(text, size, i + 1)) {
        const char *rest = text + i;
        size_t left = size - i, length = 0, family;

        if (*rest == '"') {
            i = string_end(text, size, i);
            if (i == 0)
                return broken(reader, "its PTX cannot be read: a string in it has a backslash, or no end in its line");
        } else if (is_word((unsigned char)*rest)) {
            while (length < left && is_word((unsigned char)rest[length]))
                length++;
            for (family = 0; family < length && rest[family] != '.';)
                family++;
            /* Behind a colon it is a part of an opcode, and other parts follow: ld.global.L2::128B.v4.f32. */
            if (isdigit((unsigned char)*rest) && !is_number(rest, i > 0 && text[i - 1] == ':' ? family : length))
                return broken(reader, "its PTX cannot be read: the number '%.*s' goes on as a word",
                              length < 60 ? (int)length : 60, rest);
            for (size_t k = 0; k < sizeof tensor_ptx / sizeof tensor_ptx[0]; k++) {
                const size_t dot = pass_over(text, size, i + family);

                if (family == strlen(tensor_ptx[k]) && memcmp(rest, tensor_ptx[k], family) == 0 && dot < size &&
                    text[dot] == '.')
                    return broken(reader, "tensor cores are not allowed in this league: the PTX has '%.*s'",
                                  length < 60 ? (int)length : 60, rest);
            }
            i += length - 1;
        }
    }
    return true;
}

static bool check_machine_code(struct reader *reader, const unsigned char *code, size_t size, const char *kernel)
{
    for (size_t i = 0; i + INSTRUCTION <= size; i += INSTRUCTION) {
        const uint64_t opcode = number(code + i, 2) & 0x1ff;

        reader->half = reader->half || opcode == HALF_SASS;
        if (reader->volta && opcode == VOLTA_SASS)
            return broken(reader, "tensor cores are not allowed in this league: %.60s has HMMA", kernel);
        for (size_t k = 0; k < sizeof tensor_sass / sizeof tensor_sass[0]; k++)
            if (opcode == tensor_sass[k].opcode)
                return broken(reader, "tensor cores are not allowed in this league: %.60s has %s", kernel,
                              tensor_sass[k].name);
    }
    return true;
}

/* A cubin that is looked at. */
struct cubin {
    Elf *elf;
    size_t sections;     /* of it, the first of which is none */
    size_t names;        /* the section of their names */
    bool *has_functions; /* [sections] */
};

/* Of this byte of e_flags, in which nvcc 12 and 13 have the compute capability: 75 for 7.5. */
static bool is_volta(uint32_t byte) { return byte >= VOLTA_FIRST && byte <= VOLTA_LAST; }

static bool begin_cubin(struct reader *reader, struct cubin *cubin)
{
    GElf_Ehdr header;

    if (!cubin->elf || elf_kind(cubin->elf) != ELF_K_ELF || elf_getshdrstrndx(cubin->elf, &cubin->names) != 0 ||
        elf_getshdrnum(cubin->elf, &cubin->sections) != 0 || !gelf_getehdr(cubin->elf, &header))
        return broken(reader, "its machine code cannot be read: a cubin is not an ELF file");
    reader->volta = is_volta(header.e_flags & 0xff) || is_volta(header.e_flags >> 8 & 0xff);
    /* A symbol cannot say that it is in a later one. */
    if (cubin->sections >= SHN_LORESERVE)
        return broken(reader, "its machine code cannot be read: a cubin has %zu sections", cubin->sections);
    cubin->has_functions = calloc(cubin->sections + 1, sizeof *cubin->has_functions);
    return cubin->has_functions || broken(reader, "its machine code cannot be read: out of memory");
}

/* Marks the sections that functions lie in, whatever the sections' flags say. */
static void find_functions(struct cubin *cubin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Sym symbol;

    while ((section = elf_nextscn(cubin->elf, section))) {
        Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB ? elf_getdata(section, NULL)
                                                                                       : NULL;

        for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
            if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx < cubin->sections)
                cubin->has_functions[symbol.st_shndx] = true;
    }
}

/* Whether the section is code: it says so, is called so, or has a function. One without a name is, too. */
static bool is_code(const struct cubin *cubin, Elf_Scn *section, const GElf_Shdr *header)
{
    const char *name = elf_strptr(cubin->elf, cubin->names, header->sh_name);

    return header->sh_flags & SHF_EXECINSTR || !name || strncmp(name, ".text", 5) == 0 ||
           cubin->has_functions[elf_ndxscn(section)];
}

/* Whether a table of relocations changes code when it is loaded. nvcc's code has addresses in constants alone. */
static bool changes_code(const struct cubin *cubin, const GElf_Shdr *table)
{
    Elf_Scn *changed = elf_getscn(cubin->elf, table->sh_info);
    GElf_Shdr header;

    return (table->sh_type == SHT_REL || table->sh_type == SHT_RELA) &&
           (!changed || !gelf_getshdr(changed, &header) || is_code(cubin, changed, &header));
}

/* One without a kernel, as of a file that has data only, breaks no rule. */
static bool check_cubin(struct reader *reader, const unsigned char *image, size_t size)
{
    struct cubin cubin = { .elf = elf_memory((char *)image, size) };
    Elf_Scn *section = NULL;
    bool ok = begin_cubin(reader, &cubin);

    if (ok)
        find_functions(&cubin);
    while (ok && (section = elf_nextscn(cubin.elf, section))) {
        GElf_Shdr header;
        const char *name;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS || header.sh_size == 0)
            continue;
        if (changes_code(&cubin, &header))
            ok = broken(reader, "its machine code cannot be read: relocations change it when it is loaded");
        if (!ok || !is_code(&cubin, section, &header))
            continue;
        name = elf_strptr(cubin.elf, cubin.names, header.sh_name);
        data = elf_rawdata(section, NULL);
        if (!name || !data || !data->d_buf)
            ok = broken(reader, "its machine code cannot be read: a section has no name or no contents");
        else
            ok = check_machine_code(reader, data->d_buf, data->d_size,
                                    name + (strncmp(name, ".text.", 6) == 0 ? 6 : 0));
    }
    free(cubin.has_functions);
    elf_end(cubin.elf);
    return ok;
}

/* One entry of a container. */
static bool check_entry(struct reader *reader, unsigned kind, uint64_t flags, const unsigned char *payload, size_t size)
{
    if (flags & FLAGS_COMPRESSED)
        return broken(reader, "its code is compressed and cannot be inspected: build with --compress-mode=none");
    if (flags & ~(uint64_t)FLAGS_PLAIN)
        return broken(reader, "it has device code in an unknown form (%#" PRIx64 "), which cannot be inspected", flags);
    if (kind == KIND_PTX)
        return check_ptx(reader, (const char *)payload, size);
    if (kind == KIND_CUBIN)
        return check_cubin(reader, payload, size);
    return broken(reader, "it has device code of an unknown kind (%u), which cannot be inspected", kind);
}

/* The containers of a .nv_fatbin section. */
static bool check_fatbin(struct reader *reader, const unsigned char *data, size_t size)
{
    enum container_step step;
    struct container found;
    size_t place = 0;

    while ((step = container_next(data, size, &place, &found)) == CONTAINER_FOUND)
        for (size_t at = found.entries; at < found.end;) {
            const size_t left = found.end - at, entry = left >= ENTRY_HEADER ? number(data + at + 4, 4) : 0;
            const size_t payload = entry >= ENTRY_HEADER && entry <= left ? number(data + at + 8, 8) : SIZE_MAX;

            if (payload > left || payload > left - entry)
                return broken(reader, "its device code cannot be read: an entry is longer than its container");
            if (!check_entry(reader, (unsigned)number(data + at, 2), number(data + at + 40, 8), data + at + entry,
                             payload))
                return false;
            at += entry + payload;
        }
    if (step == CONTAINER_TOO_LONG)
        return broken(reader, "its device code cannot be read: a container is longer than its section");
    return step == CONTAINER_NONE ||
           broken(reader, "its device code cannot be read: there is something between two containers");
}

/* Functions that bring in code which is not in the file, by the start of their names. */
static const char *const loaders[] = { "cudaLibrary", "cudaGetDriverEntryPoint", "cudaGetExportTable", "cu", "dlopen",
                                       "dlmopen", "dlsym", "dlvsym", "nvrtc", "nvJitLink" };

static bool is_loader(const char *name)
{
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        size_t length = strlen(loaders[i]);

        /* "cu" stands for the driver's functions: cuInit, but not cudaMalloc or custom. */
        if (strncmp(name, loaders[i], length) == 0 &&
            (strcmp(loaders[i], "cu") != 0 || isupper((unsigned char)name[2])))
            return true;
    }
    return false;
}

static bool check_imports(struct reader *reader, Elf *elf, Elf_Data *data, const GElf_Shdr *header)
{
    GElf_Sym symbol;

    for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if (symbol.st_shndx == SHN_UNDEF && name && is_loader(name))
            return broken(reader, "%.60s() is not allowed in this league: it can bring in code that is not inspected",
                          name);
    }
    return true;
}

/* Words of PTX in the data of a submission that brings OpenCL source. */
static bool check_source(struct reader *reader, const char *data, size_t size)
{
    static const char *const words[] = { "mma.sync", "wmma.mma", "wgmma." };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(data, size, words[i], strlen(words[i])))
            return broken(reader, "tensor cores are not allowed in this league: its data have '%s'", words[i]);
    return true;
}

static bool check_section(struct reader *reader, Elf *elf, Elf_Scn *section, size_t names)
{
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    Elf_Data *data = name && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;

    if (!data || !data->d_buf)
        return true;
    if (header.sh_type == SHT_DYNSYM)
        return check_imports(reader, elf, data, &header);
    if (strcmp(name, ".nv_fatbin") == 0)
        return check_fatbin(reader, data->d_buf, data->d_size);
    if (strncmp(name, ".rodata", 7) == 0 || strncmp(name, ".data", 5) == 0)
        return check_source(reader, data->d_buf, data->d_size);
    return true;
}

void rules_check(Elf *elf, unsigned rules, bool any_imports, struct findings *findings)
{
    struct reader reader = { .broken = findings->broken, .size = sizeof findings->broken };
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) != 0) {
        broken(&reader, "its sections cannot be inspected");
        return;
    }
    if (rules & 1u << RULE_TENSOR_CORES)
        while ((section = elf_nextscn(elf, section)) && check_section(&reader, elf, section, names))
            ;
    if (!any_imports && !reader.broken[0] && imports_check(elf, reader.broken, reader.size))
        startup_check(elf, reader.broken, reader.size);
    findings->half = reader.half;
}
