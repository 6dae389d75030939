/*
 * main_features.c - the features of one launch of a kernel that is there as PTX: features FILE.ptx OPTION...
 *
 * Called by contrib/predict/scripts/predict_features.sh. The kernel is launched on a virtual device of its own
 * (contrib/cudasim), on buffers of zeros. So counts that follow from data would be made up:
 * a kernel with such a loop is refused. Writes CSV as CUDASIM_FEATURES does; --print shows such a file.
 * Exit codes: 1 the file or the kernel is at fault, 2 the arguments, 3 the machine.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/features/feature.h"
#include "launches.h"

enum { EXIT_OK = EXIT_ACCEPTED, EXIT_FILE = EXIT_REJECTED, EXIT_MACHINE = EXIT_TOOLKIT };

#define ARGUMENTS 256
#define BLOCKS_SAMPLED 64

static const char usage[] =
    "usage: features FILE.ptx --grid X[,Y[,Z]] --block X[,Y[,Z]] [--args VALUE...] [--kernel NAME] [--shared BYTES]\n"
    "                [--cubin FILE] [--sample N] [--tune]\n"
    "       features --print FILE.csv [--kernel NAME] [--json | --csv]\n"
    "VALUE is a number for a parameter that is a number, and buffer:BYTES for a pointer to BYTES of memory (1K, 1M, "
    "1G).\n";

struct command {
    const char *path, *cubin, *kernel; /* the PTX, its machine code, the kernel's name; or NULL */
    unsigned grid[3], block[3];        /* x, y, z; 0 where not given */
    uint64_t shared, sample; /* bytes; blocks */
    bool tune;                         /* with other blocks as well */
    const char *arguments[ARGUMENTS];  /* the kernel's, as written */
    size_t argument_count;             /* of `arguments` */
    bool has_arguments;                /* --args was there, if perhaps without one */
};

struct text {
    char *data;  /* `size` bytes */
    size_t size; /* bytes */
};

static __attribute__((format(printf, 2, 3), noreturn)) void stop(int code, const char *format, ...)
{
    va_list list;

    fputs("features: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(code);
}

/* ------------------------------------------------------------------ the command line */

/* A whole number, with K, M or G behind it where `bytes`. */
static bool number(const char *text, bool bytes, uint64_t *value)
{
    char *end;
    unsigned shift = 0;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (bytes && *end) {
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
        end += shift != 0;
    }
    if (errno || *end || *value > UINT64_MAX >> shift)
        return false;
    *value <<= shift;
    return true;
}

static void shape(const char *option, const char *text, unsigned size[3])
{
    const char *at = text;

    for (int n = 0; n < 3; n++) {
        char *end = NULL;
        unsigned long value = n > 0 && !*at ? 1 : *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;

        if (value < 1 || value > INT_MAX || (end && *end && (*end != ',' || !end[1])))
            stop(EXIT_USAGE, "%s %s: must be one to three numbers from 1 on, such as 256 or 16,16", option, text);
        size[n] = (unsigned)value;
        at = end ? end + (*end == ',') : at;
    }
    if (*at)
        stop(EXIT_USAGE, "%s %s: must be one to three numbers from 1 on, such as 256 or 16,16", option, text);
}

static void read_command(int count, char **words, struct command *c)
{
    *c = (struct command){.sample = BLOCKS_SAMPLED};
    for (int n = 1; n < count; n++) {
        const char *word = words[n], *value = n + 1 < count ? words[n + 1] : NULL;

        if (strcmp(word, "--help") == 0) {
            fputs(usage, stdout);
            exit(EXIT_OK);
        }
        if (strcmp(word, "--tune") == 0) {
            c->tune = true;
            continue;
        }
        if (strcmp(word, "--args") == 0) {
            c->has_arguments = true;
            while (n + 1 < count && strncmp(words[n + 1], "--", 2) != 0) {
                if (c->argument_count == ARGUMENTS)
                    stop(EXIT_USAGE, "more than %d arguments", ARGUMENTS);
                c->arguments[c->argument_count++] = words[++n];
            }
            continue;
        }
        if (word[0] != '-') {
            if (c->path)
                stop(EXIT_USAGE, "give one file, not '%s' and '%s'", c->path, word);
            c->path = word;
            continue;
        }
        if (!value)
            stop(EXIT_USAGE, "option '%s' needs a value, or is unknown", word);
        n++;
        if (strcmp(word, "--kernel") == 0)
            c->kernel = value;
        else if (strcmp(word, "--cubin") == 0)
            c->cubin = value;
        else if (strcmp(word, "--grid") == 0)
            shape(word, value, c->grid);
        else if (strcmp(word, "--block") == 0)
            shape(word, value, c->block);
        else if (strcmp(word, "--shared") == 0 && number(value, true, &c->shared) && c->shared <= UINT_MAX)
            continue;
        else if (strcmp(word, "--sample") == 0 && number(value, false, &c->sample))
            continue;
        else if (strcmp(word, "--shared") == 0 || strcmp(word, "--sample") == 0)
            stop(EXIT_USAGE, "%s %s: must be a whole number", word, value);
        else
            stop(EXIT_USAGE, "unknown option '%s'", word);
    }
    if (!c->path) {
        fputs(usage, stderr);
        exit(EXIT_USAGE);
    }
}

/* ------------------------------------------------------------------ files */

static struct text read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct text text = {NULL, 0};
    size_t capacity = 0, got;

    if (!file)
        stop(EXIT_USAGE, "cannot open '%s': %s", path, strerror(errno));
    do {
        if (text.size == capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            text.data = realloc(text.data, capacity);
            if (!text.data)
                stop(EXIT_MACHINE, "out of memory for '%s'", path);
        }
        got = fread(text.data + text.size, 1, capacity - text.size, file);
        text.size += got;
    } while (got > 0);
    if (ferror(file))
        stop(EXIT_USAGE, "cannot read '%s': %s", path, strerror(errno));
    fclose(file);
    return text;
}

