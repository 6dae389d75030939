/*
 * name.c - the kinds of names.
 */
#include "name.h"

#include <string.h>

#include "text.h"

#define ALPHANUMERIC "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

enum { WORD_MOST = 128 };

static bool holds_only(const char *name, const char *characters) { return strspn(name, characters) == strlen(name); }

/* Of a path's part, `length` bytes. */
static bool is_part(const char *part, size_t length)
{
    return length > 0 && part[0] != '-' && !(length == 1 && part[0] == '.') &&
           !(length == 2 && strncmp(part, "..", 2) == 0);
}

static bool is_path(const char *name)
{
    for (;;) {
        const size_t length = strcspn(name, "/");

        if (!is_part(name, length))
            return false;
        if (name[length] == '\0')
            return true;
        name += length + 1;
    }
}

static bool is_word(const char *name, const char *characters)
{
    return name[0] != '\0' && strchr(ALPHANUMERIC, name[0]) && strlen(name) <= WORD_MOST && !strstr(name, "..") &&
           holds_only(name, characters);
}

bool name_is(const char *name, enum name_kind kind)
{
    switch (kind) {
    case NAME_FILE: return is_part(name, strlen(name)) && holds_only(name, ALPHANUMERIC "_.+-");
    case NAME_PATH: return is_path(name) && holds_only(name, ALPHANUMERIC "_.+-/");
    case NAME_WORD: return is_word(name, ALPHANUMERIC "_.-");
    case NAME_WORDS: return is_word(name, ALPHANUMERIC "_.-/");
    case NAME_TEXT: return name[0] != '\0' && text_is_harmless(name);
    }
    return false;
}
