/*
 * judgement.h - what states a judgement has, which steps it takes, and what the database calls them.
 *
 * The only place with these names but the schema's released versions (store.c). grader.h draws the states' order.
 */
#ifndef GRADE_JUDGEMENT_H
#define GRADE_JUDGEMENT_H

#include "store.h"

/* What is to be done next; a step of the same name does it. */
enum judgement_state {
    JUDGEMENT_NEW,
    JUDGEMENT_BUILDING,
    JUDGEMENT_SAMPLES,
    JUDGEMENT_SECRET,
    JUDGEMENT_RANKED,
    JUDGEMENT_DONE, /* it has its verdict, and no other state has one */
    JUDGEMENT_STATES
};

/* What is run; in the order in which results are shown. */
enum step { STEP_BUILD, STEP_SAMPLES, STEP_SECRET, STEP_BASELINE, STEP_RANKED, STEPS };

/* The names. SQL() puts one into a statement's text: "state = " SQL(NAME_DONE). */
#define NAME_NEW "new"
#define NAME_BUILDING "building"
#define NAME_BUILD "build"
#define NAME_SAMPLES "samples"
#define NAME_SECRET "secret"
#define NAME_BASELINE "baseline"
#define NAME_RANKED "ranked"
#define NAME_EXPLAIN "explain" /* of the simulator, beside the judging (explain.h): no step that has cases */
#define NAME_DONE "done"

/* What programs may want beside verdict and times. */
#define NAME_EXPLANATION "explanation"
#define NAME_COUNTERS "counters"
#define SQL(name) "'" name "'"

const char *judgement_state_name(enum judgement_state state);
const char *step_name(enum step step);

/* The state or the step of a name; false for none, or for NULL. */
bool judgement_state_parse(const char *name, enum judgement_state *state);
bool step_parse(const char *name, enum step *step);

/* Whether a judgement has its verdict; a judgement that is not there has none. */
bool judgement_is_done(struct store *store, int64_t judgement, bool *done, struct error *error);

/* How many judgements have their verdicts, and how many there are. */
bool judgement_count(struct store *store, int64_t *done, int64_t *all, struct error *error);

/* The public reason of a judging in which the machine failed. */
#define REASON_OF_JE "the machine or the toolkit failed"

/* Gives a judgement its verdict, as of now: `message` is for the organiser, `reason` for everybody. */
bool judgement_end(struct store *store, int64_t judgement, const char *verdict, const char *message,
                   const char *reason, struct error *error);

#endif
