/*
 * check.c - names, keys, folders and text of a package: what can be checked without running anything of it.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "contrib/grade/groups.h"
#include "rules.h"
#include "verify/base/text.h"
#include "verify/cases/keys.h"

/* The keys and values of a file; none, and a failure, where it has others. */
static struct settings keys_of(struct check *check, const char *path, const char *const *known)
{
    struct settings settings = { 0 };
    struct error error;

    if (!settings_load(&settings, path, known, &error))
        check_failed(check, "%s", error.text);
    return settings;
}

/* ------------------------------------------------------------------ text and names */

static void check_text(struct check *check, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    size_t length;
    char *text;
    bool broken = false;

    if (fd < 0 || fstat(fd, &status) != 0)
        kit_fail("cannot read '%s': %s", path, strerror(errno));
    if (status.st_size > 0) {
        const size_t size = (size_t)status.st_size;

        text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text == MAP_FAILED)
            kit_fail("cannot read '%s': %s", path, strerror(errno));
        for (size_t i = 0; i < size && !broken; i += length)
            broken = text_character(text + i, size - i, &length) == TEXT_BROKEN;
        CHECK(check, !broken, "text: %s is not UTF-8", path);
        CHECK(check, size < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0, "text: %s has a byte-order mark", path);
        CHECK(check, !memchr(text, '\r', size), "text: %s has other line endings than LF", path);
        CHECK(check, text[size - 1] == '\n', "text: %s does not end with a newline", path);
        munmap(text, size);
    }
    close(fd);
}

static void check_files(struct check *check)
{
    for (size_t i = 0; i < check->tree.count; i++) {
        const struct entry *entry = &check->tree.items[i];
        const struct part_rule *rule;

        if (!entry->folder && !kit_matches(check->kit, entry->path, ".*\\.(png|jpe?g|pdf)", NULL))
            check_text(check, entry->path);
        if (strchr(entry->path, '/'))
            continue;
        rule = part_rule(entry->path);
        if (!rule || !rule->format)
            check_failed(check, "the format has no %s", entry->path);
        else
            CHECK(check, entry->folder || strcmp(rule->name, "problem.yaml") == 0, "%s is not a folder", entry->path);
    }
}

/* ------------------------------------------------------------------ problem.yaml and the statement */

static void check_owner(struct check *check)
{
    const char *license = value_of(&check->problem, "license"), *owner = value_of(&check->problem, "rights_owner");
    bool named = owner[0] || !license[0] || strcmp(license, "unknown") == 0;

    if (strcmp(license, "public domain") == 0) {
        CHECK(check, !owner[0], "problem.yaml: a work in the public domain must have no rights_owner");
        return;
    }
    for (size_t i = 0; i < check->problem.count; i++)
        named |= check->problem.items[i].value[0] &&
                 kit_matches(check->kit, check->problem.items[i].key, "credits(\\.authors.*)?|source.*", NULL);
    CHECK(check, named, "problem.yaml: rights_owner is missing");
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The languages of the name and of the statements are the same. */
static void check_languages(struct check *check)
{
    struct kit *kit = check->kit;
    struct lines named = { 0 }, stated = { 0 };
    const struct lines statements = tree_list(kit, &check->tree, "statement");
    const char *names, *texts;
    char *found[KIT_GROUPS];

    for (size_t i = 0; i < check->problem.count; i++)
        if (starts_with(check->problem.items[i].key, "name."))
            lines_add(kit, &named, "%s", check->problem.items[i].key + 5);
    if (named.count > 0)
        qsort(named.items, named.count, sizeof *named.items, by_text);
    for (size_t i = 0; i < statements.count; i++)
        if (kit_matches(kit, statements.items[i], "statement/problem\\.(" RULE_LANGUAGE ")\\.(md|tex|pdf)", found) &&
            !tree_at(&check->tree, statements.items[i])->folder)
            lines_add(kit, &stated, "%s", found[0]);
    if (stated.count > 0)
        qsort(stated.items, stated.count, sizeof *stated.items, by_text);
    names = value_of(&check->problem, "name")[0] ? "en" : lines_join(kit, &named, " ");
    texts = lines_join(kit, &stated, " ");
    CHECK(check, stated.count > 0, "statement/ has no problem.LANGUAGE.md, .tex or .pdf");
    CHECK(check, strcmp(names, texts) == 0, "the languages of name (%s) and statement (%s) differ", names, texts);
}

static void check_problem(struct check *check)
{
    static const char *const needed[] = { "problem_format_version", "uuid" };
    struct kit *kit = check->kit;
    struct lines types;
    char *words;

    check->problem = keys_of(check, "problem.yaml", problem_yaml_keys);
    types = values_of(kit, &check->problem, "type");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!settings_string(&check->problem, needed[i]))
            check_failed(check, "problem.yaml: %s", key_rule_broken(kit, needed[i], ""));
    for (size_t i = 0; i < check->problem.count; i++)
        if ((words = key_rule_broken(kit, check->problem.items[i].key, check->problem.items[i].value)))
            check_failed(check, "problem.yaml: %s", words);
    for (size_t i = 0; i < types.count; i++)
        if (kit_matches(kit, types.items[i], RULE_TYPES, NULL))
            lines_add(kit, &check->types, "%s", types.items[i]);
    words = type_clash(kit, &check->types);
    CHECK(check, !words, "problem.yaml: type: %s cannot be", words);
    CHECK(check,
          !settings_string(&check->problem, "limits.validation_passes") || lines_have(&check->types, "multi-pass"),
          "problem.yaml: limits.validation_passes is for multi-pass problems only");
    /* A person or source that is a map has a name. */
    for (size_t i = 0; i < check->problem.count; i++) {
        const char *key = check->problem.items[i].key;

        if (kit_matches(kit, key, "(credits|source)\\..*\\.(email|orcid|kattis|url)|source\\.url", NULL))
            CHECK(check, settings_string(&check->problem, kit_text(kit, "%s.name", kit_stem(kit, key))),
                  "problem.yaml: %s has no name beside it", key);
    }
    check_owner(check);
    check_languages(check);
}

