/*
 * main_predict.c - predict COMMAND ...: one table of commands, and the reader of their words.
 *
 * The day-to-day way in is run_scripts/predict.sh, which calls make, nvcc, the simulator and ncu. Files are read,
 * computed with and written here, a file a job: request.h, collect/steps.h. Knows no CUDA.
 */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "contrib/predict/collect/steps.h"
#include "request.h"

static const char help[] =
    "usage: predict train DATA.csv MODEL [--method NAME] [--inputs source|derived] [--time raw|log]\n"
    "                     [--also FILE [--cross FILE] [--cross-draws FILE]]\n"
    "       predict evaluate DATA.csv [OTHER-GPU.csv] --out FOLDER [--rows FOLDER]\n"
    "       predict predict MODEL FEATURES.csv [--gpu NAME] [--json [--all]]\n"
    "       predict submission MODEL COUNTED.csv [--gpu NAME] [--tuned CSV] [--what-if] [--roofline FOLDER] [--json]\n"
    "       predict validate MODEL TIMES.csv LIST --out FOLDER --plot FOLDER\n"
    "       predict submissions TIMES.csv [PROBLEM...]\n"
    "       predict settings MODEL [--gpu NAME]\n"
    "       predict join TIMES.csv FEATURES.csv | times DATA.csv | append JOINED.csv --data FOLDER [--to FILE]\n"
    "       predict quality DATA.csv [AGAIN.csv [NCU.csv]]\n"
    "       predict ncu-times [CSV] --problem NAME --submission FILE --case LINE | ncu-alone LIST LAUNCHES\n"
    "\n"
    "train     fits a model to measured times and calibrates its intervals\n"
    "  --method NAME   elm, mlp, svr, ridge, nearest, roofline, limits, kriging, bounded, mechanism\n"
    "                  (default: mechanism; bounded for rows without the work of the launches)\n"
    "  --also FILE     rows of public programs, PROGRAM:KERNEL, learned from too. Intervals are as wide as the model\n"
    "                  is off on programs that it did not learn from\n"
    "  --cross FILE    writes, as JSON, what was predicted of each of these rows by a model without its program\n"
    "  --cross-draws FILE    the same by a model without its draw: rows have a column 'draw', a number from 1 on\n"
    "  --inputs SET    source: the 19 features as they are; derived: logarithms, occupancy, limits (default: derived)\n"
    "  --time WAY      raw: learn the time; log: learn its logarithm (default: log)\n"
    "evaluate  runs every method on every test, and writes tables (Markdown), CSV and JSON to FOLDER\n"
    "  --rows FOLDER   write each row's prediction and the JSON to this folder (default: the same)\n"
    "predict   prints one line per row of features: time, interval and bound, or why there is no prediction\n"
    "  --gpu NAME      an alias of gpus.csv (default: the GPU whose times the model was trained on)\n"
    "  --all           with --json: also write the predicted time of a refused launch, to check refusals\n"
    "submission, validate, submissions, settings   parts of predict.sh submission and validate (request.h)\n"
    "join, times, append, quality, ncu-times, ncu-alone   parts of predict.sh collect (collect/steps.h)\n"
    "--gpus FILE       the properties of GPUs (default: contrib/predict/gpus.csv)\n"
    "\n"
    "exit codes: 0 done, 2 arguments or files are wrong, 3 the toolkit failed; parts of predict.sh collect: 1 a\n"
    "file has wrong contents\n";

static bool join(const struct request *r, struct error *error) { return step_join(r->file[0], r->file[1], error); }

static bool times(const struct request *r, struct error *error) { return step_times(r->file[0], error); }

static bool append(const struct request *r, struct error *error)
{
    const struct provenance from = {.folder = r->data, .to = r->to, .driver = r->driver, .date = r->date,
                                    .subset = r->subset};

    return step_append(r->file[0], &from, error);
}

static bool quality(const struct request *r, struct error *error)
{
    return step_quality(r->file[0], r->file[1], r->file[2], error);
}

static bool ncu_times(const struct request *r, struct error *error)
{
    return step_ncu_times(r->file[0], r->problem, r->submission, r->text, error);
}

static bool ncu_alone(const struct request *r, struct error *error)
{
    return step_ncu_alone(r->file[0], r->file[1], error);
}

/* STEP: the error's text begins with a file's line, and a file at fault ends with code 1. */
enum kind { MODEL, STEP };

static const struct command {
    const char *name;
    int least, most; /* files */
    enum kind kind;
    bool (*run)(const struct request *r, struct error *error);
} commands[] = {
    {"train", 2, 2, MODEL, command_train},
    {"evaluate", 1, 2, MODEL, command_evaluate},
    {"predict", 2, 2, MODEL, command_predict},
    {"submission", 2, 2, MODEL, command_submission},
    {"settings", 1, 1, MODEL, command_settings},
    {"submissions", 1, MAX_FILES - 1, MODEL, command_submissions},
    {"validate", 3, 3, MODEL, command_validate},
    {"join", 2, 2, STEP, join},
    {"times", 1, 1, STEP, times},
    {"append", 1, 1, STEP, append},
    {"quality", 1, 3, STEP, quality},
    {"ncu-times", 0, 1, STEP, ncu_times},
    {"ncu-alone", 2, 2, STEP, ncu_alone},
};

