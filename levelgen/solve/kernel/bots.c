#include "bots_work.h"

#include <stdlib.h>

#define ROUNDS 64 /* of widening `must`; what is missed after so many, bots do not know */

/* Tiles that every alternative of `tile` waits for, and all that those wait for in turn. */
static int widen(lg_bots *b, int tile)
{
    const lg_deal *d = b->p.deal;
    lg_word *must = b->must + (size_t)tile * (size_t)b->words;
    for (int a = d->alt_start[tile]; a < d->alt_start[tile + 1]; a++) {
        lg_clear(b->closure, b->words);
        for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
            if (!b->p.gone[d->blk[k]]) {
                lg_add(b->closure, d->blk[k]);
                lg_join(b->closure, b->must + (size_t)d->blk[k] * (size_t)b->words, b->words);
            }
        for (int i = 0; i < b->words; i++)
            b->best[i] = a == d->alt_start[tile] ? b->closure[i] : b->best[i] & b->closure[i];
    }
    if (lg_same(must, b->best, b->words))
        return 0;
    lg_copy(must, b->best, b->words);
    return 1;
}

static void learn_layout(lg_bots *b)
{
    const lg_deal *d = b->p.deal;
    int changed = 1, waiting;
    for (int round = 0; changed && round < ROUNDS; round++) {
        changed = 0;
        for (int t = d->n - 1; t >= 0; t--) /* in canonical order what lies above comes later */
            changed |= widen(b, t);
    }
    for (int a = 0; a < d->alt_start[d->n]; a++)
        for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
            for (int i = d->blk_start[a]; i < d->blk_start[a + 1]; i++)
                lg_add(b->kin + (size_t)d->blk[k] * (size_t)b->words, d->blk[i]);
    for (int t = 0; t < d->n; t++) {
        b->burden[t] += b->p.user_start[t + 1] - b->p.user_start[t];
        LG_EACH(waiting, b->must + (size_t)t * (size_t)b->words, b->words)
            b->burden[waiting] += 4;
    }
}

static int sound(const lg_deal *d, const int32_t *lid_start, const int32_t *lid)
{
    if (!lid_start || lid_start[0] != 0)
        return 0;
    for (int t = 0; t < d->n; t++) {
        if (lid_start[t + 1] < lid_start[t] || (lid_start[t + 1] > lid_start[t] && !lid))
            return 0;
        for (int k = lid_start[t]; k < lid_start[t + 1]; k++)
            if (lid[k] < 0 || lid[k] >= d->n)
                return 0;
    }
    return 1;
}

static void show(lg_bots *b, int tile)
{
    if (b->seen[tile] || b->p.gone[tile] || b->p.hidden[tile] || (b->lids[tile] && !b->p.ways[tile]))
        return;
    b->seen[tile] = 1;
    b->unseen[b->p.deal->face[tile]]--;
    b->tally.unseen--;
}

/* Adds a face to the tally, or takes it out. */
static inline void count_face(lg_bots *b, int f, int sign)
{
    const lg_position *p = &b->p;
    int number = b->number[f], tray = p->tray[f], needs = p->deal->group - tray;
    if (!number)
        return;
    if (p->mode != LG_PICK)
        b->tally.company += number + tray >= 2 ? sign * (10 + number + tray) : 0;
    else if (needs > 0 && number >= needs)
        b->tally.clears[needs] += sign;
    else
        b->tally.company += sign * tray;
}

/* A face is ready or not, after its tiles have changed. */
static inline void settle(lg_bots *b, int f)
{
    const lg_position *p = &b->p;
    int number = b->number[f], at = b->ready_at[f], faces = p->deal->faces;
    int row = p->tray[f] < p->deal->group ? p->tray[f] : p->deal->group - 1;
    int wanted = p->mode == LG_PICK ? number > 0 : number > 0 && number + row >= 2;
    if (at >= 0) {
        int stands = at / faces, last = b->ready[stands * faces + b->tally.ready[stands] - 1];
        if (wanted && stands == row)
            return;
        b->tally.ready[stands]--;
        b->ready[at] = last;
        b->ready_at[last] = at;
        b->ready_at[f] = -1;
    }
    if (wanted) {
        b->ready_at[f] = row * faces + b->tally.ready[row]++;
        b->ready[b->ready_at[f]] = f;
    }
}

