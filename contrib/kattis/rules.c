/*
 * rules.c - the tables of the format, and the values that have a rule of their own.
 */
#include "rules.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const import_keys[] = {
    "problem_format_version", "type", "type.*", "name", "name.*", "uuid", "version", "author", "credits", "credits.*",
    "source", "source_url", "source.*", "license", "rights_owner", "embargo_until", "limits.*", "validation",
    "validator_flags", "keywords", "keywords.*", "languages", "languages.*", "libraries", "allow_file_writing",
    "constants.*", "grading.*", NULL,
};
#define GROUP_KEYS "args.*", "input_validator_args.*", "output_validator_args.*", "input_visualizer_args.*", \
    "output_visualizer_args.*", "full_feedback"
#define STATIC_KEYS "static_validation_score", "static_validator_args.*"
#define SCORING_KEYS "max_score", "score_aggregation", "require_pass", "require_pass.*"
const char *const case_keys[] = { GROUP_KEYS, "hint", "description", NULL };
const char *const plain_group_keys[] = { GROUP_KEYS, STATIC_KEYS, NULL };
const char *const scoring_group_keys[] = { GROUP_KEYS, STATIC_KEYS, SCORING_KEYS, NULL };
const char *const all_group_keys[] = { GROUP_KEYS, STATIC_KEYS, SCORING_KEYS, "hint", "description", NULL };
const char *const testdata_keys[] = {
    "on_reject", "grading", "grader_flags", "input_validator_flags", "input_validator_flags.*",
    "output_validator_flags", "output_validator_flags.*", "accept_score", "reject_score", "range", NULL,
};

const struct key_rule key_rules[] = {
    { "problem_format_version", "2025-09", NULL, "{k} is not 2025-09", false },
    { "uuid", RULE_UUID, NULL, "uuid is not a UUID", false },
    { "license", RULE_LICENSES, NULL, "there is no license '{v}'", true },
    { "type(\\..*)?", RULE_TYPES, NULL, "there is no type '{v}'", false },
    { "limits\\.time_(limit|resolution)", NULL, is_float, "{k} is not a number above 0", false },
    { "limits\\.time_multipliers\\..*", NULL, is_float_from_1, "{k} is not a number from 1 on", false },
    { "limits\\.validation_passes", "[2-9]|[1-9][0-9]{1,8}", NULL, "{k} is not a whole number from 2 on", false },
    { "limits\\..*", "[1-9][0-9]{0,8}", NULL, "{k} is not a whole number above 0", false },
    { "embargo_until", NULL, is_date, "{k}: '{v}' must be YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ", true },
    { "allow_file_writing", "true|false", NULL, "{k}: '{v}' must be true or false", true },
    { "languages", "all|" RULE_LANGUAGES, NULL, "languages: the format has no '{v}'", false },
    { "languages\\..*", RULE_LANGUAGES, NULL, "languages: the format has no '{v}'", false },
    { RULE_CREDITS "|" RULE_SOURCE "|" RULE_CONSTANT, ".*", NULL, NULL, true },
    { "(credits|source)\\..*", NULL, NULL, "the format has no {k}", false },
    { "constants\\..*", NULL, NULL, "{k}: this constant is not allowed", false },
    { NULL, NULL, NULL, NULL, false },
};

const struct part_rule part_rules[] = {
    { "problem.yaml", true, "" },
    { "statement", true, "" },
    { "attachments", true, "attachments" },
    { "solution", true, "solution" },
    { "data", true, "data" },
    { "generators", true, "generators" },
    { "include", true, "include" },
    { "submissions", true, "submissions" },
    { "input_validators", true, "input_validators" },
    { "static_validator", true, "static_validator" },
    { "output_validator", true, "output_validator" },
    { "input_visualizer", true, "input_visualizer" },
    { "output_visualizer", true, "output_visualizer" },
    { "input_format_validators", false, "input_validators" },
    { "output_validators", false, "" }, /* one of them becomes output_validator */
    { "problem_statement", false, "" },
    { "problem.pdf", false, "" },
    { "domjudge-problem.ini", false, "" },
    { NULL, false, NULL },
};

