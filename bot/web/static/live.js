// Running bots: what has changed, as the server sends it. Everything is text, but the pictures, which the server drew.

import { ask, renewToken } from "./fragment.js";
import { _ } from "./texts.js";

const bots = document.getElementById("bots");
const told = document.getElementById("told");
const lost = document.getElementById("lost");
const SILENT_MS = 45_000; // the server says every 15 s that it is still there
const AGAIN_MS = 3_000;
const HIDDEN_MS = 60_000; // a browser has six connections to a server, so a hidden tab keeps none
let ahead = 0; // of our clock, the server's, in seconds
let line = null; // to the server, while there is one
let next; // what is done if nothing happens before

function drawn(picture) {
  return document.importNode(new DOMParser().parseFromString(picture, "image/svg+xml").documentElement, true);
}

function element(name, text, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function row([id, time, ...texts]) {
  const link = element("a", time);
  link.href = `/archive/${Number(id)}`;
  const made = document.createElement("tr");
  const kinds = ["", "rare", "rare", "", "number"]; // opponent, length, score, result, rating
  made.append(document.createElement("td"), ...texts.map((text, i) => element("td", text, kinds[i])));
  made.firstChild.append(link);
  return made;
}

function show(card, bot) {
  const was = card.querySelector("[data-show=state]");
  if (told.className === "problem" && "state" in bot && was.textContent !== bot.state) told.textContent = ""; // its reason may be gone
  for (const [name, value] of Object.entries(bot)) {
    for (const place of card.querySelectorAll(`[data-show="${name}"]`)) place.textContent = value;
    for (const place of card.querySelectorAll(`[data-draw="${name}"]`)) place.replaceChildren(...(value ? [drawn(value)] : []));
    for (const place of card.querySelectorAll(`[data-rows="${name}"]`)) place.replaceChildren(...value.map(row));
    for (const place of card.querySelectorAll(`[data-lines="${name}"]`)) place.replaceChildren(...value.map(([level, line]) => element("li", line, level)));
  }
  if ("at" in bot) card.dataset.at = bot.at ?? "";
  if ("mood" in bot) card.dataset.mood = bot.mood;
  if ("since" in bot) for (const place of card.querySelectorAll("[data-since]")) place.dataset.since = bot.since ?? "";
}

function lasted(seconds) {
  if (seconds < 100) return `${Math.max(0, Math.floor(seconds))} s`;
  return seconds < 6000 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

function tick() {
  const now = Date.now() / 1000 + ahead;
  for (const place of bots.querySelectorAll("[data-since]")) {
    const text = place.dataset.since ? lasted(now - Number(place.dataset.since)) : "";
    if (place.textContent !== text) place.textContent = text;
  }
}

function count() {
  const cards = bots.querySelectorAll("[data-mood]");
  const bad = bots.querySelectorAll("[data-mood=bad]").length;
  const place = document.getElementById("count");
  if (place) place.textContent = _("%(count)s, %(bad)s in trouble", { count: cards.length, bad });
  document.title = document.title.replace(/^(\(\d+!\) )?/, bad ? `(${bad}!) ` : "");
}

function hangUp(until) {
  line?.close();
  line = null;
  clearTimeout(next);
  next = setTimeout(watch, until);
}

function watch() {
  line = new EventSource(bots.dataset.live);
  const again = () => {
    hangUp(AGAIN_MS);
    lost.hidden = false;
    renewToken();
  };
  const heard = () => {
    lost.hidden = true;
    clearTimeout(next);
    next = setTimeout(again, SILENT_MS);
  };
  line.onopen = heard;
  line.onerror = again;
  line.onmessage = (event) => {
    heard();
    const seen = JSON.parse(event.data);
    ahead = seen.now - Date.now() / 1000;
    for (const card of bots.querySelectorAll("[data-profile]")) {
      const bot = seen.bots[card.dataset.profile];
      if (bot) show(card, bot);
    }
    tick();
    count();
    bots.dataset.shown = Number(bots.dataset.shown || 0) + 1;
    if (document.hidden) hangUp(HIDDEN_MS);
  };
}

async function order(event) {
  event.preventDefault();
  const form = event.target;
  let done = false;
  let text = _("The server does not answer.");
  try {
    const send = () => ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { accept: "application/json" } });
    let answer = await send();
    if (answer.status === 403 && await renewToken()) answer = await send(); // nothing was done the first time
    const is_ours = (answer.headers.get("content-type") || "").startsWith("application/json");
    ({ done, told: text } = is_ours ? await answer.json() : { done: false, told: _("Refused: load the page again.") });
  } catch { /* it says so already */ }
  told.className = done ? "says" : "problem";
  told.textContent = text;
  if (done) for (const field of form.querySelectorAll("input[name=text], input[name=name]")) field.value = "";
}

if (bots) {
  watch();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && line) hangUp(HIDDEN_MS);
    else if (!document.hidden && !line) { clearTimeout(next); watch(); }
  });
  setInterval(tick, 1000);
  for (const form of document.querySelectorAll("[data-order]")) form.addEventListener("submit", order);
}
