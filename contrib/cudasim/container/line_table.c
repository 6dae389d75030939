/*
 * line_table.c - reads the section .debug_line of an ELF file, versions 2 to 5 of DWARF.
 *
 * symbol.c calls it, for messages about the host's code. A table that is damaged ends where it is damaged. libdw would
 * do the same, at the price that elf_image.h names.
 */
#include "line_table.h"

#include <stdio.h>
#include <string.h>

#include "elf_image.h"

/* Codes of the DWARF standard. */
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, NEGATE_STATEMENT = 6, CONST_ADD_PC = 8, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
enum { FORM_BLOCK = 0x09, FORM_DATA1 = 0x0b, FORM_DATA2 = 0x05, FORM_DATA4 = 0x06, FORM_DATA8 = 0x07,
       FORM_DATA16 = 0x1e, FORM_STRING = 0x08, FORM_UDATA = 0x0f, FORM_LINE_STRP = 0x1f, FORM_STRP = 0x0e };
enum { CONTENT_PATH = 1 };

/* Bytes that are read one after the other. After the end all of them are zero, and `bad` is set. */
struct reader {
    const unsigned char *at, *end;
    bool bad;
};

static uint64_t take(struct reader *r, unsigned bytes)
{
    uint64_t value = 0;

    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes < 8 ? bytes : 8);
    r->at += bytes;
    return value;
}

/* A number in seven bits of each byte (LEB128). *bits: how many it has. */
static uint64_t take_sevens(struct reader *r, unsigned *bits)
{
    uint64_t value = 0, byte;

    *bits = 0;
    do {
        byte = take(r, 1);
        if (*bits < 64)
            value |= (byte & 0x7F) << *bits;
        *bits += 7;
    } while (byte & 0x80);
    return value;
}

static uint64_t take_unsigned(struct reader *r)
{
    unsigned bits;

    return take_sevens(r, &bits);
}

static int64_t take_signed(struct reader *r)
{
    unsigned bits;
    uint64_t value = take_sevens(r, &bits);

    if (bits < 64 && value >> (bits - 1) & 1)
        value |= ~UINT64_C(0) << bits;
    return (int64_t)value;
}

static const char *take_text(struct reader *r)
{
    const char *text = (const char *)r->at;
    const void *end = memchr(r->at, 0, (size_t)(r->end - r->at));

    if (!end) {
        r->bad = true;
        return "";
    }
    r->at = (const unsigned char *)end + 1;
    return text;
}

/* The part of the table for one unit of the program. */
struct unit {
    const struct elf_image *image;
    unsigned version;
    unsigned least;              /* bytes of an instruction */
    bool statement;              /* whether rows begin a statement before the table says otherwise */
    int base;                    /* of the lines that one byte can advance by, */
    unsigned range;              /* and how many these are */
    unsigned first_special;
    const unsigned char *arguments; /* [first_special - 1] of the standard opcodes */
    struct reader files;         /* where their names begin */
    struct reader code;
};

/* ---- names of files ---- */

/* The section of that name. False: there is none. */
static bool section_named(const struct elf_image *image, const char *name, Elf64_Shdr *header)
{
    for (size_t n = 1; n < image->section_count; n++) {
        const char *text;

        if (elf_image_section(image, n, header) && (text = elf_image_text(image, image->names, header->sh_name)) &&
            !strcmp(text, name) && !(header->sh_flags & SHF_COMPRESSED))
            return true;
    }
    return false;
}

/* The text at `offset` of a section of texts. */
static const char *text_in(const struct elf_image *image, const char *section, uint64_t offset)
{
    Elf64_Shdr header;
    const char *data;

    if (!section_named(image, section, &header) || !(data = elf_image_data(image, &header)) ||
        offset >= header.sh_size || !memchr(data + offset, 0, header.sh_size - offset))
        return "";
    return data + offset;
}

/* One value of that form. Its text, or NULL if it is none. */
static const char *take_form(const struct unit *u, struct reader *r, uint64_t form)
{
    switch (form) {
    case FORM_STRING: return take_text(r);
    case FORM_LINE_STRP: return text_in(u->image, ".debug_line_str", take(r, 4));
    case FORM_STRP: return text_in(u->image, ".debug_str", take(r, 4));
    case FORM_UDATA: take_unsigned(r); break;
    case FORM_DATA1: take(r, 1); break;
    case FORM_DATA2: take(r, 2); break;
    case FORM_DATA4: take(r, 4); break;
    case FORM_DATA8: take(r, 8); break;
    case FORM_DATA16: take(r, 16); break;
    case FORM_BLOCK: take(r, (unsigned)take_unsigned(r)); break;
    default: r->bad = true;
    }
    return NULL;
}

