#include "deal.h"
#include "bits.h"
#include "rng.h"

#include <stdlib.h>
#include <string.h>

#define LANES 8 /* alternatives of a tile, a byte of a word each; a byte counts the blockers left, 126 at most */
#define ONES UINT64_C(0x0101010101010101)

/* The board as the dealer needs it, built once for many deals. An *entry* says that tile `holder` waits for `blocker` in
 * the alternatives `ways` (a bit each); entries lie together by holder. What follows from other gates is left out: a
 * blocker that another blocker of the same alternative waits for anyway. */
typedef struct {
    int32_t holder;
    uint32_t entry;
    uint64_t less; /* what the holder's counts lose when the blocker goes */
} follower;

typedef struct {
    int n, left, group, groups, listed, stuck, hopeless;
    uint64_t *counts, *counts_now;               /* per tile: blockers left, a byte for each alternative */
    follower *followers;                         /* those who wait for a tile, together by tile */
    int32_t *follow_start, *entry_start;         /* per tile */
    int32_t *blocker, *holder, *mirror;          /* per entry; mirror: the entry that says the opposite, or -1 */
    int32_t *tile;                               /* the tiles left */
    int32_t *pool, *in_order;                    /* the faces to deal, one a group; the same before shuffling */
    int32_t *held, *held_now;                    /* per tile: how many yet to be put down must come before it */
    int32_t *order, *place, *list;
    uint8_t *ways, *holding, *holding_now;       /* per entry; holding: counted in held */
    uint8_t *all, *alive;                        /* per tile: alternatives without tiles put down or bound to be */
    uint8_t *stage;                              /* per tile: 0 to come, 1 listed (forward) or its batch stands partly,
                                                    2 done with */
    void *memory;
} dealer;

static void list_add(dealer *b, int tile)
{
    b->place[tile] = b->listed;
    b->list[b->listed++] = tile;
}

static void list_drop(dealer *b, int tile)
{
    int at = b->place[tile], last = b->list[--b->listed];
    b->list[at] = last;
    b->place[last] = at;
    b->place[tile] = -1;
}

static int draw(dealer *b, lg_rng *rng)
{
    int tile = b->list[lg_rng_below(rng, (uint32_t)b->listed)];
    list_drop(b, tile);
    return tile;
}

static int open_somewhere(uint64_t counts) { return ((counts - ONES) & ~counts & (ONES << 7)) != 0; }

/* A game from the full board, b->order in order of play; `batch` tiles at a time, all open at once, drawn from all open
 * ones or from the `oldest` so many. 0: stuck. */
static int play_forward(dealer *b, int batch, int oldest, lg_rng *rng)
{
    int head = 0; /* b->list[head .. listed) are the open tiles, about as old as they stand early */
    memcpy(b->counts_now, b->counts, sizeof *b->counts * (size_t)b->n);
    memset(b->stage, 0, (size_t)b->n);
    b->listed = 0;
    for (int i = 0; i < b->left; i++)
        if (open_somewhere(b->counts[b->tile[i]])) {
            b->stage[b->tile[i]] = 1;
            b->list[b->listed++] = b->tile[i];
        }
    for (int played = 0; played < b->left; played += batch) {
        if (b->listed - head < batch)
            return 0;
        for (int k = 0; k < batch; k++) {
            int among = b->listed - head;
            int at = head + (int)lg_rng_below(rng, (uint32_t)(oldest && oldest < among ? oldest : among));
            b->order[played + k] = b->list[at];
            if (oldest)
                b->list[at] = b->list[head++];
            else
                b->list[at] = b->list[--b->listed];
        }
        for (int k = played; k < played + batch; k++) {
            const follower *stop = b->followers + b->follow_start[b->order[k] + 1];
            for (const follower *f = b->followers + b->follow_start[b->order[k]]; f < stop; f++) {
                uint64_t counts = b->counts_now[f->holder] -= f->less;
                int opens = open_somewhere(counts) & !b->stage[f->holder];
                b->stage[f->holder] |= (uint8_t)opens;
                b->list[b->listed] = f->holder; /* kept only if it opens: no branch to guess wrong */
                b->listed += opens;
            }
        }
    }
    return 1;
}

