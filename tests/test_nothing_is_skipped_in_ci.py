"""In CI a skip is a failure; elsewhere, where a tool may be missing, it is a skip."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
SKIPS = {
    "by a mark": "import pytest\n@pytest.mark.skip(reason='no browser')\ndef test_a(): pass\n",
    "inside the test": "import pytest\ndef test_a(): pytest.skip('no browser')\n",
    "inside a fixture": (
        "import pytest\n@pytest.fixture\ndef page(): pytest.skip('no browser')\ndef test_a(page): pass\n"
    ),
    "as a whole file": "import pytest\npytest.skip('no browser', allow_module_level=True)\n",
    "for a missing library": "import pytest\npytest.importorskip('no_browser')\ndef test_a(): pass\n",
}


def run(folder: Path, ci: str, *tests: str) -> str:
    """What pytest prints over these test files beside our conftest."""
    (folder / "conftest.py").write_text(CONFTEST.read_text(encoding="utf-8"), encoding="utf-8")
    for number, test in enumerate(tests):
        (folder / f"test_{number}.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull]
    command += ["--continue-on-collection-errors"]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), str(folder)],
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_every_kind_of_skip_fails_in_ci_and_says_why(tmp_path: Path) -> None:
    output = run(tmp_path, "true", *SKIPS.values(), "def test_passes(): pass\n")
    reasons = [line for line in output.splitlines() if line.startswith("skipped in CI, which counts as failed")]
    assert len(reasons) == len(SKIPS)
    assert all("browser" in reason for reason in reasons)
    assert "1 passed" in output
    assert "skipped" not in output.splitlines()[-1]


DRAWS = """
from hypothesis import HealthCheck, given, settings, strategies as st

def test_the_profile():
    assert settings().derandomize
    assert settings().database is None
    assert settings().deadline is None
    assert settings().print_blob
    assert HealthCheck.too_slow in settings().suppress_health_check

@given(st.lists(st.integers()))
def test_draws(numbers):
    with open("drawn.txt", "a") as file:
        file.write(f"{numbers}\\n")
"""


def test_in_ci_the_same_examples_are_tried_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = []
    for _ in range(2):
        assert "2 passed" in run(tmp_path, "true", DRAWS)
        drawn.append(Path("drawn.txt").read_text())
        Path("drawn.txt").unlink()
    assert drawn[0] == drawn[1]


def test_a_skip_is_a_skip_elsewhere(tmp_path: Path) -> None:
    assert "1 skipped" in run(tmp_path, "", SKIPS["inside the test"])
