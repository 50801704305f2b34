// How the table is looked at: from which seat, turned which way; and the link to what is seen.

import { addressNow } from "./showing.js";
import { byId, kept, root, say, state, table, texts } from "./state.js";

export function look(seat) {
  if (seat > Number(root.dataset.seats)) return;
  const query = kept();
  query.set("seat", seat);
  query.set("at", state.at);
  location.assign(`?${query}`);
}

const order = ["bottom", "left", "top", "right"];
let turned = 0;

// Turn the table by one seat: everybody moves on one place clockwise.
export function rotate() {
  const seats = [...table.querySelectorAll(".player")].sort((a, b) => a.dataset.seat - b.dataset.seat);
  const sizes = order.map((place) => table.querySelector(`.place.${place}`).children.length);
  turned = (turned + 1) % seats.length;
  const bottom = (Number(root.dataset.viewer || 1) - 1 + seats.length) % seats.length;
  let next = bottom + turned;
  order.forEach((place, index) => {
    const box = table.querySelector(`.place.${place}`);
    const here = [];
    for (let count = 0; count < sizes[index]; count++) here.push(seats[next++ % seats.length]);
    if (place === "left") here.reverse();
    box.append(...here);
  });
}

export async function copy() {
  addressNow();
  try {
    await navigator.clipboard.writeText(location.href);
    say.textContent = texts.copied;
    byId("brief").textContent = texts.copied;
  } catch {
    prompt(texts.copied, location.href);
  }
}

byId("rotate").addEventListener("click", rotate);
byId("copy").addEventListener("click", copy);
