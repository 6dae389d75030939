/*
 * feature_ptxas.c - runs ptxas on PTX whose instructions carry the numbers of their lines.
 *
 * Machine code says nothing of the PTX that it was made of, but ptxas keeps lines of source: with -lineinfo each
 * machine instruction has the line of the instruction that it was made of. So every instruction of the text is given a
 * directive .loc with its own line, in place of the program's. What ptxas makes does not change by it.
 */
#include "feature_ptxas.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contrib/cudasim/container/machine_lines.h"
#include "contrib/cudasim/machine/ins.h"

enum { FOLDER = 256 };

extern char **environ;

/* The lines of the text, from 1 on, on which an instruction begins: [*count]; NULL without memory. */
static bool *instruction_lines(const struct program *program, size_t *count)
{
    bool *starts;

    *count = 1;
    for (int pass = 0; pass < 2; pass++) {
        starts = pass ? calloc(*count, sizeof *starts) : NULL;
        if (pass && !starts)
            return NULL;
        for (size_t f = 0; f < program->function_count; f++)
            for (size_t n = 0; n < program->functions[f].ptx->statement_count; n++) {
                const struct ptx_statement *s = &program->functions[f].ptx->statements[n];

                if (pass && s->kind == PTX_INSTRUCTION)
                    starts[s->line] = true;
                else if (!pass && s->line >= *count)
                    *count = (size_t)s->line + 1;
            }
    }
    return starts;
}

/* Whether the line's first word is this one. */
static bool begins(const char *line, const char *end, const char *word)
{
    size_t length = strlen(word);

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return (size_t)(end - line) >= length && !memcmp(line, word, length) &&
           (line + length == end || strchr(" \t\r", line[length]));
}

/* Writes the text with a number for each instruction, and without lines and tables of the program's own. */
static void write_numbered(FILE *file, const char *text, size_t size, const bool *starts, size_t count)
{
    const char *end = text + size;
    bool section = false; /* of a debugger's tables */

    while (end > text && !end[-1])
        end--;
    for (size_t n = 1; text < end; n++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));

        stop = stop ? stop : end;
        section |= begins(text, stop, ".section");
        if (section || begins(text, stop, ".loc") || begins(text, stop, ".file")) {
            section = section && !begins(text, stop, "}");
        } else {
            if (n < count && starts[n])
                fprintf(file, ".loc 1 %zu 0\n", n);
            fwrite(text, 1, (size_t)(stop - text), file);
        }
        putc('\n', file);
        text = stop + 1;
    }
    fputs(".file 1 \"ptx\"\n", file);
}

static bool write_text(const char *path, const char *text, size_t size, const struct program *program)
{
    size_t count;
    bool *starts = instruction_lines(program, &count), good;
    FILE *file = starts ? fopen(path, "we") : NULL;

    if (file)
        write_numbered(file, text, size, starts, count);
    good = file && !ferror(file);
    good &= !file || fclose(file) == 0;
    free(starts);
    return good;
}

/* Runs `program` without a word from it. The simulator's library must not be loaded into it. */
static bool run_program(const char *program, char *const *words)
{
    char **clean = calloc(1, sizeof *clean);
    posix_spawn_file_actions_t actions;
    size_t count = 0;
    pid_t child;
    bool good = false;

    for (char **e = environ; clean && e && *e; e++) {
        char **more;

        if (!strncmp(*e, "LD_PRELOAD=", 11) || !(more = realloc(clean, (count + 2) * sizeof *clean)))
            continue;
        clean = more;
        clean[count++] = *e;
        clean[count] = NULL;
    }
    if (!clean || posix_spawn_file_actions_init(&actions)) {
        free(clean);
        return false;
    }
    if (!posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) &&
        !posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) &&
        !posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) &&
        !posix_spawnp(&child, program, &actions, NULL, words, clean)) {
        int status = 0;

        /* Where the program ignores the ends of its children, the file says how it went. */
        good = waitpid(child, &status, 0) != child || (WIFEXITED(status) && !WEXITSTATUS(status));
    }
    posix_spawn_file_actions_destroy(&actions);
    free(clean);
    return good;
}

static bool compile(const char *from, const char *to, const char *arch, const char *kernel)
{
    static const char *const programs[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};

    for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
        const char *words[] = {programs[n], "-lineinfo", "-arch", arch, "-e", kernel, "-o", to, from, NULL};

        if (run_program(programs[n], (char *const *)words))
            return true;
    }
    return false;
}

static bool read_code(const char *path, struct machine_function **functions, size_t *count)
{
    FILE *file = fopen(path, "re");
    char *data = NULL;
    long size = -1;
    bool good = false;

    if (file && !fseek(file, 0, SEEK_END))
        size = ftell(file);
    if (size > 0 && !fseek(file, 0, SEEK_SET) && (data = malloc((size_t)size)))
        good = fread(data, 1, (size_t)size, file) == (size_t)size &&
               machine_functions(data, (size_t)size, functions, count);
    if (file)
        fclose(file);
    free(data);
    return good;
}

bool ptxas_functions(const char *text, size_t size, const struct program *program, const char *kernel,
                     struct machine_function **functions, size_t *count)
{
    const char *place = getenv("TMPDIR");
    char folder[FOLDER], from[FOLDER + 16], to[FOLDER + 16];
    bool good;

    if (snprintf(folder, sizeof folder, "%s/cudasim-XXXXXX", place && *place ? place : "/tmp") >= (int)sizeof folder ||
        !mkdtemp(folder))
        return false;
    snprintf(from, sizeof from, "%s/a.ptx", folder);
    snprintf(to, sizeof to, "%s/a.cubin", folder);
    good = write_text(from, text, size, program) &&
           compile(from, to, program->ptx->target && strstr(program->ptx->target, "sm_90a") ? "sm_90a" : "sm_90",
                   kernel) &&
           read_code(to, functions, count);
    unlink(from);
    unlink(to);
    rmdir(folder);
    return good;
}
