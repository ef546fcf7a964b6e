"""Animals and shells of the set AR1."""

from __future__ import annotations

from functools import partial

from artwork.brush import (
    WHITE,
    Canvas,
    Path,
    Point,
    arc,
    circle,
    curve,
    ellipse,
    flipped,
    mirrored,
    ribbon,
    rotated,
    spline,
)

# A curve reads along its knots: lines are filled by hand here.
# fmt: off


def eye(c: Canvas, x: float, y: float, r: float = 5.0) -> None:
    """An eye with a glint."""
    c.dot(x, y, r)
    c.dot(x - r * 0.3, y - r * 0.35, r * 0.36, "#ffffff")


def butterfly(c: Canvas) -> None:
    """A butterfly from above."""
    upper = spline((50, 46, 0), (60, 22), (80, 8), (95, 14), (93, 38), (78, 52), (52, 56, 0))
    lower = spline((50, 52, 0), (70, 54), (84, 64), (82, 82), (70, 92), (58, 80), (51, 62, 0))
    for wing, colour in ((lower, "#ff8a3c"), (upper, "#f5515f")):
        c.shape(wing, colour)
        c.shape(flipped(wing), colour)
    for x, y, r in ((78, 27, 7), (85, 40, 3.6), (66, 40, 4), (70, 72, 5.4)):
        c.dot(x, y, r, "#ffe08a")
        c.dot(100 - x, y, r, "#ffe08a")
    for side in (1, -1):
        c.stroke(curve((50, 32), (50 + side * 4, 18), (50 + side * 13, 9)), 2.8)
        c.dot(50 + side * 13, 10, 3)
    c.shape(ribbon([(50, 34), (50, 50), (50, 84)], 7, 9, 4), "#5b3a52", line=2.4)


def owl(c: Canvas) -> None:
    """An owl, face on."""
    for x in (38, 62):
        c.shape(ellipse(x, 90, 8, 4.5), "#f6a821", line=2.4)
    body = mirrored((50, 17), (66, 14), (82, 6, 0), (80, 22), (85, 44), (84, 70), (70, 88), (50, 91))
    c.shape(body, "#9a6a44")
    c.shape(mirrored((50, 50), (66, 56), (68, 74), (60, 86), (50, 88)), "#f0d9b0", line=0, relief=0.6)
    for y, xs in ((64, (42, 50, 58)), (74, (46, 54))):
        for x in xs:
            c.stroke(arc(x, y - 3, 4, 20, 160), 2, "#9a6a44")
    wing = spline((84, 44, 0), (70, 52), (68, 70), (74, 86, 0), (86, 76), (88, 58))
    c.shape(wing, "#744a2c", line=2.4)
    c.shape(flipped(wing), "#744a2c", line=2.4)
    for x in (36, 64):
        c.shape(circle(x, 37, 14), WHITE, line=2.4, relief=0.5)
        eye(c, x + (3 if x < 50 else -3), 37, 7)
    c.shape([(45, 45), (55, 45), (50, 56)], "#f6a821", line=2.2)


def cat(c: Canvas) -> None:
    """A cat sitting, its tail up."""
    tail = curve((64, 88), (82, 88), (89, 76), (84, 62), (88, 50))
    c.shape(ribbon(tail, 10, 9), "#f2953c")
    c.shape(spline((36, 50), (56, 50), (68, 68), (72, 94, 0), (22, 94, 0), (26, 70)), "#f2953c")
    for x in (37, 56):
        c.shape(ellipse(x, 91, 9, 5), "#ffe6c7", line=2.2, relief=0.5)
    head = spline((18, 4, 0), (32, 16), (46, 14), (60, 16), (74, 4, 0), (78, 30), (74, 48), (46, 60),
                  (18, 48), (14, 30))
    c.shape(head, "#f2953c")
    for x, side in ((25, 1), (67, -1)):
        c.shape([(x - 3 * side, 13), (x + 6 * side, 22), (x - 4 * side, 25)], "#ff9db0", line=0, relief=0)
    c.stroke([(46, 16), (46, 25)], 3, "#b85f14")
    for side in (1, -1):
        c.stroke([(46 + 7 * side, 17), (46 + 6 * side, 23)], 3, "#b85f14")
        eye(c, 46 + 14 * side, 34)
        c.stroke(curve((46, 44), (46 + 4 * side, 48), (46 + 9 * side, 46)), 2)
        c.stroke([(46 + 20 * side, 43), (46 + 34 * side, 40)], 1.6)
        c.stroke([(46 + 20 * side, 47), (46 + 33 * side, 49)], 1.6)
    c.shape([(42, 40), (50, 40), (46, 45)], "#e4577a", line=0, relief=0)


