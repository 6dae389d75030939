/*
 * limits.c - a table of buckets, found by a keyed hash: whoever chooses names cannot choose their places.
 */
#include "limits.h"

#include <sodium.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "verify/base/clock.h"

enum { SETS = 2048, WAYS = 8 };

/* What is left, and when that was. */
struct bucket {
    uint64_t hash; /* 0: none */
    double left;
    int64_t when; /* clock_ns() */
};

struct limits {
    pthread_mutex_t lock;
    unsigned char key[crypto_shorthash_KEYBYTES];
    struct bucket buckets[SETS][WAYS];
};

/* So many at once, and so many a second after that. */
static const struct { double burst, rate; } rules[LIMIT_KINDS] = {
    [LIMIT_TOKENS] = { 10, 0.2 },
    [LIMIT_UPLOADS] = { 20, 0.5 },
    [LIMIT_READS] = { 2000, 500 },
};

struct limits *limits_new(void)
{
    struct limits *limits = calloc(1, sizeof *limits);

    if (limits) {
        randombytes_buf(limits->key, sizeof limits->key);
        pthread_mutex_init(&limits->lock, NULL);
    }
    return limits;
}

void limits_free(struct limits *limits) { free(limits); }

static struct bucket *find(struct limits *limits, enum limit_kind kind, const char *name)
{
    struct bucket *oldest = NULL, *set;
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t number;

    crypto_shorthash(hash, (const unsigned char *)name, strlen(name), limits->key);
    memcpy(&number, hash, sizeof number);
    number = (number ^ (uint64_t)kind * 0x9e3779b97f4a7c15u) | 1;
    set = limits->buckets[number >> 32 & (SETS - 1)];
    for (int i = 0; i < WAYS; i++) {
        if (set[i].hash == number)
            return &set[i];
        if (!oldest || set[i].when < oldest->when)
            oldest = &set[i];
    }
    *oldest = (struct bucket){ number, rules[kind].burst, clock_ns() };
    return oldest;
}

static struct bucket *filled(struct limits *limits, enum limit_kind kind, const char *name)
{
    struct bucket *bucket = find(limits, kind, name);
    const int64_t now = clock_ns();

    bucket->left += rules[kind].rate * clock_seconds(bucket->when, now);
    if (bucket->left > rules[kind].burst)
        bucket->left = rules[kind].burst;
    bucket->when = now;
    return bucket;
}

bool limits_allow(struct limits *limits, enum limit_kind kind, const char *name)
{
    struct bucket *bucket;
    bool ok;

    pthread_mutex_lock(&limits->lock);
    bucket = filled(limits, kind, name);
    ok = bucket->left >= 1;
    bucket->left -= ok ? 1 : 0;
    pthread_mutex_unlock(&limits->lock);
    return ok;
}

