/*
 * main_host.c - the frozen host: input → box → output → check → verdict → report.
 *
 *   main_host PROBLEM [options] [INPUT...]      ldistance FILE1 FILE2 [ANSWER]
 *
 * Theory of operation
 * Processes. The host is one process. It builds nothing, links no user code and has no CUDA context. For each case it
 * starts one runner, and with --ranked one more before it, for a submission that does nothing. In a box a runner is
 * four processes, each the child of the one before:
 *
 *   host ── guard ── bubblewrap ── bubblewrap's init in the box ── runner, which loads device_user.so
 *     └──── warden, on a GPU only: holds a CUDA context, watches the GPU and empties its cache
 *
 * Before the first case one more, inspect, reads device_user.so as data and answers what it is: verify/inspect.
 *
 * The guard (verify/wire/guard.c) lives a moment longer than the host: if the host is killed, it ends the rest.
 * Orphans become children of the host or the guard, so no process escapes by forking. Without a box the runner is the
 * host's child.
 *
 * Pipes. Host and runner have one socket pair, descriptor 3 of the runner; verify/wire/channel.h lists the messages.
 * A pipe carries what the submission prints. The simulator has two more for its reports. Inputs and outputs use none of
 * them: they are in anonymous memory, whose descriptor is sent with a message.
 *
 * Trust. The host holds inputs, answers, the clock, the seed and the verdict. The runner gets one input at a time,
 * after the clock has started, and never an answer. It maps the output memory for its whole life. The host fills this
 * memory with random bytes before a call, copies it when the runner says "done", and checks the copy. The runner's own
 * times are only hints. The host trusts its kernel and its clock, and nothing that a submission can write.
 *
 * A call. Before the clock starts, the input is made (problems/prepare.c makes several ahead), the GPU is idle, its
 * cache is empty, and the runner is awake. The clock starts; RUN goes out with the input; DONE comes back; the clock
 * stops; the output is checked: verify/judge/session.h. A large input is written while the runner is stopped (SIGSTOP).
 *
 * A judging. judge() below has the order: problem, submission, device, rules of the league, GPU, box, cases. Each step
 * fills in its part of struct host and refuses what it cannot do. A wrong command line or file is the caller's fault
 * (exit code 2); a failing machine is ours (3, and the verdict JE). The first verdict that is not AC ends the judging,
 * unless --keep-going is given. docs/formats/result.md describes the output, docs/ARCHITECTURE.md the trust.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "problems/prepare.h"
#include "problems/problem.h"
#include "problems/second.h"
#include "problems/series.h"
#include "toolkit.h"
#include "verify/base/clock.h"
#include "verify/base/limits.h"
#include "verify/base/parallel.h"
#include "verify/base/root.h"
#include "verify/base/shared_map.h"
#include "verify/box/processor.h"
#include "verify/cases/floor.h"
#include "verify/cases/frozen.h"
#include "verify/cases/league.h"
#include "verify/cases/package.h"
#include "verify/cases/selection.h"
#include "verify/gpu/gpu_use.h"
#include "verify/judge/device.h"
#include "verify/judge/options.h"
#include "verify/judge/probe.h"
#include "verify/judge/ranking.h"
#include "verify/judge/ready.h"
#include "verify/judge/session.h"
#include "verify/judge/setup.h"
#include "verify/result/calls.h"
#include "verify/result/counting.h"
#include "verify/result/record.h"
#include "verify/result/report.h"
#include "verify/result/seeds.h"
#include "verify/wire/reap.h"

/* Everything that main() sets up for a judging. */
struct host {
    struct options options;
    const struct problem *problem;
    struct package package;
    struct league league;
    struct seeds seeds;                 /* of generated inputs: --seed, or a seal's, which stay secret */
    struct random_key secret;           /* seeds the checks by samples; no submission can know it */
    struct submission submission;
    struct device device;
    struct walls walls;                 /* the box that this machine can make */
    struct gpu_use use;                 /* the GPU and its warden, from claim_gpu() to the end */
    struct session_config session;      /* starts the session of every case */
    struct session_config empty;        /* starts a session of a submission that does nothing */
    struct ready ready;                 /* runners started before they are needed */
    char root[PATH_MAX / 2];            /* the toolkit's folder */
    char build[PATH_MAX / 2];           /* the folder of this program */
    struct processors processors;       /* the runner's, and the host's own */
    struct arguments *arguments;        /* of the cases to be run, or of --generate */
    const char **names;                 /* names of the same cases */
    struct prepare prepare;             /* inputs and answers of their calls */
    struct result result;
};

