/*
 * symbol.c - finds functions by their addresses, for messages about the host's code. The runtime calls it.
 */
#include "symbol.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"
#include "line_table.h"

/* The function at `offset` in one section of symbols; *start: where it begins. */
static bool search(const struct elf_image *image, const Elf64_Shdr *header, uint64_t offset, char *name, size_t size,
                   uint64_t *start)
{
    const char *data = elf_image_data(image, header);

    for (size_t n = 0; data && n < header->sh_size / sizeof(Elf64_Sym); n++) {
        Elf64_Sym symbol;
        const char *text;

        memcpy(&symbol, data + n * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || offset - symbol.st_value >= symbol.st_size)
            continue;
        text = elf_image_text(image, header->sh_link, symbol.st_name);
        if (!text || !*text)
            continue;
        snprintf(name, size, "%s", text);
        *start = symbol.st_value;
        return true;
    }
    return false;
}

/* The function at `place` of the file. */
static bool search_all(const struct elf_image *image, uint64_t place, char *name, size_t size, uint64_t *start)
{
    bool found = false;

    for (size_t n = 1; !found && n < image->section_count; n++) {
        Elf64_Shdr header;

        if (elf_image_section(image, n, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            found = search(image, &header, place, name, size, start);
    }
    return found;
}

/* The file's bytes, to be unmapped; MAP_FAILED: it cannot be read, or is empty. */
static void *map_file(const char *path, size_t *bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *data = MAP_FAILED;
    struct stat status;

    if (file < 0)
        return data;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        *bytes = (size_t)status.st_size;
        data = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    return data;
}

bool symbol_at(const char *path, uint64_t base, uint64_t address, char *name, size_t size, uint64_t *place)
{
    size_t bytes = 0;
    void *data = map_file(path, &bytes);
    struct elf_image image;
    bool found = false;
    uint64_t start;

    *place = address - base;
    if (data == MAP_FAILED)
        return false;
    if (elf_image_open(&image, data, bytes)) {
        if (image.header.e_type == ET_EXEC) /* linked for the place where it is */
            *place = address;
        found = search_all(&image, *place, name, size, &start);
    }
    munmap(data, bytes);
    return found;
}

/* Reading a program's line table takes milliseconds, and one line may be asked for in a loop. */
static struct {
    uint64_t base, address; /* 0: not used */
    char path[256];         /* its beginning: another library may be loaded at the same place later */
    bool calls;             /* as in read_line() */
    char text[300];
} known_lines[64];
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

/* `calls`: the line of the statement that calls inlined code. */
static void read_line(const char *path, uint64_t base, uint64_t address, bool calls, char *text, size_t size)
{
    size_t bytes = 0;
    uint64_t place, start;
    void *data = map_file(path, &bytes);
    struct elf_image image;
    char file[256], name[512];
    unsigned line;

    text[0] = '\0';
    if (data == MAP_FAILED)
        return;
    if (elf_image_open(&image, data, bytes)) {
        place = image.header.e_type == ET_EXEC ? address : address - base;
        if (calls ? search_all(&image, place, name, sizeof name, &start) &&
                        line_of_call(&image, start, place, file, sizeof file, &line)
                  : line_at(&image, place, file, sizeof file, &line))
            snprintf(text, size, " at %s:%u", file, line);
    }
    munmap(data, bytes);
}

static void known_line(const char *path, uint64_t base, uint64_t address, bool calls, char *text, size_t size)
{
    size_t at = address * 0x9E3779B97F4A7C15u >> 58;

    pthread_mutex_lock(&known_lock);
    if (known_lines[at].base != base || known_lines[at].address != address ||
        known_lines[at].calls != calls ||
        strncmp(known_lines[at].path, path, sizeof known_lines[at].path - 1) != 0) {
        read_line(path, base, address, calls, known_lines[at].text, sizeof known_lines[at].text);
        snprintf(known_lines[at].path, sizeof known_lines[at].path, "%s", path);
        known_lines[at].base = base;
        known_lines[at].address = address;
        known_lines[at].calls = calls;
    }
    snprintf(text, size, "%s", known_lines[at].text);
    pthread_mutex_unlock(&known_lock);
}

void symbol_line(const char *path, uint64_t base, uint64_t address, char *text, size_t size)
{
    known_line(path, base, address, false, text, size);
}

void symbol_call_line(const char *path, uint64_t base, uint64_t address, char *text, size_t size)
{
    known_line(path, base, address, true, text, size);
}
