"""A dispute on the terminal, line by line, in the reader's language. Asks nothing: it is given what is shown."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from api import disputes_wire as wire
from api.viewer.texts import TEXTS, Texts
from projections.board import LETTERS
from projections.explain import Language

_HEADS: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("", "when", "who", "what", "text"),
    "ja": ("", "日時", "発言者", "内容", "本文"),
}


def title(one: wire.DisputeShown, lang: Language) -> Iterator[str]:
    """Yield which dispute it is, how it stands, and what it is about."""
    versions = ", ".join(map(str, one.versions))
    if lang == "en":
        yield f"Dispute {one.dispute_id}: {one.standing}"
        yield f"about game {one.game_id}, version{'s' * (len(one.versions) > 1)} {versions}"
    else:
        yield f"異議 {one.dispute_id}: {TEXTS[lang][f'dispute.{one.standing}']}"
        yield f"対局 {one.game_id}、{versions}手目"


def heads(lang: Language) -> tuple[str, ...]:
    """Return what the columns of `row` are called."""
    return _HEADS[lang]


def row(one: wire.Line, seats: Sequence[str], lang: Language) -> tuple[object, ...]:
    """Return one act: its version, when, who, what, and with which text."""
    event = msgspec.json.decode(bytes(one.event))
    when = one.recorded_at[:16].replace("T", " ")
    erased = TEXTS[lang]["dispute.erased"] if lang != "en" else "(erased)"
    said = one.text if one.text is not None else erased if event.get("text") else ""
    what = _english(event) if lang == "en" else _told(event, TEXTS[lang])
    return one.version, when, _who(event.get("by"), seats, lang), ", ".join(what), said


def _who(by: str | None, seats: Sequence[str], lang: Language) -> str:
    if by in seats:
        return f"{'seat ' if lang == 'en' else '席'}{LETTERS[seats.index(by)]}"
    return by or ("arbiter" if lang == "en" else TEXTS[lang]["dispute.arbiter"])


def _english(event: dict[str, Any]) -> Iterator[str]:
    yield event["t"].replace("_", " ")
    yield from filter(None, (event.get(name) for name in ("outcome", "decision", "remedy")))
    yield from _figures(event, " (none)")
    yield from (f"{name} {value}" for name, value in _evidence(event).items())


def _told(event: dict[str, Any], texts: Texts) -> Iterator[str]:
    yield texts[f"act.{event['t']}"]
    for name in ("outcome", "decision", "remedy"):
        if event.get(name):
            yield texts[f"{name}.{event[name]}"].rstrip("。")
    yield from _figures(event, f"（{texts['dispute.fact.no_breach']}）")
    match _evidence(event):
        case {"game_id": game, "version": version}:
            yield texts.fill("dispute.game", at=version, game=game)
        case {"version": version}:
            yield texts.fill("dispute.event", at=version)
        case {"sha256": sha256}:
            yield texts.fill("dispute.file", sha256=sha256)


def _figures(event: dict[str, Any], no_breach: str) -> Iterator[str]:
    """Yield rules or tags, facts and points, written alike in every language."""
    yield from event.get("rules") or event.get("tags") or []
    for fact in event.get("facts") or ():
        yield f"{fact['version']}:{fact['code']}" + ("" if fact["breach"] else no_breach)
    for points in event.get("adjustments") or event.get("demanded") or ():
        yield f"{points['deal']}:{LETTERS[points['seat']]}:{points['points']:+d}"


def _evidence(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.get("evidence", {}).items() if name != "k"}
