/*
 * options.c - reads the host's command line with getopt_long().
 */
#include "options.h"

#include <errno.h>
#include <float.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/cases/arguments.h"
#include "ranking.h"
#include "verify/base/number.h"
#include "verify/base/stats.h"

const char options_help[] =
    "usage: main_host PROBLEM [options] [INPUT...]\n"
    "Runs a built submission on a problem's cases, or on INPUT, and judges its answers.\n"
    "\n"
    "Participants:\n"
    "  --submission FILE   the built device_user.so (default: the one that 'make' built)\n"
    "  --league NAME       judge in this league of the problem (default: the first)\n"
    "  --group NAME        run these cases: sample, secret, all, a group such as secret/large, or ranked,\n"
    "                      the cases whose times the problem compares (default: sample)\n"
    "  --case NAME         run one case, such as secret/03-random\n"
    "  --generate LINE     run one case made from LINE, a line of a case file\n"
    "  --seed S            seed of generated inputs, 0 to 2^64 - 1 (default: 0)\n"
    "  --repeat N          calls of device_user() per case, 1 to 100000 (default: 1); each call gets a fresh\n"
    "                      input if inputs are generated\n"
    "  --until PERCENT     stop calling when the median is known to +-PERCENT (half of its 95 % interval),\n"
    "                      after at least 7 calls; for practice\n"
    "  --ranked            measure times that rank: --repeat calls (odd, default 11) with fresh inputs from a\n"
    "                      secret seed, after one uncounted call; also measures the overhead\n"
    "  --keep-going        continue with the next case after a failed one\n"
    "  --device NAME       auto, gpu, sim or cpu (default: auto: for CUDA the GPU, or the simulator if\n"
    "                      there is no GPU; for C the CPU)\n"
    "  --gpu ID            the GPU to use: its number in nvidia-smi, or its UUID (default: the first)\n"
    "  --counters          print the GPU's counters for the calls, and for more calls that fill a tenth of\n"
    "                      a second; only on a GPU that has such counters\n"
    "  --no-counters       do not read them, whatever the league: another run does\n"
    "  --devices           list the devices of this machine with their properties\n"
    "  --json FILE         write the result to FILE as JSON\n"
    "  --version, --help\n"
    "\n"
    "Participants, on the simulator:\n"
    "  --explain           report what each kernel did, and how to make it faster\n"
    "  --checks LIST       none, all (the default: every check but unused), or a list of:\n"
    "                      written,races,leaks,lanes,bounds,calls,streams,host,unused\n"
    "  --sim-seed N        run threads in a random order drawn from N, to find races\n"
    "  --sim-workers N     processors to use, 1 to 256 (default: all)\n"
    "\n"
    "Setters of problems:\n"
    "  --time-limit SEC    time limit of one call in seconds (default: the problem's)\n"
    "  --memory-limit MIB  memory limit, 16 to 1048576 (default: the problem's)\n"
    "  --device-memory-limit MIB  limit of GPU memory, 1 to 1048576 (default: the problem's)\n"
    "  --check-seed S      seed of checks by random samples (default: a new random number; the JSON\n"
    "                      contains it)\n"
    "\n"
    "Organisers of contests:\n"
    "  --seal FILE         derive the seeds from a contest's secret (make seal); no output shows the seeds\n"
    "  --judgement N       with --seal: the number of this judgement, 1 to 2^53 - 1; each number gives new\n"
    "                      inputs\n"
    "  --show-secret       with --seal: print and write secret cases in full, for the organiser only; without\n"
    "                      it, the printed text and --json hide them\n"
    "  --public-json FILE  write the public result: it has no values of secret cases, nor their output\n"
    "  --hasten            the times do not count: start the runners of the next cases while a case is judged\n"
    "  --key FILE          sign the result as a record (make key), with a digest of every input\n"
    "  --require-box NAME  refuse to run in a weaker box: none, landlock, namespaces or cgroup (default: none)\n"
    "\n"
    "Developers, and programs that start this one:\n"
    "  --box NAME          auto, cgroup, namespaces, landlock or none (default: auto: the strongest box that\n"
    "                      works here; without any box nothing runs). Use none only for code that you trust\n"
    "  --source PATH       the submission's source, for the JSON\n"
    "  --language NAME     the language of the sources: C, CUDA or OpenCL. A submission that needs the library\n"
    "                      of another language gets SV; one that cannot be judged gets CE\n"
    "  --compile-error LOG the submission did not compile: record CE with the compiler's messages in LOG\n"
    "  --warden FD         use the GPU warden that the caller started, at the other end of this descriptor\n"
    "  --any-imports       skip the check of the names in the submission's file: for tests of the box behind\n"
    "                      it, never for a judging that counts\n"
    "\n"
    "exit codes: 0 accepted, 1 the submission failed, 2 usage, 3 the toolkit failed\n";