/* ------------------------------------------------------------------ the kernel */

static bool is_named(const struct sim_kernel *kernel, const char *name)
{
    struct feature_name plain = feature_plain_name(sim_kernel_title(kernel));

    return strcmp(name, plain.text) == 0 || strcmp(name, sim_kernel_title(kernel)) == 0 ||
           strcmp(name, sim_kernel_facts(kernel)->name) == 0;
}

static void list_kernels(struct sim_module *module, const char *name)
{
    const struct sim_kernel *kernel;

    for (size_t n = 0; (kernel = sim_kernel_at(module, n)); n++)
        if (!name || is_named(kernel, name))
            fprintf(stderr, "  %s  (%s)\n", sim_kernel_title(kernel), sim_kernel_facts(kernel)->name);
}

static struct sim_kernel *find_kernel(struct sim_module *module, const struct command *c)
{
    struct sim_kernel *kernel, *found = NULL;
    size_t count = 0;

    for (size_t n = 0; (kernel = sim_kernel_at(module, n)); n++)
        if (!c->kernel || is_named(kernel, c->kernel)) {
            found = kernel;
            count++;
        }
    if (count == 1)
        return found;
    if (!sim_kernel_at(module, 0))
        stop(EXIT_FILE, "'%s' has no kernel", c->path);
    if (count == 0)
        fprintf(stderr, "features: '%s' has no kernel '%s'; there are:\n", c->path, c->kernel);
    else if (c->kernel)
        fprintf(stderr, "features: '%s' has %zu kernels '%s'; choose one by the name in brackets:\n", c->path, count,
                c->kernel);
    else
        fprintf(stderr, "features: '%s' has %zu kernels; choose one with --kernel:\n", c->path, count);
    list_kernels(module, count > 0 ? c->kernel : NULL);
    exit(EXIT_USAGE);
}

/* Numbers that would be made up, and what a launch lacks. */
static void check_kernel(const struct command *c, struct sim_kernel *kernel)
{
    const struct features_code *code = features_of_kernel(kernel);
    bool refused = false;
    char place[512];

    if (!code)
        stop(EXIT_MACHINE, "out of memory");
    for (size_t n = 0; n < code->loop_count; n++) {
        if (!(code->loops[n].depends & DEPENDS_DATA))
            continue;
        if (!feature_loop_place(kernel, &code->loops[n], place, sizeof place))
            snprintf(place, sizeof place, "%.400s:%u", c->path, code->loops[n].line);
        fprintf(stderr, "features: %s: the loop that ends at %s runs as often as data in global memory says\n",
                sim_kernel_title(kernel), place);
        refused = true;
    }
    if (refused)
        stop(EXIT_FILE, "%s: its work depends on data: run a whole program on real data instead",
             sim_kernel_title(kernel));
    if (!c->grid[0] || !c->block[0])
        stop(EXIT_USAGE, "%s: no launch configuration: say --grid X[,Y[,Z]] and --block X[,Y[,Z]]",
             sim_kernel_title(kernel));
}

