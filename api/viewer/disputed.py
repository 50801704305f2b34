"""Disputes on a replay's page: beside the moments that they are about, and in the score sheet as ruled.

Reads no request and no table: it is given the game's disputes with their texts.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from api.files import Filed
from api.times import rfc3339
from api.viewer.naming import isolated
from api.viewer.show import Show, Tick
from events.disputes import (
    Adjustment,
    DisputeEvent,
    EvidenceLinked,
    PrecedentTagged,
    ToGame,
    ToReport,
    ToVersion,
)
from events.disputing import Dispute, fold
from projections.ruling import Scores, as_ruled


class Sheet(msgspec.Struct, frozen=True):
    """A deal's row of the score sheet: by seat the score, the total after it, and the score as played if it
    is another.
    """

    scores: list[int | None]
    totals: list[int | None]
    was: list[int | None]


class Disputed:
    """The disputes about a game for one reader; *upto* hides those about what comes later."""

    def __init__(self, show: Show, disputes: Sequence[Filed], upto: int) -> None:
        self._show = show
        # By age, not by id: that of a dispute that was opened with a key says nothing of when.
        by_age = sorted(disputes, key=lambda one: (one.stored[0].recorded_at, one.head.game_id))
        folded = [
            (one, fold(one.events, [stored.recorded_by for stored in one.stored])) for one in by_age
        ]
        self.known = [pair for pair in folded if pair[1].opened.versions[-1] <= upto]
        self.scores: Scores = as_ruled(show.game, show.events, [one for _, one in self.known])

    def context(self, at: int, *, ruled: bool) -> dict[str, Any]:
        """Return what the template needs."""
        ruled = ruled and self.scores.is_adjusted
        return {
            "disputes": [self._told(filed, one, at) for filed, one in self.known],
            "disputed": sorted(self._versions()),
            "is_adjusted": self.scores.is_adjusted,
            "ruled": ruled,
            "sheet": self._sheet() if ruled else {},
        } | ({"result": self._result()} if ruled else {})

    def tick(self) -> list[Tick]:
        """Return the marks under the slider, none where nothing is disputed."""
        versions = sorted(self._versions())
        return [self._show.tick("dispute", versions)] if versions else []

    def begins(self) -> set[int]:
        """Return from which version on each dispute is told to who wants nothing of what comes later."""
        return {one.opened.versions[-1] for _, one in self.known}

    def outcome(self) -> list[str]:
        """Return the totals as played and as ruled and who has won by each, nothing if no ruling changed any."""
        if not self.scores.is_adjusted:
            return []
        played, ruled = (self._totals(row) for row in (self.scores.played, self.scores.ruled))
        words = self._show.texts
        return [
            f"{words['as.played']}: {played} · {self._show.result()}",
            f"{words['as.ruled']}: {ruled} · {self._result()}",
        ]

    def _totals(self, row: Sequence[int | None]) -> str:
        pairs = zip(self._show.names, row, strict=True)
        return ", ".join(f"{name} {'?' if one is None else one}" for name, one in pairs)

    def _versions(self) -> set[int]:
        return {version for _, one in self.known for version in one.opened.versions}

    def _told(self, filed: Filed, dispute: Dispute, at: int) -> dict[str, Any]:
        words = self._show.texts
        said = {version: text for version, (_, text) in filed.remarks.items()}
        decided = dispute.in_force
        version = 0 if decided is None else list(filed.events).index(decided) + 1
        return {
            "id": str(filed.head.game_id),
            "versions": dispute.opened.versions,
            "may": [],
            "is_here": at in dispute.opened.versions,
            "standing": words[f"dispute.{dispute.standing}"],
            "claim": words.fill(
                "dispute.said",
                who=self._who(filed, dispute.opened.by),
                text=isolated(said.get(1, words["dispute.erased"])),
            ),
            "rules": " ".join(dispute.opened.rules if decided is None else decided.rules),
            "decision": "" if decided is None else words[f"decision.{decided.decision}"],
            "reasons": ""
            if decided is None
            else isolated(said.get(version, words["dispute.erased"])),
            "points": self._points(dispute.adjustments),
            "demanded": self._points(dispute.opened.demanded) if decided is None else [],
            "tags": dispute.tags,
            "acts": [
                self._act(filed, version, event) for version, event in enumerate(filed.events, 1)
            ],
        }

    def _act(self, filed: Filed, version: int, event: DisputeEvent) -> dict[str, Any]:
        """Return who did what when; `at` is the version of the game that is pointed to."""
        words, said = self._show.texts, filed.remarks.get(version)
        by = None if isinstance(event, PrecedentTagged) else event.by
        has_text = getattr(event, "text", None) is not None
        return {
            "when": rfc3339(filed.stored[version - 1].recorded_at)[:16].replace("T", " "),
            "who": self._who(filed, by),
            "what": words[f"act.{event.__struct_config__.tag}"],
            "text": isolated(said[1])
            if said is not None
            else words["dispute.erased"]
            if has_text
            else "",
            "at": _version_in(event),
            "to": self._to(event),
        }

    def _to(self, event: DisputeEvent) -> str:
        """Return what is pointed to outside of this game, or the tags."""
        words = self._show.texts
        match event:
            case EvidenceLinked(evidence=ToGame() as one):
                return words.fill("dispute.game", at=one.version, game=one.game_id)
            case EvidenceLinked(evidence=ToReport() as one):
                return words.fill("dispute.file", sha256=one.sha256)
            case PrecedentTagged():
                return ", ".join(event.tags)
            case _:
                return ""

    def _who(self, filed: Filed, by: str | None) -> str:
        if by is None:
            return self._show.texts["dispute.arbiter"]
        seats = self._show.opened.seats
        return (
            self._show.names[seats.index(by)] if by in seats else isolated(filed.names.get(by, by))
        )

    def _points(self, adjustments: Sequence[Adjustment]) -> list[str]:
        return [
            self._show.texts.fill(
                "dispute.points",
                who=self._show.names[one.seat],
                deal=one.deal,
                points=f"{one.points:+d}",
            )
            for one in adjustments
            if one.seat < len(self._show.names)
        ]

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


def _version_in(event: DisputeEvent) -> int | None:
    """Return the version of the disputed game that is pointed to, if one is."""
    match event:
        case EvidenceLinked(evidence=ToVersion(version=version)):
            return version
        case _:
            return None
