/*
 * import.c - lays a package out as a problem.
 *
 * problems/NAME gets problem.yaml and the statements; everything else goes to problems/NAME/imported. Where programs
 * read one input and write one output, adapt.c makes it a problem that is judged as it is. Else, or with --by-hand, it
 * is to be written: its data are not generator lines and its submissions are programs, not device_user(). What a human
 * must look at is listed, there and in IMPORTED.md. Until problem.c is there, the toolkit does not build or list the
 * problem.
 */
#include "import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapt.h"
#include "archive.h"
#include "rules.h"
#include "verify/base/text.h"

static const char *const to_write[] = {
    "include/device_user.h: the function that participants write, with shapes, units and limits",
    "input.h, call.c: how an input is laid out, and how device_user() is called with it",
    "problem.c: generate(), reference(), reference_plain(), check(): problems/problem.h; "
    "imported/submissions/accepted may help",
    "data/sample, data/secret: lines for the generator, in place of the files in imported/data",
    "input_validators/: whether such a line is valid",
    "submissions/: device_user() for each verdict",
    "statement/: say what device_user() gets and returns, in place of standard input and output",
    "problem.yaml, gpu.yaml: limits a call",
};

/* One folder, or, as some judges write legacy packages, the files themselves. */
static struct tree package_of(struct kit *kit, struct tree tree, const char *given)
{
    const struct lines top = tree_list(kit, &tree, "");
    const char *only = NULL;
    size_t folders = 0;

    if (tree_has(kit, &tree, "problem", ".yaml"))
        return tree;
    for (size_t i = 0; i < top.count; i++)
        if (tree_at(&tree, top.items[i])->folder) {
            only = top.items[i];
            folders++;
        }
    if (folders != 1 || !tree_has(kit, &tree, only, "/problem.yaml"))
        kit_refuse("'%s' has no problem.yaml", given);
    return tree_read(kit, kit_text(kit, "%s/%s", tree.folder, only));
}

static void load_problem(struct import *import, const char *given)
{
    struct settings *problem = &import->problem;
    struct error error;
    const char *path = kit_text(import->kit, "%s/problem.yaml", import->package.folder), *words;

    if (!settings_load(problem, path, import_keys, &error)) {
        words = strstr(error.text, "problem.yaml:");
        kit_refuse("problem.yaml: %s", words ? words + strlen("problem.yaml:") : error.text);
    }
    if (!settings_show(problem, &error))
        kit_end(&error);
    import->taken = kit_alloc(import->kit, problem->count * sizeof *import->taken);
    import->version = value_of(problem, "problem_format_version");
    if (!import->version[0])
        import->version = "legacy";
    if (!kit_matches(import->kit, import->version, "2025-09|2023-07-draft|legacy|legacy-icpc", NULL))
        kit_refuse("'%s' is in version '%s' of the format; 2025-09, 2023-07-draft, legacy and legacy-icpc can be read",
                   given, import->version);
}

/* The statements, and the languages that they are in. A legacy one without a language is English. */
static void take_statements(struct import *import)
{
    static const char *const endings[] = { "tex", "md", "pdf" };
    struct kit *kit = import->kit;
    struct tree tree;
    char *found[KIT_GROUPS];

    folder_make(kit, "statement");
    for (const char *const *from = (const char *const[]){ "statement", "problem_statement", NULL }; *from; from++)
        if (tree_at(&import->package, *from) && tree_at(&import->package, *from)->folder)
            tree_copy(kit, &import->package, *from, "statement");
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *from = kit_text(kit, "statement/problem.%s", endings[i]);
        const char *to = kit_text(kit, "statement/problem.en.%s", endings[i]);

        if (access(from, F_OK) == 0 && access(to, F_OK) != 0)
            rename(from, to);
    }
    if (tree_has(kit, &import->package, "problem", ".pdf") && access("statement/problem.en.pdf", F_OK) != 0)
        tree_copy(kit, &import->package, "problem.pdf", "statement/problem.en.pdf");
    tree = tree_read(kit, "statement");
    for (size_t i = 0; i < tree.count; i++) /* by path, so by language */
        if (!tree.items[i].folder &&
            kit_matches(kit, tree.items[i].path, "problem\\.(" RULE_LANGUAGE ")\\.(tex|md|pdf)", found) &&
            !lines_have(&import->languages, found[0]))
            lines_add(kit, &import->languages, "%s", found[0]);
    if (import->languages.count == 0)
        lines_add(kit, &import->by_hand, "statement/: the package has no statement");
}

