"""Commands that evaluate positions or serve the engine to other programs."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.cli.line.command import (
    Group,
    Option,
    ShellCommand,
    argument,
    file,
    flag,
    number,
    option,
    verbs,
)
from sixprime.bot.cli.line.shared import (
    BEFORE_ROLL,
    FILTERS,
    FLIP,
    LEVELS,
    LEVELS_FILE,
    MET,
    POSITION,
    POSITION_FORMS,
    SERVES,
    TABLES,
    THREADS,
    WEIGHTS,
    as_json,
    level,
)
from sixprime.bot.cli.line.values import at_least, depths, new_file, threads
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS

JSON_OBJECT = as_json("print one JSON object instead of a table")
NEVER_RESIGN = flag("--never-resign", "play lost games to their end")
ROLLOUT_LEVEL = "expert"

HINT = ShellCommand(
    "hint",
    "rank the plays of a roll, or show the cube action",
    "engine.hint:show_hint",
    (
        *POSITION,
        number("--most", 10, "plays to show (10)", least=1, old="--plays"),
        option("--plies", "N", "look ahead N plies, 0 to 4, at every play shown; 0..2 or 0,2: "
               "compare these depths", depths),
        JSON_OBJECT,
        FLIP,
        file("--svg", "draw the board into this file"),
        *level("world-class"),
    ),
    examples="""
sixprime hint 4HPwATDgc/ABMA --dice 31
sixprime hint 4HPwATDgc/ABMA --jacoby --beavers
sixprime hint 4HPwATDgc/ABMA --dice 31 --plies 0..2""",
    notes=f"{POSITION_FORMS}, or a file (-: standard input): XG's .xgp, or a match, whose "
    "last position is taken. If neither POSITION nor --dice has a roll, the cube action is shown.",
    remark="plays or cube",
)  # fmt: skip
STUDY = ShellCommand(
    "position",
    "count pips, race, cube points and rolls of a position",
    "engine.position:study_position",
    (
        *BEFORE_ROLL,
        option("--chances", "W,G,B,LG,LB", "instead of the engine's: win, win gammon, win "
               "backgammon, lose gammon, lose backgammon"),
        flag("--no-rolls", "leave out the list of rolls"),
        FLIP,
        as_json("print one JSON object instead of tables"),
        file("--html", "write all of it to a page", kind=new_file),
        file("--map", "write the temperature map as SVG", kind=new_file),
        *level("world-class"),
    ),
    examples="""
sixprime position 4HPwATDgc/ABMA
sixprime position 4HPwATDgc/ABMA:cAkAAAAAAAAE --html study.html --map rolls.svg
sixprime position 2+4HAADb7gIAAA --no-rolls --json
sixprime position 4HPwATDgc/ABMA --chances 0.525,0.149,0.007,0.125,0.005""",
    notes=f"{POSITION_FORMS}, or a file, before the roll. Dead: nobody turns the cube again; live: "
    "both players do so at the perfect moment.",
    remark="race, cube points, rolls",
)  # fmt: skip


def _looks() -> tuple[Option, ...]:
    """List the options of looking ahead, from the start and from a later turn on."""
    found: list[Option] = []
    for when, default, plies, later in (
        ("", f" ({ROLLOUT_LEVEL})", " (0)", ""), ("later-", "", "", ", later"),
    ):  # fmt: skip
        text = f"a level, or a rating such as 1650{default}{later}"
        found += [
            option(f"--{when}level", "L", text, offers=LEVELS),
            option(f"--{when}plies", "N", f"plies to look ahead for plays{plies}{later}"),
            option(f"--{when}cube-plies", "N", f"plies for the cube{later}; default: as for plays"),
            option(f"--{when}filter", "F", f"filter of the plays that are searched deeper{later}",
                   offers=FILTERS),
        ]  # fmt: skip
    return tuple(found)


ROLLOUT = ShellCommand(
    "rollout",
    "compare plays or cube actions by playing the position out many times",
    "engine.rollout:roll_position_out",
    (
        *POSITION,
        number("--most", 5, "plays to compare, the best at 0-ply (5)", least=1, old="--plays"),
        MET,
        option("--trials", "N", "trials of each candidate (1296)", int, default=1296),
        flag("--cubeless", "play without a cube"),
        flag("--opening", "the first roll is the opening roll: no double"),
        option("--seed", "N", "seed of the dice (1)", int, default=1),
        flag("--plain-dice", "do not spread the first rolls evenly"),
        flag("--no-reduction", "do not take luck out of the results"),
        Group(
            "how to look ahead",
            (
                *_looks(),
                option("--later-after", "N", "turn from which the `later` options apply",
                       at_least(1)),
                LEVELS_FILE,
            ),
            "one value, or two with a comma: the player who decides, and the opponent",
        ),
        Group(
            "when to end",
            (
                option("--truncate", "N", "judge the position after N turns", int, default=0),
                option("--truncate-plies", "N", "plies to look ahead for that (0)", int, default=0),
                flag("--no-databases", "play on in the bearoff"),
                flag("--no-one-sided", "play on where the one-sided database knows the rest"),
                flag("--no-two-sided", "play on where the two-sided database knows the rest"),
                option("--stop-at", "JSD", "drop plays that are this many joint standard "
                       "deviations behind (0: never)", float, default=0.0),
                option("--stop-at-error", "E", "end at this standard error of the equity "
                       "(0: never)", float, default=0.0),
                option("--stop-after", "N", "but not before this many trials (324)", int,
                       default=324),
            ),
        ),
        file("--log", "write every game there as SGF, replacing the games of an earlier rollout",
             "FOLDER"),
        THREADS,
        option("--scheduler", "ADDRESS", "run on this Dask cluster"),
        file("--resume", "keep the state here, and resume from it", kind=new_file, old="--save"),
        WEIGHTS,
        JSON_OBJECT,
    ),
    examples="sixprime rollout 4HPwATDgc/ABMA --dice 31 --trials 1296",
    notes=f"{POSITION_FORMS}. With a roll, its best plays are compared; without one, doubling "
    "and not doubling. With --resume a stopped rollout resumes, and ends with the same numbers.",
)  # fmt: skip

_TABLE = "a name or gnubg's XML file"
_JSON = as_json()
MET_COMMAND = ShellCommand(
    "met",
    "show match equity tables: chances, take points, gammon values",
    groups=verbs(
        ShellCommand("list", "list the tables", "engine.met:list_tables"),
        ShellCommand(
            "show",
            "show the chances of winning the match at each score",
            "engine.met:show_table",
            (
                argument("met", "TABLE", _TABLE, nargs="?", offers=TABLES),
                option("--length", "N", "points (9)", int, default=9),
                _JSON,
            ),
        ),
        ShellCommand(
            "score",
            "show gammon values, take points and doubling windows",
            "engine.met:show_score",
            (
                argument("score", "YOURS-THEIRS", "points won, such as 3-5"),
                argument("length", "LENGTH", "length of the match", kind=int),
                flag("--crawford", "this is the Crawford game"),
                option("--cube", "N", "value of the cube before it is turned (1)", int, default=1),
                option("--gammons", "WON,LOST", "shares of gammons among the games won, and lost "
                       "(0.26,0.26)", default="0.26,0.26"),
                option("--met", "TABLE", _TABLE, offers=TABLES),
                _JSON,
            ),
        ),
    ),
    examples="""
