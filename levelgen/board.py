"""The law of play, plain and immutable: a board, a deal on it, and positions that say what may be played.

This is the slow, readable truth. The C kernel is the one fast copy, tied to it by full-depth perft; renderers, dealers,
bots and the command line ask and never re-implement. The order in which refusals are looked for is part of the law
(`moves.REASONS`), so that every implementation gives the same reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from levelgen.errors import AnswerIsNo, Finding
from levelgen.layout import Layout
from levelgen.moves import Move, Refusal
from levelgen.rules import Gates, Ruleset, gates

ENTERING = {"pair": 2, "lift": 1, "match": 1, "flip": 0, "pick": 1}
"""Tray slots a play must find empty: what enters occupies them for a moment, before anything shatters or clears."""


def tiles_of(mask: int) -> tuple[int, ...]:
    """The tile ids in a bit mask, ascending."""
    if mask.bit_count() > 8:
        return tuple(tile for tile, bit in enumerate(bin(mask)[:1:-1]) if bit == "1")
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


@dataclass(frozen=True)
class Board:
    """A layout under a ruleset, compiled to gates. No faces yet."""

    layout: Layout
    ruleset: Ruleset
    gates: Gates

    @classmethod
    def compile(cls, layout: Layout, ruleset: Ruleset) -> Board:
        """The board of `layout` (without violations) played under `ruleset`."""
        return cls(layout, ruleset, gates(layout, ruleset.blocking))

    def is_open(self, tile: int, remaining: int) -> bool:
        """Whether every blocker of any one alternative is gone; `remaining` is the mask of tiles on the board."""
        for blockers in self.gates[tile]:  # noqa: SIM110 - a generator here would double the time of a replay
            if not blockers & remaining:
                return True
        return False

    def open_tiles(self, remaining: int) -> tuple[int, ...]:
        """The ids of the open tiles among `remaining`, ascending."""
        return tuple(tile for tile in tiles_of(remaining) if self.is_open(tile, remaining))

    def opens_when(self, tile: int, remaining: int) -> tuple[tuple[int, ...], ...]:
        """Per alternative, the blockers still on the board; the tile opens when all of any one are gone."""
        return tuple(tiles_of(blockers & remaining) for blockers in self.gates[tile])


@dataclass(frozen=True)
class Deal:
    """Faces dealt onto a board; where play starts. A deal taken up in mid-game names what has left and what waits."""

    board: Board
    faces: tuple[str, ...]
    """The face of each tile, by tile id; for tiles already removed too."""
    face_down: tuple[int, ...] = ()
    """Ids of the tiles whose face is hidden, ascending."""
    tray: tuple[str, ...] = ()
    """Faces waiting in the tray, in tray order; empty at the start of a level."""
    removed: tuple[int, ...] = ()
    """Tiles already gone, ascending; empty at the start of a level."""

    @cached_property
    def start(self) -> Position:
        """The position in which play starts."""
        remaining = (1 << len(self.faces)) - 1
        for tile in self.removed:
            remaining &= ~(1 << tile)
        hidden = sum(1 << tile for tile in self.face_down) & remaining
        return Position(self, remaining, hidden, self.tray)

    def to_json(self) -> dict[str, Any]:
        """The deal as a board file spells it; tray and removed tiles only where there are any."""
        data: dict[str, Any] = {
            "ruleset": self.board.ruleset.to_json(),
            "slots": [list(slot) for slot in self.board.layout.slots],
            "faces": list(self.faces),
            "face_down": list(self.face_down),
        }
        if self.tray:
            data["tray"] = list(self.tray)
        if self.removed:
            data["removed"] = list(self.removed)
        return data

    def digest(self) -> str:
        """SHA-256 of `to_json` as compact JSON: which deal a claim is about."""
        return sha256(json.dumps(self.to_json(), separators=(",", ":")).encode()).hexdigest()

    def violations(self) -> tuple[Finding, ...]:
        """Every reason why this deal is no level: counts, ids, an impossible tray, no move at the start."""
        return tuple(self._violations())

    def _violations(self) -> Iterator[Finding]:
        rules, count = self.board.ruleset, len(self.board.layout)
        if len(self.faces) != count:
            yield Finding("deal/faces", f"{len(self.faces)} faces for {count} tiles")
            return
        for name, ids in (("face_down", self.face_down), ("removed", self.removed)):
            if ids and (list(ids) != sorted(set(ids)) or ids[0] < 0 or ids[-1] >= count):
                yield Finding(f"deal/{name}", f"{name} is not an ascending list of tile ids below {count}")
                return
        if rules.id == "triples" and self.face_down:
            yield Finding("deal/face_down", "triples have no face-down tiles", fix="show every face")
        for tile in sorted(set(self.face_down) & set(self.removed)):
            yield Finding("deal/face_down", "is removed and face down at once", f"tile {tile}")
        start = self.start
        on_board = [self.faces[tile] for tile in tiles_of(start.remaining)] if self.removed else self.faces
        for face, number in sorted(Counter([*on_board, *self.tray]).items()):
            if number % rules.group:
                yield Finding(
                    "deal/copies", f"is shown by {number} tiles, not a multiple of {rules.group}", f"face {face}",
                    fix="deal every face in whole groups, tray included",
                )  # fmt: skip
        for face, number in sorted(Counter(self.tray).items()):
            if number >= rules.group:
                yield Finding("deal/tray", f"has {number} tiles in the tray: they would have cleared", f"face {face}")
        if len(self.tray) > rules.tray:
            yield Finding("deal/tray", f"{len(self.tray)} tiles wait in a tray of {rules.tray}")
        if not start.won and not start.has_move():
            yield Finding("deal/no-move", "no move is accepted at the start")


class Position(NamedTuple):
    """A state of play. Moves make new positions; nothing is ever changed in place."""

    deal: Deal
    remaining: int
    """Tiles still on the board, as a bit mask."""
    hidden: int
    """Those of them whose face is not shown."""
    tray: tuple[str, ...]
    """Faces waiting in the tray, in tray order."""

    def refusal(self, move: Move) -> Refusal | None:
        """Why `move` is not accepted here, or None when it is."""
        rules = self.deal.board.ruleset
        if rules.id == "triples":
            return self._refuse_pick(move)
        kind = move.kind
        if kind not in ("pair", "match", rules.face_down):
            return Refusal("wrong-game", f"{rules.id} with face_down {rules.face_down} has no move {kind!r}")
        refusal = self._refuse_absent(move.tiles)
        if refusal:
            return refusal
        first, last = move.tiles[0], move.tiles[-1]
        if kind == "pair" and first == last:
            return Refusal("same-tile", f"tile {first} cannot be paired with itself", (first,))
        for tile in move.tiles:
            if not self.deal.board.is_open(tile, self.remaining):
                return self._blocked("blocked", tile)
        for tile in move.tiles:
            if self.hidden >> tile & 1 and kind in ("pair", "match"):
                return Refusal("face-down", f"tile {tile} lies face down; {rules.face_down} it first", (tile,))
            if not self.hidden >> tile & 1 and kind in ("lift", "flip"):
                return Refusal("face-up", f"tile {tile} shows its face already", (tile,))
        faces = self.deal.faces
        if kind == "pair" and faces[first] != faces[last]:
            message = f"tile {first} shows {faces[first]}, tile {last} shows {faces[last]}"
            return Refusal("faces-differ", message, (first, last))
        if kind == "match" and faces[first] not in self.tray:
            return Refusal("no-mate", f"no {faces[first]} waits in the tray", (first,))
        needed = ENTERING[kind]
        if len(self.tray) + needed > rules.tray:
            slots = f"{len(self.tray)} of {rules.tray} slots are occupied"
            return Refusal("tray-full", f"{slots}; a {kind} needs {needed} empty", move.tiles)
        return None

    def _refuse_pick(self, move: Move) -> Refusal | None:
        if move.kind != "pick":
            return Refusal("wrong-game", f"triples has no move {move.kind!r}")
        deal, remaining, _, tray = self
        (tile,) = move.tiles
        # Most picks are accepted, and judging logs is asking this: the reasons are looked for once there is one.
        if tile < 0 or not remaining >> tile & 1:
            return self._refuse_absent(move.tiles)
        board = deal.board
        for blockers in board.gates[tile]:  # `is_open`, written out: half of what a replay does
            if not blockers & remaining:
                break
        else:
            return self._blocked("held", tile)
        slots = board.ruleset.tray
        if len(tray) >= slots:
            return Refusal("tray-full", f"all {slots} slots are occupied", (tile,))
        return None

    def _refuse_absent(self, tiles: tuple[int, ...]) -> Refusal | None:
        for tile in tiles:
            if not 0 <= tile < len(self.deal.faces):
                return Refusal(
                    "no-such-tile", f"the board has tiles 0 to {len(self.deal.faces) - 1}, no {tile}", (tile,)
                )
        for tile in tiles:
            if not self.remaining >> tile & 1:
                return Refusal("gone", f"tile {tile} has left the board", (tile,))
        return None

    def _blocked(self, reason: str, tile: int) -> Refusal:
        ways = self.deal.board.opens_when(tile, self.remaining)
        spelt = ", or ".join(" and ".join(map(str, way)) for way in ways)
        causes = tuple(sorted({blocker for way in ways for blocker in way}))
        return Refusal(reason, f"tile {tile} is {reason}; it opens when these are gone: {spelt}", causes)

    def after(self, move: Move) -> Position:
        """The position after an accepted move; call `refusal` first, this does not check."""
        kind, tiles, _ = move
        deal, remaining, hidden, tray = self
        if kind == "flip":
            return Position(deal, remaining, hidden & ~(1 << tiles[0]), tray)
        if kind == "pair":
            return Position(deal, remaining & ~(1 << tiles[0] | 1 << tiles[1]), hidden, tray)
        tile = tiles[0]
        taken = 1 << tile
        entered = _enter(tray, deal.faces[tile], deal.board.ruleset.group)
        # What `Position(…)` does, less one call.
        return tuple.__new__(Position, (deal, remaining & ~taken, hidden and hidden & ~taken, entered))

    def play(self, move: Move) -> Position:
        """The position after `move`.

        Raises:
            AnswerIsNo: the law refuses it; the finding's code is `move/REASON`.
        """
        refusal = self.refusal(move)
        if refusal:
            raise AnswerIsNo.of(f"move/{refusal.reason}", refusal.message, f"move {move}")
        return self.after(move)

    def moves(self) -> Iterator[Move]:
        """Every accepted move once, pairs with the lower id first."""
        deal, remaining, hidden, tray = self
        rules = deal.board.ruleset
        room = rules.tray - len(tray)
        shown: dict[str, list[int]] = {}
        for tile in tiles_of(remaining):
            if not deal.board.is_open(tile, remaining):
                continue
            if rules.id == "triples":
                if room >= 1:
                    yield Move("pick", (tile,))
            elif hidden >> tile & 1:
                if room >= 1 or rules.face_down == "flip":
                    yield Move(rules.face_down, (tile,))
            else:
                face = deal.faces[tile]
                mates = shown.setdefault(face, [])
                if room >= 2:
                    for mate in mates:
                        yield Move("pair", (mate, tile))
                mates.append(tile)
                if room >= 1 and face in tray:
                    yield Move("match", (tile,))

    def has_move(self) -> bool:
        """Whether any move is accepted."""
        return next(self.moves(), None) is not None

    @property
    def won(self) -> bool:
        """Board and tray are both empty."""
        return not self.remaining and not self.tray

    @property
    def lost(self) -> bool:
        """Pairs: not won, and no move is accepted (`loss: tray-full` asks for waiting tiles as well).

        Triples are never lost by themselves: the player gives up, or ends with a full tray.
        """
        rules = self.deal.board.ruleset
        if rules.id != "pairs" or self.won or (rules.loss == "tray-full" and not self.tray):
            return False
        return not self.has_move()

    @property
    def full(self) -> bool:
        """Every slot of the tray is occupied: no pick is accepted any more."""
        return len(self.tray) >= self.deal.board.ruleset.tray

    @property
    def warning(self) -> str:
        """`last-slot` when exactly as many slots are empty as the ruleset warns at; else empty."""
        return "last-slot" if len(self.tray) == self.deal.board.ruleset.warned_at else ""

    def digest(self) -> str:
        """SHA-256 of the state, for comparing implementations.

        Over the ASCII lines `levelgen-state-1`, ids on the board, ids face down, faces on the board by id, faces in
        the tray, each list joined by single blanks and every line ended by a line feed.
        """
        on_board = tiles_of(self.remaining)
        lines = (
            "levelgen-state-1",
            " ".join(map(str, on_board)),
            " ".join(map(str, tiles_of(self.hidden))),
            " ".join(self.deal.faces[tile] for tile in on_board),
            " ".join(self.tray),
        )
        return sha256("".join(line + "\n" for line in lines).encode("ascii")).hexdigest()


def _enter(tray: tuple[str, ...], face: str, group: int) -> tuple[str, ...]:
    """The tray after a tile of `face` entered beside its like, or at the end; a whole group clears."""
    alike = tray.count(face)
    if not alike:
        return tray + (face,)  # noqa: RUF005 - half the time, and this is where replays spend theirs
    if alike + 1 == group:
        return tuple([other for other in tray if other != face])
    place = len(tray) - tray[::-1].index(face)
    return tray[:place] + (face,) + tray[place:]  # noqa: RUF005
