/*
 * import_yaml.c - problem.yaml of a package, in the words of the format 2025-09. What is not taken is listed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "import.h"
#include "rules.h"
#include "verify/base/text.h"

static const char *value(const struct import *import, const char *key) { return value_of(&import->problem, key); }

/* A key, or those that match a pattern, are in the new file or say nothing new. */
static void take_key(struct import *import, const char *key)
{
    for (size_t i = 0; i < import->problem.count; i++)
        import->taken[i] |= strcmp(import->problem.items[i].key, key) == 0;
}

static void take(struct import *import, const char *pattern)
{
    for (size_t i = 0; i < import->problem.count; i++)
        import->taken[i] |= kit_matches(import->kit, import->problem.items[i].key, pattern, NULL);
}

#define BY_HAND(import, ...) lines_add((import)->kit, &(import)->by_hand, "problem.yaml: " __VA_ARGS__)

void import_quoted(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++)
        fprintf(file, strchr("\\\"", *text) ? "\\%c" : "%c", *text);
    putc('"', file);
}

/* The items, keys of letters, digits, - and _ between dots, as YAML again. */
static void write_tree(struct import *import, FILE *file, const struct setting *items, size_t count)
{
    struct lines last = { 0 };

    for (size_t n = 0; n < count; n++) {
        const struct lines key = lines_split(import->kit, items[n].key, ".");
        size_t common = 0;
        bool in_line = false;

        while (common < key.count && common < last.count && strcmp(key.items[common], last.items[common]) == 0)
            common++;
        for (size_t i = common; i < key.count; i++) {
            if (!in_line)
                fprintf(file, "%*s", (int)(2 * i), "");
            in_line = key.items[i][strspn(key.items[i], "0123456789")] == '\0';
            fprintf(file, "%s%s", in_line ? "-" : key.items[i], in_line ? " " : i + 1 < key.count ? ":\n" : ": ");
        }
        last = key;
        import_quoted(file, items[n].value);
        putc('\n', file);
    }
}

/* ------------------------------------------------------------------ names */

/* A name without what only LaTeX understands. */
static char *plain(struct kit *kit, const char *name)
{
    char *text = kit_alloc(kit, strlen(name) + 1), *end = text;

    while (*name == ' ')
        name++;
    for (; *name; name++) {
        if (*name == '\\' && isalpha((unsigned char)name[1])) {
            while (isalpha((unsigned char)name[1]))
                name++;
            name += strspn(name + 1, " ");
        } else if (!strchr("\\{}$", *name)) {
            *end++ = *name == '~' ? ' ' : *name;
        }
    }
    while (end > text && end[-1] == ' ')
        *--end = '\0';
    return text + strspn(text, " ");
}

/* What is between the braces of the line's last \problemname{...}, or NULL. */
static char *problem_name(struct kit *kit, const char *line)
{
    static const char command[] = "\\problemname{";
    const char *start = NULL, *end;
    int depth = 1;

    for (const char *next = line; (next = strstr(next, command)); start = next += strlen(command))
        ;
    for (end = start; end && *end && (depth += (*end == '{') - (*end == '}')) > 0; end++)
        ;
    return end && *end ? kit_text(kit, "%.*s", (int)(end - start), start) : NULL;
}

/* The name that a legacy statement has: for people, or else in LaTeX; NULL where it has none. */
static char *name_in_statement(struct kit *kit, const char *path)
{
    char *text = file_read(kit, path, NULL), *found[KIT_GROUPS], *name = NULL;
    const struct lines lines = lines_split(kit, text ? text : "", "\n");

    for (size_t i = 0; i < lines.count; i++)
        if (strstr(lines.items[i], "plainproblemname:") &&
            kit_matches(kit, lines.items[i], ".*%% *plainproblemname: *(.*[^ ]) *", found))
            return found[0];
    for (size_t i = 0; i < lines.count && !name; i++)
        name = problem_name(kit, lines.items[i]);
    return name ? plain(kit, name) : NULL;
}

/*
 * The problem's name in a language. A legacy name stands in problem.yaml for one of the languages, and in each
 * statement, with LaTeX and, where that is more than text, without.
 */
