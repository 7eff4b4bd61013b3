"""gnubg as a peer: asked through its socket, its terminal, or its own Python interpreter.

The socket (`external`, one line per question) plays and evaluates with gnubg's nets, bearoff
databases and move filters. A rollout appears only on its terminal. Scripts inside its Python get
cubeful equities at any match score, and time decisions without start-up or communication.
"""

from __future__ import annotations

import ctypes
import json
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring.contestants import Boards, Contestant, Rolls
from sixprime.engine.position import Chances, MatchState, chances_of
from sixprime.engine.system.endpoint import LOOPBACK, free_port
from sixprime.engine.system.faults import undone_by

GNUBG = "gnubg"
GAMES = "/usr/games"  # Debian's folder for it, seldom on the PATH of a service
VECTORS = ("SSE/SSE2", "AVX", "SSE", "NEON")  # as gnubg names them
FINISHED = "Rollout done"  # the line before final results
NOT_FINISHED = "gnubg did not finish its rollout"
LEAST_GAMES = 144  # of a cube decision, before its error ends the rollout
START_S = 30.0
ANSWER_S = 120.0
SCRIPT_S = 3600.0
PR_SET_PDEATHSIG = 1


def program(given: str = "") -> str:
    """Return the path of the gnubg that was given, or of the installed one; LabError without it."""
    name = given or GNUBG
    path = shutil.which(name) or shutil.which(name, path=GAMES)
    if path is None and name == GNUBG:
        raise LabError("gnubg is not installed (Debian package gnubg)")
    if path is None:
        raise LabError(f"{given}: no program to start")
    return path


def build_of(command: str = "") -> dict[str, Any]:
    """Return the version of a gnubg, and what it tells of how it was built.

    It names the vectors it was built for, but no flags of the compiler; `AVX` covers FMA.
    """
    said = subprocess.run(
        [program(command), "-t", "-q", "-r"], input="show buildinfo\n", capture_output=True,
        text=True, check=False, timeout=START_S,
    ).stdout  # fmt: skip
    version, *lines = (line.strip() for line in said.splitlines() or [""])
    if not version.startswith("GNU Backgammon"):
        raise LabError(f"{command or GNUBG}: not a gnubg")
    features = [line.removesuffix(" supported.") for line in lines if line.endswith(" supported.")]
    return {
        "version": version,
        "simd": next((name for name in features if name in VECTORS), "none"),
        "features": features,
    }


# --- its socket


