/*
 * program_names.c - the meanings of names: variables and functions of the module; labels, locals and parameters of the
 * function that is being built.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/hash.h"

const struct global_name *global_name(struct builder *b, const char *name)
{
    for (size_t at = hash_bytes(name, strlen(name)); b->names[at & b->name_mask].name; at++)
        if (strcmp(b->names[at & b->name_mask].name, name) == 0)
            return &b->names[at & b->name_mask];
    return NULL;
}

void add_global(struct builder *b, const char *name, uint32_t index, bool is_function)
{
    size_t at = hash_bytes(name, strlen(name));

    while (b->names[at & b->name_mask].name)
        at++;
    b->names[at & b->name_mask] = (struct global_name){name, index, is_function};
}

const struct name_entry *local_name(struct builder *b, const char *name)
{
    for (size_t at = hash_bytes(name, strlen(name)); b->labels[at & b->label_mask].name; at++)
        if (strcmp(b->labels[at & b->label_mask].name, name) == 0)
            return &b->labels[at & b->label_mask];
    return NULL;
}

void add_local(struct builder *b, const char *name, uint32_t value, enum name_kind kind)
{
    size_t at = hash_bytes(name, strlen(name));

    while (b->labels[at & b->label_mask].name)
        at++;
    b->labels[at & b->label_mask] = (struct name_entry){name, value, kind};
}

bool local_is(struct builder *b, const struct name_entry *entry, enum ptx_space space)
{
    return entry->kind == NAME_LOCAL && b->ptx_function->locals[entry->value].space == space;
}
