"""Looking at what others play."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.state.server import ServerState, UserSession

Words = list[str]


def watch(server: ServerState, session: UserSession, words: Words) -> None:
    """`watch NAME`: everything that this user plays, until `unwatch`."""
    if not words:
        server.say(session, "** Watch who?")
        return
    name = words[0]
    if name == session.name:
        server.say(session, "** Use a mirror to do that.")
    elif session.name in server.playing:
        server.say(session, "** You can't watch another game while you're playing.")
    elif name not in server.online:
        server.say(session, f"** There is no one called {name}")
    elif session.name in server.accounts[name].blinded:
        server.say(session, f"** {name} doesn't want you to watch.")
    else:
        if session.watching:
            unwatch(server, session, [])
        _begin(server, session, name)


def _begin(server: ServerState, session: UserSession, name: str) -> None:
    for watcher in server.watchers(name):
        server.say(watcher, f"{session.name} starts watching {name}.")
    session.watching = name
    server.say(name, f"{session.name} is watching you.")
    server.say(session, f"You're now watching {name}.")
    match = server.match_of(name)
    if match is None:
        server.say(session, f"{name} is not doing anything interesting.")
    else:
        style = server.account(session).boardstyle
        server.say(session, *board(match, name, style, server.dialect, you=False))
    lobby.update(server, session.name)


def unwatch(server: ServerState, session: UserSession, words: Words) -> None:
    """`unwatch`"""
    name = session.watching
    if name is None:
        server.say(session, "** You're not watching.")
        return
    session.watching = None
    server.say(session, f"You stop watching {name}.")
    server.say(name, f"{session.name} stops watching you.")
    for watcher in server.watchers(name):
        server.say(watcher, f"{session.name} stops watching {name}.")
    lobby.update(server, session.name)


def look(server: ServerState, session: UserSession, words: Words) -> None:
    """`look NAME`: the board, once."""
    if not words:
        server.say(session, "** Look at who?")
        return
    name = words[0]
    if name == session.name:
        server.say(session, "You look great.")
        return
    if name not in server.online:
        server.say(session, f"** There is no one called {name}")
        return
    if session.name in server.accounts[name].blinded:
        server.say(session, f"** {name} doesn't want you to watch.")
        return
    match = server.match_of(name)
    if match is None:
        server.say(session, f"{name} is not playing.")
        return
    style = server.account(session).boardstyle
    server.say(session, *board(match, name, style, server.dialect, you=False))
