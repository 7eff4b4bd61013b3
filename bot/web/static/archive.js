// The archive: replay by keys without loading the page again, progress of long work, files to be dropped.

import { ask, found, renewToken, sayLost } from "./fragment.js";
import { _ } from "./texts.js";

const replay = document.getElementById("replay");
let asked = 0;
let pending = ""; // the step that is on its way

function lose() { sayLost(document.getElementById("main"), _("Nothing is lost: go on when it is back.")); }

function fresh(text) { return new DOMParser().parseFromString(text, "text/html"); }

function moveCursor(step) {
  for (const chart of document.querySelectorAll("#graphs .chart")) {
    let nearest = null;
    for (const link of chart.querySelectorAll("a")) {
      if (Number(new URLSearchParams(link.getAttribute("href")).get("step")) <= step || !nearest) nearest = link;
    }
    const strip = nearest?.querySelector("rect"), here = chart.querySelector(".here");
    if (!strip || !here) continue;
    const x = Number(strip.getAttribute("x")) + Number(strip.getAttribute("width")) / 2;
    here.setAttribute("x1", x);
    here.setAttribute("x2", x);
  }
}

async function go(href, remember) {
  if (href === pending) return; // a key that is held, on a slow network
  pending = href;
  const mine = ++asked;
  const key = document.activeElement?.dataset?.key;
  let answer;
  try { answer = await ask(href, { headers: { "X-Fragment": "1" } }); } catch { lose(); }
  if (mine !== asked) return;
  pending = "";
  if (!answer) return;
  found();
  if (!answer.ok || answer.redirected) { location.assign(href); return; }
  const page = fresh(await answer.text());
  if (mine !== asked) return;
  for (const part of page.querySelectorAll("[data-swap]")) {
    const place = document.getElementById(part.id);
    if (part.dataset.step) place.dataset.step = part.dataset.step;
    place.replaceChildren(...part.childNodes);
  }
  const step = document.getElementById("seen").dataset.step;
  moveCursor(Number(step));
  showMarks();
  if (remember) history.replaceState(null, "", `?step=${step}`);
  if (key) (replay.querySelector(`[data-key="${key}"]`) || replay.querySelector("[data-key]"))?.focus();
  replay.dataset.shown = Number(replay.dataset.shown || 0) + 1;
}

function stepOf(link) {
  const href = link?.getAttribute("href") || "";
  return href.startsWith("?step=") ? href : null;
}

if (replay) {
  addEventListener("click", (event) => {
    if (event.ctrlKey || event.shiftKey || event.metaKey || event.button) return;
    const link = event.target.closest("a");
    const href = stepOf(link);
    if (!href) return;
    event.preventDefault();
    go(href, true);
    if (!replay.contains(link)) replay.scrollIntoView({ block: "start" });
  });
}

// -- decisions marked to be rolled out: kept by the tab until they are

const marking = document.getElementById("marks");
const placeOf = (match) => `marks /archive/${match}`;
const place = `marks ${location.pathname}`;
let marks = marksAt(place);

function marksAt(place) { return new Set(JSON.parse(sessionStorage.getItem(place) || "[]")); }

function keep(marks, place) { sessionStorage.setItem(place, JSON.stringify([...marks])); }

// What a chore rolled out is no longer marked. Once in a tab: it may be marked again for more trials.
function unmark(chore) {
  if (sessionStorage.getItem("unmarked") === chore.id) return;
  sessionStorage.setItem("unmarked", chore.id);
  for (const [match, mark] of chore.rolled.map((each) => each.split("/"))) {
    const left = marksAt(placeOf(match));
    left.delete(mark);
    keep(left, placeOf(match));
  }
  marks = marksAt(place);
  if (replay) showMarks();
}

function showMarks() {
  for (const box of replay.querySelectorAll("[data-mark]")) box.checked = marks.has(box.dataset.mark);
  for (const field of document.querySelectorAll("input[name=step]")) field.value = document.getElementById("seen").dataset.step;
  if (!marking) return;
  marking.elements.marks.value = [...marks].join(" ");
  marking.querySelector("button").disabled = !marks.size;
  const links = [...marks].sort((a, b) => parseInt(a) - parseInt(b)).map((mark) => {
    const link = document.createElement("a");
    link.href = `?step=${parseInt(mark)}`;
    const number = parseInt(mark) + 1;
    link.textContent = mark.endsWith("c") ? _("%(number)s cube", { number }) : number;
    return link;
  });
  marking.querySelector("[data-marked]").replaceChildren(links.length ? `${_("Marked steps:")} ` : _("Mark decisions above to roll them out."), ...links.flatMap((link, i) => (i ? [", ", link] : [link])));
}

if (replay) {
  replay.addEventListener("change", (event) => {
    const mark = event.target.dataset.mark;
    if (!mark) return;
    if (event.target.checked) marks.add(mark); else marks.delete(mark);
    keep(marks, place);
    showMarks();
  });
  addEventListener("pageshow", showMarks);
}

// -- work under way

const chore = document.getElementById("chore");
const AGAIN_MS = 3_000;

let drawings = 0;

async function redraw() {
  const mine = ++drawings; // what an older request brings is old, whenever it comes
  const answer = await fetch(location.href);
  if (!answer.ok || answer.redirected) return;
  const page = fresh(await answer.text());
  if (mine !== drawings) return;
  for (const part of document.querySelectorAll("#chore, #list")) part.replaceChildren(...page.getElementById(part.id).childNodes);
}

if (chore) {
  let last = chore.querySelector("[data-state]")?.dataset.state || "";
  let source = null;
  let failures = 0, next;
  const heard = async (event) => {
    const seen = JSON.parse(event.data); // nothing: the server has begun anew
    const was = last;
    last = seen?.state;
    if (seen && last !== "going") unmark(seen);
    if (last === "going") {
      if (was !== "going") { await redraw(); }
      const words = chore.querySelector("[data-chore=words]"), bar = chore.querySelector("progress");
      if (words) words.textContent = seen.says;
      if (bar) { bar.max = Math.max(seen.total, 1); bar.value = seen.done; }
    } else if (was === "going") {
      if (replay) location.reload();
      else await redraw();
    }
  };
  const look = () => { // a hidden tab keeps none of the six connections that a browser has to a server
    source?.close();
    source = null;
    clearTimeout(next);
    if (document.hidden) return;
    source = new EventSource(chore.dataset.live);
    source.onopen = () => {
      if (failures) renewToken();
      if (failures > 1) found();
      failures = 0;
    };
    source.onerror = () => {
      source.close();
      if (failures++) lose(); // not for a moment
      renewToken(); // or it is the login that it leads to
      next = setTimeout(look, AGAIN_MS);
    };
    source.onmessage = heard;
  };
  look();
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", () => { clearTimeout(next); source?.close(); });
}
