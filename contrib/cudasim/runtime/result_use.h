/*
 * result_use.h - finds out if the program uses the result of a call of the runtime.
 */
#ifndef CUDASIM_RESULT_USE_H
#define CUDASIM_RESULT_USE_H

enum result_use {
    RESULT_USED,      /* the program compares it, keeps it or passes it as an argument; or its use is unknown */
    RESULT_UNUSED,    /* the program overwrites it before it reads it */
    RESULT_RETURNED   /* the function returns it, or returns nothing: its caller decides */
};

/* A call of a function that returns an int comes back to `code`. Says how the machine code there uses that int. */
enum result_use result_use(const void *code);

#endif