static void shut(dealer *b, int tile, int ways);

/* Whoever stands in all alternatives `tile` still has must come after it; and where `tile` stands in its way in turn,
 * it will find `tile` there. */
static void hold(dealer *b, int tile)
{
    for (int e = b->entry_start[tile]; e < b->entry_start[tile + 1]; e++) {
        int other = b->blocker[e];
        if (b->holding_now[e] || (b->alive[tile] & ~b->ways[e]))
            continue;
        b->holding_now[e] = 1;
        if (!b->held_now[other]++ && b->place[other] >= 0)
            list_drop(b, other);
        if (b->mirror[e] >= 0 && b->stage[tile] == 0 && b->stage[other] == 0)
            shut(b, other, b->ways[b->mirror[e]]);
    }
}

/* Alternatives `ways` of `tile` will not be free when it is put down. Calls nest at most once for each alternative. */
static void shut(dealer *b, int tile, int ways)
{
    int before = b->alive[tile];
    if (b->stage[tile] == 2 || !(before & ways))
        return;
    b->alive[tile] &= (uint8_t)~ways;
    if (b->alive[tile])
        hold(b, tile);
    else
        b->stuck = 1;
}

/* What holds before any tile is put down; every game starts from a copy. */
static void hold_from_start(dealer *b)
{
    memset(b->place, 255, sizeof *b->place * (size_t)b->n);
    memcpy(b->alive, b->all, (size_t)b->n);
    for (int i = 0; i < b->left; i++) {
        b->stuck |= !b->all[b->tile[i]];
        hold(b, b->tile[i]);
    }
    memcpy(b->all, b->alive, (size_t)b->n);
    memcpy(b->held, b->held_now, sizeof *b->held * (size_t)b->n);
    memcpy(b->holding, b->holding_now, (size_t)b->entry_start[b->n]);
    b->hopeless = b->stuck;
}

/* A game from the empty board, b->order in order of play. A tile is put down where it leaves every tile yet to come, and
 * those of its own batch, an alternative without tiles. 0: stuck. */
static int play_reverse(dealer *b, int batch, lg_rng *rng)
{
    memcpy(b->alive, b->all, (size_t)b->n);
    memcpy(b->held_now, b->held, sizeof *b->held * (size_t)b->n);
    memcpy(b->holding_now, b->holding, (size_t)b->entry_start[b->n]);
    memset(b->stage, 0, (size_t)b->n);
    memset(b->place, 255, sizeof *b->place * (size_t)b->n);
    b->listed = b->stuck = 0;
    for (int i = 0; i < b->left; i++)
        if (!b->held[b->tile[i]])
            list_add(b, b->tile[i]);
    for (int at = b->left; at > 0;) {
        for (int k = 0; k < batch; k++) {
            if (!b->listed || b->stuck)
                return 0;
            int tile = b->order[--at] = draw(b, rng);
            b->stage[tile] = 1;
            for (int u = b->follow_start[tile]; u < b->follow_start[tile + 1]; u++)
                shut(b, b->followers[u].holder, b->ways[b->followers[u].entry]);
        }
        for (int k = at; k < at + batch; k++) { /* the batch stands and may be buried */
            int tile = b->order[k];
            b->stage[tile] = 2;
            for (int e = b->entry_start[tile]; e < b->entry_start[tile + 1]; e++)
                if (b->holding_now[e] && !--b->held_now[b->blocker[e]] && b->stage[b->blocker[e]] == 0)
                    list_add(b, b->blocker[e]);
        }
    }
    return 1;
}

