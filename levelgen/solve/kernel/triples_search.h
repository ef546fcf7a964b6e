/* The search itself, once per width. Included by triples.c with LG_W the number of words of a set (0: any number, taken
 * from the side) and LG_NAME(x) the width's own name for x; hence no include guard.
 *
 * A macro-move is the smallest set of tiles that ends in a step lightening the load: some tiles of one face and all
 * they wait for. Any winning line can be put into an order in which tiles are played only when the next such step needs
 * them, so macro-moves lose nothing, and a state without one is dead.
 */

#if LG_W
#define W LG_W
#define LG_ROOM LG_W
#else
#define W (s->words)
#define LG_ROOM LG_MAX_WORDS
#endif

static uint64_t LG_NAME(hash)(const lg_side *s, const lg_word *set)
{
    (void)s;
    uint64_t h = UINT64_C(0x2545f4914f6cdd1d);
    for (int i = 0; i < W; i++) {
        h = (h ^ set[i]) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    return lg_mix(h);
}

/* Whether what is left adds to the load only, up to what it is at the end: then it can be played as it comes. */
static int LG_NAME(decided)(const lg_side *s, const lg_word *done, const lg_word *counts)
{
    for (int f = 0; f < s->faces; f++) {
        const lg_word *mine = s->of_face + (size_t)f * W;
        int rest = 0;
        for (int i = 0; i < W; i++)
            rest += lg_count_word(mine[i] & ~done[i]);
        if (rest >= s->need[lg_side_count(counts, f)])
            return 0;
    }
    return 1;
}

static int LG_NAME(push)(lg_kids *kids, const lg_side *s, const lg_word *done, const lg_word *macro, int size, int load)
{
    if (kids->size == kids->room && !lg_kids_grow(kids, W))
        return 0;
    lg_word *set = kids->set + (size_t)kids->size * W;
    for (int i = 0; i < W; i++)
        set[i] = done[i] | macro[i];
    (void)s;
    kids->load[kids->size] = (int16_t)load;
    kids->tiles[kids->size++] = (int16_t)size;
    return 1;
}

/* Whether the closure of the tiles picked lets another face clear first, or passes over a better tile at hand. */
static int LG_NAME(refused)(const lg_side *s, lg_scratch *x, const lg_word *macro, int face, int picked, int size)
{
    for (int k = 0; k < picked; k++) {
        const lg_word *better = s->better + (size_t)x->pick[k] * W;
        lg_word left_out = 0;
        for (int i = 0; i < W; i++)
            left_out |= better[i] & x->enabled[i] & ~macro[i];
        if (left_out)
            return 1;
    }
    if (size == picked)
        return 0;
    int tile, seen = 0, bad = 0;
    LG_EACH(tile, macro, W)
    {
        int f = s->face[tile];
        x->touched[seen++] = f;
        bad |= ++x->times[f] > s->need[x->count[f]] - (f != face);
    }
    while (seen)
        x->times[x->touched[--seen]] = 0;
    return bad;
}

/* Every macro-move that picks `need` more tiles of `face` among its candidates from `from` on. Depth is below the group. */
static int LG_NAME(combine)(const lg_side *s, lg_scratch *x, const lg_word *done, int face, int from, int need, int depth)
{
    const lg_word *so_far = x->chosen + (size_t)depth * W;
    lg_word *macro = x->chosen + (size_t)(depth + 1) * W;
    for (int i = from; i + need <= x->face_size; i++) {
        int c = x->face_list[i], size = 0;
        const lg_word *closure = x->closure + (size_t)c * W;
        for (int k = 0; k < W; k++) {
            macro[k] = so_far[k] | closure[k];
            size += lg_count_word(macro[k]);
        }
        if (size + need - 1 > x->room)
            continue;
        x->pick[depth] = x->candidate[c];
        if (need > 1) {
            if (!LG_NAME(combine)(s, x, done, face, i + 1, need - 1, depth + 1))
                return 0;
        } else if (!LG_NAME(refused)(s, x, macro, face, depth + 1, size)) {
            if (!LG_NAME(push)(&x->kids, s, done, macro, size, x->load + s->step * (size - 1) - s->fall))
                return 0;
        }
    }
    return 1;
}

/* The tiles that may be played now. Tiles are numbered along the side, so the lowest one left that nothing found so far
 * comes before is always free. */
static void LG_NAME(enable)(const lg_side *s, const lg_word *done, lg_word *rest, lg_word *enabled)
{
    lg_word held[LG_ROOM];
    lg_clear(held, W);
    for (int i = 0; i < W; i++) {
        rest[i] = s->full[i] & ~done[i];
        lg_word open = rest[i] & ~held[i];
        enabled[i] = 0;
        while (open) {
            int tile = i * 64 + lg_lowest(open);
            enabled[i] |= open & -open;
            lg_join(held, s->after + (size_t)tile * W, W);
            open = rest[i] & ~held[i] & ~enabled[i];
        }
    }
}

/* A move that loses nothing for this face, if one is known. -1: memory gave out, 1: found, 0: none.
 *  - All that is left of the face is at hand and can be played within the limit: afterwards the face weighs nothing.
 *  - Tiles at hand complete the group (or make the next step that lightens) and every other tile left of the face is
 *    no better than any of them: whatever the winning line plays instead, it may play these first. */
static int LG_NAME(safe)(const lg_side *s, lg_scratch *x, const lg_word *done, int face)
{
    const lg_word *mine = s->of_face + (size_t)face * W;
    lg_word here[LG_ROOM], rest[LG_ROOM], any = 0, held = 0, none = 0;
    for (int i = 0; i < W; i++) {
        rest[i] = mine[i] & x->rest[i];
        here[i] = mine[i] & x->enabled[i];
        any |= here[i];
        held |= rest[i] & ~here[i];
    }
    int count = x->count[face], need = s->need[count];
    if (!any || need > x->room)
        return 0;
    if (!held && s->end[face] == 0) {
        int load = x->load, peak = 0, left = lg_count(rest, W);
        for (int k = 0, c = count; k < left; k++) {
            load -= s->load[c];
            c = (c + 1) % s->group;
            load += s->load[c];
            peak = load > peak ? load : peak;
        }
        if (peak <= s->limit)
            return LG_NAME(push)(&x->kids, s, done, rest, left, load) ? 1 : -1;
    }
    int wanted = need == 1 ? 1 : s->group - count, found = 0, tile;
    lg_word best[LG_ROOM];
    lg_clear(best, W);
    LG_EACH(tile, here, W)
    {
        const lg_word *worse = s->worse + (size_t)tile * W;
        int rivals = 0;
        for (int i = 0; i < W; i++)
            rivals += lg_count_word(rest[i] & ~worse[i]);
        if (rivals < wanted && found < wanted) {
            found++;
            lg_add(best, tile);
        }
    }
    if (found < wanted)
        return 0;
    LG_EACH(tile, best, W)
    {
        const lg_word *worse = s->worse + (size_t)tile * W;
        for (int i = 0; i < W; i++)
            none |= rest[i] & ~worse[i] & ~best[i];
    }
    if (none)
        return 0;
    int load = x->load;
    for (int k = 0, c = count; k < wanted; k++) {
        load -= s->load[c];
        c = (c + 1) % s->group;
        load += s->load[c];
    }
    return LG_NAME(push)(&x->kids, s, done, best, wanted, load) ? 1 : -1;
}

/* The tiles whose closure fits into the room left, found from those at hand downwards; chained by face. */
static void LG_NAME(gather)(const lg_side *s, lg_scratch *x, const lg_word *done)
{
    int found = 0, tile;
    lg_word seen[LG_ROOM];
    lg_copy(seen, x->enabled, W);
    for (int f = 0; f < s->faces; f++)
        x->face_head[f] = -1;
    LG_EACH(tile, x->enabled, W)
    {
        lg_word *closure = x->closure + (size_t)found * W;
        lg_clear(closure, W);
        lg_add(closure, tile);
        x->candidate[found++] = tile;
    }
    for (int i = 0; x->room > 1 && i < found; i++) {
        const int32_t *at = s->next_list + s->next_start[x->candidate[i]];
        const int32_t *stop = s->next_list + s->next_start[x->candidate[i] + 1];
        for (; at < stop; at++) {
            if (lg_has(seen, *at))
                continue;
            lg_add(seen, *at);
            lg_word *closure = x->closure + (size_t)found * W;
            const lg_word *before = s->before + (size_t)*at * W;
            int size = 1;
            for (int k = 0; k < W; k++) {
                closure[k] = before[k] & ~done[k];
                size += lg_count_word(closure[k]);
            }
            if (size > x->room)
                continue;
            lg_add(closure, *at);
            x->candidate[found++] = *at;
        }
    }
    for (int i = 0; i < found; i++) {
        int f = s->face[x->candidate[i]];
        x->face_next[i] = x->face_head[f];
        x->face_head[f] = i;
    }
}

/* All states one macro-move after `done` into x->kids: one only where a move is known to lose nothing. 0: no memory. */
static int LG_NAME(expand)(const lg_side *s, lg_scratch *x, const lg_word *done, const lg_word *counts)
{
    x->kids.size = 0;
    x->load = 0;
    for (int f = 0; f < s->faces; f++) {
        x->count[f] = (uint8_t)lg_side_count(counts, f);
        x->load += s->load[x->count[f]];
    }
    LG_NAME(enable)(s, done, x->rest, x->enabled);
    if (x->load > s->limit)
        return 1;
    x->room = (s->limit - x->load) / s->step + 1;
    for (int f = 0; f < s->faces; f++) {
        int safe = LG_NAME(safe)(s, x, done, f);
        if (safe)
            return safe > 0;
    }
    LG_NAME(gather)(s, x, done);
    lg_clear(x->chosen, W);
    for (int f = 0; f < s->faces; f++) {
        int need = s->need[x->count[f]];
        if (need > x->room || x->face_head[f] < 0)
            continue;
        x->face_size = 0;
        for (int i = x->face_head[f]; i >= 0; i = x->face_next[i]) {
            int at = x->face_size++; /* ascending, so that what a closure holds of its face stands before it */
            for (; at && x->candidate[x->face_list[at - 1]] > x->candidate[i]; at--)
                x->face_list[at] = x->face_list[at - 1];
            x->face_list[at] = i;
        }
        if (!LG_NAME(combine)(s, x, done, f, 0, need, 0))
            return 0;
    }
    return 1;
}

/* How promising the state `done`, one `macro` after x's, looks; lower is better. Little load and many tiles at hand are
 * good, but what decides on deep boards is to work where most lies below: see lg_side.weight. */
static int32_t LG_NAME(score)(const lg_side *s, lg_scratch *x, const lg_word *macro, const lg_word *done, int load)
{
    lg_word open[LG_ROOM];
    int tile;
    for (int i = 0; i < W; i++)
        open[i] = x->enabled[i] & ~done[i];
    LG_EACH(tile, macro, W)
        for (int k = s->next_start[tile]; k < s->next_start[tile + 1]; k++) {
            const lg_word *needs = s->before + (size_t)s->next_list[k] * W;
            lg_word missing = 0;
            for (int i = 0; i < W; i++)
                missing |= needs[i] & ~done[i];
            if (!missing)
                lg_add(open, s->next_list[k]);
        }
    for (int i = 0; i < W; i++)
        open[i] &= ~done[i];
    int32_t gain = x->gain;
    LG_EACH(tile, macro, W)
        gain += s->weight[tile];
    return LG_LOAD_COSTS * load - LG_OPEN_GAINS * lg_count(open, W) - gain;
}

/* Puts a state into its level's pool, unless it is there. 0: no memory. */
static int LG_NAME(add)(const lg_side *s, lg_scratch *x, lg_beam *b, int level, const lg_word *before,
                        const lg_word *counts, int kid, uint32_t parent)
{
    const int A = s->count_words, size = W + A + 2;
    lg_pool *p = &b->level[level];
    const lg_word *done = x->kids.set + (size_t)kid * W;
    uint32_t h = x->kids.hash[kid], at;
    if (p->size * 2 >= p->slots && !lg_pool_grow(p, size, &b->ledger, &b->full))
        return 0;
    for (at = h & (p->slots - 1); p->table[at]; at = (at + 1) & (p->slots - 1)) {
        const lg_word *there = p->record + (size_t)(p->table[at] - 1) * (size_t)size;
        if ((uint32_t)there[W + A] == h && lg_same(there, done, W))
            return 1;
    }
    lg_word *mine = p->record + (size_t)p->size * (size_t)size, macro[LG_ROOM];
    lg_copy(mine, done, W);
    lg_copy(mine + W, counts, A);
    for (int i = 0; i < W; i++)
        macro[i] = done[i] & ~before[i];
    int tile;
    LG_EACH(tile, macro, W)
        lg_side_play(s, mine + W, tile);
    int32_t score = LG_NAME(score)(s, x, macro, done, x->kids.load[kid]);
    mine[W + A] = lg_rank(score, h);
    mine[W + A + 1] = (lg_word)parent << 32 | (uint32_t)kid;
    p->table[at] = ++p->size;
    return 1;
}

/* Level by level in tiles played; of each level the `width` most promising states go on. When none was ever left out,
 * running dry proves that the level cannot be won. */
static int LG_NAME(beam)(const lg_side *s, lg_scratch *x, lg_beam *b)
{
    const int A = s->count_words, size = W + A + 2;
    lg_word done[LG_ROOM] = {0}, counts[LG_MAX_WORDS * 4 + 16];
    lg_side_counts(s, counts);
    LG_NAME(enable)(s, done, x->rest, x->enabled);
    x->gain = x->kids.size = 0;
    if (!LG_NAME(push)(&x->kids, s, done, done, 0, 0))
        return LG_NO_MEMORY;
    x->kids.hash[0] = (uint32_t)LG_NAME(hash)(s, done);
    if (!LG_NAME(add)(s, x, b, 0, done, counts, 0, 0))
        return LG_NO_MEMORY;
    for (int level = 0; level <= s->n; level++) {
        lg_pool *p = &b->level[level];
        lg_word last = lg_pool_choose(p, size, b->width);
        if (!last)
            return LG_NO_MEMORY;
        b->truncated |= last != ~(lg_word)0;
        for (uint32_t i = 0; i < p->size; i++) {
            const lg_word *mine = p->record + (size_t)i * (size_t)size;
            if (mine[W + A] > last)
                continue;
            uint32_t me = lg_links_add(&b->links, mine[W + A + 1], &b->link_ledger);
            if (s->n - level <= s->tail && LG_NAME(decided)(s, mine, mine + W)) {
                b->won = me;
                b->full |= me == LG_NO_LINK; /* won, but memory ran out before the line could be kept */
                return me == LG_NO_LINK ? LG_UNDECIDED : LG_SOLVED;
            }
            if (b->keep) { /* evidence: every state counts, or there is none */
                if (me >= b->keep_room || b->full)
                    return LG_UNDECIDED;
                lg_copy(b->keep + (size_t)me * W, mine, W);
            }
            if (b->nodes >= b->budget)
                return LG_UNDECIDED;
            if (!LG_NAME(expand)(s, x, mine, mine + W)) { /* millions of moves at once */
                b->full = 1;
                return LG_UNDECIDED;
            }
            b->nodes += 1 + (uint64_t)x->kids.size;
            x->gain = LG_LOAD_COSTS * x->load - LG_OPEN_GAINS * lg_count(x->enabled, W) - lg_score_of(mine[W + A]);
            for (int k = 0; k < x->kids.size; k++) { /* the tables are larger than the caches: ask for them early */
                uint32_t h = x->kids.hash[k] = (uint32_t)LG_NAME(hash)(s, x->kids.set + (size_t)k * W);
                const lg_pool *to = &b->level[level + x->kids.tiles[k]];
                if (to->slots)
                    __builtin_prefetch(to->table + (h & (to->slots - 1)));
            }
            for (int k = 0; k < x->kids.size; k++) {
                const lg_pool *to = &b->level[level + x->kids.tiles[k]];
                uint32_t there = to->slots ? to->table[x->kids.hash[k] & (to->slots - 1)] : 0;
                if (there)
                    __builtin_prefetch(to->record + (size_t)(there - 1) * (size_t)size);
            }
            for (int k = 0; k < x->kids.size; k++)
                if (!LG_NAME(add)(s, x, b, level + x->kids.tiles[k], mine, mine + W, k, me))
                    return LG_NO_MEMORY;
        }
        lg_pool_free(p, &b->ledger);
    }
    b->truncated |= b->full;
    return b->truncated ? LG_UNDECIDED : LG_UNSOLVABLE;
}

#undef W
#undef LG_ROOM
