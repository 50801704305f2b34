"""A game as small steps for a page: each event as the viewer may see it, and what it changed in the view.

Pure. A page starts from the view at some version and applies one frame after another, forward only; to jump,
it asks for a view. A retraction is a frame like any other, whose changes lead back.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from events.common import Event
from projections.seen import SeenLog

View = dict[str, Any]
_MISSING: Final = object()


class Frame(msgspec.Struct, frozen=True):
    """One version: the event and the changed parts of the view.

    `changed` holds whole values by key, except `hands`, which holds the changed hands by seat, and `melds`,
    the changed melds by id with null for one that is gone.
    """

    version: int
    event: Event
    changed: View


def frames(seen: SeenLog, first: int = 1, last: int | None = None) -> Iterator[Frame]:
    """Yield the frames from version *first* to *last* of a log as it is seen; the first builds on the view before it."""
    before: View = {}
    for version, event, view in seen.steps(max(first - 1, 1), last):
        if version >= first:
            yield Frame(version, event, changes(before, view))
        before = view


def changes(before: View, after: View) -> View:
    """Return what leads from one view to another; `applied` is its inverse."""
    changed = {key: after[key] for key in after if before.get(key, _MISSING) != after[key]}
    if "hands" in changed and len(before.get("hands", ())) == len(after["hands"]):
        changed["hands"] = {
            str(seat): hand
            for seat, hand in enumerate(after["hands"])
            if before["hands"][seat] != hand
        }
    if "melds" in changed and "melds" in before:
        changed["melds"] = _by_id_changed(before["melds"], after["melds"])
    return changed


def _by_id_changed(before: list[View], after: list[View]) -> View:
    old = {str(meld["meld"]): meld for meld in before}
    new = {str(meld["meld"]): meld for meld in after}
    gone = dict.fromkeys(old.keys() - new.keys())
    return {key: meld for key, meld in new.items() if old.get(key) != meld} | gone


def applied(view: View, changed: View) -> View:
    """Return the view after a frame's changes, as a page would work it out."""
    after = view | changed
    if isinstance(changed.get("hands"), dict):
        hands = enumerate(view["hands"])
        after["hands"] = [changed["hands"].get(str(seat), hand) for seat, hand in hands]
    if isinstance(changed.get("melds"), dict):
        by_id = {str(meld["meld"]): meld for meld in view["melds"]} | changed["melds"]
        melds = [meld for meld in by_id.values() if meld is not None]
        after["melds"] = sorted(melds, key=lambda meld: int(meld["meld"]))
    return after
