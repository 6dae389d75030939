/*
 * settings.c - reads the virtual device's limits and options from the environment. docs/SIMULATOR.md lists the
 * variables.
 *
 * It runs before a device is made. It does not know how the readers use the values.
 */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

enum setting_kind { SETTING_UNSIGNED, SETTING_BYTES };

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
    {"CUDASIM_CLUSTER_SIZE", SETTING_UNSIGNED, offsetof(struct sim_limits, cluster_size), 16, 1, 16},
    {"CUDASIM_MEMORY", SETTING_BYTES, offsetof(struct sim_limits, memory_bytes), 16ull << 30, 1 << 20, 1ull << 42},
    {"CUDASIM_STACK", SETTING_BYTES, offsetof(struct sim_limits, stack_bytes), 1024, 256, 1 << 20},
    {"CUDASIM_STACK_MAX", SETTING_BYTES, offsetof(struct sim_limits, stack_max_bytes), 524288, 1024, 16 << 20},
    {"CUDASIM_HEAP", SETTING_BYTES, offsetof(struct sim_limits, heap_bytes), 8 << 20, 4096, 1ull << 40},
    {"CUDASIM_PRINTF", SETTING_BYTES, offsetof(struct sim_limits, printf_bytes), 0, 0, 1ull << 30},
};

