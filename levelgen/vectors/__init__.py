"""Conformance vectors: what any implementation of the formats must answer, as JSON files to be vendored.

    vector_files()      name → bytes; the same bytes for the same version of the formats
    random_play(…)      the random games in them, for whoever wants more of the same

`docs/formats.md` says what each file holds. Everything is derived from named streams and from the law; a key made for
this purpose signs. `index.json` lists the files with their digests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from levelgen.pack.strict import digest
from levelgen.pack.strict import encode as encode_json
from levelgen.vectors.boards import (
    board_json,
    context_json,
    gate_cases,
    heap,
    random_board,
    random_context,
    random_play,
    random_rules,
)
from levelgen.vectors.case import Case
from levelgen.vectors.games import play_cases, shuffle_cases, verdict_case, verdict_cases
from levelgen.vectors.logs import log_cases, saved_cases
from levelgen.vectors.packs import context_cases, level_cases, manifest_cases, pack_cases
from levelgen.vectors.records import json_cases, record_cases
from levelgen.vectors.releases import release_cases
from levelgen.vectors.streams import STREAMS, daily_cases, stream_case
from levelgen.vectors.trust import envelope_cases, inclusion_cases, key_cases, merkle_cases, signature_cases

VERSION = 1
"""Raised when a case changes its meaning; new cases do not raise it."""


_TABLE: dict[str, tuple[str, Callable[[], Iterator[Case]]]] = {
    "gates": ("slots and blocking compiled to gates: per tile the alternatives, each a list of blockers", gate_cases),
    "plays": ("moves without tools: what is refused and why, and the state after what is accepted", play_cases),
    "verdicts": ("whole logs with tools under a context, and their verdicts", verdict_cases),
    "shuffles": ("positions shuffled by a seed: the face of every tile, or null when refused", shuffle_cases),
    "logs": ("logs as text and as JSON: what they say, or why and where they cannot be read", log_cases),
    "saved": ("saved logs, perhaps cut short: what is left and what was torn", saved_cases),
    "json": ("JSON read strictly: refused, or whether it is spelt canonically", json_cases),
    "records": ("lines of levels.jsonl: pack, level, tiles and ruleset digest, or why they are refused", record_cases),
    "merkle": ("trees over lines: root, digest of tree.bin, and the inclusion path of every leaf", merkle_cases),
    "inclusions": ("inclusion paths, good and bad", inclusion_cases),
    "keys": ("raw public keys: their id, or why they are not to be trusted", key_cases),
    "signatures": ("Ed25519 signatures, good and bad", signature_cases),
    "envelopes": ("DSSE envelopes: the payload, or why it is refused", envelope_cases),
    "releases": (
        "visits to a channel: trust roots, a release, what was seen; what to remember, or why not",
        release_cases,
    ),
    "manifests": ("manifest payloads, accepted or refused", manifest_cases),
    "contexts": ("a record, a manifest and what the server knows: the context, or why there is none", context_cases),
    "levels": ("single levels: a record and its inclusion path under a manifest, accepted or refused", level_cases),
    "packs": ("client editions as .lgpack with a log: the verdict, or why pack or log is refused", pack_cases),
    "daily": ("moments, their date in Kathmandu, and the seeds of that day's deals", daily_cases),
}


def vector_files() -> dict[str, bytes]:
    """Every file of the set by name."""
    files = {"streams.json": _lines([stream_case(*name) for name in STREAMS], "[\n", "\n]\n")}
    for name, (about, cases) in _TABLE.items():
        head = f'{{"v":{VERSION},"about":{json.dumps(about)},"cases":[\n'
        files[f"{name}.json"] = _lines(cases(), head, "\n]}\n")
    index = {name: {"cases": data.count(b"\n") - 2, "sha256": digest(data)} for name, data in sorted(files.items())}
    listed = ",\n".join(f"{json.dumps(name)}:{encode_json(entry).decode()}" for name, entry in index.items())
    files["index.json"] = f'{{"v":{VERSION},"files":{{\n{listed}\n}}}}\n'.encode()
    return files


def _lines(cases: Iterable[Case], head: str, tail: str) -> bytes:
    """A file with one case a line, so that a difference shows which case changed."""
    return (head + ",\n".join(json.dumps(case) for case in cases) + tail).encode()


__all__ = [
    "VERSION", "board_json", "context_json", "heap", "random_board", "random_context", "random_play",
    "random_rules", "vector_files", "verdict_case",
]  # fmt: skip
