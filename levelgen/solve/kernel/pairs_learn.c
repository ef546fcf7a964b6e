/* The complete search: conflict-driven learning over the pairings, with the relaxed closure as its theory.
 *
 * When the relaxed closure of what is still allowed leaves tiles behind, every solution must use one of the struck
 * pairings that would have moved it on: a cut. A cut is made minimal by allowing struck pairings again as long as the
 * board is still not emptied. Cuts are clauses; the rest is the textbook: watched literals, first unique implication
 * point, backjumping, activity. Restarts are frequent, each
 * followed by a little local search from where the search was heading. Facts found by probing every pairing at the root start it off.
 *
 * Literal 2v says "pairing v", 2v+1 "not v". Lemmas are logged in the order in which each can be checked: strike
 * its literals, propagate the lemmas before it, and a face or the closure fails. */
#include "pairs_learn.h"

#include <stdlib.h>
#include <string.h>

enum { RESTART = 100, RESTART_GROWS = 5, ROOT_TRIES = 1000, LOCAL_TRIES = 100, CLAUSE_HEAD = 4, HEAT_TOP = 56 };


void lg_learn_edges(const lg_pairs_work *w, int32_t var, int set)
{
    int32_t face = w->var_face[var], m = lg_copies(w, face), ends[4] = {w->var_i[var], w->var_j[var], 0, 0};
    const int32_t *copy = w->copy + w->first[face];
    if (m == 4) {
        ends[2] = ends[1] == 1 ? 2 : 1;
        ends[3] = 6 - ends[1] - ends[2];
    }
    for (int k = 0; k < (m == 4 ? 4 : 2); k++) {
        uint64_t bit = LG_BIT(ends[k ^ 1]);
        if (set)
            w->adj[copy[ends[k]]] |= bit;
        else
            w->adj[copy[ends[k]]] &= ~bit;
    }
}

static void log_lemma(lg_learn *s, const int32_t *lits, int32_t size)
{
    if (!s->logging)
        return;
    if (s->n_log + size + 1 > s->log_cap) {
        s->log_full = 1;
        s->logging = 0;
        return;
    }
    s->log[s->n_log++] = size;
    for (int32_t k = 0; k < size; k++)
        s->log[s->n_log + k] = lits[k];
    s->n_log += size;
}

void lg_learn_assign(lg_learn *s, int32_t lit, uint8_t by, int32_t data)
{
    int32_t v = lit >> 1;
    s->value[v] = (int8_t)(lit & 1 ? -1 : 1);
    s->level[v] = s->depth;
    s->by[v] = by;
    s->data[v] = data;
    s->trail[s->n_trail++] = lit;
    if (lit & 1) {
        lg_learn_edges(s->w, v, 0);
        for (int k = 0; k < 2; k++)
            if (s->groups[2 * v + k] >= 0)
                s->left[s->groups[2 * v + k]]--;
    }
}

static void backtrack(lg_learn *s, int32_t depth)
{
    if (s->depth <= depth)
        return;
    while (s->n_trail > s->trail_at[depth + 1]) {
        int32_t lit = s->trail[--s->n_trail], v = lit >> 1;
        s->value[v] = 0;
        s->phase[v] = lit & 1 ? -1 : 1;
        if (lit & 1) {
            lg_learn_edges(s->w, v, 1);
            for (int k = 0; k < 2; k++)
                if (s->groups[2 * v + k] >= 0)
                    s->left[s->groups[2 * v + k]]++;
        }
    }
    s->depth = depth;
    s->head = s->n_trail;
}

static void watch(lg_learn *s, int32_t clause, int32_t which)
{
    int32_t lit = s->arena[clause + CLAUSE_HEAD + which];
    s->arena[clause + 2 + which] = s->watches[lit];
    s->watches[lit] = clause * 2 + which;
}

/* Adds a clause of two literals or more, those of the highest levels first; 0 when the arena is full. */
static int32_t add_clause(lg_learn *s, const int32_t *lits, int32_t size, int32_t weight)
{
    if (s->n_arena + size + CLAUSE_HEAD > s->arena_cap)
        return 0;
    int32_t c = s->n_arena;
    s->arena[c] = size;
    s->arena[c + 1] = weight;
    memcpy(s->arena + c + CLAUSE_HEAD, lits, (size_t)size * sizeof *lits);
    s->n_arena += size + CLAUSE_HEAD;
    watch(s, c, 0);
    watch(s, c, 1);
    return c;
}

