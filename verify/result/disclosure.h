/*
 * disclosure.h - what others than the organiser may read of a result: one table of its fields, all else is secret.
 *
 * A result has two forms. The whole one is the organiser's. The public one is for everybody: participants, pages,
 * feeds, records that are given out. Of a secret case it has no value of an input or an answer, and nothing that the
 * submission chose: what it wrote, printed or exited with, how much it took, what its own process says of times. A
 * case is secret where its inputs come from a seal, and else where it is no sample. Of a case that was accepted its
 * times are public: they rank.
 *
 * A field that the table does not name is secret, so a new one is not given out by mistake.
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
