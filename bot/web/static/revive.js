// A page whose script got lost on its way is loaded again, a few times; a lost style is asked for until it comes.

const tries = `tries ${location.pathname}`;
const MOST = 5, AGAIN_MS = 700;
let isCut = false;

function askAgain(style) { style.replaceWith(style.cloneNode()); }
function isStyled() { return getComputedStyle(document.documentElement).getPropertyValue("--back") !== ""; }

addEventListener("error", ({ target }) => {
  if (target.rel === "stylesheet") setTimeout(askAgain, AGAIN_MS, target);
  const made = Number(sessionStorage.getItem(tries) || 0);
  if (target.tagName !== "SCRIPT" || isCut || made === MOST) return;
  isCut = true;
  sessionStorage.setItem(tries, made + 1);
  setTimeout(() => location.reload(), AGAIN_MS);
}, true);
addEventListener("load", () => {
  if (!isStyled()) document.querySelectorAll("link[rel=stylesheet]").forEach(askAgain);
  if (!isCut) sessionStorage.removeItem(tries);
});