/* The input of one case: one from a file, or a new one for each call. */
struct source {
    const char *name;
    bool generated;            /* else the input is from files */
    size_t number;             /* index of its arguments, if it is generated */
    struct blob input, answer; /* from files; an empty answer is computed by the reference */
    struct blob decoy;         /* an input that no call gets; or nothing */
    size_t decoys;             /* number of decoys made */
};

/* ------------------------------------------------------------------ the options, and the steps of judge() */

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

/* Prints the version, the digest of the host's files, and one digest per problem of the host's and its own files. */
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
    if (!record_seeds(&host->result.record, host->problem->name, host->league.name, &host->seeds, error))
        return false;
    host->secret.seed = host->options.check_seed;
    if (!host->options.check_seeded && getrandom(&host->secret.seed, sizeof host->secret.seed, 0) < 0)
        return error_system(error, "cannot draw a random number");
    host->result.check_seed = host->secret.seed;
    return true;
}

static bool choose_submission(struct host *host, struct error *error)
{
    struct submission *submission = &host->submission;
    const char *path = host->options.submission;
    bool ok;

    host->result.source = host->options.source;
    ok = submission_choose(submission, &host->options, host->build, host->problem->name, host->league.rules,
                           error);
    host->result.submission = submission->path[0] ? submission->path : path ? path : "the default submission";
    if (!ok)
        return false;
    if (host->package.resident && submission->file.opencl_library[0])
        return error_usage(error, "'%s' keeps its data in GPU memory for CUDA: the submission cannot use OpenCL",
                           host->problem->name);
    if (host->package.resident && submission->file.cuda_library[0])
        snprintf(submission->empty, sizeof submission->empty, "%s/empty_resident.so", host->build);
    host->result.language = submission->language;
    host->result.cuda_library = submission->file.cuda_library;
    return record_submission(&host->result.record, submission->path, host->options.source, error);
}

