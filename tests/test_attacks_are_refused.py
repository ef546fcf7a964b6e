"""One test for each attack, through what a server imports. The files named in brackets try many more of each kind.

Whoever attacks here may change any byte of what a server or a client reads; they do not have the studio's keys, except
where a test says so.
"""

from __future__ import annotations

import base64
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from levelgen.certificate import moves_under
from levelgen.errors import LevelgenError, Malformed, NothingMatched, Untrusted
from levelgen.moves import Log
from levelgen.pack.archive import MANIFEST, archive_bytes, open_reader, read_members
from levelgen.pack.merkle import leaf_hash, node_hash
from levelgen.pack.records import parse_record
from levelgen.pack.signing import MAX_ENVELOPE, PackMark, key_id, sign, verify_signature
from levelgen.pack.strict import MAX_LINE, encode
from levelgen.pack.write import client_edition
from levelgen.verify import (
    LevelProof,
    TrustRoot,
    accept_release,
    judge,
    open_pack,
    parse_log,
    verify_level,
    verify_pack,
)
from tests.channels import NOW, document, release, signed
from tests.curve import TORSION, L
from tests.curve import encode as encode_point
from tests.packs import SIGNER, TRUST, signer, write_tiny

Members = dict[str, bytes]
Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of four levels, an older version of it and another pack, all signed well."""
    folder = tmp_path_factory.mktemp("attacks")
    write_tiny(folder / "pack", 4, evidence={}, heading={"version": 2})
    write_tiny(folder / "old", 4, evidence={}, seed="old")
    write_tiny(folder / "other", 4, evidence={}, seed="other")
    return folder


@pytest.fixture(scope="module")
def files(folder: Path) -> Members:
    return members(folder / "pack")


def members(path: Path) -> Members:
    return {name: bytes(view) for name, view in read_members(open_reader(path)).items()}


def refused(files: Members | bytes, trust: TrustRoot = TRUST) -> str:
    """The code with which a pack is refused, opened or, if it opens, read: no level of it may come out."""
    data = files if isinstance(files, bytes) else archive_bytes(files)
    assert not verify_pack(data, trust).ok
    with pytest.raises(LevelgenError) as caught:
        everything_in(data, trust)
    assert isinstance(caught.value, Untrusted)
    return caught.value.findings[0].code


def everything_in(data: bytes, trust: TrustRoot) -> None:
    with open_pack(data, trust) as pack:
        for number in pack.numbers:
            pack.certificate(number)


def with_envelope(files: Members, change: Change) -> Members:
    """The pack with something changed in its envelope, spelt as it must be."""
    envelope = json.loads(files[MANIFEST])
    change(envelope)
    return {**files, MANIFEST: encode(envelope)}


def signature_of(files: Members) -> bytes:
    return base64.b64decode(json.loads(files[MANIFEST])["signatures"][0]["sig"])


# ---------------------------------------------------- the envelope   [test_signatures_are_strict, …_libraries_agree]


def test_a_stripped_signature(files: Members) -> None:
    assert refused(with_envelope(files, lambda e: e.update(signatures=[]))) == "signature/count"
    assert refused(with_envelope(files, lambda e: e.pop("signatures"))) == "signature/missing-field"
    assert refused(with_envelope(files, lambda e: e["signatures"][0].update(sig=""))) == "signature/not-trusted"


def test_a_swapped_algorithm(files: Members) -> None:
    """The algorithm is the trust root's: an envelope cannot even name one."""
    for name in ("alg", "algorithm", "scheme"):
        changed = with_envelope(files, lambda e, name=name: e["signatures"][0].update({name: "none"}))  # type: ignore[misc]
        assert refused(changed) == "signature/unknown-field"


def test_a_swapped_payload_type(files: Members) -> None:
    """Something else that the same key has signed is not a manifest."""
    payload = base64.b64decode(json.loads(files[MANIFEST])["payload"])
    for kind in ("application/vnd.levelgen.release.v1+json", "application/json", ""):
        other = sign(payload, [SIGNER], payload_type=kind)
        assert refused({**files, MANIFEST: other}) == "signature/payload-type"
        mine = json.loads(files[MANIFEST])["payloadType"]
        renamed = with_envelope({**files, MANIFEST: other}, lambda e, mine=mine: e.update(payloadType=mine))  # type: ignore[misc]
        assert refused(renamed) == "signature/not-trusted"


def test_a_key_listed_twice_to_fake_a_threshold(files: Members) -> None:
    two = TrustRoot.of([SIGNER.public, signer("second").public], 2)

    def twice(envelope: dict[str, Any]) -> None:
        envelope["signatures"].append({**envelope["signatures"][0], "keyid": key_id(signer("second").public)})

    assert refused(with_envelope(files, twice), two) == "signature/not-trusted"
    with pytest.raises(Malformed, match="key/threshold"):
        TrustRoot.of([SIGNER.public, SIGNER.public], 2)