/* In problem.yaml, .timelimit or domjudge-problem.ini. */
static void find_time_limit(struct import *import, const char *in_file)
{
    struct kit *kit = import->kit;
    const char *ini = kit_text(kit, "%s/domjudge-problem.ini", import->package.folder);
    char *text = file_read(kit, ini, NULL), *found[KIT_GROUPS];
    const struct lines lines = lines_split(kit, text ? text : "", "\n"), words = lines_split(kit, in_file, " \r\n");

    import->time_limit = value_of(&import->problem, "limits.time_limit");
    if (!import->time_limit[0])
        import->time_limit = lines_join(kit, &words, "");
    for (size_t i = 0; !import->time_limit[0] && i < lines.count; i++)
        if (kit_matches(kit, lines.items[i], " *timelimit *= *['\"]?([0-9.]+).*", found))
            import->time_limit = found[0];
}

/* What the toolkit does with the problem's types. */
static void note_types(struct import *import)
{
    const char *types = lines_join(import->kit, &import->types, " ");

    if (strstr(types, "interactive") || strstr(types, "multi-pass") || strstr(types, "submit-answer"))
        lines_add(import->kit, &import->by_hand,
                  "problem.yaml: type: the toolkit judges pass-fail and scoring problems "
                  "alone, and this one is '%s'", types);
    if (strstr(types, "scoring"))
        lines_add(import->kit, &import->by_hand,
                  "data/secret: with the test_group.yaml files of imported/data: check() "
                  "passes or fails a case, and they make points of that in contests whose scoring is groups; a "
                  "validator's own scores there are not");
}

static void take_output_validators(struct import *import)
{
    struct kit *kit = import->kit;
    const struct lines programs = tree_list(kit, &import->package, "output_validators");
    const struct entry *folder = tree_at(&import->package, "output_validators");

    if (!folder || !folder->folder || access("imported/output_validator", F_OK) == 0)
        return;
    if (programs.count == 1 && tree_at(&import->package, programs.items[0])->folder)
        tree_copy(kit, &import->package, programs.items[0], "imported/output_validator");
    else
        tree_copy(kit, &import->package, "output_validators", "imported/output_validator");
    if (programs.count != 1)
        lines_add(kit, &import->by_hand,
                  "imported/output_validator/: the package has several, and 2025-09 takes one");
}

/* Everything but problem.yaml and the statements, as 2025-09 lays it out. */
static void take_parts(struct import *import)
{
    struct kit *kit = import->kit;
    const struct lines parts = tree_list(kit, &import->package, "");

    folder_make(kit, "imported");
    for (size_t i = 0; i < parts.count; i++) {
        const struct part_rule *rule = part_rule(parts.items[i]);

        if (!rule) {
            lines_add(kit, &import->by_hand, "%s: it is left out", parts.items[i]);
        } else if (strcmp(rule->name, "domjudge-problem.ini") == 0) {
            const char *path = kit_text(kit, "%s/%s", import->package.folder, rule->name);
            const struct lines lines = lines_split(kit, file_read(kit, path, NULL), "\n");
            bool more = false;

            for (size_t k = 0; k < lines.count; k++)
                more |= !kit_matches(kit, lines.items[k], "[[:space:]]*(timelimit[[:space:]]*=.*)?", NULL);
            if (more)
                lines_add(kit, &import->by_hand, "domjudge-problem.ini: what it says beside timelimit is left out");
        } else if (rule->becomes[0]) {
            tree_copy(kit, &import->package, rule->name, kit_text(kit, "imported/%s", rule->becomes));
        }
    }
    take_output_validators(import);
}

