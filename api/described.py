"""What every address takes and gives, for `/openapi.json`: the structs that the views read and answer with.

A view says in its own code what it reads (`parsing.query`, `parsing.body`); tests hold this table to that, and
to every address that there is. Answers no request.
"""

from typing import Any, Final

import msgspec

from api import (
    chances_wire,
    disputes_wire,
    lists_wire,
    parsing,
    wire,
    wire_exports,
    wire_legal,
    wire_moments,
    wire_reports,
    wire_service,
)
from api.viewer import asking

EVENT_STREAM: Final = "text/event-stream"


class Parts(msgspec.Struct):
    """What stands beside the table on the page, as HTML by the name of each part."""

    parts: dict[str, str]


class Steps(msgspec.Struct, frozen=True):
    """What the page's script asks for: parts of the page as HTML; of a game that grows, where its keys lead."""

    newest: int
    steps: list[dict[str, Any]]
    jumps: dict[str, list[int]] | msgspec.UnsetType = msgspec.UNSET


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """One address and method.

    `answers` are the statuses of success with the struct of the JSON, or None for other types (`types`).
    `problems` are the codes that only this address has, besides those that follow from what it takes. `is_told`
    says that sentences are in it, `is_streamed` that it is sent as it is made, without an ETag.
    """

    answers: dict[int, Any]
    types: tuple[str, ...] = (parsing.JSON,)
    query: type[wire.Request] = wire.NoQuery
    body: type[Any] | None = None
    is_body_needed: bool = True
    file_types: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_told: bool = False
    is_streamed: bool = False


_HTML: Final = ("text/html",)
_RECORDING: Final = (
    *("bad_event", "bad_idempotency_key", "expected_version_missing", "stale_version", "game_full"),
    *("rule", "command_reused", "not_storable", "store_busy", "connection_lost"),
)
_IMPORTING: Final = (
    *("bad_file", "altered_log", "other_head", "body_too_large", "wrong_media_type"),
    *("open_table_needed", "not_storable", "store_busy", "connection_lost"),
)
_DISPUTING: Final = (
    *("bad_idempotency_key", "dispute", "command_reused", "not_storable", "store_busy"),
    "connection_lost",
)
_KEY: Final = "Idempotency-Key"
FILES: Final = (parsing.NDJSON, parsing.PLAIN, "application/jsonl", "application/octet-stream")

