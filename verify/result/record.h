/*
 * record.h - what a result holds for those who check it later: digests, the seal's commitment, what was asked for, a
 * signature. The keys are in docs/formats/records.md; problems/main_record.c checks them.
 */
#ifndef VERIFY_RECORD_H
#define VERIFY_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/base/blob.h"
#include "verify/base/digest.h"
#include "verify/base/error.h"
#include "verify/judge/options.h"
#include "seal.h"
#include "seeds.h"
#include "signature.h"

struct record {
    const struct options *options; /* what was asked for: the caller's to set before anything else */
    char date[24];                 /* when the judging began, UTC: 2026-01-31T09:30:00Z */
    struct seal seal;              /* without its secret; commitment "" where the seed does not come from a seal */
    bool signs;                    /* the result is to be signed, and holds the digest of every call's input: */
    struct signing_key key;
    char submission[DIGEST_HEX];   /* of the shared object, or "" */
    char source[DIGEST_HEX];       /* of what it was built from, or "" */
};

/* Reads the date, and the key of --key, before anything runs. */
bool record_begin(struct record *record, struct error *error);

/*
 * The seeds of inputs: of --seal and --judgement, else of --seed. The secret is wiped from memory; the judgement's key,
 * which tells nothing of other judgements, stays in *seeds and is in no result.
 */
bool record_seeds(struct record *record, const char *problem, const char *league, struct seeds *seeds,
                  struct error *error);

/* A submission outside a box could read the seal, the key or the host's memory: refused while these are secret. */
bool record_may_do_without_box(const struct record *record, const char *why, struct error *error);

/* The digests of the shared object (NULL for none) and of the source. A signed record's source must be readable. */
bool record_submission(struct record *record, const char *object, const char *source, struct error *error);

/* [count] digests as JSON; null where they were not wanted. */
json_t *record_inputs_json(char (*inputs)[DIGEST_HEX], size_t count);

/* Adds the record's keys to a result's object. */
bool record_finish(const struct record *record, json_t *result, struct error *error);

/* Signs a form of the result (disclosure.h), as it is, where there is a key. */
bool record_sign_form(const struct record *record, json_t *form, struct error *error);

#endif
