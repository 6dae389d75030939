/*
 * program_args.c - reads them from the nearest file that has any.
 */
#include "program_args.h"

#include <string.h>

#include "rules.h"

/* Whether a file has the key at all; then its values are in *words. */
static bool read_file(struct kit *kit, const char *path, const char *key, const char *program, struct lines *words)
{
    const char *prefixes[] = { kit_text(kit, "%s.", key), kit_text(kit, "%s.%s.", key, program),
                               kit_text(kit, "%s.%s.", key, kit_stem(kit, program)) };
    const char *text = file_read(kit, path, NULL);
    struct settings settings;
    struct error error;

    if (!text || !strstr(kit_text(kit, "\n%s", text), kit_text(kit, "\n%s:", key)) ||
        !settings_load(&settings, path, all_group_keys, &error))
        return false;
    for (size_t i = 0; i < settings.count; i++)
        for (size_t p = 0; p < 3; p++) {
            const char *rest = settings.items[i].key + strlen(prefixes[p]);

            if (!starts_with(settings.items[i].key, prefixes[p]) || !rest[0] || rest[strspn(rest, "0123456789")])
                continue;
            lines_add(kit, words, "%s", settings.items[i].value);
            break;
        }
    settings_release(&settings);
    return true;
}

struct lines program_args(struct kit *kit, const char *data, const char *stem, const char *key, const char *program,
                          const char *first)
{
    const size_t top = strlen(data);
    char *folder = kit_text(kit, "%s", stem), *slash;
    struct lines words = { 0 };

    lines_add(kit, &words, "%s", first);
    if (read_file(kit, kit_text(kit, "%s.yaml", stem), key, program, &words))
        return words;
    while ((slash = strrchr(folder, '/')) && (size_t)(slash - folder) >= top) {
        *slash = '\0';
        if (read_file(kit, kit_text(kit, "%s/test_group.yaml", folder), key, program, &words))
            break;
    }
    return words;
}
