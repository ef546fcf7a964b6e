"""Fruit, flowers, leaves, trees, fire and ice of the set AR1."""

from __future__ import annotations

from artwork.brush import (
    Canvas,
    box,
    circle,
    curve,
    ellipse,
    flipped,
    mirrored,
    moved,
    ribbon,
    ring_of,
    rotated,
    spline,
)

# A curve reads along its knots: lines are filled by hand here.
# fmt: off

LEAF, DARK_LEAF, WOOD = "#52b547", "#2c8246", "#93602f"


def apple(c: Canvas) -> None:
    """A red apple with a leaf."""
    c.shape(ribbon(curve((50, 32), (51, 20), (57, 9)), 4, 5.5), WOOD)
    c.shape(spline((54, 24, 0), (62, 9), (84, 6, 0), (78, 22), (66, 27)), LEAF)
    c.shape(mirrored((50, 31, 0), (66, 25), (86, 34), (89, 56), (76, 84), (61, 94), (50, 90)), "#e5303c")
    c.shine(ellipse(29, 47, 5, 12, 20))


def pear(c: Canvas) -> None:
    """A pear, freckled."""
    c.shape(ribbon(curve((50, 22), (51, 14), (46, 7)), 4, 5.5), WOOD)
    c.shape(spline((51, 20, 0), (58, 10), (74, 8, 0), (70, 20), (60, 23)), DARK_LEAF)
    c.shape(mirrored((50, 20), (61, 27), (65, 44), (78, 60), (79, 78), (67, 92), (50, 94)), "#bcd235")
    c.shine(ellipse(37, 66, 5, 13, 22))
    for x, y in ((62, 68), (68, 76), (58, 80)):
        c.dot(x, y, 1.5, "#7d9420")


def cherries(c: Canvas) -> None:
    """Two cherries hanging from one leaf."""
    for stem in (curve((28, 66), (34, 36), (66, 10)), curve((71, 72), (72, 40), (66, 10))):
        c.shape(ribbon(stem, 4, 3.4, 4.4), DARK_LEAF, line=2.6)
    c.shape(spline((66, 11, 0), (46, 6), (26, 14), (14, 28, 0), (34, 32), (54, 26)), LEAF)
    c.stroke(curve((58, 15), (40, 20), (24, 25)), 2, DARK_LEAF)
    for x, y in ((27, 74), (72, 76)):
        c.shape(spline((x, y - 14), (x + 12, y - 16), (x + 20, y - 2), (x + 12, y + 16), (x, y + 19),
                       (x - 13, y + 16),
                       (x - 20, y - 2), (x - 12, y - 16)), "#d91f47")
        c.shine(ellipse(x - 9, y - 3, 3, 6, 25), 0.7)


def banana(c: Canvas) -> None:
    """One banana, both ends shown."""
    c.shape(spline((80, 8, 0), (88, 7), (88, 20), (91, 42), (82, 68), (62, 86), (34, 92), (12, 85, 0),
                   (9, 77),
                   (34, 74), (56, 62), (70, 42), (75, 22)), "#ffd83b")
    c.stroke(curve((83, 20), (81, 44), (68, 66), (46, 79), (20, 82)), 2, "#c9920f")
    c.shape(box(79, 6, 89, 15, 2), WOOD, line=2.2)
    c.shape(circle(11, 81, 5), WOOD, line=2.2)
    c.shine(ribbon(curve((75, 40), (64, 60), (44, 71)), 1, 3, 1))


def pineapple(c: Canvas) -> None:
    """A pineapple, its rind a lattice."""
    blade = spline((50, 40, 0), (44, 24), (50, 4, 0), (56, 24))
    for turn in (-62, 62, -32, 32, 0):
        c.shape(rotated(blade, turn, 50, 40), LEAF if turn else "#74cc55", line=2.6)
    body = spline((50, 36), (70, 42), (77, 62), (70, 86), (50, 96), (30, 86), (23, 62), (30, 42))
    c.shape(body, "#f6a821")
    for shift in range(-60, 70, 15):
        c.stroke([(20 + shift, 30), (80 + shift, 100)], 2, "#b86a12", inside=body)
        c.stroke([(80 - shift, 30), (20 - shift, 100)], 2, "#b86a12", inside=body)
    c.shine(ellipse(34, 58, 4, 12, 12), 0.45)


def mushroom(c: Canvas) -> None:
    """A toadstool with pale spots."""
    c.shape(mirrored((50, 46), (62, 48), (63, 70), (70, 88), (62, 95), (50, 95)), "#f7ead0")
    cap = mirrored((50, 6), (74, 12), (92, 34), (95, 54, 0), (82, 60), (50, 56))
    c.shape(cap, "#e2383f")
    for x, y, rx, ry in ((48, 24, 11, 9), (73, 42, 8, 9), (25, 42, 8, 8), (48, 50, 7, 5)):
        c.shape(ellipse(x, y, rx, ry), "#fff4df", line=0, inside=cap, relief=0.5)


