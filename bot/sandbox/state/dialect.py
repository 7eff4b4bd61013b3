"""How this server speaks where FIBS-compatible servers differ: one switch for each known variant.

The defaults are FIBS as docs/fibs-protocol.md describes it, whose sections the numbers name. The
other values exist to try clients out.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class _Habits(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LineDialect(_Habits):
    """How lines follow each other, and which get lost."""

    blank_before_async: bool = False  # 1.6 an empty line before each asynchronous message
    glue_board: bool = False  # 1.6 the text after a board comes on the same line
    glue_accept: bool = False  # 1.6 the text after an accepted double comes on the same line
    stray_prompts: NonNegativeInt = 0  # 1.5 every n-th line to a CLIP client begins with `> `
    swallow_every: NonNegativeInt = 0  # 1.9 every n-th command of a CLIP client is lost


class LobbyDialect(_Habits):
    """Logins, lists, invitations, settings."""

    second_login: Literal["warning", "kick", "twice"] = "warning"  # 2.5
    failed_login: Literal["prompt", "text", "close"] = "text"  # 2.4
    who_end: Literal["6", "6 ", "missing"] = "6"  # 3.1 the end of the answer to `who`
    duplicate_who: bool = False  # 2.2 own `5`/`6` pair twice at login
    hidden_autodouble: bool = False  # 4.1 the toggle list lacks autodouble
    saved_warning: bool = True  # 5.2 `WARNING: Don't accept if ...`
    starred_invitation: bool = False  # 5.2 the warning begins with `** `
    repbot: bool = False  # 11.2 somebody called RepBotNG answers


class BoardDialect(_Habits):
    """The fields of the `board:` line."""

    crawford_may_double: bool = True  # 6.4 fields 38 and 39 say 1 1 in the Crawford game
    pending_turn: Literal["responder", "doubler"] = "responder"  # 6.4 field 32 during a double
    can_move_field: Literal["correct", "zero", "stale"] = "correct"  # 6.4 field 49
    stale_dice: bool = False  # 6.4 boards keep the dice of the turn before
    one_point_post_crawford: bool = False  # 6.4 field 51 is 1 in a one-point match
    sorted_dice: bool = False  # 6.4 dice in the board from high to low


class MatchDialect(_Habits):
    """The course of a match and its words."""

    opening_period: bool = False  # 7.1 `You rolled 6, OPP rolled 2` ends in a period
    please_move_opening: bool = False  # 7.1 `Please move 2 pieces.` after the opening roll
    always_pieces: bool = False  # 7.3 `Please move 1 pieces.`
    off_word: Literal["off", "home"] = "off"  # 7.4 in the echo of the opponent's move
    final_board: Literal["none", "before", "after"] = "none"  # 7.7 board with turn 0 at the end
    board_words: Literal["both", "b", "board"] = "both"  # 6 the spellings of the command
    crawford_autoroll: bool = True  # 7.2 the Crawford game is rolled for the player
    take_autoroll: bool = True  # 7.5 the doubler's roll after a take
    resume_lines: Literal["fibs", "bare", "user"] = "fibs"  # 5.4 periods, `points for user NAME`
    drop_text: bool = True  # 7.9 `OPP drops connection. The game was saved.`
    rating_tabs: bool = True  # 7.8 the K= line has two TABs
    alternate_seats: bool = True  # 6.2 O and X change from game to game


class Dialect(LineDialect, LobbyDialect, BoardDialect, MatchDialect):
    """One server's habits; in the settings they stand side by side."""