def test_keys_of_low_order(files: Members) -> None:
    """Such a key accepts signatures nobody made, so nobody can be talked into trusting one."""
    for point in TORSION:
        key = encode_point(point)
        with pytest.raises(Malformed, match="key/low-order"):
            TrustRoot.of([key])
        assert not verify_signature(key, encode_point(TORSION[0]) + bytes(32), files[MANIFEST])


def test_malleable_signatures(files: Members) -> None:
    """S + L verifies with a lax library: a second signature of the same bytes that nobody made."""
    good = signature_of(files)
    for k in (1, 2, 8, 14):
        s = int.from_bytes(good[32:], "little") + k * L
        other = base64.b64encode(good[:32] + s.to_bytes(32, "little")).decode()
        changed = with_envelope(files, lambda e, other=other: e["signatures"][0].update(sig=other))  # type: ignore[misc]
        assert refused(changed) == "signature/not-trusted"


def test_a_wrong_keyid_does_not_matter(files: Members) -> None:
    for hint in ("", "0" * 64, key_id(signer("stranger").public), "x" * 10_000):
        changed = with_envelope(files, lambda e, hint=hint: e["signatures"][0].update(keyid=hint))  # type: ignore[misc]
        with open_pack(archive_bytes(changed), TRUST) as pack:
            assert pack.level(1).level == 1


# --------------------------------------------------- JSON    [test_records_read_strictly, test_packs_keep_their_bounds]


def signed_manifest(files: Members, text: bytes) -> Members:
    """The pack under a manifest of exactly these bytes, signed by the right key: only the signer could do that."""
    return {**files, MANIFEST: sign(text, [SIGNER])}


def manifest(files: Members) -> bytes:
    return base64.b64decode(json.loads(files[MANIFEST])["payload"])


def test_duplicate_json_keys(files: Members) -> None:
    """Two parsers may each read another of the two."""
    for name in (b'"payload":', b'"payloadType":', b'"signatures":'):
        doubled = files[MANIFEST].replace(name, name + b'"",' + name, 1)
        assert refused({**files, MANIFEST: doubled}) == "json/duplicate-key"
    doubled = manifest(files).replace(b'"version":2', b'"version":2,"version":3', 1)
    assert refused(signed_manifest(files, doubled)) == "json/duplicate-key"


def test_unknown_fields(files: Members) -> None:
    assert refused(with_envelope(files, lambda e: e.update(more=1))) == "signature/unknown-field"
    more = manifest(files).replace(b'"v":1', b'"v":1,"more":1', 1)
    assert refused(signed_manifest(files, more)) == "manifest/unknown-field"


def test_numbers_out_of_range(files: Members) -> None:
    for number in (b"0", b"-1", b"9007199254740992", b"1e3", b"2.0", b"-0", b"1" * 400):
        changed = manifest(files).replace(b'"version":2', b'"version":' + number, 1)
        assert refused(signed_manifest(files, changed)) in ("manifest/version", "json/number")


def test_nan(files: Members) -> None:
    for number in (b"NaN", b"Infinity", b"-Infinity"):
        changed = manifest(files).replace(b'"version":2', b'"version":' + number, 1)
        assert refused(signed_manifest(files, changed)) == "json/number"


def test_lone_surrogates(files: Members) -> None:
    for half in (rb"\ud800", rb"\udfff", rb"\ud800x", rb"\udc00\ud800"):
        changed = manifest(files).replace(b"Tiny pack", half, 1)
        assert refused(signed_manifest(files, changed)) == "json/surrogate"


def test_oversized_fields(files: Members) -> None:
    long = signed_manifest(files, manifest(files).replace(b"Tiny pack", b"x" * 201, 1))
    assert refused(long) == "manifest/title"
    assert refused({**files, MANIFEST: b" " * (MAX_ENVELOPE + 1)}) == "pack/too-long"
    with pytest.raises(Malformed, match="json/too-long"):
        parse_record(b" " * (MAX_LINE + 1))
    with pytest.raises(Malformed, match="log/too-long"):
        parse_log(b"levelgen-log 1 tiny#1\n" + b"u " * (1 << 20))


def test_deep_nesting(files: Members) -> None:
    """A parser that calls itself for each bracket runs out of stack; so nesting is counted before parsing."""
    for deep in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000):
        assert refused({**files, MANIFEST: deep}) == "json/too-deep"
        assert refused(signed_manifest(files, deep)) == "json/too-deep"
        with pytest.raises(Malformed, match="json/too-deep"):
            parse_record(deep)
    for deep in (b'{"v":' * 100_000, b'{"v":1,"moves":' + b"[" * 100_000 + b"]" * 100_000 + b"}"):
        with pytest.raises(Malformed, match="log/json"):
            parse_log(deep)


