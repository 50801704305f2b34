"""Every option of 500 Rummy, the named presets, and which combinations cannot be played.

A ruleset is stored whole in `game_opened`, so a later change of a default never changes an old game.
Rule numbers are those of docs/rules; option names those of its decisions D-R01 to D-R27.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from events.common import GameOpened, Slug
from events.game import Violation

MOST_AFTER_THE_FIRST: Final = 11
"""How many cards follow an ace that is dealt face up (V-9b)."""

DealSize: TypeAlias = Annotated[int, Meta(ge=1, le=26)]


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of one table; the defaults are the seed's game (R-1 to R-9)."""

    # the preset that the options were started from, "custom" if none
    preset: Slug = "seed"
    variant: Literal["rummy500", "rummy5000"] = "rummy500"
    max_players: Annotated[int, Meta(ge=2, le=8)] = 8
    # 0: by the number of players
    packs: Annotated[int, Meta(ge=0, le=2)] = 0
    jokers_per_pack: Annotated[int, Meta(ge=0, le=2)] = 2
    # cards dealt to each with 2, 3, ... 8 players
    deal_size: tuple[DealSize, DealSize, DealSize, DealSize, DealSize, DealSize, DealSize] = (
        13,
        7,
        7,
        7,
        7,
        7,
        7,
    )
    first_dealer: Literal["seat", "low_card"] = "seat"
    next_dealer: Literal["left", "hand_winner"] = "left"
    first_player: Literal["left_of_dealer", "fixed", "recorded"] = "left_of_dealer"
    redeal_on_joker_upcard: bool = False
    values: Literal["face", "five_ten_fifteen"] = "face"
    low_ace: Literal["one", "fifteen"] = "one"
    joker_scores: Literal["own_value", "represented"] = "own_value"
    min_naturals: Annotated[int, Meta(ge=0, le=3)] = 1
    run_two_aces: bool = False
    runs: Literal["plain", "around_corner"] = "plain"
    joker_swap: bool = False
    wild_swap: bool = False
    layoff_credit: Literal["placer", "owner"] = "placer"
    pile_rule: Literal["top_free", "always_meld", "always_new_meld"] = "top_free"
    deep_timing: Literal["next_play", "by_turn_end"] = "next_play"
    redraw_scope: Literal["physical_card", "same_face", "any_taken"] = "physical_card"
    stock_out: Literal[
        "end_when_declined", "end_at_once", "reshuffle_all_but_top", "reshuffle_all_turn_one"
    ] = "end_when_declined"
    idle_rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    rummy: Literal["full", "latest_layoff", "none"] = "full"
    rummy_window: Literal["after_discard", "also_after_meld"] = "after_discard"
    rummy_priority: Literal["first_recorded", "turn_order"] = "first_recorded"
    call_meld_may_use_hand: bool = True
    false_call_penalty: Annotated[int, Meta(ge=0, le=10_000)] = 0
    go_out: Literal["free", "discard_required", "floating", "floating_unplayable"] = "free"
    illegal_final_discard: Literal["reject", "challenge"] = "reject"
    floater_calls: bool = True
    floater_draw: Literal["any", "stock_only"] = "any"
    win: Literal["top_score", "must_go_out"] = "top_score"
    target: Annotated[int, Meta(ge=1, le=1_000_000)] = 500
    target_test: Literal["ge", "gt"] = "ge"
    out_bonus: Annotated[int, Meta(ge=0, le=10_000)] = 0


SEED: Final = Ruleset()
# The tables of two public programs whose logs we import; what they play is stated in docs/formats.md.
DELBOYCODES: Final = Ruleset(
    preset="delboycodes",
    max_players=4,
    packs=1,
    jokers_per_pack=0,
    deal_size=(10, 7, 7, 7, 7, 7, 7),
    first_player="fixed",
    low_ace="fifteen",
    layoff_credit="owner",
    pile_rule="always_meld",
    deep_timing="by_turn_end",
    redraw_scope="any_taken",
    stock_out="end_at_once",
    rummy="none",
    go_out="discard_required",
)
TIMPALPANT: Final = Ruleset(
    preset="timpalpant",
    packs=1,
    jokers_per_pack=0,
    deal_size=(7, 7, 7, 7, 7, 7, 7),
    first_player="recorded",
    values="five_ten_fifteen",
    low_ace="fifteen",
    runs="around_corner",
    pile_rule="always_meld",
    deep_timing="by_turn_end",
    stock_out="reshuffle_all_turn_one",
    rummy="latest_layoff",
    go_out="discard_required",
)
# The related game that the seed only mentions (V-9b): experimental, no two descriptions of it agree.
RUMMY5000: Final = Ruleset(preset="rummy5000", variant="rummy5000", jokers_per_pack=0, target=5000)
PRESETS: Final = {ruleset.preset: ruleset for ruleset in (SEED, DELBOYCODES, TIMPALPANT, RUMMY5000)}


