"""A font of plain blocks, made here: with it a page takes the same room on every machine, whatever fonts that has."""

import struct
from itertools import chain

_EM = 1000
_ADVANCE = 520
_CHARACTERS = (
    *range(0x20, 0x180),
    *range(0x2010, 0x2040),
    *range(0x2190, 0x2200),
    *range(0x2200, 0x2240),
    *range(0x25A0, 0x2800),
)


def font() -> bytes:
    """Return a TrueType font whose every letter is the same block, half as wide as it is high."""
    tables = {
        b"OS/2": _os2(),
        b"cmap": _cmap(),
        b"glyf": _glyph(),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            *(0x10000, 0x10000, 0, 0x5F0F3CF5, 0x000B, _EM, 0, 0),
            *(40, 0, 480, 700, 0, 8, 2, 1, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x10000, 800, -200, 200, _ADVANCE, 40, 40, 480),
            *(1, 0, 0, 0, 0, 0, 0, 0, 3),
        ),
        b"hmtx": struct.pack(">HhHhHh", _ADVANCE, 0, _ADVANCE, 40, _ADVANCE, 0),
        b"loca": struct.pack(">IIII", 0, 0, len(_glyph()), len(_glyph())),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, 3, 4, 1, 0, 0, 1, *([0] * 8)),
        b"name": _name(),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _file(tables)


def _glyph() -> bytes:
    """Return the block: four points, the first absolute, the others by how far they are away."""
    head = struct.pack(">hhhhhHH", 1, 40, 0, 480, 700, 3, 0)
    points = bytes([1, 1, 1, 1]) + struct.pack(">hhhhhhhh", 40, 0, 440, 0, 0, 700, 0, -700)
    return (head + points).ljust(36, b"\0")


def _cmap() -> bytes:
    # The space is the empty glyph 2, everything else the block.
    groups = [
        struct.pack(">III", code, code, 2 if code in (0x20, 0xA0) else 1) for code in _CHARACTERS
    ]
    body = struct.pack(">HHIII", 12, 0, 16 + 12 * len(groups), 0, len(groups)) + b"".join(groups)
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + body


def _os2() -> bytes:
    return struct.pack(
        ">HhHHHhhhhhhhhhhh10sIIII4sHHHhhhHHIIhhHHH",
        *(4, _ADVANCE, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0, bytes(10)),
        *(0, 0, 0, 0, b"LANT", 0x40, 0x20, 0xFFFF, 800, -200, 200, 800, 200),
        *(0, 0, 500, 700, 0, 0x20, 1),
    )


def _name() -> bytes:
    words = {1: "Blocks", 2: "Regular", 3: "Blocks", 4: "Blocks", 5: "1", 6: "Blocks"}
    records, text = b"", b""
    for number, word in words.items():
        data = word.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, number, len(data), len(text))
        text += data
    return struct.pack(">HHH", 0, len(words), 6 + len(records)) + records + text


def _file(tables: dict[bytes, bytes]) -> bytes:
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    head = struct.pack(
        ">IHHHH", 0x10000, count, power * 16, power.bit_length() - 1, count * 16 - power * 16
    )
    at, entries, data = 12 + 16 * count, b"", b""
    for tag, table in sorted(tables.items()):
        padded = table.ljust(-(-len(table) // 4) * 4, b"\0")
        entries += struct.pack(">4sIII", tag, _sum(padded), at + len(data), len(table))
        data += padded
    whole = bytearray(head + entries + data)
    begins = next(
        struct.unpack(">I", whole[12 + 16 * n + 8 : 12 + 16 * n + 12])[0]
        for n, tag in enumerate(sorted(tables))
        if tag == b"head"
    )
    whole[begins + 8 : begins + 12] = struct.pack(">I", (0xB1B0AFBA - _sum(bytes(whole))) % 2**32)
    return bytes(whole)


def _sum(data: bytes) -> int:
    total: int = sum(chain.from_iterable(struct.iter_unpack(">I", data)))
    return total % 2**32
