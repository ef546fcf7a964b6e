"""The sixteen pictures of Tile Match, in the order of the rules: easy levels deal the first eight.

Their outlines differ as much as their colours: a player who sees no colours, or plays on a phone in the sun,
must tell them apart. Sun and moon are those of Nepal's flag.
"""

from __future__ import annotations

from artwork.brush import (
    INK,
    WHITE,
    Canvas,
    Picture,
    arc,
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
    star,
)

# A curve reads along its knots: lines are filled by hand here.
# fmt: off

CRIMSON = "#dc2546"
GOLD = "#ffc233"


def sun(c: Canvas) -> None:
    """The flag's sun: twelve triangular rays."""
    c.shape(star(12, 50, 50, 46, 29), GOLD)
    c.shape(circle(50, 50, 21), "#ff9d1f", line=2)
    c.shine(ellipse(43, 42, 8, 5, -40), 0.6)


def moon(c: Canvas) -> None:
    """The flag's moon: a lying crescent from which the upper half of a rayed disc rises."""
    c.shape(star(16, 50, 45, 34, 23), "#fdf3c4")
    c.shape(circle(50, 45, 16.5), "#f6dd86", line=0, relief=0.7)
    crescent = arc(50, 46, 45, 2, 178) + arc(50, 26, 49.2, 156, 24)
    c.shape(crescent, "#9db7f2")
    c.shine(ribbon(arc(50, 43, 42, 100, 150), 0.8, 3.4, 0.8), 0.7)


def pipal_leaf(c: Canvas) -> None:
    """A heart-shaped leaf with the long drip tip of Ficus religiosa."""
    c.shape(ribbon(curve((50, 26), (51, 14), (58, 6)), 3, 4.5), "#8a5a2b")
    leaf = mirrored((50, 26, 0), (62, 18), (82, 24), (89, 44), (76, 64), (58, 74), (52, 85), (50, 95, 0))
    c.shape(leaf, "#46b04a")
    c.stroke(curve((50, 28), (50, 60), (50, 88)), 2.4, "#1f7436")
    for y, dx, dy in ((38, 26, -8), (50, 27, -7), (62, 18, -5)):
        for side in (1, -1):
            c.stroke(curve((50, y + 4), (50 + side * dx / 2, y + dy / 2), (50 + side * dx, y + dy)), 1.8,
                     "#1f7436")
    c.shine(ellipse(30, 34, 9, 4, -50), 0.4)


def kite(c: Canvas) -> None:
    """A Dashain kite: square paper on its corner, bowed spar, tail with bows."""
    tail = curve((45, 62), (34, 72), (46, 82), (32, 92), (16, 88))
    c.stroke(tail, 5.4)
    c.stroke(tail, 1.8, WHITE)
    for x, y, turn in ((38, 73.5, 60), (39, 87, -30), (19, 89, 30)):
        bow = [(x, y), (x - 6.5, y - 4.5), (x - 6.5, y + 4.5), (x, y), (x + 6.5, y - 4.5), (x + 6.5, y + 4.5)]
        c.shape(rotated(bow, turn, x, y), GOLD, line=2.4, relief=0.5)
    top, right, bottom, left = (66.0, 5.0), (95.0, 40.0), (52.0, 64.0), (27.0, 24.0)
    sheet = [top, right, bottom, left]
    centre = (60.0, 34.0)
    c.shape(sheet, CRIMSON)
    c.shape([top, right, centre], "#2f7fe0", line=0, relief=0.6)
    c.shape([left, bottom, centre], "#2f7fe0", line=0, relief=0.6)
    c.stroke([top, bottom], 2.2)
    c.stroke(curve(left, (62, 25), right), 2.2)


