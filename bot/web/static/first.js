// The first start: how far the preparations are, and the page that waits for them.

import { ask } from "./fragment.js";

const part = document.getElementById("first");
const needs = part.dataset.needs?.split(" ") || [];
const where = `/first?${new URLSearchParams(needs.map((key) => ["needs", key]))}`;
const LOOK_MS = 1_000;

async function look() {
  const answer = await ask(where).catch(() => null);
  if (answer?.ok && !answer.redirected) {
    const seen = await answer.json();
    if (needs.length && !seen?.waits) { location.reload(); return; }
    if (!seen) { part.remove(); return; }
    for (const place of part.querySelectorAll("[data-first]")) place.textContent = seen[place.dataset.first];
    const bar = part.querySelector("progress");
    bar.max = seen.total;
    bar.value = seen.done;
  }
  setTimeout(look, LOOK_MS);
}

setTimeout(look, LOOK_MS);
