// The replay: which version is shown, and every way to another. The address is the state.
//
// The server has drawn the first version; this puts the parts of other versions, drawn by the server too,
// in their places. All text comes from the page.

import { fill, localTimes } from "./common.js";
import { follow } from "./live.js";
import { moved } from "./motion.js";
import { patch } from "./patch.js";
import { Steps } from "./steps.js";

const root = document.getElementById("replay");
const texts = JSON.parse(document.getElementById("texts").textContent);
const jumps = JSON.parse(document.getElementById("jumps").textContent);
const byId = (id) => document.getElementById(id);
const [table, say, slider, moves] = [byId("table"), byId("say"), byId("slider"), byId("moves")];
const free = root.dataset.free === "1";

const state = {
  at: Number(root.dataset.at),
  newest: Number(root.dataset.newest),
  playing: null,
  turned: 0,
  wanted: Number(root.dataset.at), // the last version asked for: an answer that comes late is not shown
};

const kept = () => {
  const query = new URLSearchParams(location.search);
  for (const name of ["at", "act", "card"]) query.delete(name);
  return query;
};
const steps = new Steps(root.dataset.game, kept(), free || root.dataset.open === "1");
steps.newest = state.newest;

// ---- showing a version

// A jump is pushed, so that the browser's Back returns from it; a single step only changes the address.
async function show(version, { push = true, quick = false, said = false, from = null } = {}) {
  const at = Math.max(1, Math.min(version, state.newest));
  state.wanted = at;
  let step = steps.now(at);
  if (!step) {
    try {
      step = await steps.at(at);
    } catch {
      state.wanted = state.at;
      lost();
      stop();
      return;
    }
    if (state.wanted !== at) return;
    if (!step) {
      state.wanted = state.at;
      return;
    }
    reached();
  }
  const came = state.at;
  state.at = at;
  put(step, at, quick ? 0 : pace(at));
  if (at !== came && !said) address(at, push);
  if (from) byId("table").querySelector(`[data-card="${CSS.escape(from)}"]`)?.classList.add("from-here");
  steps.ahead(at, state.newest);
}

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

// Browsers take only so many changes of the address in a time: while many come, the last one counts.
const ADDRESS_PAUSE = 400;
let addressed = 0;
let addressing = 0;

