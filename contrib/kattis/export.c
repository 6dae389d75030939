/*
 * export.c - lays a problem out as a package in the format 2025-09, and writes it as a zip.
 *
 * Real inputs and outputs of the cases up to a number of bytes, an input and an output validator that need a C compiler
 * alone, and a driver which a judge compiles with a submission in C. What such a judge cannot run is left out, and
 * said: larger cases, other leagues, CUDA and OpenCL; and jury submissions that fail in cases alone that are left out,
 * as `fails in:` names them.
 */
#include "export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "problems/problem.h"
#include "rules.h"

/* Of the toolkit, what validators are built from. */
static const char *const validator_sources[] = {
    "verify/base/error.c", "verify/base/blob.c", "verify/base/parallel.c", "verify/base/random.c", "verify/base/text.c",
    "verify/cases/arguments.c", "verify/judge/verdict.c", NULL,
};
static const char *const validator_headers[] = {
    "problems/problem.h", "verify/base/blob.h", "verify/base/error.h", "verify/base/parallel.h", "verify/base/text.h",
    "verify/base/philox.h", "verify/base/random.h", "verify/base/shared_map.h", "verify/cases/arguments.h",
    "verify/cases/floor.h", "verify/judge/reason.h", "verify/judge/verdict.h",
    "verify/wire/channel.h", NULL,
};

/* A folder of the problem's, and a path in the package. */
static char *source(const struct export *export, const char *name)
{
    return kit_text(export->kit, "problems/%s/%s", export->problem->name, name);
}

static char *target(const struct export *export, const char *name)
{
    return kit_text(export->kit, "%s/%s", export->folder, name);
}

static char *read_text(const struct export *export, const char *path)
{
    char *text = file_read(export->kit, path, NULL);

    if (!text)
        kit_fail("cannot read '%s': %s", path, strerror(errno));
    return text;
}

static void write_text(const struct export *export, const char *path, const char *text)
{
    file_write(export->kit, path, text, strlen(text), false);
}

/* A text with a word in the place of what follows `start` in lines that begin with it. */
static char *with_value(const struct export *export, char *text, const char *start, const char *value)
{
    struct lines lines = { 0 };
    char *line;

    while ((line = strsep(&text, "\n")))
        if (starts_with(line, start))
            lines_add(export->kit, &lines, "%s%s", start, value);
        else
            lines_add(export->kit, &lines, "%s", line);
    return lines_join(export->kit, &lines, "\n");
}

/* ------------------------------------------------------------------ data */

/* Inputs that must be refused: a right one beside each line that the problem refuses, and three that are damaged. */
static void write_invalid(const struct export *export)
{
    struct kit *kit = export->kit;
    const struct tree data = tree_read(kit, target(export, "data"));
    const struct tree refused = tree_read(kit, source(export, "data"));
    const char *right = NULL;
    char *text, *stem;

    for (size_t i = 0; i < data.count; i++)
        if (ends_with(data.items[i].path, ".in") && !starts_with(data.items[i].path, "invalid_output/") &&
            (!right || (starts_with(data.items[i].path, "sample/") && !starts_with(right, "sample/"))))
            right = data.items[i].path;
    stem = kit_text(kit, "%s/%s", data.folder, kit_stem(kit, right));
    text = read_text(export, kit_text(kit, "%s.in", stem));
    for (size_t i = 0; i < refused.count; i++) {
        const char *path = kit_text(kit, "%s/%s", refused.folder, refused.items[i].path);
        const char *name = kit_stem(kit, base_name(path)), *line;
        struct lines words;

        if (!kit_matches(kit, refused.items[i].path, "invalid_input/[^/]*\\.in", NULL))
            continue;
        words = lines_split(kit, read_text(export, path), " \n");
        line = lines_join(kit, &words, " ");
        /* Some lines are bad form alone, such as a number with zeros before it: as words they make an input. */
        if (!kit_matches(kit, line, "[A-Za-z0-9=._ -]*", NULL) || !export_refuses(export, line))
            continue;
        write_text(export, target(export, kit_text(kit, "data/invalid_input/%s.in", name)), text);
        write_text(export, target(export, kit_text(kit, "data/invalid_input/%s.yaml", name)),
                   kit_text(kit, "input_validator_args:\n  - \"%s\"\n",
                            words.count ? lines_join(kit, &words, "\"\n  - \"") : "none"));
    }
    for (const char *const *name = (const char *const[]){ "short", "digit", "byte", NULL }; *name; name++) {
        char *damaged = kit_text(kit, "%s", text), *second = strchr(damaged, '\n') + 1, *last = damaged;

        for (char *end = damaged; (end = strchr(end, '\n')) && end[1]; last = ++end)
            ;
        if (strcmp(*name, "short") == 0)
            *last = '\0';
        else if (second[0])
            *second = strcmp(*name, "digit") == 0 ? 'g' : *second == '0' ? '1' : '0';
        write_text(export, target(export, kit_text(kit, "data/invalid_input/damaged-%s.in", *name)), damaged);
        file_copy(kit, kit_text(kit, "%s.yaml", stem),
                  target(export, kit_text(kit, "data/invalid_input/damaged-%s.yaml", *name)));
    }
}

