"""Bots that play a deal to its end: five of growing skill, each in two minds, with or without mistakes.

Plain numbers in, plain records out. The law is not asked while they play; a test replays their moves through it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import CDeal, Gates, spread, status_of
from levelgen.solve.kernel.play import MODES, Mode, flags

Bot = Literal["random", "greedy", "one-ply", "macro", "expert"]
BOTS: dict[Bot, int] = {
    "random": lib.LG_BOT_RANDOM,
    "greedy": lib.LG_BOT_GREEDY,
    "one-ply": lib.LG_BOT_ONE_PLY,
    "macro": lib.LG_BOT_MACRO,
    "expert": lib.LG_BOT_EXPERT,
}
"""The weakest first."""

UNLIMITED_WORK = (1 << 63) - 1

PICK, PAIR, TURN = lib.LG_PICK, lib.LG_PAIR, lib.LG_TURN
Step = tuple[int, int, int]
"""A move of the kernel: PICK (lifts and matches too), PAIR or TURN (a flip), its tile, the other of a pair or -1."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot, what it sees, and how often it errs."""

    bot: Bot
    sees: bool = False
    """Whether it knows every face; else only what a player sees."""
    mistakes: int = 0
    """So many of 1000 decisions are left to chance."""


class Game(NamedTuple):
    """How a game ended."""

    left: int
    """Tiles on the board; 0 is a win."""
    moves: int
    """How many were played."""
    need: int
    """Slots the game took at most, before anything cleared. In triples the bots that do not mind the tray, random and
    greedy, play on when it is full: with a tray of so many slots that very game would be won."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A line of accepted moves, move by move."""

    load: tuple[int, ...]
    """Slots taken when the move has entered and nothing has cleared yet."""
    accepted: tuple[int, ...]
    """How many moves are accepted before it."""
    safe: tuple[int, ...]
    """How many of them win, or leave another accepted move; 2 where it is more."""
    shown: tuple[int, ...]
    """How many tiles on the board show their face before it."""


class _Scratch(threading.local):
    """Room for the games a thread asks for, made once: a table lasts no longer than a level."""

    def __init__(self) -> None:
        self._games = ffi.new("lg_game[]", 1)

    def games(self, count: int) -> Any:
        """Room for so many games at least; what was in it before is there still."""
        if len(self._games) < count:
            self._games = ffi.new("lg_game[]", count)
        return self._games


_scratch = _Scratch()


class Table:
    """A deal made ready for bots. Not to be shared between threads."""

    def __init__(
        self, gates: Gates, lids: Sequence[int], faces: Sequence[int], *, mode: Mode, cap: int, group: int,
        face_down: Sequence[int] = (), removed: Sequence[int] = (), tray: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """`lids` is per tile the mask of the tiles that lie on it; the rest as `CDeal` takes it.

        Raises:
            ValueError: the kernel does not take the deal.
        """
        self._deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
        self.tiles = self._deal.tiles
        if len(lids) != self.tiles:
            raise ValueError(f"lids of {len(lids)} tiles for {self.tiles} tiles")
        _, starts, above = spread(tuple((mask,) for mask in lids))
        status = ffi.new("int32_t *")
        made = lib.lg_bots_new(
            self._deal.pointer, MODES[mode], ffi.new("uint8_t[]", flags(self.tiles, face_down)),
            starts, above, status,
        )  # fmt: skip
        if not made:
            status_of(status[0])
        self._bots: Any = ffi.gc(made, lib.lg_bots_free)

    def games(
        self, player: Player, seed: int, count: int, *, first: int = 0, budget: int = UNLIMITED_WORK
    ) -> tuple[Game, ...]:
        """Games `first` … of a seed, `count` of them, or fewer: no other is begun once `budget` tiles were taken.

        Game i depends on the player, `seed` and i only.
        """
        left, moves, need = self.ends(player, seed, count, first=first, budget=budget)
        return tuple(map(Game, left, moves, need))

    def ends(
        self, player: Player, seed: int, count: int, *, first: int = 0, budget: int = UNLIMITED_WORK
    ) -> tuple[list[int], list[int], list[int]]:
        """The same field by field: what `Game` calls left, moves and need, of each game."""
        return self._play(player, seed, first, count, budget, None)

    def game(self, player: Player, seed: int, number: int = 0) -> tuple[Step, ...]:
        """The moves of one game."""
        moves = ffi.new("lg_move[]", 2 * self.tiles + 1)
        _, (played,), _ = self._play(player, seed, number, 1, UNLIMITED_WORK, moves)
        return tuple((move.kind, move.tile, move.mate) for move in moves[0:played])

    def _play(
        self, player: Player, seed: int, first: int, count: int, budget: int, moves: object
    ) -> tuple[list[int], list[int], list[int]]:
        asked = ffi.new("lg_player *", (BOTS[player.bot], player.sees, player.mistakes))
        games = _scratch.games(count)
        played = lib.lg_bots_play(self._bots, asked, seed, first, count, budget, games, moves or ffi.NULL)
        if played < 0:
            status_of(int(played))
        flat = ffi.unpack(ffi.cast("int32_t *", games), 3 * played)
        return flat[::3], flat[1::3], flat[2::3]

    def follow(self, line: Sequence[Step]) -> Walk:
        """What a line of moves meets.

        Raises:
            ValueError: a move is not accepted.
        """
        count = len(line)
        rows = [ffi.new("int32_t[]", count or 1) for _ in range(4)]
        code = lib.lg_bots_walk(self._bots, ffi.new("lg_move[]", list(line) or 1), count, *rows)
        if code == lib.LG_BAD_INPUT:
            raise ValueError("a move of the line is not accepted")
        status_of(code)
        return Walk(*(tuple(ffi.unpack(row, count)) for row in rows))

    def depths(self) -> tuple[int, ...]:
        """Per tile how many others go before it in every game, as far as the gates alone say; -1 for tiles gone."""
        depths = ffi.new("int32_t[]", self.tiles or 1)
        lib.lg_bots_depths(self._bots, depths)
        return tuple(ffi.unpack(depths, self.tiles))
