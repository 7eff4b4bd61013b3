// Notices of the browser, for whoever allows them by a switch: the opponent has played, long work is done.

const KEY = "notices"; // of all pages of this server
const AGAIN_MS = 10_000;

function allowed() { return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(KEY) === "on"; }

// Shows the switches of the page as they stand.
export function showSwitches() {
  for (const box of document.querySelectorAll("[data-notices]")) {
    box.checked = allowed();
    box.closest("label").hidden = !("Notification" in window);
  }
}

export async function notify(text) {
  if (!document.hidden || !allowed()) return;
  const options = { body: text, icon: "/static/icon.svg", tag: location.pathname };
  const worker = await navigator.serviceWorker?.getRegistration();
  if (worker) { worker.showNotification("Sixprime", options); return; } // phones know no other way
  const notice = new Notification("Sixprime", options);
  notice.onclick = () => { focus(); notice.close(); };
}

document.addEventListener("change", async (event) => {
  const box = event.target;
  if (!("notices" in box.dataset)) return;
  const wants = box.checked && await Notification.requestPermission() === "granted";
  localStorage.setItem(KEY, wants ? "on" : "off");
  showSwitches();
});

// A hidden page of the archive keeps no connection, so it asks now and then whether its work is done.
const chore = document.getElementById("chore");

async function ask() {
  if (!document.hidden || !allowed()) return;
  const answer = await fetch("/archive/chore").catch(() => null);
  const part = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const state = part && part.querySelector("[data-state]");
  if (state && state.dataset.state !== "going") notify(state.querySelector(".choreline p").textContent.trim());
  else setTimeout(ask, AGAIN_MS);
}

if (chore) {
  new MutationObserver(showSwitches).observe(chore, { childList: true });
  document.addEventListener("visibilitychange", () => { if (document.hidden && chore.querySelector("[data-state=going]")) ask(); });
}
showSwitches();
