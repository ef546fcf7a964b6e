/* The AND-OR search over states of knowledge.
 *
 * A state is the set of tiles gone, the faces shown of tiles turned over in place, and how many of each hidden face are
 * still hidden; what waits in the tray follows from parity. The player chooses the move, the board what a reveal shows.
 *
 * Each state is first asked the pairing question in one or two arrangements of what is hidden, face-down tiles leaving
 * alone as if the tray were endless: no pairing, no win. Its solution, if any, orders the moves. Moves that lose
 * nothing are played at once: a flip; a face hidden nowhere, all of it open, when it fits into the tray. Where nothing
 * is hidden and two slots are free, the pairing question is the whole question. */
#include "guess.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "pairs.h"
#include "rng.h"

enum { WIN = 1, LOSE = 2, OUT = 3, MAX_HIDDEN = 64, PLAIN = -2, WORLDS = 300, PER_WORLD = 16, MAX_CAP = 64 };
/* Nodes that the questions of pairing may cost: one of them, and all that a search asks, for each state and besides. */
enum { INNER_BUDGET = 200000, INNER_EACH = 1000, INNER_BESIDES = 50000, INNER_MEMORY = 1 << 20, MAX_MOVES = 1 << 20 };

typedef struct {
    int16_t a, b; /* b >= 0: a pair; -1: a lift, flip or match, whichever tile a allows; a == PLAIN: couples */
} play;

typedef struct {
    const lg_deal *deal;
    int flip, known;
    int32_t n, words, key_words, n_hidden, n_kinds;
    int32_t hidden_tile[MAX_HIDDEN], kind_face[MAX_HIDDEN];
    int32_t *hidden_index;           /* tile -> its place among the hidden ones, -1 when it never was */
    int32_t *kind_of;                /* face -> kind, -1 when none is hidden */
    lg_word *alts;                   /* alternative -> blockers */
    lg_word *stack;                  /* state after state, by depth */
    play *moves;
    int32_t n_moves;
    int32_t *face, *couples, *copies;
    int16_t *open;
    uint8_t *lone, *gone_bytes;
    /* memory of states */
    lg_word *keys;
    uint8_t *result;
    play *best;
    int32_t *number;                 /* in the strategy being written */
    uint64_t slots, used;
    uint64_t budget, inner; /* inner: nodes of pairing left */
    lg_guess_stats stats;
    uint8_t *bytes;
    int64_t at, cap;
    int32_t next_number;
} game;

static uint8_t *shown_of(const game *g, lg_word *state) { return (uint8_t *)(state + g->words); }
static uint8_t *left_of(const game *g, lg_word *state) { return shown_of(g, state) + g->n_hidden; }

static int is_hidden(const game *g, lg_word *state, int32_t tile)
{
    return g->hidden_index[tile] >= 0 && !shown_of(g, state)[g->hidden_index[tile]];
}

static int32_t face_at(const game *g, lg_word *state, int32_t tile)
{
    int32_t h = g->hidden_index[tile];
    return h < 0 || g->known ? g->deal->face[tile] : g->kind_face[shown_of(g, state)[h] - 1];
}

static int is_open(const game *g, const lg_word *gone, int32_t tile)
{
    for (int32_t a = g->deal->alt_start[tile]; a < g->deal->alt_start[tile + 1]; a++) {
        const lg_word *blockers = g->alts + (size_t)a * (size_t)g->words;
        int ok = 1;
        for (int32_t i = 0; i < g->words && ok; i++)
            ok = !(blockers[i] & ~gone[i]);
        if (ok)
            return 1;
    }
    return 0;
}

/* What of each face is still there, hidden ones included; odd means one waits. Returns the slots taken. */
static int32_t count_faces(game *g, lg_word *state)
{
    int32_t waiting = 0;
    memset(g->copies, 0, (size_t)(g->deal->faces + 1) * sizeof *g->copies);
    for (int32_t t = 0; t < g->n; t++)
        if (!lg_has(state, t) && !is_hidden(g, state, t))
            g->copies[face_at(g, state, t)]++;
    for (int32_t k = 0; k < g->n_kinds; k++)
        g->copies[g->kind_face[k]] += left_of(g, state)[k];
    for (int32_t f = 0; f < g->deal->faces; f++)
        waiting += g->copies[f] & 1;
    return waiting;
}

