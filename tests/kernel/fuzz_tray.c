/* Feeds any bytes at all to the kernel's entry points for tray games, dealing and playing.
 *
 * With libFuzzer this is a fuzz target. With -DSTANDALONE it has a main that makes its own bytes, so that any compiler's
 * sanitizers, or Valgrind, can watch a fixed number of rounds: ./fuzz_tray ROUNDS.
 */
#include "bots.h"
#include "deal.h"
#include "play.h"
#include "triples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TILES = 96, WAYS = 3, BLOCKERS = 6 };

typedef struct {
    const uint8_t *at, *end;
} bytes;

static int next(bytes *b) { return b->at < b->end ? *b->at++ : 0; }

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* A winning line is played again here, by nothing but the rules. */
static void replay(const lg_deal *d, const int32_t *picks, const lg_answer *answer)
{
    int tray[256] = {0}, load = 0, peak = 0, left = 0;
    uint8_t gone[TILES] = {0};
    for (int t = 0; t < d->n; t++) {
        gone[t] = d->removed[t];
        left += !gone[t];
    }
    for (int f = 0; f < d->faces; f++)
        load += tray[f] = d->tray[f];
    require(answer->picks == left, "a solution plays every tile");
    for (int i = 0; i < left; i++) {
        int t = picks[i];
        require(t >= 0 && t < d->n && !gone[t], "a solution plays each tile once");
        for (int k = d->blk_start[d->alt_start[t]]; k < d->blk_start[d->alt_start[t] + 1]; k++)
            require(gone[d->blk[k]], "a solution plays free tiles");
        require(load < d->cap, "a solution keeps within the tray");
        gone[t] = 1;
        load++;
        peak = load > peak ? load : peak;
        if (++tray[d->face[t]] == d->group) {
            tray[d->face[t]] = 0;
            load -= d->group;
        }
    }
    require(!load && peak == answer->peak, "a solution ends with an empty tray and the peak it names");
}

/* Two games of every bot; each move it reports must be one that the walk accepts. Lids are the first alternative's
 * blockers, or nonsense. */
static void bots_play(const lg_deal *d, int mode, const uint8_t *hidden, int flags, int mistakes, int spoil)
{
    int32_t lid_start[TILES + 1] = {0}, lid[TILES * BLOCKERS], status, rows[4][2 * TILES];
    lg_move moves[4 * TILES];
    lg_game games[2];
    for (int t = 0; t < d->n; t++) {
        int k = d->blk_start[d->alt_start[t]], end = d->blk_start[d->alt_start[t] + 1];
        for (lid_start[t + 1] = lid_start[t]; k < end; k++)
            lid[lid_start[t + 1]++] = spoil == 255 ? d->n : d->blk[k];
    }
    lg_bots *bots = lg_bots_new(d, mode, hidden, lid_start, lid, &status);
    require((bots == NULL) == (status != 0), "bots or a reason");
    for (int bot = LG_BOT_RANDOM; bots && bot <= LG_BOT_EXPERT; bot++) {
        lg_player player = {bot, flags & 1, bot % 2 ? 0 : mistakes * 4 % 1001};
        require(lg_bots_play(bots, &player, 7, 0, 2, INT64_MAX, games, moves) == 2, "bots play");
        for (int game = 0; game < 2; game++)
            require(lg_bots_walk(bots, moves + game * 2 * d->n, games[game].moves, rows[0], rows[1], rows[2], rows[3]) ==
                        LG_SOLVED,
                    "bots play by the law");
    }
    if (bots)
        lg_bots_depths(bots, rows[0]);
    lg_bots_free(bots);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, data + size};
    int32_t face[TILES], alt_start[TILES + 1] = {0}, blk_start[TILES * WAYS + 1] = {0}, blk[TILES * WAYS * BLOCKERS];
    int32_t tray[256] = {0}, picks[TILES], dealt[TILES * 4], games[TILES * 4];
    uint8_t removed[TILES] = {0}, hidden[TILES] = {0}, buffer[4096];
    uint64_t counts[8], states;
    int flags = next(&in), n = next(&in) % (TILES + 1), faces = 1 + next(&in) % 40, group = 2 + next(&in) % 3, edges = 0;
    int orderly = flags & 1, one_way = flags & 2, whole = flags & 4;
    lg_deal d = {n, faces, group, group + next(&in) % 7, face, alt_start, blk_start, blk, removed, tray};
    for (int t = 0; t < n; t++) {
        face[t] = whole ? t / group % faces : next(&in) % (faces + !(flags & 64));
        int ways = one_way ? 1 : 1 + next(&in) % WAYS;
        for (int a = 0; a < ways; a++) {
            int many = next(&in) % BLOCKERS;
            for (int k = 0; k < many; k++)
                if (!orderly || t)
                    blk[edges++] = orderly ? next(&in) % t : next(&in) % n;
            blk_start[alt_start[t] + a + 1] = edges;
        }
        alt_start[t + 1] = alt_start[t] + ways;
    }
    if (whole) {
        for (int t = n / group * group; t < n; t++)
            removed[t] = 1;
        for (int t = n - 1; t > 0; t--) {
            int other = next(&in) % (t + 1), swap = face[t];
            if (removed[t] == removed[other]) {
                face[t] = face[other];
                face[other] = swap;
            }
        }
    }
    if (flags & 8)
        for (int t = 0; t < n; t++) {
            removed[t] |= next(&in) % 8 == 0;
            hidden[t] = next(&in) % 4 == 0;
        }
    if (flags & 16)
        for (int f = 0; f < faces; f++)
            tray[f] = next(&in) % 6 == 0;
    lg_answer answer, again;
    int sound = lg_deal_check(&d) == 0;
    int status = lg_triples_solve(&d, 4000, flags & 32 ? 30000 : 4000000, picks, &answer);
    require(sound || status == LG_BAD_INPUT, "bad input is refused");
    if (status == LG_SOLVED)
        replay(&d, picks, &answer);
    int64_t written = lg_triples_closed_set(&d, flags >> 7, 200000, buffer, sizeof buffer, &states);
    require(!(written > 0 && status == LG_SOLVED), "what is solved has no evidence against it");
    require(written <= (int64_t)sizeof buffer, "evidence stays in its buffer");
    status = lg_triples_minimum(&d, 4000, 4000000, picks, &again);
    if (again.picks)
        replay(&d, picks, &again);
    require(!(status == LG_SOLVED && answer.status == LG_UNSOLVABLE), "a minimum is a solution");
    lg_deal_faces(&d, flags & 3, 0, 7, 3, 4, dealt, NULL);
    lg_deal_faces(&d, flags & 3, d.cap, 7, 3, 4, dealt, games);
    bots_play(&d, flags % 3, hidden, flags, next(&in), next(&in));
    lg_perft(&d, flags % 3, hidden, 7, 500, counts);
    return 0;
}

#ifdef STANDALONE
#include "rng.h"

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < rounds; i++) {
        uint8_t data[1500];
        lg_rng rng = lg_rng_of((uint64_t)i);
        size_t size = lg_rng_below(&rng, sizeof data);
        for (size_t k = 0; k < size; k++)
            data[k] = (uint8_t)lg_rng_next(&rng);
        data[0] |= (uint8_t)(i % 4 ? 0 : 7); /* every fourth is a level one could play */
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d rounds\n", rounds);
    return 0;
}
#endif
