/*
 * objects.h - a contest as the objects of the CLICS Contest API 2023-06
 * (https://ccs-specs.icpc.io/2023-06/contest_api).
 *
 * Read in one transaction from the results, contest.yaml, the teams' files and the problems' packages; nothing is
 * written there. It knows nothing of files of its own or of the event feed.
 */
#ifndef CLICS_OBJECTS_H
#define CLICS_OBJECTS_H

#include <jansson.h>

#include "contrib/grade/contest.h"
#include "contrib/grade/store/store.h"

struct view {
    const struct contest *contest;
    struct store *store;
    const char *folder, *root; /* the contest's, the toolkit's */
    const char *id;            /* of the contest, an ID */
    bool public_view;          /* as everybody may see it: no problems before the start, no verdicts of the freeze */
    double now;                /* seconds since 1970 */
    bool serves_files;         /* who reads it can fetch what was handed in, but for the public */
};

/*
 * An object with a value for each endpoint: `api`, `access`, `contest`, `state`, `scoreboard`, and arrays, in order of
 * their IDs, those of objects_lists. Listed are submissions made within the contest, and the judgements that count. The
 * public view has only those clarifications that are to all. NULL with an error.
 */
json_t *objects_read(const struct view *view, struct error *error);

/* The endpoints that are arrays, ended by NULL: in every answer, empty where there is nothing. */
extern const char *const objects_lists[];

#endif
