/*
 * startup.c - looks for references to a few slots of the global offset table, in x86-64 code.
 *
 * A call goes through the slot of its name, by an entry of the procedure linkage table or directly. Both are found by
 * their 32-bit distance from the end of the instruction's operand, at every byte: code need not be taken apart for it.
 * On other processors only data is looked at.
 */
#include "startup.h"

#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allowed.h"

enum { PLACES = 64 };

/* Addresses that lead to a function: its slot, and entries that jump through it. */
struct places {
    uint64_t at[PLACES];
    const char *name[PLACES]; /* the function's */
    size_t count;
};

/* Addresses of a function of the compiler's. */
struct extent {
    uint64_t start, end;
};

struct reader {
    Elf *elf;
    size_t names; /* the section of the sections' names */
    struct extent *own; /* [own_count] functions of the compiler's */
    size_t own_count;
    struct places places;
    char *broken; /* [size] */
    size_t size;
};

/* The functions that nvcc writes; C++ has the first two as local ones. */
static const char *const compilers_own[] = { "_ZL24__sti____cudaRegisterAllv", "_ZL26__cudaUnregisterBinaryUtilv",
                                             "__sti____cudaRegisterAll", "__cudaUnregisterBinaryUtil",
                                             "_ZL31__nv_cudaEntityRegisterCallbackPPv",
                                             "__nv_cudaEntityRegisterCallback", "_ZL22____nv_dummy_param_refPv",
                                             "__cudaRegisterLinkedBinary", "_ZL30__nv_init_managed_rt_with_modulev",
                                             "_ZL37__nv_save_fatbinhandle_for_managed_rtPPv" };

static uint64_t number(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes); /* little-endian, as every machine with CUDA is */
    return value;
}

static bool add_place(struct reader *reader, uint64_t at, const char *name)
{
    if (reader->places.count == PLACES)
        return false;
    reader->places.at[reader->places.count] = at;
    reader->places.name[reader->places.count++] = name;
    return true;
}

/* The slots that the loader fills. A name anywhere else, as in a table of functions, breaks the rule. */
static bool find_slots(struct reader *reader, Elf_Data *data, const GElf_Shdr *header)
{
    GElf_Shdr symbols_header;
    Elf_Scn *symbols = elf_getscn(reader->elf, header->sh_link);
    Elf_Data *symbols_data = symbols ? elf_getdata(symbols, NULL) : NULL;
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (!symbols_data || !gelf_getshdr(symbols, &symbols_header))
        return true;
    for (int i = 0; gelf_getrela(data, i, &relocation); i++) {
        const uint64_t type = GELF_R_TYPE(relocation.r_info);
        const char *name;

        if (!gelf_getsym(symbols_data, (int)GELF_R_SYM(relocation.r_info), &symbol) ||
            !(name = elf_strptr(reader->elf, symbols_header.sh_link, symbol.st_name)) || !allowed_at_startup(name))
            continue;
        if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
            !add_place(reader, relocation.r_offset, name)) {
            snprintf(reader->broken, reader->size,
                     "has the address of %.60s in its data: only the compiler's own code may register device code",
                     name);
            return false;
        }
    }
    return true;
}

static const struct {
    unsigned char byte, mask;
} operands[] = { { 0xe8, 0xfe }, { 0x05, 0xc7 } }; /* call and jmp; an operand relative to the next instruction */

/* The place that the operand at `at` leads to; NULL for none. */
static const char *leads_to(const struct reader *reader, const unsigned char *code, size_t i, uint64_t address)
{
    const uint64_t target = address + i + 4 + (uint64_t)(int64_t)(int32_t)number(code + i, 4);
    const unsigned char before = code[i - 1];
    bool operand = false;

    for (size_t k = 0; k < sizeof operands / sizeof operands[0]; k++)
        operand = operand || (before & operands[k].mask) == operands[k].byte;
    for (size_t k = 0; operand && k < reader->places.count; k++)
        if (reader->places.at[k] == target)
            return reader->places.name[k];
    return NULL;
}

static bool is_named_own(const char *name)
{
    for (size_t k = 0; k < sizeof compilers_own / sizeof compilers_own[0]; k++)
        if (strncmp(name, compilers_own[k], strlen(compilers_own[k])) == 0)
            return true;
    return false;
}

