/*
 * main_host.c - the frozen host: input → box → output → check → verdict → report.
 *
 *   main_host PROBLEM [options] [INPUT...]      ldistance FILE1 FILE2 [ANSWER]
 *
 * It holds the inputs, the answers, the clock and the verdict. The submission runs in another process (the
 * runner, in a box) which gets one input at a time and never an answer. The host builds nothing, links no user
 * code and has no CUDA context. What it prints is in docs/FORMATS.md, what it trusts in docs/ARCHITECTURE.md.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "problems/problem.h"
#include "toolkit.h"
#include "verify/box/box.h"
#include "verify/box/cgroup.h"
#include "verify/judge/device.h"
#include "verify/inspect/elfinfo.h"
#include "verify/gpu/gpu_use.h"
#include "verify/cases/frozen.h"
#include "verify/cases/league.h"
#include "verify/base/limits.h"
#include "verify/judge/options.h"
#include "verify/cases/package.h"
#include "verify/base/parallel.h"
#include "problems/prepare.h"
#include "verify/box/processor.h"
#include "verify/judge/ranking.h"
#include "verify/wire/reap.h"
#include "verify/result/record.h"
#include "verify/result/report.h"
#include "verify/base/root.h"
#include "verify/inspect/rules.h"
#include "verify/judge/session.h"
#include "verify/base/stats.h"
#include "verify/base/text.h"

/* Everything that main() sets up for the judging. */
struct host {
    struct options options;
    const struct problem *problem;
    struct package package;
    struct league league;
    uint64_t seed;                      /* of generated inputs: --seed, or a seal's, which nothing may tell */
    struct random_key secret;           /* what checks by samples draw them from: no submission can know it */
    struct cgroup_place cgroup;         /* where the sessions' cgroups are made, with BOX_CGROUP */
    struct session_config session;
    struct elfinfo submission;
    struct device device;
    struct gpu_use use;
    char root[PATH_MAX / 2];            /* the toolkit's folder */
    char build[PATH_MAX / 2];           /* where this program stands */
    char runner[PATH_MAX];              /* the problem's runner */
    char submission_path[PATH_MAX];     /* the shared object */
    char empty[PATH_MAX];               /* the empty submission for the chosen device */
    struct processors processors;
    struct arguments *arguments;        /* of the cases to be run, or of --generate */
    struct prepare prepare;             /* inputs and answers of their calls */
    struct result result;
};

/* What one case is run on: an input that is there, or one that is made for each call. */
struct source {
    const char *name;
    bool generated;            /* else the input is that of files */
    size_t number;             /* of its arguments, if it is generated */
    struct blob input, answer; /* of files; answer empty where the reference is to compute it */
};

/* ------------------------------------------------------------------ set-up, in the order of main() */

static const char *alias_problem(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    for (const struct problem *const *p = problems; *p; p++)
        if ((*p)->alias && strcmp((*p)->alias, name) == 0)
            return (*p)->name;
    return NULL;
}

static int print_help(void)
{
    fputs(options_help, stdout);
    for (const struct problem *const *p = problems; *p; p++)
        printf("%sINPUT of %s: %s\n", p == problems ? "\n" : "", (*p)->name, (*p)->input_usage);
    return EXIT_ACCEPTED;
}

/* The version, the digest of the host's files, and for each problem that of the host's and its own. */
static int print_version(void)
{
    char hex[DIGEST_HEX];

    frozen_digest(NULL, hex);
    printf("%s\nfrozen %s\n", TOOLKIT_VERSION, hex);
    for (const struct problem *const *p = problems; *p; p++) {
        frozen_digest((*p)->name, hex);
        printf("frozen %s %s\n", (*p)->name, hex);
    }
    return fflush(stdout) == 0 ? EXIT_ACCEPTED : EXIT_TOOLKIT;
}

static int list_devices(struct host *host)
{
    struct error error;
    bool found = root_find(host->build, host->root, sizeof host->root, &error);

    device_list(host->build, found ? NULL : &error);
    return EXIT_ACCEPTED;
}

