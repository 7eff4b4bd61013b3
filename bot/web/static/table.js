// Playing: steps, undo and legality are this page's; a whole play is one request, and every other deed, too.

import { BAR, Board, OFF, after, moves, roll } from "./board.js";
import { choice } from "./choices.js";
import { fetchPart, found, isPart, renewToken, replacePart, sayLost, textOf } from "./fragment.js";
import { letGo, offerPlaces, useHands } from "./hands.js";
import { sound } from "./sounds.js";
import { Play } from "./turn.js";
import { _ } from "./texts.js";

const table = document.getElementById("table");
const ours = table.dataset.at || `/play/${table.dataset.key}`;
const alone = "at" in table.dataset; // a question, which no other page answers
const SOON_MS = 1_500;
const AGAIN_MS = [300, 700, 1_500, 3_000]; // between tries of a request, the last for ever
const LOST_AFTER = 2; // tries
const FORCED_MS = 700; // to see the dice, and the play that they force
const HIDDEN_MS = 60_000; // a browser has six connections to a server, so a hidden tab keeps none
const ENGINE = 1;
const MOVED_ON = "data-moved-on";

let turn; // as the server tells it: the checkers, and the stages of a play with their steps
let play;
let board;
let forms = {}; // to confirm and to undo, in the page while they are of use
let busy = false;
let finish = null; // ends the animation at once
let seenEngine; // the engine's play that was shown last
let seenCube; // the cube's value and owner that were shown last
let acted; // the turn in which this page did something by itself

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

function say(what) { document.getElementById("heard").textContent = what; }
function says() { return document.getElementById("says"); }
function token() { return table.querySelector("input[name=token]").value; }
function deed(name) { return table.querySelector(`[data-deed=${name}]`); }
function asks() { return table.querySelector(".boardbox").dataset.asks; }

// --- the play in this page

function written([start, end]) { return `${start === BAR ? "bar" : start}/${end === OFF ? "off" : end}`; }

function paint() {
  offerPlaces(board, play);
  const isBegun = play.made.length > 0;
  if (forms.confirm) {
    forms.place.replaceChildren(...[play.isWhole && forms.confirm, isBegun && forms.undo].filter(Boolean));
    const [sentence, sofar] = says().querySelectorAll("[data-says], [data-sofar]");
    sentence.textContent = turn.says[play.isWhole ? 1 : 0];
    sofar.textContent = isBegun ? _("So far %(begun)s.", { begun: play.made.map(written).join(" ") }) : "";
  }
  board.dim(play.left, turn.left[0]);
  board.svg.classList.toggle("moving", isBegun);
  sessionStorage.setItem(ours, JSON.stringify([turn.seen, play.isFree ? [] : play.made]));
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
  const way = play.reached(start).get(end);
  if (!way || busy) return letGo(table);
  const lifted = from || board.top(play.seat, start);
  for (const passed of way.steps.slice(0, -1)) board.draw(after(board.checkers, play.seat, passed));
  const slid = board.step(play.seat, way.steps.at(-1), lifted);
  sound("checker");
  play.made.push(...way.steps);
  paint();
  return slid;
}

function undo() {
  if (busy) return;
  play.made.pop();
  board.draw(play.standing);
  paint();
}

function confirm() { return send(play.isFree ? "keep" : "play", { steps: play.made.map(([start, end]) => `${start}/${end}`).join(" ") }); }

// --- what the server tells

function mount(isFirst) {
  const earlier = turn?.seen;
  turn = JSON.parse(document.getElementById("turn").textContent);
  board = new Board(table.querySelector("svg.board"));
  forms = {};
  const spare = table.querySelector("template");
  if (spare) {
    const [confirm, undo] = document.importNode(spare.content, true).children;
    forms = { confirm, undo, place: table.querySelector(".steps") };
  }
  const kept = JSON.parse(sessionStorage.getItem(ours) || "[]");
  play = new Play(turn, kept[0] === turn.seen && turn.stages.length ? kept[1] : turn.begun);
  const isNew = turn.engine && turn.engine.at !== seenEngine;
  seenEngine = turn.engine?.at;
  const cube = board.cube;
  if (!isFirst && cube !== seenCube) sound("cube");
  seenCube = cube;
  const isRolled = !isFirst && earlier !== turn.seen && asks() === "PLAY" && !play.made.length;
  if (isNew && !isFirst && moves() && !document.hidden) animate(isRolled);
  else settle(isRolled);
}

function settle(isRolled) {
  finish = null;
  board.svg.classList.remove("replaying");
  board.draw(play.standing);
  const list = table.querySelector(".moves");
  if (list) list.scrollTop = list.scrollHeight;
  paint();
  if (isRolled) sound("dice");
  (isRolled ? roll(board.svg.querySelector(".dice:not(.earlier)")) : Promise.resolve()).then(actByChoice);
}

