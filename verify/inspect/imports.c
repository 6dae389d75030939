/*
 * imports.c - what is allowed (allowed.h), and a table of names with the rules that they break, for plainer words.
 *
 * Looked at are undefined dynamic symbols, needed libraries and the tags that make the loader look elsewhere. The
 * loader finds all of them by the program header PT_DYNAMIC, and this file by sections: so both must be the same.
 */
#include "imports.h"

#include <ctype.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "allowed.h"

enum rule_words { PROCESSES, OTHERS, DEVICES, PEERS, SHARING, CONTEXT, DRIVER, LOADING };

static const char *const words[] = {
    [PROCESSES] = "a submission may not start processes",
    [OTHERS] = "a submission may not reach into other processes",
    [DEVICES] = "a submission may use only the device that it is given",
    [PEERS] = "a submission may not reach the memory of other devices",
    [SHARING] = "a submission may not share device memory with other processes",
    [CONTEXT] = "the device's context is the judge's: a submission may not make or reset one",
    [DRIVER] = "a submission may not go past the CUDA runtime to the driver",
    [LOADING] = "a submission may not load libraries or look up functions by name",
};

/*
 * `name` ends in '*' where it is the start of names. `cub`: CUB and Thrust have it in what they instantiate (measured
 * with CUDA 13.0: they guard against a changed device), so it breaks no rule in a submission
 * that has kernels of theirs. On the device side nothing is gained by that: the box has one.
 */
static const struct {
    const char *name;
    enum rule_words rule;
    bool cub;
} table[] = {
    { "fork", PROCESSES, false },
    { "_Fork", PROCESSES, false },
    { "__fork", PROCESSES, false },
    { "__libc_fork", PROCESSES, false },
    { "vfork", PROCESSES, false },
    { "__vfork", PROCESSES, false },
    { "forkpty", PROCESSES, false },
    { "clone", PROCESSES, false },
    { "__clone", PROCESSES, false },
    { "__clone2", PROCESSES, false },
    { "clone3", PROCESSES, false },
    { "posix_spawn*", PROCESSES, false },
    { "pidfd_spawn*", PROCESSES, false },
    { "execl", PROCESSES, false },
    { "execle", PROCESSES, false },
    { "execlp", PROCESSES, false },
    { "execv", PROCESSES, false },
    { "execve", PROCESSES, false },
    { "execveat", PROCESSES, false },
    { "execvp", PROCESSES, false },
    { "execvpe", PROCESSES, false },
    { "fexecve", PROCESSES, false },
    { "system", PROCESSES, false },
    { "__libc_system", PROCESSES, false },
    { "popen", PROCESSES, false },
    { "_IO_popen", PROCESSES, false },
    { "_IO_proc_open", PROCESSES, false },
    { "wordexp", PROCESSES, false },
    { "daemon", PROCESSES, false },
    { "ptrace", OTHERS, false },
    { "process_vm_*", OTHERS, false },
    { "process_madvise", OTHERS, false },
    { "pidfd_getfd", OTHERS, false },
    { "cudaSetDevice", DEVICES, true },
    { "cudaGetDeviceCount", DEVICES, true },
    { "cudaSetValidDevices", DEVICES, false },
    { "cudaChooseDevice", DEVICES, false },
    { "cudaInitDevice", DEVICES, false },
    { "cudaDeviceGetByPCIBusId", DEVICES, false },
    { "cudaDeviceGetP2PAttribute", PEERS, false },
    { "cudaDeviceCanAccessPeer", PEERS, false },
    { "cudaDeviceEnablePeerAccess", PEERS, false },
    { "cudaDeviceDisablePeerAccess", PEERS, false },
    { "cudaMemcpyPeer*", PEERS, false },
    { "cudaMemcpy3DPeer*", PEERS, false },
    { "cudaIpc*", SHARING, false },
    { "cudaImportExternal*", SHARING, false },
    { "cudaExternalMemory*", SHARING, false },
    { "cudaMemPoolExport*", SHARING, false },
    { "cudaMemPoolImport*", SHARING, false },
    { "cudaDeviceReset", CONTEXT, false },
    { "cudaThreadExit", CONTEXT, false },
    { "cudaGreenCtx*", CONTEXT, false },
    { "cuCtx*", CONTEXT, false },
    { "cuGreenCtx*", CONTEXT, false },
    { "cuDevicePrimaryCtx*", CONTEXT, false },
    { "cudaGetDriverEntryPoint*", DRIVER, false },
    { "cudaGetExportTable", DRIVER, false },
    { "dlopen", LOADING, false },
    { "dlsym", LOADING, false },
    { "dlclose", LOADING, false },
    { "dlmopen", LOADING, false },
    { "dlvsym", LOADING, false },
    { "dladdr*", LOADING, false },
    { "dlinfo", LOADING, false },
    { "dl_iterate_phdr", LOADING, false },
    { "_dl_*", LOADING, false },
    { "__libc_dl*", LOADING, false },
};

