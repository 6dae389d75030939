/*
 * disclosure.h - which fields of a result are public: one table lists them, and all others are secret.
 *
 * A result has two forms. The whole form is for the organiser. The public form is for everybody: participants, pages,
 * feeds, published records. For a secret case the public form has no value of an input or an answer, and nothing that
 * the submission controls: its output, prints and exit code, its memory, and the times of its own process. A case is
 * secret if its inputs come from a seal; without a seal, if it is not a sample. The times of an accepted case are
 * public, as they rank.
 *
 * A field that the table does not name is secret, so a new field is not published by mistake.
 */
#ifndef VERIFY_DISCLOSURE_H
#define VERIFY_DISCLOSURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "verify/judge/verdict.h"

/* Whether a case, by its name, is secret in a judging with or without a seal. */
bool disclosure_is_secret(const char *test_case, bool sealed);

/*
 * Why a case got its verdict, for everybody: the reason's words, the case's name and the number of the call, 0 for
 * none, and nothing else. Empty for AC.
 */
void disclosure_words(enum verdict verdict, enum reason reason, const char *test_case, size_t call, char *text,
                      size_t size);

/* The public form of a whole result, a new object, with "withheld" true where something was left out; or NULL. */
json_t *disclosure_public(const json_t *result);

#endif
