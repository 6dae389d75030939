/*
 * program_select.c - finds loads whose value selp may discard, and loads that wait.
 *
 * If an address is valid, nvcc may load ahead of the condition, and discard the value with selp. This file marks such
 * loads: they may read unwritten bytes, or bytes that others write, without being wrong. Of a vector that is loaded, it
 * notes the elements that arithmetic uses: each of them must have been written. It also marks volatile and strong
 * loads in a small loop without stores, because they wait for a write of another thread. It marks loads whose value an
 * atomic operation compares with the same word later: a loop around a compare-and-swap begins with one. And it marks
 * stores to a word that was loaded before, because they may write back the value that they found.
 */
#include <string.h>

#include "builder.h"
#include "contrib/cudasim/base/atomic.h"

/* Whether instruction `n` is a selp that has register `v` as one of its values. */
static bool selects(const struct builder *b, size_t n, uint32_t v)
{
    step *const run = b->code[n].body;

    return (run == row_find(b->rows, "selp.b16")->run || run == row_find(b->rows, "selp.b32")->run ||
            run == row_find(b->rows, "selp.b64")->run) && v != b->code[n].c >> 1;
}

#define FOLLOWED 64 /* instructions */

/*
 * Whether only selp uses the value that instruction `n` puts into register `v`, as far as the code without conditions
 * shows.
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

/* Whether the instruction computes with its operands: arithmetic that nvcc does not use to move bytes. */
static bool computes(const struct builder *b, size_t n)
{
    static const char *const names[] = {"add.s32", "sub.s32", "mul.lo.s32", "mad.lo.s32", "add.s64", "sub.s64",
                                        "mul.lo.s64", "mad.lo.s64"};
    step *const run = b->code[n].body;

    for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
        const struct row *row = row_find(b->rows, names[name]); /* NULL: a table without it */

        if (row && run == row->run)
            return true;
    }
    return b->code[n].flops > 0 && !b->code[n].op_is_atomic;
}

/*
 * Whether arithmetic behind instruction `n`, before the next branch, uses the value in register `v`, and more than
 * selp uses its result.
 */
static bool is_needed(const struct builder *b, size_t n, uint32_t v)
{
    for (size_t m = n + 1; m < b->code_count && m <= n + FOLLOWED; m++) {
        const struct ins_facts *f = &b->facts[m];

        for (uint32_t u = 0; u < f->uses && f->defs == 1 && !f->partial; u++)
            if (b->vregs[f->first_def + f->defs + u] == v && computes(b, m) &&
                !only_selected(b, m, b->vregs[f->first_def]))
                return true;
        for (uint32_t d = 0; d < f->defs; d++)
            if (b->vregs[f->first_def + d] == v)
                return false;
        if (f->targets || !f->falls)
            return false;
    }
    return false;
}

/*
 * Whether the value that instruction `n` puts into register `v` may be ignored: selp discards it, or what is computed
 * with it, or only one side of a branch uses it. `branches` may be followed.
 */
static bool may_be_ignored(const struct builder *b, size_t n, uint32_t v, int branches)
{
    n++;
    for (int steps = 0; steps < FOLLOWED && n < b->code_count; steps++) {
        const struct ins_facts *f = &b->facts[n];

        for (uint32_t u = 0; u < f->uses && !f->partial; u++)
            if (b->vregs[f->first_def + f->defs + u] == v && !selects(b, n, v) &&
                !(computes(b, n) && f->defs == 1 && only_selected(b, n, b->vregs[f->first_def])))
                return false;
        for (uint32_t d = 0; d < f->defs && !f->partial; d++)
            if (b->vregs[f->first_def + d] == v)
                return true;
        if (f->targets == 1 && f->falls)
            return branches == 0 ||
                   may_be_ignored(b, (size_t)b->label_at[b->targets[f->first_target]] - 1, v, branches - 1) ||
                   may_be_ignored(b, n, v, branches - 1);
        if (f->targets > 1 || (!f->falls && !f->targets))
            return true;
        n = f->targets ? b->label_at[b->targets[f->first_target]] : n + 1;
    }
    return true;
}

