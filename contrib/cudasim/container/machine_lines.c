/*
 * machine_lines.c - reads machine code with its lines. features/ calls it. It does not know what an operation does.
 */
#include "machine_lines.h"

#include <stdlib.h>
#include <string.h>

#include "elf_image.h"
#include "line_table.h"

enum { STEP = 16 /* bytes of an instruction */, KNOWN_CODE = 90 };

int64_t machine_distance(const struct machine_ins *i)
{
    uint64_t units = (i->low >> 16 & 0xFF) | i->low >> 34 << 8 | i->high << 38;

    return (int64_t)(units << 8) / 256 / (STEP / 4);
}

struct reading {
    struct machine_function *functions;
    size_t count;
    size_t *of_section; /* [sections] function plus 1; 0: none */
    size_t sections;
};

/* Rows come with ascending addresses in each function. */
static void note_row(size_t section, uint64_t address, unsigned line, void *context)
{
    struct reading *r = context;
    size_t number = section < r->sections ? r->of_section[section] : 0;

    if (number && address / STEP < r->functions[number - 1].count)
        r->functions[number - 1].code[address / STEP].line = line;
}

static bool take_function(const struct elf_image *image, const Elf64_Shdr *header, const char *name,
                          struct machine_function *f)
{
    const unsigned char *bytes = elf_image_data(image, header);

    f->count = bytes ? header->sh_size / STEP : 0;
    f->name = strdup(name);
    f->code = calloc(f->count + 1, sizeof *f->code);
    for (size_t n = 0; f->code && n < f->count; n++) {
        memcpy(&f->code[n].low, bytes + n * STEP, 8);
        memcpy(&f->code[n].high, bytes + n * STEP + 8, 8);
    }
    return f->name && f->code;
}

static bool read_functions(const struct elf_image *image, struct reading *r)
{
    for (size_t section = 1; section < image->section_count; section++) {
        Elf64_Shdr header;
        const char *name;

        if (!elf_image_section(image, section, &header) ||
            !(name = elf_image_text(image, image->names, header.sh_name)) || strncmp(name, ".text.", 6))
            continue;
        r->of_section[section] = ++r->count;
        if (!take_function(image, &header, name + 6, &r->functions[r->count - 1]))
            return false;
    }
    return true;
}

bool machine_functions(const void *elf, size_t size, struct machine_function **functions, size_t *count)
{
    struct reading r = {0};
    struct elf_image image;
    bool good;

    if (!elf_image_open(&image, elf, size) || image.header.e_machine != EM_CUDA ||
        (image.header.e_flags >> 8 & 0xFF) != KNOWN_CODE)
        return false;
    r.sections = image.section_count;
    r.of_section = calloc(r.sections, sizeof *r.of_section);
    r.functions = calloc(r.sections, sizeof *r.functions);
    good = r.of_section && r.functions && read_functions(&image, &r);
    if (good)
        line_rows(&image, note_row, &r);
    free(r.of_section);
    for (size_t f = 0; good && f < r.count; f++)
        for (size_t n = 1; n < r.functions[f].count; n++)
            if (!r.functions[f].code[n].line)
                r.functions[f].code[n].line = r.functions[f].code[n - 1].line;
    if (!good) {
        machine_functions_free(r.functions, r.functions ? r.count : 0);
        return false;
    }
    *functions = r.functions;
    *count = r.count;
    return true;
}

void machine_functions_free(struct machine_function *functions, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        free(functions[n].name);
        free(functions[n].code);
    }
    free(functions);
}
