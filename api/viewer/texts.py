"""The words of the page in each language, by key. Words only; cards are named by `projections.telling`."""

from collections.abc import Mapping
from typing import Final

import msgspec

from api.viewer import texts_chances, texts_disputes, texts_more
from api.viewer.texts_en import ENGLISH
from api.viewer.texts_ja import JAPANESE
from projections.explain import Language
from projections.telling import tell_card


class Texts(msgspec.Struct, frozen=True):
    """One language's words: `texts["key"]`, or filled in by `texts.fill("key", who=...)`."""

    lang: Language
    words: Mapping[str, str]

    def __getitem__(self, key: str) -> str:
        return self.words[key]

    def fill(self, key: str, **values: object) -> str:
        """Return the text with its places filled in."""
        return self.words[key].format(**values)

    def card(self, card: str) -> str:
        """Return a card in words."""
        return tell_card(card, self.lang)

    def symbol(self, card: str) -> str:
        """Return a card as it is written on the table: 7♥."""
        return tell_card(card, self.lang, symbols=True)


TEXTS: Final[Mapping[Language, Texts]] = {
    "en": Texts(
        "en", {**ENGLISH, **texts_disputes.ENGLISH, **texts_chances.ENGLISH, **texts_more.ENGLISH}
    ),
    "ja": Texts(
        "ja",
        {**JAPANESE, **texts_disputes.JAPANESE, **texts_chances.JAPANESE, **texts_more.JAPANESE},
    ),
}
