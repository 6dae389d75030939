/*
 * seeds.h - the seeds of a judging's inputs: from --seed, or from the key of one judgement, which a seal gives.
 *
 * A seal gives every judgement its own key, and that key gives every call of every case its own seed:
 *
 *   KEY   = HMAC-SHA-256(key: the secret, "gpu-contest-seed-2\nPROBLEM\nLEAGUE\nJUDGEMENT\n")      seal_judgement()
 *   seed  = the first 8 bytes, the highest first, of HMAC-SHA-256(key: KEY, "gpu-contest-call-2\nCASE\nCALL\n")
 *   mark  = HMAC-SHA-256(key: KEY, "gpu-contest-input-2\nSHA-256 of the input\n"), in hexadecimal digits
 *
 * JUDGEMENT and CALL are decimal numbers from 1. So no two judgements share an input, nobody who knows all inputs of
 * some calls knows those of others, and a judgement's inputs can be made before there is a submission. The mark stands
 * in a record in place of the digest: a small input could be found by trying all of them.
 */
#ifndef VERIFY_SEEDS_H
#define VERIFY_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "seal.h"
#include "verify/base/digest.h"
#include "verify/base/random.h"

struct seeds {
    bool sealed;                   /* then `key` counts, else `seed` */
    uint64_t seed;                 /* --seed */
    unsigned char key[SEAL_BYTES]; /* of the judgement */
};

/* What fixes the input of a call, from 0: of a case by its name and the seed= of its line. */
struct random_key seeds_of_call(const struct seeds *seeds, const char *test_case, uint32_t case_seed, uint32_t call);

/* What a record says of an input, in place of its SHA-256 in hex[], which is what it stays without a seal. */
void seeds_mark(const struct seeds *seeds, char hex[DIGEST_HEX]);

#endif
