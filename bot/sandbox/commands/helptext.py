"""The text of `help`, for somebody in a telnet window who wants to play."""

from __future__ import annotations

BEGINNER = """\
First steps
  set boardstyle 2          a picture of the board from your side (1: O always at the bottom)
  toggle ready              say that you want to play; others can invite you now
  who                       who is here, and who is ready
  invite NAME 3             ask for a 3 point match; 'join NAME' accepts one
  help game                 what to type during a game
  bye                       leave; a running match is saved, 'invite NAME' resumes it"""

GAME = """\
During a game
  roll                      roll the dice             (r)
  move 13-7 8-7             move two checkers         (m, or the numbers alone: 13-7 8-7)
  move bar-20 6-off         from the bar, off the board
  double                    offer the cube, before you roll
  accept, reject            answer a double or a resignation
  resign n                  give up a normal game, g a gammon, b a backgammon
  board, pip                the board again, the pip counts
  say TEXT                  talk to your opponent, 'kibitz TEXT' also to those who watch
  join, leave               between two games: go on, or save the match for another day
Points are numbered as on the board you see; the numbers are the same for both players."""

TOPICS: dict[str, str] = {
    "beginner": BEGINNER,
    "game": GAME,
    "accept": "accept: take a double, or accept a resignation.",
    "address": "address x@y.z: your email address, shown by whois.",
    "average": "average: how many users were here in each hour of the day (UTC).",
    "away": "away TEXT: tell others that you are away. away: who else is. See also: back",
    "back": "back: you are here again.",
    "beaver": "beaver: take a double and turn the cube at once (unlimited matches; set redoubles).",
    "blind": "blind NAME: this user may not watch you; repeated, it undoes that.",
    "board": "board, b: the board of your game, or of the one you watch.",
    "bye": "bye: leave. A running match is saved.",
    "double": "double: offer to double the stake, on your turn and before you roll.",
    "gag": "gag NAME: you don't hear this user any more; again: you do.",
    "help": "help [COMMAND | beginner | game]",
    "invite": "invite NAME LENGTH: ask for a match of that many points, or 'unlimited'.\n"
    "invite NAME: resume the match that you and NAME have saved.",
    "join": "join NAME: accept an invitation. join: begin the next game of your match.",
    "kibitz": "kibitz TEXT: talk to all who play or watch this match.",
    "last": "last NAME: when this user was here.",
    "leave": "leave: stop playing; the match is saved.",
    "look": "look NAME: the board of this user, once.",
    "message": "message NAME TEXT: kept for NAME until the next login.",
    "move": "move 8-5 6-5: one step for each die, each from-to; 'bar' and 'off' are places too.",
    "oldboard": "oldboard [NAME]: the last board of the last finished game.",
    "oldmoves": "oldmoves [NAME]: the moves of the last finished game.",
    "password": "password OLD:NEW:NEW: change your password.",
    "pip": "pip: the pip counts of both players.",
    "ratings": "ratings [NAME ... | from N [to M]]: the ranking.",
    "rawwho": "rawwho [NAME]: the user list as client programs read it.",
    "reject": "reject: refuse a double (which loses the game) or a resignation (which goes on).",
    "resign": "resign n, g or b: offer to lose a normal game, a gammon or a backgammon.",
    "roll": "roll, r: roll the dice.",
    "say": "say TEXT, s TEXT: talk to your opponent.",
    "set": "set: all variables. set VARIABLE: one. set VARIABLE VALUE: change it.\n"
    "Variables: boardstyle 1-3, linelength 0-999, pagelength 0-999,\n"
    "redoubles none, 1-99 or unlimited, sortwho login, name, rating or rrating, timezone.",
    "shout": "shout TEXT: talk to everybody.",
    "show": "show saved, show savedcount NAME, show games, show watchers, show max",
    "stat": "stat: figures of this server and its dice.",
    "tell": "tell NAME TEXT, t NAME TEXT: talk to one user. tellx wants the whole name.",
    "time": "time: the time here and in UTC.",
    "toggle": "toggle: all settings. toggle NAME: switch one on or off. Settings: allowpip\n"
    "autoboard autodouble automove bell crawford double greedy moreboards moves notify ratings\n"
    "ready report silent telnet wrap",
    "unwatch": "unwatch: stop watching.",
    "version": "version: what this server is.",
    "waitfor": "waitfor NAME: be told when NAME logs in.",
    "watch": "watch NAME: see everything that NAME plays.",
    "wave": "wave: wave goodbye; the second time you leave.",
    "whisper": "whisper TEXT: talk to those who watch.",
    "who": "who [count | ready | playing | away | from HOST | NAME]: who is here.",
    "whois": "whois NAME: everything about a user.",
}


def text(topic: str) -> list[str]:
    """Return the lines for `help TOPIC`, or for `help` alone."""
    if not topic:
        return _overview()
    found = TOPICS.get(topic.lower())
    return found.splitlines() if found else [f"** There is no help for '{topic}'."]


def _overview() -> list[str]:
    words = sorted(TOPICS.keys() - {"beginner", "game"})
    rows = [
        "  " + "".join(f"{word:<11}" for word in words[i : i + 6]) for i in range(0, len(words), 6)
    ]
    return [
        "Type 'help beginner' for the first steps, 'help game' for a game,",
        "'help COMMAND' for one of these commands:",
        *(row.rstrip() for row in rows),
    ]
