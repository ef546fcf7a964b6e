/* Groups cleared through a tray: the exact solver, the least tray, and evidence that a deal is dead. */
#ifndef LEVELGEN_TRIPLES_H
#define LEVELGEN_TRIPLES_H

#include "kernel.h"

/* cdef begin */
typedef struct {
    int32_t status;   /* LG_SOLVED, LG_UNSOLVABLE, LG_UNDECIDED, or one of the two failures */
    int32_t picks;    /* how many picks were written: all tiles left when solved, else 0 */
    int32_t peak;     /* slots the picks take at most, the one a clearing tile enters included */
    int32_t refuted;  /* the largest tray proved too small; -1 when none was */
    uint64_t nodes;   /* states looked at */
} lg_answer;

/* Decides a deal whose tiles have one alternative each. `picks` has room for deal->n tile ids. Stops undecided after
 * about `budget` nodes; takes about `memory` bytes at most. Returns answer->status. */
int lg_triples_solve(const lg_deal *deal, uint64_t budget, uint64_t memory, int32_t *picks, lg_answer *answer);

/* The least tray, up to deal->cap, with which the deal can be won: solved, with peak the minimum, when one slot fewer is
 * refuted; undecided, with the best picks known if any, when the budget was spent in between. */
int lg_triples_minimum(const lg_deal *deal, uint64_t budget, uint64_t memory, int32_t *picks, lg_answer *answer);

/* A closed set of dead states that holds the start (backward = 0) or the empty board (backward = 1), written to `data`
 * as levelgen/evidence/closed_set.py reads it. Returns the bytes written; 0 when the deal can be won from there, or
 * `size` bytes or `memory` do not suffice; below 0 on failure. *states counts the states written. */
int64_t lg_triples_closed_set(const lg_deal *deal, int32_t backward, uint64_t memory, uint8_t *data, uint64_t size,
                              uint64_t *states);
/* cdef end */

#endif
