/* The law at speed: a position that moves are made and taken back on; what perft and the bots play with. */
#ifndef LEVELGEN_PLAY_H
#define LEVELGEN_PLAY_H

#include "kernel.h"

/* cdef begin */
/* How tiles leave the board. */
#define LG_PICK 0 /* one by one into the tray, where a whole group clears; no tile lies face down */
#define LG_LIFT 1 /* two alike at once; a face-down tile is lifted into the tray and waits there for its mate */
#define LG_FLIP 2 /* two alike at once; a face-down tile is turned over in place */

/* Beside LG_PICK, what a move can be. */
#define LG_PAIR 3 /* two tiles of the board leave it together */
#define LG_TURN 4 /* a face-down tile is shown and stays */

typedef struct {
    int16_t kind, tile, mate; /* mate: -1 where there is none */
} lg_move;

/* counts[k] = how many sequences of k accepted moves there are, for k = 0 .. depth; at most 64 tiles. `hidden` has n
 * entries, 1 = face down, or is NULL. LG_SOLVED, or LG_UNDECIDED when there are more than `budget` sequences. */
int lg_perft(const lg_deal *deal, int32_t mode, const uint8_t *hidden, int32_t depth, uint64_t budget, uint64_t *counts);
/* cdef end */

typedef struct {
    lg_move move;
    int16_t tray, hidden; /* of its tile, before it */
} lg_step;

typedef struct {
    const lg_deal *deal;
    int mode, left, load, cap;        /* cap: slots of the tray */
    int32_t opened;                   /* how many tiles are open */
    int32_t *user_start, *user;       /* per tile: the alternatives it stands in */
    int32_t *owner;                   /* per alternative: its tile */
    int32_t *fresh, freshes;          /* the tiles that the last move opened */
    int32_t *waits, *last;            /* per alternative: blockers still there, and the sum of their numbers: of one, its number */
    int32_t *ways;                    /* per tile: alternatives without blockers */
    int32_t *sole;                    /* per tile: alternatives in which it alone is left */
    int32_t *bars, *and_bars;         /* per tile: one of them, or -1; per alternative: the next one of the same tile */
    int32_t *open, *place;            /* the open tiles; per tile where it stands, or stood, among them */
    int32_t *tray;                    /* per face: tiles waiting */
    uint8_t *gone, *hidden;           /* per tile */
    lg_move *moves;                   /* room for what lg_position_moves finds */
    int moves_room;
    void *memory;
    size_t changing;                  /* bytes from `waits` on that play changes */
} lg_position;

/* 0, or LG_BAD_INPUT or LG_NO_MEMORY. */
int lg_position_make(lg_position *position, const lg_deal *deal, int mode, const uint8_t *hidden);
void lg_position_free(lg_position *position);

/* Plays an accepted move; what it returns takes it back, the last one first. */
lg_step lg_position_play(lg_position *position, lg_move move);
void lg_position_undo(lg_position *position, lg_step step);

/* Every accepted move, into position->moves from `at` on; where they end, or -1 when memory gave out. */
int lg_position_moves(lg_position *position, int at);

/* Whether any move is accepted. */
int lg_position_can_move(const lg_position *position);

#endif
