/* The pairing question: can all tiles be matched so that they can be removed pair by pair? */
#include "pairs_learn.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TRIES = 200, FIRST_ROUNDS = 1, MAX_FACE = 65535, TOO_WIDE = -100 };

/* One block of memory handed out in pieces: first run with base NULL to learn the size. */
typedef struct {
    char *base;
    size_t used;
} lg_slab;

static void *piece(lg_slab *slab, size_t count, size_t size)
{
    void *at = slab->base ? slab->base + slab->used : NULL;
    slab->used += (count * size + 63) / 64 * 64 + 64;
    return at;
}
#define LG_PIECE(slab, p, count) ((p) = piece(slab, (size_t)(count), sizeof *(p)))

static int32_t vars_of(int32_t copies) { return copies == 2 ? 0 : copies == 4 ? 3 : copies * (copies - 1) / 2; }

static void carve(lg_slab *slab, lg_pairs_work *w, lg_learn *s)
{
    int32_t n = w->n_all, faces = w->n_faces, vars = w->n_vars;
    LG_PIECE(slab, w->face_of, n);
    LG_PIECE(slab, w->slot_of, n);
    LG_PIECE(slab, w->first, faces + 2);
    LG_PIECE(slab, w->copy, n);
    LG_PIECE(slab, w->var_first, faces + 2);
    LG_PIECE(slab, w->var_face, vars);
    LG_PIECE(slab, w->var_i, vars);
    LG_PIECE(slab, w->var_j, vars);
    LG_PIECE(slab, w->lone, n);
    LG_PIECE(slab, w->adj, n);
    LG_PIECE(slab, w->locks, n);
    LG_PIECE(slab, w->open, faces);
    LG_PIECE(slab, w->gone, faces);
    LG_PIECE(slab, w->stack, n + 2);
    LG_PIECE(slab, w->mate, n);
    LG_PIECE(slab, w->order, n + 2);
    LG_PIECE(slab, w->front, n + 2);
    LG_PIECE(slab, w->fresh, n + 2);
    LG_PIECE(slab, w->opened, n);
    LG_PIECE(slab, w->cleared, n);
    LG_PIECE(slab, w->kept_open, faces);
    LG_PIECE(slab, w->kept_gone, faces);
    LG_PIECE(slab, w->kept_locks, n);
    LG_PIECE(slab, w->lane_open, n);
    LG_PIECE(slab, w->lane_gone, n);
    LG_PIECE(slab, w->lane_var, vars);
    LG_PIECE(slab, w->queue, faces);
    LG_PIECE(slab, w->queued, faces);

    LG_PIECE(slab, s->group_start, s->n_groups + 1);
    LG_PIECE(slab, s->members, 2 * vars);
    LG_PIECE(slab, s->left, s->n_groups);
    LG_PIECE(slab, s->groups, 2 * vars);
    LG_PIECE(slab, s->value, vars);
    LG_PIECE(slab, s->phase, vars);
    LG_PIECE(slab, s->by, vars);
    LG_PIECE(slab, s->seen, vars);
    LG_PIECE(slab, s->level, vars);
    LG_PIECE(slab, s->data, vars);
    LG_PIECE(slab, s->trail, vars);
    LG_PIECE(slab, s->trail_at, vars + 2);
    LG_PIECE(slab, s->watches, 2 * vars);
    LG_PIECE(slab, s->conflict, 2 * vars + 2);
    LG_PIECE(slab, s->learnt, 2 * vars + 2);
    LG_PIECE(slab, s->touched, vars);
    LG_PIECE(slab, s->scratch, vars);
    LG_PIECE(slab, s->seen_at, vars);
    LG_PIECE(slab, s->heat, vars);
    LG_PIECE(slab, s->arena, s->arena_cap);
    LG_PIECE(slab, s->log, s->log_cap);
}

