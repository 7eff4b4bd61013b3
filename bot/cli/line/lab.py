"""Commands that measure and make levels and nets."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.cli.line.command import (
    Option,
    Part,
    ShellCommand,
    argument,
    choice,
    file,
    flag,
    number,
    option,
    verbs,
)
from sixprime.bot.cli.line.shared import (
    ANALYSED_AT,
    ARCHIVE,
    LEVELS,
    LEVELS_FILE,
    MATCH_ID,
    OFFERED,
    PEER,
    WEIGHTS,
    as_json,
    which_matches,
)
from sixprime.bot.cli.line.values import at_least, database, new_file

MEASUREMENTS = ("positions_generated_per_second", "evaluations_per_second", "ids_per_second",
                "decide_per_second", "decision_ms", "roller", "rollout_s", "bearoff_s",
                "sandbox")  # fmt: skip
PLAY_PARTS = ("first_decision", "single", "crowd", "spectators", "prompts")
START_PARTS = ("cold", "warm", "demo")
NETS = ("contact", "race", "pruner")

NOISES = ("0.01", "0.02", "0.03", "0.04", "0.05", "0.06", "0.075", "0.09", "0.13", "0.18")
CUBE_NOISES = ("0.06", "0.2", "0.5", "1.0")
LENGTHS = (1, 3, 5, 7)
SEED = number("--seed", 1, "seed of the dice (1)")
PROCESSES = number("--processes", 1, least=1)


def _only(word: str, known: tuple[str, ...], text: str) -> Option:
    return option("--only", word, text, nargs="+", offers=known)


# --- levels

LEVELS_COMMAND = ShellCommand(
    "levels",
    "list strength levels and show their settings",
    groups=verbs(
        ShellCommand("list", "list every level, weakest first", "lab.levels:list_levels",
                (LEVELS_FILE, as_json())),
        ShellCommand(
            "show",
            "show one level as YAML",
            "lab.levels:show_level",
            (
                argument("name", "NAME", "name of the level, 'pr 7' or a rating such as 1650",
                         offers=OFFERED),
                option("--length", "N", "length of the match, for a rating (default 5)", int),
                LEVELS_FILE,
                as_json(),
            ),
        ),
        ShellCommand(
            "calibrate",
            "measure how strong levels are, in matches",
            "lab.calibrate:calibrate_levels",
            (
                option("--lengths", "N", "match lengths (default 1 3 5 7)", int, nargs="+",
                       default=list(LENGTHS)),
                option("--noises", "X", f"expert against each of these (default "
                       f"{' '.join(NOISES)})", nargs="*", default=list(NOISES)),
                option("--cube-noises", "X", "expert against an expert whose cube decisions have "
                       f"each of these noises (default {' '.join(CUBE_NOISES)})", nargs="*",
                       default=list(CUBE_NOISES)),
                option("--pairs", "A:B", "also these players, at each length", nargs="*",
                       default=[]),
                flag("--manual", "also the pairs that gnubg's manual measured"),
                option("--ratings", "R", "expert against each of these target ratings, to check "
                       "them", float, nargs="*", default=[]),
                number("--matches", 100, "matches of a pair (100)", least=10),
                file("--out", "the table, JSON", kind=new_file, required=True),
                flag("--resume", "resume from FILE's .state.json"),
                SEED,
                PROCESSES,
                WEIGHTS,
                option("--reference", "R", "expert's rating (default: that of the shipped table)",
                       float),
            ),
            examples="sixprime levels calibrate --lengths 1 3 5 7 --matches 100 --out levels.json",
            notes="A player is the name of a preset, the noise of a 0-ply player (0.04), two "
            "noises for plays and cube (0.04/0), a rating to play at (@1500), or people (pr6).",
        ),
        ShellCommand(
            "likeness",
            "measure how like people a level plays",
            "collection.likeness:measure_likeness",
            (
                argument("files", "FILE", "match files (default: the analysed matches of the "
                         "archive)", nargs="*"),
                option("--level", "L", "a level like people, or with noise (default: people of the "
                       "PR of each player)", offers=OFFERED),
                LEVELS_FILE,
                file("--plot", "draw how often plays lose how much, .svg or .png", "PICTURE",
                     new_file),
                as_json(),
                *ARCHIVE,
                ANALYSED_AT,
                which_matches(MATCH_ID),
            ),
            examples="""
