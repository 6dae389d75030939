/*
 * main_convert.c - turns main_host's JSON into what other systems read: convert FORMAT [options] RESULT...
 *
 * Called by run_scripts/convert.sh. It judges nothing and holds no answer; what it may tell of a secret case is in
 * result.h. Exit codes: 0 written, 2 usage or no result, 3 the machine failed.
 */
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/autograders/format.h"
#include "verify/base/number.h"

static const char help[] =
    "usage: convert FORMAT [options] RESULT...    RESULT: a file of main_host --json, or a line of batch\n"
    "\n"
    "FORMAT: junit       JUnit XML\n"
    "        tap         TAP, the Test Anything Protocol\n"
    "        summary     Markdown for a GitHub step summary\n"
    "        gradescope  Gradescope's results.json, from one RESULT\n"
    "        classroom   JSON of a grader for GitHub Classroom, from one RESULT\n"
    "\n"
    "  --out FILE      write to FILE instead of standard output\n"
    "  --title TEXT    a title, such as the team's or the assignment's name\n"
    "  --full          for organisers: show secret cases with their names and messages\n"
    "  --tap-version N tap: 13 or 14 (default: 13, which every reader accepts)\n"
    "  --points N      gradescope, classroom: the points of all cases together (default: 100)\n"
    "  --hide-secret   gradescope: never show secret cases, not even after the due date\n"
    "  --execution-time S  gradescope: the time of the judging in seconds\n"
    "  --help          print this and exit\n";

static const struct {
    const char *name;
    format_function *write;
} formats[] = {
    { "junit", format_junit }, { "tap", format_tap }, { "summary", format_summary },
    { "gradescope", format_gradescope }, { "classroom", format_classroom },
};

enum { TITLE_BYTES = 256, RESULTS_MOST = 10000 };

static int fail(const struct error *error)
{
    fprintf(stderr, "convert: %s\n", error->text);
    return error->code;
}

static bool points(const char *text, double *value, struct error *error)
{
    return number_decimal(text, DBL_MIN, 1e6, value) ||
           error_usage(error, "--points '%s': use a number above 0, up to 1000000", text);
}

static bool seconds(const char *text, double *value, struct error *error)
{
    return number_decimal(text, 0, 1e9, value) || error_usage(error, "--execution-time '%s': use seconds", text);
}

static bool tap_version(const char *text, int *version, struct error *error)
{
    *version = strcmp(text, "14") == 0 ? 14 : 13;
    return *version == 14 || strcmp(text, "13") == 0 || error_usage(error, "--tap-version '%s': use 13 or 14", text);
}

/* By way of FILE.part, so that a reader sees all or nothing. */
static bool write_out(const char *path, format_function *write, const struct graded *results, size_t count,
                      const struct format_options *options, struct error *error)
{
    char part[4096];
    FILE *file;
    bool ok;

    if (!path)
        return write(stdout, results, count, options, error) &&
               (fflush(stdout) == 0 || error_system(error, "cannot write to standard output"));
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return error_usage(error, "--out: the path is too long");
    file = fopen(part, "we");
    if (!file)
        return error_system(error, "cannot write '%s'", part);
    ok = write(file, results, count, options, error);
    if (fclose(file) != 0 && ok)
        ok = error_system(error, "cannot write '%s'", part);
    if (ok && rename(part, path) != 0)
        ok = error_system(error, "cannot write '%s'", path);
    if (!ok)
        remove(part);
    return ok;
}

static format_function *format_of(const char *name)
{
    for (size_t i = 0; name && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].write;
    return NULL;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        { "out", required_argument, NULL, 'o' },    { "title", required_argument, NULL, 't' },
        { "full", no_argument, NULL, 'f' },         { "points", required_argument, NULL, 'p' },
        { "hide-secret", no_argument, NULL, 's' },  { "help", no_argument, NULL, 'h' },
        { "tap-version", required_argument, NULL, 'v' },
        { "execution-time", required_argument, NULL, 'e' },
        { NULL, 0, NULL, 0 },
    };
    struct format_options options = { .points = 100, .tap_version = 13, .execution_time = -1 };
    const char *out = NULL, *title = "";
    struct graded *results = NULL;
    format_function *write;
    struct error error = { 0 };
    size_t count = 0;
    bool ok = true;
    int option;

    opterr = 0;
    while (ok && (option = getopt_long(argc, argv, ":", known, NULL)) != -1)
        switch (option) {
        case 'o': out = optarg; break;
        case 't': title = optarg; break;
        case 'f': options.full = true; break;
        case 'p': ok = points(optarg, &options.points, &error); break;
        case 'e': ok = seconds(optarg, &options.execution_time, &error); break;
        case 'v': ok = tap_version(optarg, &options.tap_version, &error); break;
        case 's': options.hide_secret = true; break;
        case 'h': return fputs(help, stdout) < 0;
        default: ok = error_option(&error, option, argv[optind - 1], "build/convert");
        }
    write = format_of(argv[optind]);
    if (ok && optind < argc && !write)
        ok = error_usage(&error, "there is no format '%s': use junit, tap, summary, gradescope or classroom",
                         argv[optind]);
    if (ok && (!write || argc - optind < 2 || argc - optind > RESULTS_MOST))
        ok = error_usage(&error, "give a FORMAT (junit, tap, summary, gradescope or classroom) and a RESULT; see "
                                 "--help");
    options.title = clean_text(title, TITLE_BYTES);
    results = ok ? calloc((size_t)(argc - optind), sizeof *results) : NULL;
    if (ok && !results)
        ok = error_toolkit(&error, "out of memory");
    for (int i = optind + 1; ok && i < argc; i++) {
        ok = graded_read(&results[count], argv[i], options.full, &error);
        count += ok;
    }
    ok = ok && write_out(out, write, results, count, &options, &error);
    for (size_t i = 0; i < count; i++)
        graded_release(&results[i]);
    free(results);
    free(options.title);
    return ok ? 0 : fail(&error);
}
