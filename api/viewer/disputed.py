"""Disputes on a replay's page: beside the moments that they are about, and in the score sheet as ruled.

Reads no request and no table: it is given the game's disputes and their texts.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from api.viewer.show import Show, Tick
from events.docket import Entry
from projections.ruling import Scores, as_ruled

Texts = Mapping[UUID, Mapping[int, str]]
"""The texts of each dispute by version."""


class Sheet(msgspec.Struct, frozen=True):
    """A deal's row of the score sheet: by seat the score, the total after it, and the score as played if it
    is another.
    """

    scores: list[int | None]
    totals: list[int | None]
    was: list[int | None]


class Disputed:
    """The disputes about a game for one reader; *upto* hides those about what comes later."""

    def __init__(self, show: Show, entries: Sequence[Entry], texts: Texts, upto: int) -> None:
        self._show = show
        self._texts = texts
        self._entries = [one for one in entries if one.dispute.opened.versions[-1] <= upto]
        self.scores: Scores = as_ruled(
            show.game, show.events, [one.dispute for one in self._entries]
        )

    def context(self, at: int, *, ruled: bool) -> dict[str, Any]:
        """Return what the template needs."""
        ruled = ruled and self.scores.is_adjusted
        return {
            "disputes": [self._told(one, at) for one in self._entries],
            "disputed": sorted(self._versions()),
            "is_adjusted": self.scores.is_adjusted,
            "ruled": ruled,
            "sheet": self._sheet() if ruled else {},
        } | ({"result": self._result()} if ruled else {})

    def tick(self) -> list[Tick]:
        """Return the marks under the slider, none where nothing is disputed."""
        versions = sorted(self._versions())
        return [self._show.tick("dispute", versions)] if versions else []

    def _versions(self) -> set[int]:
        return {version for one in self._entries for version in one.dispute.opened.versions}

    def _told(self, entry: Entry, at: int) -> dict[str, Any]:
        words, dispute = self._show.texts, entry.dispute
        said = self._texts.get(entry.dispute_id, {})
        decided = dispute.in_force
        version = 0 if decided is None else list(entry.events).index(decided) + 1
        return {
            "id": str(entry.dispute_id),
            "versions": dispute.opened.versions,
            "is_here": at in dispute.opened.versions,
            "standing": words[f"dispute.{dispute.standing}"],
            "claim": said.get(1, words["dispute.erased"]),
            "rules": " ".join(dispute.opened.rules if decided is None else decided.rules),
            "decision": "" if decided is None else words[f"decision.{decided.decision}"],
            "reasons": "" if decided is None else said.get(version, words["dispute.erased"]),
            "points": [
                words.fill(
                    "dispute.points", who=self._show.names[one.seat], deal=one.deal,
                    points=f"{one.points:+d}",
                )
                for one in dispute.adjustments
            ],
            "tags": dispute.tags,
        }  # fmt: skip

    def _result(self) -> str:
        if not self._show.timeline.ended:
            return self._show.result()
        winner, words = self.scores.winner_ruled, self._show.texts
        if winner is None:
            return words["as.nobody"]
        return f"{words['winner']}: {self._show.names[winner]} ({words['as.ruled']})"

    def _sheet(self) -> dict[int, Sheet]:
        """Return the rows as ruled by the version of their score; totals go on from deal to deal."""
        found, more = {}, [0] * len(self._show.names)
        rows = {one.version: one for one in self.scores.deals}
        for deal in self._show.timeline.deals:
            row = next((rows[v] for v in range(deal.first, deal.last + 1) if v in rows), None)
            if row is None or deal.totals is None:
                continue
            for seat, (played, ruled) in enumerate(zip(row.played, row.ruled, strict=True)):
                more[seat] += (ruled or 0) - (played or 0)
            found[deal.first] = Sheet(
                scores=list(row.ruled),
                totals=[
                    None if one is None else one + add
                    for one, add in zip(deal.totals, more, strict=True)
                ],
                was=[
                    None if played == ruled else played
                    for played, ruled in zip(row.played, row.ruled, strict=True)
                ],
            )
        return found
