"""Manifests, single levels, and whole packs with a log."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from levelgen.moves import Log
from levelgen.pack.archive import INDEX, LEVELS, MANIFEST, TREE, archive_bytes
from levelgen.pack.manifest import FaceSetMark, FileMark, Manifest, parse_manifest, ruleset_digest
from levelgen.pack.merkle import build_tree, leaf_hash, path_of
from levelgen.pack.signing import TrustRoot, sign
from levelgen.pack.strict import digest
from levelgen.pack.strict import encode as encode_json
from levelgen.pack.verify import LevelProof, open_pack, verify_level
from levelgen.rules import RULESETS
from levelgen.tools import SILENT, Allowance
from levelgen.vectors.boards import context_json, moves_of
from levelgen.vectors.case import Case, codes_of, spelled_input
from levelgen.vectors.records import tiny_record
from levelgen.vectors.trust import vector_signer
from levelgen.verify import Context, Record, context_of, judge


def _tiny_pack(ruleset: str = "pairs", levels: int = 5) -> tuple[dict[str, bytes], Manifest, list[bytes]]:
    """The members of a small client edition, its manifest and its records' lines."""
    lines = [tiny_record(number, ruleset)[0].encode() for number in range(1, levels + 1)]
    data = b"".join(line + b"\n" for line in lines)
    tree = build_tree(map(leaf_hash, lines))
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    manifest = Manifest(
        "tiny", "Tiny pack · छोटो", 1, None, 1, ruleset_digest(RULESETS[ruleset]), FaceSetMark("demo", "ab" * 32, True),
        1, levels, tree[-32:].hex(), {LEVELS: FileMark(len(data), digest(data))},
    )  # fmt: skip
    members = {
        INDEX: b"".join(offset.to_bytes(8, "little") for offset in offsets),
        LEVELS: data,
        MANIFEST: sign(manifest.encode(), [vector_signer("a")]),
        TREE: tree,
    }
    return members, manifest, lines


