"""The conformance vectors are what `levelgen vectors` writes, they cover every reason, and Python passes them.

Each file is read back and answered through the names that other programs use, not through the code that wrote it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from levelgen.board import Position, tiles_of
from levelgen.cli import run
from levelgen.daily import daily_number, daily_seed, kathmandu_date
from levelgen.deal import shuffle
from levelgen.errors import LevelgenError
from levelgen.layout import Layout
from levelgen.moves import REASONS, decode, encode, parse_log
from levelgen.pack import strict
from levelgen.pack.manifest import parse_manifest, ruleset_digest
from levelgen.pack.merkle import build_tree, leaf_hash, path_of, verify_inclusion
from levelgen.pack.records import parse_board, parse_record
from levelgen.pack.release import accept_release, parse_seen
from levelgen.pack.signing import TrustRoot, key_id, open_envelope, pae, public_key_findings, verify_signature
from levelgen.pack.verify import LevelProof, open_pack, verify_level
from levelgen.recipe import daily_plans, open_project, read_recipe
from levelgen.replay import Context, replay
from levelgen.rules import gates
from levelgen.saved import recover_log
from levelgen.seed import Stream
from levelgen.vectors import context_json, vector_files
from levelgen.vectors.releases import accepted_json
from levelgen.verify import context_of, judge
from tests.boards import moves
from tests.conftest import Golden

VECTORS = Path(__file__).with_name("vectors")
ROOT = VECTORS.parent.parent
RECIPE = VECTORS.parent.parent / "templates" / "packs" / "tilematch.yaml"
Case = dict[str, Any]


def test_the_committed_vectors_are_those_of_this_version(golden: Golden) -> None:
    for name, data in vector_files().items():
        golden(f"vectors/{name}", data)


def test_no_vector_is_left_over() -> None:
    assert {path.name for path in VECTORS.glob("*.json")} == set(vector_files())


def test_the_command_writes_them(tmp_path: Path) -> None:
    assert run(["vectors", "-o", str(tmp_path / "new" / "folder")]) == 0
    for name, data in vector_files().items():
        assert (tmp_path / "new" / "folder" / name).read_bytes() == data


def test_the_index_names_every_file_by_digest() -> None:
    index = json.loads((VECTORS / "index.json").read_bytes())
    assert index["v"] == 1
    for name, entry in index["files"].items():
        data = (VECTORS / name).read_bytes()
        assert entry == {"cases": len(cases(name)), "sha256": sha256(data).hexdigest()}


def test_they_are_small_enough_to_vendor() -> None:
    assert sum(path.stat().st_size for path in VECTORS.glob("*.json")) < 1_000_000


def cases(name: str) -> list[Case]:
    data = json.loads((VECTORS / name).read_bytes())
    return data if isinstance(data, list) else data["cases"]


def test_every_refusal_and_warning_occurs() -> None:
    steps = [step for play in cases("plays.json") for step in play["steps"]]
    verdicts = [case["verdict"] for case in cases("verdicts.json")]
    packs = [case["verdict"] for case in cases("packs.json") if "verdict" in case]
    refusals = [answer["refused"]["reason"] for answer in (*steps, *verdicts, *packs) if answer["refused"]]
    assert set(refusals) == set(REASONS)
    assert {verdict["verdict"] for verdict in verdicts} == {"won", "lost", "unfinished", "refused"}
    assert {warned["warning"] for verdict in verdicts for warned in verdict["warnings"]} == {"last-slot"}
    assert {step.get("warning") for step in steps} == {"last-slot", "", None}
    assert {case["faces"] is None for case in cases("shuffles.json")} == {True, False}
    assert {bool(case["board"].get("tray")) for case in cases("shuffles.json") if case["faces"]} == {True, False}


def codes_in(value: Any) -> set[str]:
    """Every code with which something in a file of vectors is refused."""
    if isinstance(value, list):
        return set().union(*map(codes_in, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    told = [*(value.get("refused") or []), value.get("torn")] if isinstance(value.get("refused", []), list) else []
    own = {one if isinstance(one, str) else one["code"] for one in told if one}
    return own.union(*map(codes_in, value.values()))


NOT_IN_VECTORS = {
    "key/algorithm": "keys stand in the vectors as raw bytes, not as PEM",
    "key/public": "the same",
    "key/demonstration": "a trust root for releases is a choice of whoever makes it",
    "key/threshold": "the same",
    "system/ed25519": "what the platform lacks",
    "daily/not-here": "the vectors hold no pack of many days",
    "trust/too-long": "a trust root of more than 2 MiB",
    "pack/too-long": "an envelope of more than 8 MiB",
}


def test_every_code_a_client_can_give_occurs() -> None:
    source = (ROOT / "levelgen" / "clients" / "levelgen.mjs").read_text(encoding="utf-8")
    known = set(re.findall(r'"([a-z]+/[a-z0-9-]+)"', source)) - {"application/vnd"}
    for kind, checks in (("record", "RECORD_CHECKS"), ("manifest", "const checks")):
        body = re.search(rf"{checks} = {{\n(.*?)\n *}};", source, re.DOTALL)
        assert body is not None
        indent = min(len(line) - len(line.lstrip()) for line in body[1].splitlines())
        known |= {f"{kind}/{name.replace('_', '-')}" for name in re.findall(rf"^ {{{indent}}}(\w+):", body[1], re.M)}
    for kind in ("record", "manifest", "signature"):
        known |= {f"{kind}/{what}" for what in ("not-an-object", "unknown-field", "missing-field", "field-order")}
    found = set().union(*(codes_in(json.loads(path.read_bytes())) for path in VECTORS.glob("*.json")))
    assert known - found - set(NOT_IN_VECTORS) == set()
    assert not found & set(NOT_IN_VECTORS)


def test_the_page_names_every_code_in_the_vectors() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    found = set().union(*(codes_in(json.loads(path.read_bytes())) for path in VECTORS.glob("*.json")))
    kinds, defects = (
        "record|manifest|signature|trust|release|state",
        "not-an-object|unknown-field|missing-field|field-order",
    )
    general = re.compile(f"(?:{kinds})/({defects})")
    spelt = {general.sub(r"KIND/\1", code) for code in found}
    assert [code for code in sorted(spelt) if f"`{code}`" not in page] == []
    table = page.partition("## Plays")[2].partition("| reason | when |\n|---|---|\n")[2].partition("\n\n")[0]
    listed = [code for line in table.splitlines() for code in re.findall(r"`([a-z-]+)`", line.split("|")[1])]
    order = [code for code in REASONS if code in listed]
    assert [code for code in listed if code not in ("pairs", "triples")] == order
    assert set(REASONS) <= set(re.findall(r"`([a-z-]+)`", page))


def data_of(case: Case) -> bytes:
    """The bytes a case spells as text, base64 or pieces repeated."""
    if "repeat" in case:
        return "".join(piece * times for piece, times in case["repeat"]).encode()
    return case["text"].encode() if "text" in case else base64.b64decode(case["base64"])


def refused(work: Callable[[], object]) -> Any:
    """The codes with which something is refused, or what it gives."""
    try:
        return work()
    except LevelgenError as error:
        return {"refused": [finding.code for finding in error.findings]}


def places(work: Callable[[], Case]) -> Case:
    try:
        return work()
    except LevelgenError as error:
        return {"refused": [{"code": found.code, "where": found.where} for found in error.findings]}


def deal(case: Case) -> Any:
    return parse_board(strict.encode(case["board"]))


def check_streams(case: Case) -> None:
    plain, drawn, mixed = (Stream(case["seed"], case["label"]) for _ in range(3))
    assert [plain.word() for _ in case["words"]] == case["words"]
    assert [[n, drawn.below(n)] for n, _ in case["below"]] == case["below"]
    items = list(range(len(case["shuffle"])))
    mixed.shuffle(items)
    assert items == case["shuffle"]


def check_gates(case: Case) -> None:
    found = gates(Layout.of(map(tuple, case["slots"])), tuple(case["blocking"]))
    assert [[list(tiles_of(mask)) for mask in ways] for ways in found] == case["gates"]


def state(position: Position) -> Case:
    return {
        "open": list(position.deal.board.open_tiles(position.remaining)),
        "moves": [str(move) for move in position.moves()],
        "tray": list(position.tray),
        "warning": position.warning,
        "won": position.won,
        "lost": position.lost,
        "digest": position.digest(),
    }


def check_plays(case: Case) -> None:
    position: Position = deal(case).start
    assert state(position) == case["start"]
    for step in case["steps"]:
        (move,) = moves(step["move"])
        refusal = position.refusal(move)
        if refusal:
            assert step["refused"] == {**refusal._asdict(), "tiles": list(refusal.tiles)}
        else:
            position = position.play(move)
            assert {"move": encode(move), "refused": None, **state(position)} == step


def check_verdicts(case: Case) -> None:
    given = case["context"]
    known = given and Context(tuple(given["balance"]), given["first_completion"], tuple(given["grant"]))
    assert replay(deal(case), moves(case["log"]), known).to_json() == case["verdict"]


def check_shuffles(case: Case) -> None:
    dealt = shuffle(deal(case).start, case["seed"])
    assert (dealt and list(dealt.faces)) == case["faces"]


def check_logs(case: Case) -> None:
    found = places(lambda: {"log": parse_log(data_of(case)).to_json()})
    assert found == {name: case[name] for name in ("log", "refused") if name in case}


def check_saved(case: Case) -> None:
    def saved() -> Case:
        found = recover_log(data_of(case))
        torn = found.torn and {"code": found.torn.code, "where": found.torn.where}
        return {"log": found.log.to_json(), "torn": torn}

    assert places(saved) == {name: case[name] for name in ("log", "torn", "refused") if name in case}


def check_json(case: Case) -> None:
    data = data_of(case)
    found = refused(lambda: {"canonical": strict.encode(strict.decode(data, "text")) == data})
    assert found == {name: case[name] for name in ("canonical", "refused") if name in case}


def check_records(case: Case) -> None:
    def read() -> Case:
        record = parse_record(data_of(case))
        return {"record": [record.pack, record.level, len(record.slots), ruleset_digest(record.ruleset)]}

    assert refused(read) == {name: case[name] for name in ("record", "refused") if name in case}


def check_merkle(case: Case) -> None:
    count = len(case["lines"])
    tree = build_tree(leaf_hash(line.encode()) for line in case["lines"])
    assert (tree[-32:].hex(), sha256(tree).hexdigest()) == (case["root"], case["tree_sha256"])
    assert [[node.hex() for node in path_of(tree, count, index)] for index in range(count)] == case["paths"]


def check_inclusions(case: Case) -> None:
    path = [bytes.fromhex(node) for node in case["path"]]
    leaf, root = bytes.fromhex(case["leaf"]), bytes.fromhex(case["root"])
    assert verify_inclusion(leaf, case["index"], case["leaves"], path, root) == case["good"]


def check_keys(case: Case) -> None:
    key = bytes.fromhex(case["key"])
    assert (key_id(key), [finding.code for finding in public_key_findings(key)]) == (case["keyid"], case["refused"])


def check_signatures(case: Case) -> None:
    key, signature, message = (bytes.fromhex(case[name]) for name in ("key", "signature", "message"))
    assert verify_signature(key, signature, message) == case["good"]


def check_envelopes(case: Case) -> None:
    if "pae" in case:
        kind, payload, signed = case["pae"]
        assert pae(kind, payload.encode()) == signed.encode()
        return
    trust = TrustRoot.of(map(bytes.fromhex, case["keys"]), case["threshold"])
    found = refused(lambda: {"payload": open_envelope(data_of(case), trust).payload.decode()})
    assert found == {name: case[name] for name in ("payload", "refused") if name in case}


def check_releases(case: Case) -> None:
    def visit() -> Case:
        seen = None if case["seen"] is None else parse_seen(case["seen"].encode())
        trust, chain = case["trust"].encode(), [data.encode() for data in case["chain"]]
        return accepted_json(accept_release(trust, case["release"].encode(), case["now"], chain=chain, seen=seen))

    wanted = ("remember", "pack_keys", "others", "refused")
    assert refused(visit) == {name: case[name] for name in wanted if name in case}


def check_manifests(case: Case) -> None:
    found = refused(lambda: bool(parse_manifest(data_of(case))) and {"refused": []})
    assert found == {"refused": case["refused"]}


def check_contexts(case: Case) -> None:
    known = case["known"]

    def context() -> Case:
        manifest, record = parse_manifest(case["manifest"].encode()), parse_record(case["line"].encode())
        first, race = known.get("first", False), known.get("race", False)
        return {"context": context_json(context_of(record, manifest, known.get("balance"), first=first, race=race))}

    assert refused(context) == {name: case[name] for name in ("context", "refused") if name in case}


def check_levels(case: Case) -> None:
    manifest = parse_manifest(case["manifest"].encode())
    proof = LevelProof(case["level"], case["line"].encode(), tuple(map(bytes.fromhex, case["path"])))
    assert refused(lambda: bool(verify_level(proof, manifest)) and {"refused": []}) == {"refused": case["refused"]}


def check_packs(case: Case) -> None:
    def verdict() -> Case:
        with open_pack(base64.b64decode(case["archive"]), TrustRoot.of([bytes.fromhex(case["key"])])) as pack:
            return {"verdict": judge(pack.level(case["level"]), parse_log(case["log"].encode())).to_json()}

    assert refused(verdict) == {name: case[name] for name in ("verdict", "refused") if name in case}


def check_daily(case: Case) -> None:
    day = kathmandu_date(datetime.fromtimestamp(case["unix"], UTC))
    assert datetime.fromisoformat(case["utc"]).timestamp() == case["unix"]
    assert day.isoformat() == case["date"]
    assert {tier: daily_seed(case["channel"], tier, day) for tier in case["seeds"]} == case["seeds"]
    tiers, start = list(case["seeds"]), date.fromisoformat(case["start"])
    assert {tier: daily_number(case["first"], start, tiers, tier, day) for tier in tiers} == case["numbers"]


CHECKS = {name.removeprefix("check_"): check for name, check in globals().items() if name.startswith("check_")}


@pytest.mark.parametrize("name", sorted(json.loads((VECTORS / "index.json").read_bytes())["files"]))
def test_python_passes(name: str) -> None:
    for case in cases(name):
        CHECKS[name.removesuffix(".json")](case)


def test_every_token_in_the_vectors_is_a_move() -> None:
    assert all(decode(token) for case in cases("verdicts.json") for token in case["log"].split())


def test_the_daily_seeds_are_those_of_the_recipe() -> None:
    recipe = read_recipe(RECIPE, open_project(RECIPE))
    assert recipe.daily is not None
    day = date(2026, 12, 1)
    plans = daily_plans(recipe, day)
    assert [plan.seed for plan in plans] == [daily_seed(recipe.daily.seed, tier, day) for tier in recipe.daily.tiers]