const struct pair_rule pair_rules[] = {
    { ".out", ".ans.statement", false },
    { ".in.statement", ".in.download", true },
    { ".in.download", ".in.statement", true },
    { ".ans.statement", ".ans.download", true },
    { ".ans.download", ".ans.statement", true },
    { ".interaction", ".in.statement", false },
    { ".interaction", ".ans.statement", false },
    { ".interaction", ".in.download", false },
    { ".interaction", ".ans.download", false },
    { ".interaction", ".out", false },
    { NULL, NULL, false },
};

const struct outcome_rule outcome_rules[] = {
    { "accepted", 0, RUN_WA | RUN_TLE | RUN_RTE },
    { "wrong_answer", RUN_WA, RUN_TLE | RUN_RTE },
    { "time_limit_exceeded", RUN_TLE, RUN_WA | RUN_RTE },
    { "brute_force", RUN_TLE | RUN_RTE, RUN_WA },
    { "run_time_error", RUN_RTE, RUN_WA | RUN_TLE },
    { NULL, RUN_WA | RUN_TLE | RUN_RTE, 0 },
};

const struct part_rule *part_rule(const char *name)
{
    const struct part_rule *rule = part_rules;

    while (rule->name && strcmp(rule->name, name) != 0)
        rule++;
    return rule->name ? rule : NULL;
}

char *key_rule_broken(struct kit *kit, const char *key, const char *value)
{
    const struct key_rule *rule = key_rules;
    char *words, *place;

    while (rule->key && !kit_matches(kit, key, rule->key, NULL))
        rule++;
    if (!rule->key || (!value[0] && rule->or_none) || (rule->value && kit_matches(kit, value, rule->value, NULL)) ||
        (rule->holds && rule->holds(kit, value)))
        return NULL;
    words = kit_text(kit, "%s", rule->words);
    while ((place = strstr(words, "{k}")) || (place = strstr(words, "{v}")))
        words = kit_text(kit, "%.*s%s%s", (int)(place - words), words, place[1] == 'k' ? key : value, place + 3);
    return words;
}

bool is_float(struct kit *kit, const char *text)
{
    return kit_matches(kit, text, "\\+?([0-9]*\\.[0-9]+|[0-9]+\\.?)([eE][+-]?[0-9]{1,2})?", NULL) &&
           !kit_matches(kit, text, "\\+?[0.]+([eE].*)?", NULL);
}

bool is_float_from_1(struct kit *kit, const char *text) { return is_float(kit, text) && strtod(text, NULL) >= 1; }

bool is_date(struct kit *kit, const char *text)
{
    struct tm day = { 0 }, same;
    time_t seconds;

    if (!kit_matches(kit, text, "[0-9]{4}-[0-9]{2}-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?", NULL))
        return false;
    day.tm_year = atoi(text) - 1900;
    day.tm_mon = atoi(text + 5) - 1;
    day.tm_mday = atoi(text + 8);
    same = day;
    seconds = timegm(&same);
    return seconds != (time_t)-1 && same.tm_mon == day.tm_mon && same.tm_mday == day.tm_mday;
}

char *type_clash(struct kit *kit, const struct lines *types)
{
    static const char *const clashes[][2] = {
        { "pass-fail", "scoring" }, { "multi-pass", "submit-answer" }, { "interactive", "submit-answer" }
    };

    for (size_t i = 0; i < types->count; i++)
        for (size_t k = i + 1; k < types->count; k++) {
            const char *a = types->items[i], *b = types->items[k];

            if (strcmp(a, b) == 0)
                return kit_text(kit, "%s twice", a);
            for (size_t c = 0; c < sizeof clashes / sizeof *clashes; c++)
                if ((strcmp(a, clashes[c][0]) == 0 && strcmp(b, clashes[c][1]) == 0) ||
                    (strcmp(b, clashes[c][0]) == 0 && strcmp(a, clashes[c][1]) == 0))
                    return kit_text(kit, "%s and %s", a, b);
        }
    return NULL;
}

struct lines values_of(struct kit *kit, const struct settings *settings, const char *name)
{
    struct lines values = { 0 };
    const size_t length = strlen(name);

    for (size_t i = 0; i < settings->count; i++)
        if (starts_with(settings->items[i].key, name) && strchr(".", settings->items[i].key[length]) &&
            settings->items[i].value[0])
            lines_add(kit, &values, "%s", settings->items[i].value);
    return values;
}

const char *value_of(const struct settings *settings, const char *key)
{
    const char *value = settings_string(settings, key);

    return value ? value : "";
}