static char *name_in(struct import *import, const char *language)
{
    struct kit *kit = import->kit;
    const char *found = value(import, kit_text(kit, "name.%s", language)), *latex;

    if (!found[0] && (strcmp(language, "en") == 0 || import->languages.count == 1))
        found = value(import, "name");
    if (!found[0])
        found = name_in_statement(kit, kit_text(kit, "statement/problem.%s.tex", language));
    if (!found || !found[0])
        found = value(import, "name");
    for (latex = found; (latex = strchr(latex, '\\')) && !isalpha((unsigned char)latex[1]); latex++)
        ;
    if (latex || (strchr(found, '$') && strchr(strchr(found, '$') + 1, '$')))
        found = plain(kit, found);
    return kit_shown(kit, found[0] ? found : import->name);
}

static void write_names(struct import *import, FILE *file)
{
    static char *const english[] = { "en" };
    const struct lines languages = import->languages.count ? import->languages : (struct lines){ (char **)english, 1 };
    const char *given = value(import, "name");

    fputs("name:\n", file);
    for (size_t i = 0; i < languages.count; i++) {
        const char *name = name_in(import, languages.items[i]);

        fprintf(file, "  %s: ", languages.items[i]);
        import_quoted(file, name);
        putc('\n', file);
        take_key(import, kit_text(import->kit, "name.%s", languages.items[i]));
        if (strcmp(name, given) == 0 || strcmp(name, plain(import->kit, given)) == 0)
            take_key(import, "name");
    }
}

/* ------------------------------------------------------------------ types */

void import_types(struct import *import)
{
    struct kit *kit = import->kit;
    const struct lines given = values_of(kit, &import->problem, "type");
    const struct lines ways = lines_split(kit, value(import, "validation"), " ");
    struct lines types = { 0 };

    for (size_t i = 0; i < given.count; i++) {
        if (kit_matches(kit, given.items[i], RULE_TYPES, NULL))
            lines_add(kit, &types, "%s", given.items[i]);
        else
            BY_HAND(import, "type: '%s' is not a type of the format", given.items[i]);
    }
    /* Legacy has some of them as ways of validation. */
    for (size_t i = 0; i < ways.count; i++) {
        const char *way = strcmp(ways.items[i], "score") == 0 ? "scoring" : ways.items[i];

        if (!kit_matches(kit, ways.items[i], "default|custom|score|interactive|multi-pass", NULL))
            BY_HAND(import, "validation: '%s' is unknown", ways.items[i]);
        if (kit_matches(kit, way, "scoring|interactive|multi-pass", NULL) && !lines_have(&types, way))
            lines_add(kit, &types, "%s", way);
    }
    if (types.count == 0)
        lines_add(kit, &types, "pass-fail");
    /* What a validator says of scores makes a problem one with scores, whatever the type's default. */
    for (size_t i = 0; i < types.count; i++)
        if (strcmp(types.items[i], "pass-fail") != 0 || !lines_have(&types, "scoring"))
            lines_add(kit, &import->types, "%s", types.items[i]);
    take(import, "problem_format_version|type(\\.[0-9]+)?|source_url|validation");
}

static void write_list(struct import *import, FILE *file, const char *key, const struct lines *words)
{
    fprintf(file, words->count == 1 ? "%s: %s\n" : "%s: [%s]\n", key, lines_join(import->kit, words, ", "));
}

/* ------------------------------------------------------------------ people and sources */

/* The legacy authors, in one line, split at commas and "and". */
static struct lines split_authors(struct kit *kit, const char *text)
{
    struct lines authors = { 0 };
    const char *start = text;

    for (;; text++) {
        const char *rest = text + (*text == ',');
        size_t spaces = strspn(rest, " "), skipped = 0;

        if (spaces > 0 && starts_with(rest + spaces, "and "))
            skipped = (size_t)(rest - text) + spaces + 3 + strspn(rest + spaces + 3, " ");
        else if (*text == ',')
            skipped = 1 + spaces;
        else if (*text)
            continue;
        if (strspn(start, " ") < (size_t)(text - start))
            lines_add(kit, &authors, "%.*s", (int)(text - start), start);
        if (!*text)
            return authors;
        start = text + skipped;
        text = start - 1;
    }
}

