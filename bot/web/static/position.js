// Setting up a position: checkers go where they are put, and the server draws the board again.

import { carry, hold } from "./dragging.js";
import { fetchPart, isPart, replacePart, sayLost, textOf } from "./fragment.js";
import { copied } from "./sharing.js";
import { rollOut, hangUp } from "./rollout.js";
import { _ } from "./texts.js";

const page = document.getElementById("position");
const pasted = document.querySelector('form.line [name="id"]');
const TRAYS = { below: 1, above: -1 };
// The places as they lie on the screen, to walk on with arrows: the row above, the row below.
const ROWS = [
  [13, 14, 15, 16, 17, 18, 25, 19, 20, 21, 22, 23, 24, "above"].map(String),
  [12, 11, 10, 9, 8, 7, 0, 6, 5, 4, 3, 2, 1, "below"].map(String),
];
const me = String(Math.random()); // of all pages that roll out
let at = "24"; // where the keyboard stands
let asked = 0;

const form = () => document.getElementById("setup");

// --- the board: counts of 26 places as the player below sees them, the other's below zero

function counts() {
  return [...form().elements.at.value].map((letter) => {
    if (letter === "-") return 0;
    return letter >= "a" ? 96 - letter.charCodeAt(0) : letter.charCodeAt(0) - 64;
  });
}

function letters(places) {
  return places.map((count) => (count === 0 ? "-" : String.fromCharCode(count > 0 ? 64 + count : 96 - count))).join("");
}

function off(places, side) {
  return 15 - places.reduce((sum, count) => sum + Math.max(0, side * count), 0);
}

function sideAt(place) {
  return TRAYS[place] || Math.sign(counts()[place]);
}

// Takes a checker of this side from a place to another; null is off. Says whether it could.
function put(side, from, to) {
  const places = counts();
  if (from in TRAYS || from === null) { if (off(places, side) < 1) return false; }
  else { if (Math.sign(places[from]) !== side) return false; places[from] -= side; }
  if (to !== null && !(to in TRAYS)) {
    if (places[to] * side < 0 || (to === "0" && side > 0) || (to === "25" && side < 0)) return false;
    places[to] += side;
  }
  form().elements.at.value = letters(places);
  draw();
  return true;
}

// --- the server draws

function fields(more = {}) {
  const found = new URLSearchParams([...new FormData(form())]);
  found.delete("token");
  for (const [name, value] of Object.entries(more)) found.set(name, value);
  return found;
}

async function draw(more = {}) {
  const mine = ++asked;
  if (!("look" in more)) hangUp();
  const sent = fields(more);
  const answer = await fetchPart(`/position?${sent}`).catch(() => null);
  if (mine !== asked) return;
  if (!answer) { sayLost(page, _("Nothing is lost: go on when it is back.")); return; }
  if (!isPart(answer, "/position")) { location.reload(); return; }
  const text = await textOf(answer);
  if (mine !== asked) return;
  const held = chosen()?.dataset.place;
  const typed = [...fields(more)].filter(([name, value]) => sent.get(name) !== value); // since then, and not yet left
  const focus = document.activeElement?.getAttribute("name") || document.activeElement?.id; // Tab may have moved it
  const onBoard = document.activeElement?.closest?.(".place");
  replacePart(page, text);
  for (const [name, value] of typed) if (form().elements[name]) form().elements[name].value = value;
  if (held) placeNamed(held).classList.add("chosen");
  history.replaceState(null, "", form().dataset.link);
  if (!("look" in more) && pasted.value === pasted.defaultValue) pasted.value = ""; // it names another position now
  prepare();
  const again = onBoard ? placeNamed(at) : focus && (form().elements[focus] || document.getElementById(focus));
  if (again?.focus) again.focus();
}

// --- hands and keys

function placeNamed(name) { return page.querySelector(`.place[data-place="${name}"]`); }
const chosen = () => page.querySelector(".place.chosen");

function letGo() {
  for (const each of page.querySelectorAll(".chosen")) each.classList.remove("chosen");
}

function tap(place) {
  const from = chosen();
  if (from === place) { letGo(); return; }
  if (from) {
    const name = from.dataset.place;
    letGo();
    if (put(sideAt(name), name, place.dataset.place)) {
      if (name in TRAYS) from.classList.add("chosen"); // to put down one after the other
      return;
    }
  }
  if (lift(place)) place.classList.add("chosen");
}

function lift(place) {
  const side = sideAt(place.dataset.place);
  if (!side || (place.dataset.place in TRAYS && off(counts(), side) < 1)) return null;
  return page.querySelector(`.samples .checker.${side > 0 ? "mine" : "theirs"}`).cloneNode(true);
}

const hand = {
  target: ".place", lift, tap,
  drop(source, target) { letGo(); if (target && target !== source) put(sideAt(source.dataset.place), source.dataset.place, target.dataset.place); },
};

function walk(key) {
  const row = ROWS.findIndex((each) => each.includes(at));
  const column = ROWS[row].indexOf(at);
  const to = { ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [0, column], ArrowDown: [1, column] }[key];
  const name = ROWS[to[0]][(to[1] + 14) % 14];
  placeNamed(at).setAttribute("tabindex", "-1");
  at = name;
  placeNamed(at).setAttribute("tabindex", "0");
  placeNamed(at).focus();
}

page.addEventListener("keydown", (event) => {
  const place = event.target.closest?.(".place");
  if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
  at = place.dataset.place;
  const side = sideAt(at);
  const does = {
    Enter: () => tap(place), " ": () => tap(place), Escape: letGo,
    d: () => put(1, null, at), l: () => put(-1, null, at),
    Delete: () => side && !(at in TRAYS) && put(side, at, null),
  };
  const key = event.key === "Backspace" ? "Delete" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key.startsWith("Arrow")) { event.preventDefault(); walk(key); }
  else if (does[key]) { event.preventDefault(); does[key](); }
});
page.addEventListener("pointerdown", (event) => {
  const place = event.target.closest?.(".place");
  if (!place || event.button !== 0) return;
  event.preventDefault();
  at = place.dataset.place;
  if (chosen() || lift(place)) carry(event, place, hand);
});
hold(page, (at) => {
  const place = at.closest?.(".place");
  return place && (chosen() || lift(place));
});
page.addEventListener("change", (event) => { if (!["trials", "level"].includes(event.target.name)) draw(); });
page.addEventListener("submit", (event) => {
  if (event.target.method === "post") return; // leads to a match
  event.preventDefault();
  const by = event.submitter;
  draw(by?.name ? { [by.name]: by.value } : { look: "1" });
});

// --- taking it along

async function png(address) {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * picture.naturalWidth;
  canvas.height = 2 * picture.naturalHeight;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Promise((done) => canvas.toBlob(done, "image/png")));
  link.download = "position.png";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

page.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button");
  if (button?.dataset.copy && await copied(button.dataset.copy)) button.textContent = _("Copied");
  if (button?.dataset.png) png(button.dataset.png);
  if (button?.id === "roll-out") rollOut(fields({ token: form().elements.token.value, page: me }));
});

function prepare() {
  for (const place of page.querySelectorAll(".place")) {
    place.setAttribute("role", "button");
    place.setAttribute("aria-label", place.dataset.label);
    place.setAttribute("tabindex", place.dataset.place === at ? "0" : "-1");
  }
}

page.dataset.shown = 1;
prepare();