static bool choose_problem(struct host *host, struct error *error)
{
    char all[256] = "";

    host->problem = problem_find(host->options.problem);
    if (!host->problem) {
        for (const struct problem *const *p = problems; *p; p++)
            snprintf(all + strlen(all), sizeof all - strlen(all), " %s", (*p)->name);
        return error_usage(error, "there is no problem '%s'; there are:%s", host->options.problem, all);
    }
    host->result.problem = host->problem->name;
    if (!package_load(&host->package, host->root, host->problem->name, error) ||
        !package_check_frozen(&host->package, host->root, host->problem->name, error) ||
        !league_choose(&host->league, &host->package, host->options.league, error))
        return false;
    host->result.league = host->league.name;
    if (host->options.ranked && !host->options.seeded && !host->options.seal &&
        getrandom(&host->options.seed, sizeof host->options.seed, 0) < 0)
        return error_system(error, "cannot draw a random number");
    host->result.seed = host->options.seed;
    if (!record_seed(&host->result.record, host->problem->name, host->league.name, &host->seed, error))
        return false;
    host->secret.seed = host->options.check_seed;
    if (!host->options.check_seeded && getrandom(&host->secret.seed, sizeof host->secret.seed, 0) < 0)
        return error_system(error, "cannot draw a random number");
    host->result.check_seed = host->secret.seed;
    return true;
}

/* The shared object, what language it is in, and the runner for it. */
static bool choose_submission(struct host *host, struct error *error)
{
    const char *path = host->options.submission;
    char standard[PATH_MAX];

    if (!path) {
        snprintf(standard, sizeof standard, "%s/submissions/%s.so", host->build, host->problem->name);
        path = standard;
    }
    host->result.submission = path == standard ? "the default submission" : path;
    host->result.source = host->options.source;
    if (!elfinfo_read(path, &host->submission, error))
        return false;
    if (!realpath(path, host->submission_path))
        return error_usage(error, "cannot open the submission '%s': %s", path, strerror(errno));
    host->result.submission = host->submission_path;
    if (!host->submission.has_device_user)
        return error_usage(error, "'%s' does not export device_user: define it as device_user.h declares it", path);
    snprintf(host->runner, sizeof host->runner, "%s/runners/%s", host->build, host->problem->name);
    if (access(host->runner, X_OK) != 0)
        return error_toolkit(error, "cannot start '%s': %s; run 'make'", host->runner, strerror(errno));
    if (host->submission.cuda_library[0] && host->submission.opencl_library[0])
        return error_usage(error, "'%s' uses CUDA and OpenCL: one of them, please", path);
    host->result.language = host->submission.cuda_library[0]     ? "CUDA"
                            : host->submission.opencl_library[0] ? "OpenCL"
                                                                 : "C";
    host->result.cuda_library = host->submission.cuda_library;
    return record_submission(&host->result.record, path, host->options.source, error);
}

static bool choose_device(struct host *host, struct error *error)
{
    struct device *device = &host->device;
    struct result *result = &host->result;

    if (!device_choose(device, &host->options, &host->submission, result->language, host->build, error))
        return false;
    if (host->options.device_memory_limit && device->kind != DEVICE_GPU)
        return error_usage(error, "--device-memory-limit: only a GPU's memory is limited, and the submission runs on"
                                  " '%s'", device_kind_name(device->kind));
    result->device_kind = device_kind_name(device->kind);
    result->device_name = device->name;
    if (device->kind == DEVICE_GPU) {
        result->gpu_uuid = device->gpu.uuid;
        result->driver = device->gpu.driver;
    }
    result->simulated = device->kind == DEVICE_SIM;
    result->variables = result->simulated ? device->simulator.variables : NULL;
    return true;
}

/* Seconds that a call may take on the chosen device. */
static double time_limit(const struct host *host)
{
    if (host->options.time_limit > 0)
        return host->options.time_limit;
    if (host->device.kind == DEVICE_SIM)
        return host->package.sim_time_limit;
    return host->device.kind == DEVICE_GPU ? host->package.gpu_time_limit : host->package.cpu_time_limit;
}