// The engine's dice roll and its checkers move, until somebody presses something.
async function animate(isRolled) {
  let skipped = false;
  const part = board;
  finish = () => { skipped = true; settle(false); };
  part.svg.classList.add("replaying");
  part.draw(turn.engine.before);
  tell();
  sound("dice");
  await roll(part.svg.querySelector(".dice.earlier"));
  for (const moved of turn.engine.steps || []) {
    if (skipped) return;
    sound("checker");
    await part.step(ENGINE, moved);
  }
  if (!skipped) settle(isRolled);
}

// Automatic rolls and forced plays, once in a turn.
async function actByChoice() {
  if (alone || busy || document.hidden || acted === turn.seen) return;
  const rolls = choice("rolls");
  if (deed("roll") && (rolls === "all" || (rolls === "plain" && !deed("double")))) {
    acted = turn.seen;
    send("roll");
  } else if (choice("forced") && forms.confirm && turn.forced) {
    acted = turn.seen;
    await pause(FORCED_MS);
    while (acted === turn.seen && !play.isWhole) await step(...play.next[0]);
    await pause(FORCED_MS);
    if (acted === turn.seen && play.isWhole) confirm();
  }
}

// The answer with its text, or nothing: it may be cut in its middle, too.
async function fetchTable(address, options) {
  try {
    const answer = await fetchPart(address, options);
    return { answer, text: isPart(answer, ours) ? await textOf(answer) : null };
  } catch { return null; }
}

function show({ text }, isAgain) {
  if (text === null) { location.reload(); return; }
  replacePart(table, text);
  if (isAgain) table.querySelector(`[${MOVED_ON}]`)?.remove(); // it was this page that had come first
  found();
  busy = false;
  table.removeAttribute("aria-busy");
  mount(false);
}

// Nothing can be pressed until the server has answered; it is asked until it has.
async function wait(address, options) {
  if (busy) return;
  busy = true;
  letGo(table);
  table.setAttribute("aria-busy", "true");
  board.think();
  for (const part of table.querySelectorAll(".deeds, .boardbox, form.dice, form.line")) part.inert = true;
  const late = setTimeout(() => {
    const sentence = says().querySelector("[data-says]");
    sentence.textContent = _("Waiting for the engine …");
    say(sentence.textContent);
  }, SOON_MS);
  for (let tries = 0; ; tries += 1) {
    const told = await fetchTable(address, options());
    if (told?.answer.status === 403 && tries === 0 && await renewToken()) continue; // a server that began anew
    if (told) { clearTimeout(late); show(told, tries > 0); return; }
    if (tries >= LOST_AFTER) sayLost(table, _("Nothing is lost: the match goes on when it is back."));
    await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
  }
}

// The board that a deed was meant for keeps it from being done twice.
function send(deed, fields = {}) {
  return wait(`${ours}/${deed}`, () => ({
    method: "POST",
    body: new URLSearchParams({ ...fields, token: token(), seen: turn.seen, fragment: 1 }),
  }));
}

async function look() {
  const told = await fetchTable(ours);
  if (busy) return;
  if (told) show(told, true);
  else setTimeout(() => { if (!document.hidden) look(); }, AGAIN_MS.at(-1));
}

// --- other pages of this match: what they do is seen here at once

let line = null;

function watch() {
  if (alone) return;
  line?.close();
  line = document.hidden ? null : new EventSource(`${ours}/live`);
  if (line) line.onmessage = ({ data }) => { if (!busy && data !== turn.seen) look(); };
}

// --- what is pressed

useHands(table, {
  shown: () => board,
  seat: () => play.seat,
  step,
  finish() {
    const wasMoving = finish !== null;
    finish?.();
    return wasMoving;
  },
});
table.addEventListener("submit", (event) => {
  const to = new URL(event.submitter?.getAttribute("formaction") ?? event.target.action, location).pathname;
  if (!to.startsWith(ours)) return; // leads to another page
  event.preventDefault();
  const name = to.slice(ours.length + 1);
  if (name === "undo") undo();
  else if (name === "confirm" && event.target.classList.contains("own")) confirm();
  else send(name, Object.fromEntries(new FormData(event.target, event.submitter)));
});
table.addEventListener("change", (event) => {
  if ("free" in event.target.dataset) {
    play = new Play(turn, [], event.target.checked);
    board.draw(play.standing);
    paint();
  }
  // dice entered by hand: two taps
  const form = event.target.closest("form.dice");
  if (form && form.querySelectorAll("input:checked").length === 2 && !table.dataset.keys) form.requestSubmit();
});
document.addEventListener("change", (event) => { if ("choice" in event.target.dataset) actByChoice(); });
table.addEventListener("click", (event) => {
  if (event.target.id !== "hint") return;
  event.preventDefault();
  wait(`${ours}?hint=1`, () => ({}));
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) setTimeout(() => { if (document.hidden) watch(); }, HIDDEN_MS);
  else if (!alone) { watch(); look(); }
});
document.documentElement.classList.add("scripted");
mount(true);
watch();
