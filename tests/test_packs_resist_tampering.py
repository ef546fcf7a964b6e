"""Whatever is changed in a pack is refused, or provably changes nothing that anybody reads from it."""

from __future__ import annotations

import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen.certificate import Certificate
from levelgen.errors import LevelgenError, Malformed, NothingMatched, Untrusted
from levelgen.moves import Log
from levelgen.pack import verify
from levelgen.pack.archive import archive_bytes, open_reader, read_members
from levelgen.pack.manifest import Manifest, parse_manifest
from levelgen.pack.merkle import build_tree, leaf_hash
from levelgen.pack.records import Record, bind, encode_certificate
from levelgen.pack.signing import DEMO_PUBLIC, TrustRoot, open_envelope, public_pem, sign
from levelgen.pack.strict import digest, encode
from levelgen.pack.verify import CHECKS, Report, line_offsets, open_pack, png_problem, verify_level, verify_pack
from levelgen.pack.write import client_edition
from levelgen.verify import Pack, judge
from tests.packs import SIGNER, TRUST, make_level, make_levels, signer, write_tiny

Members = dict[str, bytes]
IRRELEVANT = {"pack/rebuilt"}


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Members:
    """The files of a small pack."""
    path = tmp_path_factory.mktemp("tampering") / "pack"
    write_tiny(path, 2)
    return {name: bytes(view) for name, view in read_members(open_reader(path)).items()}


def write(directory: Path, files: Members) -> Path:
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return directory


def failed(report: Report) -> dict[str, list[str]]:
    """Which checks failed, and the places they name."""
    return {
        check.name: [finding.where for finding in check.findings] for check in report.checks if check.status == "failed"
    }


def manifest_of(files: Members) -> Manifest:
    return parse_manifest(open_envelope(files["manifest.dsse.json"], TRUST).payload)


def signed_anew(files: Members, **changes: Any) -> Members:
    """The files under a manifest that fits them, signed by the right key: what only the signer could do."""
    manifest = manifest_of(files)
    marks = {
        name: {"size": len(files[name]), "sha256": digest(files[name])} if name in files else vars(mark)
        for name, mark in manifest.files.items()
        if name in files
    }
    lines = files["levels.jsonl"].split(b"\n")[:-1]
    tree = build_tree(map(leaf_hash, lines))
    data = manifest.to_json() | {"levels": len(lines), "merkle_root": tree[-32:].hex(), "files": marks} | changes
    offsets = b"".join(offset.to_bytes(8, "little") for offset in line_offsets(memoryview(files["levels.jsonl"])))
    signed = {"tree.bin": tree, "levels.idx": offsets, "manifest.dsse.json": sign(encode(data), [SIGNER])}
    return files | signed


def everything_read(files: Members) -> tuple[object, ...]:
    """All that a reader gets out of a pack."""
    pack = open_pack(archive_bytes(files), TRUST)
    numbers = pack.numbers
    return (
        pack.manifest,
        [pack.level(number) for number in numbers],
        [pack.certificate(number) for number in numbers],
        pack.previews(),
    )


FLIPS = (0x01, 0x80)


def flips(files: Members) -> Iterator[tuple[str, int, Members]]:
    for name, data in files.items():
        for place in range(len(data)):
            for flip in FLIPS if len(data) < 1000 else (FLIPS[place % 2],):
                yield name, place, {**files, name: data[:place] + bytes([data[place] ^ flip]) + data[place + 1 :]}


def test_every_flipped_byte_is_refused_or_provably_irrelevant(members: Members) -> None:
    honest = everything_read(members)
    keyid = slice(*_span(members["manifest.dsse.json"], b'"keyid":"', b'"'))
    accepted: dict[str, set[int]] = {}
    for name, place, changed in flips(members):
        report = verify_pack(archive_bytes(changed), TRUST)
        if not report.ok:
            continue
        accepted.setdefault(name, set()).add(place)
        assert everything_read(changed) == honest, f"{name} byte {place} was changed unnoticed"
        if name in ("levels.idx", "tree.bin"):
            assert [(warning.code, warning.where) for warning in report.warnings] == [("pack/rebuilt", name)]
    assert set(accepted) == {"levels.idx", "tree.bin", "manifest.dsse.json"}
    assert accepted["manifest.dsse.json"] <= set(range(keyid.start, keyid.stop))
    for name in ("levels.idx", "tree.bin"):
        assert accepted[name] == set(range(len(members[name])))


