/*
 * adapt.c - the adapter's files with the problem's name, and lines for the package's cases.
 *
 * C++ gets the ending .cc, which is the toolkit's. Other languages stay in imported/.
 */
#include "adapt.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contrib/kattis/adapter/compare.h"
#include "program_args.h"
#include "rules.h"

#define CPP "cc|cpp|cxx|c\\+\\+|C"

/* The most that an output may have, in MiB: files in the box are no larger. */
enum { ROOM_MOST = 63 };

/* Whether its output validator, where it has one, can be built here: without that nothing can be judged. */
static bool validator_builds(struct import *import)
{
    struct kit *kit = import->kit;
    const char *log = kit_text(kit, "%s/validator.log", kit->work);
    char *words[] = { kit_text(kit, "%s/run_scripts/lib/package_program.sh", kit->root), "imported/output_validator",
                      kit_text(kit, "%s/validator", kit->work) };
    struct lines lines;

    if (access("imported/output_validator", F_OK) != 0 ||
        kit_run(kit, &(struct command){ .errors = log, .seconds = "300" }, &(struct lines){ words, 3 }) == 0)
        return true;
    lines = lines_split(kit, file_read(kit, log, NULL), "\n");
    lines_add(kit, &import->by_hand, "imported/output_validator: it does not build here: %.300s",
              lines.count ? lines.items[0] : "no words");
    return false;
}

bool adapt_can(struct import *import)
{
    return !lines_have(&import->types, "interactive") && !lines_have(&import->types, "multi-pass") &&
           !lines_have(&import->types, "submit-answer") && validator_builds(import);
}

/* A text with every WORD replaced. */
static char *replaced(struct kit *kit, char *text, const char *word, const char *by)
{
    struct lines parts = { 0 };
    char *place;

    while ((place = strstr(text, word))) {
        *place = '\0';
        lines_add(kit, &parts, "%s", text);
        text = place + strlen(word);
    }
    lines_add(kit, &parts, "%s", text);
    return lines_join(kit, &parts, by);
}

