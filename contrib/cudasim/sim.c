/*
 * sim.c - the virtual device: its limits and options, the modules loaded on it, and what is known of their kernels.
 *
 * Called by the runtime's files. Launches are launch.c's, counts count.c's, faults fault.c's.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "contrib/cudasim/base/round.h"
#include "contrib/cudasim/features/feature_code.h"
#include "contrib/cudasim/machine/count.h"
#include "contrib/cudasim/machine/device.h"
#include "contrib/cudasim/machine/fault.h"
#include "contrib/cudasim/machine/launch.h"
#include "contrib/cudasim/program/program.h"
#include "contrib/cudasim/table/select.h"

/* ---- limits and options ---- */

enum setting_kind { SETTING_UNSIGNED, SETTING_BYTES };

/* CUDASIM_<name>: docs/CUDASIM.md lists them. */
static const struct setting {
    const char *name;
    enum setting_kind kind;
    size_t offset; /* into sim_limits: unsigned, or uint64_t for bytes */
    uint64_t value, least, most;
} settings[] = {
    {"CUDASIM_MULTIPROCESSORS", SETTING_UNSIGNED, offsetof(struct sim_limits, multiprocessors), 16, 1, 1024},
    {"CUDASIM_THREADS_PER_BLOCK", SETTING_UNSIGNED, offsetof(struct sim_limits, threads_per_block), 1024, 32, 1024},
    {"CUDASIM_THREADS_PER_SM", SETTING_UNSIGNED, offsetof(struct sim_limits, threads_per_sm), 2048, 1024, 2048},
    {"CUDASIM_BLOCKS_PER_SM", SETTING_UNSIGNED, offsetof(struct sim_limits, blocks_per_sm), 32, 1, 32},
    {"CUDASIM_REGISTERS_PER_SM", SETTING_UNSIGNED, offsetof(struct sim_limits, registers_per_sm), 65536, 32768, 262144},
    {"CUDASIM_SHARED_PER_SM", SETTING_UNSIGNED, offsetof(struct sim_limits, shared_per_sm), 233472, 49152, 16777216},
    {"CUDASIM_SHARED_PER_BLOCK", SETTING_UNSIGNED, offsetof(struct sim_limits, shared_per_block), 49152, 16384,
     16777216},
    {"CUDASIM_SHARED_PER_BLOCK_OPTIN", SETTING_UNSIGNED, offsetof(struct sim_limits, shared_per_block_optin), 232448,
     16384, 16777216},
    {"CUDASIM_SHARED_RESERVED", SETTING_UNSIGNED, offsetof(struct sim_limits, shared_reserved), 1024, 0, 16384},
    {"CUDASIM_CONSTANT_BYTES", SETTING_UNSIGNED, offsetof(struct sim_limits, constant_bytes), 65536, 65536, 65536},
    {"CUDASIM_CLUSTER_SIZE", SETTING_UNSIGNED, offsetof(struct sim_limits, cluster_size), 8, 1, 16},
    {"CUDASIM_MEMORY", SETTING_BYTES, offsetof(struct sim_limits, memory_bytes), 16ull << 30, 1 << 20, 1ull << 42},
    {"CUDASIM_STACK", SETTING_BYTES, offsetof(struct sim_limits, stack_bytes), 1024, 256, 1 << 20},
    {"CUDASIM_STACK_MAX", SETTING_BYTES, offsetof(struct sim_limits, stack_max_bytes), 524288, 1024, 16 << 20},
    {"CUDASIM_HEAP", SETTING_BYTES, offsetof(struct sim_limits, heap_bytes), 8 << 20, 4096, 1ull << 40},
    {"CUDASIM_PRINTF", SETTING_BYTES, offsetof(struct sim_limits, printf_bytes), 1 << 20, 4096, 1ull << 30},
};

