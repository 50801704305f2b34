// The replay: which version is shown, and every way to another. The address is the state.
//
// The server has drawn the first version; this puts the parts of other versions, drawn by the server too,
// in their places. All text comes from the page.

import { fill, localTimes } from "./common.js";
import { follow } from "./live.js";
import { moved } from "./motion.js";
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
  wanted: 0, // the last version asked for: an answer that comes late is not shown
};

const kept = () => {
  const query = new URLSearchParams(location.search);
  for (const name of ["at", "act"]) query.delete(name);
  return query;
};
const steps = new Steps(root.dataset.game, kept(), free || root.dataset.open === "1");
steps.newest = state.newest;

// ---- showing a version

async function show(version, { push = true, quick = false, from = null } = {}) {
  const at = Math.max(1, Math.min(version, state.newest));
  state.wanted = at;
  let step = steps.now(at);
  if (!step) {
    try {
      step = await steps.at(at);
    } catch {
      byId("live").hidden = false;
      byId("live").textContent = texts["live.lost"];
      stop();
      return;
    }
    if (state.wanted !== at || !step) return;
  }
  put(step, quick ? 0 : pace(at));
  if (at !== state.at || push) address(at, push && at !== state.at);
  state.at = at;
  mark(at);
  if (from) byId("table").querySelector(`[data-card="${CSS.escape(from)}"]`)?.classList.add("from-here");
  steps.ahead(at, state.newest);
}

const drawn = new Map(); // the HTML of each part, once this has put it there

function put(step, milliseconds) {
  const change = () => {
    for (const [name, html] of Object.entries(step.regions)) {
      const part = table.querySelector(`[data-region="${name}"]`);
      if (part && drawn.get(name) !== html) {
        part.innerHTML = html;
        drawn.set(name, html);
      }
    }
  };
  performance.mark("step-begin");
  moved(table, change, milliseconds);
  performance.measure("step", "step-begin");
  say.textContent = step.say;
  byId("brief").innerHTML = step.brief;
}

function address(at, push) {
  const query = kept();
  query.set("at", at);
  const url = `${location.pathname}?${query}`;
  if (push) history.pushState({ at }, "", url);
  else history.replaceState({ at }, "", url);
}

function mark(at) {
  for (const one of document.querySelectorAll(".ruling")) one.hidden = !one.dataset.versions.split(" ").includes(String(at));
  if (slider) slider.value = at;
  if (document.activeElement !== byId("at")) byId("at").value = at;
  if (moves) {
    if (free) lines(at);
    moves.querySelector(".here")?.classList.remove("here");
    const line = byId(`e${at}`);
    if (line) {
      line.classList.add("here");
      line.querySelector("a").setAttribute("aria-current", "step");
      keepInSight(line);
    }
    for (const old of moves.querySelectorAll("[aria-current]")) {
      if (old.parentElement !== line) old.removeAttribute("aria-current");
    }
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
  const hidden = document.querySelector('#ask input[name="at"]');
  if (hidden) hidden.value = at;
  legal();
}

// What is printed beside the table: the lines and findings of the deal that is shown.
let dealShown = null;
function inDeal(at) {
  const first = jumps.deals.findLast((version) => version <= at) ?? 1;
  const last = (jumps.deals.find((version) => version > at) ?? Infinity) - 1;
  if (first === dealShown && last !== Infinity) return;
  dealShown = first;
  for (const one of document.querySelectorAll(".moves > .in-deal, .findings > .in-deal")) one.classList.remove("in-deal");
  for (const one of document.querySelectorAll(".findings > li")) {
    one.classList.toggle("in-deal", one.dataset.at >= first && one.dataset.at <= last);
  }
  for (let version = first; version <= Math.min(last, state.newest); version++) byId(`e${version}`)?.classList.add("in-deal");
}

function keepInSight(line) {
  const [box, one] = [moves.getBoundingClientRect(), line.getBoundingClientRect()];
  if (one.top < box.top || one.bottom > box.bottom) {
    moves.scrollTop += one.top - box.top - box.height / 3;
  }
}

// Without what comes later, the list holds what has been seen; a game being played grows.
function lines(upto) {
  const have = Number(moves.lastElementChild?.dataset.at ?? 0);
  for (const html of steps.linesOf(have + 1, upto)) moves.insertAdjacentHTML("beforeend", html);
}

// ---- ways to other versions

const after = (versions) => versions.find((version) => version > state.at);
const before = (versions) => versions.findLast((version) => version < state.at);

const ways = {
  first: () => show(1),
  last: () => show(free ? state.at + 1 : state.newest),
  back: () => show(state.at - 1),
  on: () => show(state.at + 1),
  turnOn: () => show(free ? state.at + 1 : (after(jumps.turns) ?? state.newest)),
  turnBack: () => show(before(jumps.turns) ?? 1),
  dealOn: () => show(free ? state.at + 1 : (after(jumps.deals) ?? state.newest)),
  dealBack: () => show(before(jumps.deals) ?? 1),
  finding: () => show(after(jumps.findings) ?? state.at),
};

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
    if (state.playing === run) setTimeout(next, pauseAt());
  };
  setTimeout(next, run.pause);
}

function stop() {
  if (state.playing) {
    state.playing = null;
    address(state.at, false);
  }
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
  address(state.at, false);
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
  n: ways.finding,
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
  stop();
  show(at, { push: false, quick: true });
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
slider?.addEventListener("change", () => address(state.at, true));
byId("play").addEventListener("click", play);
byId("rotate").addEventListener("click", rotate);
byId("copy").addEventListener("click", copy);
byId("help").addEventListener("click", () => help.showModal());
document.querySelector(".goto").addEventListener("submit", (event) => {
  event.preventDefault();
  stop();
  show(Number(byId("at").value) || state.at);
});
byId("at").addEventListener("change", () => show(Number(byId("at").value) || state.at));
speed.addEventListener("change", async () => {
  if (speed.value === "own" && times.size === 0) await ownTimes();
});

// ---- legal acts, asked for when they are looked at

const box = byId("legal");

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

// ---- a game that is being played

const live = byId("live");

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

if (root.dataset.open === "1") {
  follow(root.dataset.game, state.newest, {
    onLost: () => {
      live.hidden = false;
      live.textContent = texts["live.lost"];
    },
    onNews: async (version) => {
      const follows = state.at === state.newest && !state.playing;
      steps.grown(version);
      state.newest = version;
      for (const range of [slider, byId("at")]) if (range && !free) range.max = version;
      if (byId("of")) byId("of").textContent = version;
      try {
        await steps.at(version);
        if (moves && !free) lines(version);
      } catch {
        live.textContent = texts["live.lost"];
      }
      if (follows && !free) await show(version, { push: false });
      tell();
    },
  });
  tell();
}

// ---- begin

localTimes();
history.replaceState({ at: state.at }, "", location.href);
mark(state.at);
steps.ahead(state.at, state.newest);
root.dataset.ready = "1";
