// The steps of a game, fetched in pieces: what every part of the table looks like at any version.
//
// A piece begins with the whole table and goes on with the parts that changed, so any version can be put
// together from one piece alone. Pieces are kept; those not used for long are let go.

const STRETCH = 100;
const KEPT = 40;

export class Steps {
  constructor(game, address, lines) {
    this.game = game;
    this.wants = lines; // whether the list of moves grows, so that its lines are needed too
    this.address = address; // the parameters that say whose view this is, as URLSearchParams
    this.pieces = new Map(); // number of the piece -> promise of its steps
    this.ready = new Map(); // the same, once they are here
    this.newest = 0;
    this.jumps = null; // where turns, deals and findings begin, of a game that grows
  }

  static number(version) {
    return Math.floor((version - 1) / STRETCH);
  }

  // The step at a version if its piece is here, else undefined.
  now(version) {
    const piece = this.ready.get(Steps.number(version));
    return piece && version - piece.first < piece.steps.length ? this.#whole(piece, version) : undefined;
  }

  async at(version) {
    await this.#piece(Steps.number(version), version);
    return this.now(version);
  }

  // Fetch what will be wanted next, quietly.
  ahead(version, last) {
    for (const next of [version + STRETCH / 2, version - STRETCH / 2]) {
      if (next >= 1 && next <= last) {
        this.#piece(Steps.number(next), next).catch(() => {});
      }
    }
  }

  // The game has grown: what is kept may show less than may be seen now, of a deal that has ended for one.
  grown() {
    this.ready.clear();
    this.pieces.clear();
  }

  linesOf(first, last) {
    const found = [];
    for (let version = first; version <= last; version++) {
      const piece = this.ready.get(Steps.number(version));
      const line = piece?.steps[version - piece.first]?.line;
      if (line === undefined) break;
      found.push(line);
    }
    return found;
  }

  // Whether there is more beside the table after these versions than before, as far as is known.
  bringMore(first, last) {
    for (let version = first; version <= last; version++) {
      const piece = this.ready.get(Steps.number(version));
      const step = piece?.steps[version - piece.first];
      if (!step || step.more) return true;
    }
    return false;
  }

  #whole(piece, version) {
    const end = version - piece.first;
    const regions = {};
    for (let index = 0; index <= end; index++) Object.assign(regions, piece.steps[index].regions);
    return { ...piece.steps[end], regions };
  }

  #piece(number, version) {
    const known = this.ready.get(number);
    if (known && version - known.first >= known.steps.length) this.pieces.delete(number);
    if (!this.pieces.has(number)) {
      this.pieces.set(number, this.#fetch(number).catch((error) => {
        this.pieces.delete(number);
        throw error;
      }));
    }
    return this.pieces.get(number);
  }

  async #fetch(number) {
    const first = number * STRETCH + 1;
    const query = new URLSearchParams(this.address);
    query.set("first", first);
    query.set("last", first + STRETCH - 1);
    if (this.wants) query.set("lines", "1");
    const answer = await fetch(`/games/${this.game}/steps?${query}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`steps: ${answer.status}`);
    const { newest, steps, jumps } = await answer.json();
    this.newest = Math.max(this.newest, newest);
    if (jumps) this.jumps = jumps;
    this.ready.delete(number);
    this.ready.set(number, { first, steps });
    this.#forget();
    return steps;
  }

  #forget() {
    for (const number of this.ready.keys()) {
      if (this.ready.size <= KEPT) return;
      this.ready.delete(number);
      this.pieces.delete(number);
    }
  }
}
