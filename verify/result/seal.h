/*
 * seal.h - a contest's secret seed: committed to before, revealed after, checked by anyone.
 *
 *   commitment = SHA-256("gpu-contest-seal-1\nNAME\nSECRET\n")          SECRET as 64 hexadecimal digits
 *   KEY        = HMAC-SHA-256(key: the 32 bytes of the secret,
 *                             "gpu-contest-seed-2\nPROBLEM\nLEAGUE\nJUDGEMENT\n")
 *
 * KEY belongs to one judgement, by its number from 1; seeds.h describes its use. LEAGUE is empty if the problem has no
 * leagues. Each text begins with its purpose, and no part can hold a newline, so no two uses can be confused. sha256sum
 * and openssl compute both: docs/formats/seals.md.
 *
 * The files of a seal, in its folder: SEAL_SECRET (for the organiser alone), SEAL_PUBLISHED, and SEAL_REVEALED after
 * the contest.
 */
#ifndef VERIFY_SEAL_H
#define VERIFY_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "verify/base/digest.h"
#include "verify/base/error.h"

#define SEAL_SECRET "seal-secret.json"
#define SEAL_PUBLISHED "seal-published.json"
#define SEAL_REVEALED "seal-revealed.json"

enum { SEAL_NAME = 65, SEAL_BYTES = 32 };

struct seal {
    char name[SEAL_NAME];              /* the contest's: 1 to 64 letters, digits, spaces and _ . - */
    unsigned char secret[SEAL_BYTES];  /* zeros once forgotten */
    char commitment[DIGEST_HEX];
    bool revealed;                     /* it came from a revealed file: no secret any more */
};

/* Draws a secret and writes its secret and its published file. Neither may be there yet. */
bool seal_create(struct seal *seal, const char *folder, const char *name, struct error *error);

/*
 * Reads a secret file, which others must not be able to read, or a revealed one. A secret that does not fit the
 * commitment beside it is refused.
 */
bool seal_load(struct seal *seal, const char *path, struct error *error);

/* Reads a published file: name and commitment. */
bool seal_load_published(struct seal *seal, const char *path, struct error *error);

/* Reads a file of any of the three kinds. */
bool seal_load_any(struct seal *seal, const char *path, bool *has_secret, struct error *error);

/* Writes the revealed file of a folder's seal. */
bool seal_reveal(struct seal *seal, const char *folder, struct error *error);

/* The commitment to a name and a secret. */
void seal_commit(const struct seal *seal, char commitment[DIGEST_HEX]);

/* The key of a judgement of a problem in a league, "" for none. */
void seal_judgement(const struct seal *seal, const char *problem, const char *league, uint64_t judgement,
                    unsigned char key[SEAL_BYTES]);

/* Wipes the secret from memory; name and commitment stay. */
void seal_forget(struct seal *seal);

#endif
