"""What statistics of cards and scores cannot say, in both languages: it stands wherever they are shown."""

from collections.abc import Mapping
from typing import Final

from projections.explain import Language

NOTE: Final[Mapping[Language, str]] = {
    "en": (
        "These are figures about chance, and no proof of anything. Unusual numbers come by chance too, and have "
        "many causes: a poor shuffle, a record with gaps, a choice of games. They say nothing about what anybody "
        "did or meant to do."
    ),
    "ja": (
        "これは偶然についての数字であり、何かを証明するものではありません。珍しい数字は偶然でも現れますし、"
        "混ぜ方の足りなさ、記録の抜け、ゲームの選び方など、原因はさまざまです。"
        "だれかが何をしたか、何をしようとしたかについては、何も語りません。"
    ),
}