def turtle(c: Canvas) -> None:
    """A turtle from above."""
    for x, y, turn in ((80, 26, -35), (20, 26, 215), (77, 80, 40), (23, 80, 140)):
        c.shape(ellipse(x, y, 15, 8.5, turn), "#7cc653")
    c.shape([(45, 84), (55, 84), (50, 96)], "#7cc653")
    c.shape(spline((50, 4), (61, 10), (60, 26), (50, 32), (40, 26), (39, 10)), "#7cc653")
    eye(c, 44.5, 13, 2.8)
    eye(c, 55.5, 13, 2.8)
    shell = ellipse(50, 54, 31, 34)
    c.shape(shell, "#2f8f5b")
    hexagon = [(50 + 15 * x, 54 + 16 * y) for x, y in ((0.6, -1), (1, 0), (0.6, 1), (-0.6, 1), (-1, 0),
                                                       (-0.6, -1))]
    for a, b in hexagon:
        c.stroke([(a, b), (50 + (a - 50) * 3, 54 + (b - 54) * 2.4)], 2.4, "#1c5f3d", inside=shell)
    c.shape(hexagon, "#59b97c", line=0)
    c.stroke([*hexagon, hexagon[0]], 2.4, "#1c5f3d")


def _beside(side: int, *points: Point) -> Path:
    """Points given as distances from the middle, on that side of it."""
    return [(50 + side * x, y) for x, y in points]


def crab(c: Canvas) -> None:
    """A crab, claws raised."""
    for side in (1, -1):
        to = partial(_beside, side)
        for knee, foot in (((40, 62), (44, 76)), ((36, 72), (36, 86)), ((26, 78), (24, 92))):
            c.shape(ribbon(curve(*to((20, 64), knee, foot)), 6, 6, 3), "#d63b2c", line=2.6)
        c.shape(ribbon(curve(*to((26, 58), (38, 48), (35, 36))), 8), "#ee5138")
        claw = to((22, 32), (21, 18), (28, 6), (30, 20), (35, 23), (39, 18), (44, 8), (46, 24), (40, 38),
                  (28, 40))
        c.shape(spline(*((x, y, 0) if i in (2, 4, 6) else (x, y) for i, (x, y) in enumerate(claw))),
                "#ee5138")
        c.shape(ribbon(to((9, 50), (10, 36)), 4), "#ee5138", line=2.4)
        c.shape(circle(50 + side * 10, 34, 6.4), WHITE, line=2.4, relief=0.4)
        eye(c, 50 + side * 9, 34.5, 3.4)
    c.shape(spline((50, 46), (74, 50), (82, 64), (68, 82), (50, 86), (32, 82), (18, 64), (26, 50)), "#f8674a")
    c.stroke(arc(50, 62, 13, 35, 145), 2.6)
    c.shine(ellipse(34, 56, 6, 3, -25), 0.5)


def octopus(c: Canvas) -> None:
    """An octopus, seven arms in view."""
    arms = [
        curve(*((50 + s * x, y) for x, y in line))
        for s in (1, -1)
        for line in (
            ((16, 56), (30, 66), (38, 60), (42, 48)),
            ((14, 60), (26, 78), (36, 82), (43, 76)),
            ((8, 62), (14, 82), (20, 92), (30, 92)),
        )
    ]
    c.shape([ribbon(arm, 13, 9, 6) for arm in arms] + [ribbon(curve((50, 62), (50, 80), (50, 92)), 12,
                                                              7)], "#a45bd6")
    head = mirrored((50, 5), (72, 12), (79, 34), (70, 54), (68, 66), (50, 70))
    c.shape(head, "#b76ee6")
    c.shape(mirrored((50, 52), (62, 54), (62, 70), (50, 74)), "#b76ee6", line=0, relief=0)
    for side in (1, -1):
        c.shape(circle(50 + side * 12, 40, 8.4), WHITE, line=2.2, relief=0.4)
        eye(c, 50 + side * 10.5, 41, 4.6)
    c.stroke(arc(50, 53, 6, 20, 160), 2.4)
    c.shine(ellipse(35, 20, 7, 4, -40))


