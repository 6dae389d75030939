/* jobs.c - see jobs.h. */
#include "jobs.h"

#include <cblas.h>
#include <pthread.h>
#include <sched.h>

enum { MAX_THREADS = 8 };

struct queue {
    pthread_mutex_t lock;                         /* of `next`, `failed` and `error` */
    bool (*work)(void *, size_t, struct error *); /* one piece */
    void *context;                                /* its first argument */
    size_t next, count;                           /* the first that nobody has begun; all */
    bool failed;                                  /* no further one is begun */
    struct error *error;                          /* the first one's */
};

static void *worker(void *data)
{
    struct queue *queue = data;

    for (;;) {
        struct error error;
        size_t number;

        pthread_mutex_lock(&queue->lock);
        number = queue->failed ? queue->count : queue->next++;
        pthread_mutex_unlock(&queue->lock);
        if (number >= queue->count)
            return NULL;
        if (queue->work(queue->context, number, &error))
            continue;
        pthread_mutex_lock(&queue->lock);
        if (!queue->failed)
            *queue->error = error;
        queue->failed = true;
        pthread_mutex_unlock(&queue->lock);
    }
}

static int processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

bool jobs_run(bool (*work)(void *, size_t, struct error *), void *context, size_t count, struct error *error)
{
    struct queue queue = {PTHREAD_MUTEX_INITIALIZER, work, context, 0, count, false, error};
    pthread_t threads[MAX_THREADS];
    int wanted = processors(), started = 0, before = openblas_get_num_threads();

    openblas_set_num_threads(1);
    while (started + 1 < wanted && started + 1 < MAX_THREADS && (size_t)started + 1 < count &&
           pthread_create(&threads[started], NULL, worker, &queue) == 0)
        started++;
    worker(&queue);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    openblas_set_num_threads(before);
    return !queue.failed;
}
