/* Pairs with face-down tiles, by the full law: lifts, the tray, and what the player does not know.
 *
 * Two questions on one search. Known: can the board be won by someone who sees through the tiles? Unknown: is there a
 * strategy that wins wherever the hidden faces lie, the player knowing only which faces are hidden?
 */
#ifndef LEVELGEN_GUESS_H
#define LEVELGEN_GUESS_H

#include "kernel.h"

/* cdef begin */
typedef struct {
    uint64_t nodes;      /* states opened: what the budget counts */
    uint64_t states;     /* states remembered */
    int64_t bytes;       /* of the strategy or the refutation; -1: it did not fit, or there is none in this form */
    int32_t world;       /* unsolvable, unknown: 1 when one arrangement alone, in `arrangement`, cannot be won */
} lg_guess_stats;

/* deal: group 2; tray as counts (0 or 1). face_down: n entries. flip: 1 when face-down tiles are turned over in place.
 * Solved: `bytes` receives the strategy (see strategy.py). Unsolvable: the refutation of `arrangement` (n faces) with
 * face-down tiles lone under lift, when that is why; else nothing, the search was exhausted.
 * known: 1 when the player sees through the tiles; every reveal then has one outcome. */
int32_t lg_guess_solve(const lg_deal *deal, const uint8_t *face_down, int32_t flip, int32_t known, uint64_t budget,
                       uint64_t memory, uint8_t *bytes, int64_t cap, int32_t *arrangement, lg_guess_stats *stats);
/* cdef end */

#endif
