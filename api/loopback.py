"""Which names and addresses are this machine talking to itself.

Without tokens the service listens on them alone and answers to them alone: a page of a stranger
that has had its own name resolved to 127.0.0.1 still sends that name as its Host. Opens nothing but the
listening socket.
"""

import errno
import ipaddress
import socket
from urllib.parse import urlsplit

from events.errors import BadSetting


def is_loopback(name: str) -> bool:
    """Tell whether a host name or address, without port and brackets, is this machine itself."""
    if name.lower() in {"localhost", "localhost."}:
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_address(text: str) -> bool:
    """Tell whether a text is an address in numbers."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def host_name(authority: str) -> str | None:
    """Return the name in `name:port` or `[address]:port`, None if the text is neither."""
    try:
        parts = urlsplit(f"//{authority}")
        _ = parts.port
    except ValueError:
        return None
    plain = not (parts.path or parts.query or parts.fragment or parts.username is not None)
    return parts.hostname if plain else None


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that has an address and does not listen yet; BadSetting says why it cannot be.

    Port 0 takes any free one.
    """
    address = "127.0.0.1" if host.lower().startswith("localhost") else host
    if not is_address(address):
        raise BadSetting(f"host {host!r}, expected 127.0.0.1, ::1 or localhost, or another address")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
    except OSError as error:
        made.close()
        raise BadSetting(f"{host} port {port} {_why(error)}") from error
    return made


def listen(made: socket.socket) -> None:
    """Let connections come to a socket; BadSetting says why it cannot be."""
    host, port = made.getsockname()[:2]
    try:
        made.listen(128)
    except OSError as error:
        raise BadSetting(f"{host} port {port} {_why(error)}") from error


def url_of(listening: socket.socket) -> str:
    """Return the address that a browser on this machine opens."""
    address, port = listening.getsockname()[:2]
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)
    return f"http://{f'[{address}]' if ':' in address else address}:{port}"


def _why(error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return "is taken by another program: expected a free one (--port, or 0 for any)"
        case errno.EACCES:
            return "may not be used by this user: expected one from 1024"
        case errno.EADDRNOTAVAIL:
            return "is no address of this machine: expected 127.0.0.1"
    return f"cannot be listened on: {error.strerror}"