/* At the root: forgets the heavier half of the clauses. */
static void forget(lg_learn *s)
{
    int64_t sum = 0, count = 0;
    for (int32_t c = 1; c < s->n_arena; c += s->arena[c] + CLAUSE_HEAD) {
        sum += s->arena[c + 1];
        count++;
    }
    int32_t to = 1, end = s->n_arena, mean = (int32_t)(sum / (count ? count : 1));
    for (int32_t l = 0; l < 2 * s->w->n_vars; l++)
        s->watches[l] = -1;
    s->n_arena = 1;
    for (int32_t c = 1, next; c < end; c = next) {
        int32_t size = s->arena[c], n = 0, sat = 0;
        next = c + size + CLAUSE_HEAD;
        if (s->arena[c + 1] >= mean && size > 2)
            continue;
        /* facts of the root leave the clause or make it idle */
        for (int32_t k = 0; k < size; k++) {
            int32_t lit = s->arena[c + CLAUSE_HEAD + k], value = lg_learn_value(s, lit);
            sat |= value > 0;
            if (value == 0)
                s->arena[to + CLAUSE_HEAD + n++] = lit;
        }
        if (sat || n < 2)
            continue;
        s->arena[to + 1] = s->arena[c + 1];
        s->arena[to] = n;
        s->n_arena = to + n + CLAUSE_HEAD;
        watch(s, to, 0);
        watch(s, to, 1);
        to = s->n_arena;
    }
    for (int32_t k = 0; k < s->n_trail; k++)
        s->by[s->trail[k] >> 1] = BY_DECISION;
}

/* Unit propagation; the size of the conflict in s->conflict, 0 when there is none. */
int32_t lg_learn_propagate(lg_learn *s)
{
    while (s->head < s->n_trail) {
        int32_t lit = s->trail[s->head++], v = lit >> 1;
        for (int k = 0; k < 2; k++) {
            int32_t g = s->groups[2 * v + k];
            if (g < 0)
                continue;
            const int32_t *member = s->members + s->group_start[g], *end = s->members + s->group_start[g + 1];
            if (!(lit & 1)) {
                for (; member < end; member++) {
                    if (*member == v || s->value[*member] < 0)
                        continue;
                    if (s->value[*member] > 0) {
                        s->conflict[0] = 2 * v + 1;
                        s->conflict[1] = 2 * *member + 1;
                        return 2;
                    }
                    lg_learn_assign(s, 2 * *member + 1, BY_RIVAL, v);
                }
            } else if (s->left[g] == 0) {
                int32_t size = 0;
                for (; member < end; member++)
                    s->conflict[size++] = 2 * *member;
                return size;
            } else if (s->left[g] == 1) {
                while (s->value[*member] < 0)
                    member++;
                if (s->value[*member] == 0)
                    lg_learn_assign(s, 2 * *member, BY_GROUP, g);
            }
        }
        int32_t off = lit ^ 1, *link = &s->watches[off];
        while (*link >= 0) {
            int32_t node = *link, c = node >> 1, which = node & 1;
            int32_t *lits = s->arena + c + CLAUSE_HEAD, other = lits[!which], size = s->arena[c], k;
            if (lg_learn_value(s, other) > 0) {
                link = &s->arena[c + 2 + which];
                continue;
            }
            for (k = 2; k < size && lg_learn_value(s, lits[k]) < 0; k++)
                ;
            if (k < size) {
                *link = s->arena[c + 2 + which];
                lits[which] = lits[k];
                lits[k] = off;
                watch(s, c, which);
                continue;
            }
            if (lg_learn_value(s, other) < 0) {
                memcpy(s->conflict, lits, (size_t)size * sizeof *lits);
                return size;
            }
            lg_learn_assign(s, other, BY_CLAUSE, c);
            link = &s->arena[c + 2 + which];
        }
    }
    return 0;
}

/* A struck pairing whose return would move the stuck closure on. */
static int critical(const lg_pairs_work *w, int32_t var)
{
    int32_t face = w->var_face[var];
    uint64_t open = w->open[face], gone = w->gone[face], pair = LG_BIT(w->var_i[var]) | LG_BIT(w->var_j[var]);
    if ((open & pair) == pair && (gone & pair) != pair)
        return 1;
    pair = ~pair & 15;
    return lg_copies(w, face) == 4 && (open & pair) == pair && (gone & pair) != pair;
}

