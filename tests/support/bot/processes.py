"""Real processes that get killed: `sixprime sandbox`, two `sixprime play`, and what they leave.

A `Bout` starts the three command lines with files of their own, starts each again when it has died,
and kills by SIGKILL: at a moment, at a line of the log, or by a mine (tests/mined.py) at one place
in the code. The server's database keeps a second record by a trigger, in the server's own
transactions: every game that it has finished. `differences` compares it with the archives.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.matchfiles import FORMATS, UNFINISHED_MARK, read_matches
from sixprime.bot.sandbox.loadtest.clients import PASSWORD
from sixprime.bot.sandbox.state.match import LastGame, UnfinishedMatch
from sixprime.bot.sandbox.store import Store, make_accounts
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.position import BAR, OFF
from sixprime.engine.system.endpoint import free_port
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    SetBoard,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import moments
from tests.support.bot import mined
from tests.support.bot.postgres import PostgresServer
from tests.support.places import ROOT

SECRET = "BOUT_PASSWORD"
SANDBOX = """
password_cost: {n: 2, r: 1, p: 1}
limits: {command_burst: 100000, commands_per_s: 10000, chat_burst: 100000, chats_per_s: 10000}
"""
SETTINGS = """
server:
  host: 127.0.0.1
  port: PORT
  command_gap_s: 0
  reconnect: {first_s: 0.3, most_s: 0.6, jitter: 0}
player:
  level: LEVEL
  thinking: {cheaper_level: pips}
  pace: {least_s: 0, most_s: 0}
  patience: {keep_place_s: 0}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  resume_again_after_s: 2
  invite: {after_idle_s: 0.1, leave_alone_s: 1, wait_s: 5}
chat: {greeting: "", farewell: ""}
archive: {database: "DATABASE", folder: "FOLDER/matches"}
logging: {level: debug, format: console}
metrics: {listen: null}
profiles:
"""
PROFILE = """\
  USER:
    account: {user: USER, password_env: SECRET}
    lobby:
      accept: {match_lengths: [LENGTH]}
      invite: {preferred: [OPPONENT], match_length: LENGTH}
"""
HISTORY = """
CREATE TABLE history (number INTEGER PRIMARY KEY, player TEXT, body TEXT);
CREATE TRIGGER remember AFTER INSERT ON last_game
    BEGIN INSERT INTO history (player, body) VALUES (new.player, new.body); END;
"""
NASTY_LINES = ("line='move ", "line=join", "match over", "match begins", "logging in", "logged in")
UP_WITHIN_S = 600.0
POSTGRES_STOPS = ("fast", "immediate", "kill", "fast and kill", "immediate and kill")
DISK = "size=64m"
MOST_STARTS = 2_000
STUCK_S = 300.0  # without a move or a match
LOOK_S = 0.002

_BEGINS = re.compile(r"match begins .* profile=(\w+)")
_LAST_GAME = TypeAdapter(LastGame)


@dataclass(slots=True)
class Kill:
    """One SIGKILL."""

    who: str  # server, or a bot
    how: str  # a moment, a line of the log, or a mine
    after: int  # finished matches before it is prepared


def series(seed: int, matches: int, bots: int, servers: int) -> list[Kill]:
    """So many kills at places drawn from the seed, spread over the matches."""
    dice = random.Random(seed)
    kills = []
    for number in range(bots):
        at = matches * number // bots
        nasty = [f"line {dice.choice(NASTY_LINES)}", f"mine {dice.choice(mined.PLACES)}"]
        how = dice.choice(["moment", *nasty])
        if "noting" in how and how.endswith("noting"):
            how += f":{dice.randint(5, 120)}"
        kills.append(Kill(dice.choice(("left", "right")), how, at))
    for number in range(servers):
        at = (2 * number + 1) * matches // (2 * servers)
        mine = f"mine {dice.choice(mined.SERVER_PLACES)}:{dice.randint(2, 30)}"
        if "game" in mine:
            mine = mine.rpartition(":")[0]
        kills.append(Kill("server", dice.choice(["moment", mine]), at))
    return sorted(kills, key=lambda kill: kill.after)


def campaign(seed: int, matches: int, kills: int, stops: int, disks: int) -> list[Kill]:
    """Kills of the bots, stops of PostgreSQL and full disks, in any order over the matches."""
    dice = random.Random(seed)
    faults = [Kill(each.who, each.how, 0) for each in series(seed, matches, kills, 0)]
    faults += [Kill("postgres", dice.choice(POSTGRES_STOPS), 0) for _ in range(stops)]
    faults += [Kill("disk", dice.choice(("full", "full and kill")), 0) for _ in range(disks)]
    dice.shuffle(faults)
    for number, fault in enumerate(faults):
        fault.after = matches * number // len(faults)
    return faults


class Disk:
    """A small file system at a folder, which can be filled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "none", folder], check=True)

    def fill(self) -> None:
        """Use up all space."""
        with suppress(OSError), (self._folder / "filler").open("ab", buffering=0) as file:
            for size in (2**16, 2**12, 1):
                with suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass

    def free(self) -> None:
        """Give the space back."""
        (self._folder / "filler").unlink(missing_ok=True)

    def keep(self) -> None:
        """Copy what is on it to the folder below, and unmount it."""
        self.free()
        copy = self._folder.with_name(f"{self._folder.name} copy")
        shutil.copytree(self._folder, copy)
        subprocess.run(["umount", "-l", self._folder], check=True)
        shutil.copytree(copy, self._folder, dirs_exist_ok=True)
        shutil.rmtree(copy)


