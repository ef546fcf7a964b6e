// One level large: play it, step through its solution, or read why it cannot be won.

const REFUSED = {
  "game-over": "The game is over", "no-tool": "None left", "wrong-game": "Not in this game", "no-such-tile": "No such tile",
  gone: "Gone already", "same-tile": "The same tile", blocked: "Blocked", held: "Held", "face-down": "Face down",
  "face-up": "Face up", "faces-differ": "Different faces", "no-mate": "No mate waits", "tray-full": "The tray is full",
  "nothing-to-undo": "Nothing to undo", "no-winnable-shuffle": "No shuffle",
};

const desk = {
  stage: null,
  level: null,
  modes: {},

  start() {
    this.stage = new Stage();
    this.stage.onTap = (tile) => this.mode?.tap?.(tile);
    this.modes = { play: playing, solution: solving, story: telling };
    $("desk").addEventListener("keydown", (event) => this.key(event));
    this.fillView();
  },

  open(level, mode) {
    const fresh = this.level !== level;
    this.level = level;
    if (fresh) {
      $("desk-title").textContent = level.title;
      const link = (id, other) => {
        if (other) $(id).setAttribute("href", `#${other.key}`);
        else $(id).removeAttribute("href");
        $(id).setAttribute("aria-disabled", String(!other));
      };
      const order = shelf.shown.includes(level) ? shelf.shown : LEVELS;
      link("before", order[order.indexOf(level) - 1]);
      link("after", order[order.indexOf(level) + 1]);
      this.stage.open(level, shelf.looks[level.ruleset]);
      this.peel(level.layers);
      this.fillTabs();
      this.fillFacts();
      for (const each of Object.values(this.modes)) each.open(level);
    }
    this.turn(mode && this.offered().includes(mode) ? mode : (fresh ? this.offered()[0] : this.current));
    if (fresh) $("desk-title").focus({ preventScroll: true });
  },

  offered() {
    if (this.level.story.length) return ["story", "play"];
    return this.level.moves ? ["play", "solution"] : ["play"];
  },

  turn(name) {
    this.mode?.leave?.();
    this.current = name;
    this.mode = this.modes[name];
    for (const each of Object.keys(this.modes)) {
      $(`tab-${each}`).hidden = each !== name;
      const tab = $(`to-${each}`);
      tab?.setAttribute("aria-selected", String(each === name));
      if (tab) tab.tabIndex = each === name ? 0 : -1;
    }
    $("toast").hidden = true;
    this.mode.enter();
  },

  fillTabs() {
    const names = { play: "Play", solution: "Solution", story: "Why not" };
    $("tabs").replaceChildren(
      ...this.offered().map((name) =>
        el("button", { type: "button", role: "tab", id: `to-${name}`, "aria-controls": `tab-${name}`, text: names[name], onclick: () => this.turn(name) })),
    );
    $("tabs").onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      const all = this.offered();
      const next = all[(all.indexOf(this.current) + step + all.length) % all.length];
      this.turn(next);
      $(`to-${next}`).focus();
      event.preventDefault();
      event.stopPropagation();
    };
  },

  // --- looking ---

  fillView() {
    const layers = el("input", { type: "range", id: "peel", min: 1, value: 1, oninput: ({ target }) => this.peel(Number(target.value)) });
    const toggle = (id, text, on, set) =>
      el("label", { class: "toggle" }, el("input", { type: "checkbox", id, checked: on, onchange: ({ target }) => set(target.checked) }), text);
    $("view").append(
      el("h3", { text: "Look" }),
      el("label", { class: "peel" }, el("span", { id: "peel-name", text: "All layers" }), layers),
      el("div", { class: "toggles" },
        toggle("dim", "Show which tiles are open", true, (on) => this.redraw({ dim: on })),
        toggle("names", "Tile numbers", false, (on) => this.redraw({ names: on }))),
    );
  },

  redraw(change) {
    Object.assign(this.stage, change, { states: new Map() });
    this.stage.show(this.stage.position, this.stage.marks);
  },

  peel(upTo) {
    const { layers } = this.level;
    const kept = Math.max(1, Math.min(layers, upTo));
    const slider = $("peel");
    slider.max = layers;
    slider.value = kept;
    slider.disabled = layers < 2;
    const words = kept === layers ? "All layers" : kept === 1 ? "The lowest layer" : `The lowest ${kept} layers`;
    $("peel-name").textContent = words;
    slider.setAttribute("aria-valuetext", words);
    this.stage.peel = kept === layers ? Infinity : kept;
    if (this.stage.position) this.redraw({});
  },

  // --- figures ---

  fillFacts() {
    const { board, claims, figures, templates } = this.level;
    const row = (name, value) => el("div", {}, el("dt", { text: sentence(name) }), el("dd", { text: value }));
    const known = FIGURES.filter((key) => key in figures && key !== "par");
    const told = (key) => row(figureName(key), key === "seconds" ? clock(figures[key]) : figures[key]);
    const rows = known.filter((key) => MAIN.includes(key)).map(told);
    const others = known.filter((key) => !MAIN.includes(key)).map(told);
    if (claims.par) rows.push(row("par", `${claims.par.value} (${claims.par.claim})`));
    if (claims.guess_free && this.level.hidden) rows.push(row("guess-free", `${claims.guess_free.value} (${claims.guess_free.claim})`));
    const made = [];
    if (templates.length) made.push(row("template", templates.join(" + ")));
    if (board.seed !== undefined) made.push(row("seed", `${board.seed}, attempt ${board.attempt}`));
    if (board.tools) {
      const tools = law.AIDS.map((aid, place) => [aid, this.level.context.balance[place]]);
      made.push(row("tools", tools.map(([aid, left]) => `${aid} ${left ?? "∞"}`).join(", ")));
    }
    const { tray, blocking, face_down: down } = this.level.deal.board.ruleset;
    made.push(row("rules", [board.ruleset.id, `tray ${tray}`, blocking.join(" + ") || "no blocking", down].filter(Boolean).join(", ")));
    $("facts").replaceChildren(
      ...(this.level.rejected ? [el("p", { class: "rejected" }, el("strong", { text: "Rejected. " }), this.level.rejected)] : []),
      ...(this.level.draft ? [el("p", { class: "draft", text: "A draft: the layout with a first deal, while the level that is asked for is being made." })] : []),
      el("h3", { text: "Figures" }),
      ...(figures.rating === undefined ? [] : [bar(figures.rating)]),
      el("dl", { class: "facts" }, ...rows),
      ...(others.length ? [el("details", {}, el("summary", { text: `All figures (${others.length} more)` }), el("dl", { class: "facts" }, ...others))] : []),
      el("h3", { text: "Made of" }), el("dl", { class: "facts" }, ...made),
    );
  },

  // --- telling ---

  say(text) {
    $("said").textContent = text;
  },

  /** A few words over the board; they stay when the game has ended. */
  toast(kind, strong, text = "", action = null) {
    const box = $("toast");
    clearTimeout(this.fading);
    box.className = `toast ${kind}`;
    box.replaceChildren(el("strong", { text: strong }), text ? ` ${text}` : "", ...(action ? [action] : []));
    box.hidden = false;
    this.say(`${strong}${/[.!?]$/.test(strong) ? "" : "."} ${text}`);
    if (kind !== "won" && kind !== "lost") this.fading = setTimeout(() => (box.hidden = true), kind === "refused" ? 6000 : 3500);
  },

  quiet() {
    clearTimeout(this.fading);
    $("toast").hidden = true;
  },

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("input:not([type=checkbox], [type=range]), textarea, select")) return;
    const done = () => event.preventDefault();
    if (event.key === "Escape") return done(location.hash = "");
    if (event.key === "[" && $("before").href) return done(location.hash = $("before").hash);
    if (event.key === "]" && $("after").href) return done(location.hash = $("after").hash);
    if (event.key === "-") return done(this.peel(Number($("peel").value) - 1));
    if (event.key === "+" || event.key === "=") return done(this.peel(Number($("peel").value) + 1));
    if (event.key === "o") return done($("dim").click());
    if (event.key === "n") return done($("names").click());
    if (event.target.matches("[type=range], [role=tab]")) return;
    if (this.mode?.key?.(event)) done();
  },
};