/* The box that is reached here, as the options ask. */
static bool reach_box(struct host *host, enum box_level *level, struct error *error)
{
    const enum box_choice choice = host->options.box;
    const enum box_level wanted = choice == BOX_CHOICE_CGROUP       ? BOX_CGROUP
                                  : choice == BOX_CHOICE_NAMESPACES ? BOX_NAMESPACES
                                                                    : BOX_NONE,
                         required = wanted > host->options.require_box ? wanted : host->options.require_box;
    const char *why = "--box none";

    *level = choice == BOX_CHOICE_NONE ? BOX_NONE : box_probe(&why);
    if (*level == BOX_NAMESPACES && choice == BOX_CHOICE_NAMESPACES)
        why = "--box namespaces";
    else if (*level == BOX_NAMESPACES && cgroup_find(&host->cgroup, &why))
        *level = BOX_CGROUP;
    if (*level < required)
        return error_toolkit(error, "--%s %s: the box reached here is '%s': %s",
                             required == wanted ? "box" : "require-box", box_level_name(required),
                             box_level_name(*level), why);
    if (*level == BOX_NONE && choice != BOX_CHOICE_NONE)
        return error_toolkit(error, "there is no box to run the submission in: %s: install bubblewrap and allow user "
                             "namespaces, or say --box none to run code that you trust", why);
    host->result.box = box_level_name(*level);
    host->result.box_layers = box_layers(*level);
    host->result.box_lacks = why;
    return true;
}

static void make_way(const void *processors) { processors_make_way(processors); }

static bool choose_box(struct host *host, struct error *error)
{
    enum box_level level = BOX_NONE;
    const bool cuda = host->submission.cuda_library[0] != '\0', opencl = host->submission.opencl_library[0] != '\0';
    const bool on_gpu = host->device.kind == DEVICE_GPU, simulated = host->device.kind == DEVICE_SIM;
    const size_t memory = host->options.memory_limit ? host->options.memory_limit : host->package.memory_limit;
    const size_t beside = limit_memory_runner + (cuda || opencl ? limit_memory_driver : 0);

    if (!reach_box(host, &level, error))
        return false;
    if (level == BOX_NONE && !record_may_do_without_box(&host->result.record, host->result.box_lacks, error))
        return false;
    if (host->options.ranked && level == BOX_NONE)
        return error_toolkit(error, "--ranked: no times rank that were taken without a box");
    host->processors.runner = PROCESSOR_ANY;
    if (!simulated && !(opencl && !on_gpu)) /* the simulator and PoCL use every processor that there is */
        processors_claim(&host->processors);
    if (host->processors.runner != PROCESSOR_ANY)
        parallel_begin(host->processors.others > 0 ? (size_t)host->processors.others : 1, make_way, &host->processors);
    if (host->use.warden.pid > 0)
        processors_confine(&host->processors, host->use.warden.pid);
    host->session = (struct session_config){
        .box = { .level = level,
                 .filter = opencl && !on_gpu ? FILTER_PROCESSES : FILTER_STRICT,
                 .runner = host->runner,
                 .submission = host->submission_path,
                 .runtime = cuda     ? host->submission.cuda_library
                            : opencl ? host->submission.opencl_library
                                     : NULL,
                 .opencl = opencl ? host->device.opencl_folder : NULL,
                 .opencl_driver = host->device.opencl_driver,
                 .library_path = cuda && host->device.cuda_folder[0] ? host->device.cuda_folder : NULL,
                 .library_alone = simulated,
                 .variables = simulated ? host->device.simulator.variables : NULL,
                 .gpu_minor = on_gpu ? host->device.gpu.minor : -1,
                 .gpu_uuid = on_gpu ? host->device.gpu.uuid : NULL,
                 .one_queue = cuda && !host->submission.many_streams },
        .start_limit = limit_start,
        .call_limit = time_limit(host),
        .cgroup = &host->cgroup,
        .memory_limit = memory,
        .image = host->submission.image,
        .memory_beside = beside + host->device.simulator.memory_in_use,
        .data_limit = memory + beside + host->device.simulator.host_memory + limit_data_slack,
        .address_limit = cuda || opencl ? 0 : memory + limit_address_slack,
        .output_limit = host->package.output_limit,
        .processor = host->processors.runner,
        .spin = host->processors.others > 0,
        .exit_handlers = simulated,
        .reports = simulated && host->options.explain,
        .gpu = on_gpu ? &host->device.gpu : NULL,
        .device_memory_limit = !on_gpu                           ? 0
                               : host->options.device_memory_limit ? host->options.device_memory_limit
                                                                   : host->package.device_memory_limit,
        .page_lock = cuda,
        .stops = !opencl || on_gpu,
    };
    snprintf(host->empty, sizeof host->empty, "%s/%s.so", host->build, cuda ? "empty_gpu" : "empty");
    return true;
}

