"""A view of a table of Lanterloo as plain text for a terminal of 80 columns.

Pure; works on what `views.view_state` returns, so it shows nothing that the viewer may not see. Seats have the
letters of the table notation, A first.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from projections.board import in_hand_order, padded, seat_name, width_of, wrapped
from projections.board_words import WORDS, Words

View = dict[str, Any]

_WAITS: Final = {
    "over": "hand.over",
    "scored": "hand.scored",
}


def render(view: View, names: Sequence[str] = (), lang: str = "en") -> str:
    """Return the table as lines of at most 80 columns; seats without a name are called by their letter."""
    words = WORDS[lang]
    parts = (_middle(view, words), _seats(view, names, words), _trick(view, names, words))
    return "\n".join((_headline(view, names, words), *(line for part in parts for line in part)))


def _headline(view: View, names: Sequence[str], words: Words) -> str:
    dealer = seat_name(view["dealer"], names)
    return wrapped(words["head"].format(deal=view["deal"], dealer=dealer), _now(view, names, words))


def _now(view: View, names: Sequence[str], words: Words) -> str:
    """Return what the table waits for, or how the session ended."""
    phase, who = view["phase"], seat_name(view["turn"], names)
    if phase == "ended":
        return _ending(view, names, words)
    if phase == "declare":
        return words["to_declare.must" if view["must_play"] else "to_declare"].format(who=who)
    if phase == "claim":
        return words["to_claim"].format(who=who)
    if phase == "play":
        return words["to_follow" if view["trick"] else "to_lead"].format(who=who)
    return words[_WAITS.get(phase, str(phase))]


def _ending(view: View, names: Sequence[str], words: Words) -> str:
    if view["abandoned"]:
        return words["session.broken_off"]
    if view["winner"] is None:
        return words["session.alike"]
    return words["session.won"].format(who=seat_name(view["winner"], names))


def _middle(view: View, words: Words) -> Iterator[str]:
    turned = words["turned"].format(card=view["turn_up"]) if view["turn_up"] else ""
    yield words["trumps"].format(
        trump=view["trump"] or "?", turned=turned, stock=view["stock"], miss=len(view["miss"])
    )
    single = words["single"] if view["single"] else ""
    yield words["pool"].format(pool=view["pool"], stake=view["stake"], single=single)


def _seats(view: View, names: Sequence[str], words: Words) -> Iterator[str]:
    shown = [seat_name(seat, names) for seat in range(view["seats"])]
    width = max(map(width_of, shown))
    yield f"  {'':{width}}{words['loo.columns']}"
    for seat, name in enumerate(shown):
        hand = sorted(view["hands"][seat], key=in_hand_order)
        mark = (
            ">" if seat == view["turn"] and view["phase"] in ("declare", "play", "claim") else " "
        )
        declared = view["declared"][seat]
        said = padded("" if declared is None else words[f"said.{declared}"], 14)
        numbers = f"{view['totals'][seat]:>+5} {view['tricks'][seat]:>6} {said} "
        called = padded(name, width)
        yield wrapped(f"{mark} {called} {numbers}", " ".join(hand) or "-", width + 31)


def _trick(view: View, names: Sequence[str], words: Words) -> Iterator[str]:
    for one in view["shown"]:
        kind = words[f"flush.{one['kind']}"]
        head = f"{seat_name(one['seat'], names)}{words['colon']}{kind}  "
        yield wrapped(head, " ".join(one["cards"]))
    if view["trick"]:
        played = "  ".join(_played(one, names, words) for one in view["trick"])
        yield wrapped(words["on_table"], played)


def _played(one: View, names: Sequence[str], words: Words) -> str:
    civil = words["civil"] if one["civil"] else ""
    return f"{seat_name(one['seat'], names)[0]}:{one['card']}{civil}"