/** Seconds as minutes and seconds. */
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

/** A move in words. */
function told(move, position) {
  const name = (tile) => (law.tilesOf(position.hidden).includes(tile) ? "a face-down tile" : titleOf(position.deal.faces[tile]));
  const [one, other] = move.tiles;
  const words = {
    pair: () => `Pair ${name(one)}, ${one} and ${other}`,
    lift: () => `Lift tile ${one} into the tray`,
    flip: () => `Turn over tile ${one}`,
    match: () => `Match ${name(one)}, ${one}`,
    pick: () => `Pick ${name(one)}, ${one}`,
    undo: () => "Undo", hint: () => "Hint", shuffle: () => `Shuffle ${move.seed}`, restart: () => "Restart", give_up: () => "Give up",
  };
  return words[move.kind]();
}

// --- the solution ---

const solving = {
  open(level) {
    this.level = level;
    this.line = null;
    this.at = 0;
    this.stop();
  },

  enter() {
    this.line ??= this.level.line;
    if (!$("step")) this.fill();
    $("whose").textContent = this.level.claims.par
      ? "The certificate: moves that win, replayed here by the law."
      : "A solution that the kernel found, replayed here by the law.";
    $("step").max = this.line.length - 1;
    this.go(this.at);
  },

  leave() {
    this.stop();
  },

  fill() {
    const button = (id, label, name, run) => el("button", { type: "button", id, "aria-label": label, onclick: run }, icon(name));
    $("tab-solution").append(
      el("h3", { text: "Solution" }),
      el("p", { class: "faint", id: "whose" }),
      el("div", { class: "transport" },
        button("first", "First position", "first", () => this.go(0)),
        button("back-step", "Step back", "back", () => this.go(this.at - 1)),
        button("run", "Play", "run", () => (this.timer ? this.stop() : this.run())),
        button("next-step", "Step forward", "forward", () => this.go(this.at + 1)),
        button("last", "Last position", "last", () => this.go(this.line.length - 1))),
      el("input", { type: "range", id: "step", min: 0, "aria-label": "Step", oninput: ({ target }) => this.go(Number(target.value)) }),
      el("p", { id: "step-told", class: "told" }),
      el("button", { type: "button", class: "quiet", id: "play-from", text: "Play on from here", onclick: () => playing.from(this.level.moves.slice(0, this.at)) }),
    );
  },

  go(step) {
    this.at = Math.max(0, Math.min(this.line.length - 1, step));
    const next = this.level.moves[this.at];
    const position = this.line[this.at];
    desk.stage.show(position, { next: next?.tiles });
    $("step").value = this.at;
    const before = this.at ? told(this.level.moves[this.at - 1], this.line[this.at - 1]) : "The board as it is dealt";
    const end = position.won ? " Won." : "";
    const text = `Step ${this.at} of ${this.line.length - 1}. ${before}.${end}`;
    $("step-told").textContent = text;
    $("step").setAttribute("aria-valuetext", text);
    desk.say(text);
    if (this.at === this.line.length - 1) this.stop();
  },

  run() {
    if (this.at === this.line.length - 1) this.go(0);
    $("run").replaceChildren(icon("pause"), "Pause");
    $("run").setAttribute("aria-label", "Pause");
    this.timer = setInterval(() => this.go(this.at + 1), 700);
  },

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (!$("run")) return;
    $("run").replaceChildren(icon("run"), "Play");
    $("run").setAttribute("aria-label", "Play");
  },

  tap() {
    desk.toast("note", "This is the solution.", "Turn to Play to make moves of your own.");
  },

  key({ key, target }) {
    if (key === " " && target.matches("button, a, input")) return false;
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
    if (key in steps) this.go(this.at + steps[key]);
    else if (key === " ") $("run").click();
    else return false;
    return true;
  },
};