/*
 * The GPU, for the length of the judging. Its warden takes a third of a second to get ready: that need not be waited
 * for.
 */
static bool claim_gpu(struct host *host, struct error *error)
{
    char program[PATH_MAX];

    snprintf(program, sizeof program, "%s/gpu_warden", host->build);
    return host->device.kind != DEVICE_GPU ||
           gpu_use_begin(&host->use, &host->device.gpu, program, host->options.warden, error);
}

/* Before the first process of the submission. */
static bool settle_gpu(struct host *host, struct error *error)
{
    if (host->device.kind != DEVICE_GPU || host->use.settled)
        return true;
    if (!gpu_use_settle(&host->use, error))
        return false;
    if (host->use.busy && host->options.ranked)
        return error_toolkit(error, "the GPU %s is in use by another process: no times on it can rank",
                             host->device.gpu.uuid);
    if (host->use.busy)
        fprintf(stderr, "main_host: the GPU %s is in use by another process: times on it may be theirs too\n",
                host->device.gpu.uuid);
    else
        host->session.warden = &host->use.warden;
    host->result.gpu_before = &host->use.before;
    host->result.gpu_after = &host->use.after;
    if (host->use.before.processes > 0 && !host->use.busy)
        fprintf(stderr, "main_host: %u other processes have memory on the GPU %s\n", host->use.before.processes,
                host->device.gpu.uuid);
    return true;
}

/* ------------------------------------------------------------------ one case */

/* What an empty submission takes on this input, for the times that rank. */
static bool calibrate(struct host *host, const struct blob *input, struct case_result *result, struct error *error)
{
    return !host->options.ranked ||
           ranking_calibrate(&host->session, host->empty, input, host->problem->output_size(input), &result->overhead,
                             error);
}

/*
 * Takes in the times of a call that returned: whether they count. Of a ranked case the first call does not, which the
 * warden watched, nor one that was disturbed while there are calls left to make it again.
 */
static void take_times(struct host *host, const struct session *session, struct case_result *result)
{
    struct session_times *times = &result->times[result->timed];
    const size_t left = ranking_most_calls(host->options.repeat) - result->calls;
    struct gpu_state state;

    if (session->audit) {
        result->used_gpu = session->used_gpu;
        if (!result->used_gpu && host->package.must_use_gpu) {
            host->result.review = true;
            fprintf(stderr, "main_host: the submission did not use the GPU in case %s, and the problem asks for it: "
                            "to be reviewed, not ranked\n", result->name);
        }
        return;
    }
    if (host->options.ranked && host->device.kind == DEVICE_GPU && gpu_read(&host->device.gpu, &state))
        times->reasons = state.reasons;
    if (host->options.ranked && ranking_disturbed(result->times, result->timed + 1)) {
        if (left >= host->options.repeat - result->timed) {
            result->disturbed++;
            return;
        }
        result->unsteady = true;
    }
    result->timed++;
}

/* Judges one call's facts and output into *result; true to go on. */
static bool judge_call(const struct host *host, struct facts *facts, const struct blob *input,
                       const struct blob *answer, const struct blob *output, struct case_result *result)
{
    char words[256] = "", why[400], which[48] = "";

    if (host->options.repeat > 1 && facts->called)
        snprintf(which, sizeof which, ", call %zu%s", result->calls, host->options.ranked ? "" : " of ");
    if (host->options.repeat > 1 && facts->called && !host->options.ranked)
        snprintf(which + strlen(which), sizeof which - strlen(which), "%zu", host->options.repeat);
    if (facts->outcome == OUTCOME_DONE) {
        facts->check = host->problem->check(input, answer, output, words, sizeof words);
        facts->detail = words;
    }
    result->verdict = verdict_of(facts, why, sizeof why);
    if (result->verdict != VERDICT_AC)
        snprintf(result->message, sizeof result->message, "%s in case %s%s", why, result->name, which);
    return result->verdict == VERDICT_AC;
}

