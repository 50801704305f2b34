// The list: times in the reader's zone, and a box that takes a dropped log in and opens its replay.

import { localTimes } from "./common.js";

const form = document.getElementById("import");
const out = document.getElementById("imported");
const section = form.closest("section");

async function bring(data) {
  out.textContent = "…";
  const answer = await fetch(form.action, { method: "POST", body: data, headers: { "Accept-Fragment": "1", Accept: "text/html" } });
  out.innerHTML = await answer.text();
  const links = out.querySelectorAll("ul a");
  if (answer.ok && links.length === 1) location.assign(links[0].href);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  bring(new FormData(form));
});

for (const kind of ["dragenter", "dragover"]) {
  section.addEventListener(kind, (event) => {
    event.preventDefault();
    section.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) section.addEventListener(kind, () => section.classList.remove("over"));
section.addEventListener("drop", (event) => {
  event.preventDefault();
  const data = new FormData(form);
  const [file] = event.dataTransfer.files;
  if (file) data.set("file", file);
  else data.set("text", event.dataTransfer.getData("text/plain"));
  bring(data);
});

localTimes();
