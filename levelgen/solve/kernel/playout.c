#include "play.h"
#include "rng.h"

#include <stdlib.h>
#include <string.h>

/* What the greedy bot likes about a move: clearing, then company for what waits, then what it uncovers. */
static int liking(const lg_position *p, lg_move m)
{
    int face = p->deal->face[m.tile], uncovers = 0;
    int waiting = m.kind == LG_PICK ? p->tray[face] : 0;
    int clears = m.kind == LG_PAIR || waiting + 1 == p->deal->group;
    for (int k = p->user_start[m.tile]; k < p->user_start[m.tile + 1]; k++)
        uncovers += p->waits[p->user[k]] == 1;
    return clears * 4096 + waiting * 512 + (uncovers > 511 ? 511 : uncovers);
}

static lg_move choose(const lg_position *p, int moves, int bot, lg_rng *rng)
{
    int best = -1, ties = 0, chosen = 0;
    if (bot == LG_BOT_RANDOM)
        return p->moves[lg_rng_below(rng, (uint32_t)moves)];
    for (int i = 0; i < moves; i++) {
        int value = liking(p, p->moves[i]);
        if (value > best) {
            best = value;
            ties = 0;
        }
        if (value == best && !lg_rng_below(rng, (uint32_t)++ties))
            chosen = i;
    }
    return p->moves[chosen];
}

int lg_playouts(const lg_deal *d, int32_t mode, const uint8_t *hidden, int32_t bot, uint64_t seed, int32_t count,
                int32_t *left)
{
    lg_position p;
    if (bot < LG_BOT_RANDOM || bot > LG_BOT_GREEDY || count < 0)
        return LG_BAD_INPUT;
    int status = lg_position_make(&p, d, mode, hidden);
    if (status)
        return status;
    typedef struct {
        lg_move move;
        int32_t tray;
    } step;
    step *line = malloc(((size_t)d->n * 2 + 1) * sizeof *line); /* played, then taken back: a fresh start each time */
    if (!line)
        status = LG_NO_MEMORY;
    for (int i = 0; i < count && !status; i++) {
        lg_rng rng = lg_rng_of(lg_mix(seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)));
        int steps = 0, moves;
        while ((moves = lg_position_moves(&p, 0)) > 0) {
            lg_move m = choose(&p, moves, bot, &rng);
            line[steps++] = (step){m, p.tray[d->face[m.tile]] * 2 + p.hidden[m.tile]};
            p.hidden[m.tile] = 0;
            lg_position_play(&p, m);
        }
        status = moves < 0 ? LG_NO_MEMORY : 0;
        left[i] = p.left;
        while (steps--) {
            lg_position_undo(&p, line[steps].move, line[steps].tray / 2);
            p.hidden[line[steps].move.tile] = line[steps].tray % 2;
        }
    }
    free(line);
    lg_position_free(&p);
    return status ? status : LG_SOLVED;
}