sixprime met list
sixprime met show woolsey --length 7
sixprime met show /usr/share/gnubg/met/g11.xml --length 5 --json
sixprime met score 3-5 7                      you need 4, the other 2 of a 7-point match
sixprime met score 6-4 7 --crawford --met jacobs-trice""",
    remark="any match equity table",
)  # fmt: skip

DECIDE = ShellCommand(
    "decide",
    "answer JSON lines about positions with JSON lines about plays and cubes",
    "engine.decide:answer_lines",
    level("expert"),
    examples='echo \'{"position": "4HPwATDgc/ABMA", "dice": [3, 1]}\' | sixprime decide',
    remark="JSON",
)
EXTERNAL = ShellCommand(
    "external",
    "open gnubg's external player socket, so that gnubg plays against the engine",
    "engine.external:serve_gnubg",
    (
        option("--listen", "HOST:PORT", "or the path of a Unix socket (default 127.0.0.1:4322)",
               default="127.0.0.1:4322"),
        *level("world-class"),
        flag("--no-jacoby", "gnubg plays money games without the Jacoby rule, which it does not "
             "announce"),
        flag("--beavers", "gnubg allows beavers in money games; if it does not, gnubg stops at "
             "one"),
        NEVER_RESIGN,
    ),
    examples="""
sixprime external --level world-class
gnubg -t                          in another terminal, and there:
set player 0 external 127.0.0.1:4322
new match 5""",
    remark="gnubg's socket",
    alone=SERVES,
)  # fmt: skip
REFEREE = ShellCommand(
    "referee",
    "let gnubg play matches against the engine, and report the results",
    "engine.referee:play_matches",
    (
        option("--matches", "N", "number of matches (default 2)", int, default=2),
        option("--length", "N", "points (default 5)", int, default=5),
        option("--seed", "N", "seed of gnubg's dice", int, default=1),
        *level("world-class"),
        option("--peer-plies", "N", "plies that gnubg looks ahead (default 2)", int, default=2),
        option("--peer-noise", "X", "noise in gnubg's evaluations", float, default=0.0),
        NEVER_RESIGN,
        file("--log", "write gnubg's records there, as SGF", "FOLDER", old="--keep"),
    ),
    examples="sixprime referee --matches 20 --length 5 --level world-class --peer-plies 2 "
    "> report.json",
)
UBGI = ShellCommand(
    "ubgi",
    "speak the Universal Backgammon Interface on standard input and output",
    "engine.ubgi:converse_in_ubgi",
    (
        *level("world-class"),
        flag("--draft", "greet as draft 0.01 does, with `readyok` instead of `ubgiok`"),
    ),
    examples=r"printf 'position gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo role chequer\n' "
    "| sixprime ubgi",
    notes="The option Variant (key game.variant) chooses the game, which no position contains: "
    "standard, nackgammon, hypergammon-1, hypergammon-2 or hypergammon-3.",
)
RUN = ShellCommand(
    "run",
    "run the commands of a file, one a line, as typed after `sixprime`",
    "commandfile:run_file",
    (
        argument("file", "FILE", "a text, or - for standard input"),
        flag("--keep-going", "go on after a command that fails"),
    ),
    examples="""
