"""The client's part about the service itself, and about who asks it."""

from typing import Any

from api.client_asking import ONCE, Asking
from api.client_errors import Problem, decoded
from api.wire_service import ProblemCode, ProblemCodes, Ready, SessionAnswer, Status


class About(Asking):
    """The service."""

    def whoami(self) -> SessionAnswer:
        """Return whose the token is and what it is good for; nobody's fields are empty."""
        return self._get("/session", SessionAnswer)

    def health(self) -> Status:
        """Return that the process answers."""
        return self._get("/healthz", Status)

    def readiness(self) -> Ready:
        """Return what was tried of database, migrations, triggers and grants, also while something is missing."""
        try:
            return decoded(self._raw("/readyz", retries=ONCE), Ready)
        except Problem as problem:
            checks = problem.members.get("checks")
            if problem.code != "not_ready" or not isinstance(checks, dict):
                raise
            return Ready("not_ready", checks)

    def metrics(self) -> str:
        """Return the figures of the process, as Prometheus reads them."""
        return self._raw("/metrics", accept="text/plain").decode(errors="replace")

    def problems(self) -> list[ProblemCode]:
        """Return every code that an error can have."""
        return self._get("/v1/problems", ProblemCodes).problems

    def openapi(self) -> dict[str, Any]:
        """Return the description of the interface, OpenAPI 3.1."""
        return self._get("/openapi.json", dict[str, Any])
