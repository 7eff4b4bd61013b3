// Playing: tap, drag or use the keyboard to move; everything else is a form of the page.

import { carry, hold } from "./dragging.js";
import { fetchPart, isPart, replacePart, sayLost, textOf } from "./fragment.js";

const table = document.getElementById("table");
const ours = `/play/${table.dataset.key}`;
const MINE = "#2f3640";
const SOON_MS = 1_500;
let busy = false;
let waiting = null; // the last move of a hand that is faster than the network

function say(what) { document.getElementById("heard").textContent = what; }

async function post(address, fields) {
  if (busy) return;
  busy = true;
  table.setAttribute("aria-busy", "true");
  const late = setTimeout(() => {
    const waits = "Waiting for the engine …";
    document.getElementById("says").lastElementChild.textContent = waits;
    say(waits);
  }, SOON_MS);
  try {
    await show(await fetchPart(address, { method: "POST", body: new URLSearchParams(fields) }));
  } catch {
    if (sayLost(table, "Nothing is lost: the match goes on when it is back.")) again();
  } finally {
    clearTimeout(late);
    busy = false;
    table.removeAttribute("aria-busy");
    const move = waiting;
    waiting = null;
    move?.();
  }
}

// What is done on a board that is being drawn again is done on the new one, if that still offers it.
function onceShown(move) { if (busy) waiting = move; else move(); }
function sourceAt(start) { return table.querySelector(`.source[data-start="${start}"]`); }

async function show(answer) {
  if (!isPart(answer, ours)) { location.reload(); return; }
  replacePart(table, await textOf(answer));
  prepare();
  // what is put in anew is not read out, so it is said again where somebody listens
  const says = document.getElementById("says");
  say(says.innerText);
  document.title = `${says.lastElementChild.firstChild.textContent.trim()} · Sixprime`;
}


async function again() {
  try {
    await show(await fetchPart(location.pathname));
  } catch {
    setTimeout(again, 2000);
  }
}

function step(start, end) {
  return post(`${ours}/step`, { token: table.dataset.token, seen: table.dataset.seen, start, end });
}

function ends(source) { return source.dataset.ends.split(",").map(Number); }
function reach(source) { return [...ends(source), ...(source.dataset.far ? source.dataset.far.split(",").map(Number) : [])]; }

function letGo() {
  for (const each of table.querySelectorAll(".chosen, .open")) each.classList.remove("chosen", "open");
  table.querySelector(".choosing")?.classList.remove("choosing");
}

function choose(source) {
  const board = source.ownerSVGElement;
  const again = source.classList.contains("chosen");
  letGo();
  if (again) return;
  const open = new Set(reach(source));
  board.classList.add("choosing");
  source.classList.add("chosen");
  for (const each of board.querySelectorAll(".target")) {
    if (open.has(Number(each.dataset.end))) { each.classList.add("open"); board.append(each); }
  }
}

function press(source) {
  const where = ends(source);
  if (where.length === 1) return step(source.dataset.start, where[0]);
  return choose(source);
}

const hand = {
  target: ".target",
  lift(source) { if (!source.classList.contains("chosen")) choose(source); return MINE; },
  tap({ dataset: { start } }) {
    onceShown(() => { const source = sourceAt(start); if (source) press(source); });
  },
  drop({ dataset: { start } }, target) {
    onceShown(() => {
      const source = sourceAt(start);
      if (target && source && reach(source).includes(Number(target.dataset.end))) step(start, target.dataset.end);
      else letGo();
    });
  },
};

function prepare() {
  for (const name of ["token", "seen"]) table.dataset[name] = table.querySelector(`input[name=${name}]`).value;
  const focused = table.querySelector("button.main") || table.querySelector(".source, input[name=first]");
  if (table.dataset.keys) focused?.focus();
}

table.addEventListener("submit", (event) => {
  if (!new URL(event.target.action).pathname.startsWith(ours)) return; // leads to another page
  event.preventDefault();
  post(event.target.action, new FormData(event.target, event.submitter));
});
table.addEventListener("change", (event) => { // dice entered by hand: two taps
  const form = event.target.closest("form.dice");
  if (form && form.querySelectorAll("input:checked").length === 2 && !table.dataset.keys) form.requestSubmit();
});
table.addEventListener("pointerdown", (event) => {
  delete table.dataset.keys;
  const source = event.target.closest?.(".source");
  if (source && event.button === 0) { event.preventDefault(); carry(event, source, hand); }
});
hold(table, (at) => at.closest?.(".source"));
table.addEventListener("click", (event) => {
  const target = event.target.closest?.(".target.open");
  const chosen = table.querySelector(".source.chosen");
  if (target && chosen) step(chosen.dataset.start, target.dataset.end);
  else if (chosen && !event.target.closest?.(".source")) letGo();
});
table.addEventListener("keydown", (event) => {
  table.dataset.keys = "1";
  const source = event.target.closest?.(".source");
  if (event.key === "Escape") letGo();
  if (!source || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  step(source.dataset.start, ends(source)[ends(source).length > 1 && event.shiftKey ? 1 : 0]);
});
table.dataset.shown = 1;
prepare();
