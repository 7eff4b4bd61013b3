"""The server's refusals, by reason; a refusal never changes a game.

The value of a reason is the line as FIBS writes it, a template whose one field is `about`: the
name, the word or the number that the line mentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sixprime.protocols.fibs.wire.messages import Message


class Refusal(Enum):
    """Reasons of the server; the values are templates of its lines."""

    # general
    UNKNOWN_COMMAND = "** Unknown command: '{about:quoted}'"
    NOT_IMPLEMENTED = "The command `{about:quoted}' is not yet implemented[.]"
    NAME_NEEDED = "** please give a name as an argument[.]"
    ONE_NAME_ONLY = "** Please use only one of the given names {about:text}"
    DONE_ALREADY = "** You already did that[.]"
    POSITIVE_NUMBER_AFTER = "** Please give a positive number after '{about:quoted}'[.]"
    NO_SUCH_USER = "** There is no one called {about:lazy}[~.]"
    UNKNOWN_USER = "** Don't know user {about:lazy}[~.]"
    AMBIGUOUS_NAME = "Ambigous name: Try one of: {about:text}"

    # settings and account
    UNKNOWN_TOGGLE = "** Don't know how to toggle {about:lazy}[~.]"
    UNKNOWN_SHOW = "** Don't know how to show {about:lazy}[~.]"
    SHOW_WHAT = "** show what?"
    BAD_VALUE = "** Valid arguments are {about:text}"
    BAD_SORT = "** Unknown value '{about:quoted}'. Try 'login', 'name', 'rating' or 'rrating'[.]"
    BAD_TIMEZONE = "** Can't find timezone '{about:quoted}'. Try one of:"
    BAD_VARIABLE = "** Invalid argument. Type 'help set'[.]"
    NOT_AWAY = "** You're not away[.]"
    NOT_AN_ADDRESS = "** '{about:quoted}' is not an email address[.]"
    NO_ADDRESS = "** You didn't give your address[.]"
    ADDRESS_TOO_LONG = "** Your address is too long[.]"

    # registration
    BAD_NAME = "** Your name may only contain letters and the underscore character _ [.]"
    NAME_TAKEN = "** Please use another name. '{about:quoted}' is already used by someone else[.]"
    PASSWORD_TOO_SHORT = "Minimal password length is 4 characters[.]"
    PASSWORD_COLON = "Your password may not contain ':'[~.]"
    NO_PASSWORD = "** No password given. Please choose a new name[~.]"

    # in a game
    NOT_PLAYING = "** You're not playing[.]"
    NOT_YOUR_ROLL = "** It's not your turn to roll the dice[.]"
    ROLLED_ALREADY = "** You did already roll the dice[.]"
    NOT_YOUR_TURN = "** It's not your turn[.]"
    NOT_YOUR_MOVE = "** It's not your turn to move[.]"
    ROLL_FIRST = "** You have to roll the dice before moving[.]"
    TOO_FEW_MOVES = "** You must give {about:word} moves[.]"
    TOO_MANY_MOVES = "** Please don't give more than {about:word} moves[.]"
    BAD_STEP = "** You can't move {about:text}"  # `5 points in your first move.` and its kin
    BAD_BEAROFF = "** You can't remove this piece in your {about:word} move[.]"
    BAR_FIRST = "** You have to remove pieces from the bar in your {about:word} move[.]"
    BAD_WORDS = "** {about:word} move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'[.]"
    ILLEGAL_MOVE = "** Illegal move[ ({about:quoted})]"
    DOUBLE_BEFORE_ROLL = "** You can only double before you roll the dice[.]"
    NOT_YOUR_DOUBLE = "** It's not your turn to double[.]"
    NO_DOUBLE_IN_FIRST_MOVE = "** You cannot double in the first move[.]"
    CRAWFORD = "** The Crawford rule[ doesn't allow you to double in this game.]"
    NO_REDOUBLE = "** You can't redouble now. Type 'accept' or 'reject'[.]"
    RESIGNING_NOT_DOUBLING = "** You can't double now. You want to resign[.]"
    WAIT_FOR_MOVE = "** Please wait until {about:name} has moved[.]"
    DOUBLE_UNANSWERED = "** {about:name} hasn't responded to your double yet[.]"
    RESIGNATION_UNANSWERED = "** {about:name} hasn't accepted or rejected your resign yet[.]"
    ANSWER_DOUBLE = "** {about:name} doubled. Type 'accept' or 'reject'[.]"
    ANSWER_RESIGNATION = "** {about:name} wanted to resign. Type 'accept' or 'reject'[.]"
    NOTHING_OFFERED = "** {about:name} didn't double or resign[.]"
    RESIGN_WHAT = "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign[.]"
    GAME_OVER = "** The {about:word} is already over[.]"
    OPENING_ROLL_OPEN = "** The opening roll must be done by both players[.]"
    NO_ONE_TO_LEAVE = "** Error: No one to leave[.]"

    # invitations
    INVITE_WHO = "** invite who?"
    NOT_YOURSELF = "** You can't invite yourself[.]"
    REFUSES_GAMES = "** {about:name} is refusing games[.]"
    PLAYING_ELSEWHERE = "** {about:name} is already playing with someone else[.]"
    INVITER_PLAYS_ELSEWHERE = "** Error: {about:name} is already playing with someone else[.]"
    PLAYING_ALREADY = "** You are already playing[.]"
    READY_FIRST = "** Use 'toggle ready' first[~.]"
    NO_SAVED_MATCH = "** There's no saved match with {about:name}. Please give a match length[.]"
    BAD_LENGTH = "** The second argument to 'invite' has to be a number or the word 'unlimited'[~.]"
    LENGTH_TOO_LONG = "** You can't play a {about:word} point match[.]"
    NOT_EXPERIENCED = "** You're not experienced enough to play a match of that length[.]"
    JOIN_WHO = "** Error: Join who?"
    NOT_INVITED = "** {about:name} didn't invite you[.]"
    INVITER_GONE = "** Error: can't find player {about:lazy}[~.]"
    TWO_GAMES = "** You can't play two games at once[~.]"
    SAVED_MATCH_CORRUPT = "** ERROR: Saved match is corrupt. Please start another one[.]"

    # watching and talking
    WATCH_WHO = "** Watch who?"
    USE_A_MIRROR = "** Use a mirror to do that[.]"
    NO_WATCHERS_WANTED = "** {about:name} doesn't want you to watch[.]"
    WATCHING_WHILE_PLAYING = "** You can't watch another game while you're playing[.]"
    NOT_WATCHING = "** You're not watching[.]"
    LOOK_AT_WHO = "** Look at who?"
    TELL_WHOM = "** Tell whom?"
    TELL_WHAT = "** Tell {about:name} what?"
    NOT_HEARD = "** {about:name} won't listen to you[.]"
    NOT_LISTENING = "** You can't talk if you won't listen[.]"
    NOT_WATCHING_OR_PLAYING = "** You're not watching or playing[.]"
    SILENT = "** Please type 'toggle silent' again before you shout[.]"
    TALKS_TOO_MUCH = "** You talk too much, don't you?"
    MESSAGE_USAGE = "** usage: message <user> <text>"
    NOT_NOW = "** You can't read this message now, can you?"
    PIP_NOT_ALLOWED = "** {about:name} doesn't allow you to use the pip command[.]"


NO_DOUBLE = frozenset({Refusal.CRAWFORD, Refusal.NO_DOUBLE_IN_FIRST_MOVE, Refusal.NOT_YOUR_DOUBLE})
ILLEGAL_MOVES = frozenset(
    {
        Refusal.TOO_FEW_MOVES,
        Refusal.TOO_MANY_MOVES,
        Refusal.BAD_STEP,
        Refusal.BAD_BEAROFF,
        Refusal.BAR_FIRST,
        Refusal.BAD_WORDS,
        Refusal.ILLEGAL_MOVE,
    }
)
IN_GAME = (
    NO_DOUBLE
    | ILLEGAL_MOVES
    | {
        Refusal.DONE_ALREADY,
        Refusal.NOT_YOUR_TURN,
        Refusal.NOT_YOUR_ROLL,
        Refusal.ROLLED_ALREADY,
        Refusal.NOT_YOUR_MOVE,
        Refusal.ROLL_FIRST,
        Refusal.DOUBLE_BEFORE_ROLL,
        Refusal.RESIGNING_NOT_DOUBLING,
        Refusal.WAIT_FOR_MOVE,
        Refusal.NOTHING_OFFERED,
        Refusal.GAME_OVER,
        Refusal.OPENING_ROLL_OPEN,
    }
)

OTHER_WORDS = (
    # the words of other servers, which are read and never written
    (Refusal.NOT_PLAYING, "[~** ]You are not playing[.]"),
    (Refusal.NOT_PLAYING, "You're not playing[.]"),
    (Refusal.NOT_PLAYING, "** You're not playing, so you can't give up[.]"),
    (Refusal.NOT_WATCHING_OR_PLAYING, "** You're not playing or watching[.]"),
    (Refusal.NOT_YOUR_TURN, "It's not your turn[.]"),
    (Refusal.NOT_YOUR_DOUBLE, "[~** ]It's not your turn to redouble[.]"),
    (Refusal.NO_REDOUBLE, "** You can't redouble now[.]"),
    (
        Refusal.RESIGNATION_UNANSWERED,
        "** Wait until {about:name} accepted or rejected your resign[.]",
    ),
    (Refusal.NO_SUCH_USER, "** There is no user called {about:lazy}[~.]"),
    (Refusal.NOT_YOUR_MOVE, "It's not your turn to move[.]"),
    (Refusal.NOT_YOUR_ROLL, "It's not your turn to roll the dice[.]"),
    (Refusal.NOT_YOUR_DOUBLE, "It's not your turn to double[.]"),
    (Refusal.CRAWFORD, "** The Crawford rule {_:rest}"),
    (Refusal.ILLEGAL_MOVE, "** Illegal move {_:rest}"),
    (Refusal.NO_SAVED_MATCH, "** There is no saved match with {about:name}[~. {_:rest}]"),
    (Refusal.NO_SAVED_MATCH, "** Theres no saved match with {_:rest}"),  # jIBS names nobody
    (Refusal.AMBIGUOUS_NAME, "Ambiguous name: {about:text}"),
    (Refusal.AMBIGUOUS_NAME, "Ambigous name: {about:text}"),
    (Refusal.NOT_IMPLEMENTED, "The command '{about:quoted}' is not yet implemented[.]"),
    (Refusal.NOT_IMPLEMENTED, "** Not yet implemented: '{about:quoted}'[.]"),
    (Refusal.NOT_IMPLEMENTED, "** {about:word} is not implemented, yet[.]"),
    (Refusal.PLAYING_ELSEWHERE, "[~** ]{about:name} is already playing with {_:rest}"),
)


@dataclass(frozen=True, slots=True)
class Refused(Message):
    """A refusal by the server; `about` is the name, word or number in the line."""

    why: Refusal
    about: str = ""
