"""One deal a level and date in Kathmandu: a function of the pinned channel only, whatever the machine's clock says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.recipe import kathmandu_date
from tests.project import ROOT, new_project

Capture = pytest.CaptureFixture[str]
RECIPE = ROOT / "templates" / "packs" / "tilematch.yaml"
SMALL = """\
pack: probe
title: Probe
version: 1
ruleset: {id: triples}
faces: nepal
seed: probe
levels:
  - levels: 1
    tier: easy
    templates: [[block, top]]
    tiles: 24
    distinct: 8
daily:
  seed: channel
  tiers: [easy]
"""


@pytest.mark.parametrize(
    ("moment", "date"),
    [
        ("2026-11-30T18:14:59", "2026-11-30"),
        ("2026-11-30T18:15:00", "2026-12-01"),
        ("2026-12-31T18:15:00", "2027-01-01"),
        ("2028-02-28T23:00:00", "2028-02-29"),
    ],
)
def test_the_day_begins_at_midnight_in_kathmandu(moment: str, date: str) -> None:
    assert kathmandu_date(datetime.fromisoformat(moment).replace(tzinfo=UTC)).isoformat() == date


def deals(date: str, capsys: Capture) -> list[str]:
    assert run(["daily", "--date", date, "--recipe", str(RECIPE), "--level", "easy"]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_date_has_its_own_deal_and_always_the_same(capsys: Capture) -> None:
    first = deals("2026-12-01", capsys)
    assert first == deals("2026-12-01", capsys)
    assert first != deals("2026-12-02", capsys)
    assert len(json.loads(first[0])["faces"]) == 45


def test_the_time_zone_of_the_machine_does_not_matter(capsys: Capture) -> None:
    here = deals("2026-12-01", capsys)
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        command = ["daily", "--date", "2026-12-01", "--level", "easy"]
        code = f"from levelgen.cli import main; main({command!r})"
        environment = os.environ | {"TZ": zone}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines() == here


def test_the_reference_channel_is_pinned_and_its_pin_is_current() -> None:
    assert "  pin: " in RECIPE.read_text()
    assert run(["daily", "--date", "2026-12-01", "--recipe", str(RECIPE), "--json"]) == 0


def test_a_template_that_changed_stops_a_pinned_channel(tmp_path: Path, capsys: Capture) -> None:
    recipe = new_project(tmp_path, recipe=SMALL)
    arguments = ["daily", "--date", "2026-12-01", "--recipe", str(recipe)]
    assert run(arguments) == 0
    recipe.write_text(SMALL + f"  pin: {'a' * 64}\n")
    assert run(arguments) == 3
    pin = capsys.readouterr().err.split("pin: ")[1].split("`")[0]
    recipe.write_text(SMALL + f"  pin: {pin}\n")
    assert run(arguments) == 0
    block = tmp_path / "templates" / "shapes" / "block.yaml"
    block.write_text(block.read_text().replace("columns: 5", "columns: 6"))
    assert run(arguments) == 3


def test_a_day_can_be_built_as_a_signed_pack(tmp_path: Path) -> None:
    recipe = new_project(tmp_path, recipe=SMALL)
    out = str(tmp_path / "day")
    assert run(["daily", "--date", "2026-12-01", "--recipe", str(recipe), "-o", out]) == 0
    assert run(["verify", "--certified", out]) == 0