enum option_id {
    OPTION_SUBMISSION = 256, OPTION_GROUP, OPTION_CASE, OPTION_SEED, OPTION_REPEAT, OPTION_TIME_LIMIT,
    OPTION_KEEP_GOING, OPTION_HASTEN, OPTION_DEVICE, OPTION_BOX, OPTION_JSON, OPTION_SOURCE, OPTION_LANGUAGE,
    OPTION_ANY_IMPORTS, OPTION_COMPILE_ERROR,
    OPTION_LEAGUE, OPTION_GPU, OPTION_RANKED, OPTION_GENERATE, OPTION_CHECK_SEED, OPTION_UNTIL, OPTION_MEMORY_LIMIT,
    OPTION_DEVICE_MEMORY, OPTION_REQUIRE_BOX, OPTION_SEAL, OPTION_JUDGEMENT, OPTION_PUBLIC_JSON,
    OPTION_SHOW_SECRET, OPTION_KEY, OPTION_WARDEN, OPTION_COUNTERS, OPTION_NO_COUNTERS,
    OPTION_EXPLAIN, OPTION_CHECKS, OPTION_SIM_SEED, OPTION_SIM_WORKERS, OPTION_DEVICES, OPTION_VERSION, OPTION_HELP,
};

static const struct option long_options[] = {
    { "submission", required_argument, NULL, OPTION_SUBMISSION },
    { "gpu", required_argument, NULL, OPTION_GPU },
    { "warden", required_argument, NULL, OPTION_WARDEN },
    { "ranked", no_argument, NULL, OPTION_RANKED },
    { "counters", no_argument, NULL, OPTION_COUNTERS },
    { "no-counters", no_argument, NULL, OPTION_NO_COUNTERS },
    { "league", required_argument, NULL, OPTION_LEAGUE },
    { "generate", required_argument, NULL, OPTION_GENERATE },
    { "check-seed", required_argument, NULL, OPTION_CHECK_SEED },
    { "seal", required_argument, NULL, OPTION_SEAL },
    { "judgement", required_argument, NULL, OPTION_JUDGEMENT },
    { "key", required_argument, NULL, OPTION_KEY },
    { "group", required_argument, NULL, OPTION_GROUP },
    { "case", required_argument, NULL, OPTION_CASE },
    { "seed", required_argument, NULL, OPTION_SEED },
    { "repeat", required_argument, NULL, OPTION_REPEAT },
    { "until", required_argument, NULL, OPTION_UNTIL },
    { "time-limit", required_argument, NULL, OPTION_TIME_LIMIT },
    { "memory-limit", required_argument, NULL, OPTION_MEMORY_LIMIT },
    { "device-memory-limit", required_argument, NULL, OPTION_DEVICE_MEMORY },
    { "any-imports", no_argument, NULL, OPTION_ANY_IMPORTS },
    { "keep-going", no_argument, NULL, OPTION_KEEP_GOING },
    { "hasten", no_argument, NULL, OPTION_HASTEN },
    { "device", required_argument, NULL, OPTION_DEVICE },
    { "box", required_argument, NULL, OPTION_BOX },
    { "require-box", required_argument, NULL, OPTION_REQUIRE_BOX },
    { "json", required_argument, NULL, OPTION_JSON },
    { "public-json", required_argument, NULL, OPTION_PUBLIC_JSON },
    { "show-secret", no_argument, NULL, OPTION_SHOW_SECRET },
    { "source", required_argument, NULL, OPTION_SOURCE },
    { "language", required_argument, NULL, OPTION_LANGUAGE },
    { "compile-error", required_argument, NULL, OPTION_COMPILE_ERROR },
    { "explain", no_argument, NULL, OPTION_EXPLAIN },
    { "checks", required_argument, NULL, OPTION_CHECKS },
    { "sim-seed", required_argument, NULL, OPTION_SIM_SEED },
    { "sim-workers", required_argument, NULL, OPTION_SIM_WORKERS },
    { "devices", no_argument, NULL, OPTION_DEVICES },
    { "version", no_argument, NULL, OPTION_VERSION },
    { "help", no_argument, NULL, OPTION_HELP },
    { NULL, 0, NULL, 0 },
};

