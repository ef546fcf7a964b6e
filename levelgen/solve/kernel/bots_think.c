#include "bots_work.h"

#include <limits.h>

/* Of 1000 faces that may lie at a place not shown, how many have a mate that waits (or is open and shows). */
static int chance(const lg_bots *b, int waiting)
{
    const lg_position *p = &b->p;
    int64_t good = 0;
    if (!b->unseen_total)
        return 0;
    for (int f = 0; f < p->deal->faces; f++)
        if (waiting ? p->tray[f] > 0 : b->number[f] > 0)
            good += b->unseen[f];
    return (int)(good * 1000 / b->unseen_total);
}

/* What a lift is worth to somebody who does not know the face: what it may find, and what it opens. */
static int like_blind(lg_bots *b, lg_move m)
{
    const lg_position *p = &b->p;
    int opened = p->opened + lg_bots_opens(b, m) - 1;
    int hope = (chance(b, 1) * 60 + chance(b, 0) * 30) / 1000;
    return 2 * b->company + 4 * opened - 30 * p->load + hope - 60 - (p->load + 2 >= p->deal->cap ? 200 : 0);
}

/* Into `closure`: the tiles that go first when `tile` shall go, itself included, beside those that are there. */
static int dig(lg_bots *b, int tile)
{
    const lg_word *must = b->must + (size_t)tile * (size_t)b->words;
    int more = !lg_has(b->closure, tile);
    for (int i = 0; i < b->words; i++)
        more += lg_count_word(must[i] & b->here[i] & ~b->closure[i]);
    return more;
}

/* The cheapest way to complete a face: its tiles, and those on top of them, into `closure`. What it is worth, or -1 when
 * the tray does not take it. */
static int worth(lg_bots *b, int f)
{
    const lg_position *p = &b->p;
    const lg_deal *d = p->deal;
    int needs = d->group - p->tray[f], net = 0, weight = 0, t;
    lg_clear(b->closure, b->words);
    for (int k = 0; k < needs; k++) {
        int least = INT_MAX, chosen = -1;
        for (int i = b->of_start[f]; i < b->of_start[f + 1]; i++) {
            if (p->gone[b->of[i]] || !lg_known(b, b->of[i]) || lg_has(b->closure, b->of[i]))
                continue;
            int more = dig(b, b->of[i]) * 64 - (b->burden[b->of[i]] > 63 ? 63 : b->burden[b->of[i]]);
            if (more < least) {
                least = more;
                chosen = b->of[i];
            }
        }
        if (chosen < 0)
            return -1;
        const lg_word *must = b->must + (size_t)chosen * (size_t)b->words;
        for (int i = 0; i < b->words; i++)
            b->closure[i] |= must[i] & b->here[i];
        lg_add(b->closure, chosen);
    }
    LG_EACH(t, b->closure, b->words)
    {
        weight += b->burden[t];
        net += d->face[t] != f && lg_known(b, t);
    }
    if (p->load + net + needs > d->cap)
        return -1;
    return 150 - 25 * net - 8 * needs + (weight > 60 ? 60 : weight);
}

/* Into `promise`: what the best group is worth that each tile belongs to. */
static void promise(lg_bots *b)
{
    const lg_position *p = &b->p;
    int t;
    lg_clear(b->here, b->words);
    for (t = 0; t < p->deal->n; t++) {
        b->promise[t] = 0;
        if (!p->gone[t])
            lg_add(b->here, t);
    }
    for (int f = 0; f < p->deal->faces; f++) {
        int value = b->rest[f] ? worth(b, f) : -1;
        if (value > 0)
            LG_EACH(t, b->closure, b->words)
                if (b->promise[t] < value)
                    b->promise[t] = value;
    }
}

/* How good the best move after this one looks. */
static int follow(lg_bots *b, lg_move m)
{
    lg_step step = lg_position_play(&b->p, m);
    int best = -1000;
    lg_bots_consider(b);
    for (int i = 0; i < b->choices; i++) {
        if (b->choice[i].kind == LG_PICK && !lg_known(b, b->choice[i].tile))
            continue;
        int value = lg_bots_liking(b, b->choice[i]);
        best = value > best ? value : best;
    }
    lg_position_undo(&b->p, step);
    return best;
}

/* What an expert knows about couples: which cost nothing, and which doom the copies that stay. */
static int judge(lg_bots *b, lg_move m)
{
    const lg_position *p = &b->p;
    int f = p->deal->face[m.tile], rest = b->rest[f], first = -1, second = -1;
    if (m.kind != LG_PAIR)
        return rest == 2 ? 40 : 0;
    int value = 2 * (b->burden[m.tile] + b->burden[m.mate]);
    if (rest == 2 || (rest == 4 && b->number[f] == 4))
        return value + 60; /* costs nothing */
    for (int i = b->of_start[f]; i < b->of_start[f + 1]; i++) {
        int t = b->of[i];
        if (p->gone[t] || t == m.tile || t == m.mate || !lg_known(b, t))
            continue;
        second = first;
        first = t;
    }
    if (rest == 4 && second >= 0 && !p->tray[f])
        if (lg_has(b->must + (size_t)first * (size_t)b->words, second) || lg_has(b->must + (size_t)second * (size_t)b->words, first))
            return value - 2000; /* one of the last two lies under the other */
    return value;
}

static int plan(lg_bots *b, lg_move m, int bot)
{
    int value = 0;
    if (b->p.mode == LG_PICK)
        return b->promise[m.tile] + b->burden[m.tile] / 2;
    if (bot == LG_BOT_EXPERT)
        value = judge(b, m);
    return value;
}

lg_move lg_bots_think(lg_bots *b, int bot, lg_rng *rng)
{
    int best = INT_MIN, chosen = 0, plans = bot != LG_BOT_ONE_PLY;
    uint32_t ties = 0;
    lg_bots_consider(b);
    if (!b->choices)
        return (lg_move){-1, -1, -1};
    if (b->p.mode == LG_PICK) {
        lg_bots_sort(b);
        if (plans)
            promise(b);
    }
    int many = b->choices;
    lg_move options[256];
    many = many > 256 ? 256 : many;
    for (int i = 0; i < many; i++)
        options[i] = b->choice[i];
    for (int i = 0; i < many; i++) {
        lg_move m = options[i];
        int clear = m.kind != LG_PICK || lg_known(b, m.tile);
        int value = clear ? lg_bots_liking(b, m) : like_blind(b, m);
        if (plans && clear && m.kind != LG_TURN)
            value += plan(b, m, bot);
        if (plans && clear && m.kind == LG_PAIR) {
            value += follow(b, m);
            lg_bots_sort(b);
        }
        if (value > best) {
            best = value;
            ties = 0;
        }
        if (value == best && !lg_rng_below(rng, ++ties))
            chosen = i;
    }
    return options[chosen];
}
