/*
 * test_processor.c - hosts that choose processors, and work that makes way for them.
 *
 * Run it where no other host works: with its own /tmp.
 */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "verify/box/processor.h"

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
    struct processors processors;
    int ends[2];
    pid_t pid;

    CHECK(pipe(ends) == 0, "no pipe");
    pid = fork();
    if (pid == 0) {
        cpu_set_t set;

        sched_setaffinity(0, sizeof all, &all);
        processors_claim(&processors);
        CHECK(sched_getaffinity(0, sizeof set, &set) == 0, "no affinity");
        CHECK(processors.others == CPU_COUNT(&all) - 1, "%d others", processors.others);
        CHECK(processors.others == 0 || !CPU_ISSET(processors.runner, &set), "its runner's processor is in its set");
        CHECK(processors.others == 0 || CPU_EQUAL(&processors.own, &set), "its set is told otherwise");
        if (unit_failures > 0 || write(ends[1], &processors.runner, sizeof(int)) != sizeof(int))
            _exit(1);
        pause();
        _exit(0);
    }
    close(ends[1]);
    *processor = -1;
    CHECK(read(ends[0], processor, sizeof *processor) == sizeof *processor, "the host said nothing");
    close(ends[0]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The processors left to long work of a host that may use all. */
static cpu_set_t left(void)
{
    struct processors processors = { .runner = -1, .own = all };
    cpu_set_t set;

    processors_make_way(&processors);
    set = now();
    processors_return(&processors);
    CHECK(CPU_COUNT(&set) > 0, "none");
    return set;
}

static void test_make_way(void)
{
    int first, second, third;
    pid_t one, other, another;
    cpu_set_t set = left();

    CHECK(CPU_EQUAL(&set, &all), "nobody is there, and %d of %d are left", CPU_COUNT(&set), CPU_COUNT(&all));
    one = host(&first);
    CHECK(first == highest(&all), "processor %d", first);
    set = left();
    CHECK(CPU_COUNT(&all) == 1 || !CPU_ISSET(first, &set), "a runner's processor is not left to it");
    if (CPU_COUNT(&all) > 1) {
        other = host(&second);
        CHECK(CPU_ISSET(second, &all) && second != first, "two hosts chose processor %d", first);
        set = left();
        if (CPU_COUNT(&all) == 2) {
            CHECK(CPU_EQUAL(&set, &all), "where none is free, all are shared");
            another = host(&third);
            CHECK(third == highest(&all), "where none is free, processor %d is shared", third);
            end(another);
        } else {
            CHECK(!CPU_ISSET(first, &set) && !CPU_ISSET(second, &set), "runners' processors are not left to them");
        }
        end(other);
    }
    end(one);
    set = left();
    CHECK(CPU_EQUAL(&set, &all), "what nobody has any more is not used again");
    set = now();
    CHECK(CPU_EQUAL(&set, &all), "the set is not as it was");
}

/* A file of another user's host belongs to no host while it is not locked. */
static void test_foreign(void)
{
    const mode_t mask = umask(077);
    struct stat status;
    char path[64];
    int processor;

    end(host(&processor));
    umask(mask);
    snprintf(path, sizeof path, "/tmp/gpu-contest-toolkit-cpu%d.lock", processor);
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0644, "%s is not for everybody to open", path);
    left();
    snprintf(path, sizeof path, "/tmp/gpu-contest-toolkit-cpu%d.lock", processor > 0 ? processor - 1 : 1);
    CHECK(unlink(path) == 0 || errno == ENOENT, "%s", path);
    left();
    CHECK(stat(path, &status) != 0, "looking whether a processor is taken makes a file");
}

static void test_leave(void)
{
    cpu_set_t set;

    processor_leave(0);
    set = now();
    CHECK(CPU_EQUAL(&set, &all), "none was to be left");
    if (CPU_COUNT(&all) == 1)
        return;
    processor_leave(1);
    set = now();
    CHECK(CPU_COUNT(&set) == CPU_COUNT(&all) - 1 && !CPU_ISSET(highest(&all), &set), "the highest is left");
    sched_setaffinity(0, sizeof all, &all);
    processor_leave(CPU_COUNT(&all));
    set = now();
    CHECK(CPU_COUNT(&set) == CPU_COUNT(&all) - CPU_COUNT(&all) / 2, "%d of %d are left", CPU_COUNT(&set),
          CPU_COUNT(&all));
    sched_setaffinity(0, sizeof all, &all);
}

int main(void)
{
    all = now();
    test_leave();
    test_foreign();
    test_make_way();
    return unit_end();
}
