"""Faces onto a board by reverse play: every deal made here can be won, because it was played backwards.

Pairs are put back two at a time under the strictest blocking, so that the way out holds under every reading of the
rules. Triples are put back tile by tile; their faces are then chosen along the way out so that the tray never
overflows. A deal that gets stuck raises; whoever asked counts the attempt and asks again with the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.errors import AnswerIsNo, Malformed
from levelgen.rules import BLOCKING, Gates, Ruleset, gates
from levelgen.seed import Stream


class Stuck(AnswerIsNo):
    """Reverse play ran into a dead end; the next attempt draws differently."""


@dataclass(frozen=True)
class Dealt:
    """A deal and the way out it was built from."""

    deal: Deal
    solution: tuple[tuple[int, ...], ...]
    """Pairs: the matched pairs in order. Triples: one tile a pick."""


def face_groups(faces: Sequence[str], groups: int, stream: Stream) -> tuple[str, ...]:
    """One face for each of `groups` groups: every face equally often, give or take one, in random order.

    Raises:
        Malformed: there are fewer groups than faces, so that some face could not appear.
    """
    if not 1 <= len(faces) <= groups:
        raise Malformed.of(
            "deal/faces", f"{groups} groups cannot show {len(faces)} different faces", fix="ask for fewer faces"
        )
    order = list(faces)
    stream.shuffle(order)
    dealt = [order[index % len(order)] for index in range(groups)]
    stream.shuffle(dealt)
    return tuple(dealt)


def deal_faces(
    board: Board,
    faces: Sequence[str],
    seed: str,
    *,
    attempt: int = 0,
    face_down: int = 0,
    hidable: Sequence[int] | None = None,
) -> Dealt:
    """Deal `faces`, each in whole groups, onto `board`, with `face_down` tiles (pairs only) hidden.

    Only `hidable` tiles are hidden, any when None.

    Streams: `deal/ATTEMPT` for the way out, `faces/ATTEMPT` for who shows what, `face-down/ATTEMPT`.

    Raises:
        Stuck: this attempt found no way to put every tile back.
        Malformed: the numbers do not fit the board.
    """
    count, group = len(board.layout), board.ruleset.group
    if count % group or not count:
        raise Malformed.of("deal/count", f"{count} tiles cannot be dealt in groups of {group}")
    if not 0 <= face_down <= count or (face_down and board.ruleset.id != "pairs"):
        raise Malformed.of("deal/face-down", f"cannot lay {face_down} of {count} tiles face down in {board.ruleset.id}")
    way = Stream(seed, f"deal/{attempt}")
    chance = Stream(seed, f"faces/{attempt}")
    shown = face_groups(faces, count // group, chance)
    if board.ruleset.id == "pairs":
        solution = _pairs_way_out(board, way)
        by_tile = {tile: face for pair, face in zip(solution, shown, strict=True) for tile in pair}
    else:
        solution = _picks_way_out(board, way)
        order = [tile for (tile,) in solution]
        by_tile = dict(zip(order, _faces_along(shown, board.ruleset, chance), strict=True))
    tiles = list(range(count) if hidable is None else hidable)
    if face_down > len(tiles):
        raise Malformed.of("deal/face-down", f"cannot lay {face_down} tiles face down; {len(tiles)} may be hidden",
                           fix="hide fewer, or allow more of them under `hide`")  # fmt: skip
    if face_down:
        Stream(seed, f"face-down/{attempt}").shuffle(tiles)
    deal = Deal(board, tuple(by_tile[tile] for tile in range(count)), tuple(sorted(tiles[:face_down])))
    return Dealt(deal, solution)


STEPS_BACK = 4
PATIENCE = 64
"""Where pairs get stuck, so many of them are taken up again, so many times, before the attempt is given up."""


def _pairs_way_out(board: Board, stream: Stream) -> tuple[tuple[int, ...], ...]:
    """Pairs in an order in which each is open under the strictest blocking; found from the last pair to the first.

    A pair may be put back when both tiles are then open and the board can still be filled up around them, which one
    greedy fixpoint decides: from the full board, take open tiles that are not yet back, as long as there are any.
    """
    strict = gates(board.layout, BLOCKING)
    full = (1 << len(strict)) - 1
    hinders = [0] * len(strict)
    for tile, alternatives in enumerate(strict):
        for blockers in alternatives:
            for blocker in tiles_of(blockers):
                hinders[blocker] |= 1 << tile
    placed = 0
    pairs: list[tuple[int, ...]] = []
    patience = PATIENCE
    while placed != full:
        pair = _next_pair(strict, hinders, placed, full, stream)
        if pair is not None:
            placed |= 1 << pair[0] | 1 << pair[1]
            pairs.append(tuple(sorted(pair)))
            continue
        if not patience:
            raise Stuck.of("deal/stuck", f"no pair can be put back after {len(pairs)} of {len(strict) // 2}")
        patience -= 1
        for first, second in pairs[-STEPS_BACK:]:
            placed ^= 1 << first | 1 << second
        del pairs[-STEPS_BACK:]
    return tuple(reversed(pairs))


def _next_pair(strict: Gates, hinders: list[int], placed: int, full: int, stream: Stream) -> tuple[int, int] | None:
    """A random pair that may be put back, or None. Cheap local tests come before the fixpoint."""
    absent = list(tiles_of(full & ~placed))
    stream.shuffle(absent)

    def fits(tile: int, present: int) -> bool:
        """Whether `tile` is open among `present`, and every absent tile that it hinders can still be put back."""
        return _opens(strict[tile], present) and all(
            _opens(strict[other], present) for other in tiles_of(hinders[tile] & ~present)
        )

    for index, first in enumerate(absent):
        with_first = placed | 1 << first
        if not fits(first, with_first) or not _reachable(strict, with_first, full):
            continue
        for second in absent[index + 1 :]:
            with_both = with_first | 1 << second
            if fits(second, with_both) and _opens(strict[first], with_both) and _reachable(strict, with_both, full):
                return first, second
    return None


def _opens(alternatives: tuple[int, ...], remaining: int) -> bool:
    for blockers in alternatives:  # noqa: SIM110 - a generator here would double the time of a deal
        if not blockers & remaining:
            return True
    return False


def _reachable(strict: Gates, target: int, full: int) -> bool:
    """Whether taking open tiles one by one from the full board can leave exactly `target`."""
    remaining = full
    waiting = tiles_of(full & ~target)
    while waiting:
        blocked = []
        for tile in reversed(waiting):
            if _opens(strict[tile], remaining):
                remaining ^= 1 << tile
            else:
                blocked.append(tile)
        if len(blocked) == len(waiting):
            return False
        waiting = tuple(reversed(blocked))
    return True


@lru_cache(maxsize=64)
def _covers(gates: Gates) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Per tile of triples, the tiles that cover it, and the mask of those that it covers."""
    above = tuple(tiles_of(alternatives[0]) for alternatives in gates)
    under = [0] * len(gates)
    for tile, covers in enumerate(above):
        for cover in covers:
            under[cover] |= 1 << tile
    return above, tuple(under)


