/* What the bots share: the position they play on, what they have seen, and what they know of the layout. */
#ifndef LEVELGEN_BOTS_WORK_H
#define LEVELGEN_BOTS_WORK_H

#include "bits.h"
#include "bots.h"
#include "rng.h"
#include "side.h"

#define LG_OPEN 3  /* what an open tile is worth in tray games */
#define LG_WIDTH 8 /* of a face with more open tiles than this, a bot considers so many */

/* What the open tiles that show are good for; play keeps it up to date. */
typedef struct {
    int32_t ready[LG_MAX_GROUP];     /* how many faces stand in each row of lg_bots.ready */
    int32_t down;                    /* how many tiles stand in lg_bots.down */
    int32_t unseen;                  /* tiles on the board not shown */
    int32_t company;                 /* tray games: tiles that wait and cannot clear yet; pairs: tiles that can be paired */
    int32_t clears[LG_MAX_GROUP + 1]; /* tray games: how many faces can clear now with so many picks */
} lg_tally;

struct lg_bots {
    lg_position p;
    int sees;                        /* the mind at play */
    int thinks;                      /* whether it asks for the last two of the tally */
    int watches;                     /* whether it asks what was seen: in tray games what comes open never was */
    int words;
    int32_t *under_start, *under;    /* per tile: the tiles it lies on */
    int32_t *lids;                   /* per tile: how many lie on it; what play changes begins here */
    int32_t *unseen, *rest;          /* per face: tiles on the board not shown, tiles on the board and in the tray */
    int32_t *number, *hand, *at;     /* per face: how many of its tiles are open and show, and, from of_start on, which;
                                      * per tile: where it stands there, or in `down` */
    int32_t *down;                   /* the open tiles that lie face down */
    int32_t *ready, *ready_at;       /* faces with a tile to pick, in pairs with one to match: a row for each count that
                                      * waits in the tray; per face: where it stands, or -1 */
    uint8_t *seen;                   /* per tile */
    lg_tally tally, start_tally;
    int32_t *of_start, *of;          /* per face: its tiles */
    int32_t *burden;                 /* per tile: how much waits for it */
    lg_word *must, *kin;             /* per tile: tiles that go before it in every game; and those that bar a way along with it */
    int32_t *base;                   /* per face: what its tiles are worth but for what they open */
    lg_move *choice;                 /* what is considered */
    int choices;
    int32_t *worth;                  /* per choice */
    int32_t *opening, openings;      /* what lg_bots_opens found */
    int32_t *promise;                /* per tile: what the best group it belongs to is worth */
    int32_t *mark, marks;            /* per tile: the last search that met it */
    lg_word *closure, *best, *here;  /* sets of tiles */
    void *memory, *start;            /* start: what play changes, as it was */
    int32_t start_left, start_load, start_opened;
    size_t noticing;                 /* bytes from `lids` on that play changes */
};

/* Walks the faces that are ready, those first of which most wait; `row_` and `i_` are the walk's own. */
#define LG_EACH_READY(f, bots)                                                                                     \
    for (int row_ = (bots)->p.deal->group - 1; row_ >= 0; row_--)                                                  \
        for (int i_ = 0; i_ < (bots)->tally.ready[row_] && ((f) = (bots)->ready[row_ * (bots)->p.deal->faces + i_], 1); \
             i_++)

static inline int lg_known(const lg_bots *b, int tile) { return b->sees || b->seen[tile]; }

/* Plays an accepted move, and takes it back before another one is tried; what was seen stays as it was. */
lg_step lg_bots_try(lg_bots *bots, lg_move move);
void lg_bots_take_back(lg_bots *bots, lg_step step);

/* Lists the accepted moves, of each face those of LG_WIDTH tiles at most: choice, choices. */
void lg_bots_consider(lg_bots *bots);

/* One of the choices that are worth most, or kind -1 when there is none. */
lg_move lg_bots_best(lg_bots *bots, lg_rng *rng);

/* Any accepted move, each as likely as any other; kind -1 when there is none. */
lg_move lg_bots_any(lg_bots *bots, lg_rng *rng);

/* A move of the greedy bot; kind -1 when none is accepted. */
lg_move lg_bots_greedy(lg_bots *bots, lg_rng *rng);

/* The tiles that a move would open, into `opening`; how many. */
int lg_bots_opens(lg_bots *bots, lg_move move);

/* A move of one of the three bots that think ahead; kind -1 when none is accepted. */
lg_move lg_bots_think(lg_bots *bots, int bot, lg_rng *rng);

/* How a mind likes the position after a move it thinks of, higher is better; and the same without a look at the faces of
 * the `opens` tiles that come open. */
int lg_bots_taking(lg_bots *bots, lg_move move, int opens);
int lg_bots_liking(lg_bots *bots, lg_move move);

#endif