sixprime run evening.txt
sixprime run - --keep-going < evening.txt""",
    notes="""evening.txt could be:
  # the club's evening
  convert table1.txt table1.sgf
  archive import table1.sgf 'table 2.mat' --database sqlite:///club.db
  archive errors --most 3 --database sqlite:///club.db
A # begins a comment, and quotes work as in a shell, but *, ~, | and > do not. The first command \
that fails ends the run, with its line number and exit code.""",
    remark="command files",
    alone="it runs a command file itself",
)

_POINTS = option("--points", "P", "points 1..P (default 6)", int, default=6)
_BUILD_THREADS = option("--threads", "N", "number of threads (default 1)", threads, default=1)
_NO_HEADER = flag("--no-header", "leave out the 40 bytes of header")
_FILE = argument("file", "FILE", "an existing file is replaced", kind=new_file)
_BD = argument("file", "FILE", "a .bd file with its header", kind=Path)
BEAROFF = ShellCommand(
    "bearoff",
    "write bearoff databases in gnubg's own file format, and show their contents",
    groups=verbs(
        ShellCommand(
            "one-sided",
            "write each side's chances of being off after n rolls, for 15 checkers",
            "engine.bearoff:write_one_sided",
            (
                _POINTS,
                flag("--no-gammons", "leave out gammon distributions"),
                flag("--uncompressed", "write all 32 words of each distribution"),
                flag("--normal", "write only mean and standard deviation of each"),
                _NO_HEADER,
                _FILE,
            ),
            examples="sixprime bearoff one-sided --points 8 gnubg_os.bd",
        ),
        ShellCommand(
            "two-sided",
            "write exact money equities, without and with the cube, for few checkers",
            "engine.bearoff:write_two_sided",
            (
                _POINTS,
                option("--checkers", "C", "at most C a side (default 6)", int, default=6),
                flag("--cubeless", "leave out the cubeful equities"),
                _BUILD_THREADS,
                _NO_HEADER,
                _FILE,
            ),
            examples="sixprime bearoff two-sided --checkers 7 --points 6 gnubg_ts.bd",
        ),
        ShellCommand(
            "hyper",
            "write chances and money equities of hypergammon",
            "engine.bearoff:write_hypergammon",
            (
                option("--checkers", "C", "1 to 3 (default 3)", int, default=3),
                _BUILD_THREADS,
                _NO_HEADER,
                argument("file", "FILE", "an existing file is replaced", kind=new_file, nargs="?"),
            ),
            examples="sixprime bearoff hyper --checkers 3\n"
            "sixprime bearoff hyper --checkers 1 hyper1.bd",
            about="Write a hypergammon database, as gnubg's makehyper does; 3 checkers take "
            "minutes. Without FILE it goes where the engine looks for it.",
        ),
        ShellCommand(
            "show",
            "show what the databases say about a position, or about one side",
            "engine.bearoff:show_position",
            (
                argument("mine", "MINE", "checkers of the player on roll on points 1,2,.."),
                argument(
                    "theirs", "THEIRS", "the opponent's checkers, in the same form", nargs="?"
                ),
            ),
            examples="sixprime bearoff show 0,1,0,0,1 0,1,1",
        ),
        ShellCommand(
            "check",
            "say which database a file of gnubg's or ours holds, and whether it is whole",
            "engine.bearoff:check_file",
            (_BD, _JSON),
            examples="sixprime bearoff check gnubg_os0.bd",
        ),
        ShellCommand(
            "entry",
            "show an entry of a file of gnubg's or ours, by its number or its position",
            "engine.bearoff:show_entry",
            (
                _BD,
                argument("entry", "ENTRY", "a number from 0 on, or a Position ID"),
                _JSON,
            ),
            examples="sixprime bearoff entry gnubg_ts.bd 100\n"
            "sixprime bearoff entry gnubg_ts.bd BwAAgAMAAAAAAA",
            notes="One-sided files number sides, the others pairs of sides, as gnubg's "
            "bearoffdump does.",
        ),
    ),
    examples="""
sixprime bearoff one-sided --points 8 gnubg_os.bd
sixprime bearoff two-sided --checkers 7 --points 6 gnubg_ts.bd
sixprime bearoff hyper --checkers 3
sixprime bearoff show 0,1,0,0,1 0,1,1
sixprime bearoff entry gnubg_ts.bd 100""",
    remark="gnubg's files",
)
WARMUP = ShellCommand(
    "warmup",
    "compile kernels and build bearoff databases in advance",
    "ready:warm_up",
    (
        argument("what", "WHAT", f"some of {', '.join(PREPARATIONS)} (all of these), "
                 f"{', '.join(ON_DEMAND)}", nargs="*", offers=(*PREPARATIONS, *ON_DEMAND)),
    ),
    examples="sixprime warmup",
)  # fmt: skip
