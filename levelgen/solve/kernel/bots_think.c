#include "bots_work.h"

#include <limits.h>

#define DEEP 6   /* so many choices of pairs are looked at a move further */
#define DANGER 3 /* so many in tray games, when no more slots are empty than this */

/* Of 1000 faces that may lie at a place not shown, how many have a mate that waits (or is open and shows). */
static int chance(const lg_bots *b, int waiting)
{
    const lg_position *p = &b->p;
    int64_t good = 0;
    if (!b->tally.unseen)
        return 0;
    for (int f = 0; f < p->deal->faces; f++)
        if (waiting ? p->tray[f] > 0 : b->number[f] > 0)
            good += b->unseen[f];
    return (int)(good * 1000 / b->tally.unseen);
}

/* What a lift is worth to somebody who does not know the face: what it may find, and what it opens. */
static int like_blind(lg_bots *b, lg_move m)
{
    const lg_position *p = &b->p;
    int opened = p->opened + lg_bots_opens(b, m) - 1;
    int hope = (chance(b, 1) * 60 + chance(b, 0) * 30) / 1000;
    return 2 * b->tally.company + 4 * opened - 30 * p->load + hope - 60 - (p->load + 2 >= p->cap ? 200 : 0);
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
static int group_worth(lg_bots *b, int f)
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
    if (p->load + net + needs > p->cap)
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
        int value = b->rest[f] ? group_worth(b, f) : -1;
        if (value > 0)
            LG_EACH(t, b->closure, b->words)
                if (b->promise[t] < value)
                    b->promise[t] = value;
    }
}

/* Whether the mind at play can think a move through: it must know the face that comes to light. */
static int clear(const lg_bots *b, lg_move m)
{
    return m.kind == LG_PAIR || (m.kind == LG_PICK && lg_known(b, m.tile));
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

/* How good the best move after this one looks. */
static int follow(lg_bots *b, lg_move m)
{
    lg_step step = lg_bots_try(b, m);
    int best = -1000, picks = b->p.mode == LG_PICK;
    lg_bots_consider(b);
    if (picks)
        promise(b);
    for (int i = 0; i < b->choices; i++) {
        if (b->choice[i].kind == LG_PICK && !lg_known(b, b->choice[i].tile))
            continue;
        int value = lg_bots_liking(b, b->choice[i]) + (picks ? b->promise[b->choice[i].tile] : 0);
        best = value > best ? value : best;
    }
    lg_bots_take_back(b, step);
    return best;
}

/* In the dark of tray games the tiles of a face differ in what they open only. */
static int is_dark(const lg_bots *b) { return b->p.mode == LG_PICK && !b->sees; }

/* What the tiles of a face are worth there, but for what they open. */
static int face_worth(lg_bots *b, int f)
{
    return lg_bots_taking(b, (lg_move){LG_PICK, (int16_t)b->hand[b->of_start[f]], -1}, 0);
}

/* One ply in the dark of tray games: one of the tiles that are worth most. Faces of which as many wait, and as many are
 * open or more than enough, are worth the same. */
static lg_move look_once(lg_bots *b, lg_rng *rng)
{
    const int32_t *sole = b->p.sole;
    int32_t *tied = b->opening;
    int best = INT_MIN, ties = 0, f, group = b->p.deal->group;
    int known[LG_MAX_GROUP + 2], tray = -1;
    if (b->p.load >= b->p.cap || !b->p.opened)
        return (lg_move){-1, -1, -1};
    LG_EACH_READY(f, b) {
        int number = b->number[f], enough = number > group ? group + 1 : number;
        if (b->p.tray[f] != tray)
            for (int i = 0; i < group + 2; i++)
                known[i] = INT_MIN;
        tray = b->p.tray[f];
        if (known[enough] == INT_MIN)
            known[enough] = face_worth(b, f);
        const int32_t *hand = b->hand + b->of_start[f];
        for (int k = number - 1; k >= 0; k--) {
            int worth = known[enough] + LG_OPEN * sole[hand[k]];
            ties = worth > best ? 0 : ties;
            best = worth > best ? worth : best;
            tied[ties] = hand[k];
            ties += worth == best;
        }
    }
    return (lg_move){LG_PICK, (int16_t)tied[lg_rng_below(rng, (uint32_t)ties)], -1};
}

/* What each choice is worth one move deep. */
static void look(lg_bots *b)
{
    int dark = is_dark(b), f;
    if (dark)
        LG_EACH_READY(f, b)
            b->base[f] = face_worth(b, f);
    for (int i = 0; i < b->choices; i++) {
        lg_move m = b->choice[i];
        if (m.kind == LG_PICK && !lg_known(b, m.tile))
            b->worth[i] = like_blind(b, m);
        else
            b->worth[i] = dark ? b->base[b->p.deal->face[m.tile]] + LG_OPEN * b->p.sole[m.tile] : lg_bots_liking(b, m);
    }
}

lg_move lg_bots_think(lg_bots *b, int bot, lg_rng *rng)
{
    int picks = b->p.mode == LG_PICK;
    if (bot == LG_BOT_ONE_PLY && is_dark(b))
        return look_once(b, rng);
    lg_bots_consider(b);
    look(b);
    if (bot == LG_BOT_ONE_PLY || !b->choices)
        return lg_bots_best(b, rng);
    if (picks)
        promise(b);
    for (int i = 0; i < b->choices; i++)
        if (picks)
            b->worth[i] += b->promise[b->choice[i].tile] + b->burden[b->choice[i].tile] / 2;
        else if (bot == LG_BOT_EXPERT && clear(b, b->choice[i]))
            b->worth[i] += judge(b, b->choice[i]);
    if (picks && (bot == LG_BOT_MACRO || b->p.cap - b->p.load > DANGER))
        return lg_bots_best(b, rng);
    int deep = 0;
    lg_move option[DEEP];
    int32_t worth[DEEP];
    while (deep < (picks ? DANGER : DEEP) && deep < b->choices) { /* the best few are looked at further */
        int at = 0;
        for (int i = 1; i < b->choices; i++)
            at = b->worth[i] > b->worth[at] ? i : at;
        option[deep] = b->choice[at];
        worth[deep++] = b->worth[at];
        b->worth[at] = INT_MIN;
    }
    for (int i = 0; i < deep; i++)
        if (clear(b, option[i]))
            worth[i] += follow(b, option[i]);
    b->choices = deep;
    for (int i = 0; i < deep; i++) {
        b->choice[i] = option[i];
        b->worth[i] = worth[i];
    }
    return lg_bots_best(b, rng);
}
