"""What the document says of an address is held to whatever any test is answered there: statuses, codes, types, headers."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, g
from werkzeug.exceptions import HTTPException

from api import openapi
from api.problems import MEDIA_TYPE

Json = dict[str, Any]
_CODE = "lanterlog.test.code"
_KNOWN: list[Json] = []


def watch(app: Flask) -> None:
    """Fail whatever test gets an answer that the document does not have."""
    app.after_request(_note)
    app.wsgi_app = _Watched(app, app.wsgi_app)  # type: ignore[method-assign]


def _note(answer: Any) -> Any:
    from flask import request

    request.environ[_CODE] = g.get("problem")
    return answer


class _Watched:
    def __init__(self, app: Flask, inner: Callable[..., Iterable[bytes]]) -> None:
        self.app, self.inner = app, inner

    def __call__(self, environ: Json, start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            self.check(environ, status[:3], dict(headers))
            return start_response(status, headers, *more)

        return self.inner(environ, start)

    def check(self, environ: Json, status: str, headers: dict[str, str]) -> None:
        operation = self.operation(environ)
        if operation is None:
            return
        where = (environ["REQUEST_METHOD"], environ["PATH_INFO"], status, environ.get(_CODE))
        assert status in operation["responses"], f"not in the document: {where}"
        answer = resolved(_document(self.app), operation["responses"][status])
        code = (environ.get(_CODE) or "").partition("/")[0]
        if code and status >= "400":
            assert code in answer["content"][MEDIA_TYPE]["examples"], (
                f"not in the document: {where}"
            )
        kind = headers.get("Content-Type", "").partition(";")[0]
        if kind and "content" in answer:
            assert kind in answer["content"], f"not in the document: {where} as {kind}"
        for name in answer.get("headers", {}):
            is_always = _document(self.app)["components"]["headers"][name].get("required")
            assert not is_always or name in headers, f"promised in the document: {name} of {where}"

    def operation(self, environ: Json) -> Json | None:
        """The operation that a request was for, None for what is at no address or only asks what there is."""
        method = environ["REQUEST_METHOD"].replace("HEAD", "GET")
        try:
            rule, _ = self.app.url_map.bind_to_environ(environ).match(
                return_rule=True, method=method
            )
        except HTTPException:
            return None
        paths = _document(self.app)["paths"]
        found: Json | None = paths.get(openapi.path_of(rule), {}).get(method.lower())
        return found


def _document(app: Flask) -> Json:
    """The document of any of the applications: all have the same addresses."""
    if not _KNOWN:
        _KNOWN.append(openapi.document(app))
    return _KNOWN[0]


def resolved(document: Json, answer: Json) -> Json:
    """An answer of an operation, wherever the document keeps it."""
    name = answer.get("$ref", "").removeprefix("#/components/responses/")
    found: Json = document["components"]["responses"][name] if name else answer
    return found