/* One arrangement of what is hidden, in g->face; `turn` rotates it. */
static void arrange_world(game *g, lg_word *state, int32_t turn)
{
    int32_t pool[MAX_HIDDEN], size = 0, next = 0;
    for (int32_t k = 0; k < g->n_kinds; k++)
        for (int32_t c = left_of(g, state)[k]; c > 0; c--)
            pool[size++] = g->kind_face[k];
    for (int32_t t = 0; t < g->n; t++) {
        if (!is_hidden(g, state, t) || g->known)
            g->face[t] = lg_has(state, t) ? 0 : face_at(g, state, t);
        else if (!lg_has(state, t))
            g->face[t] = pool[(next++ + turn) % size];
    }
}

/* The pairing question for g->face; `relaxed`: hidden tiles leave alone. */
static int32_t ask_pairing(game *g, lg_word *state, int relaxed, lg_pairs_stats *stats, uint8_t *proof, int64_t cap)
{
    lg_deal deal = *g->deal;
    int32_t waiting[2 * MAX_CAP], n_waiting = 0, status = LG_NO_MEMORY;
    uint64_t budget = g->inner < INNER_BUDGET ? g->inner : INNER_BUDGET;
    if (!budget)
        return LG_UNDECIDED;
    count_faces(g, state);
    for (int32_t f = 0; f < deal.faces && n_waiting < 2 * MAX_CAP; f++)
        if (g->copies[f] & 1)
            waiting[n_waiting++] = f;
    for (int32_t t = 0; t < g->n; t++) {
        g->gone_bytes[t] = (uint8_t)lg_has(state, t);
        g->lone[t] = (uint8_t)(relaxed && !lg_has(state, t) && is_hidden(g, state, t));
    }
    deal.removed = g->gone_bytes;
    lg_pairs *board = lg_pairs_new(&deal);
    if (board) {
        status = lg_pairs_solve(board, g->face, g->lone, n_waiting, waiting, budget, proof ? 1 << 24 : INNER_MEMORY, 1,
                                g->couples, proof, cap, stats);
        g->inner -= stats->spent < budget ? stats->spent : budget;
    }
    lg_pairs_free(board);
    return status;
}

static uint64_t hash(const game *g, const lg_word *state)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < g->key_words; i++)
        h = lg_mix(h ^ (state[i] + UINT64_C(0x9e3779b97f4a7c15)));
    return h;
}

static uint64_t find(const game *g, const lg_word *state)
{
    uint64_t slot = hash(g, state) % g->slots;
    while (g->result[slot] && memcmp(g->keys + slot * (size_t)g->key_words, state, (size_t)g->key_words * 8) != 0)
        slot = slot + 1 == g->slots ? 0 : slot + 1;
    return slot;
}

static int remember(game *g, const lg_word *state, int result, play best)
{
    uint64_t slot = find(g, state);
    if (!g->result[slot]) {
        if (g->used + g->used / 4 + 2 > g->slots)
            return OUT;
        g->used++;
        memcpy(g->keys + slot * (size_t)g->key_words, state, (size_t)g->key_words * 8);
    }
    g->result[slot] = (uint8_t)result;
    g->best[slot] = best;
    return result;
}

static lg_word *child_of(game *g, const lg_word *state, play move)
{
    lg_word *child = g->stack + (state - g->stack) + g->key_words;
    memcpy(child, state, (size_t)g->key_words * 8);
    if (move.b >= 0)
        lg_add(child, move.b);
    if (move.b >= 0 || !g->flip || !is_hidden(g, child, move.a))
        lg_add(child, move.a);
    return child;
}

