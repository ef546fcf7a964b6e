/* What the parts of the pairs kernel share; nothing here is public. */
#ifndef LEVELGEN_PAIRS_WORK_H
#define LEVELGEN_PAIRS_WORK_H

#include "pairs.h"
#include "rng.h"

#define LG_BIT(i) ((uint64_t)1 << (i))

enum {
    PAIRS_MAX_TILES = 4096,
    PAIRS_MAX_ALTERNATIVES = 8,
    PAIRS_MAX_BLOCKERS = 126,
    PAIRS_MAX_COPIES = 64, /* one word holds the mates of a tile */
};

/* What a leaving tile does to a tile it blocks. */
typedef struct {
    uint64_t delta; /* one in the byte of every alternative it stands in */
    int32_t tile;
} lg_event;

/* A lock has one byte per alternative: the blockers still there. Once open, every byte's top bit is set. */
#define LG_UNLOCKED(lock) ((((lock) - UINT64_C(0x0101010101010101)) & ~(lock) & UINT64_C(0x8080808080808080)) != 0)
#define LG_OPENED UINT64_C(0x8080808080808080)

/* A board: its gates, thinned of blockers that others imply, as locks and events and, for slices, as lists. */
struct lg_pairs {
    int32_t n, n_free;
    uint8_t *alive;              /* tile: still on the board */
    uint64_t *locks;             /* at the start */
    int32_t *free_tiles;         /* open from the start */
    int32_t *event_start;
    lg_event *event;             /* tile -> the tiles it blocks */
    int32_t *gate_start, *gate;  /* tile -> k, k blockers, number of alternatives, (k, k blockers) each */
};

/* 128 boards at once, one a bit. */
typedef uint64_t lg_lanes __attribute__((vector_size(16)));
enum { PAIRS_LANES = 128 };

/* One deal under work. Tiles n .. n_all-1 stand for the faces waiting in the tray: they block nothing and are gone.
 *
 * The unknowns are the pairings. A face of two copies has none; of four copies three, the variable k standing for
 * "copy 0 goes with copy k+1, the other two with each other"; of more copies one for every two copies. */
typedef struct {
    const lg_pairs *board;
    int32_t n, n_all, n_faces, n_vars, total;
    int32_t *face_of, *slot_of;     /* tile -> face, its place among the copies */
    int32_t *first, *copy;          /* face -> its copies */
    int32_t *var_first;             /* face -> its variables */
    int32_t *var_face;              /* variable -> face */
    uint8_t *var_i, *var_j;         /* variable -> the two places */
    int any_lone;
    uint8_t *lone;                  /* tile: goes as soon as it is open, mate or not */
    uint64_t *adj;                  /* tile -> places of the mates still allowed */

    /* closures */
    uint64_t *locks;
    uint64_t *open, *gone;          /* face -> places */
    int32_t n_gone, top;
    int32_t *stack;
    int32_t *mate, *order, *front, *fresh;
    uint8_t *opened, *cleared;
    uint64_t *kept_open, *kept_gone;
    uint64_t *kept_locks;
    int32_t kept_n_gone;

    /* slices */
    lg_lanes *lane_open, *lane_gone, *lane_var;
    int32_t *queue;
    uint8_t *queued;

    lg_rng rng;
    uint64_t budget, spent;
    lg_pairs_stats stats;
} lg_pairs_work;

static inline int32_t lg_copies(const lg_pairs_work *w, int32_t face) { return w->first[face + 1] - w->first[face]; }

/* Relaxed closure: every allowed pair may be used, as often as you like. The tiles gone, from scratch. */
int32_t lg_pairs_relaxed(lg_pairs_work *w);
/* Goes on after `adj` has grown by the edge between two open places of a face. */
int32_t lg_pairs_grow(lg_pairs_work *w, int32_t face, int32_t i, int32_t j);
void lg_pairs_keep(lg_pairs_work *w);
void lg_pairs_restore(lg_pairs_work *w);
/* Closure under the one pairing `mate`; writes the tiles as they go, two by two. */
int32_t lg_pairs_fixed(lg_pairs_work *w, int32_t *order);
/* Relaxed closures, one for every variable of `vars`, in which that variable holds; the answer has the bits of those
 * that empty the board. */
lg_lanes lg_pairs_probe(lg_pairs_work *w, const int32_t *vars, int32_t count);
/* Local search over pairings inside `adj`; 1 when `mate` solves the board. */
int lg_pairs_local(lg_pairs_work *w, int32_t tries, int fresh);

#endif
