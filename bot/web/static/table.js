// Playing: steps, undo and legality are this page's; a whole play is one request, and every other deed, too.

import { BAR, Board, OFF, after, cell, element, faced, moves, roll } from "./board.js";
import { carry, hold, inBoard, under } from "./dragging.js";
import { fetchPart, found, isPart, renewToken, replacePart, sayLost, textOf } from "./fragment.js";

const table = document.getElementById("table");
const ours = `/play/${table.dataset.key}`;
const SOON_MS = 1_500;
const AGAIN_MS = [300, 700, 1_500, 3_000]; // between tries of a request, the last for ever
const LOST_AFTER = 2; // tries
const HIDDEN_MS = 60_000; // a browser has six connections to a server, so a hidden tab keeps none
const ENGINE = 1;
const MOVED_ON = "data-moved-on";

let turn; // as the server tells it: the checkers, and the stages of a play with their steps
let board;
let made = []; // the steps of the play so far
let forms = {}; // to confirm and to undo, in the page while they are of use
let busy = false;
let finish = null; // ends the animation at once
let seenEngine; // the engine's play that was shown last

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

function say(what) { document.getElementById("heard").textContent = what; }
function says() { return document.getElementById("says"); }
function sourceAt(start) { return table.querySelector(`.source[data-start="${start}"]`); }
function token() { return table.querySelector("input[name=token]").value; }

// --- the play in this page

function stage() { return made.reduce((at, [start, end]) => turn.stages[at].find(([s, e]) => s === start && e === end)[2], 0); }
function standing() { return made.reduce((checkers, step) => after(checkers, 0, step), turn.checkers); }
function whole() { return turn.whole.includes(stage()); }
function written([start, end]) { return `${start === BAR ? "bar" : start}/${end === OFF ? "off" : end}`; }
function named(place) { return { [BAR]: "the bar", [OFF]: "off" }[place] ?? String(place); }

// The places that the checker on `start` reaches, with its steps: few dice first, then few hits.
function reached(start) {
  const ways = new Map();
  const walk = (at, checkers, chain, hits) => {
    for (const [from, end, next] of turn.stages[at]) {
      if (from !== (chain.length ? chain.at(-1)[1] : start)) continue;
      const steps = [...chain, [from, end]];
      const hit = hits + (end !== OFF && checkers[ENGINE][faced(end)] === 1);
      const known = ways.get(end);
      if (known && (known.steps.length < steps.length || (known.steps.length === steps.length && known.hits <= hit))) continue;
      ways.set(end, { steps, hits: hit });
      walk(next, after(checkers, 0, [from, end]), steps, hit);
    }
  };
  if (turn.stages.length) walk(stage(), standing(), [], 0);
  return ways;
}

function place(start, ways) {
  const near = [...ways].filter(([, way]) => way.steps.length === 1).map(([end]) => end).sort((a, b) => a - b);
  const far = [...ways.keys()].filter((end) => !near.includes(end));
  return element("rect", {
    ...cell(start), class: "source", rx: 6, tabindex: 0, role: "button", "data-start": start, "data-ends": near.join(), "data-far": far.join(),
    "aria-label": `Move from ${named(start)} to ${near.map(named).join(" or ")}`,
  });
}

function paint() {
  for (const each of table.querySelectorAll(".source, .target")) each.remove();
  const starts = turn.stages.length ? [...new Set(turn.stages[stage()].map(([start]) => start))].sort((a, b) => b - a) : [];
  const ways = new Map(starts.map((start) => [start, reached(start)]));
  const ends = new Set([...ways.values()].flatMap((each) => [...each.keys()]));
  board.svg.append(
    ...[...ends].map((end) => element("rect", { ...cell(end), class: "target", rx: 6, "data-end": end })),
    ...starts.map((start) => place(start, ways.get(start))),
  );
  if (forms.confirm) {
    const isWhole = whole();
    forms.place.replaceChildren(...[isWhole && forms.confirm, made.length && forms.undo].filter(Boolean));
    const [sentence, sofar] = says().querySelectorAll("[data-says], [data-sofar]");
    sentence.textContent = turn.says[isWhole ? 1 : 0];
    sofar.textContent = made.length ? `So far ${made.map(written).join(" ")}.` : "";
  }
  board.svg.classList.toggle("moving", made.length > 0);
  sessionStorage.setItem(ours, JSON.stringify([turn.seen, made]));
  const keys = table.dataset.keys && (table.querySelector(".deeds button.main") || table.querySelector(".source, input[name=first]"));
  if (keys) keys.focus();
  tell();
  table.dataset.shown = Number(table.dataset.shown || 0) + 1;
}

