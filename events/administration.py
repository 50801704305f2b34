"""Events about the store itself, in a stream of kind `admin` that no game knows of.

What is written here stays for ever, like every event: so it never holds a name or a text. A new kind of
stream brings its union of events and its name to `events.codec`, nothing more.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from events.common import Event, PlayerId

NAME: Final = "administration"
"""What stands in a head as its `game`."""


class PersonErased(Event, frozen=True, kw_only=True, tag="person_erased"):
    """A person's name, and so many texts, were taken out of the store; the id stays in the logs as a pseudonym."""

    player: PlayerId
    texts: Annotated[int, Meta(ge=0)]


AdministrationEvent: TypeAlias = PersonErased
