"""Writing a pack leaves the old one or the new one, whole, whatever happens; equal levels give equal bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from levelgen.certificate import Certificate
from levelgen.errors import LevelgenError, Malformed, SystemFailed, Untrusted
from levelgen.pack import disk
from levelgen.pack.archive import TOP
from levelgen.pack.disk import new_directory, new_file, recover, write_file
from levelgen.pack.records import Record
from levelgen.pack.signing import demo_key
from levelgen.pack.verify import open_pack, verify_pack
from levelgen.pack.write import client_edition, write_pack
from levelgen.render.preview import save_png
from tests.packs import SIGNER, TRUST, heading, make_level, make_levels, make_pictures, write_tiny


def contents(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def beside(path: Path) -> list[str]:
    """What a write left in the directory around the pack."""
    return sorted(os.listdir(path.parent))


def test_nothing_takes_the_place_of_a_device(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to("/dev/null")
    for place in (pipe, tmp_path / "link"):  # a file in the place of /dev/null would break the machine
        with pytest.raises(Malformed, match="a pipe or a device"):
            write_file(place, b"")
        with pytest.raises(Malformed, match="a pipe or a device"):
            save_png(Image.new("L", (1, 1)), place)
    assert pipe.is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert beside(pipe) == ["link", "pipe"]


def test_a_pack_holds_the_files_of_its_format(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 2)
    pictures = {"previews/0001.png", "previews/0002.png"}
    assert set(contents(tmp_path / "pack")) == {*TOP, *pictures, "evidence/level-1.json"}
    assert beside(tmp_path / "pack") == ["pack"]
    assert verify_pack(tmp_path / "pack", TRUST).certified


@pytest.mark.parametrize("ruleset", ["pairs", "triples"])
def test_equal_levels_give_equal_bytes(tmp_path: Path, ruleset: str) -> None:
    write_tiny(tmp_path / "a", 3, ruleset)
    write_tiny(tmp_path / "b", 3, ruleset)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_pack_is_replaced_and_what_is_not_its_own_is_kept(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 3)
    (tmp_path / "pack" / "sheet.png").write_bytes(b"sheet")
    (tmp_path / "pack" / "gallery").mkdir()
    (tmp_path / "pack" / "gallery" / "index.html").write_bytes(b"page")
    write_tiny(tmp_path / "pack", 1)
    found = contents(tmp_path / "pack")
    assert found["sheet.png"] == b"sheet"
    assert found["gallery/index.html"] == b"page"
    assert "previews/0003.png" not in found
    assert open_pack(tmp_path / "pack", TRUST).manifest.levels == 1
    assert beside(tmp_path / "pack") == ["pack"]


def test_a_directory_that_is_no_pack_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "thesis.tex").write_text("years of work")
    with pytest.raises(Malformed, match="pack/not-a-pack"):
        write_tiny(tmp_path / "pack")
    assert contents(tmp_path / "pack") == {"thesis.tex": b"years of work"}
    with pytest.raises(Malformed, match="pack/not-a-directory"):
        write_tiny(tmp_path / "pack" / "thesis.tex")
    (tmp_path / "link").symlink_to(tmp_path / "pack")
    with pytest.raises(Malformed, match="pack/not-a-directory"):
        write_tiny(tmp_path / "link")


def test_an_empty_directory_is_filled_and_parents_are_made(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    write_tiny(tmp_path / "pack", 1)
    write_tiny(tmp_path / "deep" / "er" / "pack", 1)
    assert verify_pack(tmp_path / "deep" / "er" / "pack", TRUST).ok


class Breakdown(Exception):
    """The machine fails in the middle."""


def test_a_failure_half_way_leaves_the_old_pack(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 2)
    before = contents(tmp_path / "pack")

    def levels() -> Iterator[tuple[Record, Certificate]]:
        yield make_level(1)
        raise Breakdown

    with pytest.raises(Breakdown):
        write_pack(tmp_path / "pack", heading(), levels(), [SIGNER])
    assert contents(tmp_path / "pack") == before
    assert beside(tmp_path / "pack") == ["pack"]


@pytest.mark.parametrize("exchange", [True, False])
def test_a_failure_at_any_system_call_leaves_a_whole_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    """With and without the atomic exchange: after a failed write and a recovery there is the old pack or the new."""
    if not exchange:
        monkeypatch.setattr(disk, "_exchange", lambda first, second: False)
    path = tmp_path / "pack"
    write_tiny(path, 2)
    old = contents(path)
    write_tiny(tmp_path / "new", 3, seed="other")
    new = contents(tmp_path / "new")
    outcomes = set()
    for failing in range(1, 200):
        calls = 0

        def maybe(real: Any) -> Any:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == failing:  # noqa: B023
                    raise OSError(28, "No space left on device")
                return real(*arguments, **options)

            return call

        with monkeypatch.context() as patch:
            for name in ("rename", "fsync", "replace"):
                patch.setattr(os, name, maybe(getattr(os, name)))
            failed = False
            try:
                write_tiny(path, 3, seed="other")
            except OSError:
                failed = True
        recover(path)
        found = contents(path)
        assert found in (old, new)
        outcomes.add((failed, found == new))
        assert set(beside(path)) <= {"pack", "new"}
        if not failed:
            break
        write_tiny(path, 2)
    assert (True, False) in outcomes
    assert (False, True) in outcomes


KILLED = """
import sys, time
from pathlib import Path
from tests.packs import SIGNER, heading, make_level
from levelgen.pack.write import write_pack

def levels():
    yield make_level(1)
    print("writing", flush=True)
    time.sleep(60)

