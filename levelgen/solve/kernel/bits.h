/* Sets of tiles as 64-bit words. Every operation takes the number of words; where that is a constant the compiler
 * unrolls, which is how the same source serves boards of 64 tiles and of 2,000. */
#ifndef LEVELGEN_BITS_H
#define LEVELGEN_BITS_H

#include <stdint.h>
#include <string.h>

typedef uint64_t lg_word;

#define LG_WORDS(n) (((n) + 63) / 64)

/* Walks the members of `set` in ascending order; `tile` is the member, `w_` and `rest_` are the walk's own. */
#define LG_EACH(tile, set, words)                                                                                  \
    for (int w_ = 0; w_ < (words); w_++)                                                                           \
        for (lg_word rest_ = (set)[w_]; rest_ && ((tile) = w_ * 64 + lg_lowest(rest_), 1); rest_ &= rest_ - 1)

static inline int lg_lowest(lg_word x) { return __builtin_ctzll(x); }

/* Portable: without a hardware instruction the compiler's own builtin calls a function. */
static inline int lg_count_word(lg_word x)
{
#ifdef __POPCNT__
    return __builtin_popcountll(x);
#else
    x -= (x >> 1) & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)((x * UINT64_C(0x0101010101010101)) >> 56);
#endif
}

static inline int lg_has(const lg_word *set, int tile) { return (int)(set[tile >> 6] >> (tile & 63) & 1); }
static inline void lg_add(lg_word *set, int tile) { set[tile >> 6] |= (lg_word)1 << (tile & 63); }
static inline void lg_drop(lg_word *set, int tile) { set[tile >> 6] &= ~((lg_word)1 << (tile & 63)); }

static inline void lg_copy(lg_word *to, const lg_word *from, int words)
{
    for (int i = 0; i < words; i++)
        to[i] = from[i];
}

static inline void lg_clear(lg_word *set, int words)
{
    for (int i = 0; i < words; i++)
        set[i] = 0;
}

static inline void lg_join(lg_word *set, const lg_word *other, int words)
{
    for (int i = 0; i < words; i++)
        set[i] |= other[i];
}

static inline int lg_count(const lg_word *set, int words)
{
    int sum = 0;
    for (int i = 0; i < words; i++)
        sum += lg_count_word(set[i]);
    return sum;
}

static inline int lg_same(const lg_word *a, const lg_word *b, int words)
{
    lg_word differ = 0;
    for (int i = 0; i < words; i++)
        differ |= a[i] ^ b[i];
    return !differ;
}

/* Whether `set` lies inside `other`. */
static inline int lg_inside(const lg_word *set, const lg_word *other, int words)
{
    lg_word outside = 0;
    for (int i = 0; i < words; i++)
        outside |= set[i] & ~other[i];
    return !outside;
}

static inline int lg_meets(const lg_word *a, const lg_word *b, int words)
{
    lg_word both = 0;
    for (int i = 0; i < words; i++)
        both |= a[i] & b[i];
    return both != 0;
}

#endif