static void allow(lg_pairs_work *w, int32_t var)
{
    int32_t face = w->var_face[var], i = w->var_i[var], j = w->var_j[var];
    uint64_t pair = LG_BIT(i) | LG_BIT(j);
    lg_learn_edges(w, var, 1);
    if ((w->open[face] & pair) == pair && (w->gone[face] & pair) != pair)
        lg_pairs_grow(w, face, i, j);
    pair = ~pair & 15;
    if (lg_copies(w, face) == 4 && (w->open[face] & pair) == pair && (w->gone[face] & pair) != pair)
        lg_pairs_grow(w, face, __builtin_ctzll(pair), 63 - __builtin_clzll(pair));
}

/* After a closure that left tiles behind: the minimal cut, into s->conflict. */
int32_t lg_learn_cut(lg_learn *s)
{
    lg_pairs_work *w = s->w;
    int32_t size = 0, n_allowed = 0, *allowed = s->scratch;
    s->stamp++;
    for (int more = 1; more;) {
        more = 0;
        for (int32_t depth = s->depth; depth >= 0; depth--)
            for (int32_t k = depth < s->depth ? s->trail_at[depth + 1] - 1 : s->n_trail - 1; k >= (depth ? s->trail_at[depth] : 0); k--) {
                int32_t v = s->trail[k] >> 1;
                (void)depth;
                if (!(s->trail[k] & 1) || s->seen_at[v] == s->stamp || !critical(w, v))
                    continue;
                s->seen_at[v] = s->stamp;
                lg_pairs_keep(w);
                allow(w, v);
                w->spent++;
                if (w->n_gone == w->total) {
                    lg_pairs_restore(w);
                    lg_learn_edges(w, v, 0);
                    s->conflict[size++] = 2 * v;
                } else {
                    allowed[n_allowed++] = v;
                    more = 1;
                }
            }
    }
    while (n_allowed)
        lg_learn_edges(w, allowed[--n_allowed], 0);
    return size;
}

static void bump(lg_learn *s, int32_t v)
{
    s->heat[v] += s->heat_step;
    if (s->heat[v] >> HEAT_TOP) {
        for (int32_t k = 0; k < s->w->n_vars; k++)
            s->heat[k] >>= 32;
        s->heat_step = (s->heat_step >> 32) + 1;
    }
}

static void mark(lg_learn *s, int32_t lit, int32_t *open, int32_t *size)
{
    int32_t v = lit >> 1;
    if (s->seen[v] || s->level[v] == 0)
        return;
    s->seen[v] = 1;
    s->touched[s->n_touched++] = v;
    bump(s, v);
    if (s->level[v] == s->depth)
        ++*open;
    else
        s->learnt[(*size)++] = lit;
}

/* Calls `mark` on the literals, all false, that made variable v what it is. */
static void antecedents(lg_learn *s, int32_t v, int32_t *open, int32_t *size)
{
    if (s->by[v] == BY_RIVAL) {
        mark(s, 2 * s->data[v] + 1, open, size);
    } else if (s->by[v] == BY_GROUP) {
        for (int32_t k = s->group_start[s->data[v]]; k < s->group_start[s->data[v] + 1]; k++)
            if (s->members[k] != v)
                mark(s, 2 * s->members[k], open, size);
    } else if (s->by[v] == BY_CLAUSE) {
        const int32_t *lits = s->arena + s->data[v] + CLAUSE_HEAD;
        for (int32_t k = 0; k < s->arena[s->data[v]]; k++)
            if (lits[k] >> 1 != v)
                mark(s, lits[k], open, size);
    }
}

/* Whether all that made v is already in the learnt clause or a fact. */
static int redundant(const lg_learn *s, int32_t v)
{
#define LG_COVERED(x) (s->seen[x] || s->level[x] == 0)
    if (s->by[v] == BY_RIVAL)
        return LG_COVERED(s->data[v]);
    if (s->by[v] == BY_GROUP) {
        for (int32_t k = s->group_start[s->data[v]]; k < s->group_start[s->data[v] + 1]; k++)
            if (s->members[k] != v && !LG_COVERED(s->members[k]))
                return 0;
        return 1;
    }
    if (s->by[v] == BY_CLAUSE) {
        const int32_t *lits = s->arena + s->data[v] + CLAUSE_HEAD;
        for (int32_t k = 0; k < s->arena[s->data[v]]; k++)
            if (lits[k] >> 1 != v && !LG_COVERED(lits[k] >> 1))
                return 0;
        return 1;
    }
    return 0;
}

