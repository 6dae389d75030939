/*
 * judgement.c - the tables of names, and the statements about a judgement's end.
 */
#include "judgement.h"

#include <string.h>

#include "verify/base/clock.h"

static const char *const state_names[JUDGEMENT_STATES] = { NAME_NEW,    NAME_BUILDING, NAME_SAMPLES,
                                                           NAME_SECRET, NAME_RANKED,   NAME_DONE };
static const char *const step_names[STEPS] = { NAME_BUILD, NAME_SAMPLES, NAME_SECRET, NAME_BASELINE, NAME_RANKED };

const char *judgement_state_name(enum judgement_state state) { return state_names[state]; }

const char *step_name(enum step step) { return step_names[step]; }

/* The place of a name among names[count]; count for none. */
static size_t place_of(const char *name, const char *const *names, size_t count)
{
    size_t i = 0;

    while (name && i < count && strcmp(names[i], name) != 0)
        i++;
    return name ? i : count;
}

bool judgement_state_parse(const char *name, enum judgement_state *state)
{
    *state = (enum judgement_state)place_of(name, state_names, JUDGEMENT_STATES);
    return *state != JUDGEMENT_STATES;
}

bool step_parse(const char *name, enum step *step)
{
    *step = (enum step)place_of(name, step_names, STEPS);
    return *step != STEPS;
}

bool judgement_is_done(struct store *store, int64_t judgement, bool *done, struct error *error)
{
    int64_t found;
    const bool ok = store_number(store, error, &found,
                                 "SELECT 1 FROM judgements WHERE id = ? AND state = " SQL(NAME_DONE), "i", judgement);

    *done = found != 0;
    return ok;
}

bool judgement_count(struct store *store, int64_t *done, int64_t *all, struct error *error)
{
    return store_number(store, error, done, "SELECT count(*) FROM judgements WHERE state = " SQL(NAME_DONE), "") &&
           store_number(store, error, all, "SELECT count(*) FROM judgements", "");
}

bool judgement_end(struct store *store, int64_t judgement, const char *verdict, const char *message,
                   const char *reason, struct error *error)
{
    return store_run(store, error,
                     "UPDATE judgements SET state = " SQL(NAME_DONE) ", verdict = ?, message = ?, reason = ?, ended = ?"
                     " WHERE id = ?",
                     "sssdi", verdict, message, reason, clock_wall(), judgement);
}