/* A list of folders or files of version 5: passes it, and gives the path of entry `wanted`. */
static const char *take_list(const struct unit *u, struct reader *r, uint64_t wanted)
{
    uint64_t formats = take(r, 1), count, kinds[16][2];
    const char *found = "";

    if (formats > 16) {
        r->bad = true;
        return found;
    }
    for (uint64_t f = 0; f < formats; f++)
        kinds[f][0] = take_unsigned(r), kinds[f][1] = take_unsigned(r);
    count = take_unsigned(r);
    for (uint64_t n = 0; formats && n < count && !r->bad; n++)
        for (uint64_t f = 0; f < formats; f++) {
            const char *text = take_form(u, r, kinds[f][1]);

            if (text && n == wanted && kinds[f][0] == CONTENT_PATH)
                found = text;
        }
    return found;
}

static const char *file_name(const struct unit *u, uint64_t file)
{
    struct reader r = u->files;

    if (u->version >= 5) {
        take_list(u, &r, UINT64_MAX);
        return take_list(u, &r, file);
    }
    while (*take_text(&r) && !r.bad) /* folders */
        ;
    for (uint64_t n = 1; !r.bad; n++) {
        const char *name = take_text(&r);

        if (!*name)
            break;
        if (n == file)
            return name;
        take_unsigned(&r), take_unsigned(&r), take_unsigned(&r);
    }
    return "";
}

/* ---- rows ---- */

/* Reads the unit at `r`, which is then behind it. False: it cannot be read. */
static bool take_unit(struct reader *r, struct unit *u)
{
    uint64_t length = take(r, 4), header;
    struct reader inside;

    if (length >= 0xFFFFFFF0 || length > (uint64_t)(r->end - r->at)) /* the format of 64 bits is not used */
        return false;
    inside = (struct reader){r->at, r->at + length, false};
    r->at += length;
    u->version = (unsigned)take(&inside, 2);
    if (u->version < 2 || u->version > 5)
        return true;
    if (u->version >= 5)
        take(&inside, 2); /* sizes of addresses and segments */
    header = take(&inside, 4);
    if (header > (uint64_t)(inside.end - inside.at))
        return true;
    u->code = (struct reader){inside.at + header, inside.end, false};
    u->least = (unsigned)take(&inside, 1);
    take(&inside, u->version >= 4 ? 1 : 0);
    u->statement = take(&inside, 1) != 0;
    u->base = (int8_t)take(&inside, 1);
    u->range = (unsigned)take(&inside, 1);
    u->first_special = (unsigned)take(&inside, 1);
    u->arguments = inside.at;
    take(&inside, u->first_special ? u->first_special - 1 : 0);
    u->files = (struct reader){inside.at, u->code.at, false};
    if (inside.bad || !u->range || !u->first_special)
        u->code.at = u->code.end;
    return true;
}

struct row {
    uint64_t address, file, line;
    bool statement; /* it begins one */
};

/* An opcode of two bytes or more. */
static void extended(struct reader *r, struct row *row, bool *ends)
{
    uint64_t length = take_unsigned(r);
    const unsigned char *from = r->at;
    uint64_t opcode = length ? take(r, 1) : 0;

    *ends = opcode == END_SEQUENCE;
    if (opcode == SET_ADDRESS && length == 9)
        row->address = take(r, 8);
    else if (length > 1)
        take(r, length - 1 > (uint64_t)(r->end - r->at) ? UINT32_MAX : (unsigned)(length - 1));
    r->bad |= (uint64_t)(r->at - from) != length;
}

/* One opcode. *emits: the row is one of the table. *ends: a sequence ends before its address. */
static void step(const struct unit *u, struct reader *r, struct row *row, bool *emits, bool *ends)
{
    uint64_t opcode = take(r, 1), special = opcode - u->first_special;

    *emits = opcode >= u->first_special || opcode == COPY;
    *ends = false;
    if (opcode >= u->first_special) {
        row->address += special / u->range * u->least;
        row->line += (uint64_t)(u->base + (int64_t)(special % u->range));
    } else if (opcode == 0) {
        extended(r, row, ends);
    } else if (opcode == ADVANCE_PC) {
        row->address += take_unsigned(r) * u->least;
    } else if (opcode == ADVANCE_LINE) {
        row->line += (uint64_t)take_signed(r);
    } else if (opcode == SET_FILE) {
        row->file = take_unsigned(r);
    } else if (opcode == NEGATE_STATEMENT) {
        row->statement = !row->statement;
    } else if (opcode == CONST_ADD_PC) {
        row->address += (255 - u->first_special) / u->range * u->least;
    } else if (opcode == FIXED_ADVANCE_PC) {
        row->address += take(r, 2);
    } else if (opcode != COPY) {
        for (unsigned n = u->arguments[opcode - 1]; n; n--)
            take_unsigned(r);
    }
}