static void write_data(struct export *export)
{
    struct kit *kit = export->kit;
    const struct tree data = tree_read(kit, source(export, "data"));
    bool secret = false;

    export_cases(export);
    for (size_t i = 0; i < export->written.count; i++)
        secret |= starts_with(export->written.items[i], "secret/");
    if (!secret)
        kit_refuse("no secret case has %zu bytes or less: use --limit", export->limit);
    /* How points come of groups, where the problem says so. */
    for (size_t i = 0; i < data.count; i++) {
        const char *path = data.items[i].path, *to = target(export, kit_text(kit, "data/%s", path));

        if (strcmp(base_name(path), "test_group.yaml") == 0 &&
            access(kit_text(kit, "%.*s", (int)(base_name(to) - to), to), F_OK) == 0)
            file_copy(kit, kit_text(kit, "%s/%s", data.folder, path), to);
    }
    write_text(export, target(export, "generators/README.txt"),
               kit_text(kit, "The cases of this package were made from these lines by the toolkit's generator; so were "
                        "those that were left out,\nfor they are larger than %zu bytes or take a GPU:\n\n%s\n",
                        export->limit, lines_join(kit, &export->cases, "\n")));
    write_invalid(export);
}

/* ------------------------------------------------------------------ programs */

/* A source for a folder without folders. */
static void flat(const struct export *export, const char *from, const char *folder, const char *to)
{
    char *text = read_text(export, from), *found[KIT_GROUPS], *line;
    struct lines lines = { 0 };

    while ((line = strsep(&text, "\n")))
        if (kit_matches(export->kit, line, "( *# *include *\")([a-z.]+/)+([a-z_]+\\.h\".*)", found))
            lines_add(export->kit, &lines, "%s%s", found[0], found[2]);
        else
            lines_add(export->kit, &lines, "%s", line);
    write_text(export, target(export, kit_text(export->kit, "%s/%s", folder, to)),
               lines_join(export->kit, &lines, "\n"));
}

/* The name of a source of the toolkit in a validator, which other judges take as files without folders. */
static char *flat_name(struct kit *kit, const char *path)
{
    char *name = kit_text(kit, "%s", path);

    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '_';
    return name;
}

/* A source under its flat name, and what it includes of the toolkit, beside it or from the root, under theirs. */
static void flat_source(const struct export *export, const char *from, const char *folder)
{
    struct kit *kit = export->kit;
    char *text = read_text(export, from), *found[KIT_GROUPS], *line;
    struct lines lines = { 0 };

    while ((line = strsep(&text, "\n"))) {
        const char *beside, *path = NULL;

        if (kit_matches(kit, line, "( *# *include *\")([^\"]+)(\".*)", found)) {
            beside = kit_text(kit, "%.*s%s", (int)(base_name(from) - from), from, found[1]);
            path = access(beside, F_OK) == 0 ? beside : access(found[1], F_OK) == 0 ? found[1] : NULL;
        }
        if (path)
            lines_add(kit, &lines, "%s%s%s", found[0], flat_name(kit, path), found[2]);
        else
            lines_add(kit, &lines, "%s", line);
    }
    write_text(export, target(export, kit_text(kit, "%s/%s", folder, flat_name(kit, from))),
               lines_join(kit, &lines, "\n"));
}

