/*
 * profile.c - reads the file beside the library that describes the GPU which the virtual device represents.
 *
 * settings.c calls it before a device is made. It does not know what the keys mean.
 */
#include "profile.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of the profiles, into `path`. */
static void folder(char *path, size_t size)
{
    static const char here;
    Dl_info info;
    const char *slash = dladdr(&here, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;

    snprintf(path, size, "%.*sprofiles", slash ? (int)(slash + 1 - info.dli_fname) : 0, slash ? info.dli_fname : "");
}

static int is_profile(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');

    return end && strcmp(end, ".conf") == 0;
}

/* "must be one of: a100-40, h100, ...". */
static void list_names(const char *where, char *error, size_t size)
{
    struct dirent **entries = NULL;
    int count = scandir(where, &entries, is_profile, alphasort);
    size_t used = strlen(error);

    if (count <= 0)
        snprintf(error + used, size - used, "there are no profiles in '%s'", where);
    else
        snprintf(error + used, size - used, "must be one of:");
    for (int i = 0; i < count; i++) {
        used = strlen(error);
        snprintf(error + used, size - used, "%s %.*s", i > 0 ? "," : "",
                 (int)(strlen(entries[i]->d_name) - strlen(".conf")), entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* Cuts blanks off both ends. */
static char *trimmed(char *text)
{
    size_t size;

    text += strspn(text, " \t");
    size = strlen(text);
    while (size > 0 && strchr(" \t\r\n", text[size - 1]))
        text[--size] = '\0';
    return text;
}

static bool read_line(struct profile *profile, char *text, unsigned number, char *error, size_t error_size)
{
    struct profile_line *line = &profile->lines[profile->count];
    char *equals, *key, *value;

    text[strcspn(text, "#")] = '\0';
    text = trimmed(text);
    if (!*text)
        return true;
    equals = strchr(text, '=');
    if (equals)
        *equals = '\0';
    key = trimmed(text);
    value = equals ? trimmed(equals + 1) : text;
    if (!equals || !*key || !*value || strlen(key) >= sizeof line->key || strlen(value) >= sizeof line->value ||
        profile->count == sizeof profile->lines / sizeof *line) {
        snprintf(error, error_size, "%s:%u: must be KEY = VALUE", profile->path, number);
        return false;
    }
    *line = (struct profile_line){ .line = number };
    memcpy(line->key, key, strlen(key));
    memcpy(line->value, value, strlen(value));
    profile->count++;
    return true;
}

bool profile_read(const char *name, struct profile *profile, char *error, size_t error_size)
{
    char where[400], text[256];
    FILE *in;
    bool ok = true;

    memset(profile, 0, sizeof *profile);
    folder(where, sizeof where);
    if (strchr(name, '/'))
        snprintf(profile->path, sizeof profile->path, "%s", name);
    else
        snprintf(profile->path, sizeof profile->path, "%s/%.64s.conf", where, name);
    in = fopen(profile->path, "re");
    if (!in && strchr(name, '/')) {
        snprintf(error, error_size, "CUDASIM_PROFILE: cannot open '%s': %s", name, strerror(errno));
        return false;
    }
    if (!in) {
        snprintf(error, error_size, "CUDASIM_PROFILE=%.64s: ", name);
        list_names(where, error, error_size);
        return false;
    }
    for (unsigned number = 1; ok && fgets(text, sizeof text, in); number++)
        ok = read_line(profile, text, number, error, error_size);
    fclose(in);
    return ok;
}

const char *profile_value(struct profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->count; i++) {
        if (strcmp(profile->lines[i].key, key) == 0) {
            profile->lines[i].used = true;
            return profile->lines[i].value;
        }
    }
    return NULL;
}

bool profile_all_used(const struct profile *profile, char *error, size_t error_size)
{
    for (size_t i = 0; i < profile->count; i++) {
        if (!profile->lines[i].used) {
            snprintf(error, error_size, "%s:%u: the key '%s' is unknown, or there twice", profile->path,
                     profile->lines[i].line, profile->lines[i].key);
            return false;
        }
    }
    return true;
}
