"""Commands to watch the matches of others."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby, matches
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    ServerState,
    UserSession,
    Words,
    refuse,
)


def watch(server: ServerState, session: UserSession, words: Words) -> None:
    """`watch NAME`: everything that this user plays, until `unwatch`."""
    name = words[0] if words else ""
    refuse(
        (not words, "** Watch who?"),
        (name == session.name, "** Use a mirror to do that."),
        (session.name in server.playing, "** You can't watch another game while you're playing."),
    )
    _check_visible(server, session, name)
    if session.watching:
        unwatch(server, session, [])
    for watcher in server.watchers(name):
        server.say(watcher, f"{session.name} starts watching {name}.")
    session.watching = name
    server.say(name, f"{session.name} is watching you.")
    server.say(session, f"You're now watching {name}.")
    match = server.match_of(name)
    if match is None:
        server.say(session, f"{name} is not doing anything interesting.")
    else:
        matches.show_to(server, session, match, name)
    lobby.update(server, session.name)


def unwatch(server: ServerState, session: UserSession, words: Words) -> None:
    name = session.watching
    if name is None:
        raise CommandRefused("** You're not watching.")
    session.watching = None
    server.say(session, f"You stop watching {name}.")
    server.say(name, f"{session.name} stops watching you.")
    for watcher in server.watchers(name):
        server.say(watcher, f"{session.name} stops watching {name}.")
    lobby.update(server, session.name)


def look(server: ServerState, session: UserSession, words: Words) -> None:
    """`look NAME`: the board, once."""
    name = words[0] if words else ""
    refuse((not words, "** Look at who?"), (name == session.name, "You look great."))
    _check_visible(server, session, name)
    match = server.match_of(name)
    if match is None:
        raise CommandRefused(f"** {name} is not playing.")
    matches.show_to(server, session, match, name)


def _check_visible(server: ServerState, session: UserSession, name: str) -> None:
    server.check_online(name)
    blind = session.name in server.accounts[name].blinded
    refuse((blind, f"** {name} doesn't want you to watch."))
