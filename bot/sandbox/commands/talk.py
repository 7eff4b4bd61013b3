"""Users talking to each other; whatever is said changes nothing but what others read."""

from __future__ import annotations

from sixprime.bot.sandbox.state.server import ServerState, UserSession

MAX_TEXT = 500

PLAIN = {  # for people, what CLIP clients get as a number
    12: "{name} tells you: {text}",
    13: "{name} shouts: {text}",
    14: "{name} whispers: {text}",
    15: "{name} kibitzes: {text}",
    16: "** You tell {name}: {text}",
    17: "You shout: {text}",
    18: "You whisper: {text}",
    19: "You kibitz: {text}",
}


def tell(server: ServerState, session: UserSession, text: str) -> None:
    """`tell NAME text`; the beginning of a name is enough."""
    name, message = _split(text)
    if not name:
        server.say(session, "** Tell whom?")
        return
    found = _by_prefix(server, name)
    if len(found) > 1:
        server.say(session, f"Ambigous name: Try one of: {' '.join(found)}")
        return
    _tell(server, session, found[0] if found else name, message)


def tellx(server: ServerState, session: UserSession, text: str) -> None:
    """`tellx NAME text`; the whole name."""
    name, message = _split(text)
    if not name:
        server.say(session, "** Tell whom?")
        return
    _tell(server, session, name, message)


def say(server: ServerState, session: UserSession, text: str) -> None:
    """`say text`: to the opponent."""
    opponent = server.opponent_of(session.name)
    if opponent is None:
        server.say(session, "** You're not watching or playing.")
        return
    _tell(server, session, opponent, text)


def _tell(server: ServerState, session: UserSession, name: str, message: str) -> None:
    repbot = server.dialect.repbot and name.lower() in ("repbot", "repbotng")
    if not message:
        server.say(session, f"** Tell {name} what?")
    elif name == session.name:
        server.say(session, f"You say to yourself: {message}")
    elif repbot:
        _hear(server, session, 16, "RepBotNG", message)
        _hear(server, session, 12, "RepBotNG", _reputation(server, message))
    elif name not in server.online:
        server.say(session, f"** There is no one called {name}")
    elif session.name in server.accounts[name].gagged:
        server.say(session, f"** {name} won't listen to you.")
    elif name in server.account(session).gagged:
        server.say(session, "** You can't talk if you won't listen.")
    elif _allowed(server, session):
        _hear(server, server.online[name], 12, session.name, message)
        _hear(server, session, 16, name, message)
        other = server.accounts[name]
        if other.away is not None:
            server.say(session, f"{name} is away: {other.away}")


def shout(server: ServerState, session: UserSession, text: str) -> None:
    """`shout text`: to everybody who is not silent."""
    if not text:
        server.say(session, "** Shout what?")
        return
    if server.account(session).has("silent"):
        server.say(session, "** Please type 'toggle silent' again before you shout.")
        return
    if not _allowed(server, session):
        return
    hearers = [
        other
        for other in server.others(session.name)
        if not server.account(other).has("silent")
        and session.name not in server.account(other).gagged
    ]
    _say_to_all(server, session, hearers, 13, text)


def kibitz(server: ServerState, session: UserSession, text: str) -> None:
    """`kibitz text`: to everybody at the table, players and watchers."""
    _around_match(server, session, text, 15, to_players=True)


def whisper(server: ServerState, session: UserSession, text: str) -> None:
    """`whisper text`: to the watchers only."""
    _around_match(server, session, text, 14, to_players=False)


def _around_match(
    server: ServerState, session: UserSession, text: str, number: int, to_players: bool
) -> None:
    host = session.watching or session.name
    opponent = server.opponent_of(host)
    if opponent is None:
        server.say(session, "** You're not watching or playing.")
        return
    if not text:
        server.say(session, "** Kibitz what?" if to_players else "** Whisper what?")
        return
    if not _allowed(server, session):
        return
    hearers = server.watchers(host) + server.watchers(opponent)
    if to_players:
        hearers += [server.online[host], server.online[opponent]]
    hearers = [
        other
        for other in hearers
        if other is not session and session.name not in server.account(other).gagged
    ]
    _say_to_all(server, session, hearers, number, text)


def _say_to_all(
    server: ServerState, session: UserSession, hearers: list[UserSession], number: int, text: str
) -> None:
    for other in hearers:
        _hear(server, other, number, session.name, text)
    echo = {13: 17, 14: 18, 15: 19}[number]
    server.say(session, f"{echo} {text}" if session.clip else PLAIN[echo].format(text=text))
    count = len(hearers)
    server.say(session, f"** {count} user{'' if count == 1 else 's'} heard you.")


def message(server: ServerState, session: UserSession, text: str) -> None:
    """`message NAME text`: kept until NAME logs in, or shown at once."""
    name, body = _split(text)
    if not name or not body:
        server.say(session, "** usage: message <user> <text>")
        return
    known = server.spellings.get(name.lower())
    if known is None:
        server.say(session, f"** Don't know user {name}")
    elif session.name in server.accounts[known].gagged:
        server.say(session, f"** {known} won't listen to you.")
    elif not _allowed(server, session):
        return
    elif known in server.online:
        other = server.online[known]
        plain = f"Message from {session.name}: {body}"
        server.say(other, f"9 {session.name} {int(server.now)} {body}" if other.clip else plain)
        server.say(session, f"10 {known}" if session.clip else f"Message delivered to {known}.")
    elif sum(m.to == known for m in server.messages.values()) >= server.limits.stored_messages:
        server.say(session, f"** The mailbox of {known} is full.")
    else:
        server.put_message(known, session.name, body)
        server.say(session, f"11 {known}" if session.clip else f"Message saved for {known}.")


def _hear(server: ServerState, session: UserSession, number: int, name: str, text: str) -> None:
    plain = PLAIN[number].format(name=name, text=text)
    line = f"{number} {name} {text}" if session.clip else plain
    if number == 12:
        server.ring(session.name, line)
    else:
        server.say(session, line)


def _allowed(server: ServerState, session: UserSession) -> bool:
    if session.bucket.chats.spend(server.now):
        return True
    server.say(session, "** You talk too much, don't you?")
    return False


def _split(text: str) -> tuple[str, str]:
    name, _, message = text.strip().partition(" ")
    return name, message.strip()[:MAX_TEXT]


def _by_prefix(server: ServerState, start: str) -> list[str]:
    if start in server.online:
        return [start]
    return sorted(name for name in server.online if name.lower().startswith(start.lower()))


def _reputation(server: ServerState, text: str) -> str:
    words = text.split()
    if words[0] not in ("ask", "a", "list", "l"):
        return "I don't understand you. Try 'tell RepBot help'."
    if len(words) < 2:
        return "ERROR: try 'tell RepBot ask <username>'"
    name = server.spellings.get(words[1].lower())
    if name is None:
        return f"ERROR: user {words[1]} does not exist on FIBS."
    experience = server.accounts[name].experience
    if not experience:
        return f"User {name} has no complainers or vouchers"
    return f"{name}'s reputation is {experience} (GOOD)"
