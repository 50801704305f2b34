"""What the codes of Lanterloo are called, by language: the sentence, and the detail that follows it.

Words only. A sentence names the fault; its detail says what was expected and what was there. Codes that 500
Rummy has too are worded with the others.
"""

from collections.abc import Mapping
from typing import Final

Words = Mapping[str, tuple[str, str]]

_EN: Final = "expected {expected}, found {actual}"
_JA: Final = "正しくは{expected}、実際は{actual}"

ENGLISH: Final[Words] = {
    # declaring
    "DECLARATION_IS_FINAL": ("{who} had declared already", "{expected}, then {actual}"),
    "MUST_PLAY": ("{who} had to play: nobody may pass in this hand", ""),
    "MISS_NOT_AVAILABLE": ("{who} could not have the miss", "{expected}"),
    "MISS_IS_HIDDEN": ("{who} looked at the miss without having taken it", ""),
    "EXCHANGE_ONCE": ("{who} had changed cards already", ""),
    "MUST_PLAY_AFTER_EXCHANGE": ("{who} had changed cards and had to play", ""),
    "EXCHANGE_NOT_ALLOWED": ("{who} could not change cards in this hand", "{expected}"),
    "STOCK_SHORT": ("{who} asked for more cards than the stock holds", _EN),
    "DEALER_MUST_DEFEND": (
        "{who} dealt and had to defend the pool against the one stander",
        "{expected}",
    ),
    # flushes
    "NO_SUCH_FLUSH": ("{who} had no such flush to show", _EN),
    "FLUSH_TOO_LATE": ("{who} came too late with a flush", "it must be shown {expected}"),
    # playing
    "MUST_FOLLOW": ("{who} had to follow suit", "{actual} was played, {expected} could be"),
    "MUST_HEAD": ("{who} had to head the trick", "{actual} was played, {expected} could be"),
    "MUST_LEAD_TRUMP": ("{who} had to lead a trump", "{actual} was led, {expected} could be"),
    "MUST_LEAD_ACE": (
        "{who} had to lead the ace of trumps, or the king where the ace is turned up",
        "{actual} was led, not {expected}",
    ),
    "PAM_BE_CIVIL": ("{who} had to let the ace of trumps pass", "{actual} was played"),
    # chips
    "TRICK_WRONG": ("the trick went to another", _EN),
    "AMOUNT_WRONG": ("the amount is not what was due from or to {who}", _EN),
    "LOOED_WRONG": ("another was looed", _EN),
    "POOL_WRONG": ("the pool does not come out", _EN),
    # tables that cannot be
    "AMOUNT_INDIVISIBLE": (
        "the tricks would not divide such a pool",
        "{option}={actual}, {expected}",
    ),
    "TOO_FEW_PLAYERS": ("there are too few players", _EN),
}
JAPANESE: Final[Words] = {
    # declaring
    "DECLARATION_IS_FINAL": ("{who}はもう宣言しています", "{expected}のあとに{actual}"),
    "MUST_PLAY": ("このハンドでは誰もパスできず、{who}はプレイしなければなりません", ""),
    "MISS_NOT_AVAILABLE": ("{who}はミスを取れません", "{expected}"),
    "MISS_IS_HIDDEN": ("{who}は取っていないミスを見ました", ""),
    "EXCHANGE_ONCE": ("{who}はもうカードを交換しています", ""),
    "MUST_PLAY_AFTER_EXCHANGE": ("{who}はカードを交換したのでプレイしなければなりません", ""),
    "EXCHANGE_NOT_ALLOWED": ("{who}はこのハンドでカードを交換できません", "{expected}"),
    "STOCK_SHORT": ("{who}は山札にある以上のカードを求めました", _JA),
    "DEALER_MUST_DEFEND": (
        "ディーラーの{who}はただ一人の相手に対してプールを守らなければなりません",
        "{expected}",
    ),
    # flushes
    "NO_SUCH_FLUSH": ("{who}にそのようなフラッシュはありません", _JA),
    "FLUSH_TOO_LATE": ("{who}がフラッシュを見せるのは遅すぎました", "{expected}"),
    # playing
    "MUST_FOLLOW": (
        "{who}はスートに従わなければなりません",
        "出したのは{actual}、出せたのは{expected}",
    ),
    "MUST_HEAD": (
        "{who}はトリックを上回らなければなりません",
        "出したのは{actual}、出せたのは{expected}",
    ),
    "MUST_LEAD_TRUMP": (
        "{who}は切り札をリードしなければなりません",
        "出したのは{actual}、出せたのは{expected}",
    ),
    "MUST_LEAD_ACE": (
        "{who}は切り札のエース（それが場に表向きのときはキング）をリードしなければなりません",
        "出したのは{actual}、正しくは{expected}",
    ),
    "PAM_BE_CIVIL": ("{who}は切り札のエースを通さなければなりません", "出したのは{actual}"),
    # chips
    "TRICK_WRONG": ("そのトリックを取ったのは別の人です", _JA),
    "AMOUNT_WRONG": ("{who}の払う、または受け取る額が違います", _JA),
    "LOOED_WRONG": ("ルーになったのは別の人です", _JA),
    "POOL_WRONG": ("プールの計算が合いません", _JA),
    # tables that cannot be
    "AMOUNT_INDIVISIBLE": (
        "その額ではプールをトリックで割り切れません",
        "{option}={actual}、正しくは{expected}",
    ),
    "TOO_FEW_PLAYERS": ("人数が足りません", _JA),
}
# What was expected or found, where it is put in words.
ENGLISH_VALUES: Final[Mapping[str, str]] = {
    "ante_paid": "an ante",
    "miss_dealt": "the miss dealt",
    "turn_up": "the card that makes trumps",
    "trick_taken": "a trick taken",
    "pool_paid": "a payment out of the pool",
    "looed": "a loo",
    "penalty_paid": "a penalty",
    "flush_shown": "a flush laid open",
    "flush_claimed": "a flush claimed",
    "bid": "a declaration",
    "exchanged": "an exchange",
    "card_played": "a card played",
    "session_divided": "a pool divided",
    "PLAYED": "the tricks played",
    "WALK_OVER": "the pool taken without play",
    "FLUSH": "the pool swept by a flush",
    "CARRIED": "the pool carried over",
    "MISDEAL": "a misdeal",
    "pam_flush": "a Pam-flush",
    "trump_flush": "a flush of trumps",
    "plain_flush": "a plain flush",
    "pam_blaze": "a blaze with Pam",
    "blaze": "a blaze",
    "walk_over": "a walk-over",
    "phase ante": "the antes were due",
    "phase turn_up": "the card that makes trumps was due",
    "phase declare": "the players were declaring",
    "phase claim": "flushes could be claimed",
    "phase show": "a flush was to be laid open",
    "phase trick": "the trick was complete",
    "phase settle": "the pool was being settled",
    "phase divided": "the pool had been divided",
    "next": "the next pool",
    "MUST_FOLLOW": "not following suit",
    "MUST_HEAD": "not heading the trick",
    "MUST_LEAD_TRUMP": "not leading a trump",
    "MUST_LEAD_ACE": "not leading the best trump",
    "PAM_BE_CIVIL": "Pam not being civil",
    "NOT_YOUR_TURN": "acting out of turn",
    "MISS_IS_HIDDEN": "looking at the miss",
}
# Values of one shape, as `wording.shaped` takes them.
ENGLISH_SHAPES: Final = (
    (r"deal (\d+) ([A-Z_]+)", "deal {0} with {1}"),
    (r"<= (\d+)", "at most {0}"),
    (r"(\d+) for (tricks|walk_over|flush)", "{0} for {1}"),
    (r"(\d+) to (pool|next) for (\w+)", "{0} to {1} for {2}"),
)
JAPANESE_SHAPES: Final = (
    (r"trick (\d+) to (seat \d+)", "第{0}トリックは{1}へ"),
    (r"deal (\d+)", "第{0}ディール"),
    (r"deal (\d+) ([A-Z_]+)", "第{0}ディール、{1}"),
    (r"<= (\d+)", "{0}以下"),
    (r"(\d+) for (tricks|walk_over|flush)", "{1}の{0}チップ"),
    (r"(\d+) to (the pool|seat \d+)", "{1}へ{0}チップ"),
    (r"(\d+) to (pool|next) for (\w+)", "{2}で{1}へ{0}チップ"),
    (r"(\d+) chips in it", "プールに{0}チップ"),
    (r"a multiple of (\d+)", "{0}の倍数"),
)
JAPANESE_VALUES: Final[Mapping[str, str]] = {
    "stand": "プレイ",
    "pass": "パス",
    "miss": "ミス",
    "defend": "プールを守る",
    "exchange": "交換",
    "stand or pass": "プレイかパス",
    "stand, miss or defend": "プレイ、ミス、またはプールを守る",
    "the dealer": "ディーラー",
    "no miss to take": "取れるミスはありません",
    "no pool to defend": "守るプールはありません",
    "nothing to show now": "いま見せるものはありません",
    "before the first lead": "最初のリードの前でなければなりません",
    "a player who may still claim": "まだ申し出られるプレイヤー",
    "the cards of a flush": "フラッシュのカード",
    "a flush": "フラッシュ",
    "a card not yet seen": "まだ見えていないカード",
    "a session that goes on": "続いているセッション",
    "a session broken off": "中止されたセッション",
    "no winner": "勝者なし",
    "the pool divided": "プールの分配",
    "chips to divide": "分けるチップ",
    "a hand under way": "進行中のハンド",
    "the cards of those who passed": "パスした人のカード",
    "a knave": "ジャック",
    "ante_paid": "アンティ",
    "miss_dealt": "ミスの配札",
    "turn_up": "切り札の表示",
    "trick_taken": "トリックの獲得",
    "pool_paid": "プールからの支払い",
    "looed": "ルー",
    "penalty_paid": "罰金",
    "flush_shown": "フラッシュの公開",
    "flush_claimed": "フラッシュの申し出",
    "PLAYED": "プレイ終了",
    "WALK_OVER": "プレイなしの獲得",
    "FLUSH": "フラッシュ",
    "CARRIED": "プールの持ち越し",
    "MISDEAL": "配り損ない",
    "bid": "宣言",
    "exchanged": "カードの交換",
    "card_played": "カードのプレイ",
    "session_divided": "プールの分配",
    "pam_flush": "パム・フラッシュ",
    "trump_flush": "切り札のフラッシュ",
    "plain_flush": "ただのフラッシュ",
    "pam_blaze": "パム・ブレイズ",
    "blaze": "ブレイズ",
    "tricks": "トリック",
    "walk_over": "プレイなしの獲得",
    "flush": "フラッシュ",
    "pool": "プール",
    "the pool": "プール",
    "next": "次のプール",
    "phase ante": "アンティを払うところでした",
    "phase turn_up": "切り札を表にするところでした",
    "phase declare": "宣言の途中でした",
    "phase claim": "フラッシュを申し出るところでした",
    "phase show": "フラッシュを公開するところでした",
    "phase trick": "トリックが揃ったところでした",
    "phase settle": "プールを精算するところでした",
    "phase divided": "プールはもう分けられていました",
    "MUST_FOLLOW": "スートに従わなかったこと",
    "MUST_HEAD": "トリックを上回らなかったこと",
    "MUST_LEAD_TRUMP": "切り札をリードしなかったこと",
    "MUST_LEAD_ACE": "最も強い切り札をリードしなかったこと",
    "PAM_BE_CIVIL": "パムが礼を欠いたこと",
    "NOT_YOUR_TURN": "手番でないのに行動したこと",
    "MISS_IS_HIDDEN": "ミスを見たこと",
}
