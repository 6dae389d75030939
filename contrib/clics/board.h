/*
 * board.h - the scoreboard, from the standings of contrib/grade.
 */
#ifndef CLICS_BOARD_H
#define CLICS_BOARD_H

#include "objects.h"

/*
 * The endpoint's object. `frozen`: without the verdicts from contest->freeze on. `state` is repeated in it; `last` is
 * the moment of the last thing that it shows, seconds since 1970. NULL with an error.
 */
json_t *board_read(const struct view *view, bool frozen, json_t *state, double last, struct error *error);

/* What the API calls this scoring: true for "score". */
bool board_has_scores(const struct contest *contest);

#endif
