"""What a language of `telling` is made of. Pure; holds no words itself."""

from collections.abc import Mapping

import msgspec


class Telling(msgspec.Struct, frozen=True):
    """One language: a sentence for every kind of event, and what cards, kinds and reasons are called.

    `card` holds `{rank}` and `{suit}`, `joker_as` the `{card}` that a joker stands for, `wild_as` also the
    `{wild}` card that does, `count` one unknown card and several of them.
    """

    sentences: Mapping[str, str]
    values: Mapping[str, str]
    ranks: Mapping[str, str]
    suits: Mapping[str, str]
    card: str
    joker: str
    joker_as: str
    wild_as: str
    unknown: str
    no_card: str
    count: tuple[str, str]
    nobody: str
    comma: str
