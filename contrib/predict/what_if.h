/*
 * what_if.h - what a launch would take if one property of it were another: its occupancy, how dense its accesses are.
 */
#ifndef PREDICT_WHAT_IF_H
#define PREDICT_WHAT_IF_H

#include <jansson.h>

#include "model.h"

enum { WHAT_IFS = 24 };

enum change { CHANGE_REGISTERS, CHANGE_SHARED, CHANGE_LOADS, CHANGE_STORES, CHANGES };

struct what_if {
    enum change change;
    double value;            /* registers a thread, or bytes of shared memory a block; of accesses nothing */
    double warps;            /* of a multiprocessor, at most: those that are resident */
    struct forecast forecast;
};

const char *change_name(enum change change);

/*
 * Fills list[WHAT_IFS] with the changes that change anything, a forecast each; *count says how many. Registers and
 * shared memory are those with which one block more or fewer is resident, twice as many, and so on. Dense accesses are
 * those whose lanes lie side by side, in words of 4 bytes. The instructions stay as they are.
 */
bool what_if(const struct model *model, const struct sample *sample, const struct gpu *gpu,
             struct what_if list[WHAT_IFS], size_t *count, struct error *error);

/* The same as an array of objects; NULL and an error if it cannot be computed. */
json_t *what_if_json(const struct model *model, const struct sample *sample, const struct gpu *gpu,
                     struct error *error);

/* The same as a line for people. us: what was predicted of the launch as it is. */
bool what_if_print(const struct model *model, const struct sample *sample, const struct gpu *gpu, double us,
                   struct error *error);

#endif