sixprime levels likeness *.mat
sixprime levels likeness --database sqlite:///archive/sixprime.db --plot likeness.svg
sixprime levels likeness --player lasse --levels-file lasse.yaml --level lasse""",
            notes="It asks the level for the chance of every choice that people made.",
        ),
        ShellCommand(
            "learn",
            "learn a level that plays like one player of the archive",
            "collection.learning:learn_portrait",
            (
                argument("player", "PLAYER", "the player; `archive alias` joins names"),
                file("--out", "write the level here, for --levels-file", kind=new_file),
                as_json(),
                *ARCHIVE,
                ANALYSED_AT,
            ),
            examples="""
sixprime levels learn lasse --out lasse.yaml
sixprime hint 4HPwATDgc/ABMA --dice 31 --levels-file lasse.yaml --level lasse""",
            notes="The player needs ten analysed matches (sixprime archive analyse). The portrait "
            "stays in the file, and nothing is sent anywhere.",
        ),
        ShellCommand(
            "ratings",
            "show what was measured: noises, ratings, errors",
            "lab.calibrate:show_ratings",
            (
                file("--table", "a table, instead of the shipped one"),
                file("--into", "write it to this file as Markdown, between the marks"),
                flag("--without-pairs", "leave out the results of each pair"),
            ),
            examples="sixprime levels ratings",
        ),
    ),
    examples="sixprime levels show world-class",
    word="ACTION",
)  # fmt: skip

# --- speeds

BENCH = ShellCommand(
    "bench",
    "measure speeds and print one JSON object",
    "lab.bench:measure_speeds",
    (
        PEER,
        option("--peer-command", "PROGRAM", "the gnubg to measure (default: the installed one), or "
               "several, each in turn", nargs="+", default=()),
        _only("NAME", MEASUREMENTS, "these measurements only"),
    ),
    examples="""
sixprime bench --peer gnubg --only bearoff_s
sixprime bench --peer gnubg --peer-command /usr/games/gnubg ./gnubg --only decision_ms""",
    notes=f"measurements: {', '.join(MEASUREMENTS)}",
)  # fmt: skip
BENCHANALYSIS = ShellCommand(
    "benchanalysis",
    "measure how fast match files are analysed, or a large archive answers, as one JSON object",
    "lab.benchanalysis:measure_analysis",
    (
        argument("files", "FILE", "match files, or folders of them; for --scale also one archive",
                 nargs="*"),
        option("--level", "L", "level of the analysis (expert)", default="expert", offers=LEVELS),
        option("--rounds", "N", "take the best of N (1)", int, default=1),
        flag("--whole", "import into a new archive, and analyse it there"),
        number("--share", 1, "the peer takes 1 file in N (1)", least=1),
        choice("--peer", ("gnubg",), "measure it too, at as many plies"),
        option("--scale", "N", "copy the matches until an archive has this many (1000 10000 "
               "100000), and measure each answer and each page", at_least(1), nargs="*"),
        option("--database", "URL", "for --scale: an empty archive to fill and keep; without FILE, "
               "an archive to measure as it is", database),
        flag("--summaries", "for --scale: copy only the rows of matches and their figures"),
        option("--only", "NAME", "for --scale: these answers only", nargs="+"),
    ),
    examples="""
sixprime benchanalysis match.sgf --peer gnubg
sixprime benchanalysis collection --whole --peer gnubg --share 10
sixprime benchanalysis collection --scale                       1,000 to 100,000 matches
sixprime benchanalysis archive/sixprime.db --scale 1000000 --summaries
sixprime benchanalysis --scale --database sqlite:///large.db --only stats players""",
)  # fmt: skip
BENCHPLAY = ShellCommand(
    "benchplay",
    "measure the cost of playing and the time to answer, and print one JSON object",
    "lab.benchplay:measure_play",
    (
        number("--profiles", 50, "bots of the crowd (50)", least=1),
        number("--seconds", 20.0, "seconds each of playing and idling (20)", "S"),
        option("--level", "LEVEL", "level of the crowd (expert, which is 0-ply)", default="expert",
               offers=LEVELS),
        option("--pace", ("LEAST", "MOST"), "seconds that bots wait before they answer (0 0; the "
               "bots' default is 0.6 1.8)", float, nargs=2, default=(0.0, 0.0)),
        number("--pause", 0.5, "seconds that opponents wait, on average (0.5)", "S"),
        _only("PART", PLAY_PARTS, "these parts only"),
    ),
    examples="sixprime benchplay --profiles 50 --only crowd",
    notes=f"parts: {', '.join(PLAY_PARTS)}",
)  # fmt: skip
BENCHSTART = ShellCommand(
    "benchstart",
    "measure how long first and later starts take, and print one JSON object",
    "lab.benchstart:measure_starts",
    (
        number("--times", 5, "runs of each warm command, whose median is shown (5)", least=1),
        _only("PART", START_PARTS, "these parts only"),
    ),
    examples="sixprime benchstart --only warm",
    notes=f"parts: {', '.join(START_PARTS)}",
)