# ----------------------------------------------- records and tree   [test_packs_resist_tampering, test_merkle_trees…]


def test_a_record_swapped_between_packs(files: Members, folder: Path) -> None:
    """The other pack's record is signed too, and fits every bound; only it stands in another tree."""
    theirs = members(folder / "other")
    mine, other = files["levels.jsonl"].split(b"\n"), theirs["levels.jsonl"].split(b"\n")
    mine[0] = other[0]
    assert refused({**files, "levels.jsonl": b"\n".join(mine)}) in (
        "pack/file-size",
        "record/not-a-member",
        "tree/root",
    )
    with open_pack(folder / "other", TRUST) as pack:
        proof = pack.proof(1)
    with open_pack(folder / "pack", TRUST) as pack, pytest.raises(Untrusted, match="record/not-a-member"):
        verify_level(proof, pack.manifest)


def test_a_record_swapped_between_indices(files: Members, folder: Path) -> None:
    lines = files["levels.jsonl"].split(b"\n")
    lines[0], lines[1] = lines[1], lines[0]
    assert refused({**files, "levels.jsonl": b"\n".join(lines)}) == "record/not-a-member"
    with open_pack(folder / "pack", TRUST) as pack:
        proof = pack.proof(2)
        for number in (1, 3, 4):
            with pytest.raises(Untrusted, match="record/not-a-member"):
                verify_level(LevelProof(number, proof.line, proof.path), pack.manifest)


def test_an_index_that_points_elsewhere(files: Members) -> None:
    """`levels.idx` is believed in nothing: the honest records come out all the same, and it is said."""
    changed = {**files, "levels.idx": files["levels.idx"][8:16] * 5}
    with open_pack(archive_bytes(changed), TRUST) as pack:
        assert [pack.level(number).level for number in pack.numbers] == [1, 2, 3, 4]
        assert "pack/rebuilt" in {warning.code for warning in pack.warnings}


def test_leaf_and_node_confusion(folder: Path) -> None:
    """Two hashes side by side are no record, though their hash stands in the tree: leaves and nodes hash apart."""
    with open_pack(folder / "pack", TRUST) as pack:
        left, right = (leaf_hash(pack.line(number)) for number in (1, 2))
        path = pack.proof(1).path
        assert node_hash(left, right) != leaf_hash(left + right)
        for forged in (
            LevelProof(1, left + right, path[1:]),
            LevelProof(1, b"\1" + left + right, path[1:]),
            LevelProof(1, pack.line(1)[1:], path),
        ):
            with pytest.raises(Untrusted, match="record/not-a-member"):
                verify_level(forged, pack.manifest)


def test_a_truncated_tree(files: Members, folder: Path) -> None:
    """Without the tree it is built from the records; a path cut short proves nothing."""
    for length in (0, 32, len(files["tree.bin"]) - 32, len(files["tree.bin"]) - 1):
        with open_pack(archive_bytes({**files, "tree.bin": files["tree.bin"][:length]}), TRUST) as pack:
            assert pack.level(3).level == 3
    with open_pack(folder / "pack", TRUST) as pack:
        proof = pack.proof(1)
        for path in ((), proof.path[:1], proof.path[1:], (*proof.path, bytes(32)), (proof.path[0][:31], proof.path[1])):
            with pytest.raises(Untrusted, match="record/not-a-member"):
                verify_level(LevelProof(1, proof.line, path), pack.manifest)


# -------------------------------------------------------- time   [test_trust_roots_rotate_and_revoke, test_releases…]


def released(folder: Path, name: str = "pack", **changes: Any) -> bytes:
    with open_pack(folder / name, TRUST) as pack:
        mark = PackMark(pack.manifest.version, pack.digest)
    return release(packs={"tiny": mark}, **changes)


ROOT = signed(document(pack="test"))
"""A trust root whose packs are signed by the key of the tests."""


def test_an_old_manifest_replayed(folder: Path, files: Members) -> None:
    """The old pack is signed well, and always will be; the release says that it is not current."""
    trust = accept_release(ROOT, released(folder), NOW).packs
    with open_pack(folder / "pack", trust) as pack:
        assert pack.level(1).level == 1
    assert refused(members(folder / "old"), trust) == "release/other-version"
    assert refused({**files, MANIFEST: members(folder / "old")[MANIFEST]}, trust) == "release/other-version"


