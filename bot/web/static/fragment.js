// Parts of a page that the server draws again.

const DEAD_MS = 90_000; // more than any level thinks; a connection may die without a word

export async function fetchPart(address, options = {}) {
  const dead = new AbortController();
  const timer = setTimeout(() => dead.abort(), DEAD_MS);
  try {
    return await fetch(address, { ...options, signal: dead.signal, headers: { "X-Fragment": "1", ...options.headers } });
  } finally {
    clearTimeout(timer);
  }
}

export async function replacePart(part, answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
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
  told.textContent = `The server does not answer. ${more}`;
  part.prepend(told);
  return true;
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
