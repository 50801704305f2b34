// A card moves from where it was to where it goes: measured before and after the table changes, then played.
// Nothing moves for a reader who wants less motion.

const LONGEST = 320;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const places = (table) => {
  const found = new Map();
  for (const card of table.querySelectorAll("[data-card]")) {
    if (!found.has(card.dataset.card)) found.set(card.dataset.card, card.getBoundingClientRect());
  }
  return found;
};

const stockOf = (table) => table.querySelector(".stock .card")?.getBoundingClientRect();

// Change the table by *change*, and let every card that lies elsewhere afterwards go there.
export function moved(table, change, milliseconds) {
  const time = Math.min(LONGEST, milliseconds * 0.6);
  if (calm.matches || time < 60) {
    change();
    return;
  }
  const before = places(table);
  const stock = stockOf(table);
  change();
  for (const card of table.querySelectorAll("[data-card]")) {
    const from = before.get(card.dataset.card) ?? stock;
    if (from) go(card, from, card.getBoundingClientRect(), time);
  }
}

function go(card, from, to, time) {
  const [left, top] = [from.left - to.left, from.top - to.top];
  if (Math.abs(left) + Math.abs(top) < 2 || to.width === 0) return;
  const scale = from.width / to.width || 1;
  card.animate(
    [{ transform: `translate(${left}px, ${top}px) scale(${scale})`, zIndex: 5 }, { transform: "none", zIndex: 5 }],
    { duration: time, easing: "cubic-bezier(.2, .7, .3, 1)" },
  );
}