def test_packs_mixed_and_matched(folder: Path) -> None:
    trust = accept_release(ROOT, released(folder, "old"), NOW).packs
    assert refused(members(folder / "other"), trust) == "release/other-pack"


def test_an_expired_release(folder: Path) -> None:
    envelope = released(folder, expires=NOW + 10)
    assert accept_release(ROOT, envelope, NOW + 9).release.version == 1
    with pytest.raises(Untrusted, match="release/expired"):
        accept_release(ROOT, envelope, NOW + 10)


def test_an_old_release_replayed(folder: Path) -> None:
    seen = accept_release(ROOT, released(folder, version=3), NOW).seen
    with pytest.raises(Untrusted, match="release/rollback"):
        accept_release(ROOT, released(folder, version=2), NOW, seen=seen)


def test_a_trust_root_of_the_attackers(folder: Path) -> None:
    """Whatever lies in the channel follows from the root that the client was given, or it is nothing."""
    theirs = signed(document(2, root="thief", pack="thief", release="thief"), "thief")
    with pytest.raises(Untrusted, match="signature/not-trusted"):
        accept_release(ROOT, released(folder, by="thief"), NOW, chain=[theirs])


# ------------------------------------------------------------------ the container   [test_archives_hold_nothing_else]


def zipped(*names: str, method: int = zipfile.ZIP_STORED, mode: int = 0o100644) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in names:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            archive.writestr(info, bytes(1 << 20))
    return file.getvalue()


def test_path_traversal(tmp_path: Path) -> None:
    for name in (
        "../levels.jsonl",
        "/etc/passwd",
        "evidence/../../x",
        "previews/..",
        "C:\\levels.jsonl",
        "evidence/a/b",
    ):
        assert refused(zipped(name)) == "pack/container"
    assert list(tmp_path.parent.glob("levels.jsonl")) == []


def test_links_in_the_container(folder: Path, tmp_path: Path) -> None:
    assert refused(zipped("levels.jsonl", mode=0o120777)) == "pack/container"
    for name, data in members(folder / "pack").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "levels.jsonl").unlink()
    os.symlink(folder / "pack" / "levels.jsonl", tmp_path / "levels.jsonl")
    with pytest.raises(Untrusted, match="pack/link"):
        open_pack(tmp_path, TRUST)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicates_in_the_container() -> None:
    """Two programs may each read another of the two members."""
    assert refused(zipped("levels.jsonl", "levels.jsonl")) == "pack/container"
    assert refused(zipped("LEVELS.jsonl", "levels.jsonl")) == "pack/container"


def test_decompression_bombs(tmp_path: Path) -> None:
    """Nothing in a container is compressed, and a picture's size is compared before it is inflated."""
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert refused(zipped("levels.jsonl", method=method)) == "pack/container"
    pytest.importorskip("PIL")
    write_tiny(tmp_path / "pack", 1, evidence={})
    from tests.packs import make_png

    (tmp_path / "pack/previews/0001.png").write_bytes(make_png(8192, 8192, bytes(3 * 8192 * 8192)))
    report = verify_pack(tmp_path / "pack", TRUST)
    assert [finding.code for finding in report.check("previews").findings] == ["preview/png"]


# ----------------------------------------------------------------------------------------------- players


def test_a_certificate_handed_in_as_a_race_log(folder: Path, tmp_path: Path) -> None:
    """A certificate is no log; its moves would win, and so the edition that players have holds none of them."""
    with open_pack(folder / "pack", TRUST) as pack:
        record, certificate = pack.level(1), pack.certificate(1)
        line = members(folder / "pack")["certificates.jsonl"].split(b"\n")[0]
        for handed_in in (line, b"levelgen-log 1 tiny#1\n" + line, json.dumps([*certificate.solution]).encode()):
            with pytest.raises(Malformed, match="log/"):
                parse_log(handed_in)
        winning = moves_under(record.ruleset, record.face_down, certificate.solution)
        assert judge(record, Log("tiny", 1, winning)).verdict == "won"
    client = client_edition(folder / "pack", tmp_path / "client")
    public = b"".join(members(client).values())
    assert b"solution" not in public
    assert not [name for name in members(client) if name.startswith(("certificates", "evidence"))]
    with open_pack(client, TRUST) as pack, pytest.raises(NothingMatched, match="client edition"):
        pack.certificate(1)


def test_a_log_of_another_level_or_pack(folder: Path) -> None:
    with open_pack(folder / "pack", TRUST) as pack:
        record, certificate = pack.level(1), pack.certificate(1)
    winning = moves_under(record.ruleset, record.face_down, certificate.solution)
    for log in (Log("tiny", 2, winning), Log("other", 1, winning)):
        with pytest.raises(Malformed, match="log/other-level"):
            judge(record, log)
