/* Guaranteed deals: faces laid so that the board can be won, by playing a game first and naming the tiles afterwards. */
#ifndef LEVELGEN_DEAL_H
#define LEVELGEN_DEAL_H

#include "kernel.h"

/* cdef begin */
#define LG_DEAL_FORWARD 0 /* tiles are taken off the full board at random */
#define LG_DEAL_REVERSE 1 /* tiles are put onto the empty board at random and taken off the other way round: harder */
#define LG_DEAL_OLDEST 2  /* as forward, but tiles leave soon after they open: nothing waits for long, easier */
#define LG_DEAL_ALIKE 3   /* the same, and groups of one face leave one after the other: the easiest */

/* Deals the faces of deal->face (as a multiset, over the tiles left) anew, `count` times, into faces[i * n + tile].
 * `slots` is the tray the guaranteed game may use: 0 for groups whose tiles are all open at once (no tray is needed),
 * else group .. deal->cap: the larger, the more groups lie open at a time, the harder. A game that gets stuck is begun
 * again, `tries` times at most for each deal; a deal that failed has -1 as its first face. `order`, when not NULL, has as
 * much room as `faces` and receives the tiles of each guaranteed game in the order in which they leave, the removed ones
 * last. Deal i depends on (seed, i) only. Returns how many deals succeeded, or a failure below 0. Waiting tiles are not dealt: the tray must be empty. */
int64_t lg_deal_faces(const lg_deal *deal, int32_t style, int32_t slots, uint64_t seed, int32_t tries, int32_t count,
                      int32_t *faces, int32_t *order);
/* cdef end */

#endif