/* The main program that submissions are compiled with, and what it needs, in a folder. */
static void write_driver(const struct export *export, const char *folder)
{
    const char *const files[] = { source(export, "input.h"), "verify/wire/call.h", "contrib/kattis/package_text.h" };
    const struct tree tree = tree_read(export->kit, source(export, "include"));
    struct lines given = { 0 }; /* what participants may include */
    bool random = false;

    for (size_t i = 0; i < tree.count; i++) {
        lines_add(export->kit, &given, "%s/%s", tree.folder, tree.items[i].path);
        random |= strstr(read_text(export, given.items[i]), "/philox.h\"") != NULL;
    }
    if (random)
        lines_add(export->kit, &given, "verify/base/philox.h");
    for (size_t i = 0; i < given.count; i++) {
        if (strcmp(folder, "include/c") == 0)
            flat(export, given.items[i], "attachments", base_name(given.items[i]));
        flat(export, given.items[i], folder, base_name(given.items[i]));
    }
    flat(export, source(export, "call.c"), folder, "gpu_contest_call.c");
    flat(export, "contrib/kattis/driver.c", folder, "gpu_contest_driver.c");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], F_OK) == 0)
            flat(export, files[i], folder, base_name(files[i]));
}

/* The sources of the problem's validators: all but those of the runner, of other programs and of the tests' outputs. */
static struct lines list_sources(const struct export *export, const char *pattern)
{
    struct kit *kit = export->kit;
    const struct tree tree = tree_read(kit, source(export, ""));
    struct lines sources = { 0 };

    for (size_t i = 0; i < tree.count; i++)
        if (kit_matches(kit, tree.items[i].path, pattern, NULL) &&
            !kit_matches(kit, tree.items[i].path, "call\\.c|outputs\\.[ch]|main_.*", NULL))
            lines_add(kit, &sources, "problems/%s/%s", export->problem->name, tree.items[i].path);
    return sources;
}

/* How the toolkit compiles each source: its flags, less those that are for the toolkit's own build. */
static struct lines compile_lines(const struct export *export)
{
    struct kit *kit = export->kit;
    char *log = kit_text(kit, "%s/compile", kit->work), *source_name;
    struct lines make = { 0 }, sources = list_sources(export, "[^/]*\\.c"), said, lines = { 0 };

    for (const char *const *word = (const char *const[]){
             "env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "make", "-s", "-n", "-B", "V=1", "SANITIZE=",
             "DEV=", NULL }; *word; word++)
        lines_add(kit, &make, "%s", *word);
    lines_add(kit, &make, "BUILD=%s", base_name(kit->build));
    for (const char *const *file = validator_sources; *file; file++)
        lines_add(kit, &sources, "%s", *file);
    for (size_t i = 0; i < sources.count; i++)
        lines_add(kit, &make, "%s/obj/%s.o", base_name(kit->build), kit_stem(kit, sources.items[i]));
    kit_run(kit, &(struct command){ .output = log }, &make);
    said = lines_split(kit, read_text(export, log), "\n");
    for (size_t i = 0; i < said.count; i++) {
        const struct lines words = lines_split(kit, said.items[i], " ");
        struct lines kept = { 0 };

        if (!kit_matches(kit, said.items[i], ".* -c -o [^ ]+ [^ ]+\\.c", NULL))
            continue;
        for (size_t k = 1; k + 4 < words.count; k++)
            if (!kit_matches(kit, words.items[k], "-MMD|-MP|-g|-I.+|-W.+", NULL))
                lines_add(kit, &kept, "%s", words.items[k]);
        source_name = words.items[words.count - 1];
        lines_add(kit, &lines, "cc %s -I. -c -o %s.o %s", lines_join(kit, &kept, " "),
                  kit_stem(kit, flat_name(kit, source_name)), flat_name(kit, source_name));
    }
    if (lines.count != sources.count)
        kit_fail("make does not print how it compiles the problem");
    return lines;
}

