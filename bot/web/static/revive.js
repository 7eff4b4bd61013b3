// A page whose script or style got lost on its way is loaded again, a few times.

const tries = `tries ${location.pathname}`;
const MOST = 5, AGAIN_MS = 700;

addEventListener("load", () => {
  const isWhole = document.documentElement.classList.contains("scripted") && [...document.querySelectorAll("link[rel=stylesheet]")].every((link) => link.sheet);
  const made = Number(sessionStorage.getItem(tries) || 0);
  if (isWhole) sessionStorage.removeItem(tries);
  else if (made < MOST) {
    sessionStorage.setItem(tries, made + 1);
    setTimeout(() => location.reload(), AGAIN_MS);
  }
});
