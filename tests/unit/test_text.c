/*
 * test_text.c - text from outside: its characters, what of them steers a terminal, and how it is shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "verify/base/error.h"
#include "verify/base/name.h"
#include "verify/base/text.h"
#include "verify/result/report.h"

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

/* By Unicode's properties: Cc, Zl, Zp, Default_Ignorable_Code_Point, noncharacters, and U+FFF9 to FFFB. */
static void test_steers(void)
{
    static const uint32_t steering[] = { 0, '\n', 0x1b, 0x7f, 0x80, 0x9b, 0x9f, 0xad, 0x34f, 0x61c, 0x115f, 0x17b5,
                                         0x180e, 0x200b, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060,
                                         0x2066, 0x2069, 0x206f, 0x3164, 0xfdd0, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffe,
                                         0xffff, 0x1ffff, 0x1d173, 0xe0001, 0xe007f, 0xe01ef, 0x10fffe, TEXT_BROKEN };
    static const uint32_t plain[] = { ' ', '~', 0xa0, 0xac, 0xae, 0x2010, 0x2027, 0x202f, 0x205f, 0x2070, 0x3165,
        0xfe10,
                                      0xff9f, 0xfffd, 0x1f642, 0x20000, 0xe1000, 0x10fffd };
    unsigned count = 0;

    for (uint32_t character = 0; character <= 0x10ffff; character++)
        count += text_steers(character);
    CHECK(count == 4310, "%u characters steer", count);
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        CHECK(text_steers(steering[i]), "U+%04X steers", (unsigned)steering[i]);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        CHECK(!text_steers(plain[i]), "U+%04X is shown", (unsigned)plain[i]);
}

static void test_defuse(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "" },
        { "plain", "plain" },
        { "a\tb\nc", "a b c" },
        { "\033[2J\r\b\177", "<U+001B>[2J<U+000D><U+0008><U+007F>" },
        { "CSI \xc2\x9b""2J, OSC \xc2\x9d""0;x\xc2\x9c", "CSI <U+009B>2J, OSC <U+009D>0;x<U+009C>" },
        { "raw \x9b""2J \x80\x9f", "raw <x9B>2J <x80><x9F>" },
        { "G\303\266del \346\227\245\346\234\254 \360\237\231\202",
          "G\303\266del \346\227\245\346\234\254 \360\237\231\202" },
        { "latin G\xf6""del", "latin G<xF6>del" },
        { "cut \xe6\x97", "cut <xE6><x97>" },
        { "long \xc1\x9b \xe0\x82\x9b", "long <xC1><x9B> <xE0><x82><x9B>" },
        { "\xc2\xa0\xc2\xad", "\xc2\xa0<U+00AD>" },
        { "turn \xe2\x80\xae""edoc \xe2\x81\xa6 line \xe2\x80\xa8 mark \xef\xbb\xbf tag \xf3\xa0\x80\x81",
          "turn <U+202E>edoc <U+2066> line <U+2028> mark <U+FEFF> tag <U+E0001>" },
    };
    static const struct {
        const char *text;
        bool harmless;
    } joined[] = {
        { "\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae", true },           /* Persian, with U+200C */
        { "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", true }, /* an emoji of two, by U+200D */
        { "\xe2\x9d\xa4\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x94\xa5", true }, /* U+2764 FE0F 200D 1F525 */
        { "ad\xe2\x80\x8d""a", false },                              /* it would be invisible */
        { "ada\xef\xb8\x8f", false },
        { "\xc3\xa9\xe2\x80\x8c\xd8\xae", false },
        { "\xd9\x85\xe2\x80\x8c", false },                           /* at the end */
        { "\xd9\x85\xe2\x80\x8c\xe2\x80\x8c\xd8\xae", false },     /* two */
        { "\xe2\x80\x8c\xd8\xae", false },                           /* at the start */
        { "\xd9\x85\xe2\x80\xae\xd8\xae", false },
    };
    char line[128], small[12];

    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        char *copy = text_shown(joined[i].text, false);

        CHECK(text_is_harmless(joined[i].text) == joined[i].harmless, "joined %zu", i);
        CHECK(copy && (strcmp(copy, joined[i].text) == 0) == joined[i].harmless && text_is_harmless(copy),
        "shown %zu", i);
        free(copy);
    }

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy = text_shown(cases[i].text, false);

        snprintf(line, sizeof line, "%s", cases[i].text);
        text_defuse(line, sizeof line);
        CHECK(strcmp(line, cases[i].want) == 0, "case %zu: '%s'", i, line);
        CHECK(copy && strcmp(copy, cases[i].want) == 0, "case %zu: '%s'", i, copy);
        text_defuse(line, sizeof line);
        CHECK(strcmp(line, cases[i].want) == 0, "case %zu, twice: '%s'", i, line);
        free(copy);
    }
    /* Cut where a piece ends: neither half a character nor half a number. */
    text_show(small, sizeof small, "abc\033def");
    CHECK(strcmp(small, "abc<U+001B>") == 0, "'%s'", small);
    text_show(small, sizeof small, "abcd\033ef");
    CHECK(strcmp(small, "abcd") == 0, "'%s'", small);
    text_show(small, sizeof small, "abcdefghij\303\266");
    CHECK(strcmp(small, "abcdefghij") == 0, "'%s'", small);
}

