"""What gnubg 1.07 or 1.08 sees in files of other programs, as the .mat it exports."""

from __future__ import annotations

import re
from pathlib import Path

from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import BadMatchFile, Match
from tests.support.gnubg.program import typed

BEGIN = (
    "set player 0 human\nset player 1 human\nset confirm new off\nset confirm save off\n"
    "set display off\n"
)
IMPORTS = {"sgg": "sgg", "tmg": "tmg", "gam": "empire", "party": "mat", "bgroom": "mat"}


def gnubg(commands: str, folder: Path) -> None:
    typed(BEGIN + commands, folder)


def seen(files: dict[str, tuple[str, str, bool]], folder: Path) -> dict[str, list[str]]:
    """The body of gnubg's .mat by the file's name; `files`: format, text, is Jacoby in force?

    Empty if gnubg could not read the file.
    """
    commands = ""
    for name, (kind, text, jacoby) in files.items():
        (folder / name).write_bytes(text.encode())
        if IMPORTS[kind] == "mat":
            _convert(name, kind, folder)
        commands += f"set jacoby {'on' if jacoby else 'off'}\nimport {IMPORTS[kind]} {name}\n"
        commands += f"export match mat {name}.out\n"
    gnubg(commands, folder)
    outs = {name: folder / f"{name}.out" for name in files}
    return {name: in_order(out.read_text()) if out.exists() else [] for name, out in outs.items()}


def _convert(name: str, kind: str, folder: Path) -> None:
    """Put gnubg's own conversion in the file's place: it makes one, and may fail to read it."""
    made, link = folder / f"{name}.converted", folder / f"{name}.mat"
    link.symlink_to(made)  # which is left when gnubg removes the link
    gnubg(f"import {kind} {name}\n", folder)
    link.unlink(missing_ok=True)
    if made.exists():
        made.replace(folder / name)


def in_order(text: str) -> list[str]:
    """A .mat without its head, every play with the rear checkers first and a step a die."""
    text = re.sub(r"(?m)^\d\d: (?= Game|\Z)", "", text)  # gnubg repeats a roll that nobody played
    try:
        return body(mat.read_mat(text).matches[0]) if "Game 1" in text else []
    except BadMatchFile as error:  # gnubg misread the file, and what it exports makes no sense
        return [str(error), *text.split("\n")]


def body(match: Match) -> list[str]:
    lines = mat.write_mat(match).rstrip().split("\n")
    start = next(i for i, line in enumerate(lines) if "point match" in line)
    return [line.rstrip() for line in lines[start:]]