/* Whether the calls made so far are enough, by --until. */
static bool known_well(const struct host *host, const struct case_result *result)
{
    double *samples = host->options.until > 0 ? calloc(result->timed + 1, sizeof *samples) : NULL;
    bool enough;

    if (!samples)
        return false;
    for (size_t i = 0; i < result->timed; i++)
        samples[i] = result->times[i].total;
    enough = stats_until(samples, result->timed, host->options.until);
    free(samples);
    return enough;
}

/* Compares the last call, whose answer was right, with the least time that it can take on this device. */
static void check_floor(struct host *host, const struct blob *input, const struct blob *answer,
                        struct case_result *result)
{
    const struct peak *peak = host->device.kind == DEVICE_GPU ? &host->package.gpu_peak : &host->package.cpu_peak;
    double seconds = result->timed > 0 ? result->times[result->timed - 1].total : 0;
    struct work work = { 0 };

    if (result->timed == 0 || !host->problem->work || host->device.kind == DEVICE_SIM || result->below_floor ||
        !(peak->link + peak->operations > 0))
        return;
    host->problem->work(input, answer, &work);
    result->floor = floor_seconds(&work, peak);
    if (!(seconds < result->floor))
        return;
    result->below_floor = host->result.review = true;
    fprintf(stderr, "main_host: faster than possible: call %zu of case %s took %.9f s, and no known way takes less "
                    "than %.9f s: to be reviewed, not ranked\n", result->calls, result->name, seconds, result->floor);
}

/* Before the first run: the box, and what stands in for what. */
static void tell_device(const struct host *host)
{
    const char *lacks = host->result.box_lacks;

    if (host->session.box.level == BOX_NONE)
        fprintf(stderr, "main_host: box: none (--box none): run only code that you trust\n");
    else
        fprintf(stderr, "main_host: box: %s%s%s%s\n", host->result.box, lacks ? " (no cgroup: " : "",
                lacks ? lacks : "", lacks ? ")" : "");
    if (host->device.no_gpu && host->device.kind == DEVICE_CPU)
        fprintf(stderr, "main_host: no usable NVIDIA GPU (%s): the OpenCL submission runs on the CPU, by PoCL; its "
                        "times are not ranked\n", host->device.no_gpu);
    else if (host->device.no_gpu)
        fprintf(stderr, "main_host: no usable NVIDIA GPU (%s): the CUDA submission runs on the simulator; times are "
                        "simulated and not ranked\n", host->device.no_gpu);
}