// --- why it cannot be won ---

/** The story with the titles of faces instead of their ids. */
const named = (text) => sentence(text.replace(/\(([^)]+)\)/g, (_, face) => `(${titleOf(face)})`));

const telling = {
  open(level) {
    this.level = level;
    this.at = 0;
  },

  enter() {
    $("tab-story").replaceChildren(
      el("h3", { text: "Why it cannot be won" }),
      el("ol", { class: "story" }, ...this.level.story.map(({ text }, at) =>
        el("li", {}, el("button", { type: "button", text: named(text), onclick: () => this.go(at) })))),
    );
    this.go(this.at);
  },

  go(at) {
    this.at = Math.max(0, Math.min(this.level.story.length - 1, at));
    const { text, buried, by, gone } = this.level.story[this.at];
    $("tiles").classList.toggle("many", buried.length > 16);
    [...$("tab-story").querySelectorAll("button")].forEach((button, place) => button.setAttribute("aria-current", place === this.at ? "step" : "false"));
    const { board, faces, faceDown, tray, removed } = this.level.deal;
    const left = gone.length ? new law.Deal(board, faces, faceDown, tray, [...new Set([...removed, ...gone])]) : this.level.deal;
    desk.stage.show(left.start, { buried, burying: by.filter((tile) => !buried.includes(tile)) });
    desk.say(named(text));
  },

  tap() {},

  key({ key }) {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
    if (!(key in steps)) return false;
    this.go(this.at + steps[key]);
    return true;
  },
};
