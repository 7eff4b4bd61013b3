"""`sixprime strength`: the kinds of measurements of strength."""

from __future__ import annotations

from sixprime.bot.cli.line.command import (
    OneOf,
    Part,
    ShellCommand,
    argument,
    file,
    flag,
    number,
    option,
    verbs,
)
from sixprime.bot.cli.line.lab import PROCESSES, SEED
from sixprime.bot.cli.line.shared import PEER_COMMAND
from sixprime.bot.cli.line.values import new_file

KEEP_STATE = file("--resume", "keep the state here, and resume from it", kind=new_file)
STEP = 200  # games between two looks at whether a promotion is clear
PLAYERS = (
    "Players: ours (the shipped nets), ours:FILE.npz, level:NAME (plays as that preset), gnubg "
    "(the installed program), gnubg:PROGRAM (a path, such as gnubg:./gnubg), random. A last :N "
    "means that the player looks N plies ahead, as in gnubg:1."
)
DUELLISTS = (
    "Players: ours (the shipped nets), ours:FILE.npz, gnubg, gnubg:PROGRAM (a path). A last :N "
    "means N plies, as in gnubg:2."
)
_PAIR = (
    argument("first", "A", "the player whose result is reported"),
    argument("second", "B", "the opponent"),
)
_ONE = argument("player", "PLAYER", "the player to judge (ours)", nargs="?", default="ours")
_SEVERAL = argument("players", "PLAYER", "the players to judge", nargs="+")
_SET = file("--set", "positions of `make-...` (default: the project's own)")
_OUT = file("--out", "the file to write", kind=new_file, required=True)
_JUDGES = number("--threads", 1, least=1)
_GNUBG_TRIALS = number("--gnubg-trials", 648, least=1)
_RACES = (
    number("--ordinary", 2_000, "race decisions of ordinary play (2000)", least=1),
    number("--bearoffs", 1_000, "decisions with at most three checkers outside (1000)", least=1),
    number("--points", 10, "points of the one-sided database that judges races, made in memory "
           "(10): 12 take 6 GB", least=7),
)  # fmt: skip
_NO_LIMIT = float("inf")
_RESUMED = "What FILE already holds is kept: stop and restart it as you like."


def _kind(line: str, work: str, example: str, *options: Part, notes: str = "") -> ShellCommand:
    """A kind of `sixprime strength`; the example begins with its name."""
    return ShellCommand(
        example.split()[0],
        line,
        f"lab.{work}",
        options,
        examples=f"sixprime strength {example}",
        notes=notes,
    )


