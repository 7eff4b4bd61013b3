"""Commands by which users talk to each other; talk changes nothing else."""

from __future__ import annotations

from sixprime.bot.sandbox.state.server import CommandRefused, ServerState, UserSession, refuse

MAX_TEXT = 500

PLAIN = {  # the words for people in place of each CLIP number
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
    found = _by_prefix(server, name)
    refuse(
        (not name, "** Tell whom?"),
        (len(found) > 1, f"Ambigous name: Try one of: {' '.join(found)}"),
    )
    _tell(server, session, found[0] if found else name, message)


def tellx(server: ServerState, session: UserSession, text: str) -> None:
    """`tellx NAME text`; the whole name."""
    name, message = _split(text)
    refuse((not name, "** Tell whom?"))
    _tell(server, session, name, message)


def say(server: ServerState, session: UserSession, text: str) -> None:
    """`say text`: to the opponent."""
    opponent = server.opponent_of(session.name)
    if opponent is None:
        raise CommandRefused("** 'say' can't be used outside a game")
    _tell(server, session, opponent, text)


def _opponent(server: ServerState, name: str) -> str:
    opponent = server.opponent_of(name)
    if opponent is None:
        raise CommandRefused("** You're not watching or playing.")
    return opponent


def _tell(server: ServerState, session: UserSession, name: str, message: str) -> None:
    refuse(
        (not message, f"** Tell {name} what?"),
        (name == session.name, f"You say to yourself: {message}"),
    )
    if server.dialect.repbot and name.lower() in ("repbot", "repbotng"):
        _hear(server, session, 16, "RepBotNG", message)
        _hear(server, session, 12, "RepBotNG", _reputation(server, message))
        return
    server.check_online(name)
    refuse(
        (session.name in server.accounts[name].gagged, f"** {name} won't listen to you."),
        (name in server.account(session).gagged, "** You can't talk if you won't listen."),
    )
    server.check_talk(session)
    _hear(server, server.online[name], 12, session.name, message)
    _hear(server, session, 16, name, message)
    server.say_if_away(session, name)


def shout(server: ServerState, session: UserSession, text: str) -> None:
    """`shout text`: to everybody who is not silent."""
    silent = server.account(session).has("silent")
    refuse(
        (not text, "** Shout what?"),
        (silent, "** Please type 'toggle silent' again before you shout."),
    )
    server.check_talk(session)
    hearers = [each for each in server.others() if not server.account(each).has("silent")]
    _say_to_all(server, session, hearers, 13, text)


def kibitz(server: ServerState, session: UserSession, text: str) -> None:
    """`kibitz text`: to everybody around the match, players and watchers."""
    _around_match(server, session, text, 15, to_players=True)


def whisper(server: ServerState, session: UserSession, text: str) -> None:
    """`whisper text`: to the watchers only."""
    _around_match(server, session, text, 14, to_players=False)


def _around_match(
    server: ServerState, session: UserSession, text: str, number: int, to_players: bool
) -> None:
    one = session.watching or session.name
    two = _opponent(server, one)
    refuse((not text, "** Kibitz what?" if to_players else "** Whisper what?"))
    server.check_talk(session)
    hearers = server.watchers(one) + server.watchers(two)
    if to_players:
        hearers += [server.online[one], server.online[two]]
    _say_to_all(server, session, hearers, number, text)


def _say_to_all(
    server: ServerState, session: UserSession, hearers: list[UserSession], number: int, text: str
) -> None:
    """Say it to these users, except the speaker and anybody who has gagged the speaker."""
    hearers = [
        other
        for other in hearers
        if other is not session and session.name not in server.account(other).gagged
    ]
    for other in hearers:
        _hear(server, other, number, session.name, text)
    echo = {13: 17, 14: 18, 15: 19}[number]
    server.say(session, f"{echo} {text}" if session.clip else PLAIN[echo].format(text=text))
    count = f"{len(hearers)} user{'' if len(hearers) == 1 else 's'}" if hearers else "But nobody"
    server.say(session, f"** {count} heard you.")


def message(server: ServerState, session: UserSession, text: str) -> None:
    """`message NAME text`: kept until NAME logs in, or shown at once."""
    name, body = _split(text)
    refuse((not name, "There are no new messages for you."))  # they were shown at once
    refuse((not body, "** usage: message <user> <text>"))
    name = server.known([name])
    gagged = session.name in server.accounts[name].gagged
    refuse((gagged, f"** {name} won't listen to you."))
    server.check_talk(session)
    if name in server.online:
        other = server.online[name]
        plain = f"Message from {session.name}: {body}"
        server.say(other, f"9 {session.name} {int(server.now)} {body}" if other.clip else plain)
        server.say(session, f"10 {name}" if session.clip else f"Message delivered to {name}.")
        return
    kept = sum(message.to == name for message in server.messages.values())
    refuse((kept >= server.limits.stored_messages, f"** The mailbox of {name} is full."))
    server.put_message(name, session.name, body)
    server.say(session, f"11 {name}" if session.clip else f"Message saved for {name}.")


def _hear(server: ServerState, session: UserSession, number: int, name: str, text: str) -> None:
    plain = PLAIN[number].format(name=name, text=text)
    line = f"{number} {name} {text}" if session.clip else plain
    if number == 12:
        server.ring(session.name, line)
    else:
        server.say(session, line)


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
