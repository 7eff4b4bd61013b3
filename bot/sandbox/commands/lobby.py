"""Who is here: the `5` lines, `who`, `whois`, `ratings`, notices of comings and goings."""

from __future__ import annotations

from collections.abc import Callable

from sixprime.bot.sandbox.state.accounts import Account
from sixprime.bot.sandbox.state.hall import Hall, Session
from sixprime.bot.sandbox.state.settings import UNLIMITED
from sixprime.bot.sandbox.state.times import clock, idle, whois_date

Words = list[str]


def own_line(account: Account) -> str:
    """The `2` line."""

    def flag(toggle: str) -> int:
        return int(account.has(toggle))

    redoubles = "unlimited" if account.redoubles == UNLIMITED else str(account.redoubles)
    fields = (
        account.name,
        flag("allowpip"),
        flag("autoboard"),
        flag("autodouble"),
        flag("automove"),
        int(account.away is not None),
        flag("bell"),
        flag("crawford"),
        flag("double"),
        account.experience,
        flag("greedy"),
        flag("moreboards"),
        flag("moves"),
        flag("notify"),
        f"{account.rating:.2f}",
        flag("ratings"),
        flag("ready"),
        redoubles,
        flag("report"),
        flag("silent"),
        account.timezone,
    )
    return "2 " + " ".join(map(str, fields))


def who_line(hall: Hall, name: str) -> str:
    """The `5` line of a user who is here."""
    session, account = hall.online[name], hall.accounts[name]
    fields = (
        name,
        hall.opponent_of(name) or "-",
        session.watching or "-",
        int(account.has("ready")),
        int(account.away is not None),
        f"{account.rating:.2f}",
        account.experience,
        int(hall.now - session.active),
        int(session.login),
        session.host,
        session.client,
        account.email or "-",
    )
    return "5 " + " ".join(map(str, fields))


def update(hall: Hall, *names: str, but: Session | None = None) -> None:
    """Tell every CLIP client how these users stand now, a `5`/`6` pair for each."""
    lines = [line for name in names if name in hall.online for line in (who_line(hall, name), "6")]
    for session in hall.online.values():
        if session.clip and session is not but:
            hall.say(session, *lines)


def notice(hall: Hall, session: Session, number: int, name: str, text: str) -> None:
    """A `7` or `8` line, or its text for people."""
    hall.say(session, f"{number} {name} {text}" if session.clip else text)


def send_all(hall: Hall, session: Session) -> None:
    """The whole who list of a CLIP client."""
    hall.say(session, *(who_line(hall, name) for name in sorted_names(hall, session)), "6")


def sorted_names(hall: Hall, session: Session) -> list[str]:
    """Everybody who is here, in the order that this user has chosen."""
    keys: dict[str, Callable[[str], float | str]] = {
        "login": lambda name: hall.online[name].login,
        "name": lambda name: name.lower(),
        "rating": lambda name: hall.accounts[name].rating,
        "rrating": lambda name: -hall.accounts[name].rating,
    }
    return sorted(hall.online, key=keys[hall.account(session).sortwho])


FILTERS: dict[str, Callable[[Hall, str], bool]] = {
    "ready": lambda hall, name: hall.accounts[name].has("ready") and name not in hall.playing,
    "playing": lambda hall, name: name in hall.playing,
    "away": lambda hall, name: hall.accounts[name].away is not None,
}


def who(hall: Hall, session: Session, words: Words) -> None:
    """`who [count | ready | playing | away | from HOST | NAME]`"""
    if words == ["count"]:
        hall.say(session, f"There are {len(hall.online)} users logged on.")
        return
    names = _chosen(hall, session, words)
    if names is None:
        hall.say(session, f"** There is no one called {words[0]}")
    elif session.clip:
        hall.say(session, *(who_line(hall, name) for name in names))
        if hall.dialect.who_end != "missing":
            hall.say(session, hall.dialect.who_end)
    else:
        _who_table(hall, session, names)


def rawwho(hall: Hall, session: Session, words: Words) -> None:
    """The who list as `5` lines in any mode; the closing `6` always comes."""
    names = _chosen(hall, session, words)
    if names is None:
        hall.say(session, f"** There is no one called {words[0]}")
    else:
        end = "6 " if hall.dialect.who_end == "6 " else "6"
        hall.say(session, *(who_line(hall, name) for name in names), end)


def _chosen(hall: Hall, session: Session, words: Words) -> list[str] | None:
    names = sorted_names(hall, session)
    if not words:
        return names
    if words[0] in FILTERS:
        return [name for name in names if FILTERS[words[0]](hall, name)]
    if words[0] == "from" and len(words) > 1:
        return [name for name in names if words[1] in hall.online[name].host]
    return [words[0]] if words[0] in hall.online else None


