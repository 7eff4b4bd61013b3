// Sounds of wood, made of noise; silent unless they are chosen.

import { choice } from "./choices.js";

const SOUNDS = { // knocks: seconds from now, hertz, seconds, loudness
  checker: [[0, 1_900, 0.05, 0.5], [0, 420, 0.08, 0.6]],
  dice: [[0, 2_600, 0.03, 0.35], [0.07, 3_100, 0.03, 0.3], [0.13, 2_400, 0.03, 0.35], [0.22, 2_900, 0.03, 0.25], [0.34, 2_200, 0.04, 0.2]],
  cube: [[0, 260, 0.16, 0.9], [0.11, 200, 0.2, 0.7]],
};
let context, noise;

function knock(from, hertz, lasts, loud) {
  const source = new AudioBufferSourceNode(context, { buffer: noise, loop: true });
  const wood = new BiquadFilterNode(context, { type: "bandpass", frequency: hertz, Q: 4 });
  const fades = new GainNode(context, { gain: loud });
  fades.gain.setValueAtTime(loud, from);
  fades.gain.exponentialRampToValueAtTime(0.001, from + lasts);
  source.connect(wood).connect(fades).connect(context.destination);
  source.start(from);
  source.stop(from + lasts);
}

export function sound(name) {
  if (!choice("sound") || !navigator.userActivation?.hasBeenActive) return; // a browser allows none before
  if (!context) {
    context = new AudioContext();
    noise = context.createBuffer(1, context.sampleRate / 4, context.sampleRate);
    noise.getChannelData(0).forEach((_, i, samples) => { samples[i] = 2 * Math.random() - 1; });
  }
  context.resume();
  for (const [after, ...how] of SOUNDS[name]) knock(context.currentTime + after, ...how);
}