// What is put in anew is not read out, so it is said again where somebody listens.
function tell() {
  say(says().innerText);
  document.title = `${says().querySelector("[data-says]").textContent.trim()} · Sixprime`;
}

function step(start, end, from = null) {
  const way = reached(start).get(end);
  if (!way) return letGo();
  const lifted = from || board.top(0, start);
  for (const each of way.steps.slice(0, -1)) board.draw(after(board.checkers, 0, each));
  board.step(0, way.steps.at(-1), lifted);
  made.push(...way.steps);
  return paint();
}

function undo() {
  made.pop();
  board.draw(standing());
  paint();
}

// --- what the server tells

function mount(first) {
  turn = JSON.parse(document.getElementById("turn").textContent);
  board = new Board(table.querySelector("svg.board"));
  forms = {};
  const spare = table.querySelector("template");
  if (spare) {
    const [confirm, undo] = document.importNode(spare.content, true).children;
    forms = { confirm, undo, place: table.querySelector(".steps") };
  }
  const kept = JSON.parse(sessionStorage.getItem(ours) || "[]");
  made = (kept[0] === turn.seen && turn.stages.length ? kept[1] : turn.begun).map((each) => [...each]);
  const isNew = turn.engine && turn.engine.at !== seenEngine;
  seenEngine = turn.engine?.at;
  if (isNew && !first && moves() && !document.hidden) animate();
  else settle();
}

function settle() {
  finish = null;
  board.svg.classList.remove("replaying");
  board.draw(standing());
  const list = table.querySelector(".moves");
  if (list) list.scrollTop = list.scrollHeight;
  paint();
}

// The engine's dice roll and its checkers move, until somebody presses something.
async function animate() {
  let skipped = false;
  const part = board;
  finish = () => { skipped = true; settle(); };
  part.svg.classList.add("replaying");
  part.draw(turn.engine.before);
  tell();
  await roll(part.svg.querySelector(".dice.earlier"));
  for (const each of turn.engine.steps || []) {
    if (skipped) return;
    await part.step(ENGINE, each);
  }
  if (skipped) return;
  const own = part.svg.querySelector(".dice:not(.earlier)");
  settle();
  roll(own);
}

async function show(answer, again) {
  if (!isPart(answer, ours)) { location.reload(); return; }
  replacePart(table, await textOf(answer));
  if (again) table.querySelector(`[${MOVED_ON}]`)?.remove(); // it was this page that had come first
  found();
  mount(false);
}

// A deed is asked for until it is answered; the board that it was meant for keeps it from being done twice.
async function send(deed, fields = {}) {
  if (busy) return;
  busy = true;
  table.setAttribute("aria-busy", "true");
  const late = setTimeout(() => {
    const sentence = says().querySelector("[data-says]");
    sentence.textContent = "Waiting for the engine …";
    say(sentence.textContent);
  }, SOON_MS);
  try {
    for (let tries = 0; ; tries += 1) {
      const body = new URLSearchParams({ ...fields, token: token(), seen: turn.seen, fragment: 1 });
      const answer = await fetchPart(`${ours}/${deed}`, { method: "POST", body }).catch(() => null);
      if (answer?.status === 403 && tries === 0 && await renewToken()) continue; // a server that began anew
      if (answer) { await show(answer, tries > 0); return; }
      if (tries >= LOST_AFTER) sayLost(table, "Nothing is lost: the match goes on when it is back.");
      await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    }
  } finally {
    clearTimeout(late);
    busy = false;
    table.removeAttribute("aria-busy");
  }
}

async function look(more = "") {
  const answer = await fetchPart(`${ours}${more}`).catch(() => null);
  if (answer && !busy) await show(answer, true);
}

