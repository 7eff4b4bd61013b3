"""From the first byte to the lobby: CLIP and telnet logins, registration, and the way out."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.matches import interrupt
from sixprime.bot.sandbox.state.accounts import Account, name_fault, password_fault
from sixprime.bot.sandbox.state.hall import (
    CRLF,
    WILL_ECHO,
    WONT_ECHO,
    Hall,
    PasswordCheck,
    PasswordWish,
    Session,
    Stage,
)
from sixprime.bot.sandbox.state.times import banner_date

CLIP_VERSIONS = range(1001, 1100)
FAREWELLS = frozenset({"bye", "adios", "ciao", "end", "exit", "logout", "quit", "tschoe"})
RULE = "+" + "-" * 68 + "+"

GUEST_TEXT = (
    "",
    "Welcome to the Sixprime sandbox. You just logged in as guest.",
    "Please register before using this server:",
    "",
    "Type 'name username' where username is the name you want to use.",
    "The username may only contain letters and the underscore character '_'.",
    "The name is yours for good: it cannot be changed later.",
    "Then you are asked twice for a password. Choose one that you use nowhere else:",
    "it travels over the net as clear text.",
    "",
    "Type 'bye' to leave.",
    "",
    "ONE USERNAME PER PERSON ONLY!!!",
)


def greet(hall: Hall, session: Session) -> None:
    """What a new connection sees first."""
    hall.say(
        session,
        "",
        "     _                     _",
        "  __(_)_ ___ __ _ _ _ (_)_ __  ___     a sandbox that speaks FIBS",
        " (_-< \\ \\ / '_ \\ '_|| | '  \\/ -_)",
        " /__/_/_\\_\\ .__/_|  |_|_|_|_\\___|     Login as 'guest' to register.",
        "          |_|",
        "",
        banner_date(hall.now),
        "",
    )
    hall.raw(session, "login: ")


def line(hall: Hall, session: Session, text: str) -> None:
    """One line of a session that is not logged in yet."""
    match session.stage:
        case Stage.LOGIN:
            _user_name(hall, session, text.strip())
        case Stage.PASSWORD:
            _check(hall, session, text)
        case Stage.GUEST:
            _guest(hall, session, text.strip())
        case Stage.NEW_PASSWORD:
            _new_password(hall, session, text)
        case Stage.RETYPE:
            _retype(hall, session, text)
        case _:
            raise AssertionError(f"{session.stage} is not a stage of the login")


def _user_name(hall: Hall, session: Session, text: str) -> None:
    words = text.split()
    if not words:
        hall.raw(session, "login: ")
    elif words[0] == "login" and len(words) > 1:
        _clip_login(hall, session, words)
    elif words[0] == "connect" and len(words) == 3:
        session.name = words[1]
        _check(hall, session, words[2])
    elif text == "guest":
        session.stage = Stage.GUEST
        hall.say(session, *GUEST_TEXT)
        hall.raw(session, "> ")
    elif text in FAREWELLS:
        bye(hall, session)
    else:
        session.name = words[0]
        session.stage = Stage.PASSWORD
        hall.raw(session, WILL_ECHO + "password: ")


def _clip_login(hall: Hall, session: Session, words: list[str]) -> None:
    if len(words) != 5 or not words[2].isdigit() or int(words[2][:9]) not in CLIP_VERSIONS:
        hall.say(session, "** usage: login <client> 1008 <user> <password>")
        failed(hall, session)
        return
    session.clip = True
    session.client, session.name = words[1][:64], words[3]
    _check(hall, session, words[4])


def _check(hall: Hall, session: Session, password: str) -> None:
    session.stage = Stage.CHECKING
    account = hall.accounts.get(session.name)
    stored = account.password if account else ""
    hall.ask(PasswordCheck(session.id, password, stored))


def checked(hall: Hall, session: Session, right: bool) -> None:
    """The answer to a PasswordCheck."""
    if not session.clip:
        hall.raw(session, CRLF + WONT_ECHO)
    account = hall.accounts.get(session.name)
    if not right or account is None:
        failed(hall, session)
        return
    if hall.dialect.second_login == "twice" and session.name in hall.online and not session.warned:
        session.warned = True
        session.stage = Stage.LOGIN
        hall.say(session, "** Warning: You are already logged in.")
        hall.raw(session, "login: ")
        return
    enter(hall, session, account)


def failed(hall: Hall, session: Session) -> None:
    """A login that did not work; the account's existence is not given away."""
    session.failures += 1
    session.stage, session.clip = Stage.LOGIN, False
    session.name, session.client = "", "-"
    kind = hall.dialect.failed_login
    if kind == "text":
        hall.say(session, "Login incorrect")
    if kind == "close" or session.failures >= hall.limits.login_attempts:
        if kind == "close":
            hall.say(session, "** access denied!")
        hall.close(session)
        return
    hall.raw(session, "login: ")


def enter(hall: Hall, session: Session, account: Account, newcomer: bool = False) -> None:
    """Into the lobby, closing an older session of the same account."""
    older = hall.online.get(account.name)
    if older is not None:
        _close_older(hall, older, session)
    session.stage = Stage.LOBBY
    session.name = account.name
    session.login = session.active = hall.now
    hall.online[account.name] = session
    last_login, last_host = account.last_login, account.last_host
    account = replace(account, last_login=hall.now, last_host=session.host)
    hall.put_account(account)
    if session.clip:
        hall.say(session, f"1 {account.name} {int(last_login)} {last_host}")
        hall.say(session, lobby.own_line(account), "3")
    _welcome(hall, session, account)
    _deliver_messages(hall, session)
    again = " again" if older else ""
    news = "just registered and logs in." if newcomer else f"logs in{again}."
    for other in hall.others(account.name):
        if hall.account(other).has("notify"):
            lobby.notice(hall, other, 7, account.name, f"{account.name} {news}")
        if account.name in other.awaited:
            other.awaited.discard(account.name)
            hall.say(other, f"** FINALLY!!! {account.name} logs in")
            hall.say(session, f"{other.name} is waiting for you to log in.")
    lobby.update(hall, account.name, but=session)
    if session.clip:
        for _ in range(2 if hall.dialect.duplicate_who else 1):
            lobby.send_all(hall, session)