def _picks_way_out(board: Board, stream: Stream) -> tuple[tuple[int, ...], ...]:
    """Single tiles in an order in which each is free; found from the last pick to the first.

    A tile may be put back once every tile it covers is back, so this never gets stuck.
    """
    above, under = _covers(board.gates)
    absent = (1 << len(under)) - 1
    ready = [tile for tile, below in enumerate(under) if not below]
    picks: list[tuple[int, ...]] = []
    below = stream.below
    while ready:
        tile = ready.pop(below(len(ready)))
        absent ^= 1 << tile
        picks.append((tile,))
        for cover in above[tile]:
            if not under[cover] & absent:
                ready.append(cover)  # noqa: PERF401 - few, and often none
    return tuple(picks[::-1])


def _faces_along(shown: tuple[str, ...], rules: Ruleset, stream: Stream, tray: tuple[str, ...] = ()) -> list[str]:
    """A face for each pick in order, so that groups overlap but never need more slots than the tray has.

    `shown` names the groups still to be begun, `tray` what waits already. Faces that wait are advanced or a new one is
    begun, at random, while the invariant holds: the fullest waiting face can be completed in the slots that are left.
    Advancing that face keeps it, so there is always a choice, provided that it holds at the start.
    """
    group, slots, below = rules.group, rules.tray, stream.below
    waiting: dict[str, int] = {}
    for face in tray:
        waiting[face] = waiting.get(face, 0) + 1
    held = len(tray)
    unstarted: dict[str, list[int]] = {}
    for index, face in enumerate(shown):
        unstarted.setdefault(face, []).append(index)
    fresh = [index for index, face in enumerate(shown) if face not in waiting]
    faces: list[str] = []
    while fresh or waiting:
        # So many of the fullest face must wait after this pick, or it could not be completed any more.
        needed = held + 1 + group - slots
        fullest = max(waiting.values(), default=0)
        least = 0 if fullest >= needed else min(group, needed) - 1
        choices = [face for face, number in waiting.items() if number >= least]
        begun = -1
        if fresh and (fullest or 1) >= needed:
            begun = fresh[below(len(fresh))]
            choices.append(shown[begun])
        chosen = below(len(choices))
        face = choices[chosen]
        faces.append(face)
        held += 1
        if begun >= 0 and chosen == len(choices) - 1:
            waiting[face] = 1
            unstarted[face].remove(begun)
            fresh = [index for index in fresh if shown[index] != face]
        elif waiting[face] + 1 < group:
            waiting[face] += 1
        else:
            del waiting[face]
            held -= group
            fresh = sorted(fresh + unstarted.get(face, []))
    return faces


