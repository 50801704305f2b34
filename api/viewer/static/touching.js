// Keys, clicks, touch and the slider: what leads where.

import { seek } from "./asking.js";
import { disputeHere } from "./disputing.js";
import { copy, look, rotate } from "./looking.js";
import { faster, play, stop } from "./playing.js";
import { address, show } from "./showing.js";
import { byId, slider, state, table } from "./state.js";
import { toLast, toNext, ways } from "./ways.js";

const help = byId("keys");

const keys = {
  ArrowLeft: (shift) => (shift ? ways.turnBack() : ways.back()),
  ArrowRight: (shift) => (shift ? ways.turnOn() : ways.on()),
  ArrowUp: ways.dealBack,
  ArrowDown: ways.dealOn,
  Home: ways.first,
  End: ways.last,
  " ": play,
  "+": () => faster(1),
  "-": () => faster(-1),
  f: rotate,
  n: toNext("findings"),
  N: toLast("findings"),
  r: toNext("calls"),
  R: toLast("calls"),
  m: toNext("remarks"),
  M: toLast("remarks"),
  "/": seek,
  d: () => disputeHere(),
  c: copy,
  "?": () => help.showModal(),
  Escape: stop,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const on = event.target;
  if (on.matches("input:not([type=range]), textarea, select")) return;
  if (on.matches("button, a, summary") && (event.key === " " || event.key === "Enter")) return;
  const digit = /^[0-8]$/.test(event.key) ? () => look(Number(event.key)) : undefined;
  const act = keys[event.key] ?? digit;
  if (!act) return;
  event.preventDefault();
  if (event.key !== " " && event.key !== "+" && event.key !== "-") stop();
  act(event.shiftKey);
});

// Any link to a version of this game is a jump, and Back leads back.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const url = new URL(link.href);
  const here = url.pathname === location.pathname && link.closest("#replay") && !link.closest(".views, .as-what");
  if (!here || !url.searchParams.has("at")) return;
  event.preventDefault();
  if (holding) {
    holding = false;
    return;
  }
  stop();
  show(Number(url.searchParams.get("at")), { from: link.dataset.card ?? null });
});

// A button that is held runs on.
let holding = false;
for (const [id, way] of [["back", ways.back], ["on", ways.on]]) {
  let timer = 0;
  const end = () => clearTimeout(timer);
  byId(id).addEventListener("pointerdown", (event) => {
    if (event.button) return;
    holding = false;
    const run = async () => {
      holding = true;
      await way();
      timer = setTimeout(run, 90);
    };
    timer = setTimeout(run, 420);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"]) byId(id).addEventListener(kind, end);
  byId(id).addEventListener("contextmenu", (event) => holding && event.preventDefault());
}

let touch = null;
table.addEventListener("touchstart", (event) => {
  touch = event.touches.length === 1 ? event.touches[0] : null;
}, { passive: true });
table.addEventListener("touchend", (event) => {
  if (!touch) return;
  const [x, y] = [event.changedTouches[0].clientX - touch.clientX, event.changedTouches[0].clientY - touch.clientY];
  touch = null;
  if (Math.abs(x) < 40 || Math.abs(x) < 2 * Math.abs(y)) return;
  stop();
  if (x < 0) ways.on();
  else ways.back();
}, { passive: true });

slider?.addEventListener("input", () => {
  stop();
  show(Number(slider.value), { push: false, quick: true });
});
slider?.addEventListener("pointerdown", () => address(state.at, true)); // where Back returns to
byId("help").addEventListener("click", () => help.showModal());
document.querySelector(".goto").addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  show(Number(byId("at").value) || state.at);
});
byId("at").addEventListener("change", () => {
  stop();
  show(Number(byId("at").value) || state.at);
});
