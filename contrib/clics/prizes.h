/*
 * prizes.h - awards: who solved what first, and once the contest is over and nothing is hidden, who has won.
 */
#ifndef CLICS_PRIZES_H
#define CLICS_PRIZES_H

#include "objects.h"

/*
 * The endpoint's array. Nobody has solved a problem first while a submission before has no verdict, or one that the
 * view hides; nobody has won before the end, nor while anything is hidden or has no verdict. NULL with an error.
 */
json_t *prizes_read(const struct view *view, struct error *error);

#endif