def _welcome(hall: Hall, session: Session, account: Account) -> None:
    greeting = f"Welcome to the Sixprime sandbox. You just logged in as {account.name}."
    hall.say(session, RULE, f"| {greeting:<66} |", RULE)
    if session.clip:
        hall.say(session, "4")
        return
    hall.say(
        session,
        f"Your rating is {account.rating:.2f}, your experience {account.experience}.",
        "Type 'help beginner' for the first steps, 'who' to see who is here.",
    )


def _deliver_messages(hall: Hall, session: Session) -> None:
    found = hall.take_messages(session.name)
    if found:
        hall.say(session, "There are messages for you:")
    for message in found:
        if session.clip:
            hall.say(session, f"9 {message.sender} {int(message.time)} {message.text}")
        else:
            hall.say(session, f"From {message.sender}, {banner_date(message.time)}: {message.text}")


def _close_older(hall: Hall, older: Session, newer: Session) -> None:
    if hall.dialect.second_login == "kick":
        text = f"** You just logged in a second time from {newer.host}, terminating this session."
        hall.say(older, "", text)
    elif hall.dialect.second_login == "warning":
        hall.say(newer, "** Warning: You are already logged in.")
    leave(hall, older, f"Closed old connection with user {older.name}.")
    hall.close(older)


def leave(hall: Hall, session: Session, why: str) -> None:
    """Out of the lobby for whatever reason; a running match is saved. `why` ends in a period."""
    name = session.name
    if hall.online.get(name) is not session:
        return
    opponent = interrupt(hall, name, f"{why} The game was saved.")
    del hall.online[name]
    session.stage = Stage.CLOSED
    hall.put_account(replace(hall.accounts[name], last_logout=hall.now))
    for watcher in hall.watchers(name):
        watcher.watching = None
        hall.say(watcher, f"{name} logs out. You're not watching anymore.")
        lobby.update(hall, watcher.name)
    if session.watching:
        hall.say(session.watching, f"{name} stops watching you.")
    for other in hall.others(name):
        if hall.account(other).has("notify"):
            lobby.notice(hall, other, 8, name, why)
    if opponent is not None:
        lobby.update(hall, opponent)


def bye(hall: Hall, session: Session) -> None:
    """The polite way out."""
    hall.say(
        session, "", "          Thanks for using this server!", "", "             Goodbye.", ""
    )
    leave(hall, session, f"{session.name} logs out.")
    hall.close(session)


def _guest(hall: Hall, session: Session, text: str) -> None:
    words = text.split()
    if text in FAREWELLS:
        bye(hall, session)
        return
    if len(words) != 2 or words[0] != "name":
        hall.say(session, *GUEST_TEXT)
        hall.raw(session, "> ")
        return
    name = words[1]
    fault = name_fault(name)
    if fault is None and (name.lower() in hall.spellings or _being_registered(hall, name)):
        fault = f"** Please use another name. '{name}' is already used by someone else."
    if fault is not None:
        hall.say(session, fault)
        hall.raw(session, "> ")
        return
    session.name = name
    session.stage = Stage.NEW_PASSWORD
    hall.say(
        session,
        f"Your name will be {name}",
        "Type in no password and hit Enter/Return if you want to change it now.",
    )
    hall.raw(session, WILL_ECHO + "Please give your password: ")


def _being_registered(hall: Hall, name: str) -> bool:
    stages = (Stage.NEW_PASSWORD, Stage.RETYPE, Stage.CHECKING)
    return any(
        session.stage in stages and session.name.lower() == name.lower()
        for session in hall.sessions.values()
    )


def _new_password(hall: Hall, session: Session, text: str) -> None:
    if not text:
        session.stage, session.name = Stage.GUEST, ""
        hall.raw(session, CRLF + WONT_ECHO)
        hall.say(session, "** No password given. Please choose a new name")
        hall.raw(session, "> ")
        return
    fault = password_fault(text)
    hall.raw(session, CRLF)
    if fault is not None:
        hall.say(session, fault)
        hall.raw(session, "Please give your password: ")
        return
    session.new_password = text
    session.stage = Stage.RETYPE
    hall.raw(session, "Please retype your password: " + WILL_ECHO)


def _retype(hall: Hall, session: Session, text: str) -> None:
    wanted, session.new_password = session.new_password, ""
    hall.raw(session, CRLF)
    if text != wanted:
        session.stage = Stage.NEW_PASSWORD
        hall.raw(
            session,
            "** The two passwords were not identical. Please give them again. Password: ",
        )
        return
    if not hall.may_register(session.host):
        hall.say(session, "** Too many new accounts. Please try again later.")
        hall.close(session)
        return
    session.stage = Stage.CHECKING
    hall.ask(PasswordWish(session.id, wanted))


def registered(hall: Hall, session: Session, password: str) -> None:
    """The answer to a PasswordWish of a guest."""
    account = Account(session.name, password, registered=hall.now)
    hall.put_account(account)
    hall.say(session, "You are registered.", "Type 'help beginner' to get started.")
    hall.raw(session, WONT_ECHO + CRLF)
    enter(hall, session, account, newcomer=True)