/* Kind k lies at the revealed tile. */
static void reveal(const game *g, lg_word *child, int32_t tile, int32_t k)
{
    left_of(g, child)[k]--;
    if (g->flip)
        shown_of(g, child)[g->hidden_index[tile]] = (uint8_t)(k + 1);
}

/* Whether kind k may be what tile shows. */
static int possible(const game *g, lg_word *state, int32_t tile, int32_t k)
{
    return g->known ? g->kind_of[g->deal->face[tile]] == k : left_of(g, state)[k] > 0;
}

static void add_move(game *g, int32_t a, int32_t b)
{
    if (g->n_moves < MAX_MOVES)
        g->moves[g->n_moves++] = (play){(int16_t)a, (int16_t)b};
}

/* The moves of a state, best first, from g->moves[first] on. 1: the first of them loses nothing, try no other. */
static int list_moves(game *g, lg_word *state, int32_t taken, int32_t first, const int32_t *order)
{
    int32_t free_slots = g->deal->cap - taken, n_open = 0;
    int16_t *open = g->open;
    for (int32_t t = 0; t < g->n; t++)
        if (!lg_has(state, t) && is_open(g, state, t))
            open[n_open++] = (int16_t)t;
    g->n_moves = first;
    for (int32_t k = 0; k < n_open; k++)
        if (g->flip && is_hidden(g, state, open[k])) {
            add_move(g, open[k], -1);
            return 1;
        }
    for (int32_t k = 0; k < n_open; k++) {
        int32_t t = open[k];
        if (is_hidden(g, state, t))
            continue;
        int32_t f = face_at(g, state, t), seen = 1, mate = -1, earlier = 0;
        for (int32_t j = 0; j < n_open; j++)
            if (j != k && !is_hidden(g, state, open[j]) && face_at(g, state, open[j]) == f) {
                earlier |= j < k;
                mate = mate < 0 ? open[j] : mate;
                seen++;
            }
        if (earlier || seen != g->copies[f] || (g->kind_of[f] >= 0 && left_of(g, state)[g->kind_of[f]]))
            continue;
        int waits = g->copies[f] & 1;
        if (free_slots >= 2 - waits) {
            g->n_moves = first;
            add_move(g, t, waits ? -1 : mate);
            return 1;
        }
    }
    /* by weight: lifts with room to spare, what the pairing wants, matches, other pairs, lifts that fill the tray */
    for (int pass = 0; pass < 5; pass++)
        for (int32_t k = 0; k < n_open; k++) {
            int32_t t = open[k];
            if (is_hidden(g, state, t)) {
                if (free_slots >= 1 && pass == (free_slots > 2 ? 0 : 4))
                    add_move(g, t, -1);
                continue;
            }
            int32_t f = face_at(g, state, t);
            if ((g->copies[f] & 1) && free_slots >= 1 && pass == 2)
                add_move(g, t, -1);
            if (free_slots < 2 || (pass != 1 && pass != 3))
                continue;
            for (int32_t j = k + 1; j < n_open; j++) {
                if (is_hidden(g, state, open[j]) || face_at(g, state, open[j]) != f)
                    continue;
                if ((pass == 1) == (order && order[t] == open[j]))
                    add_move(g, t, open[j]);
            }
        }
    return 0;
}

