/* One side of the search for triples: the deal made ready to be played from the deal to the empty board, or backwards.
 *
 * The tray is a function of the set of tiles gone (counts modulo the group), so that set is the whole state, and a
 * level is won by a chain of sets from none to all whose tray never fills up. Read backwards the chain is one of the
 * same kind, with other weights: a face's first tile back opens a group (and fills two of three slots), the next two
 * empty a slot each. Both sides are told apart by the numbers in this record only:
 *
 *     count of the face, modulo 3      0 -> 1   1 -> 2   2 -> 0
 *     forwards, change of the load       +1       +1       -2
 *     backwards, change of the load      +2       -1       -1
 *
 * The load must stay at or below `limit` = cap - 1 after every step. Tiles are numbered along the side: every tile
 * stands after those it waits for. Tiles gone before the start are left out.
 */
#ifndef LEVELGEN_SIDE_H
#define LEVELGEN_SIDE_H

#include "bits.h"
#include "kernel.h"

#define LG_MAX_GROUP 8
#define LG_MAX_WORDS 64
#define LG_PER_WORD 16 /* counts of faces in a word, four bits each */

typedef struct {
    int n, words, faces, group, backward;
    int limit;                  /* the load may not exceed this after a step */
    int step, fall;             /* what a step that adds to the load adds, and what one that lightens it takes away */
    int tail;                   /* most tiles that may be left when only steps that add remain: the game is decided */
    int count_words;            /* words that hold every face's count */
    uint8_t load[LG_MAX_GROUP]; /* slots a face takes at this count */
    uint8_t need[LG_MAX_GROUP]; /* tiles of the face until the next step that lightens the load */
    int32_t *tile;              /* the deal's name for each tile */
    int32_t *face;
    int32_t *weight;            /* how much waits for the tile: how many tiles do, and four times the longest chain of them */
    int32_t *next_start, *next_list; /* the tiles directly after each tile: n + 1 starts, then the tiles */
    uint8_t *start, *end;            /* per face: its count at the start and at the end of this side */
    lg_word *full;                   /* every tile */
    lg_word *of_face;                /* per face: its tiles */
    lg_word *before, *after, *next;  /* per tile: all it waits for, all that wait for it, and those directly after */
    lg_word *worse;                  /* per tile: tiles of its face after which nothing comes that comes not after it too */
    lg_word *better;                 /* per tile: where it is worse; of equals, the one the deal numbers lower */
    void *memory;
} lg_side;

/* Makes a side of a deal that lg_deal_check accepts, for a tray of `cap` slots. LG_SOLVED: ready. LG_UNSOLVABLE: some
 * face's tiles, tray included, are no multiple of the group, or gates wait for one another in a circle, so that the
 * level is lost whatever is played. LG_BAD_INPUT: a tile has several alternatives, or the tray holds a whole group. */
int lg_side_make(lg_side *side, const lg_deal *deal, int cap, int backward);
void lg_side_free(lg_side *side);

/* The counts at the start, four bits each. */
void lg_side_counts(const lg_side *side, lg_word *counts);

static inline int lg_side_count(const lg_word *counts, int face)
{
    return (int)(counts[face / LG_PER_WORD] >> (face % LG_PER_WORD * 4) & 15);
}

static inline void lg_side_play(const lg_side *side, lg_word *counts, int tile)
{
    int shift = side->face[tile] % LG_PER_WORD * 4;
    lg_word *word = counts + side->face[tile] / LG_PER_WORD;
    lg_word count = (*word >> shift & 15) + 1;
    *word = (*word & ~((lg_word)15 << shift)) | (count == (lg_word)side->group ? 0 : count) << shift;
}

#endif
