"""A refutation convinces a reader who has no solver, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from levelgen.evidence.refutation_tree import check, couplings, lemmas_of
from levelgen.rules import BLOCKING, Gates, gates
from levelgen.seed import Stream
from levelgen.solve.kernel import pairs
from tests.bench.bench_pairs import turtles

Refuted = tuple[Gates, list[int], bytes]


def shuffled(count: int, number: int) -> list[int]:
    faces = [tile // 4 for tile in range(count)]
    Stream("refutations", str(number)).shuffle(faces)
    return faces


@pytest.fixture(scope="module")
def refuted() -> list[Refuted]:
    """Boards whose refutation needs lemmas of its own."""
    layout = turtles(1)
    board = gates(layout, BLOCKING[:2])
    kernel = pairs.Board(board)
    found = []
    for number in range(1600):
        faces = shuffled(len(layout), number)
        answer = kernel.solve(faces, evidence=1 << 16)
        if answer.status == "unsolvable" and answer.evidence and len(answer.evidence) > 40:
            found.append((board, faces, answer.evidence))
    assert len(found) >= 4
    return sorted(found, key=lambda item: len(item[2]))[:4]


def encode(lemmas: list[list[int]]) -> bytes:
    numbers: list[int] = []
    for lemma in lemmas:
        numbers.append(len(lemma))
        numbers += [literal - (lemma[index - 1] if index else 0) for index, literal in enumerate(lemma)]
    found = bytearray()
    for number in numbers:
        while number > 127:
            found.append(number & 127 | 128)
            number >>= 7
        found.append(number)
    return bytes(found)


def one_byte_changes(data: bytes) -> Iterator[bytes]:
    for at in range(len(data)):
        for change in (1, 2, 64, 128):
            yield data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]
        yield data[:at] + data[at + 1 :]


def test_refutations_hold(refuted: list[Refuted]) -> None:
    for board, faces, evidence in refuted:
        assert check(board, faces, evidence) == ""
        assert encode(list(lemmas_of(evidence))) == evidence


def test_no_change_of_the_bytes_makes_a_winnable_board_unsolvable(refuted: list[Refuted]) -> None:
    """Evidence, whole or changed, never convinces on a board that can be won: what a checker is for."""
    board, _, _ = refuted[0]
    kernel = pairs.Board(board)
    winnable = next(
        faces for number in range(1000, 1100)
        if kernel.solve(faces := shuffled(len(board), number)).status == "solved"
    )  # fmt: skip
    assert check(board, winnable, b"\0")
    for _, _, evidence in refuted[:2]:
        assert check(board, winnable, evidence)
        assert all(check(board, winnable, changed) for changed in list(one_byte_changes(evidence))[::19])


def test_no_lemma_can_be_left_out_unless_the_others_still_prove_it(refuted: list[Refuted]) -> None:
    rejected = 0
    for board, faces, evidence in refuted[:3]:
        lemmas = list(lemmas_of(evidence))
        for skip in range(0, len(lemmas) - 1, 1 + len(lemmas) // 12):
            rejected += check(board, faces, encode(lemmas[:skip] + lemmas[skip + 1 :])) != ""
        assert check(board, faces, encode([[]])), "a board that needs lemmas is not refuted by none"
        assert check(board, faces, encode(lemmas[:-1])) == "the last lemma is not the empty one"
    assert rejected > 5


def test_a_lemma_of_its_own_invention_is_rejected(refuted: list[Refuted]) -> None:
    """The first couple of each face, claimed to be the only one: on some face that is not so."""
    for board, faces, evidence in refuted[:3]:
        lemmas = list(lemmas_of(evidence))
        claims = [[[2 * couple]] for couple in range(len(couplings(faces)))]
        assert any(check(board, faces, encode(claim + lemmas)) for claim in claims)


def test_a_board_with_one_tile_less_covered_is_another_board(refuted: list[Refuted]) -> None:
    """Opening every gate makes any deal winnable, and the same bytes prove nothing."""
    for board, faces, evidence in refuted:
        assert check([(0,)] * len(board), faces, evidence)


def test_swapping_two_faces_needs_another_refutation(refuted: list[Refuted]) -> None:
    kernel = pairs.Board(refuted[0][0])
    tried = 0
    for board, faces, evidence in refuted:
        for a in range(0, len(faces) - 1, 5):
            changed = list(faces)
            changed[a], changed[a + 1] = changed[a + 1], changed[a]
            if kernel.solve(changed).status == "solved":
                tried += 1
                assert check(board, changed, evidence)
    assert tried > 5


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        (b"", "the last lemma is not the empty one"),
        (b"\x01\x00", "the last lemma is not the empty one"),
        (b"\x01", "a number is cut off or too long"),
        (b"\x80\x00", "a number is longer than it needs to be"),
        (b"\xff\xff\xff\xff\xff\xff\x01", "a number is cut off or too long"),
        (b"\x02\x00\x00\x00", "literals do not ascend"),
        (b"\x01\x06\x00", "lemma 0 names a couple there is not"),
        (b"\x00", "lemma 0 does not follow"),
    ],
)
def test_bytes_that_are_no_refutation_say_why(evidence: bytes, reason: str) -> None:
    assert check([(0,)] * 4, [0, 0, 0, 0], evidence) == reason


def test_a_tile_over_its_own_mate_is_refuted_by_the_empty_lemma_alone() -> None:
    stack = [(2,), (0,)]
    assert pairs.solve(stack, [0, 0]).evidence == b"\0"
    assert check(stack, [0, 0], b"\0") == ""
    assert check(stack, [0, 0], b"\0", lone=2) != "", "a face-down tile on top may be lifted"
    assert check(stack, [0, 0], b"\0", lone=1) == "", "one below may not"


def test_a_waiting_tile_is_a_mate_that_blocks_nothing() -> None:
    assert pairs.solve([(0,)], [0], tray=[0]).status == "solved"
    assert check([(0,)], [0], b"\0", waiting=[0]) != ""
    assert check([(1,)], [0], b"\0", waiting=[0]) == "", "a tile that blocks itself never opens"
