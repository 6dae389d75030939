/*
 * text.c - UTF-8, read and shown with care.
 *
 * C1, U+0080 to U+009F, are the control characters that a terminal obeys as it does ESC and a letter: U+009B begins a
 * command as "ESC [" does. In UTF-8 they are two bytes; alone, those bytes are C1 to a terminal that is set to ISO
 * 8859.
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t text_character(const char *text, size_t size, size_t *length)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = *bytes < 0x80 ? 1 : *bytes >> 5 == 6 ? 2 : *bytes >> 4 == 14 ? 3 : *bytes >> 3 == 30 ? 4 : 0;
    uint32_t character = count == 1 ? *bytes : *bytes & (0x7f >> count);

    *length = 1;
    if (count == 0 || count > size)
        return TEXT_BROKEN;
    for (size_t i = 1; i < count; i++) {
        if (bytes[i] >> 6 != 2) /* the ending zero too */
            return TEXT_BROKEN;
        character = character << 6 | (bytes[i] & 0x3f);
    }
    if (character < least[count] || character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
        return TEXT_BROKEN;
    *length = count;
    return character;
}

bool text_steers(uint32_t character)
{
    /* Unicode's control characters, line and paragraph separators, Default_Ignorable_Code_Point and noncharacters. */
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        { 0x00, 0x1f },       { 0x7f, 0x9f },       { 0xad, 0xad },       { 0x34f, 0x34f },     { 0x61c, 0x61c },
        { 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
        { 0x2060, 0x206f },   { 0x3164, 0x3164 },   { 0xfdd0, 0xfdef },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
        { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },   { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && character >= ranges[i].first; i++)
        if (character <= ranges[i].last)
            return true;
    return (character & 0xfffe) == 0xfffe; /* the last two of each plane; TEXT_BROKEN */
}

/* Joiners and selectors of a form, which writing of many scripts needs between its letters, and emoji. */
static bool joins(uint32_t character)
{
    return character == 0x200c || character == 0x200d || character == 0xfe0e || character == 0xfe0f;
}

/* A letter or sign that they may stand at: of no European script, in which nobody would see them. */
static bool is_joined(uint32_t character)
{
    return character >= 0x590 && !text_steers(character) && !(character >= 0x1e00 && character < 0x2100);
}

/* Whether `character`, `length` bytes at `text`, steers where it stands, behind the character `before`. */
static bool steers_here(const char *text, size_t size, uint32_t character, size_t length, uint32_t before)
{
    size_t next;

    if (!joins(character) || !(is_joined(before) || (before == 0xfe0f && character == 0x200d)))
        return text_steers(character);
    return character < 0xfe00 && !(size > length && is_joined(text_character(text + length, size - length, &next)));
}

size_t text_piece(char piece[TEXT_PIECE], const char *text, size_t size, uint32_t *before, size_t *length)
{
    const uint32_t character = text_character(text, size, length);
    const bool steers = steers_here(text, size, character, *length, *before);

    *before = character;
    if (character == TEXT_BROKEN)
        return (size_t)snprintf(piece, TEXT_PIECE, "<x%02X>", (unsigned char)*text);
    if (steers)
        return (size_t)snprintf(piece, TEXT_PIECE, "<U+%04X>", (unsigned)character);
    memcpy(piece, text, *length);
    piece[*length] = '\0';
    return *length;
}

/* Text without what steers, in to[size], ended by a zero byte; line ends and tabs stay or become spaces. */
static void show(char *to, size_t size, const char *from, bool lines)
{
    char piece[TEXT_PIECE];
    uint32_t before = 0, last = 0;
    size_t length, needed = 0;

    for (; *from; from += length, to += needed, size -= needed) {
        const size_t written = needed;

        last = before;
        if (*from == '\n' || *from == '\t')
            length = needed = 1, before = 0, piece[0] = lines ? *from : ' ';
        else
            needed = text_piece(piece, from, SIZE_MAX, &before, &length);
        if (needed >= size) { /* no joiner is the last, where it would join nothing */
            to -= joins(last) && last < 0xfe00 && written == 3 ? written : 0;
            break;
        }
        memcpy(to, piece, needed);
    }
    *to = '\0';
}

void text_show(char *to, size_t size, const char *from) { show(to, size, from, false); }

char *text_shown(const char *from, bool lines)
{
    const size_t size = (TEXT_PIECE - 1) * strlen(from) + 1;
    char *to = malloc(size), *fitting;

    if (!to)
        return NULL;
    show(to, size, from, lines);
    fitting = realloc(to, strlen(to) + 1);
    return fitting ? fitting : to;
}

void text_defuse(char *string, size_t size)
{
    char *copy;

    if (text_is_harmless(string))
        return;
    copy = strdup(string);
    string[0] = '\0';
    if (copy)
        text_show(string, size, copy);
    free(copy);
}

bool text_is_harmless(const char *text)
{
    uint32_t before = 0;
    size_t length;

    for (; *text; text += length) {
        const uint32_t character = text_character(text, SIZE_MAX, &length);

        if (steers_here(text, SIZE_MAX, character, length, before))
            return false;
        before = character;
    }
    return true;
}

const char *text_compile_error(const char *log, size_t *length)
{
    static const char *const words[] = {
        "multiple definition of", "undefined reference to", "required symbol", ": error: ", ": Error: ", "ptxas error",
        "ptxas fatal", "fatal error", "error: ", "error", NULL
    };

    for (size_t i = 0; words[i]; i++) {
        const char *line = strstr(log, words[i]);

        while (line && line > log && line[-1] != '\n')
            line--;
        if (line) {
            *length = strcspn(line, "\n");
            return line;
        }
    }
    return NULL;
}
