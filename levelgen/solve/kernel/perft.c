#include "play.h"

/* Depth is at most 128: every tile leaves once and is turned at most once. 0: budget or memory is spent. */
static int count(lg_position *p, int depth, int at, int limit, uint64_t *budget, uint64_t *counts)
{
    if (!*budget)
        return 0;
    --*budget;
    counts[depth]++;
    if (depth == limit)
        return 1;
    int end = lg_position_moves(p, at);
    if (end < 0)
        return 0;
    for (int i = at; i < end; i++) {
        lg_step step = lg_position_play(p, p->moves[i]);
        int fits = count(p, depth + 1, end, limit, budget, counts);
        lg_position_undo(p, step);
        if (!fits)
            return 0;
    }
    return 1;
}

int lg_perft(const lg_deal *d, int32_t mode, const uint8_t *hidden, int32_t depth, uint64_t budget, uint64_t *counts)
{
    lg_position p;
    if (!d || d->n > 64 || depth < 0)
        return LG_BAD_INPUT;
    int status = lg_position_make(&p, d, mode, hidden);
    if (!status) {
        for (int k = 0; k <= depth; k++)
            counts[k] = 0;
        status = count(&p, 0, 0, depth, &budget, counts) ? LG_SOLVED : LG_UNDECIDED;
        lg_position_free(&p);
    }
    return status;
}
