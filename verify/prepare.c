/*
 * prepare.c - a thread a call, all of them ended before any call is given out.
 */
#include "prepare.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "problems/problem.h"

/* What a thread is told: whose call, and which. */
struct task {
    struct prepare *prepare;
    size_t slot;
    pthread_t thread;
    bool started;
};

static void *make(void *argument)
{
    const struct task *task = argument;
    struct prepare *prepare = task->prepare;
    struct prepared *call = &prepare->calls[task->slot];
    struct random_key key = { .seed = prepare->seed, .repetition = (uint32_t)(prepare->first + task->slot) };
    uint64_t case_seed;

    memset(call, 0, sizeof *call);
    if (arguments_number(prepare->arguments, "seed", 0, 0, UINT32_MAX, &case_seed, &call->error)) {
        key.case_seed = (uint32_t)case_seed;
        call->ok = prepare->problem->generate(prepare->arguments, &key, &call->input, &call->error) &&
                   prepare->problem->reference(&call->input, prepare->secret, &call->answer, &call->error);
    }
    return NULL;
}

/* How many calls of that many bytes are made at once. */
static size_t at_once(size_t wanted, size_t bytes)
{
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t free_memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
    size_t count = wanted < PREPARE_MOST ? wanted : PREPARE_MOST;
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    if (count > (size_t)CPU_COUNT(&set))
        count = (size_t)CPU_COUNT(&set);
    if (count > free_memory / 4 / (bytes + 1))
        count = free_memory / 4 / (bytes + 1);
    return count > 0 ? count : 1;
}

static void make_calls(struct prepare *prepare)
{
    struct task tasks[PREPARE_MOST];

    for (size_t i = 0; i < prepare->count; i++) {
        tasks[i] = (struct task){ .prepare = prepare, .slot = i };
        tasks[i].started = i > 0 && pthread_create(&tasks[i].thread, NULL, make, &tasks[i]) == 0;
    }
    for (size_t i = 0; i < prepare->count; i++)
        if (tasks[i].started)
            pthread_join(tasks[i].thread, NULL);
        else
            make(&tasks[i]);
}

bool prepare_call(struct prepare *prepare, size_t repetition, size_t wanted, struct blob *input, struct blob *answer,
                  struct error *error)
{
    const size_t bytes = input->size + answer->size;
    struct prepared *call;

    blob_release(input);
    blob_release(answer);
    if (prepare->count == 0 || repetition < prepare->first || repetition >= prepare->first + prepare->count) {
        prepare_release(prepare);
        prepare->first = repetition;
        prepare->count = repetition == 0 ? 1 : at_once(wanted, bytes);
        make_calls(prepare);
    }
    call = &prepare->calls[repetition - prepare->first];
    *input = call->input;
    *answer = call->answer;
    call->input = call->answer = (struct blob){ 0 };
    if (!call->ok)
        *error = call->error;
    return call->ok;
}

void prepare_release(struct prepare *prepare)
{
    for (size_t i = 0; i < prepare->count; i++) {
        blob_release(&prepare->calls[i].input);
        blob_release(&prepare->calls[i].answer);
    }
    prepare->count = 0;
}
