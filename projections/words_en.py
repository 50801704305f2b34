"""English: what every code, every reason and every value of a sentence is called.

Words only. A sentence names the fault; its detail says what was expected and what was there.
"""

from typing import Final

from projections import lanterloo_words
from projections.wording import Table, Wording, shaped

DETAIL: Final = "expected {expected}, found {actual}"

FAULTS: Final[Table] = {
    # order of play
    "NOT_YOUR_TURN": ("{who} acted out of turn", "it was the turn of {expected}"),
    "NOT_DRAW_PHASE": ("{who} could not draw now", "{actual}"),
    "NOT_PLAY_PHASE": ("{who} could not meld, lay off or discard now", "{actual}"),
    "HAND_OVER": ("no more acts count here", "expected {expected}, but {actual}"),
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
    "JOKER_STAYS": ("the joker on the table cannot be exchanged so", "{expected} for {actual}"),
    "END_UNDECLARED": ("{who} did not say at which end the card goes", DETAIL),
    # duties
    "DEEP_CARD_UNMELDABLE": ("{who} took a card that could not be melded", "{actual}"),
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
    "NO_CALL_WINDOW": ("{who} called when nothing could be called", "{actual}"),
    "CALLS_DISABLED": ('{who} called "Rummy!" where that was not allowed', "{expected}"),
    "CALLER_IS_DISCARDER": ("{who} called after an own turn", ""),
    "NOT_CALLABLE": ("{who} called a card that could not be called", DETAIL),
    "CALL_WRONGLY_REFUSED": ("{who} called rightly, and the call was not judged so", DETAIL),
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

REASONS: Final[Table] = {
    "OK": ("no rule stands against it", ""),
    # draws
    "OK_STOCK": ("{who} may draw the top of the stock, every turn begins with a draw", ""),
    "OK_DRAW_ENDS_DEAL": (
        "nobody has challenged the last discard, so the draw is not carried out and the deal ends",
        "",
    ),
    "OK_DRAW_SETTLES": (
        "the draw closes the window, and the nearest of those who called has the call",
        "",
    ),
    "OK_TOP_CARD": ("{who} may take {card}, the top discard brings no duty", ""),
    "OK_TAKE_MELD": ("{who} may take {card}", "{cards} can be melded {when}"),
    "OK_TAKE_LAY": ("{who} may take {card}", "{cards} can be laid off on {meld} {when}"),
    "OK_TAKE": ("{who} may take {card}", "it can be melded in this turn"),
    "OK_PASS": ("{who} may decline, the stock is empty; the deal ends", ""),
    "OK_RENEW": ("the stock was empty, so the pile is shuffled into a new one", ""),
    # plays
    "OK_GROUP": ("{who} may meld {cards}, a group of one rank in different suits", ""),
    "OK_GROUP_JOKER": ("{who} may meld {cards}, a group of one rank with a joker in it", ""),
    "OK_SEQUENCE": ("{who} may meld {cards}, a sequence of one suit", ""),
    "OK_SEQUENCE_JOKER": ("{who} may meld {cards}, a sequence with a joker in a named place", ""),
    "OK_LAY_GROUP": ("{who} may lay off {cards} on {meld}, the group has room for the suit", ""),
    "OK_LAY_SEQUENCE": ("{who} may lay off {cards} on {meld}, it continues the sequence", ""),
    "OK_DUTY_MET": ("with it {card} is on the table, as it had to be", ""),
    "OK_SWAP": ("{who} may put {card} in the place of {joker} on {meld}", ""),
    "OK_OUT": ("{who} has put everything down and is out", ""),
    "OK_FLOATS": ("{who} has put everything down and floats", ""),
    # discards
    "OK_DISCARD": ("{who} may end the turn by discarding {card}", ""),
    "OK_DISCARD_ANY": (
        "{who} may discard {card}, after several cards from the pile any card will do",
        "",
    ),
    "OK_DISCARD_OUT": ("{who} may discard {card}, the last card, and is out", ""),
    "OK_DISCARD_OPEN": (
        "{who} discards {card}, the last card, which could be laid off: it may be challenged",
        "",
    ),
    # calls
    "OK_CALL_MELD": ("{who} may call {card}", "with only what lies above it, {cards} is a meld"),
    "OK_CALL_LAY": (
        "{who} may call {card}",
        "with only what lies above it, {cards} can be laid off on {meld}",
    ),
    "OK_CALL": ("{who} may call {card}", ""),
    "OK_CLAIM": ("the call stands unless a caller nearer to the discarder follows", ""),
    "OK_CALL_NOTED": ("the call is carried out after this turn's discard", ""),
    "OK_CALL_FELL": ("the call of {who} for {card} fell rightly", ""),
    "OK_CHALLENGE": ("{who} may challenge {card}, which can be laid off", ""),
    "OK_CHALLENGE_FELL": ("the challenge by {who} of {card} fell rightly", ""),
    "CALL_GAVE_WAY": (
        "the call of {who} for {card} gave way",
        "{expected} sits nearer to the discarder",
    ),
    "CALL_LAPSED": ("the call of {who} for {card} lapsed, the card could no longer be melded", ""),
    "CALL_CAME_LATE": ("{who} called {card} after the window had closed", ""),
    "CALL_CAME_SECOND": ("{who} called {card} after {expected} had called", ""),
    "CALL_POSSIBLE": ("{who} could have called {card}", ""),
    "CALL_POSSIBLE_MELD": ("{who} could have called {card}", "{cards} is a meld"),
    "CALL_POSSIBLE_LAY": ("{who} could have called {card}", "{cards} can be laid off on {meld}"),
    # dealer's and scorer's facts
    "OK_SHUFFLE": ("{who} is the one to deal", ""),
    "OK_DEALT": ("{who} is due {actual} cards", ""),
    "OK_UPCARD": ("{card} is turned up as the first card of the pile", ""),
    "OK_DEALER_DRAWN": ("the lowest card drawn decides who deals first", ""),
    "OK_REDEALT": ("the deal is void, the same dealer deals again", ""),
    "OK_FLOAT": ("{who} has no cards and no discard, and floats", ""),
    "OK_DEAL_ENDED": ("the deal is over", "{actual}"),
    "OK_SCORED": ("each has what was put down less what was left in hand", ""),
    "OK_GAME_WON": ("{who} has won", ""),
    "OK_GAME_ABANDONED": ("the game may be broken off at any time, nobody wins", ""),
    "OK_FACT": ("this is a fact of the record, no act of play", ""),
}

ENGLISH: Final = Wording(
    sentences={**FAULTS, **REASONS},
    values={
        "phase cut": "the cut for the deal was due",
        "phase shuffle": "the shuffle was due",
        "phase deal": "the cards were being dealt",
        "phase upcard": "the first card of the pile was due",
        "phase redeal": "a new deal was due",
        "phase draw": "a draw was due",
        "phase play": "the turn was in the middle of its play",
        "phase window": "the turn was over",
        "phase over": "the play of the deal was over",
        "phase scored": "the deal had been scored",
        "phase ended": "the game had ended",
        "over": "the play of the deal was over",
        "scored": "the deal had been scored",
        "ended": "the game had ended",
        "shuffled": "the shuffle",
        "dealt": "a hand dealt",
        "upcard_turned": "the first card of the pile",
        "deal_ended": "the end of the deal",
        "deal_scored": "the scores",
        "game_ended": "the end of the game",
        "floated": "a float",
        "redealt": "a new deal",
        "dealer_drawn": "the cut for the deal",
        "stock_renewed": "a new stock",
        "retracted": "a retraction",
        "position_set": "a position",
        "game_opened": "the opening",
        "MELDED_OUT": "all cards melded",
        "DISCARDED_OUT": "the last card discarded",
        "STOCK_EXHAUSTED": "the stock exhausted",
        "ABANDONED": "broken off",
        "NOW": "at once",
        "LATER": "before the turn ends",
    },
    patterns=(
        shaped(r"seats (seat \d+) to (seat \d+)", "seats {0} to {1}"),
        shaped(r"seats ((?:seat \d+ ?)+)", "seats {0}"),
        shaped(r"deal (\d+) ([A-Z_]+) by (nobody|seat \d+)", "deal {0}, {1}, by {2}"),
        shaped(r"([A-Z_]+) by (nobody|seat \d+)", "{0}, by {1}"),
        shaped(r">= (\d+) naturals", "at least {0} natural cards"),
        shaped(r">= (\d+) cards", "at least {0} cards"),
        shaped(r"<= (\d+) cards", "at most {0} cards"),
        shaped(r"(\S+)=<card>", "{0} with the card it stands for"),
        shaped(r"(\d+) in (stock|pile)", "{0} cards in the {1}"),
    ),
    frame="{text}{detail}{rule}.",
    joint=": ",
    cited=" ({})",
    unknown="cannot be told, a card is unknown: ",
    equal="cannot be told, two cards are equal: ",
    anyone="the player",
    detail=DETAIL,
    known={"expected": "expected {}", "actual": "found {}", "card": "{}"},
    comma=", ",
    breaches=(
        "1 breach in {events} events, the first at version {first}",
        "{count} breaches in {events} events, the first at version {first}",
    ),
    clean="no breach in {events} events",
    open="; {count} cannot be told from the record",
    unfinished="; the game is not finished",
)
