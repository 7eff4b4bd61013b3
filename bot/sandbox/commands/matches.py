"""The course of a match: start, resumption, turns, interruption, end.

Everything here follows from the rules; `play.py` checks the commands of players.
"""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.commands.moves import forced_play, greedy_play, legal_plays
from sixprime.bot.sandbox.state.match import MAX_CUBE, LastGame, Pair, UnfinishedMatch
from sixprime.bot.sandbox.state.ratings import RatedPlayer, calculation, change
from sixprime.bot.sandbox.state.server import ServerState, UserSession
from sixprime.bot.sandbox.state.variables import DEFAULT_TOGGLES, PER_GAME
from sixprime.engine.game import resignation_withdrawn
from sixprime.engine.position import Play

JOIN_OR_LEAVE = "Type 'join' if you want to play the next game, type 'leave' if you don't."


def points_text(points: int) -> str:
    """`1 point`, `2 points`"""
    return f"{points} point" if points == 1 else f"{points} points"


def worth_text(match: UnfinishedMatch) -> str:
    """Return the points of the finished game in words."""
    assert match.won is not None
    return points_text(match.won.points)


# ---- what players and watchers of a match read


def announce(
    server: ServerState,
    match: UnfinishedMatch,
    seat: int,
    mine: str,
    theirs: str,
    watching: str | None = None,
) -> None:
    """Announce an event to this seat, the other and the watchers (None: as to the other).

    "" says nothing.
    """
    for player, line in ((seat, mine), (1 - seat, theirs)):
        if line:
            server.say(match.players[player], line)
    if line := theirs if watching is None else watching:
        for name in match.players:
            for watcher in server.watchers(name):
                server.say(watcher, line)


def show_board(server: ServerState, match: UnfinishedMatch, name: str) -> None:
    """Send a player the board in the player's own style."""
    show_to(server, server.online[name], match, name)


def show_to(server: ServerState, session: UserSession, match: UnfinishedMatch, name: str) -> None:
    """Send the board from this player's side to the player or a watcher."""
    style, you = server.account(session).boardstyle, session.name == name
    server.say(session, *board(match, name, style, server.dialect, you=you))


def show_watchers(server: ServerState, match: UnfinishedMatch, toggle: str | None = None) -> None:
    """Send watchers (with this toggle) the board from the side that each watches."""
    for name in match.players:
        for watcher in server.watchers(name):
            if toggle is None or server.account(watcher).has(toggle):
                show_to(server, watcher, match, name)


def report(server: ServerState, match: UnfinishedMatch, line: str) -> None:
    """Tell everybody with the toggle `report`, but not the players themselves."""
    for session in server.others(*match.players):
        if server.account(session).has("report"):
            server.say(session, line)


# ---- beginning and resuming


def seat_players(server: ServerState, match: UnfinishedMatch) -> None:
    for name in match.players:
        server.playing[name] = match.pair
        server.online[name].invitation = None


def resume(server: ServerState, match: UnfinishedMatch) -> None:
    """Resume a saved match, and send both the board without a prompt."""
    if match.state.resigned:  # an offer to resign does not outlive the connection
        match = replace(match, state=resignation_withdrawn(match.state))
    match = server.put_match(replace(match, joined=None))
    seat_players(server, match)
    kind = match.kind().replace(" point", "-point")
    report(server, match, f"{match.players[0]} and {match.players[1]} are resuming their {kind}.")
    stop = "" if server.dialect.resume_lines == "bare" else "."
    user = "user " if server.dialect.resume_lines == "user" else ""
    for name in match.players:
        if match.in_game:
            turn = match.state.to_act if match.state.doubled else match.state.on_roll
            server.say(name, f"turn: {match.players[turn]}{stop}")
        server.say(
            name, "unlimited matchlength" if match.unlimited else f"match length: {match.length}"
        )
        for seat in (0, 1):
            server.say(name, f"points for {user}{match.players[seat]}: {match.state.score[seat]}")
        if match.in_game:
            show_board(server, match, name)
    lobby.update(server, *match.players)
    if match.winner is not None:
        for name in match.players:
            show_finished(server, match, name)
    elif not match.in_game:
        start_game(server, match)


def show_finished(server: ServerState, match: UnfinishedMatch, name: str) -> None:
    """Send the lines of a server that keeps finished matches when one is resumed."""
    server.say(name, f"Starting a new game with {match.other(name)}.")
    show_board(server, match, name)
    server.say(name, "** The match is already over.")


def rejoin_finished(server: ServerState, session: UserSession) -> None:
    for pair, match in server.matches.items():
        if session.name in pair and match.winner is not None:
            server.playing[session.name] = pair
            server.put_match(match)
            show_finished(server, match, session.name)
            return