/* Faces, copies, variables. `index` maps a face as given to the face as numbered here. */
static void lay_out(lg_pairs_work *w, lg_learn *s, const int32_t *index, const int32_t *face, const uint8_t *lone,
                    const int32_t *waiting)
{
    const lg_pairs *b = w->board;
    memset(w->first, 0, (size_t)(w->n_faces + 2) * sizeof *w->first);
    memset(w->lone, 0, (size_t)w->n_all);
    memset(w->adj, 0, (size_t)w->n_all * sizeof *w->adj);
    for (int32_t t = 0; t < w->n_all; t++) {
        w->face_of[t] = t >= w->n ? index[waiting[t - w->n]] : b->alive[t] ? index[face[t]] : 0;
        w->mate[t] = t;
        if (t >= w->n || b->alive[t])
            w->first[w->face_of[t] + 1]++;
    }
    w->var_first[0] = 0;
    for (int32_t f = 0; f < w->n_faces; f++) {
        w->var_first[f + 1] = w->var_first[f] + vars_of(w->first[f + 1]);
        w->first[f + 1] += w->first[f];
        w->queue[f] = 0;
    }
    for (int32_t t = 0; t < w->n_all; t++) {
        if (t < w->n && !b->alive[t])
            continue;
        int32_t f = w->face_of[t], m = lg_copies(w, f);
        w->slot_of[t] = w->queue[f]++;
        w->copy[w->first[f] + w->slot_of[t]] = t;
        w->lone[t] = t >= w->n || (lone && lone[t]);
        w->any_lone |= w->lone[t];
        w->adj[t] = (m == 64 ? ~UINT64_C(0) : LG_BIT(m) - 1) & ~LG_BIT(w->slot_of[t]);
    }
    int32_t group = 0, member = 0;
    for (int32_t f = 0; f < w->n_faces; f++) {
        int32_t m = lg_copies(w, f), x = w->var_first[f];
        if (m == 2)
            continue;
        for (int32_t i = 0; i < (m == 4 ? 1 : m); i++)
            for (int32_t j = i + 1; j < m; j++, x++) {
                w->var_face[x] = f;
                w->var_i[x] = (uint8_t)i;
                w->var_j[x] = (uint8_t)j;
                s->groups[2 * x] = group + i;
                s->groups[2 * x + 1] = m == 4 ? -1 : group + j;
            }
        for (int32_t i = 0; i < (m == 4 ? 1 : m); i++, group++) {
            s->group_start[group] = member;
            for (x = w->var_first[f]; x < w->var_first[f + 1]; x++)
                if (w->var_i[x] == i || w->var_j[x] == i)
                    s->members[member++] = x;
            s->left[group] = member - s->group_start[group];
        }
    }
    s->group_start[group] = member;
    size_t vars = (size_t)w->n_vars;
    memset(s->value, 0, vars);
    memset(s->phase, 0, vars);
    memset(s->seen, 0, vars);
    memset(s->seen_at, 0, vars * sizeof *s->seen_at);
    memset(s->heat, 0, vars * sizeof *s->heat);
    memset(s->watches, 0xff, 2 * vars * sizeof *s->watches);
    s->n_arena = 1;
    s->heat_step = 1 << 16;
}

/* The highest face, or LG_BAD_INPUT when one is out of range; counts the tiles. */
static int32_t highest_face(lg_pairs_work *w, const int32_t *face, const int32_t *waiting)
{
    int32_t top = 0;
    for (int32_t t = 0; t < w->n_all; t++) {
        if (t < w->n && !w->board->alive[t])
            continue;
        int32_t f = t < w->n ? face[t] : waiting[t - w->n];
        if (f < 0 || f > MAX_FACE)
            return LG_BAD_INPUT;
        top = f > top ? f : top;
        w->total++;
    }
    return top;
}

/* Numbers the faces 0, 1, … in ascending order; LG_BAD_INPUT when one is odd. */
static int32_t number_faces(lg_pairs_work *w, lg_learn *s, int32_t *index, int32_t top, const int32_t *face,
                            const int32_t *waiting)
{
    for (int32_t t = 0; t < w->n_all; t++)
        if (t >= w->n || w->board->alive[t])
            index[t < w->n ? face[t] : waiting[t - w->n]]++;
    int wide = 0;
    for (int32_t f = 0; f <= top; f++) {
        int32_t m = index[f];
        if (m % 2)
            return LG_BAD_INPUT;
        wide |= m > PAIRS_MAX_COPIES;
        index[f] = w->n_faces;
        w->n_faces += m > 0;
        w->n_vars += vars_of(m ? m : 2);
        s->n_groups += m <= 2 ? 0 : m == 4 ? 1 : m;
    }
    return wide ? TOO_WIDE : 0;
}

