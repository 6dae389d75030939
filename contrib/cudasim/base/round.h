/*
 * round.h - rounds sizes and addresses up to a multiple.
 */
#ifndef CUDASIM_ROUND_H
#define CUDASIM_ROUND_H

#include <stdint.h>

/* `unit` 0 stands for 1. */
static inline uint64_t round_up(uint64_t value, uint64_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

#endif
