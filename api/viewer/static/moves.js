// The list of moves: which line is shown, which belong to its deal, and lines that come later.

import { byId, free, jumps, state, steps } from "./state.js";

const moves = byId("moves");
let here = moves?.querySelector(".here") ?? null; // the line of the version that is shown

export function markMoves(at) {
  if (!moves) return;
  if (free) lines(at);
  here?.classList.remove("here");
  here?.firstElementChild.removeAttribute("aria-current");
  here = byId(`e${at}`);
  here?.classList.add("here");
  here?.firstElementChild.setAttribute("aria-current", "step");
  inDeal(at);
}

export function sightMove() {
  if (!here) return;
  const [box, one] = [moves.getBoundingClientRect(), here.getBoundingClientRect()];
  if (one.top < box.top || one.bottom > box.bottom) {
    moves.scrollTop += one.top - box.top - box.height / 3;
  }
}

// What is printed beside the table: the lines and findings of the deal that is shown.
let dealShown = null;
let markedTo = 0; // the last line that is known to be of that deal
export function inDeal(at) {
  const first = jumps.deals.findLast((version) => version <= at) ?? 1;
  const last = (jumps.deals.find((version) => version > at) ?? Infinity) - 1;
  const end = Math.min(last, state.newest);
  if (first === dealShown && markedTo === end) return;
  dealShown = first;
  markedTo = end;
  for (const one of document.querySelectorAll(".moves .in-deal, .findings > .in-deal")) one.classList.remove("in-deal");
  for (const one of document.querySelectorAll(".findings > li")) {
    one.classList.toggle("in-deal", one.dataset.at >= first && one.dataset.at <= last);
  }
  for (let version = first; version <= end; version++) byId(`e${version}`)?.classList.add("in-deal");
}

// Findings were drawn anew: which of them belong to the deal is looked at again.
export function inDealAgain() {
  dealShown = null;
  inDeal(state.at);
}

const TOGETHER = 50; // lines of the list that a browser leaves out together when they are out of sight

// Without what comes later, the list holds what has been seen; a game being played grows.
function lines(upto) {
  for (const html of steps.linesOf(newestLine() + 1, upto)) {
    if (!moves.lastElementChild || moves.lastElementChild.children.length >= TOGETHER) {
      moves.append(document.createElement("ol"));
    }
    moves.lastElementChild.insertAdjacentHTML("beforeend", html);
  }
}

const newestLine = () => Number(moves.lastElementChild?.lastElementChild?.dataset.at ?? 0);

// Of a deal that has ended more may be told than before: hands that were face down have cards now.
export function told(upto) {
  if (!moves) return;
  for (let version = newestLine(); version >= 1; version--) {
    const [html] = steps.linesOf(version, version);
    const line = byId(`e${version}`);
    if (html === undefined || !line) break;
    const made = document.createElement("template");
    made.innerHTML = html;
    const fresh = made.content.firstElementChild.firstElementChild;
    if (fresh.textContent !== line.textContent) line.firstElementChild.replaceChildren(...fresh.childNodes);
  }
  lines(upto);
}