def _span(data: bytes, before: bytes, after: bytes) -> tuple[int, int]:
    begin = data.index(before) + len(before)
    return begin, data.index(after, begin)


def test_a_flipped_byte_in_a_directory_is_refused_too(members: Members, tmp_path: Path) -> None:
    directory = write(tmp_path / "pack", members)
    assert verify_pack(directory, TRUST).ok
    for name, data in members.items():
        for place in range(0, len(data), 97):
            (directory / name).write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
            report = verify_pack(directory, TRUST)
            assert not report.ok or {finding.code for finding in report.warnings} <= IRRELEVANT
            assert not report.ok or name in ("levels.idx", "tree.bin", "manifest.dsse.json")
        (directory / name).write_bytes(data)


def test_every_truncated_file_is_refused_or_rebuilt(members: Members) -> None:
    honest = everything_read(members)
    for name, data in members.items():
        for length in {0, 1, len(data) // 2, len(data) - 1}:
            changed = {**members, name: data[:length]}
            report = verify_pack(archive_bytes(changed), TRUST)
            if name in ("levels.idx", "tree.bin"):
                assert report.ok
                assert everything_read(changed) == honest
            else:
                assert not report.ok


def test_a_truncated_pack_does_not_open(members: Members) -> None:
    with pytest.raises(Untrusted, match="is cut short"):
        open_pack(archive_bytes({**members, "levels.jsonl": members["levels.jsonl"][:-9]}), TRUST)
    with pytest.raises(Untrusted, match="is missing"):
        open_pack(archive_bytes({name: data for name, data in members.items() if name != "levels.jsonl"}), TRUST)
    with pytest.raises(Untrusted, match="pack/no-manifest"):
        open_pack(archive_bytes({"levels.jsonl": members["levels.jsonl"]}), TRUST)


def test_a_wrong_key_is_refused(members: Members) -> None:
    report = verify_pack(archive_bytes(members), public_pem(signer("other").public))
    assert [(check.name, check.status) for check in report.checks] == [
        (name, "failed" if name == "signature" else "not checked") for name in CHECKS
    ]
    with pytest.raises(Untrusted, match="signature/not-trusted"):
        open_pack(archive_bytes(members), TrustRoot.of([signer("other").public]))
    with pytest.raises(Malformed, match="key/public"):
        open_pack(archive_bytes(members), b"no key")


def test_swapped_records_are_refused_by_level(members: Members) -> None:
    lines = members["levels.jsonl"].split(b"\n")
    swapped = {**members, "levels.jsonl": b"\n".join([lines[1], lines[0], lines[2]])}
    report = failed(verify_pack(archive_bytes(swapped), TRUST))
    assert report["tree"] == report["records"] == ["level 1", "level 2"]
    pack = open_pack(archive_bytes(swapped), TRUST)
    for number in pack.numbers:
        with pytest.raises(Untrusted, match="record/not-a-member"):
            pack.level(number)


def test_one_changed_record_is_named_and_the_others_are_still_read(members: Members) -> None:
    changed = {**members, "levels.jsonl": members["levels.jsonl"].replace(b'"attempt":0', b'"attempt":7', 1)}
    report = verify_pack(archive_bytes(changed), TRUST)
    assert failed(report) == {"files": ["levels.jsonl"], "tree": ["level 1"], "records": ["level 1"]}
    pack = open_pack(archive_bytes(changed), TRUST)
    assert pack.level(2).level == 2
    with pytest.raises(Untrusted, match="level 1"):
        pack.level(1)


def test_without_a_tree_to_compare_a_changed_record_is_refused_all_the_same(members: Members) -> None:
    changed = {**members, "levels.jsonl": members["levels.jsonl"].replace(b'"attempt":0', b'"attempt":7', 1)}
    del changed["tree.bin"]
    report = verify_pack(archive_bytes(changed), TRUST)
    assert failed(report) == {"files": ["levels.jsonl"], "tree": ["levels.jsonl"]}
    assert report.check("records").status == report.check("certificates").status == "not checked"
    with pytest.raises(Untrusted, match="tree/root"):
        open_pack(archive_bytes(changed), TRUST).level(1)


def test_a_changed_certificate_is_named(members: Members) -> None:
    changed = {**members, "certificates.jsonl": members["certificates.jsonl"].replace(b'"peak":2', b'"peak":3', 1)}
    report = verify_pack(archive_bytes(changed), TRUST)
    assert failed(report) == {"files": ["certificates.jsonl"], "certificates": ["level 1"]}
    pack = open_pack(archive_bytes(changed), TRUST)
    with pytest.raises(Untrusted, match="certificate/digest"):
        pack.certificate(1)
    assert pack.certificate(2).level == 2


def test_swapped_certificates_are_refused(members: Members) -> None:
    lines = members["certificates.jsonl"].split(b"\n")
    swapped = {**members, "certificates.jsonl": b"\n".join([lines[1], lines[0], lines[2]])}
    assert failed(verify_pack(archive_bytes(swapped), TRUST))["certificates"] == ["level 1", "level 2"]


def test_certificates_too_few_or_too_many_are_refused(members: Members) -> None:
    lines = members["certificates.jsonl"].splitlines(keepends=True)
    for changed in (lines[:1], [*lines, lines[0]], []):
        report = verify_pack(archive_bytes({**members, "certificates.jsonl": b"".join(changed)}), TRUST)
        assert "certificates" in failed(report)


def test_a_record_of_another_pack_is_refused(members: Members) -> None:
    record, certificate = make_level(1, pack="other")
    certificates = members["certificates.jsonl"].split(b"\n")
    lines = members["levels.jsonl"].split(b"\n")
    lines[0], certificates[0] = record.encode(), encode_certificate(certificate)
    changed = {**members, "levels.jsonl": b"\n".join(lines), "certificates.jsonl": b"\n".join(certificates)}
    assert not verify_pack(archive_bytes(changed), TRUST).ok
    report = verify_pack(archive_bytes(signed_anew(changed)), TRUST)
    assert failed(report) == {"records": ["level 1"]}
    with pytest.raises(Untrusted, match="record/elsewhere"):
        open_pack(archive_bytes(signed_anew(changed)), TRUST).level(1)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [("generator", 2, "record/generator"), ("ruleset_sha256", "0" * 64, "record/ruleset"),
     ("face_set", {"id": "others", "sha256": "0" * 64, "provisional": False}, "record/face-set")],
)  # fmt: skip
def test_a_signed_record_that_is_not_what_its_manifest_says_is_refused(
    members: Members, field: str, value: object, code: str
) -> None:
    changed = archive_bytes(signed_anew(members, **{field: value}))
    assert set(failed(verify_pack(changed, TRUST))) == {"records"}
    pack = open_pack(changed, TRUST)
    with pytest.raises(Untrusted, match=code):
        pack.level(1)
    with pytest.raises(Untrusted, match=code):
        verify_level(pack.proof(1), pack.manifest)


