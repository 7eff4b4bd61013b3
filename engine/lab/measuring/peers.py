"""Players to measure against each other: our nets, gnubg, random plays.

Each answers for thousands of boards at once: int8[n, 2, 25] as the player on roll sees them
(sixprime.engine.position), and the board after a play is still the mover's view.

gnubg is asked through its own socket (`external`), one line per question, so the real program
answers, with its nets, its bearoff databases and its move filters.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer, choose_many, random_many
from sixprime.engine.kernels.evaluation import Brain, judge_many, workspace
from sixprime.engine.kernels.moves import room
from sixprime.engine.position import MAX_CHECKERS, MatchState, Position
from sixprime.engine.search.levels import PRESETS, UnknownLevel, preset
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.roller import RollingSearch
from sixprime.engine.system.endpoint import LOOPBACK, free_port

GNUBG = "gnubg"
GAMES = "/usr/games"  # where Debian puts it, seldom on the PATH of a service
START_S = 30.0
ANSWER_S = 120.0
MOST_PLIES = 4
PR_SET_PDEATHSIG = 1

Boards = NDArray[np.int8]  # [n, 2, 25]
Rolls = NDArray[np.int8]  # [n, 2]


class PeerError(RuntimeError):
    """A player is not available or broke down; the text is one line that says why."""


class Contestant(Protocol):
    name: str

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        """The boards after the plays this player likes best, as the mover sees them."""
        ...

    def close(self) -> None: ...


class OurPlayer:
    """A net of ours: the best play by cubeless money equity, or by winning chances alone.

    With `depth` it searches like that, else `plies` deep with the normal move filter.
    """

    def __init__(
        self,
        brain: Brain,
        plies: int = 0,
        one_point: bool = False,
        name: str = "ours",
        depth: Evaluation | None = None,
        seconds: float | None = None,
    ) -> None:
        self.name = name
        self.brain = brain
        self.one_point = one_point
        self._work = workspace(brain)
        self._depth = replace(depth or Evaluation(plies), cubeful=False)
        self._seconds = seconds
        self._search = RollingSearch(brain) if plies or depth else None

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = np.empty_like(boards)
        if self._search is None:
            player = CubelessPlayer(self.brain, self._work, win_only=self.one_point)
            choose_many(player, boards, dice, out)
            return out
        match = MatchState(length=1) if self.one_point else MatchState()
        for i, (board, roll) in enumerate(zip(boards, dice, strict=True)):
            position = Position.from_array(board)
            rolled = int(roll[0]), int(roll[1])
            ranked = self._search.plays(position, match, rolled, self._depth, self._seconds)
            out[i] = ranked[0].result.array()
        return out

    def evaluate(self, boards: Boards) -> NDArray[np.float32]:
        """float32[n, 5] for the players on roll, cubeless, at this player's depth."""
        outs = np.empty((len(boards), 5), np.float32)
        if self._search is None:
            judge_many(self.brain, boards, MAX_CHECKERS, self._work, outs)
            return outs
        for board, out in zip(boards, outs, strict=True):
            seen = self._search.see(Position.from_array(board), MatchState(), self._depth)
            out[:] = seen.outcomes
        return outs

    def close(self) -> None:
        """Nothing is held."""


class RandomPlayer:
    """Any result of the roll, all equally likely; the same for the same board and dice."""

    def __init__(self, seed: int = 1) -> None:
        self.name = "random"
        self.seed = seed
        self._room = room()

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = np.empty_like(boards)
        random_many(boards, dice, self.seed, self._room, out)
        return out

    def close(self) -> None:
        """Nothing is held."""


