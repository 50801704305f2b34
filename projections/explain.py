"""What a judgement or a reason means, as a sentence: made here, at the edge, from its code and parameters.

Pure; the words of each language are in a file of their own. A sentence says what was wrong, a detail what was
expected and what was there; where the parameters may not be shown, the sentence still stands alone.
"""

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Any, Final, Literal

from events.common import Event
from events.game import Game
from projections.board import LETTERS
from projections.views import view_of
from projections.wording import SEAT, Found, Wording
from projections.words_en import ENGLISH
from projections.words_ja import JAPANESE

Language = Literal["en", "ja"]

LANGUAGES: Final[Mapping[Language, Wording]] = {"en": ENGLISH, "ja": JAPANESE}

_DEEPEST: Final = 3


def why(
    game: Game[Any, Any],
    state: Any,
    event: Event,
    names: Sequence[str] = LETTERS,
    lang: Language = "en",
) -> str:
    """Return why this act breaks the rules in this state or, if it breaks none, why it is legal.

    One sentence for each rule broken or not checkable, with its number; of a legal act one or two.
    """
    judged = game.judge(state, event)
    found: Sequence[Found] = judged or view_of(game.name).reasons(state, event)
    return _space(lang).join(sentence(one, names, lang) for one in found)


def sentence(found: Found, names: Sequence[str] = LETTERS, lang: Language = "en") -> str:
    """Return one sentence with its rule; seats are called by *names*, by their letters if none are given.

    A code that the table does not have is shown as it is: an old program reads a newer log.
    """
    wording = LANGUAGES[lang]
    text, detail = wording.sentences.get(found.code, (found.code, wording.detail))
    values = {key: _worded(str(value), wording, names) for key, value in found.params.items()}
    values["who"] = _who(found, wording, names)
    told = _why_untold(found, wording) + _filled(text, values)
    added = _detail(detail, values, wording)
    return wording.frame.format(
        text=told[0].upper() + told[1:],
        detail=wording.joint + added if added else "",
        rule=wording.cited.format(found.rule) if found.rule else "",
    )


def verdict(
    breaches: Sequence[int],
    unchecked: int,
    events: int,
    *,
    finished: bool,
    lang: Language = "en",
) -> str:
    """Return a report in one line, from the versions of its breaches and how much was looked at."""
    wording = LANGUAGES[lang]
    line = wording.clean.format(events=events)
    if breaches:
        one, many = wording.breaches
        line = (one if len(breaches) == 1 else many).format(
            count=len(breaches), events=events, first=breaches[0]
        )
    if unchecked:
        line += wording.open.format(count=unchecked)
    return line if finished else line + wording.unfinished


def _space(lang: Language) -> str:
    return " " if lang == "en" else ""


def _who(found: Found, wording: Wording, names: Sequence[str]) -> str:
    """Return the player or, where the parameters name several, all of them."""
    if "seats" in found.params:
        return wording.comma.join(_named(f"seat {s}", names) for s in _seats(found.params["seats"]))
    return wording.anyone if found.seat is None else _named(f"seat {found.seat}", names)


def _seats(text: str | int) -> list[str]:
    return str(text).split()


def _why_untold(found: Found, wording: Wording) -> str:
    why_not = getattr(found, "why", None) or found.params.get("why")
    return {"unknown_card": wording.unknown, "equal_cards": wording.equal}.get(str(why_not), "")


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Return the template filled in, `??` for what the reader may not know."""
    fields = {field for _, field, _, _ in Formatter().parse(template) if field}
    return template.format_map(dict.fromkeys(fields, "??") | dict(values))


def _detail(template: str, values: Mapping[str, str], wording: Wording) -> str:
    """Return the detail if all of it is known, else what is known of what was expected and found."""
    fields = {field for _, field, _, _ in Formatter().parse(template) if field}
    if fields <= values.keys():
        return template.format_map(values)
    known = (word.format(values[key]) for key, word in wording.known.items() if key in values)
    return wording.comma.join(known)


def _worded(value: str, wording: Wording, names: Sequence[str], depth: int = 0) -> str:
    """Return a value in words, its parts too, and the names of the seats that it speaks of."""
    if value in wording.values:
        return wording.values[value]
    if value.startswith("seats "):
        value = re.sub(r"\d+", r"seat \g<0>", value)
    for pattern in wording.patterns if depth < _DEEPEST else ():
        match = pattern.shape.fullmatch(value)
        if match is not None:
            parts = (_worded(part, wording, names, depth + 1) for part in match.groups())
            return pattern.words.format(*parts)
    return _named(value, names)


def _named(text: str, names: Sequence[str]) -> str:
    """Return the text with the names of the seats that it speaks of."""

    def name(match: re.Match[str]) -> str:
        seat = int(match[1])
        return names[seat] if seat < len(names) else match[0]

    return SEAT.sub(name, text)


__all__ = ["LANGUAGES", "LETTERS", "Language", "sentence", "verdict", "why"]
