"""The two tables of lines: numbered CLIP lines, and prose. Earlier rows win.

The first row of a message that fits is the form in which it is written (FIBS's own form where it
is known); all rows are read. Several servers' words for one thing stand one under the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.protocols.fibs.wire import matchmessages as m
from sixprime.protocols.fibs.wire import messages as s
from sixprime.protocols.fibs.wire.refusals import OTHER_WORDS, Refusal, Refused
from sixprime.protocols.fibs.wire.templates import Template as T  # noqa: N817 - a table needs a short word

PROMPTS = (
    "login: ",
    "password: ",
    "Please give your password: ",
    "Please retype your password: ",
    "** The two passwords were not identical. Please give them again. Password: ",
)  # they come without a line end

NUMBERED: dict[int, tuple[T, ...]] = {
    1: (T(s.Welcome, "1 {name} {last_login} {last_host:word}"),),
    2: (
        T(
            s.OwnInfo,
            "2 {name} {allowpip} {autoboard} {autodouble} {automove} {away} {bell} {crawford}"
            " {double} {experience} {greedy} {moreboards} {moves} {notify} {rating} {ratings}"
            " {ready} {redoubles:word} {report} {silent} {timezone:word}[~ {_:rest}]",
        ),
    ),
    3: (T(s.MotdBegins, "3"),),
    4: (T(s.MotdEnds, "4"),),
    5: (
        T(
            s.User,
            "5 {name} {opponent} {watching} {ready} {away} {rating} {experience} {idle_s} {login}"
            " {host:word} {client:word} {email:word}[~ {_:rest}]",
        ),
    ),
    6: (T(s.WhoEnds, "6"),),
    7: (T(s.LoggedIn, "7 {name}[ {text}]"),),
    8: (T(s.LoggedOut, "8 {name}[ {text}]"),),
    9: (T(s.StoredMessage, "9 {name} {time}[ {text}]"),),
    10: (T(s.MessageDelivered, "10 {name}"),),
    11: (T(s.MessageSaved, "11 {name}"),),
    12: (T(s.Said, "12 {name}[ {text}]"),),
    13: (T(s.Shouted, "13 {name}[ {text}]"),),
    14: (T(s.Whispered, "14 {name}[ {text}]"),),
    15: (T(s.Kibitzed, "15 {name}[ {text}]"),),
    16: (T(s.YouTold, "16 {name}[ {text}]"),),
    17: (T(s.YouShouted, "17[ {text}]"),),
    18: (T(s.YouWhispered, "18[ {text}]"),),
    19: (T(s.YouKibitzed, "19[ {text}]"),),
    20: (T(s.Alerted, "20 {name}[ {text}]"),),
}

# What `toggle NAME` answers: YES, NO. What stands behind a bar differs between servers.
TOGGLE_TEXTS: dict[str, tuple[str, str]] = {
    "allowpip": (
        "You allow |the use the server's 'pip' command.",
        "You don't allow |the use of the server's 'pip' command.",
    ),
    "autoboard": (
        "The board will |be refreshed after every move.",
        "The board won't |be refreshed after every move.",
    ),
    "autodouble": (
        "You agree |that doublets during opening double the cube.",
        "You don't agree |that doublets during opening double the cube.",
    ),
    "automove": (
        "Forced moves will |be done automatically.",
        "Forced moves won't |be done automatically.",
    ),
    "bell": (
        "Your terminal will ring |the bell if someone talks to you or invites you",
        "Your terminal won't ring |the bell if someone talks to you or invites you",
    ),
    "crawford": (
        "You insist |on playing with the Crawford rule.",
        "You would like to play without |using the Crawford rule.",
    ),
    "double": (
        "You will be asked |if you want to double.",
        "You won't be asked |if you want to double.",
    ),
    "greedy": (
        "Will use |automatic greedy bearoffs.",
        "Won't use |automatic greedy bearoffs.",
    ),
    "moreboards": (
        "Will send |rawboards after rolling.",
        "Won't send |rawboards after rolling.",
    ),
    "moves": (
        "You want a list |of moves after this game.",
        "You won't see a list |of moves after this game.",
    ),
    "notify": (
        "You'll be notified |when new users log in.",
        "You won't be notified |when new users log in.",
    ),
    "ratings": (
        "You'll see how |the rating changes are calculated.",
        "You won't see how |the rating changes are calculated.",
    ),
    "ready": (
        "You're now ready |to invite or join someone.",
        "You're now refusing |to play with someone.",
    ),
    "report": (
        "You will be informed |about starting and ending matches.",
        "You won't be informed |about starting and ending matches.",
    ),
    "silent": (
        "You won't hear |what other players shout.",
        "You will hear |what other players shout.",
    ),
    "telnet": (
        "You use telnet |and don't need extra 'newlines'.",
        "You use a client program |and will receive extra 'newlines'.",
    ),
    "wrap": (
        "The server will wrap |long lines.",
        "Your terminal knows |how to wrap long lines.",
    ),
}


def _toggles() -> Iterator[T]:
    for name, texts in TOGGLE_TEXTS.items():
        for text, on in zip(texts, (True, False), strict=True):
            needed, _, _ = text.partition("|")
            yield T(s.Toggled, "** " + text.replace("|", ""), name=name, on=on)
            yield T(s.Toggled, f"** {needed.strip()}[~ {{_:rest}}]", name=name, on=on)


def _refusals() -> Iterator[T]:
    for refusal in Refusal:
        if refusal not in _LATE:
            yield T(Refused, refusal.value, why=refusal)
    for refusal, text in OTHER_WORDS:
        yield T(Refused, text, why=refusal)
    for refusal in _LATE:
        yield T(Refused, refusal.value, why=refusal)


_LATE = (Refusal.BAD_STEP,)  # their free text would swallow other rows

_SESSION = (
    T(s.AlreadyLoggedIn, "** Warning: You are already logged in[.]"),
    T(
        s.KickedByTwin,
        "** You just logged in a second time from {host:lazy}, terminating this session[.]",
    ),
    T(s.TimedOut, "Connection timed out[.]"),
    T(
        s.LoginFailed,
        "** User not known or wrong password[.]",
        text="** User not known or wrong password.",
    ),
    T(s.LoginFailed, "** access denied![~ {_:rest}]", text="** access denied!"),
    T(s.LoginFailed, "Login incorrect[~.]", text="Login incorrect"),
    T(s.Farewell, "[~ ]Goodbye[.]", text="Goodbye."),
    T(s.Farewell, "Thanks for using this server!", text="Thanks for using this server!"),
    T(s.YouWave, "You wave goodbye[.]"),
    T(s.YouWave, "You wave goodbye again and log out[.]", again=True),
    T(s.Waves, "{name} waves goodbye[.]"),
    T(s.Waves, "{name} waves goodbye again[.]", again=True),
    T(s.MessagesWaiting, "There are messages for you:"),
    T(s.UserCount, "There are {count} users logged on[.]"),
    T(s.GuestNotice, "Please register before using this server:"),
    T(s.OneNameOnly, "ONE USERNAME PER PERSON ONLY!!!"),
    T(s.NameWillBe, "Your name will be {name}[~.]"),
    T(
        s.NoPasswordMeansAnotherName,
        "Type in no password and hit Enter/Return if you want to change it now[.]",
    ),
    T(s.Registered, "You are registered[.]"),
    T(s.BeginnersHelp, "Type 'help beginner' to get started[.]"),
)

_SETTINGS = (
    T(s.TogglesBegin, "The current settings are:"),
    T(s.Setting, "{name:toggle15} {on:yes}"),
    T(s.VariablesBegin, "Settings of variables:"),
    *(T(s.Variable, f"{name + ':':<11} {{value:word}}", name=name) for name in s.VARIABLES),
    T(s.VariableSet, "Value of '{name:variable}' set to {value:value}[.]"),
    T(s.VariableIs, "Value of '{name:variable}' is {value:value}[~.]"),
    T(s.YouAreAway, "You're away. Please type 'back'[~.]"),
    T(s.WelcomeBack, "Welcome back[.]"),
    T(s.AwayUsersBegin, "The following users are away:"),
    T(s.NobodyAway, "None of the users is away[.]"),
    T(s.AddressIs, "Your email address is '{address:quoted}'[.]"),
    T(s.MaxLogins, "max_logins is {now} (maximum: {maximum})"),
    T(s.Gags, "** You gag {name}[.]", what="gag"),
    T(s.Gags, "** You ungag {name}[.]", what="ungag"),
    T(s.Gags, "** You blind {name}[.]", what="blind"),
    T(s.Gags, "** You unblind {name}[.]", what="unblind"),
)

_TALK = (
    T(s.Heard, "** {count:users} heard you[.]"),
    T(s.ToYourself, "You say to yourself: {text}"),
    T(s.IsAway, "{name} is away: {text}"),
    T(s.FinallyHere, "** FINALLY!!! {name} logs in[~.]"),
    T(s.WaitedForYou, "{name} is waiting for you to log in[.]"),
)

_INVITATIONS = (
    T(m.Invited, "{opponent} wants to play {length:match} with you[.]"),
    T(m.InvitedToResume, "{opponent} wants to resume a saved match with you[.]"),
    T(m.SavedMatchWarning, "[~** ]WARNING: {text}"),
    T(m.TypeJoin, "Type 'join {opponent}' to accept[.]"),
    T(m.YouInvited, "** You invited {opponent} to {length:match}[.]"),
    T(m.YouInvitedToResume, "** You invited {opponent} to resume a saved match[.]"),
    T(m.NowPlaying, "** You are now playing {length:match} with {opponent}[~.]"),
    T(m.JoinedYou, "** Player {opponent} has joined you for {length:match}[.]"),
    T(m.JoinedYou, "Player {opponent} has joined you for {length:match}[.]"),
    T(m.Resumed, "You are now playing with {opponent}. Your running match was loaded[.]"),
    T(m.ResumedBy, "{opponent} has joined you. Your running match was loaded[.]"),
    T(m.TurnIs, "turn: {name}[.]"),
    T(m.MatchLengthIs, "{length:length}[~.]"),
    T(m.PointsFor, "points for[~ user] {name}: {points}"),
)

_TURNS = (
    T(m.GameStarts, "Starting a new game with {opponent}[.]"),
    T(m.OpeningRoll, "You rolled {mine:die}, {opponent} rolled {theirs:die}[~.]"),
    T(m.WatchedOpening, "{name} rolls {die:die}, {other} rolls {other_die:die}[.]"),
    T(m.WatchedOpening, "{name} rolled {die:die}, {other} rolled {other_die:die}[.]"),
    T(m.CubeAtOpening, "The number on the doubling cube is now {cube}[~.]"),
    T(m.YouMoveFirst, "It's your turn to move[.]"),
    T(m.MovesFirst, "{name} makes the first move[.]"),
    T(m.YourTurn, "It's your turn. Please roll or double[.]"),
    T(m.YourTurn, "It's your turn to roll or double[.]"),
    T(m.YourTurn, "It's your turn Please roll or double[.]"),
    T(m.YourTurn, "It's your turn[.]"),
    T(m.YouRoll, "You roll {dice}[.]"),
    T(m.Rolls, "{name} rolls {dice}[.]"),
    T(m.PleaseMove, "Please move {pieces:pieces}[.]"),
    T(m.YouCannotMove, "You can't move[.]"),
    T(m.CannotMove, "{name} can't move[.]"),
    T(m.Moves, "{name} moves {steps:steps}."),
    T(m.OnlyMove, "The only possible move is {steps:quoted}[ .]"),
    T(m.BearingOff, "Bearing off: {steps:text}"),
    T(m.Done, "Done."),
)

_CUBE = (
    T(m.YouDouble, "You double. Please wait for {opponent} to accept or reject[.]"),
    T(m.OpponentDoubles, "{opponent} doubles. Type 'accept' or 'reject'[.]"),
    T(m.WatchedDoubles, "{name} doubles[.]"),
    T(m.Redoubles, "{name} redoubles to {cube}[.]"),
    T(m.YouAcceptDouble, "You accept the double. The cube shows {cube}[.]"),
    T(m.YouAcceptDouble, "You accept the double.The cube shows {cube}[.]"),
    T(m.AcceptsDouble, "{name} accepts the double[.]"),
    T(m.AcceptsDouble, "{name} accepts the double. The cube shows {cube:int}[.]"),
    T(m.AcceptsDouble, "{name} accepts the double.The cube shows {cube:int}[.]"),
    T(m.YouGiveUp, "You give up. {opponent} wins {points:points}[.]"),
    T(m.GivesUp, "{opponent} gives up. You win {points:points}[.]"),
    T(m.WatchedGivesUp, "{name} gives up. {winner} wins {points:points}[.]"),
)

_RESIGNATIONS = (
    T(m.YouResign, "You want to resign. {opponent} will win {points:points?}[.]"),
    T(m.YouResign, "You want to resign. {opponent} will win {points:points?} ."),
    T(
        m.OpponentResigns,
        "{opponent} wants to resign. You will win {points:points?}[.] Type 'accept' or 'reject'[.]",
    ),
    T(
        m.OpponentResigns,
        "{opponent} wants to resign. You will win {points:points?} . Type 'accept' or 'reject'[.]",
    ),
    T(m.WatchedResigns, "{name} wants to resign. {winner} will win {points:points?}[.]"),
    T(m.WatchedResigns, "{name} wants to resign. {winner} will win {points:points?} ."),
    T(m.YouAcceptResignation, "You accept and win {points:points}[.]"),
    T(m.AcceptsResignation, "{name} accepts and wins {points:points}[.]"),
    T(m.YouRejectResignation, "You reject. The game continues[.]"),
    T(m.RejectsResignation, "{name} rejects. The game continues[.]"),
)

_RESULTS = (
    T(m.YouWinGame, "You win the game and get {points:points}.[ Congratulations!]"),
    T(m.OpponentWinsGame, "{opponent} wins the game and gets {points:points}. Sorry."),
    T(m.WatchedWinsGame, "{name} wins the game and gets {points:points}."),
    T(m.Score, "score in {length:matchof}: {name}-{points} {other}-{other_points}"),
    T(m.JoinOrLeave, "Type 'join' if you want to play the next game, type 'leave' if you don't[.]"),
    T(m.WaitForJoin, "** Please wait for {opponent} to join too[.]"),
    T(m.YouWinMatch, "You win the {length} point match {mine}-{theirs} ."),
    T(m.YouWinMatch, "You win the {length} point match {mine}-{theirs}[.]"),
    T(m.WinsMatch, "{name} wins the {length} point match {score}-{loser_score} ."),
    T(m.WinsMatch, "{name} wins the {length} point match {score}-{loser_score}[.]"),
    T(m.ReportStarts, "{name} and {other} start {length:match}[.]"),
    T(m.ReportResumes, "{name} and {other} are resuming {length:theirmatch}[.]"),
    T(m.ReportLeft, "{name} has left the game with {other}[.]"),
    T(m.ReportWins, "{name} wins a {length} point match against {other}  {score}-{other_score} ."),
    T(m.ReportWins, "{name} wins a {length} point match against {other} {score}-{other_score}[.]"),
    T(m.YouLeft, "** You terminated the game. The game was saved[.]"),
    T(m.OpponentLeft, "** Player {opponent} has left the game. The game was saved[.]"),
    T(m.OpponentLoggedOut, "{opponent} logs out. The game was saved[.]"),
    T(m.OpponentDropped, "{opponent} drops connection. The game was saved[.]"),
    T(m.OpponentTimedOut, "Connection with {opponent} timed out. The game was saved[.]"),
    T(m.OpponentFailed, "Network error with {opponent}. The game was saved[.]"),
    T(m.OpponentReconnected, "Closed old connection with user {opponent}. The game was saved[.]"),
    T(m.ConnectionClosedBy, "{admin} closes connection with {opponent}[{text:text}]"),
)

_LISTS = (
    T(s.SavedHead, "  opponent          matchlength   score (your points first)"),
    T(s.SavedHead, "[~ ]opponent matchlength score[~ {_:rest}]"),
    T(s.NoSavedMatches, "no saved games[.]"),
    T(s.SavedMatch, "{stars:stars}{name:user15}{length:length>10}{mine:int>17} - {theirs:int>2}"),
    T(s.SavedCount, "{name} has {count:games}[.]"),
    T(s.GamesHead, "List of games:"),
    T(s.GameRow, "{name:user15} - {other:user>15} ({length:matchof} {score}-{other_score})"),
    T(s.WatchersHead, "Watching players:"),
    T(s.NobodyWatches, "Watching players: none[.]"),
    T(s.WatchesYou, "{name} is watching you[.]"),
    T(s.IsWatching, "{name} is watching {other}[.]"),
    T(s.WhoisHead, "Information about {name}:"),
    T(s.NoInformation, "No information found on user {name}[.]"),
    T(s.Pipcounts, "Pipcounts: {name} {pips} {other} {other_pips}[~.]"),
    T(s.YouWatch, "You're now watching {name}[.]"),
    T(s.YouWatch, "You are now watching {name}[.]"),
    T(s.NotInteresting, "{name} is not doing anything interesting[.]"),
    T(s.YouStopWatching, "[~** ]You stop watching {name}[.]"),
    T(s.WatchedLeft, "{name} logs out. You're not watching anymore[.]"),
    T(s.StopsWatchingYou, "{name} stops watching you[.]"),
    T(s.StartsWatching, "{name} starts watching {other}[.]"),
    T(s.StopsWatching, "{name} stops watching {other}[.]"),
    T(s.LookGreat, "You look great[.]"),
    T(s.IsNotPlaying, "{name} is not playing[.]"),
    T(s.OldScore, "Score is {score}-{other_score} in {length:match}[.]"),
    T(s.OldSeats, "{x} is X - {o} is O[.]"),
    T(s.OldMove, "{seat:seat}: {text}"),
    T(s.WhoisLine, "  {text}"),
)

PROSE: tuple[T, ...] = (
    *_SESSION,
    *_SETTINGS,
    *_TALK,
    *_INVITATIONS,
    *_TURNS,
    *_CUBE,
    *_RESIGNATIONS,
    *_RESULTS,
    *_LISTS,
    *_toggles(),
    *_refusals(),
    T(s.Notice, "** {text}"),
)