def test_a_manifest_of_another_pack_does_not_vouch_for_these_levels(members: Members, tmp_path: Path) -> None:
    write_tiny(tmp_path / "other", 2, seed="another")
    other = (tmp_path / "other" / "manifest.dsse.json").read_bytes()
    report = verify_pack(archive_bytes({**members, "manifest.dsse.json": other}), TRUST)
    assert set(failed(report)) >= {"files", "tree"}


def test_a_signed_certificate_that_does_not_hold_is_refused(members: Members) -> None:
    """The signer's key does not make a false claim true: the law replays every solution."""

    def false_level(lie: Callable[[Certificate], Certificate]) -> Members:
        record, certificate = make_level(1)
        certificate = lie(certificate)
        lines, proofs = members["levels.jsonl"].split(b"\n"), members["certificates.jsonl"].split(b"\n")
        lines[0], proofs[0] = bind(record, certificate).encode(), encode_certificate(certificate)
        return signed_anew({**members, "levels.jsonl": b"\n".join(lines), "certificates.jsonl": b"\n".join(proofs)})

    for lie in (
        lambda c: replace(c, solution=c.solution[::-1]),
        lambda c: replace(c, solution=c.solution[1:]),
        lambda c: replace(c, solution=tuple((step[0],) for step in c.solution)),
        lambda c: replace(c, holds_under=c.holds_under[:3]),
        lambda c: replace(c, peak=3),
        lambda c: replace(c, pack="other"),
        lambda c: replace(c, level=2),
        lambda c: replace(c, solution=((0, 4095), *c.solution)),
    ):
        report = verify_pack(archive_bytes(false_level(lie)), TRUST)
        assert list(failed(report)) == ["certificates"]
        assert all(place.startswith("level 1") for place in failed(report)["certificates"])


