// The checkers of a board in the page: drawn, moved and put back, as the server draws them (reports/board_svg.py).
// A place is a point, 25 (the bar) or 0 (off), in the numbers of its seat; seat 0 sits below.

export const OFF = 0, BAR = 25;
const CELL = 44, EDGE = 26, TALL = 5, WIDTH = 12 * CELL + CELL + (CELL + 12) + 2 * EDGE, HEIGHT = 11 * CELL + 2 * EDGE;
const THICK = 0.24 * CELL, HALF = (HEIGHT - 2 * EDGE) / 2, MIDDLE = EDGE + 6.5 * CELL, TRAY = CELL + 12;
const SEATS = ["mine", "theirs"];
const SLIDE_MS = 260, LAND = "cubic-bezier(.3, .1, .2, 1)";

export function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export function moves() { return !matchMedia("(prefers-reduced-motion: reduce)").matches; }

function x(point) {
  const column = point <= 12 ? 12 - point : point - 13;
  return EDGE + (column + 0.5) * CELL + (column >= 6 ? CELL : 0);
}

function spot(seat, place, depth) {
  const y = EDGE + (Math.min(depth, TALL - 1) + 0.5) * CELL;
  if (place === BAR) return [MIDDLE, seat === 1 ? HEIGHT - EDGE - (depth + 0.5) * CELL : EDGE + (depth + 0.5) * CELL];
  if (place === OFF) return [WIDTH - EDGE / 2 - TRAY / 2, seat === 0 ? HEIGHT - EDGE - (0.22 + 0.26 * depth) * CELL : EDGE + (0.22 + 0.26 * depth) * CELL];
  const point = seat === 0 ? place : 25 - place;
  return [x(point), point <= 12 ? HEIGHT - y : y];
}

// Where a place is pressed, by the seat in whose numbers it is.
export function cell(place, seat = 0) {
  if (seat === 1) {
    const below = cell(place === OFF || place === BAR ? place : BAR - place);
    return place === OFF || place === BAR ? { ...below, y: HEIGHT - below.y - below.height } : below;
  }
  if (place === OFF) return { x: WIDTH - EDGE / 2 - TRAY, y: HEIGHT - EDGE - HALF, width: TRAY, height: HALF };
  if (place === BAR) return { x: EDGE + 6 * CELL, y: EDGE, width: CELL, height: HALF };
  return { x: x(place) - CELL / 2, y: place <= 12 ? HEIGHT - EDGE - HALF : EDGE, width: CELL, height: HALF };
}

export function faced(place) { return BAR - place; } // a point in the numbers of the other seat

// The checkers after a step; what it hits goes to the bar.
export function after(checkers, seat, [start, end]) {
  const next = checkers.map((side) => [...side]);
  next[seat][start] -= 1;
  next[seat][end] += 1;
  if (end !== OFF && end !== BAR && next[1 - seat][faced(end)]) {
    next[1 - seat][BAR] += next[1 - seat][faced(end)];
    next[1 - seat][faced(end)] = 0;
  }
  return next;
}

export class Board {
  constructor(svg) {
    this.svg = svg;
    this.facing = svg.querySelector(".facing"); // mirrored where the home is on the left
    this.layer = svg.querySelector(".checkers");
    const samples = svg.querySelector(".samples");
    this.samples = SEATS.map((seat) => [samples.querySelector(`.checker.${seat}`), samples.querySelector(`.off.${seat}`)]);
  }

  draw(checkers) {
    const drawn = [];
    for (const seat of [0, 1]) {
      checkers[seat].forEach((count, place) => {
        for (let depth = 0; depth < (place === OFF ? count : Math.min(count, TALL)); depth += 1) drawn.push(this.piece(seat, place, depth));
        if (place !== OFF && count > TALL) drawn.push(this.number(seat, place, count));
      });
    }
    this.layer.replaceChildren(...drawn);
    this.checkers = checkers;
  }

