// Parts of a page that the server draws again.

export async function fetchPart(address, options = {}) {
  return fetch(address, { ...options, headers: { "X-Fragment": "1", ...options.headers } });
}

export async function replacePart(part, answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(part.id) || page.body;
  part.replaceChildren(...fresh.childNodes);
  part.dataset.shown = Number(part.dataset.shown || 0) + 1;
}

export function isPart(answer) {
  return (answer.headers.get("content-type") || "").startsWith("text/html") && answer.status !== 403 && answer.status < 500;
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
