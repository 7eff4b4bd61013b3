// The board: tap, drag or use the keyboard to move; everything else is a form of the page.

const table = document.getElementById("table");

async function send(form) {
  const answer = await fetch(form.action, {
    method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "X-Fragment": "1" },
  });
  return show(answer);
}

async function show(answer) {
  const type = answer.headers.get("content-type") || "";
  if (answer.redirected && !new URL(answer.url).pathname.startsWith(`/play/${table.dataset.key}`)) {
    location.assign(answer.url);
    return;
  }
  if (!type.startsWith("text/html") || answer.status === 403 || answer.status >= 500) {
    location.reload();
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("table") || page.body;
  table.replaceChildren(...fresh.childNodes);
  prepare();
}

async function step(start, end) {
  const fields = new URLSearchParams({ token: table.dataset.token, start, end });
  await show(await fetch(`/play/${table.dataset.key}/step`, {
    method: "POST", body: fields, headers: { "X-Fragment": "1" },
  }));
}

function ends(source) { return source.dataset.ends.split(",").map(Number); }

function choose(source) {
  const board = source.closest("svg");
  const open = new Set(ends(source));
  const again = source.classList.contains("chosen");
  for (const each of board.querySelectorAll(".chosen, .open")) each.classList.remove("chosen", "open");
  board.classList.toggle("choosing", !again);
  if (again) return;
  source.classList.add("chosen");
  for (const each of board.querySelectorAll(".target")) {
    if (open.has(Number(each.dataset.end))) { each.classList.add("open"); board.append(each); }
  }
}

function press(source) {
  const where = ends(source);
  if (where.length === 1) return step(source.dataset.start, where[0]);
  return choose(source);
}

function placeUnder(event) {
  return document.elementsFromPoint(event.clientX, event.clientY).find((each) => each.classList?.contains("target"));
}

function drag(source, down) {
  const x = down.clientX, y = down.clientY;
  let moved = false;
  const move = (event) => {
    if (moved || Math.hypot(event.clientX - x, event.clientY - y) < 8) return;
    moved = true;
    if (!source.classList.contains("chosen")) choose(source);
  };
  const up = (event) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", up);
    if (event.type === "pointercancel") return;
    if (!moved) { press(source); return; }
    const target = placeUnder(event);
    if (target && ends(source).includes(Number(target.dataset.end))) step(source.dataset.start, target.dataset.end);
    else choose(source);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
}

function prepare() {
  table.dataset.shown = Number(table.dataset.shown || 0) + 1;
  const field = table.querySelector("input[name=token]");
  if (field) table.dataset.token = field.value;
  const focused = table.querySelector("button.main") || table.querySelector(".source");
  if (table.dataset.keys) focused?.focus();
}

if (table) {
  table.addEventListener("submit", (event) => { event.preventDefault(); send(event.target); });
  table.addEventListener("pointerdown", (event) => {
    delete table.dataset.keys;
    const source = event.target.closest?.(".source");
    if (source && event.button === 0) { event.preventDefault(); drag(source, event); }
  });
  table.addEventListener("click", (event) => {
    const target = event.target.closest?.(".target.open");
    const chosen = table.querySelector(".source.chosen");
    if (target && chosen) step(chosen.dataset.start, target.dataset.end);
  });
  table.addEventListener("keydown", (event) => {
    table.dataset.keys = "1";
    const source = event.target.closest?.(".source");
    if (!source) return;
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); step(source.dataset.start, ends(source)[ends(source).length > 1 && event.shiftKey ? 1 : 0]); }
  });
  prepare();
}
