/*
 * sim.c - creates and destroys the virtual device, and loads modules on it. Here the machine meets programs and tables.
 *
 * The runtime's files call it. machine/ does all that a device does with its loaded modules.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "contrib/cudasim/machine/inside.h"
#include "contrib/cudasim/machine/probe.h"
#include "contrib/cudasim/machine/race_pages.h"
#include "contrib/cudasim/program/program.h"
#include "contrib/cudasim/table/select.h"

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
    children_init(&sim->children);
    pthread_mutex_init(&sim->pool_lock, NULL);
    pthread_cond_init(&sim->pool_work, NULL);
    pthread_cond_init(&sim->pool_done, NULL);
    sim->worker_count = options->seeded ? 1 : options->workers ? options->workers : device_cpus();
    sim->memory = memory_create(limits->memory_bytes);
    sim->workers = aligned_alloc(64, (sizeof *sim->workers + 63) / 64 * 64 * sim->worker_count);
    sim->faults = calloc(FAULT_PLACES, sizeof *sim->faults);
    sim->fault_at = calloc(FAULT_PLACES, sizeof *sim->fault_at);
    sim->rows = row_index_create(table);
    sim->wide = table->level >= 4;
    if (!sim->memory || !sim->workers || !sim->faults || !sim->fault_at || !sim->rows ||
        (options->features && !device_note_sectors(sim))) {
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
        sim->workers[n].check_lanes = options->check_lanes;
        sim->workers[n].check_bounds = options->check_bounds;
        sim->workers[n].go_on = options->go_on;
        sim->workers[n].counting = options->explain || options->features;
        sim->workers[n].touched = options->features ? &sim->touched : NULL;
    }
    if (options->features && !probe_create(sim)) {
        sim_destroy(sim);
        return NULL;
    }
    return sim;
}

void sim_silence(struct sim *sim)
{
    sim->silent = true;
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
    sim_texture_release_all(sim);
    children_release(sim);
    row_index_free(sim->rows);
    if (sim->touched.bits)
        munmap(sim->touched.bits, sim->touched.sectors / 8);
    free(sim->touched.pages);
    probe_destroy(sim);
    pages_destroy(sim->pages);
    if (sim->memory)
        memory_destroy(sim->memory);
    for (unsigned n = 0; n < sim->worker_count; n++)
        free(sim->workers[n].printed.text), free(sim->workers[n].printed.parts);
    free(sim->workers);
    free(sim->heap.sites);
    free(sim->faults);
    free(sim->fault_at);
    pthread_mutex_destroy(&sim->fault_lock);
    pthread_mutex_destroy(&sim->pool_lock);
    pthread_cond_destroy(&sim->pool_work);
    pthread_cond_destroy(&sim->pool_done);
    free(sim);
}

/* What the cubins say of a kernel. NULL: nothing. */
static const struct cubin_kernel *find_cubin(const struct cubin_kernel *list, size_t count, const char *name)
{
    for (size_t n = 0; n < count; n++)
        if (!strcmp(list[n].name, name))
            return &list[n];
    return NULL;
}

/* Describes function `index`, a kernel. `seen` is scratch. False: no memory. */
static bool describe(struct sim_module *m, size_t index, const struct cubin_kernel *found, char *seen)
{
    struct sim_kernel *kernel = &m->kernels[m->kernel_count++];
    struct kernel_resources r = {0};

    if (found)
        r = (struct kernel_resources){found->registers, found->local};
    return kernel_describe(m, kernel, index, found ? &r : NULL, seen);
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
    return sim_link(sim, &(struct sim_text){ptx, size}, 1, cubin, cubin_count, error);
}

/* One tree of all texts, or NULL. */
static struct ptx_module *parse_all(const struct sim_text *texts, size_t count, struct ptx_error *error)
{
    struct ptx_module **parts, *linked = NULL;
    size_t parsed = 0;

    if (count == 1)
        return ptx_parse(texts[0].text, texts[0].size, error);
    parts = calloc(count, sizeof *parts);
    snprintf(error->message, sizeof error->message, "out of memory");
    while (parts && parsed < count && (parts[parsed] = ptx_parse(texts[parsed].text, texts[parsed].size, error)))
        parsed++;
    if (parts && parsed == count)
        linked = ptx_link(parts, count, error);
    else
        while (parsed > 0)
            ptx_free(parts[--parsed]);
    free(parts);
    return linked;
}

struct sim_module *sim_link(struct sim *sim, const struct sim_text *texts, size_t count,
                            const struct cubin_kernel *cubin, size_t cubin_count, struct ptx_error *error)
{
    struct ptx_module *parsed = parse_all(texts, count, error);
    struct sim_module *m;
    /* The model of a kernel's time is of its own instructions. */
    unsigned flags = sim->options.check_written && !sim->options.features ? BUILD_UNDEFINED : 0;
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
    for (size_t n = 0; n < count; n++)
        flags |= is_debug(texts[n].text, texts[n].size) ? BUILD_DEBUG : 0;
    m->program = program_build(sim->memory, parsed, sim->rows, flags, error);
    if (!m->program) {
        ptx_free(parsed);
        free(m);
        return NULL;
    }
    m->kernels = calloc(m->program->function_count + 1, sizeof *m->kernels);
    if (count == 1 && sim->options.features && !(flags & BUILD_DEBUG) && (m->text = malloc(texts[0].size + 1))) {
        memcpy(m->text, texts[0].text, texts[0].size);
        m->text_size = texts[0].size;
    }
    seen = calloc(m->program->function_count + 1, 1);
    for (size_t f = 0; m->kernels && seen && f < m->program->function_count; f++) {
        const struct ptx_function *x = m->program->functions[f].ptx;

        if (x->entry && x->defined)
            good &= describe(m, f, find_cubin(cubin, cubin_count, x->name), seen);
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
        struct sim_kernel *k = &module->kernels[n];

        if (k->use)
            use_freeze(k->use);
        free(k->demangled);
        if (k->attached)
            k->detach(k->attached);
    }
    /* Other code may come to lie where this module's was. */
    for (size_t n = 0; n < sim->fault_count; n++)
        sim->fault_at[n] = NULL;
    memset(sim->known_warnings, 0, sizeof sim->known_warnings);
    free(module->kernels);
    free(module->text);
    program_free(module->program);
    free(module);
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
