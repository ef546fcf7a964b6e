#include "triples.h"

#include "pool.h"
#include "rng.h"
#include "side.h"

#include <stdlib.h>

/* The states one macro-move on. */
typedef struct {
    lg_word *set;
    int16_t *load, *tiles; /* the load there, and how many tiles the move plays */
    uint32_t *hash;
    int size, room;
} lg_kids;

/* What is known about the state being expanded. */
typedef struct {
    lg_word *rest, *enabled;           /* tiles left, and those of them that may be played */
    lg_word *closure, *chosen;         /* per candidate: it and what it waits for; per depth: the union so far */
    int32_t *candidate, *face_next;    /* candidates, chained by face */
    int32_t *face_head, *times;        /* per face: its first candidate; how often a closure holds it */
    int32_t *face_list, *touched;      /* the candidates of the face at hand; the faces with times above 0 */
    uint8_t *count;                    /* per face: its tiles played, modulo the group */
    int32_t pick[LG_MAX_GROUP];
    int face_size, room, load;         /* room: most tiles a macro-move may have */
    int32_t gain;                      /* the weight of all tiles played */
    lg_kids kids;
    void *memory;
} lg_scratch;

/* One run through the levels, and what it leaves. */
typedef struct {
    uint32_t width, won;
    uint64_t budget, nodes;
    int truncated;     /* some state was left out: running dry proves nothing */
    int full;          /* … because memory was spent: a wider beam would be no wider */
    lg_pool *level;
    lg_links links;
    lg_ledger ledger;  /* pools */
    lg_ledger link_ledger;
    lg_word *keep;     /* for evidence: the sets of all states that went on; NULL otherwise */
    uint32_t keep_room;
} lg_beam;

/* A score: these for the load and for each tile at hand, and the weight of every tile played. */
#define LG_LOAD_COSTS 40
#define LG_OPEN_GAINS 16

static lg_word lg_rank(int32_t score, uint32_t hash)
{
    return (lg_word)((uint32_t)score + (UINT32_C(1) << 31)) << 32 | hash;
}

static int32_t lg_score_of(lg_word rank) { return (int32_t)((uint32_t)(rank >> 32) - (UINT32_C(1) << 31)); }

static int lg_kids_grow(lg_kids *k, int words)
{
    int room = k->room ? k->room * 2 : 256;
    if (room > 1 << 22)
        return 0;
    lg_word *set = realloc(k->set, (size_t)room * (size_t)words * sizeof *set);
    if (set)
        k->set = set;
    int16_t *load = realloc(k->load, (size_t)room * sizeof *load);
    if (load)
        k->load = load;
    int16_t *tiles = realloc(k->tiles, (size_t)room * sizeof *tiles);
    if (tiles)
        k->tiles = tiles;
    uint32_t *hash = realloc(k->hash, (size_t)room * sizeof *hash);
    if (hash)
        k->hash = hash;
    if (!set || !load || !tiles || !hash)
        return 0;
    k->room = room;
    return 1;
}

#define LG_W 1
#define LG_NAME(x) x##_1
#include "triples_search.h"
#undef LG_W
#undef LG_NAME
#define LG_W 2
#define LG_NAME(x) x##_2
#include "triples_search.h"
#undef LG_W
#undef LG_NAME
#define LG_W 3
#define LG_NAME(x) x##_3
#include "triples_search.h"
#undef LG_W
#undef LG_NAME
#define LG_W 4
#define LG_NAME(x) x##_4
#include "triples_search.h"
#undef LG_W
#undef LG_NAME
#define LG_W 5
#define LG_NAME(x) x##_5
#include "triples_search.h"
#undef LG_W
#undef LG_NAME
#define LG_W 0
#define LG_NAME(x) x##_any
#include "triples_search.h"
#undef LG_W
#undef LG_NAME

static int scratch_make(lg_scratch *x, const lg_side *s)
{
    memset(x, 0, sizeof *x);
    size_t n = (size_t)s->n, w = (size_t)s->words, f = (size_t)s->faces;
    x->memory = calloc((2 * w + n * w + (LG_MAX_GROUP + 1) * w) * sizeof(lg_word) + (4 * n + 2 * f) * sizeof(int32_t) + f + 8, 1);
    if (!x->memory)
        return 0;
    lg_word *at = x->memory;
    x->rest = at, at += w;
    x->enabled = at, at += w;
    x->closure = at, at += n * w;
    x->chosen = at, at += (LG_MAX_GROUP + 1) * w;
    int32_t *ints = (int32_t *)at;
    x->candidate = ints, ints += n;
    x->face_next = ints, ints += n;
    x->face_list = ints, ints += n;
    x->touched = ints, ints += n;
    x->face_head = ints, ints += f;
    x->times = ints, ints += f;
    x->count = (uint8_t *)ints;
    return 1;
}

static void scratch_free(lg_scratch *x)
{
    free(x->memory);
    free(x->kids.set);
    free(x->kids.load);
    free(x->kids.tiles);
    free(x->kids.hash);
}