static inline void add_shown(lg_bots *b, int tile, int f)
{
    int at = b->of_start[f] + b->number[f]++;
    b->hand[at] = tile;
    b->at[tile] = at;
}

static inline void drop_shown(lg_bots *b, int tile, int f)
{
    int last = b->hand[b->of_start[f] + --b->number[f]];
    b->hand[b->at[tile]] = last;
    b->at[last] = b->at[tile];
}

static inline void add_down(lg_bots *b, int tile)
{
    b->at[tile] = b->tally.down;
    b->down[b->tally.down++] = tile;
}

static inline void drop_down(lg_bots *b, int tile)
{
    int last = b->down[--b->tally.down];
    b->down[b->at[tile]] = last;
    b->at[last] = b->at[tile];
}

/* A tile is open; or, with -1, is not any longer. */
static inline void open_up(lg_bots *b, int tile, int sign)
{
    int f = b->p.deal->face[tile];
    if (b->p.hidden[tile]) {
        if (sign > 0)
            add_down(b, tile);
        else
            drop_down(b, tile);
        return;
    }
    if (b->thinks)
        count_face(b, f, -1);
    if (sign > 0)
        add_shown(b, tile, f);
    else
        drop_shown(b, tile, f);
    if (b->thinks)
        count_face(b, f, 1);
    settle(b, f);
}

static void lay_out(lg_bots *b, const int32_t *lid_start, const int32_t *lid)
{
    const lg_deal *d = b->p.deal;
    for (int t = 0; t < d->n; t++) {
        b->of_start[d->face[t] + 1]++;
        for (int k = lid_start[t]; k < lid_start[t + 1]; k++) {
            b->under_start[lid[k] + 2]++;
            b->lids[t] += !b->p.gone[lid[k]];
        }
        if (!b->p.gone[t]) {
            b->rest[d->face[t]]++;
            b->unseen[d->face[t]]++;
            b->tally.unseen++;
        }
    }
    for (int f = 0; f < d->faces; f++) {
        b->of_start[f + 1] += b->of_start[f];
        b->rest[f] += b->p.tray[f];
        b->ready_at[f] = -1;
        b->worth[f] = b->of_start[f]; /* where the next tile of the face goes */
    }
    for (int t = 2; t <= d->n; t++)
        b->under_start[t] += b->under_start[t - 1];
    for (int t = 0; t < d->n; t++) {
        b->of[b->worth[d->face[t]]++] = t;
        for (int k = lid_start[t]; k < lid_start[t + 1]; k++)
            b->under[b->under_start[lid[k] + 1]++] = t;
    }
    for (int t = 0; t < d->n; t++)
        show(b, t);
    b->thinks = 1;
    for (int i = 0; i < b->p.opened; i++)
        open_up(b, b->p.open[i], 1);
}

