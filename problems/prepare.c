/*
 * prepare.c - threads that take the calls of a batch in their order, all ended before any call is given out.
 */
#include "prepare.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify/box/cgroup.h"
#include "verify/base/parallel.h"
#include "problem.h"
#include "verify/box/processor.h"
#include "verify/result/seeds.h"

/* A batch while it is made. */
struct batch {
    struct prepare *prepare;
    size_t most;           /* calls that are listed */
    bool one_each;         /* of as many cases; else all of one case */
    size_t allowed;        /* bytes that they may take */
    pthread_mutex_t lock;  /* of what follows */
    size_t taken;          /* calls that somebody makes or has made */
    const atomic_bool *unwanted; /* no more are to be taken; or NULL */
    size_t bytes;          /* what they take */
    size_t each;           /* what a call of the one case takes; 0 before one is generated */
    bool full;             /* no more are to be taken */
};

/* The batch after the one whose calls are given out, while a thread makes it. */
struct coming {
    struct prepare prepare; /* as the caller's, with calls of its own */
    bool joined;            /* the thread is gone */
    size_t most;            /* calls that are listed there */
    atomic_bool unwanted;   /* no more are to be made */
    atomic_bool made;       /* the thread has nothing left to do */
    pthread_t thread;
};

/* What a call takes: its input, and an answer of up to two doubles for each float32 of the output. */
static size_t bytes_of(const struct problem *problem, const struct blob *input)
{
    return problem->footprint ? problem->footprint(input) : input->size + 4 * problem->output_size(input);
}

static void generate(const struct prepare *prepare, struct prepared *call)
{
    const struct arguments *arguments = &prepare->cases[call->number];
    struct random_key key;
    uint64_t case_seed;

    if (!arguments_number(arguments, "seed", 0, 0, UINT32_MAX, &case_seed, &call->error))
        return;
    key = seeds_of_call(prepare->seeds, prepare->names[call->number], (uint32_t)case_seed, call->repetition);
    call->ok = prepare->problem->generate(arguments, &key, &call->input, &call->error);
}

/* A call has been generated: what it takes is known now, in place of the `reserved` bytes. The lock is held. */
static void account(struct batch *batch, const struct prepared *call, size_t reserved)
{
    const size_t bytes = call->ok ? bytes_of(batch->prepare->problem, &call->input) : 0;

    batch->each = bytes;
    batch->bytes += bytes - reserved;
    batch->full = batch->full || batch->bytes > batch->allowed || !call->ok;
}

/*
 * What the next call will take, by what is known, or 0. The calls of one case are alike; before the first one is there
 * each is taken for the largest, if there is room for so many of these. The lock is held.
 */
static size_t estimate(const struct batch *batch)
{
    const struct problem *problem = batch->prepare->problem;
    const size_t largest = problem->footprint ? problem->footprint(NULL) : 0;

    if (batch->one_each)
        return largest;
    return batch->each > 0 || largest > batch->allowed / batch->most ? batch->each : largest;
}

/*
 * The next call, generated, or NULL when the batch is full. While nobody knows what it takes nobody else takes one;
 * else as much is reserved before as it may need. The first call of a batch is made whether it fits or not.
 */
static struct prepared *take(struct batch *batch)
{
    struct prepared *call = NULL;
    size_t reserved;

    pthread_mutex_lock(&batch->lock);
    reserved = estimate(batch);
    if (batch->unwanted && atomic_load(batch->unwanted))
        batch->full = true;
    if (batch->taken > 0 && batch->bytes + reserved > batch->allowed)
        batch->full = true;
    if (!batch->full && batch->taken < batch->most) {
        call = &batch->prepare->calls[batch->taken++];
        batch->bytes += reserved;
        if (reserved > 0)
            pthread_mutex_unlock(&batch->lock);
        generate(batch->prepare, call);
        if (reserved > 0)
            pthread_mutex_lock(&batch->lock);
        account(batch, call, reserved);
    }
    pthread_mutex_unlock(&batch->lock);
    return call;
}

/* `call` as far as its answer, if there is one, then further calls while there are any. */
static void make(struct batch *batch, struct prepared *call)
{
    const struct prepare *prepare = batch->prepare;

    for (;;) {
        if (prepare->processors)
            processors_make_way(prepare->processors);
        if (!call)
            call = take(batch);
        if (!call)
            return;
        call->ok =
            call->ok && prepare->problem->reference(&call->input, prepare->secret, &call->answer, &call->error);
        call = NULL;
    }
}

/* A thread beside the host's first one. */
static void *help(void *argument)
{
    make(argument, NULL);
    parallel_give(1);
    return NULL;
}

