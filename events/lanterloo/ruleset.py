"""Every option of Lanterloo, the named presets, and which combinations cannot be played.

A ruleset is stored whole in `game_opened`, so a later change of a default never changes an old game.
Rule numbers are those of docs/rules; option names those of its decisions D-L01 to D-L26.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from events.common import GameOpened, Slug
from events.game import Violation

Form: TypeAlias = Literal["loo5", "loo3", "irish"]
# An agreed amount of chips.
Agreed: TypeAlias = Annotated[int, Meta(ge=1, le=1_000_000)]

FORMS: Final[tuple[Form, ...]] = ("loo5", "loo3", "irish")
FEWEST: Final = 3
MOST: Final = 8


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of one table; the defaults are the seed's game."""

    # the preset that the options were started from, "custom" if none
    preset: Slug = "seed"
    form: Form = "loo5"
    stakes: Literal["limited", "unlimited"] = "limited"
    # chips a trick of the dealer's ante is worth (L-2.2)
    unit: Annotated[int, Meta(ge=1, le=10_000)] = 1
    # in chips; null: the dealer's ante, and no agreed maximum (L-9.4, L-9.5)
    limited_loo: Agreed | None = None
    unlimited_cap: Agreed | None = None
    rounds: Annotated[int, Meta(ge=1, le=1000)] = 1
    first_dealer: Literal["lowest_card", "highest_card", "first_knave"] = "lowest_card"
    # in the draw for the first deal, tens and court cards count alike (section 13)
    court_cards_tie: bool = False
    ante_by: Literal["dealer", "all_dealer_double"] = "dealer"
    packets: Literal["single", "three_two"] = "single"
    miss_order: Literal["last", "first"] = "last"
    pam_card: Literal["JC", "trump_knave"] = "JC"
    pam_suit: Literal["trump", "clubs", "free"] = "trump"
    exchange_shortage: Literal["limit", "recycle_passed"] = "limit"
    all_pass: Literal["dealer", "carry"] = "dealer"  # noqa: S105
    lone_vs_dealer: Literal["dealer_may_pass", "must_defend"] = "dealer_may_pass"
    force: Literal["single_pool", "first_hand", "off"] = "single_pool"
    force_miss: Literal["eldest", "withdrawn"] = "eldest"
    force_loo5: bool = False
    club_law: bool = False
    club_law_miss: Literal["withdrawn", "allowed"] = "withdrawn"
    flush_looes: Literal["standers", "all", "shown_before_pass"] = "standers"
    flush_paid_to: Literal["pool", "winner"] = "pool"
    flush_tie: Literal["cards_then_elder", "elder", "split"] = "cards_then_elder"
    flush_classes: Literal["pam_first", "pam_equal"] = "pam_first"
    flush_autoclaim: bool = True
    blaze: Literal["off", "below_flush"] = "off"
    loo5_play: Literal["free", "as_loo3"] = "free"
    civil: Literal["spoken", "auto", "off"] = "spoken"
    civil_scope: Literal["unless_only_card", "without_revoke"] = "unless_only_card"
    lead_two: Literal["any_trump", "highest", "highest_if_two_players", "off"] = "any_trump"
    lead_two_scope: Literal["first_lead", "every_lead"] = "first_lead"
    lead_ace: Literal["off", "ace_first_lead", "ace_or_king"] = "off"
    trump_after_trick: bool = False
    must_undertrump: bool = False
    on_violation: Literal["reject", "loo", "four_singles"] = "reject"
    # what a misdeal costs the dealer (L-12.2)
    misdeal: Literal["free", "ante", "loo"] = "free"


SEED: Final = Ruleset()
_HOYLE: Final = Ruleset(
    preset="hoyle1909",
    force_miss="withdrawn",
    force_loo5=True,
    flush_looes="shown_before_pass",
    flush_classes="pam_equal",
    loo5_play="as_loo3",
    civil_scope="without_revoke",
    lead_two="highest_if_two_players",
    lead_two_scope="every_lead",
    lead_ace="ace_or_king",
    trump_after_trick=True,
    misdeal="ante",
)
_ENQUIRE: Final = Ruleset(
    preset="enquire",
    court_cards_tie=True,
    force="first_hand",
    force_miss="withdrawn",
    flush_tie="elder",
    loo5_play="as_loo3",
    lead_two="highest",
    lead_ace="ace_first_lead",
    misdeal="loo",
)


