/*
 * The row of the table of instruction forms, shared by the generated kernels (forms_*.cu), the driver (main_forms.cu)
 * and the independent expectations (expected.c). It knows no CUDA: the kernel is a plain function pointer here.
 */
#ifndef FORMS_H
#define FORMS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned long long u64;

enum { FORM_OUTS = 8, FORM_INS = 20 };

typedef void (*form_kernel)(const u64 *in, u64 *out, unsigned n, u64 *mem);

/* One instruction form. Every operand occupies one u64 slot, operand j of tuple i at [j * n + i], zero-extended. */
struct form {
    const char *name;               /* opcode, perhaps with a @tag which tells variants apart */
    const char *rule;               /* bits, nan, ulp:N, rel:2^-N, abs:2^-N, info; alternatives joined by '/';
                                       golden/ before them: a recorded machine's bits, too */
    unsigned n;                     /* operand tuples, a multiple of 128 */
    unsigned nout;                  /* outputs used */
    unsigned nin;                   /* inputs used */
    const char *out[FORM_OUTS];     /* PTX type of each output, p for a predicate */
    const char *in[FORM_INS];       /* PTX type of each input */
    const char *gen[FORM_INS];      /* class of the operand generator of each input */
    form_kernel kernel;             /* __global__ function; called with <<<>>> only */
};

/*
 * Computes what the PTX manual says the form gives, without use of the kernels: out[form->nout * form->n], and known[i]
 * set to 1 for each tuple i for which it has an expectation, 0 for the others.
 */
void form_expected(const struct form *form, const u64 *in, u64 *out, unsigned char *known);

#ifdef __cplusplus
}
#endif

#endif
