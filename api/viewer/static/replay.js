// The replay: a version of a game, and every way to another.
//
// The server has drawn the first version; this puts the parts of other versions, drawn by the server too,
// in their places. All text comes from the page.

import { localTimes } from "./common.js";
import "./growing.js";
import { mark } from "./showing.js";
import { root, state, steps } from "./state.js";
import "./touching.js";

localTimes();
history.replaceState({ at: state.at }, "", location.href);
mark(state.at);
steps.ahead(state.at, state.newest);
root.dataset.ready = "1";
