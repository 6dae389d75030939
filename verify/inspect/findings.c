/*
 * findings.c - the names of rules.
 */
#include "findings.h"

#include <string.h>

static const char *const rule_names[RULES] = { [RULE_TENSOR_CORES] = "tensor_cores" };

enum rule rule_find(const char *name)
{
    unsigned rule = 0;

    while (rule < RULES && strcmp(rule_names[rule], name) != 0)
        rule++;
    return (enum rule)rule;
}
