/*
 * main_ptx_check.c - prints which kernels of a PTX module the simulator refuses, and why.
 *
 * It loads the module onto a virtual device of its own and runs nothing. One line for each refused kernel: its name,
 * the line of the PTX, the reason. tests/instructions/census.sh compares the result with what ptxas accepts. Exit
 * code 0: it refuses none, 1: it refuses kernels or the whole text, 2: wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/cudasim/sim.h"

static const char usage[] =
    "usage: ptx_check FILE|-\n"
    "Prints the kernels of FILE, a PTX module, that the simulator refuses: name, line and reason.\n";

/* The whole file in memory of malloc, or NULL with errno. */
static char *read_all(FILE *in, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    char part[1 << 16];
    size_t got;

    if (!out)
        return NULL;
    while ((got = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, got, out);
    if (fclose(out) == 0 && !ferror(in))
        return text;
    free(text);
    return NULL;
}

static struct sim *create(void)
{
    struct sim_limits limits;
    struct sim_options options;
    char message[512];
    struct sim *sim = NULL;

    if (sim_limits_from_environment(&limits, message, sizeof message) &&
        sim_options_from_environment(&options, message, sizeof message))
        sim = sim_create(&limits, &options, message, sizeof message);
    if (!sim)
        fprintf(stderr, "ptx_check: %s\n", message);
    return sim;
}

/* Returns how many kernels of the text are refused, 1 if all of it is. */
static size_t check(struct sim *sim, const char *path, const char *text, size_t size)
{
    struct ptx_error error;
    struct sim_module *module = sim_load(sim, text, size, NULL, 0, &error);
    struct sim_kernel *kernel;
    size_t refused = 0;

    if (!module) {
        fprintf(stderr, "%s:%u: %s\n", path, error.line, error.message);
        return 1;
    }
    for (size_t n = 0; (kernel = sim_kernel_at(module, n)); n++) {
        unsigned line = 0;
        const char *why = sim_kernel_refusal(kernel, &line);

        if (!why)
            continue;
        printf("%s %u %s\n", sim_kernel_facts(kernel)->name, line, why);
        refused++;
    }
    return refused;
}

int main(int argc, char **argv)
{
    const char *path = argc == 2 ? argv[1] : "";
    bool standard = strcmp(path, "-") == 0;
    struct sim *sim;
    FILE *in;
    char *text;
    size_t size, refused;

    if (strcmp(path, "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!*path || (*path == '-' && !standard)) {
        fputs(usage, stderr);
        return 2;
    }
    in = standard ? stdin : fopen(path, "rb");
    text = in ? read_all(in, &size) : NULL;
    if (!text) {
        fprintf(stderr, "ptx_check: cannot read '%s': %s\n", path, strerror(errno));
        return 2;
    }
    if (!standard)
        fclose(in);
    sim = create();
    if (!sim) {
        free(text);
        return 2;
    }
    refused = check(sim, path, text, size);
    free(text);
    sim_destroy(sim);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "ptx_check: cannot write: %s\n", strerror(errno));
        return 2;
    }
    return refused > 0;
}