static void write_validators(const struct export *export)
{
    static const char *const kinds[][2] = {
        { "input_validators/generated", " -DINPUT_VALIDATOR" }, { "output_validator", "" }
    };
    struct kit *kit = export->kit;
    const char *name = export->problem->name;
    struct lines compile = compile_lines(export), files = list_sources(export, "[^/]*\\.[ch]|include/.*");
    char *text;

    for (const char *const *file = validator_sources; *file; file++)
        lines_add(kit, &files, "%s", *file);
    for (const char *const *file = validator_headers; *file; file++)
        lines_add(kit, &files, "%s", *file);
    lines_add(kit, &files, "contrib/kattis/validator.c");
    lines_add(kit, &files, "contrib/kattis/package_text.h");
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < files.count; i++)
            flat_source(export, files.items[i], kinds[kind][0]);
        text = kit_text(kit,
                        "#!/bin/sh\n# Builds this validator, run, from C. It needs no library but the C library.\n"
                        "set -e\n%s\n"
                        "cc -D_GNU_SOURCE -std=c11 -O2 -I. -DPROBLEM=%s%s -o run contrib_kattis_validator.c *.o -lm "
                        "-pthread\nrm -f ./*.o\n",
                        lines_join(kit, &compile, "\n"), name, kinds[kind][1]);
        file_write(kit, target(export, kit_text(kit, "%s/build", kinds[kind][0])), text, strlen(text), true);
    }
}

/* ------------------------------------------------------------------ submissions */

/* Why a submission is left out, after its name, or NULL. A case that it names and that is nowhere is refused. */
static char *left_because(const struct export *export, const char *path, const char *text)
{
    struct kit *kit = export->kit;
    const struct lines lines = lines_split(kit, text, "\n");
    struct league league;
    struct lines needed = { 0 };
    struct error error;
    char *found[KIT_GROUPS];
    const char *of = NULL;
    bool there = false;

    if (!league_choose(&league, &export->package, NULL, &error))
        kit_end(&error);
    for (size_t i = 0; i < lines.count; i++) {
        struct lines names = { 0 };

        if (!of && kit_matches(kit, lines.items[i], ".*\\bleague: ([a-z0-9_]+)([.,].*| \\*/)?", found))
            of = found[0];
        if (kit_matches(kit, lines.items[i], "[ /*]*fails in: ([^*]*[^* ]) *(\\*/)?", found))
            names = lines_split(kit, found[0], ", ");
        for (size_t k = 0; k < names.count; k++)
            lines_add(kit, &needed, "%s", names.items[k]);
    }
    if (strcmp(of ? of : league.name, export->league.name) != 0)
        return "";
    /* One whose cases are all left out would not do here what its folder says. */
    for (size_t i = 0; i < needed.count; i++) {
        if (access(source(export, kit_text(kit, "data/%s.in", needed.items[i])), F_OK) != 0)
            kit_refuse("%s: 'fails in: %s': there is no such case: name one of data/", path, needed.items[i]);
        there |= lines_have(&export->written, needed.items[i]);
    }
    if (needed.count == 0 || there)
        return NULL;
    return kit_text(kit, ", for no case that it fails in is there: %s", lines_join(kit, &needed, " "));
}

