"""Whom an address stands for, where what one may have is counted by addresses: the same for every way to write it.

Pure: opens nothing and knows no request.
"""

import ipaddress
import re
from typing import Final

NETWORK: Final = 64
"""Bits of an IPv6 address that one customer has for himself: behind them he takes whichever he likes."""
_WITH_PORT: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?")
_FORWARDED: Final = re.compile(rb"(?im)^x-forwarded-for:([^\r\n]*)")


def network_of(address: str) -> str:
    """Return what an address is counted as: an IPv4 address however it is written, of IPv6 the network of 64 bits.

    A socket for both takes 192.0.2.1 as ::ffff:192.0.2.1, by whose network all of IPv4 would be one; some proxies
    tell the port as well, which is another for every connection.
    """
    bare = _WITH_PORT.fullmatch(address)
    try:
        found = ipaddress.ip_address(address if bare is None else bare[1] or bare[2])
    except ValueError:
        return address
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), NETWORK), strict=False))


def forwarded(came: bytes, proxies: int) -> str | None:
    """Return the address that the outermost of our proxies saw, by a request as it came; None if none is told."""
    said = (
        b",".join(_FORWARDED.findall(came.partition(b"\r\n\r\n")[0])).decode("latin-1").split(",")
    )
    told = [one.strip() for one in said if one.strip()]
    return told[-proxies] if 0 < proxies <= len(told) else None