/* The starts of the names of libraries that a submission may need. libmvec comes with libm, for vectorised loops. */
static const char *const libraries[] = { "libcudart.so.", "libOpenCL.so.", "libstdc++.so.", "libm.so.", "libmvec.so.",
                                         "libc.so.", "libgcc_s.so.", "libpthread.so.", "libdl.so.", "librt.so.",
                                         "ld-linux" };

static const struct {
    GElf_Sxword tag;
    const char *name;
} forbidden_tags[] = {
    { DT_RPATH, "RPATH" }, { DT_RUNPATH, "RUNPATH" }, { DT_CONFIG, "CONFIG" }, { DT_AUDIT, "AUDIT" },
    { DT_DEPAUDIT, "DEPAUDIT" }, { DT_AUXILIARY, "AUXILIARY" }, { DT_FILTER, "FILTER" },
};

/* What the loader goes by. */
struct dynamic {
    GElf_Shdr tags;    /* the section of them */
    Elf_Data *data;    /* its contents */
    uint64_t symbols;  /* address of the dynamic symbols */
    uint64_t strings;  /* address of their names */
};

static bool matches(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);

    return pattern[length - 1] == '*' ? strncmp(name, pattern, length - 1) == 0 : strcmp(name, pattern) == 0;
}

/* Kernels of CUB or Thrust: their mangled names, which the CUDA runtime gets when the file is loaded. */
static bool has_cub(Elf *elf)
{
    static const char *const names[] = { "_ZN3cub", "_ZN6thrust" };
    Elf_Scn *section = NULL;
    size_t strings;

    if (elf_getshdrstrndx(elf, &strings) != 0)
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, strings, header.sh_name) : NULL;
        Elf_Data *data;

        if (!name || strncmp(name, ".rodata", 7) != 0 || !(data = elf_rawdata(section, NULL)) || !data->d_buf)
            continue;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (memmem(data->d_buf, data->d_size, names[i], strlen(names[i])))
                return true;
    }
    return false;
}

static bool check_name(Elf *elf, const char *name, char *broken, size_t size)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (matches(name, table[i].name)) {
            if (table[i].cub && has_cub(elf))
                return true;
            snprintf(broken, size, "names %.60s: %s", name, words[table[i].rule]);
            return false;
        }
    /* All of the driver: cuInit, but not cudaMalloc or custom. */
    if (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2])) {
        snprintf(broken, size, "names %.60s: %s", name, words[DRIVER]);
        return false;
    }
    if (allowed_name(name) || allowed_at_startup(name))
        return true;
    snprintf(broken, size, "names %.100s: a submission may use functions that compute and print, of C, C++, CUDA and "
                           "OpenCL, and no others (docs/SECURITY.md lists them)", name);
    return false;
}

static bool check_library(const char *name, char *broken, size_t size)
{
    bool driver = strncmp(name, "libcuda.so", 10) == 0 || strncmp(name, "libnvidia-", 10) == 0;

    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0 && !strchr(name, '/'))
            return true;
    if (driver)
        snprintf(broken, size, "needs %.60s: %s", name, words[DRIVER]);
    else
        snprintf(broken, size, "needs %.60s: a submission may use the libraries of C, C++, the CUDA runtime and OpenCL "
                               "only", name);
    return false;
}

static bool unreadable(char *broken, size_t size)
{
    snprintf(broken, size, "its dynamic symbols cannot be inspected: sections and program headers disagree");
    return false;
}

