/* The kernel's own generator: SplitMix64. One 64-bit word of state, seeded from a named stream by the caller. */
#ifndef LEVELGEN_RNG_H
#define LEVELGEN_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} lg_rng;

/* A bijection of 64-bit words that leaves no pattern behind; also what hashes are made of. */
static inline uint64_t lg_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline lg_rng lg_rng_of(uint64_t seed)
{
    lg_rng rng = {seed};
    return rng;
}

static inline uint64_t lg_rng_next(lg_rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return lg_mix(rng->state);
}

/* Uniform in 0 .. n-1 for n >= 1: the high half of a 32 x 32 bit product, redrawn where that would be biased. */
static inline uint32_t lg_rng_below(lg_rng *rng, uint32_t n)
{
    uint64_t product = (lg_rng_next(rng) >> 32) * n;
    if ((uint32_t)product < n) {
        uint32_t biased = (uint32_t)(0u - n) % n;
        while ((uint32_t)product < biased)
            product = (lg_rng_next(rng) >> 32) * n;
    }
    return (uint32_t)(product >> 32);
}

#endif