write_pack(Path(sys.argv[1]), heading(), levels(), [SIGNER])
"""


def test_a_kill_leaves_the_old_pack_and_the_next_write_works(tmp_path: Path) -> None:
    path = tmp_path / "pack"
    write_tiny(path, 2)
    before = contents(path)
    root = Path(__file__).resolve().parent.parent
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, cwd=root)
    assert child.stdout is not None
    assert child.stdout.readline() == b"writing\n"
    child.kill()
    child.wait()
    child.stdout.close()
    assert contents(path) == before
    write_tiny(path, 3)
    assert verify_pack(path, TRUST).certified
    assert beside(path) == ["pack"]


def test_a_pack_is_found_in_the_middle_of_its_replacement_and_recovered_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "pack"
    write_tiny(path, 2)
    path.rename(tmp_path / ".pack.old")
    assert open_pack(path, TRUST).manifest.levels == 2
    write_tiny(path, 3)
    assert open_pack(path, TRUST).manifest.levels == 3
    assert beside(path) == ["pack"]


def test_a_reader_finds_a_pack_whenever_it_looks(tmp_path: Path) -> None:
    path = tmp_path / "pack"
    write_tiny(path, 1)
    root = Path(__file__).resolve().parent.parent
    code = (
        "import sys\nfrom pathlib import Path\nfrom tests.packs import write_tiny\n"
        "for n in range(25): write_tiny(Path(sys.argv[1]), 1 + n % 3)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], cwd=root)
    looks = 0
    try:
        while child.poll() is None:
            pack = open_pack(path, TRUST)
            assert pack.level(1).level == 1
            pack.close()
            looks += 1
    finally:
        assert child.wait() == 0
    assert looks


def bad_levels() -> dict[str, tuple[list[tuple[Record, Certificate]], str]]:
    (record, certificate), second = make_levels(2)
    return {
        "no levels": ([], "pack/no-levels"),
        "a level left out": ([second], "pack/record-elsewhere"),
        "a level twice": ([(record, certificate)] * 2, "pack/record-elsewhere"),
        "a record of another pack": ([make_level(1, pack="other")], "pack/record-elsewhere"),
        "a certificate of another level": ([(record, second[1])], "pack/certificate-elsewhere"),
        "a record without its digest": ([(replace(record, certificate_sha256="00" * 32), certificate)], "pack/unbound"),
        "another ruleset": ([make_level(1, "triples")], "pack/ruleset"),
        "another face set": ([(replace(record, face_set="x"), certificate)], "pack/face-set"),
        "another generator": ([(replace(record, generator=2), certificate)], "pack/generator"),
        "a record that cannot be read": ([(replace(record, seed=""), certificate)], "record/seed"),
        "a board that cannot be played": ([(replace(record, slots=record.slots[::-1]), certificate)], "layout/order"),
    }


@pytest.mark.parametrize("fault", bad_levels())
def test_nothing_is_signed_with(tmp_path: Path, fault: str) -> None:
    levels, code = bad_levels()[fault]
    with pytest.raises(Malformed, match=code):
        write_pack(tmp_path / "pack", heading(), levels, [SIGNER])
    assert os.listdir(tmp_path) == []


def test_a_picture_of_another_level_is_refused(tmp_path: Path) -> None:
    pictures = [*make_pictures(3)]
    for wrong in (pictures, pictures[1::-1]):
        with pytest.raises(Malformed, match="pack/preview-elsewhere"):
            write_pack(tmp_path / "pack", heading(), make_levels(2), [SIGNER], previews=wrong)
    assert os.listdir(tmp_path) == []


def test_a_heading_that_makes_no_manifest_is_refused(tmp_path: Path) -> None:
    for changes in ({"title": ""}, {"version": 0}, {"previous": "x"}):
        with pytest.raises(Malformed, match="manifest/"):
            write_tiny(tmp_path / "pack", 1, heading=changes)
    assert os.listdir(tmp_path) == []


def test_a_release_is_not_signed_with_the_demonstration_key(tmp_path: Path) -> None:
    with pytest.raises(Untrusted, match="key/demonstration"):
        write_tiny(tmp_path / "pack", 1, signers=[demo_key()], release=True)
    write_tiny(tmp_path / "pack", 1, release=True)
    assert verify_pack(tmp_path / "pack", TRUST).ok


def test_a_client_edition_does_not_replace_what_is_no_pack(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack", 1)
    (tmp_path / "client").mkdir()
    (tmp_path / "client" / "notes").write_text("mine")
    with pytest.raises(Malformed, match="pack/not-a-pack"):
        client_edition(tmp_path / "pack", tmp_path / "client")
    with pytest.raises(LevelgenError, match="pack/missing"):
        client_edition(tmp_path / "client", tmp_path / "other")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_file(path, b"old")

    def half() -> None:
        with new_file(path) as draft:
            draft.write_bytes(b"half")
            raise Breakdown

    with pytest.raises(Breakdown):
        half()
    assert path.read_bytes() == b"old"
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    with pytest.raises(FileExistsError):
        write_file(path, b"newer", replace=False)
    assert os.listdir(tmp_path) == ["file"]


def test_a_draft_directory_left_by_a_kill_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / f".pack.draft-{os.getpid()}"
    left.mkdir()
    (left / "half").write_bytes(b"x")
    with new_directory(tmp_path / "pack") as draft:
        (draft / "whole").write_bytes(b"y")
    assert os.listdir(tmp_path) == ["pack"]
    assert os.listdir(tmp_path / "pack") == ["whole"]


def test_a_mount_point_is_not_replaced() -> None:
    with pytest.raises(SystemFailed, match="is a mount point") as caught, new_directory(Path("/proc")):
        raise AssertionError("nothing is written")
    assert caught.value.findings[0].fix == "name a folder inside it"
