"""The pictures of `docs/difficulty.md`, from two levels of the template library: `python docs/pictures/difficulty.py`.

Everything drawn is asked from `levelgen.rate`, the same way a record's figures are.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from levelgen.board import Board, Deal, tiles_of
from levelgen.deal import Dealt, Stuck, deal_faces
from levelgen.rate import proofs, rate, structure
from levelgen.rate.panel import ABOVE, BELOW, CASUAL, NEAR, PANEL, table
from levelgen.rules import RULESETS, neighbours
from levelgen.solve.fast import prove
from levelgen.solve.kernel.bots import BOTS, Player
from levelgen.template import read_library
from levelgen.trial import uniform_deal, whole_groups

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(__file__).resolve().parent / "difficulty"
LIBRARY = read_library(ROOT / "templates" / "shapes")
INK, FAINT, GOOD, BAD, OPEN = "#2a2f36", "#c9c6ba", "#1f6f4a", "#c2452d", "#7aa3c8"
TONES = ("#7aa3c8", "#e0a84a", "#1f6f4a", "#8a5aa5", "#c2452d")
GAMES = 400


class Drawing:
    """An SVG drawing in whole numbers."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.size = (width, height)
        self.parts = [f"<title>{title}</title>", f'<rect width="{width}" height="{height}" fill="#fbfaf6"/>']
        self.word(16, 24, title, bold=True)

    def box(self, x: int, y: int, width: int, height: int, fill: str, line: str = "none") -> None:
        """A filled rectangle."""
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{line}"/>')

    def line(self, points: Iterable[tuple[int, int]], colour: str = INK) -> None:
        """Straight pieces from point to point."""
        path = " ".join(f"{x},{y}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def dot(self, x: int, y: int, colour: str) -> None:
        """A spot."""
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>')

    def word(self, x: int, y: int, text: str, *, bold: bool = False, end: bool = False) -> None:
        """A line of text, from `x` on or up to it."""
        weight, anchor = ("bold" if bold else "normal"), ("end" if end else "start")
        self.parts.append(f'<text x="{x}" y="{y}" font-family="sans-serif" font-size="13" font-weight="{weight}" '
                          f'text-anchor="{anchor}" fill="{INK}">{text}</text>')  # fmt: skip

    def save(self, name: str) -> None:
        """Write `OUT/NAME.svg`."""
        width, height = self.size
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">'
        OUT.mkdir(exist_ok=True)
        (OUT / f"{name}.svg").write_text("\n".join([head, *self.parts, "</svg>", ""]), encoding="utf-8")


def built(template: str, game: str, faces: int, seed: str, face_down: int = 0) -> Dealt:
    """A level built backwards on a template."""
    rules = RULESETS[game]
    layout = whole_groups(LIBRARY[template], LIBRARY, rules.group, seed)
    board, names = Board.compile(layout, rules), [f"F{number:02}" for number in range(faces)]
    for attempt in range(100):
        try:
            return deal_faces(board, names, seed, attempt=attempt, face_down=face_down)
        except Stuck:
            continue
    raise SystemExit(f"{template} with seed {seed} cannot be dealt")


def by_chance(template: str, game: str, faces: int, face_down: int = 0) -> Deal:
    """The first level dealt at random on a template that can be won."""
    rules = RULESETS[game]
    layout = whole_groups(LIBRARY[template], LIBRARY, rules.group, "1")
    deals = (uniform_deal(layout, rules, faces, face_down, str(seed)) for seed in range(1, 200))
    return next(deal for deal in deals if prove(deal, 200_000).verdict == "solved")


def draw_number() -> None:
    """Six levels, and what each player adds to the number."""
    levels = [("pairs, built", built("pagoda", "pairs", 12, "1").deal),
              ("pairs, more faces", built("pagoda", "pairs", 30, "2").deal),
              ("pairs, dealt at random", by_chance("pagoda", "pairs", 19)),
              ("triples, built", built("heap-block", "triples", 8, "1").deal),
              ("triples, more faces", built("heap-block", "triples", 14, "2").deal),
              ("triples, dealt at random", by_chance("heap-block", "triples", 14))]  # fmt: skip
    picture = Drawing(720, 60 + 34 * len(levels), "The number, and what each player's failure adds to it")
    for row, (name, deal) in enumerate(levels):
        rating = rate(deal, (), "docs")
        x, y = 190, 46 + 34 * row
        picture.word(16, y + 16, name)
        for tone, share in zip(TONES, rating.shares.values(), strict=False):
            picture.box(x, y, share * 45 // 100, 22, tone)
            x += share * 45 // 100
        picture.word(x + 8, y + 16, str(rating.number), bold=True)
    for place, (tone, name) in enumerate(zip(TONES, rating.shares, strict=False)):
        picture.box(190 + 110 * place, 44 + 34 * len(levels), 12, 12, tone)
        picture.word(208 + 110 * place, 55 + 34 * len(levels), name)
    picture.save("number")


def draw_games(deal: Deal) -> None:
    """How many tiles were left at the end of each game, best first."""
    tiles = len(deal.faces)
    left = sorted(game.left for game in table(deal).games(CASUAL.player, 1, GAMES))
    near = max(tiles // NEAR, 2 * deal.board.ruleset.group)
    picture = Drawing(720, 270, f"{GAMES} games of the casual player: tiles left at the end, best game first")
    for place in range(0, GAMES, 4):
        count = left[place]
        height = 180 * count // tiles
        colour = GOOD if not count else "#e0a84a" if count <= near else BAD
        picture.box(60 + place * 3 // 2, 230 - max(height, 3), 5, max(height, 3), colour)
    picture.line([(60, 230 - 180 * near // tiles), (660, 230 - 180 * near // tiles)], FAINT)
    picture.word(664, 234 - 180 * near // tiles, "near")
    picture.line([(60, 240), (60 + 60, 240)], INK)
    picture.word(60, 258, "the best tenth")
    picture.word(180, 258, "green: won (win) · yellow: near misses (near) · red: other losses")
    picture.save("games")


def draw_trays(deal: Deal) -> None:
    """The share of games lost with each tray."""
    trays = range(deal.board.ruleset.tray - BELOW, deal.board.ruleset.tray + ABOVE + 1)
    picture = Drawing(720, 280, "The same games with smaller and larger trays: failure is the mean height")
    picture.line([(60, 40), (60, 240), (680, 240)])
    for tone, seat in zip(TONES, PANEL[:2], strict=False):
        needs = [game.need for game in table(deal).games(seat.player, 1, GAMES)]
        shares = [sum(need > tray for need in needs) for tray in trays]
        points = [(90 + 55 * place, 240 - 190 * share // GAMES) for place, share in enumerate(shares)]
        picture.line(points, tone)
        for point in points:
            picture.dot(*point, tone)
        failure = 1000 * sum(shares) // (GAMES * len(trays))
        picture.word(560, 64 + 20 * TONES.index(tone), f"{seat.name}: failure {failure}")
        picture.box(540, 53 + 20 * TONES.index(tone), 12, 12, tone)
    for place, tray in enumerate(trays):
        picture.word(86 + 55 * place, 258, str(tray), bold=tray == deal.board.ruleset.tray)
    picture.word(16, 274, "slots of the tray; bold: the level's own. Height: share of games lost.")
    picture.save("trays")


def draw_bots(deal: Deal) -> None:
    """Tiles left by each bot, in both minds, with and without mistakes."""
    picture = Drawing(720, 300, "Mean share of tiles left by the five bots on one level")
    dealt, tiles = table(deal), len(deal.faces)
    minds = ((False, 0, "sees what a player sees"), (True, 0, "sees everything"), (False, 200, "200 mistakes in 1000"))
    for row, bot in enumerate(BOTS):
        picture.word(16, 68 + 44 * row, bot)
        for place, (sees, mistakes, _) in enumerate(minds):
            games = dealt.games(Player(bot, sees, mistakes), 1, GAMES // 4)
            share = sum(game.left for game in games) * 520 // (tiles * len(games))
            picture.box(110, 48 + 44 * row + 12 * place, max(share, 2), 10, TONES[place])
    for place, (_, _, words) in enumerate(minds):
        picture.box(110 + 200 * place, 276, 12, 12, TONES[place])
        picture.word(128 + 200 * place, 287, words)
    picture.save("bots")


def draw_way_out(dealt: Dealt) -> None:
    """Tray and choices along the way out."""
    deal = dealt.deal
    tray = deal.board.ruleset.tray
    walked = structure.way_out(deal, table(deal), dealt.solution)
    step = 640 // len(walked.load)
    picture = Drawing(720, 300, "Along the way out: the tray (bars), the moves to choose from (line)")
    for place, (load, safe) in enumerate(zip(walked.load, walked.safe, strict=True)):
        height = 90 * load // tray
        picture.box(50 + step * place, 280 - height, step - 2, height, BAD if safe == 1 else OPEN)
    picture.line([(50, 190), (690, 190)], FAINT)
    picture.word(16, 194, f"{tray}")
    most = max(walked.accepted)
    heights = [175 - 110 * found // most for found in walked.accepted]
    picture.line([(50 + step * place + step // 2, height) for place, height in enumerate(heights)])
    picture.word(16, 64, f"{most}")
    picture.word(50, 48, "red: forced · mean of the bars: pressure · highest bar: peak · mean of the line: branching")
    picture.save("way-out")


def draw_sight(deal: Deal) -> None:
    """What shows at the start, and where the bottleneck is."""
    dealt = table(deal)
    depths, by_face = dealt.depths(), {}
    for tile, depth in enumerate(depths):
        by_face.setdefault(deal.faces[tile], []).append((depth, tile))
    group = deal.board.ruleset.group
    depth, worst = max(sorted(found)[group - 1] for found in by_face.values())
    above, remaining = neighbours(deal.board.layout).above, deal.start.remaining
    opened = deal.board.open_tiles(remaining)
    slots = deal.board.layout.slots
    left, top = min(slot.x for slot in slots) - 1, min(slot.y for slot in slots) - 1
    height = 20 * (max(slot.y for slot in slots) - top + 2)
    picture = Drawing(720, height + 110, "What shows at the start, seen from above")
    for tile, slot in enumerate(slots):
        shows = not deal.start.hidden >> tile & 1 and (tile in opened or not above[tile] & remaining)
        fill = "#ffffff" if shows else "#d9d6cc"
        if tile == worst:
            fill = BAD
        elif above[worst] >> tile & 1:
            fill = "#e8b4a8"
        picture.box(20 + 20 * (slot.x - left) + 4 * slot.z, 50 + 20 * (slot.y - top) - 4 * slot.z, 38, 38, fill, INK)
        if tile in opened:
            picture.box(
                30 + 20 * (slot.x - left) + 4 * slot.z, 60 + 20 * (slot.y - top) - 4 * slot.z, 18, 18, "none", GOOD
            )
    picture.word(16, height + 70, "white: the face shows · grey: it does not (unseen) · green frame: open")
    picture.word(16, height + 92, f"red: the bottleneck, under what covers it; {depth} tiles, light red, go before it")
    picture.save("sight")


def draw_dead(deal: Deal) -> None:
    """The sampled positions and what the solver says of each."""
    dealt = table(deal)
    colours = {"solved": GOOD, "unsolvable": BAD, "undecided": FAINT}
    picture = Drawing(720, 60 + 24 * proofs.SAMPLES, "Positions sampled from games: one a game, later and later")
    for row, position in enumerate(proofs.sampled(deal, dealt, CASUAL.player, "docs")):
        removed = tuple(tile for tile in range(len(deal.faces)) if not position.remaining >> tile & 1)
        rest = Deal(deal.board, deal.faces, tiles_of(position.hidden), position.tray, removed)
        y, number = 50 + 24 * row, len(removed) * 560 // len(deal.faces)
        picture.line([(60, y), (620, y)], "#e6e3d8")
        picture.dot(60 + number, y, colours[prove(rest, 200_000).verdict])
    picture.word(
        60, 54 + 24 * proofs.SAMPLES, "left: the start, right: the board empty · green: can be won · red: proved lost"
    )
    picture.save("dead")


def main() -> None:
    """Draw all of them."""
    heap, crowd = built("heap-block", "triples", 12, "3"), by_chance("turtle", "pairs", 23, 4)
    draw_number()
    draw_games(by_chance("turtle", "pairs", 15, 4))
    draw_trays(heap.deal)
    draw_bots(by_chance("heap-block", "triples", 14))
    draw_way_out(heap)
    draw_sight(heap.deal)
    draw_dead(crowd)


if __name__ == "__main__":
    main()
