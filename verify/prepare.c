/*
 * prepare.c - threads that take the calls of a batch in their order, all ended before any call is given out.
 */
#include "prepare.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "problems/problem.h"
#include "processor.h"

/* A batch while it is made. */
struct batch {
    struct prepare *prepare;
    size_t most;           /* calls that are listed */
    pthread_mutex_t lock;  /* of what follows */
    size_t taken;          /* calls that somebody makes or has made */
    size_t bytes, allowed; /* what they take, and may */
    size_t known;          /* the case that a call has been generated of, */
    size_t each;           /* and what a call of it takes; 0 before any */
    bool full;             /* no more are to be taken */
};

/* What a call takes: its input, and an answer of up to two doubles for each float32 of the output. */
static size_t bytes_of(const struct problem *problem, const struct blob *input)
{
    return problem->footprint ? problem->footprint(input) : input->size + 4 * problem->output_size(input);
}

static void generate(const struct prepare *prepare, struct prepared *call)
{
    const struct arguments *arguments = &prepare->cases[call->number];
    struct random_key key = { .seed = prepare->seed, .repetition = call->repetition };
    uint64_t case_seed;

    if (!arguments_number(arguments, "seed", 0, 0, UINT32_MAX, &case_seed, &call->error))
        return;
    key.case_seed = (uint32_t)case_seed;
    call->ok = prepare->problem->generate(arguments, &key, &call->input, &call->error);
}

/* A call has been generated: what it takes is known now, in place of the `reserved` bytes. The lock is held. */
static void account(struct batch *batch, const struct prepared *call, size_t reserved)
{
    const size_t bytes = call->ok ? bytes_of(batch->prepare->problem, &call->input) : 0;

    batch->each = bytes;
    batch->known = call->number;
    batch->bytes += bytes - reserved;
    batch->full = batch->full || batch->bytes > batch->allowed || !call->ok;
}

/*
 * The next call, generated, or NULL when the batch is full. Nobody knows what the first call of a case will take. It is
 * generated while nobody else takes one, but where there is room for the largest input of all.
 */
static struct prepared *take(struct batch *batch)
{
    struct prepare *prepare = batch->prepare;
    const struct problem *problem = prepare->problem;
    struct prepared *call = NULL;
    size_t reserved = problem->footprint ? problem->footprint(NULL) : SIZE_MAX / 2;
    bool known;

    pthread_mutex_lock(&batch->lock);
    known = batch->taken < batch->most && batch->each > 0 && batch->known == prepare->calls[batch->taken].number;
    if (known)
        reserved = batch->each;
    if (known && batch->taken > 0 && batch->bytes + reserved > batch->allowed)
        batch->full = true;
    if (!batch->full && batch->taken < batch->most) {
        call = &prepare->calls[batch->taken++];
        if (batch->bytes + reserved <= batch->allowed) {
            batch->bytes += reserved;
            pthread_mutex_unlock(&batch->lock);
            generate(prepare, call);
            pthread_mutex_lock(&batch->lock);
            account(batch, call, reserved);
        } else {
            generate(prepare, call);
            account(batch, call, 0);
        }
    }
    pthread_mutex_unlock(&batch->lock);
    return call;
}

static void *make(void *argument)
{
    struct batch *batch = argument;
    const struct prepare *prepare = batch->prepare;
    struct prepared *call;

    while ((call = take(batch)))
        call->ok =
            call->ok && prepare->problem->reference(&call->input, prepare->secret, &call->answer, &call->error);
    return NULL;
}

static size_t processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

/* Makes the first calls of the `most` that are listed; at least one. */
static void make_batch(struct prepare *prepare, size_t most)
{
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct batch batch = { .prepare = prepare, .most = most, .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[PREPARE_MOST];
    size_t started = 0, helpers;

    processor_make_way();
    helpers = (most < processors() ? most : processors()) - 1;
    batch.allowed = pages > 0 && page > 0 ? (size_t)pages * (size_t)page / 4 : 0;
    while (started < helpers && pthread_create(&threads[started], NULL, make, &batch) == 0)
        started++;
    make(&batch);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    prepare->count = batch.taken;
}

/* Lists the calls from this one on; how many. */
static size_t list(struct prepare *prepare, size_t number, size_t repetition, size_t wanted)
{
    const bool one_each = repetition == 0 && wanted == 1;
    const size_t there = one_each ? prepare->case_count - number : wanted;
    size_t most;

    prepare->batch = prepare->sure ? PREPARE_MOST : prepare->batch > 0 ? 4 * prepare->batch : 1;
    if (prepare->batch > PREPARE_MOST)
        prepare->batch = PREPARE_MOST;
    most = there < prepare->batch ? there : prepare->batch;
    for (size_t i = 0; i < most; i++)
        prepare->calls[i] = (struct prepared){ .number = number + (one_each ? i : 0),
                                               .repetition = (uint32_t)(repetition + (one_each ? 0 : i)) };
    return most;
}

bool prepare_call(struct prepare *prepare, size_t number, size_t repetition, size_t wanted, struct blob *input,
                  struct blob *answer, struct error *error)
{
    struct prepared *call = &prepare->calls[prepare->next];

    blob_release(input);
    blob_release(answer);
    if (prepare->next >= prepare->count || call->number != number || call->repetition != repetition) {
        prepare_release(prepare);
        make_batch(prepare, list(prepare, number, repetition, wanted > 0 ? wanted : 1));
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
    for (size_t i = prepare->next; i < prepare->count; i++) {
        blob_release(&prepare->calls[i].input);
        blob_release(&prepare->calls[i].answer);
    }
    prepare->next = prepare->count = 0;
}
