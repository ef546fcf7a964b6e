"""No two faces on a board look alike: not in colour, in greyscale, to the colour-blind, or on a small tile."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path

import numpy
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from levelgen.cli import run
from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.faces import (
    VIEW_NAMES,
    FaceSet,
    Group,
    Limits,
    Pair,
    Survey,
    apart,
    check,
    image,
    load_face_set,
    read_picture,
    survey,
)
from levelgen.likeness import IVORY, KINDS, MATRICES, VIEWS, likeness, measure, simulate
from levelgen.recipe import Recipe, lint, parse_recipe, plan
from levelgen.render.alike import report, shown
from levelgen.seed import Stream

AR1 = load_face_set(Path(__file__).parent.parent / "faces" / "AR1")
SIDE = 192

Colour = tuple[int, int, int]

CONFUSED: dict[str, tuple[Colour, Colour]] = {
    "grey": ((0, 0, 255), (150, 0, 0)),
    "protan": ((240, 0, 0), (0, 90, 0)),
    "deutan": ((210, 0, 45), (0, 150, 0)),
    "tritan": ((0, 0, 255), (90, 75, 225)),
}
"""Colours that differ clearly, and hardly at all in that view."""

MANIFEST = """\
id: probe
title: Probe
provisional: true
size: [192, 192]
aspect_limit_percent: 135
faces:
  - {id: disc, title: Disc}
  - {id: cushion, title: Cushion}
  - {id: tower, title: Tower}
