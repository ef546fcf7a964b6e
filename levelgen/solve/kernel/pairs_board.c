/* From gates to a board the closures can walk.
 *
 * Three things are thinned away, none of which changes when a tile opens on the way down from this position:
 * alternatives that contain another one, blockers that stand in every alternative (kept once, as `must`), and blockers
 * implied by another (u waits for v and t for both: t need not name v). */
#include "pairs_work.h"

#include <stdlib.h>
#include <string.h>

void lg_pairs_free(lg_pairs *b) {
    if (!b) return;
    free(b->alive); free(b->locks); free(b->free_tiles); free(b->event_start); free(b->event); free(b->gate_start); free(b->gate);
    free(b);
}

#define ONES UINT64_C(0x0101010101010101)
#define BIT(set, i) ((set)[(i) >> 6] >> ((i) & 63) & 1)
#define PUT(set, i) ((set)[(i) >> 6] |= (uint64_t)1 << ((i) & 63))

static int subset(const uint64_t *a, const uint64_t *b, int32_t words) {
    for (int32_t i = 0; i < words; i++) if (a[i] & ~b[i]) return 0;
    return 1;
}
static int none(const uint64_t *a, int32_t words) {
    for (int32_t i = 0; i < words; i++) if (a[i]) return 0;
    return 1;
}
static int32_t popcount(const uint64_t *a, int32_t words) {
    int32_t k = 0;
    for (int32_t i = 0; i < words; i++) k += __builtin_popcountll(a[i]);
    return k;
}

static int acyclic(const uint64_t *must, int32_t n, int32_t words) {
    /* Kahn over "v in must[u]" */
    int32_t *left = malloc((size_t)(n + 1) * 2 * sizeof *left);
    if (!left) return 0;
    int32_t *queue = left + n, head = 0, tail = 0;
    memset(left, 0, (size_t)n * sizeof *left);
    for (int32_t u = 0; u < n; u++)
        for (int32_t w = 0; w < words; w++)
            for (uint64_t m = must[(int64_t)u * words + w]; m; m &= m - 1) left[w * 64 + __builtin_ctzll(m)]++;
    for (int32_t u = 0; u < n; u++) if (!left[u]) queue[tail++] = u;
    while (head < tail) {
        int32_t u = queue[head++];
        for (int32_t w = 0; w < words; w++)
            for (uint64_t m = must[(int64_t)u * words + w]; m; m &= m - 1) {
                int32_t v = w * 64 + __builtin_ctzll(m);
                if (!--left[v]) queue[tail++] = v;
            }
    }
    free(left);
    return tail == n;
}

static void thin(uint64_t *set, const uint64_t *by, const uint64_t *must, int32_t words) {
    /* drop from set whatever some member of by implies */
    for (int32_t w = 0; w < words; w++)
        for (uint64_t m = by[w]; m; m &= m - 1) {
            const uint64_t *implied = must + (int64_t)(w * 64 + __builtin_ctzll(m)) * words;
            for (int32_t i = 0; i < words; i++) set[i] &= ~implied[i];
        }
}

