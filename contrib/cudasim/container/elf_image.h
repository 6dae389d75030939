/*
 * elf_image.h - a 64-bit ELF file in memory: its sections and their texts. cubin.c and symbol.c read it.
 *
 * libelf would do the same. But every process that loads the simulator would load libelf and zlib too, and most need
 * neither. Every offset is checked against the image.
 */
#ifndef CUDASIM_ELF_IMAGE_H
#define CUDASIM_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image {
    const unsigned char *bytes; /* [size] */
    size_t size;
    Elf64_Ehdr header;
    size_t section_count;
    size_t names; /* index of the section of section names */
};

/* False: these bytes are no ELF file of 64 bits and of this machine's byte order, or it has no sections. */
bool elf_image_open(struct elf_image *image, const void *bytes, size_t size);

/* The header of a section. False: the image ends before it. */
bool elf_image_section(const struct elf_image *image, size_t section, Elf64_Shdr *header);

/* The section's bytes, header->sh_size of them, at any alignment. NULL: the image has none. */
const void *elf_image_data(const struct elf_image *image, const Elf64_Shdr *header);

/* The text at `offset` of a section of texts; NULL: there is none. */
const char *elf_image_text(const struct elf_image *image, size_t section, uint64_t offset);

#endif
