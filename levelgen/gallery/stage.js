// The stage: one board large, its tray, and a button over every tile, which keys, fingers and screen readers use.
// What lies face down has no name and no picture anywhere in the document.

class Stage {
  constructor() {
    this.buttons = new Map();
    this.level = null;
    this.marks = {};
    this.dim = true;
    this.names = false;
    this.peel = Infinity;
    $("tiles").addEventListener("click", (event) => {
      const tile = event.target.closest("button")?.dataset.tile;
      if (tile !== undefined) this.tap(Number(tile));
    });
    $("tiles").addEventListener("focusin", ({ target }) => this.#roam(Number(target.dataset.tile)));
    $("tiles").addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.level && this.#resize()).observe($("table"));
  }

  /** What a tap on a tile does; whoever plays sets it. */
  onTap = () => {};

  tap(tile) {
    this.#roam(tile);
    this.onTap(tile);
  }

  open(level, look) {
    Object.assign(this, { level, look, position: null, marks: {}, peel: Infinity, states: new Map(), cursor: -1 });
    $("stage").style.backgroundImage = `url(${look.theme.backdrop})`;
    for (const [name, colour] of Object.entries(look.theme.colours)) $("stage").style.setProperty(`--${name}`, colour);
    $("badge").textContent = level.title;
    $("chip-layers").textContent = counted(level.layers, "layer");
    this.buttons = new Map(
      level.slots.map((_, tile) => [tile, el("button", { type: "button", tabindex: -1, "data-tile": tile })]),
    );
    $("tiles").replaceChildren(...this.buttons.values());
    const slots = level.deal.board.ruleset.tray;
    $("tray").replaceChildren(...Array.from({ length: slots }, () => el("div", { class: "slot", role: "listitem" }, el("canvas", { "aria-hidden": "true" }), el("span", { class: "visually-hidden" }))));
    $("tray").style.setProperty("--slots", slots > 8 ? Math.ceil(slots / Math.ceil(slots / 8)) : slots);
    $("tiles").setAttribute("aria-label", `Board of ${level.title}`);
    this.#resize();
  }

  /** Show a position; `marks` maps a class name to the tiles that get it. */
  show(position, marks = {}) {
    const before = this.position;
    Object.assign(this, { position, marks });
    if (before && !still.matches) this.#fly(before, position);
    this.#paint();
  }

  mark(marks) {
    this.marks = marks;
    this.#label();
  }

  // --- layout and paint ---

  #resize() {
    const scale = density();
    const { clientWidth, clientHeight } = $("table");
    const canvas = $("board");
    [canvas.width, canvas.height] = [Math.round(clientWidth * scale), Math.round(clientHeight * scale)];
    if (!canvas.width || !canvas.height) return;
    const { slots, layers } = this.level;
    const margin = Math.round(10 * scale);
    this.scale = scale;
    this.place = fitted(slots, layers, canvas.width - 2 * margin, canvas.height - 2 * margin, Math.round(104 * scale));
    this.origin = [Math.round((canvas.width - this.place.width) / 2), Math.round((canvas.height - this.place.height) / 2)];
    const side = this.place.cut.side / scale;
    $("tiles").style.setProperty("--side", `${side}px`);
    slots.forEach(([x, y, z], tile) => {
      const [left, top] = this.#corner(tile);
      const { style } = this.buttons.get(tile);
      style.left = `${left}px`;
      style.top = `${top}px`;
      style.zIndex = z * 10000 + x + y;
    });
    if (this.position) this.#paint();
  }

