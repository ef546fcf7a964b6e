/* The state of the complete search over pairings; nothing here is public. */
#ifndef LEVELGEN_PAIRS_LEARN_H
#define LEVELGEN_PAIRS_LEARN_H

#include "pairs_work.h"

typedef struct {
    lg_pairs_work *w;
    /* exactly one variable of a group holds: a group is a face of four, or one copy of a face of six or more */
    int32_t n_groups, *group_start, *members, *left;
    int32_t *groups;                        /* variable -> its one or two groups (-1: none) */
    int8_t *value, *phase;                  /* 1 holds, -1 struck, 0 open */
    uint8_t *by, *seen;
    int32_t *level, *data;
    int32_t *trail, *trail_at, n_trail, head, depth;
    int32_t *watches;                       /* literal -> clause * 2 + which */
    int32_t *arena;                         /* clauses: size, weight, two links, literals */
    int32_t n_arena, arena_cap;
    int32_t *conflict, *learnt, *touched, *scratch, n_touched;
    uint32_t *seen_at, stamp;
    uint64_t *heat, heat_step;
    int32_t *log;                           /* lemmas in order: size, literals */
    int64_t n_log, log_cap;
    int logging, log_full;
} lg_learn;

/* Why a variable is what it is: chosen or a fact; the clause `data`; the rest of group `data` struck; `data` holds. */
enum { BY_DECISION, BY_CLAUSE, BY_GROUP, BY_RIVAL };

/* 1 when the literal holds, -1 when it does not, 0 when it is open. */
static inline int32_t lg_learn_value(const lg_learn *s, int32_t lit) { return (lit & 1 ? -1 : 1) * s->value[lit >> 1]; }
/* Strikes the edges of a variable, or allows them again. */
void lg_learn_edges(const lg_pairs_work *w, int32_t var, int allowed);
void lg_learn_assign(lg_learn *s, int32_t lit, uint8_t by, int32_t data);
/* Unit propagation; the size of the conflict in s->conflict, 0 when there is none. */
int32_t lg_learn_propagate(lg_learn *s);
/* After a closure that left tiles behind: a minimal cut, in s->conflict. */
int32_t lg_learn_cut(lg_learn *s);
/* The logged refutation, trimmed, as bytes; their number, or -1 when they do not fit or the log is incomplete. */
int64_t lg_learn_proof(lg_learn *s, uint8_t *bytes, int64_t cap);

/* LG_SOLVED with the pairing in w->mate, LG_UNSOLVABLE with the lemmas logged, or LG_UNDECIDED. */
int32_t lg_learn_run(lg_learn *s);

#endif
