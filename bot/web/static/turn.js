// The play of one turn: its steps so far, and the steps that may follow, as the server told them (bot/web/play/steps.py).

import { BAR, OFF, after, faced } from "./board.js";

export class Play {
  // In a free play any checker goes anywhere where it finds room.
  constructor(turn, made, isFree = false) {
    this.turn = turn;
    this.seat = turn.seat;
    this.isFree = isFree;
    this.made = made.map((step) => [...step]);
  }

  get stage() { return this.made.reduce((at, [start, end]) => this.turn.stages[at].find(([s, e]) => s === start && e === end)[2], 0); }
  get standing() { return this.made.reduce((checkers, step) => after(checkers, this.seat, step), this.turn.checkers); }
  get next() {
    if (this.isFree) return this.standing[this.seat].flatMap((count, start) => (start !== OFF && count > 0 ? [[start]] : []));
    return this.turn.stages[this.stage] || [];
  }
  get isWhole() { return this.isFree ? this.made.length > 0 : this.turn.whole.includes(this.stage); }
  get left() { return this.isFree ? this.turn.left[0] : this.turn.left[this.stage] || []; } // dice

  // The places that the checker on `start` reaches, with its steps: few dice first, then few hits.
  reached(start) {
    const ways = new Map();
    if (this.isFree) {
      const theirs = this.standing[1 - this.seat];
      for (let end = OFF; end < BAR; end += 1) {
        if (end !== start && (end === OFF || theirs[faced(end)] < 2)) ways.set(end, { steps: [[start, end]], hits: 0 });
      }
      return ways;
    }
    const walk = (at, checkers, chain, hits) => {
      for (const [from, end, next] of this.turn.stages[at]) {
        if (from !== (chain.length ? chain.at(-1)[1] : start)) continue;
        const steps = [...chain, [from, end]];
        const hit = hits + (end !== OFF && checkers[1 - this.seat][faced(end)] === 1);
        const known = ways.get(end);
        if (known && (known.steps.length < steps.length || (known.steps.length === steps.length && known.hits <= hit))) continue;
        ways.set(end, { steps, hits: hit });
        walk(next, after(checkers, this.seat, [from, end]), steps, hit);
      }
    };
    if (this.next.length) walk(this.stage, this.standing, [], 0);
    return ways;
  }
}
