/*
 * kernel.c - facts about a module's kernels: the resources that they need, and the blocks that fit on a multiprocessor.
 */
#include "kernel.h"

#include <string.h>

#include "contrib/cudasim/base/atomic.h"
#include "contrib/cudasim/base/round.h"
#include "inside.h"
#include "race_pages.h"


/* Derives properties of the kernel from one instruction. */
static bool depends_on_order(const struct ins *i)
{
    bool shared = i->space == PTX_SHARED;

    if (shared)
        return false;
    if (i->op_is_atomic && (i->mode == PTX_F32 || i->mode == PTX_F64 || i->mode == PTX_F16X2 || i->mode == PTX_BF16X2 ||
                            i->mode == PTX_F16 || i->mode == PTX_BF16))
        return true; /* sums are rounded in the order of their terms */
    if (i->op_is_atomic && i->op > ATOMIC_XOR)
        return true; /* of exchanges the last one counts, of inc and dec with their bounds the order */
    return (i->flags & INS_SPINS) && i->class != CLASS_SYNCHRONISATION && (i->op_is_atomic || !i->mode);
}

/* Atomics of one kind commute: they give the same in any order of the blocks. Those of two kinds may not. */
static uint32_t atomic_kind(const struct ins *i)
{
    bool compares = i->op == ATOMIC_MIN || i->op == ATOMIC_MAX;

    return 1u << (2 * i->op + (compares && (i->mode == PTX_S32 || i->mode == PTX_S64)));
}

/* The size of the smallest accesses. The check for races keeps an entry per unit of that size. */
static void note_size(const struct ins *i, struct sim_kernel *k)
{
    bool memory = i->class >= CLASS_GLOBAL_LOAD && i->class <= CLASS_SHARED_STORE;
    uint8_t shift = (uint8_t)(i->size ? __builtin_ctz(i->size) : 0);

    if (!memory || i->space == PTX_LOCAL || i->space == PTX_PARAM || i->space == PTX_CONST)
        return;
    if (i->space != PTX_GLOBAL && shift < k->shared_shift)
        k->shared_shift = shift;
    if (i->space != PTX_SHARED && shift < k->global_shift)
        k->global_shift = shift;
    if (i->copies && shift < k->global_shift) /* its other side */
        k->global_shift = shift;
}

static bool stores_something(const struct function *f)
{
    const struct store_roots *s = f->stores;

    return !s || s->anywhere || s->variables || s->set_count;
}

/* Follows the calls of function `index`. `seen` has one byte per function, *kinds the atomics outside shared memory. */
static void look_at(const struct program *p, size_t index, char *seen, struct sim_kernel *k, uint32_t *kinds)
{
    const struct function *f = &p->functions[index];

    if (seen[index] || !f->entry)
        return;
    seen[index] = 1;
    k->stores_anywhere |= f != k->function && stores_something(f);
    k->uses_local |= f->local_bytes != 0;
    for (uint32_t n = f->first; n < f->last; n++) {
        const struct ins *i = &p->code[n];
        const struct call_site *site = i->extra;

        k->ordered |= depends_on_order(i);
        if (i->op_is_atomic && i->space != PTX_SHARED)
            *kinds |= atomic_kind(i);
        k->uses_reserved |= i->reserved;
        k->uses_grid |= i->grid;
        k->paints |= i->paints;
        k->polls |= i->polls;
        k->polls_shared |= i->polls && i->class == CLASS_SHARED_LOAD;
        k->facts.awaits_ahead |= i->awaits;
        k->facts.lets_begin |= i->lets_begin;
        k->facts.times |= i->times && !i->toolkit;
        k->facts.waits |= i->polls && i->class == CLASS_GLOBAL_LOAD;
        k->fences |= i->order & (ORDER_ACQUIRE | ORDER_RELEASE) ||
                     (i->class == CLASS_SYNCHRONISATION && i->flags & INS_RELEASE && i->scope);
        note_size(i, k);
        if (!i->is_call)
            continue;
        if (site->function >= 0) {
            look_at(p, (size_t)site->function, seen, k, kinds);
        } else if (site->function == CALL_POINTER) {
            for (size_t g = 0; g < p->function_count; g++)
                if (!p->functions[g].ptx->entry)
                    look_at(p, g, seen, k, kinds);
        } else if (site->builtin == BUILTIN_VPRINTF || site->builtin == BUILTIN_ASSERTFAIL) {
            k->prints = true;
        } else {
            k->launches |= site->builtin == BUILTIN_CHILD_LAUNCH;
            k->facts.launches_graphs |= site->builtin == BUILTIN_GRAPH_LAUNCH;
            k->ordered = true; /* malloc */
        }
    }
}