/* What is missing goes to IMPORTED.md and to standard output. */
static void list_todo(struct import *import)
{
    FILE *file = fopen("IMPORTED.md", "we");
    const struct tree tree = tree_read(import->kit, "imported");
    const size_t own = import->adapted ? 0 : sizeof to_write / sizeof *to_write;
    const char *what = import->adapted ? "It is judged as it is. To look at:" : "It is to be written:";
    size_t cases = 0, submissions = 0;

    if (!file)
        kit_fail("cannot write IMPORTED.md: %s", strerror(errno));
    for (size_t i = 0; i < tree.count; i++) {
        cases += !tree.items[i].folder && kit_matches(import->kit, tree.items[i].path, "data/.*\\.in", NULL);
        submissions += kit_matches(import->kit, tree.items[i].path, "submissions/[^/]*/[^/]*", NULL);
    }
    fprintf(file, "Imported from a package of version %s. %s\n\n", import->version, what);
    printf("problems/%s: problem.yaml, %s statement, %zu cases, %zu submissions. %s\n", import->name,
           import->languages.count ? lines_join(import->kit, &import->languages, " ") : "no language", cases,
           submissions, what);
    for (size_t i = 0; i < own + import->by_hand.count; i++) {
        const char *words = kit_shown(import->kit, i < own ? to_write[i] : import->by_hand.items[i - own]);

        fprintf(file, "- %s\n", words);
        printf("  %s\n", words);
    }
    if (fclose(file) != 0)
        kit_fail("cannot write IMPORTED.md: %s", strerror(errno));
}

int import_main(struct kit *kit, int argc, char **argv)
{
    struct import import = { .kit = kit };
    struct unpacked unpacked;
    struct tree made;
    char *freeze[] = { "run_scripts/lib/frozen.sh", "update", NULL }, *folder;

    if (argc < 2 || argc > 3 || !kit_matches(kit, argv[1], "[a-z][a-z0-9]{0,31}", NULL) ||
        (argc == 3 && strcmp(argv[2], "--by-hand") != 0))
        kit_refuse("usage: package.sh import ZIP|FOLDER NAME [--by-hand]; NAME: a small letter, then small letters and "
                   "digits, up to 32");
    import.name = freeze[2] = argv[1];
    folder = kit_text(kit, "%s/problems/%s", kit->root, import.name);
    if (access(folder, F_OK) == 0)
        kit_refuse("problems/%s exists already", import.name);
    unpacked = archive_unpack(kit, argv[0]);
    import.package = package_of(kit, unpacked.tree, argv[0]);
    folder_make(kit, kit_text(kit, "%s/problem", kit->work));
    if (chdir(kit_text(kit, "%s/problem", kit->work)) != 0)
        kit_fail("cannot enter '%s': %s", kit->work, strerror(errno));
    load_problem(&import, argv[0]);
    for (size_t i = 0; i < unpacked.ignored.count; i++)
        lines_add(kit, &import.by_hand, "'%s' is left out: the format ignores such names, and links that lead out",
                  unpacked.ignored.items[i]);
    take_statements(&import);
    find_time_limit(&import, unpacked.time_limit);
    import_types(&import);
    import_problem(&import);
    note_types(&import);
    take_parts(&import);
    if (strcmp(import.version, "2025-09") != 0 && tree_at(&import.package, "data"))
        testdata_convert(&import, value_of(&import.problem, "validator_flags"));
    import.adapted = argc == 2 && adapt_can(&import);
    if (import.adapted)
        adapt_write(&import);
    else
        file_copy(kit, kit_text(kit, "%s/contrib/skeleton/gpu.yaml", kit->root), "gpu.yaml");
    list_todo(&import);
    made = tree_read(kit, ".");
    for (size_t i = 0; i < made.count; i++)
        if (made.items[i].folder)
            folder_make(kit, kit_text(kit, "%s/%s", folder, made.items[i].path));
        else
            file_copy(kit, made.items[i].path, kit_text(kit, "%s/%s", folder, made.items[i].path));
    if (kit_run(kit, &(struct command){ .folder = kit->root, .errors = "" }, &(struct lines){ freeze, 3 }) != 0)
        kit_fail("the digests of problems/%s are not written: see above", import.name);
    printf("%smake check-problem PROBLEM=%s\n",
           import.adapted ? "next: " : "contrib/skeleton has an example of each; then: ", import.name);
    settings_release(&import.problem);
    return 0;
}
