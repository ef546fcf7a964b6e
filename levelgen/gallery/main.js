// The page as a whole: what is in it, which view is open, light or dark.

const KEYS = [
  ["Everywhere", [["Tab", "next control"], ["Esc", "back to all levels"]]],
  ["A level", [["[ ]", "level before, next level"], ["− +", "peel layers off, put them back"], ["o", "show which tiles are open"], ["n", "tile numbers"]]],
  ["Play", [["Arrows", "from tile to tile"], ["Page Up, Page Down", "from open tile to open tile"], ["Enter, Space", "take or select the tile"],
    ["u h s", "undo, hint, shuffle"], ["r g", "restart, give up"]]],
  ["Solution", [["← →", "step back, step forward"], ["Home, End", "first, last position"], ["Space", "play, pause"]]],
];

function route() {
  const [key, mode] = decodeURIComponent(location.hash.slice(1)).split("/");
  const level = BY_KEY.get(key);
  const was = desk.level;
  $("shelf").hidden = Boolean(level);
  $("desk").hidden = !level;
  document.body.classList.toggle("at-desk", Boolean(level));
  document.title = level ? `${level.title} · ${DATA.title}` : DATA.title;
  if (level) {
    if (was === null || $("shelf").dataset.left === undefined) $("shelf").dataset.left = String(scrollY);
    scrollTo(0, 0);
    desk.open(level, mode);
    return;
  }
  desk.mode?.leave?.();
  desk.mode = null;
  desk.level = null;
  scrollTo(0, Number($("shelf").dataset.left ?? 0));
  delete $("shelf").dataset.left;
  shelf.repaint();
  if (was) shelf.cards.get(was)?.querySelector("a").focus({ preventScroll: true });
}

function dress() {
  const names = ["system", "light", "dark"];
  const wear = (name) => {
    document.documentElement.dataset.theme = name;
    $("theme-name").textContent = sentence(name);
    memory.set("theme", name);
  };
  wear(names.includes(memory.get("theme")) ? memory.get("theme") : "system");
  $("theme").addEventListener("click", () => wear(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % 3]));
}

async function begin() {
  $("title").textContent = DATA.title;
  $("notes").replaceChildren(...DATA.notes.map((text) => el("li", { text })));
  const themes = Object.values(DATA.themes);
  for (const name of ["accent-on-light", "accent-on-dark", "sky-top", "sky-middle", "sky-bottom"]) {
    if (themes.length) document.documentElement.style.setProperty(`--${name}`, themes[0].colours[name]);
  }
  $("keys").replaceChildren(...KEYS.map(([where, rows]) => el("section", {}, el("h3", { text: where }),
    el("dl", {}, ...rows.map(([key, does]) => el("div", {}, el("dt", {}, el("kbd", { text: key })), el("dd", { text: does })))))));
  $("help-open").addEventListener("click", () => $("help").showModal());
  dress();
  const pictures = {};
  await Promise.all(Object.entries(DATA.faces).map(async ([face, { picture }]) => (pictures[face] = await decoded(picture))));
  const looks = {};
  for (const [ruleset, theme] of Object.entries(DATA.themes)) looks[ruleset] = await Look.load(theme, pictures);
  shelf.start(looks);
  desk.start();
  shelf.recall();
  addEventListener("hashchange", route);
  addEventListener("resize", () => {
    if (!$("shelf").hidden) shelf.repaint();
  });
  route();
  document.documentElement.dataset.ready = "yes";
  performance.mark("ready");
  live.start();
}

begin();
