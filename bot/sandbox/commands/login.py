"""CLIP and telnet logins, registration, and logout."""

from __future__ import annotations

from dataclasses import replace

from sixprime.bot.sandbox.commands import lobby
from sixprime.bot.sandbox.commands.matches import interrupt, rejoin_finished
from sixprime.bot.sandbox.state.accounts import UserAccount, name_fault, password_fault
from sixprime.bot.sandbox.state.output import CRLF
from sixprime.bot.sandbox.state.server import WILL_ECHO, WONT_ECHO, ServerState, Stage, UserSession
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


def greet(server: ServerState, session: UserSession) -> None:
    """Send a new connection the banner and the prompt."""
    server.say(
        session,
        "",
        "     _                     _",
        "  __(_)_ ___ __ _ _ _ (_)_ __  ___     a sandbox that speaks FIBS",
        " (_-< \\ \\ / '_ \\ '_|| | '  \\/ -_)",
        " /__/_/_\\_\\ .__/_|  |_|_|_|_\\___|     Login as 'guest' to register.",
        "          |_|                          One account per person only!",
        "",
        banner_date(server.now),
        "",
    )
    server.raw(session, CRLF.join(["login: "] * server.dialect.login_prompts))


def line(server: ServerState, session: UserSession, text: str) -> None:
    """Handle a line of a session that is not logged in yet."""
    match session.stage:
        case Stage.LOGIN:
            _user_name(server, session, text.strip())
        case Stage.PASSWORD:
            server.check_password(session, session.name, text)
        case Stage.GUEST:
            _guest(server, session, text.strip())
        case Stage.NEW_PASSWORD:
            _new_password(server, session, text)
        case Stage.RETYPE:
            _retype(server, session, text)
        case _:
            raise AssertionError(f"{session.stage} is not a stage of the login")


def _user_name(server: ServerState, session: UserSession, text: str) -> None:
    words = text.split()
    if not words:
        server.raw(session, "login: ")
    elif words[0] == "login" and len(words) > 1:
        _clip_login(server, session, words)
    elif words[0] == "connect" and len(words) == 3:
        session.name, session.output.prompt = words[1], ""  # clients log in so
        server.check_password(session, session.name, words[2])
    elif text == "guest":
        _ask_name(server, session, *GUEST_TEXT)
    elif text in FAREWELLS:
        bye(server, session)
    else:
        session.name = words[0]
        session.stage = Stage.PASSWORD
        server.raw(session, WILL_ECHO + "password: ")


def _clip_login(server: ServerState, session: UserSession, words: list[str]) -> None:
    if len(words) != 5 or not words[2].isdigit() or int(words[2][:9]) not in CLIP_VERSIONS:
        server.say(session, "** usage: login <client> 1008 <user> <password>")
        failed(server, session)
        return
    session.clip = True
    session.client, session.name = words[1][:64], words[3]
    server.check_password(session, session.name, words[4])


def checked(server: ServerState, session: UserSession, right: bool) -> None:
    """Continue the login with the result of a PasswordCheck."""
    server.raw(session, CRLF if session.clip else CRLF + WONT_ECHO)  # ends the prompt's line
    account = server.accounts.get(session.name)
    if not right or account is None:
        failed(server, session)
        return
    if (
        server.dialect.second_login == "twice"
        and session.name in server.online
        and not session.warned
    ):
        session.warned = True
        session.stage = Stage.LOGIN
        server.say(session, "** Warning: You are already logged in.")
        server.raw(session, "login: ")
        return
    enter(server, session, account)


def failed(server: ServerState, session: UserSession) -> None:
    """Refuse a login without revealing whether the account exists."""
    session.failures += 1
    session.stage, session.clip = Stage.LOGIN, False
    session.name, session.client, session.output.prompt = "", "-", "> "
    kind = server.dialect.failed_login
    if kind == "text":
        server.say(session, "Login incorrect")
    if kind == "close" or session.failures >= server.limits.login_attempts:
        if kind == "close":
            server.say(session, "** access denied!")
        server.close_session(session)
        return
    server.raw(session, "login: ")


def unchecked(server: ServerState, session: UserSession) -> None:
    """Refuse a login whose password could not be checked in time."""
    line = "** Too many passwords are being tried. Please try again later."
    session.new_password = ""
    server.say(session, line)
    if server.online.get(session.name) is session:
        session.stage = Stage.LOBBY
    else:
        server.close_session(session)


def enter(
    server: ServerState, session: UserSession, account: UserAccount, newcomer: bool = False
) -> None:
    """Enter the lobby, and close an older session of the same account."""
    older = server.online.get(account.name)
    if older is not None:
        _close_older(server, older, session)
    session.stage = Stage.LOBBY
    session.name = account.name
    session.active = server.now
    server.online[account.name] = session
    last_login, last_host = account.last_login, account.last_host
    account = replace(account, last_login=server.now, last_host=session.host)
    server.put_account(account)
    if session.clip:
        server.say(session, f"1 {account.name} {int(last_login)} {last_host}")
        server.say(session, lobby.own_line(account), "3")
    _welcome(server, session, account)
    _deliver_messages(server, session)
    if server.dialect.finished == "joined":
        rejoin_finished(server, session)
    again = " again" if older else ""
    news = "just registered and logs in." if newcomer else f"logs in{again}."
    for other in server.others(account.name):
        if server.account(other).has("notify"):
            lobby.notice(server, other, 7, account.name, f"{account.name} {news}")
        if account.name in other.awaited:
            other.awaited -= {account.name}
            server.say(other, f"** FINALLY!!! {account.name} logs in.")
            server.say(session, f"** {other.name} is waiting for you to log in.")
    lobby.update(server, account.name, but=session)
    if session.clip:
        for _ in range(2 if server.dialect.duplicate_who else 1):
            lobby.send_all(server, session)


