// The levels of the page, and what is known of each.

const FIGURE_NAMES = {
  rating: "difficulty", target: "target", seconds: "play time", hidden: "face-down tiles",
  open: "open tiles at the start", moves: "moves at the start", faces: "different faces",
};

const figureName = (key) => FIGURE_NAMES[key] ?? key.replaceAll("_", " ");
const titleOf = (face) => DATA.faces[face]?.title ?? face;

/** Numbers before other words, numbers by their size. */
const naturally = new Intl.Collator("en", { numeric: true }).compare;

/** A board of the page with everything the shelf asks of it. */
class Level {
  #deal = null;
  #context = null;

  constructor({ name, board, moves, claims, story, rejected, draft }, index) {
    Object.assign(this, { index, name, board, claims, draft: Boolean(draft), rejected: rejected ?? "", story: story ?? [] });
    this.moves = moves === undefined ? null : moves.split(" ").filter(Boolean).map(law.decodeMove);
    this.number = board.level ?? index + 1;
    this.key = String(this.number);
    this.title = board.level === undefined ? name : `Level ${board.level}`;
    this.ruleset = board.ruleset.id;
    this.slots = board.slots;
    this.layers = layersOf(board.slots);
    this.templates = board.templates ?? [];
    this.figures = { ...(board.difficulty ?? {}) };
    this.figures.tiles ??= board.slots.length;
    this.figures.layers ??= this.layers;
    if (claims.par) this.figures.par = claims.par.value;
    this.hidden = board.face_down.length;
    this.guessFree = !this.hidden ? "nothing face down" : (claims.guess_free?.value ?? "unknown");
    const down = new Set(board.face_down);
    const shown = new Set(board.faces.filter((_, tile) => !down.has(tile)));
    this.words = [this.key, this.title, name, board.seed ?? "", ...this.templates, ...shown, ...[...shown].map(titleOf)]
      .join(" ").toLowerCase();
  }

  get deal() {
    this.#deal ??= law.dealOf(this.board);
    return this.#deal;
  }

  /** What tools a player has here, as a server would say by the record alone. */
  get context() {
    const tools = new Map(Object.entries(this.board.tools ?? {}));
    const ruleset = this.deal.board.ruleset;
    this.#context ??= law.contextOf({ ruleset, tools, level: this.board.level ?? 1 });
    return this.#context;
  }

  /** The positions of the certificate from the first to the last. */
  get line() {
    const positions = [this.deal.start];
    for (const move of this.moves ?? []) positions.push(positions.at(-1).after(move));
    return positions;
  }

  /** The pack and the number a log begins with; a board file has a name of its own. */
  get logged() {
    const [, pack, number] = /^([a-z0-9][a-z0-9._-]{0,63})#([1-9][0-9]{0,8})$/.exec(this.name) ?? [];
    return pack ? { pack, level: Number(number) } : { pack: "board", level: this.number };
  }
}

const LEVELS = DATA.levels.map((entry, index) => new Level(entry, index));
const BY_KEY = new Map(LEVELS.map((level) => [level.key, level]));

/** What a designer asks for first; the others are what the rating was made from. */
const MAIN = ["rating", "target", "seconds", "tiles", "layers", "par", "faces", "hidden", "open", "moves"];

/** Every figure that any level has: those that matter most first. */
const FIGURES = (() => {
  const known = new Set(LEVELS.flatMap((level) => Object.keys(level.figures)));
  return [...MAIN.filter((key) => known.has(key)), ...[...known].filter((key) => !MAIN.includes(key)).sort()];
})();

/** The figures as choices, the main ones before the others. */
function figureOptions(without = []) {
  const keys = FIGURES.filter((key) => !without.includes(key));
  const group = (label, of) => (of.length ? [el("optgroup", { label }, ...of.map((key) => option(key, figureName(key))))] : []);
  const others = keys.filter((key) => !MAIN.includes(key));
  return [...keys.filter((key) => MAIN.includes(key)).map((key) => option(key, figureName(key))), ...group("all figures", others)];
}

/** Whether a level is as near to its target as its recipe wants it. */
const isNear = ({ figures }) => Math.abs(figures.rating - figures.target) <= (figures.tolerance ?? 30);