/* Whether any instruction of the function reads register `v`. */
static bool is_read(const struct builder *b, uint32_t v)
{
    for (size_t n = b->first; n < b->code_count; n++)
        for (uint32_t u = 0; u < b->facts[n].uses; u++)
            if (b->vregs[b->facts[n].first_def + b->facts[n].defs + u] == v)
                return true;
    return false;
}

void mark_selected(struct builder *b)
{
    const struct row *shuffle = row_find(b->rows, "@shfl"); /* NULL: a table without it */

    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins *i = &b->code[n];
        const struct ins_facts *f = &b->facts[n];

        i->selected = f->defs > 0 && (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD);
        for (uint32_t u = 0; u < f->defs; u++)
            i->selected = i->selected && only_selected(b, n, b->vregs[f->first_def + u]);
        if (i->count > 1 && f->defs == i->count && !i->selected &&
            (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD))
            for (uint32_t u = 0; u < f->defs; u++)
                i->needed |= (uint8_t)(is_needed(b, n, b->vregs[f->first_def + u]) << u);
        if (shuffle && i->body == shuffle->run && f->defs > 0)
            i->selected = may_be_ignored(b, n, b->vregs[f->first_def], 2);
        if (i->op_is_atomic && i->op == ATOMIC_EXCH)
            i->needed = f->defs > 0 && is_read(b, b->vregs[f->first_def]);
    }
}

#define LOOP 24 /* instructions */

/* Whether instruction `n` is in a loop of a few instructions that writes nothing behind it. */
static bool in_small_loop(const struct builder *b, size_t n)
{
    for (size_t m = n; m < b->code_count && m < n + LOOP; m++) {
        const struct ins_facts *f = &b->facts[m];

        if (m > n && (b->code[m].class == CLASS_GLOBAL_STORE || b->code[m].class == CLASS_SHARED_STORE))
            return false;
        for (uint32_t t = 0; t < f->targets; t++)
            if (b->label_at[b->targets[f->first_target + t]] <= n)
                return true;
        if (!f->falls)
            return false;
    }
    return false;
}

/* Whether an atomic changes nothing: it adds 0. So it is a load. */
static bool only_looks(const struct builder *b, const struct ins *i)
{
    uint64_t value = 1;

    if (!i->op_is_atomic || !(i->flags & INS_SPINS) || !(i->b & 1) ||
        (i->op != ATOMIC_ADD && i->op != ATOMIC_OR && i->op != ATOMIC_XOR))
        return false;
    memcpy(&value, b->pool + i->b - 1, i->size < sizeof value ? i->size : sizeof value);
    return i->size < sizeof value ? !(value & ((UINT64_C(1) << 8 * i->size) - 1)) : !value;
}

void mark_polls(struct builder *b)
{
    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins *i = &b->code[n];
        bool loads = i->order && (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD);

        i->polls = (loads || only_looks(b, i)) && in_small_loop(b, n);
    }
}

#define NEAR 256 /* instructions */

/* Whether the addresses of `load` and of instruction `m` are the same: one register, or a constant, also in one. */
static bool same_address(const struct builder *b, const struct ins *load, size_t m)
{
    const struct ins *i = &b->code[m];

    if (i->a == load->a)
        return i->imm == load->imm;
    while (load->a == 1 && i->a != 1 && m-- > b->first) {
        const struct ins *move = &b->code[m];
        uint64_t value;

        if (move->d != i->a)
            continue;
        if (!(move->a & 1) || move->a == 1)
            return false;
        memcpy(&value, b->pool + move->a - 1, sizeof value);
        return value + (uint64_t)i->imm == (uint64_t)load->imm;
    }
    return false;
}