/* Equal items come together, in the order in which each first stands there. */
static void bring_together(int32_t *items, int count)
{
    for (int i = 0, next; i < count; i = next) {
        next = i + 1;
        for (int k = next; k < count; k++)
            if (items[k] == items[i]) {
                int32_t moved = items[next];
                items[next++] = items[k];
                items[k] = moved;
            }
    }
}

static void shuffle(int32_t *items, int count, lg_rng *rng)
{
    for (int i = count - 1; i > 0; i--) {
        int k = (int)lg_rng_below(rng, (uint32_t)i + 1);
        int32_t swap = items[i];
        items[i] = items[k];
        items[k] = swap;
    }
}

#define OPEN_AT_MOST 256 /* a tray has at most 255 slots */

/* Names the tiles of b->order so that the game clears with `slots` of tray: at each tile a group lying open goes on or a
 * new one is begun, by chance, as long as some open group can still be completed within the tray. */
static void name_interleaved(dealer *b, int slots, lg_rng *rng, int32_t *faces)
{
    int32_t face[OPEN_AT_MOST], need[OPEN_AT_MOST];
    int open = 0, load = 0, used = 0;
    for (int i = 0; i < b->left; i++) {
        uint64_t chance = lg_rng_next(rng);
        int least = b->group, next = used, pick = -1;
        for (int k = 0; k < open; k++)
            least = need[k] < least ? need[k] : least;
        if (used < b->groups && (!open || (chance & 1))) { /* a new group, of a face that does not lie open */
            for (int clash = 1; clash && next < b->groups; next += clash) {
                clash = 0;
                for (int k = 0; k < open; k++)
                    clash |= face[k] == b->pool[next];
            }
            int after = least < b->group - 1 ? least : b->group - 1;
            if (next < b->groups && load + 1 + after <= slots) {
                int32_t mine = b->pool[next];
                b->pool[next] = b->pool[used];
                b->pool[used++] = mine;
                face[open] = mine;
                need[open] = b->group;
                pick = open++;
            }
        }
        if (pick < 0) {
            pick = (int)(((chance >> 32) * (uint64_t)open) >> 32);
            int after = need[pick] - 1 < least ? need[pick] - 1 : least;
            if (need[pick] > 1 && load + 1 + after > slots) /* no room to dally: the group nearest to its end */
                for (int k = 0; k < open; k++)
                    pick = need[k] == least ? k : pick;
        }
        faces[b->order[i]] = face[pick];
        load++;
        if (!--need[pick]) {
            load -= b->group;
            face[pick] = face[--open];
            need[pick] = need[open];
        }
    }
}

static int32_t *take_ints(int32_t **at, size_t count)
{
    int32_t *mine = *at;
    *at += count;
    return mine;
}

/* The set of tiles that `tile` waits for in alternative `a`. */
static void alternative(const lg_deal *d, int a, lg_word *set, int words)
{
    lg_clear(set, words);
    for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
        if (!(d->removed && d->removed[d->blk[k]]))
            lg_add(set, d->blk[k]);
}

/* certain[t]: what tile t waits for in every alternative. 0 when tiles wait for one another in a circle of such. */
static int find_certain(dealer *b, const lg_deal *d, lg_word *certain, lg_word *row, int words)
{
    for (int t = 0; t < b->n; t++)
        for (int a = d->alt_start[t]; a < d->alt_start[t + 1]; a++) {
            lg_word *mine = certain + (size_t)t * (size_t)words;
            alternative(d, a, row, words);
            for (int i = 0; i < words; i++)
                mine[i] = a == d->alt_start[t] ? row[i] : mine[i] & row[i];
        }
    int gone = 0, more = 1;
    lg_clear(row, words);
    for (int t = 0; t < b->n; t++)
        if (d->removed && d->removed[t]) {
            lg_add(row, t);
            gone++;
        }
    while (more) {
        more = 0;
        for (int t = 0; t < b->n; t++)
            if (!lg_has(row, t) && lg_inside(certain + (size_t)t * (size_t)words, row, words)) {
                lg_add(row, t);
                gone++;
                more = 1;
            }
    }
    return gone == b->n;
}