/* ------------------------------------------------------------------ test data */

/* Whether the files of a case go together. */
static void check_case(struct check *check, const char *stem)
{
    static const char *const pictures[] = { ".png", ".jpg", ".jpeg", ".svg" };
    struct kit *kit = check->kit;
    struct tree *tree = &check->tree;
    struct lines found = { 0 };

    for (size_t i = 0; i < 4; i++)
        if (tree_has(kit, tree, stem, pictures[i]))
            lines_add(kit, &found, "%s%s", stem, pictures[i]);
    CHECK(check, found.count <= 1, "%s has several illustrations: %s", stem, lines_join(kit, &found, " "));
    for (const struct pair_rule *rule = pair_rules; rule->suffix; rule++) {
        const bool other = tree_has(kit, tree, stem, rule->other);

        if (!tree_has(kit, tree, stem, rule->suffix) || other == rule->needs)
            continue;
        check_failed(check, rule->needs ? "%s%s is without %s%s" : "%s%s and %s%s cannot both be", stem, rule->suffix,
                     stem, rule->other);
    }
    if (starts_with(stem, "data/invalid_input/"))
        CHECK(check, !tree_has(kit, tree, stem, ".ans"), "%s.ans: an invalid input has no answer", stem);
    else
        CHECK(check, tree_has(kit, tree, stem, ".ans"), "%s.in has no .ans", stem);
    if (kit_matches(kit, stem, "data/(in)?valid_output/.*", NULL))
        CHECK(check, tree_has(kit, tree, stem, ".out"), "%s.in has no .out", stem);
}

static void check_group_file(struct check *check, const char *path)
{
    const bool scoring = lines_have(&check->types, "scoring") && !starts_with(path, "data/sample/");
    struct settings settings = keys_of(check, path, scoring ? scoring_group_keys : plain_group_keys);

    settings_release(&settings);
    CHECK(check,
          kit_matches(check->kit, path,
                      "data/(sample|invalid_input|invalid_output|valid_output|secret(/[^/]+)?)/test_group.yaml", NULL),
          "%s: a group must not contain groups", path);
}

static void check_data_file(struct check *check, const char *path)
{
    char *stem = kit_stem(check->kit, path);

    if (strcmp(base_name(path), "test_group.yaml") == 0) {
        check_group_file(check, path);
        return;
    }
    if (kit_matches(check->kit, path, ".*\\.(in|ans)\\.(statement|download)", NULL)) {
        stem = kit_stem(check->kit, stem);
    } else if (ends_with(path, ".yaml")) {
        struct settings settings = keys_of(check, path, case_keys);

        settings_release(&settings);
    } else if (!kit_matches(check->kit, path, ".*\\.(in|ans|out|interaction|png|jpe?g|svg)", NULL)) {
        check_failed(check, "the format has no %s", path);
        return;
    }
    CHECK(check, tree_has(check->kit, &check->tree, stem, ".in"), "%s belongs to no case", path);
    if (ends_with(path, ".in"))
        check_case(check, stem);
}

