"""The version of the rules program, as `game_opened` records it; pyproject.toml has the same."""

from typing import Final

ENGINE: Final = "0.1.0"