/* The solution as pairs, in the order in which they are completed. */
static int32_t write_pairs(lg_pairs_work *w, int32_t *pairs)
{
    int32_t gone = lg_pairs_fixed(w, w->order), count = 0;
    memset(w->cleared, 0, (size_t)w->n_all);
    for (int32_t k = 0; k < gone; k++) {
        int32_t tile = w->order[k], mate = w->mate[tile];
        w->cleared[tile] = 1;
        if (!w->cleared[mate])
            continue;
        pairs[2 * count] = mate;
        pairs[2 * count++ + 1] = tile;
    }
    return count;
}

static int32_t solve_narrow(const lg_pairs *board, const int32_t *face, const uint8_t *lone, int32_t n_waiting,
                            const int32_t *waiting, uint64_t budget, uint64_t memory, uint64_t seed, int32_t *pairs,
                            uint8_t *proof, int64_t proof_cap, lg_pairs_stats *stats)
{
    lg_pairs_work work = {0}, *w = &work;
    lg_learn learn = {0}, *s = &learn;
    lg_slab slab = {0};
    int32_t *index = NULL, status, top;
    w->board = board;
    w->n = board->n;
    w->n_all = board->n + n_waiting;
    w->budget = budget;
    w->rng = lg_rng_of(seed);
    w->stats.proof_bytes = -1;
    s->w = w;
    top = highest_face(w, face, waiting);
    if (top < 0)
        return top;
    index = calloc((size_t)top + 1, sizeof *index);
    status = index ? number_faces(w, s, index, top, face, waiting) : LG_NO_MEMORY;
    if (status == 0) {
        uint64_t ints = memory / sizeof(int32_t) / 2;
        s->arena_cap = (int32_t)(ints < 1024 ? 1024 : ints > (1 << 28) ? 1 << 28 : ints);
        s->logging = proof_cap > 0;
        s->log_cap = s->logging ? s->arena_cap : 0;
        carve(&slab, w, s);
        slab.base = aligned_alloc(64, (slab.used + 63) / 64 * 64);
        status = slab.base ? 0 : LG_NO_MEMORY;
    }
    if (status == 0) {
        slab.used = 0;
        carve(&slab, w, s);
        lay_out(w, s, index, face, lone, waiting);
        for (int k = 0; k < FIRST_ROUNDS && !status; k++)
            if (lg_pairs_local(w, FIRST_TRIES, 1))
                status = LG_SOLVED;
        if (!status)
            status = lg_learn_run(s);
        if (status == LG_SOLVED)
            w->stats.pairs = write_pairs(w, pairs);
        if (status == LG_UNSOLVABLE && proof_cap > 0)
            w->stats.proof_bytes = lg_learn_proof(s, proof, proof_cap);
    }
    w->stats.spent = w->spent;
    *stats = w->stats;
    free(index);
    free(slab.base);
    return status;
}

/* Faces of more copies than a word holds are cut into parts of their own, at random; what the parts can do, the face
 * can. When they cannot, only a closure that ignores the cuts may refute. */
enum { CUTS = 4, PART = 32 };

/* Whether everything leaves when any two open tiles of a face may go; faces as given. */
static int empties(const lg_pairs *b, const int32_t *face, const uint8_t *lone, int32_t n_waiting, const int32_t *waiting,
                   uint64_t *locks, int32_t *stack, int32_t *first, int32_t left)
{
    int32_t top = 0, n_open = b->n_free, *open = stack + b->n + 1;
    memcpy(locks, b->locks, (size_t)b->n * sizeof *locks);
    memset(first, 0xff, (MAX_FACE + 1) * sizeof *first);
    for (int32_t k = 0; k < n_waiting; k++)
        first[waiting[k]] = -2; /* a mate is there already */
    memcpy(open, b->free_tiles, (size_t)b->n_free * sizeof *open);
    for (;;) {
        while (n_open) {
            int32_t t = open[--n_open], mate = first[face[t]];
            int alone = lone && lone[t];
            if (mate == -1 && !alone) {
                first[face[t]] = t;
                continue;
            }
            stack[top++] = t;
            if (mate >= 0)
                stack[top++] = mate;
            first[face[t]] = -2;
        }
        if (!top)
            return left == 0;
        int32_t t = stack[--top];
        left--;
        for (int32_t k = b->event_start[t]; k < b->event_start[t + 1]; k++) {
            int32_t d = b->event[k].tile;
            locks[d] -= b->event[k].delta;
            if (LG_UNLOCKED(locks[d])) {
                locks[d] |= LG_OPENED;
                open[n_open++] = d;
            }
        }
    }
}

