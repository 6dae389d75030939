/*
 * testdata.c - legacy packages' testdata.yaml as the test_group.yaml of 2025-09.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contrib/grade/groups.h"
#include "import.h"
#include "rules.h"
#include "verify/base/text.h"

/* A testdata.yaml, and what of it is in some test_group.yaml. */
struct testdata {
    const char *path; /* below imported/ */
    struct settings settings;
    bool taken;       /* the flags of validators */
    bool scored;      /* what it says of scores */
};

/* A conversion. The process is in the folder that becomes problems/NAME. */
struct conversion {
    struct import *import;
    struct tree tree;       /* of imported/, before */
    struct testdata *files; /* [count], by path */
    size_t count;
    bool scoring;           /* the problem is */
};

#define BY_HAND(conversion, ...) \
    lines_add((conversion)->import->kit, &(conversion)->import->by_hand, "imported/" __VA_ARGS__)

static struct testdata *testdata_at(struct conversion *conversion, const char *path)
{
    for (size_t i = 0; i < conversion->count; i++)
        if (strcmp(conversion->files[i].path, path) == 0)
            return &conversion->files[i];
    return NULL;
}

/* The group's testdata.yaml, or, as legacy has it, that of the nearest folder above; NULL where there is none. */
static struct testdata *testdata_of(struct conversion *conversion, const char *folder)
{
    struct kit *kit = conversion->import->kit;
    struct testdata *found = NULL;

    while (!(found = testdata_at(conversion, kit_text(kit, "%s/testdata.yaml", folder))) && strchr(folder, '/'))
        folder = kit_text(kit, "%.*s", (int)(base_name(folder) - folder - 1), folder);
    return found;
}

static const char *value(const struct testdata *file, const char *key)
{
    return file ? value_of(&file->settings, key) : "";
}

/* Words as elements of a list. */
static void write_words(struct conversion *conversion, FILE *out, const char *indent, const char *text)
{
    const struct lines words = lines_split(conversion->import->kit, text, " ");

    for (size_t i = 0; i < words.count; i++) {
        fprintf(out, "%s  - ", indent);
        import_quoted(out, words.items[i]);
        putc('\n', out);
    }
}

static void write_arguments(struct conversion *conversion, FILE *out, const char *key, const char *text)
{
    if (text[strspn(text, " ")])
        fprintf(out, "%s:\n", key);
    write_words(conversion, out, "", text);
}

/*
 * input_validator_args as a map, where legacy has one: {name: V, flags: FLAGS}, or {V: FLAGS} as problemtools reads it.
 */
static void write_named_arguments(struct conversion *conversion, FILE *out, const struct testdata *file,
                                  const char *folder)
{
    static const char prefix[] = "input_validator_flags.";
    const char *named = value(file, "input_validator_flags.name");
    bool headed = false;

    for (size_t i = 0; file && i < file->settings.count; i++) {
        const struct setting *item = &file->settings.items[i];
        const char *name = named[0] ? named : item->key + strlen(prefix);
        const char *flags = named[0] ? value(file, "input_validator_flags.flags") : item->value;

        if (!starts_with(item->key, prefix))
            continue;
        if (!headed)
            fputs("input_validator_args:\n", out);
        headed = true;
        if (kit_matches(conversion->import->kit, name, "[a-zA-Z0-9_][a-zA-Z0-9_.-]*", NULL)) {
            fputs("  ", out);
            import_quoted(out, name);
            fputs(flags[0] ? ":\n" : ": []\n", out);
            write_words(conversion, out, "  ", flags);
        } else {
            BY_HAND(conversion, "%s: input_validator_flags: '%s' is not a validator's name", folder, name);
        }
        if (named[0])
            return;
    }
}

static size_t count_cases(const struct conversion *conversion, const char *folder)
{
    const size_t length = strlen(folder);
    size_t cases = 0;

    for (size_t i = 0; i < conversion->tree.count; i++) {
        const struct entry *entry = &conversion->tree.items[i];

        cases += !entry->folder && starts_with(entry->path, folder) && entry->path[length] == '/' &&
                 ends_with(entry->path, ".in");
    }
    return cases;
}

