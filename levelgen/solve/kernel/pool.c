#include "pool.h"

#include <stdlib.h>

static lg_word rank_of(const lg_pool *p, int words, uint32_t i) { return p->record[(size_t)i * (size_t)words + (size_t)words - 2]; }

/* The k-th smallest of n words, by Hoare's partition around the middle one. */
static lg_word kth(lg_word *v, uint32_t n, uint32_t k)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        lg_word pivot = v[low + (high - low) / 2];
        uint32_t i = low, j = high;
        for (;;) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i >= j)
                break;
            lg_word swap = v[i];
            v[i++] = v[j];
            v[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return v[k];
}

lg_word lg_pool_choose(const lg_pool *p, int words, uint32_t width)
{
    if (p->size <= width)
        return ~(lg_word)0;
    lg_word *ranks = malloc(p->size * sizeof *ranks);
    if (!ranks)
        return 0;
    for (uint32_t i = 0; i < p->size; i++)
        ranks[i] = rank_of(p, words, i);
    lg_word last = kth(ranks, p->size, width - 1);
    free(ranks);
    return last;
}

static void reindex(lg_pool *p, int words)
{
    memset(p->table, 0, p->slots * sizeof *p->table);
    for (uint32_t i = 0; i < p->size; i++) {
        uint32_t at = (uint32_t)rank_of(p, words, i) & (p->slots - 1);
        while (p->table[at])
            at = (at + 1) & (p->slots - 1);
        p->table[at] = i + 1;
    }
}

static int halve(lg_pool *p, int words, int *truncated)
{
    uint32_t kept = 0, half = p->size / 2;
    lg_word last = lg_pool_choose(p, words, half);
    if (!last)
        return 0;
    for (uint32_t i = 0; i < p->size && kept < half; i++)
        if (rank_of(p, words, i) <= last)
            memmove(p->record + (size_t)kept++ * (size_t)words, p->record + (size_t)i * (size_t)words,
                    (size_t)words * sizeof(lg_word));
    p->size = kept;
    *truncated = 1;
    reindex(p, words);
    return 1;
}

int lg_pool_grow(lg_pool *p, int words, lg_ledger *ledger, int *truncated)
{
    uint32_t slots = p->slots ? p->slots * 2 : 64;
    size_t records = (size_t)slots / 2 * (size_t)words * sizeof(lg_word), bytes = records + slots * sizeof(uint32_t);
    if (p->size >= 32 && (slots > UINT32_C(1) << 30 || ledger->used + bytes - p->bytes > ledger->cap))
        return halve(p, words, truncated);
    lg_word *record = realloc(p->record, records);
    if (record)
        p->record = record;
    uint32_t *table = malloc(slots * sizeof *table);
    if (!record || !table) {
        free(table);
        return 0;
    }
    free(p->table);
    p->table = table;
    p->slots = slots;
    ledger->used += bytes - p->bytes;
    p->bytes = bytes;
    reindex(p, words);
    return 1;
}

void lg_pool_free(lg_pool *p, lg_ledger *ledger)
{
    free(p->record);
    free(p->table);
    ledger->used -= p->bytes;
    memset(p, 0, sizeof *p);
}

uint32_t lg_links_add(lg_links *l, lg_word link, lg_ledger *ledger)
{
    if (l->size == l->room) {
        uint32_t room = l->room ? l->room + l->room / 2 : 1024;
        size_t more = (size_t)(room - l->room) * sizeof *l->link;
        if (room > UINT32_C(1) << 30 || ledger->used + more > ledger->cap)
            return LG_NO_LINK;
        lg_word *grown = realloc(l->link, room * sizeof *grown);
        if (!grown)
            return LG_NO_LINK;
        l->link = grown;
        l->room = room;
        ledger->used += more;
    }
    l->link[l->size] = link;
    return l->size++;
}