def _who_table(hall: Hall, session: Session, names: list[str]) -> None:
    zone = hall.account(session).timezone
    hall.say(session, " No  S  username         rating  exp  login   idle  from")
    for number, name in enumerate(names, 1):
        other, account = hall.online[name], hall.accounts[name]
        since, pause = clock(other.login, zone), idle(hall.now - other.active)
        hall.say(
            session,
            f"{number:>3}  {_state(hall, name)}  {name:<15} {account.rating:>7.2f} "
            f"{account.experience:>4}  {since} {pause:>6}  {other.host}",
        )
    hall.say(session, "", "  S: R ready, P playing, W watching, A away, - not ready")


def _state(hall: Hall, name: str) -> str:
    account = hall.accounts[name]
    if account.away is not None:
        return "A"
    if name in hall.playing:
        return "P"
    if hall.online[name].watching:
        return "W"
    return "R" if account.has("ready") else "-"


def whois(hall: Hall, session: Session, words: Words) -> None:
    """`whois NAME`"""
    if not words:
        hall.say(session, "** please give a name as an argument.")
        return
    if len(words) > 1:
        hall.say(
            session, f"** Please use only one of the given names '{words[0]}' and '{words[1]}'."
        )
        return
    name = hall.spellings.get(words[0].lower(), "")
    account = hall.accounts.get(name)
    if account is None:
        hall.say(session, f"No information found on user {words[0]}.")
        return
    zone = hall.account(session).timezone
    hall.say(session, f"Information about {name}:")
    if account.last_login:
        hall.say(
            session,
            f"  Last login:  {whois_date(account.last_login, zone)} from {account.last_host}",
        )
    if account.last_logout and name not in hall.online:
        hall.say(session, f"  Last logout: {whois_date(account.last_logout, zone)}")
    hall.say(session, *_presence(hall, account))
    hall.say(
        session,
        f"  Rating: {account.rating:.2f} Experience: {account.experience}",
        f"  Email address: {account.email}" if account.email else "  No email address.",
    )


def _presence(hall: Hall, account: Account) -> list[str]:
    name = account.name
    other = hall.online.get(name)
    if other is None:
        lines = ["  Not logged in right now."]
    else:
        lines = [f"  Still logged in. {idle(hall.now - other.active)} minutes idle."]
    opponent = hall.opponent_of(name)
    if opponent:
        lines.append(f"  {name} is playing with {opponent}.")
    elif account.has("ready"):
        lines.append(f"  {name} is ready to play ...")
    else:
        lines.append(f"  {name} is not ready to play ...")
    if account.away is not None:
        lines.append(f"  {name} is away: {account.away}")
    return lines


def last(hall: Hall, session: Session, words: Words) -> None:
    """`last NAME`: when this user was here."""
    name = hall.spellings.get(words[0].lower()) if words else None
    if not words:
        hall.say(session, "** please give a name as an argument.")
    elif name is None:
        hall.say(session, f"No information found on user {words[0]}.")
    elif name in hall.online:
        hall.say(session, f"{name} is logged in right now.")
    else:
        account, zone = hall.accounts[name], hall.account(session).timezone
        hall.say(session, f"{name} was last here on {whois_date(account.last_login, zone)}.")


RATINGS_SHOWN = 20


def ratings(hall: Hall, session: Session, words: Words) -> None:
    """`ratings [NAME | from N [to M]]`: the ranking of all who have finished a match."""
    ranked = sorted(
        (account for account in hall.accounts.values() if account.experience > 0),
        key=lambda account: (-account.rating, account.name),
    )
    first, last_ = 1, RATINGS_SHOWN
    if words and words[0] == "from":
        numbers = [word for word in words[1:] if word != "to"]
        if not numbers or not all(n.isascii() and n.isdigit() and 0 < len(n) < 8 for n in numbers):
            hall.say(session, "** Please give a positive number after 'from'.")
            return
        first = max(1, int(numbers[0]))
        last_ = int(numbers[1]) if len(numbers) > 1 else first + RATINGS_SHOWN - 1
    places = list(enumerate(ranked, 1))
    if words and words[0] != "from":
        places = [(place, account) for place, account in places if account.name in words]
    else:
        places = places[first - 1 : min(last_, first + 99)]
    if not places:
        hall.say(session, "** No ratings to show: nobody of these has finished a match yet.")
        return
    hall.say(session, " rank name            rating    Experience")
    for place, account in places:
        hall.say(
            session, f"{place:>5} {account.name:<15} {account.rating:>8.2f} {account.experience:>6}"
        )
