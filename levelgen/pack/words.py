"""The words that records and certificates are made of, and both read word by word.

Levels share most of what they are made of: slots, names, figures, rulesets. A word is checked when it is first met and
looked up from then on. `read_words` and `read_proof` cut a line that is spelt as levelgen writes it into its words,
with one pattern and no JSON parser: half the time of reading a record, a quarter of a certificate's. Of any other line
they say nothing: whoever asks parses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from levelgen.errors import LevelgenError, Malformed
from levelgen.layout import MAX_COORDINATE, MAX_TILES, Slot
from levelgen.pack.strict import MAX_LINE, decode, encode, is_count, is_match
from levelgen.rules import Ruleset
from levelgen.tools import AIDS, MAX_COUNT

PACK_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}", re.ASCII)
"""Faces, face sets, templates."""
FIGURE = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)
"""Difficulty figures."""
SEED = re.compile(r"[ -~]{1,256}", re.ASCII)
READING = re.compile(r"[a-z+]{1,64}(?:/[a-z]{1,16})?", re.ASCII)
WORD = re.compile(r"[a-z][a-z-]{0,31}", re.ASCII)
"""What a certificate says of a claim."""
MAX_TEMPLATES = 64
MAX_READINGS = 64
MAX_FIGURES = 256
KEPT = 1 << 16
"""Words of one kind that are remembered."""

K = TypeVar("K")
V = TypeVar("V")


class _Met(dict[K, V]):
    """The words of one kind met so far. `read` says what a new one means, and raises KeyError if it is none."""

    def __init__(self, read: Callable[[K], V], kept: int = KEPT) -> None:
        super().__init__()
        self._read, self._kept = read, kept

    def __missing__(self, word: K) -> V:
        meaning = self._read(word)
        if len(self) >= self._kept:
            self.clear()
        self[word] = meaning
        return meaning


def _slot(place: tuple[int, ...]) -> Slot:
    if len(place) != 3 or not all(is_count(number, 0, MAX_COORDINATE) for number in place):
        raise KeyError(place)
    return Slot(*place)


def _name(name: str) -> str:
    if not is_match(name, NAME):
        raise KeyError(name)
    return name


def _spelt_slot(word: bytes) -> Slot:
    if not re.fullmatch(rb"%s,%s,%s" % ((_COUNT,) * 3), word):
        raise KeyError(word)
    return _slot(tuple(map(int, word.split(b","))))


def _spelt_name(word: bytes) -> str:
    return _name(word.decode("ascii"))


def _spelt_tile(word: bytes) -> int:
    if not re.fullmatch(_COUNT, word) or int(word) >= MAX_TILES:
        raise KeyError(word)
    return int(word)


def _spelt_step(word: bytes) -> tuple[int, ...]:
    return tuple(map(_spelt_tile, word.split(b",")))


def _spelt_reading(word: bytes) -> str:
    if not READING.fullmatch(reading := word.decode("ascii")):
        raise KeyError(word)
    return reading


def _spelt_figure(word: bytes) -> tuple[str, int]:
    found = re.fullmatch(rb'"([a-z][a-z0-9_]{0,63})":(0|-?[1-9][0-9]{0,14})', word)
    if found is None:
        raise KeyError(word)
    return found[1].decode("ascii"), int(found[2])


def _spelt_ruleset(word: bytes) -> Ruleset:
    try:
        return ruleset_of(decode(word, "ruleset", booleans=False))
    except LevelgenError:
        raise KeyError(word) from None


def _spelt_tools(word: bytes) -> Mapping[str, int | None]:
    try:
        tools = decode(word, "tools", booleans=False)
    except Malformed:
        raise KeyError(word) from None
    if not are_tools(tools):
        raise KeyError(word)
    return tools  # type: ignore[no-any-return]


_COUNT = rb"(?:0|[1-9][0-9]{0,3})"
slot_of = _Met(_slot).__getitem__
"""The slot of three coordinates; KeyError if it is none, TypeError if it holds a list."""
name_of = _Met(_name).__getitem__
"""A name itself; KeyError if it is none, TypeError if it is a list."""
_slot_spelt, _name_spelt = _Met(_spelt_slot).__getitem__, _Met(_spelt_name).__getitem__
_tile_spelt, _figure_spelt = _Met(_spelt_tile).__getitem__, _Met(_spelt_figure).__getitem__
_step_spelt, _reading_spelt = _Met(_spelt_step).__getitem__, _Met(_spelt_reading, 256).__getitem__
_ruleset_spelt, _tools_spelt = _Met(_spelt_ruleset, 256).__getitem__, _Met(_spelt_tools, 256).__getitem__
_rulesets: dict[str, Ruleset] = {}
_figures: set[tuple[str, ...]] = set()


def ruleset_of(data: dict[str, Any]) -> Ruleset:
    """The ruleset a record spells, whole and in order.

    Raises:
        Malformed: it is none, or is spelt otherwise.
    """
    spelt = repr(data)
    ruleset = _rulesets.get(spelt)
    if ruleset is None:
        ruleset = Ruleset.from_json(data)
        if encode(ruleset.to_json()) != encode(data):
            raise Malformed.of("ruleset/spelling", "does not spell every parameter once and in order", "ruleset")
        if len(_rulesets) >= 256:
            _rulesets.clear()
        _rulesets[spelt] = ruleset
    return ruleset


def in_order(names: tuple[str, ...]) -> bool:
    """Whether figures stand in the order of their names, which levels share."""
    if names not in _figures:
        if list(names) != sorted(names):
            return False
        if len(_figures) >= 256:
            _figures.clear()
        _figures.add(names)
    return True


def are_tools(value: Any) -> bool:
    """Whether `value` is an object of tools and budgets, each a count or null, in order."""
    return (
        isinstance(value, dict)
        and ((*value,) == AIDS or [name for name in AIDS if name in value] == list(value))
        and all(budget is None or is_count(budget, 0, MAX_COUNT) for budget in value.values())
    )


_NAMES = rb'[A-Za-z0-9._:/,"-]*'
_DIGEST = rb'"([0-9a-f]{64})"'
_LINE = re.compile(
    rb'\{"v":1,"pack":"(%s)","level":([1-9][0-9]{0,8}),"ruleset":(\{[^{}]*\}),"slots":\[\[([0-9,\]\[]*)\]\],'
    rb'"face_set":"(%s)","faces":\["(%s)"\],"face_down":\[([0-9,]*)\],"templates":\[(?:"(%s)")?\],'
    rb'"seed":"([ !#-\[\]-~]{1,256})","attempt":(0|[1-9][0-9]{0,14}),"generator":([1-9][0-9]{0,14}),'
    rb'"difficulty":\{([a-z0-9_,":-]*)\},"tools":(\{[^{}]*\}),"sources_sha256":%s,"certificate_sha256":%s\}'
    % (PACK_ID.pattern.encode(), NAME.pattern.encode(), _NAMES, _NAMES, _DIGEST, _DIGEST)
)


def read_words(line: bytes) -> tuple[Any, ...] | None:
    """The values of a record's fields, all but `v`, in order; None where only a parser can tell."""
    if len(line) > MAX_LINE:
        return None
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    (
        pack, level, ruleset, slots, face_set, faces, face_down, templates, seed, attempt, generator, difficulty, tools,
        sources, certificate,
    ) = found.groups()  # fmt: skip
    try:
        places = tuple(map(_slot_spelt, slots.split(b"],[")))
        shown = tuple(map(_name_spelt, faces.split(b'","')))
        hidden = tuple(map(_tile_spelt, face_down.split(b","))) if face_down else ()
        names = () if templates is None else tuple(map(_name_spelt, templates.split(b'","')))
        pairs = [*map(_figure_spelt, difficulty.split(b","))] if difficulty else []
        rules, budgets = _ruleset_spelt(ruleset), _tools_spelt(tools)
    except KeyError:
        return None
    figures = dict(pairs)
    if not (
        len(shown) == len(places) <= MAX_TILES
        and len(names) <= MAX_TEMPLATES
        and len(figures) == len(pairs) <= MAX_FIGURES
        and in_order((*figures,))
        and (not hidden or (hidden[-1] < len(places) and all(map(int.__lt__, hidden, hidden[1:]))))
    ):
        return None
    return (
        pack.decode(), int(level), rules, places, face_set.decode(), shown, hidden, names, seed.decode(), int(attempt),
        int(generator), figures, dict(budgets), sources.decode(), certificate.decode(),
    )  # fmt: skip


