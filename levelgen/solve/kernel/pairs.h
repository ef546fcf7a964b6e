/* The pairs kernel: boards on which two open tiles of one face go together.
 *
 * lg_pairs_new compiles the gates once; any number of deals are then solved on the board, each call on its own memory.
 */
#ifndef LEVELGEN_PAIRS_H
#define LEVELGEN_PAIRS_H

#include "kernel.h"

/* cdef begin */
typedef struct lg_pairs lg_pairs;

typedef struct {
    uint64_t spent;        /* of the budget: one per closure, four per 128 closures at once */
    uint64_t closures, probes, flips, decisions, conflicts;
    int64_t proof_bytes;   /* length of the refutation; -1: it did not fit, or none was asked for */
    int32_t pairs;         /* pairs of the solution */
} lg_pairs_stats;

/* The gates and the removed tiles of `deal`; NULL when out of memory or when the gates are malformed. */
lg_pairs *lg_pairs_new(const lg_deal *deal);
void lg_pairs_free(lg_pairs *board);

/* Is there a way to match all tiles in pairs so that they can be removed pair by pair?
 *
 * face: n entries, any even number of each on the board and waiting together. lone: n entries or NULL; a lone tile
 * leaves as soon as it is open, its mate any time later (what an unlimited tray would allow to a face-down tile).
 * waiting: faces in the tray; each is a lone tile that blocks nothing.
 * Writes the solution as tile ids two by two (waiting tile k is n + k), or the refutation (see refutation_tree.py).
 * budget in closures, rough. memory: bytes the learned clauses and the refutation's log may take. */
int32_t lg_pairs_solve(const lg_pairs *board, const int32_t *face, const uint8_t *lone, int32_t n_waiting,
                       const int32_t *waiting, uint64_t budget, uint64_t memory, uint64_t seed, int32_t *pairs,
                       uint8_t *proof, int64_t proof_cap, lg_pairs_stats *stats);
/* cdef end */

#endif