def test_a_signed_record_that_cannot_be_played_is_refused(members: Members) -> None:
    def with_first(change: Callable[[Record], Record]) -> Report:
        record, _ = make_level(1)
        lines = members["levels.jsonl"].split(b"\n")
        lines[0] = change(record).encode()
        return verify_pack(archive_bytes(signed_anew({**members, "levels.jsonl": b"\n".join(lines)})), TRUST)

    assert with_first(lambda r: r).ok
    for change in (
        lambda r: replace(r, slots=r.slots[::-1]),
        lambda r: replace(r, faces=("odd", *r.faces[1:])),
        lambda r: replace(r, face_set="other"),
        lambda r: replace(r, generator=2),
        lambda r: replace(r, ruleset=replace(r.ruleset, tray=5)),
        lambda r: replace(r, level=2),
    ):
        found = failed(with_first(change))
        assert list(found) == ["records"]
        assert all(where.partition(":")[0] == "level 1" for where in found["records"])


def test_a_signed_manifest_that_is_not_one_is_refused(members: Members) -> None:
    good = manifest_of(members).to_json()
    bad: list[dict[str, Any]] = [
        {**good, "extra": 1},
        {name: value for name, value in good.items() if name != "title"},
        {**good, "v": 2},
        {**good, "v": True},
        {**good, "pack": "No Such"},
        {**good, "title": "two\nlines"},
        {**good, "title": "\u202e backwards"},
        {**good, "version": 0},
        {**good, "previous": "x"},
        {**good, "levels": 0},
        {**good, "levels": 10**9},
        {**good, "merkle_root": good["merkle_root"].upper()},
        {**good, "face_set": {}},
        {**good, "face_set": {**good["face_set"], "provisional": 1}},
        {**good, "files": {}},
        {**good, "files": {**good["files"], "../x": {"size": 1, "sha256": "ab" * 32}}},
        {**good, "files": {"levels.jsonl": {"size": -1, "sha256": "ab" * 32}}},
        {**good, "files": {"levels.jsonl": None}},
        dict(reversed(good.items())),
    ]
    for data in bad:
        changed = archive_bytes({**members, "manifest.dsse.json": sign(encode(data), [SIGNER])})
        report = verify_pack(changed, TRUST)
        assert list(failed(report)) == ["manifest"]
        with pytest.raises(Untrusted):
            open_pack(changed, TRUST)
    assert not verify_pack(archive_bytes({**members, "manifest.dsse.json": sign(b"no json", [SIGNER])}), TRUST).ok


def test_a_manifest_that_counts_more_or_fewer_levels_is_refused(members: Members) -> None:
    for levels in (1, 3):
        data = {**manifest_of(members).to_json(), "levels": levels}
        changed = archive_bytes({**members, "manifest.dsse.json": sign(encode(data), [SIGNER])})
        assert "tree" in failed(verify_pack(changed, TRUST))
        with pytest.raises(Untrusted):
            open_pack(changed, TRUST).level(1)


def test_a_file_the_manifest_does_not_sign_is_refused(members: Members) -> None:
    report = verify_pack(archive_bytes({**members, "evidence/more.json": b"{}"}), TRUST)
    assert failed(report) == {"files": ["evidence/more.json"]}
    report = verify_pack(archive_bytes({**members, "previews/0009.png": members["previews/0001.png"]}), TRUST)
    assert failed(report) == {"previews": ["previews/0009.png"]}


def test_swapped_pictures_are_refused(members: Members) -> None:
    pytest.importorskip("PIL")
    swapped = {**members, "previews/0001.png": members["previews/0002.png"]}
    assert failed(verify_pack(archive_bytes(swapped), TRUST)) == {"previews": ["previews/0001.png"]}


def test_a_missing_picture_is_told_and_does_not_matter(members: Members) -> None:
    fewer = {name: data for name, data in members.items() if name != "previews/0002.png"}
    report = verify_pack(archive_bytes(fewer), TRUST)
    assert report.ok
    assert [(finding.code, finding.where) for finding in report.warnings] == [("preview/missing", "previews/0002.png")]