/* The entries of one tile, from `entries` on; where they end. */
static int list_entries(dealer *b, const lg_deal *d, int tile, const lg_word *certain, lg_word *set, lg_word *implied,
                        int words, int entries)
{
    int first = entries, other;
    for (int way = 0; way < d->alt_start[tile + 1] - d->alt_start[tile]; way++) {
        alternative(d, d->alt_start[tile] + way, set, words);
        b->all[tile] |= (uint8_t)(lg_has(set, tile) ? 0 : 1 << way);
        lg_clear(implied, words);
        LG_EACH(other, set, words)
            lg_join(implied, certain + (size_t)other * (size_t)words, words);
        for (int i = 0; i < words; i++)
            set[i] &= ~implied[i];
        LG_EACH(other, set, words)
        {
            int e = first;
            while (e < entries && b->blocker[e] != other)
                e++;
            if (e == entries) {
                b->holder[e] = tile;
                b->blocker[e] = other;
                b->ways[e] = 0;
                entries++;
            }
            b->ways[e] |= (uint8_t)(1 << way);
            b->counts[tile] += UINT64_C(1) << way * 8;
        }
    }
    for (int way = d->alt_start[tile + 1] - d->alt_start[tile]; way < LANES; way++)
        b->counts[tile] |= UINT64_C(127) << way * 8; /* no alternative: never empty */
    return entries;
}

/* What follows from the entries: who follows whom, and what reverse play starts from. */
static void link_entries(dealer *b)
{
    int entries = b->entry_start[b->n];
    for (int e = 0; e < entries; e++)
        b->follow_start[b->blocker[e] + 2]++;
    for (int t = 2; t <= b->n; t++)
        b->follow_start[t] += b->follow_start[t - 1];
    for (int e = 0; e < entries; e++) {
        follower *f = b->followers + b->follow_start[b->blocker[e] + 1]++;
        f->holder = b->holder[e];
        f->entry = (uint32_t)e;
        for (int way = 0; way < LANES; way++)
            f->less |= (uint64_t)(b->ways[e] >> way & 1) << way * 8;
        b->mirror[e] = -1;
        for (int k = b->entry_start[b->blocker[e]]; k < b->entry_start[b->blocker[e] + 1]; k++)
            if (b->blocker[k] == b->holder[e])
                b->mirror[e] = k;
    }
}