class GnubgPeer(Contestant):
    """gnubg at a search depth: for money without the Jacoby rule or in matches, cubeful or not."""

    def __init__(
        self,
        plies: int = 0,
        one_point: bool = False,
        cubeful: bool = False,
        command: str = "",
    ) -> None:
        self.name = "gnubg" if plies == 0 else f"gnubg:{plies}"
        self.plies = plies
        self.one_point = one_point
        self.cubeful = cubeful
        self._match = MatchState(length=1) if one_point else MatchState()
        self._folder = tempfile.TemporaryDirectory(prefix="sixprime-gnubg-")
        self._process: subprocess.Popen[str] | None = None
        self._socket: socket.socket | None = None
        self._answers: IO[str] | None = None
        with undone_by(self.release):
            self._start(program(command))

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = boards.copy()
        for i in range(len(boards)):
            self._play(out[i], dice[i], self._match)
        return out

    def after(self, board: Boards, match: MatchState, dice: tuple[int, int]) -> Boards:
        out = board.copy()
        self._play(out, dice, match)
        return out

    def doubles(self, board: Boards, match: MatchState) -> bool:
        return self.ask(question(board, (0, 0), match)) == "double"

    def takes(self, board: Boards, match: MatchState) -> bool:
        asked = question(board, (0, 0), match.with_(doubled=True))
        return self.ask(asked) in ("take", "beaver")

    def _play(self, board: Boards, dice: Rolls | tuple[int, int], match: MatchState) -> None:
        play = self.ask(question(board, dice, match))
        try:
            move(board, play)
        except (ValueError, IndexError) as error:
            raise LabError(f"gnubg answered {play!r}, which is no play here") from error

    def evaluate(self, boards: Boards) -> NDArray[np.float32]:
        rows = []
        for board in boards:
            asked = f"evaluation fibsboard {question(board, (0, 0), self._match)}"
            answer = self.ask(f"{asked} plies {self.plies} cubeless")
            try:
                row = [float(word) for word in answer.split()]
            except ValueError as error:
                raise LabError(f"gnubg answered {answer!r} to an evaluation") from error
            rows.append(row[:5])
        return np.array(rows, np.float32).reshape(-1, 5)

    def ask(self, line: str) -> str:
        """Send one line to gnubg's socket and return its answer, one line too."""
        if self._socket is None or self._answers is None:
            raise LabError("gnubg is closed")
        try:
            self._socket.sendall(line.encode("ascii") + b"\n")
            answer = self._answers.readline()
        except OSError as error:
            raise LabError(f"gnubg does not answer ({error}); {self._last_words()}") from error
        if not answer.endswith("\n"):
            raise LabError(f"gnubg ended in the middle of its work; {self._last_words()}")
        if answer.startswith("Error"):
            raise LabError(f"gnubg: {answer.strip()} (asked {line})")
        return answer.strip()

    def release(self) -> None:
        for held in (self._answers, self._socket):
            if held is not None:
                held.close()
        self._answers = self._socket = None
        if self._process is not None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            self._process = None
        self._folder.cleanup()

    def _start(self, command: str) -> None:
        port = free_port()  # gnubg 1.08 opens no Unix sockets
        cubeful = "on" if self.cubeful else "off"
        settings = [
            *(
                f"set evaluation {kind} evaluation {setting}"
                for kind in ("chequerplay", "cubedecision")
                for setting in (f"plies {self.plies}", f"cubeful {cubeful}", "noise 0")
            ),
            "set jacoby off",
            "set threads 1",
            f"external {LOOPBACK}:{port}",
        ]
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [command, "-t", "-q", "-r"],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                preexec_fn=_die_with_parent,
            )
        assert self._process.stdin is not None
        self._process.stdin.write("\n".join(settings) + "\n")
        self._process.stdin.flush()
        self._socket = self._dial(port)
        self._socket.settimeout(ANSWER_S)
        self._answers = self._socket.makefile("r", encoding="ascii", newline="\n")

    def _dial(self, port: int) -> socket.socket:
        assert self._process is not None
        deadline = time.monotonic() + START_S
        while self._process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError):
                dialled = socket.create_connection((LOOPBACK, port))
                if dialled.getsockname() != dialled.getpeername():  # else TCP met itself
                    return dialled
                dialled.close()
            time.sleep(0.05)
        raise LabError(f"gnubg did not open its socket; {self._last_words()}")

    @property
    def _output(self) -> Path:
        return Path(self._folder.name) / "said"

    def _last_words(self) -> str:
        text = self._output.read_text(errors="replace") if self._output.exists() else ""
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        return f"its last words: {lines[-1]}" if lines else "it said nothing"


def question(board: Boards, dice: Rolls | tuple[int, int], match: MatchState) -> str:
    """Write FIBS's line for the player on roll as owner of the positive checkers, moving down.

    Without dice it asks whether the player doubles, or after a double (`match.doubled`) whether the
    other takes.
    """
    mine, theirs = board.tolist()
    points = ":".join(str(mine[i] - theirs[23 - i]) for i in range(24))
    score = match.score[1 - match.on_roll], match.score[match.on_roll]
    if match.doubled:  # the first score is that of the player who is not asked
        score = score[::-1]
    may = [int(match.cube_owner in (None, seat)) for seat in (match.on_roll, 1 - match.on_roll)]
    redoubles = int(not match.crawford)  # shows gnubg that the Crawford game is over
    return (
        f"board:a:b:{match.length}:{score[0]}:{score[1]}:{-theirs[24]}:{points}:{mine[24]}:1:"
        f"{dice[0]}:{dice[1]}:0:0:{match.cube}:{may[0]}:{may[1]}:{int(match.doubled)}:"
        f"1:-1:0:25:0:0:0:0:0:0:0:{redoubles}"
    )


