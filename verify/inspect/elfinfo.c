/*
 * elfinfo.c - needed libraries and exported symbols, by libelf.
 */
#include "elfinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_needed(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct elfinfo *info)
{
    GElf_Dyn entry;

    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name;

        if (entry.d_tag != DT_NEEDED)
            continue;
        name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name && strncmp(name, "libcudart.so", 12) == 0)
            snprintf(info->cuda_library, sizeof info->cuda_library, "%s", name);
        if (name && strncmp(name, "libOpenCL.so", 12) == 0)
            snprintf(info->opencl_library, sizeof info->opencl_library, "%s", name);
    }
}

/* From its first byte in memory to its last: the highest end of a segment, as the lowest begins at zero. */
static void read_image(Elf *elf, struct elfinfo *info)
{
    GElf_Phdr segment;
    size_t count;

    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            segment.p_vaddr + segment.p_memsz > info->image)
            info->image = segment.p_vaddr + segment.p_memsz;
}

/* What leads to more than one stream: of their own, of graphs, one a thread, or by the driver's functions. */
static bool leads_to_streams(const char *name)
{
    return strncmp(name, "cu", 2) == 0 &&
           (strstr(name, "StreamCreate") || strstr(name, "Graph") || strstr(name, "DriverEntryPoint") ||
            strstr(name, "_pts") || strstr(name, "_ptds"));
}

/* What OpenCL's loader is good for: kernels are built, and started. */
static bool starts_opencl(const char *name)
{
    return strcmp(name, "clBuildProgram") == 0 || strcmp(name, "clCompileProgram") == 0 ||
           strcmp(name, "clEnqueueNDRangeKernel") == 0 || strcmp(name, "clEnqueueTask") == 0;
}

static void read_symbols(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct elfinfo *info)
{
    GElf_Sym symbol;

    for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
        const char *name;
        unsigned char binding = GELF_ST_BIND(symbol.st_info);

        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF) {
            info->many_streams = info->many_streams || (name && leads_to_streams(name));
            info->starts_kernels = info->starts_kernels || (name && starts_opencl(name));
            continue;
        }
        if (binding != STB_GLOBAL && binding != STB_WEAK)
            continue;
        info->exports++;
        if (name && strcmp(name, "device_user") == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            info->has_device_user = true;
    }
}

bool elfinfo_read(const char *path, struct elfinfo *info, struct error *error)
{
    Elf *elf = NULL;
    Elf_Scn *section = NULL;
    GElf_Ehdr file_header;
    bool ok = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    memset(info, 0, sizeof *info);
    if (fd < 0)
        return error_usage(error, "cannot open the submission '%s': %s; build it with 'make submission PROBLEM=... "
                           "SUBMISSION=...'", path,
                           strerror(errno));
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file_header) || file_header.e_type != ET_DYN) {
        error_usage(error, "'%s' is not a shared object; build the submission with 'make submission'", path);
        goto out;
    }
    read_image(elf, info);
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_DYNAMIC && header.sh_type != SHT_DYNSYM))
            continue;
        data = elf_getdata(section, NULL);
        if (!data)
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_needed(elf, data, &header, info);
        else
            read_symbols(elf, data, &header, info);
    }
    ok = true;
out:
    elf_end(elf);
    close(fd);
    return ok;
}
