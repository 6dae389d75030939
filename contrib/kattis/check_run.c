/*
 * check_run.c - the programs of a package, each built and run in a box that sees the package and writes to its own
 * folder alone.
 */
#include "check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"
#include "verify/base/text.h"
#include "verify/base/tree.h"

enum { ACCEPTED = 42, REFUSED = 43 };
static const char minutes[] = "600"; /* seconds that a validator may take */

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
 * Runs a command in a folder below kit->work. It sees the package, unless it is a submission, and may write to `box`,
 * which is the folder or one above it. What it prints goes to the files.
 */
static int boxed(struct check *check, const char *folder, const char *box, bool sees, const struct command *rest,
                 struct lines words)
{
    struct command command = *rest;

    command.folder = folder;
    command.box = box;
    command.sees[0] = sees ? check->tree.folder : NULL;
    return kit_run(check->kit, &command, &words);
}

static char *in_work(struct check *check, const char *name)
{
    return kit_text(check->kit, "%s/%s", check->kit->work, name);
}

/* Compiles within a folder. What the compiler said is in kit->work/words. */
static bool compile(struct check *check, const char *folder, const char *command)
{
    char *words[] = { "sh", "-c", (char *)command };

    return boxed(check, folder, folder, true,
                 &(struct command){ .output = "/dev/null", .errors = in_work(check, "words"), .seconds = minutes },
                 (struct lines){ words, 3 }) == 0;
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

/* A program of the package, as a file `run` in the new folder `to`. Python stands as it is. */
static void program_build(struct check *check, const char *from, const char *to)
{
    const struct entry *entry = tree_at(&check->tree, from);
    bool ok = true;

    folder_make(check->kit, to);
    tree_copy(check->kit, &check->tree, from, entry->folder ? to : kit_text(check->kit, "%s/%s", to, base_name(from)));
    if (access(kit_text(check->kit, "%s/build", to), F_OK) == 0)
        ok = compile(check, to, "sh ./build");
    else if (access(kit_text(check->kit, "%s/run", to), F_OK) != 0)
        ok = compile(check, to, "find . -name '*.c' -print0 | xargs -0 cc -O2 -o run");
    CHECK(check, ok && access(kit_text(check->kit, "%s/run", to), X_OK) == 0, "%s does not build: %s", from,
          compile_words(check));
}

/* The arguments of a case, or of its group, after ./run; where they are a map, those of the program. */
static struct lines arguments_of(struct check *check, const char *stem, const char *key, const char *program)
{
    struct kit *kit = check->kit;
    const char *files[] = { kit_text(kit, "%s.yaml", stem),
                            kit_text(kit, "%.*stest_group.yaml", (int)(base_name(stem) - stem), stem) };
    const char *prefixes[] = { kit_text(kit, "%s.", key), kit_text(kit, "%s.%s.", key, program),
                               kit_text(kit, "%s.%s.", key, kit_stem(kit, program)) };
    struct lines words = { 0 };
    struct settings settings;
    struct error error;
    char *text;

    lines_add(kit, &words, "./run");
    for (size_t f = 0; f < 2; f++) {
        text = file_read(kit, files[f], NULL);
        if (!text || !strstr(kit_text(kit, "\n%s", text), kit_text(kit, "\n%s:", key)))
            continue;
        if (!settings_load(&settings, files[f], all_group_keys, &error))
            break;
        for (size_t i = 0; i < settings.count; i++)
            for (size_t p = 0; p < 3; p++) {
                const char *rest = settings.items[i].key + strlen(prefixes[p]);

                if (!starts_with(settings.items[i].key, prefixes[p]) || !rest[0] || rest[strspn(rest, "0123456789")])
                    continue;
                lines_add(kit, &words, "%s", settings.items[i].value);
                break;
            }
        settings_release(&settings);
        break;
    }
    return words;
}

static bool input_is_valid(struct check *check, const char *stem)
{
    const struct lines validators = tree_list(check->kit, &check->tree, "input_validators");

    for (size_t i = 0; i < validators.count; i++) {
        const char *folder = kit_text(check->kit, "%s/input/%zu", check->kit->work, i);
        const struct lines words = arguments_of(check, stem, "input_validator_args", base_name(validators.items[i]));

        const struct command command = { .input = kit_text(check->kit, "%s.in", stem), .seconds = minutes };

        if (boxed(check, folder, folder, true, &command, words) != ACCEPTED)
            return false;
    }
    return true;
}

/* The next word of a file in small letters; false where there is none. Longer ones come in parts. */
static bool next_word(FILE *file, char word[256])
{
    size_t length = 0;
    int c;

    while ((c = getc(file)) != EOF && isspace(c))
        ;
    for (; c != EOF && !isspace(c) && length < 255; c = getc(file))
        word[length++] = (char)tolower(c);
    if (c != EOF)
        ungetc(c, file);
    word[length] = '\0';
    return length > 0;
}

/* The default validator without arguments. */
static int compare_words(const char *answer, const char *output)
{
    FILE *a = fopen(answer, "re"), *b = fopen(output, "re");
    char left[256] = "", right[256] = "";
    bool more = a && b;

    while (more && strcmp(left, right) == 0) {
        more = next_word(a, left);
        if (next_word(b, right) != more)
            strcpy(left, more ? "" : " ");
    }
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return a && b && !more && strcmp(left, right) == 0 ? ACCEPTED : REFUSED;
}

/* The exit code of the output validator; -1 where output or answer are not there. */
static int judged(struct check *check, const char *stem, const char *output)
{
    struct kit *kit = check->kit;
    const char *folder = in_work(check, "output"), *answer = kit_text(kit, "%s.ans", stem);
    struct lines arguments, words = { 0 };

    if (access(output, F_OK) != 0 || access(answer, F_OK) != 0)
        return -1;
    if (access(kit_text(kit, "%s/program/run", folder), X_OK) != 0)
        return compare_words(answer, output);
    arguments = arguments_of(check, stem, "output_validator_args", "output_validator");
    lines_add(kit, &words, "./run");
    lines_add(kit, &words, "%s/%s.in", check->tree.folder, stem);
    lines_add(kit, &words, "%s/%s", check->tree.folder, answer);
    lines_add(kit, &words, "%s/feedback/", folder);
    for (size_t i = 1; i < arguments.count; i++)
        lines_add(kit, &words, "%s", arguments.items[i]);
    return boxed(check, kit_text(kit, "%s/program", folder), folder, true,
                 &(struct command){ .input = output, .seconds = minutes }, words);
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
    const bool valid = input_is_valid(check, stem);
    const char *output = kit_text(kit, "%s.out", stem);
    int code;

    if (starts_with(stem, "data/invalid_input/")) {
        CHECK(check, !valid, "%s.in: every input validator takes it", stem);
        return;
    }
    CHECK(check, valid, "%s.in: an input validator refuses it", stem);
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

    CHECK(check, validators.count > 0, "input_validators/ has none");
    for (size_t i = 0; i < validators.count; i++)
        program_build(check, validators.items[i], kit_text(kit, "%s/input/%zu", kit->work, i));
    folder_make(kit, in_work(check, "output/feedback"));
    if (output && output->folder)
        program_build(check, "output_validator", in_work(check, "output/program"));
    for (size_t i = 0; i < cases.count; i++)
        check_one(check, cases.items[i]);
}

/* ------------------------------------------------------------------ submissions */

static enum run_outcome run_submission(struct check *check, const char *folder, const char *stem)
{
    static char *const words[] = { "./run" };
    const char *limit = value_of(&check->problem, "limits.time_limit"), *answer = in_work(check, "answer");
    const int status = boxed(check, folder, folder, false,
                             &(struct command){ .input = kit_text(check->kit, "%s.in", stem), .output = answer,
                                                .seconds = is_float(check->kit, limit) ? limit : "10" },
                             (struct lines){ (char **)words, 1 });

    if (status == 124 || status == 137)
        return RUN_TLE;
    if (status != 0)
        return RUN_RTE;
    return judged(check, stem, answer) == ACCEPTED ? RUN_AC : RUN_WA;
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

    tree_remove(folder);
    tree_copy(kit, &check->tree, "include/c", folder);
    file_copy(kit, path, kit_text(kit, "%s/%s", folder, base_name(path)));
    if (!compile(check, folder, "cc -std=gnu17 -O2 -o run *.c -lm -lpthread")) {
        check_failed(check, "%s does not build: %s", path, compile_words(check));
        return;
    }
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
    for (size_t i = 0; i < check->tree.count; i++)
        if (!check->tree.items[i].folder &&
            kit_matches(check->kit, check->tree.items[i].path, "submissions/[^/]*/[^/]*\\.c", NULL))
            check_submission(check, check->tree.items[i].path);
}
