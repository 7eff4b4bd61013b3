"""Commands of players during a match: roll, move, double, accept, reject, resign, join and others.

Each command is either refused in FIBS's own words, or changes the match and lets `matches.py`
continue the game.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby, matches, moves
from sixprime.bot.sandbox.state.match import MAX_CUBE, UnfinishedMatch
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    ServerState,
    UserSession,
    Words,
    refuse,
)

NOT_PLAYING = "** You're not playing."
CRAWFORD_RULE = "** The Crawford rule doesn't allow you to double in this game."
RESIGN_USAGE = "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."
GAMES = {"normal": 1, "gammon": 2, "backgammon": 3}


def _seat(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, int, str]:
    """Return the match with a game in progress, the player's seat in it, and the opponent."""
    match = server.match_of(session.name)
    if match is None:
        raise CommandRefused(NOT_PLAYING)
    seat, other = match.seat(session.name), match.other(session.name)
    if not match.in_game:
        waits = f"** Please wait for {other} to join too."
        raise CommandRefused(waits if match.joined == seat else "** The game is already over.")
    return match, seat, other


def _free_seat(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, int, str]:
    """Do as `_seat`, and refuse a player with an open offer, made or received."""
    match, seat, other = _seat(server, session)
    refuse(
        (match.resigner == seat, f"** {other} hasn't accepted or rejected your resign yet."),
        (match.resigner == 1 - seat, f"** {other} wanted to resign. Type 'accept' or 'reject'."),
        (match.doubler == seat, f"** {other} hasn't responded to your double yet."),
    )
    return match, seat, other


def roll(server: ServerState, session: UserSession, words: Words) -> None:
    match, seat, _ = _free_seat(server, session)
    refuse(
        (not match.is_turn_of(seat), "** It's not your turn to roll the dice."),
        (match.state.dice is not None, "** You did already roll the dice."),
    )
    matches.roll(server, match)


def move(server: ServerState, session: UserSession, words: Words) -> None:
    """`move 8-5 6-5`"""
    match, seat, _ = _free_seat(server, session)
    refuse(
        (not match.is_turn_of(seat), "** It's not your turn to move."),
        (match.state.dice is None, "** You have to roll the dice before moving."),
    )
    play = moves.parse_play(match, words)
    moves.check_play(match, play)
    matches.make_play(server, match, play)


def double(server: ServerState, session: UserSession, words: Words) -> None:
    match, seat, _ = _seat(server, session)
    refuse((match.resigner == seat, "** You can't double now. You want to resign."))
    match, seat, other = _free_seat(server, session)
    refuse(
        (not match.is_turn_of(seat), "** It's not your turn to double."),
        (match.opening, "** You cannot double in the first move."),
        (match.state.dice is not None, "** You can only double before you roll the dice."),
        (not match.cube_is_in_play(), CRAWFORD_RULE),
        (not match.may_double(), "** It's not your turn to double."),
    )
    match = server.put_match(match.doubled())
    name = session.name
    matches.announce(
        server,
        match,
        seat,
        f"You double. Please wait for {other} to accept or reject.",
        f"{name} doubles. Type 'accept' or 'reject'.",
        f"{name} doubles.",
    )


def redouble(server: ServerState, session: UserSession, words: Words) -> None:
    """`redouble`, `beaver`, `raccoon`, `otter`: take a double and turn the cube at once."""
    match, seat, other = _seat(server, session)
    no_more = match.redoubled >= match.redoubles or match.state.cube * 4 > MAX_CUBE
    refuse(
        (match.doubler != 1 - seat, f"** {other} didn't double or resign."),
        (not match.unlimited or no_more, "** You can't redouble now. Type 'accept' or 'reject'."),
    )
    match = server.put_match(match.redoubled_at_once())
    cube = match.state.cube * 2
    matches.announce(
        server,
        match,
        seat,
        f"You redouble to {cube}. Please wait for {other} to accept or reject.",
        f"{session.name} redoubles to {cube}. Type 'accept' or 'reject'.",
        f"{session.name} redoubles to {cube}.",
    )


def accept(server: ServerState, session: UserSession, words: Words) -> None:
    """`accept`: a double or a resignation."""
    match, seat, _ = _answering(server, session)
    name = session.name
    if match.state.doubled:
        match = server.put_match(match.taken())
        shows = f"The cube shows {match.state.cube}."
        accepts = f"{name} accepts the double. {shows}"
        matches.announce(server, match, seat, f"You accept the double. {shows}", accepts)
        if server.dialect.take_autoroll:
            matches.roll(server, match)
        return
    match = match.resignation_accepted()
    worth = matches.worth_text(match)
    if server.dialect.resignation == "resigner" and _goes_on(match):
        server.playing.pop(name)
        server.say(session, "You are not playing.")
        matches.announce(server, match, seat, "", f"{name} accepts and wins {worth}.")
        matches.end_game(server, match)
        lobby.update(server, name)
        return
    wins = f"{name} accepts and wins {worth}."
    matches.announce(server, match, seat, f"You accept and win {worth}.", wins)
    matches.end_game(server, match)


