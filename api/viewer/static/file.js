// The replay in a file of its own: every version is in the page already, as parts drawn by the server.
//
// `steps.parts` holds each part's HTML once; `steps.regions` says from which version on which one stands where.

"use strict";
{
  document.documentElement.classList.add("script-on");
  const byId = (id) => document.getElementById(id);
  const steps = JSON.parse(byId("steps").textContent);
  const last = Number(byId("replay").dataset.last);
  const shown = new Map();
  let at = last;
  let timer = 0;

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
    if (address === "push" && location.hash !== `#${at}`) history.pushState(null, "", `#${at}`);
    if (address === "replace") history.replaceState(null, "", `#${at}`);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    byId("play").setAttribute("aria-pressed", "false");
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

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input:not([type=range])")) return;
    if (event.target.matches("button, a, summary") && (event.key === " " || event.key === "Enter")) return;
    const way = event.key === " " ? play : ways[event.key];
    if (!way) return;
    event.preventDefault();
    if (way !== play) stop();
    way(event.shiftKey);
  });

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

  // A link to a version is `#12`, so Back leads back. Nothing else is on the page that could be loaded.
  const here = () => show(location.hash.slice(1) || last, { address: "none" });
  addEventListener("hashchange", () => {
    stop();
    here();
  });
  addEventListener("popstate", here);
  here();
  byId("replay").dataset.ready = "1";
}
