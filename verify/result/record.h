/*
 * record.h - the parts of a result that can be checked later: digests, the seal's commitment, the options, a signature.
 * docs/formats/records.md lists the keys; problems/main_record.c checks them.
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
 * The seeds of inputs: from --seal and --judgement, else from --seed. The secret is wiped from memory. The judgement's
 * key, which reveals nothing about other judgements, stays in *seeds and is in no result.
 */
bool record_seeds(struct record *record, const char *problem, const char *league, struct seeds *seeds,
                  struct error *error);

/* Refuses to run without a box while seal or key are secret: the submission could read them or the host's memory. */
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