def start_game(server: ServerState, match: UnfinishedMatch) -> None:
    """Roll for the opening, again while it is a doublet, and send the first board."""
    for name in match.players:
        _reset_toggles(server, name)
        server.say(name, f"Starting a new game with {match.other(name)}.")
    dice, cube = _opening_roll(server, match)
    match = server.put_match(match.next_game(dice, cube))
    first = match.state.on_roll
    mover = match.players[first]
    stop = "." if server.dialect.opening_period else ""
    for name in match.players:
        own, other = dice[match.seat(name)], dice[1 - match.seat(name)]
        server.say(name, f"You rolled {own}, {match.other(name)} rolled {other}{stop}")
    makes = f"{mover} makes the first move."
    turn = "It's your turn to move." if server.dialect.prompts else ""
    announce(server, match, first, turn, makes, "")
    one, two = match.players
    announce(server, match, first, "", "", f"{one} rolls {dice[0]}, {two} rolls {dice[1]}.")
    announce(server, match, first, "", "", makes)
    for name in match.players:
        show_board(server, match, name)
    show_watchers(server, match)
    if server.dialect.please_move_opening and server.dialect.prompts:
        server.say(mover, "Please move 2 pieces.")


def _opening_roll(server: ServerState, match: UnfinishedMatch) -> tuple[tuple[int, int], int]:
    cube = 1
    agreed = all(server.accounts[name].has("autodouble") for name in match.players)
    doubles = agreed and match.length != 1 and not match.crawford_is_next()
    stop = "." if server.dialect.opening_period else ""
    while True:
        dice = server.roll()
        if dice[0] != dice[1]:
            return dice, cube
        for name in match.players:
            server.say(name, f"You rolled {dice[0]}, {match.other(name)} rolled {dice[1]}{stop}")
        if doubles and cube < MAX_CUBE:
            cube *= 2
            for name in match.players:
                server.say(name, f"The number on the doubling cube is now {cube}")


def _reset_toggles(server: ServerState, name: str) -> None:
    account = server.accounts[name]
    fresh = account
    for toggle in PER_GAME:
        fresh = fresh.with_toggle(toggle, toggle in DEFAULT_TOGGLES)
    if fresh != account:
        server.put_account(fresh)


# ---- from turn to turn


def roll(server: ServerState, match: UnfinishedMatch) -> None:
    """Roll for the player on roll, and continue until somebody has to decide."""
    play = _throw(server, match)
    if play is not None:
        make_play(server, server.matches[match.pair], play, typed=False)


def make_play(server: ServerState, match: UnfinishedMatch, play: Play, typed: bool = True) -> None:
    """Make a legal play, and continue until somebody has to decide."""
    pair = match.pair
    if not _make(server, match, play, typed):
        return
    while True:  # automatic rolls, dances and forced moves, until somebody has to decide
        if not _rolls_by_itself(server, server.matches[pair]):
            return
        automatic = _throw(server, server.matches[pair])
        if automatic is None or not _make(server, server.matches[pair], automatic, typed=False):
            return


def _rolls_by_itself(server: ServerState, match: UnfinishedMatch) -> bool:
    """Return whether the next roll is automatic; otherwise ask the player on roll."""
    seat = match.state.on_roll
    name = match.players[seat]
    if match.state.crawford and not server.dialect.crawford_autoroll:
        return False
    if not match.may_double() or not server.accounts[name].has("double"):
        return True
    if server.dialect.prompts:
        server.say(name, "It's your turn. Please roll or double.")
    return False


def _throw(server: ServerState, match: UnfinishedMatch) -> Play | None:
    """Roll the dice; return the play if it is forced or automatic, else None."""
    match = server.put_match(match.rolled(server.roll()))
    assert match.state.dice is not None
    seat = match.state.on_roll
    name, dice = match.players[seat], f"{match.state.dice[0]} and {match.state.dice[1]}."
    server.tally.dice[match.state.dice] += 1
    announce(server, match, seat, f"You roll {dice}", f"{name} rolls {dice}")
    for player in match.players:
        if server.accounts[player].has("moreboards"):
            show_board(server, match, player)
    show_watchers(server, match, "moreboards")
    legal = legal_plays(match.position, match.state.dice)
    if not legal[0].play:
        announce(server, match, seat, "You can't move.", f"{name} can't move.")
        return ()
    account = server.accounts[name]
    greedy = greedy_play(match.position, legal) if account.has("greedy") else None
    if greedy:
        server.say(name, f"Bearing off: {match.steps_text(seat, greedy)} .")
        return greedy
    forced = forced_play(legal) if account.has("automove") else None
    if forced:
        server.say(name, f"The only possible move is {match.steps_text(seat, forced)} .")
        return forced
    count = len(legal[0].play)
    one = count == 1 and not server.dialect.always_pieces
    if server.dialect.prompts:
        server.say(name, f"Please move {count} {'piece' if one else 'pieces'}.")
    return None


