"""Where an archive is and how its match files are written, without the cost of the whole schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SQLITE = "sqlite:///"


def address_of(file: str) -> str:
    """The URL of an SQLite database, whatever its file or folder is called."""
    if not {"%", "?"} & set(file):
        return SQLITE + file
    from sqlalchemy.engine import URL

    return URL.create("sqlite", database=file).render_as_string()


@dataclass(frozen=True)
class ArchivePlace:
    """What reading an archive needs of the section `archive` of the settings, and its defaults."""

    database: str | None = "sqlite:///archive/sixprime.db"
    database_password_env: str | None = None
    database_password_file: Path | None = None
    folder: Path | None = Path("archive/matches")
    formats: tuple[Literal["oldmoves", "sgf", "mat"], ...] = ("oldmoves", "sgf", "mat")
    file_name: str = "{date}_{time}_{player}_{opponent}_{length}"