class GnubgPeer:
    """gnubg at a search depth: for money without the Jacoby rule or in matches, cubeful or not."""

    def __init__(self, plies: int = 0, one_point: bool = False, cubeful: bool = False) -> None:
        self.name = "gnubg" if plies == 0 else f"gnubg:{plies}"
        self.plies = plies
        self.one_point = one_point
        self.cubeful = cubeful
        self._match = MatchState(length=1) if one_point else MatchState()
        self._folder = tempfile.TemporaryDirectory(prefix="sixprime-gnubg-")
        self._process: subprocess.Popen[str] | None = None
        self._socket: socket.socket | None = None
        self._answers: IO[str] | None = None
        try:
            self._start(program())
        except BaseException:
            self.close()
            raise

    def choose(self, boards: Boards, dice: Rolls) -> Boards:
        out = boards.copy()
        for i in range(len(boards)):
            self._play(out[i], dice[i], self._match)
        return out

    def after(self, board: Boards, match: MatchState, dice: tuple[int, int]) -> Boards:
        """One board after gnubg's play, considering cube and score."""
        out = board.copy()
        self._play(out, dice, match)
        return out

    def doubles(self, board: Boards, match: MatchState) -> bool:
        """Would gnubg, on roll, double?"""
        return self.ask(question(board, (0, 0), match)) == "double"

    def takes(self, board: Boards, match: MatchState) -> bool:
        """Would gnubg take, if the player on roll doubled?"""
        asked = question(board, (0, 0), match.with_(doubled=True))
        return self.ask(asked) in ("take", "beaver")

    def _play(self, board: Boards, dice: Rolls | tuple[int, int], match: MatchState) -> None:
        play = self.ask(question(board, dice, match))
        try:
            move(board, play)
        except (ValueError, IndexError) as error:
            raise PeerError(f"gnubg answered {play!r}, which is no play here") from error

    def evaluate(self, boards: Boards) -> NDArray[np.float32]:
        """float32[n, 5] for the players on roll, cubeless, at this peer's depth."""
        rows = []
        for board in boards:
            asked = f"evaluation fibsboard {question(board, (0, 0), self._match)}"
            answer = self.ask(f"{asked} plies {self.plies} cubeless")
            try:
                row = [float(word) for word in answer.split()]
            except ValueError as error:
                raise PeerError(f"gnubg answered {answer!r} to an evaluation") from error
            rows.append(row[:5])
        return np.array(rows, np.float32).reshape(-1, 5)

    def ask(self, line: str) -> str:
        """One line to gnubg's socket, one line back."""
        if self._socket is None or self._answers is None:
            raise PeerError("gnubg is closed")
        try:
            self._socket.sendall(line.encode("ascii") + b"\n")
            answer = self._answers.readline()
        except OSError as error:
            raise PeerError(f"gnubg does not answer ({error}); {self._last_words()}") from error
        if not answer.endswith("\n"):
            raise PeerError(f"gnubg ended in the middle of its work; {self._last_words()}")
        if answer.startswith("Error"):
            raise PeerError(f"gnubg: {answer.strip()} (asked {line})")
        return answer.strip()

    def close(self) -> None:
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
        folder = Path(self._folder.name)
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
        with (folder / "said").open("w") as said:
            self._process = subprocess.Popen(
                [command, "-t", "-q", "-r"],
                stdin=subprocess.PIPE,
                stdout=said,
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
                if dialled.getsockname() != dialled.getpeername():  # nobody listens, and TCP met
                    return dialled
                dialled.close()
            time.sleep(0.05)
        raise PeerError(f"gnubg did not open its socket; {self._last_words()}")

    def _last_words(self) -> str:
        said = Path(self._folder.name) / "said"
        lines = said.read_text(errors="replace").split("\n") if said.exists() else []
        lines = [line.strip() for line in lines if line.strip()]
        return f"its last words: {lines[-1]}" if lines else "it said nothing"


def question(board: Boards, dice: Rolls | tuple[int, int], match: MatchState) -> str:
    """FIBS's line for the player on roll as owner of the positive checkers, moving down.

    Without dice it asks whether the player doubles, or after a double (`match.doubled`) whether the
    other takes.
    """
    mine, theirs = board.tolist()
    points = ":".join(str(mine[i] - theirs[23 - i]) for i in range(24))
    score = match.score[1 - match.on_roll], match.score[match.on_roll]
    if match.doubled:  # the first score is that of the player who is not asked
        score = score[::-1]
    may = [int(match.cube_owner in (None, seat)) for seat in (match.on_roll, 1 - match.on_roll)]
    redoubles = int(not match.crawford)  # what shows gnubg that the Crawford game is over
    return (
        f"board:a:b:{match.length}:{score[0]}:{score[1]}:{-theirs[24]}:{points}:{mine[24]}:1:"
        f"{dice[0]}:{dice[1]}:0:0:{match.cube}:{may[0]}:{may[1]}:{int(match.doubled)}:"
        f"1:-1:0:25:0:0:0:0:0:0:0:{redoubles}"
    )


def _die_with_parent() -> None:
    """So that gnubg does not wait forever if this process is killed; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def program() -> str:
    """The path of gnubg; PeerError if it is not installed."""
    found = shutil.which(GNUBG) or shutil.which(GNUBG, path=GAMES)
    if found is None:
        raise PeerError("gnubg is not installed (Debian package gnubg)")
    return found


def version() -> str:
    said = subprocess.run(
        [program(), "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=START_S,
    )  # fmt: skip
    return said.stdout.split("\n")[0].strip()


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


def player(name: str, one_point: bool = False) -> Contestant:
    """A player by name: ours, ours:FILE.npz, level:NAME, gnubg, random; a last `:N`: N plies."""
    kind, rest, plies = parts(name)
    if kind == "gnubg":
        return GnubgPeer(plies, one_point)
    if kind == "random":
        return RandomPlayer()
    brain = brain_of(kind, rest)
    if kind == "level":
        level = PRESETS[rest]
        return OurPlayer(brain, plies, one_point, name, level.checker, level.seconds)
    return OurPlayer(brain, plies, one_point, name)


def rolls_out(name: str) -> bool:
    """Is this a level that rolls plays out?"""
    kind, rest, _ = parts(name)
    return kind == "level" and PRESETS[rest].checker.rollout is not None


def brain_of(kind: str, file: str) -> Brain:
    """The nets of a player of ours: those of the file that its name gives, or those that ship."""
    from sixprime.engine.nets import weights

    try:
        return weights.load_brain(Path(file) if file and kind == "ours" else None)
    except weights.BadWeights as error:
        raise PeerError(str(error)) from error


def parts(name: str) -> tuple[str, str, int]:
    """A player's name as kind, file and plies."""
    kind, _, rest = name.partition(":")
    file, _, plies = rest.rpartition(":")
    if not plies.isdigit():
        file, plies = rest, "0"
    if kind == "level":
        try:
            return kind, preset(rest).name, 0
        except UnknownLevel as error:
            raise PeerError(str(error)) from error
    known = kind == "ours" or (not file and (kind == "gnubg" or name == "random"))
    if not known:
        raise PeerError(
            f"no player {name!r}; there are ours, ours:FILE.npz, level:NAME, gnubg and random"
        )
    if int(plies) > MOST_PLIES:
        raise PeerError(f"{name}: at most {MOST_PLIES} plies")
    return kind, file, int(plies)
