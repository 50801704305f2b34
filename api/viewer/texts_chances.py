"""The page's words about cards and scores beside chance, in both languages. Words only, and none that blame.

What the numbers cannot say stands in `api.chances_words`.
"""

from typing import Final

ENGLISH: Final = {
    "chances": "Cards and scores beside chance",
    "chances.short": "Beside chance",
    "chances.of": "Cards and scores",
    "chances.of_player": "Cards and scores when {who} deals",
    "chances.whose": "Deals of",
    "chances.everybody": "all dealers",
    "chances.since": "From",
    "chances.until": "Before",
    "chances.ruleset": "Rules",
    "chances.bias": "Bias in cards a hand",
    "chances.edge": "Edge in scores",
    "chances.about.dealer": "Only deals that {who} dealt.",
    "chances.about.players": "Only games at which these sit: {who}.",
    "chances.about.game": "Only this game.",
    "chances.all_of_table": "All games of this table",
    "chances.all": "All games",
    "chances.whom": "Whose deals these are to be can be chosen in the standings, beside each player.",
    "chances.counted": (
        "Games: {games}. Deals with hands counted: {deals}, with scores counted: {scored}. Left out: {unknown} with "
        "hands that are not all known, {in_play} not open to everybody yet."
    ),
    "chances.result": "{unusual} of {tests} numbers are unusual after correction.",
    "chances.none": "There is nothing to reckon with here yet. A table of four would need so many hands:",
    "chances.what": "What",
    "chances.position": "Whose",
    "chances.hands": "hands",
    "chances.seen": "seen",
    "chances.expected": "expected",
    "chances.p": "p-value",
    "chances.corrected": "corrected",
    "chances.needed": "needed",
    "chances.unusual": "unusual",
    "chances.dealer": "dealer",
    "chances.left": "seat {n} after the dealer",
    "kind.aces": "aces",
    "kind.tens": "tens and court cards",
    "kind.jokers": "jokers",
    "kind.trumps": "trumps",
    "kind.pam": "Pam",
    "kind.places": "seats it was ahead of",
    "kind.apart": "the same, players and positions allowed for",
    "chances.counts": "hands with 0, 1, 2 ... (expected): {counts}",
    "chances.score": "{score} points a deal, the average seat {mean}",
    "chances.meaning": "What the numbers are",
    "chances.shuffle": (
        "Cards are compared with a well-shuffled pack, exactly while the sum spreads little, by the normal "
        "approximation beyond. The card turned up in Loo is in no hand. That is fair only where it does not depend "
        "on the cards whether a hand was written down."
    ),
    "chances.permutation": (
        "Seats it was ahead of: in every deal a position is ahead of each seat with fewer points, and half ahead of "
        "equals. Compared, exactly, with every way of handing the deal's own scores to its positions: as if "
        "neither the position nor who sits there mattered. In these games both do, so what is unusual here tells "
        "of the game and of its players first."
    ),
    "chances.comparison": (
        "Players and positions allowed for: the same, beside what these players brought when others dealt in the "
        "same games, and what the positions brought (least squares, as if both added up; up to 2 in 100 more or "
        "less is passed over)."
    ),
    "chances.correction": (
        "Corrected: for all {tests} numbers of this page together (Holm), so that chance alone calls any of them "
        "unusual on at most {level} pages in 100. Who looks at many pages, or at one again and again, meets such a one."
    ),
    "chances.takes": (
        "Needed: so many hands, or deals for scores, it takes to see {bias} special cards too many a hand, or a "
        "position ahead of another seat {edge} times in 100, in {power} of 100 cases."
    ),
}
JAPANESE: Final = {
    "chances": "偶然と比べたカードと得点",
    "chances.short": "偶然との比較",
    "chances.of": "カードと得点",
    "chances.of_player": "{who}が配ったときのカードと得点",
    "chances.whose": "ディーラー",
    "chances.everybody": "全員",
    "chances.since": "開始日",
    "chances.until": "終了日 (この日の前まで)",
    "chances.ruleset": "ルール",
    "chances.bias": "1手札あたりの偏り (枚)",
    "chances.edge": "得点の偏り",
    "chances.about.dealer": "{who}が配ったディールだけです。",
    "chances.about.players": "次の全員が席にいるゲームだけです: {who}。",
    "chances.about.game": "このゲームだけです。",
    "chances.all_of_table": "この顔ぶれの全ゲーム",
    "chances.all": "全ゲーム",
    "chances.whom": "だれが配ったディールを見るかは、成績の各プレイヤーの行で選べます。",
    "chances.counted": (
        "{games}ゲームのうち、手札を数えたディールは{deals}、得点を数えたディールは{scored}です。"
        "手札がすべては分からない{unknown}ディールと、まだ公開されていない{in_play}ディールは除きました。"
    ),
    "chances.result": "補正後に珍しいとされた数字は、{tests}個のうち{unusual}個です。",
    "chances.none": "まだ計算できるものがありません。4人の卓では、次の数の手札が必要です:",
    "chances.what": "数えたもの",
    "chances.position": "位置",
    "chances.hands": "手札の数",
    "chances.seen": "実際",
    "chances.expected": "見込み",
    "chances.p": "p値",
    "chances.corrected": "補正後",
    "chances.needed": "必要数",
    "chances.unusual": "珍しい",
    "chances.dealer": "ディーラー",
    "chances.left": "ディーラーから左へ{n}人目",
    "kind.aces": "エース",
    "kind.tens": "10と絵札",
    "kind.jokers": "ジョーカー",
    "kind.trumps": "切り札",
    "kind.pam": "パム",
    "kind.places": "得点で上回った席",
    "kind.apart": "同上、プレイヤーと位置の影響を除いたもの",
    "chances.counts": "0枚、1枚、2枚…の手札 (見込み): {counts}",
    "chances.score": "1ディール平均{score}点、席全体の平均{mean}点",
    "chances.meaning": "数字の意味",
    "chances.shuffle": (
        "カードは、よく混ぜた一組から配った場合と比べます。和の散らばりが小さいうちは正確に、"
        "それを超えると正規近似で計算します。ルーで表にしたカードは、どの手札にもありません。"
        "手札が記録されるかどうかがカードに左右される場合、この比較は成り立ちません。"
    ),
    "chances.permutation": (
        "得点で上回った席: 各ディールで、得点の低い席1つにつき1、同点なら半分と数えます。"
        "そのディールの得点を各位置に割り当てるすべての場合と、正確に比べます。"
        "位置にもプレイヤーにも差がないとした比較です。実際にはどちらにも差があるので、"
        "ここで珍しい数字は、まずゲームとプレイヤーについて語るものです。"
    ),
    "chances.comparison": (
        "プレイヤーと位置の影響を除いたもの: 同じゲームで、ほかの人が配ったときのこのプレイヤーたちの成績と、"
        "各位置の有利さを考えに入れて比べます (最小二乗法。両者が足し算になるものとし、100回に2回までの差は数えません)。"
    ),
    "chances.correction": (
        "補正後: このページの数字{tests}個すべてをまとめて補正します (ホルムの方法)。"
        "偶然だけで、どれかが珍しいとされるのは、100ページのうち多くても{level}ページです。"
        "多くのページを見れば、また同じページを何度も見れば、そうしたページにも出会います。"
    ),
    "chances.takes": (
        "必要数: 1手札あたり{bias}枚多いこと、または他の席を100回に{edge}回上回ることが、"
        "100回のうち{power}回は分かるために必要な手札の数 (得点ではディールの数) です。"
    ),
}
