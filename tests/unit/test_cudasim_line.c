/*
 * test_cudasim_line.c - lines of the host's code: those of this program, and what is left of them in damaged copies.
 *
 * It needs -g.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/cudasim/container/elf_image.h"
#include "contrib/cudasim/container/line_table.h"
#include "unit.h"

enum { DAMAGED = 400 };

static uintptr_t behind; /* the last call of mark() */

__attribute__((noinline)) static void mark(void) { behind = (uintptr_t)__builtin_return_address(0); }

static unsigned char *read_self(size_t *size)
{
    FILE *f = fopen("/proc/self/exe", "rb");
    unsigned char *bytes = NULL;
    long end;

    if (f && fseek(f, 0, SEEK_END) == 0 && (end = ftell(f)) > 0 && (bytes = malloc((size_t)end))) {
        rewind(f);
        *size = fread(bytes, 1, (size_t)end, f);
    }
    if (f)
        fclose(f);
    return bytes;
}

/* Where the section is in the file: its first byte, and its size. False: there is none. */
static bool find_section(const struct elf_image *image, const char *name, size_t *start, size_t *size)
{
    for (size_t n = 1; n < image->section_count; n++) {
        Elf64_Shdr header;
        const char *text;

        if (elf_image_section(image, n, &header) && (text = elf_image_text(image, image->names, header.sh_name)) &&
            !strcmp(text, name)) {
            *start = header.sh_offset;
            *size = header.sh_size;
            return true;
        }
    }
    return false;
}

/* Whatever is in the table, reading it ends, and a name stays in its room. */
static void damage(unsigned char *bytes, size_t size, const char *section, uint64_t place)
{
    struct elf_image image;
    size_t start = 0, length = 0, found = 0;

    CHECK(elf_image_open(&image, bytes, size) && find_section(&image, section, &start, &length), "no %s", section);
    for (unsigned round = 0; length && round < DAMAGED; round++) {
        unsigned char kept[8];
        size_t at[8];
        char file[16];
        unsigned line = 0;

        for (unsigned n = 0; n < 8; n++) {
            /* Half of them at the beginning, where the sizes and the lists of names are. */
            at[n] = start + (size_t)rand() % (n % 2 && length > 128 ? 128 : length);
            kept[n] = bytes[at[n]];
            bytes[at[n]] = (unsigned char)(round % 2 ? rand() : rand() % 2 * 255);
        }
        memset(file, 'x', sizeof file);
        found += line_at(&image, place, file, sizeof file, &line);
        CHECK(memchr(file, 0, sizeof file) || file[0] == 'x', "round %u of %s", round, section);
        line_of_call(&image, 0, place, file, sizeof file, &line);
        CHECK(memchr(file, 0, sizeof file) || file[0] == 'x', "round %u of %s, a call", round, section);
        for (unsigned n = 8; n-- > 0;)
            bytes[at[n]] = kept[n];
    }
    printf("%s: %zu of %d damaged copies have a line\n", section, found, DAMAGED);
}

/* Lists of names whose entries have no parts, and that say they are endless. */
static void make_endless(unsigned char *bytes, size_t size)
{
    struct elf_image image;
    size_t start = 0, length = 0, units = 0;

    CHECK(elf_image_open(&image, bytes, size) && find_section(&image, ".debug_line", &start, &length), "no lines");
    for (size_t at = start; at + 16 < start + length; units++) {
        unsigned char *unit = bytes + at;
        uint32_t rest;

        memcpy(&rest, unit, sizeof rest);
        if (unit[4] == 5) { /* the version; unit[17]: opcodes, whose table comes before the lists */
            unit[18 + unit[17] - 1] = 0;
            memset(unit + 18 + unit[17], 0xff, 9);
            unit[18 + unit[17] + 9] = 1;
        }
        at += sizeof rest + rest;
    }
    CHECK(units > 0, "no unit");
}

int main(void)
{
    struct elf_image image;
    Dl_info info;
    size_t size = 0;
    unsigned char *bytes = read_self(&size);
    char file[64] = "";
    unsigned line = 0, first, second;
    uint64_t base;

    CHECK(bytes && elf_image_open(&image, bytes, size), "this program");
    if (unit_failures || !dladdr((void *)(uintptr_t)mark, &info))
        return 1;
    base = (uintptr_t)info.dli_fbase;
    mark(), first = __LINE__;
    CHECK(line_at(&image, behind - 1 - base, file, sizeof file, &line), "no line: is this built with -g?");
    CHECK(!strcmp(file, "test_cudasim_line.c") && line == first, "%s:%u, not %u", file, line, first);
    mark(), second = __LINE__;
    CHECK(line_at(&image, behind - 1 - base, file, sizeof file, &line) && line == second, "%u, not %u", line, second);
    CHECK(!line_at(&image, UINT64_MAX / 2, file, sizeof file, &line), "no code is there");
    srand(1);
    damage(bytes, size, ".debug_line", behind - 1 - base);
    damage(bytes, size, ".debug_line_str", behind - 1 - base);
    make_endless(bytes, size);
    alarm(20);
    CHECK(!line_at(&image, behind - 1 - base, file, sizeof file, &line), "a list without an end has a name");
    free(bytes);
    return unit_end();
}
