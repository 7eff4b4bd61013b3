// The play of one turn: its steps so far, and the steps that may follow, as the server told them (bot/web/play/steps.py).

import { OFF, after, faced } from "./board.js";

const ENGINE = 1;

export class Play {
  constructor(turn, made) {
    this.turn = turn;
    this.made = made.map((step) => [...step]);
  }

  get stage() { return this.made.reduce((at, [start, end]) => this.turn.stages[at].find(([s, e]) => s === start && e === end)[2], 0); }
  get standing() { return this.made.reduce((checkers, step) => after(checkers, 0, step), this.turn.checkers); }
  get next() { return this.turn.stages[this.stage] || []; }
  get isWhole() { return this.turn.whole.includes(this.stage); }
  get left() { return this.turn.left[this.stage] || []; } // dice

  // The places that the checker on `start` reaches, with its steps: few dice first, then few hits.
  reached(start) {
    const ways = new Map();
    const walk = (at, checkers, chain, hits) => {
      for (const [from, end, next] of this.turn.stages[at]) {
        if (from !== (chain.length ? chain.at(-1)[1] : start)) continue;
        const steps = [...chain, [from, end]];
        const hit = hits + (end !== OFF && checkers[ENGINE][faced(end)] === 1);
        const known = ways.get(end);
        if (known && (known.steps.length < steps.length || (known.steps.length === steps.length && known.hits <= hit))) continue;
        ways.set(end, { steps, hits: hit });
        walk(next, after(checkers, 0, [from, end]), steps, hit);
      }
    };
    if (this.next.length) walk(this.stage, this.standing, [], 0);
    return ways;
  }
}
