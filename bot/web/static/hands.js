// Mouse, finger and keyboard on the places of a board where a checker may be moved.

import { BAR, OFF, cell, element } from "./board.js";
import { carry, hold, inBoard, under } from "./dragging.js";
import { _ } from "./texts.js";

function named(place) { return { [BAR]: _("the bar"), [OFF]: _("off") }[place] ?? String(place); }

function source(start, ways, seat) {
  const near = [...ways].filter(([, way]) => way.steps.length === 1).map(([end]) => end).sort((a, b) => a - b);
  const far = [...ways.keys()].filter((end) => !near.includes(end));
  return element("rect", {
    ...cell(start, seat), class: "source", rx: 6, tabindex: 0, role: "button", "data-start": start, "data-ends": near.join(), "data-far": far.join(),
    "aria-label": _("Move from %(start)s to %(ends)s", { start: named(start), ends: near.map(named).join(_(" or ")) }),
  });
}

// The places of a play, on a board that has none of another.
export function offerPlaces(board, play) {
  for (const place of board.svg.querySelectorAll(".source, .target")) place.remove();
  const starts = [...new Set(play.next.map(([start]) => start))].sort((a, b) => b - a);
  const ways = new Map(starts.map((start) => [start, play.reached(start)]));
  const targets = new Set([...ways.values()].flatMap((reached) => [...reached.keys()]));
  board.facing.append(
    ...[...targets].map((end) => element("rect", { ...cell(end, play.seat), class: "target", rx: 6, "data-end": end })),
    ...starts.map((start) => source(start, ways.get(start), play.seat)),
  );
}

function ends(source) { return source.dataset.ends.split(",").map(Number); }
function reach(source) { return [...ends(source), ...(source.dataset.far ? source.dataset.far.split(",").map(Number) : [])]; }

export function letGo(table) {
  for (const place of table.querySelectorAll(".chosen, .open")) place.classList.remove("chosen", "open");
  table.querySelector(".choosing")?.classList.remove("choosing");
}

// `shown()` is the board at this moment, `step(start, end, from)` moves a checker, and `finish()` ends what moves by itself.
export function useHands(table, { shown, seat, step, finish }) {
  const sourceAt = (start) => table.querySelector(`.source[data-start="${start}"]`);

  function choose(source) {
    const isSame = source.classList.contains("chosen");
    letGo(table);
    if (isSame) return;
    const open = new Set(reach(source));
    shown().svg.classList.add("choosing");
    source.classList.add("chosen");
    for (const target of table.querySelectorAll(".target")) {
      if (open.has(Number(target.dataset.end))) { target.classList.add("open"); target.parentNode.append(target); }
    }
  }

  function press(source) {
    const where = ends(source);
    if (where.length === 1) step(Number(source.dataset.start), where[0]);
    else choose(source);
  }

  const hand = {
    target: ".target",
    lift(source) {
      if (!source.classList.contains("chosen")) choose(source);
      return shown().piece(seat(), Number(source.dataset.start), 0);
    },
    tap: ({ dataset: { start } }) => { const source = sourceAt(start); if (source) press(source); },
    drop({ dataset: { start } }, target, event) {
      const source = sourceAt(start);
      if (target && source && reach(source).includes(Number(target.dataset.end))) {
        const at = inBoard(shown().facing, event);
        step(Number(start), Number(target.dataset.end), [at.x, at.y]);
      } else letGo(table);
    },
  };

  table.addEventListener("pointerdown", (event) => {
    delete table.dataset.keys;
    const wasMoving = finish();
    const source = wasMoving ? under(event, ".source") : event.target.closest?.(".source");
    if (source && event.button === 0) { event.preventDefault(); carry(event, source, hand); }
  });
  hold(table, (at) => at.closest?.(".source"));
  table.addEventListener("click", (event) => {
    const target = event.target.closest?.(".target.open");
    const chosen = table.querySelector(".source.chosen");
    if (target && chosen) step(Number(chosen.dataset.start), Number(target.dataset.end));
    else if (chosen && !event.target.closest?.(".source")) letGo(table);
  });
  document.addEventListener("keydown", (event) => {
    table.dataset.keys = "1";
    finish();
    const source = event.target.closest?.(".source");
    if (event.key === "Escape") letGo(table);
    if (!source || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    step(Number(source.dataset.start), ends(source)[ends(source).length > 1 && event.shiftKey ? 1 : 0]);
  });
}
