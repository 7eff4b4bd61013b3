"""Commands that begin, resume and leave matches, and list them."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby, matches, play
from sixprime.bot.sandbox.state.match import UnfinishedMatch, pair_of
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    OpenInvitation,
    ServerState,
    UserSession,
    Words,
    refuse,
)

LONGEST = 99
NOT_READY = "** Use 'toggle ready' first"


def invite(server: ServerState, session: UserSession, words: Words) -> None:
    """`invite NAME [LENGTH | unlimited]`"""
    refuse((not words, "** invite who?"))
    name = words[0]
    _check_invitation(server, session, name)
    length = _length(words[1]) if len(words) > 1 else None
    saved = server.matches.get(pair_of(session.name, name))
    if saved is None:
        needs_length = f"** There's no saved match with {name}. Please give a match length."
        refuse((length is None, needs_length))
        _check_saved(server, session)
    server.check_talk(session)
    session.invitation = OpenInvitation(name, length)
    _send(server, session, name, length, saved)


def _check_invitation(server: ServerState, session: UserSession, name: str) -> None:
    refuse(
        (session.name in server.playing, "** You are already playing."),
        (name == session.name, "** You can't invite yourself."),
    )
    server.check_online(name)
    account = server.accounts[name]
    refuse(
        (not server.account(session).has("ready"), NOT_READY),
        (name in server.playing, f"** {name} is already playing with someone else."),
        (not account.has("ready"), f"** {name} is refusing games."),
        (session.name in account.gagged, f"** {name} won't listen to you."),
    )


def _length(word: str) -> int:
    if word == "unlimited":
        return 0
    digits = word.lstrip("0")
    if not word.isascii() or not word.isdigit() or not digits:
        raise CommandRefused(
            "** The second argument to 'invite' has to be a number or the word 'unlimited'"
        )
    too_long = len(digits) > 9 or int(digits) > LONGEST
    refuse((too_long, f"** You can't play a {digits[:9]} point match."))
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
    server.say_if_away(session, name)


def join(server: ServerState, session: UserSession, words: Words) -> None:
    """`join NAME` accepts an invitation; `join` begins the next game of a match."""
    match = server.match_of(session.name)
    if match is not None:
        elsewhere = match.in_game or (words and words[0] != match.other(session.name))
        refuse((bool(elsewhere), "** You can't play two games at once"))
        play.join_next(server, session, match)
        return
    refuse((not words, "** Error: Join who?"))
    inviter = server.online.get(words[0])
    if inviter is None:
        raise CommandRefused(f"** Error: can't find player {words[0]}")
    length = _invited_to(server, session, inviter)
    if length is None:
        _resume(server, session, inviter)
    else:
        _start(server, session, inviter, length)


def _invited_to(server: ServerState, session: UserSession, inviter: UserSession) -> int | None:
    """Return the length of the match to join; None resumes the saved one."""
    name, offer = inviter.name, inviter.invitation
    busy = f"** Error: {name} is already playing with someone else."
    refuse((name in server.playing, busy))
    if offer is None or offer.to != session.name:
        raise CommandRefused(f"** {name} didn't invite you.")
    saved = pair_of(session.name, name) in server.matches
    refuse(
        (not server.account(session).has("ready"), NOT_READY),
        (not server.accounts[name].has("ready"), f"** {name} is refusing games."),
        (
            offer.length is None and not saved,
            "** ERROR: Saved match is corrupt. Please start another one.",
        ),
    )
    if not saved:
        _check_saved(server, session)
        _check_saved(server, inviter, you=False)  # the inviter may have begun others since
    return offer.length


def _check_saved(server: ServerState, session: UserSession, you: bool = True) -> None:
    """Refuse another match to a user with too many saved ones; house players have no limit."""
    name = session.name
    count = sum(match.winner is None for match in _saved_of(server, name))
    mine = f"** You have {count} saved games. Please finish some of them first."
    other = f"** {name} has {count} saved games and has to finish some of them first."
    full = not session.house and count >= server.limits.saved_matches
    refuse((full, mine if you else other))


def _start(server: ServerState, session: UserSession, inviter: UserSession, length: int) -> None:
    me, other = session.name, inviter.name
    accounts = (server.accounts[me], server.accounts[other])
    match = UnfinishedMatch(
        (me, other),
        length,
        crawford_rule=any(account.has("crawford") for account in accounts),
        redoubles=min(account.redoubles for account in accounts) if length == 0 else 0,
        variant=server.dialect.variant,
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
    match = server.matches[pair_of(session.name, inviter.name)]
    server.say(session, f"You are now playing with {inviter.name}. Your running match was loaded.")
    server.say(inviter, f"{session.name} has joined you. Your running match was loaded.")
    for seated in (session, inviter):
        seated.watching = None
    matches.resume(server, match)


def leave(server: ServerState, session: UserSession, words: Words) -> None:
    """`leave`: stop playing; the match is saved."""
    match = server.match_of(session.name)
    if match is None:
        raise CommandRefused("** Error: No one to leave.")
    me, other = session.name, match.other(session.name)
    if server.playing.get(other) == match.pair:
        server.say(other, f"** Player {me} has left the game. The game was saved.")
    matches.stop_playing(server, match.pair)
    server.say(session, "** You terminated the game. The game was saved.")
    matches.report(server, match, f"{me} has left the game with {other}.")
    lobby.update(server, *match.players)


# ---- lists


def show(server: ServerState, session: UserSession, words: Words) -> None:
    """`show saved | savedcount NAME | games | watchers | max`"""
    refuse((not words, "** show what?"))
    match words[0]:
        case "saved" | "savedgames":
            _show_saved(server, session)
        case "savedcount":
            name = server.known([*words[1:], session.name])
            count = len(_saved_of(server, name))
            games = {0: "no saved games", 1: "1 saved game"}.get(count, f"{count} saved games")
            server.say(session, f"{name} has {games}.")
        case "games":
            _show_games(server, session)
        case "watchers":
            _show_watchers(server, session)
        case "max":
            most = server.limits.connections
            server.say(session, f"max_logins is {most} (maximum: {most})")
        case other:
            raise CommandRefused(f"** Don't know how to show {other}")


def _saved_of(server: ServerState, name: str) -> list[UnfinishedMatch]:
    return [match for pair, match in server.matches.items() if name in pair]


def _show_saved(server: ServerState, session: UserSession) -> None:
    running = server.playing.get(session.name)
    found = [match for match in _saved_of(server, session.name) if match.pair != running]
    refuse((not found, "no saved games."))
    server.say(session, "  opponent          matchlength   score (your points first)")
    for match in found:
        seat = match.seat(session.name)
        other = match.players[1 - seat]
        here = other in server.online
        stars = "**" if here and server.accounts[other].has("ready") else " *" if here else "  "
        length = "unlimited" if match.unlimited else str(match.length)
        mine, theirs = match.state.score[seat], match.state.score[1 - seat]
        server.say(session, f"{stars}{other:<15}{length:>10}{mine:>17} - {theirs:>2}")


def _show_games(server: ServerState, session: UserSession) -> None:
    server.say(session, "List of games:")
    for pair in sorted(set(server.playing.values())):
        match = server.matches[pair]
        one, two = match.players
        score = f"{match.state.score[0]}-{match.state.score[1]}"
        server.say(session, f"{one:<15} - {two:>15} ({match.kind()} {score})")


def _show_watchers(server: ServerState, session: UserSession) -> None:
    pairs = [(s.name, s.watching) for s in server.online.values() if s.watching]
    refuse((not pairs, "Watching players: none."))
    server.say(session, "Watching players:", *(f"{one} is watching {two}." for one, two in pairs))
