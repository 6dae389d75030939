/*
 * signature.h - Ed25519 (RFC 8032) signatures of result records, by libsodium.
 *
 * The signature is over the object's canonical text (canonical.h) without its key "signature".
 * The files of a key, in its folder: KEY_SECRET (for the organiser alone) and KEY_PUBLIC.
 */
#ifndef VERIFY_SIGNATURE_H
#define VERIFY_SIGNATURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/base/error.h"

#define KEY_SECRET "key-secret.json"
#define KEY_PUBLIC "key-public.json"

enum { KEY_SEED_BYTES = 32, KEY_PUBLIC_BYTES = 32, KEY_SECRET_BYTES = 64, SIGNATURE_BYTES = 64 };

struct signing_key {
    unsigned char public_key[KEY_PUBLIC_BYTES];
    unsigned char secret_key[KEY_SECRET_BYTES]; /* RFC 8032's secret key and the public key behind it */
};

/* The key of RFC 8032's 32-byte secret. */
void signing_key_from_seed(struct signing_key *key, const unsigned char seed[KEY_SEED_BYTES]);

/* Draws a key and writes its two files. Neither may be there yet. */
bool signing_key_create(struct signing_key *key, const char *folder, struct error *error);

/* Reads KEY_SECRET, which others must not be able to read. */
bool signing_key_load(struct signing_key *key, const char *path, struct error *error);

/* Reads KEY_PUBLIC. */
bool public_key_load(unsigned char public_key[KEY_PUBLIC_BYTES], const char *path, struct error *error);

/* Signs bytes, and checks a signature of them. */
void signature_make(unsigned char signature[SIGNATURE_BYTES], const void *message, size_t size,
                    const struct signing_key *key);
bool signature_fits(const unsigned char signature[SIGNATURE_BYTES], const void *message, size_t size,
                    const unsigned char public_key[KEY_PUBLIC_BYTES]);

/* What is signed of an object. The caller's to free(); NULL when memory is out. */
char *record_message(const json_t *object);

/* Sets the object's "signature". */
bool record_sign(json_t *object, const struct signing_key *key, struct error *error);

/* Whether the object's "signature" is right for the public key in it, which is put into *public_key; or why not. */
bool record_check(const json_t *object, unsigned char public_key[KEY_PUBLIC_BYTES], struct error *error);

#endif
