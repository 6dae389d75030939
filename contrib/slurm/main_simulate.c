/*
 * main_simulate.c - simulate: how long a cluster would take for many submissions, by replaying measured ones.
 *
 * A discrete-event simulation of what grade_slurm.sh and worker.sh do: submissions arrive, each turn of the front end
 * makes orders of those that wait, a free machine takes the oldest order, begins it (start, probe, baselines), builds
 * submissions while earlier ones run, and leaves each result at once. A machine that dies loses the submission at
 * hand; the rest of its order goes to another one when Slurm has noticed. The times of a submission are those of one
 * that was measured, drawn by chance; nothing else is drawn but arrivals and failures. It knows no Slurm and no GPU.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/error.h"
#include "verify/base/number.h"
#include "verify/base/random.h"

static const char help[] =
    "usage: simulate [options] TIMES...\n"
    "\n"
    "Simulates a cluster that grades a contest. TIMES are files of contrib/slurm/sizing.sh --times, with lines\n"
    "DEVICE<tab>PROBLEM<tab>BUILD<tab>RUN in seconds; # begins a comment.\n"
    "  --device NAME     use only lines of that device; --problem NAME only lines of that problem\n"
    "  --submissions N   number of submissions (default: 10000)\n"
    "  --nodes LIST      numbers of machines with one GPU each (default: 1,2,4,8,16,32,64)\n"
    "  --chunk N         most submissions in one order (default: 8)\n"
    "  --builds N        submissions that a machine builds at a time (default: 1)\n"
    "  --start S         seconds from a free machine to an order's first build: scheduler, probe, baselines\n"
    "                    (default: 5)\n"
    "  --hours H         submissions arrive evenly over H hours (default: 0, all at the beginning)\n"
    "  --failures R      failures per machine and hour (default: 0)\n"
    "  --detect S        seconds from a failure until another machine gets the order (default: 300)\n"
    "  --repair S        seconds from a failure until the machine is back (default: 3600)\n"
    "  --seed N          seed of the random numbers (default: 1)\n"
    "\n"
    "Prints a Markdown table with one row per number of machines. Exit codes: 0 done, 2 usage, 3 the machine failed\n";

enum { MOST_NODES = 4096, MOST = 10000000, MOST_BUILDS = 64 };

static void *must(void *memory)
{
    if (memory)
        return memory;
    fputs("simulate: out of memory\n", stderr);
    exit(EXIT_TOOLKIT);
}

struct sample {
    double build, run; /* seconds */
};

struct options {
    const char *device, *problem;
    size_t submissions, chunk, builds;
    double start, hours, failures, detect, repair; /* seconds, but hours; failures an hour */
    uint64_t seed;
};

struct submission {
    struct sample times;
    double arrived, done; /* seconds from the beginning; done below 0: not yet */
};

/* first .. first + count - 1 of the submissions, without those that are done */
struct order {
    size_t first, count;
    double ready; /* when a machine may take it */
};

struct node {
    double free;  /* when it can take an order */
    double fails; /* when it dies next */
};

struct cluster {
    const struct options *options;
    struct submission *submissions; /* [options->submissions], in order of arrival */
    struct order *orders;           /* [made] all that were made; those before `taken` are taken but the requeued */
    size_t made, taken;
    struct order *lost;             /* [lost_count] orders of machines that died */
    size_t lost_count;
    struct node nodes[MOST_NODES];  /* [node_count] */
    size_t node_count;
    double busy;                    /* seconds that submissions ran, all machines together */
    struct random_stream chance;
};

static double uniform(struct random_stream *chance) { return (random_u32(chance) + 0.5) / 4294967296.0; }

static double next_failure(struct cluster *cluster)
{
    return cluster->options->failures > 0 ? -log(uniform(&cluster->chance)) * 3600 / cluster->options->failures
                                          : INFINITY;
}

/* What one machine does with an order from `now` on. Returns when it is free. */
static double work(struct cluster *cluster, struct node *node, struct order order, double now)
{
    const size_t builds = cluster->options->builds;
    double built[MOST_BUILDS], ran = now + cluster->options->start; /* when each builder, and the GPU, is free */

    for (size_t i = 0; i < builds; i++)
        built[i] = ran;

    for (size_t i = order.first; i < order.first + order.count; i++) {
        struct submission *submission = &cluster->submissions[i];
        double begins, ends;
        size_t builder = 0;

        if (submission->done >= 0)
            continue;
        for (size_t k = 1; k < builds; k++)
            builder = built[k] < built[builder] ? k : builder;
        built[builder] += submission->times.build;
        begins = built[builder] > ran ? built[builder] : ran;
        ends = begins + submission->times.run;
        if (ends > node->fails) {
            cluster->lost[cluster->lost_count++] = (struct order){ i, order.first + order.count - i,
                                                                   node->fails + cluster->options->detect };
            cluster->busy += begins < node->fails ? node->fails - begins : 0;
            now = node->fails + cluster->options->repair;
            node->fails = now + next_failure(cluster);
            return now;
        }
        ran = ends;
        submission->done = ends;
        cluster->busy += submission->times.run;
    }
    return ran;
}