class Process:
    """One command line, started again and again; its log goes on in one file."""

    def __init__(self, name: str, arguments: Sequence[str], folder: Path) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.log = folder / f"{name}.log"
        self.log.touch()
        self.mine = folder / f"{name}.mine"
        self.starts = 0
        self.deaths: Counter[int] = Counter()
        self._running: subprocess.Popen[bytes] | None = None
        self.over = 0  # matches, as far as its log tells
        self.moves = 0
        self.begun: set[str] = set()  # accounts that took up a match, also an old one; see `Bout`
        self._read = 0  # so much of the log
        self._said = ""  # by this run

    def start(self) -> None:
        """Run it."""
        self.look()
        self._said = ""
        self.starts += 1
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                [sys.executable, "-m", "tests.support.bot.mined", str(self.mine), *self.arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, SECRET: PASSWORD},
                cwd=ROOT,
            )

    @property
    def alive(self) -> bool:
        """Is it running? If not, how it died is counted."""
        if self._running is None:
            return False
        code = self._running.poll()
        if code is not None:
            self.deaths[code] += 1
            self._running = None
        return code is None

    def look(self) -> None:
        """Read on in the log, by whole lines."""
        if self.log.stat().st_size == self._read:
            return
        with self.log.open("rb") as log:
            log.seek(self._read)
            fresh = log.read()
        fresh = fresh[: fresh.rfind(b"\n") + 1]
        self._read += len(fresh)
        lines = fresh.decode(errors="replace")
        self._said += lines
        self.over += lines.count("match over")
        self.moves += lines.count("line='move ")
        self.begun |= set(_BEGINS.findall(lines))

    @property
    def said(self) -> str:
        """The log of this run."""
        self.look()
        return self._said

    def wait_for(self, words: str, within_s: float = UP_WITHIN_S) -> bool:
        """Until this run says so; False if it dies or takes too long."""
        until = time.monotonic() + within_s
        while words not in self.said:
            if not self.alive or time.monotonic() > until:
                return False
            time.sleep(10 * LOOK_S)
        return True

    def kill(self) -> None:
        """By SIGKILL, at once."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """By SIGTERM."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self.alive:
            assert self._running is not None
            self._running.send_signal(number)
            self.deaths[self._running.wait(timeout=60)] += 1
            self._running = None


@dataclass(slots=True)
class Tally:
    """What was done."""

    kills: Counter[str] = field(default_factory=Counter)
    left_alive: list[str] = field(default_factory=list)  # kills that never came about
    also: int = 0  # kills while a disk was full, or a database away


