"""The time and the day of this place; whatever is below the doors is given them."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """The time, with this place's offset from UTC."""
    return datetime.now(UTC).astimezone()


def today() -> date:
    """The local day."""
    return now().date()
