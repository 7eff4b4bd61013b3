"use strict";
// Comfort only: everything can be read without it.
document.documentElement.classList.add("scripted");
const turns = [...document.querySelectorAll("details")];
function all(open) {
  for (const each of turns) each.open = open;
}
function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  for (let each = target; each; each = each.parentElement) {
    if (each.tagName === "DETAILS") each.open = true;
  }
  target.scrollIntoView();
}
document.getElementById("open")?.addEventListener("click", () => all(true)); // only a match has them
document.getElementById("close")?.addEventListener("click", () => all(false));
addEventListener("hashchange", reveal);
reveal();