lg_bots *lg_bots_new(const lg_deal *d, int32_t mode, const uint8_t *hidden, const int32_t *lid_start,
                     const int32_t *lid, int32_t *status)
{
    *status = LG_BAD_INPUT;
    if (lg_deal_check(d) || !sound(d, lid_start, lid))
        return NULL;
    lg_bots *b = calloc(1, sizeof *b);
    *status = b ? lg_position_make(&b->p, d, mode, hidden) : LG_NO_MEMORY;
    if (*status) {
        free(b);
        return NULL;
    }
    size_t n = (size_t)d->n, faces = (size_t)d->faces, words = LG_WORDS(n);
    size_t moves = 6 * n + 8; /* at most 3.5 n pairs, n matches, n lifts */
    size_t worths = moves > faces ? moves : faces, seeing = 4 * n + (4 + (size_t)d->group) * faces;
    size_t ints = 3 * n + faces + worths + n + 2 + (size_t)lid_start[n] + faces + 1 + n + n;
    size_t sets = (2 * n + 3) * words;
    b->noticing = seeing * sizeof(int32_t) + n;
    b->memory = calloc(sets * sizeof(lg_word) + moves * sizeof(lg_move) + ints * sizeof(int32_t) + b->noticing + 1, 1);
    b->start = malloc(b->p.changing + b->noticing + 1);
    if (!b->memory || !b->start) {
        lg_bots_free(b);
        *status = LG_NO_MEMORY;
        return NULL;
    }
    b->words = (int)words;
    b->must = b->memory;
    b->kin = b->must + n * words;
    b->closure = b->kin + n * words;
    b->best = b->closure + words;
    b->here = b->best + words;
    b->choice = (lg_move *)(b->here + words); /* six bytes each, a multiple of four of them */
    b->mark = (int32_t *)(b->choice + moves);
    b->opening = b->mark + n;
    b->promise = b->opening + n;
    b->base = b->promise + n;
    b->worth = b->base + faces;
    b->under_start = b->worth + worths;
    b->under = b->under_start + n + 2;
    b->of_start = b->under + lid_start[n];
    b->of = b->of_start + faces + 1;
    b->burden = b->of + n;
    b->lids = b->burden + n;
    b->hand = b->lids + n;
    b->at = b->hand + n;
    b->down = b->at + n;
    b->unseen = b->down + n;
    b->rest = b->unseen + faces;
    b->number = b->rest + faces;
    b->ready = b->number + faces;
    b->ready_at = b->ready + faces * (size_t)d->group;
    b->seen = (uint8_t *)(b->ready_at + faces);
    lay_out(b, lid_start, lid);
    learn_layout(b);
    b->start_left = b->p.left;
    b->start_load = b->p.load;
    b->start_opened = b->p.opened;
    b->start_tally = b->tally;
    memcpy(b->start, b->p.waits, b->p.changing);
    memcpy((char *)b->start + b->p.changing, b->lids, b->noticing);
    return b;
}

void lg_bots_free(lg_bots *b)
{
    if (!b)
        return;
    lg_position_free(&b->p);
    free(b->memory);
    free(b->start);
    free(b);
}

static void restart(lg_bots *b)
{
    b->p.left = b->start_left;
    b->p.load = b->start_load;
    b->p.opened = b->start_opened;
    b->tally = b->start_tally;
    memcpy(b->p.waits, b->start, b->p.changing);
    memcpy(b->lids, (char *)b->start + b->p.changing, b->noticing);
}

/* Plays a move; what it opens is in no hand yet. */
static lg_step leave(lg_bots *b, lg_move m)
{
    lg_position *p = &b->p;
    int f = p->deal->face[m.tile], hidden = p->hidden[m.tile];
    if (b->thinks)
        count_face(b, f, -1);
    if (hidden)
        drop_down(b, m.tile);
    else
        drop_shown(b, m.tile, f);
    if (m.kind == LG_PAIR)
        drop_shown(b, m.mate, f);
    lg_step step = lg_position_play(p, m);
    if (m.kind == LG_TURN)
        add_shown(b, m.tile, f);
    if (b->thinks)
        count_face(b, f, 1);
    settle(b, f);
    return step;
}

/* What the move opens without having shown before stays unknown to a mind that does not see it. */
static inline int in_hand(const lg_bots *b, int tile) { return b->p.hidden[tile] || lg_known(b, tile); }

lg_step lg_bots_try(lg_bots *b, lg_move m)
{
    lg_step step = leave(b, m);
    for (int i = 0; i < b->p.freshes; i++)
        if (in_hand(b, b->p.fresh[i]))
            open_up(b, b->p.fresh[i], 1);
    return step;
}