lg_pairs *lg_pairs_new(const lg_deal *deal)
{
    int32_t n = deal->n;
    const int32_t *alt_start = deal->alt_start, *blk_start = deal->blk_start, *blk = deal->blk;
    if (n < 0 || n > PAIRS_MAX_TILES || alt_start[0] != 0 || blk_start[0] != 0)
        return NULL;
    for (int32_t t = 0; t < n; t++)
        if (alt_start[t + 1] < alt_start[t])
            return NULL;
    int32_t na = alt_start[n];
    for (int32_t a = 0; a < na; a++)
        if (blk_start[a + 1] < blk_start[a])
            return NULL;
    for (int32_t k = 0; k < blk_start[na]; k++)
        if (blk[k] < 0 || blk[k] >= n)
            return NULL;
    int32_t words = (n + 63) / 64 + (n == 0);
    lg_pairs *b = calloc(1, sizeof *b);
    uint64_t *alt = calloc((size_t)(na + 1) * (size_t)words, 8), *must = calloc((size_t)(n + 1) * (size_t)words, 8);
    uint64_t *tmp = calloc((size_t)words * 2, 8);
    uint8_t *kept = calloc((size_t)na + 1, 1), *closed = calloc((size_t)n + 1, 1);
    int32_t *fill = calloc((size_t)n + 1, sizeof *fill);
    int ok = b && alt && must && tmp && kept && closed && fill;
    if (ok) {
        b->n = n;
        b->alive = malloc((size_t)n + 1);
        b->locks = calloc((size_t)n + 1, sizeof *b->locks);
        b->free_tiles = calloc((size_t)n + 1, sizeof(int32_t));
        b->event_start = calloc((size_t)n + 2, sizeof(int32_t));
        b->gate_start = calloc((size_t)n + 2, sizeof(int32_t));
        ok = b->alive && b->locks && b->free_tiles && b->event_start && b->gate_start;
    }
    if (!ok) goto done;
    for (int32_t t = 0; t < n; t++) b->alive[t] = !(deal->removed && deal->removed[t]);
    /* alternatives as sets of tiles still there; the least of them only; must = what all share */
    for (int32_t t = 0; t < n; t++) {
        uint64_t *m = must + (int64_t)t * words;
        int first = 1;
        if (!b->alive[t]) continue;
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++) {
            uint64_t *s = alt + (int64_t)a * words;
            for (int32_t k = blk_start[a]; k < blk_start[a + 1]; k++) if (b->alive[blk[k]]) PUT(s, blk[k]);
            kept[a] = !BIT(s, t);
        }
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++)
            for (int32_t c = alt_start[t]; kept[a] && c < alt_start[t + 1]; c++)
                if (c != a && kept[c] && subset(alt + (int64_t)c * words, alt + (int64_t)a * words, words)) kept[a] = 0;
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++)
            if (kept[a]) {
                for (int32_t w = 0; w < words; w++) m[w] = first ? alt[(int64_t)a * words + w] : m[w] & alt[(int64_t)a * words + w];
                first = 0;
            }
        closed[t] = (uint8_t)first;
    }
    int thinning = acyclic(must, n, words);
    int64_t gates = 0;
    int32_t events = 0;
    /* two passes: thin and count, then fill */
    for (int32_t t = 0; t < n; t++) {
        uint64_t *m = must + (int64_t)t * words;
        int32_t any = 0;
        if (!b->alive[t] || closed[t]) continue;
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++) {
            if (!kept[a]) continue;
            uint64_t *s = alt + (int64_t)a * words;
            if (thinning) {
                memcpy(tmp, s, (size_t)words * 8);
                thin(s, tmp, must, words);
            }
            for (int32_t w = 0; w < words; w++) s[w] &= ~m[w];
            any |= none(s, words) ? 2 : 1;
        }
        if (any & 2) for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++) kept[a] = 0;
    }
    {
        /* musts are thinned last and from a copy: thin() reads them */
        uint64_t *whole = malloc((size_t)(n + 1) * (size_t)words * 8);
        if (!whole) { ok = 0; goto done; }
        memcpy(whole, must, (size_t)(n + 1) * (size_t)words * 8);
        for (int32_t t = 0; thinning && t < n; t++) thin(must + (int64_t)t * words, whole + (int64_t)t * words, whole, words);
        free(whole);
    }
    for (int32_t t = 0; t < n; t++) {
        if (!b->alive[t] || closed[t]) continue;
        uint64_t *m = must + (int64_t)t * words;
        int32_t common = popcount(m, words), alts = 0;
        gates += 2 + common;
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++)
            if (kept[a]) {
                int32_t blockers = popcount(alt + (int64_t)a * words, words);
                gates += 1 + blockers;
                alts++;
                if (common + blockers > PAIRS_MAX_BLOCKERS)
                    ok = 0;
            }
        if (alts > PAIRS_MAX_ALTERNATIVES || common > PAIRS_MAX_BLOCKERS)
            ok = 0;
    }
    if (!ok) goto done;
    b->gate = calloc((size_t)gates + 1, sizeof(int32_t));
    ok = b->gate != NULL;
    if (!ok) goto done;
    int32_t g = 0;
    for (int32_t t = 0; t < n; t++) {
        b->gate_start[t] = g;
        b->locks[t] = ONES * 127;
        if (!b->alive[t] || closed[t]) continue;
        const uint64_t *m = must + (int64_t)t * words;
        int32_t alts = 0;
        uint64_t common = (uint64_t)popcount(m, words), lock = 0;
        b->gate[g++] = (int32_t)common;
        for (int32_t w = 0; w < words; w++)
            for (uint64_t s = m[w]; s; s &= s - 1) b->gate[g++] = w * 64 + __builtin_ctzll(s);
        for (int32_t a = alt_start[t]; a < alt_start[t + 1]; a++) alts += kept[a];
        b->gate[g++] = alts;
        for (int32_t a = alt_start[t], k = 0; a < alt_start[t + 1]; a++) {
            if (!kept[a]) continue;
            const uint64_t *s = alt + (int64_t)a * words;
            uint64_t blockers = (uint64_t)popcount(s, words);
            lock |= (common + blockers) << 8 * k++;
            b->gate[g++] = (int32_t)blockers;
            for (int32_t w = 0; w < words; w++)
                for (uint64_t r = s[w]; r; r &= r - 1) b->gate[g++] = w * 64 + __builtin_ctzll(r);
        }
        if (!alts) { lock = common; alts = 1; }
        for (int32_t k = alts; k < PAIRS_MAX_ALTERNATIVES; k++) lock |= UINT64_C(127) << 8 * k;
        b->locks[t] = lock;
        if (LG_UNLOCKED(lock)) {
            b->locks[t] |= ONES * 128;
            b->free_tiles[b->n_free++] = t;
        }
    }
    b->gate_start[n] = g;
    /* the same gates seen from the blockers */
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            for (int32_t t = 0; t < n; t++) b->event_start[t + 1] += b->event_start[t];
            events = b->event_start[n];
            b->event = calloc((size_t)events + 1, sizeof *b->event);
            ok = b->event != NULL;
            if (!ok) goto done;
        }
        for (int32_t t = 0; t < n; t++) {
            if (b->gate_start[t] == b->gate_start[t + 1]) continue;
            const int32_t *p = b->gate + b->gate_start[t];
            int32_t common = *p++, alts = p[common];
            for (int32_t k = 0; k < common; k++, p++) {
                if (!pass) b->event_start[*p + 1]++;
                else b->event[b->event_start[*p] + fill[*p]++] = (lg_event){alts ? ONES >> 8 * (8 - alts) : 1, t};
            }
            p++;
            /* a blocker may stand in several alternatives: one event for all of them */
            memset(tmp, 0, (size_t)words * 8);
            for (int32_t a = 0; a < alts; a++)
                for (int32_t k = *p++; k > 0; k--, p++) {
                    if (!pass && !BIT(tmp, *p)) b->event_start[*p + 1]++;
                    if (pass && !BIT(tmp, *p)) b->event[b->event_start[*p] + fill[*p]++] = (lg_event){0, t};
                    if (pass) b->event[b->event_start[*p] + fill[*p] - 1].delta |= UINT64_C(1) << 8 * a;
                    PUT(tmp, *p);
                }
        }
    }
done:
    free(alt); free(must); free(tmp); free(kept); free(closed); free(fill);
    if (!ok) { lg_pairs_free(b); b = NULL; }
    return b;
}