SHUFFLE_TRIES = 256
"""How often a shuffle of pairs is tried before it is refused; part of the law, since a log only names the seed."""


def shuffle(position: Position, seed: str) -> Deal | None:
    """The tiles on the board dealt anew over their places so that the position, tray included, can be won.

    Face-down places stay face down. This is the deal a log's `s:SEED` stands for: no solver, one stream labelled
    `shuffle`, a fixed number of tries; `docs/formats.md` specifies it to the last draw. None means refused. For triples
    that is exact: a deal can be won exactly when the fullest waiting face can still be completed in the tray.
    """
    if position.full:
        return None
    board, stream = position.deal.board, Stream(seed, "shuffle")
    on_board = tiles_of(position.remaining)
    copies = Counter(position.deal.faces[tile] for tile in on_board)
    group = board.ruleset.group
    waiting = tuple(dict.fromkeys(position.tray))
    for face in waiting:
        copies[face] -= group - position.tray.count(face)
    groups = [face for face in sorted(copies) for _ in range(copies[face] // group)]
    try_once = _shuffled_pairs if board.ruleset.id == "pairs" else _shuffled_picks
    for _ in range(SHUFFLE_TRIES if board.ruleset.id == "pairs" else 1):
        dealt = try_once(position, list(groups), stream)
        if dealt is not None:
            faces = tuple(dealt.get(tile, face) for tile, face in enumerate(position.deal.faces))
            gone = tiles_of(position.deal.start.remaining & ~position.remaining)
            removed = tuple(sorted((*position.deal.removed, *gone)))
            return Deal(board, faces, tiles_of(position.hidden), position.tray, removed)
    return None


def _shuffled_pairs(position: Position, groups: list[str], stream: Stream) -> dict[int, str] | None:
    """One try: play a random game forwards, giving each step its face; None when two open tiles are lacking.

    A waiting tile takes one partner, before any pair of its face, since a lifted tile would shatter with it. As many of
    those come first as it takes for the tray to have room for a pair.
    """
    board = position.deal.board
    singles = list(position.tray)
    stream.shuffle(singles)
    first = max(0, len(singles) + 2 - board.ruleset.tray) if groups else 0
    rest = singles[first:] + groups
    stream.shuffle(rest)
    owed = set(singles)
    remaining, dealt = position.remaining, {}
    for face in singles[:first] + rest:
        number = 1 if face in owed else 2
        owed.discard(face)
        choices = list(board.open_tiles(remaining))
        if len(choices) < number:
            return None
        taken = [choices.pop(stream.below(len(choices))) for _ in range(number)]
        for tile in taken:
            dealt[tile] = face
            remaining ^= 1 << tile
    return dealt


def _shuffled_picks(position: Position, groups: list[str], stream: Stream) -> dict[int, str] | None:
    """A random order of picks, then faces along it; None when the tray cannot take what completes a face."""
    board, tray = position.deal.board, position.tray
    rules = board.ruleset
    fullest = max((tray.count(face) for face in tray), default=0)
    if len(tray) + rules.group - fullest > rules.tray:
        return None
    remaining, order = position.remaining, []
    while remaining:
        tile = stream.choice(board.open_tiles(remaining))
        remaining ^= 1 << tile
        order.append(tile)
    stream.shuffle(groups)
    return dict(zip(order, _faces_along(tuple(groups), rules, stream, tray), strict=True))