def test_a_picture_that_could_look_different_with_the_same_pixels_is_refused(members: Members) -> None:
    png = members["previews/0001.png"]
    assert png_problem(png, (3, 2)) == ""
    gamma = bytes.fromhex("00000004 67414d41 00000001 6d5b0d8e".replace(" ", ""))
    assert "chunk" in png_problem(png[:33] + gamma + png[33:], (3, 2))
    assert "followed" in png_problem(png + b"\0", (3, 2))
    assert "signed size" in png_problem(png, (2, 3))
    assert "cut short" in png_problem(png[:-1], (3, 2))
    assert "no PNG" in png_problem(b"GIF89a", (3, 2))


def test_without_pillow_pictures_are_not_called_checked(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    report = verify_pack(archive_bytes(members), TRUST)
    assert report.ok
    assert report.check("previews").status == "not checked"
    assert "Pillow" in report.check("previews").note


def test_index_and_tree_can_be_missing(members: Members) -> None:
    bare = {name: data for name, data in members.items() if name not in ("levels.idx", "tree.bin")}
    assert everything_read(bare) == everything_read(members)
    report = verify_pack(archive_bytes(bare), TRUST)
    assert report.ok
    assert {finding.where for finding in report.warnings} == {"levels.idx", "tree.bin"}


def test_one_pack_serves_many_threads(tmp_path: Path) -> None:
    """Reading changes nothing but caches; nor does it where the index and the tree have to be built anew meanwhile."""
    write_tiny(tmp_path / "many", 40)
    files = {name: bytes(view) for name, view in read_members(open_reader(tmp_path / "many")).items()}
    whole = archive_bytes(files)
    with open_pack(whole, TRUST) as pack:
        expected = [pack.level(number) for number in pack.numbers]
    for gone in ((), ("tree.bin",), ("tree.bin", "levels.idx")):
        members = {name: data for name, data in files.items() if name not in gone}
        with open_pack(archive_bytes(members), TRUST) as pack, ThreadPoolExecutor(8) as pool:
            together = threading.Barrier(8)

            def read(pack: Pack = pack, together: threading.Barrier = together) -> list[Record]:
                together.wait()
                return [pack.level(number) for number in pack.numbers]

            asked = [pool.submit(read) for _ in range(8)]
            assert all(one.result() == expected for one in asked)
            assert {finding.where for finding in pack.warnings} == set(gone)


def test_several_faults_are_told_at_once(members: Members) -> None:
    changed = {
        **members,
        "levels.jsonl": members["levels.jsonl"].replace(b'"attempt":0', b'"attempt":7', 1),
        "certificates.jsonl": members["certificates.jsonl"][:-2] + b"]\n",
        "previews.jsonl": b"",
    }
    report = verify_pack(archive_bytes(changed), TRUST)
    assert list(failed(report)) == ["files", "tree", "records", "certificates", "previews"]
    assert failed(report)["certificates"] == ["level 2"]


def test_one_level_proves_itself_without_its_pack(members: Members) -> None:
    pack = open_pack(archive_bytes(members), TRUST)
    proof = pack.proof(2)
    assert verify_level(proof, pack.manifest) == pack.level(2)
    for forged in (
        replace(proof, level=1),
        replace(proof, line=proof.line.replace(b"sun", b"fun", 1)),
        replace(proof, path=()),
        replace(proof, path=(*proof.path, bytes(32))),
        replace(proof, line=b"", path=(b"",)),
        replace(proof, level=-1),
    ):
        with pytest.raises(Untrusted, match="record/not-a-member"):
            verify_level(forged, pack.manifest)


def test_levels_are_numbered_from_the_first(tmp_path: Path) -> None:
    from levelgen.pack.write import write_pack
    from tests.packs import heading

    write_pack(tmp_path / "pack", heading(), make_levels(3, first=7), [SIGNER], first=7)
    pack = open_pack(tmp_path / "pack", TRUST)
    assert [pack.level(number).level for number in pack.numbers] == [7, 8, 9]
    assert verify_pack(tmp_path / "pack", TRUST).certified
    for number in (0, 6, 10, -1):
        with pytest.raises(NothingMatched, match="levels 7 to 9"):
            pack.level(number)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 9, 20])