/* All calls of one case, in one runner. False only for the host's own failure. */
static bool run_case(struct host *host, struct source *source, struct case_result *result, struct error *error)
{
    struct blob input = source->input, answer = source->answer, output = { 0 };
    struct session *session = calloc(1, sizeof *session);
    const size_t calls = host->options.repeat + host->options.ranked; /* of ranked ones the first does not count */
    struct facts facts;
    bool generated = source->generated, ok = false, killed;

    result->name = source->name;
    result->limit = host->session.call_limit;
    result->memory_limit = host->session.memory_limit;
    result->device_memory_limit = host->session.device_memory_limit;
    result->times = calloc(host->options.repeat, sizeof *result->times);
    if (host->result.record.signs)
        result->inputs = calloc(ranking_most_calls(host->options.repeat), sizeof *result->inputs);
    if (!session || !result->times || (host->result.record.signs && !result->inputs)) {
        error_toolkit(error, "out of memory");
        free(session);
        return false;
    }
    if (generated ? !prepare_call(&host->prepare, source->number, 0, calls, &input, &answer, error)
                  : answer.size == 0 && !host->problem->reference(&input, &host->secret, &answer, error))
        goto out_memory;
    if (host->result.case_count == 1)
        tell_device(host);
    host->problem->describe(stdout, &input, &answer);
    fflush(stdout);

    if (!settle_gpu(host, error) || !calibrate(host, &input, result, error))
        goto out_memory;
    facts = session_open(session, &host->session, host->problem->output_size(&input));
    result->start_seconds = session->start_seconds;
    if (facts.outcome != OUTCOME_DONE)
        judge_call(host, &facts, &input, &answer, &output, result);
    while (facts.outcome == OUTCOME_DONE && result->timed < host->options.repeat) {
        if (result->calls > 0 && generated &&
            !prepare_call(&host->prepare, source->number, result->calls, host->options.repeat - result->timed, &input,
                          &answer, error))
            goto out;
        if (host->problem->output_size(&input) != session->output_size) {
            ok = error_toolkit(error, "the calls of case %s have outputs of different sizes", source->name);
            goto out;
        }
        session->audit = host->options.ranked && result->calls == 0;
        if (result->inputs)
            digest_bytes(input.data, input.size, result->inputs[result->calls]);
        result->calls++;
        facts = session_call(session, &input, &output, &result->times[result->timed]);
        if (facts.outcome == OUTCOME_DONE)
            take_times(host, session, result);
        if (!judge_call(host, &facts, &input, &answer, &output, result))
            break;
        check_floor(host, &input, &answer, result);
        if (known_well(host, result))
            break;
    }
    /* Of the last call: showing a large output may take as long as judging it. */
    host->problem->show_answer(&input, &answer, result->answer, sizeof result->answer);
    if (facts.outcome == OUTCOME_DONE && !facts.unwritten && output.data)
        host->problem->show_output(&input, &output, result->output, sizeof result->output);
    ok = true;
out:
    killed = !session->idle;
    if (!session_close(session) && ok)
        ok = error_toolkit(error, "a process of the submission could not be ended: this machine is unfit to judge");
    if (ok && killed && host->use.gpu)
        ok = gpu_use_probe(&host->use, error);
    result->end_seconds = session->end_seconds;
    result->device_memory_peak = session->device_memory_peak;
    result->memory_peak = session->memory_peak;
    memcpy(result->reports, session->reports, sizeof result->reports);
    result->printed = session->printed;
    result->printed_kept = session->printed < sizeof session->text ? session->printed : sizeof session->text;
    if (result->printed_kept > 0 && (result->printed_text = malloc(result->printed_kept)))
        memcpy(result->printed_text, session->text, result->printed_kept);
    else
        result->printed_kept = 0;
out_memory:
    blob_release(&output);
    blob_release(&input);
    blob_release(&answer);
    source->input = source->answer = (struct blob){ 0 };
    free(session);
    return ok;
}

/* ------------------------------------------------------------------ all cases */

/* Runs one case and reports it as it goes. False only for the host's own failure. */
static bool judge_case(struct host *host, struct source *source, struct error *error)
{
    struct result *result = &host->result;
    struct case_result *case_result = &result->cases[result->case_count];

    if (source->generated)
        printf("%scase %s\n", result->case_count > 0 ? "\n" : "", source->name);
    result->case_count++;
    case_result->verdict = VERDICT_NO;
    if (!run_case(host, source, case_result, error)) {
        case_result->verdict = VERDICT_JE;
        return false;
    }
    report_case(stdout, case_result, host->options.repeat, result->simulated);
    fflush(stdout);
    report_printed(stderr, case_result, result->simulated);
    if (host->session.reports)
        report_explain(stdout, stderr, case_result);
    if (case_result->verdict != VERDICT_AC && result->verdict == VERDICT_AC) {
        result->verdict = case_result->verdict;
        snprintf(result->message, sizeof result->message, "%s", case_result->message);
    }
    return true;
}

static bool case_is_asked_for(const struct host *host, const struct package_case *test_case)
{
    const struct options *options = &host->options;

    if (options->test_case)
        return strcmp(options->test_case, test_case->name) == 0;
    return package_case_in_group(test_case, options->group) && league_has_case(&host->league, test_case);
}

