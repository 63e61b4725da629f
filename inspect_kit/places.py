"""Where the shipped sheets, wordings and examples lie, installed or in a checkout, and where the user's own things."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(name: str) -> Path:
    """The folder `specs` or `reports`: inside an installed package, or beside it in a checkout."""
    inside = _PACKAGE / "_shipped" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def home_at(named: str | Path | None) -> Path:
    """Where the user's own instruments, keys and embedded registry live: the place that was named, else the usual."""
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("inspect-kit", appauthor=False)
