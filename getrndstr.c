/*
 * getrndstr.c - writes a random string: ./getrndstr LENGTH SEED > file
 *
 * It is built by make, or alone, as the toolkit of 2009 has it: gcc -O3 -o getrndstr getrndstr.c
 *
 * The same LENGTH, SEED and alphabet give the same characters on every machine, for ever: character i is a
 * function of SEED and i alone, so a longer string starts with the shorter one.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/error.h"
#include "verify/base/random.c" /* the whole of it: so this file needs no other to be linked with */

static const char usage[] =
    "usage: getrndstr [-a ALPHABET | -c CHARACTERS] LENGTH SEED > file\n"
    "  LENGTH         characters to write, 0 to 17179869184 (2^34)\n"
    "  SEED           0 to 18446744073709551615 (2^64 - 1)\n"
    "  -a ALPHABET    one of: " RANDOM_ALPHABETS " (default: printable)\n"
    "  -c CHARACTERS  draw from these characters; one given twice comes twice as often\n";

static int refuse(const char *what, const char *value)
{
    fprintf(stderr, "getrndstr: %s '%s'\n%s", what, value, usage);
    return EXIT_USAGE;
}

/* A whole decimal number with nothing around it, at most `limit`. */
static bool parse_number(const char *text, uint64_t limit, uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *number <= limit;
}

static int write_string(uint64_t length, uint64_t seed, const char *alphabet, size_t size)
{
    struct random_stream stream = random_stream(&(struct random_key){ .seed = seed }, 0);
    char buffer[1 << 16];

    while (length > 0) {
        size_t part = length < sizeof buffer ? (size_t)length : sizeof buffer;

        random_string(&stream, alphabet, size, buffer, part);
        if (fwrite(buffer, 1, part, stdout) != part)
            break;
        length -= part;
    }
    if (length > 0 || fflush(stdout) != 0) {
        fprintf(stderr, "getrndstr: cannot write the string: %s\n", strerror(errno));
        return EXIT_TOOLKIT;
    }
    return EXIT_ACCEPTED;
}

int main(int argc, char **argv)
{
    char alphabet[256];
    const char *characters = alphabet;
    size_t size = random_alphabet("printable", alphabet);
    uint64_t length, seed;
    int i = 1;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        fputs(usage, stdout);
        return EXIT_ACCEPTED;
    }
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "-a") == 0 || strcmp(argv[i], "--alphabet") == 0) {
            characters = alphabet;
            size = random_alphabet(argv[i + 1], alphabet);
            if (size == 0)
                return refuse("unknown alphabet", argv[i + 1]);
        } else if (strcmp(argv[i], "-c") == 0 || strcmp(argv[i], "--characters") == 0) {
            characters = argv[i + 1];
            size = strlen(characters);
            if (size == 0 || size > 256)
                return refuse("1 to 256 characters are needed, not", argv[i + 1]);
        } else {
            return refuse("unknown option", argv[i]);
        }
    }
    if (argc == 1) {
        fprintf(stderr, "getrndstr: LENGTH and SEED are needed\n%s", usage);
        return EXIT_USAGE;
    }
    if (argc - i < 2)
        return refuse("LENGTH and SEED are needed after", argv[argc - 1]);
    if (argc - i > 2)
        return refuse("unexpected argument", argv[i + 2]);
    if (!parse_number(argv[i], 1ull << 34, &length))
        return refuse("LENGTH is not a whole number up to 2^34:", argv[i]);
    if (!parse_number(argv[i + 1], UINT64_MAX, &seed))
        return refuse("SEED is not a whole number up to 2^64 - 1:", argv[i + 1]);
    return write_string(length, seed, characters, size);
}