TABLE: Final[dict[str, Described]] = {
    "games.list_games": Described(
        query=wire.ListQuery, answers={200: wire.GamePage}, problems=("bad_cursor",)
    ),
    "games.open_game": Described(
        is_told=True,
        query=wire.ViewQuery,
        body=wire.OpenGame,
        answers={201: wire.RecordAnswer},
        headers=(_KEY,),
        problems=(
            *("bad_idempotency_key", "open_table_needed", "other_game", "ruleset"),
            *("command_reused", "not_storable", "store_busy", "connection_lost"),
        ),
    ),
    "games.show_game": Described(query=wire.GameQuery, answers={200: wire.GameDetail}),
    "games.record_events": Described(
        is_told=True,
        query=wire.RecordQuery,
        body=wire.RecordEvents,
        answers={200: wire.RecordAnswer, 201: wire.RecordAnswer},
        headers=(_KEY,),
        problems=_RECORDING,
    ),
    "replays.list_events": Described(
        query=wire.EventsQuery,
        types=(parsing.JSON, parsing.NDJSON),
        answers={200: wire.EventPage},
    ),
    "replays.show_state": Described(
        query=wire.StateQuery, answers={200: wire.StateAnswer}, problems=("unknown_version",)
    ),
    "replays.show_timeline": Described(query=wire.ViewQuery, answers={200: wire.TimelineAnswer}),
    "moments.list_frames": Described(
        query=wire_moments.FramesQuery,
        answers={200: wire_moments.FramesAnswer},
        problems=("unknown_version",),
    ),
    "moments.show_card": Described(
        query=wire.ViewQuery, answers={200: wire_moments.CardAnswer}, problems=("unknown_card",)
    ),
    "streams.follow": Described(
        is_streamed=True,
        query=wire.StreamQuery,
        types=(EVENT_STREAM,),
        answers={200: None},
        headers=("Last-Event-ID",),
        problems=("too_many_streams", "too_many_own_streams", "unknown_version"),
    ),
    "legal.show_legal": Described(
        is_told=True,
        query=wire_legal.LegalQuery,
        answers={200: wire_legal.LegalAnswer},
        problems=("unknown_version",),
    ),
    "audits.audit_game": Described(
        is_told=True,
        body=wire.AskAudit,
        is_body_needed=False,
        answers={200: wire.AuditAnswer},
        problems=("unknown_deal",),
    ),
    "disputes.list_of_game": Described(answers={200: disputes_wire.DisputePage}),
    "disputes.open_dispute": Described(
        body=disputes_wire.OpenDispute,
        answers={201: disputes_wire.GoneOn},
        headers=(_KEY,),
        problems=_DISPUTING,
    ),
    "disputes.list_disputes": Described(
        query=disputes_wire.DisputesQuery,
        answers={200: disputes_wire.DisputePage},
        problems=("bad_cursor",),
    ),
    "disputes.show_dispute": Described(
        answers={200: disputes_wire.DisputeShown}, problems=("unknown_dispute",)
    ),
    "disputes.go_on": Described(
        body=disputes_wire.GoOn,
        answers={201: disputes_wire.GoneOn},
        headers=(_KEY,),
        problems=(*_DISPUTING, "unknown_dispute", "unknown_game", "stale_version", "game_full"),
    ),
    "reports.show_report": Described(
        is_told=True,
        query=wire_reports.ReportQuery,
        answers={200: wire_reports.ReportAnswer},
        problems=("bad_body", "unknown_deal", "unknown_version"),
    ),
    "lists.list_deals": Described(
        query=lists_wire.DealsQuery, answers={200: lists_wire.DealPage}, problems=("bad_cursor",)
    ),
    "lists.list_standings": Described(
        query=lists_wire.StandingsQuery,
        answers={200: lists_wire.StandingPage},
        problems=("bad_cursor",),
    ),
    "lists.list_findings": Described(
        is_told=True,
        query=lists_wire.FindingsQuery,
        answers={200: lists_wire.FindingPage},
        problems=("bad_cursor",),
    ),
    "chances.show_chances": Described(
        is_told=True,
        query=chances_wire.ChancesQuery,
        answers={200: chances_wire.ChancesAnswer},
        problems=("unknown_game", "too_much", "too_many_at_once"),
    ),
    "exports.export_ndjson": Described(
        query=wire.ViewQuery, types=(parsing.NDJSON,), answers={200: None}
    ),
    "exports.export_text": Described(
        query=wire.ViewQuery, types=(parsing.PLAIN,), answers={200: None}
    ),
    "exports.export_csv": Described(
        query=wire_exports.TableQuery, types=("text/csv",), answers={200: None}
    ),
    "exports.export_html": Described(
        query=wire_exports.FileQuery, types=_HTML, answers={200: None}
    ),
    "exports.export_all": Described(
        is_streamed=True,
        query=wire_exports.ExportQuery,
        types=(parsing.NDJSON, "text/csv", parsing.PLAIN, parsing.HTML),
        answers={200: None},
    ),
    "exports.import_file": Described(
        query=wire.ImportQuery,
        file_types=FILES,
        answers={200: wire.ImportAnswer, 201: wire.ImportAnswer},
        problems=_IMPORTING,
    ),
    "session.show_session": Described(answers={200: wire_service.SessionAnswer}),
    "session.open_session": Described(
        body=wire_service.OpenSession,
        answers={200: wire_service.SessionAnswer},
        problems=("bad_token",),
    ),
    "session.close_session": Described(answers={204: None}, types=()),
    "service.healthz": Described(answers={200: wire_service.Status}),
    "service.readyz": Described(answers={200: wire_service.Ready}, problems=("not_ready",)),
    "service.show_metrics": Described(answers={200: None}, types=(parsing.PLAIN,)),
    "service.list_problems": Described(answers={200: wire_service.ProblemCodes}),
    "reference.show_openapi": Described(answers={200: dict[str, Any]}),
    "reference.docs_page": Described(query=asking.PageQuery, types=_HTML, answers={200: None}),
    "viewer.lists.list_page": Described(
        query=asking.ListPageQuery, types=_HTML, answers={200: None}, problems=("bad_cursor",)
    ),
    "viewer.lists.standings_page": Described(
        query=asking.StandingsPageQuery, types=_HTML, answers={200: None}, problems=("bad_cursor",)
    ),
    "viewer.lists.findings_page": Described(
        query=asking.FindingsPageQuery, types=_HTML, answers={200: None}, problems=("bad_cursor",)
    ),
    "viewer.chances.chances_page": Described(
        query=asking.ChancesPageQuery,
        types=_HTML,
        answers={200: None},
        problems=("unknown_game", "too_much", "too_many_at_once"),
    ),
    "viewer.about_page": Described(query=asking.PageQuery, types=_HTML, answers={200: None}),
    "viewer.lists.import_page": Described(
        query=asking.PageQuery,
        file_types=("multipart/form-data", "application/x-www-form-urlencoded"),
        types=_HTML,
        answers={200: None, 201: None},
        problems=_IMPORTING,
    ),
    "signing.sign_in_page": Described(query=asking.SignInQuery, types=_HTML, answers={200: None}),
    "signing.sign_in": Described(
        file_types=("multipart/form-data", "application/x-www-form-urlencoded"),
        types=_HTML,
        answers={303: None, 422: None},
        problems=("bad_token",),
    ),
    "signing.sign_out": Described(types=_HTML, answers={303: None}),
    "viewer.replay_page": Described(
        query=asking.ReplayQuery, types=_HTML, answers={200: None}, problems=("unknown_version",)
    ),
    "reporting.report_page": Described(
        query=asking.ReportPageQuery,
        types=_HTML,
        answers={200: None},
        problems=("bad_body", "unknown_deal", "unknown_version"),
    ),
    "viewer.acts": Described(query=asking.ReplayQuery, types=_HTML, answers={200: None}),
    "viewer.sought_card": Described(query=asking.ReplayQuery, types=_HTML, answers={200: None}),
    "viewer.parts": Described(query=asking.ReplayQuery, answers={200: Parts}),
    "viewer.disputing.dispute_form": Described(
        query=asking.FormQuery, types=_HTML, answers={200: None}
    ),
    "viewer.steps": Described(
        query=asking.StepsQuery, answers={200: Steps}, problems=("unknown_version",)
    ),
    "viewer.asset": Described(
        types=("text/javascript", "text/css", "image/svg+xml"), answers={200: None}
    ),
}
