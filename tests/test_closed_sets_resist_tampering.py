"""Evidence that a tray game cannot be won is refused when anything in it, its tray or its board is altered."""

from __future__ import annotations

import pytest

from levelgen.board import Deal
from levelgen.evidence.closed_set import check
from levelgen.seed import Stream
from levelgen.solve.kernel import triples
from tests.boards import heap, random_deal, ruleset


def dead_deals() -> list[tuple[Deal, list[int], triples.ClosedSet]]:
    """Small boards that a tray of four cannot win, with evidence of some length, from both ends."""
    stream = Stream("closed-sets", "1")
    found: list[tuple[Deal, list[int], triples.ClosedSet]] = []
    while len(found) < 8:
        deal = random_deal(stream, ruleset("triples", tray=4), heap(stream, 24, 7, 7, 5), 5)
        names = sorted(set(deal.faces))
        faces = [names.index(face) for face in deal.faces]
        evidence = triples.closed_set(deal.board.gates, faces, cap=4)
        if evidence is not None and 3 < evidence.states < 60:
            found.append((deal, faces, evidence))
    return found


DEAD = dead_deals()


def test_what_the_kernel_hands_out_holds() -> None:
    for deal, faces, evidence in DEAD:
        assert check(deal.board.gates, faces, evidence.data, cap=4) == ""
    assert {evidence.backward for _, _, evidence in DEAD} == {False, True}


def test_every_altered_byte_is_refused() -> None:
    for deal, faces, evidence in DEAD:
        for place in range(len(evidence.data)):
            for bit in range(8):
                altered = bytearray(evidence.data)
                altered[place] ^= 1 << bit
                assert check(deal.board.gates, faces, bytes(altered), cap=4), f"byte {place}, bit {bit}"


def test_a_set_that_ends_early_or_goes_on_is_refused() -> None:
    for deal, faces, evidence in DEAD:
        for length in range(len(evidence.data)):
            assert check(deal.board.gates, faces, evidence.data[:length], cap=4)
        for more in (b"\x00", b"\x01\x01\x00", evidence.data[1:]):
            assert check(deal.board.gates, faces, evidence.data + more, cap=4)


def test_a_larger_tray_is_refused() -> None:
    for deal, faces, evidence in DEAD:
        assert check(deal.board.gates, faces, evidence.data, cap=5)


def test_another_board_is_refused_unless_that_is_dead_alike() -> None:
    refused = 0
    for deal, faces, evidence in DEAD:
        for a in range(len(faces)):
            for b in range(a):
                if faces[a] != faces[b]:
                    other = [faces[{a: b, b: a}.get(t, t)] for t in range(len(faces))]
                    reason = check(deal.board.gates, other, evidence.data, cap=4)
                    refused += bool(reason)
                    assert reason or triples.solve(deal.board.gates, other, cap=4).status == "unsolvable"
    assert refused > 500


def test_a_gate_taken_away_is_refused_unless_that_is_dead_alike() -> None:
    for deal, faces, evidence in DEAD:
        for tile in range(len(faces)):
            gates = [((0,) if t == tile else gate) for t, gate in enumerate(deal.board.gates)]
            if check(gates, faces, evidence.data, cap=4) == "":
                assert triples.solve(gates, faces, cap=4).status == "unsolvable"


def test_nothing_shows_a_board_dead_that_can_be_won() -> None:
    deal = random_deal(Stream("closed-sets", "won"), "triples", heap(Stream("closed-sets", "h"), 18, 9, 7, 3), 3)
    faces = [sorted(set(deal.faces)).index(face) for face in deal.faces]
    assert triples.solve(deal.board.gates, faces, cap=7).status == "solved"
    for data in (b"", b"\x00", b"\x01", *(evidence.data for _, _, evidence in DEAD)):
        assert check(deal.board.gates, faces, data, cap=7)


@pytest.mark.parametrize("data", [b"\x80", b"\x80\x00", b"\x02", b"\x00\xff\xff\xff\xff\xff\x01"])
def test_bytes_that_are_no_list_of_states_are_refused_by_name(data: bytes) -> None:
    deal, faces, _ = DEAD[0]
    assert check(deal.board.gates, faces, data, cap=4)