_EARNED = {"every": 5, "undo": 1, "hint": 1, "shuffle": 1}
_RACE = {"undo": 2, "hint": 0, "shuffle": 0, "provisional": True}
_MANIFEST_CHANGES: tuple[tuple[str, Any], ...] = (
    ("v", 2), ("v", True), ("pack", "Tiny"), ("title", ""), ("title", "x" * 200), ("title", "x" * 201),
    ("title", "a\nb"),
    ("title", "\u202eevil"), ("title", "\U0001fa81" * 200), ("version", 0), ("version", None), ("previous", "ab" * 32),
    ("previous", "ab"), ("generator", 0), ("ruleset_sha256", "AB" * 32), ("face_set", {}), ("face_set", None),
    ("face_set", {"id": "demo", "sha256": "ab" * 32, "provisional": 1}), ("first", 0), ("first", 1_000_000_000),
    ("levels", 0), ("levels", 10_000_001), ("merkle_root", ""), ("files", {}), ("files", None),
    ("files", {"levels.jsonl": {"size": -1, "sha256": "ab" * 32}}), ("files", {"levels.jsonl": {"size": 1}}),
    ("files", {"levels.jsonl": {"size": 1, "sha256": "ab" * 32}, "tree.bin": {"size": 1, "sha256": "ab" * 32}}),
    ("files", {"levels.jsonl": {"size": 1, "sha256": "ab" * 32}, "certificates.jsonl": {"size": 1, "sha256": ""}}),
    ("files", {"certificates.jsonl": {"size": 0, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": ""}}),
    ("files", {"evidence/a.json": {"size": 1, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": "ab" * 32}}),
    ("files", {"evidence/../a": {"size": 1, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": "ab" * 32}}),
    ("more", 1), ("tools", None), ("tools", {}), ("tools", {"earned": _EARNED}), ("tools", {"race": _RACE}),
    ("tools", {"earned": _EARNED, "race": _RACE}), ("tools", {"race": _RACE, "earned": _EARNED}), ("tools", [_RACE]),
    ("tools", {"earned": _EARNED, "more": 1}), ("tools", {"earned": _EARNED | {"every": 0}}), ("tools", {"race": None}),
    ("tools", {"earned": _EARNED | {"undo": None}}), ("tools", {"race": _RACE | {"provisional": 1}}),
    ("tools", {"race": dict(reversed(_RACE.items()))}), ("tools", {"race": _RACE | {"shuffle": 1_000_001}}),
    ("tools", {"race": _RACE | {"shuffle": 1_000_000}}), ("tools", {"race": _RACE | {"hint": True}}),
)  # fmt: skip


def manifest_cases() -> Iterator[Case]:
    """A manifest, and every field of it spoilt."""
    plain = _tiny_pack()[1].to_json()
    payloads = [encode_json(plain)]
    payloads += [encode_json(plain | {name: value}) for name, value in _MANIFEST_CHANGES]
    payloads += [
        encode_json({name: value for name, value in plain.items() if name != "files"}),
        encode_json({"tools": {"race": _RACE}} | plain),
        encode_json(dict(reversed(plain.items()))),
        json.dumps(plain).encode(),
        b"[]",
        b"",
    ]
    for payload in payloads:
        codes = codes_of(lambda payload=payload: parse_manifest(payload))  # type: ignore[misc]
        yield spelled_input(payload)[1] | {"refused": codes}


def context_cases() -> Iterator[Case]:
    """What the server knows, the record and the manifest, and the context that follows."""
    allowance = Allowance(5, (1, 2, 3), (2, 0, 0), True)
    rich, plain = _tiny_pack()[1], replace(_tiny_pack("triples")[1], tools=replace(allowance, race=None))
    rich = replace(rich, tools=allowance)
    games: tuple[tuple[str, Manifest, str, int, Case], ...] = (
        ("the level's own tools", rich, "pairs", 1, {}),
        ("the player's balance", rich, "pairs", 1, {"balance": {"undo": 7, "shuffle": 0}}),
        ("null says nothing", rich, "pairs", 1, {"balance": {"undo": None, "hint": None}}),
        ("a first completion that earns nothing", rich, "pairs", 4, {"first": True}),
        ("a first completion that earns", rich, "pairs", 5, {"first": True}),
        ("a second completion", rich, "pairs", 5, {}),
        ("a race", rich, "pairs", 5, {"race": True}),
        ("no race", plain, "triples", 1, {"race": True}),
        ("nothing signed of tools", replace(rich, tools=SILENT), "pairs", 5, {"first": True}),
        ("triples", plain, "triples", 5, {"first": True, "balance": {"hint": 1}}),
    )
    for name, manifest, ruleset, number, known in games:
        record = replace(tiny_record(number, ruleset)[0], tools={"undo": 2} if number == 4 else {"undo": 3, "hint": 1})
        line = record.encode()

        def answer(record: Record = record, manifest: Manifest = manifest, known: Case = known) -> Context:
            return context_of(record, manifest, known.get("balance"), first=known.get("first", False),
                              race=known.get("race", False))  # fmt: skip

        codes = codes_of(answer)
        told = {"refused": codes} if codes else {"context": context_json(answer())}
        yield {"name": name, "manifest": manifest.encode().decode(), "line": line.decode(), "known": known, **told}


def level_cases() -> Iterator[Case]:
    """A level proved, and what does not prove it."""
    members, manifest, lines = _tiny_pack()
    path = path_of(members[TREE], 5, 2)
    strange = encode_json(json.loads(lines[2]) | {"pack": "other"})
    alone = replace(manifest, levels=1, first=3, merkle_root=leaf_hash(strange).hex())
    broken = replace(alone, merkle_root=leaf_hash(b"{}").hex())
    own = replace(alone, merkle_root=leaf_hash(lines[2]).hex())
    others = replace(manifest.face_set, id="others")
    cases: tuple[tuple[str, Manifest, LevelProof], ...] = (
        ("good", manifest, LevelProof(3, lines[2], path)),
        ("another level's record", manifest, LevelProof(3, lines[1], path)),
        ("another level's number", manifest, LevelProof(2, lines[2], path)),
        ("no such level", manifest, LevelProof(6, lines[2], path)),
        ("path cut short", manifest, LevelProof(3, lines[2], path[:-1])),
        ("a byte changed", manifest, LevelProof(3, lines[2].replace(b'"undo":2', b'"undo":3'), path)),
        ("a line feed kept", manifest, LevelProof(3, lines[2] + b"\n", path)),
        ("signed, but of another pack", alone, LevelProof(3, strange, ())),
        ("signed, but no record", broken, LevelProof(3, b"{}", ())),
        ("signed, but of another ruleset", replace(own, ruleset_sha256="0" * 64), LevelProof(3, lines[2], ())),
        ("signed, but of another face set", replace(own, face_set=others), LevelProof(3, lines[2], ())),
        ("signed, but of another generator", replace(own, generator=2), LevelProof(3, lines[2], ())),
    )
    for name, signed, proof in cases:
        refused = codes_of(lambda s=signed, p=proof: verify_level(p, s))  # type: ignore[misc]
        yield {"name": name, "manifest": signed.encode().decode(), "level": proof.level, "line": proof.line.decode(),
               "path": [node.hex() for node in proof.path], "refused": refused}  # fmt: skip


def pack_cases() -> Iterator[Case]:
    """Packs whole, healed and spoilt, as archives."""
    for ruleset, number in (("pairs", 2), ("triples", 1)):
        members, _, _ = _tiny_pack(ruleset, 3)
        log = Log("tiny", number, tiny_record(number, ruleset)[1])
        yield _pack(f"good, {ruleset}", archive_bytes(members), number, log)
    good, log = archive_bytes(members), Log("tiny", 1, moves_of("0"))
    own = digest(members[LEVELS].split(b"\n")[0])
    yield _pack("the record's digest", good, 1, replace(log, record=own))
    yield _pack("another record's digest", good, 1, replace(log, record="0" * 64))
    for name in (INDEX, TREE):
        yield _pack(f"{name} missing", archive_bytes({n: data for n, data in members.items() if n != name}), 1, log)
        yield _pack(f"{name} wrong", archive_bytes(members | {name: bytes(len(members[name]))}), 1, log)
    yield _pack("another level's log", good, 2, log)
    yield _pack("no such level", good, 4, log)
    moved = members[LEVELS].replace(b'"level":1,', b'"level":7,')
    yield _pack("a record changed", archive_bytes(members | {LEVELS: moved}), 1, log)
    yield _pack("a record changed, another asked for", archive_bytes(members | {LEVELS: moved}), 2, Log("tiny", 2, ()))
    yield _pack("a record changed, tree wrong", archive_bytes(members | {LEVELS: moved, TREE: b""}), 1, log)
    joined = members[LEVELS].replace(b"\n", b" ", 1)
    yield _pack("two records in one line", archive_bytes(members | {LEVELS: joined, TREE: b""}), 1, log)
    yield _pack("records cut short", archive_bytes(members | {LEVELS: members[LEVELS][:-1]}), 1, log)
    yield _pack("no records", archive_bytes({n: data for n, data in members.items() if n != LEVELS}), 1, log)
    yield _pack("no manifest", archive_bytes({n: data for n, data in members.items() if n != MANIFEST}), 1, log)
    yield _pack("another pack's manifest", archive_bytes(members | {MANIFEST: _tiny_pack()[0][MANIFEST]}), 1, log)
    small = archive_bytes({MANIFEST: b"{}"})
    end = len(small) - 22
    for name, data in {
        "nothing": b"", "no archive": b"x" * 22, "cut short": small[:-1], "something in front": b"x" + small,
        "something behind": small + b"x", "empty": archive_bytes({}), "time set": small[:10] + b"\1" + small[11:],
        "a comment": small[:-2] + b"\1\0x", "another name": small.replace(b"manifest.dsse.json", b"manifest.dsse.jsoN"),
        "a name out of the pack": small.replace(b"manifest.dsse.json", b"../../../../a.json"),
        "compressed": small.replace(b"\0\0\0\0\x21\0", b"\x08\0\0\0\x21\0"), "listed, not there": small[48:],
        "the list elsewhere": small[:end + 16] + b"\0" + small[end + 17:],
        "one more counted": small[:end + 8] + b"\2\0\2\0" + small[end + 12:],
    }.items():  # fmt: skip
        yield _pack(f"container: {name}", data, 1, log)


def _pack(name: str, archive: bytes, number: int, log: Log) -> Case:
    key = vector_signer("a").public
    case: Case = {
        "name": name, "archive": base64.b64encode(archive).decode(), "key": key.hex(), "level": number,
        "log": log.to_text(),
    }  # fmt: skip

    def answer() -> Case:
        with open_pack(archive, TrustRoot.of([key])) as pack:
            return judge(pack.level(number), log).to_json()

    codes = codes_of(answer)
    return case | ({"refused": codes} if codes else {"verdict": answer()})
