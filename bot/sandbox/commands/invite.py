"""Who plays with whom: invite, join, leave, and the lists of matches."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby, matches, play
from sixprime.bot.sandbox.state.hall import Hall, Invitation, Session
from sixprime.bot.sandbox.state.table import Pair, Table

Words = list[str]
LONGEST = 99


def _pair(one: str, two: str) -> Pair:
    first, second = sorted((one, two))
    return first, second


def invite(hall: Hall, session: Session, words: Words) -> None:
    """`invite NAME [LENGTH | unlimited]`"""
    if not words:
        hall.say(session, "** invite who?")
        return
    name = words[0]
    refusal = _no_invitation(hall, session, name)
    if refusal is not None:
        hall.say(session, refusal)
        return
    length: int | None = None
    saved = hall.tables.get(_pair(session.name, name))
    if len(words) > 1:
        wanted = _length(words[1])
        if isinstance(wanted, str):
            hall.say(session, wanted)
            return
        length = wanted
        if saved is None and _too_many_saved(hall, session):
            hall.say(session, _finish_some(hall, session))
            return
    elif saved is None:
        hall.say(session, f"** There's no saved match with {name}. Please give a match length.")
        return
    if not session.bucket.chats.spend(hall.now):
        hall.say(session, "** You talk too much, don't you?")
        return
    session.invitation = Invitation(name, length)
    _send(hall, session, name, length, saved)


def _no_invitation(hall: Hall, session: Session, name: str) -> str | None:
    if session.name in hall.playing:
        return "** You are already playing."
    if name == session.name:
        return "** You can't invite yourself."
    if name not in hall.online:
        return f"** There is no one called {name}"
    account = hall.accounts[name]
    refusals = (
        (not hall.account(session).has("ready"), "** Use 'toggle ready' first"),
        (name in hall.playing, f"** {name} is already playing with someone else."),
        (not account.has("ready"), f"** {name} is refusing games."),
        (session.name in account.gagged, f"** {name} won't listen to you."),
    )
    return next((line for refused, line in refusals if refused), None)


def _length(word: str) -> int | str:
    if word == "unlimited":
        return 0
    digits = word.lstrip("0")
    if not word.isascii() or not word.isdigit() or not digits:
        return "** The second argument to 'invite' has to be a number or the word 'unlimited'"
    if len(digits) > 9 or int(digits) > LONGEST:
        return f"** You can't play a {digits[:9]} point match."
    return int(digits)


def _send(hall: Hall, session: Session, name: str, length: int | None, saved: Table | None) -> None:
    me = session.name
    if length is None:
        what = "resume a saved match"
        hall.say(session, f"** You invited {name} to {what}.")
    else:
        kind = f"a {length} point match" if length else "an unlimited match"
        what = f"play {kind}"
        hall.say(session, f"** You invited {name} to {kind}.")
    hall.ring(name, f"{me} wants to {what} with you.")
    if length is not None and saved is not None and hall.dialect.saved_warning:
        stars = "** " if hall.dialect.starred_invitation else ""
        warning = f"WARNING: Don't accept if you want to continue the saved {saved.kind()}!"
        hall.say(name, stars + warning)
    hall.say(name, f"Type 'join {me}' to accept.")
    away = hall.accounts[name].away
    if away is not None:
        hall.say(session, f"{name} is away: {away}")


def join(hall: Hall, session: Session, words: Words) -> None:
    """`join NAME` accepts an invitation; `join` begins the next game of a match."""
    table = hall.table_of(session.name)
    if table is not None:
        if not table.in_game and (not words or words[0] == table.other(session.name)):
            play.join_next(hall, session, table)
        else:
            hall.say(session, "** You can't play two games at once")
        return
    if not words:
        hall.say(session, "** Error: Join who?")
        return
    refusal = _no_join(hall, session, words[0])
    if refusal is not None:
        hall.say(session, refusal)
        return
    inviter = hall.online[words[0]]
    assert inviter.invitation is not None
    length = inviter.invitation.length
    if length is None:
        _resume(hall, session, inviter)
    else:
        _start(hall, session, inviter, length)


def _no_join(hall: Hall, session: Session, name: str) -> str | None:
    inviter = hall.online.get(name)
    if inviter is None:
        return f"** Error: can't find player {name}"
    offer = inviter.invitation
    for_me = offer is not None and offer.to == session.name
    lost = (
        offer is not None
        and for_me
        and offer.length is None
        and _pair(session.name, name) not in hall.tables
    )
    corrupt = "** ERROR: Saved match is corrupt. Please start another one."
    refusals = (
        (name in hall.playing, f"** Error: {name} is already playing with someone else."),
        (not for_me, f"** {name} didn't invite you."),
        (not hall.account(session).has("ready"), "** Use 'toggle ready' first"),
        (not hall.accounts[name].has("ready"), f"** {name} is refusing games."),
        (lost, corrupt),
    )
    refusal = next((line for refused, line in refusals if refused), None)
    if refusal is None and _pair(session.name, name) not in hall.tables:
        for one in (session, inviter):  # the inviter may have begun others since he invited
            if _too_many_saved(hall, one):
                return _finish_some(hall, one, you=one is session)
    return refusal


def _too_many_saved(hall: Hall, session: Session) -> bool:
    """No new match for this user? House players have as many as there are users."""
    saved = len(_saved_of(hall, session.name))
    return not session.house and saved >= hall.limits.saved_matches


def _finish_some(hall: Hall, session: Session, you: bool = True) -> str:
    count = len(_saved_of(hall, session.name))
    if you:
        return f"** You have {count} saved games. Please finish some of them first."
    return f"** {session.name} has {count} saved games and has to finish some of them first."


def _start(hall: Hall, session: Session, inviter: Session, length: int) -> None:
    me, other = session.name, inviter.name
    accounts = (hall.accounts[me], hall.accounts[other])
    table = Table(
        (me, other),
        length,
        crawford_rule=any(account.has("crawford") for account in accounts),
        redoubles=min(account.redoubles for account in accounts) if length == 0 else 0,
    )
    hall.put_table(table)  # the saved match between the two, if any, is gone
    matches.seat_players(hall, table)
    kind = f"a {length} point match" if length else "an unlimited match"
    hall.say(session, f"** You are now playing {kind} with {other}")
    hall.say(inviter, f"** Player {me} has joined you for {kind}.")
    matches.report(hall, table, f"{me} and {other} start {kind}.")
    for seated in (session, inviter):
        seated.watching = None
    lobby.update(hall, *table.players)
    matches.start_game(hall, table)


def _resume(hall: Hall, session: Session, inviter: Session) -> None:
    table = hall.tables[_pair(session.name, inviter.name)]
    hall.say(session, f"You are now playing with {inviter.name}. Your running match was loaded.")
    hall.say(inviter, f"{session.name} has joined you. Your running match was loaded.")
    for seated in (session, inviter):
        seated.watching = None
    matches.resume(hall, table)


def leave(hall: Hall, session: Session, words: Words) -> None:
    """`leave`: stop playing; the match is saved."""
    table = hall.table_of(session.name)
    if table is None:
        hall.say(session, "** Error: No one to leave.")
        return
    me, other = session.name, table.other(session.name)
    matches.stop_playing(hall, table.pair)
    hall.say(session, "** You terminated the game. The game was saved.")
    hall.say(other, f"** Player {me} has left the game. The game was saved.")
    matches.report(hall, table, f"{me} has left the game with {other}.")
    lobby.update(hall, *table.players)


# ---- lists


def show(hall: Hall, session: Session, words: Words) -> None:
    """`show saved | savedcount NAME | games | watchers | max`"""
    if not words:
        hall.say(session, "** show what?")
    elif words[0] == "saved":
        _show_saved(hall, session)
    elif words[0] == "savedcount":
        _show_count(hall, session, words[1] if len(words) > 1 else session.name)
    elif words[0] == "games":
        _show_games(hall, session)
    elif words[0] == "watchers":
        _show_watchers(hall, session)
    elif words[0] == "max":
        most = hall.limits.connections
        hall.say(session, f"max_logins is {most} (maximum: {most})")
    else:
        hall.say(session, f"** Don't know how to show {words[0]}")


def _saved_of(hall: Hall, name: str) -> list[Table]:
    return [table for pair, table in hall.tables.items() if name in pair]


def _show_saved(hall: Hall, session: Session) -> None:
    tables = [t for t in _saved_of(hall, session.name) if hall.playing.get(session.name) != t.pair]
    if not tables:
        hall.say(session, "no saved games.")
        return
    hall.say(session, "  opponent          matchlength   score (your points first)")
    for table in tables:
        seat = table.seat(session.name)
        other = table.players[1 - seat]
        here = other in hall.online
        stars = "**" if here and hall.accounts[other].has("ready") else " *" if here else "  "
        length = "unlimited" if table.unlimited else str(table.length)
        mine, theirs = table.match.score[seat], table.match.score[1 - seat]
        hall.say(session, f"{stars}{other:<15}{length:>10}{mine:>17} - {theirs:>2}")


def _show_count(hall: Hall, session: Session, word: str) -> None:
    name = hall.spellings.get(word.lower())
    if name is None:
        hall.say(session, f"** Don't know user {word}")
        return
    count = len(_saved_of(hall, name))
    games = {0: "no saved games", 1: "1 saved game"}.get(count, f"{count} saved games")
    hall.say(session, f"{name} has {games}.")


def _show_games(hall: Hall, session: Session) -> None:
    hall.say(session, "List of games:")
    for pair in sorted(set(hall.playing.values())):
        table = hall.tables[pair]
        one, two = table.players
        score = f"{table.match.score[0]}-{table.match.score[1]}"
        hall.say(session, f"{one:<15} - {two:>15} ({table.kind()} {score})")


def _show_watchers(hall: Hall, session: Session) -> None:
    pairs = [(s.name, s.watching) for s in hall.online.values() if s.watching]
    if not pairs:
        hall.say(session, "Watching players: none.")
        return
    hall.say(session, "Watching players:", *(f"{one} is watching {two}." for one, two in pairs))
