"""Every bound a pack's reader keeps is exact: what just fits is read, one more is refused."""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from levelgen.errors import Malformed
from levelgen.layout import parse
from levelgen.pack.diff import diff_packs
from levelgen.pack.disk import recover
from levelgen.pack.manifest import FileMark, Manifest, Preview, parse_manifest, parse_preview
from levelgen.pack.records import Record, bind, parse_record
from levelgen.pack.signing import MAX_KEYS, TrustRoot
from levelgen.pack.strict import MAX_DEPTH, decode
from levelgen.pack.verify import open_pack, png_problem
from levelgen.pack.write import write_pack
from tests.packs import SIGNER, TRUST, heading, make_level, make_levels, make_pictures, make_png, signer, write_tiny


def refused(codes: str, line: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        parse_record(line)
    assert [finding.code for finding in caught.value.findings] == [codes]


def test_a_text_may_be_as_long_as_the_limit() -> None:
    assert decode(b"12345", "here", limit=5) == 12345
    with pytest.raises(Malformed, match="has 6 bytes, more than 5"):
        decode(b"123456", "here", limit=5)


@pytest.mark.parametrize(("left", "right"), [(b"[", b"]"), (b'{"a":', b"}")])
@pytest.mark.parametrize("inner", [b"[]", b"[1,2]", b"[{}]"])
def test_a_text_may_nest_as_deep_as_the_limit(left: bytes, right: bytes, inner: bytes) -> None:
    rest = MAX_DEPTH - inner.count(b"[") - inner.count(b"{")
    decode(left * rest + inner + right * rest, "here")
    with pytest.raises(Malformed, match=f"nests deeper than {MAX_DEPTH}"):
        decode(left * (rest + 1) + inner + right * (rest + 1), "here")


def test_a_tool_is_given_a_million_times_at_most() -> None:
    record, _ = make_level(1)
    most = replace(record, tools={"undo": 1_000_000})
    assert parse_record(most.encode()) == most
    refused("record/tools", replace(record, tools={"undo": 1_000_001}).encode())


def test_a_record_has_256_figures_at_most() -> None:
    record, _ = make_level(1)
    figures = {f"f{number:03}": number for number in range(257)}
    refused("record/difficulty", replace(record, difficulty=figures).encode())
    del figures["f000"]
    assert len(parse_record(replace(record, difficulty=figures).encode()).difficulty) == 256


def manifest(folder: Path) -> Manifest:
    return write_tiny(folder / "pack", 1)


@pytest.mark.parametrize(
    "name", ["tree.bin", "levels.idx", "manifest.dsse.json", "previews/0001.png", "evidence/../levels.jsonl", "readme"]
)
def test_a_manifest_signs_no_other_files_than_a_pack_s_own(tmp_path: Path, name: str) -> None:
    signed = manifest(tmp_path)
    assert parse_manifest(signed.encode()) == signed
    more = replace(signed, files={**signed.files, name: FileMark(1, "ab" * 32)})
    with pytest.raises(Malformed, match="which is no signed file"):
        parse_manifest(more.encode())


def test_a_manifest_lists_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    data = json.loads(manifest(tmp_path).encode())
    assert list(data["files"]) == sorted(data["files"])
    data["files"] = dict(reversed(data["files"].items()))
    with pytest.raises(Malformed, match="in the order of its names"):
        parse_manifest(json.dumps(data, separators=(",", ":")).encode())


def test_a_picture_has_no_more_pixels_than_can_be_held() -> None:
    fits = Preview("tiny", 1, "RGB", 1 << 13, 1 << 13, "ab" * 32)
    assert parse_preview(fits.encode(), "here") == fits
    for wider in (replace(fits, width=(1 << 13) + 1), replace(fits, height=(1 << 13) + 1)):
        with pytest.raises(Malformed, match="wrong type, spelling or range"):
            parse_preview(wider.encode(), "here")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_picture_says_its_size_first_and_once() -> None:
    png = make_png(3, 2, bytes(18))
    head, size, rest = png[:8], png[8:33], png[33:]
    assert png_problem(head + size + rest, (3, 2)) == ""
    other = chunk(b"IHDR", struct.pack(">IIBBBBB", 3, 2, 16, 0, 0, 0, 0))
    assert png_problem(head + size + other + rest, (3, 2)) == "holds a chunk b'IHDR' that a preview does not have"
    assert png_problem(head + rest, (3, 2)) == "holds a chunk b'IDAT' that a preview does not have"
    assert png_problem(head + chunk(b"IEND", b""), (3, 2)) == "holds a chunk b'IEND' that a preview does not have"


def test_a_trust_root_holds_64_keys_at_most() -> None:
    keys = [signer(str(number)).public for number in range(MAX_KEYS + 1)]
    assert len(TrustRoot.of(keys[:MAX_KEYS]).keys) == MAX_KEYS == 64
    with pytest.raises(Malformed) as caught:
        TrustRoot.of(keys)
    assert [finding.code for finding in caught.value.findings] == ["key/threshold"]


def test_a_level_has_one_picture_only(tmp_path: Path) -> None:
    twice = [next(make_pictures(1)), next(make_pictures(1, shade=5))]
    with pytest.raises(Malformed) as caught:
        write_pack(tmp_path / "pack", heading(), make_levels(2), [SIGNER], previews=twice)
    assert [finding.code for finding in caught.value.findings] == ["pack/preview-elsewhere"]
    assert not (tmp_path / "pack").exists()


def test_a_diff_counts_the_tiles_that_show_another_face(tmp_path: Path) -> None:
    row = parse("aabbccddee\naabbccddee\n-- 1\n.aabb\n.aabb")[0]
    level, certificate = make_level(1)
    assert len(level.slots) == len(row) + 1
    names = {"sun": "moon", "moon": "sun", "kite": "kite"}
    faces = tuple(names[face] for face in level.faces)
    changed = replace(level, faces=faces)
    moved = sum(face != "kite" for face in level.faces)
    assert 0 < moved < len(faces)
    packs = []
    for name, record in (("old", level), ("new", changed)):
        write_pack(tmp_path / name, heading(), [(bind(record, certificate), certificate)], [SIGNER])
        packs.append(open_pack(tmp_path / name, TRUST))
    (entry,) = diff_packs(*packs).changed
    assert [change.new for change in entry.changes if change.what == "faces"] == [
        f"3 faces of demo, {moved} tiles changed"
    ]


def test_what_somebody_else_is_still_writing_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of another user cannot be signalled: that it cannot shows that it lives."""
    draft = tmp_path / ".pack.draft-4711"
    draft.mkdir()

    def not_yours(process: int, signal: int) -> None:
        raise PermissionError

    def gone(process: int, signal: int) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", not_yours)
    recover(tmp_path / "pack")
    assert draft.is_dir()
    monkeypatch.setattr(os, "kill", gone)
    recover(tmp_path / "pack")
    assert not draft.exists()


def test_a_record_of_a_board_that_hides_its_last_tile_is_read() -> None:
    record, _ = make_level(1)
    last = len(record.slots) - 1
    hidden: Record = replace(record, face_down=(last,))
    assert parse_record(hidden.encode()) == hidden
    refused("record/face-down", replace(record, face_down=(last + 1,)).encode())
