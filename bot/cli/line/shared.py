"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.archive.collection.filters import (
    EXCLUDING,
    MATCH_FILTERS,
    OUTCOMES,
    RESULT,
    SWITCH,
    Filter,
)
from sixprime.bot.cli.line.command import (
    Group,
    OneOf,
    Option,
    argument,
    choice,
    file,
    flag,
    number,
    option,
)
from sixprime.bot.cli.line.values import database, threads, value_of
from sixprime.engine.position import Variant
from sixprime.engine.ratings import PEOPLE

# names that shells complete; tests compare them with the engine's
LEVELS = ("beginner", "casual", "intermediate", "advanced", "expert", "world-class", "supremo",
          "grandmaster", "4ply", "roller")  # fmt: skip
OFFERED = (*(f"pr{pr}" for pr in PEOPLE), *LEVELS)  # any level, by words without a space
TABLES = ("g11", "jacobs-trice", "jacobs-trice-plus100", "jacobs-trice-plus50", "kazaross-xg2",
          "mec", "mec26", "ortega-kleinman", "rockwell-kazaross", "snowie21", "woolsey",
          "zadeh")  # fmt: skip
FILTERS = ("tiny", "narrow", "normal", "large", "huge")
READABLE = ("xg", "ogxm", "bgf", "gnubgtext", "sgf", "oldmoves", "mat", "sgg", "tmg", "party",
            "bgroom", "bkg", "gam", "javafibs", "bgammon", "xgtext", "positions",
            "pos")  # fmt: skip
SERVES = "it serves until it is stopped"
PROFILES = "profiles"  # names in the settings file
VARIANTS = tuple(variant.called for variant in Variant)
MATCH_FORMATS = ("oldmoves", "sgf", "mat")

SETTINGS_VARIABLE = "SIXPRIME_CONFIG"
SETTINGS_NAME = "sixprime.yaml"  # that `sixprime init` writes
SETTINGS_HERE = (Path(SETTINGS_NAME), Path("config/fibs.yaml"))  # the second in a checkout
SETTINGS = (
    f"settings (${SETTINGS_VARIABLE}, ./{SETTINGS_NAME}, ./{SETTINGS_HERE[1]}, "
    f"~/.config/sixprime/{SETTINGS_NAME})"
)

CONFIG = file("--config", SETTINGS)
STRICT = flag("--strict", "refuse a file in which anything is illegal or missing")
WEIGHTS = file("--weights", "nets, instead of the shipped ones")
MET = option("--met", "TABLE", "match equity table: a name (sixprime met list) or gnubg's XML file",
             offers=TABLES)  # fmt: skip
LEVELS_FILE = file("--levels-file", "more levels, see `sixprime config example levels`")
THREADS = option("--threads", "N", "number of threads (default 1)", threads, default=1)
PEER = choice("--peer", ("gnubg",), "measure gnubg too, in the same run")
PEER_COMMAND = option("--peer-command", "PROGRAM",
                      "the gnubg to start (default: the installed one)",
                      default="gnubg")  # fmt: skip


def profile(text: str) -> Option:
    return option("--profile", "NAME", text, offers=PROFILES)


def as_json(text: str = "print JSON, for programs") -> Option:
    return flag("--json", text)


def level(default: str | None, words: str = "") -> tuple[Option, ...]:
    """Options of every command that thinks; `words` describe a default that depends."""
    usual = f"(default {words or default})"
    text = f"a level, 'pr 7' (like people of that PR), or a rating such as 1650 {usual}"
    return (
        option("--level", "L", text, default=default, offers=OFFERED),
        LEVELS_FILE,
        MET,
        option("--threads", "N", "number of threads, instead of the level's own", threads),
        WEIGHTS,
    )


def variant(text: str, default: str | None = None) -> Option:
    text = f"{text}: {', '.join(VARIANTS)}"
    return choice("--variant", VARIANTS, text, metavar="V", default=default)


MONEY_RULES = Group(
    "rules of money play",
    (
        OneOf((
            flag("--jacoby", "gammons count only after a double"),
            flag("--no-jacoby", "gammons always count, whatever POSITION says"),
        )),
        OneOf((
            flag("--beavers", "who is doubled may redouble at once and keep the cube"),
            flag("--no-beavers", "nobody may, whatever POSITION says"),
        )),
    ),
)  # fmt: skip
FLIP = flag("--flip", "draw the board from the other side, with the player on roll above")
_PLACE = (
    argument("position", "POSITION", "see below"),
    option("--match", "ID", "Match ID, instead of the one in POSITION"),
)
BEFORE_ROLL = (*_PLACE, variant("the game, which no ID contains"), MONEY_RULES)
POSITION = (
    *_PLACE,
    option("--dice", "31", "the roll, instead of the one in the match"),
    *BEFORE_ROLL[len(_PLACE) :],
)
POSITION_FORMS = (
    "A Position ID alone is money play with a centred cube, without the Jacoby rule and beavers, "
    "which gnubg's sessions have (--jacoby --beavers). POSITION is a Position ID, posid:matchid, "
    "an XGID or a FIBS board line in quotes"
)

# --- analyses

TRIALS = 1296
KEPT = 5
MARKS = {
    "doubtful": "mark decisions that lose this much as doubtful",
    "bad": "mark decisions that lose this much as bad",
    "very-bad": "mark decisions that lose this much as very bad",
    "lucky": "mark rolls that gain this much as lucky, and rolls that lose it as unlucky",
    "very-lucky": "mark rolls that gain this much as very lucky, and rolls that lose it as very "
    "unlucky",
}
LUCK_PLIES = option(
    "--luck-plies", "{0,1,2}", "judge luck this many turns ahead (0); each turn takes 20 times "
    "longer", int, choices=(0, 1, 2), default=0,
)  # fmt: skip
_JUDGING = (
    *(option(f"--{name}", "EMG", text, float) for name, text in MARKS.items()),
    LUCK_PLIES,
    number("--keep", KEPT, f"plays to keep for each roll, besides the one made ({KEPT})", least=1),
)
ANALYSIS = (*_JUDGING, *level("world-class"))
ANALYSIS_OF_ARCHIVE = (*_JUDGING, *level(None, "as last time, or world-class"))


ROLLOUT_OF_ERRORS = (
    flag("--rollout", "roll out the errors shown", old="--rollout-errors"),
    number("--trials", TRIALS, f"trials of a rollout ({TRIALS})", least=1),
    number("--seed", 1, "seed of its dice (1)"),
)


# --- archives

ARCHIVE = (
    OneOf((CONFIG, option("--database", "URL", "the archive, without settings", database))),
    profile("the bot whose archive to use, if each has its own"),
)
ANALYSED_AT = option("--analysis", "KEY", "settings of the analyses (default: the most used)")
MATCH_ID = option("--match", "ID", "only this match", int, action="append")


def which_matches(*more: Option) -> Group:
    """Filters of archived matches."""
    options = {each.name: _filter_option(each) for each in MATCH_FILTERS}
    excluding = OneOf(tuple(options.pop(name) for name in EXCLUDING))
    return Group("which matches", (*more, excluding, *options.values()))


def _filter_option(declared: Filter) -> Option:
    if declared.kind is SWITCH:
        return flag(declared.option, declared.help)
    return Option(
        (declared.option,),
        declared.help,
        value_of(declared.kind.parse, declared.kind.wanted),
        declared.metavar,
        choices=OUTCOMES if declared.kind is RESULT else (),
        offers=LEVELS if declared.name == "level" else (),
    )
