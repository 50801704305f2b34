// Plays by itself, at a chosen speed or at the game's own, until something else is done.

import { show } from "./showing.js";
import { byId, root, say, state, texts, when } from "./state.js";

const speed = byId("speed");
const times = new Map(); // when each version was recorded, once that is asked for

function pauseAt() {
  if (speed.value !== "own") return Number(speed.value);
  const [now, next] = [times.get(state.at), times.get(state.at + 1)];
  return now && next ? Math.max(80, Math.min(next - now, 8000)) : 800;
}

async function ownTimes() {
  if (speed.value !== "own" || times.size > 0) return;
  for (let first = Math.max(0, state.at - 1); first < state.newest; ) {
    const answer = await fetch(`/v1/games/${root.dataset.game}/events?after=${first}&limit=500`);
    if (!answer.ok) return;
    const page = await answer.json();
    for (const event of page.events) times.set(event.version, Date.parse(event.recorded_at));
    if (!page.next_after) return;
    first = page.next_after;
  }
}

export async function play() {
  if (state.playing) return stop();
  if (state.at >= state.newest) await show(1);
  await ownTimes();
  const run = { pause: pauseAt() };
  state.playing = run;
  playing(true);
  const next = async () => {
    if (state.playing !== run) return;
    if (state.at >= state.newest) return stop();
    run.pause = pauseAt();
    await show(state.at + 1, { push: false });
    if (state.playing !== run) return;
    // Nobody looks: it waits, and nothing is missed.
    if (document.hidden) await new Promise((seen) => document.addEventListener("visibilitychange", seen, { once: true }));
    setTimeout(next, pauseAt());
  };
  setTimeout(next, run.pause);
}

export function stop() {
  state.playing = null;
  playing(false);
}

function playing(yes) {
  const button = byId("play");
  button.setAttribute("aria-pressed", yes);
  button.setAttribute("aria-label", texts[yes ? "pause" : "play"]);
  say.setAttribute("aria-live", yes && Number(speed.value) < 800 ? "off" : "polite");
}

export function faster(by) {
  const options = [...speed.options].filter((option) => option.value !== "own");
  const now = Math.max(0, options.findIndex((option) => option.value === speed.value));
  speed.value = options[Math.max(0, Math.min(options.length - 1, now + by))].value;
}

byId("play").addEventListener("click", play);
speed.addEventListener("change", ownTimes);
when("lost", stop);
when("moved", stop);