/* Whether only harmless characters are there. */
static void all_harmless(const char *what, const char *text, bool lines)
{
    char *copy = strdup(text);

    for (char *c = copy; lines && copy && *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
    CHECK(copy && text_is_harmless(copy), "%s: '%s'", what, text);
    free(copy);
}

/* Random bytes, and random characters of the dangerous blocks, through every way that text takes. */
static void test_random(void)
{
    uint64_t random = 88172645463325252u;

    for (unsigned round = 0; round < 20000; round++) {
        char text[64], line[64], *copy, *foreign = NULL;
        size_t size = 0, length = 0;
        struct error error;
        FILE *file;

        while (size < sizeof text - 5) {
            uint32_t character;

            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            character = (uint32_t)(random >> 20);
            if (character % 4 == 0)
                text[size++] = (char)(1 + character / 4 % 255);
            else {
                character = character % 4 == 1   ? 0x2000 + character / 4 % 0x70
                            : character % 4 == 2 ? 1 + character / 4 % 0x180
                                                 : character / 4 % 0x110000;
                character += character == 0;
                size += encode(text + size, character, length_of(character));
            }
        }
        text[size] = '\0';
        snprintf(line, sizeof line, "%s", text);
        text_defuse(line, sizeof line);
        all_harmless("text_defuse", line, false);
        copy = text_shown(text, round % 2);
        all_harmless("text_shown", copy ? copy : "\033", round % 2);
        free(copy);
        error_usage(&error, "'%s' is odd", text);
        all_harmless("error", error.text, false);
        file = open_memstream(&foreign, &length);
        report_foreign(file, "| ", text, size, 1000);
        fclose(file);
        all_harmless("report_foreign", foreign, true);
        free(foreign);
        CHECK(name_is(text, NAME_TEXT) == text_is_harmless(text), "a name is harmless text");
        CHECK(!name_is(text, NAME_FILE) && !name_is(text, NAME_WORD), "no such name");
    }
}

static void test_names(void)
{
    static const struct {
        const char *name;
        bool file, path, word, words, text;
    } rows[] = {
        { "a.c", true, true, true, true, true },          { "a+b-c_d.cu", true, true, false, false, true },
        { "-o.c", false, false, false, false, true },     { ".hidden", true, true, false, false, true },
        { ".", false, false, false, false, true },        { "..", false, false, false, false, true },
        { "a/b.c", false, true, false, true, true },      { "a//b", false, false, false, true, true },
        { "/a", false, false, false, false, true },       { "a/", false, false, false, true, true },
        { "a/../b", false, false, false, false, true },   { "a/-b", false, false, false, true, true },
        { "a..b", true, true, false, false, true },       { "", false, false, false, false, false },
        { "a\nb", false, false, false, false, false },    { "a\n", false, false, false, false, false },
        { "a b", false, false, false, false, true },      { "\303\244", false, false, false, false, true },
        { "a\xe2\x80\xae", false, false, false, false, false }, { "a\xff", false, false, false, false, false },
        { "a\\b", false, false, false, false, true },     { "a$b", false, false, false, false, true },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(name_is(rows[i].name, NAME_FILE) == rows[i].file && name_is(rows[i].name, NAME_PATH) == rows[i].path &&
                  name_is(rows[i].name, NAME_WORD) == rows[i].word &&
                  name_is(rows[i].name, NAME_WORDS) == rows[i].words &&
                  name_is(rows[i].name, NAME_TEXT) == rows[i].text, "name %zu, '%s'", i, rows[i].name);
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

    shown("| ", text, sizeof text - 1, 100, "| a\tb\n| <U+009B>2J<x9B>2J<U+001B>[2J\n| G\xc3\xb6""del\n");
    shown("| ", "", 0, 100, "");
    shown("| ", "\n\n", 2, 100, "| \n| \n");
    shown("", "a\0b", 3, 100, "a<U+0000>b\n");
    /* Cut where a character begins, not within it; the cut bytes are counted. */
    shown("| ", "ab\xe6\x97\xa5", 5, 5, "| ab\xe6\x97\xa5\n");
    shown("| ", "ab\xe6\x97\xa5", 5, 4, "| ab\n| ... (3 bytes more)\n");
    shown("| ", "ab\xe6\x97", 4, 100, "| ab<xE6><x97>\n");
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
    test_random();
    test_names();
    test_foreign();
    test_compile_error();
    return unit_end();
}
