/* Bots that play a deal to its end: five of growing skill, each in two minds, with or without mistakes. */
#ifndef LEVELGEN_BOTS_H
#define LEVELGEN_BOTS_H

#include "play.h"

/* cdef begin */
#define LG_BOT_RANDOM 0 /* any accepted move */
#define LG_BOT_GREEDY 1 /* clears when it can, else adds to what waits, else uncovers the most */
#define LG_BOT_ONE_PLY 2 /* tries every move and takes the one whose position it likes best */
#define LG_BOT_MACRO 3  /* thinks in whole groups: which one costs the fewest slots, what it opens, what comes next */
#define LG_BOT_EXPERT 4 /* a group further ahead, minds what lies on much, and which copies are better kept */

typedef struct {
    int32_t bot;
    int32_t sees;     /* 1: knows every face; 0: those of tiles shown, see lg_bots_new */
    int32_t mistakes; /* of 1000 decisions, so many are left to chance */
} lg_player;

typedef struct {
    int32_t left;  /* tiles on the board at the end; 0 when won */
    int32_t moves; /* how many were played */
    int32_t need;  /* slots the game took at most, before anything cleared. In tray games the two bots that do not mind the
                    * tray play on when it is full, as if it had no end: the game would be won with a tray of `need` */
} lg_game;

typedef struct lg_bots lg_bots;

/* A deal made ready for bots, who share its memory: one thread at a time. The lids of tile t, lid[lid_start[t]] ..
 * lid[lid_start[t + 1] - 1], are the tiles that lie on it. A tile is shown once it is face up, and either open or
 * without lids; all else of the deal a player knows: places, counts of every face, the tray. NULL with *status set when
 * the deal is refused or memory lacks. `deal` and its arrays must outlive it. */
lg_bots *lg_bots_new(const lg_deal *deal, int32_t mode, const uint8_t *hidden, const int32_t *lid_start,
                     const int32_t *lid, int32_t *status);
void lg_bots_free(lg_bots *bots);

/* Plays games first .. first + count - 1 of a seed, or fewer: no other is begun once `budget` tiles were taken. Returns
 * how many were played, or LG_BAD_INPUT. Game i draws from (seed, i) only. `moves`, when not NULL, has room for 2 n moves
 * a game and receives them, as far as the tray allows. */
int64_t lg_bots_play(lg_bots *bots, const lg_player *player, uint64_t seed, int32_t first, int32_t count, int64_t budget,
                     lg_game *games, lg_move *moves);

/* Walks a line of accepted moves. Before move i: `accepted[i]` moves are accepted, of which `safe[i]` win or leave another
 * accepted, 2 where it is more; after it enters, before anything clears, `load[i]` slots are taken, and `shown[i]` tiles of the board show.
 * LG_BAD_INPUT when a move is not accepted. */
int lg_bots_walk(lg_bots *bots, const lg_move *moves, int32_t count, int32_t *load, int32_t *accepted, int32_t *safe,
                 int32_t *shown);

/* depth[t] = how many tiles go before tile t in every game, as far as the gates alone say; -1 for tiles gone. */
void lg_bots_depths(const lg_bots *bots, int32_t *depth);
/* cdef end */

#endif
