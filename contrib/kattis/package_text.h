/*
 * package_text.h - bytes as text, for the .in, .ans and .out files of an exported package.
 *
 *   gpu-contest-input 1 PROBLEM INPUT-BYTES OUTPUT-BYTES        gpu-contest-output 1 BYTES
 *   hexadecimal digits, small, 64 bytes a line                  the same
 *
 * Text, because the package format wants test data that people and version control can read. The bytes are those that
 * the toolkit gives to call_device_user(), little-endian. Included by the exporter, by the driver that a judge compiles
 * with each submission, and by the validators, so it needs nothing but C11; its errors are words, NULL for none.
 */
#ifndef KATTIS_PACKAGE_TEXT_H
#define KATTIS_PACKAGE_TEXT_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKAGE_LINE = 64, PACKAGE_NAME = 64 };
#define PACKAGE_MOST ((size_t)1 << 26) /* bytes of one input or output: more is no test case of a package */

struct package_header {
    char problem[PACKAGE_NAME]; /* of an input */
    size_t size;                /* bytes that follow */
    size_t output_size;         /* of an input: bytes that device_user() is to write */
};

static inline void package_write_bytes(FILE *file, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        putc(digits[bytes[i] >> 4], file);
        putc(digits[bytes[i] & 15], file);
        if (i % PACKAGE_LINE == PACKAGE_LINE - 1 || i == size - 1)
            putc('\n', file);
    }
}

static inline void package_write_input(FILE *file, const char *problem, const unsigned char *bytes, size_t size,
                                       size_t output_size)
{
    fprintf(file, "gpu-contest-input 1 %s %zu %zu\n", problem, size, output_size);
    package_write_bytes(file, bytes, size);
}

static inline void package_write_output(FILE *file, const unsigned char *bytes, size_t size)
{
    fprintf(file, "gpu-contest-output 1 %zu\n", size);
    package_write_bytes(file, bytes, size);
}

static inline int package_digit(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Reads what follows the header into bytes[size]: exactly as it is written, and nothing behind it. A judge that
 * compares tokens may have changed white space; this one need not take that.
 */
static inline const char *package_read_bytes(FILE *file, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int high = package_digit(getc(file)), low = package_digit(getc(file));

        if (high < 0 || low < 0)
            return "it ends early, or has something else than two hexadecimal digits a byte";
        bytes[i] = (unsigned char)(high << 4 | low);
        if ((i % PACKAGE_LINE == PACKAGE_LINE - 1 || i == size - 1) && getc(file) != '\n')
            return "its lines are not of 64 bytes";
    }
    return getc(file) == EOF ? NULL : "something follows the bytes";
}

/* A decimal number without a sign or leading zeros, ended by `end`. */
static inline int package_number(FILE *file, int end, size_t *number)
{
    int c = getc(file), digits = 0;

    for (*number = 0; c >= '0' && c <= '9' && digits < 10; c = getc(file), digits++) {
        if (digits == 1 && *number == 0)
            return 0;
        *number = *number * 10 + (size_t)(c - '0');
    }
    return digits > 0 && c == end && *number <= PACKAGE_MOST;
}

/* A word of small letters and digits that is followed by a space. */
static inline int package_word(FILE *file, char *word, size_t size)
{
    size_t length = 0;
    int c;

    while ((c = getc(file)) != ' ' && length + 1 < size &&
           ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
        word[length++] = (char)c;
    word[length] = '\0';
    return c == ' ' && length > 0;
}

static inline const char *package_read_header(FILE *file, const char *kind, struct package_header *header)
{
    const int input = strcmp(kind, "gpu-contest-input") == 0;
    char word[PACKAGE_NAME];
    size_t version;

    if (!package_word(file, word, sizeof word) || strcmp(word, kind) != 0)
        return "its first word is another";
    if (!package_number(file, ' ', &version) || version != 1)
        return "its version is not 1";
    if (input && !package_word(file, header->problem, sizeof header->problem))
        return "its first line names no problem";
    if (!package_number(file, input ? ' ' : '\n', &header->size) ||
        (input && !package_number(file, '\n', &header->output_size)))
        return "its first line has no number of bytes, or too large a one";
    return NULL;
}

#endif
