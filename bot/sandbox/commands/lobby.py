"""Lists of users: the `5` lines, `who`, `whois`, `ratings`, and notices of logins and logouts."""

from __future__ import annotations

from collections.abc import Callable

from sixprime.bot.sandbox.state.accounts import UserAccount
from sixprime.bot.sandbox.state.server import (
    CommandRefused,
    ServerState,
    UserSession,
    Words,
    refuse,
)
from sixprime.bot.sandbox.state.times import clock, idle, whois_date
from sixprime.bot.sandbox.state.variables import UNLIMITED
from sixprime.protocols.fibs.wire.account import TOGGLES

OWN_LINE = (
    "2 {name} {allowpip} {autoboard} {autodouble} {automove} {away} {bell} {crawford} {double} "
    "{experience} {greedy} {moreboards} {moves} {notify} {rating:.2f} {ratings} {ready} "
    "{redoubles} {report} {silent} {timezone}"
)


def own_line(account: UserAccount) -> str:
    """Return the `2` line."""
    return OWN_LINE.format(
        **{toggle: int(account.has(toggle)) for toggle in TOGGLES},
        name=account.name,
        away=int(account.away is not None),
        experience=account.experience,
        rating=account.rating,
        redoubles="unlimited" if account.redoubles == UNLIMITED else account.redoubles,
        timezone=account.timezone,
    )


def who_line(server: ServerState, name: str) -> str:
    """Return the `5` line of a user who is logged in."""
    session, account = server.online[name], server.accounts[name]
    fields = (
        name,
        server.opponent_of(name) or "-",
        session.watching or "-",
        int(account.has("ready")),
        int(account.away is not None),
        f"{account.rating:.2f}",
        account.experience,
        int(server.now - session.active),
        int(account.last_login),
        session.host,
        session.client,
        account.email or "-",
    )
    return "5 " + " ".join(map(str, fields))


def update(server: ServerState, *names: str, but: UserSession | None = None) -> None:
    """Send every CLIP client a `5`/`6` pair for each of these users."""
    lines = [
        line for name in names if name in server.online for line in (who_line(server, name), "6")
    ]
    for session in server.online.values():
        if session.clip and session is not but:
            server.say(session, *lines)


def notice(server: ServerState, session: UserSession, number: int, name: str, text: str) -> None:
    """Send a `7` or `8` line to programs, its text to people."""
    server.say(session, f"{number} {name} {text}" if session.clip else text)


def send_all(server: ServerState, session: UserSession) -> None:
    """Send a CLIP client the whole list of users."""
    server.say(session, *(who_line(server, name) for name in sorted_names(server, session)), "6")


def sorted_names(server: ServerState, session: UserSession) -> list[str]:
    """Return the users who are logged in, in the order that this user has chosen."""
    keys: dict[str, Callable[[str], float | str]] = {
        "login": lambda name: server.accounts[name].last_login,
        "name": lambda name: name.lower(),
        "rating": lambda name: server.accounts[name].rating,
        "rrating": lambda name: -server.accounts[name].rating,
    }
    return sorted(server.online, key=keys[server.account(session).sortwho])


FILTERS: dict[str, Callable[[ServerState, str], bool]] = {
    "ready": lambda server, name: server.accounts[name].has("ready") and name not in server.playing,
    "playing": lambda server, name: name in server.playing,
    "away": lambda server, name: server.accounts[name].away is not None,
}


def who(server: ServerState, session: UserSession, words: Words) -> None:
    """`who [count | ready | playing | away | from HOST | NAME]`"""
    refuse((words == ["count"], f"There are {len(server.online)} users logged on."))
    names = _chosen(server, session, words)
    if session.clip:
        server.say(session, *(who_line(server, name) for name in names))
        if server.dialect.who_end != "missing":
            server.say(session, server.dialect.who_end)
    else:
        _who_list(server, session, names)


def rawwho(server: ServerState, session: UserSession, words: Words) -> None:
    """Send the list of users as `5` lines in any mode, always closed by a `6`."""
    names = _chosen(server, session, words)
    end = "6 " if server.dialect.who_end == "6 " else "6"
    server.say(session, *(who_line(server, name) for name in names), end)


def _chosen(server: ServerState, session: UserSession, words: Words) -> list[str]:
    names = sorted_names(server, session)
    if not words:
        return names
    if words[0] in FILTERS:
        return [name for name in names if FILTERS[words[0]](server, name)]
    if words[0] == "from" and len(words) > 1:
        return [name for name in names if words[1] in server.online[name].host]
    server.check_online(words[0])
    return [words[0]]