/* Whether a case is too large for the device, and was not asked for by its own name or its group's. */
static bool case_is_left_out(const struct host *host, const struct package_case *test_case)
{
    return test_case->gpu_only && host->device.kind != DEVICE_GPU && !host->options.test_case &&
           !strchr(host->options.group, '/');
}

static bool case_is_wanted(const struct host *host, const struct package_case *test_case)
{
    return case_is_asked_for(host, test_case) && !case_is_left_out(host, test_case);
}

/*
 * How many cases the options ask for, without those that are left out. Where times are compared on none of the league's
 * that this device can do, all secret ones are taken.
 */
static size_t count_cases(struct host *host)
{
    size_t wanted = 0;

    host->result.left_out = 0;
    for (size_t i = 0; i < host->package.case_count; i++)
        if (case_is_asked_for(host, &host->package.cases[i])) {
            wanted += !case_is_left_out(host, &host->package.cases[i]);
            host->result.left_out += case_is_left_out(host, &host->package.cases[i]);
        }
    if (wanted > 0 || host->options.test_case || strcmp(host->options.group, "ranked") != 0)
        return wanted;
    host->options.group = "secret";
    return count_cases(host);
}

/* Room for the results and arguments of `count` cases, whose arguments the caller fills in. */
static bool expect_cases(struct host *host, size_t count, struct error *error)
{
    host->result.cases = calloc(count, sizeof *host->result.cases);
    host->arguments = calloc(count, sizeof *host->arguments);
    if (!host->result.cases || !host->arguments)
        return error_toolkit(error, "out of memory");
    host->prepare = (struct prepare){ .problem = host->problem, .seed = host->seed, .secret = &host->secret,
                                      .cases = host->arguments, .case_count = count,
                                      .processors = host->processors.runner == PROCESSOR_ANY ? NULL : &host->processors,
                                      .sure = host->options.ranked };
    return true;
}

/* The cases of the package that the options ask for. False only for the host's own failure. */
static bool judge_cases(struct host *host, struct error *error)
{
    struct result *result = &host->result;
    size_t wanted = count_cases(host), number = 0;

    if (wanted == 0)
        return error_usage(error, "the problem '%s' has no %s '%s'%s%s", host->problem->name,
                           host->options.test_case ? "case" : "group of cases",
                           host->options.test_case ? host->options.test_case : host->options.group,
                           host->league.name[0] ? " in the league " : "", host->league.name);
    if (!expect_cases(host, wanted, error))
        return false;
    for (size_t i = 0; i < host->package.case_count; i++)
        if (case_is_wanted(host, &host->package.cases[i]) &&
            !arguments_parse(&host->arguments[number++], host->package.cases[i].line, error))
            return false;
    result->verdict = VERDICT_AC;
    for (size_t i = 0; i < host->package.case_count; i++) {
        const struct package_case *test_case = &host->package.cases[i];
        struct source source = { .name = test_case->name, .generated = true, .number = result->case_count };

        if (!case_is_wanted(host, test_case))
            continue;
        if (!judge_case(host, &source, error))
            return false;
        if (wanted > 1 && result->cases[result->case_count - 1].verdict == VERDICT_AC)
            report_verdict(stdout, VERDICT_AC, "");
        if (result->verdict != VERDICT_AC && !host->options.keep_going)
            break;
    }
    if (wanted > 1)
        printf("\n%zu of %zu cases were run\n", result->case_count, wanted);
    if (result->left_out > 0)
        printf("%zu more are for a GPU only and were left out\n", result->left_out);
    return true;
}

/* The input on the command line, or made from it. It is read before anything runs. */
static bool judge_input(struct host *host, struct error *error)
{
    struct source source = { .name = "input", .generated = host->options.generate != NULL };

    if (!expect_cases(host, 1, error))
        return false;
    if (source.generated ? !arguments_parse(host->arguments, host->options.generate, error)
                         : !host->problem->load(host->options.input_count, host->options.inputs, &source.input,
                                                &source.answer, error)) {
        blob_release(&source.input);
        blob_release(&source.answer);
        return false;
    }
    host->result.verdict = VERDICT_AC;
    return judge_case(host, &source, error);
}

