// The shelf: the curve, the finder and the grid of all levels.

/** Height of a thumbnail over its width, as `.thumb` in the style has it. */
const THUMB_RATIO = 1.06;

const shelf = {
  looks: {},
  shown: [],
  cards: new Map(),

  start(looks) {
    this.looks = looks;
    this.fillFinder();
    this.fillGrid();
    this.fillCurve();
    this.find();
  },

  // --- finder ---

  fillFinder() {
    const sort = $("sort");
    sort.append(option("number", "number"), ...figureOptions());
    const templates = [...new Set(LEVELS.flatMap((level) => level.templates))].sort(naturally);
    const pars = [...new Set(LEVELS.map((level) => level.figures.par).filter(Number.isInteger))].sort((a, b) => a - b);
    const guesses = [...new Set(LEVELS.map((level) => level.guessFree))].sort();
    const choice = (id, label, options) =>
      el("label", { class: "field" }, label, el("select", { id, "data-filter": "" }, option("", "any"), ...options));
    const range = (key, label) => {
      const numbers = LEVELS.map((level) => level.figures[key]).filter(Number.isInteger);
      const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
      const box = (end, hint) =>
        el("input", {
          type: "number", id: `${key}-${end}`, min: 0, inputmode: "numeric", placeholder: hint, "data-filter": "",
          "aria-label": `${sentence(figureName(key))}, ${end === "from" ? "at least" : "at most"}`,
        });
      return el("div", { class: "field", role: "group", "aria-label": label }, el("span", { text: label }),
        el("span", { class: "range" }, box("from", low), "–", box("to", high)));
    };
    this.ranges = ["rating", "tiles"].filter((key) => FIGURES.includes(key));
    $("filters").append(
      ...this.ranges.map((key) => range(key, sentence(figureName(key)))),
      choice("par", "Par", pars.map((par) => option(par, par))),
      choice("guess", "Guess-free", guesses.map((word) => option(word, word))),
      choice("template", "Template", templates.map((name) => option(name, name))),
      choice("rejected", "Rejected", [option("no", "no"), option("yes", "yes")]),
    );
    const finder = $("finder");
    finder.addEventListener("input", () => this.find());
    finder.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.shown.length) location.hash = this.shown[0].key;
    });
    $("show-all").addEventListener("click", () => {
      finder.reset();
      $("direction").setAttribute("aria-pressed", "false");
      this.find();
      $("search").focus();
    });
    $("direction").addEventListener("click", ({ target }) => {
      target.setAttribute("aria-pressed", String(target.getAttribute("aria-pressed") !== "true"));
      this.find();
    });
    $("filters-open").addEventListener("click", ({ target }) => {
      const open = target.getAttribute("aria-expanded") !== "true";
      target.setAttribute("aria-expanded", String(open));
      $("filters").hidden = !open;
    });
  },

  fits(level) {
    const value = (id) => $(id).value;
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    if (words.some((word) => !level.words.includes(word))) return false;
    for (const key of this.ranges) {
      const [from, to] = [value(`${key}-from`), value(`${key}-to`)];
      if (from !== "" && !(level.figures[key] >= Number(from))) return false;
      if (to !== "" && !(level.figures[key] <= Number(to))) return false;
    }
    if (value("par") && String(level.figures.par) !== value("par")) return false;
    if (value("guess") && level.guessFree !== value("guess")) return false;
    if (value("template") && !level.templates.includes(value("template"))) return false;
    return !value("rejected") || (value("rejected") === "yes") === Boolean(level.rejected);
  },

  find() {
    const key = $("sort").value || "number";
    const down = $("direction").getAttribute("aria-pressed") === "true";
    $("direction").textContent = down ? "Descending" : "Ascending";
    const by = (level) => (key === "number" ? level.index : (level.figures[key] ?? -1));
    this.shown = LEVELS.filter((level) => this.fits(level));
    this.shown.sort((a, b) => (down ? by(b) - by(a) : by(a) - by(b)) || a.index - b.index);
    $("grid").replaceChildren(...this.shown.map((level) => this.cards.get(level)));
    $("empty").hidden = this.shown.length > 0;
    const set = [...$("filters").querySelectorAll("[data-filter]")].filter((field) => field.value !== "").length;
    $("filters-open").textContent = set ? `Filters (${set})` : "Filters";
    $("show-all").hidden = !set && !$("search").value && key === "number" && !down;
    const all = LEVELS.length;
    $("count").textContent = this.shown.length === all ? counted(all, "level") : `${this.shown.length} of ${counted(all, "level")}`;
    this.markCurve();
    memory.set("finder", JSON.stringify(this.state()));
  },

  state() {
    const fields = [...$("finder").querySelectorAll("input, select")];
    const down = $("direction").getAttribute("aria-pressed");
    return { fields: Object.fromEntries(fields.map((field) => [field.id, field.value])), down };
  },

  /** After a reload, search and filters are as they were. */
  recall() {
    try {
      const { fields, down } = JSON.parse(memory.get("finder") ?? "{}");
      for (const [id, value] of Object.entries(fields ?? {})) if ($(id)) $(id).value = value;
      if (down) $("direction").setAttribute("aria-pressed", down);
      this.find();
    } catch {
      // nothing worth remembering
    }
  },

  // --- grid ---

  fillGrid() {
    const watcher = new IntersectionObserver((seen) => this.seen(seen), { rootMargin: "60% 0%" });
    for (const level of LEVELS) {
      const card = this.card(level);
      this.cards.set(level, card);
      watcher.observe(card);
    }
  },

  card(level) {
    const { tiles, rating, par } = level.figures;
    const facts = [counted(tiles, "tile"), counted(level.layers, "layer")];
    const made = [par === undefined ? "" : `par ${par}`, level.templates.join(" + ")].filter(Boolean);
    const marks = [];
    if (level.draft) marks.push(el("span", { class: "mark", text: "draft" }));
    if (level.rejected) marks.push(el("span", { class: "mark bad", text: "rejected" }));
    if (level.story.length) marks.push(el("span", { class: "mark bad", text: "cannot be won" }));
    if (level.hidden) marks.push(el("span", { class: "mark", text: `${level.hidden} face down` }));
    if (level.hidden && level.guessFree === "yes") marks.push(el("span", { class: "mark good", text: "guess-free" }));
    const link = el("a", { class: "level", href: `#${level.key}` },
      el("span", { class: "thumb" }, el("canvas", { "aria-hidden": "true", width: 0, height: 0 })),
      el("span", { class: "level-head" }, el("strong", { text: level.title }),
        rating === undefined ? null : el("span", { class: "rating" }, el("span", { class: "visually-hidden", text: "difficulty " }), String(rating))),
      rating === undefined ? null : bar(rating),
      el("span", { class: "level-facts", text: facts.join(" · ") }),
      el("span", { class: "level-facts", text: made.join(" · ") }),
      el("span", { class: "marks" }, ...marks));
    return Object.assign(el("li", {}, link), { level });
  },

  seen(entries) {
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const canvas = target.querySelector("canvas");
      if (isIntersecting) this.paint(canvas, target.level, boundingClientRect.width);
      else Object.assign(canvas, { width: 0, height: 0 });
    }
  },

  /** Paint a thumbnail in a card of this width. Nothing is measured here, or each would have the page laid out again. */
  paint(canvas, level, cardWidth) {
    const scale = density();
    const width = cardWidth - 2;
    const height = width * THUMB_RATIO;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    if (!canvas.width || !canvas.height) return;
    const margin = Math.round(14 * scale);
    const place = fitted(level.slots, level.layers, canvas.width - 2 * margin, canvas.height - 2 * margin, 44 * scale);
    const { start } = level.deal;
    const hidden = new Set(law.tilesOf(start.hidden));
    const open = new Set(start.openTiles());
    drawBoard(canvas.getContext("2d"), this.looks[level.ruleset], {
      slots: level.slots, layers: level.layers, place,
      origin: [Math.round((canvas.width - place.width) / 2), Math.round((canvas.height - place.height) / 2)],
      tiles: law.tilesOf(start.remaining),
      faceOf: (tile) => (hidden.has(tile) ? null : level.deal.faces[tile]),
      isOpen: (tile) => open.has(tile),
    });
  },

  repaint() {
    this.plot();
    const drawn = [...this.cards.values()].filter((card) => card.isConnected && card.querySelector("canvas").width);
    const width = drawn[0]?.getBoundingClientRect().width;
    for (const card of drawn) this.paint(card.querySelector("canvas"), card.level, width);
  },

  // --- curve ---

  fillCurve() {
    const select = $("curve-figure");
    select.append(...figureOptions(["target", "tolerance"]));
    $("curve-card").hidden = LEVELS.length < 3 || !select.options.length;
    select.addEventListener("input", () => this.plot());
    this.plot();
  },

  plot() {
    const key = $("curve-figure").value;
    const [width, height, left, bottom, top] = [Math.max(300, $("curve").clientWidth), 200, 40, 24, 12];
    const targets = key === "rating" && FIGURES.includes("target");
    const values = LEVELS.map((level) => level.figures[key]);
    const aims = targets ? LEVELS.map((level) => level.figures.target) : [];
    const most = key === "rating" ? 1000 : Math.max(1, ...[...values, ...aims].filter(Number.isInteger));
    const step = tick(most / 4);
    const ceiling = Math.max(step, Math.ceil(most / step) * step);
    const x = (index) => left + ((width - left - 12) * (index + 0.5)) / LEVELS.length;
    const y = (value) => height - bottom - ((height - bottom - top) * value) / ceiling;
    const line = (series) => {
      let text = "";
      series.forEach((value, index) => {
        if (Number.isInteger(value)) text += `${text ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      });
      return text;
    };
    const grid = [];
    for (let value = 0; value <= ceiling; value += step) {
      grid.push(draw("line", { x1: left, x2: width - 12, y1: y(value), y2: y(value), class: "rule" }));
      grid.push(draw("text", { x: left - 8, y: y(value) + 4, class: "tick", "text-anchor": "end", text: value }));
    }
    const every = tick((LEVELS.length * 64) / width);
    LEVELS.forEach((level, index) => {
      if (index === 0 || (index + 1) % every === 0) {
        grid.push(draw("text", { x: x(index), y: height - 8, class: "tick", "text-anchor": "middle", text: level.key }));
      }
    });
    this.dots = LEVELS.map((level, index) => {
      if (!Number.isInteger(values[index])) return null;
      const aim = targets && Number.isInteger(aims[index]) ? `, target ${aims[index]}` : "";
      const dot = draw("circle", { cx: x(index), cy: y(values[index]), r: LEVELS.length > 200 ? 2.5 : 4, class: "dot" },
        draw("title", { text: `${level.title}: ${figureName(key)} ${values[index]}${aim}` }));
      dot.addEventListener("click", () => (location.hash = level.key));
      return dot;
    });
    const known = values.filter(Number.isInteger);
    const label = `${sentence(figureName(key))} of ${counted(LEVELS.length, "level")}, from ${Math.min(...known)} to ${Math.max(...known)}`;
    const aimed = targets ? LEVELS.filter((level) => Number.isInteger(level.figures.target)) : [];
    const near = `${aimed.filter(isNear).length} of ${aimed.length} near their target`;
    const told = targets ? `; ${near}` : "";
    $("curve").replaceChildren(
      draw("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label + told },
        ...grid, draw("path", { d: line(values), class: "reached" }),
        ...(targets ? [draw("path", { d: line(aims), class: "target" })] : []), ...this.dots.filter(Boolean)),
    );
    $("curve-legend").replaceChildren(
      ...(targets ? [el("span", { class: "key reached", text: "reached" }), el("span", { class: "key target", text: "target" }),
        near] : []),
    );
    this.markCurve();
  },

  markCurve() {
    const shown = new Set(this.shown);
    (this.dots ?? []).forEach((dot, index) => dot?.classList.toggle("faint", !shown.has(LEVELS[index])));
  },
};

/** The round number nearest above: 1, 2 or 5 times a power of ten. */
function tick(least) {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, least))));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least) ?? 10 * power;
}

/** How difficult, of a thousand, as a bar. */
function bar(rating) {
  const box = draw("svg", { viewBox: "0 0 1000 10", class: "bar", "aria-hidden": "true", preserveAspectRatio: "none" });
  const part = rating < 340 ? "easy" : rating < 670 ? "medium" : "hard";
  box.append(draw("rect", { width: 1000, height: 10, class: "bar-ground" }),
    draw("rect", { width: Math.max(10, Math.min(1000, rating)), height: 10, class: `bar-${part}` }));
  return box;
}
