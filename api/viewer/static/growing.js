// A game that is being played: the reader at its end is taken along, who has stepped back is told how much there is.

import { fill } from "./common.js";
import { follow } from "./live.js";
import { told } from "./moves.js";
import { show } from "./showing.js";
import { byId, free, isOpen, jumps, root, slider, state, steps, tell, texts, when } from "./state.js";
import { ways } from "./ways.js";

const live = byId("live");
let isLost = false;

when("lost", () => {
  isLost = true;
  live.hidden = false;
  live.textContent = texts["live.lost"];
});

when("reached", () => {
  if (!isLost) return;
  isLost = false;
  if (isOpen) say();
  else live.hidden = true;
});

function say() {
  const behind = state.newest - state.at;
  live.hidden = false;
  live.textContent = behind > 0 && !free ? fill(texts["live.behind"], { count: behind }) + " " : texts["live.on"];
  if (behind > 0 && !free) {
    const link = document.createElement("button");
    link.className = "button";
    link.textContent = texts["live.catch_up"];
    link.addEventListener("click", ways.last);
    live.append(link);
  }
}

let awaited = null; // whether the reader was at the end when there was news that could not be fetched

async function news(version) {
  const follows = awaited ?? (state.at === state.newest && !state.playing);
  awaited = null;
  steps.grown();
  state.newest = Math.max(state.newest, version);
  for (const range of [slider, byId("at")]) if (range && !free) range.max = state.newest;
  if (byId("of")) byId("of").textContent = state.newest;
  try {
    await steps.at(state.newest);
  } catch {
    tell("lost");
    awaited = follows;
    setTimeout(() => news(state.newest), 2000);
    return;
  }
  if (!free) told(state.newest);
  if (steps.jumps && !free) Object.assign(jumps, steps.jumps);
  tell("grown");
  if (follows && !free) await show(state.newest, { push: false });
  isLost = false;
  say();
}

if (isOpen) {
  follow(root.dataset.game, state.newest, { onLost: () => tell("lost"), onBack: () => tell("reached"), onNews: news });
  say();
}