/* The functions of the compiler's, by the whole table of symbols, of which the linker leaves nothing out. */
static bool find_own(struct reader *reader, Elf_Data *data, const GElf_Shdr *header)
{
    size_t room = 0;
    GElf_Sym symbol;

    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = GELF_ST_TYPE(symbol.st_info) == STT_FUNC
                               ? elf_strptr(reader->elf, header->sh_link, symbol.st_name) : NULL;

        if (!name || !is_named_own(name))
            continue;
        if (reader->own_count == room) {
            struct extent *grown = reallocarray(reader->own, room = room ? 2 * room : 64, sizeof *grown);

            if (!grown)
                return false;
            reader->own = grown;
        }
        reader->own[reader->own_count++] = (struct extent){ symbol.st_value, symbol.st_value + symbol.st_size };
    }
    return true;
}

/* Whether a function of the compiler's has the address in it. */
static bool is_compilers(const struct reader *reader, uint64_t address)
{
    for (size_t k = 0; k < reader->own_count; k++)
        if (address >= reader->own[k].start && address < reader->own[k].end)
            return true;
    return false;
}

/* One section of code: entries of the linkage table are places themselves; other references must be the compiler's. */
static bool check_code(struct reader *reader, const unsigned char *code, const GElf_Shdr *header, bool linkage)
{
    for (size_t i = 1; i + 4 <= header->sh_size; i++) {
        const char *name = leads_to(reader, code, i, header->sh_addr);

        if (!name)
            continue;
        /* An entry is 16 bytes, or 8 in .plt.got, and may begin with a mark for indirect jumps. */
        if (linkage) {
            const uint64_t entry = (header->sh_addr + i) & ~(uint64_t)7;

            if (!add_place(reader, entry, name) || !add_place(reader, entry & ~(uint64_t)15, name))
                return false;
        } else if (!is_compilers(reader, header->sh_addr + i)) {
            snprintf(reader->broken, reader->size,
                     "calls %.60s itself: only the compiler's own code may register device code", name);
            return false;
        }
    }
    return true;
}

static bool each_section(struct reader *reader, bool (*look)(struct reader *, Elf_Scn *, const GElf_Shdr *,
                                                             const char *))
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(reader->elf, section))) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(reader->elf, reader->names, header.sh_name)
                                                          : NULL;

        if (name && !look(reader, section, &header, name))
            return false;
    }
    return true;
}

static bool look_at_tables(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);

    (void)name;
    if (header->sh_type == SHT_SYMTAB && !find_own(reader, data, header))
        return false;
    return header->sh_type != SHT_RELA || !(header->sh_flags & SHF_ALLOC) || !data || find_slots(reader, data, header);
}

static bool is_linkage(const char *name) { return strncmp(name, ".plt", 4) == 0; }

static bool look_at(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header, const char *name, bool linkage)
{
    Elf_Data *data;

    if (!(header->sh_flags & SHF_EXECINSTR) || header->sh_type != SHT_PROGBITS || is_linkage(name) != linkage)
        return true;
    data = elf_rawdata(section, NULL);
    return !data || !data->d_buf || data->d_size < header->sh_size || check_code(reader, data->d_buf, header, linkage);
}

static bool look_at_linkage(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    return look_at(reader, section, header, name, true);
}

static bool look_at_code(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    return look_at(reader, section, header, name, false);
}

static bool check(struct reader *reader)
{
    GElf_Ehdr header;

    if (!gelf_getehdr(reader->elf, &header) || elf_getshdrstrndx(reader->elf, &reader->names) != 0) {
        snprintf(reader->broken, reader->size, "its sections cannot be inspected");
        return false;
    }
    if (!each_section(reader, look_at_tables)) {
        if (!reader->broken[0])
            snprintf(reader->broken, reader->size, "its symbols cannot be inspected");
        return false;
    }
    if (header.e_machine != EM_X86_64 || reader->places.count == 0)
        return true;
    if (each_section(reader, look_at_linkage) && each_section(reader, look_at_code))
        return true;
    if (!reader->broken[0])
        snprintf(reader->broken, reader->size, "its linkage table cannot be inspected");
    return false;
}

bool startup_check(Elf *elf, char *broken, size_t size)
{
    struct reader reader = { .elf = elf, .broken = broken, .size = size };
    const bool ok = check(&reader);

    free(reader.own);
    return ok;
}
