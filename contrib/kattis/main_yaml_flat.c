/*
 * main_yaml_flat.c - a YAML file for scripts: yaml_flat FILE KEY...
 *
 * Prints `key<TAB>value` a line, nested keys joined by dots and elements of lists numbered from 0; line ends in a value
 * are printed as spaces, other control characters as '?'. KEY... are the keys that may be there, `KEY.*` for all below.
 * Exit codes: 0, 2 no such YAML.
 */
#include <stdio.h>

#include "verify/base/settings.h"
#include "verify/base/text.h"

int main(int argc, char **argv)
{
    struct settings settings;
    struct error error = { 0 };

    if (argc < 3) {
        fputs("usage: yaml_flat FILE KEY...\n", stderr);
        return EXIT_USAGE;
    }
    if (!settings_load(&settings, argv[1], (const char *const *)argv + 2, &error)) {
        text_defuse(error.text);
        fprintf(stderr, "%s\n", error.text);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < settings.count; i++) {
        text_defuse(settings.items[i].key);
        text_defuse(settings.items[i].value);
        printf("%s\t%s\n", settings.items[i].key, settings.items[i].value);
    }
    settings_release(&settings);
    return 0;
}
