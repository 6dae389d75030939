/*
 * main_grade.c - grade COMMAND CONTEST [options]: grades a contest's folder, asks and rejudges.
 *
 * The day-to-day way in are run_scripts/grade.sh and run_scripts/results.sh. Reads contest.yaml and the files of the
 * teams, starts the host and the build script as commands, and knows nothing of any problem.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "grader.h"
#include "guard.h"
#include "preflight.h"
#include "verify/base/number.h"
#include "verify/base/root.h"
#include "spool.h"

static const char help[] =
    "usage: grader run CONTEST [--watch] [--builds N] [--gpu GPU]... [--lanes N]\n"
    "       grader COMMAND CONTEST ...\n"
    "\n"
    "run       grades new submissions in the folder CONTEST; an interrupted run continues where it stopped\n"
    "  --watch       keeps looking for new files until it is stopped\n"
    "  --builds N    submissions to build at a time, 1 to 64 (default: half of the processors)\n"
    "  --gpu GPU     UUID or number of a GPU to use; may be repeated. One submission at a time runs on each GPU, from"
    " its\n"
    "                samples to its times (default: no GPU; the CPU and the simulator)\n"
    "  --lanes N     without --gpu: submissions to run at a time, 1 to 16 (default: 1)\n"
    "cluster   grades on the machines of a cluster: contrib/slurm/grade_slurm.sh calls it\n"
    "work      grades one machine's part of that: contrib/slurm/worker.sh calls it\n"
    "check     reads contest.yaml and the teams' files, checks everything that they name, and prints every fault\n"
    "results [TABLE] [--csv|--json] [filter]   prints a table of the database: standings (--public: as before the\n"
    "          freeze), submissions, judgements, runs, samples, steps, machines, rejudgings or balloons; or use\n"
    "          --sql SELECT. The tables hide inputs and answers of secret cases; --show-secret shows them, for the\n"
    "          organiser\n"
    "rejudge [filter] [--start --reason TEXT]  lists what would be judged again. With --start it is judged again; the\n"
    "          old verdicts count until commit N. Then use changes N, and commit N or cancel N\n"
    "clear-review N   records that submission N was reviewed: its times rank\n"
    "token TEAM | --jury NAME | --admin NAME | --program NAME   makes a token for the contest's server and prints it\n"
    "          once; an older token of the same name becomes invalid. TEAM submits with its token. A program submits\n"
    "          batches, which are not part of the contest. --revoke NAME ends a token. Without a name it lists the\n"
    "          names that have one\n"
    "filters   --team T --problem P --verdict V --machine NAME --submission N --since TIME --until TIME\n"
    "\n"
    "exit codes: 0 done, 1 stopped before everything was graded, 2 usage, 3 the toolkit failed\n";

/* Set in main(), once: where this program and the toolkit are. */
struct places {
    char build[PATH_MAX / 2], root[PATH_MAX / 2];
};

static bool make_folder(const char *parent, const char *name, struct error *error)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", parent, name);
    return mkdir(path, 0755) == 0 || errno == EEXIST || error_system(error, "cannot make the folder '%s'", path);
}

/*
 * The contest's lock: its holder and the keepers it started have it. Waits a little for those of one that was killed.
 */
static int take_lock(const char *folder, struct error *error)
{
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%.3000s/grading/lock", folder);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    for (int i = 0; fd >= 0 && i < 80; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    }
    if (fd < 0)
        error_system(error, "cannot open '%s'", path);
    else
        error_usage(error, "'%s' is being graded already", folder), close(fd);
    return -1;
}

static bool take_count(const char *option, const char *text, size_t most, size_t *count, struct error *error)
{
    int64_t value = 0;
    const bool ok = number_integer(text, 1, (int64_t)most, &value);

    *count = (size_t)value;
    return ok || error_usage(error, "--%s: '%s' is not a number from 1 to %zu", option, text, most);
}

/* Reads the contest and looks at all that it names. False where there are faults: they are printed, each in a line. */
static bool contest_is_sound(struct contest *contest, const struct places *places, const char *folder,
                             struct error *error)
{
    struct faults faults = { 0 };

