/*
 * test_text.c - text from outside: its characters, what of them steers a terminal, and how it is shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "verify/result/report.h"
#include "verify/base/text.h"

/* Writes what UTF-8 has for it, or would have: surrogates and numbers above 10FFFF too. Returns its length. */
static size_t encode(char *to, uint32_t character, size_t length)
{
    static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = length - 1; i > 0; i--, character >>= 6)
        to[i] = (char)(0x80 | (character & 0x3f));
    to[0] = (char)(lead[length] | character);
    return length;
}

static size_t length_of(uint32_t character)
{
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

static void test_characters(void)
{
    for (uint32_t character = 0; character < 0x200000; character++) {
        char text[4];
        size_t size = encode(text, character, length_of(character)), length;
        bool good = character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
        uint32_t got = text_character(text, size, &length);

        CHECK(got == (good ? character : TEXT_BROKEN) && length == (good ? size : 1), "U+%04X: %u, %zu bytes",
              character, got, length);
        if (size == 1)
            continue;
        CHECK(text_character(text, size - 1, &length) == TEXT_BROKEN && length == 1, "U+%04X cut short", character);
    }
}

static void test_broken(void)
{
    size_t length;

    for (unsigned byte = 0x80; byte < 0x100; byte++) {
        char text[] = { (char)byte, 'x', 'x', 'x', 0 };

        CHECK(text_character(text, SIZE_MAX, &length) == TEXT_BROKEN && length == 1, "byte %02X alone", byte);
        text[1] = 0;
        CHECK(text_character(text, SIZE_MAX, &length) == TEXT_BROKEN && length == 1, "byte %02X at the end", byte);
    }
    /* Longer than it need be: a control character in disguise. */
    for (uint32_t character = 0; character < 0x10000; character++)
        for (size_t size = length_of(character) + 1; size <= 4; size++) {
            char text[4];

            encode(text, character, size);
            CHECK(text_character(text, size, &length) == TEXT_BROKEN && length == 1, "U+%04X in %zu bytes", character,
                  size);
        }
}

static void test_steers(void)
{
    unsigned count = 0;

    for (uint32_t character = 0; character <= 0x10ffff; character++)
        count += text_steers(character);
    CHECK(count == 0x20 + 1 + 0x20, "%u characters steer", count);
    CHECK(text_steers(0) && text_steers(0x1b) && text_steers(0x7f) && text_steers(0x80) && text_steers(0x9f), "C0, C1");
    CHECK(text_steers(TEXT_BROKEN) && !text_steers(' ') && !text_steers('~') && !text_steers(0xa0), "their neighbours");
}

static void test_defuse(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "" },
        { "plain", "plain" },
        { "a\tb\nc", "a b c" },
        { "\033[2J\r\b\177", "?[2J???" },
        { "CSI \xc2\x9b""2J, OSC \xc2\x9d""0;x\xc2\x9c", "CSI ?2J, OSC ?0;x?" },
        { "raw \x9b""2J \x80\x9f", "raw ?2J ??" },
        { "G\303\266del \346\227\245\346\234\254 \360\237\231\202",
          "G\303\266del \346\227\245\346\234\254 \360\237\231\202" },
        { "latin G\xf6""del", "latin G?del" },
        { "cut \xe6\x97", "cut ??" },
        { "long \xc1\x9b \xe0\x82\x9b", "long ?? ???" },
        { "\xc2\xa0\xc2\xad", "\xc2\xa0\xc2\xad" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];

        snprintf(line, sizeof line, "%s", cases[i].text);
        text_defuse(line);
        CHECK(strcmp(line, cases[i].want) == 0, "case %zu: '%s'", i, line);
    }
}

/* What report_foreign() writes. */
static void shown(const char *mark, const char *text, size_t size, size_t limit, const char *want)
{
    char *got = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&got, &length);

    if (!file)
        abort();
    report_foreign(file, mark, text, size, limit);
    fclose(file);
    CHECK(strcmp(got, want) == 0, "'%s', not '%s'", got, want);
    free(got);
}

static void test_foreign(void)
{
    static const char text[] = "a\tb\n\xc2\x9b""2J\x9b""2J\033[2J\nG\xc3\xb6""del";

    shown("| ", text, sizeof text - 1, 100, "| a\tb\n| ?2J?2J?[2J\n| G\xc3\xb6""del\n");
    shown("| ", "", 0, 100, "");
    shown("| ", "\n\n", 2, 100, "| \n| \n");
    shown("", "a\0b", 3, 100, "a?b\n");
    /* Cut where a character begins, not within it; what is cut off is counted. */
    shown("| ", "ab\xe6\x97\xa5", 5, 5, "| ab\xe6\x97\xa5\n");
    shown("| ", "ab\xe6\x97\xa5", 5, 4, "| ab\n| ... (3 bytes more)\n");
    shown("| ", "ab\xe6\x97", 4, 100, "| ab??\n");
    shown("| ", "abc", 3, 0, "| ... (3 bytes more)\n");
}

static void telling(const char *log, const char *want)
{
    size_t length = 0;
    const char *line = text_compile_error(log, &length);

    CHECK(line ? strlen(want) == length && strncmp(line, want, length) == 0 : want[0] == '\0', "'%.*s', not '%s'",
          line ? (int)length : 0, line ? line : "", want);
}

static void test_compile_error(void)
{
    telling("", "");
    telling("all is well\n", "");
    telling("a.c:1:2: error: no\nmake: *** Error 1\n", "a.c:1:2: error: no");
    /* A word of the submission's is no error. */
    telling("a.c: In function 'f':\n    3 | int error;\na.c:3:9: error: expected ';'\n",
            "a.c:3:9: error: expected ';'");
    telling("a.c:3:1: warning: 'error' is unused\n/usr/bin/ld: a.o: undefined reference to `f'\ncollect2: error: ld"
            " returned 1 exit status\n", "/usr/bin/ld: a.o: undefined reference to `f'");
    telling("ld: required symbol `device_user' not defined\ncollect2: error: ld returned 1\n",
            "ld: required symbol `device_user' not defined");
    telling("x\nptxas fatal   : Unresolved extern function", "ptxas fatal   : Unresolved extern function");
}

int main(void)
{
    test_characters();
    test_broken();
    test_steers();
    test_defuse();
    test_foreign();
    test_compile_error();
    return unit_end();
}
