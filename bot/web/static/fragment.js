// Parts of a page that the server draws again.

import { _ } from "./texts.js";

// WebKit keeps a page that was left, in spite of `no-store`: it is old, and its reader may have logged out since.
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

const DEAD_MS = 90_000; // more than any level thinks; a connection may die without a word

// Our server's answer. That a proxy cannot reach it, or is tired of waiting (502 and up), is none.
export async function ask(address, options) {
  const answer = await fetch(address, options);
  if (answer.status > 501) throw new Error(`no answer: ${answer.status}`);
  return answer;
}

export async function fetchPart(address, options = {}) {
  const dead = new AbortController();
  const timer = setTimeout(() => dead.abort(), DEAD_MS);
  try {
    return await ask(address, { ...options, signal: dead.signal, headers: { "X-Fragment": "1", ...options.headers } });
  } finally {
    clearTimeout(timer);
  }
}

const PRESSED_MS = 1_500; // a menu, a list or another window may swallow the release
let released = Promise.resolve();
addEventListener("pointerdown", () => {
  released = new Promise((done) => {
    setTimeout(done, PRESSED_MS);
    for (const name of ["pointerup", "pointercancel", "contextmenu", "blur"]) addEventListener(name, () => setTimeout(done), { once: true });
  });
}, true);

// The page may change now: what lies under a pressed pointer would lose its click.
export async function textOf(answer) {
  const text = await answer.text();
  await released;
  return text;
}

export function replacePart(part, text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.getElementById(part.id) || page.body;
  part.replaceChildren(...fresh.childNodes);
  part.dataset.shown = Number(part.dataset.shown || 0) + 1;
}

// Of a page below this address; anything else, such as the login, is a page of its own.
export function isPart(answer, address) {
  return answer.ok && new URL(answer.url).pathname.startsWith(address);
}

// Says that the server does not answer, until the part is drawn again; false if it is said already.
export function sayLost(part, more) {
  if (document.getElementById("lost")) return false;
  const told = document.createElement("p");
  told.id = "lost";
  told.className = "problem";
  told.setAttribute("role", "alert");
  told.textContent = `${_("The server does not answer.")} ${more}`;
  part.prepend(told);
  return true;
}

export function found() { document.getElementById("lost")?.remove(); }

// A server that began anew has another token; says whether this page has one now that it did not have.
export async function renewToken() {
  const answer = await ask(location.href).catch(() => null);
  if (answer?.redirected) location.reload(); // to log in again
  if (!answer?.ok || answer.redirected) return false;
  const page = new DOMParser().parseFromString(await answer.text().catch(() => ""), "text/html");
  const token = page.querySelector("input[name=token]")?.value;
  const old = [...document.querySelectorAll("input[name=token]")].filter((each) => each.value !== token);
  for (const each of token ? old : []) each.value = token;
  return Boolean(token) && old.length > 0;
}

// Server-sent events as the answer to a POST, so that hanging up is what ends the work.
export async function* eventsOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const events = text.split("\n\n");
    text = events.pop();
    for (const event of events) yield JSON.parse(event.replace(/^data: /, ""));
  }
}
