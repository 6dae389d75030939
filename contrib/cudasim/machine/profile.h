/*
 * profile.h - a file that describes the GPU which the virtual device represents: contrib/cudasim/profiles/.
 */
#ifndef CUDASIM_PROFILE_H
#define CUDASIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

/* One line, KEY = VALUE. A # starts a comment. */
struct profile_line {
    char key[32], value[64];
    unsigned line; /* of the file, from 1 on */
    bool used;     /* a caller asked for it */
};

struct profile {
    char path[512];
    struct profile_line lines[32];
    size_t count;
};

/*
 * Reads a profile: the file `name` if it holds a /, else NAME.conf in the folder profiles/ beside this library.
 * False with a message, which lists the available names.
 */
bool profile_read(const char *name, struct profile *profile, char *error, size_t error_size);

/* The value of a key, or NULL. */
const char *profile_value(struct profile *profile, const char *key);

/* False with a message if no caller asked for one of the lines. */
bool profile_all_used(const struct profile *profile, char *error, size_t error_size);

#endif
