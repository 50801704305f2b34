"""What a judgement means, as a sentence: made here, at the edge, from its code and parameters.

Pure; one table a language, by code. A sentence says what was wrong, a detail what was expected and what was
there; where the parameters may not be shown, the sentence still stands alone.
"""

import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import Final, Literal, Protocol

from events.game import Params
from projections import lanterloo_words

Language = Literal["en"]

DETAIL: Final = "expected {expected}, found {actual}"
# code: the sentence without its full stop, and the detail where the usual one does not read well
Table = Mapping[str, tuple[str, str]]

ENGLISH: Final[Table] = {
    # order of play
    "NOT_YOUR_TURN": ("{who} acted out of turn", "it was the turn of {expected}"),
    "NOT_DRAW_PHASE": ("{who} could not draw now", "{actual}"),
    "NOT_PLAY_PHASE": ("{who} could not meld, lay off or discard now", "{actual}"),
    "HAND_OVER": ("no more acts count, the play was over", "{expected}, phase {actual}"),
    "NO_SUCH_SEAT": ("this table has no such seat", "expected {expected}"),
    # cards and melds that are not there
    "NOT_IN_HAND": ("{who} did not hold that card", "{actual} is not among {expected}"),
    "NOT_IN_PILE": ("{who} took what does not lie so in the pile", DETAIL),
    "NO_SUCH_MELD": ("{who} named no meld that is on the table", DETAIL),
    "MELD_ID_TAKEN": ("{who} gave a new meld the number of another", DETAIL),
    "ONE_MELD_PER_LAYOFF": ("{who} laid off on several melds in one action", "{actual} melds"),
    # stock and draw
    "STOCK_EMPTY": ("{who} could not draw, there was no stock", DETAIL),
    "MUST_DRAW": ("{who} had to draw from the stock", DETAIL),
    # shapes
    "MELD_SIZE": ("a meld of that size does not exist", DETAIL),
    "MELD_NEEDS_NATURAL": ("a meld needs natural cards", DETAIL),
    "GROUP_RANK": ("a group holds one rank only", DETAIL),
    "GROUP_SUIT_REPEAT": ("a group holds no suit twice", DETAIL),
    "GROUP_FULL": ("the group was full", DETAIL),
    "RUN_SUIT": ("a sequence holds one suit only", DETAIL),
    "RUN_NOT_CONSECUTIVE": ("the cards of a sequence must follow one another", DETAIL),
    "RUN_END": ("the card does not continue the sequence there", DETAIL),
    "JOKER_UNDECLARED": ("{who} did not say what the joker stands for", DETAIL),
    "JOKER_STAYS": (
        "a joker on the table is not exchanged at this table",
        "{expected} for {actual}",
    ),
    "END_UNDECLARED": ("{who} did not say at which end the card goes", DETAIL),
    # duties
    "DEEP_CARD_UNMELDABLE": ("{who} took a card that could not be melded", "{card}"),
    "MUST_MELD_DEEP_CARD": ("{who} owed a meld with the card taken from the pile", "{expected}"),
    "MUST_BE_NEW_MELD": ("{who} had to use the card in a new meld, not lay it off", "{actual}"),
    "REDISCARD_OF_DRAWN_TOP": (
        "{who} threw back a card taken from the pile in the same turn",
        "{actual}",
    ),
    "NO_LEGAL_DISCARD_LEFT": ("{who} was left without a way to end the turn", "{actual}"),
    "MUST_KEEP_DISCARD": ("{who} had to keep a card to discard", "{actual}"),
    "FINAL_DISCARD_PLAYABLE": ("{who} went out with a card that could be laid off", "{actual}"),
    "MUST_MELD_JOKER": ("{who} had to meld the joker that was swapped for", DETAIL),
    "FLOATER_MUST_USE_STOCK": ("{who} floats and had to draw from the stock", DETAIL),
    "CHALLENGE_NOT_OPEN": ("{who} could not challenge that discard", "{actual}"),
    # calls
    "NO_CALL_WINDOW": ("{who} called when nothing could be called", DETAIL),
    "CALLS_DISABLED": ('{who} called "Rummy!" at a table that plays without calls', ""),
    "CALLER_IS_DISCARDER": ("{who} called after an own discard", ""),
    "NOT_CALLABLE": ("{who} called a card that could not be called", DETAIL),
    # dealer's and scorer's facts
    "DEAL_COUNT": ("the number of cards is not what was due", DETAIL),
    "DRAW_NOT_TOP": ("that card was not the next of the stock", DETAIL),
    "CARD_TWICE": ("there are more cards than the pack holds", DETAIL),
    "SCORE_WRONG": ("the score of {who} is wrong", DETAIL),
    "TOTAL_WRONG": ("the total of {who} is wrong", DETAIL),
    "DEALER_WRONG": ("another deal or dealer was due", DETAIL),
    "WINNER_WRONG": ("the game did not end so", DETAIL),
    "DEAL_END_WRONG": ("the deal did not end so", DETAIL),
    # what only a refereed table or a recorder is told
    "OUTCOME_NAMED": ("{who} named a card that only the dealer can know", DETAIL),
    "SERVICE_DOES_THIS": ("the dealer's part is done by the program at this table", DETAIL),
    "GAME_IS_OPEN": ("the game has been opened already", ""),
    "TEXT_HASH_WRONG": ("the remark's text is not the one that was hashed", ""),
    "NOTHING_TO_RETRACT": ("there is nothing to go back to", DETAIL),
    # rulesets that cannot be played
    "OPTION_NOT_BUILT": (
        "this option cannot be played yet",
        "{option}={actual}, expected {expected}",
    ),
    "OPTIONS_CONTRADICT": ("these options contradict", "{option}={actual} needs {expected}"),
    "TOO_MANY_PLAYERS": ("there are too many players", DETAIL),
    "PLAYER_TWICE": ("a player sits there twice", ""),
    "DEALER_UNKNOWN": ("the first dealer has no seat", DETAIL),
    "PACK_TOO_SMALL": ("the pack is too small for this deal", DETAIL),
    **lanterloo_words.ENGLISH,
}
TABLES: Final[Mapping[Language, Table]] = {"en": ENGLISH}

