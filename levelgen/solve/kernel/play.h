/* The law at speed: a position that moves are made and taken back on; what perft and the bots play with. */
#ifndef LEVELGEN_PLAY_H
#define LEVELGEN_PLAY_H

#include "kernel.h"

/* cdef begin */
/* How tiles leave the board. */
#define LG_PICK 0 /* one by one into the tray, where a whole group clears */
#define LG_LIFT 1 /* two alike at once; a face-down tile is lifted into the tray and waits there for its mate */
#define LG_FLIP 2 /* two alike at once; a face-down tile is turned over in place */

/* counts[k] = how many sequences of k accepted moves there are, for k = 0 .. depth; at most 64 tiles. `hidden` has n
 * entries, 1 = face down, or is NULL. LG_SOLVED, or LG_UNDECIDED when there are more than `budget` sequences. */
int lg_perft(const lg_deal *deal, int32_t mode, const uint8_t *hidden, int32_t depth, uint64_t budget, uint64_t *counts);

#define LG_BOT_RANDOM 0 /* any accepted move */
#define LG_BOT_GREEDY 1 /* clears when it can, else adds to what waits, else uncovers the most */

/* Plays `count` games, each from a stream of its own drawn from `seed`; left[i] = tiles on the board at its end, 0 when
 * won. LG_SOLVED, or a failure. */
int lg_playouts(const lg_deal *deal, int32_t mode, const uint8_t *hidden, int32_t bot, uint64_t seed, int32_t count,
                int32_t *left);
/* cdef end */

#define LG_PAIR 3 /* beside LG_PICK: two tiles of the board leave it together */
#define LG_TURN 4 /* a face-down tile is shown and stays */

typedef struct {
    int16_t kind, tile, mate;
} lg_move;

typedef struct {
    const lg_deal *deal;
    int mode, left, load;
    int32_t *waits;                   /* per alternative: blockers still there */
    int32_t *ways;                    /* per tile: alternatives without blockers */
    int32_t *user_start, *user;       /* per tile: the alternatives it stands in */
    int32_t *owner;                   /* per alternative: its tile */
    int32_t *tray;                    /* per face: tiles waiting */
    uint8_t *gone, *hidden;           /* per tile */
    lg_move *moves;                   /* room for what lg_position_moves finds */
    int moves_room;
    void *memory;
} lg_position;

/* 0, or LG_BAD_INPUT or LG_NO_MEMORY. */
int lg_position_make(lg_position *position, const lg_deal *deal, int mode, const uint8_t *hidden);
void lg_position_free(lg_position *position);
void lg_position_play(lg_position *position, lg_move move);
void lg_position_undo(lg_position *position, lg_move move, int tray_before);

/* Every accepted move, into position->moves from `at` on; where they end, or -1 when memory gave out. */
int lg_position_moves(lg_position *position, int at);

#endif