/* 0, LG_NO_MEMORY, or LG_BAD_INPUT: faces in no whole groups, waiting tiles, more alternatives or blockers than fit. */
static int dealer_make(dealer *b, const lg_deal *d)
{
    memset(b, 0, sizeof *b);
    const int words = d->n ? LG_WORDS(d->n) : 1;
    size_t n = (size_t)d->n, ways = (size_t)d->alt_start[n], edges = (size_t)d->blk_start[ways], faces = (size_t)d->faces;
    for (size_t t = 0; t < n; t++)
        for (int a = d->alt_start[t]; a < d->alt_start[t + 1]; a++)
            if (a - d->alt_start[t] >= LANES || d->blk_start[a + 1] - d->blk_start[a] > 126)
                return LG_BAD_INPUT;
    size_t longs = 2 * n + (n + 2) * (size_t)words, ints = 10 * n + 5 + 3 * edges + faces;
    b->memory = calloc(longs * 8 + edges * sizeof *b->followers + ints * sizeof(int32_t) + 3 * (n + edges) + 8, 1);
    if (!b->memory)
        return LG_NO_MEMORY;
    b->n = d->n;
    b->group = d->group;
    b->counts = b->memory;
    b->counts_now = b->counts + n;
    lg_word *certain = b->counts_now + n, *row = certain + n * (size_t)words, *row2 = row + words;
    b->followers = (follower *)(row2 + words);
    int32_t *at = (int32_t *)(b->followers + edges);
    b->tile = take_ints(&at, n);
    b->pool = take_ints(&at, n);
    b->in_order = take_ints(&at, n);
    b->held = take_ints(&at, n);
    b->held_now = take_ints(&at, n);
    b->order = take_ints(&at, n);
    b->place = take_ints(&at, n);
    b->list = take_ints(&at, n + 1);
    b->follow_start = take_ints(&at, n + 2);
    b->entry_start = take_ints(&at, n + 1);
    b->blocker = take_ints(&at, edges);
    b->holder = take_ints(&at, edges);
    b->mirror = take_ints(&at, edges);
    int32_t *copies = take_ints(&at, faces);
    b->stage = (uint8_t *)at;
    b->all = b->stage + n;
    b->alive = b->all + n;
    b->ways = b->alive + n;
    b->holding = b->ways + edges;
    b->holding_now = b->holding + edges;

    b->stuck = !find_certain(b, d, certain, row, words);
    int entries = 0;
    for (int t = 0; t < b->n; t++) {
        b->entry_start[t] = entries;
        if (d->removed && d->removed[t])
            continue;
        b->tile[b->left++] = t;
        copies[d->face[t]]++;
        entries = list_entries(b, d, t, certain, row, row2, words, entries);
    }
    b->entry_start[b->n] = entries;
    link_entries(b);
    for (size_t f = 0; f < faces; f++) {
        if (copies[f] % d->group || (d->tray && d->tray[f]))
            return LG_BAD_INPUT;
        for (int k = 0; k < copies[f] / d->group; k++)
            b->in_order[b->groups++] = (int32_t)f;
    }
    hold_from_start(b);
    return 0;
}

int64_t lg_deal_faces(const lg_deal *d, int32_t style, int32_t slots, uint64_t seed, int32_t tries, int32_t count,
                      int32_t *faces, int32_t *order)
{
    dealer b;
    int64_t made = 0;
    if (lg_deal_check(d) || (slots && (slots < d->group || slots > d->cap)) || count < 0 || tries < 1)
        return LG_BAD_INPUT;
    if (style < LG_DEAL_FORWARD || style > LG_DEAL_ALIKE)
        return LG_BAD_INPUT;
    int status = dealer_make(&b, d), batch = slots ? 1 : d->group;
    int oldest = style == LG_DEAL_OLDEST || style == LG_DEAL_ALIKE ? 2 * d->group : 0;
    for (int i = 0; i < count && !status; i++) {
        int32_t *mine = faces + (size_t)i * (size_t)d->n;
        lg_rng rng = lg_rng_of(lg_mix(seed + (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15)));
        int done = 0;
        for (int k = 0; k < tries && !done && !b.hopeless; k++)
            done = style == LG_DEAL_REVERSE ? play_reverse(&b, batch, &rng) : play_forward(&b, batch, oldest, &rng);
        memcpy(mine, d->face, sizeof *mine * (size_t)d->n);
        if (!done) {
            if (d->n)
                mine[0] = -1;
            continue;
        }
        made++;
        if (order) {
            int32_t *game = order + (size_t)i * (size_t)d->n, last = b.left;
            memcpy(game, b.order, sizeof *game * (size_t)b.left);
            for (int32_t t = 0; t < d->n; t++)
                if (d->removed && d->removed[t])
                    game[last++] = t;
        }
        memcpy(b.pool, b.in_order, sizeof *b.pool * (size_t)b.groups); /* deal i depends on (seed, i) only */
        shuffle(b.pool, b.groups, &rng);
        if (style == LG_DEAL_ALIKE)
            bring_together(b.pool, b.groups);
        if (slots)
            name_interleaved(&b, slots, &rng, mine);
        else
            for (int k = 0; k < b.left; k++)
                mine[b.order[k]] = b.pool[k / b.group];
    }
    free(b.memory);
    return status ? status : made;
}
