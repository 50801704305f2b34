// What the parts of the replay share: the page's places and words, which version is shown, and who wants to hear of what.

import { Steps } from "./steps.js";

export const byId = (id) => document.getElementById(id);
export const root = byId("replay");
export const texts = JSON.parse(byId("texts").textContent);
export const jumps = JSON.parse(byId("jumps").textContent);
export const [table, say, slider] = [byId("table"), byId("say"), byId("slider")];
export const free = root.dataset.free === "1"; // without anything that comes later
export const isOpen = root.dataset.open === "1"; // the game is being played

export const state = {
  at: Number(root.dataset.at),
  newest: Number(root.dataset.newest),
  playing: null,
  wanted: Number(root.dataset.at), // the last version asked for: an answer that comes late is not shown
};

// The address's parameters but for those of one moment.
export const kept = () => {
  const query = new URLSearchParams(location.search);
  for (const name of ["at", "act", "card"]) query.delete(name);
  return query;
};

export const steps = new Steps(root.dataset.game, kept(), free || isOpen);
steps.newest = state.newest;

const heard = { shown: [], moved: [], lost: [], reached: [], grown: [] };
export const when = (what, act) => heard[what].push(act);
export const tell = (what, ...values) => heard[what].forEach((act) => act(...values));
