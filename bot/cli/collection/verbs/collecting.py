"""The analyses of the archived matches that options choose."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from sixprime.bot.analysis.collected import Collected, collected
from sixprime.bot.analysis.store import keys
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.selection import chosen
from sixprime.bot.cli.collection.verbs.choosing import selection_of
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar


def settings_key(archive: Archive, wanted: str | None) -> str:
    """Return the settings of the analyses to read, by default the most used; UsageError."""
    known = [key for key, _ in keys(archive)]
    if not known:
        raise UsageError("nothing is analysed yet: sixprime archive analyse")
    if wanted not in (None, *known):
        raise UsageError(f"no analyses at {wanted}; there are: {', '.join(known)}")
    return str(wanted or known[0])


def analyses_of(
    archive: Archive, options: Namespace, key: str, *, of_account: bool
) -> Iterator[Collected]:
    """Yield the analyses of the chosen matches, made with the settings `key`."""
    rows = chosen(archive, selection_of(options, archive))
    with bar("reading analyses") as progress:
        yield from collected(archive, rows, key, of_account=of_account, progress=progress)
