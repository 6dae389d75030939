/*
 * random.h - counter-based random numbers: the same key gives the same bytes, on every machine, for ever.
 *
 * They are Philox4x32-10 (philox.h). The problems' generators and getrndstr use them. No input may use other random
 * numbers.
 */
#ifndef VERIFY_RANDOM_H
#define VERIFY_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "philox.h"

/* What fixes every byte of a case's input. */
struct random_key {
    uint64_t seed;       /* the contest's: --seed */
    uint32_t case_seed;  /* the case's own: seed= in its arguments */
    uint32_t repetition; /* 0 for the first run of a case */
};

/* A position in one of the 2^32 streams of a key; a stream has 2^34 words. */
struct random_stream {
    struct random_key key;
    uint32_t stream;   /* which stream */
    uint32_t index;    /* the next block */
    uint32_t block[4]; /* the present block */
    unsigned used;     /* words taken of it, 4 when it is spent */
};

/* The start of a stream. */
struct random_stream random_stream(const struct random_key *key, uint32_t stream);

/* `stream` as it stands once `words` more words of it have been taken: so that several threads can draw from one. */
struct random_stream random_ahead(const struct random_stream *stream, uint64_t words);

/* The next 32 bits. */
uint32_t random_u32(struct random_stream *stream);

/* The next `count` words: as random_u32() one after the other, in less than half the time. */
void random_words(struct random_stream *stream, uint32_t *words, size_t count);

/* The number in [0, bound), bound > 0, of a word, by multiply-shift: off from uniform by less than bound / 2^32. */
static inline uint32_t random_scaled(uint32_t word, uint32_t bound) { return (uint32_t)((uint64_t)word * bound >> 32); }

/* The next one of those. */
uint32_t random_below(struct random_stream *stream, uint32_t bound);

/* `length` characters of an alphabet of `size` characters, 0 < size <= 256. */
void random_string(struct random_stream *stream, const char *alphabet, size_t size, char *string, size_t length);

/*
 * The characters of a named alphabet in `characters`, and how many: printable (the 95 of ASCII), lower, upper,
 * digits, alnum, dna (ACGT), binary (01), bytes (all 256 values). 0 for any other name.
 */
size_t random_alphabet(const char *name, char characters[256]);

/* The names above, for usage lines. */
#define RANDOM_ALPHABETS "printable, lower, upper, digits, alnum, dna, binary, bytes"

#endif
