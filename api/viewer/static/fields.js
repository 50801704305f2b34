// Reads the fields of a form as the interface takes them: `rules:words` is a list of words under `rules`. Empty ones are
// left out, and so are those of a choice that was not made.

const GAME = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const split = (text) => text.split(/[\s,、，]+/).filter(Boolean);
const number = (text) => (/^[+-]?[0-9]{1,15}$/.test(text) ? Number(text) : undefined);
const all = (found) => (found.includes(undefined) ? undefined : found);

const READ = {
  text: (text) => text,
  int: number,
  ints: (text) => all(split(text).map(number)),
  words: split,
  tags: (text) => split(text.toLowerCase()),
  game: (text) => GAME.exec(text)?.[0].toLowerCase(),
  hash: (text) => (/^[0-9a-f]{64}$/i.test(text) ? text.toLowerCase() : undefined),
  facts: (text) => all(split(text).map(fact)),
};

function fact(text) {
  const [version, code, ...more] = text.split(":");
  const at = number(version);
  return at === undefined || !code || more.length ? undefined : { version: at, code: code.toUpperCase(), breach: true };
}

// The body, or the field that is wrong, and whether it is so since it is empty.
export function read(form) {
  const body = {};
  for (const field of form.querySelectorAll(":enabled[name]")) {
    if (field.type === "radio" || field.matches("fieldset, [data-seat], [data-code]")) continue;
    const [name, kind] = field.name.split(":");
    // Who types in Japanese may type a number in full width.
    const raw = field.matches("textarea") ? field.value : field.value.normalize("NFKC").trim();
    if (field.validity.badInput) return { wrong: field };
    if (!raw.trim()) {
      if (field.required) return { wrong: field, missing: true };
      continue;
    }
    if (name === "-deal") continue;
    const value = READ[name === "-facts" ? "facts" : kind](raw);
    if (value === undefined) return { wrong: field };
    if (name === "-facts") body.facts = value;
    else body[name] = value;
  }
  const told = [...form.querySelectorAll(":enabled[data-code]")].filter((one) => one.value);
  const facts = told.map(({ dataset, value }) => ({ version: Number(dataset.version), code: dataset.code, breach: value === "1" }));
  if (facts.length) body.facts = [...facts, ...(body.facts ?? [])];
  return points(form, body);
}

// The tables of points: a row a deal, a field a seat.
function points(form, body) {
  for (const table of form.querySelectorAll("fieldset[data-points]:enabled")) {
    const found = [];
    for (const field of table.querySelectorAll("[data-seat]")) {
      if (field.validity.badInput || (field.value && !Number.isInteger(Number(field.value)))) return { wrong: field };
      if (!Number(field.value)) continue;
      const deal = field.closest(".points-row").querySelector('[name="-deal"]');
      if (!number(deal.value)) return { wrong: deal, missing: !deal.value };
      found.push({ deal: Number(deal.value), seat: Number(field.dataset.seat), points: Number(field.value) });
    }
    if (found.length) body[table.dataset.points] = found;
  }
  return { body };
}