def _who_list(server: ServerState, session: UserSession, names: list[str]) -> None:
    zone = server.account(session).timezone
    server.say(session, " No  S  username         rating  exp  login   idle  from")
    for number, name in enumerate(names, 1):
        other, account = server.online[name], server.accounts[name]
        since, pause = clock(account.last_login, zone), idle(server.now - other.active)
        server.say(
            session,
            f"{number:>3}  {_state(server, name)}  {name:<15} {account.rating:>7.2f} "
            f"{account.experience:>4}  {since} {pause:>6}  {other.host}",
        )
    server.say(session, "", "  S: R ready, P playing, W watching, A away, - not ready")


def _state(server: ServerState, name: str) -> str:
    account = server.accounts[name]
    if account.away is not None:
        return "A"
    if name in server.playing:
        return "P"
    if server.online[name].watching:
        return "W"
    return "R" if account.has("ready") else "-"


def whois(server: ServerState, session: UserSession, words: Words) -> None:
    """`whois NAME`"""
    if len(words) > 1:
        both = f"'{words[0]}' and '{words[1]}'"
        raise CommandRefused(f"** Please use only one of the given names {both}.")
    name = server.known(words, "No information found on user {}.")
    account = server.accounts[name]
    zone = server.account(session).timezone
    server.say(session, f"Information about {name}:")
    if account.last_login:
        server.say(
            session,
            f"  Last login:  {whois_date(account.last_login, zone)} from {account.last_host}",
        )
    if account.last_logout and name not in server.online:
        server.say(session, f"  Last logout: {whois_date(account.last_logout, zone)}")
    server.say(session, *_presence(server, account))
    server.say(
        session,
        f"  Rating: {account.rating:.2f} Experience: {account.experience}",
        f"  Email address: {account.email}" if account.email else "  No email address.",
    )


def _presence(server: ServerState, account: UserAccount) -> list[str]:
    name = account.name
    other = server.online.get(name)
    if other is None:
        lines = ["  Not logged in right now."]
    else:
        lines = [f"  Still logged in. {idle(server.now - other.active)} minutes idle."]
        lines.append(f"  {name} is {_occupation(server, account, other)}.")
    if account.away is not None:
        lines.append(f"  {name} is away: {account.away}")
    return lines


def _occupation(server: ServerState, account: UserAccount, session: UserSession) -> str:
    opponent = server.opponent_of(account.name)
    if opponent:
        return f"playing with {opponent}"
    ready = "ready" if account.has("ready") else "not ready"
    watching = f"watching {session.watching}" if session.watching else "not watching"
    return f"{ready} to play, {watching}, not playing"


def last(server: ServerState, session: UserSession, words: Words) -> None:
    """`last NAME`: the last visit of this user."""
    name = server.known(words, "No information found on user {}.")
    refuse((name in server.online, f"{name} is logged in right now."))
    account, zone = server.accounts[name], server.account(session).timezone
    server.say(session, f"{name} was last here on {whois_date(account.last_login, zone)}.")


RATINGS_SHOWN = 20


def ratings(server: ServerState, session: UserSession, words: Words) -> None:
    """`ratings [NAME | from N [to M]]`: the ranking of all who have finished a match."""
    ranked = sorted(
        (account for account in server.accounts.values() if account.experience > 0),
        key=lambda account: (-account.rating, account.name),
    )
    first, last_ = 1, RATINGS_SHOWN
    if words and words[0] == "from":
        numbers = [word for word in words[1:] if word != "to"]
        given = [n.isascii() and n.isdigit() and 0 < len(n) < 8 for n in numbers]
        wrong = not given or not all(given)
        refuse((wrong, "** Please give a positive number after 'from'."))
        first = max(1, int(numbers[0]))
        last_ = int(numbers[1]) if len(numbers) > 1 else first + RATINGS_SHOWN - 1
    places = list(enumerate(ranked, 1))
    if words and words[0] != "from":
        places = [(place, account) for place, account in places if account.name in words]
    else:
        places = places[first - 1 : min(last_, first + 99)]
    refuse((not places, "** No ratings to show: nobody of these has finished a match yet."))
    server.say(session, " rank name            rating    Experience")
    for place, account in places:
        server.say(
            session, f"{place:>5} {account.name:<15} {account.rating:>8.2f} {account.experience:>6}"
        )
