/* What the search for triples keeps in memory: a pool of states a level, and one link a state that went on. Everything
 * is charged to a ledger; a pool that may grow no more gives up its less promising half. */
#ifndef LEVELGEN_POOL_H
#define LEVELGEN_POOL_H

#include "bits.h"

#include <stddef.h>

typedef struct {
    size_t used, cap;
} lg_ledger;

/* A record is the tiles done, the counts of the faces, the rank (score in the high half, hash in the low), and the link
 * (parent in the high half, ordinal among its children in the low). */
typedef struct {
    lg_word *record;
    uint32_t *table; /* open addressing, record number + 1 */
    uint32_t size, slots;
    size_t bytes;
} lg_pool;

int lg_pool_grow(lg_pool *pool, int words, lg_ledger *ledger, int *truncated);
void lg_pool_free(lg_pool *pool, lg_ledger *ledger);

/* The rank of the last record to go on when `width` do; ~0 when all do. Equal ranks go on together. 0: no memory. */
lg_word lg_pool_choose(const lg_pool *pool, int words, uint32_t width);

typedef struct {
    lg_word *link;
    uint32_t size, room;
} lg_links;

#define LG_NO_LINK UINT32_MAX

/* The number of the new link, or LG_NO_LINK when the ledger (or 32 bits) has no room for it. */
uint32_t lg_links_add(lg_links *links, lg_word link, lg_ledger *ledger);

#endif