/* score_aggregation and max_score of a group; what does not fit is listed. */
static void write_scores(struct conversion *conversion, FILE *out, const struct testdata *file, const char *folder)
{
    struct kit *kit = conversion->import->kit;
    const struct lines flags = lines_split(kit, value(file, "grader_flags"), " ");
    const char *range = value(file, "range"), *given = value(file, "accept_score"), *accept = given[0] ? given : "1";
    const char *how = "sum", *most = "";
    const size_t cases = count_cases(conversion, folder);
    const bool below = tree_has_folder(&conversion->tree, folder, 1);
    char *found[KIT_GROUPS];
    bool least;

    if (strcmp(value(file, "grading"), "custom") == 0)
        BY_HAND(conversion, "%s: a grader of the package's own gave the score", folder);
    for (size_t i = 0; i < flags.count; i++) /* of several modes the last one counts */
        if (kit_matches(kit, flags.items[i], "sum|min|max|avg", NULL))
            how = flags.items[i];
    if (strcmp(how, "max") == 0 || strcmp(how, "avg") == 0) {
        BY_HAND(conversion, "%s: '%s' is not a score_aggregation of 2025-09", folder, how);
        how = "sum";
    }
    least = strcmp(how, "min") == 0;
    for (size_t i = 0; i < flags.count; i++) /* of the verdicts the worst is reported, as legacy's worst_error has it */
        if (!kit_matches(kit, flags.items[i], "sum|min|max|avg|worst_error", NULL))
            BY_HAND(conversion, "%s: grader_flags: '%s' is left out", folder, flags.items[i]);
    if (!kit_matches(kit, value(file, "reject_score"), "0?", NULL))
        BY_HAND(conversion, "%s: a failed case is worth 0, and was worth something else", folder);
    /* The least bound that is given: that of the range, or what all cases give together. */
    if (kit_matches(kit, range, "[^ ]+ +\\+?([0-9]{1,9})(\\.0+)?", found))
        most = found[0];
    if (range[0] && !(most[0] && kit_matches(kit, range, "(0|-inf) .*", NULL)) &&
        !kit_matches(kit, range, "(0|-inf) +\\+?inf", NULL))
        BY_HAND(conversion, "%s: range: '%s': scores are from 0 up to a whole number", folder, range);
    if (!most[0] && !below && kit_matches(kit, accept, "[0-9]{1,9}", NULL))
        most = kit_text(kit, "%llu", strtoull(accept, NULL, 10) * (least ? 1 : cases));
    if (most[0] && !below && given[0] && strtod(most, NULL) != strtod(given, NULL) * (least ? 1 : (double)cases))
        BY_HAND(conversion, "%s: accept_score: '%s' is left out: its %zu cases are worth %s together", folder, given,
             cases, most);
    if (!most[0] && !below && !range[0])
        BY_HAND(conversion, "%s: accept_score: '%s' is left out: max_score is a whole number", folder, accept);
    if (!least && strcmp(value(file, "on_reject"), "continue") != 0)
        BY_HAND(conversion, "%s: it stopped at the first %s", folder,
             below ? "group that failed; here every group counts"
                   : "case that failed; here every case that passes counts");
    fprintf(out, "score_aggregation: %s\nmax_score: %s\n", how, most[0] ? most : "unbounded");
}

/* The test_group.yaml of a folder: "data/sample", "data/secret", or a group of secret. */
static void convert_group(struct conversion *conversion, const char *folder, const char *flags)
{
    struct kit *kit = conversion->import->kit;
    const struct entry *entry = tree_at(&conversion->tree, folder);
    const char *path = kit_text(kit, "imported/%s/test_group.yaml", folder), *own;
    const bool scored = conversion->scoring && strcmp(folder, "data/sample") != 0;
    struct testdata *file;
    char *text = NULL;
    size_t size = 0;
    FILE *out;

    if (!entry || !entry->folder || ends_with(folder, ".files") || access(path, F_OK) == 0)
        return;
    file = testdata_of(conversion, folder);
    if (file) {
        file->taken = true;
        file->scored |= scored;
    }
    out = open_memstream(&text, &size);
    if (!out)
        kit_fail("out of memory");
    /* A map has the name of the validator too, but 2025-09 has one. */
    own = value(file, "output_validator_flags");
    own = own[0] ? own : value(file, "output_validator_flags.flags");
    write_arguments(conversion, out, "output_validator_args", kit_text(kit, "%s %s", flags, own));
    write_arguments(conversion, out, "input_validator_args", value(file, "input_validator_flags"));
    write_named_arguments(conversion, out, file, folder);
    if (scored)
        write_scores(conversion, out, file, folder);
    if (fclose(out) != 0)
        kit_fail("out of memory");
    if (size > 0)
        file_write(kit, path, text, size, false);
    free(text);
}

/* What of every testdata.yaml has come into no test_group.yaml. Defaults say nothing. */
static void list_left(struct conversion *conversion)
{
    static const char *const defaults[][2] = {
        { "on_reject", "break" }, { "grading", "default" }, { "accept_score", "1" }, { "reject_score", "0" },
        { "range", "-inf +inf" },
    };

    for (size_t i = 0; i < conversion->count; i++) {
        const struct testdata *file = &conversion->files[i];

        for (size_t k = 0; k < file->settings.count; k++) {
            const struct setting *item = &file->settings.items[k];
            const bool flags = strstr(item->key, "put_validator_flags");
            bool listed = flags ? !file->taken : item->value[0] && !file->scored;

            for (size_t d = 0; d < sizeof defaults / sizeof *defaults; d++)
                listed &= strcmp(item->key, defaults[d][0]) != 0 || strcmp(item->value, defaults[d][1]) != 0;
            if (listed)
                BY_HAND(conversion, "%s: %s: '%s' is left out", file->path, item->key, item->value);
        }
    }
}