/* The oldest order that a machine may take at `now`: a lost one before others. False for none. */
static bool take_order(struct cluster *cluster, double now, struct order *order)
{
    for (size_t i = 0; i < cluster->lost_count; i++)
        if (cluster->lost[i].ready <= now) {
            *order = cluster->lost[i];
            memmove(&cluster->lost[i], &cluster->lost[i + 1], (cluster->lost_count - i - 1) * sizeof *cluster->lost);
            cluster->lost_count--;
            return true;
        }
    if (cluster->taken == cluster->made || cluster->orders[cluster->taken].ready > now)
        return false;
    *order = cluster->orders[cluster->taken++];
    return true;
}

/* Orders of all that arrived until `now` and are in none yet, as hand_out() of contrib/grade/spool.c makes them. */
static void hand_out(struct cluster *cluster, size_t *handed, double now)
{
    const struct options *options = cluster->options;
    const size_t queued = cluster->made - cluster->taken + cluster->lost_count;
    size_t waiting = 0, each, room;

    while (*handed + waiting < options->submissions && cluster->submissions[*handed + waiting].arrived <= now)
        waiting++;
    each = (waiting + cluster->node_count - 1) / cluster->node_count;
    each = each < 1 ? 1 : each > options->chunk ? options->chunk : each;
    room = each == options->chunk ? waiting : queued < cluster->node_count ? cluster->node_count - queued : 0;
    for (; waiting > 0 && room > 0; room--) {
        size_t count = waiting < each ? waiting : each;

        cluster->orders[cluster->made++] = (struct order){ *handed, count, now };
        *handed += count;
        waiting -= count;
    }
}

