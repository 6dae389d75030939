/*
 * check_run.c - the programs of a package, each built and run in a box that sees the package and writes to its own
 * folder alone.
 */
#include "check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/kattis/adapter/compare.h"
#include "program_args.h"
#include "rules.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { ACCEPTED = 42, REFUSED = 43, NO_COMPILER = 4, STOPPED = 124, KILLED = 137 };

/* Seconds that a program of the package may take, or a compiler. */
static const char *time_limit(void)
{
    const char *given = getenv("PACKAGE_SECONDS");

    return given && given[0] ? given : "600";
}

void check_failed(struct check *check, const char *format, ...)
{
    char text[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_defuse(text, sizeof text);
    printf("FAILED %s\n", text);
    check->failures++;
}

/*
 * Runs a compiler or validator. One that is ended by the limit is the last one: a package may have thousands of cases,
 * and each would take as long.
 */
static int run_limited(struct check *check, const struct command *rest, const struct lines *words)
{
    struct command command = *rest;
    int code;

    if (check->stopped)
        return STOPPED;
    command.seconds = time_limit();
    code = kit_run(check->kit, &command, words);
    check->stopped = code == STOPPED || code == KILLED;
    CHECK(check, !check->stopped, "a program of the package ran for more than %s s: no other one is run",
          command.seconds);
    return code;
}

/*
 * Runs a command in a folder below kit->work. It sees the package, unless it is a submission, and may write to `box`,
 * which is the folder or one above it. What it prints goes to the files. Without a limit of its own it has that of
 * run_limited().
 */
static int boxed(struct check *check, const char *folder, const char *box, bool sees, const struct command *rest,
                 struct lines words)
{
    struct command command = *rest;

    command.folder = folder;
    command.box = box;
    command.sees[0] = sees ? check->tree.folder : NULL;
    return command.seconds ? kit_run(check->kit, &command, &words) : run_limited(check, &command, &words);
}

static char *in_work(struct check *check, const char *name)
{
    return kit_text(check->kit, "%s/%s", check->kit->work, name);
}

/* A line of what the compiler said: the one that says best what is wrong, or the last. */
static char *compile_words(struct check *check)
{
    char *log = file_read(check->kit, in_work(check, "words"), NULL), *last;
    const char *best;
    size_t length;

    if (!log)
        return "";
    if ((best = text_compile_error(log, &length)))
        return kit_text(check->kit, "%.*s", (int)length, best);
    while ((last = strrchr(log, '\n')) && !last[1])
        *last = '\0';
    return last ? last + 1 : log;
}

/* Makes `run` of the sources in a folder. False where that fails; *none: no compiler here takes them. */
static bool program_make(struct check *check, const char *folder, const char *name, bool *none)
{
    char *words[] = { "sh", kit_text(check->kit, "%s/contrib/kattis/program_build.sh", check->kit->root),
                      (char *)name };
    const struct command command = { .output = "/dev/null", .errors = in_work(check, "words"),
                                     .folder = folder, .box = folder, .sees = { check->tree.folder, words[1] } };
    const int code = run_limited(check, &command, &(struct lines){ words, 3 });
    const int run = tree_open(folder, "run"); /* where the package's `build` put a link, its target is not touched */
    const bool ok = code == 0 && run >= 0 && fchmod(run, 0755) == 0; /* the box may forbid that */

    *none = code == NO_COMPILER;
    if (run >= 0)
        close(run);
    return ok;
}

/* A program of the package, as a file `run` in the new folder `to`. False where it is not. */
static bool program_build(struct check *check, const char *from, const char *to)
{
    const struct entry *entry = tree_at(&check->tree, from);
    bool none, ok;

    folder_make(check->kit, to);
    tree_copy(check->kit, &check->tree, from, entry->folder ? to : kit_text(check->kit, "%s/%s", to, base_name(from)));
    ok = program_make(check, to, "", &none);
    if (none)
        printf("not checked: %s: %s\n", from, compile_words(check));
    CHECK(check, ok || none, "%s does not build: %s", from, compile_words(check));
    return ok;
}

/* Whether all validators that could be built take it; *any: there is one. */
static bool input_is_valid(struct check *check, const char *stem, bool *any)
{
    const struct lines validators = tree_list(check->kit, &check->tree, "input_validators");

    *any = false;
    for (size_t i = 0; i < validators.count; i++) {
        const char *folder = kit_text(check->kit, "%s/input/%zu", check->kit->work, i);
        const struct lines words = program_args(check->kit, "data", stem, "input_validator_args",
                                                base_name(validators.items[i]), "./run");
        const struct command command = { .input = kit_text(check->kit, "%s.in", stem) };

        if (access(kit_text(check->kit, "%s/run", folder), X_OK) != 0)
            continue;
        *any = true;
        if (boxed(check, folder, folder, true, &command, words) != ACCEPTED)
            return false;
    }
    return true;
}

/* The default validator. */
static int compare_words(struct check *check, const char *answer, const char *output, const struct lines *arguments)
{
    struct adapted_rules rules;
    size_t right_size = 0, given_size = 0;
    const char *right = file_read(check->kit, answer, &right_size), *given = file_read(check->kit, output, &given_size);
    const char *unknown = "";
    char words[256];

    if (!adapted_rules_read(&rules, arguments->count - 1, (const char *const *)arguments->items + 1, &unknown)) {
        check_failed(check, "%s: the default output validator has no argument '%s', or it lacks its number", answer,
                     unknown);
        return REFUSED;
    }
    return right && given && adapted_compare(&rules, right, right_size, given, given_size, words, sizeof words)
               ? ACCEPTED : REFUSED;
}

/*
 * The exit code of the output validator; -1 where output or answer are not there. Where the package has one that could
 * not be built, nothing is held against an output.
 */
static int judged(struct check *check, const char *stem, const char *output)
{
    struct kit *kit = check->kit;
    const char *folder = in_work(check, "output"), *answer = kit_text(kit, "%s.ans", stem);
    struct lines arguments, words = { 0 };

    if (access(output, F_OK) != 0 || access(answer, F_OK) != 0)
        return -1;
    if (check->no_validator)
        return ACCEPTED;
    arguments = program_args(kit, "data", stem, "output_validator_args", "output_validator", "./run");
    if (access(kit_text(kit, "%s/program/run", folder), X_OK) != 0)
        return compare_words(check, answer, output, &arguments);
    lines_add(kit, &words, "./run");
    lines_add(kit, &words, "%s/%s.in", check->tree.folder, stem);
    lines_add(kit, &words, "%s/%s", check->tree.folder, answer);
    lines_add(kit, &words, "%s/feedback/", folder);
    for (size_t i = 1; i < arguments.count; i++)
        lines_add(kit, &words, "%s", arguments.items[i]);
    return boxed(check, kit_text(kit, "%s/program", folder), folder, true,
                 &(struct command){ .input = output }, words);
}

/* The cases, as paths without .in. */
static struct lines list_cases(struct check *check, const char *pattern)
{
    struct lines cases = { 0 };

    for (size_t i = 0; i < check->tree.count; i++) {
        const struct entry *entry = &check->tree.items[i];

        if (!entry->folder && kit_matches(check->kit, entry->path, pattern, NULL) && !strstr(entry->path, ".files/"))
            lines_add(check->kit, &cases, "%s", kit_stem(check->kit, entry->path));
    }
    return cases;
}

static void check_one(struct check *check, const char *stem)
{
    struct kit *kit = check->kit;
    bool any;
    const bool valid = input_is_valid(check, stem, &any);
    const char *output = kit_text(kit, "%s.out", stem);
    int code;

    if (starts_with(stem, "data/invalid_input/")) {
        CHECK(check, !valid || !any, "%s.in: every input validator accepts it", stem);
        return;
    }
    CHECK(check, valid, "%s.in: an input validator rejects it", stem);
    if (starts_with(stem, "data/invalid_output/")) {
        CHECK(check, judged(check, stem, output) == REFUSED, "%s is not rejected", output);
        return;
    }
    /* What a sample shows in place of its answer is what must be right; what comes of a dialogue is in no file. */
    if (lines_have(&check->types, "interactive") || lines_have(&check->types, "multi-pass") ||
        tree_has(kit, &check->tree, stem, ".ans.statement"))
        return;
    if (!tree_has(kit, &check->tree, stem, ".out"))
        output = kit_text(kit, "%s.ans", stem);
    code = judged(check, stem, output);
    CHECK(check, code == ACCEPTED, "%s is not accepted: the output validator ends with %s", output,
          code < 0 ? "nothing" : kit_text(kit, "%d", code));
}

void check_validators(struct check *check)
{
    struct kit *kit = check->kit;
    const struct lines validators = tree_list(kit, &check->tree, "input_validators");
    const struct entry *output = tree_at(&check->tree, "output_validator");
    const struct lines cases = list_cases(check, "data/.*\\.in");

    CHECK(check, validators.count > 0, "input_validators/ is empty");
    for (size_t i = 0; i < validators.count; i++)
        program_build(check, validators.items[i], kit_text(kit, "%s/input/%zu", kit->work, i));
    folder_make(kit, in_work(check, "output/feedback"));
    if (output && output->folder)
        check->no_validator = !program_build(check, "output_validator", in_work(check, "output/program"));
    for (size_t i = 0; i < cases.count && !check->stopped; i++)
        check_one(check, cases.items[i]);
}

/* ------------------------------------------------------------------ submissions */

static enum run_outcome run_submission(struct check *check, const char *folder, const char *stem)
{
    static char *const words[] = { "./run" };
    const char *own = value_of(&check->problem, "limits.time_limit"), *answer = in_work(check, "answer");
    const char *limit = !is_float(check->kit, own)                    ? "10"
                        : strtod(own, NULL) < strtod(time_limit(), NULL) ? own
                                                                         : time_limit();
    const int status = boxed(check, folder, folder, false,
                             &(struct command){ .input = kit_text(check->kit, "%s.in", stem), .output = answer,
                                                .seconds = limit },
                             (struct lines){ (char **)words, 1 });

    if (status == 124 || status == 137)
        return RUN_TLE;
    if (status != 0)
        return RUN_RTE;
    return judged(check, stem, answer) == ACCEPTED ? RUN_AC : RUN_WA;
}

/* The submission's files and those that the package adds to each of its language, built. */
static bool submission_build(struct check *check, const char *path, const char *folder)
{
    static const char *const endings[][2] = {
        { ".*\\.c", "c" }, { ".*\\.(cc|cpp|cxx|C)", "cpp" }, { ".*\\.py[23]?", "python3" },
    };
    struct kit *kit = check->kit;
    const struct entry *entry = tree_at(&check->tree, path);
    bool none, ok;

    tree_remove(folder);
    folder_make(kit, folder);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (kit_matches(kit, path, endings[i][0], NULL))
            tree_copy(kit, &check->tree, kit_text(kit, "include/%s", endings[i][1]), folder);
    tree_copy(kit, &check->tree, "include/default", folder);
    tree_copy(kit, &check->tree, path, entry->folder ? folder : kit_text(kit, "%s/%s", folder, base_name(path)));
    ok = program_make(check, folder, entry->folder ? "" : base_name(path), &none);
    if (none)
        printf("not checked: %s: %s\n", path, compile_words(check));
    CHECK(check, ok || none, "%s does not build: %s", path, compile_words(check));
    return ok;
}

static void check_submission(struct check *check, const char *path)
{
    static const char *const names[] = { [RUN_AC] = "AC", [RUN_WA] = "WA", [RUN_TLE] = "TLE",
                                         [RUN_RTE] = "RTE" };
    struct kit *kit = check->kit;
    const char *folder = in_work(check, "submission");
    const struct lines cases = list_cases(check, "data/(sample|secret)/.*\\.in");
    const struct outcome_rule *rule = outcome_rules;
    struct lines outcomes = { 0 };
    unsigned all = 0;

    if (!submission_build(check, path, folder))
        return;
    /* One case that is too slow is enough, and the others would take as long. */
    for (size_t i = 0; i < cases.count && !(all & RUN_TLE); i++) {
        const enum run_outcome outcome = run_submission(check, folder, cases.items[i]);

        all |= outcome;
        lines_add(kit, &outcomes, "%s", names[outcome]);
    }
    while (rule->folder && !starts_with(path, kit_text(kit, "submissions/%s/", rule->folder)))
        rule++;
    CHECK(check, (!rule->one_of || (all & rule->one_of)) && !(all & rule->none_of), "%s: %s", path,
          lines_join(kit, &outcomes, " "));
}

void check_submissions(struct check *check)
{
    struct kit *kit = check->kit;

    if (check->no_validator) {
        printf("not checked: submissions: the output validator could not be built here\n");
        return;
    }
    for (size_t i = 0; i < check->tree.count && !check->stopped; i++)
        if (kit_matches(kit, check->tree.items[i].path, "submissions/[^/]*/[^/]*", NULL))
            check_submission(check, check->tree.items[i].path);
}