void lg_bots_take_back(lg_bots *b, lg_step step)
{
    lg_position *p = &b->p;
    lg_move m = step.move;
    int f = p->deal->face[m.tile];
    for (int i = p->freshes - 1; i >= 0; i--)
        if (in_hand(b, p->fresh[i]))
            open_up(b, p->fresh[i], -1);
    count_face(b, f, -1);
    if (m.kind == LG_TURN)
        drop_shown(b, m.tile, f);
    lg_position_undo(p, step);
    if (m.kind == LG_PAIR)
        add_shown(b, m.mate, f);
    if (step.hidden)
        add_down(b, m.tile);
    else
        add_shown(b, m.tile, f);
    count_face(b, f, 1);
    settle(b, f);
}

/* A tile has left: what it lay on may show now. */
static void lifted(lg_bots *b, int tile)
{
    for (int k = b->under_start[tile]; k < b->under_start[tile + 1]; k++) {
        b->lids[b->under[k]]--;
        show(b, b->under[k]);
    }
}

/* Plays a move of the game; what it shows is known from now on, by either mind. */
static void play(lg_bots *b, lg_move m)
{
    const lg_position *p = &b->p;
    int f = p->deal->face[m.tile], unknown = !b->seen[m.tile], before = p->tray[f];
    leave(b, m);
    for (int i = 0; i < p->freshes; i++) {
        if (b->watches)
            show(b, p->fresh[i]);
        open_up(b, p->fresh[i], 1);
    }
    if (!b->watches)
        return;
    if (unknown) {
        b->seen[m.tile] = 1;
        b->unseen[f]--;
        b->tally.unseen--;
    }
    if (m.kind == LG_TURN)
        return;
    if (m.kind == LG_PAIR) {
        b->rest[f] -= 2;
        lifted(b, m.mate);
    } else if (before + 1 == p->deal->group) {
        b->rest[f] -= p->deal->group;
    }
    lifted(b, m.tile);
}

/* An alternative is about to lose its last blocker. */
static inline void opens(lg_bots *b, int a)
{
    int owner = b->p.owner[a];
    if (b->p.ways[owner] || b->p.gone[owner] || b->mark[owner] == b->marks)
        return;
    b->mark[owner] = b->marks;
    b->opening[b->openings++] = owner;
}

static void opens_alone(lg_bots *b, int tile)
{
    const lg_position *p = &b->p;
    for (int a = p->bars[tile]; a >= 0; a = p->and_bars[a])
        opens(b, a);
}

/* Opens what waits for just these two. An alternative that names one of them twice waits for it twice. */
static void opens_together(lg_bots *b, int tile, int mate)
{
    const lg_position *p = &b->p;
    const lg_deal *d = p->deal;
    for (int k = p->user_start[tile]; k < p->user_start[tile + 1]; k++) {
        int a = p->user[k], waits = p->waits[a];
        for (int i = d->blk_start[a]; i < d->blk_start[a + 1]; i++)
            waits -= d->blk[i] == tile || d->blk[i] == mate;
        if (!waits)
            opens(b, a);
    }
}

int lg_bots_opens(lg_bots *b, lg_move m)
{
    b->openings = 0;
    b->marks++;
    if (m.kind == LG_TURN)
        return 0;
    opens_alone(b, m.tile);
    if (m.kind == LG_PAIR) {
        opens_alone(b, m.mate);
        if (lg_has(b->kin + (size_t)m.tile * (size_t)b->words, m.mate))
            opens_together(b, m.tile, m.mate);
    }
    return b->openings;
}

/* A number of an open face that one tile more or less shows. */
static void recount(lg_bots *b, int f, int change)
{
    count_face(b, f, -1);
    b->number[f] += change;
    count_face(b, f, 1);
}

