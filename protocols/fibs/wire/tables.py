"""The two tables of lines: numbered CLIP lines, and prose. Earlier rows win.

The first row of a message that fits is the form in which it is written (FIBS's own form where it
is known); all rows are read. Several servers' words for one thing stand one under the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.protocols.fibs.wire import account, login, matches, talk, turns, users
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
    1: (T(login.Welcome, "1 {name} {last_login} {last_host:word}"),),
    2: (
        T(
            account.OwnInfo,
            "2 {name} {allowpip} {autoboard} {autodouble} {automove} {away} {bell} {crawford}"
            " {double} {experience} {greedy} {moreboards} {moves} {notify} {rating} {ratings}"
            " {ready} {redoubles:word} {report} {silent} {timezone:word}[~ {_:rest}]",
        ),
    ),
    3: (T(login.MotdBegins, "3"),),
    4: (T(login.MotdEnds, "4"),),
    5: (
        T(
            users.User,
            "5 {name} {opponent} {watching} {ready} {away} {rating} {experience} {idle_s} {login}"
            " {host:word} {client:word} {email:word}[~ {_:rest}]",
        ),
    ),
    6: (T(users.WhoEnds, "6"),),
    7: (T(users.LoggedIn, "7 {name}[ {text}]"),),
    8: (T(users.LoggedOut, "8 {name}[ {text}]"),),
    9: (T(talk.MessageLeft, "9 {name} {time}[ {text}]"),),
    10: (T(talk.MessageDelivered, "10 {name}"),),
    11: (T(talk.MessageSaved, "11 {name}"),),
    12: (T(talk.Said, "12 {name}[ {text}]"),),
    13: (T(talk.Shouted, "13 {name}[ {text}]"),),
    14: (T(talk.Whispered, "14 {name}[ {text}]"),),
    15: (T(talk.Kibitzed, "15 {name}[ {text}]"),),
    16: (T(talk.YouTold, "16 {name}[ {text}]"),),
    17: (T(talk.YouShouted, "17[ {text}]"),),
    18: (T(talk.YouWhispered, "18[ {text}]"),),
    19: (T(talk.YouKibitzed, "19[ {text}]"),),
    20: (T(talk.Alerted, "20 {name}[ {text}]"),),
}

# The answers to `toggle NAME`: YES, NO. Text after a bar is another server's wording.
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
            yield T(account.Toggled, "** " + text.replace("|", ""), name=name, on=on)
            yield T(account.Toggled, f"** {needed.strip()}[~ {{_:rest}}]", name=name, on=on)


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
    T(login.AlreadyLoggedIn, "** Warning: You are already logged in[.]"),
    T(
        login.KickedByTwin,
        "** You just logged in a second time from {host:lazy}, terminating this session[.]",
    ),
    T(login.TimedOut, "Connection timed out[.]"),
    T(
        login.LoginFailed,
        "** User not known or wrong password[.]",
        text="** User not known or wrong password.",
    ),
    T(login.LoginFailed, "** access denied![~ {_:rest}]", text="** access denied!"),
    T(login.LoginFailed, "Login incorrect[~.]", text="Login incorrect"),
    T(login.Farewell, "[~ ]Goodbye[.]", text="Goodbye."),
    T(login.Farewell, "Thanks for using this server!", text="Thanks for using this server!"),
    T(talk.YouWave, "You wave goodbye[.]"),
    T(talk.YouWave, "You wave goodbye again and log out[.]", again=True),
    T(talk.Waves, "{name} waves goodbye[.]"),
    T(talk.Waves, "{name} waves goodbye again[.]", again=True),
    T(talk.MessagesWaiting, "There are messages for you:"),
    T(users.UserCount, "There are {count} users logged on[.]"),
    T(login.GuestNotice, "Please register before using this server:"),
    T(login.OneNameOnly, "ONE USERNAME PER PERSON ONLY!!!"),
    T(login.NameWillBe, "Your name will be {name}[~.]"),
    T(
        login.NoPasswordMeansAnotherName,
        "Type in no password and hit Enter/Return if you want to change it now[.]",
    ),
    T(login.Registered, "You are registered[.]"),
    T(login.BeginnersHelp, "Type 'help beginner' to get started[.]"),
)

_SETTINGS = (
    T(account.TogglesBegin, "The current settings are:"),
    T(account.ToggleIs, "{name:toggle15} {on:yes}"),
    T(account.VariablesBegin, "Settings of variables:"),
    *(
        T(account.Variable, f"{name + ':':<11} {{value:word}}", name=name)
        for name in account.VARIABLES
    ),
    T(account.VariableSet, "Value of '{name:variable}' set to {value:value}[.]"),
    T(account.VariableIs, "Value of '{name:variable}' is {value:value}[~.]"),
    T(account.YouAreAway, "You're away. Please type 'back'[~.]"),
    T(account.WelcomeBack, "Welcome back[.]"),
    T(users.AwayUsersBegin, "The following users are away:"),
    T(users.NobodyAway, "None of the users is away[.]"),
    T(account.AddressIs, "Your email address is '{address:quoted}'[.]"),
    T(login.MaxLogins, "max_logins is {now} (maximum: {maximum})"),
    T(talk.Gags, "** You gag {name}[.]", what="gag"),
    T(talk.Gags, "** You ungag {name}[.]", what="ungag"),
    T(talk.Gags, "** You blind {name}[.]", what="blind"),
    T(talk.Gags, "** You unblind {name}[.]", what="unblind"),
)

_TALK = (
    T(talk.Heard, "** {count:users} heard you[.]"),
    T(talk.ToYourself, "You say to yourself: {text}"),
    T(talk.IsAway, "{name} is away: {text}"),
    T(talk.FinallyHere, "** FINALLY!!! {name} logs in[~.]"),
    T(talk.WaitedForYou, "{name} is waiting for you to log in[.]"),
)

_INVITATIONS = (
    T(matches.Invited, "{opponent} wants to play {length:match} with you[.]"),
    T(matches.InvitedToResume, "{opponent} wants to resume a saved match with you[.]"),
    T(matches.SavedMatchWarning, "[~** ]WARNING: {text}"),
    T(matches.TypeJoin, "Type 'join {opponent}' to accept[.]"),
    T(matches.YouInvited, "** You invited {opponent} to {length:match}[.]"),
    T(matches.YouInvitedToResume, "** You invited {opponent} to resume a saved match[.]"),
    T(matches.NowPlaying, "** You are now playing {length:match} with {opponent}[~.]"),
    T(matches.JoinedYou, "** Player {opponent} has joined you for {length:match}[.]"),
    T(matches.JoinedYou, "[~** ][~Player ]{opponent} has joined you for {length:match}[.]"),
    T(matches.Resumed, "You are now playing with {opponent}. Your running match was loaded[.]"),
    T(matches.ResumedBy, "{opponent} has joined you. Your running match was loaded[.]"),
    T(matches.TurnIs, "turn: {name}[.]"),
    T(matches.MatchLengthIs, "{length:length}[~.]"),
    T(matches.PointsFor, "points for[~ user] {name}: {points}"),
)

_TURNS = (
    T(matches.GameStarts, "Starting a new game with {opponent}[.]"),
    T(turns.OpeningRoll, "You rolled {mine:die}, {opponent} rolled {theirs:die}[~.]"),
    T(turns.WatchedOpening, "{name} rolls {die:die}, {other} rolls {other_die:die}[.]"),
    T(turns.WatchedOpening, "{name} rolled {die:die}, {other} rolled {other_die:die}[.]"),
    T(turns.CubeAtOpening, "The number on the doubling cube is now {cube}[~.]"),
    T(turns.YouMoveFirst, "It's your turn to move[.]"),
    T(turns.MovesFirst, "{name} makes the first move[.]"),
    T(turns.YourTurn, "It's your turn. Please roll or double[.]"),
    T(turns.YourTurn, "It's your turn to roll or double[.]"),
    T(turns.YourTurn, "It's your turn Please roll or double[.]"),
    T(turns.YourTurn, "It's your turn[.]"),
    T(turns.YouRoll, "You roll {dice}[.]"),
    T(turns.PlayerRolls, "{name} rolls {dice}[.]"),
    T(turns.PleaseMove, "Please move {pieces:pieces}[.]"),
    T(turns.YouCannotMove, "You can't move[.]"),
    T(turns.CannotMove, "{name} can't move[.]"),
    T(turns.Moves, "{name} moves {steps:steps}."),
    T(turns.OnlyMove, "The only possible move is {steps:quoted}[ .]"),
    T(turns.BearingOff, "Bearing off: {steps:text}"),
    T(turns.Done, "Done."),
)

_CUBE = (
    T(turns.YouDouble, "You double. Please wait for {opponent} to accept or reject[.]"),
    T(turns.OpponentDoubles, "{opponent} doubles. Type 'accept' or 'reject'[.]"),
    T(turns.WatchedDoubles, "{name} doubles[.]"),
    T(turns.Redoubles, "{name} redoubles to {cube}[.]"),
    T(turns.YouAcceptDouble, "You accept the double. The cube shows {cube}[.]"),
    T(turns.YouAcceptDouble, "You accept the double.The cube shows {cube}[.]"),
    T(turns.AcceptsDouble, "{name} accepts the double[.]"),
    T(turns.AcceptsDouble, "{name} accepts the double. The cube shows {cube:int}[.]"),
    T(turns.AcceptsDouble, "{name} accepts the double.The cube shows {cube:int}[.]"),
    T(turns.YouGiveUp, "You give up. {opponent} wins {points:points?}[.]"),
    T(turns.GivesUp, "{opponent} gives up. You win {points:points?}[.]"),
    T(turns.WatchedGivesUp, "{name} gives up. {winner} wins {points:points}[.]"),
)

_RESIGNATIONS = (
    T(turns.YouResign, "You want to resign. {opponent} will win {points:points?}[.]"),
    T(turns.YouResign, "You want to resign. {opponent} will win {points:points?} ."),
    T(
        turns.OpponentResigns,
        "{opponent} wants to resign. You will win {points:points?}[.] Type 'accept' or 'reject'[.]",
    ),
    T(
        turns.OpponentResigns,
        "{opponent} wants to resign. You will win {points:points?} . Type 'accept' or 'reject'[.]",
    ),
    T(turns.WatchedResigns, "{name} wants to resign. {winner} will win {points:points?}[.]"),
    T(turns.WatchedResigns, "{name} wants to resign. {winner} will win {points:points?} ."),
    T(turns.YouAcceptResignation, "You accept and win {points:points}[.]"),
    T(turns.AcceptsResignation, "{name} accepts and wins {points:points}[.]"),
    T(turns.YouRejectResignation, "You reject. The game continues[.]"),
    T(turns.RejectsResignation, "{name} rejects. The game continues[.]"),
)

_RESULTS = (
    T(turns.YouWinGame, "You win the game and get {points:points}.[ Congratulations!]"),
    T(turns.YouWinGame, "You win the game and get {points:points}. {_:rest}"),
    T(turns.OpponentWinsGame, "{opponent} wins the game and gets {points:points}. Sorry."),
    T(turns.WatchedWinsGame, "{name} wins the game and gets {points:points}."),
    T(matches.ScoreIs, "score in {length:matchof}: {name}-{points} {other}-{other_points}"),
    T(
        matches.JoinOrLeave,
        "Type 'join' if you want to play the next game, type 'leave' if you don't[.]",
    ),
    T(matches.WaitForJoin, "** Please wait for {opponent} to join too[.]"),
    T(matches.YouWinMatch, "You win the {length} point match {mine}-{theirs} ."),
    T(matches.YouWinMatch, "You win the {length} point match {mine}-{theirs}[.]"),
    T(matches.WinsMatch, "{name} wins the {length} point match {score}-{loser_score} ."),
    T(matches.WinsMatch, "{name} wins the {length} point match {score}-{loser_score}[.]"),
    T(matches.ReportStarts, "{name} and {other} start {length:match}[.]"),
    T(matches.ReportResumes, "{name} and {other} are resuming {length:theirmatch}[.]"),
    T(matches.ReportLeft, "{name} has left the game with {other}[.]"),
    T(
        matches.ReportWins,
        "{name} wins a {length} point match against {other}  {score}-{other_score} .",
    ),
    T(
        matches.ReportWins,
        "{name} wins a {length} point match against {other} {score}-{other_score}[.]",
    ),
    T(matches.YouLeft, "** You terminated the game. The game was saved[.]"),
    T(matches.OpponentLeft, "** Player {opponent} has left the game. The game was saved[.]"),
    T(matches.OpponentLeft, "** Player {opponent} terminated the game. The game was saved[.]"),
    T(matches.OpponentLoggedOut, "{opponent} logs out. The game was saved[.]"),
    T(matches.OpponentDropped, "{opponent} drops connection. The game was saved[.]"),
    T(matches.OpponentTimedOut, "Connection with {opponent} timed out. The game was saved[.]"),
    T(matches.OpponentFailed, "Network error with {opponent}. The game was saved[.]"),
    T(
        matches.OpponentReconnected,
        "Closed old connection with user {opponent}. The game was saved[.]",
    ),
    T(matches.ConnectionClosedBy, "{admin} closes connection with {opponent}[{text:text}]"),
)

_LISTS = (
    T(account.SavedHead, "  opponent          matchlength   score (your points first)"),
    T(account.SavedHead, "[~ ]opponent matchlength score[~ {_:rest}]"),
    T(account.NoSavedMatches, "no saved games[.]"),
    T(
        account.SavedMatch,
        "{stars:stars}{name:user15}{length:length>10}{mine:int>17} - {theirs:int>2}",
    ),
    T(users.SavedCount, "{name} has {count:games}[.]"),
    T(users.GamesHead, "List of games:"),
    T(users.GameRow, "{name:user15} - {other:user>15} ({length:matchof} {score}-{other_score})"),
    T(users.WatchersHead, "Watching players:"),
    T(users.NobodyWatches, "Watching players: none[.]"),
    T(users.WatchesYou, "{name} is watching you[.]"),
    T(users.IsWatching, "{name} is watching {other}[.]"),
    T(users.WhoisHead, "Information about {name}:"),
    T(users.NoInformation, "No information found on user {name}[.]"),
    T(users.Pipcounts, "Pipcounts: {name} {pips} {other} {other_pips}[~.]"),
    T(users.YouWatch, "You're now watching {name}[.]"),
    T(users.YouWatch, "You are now watching {name}[.]"),
    T(users.NotInteresting, "{name} is not doing anything interesting[.]"),
    T(users.YouStopWatching, "[~** ]You stop watching {name}[.]"),
    T(users.WatchedLeft, "{name} logs out. You're not watching anymore[.]"),
    T(users.StopsWatchingYou, "{name} stops watching you[.]"),
    T(users.StartsWatching, "{name} starts watching {other}[.]"),
    T(users.StopsWatching, "{name} stops watching {other}[.]"),
    T(users.LookGreat, "You look great[.]"),
    T(users.IsNotPlaying, "{name} is not playing[.]"),
    T(users.OldScore, "Score is {score}-{other_score} in {length:match}[.]"),
    T(users.OldSeats, "{x} is X - {o} is O[.]"),
    T(users.OldMove, "{seat:seat}: {text}"),
    T(users.WhoisLine, "  {text}"),
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
    T(talk.Notice, "** {text}"),
)
