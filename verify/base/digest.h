/*
 * digest.h - SHA-256 of bytes, of a file and of a folder, as lower-case hexadecimal text; by libsodium.
 */
#ifndef VERIFY_DIGEST_H
#define VERIFY_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* 64 digits and the final zero. */
enum { DIGEST_HEX = 65 };

void digest_bytes(const void *data, size_t size, char hex[DIGEST_HEX]);

/* The digest of a regular file of any size. Refuses a missing or unreadable file, and names it. */
bool digest_file(const char *path, char hex[DIGEST_HEX], struct error *error);

/*
 * The digest of a submission's source. It is that of the text that sha256sum prints for its files, one line per file,
 * "DIGEST  NAME", sorted by the bytes of NAME. NAME is the path below the folder, or a single file's name. The same as
 *
 *   cd FOLDER && find . -type f -printf '%P\n' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 sha256sum | sha256sum
 *
 * It refuses names with a newline or a backslash, special files, and more than 10,000 files.
 */
bool digest_source(const char *path, char hex[DIGEST_HEX], struct error *error);

#endif
