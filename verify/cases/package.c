/*
 * package.c - reads a problem's settings and lists its cases.
 */
#include "package.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frozen.h"
#include "keys.h"
#include "verify/base/blob.h"

enum { MEBIBYTES_MOST = 1 << 30 };

/* How many calls are timed in flight together: RESIDENT_CALLS at most (verify/wire/resident.h). */
static bool load_throughput(struct package *package, struct error *error)
{
    enum { LEAST = 2, MOST = 64 };
    const struct setting *item = settings_item(&package->gpu, "throughput");
    int64_t calls = 0;

    if (item && !package->resident)
        return settings_refuse(&package->gpu, item, "needs resident: true", error);
    if (item && !settings_integer(&package->gpu, item, LEAST, MOST, &calls, error))
        return false;
    package->throughput = (size_t)calls;
    return true;
}

static bool load_settings(struct package *package, struct error *error)
{
    double memory = 2048, output = 8; /* MiB: the format's typical defaults */
    double device_memory = 0;
    const struct setting *must_be_used, *resident;
    const char *version, *cache;
    char path[4096];

    snprintf(path, sizeof path, "%s/problem.yaml", package->folder);
    if (!settings_load(&package->problem, path, problem_yaml_keys, error))
        return false;
    version = settings_string(&package->problem, "problem_format_version");
    if (!version || strcmp(version, "2025-09") != 0)
        return error_usage(error, "%s: problem_format_version must be 2025-09", path);
    snprintf(path, sizeof path, "%s/gpu.yaml", package->folder);
    if (!settings_load(&package->gpu, path, gpu_yaml_keys, error))
        return false;
    package->gpu_time_limit = 10;
    if (!settings_number(&package->problem, "limits.time_limit", &package->gpu_time_limit, error))
        return false;
    package->cpu_time_limit = package->gpu_time_limit;
    package->sim_time_limit = 60;
    if (!settings_number(&package->gpu, "cpu.time_limit", &package->cpu_time_limit, error) ||
        !settings_number(&package->gpu, "sim.time_limit", &package->sim_time_limit, error) ||
        !settings_number(&package->gpu, "peak.link", &package->gpu_peak.link, error) ||
        !settings_number(&package->gpu, "peak.operations", &package->gpu_peak.operations, error) ||
        !settings_number(&package->gpu, "cpu.peak.link", &package->cpu_peak.link, error) ||
        !settings_number(&package->gpu, "cpu.peak.operations", &package->cpu_peak.operations, error) ||
        !settings_number(&package->gpu, "device.memory", &device_memory, error) ||
        !settings_number(&package->problem, "limits.memory", &memory, error) ||
        !settings_number(&package->problem, "limits.output", &output, error))
        return false;
    if (device_memory > MEBIBYTES_MOST || memory > MEBIBYTES_MOST || output > MEBIBYTES_MOST)
        return error_usage(error, "%s: a limit of memory or output is above %d MiB", package->folder, MEBIBYTES_MOST);
    must_be_used = settings_item(&package->gpu, "device.must_be_used");
    if (must_be_used && !settings_boolean(&package->gpu, must_be_used, &package->must_use_gpu, error))
        return false;
    resident = settings_item(&package->gpu, "resident");
    if (resident && !settings_boolean(&package->gpu, resident, &package->resident, error))
        return false;
    if (!load_throughput(package, error))
        return false;
    cache = settings_string(&package->gpu, "cache");
    if (cache && strcmp(cache, "cold") != 0 && strcmp(cache, "warm") != 0)
        return error_usage(error, "%s: cache must be cold or warm, not '%s'", path, cache);
    package->warm = cache && strcmp(cache, "warm") == 0;
    package->device_memory_limit = (size_t)(device_memory * (1 << 20));
    package->memory_limit = (size_t)(memory * (1 << 20));
    package->output_limit = (size_t)(output * (1 << 20));
    return true;
}

/* The first line of a short file; NULL with an error when it has none or more than one. */
static char *read_line(const char *path, struct error *error)
{
    struct blob blob = { 0 };
    char *line = NULL;
    size_t length;

    if (!blob_read_file(&blob, path, 4096, error))
        return NULL;
    length = blob.size > 0 && blob.data[blob.size - 1] == '\n' ? blob.size - 1 : 0;
    if (length == 0 || memchr(blob.data, '\n', length) || memchr(blob.data, '\0', length))
        error_usage(error, "'%s' must have exactly one line of text", path);
    else if (blob.data[length - 1] == '\r')
        error_usage(error, "'%s' ends its line as Windows does: save it with line ends of Unix (LF)", path);
    else if (!(line = strndup((const char *)blob.data, length)))
        error_toolkit(error, "out of memory");
    blob_release(&blob);
    return line;
}

/* The item of gpu.yaml if it is one of the list `list`, such as "ranked."; else NULL. */
static const struct setting *listed_at(const struct package *package, const char *list, size_t i)
{
    const struct setting *item = &package->gpu.items[i];

    return strncmp(item->key, list, strlen(list)) == 0 ? item : NULL;
}

static bool is_named_by(const struct setting *item, const struct package_case *test_case)
{
    return strcmp(item->value, test_case->name) == 0 ||
           (strcmp(item->value, "ranked") != 0 && package_case_in_group(test_case, item->value));
}

