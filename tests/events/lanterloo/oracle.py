"""A second opinion on which card may be played: the rules page read once more, one question a card, no short ways."""

from collections.abc import Sequence

from events.lanterloo.ruleset import Ruleset

RANKS = "23456789TJQKA"


class Opinion:
    """One moment of play as the second reader sees it."""

    def __init__(
        self,
        rules: Ruleset,
        trump: str,
        turn_up: str,
        trick: Sequence[str],
        *,
        said: bool,
        players: int,
        first: bool,
    ) -> None:
        self.rules, self.trump, self.turn_up, self.trick = rules, trump, turn_up, list(trick)
        self.said, self.players, self.first = said, players, first
        pam = "JC" if rules.pam_card == "JC" else "J" + trump
        self.pam = pam if rules.form == "loo5" and turn_up != pam else "no Pam"
        self.three_card = rules.form != "loo5" or rules.loo5_play == "as_loo3"

    def may(self, hand: Sequence[str], card: str) -> bool:
        return self._may_follow(hand, card) if self.trick else self._may_lead(hand, card)

    def trumps(self, hand: Sequence[str]) -> list[str]:
        held = [card for card in hand if card == self.pam or card.endswith(self.trump)]
        return sorted(held, key=self._height, reverse=True)

    def _height(self, card: str) -> int:
        return 99 if card == self.pam else RANKS.index(card[0])

    def _may_lead(self, hand: Sequence[str], card: str) -> bool:
        if not self.three_card:
            return True
        rules, trumps = self.rules, self.trumps(hand)
        ace, king = "A" + self.trump, "K" + self.trump
        asked = rules.lead_ace == "ace_or_king" or (
            rules.lead_ace == "ace_first_lead" and self.first
        )
        if asked and ace in hand:
            return card == ace
        if rules.lead_ace == "ace_or_king" and self.turn_up == ace and king in hand:
            return card == king
        every = rules.lead_two_scope == "every_lead"
        if rules.lead_two != "off" and len(trumps) >= 2 and (self.first or every):
            if rules.lead_two == "highest":
                return card == trumps[0]
            if rules.lead_two == "highest_if_two_players" and self.players == 2:
                return card == trumps[0] or (card == trumps[1] and self._touch(*trumps[:2]))
            return card in trumps
        if rules.trump_after_trick and not self.first and trumps:
            return card in trumps
        return True

    def _touch(self, high: str, low: str) -> bool:
        """Whether nothing that can be in play stands between two trumps."""
        ladder = [rank + self.trump for rank in RANKS]
        ladder = [card for card in ladder if card not in (self.turn_up, self.pam)] + [self.pam]
        return ladder.index(high) - ladder.index(low) == 1

    def _may_follow(self, hand: Sequence[str], card: str) -> bool:
        others = [one for one in hand if one != card]
        own = self.rules.pam_suit
        is_trump_card = own == "trump" or (own == "clubs" and self.pam[1] == self.trump)
        if self._civil() and self.pam in hand:
            plain_trumps = [one for one in self.trumps(hand) if one != self.pam]
            forced = self.rules.civil_scope == "without_revoke" and is_trump_card
            if len(hand) > 1 and forced and not plain_trumps:
                return card == self.pam
            if card == self.pam:
                return not others
            return self._in_order([one for one in hand if one != self.pam], card)
        if own == "free" and self.pam in hand:
            if card == self.pam:
                return True
            return self._in_order([one for one in hand if one != self.pam], card)
        if own == "clubs" and self.pam in hand and not is_trump_card and self._led() == self.trump:
            plain_trumps = [one for one in self.trumps(hand) if one != self.pam]
            if not plain_trumps:
                return True
            return card != self.pam and self._in_order(
                [one for one in hand if one != self.pam], card
            )
        return self._in_order(hand, card)

    def _civil(self) -> bool:
        said = self.rules.civil == "auto" or (self.rules.civil == "spoken" and self.said)
        return said and self.trick[0] == "A" + self.trump and self.pam != "no Pam"

    def _suit(self, card: str) -> str:
        if card == self.pam:
            return card[1] if self.rules.pam_suit == "clubs" else self.trump
        return card[1]

    def _led(self) -> str:
        return self._suit(self.trick[0])

    def _beats_all(self, card: str) -> bool:
        return all(self._beats(card, lying) for lying in self.trick)

    def _beats(self, card: str, lying: str) -> bool:
        if self.pam in (card, lying):
            return card == self.pam
        if (card[1] == self.trump) != (lying[1] == self.trump):
            return card[1] == self.trump
        if card[1] == lying[1]:
            return self._height(card) > self._height(lying)
        return card[1] == self._led()

    def _in_order(self, hand: Sequence[str], card: str) -> bool:
        following = [one for one in hand if self._suit(one) == self._led()]
        if following and card not in following:
            return False
        if not self.three_card:
            return True
        if following:
            heading = [one for one in following if self._beats_all(one)]
            return card in heading or not heading
        heading = [one for one in self.trumps(hand) if self._beats_all(one)]
        if heading:
            return card in heading
        if self.rules.must_undertrump and self.trumps(hand):
            return card in self.trumps(hand)
        return True
