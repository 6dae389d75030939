/*
 * request.h - what a command of predict is asked for, and the commands.
 *
 * main_predict.c reads the words of a command line into a request; one file has each job. A command prints what it made
 * to standard output and is false where it could not: the error says why.
 */
#ifndef PREDICT_REQUEST_H
#define PREDICT_REQUEST_H

#include "contrib/predict/rows/gpus.h"
#include "verify/base/error.h"

enum { MAX_FILES = 32 };

/* Words of the command line; what was not said is NULL or its default. */
struct request {
    const char *file[MAX_FILES]; /* `files` of them, the words behind the command's that are no options */
    int files;              /* of `file` */
    const char *method;     /* --method: its name; NULL: the default of the rows */
    const char *also;       /* --also: rows of public programs that are learned from too; intervals hold them */
    const char *cross;      /* --cross: the file of what was predicted of them while their program was left out */
    const char *cross_draws; /* --cross-draws: the same, while their whole draw was left out */
    const char *inputs;     /* --inputs: source or derived */
    const char *time;       /* --time: raw or log */
    const char *gpu;        /* --gpu: an alias or a name of gpus.csv */
    const char *gpus;       /* --gpus: the path of gpus.csv */
    const char *out;        /* --out: the folder of the results */
    const char *rows;       /* --rows: the folder of results that are long */
    const char *plot;       /* --plot: the folder of what gnuplot reads */
    const char *problem;    /* --problem: its name */
    const char *submission; /* --submission: its path or name */
    const char *text;       /* --case: the line that the case was generated from */
    const char *how;        /* --how: how the submission ended on the simulator */
    const char *said;       /* --said: the file of what the simulator said */
    const char *tuned;      /* --tuned: the file of the launches with other blocks */
    const char *left_out;   /* --left-out: the file of what was left out, a line each */
    const char *to;         /* --to: the file that rows are appended to */
    const char *data;       /* --data: the folder contrib/predict/data */
    const char *driver;     /* --driver: of the machine that timed */
    const char *date;       /* --date: when it timed */
    const char *subset;     /* --subset: K/N of the list */
    const char *roofline;   /* --roofline: the folder of what gnuplot reads for the roofline */
    bool what_if;           /* --what-if: with another occupancy, with dense accesses */
    bool json;              /* --json: as JSON */
    bool all;               /* --all: with the number of a launch that is refused */
    struct gpus known;      /* the rows of gpus.csv, for commands that use them */
};

/* models.c: DATA MODEL; DATA [OTHER]; MODEL FEATURES. */
bool command_train(const struct request *r, struct error *error);
bool command_evaluate(const struct request *r, struct error *error);
bool command_predict(const struct request *r, struct error *error);

/* submission.c: MODEL COUNTED. The kernels of a submission: what each takes, its interval and its bound. */
bool command_submission(const struct request *r, struct error *error);

/* settings.c: MODEL. What the simulator's device is to have of the GPU that is predicted for, NAME=VALUE a line. */
bool command_settings(const struct request *r, struct error *error);

/* validate.c: TIMES [PROBLEM...]; MODEL TIMES LIST. */
bool command_submissions(const struct request *r, struct error *error);
bool command_validate(const struct request *r, struct error *error);

#endif