// --- other pages of this match: what they do is seen here at once

let line = null;

function watch() {
  line?.close();
  line = document.hidden ? null : new EventSource(`${ours}/live`);
  if (line) line.onmessage = ({ data }) => { if (!busy && data !== turn.seen) look(); };
}

// --- mouse, finger and keyboard

function ends(source) { return source.dataset.ends.split(",").map(Number); }
function reach(source) { return [...ends(source), ...(source.dataset.far ? source.dataset.far.split(",").map(Number) : [])]; }

function letGo() {
  for (const each of table.querySelectorAll(".chosen, .open")) each.classList.remove("chosen", "open");
  table.querySelector(".choosing")?.classList.remove("choosing");
}

function choose(source) {
  const again = source.classList.contains("chosen");
  letGo();
  if (again) return;
  const open = new Set(reach(source));
  board.svg.classList.add("choosing");
  source.classList.add("chosen");
  for (const each of board.svg.querySelectorAll(".target")) {
    if (open.has(Number(each.dataset.end))) { each.classList.add("open"); board.svg.append(each); }
  }
}

function press(source) {
  const where = ends(source);
  if (where.length === 1) return step(Number(source.dataset.start), where[0]);
  return choose(source);
}

const hand = {
  target: ".target",
  lift(source) {
    if (!source.classList.contains("chosen")) choose(source);
    return board.piece(0, Number(source.dataset.start), 0);
  },
  tap: ({ dataset: { start } }) => { const source = sourceAt(start); if (source) press(source); },
  drop({ dataset: { start } }, target, event) {
    const source = sourceAt(start);
    if (target && source && reach(source).includes(Number(target.dataset.end))) {
      const at = inBoard(board.svg, event);
      step(Number(start), Number(target.dataset.end), [at.x, at.y]);
    } else letGo();
  },
};

table.addEventListener("submit", (event) => {
  const to = new URL(event.target.action).pathname;
  if (!to.startsWith(ours)) return; // leads to another page
  event.preventDefault();
  const deed = to.slice(ours.length + 1);
  if (deed === "undo") undo();
  else if (deed === "confirm" && event.target.classList.contains("own")) send("play", { steps: made.map(([start, end]) => `${start}/${end}`).join(" ") });
  else send(deed, Object.fromEntries(new FormData(event.target, event.submitter)));
});
table.addEventListener("change", (event) => {
  if ("look" in event.target.dataset) {
    const look = event.target.value;
    document.cookie = `board=${look}; path=/; max-age=${look ? 31_536_000 : 0}; samesite=strict`;
    if (look) document.documentElement.dataset.board = look; else delete document.documentElement.dataset.board;
  }
  // dice entered by hand: two taps
  const form = event.target.closest("form.dice");
  if (form && form.querySelectorAll("input:checked").length === 2 && !table.dataset.keys) form.requestSubmit();
});
table.addEventListener("pointerdown", (event) => {
  delete table.dataset.keys;
  const wasMoving = finish;
  finish?.();
  const source = wasMoving ? under(event, ".source") : event.target.closest?.(".source");
  if (source && event.button === 0) { event.preventDefault(); carry(event, source, hand); }
});
hold(table, (at) => at.closest?.(".source"));
table.addEventListener("click", (event) => {
  if (event.target.id === "hint") { event.preventDefault(); look("?hint=1"); return; }
  const target = event.target.closest?.(".target.open");
  const chosen = table.querySelector(".source.chosen");
  if (target && chosen) step(Number(chosen.dataset.start), Number(target.dataset.end));
  else if (chosen && !event.target.closest?.(".source")) letGo();
});
table.addEventListener("keydown", (event) => {
  table.dataset.keys = "1";
  finish?.();
  const source = event.target.closest?.(".source");
  if (event.key === "Escape") letGo();
  if (!source || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  step(Number(source.dataset.start), ends(source)[ends(source).length > 1 && event.shiftKey ? 1 : 0]);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) setTimeout(() => { if (document.hidden) watch(); }, HIDDEN_MS);
  else { watch(); look(); }
});
document.documentElement.classList.add("scripted");
mount(true);
watch();