def _welcome(server: ServerState, session: UserSession, account: UserAccount) -> None:
    greeting = f"Welcome to the Sixprime sandbox. You just logged in as {account.name}."
    server.say(session, RULE, f"| {greeting:<66} |", RULE)
    if session.clip:
        server.say(session, "4")
        return
    server.say(
        session,
        f"Your rating is {account.rating:.2f}, your experience {account.experience}.",
        "Type 'help beginner' for the first steps, 'who' to see who is here.",
    )


def _deliver_messages(server: ServerState, session: UserSession) -> None:
    found = server.take_messages(session.name)
    if found:
        server.say(session, "There are messages for you:")
    for message in found:
        if session.clip:
            server.say(session, f"9 {message.sender} {int(message.time)} {message.text}")
        else:
            server.say(
                session, f"From {message.sender}, {banner_date(message.time)}: {message.text}"
            )


def _close_older(server: ServerState, older: UserSession, newer: UserSession) -> None:
    if server.dialect.second_login == "kick":
        text = f"** You just logged in a second time from {newer.host}, terminating this session."
        server.say(older, "", text)
    elif server.dialect.second_login == "warning":
        server.say(newer, "** Warning: You are already logged in.")
    leave(server, older, f"Closed old connection with user {older.name}.")
    server.close_session(older)


def leave(server: ServerState, session: UserSession, why: str) -> None:
    """Leave the lobby and save a running match; `why` is a sentence with its period."""
    name = session.name
    if server.online.get(name) is not session:
        return
    opponent = interrupt(server, name, f"{why} The game was saved.")
    del server.online[name]
    session.stage = Stage.CLOSED
    server.put_account(replace(server.accounts[name], last_logout=server.now))
    for watcher in server.watchers(name):
        watcher.watching = None
        server.say(watcher, f"{name} logs out. You're not watching anymore.")
        lobby.update(server, watcher.name)
    if session.watching:
        server.say(session.watching, f"{name} stops watching you.")
    for other in server.others(name):
        if server.account(other).has("notify"):
            lobby.notice(server, other, 8, name, why)
    if opponent is not None:
        lobby.update(server, opponent)


def bye(server: ServerState, session: UserSession) -> None:
    server.say(
        session, "", "          Thanks for using this server!", "", "             Goodbye.", ""
    )
    leave(server, session, f"{session.name} logs out.")
    server.close_session(session)


def _guest(server: ServerState, session: UserSession, text: str) -> None:
    words = text.split()
    if text in FAREWELLS:
        bye(server, session)
        return
    if len(words) != 2 or words[0] != "name":
        _ask_name(server, session, *GUEST_TEXT)
        return
    name = words[1]
    fault = name_fault(name)
    if fault is None and (name.lower() in server.spellings or _being_registered(server, name)):
        fault = f"** Please use another name. '{name}' is already used by someone else."
    if fault is not None:
        _ask_name(server, session, fault)
        return
    session.name = name
    session.stage = Stage.NEW_PASSWORD
    server.say(
        session,
        f"Your name will be {name}",
        "Type in no password and hit Enter/Return if you want to change it now.",
    )
    server.raw(session, WILL_ECHO + "Please give your password: ")


def _ask_name(server: ServerState, session: UserSession, *lines: str) -> None:
    session.stage = Stage.GUEST
    server.say(session, *lines)
    server.raw(session, "> ")


def _being_registered(server: ServerState, name: str) -> bool:
    stages = (Stage.NEW_PASSWORD, Stage.RETYPE, Stage.CHECKING)
    return any(
        session.stage in stages and session.name.lower() == name.lower()
        for session in server.sessions.values()
    )


def _new_password(server: ServerState, session: UserSession, text: str) -> None:
    if not text:
        session.name = ""
        server.raw(session, CRLF + WONT_ECHO)
        _ask_name(server, session, "** No password given. Please choose a new name")
        return
    fault = password_fault(text)
    server.raw(session, CRLF)
    if fault is not None:
        server.say(session, fault)
        server.raw(session, "Please give your password: ")
        return
    session.new_password = text
    session.stage = Stage.RETYPE
    server.raw(session, "Please retype your password: " + WILL_ECHO)


def _retype(server: ServerState, session: UserSession, text: str) -> None:
    wanted, session.new_password = session.new_password, ""
    server.raw(session, CRLF)
    if text != wanted:
        session.stage = Stage.NEW_PASSWORD
        server.raw(
            session, "** The two passwords were not identical. Please give them again. Password: "
        )
        return
    if not server.may_register(session.host):
        server.say(session, "** Too many new accounts. Please try again later.")
        server.close_session(session)
        return
    server.hash_password(session, wanted)


def registered(server: ServerState, session: UserSession, password: str) -> None:
    """Make the account of a guest whose password is hashed."""
    account = UserAccount(session.name, password, registered=server.now)
    server.put_account(account)
    server.say(session, "You are registered.", "Type 'help beginner' to get started.")
    server.raw(session, WONT_ECHO + CRLF)
    enter(server, session, account, newcomer=True)
