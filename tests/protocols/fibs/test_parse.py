"""Every line format of the protocol: what it means, and how the server writes it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sixprime.protocols.fibs.wire import account, login, matches, messages, talk, turns, users
from sixprime.protocols.fibs.wire.account import TOGGLE_TEXTS
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.lines import Lines
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.parse import Context, parse
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.tables import NUMBERED, PROSE
from tests.support.fibs.servertext import produce, spellings
from tests.support.fibs.transcripts import TRANSCRIPTS, Transcript

MARVIN, SIXBOT, ZAPHOD = Player("marvin"), Player("sixbot"), Player("zaphod")
TRILLIAN, ARTHUR, NEWBIE = Player("trillian"), Player("arthur_d"), Player("newbie")


def own_info(toggles: str, *values: Any) -> account.OwnInfo:
    """With these toggles on, and all others off."""
    known = {field.name: field.name in toggles.split() for field in fields(account.KnownToggles)}
    return account.OwnInfo(*values, **cast(Any, known))


def closes(line: str) -> bool:
    """The table fixes where the line ends."""
    return any(row.closed is not None and row.closed.fullmatch(line) for row in PROSE)


# Lines as FIBS writes them: read and written.
LINES: list[tuple[str, Message]] = [
    # logging in
    ("1 sixbot 1699913600 bot.example.org", login.Welcome(SIXBOT, 1699913600, "bot.example.org")),
    (
        "2 sixbot 1 1 0 0 0 0 1 1 40 0 1 0 1 1512.50 1 0 0 0 1 UTC",
        own_info("allowpip autoboard crawford double moreboards notify ratings silent",
                 SIXBOT, False, 40, 1512.5, "0", "UTC"),
    ),
    (
        "2 zaphod 1 1 0 0 0 1 1 1 4899 0 1 0 1 1496.40 1 1 none 0 0 America/Los_Angeles",
        own_info("allowpip autoboard bell crawford double moreboards notify ratings ready",
                 ZAPHOD, False, 4899, 1496.4, "none", "America/Los_Angeles"),
    ),
    ("3", login.MotdBegins()),
    ("4", login.MotdEnds()),
    ("** Warning: You are already logged in.", login.AlreadyLoggedIn()),
    (
        "** You just logged in a second time from bot.example.org, terminating this session.",
        login.KickedByTwin("bot.example.org"),
    ),
    (
        "** User not known or wrong password.",
        login.LoginFailed("** User not known or wrong password."),
    ),
    ("** access denied!", login.LoginFailed("** access denied!")),
    ("Login incorrect", login.LoginFailed("Login incorrect")),
    ("Connection timed out.", login.TimedOut()),
    ("Thanks for using this server!", login.Farewell("Thanks for using this server!")),
    ("Goodbye.", login.Farewell("Goodbye.")),
    # registration
    ("Please register before using this server:", login.GuestNotice()),
    ("ONE USERNAME PER PERSON ONLY!!!", login.OneNameOnly()),
    ("Your name will be sixbot", login.NameWillBe(SIXBOT)),
    (
        "Type in no password and hit Enter/Return if you want to change it now.",
        login.NoPasswordMeansAnotherName(),
    ),
    ("You are registered.", login.Registered()),
    ("Type 'help beginner' to get started.", login.BeginnersHelp()),
    # who
    (
        "5 marvin - - 1 0 1623.41 2115 0 1699996400 home.example.net hyperclient_3.1 -",
        users.User(MARVIN, None, None, True, False, 1623.41, 2115, 0, 1699996400,
               "home.example.net", "hyperclient_3.1", "-"),
    ),
    (
        "5 trillian zaphod - 0 0 1418.61 23 1914 1041253132 192.0.2.3 - trillian@example.org",
        users.User(TRILLIAN, ZAPHOD, None, False, False, 1418.61, 23, 1914, 1041253132, "192.0.2.3",
               "-", "trillian@example.org"),
    ),
    (
        "5 arthur_d - zaphod 0 1 -1500.00 0 77 1699981000 cafe.example.com* <VmP%Nd1MXfQ9#c_)a]! -",
        users.User(ARTHUR, None, ZAPHOD, False, True, -1500.0, 0, 77, 1699981000,
               "cafe.example.com*", "<VmP%Nd1MXfQ9#c_)a]!", "-"),
    ),
    ("6", users.WhoEnds()),
    ("7 marvin marvin logs in.", users.LoggedIn(MARVIN, "marvin logs in.")),
    ("7 marvin marvin logs in again.", users.LoggedIn(MARVIN, "marvin logs in again.")),
    (
        "7 newbie newbie just registered and logs in.",
        users.LoggedIn(NEWBIE, "newbie just registered and logs in."),
    ),
    ("8 marvin marvin logs out.", users.LoggedOut(MARVIN, "marvin logs out.")),
    ("8 marvin marvin drops connection.", users.LoggedOut(MARVIN, "marvin drops connection.")),
    (
        "8 marvin Connection with marvin timed out.",
        users.LoggedOut(MARVIN, "Connection with marvin timed out."),
    ),
    (
        "8 marvin Closed old connection with user marvin.",
        users.LoggedOut(MARVIN, "Closed old connection with user marvin."),
    ),
    ("8 marvin Network error with marvin.", users.LoggedOut(MARVIN, "Network error with marvin.")),
    (
        "8 marvin admin closes connection with marvin.",
        users.LoggedOut(MARVIN, "admin closes connection with marvin."),
    ),
    # talk
    (
        "9 marvin 1041253132 Hi there, message text up to the line end",
        talk.MessageLeft(MARVIN, 1041253132, "Hi there, message text up to the line end"),
    ),
    ("9 marvin -5 hi", talk.MessageLeft(MARVIN, -5, "hi")),
    ("10 marvin", talk.MessageDelivered(MARVIN)),
    ("11 marvin", talk.MessageSaved(MARVIN)),
    ("12 marvin hello, are you a bot?", talk.Said(MARVIN, "hello, are you a bot?")),
    ("13 zaphod Good evening all", talk.Shouted(ZAPHOD, "Good evening all")),
    (
        "14 trillian she should not double yet",
        talk.Whispered(TRILLIAN, "she should not double yet"),
    ),
    ("15 marvin nice roll", talk.Kibitzed(MARVIN, "nice roll")),
    (
        "16 marvin I am a bot; my operator reads messages later",
        talk.YouTold(MARVIN, "I am a bot; my operator reads messages later"),
    ),
    ("17 Good evening all", talk.YouShouted("Good evening all")),
    ("18 text of my whisper", talk.YouWhispered("text of my whisper")),
    ("19 text of my kibitz", talk.YouKibitzed("text of my kibitz")),
    ("20 marvin an alert", talk.Alerted(MARVIN, "an alert")),
    ("marvin is away: back at nine", talk.IsAway(MARVIN, "back at nine")),
    # settings
    ("The current settings are:", account.TogglesBegin()),
    ("allowpip        YES", account.ToggleIs("allowpip", True)),
    ("moreboards      NO", account.ToggleIs("moreboards", False)),
    *((f"** {yes.replace('|', '')}", account.Toggled(name, True))
      for name, (yes, _) in TOGGLE_TEXTS.items()),
    *((f"** {no.replace('|', '')}", account.Toggled(name, False))
      for name, (_, no) in TOGGLE_TEXTS.items()),
    ("boardstyle: 3", account.Variable("boardstyle", "3")),
    ("linelength: 0", account.Variable("linelength", "0")),
    ("pagelength: 0", account.Variable("pagelength", "0")),
    ("redoubles:  none", account.Variable("redoubles", "none")),
    ("sortwho:    login", account.Variable("sortwho", "login")),
    ("timezone:   UTC", account.Variable("timezone", "UTC")),
    ("Value of 'boardstyle' set to 3.", account.VariableSet("boardstyle", "3")),
    ("Value of 'redoubles' set to 'none'.", account.VariableSet("redoubles", "none")),
    ("Value of 'boardstyle' is 3", account.VariableIs("boardstyle", "3")),
    ("You're away. Please type 'back'", account.YouAreAway()),
    ("Welcome back.", account.WelcomeBack()),
    (
        "Saturday, October 15 17:01:02 MEST   ( Sat Oct 15 15:01:02 2016 UTC )",
        login.ServerTime("Saturday, October 15 17:01:02 MEST   ( Sat Oct 15 15:01:02 2016 UTC )"),
    ),
    # invitations
    ("marvin wants to play a 5 point match with you.", matches.Invited(MARVIN, 5)),
    ("marvin wants to play an unlimited match with you.", matches.Invited(MARVIN, None)),
    ("marvin wants to resume a saved match with you.", matches.InvitedToResume(MARVIN)),
    (
        "WARNING: Don't accept if you want to continue the saved 3 point match!",
        matches.SavedMatchWarning("Don't accept if you want to continue the saved 3 point match!"),
    ),
    ("Type 'join marvin' to accept.", matches.TypeJoin(MARVIN)),
    ("** Player sixbot has joined you for a 5 point match.", matches.JoinedYou(SIXBOT, 5)),
    ("** Player sixbot has joined you for an unlimited match.", matches.JoinedYou(SIXBOT, None)),
    ("** You are now playing a 5 point match with marvin", matches.NowPlaying(MARVIN, 5)),
    ("** You are now playing an unlimited match with marvin", matches.NowPlaying(MARVIN, None)),
    ("sixbot has joined you. Your running match was loaded.", matches.ResumedBy(SIXBOT)),
    ("You are now playing with marvin. Your running match was loaded.", matches.Resumed(MARVIN)),
    ("turn: sixbot.", matches.TurnIs(SIXBOT)),
    ("match length: 5", matches.MatchLengthIs(5)),
    ("unlimited matchlength", matches.MatchLengthIs(None)),
    ("points for sixbot: 0", matches.PointsFor(SIXBOT, 0)),
    # a game
    ("Starting a new game with marvin.", matches.GameStarts(MARVIN)),
    ("You rolled 6, marvin rolled 2", turns.OpeningRoll(6, MARVIN, 2)),
    ("It's your turn to move.", turns.YouMoveFirst()),
    ("It's your turn. Please roll or double.", turns.YourTurn()),
    ("You roll 3 and 1.", turns.YouRoll((3, 1))),
    ("marvin rolls 5 and 5.", turns.PlayerRolls(MARVIN, (5, 5))),
    ("Please move 1 piece.", turns.PleaseMove(1)),
    ("Please move 2 pieces.", turns.PleaseMove(2)),
    ("You can't move.", turns.YouCannotMove()),
    ("marvin can't move.", turns.CannotMove(MARVIN)),
    ("marvin moves 8-5 6-5 .", turns.Moves(MARVIN, "8-5 6-5")),
    ("marvin moves bar-20 6-off .", turns.Moves(MARVIN, "bar-20 6-off")),
    ("marvin moves  .", turns.Moves(MARVIN, "")),
    ("The only possible move is 25-24 .", turns.OnlyMove("25-24")),
    ("Bearing off: 6-off 5-off", turns.BearingOff("6-off 5-off")),
    ("Done.", turns.Done()),
    # cube and resignations
    ("You double. Please wait for marvin to accept or reject.", turns.YouDouble(MARVIN)),
    ("marvin doubles. Type 'accept' or 'reject'.", turns.OpponentDoubles(MARVIN)),
    ("marvin redoubles to 4.", turns.Redoubles(MARVIN, 4)),
    (
        "marvin redoubles to 4. Type 'accept' or 'reject'.",
        turns.OpponentRedoubles(MARVIN, 4),
    ),
    (
        "You redouble to 4. Please wait for marvin to accept or reject.",
        turns.YouRedouble(MARVIN, 4),
    ),
    ("You accept the double. The cube shows 2.", turns.YouAcceptDouble(2)),
    ("marvin accepts the double. The cube shows 2.", turns.AcceptsDouble(MARVIN, 2)),
    ("marvin accepts the double.", turns.AcceptsDouble(MARVIN)),
    ("You give up. marvin wins 1 point.", turns.YouGiveUp(MARVIN, 1)),
    ("marvin gives up. You win 2 points.", turns.GivesUp(MARVIN, 2)),
    ("You want to resign. marvin will win 2 points.", turns.YouResign(MARVIN, 2)),
    (
        "marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
        turns.OpponentResigns(MARVIN, 1),
    ),
    ("You accept and win 2 points.", turns.YouAcceptResignation(2)),
    ("marvin accepts and wins 2 points.", turns.AcceptsResignation(MARVIN, 2)),
    ("You reject. The game continues.", turns.YouRejectResignation()),
    ("marvin rejects. The game continues.", turns.RejectsResignation(MARVIN)),
    # results
    ("You win the game and get 1 point. Congratulations!", turns.YouWinGame(1)),
    ("marvin wins the game and gets 4 points. Sorry.", turns.OpponentWinsGame(MARVIN, 4)),
    ("marvin wins the game and gets 4 points.", turns.WatchedWinsGame(MARVIN, 4)),
    ("score in 5 point match: sixbot-2 marvin-1", matches.ScoreIs(5, SIXBOT, 2, MARVIN, 1)),
    ("score in unlimited match: sixbot-5 marvin-3", matches.ScoreIs(None, SIXBOT, 5, MARVIN, 3)),
    (
        "Type 'join' if you want to play the next game, type 'leave' if you don't.",
        matches.JoinOrLeave(),
    ),
    ("** Please wait for marvin to join too.", matches.WaitForJoin(MARVIN)),
    ("rating calculation:", users.RatingLine("rating calculation:")),
    (
        "K=max(1 ,\t\t-Experience/100+5) for sixbot: 4.600000",
        users.RatingLine("K=max(1 ,\t\t-Experience/100+5) for sixbot: 4.600000"),
    ),
    ("You win the 3 point match 4-0 .", matches.YouWinMatch(3, 4, 0)),
    ("marvin wins the 3 point match 4-0 .", matches.WinsMatch(MARVIN, 3, 4, 0)),
    # put aside
    ("** You terminated the game. The game was saved.", matches.YouLeft()),
    ("** Player marvin has left the game. The game was saved.", matches.OpponentLeft(MARVIN)),
    ("marvin logs out. The game was saved.", matches.OpponentLoggedOut(MARVIN)),
    ("marvin drops connection. The game was saved.", matches.OpponentDropped(MARVIN)),
    ("Connection with marvin timed out. The game was saved.", matches.OpponentTimedOut(MARVIN)),
    ("Network error with marvin. The game was saved.", matches.OpponentFailed(MARVIN)),
    (
        "Closed old connection with user marvin. The game was saved.",
        matches.OpponentReconnected(MARVIN),
    ),
    (
        "admin closes connection with marvin, who knows why",
        matches.ConnectionClosedBy(Player("admin"), MARVIN, ", who knows why"),
    ),
    ("Your game with marvin was saved.", matches.GameWithSaved(MARVIN)),
    ("Something new. The game was saved.", matches.GameSaved("Something new. The game was saved.")),
    # lists
    ("  opponent          matchlength   score (your points first)", account.SavedHead()),
    ("  trillian                5                0 -  0", account.SavedMatch(0, TRILLIAN, 5, 0, 0)),
    (" *zaphod                  3                1 -  2", account.SavedMatch(1, ZAPHOD, 3, 1, 2)),
    (
        "**marvin          unlimited               14 - 23",
        account.SavedMatch(2, MARVIN, None, 14, 23),
    ),
    ("no saved games.", account.NoSavedMatches()),
    # watching
    ("You're now watching marvin.", users.YouWatch(MARVIN)),
    ("You stop watching marvin.", users.YouStopWatching(MARVIN)),
    ("marvin logs out. You're not watching anymore.", users.WatchedLeft(MARVIN)),
    # the server itself
    (
        "*** ATTENTION ! FIBS will restart in 60 seconds",
        login.Shutdown("*** ATTENTION ! FIBS will restart in 60 seconds"),
    ),
    ("FIBS will shut down in 9 seconds", login.Shutdown("FIBS will shut down in 9 seconds")),
    # old games
    ("Score is 0-0 in a 5 point match.", users.OldScore(0, 0, 5)),
    ("Score is 3-5 in an unlimited match.", users.OldScore(3, 5, None)),
    ("marvin is X - sixbot is O", users.OldSeats(MARVIN, SIXBOT)),
    ("O: (3 1) 8-5 6-5", users.OldMove("O", "(3 1) 8-5 6-5")),
    ("O: (6 6) can't move", users.OldMove("O", "(6 6) can't move")),
    ("X: doubles", users.OldMove("X", "doubles")),
    ("O: accepts", users.OldMove("O", "accepts")),
    ("X: wants to resign", users.OldMove("X", "wants to resign")),
    ("O: wins", users.OldMove("O", "wins")),
    # what nobody knows
    ("** Nobody''s words", talk.Notice("Nobody''s words")),
    ("** something new", talk.Notice("something new")),
    ("Something quite different", messages.Unknown("Something quite different")),
    ("5 3 8", messages.Unknown("5 3 8")),
    ("99 bottles", messages.Unknown("99 bottles")),
    # what nothing depends on
    *((line, messages.Known(line)) for line in (
        "You wave goodbye.",
        "You wave goodbye again and log out.",
        "marvin waves goodbye.",
        "marvin waves goodbye again.",
        "There are 42 users logged on.",
        "There are messages for you:",
        "** 1 user heard you.",
        "** 2 users heard you.",
        "You say to yourself: hello",
        "** You gag marvin.",
        "** You ungag marvin.",
        "** You blind marvin.",
        "** You unblind marvin.",
        "** FINALLY!!! marvin logs in",
        "marvin is waiting for you to log in.",
        "Settings of variables:",
        "The following users are away:",
        "None of the users is away.",
        "Your email address is 'x@y.z'.",
        "max_logins is 17 (maximum: 200)",
        "** You invited sixbot to a 5 point match.",
        "** You invited sixbot to an unlimited match.",
        "** You invited sixbot to resume a saved match.",
        "Time (UTC)  average min max",
        "23:00-23:59   41.5  12  80",
        "marvin bans you from watching.",
        "The number on the doubling cube is now 2",
        "marvin makes the first move.",
        "sixbot rolls 6, marvin rolls 2.",
        "Pipcounts: sixbot 167 marvin 154",
        "marvin doubles.",
        "marvin gives up. sixbot wins 1 point.",
        "marvin wants to resign. sixbot will win 2 points.",
        "sixbot and marvin start a 5 point match.",
        "sixbot and marvin start an unlimited match.",
        "sixbot and marvin are resuming their 5-point match.",
        "sixbot and marvin are resuming their unlimited match.",
        "marvin has left the game with sixbot.",
        "marvin wins a 9 point match against sixbot  11-6 .",
        "marvin has no saved games.",
        "marvin has 1 saved game.",
        "marvin has 12 saved games.",
        "List of games:",
        "marvin          -        trillian (5 point match 2-2)",
        "Watching players:",
        "Watching players: none.",
        "trillian is watching marvin.",
        "Information about marvin:",
        "No information found on user marvin.",
        "marvin is not doing anything interesting.",
        "trillian is watching you.",
        "trillian stops watching you.",
        "trillian starts watching marvin.",
        "trillian stops watching marvin.",
        "You look great.",
        "** marvin is not playing.",
        "  Last login:  Friday, May 18 00:34 CET from home.example.net",
        "  Last logout: Friday, May 18 01:10 CET",
        "  Not logged in right now.",
        "  Still logged in. 2:12 minutes idle.",
        "  marvin is playing with trillian.",
        "  marvin is not ready to play ...",
        "  Rating: 1623.41 Experience: 2115",
        "  No email address.",
        "  Email address: x@y.z",
    )),
]  # fmt: skip

REFUSALS: list[tuple[str, Refusal, str]] = [
    ("** Unknown command: 'x'", Refusal.UNKNOWN_COMMAND, "x"),
    ("The command `away' is not yet implemented.", Refusal.NOT_IMPLEMENTED, "away"),
    ("** please give a name as an argument.", Refusal.NAME_NEEDED, ""),
    (
        "** Please use only one of the given names 'a' and 'b'.",
        Refusal.ONE_NAME_ONLY,
        "'a' and 'b'.",
    ),
    ("** You already did that.", Refusal.DONE_ALREADY, ""),
    ("** Please give a positive number after 'from'.", Refusal.POSITIVE_NUMBER_AFTER, "from"),
    ("** There is no one called marvin", Refusal.NO_SUCH_USER, "marvin"),
    ("** Don't know user marvin", Refusal.UNKNOWN_USER, "marvin"),
    ("Ambigous name: Try one of: a b", Refusal.AMBIGUOUS_NAME, "a b"),
    ("** Don't know how to toggle foo", Refusal.UNKNOWN_TOGGLE, "foo"),
    ("** Don't know how to show foo", Refusal.UNKNOWN_SHOW, "foo"),
    ("** show what?", Refusal.SHOW_WHAT, ""),
    ("** Valid arguments are the numbers 1 to 3.", Refusal.BAD_VALUE, "the numbers 1 to 3."),
    (
        "** Valid arguments are 'none', 'unlimited' and the numbers 1 to 99.",
        Refusal.BAD_VALUE,
        "'none', 'unlimited' and the numbers 1 to 99.",
    ),
    ("** Unknown value 'x'. Try 'login', 'name', 'rating' or 'rrating'.", Refusal.BAD_SORT, "x"),
    ("** Can't find timezone 'x'. Try one of:", Refusal.BAD_TIMEZONE, "x"),
    ("** Invalid argument. Type 'help set'.", Refusal.BAD_VARIABLE, ""),
    ("** You're not away.", Refusal.NOT_AWAY, ""),
    ("** 'x' is not an email address.", Refusal.NOT_AN_ADDRESS, "x"),
    ("** You didn't give your address.", Refusal.NO_ADDRESS, ""),
    ("** Your address is too long.", Refusal.ADDRESS_TOO_LONG, ""),
    (
        "** Your name may only contain letters and the underscore character _ .",
        Refusal.BAD_NAME,
        "",
    ),
    (
        "** Please use another name. 'marvin' is already used by someone else.",
        Refusal.NAME_TAKEN,
        "marvin",
    ),
    ("Minimal password length is 4 characters.", Refusal.PASSWORD_TOO_SHORT, ""),
    ("Your password may not contain ':'", Refusal.PASSWORD_COLON, ""),
    ("** No password given. Please choose a new name", Refusal.NO_PASSWORD, ""),
    ("** You're not playing.", Refusal.NOT_PLAYING, ""),
    ("** It's not your turn to roll the dice.", Refusal.NOT_YOUR_ROLL, ""),
    ("** You did already roll the dice.", Refusal.ROLLED_ALREADY, ""),
    ("** It's not your turn.", Refusal.NOT_YOUR_TURN, ""),
    ("** It's not your turn to move.", Refusal.NOT_YOUR_MOVE, ""),
    ("** marvin doubled. Type 'accept' or 'reject'.", Refusal.ANSWER_DOUBLE, "marvin"),
    ("** You can't redouble now. Type 'accept' or 'reject'.", Refusal.NO_REDOUBLE, ""),
    ("** You have to roll the dice before moving.", Refusal.ROLL_FIRST, ""),
    ("** You must give 2 moves.", Refusal.TOO_FEW_MOVES, "2"),
    ("** Please don't give more than 2 moves.", Refusal.TOO_MANY_MOVES, "2"),
    (
        "** You can't move 5 points in your first move.",
        Refusal.BAD_STEP,
        "5 points in your first move.",
    ),
    ("** You can't move to 7 in your second move.", Refusal.BAD_STEP, "to 7 in your second move."),
    (
        "** You can't move from 7 in your third move.",
        Refusal.BAD_STEP,
        "from 7 in your third move.",
    ),
    (
        "** You can't move from the bar in your first move.",
        Refusal.BAD_STEP,
        "from the bar in your first move.",
    ),
    ("** You can't move home in your first move.", Refusal.BAD_STEP, "home in your first move."),
    ("** You can't remove this piece in your first move.", Refusal.BAD_BEAROFF, "first"),
    ("** You have to remove pieces from the bar in your first move.", Refusal.BAR_FIRST, "first"),
    (
        "** first move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'.",
        Refusal.BAD_WORDS,
        "first",
    ),
    ("** Illegal move (too far)", Refusal.ILLEGAL_MOVE, "too far"),
    ("** You can only double before you roll the dice.", Refusal.DOUBLE_BEFORE_ROLL, ""),
    ("** It's not your turn to double.", Refusal.NOT_YOUR_DOUBLE, ""),
    ("** You cannot double in the first move.", Refusal.NO_DOUBLE_IN_FIRST_MOVE, ""),
    ("** The Crawford rule doesn't allow you to double in this game.", Refusal.CRAWFORD, ""),
    ("** You can't double now. You want to resign.", Refusal.RESIGNING_NOT_DOUBLING, ""),
    ("** Please wait until marvin has moved.", Refusal.WAIT_FOR_MOVE, "marvin"),
    ("** marvin hasn't responded to your double yet.", Refusal.DOUBLE_UNANSWERED, "marvin"),
    (
        "** marvin hasn't accepted or rejected your resign yet.",
        Refusal.RESIGNATION_UNANSWERED,
        "marvin",
    ),
    (
        "** marvin wanted to resign. Type 'accept' or 'reject'.",
        Refusal.ANSWER_RESIGNATION,
        "marvin",
    ),
    ("** marvin didn't double or resign.", Refusal.NOTHING_OFFERED, "marvin"),
    (
        "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign.",
        Refusal.RESIGN_WHAT,
        "",
    ),
    ("** The game is already over.", Refusal.GAME_OVER, "game"),
    ("** The match is already over.", Refusal.GAME_OVER, "match"),
    ("** The opening roll must be done by both players.", Refusal.OPENING_ROLL_OPEN, ""),
    ("** Error: No one to leave.", Refusal.NO_ONE_TO_LEAVE, ""),
    ("** invite who?", Refusal.INVITE_WHO, ""),
    ("** You can't invite yourself.", Refusal.NOT_YOURSELF, ""),
    ("** marvin is refusing games.", Refusal.REFUSES_GAMES, "marvin"),
    ("** marvin is already playing with someone else.", Refusal.PLAYING_ELSEWHERE, "marvin"),
    (
        "** Error: marvin is already playing with someone else.",
        Refusal.INVITER_PLAYS_ELSEWHERE,
        "marvin",
    ),
    ("** You are already playing.", Refusal.PLAYING_ALREADY, ""),
    ("** Use 'toggle ready' first", Refusal.READY_FIRST, ""),
    (
        "** There's no saved match with marvin. Please give a match length.",
        Refusal.NO_SAVED_MATCH,
        "marvin",
    ),
    (
        "** The second argument to 'invite' has to be a number or the word 'unlimited'",
        Refusal.BAD_LENGTH,
        "",
    ),
    ("** You can't play a 100 point match.", Refusal.LENGTH_TOO_LONG, "100"),
    (
        "** You're not experienced enough to play a match of that length.",
        Refusal.NOT_EXPERIENCED,
        "",
    ),
    ("** Error: Join who?", Refusal.JOIN_WHO, ""),
    ("** marvin didn't invite you.", Refusal.NOT_INVITED, "marvin"),
    ("** Error: can't find player marvin", Refusal.INVITER_GONE, "marvin"),
    ("** You can't play two games at once", Refusal.TWO_GAMES, ""),
    (
        "** ERROR: Saved match is corrupt. Please start another one.",
        Refusal.SAVED_MATCH_CORRUPT,
        "",
    ),
    ("** Watch who?", Refusal.WATCH_WHO, ""),
    ("** Use a mirror to do that.", Refusal.USE_A_MIRROR, ""),
    ("** marvin doesn't want you to watch.", Refusal.NO_WATCHERS_WANTED, "marvin"),
    ("** You can't watch another game while you're playing.", Refusal.WATCHING_WHILE_PLAYING, ""),
    ("** You're not watching.", Refusal.NOT_WATCHING, ""),
    ("** Look at who?", Refusal.LOOK_AT_WHO, ""),
    ("** Tell whom?", Refusal.TELL_WHOM, ""),
    ("** Tell marvin what?", Refusal.TELL_WHAT, "marvin"),
    ("** marvin won't listen to you.", Refusal.NOT_HEARD, "marvin"),
    ("** You can't talk if you won't listen.", Refusal.NOT_LISTENING, ""),
    ("** You're not watching or playing.", Refusal.NOT_WATCHING_OR_PLAYING, ""),
    ("** Please type 'toggle silent' again before you shout.", Refusal.SILENT, ""),
    ("** You talk too much, don't you?", Refusal.TALKS_TOO_MUCH, ""),
    ("** usage: message <user> <text>", Refusal.MESSAGE_USAGE, ""),
    ("** You can't read this message now, can you?", Refusal.NOT_NOW, ""),
    ("** marvin doesn't allow you to use the pip command.", Refusal.PIP_NOT_ALLOWED, "marvin"),
]

# Other servers' words for the same: read, never written.
VARIANTS: list[tuple[str, Message]] = [
    ("6", users.WhoEnds()),
    ("12 marvin", talk.Said(MARVIN, "")),
    ("2 marvin 1 1 0 0 0 0 1 1 0 0 0 0 1 1500.00 0 0 0 1 0 UTC and more",
     own_info(
            "allowpip autoboard crawford double notify report",
            MARVIN, False, 0, 1500.0, "0", "UTC",
        )),
    ("marvin wants to play a 5 point match with you", matches.Invited(MARVIN, 5)),
    ("marvin wants to play an unlimted match with you.", matches.Invited(MARVIN, None)),
    ("** WARNING: You have a saved match", matches.SavedMatchWarning("You have a saved match")),
    ("** You are now playing a 3 point match with marvin.", matches.NowPlaying(MARVIN, 3)),
    ("Player sixbot has joined you for an unlimited match.", matches.JoinedYou(SIXBOT, None)),
    ("turn: sixbot", matches.TurnIs(SIXBOT)),
    ("unlimited match", matches.MatchLengthIs(None)),
    ("points for user sixbot: 0", matches.PointsFor(SIXBOT, 0)),
    ("You rolled 6, marvin rolled 2.", turns.OpeningRoll(6, MARVIN, 2)),
    (
        "sixbot rolled 6, marvin rolled 2",
        messages.Known("sixbot rolled 6, marvin rolled 2"),
    ),
    ("It's your turn to roll or double.", turns.YourTurn()),
    ("It's your turn to roll or double", turns.YourTurn()),
    ("It's your turn. Please roll or double", turns.YourTurn()),
    ("marvin rolls 3 and 1", turns.PlayerRolls(MARVIN, (3, 1))),
    ("Please move 1 pieces.", turns.PleaseMove(1)),
    ("marvin moves 8-5 6-home .", turns.Moves(MARVIN, "8-5 6-home")),
    ("marvin moves 8-5 6-5.", turns.Moves(MARVIN, "8-5 6-5")),
    ("marvin moves .", turns.Moves(MARVIN, "")),
    ("You accept the double.  The cube shows 2.", turns.YouAcceptDouble(2)),
    ("You accept the double.The cube shows 2.", turns.YouAcceptDouble(2)),
    ("marvin accepts the double.  The cube shows 2.", turns.AcceptsDouble(MARVIN, 2)),
    ("You want to resign. marvin will win 1 .", turns.YouResign(MARVIN, 1)),
    ("marvin wants to resign. You will win 1 . Type 'accept' or 'reject'.",
     turns.OpponentResigns(MARVIN, 1)),
    ("You win the game and get 1 point.", turns.YouWinGame(1)),
    ("You win the 3 point match 4-0.", matches.YouWinMatch(3, 4, 0)),
    ("marvin wins the 3 point match 4-0", matches.WinsMatch(MARVIN, 3, 4, 0)),
    (
        "marvin wins a 9 point match against sixbot 11-6.",
        messages.Known("marvin wins a 9 point match against sixbot 11-6."),
    ),
    ("** You stop watching marvin.", users.YouStopWatching(MARVIN)),
    ("You are now watching marvin.", users.YouWatch(MARVIN)),
    ("  Goodbye.", login.Farewell("Goodbye.")),
    ("Value of 'redoubles' set to none.", account.VariableSet("redoubles", "none")),
    ("** There is no one called marvin.", Refused(Refusal.NO_SUCH_USER, "marvin")),
    ("** There is no saved match with marvin. Please give a match length.",
     Refused(Refusal.NO_SAVED_MATCH, "marvin")),
    ("** Theres no saved match with {0}. Please give a match length.",
     Refused(Refusal.NO_SAVED_MATCH)),
    ("** You are not playing.", Refused(Refusal.NOT_PLAYING)),
    ("You're not playing.", Refused(Refusal.NOT_PLAYING)),
    ("It's not your turn to move.", Refused(Refusal.NOT_YOUR_MOVE)),
    ("It's not your turn", Refused(Refusal.NOT_YOUR_TURN)),
    ("** It's not your turn to redouble.", Refused(Refusal.NOT_YOUR_DOUBLE)),
    ("** You can't redouble now.", Refused(Refusal.NO_REDOUBLE)),
    ("** You're not playing, so you can't give up.", Refused(Refusal.NOT_PLAYING)),
    ("** You're not playing or watching.", Refused(Refusal.NOT_WATCHING_OR_PLAYING)),
    ("** There is no user called marvin.", Refused(Refusal.NO_SUCH_USER, "marvin")),
    ("** Wait until marvin accepted or rejected your resign.",
     Refused(Refusal.RESIGNATION_UNANSWERED, "marvin")),
    ("marvin redoubles. Type 'accept' or 'reject'.", turns.OpponentRedoubles(MARVIN)),
    ("marvin beavers. Type 'accept' or 'reject'.", turns.OpponentRedoubles(MARVIN)),
    ("marvin raccoons to 8. Type 'accept' or 'reject'.", turns.OpponentRedoubles(MARVIN, 8)),
    ("marvin logs out.. You're not watching anymore.", users.WatchedLeft(MARVIN)),
    ("marvin drops connection. You're not watching anymore.", users.WatchedLeft(MARVIN)),
    ("Connection with marvin timed out.. You're not watching anymore.",
     users.WatchedLeft(MARVIN)),
    ("** The Crawford rule forbids it", Refused(Refusal.CRAWFORD)),
    ("Ambiguous name: a b", Refused(Refusal.AMBIGUOUS_NAME, "a b")),
    ("** The board won't be refreshed.", account.Toggled("autoboard", False)),
    ("** Won't send rawboards.", account.Toggled("moreboards", False)),
    ("**marvin   7   4 - 6", account.SavedMatch(2, MARVIN, 7, 4, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), LINES)
def test_a_line_of_the_server_is_understood_and_written_the_same(
    line: str, message: Message
) -> None:
    assert parse(line) == message
    assert produce(message) == line


@pytest.mark.parametrize(("line", "why", "about"), REFUSALS)
def test_a_refusal_is_understood_and_written_the_same(line: str, why: Refusal, about: str) -> None:
    assert parse(line) == Refused(why, about)
    assert produce(Refused(why, about)) == line


def test_every_refusal_has_its_line_here() -> None:
    assert {why for _, why, _ in REFUSALS} == set(Refusal)


def test_every_message_of_the_tables_has_its_line_here() -> None:
    seen = {type(message) for _, message in LINES} | {Refused}
    rows = (*(row for rows in NUMBERED.values() for row in rows), *PROSE)
    assert {row.message for row in rows} - seen == set()
    known = [row for row in rows if row.message is messages.Known]
    assert all(any(row.parse_line(line) for line, _ in LINES) for row in known)


@pytest.mark.parametrize(("line", "message"), VARIANTS)
def test_the_words_of_other_servers_mean_the_same(line: str, message: Message) -> None:
    assert parse(line) == message


@pytest.mark.parametrize("message", [message for _, message in LINES], ids=repr)
def test_every_spelling_of_a_message_is_understood(message: Message) -> None:
    for line in spellings(message):
        understood = parse(line.rstrip())
        plain = {f.name for f in fields(message) if f.type == "str"}
        assert type(understood) is type(message), line
        for field in fields(message):
            if field.name not in plain:
                assert getattr(understood, field.name) == getattr(message, field.name), line


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=str)
def test_every_line_of_the_transcripts_is_understood_and_written_the_same(
    transcript: Transcript,
) -> None:
    for wire in transcript.connections:
        context = Context.BANNER
        for line in Lines().feed(wire):
            assert isinstance(line, str)
            message = parse(line, context)
            if isinstance(message, login.Welcome | login.MotdEnds):
                context = Context.ONLINE
            if isinstance(message, login.MotdBegins):
                context = Context.MOTD
            assert not isinstance(message, messages.Unknown | talk.Notice), line
            if line in OTHER_WORDS:
                assert produce(message) == OTHER_WORDS[line]
            else:
                assert produce(message).rstrip() == line


OTHER_SERVERS: list[tuple[str, messages.Message]] = [  # BaldLies, jIBS, SIBS
    ("** marvin has joined you for a 5 point match.", matches.JoinedYou(MARVIN, 5)),
    ("** Player marvin terminated the game. The game was saved.", matches.OpponentLeft(MARVIN)),
    ("You give up. marvin wins 2.", turns.YouGiveUp(MARVIN, 2)),
    ("You can''t move.", turns.YouCannotMove()),
    ("It''s your turn to move.", turns.YouMoveFirst()),
    ("** You''re now ready to invite or join someone.", account.Toggled("ready", True)),
    ("You win the game and get 1 point. Congratulation!", turns.YouWinGame(1)),
    ("marvin moves 11-6 2-1.", turns.Moves(MARVIN, "11-6 2-1")),
    (
        "5 marvin - - 1 0 -8.94 5 0 1795499375309 localhost null - ",
        users.User(
            *(MARVIN, None, None, True, False, -8.94, 5, 0, 1795499375309, "localhost", "null", "-")
        ),
    ),
    ("** Not yet implemented: 'oldmoves'", Refused(Refusal.NOT_IMPLEMENTED, "oldmoves")),
    ("** oldmoves is not implemented, yet", Refused(Refusal.NOT_IMPLEMENTED, "oldmoves")),
    ("marvin is already playing with someone else.", Refused(Refusal.PLAYING_ELSEWHERE, "marvin")),
    ("** marvin is already playing with ford.", Refused(Refusal.PLAYING_ELSEWHERE, "marvin")),
    (
        "marvin is not playing.",
        messages.Known("marvin is not playing."),
    ),
    (  # with `moves` on, FIBS writes no line end between the two
        "marvin wins the game and gets 1 point. Sorry.Score is 0-1 in a 3 point match.",
        turns.OpponentWinsGame(MARVIN, 1),
    ),
]


@pytest.mark.parametrize(("line", "message"), OTHER_SERVERS)
def test_a_line_of_another_server_is_understood(line: str, message: messages.Message) -> None:
    assert parse(line.rstrip()) == message


OTHER_WORDS = {
    "points for user sixbot: 2": "points for sixbot: 2",
    "points for user marvin: 1": "points for marvin: 1",
    "You rolled 3, marvin rolled 1.": "You rolled 3, marvin rolled 1",
    "You are now playing with marvin. Your running match was loaded": (
        "You are now playing with marvin. Your running match was loaded."
    ),
}


SERVER_LINES = [line for line, _ in LINES if not line[0].isdigit()] + [
    "board:You:marvin:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
]


@given(st.sampled_from(SERVER_LINES), st.sampled_from(["12", "13", "14", "15", "16", "20"]))
def test_chat_never_passes_for_the_server(text: str, number: str) -> None:
    message = parse(f"{number} mallory {text}")
    assert isinstance(
        message,
        talk.Said | talk.Shouted | talk.Whispered | talk.Kibitzed | talk.YouTold | talk.Alerted,
    )
    assert message == type(message)(Player("mallory"), text)


@given(st.sampled_from(SERVER_LINES))
def test_other_peoples_words_behind_prose_never_pass_for_the_server(text: str) -> None:
    assert parse(f"mallory is away: {text}") == talk.IsAway(Player("mallory"), text)
    for line in (f"You say to yourself: {text}", f"  Email address: {text}"):
        assert parse(line) == messages.Known(line)


@given(st.sampled_from([line for line, _ in LINES]))
def test_the_message_of_the_day_means_nothing(line: str) -> None:
    if line != "4":
        assert parse(line, Context.MOTD) == login.MotdLine(line)


@given(st.sampled_from([line for line, _ in LINES]))
def test_nothing_before_the_login_is_about_matches_or_people(line: str) -> None:
    message = parse(line, Context.BANNER)
    assert not isinstance(
        message, FibsBoard | users.User | talk.Said | matches.Invited | turns.OpponentDoubles
    )


# --- read leniently

ENDS = [line for line, _ in LINES if line.endswith((".", "!")) and closes(line)]
BEGINS = [
    line
    for line, message in LINES
    if line.strip() == line and not isinstance(message, messages.Unknown)
]
REPORT = "arthur_d and zaphod start a new 5-point match."  # jIBS writes no line end behind it


def test_most_lines_of_a_game_close_themselves() -> None:
    assert len(ENDS) > 60
    assert not {"12 marvin hello.", "mallory is away: hello."} & set(ENDS)


@given(st.lists(st.sampled_from([*ENDS, REPORT]), min_size=1, max_size=4), st.sampled_from(BEGINS))
def test_known_lines_glued_to_one_another_are_all_read(closed: list[str], last: str) -> None:
    glued = ["".join([*closed[place:], last]) for place in range(len(closed))]
    assume(all(isinstance(parse(text), messages.Unknown | talk.Notice) for text in glued))
    assert list(Lines().feed(glued[0].encode() + b"\r\n")) == [*closed, last]


@pytest.mark.parametrize("who", ["7 ford ford logs in.", "8 ford ford drops connection."])
@given(st.sampled_from(BEGINS))
def test_a_login_glued_to_a_known_line_is_read(who: str, last: str) -> None:
    assert list(Lines().feed(f"{who}{last}\r\n".encode())) == [who, last]


@given(st.sampled_from(BEGINS), st.sampled_from(["12 mallory ", "mallory is away: ", "13 a b.5 "]))
def test_talk_is_never_cut(last: str, talked: str) -> None:
    for whole in (f"{talked}{REPORT}{last}", f"{talked}ford can't move.{last}"):
        assert list(Lines().feed(whole.encode() + b"\r\n")) == [whole.rstrip()]


def test_what_stands_behind_a_full_stop_and_means_nothing_is_not_cut_off() -> None:
    for whole in (
        "marvin doubles. Very bold.",
        "8 ford ford drops connection. The game was saved.",
    ):
        assert list(Lines().feed(whole.encode() + b"\r\n")) == [whole]


FIELDS = st.lists(
    st.sampled_from(["", "-", "null", "host.example", "17", "sixprime_bot"]), max_size=9
)


@given(FIELDS)
def test_a_welcome_needs_only_its_number_and_a_name(fields: list[str]) -> None:
    welcome = parse(" ".join(["1 sixbot", *fields]).rstrip(), Context.BANNER)
    assert isinstance(welcome, login.Welcome)
    assert welcome.name == SIXBOT


@given(FIELDS)
def test_a_user_is_visible_whatever_stands_behind_the_experience(fields: list[str]) -> None:
    user = parse(" ".join(["5 marvin zaphod - 1 0 1623.41 2115", *fields]).rstrip())
    assert isinstance(user, users.User)
    assert (user.name, user.opponent, user.ready, user.experience) == (MARVIN, ZAPHOD, True, 2115)


@pytest.mark.parametrize(
    ("tail", "host", "client", "email"),
    [
        (" bot -", "", "bot", "-"),
        ("home  -", "home", "", "-"),
        ("home bot", "home", "bot", ""),
        ("", "", "", ""),
        ("home bot - and more", "home", "bot", "-"),
    ],
)
def test_an_empty_word_of_a_user_keeps_the_others_in_their_places(
    tail: str, host: str, client: str, email: str
) -> None:
    user = parse(f"5 marvin - - 1 0 1623.41 2115 3 1699996400 {tail}".rstrip())
    assert isinstance(user, users.User)
    assert (user.idle_s, user.login) == (3, 1699996400)
    assert (user.host, user.client, user.email) == (host, client, email)


def test_prompts_are_understood() -> None:
    assert parse("login:") == login.LoginPrompt()
    assert parse("login:", Context.BANNER) == login.LoginPrompt()
    assert parse("Please retype your password:") == login.PasswordPrompt(
        "Please retype your password:"
    )
    assert produce(login.LoginPrompt()) == "login: "
    assert produce(login.PasswordPrompt()) == "password: "


def slowly(line: str) -> Message | None:
    """What parse does, without looking at the first words: the first row that reads the line."""
    for row in PROSE:
        message = row.parse_line(line)
        if message is not None:
            return message
    return None


def test_looking_at_the_first_words_finds_what_trying_every_row_finds() -> None:
    for line in SERVER_LINES + [line for line, *_ in REFUSALS + VARIANTS]:
        if not line[0].isdigit() and (found := slowly(line)) is not None:
            assert parse(line) == found, line


@given(st.text(st.characters(max_codepoint=255), max_size=200))
def test_no_line_raises(line: str) -> None:
    for context in Context:
        produce(parse(line, context))


@given(st.sampled_from(SERVER_LINES), st.data())
def test_no_line_with_a_slip_raises(line: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(line)))
    slip = data.draw(st.text(st.characters(max_codepoint=255), max_size=4))
    parse(line[:place] + slip + line[place + data.draw(st.integers(0, 4)) :])
