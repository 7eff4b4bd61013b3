// The end of a match: a deeper analysis with its progress, a link and a picture to pass on.

import { ask, fetchPart } from "./fragment.js";
import { notify } from "./notices.js";
import { copied } from "./sharing.js";
import { _ } from "./texts.js";

const table = document.getElementById("table");

const box = () => document.getElementById("deeper");

function say(text) {
  box().hidden = false;
  box().querySelector("span").textContent = text;
}

function follow() {
  const line = new EventSource("/archive/chore/live");
  line.onmessage = async ({ data }) => {
    const seen = JSON.parse(data);
    const bar = box().querySelector("progress");
    if (seen?.state === "going") {
      bar.max = Math.max(seen.total, 1);
      bar.value = seen.done;
      say(seen.says);
      return;
    }
    line.close();
    const answer = await fetchPart(location.pathname).catch(() => null);
    if (!answer?.ok) { say(_("The server does not answer.")); return; }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of [".after", ".moves"]) table.querySelector(part).replaceWith(fresh.querySelector(part));
    prepare();
    say(seen?.summary || "");
    notify(seen?.summary || _("The analysis is done."));
  };
}

table.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("deeper" in form.dataset) || !box()) return;
  event.preventDefault();
  const begun = { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual", headers: { accept: "text/plain" } };
  const answer = await ask(form.action, begun).catch(() => null);
  if (answer?.type === "opaqueredirect") follow();
  else say(answer ? (await answer.text()).slice(0, 200) : _("The server does not answer."));
});

table.addEventListener("click", async ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.copyLink && await copied(new URL(button.dataset.copyLink, location).href)) button.textContent = _("Copied");
  if (!button?.dataset.share) return;
  const picture = await (await ask(button.dataset.share)).blob();
  const files = [new File([picture], "sixprime.png", { type: "image/png" })];
  const url = new URL(button.dataset.about, location).href;
  if (navigator.canShare?.({ files })) navigator.share({ files, url }).catch(() => {});
});

// Only a few browsers pass files on.
function prepare() {
  const can = navigator.canShare?.({ files: [new File([""], "a.png", { type: "image/png" })] });
  for (const button of table.querySelectorAll("[data-share]")) button.hidden = !can;
}

new MutationObserver(prepare).observe(table, { attributes: true, attributeFilter: ["data-shown"] });
prepare();
