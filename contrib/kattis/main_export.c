/*
 * main_export.c - writes a problem's cases as files of a Kattis package: export PROBLEM FOLDER BYTES [LEAGUE]
 *
 * Called by contrib/kattis/package.sh. Under FOLDER/data go, of the cases of one league (the first):
 *   sample|secret/CASE.in .ans .yaml    the real input, a right output, and the generator's arguments
 *   invalid_output/CASE.in .ans .out    of the first case: outputs that are wrong in every way that the problem knows
 * Cases whose input or output has more than BYTES bytes, or whose plain reference takes long, are left out. It prints a
 * line a case: `written NAME LINE` or `left-out NAME LINE`. `export refuses PROBLEM LINE` ends with 0 where the
 * generator refuses that line, and with 1 where it makes an input of it. Exit codes else: 0, 2 usage, 3 failed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "package_text.h"
#include "problems/outputs.h"
#include "problems/problem.h"
#include "verify/cases/league.h"
#include "verify/cases/package.h"

/* Operations of the plain reference that are worth waiting for, where a right output is made with it. */
static const double plain_limit = 1e9;

enum { WRONG_MOST = 8 };

struct export {
    const struct problem *problem;
    const char *folder;   /* FOLDER */
    size_t limit;         /* BYTES */
    bool grouped;         /* the secret cases lie in groups: those beside them go to one of their own */
    bool has_wrong;       /* wrong outputs of a case were written */
};

/* Input and right output of one case. */
struct exported {
    struct blob input, answer, output;
};

