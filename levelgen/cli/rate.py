"""Commands about how hard levels are: `rate` and `calibrate`."""

from __future__ import annotations

import csv
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelgen.cli.completion import levels, packs
from levelgen.cli.sources import boards_from, read_bytes, span, split_level, trust_from, writable
from levelgen.cli.talk import Progress, emit_json, say, show, table
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import AnswerIsNo, Finding, Malformed, Undecided, counted, raise_for

if TYPE_CHECKING:
    from levelgen.board import Deal
    from levelgen.certificate import Solution
    from levelgen.moves import Move
    from levelgen.pack.verify import Pack
    from levelgen.rate import Tier
    from levelgen.rate.calibration import Calibration

WEAK = 300
"""A rank correlation below this, in thousandths, is warned about."""
FEW = 6
"""Fewer levels held out than this rank alike by chance too often: that is warned about, too."""
OF_THE_WAY_OUT = ("branching", "forced", "par", "par_proved", "peak", "pressure", "seconds")
"""Figures that hang on which solution a certificate holds."""
OF_THE_CURVE = re.compile(r"rating_version|rating_cheap|target|tolerance|asked_[a-z0-9_]+_(from|to)")
"""What a record says besides what is counted on its board: how it was rated, and what its recipe asked for."""
SHOWN_SHARES = 3
"""So many figures that add most to the number are named on a line."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A board and how hard it is."""

    name: str
    level: int | None
    number: int
    seconds: int
    shares: Mapping[str, int]
    """Empty where the record alone was read."""
    figures: Mapping[str, int]
    game: str
    """The id of its ruleset."""
    calibrated: int | None = None
    """Games that players lose of a thousand."""

    def to_json(self) -> dict[str, Any]:
        """Everything, as `--json` prints it."""
        found: dict[str, Any] = {"name": self.name, "level": self.level, "rating": self.number, "seconds": self.seconds}
        if self.calibrated is not None:
            found["calibrated"] = self.calibrated
        return {**found, "shares": dict(self.shares), "figures": dict(self.figures)}


@click.command("rate", epilog="Example:  levelgen rate out/eram --csv > eram.csv")
@click.argument("source", metavar="BOARD|PACK|PACK#N", shell_complete=levels)
@click.option("--levels", "chosen", metavar="A..B", help="Only these levels of PACK.")
@click.option("--bot", "bots", multiple=True, metavar="NAME", help="Have this bot play too: random, greedy, one-ply, "
              "macro, expert; more in its name: macro_seeing, greedy_250 (mistakes of 1000).")  # fmt: skip
@click.option("--recorded", is_flag=True, help="Do not rate again: what the records of PACK say.")
@click.option("--check", is_flag=True, help="Exit with 1 when a record of PACK says otherwise than what is counted.")
@click.option(
    "--calibration", metavar="FILE", help="What `calibrate` wrote: adds the games players lose of a thousand."
)
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--csv", "as_csv", is_flag=True, help="One row a level, every figure a column.")
@click.option("--json", "as_json", is_flag=True, help="Number, shares and figures as JSON.")
def rate_command(
    source: str, chosen: str | None, bots: tuple[str, ...], recorded: bool, check: bool, calibration: str | None,
    key: str | None, as_csv: bool, as_json: bool,
) -> int:  # fmt: skip
    """How hard boards are: the difficulty number (0 to 1000), what adds to it, the figures it rests on, play time.

    SOURCE is a board file (- for standard input), a level PACK#N, or a whole PACK.
    """
    if as_csv and as_json:
        raise Malformed.of("rate/form", "--csv and --json are two forms of one answer", fix="leave one of them out")
    guests = _guests(bots)
    if guests and recorded:
        raise Malformed.of("rate/bot", "--recorded plays no games", "--bot", "leave one of them out")
    if check and (recorded or (not _is_pack(source) and (source == "-" or os.path.lexists(source)))):
        what = "--recorded counts nothing" if recorded else f"{source} is no pack: it holds no record"
        raise Malformed.of("rate/check", what, "--check", "name a pack, without --recorded")
    fitted = _calibration(calibration)
    unrated: list[AnswerIsNo | Undecided] = []
    rated = list(_rated(source, chosen, recorded, key, fitted, guests, unrated, check=check, quiet=as_json))
    if unrated and not rated:
        _raise_worst(unrated)
    if as_json:
        from levelgen.rate import RATING

        emit_json("rate/1", {"version": RATING, "boards": [one.to_json() for one in rated]})
    elif as_csv:
        _write_csv(rated)
    else:
        _tell(rated)
    _raise_worst(unrated)
    if not check:
        return 0
    raise_for(_differing(source, rated, key), AnswerIsNo)
    say(f"{counted(len(rated), 'record')} {'says' if len(rated) == 1 else 'say'} what is counted")
    return 0