static int search(game *g, lg_word *state, int32_t first)
{
    int32_t hidden = 0, tiles = 0;
    uint64_t slot = find(g, state);
    if (g->result[slot])
        return g->result[slot];
    for (int32_t i = 0; i < g->words; i++)
        tiles += lg_count_word(state[i]);
    if (tiles == g->n)
        return WIN;
    if (g->stats.nodes >= g->budget)
        return OUT;
    g->stats.nodes++;
    for (int32_t k = 0; k < g->n_kinds; k++)
        hidden += left_of(g, state)[k];
    int32_t taken = count_faces(g, state), *order = NULL, sure;
    play none = {-1, -1};
    if (taken > g->deal->cap)
        return remember(g, state, LOSE, none);
    sure = list_moves(g, state, taken, first, NULL);
    if (g->n_moves == first)
        return remember(g, state, LOSE, none);
    if (!sure) {
        for (int32_t turn = 0; turn < (hidden > 1 && !g->known ? 2 : 1); turn++) {
            lg_pairs_stats stats;
            arrange_world(g, state, turn * (hidden / 2));
            int32_t status = ask_pairing(g, state, !g->flip, &stats, NULL, 0);
            if (status == LG_UNSOLVABLE) {
                free(order);
                return remember(g, state, LOSE, none);
            }
            if (status != LG_SOLVED)
                continue;
            if (!hidden && taken + 2 <= g->deal->cap) /* one turn only: no order yet */
                return remember(g, state, WIN, (play){PLAIN, -1});
            if (!order)
                order = malloc((size_t)g->n * sizeof *order);
            if (!order)
                return OUT;
            for (int32_t t = 0; t < g->n; t++)
                order[t] = -1;
            for (int32_t k = 0; k < stats.pairs; k++) {
                int32_t a = g->couples[2 * k], b = g->couples[2 * k + 1];
                if (a < g->n && b < g->n) {
                    order[a] = b;
                    order[b] = a;
                }
            }
        }
        count_faces(g, state);
        list_moves(g, state, taken, first, order);
        free(order);
    }
    int32_t last = g->n_moves, result = last >= MAX_MOVES ? OUT : LOSE;
    for (int32_t m = first; m < last; m++) {
        play move = g->moves[m];
        int outcome = WIN;
        if (move.b < 0 && is_hidden(g, state, move.a)) {
            for (int32_t k = 0; k < g->n_kinds && outcome != LOSE; k++) {
                if (!possible(g, state, move.a, k))
                    continue;
                lg_word *child = child_of(g, state, move);
                reveal(g, child, move.a, k);
                int r = search(g, child, last);
                outcome = r == LOSE || outcome == WIN ? r : outcome;
            }
        } else {
            outcome = search(g, child_of(g, state, move), last);
        }
        if (outcome == WIN)
            return remember(g, state, WIN, move);
        if (outcome == OUT)
            result = OUT;
        if (sure)
            break;
    }
    return result == OUT ? OUT : remember(g, state, LOSE, none);
}

/* ------------------------------------------------------------------------------------------------ the strategy */

static void put(game *g, uint32_t number)
{
    do {
        if (g->at < g->cap)
            g->bytes[g->at] = (uint8_t)((number & 127) | (number > 127 ? 128 : 0));
        g->at++;
        number >>= 7;
    } while (number);
}

/* Writes the moves from here; a move is a + 1 and b + 1 (0 without b). 0, 0 ends; 0, r + 1 goes on as state r does. */
static void write_from(game *g, lg_word *state)
{
    for (;;) {
        int32_t tiles = 0;
        for (int32_t i = 0; i < g->words; i++)
            tiles += lg_count_word(state[i]);
        if (tiles == g->n || g->at > g->cap)
            break;
        uint64_t slot = find(g, state);
        if (g->number[slot]) {
            put(g, 0);
            put(g, (uint32_t)g->number[slot]);
            return;
        }
        play move = g->best[slot];
        if (move.a == PLAIN) {
            lg_pairs_stats stats;
            arrange_world(g, state, 0);
            if (ask_pairing(g, state, 0, &stats, NULL, 0) != LG_SOLVED)
                g->at = g->cap + 1;
            else
                for (int32_t k = 0; k < stats.pairs; k++) {
                    int32_t a = g->couples[2 * k], b = g->couples[2 * k + 1];
                    put(g, (uint32_t)(a < g->n ? a : b) + 1);
                    put(g, a < g->n && b < g->n ? (uint32_t)b + 1 : 0);
                }
            break;
        }
        put(g, (uint32_t)move.a + 1);
        put(g, (uint32_t)(move.b + 1));
        if (move.b < 0 && is_hidden(g, state, move.a)) {
            g->number[slot] = ++g->next_number;
            for (int32_t k = 0; k < g->n_kinds; k++) {
                if (!possible(g, state, move.a, k))
                    continue;
                lg_word *child = child_of(g, state, move);
                reveal(g, child, move.a, k);
                write_from(g, child);
            }
            return;
        }
        state = child_of(g, state, move);
    }
    put(g, 0);
    put(g, 0);
}

