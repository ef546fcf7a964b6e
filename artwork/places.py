"""Buildings and vehicles of the set AR1, the one wide picture among them."""

from __future__ import annotations

from artwork.brush import (
    WHITE,
    Canvas,
    Path,
    box,
    circle,
    curve,
    ellipse,
    flipped,
    mirrored,
    moved,
    ring_of,
    rotated,
    scaled,
    spline,
)

# A curve reads along its knots: lines are filled by hand here.
# fmt: off

STONE, ROOF, WOOD, GLASS = "#c9c4bd", "#d9483b", "#93602f", "#9fdcf5"


def sailboat(c: Canvas) -> None:
    """A boat with two sails."""
    c.shape(box(47, 6, 52.5, 76, 2), WOOD, line=2.6)
    c.shape(spline((56, 10, 0), (76, 34), (88, 66, 0), (56, 66, 0)), WHITE)
    c.shape(spline((43, 20, 0), (26, 42), (14, 66, 0), (43, 66, 0)), ROOF)
    c.stroke(curve((60, 50), (72, 51), (82, 50)), 2, "#c9bfae")
    c.shape(spline((5, 72, 0), (50, 75), (95, 72, 0), (86, 86), (76, 94, 0), (24, 94, 0), (14, 86)),
            "#3576c4")
    c.stroke(curve((14, 80), (50, 83), (86, 80)), 3, WHITE)


def house(c: Canvas) -> None:
    """A house with a chimney."""
    c.shape(box(68, 12, 80, 46), "#b5563f")
    c.shape(box(65, 8, 83, 16, 2), "#c96a50")
    c.shape([(17, 46), (50, 18), (83, 46), (83, 93), (17, 93)], "#ffe3a8")
    c.shape([(50, 7), (96, 46), (89, 56), (50, 23), (11, 56), (4, 46)], ROOF)
    c.shape(box(26, 64, 44, 93), "#8f5a2c")
    c.dot(39.5, 79, 1.8, "#ffd94d")
    c.shape(box(54, 60, 74, 78, 1), GLASS, line=2.4)
    c.stroke([(64, 60), (64, 78)], 2)
    c.stroke([(54, 69), (74, 69)], 2)
    c.shape(circle(50, 43, 6), GLASS, line=2.4)


def castle(c: Canvas) -> None:
    """A castle gate between two towers."""
    for x in (19, 81):
        c.shape([(x - 13, 34), (x, 10), (x + 13, 34)], "#4d6fc0")
        c.shape(box(x - 10, 34, x + 10, 94), STONE)
        c.shape(box(x - 3, 44, x + 3, 57, 3), "#4a4350", line=0, relief=0)
    top: Path = [(31, 94)]
    for i in range(4):
        left = 31 + i * 10.86
        top += [(left, 46), (left + 5.4, 46), (left + 5.4, 54), (left + 10.86, 54)]
    wall = [*top[:-1], (69, 54), (69, 94)]
    c.shape(wall, "#dcd7cf")
    c.shape([(50, 6), (66, 13), (50, 20)], ROOF, line=2.6)
    c.shape(box(47.5, 5, 51, 46, 1), WOOD, line=2.2)
    c.shape([(40, 94), (40, 76), (43, 69), (50, 66), (57, 69), (60, 76), (60, 94)], "#7b4a2c")
    for plank in (46.7, 53.3):
        c.stroke([(plank, 69), (plank, 93)], 1.6)
    for x, y in ((14, 70), (22, 80), (78, 66), (86, 78), (37, 62), (62, 61)):
        c.stroke([(x - 2.5, y), (x + 2.5, y)], 2.2, "#a39d96")


def lighthouse(c: Canvas) -> None:
    """A lighthouse, its beam both ways."""
    beam: Path = [(40, 22), (6, 12), (6, 36), (40, 28)]
    c.shape(beam, "#ffe36b", relief=0.4)
    c.shape(flipped(beam), "#ffe36b", relief=0.4)
    tower: Path = [(39, 38), (61, 38), (69, 88), (31, 88)]
    c.shape(tower, WHITE)
    for y in (46, 68):
        c.shape([box(20, y, 80, y + 11)], ROOF, line=0, inside=tower)
    c.stroke([tower[0], tower[3]], 0.8)
    c.shape(box(40, 18, 60, 34), "#fff3b0", line=2.6)
    c.shape(box(34, 32, 66, 39, 2), "#4a5a7a")
    c.shape([(36, 19), (50, 6), (64, 19)], ROOF)
    c.shape(spline((12, 95, 0), (20, 84), (36, 82), (50, 86), (66, 82), (82, 85), (90, 95, 0)), "#8a8f98")
    c.shape(box(46, 58, 54, 66, 3), "#4a4350", line=0, relief=0)


def windmill(c: Canvas) -> None:
    """A windmill, sails crossed."""
    c.shape([(37, 44), (63, 44), (72, 95), (28, 95)], "#f3dfbd")
    c.shape(spline((32, 46, 0), (38, 30), (50, 24), (62, 30), (68, 46, 0)), "#9c4a36")
    c.shape([(43, 95), (43, 82), (46, 77), (54, 77), (57, 82), (57, 95)], "#7b4a2c", line=2.4)
    c.shape(circle(50, 66, 4.6), GLASS, line=2.2)
    sail: Path = [(50, 32), (53, 32), (67, -6), (50, -6)]
    for path in ring_of(moved(sail, -0.6, 4), 4, 50, 40):
        c.shape(rotated(path, 32, 50, 40), WHITE)
    for i in range(4):
        for a, b in (((50, 40), (50, 8)), ((50, 17), (58, 17)), ((50, 26), (55, 26))):
            c.stroke(rotated([a, b], 90 * i + 32, 50, 40), 2, "#b98d5a")
    c.shape(circle(50, 40, 5), "#9c4a36", line=2.4)


