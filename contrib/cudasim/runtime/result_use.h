/*
 * result_use.h - whether the program looks at what a call of the runtime returned.
 */
#ifndef CUDASIM_RESULT_USE_H
#define CUDASIM_RESULT_USE_H

enum result_use {
    RESULT_USED,      /* it is compared, kept or passed on as an argument; or that cannot be told */
    RESULT_UNUSED,    /* it is overwritten before anything reads it */
    RESULT_RETURNED   /* the function returns it, or returns nothing: what its caller does decides */
};

/* What the machine code at `code`, where a call of a function that returns an int comes back to, does with that. */
enum result_use result_use(const void *code);

#endif