static bool write_file(const struct export *export, const char *name, const char *suffix, const struct blob *blob,
                       size_t output_size, struct error *error)
{
    char path[PATH_MAX];
    FILE *file;
    bool ok;

    snprintf(path, sizeof path, "%s/data/%s%s", export->folder, name, suffix);
    for (char *slash = strchr(path + strlen(export->folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return error_system(error, "cannot make '%s'", path);
        *slash = '/';
    }
    file = fopen(path, "we");
    if (!file)
        return error_system(error, "cannot write '%s'", path);
    if (output_size)
        package_write_input(file, export->problem->name, blob->data, blob->size, output_size);
    else
        package_write_output(file, blob->data, blob->size);
    ok = !ferror(file);
    if (fclose(file) != 0 || !ok)
        return error_system(error, "cannot write '%s'", path);
    return true;
}

/*
 * The arguments of the generator, one YAML string each: they are words of letters, digits and = . - alone, or refused.
 */
static bool write_arguments(const struct export *export, const char *name, const char *line, struct error *error)
{
    char path[PATH_MAX], copy[ARGUMENTS_TEXT], *rest = copy, *word;
    FILE *file;

    snprintf(copy, sizeof copy, "%s", line);
    snprintf(path, sizeof path, "%s/data/%s.yaml", export->folder, name);
    file = fopen(path, "we");
    if (!file)
        return error_system(error, "cannot write '%s'", path);
    fputs("input_validator_args:\n", file);
    while ((word = strsep(&rest, " ")))
        if (word[0] != '\0') {
            if (strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=.-_") != strlen(word)) {
                fclose(file);
                return error_usage(error, "case %s: the argument '%s' has characters that cannot be written", name,
                                   word);
            }
            fprintf(file, "  - \"%s\"\n", word);
        }
    return fclose(file) == 0 || error_system(error, "cannot write '%s'", path);
}

/*
 * The case's name in the package: sample cases lie in no groups, secret ones in groups or in none. "sample/open/1-x" is
 * sample/open-1-x, and "secret/01-x" beside groups is secret/main/01-x.
 */
static void package_name(const struct export *export, const char *name, char *text, size_t size)
{
    const char *rest = strchr(name, '/') + 1;
    char *slash;

    if (strncmp(name, "secret/", 7) == 0) {
        snprintf(text, size, "secret/%s%s", export->grouped && !strchr(rest, '/') ? "main/" : "", rest);
        return;
    }
    snprintf(text, size, "sample/%s", rest);
    slash = strchr(text + 7, '/');
    if (slash)
        *slash = '-';
}

static bool make_right(const struct problem *problem, struct exported *made, struct error *error)
{
    const struct outputs *outputs = outputs_find(problem->name);

    if (!blob_alloc(&made->output, problem->output_size(&made->input), error))
        return false;
    if (outputs->solve)
        return outputs->solve(&made->input, &made->answer, &made->output, error);
    if (made->output.size != made->answer.size)
        return error_toolkit(error, "the answer is no output, and the problem has no solve()");
    memcpy(made->output.data, made->answer.data, made->answer.size);
    return true;
}

/* Wrong outputs of a case, each a case of invalid_output: as the problem spoils them, or with a byte changed. */
static bool write_wrong(const struct export *export, const struct exported *made, const char *line,
                        struct error *error)
{
    const struct outputs *outputs = outputs_find(export->problem->name);
    struct blob wrong = { 0 };
    const size_t ways = outputs->spoil || made->output.size > WRONG_MOST ? WRONG_MOST : made->output.size;
    char name[64];
    bool ok = true;

    for (size_t way = 0; ok && way < ways; way++) {
        const size_t place = way * made->output.size / ways;

        ok = blob_alloc(&wrong, made->output.size, error);
        if (!ok)
            break;
        memcpy(wrong.data, made->output.data, wrong.size);
        if (outputs->spoil && !outputs->spoil(&made->input, &made->answer, &wrong, way))
            break;
        if (!outputs->spoil)
            wrong.data[place] ^= 0x41;
        snprintf(name, sizeof name, "invalid_output/wrong-%zu", way + 1);
        ok = write_file(export, name, ".in", &made->input, made->output.size, error) &&
             write_file(export, name, ".ans", &made->output, 0, error) &&
             write_file(export, name, ".out", &wrong, 0, error) && write_arguments(export, name, line, error);
    }
    blob_release(&wrong);
    return ok;
}

/* Writes one case, or finds that it is too large: *written. */
static bool export_case(struct export *export, const struct package_case *test_case, bool *written, struct error *error)
{
    /* Of the outputs' making alone: the validator has its own. */
    static const struct random_key secret = { .seed = 20250901 };
    const struct problem *problem = export->problem;
    struct exported made = { 0 };
    struct random_key key = { 0 };
    struct arguments arguments;
    char name[256];
    uint64_t seed;
    bool ok;

    *written = false;
    if (test_case->gpu_only)
        return true;
    package_name(export, test_case->name, name, sizeof name);
    ok = arguments_parse(&arguments, test_case->line, error) &&
         arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, error);
    if (!ok)
        return false;
    key.case_seed = (uint32_t)seed;
    ok = problem->generate(&arguments, &key, &made.input, error);
    if (!ok || made.input.size > export->limit || problem->output_size(&made.input) > export->limit ||
        (outputs_find(problem->name)->solve && problem->plain_cost(&made.input) > plain_limit))
        goto out;
    ok = problem->reference(&made.input, &secret, &made.answer, error) && make_right(problem, &made, error) &&
         write_file(export, name, ".in", &made.input, made.output.size, error) &&
         write_file(export, name, ".ans", &made.output, 0, error) &&
         write_arguments(export, name, test_case->line, error);
    *written = ok;
    if (ok && !export->has_wrong) {
        ok = write_wrong(export, &made, test_case->line, error);
        export->has_wrong = true;
    }
out:
    blob_release(&made.input);
    blob_release(&made.answer);
    blob_release(&made.output);
    return ok;
}

static bool export_all(struct export *export, const struct package *package, const struct league *league,
                       struct error *error)
{
    bool written;

    for (size_t i = 0; i < package->case_count; i++) {
        const char *name = package->cases[i].name;

        export->grouped |= strncmp(name, "secret/", 7) == 0 && strchr(name + 7, '/');
    }
    for (size_t i = 0; i < package->case_count; i++) {
        if (!league_has_case(league, &package->cases[i]))
            continue;
        if (!export_case(export, &package->cases[i], &written, error))
            return false;
        printf("%s %s %s\n", written ? "written" : "left-out", package->cases[i].name, package->cases[i].line);
    }
    return true;
}

/* Whether the generator refuses a line: 0 it does, 1 it makes an input. */
static int refuses(const char *name, const char *line)
{
    const struct problem *problem = problem_find(name);
    struct random_key key = { 0 };
    struct arguments arguments;
    struct blob input = { 0 };
    struct error error = { 0 };
    uint64_t seed;
    bool made;

    if (!problem)
        return EXIT_USAGE;
    made = arguments_parse(&arguments, line, &error) &&
           arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, &error) &&
           problem->generate(&arguments, &key, &input, &error);
    blob_release(&input);
    return made;
}

int main(int argc, char **argv)
{
    struct export export = { 0 };
    struct package package = { 0 };
    struct league league;
    struct error error = { 0 };
    uint64_t limit;
    bool ok;

    if (argc == 4 && strcmp(argv[1], "refuses") == 0)
        return refuses(argv[2], argv[3]);
    if (argc < 4 || argc > 5) {
        fputs("usage: export_problem PROBLEM FOLDER BYTES [LEAGUE]\n"
              "       export_problem refuses PROBLEM LINE\n", stderr);
        return EXIT_USAGE;
    }
    export.problem = problem_find(argv[1]);
    export.folder = argv[2];
    ok = export.problem || error_usage(&error, "there is no problem '%s'", argv[1]);
    ok = ok && parse_number(argv[3], "BYTES", 1, PACKAGE_MOST, &limit, &error) &&
         package_load(&package, ".", argv[1], &error) &&
         league_choose(&league, &package, argc > 4 ? argv[4] : NULL, &error);
    if (ok) {
        export.limit = (size_t)limit;
        ok = export_all(&export, &package, &league, &error);
        package_release(&package);
    }
    if (!ok)
        fprintf(stderr, "export_problem: %s\n", error.text);
    return ok ? 0 : (int)error.code;
}