def _is_pack(source: str) -> bool:
    """Whether a pack is named, or a level of one."""
    place = None if os.path.isfile(source) else split_level(source)
    return place is not None or os.path.isdir(source) or source.endswith(".lgpack")


def _differing(source: str, rated: Sequence[Rated], key: str | None) -> Iterator[Finding]:
    """What records say otherwise than what was counted; without certificates the way out is left aside."""
    from levelgen.pack.verify import open_pack

    place = None if os.path.isfile(source) else split_level(source)
    with open_pack(Path(place[0] if place else source), trust_from(key)) as pack:
        aside = () if pack.has_certificates else OF_THE_WAY_OUT
        for one in rated:
            recorded = pack.level(one.level or 0).difficulty
            _same_number(one.level or 0, recorded)
            counted = {**one.figures, "rating": one.number, "seconds": one.seconds}
            for name in sorted({"rating", *recorded} - {*aside}):
                if name not in recorded:
                    yield Finding("rate/differs", f"{name} is {counted[name]}, the record says nothing of it", one.name)
                elif name not in counted and not OF_THE_CURVE.fullmatch(name):
                    yield Finding("rate/differs", f"{name} is {recorded[name]} in the record, and nothing counts it",
                                  one.name)  # fmt: skip
                elif recorded[name] != counted.get(name, recorded[name]):
                    yield Finding("rate/differs", f"{name} is {counted[name]}, the record says {recorded[name]}",
                                  one.name)  # fmt: skip


def _raise_worst(unrated: Sequence[AnswerIsNo | Undecided]) -> None:
    """Raises for all boards that have no difficulty, with the worst answer, if there are any."""
    kind = Undecided if any(isinstance(one, Undecided) for one in unrated) else AnswerIsNo
    raise_for([finding for one in unrated for finding in one.findings], kind)


def _guests(bots: Sequence[str]) -> tuple[str, ...]:
    """The players that `--bot` names, as figures spell them."""
    if not bots:
        return ()
    from levelgen.rate import guests

    names = tuple(dict.fromkeys(one.replace("-", "_") for one in bots))
    for name in names:
        if guests.player(name) is None:
            raise Malformed.of("rate/bot", f"{name!r} is no bot", "--bot", "write random, greedy, one-ply, macro or "
                               "expert, with _seeing and mistakes of 1000 behind it: macro_seeing_100")  # fmt: skip
    return names


def _calibration(path: str | None) -> Calibration | None:
    if path is None:
        return None
    from levelgen.rate import RATING
    from levelgen.rate.calibration import parse_calibration

    found = parse_calibration(read_bytes(path).decode("utf-8", "replace"), path)
    if found.version != RATING:
        raise Malformed.of(
            "calibration/version", f"fits version {found.version} of the difficulty number; this is {RATING}", path,
            "make it again: levelgen calibrate",
        )  # fmt: skip
    return found


def _rated(
    source: str, chosen: str | None, recorded: bool, key: str | None, fitted: Calibration | None,
    guests: tuple[str, ...], unrated: list[AnswerIsNo | Undecided], *, check: bool, quiet: bool,
) -> Iterator[Rated]:  # fmt: skip
    """Every board there is to rate; boards of a file that cannot be won, or may not be, come into `unrated`."""
    place = None if os.path.isfile(source) else split_level(source)
    if place and chosen:
        raise Malformed.of("rate/source", f"{source} is one level", "SOURCE", f"name {place[0]}, or leave --levels out")
    if not place and not os.path.isdir(source) and not source.endswith(".lgpack"):
        if recorded or chosen:
            raise Malformed.of("rate/source", f"{source} is no pack", "SOURCE",
                               "leave --recorded and --levels out")  # fmt: skip
        boards = boards_from(source, key)
        with Progress(f"rating {source}", len(boards), silent=quiet or len(boards) < 20) as progress:
            for named in boards:
                try:
                    way_out = _way_out(named.deal, named.name)
                except (AnswerIsNo, Undecided) as error:
                    unrated.append(error)
                else:
                    yield _rate(named.name, named.level, named.deal, way_out, fitted, guests)
                progress.step()
        return
    from levelgen.pack.verify import open_pack
    from levelgen.rate.guests import asked

    with open_pack(Path(place[0] if place else source), trust_from(key)) as pack:
        numbers: Sequence[int] = [place[1]] if place else span(chosen, pack.numbers)
        if recorded:
            yield from _recorded(pack, numbers, fitted)
            return
        with Progress(f"rating {source}", len(numbers), silent=quiet or len(numbers) < 20) as progress:
            for number in numbers:
                record, name = pack.level(number), f"{pack.manifest.pack}#{number}"
                certified = pack.certificate(number).solution if pack.has_certificates else None
                playing = tuple(sorted({*asked(record.difficulty), *guests}))
                tier: Tier = "cheap" if check and "rating_cheap" in record.difficulty else "full"
                yield _rate(name, number, record.deal, certified or _way_out(record.deal, name), fitted, playing, tier)
                progress.step()