/* Those in C, of this league. The others are added to `left`. The number of them. */
static size_t write_submissions(const struct export *export, struct lines *left)
{
    struct kit *kit = export->kit;
    const struct tree tree = tree_read(kit, source(export, "submissions"));
    size_t count = 0;
    bool accepted = false;

    for (size_t i = 0; i < tree.count; i++) {
        const char *path = tree.items[i].path, *why = "";
        const char *from = kit_text(kit, "%s/%s", tree.folder, path), *text = NULL;

        if (!kit_matches(kit, path, "[^/]+/[^/]+", NULL))
            continue;
        if (!tree.items[i].folder && ends_with(path, ".c"))
            why = left_because(export, from, text = read_text(export, from));
        if (why) {
            lines_add(kit, left, "%s%s", path, why);
            continue;
        }
        /* The toolkit includes the problem's header before everything; here the file does it itself. It has all that it
         * is compiled with beside it, for judges that do not know include/. */
        write_text(export, target(export, kit_text(kit, "submissions/%s/%s", kit_stem(kit, path), base_name(path))),
                   kit_text(kit, "#include \"device_user.h\"\n%s", text));
        write_driver(export, kit_text(kit, "submissions/%s", kit_stem(kit, path)));
        accepted |= starts_with(path, "accepted/");
        count++;
    }
    if (!accepted)
        kit_refuse("this league has no accepted submission in C, and a package needs one");
    return count;
}

/* ------------------------------------------------------------------ the whole */

/* What runs on such a judge is C on a CPU, and its driver reads and writes text within the limit. */
static void write_problem(const struct export *export)
{
    const char *limit = value_of(&export->package.gpu, "cpu.time_limit");
    char *text = read_text(export, source(export, "problem.yaml"));
    const struct tree tree = tree_read(export->kit, source(export, ""));

    text = with_value(export, text, "  time_limit: ", limit[0] ? limit : "10");
    write_text(export, target(export, "problem.yaml"), with_value(export, text, "languages: ", "[c]"));
    tree_copy(export->kit, &tree, "statement", target(export, "statement"));
}

static void take_options(struct export *export, int argc, char **argv)
{
    static const char usage[] = "usage: package.sh export PROBLEM [--limit BYTES] [--league NAME]";
    const char *league = NULL;
    struct error error = { 0 };

    export->limit = 262144;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--limit") == 0 &&
            kit_matches(export->kit, argv[i + 1], "[1-9][0-9]{0,7}", NULL))
            export->limit = strtoull(argv[i + 1], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--league") == 0)
            league = argv[i + 1];
        else
            kit_refuse("%s", usage);
    }
    if (argc < 1)
        kit_refuse("%s", usage);
    export->problem = problem_find(argv[0]);
    if (!export->problem)
        kit_refuse("there is no problem '%s'", argv[0]);
    if (chdir(export->kit->root) != 0)
        kit_fail("cannot enter '%s': %s", export->kit->root, strerror(errno));
    if (!package_load(&export->package, ".", argv[0], &error) ||
        !league_choose(&export->league, &export->package, league, &error))
        kit_end(&error);
}

int export_main(struct kit *kit, int argc, char **argv)
{
    struct export export = { .kit = kit };
    struct lines left = { 0 };
    struct tree tree;
    char *zip;
    size_t submissions;

    take_options(&export, argc, argv);
    export.folder = kit_text(kit, "%s/stage/%s", kit->work, export.problem->name);
    write_data(&export);
    write_problem(&export);
    write_driver(&export, "include/c");
    write_validators(&export);
    submissions = write_submissions(&export, &left);
    folder_make(kit, kit_text(kit, "%s/packages", kit->build));
    zip = kit_text(kit, "%s/packages/%s.zip", kit->build, export.problem->name);
    tree = tree_read(kit, kit_text(kit, "%s/stage", kit->work));
    archive_write(kit, &tree, zip);
    for (size_t i = 0; i < export.cases.count; i++)
        if (starts_with(export.cases.items[i], "left-out "))
            printf("left out: case %s\n", lines_split(kit, export.cases.items[i], " ").items[1]);
    for (size_t i = 0; i < left.count; i++)
        printf("left out: submission %s\n", left.items[i]);
    printf("%s: %zu cases, %zu submissions in C\n", zip + (starts_with(zip, kit->root) ? strlen(kit->root) + 1 : 0),
           export.written.count, submissions);
    package_release(&export.package);
    return 0;
}