/*
 * The row of the unit that holds `place`: the last one at or before it. False: none. *calling: the last statement
 * before it, at or after `start`, in another file; its line is 0 if there is none.
 */
static bool find_row(const struct unit *u, uint64_t start, uint64_t place, struct row *found, struct row *calling)
{
    const struct row first = {0, 1, 1, u->statement}, none = {0, 0, 0, false};
    struct row row = first, last = first, here = none, other = none; /* the last statements of two files */
    struct reader r = u->code;
    bool has_last = false, emits, ends;

    while (r.at < r.end && !r.bad) {
        step(u, &r, &row, &emits, &ends);
        if (!emits && !ends)
            continue;
        if (has_last && place >= last.address && place < row.address) {
            *found = last;
            *calling = here.file != last.file ? here : other;
            return true;
        }
        has_last = !ends;
        last = row;
        if (ends) {
            row = first;
            here = other = none;
        } else if (row.statement && row.address >= start) {
            other = here.file != row.file ? here : other;
            here = row;
        }
    }
    return false;
}

/* The line of `place`, or of the statement that calls it: see line_table.h. */
static bool look(const struct elf_image *image, uint64_t start, uint64_t place, bool calls, char *file, size_t size,
                 unsigned *line)
{
    Elf64_Shdr header;
    const unsigned char *data;
    struct reader r;

    if (!section_named(image, ".debug_line", &header) || !(data = elf_image_data(image, &header)))
        return false;
    r = (struct reader){data, data + header.sh_size, false};
    while (r.at < r.end && !r.bad) {
        struct unit u = {.image = image};
        struct row row, calling;
        const char *name;

        if (!take_unit(&r, &u))
            return false;
        if (u.version < 2 || u.version > 5 || !find_row(&u, start, place, &row, &calling))
            continue;
        row = calls ? calling : row;
        name = file_name(&u, row.file);
        snprintf(file, size, "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
        *line = (unsigned)row.line;
        return *file && row.line > 0;
    }
    return false;
}

bool line_at(const struct elf_image *image, uint64_t place, char *file, size_t size, unsigned *line)
{
    return look(image, 0, place, false, file, size, line);
}

bool line_of_call(const struct elf_image *image, uint64_t start, uint64_t place, char *file, size_t size,
                  unsigned *line)
{
    return look(image, start, place, true, file, size, line);
}

/* ---- files that were not linked ---- */

/* The section that the address at `offset` of .debug_line is of, and what is to be added to it. */
static size_t section_at(const struct elf_image *image, uint64_t offset, uint64_t *more)
{
    Elf64_Shdr header, symbols;
    bool adds = section_named(image, ".rela.debug_line", &header);
    size_t size = adds ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    const unsigned char *data, *names;

    if ((!adds && !section_named(image, ".rel.debug_line", &header)) || !(data = elf_image_data(image, &header)) ||
        !elf_image_section(image, header.sh_link, &symbols) || !(names = elf_image_data(image, &symbols)))
        return 0;
    for (size_t n = 0; n < header.sh_size / size; n++) {
        Elf64_Rela x = {0};
        Elf64_Sym symbol;

        memcpy(&x, data + n * size, size);
        if (x.r_offset != offset || ELF64_R_SYM(x.r_info) >= symbols.sh_size / sizeof symbol)
            continue;
        memcpy(&symbol, names + ELF64_R_SYM(x.r_info) * sizeof symbol, sizeof symbol);
        *more = symbol.st_value + (uint64_t)x.r_addend;
        return symbol.st_shndx;
    }
    return 0;
}

static bool sets_address(const struct reader *r)
{
    static const unsigned char start[] = {0, 9, SET_ADDRESS};

    return (size_t)(r->end - r->at) >= sizeof start && !memcmp(r->at, start, sizeof start);
}

void line_rows(const struct elf_image *image, line_row *found, void *context)
{
    Elf64_Shdr header;
    const unsigned char *data;
    struct reader r;

    if (!section_named(image, ".debug_line", &header) || !(data = elf_image_data(image, &header)))
        return;
    r = (struct reader){data, data + header.sh_size, false};
    while (r.at < r.end && !r.bad) {
        struct unit u = {.image = image};
        const struct row first = {0, 1, 1, true};
        struct row row = first;
        size_t section = 0;
        uint64_t more = 0;
        bool emits, ends;

        if (!take_unit(&r, &u) || u.version < 2 || u.version > 5)
            return;
        while (u.code.at < u.code.end && !u.code.bad) {
            bool sets = sets_address(&u.code);

            if (sets)
                section = section_at(image, (uint64_t)(u.code.at + 3 - data), &more);
            step(&u, &u.code, &row, &emits, &ends);
            row.address += sets ? more : 0;
            if (emits)
                found(section, row.address, (unsigned)row.line, context);
            if (ends)
                row = first;
        }
    }
}
