"""Tools, instruments and treasure of the set AR1."""

from __future__ import annotations

from math import cos, pi, sin

from artwork.brush import (
    INK,
    WHITE,
    Canvas,
    Path,
    arc,
    box,
    circle,
    curve,
    ellipse,
    flipped,
    mirrored,
    moved,
    ribbon,
    rotated,
    scaled,
    spline,
    star,
)

# A curve reads along its knots: lines are filled by hand here.
# fmt: off

GOLD, STEEL, WOOD = "#ffc531", "#a9b8c9", "#a8683a"


def crown(c: Canvas) -> None:
    """A crown with three points and jewels."""
    c.shape([(14, 84), (9, 28), (30, 50), (50, 16), (70, 50), (91, 28), (86, 84)], GOLD)
    for x, y in ((10, 26), (50, 15), (90, 26)):
        c.shape(circle(x, y, 5), "#ffe07a")
    c.shape(box(11, 72, 89, 88, 4), "#f0a21c")
    for x, colour in ((28, "#3f8df0"), (50, "#e5303c"), (72, "#3f8df0")):
        c.shape([(x, 73), (x + 7, 80), (x, 87), (x - 7, 80)], colour, line=1.8)
    c.shape(ellipse(50, 54, 6, 8), "#e5303c", line=2.2)


def key(c: Canvas) -> None:
    """Bow at the upper left, bit at the lower right."""

    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 45), 0.86), 2, 2)

    c.shape([
        turned(box(36, 45, 106, 55, 3)), turned(box(78, 50, 86, 69, 1.5)), turned(box(92, 50, 101, 73, 1.5)),
        turned(circle(22, 50, 17)), turned(circle(2, 50, 13)), turned(circle(18, 31, 13)),
        turned(circle(18, 69, 13)),
    ], GOLD, cut=turned(circle(14, 50, 8.5)))
    c.shape(turned(box(40, 41, 47, 59, 2)), "#f0a21c", line=2.4)
    c.shine(turned(ribbon([(52, 47.4), (88, 47.4)], 1.8)), 0.6)


def anchor(c: Canvas) -> None:
    """An anchor."""
    fluke: Path = [(4, 58), (10, 44), (24, 58), (17, 60)]
    hook = ribbon(arc(50, 50, 37, 168, 12), 8, 11, 8)
    tip: Path = [(44, 88), (56, 88), (50, 96)]
    c.shape([hook, fluke, flipped(fluke), box(45, 22, 55, 92, 3), tip, box(26, 31, 74, 41, 4)], "#4a6fa5")
    c.shape(circle(50, 15, 11), "#4a6fa5", cut=circle(50, 15, 4.8))
    c.dot(30, 36, 2, INK)
    c.dot(70, 36, 2, INK)


def gear(c: Canvas) -> None:
    """A cogwheel with eight teeth."""
    teeth: Path = []
    for i in range(8):
        for shift, r in ((-13, 34), (-9, 46), (9, 46), (13, 34)):
            a = pi / 180 * (45 * i + shift)
            teeth.append((50 + r * cos(a), 50 + r * sin(a)))
    c.shape(teeth, STEEL, cut=circle(50, 50, 11))
    c.shape(circle(50, 50, 23), "#8495ab", cut=circle(50, 50, 11), line=2)


def hourglass(c: Canvas) -> None:
    """An hourglass, half run down."""
    for x in (21, 79):
        c.shape(box(x - 3, 12, x + 3, 88), WOOD, line=2.6)
    glass = mirrored((50, 14), (72, 16, 0), (72, 30), (56, 46), (56, 54), (72, 70), (72, 84, 0), (50, 86))
    c.shape(glass, "#d8f0fb")
    c.shape([(20, 32), (80, 32), (56, 50), (50, 54), (44, 50)], "#f6b73c", line=0, inside=_shrunk(glass),
            relief=0.6)
    c.shape(spline((20, 90, 0), (34, 80), (50, 68), (66, 80), (80, 90, 0)), "#f6b73c", line=0,
            inside=_shrunk(glass), relief=0.6)
    c.stroke([(50, 50), (50, 72)], 2, "#f6b73c")
    for y in (5, 85):
        c.shape(box(12, y, 88, y + 10, 3), "#c07f45")
    c.shine(ellipse(36, 28, 2.4, 8, 8), 0.8)


def _shrunk(path: Path) -> Path:
    """A little smaller about the middle: what is inside a glass."""
    return [(50 + (x - 50) * 0.88, 50 + (y - 50) * 0.97) for x, y in path]


def teapot(c: Canvas) -> None:
    """A teapot with a painted band."""
    handle = curve((72, 44), (86, 38), (93, 52), (86, 68), (70, 76))
    c.shape(ribbon(handle, 7.5), "#2f9aa0")
    c.shape(spline((34, 76, 0), (20, 70), (14, 56), (4, 42, 0), (15, 36, 0), (24, 46), (36, 52)), "#35adb3")
    c.shape(circle(51, 21, 6.4), "#f6b73c")
    c.shape(box(38, 86, 64, 93, 3), "#2f9aa0")
    body = spline((51, 35), (70, 40), (80, 62), (70, 84), (51, 90), (32, 84), (22, 62), (32, 40))
    c.shape(body, "#3fc0c4")
    c.shape(spline((29, 41, 0), (36, 30), (51, 26), (66, 30), (73, 41, 0), (51, 46)), "#35adb3", line=2.6)
    c.shape([box(10, 60, 90, 68)], "#fff2d8", line=0, inside=body, relief=0.5)
    for x in (32, 44.5, 57, 69.5):
        c.shape(star(4, x, 64, 4.4, 1.8), "#f07d3c", line=0, relief=0)
    c.shine(ellipse(33, 52, 3, 6, 25), 0.6)