def penguin(c: Canvas) -> None:
    """A penguin, flippers out."""
    for side in (1, -1):
        foot = [(50 + side * x, y) for x, y in ((4, 90), (12, 84), (28, 90), (26, 95), (8, 95))]
        c.shape(spline(*foot), "#ff9d2a", line=2.6)
        flipper = [(50 + side * x, y) for x, y in ((22, 40), (36, 52), (42, 72), (30, 68), (24, 60))]
        c.shape(spline(*((x, y, 0) if i == 2 else (x, y) for i, (x, y) in enumerate(flipper))), "#2c3e63")
    c.shape(mirrored((50, 5), (68, 12), (71, 34), (79, 62), (70, 86), (50, 91)), "#35496f")
    c.shape(mirrored((50, 26), (56, 20), (66, 24), (66, 36), (71, 60), (64, 82), (50, 87)), WHITE, line=0,
            relief=0.6)
    for x in (41, 59):
        eye(c, x, 30, 3.8)
    c.shape(mirrored((50, 33), (58, 37), (50, 44)), "#ff9d2a", line=2)
    c.shine(ellipse(37, 14, 6, 2.6, -35), 0.35)


def shell(c: Canvas) -> None:
    """A scallop."""
    c.shape([(34, 80), (66, 80), (72, 93), (28, 93)], "#f08a76")
    knots: list[tuple[float, ...]] = [(56, 86, 0), (44, 86, 0)]
    for i in range(8):
        knots.append((*rotated([(92, 54)], 155 + i * 32.8, 50, 54)[0], 0))
        if i < 7:
            knots.append(rotated([(96, 54)], 155 + (i + 0.5) * 32.8, 50, 54)[0])
    fan = [(x, 6 + (y - 8) * 0.93) for x, y in spline(*knots)]
    c.shape(fan, "#ffad94")
    for i in range(1, 7):
        x, y = rotated([(91, 54)], 155 + i * 32.8, 50, 54)[0]
        c.stroke([(50 + (x - 50) * 0.1, 84), (x, 6 + (y - 8) * 0.93)], 2.4, "#c9573f", inside=fan)
    c.shine(ellipse(24, 34, 4, 9, 35), 0.5)


def snail(c: Canvas) -> None:
    """A snail creeping to the left."""
    c.shape(ribbon(curve((17, 46), (14, 36), (9, 28)), 4), "#f3cf8f", line=2.6)
    c.shape(ribbon(curve((23, 44), (25, 34), (30, 27)), 4), "#f3cf8f", line=2.6)
    c.shape(spline((8, 56), (18, 42), (31, 48), (36, 70), (60, 80), (82, 80), (96, 90, 0), (60, 93),
                   (28, 92), (14, 78)), "#f3cf8f")
    c.shape(circle(61, 48, 32), "#c8653b")
    turns = [(61 + (27 - i * 0.42) * x, 48 + (27 - i * 0.42) * y) for i, (x, y) in
             enumerate((p[0], p[1]) for p in arc(0, 0, 1, 60, 360 * 60 / 72 + 60))]
    spiral = curve(*(turns[::4]))
    c.stroke(spiral, 4, "#7b3018")
    eye(c, 18, 57, 3)
    c.stroke(arc(17, 64, 5, 20, 130), 2)
    c.shine(ellipse(44, 30, 7, 3.4, -45), 0.5)


def duck(c: Canvas) -> None:
    """A rubber duck, swimming to the left."""
    c.shape(spline((4, 36, 0), (14, 30), (26, 34), (26, 44), (14, 46)), "#ff8a1f")
    c.shape(spline((24, 56), (46, 58), (62, 56), (82, 46, 0), (94, 58), (90, 80), (70, 93), (40, 93),
                   (18, 82), (14, 66)), "#ffd334")
    c.shape(spline((38, 6), (58, 14), (60, 36), (54, 52), (36, 56), (22, 46), (19, 26)), "#ffd334")
    c.shape(spline((28, 54), (44, 48), (57, 48), (58, 62), (40, 66)), "#ffd334", line=0, relief=0)
    c.shape(spline((44, 66, 0), (62, 62), (80, 62, 0), (78, 76), (64, 82), (50, 78)), "#f7b61c", line=2.4)
    eye(c, 31, 27, 5)
    c.shine(ellipse(48, 18, 6, 3, 40), 0.6)