static int weigh(const lg_bots *b, int opened, int load, int left)
{
    const lg_position *p = &b->p;
    if (!left && !load)
        return 1 << 20;
    if (p->mode != LG_PICK) {
        int value = 4 * opened - 30 * load + 2 * b->tally.company;
        return b->tally.company && load + 2 <= p->cap ? value : value - 1000;
    }
    int value = LG_OPEN * opened - 4 * load * load + 4 * b->tally.company, alive = 0;
    for (int needs = 1; needs <= p->deal->group; needs++)
        if (load + needs <= p->cap) {
            value += b->tally.clears[needs] * (40 - 10 * needs);
            alive += b->tally.clears[needs];
        }
    if (!alive && load + 2 > p->cap)
        value -= load < p->cap ? 500 : 1000;
    return value;
}

int lg_bots_taking(lg_bots *b, lg_move m, int opens)
{
    lg_position *p = &b->p;
    int group = p->deal->group, f = p->deal->face[m.tile], load = p->load, tray = p->tray[f], number = b->number[f];
    int pair = m.kind == LG_PAIR, picks = m.kind == LG_PICK, clears = picks && tray + 1 == group;
    count_face(b, f, -1);
    b->number[f] -= pair ? 2 : !p->hidden[m.tile]; /* a tile that lies face down is in no hand */
    p->tray[f] = clears ? 0 : tray + picks;
    count_face(b, f, 1);
    int value = weigh(b, p->opened + opens - 1 - pair, load + picks - (clears ? group : 0), p->left - 1 - pair);
    if (p->mode == LG_PICK)
        value += 20 * tray; /* what waits is finished first */
    count_face(b, f, -1);
    p->tray[f] = tray;
    b->number[f] = number;
    count_face(b, f, 1);
    return value;
}

int lg_bots_liking(lg_bots *b, lg_move m)
{
    const lg_position *p = &b->p;
    int opens = lg_bots_opens(b, m), known = 0;
    if (m.kind == LG_TURN)
        return 1 << 21; /* costs nothing */
    for (int i = 0; i < opens; i++) {
        int x = b->opening[i];
        if (!p->hidden[x] && lg_known(b, x)) {
            b->opening[known++] = x;
            recount(b, p->deal->face[x], 1);
        }
    }
    int value = lg_bots_taking(b, m, opens);
    while (known)
        recount(b, p->deal->face[b->opening[--known]], -1);
    return value;
}

static void choose_from(lg_bots *b, int kind, int tile, int mate)
{
    b->choice[b->choices++] = (lg_move){(int16_t)kind, (int16_t)tile, (int16_t)mate};
}

void lg_bots_consider(lg_bots *b)
{
    const lg_position *p = &b->p;
    int empty = p->cap - p->load, f;
    b->choices = 0;
    if (p->mode == LG_PICK) {
        for (int i = 0; i < p->opened && empty >= 1; i++)
            choose_from(b, LG_PICK, p->open[i], -1);
        return;
    }
    for (int i = 0; i < b->tally.down && (p->mode == LG_FLIP || empty >= 1); i++)
        choose_from(b, p->mode == LG_FLIP ? LG_TURN : LG_PICK, b->down[i], -1);
    LG_EACH_READY(f, b) {
        int wide = b->number[f] < LG_WIDTH ? b->number[f] : LG_WIDTH;
        const int32_t *hand = b->hand + b->of_start[f];
        for (int k = 0; k < wide; k++) {
            if (p->tray[f] && empty >= 1)
                choose_from(b, LG_PICK, hand[k], -1);
            for (int j = 0; j < k && empty >= 2; j++)
                choose_from(b, LG_PAIR, hand[j] < hand[k] ? hand[j] : hand[k], hand[j] < hand[k] ? hand[k] : hand[j]);
        }
    }
}

/* Slots that a move takes before anything clears. */
static int entering(lg_move m) { return m.kind == LG_PAIR ? 2 : m.kind != LG_TURN; }

static lg_move decide(lg_bots *b, const lg_player *player, lg_rng *rng)
{
    if (player->bot == LG_BOT_RANDOM || (player->mistakes && (int)lg_rng_below(rng, 1000) < player->mistakes))
        return lg_bots_any(b, rng);
    if (player->bot == LG_BOT_GREEDY)
        return lg_bots_greedy(b, rng);
    return lg_bots_think(b, player->bot, rng);
}

