/*
 * main_mutate.c - makes mutants of submissions' sources: mutants [options] SOURCE... -- COMPILER-ARGUMENT...
 *
 * Called by run_scripts/mutate.sh, which builds and judges them. It knows no problem and no verdict.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "operators.h"
#include "verify/base/error.h"

static const char help[] =
    "usage: mutants [options] SOURCE... -- COMPILER-ARGUMENT...\n"
    "Finds every mutant of the sources in their syntax trees. Draws some of them, or lists the keys of all.\n"
    "\n"
    "  --out FOLDER    write the drawn mutants: FOLDER/00001/NAME and its key FOLDER/00001/key\n"
    "  --count N       number of mutants, 1 to 100000 (default: 200)\n"
    "  --seed S        seed of the random choice (default: 1)\n"
    "  --first N       number of the first mutant (default: 1)\n"
    "  --root FOLDER   keys name a source by its path below FOLDER\n"
    "  --list          print the keys of all mutants instead\n"
    "  --help          print this and exit\n";

struct options {
    const char *out, *root;
    unsigned long long count, seed, first;
    bool list;
};

static _Noreturn void usage(const char *what, const char *value)
{
    fprintf(stderr, "mutants: %s%s%s; see build/mutants --help\n", what, value ? " " : "", value ? value : "");
    exit(EXIT_USAGE);
}

static unsigned long long number(const char *name, const char *text, unsigned long long least,
                                 unsigned long long most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least || value > most)
        usage(name, text);
    return value;
}

static void parse(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        { "out", required_argument, NULL, 'o' },   { "count", required_argument, NULL, 'c' },
        { "seed", required_argument, NULL, 's' },  { "first", required_argument, NULL, 'f' },
        { "root", required_argument, NULL, 'r' },  { "list", no_argument, NULL, 'l' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    struct error error = { 0 };
    int c;

    *options = (struct options){ .root = "", .count = 200, .seed = 1, .first = 1 };
    while ((c = getopt_long(argc, argv, "+:", names, NULL)) != -1)
        switch (c) {
        case 'o': options->out = optarg; break;
        case 'c': options->count = number("--count: not a number from 1 to 100000:", optarg, 1, 100000); break;
        case 's': options->seed = number("--seed: not a number:", optarg, 0, UINT64_MAX); break;
        case 'f': options->first = number("--first: not a number from 1 to 100000:", optarg, 1, 100000); break;
        case 'r': options->root = optarg; break;
        case 'l': options->list = true; break;
        case 'h': fputs(help, stdout); exit(0);
        default:
            error_option(&error, c, argv[optind - 1], "build/mutants");
            fprintf(stderr, "mutants: %s\n", error.text);
            exit(EXIT_USAGE);
        }
    if (!options->list && !options->out)
        usage("--out FOLDER or --list is missing", NULL);
}

/* A file of a mutant's folder, open for writing. */
static FILE *create(const char *folder, unsigned long long id, const char *name)
{
    char path[4096];
    FILE *file;

    if (snprintf(path, sizeof path, "%s/%05llu%s%s", folder, id, *name ? "/" : "", name) >= (int)sizeof path)
        usage("the path is too long:", folder);
    if (*name == '\0') {
        if (mkdir(path, 0777) == 0 || errno == EEXIST)
            return NULL;
        file = NULL;
    } else {
        file = fopen(path, "w");
    }
    if (!file) {
        fprintf(stderr, "mutants: cannot write '%s': %s\n", path, strerror(errno));
        exit(EXIT_TOOLKIT);
    }
    return file;
}

static void finish(FILE *file)
{
    bool failed = ferror(file);

    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "mutants: cannot write: %s\n", strerror(errno));
        exit(EXIT_TOOLKIT);
    }
}

static void write_mutant(const struct options *options, unsigned long long id, const struct mutant *mutant)
{
    const char *slash = strrchr(mutant->source->path, '/');
    FILE *file;

    create(options->out, id, "");
    file = create(options->out, id, slash ? slash + 1 : mutant->source->path);
    mutant_print_source(mutant, file);
    finish(file);
    file = create(options->out, id, "key");
    mutant_print_key(mutant, file);
    finish(file);
}

/* What the lists call a source: its path below --root. */
static const char *name_of(const char *path, const char *root)
{
    size_t length = strlen(root);

    if (length > 0 && strncmp(path, root, length) == 0)
        for (path += length; *path == '/';)
            path++;
    return path;
}

int main(int argc, char **argv)
{
    struct options options;
    struct mutants mutants = { 0 };
    struct source *sources;
    const struct mutant **drawn;
    int files = 0;
    size_t count = 0;

    parse(argc, argv, &options);
    while (optind + files < argc && strcmp(argv[optind + files], "--") != 0)
        files++;
    if (files == 0 || optind + files == argc)
        usage("SOURCE... -- COMPILER-ARGUMENT... is missing", NULL);
    sources = must(calloc((size_t)files, sizeof *sources));
    for (int i = 0; i < files; i++) {
        const char *path = argv[optind + i];
        size_t before = mutants.count;

        source_read(&sources[i], path, name_of(path, options.root));
        if (!operators_find(&mutants, &sources[i], (const char *const *)argv + optind + files + 1,
                            argc - optind - files - 1)) {
            fprintf(stderr, "mutants: libclang cannot read '%s'\n", path);
            return EXIT_TOOLKIT;
        }
        if (!options.list)
            printf("%s: %zu possible\n", sources[i].name, mutants.count - before);
    }
    drawn = must(malloc((mutants.count + 1) * sizeof *drawn));
    if (!options.list)
        count = mutants_draw(&mutants, options.count, options.seed, drawn);
    for (size_t i = 0; i < count; i++)
        write_mutant(&options, options.first + i, drawn[i]);
    for (size_t i = 0; options.list && i < mutants.count; i++)
        mutant_print_key(&mutants.items[i], stdout);
    free(drawn);
    mutants_free(&mutants);
    for (int i = 0; i < files; i++)
        free(sources[i].text);
    free(sources);
    return 0;
}
