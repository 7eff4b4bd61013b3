"""What a player types during a match: roll, move, double, accept, reject, resign, join and so on.

Each command is refused in the words of section 8 of the specification, or changes the table and
lets `matches.py` carry the game on.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import matches, moves
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.state.hall import Hall, Session
from sixprime.bot.sandbox.state.table import MAX_CUBE, Table

Words = list[str]
NOT_PLAYING = "** You're not playing."
CRAWFORD_RULE = "** The Crawford rule doesn't allow you to double in this game."
RESIGN_USAGE = "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign."
GAMES = {"normal": 1, "gammon": 2, "backgammon": 3}


def _seat(hall: Hall, session: Session) -> tuple[Table, int] | None:
    """The running game and the player's seat; the player is told if there is none."""
    table = hall.table_of(session.name)
    if table is None:
        hall.say(session, NOT_PLAYING)
        return None
    seat = table.seat(session.name)
    if table.in_game:
        return table, seat
    other = table.players[1 - seat]
    waits = table.joined == seat
    hall.say(
        session,
        f"** Please wait for {other} to join too." if waits else "** The game is already over.",
    )
    return None


def _open_offer(table: Table, seat: int) -> str | None:
    """Why this seat has to wait for an answer, or owes one; None if nothing is open."""
    other = table.players[1 - seat]
    if table.resigner is not None:
        if table.resigner == seat:
            return f"** {other} hasn't accepted or rejected your resign yet."
        return f"** {other} wanted to resign. Type 'accept' or 'reject'."
    if table.doubler == seat:
        return f"** {other} hasn't responded to your double yet."
    return None


def roll(hall: Hall, session: Session, words: Words) -> None:
    """`roll`"""
    found = _seat(hall, session)
    if found is None:
        return
    table, seat = found
    offer = _open_offer(table, seat)
    if offer is not None:
        hall.say(session, offer)
    elif table.match.on_roll != seat or table.match.doubled:
        hall.say(session, "** It's not your turn to roll the dice.")
    elif table.match.dice is not None:
        hall.say(session, "** You did already roll the dice.")
    else:
        matches.roll(hall, table)


def move(hall: Hall, session: Session, words: Words) -> None:
    """`move 8-5 6-5`"""
    found = _seat(hall, session)
    if found is None:
        return
    table, seat = found
    offer = _open_offer(table, seat)
    if offer is not None:
        hall.say(session, offer)
    elif table.match.on_roll != seat or table.match.doubled:
        hall.say(session, "** It's not your turn to move.")
    elif table.match.dice is None:
        hall.say(session, "** You have to roll the dice before moving.")
    else:
        try:
            play = moves.parse_play(table, words)
            moves.check_play(table, play)
        except moves.Refused as fault:
            hall.say(session, str(fault))
            return
        matches.make_play(hall, table, play)


def double(hall: Hall, session: Session, words: Words) -> None:
    """`double`"""
    found = _seat(hall, session)
    if found is None:
        return
    table, seat = found
    refusal = _no_double(table, seat)
    if refusal is not None:
        hall.say(session, refusal)
        return
    table = hall.put_table(table.doubled())
    other, name = table.players[1 - seat], session.name
    matches.announce(
        hall,
        table,
        seat,
        f"You double. Please wait for {other} to accept or reject.",
        f"{name} doubles. Type 'accept' or 'reject'.",
        f"{name} doubles.",
    )


def _no_double(table: Table, seat: int) -> str | None:
    if table.resigner == seat:
        return "** You can't double now. You want to resign."
    offer = _open_offer(table, seat)
    if offer is not None:
        return offer
    match = table.match
    mine = match.on_roll == seat and not match.doubled
    refusals = (
        (not mine, "** It's not your turn to double."),
        (table.opening, "** You cannot double in the first move."),
        (match.dice is not None, "** You can only double before you roll the dice."),
        (not table.cube_is_in_play(), CRAWFORD_RULE),
        (not table.may_double(seat), "** It's not your turn to double."),
    )
    return next((line for refused, line in refusals if refused), None)


def redouble(hall: Hall, session: Session, words: Words) -> None:
    """`redouble`, `beaver`, `raccoon`, `otter`: take a double and turn the cube at once."""
    found = _seat(hall, session)
    if found is None:
        return
    table, seat = found
    other = table.players[1 - seat]
    if not table.match.doubled or table.match.to_act != seat:
        hall.say(session, f"** {other} didn't double or resign.")
        return
    if not table.unlimited or table.redoubled >= table.redoubles or table.match.cube * 4 > MAX_CUBE:
        hall.say(session, "** You can't redouble now. Type 'accept' or 'reject'.")
        return
    table = hall.put_table(table.redoubled_at_once())
    cube = table.match.cube * 2
    matches.announce(
        hall,
        table,
        seat,
        f"You redouble to {cube}. Please wait for {other} to accept or reject.",
        f"{session.name} redoubles to {cube}. Type 'accept' or 'reject'.",
        f"{session.name} redoubles to {cube}.",
    )