#define ENDLESS (1 << 20)

/* Plays one game; how many tiles it took, those beyond a full tray included. */
static int play_game(lg_bots *b, const lg_player *player, uint64_t seed, lg_game *game, lg_move *moves)
{
    lg_position *p = &b->p;
    lg_rng rng = lg_rng_of(seed);
    int plays_on = p->mode == LG_PICK && player->bot <= LG_BOT_GREEDY;
    restart(b);
    *game = (lg_game){-1, 0, 0};
    while (p->left) {
        if (plays_on && p->load >= p->cap) { /* before anything is drawn: a larger tray would see the same game */
            game->left = p->left;
            p->cap = ENDLESS;
        }
        lg_move m = decide(b, player, &rng);
        if (m.kind < 0)
            break;
        if (game->left < 0 && moves)
            moves[game->moves] = m;
        game->moves += game->left < 0;
        int load = p->load + entering(m);
        game->need = load > game->need ? load : game->need;
        play(b, m);
    }
    p->cap = p->deal->cap;
    game->left = game->left < 0 ? p->left : game->left;
    return b->start_left - p->left;
}

int64_t lg_bots_play(lg_bots *b, const lg_player *player, uint64_t seed, int32_t first, int32_t count, int64_t budget,
                     lg_game *games, lg_move *moves)
{
    if (player->bot < LG_BOT_RANDOM || player->bot > LG_BOT_EXPERT || player->mistakes < 0 || player->mistakes > 1000)
        return LG_BAD_INPUT;
    if (first < 0 || count < 0)
        return LG_BAD_INPUT;
    int i = 0;
    b->sees = player->sees != 0;
    b->thinks = player->bot > LG_BOT_GREEDY;
    b->watches = player->bot > LG_BOT_ONE_PLY || (b->thinks && !b->sees && b->p.mode != LG_PICK);
    while (i < count && (!i || budget > 0)) {
        uint64_t number = (uint64_t)first + (uint64_t)i;
        lg_move *line = moves ? moves + (size_t)i * 2 * (size_t)b->p.deal->n : NULL;
        budget -= play_game(b, player, lg_mix(seed + number * UINT64_C(0x9e3779b97f4a7c15)), games + i, line);
        i++;
    }
    return i;
}

/* Whether a move is one of the first `end` of position->moves. */
static int listed(const lg_position *p, int end, lg_move m)
{
    for (int i = 0; i < end; i++)
        if (p->moves[i].kind == m.kind && p->moves[i].tile == m.tile && p->moves[i].mate == m.mate)
            return 1;
    return 0;
}

int lg_bots_walk(lg_bots *b, const lg_move *moves, int32_t count, int32_t *load, int32_t *found, int32_t *safe,
                 int32_t *shown)
{
    lg_position *p = &b->p;
    b->thinks = b->watches = 1;
    restart(b);
    for (int i = 0; i < count; i++) {
        int end = lg_position_moves(p, 0);
        if (end < 0)
            return LG_NO_MEMORY;
        if (!listed(p, end, moves[i]))
            return LG_BAD_INPUT;
        found[i] = end;
        safe[i] = 0;
        shown[i] = p->left - b->tally.unseen;
        for (int k = 0; k < end && safe[i] < 2; k++) { /* of hundreds of copies there are too many moves to try them all */
            lg_step step = lg_position_play(p, p->moves[k]);
            safe[i] += !p->left || lg_position_can_move(p);
            lg_position_undo(p, step);
        }
        load[i] = p->load + entering(moves[i]);
        play(b, moves[i]);
    }
    return LG_SOLVED;
}

void lg_bots_depths(const lg_bots *b, int32_t *depth)
{
    const lg_deal *d = b->p.deal;
    for (int t = 0; t < d->n; t++)
        depth[t] = d->removed && d->removed[t] ? -1 : lg_count(b->must + (size_t)t * (size_t)b->words, b->words);
}