static void write_adapter(struct import *import)
{
    struct kit *kit = import->kit;
    const struct tree adapter = tree_read(kit, kit_text(kit, "%s/contrib/kattis/adapter", kit->root));
    char *large = kit_text(kit, "%s", import->name);

    for (char *c = large; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    for (size_t i = 0; i < adapter.count; i++) {
        const struct entry *entry = &adapter.items[i];
        char *text;

        if (entry->folder || strcmp(entry->path, "README.md") == 0)
            continue;
        text = file_read(kit, kit_text(kit, "%s/%s", adapter.folder, entry->path), NULL);
        text = replaced(kit, replaced(kit, text, "adapted", import->name), "ADAPTED", large);
        text = replaced(kit, text, "TIME_LIMIT", import->time_limit);
        file_write(kit, entry->path, text, strlen(text), entry->executable);
    }
}

/* ------------------------------------------------------------------ cases */

/* Where a case of imported/data lies here: groups are one folder deep, and deeper ones become part of the name. */
static char *case_path(struct kit *kit, const char *stem)
{
    char *path = kit_text(kit, "%s", stem), *first = strchr(path, '/'), *second = first ? strchr(first + 1, '/') : NULL;

    for (char *c = second ? second + 1 : path + strlen(path); *c; c++)
        if (*c == '/')
            *c = '-';
    if (starts_with(path, "sample/") && second) /* samples have no groups */
        *second = '-';
    return kit_text(kit, "data/%s", path);
}

static void write_arguments(struct import *import, const char *stem)
{
    struct kit *kit = import->kit;
    const struct lines words = program_args(kit, "imported/data", kit_text(kit, "imported/data/%s", stem),
                                            "output_validator_args", "output_validator", "");
    char *text;

    if (words.count < 2)
        return;
    text = lines_join(kit, &(struct lines){ words.items + 1, words.count - 1 }, "\n");
    file_write(kit, kit_text(kit, "imported/args/%s", stem), kit_text(kit, "%s\n", text), strlen(text) + 1, false);
}

static size_t write_cases(struct import *import)
{
    struct kit *kit = import->kit;
    const struct tree tree = tree_read(kit, "imported");
    const double limit = strtod(value_of(&import->problem, "limits.output"), NULL);
    const size_t room = (size_t)(limit > 0 ? fmin(limit, ROOM_MOST) : 8) << 20;
    size_t count = 0;

    for (size_t i = 0; i < tree.count; i++) {
        const char *path = tree.items[i].path;
        char *stem, *to, *answer, word[64];
        size_t size = 0;

        if (tree.items[i].folder || strstr(path, ".files/") ||
            !kit_matches(kit, path, "data/(sample|secret)/.*\\.in", NULL))
            continue;
        stem = kit_stem(kit, path) + strlen("data/");
        answer = file_read(kit, kit_text(kit, "imported/data/%s.ans", stem), &size);
        if (!answer || !kit_matches(kit, stem, "[A-Za-z0-9_./-]{1,230}", NULL)) {
            lines_add(kit, &import->by_hand, "data/%s: left out: %s", stem,
                      answer ? "a name of other characters" : "it has no .ans");
            continue;
        }
        to = case_path(kit, stem);
        adapted_word(answer, size, word, sizeof word);
        file_write(kit, kit_text(kit, "%s.in", to), kit_text(kit, "file %s room=%zu\n", stem, room),
                   strlen(kit_text(kit, "file %s room=%zu\n", stem, room)), false);
        file_write(kit, kit_text(kit, "%s.ans", to), kit_text(kit, "%s\n", word), strlen(word) + 1, false);
        write_arguments(import, stem);
        count++;
    }
    file_write(kit, "data/invalid_input/other-word.in", "random 5\n", 9, false);
    file_write(kit, "data/invalid_input/upwards.in", "file ../secret room=1\n", 22, false);
    return count;
}

/* How points come of cases, where the package has groups that the toolkit has, too. */
static void write_groups(struct import *import)
{
    struct kit *kit = import->kit;
    const struct tree tree = tree_read(kit, "imported");

    for (size_t i = 0; lines_have(&import->types, "scoring") && i < tree.count; i++) {
        const char *path = tree.items[i].path;
        struct lines kept = { 0 };
        struct lines lines;

        if (!kit_matches(kit, path, "data/secret/([^/]*/)?test_group\\.yaml", NULL))
            continue;
        lines = lines_split(kit, file_read(kit, kit_text(kit, "imported/%s", path), NULL), "\n");
        for (size_t k = 0; k < lines.count; k++)
            if (kit_matches(kit, lines.items[k], "(score_aggregation|max_score|require_pass): .*", NULL))
                lines_add(kit, &kept, "%s", lines.items[k]);
        if (kept.count > 0)
            file_write(kit, path, kit_text(kit, "%s\n", lines_join(kit, &kept, "\n")),
                       strlen(lines_join(kit, &kept, "\n")) + 1, false);
    }
}

/* ------------------------------------------------------------------ submissions */

/* The name that a source has here; NULL for other languages. */
static char *source_name(struct kit *kit, const char *path)
{
    char *found[KIT_GROUPS];

    if (kit_matches(kit, path, ".*\\.[ch]", NULL) || kit_matches(kit, path, ".*\\.(hh|hpp)", NULL))
        return kit_text(kit, "%s", path);
    return kit_matches(kit, path, "(.*)\\.(" CPP ")", found) ? kit_text(kit, "%s.cc", found[0]) : NULL;
}

/* Whether all of a folder, or the one file, is in languages that there are. */
static bool is_taken(struct kit *kit, const struct tree *tree, const char *path)
{
    bool any = false;

    for (size_t i = 0; i < tree->count; i++) {
        const char *each = tree->items[i].path;

        if (tree->items[i].folder ||
            (strcmp(each, path) != 0 && !starts_with(each, kit_text(kit, "%s/", path))))
            continue;
        if (!source_name(kit, each))
            return false;
        any |= !kit_matches(kit, each, ".*\\.(h|hh|hpp)", NULL);
    }
    return any;
}

static void take_submission(struct import *import, const struct tree *tree, const char *path)
{
    struct kit *kit = import->kit;

    for (size_t i = 0; i < tree->count; i++) {
        const char *each = tree->items[i].path;

        if (!tree->items[i].folder &&
            (strcmp(each, path) == 0 || starts_with(each, kit_text(kit, "%s/", path))))
            file_copy(kit, kit_text(kit, "imported/%s", each), source_name(kit, each));
    }
}

/* The first accepted one in C, or in C++, is the baseline, which is run where nobody names another. */
static void take_baseline(struct import *import, const char *path)
{
    const char *name = source_name(import->kit, path);
    const char *to = ends_with(name, ".cc") ? "submissions/accepted/baseline.cc" : "submissions/accepted/baseline.c";

    if (access(to, F_OK) != 0)
        file_copy(import->kit, kit_text(import->kit, "imported/%s", path), to);
}

static size_t write_submissions(struct import *import)
{
    struct kit *kit = import->kit;
    const struct tree tree = tree_read(kit, "imported");
    size_t count = 0, left = 0;

    for (size_t i = 0; i < tree.count; i++) {
        const char *path = tree.items[i].path;

        if (!kit_matches(kit, path, "submissions/[^/]*/[^/]*", NULL))
            continue;
        if (kit_matches(kit, path, "submissions/(accepted|wrong_answer|time_limit_exceeded|run_time_error)/.*", NULL) &&
            kit_matches(kit, path, "[A-Za-z0-9_./+-]*", NULL) && is_taken(kit, &tree, path)) {
            take_submission(import, &tree, path);
            if (!tree.items[i].folder && starts_with(path, "submissions/accepted/"))
                take_baseline(import, path);
            count++;
        } else {
            left++;
        }
    }
    if (left > 0)
        lines_add(kit, &import->by_hand, "submissions: %zu are in other languages or folders and stay in imported/; "
                  "`package.sh check PACKAGE --submissions` runs those in Python as well", left);
    if (access("submissions/accepted/baseline.c", F_OK) != 0 && access("submissions/accepted/baseline.cc", F_OK) != 0)
        lines_add(kit, &import->by_hand, "submissions/accepted/baseline.c: a program that is accepted, for `make run`");
    return count;
}

/*
 * The format's limit of memory is a whole process's. Here it is the submission's, and what a runner has comes on top
 * (limit_memory_runner): so much less is written.
 */
static void lower_memory(struct import *import)
{
    struct kit *kit = import->kit;
    const struct lines lines = lines_split(kit, file_read(kit, "problem.yaml", NULL), "\n");
    FILE *file = fopen("problem.yaml", "we");
    char *found[KIT_GROUPS];

    for (size_t i = 0; file && i < lines.count; i++)
        if (kit_matches(kit, lines.items[i], "  memory: ([0-9]{3,9})", found) && strtol(found[0], NULL, 10) >= 128)
            fprintf(file, "  memory: %ld  # the package has %s, of which a runner takes 64\n",
                    strtol(found[0], NULL, 10) - 64, found[0]);
        else
            fprintf(file, "%s\n", lines.items[i]);
    if (!file || fclose(file) != 0)
        kit_fail("cannot write problem.yaml");
}

void adapt_write(struct import *import)
{
    size_t cases, submissions;

    write_adapter(import);
    lower_memory(import);
    folder_make(import->kit, "data/sample"); /* the toolkit wants both */
    folder_make(import->kit, "data/secret");
    cases = write_cases(import);
    write_groups(import);
    submissions = write_submissions(import);
    if (cases == 0)
        lines_add(import->kit, &import->by_hand, 
                  "data: there are no cases: make them by the package's generators, and import it again");
    printf("problems/%s: judged as it is: %zu cases, %zu submissions\n", import->name, cases, submissions);
}