/* Options with a value, and where it goes. */
static const struct value_option {
    const char *name;
    size_t offset; /* of a const char * in struct request */
} values[] = {
#define VALUE(name, field) {name, offsetof(struct request, field)}
    VALUE("method", method), VALUE("also", also), VALUE("cross", cross),
    VALUE("cross-draws", cross_draws),
    VALUE("inputs", inputs),   VALUE("time", time),       VALUE("gpu", gpu),
    VALUE("gpus", gpus),     VALUE("out", out),         VALUE("rows", rows),       VALUE("plot", plot),
    VALUE("problem", problem), VALUE("submission", submission), VALUE("case", text), VALUE("how", how),
    VALUE("said", said),     VALUE("tuned", tuned),     VALUE("roofline", roofline),
    VALUE("left-out", left_out), VALUE("to", to),
    VALUE("data", data),     VALUE("driver", driver),   VALUE("date", date),       VALUE("subset", subset),
#undef VALUE
};
enum { VALUES = sizeof values / sizeof values[0], JSON = VALUES, ALL, WHAT_IF, HELP, OPTIONS };

/* Reads all words; *helped where only help was wanted. */
static bool read_words(struct request *r, int argc, char **argv, bool *helped, struct error *error)
{
    struct option names[OPTIONS + 1] = {[JSON] = {"json", no_argument, NULL, 'j'},
                                        [ALL] = {"all", no_argument, NULL, 'a'},
                                        [WHAT_IF] = {"what-if", no_argument, NULL, 'w'},
                                        [HELP] = {"help", no_argument, NULL, 'h'}};
    int option, index;

    for (int i = 0; i < VALUES; i++)
        names[i] = (struct option){values[i].name, required_argument, NULL, 'v'};
    while ((option = getopt_long(argc, argv, ":h", names, &index)) != -1)
        switch (option) {
        case 'v': memcpy((char *)r + values[index].offset, &optarg, sizeof optarg); break;
        case 'j': r->json = true; break;
        case 'a': r->all = true; break;
        case 'w': r->what_if = true; break;
        case 'h': *helped = true; return true;
        default: return error_option(error, option, argv[optind - 1], "build/predict/predict");
        }
    while (optind < argc && r->files < MAX_FILES)
        r->file[r->files++] = argv[optind++];
    return optind == argc || error_usage(error, "more than %d words: give fewer files", MAX_FILES);
}

/* The command that the first word names, with as many files as it takes; NULL with *error. */
static const struct command *find_command(const struct request *r, struct error *error)
{
    if (r->files == 0)
        return error_usage(error, "name a command; see build/predict/predict --help"), NULL;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        const struct command *command = &commands[i];

        if (strcmp(command->name, r->file[0]) != 0)
            continue;
        if (r->files - 1 >= command->least && r->files - 1 <= command->most)
            return command;
        return error_usage(error, "%s: wrong number of files (%d); see build/predict/predict --help", command->name,
                           r->files - 1), NULL;
    }
    return error_usage(error, "there is no command '%.100s'; see build/predict/predict --help", r->file[0]), NULL;
}

static int fail(const struct command *command, const struct error *error)
{
    fprintf(stderr, "%s%s\n", command->kind == STEP ? "" : "predict: ", error->text);
    return command->kind == STEP && error->code == EXIT_USAGE ? EXIT_REJECTED : error->code;
}

int main(int argc, char **argv)
{
    struct request r = {.inputs = "derived", .time = "log", .gpus = "contrib/predict/gpus.csv",
                        .data = "contrib/predict/data", .problem = "", .submission = "", .text = "", .how = "",
                        .driver = "not said", .date = "", .subset = "0/1"};
    const struct command *command;
    struct error error = {0};
    bool helped = false, good = read_words(&r, argc, argv, &helped, &error);

    if (helped) {
        fputs(help, stdout);
        return EXIT_ACCEPTED;
    }
    command = good ? find_command(&r, &error) : NULL;
    if (!command) {
        fprintf(stderr, "predict: %s\n", error.text);
        return EXIT_USAGE;
    }
    memmove(r.file, r.file + 1, sizeof r.file - sizeof r.file[0]);
    r.file[--r.files] = NULL;
    if (command->kind == MODEL && !gpus_read(&r.known, r.gpus, &error))
        return fail(command, &error);
    if (!command->run(&r, &error))
        return fail(command, &error);
    if (fflush(stdout) != 0) {
        perror("predict: cannot write");
        return EXIT_TOOLKIT;
    }
    return EXIT_ACCEPTED;
}