def balloon(c: Canvas) -> None:
    """A hot-air balloon."""
    for x in (41, 59):
        c.stroke([(x, 66), (50 + (x - 50) * 0.7, 82)], 2.2)
    envelope = mirrored((50, 4), (74, 10), (86, 36), (74, 58), (60, 72, 0), (50, 73))
    c.shape(envelope, "#f5b82e")
    for outer, inner in ((1.0, 0.62), (0.24, -0.24), (-0.62, -1.0)):
        stripe = [(50 + (x - 50) * outer if x >= 50 else 50 - (50 - x) * -outer, y) for x,
                  y in envelope if x >= 49.9]
        back = [(50 + (x - 50) * inner, y) for x, y in envelope if x >= 49.9]
        c.shape(stripe + back[::-1], "#e5403c", line=0, inside=envelope)
    c.shape(box(40, 81, 60, 95, 3), "#a8683a")
    c.stroke([(41, 87), (59, 87)], 1.8, "#6d4320")
    c.shine(ellipse(33, 26, 4, 10, 28), 0.55)


def rocket(c: Canvas) -> None:
    """A rocket going up to the right."""
    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 42), 0.86), 1, 1)

    c.shape(turned(mirrored((50, 74), (59, 80), (58, 92), (50, 107, 0))), "#ff8a1c")
    c.shape(turned(mirrored((50, 78), (54, 82), (50, 96, 0))), "#ffe36b", line=0)
    fin = spline((64, 54, 0), (80, 66), (82, 90, 0), (72, 82), (60, 80, 0))
    c.shape(turned(fin), ROOF)
    c.shape(turned(flipped(fin)), ROOF)
    body = mirrored((50, -10, 0), (64, 10), (70, 38), (66, 62), (60, 80, 0))
    c.shape(turned(body), "#eef2f7")
    c.shape([turned(box(10, -30, 90, 12))], ROOF, line=0, inside=turned(body))
    c.shape(turned(circle(50, 36, 10)), "#3f8df0")
    c.shine(turned(ellipse(46, 33, 4, 2.4, -80)), 0.8)
    c.shape(turned(spline((50, 58, 0), (53, 70), (50, 88, 0), (47, 70))), ROOF, line=2.4)


def airplane(c: Canvas) -> None:
    """An airliner from above, climbing to the upper right."""

    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 45), 0.86), 0, 1)

    wing = spline((54, 38, 0), (96, 62, 0), (97, 72, 0), (76, 66), (54, 62, 0))
    tail: Path = [(52, 82), (70, 94), (70, 101), (50, 97)]
    for path in (wing, flipped(wing)):
        c.shape(turned(path), "#3f8df0")
    for x in (71, 29):
        c.shape(turned(box(x - 3.4, 43, x + 3.4, 58, 3)), "#dfe7f0", line=2.4)
    for path in (tail, flipped(tail)):
        c.shape(turned(path), ROOF)
    c.shape(turned(mirrored((50, -9), (57, 2), (59, 24), (58, 66), (54, 92), (50, 104, 0))), "#f4f7fb")
    c.shape(turned(spline((45, 6), (50, 2), (55, 6), (54, 11), (46, 11))), "#37506f", line=0)
    for y in range(22, 70, 9):
        for x in (46, 54):
            c.shape(turned(circle(x, y, 1.6)), "#5b8fc4", line=0, relief=0)


def train(c: Canvas) -> None:
    """A steam train with two wagons: wide on purpose, for a canvas of 200 × 100."""
    for x in (70, 134):
        c.shape(box(x - 8, 70, x + 8, 76, 1), "#4a4350", line=2.6)
    for left, colour in ((8, "#3f8df0"), (74, "#52b547")):
        c.shape(box(left, 42, left + 54, 76, 3), colour)
        c.shape(box(left - 3, 36, left + 57, 46, 4), "#f3dfbd")
        for pane in (left + 7, left + 21.5, left + 36):
            c.shape(box(pane, 51, pane + 11, 63, 1.5), GLASS, line=2.2)
    c.shape(box(141, 30, 163, 76, 2), "#c23b32")
    c.shape(box(137, 22, 167, 32, 3), "#4a4350")
    c.shape(box(146, 38, 158, 52, 1.5), GLASS, line=2.2)
    c.shape([(172, 48), (174, 30), (171, 24), (185, 24), (182, 30), (184, 48)], "#4a4350")
    c.shape(box(160, 46, 190, 76, 6), "#dd4a3c")
    c.shape(circle(166, 45, 4), "#ffc531", line=2.2)
    c.shape([(186, 70), (195, 88), (178, 88), (178, 70)], "#8495ab")
    c.stroke([(163, 56), (188, 56)], 2.6, "#ffc531")
    for x, wheel in ((20, 9), (50, 9), (86, 9), (116, 9), (150, 11), (176, 9)):
        c.shape(circle(x, 89 - wheel, wheel), "#5b6472")
        c.shape(circle(x, 89 - wheel, wheel * 0.42), "#ffc531", line=1.8)
    for x, y, r in ((181, 12, 6.0), (168, 10, 5.0), (157, 9, 3.4)):
        c.shape(circle(x, y, r), "#eef2f7", relief=0.5)
