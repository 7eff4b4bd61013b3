"""Who plays with whom: invite, join, leave, and the lists of matches."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby, matches, play
from sixprime.bot.sandbox.state.match import Pair, UnfinishedMatch
from sixprime.bot.sandbox.state.server import OpenInvitation, ServerState, UserSession

Words = list[str]
LONGEST = 99


def _pair(one: str, two: str) -> Pair:
    first, second = sorted((one, two))
    return first, second


def invite(server: ServerState, session: UserSession, words: Words) -> None:
    """`invite NAME [LENGTH | unlimited]`"""
    if not words:
        server.say(session, "** invite who?")
        return
    name = words[0]
    refusal = _no_invitation(server, session, name)
    if refusal is not None:
        server.say(session, refusal)
        return
    length: int | None = None
    saved = server.matches.get(_pair(session.name, name))
    if len(words) > 1:
        wanted = _length(words[1])
        if isinstance(wanted, str):
            server.say(session, wanted)
            return
        length = wanted
        if saved is None and _too_many_saved(server, session):
            server.say(session, _finish_some(server, session))
            return
    elif saved is None:
        server.say(session, f"** There's no saved match with {name}. Please give a match length.")
        return
    if not session.bucket.chats.spend(server.now):
        server.say(session, "** You talk too much, don't you?")
        return
    session.invitation = OpenInvitation(name, length)
    _send(server, session, name, length, saved)


def _no_invitation(server: ServerState, session: UserSession, name: str) -> str | None:
    if session.name in server.playing:
        return "** You are already playing."
    if name == session.name:
        return "** You can't invite yourself."
    if name not in server.online:
        return f"** There is no one called {name}"
    account = server.accounts[name]
    refusals = (
        (not server.account(session).has("ready"), "** Use 'toggle ready' first"),
        (name in server.playing, f"** {name} is already playing with someone else."),
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


def _send(
    server: ServerState,
    session: UserSession,
    name: str,
    length: int | None,
    saved: UnfinishedMatch | None,
) -> None:
    me = session.name
    if length is None:
        what = "resume a saved match"
        server.say(session, f"** You invited {name} to {what}.")
    else:
        kind = f"a {length} point match" if length else "an unlimited match"
        what = f"play {kind}"
        server.say(session, f"** You invited {name} to {kind}.")
    server.ring(name, f"{me} wants to {what} with you.")
    if length is not None and saved is not None and server.dialect.saved_warning:
        stars = "** " if server.dialect.starred_invitation else ""
        warning = f"WARNING: Don't accept if you want to continue the saved {saved.kind()}!"
        server.say(name, stars + warning)
    server.say(name, f"Type 'join {me}' to accept.")
    away = server.accounts[name].away
    if away is not None:
        server.say(session, f"{name} is away: {away}")


def join(server: ServerState, session: UserSession, words: Words) -> None:
    """`join NAME` accepts an invitation; `join` begins the next game of a match."""
    match = server.match_of(session.name)
    if match is not None:
        if not match.in_game and (not words or words[0] == match.other(session.name)):
            play.join_next(server, session, match)
        else:
            server.say(session, "** You can't play two games at once")
        return
    if not words:
        server.say(session, "** Error: Join who?")
        return
    refusal = _no_join(server, session, words[0])
    if refusal is not None:
        server.say(session, refusal)
        return
    inviter = server.online[words[0]]
    assert inviter.invitation is not None
    length = inviter.invitation.length
    if length is None:
        _resume(server, session, inviter)
    else:
        _start(server, session, inviter, length)


def _no_join(server: ServerState, session: UserSession, name: str) -> str | None:
    inviter = server.online.get(name)
    if inviter is None:
        return f"** Error: can't find player {name}"
    offer = inviter.invitation
    for_me = offer is not None and offer.to == session.name
    lost = (
        offer is not None
        and for_me
        and offer.length is None
        and _pair(session.name, name) not in server.matches
    )
    corrupt = "** ERROR: Saved match is corrupt. Please start another one."
    refusals = (
        (name in server.playing, f"** Error: {name} is already playing with someone else."),
        (not for_me, f"** {name} didn't invite you."),
        (not server.account(session).has("ready"), "** Use 'toggle ready' first"),
        (not server.accounts[name].has("ready"), f"** {name} is refusing games."),
        (lost, corrupt),
    )
    refusal = next((line for refused, line in refusals if refused), None)
    if refusal is None and _pair(session.name, name) not in server.matches:
        for one in (session, inviter):  # the inviter may have begun others since he invited
            if _too_many_saved(server, one):
                return _finish_some(server, one, you=one is session)
    return refusal


def _too_many_saved(server: ServerState, session: UserSession) -> bool:
    """No new match for this user? House players have as many as there are users."""
    saved = len(_saved_of(server, session.name))
    return not session.house and saved >= server.limits.saved_matches


def _finish_some(server: ServerState, session: UserSession, you: bool = True) -> str:
    count = len(_saved_of(server, session.name))
    if you:
        return f"** You have {count} saved games. Please finish some of them first."
    return f"** {session.name} has {count} saved games and has to finish some of them first."


def _start(server: ServerState, session: UserSession, inviter: UserSession, length: int) -> None:
    me, other = session.name, inviter.name
    accounts = (server.accounts[me], server.accounts[other])
    match = UnfinishedMatch(
        (me, other),
        length,
        crawford_rule=any(account.has("crawford") for account in accounts),
        redoubles=min(account.redoubles for account in accounts) if length == 0 else 0,
    )
    server.put_match(match)  # the saved match between the two, if any, is gone
    matches.seat_players(server, match)
    kind = f"a {length} point match" if length else "an unlimited match"
    server.say(session, f"** You are now playing {kind} with {other}")
    server.say(inviter, f"** Player {me} has joined you for {kind}.")
    matches.report(server, match, f"{me} and {other} start {kind}.")
    for seated in (session, inviter):
        seated.watching = None
    lobby.update(server, *match.players)
    matches.start_game(server, match)


def _resume(server: ServerState, session: UserSession, inviter: UserSession) -> None:
    match = server.matches[_pair(session.name, inviter.name)]
    server.say(session, f"You are now playing with {inviter.name}. Your running match was loaded.")
    server.say(inviter, f"{session.name} has joined you. Your running match was loaded.")
    for seated in (session, inviter):
        seated.watching = None
    matches.resume(server, match)


def leave(server: ServerState, session: UserSession, words: Words) -> None:
    """`leave`: stop playing; the match is saved."""
    match = server.match_of(session.name)
    if match is None:
        server.say(session, "** Error: No one to leave.")
        return
    me, other = session.name, match.other(session.name)
    matches.stop_playing(server, match.pair)
    server.say(session, "** You terminated the game. The game was saved.")
    server.say(other, f"** Player {me} has left the game. The game was saved.")
    matches.report(server, match, f"{me} has left the game with {other}.")
    lobby.update(server, *match.players)


# ---- lists


def show(server: ServerState, session: UserSession, words: Words) -> None:
    """`show saved | savedcount NAME | games | watchers | max`"""
    if not words:
        server.say(session, "** show what?")
    elif words[0] == "saved":
        _show_saved(server, session)
    elif words[0] == "savedcount":
        _show_count(server, session, words[1] if len(words) > 1 else session.name)
    elif words[0] == "games":
        _show_games(server, session)
    elif words[0] == "watchers":
        _show_watchers(server, session)
    elif words[0] == "max":
        most = server.limits.connections
        server.say(session, f"max_logins is {most} (maximum: {most})")
    else:
        server.say(session, f"** Don't know how to show {words[0]}")


def _saved_of(server: ServerState, name: str) -> list[UnfinishedMatch]:
    return [match for pair, match in server.matches.items() if name in pair]


def _show_saved(server: ServerState, session: UserSession) -> None:
    matches = [
        t for t in _saved_of(server, session.name) if server.playing.get(session.name) != t.pair
    ]
    if not matches:
        server.say(session, "no saved games.")
        return
    server.say(session, "  opponent          matchlength   score (your points first)")
    for match in matches:
        seat = match.seat(session.name)
        other = match.players[1 - seat]
        here = other in server.online
        stars = "**" if here and server.accounts[other].has("ready") else " *" if here else "  "
        length = "unlimited" if match.unlimited else str(match.length)
        mine, theirs = match.state.score[seat], match.state.score[1 - seat]
        server.say(session, f"{stars}{other:<15}{length:>10}{mine:>17} - {theirs:>2}")


def _show_count(server: ServerState, session: UserSession, word: str) -> None:
    name = server.spellings.get(word.lower())
    if name is None:
        server.say(session, f"** Don't know user {word}")
        return
    count = len(_saved_of(server, name))
    games = {0: "no saved games", 1: "1 saved game"}.get(count, f"{count} saved games")
    server.say(session, f"{name} has {games}.")


def _show_games(server: ServerState, session: UserSession) -> None:
    server.say(session, "List of games:")
    for pair in sorted(set(server.playing.values())):
        match = server.matches[pair]
        one, two = match.players
        score = f"{match.state.score[0]}-{match.state.score[1]}"
        server.say(session, f"{one:<15} - {two:>15} ({match.kind()} {score})")


def _show_watchers(server: ServerState, session: UserSession) -> None:
    pairs = [(s.name, s.watching) for s in server.online.values() if s.watching]
    if not pairs:
        server.say(session, "Watching players: none.")
        return
    server.say(session, "Watching players:", *(f"{one} is watching {two}." for one, two in pairs))
