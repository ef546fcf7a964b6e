/* What the bots share: the position they play on, what they have seen, and what they know of the layout. */
#ifndef LEVELGEN_BOTS_WORK_H
#define LEVELGEN_BOTS_WORK_H

#include "bits.h"
#include "bots.h"
#include "rng.h"
#include "side.h"

#define LG_OPEN 3  /* what an open tile is worth in tray games */
#define LG_WIDTH 8 /* of a face with more open tiles than this, a bot considers so many */

struct lg_bots {
    lg_position p;
    int sees;                        /* the mind at play */
    int words;
    int32_t *under_start, *under;    /* per tile: the tiles it lies on */
    int32_t *lids;                   /* per tile: how many lie on it; what play changes begins here */
    int32_t *unseen, *rest;          /* per face: tiles on the board not shown, tiles on the board and in the tray */
    int32_t unseen_total;
    uint8_t *seen;                   /* per tile */
    int32_t *of_start, *of;          /* per face: its tiles */
    int32_t *burden;                 /* per tile: how much waits for it */
    lg_word *must;                   /* per tile: tiles that go before it in every game */
    int32_t *head, *next, *number;   /* open tiles that show, face by face: first, next, how many */
    int32_t *ready;                  /* the faces that have any */
    int faces_open;
    int32_t *base;                   /* per face: what its tiles are worth but for what they open */
    int clears[LG_MAX_GROUP + 1];    /* tray games: how many faces can clear now with so many picks */
    int company;                     /* tray games: tiles that wait and cannot clear yet; pairs: tiles that can be paired */
    lg_move *choice;                 /* what is considered */
    int choices;
    int32_t *worth;                  /* per choice */
    int32_t *opening, openings;      /* what lg_bots_opens found */
    int32_t *promise;                /* per tile: what the best group it belongs to is worth */
    int32_t *mark, marks;            /* per tile: the last search that met it */
    lg_word *closure, *best, *here;  /* sets of tiles */
    void *memory, *start;            /* start: what play changes, as it was */
    int32_t start_left, start_load, start_opened, start_unseen;
    size_t noticing;                 /* bytes from `lids` on that play changes */
};

static inline int lg_known(const lg_bots *b, int tile) { return b->sees || b->seen[tile]; }

/* Sorts the open tiles that show by face, as the mind at play knows them: head, next, number, ready. */
void lg_bots_sort(lg_bots *bots);

/* Counts what the sorted tiles are good for: clears, company. */
void lg_bots_tally(lg_bots *bots);

/* Sorts, and lists the accepted moves, of each face those of LG_WIDTH tiles at most: choice, choices. */
void lg_bots_consider(lg_bots *bots);

/* One of the choices that are worth most, or kind -1 when there is none. */
lg_move lg_bots_best(lg_bots *bots, lg_rng *rng);

/* The tiles that a move would open, into `opening`; how many. */
int lg_bots_opens(lg_bots *bots, lg_move move);

/* A move of one of the three bots that think ahead; kind -1 when none is accepted. */
lg_move lg_bots_think(lg_bots *bots, int bot, lg_rng *rng);

/* How a mind likes the position after a move it thinks of, sorted and tallied before it; higher is better. */
int lg_bots_liking(lg_bots *bots, lg_move move);

#endif
