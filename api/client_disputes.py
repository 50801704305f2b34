"""The client's part for disputes: opened, argued, ruled on, appealed, found again by what was decided.

    ruled = client.disputes.rule(dispute.dispute_id, dispute.version, "upheld", "The discard came first.")

Every act names the version of the dispute that its sender saw, so that of two arbiters who rule at once one is told.
"""

from collections.abc import Iterator, Sequence
from typing import Literal
from uuid import UUID

from api import disputes_wire as wire
from api.client_asking import Asking
from events.disputes import Decision, Remedy
from events.disputing import Standing

Outcome = Literal["upheld", "changed"]


class Disputes(Asking):
    """Disputes about all games; what speaks is a *seat*, or a person (*by*), or else whoever the token stands for.

    Acts raise StaleVersion if another came first, NotNow if it cannot be, or not by whoever asks.
    """

    def open(
        self,
        game_id: UUID,
        versions: Sequence[int],
        claim: str,
        *,
        rules: Sequence[str] = (),
        remedy: Remedy = "adjust",
        demanded: Sequence[wire.Points] = (),
        seat: int | None = None,
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Open a dispute about what was recorded at some versions of a game."""
        asked = wire.OpenDispute(
            versions=list(versions),
            claim=claim,
            rules=tuple(rules),
            remedy=remedy,
            demanded=tuple(demanded),
            seat=seat,
            by=by,
        )
        return self._command(f"/v1/games/{game_id}/disputes", asked, wire.GoneOn, command_id)

    def of_game(self, game_id: UUID) -> list[wire.DisputeShown]:
        """Return all disputes about a game, the oldest first, without their events."""
        return self._get(f"/v1/games/{game_id}/disputes", wire.DisputePage).disputes

    def show(self, dispute_id: UUID) -> wire.DisputeShown:
        """Return a dispute with all its events and their texts."""
        return self._get(f"/v1/disputes/{dispute_id}", wire.DisputeShown)

    def search(
        self,
        *,
        rule: str | None = None,
        code: str | None = None,
        words: str | None = None,
        tag: str | None = None,
        game_id: UUID | None = None,
        standing: Standing | None = None,
    ) -> Iterator[wire.DisputeShown]:
        """Yield disputes by what was decided in them: rules applied, facts found, words of the reasons, tags."""
        query = {
            "rule": rule,
            "code": code,
            "words": words,
            "tag": tag,
            "game_id": None if game_id is None else str(game_id),
            "standing": standing,
        }
        return self._pages(
            "/v1/disputes", wire.DisputePage, query, lambda page: (page.disputes, page.next)
        )

    def say(
        self,
        dispute_id: UUID,
        version: int,
        text: str,
        *,
        seat: int | None = None,
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """State something."""
        return self.act(dispute_id, version, wire.Say(text=text, seat=seat, by=by), command_id)

    def link(
        self, dispute_id: UUID, version: int, evidence: wire.Link, *, command_id: UUID | None = None
    ) -> wire.GoneOn:
        """Point to evidence: a version of the game, another game, or a file by its SHA-256."""
        return self.act(dispute_id, version, evidence, command_id)

    def withdraw(
        self,
        dispute_id: UUID,
        version: int,
        text: str | None = None,
        *,
        seat: int | None = None,
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Take it back."""
        asked = wire.Withdraw(text=text, seat=seat, by=by)
        return self.act(dispute_id, version, asked, command_id)

    def rule(
        self,
        dispute_id: UUID,
        version: int,
        decision: Decision,
        text: str,
        *,
        facts: Sequence[wire.Found] = (),
        rules: Sequence[str] = (),
        adjustments: Sequence[wire.Points] = (),
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Decide it, as an arbiter; the text says why."""
        asked = wire.Rule_(
            decision=decision,
            text=text,
            facts=tuple(facts),
            rules=tuple(rules),
            adjustments=tuple(adjustments),
            by=by,
        )
        return self.act(dispute_id, version, asked, command_id)

    def appeal(
        self,
        dispute_id: UUID,
        version: int,
        text: str,
        *,
        seat: int | None = None,
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Not accept the ruling, as a party."""
        return self.act(dispute_id, version, wire.Appeal(text=text, seat=seat, by=by), command_id)

    def decide(
        self,
        dispute_id: UUID,
        version: int,
        outcome: Outcome,
        text: str,
        *,
        decision: Decision | None = None,
        facts: Sequence[wire.Found] = (),
        rules: Sequence[str] = (),
        adjustments: Sequence[wire.Points] = (),
        by: UUID | None = None,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Decide an appeal: `upheld` leaves the ruling as it is, `changed` needs a decision of its own."""
        asked = wire.Decide(
            outcome=outcome,
            text=text,
            decision=decision,
            facts=tuple(facts),
            rules=tuple(rules),
            adjustments=tuple(adjustments),
            by=by,
        )
        return self.act(dispute_id, version, asked, command_id)

    def tag(
        self,
        dispute_id: UUID,
        version: int,
        tags: Sequence[str],
        *,
        command_id: UUID | None = None,
    ) -> wire.GoneOn:
        """Give a decision words under which it is found."""
        return self.act(dispute_id, version, wire.Tag_(tags=list(tags)), command_id)

    def act(
        self, dispute_id: UUID, version: int, act: wire.Act, command_id: UUID | None = None
    ) -> wire.GoneOn:
        """Do any act, given as its struct, after the version that its sender saw."""
        asked = wire.GoOn(act=act, expected_version=version)
        return self._command(f"/v1/disputes/{dispute_id}/events", asked, wire.GoneOn, command_id)