class Bout:
    """A server and two bots, with a profile each for every match length.

    The left one plays at `level`; the right one is a plain player.
    """

    def __init__(
        self,
        folder: Path,
        seed: int,
        *,
        lengths: Sequence[int] = (1,),
        level: str = "pips",
        strained: bool = False,
    ) -> None:
        """`strained`: the left archive is on a disk of its own, the right one in PostgreSQL."""
        self.folder = folder
        self.disk: Disk | None = None
        self.postgres: PostgresServer | None = None
        if strained:
            (folder / "left").mkdir()
            self.disk = Disk(folder / "left")
            self.postgres = PostgresServer(folder / "postgres")
            self.postgres.start()
        self.dice = random.Random(seed)
        self.tally = Tally()
        self.port = free_port()
        self.names = {
            "left": [f"anna_{chr(97 + i)}" for i in range(len(lengths))],
            "right": [f"ben_{chr(97 + i)}" for i in range(len(lengths))],
        }
        self.database = folder / "sandbox.db"
        make_accounts(self.database, [*self.names["left"], *self.names["right"]], PASSWORD)
        with closing(sqlite3.connect(self.database)) as store:
            store.executescript(HISTORY)
        (folder / "sandbox.yaml").write_text(SANDBOX)
        listen = ("--listen", f"127.0.0.1:{self.port}", "--database", str(self.database))
        config = ("--config", str(folder / "sandbox.yaml"))
        self.server = Process("server", ("sandbox", *config, *listen), folder)
        levels = {"left": level, "right": "pips"}
        self.bots = {side: self._bot(side, lengths, levels[side]) for side in self.names}
        self._seed = seed

    def _bot(self, side: str, lengths: Sequence[int], level: str) -> Process:
        own = self.folder / side
        own.mkdir(exist_ok=True)
        settings = SETTINGS.replace("DATABASE", self._database(side))
        settings = settings.replace("PORT", str(self.port)).replace("FOLDER", str(own))
        settings = settings.replace("LEVEL", level)
        other = self.names["right" if side == "left" else "left"]
        for user, opponent, length in zip(self.names[side], other, lengths, strict=True):
            profile = PROFILE.replace("USER", user).replace("OPPONENT", opponent)
            profile = profile.replace("LENGTH", str(length))
            settings += profile.replace("SECRET", SECRET)
        (own / "bot.yaml").write_text(settings)
        return Process(side, ("play", "--config", str(own / "bot.yaml")), self.folder)

    # --- running

    @property
    def processes(self) -> dict[str, Process]:
        """All three."""
        return {"server": self.server, **self.bots}

    def finished(self) -> int:
        """Matches over, as far as the logs of both sides tell."""
        for bot in self.bots.values():
            bot.look()
        return max(bot.over for bot in self.bots.values())

    def _progress(self) -> int:
        """Grows while anything happens."""
        return sum(bot.over + bot.moves for bot in self.bots.values())

    def keep_up(self) -> None:
        """Start what has died."""
        for name, process in self.processes.items():
            if not process.alive:
                if name == "server":
                    self._start_server()
                else:
                    process.start()
                for bot in self.bots.values():
                    bot.look()
                    bot.begun.clear()

    def _start_server(self) -> None:
        self._seed += 1
        base = self.server.arguments
        self.server.arguments = [*base, "--seed", str(self._seed)]
        self.server.start()
        self.server.arguments = base
        assert self.server.wait_for("listening"), self.server.said

    def play(self, matches: int, kills: Sequence[Kill]) -> None:
        """So many matches, with these kills in between."""
        self.keep_up()
        for kill in kills:
            self._until(kill.after)
            self._carry_out(kill)
        self._until(matches)

    def _until(self, matches: int) -> None:
        best, since = -1, time.monotonic()
        while (now := self.finished()) < matches:
            self.keep_up()
            if self._progress() > best:
                best, since = self._progress(), time.monotonic()
            assert time.monotonic() < since + STUCK_S, f"nothing happens after {now} matches"
            time.sleep(0.1)

    def _strain(self, kill: Kill) -> None:
        """Take the disk or the database away for some seconds, and perhaps kill the bot then."""
        side, (mode, *kills) = (
            "right" if kill.who == "postgres" else "left",
            kill.how.split(" and "),
        )
        self.keep_up()
        if self.disk is not None and kill.who == "disk":
            self.disk.fill()
        if self.postgres is not None and kill.who == "postgres":
            self.postgres.stop(mode)
        self._pass(self.dice.uniform(0.5, 8.0))
        if kills:
            self.bots[side].kill()
            self.tally.also += 1
            self._pass(self.dice.uniform(0.0, 4.0))
        if self.disk is not None and kill.who == "disk":
            self.disk.free()
        if self.postgres is not None and kill.who == "postgres":
            self.postgres.start()
        self.tally.kills[f"{kill.who} {kill.how}"] += 1

    def _pass(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.keep_up()
            time.sleep(0.5)

    def _carry_out(self, kill: Kill) -> None:
        if kill.who not in self.processes:
            self._strain(kill)
            return
        self.keep_up()
        target = self.processes[kill.who]
        word, _, rest = kill.how.partition(" ")
        ready = "listening" if kill.who == "server" else "logging in"
        while not target.wait_for(ready):
            assert target.starts < MOST_STARTS, target.said
            self.keep_up()
        if word == "mine":
            target.mine.write_text(rest)
            self._wait_for_death(target, kill)
        else:
            if word == "line":
                self._wait_for_line(target, rest)
            else:
                time.sleep(self.dice.uniform(0.0, 3.0))
            target.kill()
        self.tally.kills[f"{'server' if kill.who == 'server' else 'bot'} {kill.how}"] += 1
        self.keep_up()

    def _wait_for_line(self, target: Process, words: str) -> None:
        """Kill at a later line of this kind, drawn by chance; after some time anyway."""
        seen = target.said.count(words) + self.dice.randint(1, 4)
        until = time.monotonic() + 20.0
        while target.alive and target.said.count(words) < seen and time.monotonic() < until:
            time.sleep(LOOK_S)

    def _wait_for_death(self, target: Process, kill: Kill) -> None:
        until = time.monotonic() + STUCK_S
        while target.alive:
            for name, process in self.processes.items():
                if name != kill.who and not process.alive:
                    self.keep_up()
            if time.monotonic() > until:
                self.tally.left_alive.append(kill.how)
                target.mine.unlink(missing_ok=True)
                target.kill()
                return
            time.sleep(10 * LOOK_S)

    def end(self) -> None:
        """Stop the bots when they have looked back, then the server, by SIGTERM.

        What a server or a bot knew alone when it was killed is told when the match is resumed, and
        not before.
        """
        self.keep_up()
        until = time.monotonic() + STUCK_S
        while any(set(self.names[side]) - bot.begun for side, bot in self.bots.items()):
            assert time.monotonic() < until, "a match is not taken up again"
            time.sleep(0.1)
            for bot in self.bots.values():
                bot.look()
        time.sleep(2.0)
        for bot in self.bots.values():
            bot.stop()
        self.server.stop()

    def give_up(self) -> None:
        """End whatever is left."""
        for process in self.processes.values():
            process.kill()
        if self.disk is not None:
            self.disk.keep()
            self.disk = None

    def close(self) -> None:
        """Stop PostgreSQL, after the comparison."""
        if self.postgres is not None:
            self.postgres.stop("fast")

    # --- what is left behind

    def served(self) -> dict[tuple[str, str], list[Served]]:
        """The server's matches of each pair, in order."""
        served: dict[tuple[str, str], list[Served]] = {}
        with closing(sqlite3.connect(self.database)) as store:
            rows = store.execute("SELECT player, body FROM history ORDER BY number")
            for player, body in rows:
                table = _LAST_GAME.validate_json(body).match
                if player == min(table.players):
                    known = served.setdefault(table.pair, [])
                    if table.games == 1:
                        known.append(Served(table))
                    known[-1].games.append(_story_of(table))
        kept = Store(self.database)  # must load
        for table in kept.memory().matches:
            known = served.setdefault(table.pair, [])
            told = table.games - table.in_game  # games that are in the history
            if told == 0:
                known.append(Served(table))
            known[-1].unfinished = table
            if table.in_game:
                known[-1].games.append(_story_of(table))
        kept.close()
        return served

    def archive(self, side: str) -> Archive:
        """What a bot has kept."""
        folder = self.folder / side / "matches"
        return Archive(ArchiveSettings(database=self._database(side), folder=folder))

    def _database(self, side: str) -> str:
        if self.postgres is not None and side == "right":
            return self.postgres.url
        return f"sqlite:///{self.folder / side / 'archive.db'}"


Story = tuple[object, ...]  # what the players did, each as (name, what)


@dataclass(slots=True)
class Served:
    """A match as the server has it."""

    table: UnfinishedMatch
    games: list[Story] = field(default_factory=list)
    unfinished: UnfinishedMatch | None = None

    @property
    def over(self) -> bool:
        """Has somebody won it?"""
        return self.unfinished is None


_ROLLED = re.compile(r"\((\d) (\d)\) (.*)")


def _story_of(table: UnfinishedMatch) -> Story:
    names = {table.letter(seat): table.players[seat] for seat in (0, 1)}
    told: list[object] = []
    for line in table.record:
        letter, _, what = line.partition(": ")
        if what == "wins":
            continue
        rolled = _ROLLED.fullmatch(what)
        if rolled is None:
            told.append((names[letter], what))
            continue
        steps = [] if rolled[3] == "can't move" else rolled[3].split()
        ends = [[_own(place, letter) for place in step.split("-")] for step in steps]
        told.append((names[letter], *_turn((int(rolled[1]), int(rolled[2])), ends)))
    return tuple(told)


def _own(place: str, letter: str) -> int:
    if place == "bar":
        return BAR
    if place == "off":
        return OFF
    return int(place) if letter == "O" else 25 - int(place)


def _turn(dice: Sequence[int], steps: Sequence[Sequence[int]]) -> tuple[object, ...]:
    change: Counter[int] = Counter()
    for start, end in steps:
        change[end] += 1
        change[start] -= 1
    return tuple(sorted(dice)), tuple(sorted((p, n) for p, n in change.items() if n))


_WORDS = {CubeStep.DOUBLE: "doubles", CubeStep.TAKE: "accepts", CubeStep.DROP: "rejects"}
_RESIGNS = {"offered": "wants to resign", "accepted": "accepts", "rejected": "rejects"}


def story_of(match: Match, game: Game) -> Story:
    """What an archive tells of a game, in the same form."""
    told = (_told(match, action) for action in settled(game))
    return tuple(each for each in told if each is not None)


def _told(match: Match, action: Action) -> object | None:
    match action:
        case Turn(seat, dice, play) if play is not None:
            return (match.players[seat].name, *_turn(dice, play))
        case Cube(seat, step):
            return (match.players[seat].name, _WORDS.get(step, step.value))
        case Resignation(seat, step):
            return (match.players[seat].name, _RESIGNS[step.value])
    return None


def differences(bout: Bout) -> list[str]:
    """Where archives, files and server do not agree; empty if all is well."""
    return [each for side in bout.names for each in _differences_of(bout, side)]


def _differences_of(bout: Bout, side: str) -> Iterator[str]:
    own = bout.folder / side
    if (own / "archive.db").exists():
        with closing(sqlite3.connect(own / "archive.db")) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            yield f"{side}: integrity_check says {verdict}"
    archive = bout.archive(side)
    served = bout.served()
    kept: dict[tuple[str, str], list[int]] = {}
    for row in archive.rows():
        kept.setdefault(tuple(sorted((row.account, row.opponent))), []).append(row.id)
    for pair in served.keys() | kept.keys():
        mine, theirs = kept.get(pair, []), served.get(pair, [])
        if len(mine) != len(theirs):
            yield f"{side}: {pair}: {len(mine)} matches in the archive, {len(theirs)} played"
        for match_id, match in zip(mine, theirs, strict=False):
            for what in _match_differs(archive, match_id, match):
                yield f"{side}: match {match_id} of {pair}: {what}"
    yield from _files_differ(archive, own / "matches", side)
    archive.close()


def _match_differs(archive: Archive, match_id: int, served: Served) -> Iterator[str]:
    row, match = archive.row(match_id), archive.match(match_id)
    expected = {MatchStatus.OVER.value} if served.over else {MatchStatus.SAVED.value}
    if row.state not in expected:
        yield f"is {row.state}, should be {' or '.join(sorted(expected))}"
    if match.comment:
        yield match.comment
    if len(match.games) != len(served.games):
        yield f"{len(match.games)} games, {len(served.games)} played"
    for number, (game, told) in enumerate(zip(match.games, served.games, strict=False), start=1):
        mine = story_of(match, game)
        open_game = served.unfinished is not None and number == len(served.games)
        if open_game and any(isinstance(each, SetBoard) for each in game.actions):
            rest = iter(told)  # the server lists a game when it is over: until then a gap may stay
            if all(each in rest for each in mine):
                continue
        if mine != told:
            at = next((i for i, (a, b) in enumerate(zip(mine, told, strict=False)) if a != b), None)
            at = min(len(mine), len(told)) if at is None else at
            yield (
                f"game {number} differs at action {at + 1} of {len(told)}: "
                f"{mine[at : at + 3]} instead of {told[at : at + 3]}"
            )
        for _ in moments(match, game):
            pass


def _files_differ(archive: Archive, folder: Path, side: str) -> Iterator[str]:
    expected, gaps = set(), set()
    for row in archive.rows():
        match = archive.match(row.id)
        for form in FORMATS.values():
            mark = "" if match.finished else UNFINISHED_MARK
            expected.add(name := f"{row.stem}{mark}{form.suffixes[0]}")
            open_game = match.games[-1:] if mark else ()  # the server lists it when it is over
            if any(isinstance(each, SetBoard) for game in open_game for each in game.actions):
                gaps.add(name)
        if row.noted != row.filed:
            yield f"{side}: match {row.id}: files are not up to date"
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    found = {name for name in found if not name.endswith(".json")}  # what the bot knows of others
    for name in sorted(found - expected):
        yield f"{side}: a file too many: {name}"
    for name in sorted(expected - found - gaps):
        yield f"{side}: a file is missing: {name}"
    for name in sorted(found & expected):
        if not name.endswith(".part") and len(read_matches(folder / name)) != 1:
            yield f"{side}: {name}: not one match"
