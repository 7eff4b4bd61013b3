"""Stores accounts, matches, messages and last games in one SQLite file.

Each batch of changes is one transaction, committed before the lines that tell users about it go
out. In WAL mode a commit is safe against the death of this process at any moment; `full_sync`
makes it safe against the death of the machine as well, at the price of a disk flush each time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from sixprime.bot.process.passwordhash import HashCost, hashed
from sixprime.bot.sandbox.state.accounts import UserAccount, WaitingMessage
from sixprime.bot.sandbox.state.match import LastGame, UnfinishedMatch
from sixprime.bot.sandbox.state.server import Saves, Stored
from sixprime.bot.sandbox.state.variables import DEFAULT_TOGGLES
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.faults import undone_by
from sixprime.engine.system.wholefiles import private_file

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE account (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE unfinished_match (
    one TEXT NOT NULL, two TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (one, two)
) WITHOUT ROWID;
CREATE TABLE message (number INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE last_game (player TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
"""

_TABLES: Mapping[str, tuple[str, tuple[str, ...], TypeAdapter[Any]]] = {
    "accounts": ("account", ("name",), TypeAdapter(UserAccount)),
    "matches": ("unfinished_match", ("one", "two"), TypeAdapter(UnfinishedMatch)),
    "messages": ("message", ("number",), TypeAdapter(WaitingMessage)),
    "last_games": ("last_game", ("player",), TypeAdapter(LastGame)),
}  # by the field of Saves and of Stored: its table, the key of that, and what a row is


class Store:
    """The server's memory on disk; one process at a time."""

    def __init__(self, path: Path | None, full_sync: bool = False) -> None:
        self._where = str(path) if path else ":memory:"
        with self._faults_named():
            if path and path.parent.is_dir():
                private_file(path)
            self._db = sqlite3.connect(self._where, isolation_level=None, timeout=2.0)
            with undone_by(self._db.close):
                self._prepare(full_sync)

    def memory(self) -> Stored:
        """Return everything stored, for a server that starts."""
        try:
            with self._faults_named():
                return Stored(**{field: self._read(*table) for field, table in _TABLES.items()})
        except ValidationError as error:
            raise Unavailable(f"{self._where}: a row that this version cannot read") from error

    def commit(self, saves: Saves) -> None:
        """Make these changes durable, all or none."""
        if not saves:
            return
        with self._faults_named(), self._transaction():
            for field, table in _TABLES.items():
                for key, value in getattr(saves, field).items():
                    self._put(*table, key if isinstance(key, tuple) else (key,), value)

    def close(self) -> None:
        self._db.close()

    def _prepare(self, full_sync: bool) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        version = self._version()
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(f"PRAGMA synchronous = {'FULL' if full_sync else 'NORMAL'}")
        if version == 0:
            self._make_tables()

    def _version(self) -> int:
        """Return the version of the tables, 0 for an empty file; Unavailable for any other file."""
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version not in (0, SCHEMA_VERSION):
            raise Unavailable(f"{self._where}: made by another version ({version})")
        if version == 0 and self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise Unavailable(f"{self._where}: not a sandbox's database")
        return int(version)

    def _make_tables(self) -> None:
        with self._transaction():
            for statement in SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _read(self, table: str, key: tuple[str, ...], kind: TypeAdapter[Any]) -> list[Any]:
        query = f"SELECT body FROM {table} ORDER BY {', '.join(key)}"
        return [kind.validate_json(body) for (body,) in self._db.execute(query)]

    def _put(
        self,
        table: str,
        columns: tuple[str, ...],
        kind: TypeAdapter[Any],
        key: tuple[Any, ...],
        value: object,
    ) -> None:
        if value is None:
            where = " AND ".join(f"{column} = ?" for column in columns)
            self._db.execute(f"DELETE FROM {table} WHERE {where}", key)
            return
        marks = ", ".join("?" * (len(key) + 1))
        self._db.execute(
            f"INSERT OR REPLACE INTO {table} VALUES ({marks})",
            (*key, kind.dump_json(value, by_alias=True).decode("utf-8")),
        )

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        """Turn errors of SQLite into Unavailable with the name of the file."""
        try:
            yield
        except sqlite3.Error as error:
            locked = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
            text = "it is in use by another server" if locked else str(error)
            raise Unavailable(f"{self._where}: {text}") from error
        except OSError as error:
            raise Unavailable(f"{self._where}: {error.strerror}") from error

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):  # a full disk has rolled it back already
            self._db.execute("ROLLBACK")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        with undone_by(self._roll_back):
            yield
        self._db.execute("COMMIT")


def make_accounts(database: Path, names: Iterable[str], password: str) -> None:
    """Make a database in which these users are registered and ready to play."""
    stored = hashed(
        password, b"salt", HashCost(n=2, r=1, p=1)
    )  # cheap to check, as these passwords protect nothing
    toggles = DEFAULT_TOGGLES | {"ready", "silent"}
    store = Store(database)
    accounts = {name: UserAccount(name, stored, toggles=toggles) for name in names}
    store.commit(Saves(accounts))
    store.close()
