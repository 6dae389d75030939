/*
 * test_settings.c - the one reader of settings and the one reader of numbers: unclear text is refused, by line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "verify/base/number.h"
#include "verify/base/settings.h"

static void test_integers(void)
{
    static const char *const good[] = { "0", "7", "-7", "10", "9223372036854775807", "-9223372036854775808" };
    static const char *const wrong[] = { "", "-", "+7", " 7", "7 ", "07", "-07", "-0", "00", "0x10", "1.5", "1.0",
        "1e3",
                                         "1_000", "1,000", "9223372036854775808", "-9223372036854775809", "7\n", "\t7",
                                         "0b1", "0o7", "seven", "--7", "\xef\xbc\x97", "inf", "nan" };
    int64_t number;
    char text[32];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(number_integer(good[i], INT64_MIN, INT64_MAX, &number), "'%s' is a whole number", good[i]);
        snprintf(text, sizeof text, "%" PRId64, number);
        CHECK(strcmp(text, good[i]) == 0, "'%s' is read as %s", good[i], text);
    }
    number = 42;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!number_integer(wrong[i], INT64_MIN, INT64_MAX, &number) && number == 42, "'%s' is refused", wrong[i]);
    CHECK(!number_integer("6", 7, 9, &number) && !number_integer("10", 7, 9, &number) && number == 42, "the range");
    CHECK(number_integer("7", 7, 9, &number) && number_integer("9", 7, 9, &number) && number == 9, "its ends");
}

static void test_decimals(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = { { "0", 0 }, { "0.5", 0.5 }, { "-2", -2 }, { "1.8e12", 1.8e12 }, { "2E+3", 2000 }, { "25e-1", 2.5 } };
    static const char *const wrong[] = { "", ".5", "5.", "+5", "-0", "-0.0", "05", "00.5", "0x10", "0x1p3", "1e", "1e+",
                                         "1e400", "inf", "nan", "INFINITY", "1 ", " 1", "1.5.5", "1_0", "1.5f", "e5" };
    double number = 0;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(number_decimal(good[i].text, -1e300, 1e300, &number) && number == good[i].value, "'%s' is %g",
              good[i].text, number);
    number = 42;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!number_decimal(wrong[i], -1e308, 1e308, &number) && number == 42, "'%s' is refused", wrong[i]);
    CHECK(!number_decimal("0.4", 0.5, 1, &number) && !number_decimal("1.5", 0.5, 1, &number), "the range");
}

static const char *const known[] = { "name", "limits.files", "list.*", "map.inner.*", NULL };

/* The reader's message about a file with these bytes: "" if it accepts the file. */
static void reading(const char *bytes, size_t size, char text[static 512], struct settings *settings)
{
    char path[] = "/tmp/test_settings-XXXXXX";
    const int fd = mkstemp(path);
    struct error error = { 0 };

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
    error.text[0] = '\0';
    CHECK(settings_load(settings, path, known, &error) == (error.text[0] == '\0'), "an error has words");
    CHECK(error.text[0] == '\0' || strncmp(error.text, path, strlen(path)) == 0, "'%s' begins with the file",
    error.text);
    snprintf(text, 512, "%s", error.text[0] ? error.text + strlen(path) : "");
    unlink(path);
}

static void refused(const char *bytes, const char *why)
{
    struct settings settings;
    char text[512];

    reading(bytes, strlen(bytes), text, &settings);
    CHECK(strcmp(text, why) == 0, "'%s' says '%s', not '%s'", bytes, text, why);
    settings_release(&settings);
}

static void test_files(void)
{
    struct settings settings;
    char text[512];

    refused("name: x\nlimits: { files: 3 }\nlist: [ a, b ]\nmap: { inner: { k: v } }\n", "");
    refused("name: x\nnmae: y\n", ":2: unknown key 'nmae'");
    refused("name: x\nname: y\n", ":2: key 'name' is given twice");
    refused("name: x\nlimits.files: 1\nlimits: { files: 2 }\n", ":3: key 'limits.files' is given twice");
    refused("name: \"a\\0b\"\n", ":1: a zero byte (\\0) in the text");
    refused("\"na\\0me\": b\n", ":1: a zero byte (\\0) in the text");
    refused("name: &a x\n", ":1: anchors (&) are not supported");
    refused("list: &a [ x ]\n", ":1: anchors (&) are not supported");
    refused("name: !!int 5\n", ":1: tags (!) are not supported");
    refused("--- \nname: x\n---\nlimits: { files: 3 }\n", ":3: a second document (---) is not supported");
    refused("name: x\nlimitz: {}\n", ":2: unknown key 'limitz'");
    refused("name: []\n", ":1: 'name' must have one value");
    refused("name: { a: b }\n", ":1: 'name' must have one value");
    refused("limits: { files: {} }\n", ":1: 'limits.files' must have one value");
    refused("? [ a ]\n: b\n", ":1: a list or a map cannot be a key");
    refused("? { a: b }\n: c\n", ":1: a list or a map cannot be a key");
    refused("- name\n", ":1: a map of keys is expected");
    reading("name: a\0b\n", 10, text, &settings);
    CHECK(text[0] == ':', "a zero byte in the file: '%s'", text);
    settings_release(&settings);
    reading("name: \xff\n", 8, text, &settings);
    CHECK(text[0] == ':', "bytes that are no UTF-8: '%s'", text);
    settings_release(&settings);
}

static void test_values(void)
{
    static const char bytes[] = "name: yes\nlist: [ true, no, maybe, 5, 0x10, 1.5 ]\n";
    struct settings settings;
    struct error error = { 0 };
    char text[512];
    bool is = false;
    int64_t number = 0;

    reading(bytes, strlen(bytes), text, &settings);
    CHECK(settings.count == 7, "%zu settings", settings.count);
    if (settings.count != 7)
        return;
    CHECK(settings_boolean(&settings, &settings.items[0], &is, &error) && is, "yes");
    CHECK(settings_boolean(&settings, &settings.items[1], &is, &error) && is, "true");
    CHECK(settings_boolean(&settings, &settings.items[2], &is, &error) && !is, "no");
    CHECK(!settings_boolean(&settings, &settings.items[3], &is, &error) &&
              strstr(error.text, ":2: 'list.2: maybe' must be one of: no yes false true"), "'%s'", error.text);
    CHECK(settings_integer(&settings, &settings.items[4], 1, 9, &number, &error) && number == 5, "5");
    CHECK(!settings_integer(&settings, &settings.items[5], 1, 99, &number, &error) && number == 5 &&
              strstr(error.text, ":2: 'list.4: 0x10' is not a whole number from 1 to 99"), "'%s'", error.text);
    CHECK(!settings_integer(&settings, &settings.items[6], 1, 99, &number, &error) && number == 5, "'%s'", error.text);
    settings_release(&settings);
}

int main(void)
{
    test_integers();
    test_decimals();
    test_files();
    test_values();
    return unit_end();
}
