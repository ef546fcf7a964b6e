#include "play.h"

#include <stdlib.h>
#include <string.h>

/* Of an alternative one blocker is left. Of one that named it twice that is the tile just gone, and nobody asks. */
static inline void add_bar(lg_position *p, int a)
{
    int tile = p->last[a];
    p->sole[tile]++;
    p->and_bars[a] = p->bars[tile];
    p->bars[tile] = a;
}

static void add_open(lg_position *p, int tile)
{
    p->place[tile] = p->opened;
    p->open[p->opened++] = tile;
    p->fresh[p->freshes++] = tile;
}

int lg_position_make(lg_position *p, const lg_deal *d, int mode, const uint8_t *hidden)
{
    memset(p, 0, sizeof *p);
    if (lg_deal_check(d) || mode < LG_PICK || mode > LG_FLIP || (mode != LG_PICK && d->group != 2))
        return LG_BAD_INPUT;
    size_t n = (size_t)d->n, alternatives = (size_t)d->alt_start[n], edges = (size_t)d->blk_start[alternatives];
    size_t fixed = 2 * n + 2 + edges + alternatives, ints = 3 * alternatives + 5 * n + (size_t)d->faces;
    p->changing = ints * sizeof(int32_t) + 2 * n;
    p->memory = calloc(fixed * sizeof(int32_t) + p->changing + 1, 1);
    if (!p->memory)
        return LG_NO_MEMORY;
    p->deal = d;
    p->mode = mode;
    p->cap = d->cap;
    p->user_start = p->memory;
    p->user = p->user_start + n + 2;
    p->owner = p->user + edges;
    p->fresh = p->owner + alternatives;
    p->waits = p->fresh + n;
    p->last = p->waits + alternatives;
    p->ways = p->last + alternatives;
    p->sole = p->ways + n;
    p->bars = p->sole + n;
    p->and_bars = p->bars + n;
    p->open = p->and_bars + alternatives;
    p->place = p->open + n;
    p->tray = p->place + n;
    p->gone = (uint8_t *)(p->tray + d->faces);
    p->hidden = p->gone + n;
    for (size_t t = 0; t < n; t++) {
        p->gone[t] = d->removed && d->removed[t];
        p->hidden[t] = !p->gone[t] && hidden && hidden[t];
        if (p->hidden[t] && mode == LG_PICK) {
            free(p->memory);
            p->memory = NULL;
            return LG_BAD_INPUT;
        }
        p->left += !p->gone[t];
        p->bars[t] = -1;
    }
    for (size_t t = 0; t < n; t++)
        for (int a = d->alt_start[t]; a < d->alt_start[t + 1]; a++) {
            p->owner[a] = (int32_t)t;
            for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++) {
                if (!p->gone[d->blk[k]]) {
                    p->waits[a]++;
                    p->last[a] += d->blk[k];
                }
                p->user_start[d->blk[k] + 2]++;
            }
            p->ways[t] += !p->waits[a];
            if (p->waits[a] == 1)
                add_bar(p, a);
        }
    for (size_t t = 2; t <= n; t++)
        p->user_start[t] += p->user_start[t - 1];
    for (size_t a = 0; a < alternatives; a++)
        for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
            p->user[p->user_start[d->blk[k] + 1]++] = (int32_t)a;
    for (int t = 0; t < d->n; t++)
        if (p->ways[t] && !p->gone[t])
            add_open(p, t);
    for (int f = 0; d->tray && f < d->faces; f++) {
        p->tray[f] = d->tray[f];
        p->load += d->tray[f];
    }
    return 0;
}

void lg_position_free(lg_position *p)
{
    free(p->memory);
    free(p->moves);
}

static void take(lg_position *p, int tile)
{
    int last = p->open[--p->opened];
    p->open[p->place[tile]] = last;
    p->place[last] = p->place[tile]; /* the tile's own place is kept when it is the last, and when it is not */
    p->gone[tile] = 1;
    p->left--;
    for (int k = p->user_start[tile]; k < p->user_start[tile + 1]; k++) {
        int a = p->user[k], owner = p->owner[a];
        int waits = --p->waits[a];
        p->last[a] -= tile;
        if (waits == 1)
            add_bar(p, a);
        else if (!waits && !p->ways[owner]++ && !p->gone[owner])
            add_open(p, owner);
    }
}

