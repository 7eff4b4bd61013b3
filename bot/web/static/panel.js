// Beside the board: what is shown there by choice, the clocks, and a tab that tells whose turn it is.

import { fetchPart } from "./fragment.js";
import { notify, showSwitches } from "./notices.js";

const table = document.getElementById("table");
const icon = document.querySelector("link[rel=icon]");
const ICONS = { true: "/static/icon-turn.svg", false: icon.getAttribute("href") };
const MARK = "● ";
let wasYours = true; // the person has seen the turn with which the page begins
let shownAt = 0;

function isYours() { return !table.hasAttribute("aria-busy") && table.querySelector("[data-yours]") !== null; }

function tellTurn() {
  const yours = isYours();
  const title = document.title.replace(MARK, "");
  document.title = yours ? MARK + title : title;
  if (icon.getAttribute("href") !== ICONS[yours]) icon.setAttribute("href", ICONS[yours]);
  if (yours && !wasYours) notify(table.querySelector("#says").innerText.trim());
  wasYours = yours;
}

// --- clocks

function written(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function tick() {
  for (const clock of table.querySelectorAll("[data-running]")) {
    const passed = (performance.now() - shownAt) / 1000;
    const text = written(Number(clock.dataset.clock) + Number(clock.dataset.running) + passed);
    if (clock.textContent !== text) clock.textContent = text;
  }
}

// --- choices

table.addEventListener("change", async ({ target }) => {
  if (!target.dataset.beside) return;
  document.cookie = `${target.dataset.beside}=${target.checked ? "on" : "off"}; path=/; max-age=31536000; samesite=strict`;
  const answer = await fetchPart(location.pathname).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of ["#chances", ".under.over", ".under:not(.over)"]) table.querySelector(part).replaceWith(fresh.querySelector(part));
  shownAt = performance.now();
  tick();
});

function look(changes) {
  if (changes.some(({ attributeName }) => attributeName === "data-shown")) {
    shownAt = performance.now();
    showSwitches();
    tick();
  }
  tellTurn();
}

new MutationObserver(look).observe(table, { attributes: true, attributeFilter: ["data-shown", "aria-busy"] });
setInterval(tick, 1000);
shownAt = performance.now();
tellTurn();