  /** Where a tile's plate is on the table, in the page's pixels. */
  #corner(tile) {
    return [0, 1].map((axis) => (this.origin[axis] + this.place.corners[tile][axis]) / this.scale);
  }

  #visible() {
    return law.tilesOf(this.position.remaining).filter((tile) => this.level.slots[tile][2] < this.peel);
  }

  #paint() {
    if (!this.place) return;
    const { position, level } = this;
    const hidden = new Set(law.tilesOf(position.hidden));
    const open = new Set(position.openTiles());
    Object.assign(this, { hidden, openNow: open });
    const canvas = $("board");
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    drawBoard(pen, this.look, {
      slots: level.slots, layers: level.layers, place: this.place, origin: this.origin, tiles: this.#visible(),
      faceOf: (tile) => (hidden.has(tile) ? null : position.deal.faces[tile]),
      isOpen: (tile) => !this.dim || open.has(tile),
    });
    $("chip-tiles").textContent = counted(law.tilesOf(position.remaining).length, "tile");
    this.#paintTray();
    this.#label();
  }

  #paintTray() {
    const { tray, deal } = this.position;
    const slots = deal.board.ruleset.tray;
    $("tray").classList.toggle("warn", Boolean(this.position.warning));
    $("tray").classList.toggle("full", tray.length >= slots);
    [...$("tray").children].forEach((slot, place) => {
      const [canvas, text] = slot.children;
      const face = tray[place];
      slot.classList.toggle("taken", face !== undefined);
      text.textContent = `Slot ${place + 1} of ${slots}: ${face === undefined ? "empty" : titleOf(face)}`;
      const pixels = Math.round(slot.clientWidth * this.scale);
      [canvas.width, canvas.height] = [pixels, pixels];
      if (face === undefined || !pixels) return;
      const side = Math.max(4, Math.floor((pixels * 0.86) / 2) * 2);
      const cut = { side, right: Math.max(1, Math.floor(side / 26)), below: Math.max(2, Math.floor(side / 16)) };
      const tile = this.look.tile(face, cut, this.level.layers);
      canvas.getContext("2d").drawImage(tile, Math.floor((pixels - tile.width) / 2), Math.floor((pixels - tile.height) / 2));
    });
  }

  #label() {
    if (!this.position) return;
    const visible = new Set(this.#visible());
    const held = document.activeElement?.closest("#tiles") !== null;
    const marked = new Map();
    for (const [name, tiles] of Object.entries(this.marks)) {
      for (const tile of tiles ?? []) marked.set(tile, `${marked.get(tile) ?? ""} ${name}`);
    }
    for (const [tile, button] of this.buttons) {
      button.hidden = !visible.has(tile);
      if (button.hidden) {
        button.className = "";
        this.states.delete(tile);
        continue;
      }
      const open = this.openNow.has(tile);
      const classes = `${open ? "open" : "blocked"}${marked.get(tile) ?? ""}`;
      const [, , z] = this.level.slots[tile];
      const face = this.hidden.has(tile) ? "Face down" : titleOf(this.position.deal.faces[tile]);
      const words = MARKS.filter(([name]) => classes.includes(` ${name}`)).map(([, word]) => word);
      const label = [face, open ? "open" : "blocked", ...words, `layer ${z + 1}`, `tile ${tile}`].join(", ");
      const state = `${classes}|${label}|${this.names}`;
      if (this.states.get(tile) === state) continue;
      this.states.set(tile, state);
      button.className = classes;
      button.setAttribute("aria-label", label);
      button.setAttribute("aria-pressed", String(classes.includes(" selected")));
      button.textContent = this.names || / (buried|burying)/.test(classes) ? String(tile) : "";
    }
    if (!visible.has(this.cursor)) this.#recover(visible, held);
  }

  // --- the cursor ---

  /** The one tile that the Tab key reaches is this one from now on. */
  #roam(tile) {
    const before = this.buttons.get(this.cursor);
    if (before) before.tabIndex = -1;
    this.cursor = tile;
    const button = this.buttons.get(tile);
    if (button) button.tabIndex = 0;
  }

  /** The cursor's tile has left: the nearest open one takes over, and the focus if it was there. */
  #recover(visible, held) {
    const from = this.level.slots[this.cursor];
    const candidates = [...visible].filter((tile) => this.openNow.has(tile));
    const all = candidates.length ? candidates : [...visible];
    if (!all.length) return;
    const far = (tile) => {
      const [x, y] = this.level.slots[tile];
      return from ? (x - from[0]) ** 2 + (y - from[1]) ** 2 : y * 4096 + x;
    };
    this.#roam(all.reduce((best, tile) => (far(tile) < far(best) ? tile : best)));
    if (held) this.focus();
  }

  focus() {
    this.buttons.get(this.cursor)?.focus({ preventScroll: true });
  }

  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in steps) this.#move(steps[event.key]);
    else if (event.key === "PageDown" || event.key === "PageUp") this.#next(event.key === "PageDown" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the nearest tile in a direction, among those whose middle nothing covers. */
  #move([dx, dy]) {
    const middle = (tile) => this.#corner(tile);
    const [x, y] = middle(this.cursor);
    let best = null;
    for (const tile of this.#visible()) {
      if (tile === this.cursor || this.#covered(tile)) continue;
      const [tx, ty] = middle(tile);
      const along = (tx - x) * dx + (ty - y) * dy;
      const aside = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
      if (along < 2 || aside > 2 * along) continue;
      const far = along + 2 * aside;
      if (best === null || far < best[0]) best = [far, tile];
    }
    if (best) this.#focusOn(best[1]);
  }

  #covered(tile) {
    const [x, y, z] = this.level.slots[tile];
    return this.#visible().some((other) => {
      const [ox, oy, oz] = this.level.slots[other];
      return oz > z && ox === x && oy === y;
    });
  }

  /** To the next open tile in reading order. */
  #next(step) {
    const open = this.#visible().filter((tile) => this.openNow.has(tile));
    const key = (tile) => this.level.slots[tile][1] * 4096 + this.level.slots[tile][0];
    open.sort((a, b) => key(a) - key(b) || a - b);
    if (!open.length) return;
    const at = open.indexOf(this.cursor);
    this.#focusOn(open[(at + step + open.length) % open.length]);
  }

  #focusOn(tile) {
    this.#roam(tile);
    this.buttons.get(tile).focus({ preventScroll: true });
  }

  // --- motion ---

  /** Tiles that leave fly towards the tray and fade. */
  #fly(before, after) {
    if (!this.place || before.deal.board !== after.deal.board) return;
    const now = new Set(law.tilesOf(after.remaining));
    const gone = law.tilesOf(before.remaining).filter((tile) => !now.has(tile));
    if (!gone.length || gone.length > 4) return;
    const { cut } = this.place;
    const table = $("table").getBoundingClientRect();
    const tray = $("tray").getBoundingClientRect();
    gone.forEach((tile) => {
      const drawn = this.look.tile(before.deal.faces[tile], cut, this.level.layers);
      const ghost = el("canvas", { class: "ghost", "aria-hidden": "true" });
      [ghost.width, ghost.height] = [drawn.width, drawn.height];
      ghost.getContext("2d").drawImage(drawn, 0, 0);
      const [left, top] = this.#corner(tile);
      Object.assign(ghost.style, {
        left: `${left}px`, top: `${top}px`, width: `${drawn.width / this.scale}px`, height: `${drawn.height / this.scale}px`,
      });
      $("table").append(ghost);
      const dx = tray.left + tray.width / 2 - table.left - left - drawn.width / this.scale / 2;
      const dy = tray.top + tray.height / 2 - table.top - top - drawn.height / this.scale / 2;
      ghost.animate(
        [{ transform: "none", opacity: 1 }, { transform: `translate(${dx}px, ${dy}px) scale(0.6)`, opacity: 0.15 }],
        { duration: 260, easing: "cubic-bezier(.5,0,.8,.4)" },
      ).finished.finally(() => ghost.remove());
    });
  }
}

/** Marks of tiles, by class, and how they are told. */
const MARKS = [
  ["selected", "selected"], ["hinted", "hint"], ["mate", "matches the selected tile"], ["cause", "in the way"],
  ["buried", "buried"], ["burying", "buries others"], ["next", "next move"],
];
