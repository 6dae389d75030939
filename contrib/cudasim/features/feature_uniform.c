/*
 * feature_uniform.c - registers that have one value in all lanes of a warp, as far as the code says so.
 *
 * ptxas reads constant memory by another path if the address is such a value: ULDC, whose cache is small. A value is
 * not uniform if it comes from the thread's place in its block, from memory other than parameters and constants, from
 * another lane, or under a condition that is not. What branches decide is not followed: a loop whose counter starts
 * alike in all lanes counts alike in those that are in it.
 */
#include "feature_uniform.h"

#include <stdlib.h>
#include <string.h>

#include "feature_graph.h"

struct reading {
    const bool *varies;
    bool any;
};

static void note_read(size_t reg, void *context)
{
    struct reading *r = context;

    r->any |= r->varies[reg];
}

struct writing {
    bool *varies, changed;
};

static void note_written(size_t reg, void *context)
{
    struct writing *w = context;

    w->changed |= !w->varies[reg];
    w->varies[reg] = true;
}

static bool is_lane(const struct ptx_operand *x)
{
    bool any = x->kind == PTX_OPERAND_SPECIAL &&
               (strncmp(x->name, "%tid", 4) == 0 || strncmp(x->name, "%lane", 5) == 0);

    for (size_t n = 0; n < x->count; n++)
        any |= is_lane(&x->elements[n]);
    return any;
}

static bool gives_lanes(const struct ptx_function *f, const struct ptx_statement *s)
{
    static const char *const list[] = {"atom", "shfl", "tex", "tld4", "suld", "ldmatrix", "call", "match", "elect"};

    if (feature_is(s->opcode, "ld"))
        return !feature_has(s->opcode, "const") && !(f->entry && feature_has(s->opcode, "param"));
    for (size_t n = 0; n < sizeof list / sizeof *list; n++)
        if (feature_is(s->opcode, list[n]))
            return true;
    for (size_t n = 0; n < s->count; n++)
        if (is_lane(&s->operands[n]))
            return true;
    return false;
}

bool *feature_varying(const struct ptx_function *f)
{
    struct writing w = {calloc(f->register_count + 1, sizeof *w.varies), true};

    while (w.varies && w.changed) {
        w.changed = false;
        for (size_t n = 0; n < f->statement_count; n++) {
            const struct ptx_statement *s = &f->statements[n];
            struct reading r = {w.varies, false};

            if (s->kind != PTX_INSTRUCTION)
                continue;
            feature_visit_read(f, s, note_read, &r);
            if (r.any || (s->guard >= 0 && w.varies[s->guard]) || gives_lanes(f, s))
                feature_visit_written(f, s, note_written, &w);
        }
    }
    return w.varies;
}

bool feature_reads_varying(const struct ptx_function *f, const struct ptx_statement *s, const bool *varies)
{
    struct reading r = {varies, s->guard >= 0 && varies[s->guard]};

    feature_visit_read(f, s, note_read, &r);
    return r.any;
}