def _recorded(pack: Pack, numbers: Sequence[int], fitted: Calibration | None) -> Iterator[Rated]:
    for number in numbers:
        figures = dict(pack.level(number).difficulty)
        if "rating" not in figures:
            raise Malformed.of("rate/unrated", f"level {number} holds no rating: it was built before there was one",
                               fix="leave --recorded out")  # fmt: skip
        rating, game = figures.pop("rating"), pack.level(number).ruleset.id
        name = f"{pack.manifest.pack}#{number}"
        seconds = figures.pop("seconds", 0)
        if fitted:
            _same_number(number, figures)
        yield Rated(name, number, rating, seconds, {}, figures, game, _fitted(fitted, rating, game))


def _fitted(calibration: Calibration | None, number: int, game: str) -> int | None:
    """What players lose at that number of that game; None without a calibration."""
    if calibration is None:
        return None
    if calibration.game not in ("", game):
        raise Malformed.of("calibration/game", f"fits numbers of {calibration.game}; these are {game}", "--calibration",
                           f"make one of {game}: levelgen calibrate CSV --pack PACK")  # fmt: skip
    return calibration.apply(number)


def _same_number(level: int, figures: Mapping[str, int]) -> None:
    """Refuses the recorded number of a level that means something else than this version's."""
    from levelgen.rate import RATING

    version = figures.get("rating_version", 0)
    if version != RATING:
        raise Malformed.of(
            "rate/version", f"level {level} holds version {version} of the difficulty number; this is {RATING}",
            fix="build the pack again, a level that its recipe has under `keep` once it is taken from there; or use the"
            " levelgen that built it",
        )  # fmt: skip


def _way_out(deal: Deal, name: str) -> tuple[Move, ...]:
    """The moves of a solution of the kernel's.

    Raises:
        AnswerIsNo: the board cannot be won, so that it has no difficulty.
        Undecided: nobody knows.
    """
    from levelgen.solve import prove

    proof = prove(deal)
    if proof.verdict == "unsolvable":
        raise AnswerIsNo.of("rate/unsolvable", "cannot be won: it has no difficulty", name, "levelgen explain says why")
    if proof.verdict != "solved":
        raise Undecided.of("rate/undecided", f"whether it can be won is open after {proof.work} of work", name)
    return proof.moves


def _rate(
    name: str, level: int | None, deal: Deal, solution: Solution | Sequence[Move], fitted: Calibration | None,
    guests: Sequence[str], tier: Tier = "full",
) -> Rated:  # fmt: skip
    """A deal rated, and what the guests make of it, by name."""
    from levelgen.candidates import SEED
    from levelgen.rate import rate
    from levelgen.rate.guests import figures

    found = rate(deal, solution, SEED, tier)
    game = deal.board.ruleset.id
    every = dict(sorted({**found.figures, **figures(deal, guests, SEED)}.items()))
    return Rated(
        name, level, found.number, found.seconds, found.shares, every, game, _fitted(fitted, found.number, game)
    )


def _tell(rated: Sequence[Rated]) -> None:
    """A line a board; of a single one every figure and share."""
    if len(rated) == 1:
        (one,) = rated
        show(f"{one.name}: {one.number} of 1000, about {one.seconds // 60}:{one.seconds % 60:02} min to play")
        if one.calibrated is not None:
            show(f"players lose {one.calibrated} of 1000 games")
        rows = [("share", name, str(value)) for name, value in _by_size(one.shares)]
        rows += [("figure", name, str(value)) for name, value in one.figures.items()]
        table(rows, ("kind", "name", "value"))
        return
    fitted, shared = (any(one.calibrated is not None for one in rated), any(one.shares for one in rated))
    header = ("level", "number", "seconds", *(("players lose",) if fitted else ()),
              *(("most of it from",) if shared else ()))  # fmt: skip
    table(
        [
            (
                one.name, str(one.number), str(one.seconds),
                *((str(one.calibrated),) if fitted else ()),
                *((_most(one),) if shared else ()),
            )
            for one in rated
        ],
        header,
    )  # fmt: skip