/* The section that the program header names; false if there is not exactly that one. */
static bool find_dynamic(Elf *elf, struct dynamic *dynamic)
{
    GElf_Phdr segment, found = { 0 };
    Elf_Scn *section = NULL;
    size_t segments;
    bool same = false;

    if (elf_getphdrnum(elf, &segments) != 0)
        return false;
    for (size_t i = 0; i < segments; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_DYNAMIC) {
            if (found.p_type == PT_DYNAMIC)
                return false;
            found = segment;
        }
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;

        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
            continue;
        if (same || found.p_type != PT_DYNAMIC || header.sh_offset != found.p_offset ||
            header.sh_addr != found.p_vaddr || header.sh_size < found.p_filesz)
            return false;
        same = true;
        dynamic->tags = header;
        dynamic->data = elf_getdata(section, NULL);
    }
    return same && dynamic->data;
}

/* What can be executed is not to be written, in the file as in memory: the filter of system calls ends who tries. */
static bool check_segments(Elf *elf, char *broken, size_t size)
{
    bool has_stack = false, executable_stack = false;
    GElf_Phdr segment;
    size_t segments;

    if (elf_getphdrnum(elf, &segments) != 0)
        return unreadable(broken, size);
    for (size_t i = 0; i < segments && gelf_getphdr(elf, (int)i, &segment); i++) {
        if (segment.p_type == PT_LOAD && (segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X)) {
            snprintf(broken, size,
                     "has a section that can be written and executed: a submission's code may not change");
            return false;
        }
        has_stack = has_stack || segment.p_type == PT_GNU_STACK;
        executable_stack = executable_stack || (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X));
    }
    if (has_stack && !executable_stack)
        return true;
    snprintf(broken, size, "needs an executable stack: do not take the address of a function inside a function, or "
                           "move it out");
    return false;
}

static bool check_tags(Elf *elf, struct dynamic *dynamic, char *broken, size_t size)
{
    GElf_Dyn entry;

    for (int i = 0; gelf_getdyn(dynamic->data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name;

        if (entry.d_tag == DT_SYMTAB)
            dynamic->symbols = entry.d_un.d_ptr;
        if (entry.d_tag == DT_STRTAB)
            dynamic->strings = entry.d_un.d_ptr;
        for (size_t k = 0; k < sizeof forbidden_tags / sizeof forbidden_tags[0]; k++)
            if (entry.d_tag == forbidden_tags[k].tag) {
                snprintf(broken, size, "has DT_%s: a submission may not change the search path of libraries",
                         forbidden_tags[k].name);
                return false;
            }
        if (entry.d_tag == DT_TEXTREL || (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL))) {
            snprintf(broken, size, "has code that changes when it is loaded (DT_TEXTREL): compile it with -fPIC");
            return false;
        }
        if (entry.d_tag != DT_NEEDED)
            continue;
        name = elf_strptr(elf, dynamic->tags.sh_link, entry.d_un.d_val);
        if (!name)
            return unreadable(broken, size);
        if (!check_library(name, broken, size))
            return false;
    }
    return true;
}

static bool check_symbols(Elf *elf, Elf_Data *data, const GElf_Shdr *header, char *broken, size_t size)
{
    GElf_Sym symbol;

    for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        if (!name)
            return unreadable(broken, size);
        if (symbol.st_shndx == SHN_UNDEF && !check_name(elf, name, broken, size))
            return false;
    }
    return true;
}

bool imports_check(Elf *elf, char *broken, size_t size)
{
    struct dynamic dynamic = { 0 };
    Elf_Scn *section = NULL;
    int tables = 0;

    if (!find_dynamic(elf, &dynamic))
        return unreadable(broken, size);
    if (!check_segments(elf, broken, size) || !check_tags(elf, &dynamic, broken, size))
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header, strings;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
            continue;
        data = elf_getdata(section, NULL);
        if (!data || ++tables > 1 || header.sh_addr != dynamic.symbols ||
            !gelf_getshdr(elf_getscn(elf, header.sh_link), &strings) || strings.sh_addr != dynamic.strings ||
            header.sh_link != dynamic.tags.sh_link)
            return unreadable(broken, size);
        if (!check_symbols(elf, data, &header, broken, size))
            return false;
    }
    return tables == 1 || unreadable(broken, size);
}