/* Whether the submission keeps its league's rules; the verdict is SV where it does not. */
static bool keeps_rules(struct host *host, bool *kept, struct error *error)
{
    char *broken = host->result.message;

    if (!rules_check(host->submission_path, host->league.rules, broken, sizeof host->result.message, error))
        return false;
    *kept = broken[0] == '\0';
    if (!*kept)
        host->result.verdict = VERDICT_SV;
    return true;
}

/* A submission that did not compile: shows the compiler's first words. */
static bool judge_compile_error(struct host *host, struct error *error)
{
    struct blob log = { 0 };
    const char *line;
    size_t length;

    if (!record_submission(&host->result.record, NULL, host->options.source, error) ||
        !blob_read_file(&log, host->options.compile_error, (size_t)1 << 30, error))
        return false;
    report_foreign(stderr, "", (const char *)log.data, log.size, 8192);
    /* The log ends with a zero byte: blob_alloc() rounds up. An empty log has none, nor words. */
    line = log.size > 0 && log.size % BLOB_ALIGNMENT != 0 ? text_compile_error((const char *)log.data, &length) : NULL;
    host->result.verdict = VERDICT_CE;
    host->result.source = host->options.source;
    snprintf(host->result.message, sizeof host->result.message, "the submission does not compile%s%.*s",
             line ? ": " : "", line ? (int)length : 0, line ? line : "");
    blob_release(&log);
    return true;
}

static bool judge(struct host *host, struct error *error)
{
    bool kept;

    if (!choose_problem(host, error))
        return false;
    if (host->options.compile_error)
        return judge_compile_error(host, error);
    if (!choose_submission(host, error) || !choose_device(host, error) || !keeps_rules(host, &kept, error))
        return false;
    if (!kept)
        return true;
    if (!claim_gpu(host, error) || !choose_box(host, error))
        return false;
    return host->options.input_count > 0 || host->options.generate ? judge_input(host, error)
                                                                   : judge_cases(host, error);
}

static void host_release(struct host *host)
{
    for (size_t i = 0; i < host->result.case_count; i++) {
        free(host->result.cases[i].times);
        free(host->result.cases[i].inputs);
        free(host->result.cases[i].printed_text);
        for (int k = 0; k < SESSION_REPORTS; k++)
            free(host->result.cases[i].reports[k].text);
    }
    free(host->result.cases);
    prepare_release(&host->prepare);
    free(host->arguments);
    package_release(&host->package);
}

int main(int argc, char **argv)
{
    static struct host host;
    struct error error = { 0 };
    bool ok;

    signal(SIGPIPE, SIG_IGN); /* a reader of ours that goes away must not end the judging */
    reap_adopt();
    if (!options_parse(&host.options, argc, argv, alias_problem(argv[0]), &error)) {
        fprintf(stderr, "main_host: %s\n", error.text);
        return error.code;
    }
    if (host.options.help)
        return print_help();
    if (host.options.version)
        return print_version();
    if (host.options.devices)
        return list_devices(&host);

    host.result.verdict = VERDICT_NO;
    host.result.repeat = host.options.repeat;
    host.result.ranked = host.options.ranked;
    host.result.record.options = &host.options;
    ok = (!host.options.json || report_json_begin(host.options.json, &error)) &&
         record_begin(&host.result.record, &error) && root_find(host.build, host.root, sizeof host.root, &error) &&
         judge(&host, &error);
    gpu_use_end(&host.use);
    if (!ok && error.code == EXIT_TOOLKIT) {
        host.result.verdict = VERDICT_JE;
        snprintf(host.result.message, sizeof host.result.message, "%s", error.text);
    }
    if (!ok)
        fprintf(stderr, "main_host: %s\n", error.text);
    else
        report_verdict(stdout, host.result.verdict, host.result.message);
    if (host.options.json && (ok || error.code == EXIT_TOOLKIT)) {
        struct error unwritten;

        if (!report_json(&host.result, host.options.json, &unwritten)) {
            fprintf(stderr, "main_host: %s\n", unwritten.text);
            ok = false;
            error = unwritten;
        }
    }
    host_release(&host);
    return ok ? verdict_exit_code(host.result.verdict) : (int)error.code;
}
