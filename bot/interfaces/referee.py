"""gnubg as opponent and referee: it plays matches against our external player socket.

gnubg rolls the dice, keeps score and record, and reports how much of each result was luck. One
process plays one match. Matches come in pairs with the same seed and swapped seats, so each side
gets the other's dice for as long as the games stay the same.
"""

from __future__ import annotations

import asyncio
import math
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev

from sixprime.bot.interfaces.external import ExternalPlayer, ExternalServer
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.engines.external import SessionRules
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Cube,
    CubeStep,
    Match,
    Resignation,
    ResignStep,
)
from sixprime.protocols.formats.sgf import match as sgf

NAMES = ("sixprime", "gnubg")
MAX_LENGTH = 64
NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Opponent:
    """The settings of gnubg as a player; all others stay at their defaults."""

    plies: int = 2
    noise: float = 0.0

    def __str__(self) -> str:
        return f"gnubg {self.plies}-ply" + (f", noise {self.noise}" if self.noise else "")


@dataclass(frozen=True, slots=True)
class RefereedMatch:
    """A match as gnubg recorded it."""

    seed: int
    seat: int  # ours
    record: Match | None  # None if gnubg has begun none
    luck_adjusted: float | None  # our chance of winning the match, with the luck taken out
    remarks: tuple[str, ...]  # gnubg's output besides results and scores
    questions: int

    @property
    def finished(self) -> bool:
        return self.record is not None and self.record.finished

    @property
    def won(self) -> bool:
        return self.record is not None and self.record.winner == self.seat


def find_gnubg() -> Path:
    """Return the program's path; Unavailable if gnubg is not installed."""
    found = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if found is None:
        raise Unavailable("gnubg is not installed (Debian package gnubg)")
    return Path(found)


async def refereed_matches(
    player: ExternalPlayer,
    opponent: Opponent,
    *,
    matches: int,
    length: int,
    seed: int = 1,
    resigns: bool = True,
    limit_s: float = 3600.0,
    folder: Path | None = None,
) -> AsyncIterator[RefereedMatch]:
    """Yield each match as it ends; its files stay in `folder`, if given."""
    gnubg = find_gnubg()
    server = ExternalServer(player, SessionRules(jacoby=False, beavers=False), resigns=resigns)
    async with await server.listen(Endpoint(LOOPBACK, 0)) as listening:
        port = listening.sockets[0].getsockname()[1]
        for number in range(matches):
            with tempfile.TemporaryDirectory(prefix="sixprime-referee-") as scratch:
                own_seed, seat = seed + number // 2, number % 2
                file = Path(scratch) / f"match-{own_seed}-seat-{seat}.sgf"
                before = server.questions
                commands = script(opponent, length, own_seed, seat, port, file)
                said = await _run(gnubg, commands, Path(scratch), limit_s)
                played = judged(said, file, own_seed, seat, server.questions - before)
                if folder is not None and file.exists():  # gnubg may reject such a name
                    shutil.copyfile(file, folder / file.name)
                yield played


async def _run(gnubg: Path, commands: str, home: Path, limit_s: float) -> str:
    process = await asyncio.create_subprocess_exec(
        gnubg,
        *("-t", "-q", "-r"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "HOME": str(home)},
    )
    try:
        async with asyncio.timeout(limit_s):
            said, _ = await process.communicate(commands.encode("ascii"))
    except TimeoutError:
        return f"the match took longer than {limit_s:.0f} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return said.decode("utf-8", "replace")


def script(opponent: Opponent, length: int, seed: int, seat: int, port: int, file: Path) -> str:
    """Return gnubg's commands to play one match, save its record and analyse the luck."""
    theirs = 1 - seat
    lines = [
        *(f"set automatic {what} on" for what in ("game", "roll", "move", "bearoff")),
        "set confirm new off",
        "set confirm save off",
        "set display off",
        "set rng mersenne",
        f"set seed {seed}",
        f"set player {theirs} gnubg",
        f"set player {theirs} chequer evaluation plies {opponent.plies}",
        f"set player {theirs} chequer evaluation noise {opponent.noise}",
        f"set player {theirs} cubedecision evaluation plies {opponent.plies}",
        f"set player {theirs} cubedecision evaluation noise {opponent.noise}",
        f"set player {seat} external 127.0.0.1:{port}",
        "set defaultnames " + " ".join(NAMES if seat == 0 else NAMES[::-1]),
        f"new match {length}",
        f'save match "{file}"',
        "set analysis moves off",
        "set analysis cube off",
        "set analysis luck on",
        "analyse match",
        "show matchresult",
    ]
    return "".join(f"{line}\n" for line in lines)