/* A text as what stands between the quotes of a YAML string, without line ends at its end; NULL if it is not UTF-8. */
static char *yaml_text(struct kit *kit, const char *text, size_t size)
{
    char *quoted = kit_alloc(kit, 2 * size + 1), *end = quoted;
    size_t length;

    while (size > 0 && text[size - 1] == '\n')
        size--;
    for (size_t i = 0; i < size; i += length) {
        const uint32_t character = text_character(text + i, size - i, &length);

        if (character == TEXT_BROKEN)
            return NULL;
        if (character == '\n' || character == '\t')
            end = stpcpy(end, character == '\n' ? "\\n" : "\\t");
        else if (!text_steers(character)) {
            if (character == '"' || character == '\\')
                *end++ = '\\';
            end = mempcpy(end, text + i, length);
        }
    }
    return quoted;
}

/* NAME.hint and NAME.desc as keys of NAME.yaml. */
static void convert_annotation(struct conversion *conversion, const char *path)
{
    struct kit *kit = conversion->import->kit;
    const char *stem = kit_stem(kit, path), *yaml = kit_text(kit, "imported/%s.yaml", stem);
    const char *from = kit_text(kit, "imported/%s", path);
    size_t size = 0;
    char *text = file_read(kit, from, &size), *given = file_read(kit, yaml, NULL);

    text = text && tree_has(kit, &conversion->tree, stem, ".in") ? yaml_text(kit, text, size) : NULL;
    if (!text) {
        BY_HAND(conversion, "%s: it belongs to no case, or is not UTF-8: it is left as it is", path);
        return;
    }
    text = kit_text(kit, "%s%s: \"%s\"\n", given ? given : "", ends_with(path, ".hint") ? "hint" : "description", text);
    file_write(kit, yaml, text, strlen(text), false);
    unlink(from);
}

/* Every testdata.yaml, or the program ends. */
static void load_files(struct conversion *conversion)
{
    struct kit *kit = conversion->import->kit;

    conversion->files = kit_alloc(kit, (conversion->tree.count + 1) * sizeof *conversion->files);
    for (size_t i = 0; i < conversion->tree.count; i++) {
        const char *path = conversion->tree.items[i].path;
        struct testdata *file = &conversion->files[conversion->count];
        struct error error;

        if (!starts_with(path, "data/") || strcmp(base_name(path), "testdata.yaml") != 0 ||
            conversion->tree.items[i].folder)
            continue;
        if (!settings_load(&file->settings, kit_text(kit, "imported/%s", path), testdata_keys, &error)) {
            const char *words = strstr(error.text, "testdata.yaml:");

            kit_refuse("%s: %s", path, words ? words + strlen("testdata.yaml:") : error.text);
        }
        file->path = path;
        conversion->count++;
        if (!settings_show(&file->settings, &error))
            kit_end(&error);
    }
}

void testdata_convert(struct import *import, const char *flags)
{
    struct kit *kit = import->kit;
    struct conversion conversion = { .import = import, .tree = tree_read(kit, "imported"),
                                     .scoring = lines_have(&import->types, "scoring") };
    const struct lines groups = tree_list(kit, &conversion.tree, "data/secret");
    struct test_groups read;
    struct error error;

    load_files(&conversion);
    convert_group(&conversion, "data/sample", flags);
    convert_group(&conversion, "data/secret", flags);
    for (size_t i = 0; i < groups.count; i++)
        convert_group(&conversion, groups.items[i], flags);
    if (tree_has_folder(&conversion.tree, "data/secret", 2))
        BY_HAND(&conversion, "data/secret: groups in groups: 2025-09 has one level");
    if (tree_has_folder(&conversion.tree, "data/sample", 1))
        BY_HAND(&conversion, "data/sample: groups, which 2025-09 has not there");
    list_left(&conversion);
    for (size_t i = 0; i < conversion.tree.count; i++)
        if (!conversion.tree.items[i].folder && !strstr(conversion.tree.items[i].path, ".files/") &&
            kit_matches(kit, conversion.tree.items[i].path, "data/.*\\.(hint|desc)", NULL))
            convert_annotation(&conversion, conversion.tree.items[i].path);
    for (size_t i = 0; i < conversion.count; i++) {
        unlink(kit_text(kit, "imported/%s", conversion.files[i].path));
        settings_release(&conversion.files[i].settings);
    }
    if (!tree_at(&conversion.tree, "data/secret"))
        return;
    if (test_groups_read(&read, "imported/data", &error))
        test_groups_release(&read);
    else
        BY_HAND(&conversion, "data: %s", starts_with(error.text, "imported/data/") ? error.text + 14 : error.text);
}
