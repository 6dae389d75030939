/*
 * main_yaml_flat.c - a YAML file for scripts: yaml_flat FILE KEY...
 *
 * Prints `key<TAB>value` a line, nested keys joined by dots and elements of lists numbered from 0; control characters in a
 * value are printed as spaces. KEY... are the keys that may be there, `KEY.*` for all below. Exit codes: 0, 2 no such YAML.
 */
#include <stdio.h>

#include "verify/settings.h"

int main(int argc, char **argv)
{
    struct settings settings;
    struct error error = { 0 };

    if (argc < 3) {
        fputs("usage: yaml_flat FILE KEY...\n", stderr);
        return EXIT_USAGE;
    }
    if (!settings_load(&settings, argv[1], (const char *const *)argv + 2, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < settings.count; i++) {
        printf("%s\t", settings.items[i].key);
        for (const unsigned char *c = (const unsigned char *)settings.items[i].value; *c; c++)
            putchar(*c < 0x20 || *c == 0x7f ? ' ' : *c);
        putchar('\n');
    }
    settings_release(&settings);
    return 0;
}