/* ------------------------------------------------------------------------------------------------ entry */

/* The next arrangement of the hidden faces in lexicographic order; 0 after the last. */
static int next_world(int32_t *pool, int32_t size)
{
    int32_t i = size - 2, j = size - 1;
    while (i >= 0 && pool[i] >= pool[i + 1])
        i--;
    if (i < 0)
        return 0;
    while (pool[j] <= pool[i])
        j--;
    int32_t x = pool[i];
    pool[i] = pool[j];
    pool[j] = x;
    for (int32_t a = i + 1, b = size - 1; a < b; a++, b--) {
        x = pool[a];
        pool[a] = pool[b];
        pool[b] = x;
    }
    return 1;
}

/* Every arrangement (up to a number) must have a pairing, lifts without limit; the first that has none, or 0. */
static int hopeless_world(game *g, lg_word *state, int32_t *arrangement)
{
    int32_t pool[MAX_HIDDEN], size = 0, next;
    for (int32_t k = 0; k < g->n_kinds; k++)
        for (int32_t c = left_of(g, state)[k]; c > 0; c--)
            pool[size++] = g->kind_face[k];
    uint64_t worlds = g->known ? 1 : 1 + g->budget / PER_WORLD;
    for (uint64_t world = 0; world < worlds && world < WORLDS; world++) {
        lg_pairs_stats stats;
        next = 0;
        arrange_world(g, state, 0);
        for (int32_t t = 0; t < g->n && !g->known; t++)
            if (!lg_has(state, t) && is_hidden(g, state, t))
                g->face[t] = pool[next++];
        if (ask_pairing(g, state, !g->flip, &stats, g->bytes, g->cap) == LG_UNSOLVABLE) {
            memcpy(arrangement, g->face, (size_t)g->n * sizeof *arrangement);
            g->stats.bytes = stats.proof_bytes;
            return 1;
        }
        if (!next_world(pool, size))
            break;
    }
    return 0;
}

static int fits(const lg_deal *deal, const uint8_t *face_down)
{
    int32_t hidden = 0;
    if (deal->n < 0 || deal->n > 4096 || deal->faces < 0 || deal->faces > 65536 || deal->cap < 1 || deal->cap > MAX_CAP ||
        lg_deal_check(deal) != 0)
        return 0;
    for (int32_t t = 0; t < deal->n; t++)
        hidden += face_down[t] && !(deal->removed && deal->removed[t]);
    return hidden <= MAX_HIDDEN;
}

