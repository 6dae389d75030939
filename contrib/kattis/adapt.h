/*
 * adapt.h - makes an imported package a problem that is judged as it is: by contrib/kattis/adapter.
 */
#ifndef KATTIS_ADAPT_H
#define KATTIS_ADAPT_H

#include "import.h"

/* Whether programs of this problem read one input and write one output, which can be judged here; else says why not. */
bool adapt_can(struct import *import);

/*
 * After everything of the package lies in imported/: writes problem.c and all else that a problem has, with a case for
 * each of the package's and its jury's submissions in C and C++. What cannot come along is listed.
 */
void adapt_write(struct import *import);

#endif