static int run_beam(const lg_side *s, lg_scratch *x, lg_beam *b)
{
    switch (s->words) {
    case 1:
        return beam_1(s, x, b);
    case 2:
        return beam_2(s, x, b);
    case 3:
        return beam_3(s, x, b);
    case 4:
        return beam_4(s, x, b);
    case 5:
        return beam_5(s, x, b);
    default:
        return beam_any(s, x, b);
    }
}

static int beam_make(lg_beam *b, const lg_side *s, uint32_t width, uint64_t budget, uint64_t memory)
{
    memset(b, 0, sizeof *b);
    b->width = width;
    b->budget = budget;
    b->ledger.cap = (size_t)(memory / 8 * 5);
    b->link_ledger.cap = (size_t)(memory / 8 * 3);
    b->level = calloc((size_t)s->n + 1, sizeof *b->level);
    return b->level != NULL;
}

static void beam_free(lg_beam *b, const lg_side *s)
{
    for (int i = 0; b->level && i <= s->n; i++)
        lg_pool_free(&b->level[i], &b->ledger);
    free(b->level);
    free(b->links.link);
    free(b->keep);
}

/* Walks the winning line of a run again, and writes its tiles in the deal's own order of play. 0: no memory. */
static int trace(const lg_side *s, lg_scratch *x, const lg_beam *b, int32_t *picks)
{
    lg_word done[LG_MAX_WORDS] = {0}, counts[LG_MAX_WORDS * 4 + 16], macro[LG_MAX_WORDS];
    uint32_t *ordinal = malloc(((size_t)s->n + 1) * sizeof *ordinal);
    int steps = 0, played = 0, tile;
    if (!ordinal)
        return 0;
    for (uint32_t at = b->won; at; at = (uint32_t)(b->links.link[at] >> 32))
        ordinal[steps++] = (uint32_t)b->links.link[at];
    lg_side_counts(s, counts);
    while (steps) {
        if (!expand_any(s, x, done, counts)) {
            free(ordinal);
            return 0;
        }
        const lg_word *kid = x->kids.set + (size_t)ordinal[--steps] * (size_t)s->words;
        for (int i = 0; i < s->words; i++)
            macro[i] = kid[i] & ~done[i];
        LG_EACH(tile, macro, s->words)
        {
            lg_side_play(s, counts, tile);
            picks[played++] = s->tile[tile];
        }
        lg_copy(done, kid, s->words);
    }
    for (tile = 0; tile < s->n; tile++) /* what is left once the game is decided */
        if (!lg_has(done, tile))
            picks[played++] = s->tile[tile];
    for (int i = 0, k = s->n - 1; s->backward && i < k; i++, k--) {
        int32_t swap = picks[i];
        picks[i] = picks[k];
        picks[k] = swap;
    }
    free(ordinal);
    return 1;
}

static int peak_of(const lg_deal *d, const int32_t *picks, int count)
{
    int load = 0, peak = 0;
    uint8_t waiting[LG_MAX_WORDS * 64 + 256] = {0};
    for (int f = 0; d->tray && f < d->faces; f++)
        load += waiting[f] = (uint8_t)d->tray[f];
    for (int i = 0; i < count; i++) {
        int f = d->face[picks[i]];
        if (++load > peak)
            peak = load;
        if (++waiting[f] == d->group) {
            load -= d->group;
            waiting[f] = 0;
        }
    }
    return peak;
}

static int waiting_in(const lg_deal *d)
{
    int sum = 0;
    for (int f = 0; d->tray && f < d->faces; f++)
        sum += d->tray[f];
    return sum;
}

/* Narrow beams find most lines there are; what they do not find is mostly a proof, which wants all the width at once. */
static uint32_t next_width(uint32_t width)
{
    return width < 512 ? width * 4 : width < UINT32_C(1) << 26 ? width * 16 : width;
}

/* Both sides in turn, every round with a wider beam, until one wins, one is exhausted, or the budget is. */
static int portfolio(const lg_deal *d, int cap, uint64_t budget, uint64_t memory, int32_t *picks, lg_answer *answer)
{
    lg_side side[2] = {{0}, {0}};
    lg_scratch x[2] = {{0}, {0}};
    int status = LG_SOLVED, full[2] = {0, 0};
    answer->picks = answer->peak = 0;
    for (int back = 0; back < 2 && status == LG_SOLVED; back++) {
        status = lg_side_make(&side[back], d, cap, back);
        if (status == LG_SOLVED && !scratch_make(&x[back], &side[back]))
            status = LG_NO_MEMORY;
    }
    if (status == LG_SOLVED && side[0].n && waiting_in(d) >= cap)
        status = LG_UNSOLVABLE;
    int searching = status == LG_SOLVED;
    if (searching)
        status = LG_UNDECIDED;
    for (uint32_t width = 8; searching; width = next_width(width)) {
        for (int back = 1; back >= 0 && searching; back--) {
            lg_beam b;
            if (full[back])
                continue;
            status = !beam_make(&b, &side[back], width, budget - answer->nodes, memory)
                         ? LG_NO_MEMORY
                         : run_beam(&side[back], &x[back], &b);
            if (status == LG_SOLVED) {
                if (trace(&side[back], &x[back], &b, picks))
                    answer->picks = side[back].n;
                else
                    status = LG_NO_MEMORY;
            }
            answer->nodes += b.nodes;
            full[back] = b.full;
            searching = status == LG_UNDECIDED && answer->nodes < budget;
            beam_free(&b, &side[back]);
        }
        searching = searching && !(full[0] && full[1]);
    }
    for (int back = 0; back < 2; back++) {
        scratch_free(&x[back]);
        lg_side_free(&side[back]);
    }
    answer->peak = peak_of(d, picks, answer->picks);
    return status;
}