/* ------------------------------------------------------------------ arguments */

static bool is_float(enum ptx_type type)
{
    return type == PTX_F32 || type == PTX_F64;
}

/* Memory of zeros for a pointer. */
static uint64_t buffer(struct sim *sim, const char *text)
{
    uint64_t bytes = 0;
    struct region *region;

    if (!number(text, true, &bytes) || bytes < 1)
        stop(EXIT_USAGE, "buffer:%s: must be a number of bytes from 1 on, such as 4096 or 16M", text);
    region = memory_allocate(sim_memory(sim), bytes, 0, REGION_DEVICE);
    if (!region)
        stop(EXIT_USAGE, "buffer:%s: the virtual device has no room for it; CUDASIM_MEMORY says how much it has", text);
    memory_note_written(sim_memory(sim), region->base, region->size);
    return region->base;
}

static bool fits(int64_t value, bool is_negative, unsigned bytes)
{
    if (bytes >= 8)
        return true;
    return is_negative ? value >= -(1ll << (8 * bytes - 1)) : (uint64_t)value < 1ull << (8 * bytes);
}

/* Puts the value of one parameter, as its type wants it, at `place`. */
static void argument(struct sim *sim, const struct ptx_variable *v, size_t index, const char *text, char *place)
{
    uint64_t bits;
    char *end;

    if (strncmp(text, "buffer:", 7) == 0) {
        if (v->size != 8 || is_float(v->type))
            stop(EXIT_USAGE, "argument %zu: %s: parameter %s is not a pointer", index + 1, text, v->name);
        bits = buffer(sim, text + 7);
    } else if (v->size > 8 || v->unbounded || v->size != ptx_type_size(v->type)) {
        stop(EXIT_USAGE, "argument %zu: parameter %s is a structure of %zu bytes, which cannot be given here",
             index + 1, v->name, v->size);
    } else if (is_float(v->type)) {
        double value = strtod(text, &end);
        float single = (float)value;

        if (end == text || *end)
            stop(EXIT_USAGE, "argument %zu: %s is not a number", index + 1, text);
        bits = 0;
        memcpy(&bits, v->size == 4 ? (void *)&single : (void *)&value, v->size);
    } else {
        bool negative = text[0] == '-';

        errno = 0;
        bits = negative ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
        if (end == text || *end || errno || !fits((int64_t)bits, negative, (unsigned)v->size))
            stop(EXIT_USAGE, "argument %zu: %s is not a whole number of %zu bytes, as parameter %s is (a pointer is "
                             "buffer:BYTES)", index + 1, text, v->size, v->name);
    }
    memcpy(place, &bits, v->size);
}

/* The packed parameters, to be freed. */
static char *pack(struct sim *sim, const struct command *c, const struct sim_kernel *kernel)
{
    const struct sim_kernel_facts *facts = sim_kernel_facts(kernel);
    const struct ptx_function *function;
    char *packed = calloc(1, facts->parameter_bytes + 8);

    sim_kernel_ptx(kernel, &function);
    if (!packed)
        stop(EXIT_MACHINE, "out of memory");
    if (c->argument_count != facts->parameter_count)
        stop(EXIT_USAGE, "%s takes %u arguments, --args has %zu", sim_kernel_title(kernel), facts->parameter_count,
             c->argument_count);
    for (unsigned n = 0; n < facts->parameter_count; n++) {
        unsigned offset, size;

        if (sim_kernel_parameter(kernel, n, &offset, &size))
            argument(sim, &function->parameters[n], n, c->arguments[n], packed + offset);
    }
    return packed;
}

/* ------------------------------------------------------------------ launches */

/* A launch like it is taken to have run before. */
static void run_before(struct features_row *row)
{
    row->value[FEATURE_COLD] = row->value[FEATURE_FIRST] = row->value[FEATURE_FRESH] = 0;
}

static bool run(struct sim *sim, struct features *features, const struct sim_launch *launch)
{
    struct features_row row;
    struct sim_fault fault;

    if (!features_run(features, sim, launch, &row, &fault))
        return false;
    run_before(&row);
    features_write_row(stdout, &row);
    return true;
}

