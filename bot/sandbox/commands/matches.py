"""The life of a match: it starts, is resumed, runs from turn to turn, is interrupted, is won.

Everything here happens by the rules and by itself; what players type is checked in `play.py`.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.commands.moves import forced_play, greedy_play, legal_plays
from sixprime.bot.sandbox.state.hall import Hall
from sixprime.bot.sandbox.state.ratings import Standing, calculation, change
from sixprime.bot.sandbox.state.settings import PER_GAME, TOGGLES
from sixprime.bot.sandbox.state.table import MAX_CUBE, LastGame, Pair, Table
from sixprime.engine.game import resignation_withdrawn
from sixprime.engine.position import Play

JOIN_OR_LEAVE = "Type 'join' if you want to play the next game, type 'leave' if you don't."


def points_text(points: int) -> str:
    """`1 point`, `2 points`"""
    return f"{points} point" if points == 1 else f"{points} points"


def worth_text(table: Table) -> str:
    """What the game that is over was worth, in words."""
    assert table.won is not None
    return points_text(table.won.points)


# ---- what everybody at a table hears


def announce(hall: Hall, table: Table, seat: int, mine: str, theirs: str, watching: str) -> None:
    """One event in three wordings: for this seat, for the other, for the watchers ("" is none)."""
    for player, line in ((seat, mine), (1 - seat, theirs)):
        if line:
            hall.say(table.players[player], line)
    if watching:
        for name in table.players:
            for watcher in hall.watchers(name):
                hall.say(watcher, watching)


def show_board(hall: Hall, table: Table, name: str) -> None:
    """The board for a player, as he wants boards."""
    style = hall.accounts[name].boardstyle
    hall.say(name, *board(table, name, style, hall.dialect))


def show_watchers(hall: Hall, table: Table, toggle: str | None = None) -> None:
    """The board for all who watch (and have this toggle), each from the side he watches."""
    for name in table.players:
        for watcher in hall.watchers(name):
            account = hall.account(watcher)
            if toggle is None or account.has(toggle):
                lines = board(table, name, account.boardstyle, hall.dialect, you=False)
                hall.say(watcher, *lines)


def report(hall: Hall, table: Table, line: str) -> None:
    """News of a match for everybody with `report` who does not play it."""
    for session in hall.others(*table.players):
        if hall.account(session).has("report"):
            hall.say(session, line)


# ---- beginning and resuming


def seat_players(hall: Hall, table: Table) -> None:
    """Both are busy with this match from now on."""
    for name in table.players:
        hall.playing[name] = table.pair
        hall.online[name].invitation = None


def resume(hall: Hall, table: Table) -> None:
    """A saved match is loaded; nobody is prompted, the board says it all."""
    if table.match.resigned:  # an offer to resign does not outlive the connection
        table = replace(table, match=resignation_withdrawn(table.match))
    table = hall.put_table(replace(table, joined=None))
    seat_players(hall, table)
    kind = table.kind().replace(" point", "-point")
    report(hall, table, f"{table.players[0]} and {table.players[1]} are resuming their {kind}.")
    stop = "" if hall.dialect.resume_lines == "bare" else "."
    user = "user " if hall.dialect.resume_lines == "user" else ""
    for name in table.players:
        if table.in_game:
            turn = table.match.to_act if table.match.doubled else table.match.on_roll
            hall.say(name, f"turn: {table.players[turn]}{stop}")
        hall.say(
            name, "unlimited matchlength" if table.unlimited else f"match length: {table.length}"
        )
        for seat in (0, 1):
            hall.say(name, f"points for {user}{table.players[seat]}: {table.match.score[seat]}")
        if table.in_game:
            show_board(hall, table, name)
    lobby.update(hall, *table.players)
    if not table.in_game:
        start_game(hall, table)


def start_game(hall: Hall, table: Table) -> None:
    """The opening roll, repeated while it is a doublet, and the first board."""
    for name in table.players:
        _reset_toggles(hall, name)
        hall.say(name, f"Starting a new game with {table.other(name)}.")
    dice, cube = _opening_roll(hall, table)
    table = hall.put_table(table.next_game(dice, cube))
    first = table.match.on_roll
    mover = table.players[first]
    stop = "." if hall.dialect.opening_period else ""
    for name in table.players:
        own, other = dice[table.seat(name)], dice[1 - table.seat(name)]
        hall.say(name, f"You rolled {own}, {table.other(name)} rolled {other}{stop}")
    makes = f"{mover} makes the first move."
    announce(hall, table, first, "It's your turn to move.", makes, "")
    one, two = table.players
    announce(hall, table, first, "", "", f"{one} rolls {dice[0]}, {two} rolls {dice[1]}.")
    announce(hall, table, first, "", "", makes)
    for name in table.players:
        show_board(hall, table, name)
    show_watchers(hall, table)
    if hall.dialect.please_move_opening:
        hall.say(mover, "Please move 2 pieces.")


def _opening_roll(hall: Hall, table: Table) -> tuple[tuple[int, int], int]:
    cube = 1
    agreed = all(hall.accounts[name].has("autodouble") for name in table.players)
    doubles = agreed and table.length != 1 and not table.crawford_is_next()
    stop = "." if hall.dialect.opening_period else ""
    while True:
        dice = hall.roll()
        if dice[0] != dice[1]:
            return dice, cube
        for name in table.players:
            hall.say(name, f"You rolled {dice[0]}, {table.other(name)} rolled {dice[1]}{stop}")
        if doubles and cube < MAX_CUBE:
            cube *= 2
            for name in table.players:
                hall.say(name, f"The number on the doubling cube is now {cube}")


def _reset_toggles(hall: Hall, name: str) -> None:
    account = hall.accounts[name]
    fresh = account
    for toggle in PER_GAME:
        fresh = fresh.with_toggle(toggle, TOGGLES[toggle].default)
    if fresh != account:
        hall.put_account(fresh)


# ---- from turn to turn


def roll(hall: Hall, table: Table) -> None:
    """The player on roll throws, and everything that follows by itself happens."""
    play = _throw(hall, table)
    if play is not None:
        make_play(hall, hall.tables[table.pair], play, typed=False)


def make_play(hall: Hall, table: Table, play: Play, typed: bool = True) -> None:
    """A legal play is made, and everything that follows by itself happens."""
    pair = table.pair
    if not _make(hall, table, play, typed):
        return
    while True:  # automatic rolls, dances and forced moves, until somebody has to decide
        if not _rolls_by_itself(hall, hall.tables[pair]):
            return
        automatic = _throw(hall, hall.tables[pair])
        if automatic is None or not _make(hall, hall.tables[pair], automatic, typed=False):
            return


def _rolls_by_itself(hall: Hall, table: Table) -> bool:
    """Is the next roll automatic? If not, the player on roll is asked."""
    seat = table.match.on_roll
    name = table.players[seat]
    if table.match.crawford and not hall.dialect.crawford_autoroll:
        return False
    if not table.may_double(seat) or not hall.accounts[name].has("double"):
        return True
    hall.say(name, "It's your turn. Please roll or double.")
    return False


def _throw(hall: Hall, table: Table) -> Play | None:
    """Roll the dice; the play that follows by itself, None if the player has to choose one."""
    table = hall.put_table(table.rolled(hall.roll()))
    assert table.match.dice is not None
    seat = table.match.on_roll
    name, dice = table.players[seat], f"{table.match.dice[0]} and {table.match.dice[1]}."
    hall.dice_count[table.match.dice] += 1
    announce(hall, table, seat, f"You roll {dice}", f"{name} rolls {dice}", f"{name} rolls {dice}")
    for player in table.players:
        if hall.accounts[player].has("moreboards"):
            show_board(hall, table, player)
    show_watchers(hall, table, "moreboards")
    legal = legal_plays(table.position, table.match.dice)
    if not legal[0].play:
        announce(hall, table, seat, "You can't move.", f"{name} can't move.", f"{name} can't move.")
        return ()
    account = hall.accounts[name]
    greedy = greedy_play(table.position, legal) if account.has("greedy") else None
    if greedy:
        hall.say(name, f"Bearing off: {table.steps_text(seat, greedy)} .")
        return greedy
    forced = forced_play(legal) if account.has("automove") else None
    if forced:
        hall.say(name, f"The only possible move is {table.steps_text(seat, forced)} .")
        return forced
    count = len(legal[0].play)
    one = count == 1 and not hall.dialect.always_pieces
    hall.say(name, f"Please move {count} {'piece' if one else 'pieces'}.")
    return None


def _make(hall: Hall, table: Table, play: Play, typed: bool) -> bool:
    """The play on the board; False if it ends the game."""
    seat = table.match.on_roll
    after = hall.put_table(table.played(play))
    if play:
        steps = table.steps_text(seat, play).replace("off", hall.dialect.off_word)
        moves = f"{table.players[seat]} moves {steps} ."
        announce(hall, table, seat, "", moves, moves)
    if not after.in_game:
        _won_by_bearing_off(hall, after)
        return False
    if play:
        _boards_after_play(hall, after, seat, typed)
    return True


def _boards_after_play(hall: Hall, table: Table, mover: int, typed: bool) -> None:
    for seat in (mover, 1 - mover):
        name = table.players[seat]
        if hall.accounts[name].has("autoboard"):
            show_board(hall, table, name)
        elif seat == mover and typed:
            hall.say(name, "Done.")
    show_watchers(hall, table)


# ---- the end of a game, of a match, of an evening


def _won_by_bearing_off(hall: Hall, table: Table) -> None:
    winner = table.match.on_roll
    name, worth = table.players[winner], worth_text(table)
    if hall.dialect.final_board == "before":
        _final_boards(hall, table)
    announce(
        hall,
        table,
        winner,
        f"You win the game and get {worth}. Congratulations!",
        f"{name} wins the game and gets {worth}. Sorry.",
        f"{name} wins the game and gets {worth}.",
    )
    if hall.dialect.final_board == "after":
        _final_boards(hall, table)
    end_game(hall, table)


def _final_boards(hall: Hall, table: Table) -> None:
    for name in table.players:
        show_board(hall, table, name)


def end_game(hall: Hall, table: Table) -> None:
    """Score a game that is over; the match may be over with it."""
    assert table.won is not None
    ended = table.scored(table.won, hall.dialect.alternate_seats)
    kept = replace(ended, match=replace(ended.match, score=table.match.score), o_seat=table.o_seat)
    for name in table.players:
        hall.put_last_game(LastGame(name, kept))
        if hall.accounts[name].has("moves"):
            hall.say(name, *move_list(kept))
    if ended.winner is not None:
        _end_match(hall, ended, ended.winner)
        return
    hall.put_table(ended)
    for seat, name in enumerate(ended.players):
        mine, theirs = ended.match.score[seat], ended.match.score[1 - seat]
        hall.say(
            name,
            f"score in {ended.kind()}: {name}-{mine} {ended.other(name)}-{theirs}",
            JOIN_OR_LEAVE,
        )


def _end_match(hall: Hall, table: Table, winner: int) -> None:
    one, two = (hall.accounts[name] for name in table.players)
    standings = (
        Standing(one.name, one.rating, one.experience),
        Standing(two.name, two.rating, two.experience),
    )
    made = change(standings, winner, table.length)
    gap = "\t\t" if hall.dialect.rating_tabs else " "
    for account, gain in zip((one, two), made.gains, strict=True):
        if account.has("ratings"):
            hall.say(account.name, *calculation(standings, winner, table.length, gap))
        hall.put_account(
            replace(
                account,
                rating=account.rating + gain,
                experience=account.experience + table.length,
            )
        )
    name, loser = table.players[winner], table.players[1 - winner]
    score = f"{table.match.score[winner]}-{table.match.score[1 - winner]} ."
    wins = f"{name} wins the {table.length} point match {score}"
    announce(hall, table, winner, f"You win the {table.length} point match {score}", wins, wins)
    hall.drop_table(table.pair)
    for player in table.players:
        hall.playing.pop(player, None)
    report(hall, table, f"{name} wins a {table.length} point match against {loser}  {score}")
    lobby.update(hall, *table.players)


def interrupt(hall: Hall, name: str, text: str) -> str | None:
    """Stop this player's match, which stays saved; `text` tells the opponent, who is returned."""
    table = hall.table_of(name)
    if table is None:
        return None
    if hall.dialect.drop_text:
        hall.say(table.other(name), text)
    stop_playing(hall, table.pair)
    return table.other(name)


def stop_playing(hall: Hall, pair: Pair) -> None:
    """Both players get up; the match stays as it is."""
    table = hall.tables[pair]
    if table.joined is not None:
        hall.put_table(replace(table, joined=None))
    for name in pair:
        hall.playing.pop(name, None)


def move_list(table: Table) -> list[str]:
    """A game as `oldmoves` shows it: X's score and name come first."""
    x_seat = 1 - table.o_seat
    score = f"{table.match.score[x_seat]}-{table.match.score[table.o_seat]}"
    article = "an" if table.unlimited else "a"
    return [
        f"Score is {score} in {article} {table.kind()}.",
        f"{table.players[x_seat]} is X - {table.players[table.o_seat]} is O.",
        *table.record,
    ]