_BEGUN = re.compile(r"A new \d+ points? match has been started\.\n?")
_SCORE = re.compile(r"The score \(after \d+ games?\) is: .*?\(match to \d+ points?(?:, [^)]*)?\)")
_RESULT = re.compile(r"\w+ wins a (?:single game|gammon|backgammon) and \d+ points?\.")
_MATCH = re.compile(r"\w+ has won the match\.")
_LUCK = re.compile(r"^ *Final +-?[\d.]+% +(-?[\d.]+)%", re.MULTILINE)


def judged(said: str, file: Path, seed: int, seat: int, questions: int) -> RefereedMatch:
    """Read a match from gnubg's output and its record."""
    begun = _BEGUN.search(said)
    output = said[begun.end() :] if begun else said[-2000:]
    played = _SCORE.sub("\n", _MATCH.split(output)[0])
    remarks = [line.strip() for line in played.splitlines() if line.strip()]
    luck = _LUCK.search(said)
    value = float(luck[1]) / 100 if luck else None
    return RefereedMatch(
        seed=seed,
        seat=seat,
        record=_record(file),
        luck_adjusted=1 - value if value is not None and seat == 1 else value,
        remarks=tuple(line for line in remarks if not _RESULT.fullmatch(line)),
        questions=questions,
    )


def _record(file: Path) -> Match | None:
    try:
        return sgf.read_sgf(file.read_text(encoding="utf-8", errors="replace")).strictly()[0]
    except (OSError, BadMatchFile, IndexError):
        return None


@dataclass(frozen=True, slots=True)
class Actions:
    """The cube actions and resignations of one side."""

    doubles: int = 0
    takes: int = 0
    drops: int = 0
    resignations: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and half of its 95 % interval."""

    mean: float
    within: float | None  # None: too few matches


@dataclass(frozen=True, slots=True)
class Report:
    """The totals; chances and points are ours."""

    matches: int
    finished: int
    won: int
    games: int
    games_won: int
    points: tuple[int, int]  # ours, gnubg's
    chance: Estimate | None  # of winning a match, by the matches won
    luck_adjusted: Estimate | None  # the same without luck
    our_actions: Actions
    their_actions: Actions
    questions: int
    remarks: tuple[str, ...]

    def described(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def report(played: Sequence[RefereedMatch]) -> Report:
    """Add up all matches; of unfinished ones only the games count."""
    finished = [match for match in played if match.finished]
    results = [
        (match.seat, game.result)
        for match in played
        if match.record is not None
        for game in match.record.games
        if game.result is not None
    ]
    points = (
        sum(result.points for seat, result in results if result.winner == seat),
        sum(result.points for seat, result in results if result.winner != seat),
    )
    lucky = [match.luck_adjusted for match in finished if match.luck_adjusted is not None]
    return Report(
        matches=len(played),
        finished=len(finished),
        won=sum(match.won for match in finished),
        games=len(results),
        games_won=sum(result.winner == seat for seat, result in results),
        points=points,
        chance=_estimate([float(match.won) for match in finished]),
        luck_adjusted=_estimate(lucky),
        our_actions=_actions(played, ours=True),
        their_actions=_actions(played, ours=False),
        questions=sum(match.questions for match in played),
        remarks=tuple(
            f"seed {match.seed} seat {match.seat}: {remark}"
            for match in played
            for remark in (*match.remarks, *(() if match.finished else ("unfinished",)))
        ),
    )


def _estimate(values: Sequence[float]) -> Estimate | None:
    if not values:
        return None
    if len(values) == 1:
        return Estimate(values[0], None)
    return Estimate(fmean(values), NORMAL_95 * stdev(values) / math.sqrt(len(values)))


def _actions(played: Sequence[RefereedMatch], *, ours: bool) -> Actions:
    steps: list[CubeStep] = []
    resignations = 0
    for match in played:
        if match.record is None:
            continue
        seat = match.seat if ours else 1 - match.seat
        for action in (action for game in match.record.games for action in game.actions):
            if isinstance(action, Cube) and action.seat == seat:
                steps.append(action.step)
            elif isinstance(action, Resignation) and action.seat == seat:
                resignations += action.step is ResignStep.OFFERED
    return Actions(
        doubles=steps.count(CubeStep.DOUBLE),
        takes=steps.count(CubeStep.TAKE),
        drops=steps.count(CubeStep.DROP),
        resignations=resignations,
    )