def reject(server: ServerState, session: UserSession, words: Words) -> None:
    """`reject`: a double, which loses the game, or a resignation, after which it goes on."""
    match, seat, other = _answering(server, session)
    name = session.name
    if match.state.doubled:
        match = match.dropped()
        worth = matches.worth_text(match)
        matches.announce(
            server,
            match,
            seat,
            f"You give up. {other} wins {worth}.",
            f"{name} gives up. You win {worth}.",
            f"{name} gives up. {other} wins {worth}.",
        )
        matches.end_game(server, match)
        return
    match = server.put_match(match.resignation_rejected())
    rejects = f"{name} rejects. The game continues."
    matches.announce(server, match, seat, "You reject. The game continues.", rejects)


def _goes_on(match: UnfinishedMatch) -> bool:
    """Return whether another game follows the finished one."""
    return match.won is not None and match.scored(match.won, alternate=False).winner is None


def _answering(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, int, str]:
    """Return the match in which this player owes an answer."""
    match, seat, other = _seat(server, session)
    if 1 - seat not in (match.resigner, match.doubler):
        _free_seat(server, session)
        raise CommandRefused(f"** {other} didn't double or resign.")
    return match, seat, other


def resign(server: ServerState, session: UserSession, words: Words) -> None:
    """`resign n|g|b`"""
    match, seat, other = _free_seat(server, session)
    games = [value for word, value in GAMES.items() if words and word.startswith(words[0].lower())]
    refuse(
        (match.state.doubled, f"** {other} doubled. Type 'accept' or 'reject'."),
        (not games, RESIGN_USAGE),
    )
    match = server.put_match(match.resigned(seat, games[0]))
    worth = matches.points_text(games[0] * match.state.cube)
    matches.announce(
        server,
        match,
        seat,
        f"You want to resign. {other} will win {worth}.",
        f"{session.name} wants to resign. You will win {worth}. Type 'accept' or 'reject'.",
        f"{session.name} wants to resign. {other} will win {worth}.",
    )


def join_next(server: ServerState, session: UserSession, match: UnfinishedMatch) -> None:
    """`join` between two games; the next begins when both have said it."""
    seat = match.seat(session.name)
    if match.winner is not None:
        matches.show_finished(server, match, session.name)
        return
    refuse((match.joined == seat, "** You already did that."))
    if match.joined is None:
        server.put_match(replace(match, joined=seat))
        server.say(session, f"** Please wait for {match.players[1 - seat]} to join too.")
    else:
        matches.start_game(server, match)


def show_board(server: ServerState, session: UserSession, words: Words) -> None:
    """`board`: the user's own game, or the game being watched."""
    matches.show_to(server, session, *_in_view(server, session))


def pip(server: ServerState, session: UserSession, words: Words) -> None:
    """`pip`: both pip counts, if the players allow it."""
    match, name = _in_view(server, session)
    other = match.other(name)
    for player in (other, name):
        allowed = player == session.name or server.accounts[player].has("allowpip")
        refuse((not allowed, f"** {player} doesn't allow the use of the 'pip' command."))
    mine, theirs = match.view(match.seat(name)).pips()
    me = "You" if name == session.name else name
    server.say(session, f"Pipcounts: {me} {mine}   {other} {theirs}")


def _in_view(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, str]:
    """Return the match that this user plays or watches, and the player on whose side."""
    name = session.name if server.match_of(session.name) else session.watching
    match = server.match_of(name) if name else None
    if name is None or match is None:
        raise CommandRefused(NOT_PLAYING)
    return match, name


def oldmoves(server: ServerState, session: UserSession, words: Words) -> None:
    """`oldmoves [NAME]`: the moves of the last finished game."""
    match, _ = _last_game(server, session, words)
    server.say(session, *matches.move_list(match))


def oldboard(server: ServerState, session: UserSession, words: Words) -> None:
    """`oldboard [NAME]`: the last board of the last finished game."""
    matches.show_to(server, session, *_last_game(server, session, words))


def _last_game(
    server: ServerState, session: UserSession, words: Words
) -> tuple[UnfinishedMatch, str]:
    name = server.spellings.get(words[0].lower(), words[0]) if words else session.name
    last = server.last_games.get(name)
    if last is None:
        raise CommandRefused(f"** There is no old game of {name}.")
    return last.match, name