bool kernel_describe(struct sim_module *m, struct sim_kernel *k, size_t index, const struct kernel_resources *measured,
                     char *seen)
{
    const struct program *p = m->program;
    const struct function *f = &p->functions[index];
    const struct ptx_function *x = f->ptx;
    struct sim_kernel_facts *facts = &k->facts;
    unsigned estimate = f->plain_bytes / 128 + 8, most, warps;
    uint32_t kinds = 0;

    k->module = m;
    k->function = f;
    k->demangled = demangle(x->name);
    k->shared_shift = k->global_shift = UNIT_SHIFT_MOST;
    memset(seen, 0, p->function_count);
    look_at(p, index, seen, k, &kinds);
    k->ordered |= (kinds & (kinds - 1)) != 0;
    facts->name = x->name;
    facts->max_threads = 0;
    if (x->maxntid[0])
        facts->max_threads = x->maxntid[0] * (x->maxntid[1] ? x->maxntid[1] : 1) * (x->maxntid[2] ? x->maxntid[2] : 1);
    /* An estimate must not forbid a launch that ptxas would have made possible. */
    warps = ((facts->max_threads ? facts->max_threads : m->sim->limits.threads_per_block) + LANES - 1) / LANES;
    most = m->sim->limits.registers_per_sm / 4 / ((warps + 3) / 4) / LANES / 8 * 8;
    estimate = estimate < 16 ? 16 : estimate;
    facts->registers = measured ? measured->registers : estimate > most ? most : estimate;
    if (facts->registers > 255)
        facts->registers = 255;
    facts->estimated = !measured;
    k->static_shared = f->shared_bytes;
    facts->static_shared = (unsigned)f->shared_bytes;
    facts->local = measured ? measured->local : (unsigned)f->stack_bytes;
    for (size_t n = 0; n < p->place_count; n++)
        if (p->places[n].variable->space == PTX_CONST)
            facts->constant += (unsigned)p->places[n].variable->size;
    facts->parameter_bytes = f->entry_bytes;
    facts->parameter_count = f->formal_count;
    for (int n = 0; n < 3; n++) {
        facts->required_threads[n] = x->reqntid[n];
        facts->required_cluster[n] = x->reqnctapercluster[n];
    }
    facts->largest_cluster = x->maxclusterrank;
    facts->counts_clusters = x->blocks_are_clusters && x->reqntid[0] && x->reqnctapercluster[0];
    facts->max_dynamic_shared = m->sim->limits.shared_per_block > facts->static_shared
                                    ? m->sim->limits.shared_per_block - facts->static_shared
                                    : 0;
    return k->demangled != NULL;
}

struct sim_kernel *sim_kernel(struct sim_module *module, const char *name)
{
    for (size_t n = 0; n < module->kernel_count; n++)
        if (!strcmp(module->kernels[n].facts.name, name))
            return &module->kernels[n];
    return NULL;
}

struct sim_kernel *sim_kernel_at(struct sim_module *module, size_t index)
{
    return index < module->kernel_count ? &module->kernels[index] : NULL;
}

const struct ptx_module *sim_kernel_ptx(const struct sim_kernel *kernel, const struct ptx_function **function)
{
    *function = kernel->function->ptx;
    return kernel->module->program->ptx;
}

const char *sim_kernel_refusal(const struct sim_kernel *kernel, unsigned *line)
{
    *line = kernel->function->refusal_line;
    return kernel->function->refusal;
}

const char *sim_kernel_title(const struct sim_kernel *kernel)
{
    return kernel->demangled;
}

const struct sim_kernel_facts *sim_kernel_facts(const struct sim_kernel *kernel)
{
    return &kernel->facts;
}

void sim_kernel_set_max_dynamic_shared(struct sim_kernel *kernel, unsigned bytes)
{
    kernel->facts.max_dynamic_shared = bytes;
}

bool sim_kernel_parameter(const struct sim_kernel *kernel, unsigned index, unsigned *offset, unsigned *size)
{
    if (index >= kernel->function->formal_count)
        return false;
    *offset = kernel->function->formal_offset[index];
    *size = kernel->function->formal_size[index];
    return true;
}

/*
 * The rules of the occupancy calculator for compute capability 9.0. Warps get registers in units of 256, in four
 * partitions. Blocks get shared memory in units of 128 bytes, plus the system's share per block.
 */
unsigned sim_occupancy(const struct sim *sim, const struct sim_kernel *kernel, unsigned threads,
                       unsigned dynamic_shared, enum sim_limiter *limiter)
{
    const struct sim_limits *l = &sim->limits;
    unsigned warps = (threads + LANES - 1) / LANES, blocks, by_warps, by_registers, by_shared;
    unsigned a_warp = (unsigned)round_up(kernel->facts.registers * LANES, 256);
    unsigned shared = (unsigned)round_up(kernel->facts.static_shared + dynamic_shared + l->shared_reserved, 128);

    *limiter = LIMIT_BLOCKS;
    blocks = l->blocks_per_sm;
    if (!warps)
        return 0;
    by_warps = threads <= l->threads_per_block ? l->threads_per_sm / LANES / warps : 0;
    if (by_warps < blocks) {
        blocks = by_warps;
        *limiter = LIMIT_THREADS;
    }
    by_registers = l->registers_per_sm / 4 / a_warp * 4 / warps;
    if (by_registers < blocks) {
        blocks = by_registers;
        *limiter = LIMIT_REGISTERS;
    }
    by_shared = shared ? l->shared_per_sm / shared : blocks;
    if (by_shared < blocks) {
        blocks = by_shared;
        *limiter = LIMIT_SHARED;
    }
    return blocks;
}
