/*
 * elf_image.c - reads an ELF file in memory. cubin.c and symbol.c call it. It knows no kernel.
 */
#include "elf_image.h"

#include <string.h>

bool elf_image_open(struct elf_image *image, const void *bytes, size_t size)
{
    Elf64_Shdr first;

    *image = (struct elf_image){ .bytes = bytes, .size = size };
    if (size < sizeof image->header)
        return false;
    memcpy(&image->header, bytes, sizeof image->header);
    if (memcmp(image->header.e_ident, ELFMAG, SELFMAG) != 0 || image->header.e_ident[EI_CLASS] != ELFCLASS64 ||
        image->header.e_ident[EI_DATA] != ELFDATA2LSB || image->header.e_shentsize < sizeof first ||
        !image->header.e_shoff || !elf_image_section(image, 0, &first))
        return false;
    /* Section 0 has the numbers that are too large for the file's header. */
    image->section_count = image->header.e_shnum ? image->header.e_shnum : first.sh_size;
    image->names = image->header.e_shstrndx == SHN_XINDEX ? first.sh_link : image->header.e_shstrndx;
    return image->section_count > 0 && image->section_count <= size / sizeof first;
}

bool elf_image_section(const struct elf_image *image, size_t section, Elf64_Shdr *header)
{
    uint64_t offset;

    if (__builtin_mul_overflow((uint64_t)section, (uint64_t)image->header.e_shentsize, &offset) ||
        __builtin_add_overflow(offset, image->header.e_shoff, &offset) || offset > image->size ||
        image->size - offset < sizeof *header)
        return false;
    memcpy(header, image->bytes + offset, sizeof *header);
    return true;
}

const void *elf_image_data(const struct elf_image *image, const Elf64_Shdr *header)
{
    if (header->sh_type == SHT_NOBITS || !header->sh_size || header->sh_offset > image->size ||
        header->sh_size > image->size - header->sh_offset)
        return NULL;
    return image->bytes + header->sh_offset;
}

const char *elf_image_text(const struct elf_image *image, size_t section, uint64_t offset)
{
    Elf64_Shdr header;
    const char *data;

    if (section >= image->section_count || !elf_image_section(image, section, &header) ||
        header.sh_type != SHT_STRTAB)
        return NULL;
    data = elf_image_data(image, &header);
    if (!data || offset >= header.sh_size || !memchr(data + offset, '\0', header.sh_size - offset))
        return NULL;
    return data + offset;
}