/* From a conflict at the current depth to the learnt clause, its asserting literal first; the size. */
static int32_t analyse(lg_learn *s, int32_t conflict)
{
    int32_t open = 0, size = 1, k = s->n_trail, lit;
    s->n_touched = 0;
    for (int32_t i = 0; i < conflict; i++)
        mark(s, s->conflict[i], &open, &size);
    for (;;) {
        do
            lit = s->trail[--k];
        while (!s->seen[lit >> 1]);
        if (--open == 0)
            break;
        antecedents(s, lit >> 1, &open, &size);
    }
    s->learnt[0] = lit ^ 1;
    int32_t kept = 1;
    for (int32_t i = 1; i < size; i++)
        if (!redundant(s, s->learnt[i] >> 1))
            s->learnt[kept++] = s->learnt[i];
    for (int32_t i = 0; i < s->n_touched; i++)
        s->seen[s->touched[i]] = 0;
    return kept;
}

static int32_t highest(const lg_learn *s, const int32_t *lits, int32_t from, int32_t size)
{
    int32_t best = from;
    for (int32_t k = from + 1; k < size; k++)
        if (s->level[lits[k] >> 1] > s->level[lits[best] >> 1])
            best = k;
    return best;
}

static void swap(int32_t *lits, int32_t a, int32_t b)
{
    int32_t x = lits[a];
    lits[a] = lits[b];
    lits[b] = x;
}

/* Puts the two highest literals first and drops the facts of the root. */
static int32_t arrange(const lg_learn *s, int32_t *lits, int32_t size)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < size; k++)
        if (s->level[lits[k] >> 1] > 0)
            lits[kept++] = lits[k];
    if (kept > 0)
        swap(lits, 0, highest(s, lits, 0, kept));
    if (kept > 1)
        swap(lits, 1, highest(s, lits, 1, kept));
    return kept;
}

/* Learns `lits` (arranged), jumps back and asserts its first literal; 0 when memory is out. */
static int learn(lg_learn *s, const int32_t *lits, int32_t size)
{
    int32_t back = size > 1 ? s->level[lits[1] >> 1] : 0, clause = 0;
    log_lemma(s, lits, size);
    backtrack(s, back);
    if (size > 1) {
        clause = add_clause(s, lits, size, size);
        if (!clause)
            return 0;
    }
    lg_learn_assign(s, lits[0], clause ? BY_CLAUSE : BY_DECISION, clause);
    return 1;
}

/* Resolves the conflict in s->conflict; 1 to go on, 0 when refuted, -1 when memory is out. */
static int resolve(lg_learn *s, int32_t size, int theory)
{
    size = arrange(s, s->conflict, size);
    s->w->stats.conflicts++;
    if (!size) {
        log_lemma(s, NULL, 0);
        return 0;
    }
    backtrack(s, s->level[s->conflict[0] >> 1]);
    if (size == 1 || s->level[s->conflict[1] >> 1] < s->depth)
        return learn(s, s->conflict, size) ? 1 : -1;
    int32_t learnt = analyse(s, size);
    if (theory) {
        log_lemma(s, s->conflict, size);
        if (!add_clause(s, s->conflict, size, size))
            return -1;
    }
    if (learnt > 1)
        swap(s->learnt, 1, highest(s, s->learnt, 1, learnt));
    s->heat_step += s->heat_step >> 5;
    return learn(s, s->learnt, learnt) ? 1 : -1;
}

/* Propagates and closes until quiet: 1 quiet, 0 refuted, -1 out of memory. */
static int settle(lg_learn *s)
{
    for (;;) {
        int32_t size = lg_learn_propagate(s);
        int theory = 0;
        if (!size) {
            if (lg_pairs_relaxed(s->w) == s->w->total)
                return 1;
            size = lg_learn_cut(s);
            theory = 1;
        }
        int r = resolve(s, size, theory);
        if (r != 1)
            return r;
    }
}

