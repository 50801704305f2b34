"""A table of 500 Rummy as parts of a page: status, seats, stock and pile, melds. Pure."""

from collections.abc import Iterator
from typing import Any, Final

from api.viewer.scene import Face, Note, Region, Scene, View

_PLAYING: Final = ("draw", "play", "window")


def regions(view: View, scene: Scene) -> dict[str, Region]:
    """Return every part of the table by name."""
    parts = {
        "status": Region("status", _status(view, scene)),
        "middle": Region("piles", _piles(view, scene)),
        "board": Region("melds", {"melds": list(_melds(view, scene))}),
    }
    seats = {f"seat-{s}": Region("player", _player(view, s, scene)) for s in range(view["seats"])}
    return parts | seats


def _status(view: View, scene: Scene) -> dict[str, Any]:
    return {
        "deal": view["deal"],
        "dealer": scene.who(view["dealer"]),
        "now": _now(view, scene),
        "notes": list(_notes(view, scene)),
        "veil": scene.veil("rummy500"),
    }


def _now(view: View, scene: Scene) -> str:
    texts, phase = scene.texts, view["phase"]
    if phase == "ended":
        if view["abandoned"] or view["winner"] is None:
            return texts["rummy.abandoned"]
        return texts.fill("rummy.won", who=scene.who(view["winner"]))
    if phase in ("over", "scored"):
        out = view["out"]
        return (
            texts["rummy.nobody_out"]
            if out is None
            else texts.fill("rummy.out", who=scene.who(out))
        )
    if phase in _PLAYING:
        key = "rummy.play" if phase == "play" else "rummy.draw"
        return texts.fill(key, who=scene.who(view["turn"]))
    return texts["rummy.dealing"]


def _notes(view: View, scene: Scene) -> Iterator[Note]:
    """Yield what is owed, what can be called, and calls that stand and wait."""
    if owed := _owed(view):
        yield scene.note("duty", "rummy.owed", owed)
    if view["callable"]:
        yield scene.note("call", "rummy.callable", view["callable"])
    for call in view["claims"]:
        yield scene.note("call", "rummy.claimed", [call["card"]], who=scene.who(call["seat"]))
    if view["noted"]:
        noted = view["noted"]
        yield scene.note("call", "rummy.noted", [noted["card"]], who=scene.who(noted["seat"]))
    if view["challenge"] is not None:
        yield scene.note("duty", "rummy.challenge", who=scene.who(view["challenge"]))
    if view["wild"]:
        yield scene.note("wild", "rummy.wild", rank=view["wild"].replace("T", "10"))


def _owed(view: View) -> list[str]:
    """Return the cards that must be melded this turn."""
    return [*([view["duty"]] if view["duty"] else []), *view["owed"]]


def _player(view: View, seat: int, scene: Scene) -> dict[str, Any]:
    owed = _owed(view) if seat == view["turn"] else []
    hand = scene.hand(view["hands"][seat], owed) if view["hands"] else []
    return {
        "seat": seat,
        "name": scene.names[seat],
        "full": scene.full_names[seat],
        "hand": hand,
        "acts": seat == view["turn"] and view["phase"] in _PLAYING,
        "rests": False,
        "deals": seat == view["dealer"],
        "tags": list(_tags(view, seat, scene)),
        "figures": _figures(view, seat, scene),
        "aside": [],
        "shown": [],
    }


def _tags(view: View, seat: int, scene: Scene) -> Iterator[str]:
    if seat in view["floaters"]:
        yield scene.texts["rummy.floats"]
    if seat == view["out"]:
        yield scene.texts["rummy.went_out"]
    if seat == view["winner"]:
        yield scene.texts["winner"]


def _figures(view: View, seat: int, scene: Scene) -> list[tuple[str, str]]:
    """Return the seat's numbers, each with its name."""
    texts = scene.texts
    shown = [(texts["total"], str(view["totals"][seat]))]
    if view["points"]:
        shown.append((texts["on_table"], str(view["points"][seat])))
    if view["left"] and view["left"][seat] is not None:
        shown.append((texts["in_hand"], str(view["left"][seat])))
    if view["penalties"][seat]:
        shown.append((texts["penalty"], str(view["penalties"][seat])))
    return shown


def _piles(view: View, scene: Scene) -> dict[str, Any]:
    can_call, taken = set(view["callable"]), set(view["taken"])
    pile = [
        scene.marked(card, "callable" if card in can_call else "taken" if card in taken else "")
        for card in view["pile"]
    ]
    stock = view["stock_cards"]
    return {
        "stock": view["stock"],
        "next": scene.face(stock[0]) if stock else None,
        "pile": pile,
        "surplus": [scene.face(card) for card in view["surplus"]],
    }


def _melds(view: View, scene: Scene) -> Iterator[dict[str, Any]]:
    for meld in view["melds"]:
        fitting = meld["fitting"]
        cards = [
            _laid(one, "beside" if place >= fitting else "", scene)
            for place, one in enumerate(meld["cards"])
        ]
        yield {
            "meld": meld["meld"],
            "kind": scene.texts[meld["kind"]],
            "founder": scene.who(meld["founder"]),
            "cards": cards,
        }


def _laid(one: View, marks: str, scene: Scene) -> Face:
    """Return a card on the table, labelled with who laid it, what it stands for and what it counts."""
    texts, card = scene.texts, one["card"]
    said = card if one["as"] is None else f"{card}={one['as']}"
    label = texts.fill(
        "laid", card=texts.card(said), who=scene.who(one["seat"]), value=one["value"]
    )
    at = scene.origins.of(card)
    return Face(card, label, at, one["as"], one["seat"], marks)