def test_every_level_of_packs_of_any_size_is_read_in_any_order(tmp_path: Path, count: int) -> None:
    write_tiny(tmp_path / "pack", count, "triples")
    pack = open_pack(tmp_path / "pack", TRUST)
    expected = dict(enumerate((record for record, _ in make_levels(count, "triples")), start=1))
    for number in [*reversed(pack.numbers), *pack.numbers, count, 1]:
        assert pack.level(number) == expected[number]
        assert verify_level(pack.proof(number), pack.manifest) == expected[number]
    assert not pack.warnings


def test_remembered_nodes_do_not_let_a_forged_record_pass(members: Members, tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 9)
    files = {name: bytes(view) for name, view in read_members(open_reader(tmp_path / "pack")).items()}
    lines = files["levels.jsonl"].split(b"\n")
    lines[4] = lines[4].replace(b'"attempt":0', b'"attempt":1')
    tree = bytearray(files["tree.bin"])
    tree[4 * 32 : 5 * 32] = leaf_hash(lines[4])
    pack = open_pack(archive_bytes({**files, "levels.jsonl": b"\n".join(lines), "tree.bin": bytes(tree)}), TRUST)
    for number in (1, 4, 7, 9):
        assert pack.level(number).level == number
    with pytest.raises(Untrusted):
        pack.level(5)


def test_a_client_edition_has_no_certificates_to_hand_out(members: Members, tmp_path: Path) -> None:
    out = client_edition(write(tmp_path / "pack", members), tmp_path / "client.lgpack")
    pack = open_pack(out, TRUST)
    assert not pack.has_certificates
    with pytest.raises(NothingMatched, match="client edition: no certificates"):
        pack.certificate(1)


def test_a_certificate_is_a_winning_log_which_is_why_clients_do_not_get_it(members: Members) -> None:
    from levelgen.certificate import moves_under

    pack = open_pack(archive_bytes(members), TRUST)
    record = pack.level(1)
    log = moves_under(record.ruleset, record.face_down, pack.certificate(1).solution)
    assert judge(record, Log("tiny", 1, log)).verdict == "won"
    with pytest.raises(Malformed, match="log/other-level"):
        judge(record, Log("tiny", 2, log))


def test_a_report_names_every_check_in_text_and_json(members: Members) -> None:
    report = verify_pack(archive_bytes(members), TRUST)
    assert [check["name"] for check in report.to_json()["checks"]] == list(CHECKS)
    assert json.loads(json.dumps(report.to_json()))["certified"] is True
    text = report.to_text()
    assert all(name in text for name in CHECKS)
    assert "every level is certified" in text
    assert "DEMONSTRATION" not in text


def test_a_demonstration_signature_is_told_loudly(tmp_path: Path) -> None:
    from levelgen.pack.signing import DEMO_TRUST, demo_key

    write_tiny(tmp_path / "pack", 1, signers=[demo_key()])
    report = verify_pack(tmp_path / "pack", DEMO_TRUST)
    assert report.demonstration
    assert "DEMONSTRATION" in report.to_text()
    with pytest.raises(Malformed, match="key/demonstration"):
        TrustRoot.of([DEMO_PUBLIC], release=True)


def test_progress_is_told_chunk_by_chunk(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "CHUNK", 1)
    told: list[tuple[int, int]] = []
    verify_pack(archive_bytes(members), TRUST, lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_random_damage_raises_nothing_but_our_errors(members: Members) -> None:
    from levelgen.seed import Stream

    whole = archive_bytes(members)
    stream = Stream("tampering", "damage")
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(1 + stream.below(4)):
            begin = stream.below(len(data))
            match stream.below(3):
                case 0:
                    data[begin] = stream.below(256)
                case 1:
                    del data[begin : begin + 1 + stream.below(64)]
                case _:
                    data[begin:begin] = data[: stream.below(64)]
        assert isinstance(verify_pack(bytes(data), TRUST), Report)
        try:
            pack = open_pack(bytes(data), TRUST)
            for number in pack.numbers:
                pack.certificate(number)
        except LevelgenError:
            continue


def test_replacing_a_directory_does_not_mix_two_packs(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 2, seed="old")
    pack = open_pack(tmp_path / "pack", TRUST)
    write_tiny(tmp_path / "pack", 2, seed="new")
    assert [pack.level(number).seed for number in pack.numbers] == ["old/1", "old/2"]
    assert open_pack(tmp_path / "pack", TRUST).level(1).seed == "new/1"
    shutil.rmtree(tmp_path / "pack")
    assert pack.certificate(2).level == 2
