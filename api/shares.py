"""How much of a process one asker may hold at the same time, so that nobody alone keeps all others out.

Of the places to follow games from, of the threads, of the connections. Where only this machine can ask, all of
it is its own. Pure: counts nothing itself.
"""

from typing import Final, Literal, get_args

import msgspec

from api.config import Config
from api.loopback import is_loopback

Kind = Literal["streams", "threads", "connections"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
CONNECTIONS: Final = 1000
"""How many connections are held, at least two for each request in work and each follower; each can have a thread."""


class Shares(msgspec.Struct, frozen=True):
    """What one asker may hold: `streams` a token or an address, the others an address."""

    streams: int
    threads: int
    connections: int


def is_alone(config: Config) -> bool:
    """Tell whether only this machine can ask, so that all who ask are one."""
    return is_loopback(config.host) and not config.proxies


def all_of(config: Config) -> Shares:
    """Return what there is to hold."""
    connections = max(CONNECTIONS, 2 * (config.threads + config.max_streams))
    return Shares(config.max_streams, connections, connections)


def chosen(config: Config) -> Shares:
    """Return the shares that are in force: a quarter, of the threads half as many as are at work at once."""
    whole = all_of(config)
    if is_alone(config):
        usual = whole
    else:
        # Through a proxy all connections come from one address: how many these are, is its own affair.
        connections = whole.connections if config.proxies else whole.connections // 4
        usual = Shares(-(-whole.streams // 4), -(-config.threads // 2), connections)
    given = {kind: getattr(whole, kind) if n is None else n for kind, n in config.shares.items()}
    return msgspec.structs.replace(usual, **given)