# --- training

_RUN_FILE = argument("run_file", "RUN.yaml", "see `sixprime config example`", kind=Path)
_REFINEMENT = argument("refinement", "RUN", "folder of a refinement", kind=Path)
_DEVICE = option("--device", "DEVICE", "cpu (default) or cuda", default="cpu")
_THREADS = option("--threads", "N", "default 1", int, default=1)
_FRESH = "start from these nets (narrower ones are widened), not from nothing"


def _start(text: str) -> Option:
    return file("--start", text, "BRAIN.npz")


def _folder(text: str) -> Option:
    return file("--out", f"folder {text}", "FOLDER", required=True)


def _stage(name: str, line: str, work: str, *options: Part, examples: str = "") -> ShellCommand:
    return ShellCommand(
        name, line, f"lab.train:{work}", options, examples=examples, needs=("torch", "train")
    )


TRAIN = ShellCommand(
    "train",
    "train nets by self-play alone (needs the extra `train`)",
    groups=verbs(
        _stage("selfplay", "let a net learn from its own games", "train_stage",
               _RUN_FILE, _start(_FRESH), _folder("of the run"), _DEVICE),
        _stage("refine", "let a wide net learn from exact look-ahead", "train_stage",
               file("--teacher", "folder of the self-play run to begin with", "RUN"), _RUN_FILE,
               _start(_FRESH), _folder("of the run"), _DEVICE),
        _stage("polish", "learn a refinement's positions with a falling rate", "train_stage",
               _REFINEMENT, _RUN_FILE, _start("these nets, not the refinement's own"),
               file("--race", "take its race net as it is", "BRAIN.npz"),
               choice("--only", NETS, "only this net learns", action="append", default=[]),
               _folder("of the weights"), _THREADS),
        _stage("correct", "correct gathered targets by the results of self-play games",
               "correct_targets",
               _REFINEMENT, _start("nets (default: the shipped ones)"),
               number("--games", 120_000, "games (120000)", least=1), SEED,
               _folder("of the corrected positions"), _THREADS),
        _stage("average", "average nets that learned from the same start, weight by weight",
               "average_nets",
               argument("brains", "BRAIN.npz", "the nets", kind=Path, nargs="+"),
               _folder("of the weights")),
        _stage("recipe", "run all the stages that nets go through, from nothing to shipped nets",
               "run_recipe",
               argument("recipe", "RECIPE.yaml", "see `sixprime config example`", kind=Path),
               _folder("with a folder a stage"), _DEVICE, _THREADS,
               examples="sixprime train recipe recipe.yaml --out runs/x"),
        _stage("people", "fit the model of how people choose plays to their matches",
               "train_people",
               argument("matches", "MATCHES", "match files, or folders of them", nargs="+"),
               file("--out", "the model, .npz; cube.npz and figures (.json) go beside it",
                    "FILE.npz", kind=new_file, required=True),
               number("--passes", 12, "passes over the plays (12)", least=1), SEED,
               examples="sixprime train people matches/ --out people.npz"),
        _stage("plot", "draw columns of a curve, or of the history of the nets", "plot_columns",
               argument("table", "FILE.csv", "the curve", kind=Path),
               option("--x", "COLUMN", "horizontal axis", required=True),
               option("--y", "COLUMN", "curves to draw", nargs="+", required=True),
               file("--out", ".png or .svg", "PICTURE", required=True),
               examples="sixprime train plot nets.csv --x hours "
               "--y points_a_game points_a_game_200k --out nets.svg"),
        _stage("smoke", "show in two minutes that training learns", "train_briefly",
               file("--out", "folder of the run", "FOLDER", default=Path("runs/smoke")), _DEVICE),
    ),
    examples="""
sixprime train selfplay selfplay.yaml --out runs/selfplay
sixprime train refine refine.yaml --teacher runs/selfplay --out runs/refine""",
    notes="A stopped run resumes from its checkpoint when it is started again.\n"
    "Training needs the extra `train`: pip install 'sixprime[train]'",
    word="STAGE",
    remark="extra `train`",
)  # fmt: skip
