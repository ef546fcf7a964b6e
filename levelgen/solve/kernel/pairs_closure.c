/* Closures: what goes when everything that can go does. All are monotone, so order does not matter. */
#include "pairs_work.h"

#include <string.h>

static void begin(lg_pairs_work *w)
{
    memcpy(w->locks, w->board->locks, (size_t)w->n * sizeof *w->locks);
    w->stats.closures++;
    w->spent++;
}

static inline void remove_places(lg_pairs_work *w, int32_t face, uint64_t places)
{
    const int32_t *copy = w->copy + w->first[face];
    w->gone[face] |= places;
    for (; places; places &= places - 1) {
        w->stack[w->top++] = copy[__builtin_ctzll(places)];
        w->n_gone++;
    }
}

static inline void relaxed_open(lg_pairs_work *w, int32_t tile)
{
    int32_t face = w->face_of[tile];
    uint64_t bit = LG_BIT(w->slot_of[tile]), mates = w->adj[tile] & w->open[face];
    w->open[face] |= bit;
    if (mates || w->lone[tile])
        remove_places(w, face, (mates | bit) & ~w->gone[face]);
}

static int32_t relaxed_run(lg_pairs_work *w)
{
    const lg_pairs *b = w->board;
    while (w->top) {
        int32_t tile = w->stack[--w->top];
        if (tile >= w->n)
            continue;
        for (int32_t k = b->event_start[tile]; k < b->event_start[tile + 1]; k++) {
            int32_t d = b->event[k].tile;
            uint64_t lock = w->locks[d] - b->event[k].delta;
            w->locks[d] = lock;
            if (LG_UNLOCKED(lock)) {
                w->locks[d] = lock | LG_OPENED;
                relaxed_open(w, d);
            }
        }
    }
    return w->n_gone;
}

int32_t lg_pairs_relaxed(lg_pairs_work *w)
{
    const lg_pairs *b = w->board;
    begin(w);
    memset(w->open, 0, (size_t)w->n_faces * sizeof *w->open);
    memset(w->gone, 0, (size_t)w->n_faces * sizeof *w->gone);
    w->n_gone = w->top = 0;
    for (int32_t t = w->n; t < w->n_all; t++)
        relaxed_open(w, t);
    for (int32_t k = 0; k < b->n_free; k++)
        relaxed_open(w, b->free_tiles[k]);
    return relaxed_run(w);
}

int32_t lg_pairs_grow(lg_pairs_work *w, int32_t face, int32_t i, int32_t j)
{
    remove_places(w, face, (LG_BIT(i) | LG_BIT(j)) & ~w->gone[face]);
    return relaxed_run(w);
}

void lg_pairs_keep(lg_pairs_work *w)
{
    memcpy(w->kept_locks, w->locks, (size_t)w->n * sizeof *w->locks);
    memcpy(w->kept_open, w->open, (size_t)w->n_faces * sizeof *w->open);
    memcpy(w->kept_gone, w->gone, (size_t)w->n_faces * sizeof *w->gone);
    w->kept_n_gone = w->n_gone;
}

void lg_pairs_restore(lg_pairs_work *w)
{
    memcpy(w->locks, w->kept_locks, (size_t)w->n * sizeof *w->locks);
    memcpy(w->open, w->kept_open, (size_t)w->n_faces * sizeof *w->open);
    memcpy(w->gone, w->kept_gone, (size_t)w->n_faces * sizeof *w->gone);
    w->n_gone = w->kept_n_gone;
    w->top = 0;
}