/* Credits and sources: the items that the format has, with what legacy says. */
static void write_people(struct import *import, FILE *file)
{
    struct kit *kit = import->kit;
    const struct settings *problem = &import->problem;
    const struct lines authors = split_authors(kit, value(import, "author"));
    struct setting *items = kit_alloc(kit, (problem->count + authors.count + 2) * sizeof *items);
    const char *source = value(import, "source"), *url = value(import, "source_url");
    size_t count = 0;
    bool credits = false;

    for (size_t i = 0; i < problem->count; i++) {
        credits |= starts_with(problem->items[i].key, "credits");
        if (problem->items[i].value[0] && kit_matches(kit, problem->items[i].key, RULE_CREDITS, NULL))
            items[count++] = problem->items[i];
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].key, "credits") == 0)
            items[i].key = "credits.authors";
    for (size_t i = 0; !credits && i < authors.count; i++)
        items[count++] = (struct setting){ kit_text(kit, "credits.authors.%zu", i), authors.items[i], 0 };
    if (!credits)
        take_key(import, "author");
    write_tree(import, file, items, count);
    count = 0;
    if (source[0] && url[0]) {
        items[count++] = (struct setting){ "source.name", (char *)source, 0 };
        items[count++] = (struct setting){ "source.url", (char *)url, 0 };
    }
    for (size_t i = 0; !(source[0] && url[0]) && i < problem->count; i++)
        if (problem->items[i].value[0] && kit_matches(kit, problem->items[i].key, RULE_SOURCE, NULL))
            items[count++] = problem->items[i];
    write_tree(import, file, items, count);
    take(import, RULE_CREDITS "|" RULE_SOURCE);
    if (url[0] && !source[0])
        BY_HAND(import, "source_url: '%s' is left out: a source has a name", url);
}

static void write_license(struct import *import, FILE *file)
{
    const char *license = value(import, "license"), *owner = value(import, "rights_owner");
    bool named = owner[0];

    if (!license[0])
        license = "unknown";
    if (!kit_matches(import->kit, license, RULE_LICENSES, NULL)) {
        BY_HAND(import, "license: '%s' is not a license of the format", license);
        license = "unknown";
    }
    fprintf(file, "license: %s\n", license);
    take_key(import, "license");
    if (owner[0] && strcmp(license, "public domain") != 0) {
        fputs("rights_owner: ", file);
        import_quoted(file, owner);
        putc('\n', file);
        take_key(import, "rights_owner");
    }
    for (size_t i = 0; i < import->problem.count; i++)
        named |= import->problem.items[i].value[0] &&
                 kit_matches(import->kit, import->problem.items[i].key, "author|credits(\\.authors.*)?|source.*", NULL);
    if (!named && !kit_matches(import->kit, license, "unknown|public domain", NULL))
        BY_HAND(import, "rights_owner: '%s' needs one", license);
}

/* ------------------------------------------------------------------ limits, languages, constants */

/* A key with its value as it is, where a rule allows it. */
static bool write_valid(struct import *import, FILE *file, const char *indent, const char *name, const char *key,
                        const char *otherwise)
{
    const char *given = value(import, key);

    if (given[0] && !key_rule_broken(import->kit, key, given))
        take_key(import, key);
    else if (given[0] || !otherwise)
        return false;
    fprintf(file, "%s%s: %s\n", indent, name, given[0] ? given : otherwise);
    return true;
}

static void write_limits(struct import *import, FILE *file)
{
    static const char *const whole[][2] = {
        { "memory", "2048" }, { "output", "8" }, { "code", NULL }, { "compilation_time", NULL },
        { "compilation_memory", NULL }, { "validation_time", NULL }, { "validation_memory", NULL },
        { "validation_output", NULL }, { "time_resolution", NULL }, { "validation_passes", NULL },
    };
    /* What legacy calls multiplier and safety margin, 2025-09 has by other names. */
    static const char *const multipliers[][2] = {
        { "ac_to_time_limit", "time_multiplier" }, { "time_limit_to_tle", "time_safety_margin" }
    };
    struct kit *kit = import->kit;
    bool headed = false;

    fprintf(file, "limits:\n  time_limit: %s\n", import->time_limit);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(whole[i][0], "validation_passes") != 0 || lines_have(&import->types, "multi-pass"))
            write_valid(import, file, "  ", whole[i][0], kit_text(kit, "limits.%s", whole[i][0]), whole[i][1]);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            const char *key = kit_text(kit, "limits.%s%s", k == 0 ? "time_multipliers." : "", multipliers[i][k]);

            if (!is_float_from_1(kit, value(import, key)))
                continue;
            fprintf(file, "%s    %s: %s\n", headed ? "" : "  time_multipliers:\n", multipliers[i][0],
                    value(import, key));
            headed = true;
            take_key(import, key);
            break;
        }
}