/* Whether an operation that only compares, or sets, comes behind load `n`, of the same word. */
static bool atomic_follows(const struct builder *b, size_t n)
{
    const struct ins *load = &b->code[n];

    for (size_t m = n + 1; m < b->code_count && m < n + NEAR; m++) {
        const struct ins *i = &b->code[m];

        if (i->op_is_atomic &&
            (i->op == ATOMIC_CAS || i->op == ATOMIC_MIN || i->op == ATOMIC_MAX || i->op == ATOMIC_EXCH) &&
            same_address(b, load, m))
            return true;
    }
    return false;
}

static bool uses(const struct builder *b, size_t n, uint32_t v)
{
    const struct ins_facts *f = &b->facts[n];
    bool found = false;

    for (uint32_t u = 0; u < f->uses; u++)
        found |= b->vregs[f->first_def + f->defs + u] == v;
    return found;
}

/*
 * Whether store `n` stores what an operation of arithmetic made of the value that instruction `load` brought. Two
 * threads that add to one word lose a sum, also in a run where one of them adds 0.
 */
static bool adds_to(const struct builder *b, size_t load, size_t n)
{
    const struct ins_facts *l = &b->facts[load];

    for (size_t m = load + 1; m < n; m++)
        if (b->facts[m].defs == 1 && l->defs == 1 && uses(b, m, b->vregs[l->first_def]) && computes(b, m) &&
            uses(b, n, b->vregs[b->facts[m].first_def]))
            return true;
    return false;
}

/* If a load of the same word comes before store `n`: notes whether that may store the value unchanged, or a sum. */
static void look_at_store(struct builder *b, size_t n)
{
    struct ins *store = &b->code[n];

    store->writes_back = store->sums = false;
    for (size_t m = n; store->stores && m-- > b->first && n - m < NEAR;) {
        const struct ins *i = &b->code[m];

        if ((i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD) && i->a == store->a &&
            i->imm == store->imm && !i->copies) {
            bool adds = adds_to(b, m, n);

            store->writes_back = !adds;
            store->sums = adds && store->order & ORDER_VOLATILE;
            break;
        }
    }
}

void mark_guesses(struct builder *b)
{
    for (size_t n = b->first; n < b->code_count; n++) {
        struct ins *i = &b->code[n];

        i->guesses = (i->class == CLASS_GLOBAL_LOAD || i->class == CLASS_SHARED_LOAD) && i->count == 1 && !i->copies &&
                     atomic_follows(b, n);
        look_at_store(b, n);
    }
}

/* Whether a label that is jumped to stands behind instruction `m`, up to `n`. */
static bool jumped_to(const struct builder *b, size_t m, size_t n)
{
    for (size_t l = 0; l < b->ptx_function->statement_count; l++)
        if (b->ptx_function->statements[l].kind == PTX_LABEL && b->label_used[l] && b->label_at[l] > m &&
            b->label_at[l] <= n)
            return true;
    return false;
}

/* Whether the same lanes have loaded what instruction `n` loads, in its straight run. */
static bool repeats(const struct builder *b, size_t n)
{
    const struct ins *i = &b->code[n];

    if (!i->cached || i->class != CLASS_GLOBAL_LOAD)
        return false;
    for (size_t m = n; m-- > b->first && n - m < NEAR;) {
        const struct ins *x = &b->code[m];
        const struct ins_facts *f = &b->facts[m];

        if (f->targets || !f->falls)
            return false;
        for (uint32_t d = 0; d < f->defs; d++)
            if (uses(b, n, b->vregs[f->first_def + d]))
                return false;
        if (x->cached && x->class == CLASS_GLOBAL_LOAD && x->run == i->run && x->body == i->body &&
            x->guard == i->guard && x->guard_negated == i->guard_negated && x->a == i->a && x->imm == i->imm &&
            x->size == i->size && x->width == i->width && x->count == i->count)
            return !jumped_to(b, m, n);
    }
    return false;
}

void mark_repeats(struct builder *b)
{
    for (size_t n = b->first; n < b->code_count; n++)
        b->code[n].repeats = repeats(b, n);
}