def rabbit(c: Canvas) -> None:
    """A rabbit's head."""
    ear = spline((36, 44), (24, 26), (26, 8), (36, 5), (44, 18), (48, 42))
    inner = spline((38, 40), (31, 26), (32, 14), (37, 14), (41, 24), (43, 38))
    for path, colour, line in ((ear, "#c7b6ad", 3.0), (inner, "#ffacc0", 0)):
        c.shape(path, colour, line=line)
        c.shape(flipped(path), colour, line=line)
    c.shape(mirrored((50, 36), (72, 42), (83, 64), (74, 86), (50, 94)), "#d8c8bf")
    for side in (1, -1):
        eye(c, 50 + side * 15, 60, 5)
        c.shape(circle(50 + side * 7, 77, 8), "#fff6ee", line=0, relief=0.3)
        c.stroke([(50 + side * 17, 74), (50 + side * 38, 70)], 1.7)
        c.stroke([(50 + side * 17, 79), (50 + side * 37, 82)], 1.7)
        c.dot(50 + side * 24, 70, 4.5, "#ffb9c6")
    c.shape([(46, 84), (54, 84), (53, 92), (47, 92)], WHITE, line=1.6, relief=0)
    c.shape(mirrored((50, 68), (56, 69), (50, 76)), "#e4577a", line=0)


def elephant(c: Canvas) -> None:
    """An elephant in profile, trunk raised."""
    tail = curve((92, 46), (96, 58), (94, 66))
    c.stroke(tail, 5)
    for x in (46, 76):
        c.shape([(x, 60), (x + 15, 60), (x + 15, 92), (x, 92)], "#6d84a8")
    c.shape(spline((34, 34), (60, 26), (84, 32), (93, 54), (90, 92, 0), (74, 92, 0), (71, 76), (58, 76),
                   (56, 92, 0), (39, 92, 0),
                   (34, 66)), "#8ba4c9")
    trunk = curve((26, 44), (14, 58), (13, 74), (22, 80), (27, 72))
    c.shape(ribbon(trunk, 17, 11, 7), "#8ba4c9")
    c.shape(circle(34, 38, 19), "#8ba4c9")
    c.shape(spline((18, 44), (28, 40), (34, 50), (26, 60), (14, 60)), "#8ba4c9", line=0, relief=0)
    c.shape(spline((24, 60, 0), (30, 68), (38, 66, 0), (34, 60), (32, 54)), WHITE, line=2.2)
    c.shape(spline((40, 26), (58, 20), (66, 36), (58, 56), (46, 56), (40, 42)), "#a9bfdf", line=2.6)
    eye(c, 27, 36, 3.4)


def bee(c: Canvas) -> None:
    """A bee flying to the left."""
    for path in (ellipse(45, 24, 12, 20, -24), ellipse(68, 22, 12, 19, 20)):
        c.shape(path, "#cfeefc")
    body = spline((12, 58), (20, 42), (44, 38), (72, 42), (86, 56), (95, 62, 0), (86, 70), (70, 84),
                  (40, 86), (18, 76))
    c.shape(body, "#ffc92e")
    for x in (46, 63, 80):
        c.shape([(x, 30), (x + 8, 30), (x + 4, 62), (x + 8, 92), (x, 92), (x - 4, 62)], "#4a3038", line=0,
                inside=body, relief=0.4)
    for points in (((20, 46), (14, 34), (6, 32)), ((27, 42), (26, 30), (20, 24))):
        c.stroke(curve(*points), 2.8)
    eye(c, 23, 57, 4)
    c.stroke(arc(24, 66, 6, 20, 130), 2.2)


def seahorse(c: Canvas) -> None:
    """A seahorse, tail curled."""
    fin = spline((66, 42, 0), (84, 40), (92, 54), (84, 64, 0), (74, 64), (66, 60))
    c.shape(fin, "#ffd35c")
    body = curve((50, 24), (60, 38), (60, 56), (48, 70), (44, 82), (54, 91), (64, 86), (60, 79))
    c.shape([ribbon(body, 20, 25, 28, 19, 12, 8, 5)], "#2fb3a5")
    for path in ([(48, 6), (56, 16), (40, 17)], [(60, 10), (66, 22), (54, 18)], [(68, 21), (71, 33),
                                                                                 (62, 30)]):
        c.shape(path, "#ffd35c", line=2.6)
    c.shape([circle(50, 24, 13), ribbon([(44, 28), (20, 33)], 11, 9)], "#2fb3a5")
    c.shape(spline((48, 30), (60, 28), (66, 44), (50, 46)), "#2fb3a5", line=0, relief=0)
    for y, x in ((42, 49), (51, 49), (60, 45), (69, 40)):
        c.stroke(curve((x, y), (x + 6, y + 3), (x + 12, y + 3)), 2.2, "#17736d")
    eye(c, 48, 22, 3.8)
