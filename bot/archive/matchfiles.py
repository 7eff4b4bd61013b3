"""Match files on disk: formats, safe file names, atomic writes.

A file is written under a temporary name, made durable and then renamed, so a file under its own
name is whole. The name of an unfinished match has a mark, which goes when the match is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sixprime.engine.system.wholefiles import private_folder, read_whole, safe_part, write_whole
from sixprime.protocols import readers
from sixprime.protocols.formats import mat, oldmoves
from sixprime.protocols.formats.reading import Reading
from sixprime.protocols.formats.record import (
    BadMatchFile,
    BadRecord,
    CannotCarry,
    Cube,
    Match,
    Turn,
)
from sixprime.protocols.formats.sgf import match as sgf

UNFINISHED_MARK = ".unfinished"
PRIVATE = 0o600  # for our user alone


@dataclass(frozen=True, slots=True)
class Format:
    """A file format; the first suffix is the one we write."""

    reading: Callable[[str], Reading]
    text_of: Callable[[Match], str]
    suffixes: tuple[str, ...]

    def write(self, match: Match) -> str:
        """Return the match as text that we read back as one match; CannotCarry."""
        try:
            text = self.text_of(match)
            back = self.reading(text)
        except BadMatchFile as error:
            raise CannotCarry(f"it could not be read back: {error}") from error
        except BadRecord as error:
            raise CannotCarry(str(error)) from error
        for remark in back.remarks:
            if remark.made:
                raise CannotCarry(f"it would be read back otherwise: {remark}")
        if [len(each.games) for each in back.matches] != [len(match.games)]:
            raise CannotCarry("it would be read back as several matches")
        return text


FORMATS: Mapping[str, Format] = {
    "oldmoves": Format(oldmoves.read_oldmoves, oldmoves.write_oldmoves, (".fibs", ".oldmoves")),
    "sgf": Format(sgf.read_sgf, sgf.write_sgf, (".sgf",)),
    "mat": Format(mat.read_mat, mat.write_mat, (".mat",)),
}


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """The files written, and the reason for each format that could not carry the match."""

    files: tuple[Path, ...]
    left_out: Mapping[str, str]
    lost: Mapping[str, str]  # by format; see `lost_in`


def format_of_suffix(path: Path) -> str | None:
    suffix = path.suffix.lower()
    return next((name for name, each in FORMATS.items() if suffix in each.suffixes), None)


def read_matches(path: Path) -> list[Match]:
    """Return the matches of a file without errors; BadMatchFile, OSError."""
    return read_file(path).strictly()


def read_file(path: Path) -> Reading:
    """Read a file whose format its content or suffix shows; BadMatchFile, OSError."""
    return readers.read_match_file(path.name, read_whole(path))


def write_match(
    match: Match, folder: Path, stem: str, formats: Iterable[str], analysed: Match | None = None
) -> WrittenFiles:
    """Write the match in each format, in SGF with its analysis; delete its unfinished files."""
    whole = analysed or match
    private_folder(folder)
    files: list[Path] = []
    left_out: dict[str, str] = {}
    lost = {name: words for name in formats if (words := lost_in(whole, name))}
    for name in formats:
        suffix = FORMATS[name].suffixes[0]
        marked = folder / f"{stem}{UNFINISHED_MARK}{suffix}"
        try:
            text = FORMATS[name].write(whole if name == "sgf" else match)
        except CannotCarry as error:
            left_out[name] = str(error)
        else:
            files.append(folder / f"{stem}{suffix}" if match.finished else marked)
            write_whole(files[-1], text, PRIVATE)
        if match.finished:
            marked.unlink(missing_ok=True)
    return WrittenFiles(tuple(files), left_out, lost)


def lost_in(match: Match, name: str) -> str:
    """Return the opinions that a format of files has no place for, in words."""
    if name not in ("mat", "oldmoves", "ogxm"):
        return ""
    actions = [action for game in match.games for action in game.actions]
    moves = [action for action in actions if isinstance(action, Turn | Cube)]
    comments = [game.comment for game in match.games] + [action.comment for action in actions]
    lost = {
        "the analysis": any(action.analysis for action in moves),
        "comments": any(comments) or (bool(match.comment) and name != "mat"),
        "marks": any(action.marks for action in moves),
    }
    return " and ".join(words for words, there in lost.items() if there)


def stem_of(pattern: str, **parts: object) -> str:
    """Return a file name such as `{date}_{player}_{opponent}`, every part made safe."""
    return pattern.format(**{name: safe_part(str(part)) for name, part in parts.items()})
