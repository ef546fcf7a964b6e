// Playing a level by the law: what is accepted goes into the log, what is refused says why.

const playing = {
  open(level) {
    this.level = level;
    this.begin();
  },

  begin(moves = []) {
    this.game = new law.Game(this.level.deal, this.level.context);
    this.moves = [];
    this.selected = null;
    this.hinted = null;
    this.shuffles = 0;
    for (const move of moves) if (!this.game.step(move)) this.moves.push(move);
  },

  /** Begin anew with these moves made, and show it. */
  from(moves) {
    this.begin(moves);
    desk.turn("play");
    if (!this.game.over) desk.toast("note", `${counted(moves.length, "move")} made.`, "Go on from here.");
  },

  enter() {
    if (!$("undo")) this.fill();
    this.show();
  },

  fill() {
    const tool = (id, key) =>
      el("button", { type: "button", id, "aria-keyshortcuts": key, onclick: () => this[id]() });
    $("tab-play").append(
      el("h3", { text: "Play" }),
      el("p", { id: "state", class: "told" }),
      el("div", { class: "tools" }, tool("undo", "u"), tool("hint", "h"), tool("shuffle", "s"), tool("restart", "r"), tool("giveUp", "g")),
      el("details", { class: "log", id: "log-box" },
        el("summary", {}, "Log ", el("span", { id: "log-count", class: "faint" })),
        el("form", { class: "entry", onsubmit: (event) => { event.preventDefault(); this.enterMove(); } },
          el("label", {}, "Type a move ", el("input", { id: "entry", autocomplete: "off", placeholder: this.level.ruleset === "pairs" ? "3-9" : "7", spellcheck: "false" })),
          el("button", { text: "Make it" })),
        el("textarea", { id: "log", readonly: true, rows: 5, "aria-label": "The log of this game" }),
        el("div", { class: "row" },
          el("button", { type: "button", class: "quiet", id: "save", text: "Save", onclick: () => this.save() }),
          el("button", { type: "button", class: "quiet", id: "copy", text: "Copy", onclick: () => this.copy() }),
          el("label", { class: "button quiet" }, "Open a log", el("input", { type: "file", id: "load", class: "visually-hidden", accept: ".log,.txt,.json", onchange: (event) => this.load(event) }))),
        el("p", { class: "faint", id: "log-hint" })),
    );
  },

  // --- moves ---

  tap(tile) {
    const { position } = this.game;
    const single = (kind) => ({ kind, tiles: [tile], seed: "" });
    if (position.deal.board.ruleset.id === "triples") return this.make(single("pick"));
    if (law.tilesOf(position.hidden).includes(tile)) return this.make(single(position.deal.board.ruleset.face_down));
    if (this.selected !== null && this.selected !== tile) {
      const pair = { kind: "pair", tiles: [this.selected, tile].sort((a, b) => a - b), seed: "" };
      const refused = position.refusal(pair);
      if (refused?.reason === "faces-differ") {
        this.selected = tile;
        this.mark();
        return this.refuse(refused);
      }
      return this.make(pair);
    }
    // A tap alone is a match if the tile's mate waits in the tray; else it selects, which changes nothing.
    const match = single("match");
    const refused = this.game.over ?? position.refusal(match);
    if (!refused) return this.make(match);
    if (refused.reason !== "no-mate") return this.refuse(refused);
    this.selected = this.selected === tile ? null : tile;
    desk.quiet();
    this.mark();
    return undefined;
  },

  /** Make a move or use a tool; the law says whether it counts. */
  make(move) {
    const refused = this.game.step(move);
    if (refused) return this.refuse(refused);
    this.moves.push(move);
    this.selected = null;
    if (move.kind !== "hint") this.hinted = null;
    desk.quiet();
    this.show(move);
    return undefined;
  },

  refuse({ reason, message, tiles }) {
    this.mark(tiles);
    desk.toast("refused", REFUSED[reason] ?? reason, sentence(message));
    $("toast").dataset.reason = reason;
  },

  undo() {
    this.make({ kind: "undo", tiles: [], seed: "" });
  },

  restart() {
    this.make({ kind: "restart", tiles: [], seed: "" });
  },

  giveUp() {
    this.make({ kind: "give_up", tiles: [], seed: "" });
  },

  shuffle() {
    this.shuffles++;
    this.make({ kind: "shuffle", tiles: [], seed: String(this.shuffles) });
  },

  /** A hint is looked for first and spent only when there is something to show. */
  hint() {
    const asked = { kind: "hint", tiles: [], seed: "" };
    const left = this.game.balance[1];
    if (this.game.over || (left !== null && left <= this.game.spent[1])) return this.make(asked);
    const found = hintFor(this.level, this.game.position);
    if (found?.move) {
      this.hinted = found.move.tiles;
      this.make(asked);
      return desk.toast("note", `${told(found.move, this.game.position)}.`, `${sentence(found.how)}.`);
    }
    return found?.none
      ? desk.toast("note", "No move wins from here.", "Every line was tried; undo or shuffle.")
      : desk.toast("note", "No hint is known here.", "The search is small: `levelgen hint` knows for certain. None was spent.");
  },

  enterMove() {
    const box = $("entry");
    const move = law.decodeMove(box.value.trim());
    if (move === null) {
      return desk.toast("refused", "Cannot be read", "Write 3-9 (pair), ^4 (lift), =12 (match), ~4 (flip), 7 (pick), u, h, s:SEED, r or g");
    }
    box.value = "";
    return move.kind === "hint" ? this.hint() : this.make(move);
  },

  // --- showing ---

  show(move = null) {
    const { game } = this;
    const { position } = game;
    desk.stage.show(position, this.marks());
    const left = (place) => (game.balance[place] === null ? "" : ` ${game.balance[place] - game.spent[place]}`);
    const name = (id, word, place) => {
      const number = place === undefined ? "" : left(place);
      $(id).replaceChildren(word, ...(number ? [el("span", { class: "left", text: number.trim() }), el("span", { class: "visually-hidden", text: " left" })] : []));
      $(id).classList.toggle("spent", number === " 0");
    };
    ["undo", "hint", "shuffle"].forEach((id, place) => name(id, sentence(id), place));
    name("restart", "Restart");
    name("giveUp", "Give up");
    const lost = game.gaveUp || (game.steps && position.lost);
    const full = position.full && !position.won && this.level.ruleset === "triples";
    const state = position.won ? "Won" : lost ? "Lost" : full ? "The tray is full" : "On";
    const assisted = game.spent.some(Boolean);
    $("state").textContent = [
      state, counted(game.steps, "step"), `${position.tray.length} of ${position.deal.board.ruleset.tray} slots taken`,
      assisted ? "assisted" : null,
    ].filter(Boolean).join(" · ");
    if (position.won) {
      const how = assisted ? "With help, so no best time." : "Without any tool.";
      desk.toast("won", `Won in ${counted(game.steps, "step")}!`, how, this.again("Play again"));
    } else if (lost) {
      desk.toast("lost", "Lost.", game.gaveUp ? "The game was given up." : "No move is accepted any more.", this.again("Try again"));
    } else if (full) {
      desk.toast("lost", "The tray is full.", "Undo, restart or give up.");
    } else if (position.warning && move) {
      desk.toast("warning", "Last slot!", this.level.ruleset === "triples" ? "Only a pick that completes three is safe." : "One slot is empty.");
    } else if (move) {
      desk.say(`${MADE[move.kind]}. ${counted(law.tilesOf(position.remaining).length, "tile")} left, ${position.tray.length} in the tray.`);
    }
    this.write();
  },

  again(text) {
    return el("button", { type: "button", text, onclick: () => { this.begin(); desk.quiet(); this.show(); desk.stage.focus(); } });
  },

  marks(causes = []) {
    const { position } = this.game;
    const marks = { selected: [], hinted: this.hinted ?? [], cause: causes, mate: [] };
    if (this.selected === null) return marks;
    marks.selected = [this.selected];
    const hidden = new Set(law.tilesOf(position.hidden));
    const { faces } = position.deal;
    marks.mate = position.openTiles().filter((tile) => tile !== this.selected && !hidden.has(tile) && faces[tile] === faces[this.selected]);
    return marks;
  },

  mark(causes = []) {
    desk.stage.mark(this.marks(causes));
  },

  // --- the log ---

  get text() {
    return law.logText({ ...this.level.logged, moves: this.moves });
  },

  write() {
    $("log").value = this.text;
    $("log-count").textContent = counted(this.moves.length, "step");
    const { pack, level } = this.level.logged;
    $("log-hint").textContent = `levelgen replay ${pack}#${level} judges it.`;
  },

  save() {
    const { pack, level } = this.level.logged;
    const address = URL.createObjectURL(new Blob([this.text], { type: "text/plain" }));
    el("a", { href: address, download: `${pack}-${level}.log` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  },

  async copy() {
    try {
      await navigator.clipboard.writeText(this.text);
    } catch {
      $("log").select();
      document.execCommand("copy");
    }
    desk.toast("note", "Copied.");
  },

  async load({ target }) {
    const [file] = target.files;
    target.value = "";
    if (!file) return;
    let log;
    try {
      log = law.parseLog(new Uint8Array(await file.arrayBuffer()), file.name);
    } catch (error) {
      if (!(error instanceof law.LevelgenError)) throw error;
      desk.toast("refused", "Cannot be read", error.findings[0].message);
      return;
    }
    const { pack, level } = this.level.logged;
    if (log.pack !== pack || log.level !== level) {
      desk.toast("refused", "Another level", `The log was played on ${log.pack}#${log.level}.`);
      return;
    }
    this.begin();
    let refused = null;
    for (const move of log.moves) {
      refused = this.game.step(move);
      if (refused) break;
      this.moves.push(move);
    }
    this.show();
    if (refused) this.refuse(refused);
    else if (!this.game.over) desk.toast("note", `${counted(this.moves.length, "step")} read.`, "Go on from here.");
  },

  key({ key, target }) {
    if (target.matches("input, textarea")) return false;
    const run = { u: "undo", h: "hint", s: "shuffle", r: "restart", g: "giveUp" }[key];
    if (run) this[run]();
    return Boolean(run);
  },
};

const MADE = {
  pair: "Paired", lift: "Lifted", flip: "Turned over", match: "Matched", pick: "Picked", undo: "Undone", hint: "Hint",
  shuffle: "Shuffled", restart: "Begun anew", give_up: "Given up",
};
