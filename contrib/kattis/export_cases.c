/*
 * export_cases.c - test data of a package: what the problem's generator, reference and outputs make.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "package_text.h"
#include "problems/outputs.h"
#include "problems/problem.h"

/* Operations of the plain reference that are worth waiting for, where a right output is made with it. */
static const double plain_limit = 1e9;

enum { WRONG_MOST = 8 };

/* Input and right output of one case. */
struct exported {
    struct blob input, answer, output;
};

/* Writes an input, or, where output_size is 0, an output. */
static void write_blob(const struct export *export, const char *name, const char *suffix, const struct blob *blob,
                       size_t output_size)
{
    char *path = kit_text(export->kit, "%s/data/%s%s", export->folder, name, suffix);
    FILE *file;
    bool ok;

    folder_make(export->kit, kit_text(export->kit, "%.*s", (int)(base_name(path) - path), path));
    file = fopen(path, "we");
    if (!file)
        kit_fail("cannot write '%s': %s", path, strerror(errno));
    if (output_size)
        package_write_input(file, export->problem->name, blob->data, blob->size, output_size);
    else
        package_write_output(file, blob->data, blob->size);
    ok = !ferror(file);
    if (fclose(file) != 0 || !ok)
        kit_fail("cannot write '%s': %s", path, strerror(errno));
}

/* The arguments of the generator, one YAML string each: words of letters, digits and = . - _ alone, or refused. */
static void write_arguments(const struct export *export, const char *name, const char *line)
{
    const struct lines words = lines_split(export->kit, line, " ");
    const char *text = lines_join(export->kit, &words, "\"\n  - \"");

    if (!kit_matches(export->kit, line, "[A-Za-z0-9=._ -]*", NULL))
        kit_refuse("case %s: its arguments have characters that cannot be written: '%s'", name, line);
    text = kit_text(export->kit, "input_validator_args:\n%s%s%s", words.count ? "  - \"" : "", text,
                    words.count ? "\"\n" : "");
    file_write(export->kit, kit_text(export->kit, "%s/data/%s.yaml", export->folder, name), text, strlen(text), false);
}

/*
 * The case's name in the package: sample cases lie in no groups, secret ones in groups or in none. "sample/open/1-x" is
 * sample/open-1-x, and "secret/01-x" beside groups is secret/main/01-x.
 */
static char *package_name(const struct export *export, const char *name)
{
    const char *rest = strchr(name, '/') + 1, *slash = strchr(rest, '/');
    bool grouped = false;

    if (starts_with(name, "sample/"))
        return slash ? kit_text(export->kit, "sample/%.*s-%s", (int)(slash - rest), rest, slash + 1)
                     : kit_text(export->kit, "%s", name);
    for (size_t i = 0; i < export->package.case_count; i++)
        grouped |= kit_matches(export->kit, export->package.cases[i].name, "secret/.*/.*", NULL);
    return kit_text(export->kit, "secret/%s%s", grouped && !slash ? "main/" : "", rest);
}

static bool make_right(const struct problem *problem, struct exported *made, struct error *error)
{
    const struct outputs *outputs = outputs_find(problem->name);

    if (!blob_alloc(&made->output, problem->output_size(&made->input), error))
        return false;
    if (outputs->solve)
        return outputs->solve(&made->input, &made->answer, &made->output, error);
    if (made->output.size != made->answer.size)
        return error_toolkit(error, "the answer is not an output, and the problem has no solve()");
    memcpy(made->output.data, made->answer.data, made->answer.size);
    return true;
}

/* Wrong outputs of a case, each a case of invalid_output: as the problem spoils them, or with a byte changed. */
static bool write_wrong(const struct export *export, const struct exported *made, const char *line,
                        struct error *error)
{
    const struct outputs *outputs = outputs_find(export->problem->name);
    const size_t ways = outputs->spoil || made->output.size > WRONG_MOST ? WRONG_MOST : made->output.size;
    struct blob wrong = { 0 };

    for (size_t way = 0; way < ways; way++) {
        const char *name = kit_text(export->kit, "invalid_output/wrong-%zu", way + 1);

        if (!blob_alloc(&wrong, made->output.size, error))
            return false;
        memcpy(wrong.data, made->output.data, wrong.size);
        if (outputs->spoil && !outputs->spoil(&made->input, &made->answer, &wrong, way))
            break;
        if (!outputs->spoil)
            wrong.data[way * made->output.size / ways] ^= 0x41;
        write_blob(export, name, ".in", &made->input, made->output.size);
        write_blob(export, name, ".ans", &made->output, 0);
        write_blob(export, name, ".out", &wrong, 0);
        write_arguments(export, name, line);
    }
    blob_release(&wrong);
    return true;
}

/* The input of a generator's line. */
static bool generate(const struct problem *problem, const char *line, struct blob *input, struct error *error)
{
    struct random_key key = { 0 };
    struct arguments arguments;
    uint64_t seed;

    if (!arguments_parse(&arguments, line, error) ||
        !arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, error))
        return false;
    key.case_seed = (uint32_t)seed;
    return problem->generate(&arguments, &key, input, error);
}

/* Writes one case, or finds that it is too large: *written. */
static bool export_case(struct export *export, const struct package_case *test_case, bool *written, struct error *error)
{
    /* Of the outputs' making alone: the validator has its own. */
    static const struct random_key secret = { .seed = 20250901 };
    const struct problem *problem = export->problem;
    const char *name = package_name(export, test_case->name);
    struct exported made = { 0 };
    bool ok;

    *written = false;
    if (test_case->gpu_only)
        return true;
    ok = generate(problem, test_case->line, &made.input, error);
    if (!ok || made.input.size > export->limit || problem->output_size(&made.input) > export->limit ||
        (outputs_find(problem->name)->solve && problem->plain_cost(&made.input) > plain_limit))
        goto out;
    ok = problem->reference(&made.input, &secret, &made.answer, error) && make_right(problem, &made, error);
    if (!ok)
        goto out;
    *written = true;
    write_blob(export, name, ".in", &made.input, made.output.size);
    write_blob(export, name, ".ans", &made.output, 0);
    write_arguments(export, name, test_case->line);
    if (export->written.count == 0)
        ok = write_wrong(export, &made, test_case->line, error);
out:
    blob_release(&made.input);
    blob_release(&made.answer);
    blob_release(&made.output);
    return ok;
}

void export_cases(struct export *export)
{
    struct error error = { 0 };
    bool written;

    for (size_t i = 0; i < export->package.case_count; i++) {
        const struct package_case *test_case = &export->package.cases[i];

        if (!league_has_case(&export->league, test_case))
            continue;
        if (!export_case(export, test_case, &written, &error))
            kit_end(&error);
        lines_add(export->kit, &export->cases, "%s %s %s", written ? "written" : "left-out", test_case->name,
                  test_case->line);
        if (written)
            lines_add(export->kit, &export->written, "%s", test_case->name);
    }
}

bool export_refuses(const struct export *export, const char *line)
{
    struct blob input = { 0 };
    struct error error = { 0 };
    const bool made = generate(export->problem, line, &input, &error);

    blob_release(&input);
    return !made;
}
