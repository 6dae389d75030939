/*
 * ptx_link.c - links modules that were compiled separately. nvlink does this with machine code; this file does it with
 * the modules' trees. sim.c calls it.
 *
 * A name that its module does not export gets a number if another module has the same name. The lists of files and
 * locations of the parts are put one behind the other, so statements name their source as before. The result owns its
 * lists. The items belong to the parts, which live as long as the result does.
 */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/base/arena.h"
#include "contrib/cudasim/base/hash.h"

/* A name of the result. */
struct name {
    const char *text; /* NULL: a free place */
    size_t index;     /* in the result's functions or variables */
    bool function;
};

/* A name of the part that is being added, and the one that it gets. */
struct renamed {
    const char *from, *to; /* from NULL: a free place */
};

struct linker {
    struct ptx_module *module; /* the result */
    struct arena *arena;       /* its own */
    struct name *names;        /* [name_places] of the result, hashed */
    size_t name_places;
    struct renamed *renamed;   /* [renamed_places] of the part that is being added, hashed */
    size_t renamed_places;
    size_t renamed_count;
    unsigned file_base;        /* added to the part's numbers of files */
    struct ptx_error *error;
};

static bool out_of_memory(struct linker *linker)
{
    snprintf(linker->error->message, sizeof linker->error->message, "out of memory");
    return false;
}

static struct name *name_place(const struct linker *linker, const char *text)
{
    for (size_t at = hash_bytes(text, strlen(text));; at++) {
        struct name *name = &linker->names[at & (linker->name_places - 1)];

        if (!name->text || !strcmp(name->text, text))
            return name;
    }
}

static struct renamed *renamed_place(const struct linker *linker, const char *text)
{
    for (size_t at = hash_bytes(text, strlen(text));; at++) {
        struct renamed *renamed = &linker->renamed[at & (linker->renamed_places - 1)];

        if (!renamed->from || !strcmp(renamed->from, text))
            return renamed;
    }
}

/* The name that the part's own `text` gets: one that the result does not have. False: out of memory. */
static bool rename_private(struct linker *linker, const char *text)
{
    struct renamed *renamed = renamed_place(linker, text);
    size_t room = strlen(text) + 24;
    char *to;

    if (!name_place(linker, text)->text || renamed->from)
        return true;
    to = arena_alloc(linker->arena, room);
    if (!to)
        return out_of_memory(linker);
    for (unsigned number = 2;; number++) {
        snprintf(to, room, "%s.%u", text, number);
        if (!name_place(linker, to)->text)
            break;
    }
    *renamed = (struct renamed){text, to};
    linker->renamed_count++;
    return true;
}

static bool note_private(struct linker *linker, const struct ptx_module *part)
{
    linker->renamed_count = 0;
    memset(linker->renamed, 0, linker->renamed_places * sizeof *linker->renamed);
    for (size_t i = 0; i < part->variable_count; i++)
        if (part->variables[i].linkage == PTX_PRIVATE && !rename_private(linker, part->variables[i].name))
            return false;
    for (size_t i = 0; i < part->function_count; i++)
        if (part->functions[i].linkage == PTX_PRIVATE && part->functions[i].defined &&
            !rename_private(linker, part->functions[i].name))
            return false;
    return true;
}

static const char *new_name(const struct linker *linker, const char *text)
{
    const struct renamed *renamed = text && linker->renamed_count ? renamed_place(linker, text) : NULL;

    return renamed && renamed->from ? renamed->to : text;
}

static void rename_operand(const struct linker *linker, struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_NAME)
        operand->name = new_name(linker, operand->name);
    for (size_t i = 0; i < operand->count; i++)
        rename_operand(linker, &operand->elements[i]);
}

/* Makes the part's statements, places and initial values say what they said in terms of the result. */
static void translate(const struct linker *linker, struct ptx_module *part)
{
    size_t locations = linker->module->location_count;

    for (size_t f = 0; f < part->function_count; f++)
        for (size_t s = 0; s < part->functions[f].statement_count && !part->functions[f].alias; s++) {
            struct ptx_statement *statement = &part->functions[f].statements[s];

            if (statement->source_file || statement->source_line)
                statement->source_file += linker->file_base;
            if (statement->location)
                statement->location += (unsigned)locations;
            for (size_t o = 0; o < statement->count && linker->renamed_count; o++)
                rename_operand(linker, &statement->operands[o]);
        }
    for (size_t v = 0; v < part->variable_count; v++)
        for (size_t r = 0; r < part->variables[v].relocation_count; r++)
            part->variables[v].relocations[r].symbol = new_name(linker, part->variables[v].relocations[r].symbol);
    for (size_t i = 0; i < part->file_count; i++)
        part->files[i].number += linker->file_base;
    for (size_t i = 0; i < part->location_count; i++) {
        part->locations[i].file += linker->file_base;
        if (part->locations[i].parent)
            part->locations[i].parent += (unsigned)locations;
    }
}

static bool twice(struct linker *linker, const char *name)
{
    snprintf(linker->error->message, sizeof linker->error->message, "'%.80s' is defined by two modules", name);
    return false;
}