/* What may be taken without that something else has to go. */
static size_t free_memory(void)
{
    const size_t allowed = cgroup_memory_left();
    FILE *file = fopen("/proc/meminfo", "re");
    uintmax_t kibibytes = 0;
    char line[128];

    while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %ju", &kibibytes) != 1)
        ;
    if (file)
        fclose(file);
    return allowed < kibibytes * 1024 ? allowed : (size_t)kibibytes * 1024;
}

static size_t processor_count(const struct prepare *prepare)
{
    cpu_set_t set;

    if (prepare->processors && prepare->processors->others > 0)
        return (size_t)prepare->processors->others;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/*
 * Makes the first calls of the `most` that are listed, or none once they are `unwanted`, if that is given. Beside the
 * calls, a quarter of the processors stay free for the host's checks.
 */
static void make_batch(struct prepare *prepare, size_t most, const atomic_bool *unwanted)
{
    const size_t there = processor_count(prepare), left = unwanted && there > 1 ? (there + 3) / 4 : 0;
    const size_t processors = there - left;
    struct batch batch = { .prepare = prepare, .lock = PTHREAD_MUTEX_INITIALIZER, .unwanted = unwanted };
    pthread_t threads[PREPARE_MOST];
    struct prepared *first;
    size_t started = 0, taken;

    batch.most = most < 2 * processors ? most : 2 * processors;
    batch.one_each = most > 1 && prepare->calls[0].number != prepare->calls[1].number;
    batch.allowed = batch.most > 1 ? free_memory() / 4 : 0;
    if (prepare->processors)
        processors_make_way(prepare->processors);
    /* Nobody else can begin before it is known what a call takes; alone, the first one is made by all processors. */
    first = estimate(&batch) == 0 ? take(&batch) : NULL;
    taken = parallel_take((batch.most < processors ? batch.most : processors) - 1);
    while (started < taken && pthread_create(&threads[started], NULL, help, &batch) == 0)
        started++;
    parallel_give(taken - started);
    make(&batch, first);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    if (prepare->processors)
        processors_return(prepare->processors);
    prepare->count = batch.taken;
}

/* Lists the calls from this one on; how many. */
static size_t list(struct prepare *prepare, size_t number, size_t repetition, size_t wanted)
{
    const bool one_each = repetition == 0 && wanted == 1;
    const size_t there = one_each ? prepare->case_count - number : wanted;
    size_t most;

    if (repetition == 0 && wanted > 1) /* of a new case the first call may be the last one as well */
        prepare->batch = 0;
    prepare->batch = prepare->sure ? PREPARE_MOST : prepare->batch > 0 ? (prepare->ahead ? 16 : 4) * prepare->batch : 1;
    if (prepare->batch > PREPARE_MOST)
        prepare->batch = PREPARE_MOST;
    most = there < prepare->batch ? there : prepare->batch;
    for (size_t i = 0; i < most; i++)
        prepare->calls[i] = (struct prepared){ .number = number + (one_each ? i : 0),
                                               .repetition = (uint32_t)(repetition + (one_each ? 0 : i)) };
    return most;
}

/* ------------------------------------------------------------------ ahead of the calls */

static void *make_coming(void *argument)
{
    struct coming *coming = argument;

    make_batch(&coming->prepare, coming->most, &coming->unwanted);
    atomic_store(&coming->made, true);
    parallel_give(1);
    return NULL;
}

/* Makes the calls of the cases from this number on, if there are any, while those of earlier ones are given out. */
static void begin_coming(struct prepare *prepare, size_t number)
{
    struct coming *coming;

    if (!prepare->ahead || prepare->coming || number >= prepare->case_count || parallel_take(1) == 0)
        return;
    coming = calloc(1, sizeof *coming);
    if (coming) {
        coming->prepare = *prepare;
        coming->prepare.next = coming->prepare.count = 0;
        coming->most = list(&coming->prepare, number, 0, 1);
        if (pthread_create(&coming->thread, NULL, make_coming, coming) == 0) {
            prepare->coming = coming;
            return;
        }
    }
    free(coming); /* then they are made when they are asked for */
    parallel_give(1);
}

static void join(struct coming *coming)
{
    if (!coming->joined)
        pthread_join(coming->thread, NULL);
    coming->joined = true;
}

/* Waits for what is made ahead, and gives it out from now on. */
static void take_coming(struct prepare *prepare)
{
    struct coming *coming = prepare->coming;

    join(coming);
    memcpy(prepare->calls, coming->prepare.calls, sizeof prepare->calls);
    prepare->batch = coming->prepare.batch;
    prepare->next = 0;
    prepare->count = coming->prepare.count;
    prepare->beside = true;
    prepare->coming = NULL;
    free(coming);
}

static void release_calls(struct prepare *prepare)
{
    for (size_t i = prepare->next; i < prepare->count; i++) {
        blob_release(&prepare->calls[i].input);
        blob_release(&prepare->calls[i].answer);
    }
    prepare->next = prepare->count = 0;
}

bool prepare_works(const struct prepare *prepare)
{
    return prepare->coming && !atomic_load(&prepare->coming->made);
}

size_t prepare_small(const struct prepare *prepare, size_t bytes)
{
    size_t i = prepare->next;

    while (i < prepare->count && prepare->calls[i].ok && prepare->calls[i].input.size < bytes)
        i++;
    return i - prepare->next;
}

void prepare_calm(struct prepare *prepare)
{
    prepare->ahead = false;
    if (prepare->coming)
        join(prepare->coming);
}

/* ------------------------------------------------------------------ what the host asks for */

/* Makes the calls from this one on, unless they are made ahead; and then what comes after them. */
static void make_calls(struct prepare *prepare, size_t number, size_t repetition, size_t wanted)
{
    const struct prepared *first = prepare->coming ? prepare->coming->prepare.calls : NULL;

    if (first && first->number == number && first->repetition == repetition) {
        release_calls(prepare);
        take_coming(prepare);
    } else {
        size_t most;

        prepare_release(prepare);
        most = list(prepare, number, repetition, wanted);
        if (most == 1) /* the next ones need not wait for it */
            begin_coming(prepare, number + 1);
        make_batch(prepare, most, NULL);
    }
    begin_coming(prepare, prepare->calls[prepare->count - 1].number + 1);
}

/* What could not be made, perhaps for want of memory beside the others: again, alone. */
static void make_alone(struct prepare *prepare, size_t number, size_t repetition)
{
    prepare_release(prepare);
    prepare->calls[0] = (struct prepared){ .number = number, .repetition = (uint32_t)repetition };
    make_batch(prepare, 1, NULL);
}

bool prepare_call(struct prepare *prepare, size_t number, size_t repetition, size_t wanted, struct blob *input,
                  struct blob *answer, struct error *error)
{
    struct prepared *call = &prepare->calls[prepare->next];

    blob_release(input);
    blob_release(answer);
    if (prepare->next >= prepare->count || call->number != number || call->repetition != repetition) {
        make_calls(prepare, number, repetition, wanted > 0 ? wanted : 1);
        call = prepare->calls;
    }
    if (!call->ok && (prepare->count > 1 || prepare->beside)) {
        make_alone(prepare, number, repetition);
        call = prepare->calls;
    }
    prepare->next++;
    *input = call->input;
    *answer = call->answer;
    call->input = call->answer = (struct blob){ 0 };
    if (!call->ok)
        *error = call->error;
    return call->ok;
}

void prepare_release(struct prepare *prepare)
{
    release_calls(prepare);
    if (prepare->coming) {
        atomic_store(&prepare->coming->unwanted, true);
        take_coming(prepare);
        release_calls(prepare);
    }
    prepare->beside = false;
}

/* Decoys while they are made. */
struct decoys {
    const struct prepare *prepare;
    struct prepared *calls;
};

static void make_decoy(void *context, size_t i)
{
    const struct decoys *decoys = context;

    generate(decoys->prepare, &decoys->calls[i]);
}

bool prepare_decoys(const struct prepare *prepare, size_t number, size_t first, size_t count, struct blob *inputs,
                    struct error *error)
{
    const uint32_t high = 1u << 31; /* no call has so high a number */
    struct decoys decoys = { .prepare = prepare, .calls = calloc(count, sizeof *decoys.calls) };
    bool ok = decoys.calls != NULL;

    if (!ok)
        return error_toolkit(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        decoys.calls[i] = (struct prepared){ .number = number, .repetition = high + (uint32_t)(first + i) };
    if (prepare->processors)
        processors_make_way(prepare->processors);
    parallel_run(count, make_decoy, &decoys);
    if (prepare->processors)
        processors_return(prepare->processors);
    for (size_t i = 0; i < count; i++) {
        inputs[i] = decoys.calls[i].input;
        if (ok && !decoys.calls[i].ok)
            *error = decoys.calls[i].error;
        ok = ok && decoys.calls[i].ok;
    }
    for (size_t i = 0; i < count && !ok; i++)
        blob_release(&inputs[i]);
    free(decoys.calls);
    return ok;
}

bool prepare_alone(const struct prepare *prepare, size_t number, size_t repetition, struct blob *input,
                   struct blob *answer, struct error *error)
{
    struct prepared call = { .number = number, .repetition = (uint32_t)repetition };

    if (prepare->processors)
        processors_make_way(prepare->processors);
    generate(prepare, &call);
    call.ok = call.ok && prepare->problem->reference(&call.input, prepare->secret, &call.answer, &call.error);
    if (prepare->processors)
        processors_return(prepare->processors);
    *input = call.input;
    *answer = call.answer;
    if (!call.ok)
        *error = call.error;
    return call.ok;
}