/* Whether a case or its group is in a list of gpu.yaml; *listed, whether there is one. */
static bool is_in_list(const struct package *package, const char *list, const struct package_case *test_case,
                       bool *listed)
{
    bool named = false;

    *listed = false;
    for (size_t i = 0; i < package->gpu.count; i++) {
        const struct setting *item = listed_at(package, list, i);

        *listed = *listed || item;
        named = named || (item && is_named_by(item, test_case));
    }
    return named;
}

/* Each name in a list of gpu.yaml is to be a case's or a group's. */
static bool check_list(const struct package *package, const char *list, struct error *error)
{
    for (size_t i = 0; i < package->gpu.count; i++) {
        const struct setting *item = listed_at(package, list, i);
        bool named = !item;

        for (size_t k = 0; k < package->case_count && !named; k++)
            named = is_named_by(item, &package->cases[k]);
        if (!named)
            return error_usage(error, "%s:%d: there is no case or group of cases '%s'", package->gpu.path,
                               item->line, item->value);
    }
    return true;
}

static bool add_case(struct package *package, const char *group, const char *file, struct error *error)
{
    struct package_case *grown = reallocarray(package->cases, package->case_count + 1, sizeof *grown), *added;
    int stem = (int)(strlen(file) - strlen(".in"));
    char path[4096];
    bool listed;

    if (!grown)
        return error_toolkit(error, "out of memory");
    package->cases = grown;
    added = &grown[package->case_count++];
    *added = (struct package_case){ 0 };
    snprintf(path, sizeof path, "%s/data/%s/%s", package->folder, group, file);
    added->line = read_line(path, error);
    if (!added->line)
        return false;
    snprintf(path, sizeof path, "%s/data/%s/%.*s.ans", package->folder, group, stem, file);
    if (access(path, F_OK) == 0 && !(added->expected = read_line(path, error)))
        return false;
    if (asprintf(&added->name, "%s/%.*s", group, stem, file) < 0)
        return error_toolkit(error, "out of memory");
    added->gpu_only = is_in_list(package, "gpu_only.", added, &listed);
    added->ranks = is_in_list(package, "ranked.", added, &listed);
    if (!listed)
        added->ranks = package_case_in_group(added, "secret");
    return true;
}

static bool is_case(const char *name)
{
    size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".in") == 0;
}

static int is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && (is_case(entry->d_name) || !strchr(entry->d_name, '.'));
}

/* The cases of a group by name, then, of `sample` and `secret`, the groups below it. */
static bool add_group(struct package *package, const char *group, bool below, struct error *error)
{
    struct dirent **entries = NULL;
    char path[4096];
    bool ok = true;
    int count;

    snprintf(path, sizeof path, "%s/data/%s", package->folder, group);
    count = scandir(path, &entries, is_listed, alphasort);
    if (count < 0)
        return error_usage(error, "cannot list '%s': %s", path, strerror(errno));
    for (int i = 0; i < count && ok; i++)
        if (is_case(entries[i]->d_name))
            ok = add_case(package, group, entries[i]->d_name, error);
    for (int i = 0; i < count && ok; i++) {
        snprintf(path, sizeof path, "%s/%s", group, entries[i]->d_name);
        if (!is_case(entries[i]->d_name))
            ok = below ? add_group(package, path, false, error)
                       : error_usage(error, "'%s/data/%s' is nested too deeply", package->folder, path);
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return ok;
}

bool package_load(struct package *package, const char *root, const char *name, struct error *error)
{
    bool ok;

    *package = (struct package){ 0 };
    ok = asprintf(&package->folder, "%s/problems/%s", root, name) > 0 || error_toolkit(error, "out of memory");
    ok = ok && load_settings(package, error) && add_group(package, "sample", true, error) &&
         add_group(package, "secret", true, error) && check_list(package, "gpu_only.", error) &&
         check_list(package, "ranked.", error);
    if (!ok)
        package_release(package);
    return ok;
}

bool package_check_frozen(const struct package *package, const char *root, const char *name, struct error *error)
{
    char path[4096];

    snprintf(path, sizeof path, "problems/%s/problem.yaml", name);
    if (!frozen_check(root, path, error))
        return false;
    snprintf(path, sizeof path, "problems/%s/gpu.yaml", name);
    if (!frozen_check(root, path, error))
        return false;
    for (size_t i = 0; i < package->case_count; i++) {
        const struct package_case *test_case = &package->cases[i];

        snprintf(path, sizeof path, "problems/%s/data/%s.in", name, test_case->name);
        if (!frozen_check(root, path, error))
            return false;
        snprintf(path, sizeof path, "problems/%s/data/%s.ans", name, test_case->name);
        if (test_case->expected && !frozen_check(root, path, error))
            return false;
    }
    return true;
}

void package_release(struct package *package)
{
    for (size_t i = 0; i < package->case_count; i++) {
        free(package->cases[i].name);
        free(package->cases[i].line);
        free(package->cases[i].expected);
    }
    free(package->cases);
    settings_release(&package->problem);
    settings_release(&package->gpu);
    free(package->folder);
    *package = (struct package){ 0 };
}

bool package_case_in_group(const struct package_case *test_case, const char *group)
{
    size_t length = strlen(group);

    if (strcmp(group, "ranked") == 0)
        return test_case->ranks;
    return strcmp(group, "all") == 0 || (strncmp(test_case->name, group, length) == 0 &&
                                         test_case->name[length] == '/');
}
