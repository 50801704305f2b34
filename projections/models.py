"""The read models that there are; the one file that knows them all. Pure, like each of them."""

from collections.abc import Sequence
from typing import Final

from events.errors import ProjectionError
from projections import catalogue, findings, standings
from projections.model import Model

MODELS: Final[tuple[Model, ...]] = (catalogue, standings, findings)
ALL: Final = "all"


def models_named(names: Sequence[str]) -> list[Model]:
    """Return the models of these names, for `all` every one; raise ProjectionError for a name of none."""
    known = {model.name: model for model in MODELS}
    if ALL in names:
        return list(MODELS)
    for name in names:
        if name not in known:
            raise ProjectionError(
                f"no read model is named {name!r}, expected {', '.join(known)} or {ALL}"
            )
    return [known[name] for name in known if name in names]
