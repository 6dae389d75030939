/*
 * Deterministic operands for the instruction forms, and the comparison of results under a form's rule. Called by
 * main_forms.cu; knows types and rules, but no instruction.
 */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "forms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The result of comparing two values of one output type. */
struct form_match {
    int equal;      /* the bits are equal */
    int within;     /* the rule accepts the pair */
    double ulps;    /* distance in units of the last place of the type, the worse half of a pair; 0 for integers */
};

/* The 64-bit FNV-1a hash of `bytes` bytes, continued from `hash` (form_hash_start to begin with). */
u64 form_hash(u64 hash, const void *data, u64 bytes);
static const u64 form_hash_start = 0xcbf29ce484222325ull;

/* Bits of the register which holds a value of PTX type `type`; 1 for a predicate. */
unsigned form_type_bits(const char *type);

/* Fills in[form->nin * form->n]. The operands depend on the name, the generators and n alone. */
void form_operands(const struct form *form, u64 *in);

/* Compares two results of type `type` under `rule`; with any_nan every NaN equals every NaN, whatever the rule. */
struct form_match form_compare(const char *type, const char *rule, int any_nan, u64 x, u64 y);

/* x with each NaN replaced by one NaN of the type: the input of the digest of a form with the rule `nan`. */
u64 form_canonical(const char *type, u64 x);

#ifdef __cplusplus
}
#endif

#endif
