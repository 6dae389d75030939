/*
 * random_names.c - random_names COUNT: names with what name_is() says of them, for the test of the scripts' name_is.
 *
 * Every byte as a name, then COUNT names of pieces that matter. Each is "FP" and the name, ended by a zero byte: F is 1
 * where it is a file's name, P where it is a path, else 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/name.h"
#include "verify/base/random.h"

static const char *const pieces[] = {
    ".", "..", "-", "/", "//", "/./", "/../", "/-", "a", "Z9", "_", "+", "device_user.cu", "main.c", " ", "\n", "\t",
    "\\", "*", "~", "$", "'", "\x7f", "\x80", "\xc3\xa9", "\xe2\x80\xae", "\xc3", ":", "@", "[", "`", "{",
};

static void print(const char *name) { printf("%d%d%s%c", name_is(name, NAME_FILE), name_is(name, NAME_PATH), name, 0); }

int main(int argc, char **argv)
{
    const struct random_key key = { .seed = 22, .case_seed = 6 };
    struct random_stream stream = random_stream(&key, 1);

    if (argc != 2)
        return fputs("usage: random_names COUNT\n", stderr), 2;
    print("");
    for (int byte = 1; byte < 256; byte++)
        print((char[]){ (char)byte, '\0' });
    for (long i = strtol(argv[1], NULL, 10); i > 0; i--) {
        char name[128] = "";

        /* Most of what is refused has one bad piece: half of the names are of the first ones alone. */
        const uint32_t kinds = random_below(&stream, 2) ? 14 : sizeof pieces / sizeof pieces[0];

        for (uint32_t count = 1 + random_below(&stream, 5); count > 0; count--)
            strcat(name, pieces[random_below(&stream, kinds)]);
        print(name);
    }
    return 0;
}
