"""One deal a level and date in Kathmandu: a function of the pinned channel only, whatever the machine's clock says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.daily import daily_seed, kathmandu_date
from levelgen.errors import NothingMatched
from levelgen.pack.signing import DEMO_TRUST
from levelgen.pack.write import pack_archive
from levelgen.verify import daily_level, open_pack
from tests.project import ROOT, TRIPLES, new_project

Capture = pytest.CaptureFixture[str]
RECIPE = ROOT / "templates" / "packs" / "tilematch.yaml"
CLIENT = ROOT / "levelgen" / "clients" / "levelgen.mjs"
SMALL = (
    TRIPLES
    + """\
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
)


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


TWO = SMALL.replace("daily:", """\
  - levels: 2
    tier: hard
    templates: [[block, top]]
    tiles: 24
    distinct: 8
daily:""").replace("tiers: [easy]", "tiers: [hard, easy]")  # fmt: skip


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A recipe, and the pack of its days around a new year."""
    folder = tmp_path_factory.mktemp("days")
    recipe, out = new_project(folder, recipe=TWO), folder / "days"
    span = ["daily", "--from", "2027-12-30", "--to", "2028-01-03", "--recipe", str(recipe)]
    assert run([*span, "-o", str(out), "--jobs", "1"]) == 0
    return recipe, out


def test_many_days_are_built_ahead_as_one_pack(days: tuple[Path, Path], capsys: Capture) -> None:
    recipe, out = days
    assert run(["verify", "--certified", str(out)]) == 0
    with open_pack(out, DEMO_TRUST) as pack:
        assert (pack.manifest.pack, pack.manifest.levels) == ("probe-daily-2027-12-30-to-2028-01-03", 10)
        assert [pack.level(number).seed for number in (1, 2, 10)] == [
            "channel/hard/2027-12-30", "channel/easy/2027-12-30", "channel/easy/2028-01-03"
        ]  # fmt: skip
        new_year = daily_level(pack, "easy", date(2028, 1, 1))
        assert (new_year.level, new_year.seed) == (6, daily_seed("channel", "easy", date(2028, 1, 1)))
        for tier, day in (("easy", date(2027, 12, 29)), ("easy", date(2028, 1, 4)), ("medium", date(2028, 1, 1))):
            with pytest.raises(NothingMatched):
                daily_level(pack, tier, day)
    capsys.readouterr()
    assert run(["daily", "--date", "2028-01-01", "--recipe", str(recipe), "--level", "easy"]) == 0
    (alone,) = capsys.readouterr().out.splitlines()
    assert json.loads(alone)["faces"] == list(new_year.faces)
    assert json.loads(alone)["slots"] == [list(slot) for slot in new_year.slots]


def test_javascript_finds_the_deal_of_a_day(days: tuple[Path, Path]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    archive = pack_archive(days[1])
    done = subprocess.run([node, "--input-type=module", "-e", FIND, str(CLIENT), str(archive)],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.split() == ["6", "channel/easy/2028-01-01", "daily/not-here", "daily/not-here"]


FIND = """
import { readFileSync } from "node:fs";
const law = await import(process.argv[1]);
const pack = await law.openPack(law.archiveMembers(law.bytesOf(readFileSync(process.argv[2]))), law.DEMO_TRUST);
const found = law.dailyLevel(pack, "easy", "2028-01-01");
console.log(found.level, found.seed);
for (const [tier, date] of [["easy", "2028-01-04"], ["medium", "2028-01-01"]]) {
  try { law.dailyLevel(pack, tier, date); } catch (error) { console.log(error.findings[0].code); }
}
"""


@pytest.mark.parametrize("span", [
    ["--year", "2027", "--date", "2027-01-01"], ["--from", "2027-01-01"], ["--to", "2027-01-01"], ["--year", "0"],
    ["--from", "2027-01-02", "--to", "2027-01-01"], ["--from", "2027-01-01", "--to", "2037-01-09"],
    ["--date", "2027-02-29"], ["--date", "2027-1-1"], ["--date", "tomorrow"], ["--from", "x", "--to", "y"],
    ["--date", "2027-01-01", "--level", "extreme"],
])  # fmt: skip
def test_what_is_no_day_or_span_is_refused(tmp_path: Path, span: list[str]) -> None:
    recipe = new_project(tmp_path, recipe=SMALL)
    assert run(["daily", "--recipe", str(recipe), *span]) == 2


def test_a_year_has_all_its_days(tmp_path: Path) -> None:
    """What is planned, without dealing it: the names, numbers and seeds of a leap year and of the year after."""
    from levelgen.cli.daily import daily_order

    recipe = new_project(tmp_path, recipe=TWO)
    for year, days in ((2028, 366), (2029, 365)):
        order = daily_order(recipe, date(year, 1, 1), date(year, 12, 31), None)
        plans = list(order.plans)
        assert order.heading.pack == f"probe-daily-{year}"
        assert [plan.level for plan in plans] == list(range(1, 2 * days + 1))
        assert plans[-1].seed == f"channel/easy/{year}-12-31"
        assert len({plan.seed for plan in plans}) == 2 * days
        hard = daily_order(recipe, date(year, 1, 1), date(year, 12, 31), "hard").plans
        assert [plan.level for plan in hard] == list(range(1, days + 1))


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_today_is_the_date_in_kathmandu_in_any_zone(zone: str, tmp_path: Path) -> None:
    recipe = new_project(tmp_path, recipe=SMALL)
    command = ["daily", "--recipe", str(recipe), "--json"]
    code = f"from levelgen.cli import main; main({command!r})"
    before = kathmandu_date(datetime.now(UTC)).isoformat()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"TZ": zone},
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert json.loads(done.stdout)["date"] in (before, kathmandu_date(datetime.now(UTC)).isoformat())
