"""Commands that change one's own account: toggle, set, address, password, away, gag and so on."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.state.accounts import Account, email_fault, password_fault
from sixprime.bot.sandbox.state.hall import Hall, PasswordCheck, Session, Stage
from sixprime.bot.sandbox.state.settings import (
    TOGGLES,
    VARIABLES,
    BadValue,
    parse_value,
    quoted_value,
    show_value,
    zones,
)

Words = list[str]
MAX_AWAY = 200
MAX_LISTED = 200


def toggle(hall: Hall, session: Session, words: Words) -> None:
    """`toggle [NAME ...]`: the list, or flip each."""
    if not words:
        _toggle_list(hall, session)
    for word in words:
        found = [name for name in TOGGLES if name.startswith(word)]
        if word in TOGGLES:
            found = [word]
        if len(found) != 1:
            hall.say(session, f"** Don't know how to toggle {word}")
            continue
        _flip(hall, session, found[0])


def _toggle_list(hall: Hall, session: Session) -> None:
    account = hall.account(session)
    hall.say(session, "The current settings are:")
    for name in TOGGLES:
        if name == "autodouble" and hall.dialect.hidden_autodouble:
            continue
        hall.say(session, f"{name:<15} {'YES' if account.has(name) else 'NO'}")


def _flip(hall: Hall, session: Session, name: str) -> None:
    account = hall.account(session)
    on = not account.has(name)
    hall.put_account(account.with_toggle(name, on))
    hall.say(session, TOGGLES[name].yes if on else TOGGLES[name].no)
    if name == "ready":
        lobby.update(hall, session.name)


def set_variable(hall: Hall, session: Session, words: Words) -> None:
    """`set [VARIABLE [VALUE]]`"""
    account = hall.account(session)
    if not words:
        hall.say(session, "Settings of variables:")
        for name in VARIABLES:
            hall.say(session, f"{name + ':':<11} {show_value(name, _value(account, name))}")
        return
    name = words[0]
    if name not in VARIABLES:
        hall.say(session, "** Invalid argument. Type 'help set'.")
        return
    if len(words) == 1:
        hall.say(session, f"Value of '{name}' is {show_value(name, _value(account, name))}")
        return
    try:
        value = parse_value(name, words[1])
    except BadValue as fault:
        hall.say(session, str(fault))
        if name == "timezone":
            hall.say(session, *_some_zones())
        return
    hall.put_account(_with_value(account, name, value))
    hall.say(session, f"Value of '{name}' set to {quoted_value(name, value)}.")


def _some_zones() -> list[str]:
    names = sorted(name for name in zones() if not name.startswith(("Etc/", "posix", "right")))
    return [", ".join(names[i : i + 4]) for i in range(0, min(len(names), MAX_LISTED), 4)]


def _value(account: Account, name: str) -> int | str:
    value: int | str = getattr(account, name)
    return value


def _with_value(account: Account, name: str, value: int | str) -> Account:
    return replace(account, **{name: value})  # type: ignore[arg-type]


def address(hall: Hall, session: Session, words: Words) -> None:
    """`address x@y.z`"""
    fault = email_fault(words)
    if fault is not None:
        hall.say(session, fault)
        return
    hall.put_account(replace(hall.account(session), email=words[0]))
    hall.say(session, f"Your email address is '{words[0]}'.")


def password(hall: Hall, session: Session, words: Words) -> None:
    """`password OLD NEW`"""
    if len(words) != 2:
        hall.say(session, "** usage: password <old password> <new password>")
        return
    fault = password_fault(words[1])
    if fault is not None:
        hall.say(session, fault)
        return
    session.new_password = words[1]
    session.stage = Stage.CHECKING
    hall.ask(PasswordCheck(session.id, words[0], hall.account(session).password))


def rename(hall: Hall, session: Session, words: Words) -> None:
    """`name X` is for guests; an account keeps its name."""
    hall.say(session, "** You can't change your name.")


def away(hall: Hall, session: Session, text: str) -> None:
    """`away [MESSAGE]`"""
    if not text:
        _away_list(hall, session)
        return
    hall.put_account(replace(hall.account(session), away=text[:MAX_AWAY]))
    hall.say(session, "You're away. Please type 'back'")
    lobby.update(hall, session.name)


def _away_list(hall: Hall, session: Session) -> None:
    gone = [hall.accounts[name] for name in hall.online if hall.accounts[name].away is not None]
    if not gone:
        hall.say(session, "None of the users is away.")
        return
    hall.say(session, "The following users are away:")
    hall.say(session, *(f"{account.name}: {account.away}" for account in gone))


def back(hall: Hall, session: Session, words: Words) -> None:
    """`back`"""
    account = hall.account(session)
    if account.away is None:
        hall.say(session, "** You're not away.")
        return
    hall.put_account(replace(account, away=None))
    hall.say(session, "Welcome back.")
    lobby.update(hall, session.name)


def gag(hall: Hall, session: Session, words: Words) -> None:
    """`gag NAME`: no more talk from this user; the second time takes it back."""
    name = _known(hall, session, words)
    if name is None:
        return
    account = hall.account(session)
    un = "un" if name in account.gagged else ""
    hall.put_account(replace(account, gagged=account.gagged ^ {name}))
    hall.say(session, f"** You {un}gag {name}.")


def blind(hall: Hall, session: Session, words: Words) -> None:
    """`blind NAME`: this user may not watch; the second time takes it back."""
    name = _known(hall, session, words)
    if name is None:
        return
    account = hall.account(session)
    un = "un" if name in account.blinded else ""
    hall.put_account(replace(account, blinded=account.blinded ^ {name}))
    hall.say(session, f"** You {un}blind {name}.")
    watcher = hall.online.get(name)
    if not un and watcher is not None and watcher.watching == session.name:
        watcher.watching = None
        hall.say(watcher, f"You stop watching {session.name}.")
        lobby.update(hall, name)


def _known(hall: Hall, session: Session, words: Words) -> str | None:
    if not words:
        hall.say(session, "** please give a name as an argument.")
        return None
    name = hall.spellings.get(words[0].lower())
    if name is None:
        hall.say(session, f"** Don't know user {words[0]}")
    return name
