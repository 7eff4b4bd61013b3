"""Commands that change one's own account: toggle, set, address, password, away, gag and so on."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.state.accounts import UserAccount, email_fault, password_fault
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    ServerState,
    UserSession,
    Words,
    refuse,
)
from sixprime.bot.sandbox.state.variables import (
    parse_value,
    quoted_value,
    show_value,
    toggle_text,
    zones,
)
from sixprime.engine.system.errors import InputError
from sixprime.protocols.fibs.wire.account import TOGGLES, VARIABLES

MAX_AWAY = 200
MAX_LISTED = 200


def toggle(server: ServerState, session: UserSession, words: Words) -> None:
    """`toggle [NAME ...]`: the list, or flip each."""
    if not words:
        _toggle_list(server, session)
    for word in words:
        found = [word] if word in TOGGLES else [name for name in TOGGLES if name.startswith(word)]
        if len(found) == 1:
            _flip(server, session, found[0])
        else:
            server.say(session, f"** Don't know how to toggle {word}")


def _toggle_list(server: ServerState, session: UserSession) -> None:
    account = server.account(session)
    server.say(session, "The current settings are:")
    for name in TOGGLES:
        if name == "autodouble" and server.dialect.hidden_autodouble:
            continue
        server.say(session, f"{name:<15} {'YES' if account.has(name) else 'NO'}")


def _flip(server: ServerState, session: UserSession, name: str) -> None:
    account = server.account(session)
    on = not account.has(name)
    server.put_account(account.with_toggle(name, on))
    server.say(session, toggle_text(name, on))
    if name == "ready":
        lobby.update(server, session.name)


def set_variable(server: ServerState, session: UserSession, words: Words) -> None:
    """`set [VARIABLE [VALUE]]`"""
    account = server.account(session)
    if not words:
        server.say(session, "Settings of variables:")
        for name in VARIABLES:
            server.say(session, f"{name + ':':<11} {show_value(name, _value(account, name))}")
        return
    name = words[0]
    refuse((name not in VARIABLES, "** Invalid argument. Type 'help set'."))
    if len(words) == 1:
        server.say(session, f"Value of '{name}' is {show_value(name, _value(account, name))}")
        return
    try:
        value = parse_value(name, words[1])
    except InputError as fault:
        server.say(session, str(fault))
        if name == "timezone":
            server.say(session, *_some_zones())
        return
    server.put_account(_with_value(account, name, value))
    server.say(session, f"Value of '{name}' set to {quoted_value(name, value)}.")


def _some_zones() -> list[str]:
    names = sorted(name for name in zones() if not name.startswith(("Etc/", "posix", "right")))
    return [", ".join(names[i : i + 4]) for i in range(0, min(len(names), MAX_LISTED), 4)]


def _value(account: UserAccount, name: str) -> int | str:
    value: int | str = getattr(account, name)
    return value


def _with_value(account: UserAccount, name: str, value: int | str) -> UserAccount:
    return replace(account, **{name: value})  # type: ignore[arg-type]


def address(server: ServerState, session: UserSession, words: Words) -> None:
    """`address x@y.z`"""
    if fault := email_fault(words):
        raise CommandRefused(fault)
    server.put_account(replace(server.account(session), email=words[0]))
    server.say(session, f"Your email address is '{words[0]}'.")


def password(server: ServerState, session: UserSession, words: Words) -> None:
    """`password OLD NEW`, or as on FIBS `password OLD:NEW:NEW`"""
    if len(words) == 1:
        words = words[0].split(":")
        refuse(
            (len(words) == 3 and words[1] != words.pop(), "** Please give your new password twice.")
        )
    refuse((len(words) != 2, "** usage: password <old password>:<new password>:<new password>"))
    if fault := password_fault(words[1]):
        raise CommandRefused(fault)
    session.new_password = words[1]
    server.check_password(session, session.name, words[0])


def rename(server: ServerState, session: UserSession, words: Words) -> None:
    """`name X` is for guests; an account keeps its name."""
    server.say(session, "** You can't change your name.")


def away(server: ServerState, session: UserSession, text: str) -> None:
    """`away [MESSAGE]`"""
    if not text:
        _away_list(server, session)
        return
    server.put_account(replace(server.account(session), away=text[:MAX_AWAY]))
    server.say(session, "You're away. Please type 'back'")
    lobby.update(server, session.name)


def _away_list(server: ServerState, session: UserSession) -> None:
    gone = [
        server.accounts[name] for name in server.online if server.accounts[name].away is not None
    ]
    refuse((not gone, "None of the users is away."))
    server.say(session, "The following users are away:")
    server.say(
        session,
        *(
            f"{'You' if account.name == session.name else account.name}: {account.away}"
            for account in gone
        ),
    )


def back(server: ServerState, session: UserSession, words: Words) -> None:
    account = server.account(session)
    refuse((account.away is None, "** You're not away."))
    server.put_account(replace(account, away=None))
    server.say(session, "Welcome back.")
    lobby.update(server, session.name)


def gag(server: ServerState, session: UserSession, words: Words) -> None:
    """`gag NAME`: no more talk from this user; repeated, it undoes that."""
    account = server.account(session)
    refuse((not words, f"** Gagged users: {','.join(sorted(account.gagged)) or 'none'}"))
    name = server.known(words)
    refuse((name == session.name, "** You talk too much, don't you?"))
    server.put_account(replace(account, gagged=account.gagged ^ {name}))
    server.say(session, f"** You {'un' if name in account.gagged else ''}gag {name}.")


def blind(server: ServerState, session: UserSession, words: Words) -> None:
    """`blind NAME`: this user may not watch; repeated, it undoes that."""
    account = server.account(session)
    refuse((not words, f"** Blinded users: {','.join(sorted(account.blinded)) or 'none'}"))
    name = server.known(words)
    refuse((name == session.name, "** You can't read this message now, can you?"))
    un = "un" if name in account.blinded else ""
    server.put_account(replace(account, blinded=account.blinded ^ {name}))
    server.say(session, f"** You {un}blind {name}.")
    watcher = server.online.get(name)
    if not un and watcher is not None and watcher.watching == session.name:
        watcher.watching = None
        server.say(watcher, f"You stop watching {session.name}.")
        lobby.update(server, name)
