/*
 * test_processor.c - hosts that choose processors, and work that makes way for them.
 *
 * Other hosts may be at work on this machine, on any processor: what they change is waited for.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/processor.h"

static cpu_set_t all;

static cpu_set_t now(void)
{
    cpu_set_t set;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "no affinity");
    return set;
}

static int highest(const cpu_set_t *set)
{
    int cpu = CPU_SETSIZE - 1;

    while (cpu > 0 && !CPU_ISSET(cpu, set))
        cpu--;
    return cpu;
}

/* A process that has chosen a processor, which it tells, and lives until it is killed. */
static pid_t host(int *processor)
{
    int ends[2], others;
    pid_t pid;

    CHECK(pipe(ends) == 0, "no pipe");
    pid = fork();
    if (pid == 0) {
        int chosen;
        cpu_set_t set;

        sched_setaffinity(0, sizeof all, &all);
        chosen = processor_claim(&others);
        CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "no affinity");
        CHECK(others == CPU_COUNT(&all) - 1, "%d others", others);
        CHECK(others == 0 || !CPU_ISSET(chosen, &set), "its own runner's processor is in its set");
        if (unit_failures > 0 || write(ends[1], &chosen, sizeof chosen) != sizeof chosen)
            _exit(1);
        pause();
        _exit(0);
    }
    close(ends[1]);
    CHECK(read(ends[0], processor, sizeof *processor) == sizeof *processor, "the host said nothing");
    close(ends[0]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Whether making way takes a processor out of the set, or leaves it in, as expected, within fifty seconds. */
static bool comes(int processor, bool there)
{
    for (int i = 0; i < 5000; i++) {
        cpu_set_t set;

        processor_make_way();
        set = now();
        CHECK(CPU_COUNT(&set) > 0 && CPU_COUNT(&set) <= CPU_COUNT(&all), "%d processors", CPU_COUNT(&set));
        if (!CPU_ISSET(processor, &set) == !there)
            return true;
        usleep(10000);
    }
    return false;
}

static void test_make_way(void)
{
    int first, second;
    pid_t one, other;

    if (CPU_COUNT(&all) == 1)
        return; /* nowhere else to go */
    one = host(&first);
    CHECK(CPU_ISSET(first, &all), "processor %d", first);
    CHECK(comes(first, false), "processor %d, which a host's runner has, is not left to it", first);
    if (CPU_COUNT(&all) > 2) {
        other = host(&second);
        CHECK(second != first, "two hosts chose processor %d", first);
        CHECK(comes(second, false), "processor %d, which another runner has, is not left to it", second);
        end(other);
    }
    end(one);
    CHECK(comes(first, true), "processor %d is nobody's, and not used again", first);
    sched_setaffinity(0, sizeof all, &all);
}

static void test_leave(void)
{
    cpu_set_t set;

    processor_leave(CPU_COUNT(&all));
    set = now();
    CHECK(CPU_EQUAL(&set, &all), "where none would be left, all are kept");
    if (CPU_COUNT(&all) == 1)
        return;
    processor_leave(1);
    set = now();
    CHECK(CPU_COUNT(&set) == CPU_COUNT(&all) - 1 && !CPU_ISSET(highest(&all), &set), "the highest is left");
    sched_setaffinity(0, sizeof all, &all);
}

int main(void)
{
    all = now();
    test_leave();
    test_make_way();
    return unit_end();
}
