// Disputes are opened and gone on with here: a form that the server has filled in as far as it knows, sent to the same
// address as any program's. What was typed stays until it is on record; one key a form makes of two attempts one act.

import { drawBeside } from "./beside.js";
import { fill } from "./common.js";
import { read } from "./fields.js";
import { byId, kept, state } from "./state.js";

const place = byId("disputing");
const said = byId("dispute-said");
const [newKey, digits] = [() => crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")];
let key = "";
let words = {}; // of the errors, from the form
let sending = false;

const form = () => byId("dispute-form");
const isWritten = () => [...(form()?.querySelectorAll("textarea") ?? [])].some((one) => one.value.trim());
const renew = () => (key = [...newKey()].map(digits).join(""));

// ---- opening and closing

export async function disputeHere(button) {
  if (!place || !document.querySelector('[data-do="open"]')) return;
  const { do: act = "open", dispute = "", at = state.at } = button?.dataset ?? {};
  byId("disputes").open = true;
  if (isWritten()) {
    said.textContent = place.dataset.written;
    form().querySelector("textarea").focus();
    return;
  }
  const query = kept();
  for (const [name, value] of [["at", at], ["do", act], ["dispute", dispute]]) if (value) query.set(name, value);
  query.delete("ruled");
  let text = null;
  try {
    const answer = await fetch(`${place.dataset.url}?${query}`, { headers: { Accept: "text/html" } });
    if (answer.ok) text = await answer.text();
  } catch {
    // told below, as an answer that is no form is
  }
  said.textContent = text === null ? place.dataset.unhad : "";
  if (text === null) return;
  place.innerHTML = text;
  place.hidden = false;
  renew();
  const title = byId("dispute-title");
  if (title) words = JSON.parse(byId("dispute-errors").textContent);
  else drawBeside(); // the dispute has changed since it was drawn
  (title ?? place.querySelector("[data-close]")).focus();
  place.scrollIntoView({ block: "nearest" });
}

function close() {
  place.hidden = true;
  place.replaceChildren();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do], button[data-close], button[data-more]");
  if (!button) return;
  // The second click of a double one may meet what came to lie where its first one sent a form.
  if (button.dataset.do) return event.detail > 1 ? undefined : disputeHere(button);
  if (button.dataset.more !== undefined) return oneMore(button);
  close();
  document.querySelector("#disputes summary").focus();
});

// Who leaves the page with words in a form is asked.
addEventListener("beforeunload", (event) => {
  if (isWritten()) event.preventDefault();
});

// ---- fields

function oneMore(button) {
  const row = button.previousElementSibling.cloneNode(true);
  for (const one of row.querySelectorAll("input")) one.value = "";
  button.before(row);
  row.querySelector("input").focus();
}

// Fields that belong to one choice are there while it is chosen.
place?.addEventListener("change", (event) => {
  if (!event.target.name) return;
  for (const part of place.querySelectorAll("[data-when]")) {
    const [name, value] = part.dataset.when.split("=");
    if (name !== event.target.name) continue;
    part.disabled = event.target.value !== value;
    part.hidden = part.disabled;
  }
});

// ---- sending

place?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (sending) return;
  const { body, wrong, missing } = read(form());
  if (wrong) return refuse(fill(words[missing ? "refused.missing" : "refused.wrong"], { field: label(wrong) }), wrong);
  sending = true;
  const button = byId("dispute-send");
  button.setAttribute("aria-disabled", "true");
  refuse(words["dispute.sending"]);
  try {
    await sent(await post(body));
  } finally {
    sending = false;
    button.removeAttribute("aria-disabled");
  }
});

const label = (field) => field.labels[0].firstChild.textContent.trim();

// The answer's status and body; status 0 where none came.
async function post(fields) {
  const { do: act, version, post: address } = form().dataset;
  const body = act === "open" ? fields : { act: { do: act, ...fields }, expected_version: Number(version) };
  const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": key };
  try {
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, wait: answer.headers.get("Retry-After"), ...(await answer.json()) };
  } catch {
    return { status: 0 };
  }
}

async function sent(answer) {
  if (answer.status !== 201) return refused(answer);
  const told = words[answer.repeated ? "dispute.before" : "dispute.sent"];
  close();
  await drawBeside();
  said.textContent = told;
  byId(`d-${answer.dispute.dispute_id}`)?.focus();
}

// ---- what is refused

const GROUPS = { bad_token: "token_needed", unknown_game: "gone", unknown_dispute: "gone" };

async function refused({ status, code = "", detail = "", version, wait }) {
  const family = code.replace(/^dispute\//, "");
  if (family === "stale_version") {
    form().dataset.version = version;
    await drawBeside();
  } else if (family === "command_reused") {
    renew();
    await drawBeside();
  } else if (family === "WRONG_STANDING") {
    await drawBeside();
  }
  const name = status === 0 ? "network" : status >= 500 ? "busy" : (GROUPS[family] ?? family);
  const text = words[`refused.${name}`] ?? words[status === 400 ? "refused.bad_body" : "refused.other"];
  refuse(fill(text, { code, detail, seconds: wait ?? 1 }));
  if (name !== "token_needed") return;
  const link = Object.assign(document.createElement("a"), { href: "/sign-in", target: "_blank", textContent: words["sign.in"] });
  byId("dispute-error").append(" ", link);
}

function refuse(text, field) {
  for (const one of form().querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
  byId("dispute-error").textContent = text;
  byId("dispute-error").classList.toggle("error", text !== words["dispute.sending"]);
  if (!field) return;
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", "dispute-error");
  field.focus();
}
