"""Every error that Lanterlog raises on purpose, as one tree.

    LanterlogError
    ├── CardError            a text that is no card
    ├── CodecError           a body that is not the canonical text of an event
    ├── NotALogError         a stream that does not begin as a game does
    ├── RulesetError         options that cannot be played
    ├── UpcastError          an event shape that no upcaster knows
    ├── RefusedError         acts that a refereed table refuses
    ├── FormatError          a file that is not in the format it claims, with line and reason
    └── StoreError           what the store refuses
        ├── UnknownGame      no such stream
        ├── StaleVersion     another append came first
        ├── CommandReused    the same command id with another request
        ├── AlteredLog       an imported chain that does not hold
        ├── OtherHead        an imported game that is here with another end
        └── TooManyRights    a login that could bypass the append-only log

Messages are lower-case text with the value and what was expected.
"""


class LanterlogError(Exception):
    """The root: catch it where the program meets its user, and nowhere else."""


class CardError(LanterlogError):
    """A text that is no card."""


class CodecError(LanterlogError):
    """A body that is not the canonical text of an event."""


class NotALogError(LanterlogError):
    """A stream that does not begin as a game does."""


class RulesetError(LanterlogError):
    """Options that cannot be played together, or are not built yet."""


class UpcastError(LanterlogError):
    """An event shape that no upcaster knows, or a registry with a gap."""