_WHY: Final = {
    "unknown_card": "cannot be told, a card is unknown: ",
    "equal_cards": "cannot be told, two cards are equal: ",
}


class Found(Protocol):
    """A judgement or a finding: anything with a code and what a sentence about it needs."""

    @property
    def code(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def params(self) -> Params: ...


def sentence(found: Found, names: Sequence[str] = (), lang: Language = "en") -> str:
    """Return one sentence with its rule; seats are called by *names* where there are any.

    A code that the table does not have is shown as it is: an old program reads a newer log.
    """
    text, detail = TABLES[lang].get(found.code, (found.code, DETAIL))
    values = {key: _named(str(value), names) for key, value in found.params.items()}
    values["who"] = "the player" if found.seat is None else _named(f"seat {found.seat}", names)
    words = _why(found) + text.format_map(values)
    added = _detail(detail, values)
    return f"{words[0].upper()}{words[1:]}{f': {added}' if added else ''} ({found.rule})."


def _why(found: Found) -> str:
    why = getattr(found, "why", None) or found.params.get("why")
    return _WHY.get(str(why), "")


def _detail(template: str, values: Mapping[str, str]) -> str:
    """Return the detail if all of it is known, else what is known of what was expected and found."""
    fields = {field for _, field, _, _ in Formatter().parse(template) if field}
    if fields <= values.keys():
        return template.format_map(values)
    known = {"expected": "expected ", "actual": "found ", "card": ""}
    return ", ".join(word + values[key] for key, word in known.items() if key in values)


def _named(text: str, names: Sequence[str]) -> str:
    """Return the text with the names of the seats that it speaks of."""

    def name(match: re.Match[str]) -> str:
        seat = int(match[1])
        return names[seat] if seat < len(names) else match[0]

    return re.sub(r"\bseat (\d+)\b", name, text)


def verdict(breaches: Sequence[int], unchecked: int, events: int, *, finished: bool) -> str:
    """Return a report in one line, from the versions of its breaches and how much was looked at."""
    if breaches:
        count = f"{len(breaches)} breach{'es' if len(breaches) > 1 else ''}"
        line = f"{count} in {events} events, the first at version {breaches[0]}"
    else:
        line = f"no breach in {events} events"
    if unchecked:
        line += f"; {unchecked} cannot be told from the record"
    return line if finished else line + "; the game is not finished"