static void tune(struct sim *sim, struct features *features, const struct sim_launch *given)
{
    struct features_row rows[FEATURES_TRIES];
    size_t count;

    if (!features_tune(features, sim, given, rows, &count))
        stop(EXIT_MACHINE, "no memory to try other block sizes");
    for (size_t n = 0; n < count; n++) {
        run_before(&rows[n]);
        features_write_row(stdout, &rows[n]);
    }
}

static struct sim *create(void)
{
    struct sim_limits limits;
    struct sim_options options;
    char message[512];
    struct sim *sim;

    if (!sim_limits_from_environment(&limits, message, sizeof message) ||
        !sim_options_from_environment(&options, message, sizeof message))
        stop(EXIT_USAGE, "%s", message);
    options.features = true;
    options.check_written = options.check_races = options.check_leaks = false; /* of made-up data nothing is learned */
    options.check_lanes = options.check_bounds = options.check_calls = options.check_unused = false;
    sim = sim_create(&limits, &options, message, sizeof message);
    if (!sim)
        stop(EXIT_MACHINE, "%s", message);
    return sim;
}

/* --print FILE.csv [--kernel NAME] [--json | --csv] */
static int print(int count, char **words)
{
    enum launches_format format = LAUNCHES_LINES;
    const char *kernel = NULL;
    struct error error;

    for (int n = 3; n < count; n++)
        if (strcmp(words[n], "--json") == 0 || strcmp(words[n], "--csv") == 0)
            format = words[n][2] == 'j' ? LAUNCHES_JSON : LAUNCHES_CSV;
        else if (strcmp(words[n], "--kernel") == 0 && n + 1 < count)
            kernel = words[++n];
        else
            stop(EXIT_USAGE, "unknown option '%s'", words[n]);
    if (launches_print(words[2], kernel, format, &error))
        return EXIT_OK;
    fprintf(stderr, "%s\n", error.text);
    return EXIT_USAGE;
}

int main(int count, char **words)
{
    struct command c;
    struct sim *sim;
    struct cubin_kernel *resources = NULL;
    struct sim_launch launch = {.cluster = {1, 1, 1}};
    struct sim_module *module;
    struct features *features;
    struct ptx_error error;
    struct text text;
    size_t resource_count = 0;
    const char *why;
    char *parameters;
    bool good;

    if (count > 2 && strcmp(words[1], "--print") == 0)
        return print(count, words);
    read_command(count, words, &c);
    sim = create();
    text = read_file(c.path);
    if (c.cubin) {
        struct text cubin = read_file(c.cubin);

        resource_count = cubin_kernels(cubin.data, cubin.size, &resources);
        free(cubin.data);
    }
    module = sim_load(sim, text.data, text.size, resources, resource_count, &error);
    if (!module)
        stop(EXIT_FILE, "%s:%u: %s", c.path, error.line, error.message);
    launch.kernel = find_kernel(module, &c);
    why = sim_kernel_refusal(launch.kernel, &error.line);
    if (why)
        stop(EXIT_FILE, "%s:%u: %s", c.path, error.line, why);
    check_kernel(&c, launch.kernel);
    for (int n = 0; n < 3; n++) {
        unsigned required = sim_kernel_facts(launch.kernel)->required_cluster[n];

        launch.grid[n] = c.grid[n];
        launch.block[n] = c.block[n];
        launch.cluster[n] = required ? required : 1;
    }
    launch.dynamic_shared = (unsigned)c.shared;
    why = features_refused(sim, &launch);
    if (why)
        stop(EXIT_USAGE, "%s: this launch is not possible: %s", sim_kernel_title(launch.kernel), why);
    launch.parameters = parameters = pack(sim, &c, launch.kernel);
    features = features_create(c.sample);
    if (!features)
        stop(EXIT_MACHINE, "out of memory");
    features_write_header(stdout);
    good = run(sim, features, &launch);
    if (!good)
        fprintf(stderr,
                "features: %s: its launch failed: see above; buffers may be too small, or need more than zeros\n",
                sim_kernel_title(launch.kernel));
    else if (c.tune)
        tune(sim, features, &launch);
    features_free(features);
    free(parameters);
    sim_destroy(sim);
    cubin_free(resources, resource_count);
    free(text.data);
    if (fflush(stdout) != 0 || ferror(stdout))
        stop(EXIT_MACHINE, "cannot write: %s", strerror(errno));
    return good ? EXIT_OK : EXIT_FILE;
}