def _make(server: ServerState, match: UnfinishedMatch, play: Play, typed: bool) -> bool:
    """Make the play on the board; return False if it ends the game."""
    seat = match.state.on_roll
    after = server.put_match(match.played(play))
    if play:
        steps = match.steps_text(seat, play).replace("off", server.dialect.off_word)
        moves = f"{match.players[seat]} moves {steps} ."
        announce(server, match, seat, "", moves)
    if not after.in_game:
        _won_by_bearing_off(server, after)
        return False
    if play or server.dialect.dance_board:
        _boards_after_play(server, after, seat, typed)
    return True


def _boards_after_play(
    server: ServerState, match: UnfinishedMatch, mover: int, typed: bool
) -> None:
    for seat in (mover, 1 - mover):
        name = match.players[seat]
        if server.accounts[name].has("autoboard"):
            show_board(server, match, name)
        elif seat == mover and typed:
            server.say(name, "Done.")
    show_watchers(server, match)


# ---- the end of a game or match, interruptions


def _won_by_bearing_off(server: ServerState, match: UnfinishedMatch) -> None:
    winner = match.state.on_roll
    name, worth = match.players[winner], worth_text(match)
    if server.dialect.final_board == "before":
        _final_boards(server, match)
    announce(
        server,
        match,
        winner,
        f"You win the game and get {worth}. Congratulations!",
        f"{name} wins the game and gets {worth}. Sorry.",
        f"{name} wins the game and gets {worth}.",
    )
    if server.dialect.final_board == "after":
        _final_boards(server, match)
    end_game(server, match)


def _final_boards(server: ServerState, match: UnfinishedMatch) -> None:
    for name in match.players:
        show_board(server, match, name)


def end_game(server: ServerState, match: UnfinishedMatch) -> None:
    """Score a game that is over; the match may be over with it."""
    assert match.won is not None
    ended = match.scored(match.won, server.dialect.alternate_seats)
    kept = replace(ended, state=replace(ended.state, score=match.state.score), o_seat=match.o_seat)
    for name in match.players:
        server.put_last_game(LastGame(name, kept))
        if server.accounts[name].has("moves"):
            server.say(name, *move_list(kept))
    if ended.winner is not None:
        _end_match(server, ended, ended.winner)
        return
    server.put_match(ended)
    for seat, name in enumerate(ended.players):
        if server.playing.get(name) != ended.pair:
            continue
        mine, theirs = ended.state.score[seat], ended.state.score[1 - seat]
        server.say(
            name,
            f"score in {ended.kind()}: {name}-{mine} {ended.other(name)}-{theirs}",
            JOIN_OR_LEAVE,
        )


def _end_match(server: ServerState, match: UnfinishedMatch, winner: int) -> None:
    one, two = (server.accounts[name] for name in match.players)
    standings = (
        RatedPlayer(one.name, one.rating, one.experience),
        RatedPlayer(two.name, two.rating, two.experience),
    )
    made = change(standings, winner, match.length)
    gap = "\t\t" if server.dialect.rating_tabs else " "
    for account, gain in zip((one, two), made.gains, strict=True):
        if account.has("ratings"):
            server.say(account.name, *calculation(standings, winner, match.length, gap))
        server.put_account(
            replace(
                account, rating=account.rating + gain, experience=account.experience + match.length
            )
        )
    name, loser = match.players[winner], match.players[1 - winner]
    score = f"{match.state.score[winner]}-{match.state.score[1 - winner]} ."
    wins = f"{name} wins the {match.length} point match {score}"
    announce(server, match, winner, f"You win the {match.length} point match {score}", wins)
    if server.dialect.finished == "gone":
        server.drop_match(match.pair)
    else:
        server.put_match(match)
    for player in match.players:
        server.playing.pop(player, None)
    report(server, match, f"{name} wins a {match.length} point match against {loser}  {score}")
    lobby.update(server, *match.players)


def interrupt(server: ServerState, name: str, text: str) -> str | None:
    """Stop and save this player's match; tell the opponent `text`, and return the name."""
    match = server.match_of(name)
    if match is None:
        return None
    other = match.other(name)
    seated = server.playing.get(other) == match.pair
    if server.dialect.drop_text and seated:
        server.say(other, text)
    stop_playing(server, match.pair)
    return other if seated else None


def stop_playing(server: ServerState, pair: Pair) -> None:
    """Release both players; the match itself does not change."""
    match = server.matches[pair]
    if match.joined is not None:
        server.put_match(replace(match, joined=None))
    for name in pair:
        if server.playing.get(name) == pair:
            del server.playing[name]


def move_list(match: UnfinishedMatch) -> list[str]:
    """Return a game as `oldmoves` shows it; X's score and name come first."""
    x_seat = 1 - match.o_seat
    score = f"{match.state.score[x_seat]}-{match.state.score[match.o_seat]}"
    article = "an" if match.unlimited else "a"
    return [
        f"Score is {score} in {article} {match.kind()}.",
        f"{match.players[x_seat]} is X - {match.players[match.o_seat]} is O",
        *match.record,
    ]
