#include "bots_work.h"

#include <limits.h>

lg_move lg_bots_any(lg_bots *b, lg_rng *rng)
{
    const lg_position *p = &b->p;
    const lg_move none = {-1, -1, -1};
    int empty = p->cap - p->load, f;
    if (p->mode == LG_PICK) {
        if (empty < 1 || !p->opened)
            return none;
        return (lg_move){LG_PICK, (int16_t)p->open[lg_rng_below(rng, (uint32_t)p->opened)], -1};
    }
    uint32_t down = p->mode == LG_FLIP || empty >= 1 ? (uint32_t)b->tally.down : 0, total = down;
    LG_EACH_READY(f, b) {
        uint32_t k = (uint32_t)b->number[f];
        total += (empty >= 2 ? k * (k - 1) / 2 : 0) + (empty >= 1 && p->tray[f] ? k : 0);
    }
    if (!total)
        return none;
    uint32_t at = lg_rng_below(rng, total);
    if (at < down)
        return (lg_move){p->mode == LG_FLIP ? LG_TURN : LG_PICK, (int16_t)b->down[at], -1};
    at -= down;
    LG_EACH_READY(f, b) {
        const int32_t *hand = b->hand + b->of_start[f];
        for (int k = 0; k < b->number[f]; k++) {
            if (empty >= 1 && p->tray[f] && !at--)
                return (lg_move){LG_PICK, (int16_t)hand[k], -1};
            for (int j = 0; j < k && empty >= 2; j++)
                if (!at--)
                    return (lg_move){LG_PAIR, (int16_t)(hand[j] < hand[k] ? hand[j] : hand[k]),
                                     (int16_t)(hand[j] < hand[k] ? hand[k] : hand[j])};
        }
    }
    return none;
}

/* Any of the best of so many choices, by `worth`; one draw. */
lg_move lg_bots_best(lg_bots *b, lg_rng *rng)
{
    int best = INT_MIN;
    uint32_t ties = 0;
    for (int i = 0; i < b->choices; i++) {
        if (b->worth[i] > best) {
            best = b->worth[i];
            ties = 0;
        }
        ties += b->worth[i] == best;
    }
    if (!ties)
        return (lg_move){-1, -1, -1};
    uint32_t at = lg_rng_below(rng, ties);
    int i = 0;
    while (b->worth[i] != best || at--)
        i++;
    return b->choice[i];
}

/* The greedy bot clears when it can, else it adds to what waits, else it uncovers the most. In tray games a face that
 * can clear is the one of which most wait. */
static lg_move greedy_pick(lg_bots *b, lg_rng *rng)
{
    const lg_position *p = &b->p;
    int row = p->deal->group - 1, best = -1, ties = 0;
    if (p->load >= p->cap || !p->opened)
        return (lg_move){-1, -1, -1};
    while (!b->tally.ready[row])
        row--;
    const int32_t *ready = b->ready + row * p->deal->faces, *soles = p->sole;
    int32_t *tied = b->opening;
    for (int i = 0; i < b->tally.ready[row]; i++) {
        const int32_t *hand = b->hand + b->of_start[ready[i]];
        for (int k = b->number[ready[i]] - 1; k >= 0; k--) {
            int sole = soles[hand[k]];
            ties = sole > best ? 0 : ties;
            best = sole > best ? sole : best;
            tied[ties] = hand[k];
            ties += sole == best;
        }
    }
    int at = ties > 1 ? (int)lg_rng_below(rng, (uint32_t)ties) : 0;
    return (lg_move){LG_PICK, (int16_t)b->opening[at], -1};
}

/* The moves that are worth most so far. */
typedef struct {
    lg_move *tied;
    int ties, best;
} lg_best;

static inline void offer(lg_best *best, int worth, int kind, int tile, int mate)
{
    best->ties = worth > best->best ? 0 : best->ties;
    best->best = worth > best->best ? worth : best->best;
    best->tied[best->ties] = (lg_move){(int16_t)kind, (int16_t)tile, (int16_t)mate};
    best->ties += worth == best->best;
}

static lg_move greedy_match(lg_bots *b, lg_rng *rng)
{
    const lg_position *p = &b->p;
    const int32_t *sole = p->sole;
    const int clears = 1 << 16, empty = p->cap - p->load;
    lg_best best = {b->choice, 0, -1};
    int f;
    if (p->mode == LG_FLIP && b->tally.down)
        return (lg_move){LG_TURN, (int16_t)b->down[lg_rng_below(rng, (uint32_t)b->tally.down)], -1};
    for (int i = 0; i < b->tally.down && empty >= 1; i++) {
        int t = b->down[i], fits = b->sees && p->tray[p->deal->face[t]];
        offer(&best, (fits ? clears : 0) | sole[t], LG_PICK, t, -1);
    }
    LG_EACH_READY(f, b) {
        const int32_t *hand = b->hand + b->of_start[f];
        int wide = b->number[f] < LG_WIDTH ? b->number[f] : LG_WIDTH, waits = p->tray[f] && empty >= 1;
        for (int k = 0; k < wide; k++) {
            int t = hand[k];
            if (waits)
                offer(&best, clears | sole[t], LG_PICK, t, -1);
            for (int j = 0; j < k && empty >= 2; j++)
                offer(&best, clears | (sole[t] + sole[hand[j]]), LG_PAIR, hand[j] < t ? hand[j] : t, hand[j] < t ? t : hand[j]);
        }
    }
    return best.ties ? best.tied[lg_rng_below(rng, (uint32_t)best.ties)] : (lg_move){-1, -1, -1};
}

lg_move lg_bots_greedy(lg_bots *b, lg_rng *rng) { return b->p.mode == LG_PICK ? greedy_pick(b, rng) : greedy_match(b, rng); }
