/*
 * frozen.h - checks that the trusted files are the same as when the host was built.
 *
 * The host contains the digests of all trusted files, which the build generates from the list of
 * run_scripts/lib/frozen.sh. A problem's settings and cases are read while judging, not compiled in. They are compared
 * with these digests, so that the digest in a record covers them too. That digest covers the host's files and one
 * problem's: no other problem changes it.
 */
#ifndef VERIFY_FROZEN_H
#define VERIFY_FROZEN_H

#include <stdbool.h>

#include "verify/base/digest.h"
#include "verify/base/error.h"

/* Digests as the build saw them: lines of sha256sum, "DIGEST  PATH", path relative to the toolkit's folder. */
extern const char *const frozen_lines[]; /* ends with NULL */

/*
 * One SHA-256, in hex, of the host's lines followed by the problem's lines if it is not NULL. It is the output of
 * `run_scripts/lib/frozen.sh digest [PROBLEM]`.
 */
void frozen_digest(const char *problem, char hex[DIGEST_HEX]);

/* Checks root/path. A file that changed, or that is newer than the host, is an error. */
bool frozen_check(const char *root, const char *path, struct error *error);

#endif
