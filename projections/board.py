"""A view of a table as plain text for a terminal of 80 columns.

Pure; works on what `views.view_state` returns, so it shows nothing that the viewer may not see. Seats have the
letters of the table notation, A first; a card on the table is followed by the letter of who put it there.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final
from unicodedata import category, east_asian_width

from events.cards import RANK, SUITS, Card, is_joker

COLUMNS: Final = 80
LONGEST_NAME: Final = 16
LETTERS: Final = "ABCDEFGH"

View = dict[str, Any]


def render(view: View, names: Sequence[str] = ()) -> str:
    """Return the table as lines of at most 80 columns; seats without a name are called by their letter."""
    return "\n".join((_headline(view, names), *_piles(view), *_seats(view, names), *_table(view)))


def _headline(view: View, names: Sequence[str]) -> str:
    dealer = seat_name(view["dealer"], names)
    return wrapped(f"Deal {view['deal']}, {dealer} deals: ", _now(view, names))


def _now(view: View, names: Sequence[str]) -> str:
    """Return what the table waits for, or how it ended."""
    phase = view["phase"]
    if phase == "ended":
        return _ending(view, names)
    if phase in ("over", "scored"):
        out = (
            "nobody went out"
            if view["out"] is None
            else f"{seat_name(view['out'], names)} went out"
        )
        return f"the play is over, {out}{', scored' if phase == 'scored' else ''}"
    if phase in ("shuffle", "deal", "upcard", "redeal"):
        return "the cards are being dealt"
    return _turn(view, names)


def _ending(view: View, names: Sequence[str]) -> str:
    if view["winner"] is None:
        return "the game was broken off"
    return f"{seat_name(view['winner'], names)} has won the game"


def _turn(view: View, names: Sequence[str]) -> str:
    who = "anyone" if view["turn"] is None else seat_name(view["turn"], names)
    waiting = _waiting(view, names)
    if view["phase"] != "play":
        called = f"; can be called: {' '.join(view['callable'])}" if view["callable"] else ""
        return f"{who} to draw{waiting}{called}"
    taken = f", took {' '.join(view['taken'])}" if view["taken"] else ""
    owed = [*([view["duty"]] if view["duty"] else []), *view["owed"]]
    duty = f", must meld {' '.join(owed)}" if owed else ""
    return f"{who} to play{taken}{duty}{waiting}"


def _waiting(view: View, names: Sequence[str]) -> str:
    """Return the calls that stand and wait: for a nearer one, or for this turn's discard (R-8.10, D-R16)."""
    waiting = [*view["claims"], *([view["noted"]] if view["noted"] else [])]
    calls = (f"{seat_name(call['seat'], names)} called {call['card']}" for call in waiting)
    return "".join(f"; {call}" for call in calls)


def _piles(view: View) -> Iterator[str]:
    yield f"Stock  {view['stock']}"
    yield wrapped("Pile   ", " ".join(view["pile"]) or "-")
    if view["wild"]:
        yield f"Wild   {view['wild']}"


def _seats(view: View, names: Sequence[str]) -> Iterator[str]:
    shown = [seat_name(seat, names) for seat in range(view["seats"])]
    width = max(map(width_of, shown))
    yield f"  {'':{width}} total table  hand"
    for seat, name in enumerate(shown):
        hand = sorted(view["hands"][seat], key=in_hand_order)
        mark = ">" if seat == view["turn"] and view["phase"] in ("draw", "play", "window") else " "
        padded = name + " " * (width - width_of(name))
        numbers = f"{view['totals'][seat]:>5} {view['points'][seat]:>+5} {len(hand):>3}  "
        yield wrapped(f"{mark} {padded} {numbers}", " ".join(hand) or "-", width_of(padded) + 20)


def _table(view: View) -> Iterator[str]:
    for meld in view["melds"]:
        fitting = meld["fitting"]
        cards = [_placed(card) for card in meld["cards"]]
        if cards[fitting:]:
            cards[fitting:fitting] = ["beside:"]
        yield wrapped(f"m{meld['meld']:<3} {meld['kind']:<9}", " ".join(cards))


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
