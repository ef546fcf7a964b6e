"""A diff names the levels that were added, removed or changed, and in what; it believes proved records only."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen.certificate import Certificate
from levelgen.errors import Untrusted
from levelgen.pack.diff import ASPECTS, PackDiff, diff_packs, spans
from levelgen.pack.records import Record, bind
from levelgen.pack.verify import open_pack
from levelgen.pack.write import client_edition, write_pack
from tests.packs import SIGNER, TRUST, heading, make_level, make_levels, make_pictures, write_tiny

Levels = list[tuple[Record, Certificate]]


def diff_of(tmp_path: Path, old: Levels, new: Levels, **changes: Any) -> PackDiff:
    write_pack(tmp_path / "old", heading(), old, [SIGNER])
    write_pack(tmp_path / "new", heading(**changes), new, [SIGNER])
    return diff_packs(open_pack(tmp_path / "old", TRUST), open_pack(tmp_path / "new", TRUST))


def test_a_pack_does_not_differ_from_itself(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    diff = diff_packs(open_pack(tmp_path / "pack", TRUST), open_pack(tmp_path / "pack", TRUST))
    assert diff.same
    assert diff.unchanged == 3
    assert diff.to_text().endswith("no differences\n")


def test_added_and_removed_levels_are_told(tmp_path: Path) -> None:
    longer = diff_of(tmp_path, make_levels(2), make_levels(5))
    assert (longer.added, longer.removed, longer.changed, longer.unchanged) == ((3, 4, 5), (), (), 2)
    assert "added: 3..5" in longer.to_text()
    shorter = diff_of(tmp_path, make_levels(5), make_levels(2))
    assert (shorter.added, shorter.removed) == ((), (3, 4, 5))


CHANGES: dict[str, tuple[Callable[[Record], Record], str, str]] = {
    "difficulty": (lambda r: replace(r, difficulty={"rank": 9}), "difficulty.rank", "9"),
    "tools": (lambda r: replace(r, tools={"undo": None}), "tools.undo", "no limit"),
    "templates": (lambda r: replace(r, templates=("rows", "more")), "templates", "rows, more"),
    "seed": (lambda r: replace(r, attempt=3), "seed", "s/2 attempt 3"),
    "sources": (lambda r: replace(r, sources_sha256="ef" * 32), "sources", "efefefefefef"),
}


@pytest.mark.parametrize("aspect", CHANGES)
def test_a_level_differs_in(tmp_path: Path, aspect: str) -> None:
    change, what, new = CHANGES[aspect]
    before, after = make_levels(3), make_levels(3)
    after[1] = (change(after[1][0]), after[1][1])
    (entry,) = diff_of(tmp_path, before, after).changed
    assert (entry.level, entry.aspects) == (2, (aspect,))
    assert new in [told.new for told in entry.changes if told.what == what]


def test_another_deal_differs_in_faces_and_what_follows_from_them(tmp_path: Path) -> None:
    after = make_levels(2)
    after[0] = make_level(1, seed="other")
    diff = diff_of(tmp_path, make_levels(2), after)
    (entry,) = diff.changed
    assert set(entry.aspects) >= {"faces", "seed"}
    assert "\n1 level changed: " in diff.to_text()
    assert diff.to_text().endswith("\n1 level is the same\n")
    assert "tiles changed" in next(change.new for change in entry.changes if change.what == "faces")


def test_another_layout_tells_the_places_that_left_and_came(tmp_path: Path) -> None:
    record, certificate = make_level(1)
    moved = replace(
        record, slots=tuple(slot._replace(x=slot.x + 12) if slot.x == 10 else slot for slot in record.slots)
    )
    (entry,) = diff_of(tmp_path, [(record, certificate)], [(moved, certificate)]).changed
    assert entry.aspects == ("layout",)
    assert entry.changes[0].new == "8 tiles, 1 places left, 1 new"


def test_another_certificate_is_told(tmp_path: Path) -> None:
    record, certificate = make_level(1)
    other = replace(certificate, guess_free="no")
    (entry,) = diff_of(tmp_path, [(record, certificate)], [(bind(record, other), other)]).changed
    assert entry.aspects == ("certificate",)


def test_changes_of_the_manifest_are_told(tmp_path: Path) -> None:
    diff = diff_of(tmp_path, make_levels(1), make_levels(1), title="New", version=2, previous="ab" * 32)
    assert [change.what for change in diff.manifest] == ["title", "version", "previous"]
    assert not diff.same
    assert diff.unchanged == 1


def test_a_pack_of_another_game_differs_in_its_ruleset(tmp_path: Path) -> None:
    write_tiny(tmp_path / "old", 1, "pairs")
    write_tiny(tmp_path / "new", 1, "triples")
    diff = diff_packs(open_pack(tmp_path / "old", TRUST), open_pack(tmp_path / "new", TRUST))
    assert "ruleset" in [change.what for change in diff.manifest]
    assert set(diff.changed[0].aspects) >= {"layout", "ruleset", "certificate"}


def test_other_pixels_are_told_and_nothing_else(tmp_path: Path) -> None:
    write_tiny(tmp_path / "old", 2)
    write_tiny(tmp_path / "new", 2, previews=make_pictures(2, shade=1))
    diff = diff_packs(open_pack(tmp_path / "old", TRUST), open_pack(tmp_path / "new", TRUST))
    assert [(entry.level, entry.aspects) for entry in diff.changed] == [(1, ("preview",)), (2, ("preview",))]


def test_other_evidence_is_told(tmp_path: Path) -> None:
    write_tiny(tmp_path / "old", 1)
    write_tiny(tmp_path / "new", 1, evidence={"level-1.json": b"{}"})
    diff = diff_packs(open_pack(tmp_path / "old", TRUST), open_pack(tmp_path / "new", TRUST))
    assert [change.what for change in diff.manifest] == ["files.evidence/level-1.json"]


def test_a_client_edition_does_not_differ_from_its_pack(tmp_path: Path) -> None:
    write_tiny(tmp_path / "pack")
    out = client_edition(tmp_path / "pack", tmp_path / "client.lgpack")
    assert diff_packs(open_pack(tmp_path / "pack", TRUST), open_pack(out, TRUST)).same


def test_a_tampered_pack_is_not_compared(tmp_path: Path) -> None:
    write_tiny(tmp_path / "old", 2)
    write_tiny(tmp_path / "new", 2)
    path = tmp_path / "new" / "levels.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"attempt":0', b'"attempt":1', 1))
    with pytest.raises(Untrusted, match="record/not-a-member"):
        diff_packs(open_pack(tmp_path / "old", TRUST), open_pack(tmp_path / "new", TRUST))


def test_the_json_says_what_the_text_says(tmp_path: Path) -> None:
    after = make_levels(3)
    after[0] = (replace(after[0][0], difficulty={"rank": 5, "branching": 3}), after[0][1])
    diff = diff_of(tmp_path, make_levels(2), after, version=2)
    data = json.loads(json.dumps(diff.to_json()))
    assert (data["added"], data["removed"], data["unchanged"]) == ([3], [], 1)
    assert data["changed"] == [
        {
            "level": 1,
            "aspects": ["difficulty"],
            "changes": [{"what": "difficulty.rank", "old": "1", "new": "5"}],
        }
    ]
    text = diff.to_text()
    assert "level 1: difficulty\n  difficulty.rank: 1 → 5\n" in text
    assert "manifest: version: 1 → 2" in text
    assert "difficulty in 1" in text


def many_changes(tmp_path: Path, count: int) -> PackDiff:
    """A diff in which every second level's figures changed, each by another seed as well."""
    before, after = make_levels(count), make_levels(count)
    for place in range(0, count, 2):
        record, certificate = after[place]
        changes: dict[str, Any] = {"difficulty": {"rank": 99 + place}} if place % 4 else {"tools": {"undo": 1}}
        after[place] = (replace(record, **changes), certificate)
    return diff_of(tmp_path, before, after, title="A *new* <title>|")


