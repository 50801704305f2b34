// Shows a version: the server has drawn its parts, and here they are put in their places. The address is the state.

import { moved } from "./motion.js";
import { markMoves, sightMove } from "./moves.js";
import { patch } from "./patch.js";
import { byId, kept, say, slider, state, steps, table, tell } from "./state.js";

// A jump is pushed, so that the browser's Back returns from it; a single step only changes the address.
export async function show(version, { push = true, quick = false, said = false, from = null } = {}) {
  const at = Math.max(1, Math.min(version, state.newest));
  state.wanted = at;
  let step = steps.now(at);
  if (!step) {
    try {
      step = await steps.at(at);
    } catch {
      state.wanted = state.at;
      tell("lost");
      return;
    }
    if (state.wanted !== at) return;
    if (!step) {
      state.wanted = state.at;
      return;
    }
    tell("reached");
  }
  const came = state.at;
  state.at = at;
  put(step, at, quick ? 0 : pace());
  if (at !== came && !said) address(at, push);
  if (from) table.querySelector(`[data-card="${CSS.escape(from)}"]`)?.classList.add("from-here");
  steps.ahead(at, state.newest);
}

// Milliseconds until the next version, while it plays; else what lets a card be seen to move.
const pace = () => (state.playing ? state.playing.pause : 240);

const drawn = new Map(); // the HTML of each part, once this has put it there

function put(step, at, milliseconds) {
  const change = () => {
    for (const [name, html] of Object.entries(step.regions)) {
      const part = table.querySelector(`[data-region="${name}"]`);
      if (part && drawn.get(name) !== html) {
        patch(part, html);
        drawn.set(name, html);
      }
    }
    say.textContent = step.say;
    byId("brief").innerHTML = step.brief;
    mark(at);
  };
  performance.mark("step-begin");
  moved(table, change, milliseconds);
  performance.measure("step", "step-begin");
}

const rulings = document.getElementsByClassName("ruling");

// What outside of the table depends on the version.
export function mark(at) {
  if (slider) slider.value = at;
  if (document.activeElement !== byId("at")) byId("at").value = at;
  markMoves(at);
  for (const [id, to] of [["back", at - 1], ["on", at + 1]]) {
    const query = kept();
    query.set("at", Math.max(1, Math.min(to, state.newest)));
    byId(id).href = `?${query}`;
  }
  markBeside(at);
  for (const hidden of document.querySelectorAll('.ask input[name="at"]')) hidden.value = at;
  tell("shown", at);
  sightMove(); // last: it measures what was changed above
}

export function markBeside(at) {
  for (const one of rulings) one.hidden = !one.dataset.versions.split(" ").includes(String(at));
  for (const link of document.querySelectorAll(".views a, .as-what a")) {
    const query = new URLSearchParams(link.getAttribute("href").slice(1));
    query.set("at", at);
    link.href = `?${query}`;
  }
}

// Browsers take only so many changes of the address in a time: while many come, the last one counts.
const ADDRESS_PAUSE = 400;
let addressed = 0;
let addressing = 0;

export function address(at, push = false) {
  clearTimeout(addressing);
  const wait = addressed + ADDRESS_PAUSE - performance.now();
  if (!push && wait > 0) {
    addressing = setTimeout(() => address(state.at), wait);
    return;
  }
  const query = kept();
  query.set("at", at);
  const url = `${location.pathname}?${query}`;
  if (push) history.pushState({ at }, "", url);
  else history.replaceState({ at }, "", url);
  addressed = performance.now();
}

// The address as it is now, not soon.
export function addressNow() {
  addressed = 0;
  address(state.at);
}

addEventListener("popstate", (event) => {
  const at = event.state?.at ?? Number(new URLSearchParams(location.search).get("at") || state.newest);
  clearTimeout(addressing);
  tell("moved");
  show(at, { said: true, quick: true });
});
