"""What happened, told in one sentence an event, for people who look on or listen.

Pure; the words of each language are in a file of their own. What is told is what the event says: for a
viewer, give it the event as that viewer sees it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from events import common
from events.cards import UNKNOWN, is_joker, physical, stands_for
from events.common import Event
from events.lanterloo import events as loo
from events.rummy500 import events as rummy
from projections.board import LETTERS
from projections.explain import Language
from projections.telling_en import ENGLISH
from projections.telling_ja import JAPANESE
from projections.telling_words import Telling

TELLINGS: Final[Mapping[Language, Telling]] = {"en": ENGLISH, "ja": JAPANESE}


def _in_symbols(words: Telling) -> Telling:
    """Return the language with cards as a table writes them: 7♥, ★=8♥ for a joker."""
    return replace(
        words,
        ranks={**{rank: rank for rank in "A23456789JQK"}, "T": "10"},
        suits={"S": "♠", "H": "♥", "D": "♦", "C": "♣"},
        card="{rank}{suit}",
        joker="★",
        joker_as="★={card}",
        wild_as="{wild}={card}",
    )


SYMBOLS: Final[Mapping[Language, Telling]] = {
    lang: _in_symbols(words) for lang, words in TELLINGS.items()
}


def tell(
    event: Event, names: Sequence[str] = LETTERS, lang: Language = "en", *, symbols: bool = False
) -> str:
    """Return one sentence that says what happened; seats are called by *names*, cards in words or symbols."""
    words = (SYMBOLS if symbols else TELLINGS)[lang]
    key, values = _told(event, words, _Speaker(words, names))
    sentence = words.sentences[key].format(**values)
    return sentence[0].upper() + sentence[1:]


def tell_card(card: str, lang: Language = "en", *, symbols: bool = False) -> str:
    """Return a card in words: "7 of hearts", "joker as 8 of hearts", "a card"; or as 7♥, ★=8♥."""
    return _Speaker((SYMBOLS if symbols else TELLINGS)[lang], ()).card(card)


class _Speaker(msgspec.Struct, frozen=True):
    """How seats, cards and points are called in one language."""

    words: Telling
    names: Sequence[str]

    def who(self, seat: int | None) -> str:
        if seat is None:
            return self.words.nobody
        return self.names[seat] if seat < len(self.names) else f"#{seat + 1}"

    def card(self, card: str) -> str:
        lies = physical(card)
        if lies == UNKNOWN:
            return self.words.unknown
        if is_joker(lies):
            meant = stands_for(card)
            return self.words.joker if meant is None else self._joker(meant)
        rank, suit = self.words.ranks[lies[0]], self.words.suits[lies[1]]
        named, meant = self.words.card.format(rank=rank, suit=suit), stands_for(card)
        return named if meant is None else self._wild(named, meant)

    def _joker(self, meant: str) -> str:
        return self.words.joker_as.format(card=self.card(meant))

    def _wild(self, named: str, meant: str) -> str:
        return self.words.wild_as.format(wild=named, card=self.card(meant))

    def cards(self, cards: Sequence[str]) -> str:
        """Return the cards one by one, or their number where they are unknown."""
        if not cards:
            return self.words.no_card
        if all(card == UNKNOWN for card in cards):
            one, many = self.words.count
            return one if len(cards) == 1 else many.format(len(cards))
        return self.words.comma.join(map(self.card, cards))

    def points(self, row: Sequence[int | None]) -> str:
        pairs = (
            f"{self.who(seat)} {'?' if value is None else format(value, '+d')}"
            for seat, value in enumerate(row)
        )
        return self.words.comma.join(pairs)


def _told(event: Event, words: Telling, say: _Speaker) -> tuple[str, dict[str, str]]:
    """Return which sentence tells the event, and what it is filled with."""
    tag = str(event.__struct_config__.tag)
    values = dict(_values(event, say))
    values.update(_named_codes(event, words))
    return _variant(tag, event), values


def _values(event: Event, say: _Speaker) -> Iterator[tuple[str, str]]:
    """Yield every field of the event in words, by its name; `who` is the actor."""
    for field in event.__struct_fields__:
        value = getattr(event, field)
        match field:
            case "seat" | "dealer" | "out" | "winner":
                yield ("who" if field == "seat" else field), say.who(value)
            case "card" | "joker":
                yield field, say.card(value)
            case "cards" if isinstance(event, rummy.LaidOff):
                yield field, say.cards([placed.card for placed in value])
                yield "melds", say.words.comma.join(_melds(event))
            case "cards" | "put_out" | "drawn":
                if isinstance(value, tuple):  # `drawn` of a position says how the turn began
                    yield field, say.cards(value)
                    yield "count", str(len(value))
            case "scores" | "shares":
                yield field, say.points(value)
            case "to" if not isinstance(value, str):
                yield field, say.who(value)
            case "deal" | "meld" | "amount" | "trick" | "back_to" | "about" | "reason":
                yield field, str(value)


def _melds(event: rummy.LaidOff) -> list[str]:
    return list(dict.fromkeys(f"m{placed.meld}" for placed in event.cards))


def _named_codes(event: Event, words: Telling) -> Iterator[tuple[str, str]]:
    match event:
        case rummy.MeldLaid() | loo.FlushShown():
            yield "kind", words.values[event.kind]
        case common.DealEnded():
            yield "why", words.values.get(event.reason, event.reason)
        case loo.TurnUp():
            yield "trumps", words.suits.get(event.card[-1], event.card)
        case common.GameOpened():
            yield "name", words.values.get(event.game, event.game)


def _variant(tag: str, event: Event) -> str:
    """Return the key of the sentence: the tag, and what makes it another sentence."""
    match event:
        case common.DealerDrawn(dealer=None):
            return "dealer_drawn.tie"
        case common.Remarked():
            who = "" if event.seat is not None else ".nobody"
            return f"{tag}{who}" if event.about is None else f"{tag}{who}.about"
        case common.DealEnded(out=seat) if seat is not None:
            return "deal_ended.out"
        case common.GameEnded(abandoned=True):
            return "game_ended.abandoned"
        case common.GameEnded(winner=None):
            return "game_ended.nobody"
        case rummy.RummyCalled():
            return _call(tag, event)
        case rummy.DiscardChallenged(accepted=False):
            return "discard_challenged.refused"
        case loo.Bid():
            return f"bid.{event.choice}"
        case loo.CardPlayed(civil=True):
            return "card_played.civil"
        case loo.FlushClaimed(cards=()):
            return "flush_claimed.none"
        case loo.PoolPaid():
            return f"pool_paid.{event.paid_for}"
        case loo.Looed(to=seat) if seat is not None:
            return "looed.to"
        case loo.StockRenewed():
            return "stock_renewed.loo"
    return tag


def _call(tag: str, event: rummy.RummyCalled) -> str:
    if not event.accepted:
        return f"{tag}.refused"
    return f"{tag}.lay" if event.lay is not None else tag
