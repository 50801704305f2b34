// Cards move from where they were to where they go, from one part of the table to another, face down too:
// measured before and after the table changes, then played. Nothing moves for a reader who wants less motion.

const LONGEST = 320;
const MOST = 40; // cards of one step that come from elsewhere
let last = 0; // when the last cards set out
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Where every card is: those with a face by name, backs by the part of the table where they lie.
function places(table) {
  const [faces, backs] = [new Map(), new Map()];
  for (const card of table.querySelectorAll(".card:not(.gap)")) {
    if (card.closest(".stock")) continue;
    if (card.dataset.card) {
      if (!faces.has(card.dataset.card)) faces.set(card.dataset.card, card);
    } else {
      const part = card.closest("[data-region]").dataset.region;
      if (!backs.has(part)) backs.set(part, []);
      backs.get(part).push(card);
    }
  }
  return { faces, backs };
}

const boxes = ({ faces, backs }) => {
  const box = (card) => card.getBoundingClientRect();
  return {
    faces: new Map([...faces].map(([name, card]) => [name, box(card)])),
    backs: new Map([...backs].map(([part, cards]) => [part, cards.map(box)])),
  };
};

const stock = (table) => {
  const place = table.querySelector(".stock");
  return { box: place?.querySelector(".card")?.getBoundingClientRect(), count: Number(place?.dataset.count ?? 0) };
};

// Change the table by *change*, and let every card that lies elsewhere afterwards go there.
export function moved(table, change, milliseconds) {
  const time = Math.min(LONGEST, milliseconds * 0.6);
  const now = performance.now();
  const isHurried = now - last < time; // the cards of the step before are still on their way
  last = now;
  if (calm.matches || time < 60 || isHurried) {
    change();
    return;
  }
  const [before, stockBefore] = [boxes(places(table)), stock(table)];
  change();
  const cards = places(table);
  const after = boxes(cards);
  const ways = [];
  const come = []; // cards that were not to be seen before
  for (const [name, card] of cards.faces) {
    const from = before.faces.get(name);
    if (from) ways.push([card, from, after.faces.get(name)]);
    else come.push([card, after.faces.get(name)]);
  }
  const left = []; // places that a card has left
  for (const [name, box] of before.faces) if (!after.faces.has(name)) left.push(box);
  for (const part of new Set([...before.backs.keys(), ...after.backs.keys()])) {
    const [old, now] = [before.backs.get(part) ?? [], after.backs.get(part) ?? []];
    old.slice(now.length).forEach((box) => left.push(box));
    now.forEach((box, index) => {
      const card = cards.backs.get(part)[index];
      if (old[index]) ways.push([card, old[index], box]);
      else come.push([card, box]);
    });
  }
  const fresh = stockBefore.box ?? stock(table).box;
  for (const [card, to] of come.slice(0, MOST)) {
    const from = left.shift() ?? fresh;
    if (from) ways.push([card, from, to]);
  }
  for (const [card, from, to] of ways) go(card, from, to, time);
}

function go(card, from, to, time) {
  const [left, top] = [from.left - to.left, from.top - to.top];
  if (Math.abs(left) + Math.abs(top) < 2 || to.width === 0 || from.width === 0) return;
  const scale = from.width / to.width;
  // Nothing but the transform: a browser can then move the card without drawing the page again for every frame.
  card.classList.add("flies");
  const flight = card.animate(
    [{ transform: `translate(${left}px, ${top}px) scale(${scale})` }, { transform: "none" }],
    { duration: time, easing: "cubic-bezier(.2, .7, .3, 1)" },
  );
  flight.onfinish = () => card.classList.remove("flies");
}