def in_form(preset: Ruleset, form: Form) -> Ruleset:
    """Return a book's rules for one form of the game, named so; only loo3 has a dealer who must defend."""
    named = replace(preset, form=form, preset=f"{preset.preset}-{form}")
    if form == "loo3" and preset.preset == _HOYLE.preset:
        return replace(named, lone_vs_dealer="must_defend")
    return named


# `seed` is five-card Loo by the seed, `seed-loo3` three-card, and so on for the books.
PRESETS: Final = {ruleset.preset: ruleset for ruleset in (SEED, _HOYLE, _ENQUIRE)} | {
    ruleset.preset: ruleset
    for book in (SEED, _HOYLE, _ENQUIRE)
    for ruleset in (in_form(book, form) for form in FORMS)
}


def hand_size(ruleset: Ruleset) -> int:
    """Return how many cards each is dealt, which is also the number of tricks."""
    return 5 if ruleset.form == "loo5" else 3


def has_miss(ruleset: Ruleset) -> bool:
    """Tell whether a spare hand is dealt."""
    return ruleset.form == "loo3"


def must_head(ruleset: Ruleset) -> bool:
    """Tell whether the leading and heading duties of three-card Loo hold (L-8.1 to L-8.4)."""
    return ruleset.form != "loo5" or ruleset.loo5_play == "as_loo3"


def problems(opened: GameOpened[Ruleset]) -> tuple[Violation, ...]:
    """Return why this game cannot be opened: nothing if it can."""
    ruleset = opened.ruleset
    return (*_contradictions(ruleset), *_amounts(ruleset), *_table(opened))


def _contradictions(ruleset: Ruleset) -> Iterator[Violation]:
    if ruleset.lone_vs_dealer == "must_defend" and ruleset.form != "loo3":
        yield _problem("OPTIONS_CONTRADICT", "L-4.8", "lone_vs_dealer", "must_defend", "form=loo3")
    if ruleset.limited_loo is not None and ruleset.stakes != "limited":
        yield _problem(
            "OPTIONS_CONTRADICT", "L-9.4", "limited_loo", ruleset.limited_loo, "stakes=limited"
        )
    if ruleset.unlimited_cap is not None and ruleset.stakes != "unlimited":
        yield _problem(
            "OPTIONS_CONTRADICT",
            "L-9.5",
            "unlimited_cap",
            ruleset.unlimited_cap,
            "stakes=unlimited",
        )


def _amounts(ruleset: Ruleset) -> Iterator[Violation]:
    """Yield the amounts that would leave a pool that the tricks do not divide (L-9.4, L-9.5)."""
    share = hand_size(ruleset) * ruleset.unit
    for option, rule in (("limited_loo", "L-9.4"), ("unlimited_cap", "L-9.5")):
        amount = getattr(ruleset, option)
        if amount is not None and amount % share:
            yield _problem("AMOUNT_INDIVISIBLE", rule, option, amount, f"a multiple of {share}")


def _table(opened: GameOpened[Ruleset]) -> Iterator[Violation]:
    players = len(opened.seats)
    wanted = f"{FEWEST} to {MOST}"
    if players < FEWEST:
        yield _problem("TOO_FEW_PLAYERS", "L-1.1", "seats", players, wanted)
    if players > MOST:
        yield _problem("TOO_MANY_PLAYERS", "L-1.1", "seats", players, wanted)
    if len(set(opened.seats)) != players:
        yield _problem("PLAYER_TWICE", "L-1.1", "seats", players, "different players")
    if opened.first_dealer is not None and opened.first_dealer >= players:
        expected = f"0 to {players - 1}"
        yield _problem("DEALER_UNKNOWN", "L-2.1", "first_dealer", opened.first_dealer, expected)


def _problem(code: str, rule: str, option: str, value: object, expected: str) -> Violation:
    return Violation(
        code, rule, None, {"option": option, "actual": str(value), "expected": expected}
    )
