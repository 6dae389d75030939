/*
 * text.c - UTF-8, read with care.
 *
 * C1, U+0080 to U+009F, are the control characters that a terminal obeys as it does ESC and a letter: U+009B begins a
 * command as "ESC [" does. In UTF-8 they are two bytes; alone, those bytes are C1 to a terminal that is set to ISO
 * 8859.
 */
#include "text.h"

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
    return character < ' ' || (character >= 0x7f && character < 0xa0) || character == TEXT_BROKEN;
}

void text_defuse(char *string)
{
    char *to = string;
    size_t length;

    for (const char *from = string; *from; from += length) {
        uint32_t character = text_character(from, SIZE_MAX, &length);

        if (text_steers(character))
            *to++ = character == '\n' || character == '\t' ? ' ' : '?';
        else
            for (size_t i = 0; i < length; i++)
                *to++ = from[i];
    }
    *to = '\0';
}

const char *text_compile_error(const char *log, size_t *length)
{
    static const char *const words[] = {
        "multiple definition of", "undefined reference to", "required symbol", ": error: ", "ptxas error",
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