def _die_with_parent() -> None:
    """Let gnubg end when this process is killed; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


_STEP = re.compile(r"(\d+)/(\d+)\*?$")


def move(board: Boards, play: str) -> None:
    """Play `25/20* 13/9` (single steps; 25 the bar, 0 off) on int8[2, 25] in place."""
    for word in play.split():
        step = _STEP.match(word)
        if step is None:
            raise ValueError(f"not a step: {word!r}")
        start, end = int(step[1]), int(step[2])
        if not 0 <= end < start <= 25 or board[0, start - 1] == 0:
            raise ValueError(f"no such step: {word!r}")
        board[0, start - 1] -= 1
        if end > 0:
            board[0, end - 1] += 1
            if board[1, 24 - end] > 1:
                raise ValueError(f"blocked: {word!r}")
            if board[1, 24 - end] == 1:
                board[1, 24 - end] = 0
                board[1, 24] += 1


# --- its terminal

_HUMANS = ("set automatic game off", "set automatic roll off", "set player 0 human",
           "set player 1 human", "set threads 1")  # fmt: skip
_TO_THE_END = (
    *("seed 1", "varredn on", "quasirandom on", "initial off", "jsd stop off"),
    *("truncation enable off", "bearofftruncation exact off", "bearofftruncation onesided off"),
)
_CUBELESS = ("cubeful off", "limit enable off", "chequerplay cubeful off",
             "cubedecision cubeful off")  # fmt: skip
_CUBEFUL = ("cubeful on", "limit enable on", f"limit minimumgames {LEAST_GAMES}")
_KINDS = ("chequerplay", "cubedecision")


def printed_rollout(position_id: str, trials: int, plies: int, command: str = "") -> str:
    """Return gnubg's output of a rollout: cubeless, variance-reduced, to the end."""
    rollout = (*_CUBELESS, *(f"{kind} plies {plies}" for kind in _KINDS), f"trials {trials}")
    place = ("new session", "set turn 1", f"set board {position_id}", "set jacoby off")
    return _in_a_terminal((*place, *_rollout(rollout), "rollout"), command)


@dataclass(frozen=True, slots=True)
class CubeTerms:
    """Settings of gnubg's rollouts of a cube decision."""

    trials: int = 1296  # at most
    error: float = 0.010  # EMG, the standard error of both equities that ends a rollout
    plies: int = 1  # of plays and cube decisions in a trial


def printed_cube_rollout(ids: str, terms: CubeTerms, command: str = "") -> str:
    """Return gnubg's output of the rollouts of no double and double/take.

    `ids` is `Position ID:Match ID`. gnubg rolls out only a decision that it has looked at.
    """
    rollout = (
        *_CUBEFUL, f"limit maxerror {terms.error}", f"trials {terms.trials}",
        *(f"{kind} plies {terms.plies}" for kind in _KINDS),
    )  # fmt: skip
    place = ("new session", f"set gnubgid {ids}", "set beavers 0", "set output mwc off")
    return _in_a_terminal((*place, *_rollout(rollout), "hint", "analyse rollout cube"), command)


def _rollout(settings: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"set rollout {setting}" for setting in (*_TO_THE_END, *settings))


def _in_a_terminal(commands: tuple[str, ...], command: str) -> str:
    """Let gnubg carry out commands on a terminal, where alone it shows a rollout.

    `script` (of util-linux) pretends to be a terminal.
    """
    typed = (*_HUMANS, "set output digits 6", *commands, "exit", "y")
    with tempfile.TemporaryDirectory(prefix="sixprime-gnubg-") as folder:
        return subprocess.run(
            ["script", "-qec", f"{shlex.quote(program(command))} -t -q -r", "/dev/null"],
            input="\n".join(typed) + "\n", preexec_fn=_die_with_parent,
            capture_output=True, text=True, check=False, cwd=folder,
        ).stdout  # fmt: skip