/* Runs it all. The clock moves to the front end's next turn, a second each, or to the next machine that is free. */
static void simulate(struct cluster *cluster)
{
    size_t handed = 0;

    for (double now = 0;; now += 1) {
        double next = INFINITY;
        struct order order;

        hand_out(cluster, &handed, now);
        for (size_t i = 0; i < cluster->node_count; i++) {
            struct node *node = &cluster->nodes[i];

            if (node->fails <= now && node->free <= now) { /* it died with nothing to do */
                node->free = node->fails + cluster->options->repair;
                node->fails = node->free + next_failure(cluster);
            }
            while (node->free <= now && take_order(cluster, now, &order))
                node->free = work(cluster, node, order, now);
            next = node->free > now && node->free < next ? node->free : next;
        }
        if (handed == cluster->options->submissions && cluster->taken == cluster->made && cluster->lost_count == 0)
            return;
        /* All wait for a machine: nothing happens before one is free. */
        if (handed == cluster->options->submissions && cluster->lost_count == 0 && isfinite(next) && next > now + 1)
            now = floor(next) - 1;
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_row(const struct cluster *cluster, double *waits)
{
    const size_t count = cluster->options->submissions;
    double last = 0;

    for (size_t i = 0; i < count; i++) {
        waits[i] = cluster->submissions[i].done - cluster->submissions[i].arrived;
        last = cluster->submissions[i].done > last ? cluster->submissions[i].done : last;
    }
    qsort(waits, count, sizeof *waits, by_size);
    printf("| %zu | %.2f | %.0f | %.1f | %.1f | %.1f | %.1f |\n", cluster->node_count, last / 3600,
           3600 * (double)count / last, 100 * cluster->busy / (last * (double)cluster->node_count),
           (double)cluster->node_count * last / 3600, waits[count / 2] / 60, waits[count - 1 - count / 20] / 60);
}

static bool read_times(const char *path, const struct options *options, struct sample **samples, size_t *count)
{
    FILE *file = fopen(path, "re");
    char line[1024];
    size_t number = 0;

    if (!file) {
        fprintf(stderr, "simulate: cannot open '%s': %s\n", path, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof line, file)) {
        char device[512], problem[256];
        struct sample sample, *grown;

        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (sscanf(line, "%511[^\t]\t%255[^\t]\t%lf\t%lf", device, problem, &sample.build, &sample.run) != 4 ||
            !(sample.build >= 0) || !(sample.run >= 0) || !isfinite(sample.build + sample.run)) {
            fprintf(stderr, "simulate: %s:%zu: the line is not DEVICE<tab>PROBLEM<tab>BUILD<tab>RUN\n", path, number);
            fclose(file);
            return false;
        }
        if ((options->device && strcmp(options->device, device) != 0) ||
            (options->problem && strcmp(options->problem, problem) != 0))
            continue;
        grown = must(realloc(*samples, (*count + 1) * sizeof *grown));
        *samples = grown;
        grown[(*count)++] = sample;
    }
    fclose(file);
    return true;
}

static bool take_number(const char *name, const char *text, double least, double most, double *number)
{
    if (number_decimal(text, least, most, number))
        return true;
    fprintf(stderr, "simulate: --%s: '%s' is not a number from %g to %g\n", name, text, least, most);
    return false;
}

/* One number of machines. */
static void run(const struct options *options, const struct sample *samples, size_t count, size_t nodes)
{
    static struct cluster cluster;
    const struct random_key key = { .seed = options->seed };
    const size_t n = options->submissions;
    struct random_stream drawn = random_stream(&key, 0);
    double *waits = must(calloc(n, sizeof *waits));

    cluster = (struct cluster){ .options = options, .node_count = nodes, .chance = random_stream(&key, 1) };
    cluster.submissions = must(calloc(n, sizeof *cluster.submissions));
    cluster.orders = must(calloc(n, sizeof *cluster.orders));
    cluster.lost = must(calloc(nodes + 1 + n, sizeof *cluster.lost));
    for (size_t i = 0; i < n; i++)
        cluster.submissions[i] = (struct submission){ .times = samples[random_below(&drawn, (uint32_t)count)],
                                                      .arrived = options->hours * 3600 * (double)i / (double)n,
                                                      .done = -1 };
    for (size_t i = 0; i < nodes; i++)
        cluster.nodes[i].fails = next_failure(&cluster);
    simulate(&cluster);
    print_row(&cluster, waits);
    free(waits);
    free(cluster.submissions);
    free(cluster.orders);
    free(cluster.lost);
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        { "device", required_argument, NULL, 'd' },   { "problem", required_argument, NULL, 'p' },
        { "submissions", required_argument, NULL, 'n' }, { "nodes", required_argument, NULL, 'N' },
        { "builds", required_argument, NULL, 'b' },   { "chunk", required_argument, NULL, 'c' },
        { "start", required_argument, NULL, 's' },
        { "hours", required_argument, NULL, 'h' },    { "failures", required_argument, NULL, 'f' },
        { "detect", required_argument, NULL, 'D' },   { "repair", required_argument, NULL, 'r' },
        { "seed", required_argument, NULL, 'S' },     { "help", no_argument, NULL, '?' + 128 },
        { 0 },
    };
    struct options options = {
        .submissions = 10000, .chunk = 8, .builds = 1, .start = 5, .detect = 300, .repair = 3600, .seed = 1
    };
    const char *nodes = "1,2,4,8,16,32,64";
    struct sample *samples = NULL;
    size_t count = 0;
    double value = 0;
    bool ok = true;
    struct error error = { 0 };
    int option;

    while (ok && (option = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
        switch (option) {
        case 'd': options.device = optarg; break;
        case 'p': options.problem = optarg; break;
        case 'N': nodes = optarg; break;
        case 'n': ok = take_number("submissions", optarg, 1, MOST, &value), options.submissions = (size_t)value; break;
        case 'c': ok = take_number("chunk", optarg, 1, 1000, &value), options.chunk = (size_t)value; break;
        case 'b': ok = take_number("builds", optarg, 1, MOST_BUILDS, &value), options.builds = (size_t)value; break;
        case 's': ok = take_number("start", optarg, 0, 1e5, &options.start); break;
        case 'h': ok = take_number("hours", optarg, 0, 1e5, &options.hours); break;
        case 'f': ok = take_number("failures", optarg, 0, 1, &options.failures); break;
        case 'D': ok = take_number("detect", optarg, 0, 1e5, &options.detect); break;
        case 'r': ok = take_number("repair", optarg, 0, 1e6, &options.repair); break;
        case 'S': ok = take_number("seed", optarg, 0, 1e15, &value), options.seed = (uint64_t)value; break;
        case '?' + 128: return fputs(help, stdout) < 0;
        default:
            ok = error_option(&error, option, argv[optind - 1], "build/simulate");
            fprintf(stderr, "simulate: %s\n", error.text);
        }
    }
    if (ok && optind == argc) {
        fputs("simulate: name a file of times; see build/simulate --help\n", stderr);
        ok = false;
    }
    for (int i = optind; ok && i < argc; i++)
        ok = read_times(argv[i], &options, &samples, &count);
    if (ok && count == 0) {
        fputs("simulate: no line of that device and problem: nothing was measured\n", stderr);
        ok = false;
    }
    if (ok)
        puts("| machines | done after h | submissions an hour | running % | machine hours | wait min, median | 95 % |\n"
             "|---|---|---|---|---|---|---|");
    for (const char *text = nodes; ok; text++) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (end == text || number < 1 || number > MOST_NODES || (*end != ',' && *end != '\0')) {
            fprintf(stderr, "simulate: --nodes: '%s' is not a list of numbers from 1 to %d\n", nodes, MOST_NODES);
            ok = false;
            break;
        }
        run(&options, samples, count, number);
        if (*end == '\0')
            break;
        text = end;
    }
    free(samples);
    return ok ? 0 : 2;
}
