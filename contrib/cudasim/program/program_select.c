/*
 * program_select.c - finds loads whose value selp may throw away.
 *
 * nvcc loads ahead of a condition where the address is valid, and throws the value away with selp. Such loads are
 * marked: what they read unwritten, or while others write, need not be wrong.
 */
#include "builder.h"

/* Whether instruction `n` is a selp that has register `v` as one of its values. */
static bool selects(const struct builder *b, size_t n, uint32_t v)
{
    step *const run = b->code[n].body;

    return (run == row_find(b->rows, "selp.b16")->run || run == row_find(b->rows, "selp.b32")->run ||
            run == row_find(b->rows, "selp.b64")->run) && v != b->code[n].c >> 1;
}

#define FOLLOWED 64 /* instructions */

/*
 * Whether what instruction `n` puts into register `v` goes to selp alone, as far as that is seen without a condition.
 */
static bool only_selected(const struct builder *b, size_t n, uint32_t v)
{
    bool seen = false;

    n++;
    for (int steps = 0; steps < FOLLOWED && n < b->code_count; steps++) {
        const struct ins_facts *f = &b->facts[n];

        for (uint32_t u = 0; u < f->uses; u++)
            if (b->vregs[f->first_def + f->defs + u] == v) {
                if (!selects(b, n, v))
                    return false;
                seen = true;
            }
        for (uint32_t d = 0; d < f->defs && !f->partial; d++)
            if (b->vregs[f->first_def + d] == v)
                return seen;
        if (!f->falls && !f->targets)
            return seen;
        if (f->targets > 1 || (f->targets && f->falls))
            return false;
        n = f->targets ? b->label_at[b->targets[f->first_target]] : n + 1;
    }
    return false;
}

void mark_selected(struct builder *b)
{
    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins *i = &b->code[n];
        const struct ins_facts *f = &b->facts[n];

        i->selected = f->defs > 0 && (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD);
        for (uint32_t u = 0; u < f->defs; u++)
            i->selected = i->selected && only_selected(b, n, b->vregs[f->first_def + u]);
    }
}