def mountains(c: Canvas) -> None:
    """A Himalayan peak before two others, snow on all."""
    c.shape([(4, 84), (26, 42), (46, 84)], "#7c8fc4")
    c.shape([(26, 42), (33, 55.5), (28, 53), (24, 58), (19.5, 54.5)], WHITE, line=0, relief=0.4)
    c.shape([(56, 84), (78, 36), (95, 84)], "#7c8fc4")
    c.shape([(79, 36), (86, 54.5), (81, 51), (77, 57), (71, 53)], WHITE, line=0, relief=0.4)
    c.shape([(14, 87), (51, 12), (58, 22), (88, 87)], "#4b63a8")
    c.shape([(51, 12), (58, 22), (88, 87), (60, 87), (52, 55)], "#3a4d8c", line=0, relief=0.5)
    c.shape([(51, 12), (58, 22), (71, 50), (63, 45), (57, 54), (50, 44), (42, 52), (33, 48.5)], WHITE, line=2)


def rhododendron(c: Canvas) -> None:
    """Nepal's flower: five wide petals, long stamens, and the whorl of leaves it sits on."""
    leaf = spline((50, 50, 0), (41, 70), (42, 86), (50, 95, 0), (58, 86), (59, 70))
    for turn in (-58, 0, 58):
        c.shape(rotated(leaf, turn, 50, 46), "#3c9a48")
        c.stroke(rotated([(50, 60), (50, 88)], turn, 50, 46), 1.8, "#1f7436")
    petal = spline((50, 46, 0), (36, 30), (33, 14), (42, 6), (50, 10), (58, 6), (67, 14), (64, 30))
    for turn in (144, -144, 72, -72, 0):
        c.shape(rotated(petal, turn, 50, 46), "#e8365d")
    for turn in (0, 72, 144, 216, 288):
        c.stroke(rotated([(50, 38), (50, 26)], turn, 50, 46), 2, "#a3123d")
    c.shape(circle(50, 46, 7), "#ffd9a0", line=0, relief=0.6)
    for turn in (-36, 36, 108, 180, 252):
        c.stroke(rotated([(50, 46), (50, 31)], turn, 50, 46), 1.6, WHITE)
        x, y = rotated([(50, 29)], turn, 50, 46)[0]
        c.dot(x, y, 2.4, GOLD)


def diyo(c: Canvas) -> None:
    """A clay lamp with its spout, and a flame."""
    c.shape(spline((67, 7, 0), (77, 24), (82, 38), (76, 49), (66, 52), (56, 49), (53, 38), (60, 26)),
            "#ff8a1c")
    c.shape(spline((67, 22, 0), (73, 36), (72, 46), (66, 49), (60, 45), (60, 36)), "#ffe27a", line=0,
            relief=0.5)
    bowl = spline((5, 58, 0), (30, 54), (60, 54), (90, 49, 0), (95, 55), (84, 72), (62, 82), (34, 82),
                  (13, 72))
    c.shape([bowl, box(33, 78, 65, 92, 3)], "#c2603a")
    c.shape(spline((11, 60), (34, 57), (62, 57), (84, 54), (72, 64), (46, 67), (22, 66)), "#7d3420",
            line=0, relief=0.4)
    for x, y in ((28, 75), (40, 77.5), (52, 77.5), (64, 75)):
        c.dot(x, y, 2.3, "#ffd08a")


def tea(c: Canvas) -> None:
    """A cup of tea on its saucer, steaming."""
    for x in (32, 50):
        c.stroke(curve((x, 32), (x - 5, 25), (x + 3, 18), (x - 1, 9)), 7)
        c.stroke(curve((x, 32), (x - 5, 25), (x + 3, 18), (x - 1, 9)), 3, "#dfe9f5")
    c.shape(ellipse(45, 86, 41, 8), "#5fb3d9")
    c.shape(ellipse(77, 58, 17, 15), "#f6f1e6", cut=ellipse(78, 58, 10, 8))
    cup = spline((13, 42, 0), (45, 40), (78, 42, 0), (77, 60), (66, 78), (56, 85), (34, 85), (24, 78),
                 (14, 60))
    c.shape(cup, "#f6f1e6")
    c.shape(ellipse(45.5, 43, 31, 6.5), "#b5672e", line=2)
    c.shape([box(5, 60, 90, 67)], CRIMSON, line=0, inside=cup, relief=0.7)
    c.shine(ellipse(24, 58, 2.5, 9, 8), 0.7)