def test_markdown_is_a_short_table_of_what_changed_alike(tmp_path: Path) -> None:
    text = many_changes(tmp_path, 9).to_markdown()
    assert "**5 levels changed, 4 the same.**" in text
    assert "| 1, 5, 9 | tools |" in text
    assert "| 3, 7 | difficulty |" in text
    assert "<details>" not in text
    assert "A \\*new\\* \\<title\\>\\|" in text, "nothing of a pack's title is taken for Markdown"


def test_full_markdown_tells_every_level_in_words(tmp_path: Path) -> None:
    text = many_changes(tmp_path, 9).to_markdown(full=True)
    assert text.count("<details>") == 5
    assert "<summary>Level 3</summary>\n\n- Figures: branching 3 → -, rank 3 → 101\n" in text
    assert "- Tools: undo 2 → 1" in text


def test_short_markdown_stays_short_and_says_what_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("levelgen.pack.diff.SHORT", 1)
    diff = many_changes(tmp_path, 9)
    assert "… and 2 more levels;" in diff.to_markdown()
    assert "more level" not in diff.to_markdown(full=True)


def test_words_never_name_a_face(tmp_path: Path) -> None:
    after = make_levels(3)
    after[0] = make_level(1, seed="other")
    diff = diff_of(tmp_path, make_levels(3), after)
    told = [line for entry in diff.changed for line in entry.words]
    assert any(line.startswith("Other faces: 3 faces of demo, ") for line in told)
    assert not any(face in line for line in told for face in ("sun", "moon", "kite"))


def test_words_name_the_figures_a_designer_looks_at_and_count_the_others(tmp_path: Path) -> None:
    before, after = make_levels(1), make_levels(1)
    for levels, step in ((before, 0), (after, 1)):
        figures = {"rating": 200 + step, "open": 5, "moves": 3 + step, "careful_best": step, "steady_best": step}
        levels[0] = (replace(levels[0][0], difficulty=figures), levels[0][1])
    (entry,) = diff_of(tmp_path, before, after).changed
    assert entry.words == ("Figures: rating 200 → 201, moves 3 → 4, and 2 others",)
    assert len(entry.changes) == 4


def test_no_difference_is_said_in_markdown_too(tmp_path: Path) -> None:
    assert "**Nothing changed, 2 levels the same.**" in diff_of(tmp_path, make_levels(2), make_levels(2)).to_markdown()


def test_numbers_are_told_in_spans() -> None:
    assert spans((1, 2, 3, 7, 9, 10)) == "1..3, 7, 9..10"
    assert spans(()) == ""


def test_every_aspect_has_its_place() -> None:
    assert len(set(ASPECTS)) == len(ASPECTS)