def accept(hall: Hall, session: Session, words: Words) -> None:
    """`accept`: a double or a resignation."""
    found = _answer(hall, session)
    if found is None:
        return
    table, seat = found
    name = session.name
    if table.match.doubled:
        table = hall.put_table(table.taken())
        shows = f"The cube shows {table.match.cube}."
        matches.announce(
            hall,
            table,
            seat,
            f"You accept the double. {shows}",
            f"{name} accepts the double. {shows}",
            f"{name} accepts the double. {shows}",
        )
        if hall.dialect.take_autoroll:
            matches.roll(hall, table)
        return
    table = table.resignation_accepted()
    worth = matches.worth_text(table)
    matches.announce(
        hall,
        table,
        seat,
        f"You accept and win {worth}.",
        f"{name} accepts and wins {worth}.",
        f"{name} accepts and wins {worth}.",
    )
    matches.end_game(hall, table)


def reject(hall: Hall, session: Session, words: Words) -> None:
    """`reject`: a double, which loses the game, or a resignation, which goes on with it."""
    found = _answer(hall, session)
    if found is None:
        return
    table, seat = found
    name, other = session.name, table.players[1 - seat]
    if table.match.doubled:
        table = table.dropped()
        worth = matches.worth_text(table)
        matches.announce(
            hall,
            table,
            seat,
            f"You give up. {other} wins {worth}.",
            f"{name} gives up. You win {worth}.",
            f"{name} gives up. {other} wins {worth}.",
        )
        matches.end_game(hall, table)
        return
    table = hall.put_table(table.resignation_rejected())
    on = "The game continues."
    matches.announce(
        hall, table, seat, f"You reject. {on}", f"{name} rejects. {on}", f"{name} rejects. {on}"
    )


def _answer(hall: Hall, session: Session) -> tuple[Table, int] | None:
    """The table whose open offer this player has to answer; he is told if there is none."""
    found = _seat(hall, session)
    if found is None:
        return None
    table, seat = found
    open_to_me = table.match.to_act == seat and (table.match.doubled or table.match.resigned)
    if open_to_me:
        return table, seat
    other = table.players[1 - seat]
    hall.say(session, _open_offer(table, seat) or f"** {other} didn't double or resign.")
    return None


def resign(hall: Hall, session: Session, words: Words) -> None:
    """`resign n|g|b`"""
    found = _seat(hall, session)
    if found is None:
        return
    table, seat = found
    other = table.players[1 - seat]
    offer = _open_offer(table, seat)
    games = [value for word, value in GAMES.items() if words and word.startswith(words[0].lower())]
    if offer is not None:
        hall.say(session, offer)
    elif table.match.doubled:
        hall.say(session, f"** {other} doubled. Type 'accept' or 'reject'.")
    elif not games:
        hall.say(session, RESIGN_USAGE)
    else:
        table = hall.put_table(table.resigned(seat, games[0]))
        worth = matches.points_text(games[0] * table.match.cube)
        matches.announce(
            hall,
            table,
            seat,
            f"You want to resign. {other} will win {worth}.",
            f"{session.name} wants to resign. You will win {worth}. Type 'accept' or 'reject'.",
            f"{session.name} wants to resign. {other} will win {worth}.",
        )


def join_next(hall: Hall, session: Session, table: Table) -> None:
    """`join` between two games; the second one to say it starts the next."""
    seat = table.seat(session.name)
    if table.joined == seat:
        hall.say(session, "** You already did that.")
    elif table.joined is None:
        hall.put_table(replace(table, joined=seat))
        hall.say(session, f"** Please wait for {table.players[1 - seat]} to join too.")
    else:
        matches.start_game(hall, table)


def show_board(hall: Hall, session: Session, words: Words) -> None:
    """`board`: one's own game, or the one that is watched."""
    name = session.name if hall.table_of(session.name) else session.watching
    table = hall.table_of(name) if name else None
    if name is None or table is None:
        hall.say(session, NOT_PLAYING)
        return
    style = hall.account(session).boardstyle
    hall.say(session, *board(table, name, style, hall.dialect, you=name == session.name))


def pip(hall: Hall, session: Session, words: Words) -> None:
    """`pip`: both pip counts, if the players allow it."""
    name = session.name if hall.table_of(session.name) else session.watching
    table = hall.table_of(name) if name else None
    if name is None or table is None:
        hall.say(session, NOT_PLAYING)
        return
    other = table.other(name)
    for player in (other, name):
        if player != session.name and not hall.accounts[player].has("allowpip"):
            hall.say(session, f"** {player} doesn't allow the use of the 'pip' command.")
            return
    mine, theirs = table.view(table.seat(name)).pips()
    hall.say(session, f"Pipcounts: {name} {mine} {other} {theirs}")


def oldmoves(hall: Hall, session: Session, words: Words) -> None:
    """`oldmoves [NAME]`: the moves of the last finished game."""
    name = _player_word(hall, session, words)
    last = hall.last_games.get(name)
    if last is None:
        hall.say(session, f"** There is no old game of {name}.")
    else:
        hall.say(session, *matches.move_list(last.table))


def oldboard(hall: Hall, session: Session, words: Words) -> None:
    """`oldboard [NAME]`: the last board of the last finished game."""
    name = _player_word(hall, session, words)
    last = hall.last_games.get(name)
    if last is None:
        hall.say(session, f"** There is no old game of {name}.")
        return
    style = hall.account(session).boardstyle
    hall.say(session, *board(last.table, name, style, hall.dialect, you=name == session.name))


def _player_word(hall: Hall, session: Session, words: Words) -> str:
    if not words:
        return session.name
    return hall.spellings.get(words[0].lower(), words[0])