static int prepare(const lg_deal *deal, lg_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->refuted = -1;
    return answer->status = lg_deal_check(deal);
}

int lg_triples_solve(const lg_deal *deal, uint64_t budget, uint64_t memory, int32_t *picks, lg_answer *answer)
{
    if (prepare(deal, answer))
        return answer->status;
    answer->status = portfolio(deal, deal->cap, budget, memory, picks, answer);
    if (answer->status == LG_UNSOLVABLE)
        answer->refuted = deal->cap;
    return answer->status;
}

int lg_triples_minimum(const lg_deal *deal, uint64_t budget, uint64_t memory, int32_t *picks, lg_answer *answer)
{
    int open = 0; /* a smaller tray was left undecided */
    if (prepare(deal, answer))
        return answer->status;
    for (int cap = 1; cap <= deal->cap; cap++) {
        /* Half of what is left, so that an undecided tray leaves something for the next. */
        uint64_t share = cap < deal->cap ? (budget - answer->nodes) / 2 : budget - answer->nodes;
        uint64_t before = answer->nodes;
        int status = portfolio(deal, cap, before + share, memory, picks, answer);
        if (status == LG_UNSOLVABLE) {
            if (!open)
                answer->refuted = cap;
            if (cap == deal->cap)
                return answer->status = LG_UNSOLVABLE;
        } else if (status == LG_SOLVED) {
            return answer->status = open ? LG_UNDECIDED : LG_SOLVED;
        } else if (status == LG_UNDECIDED) {
            open = 1;
        } else {
            return answer->status = status;
        }
    }
    return answer->status = LG_UNDECIDED;
}

typedef struct {
    uint8_t *data;
    uint64_t size, room;
} lg_writer;

/* Seven bits a byte, low ones first, the high bit where more follow. */
static int write_number(lg_writer *w, uint64_t value)
{
    do {
        if (w->size == w->room)
            return 0;
        w->data[w->size++] = (uint8_t)((value & 127) | (value > 127 ? 128 : 0));
        value >>= 7;
    } while (value);
    return 1;
}

int64_t lg_triples_closed_set(const lg_deal *deal, int32_t backward, uint64_t memory, uint8_t *data, uint64_t size,
                              uint64_t *states)
{
    lg_side s;
    lg_scratch x = {0};
    lg_beam b = {0};
    lg_writer out = {data, 0, size};
    int64_t written = 0;
    *states = 0;
    if (lg_deal_check(deal))
        return LG_BAD_INPUT;
    int status = lg_side_make(&s, deal, deal->cap, backward);
    if (status == LG_SOLVED && backward && waiting_in(deal) >= deal->cap)
        status = LG_UNSOLVABLE; /* the tray is full from the start, which only the other side shows */
    if (status != LG_SOLVED) {
        lg_side_free(&s);
        return status == LG_UNSOLVABLE ? 0 : status;
    }
    const size_t w = (size_t)s.words;
    if (!scratch_make(&x, &s) || !beam_make(&b, &s, UINT32_MAX, UINT64_MAX, memory)) {
        written = LG_NO_MEMORY;
    } else {
        b.keep_room = (uint32_t)(memory / 4 / (w * sizeof(lg_word)));
        b.keep_room = b.keep_room ? b.keep_room : 1;
        b.keep = malloc(b.keep_room * w * sizeof(lg_word));
        status = b.keep ? run_beam(&s, &x, &b) : LG_NO_MEMORY;
        written = status < 0 ? status : 0;
    }
    if (status == LG_UNSOLVABLE) {
        int fits = write_number(&out, (uint64_t)(backward != 0));
        for (uint32_t i = 1; fits && i < b.links.size; i++) {
            uint32_t parent = (uint32_t)(b.links.link[i] >> 32);
            lg_word macro[LG_MAX_WORDS], named[LG_MAX_WORDS] = {0};
            int tile, last = 0;
            for (size_t k = 0; k < w; k++)
                macro[k] = b.keep[i * w + k] & ~b.keep[parent * w + k];
            LG_EACH(tile, macro, s.words)
                lg_add(named, s.tile[tile]);
            fits = fits && write_number(&out, i - parent) && write_number(&out, (uint64_t)lg_count(macro, s.words));
            LG_EACH(tile, named, LG_MAX_WORDS)
            {
                fits = fits && write_number(&out, (uint64_t)(tile - last));
                last = tile;
            }
        }
        written = fits ? (int64_t)out.size : 0;
        *states = fits ? b.links.size : 0;
    }
    beam_free(&b, &s);
    scratch_free(&x);
    lg_side_free(&s);
    return written;
}
