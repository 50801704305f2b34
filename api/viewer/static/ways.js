// Ways to other versions: the next event, turn, deal, or whatever is marked.

import { show } from "./showing.js";
import { free, jumps, state } from "./state.js";

const after = (versions) => versions.find((version) => version > state.at);
const before = (versions) => versions.findLast((version) => version < state.at);

export const ways = {
  first: () => show(1),
  last: () => show(free ? state.at + 1 : state.newest),
  // From the version that is on its way, if one is: who presses three times goes three events on.
  back: () => show(state.wanted - 1, { push: false }),
  on: () => show(state.wanted + 1, { push: false }),
  turnOn: () => show(free ? state.at + 1 : (after(jumps.turns) ?? state.newest)),
  turnBack: () => show(before(jumps.turns) ?? 1),
  dealOn: () => show(free ? state.at + 1 : (after(jumps.deals) ?? state.newest)),
  dealBack: () => show(before(jumps.deals) ?? 1),
};

// To the next of what is marked, or to the one before.
export const toNext = (kind) => () => show(after(jumps[kind]) ?? state.at);
export const toLast = (kind) => () => show(before(jumps[kind]) ?? state.at);
