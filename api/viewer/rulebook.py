"""The text of a rule by its number, as the rules in docs/rules have it: one click away from where a rule is cited.

The copies beside this module go with the package; a test compares them. They are in English, as the rules are.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from string import ascii_lowercase
from typing import Final

_FILES: Final = {"rummy500": "rummy500.md", "lanterloo": "lanterloo.md"}
# `* **R-6.7** text`, `* **L-4.8 The last two.** text`: up to the next one, a table, a heading or an empty line.
_RULE: Final = re.compile(
    r"^\* \*\*([A-Z]-[0-9.]+?)\.?(?: ([^*]*))?\*\*(.*(?:\n(?![*|#]|\n).+)*)", re.MULTILINE
)
# `**12.3 V-3 title**` up to the next variant: V-3a and V-3b are in it.
_VARIANT: Final = re.compile(
    r"^\*\*[0-9.]+ (V-[0-9]+) (.*?)(?=^\*\*[0-9]|^## )", re.MULTILINE | re.DOTALL
)
# A rule that stands in the line of another.
_INSIDE: Final = re.compile(r"(?<=\. )\*\*([A-Z]-[0-9.]+)\*\* ([^*\n]+)")
_MARKUP: Final = re.compile(r"\*\*|`")


def _read(name: str) -> Mapping[str, str]:
    text = files("api.viewer").joinpath("rules", name).read_text("utf-8")
    found = dict(_INSIDE.findall(text))
    found |= {code: f"{title or ''} {rest}" for code, title, rest in _RULE.findall(text)}
    found |= dict(_VARIANT.findall(text))
    return {code: " ".join(_MARKUP.sub("", one).split()) for code, one in found.items()}


RULES: Final[Mapping[str, Mapping[str, str]]] = {game: _read(name) for game, name in _FILES.items()}


def quoted(game: str, codes: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each rule that is known with its text, once, in the order given."""
    rules = RULES.get(game, {})
    for code in dict.fromkeys(codes):
        text = rules.get(code) or rules.get(code.rstrip(ascii_lowercase))
        if text is not None:
            yield code, text
