/* libFuzzer target: the entry points of the pairs half on arbitrary small deals.
 *
 * The bytes spell tiles, gates, faces, what is gone and what lies face down. Every solution is played by a few lines of
 * law; every verdict with a tiny budget must agree with the one with a large budget. Without libFuzzer, `-DSTANDALONE`
 * gives a `main` that runs so many pseudo-random inputs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guess.h"
#include "pairs.h"
#include "rng.h"

enum { TILES = 20, ALTS = 4, PROOF = 4096 };

#define DEMAND(holds)                                                                                              \
    do {                                                                                                           \
        if (!(holds)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #holds);                                                    \
            abort();                                                                                               \
        }                                                                                                          \
    } while (0)

static int is_open(const lg_deal *deal, const uint8_t *gone, int32_t tile)
{
    for (int32_t a = deal->alt_start[tile]; a < deal->alt_start[tile + 1]; a++) {
        int32_t k = deal->blk_start[a];
        while (k < deal->blk_start[a + 1] && gone[deal->blk[k]])
            k++;
        if (k == deal->blk_start[a + 1])
            return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = 0;
#define NEXT() (at < size ? data[at++] : 0)
    int32_t alt_start[TILES + 1] = {0}, blk_start[TILES * ALTS + 1] = {0}, blk[TILES * ALTS * 3], face[TILES], tray[TILES] = {0};
    int32_t pairs[2 * TILES + 4], arrangement[TILES], n_alts = 0, n_blk = 0;
    uint8_t removed[TILES], face_down[TILES], proof[PROOF], gone[TILES];
    int32_t n = NEXT() % (TILES + 1), faces = 1 + NEXT() % 6, shape = NEXT();
    for (int32_t t = 0; t < n; t++) {
        int32_t alts = 1 + NEXT() % ALTS;
        for (int32_t a = 0; a < alts; a++) {
            for (int32_t k = NEXT() % 3; k > 0; k--) {
                int32_t blocker = NEXT() % n;
                if (shape & 1 && t + 1 < n) /* acyclic: only tiles above block */
                    blocker = t + 1 + blocker % (n - t - 1);
                blk[n_blk++] = blocker;
            }
            blk_start[++n_alts] = n_blk;
        }
        alt_start[t + 1] = n_alts;
        uint8_t flags = NEXT();
        face[t] = NEXT() % faces;
        removed[t] = (flags & 7) == 0;
        face_down[t] = (flags & 24) == 0 && !removed[t];
    }
    int32_t waiting[TILES], n_waiting = 0;
    for (int32_t t = 0; t < n; t++)
        tray[face[t]] ^= !removed[t];
    for (int32_t f = 0; f < faces; f++)
        if (tray[f])
            waiting[n_waiting++] = f;
    lg_deal deal = {n, faces, 2, 1 + NEXT() % 6, face, alt_start, blk_start, blk, removed, tray};
    lg_pairs *board = lg_pairs_new(&deal);
    DEMAND(board);
    lg_pairs_stats stats;
    const uint8_t *lone = shape & 2 ? face_down : NULL;
    int32_t full = lg_pairs_solve(board, face, lone, n_waiting, waiting, 1000000, 1 << 18, 1, pairs, proof, PROOF, &stats);
    DEMAND(full == LG_SOLVED || full == LG_UNSOLVABLE);
    if (full == LG_SOLVED && !lone && !n_waiting) {
        memcpy(gone, removed, sizeof gone);
        for (int32_t k = 0; k < stats.pairs; k++) {
            int32_t a = pairs[2 * k], b = pairs[2 * k + 1];
            DEMAND(a != b && !gone[a] && !gone[b] && face[a] == face[b]);
            DEMAND(is_open(&deal, gone, a) && is_open(&deal, gone, b));
            gone[a] = gone[b] = 1;
        }
        for (int32_t t = 0; t < n; t++)
            DEMAND(gone[t]);
    }
    uint64_t budget = NEXT(), seed = NEXT();
    int32_t other = lg_pairs_solve(board, face, lone, n_waiting, waiting, budget, 4096, seed, pairs, NULL, 0, &stats);
    DEMAND(other == full || other == LG_UNDECIDED);
    lg_pairs_free(board);
    lg_guess_stats guess;
    int32_t seen = lg_guess_solve(&deal, face_down, shape & 4, 1, 3000, 1 << 18, proof, PROOF, arrangement, &guess);
    int32_t blind = lg_guess_solve(&deal, face_down, shape & 4, 0, 3000, 1 << 18, proof, PROOF, arrangement, &guess);
    DEMAND(seen > 0 && blind > 0);
    DEMAND(!(blind == LG_SOLVED && seen == LG_UNSOLVABLE));
    DEMAND(!(full == LG_SOLVED && !lone && n_waiting + 2 <= deal.cap && seen == LG_UNSOLVABLE && shape & 4));
    return 0;
}

#ifdef STANDALONE
int main(int count, char **words)
{
    lg_rng rng = lg_rng_of(count > 2 ? strtoull(words[2], NULL, 10) : 1);
    uint8_t data[400];
    for (long round = count > 1 ? atol(words[1]) : 10000; round > 0; round--) {
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (uint8_t)lg_rng_next(&rng);
        LLVMFuzzerTestOneInput(data, 50 + lg_rng_below(&rng, 350));
    }
    return 0;
}
#endif
