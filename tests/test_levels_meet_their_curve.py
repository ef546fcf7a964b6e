"""A level with a target is the nearest of many candidates, each named by one number, and says so when it misses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import levelgen.solve
from levelgen.board import Board, Deal
from levelgen.build import Order
from levelgen.candidates import (
    MAX_CODE,
    SEED,
    STYLES,
    Candidate,
    Conditions,
    Makings,
    explore,
    measured_levels,
    search,
)
from levelgen.candidates.conditions import GUESS_WORK
from levelgen.certificate import certify
from levelgen.cli import run
from levelgen.errors import Malformed
from levelgen.level import Workshop
from levelgen.pack.opened import Pack
from levelgen.pack.records import Record
from levelgen.pack.signing import DEMO_TRUST
from levelgen.pack.verify import open_pack, verify_pack
from levelgen.rate import RATING, rate
from levelgen.rate.panel import PANEL
from levelgen.recipe import Aim, LevelPlan, Slack, Wins, layout_of
from levelgen.recipe.curve import PANEL as CURVE_PANEL
from levelgen.recipe.kept import Kept
from tests.project import RECIPE, new_project, tree

CURVE = "curve: {linear: {from: 100, to: 500}, slack: {distinct: 3, face_down: 2}}\n"
TRIPLES = """\
pack: probe
version: 1
ruleset: {id: triples}
faces: nepal
seed: probe
curve: {flat: 300, par: 6}
levels:
  - {levels: 1..2, templates: [[block, top@sides]], tiles: 30, distinct: 8}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("curved")
    recipe = new_project(folder, recipe=RECIPE + CURVE)
    assert run(["build", str(recipe), "-o", str(folder / "one"), "--jobs", "1", "--prover", "none"]) == 0
    return folder


def planned(folder: Path) -> tuple[Workshop, tuple[LevelPlan, ...]]:
    recipe = folder / "templates/packs/probe.yaml"
    return Workshop.open(recipe), tuple(Order.of(recipe).plans)


def test_every_level_says_what_was_asked_and_what_was_reached(built: Path) -> None:
    with open_pack(built / "one", DEMO_TRUST) as pack:
        figures = [record.difficulty for record in pack.records()]
        assert [one["target"] for one in figures] == [100, 300, 500]
        for record, one in zip(pack.records(), figures, strict=True):
            solution = pack.certificate(record.level).solution
            assert one["rating"] == rate(record.deal, solution, SEED, "full").number
            assert abs(one["rating"] - one["target"]) <= one["tolerance"] == 30
    assert verify_pack(built / "one", DEMO_TRUST).certified


def test_two_workers_reach_the_same(built: Path) -> None:
    recipe = built / "templates/packs/probe.yaml"
    assert run(["build", str(recipe), "-o", str(built / "two"), "--jobs", "2", "--prover", "none"]) == 0
    assert tree(built / "two") == tree(built / "one")


def test_one_level_is_made_again_alone(built: Path) -> None:
    recipe = built / "templates/packs/probe.yaml"
    arguments = ["build", str(recipe), "-o", str(built / "third"), "--levels", "3", "--prover", "none", "--jobs", "1"]
    assert run(arguments) == 0
    assert (built / "one" / "levels.jsonl").read_bytes().splitlines()[2:] == (
        built / "third" / "levels.jsonl"
    ).read_bytes().splitlines()


def test_seed_and_attempt_alone_give_the_deal_again(built: Path) -> None:
    workshop, plans = planned(built)
    with open_pack(built / "one", DEMO_TRUST) as pack:
        for record, plan in zip(pack.records(), plans, strict=True):
            assert record.seed == plan.seed
            board = Board.compile(layout_of(plan, workshop.project.library), plan.ruleset)
            again = Makings(plan, board).deal(Candidate.of(record.attempt))
            assert again is not None
            assert (again.deal.faces, again.deal.face_down) == (record.faces, record.face_down)