/* The same with lone tiles, which go alone and so need care that the plain case does without. */
static int32_t fixed_lone(lg_pairs_work *w, int32_t *order)
{
    const lg_pairs *b = w->board;
    int32_t *stack = w->stack, *fresh = w->fresh, top = 0, gone = 0, n_fresh = 0;
    for (int32_t t = w->n; t < w->n_all; t++)
        fresh[n_fresh++] = t;
    for (int32_t k = 0; k < b->n_free; k++)
        fresh[n_fresh++] = b->free_tiles[k];
    for (;;) {
        while (n_fresh) {
            int32_t tile = fresh[--n_fresh], mate = w->mate[tile];
            w->opened[tile] = 1;
            for (int k = 0; k < 2; k++) {
                int32_t t = k ? mate : tile;
                if (w->cleared[t] || !w->opened[t] || !(w->lone[t] || w->opened[w->mate[t]]))
                    continue;
                w->cleared[t] = 1;
                stack[top++] = t;
                order[gone++] = t;
            }
        }
        if (!top)
            return gone;
        int32_t tile = stack[--top];
        if (tile >= w->n)
            continue;
        for (int32_t k = b->event_start[tile]; k < b->event_start[tile + 1]; k++) {
            int32_t d = b->event[k].tile;
            uint64_t lock = w->locks[d] - b->event[k].delta;
            int unlocked = LG_UNLOCKED(lock);
            w->locks[d] = unlocked ? lock | LG_OPENED : lock;
            fresh[n_fresh] = d;
            n_fresh += unlocked;
        }
    }
}

int32_t lg_pairs_fixed(lg_pairs_work *w, int32_t *order)
{
    const lg_pairs *b = w->board;
    const int32_t *mate = w->mate;
    int32_t done = 0, gone = 0;
    uint8_t *opened = w->opened;
    uint64_t *locks = w->locks;
    begin(w);
    memset(opened, 0, (size_t)w->n_all);
    if (w->any_lone) {
        memset(w->cleared, 0, (size_t)w->n_all);
        return fixed_lone(w, order);
    }
    /* a queue: order[done .. gone) has left but not yet told those it blocked */
    for (int32_t k = 0; k < b->n_free; k++) {
        int32_t t = b->free_tiles[k], m = mate[t];
        opened[t] = 1;
        order[gone] = m;
        order[gone + 1] = t;
        gone += 2 * opened[m];
    }
    while (done < gone) {
        int32_t tile = order[done++];
        const lg_event *e = b->event + b->event_start[tile], *end = b->event + b->event_start[tile + 1];
        for (; e < end; e++) {
            int32_t d = e->tile;
            uint64_t lock = locks[d] - e->delta;
            locks[d] = lock;
            if (!LG_UNLOCKED(lock))
                continue;
            locks[d] = lock | LG_OPENED;
            int32_t m = mate[d];
            opened[d] = 1;
            order[gone] = m;
            order[gone + 1] = d;
            gone += 2 * opened[m];
        }
    }
    return gone;
}

/* ------------------------------------------------------------------------------------------------ slices */

static const lg_lanes ALL = {~UINT64_C(0), ~UINT64_C(0)}, NONE = {0, 0};

typedef struct {
    int32_t head, tail, length;
} face_queue;

static inline void enqueue(lg_pairs_work *w, face_queue *q, int32_t face)
{
    if (w->queued[face])
        return;
    w->queued[face] = 1;
    w->queue[q->tail] = face;
    if (++q->tail == w->n_faces)
        q->tail = 0;
    q->length++;
}

#define LG_DIFFERS(x) (((x)[0] | (x)[1]) != 0)