int32_t lg_guess_solve(const lg_deal *deal, const uint8_t *face_down, int32_t flip, int32_t known, uint64_t budget,
                       uint64_t memory, uint8_t *bytes, int64_t cap, int32_t *arrangement, lg_guess_stats *stats)
{
    game G = {0}, *g = &G;
    int32_t status = LG_NO_MEMORY;
    if (!fits(deal, face_down))
        return LG_BAD_INPUT;
    size_t n = (size_t)deal->n, alts = (size_t)deal->alt_start[deal->n];
    g->deal = deal;
    g->flip = flip != 0;
    g->known = known != 0;
    g->n = deal->n;
    g->words = LG_WORDS(deal->n) + (deal->n == 0);
    g->budget = budget;
    g->inner = INNER_BESIDES + (budget < UINT32_MAX ? budget : UINT32_MAX) * INNER_EACH;
    g->bytes = bytes;
    g->cap = cap;
    g->stats.bytes = -1;
    g->hidden_index = malloc((n + 1) * sizeof *g->hidden_index);
    g->kind_of = malloc(((size_t)deal->faces + 1) * sizeof *g->kind_of);
    g->alts = calloc((alts + 1) * (size_t)g->words, sizeof *g->alts);
    g->moves = malloc(MAX_MOVES * sizeof *g->moves);
    g->face = calloc(n + 1, sizeof *g->face);
    g->couples = calloc(n + 2 * MAX_CAP + 2, sizeof *g->couples);
    g->copies = calloc((size_t)deal->faces + 1, sizeof *g->copies);
    g->open = calloc(n + 1, sizeof *g->open);
    g->lone = calloc(n + 1, 1);
    g->gone_bytes = calloc(n + 1, 1);
    if (!g->hidden_index || !g->kind_of || !g->alts || !g->moves || !g->face || !g->couples || !g->copies || !g->open || !g->lone ||
        !g->gone_bytes)
        goto done;
    for (int32_t f = 0; f < deal->faces; f++)
        g->kind_of[f] = -1;
    for (int32_t t = 0; t < g->n; t++) {
        g->hidden_index[t] = -1;
        if (!face_down[t] || (deal->removed && deal->removed[t]))
            continue;
        g->hidden_index[t] = g->n_hidden;
        g->hidden_tile[g->n_hidden++] = t;
        g->kind_of[deal->face[t]] = 0;
    }
    for (int32_t f = 0; f < deal->faces; f++)
        if (g->kind_of[f] == 0) {
            g->kind_face[g->n_kinds] = f;
            g->kind_of[f] = g->n_kinds++;
        }
    for (size_t a = 0; a < alts; a++)
        for (int32_t k = deal->blk_start[a]; k < deal->blk_start[a + 1]; k++)
            lg_add(g->alts + a * (size_t)g->words, deal->blk[k]);
    g->key_words = g->words + (g->n_hidden + g->n_kinds + 7) / 8;
    g->slots = memory / ((size_t)g->key_words * 8 + 1 + sizeof(play) + 4);
    g->slots = g->slots < 64 ? 64 : g->slots;
    g->keys = malloc(g->slots * (size_t)g->key_words * 8);
    g->result = calloc(g->slots, 1);
    g->best = malloc(g->slots * sizeof *g->best);
    g->number = calloc(g->slots, sizeof *g->number);
    g->stack = calloc((2 * n + 8) * (size_t)g->key_words, 8);
    if (!g->keys || !g->result || !g->best || !g->number || !g->stack)
        goto done;
    for (int32_t t = 0; t < g->n; t++)
        if (deal->removed && deal->removed[t])
            lg_add(g->stack, t);
    for (int32_t h = 0; h < g->n_hidden; h++)
        left_of(g, g->stack)[g->kind_of[deal->face[g->hidden_tile[h]]]]++;
    /* the tray must be what parity says */
    count_faces(g, g->stack);
    status = 0;
    for (int32_t f = 0; f < deal->faces; f++)
        if ((g->copies[f] & 1) != (deal->tray ? deal->tray[f] : 0))
            status = LG_BAD_INPUT;
    if (status)
        goto done;
    if (hopeless_world(g, g->stack, arrangement)) {
        g->stats.world = 1;
        status = LG_UNSOLVABLE;
        goto done;
    }
    int found = search(g, g->stack, 0);
    g->stats.states = g->used;
    status = found == WIN ? LG_SOLVED : found == LOSE ? LG_UNSOLVABLE : LG_UNDECIDED;
    if (found == WIN) {
        g->inner = UINT64_MAX; /* what is written was answered once */
        write_from(g, g->stack);
        g->stats.bytes = g->at <= g->cap ? g->at : -1;
    }
done:
    if (stats)
        *stats = g->stats;
    free(g->hidden_index);
    free(g->kind_of);
    free(g->alts);
    free(g->moves);
    free(g->face);
    free(g->couples);
    free(g->copies);
    free(g->open);
    free(g->lone);
    free(g->gone_bytes);
    free(g->keys);
    free(g->result);
    free(g->best);
    free(g->number);
    free(g->stack);
    return status;
}
