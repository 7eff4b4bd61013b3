"""Golden transcripts: small plays, each a file of tests/transcripts.

`# reason` is the first line and `# player NAME` the second; `S` is what the server says, `C` what
we answer, other `#` lines are remarks; `# ends STATE QUESTION` is how we stand in the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.support.places import ROOT

FOLDER = ROOT / "tests" / "transcripts"
MOTD_ENDS = b"\n4\r\n"
LOGIN = b"login: 1 sixbot 1 host\r\n3\r\n4\r\n"
WITHOUT_LINE_END = ("login:", "password:")


@dataclass(frozen=True)
class Transcript:
    """One file; events are ("S" | "C", line)."""

    name: str
    reason: str
    player: str
    events: tuple[tuple[str, str], ...]
    ends: tuple[str, str]  # names of the state and of the question, "" for none

    def __str__(self) -> str:
        return self.name

    @property
    def server_lines(self) -> list[str]:
        """What the server says, without empty lines."""
        return [line for who, line in self.events if who == "S" and line]

    @property
    def connections(self) -> list[bytes]:
        """The same as bytes, each from the login prompt on."""
        wires = [b"" if "login:" in self.server_lines[:3] else LOGIN]
        for line in self.server_lines:
            if line == "login:" and MOTD_ENDS in wires[-1]:
                wires.append(b"")
            wires[-1] += on_the_wire(line)
        return wires


def on_the_wire(line: str) -> bytes:
    """A line of the server as bytes."""
    if line in WITHOUT_LINE_END:
        return f"{line} ".encode()
    return line.encode("latin-1") + b"\r\n"


def read(path: Path) -> Transcript:
    reason, player, *rest, ends = path.read_text().splitlines()
    assert reason.startswith("# "), path
    assert player.startswith("# player "), path
    assert ends.startswith("# ends "), path
    events = [(line[0], line[2:]) for line in rest if line[:1] in ("S", "C")]
    state, _, question = ends.removeprefix("# ends ").partition(" ")
    return Transcript(
        path.stem, reason[2:], player.removeprefix("# player "), tuple(events), (state, question)
    )


TRANSCRIPTS = [read(path) for path in sorted(FOLDER.glob("*.txt"))]
