/*
 * admission.c - counting what a team has handed in.
 */
#include "admission.h"

#include <stdio.h>
#include <time.h>

#include "contrib/grade/store/judgement.h"

enum { HOUR = 3600 };

bool admission_is_limited(const struct contest *contest)
{
    return contest->queued > 0 || contest->per_hour > 0 || contest->total > 0;
}

bool admission_of(const struct contest *contest, struct store *store, const char *team, double now,
                  enum admission *admission, struct error *error)
{
    int64_t queued = 0, refused = 0;

    if (contest->queued > 0 &&
        !store_number(store, error, &queued,
                      "SELECT count(*) FROM judgements j JOIN submissions s ON s.id = j.submission WHERE s.team = ?"
                      " AND j.rejudging IS NULL AND j.state <> " SQL(NAME_DONE), "s", team))
        return false;
    if (!store_number(store, error, &refused,
                      "SELECT count(*) FROM submissions WHERE team = ? AND over_limit IS NOT NULL AND found > ?", "sd",
                      team, now - HOUR))
        return false;
    *admission = contest->queued > 0 && queued >= (int64_t)contest->queued ? ADMISSION_QUEUED
                 : refused >= ADMISSION_REFUSALS                           ? ADMISSION_FLOOD
                                                                           : ADMISSION_NOW;
    return true;
}

double admission_time(double submitted, double scanned, double now)
{
    const double time = submitted < scanned ? scanned : submitted;

    return time > now ? now : time;
}

bool admission_refuses(const struct contest *contest, struct store *store, const char *team, double arrived,
                       const char **limit, char why[ADMISSION_WHY], struct error *error)
{
    int64_t total, hour, first = 0;

    *limit = NULL;
    if (!store_number(store, error, &total,
                      "SELECT count(*) FROM submissions WHERE team = ? AND over_limit IS NULL", "s", team) ||
        !store_number(store, error, &hour,
                      "SELECT count(*) FROM submissions WHERE team = ? AND over_limit IS NULL AND arrived > ? AND"
                      " arrived <= ?", "sdd", team, arrived - HOUR, arrived))
        return false;
    if (contest->total > 0 && total >= (int64_t)contest->total) {
        *limit = "total";
        snprintf(why, ADMISSION_WHY, "not judged: the team has made %d submissions, the maximum (limits.total)",
                 (int)total);
    } else if (contest->per_hour > 0 && hour >= (int64_t)contest->per_hour) {
        time_t next;
        struct tm parts;
        char text[16] = "";

        /* When the last but per_hour of them is an hour old. */
        if (!store_number(store, error, &first,
                          "SELECT cast(arrived AS INTEGER) FROM submissions WHERE team = ? AND over_limit IS NULL AND"
                          " arrived <= ? ORDER BY arrived DESC LIMIT 1 OFFSET ?", "sdi", team, arrived,
                          (int64_t)contest->per_hour - 1))
            return false;
        next = (time_t)first + HOUR + 60;
        if (gmtime_r(&next, &parts))
            strftime(text, sizeof text, "%H:%M", &parts);
        *limit = "per_hour";
        snprintf(why, ADMISSION_WHY, "not judged: the team has made %d submissions within an hour, the maximum"
                                     " (limits.per_hour): submit it again after %s UTC", (int)hour, text);
    }
    return true;
}
