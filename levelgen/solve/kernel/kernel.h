/* What every part of the kernel shares: the deal it is given and the answers it gives.
 *
 * The kernel knows no ruleset and no geometry. A deal is gates, faces, a group size and a tray size; a tile is open
 * when all blockers of any one of its alternatives are gone. Nothing here is global, nothing reads a clock, all
 * arithmetic is on integers: one input, one answer, on every machine and in any number of threads.
 *
 * Declarations between the two cdef marks are also what Python sees; ffibuild.py collects them.
 */
#ifndef LEVELGEN_KERNEL_H
#define LEVELGEN_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* cdef begin */
typedef struct {
    int32_t n;                /* tiles, 0 .. 4096 */
    int32_t faces;            /* how many faces there are */
    int32_t group;            /* tiles of one face that clear together: 2 .. 8 */
    int32_t cap;              /* slots of the tray: 1 .. 255 */
    const int32_t *face;      /* n entries: face of each tile, 0 .. faces-1 */
    const int32_t *alt_start; /* n+1 entries: the alternatives of tile t are alt_start[t] .. alt_start[t+1]-1 */
    const int32_t *blk_start; /* one entry per alternative, and one more: where its blockers lie in blk */
    const int32_t *blk;       /* tile ids */
    const uint8_t *removed;   /* n entries, 1 = gone before play starts; NULL: all there */
    const int32_t *tray;      /* faces entries: how many tiles of each face wait in the tray; NULL: none */
} lg_deal;

/* Every status of the kernel. Bad input is told from "cannot be won" always. */
#define LG_SOLVED 1
#define LG_UNSOLVABLE 2
#define LG_UNDECIDED 3
#define LG_BAD_INPUT -1
#define LG_NO_MEMORY -2
/* cdef end */

/* 0 when every index of the deal is in range, else LG_BAD_INPUT. */
int lg_deal_check(const lg_deal *deal);

#endif
