/* method.c - the list of methods: the one file that knows them all. */
#include "method.h"

#include <string.h>

const struct method *const methods[] = {&method_elm,     &method_mlp,      &method_svr,    &method_ridge,
                                        &method_nearest, &method_roofline, &method_limits, &method_kriging,
                                        &method_bounded, &method_mechanism, NULL};

const struct method *method_find(const char *name)
{
    for (int i = 0; methods[i]; i++)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}
