"use strict";
const body = document.body;
const modes = ["side", "slider", "blend", "toggle"];
const levels = [...document.querySelectorAll(".level")];

function setMode(mode) {
  body.dataset.mode = mode;
  document.getElementById("mode-" + mode).checked = true;
  for (const range of document.querySelectorAll("input[type=range]")) tell(range);
}

function tell(range) {
  const level = range.closest(".level");
  const stage = level.querySelector(".stage");
  stage.style.setProperty("--cut", 100 - range.value + "%");
  stage.style.setProperty("--mix", range.value / 100);
  const words = range.value + " % after";
  range.setAttribute("aria-valuetext", words);
  level.querySelector("output").textContent = words;
}

function flip(level) {
  const after = level.querySelector(".stage").classList.toggle("after");
  const button = level.querySelector("button");
  button.setAttribute("aria-pressed", after);
  button.textContent = after ? "Shown: after" : "Shown: before";
}

function slide(event, level) {
  const box = level.querySelector(".old img").getBoundingClientRect();
  const share = Math.round((100 * (event.clientX - box.left)) / box.width);
  const range = level.querySelector("input[type=range]");
  range.value = 100 - Math.max(0, Math.min(100, share));
  tell(range);
}

for (const level of document.querySelectorAll(".level.both")) {
  const stage = level.querySelector(".stage");
  level.querySelector("input[type=range]").addEventListener("input", (event) => tell(event.target));
  level.querySelector("button").addEventListener("click", () => flip(level));
  level.querySelector("input[type=checkbox]").addEventListener("change", (event) =>
    stage.classList.toggle("differing", event.target.checked));
  stage.addEventListener("click", () => { if (body.dataset.mode === "toggle") flip(level); });
  stage.addEventListener("pointerdown", (event) => {
    if (body.dataset.mode !== "slider") return;
    event.preventDefault();
    stage.setPointerCapture(event.pointerId);
    slide(event, level);
  });
  stage.addEventListener("pointermove", (event) => {
    if (body.dataset.mode === "slider" && stage.hasPointerCapture(event.pointerId)) slide(event, level);
  });
}

function move(step) {
  const shown = levels.filter((level) => !level.hidden);
  if (!shown.length) return;
  const here = shown.findIndex((level) => level.contains(document.activeElement));
  const next = shown[Math.max(0, Math.min(shown.length - 1, here < 0 ? 0 : here + step))];
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "start" });
}

function filter() {
  const wanted = document.getElementById("filter").value;
  let count = 0;
  for (const level of levels) {
    level.hidden = wanted === "looks" ? !level.classList.contains("both")
      : wanted !== "" && !level.dataset.aspects.split(" ").includes(wanted);
    count += !level.hidden;
  }
  document.getElementById("count").textContent = count === levels.length ? "" : count + " of " + levels.length + " shown";
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=text]")) return;
  if (modes[event.key - 1]) setMode(modes[event.key - 1]);
  else if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "t" && document.activeElement.closest(".level.both")) flip(document.activeElement.closest(".level"));
  else return;
  event.preventDefault();
});

const controls = document.querySelector(".controls");
if (controls) {
  controls.hidden = false;
  for (const mode of modes)
    document.getElementById("mode-" + mode).addEventListener("change", () => setMode(mode));
  document.getElementById("filter").addEventListener("change", filter);
}
