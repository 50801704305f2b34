// What stands beside the table and grows: findings, scores, remarks, disputes and their marks. The server draws it anew
// when a game being played has grown, when more of a game without its future is shown, and after an act in a dispute.

import { patch } from "./patch.js";
import { inDealAgain } from "./moves.js";
import { markBeside } from "./showing.js";
import { free, kept, root, state, steps, when } from "./state.js";

const PAUSE = 1000; // at least so long from one to the next
const AGAIN = 5000; // where the server could not be reached

let seen = state.at; // how far the reader has come, where nothing later is shown
let asked = 0;
let waiting = 0;
let turn = 0; // of two answers the one that was asked for last counts

// Draw it anew, now; tells whether that could be done.
export async function drawBeside() {
  clearTimeout(waiting);
  waiting = 0;
  asked = performance.now();
  const mine = ++turn;
  const query = kept();
  query.set("at", free ? Math.max(seen, state.at) : state.at);
  let parts;
  try {
    const answer = await fetch(`${root.dataset.parts}?${query}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`beside: ${answer.status}`);
    ({ parts } = await answer.json());
  } catch {
    waiting ||= setTimeout(drawBeside, AGAIN);
    return false;
  }
  if (mine !== turn) return true;
  for (const [name, html] of Object.entries(parts)) {
    const part = document.querySelector(`[data-part="${name}"]`);
    if (part) patch(part, html);
  }
  markBeside(state.at);
  inDealAgain();
  return true;
}

function soon() {
  waiting ||= setTimeout(drawBeside, Math.max(0, asked + PAUSE - performance.now()));
}

when("grown", soon);
when("shown", (at) => {
  if (!free || at <= seen) return;
  const more = steps.bringMore(seen + 1, at);
  seen = at;
  if (more) soon();
});