static void check_data(struct check *check)
{
    static const char folders[] = "data(/(sample|secret|invalid_input|invalid_output|valid_output)(/.*)?)?";
    struct kit *kit = check->kit;
    struct test_groups groups;
    struct error error = { 0 };
    bool cases = false, own_cases = false;

    for (size_t i = 0; i < check->tree.count; i++) {
        const struct entry *entry = &check->tree.items[i];
        const bool data = starts_with(entry->path, "data/") || strcmp(entry->path, "data") == 0;

        if (data && entry->folder)
            CHECK(check, kit_matches(kit, entry->path, folders, NULL), "the format has no %s", entry->path);
        else if (data && !strstr(entry->path, ".files/"))
            check_data_file(check, entry->path);
        if (!entry->folder && kit_matches(kit, entry->path, "data/secret/.*\\.in", NULL)) {
            cases = true;
            own_cases |= !strchr(entry->path + strlen("data/secret/"), '/');
        }
    }
    CHECK(check, !tree_has_folder(&check->tree, "data/sample", 1), "data/sample must not have groups");
    CHECK(check, !own_cases || !tree_has_folder(&check->tree, "data/secret", 1), "data/secret has cases and groups");
    CHECK(check, cases, "data/secret has no case");
    /* Values, bounds, and which groups are required: of what has the right keys. */
    if (!tree_at(&check->tree, "data/secret") || !tree_at(&check->tree, "data/secret")->folder)
        return;
    if (test_groups_read(&groups, "data", &error))
        test_groups_release(&groups);
    else
        check_failed(check, "%s%s", starts_with(error.text, "data/") ? "" : "data/", error.text);
}

/* ------------------------------------------------------------------ programs */

/* A program of one file stands for a folder of that name. */
static void check_program_names(struct check *check)
{
    bool accepted = false;

    for (size_t i = 0; i < check->tree.count; i++) {
        const char *path = check->tree.items[i].path, *stem = kit_stem(check->kit, path);

        accepted |= starts_with(path, "submissions/accepted/");
        if (check->tree.items[i].folder || strcmp(stem, path) == 0 ||
            !kit_matches(check->kit, path, "(submissions/[^/]*|input_validators)/[^/]*", NULL))
            continue;
        CHECK(check, !tree_at(&check->tree, stem) || !tree_at(&check->tree, stem)->folder,
              "%s and %s/ have the same name", path, stem);
    }
    CHECK(check, accepted, "submissions/accepted is empty");
}

int check_main(struct kit *kit, int argc, char **argv)
{
    struct check check = { .kit = kit };
    struct unpacked package;
    char *base;

    if (argc < 1 || !*argv[0] || argc > 2 || (argc == 2 && strcmp(argv[1], "--submissions") != 0))
        kit_refuse("usage: package.sh check ZIP|FOLDER [--submissions] (make check-package PACKAGE=...)");
    puts("check-package: programs in C, C++, Python and shell are run; others are only listed");
    package = archive_unpack(kit, argv[0]);
    for (size_t i = 0; i < package.ignored.count; i++)
        printf("ignored, as the format demands for such a name: '%s'\n", kit_shown(kit, package.ignored.items[i]));
    base = kit_text(kit, "%s", base_name(realpath(argv[0], kit_alloc(kit, PATH_MAX))));
    for (const char *const *end = (const char *const[]){ ".zip", ".kpp", NULL }; *end; end++)
        if (ends_with(base, *end))
            base[strlen(base) - strlen(*end)] = '\0';
    CHECK(&check, kit_matches(kit, base, "[a-z0-9]+", NULL),
          "the name of the package, '%s', has other characters than a-z and 0-9", base);
    if (tree_list(kit, &package.tree, "").count != 1 || !tree_at(&package.tree, base) ||
        !tree_at(&package.tree, base)->folder) {
        check_failed(&check, "the zip does not hold one folder of its own name, '%s'", base);
        return 1;
    }
    check.tree = tree_read(kit, kit_text(kit, "%s/%s", package.tree.folder, base));
    if (chdir(check.tree.folder) != 0)
        kit_fail("cannot enter '%s': %s", check.tree.folder, strerror(errno));
    check_files(&check);
    check_problem(&check);
    check_data(&check);
    check_validators(&check);
    check_program_names(&check);
    if (argc == 2)
        check_submissions(&check);
    settings_release(&check.problem);
    if (check.failures > 0)
        printf("check-package: %s: %zu checks failed\n", base, check.failures);
    else
        printf("check-package: %s is a package of the format 2025-09\n", base);
    return check.failures > 0;
}