static void put_back(lg_position *p, int tile)
{
    for (int k = p->user_start[tile + 1] - 1; k >= p->user_start[tile]; k--) {
        int a = p->user[k], owner = p->owner[a];
        int waits = p->waits[a]++;
        if (waits == 1) {
            p->sole[p->last[a]]--;
            p->bars[p->last[a]] = p->and_bars[a];
        }
        p->last[a] += tile;
        if (!waits && !--p->ways[owner] && !p->gone[owner])
            p->opened--;
    }
    int moved = p->open[p->place[tile]];
    p->gone[tile] = 0;
    p->left++;
    if (p->place[tile] < p->opened) { /* the tile that took its place goes back to the end */
        p->place[moved] = p->opened;
        p->open[p->opened] = moved;
    }
    p->open[p->place[tile]] = tile;
    p->opened++;
}

lg_step lg_position_play(lg_position *p, lg_move m)
{
    int f = p->deal->face[m.tile];
    lg_step step = {m, (int16_t)p->tray[f], p->hidden[m.tile]};
    p->hidden[m.tile] = 0;
    p->freshes = 0;
    if (m.kind == LG_TURN)
        return step;
    take(p, m.tile);
    if (m.kind == LG_PAIR) {
        take(p, m.mate);
        return step;
    }
    p->load++;
    if (++p->tray[f] == p->deal->group) {
        p->load -= p->tray[f];
        p->tray[f] = 0;
    }
    return step;
}

void lg_position_undo(lg_position *p, lg_step step)
{
    lg_move m = step.move;
    int f = p->deal->face[m.tile];
    p->hidden[m.tile] = (uint8_t)step.hidden;
    if (m.kind == LG_TURN)
        return;
    if (m.kind == LG_PAIR)
        put_back(p, m.mate);
    put_back(p, m.tile);
    p->load += step.tray - p->tray[f];
    p->tray[f] = step.tray;
}

static int say(lg_position *p, int at, int kind, int tile, int mate)
{
    if (at < 0)
        return -1;
    if (at == p->moves_room) {
        int room = p->moves_room ? p->moves_room * 2 : 256;
        lg_move *moves = realloc(p->moves, (size_t)room * sizeof *moves);
        if (!moves)
            return -1;
        p->moves = moves;
        p->moves_room = room;
    }
    p->moves[at] = (lg_move){(int16_t)kind, (int16_t)tile, (int16_t)mate};
    return at + 1;
}

int lg_position_moves(lg_position *p, int at)
{
    const lg_deal *d = p->deal;
    int empty = p->cap - p->load;
    for (int i = 0; i < p->opened; i++) {
        int t = p->open[i];
        if (p->mode == LG_PICK || p->hidden[t]) {
            if (p->mode == LG_FLIP)
                at = say(p, at, LG_TURN, t, -1);
            else if (empty >= 1)
                at = say(p, at, LG_PICK, t, -1);
            continue;
        }
        for (int j = 0; j < i && empty >= 2; j++) {
            int mate = p->open[j];
            if (!p->hidden[mate] && d->face[mate] == d->face[t])
                at = say(p, at, LG_PAIR, mate < t ? mate : t, mate < t ? t : mate);
        }
        if (empty >= 1 && p->tray[d->face[t]])
            at = say(p, at, LG_PICK, t, -1);
    }
    return at;
}

int lg_position_can_move(const lg_position *p)
{
    const int32_t *face = p->deal->face;
    int empty = p->cap - p->load;
    for (int i = 0; i < p->opened; i++) {
        int t = p->open[i];
        if (p->mode == LG_PICK || p->hidden[t]) {
            if (p->mode == LG_FLIP || empty >= 1)
                return 1;
            continue;
        }
        if (empty >= 1 && p->tray[face[t]])
            return 1;
        for (int j = 0; j < i && empty >= 2; j++)
            if (!p->hidden[p->open[j]] && face[p->open[j]] == face[t])
                return 1;
    }
    return 0;
}
