"""The page's words about disputes, in both languages. Words only."""

from typing import Final

ENGLISH: Final = {
    "legend.dispute": "disputed",
    "disputes": "Disputes",
    "dispute.open": "open",
    "dispute.ruled": "ruled",
    "dispute.appealed": "ruled, appealed",
    "dispute.final": "decided on appeal",
    "dispute.withdrawn": "withdrawn",
    "dispute.erased": "(the text was erased)",
    "decision.upheld": "The claim is upheld.",
    "decision.partly": "The claim is upheld in part.",
    "decision.rejected": "The claim is rejected.",
    "dispute.points": "{who}, deal {deal}: {points}",
    "as.played": "As played",
    "as.ruled": "As ruled",
    "as.was": "as played: {score}",
    "as.nobody": "As ruled nobody has won",
}
JAPANESE: Final = {
    "legend.dispute": "異議",
    "disputes": "異議",
    "dispute.open": "審理中",
    "dispute.ruled": "裁定済み",
    "dispute.appealed": "裁定済み・不服申立て中",
    "dispute.final": "不服申立てにより確定",
    "dispute.withdrawn": "取り下げ",
    "dispute.erased": "(本文は消去されました)",
    "decision.upheld": "異議を認めます。",
    "decision.partly": "異議を一部認めます。",
    "decision.rejected": "異議を退けます。",
    "dispute.points": "{who}、第{deal}ディール: {points}",
    "as.played": "プレイどおり",
    "as.ruled": "裁定どおり",
    "as.was": "プレイどおりなら {score}",
    "as.nobody": "裁定どおりなら勝者なし",
}
