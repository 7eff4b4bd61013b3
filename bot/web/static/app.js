// The pages as an app: the worker that answers where the server does not, and deeds that leave a page as it is.

import { ask } from "./fragment.js";
import { _ } from "./texts.js";

const { worker } = document.documentElement.dataset;
navigator.serviceWorker?.register(worker).catch(() => {}); // a browser may forbid it; the pages do without

addEventListener("submit", async (event) => {
  const form = event.target;
  if (!("train" in form.dataset)) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form));
  const answer = await ask(form.action, { method: "POST", body, headers: { accept: "application/json" } }).catch(() => null);
  if (!(answer?.headers.get("content-type") || "").startsWith("application/json")) {
    form.submit(); // a page says what is wrong
    return;
  }
  const link = document.createElement("a");
  link.className = "small";
  link.href = form.action;
  link.textContent = _("In training");
  form.replaceWith(link);
  link.focus();
});