    if (!contest_check(contest, folder, &faults, error))
        return false;
    if (preflight(contest, folder, places->root, places->build, &faults, error)) {
        if (faults.count == 0)
            return true;
        *error = (struct error){ .code = EXIT_USAGE };
        if (faults.count > 1)
            error_usage(error, "%zu faults: correct them before grading", faults.count);
    }
    contest_release(contest);
    return false;
}

static int command_run(const struct places *places, int argc, char **argv, const char *folder, struct error *error)
{
    static const struct option options[] = { { "watch", no_argument, NULL, 'w' },
                                             { "builds", required_argument, NULL, 'b' },
                                             { "gpu", required_argument, NULL, 'g' },
                                             { "lanes", required_argument, NULL, 'l' },
                                             { 0 } };
    static struct grader grader;
    static struct contest contest;
    struct store store = { 0 };
    char path[PATH_MAX], host[256] = "";
    bool stopped = false, ok = true;
    int option, lock = -1;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t lanes = 1;

    grader.build_count = processors < 4 ? 1 : processors / 2 > GRADER_JOBS ? GRADER_JOBS : (size_t)processors / 2;
    while (ok && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        switch (option) {
        case 'w': grader.watch = true; break;
        case 'b': ok = take_count("builds", optarg, GRADER_JOBS, &grader.build_count, error); break;
        case 'g': ok = grader_add_gpu(&grader, optarg, error); break;
        case 'l': ok = take_count("lanes", optarg, GRADER_GPUS, &lanes, error); break;
        default: ok = error_option(error, option, argv[optind - 1], "build/grader");
        }
    }
    if (!ok)
        return error->code;
    if (optind < argc)
        return error_usage(error, "run takes one folder: remove '%.100s'", argv[optind]), EXIT_USAGE;
    if (lanes > 1 && grader.run_count > 0)
        return error_usage(error, "--lanes is for machines without a GPU: each --gpu is a lane"), EXIT_USAGE;
    grader.run_count = grader.run_count > 0 ? grader.run_count : lanes;
    gethostname(host, sizeof host - 1);
    grader.host = host;
    grader.folder = folder, grader.root = places->root, grader.build = places->build;
    grader.contest = &contest, grader.store = &store;
    if (!contest_is_sound(&contest, places, folder, error))
        return error->code;
    if (!preflight_box(&contest, places->root, places->build, error))
        return contest_release(&contest), error->code;
    grader.intake = (struct intake){ .contest = &contest, .folder = folder, .settle = grader.watch ? 1.5 : 0 };
    ok = make_folder(folder, "grading", error) && make_folder(folder, "grading/sources", error) &&
         make_folder(places->build, "grading", error) && (lock = take_lock(folder, error)) >= 0;
    store_path(folder, path);
    ok = ok && guard_before(folder, error) && store_open(&store, path, STORE_WRITE, error) &&
         guard_opened(folder, &store, error) && grader_run(&grader, &stopped, error);
    if (store.db)
        store_close(&store);
    intake_release(&grader.intake);
    contest_release(&contest);
    if (ok && stopped)
        fputs("grader: stopped; start it again to continue\n", stderr);
    return !ok ? (int)error->code : stopped ? 1 : 0;
}

/* grader cluster CONTEST --script PROGRAM [--chunk N] [--tasks N] [--watch] */
static int command_cluster(int argc, char **argv, const char *folder, struct error *error)
{
    static const struct option options[] = { { "script", required_argument, NULL, 's' },
                                             { "chunk", required_argument, NULL, 'c' },
                                             { "tasks", required_argument, NULL, 't' },
                                             { "watch", no_argument, NULL, 'w' },
                                             { 0 } };
    static struct contest contest;
    struct store store = { 0 };
    struct spool spool = { .contest = &contest, .folder = folder, .store = &store, .chunk = 8, .tasks = 1000 };
    char path[PATH_MAX];
    bool stopped = false, ok = true;
    int option, lock = -1;

    while (ok && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == 's')
            spool.script = optarg;
        else if (option == 'c')
            ok = take_count("chunk", optarg, 1000, &spool.chunk, error);
        else if (option == 't')
            ok = take_count("tasks", optarg, 100000, &spool.tasks, error);
        else if (option == 'w')
            spool.watch = true;
        else
            ok = error_option(error, option, argv[optind - 1], "build/grader");
    }
    if (ok && !spool.script)
        ok = error_usage(error, "cluster needs --script: use contrib/slurm/grade_slurm.sh, which gives it");
    if (!ok || !contest_load(&contest, folder, error))
        return error->code;
    ok = make_folder(folder, "grading", error) && make_folder(folder, "grading/sources", error) &&
         make_folder(folder, "grading/slurm", error) && make_folder(folder, "grading/slurm/orders", error) &&
         make_folder(folder, "grading/slurm/results", error) && make_folder(folder, "grading/slurm/unfit", error) &&
         (lock = take_lock(folder, error)) >= 0;
    store_path(folder, path);
    ok = ok && guard_before(folder, error) && store_open(&store, path, STORE_WRITE, error) &&
         guard_opened(folder, &store, error) && spool_run(&spool, &stopped, error);
    if (store.db)
        store_close(&store);
    contest_release(&contest);
    if (ok && stopped && !spool.watch)
        fputs("grader: stopped; the cluster continues; start the grader again to collect its results\n", stderr);
    return !ok ? (int)error->code : stopped && !spool.watch ? 1 : 0;
}

