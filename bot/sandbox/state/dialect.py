"""Differences between FIBS-compatible servers, one switch each.

FIBS has the default values; the others are for testing clients.
"""

from __future__ import annotations

import random
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

from sixprime.engine.position import Variant, variant_named


class _Habits(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineDialect(_Habits):
    """The order of lines, and lost ones."""

    blank_before_async: bool = False  # an empty line before each asynchronous message
    glue_board: bool = False  # the text after a board comes on the same line
    glue_accept: bool = False  # the text after an accepted double comes on the same line
    stray_prompts: NonNegativeInt = 0  # every n-th line to a CLIP client begins with `> `
    swallow_every: NonNegativeInt = 0  # every n-th command of a CLIP client is lost
    missing: tuple[str, ...] = ()  # commands that this server lacks: `board`, but not `b`
    renamed: dict[str, str] = {}  # commands, and what they are called here


class LobbyDialect(_Habits):
    """Logins, lists, invitations, settings."""

    login_prompts: PositiveInt = 1  # repetitions of `login: `
    second_login: Literal["warning", "kick", "twice"] = "warning"  # of a logged-in account
    failed_login: Literal["prompt", "text", "close"] = "text"  # the answer to a wrong password
    who_end: Literal["6", "6 ", "missing"] = "6"  # the end of the answer to `who`
    duplicate_who: bool = False  # the who list comes twice at login
    hidden_autodouble: bool = False  # the toggle list lacks autodouble
    saved_warning: bool = True  # `WARNING: Don't accept if ...`
    starred_invitation: bool = False  # the warning begins with `** `
    repbot: bool = False  # somebody called RepBotNG answers


class BoardDialect(_Habits):
    """The fields of the `board:` line."""

    crawford_may_double: bool = True  # fields 38 and 39 say 1 1 in the Crawford game
    pending_turn: Literal["responder", "doubler"] = "responder"  # field 32 during a double
    can_move_field: Literal["correct", "zero", "stale"] = "correct"  # field 49
    stale_dice: bool = False  # boards keep the dice of the turn before
    one_point_post_crawford: bool = False  # field 51 is 1 in a one-point match
    sorted_dice: bool = False  # dice in the board from high to low
    stale_boards: NonNegativeInt = 0  # after every n-th board of a match the one before comes again
    dance_board: bool = False  # a board also follows a dance


class MatchDialect(_Habits):
    """The course of a match and its words."""

    variant: Annotated[Variant, BeforeValidator(variant_named)] = (
        Variant.STANDARD
    )  # the variant played
    opening_period: bool = False  # `You rolled 6, OPP rolled 2` ends in a period
    please_move_opening: bool = False  # `Please move 2 pieces.` after the opening roll
    always_pieces: bool = False  # `Please move 1 pieces.`
    off_word: Literal["off", "home"] = "off"  # in the echo of the opponent's move
    final_board: Literal["none", "before", "after"] = "none"  # board with turn 0 at the end
    prompts: bool = True  # lines say whose turn it is; boards show it anyway
    resignation: Literal["both", "resigner"] = "both"  # players told that it was accepted
    finished: Literal["gone", "saved", "joined"] = "gone"  # matches: "joined" again at login
    crawford_autoroll: bool = True  # the Crawford game is rolled for the player
    take_autoroll: bool = True  # the doubler's roll after a take
    resume_lines: Literal["fibs", "bare", "user"] = "fibs"  # periods, `points for user NAME`
    drop_text: bool = True  # `OPP drops connection. The game was saved.`
    rating_tabs: bool = True  # the K= line has two TABs
    alternate_seats: bool = True  # O and X change from game to game


class Dialect(LineDialect, LobbyDialect, BoardDialect, MatchDialect):
    """One server's habits, which the settings list without these groups."""

    @model_validator(mode="before")
    @classmethod
    def _of_version_0_1(cls, given: Any) -> Any:
        """Translate `board_words` of version 0.1: `b` means that `board` is missing."""
        if not isinstance(given, dict) or "board_words" not in given:
            return given
        rest = dict(given)
        missing = {"both": (), "b": ("board",), "board": ("b",)}.get(rest["board_words"])
        if missing is None:
            return given
        del rest["board_words"]
        return {"missing": missing, **rest}


SPARED = ("board", "kibitz", "oldmoves", "rawwho", "say", "time", "version", "whisper")
HABITS = 0.3  # the share of unusual habits of a made-up server


def made_up(seed: int) -> Dialect:
    """Invent a dialect; nearly all invented ones can be played on."""
    dice = random.Random(seed)
    names = (name for name in Dialect.model_fields if name != "variant")  # FIBS plays one
    unusual = [name for name in names if dice.random() < HABITS]
    habits = {name: _another(name, dice) for name in unusual if name not in ("missing", "renamed")}
    missing = [word for word in SPARED if dice.random() < HABITS]
    habits["missing"] = tuple(missing[::2])
    habits["renamed"] = {word: f"{word}_" for word in missing[1::2]}
    if "rawwho" in missing:
        habits.pop("who_end", None)  # or no list of users would have an end
    return Dialect.model_validate(habits)


def _another(name: str, dice: random.Random) -> Any:
    """Return an unusual value of this habit."""
    field = Dialect.model_fields[name]
    if field.annotation is bool:
        return not field.default
    if choices := get_args(field.annotation):
        return dice.choice(choices)
    fewest = {"login_prompts": 2, "stray_prompts": 2, "stale_boards": 30, "swallow_every": 50}
    return fewest[name] + dice.randrange(fewest[name])