def test_a_rejected_candidate_is_passed_over(built: Path) -> None:
    workshop, plans = planned(built)
    board = Board.compile(layout_of(plans[1], workshop.project.library), plans[1].ruleset)
    first = search(Makings(plans[1], board)).candidate
    second = search(Makings(replace(plans[1], rejected=frozenset({first.code})), board)).candidate
    assert second != first


def test_a_target_out_of_reach_is_told_and_refused_only_when_strict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = new_project(tmp_path, recipe=RECIPE.replace("1..3", "1") .replace("{from: 22, to: 26}", "22")
                         + "curve: {flat: 1000, tolerance: 5}\n")  # fmt: skip
    out = str(tmp_path / "out")
    command = ["build", str(recipe), "-o", out, "--jobs", "1", "--prover", "none"]
    assert run([*command, "--strict"]) == 1
    assert not (tmp_path / "out").exists()
    assert "build/off-curve" in capsys.readouterr().err
    assert run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["where"] for one in told["off_curve"]] == ["level 1"]
    assert "nearest found is" in told["off_curve"][0]["message"]
    assert run(["curve", out, "--check"]) == 1
    assert "level 1: target 1000" in capsys.readouterr().out


def test_what_no_candidate_keeps_is_named_with_the_nearest_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = TRIPLES.replace("tiles: 30, distinct: 8", "tiles: 18, distinct: 6")
    path = new_project(tmp_path, recipe=short.replace("par: 6", "wins: {bot: expert, from: 0, to: 0}"))
    command = ["build", str(path), "-o", str(tmp_path / "out"), "--jobs", "1", "--levels", "1", "--no-cache"]
    assert run(command) == 1
    told = r"expert shall win 0 to 0 percent, and in the \d+ nearest wins 100.0 to 100.0"
    assert re.search(told, capsys.readouterr().err)
    path.write_text(short)
    monkeypatch.setattr(Conditions, "_tray", lambda *_: False)
    assert run(command) == 1
    assert re.search(r"par 6 is proved of none of the \d+ nearest", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_triples_keep_to_the_tray_they_are_asked_for(tmp_path: Path) -> None:
    recipe = new_project(tmp_path, recipe=TRIPLES)
    assert run(["build", str(recipe), "-o", str(tmp_path / "out"), "--jobs", "1", "--prover", "none"]) == 0
    with open_pack(tmp_path / "out", DEMO_TRUST) as pack:
        for record in pack.records():
            assert pack.certificate(record.level).par <= 6
            assert record.difficulty["target"] == 300


def test_any_bot_may_be_asked_to_win_and_the_record_says_how_often_it_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wins = "wins: [{bot: greedy, sees: everything, mistakes: 300, from: 90, to: 98}, {bot: casual, from: 50, to: 100}]"
    recipe = new_project(tmp_path, recipe=TRIPLES.replace("par: 6", wins))
    out = str(tmp_path / "out")
    assert run(["build", str(recipe), "-o", out, "--jobs", "1", "--prover", "none"]) == 0
    with open_pack(Path(out), DEMO_TRUST) as pack:
        records = [*pack.records()]
    for record in records:
        figures = record.difficulty
        asked = {name: figures[name] for name in figures if name.startswith("asked_")}
        assert asked.keys() == {
            "asked_casual_from", "asked_casual_to", "asked_greedy_seeing_300_from", "asked_greedy_seeing_300_to",
            "asked_greedy_seeing_300_win", "asked_greedy_seeing_300_win_high", "asked_greedy_seeing_300_win_low",
        }  # fmt: skip
        assert 900 <= asked["asked_greedy_seeing_300_win"] <= 980
        assert (asked["asked_greedy_seeing_300_from"], asked["asked_greedy_seeing_300_to"]) == (900, 980)
        assert 500 <= figures["casual_win"] <= 1000
    capsys.readouterr()
    assert run(["rate", out, "--json"]) == 0  # plays the games again
    for one, record in zip(json.loads(capsys.readouterr().out)["boards"], records, strict=True):
        assert one["figures"].items() <= record.difficulty.items()
        assert "asked_greedy_seeing_300_win" in one["figures"]
    board = tmp_path / "board.json"
    board.write_text(json.dumps(records[0].to_json()))
    assert run(["rate", str(board), "--bot", "greedy-seeing-300", "--json"]) == 0
    (alone,) = json.loads(capsys.readouterr().out)["boards"]
    assert alone["figures"]["asked_greedy_seeing_300_win"] == records[0].difficulty["asked_greedy_seeing_300_win"]
    for wrong in (["--bot", "clever"], ["--bot", "greedy_1001"], ["--bot", "novice"]):
        assert run(["rate", str(board), *wrong]) == 2
        assert "rate/bot" in capsys.readouterr().err
    assert run(["rate", out, "--recorded", "--bot", "macro"]) == 2


def test_conditions_that_nothing_keeps_are_given_up_after_bounded_work(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop, plans = planned(built)
    assert plans[1].aim
    makings = Makings(plans[1], Board.compile(layout_of(plans[1], workshop.project.library), plans[1].ruleset))
    never = (Wins("random", 99, 100), Wins("novice", 0, 10))
    given_up = explore(replace(makings, level=replace(plans[1], aim=replace(plans[1].aim, wins=never))))
    assert given_up.best is None
    assert given_up.kept == 0 < given_up.asked <= 80
    assert "random shall win 99 to 100 percent" in given_up.told
    asked: list[int] = []

    def open_(_: Deal, budget: int) -> tuple[str, int]:
        asked.append(budget)
        return "undecided", budget

    monkeypatch.setattr("levelgen.solve.fast.guesses", open_)
    hidden = replace(makings, level=replace(plans[1], aim=replace(plans[1].aim, slack=Slack(), guess_free=True)))
    assert explore(hidden).best is None
    assert asked
    assert sum(asked) <= GUESS_WORK


def test_where_the_nearest_keep_no_condition_the_nearest_that_does_is_taken(built: Path) -> None:
    workshop, plans = planned(built)
    assert plans[2].aim
    board = Board.compile(layout_of(plans[2], workshop.project.library), plans[2].ruleset)
    asked = (Wins("casual", 90, 100),)
    found = explore(Makings(replace(plans[2], aim=replace(plans[2].aim, target=800, wins=asked)), board))
    assert found.best is not None
    assert found.best.rating.figures["casual_win"] >= 900
    assert 0 < found.kept < found.asked
    assert found.span is not None
    assert found.best.rating.number < 770 < found.span[1]


def test_a_target_beyond_all_candidates_is_given_up_sooner_with_the_nearest_found(built: Path) -> None:
    workshop, plans = planned(built)
    plan = replace(plans[0], aim=Aim(1000))
    found = explore(Makings(plan, Board.compile(layout_of(plan, workshop.project.library), plan.ruleset)))
    assert found.best is not None
    assert found.span is not None
    assert found.span[1] < 1000
    assert found.rated <= 40
    assert found.candidates <= 600


@given(st.integers(0, MAX_CODE))
def test_a_code_names_one_candidate_or_none(code: int) -> None:
    try:
        candidate = Candidate.of(code)
    except Malformed:
        return
    assert candidate.code == code


@given(
    st.builds(
        Candidate, st.integers(0, 999), st.integers(0, len(STYLES) - 1), st.integers(0, 9), st.integers(-49, 49),
        st.integers(-49, 49), st.lists(st.integers(1, 9), max_size=6).map(tuple),
    )
)  # fmt: skip
def test_every_candidate_has_a_code_of_its_own(candidate: Candidate) -> None:
    assert 0 <= candidate.code <= MAX_CODE
    assert Candidate.of(candidate.code) == candidate


def test_the_plain_candidates_are_numbered_from_0() -> None:
    assert [Candidate.of(code) for code in (0, 1, 399)] == [Candidate(0), Candidate(1), Candidate(399)]
    for code in (-1, 9000, MAX_CODE + 1, 10**20):
        with pytest.raises(Malformed):
            Candidate.of(code)


def test_candidates_of_every_style_are_won_by_their_way_out(built: Path) -> None:
    workshop, plans = planned(built)
    plan = replace(plans[2], aim=Aim(0, slack=Slack(3, 2)))
    makings = Makings(plan, Board.compile(layout_of(plan, workshop.project.library), plan.ruleset))
    won = set()
    for style in range(len(STYLES)):
        for number in range(12):
            for more in (Candidate(number, style), Candidate(number, style, 1, -2, -1, (3,))):
                dealt = makings.deal(more)
                if dealt is None:
                    continue
                assert not dealt.deal.violations()
                assert len(set(dealt.deal.faces)) == len(plan.faces) + more.faces
                assert len(dealt.deal.face_down) == plan.face_down + more.face_down
                assert certify(dealt.deal, dealt.solution, "probe", 1).robust == "yes"
                won.add((style, more.swaps))
    assert {style for style, _ in won} >= {0, 1, 3}
    assert any(swaps for _, swaps in won)


def test_rate_says_what_the_record_says(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack = str(built / "one")
    assert run(["rate", pack, "--levels", "2..3", "--json"]) == 0
    rated = json.loads(capsys.readouterr().out)["boards"]
    assert run(["rate", pack, "--levels", "2..3", "--recorded", "--json"]) == 0
    recorded = json.loads(capsys.readouterr().out)["boards"]
    assert [one["level"] for one in rated] == [2, 3]
    for one, other in zip(rated, recorded, strict=True):
        assert (one["rating"], one["seconds"]) == (other["rating"], other["seconds"])
        assert sum(one["shares"].values()) == one["rating"]
        assert one["figures"].items() <= other["figures"].items()
    assert run(["rate", pack, "--csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.startswith("name,level,rating,seconds,")
    assert [row.split(",")[1] for row in rows] == ["1", "2", "3"]
    for way in ([], ["--recorded"]):
        assert run(["rate", f"{pack}#2", *way, "--json"]) == 0
        (alone,) = json.loads(capsys.readouterr().out)["boards"]
        assert alone == (recorded if way else rated)[0]
    assert run(["rate", f"{pack}#2", "--levels", "2"]) == 2
    assert run(["rate", f"{pack}#4"]) == 5
    capsys.readouterr()
    assert run(["rate", f"{pack}#2"]) == 0
    assert f"probe#2: {rated[0]['rating']} of 1000" in capsys.readouterr().out


def test_rate_checks_what_records_say(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = str(built / "one")
    assert run(["rate", pack, "--check"]) == 0
    assert "3 records say what is counted" in capsys.readouterr().err
    assert run(["rate", f"{pack}#2", "--check"]) == 0
    assert "1 record says what is counted" in capsys.readouterr().err
    board = tmp_path / "board.txt"
    board.write_text("levelgen-board 1 pairs\nAAAA\nAAAA\n")
    for wrong in ([pack, "--recorded", "--check"], [str(board), "--check"], ["-", "--check"]):
        assert run(["rate", *wrong]) == 2
        assert "rate/check" in capsys.readouterr().err
    monkeypatch.setattr("levelgen.rate.panel.NEAR", 1)  # another figure than the one that was recorded
    assert run(["rate", f"{pack}#3", "--check"]) == 1
    assert re.search(r"probe#3: novice_near is \d+, the record says \d+ \[rate/differs\]", capsys.readouterr().err)
    assert run(["rate", str(tmp_path / "none"), "--check"]) == 2
    assert "input/missing" in capsys.readouterr().err


def test_rate_checks_that_a_record_says_nothing_else(
    built: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a record adds to what is counted is told, and that it leaves the number out; not what its curve asked."""
    level = Pack.level

    def forged(pack: Pack, number: int) -> Record:
        record = level(pack, number)
        figures = {**record.difficulty, "fun": 900, "asked_novice_from": 10}
        del figures["rating"]
        return replace(record, difficulty=figures)

    monkeypatch.setattr(Pack, "level", forged)
    assert run(["rate", str(built / "one"), "--levels", "2", "--check"]) == 1
    told = capsys.readouterr().err
    assert told.count("[rate/differs]") == 2
    assert "probe#2: fun is 900 in the record, and nothing counts it" in told
    assert re.search(r"probe#2: rating is \d+, the record says nothing of it", told)


@pytest.mark.parametrize("text", ["tray A\naaBB..BB\naaBB..BB\n", ("AA." * 30 + "\n") * 2])
def test_a_board_won_by_the_full_law_or_by_luck_has_a_way_out(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = tmp_path / "board.txt"
    board.write_text("levelgen-board 1 pairs\n" + text)
    assert run(["rate", str(board), "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["boards"]
    assert {"branching", "forced", "par", "peak", "pressure"} <= one["figures"].keys()


def test_the_players_of_the_panel_that_a_curve_may_name_are_those_that_weigh() -> None:
    assert tuple(seat.name for seat in PANEL if seat.spans) == CURVE_PANEL


def test_numbers_of_another_version_are_neither_fitted_nor_applied(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("levelgen.rate.RATING", RATING + 1)
    plays, fitted = tmp_path / "plays.csv", tmp_path / "fit.json"
    plays.write_text("level,plays,wins,rating\n" + "".join(f"{n},100,{100 - 9 * n},{90 * n}\n" for n in range(1, 11)))
    assert run(["calibrate", str(plays), "-o", str(fitted)]) == 0
    assert run(["calibrate", str(plays), "--pack", str(built / "one")]) == 2
    assert "rate/version" in capsys.readouterr().err
    assert run(["rate", str(built / "one"), "--recorded", "--calibration", str(fitted)]) == 2
    assert "rate/version" in capsys.readouterr().err
    assert run(["rate", f"{built / 'one'}#1", "--check"]) == 2
    talk = capsys.readouterr().err
    assert "rate/version" in talk
    assert "under `keep` once it is taken from there" in talk, "until then a kept level stays as it was"
    assert run(["rate", str(built / "one"), "--recorded"]) == 0


def test_a_board_that_cannot_be_won_has_no_difficulty(tmp_path: Path) -> None:
    board = tmp_path / "dead.json"
    slots = [[0, 0, 0], [2, 0, 0], [4, 0, 0], [0, 0, 1]]
    rules = {"id": "pairs", "group": 2, "tray": 4, "blocking": ["cover"], "face_down": "lift", "loss": "no-move"}
    faces = ["a", "b", "b", "a"]
    board.write_text(json.dumps({"ruleset": rules, "slots": slots, "faces": faces, "face_down": []}))
    assert run(["rate", str(board)]) == 1
    assert run(["rate", str(board), "--recorded"]) == 2


def test_of_many_boards_those_that_can_be_won_are_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = '"ruleset":{"id":"pairs","group":2,"tray":4,"blocking":["cover"],"face_down":"lift","loss":"no-move"}'
    row = '"slots":[[0,0,0],[2,0,0],[4,0,0],[0,0,1]]'
    dead, won = (
        f'{{{rules},{row},"faces":{faces},"face_down":[]}}' for faces in ('["a","b","b","a"]', '["a","b","a","b"]')
    )
    boards = tmp_path / "boards.jsonl"
    boards.write_text("\n".join([dead, won, dead]) + "\n")
    assert run(["rate", str(boards), "--csv"]) == 1
    told = capsys.readouterr()
    assert [row.split(",")[0] for row in told.out.splitlines()[1:]] == [f"{boards}:2"]
    assert told.err.count("rate/unsolvable") == 2
    prove = levelgen.solve.prove
    monkeypatch.setattr("levelgen.solve.prove", lambda deal: replace(prove(deal), verdict="undecided"))
    assert run(["rate", str(boards)]) == 4


def test_the_curve_is_drawn_twice_alike(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from PIL import Image

    drawings = [tmp_path / "curve.svg", tmp_path / "curve.png"]
    assert run(["curve", str(built / "one"), "-o", str(drawings[0]), "-o", str(drawings[1])]) == 0
    told = capsys.readouterr().out
    assert "3 of 3 levels are where they shall be" in told
    assert drawings[0].read_text().count("<circle") == 5  # three levels and two of the legend
    with Image.open(drawings[1]) as picture:
        assert picture.size == (1200, 480)
    assert run(["curve", str(built / "templates/packs/probe.yaml"), "--json"]) == 0
    levels = json.loads(capsys.readouterr().out)["levels"]
    assert [(one["target"], one["reached"]) for one in levels] == [(100, None), (300, None), (500, None)]
    assert run(["curve", str(built / "one"), "-o", "curve.pdf"]) == 2


def test_of_a_kept_level_the_curve_asks_nothing(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_pack(built / "one", DEMO_TRUST) as pack:
        kept = Kept(pack.level(2), pack.certificate(2))
        reached = kept.record.difficulty["rating"]
    recipe = new_project(tmp_path, recipe=f"{RECIPE}curve: {{flat: 100}}\nkeep: [{{level: 2, file: old.jsonl}}]\n")
    (recipe.parent / "old.jsonl").write_bytes(kept.encode())
    assert run(["curve", str(recipe), "--json"]) == 0
    levels = json.loads(capsys.readouterr().out)["levels"]
    assert [(one["target"], one["reached"]) for one in levels] == [(100, None), (300, reached), (100, None)]
    assert run(["tune", str(recipe), "--levels", "2"]) == 5
    workshop = Workshop.open(recipe)
    measured = measured_levels(workshop.recipe, workshop.project.library, (1, 2))
    assert [one.level.level for one in measured] == [1]


def test_a_long_title_stays_within_the_drawing() -> None:
    from levelgen.render.curve import Point, curve_png

    drawn = curve_png([Point(1, 300)], "W" * 80)
    assert len(drawn.crop((1180, 0, 1200, 60)).getcolors() or ()) == 1


def test_what_has_no_number_to_reach_is_not_said_to_reach_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = "".join(f"  - {{levels: {n}, templates: [[block]], tiles: 22{how}}}\n"
                     for n, how in ((1, ""), (2, ", curve: none"), (3, "")))  # fmt: skip
    head = RECIPE.partition("levels:\n")[0]
    recipe = new_project(tmp_path, recipe=f"{head}curve: {{flat: 300}}\nlevels:\n{levels}")
    assert run(["curve", str(recipe), "--check"]) == 2
    assert "curve/check" in capsys.readouterr().err
    assert run(["tune", str(recipe), "--levels", "2"]) == 5
    assert "no level of 2 is asked for a number" in capsys.readouterr().err
    recipe.write_text(recipe.read_text().replace("curve: {flat: 300}\n", ""))
    assert run(["curve", str(recipe)]) == 0
    assert "no level was asked for a number" in capsys.readouterr().out


def test_tune_begins_with_what_lint_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = RECIPE.replace("face_down: 2", "face_down: 2\n    hide: {covered: [9, 9]}") + CURVE
    recipe = new_project(tmp_path, recipe=text)
    assert run(["tune", str(recipe)]) == 2
    assert "tiles shall lie face down and 0 may" in capsys.readouterr().err


@pytest.fixture
def few_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tune` looks at few changes, and searches through two of them."""
    for name, count in {"TEMPLATES": 2, "SEARCHED": 2, "ASKED": 2}.items():
        monkeypatch.setattr(f"levelgen.candidates.reach.{name}", count)


@pytest.mark.usefixtures("few_changes")
def test_tune_names_what_comes_nearer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    easy = RECIPE.replace("1..3", "1").replace("{from: 22, to: 26}", "22").replace("[[block, top]]", "[[top], [block]]")
    recipe = new_project(tmp_path, recipe=easy.replace("tiles: 22", "tiles: 6") + "curve: {flat: 990}\n")
    assert run(["tune", str(recipe), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [one["missed"] for one in told["levels"]] == [True]
    (stretch,) = told["stretches"]
    assert (stretch["first"], stretch["last"]) == (1, 1)
    before = told["levels"][0]["searched"]["nearest"]
    for one in stretch["proposals"]:
        assert one["searched"]["nearest"] > before
        assert one["candidates"] >= one["searched"]["rated"] > 0
        assert one["reaches"] is (abs(one["searched"]["nearest"] - 990) <= 30)
    assert run(["tune", str(recipe)]) == 1
    said = capsys.readouterr().out
    assert f"level 1: 990 is out of reach, the nearest found is {before}" in said
    for one in stretch["proposals"]:
        assert f"  {one['change']}: {one['searched']['nearest']}, the nearest of {one['candidates']} candidates" in said


@pytest.mark.usefixtures("few_changes")
def test_tune_proposes_what_keeps_the_conditions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = TRIPLES.replace("1..2", "1").replace("tiles: 30, distinct: 8", "tiles: 30, distinct: 4")
    recipe = new_project(tmp_path, recipe=short.replace("300, par: 6", "100, wins: {bot: random, from: 0, to: 10}"))
    assert run(["tune", str(recipe), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    (level,) = told["levels"]
    assert level["missed"]
    assert level["searched"]["kept"] == 0
    assert "random shall win 0 to 10 percent" in level["searched"]["lacks"]
    (stretch,) = told["stretches"]
    assert stretch["proposals"]
    assert all(one["searched"]["kept"] > 0 for one in stretch["proposals"])


def test_players_results_are_fitted_to_a_pack(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plays = tmp_path / "plays.csv"
    plays.write_text("level,plays,wins,rating\n" + "".join(f"{n},100,{100 - 9 * n},{90 * n}\n" for n in range(1, 11)))
    fitted, before = tmp_path / "fit.json", plays.read_text()
    assert run(["calibrate", str(plays), "-o", str(plays)]) == 2
    assert "output/input" in capsys.readouterr().err
    assert plays.read_text() == before
    assert run(["calibrate", str(plays), "-o", str(fitted)]) == 0
    assert "rank correlation 1.000" in capsys.readouterr().out
    assert run(["rate", str(built / "one"), "--recorded", "--calibration", str(fitted), "--json"]) == 0
    for one in json.loads(capsys.readouterr().out)["boards"]:
        assert abs(one["calibrated"] - max(90, one["rating"])) <= 1
    fitted.write_text(fitted.read_text().replace('{"', '{"game": "triples", "', 1))
    for way in ([], ["--recorded"]):
        assert run(["rate", f"{built / 'one'}#1", *way, "--calibration", str(fitted)]) == 2
        assert "fits numbers of triples; these are pairs [calibration/game]" in capsys.readouterr().err
    assert run(["calibrate", str(plays), "--pack", str(built / "one")]) == 2  # it has three levels, not ten
    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr("levelgen.rate.calibration.LEAST_LEVELS", 3)
        patched.setattr("levelgen.rate.calibration.HELD_OUT", 3)
        few = tmp_path / "few.csv"
        few.write_text("level,plays,wins\n1,9,8\nprobe#2,9,6\n3,9,1\n")
        assert run(["calibrate", str(few), "--pack", str(built / "one"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["game"] == "pairs"
    assert run(["calibrate", str(plays), "--pack", str(tmp_path / "none")]) == 2
    assert "pack/missing" in capsys.readouterr().err
    plays.write_text("level,plays,wins,rating\n" + "".join(f"{n},100,{9 * n},{90 * n}\n" for n in range(1, 11)))
    assert run(["calibrate", str(plays)]) == 0
    told = capsys.readouterr()
    assert "rank correlation -1.000" in told.out
    assert "hardly orders these levels" in told.err
    assert "2 levels are too few to judge it by: 30 with plays are enough" in told.err