  piece(seat, place, depth) {
    const [at, down] = spot(seat, place, depth);
    const made = this.samples[seat][place === OFF ? 1 : 0].cloneNode(true);
    if (place === OFF) made.setAttribute("y", down - THICK / 2);
    else made.setAttribute("transform", `translate(${at} ${down})`);
    made.dataset.at = `${seat} ${place} ${depth}`;
    return made;
  }

  number(seat, place, count) {
    const [at, down] = spot(seat, place, TALL - 1);
    const made = element("text", { class: `count on-${SEATS[seat]}`, x: at, y: down + 6, "font-size": 18 });
    made.textContent = count;
    return made;
  }

  get cube() {
    const { textContent, previousElementSibling } = this.svg.querySelector(".value");
    return `${textContent} ${previousElementSibling.getAttribute("x")} ${previousElementSibling.getAttribute("y")}`;
  }

  // Dims the dice that are used: of doubles, each of the two drawn is played twice.
  dim(left, rolled) {
    [...this.svg.querySelectorAll(".dice:not(.earlier) [data-die]")].forEach((die, i) => {
      const lit = !rolled || (rolled.length > 2 ? left.length - 2 + 2 * i : 2 * left.includes(Number(die.dataset.die)));
      die.classList.toggle("used", lit <= 0);
      die.classList.toggle("half", lit === 1);
    });
  }

  // Marks the side that one waits for, where its dice will lie.
  think() {
    const mark = element("g", { class: "thinking" });
    const size = { width: 2.4 * CELL, height: CELL };
    mark.append(
      element("rect", { x: EDGE + 2.72 * CELL, y: (HEIGHT - CELL) / 2, ...size, rx: CELL / 2 }),
      ...[-1, 0, 1].map((aside) => element("circle", { cx: EDGE + (3.92 + 0.55 * aside) * CELL, cy: HEIGHT / 2, r: 5.5 })),
    );
    this.facing.append(mark);
  }

  top(seat, place, checkers = this.checkers) {
    return spot(seat, place, Math.min(checkers[seat][place], place === OFF ? 15 : TALL) - 1);
  }

  // Draws the board after a step; the checker slides there from where it was, or from where it was dropped.
  step(seat, step, from = null) {
    const before = this.checkers;
    const left = from || this.top(seat, step[0]);
    this.draw(after(before, seat, step));
    if (!moves()) return null;
    const hit = this.checkers[1 - seat][BAR] > before[1 - seat][BAR];
    if (hit) this.slide(1 - seat, BAR, this.top(1 - seat, faced(step[1]), before));
    return this.slide(seat, step[1], left);
  }

  slide(seat, place, [fromX, fromY]) {
    const depth = (place === OFF ? this.checkers[seat][place] : Math.min(this.checkers[seat][place], TALL)) - 1;
    const piece = this.layer.querySelector(`[data-at="${seat} ${place} ${depth}"]`);
    if (!piece) return null;
    this.layer.append(piece); // above the others while it moves
    for (const number of this.layer.querySelectorAll(".count")) this.layer.append(number);
    const [x, y] = spot(seat, place, depth);
    const here = place === OFF ? "" : `translate(${x}px, ${y}px)`;
    const there = place === OFF ? `translate(${fromX - x}px, ${fromY - y}px)` : `translate(${fromX}px, ${fromY}px)`;
    return piece.animate([{ transform: there }, { transform: here || "none" }], { duration: SLIDE_MS, easing: LAND }).finished.catch(() => {});
  }
}

export function roll(dice) {
  if (!dice || !moves()) return Promise.resolve();
  const thrown = [...dice.children].map((die, i) => die.animate(
    [{ transform: `translate(${60 + 30 * i}px, ${i ? 40 : -50}px) rotate(${i ? 300 : -260}deg)`, opacity: 0 }, { opacity: 1, offset: 0.3 }, { transform: "none", opacity: 1 }],
    { duration: 420 + 60 * i, easing: "cubic-bezier(.2, .7, .3, 1)" },
  ).finished.catch(() => {}));
  return Promise.all(thrown);
}
