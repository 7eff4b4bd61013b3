"""What a player types during a match: roll, move, double, accept, reject, resign, join and so on.

Each command is refused in the words of section 8 of the specification, or changes the table and
lets `matches.py` carry the game on.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import matches, moves
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.state.match import MAX_CUBE, UnfinishedMatch
from sixprime.bot.sandbox.state.server import ServerState, UserSession

Words = list[str]
NOT_PLAYING = "** You're not playing."
CRAWFORD_RULE = "** The Crawford rule doesn't allow you to double in this game."
RESIGN_USAGE = "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."
GAMES = {"normal": 1, "gammon": 2, "backgammon": 3}


def _seat(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, int] | None:
    """The running game and the player's seat; the player is told if there is none."""
    match = server.match_of(session.name)
    if match is None:
        server.say(session, NOT_PLAYING)
        return None
    seat = match.seat(session.name)
    if match.in_game:
        return match, seat
    other = match.players[1 - seat]
    waits = match.joined == seat
    server.say(
        session,
        f"** Please wait for {other} to join too." if waits else "** The game is already over.",
    )
    return None


def _open_offer(match: UnfinishedMatch, seat: int) -> str | None:
    """Why this seat has to wait for an answer, or owes one; None if nothing is open."""
    other = match.players[1 - seat]
    if match.resigner is not None:
        if match.resigner == seat:
            return f"** {other} hasn't accepted or rejected your resign yet."
        return f"** {other} wanted to resign. Type 'accept' or 'reject'."
    if match.doubler == seat:
        return f"** {other} hasn't responded to your double yet."
    return None


def roll(server: ServerState, session: UserSession, words: Words) -> None:
    """`roll`"""
    found = _seat(server, session)
    if found is None:
        return
    match, seat = found
    offer = _open_offer(match, seat)
    if offer is not None:
        server.say(session, offer)
    elif match.state.on_roll != seat or match.state.doubled:
        server.say(session, "** It's not your turn to roll the dice.")
    elif match.state.dice is not None:
        server.say(session, "** You did already roll the dice.")
    else:
        matches.roll(server, match)


def move(server: ServerState, session: UserSession, words: Words) -> None:
    """`move 8-5 6-5`"""
    found = _seat(server, session)
    if found is None:
        return
    match, seat = found
    offer = _open_offer(match, seat)
    if offer is not None:
        server.say(session, offer)
    elif match.state.on_roll != seat or match.state.doubled:
        server.say(session, "** It's not your turn to move.")
    elif match.state.dice is None:
        server.say(session, "** You have to roll the dice before moving.")
    else:
        try:
            play = moves.parse_play(match, words)
            moves.check_play(match, play)
        except moves.CommandRefused as fault:
            server.say(session, str(fault))
            return
        matches.make_play(server, match, play)


def double(server: ServerState, session: UserSession, words: Words) -> None:
    """`double`"""
    found = _seat(server, session)
    if found is None:
        return
    match, seat = found
    refusal = _no_double(match, seat)
    if refusal is not None:
        server.say(session, refusal)
        return
    match = server.put_match(match.doubled())
    other, name = match.players[1 - seat], session.name
    matches.announce(
        server,
        match,
        seat,
        f"You double. Please wait for {other} to accept or reject.",
        f"{name} doubles. Type 'accept' or 'reject'.",
        f"{name} doubles.",
    )


def _no_double(match: UnfinishedMatch, seat: int) -> str | None:
    if match.resigner == seat:
        return "** You can't double now. You want to resign."
    offer = _open_offer(match, seat)
    if offer is not None:
        return offer
    state = match.state
    mine = state.on_roll == seat and not state.doubled
    refusals = (
        (not mine, "** It's not your turn to double."),
        (match.opening, "** You cannot double in the first move."),
        (state.dice is not None, "** You can only double before you roll the dice."),
        (not match.cube_is_in_play(), CRAWFORD_RULE),
        (not match.may_double(seat), "** It's not your turn to double."),
    )
    return next((line for refused, line in refusals if refused), None)