def _most(one: Rated) -> str:
    """The shares that add most to a number."""
    return ", ".join(f"{name} {value}" for name, value in _by_size(one.shares)[:SHOWN_SHARES] if value)


def _by_size(shares: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))


def _write_csv(rated: Sequence[Rated]) -> None:
    """A header and a row a board; figures in the order of their names, shares as `share_NAME`."""
    figures = sorted({name for one in rated for name in one.figures})
    shares = sorted({name for one in rated for name in one.shares})
    calibrated = any(one.calibrated is not None for one in rated)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["name", "level", "rating", "seconds", *(["calibrated"] if calibrated else []), *figures,
                     *(f"share_{name}" for name in shares)])  # fmt: skip
    for one in rated:
        writer.writerow([
            one.name, "" if one.level is None else one.level, one.number, one.seconds,
            *([one.calibrated] if calibrated else []),
            *(one.figures.get(name, "") for name in figures), *(one.shares.get(name, "") for name in shares),
        ])  # fmt: skip


@click.command("calibrate", epilog="Example:  levelgen calibrate plays.csv --pack out/eram -o eram.calibration.json")
@click.argument("plays", metavar="CSV")
@click.option(
    "--pack", metavar="PACK", shell_complete=packs, help="The pack that was played; its records hold the numbers."
)
@click.option("-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="Write the calibration there.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The calibration as JSON.")
def calibrate_command(plays: str, pack: str | None, out: Path | None, key: str | None, as_json: bool) -> int:
    """Fit the difficulty number to what real players did: CSV has the columns level, plays, wins.

    A level is its number, or PACK#N as `rate --csv` names it. Without --pack a column `rating` is needed too, all of
    one game. A fifth of the levels is held out of the fit; how well the number ranks those is reported. `rate
    --calibration FILE` applies what is written, with --pack to levels of that pack's game only.
    """
    import json

    from levelgen.pack.disk import write_file
    from levelgen.rate import RATING
    from levelgen.rate.calibration import HELD_OUT, calibrate, read_plays

    if out is not None:
        writable(out, plays)
    ratings, name, game = None, "", ""
    if pack is not None:
        ratings, name, game = _numbers(pack, key)
    try:
        text = read_bytes(plays).decode()
    except UnicodeDecodeError:
        raise Malformed.of("plays/encoding", "is not UTF-8", plays, "save it as UTF-8") from None
    fitted = calibrate(read_plays(text, plays, ratings, name), RATING, game)
    if out is not None:
        write_file(out, (json.dumps(fitted.to_json()) + "\n").encode())
    if as_json:
        emit_json("calibrate/1", {**fitted.to_json(), "out": str(out) if out else None})
        return 0
    show(f"fitted to {counted(fitted.levels, 'level')}, judged by {fitted.held_out} others:")
    ranked = _thousandths(fitted.rank_correlation)
    show(f"rank correlation {ranked}, games lost off by {fitted.error} of 1000 at the median")
    if fitted.rank_correlation < WEAK:
        say("warning: the number hardly orders these levels as players do: what is fitted to it says little of them")
    if fitted.held_out < FEW:
        say(f"warning: {fitted.held_out} levels are too few to judge it by: {FEW * HELD_OUT} with plays are enough")
    for number in range(0, 1001, 100):
        show(f"{number}\t{fitted.apply(number)}")
    if out is not None:
        show(str(out))
    return 0


def _numbers(source: str, key: str | None) -> tuple[dict[str, int], str, str]:
    """The recorded number of each level of a pack, by level, the pack's name and its game."""
    from levelgen.pack.verify import open_pack

    with open_pack(Path(source), trust_from(key)) as pack:
        found, game = {}, ""
        for one in _recorded(pack, pack.numbers, None):
            _same_number(one.level or 0, one.figures)
            found[str(one.level)], game = one.number, one.game
        return found, pack.manifest.pack, game


def _thousandths(value: int) -> str:
    return f"{'-' if value < 0 else ''}{abs(value) // 1000}.{abs(value) % 1000:03}"