/* An .extern one gives way to any other, a .weak or .common one to a .visible one. */
static bool add_variable(struct linker *linker, struct ptx_variable variable)
{
    struct ptx_module *module = linker->module;
    struct ptx_variable *known;
    struct name *name;

    variable.name = new_name(linker, variable.name);
    name = name_place(linker, variable.name);
    if (!name->text) {
        *name = (struct name){variable.name, module->variable_count, false};
        module->variables[module->variable_count++] = variable;
        return true;
    }
    if (name->function)
        return twice(linker, variable.name);
    known = &module->variables[name->index];
    if (variable.align < known->align)
        variable.align = known->align;
    known->align = variable.align;
    if (known->external && (!variable.external || known->size == 0))
        *known = variable;
    else if (!variable.external && known->linkage == PTX_VISIBLE && variable.linkage == PTX_VISIBLE)
        return twice(linker, variable.name);
    else if (!variable.external && (variable.linkage == PTX_VISIBLE ||
                                    (variable.linkage == PTX_COMMON && variable.size > known->size)))
        *known = variable;
    return true;
}

static bool add_function(struct linker *linker, struct ptx_function function)
{
    struct ptx_module *module = linker->module;
    struct ptx_function *known;
    struct name *name;

    function.name = new_name(linker, function.name);
    name = name_place(linker, function.name);
    if (!name->text) {
        *name = (struct name){function.name, module->function_count, true};
        module->functions[module->function_count++] = function;
        return true;
    }
    if (!name->function)
        return twice(linker, function.name);
    known = &module->functions[name->index];
    if (known->defined && function.defined && known->linkage == PTX_VISIBLE && function.linkage == PTX_VISIBLE)
        return twice(linker, function.name);
    if (function.defined && (!known->defined || function.linkage == PTX_VISIBLE))
        *known = function;
    return true;
}

static bool add_part(struct linker *linker, struct ptx_module *part)
{
    struct ptx_module *module = linker->module;

    if (!note_private(linker, part))
        return false;
    translate(linker, part);
    for (size_t i = 0; i < part->variable_count; i++)
        if (!add_variable(linker, part->variables[i]))
            return false;
    for (size_t i = 0; i < part->function_count; i++)
        if (!add_function(linker, part->functions[i]))
            return false;
    for (size_t i = 0; i < part->file_count; i++) {
        module->files[module->file_count++] = part->files[i];
        if (part->files[i].number > linker->file_base)
            linker->file_base = part->files[i].number;
    }
    for (size_t i = 0; i < part->location_count; i++)
        module->locations[module->location_count++] = part->locations[i];
    if (part->version_major * 100 + part->version_minor > module->version_major * 100 + module->version_minor) {
        module->version_major = part->version_major;
        module->version_minor = part->version_minor;
    }
    return true;
}

/* Room for count items of `size` bytes, or NULL. */
static void *room_for(struct linker *linker, size_t count, size_t size)
{
    size_t bytes;
    void *items = __builtin_mul_overflow(count + 1, size, &bytes) ? NULL : arena_alloc(linker->arena, bytes);

    if (items)
        memset(items, 0, bytes);
    else
        out_of_memory(linker);
    return items;
}

/* The result's lists, with room for all that the parts have. */
static bool make_lists(struct linker *linker, struct ptx_module *const *parts, size_t count)
{
    struct ptx_module sum = {0}, *module = linker->module;

    for (size_t i = 0; i < count; i++) {
        sum.variable_count += parts[i]->variable_count;
        sum.function_count += parts[i]->function_count;
        sum.file_count += parts[i]->file_count;
        sum.location_count += parts[i]->location_count;
    }
    module->variables = room_for(linker, sum.variable_count, sizeof *module->variables);
    module->functions = room_for(linker, sum.function_count, sizeof *module->functions);
    module->files = room_for(linker, sum.file_count, sizeof *module->files);
    module->locations = room_for(linker, sum.location_count, sizeof *module->locations);
    linker->name_places = linker->renamed_places = hash_places(sum.variable_count + sum.function_count);
    linker->names = calloc(linker->name_places, sizeof *linker->names);
    linker->renamed = calloc(linker->renamed_places, sizeof *linker->renamed);
    if (!linker->names || !linker->renamed)
        return out_of_memory(linker);
    return module->variables && module->functions && module->files && module->locations;
}

static bool link_parts(struct linker *linker, struct ptx_module **parts, size_t count)
{
    struct ptx_module *module = linker->module;
    bool ok = make_lists(linker, parts, count);

    for (size_t i = 0; i < count && ok; i++)
        ok = add_part(linker, parts[i]);
    free(linker->names);
    free(linker->renamed);
    module->target = parts[0]->target;
    module->address_size = parts[0]->address_size;
    return ok;
}

struct ptx_module *ptx_link(struct ptx_module **parts, size_t count, struct ptx_error *error)
{
    struct arena *arena = calloc(1, sizeof *arena);
    struct linker linker = {.arena = arena, .error = error};

    *error = (struct ptx_error){.message = "out of memory"};
    if (arena)
        linker.module = arena_alloc(arena, sizeof *linker.module);
    if (linker.module) {
        *linker.module = (struct ptx_module){.arena = arena};
        linker.module->parts = room_for(&linker, count, sizeof(struct ptx_module *));
    }
    if (!linker.module || !linker.module->parts) {
        for (size_t i = 0; i < count; i++)
            ptx_free(parts[i]);
        if (arena)
            arena_release(arena);
        free(arena);
        return NULL;
    }
    linker.module->part_count = count;
    memcpy(linker.module->parts, parts, count * sizeof *parts);
    if (link_parts(&linker, parts, count)) {
        *error = (struct ptx_error){0};
        return linker.module;
    }
    ptx_free(linker.module);
    return NULL;
}
