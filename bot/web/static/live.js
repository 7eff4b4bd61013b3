// Running bots: the latest picture, as the server sends it. Everything is text, but the board, which the server drew.

const bots = document.getElementById("bots");

function drawn(board) {
  return document.importNode(new DOMParser().parseFromString(board, "image/svg+xml").documentElement, true);
}

function show(card, bot) {
  for (const place of card.querySelectorAll("[data-show]")) {
    const value = bot[place.dataset.show];
    const text = Array.isArray(value) ? value.join("–") : String(value ?? "–");
    if (place.textContent !== text) place.textContent = text;
  }
  card.querySelector("[data-sick]").hidden = bot.healthy;
  const box = card.querySelector("[data-show-board]");
  if (box.dataset.drawn !== bot.board) {
    box.dataset.drawn = bot.board;
    box.replaceChildren(...(bot.board ? [drawn(bot.board)] : []));
  }
}

if (bots) {
  const source = new EventSource(bots.dataset.live);
  source.onmessage = (event) => {
    const seen = JSON.parse(event.data);
    for (const card of bots.querySelectorAll("[data-profile]")) {
      const bot = seen[card.dataset.profile];
      if (bot) show(card, bot);
    }
    bots.dataset.shown = Number(bots.dataset.shown || 0) + 1;
  };
}
