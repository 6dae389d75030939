/*
 * profile.h - a file that says what the virtual device stands for: contrib/cudasim/profiles/.
 */
#ifndef CUDASIM_PROFILE_H
#define CUDASIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

/* A line KEY = VALUE; what follows a # is for people. */
struct profile_line {
    char key[32], value[64];
    unsigned line; /* of the file, from 1 on */
    bool used;     /* somebody asked for it */
};

struct profile {
    char path[512];
    struct profile_line lines[32];
    size_t count;
};

/*
 * Reads a profile: the file `name` if there is a / in it, else NAME.conf of the folder profiles/ beside this library.
 * False with a message, which lists the names that there are.
 */
bool profile_read(const char *name, struct profile *profile, char *error, size_t error_size);

/* The value of a key, or NULL. */
const char *profile_value(struct profile *profile, const char *key);

/* False with a message where a line was asked for by nobody. */
bool profile_all_used(const struct profile *profile, char *error, size_t error_size);

#endif
