// A rollout as it goes on. Hanging up ends it, and so does closing the page.

import { ask, eventsOf } from "./fragment.js";
import { _ } from "./texts.js";
import { notify } from "./notices.js";

const box = document.getElementById("rollout");
const bar = box.querySelector("progress"), told = box.querySelector("[data-told]");
const table = box.querySelector("table"), action = box.querySelector("[data-action]"), stop = box.querySelector("[data-stop]");
let line = null;

export function hangUp() {
  line?.abort();
  line = null;
  box.hidden = true;
}

function show(news) {
  if (news.total) { bar.max = news.total; bar.value = news.done; }
  told.textContent = news.done ? news.says : _("getting ready");
  action.textContent = news.action;
  table.hidden = !news.rows.length;
  table.tBodies[0].replaceChildren(...news.rows.map((row) => {
    const shown = document.createElement("tr");
    for (const name of ["name", "equity", "within", "loss", "win", "gammon", "lost", "trials"]) {
      const cell = shown.insertCell();
      cell.textContent = row[name];
      if (name !== "name") cell.className = "number";
    }
    return shown;
  }));
  if (news.problem) told.textContent = news.problem;
}

function over(text) {
  stop.hidden = true;
  if (text) told.textContent = text;
}

export async function rollOut(fields) {
  hangUp();
  const mine = line = new AbortController();
  box.hidden = false;
  stop.hidden = false;
  table.hidden = true;
  action.textContent = "";
  told.textContent = _("getting ready");
  bar.removeAttribute("value");
  box.scrollIntoView({ block: "nearest" });
  try {
    const answer = await ask("/position/rollout", { method: "POST", body: fields, signal: mine.signal });
    if (!answer.ok) {
      bar.value = 0;
      over((await answer.text()).slice(0, 200));
      return;
    }
    let last = null;
    for await (const news of eventsOf(answer)) { last = news; show(news); }
    over(last?.ended ? "" : _("The server hung up."));
    notify(_("Rollout: %(done)s", { done: told.textContent }));
  } catch {
    if (line && line !== mine) return;
    over(mine.signal.aborted ? _("stopped after %(done)s", { done: told.textContent }) : _("The server does not answer."));
  }
}

stop.addEventListener("click", () => { line?.abort(); });
