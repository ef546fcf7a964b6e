#include "side.h"

#include <stdlib.h>

int lg_deal_check(const lg_deal *d)
{
    if (!d || d->n < 0 || d->n > LG_MAX_WORDS * 64 || d->faces < 0 || d->faces > d->n + 255 || d->group < 2 || d->group > LG_MAX_GROUP)
        return LG_BAD_INPUT;
    if (d->cap < 1 || d->cap > 255 || !d->alt_start || !d->blk_start || (d->n && !d->face))
        return LG_BAD_INPUT;
    if (d->alt_start[0] != 0 || d->blk_start[0] != 0)
        return LG_BAD_INPUT;
    for (int t = 0; t < d->n; t++) {
        if (d->face[t] < 0 || d->face[t] >= d->faces || d->alt_start[t + 1] <= d->alt_start[t])
            return LG_BAD_INPUT;
        for (int a = d->alt_start[t]; a < d->alt_start[t + 1]; a++) {
            if (d->blk_start[a + 1] < d->blk_start[a] || (d->blk_start[a + 1] > d->blk_start[a] && !d->blk))
                return LG_BAD_INPUT;
            for (int k = d->blk_start[a]; k < d->blk_start[a + 1]; k++)
                if (d->blk[k] < 0 || d->blk[k] >= d->n)
                    return LG_BAD_INPUT;
        }
    }
    for (int f = 0; d->tray && f < d->faces; f++)
        if (d->tray[f] < 0 || d->tray[f] > 255)
            return LG_BAD_INPUT;
    return 0;
}

static int gone(const lg_deal *d, int tile) { return d->removed && d->removed[tile]; }

/* Numbers the tiles left so that every tile comes after its blockers; how many could be numbered. `number` has one
 * entry a tile, -1 for tiles gone; `waits` is room for n counts, `tile` for n names. Quadratic where it must be. */
static int number_tiles(const lg_deal *d, int32_t *tile, int32_t *number)
{
    int found = 0, first = 0;
    for (int t = 0; t < d->n; t++)
        number[t] = -1;
    do { /* one round a layer: what waits for earlier rounds only */
        first = found;
        for (int t = 0; t < d->n; t++) {
            int ready = number[t] < 0 && !gone(d, t);
            for (int k = d->blk_start[d->alt_start[t]]; ready && k < d->blk_start[d->alt_start[t] + 1]; k++) {
                int b = d->blk[k];
                ready = gone(d, b) || (number[b] >= 0 && number[b] < first);
            }
            if (ready) {
                number[t] = found;
                tile[found++] = t;
            }
        }
    } while (found > first);
    return found;
}

static lg_word *take_words(lg_word **at, size_t count)
{
    lg_word *mine = *at;
    *at += count;
    return mine;
}

static void order_of_play(lg_side *s, const lg_deal *d, const int32_t *number)
{
    const int W = s->words;
    int other;
    for (int i = 0; i < s->n; i++) { /* s->next holds, for now, what each tile waits for directly */
        int t = s->tile[i];
        for (int k = d->blk_start[d->alt_start[t]]; k < d->blk_start[d->alt_start[t] + 1]; k++) {
            if (gone(d, d->blk[k]))
                continue;
            int b = number[d->blk[k]];
            lg_add(s->next + (size_t)(s->backward ? b : i) * W, s->backward ? i : b);
        }
    }
    for (int i = 0; i < s->n; i++) {
        lg_word *mine = s->before + (size_t)i * W, *direct = s->next + (size_t)i * W;
        LG_EACH(other, direct, W)
            lg_join(mine, s->before + (size_t)other * W, W);
        for (int v = 0; v < W; v++) { /* what is reached through another blocker is not direct */
            direct[v] &= ~mine[v];
            mine[v] |= direct[v];
        }
        LG_EACH(other, mine, W)
            lg_add(s->after + (size_t)other * W, i);
    }
}

/* Turns s->next from "waits directly for" into "comes directly after", as lists and as sets. */
static void list_followers(lg_side *s, lg_word *row)
{
    const int W = s->words;
    int other, edges = 0;
    for (int i = 0; i < s->n; i++)
        LG_EACH(other, s->next + (size_t)i * W, W)
            s->next_start[other + 1]++;
    for (int i = 0; i < s->n; i++)
        s->next_start[i + 1] += s->next_start[i];
    for (int i = 0; i < s->n; i++)
        LG_EACH(other, s->next + (size_t)i * W, W)
            s->next_list[s->next_start[other]++] = i;
    for (int i = s->n; i > 0; i--)
        s->next_start[i] = s->next_start[i - 1];
    s->next_start[0] = 0;
    for (int i = 0; i < s->n; i++) {
        lg_clear(row, W);
        edges = s->next_start[i + 1];
        for (int k = s->next_start[i]; k < edges; k++)
            lg_add(row, s->next_list[k]);
        lg_copy(s->next + (size_t)i * W, row, W);
    }
}

