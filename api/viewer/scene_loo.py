"""A table of Lanterloo as parts of a page: status, seats, pool and trumps, the trick and those before. Pure."""

from collections.abc import Iterator
from typing import Any, Final

from api.viewer.scene import Face, Note, Payment, Region, Scene, View

_PLAYING: Final = ("declare", "claim", "play")
_AT_STAKE: Final = ("deal", "turn_up", "declare", "claim", "show", "play", "trick", "settle")
"""The phases of a hand that is played for the pool."""


def regions(view: View, scene: Scene) -> dict[str, Region]:
    """Return every part of the table by name."""
    parts = {
        "status": Region("status", _status(view, scene)),
        "middle": Region("pool", _pool(view, scene)),
        "board": Region("tricks", _tricks(view, scene)),
    }
    seats = {f"seat-{s}": Region("player", _player(view, s, scene)) for s in range(view["seats"])}
    return parts | seats


def _status(view: View, scene: Scene) -> dict[str, Any]:
    return {
        "deal": view["deal"],
        "dealer": scene.who(view["dealer"]),
        "now": _now(view, scene),
        "notes": list(_notes(view, scene)),
        "veil": scene.veil("lanterloo"),
    }


def _now(view: View, scene: Scene) -> str:
    texts, phase = scene.texts, view["phase"]
    if phase == "ended":
        if view["abandoned"]:
            return texts["loo.abandoned"]
        if view["winner"] is None:
            return texts["loo.won_alike"]
        return texts.fill("loo.won", who=scene.who(view["winner"]))
    key = "loo.follow" if phase == "play" and view["trick"] else f"loo.{phase}"
    return texts.fill(key, who=scene.who(view["turn"]))


def _notes(view: View, scene: Scene) -> Iterator[Note]:
    if view["must_play"] and view["phase"] == "declare":
        yield scene.note("duty", "loo.must_play")
    if view["single"] and view["phase"] in _AT_STAKE:
        yield scene.note("call", "loo.single")
    for one in view["penalties"]:
        who, amount = scene.who(one["seat"]), one["amount"]
        yield scene.note("duty", "loo.penalty", who=who, amount=amount)


def _player(view: View, seat: int, scene: Scene) -> dict[str, Any]:
    hand = scene.hand(view["hands"][seat]) if view["hands"] else []
    return {
        "seat": seat,
        "name": scene.names[seat],
        "full": scene.full_names[seat],
        "hand": hand,
        "acts": seat == view["turn"] and view["phase"] in _PLAYING,
        "rests": bool(view["declared"]) and view["declared"][seat] == "pass",
        "deals": seat == view["dealer"],
        "tags": list(_tags(view, seat, scene)),
        "figures": _figures(view, seat, scene),
        "aside": scene.hand(view["aside"][seat]) if view["aside"] else [],
        "shown": [_flush(one, scene) for one in view["shown"] if one["seat"] == seat],
    }


def _tags(view: View, seat: int, scene: Scene) -> Iterator[str]:
    said = view["declared"][seat] if view["declared"] else None
    if said is not None:
        yield scene.texts[f"said.{said}"]
    if seat == view["lone"]:
        yield scene.texts["loo.lone"]
    if seat == view["winner"]:
        yield scene.texts["winner"]


def _figures(view: View, seat: int, scene: Scene) -> list[tuple[str, str]]:
    texts = scene.texts
    shown = [(texts["chips"], format(view["totals"][seat], "+d"))]
    if view["tricks"]:
        shown.append((texts["tricks"], str(view["tricks"][seat])))
    return shown


def _flush(one: View, scene: Scene) -> dict[str, Any]:
    return {
        "kind": scene.texts[f"flush.{one['kind']}"],
        "cards": [scene.face(card) for card in one["cards"]],
    }


def _pool(view: View, scene: Scene) -> dict[str, Any]:
    texts, trump = scene.texts, view["trump"]
    return {
        "pool": view["pool"],
        "stake": view["stake"],
        "trump": trump,
        "trump_name": texts[f"suit.{trump}"] if trump else texts["none_yet"],
        "turn_up": scene.face(view["turn_up"]) if view["turn_up"] else None,
        "stock": view["stock"],
        "miss": [scene.face(card) for card in view["miss"]],
        "put_out": [scene.face(card) for card in view["put_out"]],
        "pam": texts.card(view["pam"]) if view.get("pam") else None,
    }


def _tricks(view: View, scene: Scene) -> dict[str, Any]:
    played = [_card(one, view, scene) for one in view["played"]]
    size = len(view["standers"]) or 1
    done = played[: len(played) - len(view["trick"])] if view["trick"] else played
    return {
        "trick": [_card(one, view, scene) for one in view["trick"]],
        "before": [done[first : first + size] for first in range(0, len(done), size)],
        "ledger": [_payment(one, scene) for one in scene.payments.now()],
    }


def _payment(one: Payment, scene: Scene) -> dict[str, Any]:
    """Return who paid or took how much, and what for."""
    key = "paid.looed.to" if one.to is not None else f"paid.{one.reason}"
    return {
        "at": one.version,
        "who": scene.who(one.seat),
        "amount": format(one.amount, "+d").replace("-", "−"),
        "reason": scene.texts.fill(key, to=scene.who(one.to)),
    }


def _card(one: View, view: View, scene: Scene) -> Face:
    """Return a card of a trick, labelled with who played it and what was said with it."""
    texts, card = scene.texts, one["card"]
    key = "played_civil" if one["civil"] else "played"
    label = texts.fill(key, card=texts.card(card), who=scene.who(one["seat"]))
    marks = " ".join(
        mark for mark, holds in (("civil", one["civil"]), ("pam", card == view.get("pam"))) if holds
    )
    who = scene.who(one["seat"])
    return Face(card, label, scene.origins.of(card), None, one["seat"], marks, who)
