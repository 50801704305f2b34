"""The words of the page in each language, by key. Words only; cards are named by `projections.telling`."""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from api.viewer import texts_chances, texts_disputes, texts_disputing, texts_more, texts_signing
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


_PARTS: Final = (texts_disputes, texts_disputing, texts_chances, texts_more, texts_signing)


def _joined(first: Mapping[str, str], name: Literal["ENGLISH", "JAPANESE"]) -> Mapping[str, str]:
    found = dict(first)
    for part in _PARTS:
        found |= getattr(part, name)
    return found


TEXTS: Final[Mapping[Language, Texts]] = {
    "en": Texts("en", _joined(ENGLISH, "ENGLISH")),
    "ja": Texts("ja", _joined(JAPANESE, "JAPANESE")),
}