static bool choose_device(struct host *host, struct error *error)
{
    struct device *device = &host->device;
    struct result *result = &host->result;

    if (!device_choose(device, &host->options, &host->submission.file, result->language, host->build, error))
        return false;
    if (host->options.device_memory_limit && device->kind != DEVICE_GPU)
        return error_usage(error, "--device-memory-limit needs a GPU, but the submission runs on '%s'",
                           device_kind_name(device->kind));
    if (host->options.counters && device->kind != DEVICE_GPU)
        return error_usage(error, "--counters needs a GPU, but the submission runs on '%s'",
                           device_kind_name(device->kind));
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

static void make_way(const void *processors) { processors_make_way(processors); }

/* Chooses the box and the processors inside and outside it, and sets up the session from them. */
static bool choose_box(struct host *host, struct error *error)
{
    const struct setup setup = { .options = &host->options, .package = &host->package, .walls = &host->walls,
                                 .submission = &host->submission, .device = &host->device,
                                 .processors = &host->processors };

    if (!walls_reach(&host->walls, &host->options, host->build, &host->submission, error))
        return false;
    host->result.box = box_level_name(host->walls.level);
    host->result.box_layers = box_layers(host->walls.level, host->walls.other_user);
    host->result.box_lacks = host->walls.lacks;
    if (host->walls.level == BOX_NONE &&
        !record_may_do_without_box(&host->result.record, host->walls.lacks, error))
        return false;
    if (host->walls.level == BOX_LANDLOCK && host->device.kind == DEVICE_POCL)
        return error_toolkit(error, "OpenCL on a CPU writes files and starts compilers: it needs the box 'namespaces' "
                             "(%s)", host->walls.lacks);
    if (host->options.ranked && host->walls.level == BOX_NONE)
        return error_toolkit(error, "--ranked needs a box: times without a box do not rank");
    if (host->options.ranked && host->problem->fixed)
        return error_usage(error, "--ranked: every call of '%s' gets the same input, so the second call could repeat "
                           "the first answer", host->problem->name);
    host->processors.runner = PROCESSOR_ANY;
    /* The simulator and PoCL use every processor. */
    if (!host->result.simulated && host->device.kind != DEVICE_POCL)
        processors_claim(&host->processors);
    if (host->processors.runner != PROCESSOR_ANY)
        parallel_begin(host->processors.others > 0 ? (size_t)host->processors.others : 1, make_way, &host->processors);
    if (host->use.warden.pid > 0)
        processors_confine(&host->processors, host->use.warden.pid);
    host->session = setup_session(&setup);
    return true;
}

/* Takes the GPU for the whole judging. Its warden needs a third of a second to start; the host does not wait for it. */
static bool claim_gpu(struct host *host, struct error *error)
{
    char program[PATH_MAX];

    snprintf(program, sizeof program, "%s/gpu_warden", host->build);
    return host->device.kind != DEVICE_GPU ||
           gpu_use_begin(&host->use, &host->device.gpu, program, host->options.warden, error);
}

static bool refuses_tensor(const struct host *host) { return host->league.rules & 1u << RULE_TENSOR_CORES; }

/* Waits until the GPU is ready. Called before the first process of the submission. */
static bool settle_gpu(struct host *host, struct error *error)
{
    if (host->device.kind != DEVICE_GPU || host->use.settled)
        return true;
    if (!gpu_use_settle(&host->use, error))
        return false;
    if (host->use.busy && host->options.ranked)
        return error_toolkit(error, "another process uses the GPU %s: times on it cannot rank",
                             host->device.gpu.uuid);
    if (host->use.busy)
        fprintf(stderr, "main_host: another process uses the GPU %s: the times may include its work\n",
                host->device.gpu.uuid);
    else
        host->session.warden = &host->use.warden;
    if (host->options.counters || (refuses_tensor(host) && !host->options.no_counters))
        gpu_use_count(&host->use);
    if (host->use.no_counters && host->options.counters)
        fprintf(stderr, "main_host: --counters: %s\n", host->use.no_counters);
    if (host->use.no_counters && refuses_tensor(host))
        fprintf(stderr, "main_host: this league forbids tensor cores; only the code was checked for them, as the GPU "
                        "cannot count them: %s\n", host->use.no_counters);
    host->result.gpu_before = &host->use.before;
    host->result.gpu_after = &host->use.after;
    if (host->use.before.processes > 0 && !host->use.busy)
        fprintf(stderr, "main_host: %u other processes have memory on the GPU %s\n", host->use.before.processes,
                host->device.gpu.uuid);
    return true;
}

/* ------------------------------------------------------------------ one case */

/* Judges one call's facts and output into *result; true to go on. */
static bool judge_call(const struct host *host, struct facts *facts, const struct blob *input,
                       const struct blob *answer, const struct blob *output, struct case_result *result)
{
    struct finding finding = { 0 };

    if (facts->outcome == OUTCOME_DONE) {
        facts->check = host->problem->check(input, answer, output, &finding);
        facts->wrong = finding.reason;
        facts->detail = finding.detail;
    }
    return calls_take_verdict(result, facts, &host->options);
}

/* Compares the last call, whose answer was right, with the least time that it can take on this device. */
static void check_floor(struct host *host, const struct blob *input, const struct blob *answer,
                        struct case_result *result)
{
    const struct peak *peak = host->device.kind == DEVICE_GPU ? &host->package.gpu_peak : &host->package.cpu_peak;
    struct work work = { 0 };

    if (result->timed == 0 || !host->problem->work || host->device.kind == DEVICE_SIM || result->below_floor ||
        !(peak->link + peak->operations > 0))
        return;
    host->problem->work(input, answer, &work);
    calls_take_floor(result, &host->result, floor_seconds(&work, peak));
}

/* Makes input and answer of the next call of a generated case. Those from a file stay the same. */
static bool next_call(struct host *host, struct source *source, const struct case_result *result,
                      struct error *error)
{
    /* Of ranked calls the first does not count. */
    const size_t left = host->options.repeat - result->timed + (host->options.ranked && result->calls == 0);

    if (source->generated)
        return prepare_call(&host->prepare, source->number, result->calls, left, &source->input, &source->answer,
                            error);
    return result->calls > 0 || source->answer.size > 0 ||
           host->problem->reference(&source->input, &host->secret, &source->answer, error);
}

/*
 * Sets the traps before a call. A case from a file has none, as all its calls get the same input. The decoy is made
 * before the random draw, so that the time to make it does not show whether a trap follows.
 */
static bool set_traps(const struct host *host, struct session *session, struct source *source, struct facts *facts,
                      struct error *error)
{
    struct session_inputs decoy = { .calls = 1 };

    while (facts->outcome == OUTCOME_DONE && source->generated && session->resident.warden) {
        if (!source->decoy.data &&
            !prepare_decoys(&host->prepare, source->number, source->decoys++, 1, &source->decoy, error))
            return false;
        if (!session_draws_trap(session))
            break;
        decoy.data = source->decoy.data;
        decoy.size = source->decoy.size;
        *facts = session_trap(session, &decoy);
        blob_release(&source->decoy);
    }
    return true;
}

/* Checks the GPU's counters over all calls of the case. */
static void end_counting(struct host *host, struct session *session, struct source *source, struct facts *facts,
                         struct blob *output, struct case_result *result)
{
    struct counting counting = { .counters = &host->use.counters, .options = &host->options,
                                 .rule = { .no_tensor = refuses_tensor(host), .half = host->submission.file.half } };
    struct work work = { 0 };

    if (counting.rule.no_tensor && host->problem->work)
        host->problem->work(&source->input, &source->answer, &work);
    counting.rule.operations = work.operations;
    counting_end(&counting, session, &source->input, facts, output, result, &host->result);
}

/* Measures the throughput of a case accepted so far, if the problem asks for it and the calls have slots. */
static bool make_series(struct host *host, struct session *session, struct source *source, struct facts *facts,
                        struct case_result *result, struct error *error)
{
    const struct series_case series = {
        .prepare = &host->prepare,
        .number = source->number,
        .calls = series_calls(host->package.throughput, source->input.size, session->output_size),
        .input_size = source->input.size,
        .decoys = &source->decoys,
    };
    struct facts last = *facts;
    bool ok;

    if (!host->options.ranked || !session->resident.warden || !source->generated || series.calls == 0 ||
        result->verdict != VERDICT_AC)
        return true;
    ok = series_judge(&series, session, result, &last, error);
    gpm_add_calls(&host->use.counters, result->throughput.made, result->throughput.total);
    if (last.outcome != OUTCOME_DONE)
        *facts = last;
    return ok;
}

/* Makes all calls of one case in an open session, as *facts say. False only for the host's own failure. */
static bool make_calls(struct host *host, struct session *session, struct source *source, struct facts *facts,
                       struct blob *output, struct case_result *result, struct error *error)
{
    const struct blob *input = &source->input, *answer = &source->answer;
    struct gpm *counters = &host->use.counters;

    if (facts->outcome != OUTCOME_DONE)
        judge_call(host, facts, input, answer, output, result);
    while (facts->outcome == OUTCOME_DONE && result->timed < host->options.repeat) {
        /* The first ranked call does not count, so its counters do not count either. */
        if (result->calls == 0 || (result->calls == 1 && host->options.ranked))
            gpm_begin(counters);
        if (result->calls > 0 && !next_call(host, source, result, error))
            return false;
        if (host->problem->output_size(input) != session->output_size)
            return error_toolkit(error, "the calls of case %s have outputs of different sizes", source->name);
        session->audit = host->options.ranked && result->calls == 0;
        if (result->inputs) {
            digest_bytes(input->data, input->size, result->inputs[result->calls]);
            seeds_mark(&host->seeds, result->inputs[result->calls]);
        }
        /* All slow work comes before this: a trap and a real call then take the same steps. */
        if (!set_traps(host, session, source, facts, error))
            return false;
        result->calls++;
        if (facts->outcome == OUTCOME_DONE)
            *facts = session_call(session, input, output, &result->times[result->timed]);
        gpm_add_calls(counters, 1, facts->seconds);
        if (facts->outcome == OUTCOME_DONE)
            calls_take_times(result, &host->result, session, &host->options, host->package.must_use_gpu);
        if (!judge_call(host, facts, input, answer, output, result))
            break;
        check_floor(host, input, answer, result);
        if (calls_known_well(result, host->options.until))
            break;
    }
    if (!make_series(host, session, source, facts, result, error))
        return false;
    if (counters->device || counters->failed)
        end_counting(host, session, source, facts, output, result);
    /* Shows only the last call: showing a large output may take as long as judging it. */
    host->problem->show_answer(input, answer, result->answer, sizeof result->answer);
    if (facts->outcome == OUTCOME_DONE && !facts->unwritten && output->data)
        host->problem->show_output(input, output, result->output, sizeof result->output);
    return !source->generated || host->result.simulated ||
           second_judge(&host->prepare, source->number, &host->options, input, session, facts, result, error);
}

/*
 * The submission did not end, or the host could not continue beside it. It is the submission's fault if an empty
 * submission passes in a fresh box. Then *result gets a verdict for it, unless it was rejected before. False if the
 * machine is unfit.
 */
static bool is_to_blame(struct host *host, struct source *source, enum outcome outcome, struct facts *facts,
                        struct case_result *result, struct error *error)
{
    char why[256];
    bool passes;

    if (outcome == OUTCOME_SLOW_END)
        reap_give_up();
    ready_await(&host->ready);
    passes = probe_passes(&host->session, host->submission.empty, &source->input,
                          host->problem->output_size(&source->input), why, sizeof why);
    if (outcome == OUTCOME_SLOW_END && !reap_given_up(limit_patience))
        fprintf(stderr, "main_host: processes of the submission have not ended after %.0f s\n", limit_patience);
    if (!passes)
        return error_toolkit(error, "%s, and an empty submission fails too (%s): this machine is unfit to judge",
                             outcome == OUTCOME_SLOW_END ? "a process of the submission could not be ended"
                                                         : "the host could not go on",
                             why);
    if (outcome == OUTCOME_SLOW_END && result->verdict != VERDICT_AC && result->verdict != VERDICT_JE)
        return true;
    facts->outcome = outcome;
    if (outcome == OUTCOME_SLOW_END)
        facts->seconds = host->session.end_limit;
    calls_take_verdict(result, facts, &host->options);
    return true;
}

/* Runs one runner from start to end, with all calls of one case; or a second one if others disturbed the first. */
static bool run_session(struct host *host, struct source *source, struct case_result *result, struct error *error)
{
    struct session *session = ready_take(&host->ready, &host->session);
    struct blob output = { 0 };
    struct facts facts;
    bool ok, killed, lost;

    if (!session)
        return error_toolkit(error, "out of memory");
    host->ready.beside = host->ready.beside || prepare_works(&host->prepare);
    facts = session_open(session, &host->session, host->problem->output_size(&source->input));
    result->start_seconds = session->start_seconds;
    ok = make_calls(host, session, source, &facts, &output, result, error);
    killed = !session->idle;
    lost = facts.outcome == OUTCOME_LOST && session->loaded;
    if (!session_close(session) && ok)
        ok = is_to_blame(host, source, OUTCOME_SLOW_END, &facts, result, error);
    else if (ok && lost)
        ok = is_to_blame(host, source, OUTCOME_HARMED, &facts, result, error);
    if (ok && killed && host->use.gpu)
        ok = gpu_use_probe(&host->use, error);
    calls_take_end(result, session);
    blob_release(&output);
    free(session);
    if (!ok || !ready_excuses(&host->ready, &facts))
        return ok;
    prepare_calm(&host->prepare);
    calls_begin_again(result);
    return run_session(host, source, result, error);
}

/* Waits for the GPU, then starts the runners of this case and of the next ones together. */
static bool start_runners(struct host *host, const struct source *source, struct error *error)
{
    const struct session_config *const configs[] = { &host->empty, &host->session };
    const size_t each = host->options.ranked ? 2 : 1;
    size_t left = host->prepare.case_count + 1 - host->result.case_count;

    if (!settle_gpu(host, error))
        return false;
    host->empty = host->session;
    host->empty.box.submission = host->submission.empty;
    ready_hasten(&host->ready, &host->session, source->input.size,
                 host->options.hasten && !host->use.counters.device && !host->use.counters.failed);
    if (host->ready.hastens && host->result.case_count > 1) /* a case with a large input would wait for all of them */
        left = prepare_small(&host->prepare, PAGE_LOCK_FROM) + (source->input.size > 0);
    if (host->walls.level >= BOX_NAMESPACES) /* else a submission could reach them */
        ready_start(&host->ready, configs + 2 - each, each, each * left);
    return true;
}

/* Makes the first input of a case, and gets the GPU and the runners ready. Independent steps run at the same time. */
static bool begin_case(struct host *host, struct source *source, struct case_result *result, struct error *error)
{
    const bool soon = host->use.settled || host->use.warden.lent; /* else the warden is still making its context */

    if ((soon && !start_runners(host, source, error)) || !next_call(host, source, result, error))
        return false;
    if (host->result.case_count == 1)
        report_surroundings(stderr, &host->result, host->device.no_gpu);
    if (!host->result.hides)
        host->problem->describe(stdout, &source->input, &source->answer);
    fflush(stdout);
    return start_runners(host, source, error);
}

/* Runs one case, from its first input to the end of its runner. False only for the host's own failure. */
static bool run_case(struct host *host, struct source *source, struct case_result *result, struct error *error)
{
    bool ok;

    result->name = source->name;
    ok = calls_begin(result, &host->options, &host->session, host->result.record.signs, error) &&
         begin_case(host, source, result, error) &&
         (!host->options.ranked ||
          ranking_calibrate(&host->ready, &host->empty, &source->input,
                            host->problem->output_size(&source->input), &result->overhead, error)) &&
         run_session(host, source, result, error);
    blob_release(&source->input);
    blob_release(&source->answer);
    blob_release(&source->decoy);
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
    if (result->hides)
        report_hidden_case(stdout, case_result, host->options.repeat, result->simulated);
    else
        report_case(stdout, case_result, host->options.repeat, result->simulated);
    fflush(stdout);
    if (!result->hides)
        report_printed(stderr, case_result, result->simulated);
    if (host->session.reports && !result->hides)
        report_explain(stdout, stderr, case_result);
    calls_take_case(result, case_result);
    return true;
}

/* Allocates results and arguments for `count` cases. The caller fills in the arguments. */
static bool expect_cases(struct host *host, size_t count, struct error *error)
{
    host->result.cases = calloc(count, sizeof *host->result.cases);
    host->arguments = calloc(count, sizeof *host->arguments);
    host->names = calloc(count, sizeof *host->names);
    if (!host->result.cases || !host->arguments || !host->names)
        return error_toolkit(error, "out of memory");
    host->prepare = (struct prepare){ .problem = host->problem, .seeds = &host->seeds, .secret = &host->secret,
        .cases = host->arguments, .names = host->names, .case_count = count, .sure = host->options.ranked,
        .processors = host->processors.runner == PROCESSOR_ANY ? NULL : &host->processors,
        .ahead = host->options.hasten && host->options.repeat == 1 };
    return true;
}

/* Judges the cases of the package that the options select. False only for the host's own failure. */
static bool judge_cases(struct host *host, struct error *error)
{
    struct result *result = &host->result;
    struct selection selection = { .package = &host->package, .league = &host->league,
                                   .test_case = host->options.test_case, .group = host->options.group,
                                   .on_gpu = host->device.kind == DEVICE_GPU };
    size_t number = 0;

    selection_count(&selection);
    host->options.group = selection.group;
    result->left_out = selection.left_out;
    if (selection.wanted == 0)
        return error_usage(error, "the problem '%s' has no %s '%s'%s%s", host->problem->name,
                           selection.test_case ? "case" : "group of cases",
                           selection.test_case ? selection.test_case : selection.group,
                           host->league.name[0] ? " in the league " : "", host->league.name);
    if (!expect_cases(host, selection.wanted, error))
        return false;
    for (size_t i = 0; i < host->package.case_count; i++)
        if (selection_has(&selection, &host->package.cases[i])) {
            host->names[number] = host->package.cases[i].name;
            if (!arguments_parse(&host->arguments[number++], host->package.cases[i].line, error))
                return false;
        }
    result->verdict = VERDICT_AC;
    for (size_t i = 0; i < host->package.case_count; i++) {
        const struct package_case *test_case = &host->package.cases[i];
        struct source source = { .name = test_case->name, .generated = true, .number = result->case_count };

        if (!selection_has(&selection, test_case))
            continue;
        if (!judge_case(host, &source, error))
            return false;
        if (selection.wanted > 1 && result->cases[result->case_count - 1].verdict == VERDICT_AC)
            report_verdict(stdout, VERDICT_AC, "");
        if (result->verdict != VERDICT_AC && !host->options.keep_going)
            break;
    }
    if (selection.wanted > 1)
        printf("\n%zu of %zu cases were run\n", result->case_count, selection.wanted);
    if (result->left_out > 0)
        printf("%zu more need a GPU and were skipped\n", result->left_out);
    return true;
}

/* Judges the input on the command line, or one made from it. It is read before anything runs. */
static bool judge_input(struct host *host, struct error *error)
{
    struct source source = { .name = "input", .generated = host->options.generate != NULL };

    if (!expect_cases(host, 1, error))
        return false;
    host->names[0] = source.name;
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

/* Whether the submission keeps its league's rules. Otherwise the verdict is SV. */
static bool keeps_rules(struct host *host)
{
    const struct findings *file = &host->submission.file;
    char *broken = host->result.message;

    if (!submission_pretends(&host->submission, &host->options, broken, sizeof host->result.message))
        snprintf(broken, sizeof host->result.message, "%s", file->broken);
    if (broken[0])
        host->result.verdict = VERDICT_SV;
    return !broken[0];
}

/* Runs nothing. It still refuses a required box that this machine does not have. */
static bool judge_compile_error(struct host *host, struct error *error)
{
    if (host->options.require_box > BOX_NONE && !walls_reach(&host->walls, &host->options, host->build, NULL, error))
        return false;
    host->result.source = host->options.source;
    return record_submission(&host->result.record, NULL, host->options.source, error) &&
           report_compile_error(stderr, &host->result, host->options.compile_error, error);
}

/* A file that cannot be judged is the caller's mistake. But if the judge built it from sources, the verdict is CE. */
static bool cannot_be_judged(struct host *host, const struct error *error)
{
    if (error->code != EXIT_USAGE || !host->options.language || !host->submission.path[0])
        return false;
    host->result.verdict = VERDICT_CE;
    snprintf(host->result.message, sizeof host->result.message, "%s", error->text);
    return true;
}

static bool judge(struct host *host, struct error *error)
{
    if (!choose_problem(host, error))
        return false;
    if (host->options.compile_error)
        return judge_compile_error(host, error);
    if (!choose_submission(host, error))
        return cannot_be_judged(host, error);
    if (!choose_device(host, error))
        return false;
    if (!keeps_rules(host))
        return true;
    if (!claim_gpu(host, error) || !choose_box(host, error))
        return false;
    return host->options.input_count > 0 || host->options.generate ? judge_input(host, error)
                                                                   : judge_cases(host, error);
}

/* Judges as the options say, prints and writes the result, and returns the exit code. */
static int run(struct host *host)
{
    struct result *result = &host->result;
    struct error error = { 0 }, unwritten;
    int code;
    bool ok;

    result->verdict = VERDICT_NO;
    result->repeat = host->options.repeat;
    result->ranked = host->options.ranked;
    result->record.options = &host->options;
    result->hides = host->options.seal && !host->options.show_secret;
    ok = (!host->options.json || report_json_begin(host->options.json, &error)) &&
         (!host->options.public_json || report_json_begin(host->options.public_json, &error)) &&
         record_begin(&result->record, &error) && root_find(host->build, host->root, sizeof host->root, &error) &&
         judge(host, &error);
    ready_end(&host->ready);
    gpu_use_end(&host->use);
    if (!ok && error.code == EXIT_TOOLKIT) {
        result->verdict = VERDICT_JE;
        snprintf(result->message, sizeof result->message, "%s", error.text);
    }
    if (ok)
        report_end(stdout, result);
    else
        fprintf(stderr, "main_host: %s\n", error.text);
    code = ok ? verdict_exit_code(result->verdict) : (int)error.code;
    if ((ok || error.code == EXIT_TOOLKIT) && !report_json(result, &unwritten)) {
        fprintf(stderr, "main_host: %s\n", unwritten.text);
        code = (int)unwritten.code;
    }
    calls_release(&host->result);
    prepare_release(&host->prepare);
    free(host->arguments);
    free(host->names);
    package_release(&host->package);
    return code;
}

int main(int argc, char **argv)
{
    static struct host host;
    struct error error = { 0 };

    signal(SIGPIPE, SIG_IGN); /* a reader that closes our output must not end the judging */
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
    return run(&host);
}