def bell(c: Canvas) -> None:
    """A temple bell on its hook."""
    c.shape(circle(50, 14, 9), "#a86a18", cut=circle(50, 14, 4))
    c.shape(circle(50, 86, 9), "#a86a18")
    body = mirrored((50, 20), (62, 23), (70, 36), (73, 54), (80, 68), (88, 76, 0), (86, 81), (50, 83))
    c.shape(body, GOLD)
    c.shape(spline((8, 74, 0), (50, 70), (92, 74, 0), (92, 81), (50, 84), (8, 81)), "#e89a1d", line=2.4)
    c.shape(box(20, 44, 80, 50), "#e89a1d", line=0, inside=body, relief=0.6)
    c.shine(ellipse(38, 40, 3.5, 13, 10), 0.65)


def drop(c: Canvas) -> None:
    """A drop of water."""
    c.shape(mirrored((50, 4, 0), (58, 24), (73, 46), (80, 66), (71, 87), (50, 96)), "#36a5ee")
    c.shine(spline((31, 62), (35, 76), (46, 85), (36, 82), (28, 72)), 0.75)
    c.shine(ellipse(43, 42, 3, 10, 25), 0.6)


def marigold(c: Canvas) -> None:
    """A marigold: close rings of frilled petals on a stem with two leaves."""
    c.shape(ribbon(curve((50, 56), (53, 76), (49, 93)), 6), "#3c9a48")
    leaf = spline((50, 90, 0), (56, 74), (70, 63), (90, 60, 0), (86, 76), (70, 90))
    for path in (leaf, flipped(moved(leaf, 0, 2))):
        c.shape(path, "#3c9a48")
        middle = curve((54, 86), (68, 76), (82, 66)) if path is leaf else flipped(curve((54, 88),
                                                                                        (68, 78), (82, 68)))
        c.stroke(middle, 2, "#1f7436")
    for petals, reach, r, colour in ((11, 23.5, 7.6, "#ff8f14"), (9, 15.5, 6.8, "#ffa826"),
                                     (6, 8, 5.6, "#ffc233")):
        for path in ring_of(circle(50, 35 - reach, r), petals, 50, 35):
            c.shape(path, colour, line=2 if reach < 20 else 3, relief=0.8)
    c.shape(circle(50, 35, 4.6), "#c9630e", line=0)


def star_picture(c: Canvas) -> None:
    """A five-pointed star, faceted."""
    outline = star(5, 50, 53, 48, 21.5)
    c.shape(outline, "#ffd23e")
    for i in range(5):
        tip, hollow = outline[2 * i], outline[2 * i + 1]
        c.shape([(50, 53), tip, hollow], "#f0a020", line=0, relief=0)
    c.shine(ellipse(44, 30, 2, 8, 18), 0.7)


def chilli(c: Canvas) -> None:
    """A red chilli pepper, tip curled."""
    pod = spline((66, 23), (82, 30), (85, 46), (74, 66), (52, 82), (28, 90), (8, 85, 0), (30, 77),
                 (44, 62), (50, 42),
                 (54, 28))
    c.shape(ribbon(curve((73, 24), (73, 15), (81, 8)), 7, 5, 6), "#3c9a48")
    c.shape(pod, "#e3262e")
    c.shape(spline((72, 17), (86, 22), (90, 36, 0), (80, 32), (74, 40, 0), (67, 31), (53, 33, 0),
                   (58, 20)), "#46b04a")
    c.shine(ribbon(curve((58, 44), (54, 60), (42, 74)), 2, 4, 1.5), 0.6)