def printed_chances(terminal: str) -> tuple[Chances, Chances]:
    """Read the last result that gnubg printed, and its standard errors."""
    *chances, _ = _last_line(terminal, r"Current Position:\s+(.*?) CL\s+(\S+)")
    *errors, _ = _last_line(terminal, r"\[(\d.*?) CL\s+(\S+)\]")
    return chances_of(chances), chances_of(errors)


def printed_error(terminal: str) -> float:
    """Read the standard error of the equity in the last result."""
    return _last_line(terminal, r"\[(\d.*?) CL\s+(\S+)\]")[-1]


class CubeWorths(NamedTuple):
    """The equities of no double and double/take by a rollout, EMG, and their standard errors."""

    no_double: float
    double_take: float
    errors: tuple[float, float]
    trials: int


def printed_cube(terminal: str) -> CubeWorths:
    """Read the final results of a cube decision."""
    final = terminal.partition(FINISHED)[2]
    equities = [float(text) for text in re.findall(r" CF ([+-]\S+)", final)]
    errors = [float(text) for text in re.findall(r" CF +(\d\S+)\]", final)]
    games = re.search(r"^(\d+) games", final, re.MULTILINE)
    if len(equities) != 2 or len(errors) != 2 or games is None:
        raise LabError(NOT_FINISHED)
    return CubeWorths(equities[0], equities[1], (errors[0], errors[1]), int(games[1]))


def _last_line(terminal: str, line: str) -> list[float]:
    """Read five chances and an equity from the last such line; LabError if there is none."""
    results = re.findall(line, terminal)
    if not results or FINISHED not in terminal:
        raise LabError(NOT_FINISHED)
    won, lost = (part.split() for part in results[-1][0].split("-"))
    return [float(number) for number in (*won, *lost[1:], results[-1][1])]


# --- its Python interpreter

# Runs before any script: `asked` is the question, `answer` the reply. Cubes are given as the fields
# of sixprime.engine.position.MatchState; boards as (theirs, mine), the order gnubg wants.
_BEFORE = """
import gnubg, json
asked = json.load(open({asked!r}))
answer = []
for command in ({humans}"set automatic move off", "set automatic bearoff off",
                "set display off", "new session", "set turn 1"):
    gnubg.command(command)

def cube_of(fields):
    owner = -1 if fields["cube_owner"] is None else fields["cube_owner"]
    cube = gnubg.cubeinfo(fields["cube"], owner, fields["on_roll"], fields["length"],
                          tuple(fields["score"]), int(fields["crawford"]), 0)
    cube["jacoby"], cube["beavers"] = int(fields["jacoby"]), int(fields["beavers"] > 0)
    return cube

def look(plies):
    context = gnubg.evalcontext(1, plies, 1, 0, 0.0)
    context["prune"] = 1
    return context
"""
_AFTER = """
json.dump(answer, open({answered!r}, "w"))
"""


def run_inside(script: str, asked: object, timeout_s: float = SCRIPT_S, command: str = "") -> Any:
    """Run a script inside gnubg that makes `answer` out of `asked`; LabError if it fails."""
    with tempfile.TemporaryDirectory(prefix="sixprime-gnubg-") as folder:
        file, question, answer = (Path(folder) / name for name in ("script", "asked", "answer"))
        question.write_text(json.dumps(asked))
        humans = "".join(f"{command!r}, " for command in _HUMANS)
        before = _BEFORE.format(asked=str(question), humans=humans)
        file.write_text(before + script + _AFTER.format(answered=str(answer)))
        said = subprocess.run(
            [program(command), "-t", "-q", "-r", "-p", str(file)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=timeout_s,
        )  # fmt: skip
        if not answer.exists():
            last = (said.stdout + said.stderr).strip().rpartition("\n")[2]
            raise LabError(f"a script inside gnubg failed; its last words: {last}")
        return json.loads(answer.read_text())
