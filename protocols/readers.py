"""Recognises the format of a match file, and reads it.

To add one, write a module `protocols/formats/ROOM/NAME.py` (and the room into `Imports:` of this
room's `__init__.py`) that ends in

    READER = MatchReader(name, what, suffixes, looks_like, read_match_file)

or, for a text, in a `text_reader` (both in `protocols.formats.reading`), and name it in READERS
below, and for people in the help of `archive import`. That is all: `archive import`,
`convert`, `analyse` and the search of folders take their formats from here.

- `looks_like(data)` gets the bytes of the file, perhaps only the first `reading.HEAD`; it is quick,
  and true only for bytes that no other format has. `head_of(data)` is the text of them.
- `read(data)` gets the whole file and gives a `Reading`: the matches, and a `Remark` with its line
  on everything that is illegal, missing or not understood, and what was made of it. It keeps every
  game it can, and raises BadMatchFile, and no other exception, if it can keep none.
  A play that breaks the rules stands in the record with `Turn.illegal`.
- `--strict` is not a reader's business: the first remark is then the reason to refuse the file.
- Every board goes through `protocols.formats.draft` or `replay`: no reader keeps one of its own.

The order matters where two look alike: the first one is taken, unless the suffix speaks for
another that the file looks like too. Of two with one suffix, the first is taken in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from sixprime.protocols.formats import mat, oldmoves, positionfile
from sixprime.protocols.formats.foreign import (
    bgammon,
    bgblitz,
    bgroom,
    bkg,
    gam,
    gamesgrid,
    gnubgtext,
    javafibs,
    jellyfish,
    partygammon,
    truemoneygames,
)
from sixprime.protocols.formats.reading import (
    MatchReader,
    Reading,
    TooLarge,
    count,
    counted_file,
)
from sixprime.protocols.formats.record import BadMatchFile, Match
from sixprime.protocols.formats.sgf import match as sgf
from sixprime.protocols.formats.xg import match as xg
from sixprime.protocols.formats.xg import ogxm, textexport

READERS: Sequence[MatchReader] = (
    xg.READER,
    ogxm.READER,
    bgblitz.READER,
    gnubgtext.READER,  # its comments may look like other formats
    sgf.READER,
    oldmoves.READER,
    mat.READER,
    gamesgrid.READER,
    truemoneygames.READER,
    partygammon.READER,
    bgroom.READER,
    bkg.READER,
    gam.READER,
    javafibs.READER,
    bgammon.READER,
    textexport.READER,
    positionfile.READER,
    jellyfish.READER,
)
TEXTS = (".txt",)  # in folders they need a known content
PACKED = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz")  # see protocols.packed
_UNREAD = {  # reported when found in a folder
    ".7z": (b"7z\xbc\xaf", "a 7z archive"),
    ".rar": (b"Rar!", "a RAR archive"),
    ".zst": (b"\x28\xb5\x2f\xfd", "a file packed with zstd"),
}
SUFFIXES = frozenset(suffix for reader in READERS for suffix in reader.suffixes)


def promises(suffix: str) -> bool:
    """Return whether a file of a folder may hold matches, by its suffix; a text may hold others."""
    return suffix.lower() in {*SUFFIXES, *TEXTS, *PACKED, *_UNREAD}


def looks_known(head: bytes) -> bool:
    """Do the first bytes look like one of the formats?"""
    return any(reader.looks_like(head) for reader in READERS)


def reader_of(name: str, data: bytes) -> MatchReader | None:
    """Return the format of a file by its content; in doubt, by its suffix."""
    suffix = PurePath(name).suffix.lower()
    promised = [reader for reader in READERS if suffix in reader.suffixes]
    others = [reader for reader in READERS if reader not in promised]
    alike = next((reader for reader in promised + others if reader.looks_like(data)), None)
    return alike or next(iter(promised), None)


def read_match_file(name: str, data: bytes, reader: MatchReader | None = None) -> Reading:
    """Read a file; BadMatchFile says what is wrong, and as which format it was read.

    TooLarge is one of them: see `protocols.formats.reading`.
    """
    with counted_file():
        count("bytes", len(data))
        return _read(name, data, reader)


def _read(name: str, data: bytes, reader: MatchReader | None) -> Reading:
    reader = reader or reader_of(name, data)
    if reader is None:
        for sign, what in _UNREAD.values():
            if data.startswith(sign):
                raise BadMatchFile(0, f"{what}: unpack it, and import what is in it")
        raise BadMatchFile(0, "neither its name nor its content is that of a match file")
    try:
        found = replace(reader.read(data), what=reader.what)
        if found.remarks and not any(map(_holds, found.matches)):
            raise BadMatchFile(found.remarks[0].line, found.remarks[0].text)
        return found
    except TooLarge:
        raise
    except BadMatchFile as error:
        raise BadMatchFile(error.line, f"{error.reason} (read as {reader.what})") from error
    except RecursionError as error:
        raise BadMatchFile(0, f"nested too deeply (read as {reader.what})") from error


def _holds(match: Match) -> bool:
    return any(game.actions or game.result for game in match.games)
