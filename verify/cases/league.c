/*
 * league.c - reads a league out of a package's settings.
 */
#include "league.h"

#include <stdio.h>
#include <string.h>

#include "verify/inspect/findings.h"

static const char prefix[] = "leagues.";

/* The league's name in a key "leagues.NAME.what", and where `what` starts; false for another key. */
static bool split(const char *key, char *name, size_t size, const char **what)
{
    size_t length;

    if (strncmp(key, prefix, sizeof prefix - 1) != 0)
        return false;
    key += sizeof prefix - 1;
    length = strcspn(key, ".");
    if (length == 0 || length >= size || key[length] == '\0')
        return false;
    memcpy(name, key, length);
    name[length] = '\0';
    *what = key + length + 1;
    return true;
}

static bool take(struct league *league, const struct settings *settings, const struct setting *item, const char *what,
                 struct error *error)
{
    if (strcmp(what, "about") == 0) {
        league->about = item->value;
        return true;
    }
    if (strncmp(what, "refuse.", 7) == 0) {
        enum rule rule = rule_find(item->value);

        if (rule == RULES)
            return error_usage(error, "%s:%d: there is no rule '%s'", settings->path, item->line, item->value);
        league->rules |= 1u << rule;
        return true;
    }
    if (strncmp(what, "cases.", 6) == 0 && league->group_count < LEAGUE_GROUPS) {
        league->groups[league->group_count++] = item->value;
        return true;
    }
    return error_usage(error, "%s:%d: the key '%s' is unknown or given too often", settings->path, item->line,
                       item->key);
}

bool league_choose(struct league *league, const struct package *package, const char *name, struct error *error)
{
    const struct settings *settings = &package->gpu;
    char all[256] = "", last[32] = "", found[32];
    const char *what;

    *league = (struct league){ 0 };
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *item = &settings->items[i];

        if (!split(item->key, found, sizeof found, &what)) {
            if (strncmp(item->key, prefix, sizeof prefix - 1) == 0)
                return error_usage(error, "%s:%d: a league needs a name, with its keys below", settings->path,
                                   item->line);
            continue;
        }
        if (strcmp(found, last) != 0)
            snprintf(all + strlen(all), sizeof all - strlen(all), " %s", found);
        memcpy(last, found, sizeof last);
        if (!name) /* the first one */
            name = memcpy(league->name, found, sizeof found);
        if (strcmp(name, found) != 0)
            continue;
        memcpy(league->name, found, sizeof found);
        if (!take(league, settings, item, what, error))
            return false;
    }
    if (!name || league->name[0])
        return true;
    if (!all[0])
        return error_usage(error, "--league %s: this problem has no leagues", name);
    return error_usage(error, "there is no league '%s'; there are:%s", name, all);
}

bool league_has_case(const struct league *league, const struct package_case *test_case)
{
    for (size_t i = 0; i < league->group_count; i++)
        if (package_case_in_group(test_case, league->groups[i]) || strcmp(test_case->name, league->groups[i]) == 0)
            return true;
    return league->group_count == 0;
}
