#include "play.h"

#include <stdlib.h>
#include <string.h>

int lg_position_make(lg_position *p, const lg_deal *d, int mode, const uint8_t *hidden)
{
    memset(p, 0, sizeof *p);
    if (lg_deal_check(d) || mode < LG_PICK || mode > LG_FLIP || (mode != LG_PICK && d->group != 2))
        return LG_BAD_INPUT;
    size_t n = (size_t)d->n, alternatives = (size_t)d->alt_start[n], edges = (size_t)d->blk_start[alternatives];
    size_t ints = 2 * alternatives + 2 * n + 2 + edges + (size_t)d->faces;
    p->memory = calloc(ints * sizeof(int32_t) + 2 * n + 1, 1);
    if (!p->memory)
        return LG_NO_MEMORY;
    p->deal = d;
    p->mode = mode;
    p->waits = p->memory;
    p->owner = p->waits + alternatives;
    p->ways = p->owner + alternatives;
    p->user_start = p->ways + n;
    p->user = p->user_start + n + 2;
    p->tray = p->user + edges;
    p->gone = (uint8_t *)(p->tray + d->faces);
    p->hidden = p->gone + n;
    for (size_t t = 0; t < n; t++) {
        p->gone[t] = d->removed && d->removed[t];
        p->hidden[t] = !p->gone[t] && hidden && hidden[t];
        p->left += !p->gone[t];
    }
    for (size_t t = 0; t < n; t++)
        for (int a = d->alt_start[t]; a < d->alt_start[t + 1]; a++) {
            p->owner[a] = (int32_t)t;
            for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++) {
                p->waits[a] += !p->gone[d->blk[k]];
                p->user_start[d->blk[k] + 2]++;
            }
            p->ways[t] += !p->waits[a];
        }
    for (size_t t = 2; t <= n; t++)
        p->user_start[t] += p->user_start[t - 1];
    for (size_t a = 0; a < alternatives; a++)
        for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
            p->user[p->user_start[d->blk[k] + 1]++] = (int32_t)a;
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
    p->gone[tile] = 1;
    p->left--;
    for (int k = p->user_start[tile]; k < p->user_start[tile + 1]; k++)
        if (!--p->waits[p->user[k]])
            p->ways[p->owner[p->user[k]]]++;
}

static void put_back(lg_position *p, int tile)
{
    p->gone[tile] = 0;
    p->left++;
    for (int k = p->user_start[tile]; k < p->user_start[tile + 1]; k++)
        if (!p->waits[p->user[k]]++)
            p->ways[p->owner[p->user[k]]]--;
}

void lg_position_play(lg_position *p, lg_move m)
{
    int f = p->deal->face[m.tile];
    if (m.kind == LG_TURN) {
        p->hidden[m.tile] = 0;
        return;
    }
    take(p, m.tile);
    if (m.kind == LG_PAIR) {
        take(p, m.mate);
        return;
    }
    p->load++;
    if (++p->tray[f] == p->deal->group) {
        p->load -= p->tray[f];
        p->tray[f] = 0;
    }
}

void lg_position_undo(lg_position *p, lg_move m, int tray_before)
{
    int f = p->deal->face[m.tile];
    if (m.kind == LG_TURN) {
        p->hidden[m.tile] = 1;
        return;
    }
    if (m.kind == LG_PAIR)
        put_back(p, m.mate);
    put_back(p, m.tile);
    p->load += tray_before - p->tray[f];
    p->tray[f] = tray_before;
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
    int empty = d->cap - p->load;
    for (int t = 0; t < d->n; t++) {
        if (p->gone[t] || !p->ways[t])
            continue;
        if (p->mode == LG_PICK || p->hidden[t]) {
            if (p->mode == LG_FLIP)
                at = say(p, at, LG_TURN, t, -1);
            else if (empty >= 1)
                at = say(p, at, LG_PICK, t, -1);
            continue;
        }
        for (int mate = 0; mate < t && empty >= 2; mate++)
            if (!p->gone[mate] && p->ways[mate] && !p->hidden[mate] && d->face[mate] == d->face[t])
                at = say(p, at, LG_PAIR, mate, t);
        if (empty >= 1 && p->tray[d->face[t]])
            at = say(p, at, LG_PICK, t, -1);
    }
    return at;
}
