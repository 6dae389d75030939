/*
 * main_ready.c - what starting runners beside calls gives: bench_ready [START END CALL PIECE]
 *
 * In a stand-in for a GPU's driver only one process at a time makes or ends its context, which takes START and END
 * seconds (0.131 and 0.018: eight runners on an H200 take 1.05 s to start, and eight contexts 0.146 s to end). They
 * take the driver's lock for the whole of it, or in turn for PIECE seconds (0.005). A case takes CALL seconds (0.045)
 * between its runner's start and its end. The runners, sessions and messages are real. Prints the seconds of judgings
 * with so many cases, with the runners in batches of eight that calls wait for, as for times that count, and with
 * --hasten. "least" is what the driver needs alone.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

#include "tests/unit/stand_in_runner.h"
#include "verify/base/clock.h"
#include "verify/judge/ready.h"
#include "verify/wire/reap.h"

static double start_seconds = 0.131, end_seconds = 0.018, call_seconds = 0.045, piece_seconds = 0.005;

static void pause_for(double seconds) { usleep((useconds_t)(seconds * 1e6)); }

/* ------------------------------------------------------------------ the runner, whose place is START:END:PIECE:FILE */

static void hold_lock(const char *place, bool at_start)
{
    double start, end, piece, left;
    int from = 0, lock;

    if (sscanf(place, "%lf:%lf:%lf:%n", &start, &end, &piece, &from) != 3 ||
        (lock = open(place + from, O_RDONLY)) < 0)
        _exit(1);
    for (left = at_start ? start : end; left > 1e-9; left -= piece) {
        if (flock(lock, LOCK_EX) != 0)
            _exit(1);
        pause_for(left < piece ? left : piece);
        flock(lock, LOCK_UN);
        sched_yield();
    }
    close(lock);
}

static void make_context(const char *place) { hold_lock(place, true); }
static void end_context(const char *place) { hold_lock(place, false); }

/* ------------------------------------------------------------------ a judging */

static bool judge_case(struct session *session, const struct session_config *config)
{
    const struct facts facts = session_open(session, config, 4096);
    bool ok = facts.outcome == OUTCOME_DONE;

    pause_for(call_seconds);
    ok = session_close(session) && ok;
    free(session);
    return ok;
}

/* Seconds of a judging; below 0 where a runner failed. */
static double judge(const struct session_config *config, size_t cases, bool hasten)
{
    const struct session_config *const configs[] = { config };
    const int64_t begin = clock_ns();
    struct ready ready = { 0 };
    bool ok = true;

    for (size_t i = 0; i < cases && ok; i++) {
        ready_hasten(&ready, config, 0, hasten);
        ready_start(&ready, configs, 1, cases - i);
        ok = judge_case(ready_take(&ready, config), config);
    }
    ready_end(&ready);
    return ok ? clock_seconds(begin, clock_ns()) : -1;
}

/* All sizes of judgings, with the lock held for `piece` seconds at a time. False where a runner failed. */
static bool compare(const char *program, const char *lock, double piece)
{
    static const size_t cases[] = { 3, 8, 17, 25, 41 };
    struct session_config config;
    char place[PATH_MAX];
    bool ok = true;

    snprintf(place, sizeof place, "%.6f:%.6f:%.6f:%s", start_seconds, end_seconds, piece, lock);
    config = stand_in_config(program, place);
    printf("a context: %.3f s to make, %.3f s to end, the lock for %.3f s at a time; a case: %.3f s\n", start_seconds,
           end_seconds, piece, call_seconds);
    printf("%5s %9s %9s %9s %7s\n", "cases", "batches", "--hasten", "least", "gain");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && ok; i++) {
        const double batches = judge(&config, cases[i], false), hastened = judge(&config, cases[i], true);

        ok = batches > 0 && hastened > 0;
        printf("%5zu %9.2f %9.2f %9.2f %6.0f%%\n", cases[i], batches, hastened,
               (double)cases[i] * (start_seconds + end_seconds), 100 * (batches / hastened - 1));
    }
    return ok;
}

int main(int argc, char **argv)
{
    char program[PATH_MAX], lock[] = "/tmp/bench-ready-XXXXXX";
    bool ok;
    int code;

    if (stand_in_serves(argc, argv, make_context, end_context, &code))
        return code;
    if (argc == 5) {
        start_seconds = atof(argv[1]);
        end_seconds = atof(argv[2]);
        call_seconds = atof(argv[3]);
        piece_seconds = atof(argv[4]);
    }
    if ((argc != 1 && argc != 5) || !(piece_seconds > 0) || !realpath("/proc/self/exe", program) || mkstemp(lock) < 0)
        return EXIT_USAGE;
    reap_adopt();
    ok = compare(program, lock, start_seconds + end_seconds) && compare(program, lock, piece_seconds);
    unlink(lock);
    return ok ? 0 : EXIT_TOOLKIT;
}
