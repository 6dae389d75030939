/*
 * keyfile.h - the small JSON files of seals and keys: one object with a format, a kind and some hexadecimal fields.
 *
 * Read by seal.c and signature.c. No error here repeats what a file holds: it may be a secret.
 */
#ifndef VERIFY_KEYFILE_H
#define VERIFY_KEYFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "verify/base/error.h"

/* The version of these files. */
enum { KEYFILE_FORMAT = 1 };

/*
 * Writes `object`, whose reference it owns (NULL: out of memory), to a new file of that mode, and to the disk. A file
 * that is there is never replaced: what was published of it would be void.
 */
bool keyfile_create(const char *path, mode_t mode, json_t *object, struct error *error);

/* Makes the folder where it is not there, for its owner alone. */
bool keyfile_folder(const char *folder, struct error *error);

/* FOLDER/NAME in path[size]. */
bool keyfile_path(char *path, size_t size, const char *folder, const char *name, struct error *error);

/* The object in a file; the caller's to json_decref(). NULL with an error that names the file. */
json_t *keyfile_read(const char *path, struct error *error);

/* Whether the object is of that kind. */
bool keyfile_is(const json_t *object, const char *kind);

/* Whether nobody but the file's owner may read it, as a secret's must be. */
bool keyfile_is_private(const char *path, struct error *error);

/* The field `key`, exactly `size` bytes as hexadecimal text. */
bool keyfile_bytes(const json_t *object, const char *path, const char *key, unsigned char *bytes, size_t size,
                   struct error *error);

#endif