static void compare_tiles(lg_side *s)
{
    const int W = s->words;
    int a, b;
    for (a = 0; a < s->n; a++) {
        const lg_word *face = s->of_face + (size_t)s->face[a] * W;
        LG_EACH(b, face, W)
            if (lg_inside(s->next + (size_t)b * W, s->after + (size_t)a * W, W))
                lg_add(s->worse + (size_t)a * W, b);
    }
    for (a = 0; a < s->n; a++)
        LG_EACH(b, s->worse + (size_t)a * W, W)
            if (a != b && (s->tile[a] < s->tile[b] || !lg_has(s->worse + (size_t)b * W, a)))
                lg_add(s->better + (size_t)b * W, a);
}

static void weigh_tiles(lg_side *s)
{
    for (int i = s->n - 1; i >= 0; i--) { /* the longest chain first; followers have higher numbers */
        for (int k = s->next_start[i]; k < s->next_start[i + 1]; k++)
            if (s->weight[s->next_list[k]] + 4 > s->weight[i])
                s->weight[i] = s->weight[s->next_list[k]] + 4;
    }
    for (int i = 0; i < s->n; i++)
        s->weight[i] += lg_count(s->after + (size_t)i * s->words, s->words);
}

static void weigh_counts(lg_side *s, int cap)
{
    const int g = s->group;
    s->limit = cap - 1;
    s->step = s->backward ? g - 1 : 1;
    s->fall = s->backward ? 1 : g - 1;
    for (int c = 0; c < g; c++) {
        s->load[c] = (uint8_t)(s->backward ? (g - c) % g : c);
        s->need[c] = (uint8_t)(s->backward ? (c ? 1 : 2) : g - c);
    }
}

int lg_side_make(lg_side *s, const lg_deal *d, int cap, int backward)
{
    memset(s, 0, sizeof *s);
    int left = 0, edges = 0;
    for (int t = 0; t < d->n; t++) {
        if (d->alt_start[t + 1] - d->alt_start[t] != 1)
            return LG_BAD_INPUT;
        left += !gone(d, t);
        edges += d->blk_start[d->alt_start[t] + 1] - d->blk_start[d->alt_start[t]];
    }
    for (int f = 0; f < d->faces; f++)
        if (d->tray && d->tray[f] >= d->group)
            return LG_BAD_INPUT;
    const int W = s->words = left ? LG_WORDS(left) : 1;
    s->n = left;
    s->faces = d->faces;
    s->group = d->group;
    s->backward = backward;
    s->count_words = d->faces ? (d->faces + LG_PER_WORD - 1) / LG_PER_WORD : 1;
    weigh_counts(s, cap);

    size_t sets = (size_t)(5 * left + d->faces + 2) * W;
    size_t ints = (size_t)left * 4 + 2 + (size_t)edges + (size_t)d->n * 2;
    size_t size = sets * sizeof(lg_word) + ints * sizeof(int32_t) + 2 * (size_t)d->faces + 16;
    s->memory = calloc(size, 1);
    if (!s->memory)
        return LG_NO_MEMORY;
    lg_word *at = s->memory;
    s->full = take_words(&at, W);
    lg_word *row = take_words(&at, W);
    s->of_face = take_words(&at, (size_t)d->faces * W);
    s->before = take_words(&at, (size_t)left * W);
    s->after = take_words(&at, (size_t)left * W);
    s->next = take_words(&at, (size_t)left * W);
    s->worse = take_words(&at, (size_t)left * W);
    s->better = take_words(&at, (size_t)left * W);
    int32_t *ints_at = (int32_t *)at;
    s->face = ints_at, ints_at += left;
    s->weight = ints_at, ints_at += left;
    s->next_start = ints_at, ints_at += left + 2;
    s->next_list = ints_at, ints_at += edges;
    s->tile = ints_at, ints_at += d->n;
    int32_t *number = ints_at;
    s->start = (uint8_t *)(ints_at + d->n);
    s->end = s->start + d->faces;

    if (number_tiles(d, s->tile, number) < left)
        return LG_UNSOLVABLE;
    if (backward) {
        for (int i = 0, k = left - 1; i < k; i++, k--) {
            int32_t t = s->tile[i];
            s->tile[i] = s->tile[k];
            s->tile[k] = t;
        }
        for (int i = 0; i < left; i++)
            number[s->tile[i]] = i;
    }
    for (int i = 0; i < left; i++) {
        s->face[i] = d->face[s->tile[i]];
        lg_add(s->full, i);
        lg_add(s->of_face + (size_t)s->face[i] * W, i);
    }
    order_of_play(s, d, number);
    list_followers(s, row);
    compare_tiles(s);
    weigh_tiles(s);
    for (int f = 0; f < d->faces; f++) {
        int waiting = d->tray ? d->tray[f] : 0, copies = lg_count(s->of_face + (size_t)f * W, W);
        if ((waiting + copies) % d->group)
            return LG_UNSOLVABLE;
        s->start[f] = (uint8_t)(backward ? 0 : waiting);
        s->end[f] = (uint8_t)(backward ? copies % d->group : 0);
        s->tail += backward && s->end[f] == 1;
    }
    return LG_SOLVED;
}

void lg_side_free(lg_side *s)
{
    free(s->memory);
    s->memory = NULL;
}

void lg_side_counts(const lg_side *s, lg_word *counts)
{
    lg_clear(counts, s->count_words);
    for (int f = 0; f < s->faces; f++)
        counts[f / LG_PER_WORD] |= (lg_word)s->start[f] << (f % LG_PER_WORD * 4);
}
