/*
 * predictions.h - a model, a file of features, and what the model says of each of its rows.
 */
#ifndef PREDICT_PREDICTIONS_H
#define PREDICT_PREDICTIONS_H

#include "model.h"
#include "request.h"

struct predictions {
    struct model model;        /* of the request's first file */
    const struct gpu *gpu;     /* that is predicted for: the one named, or the model's */
    struct table table;        /* the launches that were counted */
    struct forecast *forecast; /* one for each row of the table */
    bool borrows;              /* the model is another's */
    bool warm;                 /* nothing is cold */
};

/*
 * False for a model or a file that cannot be read, a GPU that is not known, or a launch that cannot be computed. warm:
 * nothing is cold, as with a submission: the host copied its input just before, and copies leave that in L2.
 */
bool predictions_make(struct predictions *p, const struct request *r, const char *features, bool warm,
                      struct error *error);
void predictions_release(struct predictions *p);

/* The same by a model that was read already: `first` must outlive the new ones. */
bool predictions_again(struct predictions *p, const struct predictions *first, const char *features,
                       struct error *error);

/* The name of the GPU whose times the model learned, or that there are several. */
const char *predictions_trained_on(const struct predictions *p);

/* A number as `predict --json` prints it, of six digits: what is added up can be added up from there. */
double predictions_number(double value);

/* A number for people: to two decimals, to one from 100 on, to none from 1000 on. Returns `text`. */
const char *predictions_shown(char text[32], double value);

/* The same with a value's share in percent, to one decimal, and a sign for percent. */
const char *predictions_percent(char text[32], double share);

#endif
