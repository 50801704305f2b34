"""A view of a table as plain text for a terminal of 80 columns.

Pure; works on what `views.view_state` returns, so it shows nothing that the viewer may not see. Seats have the
letters of the table notation, A first; a card on the table is followed by the letter of who put it there.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from unicodedata import category, east_asian_width

from events.cards import RANK, SUITS, Card, is_joker
from projections.board_words import WORDS, Words

COLUMNS: Final = 80
LONGEST_NAME: Final = 16
LETTERS: Final = "ABCDEFGH"

View = dict[str, Any]

_KINDS: Final = ("group", "sequence")


def render(view: View, names: Sequence[str] = (), lang: str = "en") -> str:
    """Return the table as lines of at most 80 columns; seats without a name are called by their letter."""
    words = WORDS[lang]
    parts = (_piles(view, words), _seats(view, names, words), _table(view, words))
    return "\n".join((_headline(view, names, words), *(line for part in parts for line in part)))


def _headline(view: View, names: Sequence[str], words: Words) -> str:
    dealer = seat_name(view["dealer"], names)
    return wrapped(words["head"].format(deal=view["deal"], dealer=dealer), _now(view, names, words))


def _now(view: View, names: Sequence[str], words: Words) -> str:
    """Return what the table waits for, or how it ended."""
    phase = view["phase"]
    if phase == "ended":
        return _ending(view, names, words)
    if phase in ("over", "scored"):
        seat = view["out"]
        name = "" if seat is None else seat_name(seat, names)
        out = words["out.nobody" if seat is None else "out"].format(who=name)
        return words["over" if phase == "over" else "over.scored"].format(out=out)
    if phase in ("shuffle", "deal", "upcard", "redeal"):
        return words["dealing"]
    return _turn(view, names, words)


def _ending(view: View, names: Sequence[str], words: Words) -> str:
    if view["winner"] is None:
        return words["broken_off"]
    return words["won"].format(who=seat_name(view["winner"], names))


def _turn(view: View, names: Sequence[str], words: Words) -> str:
    who = words["anyone"] if view["turn"] is None else seat_name(view["turn"], names)
    waiting = _waiting(view, names, words)
    if view["phase"] != "play":
        called = _cards(words, "callable", view["callable"])
        return f"{words['to_draw'].format(who=who)}{waiting}{called}"
    taken = _cards(words, "took", view["taken"])
    owed = [*([view["duty"]] if view["duty"] else []), *view["owed"]]
    duty = _cards(words, "must_meld", owed)
    return f"{words['to_play'].format(who=who)}{taken}{duty}{waiting}"


def _cards(words: Words, key: str, cards: Sequence[Card]) -> str:
    return words[key].format(cards=" ".join(cards)) if cards else ""


def _waiting(view: View, names: Sequence[str], words: Words) -> str:
    """Return the calls that stand and wait: for a nearer one, or for this turn's discard (R-8.10, D-R16)."""
    waiting = [*view["claims"], *([view["noted"]] if view["noted"] else [])]
    return "".join(
        words["called"].format(who=seat_name(call["seat"], names), card=call["card"])
        for call in waiting
    )


def _piles(view: View, words: Words) -> Iterator[str]:
    yield f"{words['stock']}{view['stock']}"
    yield wrapped(words["pile"], " ".join(view["pile"]) or "-")
    if view["wild"]:
        yield f"{words['wild']}{view['wild']}"


def _seats(view: View, names: Sequence[str], words: Words) -> Iterator[str]:
    shown = [seat_name(seat, names) for seat in range(view["seats"])]
    width = max(map(width_of, shown))
    yield f"  {'':{width}}{words['columns']}"
    for seat, name in enumerate(shown):
        hand = sorted(view["hands"][seat], key=in_hand_order)
        mark = ">" if seat == view["turn"] and view["phase"] in ("draw", "play", "window") else " "
        numbers = f"{view['totals'][seat]:>5} {view['points'][seat]:>+5} {len(hand):>3}  "
        called = padded(name, width)
        yield wrapped(f"{mark} {called} {numbers}", " ".join(hand) or "-", width + 20)


def _table(view: View, words: Words) -> Iterator[str]:
    for meld in view["melds"]:
        fitting = meld["fitting"]
        cards = [_placed(card) for card in meld["cards"]]
        if cards[fitting:]:
            cards[fitting:fitting] = [words["beside"]]
        kind = padded(words[meld["kind"]], 1 + max(width_of(words[one]) for one in _KINDS))
        yield wrapped(f"m{meld['meld']:<3} {kind}", " ".join(cards))


def _placed(card: View) -> str:
    meant = f"={card['as']}" if card["as"] else ""
    return f"{card['card']}{meant}/{LETTERS[card['seat']]}"


def in_hand_order(card: Card) -> tuple[int, int, str]:
    """Return where a card stands in a hand: by suit and rank, then jokers, then unknown ones."""
    if card in RANK:
        return SUITS.index(card[1]), RANK[card], card
    return (len(SUITS) if is_joker(card) else len(SUITS) + 1), 0, card


def seat_name(seat: int, names: Sequence[str]) -> str:
    """Return a seat's letter and name, cut to fit; names are not ours, so nothing in them steers a terminal."""
    name = names[seat] if seat < len(names) else ""
    safe = "".join("?" if category(char)[0] == "C" else char for char in name)
    while width_of(safe) > LONGEST_NAME:
        safe = safe[:-1]
    return f"{LETTERS[seat]} {safe}".rstrip()


def width_of(text: str) -> int:
    """Return how many columns a text takes: two for a wide letter, none for a mark over another."""
    wide = sum(east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(category(char) in ("Mn", "Me") for char in text)


def padded(text: str, width: int) -> str:
    """Return a text with spaces behind it, so that it takes so many columns, or as it is if it takes more."""
    return text + " " * (width - width_of(text))


def wrapped(head: str, text: str, indent: int = 14) -> str:
    """Return head and text on lines of 80 columns, what does not fit hanging below *indent* columns."""
    lines, line, is_new = [], head, True
    for word in text.split():
        if not is_new and width_of(line) + 1 + width_of(word) > COLUMNS:
            lines.append(line)
            line, is_new = " " * indent, True
        line += word if is_new else f" {word}"
        is_new = False
    return "\n".join([*lines, line])
