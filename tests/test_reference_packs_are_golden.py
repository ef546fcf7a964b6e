"""The committed reference packs are those whose digests are committed; `tests/matrix.py` builds them elsewhere."""

from __future__ import annotations

import json

from tests.conftest import Golden
from tests.matrix import PACKS, ROOT, digests, requirements


def test_the_reference_packs_have_the_golden_digests(golden: Golden) -> None:
    found = {pack: digests(ROOT / "out" / pack) for pack in PACKS}
    golden("golden/packs.json", json.dumps(found, indent=1) + "\n")


def test_the_matrix_asks_for_the_oldest_versions_that_are_allowed() -> None:
    oldest, newest = requirements(True), requirements(False)
    assert len(oldest) == len(newest)
    assert all("==" in each for each in oldest)
    assert not any("==" in each for each in newest)
