"""The page's words about who is signed in, and as what, in both languages. Words only."""

from typing import Final

ENGLISH: Final = {
    "sign.one_game": "The token is for one game.",
    "sign.all_games": "The token is for all games.",
    "sign.until": "It is good until",
    "sign.no_end": "It has no end but being revoked.",
    "sign.back": "Go on where you were",
    "sign.none": "There is nothing to sign in to: no token was ever made here, so whoever is at this machine may do everything.",
    "sign.first": "With the first token that ends. It is made with",
    "scope.games:read": "read private games, and its seat's cards",
    "scope.games:write": "record acts and open games, open disputes and speak in them",
    "scope.audit": "audit",
    "scope.export": "take logs out",
    "scope.metrics": "see the figures of the service",
    "scope.admin": "everything, every card, and rule on disputes as an arbiter",
}
JAPANESE: Final = {
    "sign.one_game": "一つの対局だけのトークンです。",
    "sign.all_games": "すべての対局のトークンです。",
    "sign.until": "有効期限:",
    "sign.no_end": "失効させるまで有効です。",
    "sign.back": "元の場所へ戻る",
    "sign.none": "サインインは不要です。ここではトークンがまだ作られていないため、このマシンを使う人は何でもできます。",
    "sign.first": "最初のトークンを作ると、そうではなくなります。作り方:",
    "scope.games:read": "非公開の対局と、その席の手札を見る",
    "scope.games:write": "記録する、対局を始める、異議を申し立てて意見を述べる",
    "scope.audit": "監査する",
    "scope.export": "記録を取り出す",
    "scope.metrics": "サービスの数値を見る",
    "scope.admin": "すべての操作と札の閲覧、裁定者としての裁定",
}