def packs_for(ruleset: Ruleset, players: int) -> int:
    """Return how many packs are shuffled together (R-1.2)."""
    return ruleset.packs or (1 if players <= 4 else 2)


def deal_size_for(ruleset: Ruleset, players: int) -> int:
    """Return how many cards each player is dealt (R-1.3), at most where the first card decides (V-9b)."""
    if ruleset.variant == "rummy5000":
        return 1 + MOST_AFTER_THE_FIRST
    return ruleset.deal_size[players - 2]


def pack_size(ruleset: Ruleset, players: int) -> int:
    """Return how many cards are in play."""
    return packs_for(ruleset, players) * (52 + ruleset.jokers_per_pack)


def problems(opened: GameOpened[Ruleset]) -> tuple[Violation, ...]:
    """Return why this game cannot be opened: nothing if it can."""
    return (*_contradictions(opened.ruleset), *_table(opened))


def _contradictions(ruleset: Ruleset) -> Iterator[Violation]:
    """Yield the combinations that 12.10 refuses."""
    floats = ruleset.go_out in ("floating", "floating_unplayable")
    if ruleset.illegal_final_discard == "challenge" and ruleset.go_out != "floating_unplayable":
        yield _clash("illegal_final_discard", "challenge", "go_out=floating_unplayable")
    if not ruleset.floater_calls and not floats:
        yield _clash("floater_calls", False, "go_out=floating or floating_unplayable")
    if ruleset.floater_draw != "any" and not floats:
        yield _clash("floater_draw", ruleset.floater_draw, "go_out=floating_unplayable")
    if ruleset.rummy == "none":
        yield from _calls_without_calling(ruleset)
    if ruleset.run_two_aces and ruleset.runs == "around_corner":
        yield _clash("run_two_aces", True, "runs=plain")
    if ruleset.variant == "rummy5000":
        yield from _against_rummy5000(ruleset)
    elif ruleset.wild_swap:
        yield _clash("wild_swap", True, "variant=rummy5000")


def _against_rummy5000(ruleset: Ruleset) -> Iterator[Violation]:
    if ruleset.jokers_per_pack:
        yield _clash("variant", "rummy5000", "jokers_per_pack=0")
    if ruleset.joker_swap:
        yield _clash("joker_swap", True, "variant=rummy500")
    if ruleset.deal_size != SEED.deal_size:
        yield _clash("deal_size", " ".join(map(str, ruleset.deal_size)), "variant=rummy500")


def _calls_without_calling(ruleset: Ruleset) -> Iterator[Violation]:
    defaults = {
        "rummy_window": "after_discard",
        "rummy_priority": "first_recorded",
        "call_meld_may_use_hand": True,
        "false_call_penalty": 0,
    }
    for option, default in defaults.items():
        if getattr(ruleset, option) != default:
            yield _clash(option, getattr(ruleset, option), "rummy=full or latest_layoff")


def _table(opened: GameOpened[Ruleset]) -> Iterator[Violation]:
    ruleset, players = opened.ruleset, len(opened.seats)
    if players > ruleset.max_players:
        yield _problem("TOO_MANY_PLAYERS", "R-1.1", "seats", players, f"2 to {ruleset.max_players}")
    if len(set(opened.seats)) != players:
        yield _problem("PLAYER_TWICE", "R-1.1", "seats", players, "different players")
    drawn = ruleset.first_dealer == "low_card" and opened.first_dealer is None
    if not drawn and (opened.first_dealer is None or opened.first_dealer >= players):
        dealer = "none" if opened.first_dealer is None else opened.first_dealer
        yield _problem("DEALER_UNKNOWN", "R-1.5", "first_dealer", dealer, f"0 to {players - 1}")
    if ruleset.variant == "rummy5000" and players == 2:
        yield _clash("variant", "rummy5000", "3 to 8 players")
    needed = players * deal_size_for(ruleset, players) + 1
    if needed > pack_size(ruleset, players):
        yield _problem(
            "PACK_TOO_SMALL",
            "R-1.3",
            "deal_size",
            needed,
            f"<= {pack_size(ruleset, players)} cards",
        )
    if opened.mode == "refereed" and ruleset.first_player == "recorded":
        yield _clash("first_player", "recorded", "mode=recorded")
    if opened.mode == "refereed" and ruleset.rummy_priority == "turn_order":
        yield _clash("rummy_priority", "turn_order", "mode=recorded")


def _clash(option: str, value: object, needs: str) -> Violation:
    return _problem("OPTIONS_CONTRADICT", "12.10", option, value, needs)


def _problem(code: str, rule: str, option: str, value: object, expected: str) -> Violation:
    return Violation(
        code, rule, None, {"option": option, "actual": str(value), "expected": expected}
    )
