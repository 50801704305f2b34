// The replay in a file of its own, of one game or of many: every version is in the page already, as parts drawn by
// the server.
//
// `steps.parts` holds each part's HTML once; `steps.regions` says from which version on which one stands where. In a
// file of many games each has a block of data, which is read when the game is chosen: `#17.12` is its version 12.

"use strict";
{
  document.documentElement.classList.add("script-on");
  const byId = (id) => document.getElementById(id);
  const shown = new Map();
  let steps = null; // those of the game that is shown
  let game = ""; // where it stands in the archive, nothing in a file of one game
  let [at, last, timer] = [0, 0, 0];

  // The newest entry that is not later than a version.
  const upto = (entries, version) => {
    let [low, high] = [0, entries.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (entries[middle][0] <= version) low = middle;
      else high = middle - 1;
    }
    return entries[low][1];
  };

  const put = (version) => {
    for (const [name, entries] of Object.entries(steps.regions)) {
      const part = upto(entries, version);
      if (shown.get(name) === part) continue;
      document.querySelector(`[data-region="${name}"]`).innerHTML = steps.parts[part];
      shown.set(name, part);
    }
    byId("say").textContent = steps.says[version - 1];
    for (const one of document.querySelectorAll(".ruling")) one.hidden = !one.dataset.versions.split(" ").includes(String(version));
  };

  const mark = (version) => {
    byId("slider").value = version;
    byId("at").value = version;
    document.querySelector("#moves .here")?.classList.remove("here");
    const line = byId(`e${version}`);
    line.classList.add("here");
    const [box, one] = [byId("moves").getBoundingClientRect(), line.getBoundingClientRect()];
    if (one.top < box.top || one.bottom > box.bottom) byId("moves").scrollTop += one.top - box.top - box.height / 3;
  };

  const show = (version, { address = "push" } = {}) => {
    at = Math.max(1, Math.min(Number(version) || at, last));
    put(at);
    mark(at);
    const hash = game ? `#${game}.${at}` : `#${at}`;
    if (address === "push" && location.hash !== hash) history.pushState(null, "", hash);
    if (address === "replace") history.replaceState(null, "", hash);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    byId("play")?.setAttribute("aria-pressed", "false");
  };

  const play = () => {
    if (timer) return stop();
    if (at === last) show(1);
    byId("play").setAttribute("aria-pressed", "true");
    timer = setInterval(() => (at < last ? show(at + 1, { address: "replace" }) : stop()), 800);
  };

  const jump = (list, by) => {
    const found = by > 0 ? list.find((one) => one > at) : list.findLast((one) => one < at);
    show(found ?? (by > 0 ? last : 1));
  };

  const ways = {
    Home: () => show(1),
    End: () => show(last),
    ArrowLeft: (shift) => (shift ? jump(steps.jumps.turns, -1) : show(at - 1)),
    ArrowRight: (shift) => (shift ? jump(steps.jumps.turns, 1) : show(at + 1)),
    ArrowUp: () => jump(steps.jumps.deals, -1),
    ArrowDown: () => jump(steps.jumps.deals, 1),
    n: () => show(steps.jumps.findings.find((one) => one > at) ?? at),
  };

  // Takes the table that stands in the page, and its steps.
  const take = (found) => {
    steps = found;
    shown.clear();
    last = at = Number(byId("replay").dataset.last);
    for (const [id, way] of [["first", ways.Home], ["back", ways.ArrowLeft], ["on", ways.ArrowRight], ["last", ways.End]]) {
      byId(id).addEventListener("click", () => {
        stop();
        way(false);
      });
    }
    byId("play").addEventListener("click", play);
    byId("slider").addEventListener("input", () => {
      stop();
      show(byId("slider").value, { address: "replace" });
    });
    byId("at").addEventListener("change", () => show(byId("at").value));
  };

  // ---- a file of many games

  const title = document.title;
  const linkTo = (position) => byId(`r${position}`); // it stands behind the game's data: who has it, has them whole

  const list = () => {
    const left = game;
    [game, steps] = ["", null];
    byId("shown").replaceChildren();
    [byId("game").hidden, byId("list").hidden] = [true, false];
    document.title = title;
    linkTo(left)?.focus();
  };

  const choose = (position) => {
    const found = JSON.parse(byId(`g${position}`).textContent);
    byId("shown").innerHTML = found.shell.join("");
    [byId("game").hidden, byId("list").hidden] = [false, true];
    game = position;
    take(found);
    const positions = [...document.querySelectorAll("#list tbody a")].map((one) => one.hash.slice(1));
    const here = positions.indexOf(position);
    for (const [id, other] of [["before", positions[here - 1]], ["next", positions[here + 1]]]) {
      byId(id).hidden = !other;
      byId(id).href = `#${other ?? ""}`;
    }
    const heading = document.querySelector("#shown h1");
    document.title = `${heading.textContent} · Lanterlog`;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
  };

  // ---- the address: `#12` in a file of one game, `#17` or `#17.12` in one of many. So Back leads back.

  const here = () => {
    const words = location.hash.slice(1).split(".");
    if (byId("list")) {
      const position = words.shift();
      const isThere = linkTo(position) !== null;
      if (!isThere && game) list();
      if (!isThere) return;
      if (position !== game) choose(position);
    }
    show(words[0] || last, { address: "none" });
  };

  document.addEventListener("keydown", (event) => {
    if (!steps || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input:not([type=range])")) return;
    if (event.target.matches("button, a, summary") && (event.key === " " || event.key === "Enter")) return;
    const back = event.key === "Escape" && game ? () => byId("all").click() : undefined;
    const way = event.key === " " ? play : (ways[event.key] ?? back);
    if (!way) return;
    event.preventDefault();
    if (way !== play) stop();
    way(event.shiftKey);
  });
  for (const kind of ["hashchange", "popstate"]) {
    addEventListener(kind, () => {
      stop();
      here();
    });
  }

  const begin = () => {
    if (byId("steps")) take(JSON.parse(byId("steps").textContent));
    if (byId("whole")) byId("cut").remove();
    here();
    document.body.dataset.ready = "1";
    if (byId("steps")) byId("replay").dataset.ready = "1";
  };
  if (document.readyState === "loading" && !byId("steps")) addEventListener("DOMContentLoaded", begin);
  else begin();
}
