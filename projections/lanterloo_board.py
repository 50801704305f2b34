"""A view of a table of Lanterloo as plain text for a terminal of 80 columns.

Pure; works on what `views.view_state` returns, so it shows nothing that the viewer may not see. Seats have the
letters of the table notation, A first.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from projections.board import in_hand_order, seat_name, width_of, wrapped

View = dict[str, Any]

_SAID: Final = {
    None: "",
    "stand": "stands",
    "pass": "out",
    "miss": "took the miss",
    "exchange": "stands",
    "defend": "defends",
}
_WAITS: Final = {
    "cut": "the first deal is drawn for",
    "shuffle": "the cards are being shuffled",
    "ante": "the dealer antes",
    "deal": "the cards are being dealt",
    "turn_up": "trumps are being turned up",
    "show": "a flush is about to be shown",
    "trick": "the trick is complete",
    "settle": "the pool is being settled",
    "over": "the hand is over",
    "scored": "the hand is over, settled",
    "divided": "the pool has been divided",
}


def render(view: View, names: Sequence[str] = ()) -> str:
    """Return the table as lines of at most 80 columns; seats without a name are called by their letter."""
    return "\n".join(
        (_headline(view, names), *_middle(view), *_seats(view, names), *_trick(view, names))
    )


def _headline(view: View, names: Sequence[str]) -> str:
    dealer = seat_name(view["dealer"], names)
    return wrapped(f"Deal {view['deal']}, {dealer} deals: ", _now(view, names))


def _now(view: View, names: Sequence[str]) -> str:
    """Return what the table waits for, or how the session ended."""
    phase, who = view["phase"], seat_name(view["turn"], names)
    if phase == "ended":
        return _ending(view, names)
    if phase == "declare":
        must = ", and must play" if view["must_play"] else ""
        return f"{who} to declare{must}"
    if phase == "claim":
        return f"{who} to lead, flushes may be claimed"
    if phase == "play":
        return f"{who} to {'follow' if view['trick'] else 'lead'}"
    return _WAITS[phase]


def _ending(view: View, names: Sequence[str]) -> str:
    if view["abandoned"]:
        return "the session was broken off"
    if view["winner"] is None:
        return "the session is over, several have won alike"
    return f"the session is over, {seat_name(view['winner'], names)} has won most"


def _middle(view: View) -> Iterator[str]:
    trump = view["trump"] or "?"
    turned = f" (turned up: {view['turn_up']})" if view["turn_up"] else ""
    yield f"Trumps {trump}{turned}   Stock {view['stock']}   Miss {len(view['miss'])}"
    single = ", a single" if view["single"] else ""
    yield f"Pool   {view['pool']}, played for: {view['stake']}{single}"


def _seats(view: View, names: Sequence[str]) -> Iterator[str]:
    shown = [seat_name(seat, names) for seat in range(view["seats"])]
    width = max(map(width_of, shown))
    yield f"  {'':{width}} chips tricks declared       hand"
    for seat, name in enumerate(shown):
        hand = sorted(view["hands"][seat], key=in_hand_order)
        mark = (
            ">" if seat == view["turn"] and view["phase"] in ("declare", "play", "claim") else " "
        )
        padded = name + " " * (width - width_of(name))
        said = _SAID[view["declared"][seat]]
        numbers = f"{view['totals'][seat]:>+5} {view['tricks'][seat]:>6} {said:<14} "
        yield wrapped(f"{mark} {padded} {numbers}", " ".join(hand) or "-", width_of(padded) + 31)


def _trick(view: View, names: Sequence[str]) -> Iterator[str]:
    for one in view["shown"]:
        kind = one["kind"].replace("_", " ")
        yield wrapped(f"{seat_name(one['seat'], names)}: {kind}  ", " ".join(one["cards"]))
    if view["trick"]:
        yield wrapped("Trick  ", "  ".join(_played(one, names) for one in view["trick"]))


def _played(one: View, names: Sequence[str]) -> str:
    civil = " (Pam, be civil)" if one["civil"] else ""
    return f"{seat_name(one['seat'], names)[0]}:{one['card']}{civil}"
