/* Local search: a random playout fixes the pairings, then single culprits are re-paired.
 *
 * A culprit is an open tile whose mate is still covered when everything stops. It is given another open copy of its
 * face, gone or not; the two tiles left over become a pair. The change is kept when no fewer tiles go, and now and
 * then when fewer do: without that noise the walk is caught in the first hollow. */
#include "pairs_work.h"

#include <string.h>

enum { NOISE = 12, IDLE = 300, PAIRABLE_STEPS = 2000 };

static void leave(lg_pairs_work *w, int32_t tile, int32_t *pool, int32_t *size)
{
    const lg_pairs *b = w->board;
    if (tile >= w->n)
        return;
    for (int32_t k = b->event_start[tile]; k < b->event_start[tile + 1]; k++) {
        int32_t d = b->event[k].tile;
        uint64_t lock = w->locks[d] - b->event[k].delta;
        int unlocked = LG_UNLOCKED(lock);
        w->locks[d] = unlocked ? lock | LG_OPENED : lock;
        pool[*size] = d;
        *size += unlocked;
    }
}

/* What can be matched is matched as soon as a random order of opening allows; the rest stays without a mate. */
static void playout(lg_pairs_work *w)
{
    const lg_pairs *b = w->board;
    int32_t *pool = w->stack, size = 0;
    memcpy(w->locks, b->locks, (size_t)w->n * sizeof *w->locks);
    memset(w->open, 0, (size_t)w->n_faces * sizeof *w->open);
    w->spent++;
    for (int32_t t = 0; t < w->n_all; t++)
        w->mate[t] = -1;
    for (int32_t t = w->n; t < w->n_all; t++)
        pool[size++] = t;
    for (int32_t k = 0; k < b->n_free; k++)
        pool[size++] = b->free_tiles[k];
    while (size) {
        int32_t k = (int32_t)lg_rng_below(&w->rng, (uint32_t)size), tile = pool[k], face = w->face_of[tile];
        pool[k] = pool[--size];
        uint64_t mates = w->adj[tile] & w->open[face];
        if (w->lone[tile])
            leave(w, tile, pool, &size);
        if (!mates) {
            w->open[face] |= LG_BIT(w->slot_of[tile]);
            continue;
        }
        for (uint32_t skip = mates & (mates - 1) ? lg_rng_below(&w->rng, (uint32_t)__builtin_popcountll(mates)) : 0; skip; skip--)
            mates &= mates - 1;
        int32_t mate = w->copy[w->first[face] + __builtin_ctzll(mates)];
        w->open[face] &= ~LG_BIT(w->slot_of[mate]);
        w->mate[tile] = mate;
        w->mate[mate] = tile;
        if (!w->lone[tile])
            leave(w, tile, pool, &size);
        if (!w->lone[mate])
            leave(w, mate, pool, &size);
    }
}

/* Matches the places in `left` along allowed edges, the one with fewest mates first. */
static int pairable(lg_pairs_work *w, const int32_t *copy, uint64_t left, int32_t *steps)
{
    if (!left)
        return 1;
    if (--*steps < 0)
        return 0;
    int32_t place = 0, least = PAIRS_MAX_COPIES;
    for (uint64_t rest = left; rest; rest &= rest - 1) {
        int32_t k = __builtin_ctzll(rest), degree = __builtin_popcountll(w->adj[copy[k]] & left);
        if (degree < least) {
            least = degree;
            place = k;
        }
    }
    left &= ~LG_BIT(place);
    for (uint64_t mates = w->adj[copy[place]] & left; mates; mates &= mates - 1) {
        int32_t k = __builtin_ctzll(mates);
        if (pairable(w, copy, left & ~LG_BIT(k), steps)) {
            w->mate[copy[place]] = copy[k];
            w->mate[copy[k]] = copy[place];
            return 1;
        }
    }
    return 0;
}

/* Gives every tile without a mate one; a face whose rest cannot be matched is matched anew as a whole. */
static int complete(lg_pairs_work *w)
{
    for (int32_t f = 0; f < w->n_faces; f++) {
        const int32_t *copy = w->copy + w->first[f];
        int32_t m = lg_copies(w, f), steps = PAIRABLE_STEPS;
        uint64_t left = 0;
        for (int32_t i = 0; i < m; i++)
            if (w->mate[copy[i]] < 0)
                left |= LG_BIT(i);
        if (pairable(w, copy, left, &steps))
            continue;
        steps = PAIRABLE_STEPS;
        left = m == 64 ? ~UINT64_C(0) : LG_BIT(m) - 1;
        if (!pairable(w, copy, left, &steps))
            return 0;
    }
    return 1;
}

static inline void couple(lg_pairs_work *w, int32_t a, int32_t b)
{
    w->mate[a] = b;
    w->mate[b] = a;
}

int lg_pairs_local(lg_pairs_work *w, int32_t tries, int fresh)
{
    if (fresh) playout(w);
    if (!complete(w))
        return 0;
    int32_t score = lg_pairs_fixed(w, w->order);
    uint64_t *open = w->open;
    while (score < w->total) {
        int32_t n_front = 0, idle = 0, taken = 0;
        memset(open, 0, (size_t)w->n_faces * sizeof *open);
        for (int32_t t = 0; t < w->n_all; t++)
            if (w->opened[t]) {
                open[w->face_of[t]] |= LG_BIT(w->slot_of[t]);
                if (!w->opened[w->mate[t]])
                    w->front[n_front++] = t;
            }
        while (n_front && !taken && tries > 0 && idle++ < IDLE) {
            int32_t a = w->front[lg_rng_below(&w->rng, (uint32_t)n_front)], b = w->mate[a], f = w->face_of[a];
            uint64_t others = open[f] & w->adj[a] & ~LG_BIT(w->slot_of[b]);
            if (!others)
                continue;
            for (uint32_t skip = others & (others - 1) ? lg_rng_below(&w->rng, (uint32_t)__builtin_popcountll(others)) : 0; skip; skip--)
                others &= others - 1;
            int32_t c = w->copy[w->first[f] + __builtin_ctzll(others)], d = w->mate[c];
            if (!(w->adj[b] >> w->slot_of[d] & 1))
                continue;
            couple(w, a, c);
            couple(w, b, d);
            int32_t now = lg_pairs_fixed(w, w->order);
            tries--;
            w->stats.flips++;
            taken = now >= score || lg_rng_below(&w->rng, NOISE) == 0;
            if (taken) {
                score = now;
            } else {
                couple(w, a, b);
                couple(w, c, d);
            }
        }
        if (!taken)
            return 0;
    }
    return 1;
}
