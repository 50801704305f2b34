// Questions about the moment that is shown: what may be done, whether an act was legal, where a card was.

import { byId, kept, state, when } from "./state.js";

const box = byId("legal");
let asking = 0;

// Legal acts are asked for when they are looked at.
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
when("shown", soonLegal);

const find = byId("find");

export function seek() {
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
