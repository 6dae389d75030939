/*
 * elfinfo.c - needed libraries and exported symbols, by libelf.
 */
#include "elfinfo.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void read_needed(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct findings *findings)
{
    GElf_Dyn entry;

    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        const char *name;

        if (entry.d_tag != DT_NEEDED)
            continue;
        name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (!name || strchr(name, '/'))
            continue; /* no name of a library: imports.c refuses it */
        if (strncmp(name, "libcudart.so", 12) == 0)
            snprintf(findings->cuda_library, sizeof findings->cuda_library, "%s", name);
        if (strncmp(name, "libOpenCL.so", 12) == 0)
            snprintf(findings->opencl_library, sizeof findings->opencl_library, "%s", name);
    }
}

/* From its first byte in memory to its last: the highest end of a segment, as the lowest begins at zero. */
static void read_image(Elf *elf, struct findings *findings)
{
    GElf_Phdr segment;
    size_t count;

    if (elf_getphdrnum(elf, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
            segment.p_vaddr + segment.p_memsz > findings->image)
            findings->image = segment.p_vaddr + segment.p_memsz;
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

static void read_symbols(Elf *elf, Elf_Data *data, const GElf_Shdr *header, struct findings *findings)
{
    GElf_Sym symbol;

    for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
        const char *name;
        unsigned char binding = GELF_ST_BIND(symbol.st_info);

        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF) {
            findings->many_streams = findings->many_streams || (name && leads_to_streams(name));
            findings->starts_kernels = findings->starts_kernels || (name && starts_opencl(name));
            continue;
        }
        if (binding != STB_GLOBAL && binding != STB_WEAK)
            continue;
        if (name && strcmp(name, "device_user") == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            findings->has_device_user = 1;
    }
}

void elfinfo_read(Elf *elf, struct findings *findings)
{
    Elf_Scn *section = NULL;
    GElf_Ehdr file_header;

    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &file_header) || file_header.e_type != ET_DYN)
        return;
    findings->is_shared_object = 1;
    read_image(elf, findings);
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;

        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_DYNAMIC && header.sh_type != SHT_DYNSYM))
            continue;
        data = elf_getdata(section, NULL);
        if (!data)
            continue;
        if (header.sh_type == SHT_DYNAMIC)
            read_needed(elf, data, &header, findings);
        else
            read_symbols(elf, data, &header, findings);
    }
}