excluded: []
"""


def drawing(shape: str, colour: Colour) -> Image.Image:
    """A flat shape that fills its picture; disc and cushion have outlines of their own, 90 % alike."""
    picture = Image.new("RGBA", (SIDE, SIDE))
    pen = ImageDraw.Draw(picture)
    match shape:
        case "disc":
            pen.ellipse((0, 0, 191, 191), colour)
        case "cushion":
            pen.rounded_rectangle((0, 0, 191, 191), 72, colour)
        case "tower":
            pen.rectangle((60, 0, 131, 191), colour)
    return picture


def striped(shape: str, even: Colour, odd: Colour) -> Image.Image:
    """The shape in stripes three pixels wide: seen on a large tile, blurred into one colour on a small one."""
    stripes = Image.new("RGBA", (SIDE, SIDE), odd)
    pen = ImageDraw.Draw(stripes)
    for left in range(0, SIDE, 6):
        pen.rectangle((left, 0, left + 2, SIDE), even)
    stripes.putalpha(drawing(shape, even).getchannel("A"))
    return stripes


@pytest.fixture
def probe(tmp_path: Path) -> Path:
    """A set of three faces that nobody confuses."""
    folder = tmp_path / "probe"
    folder.mkdir()
    (folder / "faceset.yaml").write_text(MANIFEST)
    for shape, colour in (("disc", (180, 20, 20)), ("cushion", (20, 40, 130)), ("tower", (0, 90, 0))):
        drawing(shape, colour).save(folder / f"{shape}.png")
    return folder


def append(folder: Path, text: str) -> None:
    path = folder / "faceset.yaml"
    path.write_text(path.read_text() + text)


def confuse(folder: Path, view: str) -> None:
    """Paint disc and cushion so that they are confused in that view."""
    one, other = CONFUSED[view]
    drawing("disc", one).save(folder / "disc.png")
    drawing("cushion", other).save(folder / "cushion.png")


def found(folder: Path) -> list[str]:
    return [finding.code.removeprefix("faceset/") for finding in check(load_face_set(folder))]


# Light and eyes


def test_light_is_that_of_the_standard() -> None:
    for level in range(256):
        grey = Image.new("RGB", (1, 1), (level, level, level))
        share = level / 255
        light = share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        luminous = measure(grey.convert("RGBA")).contrast_percent
        tile = 0.9160
        bright, dark = max(light, tile) + 0.05, min(light, tile) + 0.05
        assert abs(luminous - 100 * bright / dark) <= 1.5, level


@pytest.mark.parametrize("view", VIEWS)
def test_greys_stay_what_they_are_in_every_view(view: str) -> None:
    for level in range(256):
        assert simulate(Image.new("RGB", (1, 1), (level,) * 3), view).getpixel((0, 0)) == (level,) * 3


def test_an_eye_without_one_kind_of_cones_mixes_what_the_source_says() -> None:
    """By hand from the published matrices: pure red is (0.152, 0.115, 0) of light to an eye without red cones."""
    red = Image.new("RGB", (1, 1), (255, 0, 0))
    assert simulate(red, "protan").getpixel((0, 0)) == (109, 95, 0)
    assert simulate(red, "deutan").getpixel((0, 0)) == (163, 144, 0)
    assert simulate(red, "tritan").getpixel((0, 0)) == (255, 0, 15)
    assert simulate(red, "grey").getpixel((0, 0)) == (127, 127, 127)
    assert all(sum(row) == 10000 for matrix in MATRICES.values() for row in matrix)


def test_every_view_has_a_name_and_every_limit_of_the_schema_a_default() -> None:
    assert list(VIEW_NAMES) == list(VIEWS)
    schema = json.loads((Path(__file__).parent.parent / "levelgen/schemas/faceset.schema.json").read_text())
    assert set(schema["properties"]["limits"]["properties"]) == set(Limits.__dataclass_fields__)


def test_the_page_about_faces_names_every_view_limit_and_finding() -> None:
    root = Path(__file__).parent.parent
    page = (root / "docs" / "faces.md").read_text()
    for view in VIEWS:
        assert f"`{view}`" in page
    for name, value in asdict(Limits()).items():
        assert f"`{name}` {value}" in page
    source = (root / "levelgen" / "faces.py").read_text()
    codes = set(re.findall(r'"faceset/([a-z-]+)"', source)) - {"unreadable", "unknown-face"}
    assert {"faint", "too-alike", "same-outline", "wide"} <= codes
    for code in codes:
        assert f"`{code}`" in page, code
    assert (root / "docs" / "pictures" / "faces.png").stat().st_size < 300_000


# The measure


def test_a_picture_is_wholly_like_itself_and_likeness_knows_no_order() -> None:
    measures = [measure(read_picture(AR1.picture(face))) for face in ("AR1_001", "AR1_021", "AR1_048")]
    for one in measures:
        assert set(likeness(one, one).values()) == {100}
    for one, other in combinations(measures, 2):
        assert likeness(one, other) == likeness(other, one)
        assert list(likeness(one, other)) == list(KINDS)
        assert max(likeness(one, other).values()) < 100


def test_neither_size_nor_place_excuses_a_likeness() -> None:
    whole = drawing("cushion", (180, 20, 20))
    small = Image.new("RGBA", whole.size)
    small.paste(whole.reduce(2), (90, 8))
    figures = likeness(measure(whole), measure(small))
    assert min(figures[kind] for kind in KINDS if kind != "small") >= 97
    assert figures["small"] < 50, "on a tile one is large and the other small"


def test_outlines_apart_and_colours_apart_are_told_apart_in_the_figures() -> None:
    red, blue = (180, 20, 20), (20, 40, 130)
    same_shape = likeness(measure(drawing("disc", red)), measure(drawing("disc", blue)))
    same_colour = likeness(measure(drawing("disc", red)), measure(drawing("tower", red)))
    assert same_shape["outline"] == 100
    assert same_shape["normal"] <= 1
    assert 40 <= same_colour["outline"] <= 60
    assert abs(same_colour["normal"] - same_colour["outline"]) <= 3


def test_a_difference_counts_in_proportion_until_it_is_clear() -> None:
    ground = measure(drawing("cushion", (100, 60, 60)))
    shares = [
        likeness(ground, measure(drawing("cushion", (100, 60, 60 + by))))["normal"] for by in (0, 16, 32, 64, 120)
    ]
    assert shares[0] == 100
    assert abs(shares[1] - 75) <= 1
    assert abs(shares[2] - 50) <= 1
    assert shares[3] <= 1
    assert shares[4] <= 1


def test_the_pairs_of_a_set_are_measured_as_two_alone_would_be() -> None:
    pairs = survey(AR1).pairs
    for pair in pairs[:: len(pairs) // 7]:
        alone = likeness(*(measure(read_picture(AR1.picture(face))) for face in (pair.one, pair.other)))
        assert pair.likeness == alone


# What the check says


@pytest.mark.parametrize("view", CONFUSED)
def test_faces_that_only_some_eyes_confuse_are_found(probe: Path, view: str) -> None:
    assert found(probe) == []
    confuse(probe, view)
    (finding,) = (one for one in check(load_face_set(probe)) if one.code == "faceset/too-alike")
    assert finding.where.endswith("cushion.png")
    assert VIEW_NAMES[view] in finding.message
    assert VIEW_NAMES["normal"] not in finding.message
    assert "alike: [[disc, cushion]]" in finding.fix


def test_faces_of_one_outline_are_found_however_their_colours_differ(probe: Path) -> None:
    drawing("disc", (20, 40, 130)).save(probe / "cushion.png")
    (finding,) = check(load_face_set(probe))
    assert finding.code == "faceset/same-outline"
    assert "only colour tells the two apart" in finding.message


def test_faces_of_one_outline_that_some_eyes_confuse_are_told_with_these_eyes(probe: Path) -> None:
    confuse(probe, "protan")
    drawing("disc", CONFUSED["protan"][1]).save(probe / "cushion.png")
    (finding,) = check(load_face_set(probe))
    assert finding.code == "faceset/same-outline"
    assert VIEW_NAMES["protan"] in finding.message


def test_faces_that_a_small_tile_blurs_into_one_another_are_found(probe: Path) -> None:
    striped("disc", (40, 20, 20), (120, 20, 20)).save(probe / "disc.png")
    striped("cushion", (120, 20, 20), (40, 20, 20)).save(probe / "cushion.png")
    (finding,) = check(load_face_set(probe))
    assert finding.code == "faceset/too-alike"
    assert VIEW_NAMES["small"] in finding.message
    assert VIEW_NAMES["normal"] not in finding.message


def test_a_face_that_hardly_stands_out_from_the_tile_is_found(probe: Path) -> None:
    drawing("tower", (238, 226, 200)).save(probe / "tower.png")
    (finding,) = check(load_face_set(probe))
    assert finding.code == "faceset/faint"
    assert "is too faint:" in finding.message


def test_a_face_that_stands_out_by_hue_alone_is_found(probe: Path) -> None:
    drawing("tower", (255, 210, 0)).save(probe / "tower.png")
    (finding,) = check(load_face_set(probe))
    assert finding.code == "faceset/faint"
    assert "in greyscale:" in finding.message


def test_a_dark_outline_makes_a_pale_face_plain(probe: Path) -> None:
    picture = drawing("tower", (255, 210, 0))
    ImageDraw.Draw(picture).rectangle((60, 0, 131, 191), outline=(60, 30, 0), width=10)
    picture.save(probe / "tower.png")
    assert found(probe) == []


def test_a_face_that_is_not_dealt_is_neither_alike_nor_faint(probe: Path) -> None:
    confuse(probe, "protan")
    drawing("tower", IVORY).save(probe / "tower.png")
    assert sorted(found(probe)) == ["faint", "too-alike"]
    path = probe / "faceset.yaml"
    gone = "excluded: [{id: disc, reason: old}, {id: tower, reason: old}]"
    path.write_text(path.read_text().replace("excluded: []", gone))
    assert found(probe) == []


def test_the_manifest_moves_the_limits(probe: Path) -> None:
    drawing("tower", (255, 210, 0)).save(probe / "tower.png")
    confuse(probe, "protan")
    assert sorted(found(probe)) == ["faint", "too-alike"]
    append(probe, "limits: {picture_percent: 95, contrast_percent: 110}\n")
    assert found(probe) == []
    append(probe, "")
    path = probe / "faceset.yaml"
    path.write_text(path.read_text().replace("picture_percent: 95", "outline_percent: 80, picture_percent: 95"))
    assert found(probe) == ["same-outline"]


def test_a_faint_or_empty_picture_is_measured_without_falling_over() -> None:
    nothing = Image.new("RGBA", (20, 20))
    assert measure(nothing).looks == ()
    dust = nothing.copy()
    dust.putpixel((3, 3), (0, 0, 0, 33))
    dot = measure(dust)
    assert set(likeness(dot, dot).values()) == {100}
    thread = Image.new("RGBA", (4096, 1), (0, 0, 0, 255))
    assert likeness(measure(thread), dot)["outline"] < 5


# Marked pairs


def test_a_marked_pair_is_no_finding_and_one_that_is_not_is(probe: Path) -> None:
    confuse(probe, "deutan")
    append(probe, "alike: [[cushion, disc]]\n")
    assert found(probe) == []
    assert [(pair.one, pair.other) for pair in survey(load_face_set(probe)).pairs if pair.marked] == [
        ("disc", "cushion")
    ]


def test_of_faces_too_alike_the_first_is_kept() -> None:
    assert apart("abcde", [("a", "c"), ("d", "b")]) == ("a", "b", "e")
    assert apart("cab", [("a", "c"), ("a", "b")]) == ("c", "b")
    assert apart("abc", []) == ("a", "b", "c")


def recipe(face_set: FaceSet, sections: str, head: str = "") -> Recipe:
    """A recipe of pairs that deals from that set."""
    text = f"pack: probe\nversion: 1\nruleset: {{id: pairs}}\nfaces: {face_set.id}\nseed: x\n{head}levels:\n{sections}"
    return parse_recipe(load(text, "probe.yaml", "recipe"), ["a"], {face_set.id: face_set})


MANY = "  - {levels: 1..80, templates: [[a]], tiles: 60, distinct: 20}\n"
ALIKE = (("AR1_001", "AR1_002"), ("AR1_002", "AR1_003"), ("AR1_010", "AR1_020"))
MARKED = replace(AR1, alike=ALIKE)


def together(plans: Recipe) -> int:
    """How many levels show a pair of `ALIKE`."""
    return sum(any({*pair} <= {*level.faces} for pair in ALIKE) for level in plan(plans))


def test_a_recipe_deals_no_two_faces_marked_too_alike_on_one_board() -> None:
    assert together(recipe(AR1, MANY)) > 10
    assert together(recipe(MARKED, MANY)) == 0
    assert all(len(level.faces) == 20 for level in plan(recipe(MARKED, MANY)))


def test_a_recipe_or_a_section_may_say_that_it_allows_them() -> None:
    some = together(recipe(AR1, MANY))
    assert together(recipe(MARKED, MANY, "allow_alike: true\n")) == some
    assert together(recipe(MARKED, MANY.replace("tiles", "allow_alike: true, tiles"))) == some
    assert together(recipe(MARKED, MANY.replace("tiles", "allow_alike: false, tiles"), "allow_alike: true\n")) == 0


def test_where_nothing_is_marked_the_faces_are_those_drawn_first() -> None:
    for level in plan(recipe(AR1, MANY)):
        drawn = list(AR1.dealable)
        Stream(level.seed, "face-choice").shuffle(drawn)
        assert set(level.faces) == set(drawn[:20])


def test_too_many_alike_for_the_faces_asked_for_is_an_error_with_its_place() -> None:
    few = replace(AR1, alike=tuple(combinations(AR1.dealable, 2)))
    with pytest.raises(Malformed) as caught:
        plan(recipe(few, MANY))
    assert {finding.code for finding in caught.value.findings} == {"recipe/too-alike"}
    assert caught.value.findings[0].where.startswith("probe.yaml:7:")
    as_many_as_there_are = MANY.replace(", distinct: 20", "")
    assert {len(level.faces) for level in plan(recipe(few, as_many_as_there_are))} == {1}


def test_lint_reports_a_recipe_that_asks_for_too_many_unlike_faces(probe: Path) -> None:
    root = probe.parent / "project"
    (root / "templates" / "shapes").mkdir(parents=True)
    (root / "templates" / "shapes" / "a.yaml").write_text(
        "template: a\ntitle: A\npieces:\n  - grid: {columns: 2, rows: 3}\n"
    )
    (root / "faces").mkdir()
    append(probe, "alike: [[disc, tower]]\n")
    probe.rename(root / "faces" / "probe")
    (root / "packs.yaml").write_text(
        "pack: p\nversion: 1\nruleset: {id: pairs}\nfaces: probe\nseed: x\nlevels:\n"
        "  - {levels: 1, templates: [[a]], tiles: 6, distinct: 3}\n"
    )
    assert [finding.code for finding in lint([root])] == ["recipe/too-alike"]


# Groups


GROUPED = replace(AR1, groups=(Group("trees", ("AR1_024", "AR1_031")), Group("birds", ("AR1_007", "AR1_021"))))


def test_a_group_is_dealt_as_one_face_in_the_place_of_its_first_member() -> None:
    members = {"AR1_007", "AR1_021", "AR1_024", "AR1_031"}
    assert not members & set(GROUPED.dealable)
    assert GROUPED.dealable.index("birds") == AR1.dealable.index("AR1_007")
    assert len(GROUPED.dealable) == len(AR1.dealable) - 2
    shown_faces = {face for level in plan(recipe(GROUPED, MANY)) for face in level.faces}
    assert {"birds", "trees"} <= shown_faces
    assert not members & shown_faces
    assert image(GROUPED, "birds").tobytes() == image(AR1, "AR1_007").tobytes()


def test_members_of_a_group_may_look_alike_but_a_member_marked_keeps_the_whole_group_away(probe: Path) -> None:
    confuse(probe, "grey")
    append(probe, "groups: {round: [disc, cushion]}\n")
    assert found(probe) == []
    append(probe, "alike: [[cushion, tower], [disc, cushion]]\n")
    assert load_face_set(probe).never_together == (("round", "tower"),)


def test_a_recipe_names_a_group_not_its_members() -> None:
    only = MANY.replace("distinct: 20", "faces: [birds, AR1_001]")
    assert {face for level in plan(recipe(GROUPED, only)) for face in level.faces} == {"AR1_001", "birds"}
    with pytest.raises(Malformed) as caught:
        recipe(GROUPED, only.replace("birds", "AR1_021"))
    (finding,) = caught.value.findings
    assert finding.code == "recipe/grouped-face"
    assert "birds" in finding.fix


CONTRADICTIONS = {
    "a pair with a face nobody knows": ("alike: [[disc, tawer]]", "unknown-alike", "11:16"),
    "a face alike to itself": ("alike: [[disc, disc]]", "alike-to-itself", "11:9"),
    "a pair twice": ("alike: [[disc, tower], [tower, disc]]", "duplicate-pair", "11:24"),
    "a pair of three": ("alike: [[disc, tower, cushion]]", "length", "11:9"),
    "a member nobody knows": ("groups: {round: [disc, cushon]}", "unknown-member", "11:24"),
    "a group of one": ("groups: {round: [disc]}", "length", "11:17"),
    "a group called like a face": ("groups: {tower: [disc, cushion]}", "duplicate-id", "11:17"),
    "a face in two groups": ("groups: {a: [disc, cushion], b: [disc, tower]}", "in-two-groups", "11:34"),
    "a limit of nothing": ("limits: {picture_percent: 0}", "range", "11:27"),
    "a limit nobody knows": ("limits: {colour: 3}", "unknown-key", "11:10"),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_a_contradiction_about_pairs_and_groups_is_refused_with_its_place(probe: Path, what: str) -> None:
    text, code, place = CONTRADICTIONS[what]
    append(probe, text + "\n")
    with pytest.raises(Malformed) as caught:
        load_face_set(probe)
    (finding,) = caught.value.findings
    assert finding.code == f"faceset/{code}"
    assert finding.where.endswith(f":{place}")


def test_a_member_that_is_not_dealt_is_refused(probe: Path) -> None:
    path = probe / "faceset.yaml"
    path.write_text(path.read_text().replace("excluded: []", "excluded: [{id: disc, reason: old}]"))
    append(probe, "groups: {round: [disc, cushion]}\n")
    with pytest.raises(Malformed, match="not dealt"):
        load_face_set(probe)


def test_the_digest_of_a_set_changes_with_its_pairs_and_groups_but_not_with_limits(probe: Path) -> None:
    before = load_face_set(probe)
    digests = {
        before.sha256,
        replace(before, alike=(("disc", "tower"),)).sha256,
        replace(before, groups=(Group("round", ("disc", "tower")),)).sha256,
        replace(before, groups=(Group("square", ("disc", "tower")),)).sha256,
    }
    assert len(digests) == 4
    assert replace(before, alike=(("tower", "disc"),)).sha256 in digests
    assert replace(before, limits=Limits(picture_percent=10)).sha256 == before.sha256


# The report


def test_the_report_shows_what_reached_a_limit_first_and_the_worst_of_every_kind(probe: Path) -> None:
    confuse(probe, "protan")
    face_set = load_face_set(probe)
    rows = shown(face_set, survey(face_set))
    assert (rows[0].one, rows[0].other) == ("disc", "cushion")
    whole = survey(AR1)
    rows = shown(AR1, whole)
    for kind in KINDS:
        assert whole.worst(kind, 1)[0] in rows


def test_the_report_draws_a_pair_as_each_view_sees_it(probe: Path) -> None:
    """Colours told apart in the second column are one colour in that of their deficiency."""
    confuse(probe, "protan")
    face_set = load_face_set(probe)
    page = numpy.asarray(report([(face_set, survey(face_set))]).convert("RGB")).astype(int)
    row = page[64 + 48]
    red, green = CONFUSED["protan"]

    def near(colour: Colour) -> NDArray[numpy.bool_]:
        return numpy.asarray(abs(row - numpy.array(colour)).max(axis=1) <= 24)

    normal, protan = slice(210 + 194, 210 + 2 * 194), slice(210 + 3 * 194, 210 + 4 * 194)
    assert near(red)[normal].sum() > 30
    assert near(green)[normal].sum() > 30
    seen = simulate(Image.new("RGB", (1, 1), red), "protan").getpixel((0, 0))
    assert isinstance(seen, tuple)
    assert near((int(seen[0]), int(seen[1]), int(seen[2])))[protan].sum() > 90
    assert not near(red)[protan].any()


def test_the_report_marks_a_figure_that_reached_its_limit(probe: Path) -> None:
    face_set = load_face_set(probe)
    calm = Survey((), survey(face_set).measures, (Pair("disc", "cushion", dict.fromkeys(KINDS, 10), False),))
    alarmed = replace(calm, pairs=(replace(calm.pairs[0], likeness=dict.fromkeys(KINDS, 99)),))
    counts = []
    for one in (calm, alarmed):
        page = numpy.asarray(report([(face_set, one)]).convert("RGB")).astype(int)[64 : 64 + 124]
        counts.append(int((abs(page - numpy.array((255, 122, 108))).max(axis=2) <= 12).sum()))
    assert counts[0] == 0
    assert counts[1] > 100


def test_faces_check_tells_figures_as_json_and_writes_the_report(
    probe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    confuse(probe, "tritan")
    out = probe.parent / "alike.png"
    assert run(["faces", "check", str(probe), "--report", str(out), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == "levelgen/findings/1"
    assert [finding["code"] for finding in told["findings"]] == ["faceset/too-alike"]
    (figures,) = told["sets"]
    assert figures["limits"]["picture_percent"] == 60
    worst = figures["worst"]["tritan"][0]
    assert worst["faces"] == ["disc", "cushion"]
    assert worst["likeness"]["tritan"] >= 60 > worst["likeness"]["normal"]
    assert figures["faces"]["tower"]["contrast_percent"] > 300
    assert read_picture(out).width > 1000


def test_faces_check_of_nothing_still_writes_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["faces", "check", "--report", "alike.png"]) == 0
    assert (tmp_path / "alike.png").exists()


def test_a_report_that_cannot_be_written_is_a_failure_of_the_system(probe: Path) -> None:
    assert run(["faces", "check", str(probe), "--report", str(probe.parent / "none" / "alike.png")]) == 6


def test_faces_list_says_what_goes_with_what(probe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    append(probe, "groups: {round: [disc, cushion]}\nalike: [[disc, tower]]\n")
    assert run(["faces", "list", str(probe)]) == 0
    listed = capsys.readouterr().out
    assert "matches any of round; never with tower" in listed
    assert run(["faces", "list", str(probe), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["groups"] == {"round": ["disc", "cushion"]}
    assert told["alike"] == [["disc", "tower"]]