_PROOF = re.compile(
    rb'\{"v":1,"pack":"(%s)","level":([1-9][0-9]{0,8}),"claim":"solved","solution":\[(?:\[([0-9,\]\[]+)\]|([0-9,]+))\],'
    rb'"holds_under":\["([a-z+/,"]*)"\],"peak":(%s),"par":\{"value":(%s),"claim":"(%s)"\},'
    rb'"guess_free":\{"value":"(%s)","claim":"(%s)"\},"robust":"(%s)"\}'
    % (PACK_ID.pattern.encode(), _COUNT, _COUNT, *(WORD.pattern.encode(),) * 4)
)


def read_proof(line: bytes) -> tuple[Any, ...] | None:
    """The values of a certificate's fields, all but `v` and `claim`, in order; None where only a parser can tell."""
    if len(line) > MAX_LINE:
        return None
    found = _PROOF.fullmatch(line)
    if found is None:
        return None
    pack, level, pairs, picks, readings, peak, par, *claims = found.groups()
    try:
        solution = tuple(map(_step_spelt, picks.split(b",") if pairs is None else pairs.split(b"],[")))
        holds_under = tuple(map(_reading_spelt, readings.split(b'","')))
    except KeyError:
        return None
    if not (
        len(solution) <= MAX_TILES
        and (pairs is None or set(map(len, solution)) == {2})
        and len(holds_under) <= MAX_READINGS
        and int(peak) <= MAX_TILES
        and int(par) <= MAX_TILES
    ):
        return None
    return (
        pack.decode(), int(level), solution, holds_under, int(peak), int(par), *(claim.decode() for claim in claims),
    )  # fmt: skip