def madal(c: Canvas) -> None:
    """A madal: the two-headed hand drum, seen from one end, its cords laced along the barrel."""
    barrel = spline((20, 30, 0), (42, 20), (66, 19), (84, 26, 0), (90, 50), (84, 76, 0), (62, 82),
                    (38, 80), (20, 70, 0))
    barrel = rotated(barrel, -24)
    c.shape(barrel, "#b0562b")
    for a, b in (((24, 27), (44, 82)), ((44, 82), (56, 17)), ((56, 17), (76, 82)), ((36, 22), (32, 77)),
                 ((66, 18), (60, 82))):
        c.stroke(rotated([a, b], -24), 2.2, "#ffe0a3", inside=barrel)
    c.shape(rotated(ellipse(84, 51, 9, 25), -24), "#7d3420")
    c.shape(rotated(ellipse(21, 50, 13, 24), -24), "#7d3420")
    c.shape(rotated(ellipse(21, 50, 9.5, 19.5), -24), "#fff0d2", line=0, relief=0.6)
    c.shape(rotated(ellipse(21, 50, 4.6, 9.5), -24), INK, line=0, relief=0)
    strap = curve((27, 73), (44, 94), (72, 88), (88, 66))
    c.stroke(strap, 8)
    c.stroke(strap, 3.2, CRIMSON)


def umbrella(c: Canvas) -> None:
    """An open umbrella with a crook handle."""
    handle = curve((50, 12), (50, 50), (50, 82), (56, 91), (65, 90), (68, 81))
    c.shape(ribbon(handle, 4.6), "#8a5a2b")
    c.shape(ribbon([(50, 6), (50, 14)], 4), "#8a5a2b")
    canopy = spline((50, 10), (78, 22), (95, 54, 0), (86, 48), (73, 49), (65, 55, 0), (58, 49), (50, 48),
                    (42, 49),
                    (35, 55, 0), (27, 49), (14, 48), (5, 54, 0), (22, 22))
    c.shape(canopy, "#8e4fd0")
    for inner in ((35, 55), (65, 55)):
        side = 1 if inner[0] > 50 else -1
        c.stroke(curve((50, 11), (50 + side * 11, 26), inner), 2.2)
    c.shape(spline((50, 10, 0), (61, 28), (65, 55, 0), (58, 49), (50, 48), (42, 49), (35, 55, 0),
                   (39, 28)), "#ff9fce",
            line=2)
    c.shine(ellipse(25, 30, 3, 9, 40), 0.55)


def fish(c: Canvas) -> None:
    """A goldfish swimming to the left."""
    c.shape(spline((66, 50, 0), (80, 30), (95, 22, 0), (90, 40), (88, 52), (91, 66), (96, 82, 0),
                   (80, 76)), "#ff7a2e")
    c.shape(spline((32, 34, 0), (44, 12), (66, 10, 0), (62, 24), (70, 38, 0)), "#ff7a2e")
    c.shape(spline((40, 68, 0), (44, 84), (58, 90, 0), (58, 78), (62, 66, 0)), "#ff7a2e")
    body = spline((4, 54, 0), (18, 35), (40, 27), (62, 35), (80, 52, 0), (62, 69), (38, 76), (17, 68))
    c.shape(body, "#ff9d33")
    for x in (44, 56):
        c.stroke(arc(x - 9, 52, 11, -55, 55), 2.2, "#d9571a")
    c.stroke(arc(18, 52, 14, -60, 60), 2.6, "#d9571a", inside=body)
    c.dot(19, 47, 5.6, WHITE)
    c.dot(18, 47, 3.1)
    c.shine(ellipse(38, 35, 12, 2.6, -6), 0.55)


NEPAL: dict[str, Picture] = {
    "sun": sun,
    "moon": moon,
    "pipal_leaf": pipal_leaf,
    "kite": kite,
    "mountains": mountains,
    "rhododendron": rhododendron,
    "diyo": diyo,
    "tea": tea,
    "bell": bell,
    "drop": drop,
    "marigold": marigold,
    "star": star_picture,
    "chilli": chilli,
    "madal": madal,
    "umbrella": umbrella,
    "fish": fish,
}
"""Picture by face id, in the set's order."""
