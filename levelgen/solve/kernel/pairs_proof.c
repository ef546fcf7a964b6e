/* From the search's log to evidence.
 *
 * The lemmas are walked backwards from the empty one. Each that is needed is checked as a reader will check it: its
 * literals are struck, the lemmas before it propagate, and a group or the closure fails. What that failure rests on
 * is needed in turn; the rest of the log is dropped, and so are literals no failure rested on. Lemmas already needed
 * are tried before others. Encoding: see levelgen/evidence/refutation_tree.py. */
#include "pairs_learn.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    lg_learn *s;
    int64_t n_lemmas;
    int64_t *at;          /* lemma -> its place in the log */
    uint8_t *needed;
} trimmer;

static void undo_all(lg_learn *s)
{
    while (s->n_trail) {
        int32_t lit = s->trail[--s->n_trail], v = lit >> 1;
        s->value[v] = 0;
        if (!(lit & 1))
            continue;
        lg_learn_edges(s->w, v, 1);
        for (int k = 0; k < 2; k++)
            if (s->groups[2 * v + k] >= 0)
                s->left[s->groups[2 * v + k]]++;
    }
    s->head = s->depth = 0;
}

/* One pass over the lemmas before `end`; the conflict's size, or 0, and whether anything was assigned. */
static int32_t pass(trimmer *t, int64_t end, int only_needed, int *moved)
{
    lg_learn *s = t->s;
    for (int64_t i = 0; i < end; i++) {
        if (only_needed && !t->needed[i])
            continue;
        const int32_t *lemma = s->log + t->at[i];
        int32_t size = lemma[0], open = -1, live = 0;
        for (int32_t k = 1; k <= size && live < 2; k++) {
            int32_t value = lg_learn_value(s, lemma[k]);
            if (value > 0)
                live = 2;
            else if (value == 0) {
                live++;
                open = lemma[k];
            }
        }
        if (live > 1)
            continue;
        if (live == 0) {
            memcpy(s->conflict, lemma + 1, (size_t)size * sizeof *lemma);
            t->needed[i] = 1;
            return size;
        }
        lg_learn_assign(s, open, BY_CLAUSE, (int32_t)i);
        *moved = 1;
        int32_t conflict = lg_learn_propagate(s);
        if (conflict)
            return conflict;
    }
    return 0;
}

/* Marks in s->seen all that the conflict rests on, and the lemmas among it as needed. */
static void trace(trimmer *t, int32_t conflict)
{
    lg_learn *s = t->s;
    memset(s->seen, 0, (size_t)s->w->n_vars);
    for (int32_t k = 0; k < conflict; k++)
        s->seen[s->conflict[k] >> 1] = 1;
    for (int32_t k = s->n_trail - 1; k >= 0; k--) {
        int32_t v = s->trail[k] >> 1;
        if (!s->seen[v])
            continue;
        if (s->by[v] == BY_RIVAL)
            s->seen[s->data[v]] = 1;
        if (s->by[v] == BY_GROUP)
            for (int32_t m = s->group_start[s->data[v]]; m < s->group_start[s->data[v] + 1]; m++)
                s->seen[s->members[m]] = 1;
        if (s->by[v] == BY_CLAUSE) {
            const int32_t *lemma = s->log + t->at[s->data[v]];
            t->needed[s->data[v]] = 1;
            for (int32_t m = 1; m <= lemma[0]; m++)
                s->seen[lemma[m] >> 1] = 1;
        }
    }
}

/* Checks lemma i as a reader would; 0 when it does not follow, which would be a bug. */
static int check(trimmer *t, int64_t i)
{
    lg_learn *s = t->s;
    int32_t *lemma = s->log + t->at[i], conflict = 0, kept = 0;
    int empty = 0;
    for (int32_t k = 1; k <= lemma[0] && !conflict; k++)
        if (lg_learn_value(s, lemma[k]) == 0) {
            lg_learn_assign(s, lemma[k] ^ 1, BY_DECISION, 0);
            conflict = lg_learn_propagate(s);
        } else if (lg_learn_value(s, lemma[k]) > 0) {
            s->conflict[0] = lemma[k];
            conflict = 1;
        }
    for (int stage = 0; stage < 3 && !conflict && !empty; stage++) {
        for (int moved = stage > 0; moved && !conflict;) {
            moved = 0;
            conflict = pass(t, i, stage == 1, &moved);
        }
        if (!conflict && lg_pairs_relaxed(s->w) != s->w->total) {
            conflict = lg_learn_cut(s);
            empty = conflict == 0;
        }
    }
    int follows = conflict || empty;
    trace(t, conflict);
    for (int32_t k = 1; k <= lemma[0]; k++)
        if (s->seen[lemma[k] >> 1])
            lemma[1 + kept++] = lemma[k];
    lemma[0] = kept;
    undo_all(s);
    return follows;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int64_t put(uint8_t *bytes, int64_t at, int64_t cap, uint32_t number)
{
    do {
        if (at >= cap)
            return cap + 1;
        bytes[at++] = (uint8_t)(number & 127) | (number > 127 ? 128 : 0);
        number >>= 7;
    } while (number);
    return at;
}

int64_t lg_learn_proof(lg_learn *s, uint8_t *bytes, int64_t cap)
{
    trimmer t = {s, 0, NULL, NULL};
    int64_t size = -1;
    if (s->log_full)
        return -1;
    for (int64_t k = 0; k < s->n_log; k += s->log[k] + 1)
        t.n_lemmas++;
    t.at = calloc((size_t)t.n_lemmas + 1, sizeof *t.at);
    t.needed = calloc((size_t)t.n_lemmas + 1, 1);
    if (!t.at || !t.needed || !t.n_lemmas || t.n_lemmas > INT32_MAX)
        goto done;
    for (int64_t k = 0, i = 0; k < s->n_log; k += s->log[k] + 1)
        t.at[i++] = k;
    memset(s->watches, 0xff, 2 * (size_t)s->w->n_vars * sizeof *s->watches);
    undo_all(s);
    t.needed[t.n_lemmas - 1] = 1;
    for (int64_t i = t.n_lemmas - 1; i >= 0; i--)
        if (t.needed[i] && !check(&t, i))
            goto done;
    size = 0;
    for (int64_t i = 0; i < t.n_lemmas && size <= cap; i++) {
        int32_t *lemma = s->log + t.at[i], last = 0;
        if (!t.needed[i])
            continue;
        qsort(lemma + 1, (size_t)lemma[0], sizeof *lemma, compare);
        size = put(bytes, size, cap, (uint32_t)lemma[0]);
        for (int32_t k = 1; k <= lemma[0]; k++) {
            size = put(bytes, size, cap, (uint32_t)(lemma[k] - last));
            last = lemma[k];
        }
    }
    if (size > cap)
        size = -1;
done:
    free(t.at);
    free(t.needed);
    return size;
}
