"""What no solution can show is shown by evidence; its check needs no solver and refuses every altered claim."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from levelgen.board import Deal
from levelgen.certificate import certify
from levelgen.cli import run
from levelgen.deal import deal_faces
from levelgen.evidence import Evidence, check, exhaust, from_json
from levelgen.pack.claims import evidence_bytes, evidence_name, parse_evidence
from levelgen.pack.records import Record, bind, encode_board
from levelgen.pack.verify import verify_pack
from levelgen.pack.write import write_pack
from levelgen.seed import Stream
from levelgen.solve import fast, prove
from levelgen.solve.aid import explain
from tests.boards import board, heap, random_deal
from tests.packs import SIGNER, TRUST, heading

Capture = pytest.CaptureFixture[str]

BURIED = "AABBCC\nAABBCC\nDDEEFF\nDDEEFF\n-- 1\n.AADD.\n.AADD.\n-- 2\n.BBEE.\n.BBEE.\n-- 3\n..CCFF\n..CCFF"


def random_deals(base: str, count: int, hidden: int = 0, **rules: object) -> list[Deal]:
    made = []
    for number in range(count):
        stream = Stream("claims", f"{base}/{number}")
        made.append(random_deal(stream, base, heap(stream, 12, 9, 6), 3, hidden, **rules))
    return made


def dead(base: str, hidden: int = 0, **rules: object) -> list[Deal]:
    return [deal for deal in random_deals(base, 120, hidden, **rules) if prove(deal).verdict == "unsolvable"]


CASES = {
    "pairs": dead("pairs"),
    "pairs with lifts": dead("pairs", 3, tray=2),
    "triples": dead("triples", tray=3),
}


@pytest.mark.parametrize("kind", CASES)
def test_every_unsolvable_board_comes_with_evidence_that_holds(kind: str) -> None:
    assert len(CASES[kind]) >= 5
    for deal in CASES[kind]:
        evidence = fast.refute(deal)
        assert evidence is not None
        assert evidence.claim == "unsolvable"
        assert check(evidence, deal) == ()


@pytest.mark.parametrize("kind", CASES)
def test_evidence_for_one_board_is_refused_for_another(kind: str) -> None:
    first, second = CASES[kind][:2]
    evidence = fast.refute(first)
    assert evidence is not None
    assert [finding.code for finding in check(evidence, second)] == ["evidence/other-board"]


def test_a_winnable_board_cannot_be_called_unsolvable_with_any_borrowed_evidence() -> None:
    winnable = [deal for deal in random_deals("triples", 40, tray=4) if prove(deal).verdict == "solved"]
    borrowed = [fast.refute(deal) for deal in CASES["triples"]]
    for deal in winnable[:10]:
        for evidence in borrowed[:10]:
            assert evidence is not None
            assert check(replace(evidence, slots=4, board_sha256=deal.digest()), deal)


def test_the_least_tray_is_shown_from_both_sides() -> None:
    shown = 0
    for deal in random_deals("triples", 60, tray=5):
        least = fast.least_tray(deal)
        if least.verdict != "solved" or least.par == 3:
            continue
        certificate = certify(deal, least.solution, "claims", 1)
        assert certificate.peak == least.par
        assert least.evidence is not None
        assert check(least.evidence, deal) == ()
        for slots in (least.par - 1, least.par + 1):
            assert check(replace(least.evidence, slots=slots), deal) != ()
        assert check(replace(least.evidence, witness=""), deal) != ()
        shown += 1
    assert shown >= 5


def test_an_unsolvable_board_has_no_least_tray() -> None:
    for deal in dead("triples", tray=4)[:5]:
        shown = fast.refute(deal)
        assert shown is not None
        for slots in (4, 5):
            assert check(replace(shown, claim="minimum", slots=slots), deal) != ()


def test_a_full_tray_of_pairs_is_not_shuffled(tmp_path: Path) -> None:
    full = board("AABBCCDD\nAABBCCDD", waiting="ABCD", blocking=())
    assert run(["shuffle", write_boards(tmp_path / "full.json", full), "--seed", "1"]) == 1


def test_explain_knows_that_lifted_tiles_wait_for_their_mates() -> None:
    lifts = board("aaBB.AAbb.CC\naaBB.AAbb.CC\n-- 1\n..........CC\n..........CC")
    assert prove(lifts).verdict == "unsolvable"
    story = "\n".join(scene.text for scene in explain(lifts))
    assert story.startswith("2 tiles can never leave")


def test_guessing_is_decided_with_evidence_either_way() -> None:
    answers = set()
    for deal in random_deals("pairs", 60, 3):
        found = fast.guess_free(deal)
        answers.add(found.value)
        if found.evidence is not None:
            assert check(found.evidence, deal) == ()
            cut = replace(found.evidence, data=found.evidence.data[:-1])
            assert check(cut, deal) != ()
    assert answers == {"yes", "no"}


def test_an_exhaustion_counts_what_play_reaches() -> None:
    assert exhaust(board("AABB\nAABB\n-- 1\nBBAA\nBBAA"), 100) == 1
    assert exhaust(board("AABB\nAABB\n-- 1\nAABB\nAABB"), 100) == 1
    assert exhaust(board("AAAA\nAAAA"), 100) is None


@pytest.mark.parametrize("place", range(12))
def test_altered_evidence_is_refused_or_shows_the_same(place: int) -> None:
    deal = max(CASES["triples"], key=lambda one: len((fast.refute(one) or Evidence("", "", 0, "", b"")).data))
    evidence = fast.refute(deal)
    assert evidence is not None
    data = bytearray(evidence.data)
    data[place % len(data)] ^= 1 << (place % 7)
    altered = replace(evidence, data=bytes(data))
    assert altered == evidence or check(altered, deal) != ()


def test_evidence_files_read_back_and_strangers_are_refused() -> None:
    deal = CASES["pairs"][0]
    evidence = fast.refute(deal)
    assert evidence is not None
    assert parse_evidence(evidence_bytes(evidence, deal), "file") == (evidence, deal)
    assert parse_evidence(evidence_bytes(evidence), "file") == (evidence, None)
    for change in ({"v": 2}, {"claim": "solved"}, {"kind": "strategy"}, {"data": "!"}, {"slots": "4"}, {"more": 1}):
        assert not isinstance(from_json({**evidence.to_json(), **change}), Evidence)


def pack_with_claims(folder: Path, spoil: str = "") -> Path:
    """A pack of one level with three hidden tiles whose certificate claims a strategy."""
    layout = heap(Stream("claims", "pack"), 12, 9, 6)
    base = board("AABB\nAABB").board
    compiled = type(base).compile(layout, base.ruleset)
    dealt = next(
        made for made in (deal_faces(compiled, ("sun", "moon"), f"{n}", face_down=3) for n in range(50))
        if fast.guess_free(made.deal).value == "yes"
    )  # fmt: skip
    evidence = fast.guess_free(dealt.deal).evidence
    assert evidence is not None
    certificate = certify(dealt.deal, dealt.solution, "tiny", 1, guess_free=("yes", "strategy"))
    record = Record(
        "tiny",
        1,
        base.ruleset,
        layout.slots,
        "demo",
        dealt.deal.faces,
        dealt.deal.face_down,
        (),
        "s",
        0,
        1,
        {},
        {},
        "cd" * 32,
    )
    members = {evidence_name(1, "guess-free").removeprefix("evidence/"): evidence_bytes(evidence)}
    if spoil == "missing":
        members = {}
    if spoil == "cut":
        members = {name: evidence_bytes(replace(evidence, data=evidence.data[:-2])) for name in members}
    if spoil == "borrowed":
        members = {
            name: evidence_bytes(replace(evidence, claim="not-guess-free", kind="arrangement")) for name in members
        }
    write_pack(folder, heading(), [(bind(record, certificate), certificate)], [SIGNER], evidence=members)
    return folder


def test_verify_re_derives_the_claims_of_a_pack(tmp_path: Path) -> None:
    report = verify_pack(pack_with_claims(tmp_path / "pack"), TRUST)
    assert report.certified
    assert "1 claims re-derived" in report.check("certificates").note


@pytest.mark.parametrize("spoil", ["missing", "cut", "borrowed"])
def test_a_signed_pack_whose_evidence_does_not_hold_is_refused(tmp_path: Path, spoil: str) -> None:
    report = verify_pack(pack_with_claims(tmp_path / "pack", spoil), TRUST)
    assert not report.ok
    assert report.check("certificates").status == "failed"


def write_boards(path: Path, *deals: Deal) -> str:
    path.write_bytes(b"".join(encode_board(deal) + b"\n" for deal in deals))
    return str(path)


def test_solve_writes_evidence_that_check_accepts_and_alterations_it_does_not(tmp_path: Path, capsys: Capture) -> None:
    boards = write_boards(tmp_path / "dead.json", CASES["pairs"][0], CASES["triples"][0])
    out = tmp_path / "dead.evidence"
    assert run(["solve", boards, "--evidence", str(out)]) == 1
    assert run(["check", str(out)]) == 0
    assert capsys.readouterr().out.count("holds") == 2
    line = json.loads(out.read_text().splitlines()[0])
    line["board"]["faces"] = line["board"]["faces"][::-1]
    (tmp_path / "altered").write_text(json.dumps(line, separators=(",", ":")) + "\n")
    assert run(["check", str(tmp_path / "altered")]) == 3
    (tmp_path / "junk").write_text("{}")
    assert run(["check", str(tmp_path / "junk")]) == 2


def test_hints_lead_to_a_win_or_say_none(tmp_path: Path, capsys: Capture) -> None:
    winnable = next(deal for deal in random_deals("triples", 20, tray=4) if prove(deal).verdict == "solved")
    path = write_boards(tmp_path / "board.json", winnable)
    log = "levelgen-log 1 x#1\n"
    for _ in range(12):
        (tmp_path / "log").write_text(log)
        assert run(["hint", path, "--log", str(tmp_path / "log")]) == 0
        log += capsys.readouterr().out.strip() + " "
    (tmp_path / "log").write_text(log)
    assert run(["hint", path, "--log", str(tmp_path / "log")]) == 0
    assert "the game is won" in capsys.readouterr().out
    assert run(["hint", write_boards(tmp_path / "dead.json", CASES["pairs"][0])]) == 1


def test_a_shuffle_is_printed_as_a_board_that_can_be_won(tmp_path: Path, capsys: Capture) -> None:
    path = write_boards(tmp_path / "board.json", random_deals("triples", 1)[0])
    assert run(["shuffle", path, "--seed", "7"]) == 0
    (tmp_path / "shuffled.json").write_text(capsys.readouterr().out)
    assert run(["solve", str(tmp_path / "shuffled.json")]) == 0
    assert run(["shuffle", path, "--seed", "no seed!"]) == 2
    tower = write_boards(tmp_path / "tower.json", board("AA\nAA\n-- 1\nAA\nAA"))
    assert run(["shuffle", tower, "--seed", "7"]) == 1


def test_explain_names_the_tiles_that_bury_their_mates(tmp_path: Path, capsys: Capture) -> None:
    assert run(["explain", write_boards(tmp_path / "tower.json", board("AA\nAA\n-- 1\nAA\nAA"))]) == 1
    story = capsys.readouterr().out
    assert "2 tiles can never leave" in story
    assert "tile 0 (A) cannot open while 1 stays; 1 is its own mate" in story