/* At the root: tries every pairing, strikes those that leave tiles behind, until none does. As `settle`. */
static int probe_all(lg_learn *s)
{
    lg_pairs_work *w = s->w;
    for (int again = 1; again;) {
        again = 0;
        int r = settle(s);
        if (r != 1)
            return r;
        for (int32_t v = 0; v < w->n_vars;) {
            int32_t lanes = 0, batch[PAIRS_LANES];
            for (; v < w->n_vars && lanes < PAIRS_LANES; v++)
                if (!s->value[v])
                    batch[lanes++] = v;
            if (!lanes || w->spent > w->budget)
                continue;
            lg_lanes whole = lg_pairs_probe(w, batch, lanes);
            for (int32_t k = 0; k < lanes; k++) {
                int32_t lit = 2 * batch[k] + 1;
                if (whole[k >> 6] >> (k & 63) & 1 || s->value[batch[k]])
                    continue;
                log_lemma(s, &lit, 1);
                lg_learn_assign(s, lit, BY_DECISION, 0);
                bump(s, batch[k]);
                again = 1;
            }
        }
    }
    return 1;
}

static void remember(lg_learn *s)
{
    const lg_pairs_work *w = s->w;
    for (int32_t v = 0; v < w->n_vars; v++) {
        const int32_t *copy = w->copy + w->first[w->var_face[v]];
        s->phase[v] = w->mate[copy[w->var_i[v]]] == copy[w->var_j[v]] ? 1 : -1;
    }
}

/* The pairing the search was heading for, as far as it goes. */
static void recall(lg_learn *s)
{
    lg_pairs_work *w = s->w;
    for (int32_t t = 0; t < w->n_all; t++)
        w->mate[t] = -1;
    for (int32_t v = 0; v < w->n_vars; v++) {
        int32_t *copy = w->copy + w->first[w->var_face[v]], a = copy[w->var_i[v]], b = copy[w->var_j[v]];
        if (s->value[v] < 0 || s->phase[v] < 0 || w->mate[a] >= 0 || w->mate[b] >= 0)
            continue;
        w->mate[a] = b;
        w->mate[b] = a;
    }
}

int32_t lg_learn_run(lg_learn *s)
{
    lg_pairs_work *w = s->w;
    int r = probe_all(s);
    if (r != 1)
        return r ? LG_UNDECIDED : LG_UNSOLVABLE;
    if (lg_pairs_local(w, ROOT_TRIES, 1))
        return LG_SOLVED;
    remember(s);
    uint64_t interval = RESTART, limit = w->stats.conflicts + interval;
    int32_t facts = s->n_trail;
    for (;;) {
        r = settle(s);
        if (r != 1)
            return r ? LG_UNDECIDED : LG_UNSOLVABLE;
        if (w->spent > w->budget)
            return LG_UNDECIDED;
        if (w->stats.conflicts >= limit) {
            interval += RESTART_GROWS;
            limit = w->stats.conflicts + interval;
            backtrack(s, 0);
            if (s->n_arena > s->arena_cap / 2)
                forget(s);
            r = s->n_trail > facts ? probe_all(s) : 1;
            facts = s->n_trail;
            if (r != 1)
                return r ? LG_UNDECIDED : LG_UNSOLVABLE;
            recall(s);
            if (lg_pairs_local(w, LOCAL_TRIES, 0))
                return LG_SOLVED;
            remember(s);
            continue;
        }
        int32_t best = -1;
        for (int32_t v = 0; v < w->n_vars; v++)
            if (!s->value[v] && (best < 0 || s->heat[v] > s->heat[best]))
                best = v;
        if (best < 0) {
            for (int32_t t = 0; t < w->n_all; t++)
                if (t >= w->n || w->board->alive[t])
                    w->mate[t] = w->copy[w->first[w->face_of[t]] + __builtin_ctzll(w->adj[t])];
            return LG_SOLVED;
        }
        s->trail_at[++s->depth] = s->n_trail;
        w->stats.decisions++;
        if (s->phase[best] < 0)
            for (int32_t g = s->groups[2 * best], k = s->group_start[g]; k < s->group_start[g + 1]; k++)
                if (!s->value[s->members[k]] && s->phase[s->members[k]] > 0)
                    best = s->members[k];
        lg_learn_assign(s, 2 * best + (s->phase[best] < 0), BY_DECISION, 0);
    }
}
