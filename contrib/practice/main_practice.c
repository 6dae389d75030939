/*
 * main_practice.c - calls a submission in one plain process, for tools that watch a process: sanitize.sh and profile.sh
 * start it below compute-sanitizer, ncu or the simulator.
 *
 *   build/practice/PROBLEM SUBMISSION.so [--league NAME] [--case NAME | --generate LINE] [--seed N]
 *
 * It makes one input, calls device_user_setup() if there is one and device_user() once, and checks the answer. There is
 * no box, no clock and no limit, and user code could do to this process what it likes: nothing that it prints is a
 * verdict. It is linked once for each problem, with its call.c, and knows its problem by its own name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problems/problem.h"
#include "verify/cases/arguments.h"
#include "verify/runner/resident.h"
#include "verify/wire/call.h"
#include "verify/cases/league.h"
#include "verify/cases/package.h"

typedef void function(void);

enum { OPTION_LEAGUE = 256, OPTION_CASE, OPTION_GENERATE, OPTION_SEED };

static const struct option long_options[] = {
    { "league", required_argument, NULL, OPTION_LEAGUE },
    { "case", required_argument, NULL, OPTION_CASE },
    { "generate", required_argument, NULL, OPTION_GENERATE },
    { "seed", required_argument, NULL, OPTION_SEED },
    { NULL, 0, NULL, 0 },
};

struct practice {
    const struct problem *problem;
    struct package package;
    const char *submission;             /* path of the shared object */
    const char *league, *case_name;     /* or NULL: the first league, its first case */
    const char *line;                   /* --generate, or NULL */
    struct random_key key;              /* of the input */
    struct blob input, answer, output;
};

static function *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    function *result;

    memcpy(&result, &symbol, sizeof result); /* ISO C has no cast from object to function pointer */
    return result;
}

static bool parse(struct practice *practice, int argc, char **argv, struct error *error)
{
    int id;

    opterr = 0;
    while ((id = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        switch (id) {
        case OPTION_LEAGUE: practice->league = optarg; break;
        case OPTION_CASE: practice->case_name = optarg; break;
        case OPTION_GENERATE: practice->line = optarg; break;
        case OPTION_SEED:
            if (!parse_number(optarg, "--seed", 0, UINT64_MAX, &practice->key.seed, error))
                return false;
            break;
        case ':': return error_usage(error, "option '%s' needs a value", argv[optind - 1]);
        default: return error_usage(error, "unknown option '%s'", argv[optind - 1]);
        }
    }
    if (practice->line && practice->case_name)
        return error_usage(error, "--case and --generate exclude each other");
    if (optind + 1 != argc)
        return error_usage(error,
                           "usage: practice SUBMISSION.so [--league NAME] [--case NAME | --generate LINE] [--seed N]");
    practice->submission = argv[optind];
    return true;
}

/* The case that is asked for, or the league's first; NULL if there is none. */
static const struct package_case *choose_case(const struct practice *practice, const struct league *league)
{
    for (size_t i = 0; i < practice->package.case_count; i++) {
        const struct package_case *test_case = &practice->package.cases[i];

        if (practice->case_name ? strcmp(practice->case_name, test_case->name) == 0
                                : league_has_case(league, test_case))
            return test_case;
    }
    return NULL;
}

static bool prepare(struct practice *practice, struct error *error)
{
    const struct random_key secret = { .seed = 1 }; /* which samples a check takes: any will do in practice */
    const struct package_case *test_case = NULL;
    struct arguments arguments;
    struct league league;
    uint64_t seed;

    if (!package_load(&practice->package, ".", practice->problem->name, error) ||
        !league_choose(&league, &practice->package, practice->league, error))
        return false;
    if (!practice->line && !(test_case = choose_case(practice, &league)))
        return error_usage(error, "the problem '%s' has no case '%s'", practice->problem->name,
                           practice->case_name ? practice->case_name : "sample");
    printf("practice: %s, %s\n", practice->problem->name, practice->line ? practice->line : test_case->name);
    if (!arguments_parse(&arguments, practice->line ? practice->line : test_case->line, error) ||
        !arguments_number(&arguments, "seed", 0, 0, UINT32_MAX, &seed, error))
        return false;
    practice->key.case_seed = (uint32_t)seed;
    return practice->problem->generate(&arguments, &practice->key, &practice->input, error) &&
           practice->problem->reference(&practice->input, &secret, &practice->answer, error) &&
           blob_alloc(&practice->output, practice->problem->output_size(&practice->input), error);
}

/*
 * The one call, with the GPU's memory where the problem asks for it. *works: false if what the call started on the GPU
 * failed, which is an error of the submission.
 */
static bool call(const struct practice *practice, void *library, function *device_user, struct blob *input,
                 bool *works, struct error *error)
{
    const struct blob *output = &practice->output;
    const char *why;
    bool ok;

    *works = true;
    if (!practice->package.resident) {
        call_device_user(device_user, &(struct user_call){ .header = input->data, .input = input->data,
                                                           .input_size = input->size, .output = output->data,
                                                           .output_size = output->size });
        return true;
    }
    why = resident_begin(dlsym(library, "cudaMalloc") ? library : NULL);
    if (why)
        return error_usage(error, "%s: %s", practice->submission, why);
    ok = resident_carry_in(output->data, output->size, input->size);
    if (ok)
        *works = resident_carried(device_user, input->data, input->size, output->data, output->size);
    resident_end();
    return ok || error_toolkit(error, "CUDA failed before the call of device_user()");
}

/* Whether the answer is right. */
static bool run(struct practice *practice, bool *right, struct error *error)
{
    void *library = dlopen(practice->submission, RTLD_NOW | RTLD_LOCAL);
    function *device_user = library ? find(library, "device_user") : NULL, *setup;
    struct blob copy = { 0 };
    struct finding finding = { 0 };
    bool called, works;

    if (!device_user)
        return error_usage(error, "%s", dlerror());
    /* The call may write to its input; the check looks at what was there. */
    if (!blob_alloc(&copy, practice->input.size, error))
        return false;
    if (copy.size > 0)
        memcpy(copy.data, practice->input.data, copy.size);
    memset(practice->output.data, 0xa5, practice->output.size);
    fflush(stdout);
    setup = find(library, "device_user_setup");
    if (setup)
        setup();
    called = call(practice, library, device_user, &copy, &works, error);
    blob_release(&copy);
    if (!called)
        return false;
    if (!works)
        return puts("practice: the answer is missing: what device_user() started on the GPU failed"), true;
    *right = practice->problem->check(&practice->input, &practice->answer, &practice->output, &finding) ==
             CHECK_RIGHT;
    printf(*right ? "practice: the answer is right\n" : "practice: the answer is wrong: %s\n", finding.detail);
    return true;
}

int main(int argc, char **argv)
{
    static struct practice practice;
    struct error error = { 0 };
    bool right = false, ok;

    practice.problem = problem_find(program_invocation_short_name);
    if (!practice.problem) {
        fprintf(stderr, "practice: there is no problem '%s'\n", program_invocation_short_name);
        return EXIT_USAGE;
    }
    ok = parse(&practice, argc, argv, &error) && prepare(&practice, &error) && run(&practice, &right, &error);
    if (!ok)
        fprintf(stderr, "practice: error: %s\n", error.text);
    blob_release(&practice.input);
    blob_release(&practice.answer);
    blob_release(&practice.output);
    package_release(&practice.package);
    return !ok ? (int)error.code : right ? EXIT_ACCEPTED : EXIT_REJECTED;
}