static void slices(lg_pairs_work *w)
{
    const lg_pairs *b = w->board;
    lg_lanes *O = w->lane_open, *R = w->lane_gone;
    face_queue q = {0, 0, 0};
    for (int32_t t = 0; t < w->n_all; t++)
        O[t] = R[t] = NONE;
    memset(w->queued, 0, (size_t)w->n_faces);
    for (int32_t t = w->n; t < w->n_all; t++) {
        O[t] = ALL;
        enqueue(w, &q, w->face_of[t]);
    }
    for (int32_t k = 0; k < b->n_free; k++) {
        O[b->free_tiles[k]] = ALL;
        enqueue(w, &q, w->face_of[b->free_tiles[k]]);
    }
    w->stats.probes++;
    w->spent += 8;
    while (q.length) {
        int32_t face = w->queue[q.head], m = lg_copies(w, face);
        const int32_t *c = w->copy + w->first[face];
        const lg_lanes *v = w->lane_var + w->var_first[face];
        lg_lanes now[PAIRS_MAX_COPIES];
        if (++q.head == w->n_faces)
            q.head = 0;
        q.length--;
        w->queued[face] = 0;
        if (m == 4) {
            lg_lanes o0 = O[c[0]], o1 = O[c[1]], o2 = O[c[2]], o3 = O[c[3]];
            lg_lanes e01 = o0 & o1 & v[0], e23 = o2 & o3 & v[0], e02 = o0 & o2 & v[1], e13 = o1 & o3 & v[1];
            lg_lanes e03 = o0 & o3 & v[2], e12 = o1 & o2 & v[2];
            now[0] = e01 | e02 | e03;
            now[1] = e01 | e13 | e12;
            now[2] = e23 | e02 | e12;
            now[3] = e23 | e13 | e03;
        } else if (m == 2) {
            now[0] = now[1] = O[c[0]] & O[c[1]];
        } else {
            for (int32_t i = 0; i < m; i++)
                now[i] = NONE;
            for (int32_t i = 0; i < m; i++)
                for (int32_t j = i + 1; j < m; j++) {
                    lg_lanes e = O[c[i]] & O[c[j]] & *v++;
                    now[i] |= e;
                    now[j] |= e;
                }
        }
        for (int32_t i = 0; i < m; i++) {
            int32_t t = c[i];
            lg_lanes x = w->lone[t] ? O[t] : now[i], change = x ^ R[t];
            if (!LG_DIFFERS(change))
                continue;
            R[t] = x;
            if (t >= w->n)
                continue;
            for (int32_t k = b->event_start[t]; k < b->event_start[t + 1]; k++) {
                int32_t d = b->event[k].tile;
                const int32_t *g = b->gate + b->gate_start[d];
                lg_lanes y = ALL;
                for (int32_t blockers = *g++; blockers > 0; blockers--)
                    y &= R[*g++];
                int32_t alts = *g++;
                if (alts) {
                    lg_lanes any = NONE;
                    while (alts--) {
                        int32_t blockers = *g++;
                        lg_lanes z = R[*g++];
                        while (--blockers > 0)
                            z &= R[*g++];
                        any |= z;
                    }
                    y &= any;
                }
                change = y ^ O[d];
                if (!LG_DIFFERS(change))
                    continue;
                O[d] = y;
                enqueue(w, &q, w->face_of[d]);
            }
        }
    }
}

lg_lanes lg_pairs_probe(lg_pairs_work *w, const int32_t *vars, int32_t count)
{
    lg_lanes *v = w->lane_var, whole = ALL;
    for (int32_t x = 0; x < w->n_vars; x++)
        v[x] = w->adj[w->copy[w->first[w->var_face[x]] + w->var_i[x]]] >> w->var_j[x] & 1 ? ALL : NONE;
    for (int32_t lane = 0; lane < count; lane++) {
        int32_t x = vars[lane], face = w->var_face[x];
        uint64_t keep = ~LG_BIT(lane & 63);
        for (int32_t y = w->var_first[face]; y < w->var_first[face + 1]; y++)
            if (y != x && (w->var_i[y] == w->var_i[x] || w->var_i[y] == w->var_j[x] || w->var_j[y] == w->var_i[x] ||
                           w->var_j[y] == w->var_j[x]))
                v[y][lane >> 6] &= keep;
    }
    slices(w);
    for (int32_t t = 0; t < w->n_all; t++)
        if (t >= w->n || w->board->alive[t])
            whole &= w->lane_gone[t];
    return whole;
}
