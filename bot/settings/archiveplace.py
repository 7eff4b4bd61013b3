"""The place of an archive and of its match files, without the cost of the whole schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SQLITE = "sqlite:///"


def address_of(file: str) -> str:
    """Return the URL of an SQLite database, with any characters in the file's name."""
    if not {"%", "?"} & set(file):
        return SQLITE + file
    from sqlalchemy.engine import URL

    return URL.create("sqlite", database=file).render_as_string()


@dataclass(frozen=True)
class ArchivePlace:
    """The part of the section `archive` that readers of an archive need, with defaults."""

    database: str | None = "sqlite:///archive/sixprime.db"
    database_password_env: str | None = None
    database_password_file: Path | None = None
    folder: Path | None = Path("archive/matches")
    formats: tuple[Literal["oldmoves", "sgf", "mat"], ...] = ("oldmoves", "sgf", "mat")
    file_name: str = "{date}_{time}_{player}_{opponent}_{length}"
