/*
 * symbol.c - finds functions by their addresses, for messages about the host's code. The runtime calls it.
 */
#include "symbol.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

static bool search(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t offset, char *name, size_t size)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t n = 0; data && n < count && n < INT32_MAX; n++) {
        GElf_Sym symbol;
        const char *text;

        if (!gelf_getsym(data, (int)n, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            offset - symbol.st_value >= symbol.st_size)
            continue;
        text = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!text || !*text)
            continue;
        snprintf(name, size, "%s", text);
        return true;
    }
    return false;
}

bool symbol_at(const char *path, uint64_t base, uint64_t address, char *name, size_t size, uint64_t *place)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf_Scn *section = NULL;
    bool found = false;
    GElf_Ehdr type;
    GElf_Shdr header;
    Elf *elf;

    *place = address - base;
    if (file < 0)
        return false;
    elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(file, ELF_C_READ, NULL);
    if (elf && gelf_getehdr(elf, &type) && type.e_type == ET_EXEC) /* linked for the place where it is */
        *place = address;
    while (elf && !found && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            found = search(elf, section, &header, *place, name, size);
    if (elf)
        elf_end(elf);
    close(file);
    return found;
}
