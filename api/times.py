"""Times as the service writes them: RFC 3339 in UTC, with all digits of a microsecond."""

from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def microseconds(moment: datetime) -> int:
    """Return a time of the database in microseconds since 1970."""
    return (moment - EPOCH) // timedelta(microseconds=1)


def rfc3339(microseconds: int) -> str:
    """Return a time given in microseconds since 1970 as RFC 3339 in UTC with all its digits."""
    moment = EPOCH + timedelta(microseconds=microseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