/* Cuts every wide face: part faces for tiles and waiting ones, in `part`; 0 when there are too many parts. */
static int cut_faces(const lg_pairs *b, const int32_t *face, int32_t n_waiting, const int32_t *waiting, lg_rng *rng,
                     int32_t *part, int32_t *tiles)
{
    int32_t n_all = b->n + n_waiting, next = 0, size = 0;
    for (int32_t t = 0; t < n_all; t++)
        if (t >= b->n || b->alive[t])
            tiles[size++] = t;
    for (int32_t k = size - 1; k > 0; k--) {
        int32_t j = (int32_t)lg_rng_below(rng, (uint32_t)k + 1), x = tiles[k];
        tiles[k] = tiles[j];
        tiles[j] = x;
    }
    for (int32_t t = 0; t < n_all; t++)
        part[t] = -1;
    for (int32_t k = 0; k < size; k++) {
        if (part[tiles[k]] >= 0)
            continue;
        int32_t f = tiles[k] < b->n ? face[tiles[k]] : waiting[tiles[k] - b->n];
        for (int32_t j = k, count = 0; j < size; j++) {
            int32_t t = tiles[j];
            if ((t < b->n ? face[t] : waiting[t - b->n]) == f)
                part[t] = next + count++ / PART;
        }
        for (int32_t j = k; j < size; j++)
            next = part[tiles[j]] >= next ? part[tiles[j]] + 1 : next;
    }
    return next <= MAX_FACE;
}

static int32_t solve_wide(const lg_pairs *b, const int32_t *face, const uint8_t *lone, int32_t n_waiting,
                          const int32_t *waiting, uint64_t budget, uint64_t memory, uint64_t seed, int32_t *pairs,
                          uint8_t *proof, int64_t proof_cap, lg_pairs_stats *stats)
{
    size_t n = (size_t)b->n, n_all = n + (size_t)n_waiting;
    uint64_t *locks = malloc((n + 1) * sizeof *locks);
    int32_t *stack = malloc((2 * n + 4) * sizeof *stack), *first = malloc((MAX_FACE + 1) * sizeof *first);
    int32_t *part = malloc((n_all + 1) * sizeof *part), *tiles = malloc((n_all + 1) * sizeof *tiles);
    int32_t status = LG_NO_MEMORY, left = 0;
    if (locks && stack && first && part && tiles) {
        lg_rng rng = lg_rng_of(seed);
        for (int32_t t = 0; t < b->n; t++)
            left += b->alive[t];
        status = LG_UNDECIDED;
        if (!empties(b, face, lone, n_waiting, waiting, locks, stack, first, left)) {
            status = LG_UNSOLVABLE;
            if (proof_cap > 0) {
                proof[0] = 0;
                stats->proof_bytes = 1;
            }
        }
        for (int k = 0; k < CUTS && status == LG_UNDECIDED; k++) {
            if (!cut_faces(b, face, n_waiting, waiting, &rng, part, tiles))
                break;
            status = solve_narrow(b, part, lone, n_waiting, part + n, budget / CUTS, memory, seed, pairs, NULL, 0, stats);
            status = status == LG_UNSOLVABLE ? LG_UNDECIDED : status;
        }
    }
    free(locks);
    free(stack);
    free(first);
    free(part);
    free(tiles);
    return status;
}

int32_t lg_pairs_solve(const lg_pairs *board, const int32_t *face, const uint8_t *lone, int32_t n_waiting,
                       const int32_t *waiting, uint64_t budget, uint64_t memory, uint64_t seed, int32_t *pairs,
                       uint8_t *proof, int64_t proof_cap, lg_pairs_stats *stats)
{
    lg_pairs_stats none;
    int32_t status = LG_BAD_INPUT;
    stats = stats ? stats : &none;
    memset(stats, 0, sizeof *stats);
    stats->proof_bytes = -1;
    if (n_waiting < 0 || n_waiting > PAIRS_MAX_TILES)
        return status;
    status = solve_narrow(board, face, lone, n_waiting, waiting, budget, memory, seed, pairs, proof, proof_cap, stats);
    if (status == TOO_WIDE)
        status = solve_wide(board, face, lone, n_waiting, waiting, budget, memory, seed, pairs, proof, proof_cap, stats);
    return status;
}