/* A number, for bytes with K, M or G behind it. */
static bool parse_number(const char *text, bool bytes, uint64_t *value)
{
    char *end;
    unsigned shift = 0;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (bytes && *end) {
        shift = *end == 'K' || *end == 'k' ? 10 : *end == 'M' || *end == 'm' ? 20 : *end == 'G' || *end == 'g' ? 30 : 0;
        end += shift != 0;
    }
    if (errno || *end || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

bool sim_limits_from_environment(struct sim_limits *limits, char *error, size_t error_size)
{
    memset(limits, 0, sizeof *limits);
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        const struct setting *s = &settings[n];
        const char *text = getenv(s->name);
        uint64_t value = s->value;
        char *field = (char *)limits + s->offset;

        if (text && *text &&
            (!parse_number(text, s->kind == SETTING_BYTES, &value) || value < s->least || value > s->most)) {
            snprintf(error, error_size, "%s=%s: must be a number from %llu to %llu", s->name, text,
                     (unsigned long long)s->least, (unsigned long long)s->most);
            return false;
        }
        if (s->kind == SETTING_BYTES)
            *(uint64_t *)(void *)field = value;
        else
            *(unsigned *)(void *)field = (unsigned)value;
    }
    if (limits->shared_per_block > limits->shared_per_block_optin ||
        limits->shared_per_block_optin + limits->shared_reserved > limits->shared_per_sm) {
        snprintf(error, error_size, "shared memory: CUDASIM_SHARED_PER_BLOCK <= CUDASIM_SHARED_PER_BLOCK_OPTIN <= "
                                    "CUDASIM_SHARED_PER_SM - CUDASIM_SHARED_RESERVED does not hold");
        return false;
    }
    return true;
}

/* CUDASIM_CHECK: all, none, or some of written,races,leaks. Bounds are always checked. */
static bool parse_checks(const char *text, struct sim_options *o)
{
    static const struct {
        const char *name;
        size_t offset;
    } names[] = {{"written", offsetof(struct sim_options, check_written)},
                 {"races", offsetof(struct sim_options, check_races)},
                 {"leaks", offsetof(struct sim_options, check_leaks)}};
    bool all = !strcmp(text, "all") || !strcmp(text, "1"), none = !strcmp(text, "none") || !strcmp(text, "0");

    o->check_written = o->check_races = o->check_leaks = all;
    while (!all && !none && *text) {
        size_t length = strcspn(text, ","), n = 0;

        while (n < 3 && (strlen(names[n].name) != length || strncmp(text, names[n].name, length)))
            n++;
        if (n == 3)
            return false;
        *((bool *)o + names[n].offset) = true;
        text += length + (text[length] == ',');
    }
    return true;
}

bool sim_options_from_environment(struct sim_options *o, char *error, size_t error_size)
{
    const char *workers = getenv("CUDASIM_WORKERS"), *seed = getenv("CUDASIM_SEED"), *check = getenv("CUDASIM_CHECK"),
               *explain = getenv("CUDASIM_EXPLAIN"), *features = getenv("CUDASIM_FEATURES"),
               *sample = getenv("CUDASIM_SAMPLE");
    uint64_t value;

    memset(o, 0, sizeof *o);
    o->check_written = o->check_races = o->check_leaks = true;
    o->explain = explain && *explain && strcmp(explain, "0") != 0;
    o->features = features && *features;
    if (workers && *workers) {
        if (!parse_number(workers, false, &value) || value < 1 || value > 256) {
            snprintf(error, error_size, "CUDASIM_WORKERS=%s: must be a number from 1 to 256", workers);
            return false;
        }
        o->workers = (unsigned)value;
    }
    if (sample && *sample) {
        if (!parse_number(sample, false, &o->sample) || o->sample < 1) {
            snprintf(error, error_size, "CUDASIM_SAMPLE=%s: must be a number of blocks, from 1 on", sample);
            return false;
        }
        if (!o->features) {
            snprintf(error, error_size,
                     "CUDASIM_SAMPLE=%s: executes launches in part, which is of use to CUDASIM_FEATURES alone; that is "
                     "not set", sample);
            return false;
        }
    }
    if (seed && *seed) {
        if (!parse_number(seed, false, &o->seed)) {
            snprintf(error, error_size, "CUDASIM_SEED=%s: must be a number", seed);
            return false;
        }
        o->seeded = true;
    }
    if (check && *check && !parse_checks(check, o)) {
        snprintf(error, error_size, "CUDASIM_CHECK=%s: must be all, none, or some of written,races,leaks", check);
        return false;
    }
    if (o->sample)
        o->check_written = false; /* what was left out has written nothing */
    return true;
}

/* ---- the device ---- */

static unsigned cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

/* A bit for every sector of the device's memory; zeros, which take no memory before they are set. */
static bool note_sectors(struct sim *sim)
{
    struct touched *t = &sim->touched;
    size_t words;

    t->origin = memory_origin(sim->memory);
    t->sectors = memory_range(sim->memory) / 32;
    words = t->sectors / 64;
    t->bits = mmap(NULL, words * sizeof *t->bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (t->bits == MAP_FAILED)
        t->bits = NULL;
    t->pages = calloc(words / TOUCHED_PAGE + 1, 1);
    return t->bits && t->pages;
}

struct sim *sim_create(const struct sim_limits *limits, const struct sim_options *options, char *error,
                       size_t error_size)
{
    struct sim *sim = calloc(1, sizeof *sim);
    const struct table *table;

    snprintf(error, error_size, "cannot create the virtual device: out of memory or address space");
    if (!sim || !(table = table_select(error, error_size))) {
        free(sim);
        return NULL;
    }
    sim->limits = *limits;
    sim->options = *options;
    pthread_mutex_init(&sim->fault_lock, NULL);
    pthread_mutex_init(&sim->pool_lock, NULL);
    pthread_cond_init(&sim->pool_work, NULL);
    pthread_cond_init(&sim->pool_done, NULL);
    sim->worker_count = options->seeded ? 1 : options->workers ? options->workers : cpus();
    sim->memory = memory_create(limits->memory_bytes);
    sim->workers = aligned_alloc(64, (sizeof *sim->workers + 63) / 64 * 64 * sim->worker_count);
    sim->faults = calloc(FAULT_PLACES, sizeof *sim->faults);
    sim->fault_at = calloc(FAULT_PLACES, sizeof *sim->fault_at);
    sim->rows = calloc(1, sizeof *sim->rows);
    if (sim->rows)
        row_index_build(sim->rows, table);
    if (!sim->memory || !sim->workers || !sim->faults || !sim->fault_at || !sim->rows || !sim->rows->entries ||
        (options->features && !note_sectors(sim))) {
        sim->worker_count = 0;
        sim_destroy(sim);
        return NULL;
    }
    memset(sim->workers, 0, sizeof *sim->workers * sim->worker_count);
    for (unsigned n = 0; n < sim->worker_count; n++) {
        sim->workers[n].sim = sim;
        sim->workers[n].index = n;
        sim->workers[n].random = options->seed;
        sim->workers[n].sim_check_written = options->check_written;
        sim->workers[n].counting = options->explain || options->features;
        sim->workers[n].touched = options->features ? &sim->touched : NULL;
    }
    return sim;
}

void sim_destroy(struct sim *sim)
{
    if (!sim)
        return;
    pool_end(sim);
    while (sim->modules)
        sim_unload(sim, sim->modules);
    while (sim->uses) {
        struct kernel_use *next = sim->uses->next;

        use_free(sim->uses);
        sim->uses = next;
    }
    if (sim->rows)
        row_index_release(sim->rows);
    free(sim->rows);
    if (sim->touched.bits)
        munmap(sim->touched.bits, sim->touched.sectors / 8);
    free(sim->touched.pages);
    if (sim->memory)
        memory_destroy(sim->memory);
    for (unsigned n = 0; n < sim->worker_count; n++)
        free(sim->workers[n].printed.text);
    free(sim->workers);
    free(sim->faults);
    free(sim->fault_at);
    pthread_mutex_destroy(&sim->fault_lock);
    pthread_mutex_destroy(&sim->pool_lock);
    pthread_cond_destroy(&sim->pool_work);
    pthread_cond_destroy(&sim->pool_done);
    free(sim);
}

struct memory *sim_memory(struct sim *sim)
{
    return sim->memory;
}

const struct sim_limits *sim_limits(const struct sim *sim)
{
    return &sim->limits;
}

struct sim_limits *sim_limits_writable(struct sim *sim)
{
    return &sim->limits;
}

const struct sim_options *sim_options(const struct sim *sim)
{
    return &sim->options;
}

struct heap *sim_heap(struct sim *sim)
{
    return &sim->heap;
}

/* ---- what kernels need ---- */

/* What the result of one instruction says about its kernel. */
static bool depends_on_order(const struct ins *i)
{
    bool shared = i->space == PTX_SHARED;

    if (shared)
        return false;
    if (i->op_is_atomic && (i->mode == PTX_F32 || i->mode == PTX_F64 || i->mode == PTX_F16X2 || i->mode == PTX_BF16X2 ||
                            i->mode == PTX_F16 || i->mode == PTX_BF16))
        return true; /* sums are rounded in the order of their terms */
    return (i->flags & INS_SPINS) && i->class != CLASS_SYNCHRONISATION && (i->op_is_atomic || !i->mode);
}

/* Follows the calls of function `index`. `seen` has a byte a function. */
static void look_at(const struct program *p, size_t index, char *seen, struct sim_kernel *k)
{
    const struct function *f = &p->functions[index];

    if (seen[index] || !f->entry)
        return;
    seen[index] = 1;
    k->uses_local |= f->local_bytes != 0;
    for (uint32_t n = f->first; n < f->last; n++) {
        const struct ins *i = &p->code[n];
        const struct call_site *site = i->extra;

        k->ordered |= depends_on_order(i);
        k->uses_reserved |= i->reserved;
        k->fences |= i->op_is_atomic || (i->class == CLASS_SYNCHRONISATION && i->flags & INS_RELEASE);
        if (!i->is_call)
            continue;
        if (site->function >= 0) {
            look_at(p, (size_t)site->function, seen, k);
        } else if (site->function == -1) {
            for (size_t g = 0; g < p->function_count; g++)
                if (!p->functions[g].ptx->entry)
                    look_at(p, g, seen, k);
        } else {
            k->ordered = true; /* malloc and printf */
        }
    }
}

static const struct cubin_kernel *find_cubin(const struct cubin_kernel *list, size_t count, const char *name)
{
    for (size_t n = 0; n < count; n++)
        if (!strcmp(list[n].name, name))
            return &list[n];
    return NULL;
}

static bool describe_kernel(struct sim_module *m, struct sim_kernel *k, size_t index, const struct cubin_kernel *cubin,
                            char *seen)
{
    const struct program *p = m->program;
    const struct function *f = &p->functions[index];
    const struct ptx_function *x = f->ptx;
    struct sim_kernel_facts *facts = &k->facts;
    unsigned estimate = f->register_bytes / 128 + 8, most, warps;

    k->module = m;
    k->function = f;
    k->demangled = demangle(x->name);
    memset(seen, 0, p->function_count);
    look_at(p, index, seen, k);
    facts->name = x->name;
    facts->max_threads = 0;
    if (x->maxntid[0])
        facts->max_threads = x->maxntid[0] * (x->maxntid[1] ? x->maxntid[1] : 1) * (x->maxntid[2] ? x->maxntid[2] : 1);
    /* An estimate must not forbid a launch that ptxas would have made possible. */
    warps = ((facts->max_threads ? facts->max_threads : m->sim->limits.threads_per_block) + LANES - 1) / LANES;
    most = m->sim->limits.registers_per_sm / 4 / ((warps + 3) / 4) / LANES / 8 * 8;
    estimate = estimate < 16 ? 16 : estimate;
    facts->registers = cubin ? cubin->registers : estimate > most ? most : estimate;
    if (facts->registers > 255)
        facts->registers = 255;
    facts->estimated = !cubin;
    k->static_shared = f->shared_bytes;
    facts->static_shared = (unsigned)f->shared_bytes;
    facts->local = cubin ? cubin->local : (unsigned)f->stack_bytes;
    for (size_t n = 0; n < p->place_count; n++)
        if (p->places[n].variable->space == PTX_CONST)
            facts->constant += (unsigned)p->places[n].variable->size;
    facts->parameter_bytes = f->entry_bytes;
    facts->parameter_count = f->formal_count;
    for (int n = 0; n < 3; n++) {
        facts->required_threads[n] = x->reqntid[n];
        facts->required_cluster[n] = x->reqnctapercluster[n];
    }
    facts->max_dynamic_shared = m->sim->limits.shared_per_block > facts->static_shared
                                    ? m->sim->limits.shared_per_block - facts->static_shared
                                    : 0;
    return k->demangled != NULL;
}

/* Whether the text says ".target sm_90, debug", as nvcc -G writes it. */
static bool is_debug(const char *ptx, size_t size)
{
    const char *line = memmem(ptx, size, "\n.target", 8),
               *end = line ? memchr(line + 1, '\n', size - (size_t)(line + 1 - ptx)) : NULL;

    return end && memmem(line, (size_t)(end - line), "debug", 5);
}

struct sim_module *sim_load(struct sim *sim, const char *ptx, size_t size, const struct cubin_kernel *cubin,
                            size_t cubin_count, struct ptx_error *error)
{
    struct ptx_module *parsed = ptx_parse(ptx, size, error);
    struct sim_module *m;
    char *seen = NULL;
    bool good = true;

    if (!parsed)
        return NULL;
    m = calloc(1, sizeof *m);
    if (!m) {
        ptx_free(parsed);
        error->line = 0;
        snprintf(error->message, sizeof error->message, "out of memory");
        return NULL;
    }
    m->sim = sim;
    m->program = program_build(sim, parsed, sim->rows, error);
    if (!m->program) {
        ptx_free(parsed);
        free(m);
        return NULL;
    }
    m->program->debug = is_debug(ptx, size);
    m->kernels = calloc(m->program->function_count + 1, sizeof *m->kernels);
    seen = calloc(m->program->function_count + 1, 1);
    for (size_t f = 0; m->kernels && seen && f < m->program->function_count; f++) {
        const struct ptx_function *x = m->program->functions[f].ptx;

        if (x->entry && x->defined)
            good &= describe_kernel(m, &m->kernels[m->kernel_count++], f,
                                    find_cubin(cubin, cubin_count, x->name), seen);
    }
    m->next = sim->modules;
    sim->modules = m;
    if (!m->kernels || !seen || !good) {
        error->line = 0;
        snprintf(error->message, sizeof error->message, "out of memory");
        sim_unload(sim, m);
        m = NULL;
    }
    free(seen);
    return m;
}

void sim_unload(struct sim *sim, struct sim_module *module)
{
    struct sim_module **at = &sim->modules;

    while (*at && *at != module)
        at = &(*at)->next;
    if (*at)
        *at = module->next;
    for (size_t n = 0; n < module->kernel_count; n++) {
        if (module->kernels[n].use)
            use_freeze(module->kernels[n].use);
        free(module->kernels[n].demangled);
        if (module->kernels[n].code)
            features_code_release(module->kernels[n].code);
        free(module->kernels[n].code);
    }
    /* Other code may come to lie where this module's was. */
    for (size_t n = 0; n < sim->fault_count; n++)
        sim->fault_at[n] = NULL;
    free(module->kernels);
    program_free(module->program);
    free(module);
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

const char *sim_kernel_title(const struct sim_kernel *kernel)
{
    return kernel->demangled;
}

struct touched *sim_touched(struct sim *sim)
{
    return &sim->touched;
}

bool sim_variable(struct sim_module *module, const char *name, uint64_t *address, uint64_t *size)
{
    const struct place *place = program_place(module->program, name);

    if (!place || !place->region)
        return false;
    *address = place->address;
    *size = place->variable->size;
    return true;
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
 * As the occupancy calculator of compute capability 9.0 has it: registers are given to warps in units of 256, to four
 * partitions; shared memory in units of 128 bytes, with the system's share for each block.
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
    by_warps = l->threads_per_sm / LANES / warps;
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
