"""How FIBS-compatible servers differ: one switch for each known variant.

The defaults are those of FIBS; the other values are for testing clients.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class _Habits(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineDialect(_Habits):
    """How lines follow each other, and which get lost."""

    blank_before_async: bool = False  # an empty line before each asynchronous message
    glue_board: bool = False  # the text after a board comes on the same line
    glue_accept: bool = False  # the text after an accepted double comes on the same line
    stray_prompts: NonNegativeInt = 0  # every n-th line to a CLIP client begins with `> `
    swallow_every: NonNegativeInt = 0  # every n-th command of a CLIP client is lost


class LobbyDialect(_Habits):
    """Logins, lists, invitations, settings."""

    second_login: Literal["warning", "kick", "twice"] = "warning"  # of a logged-in account
    failed_login: Literal["prompt", "text", "close"] = "text"  # what follows a wrong password
    who_end: Literal["6", "6 ", "missing"] = "6"  # the end of the answer to `who`
    duplicate_who: bool = False  # own `5`/`6` pair twice at login
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


class MatchDialect(_Habits):
    """The course of a match and its words."""

    opening_period: bool = False  # `You rolled 6, OPP rolled 2` ends in a period
    please_move_opening: bool = False  # `Please move 2 pieces.` after the opening roll
    always_pieces: bool = False  # `Please move 1 pieces.`
    off_word: Literal["off", "home"] = "off"  # in the echo of the opponent's move
    final_board: Literal["none", "before", "after"] = "none"  # board with turn 0 at the end
    board_words: Literal["both", "b", "board"] = "both"  # the spellings of the command
    crawford_autoroll: bool = True  # the Crawford game is rolled for the player
    take_autoroll: bool = True  # the doubler's roll after a take
    resume_lines: Literal["fibs", "bare", "user"] = "fibs"  # periods, `points for user NAME`
    drop_text: bool = True  # `OPP drops connection. The game was saved.`
    rating_tabs: bool = True  # the K= line has two TABs
    alternate_seats: bool = True  # O and X change from game to game


class Dialect(LineDialect, LobbyDialect, BoardDialect, MatchDialect):
    """One server's habits; in the settings they stand side by side."""
