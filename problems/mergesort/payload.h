/*
 * payload.h - which payload the generator gives to which index, and back.
 *
 * A payload is to tell the index that it came from, so that check() can see from an output alone whether equal keys
 * kept their order. But it must not grow with the index: else sorting by (key, payload), which is not what a stable
 * sort is about, would pass. So the payload is the index sent through a random permutation of all 32-bit numbers: a
 * Feistel network of four rounds on halves of 16 bits, which is a bijection whatever its round function does. The
 * round keys stand in the input's header, and call.c wipes them before it calls device_user(). This hides nothing of
 * value: who found them out could make an index out of a payload, which a submission may make anyway by counting.
 */
#ifndef MERGESORT_PAYLOAD_H
#define MERGESORT_PAYLOAD_H

#include <stdint.h>

/* The round function: 16 bits out of 16 bits and a round key. The multiplier is 2^32 divided by the golden ratio. */
static inline uint32_t mergesort_round(uint32_t half, uint32_t round_key)
{
    return (half ^ round_key) * 0x9e3779b1u >> 16;
}

static inline uint32_t mergesort_payload(uint32_t index, const uint32_t round_keys[4])
{
    uint32_t high = index >> 16, low = index & 0xffff;

    for (int r = 0; r < 4; r++) {
        uint32_t next = high ^ mergesort_round(low, round_keys[r]);

        high = low;
        low = next;
    }
    return high << 16 | low;
}

/* The index of a payload. Of another number, some index that no input has: at least its count. */
static inline uint32_t mergesort_index(uint32_t payload, const uint32_t round_keys[4])
{
    uint32_t high = payload >> 16, low = payload & 0xffff;

    for (int r = 3; r >= 0; r--) {
        uint32_t before = low ^ mergesort_round(high, round_keys[r]);

        low = high;
        high = before;
    }
    return high << 16 | low;
}

#endif