/* Values that programs ask for, without effect here. A profile gives them; the defaults are an H100's. */
static const struct shown {
    const char *key;
    size_t offset;  /* into sim_limits: unsigned */
    unsigned value; /* without a profile */
} shown[] = {
    {"clock_khz", offsetof(struct sim_limits, clock_khz), 1980000},
    {"memory_clock_khz", offsetof(struct sim_limits, memory_clock_khz), 2619000},
    {"memory_bus_bits", offsetof(struct sim_limits, memory_bus_bits), 5120},
    {"l2_bytes", offsetof(struct sim_limits, l2_bytes), 50 << 20},
    {"double_ratio", offsetof(struct sim_limits, double_ratio), 2},
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

/* The key of a setting in a profile: CUDASIM_THREADS_PER_SM is threads_per_sm. */
static const char *profile_number(struct profile *profile, const char *name, char *key, size_t size)
{
    size_t i = 0;

    for (name += strlen("CUDASIM_"); name[i] && i + 1 < size; i++)
        key[i] = (char)tolower((unsigned char)name[i]);
    key[i] = '\0';
    return profile_value(profile, key);
}

/* Reads the limits from the profile and the environment. The environment has priority. */
static bool read_settings(struct sim_limits *limits, struct profile *profile, char *error, size_t error_size)
{
    for (size_t n = 0; n < sizeof settings / sizeof *settings; n++) {
        const struct setting *s = &settings[n];
        char key[32];
        const char *from = profile_number(profile, s->name, key, sizeof key), *own = getenv(s->name),
                   *text = own && *own ? own : from;
        uint64_t value = s->value;
        char *field = (char *)limits + s->offset;

        if (text && (!parse_number(text, s->kind == SETTING_BYTES, &value) || value < s->least || value > s->most)) {
            snprintf(error, error_size, "%s=%s: must be a number from %llu to %llu", text == from ? key : s->name, text,
                     (unsigned long long)s->least, (unsigned long long)s->most);
            return false;
        }
        if (s->kind == SETTING_BYTES)
            *(uint64_t *)(void *)field = value;
        else
            *(unsigned *)(void *)field = (unsigned)value;
    }
    return true;
}

/* Values that programs only read. If a profile omits a key, its value is 0. */
static bool read_shown(struct sim_limits *limits, struct profile *profile, char *error, size_t error_size)
{
    const bool chosen = profile->count > 0;
    const char *name = profile_value(profile, "name"), *capability = profile_value(profile, "capability");

    for (size_t n = 0; n < sizeof shown / sizeof *shown; n++) {
        const char *text = profile_value(profile, shown[n].key);
        uint64_t value = chosen ? 0 : shown[n].value;

        if (text && (!parse_number(text, false, &value) || value > INT32_MAX)) {
            snprintf(error, error_size, "%s: %s=%s: must be a number up to %d", profile->path, shown[n].key, text,
                     INT32_MAX);
            return false;
        }
        *(unsigned *)(void *)((char *)limits + shown[n].offset) = (unsigned)value;
    }
    snprintf(limits->name, sizeof limits->name, chosen ? "%.80s (cudasim)" : "cudasim", name ? name : "GPU");
    limits->capability = 90;
    if (capability) {
        if (strlen(capability) != 3 || !isdigit((unsigned char)capability[0]) || capability[1] != '.' ||
            !isdigit((unsigned char)capability[2]) || strcmp(capability, "9.0") > 0) {
            snprintf(error, error_size, "%s: capability=%s: must be one up to 9.0", profile->path, capability);
            return false;
        }
        limits->capability = (unsigned)(capability[0] - '0') * 10 + (unsigned)(capability[2] - '0');
    }
    return true;
}

bool sim_limits_from_environment(struct sim_limits *limits, char *error, size_t error_size)
{
    const char *name = getenv("CUDASIM_PROFILE");
    struct profile profile = {.count = 0};

    memset(limits, 0, sizeof *limits);
    if ((name && *name && !profile_read(name, &profile, error, error_size)) ||
        !read_settings(limits, &profile, error, error_size) || !read_shown(limits, &profile, error, error_size) ||
        !profile_all_used(&profile, error, error_size))
        return false;
    if (limits->shared_per_block > limits->shared_per_block_optin ||
        limits->shared_per_block_optin + limits->shared_reserved > limits->shared_per_sm) {
        snprintf(error, error_size, "shared memory: CUDASIM_SHARED_PER_BLOCK <= CUDASIM_SHARED_PER_BLOCK_OPTIN <= "
                                    "CUDASIM_SHARED_PER_SM - CUDASIM_SHARED_RESERVED does not hold");
        return false;
    }
    return true;
}

/* The checks that CUDASIM_CHECK names. Bounds of allocations are always checked. */
static const struct {
    const char *name;
    size_t offset; /* into sim_options: bool */
    bool usual;    /* on by default, and part of "all" */
} checks[] = {
    {"written", offsetof(struct sim_options, check_written), true},
    {"races", offsetof(struct sim_options, check_races), true},
    {"leaks", offsetof(struct sim_options, check_leaks), true},
    {"lanes", offsetof(struct sim_options, check_lanes), true},
    {"bounds", offsetof(struct sim_options, check_bounds), true},
    {"calls", offsetof(struct sim_options, check_calls), true},
    {"streams", offsetof(struct sim_options, check_streams), true},
    {"host", offsetof(struct sim_options, check_host), true},
    {"unused", offsetof(struct sim_options, check_unused), false},
};

#define CHECKS (sizeof checks / sizeof *checks)

static void set_check(struct sim_options *o, size_t n, bool on)
{
    *(bool *)(void *)((char *)o + checks[n].offset) = on;
}

static void set_usual_checks(struct sim_options *o)
{
    for (size_t n = 0; n < CHECKS; n++)
        set_check(o, n, checks[n].usual);
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* CUDASIM_CHECK: none, or some of the names, where "all" is all the usual ones. */
static bool parse_checks(const char *text, struct sim_options *o)
{
    for (size_t n = 0; n < CHECKS; n++)
        set_check(o, n, false);
    if (!strcmp(text, "none") || !strcmp(text, "0"))
        return true;
    while (*text) {
        size_t length = strcspn(text, ","), n = 0;

        if (is_word(text, length, "all") || is_word(text, length, "1")) {
            set_usual_checks(o);
        } else {
            while (n < CHECKS && !is_word(text, length, checks[n].name))
                n++;
            if (n == CHECKS)
                return false;
            set_check(o, n, true);
        }
        text += length + (text[length] == ',');
    }
    return true;
}


bool sim_options_from_environment(struct sim_options *o, char *error, size_t error_size)
{
    const char *workers = getenv("CUDASIM_WORKERS"), *seed = getenv("CUDASIM_SEED"), *check = getenv("CUDASIM_CHECK"),
               *explain = getenv("CUDASIM_EXPLAIN"), *features = getenv("CUDASIM_FEATURES"),
               *sample = getenv("CUDASIM_SAMPLE"), *go_on = getenv("CUDASIM_GO_ON");
    uint64_t value;

    memset(o, 0, sizeof *o);
    set_usual_checks(o);
    o->explain = explain && *explain && strcmp(explain, "0") != 0;
    o->features = features && *features;
    o->go_on = go_on && *go_on && strcmp(go_on, "0") != 0;
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
        snprintf(error, error_size,
                 "CUDASIM_CHECK=%s: must be all, none, or some of "
                 "written,races,leaks,lanes,bounds,calls,streams,host,unused",
                 check);
        return false;
    }
    if (o->sample)
        o->check_written = false; /* what was left out has written nothing */
    return true;
}