def redouble(server: ServerState, session: UserSession, words: Words) -> None:
    """`redouble`, `beaver`, `raccoon`, `otter`: take a double and turn the cube at once."""
    found = _seat(server, session)
    if found is None:
        return
    match, seat = found
    other = match.players[1 - seat]
    if not match.state.doubled or match.state.to_act != seat:
        server.say(session, f"** {other} didn't double or resign.")
        return
    if not match.unlimited or match.redoubled >= match.redoubles or match.state.cube * 4 > MAX_CUBE:
        server.say(session, "** You can't redouble now. Type 'accept' or 'reject'.")
        return
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
    found = _answer(server, session)
    if found is None:
        return
    match, seat = found
    name = session.name
    if match.state.doubled:
        match = server.put_match(match.taken())
        shows = f"The cube shows {match.state.cube}."
        matches.announce(
            server,
            match,
            seat,
            f"You accept the double. {shows}",
            f"{name} accepts the double. {shows}",
            f"{name} accepts the double. {shows}",
        )
        if server.dialect.take_autoroll:
            matches.roll(server, match)
        return
    match = match.resignation_accepted()
    worth = matches.worth_text(match)
    matches.announce(
        server,
        match,
        seat,
        f"You accept and win {worth}.",
        f"{name} accepts and wins {worth}.",
        f"{name} accepts and wins {worth}.",
    )
    matches.end_game(server, match)


def reject(server: ServerState, session: UserSession, words: Words) -> None:
    """`reject`: a double, which loses the game, or a resignation, which goes on with it."""
    found = _answer(server, session)
    if found is None:
        return
    match, seat = found
    name, other = session.name, match.players[1 - seat]
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
    on = "The game continues."
    matches.announce(
        server, match, seat, f"You reject. {on}", f"{name} rejects. {on}", f"{name} rejects. {on}"
    )


def _answer(server: ServerState, session: UserSession) -> tuple[UnfinishedMatch, int] | None:
    """The table whose open offer this player has to answer; he is told if there is none."""
    found = _seat(server, session)
    if found is None:
        return None
    match, seat = found
    open_to_me = match.state.to_act == seat and (match.state.doubled or match.state.resigned)
    if open_to_me:
        return match, seat
    other = match.players[1 - seat]
    server.say(session, _open_offer(match, seat) or f"** {other} didn't double or resign.")
    return None


def resign(server: ServerState, session: UserSession, words: Words) -> None:
    """`resign n|g|b`"""
    found = _seat(server, session)
    if found is None:
        return
    match, seat = found
    other = match.players[1 - seat]
    offer = _open_offer(match, seat)
    games = [value for word, value in GAMES.items() if words and word.startswith(words[0].lower())]
    if offer is not None:
        server.say(session, offer)
    elif match.state.doubled:
        server.say(session, f"** {other} doubled. Type 'accept' or 'reject'.")
    elif not games:
        server.say(session, RESIGN_USAGE)
    else:
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
    """`join` between two games; the second one to say it starts the next."""
    seat = match.seat(session.name)
    if match.joined == seat:
        server.say(session, "** You already did that.")
    elif match.joined is None:
        server.put_match(replace(match, joined=seat))
        server.say(session, f"** Please wait for {match.players[1 - seat]} to join too.")
    else:
        matches.start_game(server, match)


def show_board(server: ServerState, session: UserSession, words: Words) -> None:
    """`board`: one's own game, or the one that is watched."""
    name = session.name if server.match_of(session.name) else session.watching
    match = server.match_of(name) if name else None
    if name is None or match is None:
        server.say(session, NOT_PLAYING)
        return
    style = server.account(session).boardstyle
    server.say(session, *board(match, name, style, server.dialect, you=name == session.name))


def pip(server: ServerState, session: UserSession, words: Words) -> None:
    """`pip`: both pip counts, if the players allow it."""
    name = session.name if server.match_of(session.name) else session.watching
    match = server.match_of(name) if name else None
    if name is None or match is None:
        server.say(session, NOT_PLAYING)
        return
    other = match.other(name)
    for player in (other, name):
        if player != session.name and not server.accounts[player].has("allowpip"):
            server.say(session, f"** {player} doesn't allow the use of the 'pip' command.")
            return
    mine, theirs = match.view(match.seat(name)).pips()
    server.say(session, f"Pipcounts: {name} {mine} {other} {theirs}")


def oldmoves(server: ServerState, session: UserSession, words: Words) -> None:
    """`oldmoves [NAME]`: the moves of the last finished game."""
    name = _player_word(server, session, words)
    last = server.last_games.get(name)
    if last is None:
        server.say(session, f"** There is no old game of {name}.")
    else:
        server.say(session, *matches.move_list(last.match))


def oldboard(server: ServerState, session: UserSession, words: Words) -> None:
    """`oldboard [NAME]`: the last board of the last finished game."""
    name = _player_word(server, session, words)
    last = server.last_games.get(name)
    if last is None:
        server.say(session, f"** There is no old game of {name}.")
        return
    style = server.account(session).boardstyle
    server.say(session, *board(last.match, name, style, server.dialect, you=name == session.name))


def _player_word(server: ServerState, session: UserSession, words: Words) -> str:
    if not words:
        return session.name
    return server.spellings.get(words[0].lower(), words[0])
