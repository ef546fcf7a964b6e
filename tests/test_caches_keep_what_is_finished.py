"""A cache gives back what was put there, or nothing: never something else, whatever happens to its file."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from levelgen.cache import Cache, cache_folder
from tests.project import ROOT

FILE = "levels.sqlite"


def key(number: int) -> bytes:
    return number.to_bytes(32, "big")


def fill(folder: Path, count: int, size: int = 100, limit: int = 1 << 30) -> None:
    with Cache.open(folder, limit) as cache:
        cache.put((key(number), bytes([number]) * size) for number in range(count))


def test_what_was_put_is_there_for_the_next_build(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    with Cache.open(tmp_path) as cache:
        assert cache.get(key(2)) == b"\2" * 100
        assert cache.get(key(3)) is None
        assert not cache.damaged
        assert not cache.trouble


def test_a_folder_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELGEN_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.setenv("LEVELGEN_CACHE", "off")
    assert cache_folder() is None
    monkeypatch.delenv("LEVELGEN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/mine")
    assert cache_folder() == Path("/mine/levelgen")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET data = substr(data, 1, 40) || x'ff' || substr(data, 42) WHERE id = 1",
        "UPDATE entry SET data = x'' WHERE id = 1",
        "UPDATE entry SET data = 'text' WHERE id = 1",
        "UPDATE place SET id = 2 WHERE id = 1",  # another level's bytes, whole in themselves
    ],
)
def test_a_damaged_entry_is_dropped_and_the_others_stay(tmp_path: Path, change: str) -> None:
    fill(tmp_path, 3)
    base = sqlite3.connect(tmp_path / FILE)
    base.execute(change)
    base.commit()
    base.close()
    with Cache.open(tmp_path) as cache:
        assert cache.get(key(0)) is None
        assert cache.damaged == 1
        assert cache.get(key(2)) == b"\2" * 100
        cache.put([(key(0), b"anew")])
        assert cache.get(key(0)) == b"anew"
    assert not cache.trouble


@pytest.mark.parametrize("damage", ["no database", "cut short", "holes"])
def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path: Path, damage: str) -> None:
    fill(tmp_path, 200, 4000)
    path = tmp_path / FILE
    data = path.read_bytes()
    if damage == "no database":
        path.write_bytes(b"x" * 5000)
    elif damage == "cut short":
        path.write_bytes(data[: len(data) // 3])
    else:
        path.write_bytes(data[:4096] + b"\0" * (len(data) - 4096))
    with Cache.open(tmp_path) as cache:
        found = [cache.get(key(number)) for number in range(200)]
        assert all(data in (None, bytes([number]) * 4000) for number, data in enumerate(found))
        assert None in found
        cache.put([(key(1000), b"new")])
        assert cache.get(key(1000)) == b"new"
        assert cache.damaged
    assert not cache.trouble


def test_it_is_bounded_and_what_no_build_used_goes_first(tmp_path: Path) -> None:
    fill(tmp_path, 10, 1000)
    with Cache.open(tmp_path, limit=5500) as cache:
        for number in (0, 1, 2):
            assert cache.get(key(number))
        assert cache.size > 10_000
    with Cache.open(tmp_path) as cache:
        assert cache.size < 5500
        assert [number for number in range(10) if cache.get(key(number))] == [0, 1, 2, 8, 9]


def test_nothing_goes_while_another_build_may_need_it(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as other:
        fill(tmp_path, 10, 1000, limit=100)
        assert other.get(key(9))
    with Cache.open(tmp_path, limit=100) as last:
        last.put([(key(99), b"x" * 50)])
    with Cache.open(tmp_path) as cache:
        assert cache.size < 100
        cache.clear()
        assert cache.size == 0


BOTH = """
import sys
from pathlib import Path
from levelgen.cache import Cache
with Cache.open(Path(sys.argv[1])) as cache:
    for number in range(400):
        cache.put([(number.to_bytes(32, "big"), number.to_bytes(2, "big") * 50)])
    assert not cache.trouble, cache.trouble
"""


def test_two_builds_may_share_one(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", BOTH, str(tmp_path)], cwd=ROOT) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    with Cache.open(tmp_path) as cache:
        assert all(cache.get(key(number)) == number.to_bytes(2, "big") * 50 for number in range(400))


def test_where_none_can_be_kept_building_goes_on_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with Cache.open(tmp_path / "file") as cache:
        assert "NotADirectoryError" in cache.trouble or "FileExistsError" in cache.trouble
        cache.put([(key(1), b"x")])
        assert cache.get(key(1)) is None
    with Cache.open(None) as none:
        assert none.get(key(1)) is None


FULL = """
import resource, signal, sys
from pathlib import Path
from levelgen.cache import Cache
cache = Cache.open(Path(sys.argv[1]))
cache.put([(b"a" * 32, b"kept" * 100)])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for number in range(100):
    cache.put([(number.to_bytes(32, "big"), bytes([number]) * 10_000)])
assert cache.trouble, "the disk was not full"
cache.put([(b"b" * 32, b"never")])
cache.close()
"""


def test_on_a_full_disk_what_was_kept_before_stays(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], cwd=ROOT, check=True)
    with Cache.open(tmp_path) as cache:
        assert cache.get(b"a" * 32) == b"kept" * 100
        assert cache.get(b"b" * 32) is None
        assert not cache.damaged


def test_a_kill_in_a_transaction_loses_that_one_only(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom levelgen.cache import Cache\n"
        "cache = Cache.open(Path(sys.argv[1]))\n"
        "cache.put([(b'a' * 32, b'first')])\n"
        "def entries():\n    yield b'b' * 32, b'second'\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "cache.put(entries())\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=False)
    assert done.returncode == -9
    with Cache.open(tmp_path) as cache:
        assert cache.get(b"a" * 32) == b"first"
        assert cache.get(b"b" * 32) is None
        assert not cache.damaged
    assert sorted(os.listdir(tmp_path)) == ["in-use", FILE]
