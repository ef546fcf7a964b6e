"""The committed reference packs are those whose digests are committed; `tests/matrix.py` builds them elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Golden
from tests.matrix import PACKS, ROOT, SIGNED, differences, digests, requirements


def test_the_reference_packs_have_the_golden_digests(golden: Golden) -> None:
    found = {pack: digests(ROOT / "out" / pack) for pack in PACKS}
    golden("golden/packs.json", json.dumps(found, indent=1) + "\n")


def test_the_matrix_knows_the_oldest_version_of_everything_that_is_allowed() -> None:
    assert len(requirements()) >= 10
    assert all(">=" in each for each in requirements())


def test_the_matrix_finds_what_differs(tmp_path: Path) -> None:
    assert differences(ROOT / "out" / "eram", "eram", 0) == []
    missing = ["eram/certificates.jsonl", "eram/levels.jsonl", "eram/evidence/0001.guess-free.json"]
    assert differences(tmp_path, "eram", 1) == missing
    for name in SIGNED:
        (tmp_path / name).write_bytes((ROOT / "out" / "eram" / name).read_bytes().splitlines(keepends=True)[0])
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "0001.guess-free.json").write_bytes(
        (ROOT / "out" / "eram" / "evidence" / "0001.guess-free.json").read_bytes()
    )
    assert differences(tmp_path, "eram", 1) == []
    (tmp_path / "levels.jsonl").write_bytes(b"{}\n")
    assert differences(tmp_path, "eram", 1) == ["eram/levels.jsonl"]