/* The index of `word` in a NULL-terminated list. */
static bool choose(const char *option, const char *word, const char *const *names, int *choice, struct error *error)
{
    char all[128] = "";

    for (int i = 0; names[i]; i++) {
        if (strcmp(word, names[i]) == 0) {
            *choice = i;
            return true;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    }
    return error_usage(error, "%s: '%s' must be one of: %s", option, word, all);
}

static bool parse_seconds(const char *text, double *seconds, struct error *error)
{
    if (!number_decimal(text, DBL_MIN, 86400, seconds))
        return error_usage(error, "--time-limit: '%s' is not a number of seconds up to 86400", text);
    return true;
}

static bool parse_percent(const char *text, double *percent, struct error *error)
{
    if (!number_decimal(text, DBL_MIN, 100, percent))
        return error_usage(error, "--until: '%s' is not a percentage above 0, up to 100", text);
    return true;
}

/* Checks the words of cudasim's CUDASIM_CHECK here, so that a wrong one is the caller's fault, not the submission's. */
static bool checks_are_known(const char *text, struct error *error)
{
    static const char *const names[] = { "all", "written", "races", "leaks", "lanes", "bounds", "calls", "streams",
                                         "host", "unused" };
    const char *rest = text;

    if (strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t length = strcspn(rest, ","), i = 0;

        while (i < sizeof names / sizeof names[0] &&
               (strlen(names[i]) != length || strncmp(names[i], rest, length) != 0))
            i++;
        if (i == sizeof names / sizeof names[0] || strlen(text) > 80)
            return error_usage(error, "--checks: '%s' must be all, none, or a list of: written,races,leaks,lanes,"
                               "bounds,calls,streams,host,unused", text);
        if (rest[length] == '\0')
            return true;
        rest += length + 1;
    }
}

static bool take_language(struct options *options, const char *value, struct error *error)
{
    static const char *const languages[] = { "C", "CUDA", "OpenCL", NULL };
    int choice;

    options->language = value;
    return choose("--language", value, languages, &choice, error);
}

/* A limit of memory, at most a tebibyte; *bytes is as it was where there is an error. */
static bool parse_mebibytes(const char *value, const char *option, uint64_t least, size_t *bytes, struct error *error)
{
    uint64_t number = 0;

    if (!parse_number(value, option, least, 1 << 20, &number, error))
        return false;
    *bytes = (size_t)number << 20;
    return true;
}

#define JUDGEMENTS ((UINT64_C(1) << 53) - 1) /* every reader of JSON keeps such a number */

static bool take(struct options *options, int id, const char *value, struct error *error)
{
    static const char *const devices[] = { "auto", "gpu", "cpu", "sim", NULL };
    static const char *const boxes[] = { "auto", "cgroup", "namespaces", "landlock", "none", NULL };
    static const char *const levels[] = { "none", "landlock", "namespaces", "cgroup", NULL };
    uint64_t number;
    int choice;

    switch ((enum option_id)id) {
    case OPTION_SUBMISSION: options->submission = value; return true;
    case OPTION_CASE: options->test_case = value; return true;
    case OPTION_GROUP: options->group = value; return true;
    case OPTION_LEAGUE: options->league = value; return true;
    case OPTION_GPU: options->gpu = value; return true;
    case OPTION_WARDEN:
        if (!parse_number(value, "--warden", 3, 65535, &number, error))
            return false;
        options->warden = (int)number;
        /* It is for no process that the host starts. */
        return fcntl(options->warden, F_SETFD, FD_CLOEXEC) == 0 ||
               error_usage(error, "--warden %s: no such descriptor is open", value);
    case OPTION_RANKED: options->ranked = true; return true;
    case OPTION_COUNTERS: options->counters = true; return true;
    case OPTION_NO_COUNTERS: options->no_counters = true; return true;
    case OPTION_GENERATE: options->generate = value; return true;
    case OPTION_CHECK_SEED:
        options->check_seeded = true;
        return parse_number(value, "--check-seed", 0, UINT64_MAX, &options->check_seed, error);
    case OPTION_SEAL: options->seal = value; return true;
    case OPTION_JUDGEMENT: return parse_number(value, "--judgement", 1, JUDGEMENTS, &options->judgement, error);
    case OPTION_KEY: options->key = value; return true;
    case OPTION_JSON: options->json = value; return true;
    case OPTION_PUBLIC_JSON: options->public_json = value; return true;
    case OPTION_SHOW_SECRET: options->show_secret = true; return true;
    case OPTION_SOURCE: options->source = value; return true;
    case OPTION_LANGUAGE: return take_language(options, value, error);
    case OPTION_COMPILE_ERROR: options->compile_error = value; return true;
    case OPTION_ANY_IMPORTS: options->any_imports = true; return true;
    case OPTION_KEEP_GOING: options->keep_going = true; return true;
    case OPTION_HASTEN: options->hasten = true; return true;
    case OPTION_EXPLAIN: options->explain = true; return true;
    case OPTION_CHECKS: options->checks = value; return checks_are_known(value, error);
    case OPTION_SIM_SEED:
        options->sim_seeded = true;
        return parse_number(value, "--sim-seed", 0, UINT64_MAX, &options->sim_seed, error);
    case OPTION_SIM_WORKERS: return parse_number(value, "--sim-workers", 1, 256, &options->sim_workers, error);
    case OPTION_DEVICES: options->devices = true; return true;
    case OPTION_VERSION: options->version = true; return true;
    case OPTION_HELP: options->help = true; return true;
    case OPTION_TIME_LIMIT: return parse_seconds(value, &options->time_limit, error);
    case OPTION_SEED:
        options->seeded = true;
        return parse_number(value, "--seed", 0, UINT64_MAX, &options->seed, error);
    case OPTION_REPEAT:
        number = 0;
        return parse_number(value, "--repeat", 1, 100000, &number, error) && (options->repeat = (size_t)number) > 0;
    case OPTION_UNTIL: return parse_percent(value, &options->until, error);
    case OPTION_DEVICE:
        if (!choose("--device", value, devices, &choice, error))
            return false;
        options->device = (enum device_choice)choice;
        return true;
    case OPTION_BOX:
        if (!choose("--box", value, boxes, &choice, error))
            return false;
        options->box = (enum box_choice)choice;
        return true;
    case OPTION_REQUIRE_BOX:
        if (!choose("--require-box", value, levels, &choice, error))
            return false;
        options->require_box = (enum box_level)choice;
        return true;
    case OPTION_DEVICE_MEMORY:
        return parse_mebibytes(value, "--device-memory-limit", 1, &options->device_memory_limit, error);
    case OPTION_MEMORY_LIMIT: return parse_mebibytes(value, "--memory-limit", 16, &options->memory_limit, error);
    }
    return error_usage(error, "unknown option; see --help");
}

/* Checks that the options fit together: the result can be kept secret, repeated and signed as they ask. */
static bool records_fit(const struct options *options, struct error *error)
{
    if (options->seal && options->seeded)
        return error_usage(error, "--seal and --seed exclude each other: the seeds are derived from the seal");
    if (options->seal && options->input_count > 0)
        return error_usage(error, "--seal is for generated inputs: omit --seal or INPUT");
    if (options->seal && !options->judgement)
        return error_usage(error, "--seal needs --judgement N: use a new number for each judging, as the submission "
                                  "sees the inputs of that number");
    if (options->judgement && !options->seal)
        return error_usage(error, "--judgement needs --seal: without a seal, --seed chooses the inputs");
    if (options->key && !options->json && !options->public_json)
        return error_usage(error, "--key signs the result: give --json FILE to write it to");
    if (options->json && options->public_json && strcmp(options->json, options->public_json) == 0)
        return error_usage(error, "--json and --public-json name the same file: use two files");
    if (options->key && options->explain)
        return error_usage(error, "--explain and --key exclude each other: the report comes from the submission's "
                                  "process, and a signed result has none of its text");
    return true;
}

bool options_parse(struct options *options, int argc, char *const *argv, const char *alias_problem,
                   struct error *error)
{
    int id;

    *options = (struct options){ .problem = alias_problem, .warden = -1 };
    opterr = 0;
    while ((id = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
        if (id == ':')
            return error_usage(error, "option '%s' needs a value; see --help", argv[optind - 1]);
        if (id == '?')
            return error_usage(error, "unknown option '%s'; see --help", argv[optind - 1]);
        if (!take(options, id, optarg, error))
            return false;
    }
    if (options->help || options->version || options->devices)
        return true;
    if (!options->problem) {
        if (optind == argc)
            return error_usage(error, "name a problem; see --help");
        options->problem = argv[optind++];
    }
    options->inputs = argv + optind;
    options->input_count = argc - optind;
    /* Under a problem's alias the program is for files: without files, running the samples would be a surprise. */
    if (alias_problem && options->input_count == 0 && !options->test_case && !options->group && !options->generate)
        return error_usage(error, "name two files: FILE1 FILE2; 'make run' runs the samples; see --help");
    if (options->repeat == 0)
        options->repeat = options->ranked ? RANKING_REPEAT : 1;
    if (options->hasten && (options->ranked || options->repeat > 1 || options->counters))
        return error_usage(error, "--hasten disturbs times and counters: omit --hasten, or --ranked, --repeat and "
                                  "--counters");
    if (options->counters && options->no_counters)
        return error_usage(error, "--counters and --no-counters exclude each other");
    if (options->until > 0 && !options->ranked && options->repeat < STATS_UNTIL_LEAST)
        return error_usage(error, "--until needs --repeat with %d calls or more", STATS_UNTIL_LEAST);
    if ((options->input_count > 0) + (options->test_case != NULL) + (options->generate != NULL) > 1)
        return error_usage(error, "--case, --generate and INPUT exclude each other");
    if (options->test_case && options->group)
        return error_usage(error, "--case and --group exclude each other: one case, or a group of them");
    options->group = options->group ? options->group : "sample";
    if (options->ranked && options->input_count > 0)
        return error_usage(error, "--ranked: an INPUT from files is the same in every call: use --case instead");
    if (options->ranked && options->repeat % 2 == 0 && options->repeat > 0)
        return error_usage(error, "--ranked: --repeat %zu is even: use an odd number, so that the median is one of the "
                                  "times", options->repeat);
    if (options->any_imports && (options->ranked || options->seal || options->key))
        return error_usage(error, "--any-imports is for tests of the box: omit --ranked, --seal and --key");
    if (options->ranked && options->until > 0)
        return error_usage(error, "--ranked and --until exclude each other: the number of calls is fixed");
    return records_fit(options, error);
}