def maple_leaf(c: Canvas) -> None:
    """A maple leaf in autumn."""
    c.shape(ribbon(curve((50, 66), (50, 82), (54, 94)), 4, 4.6), "#a8391d")
    half = ((50, 4), (58, 19), (67, 14), (64, 38), (74, 29), (78, 36), (93, 33), (88, 47), (94, 52),
            (72, 68), (74, 76), (50, 73))
    knots = [(*p, 0.0) for p in half]
    c.shape(mirrored(*knots), "#f0642b")
    for tip in ((50, 16), (80, 43), (20, 43), (64, 66), (36, 66)):
        c.stroke([(50, 72), tip], 2.2, "#a8391d")


def cactus(c: Canvas) -> None:
    """A cactus with two arms and a flower, potted."""
    arms = (
        ribbon(curve((50, 68), (66, 66), (77, 60), (79, 48), (79, 36)), 14),
        ribbon(curve((50, 56), (34, 56), (23, 50), (21, 40), (21, 26)), 14),
        ribbon([(50, 78), (50, 17)], 24),
    )
    c.shape(list(arms), "#4fae52")
    for x in (44, 50, 56):
        c.stroke([(x, 16), (x, 72)], 1.7, DARK_LEAF)
    c.stroke([(21, 28), (21, 42)], 1.7, DARK_LEAF)
    c.stroke([(79, 38), (79, 50)], 1.7, DARK_LEAF)
    for path in ring_of(ellipse(60, 9, 3.6, 4.4), 5, 60, 14):
        c.shape(path, "#ff6fa5", line=2, relief=0.5)
    c.dot(60, 14, 3, "#ffd94d")
    c.shape([(30, 76), (70, 76), (64, 95), (36, 95)], "#cf6b3c")
    c.shape(box(26, 72, 74, 81, 2), "#e08250")


def tulip(c: Canvas) -> None:
    """A tulip between two leaves."""
    c.shape(ribbon(curve((50, 50), (51, 74), (50, 93)), 5.5), DARK_LEAF)
    leaf = spline((51, 93, 0), (58, 74), (74, 58), (88, 54, 0), (86, 74), (70, 92))
    c.shape(leaf, LEAF)
    c.shape(flipped(leaf, 50.5), LEAF)
    c.shape(spline((38, 20, 0), (50, 4, 0), (62, 20, 0), (60, 50), (40, 50)), "#c9246e")
    for side in (1, -1):
        petal = spline((50, 56), (70, 54), (78, 36), (75, 9, 0), (60, 18), (50, 38, 0))
        c.shape(petal if side > 0 else flipped(petal), "#ef4b91")
    c.shine(ellipse(31, 33, 3, 10, -4))


def acorn(c: Canvas) -> None:
    """An acorn, its cap scaled."""
    c.shape(ribbon(curve((50, 18), (51, 12), (57, 7)), 5, 6), WOOD)
    c.shape(mirrored((50, 36), (78, 40), (76, 66), (62, 84), (50, 95, 0)), "#d99a45")
    cap = mirrored((50, 14), (74, 20), (88, 40), (84, 51), (66, 50), (50, 52))
    c.shape(cap, "#8f5a2c")
    for shift in range(-40, 50, 13):
        c.stroke([(40 + shift, 10), (70 + shift, 56)], 1.8, "#5e3517", inside=cap)
        c.stroke([(60 + shift, 10), (30 + shift, 56)], 1.8, "#5e3517", inside=cap)
    c.shine(ellipse(34, 63, 3, 10, -12))


def carrot(c: Canvas) -> None:
    """A carrot, greens upwards."""
    frond = spline((66, 35, 0), (56, 22), (60, 6), (70, 4), (75, 16))
    for turn in (-20, 66, 24):
        c.shape(rotated(frond, turn, 66, 35), LEAF if turn != 24 else "#74cc55")
    root = spline((56, 26), (74, 26), (78, 44), (58, 72), (34, 89), (6, 95, 0), (13, 68), (29, 43))
    c.shape(root, "#ff8a2a")
    for a, b in (((46, 34), (56, 44)), ((66, 58), (57, 52)), ((29, 54), (39, 63)), ((47, 75), (39, 70))):
        c.stroke([a, b], 2.4, "#c9560f", inside=root)


def clover(c: Canvas) -> None:
    """A clover of four leaves."""
    c.shape(ribbon(curve((50, 46), (56, 74), (72, 93)), 4, 6), DARK_LEAF)
    leaf = spline((50, 44, 0), (36, 34), (32, 16), (42, 6), (50, 13, 0), (58, 6), (68, 16), (64, 34))
    for turn in (45, 135, 225, 315):
        c.shape(rotated(leaf, turn, 50, 44), LEAF)
    for turn in (45, 135, 225, 315):
        c.stroke(rotated([(50, 40), (50, 24)], turn, 50, 44), 2.2, DARK_LEAF)


def fir(c: Canvas) -> None:
    """A fir tree of three tiers."""
    c.shape(box(43, 78, 57, 95, 2), WOOD)
    for top, bottom, half, colour in ((46, 84, 40, "#23864d"), (26, 62, 32, "#2f9c55"),
                                      (5, 40, 24, "#43b566")):
        c.shape(mirrored((50, top, 0), (50 + half * 0.5, (top + bottom) / 2), (50 + half, bottom, 0),
                         (50, bottom + 4)), colour)