function address(at, push = false) {
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

const rulings = document.querySelectorAll(".ruling");
let here = moves?.querySelector(".here") ?? null; // the line of the version that is shown

function mark(at) {
  for (const one of rulings) one.hidden = !one.dataset.versions.split(" ").includes(String(at));
  if (slider) slider.value = at;
  if (document.activeElement !== byId("at")) byId("at").value = at;
  if (moves) {
    if (free) lines(at);
    here?.classList.remove("here");
    here?.firstElementChild.removeAttribute("aria-current");
    here = byId(`e${at}`);
    here?.classList.add("here");
    here?.firstElementChild.setAttribute("aria-current", "step");
    inDeal(at);
  }
  for (const [id, to] of [["back", at - 1], ["on", at + 1]]) {
    const query = kept();
    query.set("at", Math.max(1, Math.min(to, state.newest)));
    byId(id).href = `?${query}`;
  }
  for (const link of document.querySelectorAll(".views a, .as-what a")) {
    const query = new URLSearchParams(link.getAttribute("href").slice(1));
    query.set("at", at);
    link.href = `?${query}`;
  }
  for (const hidden of document.querySelectorAll('.ask input[name="at"]')) hidden.value = at;
  soonLegal();
  if (here) keepInSight(here); // last: it measures what was changed above
}

// What is printed beside the table: the lines and findings of the deal that is shown.
let dealShown = null;
let markedTo = 0; // the last line that is known to be of that deal
function inDeal(at) {
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

function keepInSight(line) {
  const [box, one] = [moves.getBoundingClientRect(), line.getBoundingClientRect()];
  if (one.top < box.top || one.bottom > box.bottom) {
    moves.scrollTop += one.top - box.top - box.height / 3;
  }
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
function told(upto) {
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

// ---- ways to other versions

const after = (versions) => versions.find((version) => version > state.at);
const before = (versions) => versions.findLast((version) => version < state.at);

const ways = {
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

// To the next of what is marked, or with Shift to the one before.
const toNext = (kind) => () => show(after(jumps[kind]) ?? state.at);
const toLast = (kind) => () => show(before(jumps[kind]) ?? state.at);

// ---- playing by itself

const speed = byId("speed");

// Milliseconds until the next version; 0 where the reader moves by himself and nothing should lag.
const pace = () => (state.playing ? state.playing.pause : 240);

function pauseAt() {
  if (speed.value !== "own") return Number(speed.value);
  const [now, next] = [times.get(state.at), times.get(state.at + 1)];
  return now && next ? Math.max(80, Math.min(next - now, 8000)) : 800;
}

const times = new Map();

async function ownTimes() {
  for (let first = Math.max(0, state.at - 1); first < state.newest; ) {
    const answer = await fetch(`/v1/games/${root.dataset.game}/events?after=${first}&limit=500`);
    if (!answer.ok) return;
    const page = await answer.json();
    for (const event of page.events) times.set(event.version, Date.parse(event.recorded_at));
    if (!page.next_after) return;
    first = page.next_after;
  }
}

async function play() {
  if (state.playing) return stop();
  if (state.at >= state.newest) await show(1);
  if (speed.value === "own" && times.size === 0) await ownTimes();
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

function stop() {
  state.playing = null;
  playing(false);
}

function playing(yes) {
  const button = byId("play");
  button.setAttribute("aria-pressed", yes);
  button.setAttribute("aria-label", texts[yes ? "pause" : "play"]);
  say.setAttribute("aria-live", yes && Number(speed.value) < 800 ? "off" : "polite");
}

function faster(by) {
  const options = [...speed.options].filter((option) => option.value !== "own");
  const now = Math.max(0, options.findIndex((option) => option.value === speed.value));
  speed.value = options[Math.max(0, Math.min(options.length - 1, now + by))].value;
}

// ---- views

function look(seat) {
  if (seat > Number(root.dataset.seats)) return;
  const query = kept();
  query.set("seat", seat);
  query.set("at", state.at);
  location.assign(`?${query}`);
}

const order = ["bottom", "left", "top", "right"];

// Turn the table by one seat: everybody moves on one place clockwise.
function rotate() {
  const seats = [...table.querySelectorAll(".player")].sort((a, b) => a.dataset.seat - b.dataset.seat);
  const sizes = order.map((place) => table.querySelector(`.place.${place}`).children.length);
  state.turned = (state.turned + 1) % seats.length;
  const bottom = (Number(root.dataset.viewer || 1) - 1 + seats.length) % seats.length;
  let next = bottom + state.turned;
  order.forEach((place, index) => {
    const box = table.querySelector(`.place.${place}`);
    const here = [];
    for (let count = 0; count < sizes[index]; count++) here.push(seats[next++ % seats.length]);
    if (place === "left") here.reverse();
    box.append(...here);
  });
}

async function copy() {
  addressed = 0; // now, not soon
  address(state.at);
  try {
    await navigator.clipboard.writeText(location.href);
    say.textContent = texts.copied;
    byId("brief").textContent = texts.copied;
  } catch {
    prompt(texts.copied, location.href);
  }
}

const help = byId("keys");

// ---- keys, clicks, touch

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

addEventListener("popstate", (event) => {
  const at = event.state?.at ?? Number(new URLSearchParams(location.search).get("at") || state.newest);
  clearTimeout(addressing);
  stop();
  show(at, { said: true, quick: true });
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
byId("play").addEventListener("click", play);
byId("rotate").addEventListener("click", rotate);
byId("copy").addEventListener("click", copy);
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
speed.addEventListener("change", async () => {
  if (speed.value === "own" && times.size === 0) await ownTimes();
});

// ---- legal acts, asked for when they are looked at

const box = byId("legal");

let asking = 0;

function soonLegal() {
  clearTimeout(asking);
  if (box?.open) asking = setTimeout(legal, 120);
}

async function legal(act = "") {
  if (!box?.open) return;
  const query = kept();
  query.set("at", state.at);
  if (act) query.set("act", act);
  const at = state.at;
  const answer = await fetch(`${box.dataset.url}?${query}`, { headers: { Accept: "text/html" } });
  if (at !== state.at) return;
  const text = await answer.text();
  if (act) byId("answer").innerHTML = answer.ok ? text : answer.status;
  else byId("legal-acts").innerHTML = answer.ok ? text : "";
}

box?.addEventListener("toggle", () => legal());
byId("ask")?.addEventListener("submit", (event) => {
  event.preventDefault();
  legal(byId("act").value);
});

// ---- where a card was

const find = byId("find");

function seek() {
  if (!find) return;
  find.open = true;
  find.scrollIntoView({ block: "nearest" });
  byId("card").focus();
  byId("card").select();
}

byId("seek")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const query = kept();
  query.set("at", state.at);
  query.set("card", byId("card").value);
  const answer = await fetch(`${find.dataset.url}?${query}`, { headers: { Accept: "text/html" } });
  byId("stays").innerHTML = answer.ok ? await answer.text() : "";
});

// ---- a game that is being played

const live = byId("live");
let isLost = false;

function lost() {
  isLost = true;
  live.hidden = false;
  live.textContent = texts["live.lost"];
}

function reached() {
  if (!isLost) return;
  isLost = false;
  if (root.dataset.open === "1") tell();
  else live.hidden = true;
}

function tell() {
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
    lost();
    awaited = follows;
    setTimeout(() => news(state.newest), 2000);
    return;
  }
  if (moves && !free) told(state.newest);
  if (steps.jumps && !free) Object.assign(jumps, steps.jumps);
  if (follows && !free) await show(state.newest, { push: false });
  isLost = false;
  tell();
}

if (root.dataset.open === "1") {
  follow(root.dataset.game, state.newest, { onLost: lost, onBack: reached, onNews: news });
  tell();
}

// ---- begin

localTimes();
history.replaceState({ at: state.at }, "", location.href);
mark(state.at);
steps.ahead(state.at, state.newest);
root.dataset.ready = "1";
