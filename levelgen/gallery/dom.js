// Elements, in few words.

const $ = (id) => document.getElementById(id);

/** An element with these properties (`class`, `text`, `on…` and attributes) and children. */
function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The same for drawings. */
function draw(tag, given = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") made.textContent = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const ICONS = {
  first: "M4 3h3v14H4zM17 3v14L7.5 10z", back: "M14 3v14L5 10z", run: "M5 3v14l11-7z", pause: "M5 3h4v14H5zM11 3h4v14h-4z",
  forward: "M6 3v14l9-7z", last: "M13 3h3v14h-3zM3 3v14l9.5-7z",
};
const icon = (name) => draw("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));

const option = (value, text) => el("option", { value, text });
const counted = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const still = matchMedia("(prefers-reduced-motion: reduce)");
const density = () => Math.min(3, window.devicePixelRatio || 1);

/** What a browser keeps for a page, where it keeps anything. */
const memory = {
  get(key) {
    try {
      return sessionStorage.getItem(`levelgen.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      sessionStorage.setItem(`levelgen.${key}`, value);
    } catch {
      // a page from disk may not be allowed to remember
    }
  },
};