def palm(c: Canvas) -> None:
    """A palm on its island."""
    c.shape(spline((9, 90, 0), (30, 80), (56, 79), (92, 90, 0), (70, 95), (30, 95)), "#f2cf7d")
    c.shape(ribbon(curve((44, 86), (47, 64), (58, 36)), 10, 8, 6), "#a9743b")
    for x, y in ((46, 76), (48, 66), (51, 57), (54, 48)):
        c.stroke([(x - 4, y + 1), (x + 4, y - 1)], 1.8, "#6d4320")
    frond = spline((58, 33, 0), (70, 20), (86, 22), (95, 40, 0), (88, 38), (84, 43, 0), (78, 36),
                   (72, 41, 0), (68, 36))
    for path in (rotated(frond, 38, 58, 33), rotated(flipped(frond, 58), -38, 58, 33), rotated(frond, -38,
                                                                                               58, 33),
                 rotated(flipped(frond, 58), 34, 58, 33), frond, flipped(frond, 58)):
        c.shape(path, "#46b455")
    for x, y in ((53, 38), (63, 39)):
        c.shape(circle(x, y, 5), "#8a4f24", line=2.4)


def feather(c: Canvas) -> None:
    """A feather, its vane split in two places."""
    vane = spline((90, 6, 0), (60, 12), (34, 34), (22, 62, 0), (34, 58), (28, 72, 0), (46, 70), (52, 62),
                  (58, 66, 0), (72, 54),
                  (74, 44), (82, 46, 0), (91, 28))
    c.shape(ribbon(curve((9, 94), (22, 74), (40, 54)), 4, 5), "#f2e3c4")
    c.shape(vane, "#3aa6b9")
    c.stroke(curve((14, 88), (34, 60), (58, 34), (82, 14)), 2.6, "#f2e3c4")
    for x, y, dx, dy in ((42, 50, 14, 6), (54, 38, 18, 7), (66, 27, 16, 5), (42, 50, -4, -12),
                         (54, 38, 0, -14)):
        c.stroke([(x, y), (x + dx, y + dy)], 1.8, "#1f6f86", inside=vane)


def flame(c: Canvas) -> None:
    """A flame of three colours."""
    c.shape(spline((50, 4, 0), (64, 22), (66, 36), (74, 28, 0), (86, 52), (82, 77), (62, 93), (38, 93),
                   (18, 77), (15, 56),
                   (28, 30, 0), (36, 40), (44, 24)), "#f4472b")
    c.shape(spline((52, 34, 0), (62, 50), (72, 58), (72, 78), (58, 91), (42, 91), (28, 78), (29, 62),
                   (38, 56)), "#ff9d2a", line=0)
    c.shape(spline((50, 58, 0), (60, 72), (60, 84), (50, 90), (40, 84), (41, 72)), "#ffe36b", line=0)


def snowflake(c: Canvas) -> None:
    """A six-armed snowflake."""
    arm = [ribbon([(50, 50), (50, 9)], 7), ribbon([(50, 27), (38, 16)], 6), ribbon([(50, 27), (62, 16)], 6)]
    paths = [path for part in arm for path in ring_of(part, 6)]
    c.shape(paths, "#8fd8f7")
    c.shape([*ring_of(box(47, 37, 53, 50), 6), circle(50, 50, 13)], "#c9efff", line=0, relief=0.6)
    c.shape(circle(50, 50, 5), "#4aa8dd", line=0)


def twig(c: Canvas) -> None:
    """A twig with seven leaves."""
    c.shape(ribbon(curve((14, 93), (36, 72), (55, 52), (68, 34)), 5.5, 3.5), WOOD)
    leaf = spline((0, 0, 0), (8, -9), (21, -8), (28, 0, 0), (20, 7), (8, 7))
    for x, y, turn in ((29, 79, -128), (30, 78, 8), (43, 65, -130), (44, 64, 4), (56, 51, -132),
                       (57, 50, 0), (68, 35, -62)):
        c.shape(rotated(moved(leaf, x, y), turn, x, y), LEAF)
        c.stroke(rotated([(x + 4, y), (x + 20, y)], turn, x, y), 1.8, DARK_LEAF)


def grapes(c: Canvas) -> None:
    """A bunch of grapes."""
    c.shape(ribbon(curve((50, 30), (51, 18), (60, 8)), 4.5, 6), WOOD)
    c.shape(spline((52, 24, 0), (34, 26), (20, 20), (14, 8, 0), (30, 4), (44, 8)), LEAF)
    for y, xs in ((84, (50,)), (70, (40, 60)), (55, (30, 50, 70)), (39, (22, 41, 60, 79))):
        for x in xs:
            c.shape(circle(x, y, 10.5), "#8b48c9")
            c.shine(ellipse(x - 4, y - 4, 2.6, 1.8, -40), 0.7)