/* Where a machine of a cluster has its database and puts its results. */
struct work {
    char database[PATH_MAX];
    const char *scratch, *results;
};

static bool put_result(void *context, int64_t judgement, struct error *error)
{
    const struct work *work = context;

    return spool_put(work->database, work->scratch, work->results, judgement, error);
}

/*
 * grader work CONTEST --order FILE --results FOLDER --scratch FOLDER --host NAME [--gpu GPU]... [--lanes N]
 *     [--builds N]
 */
static int command_work(const struct places *places, int argc, char **argv, const char *folder, struct error *error)
{
    static const struct option options[] = { { "order", required_argument, NULL, 'o' },
                                             { "results", required_argument, NULL, 'r' },
                                             { "scratch", required_argument, NULL, 's' },
                                             { "host", required_argument, NULL, 'h' },
                                             { "gpu", required_argument, NULL, 'g' },
                                             { "lanes", required_argument, NULL, 'l' },
                                             { "builds", required_argument, NULL, 'b' },
                                             { 0 } };
    static struct grader grader;
    static struct contest contest;
    static struct work work;
    struct store store = { 0 };
    const char *order = NULL;
    bool stopped = false, ok = true;
    size_t lanes = 1;
    int option;

    grader.build_count = 1;
    while (ok && (option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        switch (option) {
        case 'o': order = optarg; break;
        case 'r': work.results = optarg; break;
        case 's': work.scratch = optarg; break;
        case 'h': grader.host = optarg; break;
        case 'g': ok = grader_add_gpu(&grader, optarg, error); break;
        case 'l': ok = take_count("lanes", optarg, GRADER_GPUS, &lanes, error); break;
        case 'b': ok = take_count("builds", optarg, GRADER_JOBS, &grader.build_count, error); break;
        default: ok = error_option(error, option, argv[optind - 1], "build/grader");
        }
    }
    if (ok && (!order || !work.results || !work.scratch || !grader.host))
        ok = error_usage(error, "work needs --order, --results, --scratch and --host");
    if (!ok || !contest_load(&contest, folder, error))
        return error->code;
    grader.run_count = grader.run_count > 0 ? grader.run_count : lanes;
    grader.folder = folder, grader.root = places->root, grader.build = places->build;
    grader.contest = &contest, grader.store = &store;
    grader.handed = grader.stop_on_failure = true;
    grader.done = put_result, grader.context = &work;
    snprintf(work.database, sizeof work.database, "%s/results.db", work.scratch);
    ok = make_folder(places->build, "grading", error) && store_open(&store, work.database, STORE_WRITE, error) &&
         spool_read_order(&store, order, work.results, grader.token, sizeof grader.token, error) &&
         (!grader.token[0] || grader_run(&grader, &stopped, error));
    if (store.db)
        store_close(&store);
    contest_release(&contest);
    if (!ok || stopped)
        return ok ? 1 : (int)error->code;
    return grader.failed ? WORK_FAILED : 0;
}

/* A token may be made before anything was graded. */
static int command_on_accounts(int argc, char **argv, const char *folder, struct error *error)
{
    struct store store = { 0 };
    char path[PATH_MAX];
    int code;

    store_path(folder, path);
    if (!make_folder(folder, "grading", error) || !guard_before(folder, error) ||
        !store_open(&store, path, STORE_WRITE, error))
        return (int)error->code;
    code = command_token(&store, folder, argc, argv, error);
    store_close(&store);
    return code;
}

/* Whether it only shows something, as it may where the results cannot be written. */
static bool is_question(const char *command, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--start") == 0)
            return false;
    return strcmp(command, "rejudge") == 0 || strcmp(command, "changes") == 0;
}

/* A command on the results, which are there once `run` was. */
static int command_on_results(const char *command, int argc, char **argv, const char *folder, struct error *error)
{
    static struct contest contest;
    struct store store;
    char path[PATH_MAX];
    int code;

    if (!contest_load(&contest, folder, error))
        return error->code;
    if (!store_find(folder, path, error)) {
        code = EXIT_USAGE;
    } else if (strcmp(command, "results") == 0) {
        code = command_results(&contest, folder, argc, argv, error);
    } else if (store_open(&store, path, is_question(command, argc, argv) ? STORE_READ : STORE_WRITE, error)) {
        code = command_rejudge(&store, &contest, command, argc, argv, error);
        store_close(&store);
    } else {
        code = (int)error->code;
    }
    contest_release(&contest);
    return code;
}

static void say_time(const char *name, double seconds)
{
    const time_t utc = (time_t)seconds;
    struct tm parts;
    char text[64];

    if (seconds > 0 && gmtime_r(&utc, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) > 0)
        printf("%s\t%s\n", name, text);
}

static int command_check(const struct places *places, int argc, const char *folder, struct error *error)
{
    static struct contest contest;
    struct error lacks;

    if (argc > 0)
        return error_usage(error, "check takes only the contest's folder"), EXIT_USAGE;
    if (!contest_is_sound(&contest, places, folder, error))
        return error->code;
    printf("%s: %zu problem%s, scoring %s\n", contest.name, contest.problem_count,
           contest.problem_count == 1 ? "" : "s", scoring_names[contest.scoring]);
    say_time("start", contest.start);
    say_time("freeze", contest.freeze);
    say_time("end", contest.end);
    say_time("thaw", contest.thaw);
    say_time("final", contest.final);
    printf("box\t%s\n", contest.require_box);
    for (size_t i = 0; i < contest.problem_count; i++)
        printf("%s\t%s\t%s\n", contest.problems[i].id, contest.problems[i].problem,
               contest.problems[i].league ? contest.problems[i].league : "");
    preflight_strays(&contest, folder);
    if (!preflight_box(&contest, places->root, places->build, &lacks))
        fprintf(stderr, "grader: this machine cannot grade: %s\n", lacks.text);
    contest_release(&contest);
    return 0;
}

static bool is_on_results(const char *command)
{
    static const char *const commands[] = { "results", "rejudge", "changes", "commit", "cancel", "clear-review" };

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(command, commands[i]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static char folder[PATH_MAX];
    struct places places;
    struct error error = { 0 };
    int code = EXIT_USAGE;

    if (argc >= 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0;
    if (argc < 3) {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    if (!realpath(argv[2], folder) || strlen(folder) > PATH_MAX / 2)
        error_usage(&error, "cannot open the folder '%s': %s", argv[2], strerror(errno));
    else if (!root_find(places.build, places.root, sizeof places.root, &error))
        code = error.code;
    else if (strcmp(argv[1], "run") == 0)
        code = command_run(&places, argc - 2, argv + 2, folder, &error);
    else if (strcmp(argv[1], "cluster") == 0)
        code = command_cluster(argc - 2, argv + 2, folder, &error);
    else if (strcmp(argv[1], "work") == 0)
        code = command_work(&places, argc - 2, argv + 2, folder, &error);
    else if (strcmp(argv[1], "check") == 0)
        code = command_check(&places, argc - 3, folder, &error);
    else if (strcmp(argv[1], "token") == 0)
        code = command_on_accounts(argc - 2, argv + 2, folder, &error);
    else if (is_on_results(argv[1]))
        code = command_on_results(argv[1], argc - 3, argv + 3, folder, &error);
    else
        error_usage(&error, "unknown command '%s'; see build/grader --help", argv[1]);
    if (code == 0 && fflush(stdout) != 0) {
        error_system(&error, "cannot write");
        code = error.code;
    }
    if (error.text[0])
        fprintf(stderr, "grader: %s\n", error.text);
    return code;
}