def lantern(c: Canvas) -> None:
    """A storm lantern, lit."""
    c.shape(ribbon(arc(50, 34, 28, 190, 350), 4), STEEL, line=2.6)
    c.shape([box(42, 14, 58, 24, 2)], "#c23b32")
    c.shape([(38, 22), (62, 22), (70, 34), (30, 34)], "#dd4a3c")
    for x in (24, 76):
        c.shape(box(x - 2.6, 38, x + 2.6, 84, 2), "#c23b32", line=2.6)
    c.shape(mirrored((50, 36), (64, 36, 0), (70, 54), (64, 78, 0), (50, 78)), "#fff0b8")
    c.shape(spline((50, 44, 0), (57, 58), (56, 70), (50, 74), (44, 70), (43, 58)), "#ff9d2a", line=0)
    c.shape(spline((50, 56, 0), (54, 64), (53, 70), (50, 72), (47, 70), (46, 64)), "#ffe36b", line=0)
    c.shape(box(22, 33, 78, 40, 3), "#dd4a3c")
    c.shape([(24, 77), (76, 77), (82, 94), (18, 94)], "#dd4a3c")
    c.shape(circle(50, 86, 4), GOLD, line=2)
    c.shine(ellipse(38, 54, 2, 9, 6), 0.8)


def trophy(c: Canvas) -> None:
    """A winner's cup on its base."""
    handle = curve((24, 20), (8, 20), (10, 40), (22, 50), (36, 54))
    for path in (ribbon(handle, 6), flipped(ribbon(handle, 6))):
        c.shape(path, "#f0a21c")
    c.shape([(45, 58), (55, 58), (58, 80), (42, 80)], "#f0a21c")
    cup = mirrored((50, 10), (76, 9, 0), (76, 30), (68, 52), (50, 63))
    c.shape(cup, GOLD)
    c.shape(ellipse(50, 11.5, 26, 4.4), "#b9720e", line=2.4, relief=0.4)
    c.shape(star(5, 50, 35, 12, 5.4), "#fff0b8", line=2)
    c.shape(box(30, 77, 70, 94, 2), "#7b4a2c")
    c.shape(box(38, 82, 62, 89, 1), GOLD, line=1.6)
    c.shine(ellipse(32, 28, 2.6, 9, -6), 0.7)


def hammer(c: Canvas) -> None:
    """A claw hammer."""
    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 42), 0.9), -2, 4)

    c.shape(turned(spline((45, 22), (55, 22), (55, 60), (57, 80), (56, 104), (44, 104), (43, 80),
                          (45, 60))), WOOD)
    head = turned(spline((24, 6, 0), (34, 6, 0), (40, 9), (58, 9), (72, 12), (86, 28, 0), (72, 25),
                         (60, 28), (40, 28), (34, 31, 0),
                         (24, 31, 0)))
    c.shape(head, STEEL)
    c.shape(turned(box(18, 4, 29, 33, 3)), "#8495ab")
    c.shape(turned(box(44, 7, 56, 30, 2)), "#8495ab", line=2)


def scissors(c: Canvas) -> None:
    """Scissors, open."""
    blade = spline((47, 58, 0), (53, 62, 0), (74, 30), (76, 6, 0), (64, 20))
    for path, x in ((flipped(blade), 68), (blade, 32)):
        c.shape(path, STEEL)
        side = 1 if x > 50 else -1
        c.shape(ribbon([(50 - side * 2, 55), (50 + side * 13, 70)], 8), "#e5403c")
        c.shape(ellipse(x, 78, 14, 17, -side * 26), "#f0554e", cut=ellipse(x, 78, 7, 10, -side * 26))
    c.shape(circle(50, 55, 3.6), "#ffe07a", line=2)


def magnet(c: Canvas) -> None:
    """A horseshoe magnet."""
    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 35), 0.94), -7, 3)

    shoe: Path = [(14, 10), (14, 54), *arc(50, 54, 36, 180, 0), (86, 10), (64, 10), (64, 54),
                  *arc(50, 54, 14, 0, 180), (36, 10)]
    shoe = [(50 + (x - 50) * 0.88, 46 + (y - 48) * 0.88) for x, y in shoe]
    c.shape(turned(shoe), "#e5303c")
    for x in (18.3, 62.3):
        c.shape(turned(box(x, 12.6, x + 19.4, 28)), "#e8eef5", line=2.2)
    c.shine(turned(ribbon(arc(50, 52, 27, 165, 100), 1, 3.4, 1)), 0.6)


def guitar(c: Canvas) -> None:
    """A guitar, leaning."""
    def turned(path: Path) -> Path:
        return moved(scaled(rotated(path, 38), 0.83), 2, 0)

    c.shape(turned(box(43, -10, 57, 8, 3)), "#5e3517")
    for y in (-6, 2):
        for x in (41, 59):
            c.shape(turned(circle(x, y, 2.4)), WHITE, line=2, relief=0)
    c.shape(turned(box(46, 4, 54, 52, 1)), "#7b4a2c")
    c.shape(turned(mirrored((50, 42), (66, 44), (69, 56), (65, 64), (78, 76), (77, 94), (62, 106),
                            (50, 107))), "#f0953a")
    c.shape(turned(circle(50, 65, 9)), "#5e3517", line=2)
    c.shape(turned(box(40, 87, 60, 93, 1.5)), "#5e3517", line=0)
    for x in (48, 50, 52):
        c.stroke(turned([(x, 0), (x, 89)]), 0.9, "#fff0d2")
    c.shine(turned(ellipse(31, 86, 2.6, 8, 0)), 0.5)