STRENGTH = ShellCommand(
    "strength",
    "play many games between two players, and score their decisions",
    groups=verbs(
        _kind(
            "play pairs of games with the same dice and seats exchanged",
            "strength:play_games",
            "games ours gnubg --games 4000 --reduce --processes 2 --resume runs/games.json",
            *_PAIR,
            number("--games", 10_000, least=4),
            flag("--one-point", "play one-point matches instead of cubeless money"),
            SEED,
            flag("--reduce", "also report the result with luck taken out: a third of the interval, "
                 "slower"),
            flag("--differences", "play out only the close decisions on which the two differ: for "
                 "players that look ahead or are nearly equal"),
            PROCESSES,
            KEEP_STATE,
            notes=PLAYERS,
        ),
        _kind(
            "play matches or money games with the cube, and take luck out",
            "duels:play_matches",
            "matches ours:2 gnubg:2 --length 7 --resume runs/seven.json",
            *_PAIR,
            number("--length", 0, "length of the matches (0: single money games)"),
            number("--pairs", 100, "pairs of matches with the seats exchanged (100)", least=1),
            SEED,
            PROCESSES,
            KEEP_STATE,
            notes=DUELLISTS,
        ),
        _kind(
            "play new nets against old until it is clear; at no depth may a family be worse",
            "duels:promote_nets",
            "promote runs/new.npz --resume runs/promote.json",
            argument("new", "NEW.npz", "the new nets"),
            argument("old", "OLD.npz", "the old nets (default: the shipped ones)", nargs="?"),
            number("--gain", 0.004, "points a game worth having (0.004)"),
            number("--none", 0.0, "points a game that count as no gain (0); negative: being no "
                   "worse is enough", least=float("-inf")),
            number("--most", 20_000, "games at most; then it stays open (20000)", least=STEP),
            SEED,
            _SET,
            *_RACES,
            KEEP_STATE,
            notes="No family of `strength chances` may be further off at 0, 1 or 2 plies, and "
            "plays in races and in bearoffs, with checkers outside or none, may not lose more.\n"
            "Exit code 0: promote; 1: do not, or still open.",
        ),
        _kind(
            "compare the chances seen in 21 positions of different kinds with long rollouts",
            "benchmarks:compare_references", "references ours:2", _ONE, notes=PLAYERS,
        ),
        _kind(
            "compare the chances seen in hundreds of random positions with our own rollouts, or "
            "with another's",
            "benchmarks:compare_chances",
            "chances gnubg:2\nsixprime strength chances ours:2 gnubg:2 --judge ordinary.jsonl.xz",
            argument("players", "PLAYER", "the player to judge (ours); by --judge several",
                     nargs="*"),
            OneOf((
                _SET,
                file("--judge", "JSON lines, also as .xz: `position` after a play, the opponent on "
                     "roll, with five chances of the `mover`, `equity` and its error `se`"),
            )),
            notes=PLAYERS,
        ),
        _kind(
            "show what players lose by each decision of the benchmark, beside the first player",
            "benchmarks:score_decisions", "decisions gnubg:2 ours:2", _SEVERAL, _SET, notes=PLAYERS,
        ),
        _kind(
            "show what players lose in races outside the bearoff database",
            "benchmarks:score_races", "races gnubg ours",
            _SEVERAL,
            *_RACES,
            number("--seed", 20261201),
            notes=PLAYERS,
        ),
        _kind(
            "show what players lose by each cube decision of the benchmark, and how far they "
            "overrate",
            "benchmarks:score_cubes",
            "cubes gnubg:2 ours:2",
            _SEVERAL,
            _SET,
            number("--differences", 0, "instead of the set, draw N spots and judge those on which "
                   "two players act differently: for players that are nearly equal"),
            number("--error", 0.028, "standard error at which their rollouts end (0.028)"),
            number("--seed", 1, "seed of the spots (1)"),
            _JUDGES,
            file("--resume", "keep the judged spots here", kind=new_file),
            notes=PLAYERS,
        ),
        _kind(
            "roll the 21 reference positions out again, with gnubg too",
            "benchmarks:make_references",
            "make-references --out runs/references.json",
            number("--trials", 216, "our trials (216)", least=1),
            _GNUBG_TRIALS,
            PEER_COMMAND,
            number("--gnubg-plies", 1, "plies that gnubg looks ahead as it plays (1); at 0 it "
                   "misplays some of them"),
            _OUT,
            number("--threads", 1, "our threads (1)", least=1),
        ),
        _kind(
            "draw random positions and roll them out",
            "benchmarks:make_chances",
            "make-chances --positions 60 --threads 2 --out runs/chances.npz",
            number("--positions", 100, "positions of each family (100)", least=1),
            number("--trials", 144, "trials, each to the end of the game (144)", least=1),
            number("--keep", 12, "replies that the pruning net leaves (12); 0: all"),
            number("--deep-turns", 12, "turns of a trial that are played one ply ahead (12)"),
            number("--gnubg", 0, "positions of each family that gnubg also rolls out (0)"),
            _GNUBG_TRIALS,
            PEER_COMMAND,
            number("--seed", 20260004),
            _OUT,
            _JUDGES,
            notes=_RESUMED,
        ),
        _kind(
            "make a benchmark of decisions from our own play",
            "benchmarks:make_decisions",
            "make-decisions --include ours gnubg --contact 400 --threads 2 "
            "--out runs/decisions.npz",
            option("--include", "PLAYER", "judge the plays of these players as deeply as the best "
                   "(default: ours)", nargs="*", default=[]),
            number("--contact", 1500),
            number("--race", 400),
            number("--bearoff", 300),
            number("--odd", 40, "decisions of each odd family (back games, primes ...) (40)"),
            flag("--everywhere", "roll out contact positions even where all the players agree"),
            number("--trials", 288, "trials of a play, to the end of the game (288)", least=2),
            number("--seconds", _NO_LIMIT, "stop then, and keep what has been judged", "S"),
            file("--weights", "nets (default: the shipped ones)"),
            number("--seed", 20260001),
            _OUT,
            _JUDGES,
        ),
        _kind(
            "make a benchmark of cube decisions from our own play, judged by our own rollouts or "
            "gnubg's",
            "benchmarks:make_cubes",
            "make-cubes --spots 600 --error 0.028 --threads 2 --out runs/cubes.npz\n"
            "sixprime strength make-cubes --by-gnubg runs/cubes.npz --spots 300 --out runs/by.npz",
            number("--spots", 500, least=1),
            file("--by-gnubg", "let gnubg roll out the first spots of this set, as a second judge"),
            number("--gnubg-plies", 1, "plies that gnubg looks ahead in a trial (1); at 0 it "
                   "misplays containment"),
            PEER_COMMAND,
            number("--error", 0.010, "standard error of the gain by doubling at which a rollout "
                   "ends (0.010); by gnubg, of both equities", "EMG"),
            number("--most", 1296, "trials at most (1296)", least=1),
            number("--seconds", _NO_LIMIT, "stop then; the rest can be made later", "S"),
            number("--truncate", 0, "turns of a trial (0: to the end of the game)", "TURNS"),
            file("--weights", "nets (default: the shipped ones)"),
            number("--seed", 20260003),
            _OUT,
            _JUDGES,
            notes=_RESUMED,
        ),
    ),
    examples="sixprime strength games ours gnubg --games 200000 --processes 2 "
    "--resume runs/games.json",
    notes=PLAYERS,
    word="KIND",
)  # fmt: skip
