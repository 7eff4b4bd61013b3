"""Users talking to each other; whatever is said changes nothing but what others read."""

from __future__ import annotations

from sixprime.bot.sandbox.state.hall import Hall, Session

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


def tell(hall: Hall, session: Session, text: str) -> None:
    """`tell NAME text`; the beginning of a name is enough."""
    name, message = _split(text)
    if not name:
        hall.say(session, "** Tell whom?")
        return
    found = _by_prefix(hall, name)
    if len(found) > 1:
        hall.say(session, f"Ambigous name: Try one of: {' '.join(found)}")
        return
    _tell(hall, session, found[0] if found else name, message)


def tellx(hall: Hall, session: Session, text: str) -> None:
    """`tellx NAME text`; the whole name."""
    name, message = _split(text)
    if not name:
        hall.say(session, "** Tell whom?")
        return
    _tell(hall, session, name, message)


def say(hall: Hall, session: Session, text: str) -> None:
    """`say text`: to the opponent."""
    opponent = hall.opponent_of(session.name)
    if opponent is None:
        hall.say(session, "** You're not watching or playing.")
        return
    _tell(hall, session, opponent, text)


def _tell(hall: Hall, session: Session, name: str, message: str) -> None:
    repbot = hall.dialect.repbot and name.lower() in ("repbot", "repbotng")
    if not message:
        hall.say(session, f"** Tell {name} what?")
    elif name == session.name:
        hall.say(session, f"You say to yourself: {message}")
    elif repbot:
        _hear(hall, session, 16, "RepBotNG", message)
        _hear(hall, session, 12, "RepBotNG", _reputation(hall, message))
    elif name not in hall.online:
        hall.say(session, f"** There is no one called {name}")
    elif session.name in hall.accounts[name].gagged:
        hall.say(session, f"** {name} won't listen to you.")
    elif name in hall.account(session).gagged:
        hall.say(session, "** You can't talk if you won't listen.")
    elif _allowed(hall, session):
        _hear(hall, hall.online[name], 12, session.name, message)
        _hear(hall, session, 16, name, message)
        other = hall.accounts[name]
        if other.away is not None:
            hall.say(session, f"{name} is away: {other.away}")


def shout(hall: Hall, session: Session, text: str) -> None:
    """`shout text`: to everybody who is not silent."""
    if not text:
        hall.say(session, "** Shout what?")
        return
    if hall.account(session).has("silent"):
        hall.say(session, "** Please type 'toggle silent' again before you shout.")
        return
    if not _allowed(hall, session):
        return
    hearers = [
        other
        for other in hall.others(session.name)
        if not hall.account(other).has("silent") and session.name not in hall.account(other).gagged
    ]
    _say_to_all(hall, session, hearers, 13, text)


def kibitz(hall: Hall, session: Session, text: str) -> None:
    """`kibitz text`: to everybody at the table, players and watchers."""
    _at_table(hall, session, text, 15, to_players=True)


def whisper(hall: Hall, session: Session, text: str) -> None:
    """`whisper text`: to the watchers only."""
    _at_table(hall, session, text, 14, to_players=False)


def _at_table(hall: Hall, session: Session, text: str, number: int, to_players: bool) -> None:
    host = session.watching or session.name
    opponent = hall.opponent_of(host)
    if opponent is None:
        hall.say(session, "** You're not watching or playing.")
        return
    if not text:
        hall.say(session, "** Kibitz what?" if to_players else "** Whisper what?")
        return
    if not _allowed(hall, session):
        return
    hearers = hall.watchers(host) + hall.watchers(opponent)
    if to_players:
        hearers += [hall.online[host], hall.online[opponent]]
    hearers = [
        other
        for other in hearers
        if other is not session and session.name not in hall.account(other).gagged
    ]
    _say_to_all(hall, session, hearers, number, text)


def _say_to_all(
    hall: Hall, session: Session, hearers: list[Session], number: int, text: str
) -> None:
    for other in hearers:
        _hear(hall, other, number, session.name, text)
    echo = {13: 17, 14: 18, 15: 19}[number]
    hall.say(session, f"{echo} {text}" if session.clip else PLAIN[echo].format(text=text))
    count = len(hearers)
    hall.say(session, f"** {count} user{'' if count == 1 else 's'} heard you.")


def message(hall: Hall, session: Session, text: str) -> None:
    """`message NAME text`: kept until NAME logs in, or shown at once."""
    name, body = _split(text)
    if not name or not body:
        hall.say(session, "** usage: message <user> <text>")
        return
    known = hall.spellings.get(name.lower())
    if known is None:
        hall.say(session, f"** Don't know user {name}")
    elif session.name in hall.accounts[known].gagged:
        hall.say(session, f"** {known} won't listen to you.")
    elif not _allowed(hall, session):
        return
    elif known in hall.online:
        other = hall.online[known]
        plain = f"Message from {session.name}: {body}"
        hall.say(other, f"9 {session.name} {int(hall.now)} {body}" if other.clip else plain)
        hall.say(session, f"10 {known}" if session.clip else f"Message delivered to {known}.")
    elif sum(m.to == known for m in hall.messages.values()) >= hall.limits.stored_messages:
        hall.say(session, f"** The mailbox of {known} is full.")
    else:
        hall.put_message(known, session.name, body)
        hall.say(session, f"11 {known}" if session.clip else f"Message saved for {known}.")


def _hear(hall: Hall, session: Session, number: int, name: str, text: str) -> None:
    plain = PLAIN[number].format(name=name, text=text)
    line = f"{number} {name} {text}" if session.clip else plain
    if number == 12:
        hall.ring(session.name, line)
    else:
        hall.say(session, line)


def _allowed(hall: Hall, session: Session) -> bool:
    if session.bucket.chats.spend(hall.now):
        return True
    hall.say(session, "** You talk too much, don't you?")
    return False


def _split(text: str) -> tuple[str, str]:
    name, _, message = text.strip().partition(" ")
    return name, message.strip()[:MAX_TEXT]


def _by_prefix(hall: Hall, start: str) -> list[str]:
    if start in hall.online:
        return [start]
    return sorted(name for name in hall.online if name.lower().startswith(start.lower()))


def _reputation(hall: Hall, text: str) -> str:
    words = text.split()
    if words[0] not in ("ask", "a", "list", "l"):
        return "I don't understand you. Try 'tell RepBot help'."
    if len(words) < 2:
        return "ERROR: try 'tell RepBot ask <username>'"
    name = hall.spellings.get(words[1].lower())
    if name is None:
        return f"ERROR: user {words[1]} does not exist on FIBS."
    experience = hall.accounts[name].experience
    if not experience:
        return f"User {name} has no complainers or vouchers"
    return f"{name}'s reputation is {experience} (GOOD)"
