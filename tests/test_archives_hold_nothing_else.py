"""A container holds a pack's members and not one byte more: whatever else a ZIP or a directory can do is refused."""

from __future__ import annotations

import io
import os
import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.errors import Malformed, Untrusted
from levelgen.pack.archive import (
    ArchiveReader,
    archive_bytes,
    is_member_name,
    open_reader,
    preview_name,
    read_members,
)
from levelgen.pack.verify import open_pack, verify_pack
from levelgen.pack.write import client_edition, pack_archive
from tests.packs import TRUST, write_tiny

MEMBERS = {"levels.jsonl": b"levels\n", "manifest.dsse.json": b"{}", "previews/0001.png": b"", "tree.bin": bytes(32)}
GOOD = archive_bytes(MEMBERS)


def zipped(
    names: list[str],
    *,
    method: int = zipfile.ZIP_STORED,
    change: Callable[[zipfile.ZipInfo], None] | None = None,
    comment: bytes = b"",
) -> bytes:
    """What another program would write."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")
        for name in names:
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, (stat.S_IFREG | 0o644) << 16
            info.create_version, info.extract_version = 20, 10
            info.compress_type = method
            if change is not None:
                change(info)
            archive.writestr(info, b"x" * 100)
        archive.comment = comment
    return file.getvalue()


def refusal(data: bytes) -> str:
    with pytest.raises(Untrusted) as caught:
        ArchiveReader(memoryview(data), "pack")
    (finding,) = caught.value.findings
    assert finding.code == "pack/container"
    return f"{finding.where} {finding.message}"


def test_members_come_out_as_they_went_in() -> None:
    reader = open_reader(GOOD)
    assert {name: bytes(view) for name, view in read_members(reader).items()} == MEMBERS
    assert reader.names() == tuple(sorted(MEMBERS))
    assert reader.view("levels.idx") is None
    assert reader.strays() == ()


def test_equal_members_are_equal_bytes() -> None:
    assert archive_bytes(dict(reversed(MEMBERS.items()))) == GOOD


def test_other_programs_read_our_archives() -> None:
    with zipfile.ZipFile(io.BytesIO(GOOD)) as archive:
        assert archive.testzip() is None
        assert {info.filename: archive.read(info) for info in archive.infolist()} == MEMBERS
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())


STRANGE_NAMES = r"""
../levelgen.jsonl /levels.jsonl a/../levels.jsonl previews/../../x.png previews\0001.png C:levels.jsonl ./levels.jsonl
levels.jsonl/ LEVELS.JSONL previews/1.png previews/0001.PNG previews evidence/ evidence/../x evidence/.x evidence/a..b
evidence/a/b x.txt
"""


@pytest.mark.parametrize("name", [*STRANGE_NAMES.split(), "levels.jsonl\n", "previews/00٠1.png", ""])
def test_a_name_that_is_not_on_the_list_is_refused(name: str) -> None:
    assert not is_member_name(name)
    with pytest.raises(Malformed, match="pack/name"):
        archive_bytes({name: b""})
    if name:
        assert "not a name in a pack" in refusal(zipped([name]))


def test_the_listed_names_are_accepted() -> None:
    names = [
        *MEMBERS,
        "levels.idx",
        "certificates.jsonl",
        "evidence/level-1.json",
        preview_name(7),
        preview_name(123456),
    ]
    assert all(is_member_name(name) for name in names)


def test_a_name_given_twice_is_refused() -> None:
    assert "twice" in refusal(zipped(["levels.jsonl", "levels.jsonl"]))


def test_names_out_of_order_are_refused() -> None:
    assert "out of order" in refusal(zipped(["tree.bin", "levels.jsonl"]))


def test_compression_and_with_it_every_bomb_is_refused() -> None:
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "compressed" in refusal(zipped(["levels.jsonl"], method=method))


def test_a_link_in_an_archive_is_refused() -> None:
    def link(info: zipfile.ZipInfo) -> None:
        info.external_attr = (stat.S_IFLNK | 0o777) << 16

    assert "link" in refusal(zipped(["levels.jsonl"], change=link))


def test_encryption_is_refused() -> None:
    data = bytearray(zipped(["levels.jsonl"]))
    data[data.index(b"PK\1\2") + 8] |= 1
    assert "encrypted" in refusal(bytes(data))


def test_another_time_or_an_extra_field_or_a_comment_is_refused() -> None:
    def later(info: zipfile.ZipInfo) -> None:
        info.date_time = (2020, 1, 1, 0, 0, 0)

    def extra(info: zipfile.ZipInfo) -> None:
        info.extra = struct.pack("<HHQ", 0x7777, 8, 0)

    def remark(info: zipfile.ZipInfo) -> None:
        info.comment = b"hello"

    for change in (later, extra, remark):
        assert refusal(zipped(["levels.jsonl"], change=change))
    assert "directory of its members" in refusal(zipped(["levels.jsonl"], comment=b"hello"))
    assert ArchiveReader(memoryview(zipped(["levels.jsonl", "tree.bin"])), "pack").names() == (
        "levels.jsonl",
        "tree.bin",
    )


def test_bytes_before_between_and_behind_are_refused() -> None:
    assert refusal(b"#!/bin/sh\n" + GOOD)
    assert refusal(GOOD + b"\0")
    listing = GOOD.index(b"PK\1\2")
    end = bytearray(GOOD[-22:])
    struct.pack_into("<I", end, 16, listing + 4)
    assert refusal(GOOD[:listing] + b"junk" + GOOD[listing:-22] + bytes(end))
    assert refusal(GOOD + GOOD)


@given(st.integers(0, len(GOOD) - 1))
def test_a_truncated_archive_is_refused(length: int) -> None:
    assert refusal(GOOD[:length])


@given(st.integers(0, len(GOOD) - 1), st.integers(1, 255))
def test_a_flipped_byte_is_refused_or_lies_in_a_members_bytes(place: int, flip: int) -> None:
    data = bytearray(GOOD)
    data[place] ^= flip
    try:
        reader = ArchiveReader(memoryview(bytes(data)), "pack")
    except Untrusted:
        return
    differing = [name for name, view in read_members(reader).items() if bytes(view) != MEMBERS[name]]
    assert len(differing) == 1
    assert reader.names() == tuple(sorted(MEMBERS))


def test_zip64_is_refused() -> None:
    data = bytearray(GOOD)
    listing = data.index(b"PK\1\2")
    struct.pack_into("<II", data, listing + 20, 0xFFFFFFFF, 0xFFFFFFFF)
    assert "cut short" in refusal(bytes(data))
    data = bytearray(GOOD)
    struct.pack_into("<HHII", data, len(data) - 14, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    assert refusal(bytes(data))


def test_a_member_that_claims_to_be_huge_costs_nothing() -> None:
    data = bytearray(GOOD)
    listing = data.index(b"PK\1\2")
    for offset, place in ((20, listing), (18, 0)):
        struct.pack_into("<II", data, place + offset, 0x7FFFFFFF, 0x7FFFFFFF)
    assert "cut short" in refusal(bytes(data))


def test_two_members_that_share_bytes_are_refused() -> None:
    data = bytearray(archive_bytes({"levels.idx": b"x" * 8, "levels.jsonl": b"y" * 8}))
    second = data.rindex(b"PK\1\2")
    struct.pack_into("<I", data, second + 42, 0)
    assert refusal(bytes(data))


def test_an_empty_file_and_other_files_are_refused(tmp_path: Path) -> None:
    for data in (b"", b"hello", b"\x89PNG\r\n\x1a\n" + bytes(100)):
        (tmp_path / "x.lgpack").write_bytes(data)
        with pytest.raises(Untrusted, match="pack/container"):
            open_reader(tmp_path / "x.lgpack")
    with pytest.raises(Malformed, match="pack/missing"):
        open_reader(tmp_path / "nothing")


def test_a_link_in_a_directory_is_refused(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    elsewhere = tmp_path / "elsewhere.jsonl"
    (tmp_path / "pack" / "levels.jsonl").rename(elsewhere)
    (tmp_path / "pack" / "levels.jsonl").symlink_to(elsewhere)
    with pytest.raises(Untrusted, match=r"levels\.jsonl: is a link"):
        open_pack(tmp_path / "pack", TRUST)
    assert not verify_pack(tmp_path / "pack", TRUST).ok


def test_a_linked_folder_or_picture_is_refused(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    folder = tmp_path / "pack" / "previews"
    picture = folder / "0001.png"
    picture.rename(tmp_path / "1.png")
    picture.symlink_to(tmp_path / "1.png")
    report = verify_pack(tmp_path / "pack", TRUST)
    assert "is a link" in str(report.findings)
    picture.unlink()
    folder.rename(tmp_path / "previews")
    folder.symlink_to(tmp_path / "previews")
    assert "is a link" in str(verify_pack(tmp_path / "pack", TRUST).findings)


def test_a_directory_or_a_pipe_in_the_place_of_a_member_is_refused(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    path = tmp_path / "pack" / "tree.bin"
    path.unlink()
    path.mkdir()
    with pytest.raises(Untrusted, match="no plain file"):
        open_pack(tmp_path / "pack", TRUST)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(Untrusted, match="no plain file"):
        open_pack(tmp_path / "pack", TRUST)


def test_a_stray_file_in_a_directory_is_told_and_never_read(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    (tmp_path / "pack" / "notes.txt").symlink_to("/dev/zero")
    report = verify_pack(tmp_path / "pack", TRUST)
    assert report.ok
    assert [(finding.code, finding.where) for finding in report.warnings] == [("pack/stray-file", "notes.txt")]


def test_a_pack_can_be_opened_from_bytes_a_file_or_a_directory(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    path = pack_archive(tmp_path / "pack")
    assert path == tmp_path / "pack.lgpack"
    packs = [open_pack(source, TRUST) for source in (path.read_bytes(), path, str(path), tmp_path / "pack")]
    assert len({(pack.digest, pack.level(2).encode()) for pack in packs}) == 1


def test_pictures_are_packed_only_when_asked_for(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    assert "previews/0001.png" not in open_reader(pack_archive(tmp_path / "pack")).names()
    assert "previews/0001.png" in open_reader(pack_archive(tmp_path / "pack", previews=True)).names()


def test_packing_twice_gives_equal_bytes(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    first = pack_archive(tmp_path / "pack").read_bytes()
    os.utime(tmp_path / "pack" / "levels.jsonl", (0, 0))
    assert pack_archive(tmp_path / "pack").read_bytes() == first
    assert pack_archive(tmp_path / "pack.lgpack", tmp_path / "again.lgpack").read_bytes() == first


@pytest.mark.parametrize("name", ["client", "client.lgpack"])
def test_the_client_edition_holds_no_solutions_and_verifies(tmp_path: Path, name: str) -> None:
    write_tiny(tmp_path / "pack")
    out = client_edition(tmp_path / "pack", tmp_path / name)
    names = open_reader(out).names()
    assert not [member for member in names if member.startswith(("certificates", "evidence", "previews/"))]
    report = verify_pack(out, TRUST)
    assert report.ok
    assert not report.certified
    assert report.check("certificates").note == "client edition: no certificates"
    assert report.digest == verify_pack(tmp_path / "pack", TRUST).digest