static void write_languages(struct import *import, FILE *file)
{
    struct kit *kit = import->kit;
    const struct lines allowed = values_of(kit, &import->problem, "languages");
    bool known = true, all = allowed.count == 0 || (allowed.count == 1 && strcmp(allowed.items[0], "all") == 0);

    for (size_t i = 0; i < allowed.count; i++)
        known &= kit_matches(kit, allowed.items[i], RULE_LANGUAGES, NULL);
    if (all || known)
        take(import, "languages(\\.[0-9]+)?");
    if (all || !known) {
        fputs("languages: all\n", file);
        return;
    }
    fprintf(file, "languages: [%s]\n", lines_join(kit, &allowed, ", "));
    BY_HAND(import, "languages: the package takes %s alone; here submissions are in CUDA, OpenCL or C",
         lines_join(kit, &allowed, " "));
}

/* Constants with names that may be; the statements have them as {{name}}, and nothing here replaces them. */
static void write_constants(struct import *import, FILE *file)
{
    bool headed = false;

    for (size_t i = 0; i < import->problem.count; i++) {
        const struct setting *item = &import->problem.items[i];

        if (!kit_matches(import->kit, item->key, RULE_CONSTANT, NULL))
            continue;
        fprintf(file, "%s  %s: ", headed ? "" : "constants:\n", strchr(item->key, '.') + 1);
        if (is_float(import->kit, item->value + (item->value[0] == '-')) || strcmp(item->value, "0") == 0)
            fputs(item->value, file);
        else
            import_quoted(file, item->value);
        putc('\n', file);
        headed = true;
    }
    take(import, RULE_CONSTANT);
    if (headed)
        BY_HAND(import, "constants: nothing here puts their values in place of {{NAME}}, in statement/ or imported/");
}

static void write_keywords(struct import *import, FILE *file)
{
    struct kit *kit = import->kit;
    struct lines keywords = values_of(kit, &import->problem, "keywords");

    if (starts_with(import->version, "legacy"))
        keywords = lines_split(kit, lines_join(kit, &keywords, " "), " ,");
    for (size_t i = 0; i < keywords.count; i++) {
        fputs(i ? "  - " : "keywords:\n  - ", file);
        import_quoted(file, keywords.items[i]);
        putc('\n', file);
    }
    take(import, "keywords(\\.[0-9]+)?");
}

/* A universally unique identifier, from the kernel. */
static const char *new_uuid(struct kit *kit)
{
    FILE *file = fopen("/proc/sys/kernel/random/uuid", "re");
    char *uuid = kit_alloc(kit, 37);

    if (!file || fread(uuid, 1, 36, file) != 36)
        kit_fail("the kernel gives no identifier");
    fclose(file);
    return uuid;
}

void import_problem(struct import *import)
{
    FILE *file = fopen("problem.yaml", "we");

    if (!file)
        kit_fail("cannot write problem.yaml");
    if (is_float(import->kit, import->time_limit))
        take_key(import, "limits.time_limit");
    else
        import->time_limit = "10";
    if (strcmp(import->version, "2025-09") != 0 && tree_at(&import->package, "data"))
        take_key(import, "validator_flags");
    if (strcmp(value(import, "grading.objective"), "min") == 0)
        BY_HAND(import, "grading.objective: min: here the least score was the best; scores of 2025-09 are better the "
                     "higher they are, so they are to be turned round");
    if (kit_matches(import->kit, value(import, "grading.objective"), "min|max", NULL))
        take_key(import, "grading.objective");
    if (strcmp(value(import, "grading.show_test_data_groups"), "false") == 0)
        take_key(import, "grading.show_test_data_groups");
    fputs("problem_format_version: 2025-09\n", file);
    write_list(import, file, "type", &import->types);
    write_names(import, file);
    if (!write_valid(import, file, "", "uuid", "uuid", NULL))
        fprintf(file, "uuid: %s\n", new_uuid(import->kit));
    if (value(import, "version")[0]) {
        fputs("version: ", file);
        import_quoted(file, value(import, "version"));
        putc('\n', file);
    }
    take_key(import, "version");
    write_people(import, file);
    write_license(import, file);
    write_valid(import, file, "", "embargo_until", "embargo_until", NULL);
    write_limits(import, file);
    write_keywords(import, file);
    write_languages(import, file);
    write_valid(import, file, "", "allow_file_writing", "allow_file_writing", NULL);
    write_constants(import, file);
    if (fclose(file) != 0)
        kit_fail("cannot write problem.yaml");
    for (size_t i = 0; i < import->problem.count; i++)
        if (!import->taken[i] && import->problem.items[i].value[0])
            BY_HAND(import, "%s: '%.200s' is left out", import->problem.items[i].key, import->problem.items[i].value);
}
