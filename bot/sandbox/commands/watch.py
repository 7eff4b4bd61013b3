"""Looking at what others play."""

from __future__ import annotations

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.boards import board
from sixprime.bot.sandbox.state.hall import Hall, Session

Words = list[str]


def watch(hall: Hall, session: Session, words: Words) -> None:
    """`watch NAME`: everything that this user plays, until `unwatch`."""
    if not words:
        hall.say(session, "** Watch who?")
        return
    name = words[0]
    if name == session.name:
        hall.say(session, "** Use a mirror to do that.")
    elif session.name in hall.playing:
        hall.say(session, "** You can't watch another game while you're playing.")
    elif name not in hall.online:
        hall.say(session, f"** There is no one called {name}")
    elif session.name in hall.accounts[name].blinded:
        hall.say(session, f"** {name} doesn't want you to watch.")
    else:
        if session.watching:
            unwatch(hall, session, [])
        _begin(hall, session, name)


def _begin(hall: Hall, session: Session, name: str) -> None:
    for watcher in hall.watchers(name):
        hall.say(watcher, f"{session.name} starts watching {name}.")
    session.watching = name
    hall.say(name, f"{session.name} is watching you.")
    hall.say(session, f"You're now watching {name}.")
    table = hall.table_of(name)
    if table is None:
        hall.say(session, f"{name} is not doing anything interesting.")
    else:
        style = hall.account(session).boardstyle
        hall.say(session, *board(table, name, style, hall.dialect, you=False))
    lobby.update(hall, session.name)


def unwatch(hall: Hall, session: Session, words: Words) -> None:
    """`unwatch`"""
    name = session.watching
    if name is None:
        hall.say(session, "** You're not watching.")
        return
    session.watching = None
    hall.say(session, f"You stop watching {name}.")
    hall.say(name, f"{session.name} stops watching you.")
    for watcher in hall.watchers(name):
        hall.say(watcher, f"{session.name} stops watching {name}.")
    lobby.update(hall, session.name)


def look(hall: Hall, session: Session, words: Words) -> None:
    """`look NAME`: the board, once."""
    if not words:
        hall.say(session, "** Look at who?")
        return
    name = words[0]
    if name == session.name:
        hall.say(session, "You look great.")
        return
    if name not in hall.online:
        hall.say(session, f"** There is no one called {name}")
        return
    if session.name in hall.accounts[name].blinded:
        hall.say(session, f"** {name} doesn't want you to watch.")
        return
    table = hall.table_of(name)
    if table is None:
        hall.say(session, f"{name} is not playing.")
        return
    style = hall.account(session).boardstyle
    hall.say(session, *board(table, name, style, hall.dialect, you=False))
