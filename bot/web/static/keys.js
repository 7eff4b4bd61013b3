// Keys that press what the page shows. The list in the page's dialog binds them, so that it is complete.

const list = document.getElementById("keys");
const TYPED = "input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]";

function isAlive(part) { return part.checkVisibility() && !part.disabled && !part.closest("[inert]"); }

function nameOf({ key, shiftKey }) {
  if (key.length > 1) return shiftKey ? `Shift+${key}` : key;
  return shiftKey ? key : key.toLowerCase(); // whatever the caps lock says
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || list.open || event.target.closest?.(TYPED)) return;
  const bound = list.querySelector(`[data-presses][data-key="${CSS.escape(nameOf(event))}"]`);
  const part = bound && [...document.querySelectorAll(bound.dataset.presses)].find(isAlive);
  if (!part || (event.repeat && part.tagName !== "A")) return;
  event.preventDefault();
  part.click();
});
document.addEventListener("click", (event) => { if (event.target.closest?.("[data-help]")) list.showModal(); });
